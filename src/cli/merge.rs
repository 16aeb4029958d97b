//! `countersign merge`: makes one report from those that the shards of a check, or a check and `judge`, wrote.

use std::path::PathBuf;

use clap::Args;

use super::config::{Percent, Setting};
use super::failure::{Failure, NOT_WRITTEN};
use super::report;
use super::report_flags::ReportFlags;
use crate::report::merge;

/// The arguments of `merge`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// JSON reports of `check --shard K/N`, `judge`, one whole `check` or an earlier merge; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// End with 3 if there are no errors, but less than this percentage of all facts was decided
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    require_facts: Option<Setting<Percent>>,
    #[command(flatten)]
    flags: ReportFlags,
}

/// Merges, writes the reports, and ends with the exit code for all shards together.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    arguments
        .flags
        .reject_overwrites_of("a report to read", arguments.files.iter().map(PathBuf::as_path))?;
    let named = arguments.files.iter().map(|file| {
        let record = report::record(file)?;
        Ok((file.display().to_string(), record))
    });
    let required = arguments.require_facts.as_ref().map(|percent| percent.value.0);
    let record = merge(named.collect::<Result<_, Failure>>()?, required)?;
    let written = arguments.flags.write(&record)?;
    Ok(if written { record.exit_code } else { NOT_WRITTEN })
}
