//! The accept loop: [`run`] serves a router on a listener until it is told to stop.
//!
//! `axum::serve` sets no timer, so a client that never finishes its head would hold a connection forever, and it does
//! not limit connections. This loop uses hyper with that timer set, and [`Connections`] sets the limit.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::uri::Authority;
use axum::http::{Request, Version, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

use super::connections::{Connections, Slot};
use super::refusal::Refusal;

/// The most connections at a time: half of the file descriptors that a process usually has.
const CONNECTIONS: usize = 512;
/// How long a client may take for the head of a request, idle time between two requests included.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes that a head may hold; hyper answers 431 beyond that.
const HEAD_LIMIT: usize = 32 * 1024;
/// How long responses in flight may take once the service is told to stop.
const GRACE: Duration = Duration::from_secs(10);
/// How long to wait before the next accept when the process has no room for another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves `router` on `listener` until `shutdown` is ready, then lets responses in flight finish.
///
/// # Errors
///
/// Fails with [`io::ErrorKind::TimedOut`] when responses in flight were not finished 10 seconds after `shutdown`.
pub async fn run(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let graceful = GracefulShutdown::new();
    let connections = Connections::new(CONNECTIONS);
    let mut shutdown = pin!(shutdown);
    loop {
        let next = async {
            let (stream, _) = listener.accept().await?;
            Ok((stream, connections.slot().await))
        };
        tokio::select! {
            next = next => match next {
                Ok((stream, slot)) => serve(stream, router.clone(), slot, &graceful),
                Err(error) => recover(&error, &connections).await,
            },
            () = &mut shutdown => break,
        }
    }
    drop(listener);
    tokio::time::timeout(GRACE, graceful.shutdown())
        .await
        .map_err(|_| io::ErrorKind::TimedOut.into())
}

fn serve(stream: TcpStream, router: Router, slot: Slot, graceful: &GracefulShutdown) {
    // Responses are written whole: waiting for more to send would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let slot = Arc::new(slot);
    let router = TowerToHyperService::new(router);
    let service = service_fn({
        let slot = slot.clone();
        move |mut request: Request<Incoming>| {
            if !names_its_host(&request) {
                request.extensions_mut().insert(Refusal::Host);
            }
            let (slot, response) = (slot.clone(), router.call(request));
            async move { slot.busy(response).await }
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), service);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        tokio::select! {
            // What can be sent of a response is sent before the connection is closed.
            biased;
            ended = connection => if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended early");
            },
            () = slot.closed() => tracing::debug!("an idle connection made room for another"),
        }
    });
}

/// Returns whether a request names its host as RFC 9112 requires (section 3.2): exactly once, and with a valid name.
/// Before HTTP/1.1 it need not.
fn names_its_host<T>(request: &Request<T>) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => request.version() < Version::HTTP_11,
        (Some(host), None) => {
            let host = host.as_bytes();
            // It is empty where the target has no host; a user name and a password do not belong there.
            host.is_empty() || (!host.contains(&b'@') && Authority::try_from(host).is_ok())
        }
        (Some(_), Some(_)) => false,
    }
}

/// Waits where trying again at once would only spin. A connection that was reset affects no other, but a process that
/// is out of file descriptors only gets one back by closing an idle connection.
async fn recover(error: &io::Error, connections: &Connections) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        tracing::warn!(%error, "cannot accept a connection");
        connections.close_longest_idle();
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}
