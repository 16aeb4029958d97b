//! What CI does when `openapi.yaml` changes: the workflow `client` and its script, run here in a repository of its own,
//! with a fake `cargo` that writes the snapshot that the test provides.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may, and looks for the programs that it runs"
)]

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const WORKFLOW: &str = include_str!("../../.github/workflows/client.yml");
const SCRIPT: &str = include_str!("../../.ci/client-surface");
const BEFORE: &str = "# generated\ntypes::Venue.id: Option<String>\ntypes::Visit.id: Option<i64>\n";
const AFTER: &str =
    "# generated\ntypes::Venue.floor: Option<i64>\ntypes::Venue.id: Option<String>\ntypes::Visit.id: Option<String>\n";

#[test]
fn the_workflow_runs_scripts_of_the_clone_and_may_only_read() {
    let workflow: Value = serde_yaml::from_str(WORKFLOW).unwrap();
    assert_eq!(workflow["permissions"], serde_json::json!({ "contents": "read" }));
    let paths = workflow["on"]["pull_request"]["paths"].as_array().unwrap();
    for source in ["openapi.overlay.yaml", "openapi.yaml"] {
        assert!(paths.iter().any(|path| path == source), "{paths:?}");
    }
    let job = &workflow["jobs"]["surface"];
    assert!(job.get("permissions").is_none());
    let steps = job["steps"].as_array().unwrap().iter();
    let commands: Vec<_> = steps.filter_map(|step| step["run"].as_str()).collect();
    let expected = [
        "rustup toolchain install",
        "bash .ci/client-surface \"$BASE\"",
        "bash .ci/client-meaning \"$BASE\"",
        "bash .ci/run",
    ];
    assert_eq!(commands, expected);
}

#[test]
fn an_accepted_change_is_posted_line_by_line() {
    let clone = Clone::new();
    clone.write("snapshots/client_surface.snap", AFTER);
    let output = clone.script(AFTER, "HEAD");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary = clone.read("summary.md");
    let head = "## The surface of the client\n\n1 lines gone, 2 new since `HEAD`.\n\n````diff\n";
    assert!(summary.starts_with(head), "{summary}");
    for line in [
        "+types::Venue.floor: Option<i64>\n",
        "-types::Visit.id: Option<i64>\n",
        "+types::Visit.id: Option<String>\n",
    ] {
        assert!(summary.contains(line), "{summary}");
    }
    assert!(!summary.contains("types::Venue.id"), "{summary}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), summary);
}

#[test]
fn a_contract_that_leaves_the_surface_alone_says_so() {
    let clone = Clone::new();
    let output = clone.script(BEFORE, "HEAD");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        clone
            .read("summary.md")
            .contains("No type, field, method or error differs from `HEAD`.")
    );
}

#[test]
fn a_snapshot_that_is_not_accepted_is_posted_and_fails_with_the_command() {
    let clone = Clone::new();
    let output = clone.script(AFTER, "HEAD");
    assert_eq!(output.status.code(), Some(1));
    assert!(clone.read("summary.md").contains("+types::Venue.floor: Option<i64>\n"));
    let reported = String::from_utf8(output.stderr).unwrap();
    assert!(
        reported.contains("accept it by\n  INSTA_UPDATE=always cargo test --lib client::"),
        "{reported}"
    );
}

#[test]
fn a_client_that_cannot_be_generated_fails() {
    let clone = Clone::new();
    clone.write(
        "bin/cargo",
        "#!/bin/sh\necho 'openapi.yaml:1:1: broken' >&2\nexit 101\n",
    );
    let output = clone.run("HEAD");
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("openapi.yaml:1:1: broken")
    );
}

#[test]
fn a_base_that_is_no_commit_is_reported() {
    let clone = Clone::new();
    let output = clone.script(BEFORE, "no-such-commit");
    assert_eq!(output.status.code(), Some(2));
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        reported,
        ".ci/client-surface: failed to find the commit `no-such-commit`; fetch it first\n"
    );
}

/// A repository with the script and one commit.
struct Clone(TempDir);

impl Clone {
    fn new() -> Self {
        let clone = Self(tempfile::tempdir().unwrap());
        clone.write(".ci/client-surface", SCRIPT);
        clone.write("snapshots/client_surface.snap", BEFORE);
        for arguments in [
            &["init", "--quiet"][..],
            &["add", "."],
            &["commit", "--quiet", "--message", "before"],
        ] {
            let output = clone.command("git").args(arguments).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        clone
    }

    /// Runs the script with a `cargo` that generates this surface.
    fn script(&self, generated: &str, base: &str) -> Output {
        self.write("generated", generated);
        self.write("bin/cargo", "#!/bin/sh\ncp generated snapshots/client_surface.snap\n");
        self.run(base)
    }

    fn run(&self, base: &str) -> Output {
        let chmod = self.command("chmod").args(["+x", "bin/cargo"]).status().unwrap();
        assert!(chmod.success());
        self.command("bash")
            .args([".ci/client-surface", base])
            .output()
            .unwrap()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let path = env::var("PATH").unwrap();
        command.current_dir(self.0.path()).env_clear();
        command.env("PATH", format!("{}:{path}", self.0.path().join("bin").display()));
        command.env("GITHUB_STEP_SUMMARY", self.0.path().join("summary.md"));
        // Whatever the machine's own settings of git are.
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", self.0.path());
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Test");
            command.env(format!("GIT_{role}_EMAIL"), "test@example.com");
        }
        command
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.path().join(path)).unwrap()
    }
}
