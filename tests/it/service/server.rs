//! How the service stops, and what it does when a handler fails.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::{self, Next};
use countersign::service::{self, Service};
use reqwest::{Method, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::support::{Running, TOKEN};

#[tokio::test]
async fn a_response_in_flight_is_finished_before_the_service_stops() {
    let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (reached, released) = (entered.clone(), release.clone());
    let held = middleware::from_fn(move |request: Request, next: Next| {
        let (entered, release) = (reached.clone(), released.clone());
        async move {
            entered.notify_one();
            release.notified().await;
            next.run(request).await
        }
    });
    let router = service::app(Service::in_memory(TOKEN.to_owned().into()).unwrap()).layer(held);
    let service = Running::serve(router).await;

    let response = tokio::spawn(service.request(Method::GET, "/tags").send());
    entered.notified().await;
    let stopped = service.begin_to_stop();
    assert!(!stopped.is_finished());
    release.notify_one();
    assert_eq!(response.await.unwrap().unwrap().status(), StatusCode::OK);
    stopped.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_the_service() {
    let service = Running::memory().await;
    service.get("/tags").await;
    service.begin_to_stop().await.unwrap().unwrap();
}

/// Sends the beginning of a request and returns all that comes back until the service closes the connection. The clock
/// jumps to the next timeout as soon as everybody waits.
async fn response_to_unfinished(request: &str) -> String {
    let service = Running::memory().await;
    let mut stream = TcpStream::connect(service.address()).await.unwrap();
    tokio::time::pause();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response
}

#[tokio::test]
async fn a_connection_that_sends_nothing_is_cut() {
    assert_eq!(response_to_unfinished("").await, "");
}

#[tokio::test]
async fn a_head_that_never_ends_is_cut() {
    assert_eq!(
        response_to_unfinished("GET /organization/v1/tags HTTP/1.1\r\nHost: example.com\r\n").await,
        ""
    );
}

#[tokio::test]
async fn a_body_that_never_ends_is_cut_with_408() {
    let head = "POST /organization/v1/tags HTTP/1.1\r\nHost: example.com\r\nAuthorization: Bearer test-token\r\n\
                Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"name\":";
    let response = response_to_unfinished(head).await;
    assert!(response.starts_with("HTTP/1.1 408 "), "{response}");
    assert!(response.contains("connection: close"), "{response}");
}

#[tokio::test]
async fn a_connection_that_stays_idle_after_a_response_is_cut() {
    let request = "GET /organization/v1/none HTTP/1.1\r\nHost: example.com\r\n\r\n";
    assert!(response_to_unfinished(request).await.starts_with("HTTP/1.1 404 "));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_idle_connections_do_not_stop_a_new_one_from_being_served() {
    const IDLE: usize = 2_000;
    crate::support::files::allow_open_files(4_096);
    let service = Running::memory().await;
    let mut idle = Vec::new();
    for number in 0..IDLE {
        let mut stream = TcpStream::connect(service.address()).await.unwrap();
        if number % 2 == 0 {
            stream
                .write_all(b"GET /organization/v1/tags HTTP/1.1\r\nHost")
                .await
                .unwrap();
        }
        idle.push(stream);
    }
    let response = tokio::time::timeout(Duration::from_secs(5), service.get("/tags")).await;
    assert_eq!(response.unwrap().status, StatusCode::OK);
    // Those that were idle for the longest time have made room for the rest.
    for stream in &mut idle[..IDLE / 2] {
        assert!(matches!(stream.read(&mut [0]).await, Ok(0) | Err(_)));
    }
}

/// Sends a request with these lines of head and returns what comes back until the service closes the connection.
async fn response_to_head(service: &Running, version: &str, lines: &str) -> String {
    let mut stream = TcpStream::connect(service.address()).await.unwrap();
    let head = format!(
        "GET /organization/v1/tags {version}\r\n{lines}Authorization: Bearer test-token\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response
}

#[tokio::test]
async fn a_request_names_its_host_once() {
    let service = Running::memory().await;
    for lines in [
        "",
        "Host: example.com\r\nHost: example.com\r\n",
        "Host: example.com\r\nHost: example.org\r\n",
        "Host: \r\nHost: example.com\r\n",
        "Host: exa mple.com\r\n",
        "Host: ada@example.com\r\n",
        "Host: example.com/tags\r\n",
    ] {
        let response = response_to_head(&service, "HTTP/1.1", lines).await;
        assert!(response.starts_with("HTTP/1.1 400 "), "{lines:?}: {response}");
        assert!(response.contains("the request must name its host once"), "{response}");
        assert!(response.contains("connection: close"), "{response}");
    }
    for lines in [
        "Host: example.com\r\n", "host: [::1]:8080\r\n", "Host: 127.0.0.1:80\r\n", "Host:\r\n",
    ] {
        let response = response_to_head(&service, "HTTP/1.1", lines).await;
        assert!(response.starts_with("HTTP/1.1 200 "), "{lines:?}: {response}");
    }
    let older = response_to_head(&service, "HTTP/1.0", "").await;
    assert!(older.starts_with("HTTP/1.0 200 "), "{older}");
}

#[tokio::test]
async fn what_is_not_http_is_answered_and_cut() {
    let service = Running::memory().await;
    for bytes in [
        &b"\x16\x03\x01\0\0\r\n\r\n"[..],
        b"GET /organization/v1/tags HTTP/9.9\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(service.address()).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).await.unwrap();
        assert!(
            response.starts_with(b"HTTP/1.1 400"),
            "{}",
            String::from_utf8_lossy(&response)
        );
    }
    assert_eq!(service.get("/tags").await.status, StatusCode::OK);
}
