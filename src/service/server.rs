//! The accept loop: [`run`] serves a router on a listener until it is told to stop.
//!
//! `axum::serve` sets no timer, so a client that never finishes its head would hold a connection for ever. This loop
//! is hyper's own with that timer set.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

/// How long a client may take for the head of a request, idle time between two requests included.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// The most that a head may hold; hyper answers 431 beyond.
const HEAD_LIMIT: usize = 32 * 1024;
/// How long answers in flight may take once the service is told to stop.
const GRACE: Duration = Duration::from_secs(10);
/// How long to wait before the next accept when the process has no room for another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves `router` on `listener` until `shutdown` is ready, then lets answers in flight finish.
///
/// # Errors
///
/// Fails with [`io::ErrorKind::TimedOut`] when answers in flight were not finished 10 seconds after `shutdown`.
pub async fn run(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let connections = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => serve(stream, router.clone(), &connections),
                Err(error) => recover(&error).await,
            },
            () = &mut shutdown => break,
        }
    }
    drop(listener);
    tokio::time::timeout(GRACE, connections.shutdown())
        .await
        .map_err(|_| io::ErrorKind::TimedOut.into())
}

fn serve(stream: TcpStream, router: Router, connections: &GracefulShutdown) {
    // Answers are written whole: waiting for more to send would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection ended early");
        }
    });
}

/// Waits where trying again at once would only spin: a connection that was reset concerns nobody else, but a process
/// out of file descriptors gets none back by asking.
async fn recover(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        tracing::warn!(%error, "cannot accept a connection");
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}
