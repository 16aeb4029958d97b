//! A PostgreSQL server that does not answer: the service responds 503 in time, and nothing that was rejected is written
//! later. The main type is [`Relay`], which stops forwarding on request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use countersign::service::{Profile, Service, StoreUrl};
use reqwest::{Method, Response, StatusCode};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, UnixStream};
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config};

use super::place_in_postgres::Database;
use crate::service::support::{Running, TOKEN};

/// Forwards connections to the test server until it freezes; then they stay open, and nothing goes through.
struct Relay {
    port: u16,
    frozen: Arc<AtomicBool>,
}

impl Relay {
    async fn before(database: &Database) -> Self {
        let config: Config = database.url().parse().unwrap();
        let [Host::Unix(folder)] = config.get_hosts() else {
            panic!("the test server listens on a socket in a folder");
        };
        let socket = folder.join(".s.PGSQL.5432");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let frozen = Arc::new(AtomicBool::new(false));
        let shared = frozen.clone();
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let far = UnixStream::connect(&socket).await.unwrap();
                let ((from_near, to_near), (from_far, to_far)) = (near.into_split(), far.into_split());
                tokio::spawn(forward(from_near, to_far, shared.clone()));
                tokio::spawn(forward(from_far, to_near, shared.clone()));
            }
        });
        Relay { port, frozen }
    }

    fn store(&self, database: &Database) -> StoreUrl {
        let url = format!("postgres://countersign@127.0.0.1:{}/{}", self.port, database.name);
        url.parse().unwrap()
    }

    fn freeze(&self, frozen: bool) {
        self.frozen.store(frozen, Ordering::SeqCst);
    }
}

/// What comes while the relay is frozen is lost, and with it the connection; it stays open for ever.
async fn forward(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, frozen: Arc<AtomicBool>) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        if frozen.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            break;
        }
    }
}

/// Sends a request on a clock that jumps to the next deadline as soon as everybody waits.
async fn in_no_time(request: reqwest::RequestBuilder) -> Response {
    tokio::time::pause();
    let response = request.send().await.unwrap();
    tokio::time::resume();
    response
}

/// Looks until a statement waits for a lock in the database, or none does.
async fn until_waiting(observer: &Client, expected: bool) {
    let waiting = "SELECT EXISTS (SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock')";
    for _ in 0..100_000 {
        if observer.query_one(waiting, &[]).await.unwrap().get::<_, bool>(0) == expected {
            return;
        }
    }
    panic!("a statement waits for a lock: not {expected}");
}

async fn asks_for_time(response: Response) {
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(response.headers()["retry-after"], "1");
    let body: serde_json::Value = response.json().await.unwrap();
    assert_eq!(
        body,
        json!({"message": "the store does not answer; try again", "errors": []})
    );
}

#[tokio::test]
async fn a_server_that_freezes_is_answered_with_503_until_it_is_back() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    let relay = Relay::before(&database).await;
    let service = Running::over(&relay.store(&database)).await;
    assert_eq!(service.get("/tags").await.status, StatusCode::OK);
    relay.freeze(true);
    // First a connection that was open, then new ones.
    for _ in 0..3 {
        asks_for_time(in_no_time(service.request(Method::GET, "/tags")).await).await;
    }
    let tag = json!({"name": "Regular", "color": "#112233"});
    asks_for_time(in_no_time(service.request(Method::POST, "/tags").json(&tag)).await).await;
    relay.freeze(false);
    assert_eq!(service.get("/tags").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_statement_that_waits_too_long_is_given_up_and_not_run_later() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    let service = Running::over(&database.store()).await;
    let before = service.walk("/tags").await;
    let mut client = database.client().await;
    let observer = database.client().await;
    let transaction = client.transaction().await.unwrap();
    let lock = "LOCK TABLE countersign.tag IN ACCESS EXCLUSIVE MODE";
    transaction.batch_execute(lock).await.unwrap();
    let tag = json!({"name": "Never written", "color": "#112233"});
    let requests = [
        service.request(Method::POST, "/tags").json(&tag),
        service.request(Method::GET, "/tags"),
    ];
    for request in requests {
        let response = tokio::spawn(request.send());
        until_waiting(&observer, true).await;
        // At once over the deadline, and on from there by the real clock, by which the server is told to give up.
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(10)).await;
        tokio::time::resume();
        asks_for_time(response.await.unwrap().unwrap()).await;
        // Given up on the server too, while the lock is held still.
        until_waiting(&observer, false).await;
    }
    transaction.commit().await.unwrap();
    assert_eq!(service.walk("/tags").await, before);
}

#[tokio::test]
async fn a_server_that_ends_its_connections_is_answered_with_503_and_then_connected_to_again() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    let service = Running::over(&database.store()).await;
    assert_eq!(service.get("/tags").await.status, StatusCode::OK);
    // With a time to wait, in milliseconds: without one the server may answer before the connections are gone.
    let end = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    database.client().await.query(end, &[]).await.unwrap();
    // Of a connection that was just ended, the service may know already or hear by its first use.
    let first = service.get("/tags").await.status;
    assert!(
        [StatusCode::OK, StatusCode::SERVICE_UNAVAILABLE].contains(&first),
        "{first}"
    );
    assert_eq!(service.get("/tags").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_reported_at_the_start() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    let relay = Relay::before(&database).await;
    relay.freeze(true);
    tokio::time::pause();
    let opened = Service::open(&relay.store(&database), TOKEN.to_owned().into(), Profile::default()).await;
    let error = opened.err().unwrap().to_string();
    assert!(error.contains("check that PostgreSQL runs there"), "{error}");
}
