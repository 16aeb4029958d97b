//! `countersign learn` asks what the document leaves open, and `countersign gaps` lists what a ledger knows of it.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use countersign::service::{self, Profile, ProfileSetting, Service, StoreUrl};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use super::stub::{Stub, json, sound, stall};
use super::support::{Ended, TOKEN, countersign};
use super::target::Target;

const LEDGER: &str = "ledger.jsonl";

fn learn(url: &str, arguments: &[&str]) -> Ended {
    let fixed = ["learn", "--seed", "1", "--base-url", url];
    countersign(&[&fixed, arguments].concat())
        .env("COUNTERSIGN_TOKEN", TOKEN)
        .run()
}

#[test]
fn a_report_has_the_exit_code_of_learn_although_the_overlay_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let overlay = folder.path().join("overlay.yaml");
    let taken = overlay.clone();
    let target = Stub::start(move |_, stream| {
        // Somebody else makes the file while the run is under way.
        std::fs::write(&taken, "").unwrap();
        stream.write_all(json("200 OK", "{}").as_bytes())
    });
    let overlay = overlay.display().to_string();
    let files = ["--ledger", LEDGER, "--overlay", &overlay, "--report", "json=run.json"];
    let ended = learn(&target.url(), &[&["--gap", "null-values"][..], &files].concat());
    assert_eq!(
        (ended.code, &ended.json("run.json")["exit_code"]),
        (4, &3.into()),
        "{ended:?}"
    );
}

#[test]
fn what_was_rejected_is_not_said_to_need_writes() {
    let target = Target::sound();
    let learned = |token: &str, arguments: &[&str]| {
        let fixed = ["learn", "--seed", "1", "--base-url", &target.url()];
        let ended = countersign(&[&fixed, arguments].concat())
            .env("COUNTERSIGN_TOKEN", token)
            .run();
        ended.stdout
    };
    let rejected = learned("another-token-of-nobody", &[]);
    for gap in ["success-status", "compression", "null-values"] {
        let line = format!("    {gap}: every request that would show it was rejected\n");
        assert!(rejected.contains(&line), "{gap}: {rejected}");
    }
    let nothing = learned(TOKEN, &["--gap", "purpose"]);
    assert!(nothing.contains("nothing was sent"), "{nothing}");
}

/// A folder with the ledger of a run without writes. It has asked the reference service, which one run does for all
/// tests.
fn learned(url: &str) -> TempDir {
    static LEARNED: LazyLock<(String, String)> = LazyLock::new(|| {
        let target = Target::sound();
        let ended = learn(&target.url(), &["--ledger", LEDGER]);
        assert_eq!(ended.code, 0, "{ended:?}");
        (
            target.url(),
            std::fs::read_to_string(ended.path().join(LEDGER)).unwrap(),
        )
    });
    let (asked, text) = &*LEARNED;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(LEDGER), text.replace(asked, url)).unwrap();
    folder
}

/// The answers of a ledger in this folder, after an edit of its lines.
fn known(folder: &Path, edit: impl Fn(usize, &mut Value)) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(LEDGER)).unwrap();
    let lines = text.lines().enumerate().map(|(number, line)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        edit(number, &mut line);
        line.to_string() + "\n"
    });
    std::fs::write(folder.join("edited.jsonl"), lines.collect::<String>()).unwrap();
    let path = folder.join("edited.jsonl");
    let ended = countersign(&["gaps", "--json", "--ledger", path.to_str().unwrap()]).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

fn states(answers: &[Value], gap: &str) -> Vec<String> {
    let of_gap = answers.iter().filter(|answer| answer["gap"] == gap);
    of_gap
        .map(|answer| answer["state"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_run_with_writes_answers_and_says_what_it_left() {
    let target = Target::sound();
    let ended = learn(
        &target.url(),
        &["--writes", "--report", "terminal", "--report", "json=r.json"],
    );
    assert_eq!(ended.code, 0, "{ended:?}");
    let expected = "Which values may gender have?\n    set: open (indicated): updateContact\n";
    assert!(ended.stdout.contains(expected), "{}", ended.stdout);
    let expected = "What does the venue_id of a contact do?\n    does: records-a-visit (seen): createContact\n";
    assert!(ended.stdout.contains(expected), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("    purpose: ask whoever runs the service\n"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("records left in the target"), "{}", ended.stdout);
    let report: Value = serde_json::from_slice(&std::fs::read(ended.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(report["learned"], true);
    assert_eq!(
        states(report["answers"].as_array().unwrap(), "gender-values"),
        ["indicated"]
    );
}

#[test]
fn without_writes_only_reads_are_sent() {
    let target = Target::sound();
    let ended = learn(&target.url(), &["--report", "json=r.json", "--report", "terminal"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let report: Value = serde_json::from_slice(&std::fs::read(ended.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(report["requests"]["writes"], 0);
    let answers = report["answers"].as_array().unwrap();
    assert_eq!(states(answers, "page-beyond-last"), ["indicated"; 4]);
    let reasons: Vec<_> = answers
        .iter()
        .filter(|answer| answer["gap"] == "gender-values")
        .collect();
    assert_eq!(reasons[0]["reason"], "needs writes");
}

#[test]
fn what_two_runs_indicate_an_hour_apart_is_established_unless_another_disagrees() {
    let target = Target::sound();
    let first = learned(&target.url());
    let folder = first.path();
    let path = folder.join(LEDGER);
    let count = std::fs::read_to_string(&path).unwrap().lines().count();
    let second = learn(&target.url(), &["--ledger", path.to_str().unwrap()]);
    assert_eq!(second.code, 0, "{second:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2 * count);
    assert_eq!(states(&known(folder, |_, _| {}), "page-size"), ["indicated"; 4]);
    let hours_ago = |number: usize, line: &mut Value, hours: i64| {
        if number < count {
            let time = line["time"]
                .as_str()
                .unwrap()
                .parse::<chrono::DateTime<chrono::Utc>>()
                .unwrap();
            line["time"] = (time - chrono::TimeDelta::hours(hours)).to_rfc3339().into();
        }
    };
    let apart = known(folder, |number, line| hours_ago(number, line, 2));
    assert_eq!(states(&apart, "page-size"), ["established"; 4]);
    assert_eq!(states(&apart, "challenge")[0], "seen");
    let old = known(folder, |number, line| hours_ago(number, line, 31 * 24));
    assert_eq!(states(&old, "page-size"), ["indicated"; 4]);
    let disagree = known(folder, |number, line| {
        hours_ago(number, line, 2);
        if number >= count && line["gap"] == "page-size" {
            line["claim"]["per_page"] = 25.into();
        }
    });
    assert_eq!(states(&disagree, "page-size"), ["unstable"; 4]);
}

#[test]
fn a_ledger_holds_no_value_of_the_target_and_no_token() {
    let target = Target::sound();
    let ended = learn(&target.url(), &["--writes", "--ledger", LEDGER]);
    let text = std::fs::read_to_string(ended.path().join(LEDGER)).unwrap();
    assert!(text.lines().count() > 50);
    // Every line is read again.
    let path = ended.path().join(LEDGER);
    let gaps = countersign(&["gaps", "--json", "--ledger", path.to_str().unwrap()]).run();
    assert_eq!((gaps.code, gaps.stderr.as_str()), (0, ""));
    let known: Vec<Value> = serde_json::from_str(&gaps.stdout).unwrap();
    let (trials, answers): (Vec<_>, Vec<_>) = text.lines().partition(|line| line.contains("\"probe\":"));
    assert_eq!(known.len(), answers.len());
    assert!(trials.len() > 50, "{}", trials.len());
    for value in [TOKEN, "Ada", "example.com", "North Hall", "Countersign-", "0000-4000"] {
        assert!(!text.contains(value), "{value}");
    }
}

#[test]
fn a_line_that_is_cut_is_left_out_and_told_and_the_next_run_begins_a_line() {
    let target = Target::sound();
    let folder = learned(&target.url());
    let path = folder.path().join(LEDGER);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines = text.lines().count();
    std::fs::write(&path, &text[..text.len() - 20]).unwrap();
    let again = learn(&target.url(), &["--ledger", path.to_str().unwrap()]);
    assert_eq!(again.code, 0, "{again:?}");
    let expected = format!("line {lines} of the ledger");
    assert!(again.stderr.contains(&expected), "{}", again.stderr);
    let text = std::fs::read_to_string(&path).unwrap();
    let whole = text.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok());
    assert_eq!((whole.count(), text.lines().count()), (2 * lines - 1, 2 * lines));
}

#[test]
fn a_line_that_is_not_utf_8_is_left_out_and_told_and_the_others_count() {
    let target = Target::sound();
    let folder = learned(&target.url());
    let path = folder.path().join(LEDGER);
    let whole = std::fs::read(&path).unwrap();
    let lines = || whole.split_inclusive(|byte| *byte == b'\n');
    let gaps = |text: &[u8]| {
        std::fs::write(&path, text).unwrap();
        countersign(&["gaps", "--json", "--ledger", path.to_str().unwrap()]).run()
    };
    let sound = gaps(&whole);
    assert_eq!((sound.code, sound.stderr.as_str()), (0, ""));
    // Inside a string, where the line stays JSON but for this byte.
    let mut spoilt = whole.clone();
    let at = lines().next().unwrap().len() + b"{\"version\":1,\"run\":\"r".len();
    spoilt[at] = 0xff;
    let without: Vec<u8> = lines().take(1).chain(lines().skip(2)).flatten().copied().collect();
    let (expected, left_out) = (gaps(&without), gaps(&spoilt));
    assert_eq!((left_out.code, &left_out.stdout), (0, &expected.stdout));
    assert!(left_out.stderr.contains("line 2 of the ledger"), "{}", left_out.stderr);
    let again = learn(&target.url(), &["--ledger", path.to_str().unwrap()]);
    assert_eq!(again.code, 0, "{again:?}");
    assert!(again.stderr.contains("line 2 of the ledger"), "{}", again.stderr);
    assert!(std::fs::read(&path).unwrap().starts_with(&spoilt));
    let crlf = String::from_utf8(whole.clone()).unwrap().replace('\n', "\r\n");
    let crlf = gaps(crlf.as_bytes());
    assert_eq!((crlf.stdout, crlf.stderr), (sound.stdout, String::new()));
    let none = gaps(b"\xff\xfe\n");
    assert_eq!(none.code, 2, "{none:?}");
    assert!(none.stderr.contains("is not a ledger"), "{none:?}");
}

#[test]
fn what_somebody_calls_indicated_or_established_without_trials_does_not_count() {
    let folder = learned("http://127.0.0.1:1");
    assert_eq!(states(&known(folder.path(), |_, _| {}), "page-size"), ["indicated"; 4]);
    let edited = |edit: fn(&mut Value)| {
        let answers = known(folder.path(), |_, line| {
            if line["gap"] == "page-size" {
                edit(line);
            }
        });
        states(&answers, "page-size")
    };
    assert!(edited(|line| line["trials"]["for"] = 3.into()).is_empty());
    assert!(edited(|line| line["trials"]["against"] = 1.into()).is_empty());
    assert!(edited(|line| line["state"] = "established".into()).is_empty());
    assert_eq!(edited(|line| line["state"] = "seen".into()), ["seen"; 4]);
}

#[test]
fn a_ledger_that_cannot_be_used_is_told_before_anything_is_sent() {
    let target = Target::sound();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("other.json"), "{\"version\":2}\n").unwrap();
    std::fs::write(at("text"), "no ledger\n").unwrap();
    for (file, code, expected) in [
        ("other.json", 2, "line 1 of the ledger"),
        ("text", 2, "is not a ledger"),
        ("no/folder", 4, "failed to write the ledger"),
    ] {
        let ended = learn(&target.url(), &["--ledger", &at(file)]);
        assert_eq!(ended.code, code, "{ended:?}");
        assert!(ended.stderr.contains(expected), "{file}: {}", ended.stderr);
    }
    let same = learn(
        &target.url(),
        &["--ledger", &at("text"), "--report", &format!("json={}", at("text"))],
    );
    assert_eq!(same.code, 2, "{same:?}");
    assert_eq!(std::fs::read_to_string(at("text")).unwrap(), "no ledger\n");
}

#[test]
fn standard_input_is_no_ledger_to_add_to() {
    let target = Target::sound();
    let ended = learn(&target.url(), &["--ledger", "-"]);
    assert!(ended.is_one_error(2).contains("name one for --ledger"), "{ended:?}");
    assert_eq!(ended.files(), [""; 0]);
}

#[test]
fn a_run_that_learns_has_one_round_whatever_the_configuration_repeats() {
    let target = Target::sound();
    let arguments = [
        "learn",
        "--seed",
        "1",
        "--gap",
        "page-size",
        "--base-url",
        &target.url(),
    ];
    let call = countersign(&arguments).env("COUNTERSIGN_TOKEN", TOKEN);
    let call = call.file("countersign.toml", "[check]\nrepeat = 3\n");
    let (ended, report) = call.report();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(report["requests"]["rounds"], 1, "{report}");
}

#[cfg(unix)]
#[test]
fn a_ledger_that_is_no_file_is_rejected_before_anything_is_sent_and_nobody_waits_for_it() {
    use std::io::Write as _;
    let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    let url = target.url();
    // Standard output is a pipe here.
    for ledger in ["pipe", "folder", "/dev/stdout", "/dev/null", "link"] {
        let learn = [
            "learn", "--base-url", &url, "--report", "json=r.json", "--ledger", ledger,
        ];
        for arguments in [&learn[..], &["gaps", "--ledger", ledger]] {
            let call = countersign(arguments).env("COUNTERSIGN_TOKEN", TOKEN);
            let call = call.pipe("pipe").folder("folder");
            std::os::unix::fs::symlink("pipe", call.path().join("link")).unwrap();
            let ended = call.run();
            let expected = format!("the ledger `{ledger}` is a folder, a pipe or a device");
            assert!(ended.is_one_error(2).contains(&expected), "{ended:?}");
            assert_eq!(ended.files(), ["folder", "link", "pipe"]);
        }
    }
    assert_eq!(target.received().len(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_ledger_that_a_standard_stream_goes_to_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(LEDGER);
    std::fs::write(&path, "").unwrap();
    let run = |arguments: &str| {
        let mut shell = std::process::Command::new("sh");
        shell.args([
            "-c",
            &format!("exec '{}' {arguments}", env!("CARGO_BIN_EXE_countersign")),
        ]);
        shell.current_dir(folder.path()).output().unwrap()
    };
    for arguments in ["learn --ledger ledger.jsonl", "gaps --ledger /dev/stdout"] {
        let ended = run(&format!("{arguments} >>ledger.jsonl"));
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("is where standard output goes"), "{stderr}");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
    for arguments in ["learn --ledger ledger.jsonl", "gaps --ledger /dev/stderr"] {
        std::fs::write(&path, "").unwrap();
        let ended = run(&format!("{arguments} 2>>ledger.jsonl"));
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        // There is no other place for the message.
        let message = std::fs::read_to_string(&path).unwrap();
        assert!(message.contains("is where standard error goes"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    std::fs::write(&path, "").unwrap();
    let apart = run("gaps --ledger ledger.jsonl >other 2>another");
    assert_eq!(apart.status.code(), Some(0), "{apart:?}");
}

#[cfg(unix)]
#[test]
fn a_ledger_behind_a_link_is_kept_where_the_link_leads_to() {
    let target = Target::sound();
    let folder = tempfile::tempdir().unwrap();
    let [link, file] = ["link", "file"].map(|name| folder.path().join(name));
    std::os::unix::fs::symlink("file", &link).unwrap();
    let mut lines = 0;
    for _ in 0..2 {
        let ended = learn(&target.url(), &["--ledger", link.to_str().unwrap()]);
        assert_eq!(ended.code, 0, "{ended:?}");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.lines().count() > lines, "{text}");
        lines = text.lines().count();
    }
    assert!(link.is_symlink());
    let ended = countersign(&["gaps", "--ledger", link.to_str().unwrap()]).run();
    assert!(ended.stdout.contains("per page: 10, indicated"), "{ended:?}");
}

#[test]
fn the_lines_of_another_contract_or_of_several_targets_are_not_mixed() {
    let target = Target::sound();
    let folder = learned(&target.url());
    let path = folder.path().join(LEDGER);
    let text = std::fs::read_to_string(&path).unwrap();
    let gaps = |text: &str, more: &[&str]| {
        std::fs::write(&path, text).unwrap();
        let fixed = ["gaps", "--ledger", path.to_str().unwrap()];
        countersign(&[&fixed, more].concat()).run()
    };
    let both = text.clone() + &text.replace(&target.url(), "https://other.example.com");
    let mixed = gaps(&both, &[]);
    assert_eq!(mixed.code, 2, "{mixed:?}");
    assert!(mixed.stderr.contains("choose one with --of"), "{}", mixed.stderr);
    let one = gaps(&both, &["--of", "https://other.example.com"]);
    assert!(one.stdout.contains("per page: 10, indicated"), "{}", one.stdout);
    let line: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let other = text.replace(line["contract"].as_str().unwrap(), "0000000000000000");
    let other = gaps(&other, &[]);
    assert_eq!(other.code, 2, "{other:?}");
    assert!(other.stderr.contains("another contract"), "{}", other.stderr);
}

#[test]
fn two_services_at_one_origin_are_two_targets() {
    let secret = format!("/{TOKEN}");
    let below = |path: &str| axum::Router::new().nest_service(path, super::target::reference());
    let target = Target::serve(below("/a").merge(below("/b")).merge(below(&secret)));
    let at = |path: &str| target.url() + path;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(LEDGER);
    let ledger = path.to_str().unwrap();
    for path in ["/a/", "/b", &secret] {
        let ended = learn(&at(path), &["--ledger", ledger, "--gap", "page-beyond-last"]);
        assert_eq!(ended.code, 0, "{ended:?}");
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let lines = text.lines().filter(|line| !line.contains("\"probe\":"));
    let lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut targets: Vec<_> = lines.map(|line| line["target"].as_str().unwrap().to_owned()).collect();
    let count = targets.len() / 3;
    targets.dedup();
    // Of a token in the path, a ledger has as little as a report.
    assert_eq!(targets, [at("/a"), at("/b"), at("/$COUNTERSIGN_TOKEN")]);
    let gaps = |more: &[&str]| countersign(&[&["gaps", "--json", "--ledger", ledger], more].concat()).run();
    assert!(gaps(&[]).is_one_error(2).contains("choose one with --of"));
    for named in targets.iter().chain([&at("/a/"), &at("/b/../b/")]) {
        let ended = gaps(&["--of", named]);
        let answers: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(answers.len(), count, "{named}");
        assert!(answers.iter().all(|answer| answer["trials"]["for"] == 4), "{ended:?}");
    }
    for (named, expected) in [
        (at(""), "has no line about"),
        (at("/c"), "has no line about"),
        ("embedded".to_owned(), "has no line about"),
        ("a".to_owned(), "failed to read --of: the base URL has no scheme"),
        ("http://ada:hunter2@example.com".to_owned(), "user name or password"),
    ] {
        let ended = gaps(&["--of", &named]);
        assert!(ended.is_one_error(2).contains(expected), "{ended:?}");
        assert!(!ended.stderr.contains("hunter2"), "{ended:?}");
    }
}

#[test]
fn what_judges_or_does_not_exist_is_rejected() {
    let target = Target::sound();
    let judged = learn(&target.url(), &["--deny", "status"]);
    assert_eq!(judged.code, 2);
    assert!(
        judged.stderr.contains("--deny does not apply to `learn`"),
        "{}",
        judged.stderr
    );
    let read = learn(&target.url(), &["--read-overlay", "known.yaml"]);
    assert_eq!(read.code, 2);
    assert!(read.stderr.contains("`learn` reads no overlay"), "{}", read.stderr);
    let gap = learn(&target.url(), &["--gap", "page-sizes"]);
    assert_eq!(gap.code, 2);
    assert!(gap.stderr.contains("did you mean `page-size`?"), "{}", gap.stderr);
    let one = learn(&target.url(), &["--gap", "page-beyond-last"]);
    assert!(one.stdout.contains("answers 1 of 1 gap\n"), "{}", one.stdout);
}

/// A document of a service like the one under test, without a key of our own.
const PLAIN: &str = "\
openapi: 3.0.3
info: {title: Contacts, version: '1'}
security: [{token: []}]
paths:
  /organization/v1/tags:
    get:
      operationId: getTags
      responses:
        2XX:
          description: Tags
          content:
            application/json:
              schema: {type: object, properties: {data: {$ref: '#/components/schemas/Page'}}}
components:
  securitySchemes: {token: {type: http, scheme: bearer}}
  schemas:
    Page: {type: object, properties: {items: {type: array, items: {type: object, properties: {id: {type: string}}}}}}
";

/// What `--overlay` adds to it.
const CHANGED: &str = "\
overlay: 1.0.0
info: {title: Known, version: '1'}
actions:
  - target: \"$['paths']['/organization/v1/tags']['get']['responses']['2XX']\"
    update:
      x-answers:
        - {gap: success-status, operation: getTags, claim: {status: 202}}
";

#[test]
fn a_document_without_gaps_is_asked_about_what_any_document_leaves_open() {
    let target = Target::sound();
    let with_spec = |arguments: &[&str]| {
        let call = countersign(arguments).env("COUNTERSIGN_TOKEN", TOKEN);
        call.file("plain.yaml", PLAIN).file("changed.yaml", CHANGED).report()
    };
    let url = target.url();
    let fixed = ["--base-url", &url, "--spec", "plain.yaml"];
    let (ended, report) = with_spec(&[&["learn"], &fixed[..]].concat());
    assert_eq!(ended.code, 0, "{ended:?}");
    let answers = report["answers"].as_array().unwrap();
    let claims: Vec<_> = answers
        .iter()
        .filter(|answer| !answer["claim"].is_null() && answer["gap"] != "latency" && answer["gap"] != "rate-limits")
        .map(|answer| {
            let of = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
            (of("gap"), of("state"), answer["claim"].to_string())
        })
        .collect();
    let expected = [
        ("challenge", "seen", r#"{"sent":true}"#),
        (
            "error-body",
            "seen",
            r#"{"media_type":"application/json","properties":["errors","message"]}"#,
        ),
        (
            "error-conditions",
            "indicated",
            r#"{"condition":"no-credential","status":401}"#,
        ),
        (
            "error-conditions",
            "seen",
            r#"{"condition":"wrong-credential","status":401}"#,
        ),
        ("identifier-spelling", "seen", r#"{"form":"uuid-lower"}"#),
        ("success-status", "indicated", r#"{"status":200}"#),
    ];
    let claims: Vec<_> = claims
        .iter()
        .map(|(gap, state, claim)| (&**gap, &**state, &**claim))
        .collect();
    assert_eq!(claims, expected);
    assert!(answers.iter().any(|answer| answer["gap"] == "rate-limits"));
    // A check is about what the document says, unless an overlay says more.
    let (ended, report) = with_spec(&[&["check"], &fixed[..]].concat());
    assert!(!ended.stdout.contains("  gaps "), "{}", ended.stdout);
    let is_empty = |name: &str| report[name].as_array().is_none_or(Vec::is_empty);
    assert!(is_empty("answers") && is_empty("gaps"));
    let (ended, report) = with_spec(&[&["check"], &fixed[..], &["--overlay", "changed.yaml"]].concat());
    assert!(ended.stdout.contains("warning[changed-answer]"), "{}", ended.stdout);
    // The line that reproduces it names both files.
    let changed = |report: &Value| {
        let mut findings = report["findings"].as_array().unwrap().iter();
        let changed = findings.find(|finding| finding["rule"] == "changed-answer");
        changed.unwrap()["reproduce"].as_str().unwrap().to_owned()
    };
    let line = changed(&report);
    let words: Vec<_> = line.split(' ').map(|word| word.trim_matches('\'')).collect();
    let (_, report) = with_spec(&words[1..]);
    assert_eq!(changed(&report), line);
}

#[test]
fn a_run_that_learns_nothing_is_no_success() {
    let ended = learn("http://127.0.0.1:1", &["--ledger", LEDGER]);
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("answers 0 of 40 gaps"), "{}", ended.stdout);
    assert_eq!(std::fs::read_to_string(ended.path().join(LEDGER)).unwrap(), "");
}

/// How often each operation is asked about without a credential.
#[cfg(unix)]
const WITHOUT_CREDENTIAL: usize = 4;

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_leaves_its_trials() {
    let (sender, came) = channel();
    let seen = Mutex::new((sender, HashMap::<String, usize>::new()));
    let target = Stub::start(move |request, stream| {
        let (sender, asked) = &mut *seen.lock().unwrap();
        let path = request.head.lines().next().unwrap_or_default().to_owned();
        if !request.authorized() && !request.head.contains("authorization") {
            *asked.entry(path.clone()).or_default() += 1;
        }
        let mut others = asked.iter().filter(|(other, _)| **other != path);
        if asked.get(&path) > Some(&1) && others.any(|(_, times)| *times == WITHOUT_CREDENTIAL) {
            sender.send(()).unwrap();
            return stall(stream);
        }
        stream.write_all(sound(request).as_bytes())
    });
    let url = target.url();
    let call = countersign(&["learn", "--seed", "1", "--base-url", &url, "--ledger", LEDGER]);
    let running = call.env("COUNTERSIGN_TOKEN", TOKEN).start();
    came.recv_timeout(Duration::from_secs(20)).unwrap();
    let folder = running.kill();
    let path = folder.path().join(LEDGER);
    let ended = countersign(&["gaps", "--trials", "--ledger", path.to_str().unwrap()]).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    let trials = ended.stdout.matches(": no credential: ").count();
    assert_eq!(trials, 1, "{}", ended.stdout);
    assert!(
        ended.stdout.contains("error-conditions: Which conditions"),
        "{}",
        ended.stdout
    );
}

#[test]
fn lines_that_are_too_old_to_count_are_mentioned() {
    let folder = learned("http://127.0.0.1:1");
    let path = folder.path().join(LEDGER);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"time\":\"20", "\"time\":\"19")).unwrap();
    let path = path.to_str().unwrap();
    for arguments in [
        &["gaps", "--ledger", path, "--of", "http://127.0.0.1:1"][..],
        &["learn", "--ledger", path, "--overlay", "new.yaml"],
    ] {
        let ended = countersign(arguments).run();
        assert!(
            ended.stderr.contains("of the ledger: what is older than 30 days"),
            "{ended:?}"
        );
        assert!(!ended.stdout.contains("in 4 of 4"), "{ended:?}");
    }
}

#[test]
fn why_there_is_no_answer_is_in_the_ledger_too() {
    let target = Target::sound();
    let reading = learn(&target.url(), &["--ledger", LEDGER]);
    assert_eq!(reading.code, 0, "{reading:?}");
    let path = reading.path().join(LEDGER);
    let listed = || {
        let ended = countersign(&["gaps", "--ledger", path.to_str().unwrap()]).run();
        let lines: Vec<_> = ended.stdout.lines().map(str::to_owned).collect();
        let place = lines
            .iter()
            .position(|line| line.starts_with("update-semantics:"))
            .unwrap();
        lines[place + 1].clone()
    };
    assert!(listed().contains("needs writes"), "{}", listed());
    let writing = learn(
        &target.url(),
        &[
            "--ledger",
            path.to_str().unwrap(),
            "--writes",
            "--gap",
            "update-semantics",
        ],
    );
    assert_eq!(writing.code, 0, "{writing:?}");
    assert!(listed().contains("indicated in 4 of 4"), "{}", listed());
    // An overlay states what is known.
    let overlay = countersign(&["learn", "--ledger", path.to_str().unwrap(), "--overlay", "new.yaml"]).run();
    let text = std::fs::read_to_string(overlay.path().join("new.yaml")).unwrap();
    assert!(
        text.contains("update-semantics") && !text.contains("cannot tell"),
        "{text}"
    );
}

#[test]
fn what_anybody_sees_who_is_not_let_in_is_no_success() {
    let target = Target::sound();
    let call = countersign(&["learn", "--seed", "1", "--base-url", &target.url()]);
    let ended = call.env("COUNTERSIGN_TOKEN", "tk-somebody-elses-token").run();
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("the token was rejected"), "{}", ended.stdout);
}

#[test]
fn what_a_run_learns_that_is_throttled_or_over_is_no_success() {
    let throttling = Stub::start(|_, stream| stream.write_all(json("429 Too Many Requests", "{}").as_bytes()));
    let ended = learn(&throttling.url(), &[]);
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("answers 1 of 40 gaps"), "{}", ended.stdout);
    // Who asks for longer than the run may take is not waited for.
    let stalling = Stub::start(|request, stream| {
        let later = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 10\r\nContent-Length: 0\r\n\r\n";
        let response = match request.head.contains("/tags") && request.authorized() {
            true => later.to_owned(),
            false => sound(request),
        };
        stream.write_all(response.as_bytes())
    });
    let ended = learn(&stalling.url(), &["--max-time", "2"]);
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(!ended.stdout.contains("answers 0 of 40 gaps"), "{}", ended.stdout);
}

#[test]
fn what_earlier_runs_know_is_no_success_of_one_that_learns_nothing() {
    let url = "http://127.0.0.1:1";
    let folder = learned(url);
    let path = folder.path().join(LEDGER);
    let ended = learn(url, &["--ledger", path.to_str().unwrap()]);
    assert_eq!(ended.code, 3, "{ended:?}");
}

/// Returns the address of a balancer that gives each connection to the next of two services.
fn balancer(runtime: &Runtime, urls: [String; 2]) -> String {
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    runtime.spawn(async move {
        for url in urls.iter().cycle() {
            let (mut client, _) = listener.accept().await.unwrap();
            let address = url.strip_prefix("http://").unwrap();
            let mut replica = TcpStream::connect(address).await.unwrap();
            tokio::spawn(async move { copy_bidirectional(&mut client, &mut replica).await });
        }
    });
    url
}

#[test]
fn replicas_that_are_chosen_for_each_connection_are_met_in_turn() {
    let runtime = Runtime::new().unwrap();
    let profile = Profile::of(&[ProfileSetting::parse("page-beyond-last=404").unwrap()]).unwrap();
    let service = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile);
    let other = Target::serve(service::app(runtime.block_on(service).unwrap()));
    let one = Target::sound();
    let url = balancer(&runtime, [one.url(), other.url()]);
    let ended = learn(&url, &["--report", "json=r.json"]);
    let report: Value = serde_json::from_slice(&std::fs::read(ended.path().join("r.json")).unwrap()).unwrap();
    let answers = report["answers"].as_array().unwrap();
    assert_eq!(states(answers, "page-beyond-last"), ["unstable"; 4], "{ended:?}");
    let statuses = states(answers, "success-status");
    assert_eq!(statuses.iter().filter(|state| *state == "indicated").count(), 4);
    drop(runtime);
}

#[test]
fn a_ledger_whose_lines_are_all_cut_is_added_to() {
    let target = Target::sound();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(LEDGER);
    std::fs::write(&path, "{\"version\":1,\"run\":\"r\n{\"vers").unwrap();
    let ended = learn(&target.url(), &["--ledger", path.to_str().unwrap()]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let note = "line 1, and 1 more of the ledger";
    assert!(ended.stderr.contains(note), "{}", ended.stderr);
}

#[test]
fn the_answers_of_a_ledger_are_json_whatever_its_names_look_like() {
    let folder = learned("http://127.0.0.1:1");
    let marker = "/a##[group]";
    let answers = known(folder.path(), |number, line| {
        if number == 0 || line.get("place").is_some() {
            line["place"] = Value::from(marker);
        }
    });
    assert!(answers.iter().any(|answer| answer["place"] == marker), "{answers:?}");
}

#[test]
fn answers_about_an_earlier_version_of_a_file_that_the_document_refers_to_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let document = "openapi: 3.0.3\ninfo: {title: Things, version: '1'}\nx-gaps:\n- {id: a-gap, question: Which?, kind: \
                    success-status, stated: not-shown, x-document: Here}\npaths:\n  /things:\n    get:\n      operationId: \
                    getThings\n      responses:\n        2XX: {description: Things, x-gap: [a-gap], content: \
                    {application/json: {schema: {$ref: thing.yaml}}}}\n";
    std::fs::write(folder.path().join("api.yaml"), document).unwrap();
    let contracts = ["{type: object}\n", "{type: array, items: {}}\n"].map(|thing| {
        std::fs::write(folder.path().join("thing.yaml"), thing).unwrap();
        let (spec, ledger) = (folder.path().join("api.yaml"), folder.path().join(LEDGER));
        let arguments = ["--spec", spec.to_str().unwrap(), "--ledger", ledger.to_str().unwrap()];
        let things = axum::Router::new().fallback(async || axum::Json(Value::Null));
        let ended = learn(&Target::serve(things).url(), &arguments);
        let text = std::fs::read_to_string(ledger).unwrap_or_default();
        let last: Value = serde_json::from_str(text.lines().last().unwrap_or_else(|| panic!("{ended:?}"))).unwrap();
        last["contract"].clone()
    });
    assert_ne!(contracts[0], contracts[1]);
}

#[test]
fn a_ledger_says_what_each_trial_sent_and_what_it_showed() {
    let path = learned("https://contacts.example.com");
    let path = path.path().join(LEDGER);
    let gaps = |further: &[&str]| {
        let arguments = [&["gaps", "--ledger", path.to_str().unwrap()], further].concat();
        countersign(&arguments).run().stdout
    };
    let trial = "        getContacts: a page beyond the last: beyond: empty, status: 200 (200, 200, 200), 4 trials\n";
    let (with, without) = (gaps(&["--trials"]), gaps(&[]));
    assert!(with.contains(trial), "{with}");
    assert!(
        !without.contains(" trials\n") && without.contains("    getContacts: beyond: empty"),
        "{without}"
    );
    let rejected = countersign(&["gaps", "--trials"]).run();
    assert_eq!(rejected.code, 2, "{rejected:?}");
}
