//! Over HTTP, by `reqwest`. The main type is [`Http`].
//!
//! # Design
//!
//! `reqwest` bounds no body, so the body is read in pieces against a cap. hyper bounds the head: 100 headers, about
//! 400 KB. Redirects are answers here, not ways: a check that follows them judges another service. The environment's
//! proxy settings are not read, because a proxy for plain HTTP would see the token.
//!
//! One thing slips the deadline for a moment: interim answers (1xx). hyper reads all of them that a piece of the
//! connection holds, and piece after piece until the scheduler asks for its turn, which is after 128 pieces of at most
//! 400 KB; no clock is looked at meanwhile. `reqwest` offers no way between: its connector's stream is sealed, its
//! requests carry no extensions (where hyper's `on_informational` would be), and the size of a piece cannot be set.
//! Exchanges on threads of their own would hold the deadline; on two processors, beside the service, they cost a fifth of
//! the requests per second with 4 or 32 of them under way, because each goes to another thread and back.

use std::error::Error as _;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;

use super::{Channel, Outgoing, Received, TransportError, collect};
use crate::exchange::record::Failure;
use crate::exchange::target::Target;

/// The part of the deadline that connecting, TLS included, may take. It is less than all of it, so that a target that
/// cannot be reached is told apart from one that does not answer.
const CONNECTING: f64 = 0.9;

/// A pool of connections to one target.
#[derive(Debug)]
pub(super) struct Http {
    client: reqwest::Client,
}

impl Http {
    /// A pool of connections to the target.
    ///
    /// # Errors
    ///
    /// A [`TransportError`] where the TLS library cannot be set up.
    pub(super) fn new(target: &Target, deadline: Duration) -> Result<Self, TransportError> {
        // Another provider that the program installed before is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder();
        // The machine's root certificates cost most of a short run's start, and plain HTTP needs none of them.
        let builder = if target.is_tls() {
            builder
        } else {
            builder.tls_certs_only([])
        };
        let client = builder
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .pool_idle_timeout(Duration::from_secs(4))
            .connect_timeout(deadline.mul_f64(CONNECTING))
            .build()
            .map_err(|error| TransportError::Client(error.to_string()))?;
        Ok(Self { client })
    }

    async fn exchange(&self, outgoing: Outgoing, maximum: usize) -> Result<Received, Failure> {
        let mut request = reqwest::Request::new(outgoing.method, outgoing.url);
        *request.headers_mut() = outgoing.headers;
        *request.body_mut() = outgoing.body.map(Into::into);
        let response = self.client.execute(request).await.map_err(|error| classify(&error))?;
        let (head, body) = http::Response::<reqwest::Body>::from(response).into_parts();
        let body = collect(body, maximum, |error| classify(&error)).await?;
        Ok(Received {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
        })
    }
}

impl Channel for Http {
    fn carry(&self, outgoing: Outgoing, maximum: usize) -> LocalBoxFuture<'_, Result<Received, Failure>> {
        self.exchange(outgoing, maximum).boxed_local()
    }
}

/// Tells failures apart by the errors beneath `reqwest`'s own, whose texts may hold the address.
fn classify(error: &reqwest::Error) -> Failure {
    let mut source = error.source();
    let mut cut = false;
    while let Some(cause) = source {
        if let Some(tls) = tls_error(cause) {
            return Failure::Tls { reason: tls };
        }
        if let Some(io) = cause.downcast_ref::<std::io::Error>() {
            cut |= is_cut(io.kind());
            if error.is_connect() && io.raw_os_error().is_some() && !is_cut(io.kind()) {
                return Failure::Connect {
                    reason: io.kind().to_string(),
                };
            }
        }
        if cause.to_string().starts_with("dns error") {
            return Failure::Resolve;
        }
        source = cause.source();
    }
    unfinished(error, cut)
}

fn unfinished(error: &reqwest::Error, cut: bool) -> Failure {
    let text = deepest(error);
    if error.is_connect() && error.is_timeout() {
        return Failure::Connect {
            reason: "timed out".to_owned(),
        };
    }
    // A connection that is open already and is closed while it is being opened was in its handshake.
    if error.is_connect() {
        return Failure::Tls {
            reason: "the target closed the connection in the handshake; is it a plain `http` address?".to_owned(),
        };
    }
    if cut
        || [
            "connection closed",
            "unexpected EOF",
            "end of file",
            "IncompleteMessage",
        ]
        .iter()
        .any(|sign| text.contains(sign))
    {
        return Failure::Cut;
    }
    Failure::NotHttp
}

/// Whether the connection ended, as against what came over it being wrong.
fn is_cut(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

fn tls_error(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    // An error of the operating system's kind passes its own source over, and here one stands in another.
    if let Some(io) = cause.downcast_ref::<std::io::Error>() {
        return tls_error(io.get_ref()?);
    }
    let error = cause.downcast_ref::<rustls::Error>()?;
    Some(match error {
        rustls::Error::InvalidCertificate(reason) => format!("the certificate is not valid: {}", certificate(reason)),
        rustls::Error::InvalidMessage(_) => "the answer is not TLS; is it a plain `http` address?".to_owned(),
        rustls::Error::AlertReceived(alert) => format!("the target refused with the alert {alert:?}"),
        _ => "the handshake failed".to_owned(),
    })
}

fn certificate(reason: &rustls::CertificateError) -> &'static str {
    match reason {
        rustls::CertificateError::Expired | rustls::CertificateError::ExpiredContext { .. } => "it has expired",
        rustls::CertificateError::NotValidForName | rustls::CertificateError::NotValidForNameContext { .. } => {
            "it is for another name"
        }
        rustls::CertificateError::UnknownIssuer => "its issuer is not known here",
        rustls::CertificateError::NotValidYet | rustls::CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet"
        }
        _ => "it is refused, as a self-signed one is",
    }
}

fn deepest(error: &reqwest::Error) -> String {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}
