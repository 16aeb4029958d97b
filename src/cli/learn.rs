//! `countersign learn`: asks a service what the document leaves open. It sends those requests of a check that can
//! answer something, and questions between controls. It can write what a ledger establishes as an overlay.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use super::arguments::Arguments as CheckArguments;
use super::check;
use super::config::{Count, ResolvedArguments, Setting};
use super::document::STANDARD_INPUT;
use super::edge;
use super::failure::{COULD_NOT_JUDGE, Failure};
use super::gaps::lines_of_target;
use super::ledger_file::{self, LedgerFile, digest, require_regular_file};
use super::overlay_file::OverlayFile;
use super::overwrites::DescribedPath;
use crate::contract::Contract;
use crate::gaps::{self, LearnRun, LedgerLine};
use crate::history::RunTag;
use crate::plan::SettledAnswers;
use crate::report::Record;
use crate::run::{Event, RunEnd, Settings};

/// The arguments of `learn`.
#[derive(Debug, Args)]
pub(super) struct LearnArguments {
    /// Ask only about this gap, even if the ledger settles it; `countersign gaps` lists them; repeatable
    #[arg(long, value_name = "ID")]
    gap: Vec<String>,
    /// Append the answers of this run to this file, as JSON Lines, and report the combined answers of all runs in it
    /// about this target; what they settle is not asked again
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// With --overlay and a ledger that covers several targets: the base URL of the target to write the overlay for;
    /// `embedded` is the reference service
    #[arg(long, value_name = "URL", requires = "ledger")]
    of: Option<String>,
    /// Write what the ledger establishes as an overlay, for a person to review, to this new file; nothing is sent
    /// unless --base-url or --target is given
    #[arg(id = WRITTEN_OVERLAY, long = "overlay", value_name = "FILE")]
    overlay: Option<PathBuf>,
    /// Ask nothing more before the run would send more requests than this, with those of the search for what it left
    #[arg(long, value_name = "N", default_value_t, allow_negative_numbers = true)]
    max_requests: MaxRequests,
    #[command(flatten)]
    check: CheckArguments,
}

/// How many requests a run may send.
type MaxRequests = Count<{ Settings::DEFAULT_MAX_REQUESTS_TO_LEARN }, 1>;

/// The overlay that is written; the one that a check reads is another argument.
const WRITTEN_OVERLAY: &str = "written_overlay";

/// The arguments that `check` does not have.
#[derive(Debug)]
pub(super) struct Learning {
    gaps: Vec<String>,
    ledger: Option<PathBuf>,
    of: Option<String>,
    overlay: Option<PathBuf>,
    /// How many requests the run may send.
    pub(super) max_requests: u64,
}

/// The flags of a check that mean nothing here: they say how it judges, or how often it runs.
const JUDGING_FLAGS: [&str; 8] = [
    "accept", "allow", "deny", "repeat", "require_facts", "shard", "since", "warn",
];

/// Hides the flags that mean nothing here. In `check`, `--overlay` is read; in `learn`, it is written. Clap cannot
/// remove the first, so it is renamed to a hidden flag that rejects every value.
pub(super) fn hide_judging_flags(command: clap::Command) -> clap::Command {
    let command = JUDGING_FLAGS
        .into_iter()
        .fold(command, |command, id| command.mut_arg(id, |flag| flag.hide(true)));
    let reads_none = |_: &str| Err::<Setting<PathBuf>, _>("`learn` reads no overlay; leave it out");
    let base_url = "The service to probe; without it and without a target, the reference service is started and probed";
    let target = "The target of `countersign.toml` to probe; `embedded` is the reference service";
    command
        .mut_arg("base_url", |flag| flag.help(base_url))
        .mut_arg("target", |flag| flag.help(target))
        .mut_arg("overlay", |flag| {
            flag.long("read-overlay").hide(true).value_parser(reads_none)
        })
}

/// The flags that mean something where nothing is sent.
const LEDGER_FLAGS: [&str; 7] = ["config", "gap", "ledger", "no_config", "of", "spec", WRITTEN_OVERLAY];

/// Whether a flag was given on the command line, and not by a variable.
fn is_typed(matches: &ArgMatches, id: &str) -> bool {
    let typed = matches.subcommand().map(|(_, typed)| typed);
    typed.is_some_and(|typed| typed.value_source(id) == Some(ValueSource::CommandLine))
}

/// Rejects flags that mean nothing where nothing is sent, before somebody waits for what they ask for.
fn reject_flags_of_a_run(matches: &ArgMatches) -> Result<(), Failure> {
    let Some((_, typed)) = matches.subcommand() else {
        return Ok(());
    };
    // The names of groups of flags begin with a capital.
    let flags = typed
        .ids()
        .map(clap::Id::as_str)
        .filter(|id| id.starts_with(char::is_lowercase));
    let mut typed = flags.filter(|id| is_typed(matches, id));
    match typed.find(|id| !LEDGER_FLAGS.contains(id)) {
        None => Ok(()),
        Some(id) => Err(Failure::Usage(format!(
            "--{} does not apply to `learn --overlay` without --base-url and --target, which sends nothing; leave it out, \
             or give one of them",
            id.replace('_', "-")
        ))),
    }
}

/// Rejects flags that mean nothing here, before somebody believes that they do.
///
/// # Errors
///
/// [`Failure::Usage`] with the flag.
pub(super) fn reject_judging(matches: &ArgMatches) -> Result<(), Failure> {
    match JUDGING_FLAGS.into_iter().find(|id| is_typed(matches, id)) {
        None => Ok(()),
        Some(id) => Err(Failure::Usage(format!(
            "--{} does not apply to `learn`, which judges nothing; leave it out",
            id.replace('_', "-")
        ))),
    }
}

impl LearnArguments {
    /// Separates the arguments that a check has too.
    pub(super) fn split(self) -> (CheckArguments, Learning) {
        let Self {
            gap,
            ledger,
            of,
            overlay,
            max_requests,
            check,
        } = self;
        let learning = Learning {
            gaps: gap,
            ledger,
            of,
            overlay,
            max_requests: max_requests.0,
        };
        (check, learning)
    }
}

/// Asks, writes the reports, the ledger and the overlay, and ends with 0 if a gap was answered. With an overlay and
/// without a target, it asks nothing, and ends with 0 if the ledger establishes something.
pub(super) fn run(learning: &Learning, resolved: &ResolvedArguments, matches: &ArgMatches) -> Result<u8, Failure> {
    // Nobody asked for requests where a target is merely configured: `--overlay` alone reads the ledger.
    let asks = learning.overlay.is_none() || is_typed(matches, "base_url") || is_typed(matches, "target");
    match (&learning.overlay, &learning.ledger) {
        (Some(_), None) => Err(Failure::Usage(
            "--overlay writes what a ledger establishes, but there is none; give --ledger".to_owned(),
        )),
        (Some(overlay), Some(ledger)) if !asks => {
            reject_flags_of_a_run(matches)?;
            learning.write_known(resolved.arguments.spec(), (ledger, overlay))
        }
        _ if learning.of.is_some() => Err(Failure::Usage(
            "--of chooses a target of the ledger for --overlay, but this run asks its own target; leave it out"
                .to_owned(),
        )),
        _ => check::run_to_learn(resolved, Some(learning)),
    }
}

impl Learning {
    /// Writes what a ledger establishes as an overlay.
    fn write_known(&self, spec: Option<&Path>, (ledger, overlay): (&Path, &Path)) -> Result<u8, Failure> {
        let contract = check::contract(spec, None)?;
        self.gaps(&contract)?;
        let file = OverlayFile::open(overlay)?;
        let now = edge::now();
        let mut lines = lines_of_target(ledger_file::read(ledger)?, &contract, (self.of.as_deref(), now))?;
        lines.retain(|line| is_about(&self.gaps, line.gap()));
        let written = file.write(&contract, (&lines, now))?;
        edge::print(&written.summary)?;
        Ok(if written.answers == 0 { COULD_NOT_JUDGE } else { 0 })
    }

    /// Returns the files that are written: the ledger, then the overlay.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`] if the ledger is `-`, or its path exists and is not a regular file, or is where standard
    /// output goes.
    pub(super) fn outputs(&self) -> Result<Vec<DescribedPath<'_>>, Failure> {
        let ledger = self.ledger.as_deref();
        if ledger == Some(Path::new(STANDARD_INPUT)) {
            let message = "a ledger is a file, to which this run adds its answers; name one for --ledger";
            return Err(Failure::Usage(message.to_owned()));
        }
        ledger.map_or(Ok(()), require_regular_file)?;
        let overlay = self.overlay.as_deref().map(|path| ("the overlay", path));
        Ok(ledger
            .map(|path| ("the ledger", path))
            .into_iter()
            .chain(overlay)
            .collect())
    }

    /// Returns the indexes of the gaps that are asked about; none for all.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`] for a gap that the contract does not have.
    pub(super) fn gaps(&self, contract: &Contract) -> Result<Vec<usize>, Failure> {
        let index = |id: &String| {
            let found = contract.find_gap(id);
            found.map_err(|unknown| Failure::Usage(format!("{unknown}; `countersign gaps` lists those that it has")))
        };
        self.gaps.iter().map(index).collect()
    }

    /// Opens the ledger and the overlay before anything is sent, and reads what earlier runs answered about the target.
    ///
    /// # Errors
    ///
    /// Those of [`LedgerFile::open`] and [`OverlayFile::open`].
    pub(super) fn open(
        &self,
        contract: &Contract,
        (target, tag, started_at): (&str, &RunTag, DateTime<Utc>),
    ) -> Result<LearnFiles, Failure> {
        Ok(LearnFiles {
            overlay: self.overlay.as_deref().map(OverlayFile::open).transpose()?,
            ledger: self.ledger.as_deref().map(LedgerFile::open).transpose()?,
            run: LearnRun {
                tag: tag.as_str().to_owned(),
                time: started_at,
                target: target.to_owned(),
                contract: digest(contract),
            },
            gaps: self.gaps.clone(),
            written: Vec::new(),
            failure: None,
        })
    }
}

/// Whether a run is about a gap: one of those that were named, or any if none was.
fn is_about(named: &[String], gap: &str) -> bool {
    named.is_empty() || named.iter().any(|named| named == gap)
}

/// The ledger and the overlay that a run writes, where they are asked for, and what identifies the run in its lines.
#[derive(Debug)]
pub(super) struct LearnFiles {
    overlay: Option<OverlayFile>,
    ledger: Option<LedgerFile>,
    run: LearnRun,
    gaps: Vec<String>,
    /// The lines of this run that are in the ledger.
    written: Vec<LedgerLine>,
    /// Why a line could not be written; then none is written after it.
    failure: Option<Failure>,
}

impl LearnFiles {
    /// Returns what the ledger settles of this target and contract, so that the run need not ask it again; nothing if
    /// gaps are named, because those are to be asked about.
    pub(super) fn settled(&self, contract: &Contract) -> SettledAnswers {
        match &self.ledger {
            Some(ledger) if self.gaps.is_empty() => gaps::settled(contract, &self.earlier_lines(ledger), self.run.time),
            _ => SettledAnswers::default(),
        }
    }

    /// Returns the file that contains the overlay until it is complete.
    pub(super) fn unfinished(&self) -> Option<PathBuf> {
        self.overlay.as_ref().map(OverlayFile::unfinished)
    }

    /// Adds trials to the ledger while the run is under way, so that they are there if it is killed.
    pub(super) fn watch(&mut self, event: Event<'_>) {
        if let Event::Tried(trials) = event
            && self.ledger.is_some()
        {
            let trials = trials.iter().filter(|trial| is_about(&self.gaps, &trial.gap));
            let trials: Vec<_> = trials.cloned().collect();
            self.append(self.run.lines(&trials, &[]));
        }
    }

    /// Adds the other trials of the run and its answers to the ledger, puts into the record what all runs of the ledger
    /// know, writes the overlay, and sets the exit code of the record, also where one of the files cannot be written.
    ///
    /// # Errors
    ///
    /// [`Failure::Ledger`] or [`Failure::Overlay`] if one of them cannot be written.
    pub(super) fn conclude(mut self, ended: &RunEnd, contract: &Contract, record: &mut Record) -> Result<(), Failure> {
        record.answers.retain(|answer| is_about(&self.gaps, &answer.gap));
        record.trials.retain(|trial| is_about(&self.gaps, &trial.gap));
        record.gaps.retain(|gap| is_about(&self.gaps, &gap.id));
        // Only this run's answers decide the exit code, not those that earlier runs left in the ledger.
        let has_answered = record.answers.iter().any(|answer| answer.claim.is_some());
        // A run whose calls all failed has learned nothing about the service, and a run that was cut short has not
        // asked everything.
        let has_failed = matches!(
            ended,
            RunEnd::NothingSucceeded(_) | RunEnd::Throttled | RunEnd::TimeLimitExceeded(_) | RunEnd::TokenRejected(_)
        );
        record.exit_code = match record.exit_code {
            0 | 1 | 3 if has_answered && !has_failed => 0,
            0 | 1 => 3,
            other => other,
        };
        let trials = gaps::trials_without(&record.trials, &self.written);
        // Why a run answered nothing at all, such as for want of a connection, says nothing about the gaps. Trials that
        // fit no claim do: they speak against what earlier runs found.
        let answers = record.answers.iter().cloned();
        let answers = answers.filter(|answer| has_answered || answer.observations.against > 0);
        self.append(self.run.lines(&trials, &answers.collect::<Vec<_>>()));
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if let Some(ledger) = &self.ledger {
            let mut lines = self.earlier_lines(ledger);
            lines.extend(self.written.iter().cloned());
            lines.retain(|line| is_about(&self.gaps, line.gap()));
            record.answers = gaps::with_unanswered(gaps::known_answers(&lines, self.run.time), &record.answers);
            if let Some(overlay) = self.overlay {
                edge::note(overlay.write(contract, (&lines, self.run.time))?.summary.trim_end());
            }
        }
        Ok(())
    }

    fn earlier_lines(&self, ledger: &LedgerFile) -> Vec<LedgerLine> {
        ledger.lines_of(&self.run.target, &self.run.contract)
    }

    fn append(&mut self, lines: Vec<LedgerLine>) {
        if let (Some(ledger), None) = (&mut self.ledger, &self.failure) {
            match ledger.append(&lines) {
                Ok(()) => self.written.extend(lines),
                Err(failure) => self.failure = Some(failure),
            }
        }
    }
}
