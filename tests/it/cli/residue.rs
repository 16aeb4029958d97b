//! `check --residue`: the account of writes on disk, before and after each is sent, so that even a killed run shows
//! what it may have left.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

use serde_json::Value;

use super::stub::{Stub, json as json_response, sound};
use super::support::{check, concerning, countersign};
use super::target::Target;

fn lines(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("residue.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const WRITING: [&str; 3] = ["--writes", "--residue", "residue.jsonl"];

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_has_named_the_write_under_way() {
    let (target, came) = super::interruption::stalling("POST");
    let running = check(&target.url(), &[&WRITING[..], &["--timeout", "60"]].concat()).start();
    came.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
    let folder = running.kill();
    let lines = lines(folder.path());
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[0]["target"], target.url());
    assert_eq!(
        (&lines[1]["operation"], &lines[1]["state"]),
        (&"createContact".into(), &"intended".into())
    );
    assert_eq!(lines[0]["run"], lines[1]["run"]);
}

#[test]
fn every_write_has_its_intent_and_its_outcome_and_what_is_left_has_its_id() {
    let target = Target::sound();
    let arguments = [&WRITING[..], &concerning("createContactMethod")].concat();
    let (ended, report) = check(&target.url(), &arguments).report();
    assert_eq!(ended.code, 0, "{ended:?}");
    let lines = lines(ended.path());
    let of = |state: &str| lines.iter().filter(|line| line["state"] == state).collect::<Vec<_>>();
    let (intended, answered) = (of("intended"), of("answered"));
    assert_eq!(intended.len() as u64, report["requests"]["writes"].as_u64().unwrap());
    // Two creates may be under way together, and either be answered first.
    let requests = |lines: &[&Value]| {
        lines
            .iter()
            .map(|line| line["request"].as_u64())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(intended.len(), answered.len());
    assert_eq!(requests(&intended), requests(&answered));
    let left = |entry: &Value| (entry["operation"].clone(), entry["id"].clone());
    let ids: Vec<_> = answered
        .iter()
        .filter(|line| line["id"].is_string())
        .map(|line| left(line))
        .collect();
    let residue: Vec<_> = report["residue"].as_array().unwrap().iter().map(left).collect();
    assert_eq!(ids, residue);
}

#[test]
fn a_second_run_is_appended_to_the_first() {
    let target = Target::sound();
    let writing = [&WRITING[..], &["--settle", "0", "--only", "createTag"]].concat();
    let first = check(&target.url(), &writing).run();
    let kept = std::fs::read_to_string(first.path().join("residue.jsonl")).unwrap();
    let second = check(&target.url(), &writing).file("residue.jsonl", &kept).run();
    let both = std::fs::read_to_string(second.path().join("residue.jsonl")).unwrap();
    assert!(both.starts_with(&kept) && both.len() > kept.len());
    assert_eq!(both.matches("\"started_at\"").count(), 2);
}

#[test]
fn a_file_that_cannot_be_written_is_reported_before_anything_is_sent() {
    use std::io::Write as _;
    for path in ["absent/residue.jsonl", "folder"] {
        let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
        let ended = check(&target.url(), &["--writes", "--residue", path])
            .folder("folder")
            .run();
        let message = ended.is_one_error(4);
        assert!(
            message.contains("residue") && message.contains(&format!("`{path}`")),
            "{message}"
        );
        assert_eq!(target.received().len(), 0);
    }
}

/// A device that is full takes the first line of no run, so that a stub file system is not needed.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_before_anything_is_sent() {
    let ended = countersign(&["check", "--residue", "/dev/full"]).run();
    assert!(ended.is_one_error(4).contains("`/dev/full`"), "{ended:?}");
}

/// The shell's limit on the size of a file stands for a disk that fills up in the middle of a run.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_ends_the_run_before_the_next_write() {
    let target = Target::sound();
    let folder = tempfile::tempdir().unwrap();
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"";
    let mut command = std::process::Command::new("sh");
    command
        .args([
            "-c",
            script,
            env!("CARGO_BIN_EXE_countersign"),
            "check",
            "--report",
            "json",
        ])
        .args(["--base-url", &target.url()])
        .args(WRITING);
    command
        .env("COUNTERSIGN_TOKEN", super::support::TOKEN)
        .current_dir(folder.path());
    let output = command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    super::support::valid(&report);
    assert_eq!((output.status.code(), &report["exit_code"]), (Some(4), &4.into()));
    assert_eq!(report["outcome"], "not-recorded");
    let text = std::fs::read_to_string(folder.path().join("residue.jsonl")).unwrap();
    let whole = text.lines().filter(|line| line.ends_with("\"state\":\"intended\"}"));
    let sent = report["requests"]["writes"].as_u64().unwrap();
    assert!(sent > 0 && whole.count() as u64 == sent, "{sent} writes sent: {text}");
}

#[test]
fn a_report_does_not_replace_the_residue() {
    let ended = countersign(&["check", "--residue", "same", "--report", "json=same"])
        .file("same", "")
        .run();
    assert!(ended.is_one_error(2).contains("`same`"), "{ended:?}");
    assert_eq!(std::fs::read_to_string(ended.path().join("same")).unwrap(), "");
}

#[test]
fn a_ledger_and_a_step_summary_are_not_added_to_the_residue() {
    let call = |flags: &[&str]| {
        let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
        let fixed = ["learn", "--base-url", &target.url(), "--residue", "residue.jsonl"];
        let call = countersign(&[&fixed, flags].concat()).env("COUNTERSIGN_TOKEN", super::support::TOKEN);
        (target, call.file("residue.jsonl", "").folder("folder"))
    };
    for ledger in ["residue.jsonl", "folder/../residue.jsonl"] {
        let (target, call) = call(&["--ledger", ledger]);
        let ended = call.run();
        let message = ended.is_one_error(2);
        assert!(
            message.contains("the ledger goes to") && message.contains("the residue"),
            "{message}"
        );
        assert_eq!(
            (target.received().len(), ended.files()),
            (0, vec!["folder".to_owned(), "residue.jsonl".to_owned()])
        );
    }
    let (target, summary) = call(&["--report", "github"]);
    let ended = summary.env("GITHUB_STEP_SUMMARY", "residue.jsonl").run();
    assert!(ended.is_one_error(2).contains("the step summary"), "{ended:?}");
    assert_eq!(target.received().len(), 0);
    let (target, apart) = call(&["--ledger", "ledger.jsonl"]);
    let ended = apart.run();
    assert_ne!(ended.code, 2, "{ended:?}");
    assert!(!target.received().is_empty());
    let text = |name: &str| std::fs::read_to_string(ended.path().join(name)).unwrap();
    assert!(
        text("residue.jsonl").contains("\"started_at\""),
        "{}",
        text("residue.jsonl")
    );
    assert!(
        !text("ledger.jsonl").contains("\"started_at\""),
        "{}",
        text("ledger.jsonl")
    );
}

#[test]
fn without_the_flag_nothing_is_written() {
    let target = Target::sound();
    let arguments = [&["--writes"][..], &concerning("createTag")].concat();
    assert_eq!(check(&target.url(), &arguments).run().files(), Vec::<String>::new());
}

/// A document of one create, whose record is read by its identifier.
const NOTES: &str = r#"
openapi: 3.0.3
info: {title: Notes, version: '1'}
security: [{bearer: []}]
paths:
  /notes:
    post:
      operationId: addNote
      requestBody: {content: {application/json: {schema: {type: object, properties: {text: {type: string}}}}}}
      responses:
        '201':
          description: Added
          content: {application/json: {schema: {type: object}}}
          links: {Show: {operationId: getNote, parameters: {id: $response.body#/id}}}
  /notes/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getNote
      responses: {'200': {description: A note, content: {application/json: {schema: {type: object, properties: {text: {type: string}}}}}}}
components:
  securitySchemes: {bearer: {type: http, scheme: bearer}}
"#;

#[test]
fn an_address_that_came_as_an_identifier_is_in_no_output() {
    for (id, flag, printed) in [
        ("quillfeather@example.com", None, false),
        ("+44 7700 900123", None, false),
        ("quillfeather@example.com", Some("--show-values"), true),
        ("note-17", None, true),
    ] {
        let service = Stub::start(move |request, stream| {
            let reported = match request.is("POST") && request.authorized() {
                true => json_response(
                    "201 Created",
                    &serde_json::json!({"id": id, "text": "of nobody"}).to_string(),
                ),
                false if request.authorized() => json_response("404 Not Found", "{}"),
                false => json_response("401 Unauthorized", "{}"),
            };
            stream.write_all(reported.as_bytes())
        });
        let reports =
            ["json", "html", "junit", "sarif", "markdown", "github"].map(|name| format!("--report={name}={name}.out"));
        let arguments = ["--spec", "notes.yaml", "--settle", "0", "--report", "terminal"].into_iter();
        let arguments: Vec<_> = arguments
            .chain(WRITING)
            .chain(flag)
            .chain(reports.iter().map(String::as_str))
            .collect();
        let ended = check(&service.url(), &arguments).file("notes.yaml", NOTES).run();
        let of_file = |name: &str| std::fs::read_to_string(ended.path().join(name)).unwrap();
        let residue = ["json.out", "html.out", "markdown.out", "residue.jsonl"].map(of_file);
        for text in residue.iter().chain([&ended.stdout]) {
            assert_eq!(text.contains(id), printed, "{id}: {text}");
            assert_eq!(text.contains("show-values reveals it"), !printed, "{id}: {text}");
        }
        for text in ["junit.out", "sarif.out", "github.out"]
            .map(of_file)
            .iter()
            .chain([&ended.stderr])
        {
            assert!(printed || !text.contains(id), "{id}: {text}");
        }
    }
}
