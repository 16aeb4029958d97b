//! Sends requests over HTTP, with `reqwest`. The main type is [`Http`].
//!
//! # Design
//!
//! `reqwest` does not bound a body, so the body is read in pieces up to the limit. hyper bounds the head: 100 headers,
//! about 400 KB. A redirect is a response like any other: a check that follows redirects judges another service. The
//! environment's proxy settings are ignored, because a proxy for plain HTTP would see the token.
//!
//! One thing can exceed the deadline for a moment: interim responses (1xx). hyper reads all of them in a piece of the
//! connection, and one piece after the other until the scheduler makes it yield, which is after 128 pieces of at
//! most 400 KB; no clock is checked meanwhile. `reqwest` offers no way to intervene: its connector's stream is sealed,
//! its requests carry no extensions (where hyper's `on_informational` would be), and the size of a piece cannot be set.
//! Exchanges on their own threads would keep the deadline. On two processors, which the service shares, they cost a
//! fifth of the requests per second with 4 or 32 of them under way, because each goes to another thread and back.

use std::time::Duration;

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;

use super::{Channel, Outgoing, Received, TransportError, collect};
use crate::client::cause::Cause;
use crate::exchange::record::Failure;
use crate::exchange::target::Target;

/// The share of the deadline that connecting may take, TLS included. It is less than all of it, so that a target that
/// cannot be reached is distinguished from one that does not answer.
const CONNECT_SHARE: f64 = 0.9;

/// A pool of connections to one target.
#[derive(Debug)]
pub(super) struct Http {
    client: reqwest::Client,
}

impl Http {
    /// Makes a pool of connections to the target.
    ///
    /// # Errors
    ///
    /// A [`TransportError`] if the TLS library cannot be set up.
    pub(super) fn new(target: &Target, deadline: Duration) -> Result<Self, TransportError> {
        // This fails where the program has installed another provider before, and that one is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder();
        // Loading the machine's root certificates takes most of a short run's start, and plain HTTP does not need them.
        let builder = match target.tls() {
            Some(tls) => builder.tls_backend_preconfigured(tls.config()),
            None if target.is_tls() => builder,
            None => builder.tls_certs_only([]),
        };
        let client = builder
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .pool_idle_timeout(Duration::from_secs(4))
            .connect_timeout(deadline.mul_f64(CONNECT_SHARE))
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
    fn send(&self, outgoing: Outgoing, maximum: usize) -> LocalBoxFuture<'_, Result<Received, Failure>> {
        self.exchange(outgoing, maximum).boxed_local()
    }
}

/// Returns the failure for an error's cause. There is no proxy here, and no deadline but that of connecting; the caller
/// handles the deadline of the whole exchange and the limit of a body's size.
fn classify(error: &reqwest::Error) -> Failure {
    match Cause::of(error) {
        Cause::Connect(reason) => Failure::Connect { reason },
        Cause::Incomplete => Failure::Incomplete,
        Cause::Resolve => Failure::Resolve,
        Cause::Tls(reason) => Failure::Tls { reason },
        Cause::Deadline | Cause::NotHttp | Cause::Proxy | Cause::Setup | Cause::TooLarge(_) => Failure::NotHttp,
    }
}
