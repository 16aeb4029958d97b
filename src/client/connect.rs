//! How a [`Client`] is made: of a base URL, a token, bounds, and perhaps a way of its own to connect.

use reqwest::ClientBuilder;
use reqwest::redirect::Policy;

use super::session::Session;
use super::{Client, ClientError, Settings, Token, base_url};

impl Client {
    /// Makes a client of the service at `base_url` (`https://host`, with a port and a prefix of the paths if need be).
    ///
    /// Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`ClientError::BaseUrl`] says what is wrong with the base URL; [`ClientError::Transport`] that the HTTP client could
    /// not be set up, as where the machine's root certificates can't be read.
    pub fn new(base_url: &str, token: Token) -> Result<Self, ClientError> {
        Self::with_settings(base_url, token, Settings::default())
    }

    /// Makes a client as [`Client::new`] does, with other bounds and perhaps headers of your own.
    ///
    /// # Errors
    ///
    /// Those of [`Client::new`].
    pub fn with_settings(base_url: &str, token: Token, settings: Settings) -> Result<Self, ClientError> {
        Self::with(base_url, token, settings, |http| http)
    }

    /// Makes a client over an HTTP client of your own: `http` is given ours to change, and may name a proxy, further root
    /// certificates, a resolver, an interface.
    ///
    /// What it gives back decides how a connection comes about. It does not decide where a token goes: whatever was set,
    /// redirects are not followed, no `Referer` is sent, `Authorization` is the token's; and `settings` alone says how long a
    /// call may take and what is sent again. A proxy that it names sees what goes over plain HTTP, the token included; one that the environment names
    /// is used where another builder than the given one comes back.
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
    /// A finished [`reqwest::Client`] has its redirects decided, tells nobody how, and hands headers on to whatever host it
    /// is sent to. So it is its builder that is taken, and the last word is ours.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a token that is handed over is not left behind"
    )]
    pub fn with(
        base_url: &str,
        token: Token,
        settings: Settings,
        http: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, ClientError> {
        let base_url = base_url::parse(base_url)?;
        // reqwest takes the provider of the process; one that the program installed before is as good.
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
