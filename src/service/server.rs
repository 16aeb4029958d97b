//! Serves the router: [`run`] serves it on a listener until it is told to stop.

use std::future::Future;
use std::io;
use std::time::Duration;

use axum::Router;
use axum::http::uri::Authority;
use axum::http::{Request, Version, header};
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

use super::rejection::Rejection;
use crate::listen::{self, Options};

/// The limits of the service's connections.
const OPTIONS: Options = Options {
    // Half of the file descriptors that a process usually has.
    max_connections: 512,
    head_timeout: Duration::from_secs(30),
    max_head_bytes: 32 * 1024,
    grace: Duration::from_secs(10),
    // Nothing passes through here that must stay as it was.
    sends_headers_unchanged: false,
};

/// Serves `router` on `listener` until `shutdown` completes, then lets responses in flight finish.
///
/// # Errors
///
/// Fails with [`io::ErrorKind::TimedOut`] when connections were still open 10 seconds after `shutdown`.
pub async fn run(
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let service = || {
        let router = TowerToHyperService::new(router.clone());
        service_fn(move |mut request: Request<Incoming>| {
            if !names_its_host(&request) {
                request.extensions_mut().insert(Rejection::Host);
            }
            router.call(request)
        })
    };
    listen::run(listener, service, OPTIONS, shutdown).await
}

/// Returns whether a request names its host as RFC 9112 requires (section 3.2): exactly once, and with a valid name.
/// Before HTTP/1.1 it need not.
fn names_its_host<T>(request: &Request<T>) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => request.version() < Version::HTTP_11,
        (Some(host), None) => {
            let host = host.as_bytes();
            // It is empty where the target has no host, and may not hold a user name or a password.
            host.is_empty() || (!host.contains(&b'@') && Authority::try_from(host).is_ok())
        }
        (Some(_), Some(_)) => false,
    }
}
