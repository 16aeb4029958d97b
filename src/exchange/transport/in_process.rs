//! Sends requests to a service in this process, a `tower` service such as axum's router. The main type is
//! [`InProcess`].
//!
//! # Design
//!
//! The service gets what an HTTP server would pass to it, and the check gets what a client would see of its response,
//! so that a check finds the same either way. The request names its host in a header and only its path and query in its
//! request target. A response to HEAD and one with 204 or 304 has no body (RFC 9112, section 6.3). A body that is
//! shorter than its `Content-Length` or that fails, an error of the service and a panic all count as a connection that
//! ended too early. The head is bounded as hyper bounds one.
//!
//! The service runs on the thread that judges. What it awaits ends with the deadline; a handler that keeps the thread
//! without awaiting anything also stops the check, and no clock helps there. On a paused clock (`tokio::time::pause`)
//! the runtime advances the clock whenever nothing is ready, and so also while a handler waits for another thread or
//! for a socket: such a service needs a running clock, and so does one that reads the machine's.

use std::fmt;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use http_body::{Frame, SizeHint};
use reqwest::header::{CONTENT_LENGTH, HOST, HeaderMap, HeaderValue};
use reqwest::{Method, StatusCode, Url};

use super::{Channel, Outgoing, Received, collect};
use crate::exchange::Failure;

/// The maximum number of headers in a response, the same as in hyper's client.
const MAX_HEADERS: usize = 100;
/// The maximum number of bytes in their names and values, the same as in hyper's client.
const MAX_HEAD: usize = 8192 + 4096 * 100;

/// The body of a request to a service in this process, in one piece.
#[derive(Debug, Default)]
pub struct RequestBody(Option<Bytes>);

impl http_body::Body for RequestBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

/// A way to a service in this process.
pub(super) struct InProcess<S> {
    /// Cloned for each request; the service need not be `Sync`.
    service: Mutex<S>,
}

impl<S> fmt::Debug for InProcess<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("InProcess")
    }
}

impl<S, B> InProcess<S>
where
    S: tower_service::Service<http::Request<RequestBody>, Response = http::Response<B>> + Clone,
    B: http_body::Body,
{
    pub(super) fn new(service: S) -> Self {
        Self {
            service: Mutex::new(service),
        }
    }

    async fn exchange(&self, outgoing: Outgoing, maximum: usize) -> Result<Received, Failure> {
        let bodiless = outgoing.method == Method::HEAD;
        let request = request(outgoing)?;
        let mut service = self.service.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let incomplete = |_| Failure::Incomplete;
        poll_fn(|context| service.poll_ready(context))
            .await
            .map_err(incomplete)?;
        let (mut head, body) = service.call(request).await.map_err(incomplete)?.into_parts();
        trim(&mut head.headers);
        if head.status.is_informational() || is_too_large(&head.headers) {
            return Err(Failure::NotHttp);
        }
        let bodiless = bodiless || matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
        let body = if bodiless {
            Bytes::new()
        } else {
            framed(&head.headers, collect(body, maximum, |_| Failure::Incomplete).await?)?
        };
        Ok(Received {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
        })
    }
}

impl<S, B> Channel for InProcess<S>
where
    S: tower_service::Service<http::Request<RequestBody>, Response = http::Response<B>> + Clone + Send,
    B: http_body::Body + 'static,
{
    fn send(&self, outgoing: Outgoing, maximum: usize) -> LocalBoxFuture<'_, Result<Received, Failure>> {
        // A server drops the connection of a handler that panics, and continues.
        let exchange = AssertUnwindSafe(self.exchange(outgoing, maximum)).catch_unwind();
        exchange
            .map(|outcome| outcome.unwrap_or(Err(Failure::Incomplete)))
            .boxed_local()
    }
}

/// Makes the request as a server passes it on.
fn request(outgoing: Outgoing) -> Result<http::Request<RequestBody>, Failure> {
    let body = RequestBody(outgoing.body.filter(|body| !body.is_empty()));
    let mut request = http::Request::new(body);
    *request.method_mut() = outgoing.method;
    *request.uri_mut() = path(&outgoing.url).parse().map_err(|_| Failure::NotHttp)?;
    *request.headers_mut() = outgoing.headers;
    let length = http_body::Body::size_hint(request.body())
        .exact()
        .filter(|length| *length > 0);
    if let Some(length) = length {
        request.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    let host = HeaderValue::from_str(outgoing.url.authority()).map_err(|_| Failure::NotHttp)?;
    request.headers_mut().insert(HOST, host);
    trim(request.headers_mut());
    Ok(request)
}

/// Returns the path and the query, which a request sends as its target (RFC 9112, section 3.2.1).
fn path(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

/// Removes the spaces around values, which are not part of them on the wire (RFC 9112, section 5).
fn trim(headers: &mut HeaderMap) {
    for value in headers.values_mut() {
        let trimmed = value.as_bytes().trim_ascii();
        if trimmed.len() < value.len()
            && let Ok(mut trimmed) = HeaderValue::from_bytes(trimmed)
        {
            trimmed.set_sensitive(value.is_sensitive());
            *value = trimmed;
        }
    }
}

fn is_too_large(headers: &HeaderMap) -> bool {
    let sizes = headers.iter().map(|(name, value)| name.as_str().len() + value.len());
    headers.len() > MAX_HEADERS || sizes.sum::<usize>() > MAX_HEAD
}

/// Cuts the body to its `Content-Length`, as a client would; a shorter body was cut off.
fn framed(headers: &HeaderMap, body: Bytes) -> Result<Bytes, Failure> {
    let Some(length) = headers.get(CONTENT_LENGTH) else {
        return Ok(body);
    };
    let length = length.to_str().ok().and_then(|length| length.parse::<usize>().ok());
    match length.ok_or(Failure::NotHttp)? {
        length if length > body.len() => Err(Failure::Incomplete),
        length => Ok(body.slice(..length)),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io::Write as _;
    use std::time::Duration;

    use axum::body::Body;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use futures::StreamExt as _;
    use http::{Request, Response};
    use tokio::time::Instant;
    use tower::service_fn;

    use crate::client::Token;

    use crate::contract::operation::SecurityScheme;
    use crate::exchange::{self, Content, Credential, Failure, Limits, RequestBody, Transport};

    const LIMITS: Limits = Limits {
        deadline: Duration::from_secs(10),
        body: 1 << 20,
    };

    /// Returns the outcome of a request to a service with this handler.
    async fn outcome_of_request<Answering>(
        response: impl Fn(Request<RequestBody>) -> Answering + Clone + Send + 'static,
    ) -> Result<exchange::Response, Failure>
    where
        Answering: Future<Output = Result<Response<Body>, ()>> + 'static,
    {
        let contract = crate::testing::built_in();
        let operation = contract.operation_named("createTag").unwrap();
        let mut request =
            exchange::Request::unfilled(operation, contract.operation(operation)).with_query_pair("of", "a&b");
        request.body = Some(Content::Raw("{}".to_owned()));
        request.credential = Credential::Token {
            scheme: SecurityScheme::Bearer,
        };
        request.headers = vec![("X-Blank".to_owned(), " a b ".to_owned())];
        let token = Some(Token::new("a-token").unwrap());
        let transport = Transport::in_process(service_fn(response), token, String::new(), LIMITS);
        transport.send(&request, &|| Duration::ZERO).await
    }

    /// Returns the outcome for a response.
    async fn answered(
        response: impl Fn() -> Response<Body> + Clone + Send + 'static,
    ) -> Result<exchange::Response, Failure> {
        outcome_of_request(move |_| std::future::ready(Ok(response()))).await
    }

    fn with(name: &str, value: &str, body: impl Into<Body>) -> Response<Body> {
        Response::builder().header(name, value).body(body.into()).unwrap()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[tokio::test]
    async fn a_service_gets_what_a_server_would_hand_it() {
        let response = outcome_of_request(async |request: Request<RequestBody>| {
            let header = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
            assert_eq!(
                (request.method().as_str(), request.uri().to_string().as_str()),
                ("POST", "/organization/v1/tags?of=a%26b")
            );
            assert_eq!(
                (header("host"), header("content-length")),
                ("in-process.localhost".to_owned(), "2".to_owned())
            );
            assert_eq!(
                (header("authorization"), header("content-type")),
                ("Bearer a-token".to_owned(), "application/json".to_owned())
            );
            assert!(header("user-agent").starts_with("countersign/") && header("accept-encoding") == "gzip");
            assert_eq!(header("x-blank"), "a b");
            let body = axum::body::to_bytes(Body::new(request.into_body()), 10).await.unwrap();
            Ok(Response::builder()
                .status(201)
                .header("X-Is", "there ")
                .body(Body::from(body))
                .unwrap())
        });
        let response = response.await.unwrap();
        assert_eq!(
            (
                response.status,
                &*response.body,
                response.headers["x-is"].to_str().unwrap()
            ),
            (201, &b"{}"[..], "there")
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_deadline_holds_for_the_service_and_for_its_body() {
        let over = Failure::Deadline { after: LIMITS.deadline };
        let started = Instant::now();
        assert_eq!(outcome_of_request(|_| std::future::pending()).await.unwrap_err(), over);
        assert_eq!(started.elapsed(), LIMITS.deadline);
        let silent = || {
            Response::new(Body::from_stream(
                futures::stream::pending::<Result<Vec<u8>, Infallible>>(),
            ))
        };
        assert_eq!(answered(silent).await.unwrap_err(), over);
    }

    #[tokio::test]
    async fn a_body_of_endless_empty_pieces_has_the_deadline_and_no_more() {
        let endless = || {
            Response::new(Body::from_stream(futures::stream::repeat(Ok::<_, Infallible>(
                Vec::new(),
            ))))
        };
        let within = tokio::time::timeout(Duration::from_millis(20), answered(endless));
        assert!(within.await.is_err(), "others have their turn");
    }

    #[tokio::test]
    async fn a_body_has_the_cap_before_decoding_and_after_it() {
        let too_large = Failure::TooLarge { maximum: LIMITS.body };
        let endless = || {
            Response::new(Body::from_stream(futures::stream::repeat(Ok::<_, Infallible>(
                vec![b' '; 1000],
            ))))
        };
        assert_eq!(answered(endless).await.unwrap_err(), too_large);
        let bomb = gzip(&vec![b' '; LIMITS.body + 1]);
        assert_eq!(
            answered(move || with("content-encoding", "gzip", bomb.clone()))
                .await
                .unwrap_err(),
            too_large
        );
        let whole = vec![b' '; LIMITS.body];
        let packed = gzip(&whole);
        let response = answered(move || with("content-encoding", "gzip", packed.clone()))
            .await
            .unwrap();
        assert_eq!(response.body, whole);
        assert!(!response.headers.contains_key("content-encoding"));
    }

    #[tokio::test]
    async fn a_body_is_compressed_if_a_coding_was_removed_whatever_the_head_names() {
        let packed = gzip(b"[]");
        let response = answered(move || with("content-encoding", "gzip", packed.clone())).await;
        assert!(response.unwrap().was_compressed);
        for name in ["identity", "utf-8"] {
            let response = answered(move || with("content-encoding", name, "[]")).await;
            assert!(!response.unwrap().was_compressed, "{name}");
        }
    }

    #[tokio::test]
    async fn what_ends_a_connection_is_a_response_that_is_cut() {
        assert_eq!(
            outcome_of_request(async |_| Err(())).await.unwrap_err(),
            Failure::Incomplete
        );
        assert_eq!(
            outcome_of_request(async |_| panic!("as the test asks"))
                .await
                .unwrap_err(),
            Failure::Incomplete
        );
        let broken = || {
            let pieces = [Ok("{"), Err(std::io::Error::other("gone"))];
            Response::new(Body::from_stream(futures::stream::iter(pieces).boxed()))
        };
        assert_eq!(answered(broken).await.unwrap_err(), Failure::Incomplete);
        assert_eq!(
            answered(|| with("content-length", "3", "{}")).await.unwrap_err(),
            Failure::Incomplete
        );
        assert_eq!(
            answered(|| with("content-length", "2", "{}{")).await.unwrap().body,
            "{}"
        );
    }

    #[tokio::test]
    async fn a_head_is_held_to_what_http_carries() {
        let many = |count: usize| {
            let mut response = Response::new(Body::empty());
            for number in 0..count {
                let name = format!("x-{number}").parse::<http::HeaderName>().unwrap();
                response.headers_mut().insert(name, "1".parse().unwrap());
            }
            response
        };
        assert!(answered(move || many(100)).await.is_ok());
        assert_eq!(answered(move || many(101)).await.unwrap_err(), Failure::NotHttp);
        assert_eq!(
            answered(|| with("x-long", &"x".repeat(500_000), "")).await.unwrap_err(),
            Failure::NotHttp
        );
        let status = |status: u16| move || Response::builder().status(status).body(Body::from("{}")).unwrap();
        assert_eq!(answered(status(103)).await.unwrap_err(), Failure::NotHttp);
        for bodiless in [204, 304] {
            assert!(answered(status(bodiless)).await.unwrap().body.is_empty(), "{bodiless}");
        }
        assert_eq!(answered(status(200)).await.unwrap().body, "{}");
    }
}
