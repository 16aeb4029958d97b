//! `countersign learn`: asks a service what the document leaves open. It sends what a check sends as far as that answers
//! something, and questions between controls.

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use super::arguments::Arguments as CheckArguments;
use super::check;
use super::config::ResolvedArguments;
use super::failure::Failure;
use super::ledger_file::{LedgerFile, digest, reject_no_file};
use super::overwrites::Named;
use crate::contract::Contract;
use crate::contract::openapi::{did_you_mean, near};
use crate::gaps::{self, Run};
use crate::history::RunTag;
use crate::report::Record;

/// The arguments of `learn`.
#[derive(Debug, Args)]
pub(super) struct LearnArguments {
    /// Ask only about this gap; `countersign gaps` lists them; repeatable
    #[arg(long, value_name = "ID")]
    gap: Vec<String>,
    /// Add what the run answers to this file, in JSON Lines, and report what all of its runs know of the target
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    #[command(flatten)]
    check: CheckArguments,
}

/// What of the arguments is not a check's.
#[derive(Debug)]
pub(super) struct Learning {
    gaps: Vec<String>,
    ledger: Option<PathBuf>,
}

/// The flags of a check that say how it judges, or how often it runs.
const OF_JUDGING: [&str; 10] = [
    "accept",
    "allow",
    "deny",
    "fault",
    "quiet",
    "repeat",
    "require_facts",
    "shard",
    "since",
    "warn",
];
/// Those of them that mean something here all the same.
const OF_LEARNING: [&str; 2] = ["fault", "quiet"];

/// Hides the flags that mean nothing here.
pub(super) fn without_judging(command: clap::Command) -> clap::Command {
    let meaningless = OF_JUDGING.into_iter().filter(|id| !OF_LEARNING.contains(id));
    meaningless.fold(command, |command, id| command.mut_arg(id, |flag| flag.hide(true)))
}

/// Rejects flags that mean nothing here, before somebody believes that they do.
///
/// # Errors
///
/// [`Failure::Usage`] with the flag.
pub(super) fn reject_judging(matches: &ArgMatches) -> Result<(), Failure> {
    let typed = matches.subcommand().map(|(_, typed)| typed);
    let is_typed = |id: &&str| typed.is_some_and(|typed| typed.value_source(id) == Some(ValueSource::CommandLine));
    let mut meaningless = OF_JUDGING.into_iter().filter(|id| !OF_LEARNING.contains(id));
    match meaningless.find(is_typed) {
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
        let Self { gap, ledger, check } = self;
        (check, Learning { gaps: gap, ledger })
    }
}

/// Asks, writes the reports and the ledger, and ends with 0 if a gap was answered.
pub(super) fn run(learning: &Learning, resolved: &ResolvedArguments) -> Result<u8, Failure> {
    check::run_to_learn(resolved, Some(learning))
}

impl Learning {
    /// Returns the file that the answers are added to.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`] if it is there and no file.
    pub(super) fn ledger(&self) -> Result<Option<Named<'_>>, Failure> {
        let path = self.ledger.as_deref();
        path.map_or(Ok(()), reject_no_file)?;
        Ok(path.map(|path| ("the ledger", path)))
    }

    /// Returns the indexes of the gaps that are asked about; none for all.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`] for a gap that the contract does not have, or if it has none.
    pub(super) fn gaps(&self, contract: &Contract) -> Result<Vec<usize>, Failure> {
        if contract.gaps.is_empty() {
            return Err(Failure::Usage(format!(
                "`{}` names no gaps, so there is nothing to ask; list them under `x-gaps`, and name each by `x-gap` where \
                 it is",
                contract.document.name
            )));
        }
        let index = |id: &String| {
            let found = contract.gaps.iter().position(|gap| gap.id == *id);
            found.ok_or_else(|| {
                let hint = did_you_mean(near(id, contract.gaps.iter().map(|gap| gap.id.as_str())));
                Failure::Usage(format!(
                    "the contract has no gap `{id}`{hint}; `countersign gaps` lists those that it has"
                ))
            })
        };
        self.gaps.iter().map(index).collect()
    }

    /// Opens the ledger before anything is sent, and reads what earlier runs answered about the target.
    ///
    /// # Errors
    ///
    /// [`Failure::Ledger`] if it cannot be read or added to.
    pub(super) fn open(&self, contract: &Contract, target: &str) -> Result<Opened, Failure> {
        Ok(Opened {
            file: self.ledger.as_deref().map(LedgerFile::open).transpose()?,
            contract: digest(contract),
            target: target.to_owned(),
            gaps: self.gaps.clone(),
        })
    }
}

/// A ledger that a run adds to, if there is one, and what the run's lines say of it.
#[derive(Debug)]
pub(super) struct Opened {
    file: Option<LedgerFile>,
    contract: String,
    target: String,
    gaps: Vec<String>,
}

impl Opened {
    /// Adds the answers of the run to the ledger, and puts into the record what all runs of the ledger know.
    ///
    /// # Errors
    ///
    /// [`Failure::Ledger`] if it cannot be written.
    pub(super) fn conclude(
        self,
        (tag, started_at): (&RunTag, DateTime<Utc>),
        record: &mut Record,
    ) -> Result<(), Failure> {
        if !self.gaps.is_empty() {
            record.answers.retain(|answer| self.gaps.contains(&answer.gap));
            record.gaps.retain(|gap| self.gaps.contains(&gap.id));
        }
        // What earlier runs know is no success of this one.
        let is_told = record.answers.iter().any(|answer| answer.claim.is_some());
        if let Some(mut file) = self.file {
            let run = Run {
                tag: tag.as_str().to_owned(),
                time: started_at,
                target: self.target,
                contract: self.contract,
            };
            let lines = run.lines(&record.answers);
            file.append(&lines)?;
            let known = gaps::known(&file.of(&run.target, &run.contract, lines), started_at);
            let known = known
                .into_iter()
                .filter(|answer| self.gaps.is_empty() || self.gaps.contains(&answer.gap));
            record.answers = gaps::with_unknown(known.collect(), &record.answers);
        }
        record.exit_code = match record.exit_code {
            0 | 1 | 3 if is_told => 0,
            0 | 1 => 3,
            other => other,
        };
        Ok(())
    }
}
