//! The certificates of a connection besides the machine's own. The main type is [`Tls`].

use std::fmt;
use std::sync::Arc;

use rustls::ClientConfig;

/// How target and checker prove to each other who they are, where the machine's root certificates are not enough. It is
/// made once, for all connections.
#[derive(Clone)]
pub(crate) struct Tls(Arc<ClientConfig>);

/// A certificate with those that vouch for it, and its key.
#[cfg(feature = "cli")]
pub(crate) struct Identity {
    pub(crate) chain: Vec<rustls::pki_types::CertificateDer<'static>>,
    pub(crate) key: rustls::pki_types::PrivateKeyDer<'static>,
}

impl Tls {
    /// Trusts these root certificates besides the machine's, and shows this identity to a target that asks for one.
    ///
    /// # Errors
    ///
    /// The TLS library's error, for a certificate or key that it cannot use.
    #[cfg(feature = "cli")]
    pub(crate) fn new(
        roots: Vec<rustls::pki_types::CertificateDer<'static>>,
        identity: Option<Identity>,
    ) -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(roots, Arc::clone(&provider))?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let config = match identity {
            Some(Identity { chain, key }) => config.with_client_auth_cert(chain, key)?,
            None => config.with_no_client_auth(),
        };
        Ok(Self(Arc::new(config)))
    }

    /// Returns the configuration for the TLS library.
    pub(crate) fn config(&self) -> ClientConfig {
        ClientConfig::clone(&self.0)
    }
}

/// Equal if one is a clone of the other.
impl PartialEq for Tls {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Tls {}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Tls(hidden)")
    }
}
