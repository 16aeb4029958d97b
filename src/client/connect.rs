//! How a [`Client`] is made: of a base URL, a token and bounds.

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
    /// [`ClientError::BaseUrl`] says what is wrong with the base URL; [`ClientError::Transport`] that the machine's root
    /// certificates can't be read.
    pub fn new(base_url: &str, token: Token) -> Result<Self, ClientError> {
        Self::with_settings(base_url, token, Settings::default())
    }

    /// Makes a client as [`Client::new`] does, with other bounds.
    ///
    /// # Errors
    ///
    /// Those of [`Client::new`].
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a token that is handed over is not left behind"
    )]
    pub fn with_settings(base_url: &str, token: Token, settings: Settings) -> Result<Self, ClientError> {
        // reqwest takes the provider of the process; one that the program installed before is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .timeout(settings.deadline)
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(ClientError::Transport)?;
        Ok(Self {
            baseurl: base_url::parse(base_url)?.as_str().trim_end_matches('/').to_owned(),
            client,
            inner: Session {
                authorization: token.authorization(),
                settings,
            },
        })
    }
}
