//! The outcome of several shards together. The main function is [`decide`].
//!
//! # Design
//!
//! If one shard found a fact broken, it is broken, whatever happened to the others. Any other outcome needs all shards:
//! one that is missing, was interrupted or could not judge leaves its facts undecided, so the whole cannot be green.

use crate::report::phrases::counted;
use crate::report::record::{Outcome, OutcomeRecord, Record, ShardEnded, ShardsRecord, too_few};

/// The maximum number of shards that a reason names.
const MAX_NAMED: usize = 5;

/// Sets the outcome of the record of several shards, with the traffic that was added to them, and the reason if it
/// could not be judged. A whole run has its own.
pub(super) fn decide(record: &mut Record) {
    if let Some(shards) = &record.shards {
        let (outcome, reason) = of_shards(record, shards);
        let ended = OutcomeRecord { outcome, reason };
        let ended = match record.traffic.as_ref().and_then(|traffic| traffic.ended.as_ref()) {
            Some(of_traffic) => of_both(&ended, of_traffic),
            None => ended,
        };
        (record.outcome, record.reason) = (ended.outcome, ended.reason);
    }
}

/// Requires that this percentage of the facts was decided, and sets the exit code.
pub(super) fn require(record: &mut Record, percent: Option<f64>) {
    let short = percent.and_then(|percent| too_few(&record.facts, percent));
    if let Some(reason) = short.filter(|_| record.outcome == Outcome::Conforms) {
        (record.outcome, record.reason) = (Outcome::CouldNotJudge, Some(reason));
    }
    record.exit_code = record.outcome.exit_code();
}

/// Returns the outcome of a run and of recorded traffic together: an error of either comes first, then whatever kept
/// either from being judged.
pub(super) fn of_both(run: &OutcomeRecord, traffic: &OutcomeRecord) -> OutcomeRecord {
    let both = [run, traffic];
    let ended = |outcome: &Outcome| both.iter().any(|ended| ended.outcome == *outcome);
    let outcome = [
        Outcome::DoesNotConform,
        Outcome::WriteLogFailed,
        Outcome::Interrupted,
        Outcome::CouldNotJudge,
    ]
    .into_iter()
    .find(ended)
    .unwrap_or(Outcome::Conforms);
    let reasons = both.iter().filter_map(|ended| ended.reason.clone());
    let mut reasons = reasons
        .filter(|_| outcome != Outcome::DoesNotConform)
        .collect::<Vec<_>>();
    reasons.dedup();
    OutcomeRecord {
        outcome,
        reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
    }
}

fn of_shards(record: &Record, shards: &ShardsRecord) -> (Outcome, Option<String>) {
    let ended = |outcome| shards.present.iter().any(|shard| shard.outcome == outcome);
    if ended(Outcome::DoesNotConform) {
        return (Outcome::DoesNotConform, None);
    }
    let mut reasons: Vec<_> = missing(shards).into_iter().collect();
    let unjudged = shards.present.iter().filter(|shard| shard.outcome != Outcome::Conforms);
    reasons.extend(unjudged.take(MAX_NAMED).map(shard_ended));
    let checked_by_none = record.facts.rows.iter().filter(|row| row.is_of_another_shard()).count();
    if shards.missing.is_empty() && checked_by_none > 0 {
        reasons.push(format!(
            "no shard checked {}; run all shards with the same flags",
            counted(checked_by_none, "fact")
        ));
    }
    if reasons.is_empty() {
        return (Outcome::Conforms, None);
    }
    let outcome = [Outcome::WriteLogFailed, Outcome::Interrupted]
        .into_iter()
        .find(|outcome| ended(*outcome));
    (outcome.unwrap_or(Outcome::CouldNotJudge), Some(reasons.join("; ")))
}

fn missing(shards: &ShardsRecord) -> Option<String> {
    let of = shards.of;
    let named: Vec<_> = shards.missing.iter().take(MAX_NAMED).map(u32::to_string).collect();
    match shards.missing.len() {
        0 => None,
        1 => Some(format!("shard {} of {of} is missing", named.join(""))),
        count if count <= MAX_NAMED => Some(format!("shards {} of {of} are missing", named.join(", "))),
        count => Some(format!(
            "shards {} and {} more of {of} are missing",
            named.join(", "),
            count - MAX_NAMED
        )),
    }
}

fn shard_ended(shard: &ShardEnded) -> String {
    let reason = shard.reason.as_deref().unwrap_or("it could not be judged");
    format!("shard {}: {reason}", shard.number)
}
