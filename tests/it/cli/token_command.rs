//! A token that a program prints: when the program runs, whose configuration may name one, and that neither its first
//! nor its second token comes out anywhere.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::formats::EVERY_FORMAT;
use super::stub::{Received, Stub, json};
use super::support::{Call, Ended, TOKEN, countersign};
use crate::support::leaks::Scanner;

const FIRST: &str = "tk-5f1c09be-first-of-nobody";
const SECOND: &str = "qx/4711+second-of-somebody";

const SPEC: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
components:
  securitySchemes: {it: {type: http, scheme: bearer}}
  responses: {Things: {description: Things, content: {application/json: {schema: {type: array, items: {type: string}}}}}}
security: [{it: []}]
paths:
  /a: {get: {operationId: getA, responses: {'200': {$ref: '#/components/responses/Things'}}}}
  /b: {get: {operationId: getB, responses: {'200': {$ref: '#/components/responses/Things'}}}}
  /c: {get: {operationId: getC, responses: {'200': {$ref: '#/components/responses/Things'}}}}
  /d: {get: {operationId: getD, responses: {'200': {$ref: '#/components/responses/Things'}}}}
";

/// Prints the first token, and after that the second, and keeps count in the file `runs`.
fn script() -> String {
    format!("echo run >>runs; case $(wc -l <runs) in *1) echo {FIRST};; *) echo '{SECOND}';; esac")
}

/// Calls with a target that has these lines, in a file that `--config` names.
fn call(arguments: &[&str], url: &str, lines: &str) -> Call {
    let config = format!(
        "default_target = \"staging\"\n[check]\nspec = \"things.yaml\"\n[targets.staging]\nbase_url = \"{url}\"\n{lines}\n"
    );
    let named = [arguments, &["--config", "staging.toml"]].concat();
    countersign(&named)
        .file("staging.toml", config)
        .file("things.yaml", SPEC)
}

fn line(script: &str) -> String {
    format!("token_command = [\"sh\", \"-c\", {script:?}]")
}

/// Writes a response that repeats the credential wherever it can.
fn respond(request: &Received, stream: &mut std::net::TcpStream, lets_in: bool) -> std::io::Result<()> {
    let shown = request.header("authorization").unwrap_or_default();
    let (status, body) = if lets_in {
        ("200 OK", serde_json::json!([shown]))
    } else {
        ("401 No", serde_json::json!({ "message": shown }))
    };
    let response = json(status, &body.to_string());
    let echo = format!("Content-Type: application/json\r\nX-Echo: {shown}");
    stream.write_all(response.replacen("Content-Type: application/json", &echo, 1).as_bytes())
}

fn runs(folder: &std::path::Path) -> usize {
    std::fs::read_to_string(folder.join("runs")).map_or(0, |runs| runs.lines().count())
}

/// Whether an output has one of the tokens; the configuration here has both.
fn shows_one(ended: &Ended) -> bool {
    let shows = |token| ended.stdout.contains(token) || ended.stderr.contains(token);
    shows(FIRST) || shows(SECOND)
}

/// A service for which the first token expires after it was sent this many times.
fn expiring(after: usize) -> Stub {
    let sent = AtomicUsize::new(0);
    Stub::start(move |request, stream| {
        let lets_in = request.shows(SECOND) || (request.shows(FIRST) && sent.fetch_add(1, Ordering::SeqCst) < after);
        respond(request, stream, lets_in)
    })
}

#[test]
fn a_token_that_expires_in_the_middle_of_a_run_is_replaced_once_and_neither_comes_out() {
    let mut scanner = Scanner::new();
    scanner.hide("the first token", FIRST, true);
    scanner.hide("the second token", SECOND, true);
    for after in [0, 2] {
        for shown in [&["-v"][..], &["-v", "--show-values", "--jobs", "1"]] {
            let stub = expiring(after);
            let arguments = [&["check", "--seed", "1"][..], shown, &EVERY_FORMAT].concat();
            let ended = call(&arguments, &stub.url(), &line(&script())).run();
            assert_eq!((ended.code, runs(ended.path())), (0, 2), "{ended:?}");
            let report = ended.json("report.json");
            assert_eq!(report["findings"].to_string(), "[]");
            let received = stub.received();
            assert_eq!(report["requests"]["sent"], received.len(), "{report}");
            assert!(received.iter().any(|request| request.shows(SECOND)));
            scanner.assert_clean("standard output", ended.stdout.as_bytes());
            scanner.assert_clean("standard error", ended.stderr.as_bytes());
            for name in ended.files().iter().filter(|name| *name != "staging.toml") {
                scanner.assert_clean(name, &std::fs::read(ended.path().join(name)).unwrap());
            }
        }
    }
}

#[test]
fn a_token_that_stays_valid_is_asked_for_once_however_many_calls_are_rejected() {
    let stub = Stub::start(|request, stream| respond(request, stream, request.shows(FIRST)));
    let ended = call(&["check"], &stub.url(), &line(&script())).run();
    assert_eq!((ended.code, runs(ended.path())), (0, 1), "{ended:?}");
    // Its wrong ones and no credential are rejected as they should be.
    assert!(stub.received().iter().any(|request| !request.shows(FIRST)));
}

#[test]
fn a_token_that_is_rejected_after_all_is_reported_as_such() {
    for (script, code) in [
        // Another token, the same one, and none.
        (script(), 3),
        (format!("echo run >>runs; echo {FIRST}"), 3),
        (format!("echo run >>runs; echo {FIRST}; [ $(wc -l <runs) -eq 1 ]"), 3),
    ] {
        let stub = Stub::start(|request, stream| respond(request, stream, false));
        let ended = call(&["check"], &stub.url(), &line(&script)).run();
        assert_eq!((ended.code, runs(ended.path())), (code, 2), "{ended:?}");
        let reason = "the token was rejected with 401 by every operation";
        assert!(ended.stdout.contains(reason), "{ended:?}");
        assert!(!shows_one(&ended), "{ended:?}");
    }
}

#[test]
fn a_file_that_names_the_token_takes_the_place_of_the_program() {
    let stub = Stub::start(|request, stream| respond(request, stream, request.shows(TOKEN)));
    let call = call(&["check", "--token-file", "token"], &stub.url(), &line(&script())).file("token", TOKEN);
    let ended = call.run();
    assert_eq!((ended.code, runs(ended.path())), (0, 0), "{ended:?}");
}

#[test]
fn a_program_that_gives_no_token_ends_the_check_before_a_request() {
    for (lines, parts) in [
        (
            "token_command = [\"no-such-program-of-nobody\"]".to_owned(),
            &[
                "`no-such-program-of-nobody` (staging.toml:6)",
                "there is no such program",
            ][..],
        ),
        (line(&format!("echo {FIRST}; exit 3")), &["`sh`", "exit status: 3"]),
        (line("true"), &["`sh`", "it is empty"]),
        (line(&format!("printf '{FIRST}\\351'")), &["`sh`", "not visible ASCII"]),
        (
            "token_command = []".to_owned(),
            &["staging.toml:6:17", "a program and its arguments"],
        ),
        (
            "token_command = \"sh\"".to_owned(),
            &["staging.toml:6:", "token_command"],
        ),
        (
            line(&script()) + "\ntoken_env = \"STAGING_TOKEN\"",
            &["staging.toml:6:17", "remove one of them"],
        ),
    ] {
        let stub = expiring(9);
        let ended = call(&["check"], &stub.url(), &lines)
            .env("COUNTERSIGN_TOKEN", TOKEN)
            .run();
        let message = ended.is_one_error(2);
        for part in parts {
            assert!(message.contains(part), "{lines}: {message}");
        }
        assert_eq!(stub.received().len(), 0, "{lines}");
        assert!(!shows_one(&ended), "{ended:?}");
    }
}

#[test]
fn a_configuration_that_was_found_runs_nothing() {
    for command in [&["check"][..], &["check", "--target", "embedded"], &["config"]] {
        let config = format!(
            "[targets.staging]\nbase_url = \"http://127.0.0.1:1\"\n{}\n",
            line(&script())
        );
        let ended = countersign(command).file("countersign.toml", config).run();
        let message = ended.is_one_error(2);
        assert!(
            message.contains("countersign.toml:3:17") && message.contains("name it with --config"),
            "{message}"
        );
        assert_eq!(runs(ended.path()), 0, "{command:?}");
    }
}

#[test]
fn the_configuration_is_shown_without_running_the_program_or_showing_its_arguments() {
    for form in [&["config"][..], &["config", "--json"]] {
        let ended = call(form, "https://api.example.com", &line(&script())).run();
        assert_eq!((ended.code, runs(ended.path())), (0, 0), "{ended:?}");
        assert!(
            ended.stdout.contains("from `sh`") && ended.stdout.contains("staging.toml:6"),
            "{ended:?}"
        );
        assert!(!shows_one(&ended), "{ended:?}");
    }
}
