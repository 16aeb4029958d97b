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

use self::connections::{Busy, Connections, Slot};

/// How long to wait before the next accept when the process has no room for another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How a listener treats its connections: their limits, and how responses are sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// The maximum number of connections at a time.
    pub(crate) max_connections: usize,
    /// How long a client may take for the head of a request, idle time between two requests included.
    pub(crate) head_timeout: Duration,
    /// The maximum size of a head, in bytes; hyper answers 431 beyond that.
    pub(crate) max_head_bytes: usize,
    /// How long responses in flight may take once serving is to stop.
    pub(crate) grace: Duration,
    /// Whether responses are sent as they are: header names keep their capitals, and no `Date` is added.
    pub(crate) sends_headers_unchanged: bool,
}

/// Serves `listener` until `shutdown` is ready, then lets responses in flight finish. `service` makes the service of a
/// new connection.
///
/// # Errors
///
/// Fails with [`io::ErrorKind::TimedOut`] when responses in flight were not finished within [`Options::grace`] after
/// `shutdown`.
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
    // Responses are written whole: waiting for more to send would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let service = Arc::new(service);
    let tracked = service_fn(|request: Request<Incoming>| {
        let (slot, service) = (slot.clone(), service.clone());
        async move {
            // A request on a connection that is about to be closed gets no response.
            let Some(busy) = slot.begin() else {
                return std::future::pending().await;
            };
            let response = service.call(request).await?;
            Ok::<_, S::Error>(response.map(|body| BusyBody { body, _busy: busy }))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(options.head_timeout)
        .max_buf_size(options.max_head_bytes)
        .preserve_header_case(options.sends_headers_unchanged)
        .auto_date_header(!options.sends_headers_unchanged)
        .serve_connection(TokioIo::new(stream), tracked)
        .with_upgrades();
    let mut connection = pin!(connection);
    loop {
        tokio::select! {
            // The connection is polled first, so that what is left of a response is sent before it is closed.
            biased;
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended early");
                }
                return;
            }
            Ok(()) = stopping.changed() => connection.as_mut().graceful_shutdown(),
            () = slot.close_requested() => {
                tracing::debug!("an idle connection made room for another");
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
    _busy: Busy,
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
