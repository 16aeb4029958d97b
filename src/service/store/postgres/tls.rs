//! TLS to PostgreSQL: [`Tls`] encrypts connections as the address asks.
//!
//! # Design
//!
//! This implements the TLS traits of tokio-postgres over tokio-rustls, which the HTTP client needs anyway. The crate
//! that does the same, tokio-postgres-rustls, adds a certificate parser and eleven more crates to bind the password to
//! the channel, which `verify-full` does not need.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_platform_verifier::Verifier;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::{TlsConnector, client};

use crate::service::store_url::Trust;

type Boxed = Box<dyn std::error::Error + Send + Sync>;

/// Makes encrypted connections.
#[derive(Clone)]
pub(super) struct Tls(TlsConnector);

/// Makes one encrypted connection, to the server with this name.
pub(super) struct Handshake {
    connector: TlsConnector,
    name: ServerName<'static>,
}

/// An encrypted connection.
pub(super) struct Encrypted<S>(client::TlsStream<S>);

impl Tls {
    /// Prepares connections to servers whose certificates satisfy `trust`.
    pub(super) fn new(trust: &Trust) -> Result<Self, Boxed> {
        let provider = Arc::new(ring::default_provider());
        let verifier: Arc<dyn ServerCertVerifier> = match trust {
            Trust::AnyCertificate => Arc::new(AcceptAnyCertificate(provider.clone())),
            Trust::Authorities(None) => Arc::new(Verifier::new(provider.clone())?),
            Trust::Authorities(Some(file)) => {
                WebPkiServerVerifier::builder_with_provider(Arc::new(authorities(file)?), provider.clone()).build()?
            }
        };
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        Ok(Tls(TlsConnector::from(Arc::new(config))))
    }
}

/// Reads the certificates of a PEM file.
fn authorities(file: &Path) -> Result<RootCertStore, Boxed> {
    let failure = |error: &dyn std::fmt::Display| format!("`{}`: {error}", file.display());
    let mut authorities = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| failure(&error))? {
        authorities.add(certificate.map_err(|error| failure(&error))?)?;
    }
    if authorities.is_empty() {
        return Err(failure(&"there is no certificate in it").into());
    }
    Ok(authorities)
}

/// Accepts any certificate: `sslmode=require` encrypts, but does not verify the server.
#[derive(Debug)]
struct AcceptAnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

impl<S> MakeTlsConnect<S> for Tls
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type TlsConnect = Handshake;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Handshake, InvalidDnsNameError> {
        Ok(Handshake {
            connector: self.0.clone(),
            name: ServerName::try_from(domain.to_owned())?,
        })
    }
}

impl<S> TlsConnect<S> for Handshake
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Encrypted<S>>>;

    fn connect(self, stream: S) -> Self::Future {
        async move { self.connector.connect(self.name, stream).await.map(Encrypted) }.boxed()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
