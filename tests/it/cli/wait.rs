//! `--wait`: a check waits for a target that is still starting up, and the waiting does not count as part of the
//! check.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign::service;
use tokio::net::TcpSocket;

use super::stub::{Stub, json, sound};
use super::support::{Ended, check};
use super::target::reference;

/// A port that is taken and rejects every connection until somebody listens on it.
fn taken() -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

/// Runs against a target that answers this to its first requests, and then is there. Hands back how many came.
fn after(status: &'static str, times: usize) -> (Ended, serde_json::Value, usize) {
    let came = AtomicUsize::new(0);
    let target = Stub::start(move |request, stream| {
        let early = came.fetch_add(1, Ordering::SeqCst) < times;
        let response = if early { json(status, "{}") } else { sound(request) };
        stream.write_all(response.as_bytes())
    });
    let (ended, report) = check(&target.url(), &["--wait", "60"]).report();
    let received = target.received().len();
    (ended, report, received)
}

#[test]
fn a_gateway_with_nothing_behind_it_is_waited_for_and_not_counted() {
    for status in ["502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"] {
        let (ended, report, received) = after(status, 2);
        assert_eq!(ended.code, 0, "{ended:?}");
        assert_eq!(
            ended.stderr,
            format!("waiting for the target: it answers {}\n", &status[..3])
        );
        // Two tries and the one that was answered.
        assert_eq!(report["requests"]["sent"], received - 3, "{ended:?}");
        assert_eq!(report["requests"]["throttled"], 0);
    }
}

#[test]
fn a_target_that_answers_is_not_waited_for() {
    let (ended, report, received) = after("200 OK", 0);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    assert_eq!(report["requests"]["sent"], received - 1);
    // Whatever else it answers is for the check to judge.
    let (ended, ..) = after("500 Internal Server Error", 1);
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_port_that_begins_to_listen_is_waited_for() {
    let (socket, address) = taken();
    let running = check(&format!("http://{address}"), &["--wait", "60"]).start();
    assert_eq!(
        running.first_error_line(),
        "waiting for the target: the connection could not be opened: connection refused\n"
    );
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let listener = runtime.block_on(async { socket.listen(128) }).unwrap();
    runtime.spawn(service::run(listener, reference(), std::future::pending()));
    let ended = running.end();
    assert_eq!(ended.code, 0, "{ended:?}");
    runtime.shutdown_background();
}

#[test]
fn a_target_that_does_not_come_is_reported_when_the_time_is_over() {
    let (_socket, address) = taken();
    let (ended, report) = check(&format!("http://{address}"), &["--wait", "0.3"]).report();
    assert_eq!(
        (ended.code, &report["outcome"]),
        (3, &"could-not-judge".into()),
        "{ended:?}"
    );
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("the target was not up within 0.3 s (wait): the connection could not be opened: "),
        "{reason}"
    );
    assert_eq!(
        (&report["requests"]["sent"], &report["facts"]["held"]),
        (&0.into(), &0.into())
    );
    assert!(report["findings"].as_array().unwrap().is_empty());
}

#[test]
fn a_gateway_that_never_has_anything_behind_it_is_no_finding() {
    let target = Stub::start(|_, stream| stream.write_all(json("503 Service Unavailable", "{}").as_bytes()));
    let (ended, report) = check(&target.url(), &["--wait", "0.3"]).report();
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(
        report["reason"].as_str().unwrap().contains("it answers 503"),
        "{report}"
    );
    // Reads alone, by the documented path.
    assert!(target.received().iter().all(|request| request.is("GET")));
}

#[cfg(unix)]
#[test]
fn an_interrupted_wait_ends_at_once() {
    let (_socket, address) = taken();
    let running = check(&format!("http://{address}"), &["--wait", "86400"]).start();
    running.first_error_line();
    running.signal("INT");
    assert_eq!(running.end().code, 130);
}
