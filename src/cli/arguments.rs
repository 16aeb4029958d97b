//! The arguments of `countersign check`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args};

use super::config::{CheckSettings, ConfigFlags, Origin, Setting, TargetSettings};
use super::document::Source;
use super::edge::{ColorWhen, TARGET_VARIABLE};
use super::failure::Failure;
use super::format;
use super::output::ReportOption;
use crate::check::random_seed;
use crate::plan::{Bounds, Shard};
use crate::report::Record;

/// The arguments of `check`.
#[derive(Clone, Debug, Args)]
pub(super) struct Arguments {
    /// The target of `countersign.toml` to check; `embedded` is the reference service
    #[arg(long, value_name = "NAME", env = TARGET_VARIABLE)]
    pub(super) target: Option<Setting<String>>,
    #[command(flatten)]
    pub(super) configuration: ConfigFlags,
    /// A file that contains the target's token; without it the token comes from the target's variable or program, or
    /// from `COUNTERSIGN_TOKEN`
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// The client certificate for a target that asks for one: a PEM file with the certificate first, then its
    /// intermediate certificates
    #[arg(long, value_name = "FILE")]
    pub(super) cert: Option<PathBuf>,
    /// The private key of --cert, in a PEM file; not needed if the file of --cert contains it
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(super) key: Option<PathBuf>,
    #[command(flatten)]
    pub(super) service: TargetSettings,
    #[command(flatten)]
    pub(super) check: CheckSettings,
    /// Append a line of JSON to this file before and after each write; lines reach the disk at once, so that even a run
    /// that is killed shows what it may have left
    #[arg(long, value_name = "FILE")]
    pub(super) residue: Option<PathBuf>,
    /// Check only shard K of N of the plan; `countersign merge` joins the reports. Give all shards the same flags and
    /// --seed; --max-writes applies to each
    #[arg(long, value_name = "K/N", allow_hyphen_values = true)]
    pub(super) shard: Option<Shard>,
    /// Make the reference service deviate in this way; `list` prints all; repeatable
    #[arg(long, value_name = "NAME", conflicts_with = "base_url")]
    pub(super) fault: Vec<String>,
    /// Mark the findings about facts that this older contract does not state: a file, `REVISION:PATH` in the current
    /// git repository, or `-` for standard input
    #[arg(long, value_name = "OLD")]
    pub(super) since: Option<Source>,
    /// Make a finding of this rule fail the run; repeatable
    #[arg(long, value_name = "RULE")]
    pub(super) deny: Vec<String>,
    /// Report a finding of this rule without failing; repeatable
    #[arg(long, value_name = "RULE")]
    pub(super) warn: Vec<String>,
    /// Do not report this rule; repeatable
    #[arg(long, value_name = "RULE")]
    pub(super) allow: Vec<String>,
    /// Add an entry for each finding to the configuration; an entry accepts nothing until you fill in its reason
    #[arg(long, conflicts_with = "no_config")]
    pub(super) accept: bool,
    /// Print values of the target's data instead of their shapes
    #[arg(long)]
    pub(super) show_values: bool,
    // `format::help` has the help text, because it knows the formats.
    #[arg(long, value_name = "FORMAT[=FILE]", help = format::help::<Record>())]
    pub(super) report: Vec<ReportOption>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) color: ColorWhen,
    /// Print each exchange, and all that the summary shortens: each finding, undecided fact and answer
    #[arg(short, long, action = ArgAction::SetTrue, conflicts_with = "quiet")]
    pub(super) verbose: bool,
    /// Print only the verdict
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(super) quiet: bool,
}

/// Leaves these flags out of the help of a command in which they have no effect: it takes them because it takes all flags
/// of a check.
pub(super) fn without_effect(command: clap::Command, flags: &[&str]) -> clap::Command {
    flags
        .iter()
        .fold(command, |command, id| command.mut_arg(*id, |flag| flag.hide(true)))
}

/// What `check`, `plan` and `config` use of the flags of a check.
impl Arguments {
    /// Returns the file of the contract that was named.
    pub(super) fn spec(&self) -> Option<&Path> {
        self.check.spec.as_ref().map(|spec| spec.value.as_path())
    }

    /// Returns the file of the overlay that the contract gets.
    pub(super) fn overlay(&self) -> Option<&Path> {
        self.service.overlay.as_ref().map(|overlay| overlay.value.as_path())
    }

    /// Returns whether creates, updates and queries by `POST` are sent.
    pub(super) fn writes(&self) -> bool {
        // The reference service has nobody's data, so it gets writes unless somebody says otherwise.
        match self.service.writes.origin {
            Origin::Default => self.service.base_url.is_none(),
            _ => self.service.writes.value,
        }
    }

    /// Returns the seed, a random one if none was given.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`] for a shard without a seed: all shards must make the same choices.
    pub(super) fn chosen_seed(&self) -> Result<u64, Failure> {
        match (self.check.seed.as_ref(), self.shard) {
            (None, Some(_)) => Err(Failure::Usage(
                "--shard needs --seed: all shards must make the same choices; give each the same number, such as the \
                 number of the pipeline run"
                    .to_owned(),
            )),
            (seed, _) => Ok(seed.map_or_else(random_seed, |seed| seed.value)),
        }
    }

    /// Returns how many times the plan is carried out.
    pub(super) fn rounds(&self) -> u64 {
        self.check.repeat.value.0
    }

    pub(super) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Returns the bounds on the requests of each step.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            max_writes: self.service.max_writes.value.0,
            max_pages: self.check.max_pages.value.0,
            settle: Duration::from_secs_f64(self.service.pace.settle.value.0),
        }
    }
}
