//! `countersign report`: writes a JSON report in other formats, after the run.

use std::path::{Path, PathBuf};

use clap::Args;

use super::edge;
use super::failure::{Failure, NOT_WRITTEN};
use super::report_flags::ReportFlags;
use crate::report::{MAX_REPORT_BYTES, ReadError, Record, read};

/// The arguments of `report`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The file that `check --report json=FILE` wrote; without it, or with `-`, standard input is read
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// End with the exit code of the check, instead of with 0
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    flags: ReportFlags,
}

/// Writes the reports; ends with 0, because it judges nothing, or with the check's own code if that was requested.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    arguments
        .flags
        .reject_overwrites_of("a report to read", arguments.file.as_deref().into_iter())?;
    let record = record(arguments.file.as_deref().unwrap_or(Path::new("-")))?;
    let code = if arguments.exit_code { record.exit_code } else { 0 };
    let written = arguments.flags.write(&record)?;
    Ok(if written { code } else { NOT_WRITTEN })
}

/// Returns the record of a JSON report; of standard input for `-`.
///
/// # Errors
///
/// A file that cannot be read, or that is not a report.
pub(super) fn record(file: &Path) -> Result<Record, Failure> {
    // One byte more than is read shows whether the file is larger.
    let max_bytes = u64::try_from(MAX_REPORT_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let text = edge::read_bytes("report", file, max_bytes)?;
    read(&text).map_err(|source| match source {
        ReadError::Empty if file == Path::new("-") => {
            Failure::Usage("standard input is empty; give a JSON report of a check".to_owned())
        }
        source => Failure::UnreadableReport {
            path: file.to_owned(),
            source,
        },
    })
}
