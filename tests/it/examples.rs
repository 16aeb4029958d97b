//! The programs in `examples/`, run as their users run them: as processes that speak to the reference service over a
//! socket.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod import;
mod list;
mod served;
mod visit;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use served::TOKEN;

/// What a program did.
struct Ran {
    success: bool,
    stdout: String,
    stderr: String,
}

/// Runs an example with these arguments and the token, to its end.
fn run(name: &str, arguments: &[&str]) -> Ran {
    ran(command(name).args(arguments))
}

fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        success: output.status.success(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn command(name: &str) -> Command {
    let mut command = Command::new(built(name));
    command.env_clear().env("COUNTERSIGN_TOKEN", TOKEN).stdin(Stdio::null());
    command
}

/// The program of an example. `cargo test` builds it, and tells a test no path but that of a command.
pub(crate) fn built(name: &str) -> PathBuf {
    let command = Path::new(env!("CARGO_BIN_EXE_countersign"));
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let example = command.with_file_name("examples").join(file);
    assert!(
        example.is_file(),
        "{name} is not built: `cargo build --examples` does that, as `cargo test` does"
    );
    example
}

#[test]
fn each_program_says_how_to_call_it() {
    for name in ["list_contacts", "import_contacts", "record_visit"] {
        let without_arguments = run(name, &[]);
        let without_token = ran(command(name)
            .env_remove("COUNTERSIGN_TOKEN")
            .args(["http://127.0.0.1:1", "a", "b", "c"]));
        for outcome in [without_arguments, without_token] {
            assert!(
                !outcome.success && outcome.stdout.is_empty(),
                "{name}: {}",
                outcome.stdout
            );
            let usage = format!("{name}: usage: {name} BASE_URL");
            assert!(outcome.stderr.starts_with(&usage), "{}", outcome.stderr);
        }
    }
}

#[test]
fn a_base_url_that_is_none_or_leads_nowhere_is_reported() {
    for (url, expected) in [
        ("contacts.example.com", "the base URL has no scheme"),
        // A port that nobody can listen on.
        ("http://127.0.0.1:1", "failed to get a complete response"),
    ] {
        let outcome = run("list_contacts", &[url]);
        assert!(
            !outcome.success && outcome.stderr.contains(expected),
            "{}",
            outcome.stderr
        );
    }
}
