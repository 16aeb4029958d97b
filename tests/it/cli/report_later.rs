//! `report`: a JSON report written in other formats, later and elsewhere.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::support::{check, countersign};
use super::target::Target;

/// The JSON report and the terminal's of a check that finds something.
fn checked() -> (String, String) {
    let target = Target::changed("/tags", |body| body["data"]["total"] = "41".into());
    let ended = check(&target.url(), &["--report", "terminal", "--report", "json=report.json"]).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    let json = std::fs::read_to_string(ended.path().join("report.json")).unwrap();
    (json, ended.stdout)
}

#[test]
fn what_the_check_wrote_is_written_again_in_each_format() {
    let (json, terminal) = checked();
    let reports = [
        "report", "run.json", "--report", "terminal", "--report", "json=again.json",
    ];
    let ended = countersign(&reports).file("run.json", &json).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "it judges nothing");
    assert_eq!(ended.stdout, terminal);
    let again = std::fs::read_to_string(ended.path().join("again.json")).unwrap();
    assert_eq!(again, json);
    let quiet = countersign(&["report", "-q", "run.json"]).file("run.json", &json).run();
    assert_eq!(quiet.stdout.lines().count(), 1, "{quiet:?}");
    let coloured = countersign(&["report", "run.json", "--color", "always"])
        .file("run.json", &json)
        .run();
    assert!(coloured.stdout.contains('\u{1b}'));
}

#[test]
fn the_code_of_the_check_is_there_for_whoever_asks() {
    let (json, _) = checked();
    let ended = countersign(&["report", "run.json", "-q", "--exit-code"])
        .file("run.json", json)
        .run();
    assert_eq!(ended.code, 1, "{ended:?}");
}

#[test]
fn standard_input_is_read_where_no_file_is_named() {
    let (json, terminal) = checked();
    for arguments in [&["report"][..], &["report", "-"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(arguments)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(json.as_bytes()).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success());
        assert_eq!(String::from_utf8(ended.stdout).unwrap(), terminal);
    }
}

/// The older word for an operation that was not selected is understood.
#[test]
fn a_report_that_calls_unselected_operations_left_out_is_read_too() {
    let ended = countersign(&["check", "--seed", "1", "--only", "getTags", "--report", "json=run.json"]).run();
    let newer = std::fs::read_to_string(ended.path().join("run.json")).unwrap();
    let older = newer.replace(r#""not-selected""#, r#""left-out""#);
    assert_ne!(newer, older);
    let again = |text: &str| {
        let ended = countersign(&["report", "run.json"]).file("run.json", text).run();
        assert_eq!(ended.code, 0, "{ended:?}");
        ended.stdout
    };
    assert_eq!(again(&older), again(&newer));
}

#[test]
fn what_is_no_report_of_this_version_is_rejected_and_nothing_is_written() {
    let (json, _) = checked();
    let newer = json.replacen("\"report_version\": 2", "\"report_version\": 3", 1);
    let counted = json.replacen("\"held\": ", "\"held\": 1", 1);
    let half = &json[..json.len() / 2];
    for (text, expected) in [
        (newer.as_str(), "version 3, but this countersign reads version 2"),
        (half, "truncated: it ends at line"),
        ("", "it is empty"),
        ("<testsuites/>", "not JSON at line 1"),
        (r#"{"version": "2.1.0"}"#, "not a report of countersign"),
        (counted.as_str(), "contradicts itself: /facts/held"),
        (r#"{"report_version": 2}"#, "missing field"),
    ] {
        let call = countersign(&["report", "run.json", "--report", "json=again.json"]).file("run.json", text);
        let ended = call.run();
        let message = ended.is_one_error(2);
        assert!(
            message.contains("`run.json`") && message.contains(expected),
            "{expected}: {message}"
        );
        assert_eq!(ended.files(), ["run.json"]);
    }
    let nothing = countersign(&["report"]).run();
    assert!(
        nothing.is_one_error(2).contains("standard input is empty"),
        "{nothing:?}"
    );
    let absent = countersign(&["report", "absent.json"]).run();
    assert!(absent.is_one_error(2).contains("`absent.json`"));
    let folder = countersign(&["report", "runs"]).folder("runs").run();
    assert!(folder.is_one_error(2).contains("`runs`"));
}

#[test]
fn a_report_that_cannot_be_written_ends_in_4() {
    let (json, _) = checked();
    let ended = countersign(&["report", "run.json", "--report", "json=absent/a.json"])
        .file("run.json", json)
        .run();
    assert!(ended.is_one_error(4).contains("`absent/a.json`"));
}

#[test]
fn a_text_in_a_report_commands_neither_a_terminal_nor_a_ci_system() {
    let (json, _) = checked();
    let evil = json.replace("getTags", "getTags\\u001b[2J\\n::error::a");
    let ended = countersign(&["report", "run.json", "-v"]).file("run.json", evil).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        !ended.stdout.lines().any(|line| line.trim_start().starts_with("::")),
        "{ended:?}"
    );
}
