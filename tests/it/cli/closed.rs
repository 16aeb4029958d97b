//! A standard output that is closed, or that its reader does not read to the end: exit code 4 reports that a report did
//! not arrive.
#![cfg(target_os = "linux")]

use std::process::{Command, Output, Stdio};

use super::support::{TOKEN, check};
use super::target::Target;

/// Runs the program by a shell, which redirects as the text says.
fn shell(arguments: &str, redirected: &str) -> Output {
    let command = format!("exec {} {arguments} {redirected}", env!("CARGO_BIN_EXE_countersign"));
    let folder = tempfile::tempdir().unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &command])
        .current_dir(folder.path())
        .env("COUNTERSIGN_TOKEN", TOKEN);
    shell.output().unwrap()
}

fn outcome_of(output: &Output) -> (Option<i32>, String) {
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// A JSON report in a file of its own.
fn reported(target: &Target) -> (super::support::Ended, String) {
    let ended = check(&target.url(), &["--report", "json=run.json"]).run();
    let path = ended.path().join("run.json").display().to_string();
    (ended, path)
}

#[test]
fn what_cannot_be_written_to_a_closed_output_ends_in_4() {
    let target = Target::sound();
    let (_kept, report) = reported(&target);
    let url = target.url();
    for (arguments, named) in [
        (
            format!("check --only getTags --base-url {url}"),
            "`standard output`: it is closed",
        ),
        (
            format!("check --only getTags --base-url {url} --report github"),
            "`standard output`: it is closed",
        ),
        (format!("report {report}"), "`standard output`: it is closed"),
        (format!("merge {report}"), "`standard output`: it is closed"),
        ("plan".to_owned(), "standard output: it is closed"),
        ("facts".to_owned(), "standard output: it is closed"),
        ("config".to_owned(), "standard output: it is closed"),
        ("rules".to_owned(), "standard output: it is closed"),
        ("explain status".to_owned(), "standard output: it is closed"),
        ("completions bash".to_owned(), "standard output: it is closed"),
        ("--version".to_owned(), "standard output: it is closed"),
        ("check --help".to_owned(), "standard output: it is closed"),
    ] {
        let (code, stderr) = outcome_of(&shell(&arguments, ">&-"));
        assert_eq!(code, Some(4), "{arguments}: {stderr}");
        assert!(stderr.contains(named), "{arguments}: {stderr}");
        // A full disk is no better.
        let (code, stderr) = outcome_of(&shell(&arguments, ">/dev/full"));
        assert_eq!(code, Some(4), "{arguments}: {stderr}");
    }
}

#[test]
fn an_output_that_is_thrown_away_is_none_that_is_closed() {
    let target = Target::sound();
    let check = format!("check --only getTags --base-url {}", target.url());
    // The second is how Python and Node throw an output away.
    for redirected in [">/dev/null", "1<>/dev/null", ">&- --report json=run.json"] {
        let (code, stderr) = outcome_of(&shell(&check, redirected));
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{redirected}");
    }
}

#[test]
fn a_report_whose_reader_went_away_was_not_written_and_a_page_was_read_as_far_as_wanted() {
    let target = Target::sound();
    let (_kept, report) = reported(&target);
    let url = target.url();
    for (arguments, code) in [
        (&["check", "--base-url", &url][..], 4),
        (&["report", &report], 4),
        (&["merge", &report], 4),
        (&["facts"], 0),
        (&["plan"], 0),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
        command.args(arguments).env_clear().env("COUNTERSIGN_TOKEN", TOKEN);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = outcome_of(&child.wait_with_output().unwrap());
        assert_eq!(ended.0, Some(code), "{arguments:?}: {}", ended.1);
        assert_eq!(
            ended.1.contains("`standard output`"),
            code == 4,
            "{arguments:?}: {}",
            ended.1
        );
    }
}
