//! Why no complete response came, in words that reveal nothing of the exchange. The main type is [`Cause`].
//!
//! # Design
//!
//! The messages of reqwest and the libraries below it may contain an address or a name from a certificate, so none of
//! them is repeated: errors are distinguished by their kind, and each kind has a message of our own.

use std::error::Error;
use std::io;

/// Why no complete response came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Cause {
    /// The connection could not be opened.
    #[error("the connection could not be opened: {0}")]
    Connect(String),
    /// The connection ended before the response did.
    #[error("the connection ended before the response was complete")]
    Incomplete,
    /// The deadline passed.
    #[error("the deadline passed")]
    Deadline,
    /// The response is not HTTP.
    #[error("the response is not valid HTTP/1.1 (RFC 9112), or its head is too large")]
    NotHttp,
    /// A proxy did not let the request through.
    #[error("the proxy did not open a tunnel to the service")]
    Proxy,
    /// The host's name has no address.
    #[error("the host's name does not resolve")]
    Resolve,
    /// Nothing could be sent.
    #[error("the HTTP client or the request could not be set up")]
    Setup,
    /// TLS was rejected or broken.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// The body is larger than the limit.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// The body of a response is larger than [`Settings::max_response_bytes`](super::Settings::max_response_bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the response is larger than {0} bytes")]
pub(crate) struct TooLarge(pub(super) usize);

impl Cause {
    /// Finds the cause from the sources of reqwest's error.
    pub(crate) fn of(error: &reqwest::Error) -> Self {
        if error.is_builder() {
            return Self::Setup;
        }
        Self::in_chain(error.source(), error.is_connect()).unwrap_or_else(|| unfinished(error))
    }

    /// Finds the cause from an error of opening a connection, and its sources.
    #[cfg(feature = "cli")]
    pub(crate) fn of_connecting(error: &(dyn Error + 'static)) -> Self {
        let mut causes = chain(Some(error)).filter_map(|cause| cause.downcast_ref::<io::Error>());
        if causes.any(|io| io.kind() == io::ErrorKind::TimedOut) {
            return timed_out_connecting();
        }
        Self::in_chain(Some(error), true).unwrap_or_else(closed_in_handshake)
    }

    /// Finds the cause from an error and its sources.
    fn in_chain(error: Option<&(dyn Error + 'static)>, is_connect: bool) -> Option<Self> {
        for cause in chain(error) {
            if let Some(too_large) = cause.downcast_ref::<TooLarge>() {
                return Some(Self::TooLarge(*too_large));
            }
            if let Some(tls) = tls_error(cause) {
                return Some(Self::Tls(tls));
            }
            if let Some(io) = cause.downcast_ref::<io::Error>()
                && is_connect
                && io.raw_os_error().is_some()
                && !is_connection_end(io.kind())
            {
                return Some(Self::Connect(io.kind().to_string()));
            }
            let text = cause.to_string();
            if text.starts_with("dns error") {
                return Some(Self::Resolve);
            }
            if text.starts_with("tunnel error") {
                return Some(Self::Proxy);
            }
        }
        None
    }
}

/// Returns an error and its sources, from the outermost.
fn chain<'a>(error: Option<&'a (dyn Error + 'static)>) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(error, |&error| error.source())
}

fn timed_out_connecting() -> Cause {
    Cause::Connect("timed out".to_owned())
}

fn closed_in_handshake() -> Cause {
    Cause::Tls("the target closed the connection in the handshake; is it a plain `http` address?".to_owned())
}

fn unfinished(error: &reqwest::Error) -> Cause {
    let text = deepest(error);
    if error.is_timeout() {
        return if error.is_connect() {
            timed_out_connecting()
        } else {
            Cause::Deadline
        };
    }
    // A connection that is closed while it is being opened was already in its handshake.
    if error.is_connect() {
        return closed_in_handshake();
    }
    if has_connection_ended(error.source())
        || [
            "connection closed", "unexpected EOF", "end of file", "IncompleteMessage",
        ]
        .iter()
        .any(|sign| text.contains(sign))
    {
        return Cause::Incomplete;
    }
    Cause::NotHttp
}

/// Returns whether an error or one of its sources says that the connection ended.
fn has_connection_ended(error: Option<&(dyn Error + 'static)>) -> bool {
    let mut errors = chain(error).filter_map(|cause| cause.downcast_ref::<io::Error>());
    errors.any(|io| is_connection_end(io.kind()))
}

/// Returns whether the connection ended, as opposed to delivering something wrong.
fn is_connection_end(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

fn tls_error(cause: &(dyn Error + 'static)) -> Option<String> {
    // `io::Error::source` skips the error that is wrapped, and here an `io::Error` is wrapped in another.
    if let Some(io) = cause.downcast_ref::<io::Error>() {
        return tls_error(io.get_ref()?);
    }
    let error = cause.downcast_ref::<rustls::Error>()?;
    Some(match error {
        rustls::Error::InvalidCertificate(reason) => format!("the certificate is not valid: {}", certificate(reason)),
        rustls::Error::InvalidMessage(_) => "the response is not TLS; is it a plain `http` address?".to_owned(),
        rustls::Error::AlertReceived(alert) => format!("the target rejected the handshake with the alert {alert:?}"),
        _ => "the handshake failed".to_owned(),
    })
}

fn certificate(reason: &rustls::CertificateError) -> &'static str {
    match reason {
        rustls::CertificateError::Expired | rustls::CertificateError::ExpiredContext { .. } => "it has expired",
        rustls::CertificateError::NotValidForName | rustls::CertificateError::NotValidForNameContext { .. } => {
            "it is for another name"
        }
        rustls::CertificateError::UnknownIssuer => {
            "its issuer is not known here; if that is an authority of your own, trust its certificate"
        }
        rustls::CertificateError::NotValidYet | rustls::CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet"
        }
        _ => "it was rejected; it may be self-signed",
    }
}

fn deepest(error: &reqwest::Error) -> String {
    let mut deepest: &dyn Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_is_not_opened_in_time_is_no_tls_failure() {
        let timed_out = io::Error::new(io::ErrorKind::TimedOut, "it took too long");
        assert_eq!(Cause::of_connecting(&timed_out), timed_out_connecting());
        let closed = io::Error::new(io::ErrorKind::UnexpectedEof, "tls handshake eof");
        assert_eq!(Cause::of_connecting(&closed), closed_in_handshake());
    }
}
