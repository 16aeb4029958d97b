//! `--start`: a check starts the service itself, and whatever ends the check, the service ends with everything that it
//! started.

use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::stub::{Stub, sound};
use super::support::{Call, check, countersign};

/// A guard against a process that was left.
const LONGEST: Duration = Duration::from_secs(300);

/// Writes to a pipe for as long as it or one of its children lives.
const ALIVE: &str = "exec 9>alive; sleep 1000 &";

/// The URL of a port that is free. Other tests listen on another address.
fn free() -> String {
    let address = if cfg!(target_os = "linux") {
        "127.77.0.1"
    } else {
        "127.0.0.1"
    };
    let listener = TcpListener::bind((address, 0)).unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// The reference service at this URL, as a shell command.
fn serve(url: &str) -> String {
    let address = url.strip_prefix("http://").unwrap();
    format!("exec {} serve --listen {address}", env!("CARGO_BIN_EXE_countersign"))
}

/// A check that starts this script, which begins with a child of its own. What is received says that all of them ended.
fn starting(url: &str, script: &str, arguments: &[&str]) -> (Call, Receiver<()>) {
    let script = format!("{ALIVE} {script}");
    let call = check(url, &[arguments, &["--start", &script]].concat());
    let call = call.env("PATH", "/usr/bin:/bin").pipe("alive");
    let gone = all_gone(call.path());
    (call, gone)
}

fn all_gone(folder: &Path) -> Receiver<()> {
    writers_gone(folder, "alive")
}

/// Reads a pipe until nobody can write to it any more.
fn writers_gone(folder: &Path, pipe: &str) -> Receiver<()> {
    let (sender, gone) = channel();
    let pipe = folder.join(pipe);
    std::thread::spawn(move || {
        std::fs::read(pipe).unwrap();
        sender.send(()).unwrap();
    });
    gone
}

#[test]
fn a_service_is_started_and_checked_and_ends_with_its_children() {
    let url = free();
    let script = format!("echo said; echo said >&2; {}", serve(&url));
    let (call, gone) = starting(&url, &script, &[]);
    let (ended, report) = call.report();
    assert_eq!((ended.code, &report["outcome"]), (0, &"conforms".into()), "{ended:?}");
    ended.shows_nowhere("said");
    gone.recv_timeout(LONGEST).unwrap();
}

#[test]
fn a_service_that_ends_before_it_is_ready_is_reported_at_once_with_its_last_lines() {
    // The token comes last: what follows it may look like its next letter, and is hidden with it.
    let script = "echo the port is taken >&2; echo \"token $COUNTERSIGN_TOKEN\"; exit 7";
    let (call, gone) = starting(&free(), script, &["--wait", "86400"]);
    let (ended, report) = call.report();
    assert_eq!(ended.code, 3, "{ended:?}");
    assert_eq!(
        report["reason"],
        "the service exited before it was ready: exit status: 7"
    );
    let lines = ended.stderr.split_once("the last lines of the service:\n").unwrap().1;
    assert!(
        lines.starts_with("the port is taken\n") && lines.contains("$COUNTERSIGN_TOKEN"),
        "{ended:?}"
    );
    assert!(!ended.stdout.contains("the port is taken"), "{ended:?}");
    gone.recv_timeout(LONGEST).unwrap();
}

#[test]
fn a_service_that_is_never_ready_is_killed_even_if_it_ignores_the_request_to_end() {
    let script = "trap '' TERM; echo waiting for the database; while :; do sleep 1000; done";
    let (call, gone) = starting(&free(), script, &["--wait", "0.3"]);
    let (ended, report) = call.report();
    assert_eq!(ended.code, 3, "{ended:?}");
    let reason = report["reason"].as_str().unwrap();
    assert!(reason.starts_with("the target was not up within 0.3 s"), "{reason}");
    assert!(ended.stderr.contains("waiting for the database"), "{ended:?}");
    gone.recv_timeout(LONGEST).unwrap();
}

#[test]
fn a_check_that_is_ended_by_a_signal_ends_the_service_whatever_the_signal() {
    for (signal, code) in [("INT", 130), ("TERM", 130)] {
        let (call, gone) = starting(&free(), "wait", &["--wait", "86400"]);
        let running = call.start();
        running.first_error_line();
        running.signal(signal);
        assert_eq!(running.end().code, code, "{signal}");
        gone.recv_timeout(LONGEST).unwrap();
    }
}

#[test]
fn a_check_that_is_killed_leaves_no_service() {
    let (call, gone) = starting(&free(), "wait", &["--wait", "86400"]);
    let running = call.start();
    running.first_error_line();
    let _folder = running.kill();
    gone.recv_timeout(LONGEST).unwrap();
}

#[test]
fn a_service_that_ends_in_the_middle_of_a_check_is_reported_beside_what_was_judged() {
    let url = free();
    let address = url.strip_prefix("http://").unwrap();
    // It alone writes to the second pipe, which therefore ends when it does.
    let script = format!(
        "exec 8>shell; {} serve --listen {address} 8>&- & until [ -e stop ]; do sleep 0.05; done; kill $!; exit 4",
        env!("CARGO_BIN_EXE_countersign")
    );
    let (call, gone) = starting(
        &url,
        &script,
        &["--wait", "60", "--repeat", "1000", "--rate", "100", "-v"],
    );
    let call = call.pipe("shell");
    let folder = call.path().to_owned();
    let shell_gone = writers_gone(&folder, "shell");
    let running = call.start();
    // The first exchange is printed once the plan has begun.
    while !running.first_error_line().contains("GET") {}
    std::fs::write(folder.join("stop"), "").unwrap();
    shell_gone.recv_timeout(LONGEST).unwrap();
    running.signal("INT");
    let ended = running.end();
    assert_ne!(ended.code, 0);
    assert!(
        ended
            .stderr
            .contains("the service exited before the check ended: exit status: 4"),
        "{}",
        ended.stderr.lines().last().unwrap_or_default()
    );
    gone.recv_timeout(LONGEST).unwrap();
}

#[test]
fn a_service_is_not_started_where_another_one_would_be_checked_in_its_place() {
    let stub = Stub::start(|request, stream| std::io::Write::write_all(stream, sound(request).as_bytes()));
    let ended = check(&stub.url(), &["--start", "echo >started"]).run();
    let message = ended.is_one_error(2);
    assert!(
        message.contains("by --start: something already listens on http://127.0.0.1"),
        "{message}"
    );
    assert_eq!((ended.files().len(), stub.received().len()), (0, 0));
}

#[test]
fn there_must_be_a_target_and_a_program() {
    let ended = countersign(&["check", "--start", "true"]).run();
    assert!(ended.is_one_error(2).contains("give --base-url"));
    let ended = configured(&free(), "start = [\"no-such-program-of-nobody\"]").run();
    let message = ended.is_one_error(2);
    assert!(message.contains("by staging.toml:3: No such file"), "{message}");
    for empty in ["\"\"", "[]", "[\"\"]"] {
        let ended = configured(&free(), &format!("start = {empty}")).run();
        let message = ended.is_one_error(2);
        assert!(message.contains("staging.toml:3:9: `start` must be"), "{message}");
    }
}

/// A check of a target with this line, in a file that `--config` names.
fn configured(url: &str, line: &str) -> Call {
    let config = format!("[targets.staging]\nbase_url = \"{url}\"\n{line}\n");
    countersign(&["check", "--config", "staging.toml", "--target", "staging"])
        .env("COUNTERSIGN_TOKEN", super::support::TOKEN)
        .env("PATH", "/usr/bin:/bin")
        .file("staging.toml", config)
}

#[test]
fn a_configuration_that_is_named_starts_the_service_in_its_own_folder() {
    for (list, name, folder) in [(false, "../staging.toml", "below"), (true, "staging.toml", ".")] {
        let url = free();
        let script = format!("{ALIVE} {}", serve(&url));
        let line = if list {
            format!("start = [\"sh\", \"-c\", {script:?}]")
        } else {
            format!("start = {script:?}")
        };
        let config = format!("[targets.staging]\nbase_url = \"{url}\"\n{line}\n");
        let arguments = ["check", "--config", name, "--target", "staging", "--seed", "1"];
        let call = countersign(&arguments)
            .env("COUNTERSIGN_TOKEN", super::support::TOKEN)
            .env("PATH", "/usr/bin:/bin")
            .file("staging.toml", config)
            .pipe("alive")
            .folder("below")
            .within(folder);
        let gone = all_gone(call.path());
        let ended = call.run();
        assert_eq!(ended.code, 0, "{ended:?}");
        gone.recv_timeout(LONGEST).unwrap();
    }
}

#[test]
fn a_configuration_that_was_found_starts_nothing() {
    let config = "[targets.staging]\nbase_url = \"http://127.0.0.1:1\"\nstart = \"echo >started\"\n";
    for command in ["check", "config"] {
        let ended = countersign(&[command]).file("countersign.toml", config).run();
        let message = ended.is_one_error(2);
        assert!(
            message.contains("countersign.toml:3:9: `start` runs a program") && message.contains("--config"),
            "{message}"
        );
        assert_eq!(ended.files(), ["countersign.toml"]);
    }
}

#[test]
fn the_configuration_is_shown_without_the_command() {
    let call = countersign(&[
        "config", "--base-url", "http://127.0.0.1:1", "--start", "PASSWORD=geheim run",
    ]);
    let ended = call.run();
    assert!(ended.stdout.contains("a shell command"), "{ended:?}");
    ended.shows_nowhere("geheim");
}
