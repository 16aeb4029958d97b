//! How a record is shown: which reports, in colour or not, how much. What every command that writes reports shares.

use std::path::Path;

use clap::{ArgAction, Args};

use super::apart::{self, apart};
use super::edge::{self, ColorWhen};
use super::failure::Failure;
use super::format;
use super::output::{Outputs, ReportTarget, Terminals};
use crate::report::{Record, Styling, Terminal, Verbosity};

/// The flags of a command that has a record and writes it.
#[derive(Debug, Args)]
pub(super) struct Shown {
    // What it does is said by `format::help`, which knows the formats.
    #[arg(long, value_name = "FORMAT[=FILE]", help = format::help())]
    report: Vec<ReportTarget>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
    /// Print each undecided fact
    #[arg(short, long, action = ArgAction::SetTrue, conflicts_with = "quiet")]
    verbose: bool,
    /// Print the verdict alone
    #[arg(short, long, action = ArgAction::SetTrue)]
    quiet: bool,
}

impl Shown {
    /// Rejects a report that would take the place of a file that is read; `-` is standard input.
    ///
    /// # Errors
    ///
    /// As [`apart`] has it.
    pub(super) fn apart_from<'path>(&self, files: impl Iterator<Item = &'path Path>) -> Result<(), Failure> {
        let files = files.filter(|file| *file != Path::new("-"));
        let inputs: Vec<_> = files.map(|file| ("a report to read", file)).collect();
        apart(&apart::reports(&self.report), &inputs)
    }

    /// Writes the record in every way that is asked for. Gives back whether all of them were written; each that was not
    /// is reported.
    ///
    /// # Errors
    ///
    /// The last of the reports that cannot be written, where none can.
    pub(super) fn write(&self, record: &Record) -> Result<bool, Failure> {
        let outputs = Outputs::open(&targets(&self.report), edge::step_summary())?;
        Ok(outputs.write(record, &terminals(self.color, (self.quiet, self.verbose))))
    }
}

/// The reports that were asked for; the terminal's where none was.
pub(super) fn targets(asked: &[ReportTarget]) -> Vec<ReportTarget> {
    // A name of our own always parses.
    if asked.is_empty() {
        "terminal".parse().into_iter().collect()
    } else {
        asked.to_vec()
    }
}

/// How the terminal's report is written; `shown` is whether little (`-q`) and whether much (`-v`) is wanted.
pub(super) fn terminals(color: ColorWhen, text: (bool, bool)) -> Terminals {
    Terminals {
        shown: lines(color.on_stdout(), text, edge::width()),
        filed: lines(color == ColorWhen::Always, text, None),
    }
}

/// How lines are written, in colour or not, to a terminal of this width.
pub(super) fn lines(coloured: bool, (quiet, verbose): (bool, bool), width: Option<usize>) -> Terminal {
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
