//! Reads the certificates and the key that flags and configuration name. The main function is [`read`].

use std::path::Path;

use rustls::RootCertStore;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::arguments::Arguments;
use super::edge;
use super::failure::Failure;
use crate::exchange::{Identity, Tls};

/// The largest PEM file that is read, in bytes; the root certificates of a whole machine are a fifth of it.
const MAX_BYTES: u64 = 1 << 20;

/// Why a PEM file cannot be used. The messages repeat nothing of the file.
#[derive(Debug, thiserror::Error)]
pub(super) enum CertificateError {
    /// A certificate that cannot be read.
    #[error("certificate {0} in it cannot be read")]
    Certificate(usize),
    /// A certificate and a key that do not belong together, or of a kind that is not supported.
    #[error("certificate and key cannot be used together; does the key belong to the first certificate?")]
    Identity,
    /// There is no certificate.
    #[error(
        "there is no certificate in it; it must be a PEM file, with a line `-----BEGIN CERTIFICATE-----` (`openssl x509 \
         -inform der` converts a DER file)"
    )]
    NoCertificate,
    /// There is no private key.
    #[error(
        "there is no private key in it that can be read; it must be a PEM file, with a line `-----BEGIN PRIVATE \
         KEY-----`, not encrypted (`openssl pkey` decrypts one)"
    )]
    NoKey,
    /// The TLS library could not be set up.
    #[error("the TLS library could not be set up with it")]
    SetUp,
}

/// Returns the certificates for connections to the target; `None` if nothing names any.
///
/// # Errors
///
/// A file that cannot be read, or lacks what it should have.
pub(super) fn read(arguments: &Arguments) -> Result<Option<Tls>, Failure> {
    let authorities = arguments.service.cacert.as_ref().map(|path| path.value.as_path());
    let (certificate, key) = (arguments.cert.as_deref(), arguments.key.as_deref());
    let Some(named) = certificate.or(authorities) else {
        return Ok(None);
    };
    let roots = authorities.map_or_else(|| Ok(Vec::new()), self::authorities)?;
    let identity = certificate.map(|path| identity(path, key.unwrap_or(path)));
    let identity = identity.transpose()?;
    let error = if identity.is_some() {
        CertificateError::Identity
    } else {
        CertificateError::SetUp
    };
    let tls = Tls::new(roots, identity).map_err(|_| unusable(named, error))?;
    Ok(Some(tls))
}

/// Returns the root certificates in a file.
fn authorities(path: &Path) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let certificates = certificates(path)?;
    let mut store = RootCertStore::empty();
    for (index, certificate) in certificates.iter().enumerate() {
        let added = store.add(certificate.clone());
        added.map_err(|_| unusable(path, CertificateError::Certificate(index + 1)))?;
    }
    Ok(certificates)
}

fn identity(path: &Path, key: &Path) -> Result<Identity, Failure> {
    let chain = certificates(path)?;
    let text = edge::read("key", key, MAX_BYTES)?;
    let private = PrivateKeyDer::from_pem_slice(text.as_bytes());
    Ok(Identity {
        chain,
        key: private.map_err(|_| unusable(key, CertificateError::NoKey))?,
    })
}

/// Returns the certificates in a file, of which there is at least one.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Failure> {
    // Read as bytes: a DER file then gets the error about PEM, and not one about UTF-8.
    let bytes = edge::read_whole("certificates", path, MAX_BYTES)?;
    let certificates = CertificateDer::pem_slice_iter(&bytes).enumerate();
    let certificates = certificates.map(|(index, certificate)| {
        certificate.map_err(|error: pem::Error| match error {
            pem::Error::NoItemsFound => unusable(path, CertificateError::NoCertificate),
            _ => unusable(path, CertificateError::Certificate(index + 1)),
        })
    });
    let certificates: Vec<_> = certificates.collect::<Result<_, _>>()?;
    if certificates.is_empty() {
        return Err(unusable(path, CertificateError::NoCertificate));
    }
    Ok(certificates)
}

fn unusable(path: &Path, source: CertificateError) -> Failure {
    Failure::Certificates {
        path: path.to_owned(),
        source,
    }
}
