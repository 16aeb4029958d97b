//! `countersign lint`: lists what is wrong with documents.

use std::path::Path;

use clap::Args;

use super::document::Source;
use super::edge;
use super::failure::{Failure, NOT_WRITTEN};
use super::report_flags::ReportFlags;
use crate::contract::bundle::OtherFiles;
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
    let mut referred = Vec::new();
    let linted = arguments.files.iter().map(|source| {
        let others = source.other_files().map(|others| noting(others, &mut referred));
        let text = source.text("document")?;
        Ok::<_, Failure>(lint_with_files(&source.to_string(), text, others))
    });
    let (lints, failures): (Vec<_>, Vec<_>) = linted.partition(Result::is_ok);
    let lints: Vec<_> = lints.into_iter().flatten().collect();
    let failures: Vec<_> = failures.into_iter().filter_map(Result::err).collect();
    failures.iter().for_each(edge::error);
    let files = referred.iter().map(Path::new);
    arguments.flags.reject_overwrites_of("a file of a document", files)?;
    // What is wrong with the others is reported although one cannot be read.
    if !lints.is_empty() && !arguments.flags.write(&lints)? {
        return Ok(NOT_WRITTEN);
    }
    if let Some(failure) = failures.first() {
        return Ok(failure.exit_code());
    }
    let is_sound = lints.iter().all(|lint| lint.findings.is_empty());
    Ok(if is_sound { 0 } else { DEFECTIVE })
}

/// Returns the files that a document may refer to; the names of those that are read are added to `read`.
fn noting<'files>(mut others: OtherFiles<'files>, read: &'files mut Vec<String>) -> OtherFiles<'files> {
    let folder = others.shown_folder.clone();
    let mut inner = others.read;
    others.read = Box::new(move |path| {
        read.push(format!("{folder}{path}"));
        inner(path)
    });
    others
}
