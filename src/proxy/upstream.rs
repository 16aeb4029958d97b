//! Connections to the target, one for each connection of a client. The main types are [`Upstream`] and
//! [`UpstreamConnection`].
//!
//! # Design
//!
//! A pool that all clients share would send a request over a connection that the target is about to close, although the
//! client's own connection would have stayed open. So what one client sends goes over one connection, and a new one is
//! opened where the target has closed it.

use std::error::Error;
use std::time::Duration;

use http::uri::{Authority, Scheme};
use http::{HeaderValue, Request, Response, Uri};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::ClientConfig;
use rustls_platform_verifier::ConfigVerifierExt as _;
use tokio::sync::Mutex;
use tower_service::Service as _;

use super::copy::CopyingBody;
use crate::client::cause::Cause;
use crate::exchange::Target;
use crate::listen::MAX_HEADERS;

/// How long opening a TCP connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Where requests go.
#[derive(Clone)]
pub(super) struct Upstream {
    connector: HttpsConnector<HttpConnector>,
    /// The origin.
    uri: Uri,
    /// What `Host` says.
    pub(super) host: HeaderValue,
}

impl Upstream {
    /// Prepares connections to the target. Over TLS, they trust the configured certificates, or else the machine's.
    ///
    /// # Errors
    ///
    /// Why the TLS library cannot be set up, or the target's host cannot be in a header.
    pub(super) fn new(target: &Target) -> Result<Self, Box<dyn Error + Send + Sync>> {
        // This fails where another provider was installed before, and that one is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let origin: Uri = target.origin().parse()?;
        let is_tls = origin.scheme() == Some(&Scheme::HTTPS);
        let config = match target.tls() {
            Some(tls) => tls.config(),
            None if is_tls => ClientConfig::with_platform_verifier()?,
            // Reading the machine's root certificates takes time, and plain HTTP does not need them.
            None => ClientConfig::builder()
                .with_root_certificates(rustls::RootCertStore::empty())
                .with_no_client_auth(),
        };
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(config)
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        let host = origin.authority().map_or("", Authority::as_str);
        Ok(Self {
            connector,
            host: HeaderValue::from_str(host)?,
            uri: origin,
        })
    }

    async fn connect(&self) -> Result<SendRequest<CopyingBody>, Cause> {
        let mut connector = self.connector.clone();
        let opened = std::future::poll_fn(|context| connector.poll_ready(context)).await;
        let opened = match opened {
            Ok(()) => connector.call(self.uri.clone()).await,
            Err(error) => Err(error),
        };
        let stream = opened.map_err(|error| Cause::of_connecting(error.as_ref()))?;
        let (sender, connection) = http1::Builder::new()
            .preserve_header_case(true)
            .max_headers(MAX_HEADERS)
            .handshake(stream)
            .await
            .map_err(|_| Cause::Incomplete)?;
        tokio::spawn(async move {
            // What went wrong is known where the request was sent.
            let _ = connection.with_upgrades().await;
        });
        Ok(sender)
    }
}

/// The connection to the target that belongs to one connection of a client.
#[derive(Default)]
pub(super) struct UpstreamConnection(Mutex<Option<SendRequest<CopyingBody>>>);

impl UpstreamConnection {
    /// Sends a request and returns the head of its response, with a body that is still coming.
    ///
    /// # Errors
    ///
    /// Why there is no response. The request may have been processed unless the cause is one of connecting.
    pub(super) async fn send(
        &self,
        upstream: &Upstream,
        request: Request<CopyingBody>,
    ) -> Result<Response<Incoming>, Cause> {
        let mut sender = self.0.lock().await;
        let mut request = request;
        if let Some(open) = sender.as_mut()
            && open.ready().await.is_ok()
        {
            match open.try_send_request(request).await {
                Ok(response) => return Ok(response),
                Err(mut error) => match error.take_message() {
                    // The target has closed the connection, and nothing of the request was sent.
                    Some(unsent) => request = unsent,
                    None => return Err(cause(&error.into_error())),
                },
            }
        }
        let fresh = sender.insert(upstream.connect().await?);
        fresh.send_request(request).await.map_err(|error| cause(&error))
    }
}

fn cause(error: &hyper::Error) -> Cause {
    if error.is_parse() || error.is_parse_too_large() {
        Cause::NotHttp
    } else {
        Cause::Incomplete
    }
}
