//! Ctrl-C in the middle of a run: it ends at once, and reports what was judged and what it may have left.
#![cfg(unix)]

use std::io::Write as _;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use super::stub::{Stub, json, sound, stall};
use super::support::{Running, check};

/// A target that answers reads and never the first request of this method; it says when that came.
pub(super) fn stalling(method: &'static str) -> (Stub, Receiver<()>) {
    let (sender, came) = channel();
    let sender = Mutex::new(sender);
    let stub = Stub::start(move |request, stream| {
        if request.is(method) && request.authorized() {
            sender.lock().unwrap().send(()).unwrap();
            stall(stream)
        } else {
            stream.write_all(sound(request).as_bytes())
        }
    });
    (stub, came)
}

fn interrupted(running: Running, came: &Receiver<()>) -> (super::support::Ended, Value) {
    came.recv_timeout(Duration::from_secs(20)).unwrap();
    running.signal("INT");
    let ended = running.end();
    let report = ended.json("report.json");
    (ended, report)
}

const REPORTS: [&str; 4] = ["--report", "terminal", "--report", "json=report.json"];

#[test]
fn a_write_under_way_is_residue_and_what_was_judged_is_reported() {
    let (target, came) = stalling("POST");
    let arguments = [&["--writes", "--timeout", "60"][..], &REPORTS].concat();
    let (ended, report) = interrupted(check(&target.url(), &arguments).start(), &came);
    assert_eq!(
        (ended.code, &report["outcome"]),
        (130, &"interrupted".into()),
        "{ended:?}"
    );
    let residue = report["residue"].as_array().unwrap();
    assert_eq!(residue.len(), 1, "{ended:?}");
    assert_eq!(
        (&residue[0]["id"], &residue[0]["answered"]),
        (&Value::Null, &false.into())
    );
    assert!(report["facts"]["held"].as_u64().unwrap() > 10, "{ended:?}");
    assert_eq!(report["requests"]["writes"], 1, "a write that is under way was sent");
    assert_eq!(report["requests"]["unfinished"], 1);
    assert_eq!(target.received().iter().filter(|request| request.is("POST")).count(), 1);
    ended.matches("interrupted");
}

#[test]
fn a_read_under_way_leaves_nothing() {
    let (target, came) = stalling("GET");
    let arguments = [&["--timeout", "60"][..], &REPORTS].concat();
    let (ended, report) = interrupted(check(&target.url(), &arguments).start(), &came);
    assert_eq!(ended.code, 130, "{ended:?}");
    assert_eq!(report["residue"].as_array().unwrap().len(), 0);
    assert_eq!(report["facts"]["undecided"], report["facts"]["total"]);
}

#[test]
fn a_write_whose_answer_never_comes_is_residue_and_is_not_repeated() {
    let stub = Stub::start(|request, stream| {
        if request.is("POST") && request.head.contains("/tags") && request.authorized() {
            stall(stream)
        } else if !request.is("GET") && request.authorized() {
            stream.write_all(json("422 Unprocessable Entity", "{}").as_bytes())
        } else {
            stream.write_all(sound(request).as_bytes())
        }
    });
    let (ended, report) = check(&stub.url(), &["--writes", "--timeout", "0.5"]).report();
    let left: Vec<_> = report["residue"].as_array().unwrap().iter().collect();
    assert_eq!(left.len(), 1, "{ended:?}");
    assert_eq!(
        (&left[0]["operation"], &left[0]["answered"]),
        (&"createTag".into(), &false.into())
    );
    let tags =
        |request: &&super::stub::Received| request.is("POST") && request.head.contains("/tags") && request.authorized();
    assert_eq!(stub.received().iter().filter(tags).count(), 1);
}

#[test]
fn sigterm_is_an_interruption_too_as_pipelines_send_it() {
    let (target, came) = stalling("POST");
    let arguments = [&["--writes", "--timeout", "60"][..], &REPORTS].concat();
    let running = check(&target.url(), &arguments).start();
    came.recv_timeout(Duration::from_secs(20)).unwrap();
    running.signal("TERM");
    let ended = running.end();
    assert_eq!(ended.code, 130, "{ended:?}");
    assert_eq!(ended.json("report.json")["outcome"], "interrupted");
}

#[test]
fn a_second_interruption_ends_a_run_whose_report_nobody_reads() {
    use std::io::Read as _;
    let (target, came) = stalling("GET");
    let arguments = [
        "--timeout",
        "60",
        "--report",
        "json=pipe",
        "--report",
        "json=report.json",
    ];
    let call = check(&target.url(), &arguments).pipe("pipe");
    let pipe = call.path().join("pipe");
    // Opened for both, so that neither side waits for the other.
    let mut pipe = std::fs::OpenOptions::new().read(true).write(true).open(pipe).unwrap();
    let running = call.start();
    came.recv_timeout(Duration::from_secs(20)).unwrap();
    running.signal("INT");
    // The report is longer than a pipe holds, so it is being written from now on until somebody reads all of it.
    pipe.read_exact(&mut [0; 100]).unwrap();
    running.signal("INT");
    let ended = running.end();
    assert_eq!((ended.code, ended.stdout.as_str()), (130, ""), "{ended:?}");
    assert!(ended.stderr.contains("interrupted again"), "{ended:?}");
    assert_eq!(ended.files(), ["pipe"], "nothing half-written is left");
}
