//! Targets that cannot be judged at all: exit code 3, with the reason and without a single finding.

use std::io::Write as _;
use std::net::TcpListener;

use serde_json::Value;

use super::stub::{Stub, json};
use super::support::{Ended, check};

/// Checks that a run could not judge, and returns its one reason.
#[track_caller]
fn could_not_judge(url: &str, arguments: &[&str]) -> (Ended, String) {
    let (ended, report) = check(url, arguments).report();
    assert_eq!(ended.code, 3, "{ended:?}");
    assert_eq!(report["outcome"], "could-not-judge");
    assert_eq!(report["findings"], Value::Array(Vec::new()), "{ended:?}");
    let facts = &report["facts"];
    assert_eq!((&facts["held"], &facts["broken"]), (&Value::from(0), &Value::from(0)));
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
    ended.matches("unreachable");
}

#[test]
fn a_name_that_does_not_resolve() {
    let (ended, _) = could_not_judge("http://does-not-exist.invalid", &[]);
    ended.matches("unresolved");
}

#[test]
fn tls_to_a_port_that_speaks_plain_http() {
    let plain = Stub::start(|_, stream| stream.write_all(json("400 Bad Request", "{}").as_bytes()));
    // The stub waits for the end of a head, which a TLS greeting may never hold; the deadline ends that.
    let url = plain.url().replace("http:", "https:");
    let (_, reason) = could_not_judge(&url, &["--timeout", "1"]);
    assert!(
        reason.contains("TLS") || reason.contains("no complete answer"),
        "{reason}"
    );
}

#[test]
fn tls_to_a_server_that_answers_the_greeting_in_plain_text() {
    use super::target::{Target, reference};
    let plain = Target::serve(reference());
    let (ended, reason) = could_not_judge(&plain.url().replace("http:", "https:"), &[]);
    assert!(reason.contains("TLS") && reason.contains("`http`"), "{reason}");
    ended.matches("tls_to_plain");
}

#[test]
fn a_token_that_every_operation_refuses() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let target = Stub::start(move |_, stream| stream.write_all(json(status, "{}").as_bytes()));
        let (ended, reason) = could_not_judge(&target.url(), &[]);
        assert!(reason.contains("token was refused"), "{reason}");
        ended.matches(&format!("token_refused_{}", &status[..3]));
    }
}

#[test]
fn a_target_that_throttles_every_request() {
    let target = Stub::start(|_, stream| stream.write_all(json("429 Too Many Requests", "{}").as_bytes()));
    let (ended, reason) = could_not_judge(&target.url(), &[]);
    assert!(reason.contains("429") && reason.contains("--rate"), "{reason}");
    ended.matches("throttled");
}

#[test]
fn a_run_that_decides_nothing_does_not_conform() {
    let target = super::target::Target::sound();
    let (ended, report) = check(&target.url(), &["--only", "createTag"]).report();
    assert_eq!(ended.code, 3, "{ended:?}");
    assert_eq!(report["facts"]["undecided"], report["facts"]["total"]);
    assert_eq!(report["requests"]["sent"], 0);
    ended.matches("nothing_decided");
}

#[test]
fn too_few_decided_facts_are_not_enough() {
    let target = super::target::Target::sound();
    let (ended, _) = check(&target.url(), &["--require-facts", "99.5"]).report();
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("--require-facts asks for 99.5"), "{ended:?}");
    let (ended, _) = check(&target.url(), &["--require-facts", "10"]).report();
    assert_eq!(ended.code, 0, "{ended:?}");
}
