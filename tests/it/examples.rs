//! The programs in `examples/`, run as whoever builds them runs them: processes that speak to the reference service over
//! a socket.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may, and looks for the programs that it runs"
)]

mod import;
mod list;
mod served;
mod visit;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

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
    let mut command = Command::new(built().join(name));
    command.env_clear().env("COUNTERSIGN_TOKEN", TOKEN).stdin(Stdio::null());
    command
}

/// The folder of the examples. Cargo tells a test the path of a program but not that of an example, and builds none for
/// `cargo test --test it`.
fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let program = Path::new(env!("CARGO_BIN_EXE_countersign"));
        let profile = program.parent().unwrap();
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--quiet", "--locked", "--examples"]);
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        let outcome = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
        profile.join("examples")
    })
}

#[test]
fn each_program_says_how_to_call_it() {
    for name in ["list_contacts", "import_contacts", "record_visit"] {
        let without_arguments = run(name, &[]);
        let without_token =
            ran(command(name)
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
fn a_base_url_that_is_none_or_leads_nowhere_is_told() {
    for (url, expected) in [
        ("contacts.example.com", "the base URL has no scheme"),
        // A port that nobody can listen on.
        ("http://127.0.0.1:1", "failed to get a complete answer"),
    ] {
        let outcome = run("list_contacts", &[url]);
        assert!(
            !outcome.success && outcome.stderr.contains(expected),
            "{}",
            outcome.stderr
        );
    }
}
