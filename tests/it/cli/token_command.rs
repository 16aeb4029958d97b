//! A token that a program prints: when the program runs, whose configuration may name one, and that neither its first
//! nor its second token comes out anywhere.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::formats::EVERY_FORMAT;
use super::resent::NOTES;
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

/// The notes of another group, without edge cases and with one kind of update.
fn notes_document() -> String {
    let lines = NOTES.lines().filter(|line| !line.trim_start().starts_with("patch:"));
    lines
        .chain(["x-edge-cases: []"])
        .flat_map(|line| [line, "\n"])
        .collect()
}

const SOMEBODYS: &str = "Somebody's";

/// The titles of the notes by identifier, and whether the first token has expired.
type Notes = (BTreeMap<String, String>, bool);

/// Responds to a request about notes with a valid token.
fn noted((method, path): (&str, &str), body: &str, notes: &mut Notes) -> String {
    let title = serde_json::from_str::<serde_json::Value>(body).map(|sent| sent["title"].clone());
    let title = title.ok().and_then(|title| title.as_str().map(str::to_owned));
    let id = path.strip_prefix("/notes/").unwrap_or_default().to_owned();
    let shown = |id: &str, title: &str| serde_json::json!({"id": id, "title": title}).to_string();
    let known = notes.0.get(&id).cloned();
    match (method, known, title) {
        ("POST", _, Some(title)) => {
            let id = format!("note-of-this-run-{}", notes.0.len() + 1);
            notes.0.insert(id.clone(), title.clone());
            json("201 Created", &shown(&id, &title))
        }
        ("GET", Some(title), _) => json("200 OK", &shown(&id, &title)),
        ("PUT", Some(_), Some(title)) => {
            notes.0.insert(id.clone(), title.clone());
            json("200 OK", &shown(&id, &title))
        }
        ("DELETE", Some(_), _) => {
            notes.0.remove(&id);
            json("204 No Content", "")
        }
        ("POST" | "PUT", _, None) => json("422 Unprocessable", "{}"),
        _ => json("404 Not Found", "{}"),
    }
}

/// Checks notes with a first token that expires with the first request of this method. Where that request gives the note
/// away, somebody else has one under its identifier from then on. Returns the requests, and the notes at the end.
fn notes_checked(expires_at: &'static str, gives_away: bool) -> (Vec<String>, Vec<String>) {
    let notes = Arc::new(Mutex::new(Notes::default()));
    let kept = Arc::clone(&notes);
    let stub = Stub::start(move |request, stream| {
        let mut notes = kept.lock().unwrap();
        let mut words = request.head.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        if request.shows(FIRST) && !notes.1 && method == expires_at {
            notes.1 = true;
            let id = path.trim_start_matches("/notes/").to_owned();
            gives_away.then(|| notes.0.insert(id, SOMEBODYS.to_owned()));
        }
        let lets_in = request.shows(SECOND) || request.shows(FIRST) && !notes.1;
        let response = match lets_in {
            true => noted((method, path), &request.body, &mut notes),
            false => json("401 No", "{}"),
        };
        stream.write_all(response.as_bytes())
    });
    let arguments = ["check", "--seed", "1", "--writes", "--cleanup", "--settle", "0"];
    let ended = call(&arguments, &stub.url(), &line(&script()))
        .file("things.yaml", notes_document())
        .run();
    assert_eq!(runs(ended.path()), 2, "{ended:?}");
    let received = stub.received();
    let sent = received
        .iter()
        .filter(|request| request.shows(FIRST) || request.shows(SECOND));
    let sent = sent.map(|request| request.head.split(" HTTP").next().unwrap().to_owned());
    (sent.collect(), notes.lock().unwrap().0.values().cloned().collect())
}

#[test]
fn a_write_that_an_expired_token_sent_is_sent_again_only_after_a_read_has_shown_its_record() {
    for method in ["DELETE", "PUT"] {
        let (sent, left) = notes_checked(method, false);
        assert!(left.is_empty(), "{method} {left:?} {sent:#?}");
        let first = sent.iter().position(|line| line.starts_with(method)).unwrap();
        let [expired, read, again] = &sent[first..first + 3] else {
            panic!()
        };
        assert_eq!(expired, again, "{sent:#?}");
        assert_eq!(
            read.split_once(' '),
            expired.split_once(' ').map(|(_, path)| ("GET", path))
        );
        let (sent, left) = notes_checked(method, true);
        let given_away = left.iter().filter(|title| *title == SOMEBODYS).count();
        assert_eq!(given_away, 1, "{method} {left:?} {sent:#?}");
        let first = sent.iter().find(|line| line.starts_with(method)).unwrap();
        assert_eq!(sent.iter().filter(|line| *line == first).count(), 1, "{sent:#?}");
    }
}
