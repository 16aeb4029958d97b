//! Reports written to files: they are complete or absent, and an error is reported before anything is sent if they
//! cannot be written.

use std::io::Write as _;

use super::stub::{Stub, sound};
use super::support::{check, countersign};
use super::target::Target;

#[test]
fn a_report_that_cannot_be_written_is_reported_before_anything_is_sent() {
    for (path, parts) in [
        ("absent/report.json", ["`absent/report.json`", "folder"]),
        ("reports", ["`reports`", "folder"]),
        ("plain/report.json", ["`plain/report.json`", "folder"]),
    ] {
        let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
        let report = format!("json={path}");
        let call = check(&target.url(), &["--report", &report])
            .folder("reports")
            .file("plain", "");
        let ended = call.run();
        let message = ended.is_one_error(4);
        for part in parts {
            assert!(message.contains(part), "`{part}` is not in: {message}");
        }
        assert!(!message.contains(".countersign-"), "{message}");
        assert_eq!(ended.files(), ["plain", "reports"]);
        assert_eq!(target.received().len(), 0);
    }
}

#[test]
fn a_report_takes_the_place_of_the_one_before() {
    let target = Target::sound();
    let call = check(&target.url(), &["--report", "json=report.json"]).file("report.json", "{\"an older\": \"rep");
    let ended = call.run();
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{ended:?}");
    assert_eq!(ended.json("report.json")["outcome"], "conforms");
    assert_eq!(ended.files(), ["report.json"]);
}

#[test]
fn a_run_that_is_rejected_leaves_the_report_before_as_it_was() {
    let call = countersign(&[
        "check", "--base-url", "http://127.0.0.1:1", "--report", "json=report.json",
    ]);
    let ended = call.file("report.json", "an older one").run();
    ended.is_one_error(2);
    assert_eq!(
        std::fs::read_to_string(ended.path().join("report.json")).unwrap(),
        "an older one"
    );
    assert_eq!(ended.files(), ["report.json"]);
}

#[test]
fn a_report_that_cannot_be_written_keeps_no_other_from_being_written() {
    for (report, parts) in [
        ("junit=reports", ["`reports`", "it is a folder"]),
        ("junit=absent/junit.xml", ["`absent/junit.xml`", "is not a folder"]),
    ] {
        let target = Target::sound();
        let reports = [
            "--report", "json=report.json", "--report", report, "--report", "markdown=report.md",
        ];
        let ended = check(&target.url(), &reports).folder("reports").run();
        let message = ended.is_one_error(4);
        for part in parts {
            assert!(message.contains(part), "`{part}` is not in: {message}");
        }
        assert_eq!(ended.json("report.json")["outcome"], "conforms");
        assert_eq!(ended.files(), ["report.json", "report.md", "reports"]);
    }
}

#[test]
fn two_reports_to_one_place_are_a_usage_error_before_anything_is_sent() {
    for (reports, parts) in [
        (["json", "terminal"], ["standard output", "--report terminal=FILE"]),
        (["json", "json"], ["standard output", "--report json=FILE"]),
        (
            ["json=report.json", "junit=report.json"],
            ["`report.json`", "--report junit=FILE"],
        ),
        (
            ["json=report.json", "junit=./report.json"],
            ["`./report.json`", "--report junit=FILE"],
        ),
    ] {
        let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
        let arguments = ["--report", reports[0], "--report", reports[1]];
        let ended = check(&target.url(), &arguments).run();
        let message = ended.is_one_error(2);
        for part in parts {
            assert!(message.contains(part), "`{part}` is not in: {message}");
        }
        assert_eq!((target.received().len(), ended.files().len()), (0, 0), "{reports:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_no_other_report_from_being_written() {
    let target = Target::sound();
    let reports = [
        "--report", "junit=/dev/full", "--report", "json=report.json", "--report", "github",
    ];
    let ended = check(&target.url(), &reports)
        .env("GITHUB_STEP_SUMMARY", "/dev/full")
        .run();
    assert_eq!(ended.code, 4, "{ended:?}");
    assert_eq!(ended.stderr.matches("`/dev/full`").count(), 2, "{ended:?}");
    assert_eq!(ended.json("report.json")["outcome"], "conforms");
    assert!(ended.stdout.starts_with("::notice "), "{ended:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_reported_and_ends_in_4() {
    let target = Target::sound();
    let program = env!("CARGO_BIN_EXE_countersign");
    let command = format!(
        "exec {program} check --base-url {} --report json >/dev/full",
        target.url()
    );
    let ended = std::process::Command::new("sh")
        .args(["-c", &command])
        .env("COUNTERSIGN_TOKEN", super::support::TOKEN)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(4), "{ended:?}");
    assert!(
        String::from_utf8_lossy(&ended.stderr).contains("`standard output`"),
        "{ended:?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_ends_in_4() {
    let target = Target::sound();
    let ended = check(&target.url(), &["--report", "json=/dev/full"]).run();
    let message = ended.is_one_error(4);
    assert!(
        message.contains("`/dev/full`") && message.contains("space"),
        "{message}"
    );
}

#[test]
fn every_report_says_the_same() {
    let target = Target::changed("/tags", |body| {
        body["data"]["total"] = "41".into();
    });
    let reports = [
        "--report", "json", "--report", "terminal=run.txt", "--report", "json=again.json",
    ];
    let ended = check(&target.url(), &reports).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    let printed: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(printed, ended.json("again.json"));
    let text = std::fs::read_to_string(ended.path().join("run.txt")).unwrap();
    for finding in printed["findings"].as_array().unwrap() {
        assert!(text.contains(finding["fact"].as_str().unwrap()), "{finding}");
        assert!(text.contains(finding["reproduce"].as_str().unwrap()), "{finding}");
    }
}

#[cfg(unix)]
#[test]
fn a_report_may_be_read_by_whoever_may_read_other_files_of_the_user() {
    use std::os::unix::fs::PermissionsExt as _;
    let target = Target::sound();
    let ended = check(&target.url(), &["--report", "json=report.json"])
        .file("other", "")
        .run();
    let mode = |name: &str| std::fs::metadata(ended.path().join(name)).unwrap().permissions().mode();
    assert_eq!(mode("report.json"), mode("other"));
}
