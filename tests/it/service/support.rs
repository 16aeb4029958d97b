//! A running service and a client that speaks to it.

use std::net::SocketAddr;
use std::sync::Once;

use countersign::service::{self, Profile, Service, StoreUrl};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(super) const TOKEN: &str = "test-token";

/// A service that listens on a port of its own, with a client.
pub(super) struct Running {
    address: SocketAddr,
    client: reqwest::Client,
    stop: oneshot::Sender<()>,
    served: JoinHandle<std::io::Result<()>>,
}

/// The parts of a response that tests ask about.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: StatusCode,
    pub(super) body: Value,
}

impl Running {
    /// Starts the service over a fresh store in memory.
    pub(super) async fn memory() -> Self {
        Running::start(Service::in_memory(TOKEN.to_owned().into()).unwrap()).await
    }

    /// Starts the service over the store at `url`.
    pub(super) async fn over(url: &StoreUrl) -> Self {
        let service = Service::open(url, TOKEN.to_owned().into(), Profile::default());
        Running::start(service.await.unwrap()).await
    }

    pub(super) async fn start(service: Service) -> Self {
        Running::serve(service::app(service)).await
    }

    pub(super) async fn serve(router: axum::Router) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(service::run(listener, router, async move {
            let _ = stopped.await;
        }));
        Running {
            address,
            client: client(),
            stop,
            served,
        }
    }

    /// Stops the service and waits until it has let go of its store.
    pub(super) async fn stop(self) -> std::io::Result<()> {
        drop(self.client);
        let _ = self.stop.send(());
        self.served.await.unwrap()
    }

    /// Tells the service to stop without waiting for it.
    pub(super) fn begin_to_stop(self) -> JoinHandle<std::io::Result<()>> {
        let _ = self.stop.send(());
        self.served
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Builds a request without a credential.
    pub(super) fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("http://{}/organization/v1{path}", self.address))
    }

    /// Builds a request that carries the token.
    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.bare(method, path).bearer_auth(TOKEN)
    }

    pub(super) async fn get(&self, path: &str) -> Response {
        response(self.request(Method::GET, path)).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Response {
        response(self.request(Method::POST, path).json(body)).await
    }

    pub(super) async fn put(&self, path: &str, body: &Value) -> Response {
        response(self.request(Method::PUT, path).json(body)).await
    }

    /// Returns all items of a list, walked page by page.
    pub(super) async fn walk(&self, path: &str) -> Vec<Value> {
        let mut items = Vec::new();
        for page in 1.. {
            let response = self.get(&format!("{path}?page={page}")).await;
            items.extend(response.body["data"]["items"].as_array().unwrap().iter().cloned());
            if response.body["data"]["last_page"] == page {
                break;
            }
        }
        items
    }

    /// Returns the item of a list that has this id.
    pub(super) async fn listed(&self, path: &str, id: &Value) -> Option<Value> {
        self.walk(path).await.into_iter().find(|item| item["id"] == *id)
    }
}

/// Sends a request and reads the response, which is JSON whatever its status.
pub(super) async fn response(request: RequestBuilder) -> Response {
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/json");
    Response {
        status: response.status(),
        body: response.json().await.unwrap(),
    }
}

pub(super) fn client() -> reqwest::Client {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let http = reqwest::Client::builder().no_proxy();
    // Plain HTTP needs no root certificates, and reading those of the machine takes as long as a test.
    http.tls_certs_only([]).build().unwrap()
}
