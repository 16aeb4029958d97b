//! Sends requests over HTTP, with `reqwest`. The main type is [`Http`].
//!
//! # Design
//!
//! `reqwest` does not bound a body, so the body is read in pieces up to the limit. hyper bounds the head: 100 headers,
//! about 400 KB. A redirect is a response like any other: a check that follows redirects judges another service. The
//! environment's proxy settings are ignored, because a proxy for plain HTTP would see the token.
//!
//! A service may close an idle connection at any time (RFC 9112, section 9.5), also while a request is on its way
//! there. To the client, that looks like a service that reads a request and does not respond, and neither hyper nor
//! `reqwest` says on which connection a request failed. When a request that may be sent twice gets no response, it is
//! sent once more on a new connection, and from then on every request has a new connection: if that ends early, it is a
//! failure of the service. For a request that must not be sent twice, such as a write, the two cannot be told apart, so
//! the first time this happens it is a failure of its own, [`Failure::ClosedWhenIdle`], which blames nobody. It is
//! rare: a run reads before it writes, and no connection that was idle for longer than [`IDLE`] is used again, which is
//! less than services keep one. A new connection for each write would rule it out, but cost two round trips each over
//! TLS, and all ports of the machine in a soak.
//!
//! A request that says `Connection: close` has a new connection too: a load balancer picks a replica when a connection
//! is opened, and has already picked one for an idle connection.
//!
//! One thing can exceed the deadline for a moment: interim responses (1xx). hyper reads the connection in pieces. It
//! handles all interim responses in one piece, and one piece after the other, until the scheduler makes it yield, which
//! is after 128 pieces of at most 400 KB; no clock is checked meanwhile. `reqwest` offers no way to intervene: its
//! connector's stream is sealed, its requests carry no extensions (where hyper's `on_informational` would be), and the
//! size of a piece cannot be set. Running each exchange on another thread would keep the deadline. On two processors
//! shared with the service, that costs a fifth of the requests per second, with 4 or 32 exchanges under way, because
//! each goes to another thread and back.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::LocalBoxFuture;
use http::header::CONNECTION;

use super::{Channel, Outgoing, Received, TransportError, collect};
use crate::client::cause::Cause;
use crate::exchange::Failure;
use crate::exchange::target::Target;

/// The share of the deadline that connecting may take, TLS included. It is less than all of it, so that a target that
/// cannot be reached is distinguished from one that does not answer.
const CONNECT_SHARE: f64 = 0.9;

/// How long a connection may be idle and still be used again. Common services close theirs after two seconds or more.
const IDLE: Duration = Duration::from_millis(500);

/// Connections to one target.
#[derive(Debug)]
pub(super) struct Http {
    /// Shares connections among requests.
    shared: reqwest::Client,
    /// Opens a connection for each request. It is made when it is first needed, because many runs do without it.
    unpooled: OnceLock<reqwest::Client>,
    /// Whether a response has come, so that there may be a connection that was used before.
    has_response: AtomicBool,
    /// Whether no connection is shared any more, because one was closed.
    stops_sharing: AtomicBool,
    target: Target,
    deadline: Duration,
}

/// Whether a client shares connections among requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    Shared,
    PerRequest,
}

impl Http {
    /// Prepares connections to the target.
    ///
    /// # Errors
    ///
    /// A [`TransportError`] if the TLS library cannot be set up.
    pub(super) fn new(target: &Target, deadline: Duration) -> Result<Self, TransportError> {
        // This fails where the program has installed another provider before, and that one is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let shared = client(target, deadline, Sharing::Shared);
        Ok(Self {
            shared: shared.map_err(|error| TransportError::Client(error.to_string()))?,
            unpooled: OnceLock::new(),
            has_response: AtomicBool::new(false),
            stops_sharing: AtomicBool::new(false),
            target: target.clone(),
            deadline,
        })
    }

    async fn exchange(&self, outgoing: Outgoing, maximum: usize) -> Result<Received, Failure> {
        let response = self.response(outgoing).await?;
        self.has_response.store(true, Ordering::Relaxed);
        let (head, body) = http::Response::<reqwest::Body>::from(response).into_parts();
        let body = collect(body, maximum, |error| classify(&error)).await?;
        Ok(Received {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
        })
    }

    /// Sends a request and returns its response as soon as the head is there. If it may be sent twice and its
    /// connection may have been used before, it is sent again when that connection ends.
    async fn response(&self, outgoing: Outgoing) -> Result<reqwest::Response, Failure> {
        let closes = outgoing.headers.get(CONNECTION).is_some_and(|value| value == "close");
        let mut request = reqwest::Request::new(outgoing.method, outgoing.url);
        *request.headers_mut() = outgoing.headers;
        *request.body_mut() = outgoing.body.map(Into::into);
        if closes || self.stops_sharing.load(Ordering::Relaxed) {
            return send(self.unpooled()?, request).await;
        }
        let again = request.try_clone().filter(|_| outgoing.may_repeat);
        let outcome = send(&self.shared, request).await;
        // This is checked now and not before sending: a request that waits for a new connection also takes one that
        // becomes free meanwhile. Without any response, no connection was used before.
        let may_be_idle = matches!(outcome, Err(Failure::Incomplete)) && self.has_response.load(Ordering::Relaxed);
        if !may_be_idle {
            return outcome;
        }
        self.stops_sharing.store(true, Ordering::Relaxed);
        match again {
            Some(again) => send(self.unpooled()?, again).await,
            None => Err(Failure::ClosedWhenIdle),
        }
    }

    /// Returns the client that opens a connection for each request.
    fn unpooled(&self) -> Result<&reqwest::Client, Failure> {
        if let Some(client) = self.unpooled.get() {
            return Ok(client);
        }
        let client = client(&self.target, self.deadline, Sharing::PerRequest).map_err(|_| Failure::Tls {
            reason: "the library could not be set up again".to_owned(),
        })?;
        Ok(self.unpooled.get_or_init(|| client))
    }
}

fn client(target: &Target, deadline: Duration, sharing: Sharing) -> reqwest::Result<reqwest::Client> {
    let builder = reqwest::Client::builder();
    // Loading the machine's root certificates takes most of a short run's start, and plain HTTP does not need them.
    let builder = match target.tls() {
        Some(tls) => builder.tls_backend_preconfigured(tls.config()),
        None if target.is_tls() => builder,
        None => builder.tls_certs_only([]),
    };
    let builder = match sharing {
        Sharing::Shared => builder.pool_idle_timeout(IDLE),
        Sharing::PerRequest => builder.pool_max_idle_per_host(0),
    };
    builder
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .connect_timeout(deadline.mul_f64(CONNECT_SHARE))
        .build()
}

async fn send(client: &reqwest::Client, request: reqwest::Request) -> Result<reqwest::Response, Failure> {
    client.execute(request).await.map_err(|error| classify(&error))
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::{Arc, Mutex};

    use reqwest::header::{HeaderMap, HeaderValue};
    use reqwest::{Method, Url};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    /// A service that gives one response on each connection, and closes the connection when the next request comes. The
    /// first connections are closed when their first request comes.
    struct Service {
        http: Http,
        url: Url,
        connections: Arc<AtomicUsize>,
        methods: Arc<Mutex<Vec<u8>>>,
    }

    impl Service {
        async fn failing_at_first(failing: usize) -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let base = format!("http://{}", listener.local_addr().unwrap());
            let (connections, methods) = (Arc::<AtomicUsize>::default(), Arc::<Mutex<Vec<u8>>>::default());
            let (opened, received) = (Arc::clone(&connections), Arc::clone(&methods));
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    let fails = opened.fetch_add(1, Ordering::SeqCst) < failing;
                    let received = Arc::clone(&received);
                    tokio::spawn(async move { serve(stream, fails, &received).await.ok() });
                }
            });
            Self {
                http: Http::new(&Target::parse(&base).unwrap(), Duration::from_secs(10)).unwrap(),
                url: Url::parse(&base).unwrap(),
                connections,
                methods,
            }
        }

        async fn send(&self, method: Method) -> Result<u16, Failure> {
            self.send_with(method, HeaderMap::new()).await
        }

        async fn send_with(&self, method: Method, headers: HeaderMap) -> Result<u16, Failure> {
            let outgoing = Outgoing {
                may_repeat: method == Method::GET,
                method,
                url: self.url.clone(),
                headers,
                body: None,
            };
            self.http.send(outgoing, 1 << 10).await.map(|received| received.status)
        }

        /// How many connections were opened, and the first letter of each request.
        fn seen(&self) -> (usize, String) {
            let methods = self.methods.lock().unwrap().clone();
            (
                self.connections.load(Ordering::SeqCst),
                String::from_utf8(methods).unwrap(),
            )
        }
    }

    async fn serve(mut stream: TcpStream, fails: bool, received: &Mutex<Vec<u8>>) -> std::io::Result<()> {
        for answered in [false, true] {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await?);
            }
            received.lock().unwrap().push(head[0]);
            if fails || answered {
                break;
            }
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                .await?;
        }
        Ok(())
    }

    #[tokio::test]
    async fn a_read_on_a_connection_that_was_used_is_sent_again_once_in_all() {
        let service = Service::failing_at_first(0).await;
        for _ in 0..4 {
            assert_eq!(service.send(Method::GET).await, Ok(200));
        }
        // The second came twice, and from then on none came on a connection that was used.
        assert_eq!(service.seen(), (4, "GGGGG".to_owned()));
    }

    #[tokio::test]
    async fn a_read_on_the_first_connection_is_not_sent_again() {
        let service = Service::failing_at_first(1).await;
        assert_eq!(service.send(Method::GET).await, Err(Failure::Incomplete));
        assert_eq!(service.seen(), (1, "G".to_owned()));
    }

    #[tokio::test]
    async fn a_request_that_closes_its_connection_has_a_new_one_while_another_is_idle() {
        let service = Service::failing_at_first(0).await;
        assert_eq!(service.send(Method::GET).await, Ok(200));
        for method in [Method::GET, Method::POST] {
            let headers = HeaderMap::from_iter([(CONNECTION, HeaderValue::from_static("close"))]);
            assert_eq!(service.send_with(method, headers).await, Ok(200));
        }
        assert_eq!(service.seen(), (3, "GGP".to_owned()));
        // The others still share theirs.
        assert_eq!(service.send(Method::POST).await, Err(Failure::ClosedWhenIdle));
        assert_eq!(service.seen(), (3, "GGPP".to_owned()));
    }

    #[tokio::test]
    async fn a_write_is_sent_once_and_on_a_new_connection_after_one_was_closed() {
        let service = Service::failing_at_first(0).await;
        for method in [Method::GET, Method::GET, Method::POST, Method::PUT] {
            assert_eq!(service.send(method).await, Ok(200));
        }
        assert_eq!(service.seen(), (4, "GGGPP".to_owned()));
        let service = Service::failing_at_first(0).await;
        assert_eq!(service.send(Method::GET).await, Ok(200));
        assert_eq!(service.send(Method::POST).await, Err(Failure::ClosedWhenIdle));
        assert_eq!(service.seen(), (1, "GP".to_owned()));
        // The next one has a new connection.
        assert_eq!(service.send(Method::POST).await, Ok(200));
        assert_eq!(service.seen(), (2, "GPP".to_owned()));
        let service = Service::failing_at_first(1).await;
        assert_eq!(service.send(Method::POST).await, Err(Failure::Incomplete));
        assert_eq!(service.seen(), (1, "P".to_owned()));
    }
}
