//! Targets that cannot be judged at all: exit code 3, with the reason and without a single finding.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use serde_json::Value;

use super::stub::{Stub, json};
use super::support::{Ended, check};
use super::target::Target;

/// Checks that a run could not judge, and returns its one reason.
#[track_caller]
fn could_not_judge(url: &str, arguments: &[&str]) -> (Ended, String) {
    let (ended, report) = check(url, arguments).report();
    assert_eq!(ended.code, 3, "{ended:?}");
    assert_eq!(report["outcome"], "could-not-judge");
    assert_eq!(report["findings"], Value::Array(Vec::new()), "{ended:?}");
    let facts = &report["facts"];
    assert_eq!(facts["broken"], 0);
    let reason = report["reason"].as_str().unwrap().to_owned();
    assert!(ended.stdout.contains(&reason), "{ended:?}");
    (ended, reason)
}

/// A port of this machine that nobody listens on.
fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn a_port_that_nobody_listens_on() {
    let (ended, reason) = could_not_judge(&format!("http://127.0.0.1:{}", closed_port()), &[]);
    assert!(reason.contains("connection refused"), "{reason}");
    assert!(ended.stdout.contains(" 0 held, 0 broken, "), "{ended:?}");
    ended.matches("unreachable");
}

#[test]
fn a_name_that_does_not_resolve() {
    let (ended, _) = could_not_judge("http://does-not-exist.invalid", &[]);
    ended.matches("unresolved");
}

#[test]
fn a_tls_greeting_that_is_never_answered() {
    let silent = Stub::start(|_, _| Ok(()));
    let (_, reason) = could_not_judge(&silent.url().replace("http:", "https:"), &["--timeout", "1"]);
    assert!(reason.contains("timed out"), "{reason}");
}

#[test]
fn a_tls_greeting_that_is_answered_in_plain_text() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // A record of TLS starts with its kind, its version and its length.
            let mut head = [0; 5];
            let length = stream
                .read_exact(&mut head)
                .map(|()| u16::from_be_bytes([head[3], head[4]]));
            let greeting = length.and_then(|length| stream.read_exact(&mut vec![0; length.into()]));
            let _ = greeting.and_then(|()| stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
        }
    });
    let (ended, reason) = could_not_judge(&url, &[]);
    assert!(reason.contains("not TLS") && reason.contains("`http`"), "{reason}");
    ended.matches("tls_to_plain");
}

/// A listener that shows a certificate which nobody vouches for. It was made for this test, with its key, for a hundred
/// years.
fn with_a_certificate_of_its_own() -> u16 {
    let key = PrivatePkcs8KeyDer::from(&include_bytes!("self_signed_key.der")[..]);
    let certificate = CertificateDer::from(&include_bytes!("self_signed.der")[..]);
    let config = rustls::ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut connection = rustls::ServerConnection::new(config.clone()).unwrap();
            // The client hangs up, which is what the test is about.
            let _ = connection.complete_io(&mut stream);
        }
    });
    port
}

#[test]
fn a_certificate_that_nobody_vouches_for() {
    let (_, reason) = could_not_judge(&format!("https://localhost:{}", with_a_certificate_of_its_own()), &[]);
    assert!(
        reason.contains("the certificate is not valid: its issuer is not known here"),
        "{reason}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_host_that_drops_what_it_is_sent() {
    // Once the queue of a listener that never accepts is full, Linux drops what asks for a place in it.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .unwrap();
    let entered = runtime.enter();
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    drop(entered);
    let address = listener.local_addr().unwrap();
    let connect = || TcpStream::connect_timeout(&address, Duration::from_millis(200));
    let queued: Vec<_> = std::iter::repeat_with(connect).map_while(Result::ok).collect();
    let (ended, reason) = could_not_judge(&format!("http://{address}"), &["--timeout", "1"]);
    assert!(reason.contains("timed out"), "{reason}");
    ended.matches("dropped");
    drop(queued);
}

#[test]
fn tls_to_the_reference_service_which_speaks_plain_http() {
    let plain = Target::sound();
    let (_, reason) = could_not_judge(&plain.url().replace("http:", "https:"), &[]);
    assert!(reason.contains("TLS") && reason.contains("`http`"), "{reason}");
}

#[test]
fn a_token_that_every_operation_rejects() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let target = Stub::start(move |_, stream| stream.write_all(json(status, "{}").as_bytes()));
        let (ended, reason) = could_not_judge(&target.url(), &[]);
        assert!(reason.contains("token was rejected"), "{reason}");
        ended.matches(&format!("token_rejected_{}", &status[..3]));
    }
}

#[test]
fn a_target_that_throttles_every_request() {
    let target = Stub::start(|_, stream| stream.write_all(json("429 Too Many Requests", "{}").as_bytes()));
    let (ended, reason) = could_not_judge(&target.url(), &[]);
    assert!(reason.contains("429") && reason.contains("at a lower rate"), "{reason}");
    ended.matches("throttled");
}

#[test]
fn a_run_that_decides_nothing_does_not_conform() {
    let target = Target::sound();
    let (ended, report) = check(
        &target.url(),
        &[
            "--skip", "getContacts", "--skip", "getVenues", "--skip", "getVisits", "--skip", "getTags",
        ],
    )
    .report();
    assert_eq!(ended.code, 3, "{ended:?}");
    assert_eq!(report["facts"]["undecided"], report["facts"]["total"]);
    assert_eq!(report["requests"]["sent"], 0);
    ended.matches("nothing_decided");
}

#[test]
fn too_few_decided_facts_are_not_enough() {
    let target = Target::sound();
    let (ended, _) = check(&target.url(), &["--require-facts", "99.5"]).report();
    assert_eq!(ended.code, 3, "{ended:?}");
    let reason = "require-facts asks for 99.5; without writes at most 267 of 536 can be decided";
    assert!(ended.stdout.contains(reason), "{ended:?}");
    let (ended, _) = check(&target.url(), &["--require-facts", "10"]).report();
    assert_eq!(ended.code, 0, "{ended:?}");
}
