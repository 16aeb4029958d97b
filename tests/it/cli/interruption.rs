//! Ctrl-C in the middle of a run: it ends at once, and reports what was judged and what it may have left.
#![cfg(unix)]

use std::io::Write as _;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use super::stub::{Stub, json, sound, stall};
use super::support::{Call, Running, TOKEN, check, countersign};

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
fn a_write_whose_response_never_comes_is_residue_and_is_not_repeated() {
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
fn sighup_is_an_interruption_too_as_a_terminal_that_closes_sends_it() {
    if ignores_sighup() {
        println!("NOT TESTED: these tests ignore SIGHUP, as under `nohup`, and so does what they start");
        return;
    }
    let (target, came) = stalling("POST");
    let arguments = [&["--writes", "--timeout", "60"][..], &REPORTS].concat();
    let running = check(&target.url(), &arguments).start();
    came.recv_timeout(Duration::from_secs(20)).unwrap();
    running.signal("HUP");
    let ended = running.end();
    assert_eq!(ended.code, 130, "{ended:?}");
    let report = ended.json("report.json");
    assert_eq!(report["outcome"], "interrupted");
    assert_eq!(report["residue"].as_array().unwrap().len(), 1, "{ended:?}");
    assert_eq!(ended.files(), ["report.json"]);
}

/// Whether this process ignores SIGHUP, which every process inherits that it starts.
fn ignores_sighup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 == 1)
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_to_outlive_its_terminal_does() {
    use std::process::{Command, Stdio};
    let (sender, came) = channel();
    let (release, released) = channel::<()>();
    let channels = Mutex::new((sender, released));
    let target = Stub::start(move |request, stream| {
        let channels = channels.lock().unwrap();
        let _ = channels.0.send(());
        // Nothing is answered until the signal was sent.
        let _ = channels.1.recv();
        drop(channels);
        stream.write_all(sound(request).as_bytes())
    });
    let program = env!("CARGO_BIN_EXE_countersign");
    let command = format!("trap '' HUP; exec {program} check --base-url {}", target.url());
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).env("COUNTERSIGN_TOKEN", TOKEN);
    let child = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    came.recv_timeout(Duration::from_secs(20)).unwrap();
    let process = child.id().to_string();
    let sent = Command::new("sh").args(["-c", "kill -s HUP \"$0\"", &process]).status();
    assert!(sent.unwrap().success());
    drop(release);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
}

#[test]
fn what_a_killed_run_left_is_taken_away_by_the_next_and_what_a_running_one_holds_is_not() {
    let begun = |folder: &std::path::Path| {
        let (target, came) = stalling("GET");
        let report = format!("json={}", folder.join("report.json").display());
        let running = check(&target.url(), &["--timeout", "60", "--report", &report]).start();
        came.recv_timeout(Duration::from_secs(20)).unwrap();
        (target, running)
    };
    let names = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let folder = tempfile::tempdir().unwrap();
    let (_target, running) = begun(folder.path());
    running.kill();
    let left = names(folder.path());
    assert!(left.len() == 1 && left[0].starts_with(".countersign-"), "{left:?}");
    let (_target, running) = begun(folder.path());
    let held = names(folder.path());
    assert!(held.len() == 1 && held != left, "{held:?}");
    // Another run in the same folder.
    let other = super::target::Target::sound();
    let report = format!("json={}", folder.path().join("other.json").display());
    assert_eq!(check(&other.url(), &["--report", &report]).run().code, 0);
    assert_eq!(names(folder.path()), [held[0].as_str(), "other.json"]);
    running.signal("INT");
    assert_eq!(running.end().code, 130);
    assert_eq!(names(folder.path()), ["other.json", "report.json"]);
}

#[test]
fn a_second_interruption_ends_a_run_whose_report_nobody_reads() {
    let own: [&[&str]; 2] = [
        &["check", "--accept"],
        &["learn", "--ledger", "ledger.jsonl", "--overlay", "known.yaml"],
    ];
    for (own, left) in own
        .into_iter()
        .zip([&["pipe"][..], &["known.yaml", "ledger.jsonl", "pipe"]])
    {
        let (target, came) = stalling("GET");
        let url = target.url();
        let arguments = [
            "--seed", "1", "--base-url", &url, "--timeout", "60", "--report", "json=pipe",
        ];
        let arguments = [own, &arguments, &["--report", "json=report.json"]].concat();
        let call = countersign(&arguments).env("COUNTERSIGN_TOKEN", TOKEN).pipe("pipe");
        let ended = interrupted_twice(call, &came);
        assert_eq!((ended.code, ended.stdout.as_str()), (130, ""), "{ended:?}");
        assert!(ended.stderr.contains("interrupted again"), "{ended:?}");
        assert_eq!(ended.files(), left, "nothing half-written is left");
    }
}

/// Interrupts a run, and once more while it writes its report into a pipe that nobody reads.
fn interrupted_twice(call: Call, came: &Receiver<()>) -> super::support::Ended {
    use std::io::Read as _;
    let pipe = call.path().join("pipe");
    // Opened for both, so that neither side waits for the other.
    let mut pipe = std::fs::OpenOptions::new().read(true).write(true).open(pipe).unwrap();
    let running = call.start();
    came.recv_timeout(Duration::from_secs(20)).unwrap();
    running.signal("INT");
    // The report is longer than a pipe holds, so it is being written from now on until somebody reads all of it.
    pipe.read_exact(&mut [0; 100]).unwrap();
    running.signal("INT");
    running.end()
}
