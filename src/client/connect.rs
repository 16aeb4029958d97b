//! Makes a [`Client`] from a base URL, a token, settings, and optionally an HTTP client of your own.

use reqwest::ClientBuilder;
use reqwest::redirect::Policy;

use super::session::Session;
use super::{Client, ClientError, Settings, Token, base_url};

impl Client {
    /// Makes a client of the service at `base_url` (`https://host`, with a port and a prefix of the paths if needed).
    ///
    /// Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`ClientError::BaseUrl`] if the base URL is not valid; [`ClientError::Transport`] if the HTTP client could not
    /// be set up, for example because the machine's root certificates cannot be read.
    pub fn new(base_url: &str, token: Token) -> Result<Self, ClientError> {
        Self::with_settings(base_url, token, Settings::default())
    }

    /// Makes a client as [`Client::new`] does, with limits and headers of your own.
    ///
    /// # Errors
    ///
    /// Those of [`Client::new`].
    pub fn with_settings(base_url: &str, token: Token, settings: Settings) -> Result<Self, ClientError> {
        Self::with(base_url, token, settings, |http| http)
    }

    /// Makes a client over an HTTP client of your own: `http` receives our builder to change, and may set a proxy,
    /// further root certificates, a resolver, a network interface.
    ///
    /// The builder that it returns decides how connections are made. It does not decide where the token goes: whatever
    /// it sets, redirects are not followed, no `Referer` is sent, and `Authorization` has the token. Only `settings`
    /// decides how long a call may take and what is sent again. A proxy that it sets sees what goes over plain HTTP,
    /// the token included. A proxy from the environment is used if `http` returns a builder other than the given one.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::client::reqwest::Proxy;
    /// use countersign::client::{Client, Settings};
    ///
    /// let proxy = Proxy::https("http://proxy.example.com:3128")?;
    /// let client = Client::with(
    ///     "https://contacts.example.com",
    ///     "a-token".parse()?,
    ///     Settings::default(),
    ///     |http| http.proxy(proxy),
    /// )?;
    /// # drop(client);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Client::new`].
    ///
    /// # Design
    ///
    /// A finished [`reqwest::Client`] has a fixed redirect policy that cannot be read, and passes headers on to any
    /// host that it is redirected to. So this function takes a builder, and sets the policy last.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the caller should not keep a copy of the token"
    )]
    pub fn with(
        base_url: &str,
        token: Token,
        settings: Settings,
        http: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, ClientError> {
        let base_url = base_url::parse(base_url)?;
        // reqwest takes the process's provider; one that the program installed earlier is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let ours = reqwest::Client::builder().no_proxy().user_agent(concat!(
            env!("CARGO_PKG_NAME"),
            "/",
            env!("CARGO_PKG_VERSION")
        ));
        let client = http(ours)
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .timeout(settings.deadline)
            .build()
            .map_err(ClientError::Transport)?;
        Ok(Self {
            baseurl: base_url.as_str().trim_end_matches('/').to_owned(),
            client,
            inner: Session {
                authorization: token.authorization(),
                settings,
            },
        })
    }
}
