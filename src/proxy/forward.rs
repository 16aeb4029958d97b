//! Passes requests on and responses back. The main function is [`serve`].

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, TE, TRANSFER_ENCODING};
use http::{Method, Request, Response, StatusCode, Uri, Version};
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use reqwest::Url;
use tokio::net::TcpListener;

use super::copy::CopyingBody;
use super::head::{add_upgrade, has_other_transfer_coding, remove_connection_headers};
use super::queue::{ExchangeUnderWay, Queue};
use super::upstream::{Upstream, UpstreamConnection};
use crate::exchange::Target;
use crate::listen::{self, Busy, Options};
use crate::traffic::RequestLine;

/// The limits of the clients' connections. Clients may stay idle here for longer than most servers allow. If the target
/// closes its connection meanwhile, a new one is opened.
const OPTIONS: Options = Options {
    max_connections: 2048,
    head_timeout: Duration::from_secs(120),
    max_head_bytes: 400 << 10,
    grace: Duration::from_secs(5),
    sends_headers_unchanged: true,
};

/// The body of a response: the target's, or one of the proxy's own.
type ProxyBody = Either<CopyingBody, Full<Bytes>>;

/// Where requests are passed on to.
#[derive(Clone)]
pub(crate) struct Forwarder {
    target: Target,
    upstream: Upstream,
    queue: Arc<Queue>,
}

impl Forwarder {
    /// Prepares to pass requests on to the target; what passes goes into the queue.
    ///
    /// # Errors
    ///
    /// Fails if the TLS library cannot be set up, or if no request can name the target's origin.
    pub(crate) fn new(target: Target, queue: Arc<Queue>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let upstream = Upstream::new(&target)?;
        Ok(Self {
            target,
            upstream,
            queue,
        })
    }
}

/// Passes on what comes to `listener` until `shutdown` is ready, then lets responses in flight finish.
///
/// # Errors
///
/// Fails with [`io::ErrorKind::TimedOut`] when connections were still open 5 seconds after `shutdown`.
pub(crate) async fn serve(
    listener: TcpListener,
    forwarder: Forwarder,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let service = || {
        let (forwarder, connection) = (forwarder.clone(), Arc::new(UpstreamConnection::default()));
        service_fn(move |request| {
            let (forwarder, connection) = (forwarder.clone(), Arc::clone(&connection));
            async move { Ok::<_, Infallible>(forwarder.forward(request, &connection).await) }
        })
    };
    listen::run(listener, service, OPTIONS, shutdown).await
}

impl Forwarder {
    async fn forward(&self, request: Request<Incoming>, connection: &UpstreamConnection) -> Response<ProxyBody> {
        if request.method() == Method::CONNECT || request.uri().authority().is_some() {
            return proxy_response(
                StatusCode::MISDIRECTED_REQUEST,
                "this is a reverse proxy: set your client's base URL to it, not your client's proxy",
            );
        }
        if has_other_transfer_coding(request.headers()) {
            return proxy_response(
                StatusCode::NOT_IMPLEMENTED,
                "the only transfer coding that passes is `chunked`",
            );
        }
        let (mut parts, body) = request.into_parts();
        let under_way = self.begin(&parts.method, &parts.uri, &parts.headers);
        let is_chunked = parts.headers.contains_key(TRANSFER_ENCODING);
        let protocol = remove_connection_headers(&mut parts.headers);
        // A request with no `Host`, or with several, is for the target to reject (RFC 9112, section 3.2).
        match parts.headers.get_all(HOST).iter().count() {
            0 if parts.version >= Version::HTTP_11 => {}
            0 | 1 => drop(parts.headers.insert(HOST, self.upstream.host.clone())),
            _ => {}
        }
        if is_chunked {
            // Otherwise hyper sends no body with a GET.
            parts
                .headers
                .insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
        }
        parts.version = Version::HTTP_11;
        let client = parts.extensions.remove::<hyper::upgrade::OnUpgrade>();
        // While this lives, `listen` does not close the client's connection as idle.
        let busy = parts.extensions.remove::<Arc<Busy>>();
        if let Some(protocol) = protocol {
            add_upgrade(&mut parts.headers, protocol);
        }
        if parts.headers.contains_key(TE) {
            // `TE` is about one connection, so `Connection` names it (RFC 9110, section 10.1.4).
            parts.headers.append(CONNECTION, HeaderValue::from_static("TE"));
        }
        let request = Request::from_parts(parts, CopyingBody::request(body, under_way.as_ref()));
        match connection.send(&self.upstream, request).await {
            Ok(response) if has_other_transfer_coding(response.headers()) => {
                self.queue.count_bad_gateway();
                proxy_response(
                    StatusCode::BAD_GATEWAY,
                    "the response has a transfer coding other than `chunked`",
                )
            }
            Ok(response) => relay_response(response, client.zip(busy), under_way.as_ref()),
            Err(cause) => {
                self.queue.count_bad_gateway();
                let why = format!("no response from {}: {cause}", self.target.origin());
                proxy_response(StatusCode::BAD_GATEWAY, &why)
            }
        }
    }

    /// Begins an exchange; `None` where it is not judged.
    fn begin(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Arc<ExchangeUnderWay>> {
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let request_line = RequestLine {
            method: method.to_string(),
            url: Url::parse(&format!("{}{path}", self.target.origin())).ok()?,
            started: self.queue.now(),
            elapsed: None,
        };
        self.queue.begin(request_line, headers).map(Arc::new)
    }
}

/// Passes a response back.
fn relay_response(
    mut response: Response<Incoming>,
    client: Option<(hyper::upgrade::OnUpgrade, Arc<Busy>)>,
    under_way: Option<&Arc<ExchangeUnderWay>>,
) -> Response<ProxyBody> {
    if let Some(under_way) = under_way {
        under_way.keep_response_head(response.status().as_u16(), response.headers());
    }
    let protocol = remove_connection_headers(response.headers_mut());
    if response.status() == StatusCode::SWITCHING_PROTOCOLS
        && let (Some(client), Some(protocol)) = (client, protocol)
    {
        add_upgrade(response.headers_mut(), protocol);
        tokio::spawn(tunnel(client, hyper::upgrade::on(&mut response)));
    }
    *response.version_mut() = Version::HTTP_11;
    response.map(|body| Either::Left(CopyingBody::response(body, under_way)))
}

/// Passes on what both sides say in another protocol, until one of them ends. The client's connection is busy until
/// then.
async fn tunnel((client, _busy): (hyper::upgrade::OnUpgrade, Arc<Busy>), target: hyper::upgrade::OnUpgrade) {
    if let (Ok(client), Ok(target)) = tokio::join!(client, target) {
        let (mut client, mut target) = (TokioIo::new(client), TokioIo::new(target));
        // Whichever side ended it knows why.
        let _ = tokio::io::copy_bidirectional(&mut client, &mut target).await;
    }
}

/// Makes a response of the proxy itself.
fn proxy_response(status: StatusCode, why: &str) -> Response<ProxyBody> {
    let mut response = Response::new(Either::Right(Full::from(format!("countersign proxy: {why}\n"))));
    *response.status_mut() = status;
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    response
}
