//! `countersign diff`: compares two documents.

use clap::{Args, ValueEnum};

use super::config::{Config, ConfigFlags, ResolvedEntry, State};
use super::document::Source;
use super::edge;
use super::failure::{Failure, NOT_WRITTEN};
use super::report_flags::ReportFlags;
use crate::contract::document::Document;
use crate::diff::{AcceptedDifference, Diff, DifferenceScope, diff, read_with_files};
use crate::report::AcceptedState;

/// The exit code if there is a difference that fails the command, by `--fail-on`.
const DIFFERS: u8 = 1;

/// The arguments of `diff`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The old document: a file, `REVISION:PATH` in the current git repository, or `-` for standard input
    #[arg(value_name = "OLD")]
    old: Source,
    /// The new document, given in the same way
    #[arg(value_name = "NEW")]
    new: Source,
    /// The overlay of the old document, given in the same way
    #[arg(long, value_name = "FILE")]
    old_overlay: Option<Source>,
    /// The overlay of the new document, given in the same way
    #[arg(long, value_name = "FILE")]
    new_overlay: Option<Source>,
    /// What ends the command with 1
    #[arg(long, value_name = "WHAT", default_value = "breaking")]
    fail_on: FailOn,
    #[command(flatten)]
    config: ConfigFlags,
    #[command(flatten)]
    flags: ReportFlags<Diff>,
}

/// What ends the command with 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Any difference that is not accepted
    Any,
    /// A difference that breaks callers of the service, and is not accepted
    Breaking,
    /// Nothing
    None,
}

/// Compares the two documents and writes the reports.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    if arguments.old == Source::StandardInput && arguments.new == Source::StandardInput {
        let message = "both documents come from standard input; give a file for one of them".to_owned();
        return Err(Failure::Usage(message));
    }
    let contracts = [&arguments.old, &arguments.new];
    let overlays = [&arguments.old_overlay, &arguments.new_overlay].into_iter().flatten();
    let inputs = || contracts.into_iter().chain(overlays.clone());
    if inputs().filter(|input| **input == Source::StandardInput).count() > 1 {
        let message = "two inputs come from standard input; give a file for one of them".to_owned();
        return Err(Failure::Usage(message));
    }
    let files = contracts.into_iter().filter_map(Source::file);
    arguments.flags.reject_overwrites_of("a document", files)?;
    let files = overlays.clone().filter_map(Source::file);
    arguments.flags.reject_overwrites_of("an overlay", files)?;
    let config = Config::find(&arguments.config, false, &edge::working_folder())?;
    let files = config.iter().map(|config| config.path.as_path());
    arguments.flags.reject_overwrites_of("the configuration", files)?;
    let today = edge::now().date_naive();
    let entries = config.map_or_else(|| Ok(Vec::new()), |config| config.differences(today))?;
    let old = document(&arguments.old, arguments.old_overlay.as_ref())?;
    let new = document(&arguments.new, arguments.new_overlay.as_ref())?;
    let files = old.other_files().chain(new.other_files());
    arguments.flags.reject_overwrites_of("a file of a document", files)?;
    let mut diff = diff(&old, &new, Some(today));
    diff.old = arguments.old.named(diff.old);
    diff.new = arguments.new.named(diff.new);
    accept(&mut diff, &entries);
    if !arguments.flags.write(&diff)? {
        return Ok(NOT_WRITTEN);
    }
    let fails = match arguments.fail_on {
        FailOn::Any => diff.unaccepted().next().is_some(),
        FailOn::Breaking => diff.is_breaking(),
        FailOn::None => false,
    };
    Ok(if fails { DIFFERS } else { 0 })
}

/// Accepts what the entries cover, and prints a note on each entry that accepts nothing.
fn accept(diff: &mut Diff, entries: &[ResolvedEntry<DifferenceScope>]) {
    for written in entries {
        let accepted = AcceptedDifference {
            reason: written.reason.clone(),
            until: written.until,
            location: written.location.to_string(),
        };
        let (state, expired) = match written.state {
            State::Applies if diff.accept(&written.entry, &accepted) == 0 => (AcceptedState::NoLongerOccurs, None),
            State::Applies => (AcceptedState::Applies, None),
            State::Expired(since) => (AcceptedState::Expired, Some(since.to_string())),
            State::NeedsReason => (AcceptedState::NeedsReason, None),
        };
        if let Some(to_do) = state.to_do(expired.as_deref(), "keep to the old contract") {
            edge::note(&format!("note: {}: {} {to_do}", written.location, written.entry));
        }
    }
}

fn document(source: &Source, overlay: Option<&Source>) -> Result<Document, Failure> {
    let document = read_with_files(&source.to_string(), source.text("document")?, source.other_files())?;
    let Some(overlay) = overlay else {
        return Ok(document);
    };
    let overlaid = document.with_overlay(&overlay.to_string(), overlay.text("overlay")?);
    overlaid.map_err(|source| Failure::Overlaid {
        path: overlay.to_string().into(),
        source,
    })
}
