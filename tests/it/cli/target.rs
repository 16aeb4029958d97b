//! Services to check: the reference service on a port of its own, unchanged or with its responses changed on the way
//! out.

use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use countersign::service::{self, Service};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::support::TOKEN;

/// A service that runs beside the test and ends with it.
pub(super) struct Target {
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Target {
    /// The reference service as it is.
    pub(super) fn sound() -> Self {
        Self::serve(reference())
    }

    /// The reference service, each JSON response to `path` changed by `change`.
    pub(super) fn changed(path: &'static str, change: fn(&mut Value)) -> Self {
        let layer = middleware::from_fn(move |request: Request, next: Next| async move {
            let meant = request.uri().path().ends_with(path);
            let response = next.run(request).await;
            if meant && response.status().is_success() {
                altered(response, change).await
            } else {
                response
            }
        });
        Self::serve(reference().layer(layer))
    }

    pub(super) fn serve(router: Router) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(service::run(listener, router, std::future::pending()));
        Self {
            address,
            runtime: Some(runtime),
        }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The reference service over a fresh store, behind the token of the calls.
pub(super) fn reference() -> Router {
    service::app(Service::in_memory(TOKEN.to_owned().into()).unwrap())
}

async fn altered(response: Response, change: fn(&mut Value)) -> Response {
    let (mut head, body) = response.into_parts();
    let mut value = serde_json::from_slice(&to_bytes(body, usize::MAX).await.unwrap()).unwrap();
    change(&mut value);
    head.headers.remove("content-length");
    Response::from_parts(head, Body::from(value.to_string()))
}
