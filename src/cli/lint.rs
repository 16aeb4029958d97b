//! `countersign lint`: lists what is wrong with documents.

use clap::Args;

use super::document::Source;
use super::failure::{Failure, NOT_WRITTEN};
use super::report_flags::ReportFlags;
use crate::lint::{LintReport, lint_with_files};

/// The exit code where something is wrong.
const DEFECTIVE: u8 = 1;

/// The arguments of `lint`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// OpenAPI documents: files, `REVISION:PATH` in the current git repository, or `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<Source>,
    #[command(flatten)]
    flags: ReportFlags<Vec<LintReport>>,
}

/// Lists the defects of each document and writes the reports.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let files = arguments.files.iter().filter_map(Source::file);
    arguments.flags.reject_overwrites_of("a document", files)?;
    let linted = arguments.files.iter().map(|source| {
        Ok(lint_with_files(
            &source.to_string(),
            source.text("document")?,
            source.other_files(),
        ))
    });
    let lints = linted.collect::<Result<Vec<_>, Failure>>()?;
    if !arguments.flags.write(&lints)? {
        return Ok(NOT_WRITTEN);
    }
    let is_sound = lints.iter().all(|lint| lint.findings.is_empty());
    Ok(if is_sound { 0 } else { DEFECTIVE })
}
