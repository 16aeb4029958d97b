//! Decides the outcome of a run from how it ended and what it decided.

use super::{FactRow, Facts, FindingRecord, Outcome};
use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::exchange::Failure;
use crate::plan::NEEDS_WRITES;
use crate::rules::{Level, Reason, Verdict};
use crate::run::{Run, RunEnd};

/// The reason of a run that ended by itself and decided nothing.
pub(in crate::report) const NOTHING_DECIDED: &str = "no fact was decided";

/// Returns the outcome of a run, and the reason if the service could not be judged.
pub(super) fn outcome(
    run: &Run,
    contract: &Contract,
    (facts, findings): (&Facts, &[FindingRecord]),
    require: Option<f64>,
) -> (Outcome, Option<String>) {
    let decided = facts.held + facts.broken;
    let denied = findings.iter().any(|finding| finding.level == Level::Deny);
    let short = require.and_then(|percent| too_few(facts, percent));
    match &run.ended {
        RunEnd::Interrupted => (Outcome::Interrupted, Some("the run was interrupted".to_owned())),
        // The message of a TLS failure contains a hint of its own.
        RunEnd::Unreachable(failure @ Failure::Tls { .. }) => (Outcome::CouldNotJudge, Some(failure.to_string())),
        RunEnd::Unreachable(failure) => {
            let reason = format!("{failure}; check the base URL, and that the service is up");
            (Outcome::CouldNotJudge, Some(reason))
        }
        RunEnd::TokenRejected(status) => {
            let permissions = match status {
                403 => ", and that it has the permissions that these operations need",
                _ => "",
            };
            let reason = format!(
                "the token was rejected with {status} by every operation that was called; check that it is for this \
                 target{permissions}"
            );
            (Outcome::CouldNotJudge, Some(reason))
        }
        RunEnd::NothingSucceeded(failure) => (Outcome::CouldNotJudge, Some(failure.to_string())),
        RunEnd::NotReady(timeout, reason) => {
            let seconds = timeout.as_secs_f64();
            let reason = format!(
                "the target was not up within {seconds} s (wait): {reason}; check the base URL, and that the service \
                 starts"
            );
            (Outcome::CouldNotJudge, Some(reason))
        }
        RunEnd::WriteLogFailed(reason) => {
            let reason = format!("the residue could not be recorded ({reason}), so no write was sent after that");
            (Outcome::WriteLogFailed, Some(reason))
        }
        RunEnd::ServiceEnded(status) => {
            let reason = format!("the service exited before it was ready: {status}");
            (Outcome::CouldNotJudge, Some(reason))
        }
        RunEnd::Throttled => (
            Outcome::CouldNotJudge,
            Some("every response was 429; try again later, or at a lower rate".to_owned()),
        ),
        RunEnd::TimeLimitExceeded(max_time) => {
            let reason = format!(
                "the run did not finish within {} s (max-time); what was judged so far is reported: raise \
                 max-time or rate, or find out why the target is slow",
                max_time.as_secs_f64()
            );
            (Outcome::CouldNotJudge, Some(reason))
        }
        RunEnd::Complete | RunEnd::Incomplete(_) if denied => (Outcome::DoesNotConform, None),
        RunEnd::Incomplete(reason) => (Outcome::CouldNotJudge, Some(reason.clone())),
        // A body that could not be read may hide any deviation.
        RunEnd::Complete if exceeded_limits(run, contract) => (
            Outcome::CouldNotJudge,
            Some(format!("a response could not be read: {}", Reason::LimitExceeded)),
        ),
        RunEnd::Complete if decided == 0 => (Outcome::CouldNotJudge, Some(NOTHING_DECIDED.to_owned())),
        RunEnd::Complete => match nothing_checked(run, contract).or(short) {
            None => (Outcome::Conforms, None),
            Some(reason) => (Outcome::CouldNotJudge, Some(reason)),
        },
    }
}

/// Returns a reason if no operation that the run was meant to judge was checked or, where the setting `only` names
/// some, none of these. Some of their facts may be decided all the same: a request with an identifier that names no
/// record decides facts without a success. A shard gets no such reason, because it can happen that the calls which its
/// few operations depend on succeed, and none of the operations is checked; if no call succeeded in it either, it could
/// not judge, so the merged report is not green.
fn nothing_checked(run: &Run, contract: &Contract) -> Option<String> {
    let (asked, by) = if run.named.is_empty() {
        (&run.in_scope, "selected operations")
    } else {
        (&run.named, "operations that `only` names")
    };
    let first = asked.first().filter(|_| run.shard.is_none())?;
    if asked.iter().any(|id| run.verdicts.had_success(*id)) {
        return None;
    }
    let name = &contract.operation(*first).name;
    let reason = run.verdicts.why_unchecked(contract, *first)?;
    Some(match asked.len() {
        1 => format!("{name} was not checked: {reason}"),
        count => format!("none of the {count} {by} was checked; {name}: {reason}"),
    })
}

/// Whether a response exceeded the limits of what is read.
fn exceeded_limits(run: &Run, contract: &Contract) -> bool {
    let beyond = Verdict::Undecided(Reason::LimitExceeded);
    (0..contract.facts.len()).any(|index| run.verdicts.of(contract, FactId(index)) == beyond)
}

/// Returns a reason if fewer facts were decided than required. A shard counts only its own facts.
pub(in crate::report) fn too_few(facts: &Facts, percent: f64) -> Option<String> {
    let decided = facts.held + facts.broken;
    let others = facts.rows.iter().filter(|row| row.is_of_another_shard()).count();
    let of = facts.total.saturating_sub(others);
    let reached = percentage(decided, of);
    // Rounded down, so that it is never the percentage that was missed.
    let tenths = decided.saturating_mul(1000).checked_div(of).unwrap_or(0);
    let rounded = format!("{}.{}", tenths / 10, tenths % 10);
    let whose = if others > 0 { "this shard's facts" } else { "the facts" };
    let needs_writes = |row: &&FactRow| row.reason.as_deref() == Some(NEEDS_WRITES);
    let without_writes = match facts.rows.iter().filter(needs_writes).count() {
        0 => String::new(),
        needing => format!(
            "; without writes at most {} of {of} can be decided",
            of.saturating_sub(needing)
        ),
    };
    (reached < percent)
        .then(|| format!("{rounded} % of {whose} were decided, but require-facts asks for {percent}{without_writes}"))
}

#[expect(clippy::cast_precision_loss, reason = "no contract has 2^52 facts")]
fn percentage(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 * 100.0 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_nothing_is_nothing() {
        assert!(percentage(0, 0).abs() < f64::EPSILON);
        assert!((percentage(1, 4) - 25.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_percentage_that_was_missed_is_not_rounded_to_the_one_that_was_required() {
        let reason = |held, percent| {
            let facts = Facts {
                total: 10_000,
                held,
                undecided: 10_000 - held,
                ..Facts::of(Vec::new())
            };
            too_few(&facts, percent)
        };
        assert_eq!(reason(10_000, 100.0), None);
        let missed = reason(9_999, 100.0).unwrap();
        assert!(
            missed.starts_with("99.9 % of the facts were decided, but require-facts asks for 100"),
            "{missed}"
        );
        assert!(reason(5_790, 58.0).unwrap().starts_with("57.9 % "));
    }
}
