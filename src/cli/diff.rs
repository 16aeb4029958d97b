//! `countersign diff`: compares two contracts.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

use clap::{ArgAction, Args, ValueEnum};

use super::edge::{self, ColorWhen};
use super::failure::{Failure, NOT_WRITTEN};
use super::output::{append_summary, write_report};
use super::overwrites::reject_overwrites;
use super::report_flags::terminal;
use crate::cli::format::Stream;
use crate::contract::document::{Document, MAXIMUM_BYTES};
use crate::contract::openapi::{did_you_mean, near};
use crate::diff::{Diff, Meaning, diff, read};
use crate::report::{Terminal, diff_github, diff_json, diff_markdown, diff_markdown_within, diff_sarif, diff_terminal};

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
    /// Write a report to a file or to standard output, in one of the formats `github`, `json`, `markdown`, `sarif`, `terminal`; repeatable
    #[arg(long, value_name = "FORMAT[=FILE]")]
    report: Vec<Target>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
    /// List every fact that one document alone states
    #[arg(short, long, action = ArgAction::SetTrue, conflicts_with = "quiet")]
    verbose: bool,
    /// Print only the verdict
    #[arg(short, long, action = ArgAction::SetTrue)]
    quiet: bool,
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

/// How the differences are written.
#[derive(Debug)]
struct Format {
    name: &'static str,
    stream: Stream,
    write: fn(&Diff, &Terminal) -> String,
}

static FORMATS: &[Format] = &[
    Format {
        name: "github",
        stream: Stream::Commands,
        write: |diff, _| diff_github(diff),
    },
    Format {
        name: "json",
        stream: Stream::Document,
        write: |diff, _| diff_json(diff),
    },
    Format {
        name: "markdown",
        stream: Stream::Document,
        write: |diff, _| diff_markdown(diff),
    },
    Format {
        name: "sarif",
        stream: Stream::Document,
        write: |diff, _| diff_sarif(diff),
    },
    Format {
        name: "terminal",
        stream: Stream::Lines,
        write: diff_terminal,
    },
];

/// A format, and the file it goes to; standard output if none is named.
#[derive(Clone, Debug)]
struct Target {
    format: &'static Format,
    file: Option<PathBuf>,
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text
            .split_once('=')
            .map_or((text, None), |(name, file)| (name, Some(file)));
        if file == Some("") {
            return Err(format!("no file follows `{name}=`"));
        }
        let format = FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
            let hint = did_you_mean(near(name, FORMATS.iter().map(|format| format.name)));
            let names: Vec<_> = FORMATS.iter().map(|format| format!("`{}`", format.name)).collect();
            format!(
                "there is no format `{name}`{hint}; the formats are {}",
                names.join(", ")
            )
        })?;
        let file = file.map(PathBuf::from);
        Ok(Self { format, file })
    }
}

/// Compares the two documents and writes the reports.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    if arguments.old == STANDARD_INPUT && arguments.new == STANDARD_INPUT {
        let message = "both contracts come from standard input; give a file for one of them".to_owned();
        return Err(Failure::Usage(message));
    }
    let targets = targets(&arguments.report)?;
    reject_overwriting(arguments, &targets)?;
    let (old, new) = (document(&arguments.old)?, document(&arguments.new)?);
    let diff = diff(&old, &new, Some(edge::now().date_naive()));
    if !write(arguments, &targets, &diff) {
        return Ok(NOT_WRITTEN);
    }
    let fails = match arguments.fail_on {
        FailOn::Any => !diff.differences.is_empty(),
        FailOn::Breaking => diff.count(Meaning::Breaking) > 0,
        FailOn::None => false,
    };
    Ok(if fails { DIFFERS } else { 0 })
}

/// Returns the requested reports; the terminal report if none was requested.
fn targets(asked: &[Target]) -> Result<Vec<Target>, Failure> {
    for (index, target) in asked.iter().enumerate() {
        let same = |other: &Target| match (&target.file, &other.file) {
            (Some(file), Some(other)) => edge::same_file(file, other),
            (None, None) => {
                let document = |target: &Target| target.format.stream == Stream::Document;
                document(target) || document(other) || target.format.name == other.format.name
            }
            _ => false,
        };
        if asked.iter().take(index).any(same) {
            let name = target.format.name;
            let message = format!("two reports go to one place; give each its own file: --report {name}=FILE");
            return Err(Failure::Usage(message));
        }
    }
    if asked.is_empty() {
        // Our own name always parses.
        return Ok("terminal".parse().into_iter().collect());
    }
    Ok(asked.to_vec())
}

fn reject_overwriting(arguments: &Arguments, targets: &[Target]) -> Result<(), Failure> {
    let files = targets.iter().filter_map(|target| target.file.as_deref());
    let outputs: Vec<_> = files.map(|file| ("a report", file)).collect();
    let inputs = [&arguments.old, &arguments.new]
        .into_iter()
        .filter(|input| *input != STANDARD_INPUT);
    let inputs: Vec<_> = inputs.map(|input| ("a contract", Path::new(input))).collect();
    reject_overwrites(&outputs, &inputs)
}

/// Writes every report that can be written, and prints an error for each that cannot. Returns whether all were.
fn write(arguments: &Arguments, targets: &[Target], diff: &Diff) -> bool {
    let text = (arguments.quiet, arguments.verbose);
    let shown = terminal(arguments.color.on_stdout(), text, edge::width());
    let filed = terminal(arguments.color == ColorWhen::Always, text, None);
    let mut written = true;
    let mut note = |result: Result<(), Failure>| {
        if let Err(failure) = result {
            edge::error(&failure);
            written = false;
        }
    };
    for target in targets {
        let terminal = if target.file.is_some() { &filed } else { &shown };
        let report = (target.format.write)(diff, terminal);
        note(write_report(target.file.as_deref(), target.format.stream, &report));
    }
    let for_github = targets.iter().any(|target| target.format.stream == Stream::Commands);
    if let Some(summary) = edge::step_summary().filter(|_| for_github) {
        note(append_summary(&summary, |most| diff_markdown_within(diff, most)));
    }
    written
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
