//! `countersign diff`: compares two contracts.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};

use super::edge;
use super::failure::{Failure, NOT_WRITTEN};
use super::report_flags::ReportFlags;
use crate::contract::document::{Document, MAXIMUM_BYTES};
use crate::diff::{Diff, Meaning, diff, read};

/// The exit code where something breaks.
const DIFFERS: u8 = 1;
/// Standard input.
const STANDARD_INPUT: &str = "-";

/// The arguments of `diff`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The old contract: a file, `REVISION:PATH` of the git repository around, or `-` for standard input
    #[arg(value_name = "OLD")]
    old: String,
    /// The new contract, in the same ways
    #[arg(value_name = "NEW")]
    new: String,
    /// What ends the command with 1
    #[arg(long, value_name = "WHAT", default_value = "breaking")]
    fail_on: FailOn,
    #[command(flatten)]
    flags: ReportFlags<Diff>,
}

/// What ends the command with 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Any difference
    Any,
    /// A difference that breaks those who call the service
    Breaking,
    /// Nothing
    None,
}

/// Compares the two documents and writes the reports.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    if arguments.old == STANDARD_INPUT && arguments.new == STANDARD_INPUT {
        let message = "both contracts come from standard input; give a file for one of them".to_owned();
        return Err(Failure::Usage(message));
    }
    let inputs = [&arguments.old, &arguments.new];
    let files = inputs.into_iter().map(Path::new);
    arguments.flags.reject_overwrites_of("a contract", files)?;
    let (old, new) = (document(&arguments.old)?, document(&arguments.new)?);
    let diff = diff(&old, &new, Some(edge::now().date_naive()));
    if !arguments.flags.write(&diff)? {
        return Ok(NOT_WRITTEN);
    }
    let fails = match arguments.fail_on {
        FailOn::Any => !diff.differences.is_empty(),
        FailOn::Breaking => diff.count(Meaning::Breaking) > 0,
        FailOn::None => false,
    };
    Ok(if fails { DIFFERS } else { 0 })
}

fn document(name: &str) -> Result<Document, Failure> {
    let most = u64::try_from(MAXIMUM_BYTES).unwrap_or(u64::MAX);
    let path = Path::new(name);
    let text = if name != STANDARD_INPUT && name.contains(':') && !path.exists() {
        revision(name, most)?
    } else {
        edge::read("contract", path, most)?
    };
    let name = if name == STANDARD_INPUT { "standard input" } else { name };
    Ok(read(name, text)?)
}

/// Returns a file of a revision, by way of git.
fn revision(name: &str, most: u64) -> Result<String, Failure> {
    let failure = |reason: String| Failure::File {
        what: "contract",
        path: PathBuf::from(name),
        source: io::Error::other(reason),
    };
    let mut git = Command::new("git");
    let git = git.args(["cat-file", "blob", name]).stdin(Stdio::null());
    let spawned = git.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| failure(format!("git cannot be run: {error}; give a file")))?;
    let mut text = Vec::new();
    let taken = child
        .stdout
        .take()
        .map(|stdout| stdout.take(most + 1).read_to_end(&mut text));
    taken.transpose().map_err(|error| failure(error.to_string()))?;
    if u64::try_from(text.len()).is_ok_and(|length| length > most) {
        return Err(failure(format!(
            "it is larger than {} MiB, the most that is read",
            most >> 20
        )));
    }
    let ended = child.wait_with_output().map_err(|error| failure(error.to_string()))?;
    if !ended.status.success() {
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = said
            .lines()
            .next()
            .unwrap_or("git failed")
            .trim_start_matches("fatal: ")
            .trim_end_matches('.');
        let hint =
            "name an existing file, or a revision and a path from the root of the repository, as `HEAD~1:openapi.yaml`";
        return Err(failure(format!("{said}; {hint}")));
    }
    String::from_utf8(text).map_err(|_| failure("it is not UTF-8".to_owned()))
}
