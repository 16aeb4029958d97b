//! TLS between the service and PostgreSQL: a front end terminates it before the server, which has none on its socket.

use std::path::PathBuf;
use std::sync::Arc;

use reqwest::StatusCode;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_postgres::Config;
use tokio_postgres::config::Host;
use tokio_rustls::TlsAcceptor;

use super::place_in_postgres::{Database, server};
use super::postgres_only::assert_rejected;
use crate::service::support::Running;

const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/cli/self_signed.pem");
const CHECK: &str = "check that the server has ssl on, and a certificate for the host";

fn acceptor() -> TlsAcceptor {
    let key = PrivatePkcs8KeyDer::from(&include_bytes!("../../cli/self_signed_key.der")[..]);
    let certificate = CertificateDer::from(&include_bytes!("../../cli/self_signed.der")[..]);
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Listens on an address like a PostgreSQL that has `response` for who asks for TLS, and returns where. Behind the
/// handshake is the test server.
async fn front(address: &str, response: u8) -> String {
    let listener = TcpListener::bind(address).await.unwrap();
    let at = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(pass(stream, response));
        }
    });
    at
}

async fn pass(mut stream: TcpStream, response: u8) {
    let mut request = [0; 8];
    stream.read_exact(&mut request).await.unwrap();
    assert_eq!(request, [0, 0, 0, 8, 4, 210, 22, 47], "the request for TLS comes first");
    stream.write_all(&[response]).await.unwrap();
    if response != b'S' {
        return;
    }
    // A client that rejects the certificate ends the handshake.
    let Ok(mut stream) = acceptor().accept(stream).await else {
        return;
    };
    let mut behind = UnixStream::connect(socket().unwrap()).await.unwrap();
    let _ = copy_bidirectional(&mut stream, &mut behind).await;
}

fn socket() -> Option<PathBuf> {
    let config: Config = server()?.parse().unwrap();
    match &config.get_hosts()[0] {
        Host::Unix(folder) => Some(folder.join(".s.PGSQL.5432")),
        Host::Tcp(_) => None,
    }
}

#[tokio::test]
async fn a_store_is_used_under_tls() {
    let Some(database) = Database::fresh().await else {
        return;
    };
    let at = front("127.0.0.1:0", b'S').await;
    for query in [
        "sslmode=require",
        &format!("sslmode=verify-full&sslrootcert={AUTHORITY}"),
    ] {
        let url = format!("postgres://countersign@{at}/{}?{query}", database.name);
        let service = Running::over(&url.parse().unwrap()).await;
        let created = service.post("/tags", &json!({"name": "hidden"})).await;
        assert_eq!(created.status, StatusCode::CREATED, "{query}");
    }
}

#[tokio::test]
async fn a_server_without_tls_is_rejected_with_what_to_check() {
    let at = front("127.0.0.1:0", b'N').await;
    for mode in ["require", "verify-full"] {
        assert_rejected(&format!("postgres://ada:hidden@{at}/contacts?sslmode={mode}"), CHECK).await;
    }
}

#[tokio::test]
async fn a_certificate_that_nobody_knows_is_rejected_with_what_to_check() {
    let at = front("127.0.0.1:0", b'S').await;
    assert_rejected(
        &format!("postgres://ada:hidden@{at}/contacts?sslmode=verify-full"),
        CHECK,
    )
    .await;
}

/// All of 127.0.0.0/8 is this machine here.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_certificate_for_another_host_is_rejected_with_what_to_check() {
    let at = front("127.0.0.2:0", b'S').await;
    let url = format!("postgres://ada:hidden@{at}/contacts?sslmode=verify-full&sslrootcert={AUTHORITY}");
    assert_rejected(&url, CHECK).await;
}

#[tokio::test]
async fn an_authority_that_cannot_be_read_is_named() {
    let missing = format!("{AUTHORITY}.missing");
    for (file, expected) in [
        (missing.as_str(), "self_signed.pem.missing"),
        (file!(), "there is no certificate in it"),
    ] {
        let url = format!("postgres://ada:hidden@127.0.0.1:1/contacts?sslmode=verify-full&sslrootcert={file}");
        assert_rejected(&url, expected).await;
    }
}
