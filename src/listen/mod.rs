//! Accepts connections and serves HTTP/1.1 on them, for the reference service and for the proxy. It knows nothing of
//! what it serves.
//!
//! - **In**: a listener, a hyper service for each connection, [`Options`], and a future that resolves when it is time
//!   to stop.
//! - **Out**: responses.
//! - **Start with** [`run`].
//!
//! # Design
//!
//! `axum::serve` sets no timer, so a client that never finishes its head would hold a connection forever, and it does
//! not limit connections. This loop uses hyper with that timer set, and [`Connections`] sets the limit.

mod connections;

use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use self::connections::{Connections, Slot};

pub(crate) use self::connections::Busy;

/// How long to wait before the next accept when the process has no room for another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The maximum number of lines in a head. Hyper's default, 100, is less than what some services take. The parser makes
/// room for all of them, 64 bytes for each, while it reads a head.
pub(crate) const MAX_HEADERS: usize = 1000;

/// How a listener treats its connections: their limits, and how responses are sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// The maximum number of connections at a time.
    pub(crate) max_connections: usize,
    /// How long a client may take for the head of a request, idle time between two requests included.
    pub(crate) head_timeout: Duration,
    /// The maximum size of a head, in bytes; hyper answers 431 beyond that.
    pub(crate) max_head_bytes: usize,
    /// How long responses in flight may take once serving is to stop, and the rest of a response once its connection is
    /// to make room for another.
    pub(crate) grace: Duration,
    /// Whether responses are sent as they are: header names keep their capitals, and no `Date` is added.
    pub(crate) sends_headers_unchanged: bool,
}

/// Serves `listener` until `shutdown` is ready, then lets responses in flight finish. `service` makes the service of a
/// new connection; the extensions of a request hold its [`Busy`], in an `Arc`, for a service that goes on in another
/// protocol.
///
/// # Errors
///
/// Fails with [`io::ErrorKind::TimedOut`] when connections were still open [`Options::grace`] after `shutdown`: with a
/// response in flight, or a first head that had not arrived whole.
pub(crate) async fn run<S, B>(
    listener: TcpListener,
    service: impl Fn() -> S,
    options: Options,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()>
where
    S: Service<Request<Incoming>, Response = Response<B>, Future: Send> + Send + Sync + 'static,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static,
{
    // Each connection has a receiver until it ends.
    let (stop, stopping) = watch::channel(());
    let connections = Connections::new(options.max_connections);
    let mut shutdown = pin!(shutdown);
    loop {
        let next = async {
            let (stream, _) = listener.accept().await?;
            Ok((stream, connections.slot().await))
        };
        tokio::select! {
            next = next => match next {
                Ok((stream, slot)) => {
                    tokio::spawn(serve(stream, service(), (slot, options), stopping.clone()));
                }
                Err(error) => recover(&error, &connections).await,
            },
            () = &mut shutdown => break,
        }
    }
    drop((listener, stopping));
    // Without a receiver there is nobody to tell.
    let _ = stop.send(());
    tokio::time::timeout(options.grace, stop.closed())
        .await
        .map_err(|_| io::ErrorKind::TimedOut.into())
}

async fn serve<S, B>(
    stream: TcpStream,
    service: S,
    (slot, options): (Arc<Slot>, Options),
    mut stopping: watch::Receiver<()>,
) where
    S: Service<Request<Incoming>, Response = Response<B>, Future: Send> + Send + Sync + 'static,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static,
{
    // Waiting for more to send would only delay what is there.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let service = Arc::new(service);
    let tracked = service_fn(|mut request: Request<Incoming>| {
        let (slot, service) = (slot.clone(), service.clone());
        async move {
            let busy = Arc::new(slot.begin());
            request.extensions_mut().insert(Arc::clone(&busy));
            let response = service.call(request).await?;
            Ok::<_, S::Error>(response.map(|body| BusyBody { body, _busy: busy }))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(options.head_timeout)
        .max_buf_size(options.max_head_bytes)
        .max_headers(MAX_HEADERS)
        .preserve_header_case(options.sends_headers_unchanged)
        .auto_date_header(!options.sends_headers_unchanged)
        .serve_connection(TokioIo::new(stream), tracked)
        .with_upgrades();
    let mut connection = pin!(connection);
    loop {
        tokio::select! {
            // The connection is polled first, so that what the client takes at once is sent before it is closed.
            biased;
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended early");
                }
                return;
            }
            Ok(()) = stopping.changed() => connection.as_mut().graceful_shutdown(),
            () = slot.close_requested() => {
                // A request arrived at the same moment: another connection makes room.
                if slot.is_busy() {
                    continue;
                }
                tracing::debug!("an idle connection makes room for another");
                connection.as_mut().graceful_shutdown();
                // A head that is still arriving is not waited for.
                if slot.has_begun() {
                    let _ = tokio::time::timeout(options.grace, connection).await;
                }
                return;
            }
        }
    }
}

/// Waits where trying again at once would only spin. A connection that was reset affects no other, but a process that
/// is out of file descriptors only gets one back by closing an idle connection: on any other error, the one that has
/// been idle for longest is closed.
async fn recover(error: &io::Error, connections: &Connections) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        tracing::warn!(%error, "cannot accept a connection");
        connections.close_longest_idle();
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}

/// The body of a response, which keeps its connection busy until it ends.
struct BusyBody<B> {
    body: B,
    _busy: Arc<Busy>,
}

impl<B: Body + Unpin> Body for BusyBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::mpsc;

    use super::*;

    const OPTIONS: Options = Options {
        max_connections: 1,
        head_timeout: Duration::from_secs(60),
        max_head_bytes: 32 << 10,
        grace: Duration::from_secs(60),
        sends_headers_unchanged: true,
    };

    /// A connection to a service, after the client has sent a request, and the other connections of the listener.
    async fn connected<S>(service: S, request: &[u8]) -> (TcpStream, Connections)
    where
        S: Service<Request<Incoming>, Response = Response<String>, Error = Infallible, Future: Send>
            + Send
            + Sync
            + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let connections = Connections::new(OPTIONS.max_connections);
        let slot = connections.slot().await;
        let (stream, _) = listener.accept().await.unwrap();
        let (stop, stopping) = watch::channel(());
        tokio::spawn(async move {
            serve(stream, service, (slot, OPTIONS), stopping).await;
            drop(stop);
        });
        client.write_all(request).await.unwrap();
        (client, connections)
    }

    async fn closed_once_idle(connections: &Connections) {
        while !connections.close_longest_idle() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_client_that_reads_slowly_gets_the_whole_response_although_its_connection_makes_room() {
        // More than the sockets hold.
        const SIZE: usize = 64 << 20;
        let large = service_fn(|_| async { Ok(Response::new("a".repeat(SIZE))) });
        let (mut client, connections) = connected(large, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await;
        let mut received = vec![0];
        client.read_exact(&mut received).await.unwrap();
        closed_once_idle(&connections).await;
        client.read_to_end(&mut received).await.unwrap();
        let head = received.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        assert_eq!(received.len() - head - 4, SIZE);
        drop(connections.slot().await);
    }

    #[tokio::test]
    async fn a_request_that_arrives_as_its_connection_is_chosen_to_make_room_is_answered() {
        const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na";
        let slow = service_fn(|_| async {
            // The response is not there yet when the connection is asked to close.
            tokio::task::yield_now().await;
            Ok::<_, Infallible>(Response::new("a".to_owned()))
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let connections = Connections::new(OPTIONS.max_connections);
        let slot = connections.slot().await;
        let stream = listener.accept().await.unwrap().0.into_std().unwrap();
        let watched = TcpStream::from_std(stream.try_clone().unwrap()).unwrap();
        let (_stop, stopping) = watch::channel(());
        let stream = TcpStream::from_std(stream).unwrap();
        let mut serving = pin!(serve(stream, slow, (slot, OPTIONS), stopping));
        for _ in 0..2 {
            client.write_all(REQUEST).await.unwrap();
            // The connection is not polled until the request has arrived.
            watched.peek(&mut [0]).await.unwrap();
            // Then the runtime learns that it has.
            tokio::task::yield_now().await;
            assert!(connections.close_longest_idle());
            let mut received = vec![0; RESPONSE.len()];
            tokio::select! {
                () = serving.as_mut() => panic!("the connection is closed"),
                read = client.read_exact(&mut received) => { read.unwrap(); }
            }
            assert_eq!(String::from_utf8_lossy(&received), String::from_utf8_lossy(RESPONSE));
        }
        assert!(connections.close_longest_idle());
        drop(watched);
        serving.await;
        assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn a_head_that_is_still_arriving_is_not_waited_for() {
        let none = service_fn(|_| async { Ok(Response::new(String::new())) });
        let (mut client, connections) = connected(none, b"GET / HTTP/1.1\r\nHost").await;
        closed_once_idle(&connections).await;
        assert!(matches!(client.read(&mut [0]).await, Ok(0) | Err(_)));
        drop(connections.slot().await);
    }

    #[tokio::test]
    async fn a_connection_that_goes_on_in_another_protocol_takes_room_until_that_ends() {
        let (sender, mut upgraded) = mpsc::unbounded_channel();
        let upgrading = service_fn(move |mut request: Request<Incoming>| {
            let busy = request.extensions_mut().remove::<Arc<Busy>>();
            sender.send((hyper::upgrade::on(request), busy)).unwrap();
            let response = Response::builder().status(101).header("upgrade", "a");
            std::future::ready(Ok(response
                .header("connection", "upgrade")
                .body(String::new())
                .unwrap()))
        });
        let request = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\n";
        let (_client, connections) = connected(upgrading, request).await;
        let (upgrade, busy) = upgraded.recv().await.unwrap();
        let upgraded = upgrade.await.unwrap();
        let mut next = pin!(connections.slot());
        for _ in 0..100 {
            tokio::task::yield_now().await;
            assert!(futures::poll!(next.as_mut()).is_pending());
        }
        drop((upgraded, busy));
        drop(next.await);
    }
}
