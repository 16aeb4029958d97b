//! The flags for showing a record or differences: which reports, in colour or not, how much. Every command that writes
//! reports shares them.

use std::path::Path;

use clap::{ArgAction, Args};

use super::edge::{self, ColorWhen};
use super::failure::Failure;
use super::format::{self, Reported};
use super::output::{Outputs, ReportOption, Terminals};
use super::overwrites::{self, reject_overwrites};
use crate::report::{Record, Styling, Terminal, Verbosity};

/// The flags of a command that writes reports.
#[derive(Debug, Args)]
pub(super) struct ReportFlags<Content: Reported = Record> {
    // `format::help` has the help text, because it knows the formats.
    #[arg(long, value_name = "FORMAT[=FILE]", help = format::help::<Content>())]
    report: Vec<ReportOption<Content>>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
    #[arg(short, long, action = ArgAction::SetTrue, conflicts_with = "quiet", help = Content::VERBOSE)]
    verbose: bool,
    /// Print only the verdict
    #[arg(short, long, action = ArgAction::SetTrue)]
    quiet: bool,
}

impl<Content: Reported> ReportFlags<Content> {
    /// Rejects a report that would replace a file that is read, which messages call `what`; `-` is standard input.
    ///
    /// # Errors
    ///
    /// Those of [`reject_overwrites`].
    pub(super) fn reject_overwrites_of<'path>(
        &self,
        what: &'static str,
        files: impl Iterator<Item = &'path Path>,
    ) -> Result<(), Failure> {
        let files = files.filter(|file| *file != Path::new("-"));
        let inputs: Vec<_> = files.map(|file| (what, file)).collect();
        reject_overwrites(&overwrites::reports(&self.report), &inputs)
    }

    /// Writes a report in every requested format. Returns whether all were written; prints an error for each that was
    /// not.
    ///
    /// # Errors
    ///
    /// If no report can be written, the failure of the last one.
    pub(super) fn write(&self, content: &Content) -> Result<bool, Failure> {
        let outputs = Outputs::open(&requested_reports(&self.report), edge::step_summary())?;
        Ok(outputs.write(content, &terminals(self.color, (self.quiet, self.verbose))))
    }
}

/// Returns the requested reports; the terminal report if none was requested.
pub(super) fn requested_reports<Content: Reported>(asked: &[ReportOption<Content>]) -> Vec<ReportOption<Content>> {
    // Our own name always parses.
    if asked.is_empty() {
        "terminal".parse().into_iter().collect()
    } else {
        asked.to_vec()
    }
}

/// Returns how the terminal report is written; `verbosity` says whether `-q` and whether `-v` was given.
pub(super) fn terminals(color: ColorWhen, verbosity: (bool, bool)) -> Terminals {
    Terminals {
        stdout: terminal(color.on_stdout(), verbosity, edge::width()),
        file: terminal(color == ColorWhen::Always, verbosity, None),
    }
}

/// Returns how the terminal report is written, in colour or not, to a terminal of this width.
pub(super) fn terminal(coloured: bool, (quiet, verbose): (bool, bool), width: Option<usize>) -> Terminal {
    let styling = if coloured { Styling::Coloured } else { Styling::Plain };
    let verbosity = match (quiet, verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    Terminal {
        styling,
        verbosity,
        width,
    }
}
