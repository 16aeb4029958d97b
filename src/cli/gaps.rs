//! `countersign gaps`: lists what the document leaves open, with what a ledger knows of it.

use std::fmt::Write as _;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use clap::Args;

use super::check::contract;
use super::config::EMBEDDED;
use super::edge;
use super::failure::Failure;
use super::ledger_file::{digest, read};
use crate::contract::Contract;
use crate::exchange::Target;
use crate::gaps::{self, Answer, LedgerLine, Trial, TrialClaim, TrialOutcome, WhyUnanswered};
use crate::report::{answer_in_words, counted};

/// The arguments of `gaps`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// A contract to use instead of the built-in one: an OpenAPI 3.0, 3.1 or 3.2 document
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// A ledger that `learn` has written
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// With a ledger that covers several targets: the base URL of the target whose answers are listed; `embedded` is
    /// the reference service
    #[arg(long, value_name = "URL", requires = "ledger")]
    of: Option<String>,
    /// With --ledger, print the answers as one JSON array
    #[arg(long, requires = "ledger")]
    json: bool,
    /// With --ledger, print the trials of each gap too: what was sent, what that showed, and the statuses of the
    /// control before, the variant and the control after
    #[arg(long, requires = "ledger", conflicts_with = "json")]
    trials: bool,
}

/// Prints each gap: its id, its question, and what is known of it.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let contract = contract(arguments.spec.as_deref(), None)?;
    let (answers, trials) = match &arguments.ledger {
        None => (Vec::new(), Vec::new()),
        Some(path) => {
            let now = edge::now();
            let lines = lines_of_target(read(path)?, &contract, (arguments.of.as_deref(), now))?;
            let trials = arguments.trials.then(|| gaps::known_trials(&lines, now));
            (gaps::known_answers(&lines, now), trials.unwrap_or_default())
        }
    };
    if arguments.json {
        edge::print_json(&answers)?;
    } else {
        edge::print(&listing(&contract, (&answers, &trials), arguments.ledger.is_some()))?;
    }
    Ok(0)
}

/// Returns the lines about this contract and one target, the named one or the only one. Tells how many are about
/// another contract, and how many are too old to count.
pub(super) fn lines_of_target(
    lines: Vec<LedgerLine>,
    contract: &Contract,
    (named, now): (Option<&str>, DateTime<Utc>),
) -> Result<Vec<LedgerLine>, Failure> {
    let mut lines = of_contract(lines, contract)?;
    let target = target(&lines, named)?;
    lines.retain(|line| line.target == target);
    let outdated = lines.iter().filter(|line| !line.is_current(now)).count();
    if outdated > 0 {
        edge::note(&format!(
            "left out {} of the ledger: what is older than 30 days, or dated more than five minutes ahead, does not count",
            counted(outdated, "line")
        ));
    }
    Ok(lines)
}

/// Returns the lines about this contract, and tells how many are about another.
fn of_contract(lines: Vec<LedgerLine>, contract: &Contract) -> Result<Vec<LedgerLine>, Failure> {
    let digest = digest(contract);
    let (same, others): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line.contract == digest);
    if same.is_empty() && !others.is_empty() {
        return Err(Failure::Usage(
            "every line of the ledger is about another contract, or another version of it; run `learn` again"
                .to_owned(),
        ));
    }
    if !others.is_empty() {
        edge::note(&format!(
            "left out {} about another contract, or another version of it",
            counted(others.len(), "line")
        ));
    }
    Ok(same)
}

/// Returns the one target that the lines are about, or the one that was named.
fn target(lines: &[LedgerLine], named: Option<&str>) -> Result<String, Failure> {
    let mut targets: Vec<_> = lines.iter().map(|line| line.target.as_str()).collect();
    targets.sort_unstable();
    targets.dedup();
    let named = named.map(|named| spelled(named, &targets)).transpose()?;
    match (named.as_deref(), targets.as_slice()) {
        (Some(named), all) if all.contains(&named) => Ok(named.to_owned()),
        (None, [one]) => Ok((*one).to_owned()),
        (None, []) => Ok(String::new()),
        (Some(named), all) => Err(Failure::Usage(format!(
            "the ledger has no line about `{named}`; it has some about {}",
            all.join(", ")
        ))),
        (None, all) => Err(Failure::Usage(format!(
            "the ledger is about several targets: {}; choose one with --of",
            all.join(", ")
        ))),
    }
}

/// Returns the name of a target as a ledger spells it.
fn spelled(named: &str, targets: &[&str]) -> Result<String, Failure> {
    if named == EMBEDDED || targets.contains(&named) {
        return Ok(named.to_owned());
    }
    // The error does not repeat what was typed, which may contain a password.
    let target = Target::parse(named).map_err(|error| Failure::Usage(format!("failed to read --of: {error}")))?;
    Ok(target.base_url())
}

fn listing(contract: &Contract, (answers, trials): (&[Answer], &[Trial]), has_ledger: bool) -> String {
    let mut text = String::new();
    for gap in &contract.gaps {
        // Writing into a String does not fail.
        let _ = writeln!(text, "{}: {}", gap.id, gap.question);
        let of_gap = answers.iter().filter(|answer| answer.gap == gap.id);
        let (unanswerable, known): (Vec<_>, Vec<_>) =
            of_gap.partition(|answer| answer.reason == Some(WhyUnanswered::AskTheOperator));
        if known.is_empty() && has_ledger {
            // `None`: no traffic answers it.
            let _ = match gap.kind {
                Some(_) if unanswerable.is_empty() => writeln!(text, "    not answered yet"),
                _ => writeln!(text, "    ask whoever runs the service"),
            };
        }
        for answer in known {
            let location = answer.location.as_ref().map(|location| format!(", at {location}"));
            let _ = writeln!(text, "    {}{}", answer_in_words(answer), location.unwrap_or_default());
        }
        for trial in trials.iter().filter(|trial| trial.gap == gap.id) {
            let _ = writeln!(text, "        {}", trial_in_words(trial));
        }
    }
    let _ = writeln!(text, "{}", counted(contract.gaps.len(), "gap"));
    text
}

/// Returns a trial in words: what was sent, what that showed, and the statuses in the order in which they came.
fn trial_in_words(trial: &Trial) -> String {
    let shown = match (&trial.claim, trial.outcome) {
        (Some(TrialClaim::OfAnswer(claim)), _) => claim.to_string(),
        (Some(TrialClaim::OfRequest { accepted: true }), _) => "accepted".to_owned(),
        (Some(TrialClaim::OfRequest { accepted: false }), _) => "rejected".to_owned(),
        (None, TrialOutcome::Void) => "decided nothing".to_owned(),
        // A trial that is `For` shows its claim, so it has one.
        (None, TrialOutcome::For | TrialOutcome::Against) => "contradicts every claim".to_owned(),
    };
    let status = |status: &Option<u16>| status.map_or_else(|| "no response".to_owned(), |status| status.to_string());
    let statuses: Vec<_> = trial.statuses.iter().map(status).collect();
    let statuses = statuses.join(", ");
    let Trial {
        operation,
        probe,
        count,
        ..
    } = trial;
    let count = counted(usize::try_from(*count).unwrap_or(usize::MAX), "trial");
    format!("{operation}: {probe}: {shown} ({statuses}), {count}")
}
