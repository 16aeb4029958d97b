//! The accepted deviations, and what a run showed about each: how many findings have their level from it, whether it
//! still applies, and whether what it accepts still occurs. An accepted deviation is an entry of `countersign.toml`
//! that sets the level of a part of the contract, with its reason. The main types are [`AcceptedDeviation`] and
//! [`AcceptedDeviationRecord`].

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::rules::{Level, LevelEntry, LevelScope, Levels, Verdict, fact_covers_rule};
use crate::run::{Run, RunEnd};

/// An accepted deviation: an entry of the configuration that sets a level for a part of the contract, with its reason
/// and location.
#[derive(Clone, Debug)]
pub struct AcceptedDeviation {
    /// The part of the contract, and its level.
    pub entry: LevelEntry,
    /// Its index in the run's [`Levels`]; none if it was not added to them.
    pub index_in_levels: Option<usize>,
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which it applies.
    pub until: Option<NaiveDate>,
    /// The first day on which it no longer applies, if it has expired.
    pub expired: Option<NaiveDate>,
    /// The file and line of the entry: `countersign.toml:12`.
    pub location: String,
}

/// An accepted deviation, and what the run showed about it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AcceptedDeviationRecord {
    /// The part of the contract that it applies to.
    #[serde(rename = "scope")]
    pub entry_scope: LevelScope,
    /// The level there.
    pub level: Level,
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which it applies, in UTC.
    pub until: Option<String>,
    /// The file and line of the entry: `countersign.toml:12`.
    pub location: String,
    /// Whether it applies, and whether what it accepts still occurs.
    pub state: AcceptedState,
    /// The first day on which it no longer applies, if it has expired.
    pub expired: Option<String>,
    /// How many findings have their level from it.
    pub findings: usize,
}

/// The state of an accepted deviation after a run.
// The order matters: where the shards of a run differ, `merge` reports the first variant. But `NoLongerOccurs` of one
// shard wins if no shard has a finding, and becomes `Applies` if one has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AcceptedState {
    /// Its last day has passed, and it has no effect.
    Expired,
    /// It applies.
    #[serde(rename = "holds")]
    Applies,
    /// It applies, but the run checked everything that it covers and found no deviation.
    NoLongerOccurs,
    /// Its reason is not filled in yet, and it has no effect.
    #[serde(rename = "waits")]
    NeedsReason,
}

impl AcceptedState {
    /// Returns what somebody has to do about an entry in this state: `fix` is what would make it unnecessary.
    pub(crate) fn to_do(self, expired: Option<&str>, fix: &str) -> Option<String> {
        Some(match self {
            Self::Applies => return None,
            Self::NoLongerOccurs => "no longer occurs; remove the entry".to_owned(),
            Self::Expired => {
                let since = expired.unwrap_or("an earlier day");
                format!("expired and has had no effect since {since}; {fix}, or set a later date")
            }
            Self::NeedsReason => "accepts nothing until its reason is filled in".to_owned(),
        })
    }
}

/// Returns what the run shows about each accepted deviation, in the same order.
#[must_use]
pub fn accepted(
    run: &Run,
    contract: &Contract,
    levels: &Levels,
    accepted_deviations: &[AcceptedDeviation],
) -> Vec<AcceptedDeviationRecord> {
    let records = accepted_deviations.iter().map(|accepted_deviation| {
        let findings = run.verdicts.findings().iter();
        let findings = findings
            .filter(|finding| finding.entry.is_some() && finding.entry == accepted_deviation.index_in_levels)
            .count();
        let state = match (accepted_deviation.expired, accepted_deviation.index_in_levels) {
            (Some(_), _) => AcceptedState::Expired,
            (None, None) => AcceptedState::NeedsReason,
            (None, Some(_)) if no_longer_occurs(run, contract, levels, &accepted_deviation.entry) => {
                AcceptedState::NoLongerOccurs
            }
            (None, Some(_)) => AcceptedState::Applies,
        };
        AcceptedDeviationRecord {
            entry_scope: accepted_deviation.entry.scope.clone(),
            level: accepted_deviation.entry.level,
            reason: accepted_deviation.reason.clone(),
            until: accepted_deviation.until.map(|day| day.to_string()),
            location: accepted_deviation.location.clone(),
            state,
            expired: accepted_deviation.expired.map(|day| day.to_string()),
            findings,
        }
    });
    records.collect()
}

/// Whether the run is complete, every fact that the entry covers held, and its rule found nothing there. An entry that
/// raises the level accepts no deviation, so this is never true of it.
fn no_longer_occurs(run: &Run, contract: &Contract, levels: &Levels, entry: &LevelEntry) -> bool {
    if run.ended != RunEnd::Complete || entry.level >= levels.base(entry.rule) {
        return false;
    }
    let mut found = run.verdicts.findings().iter();
    if found.any(|finding| finding.rule.name == entry.rule.name && entry.covers(contract.fact(finding.fact))) {
        return false;
    }
    let facts = contract.facts.iter().enumerate();
    let mut about = facts
        .filter(|(_, fact)| fact_covers_rule(fact.kind, entry.rule) && entry.covers(fact))
        .peekable();
    about.peek().is_some() && about.all(|(index, _)| run.verdicts.of(contract, FactId(index)) == Verdict::Held)
}

/// Describes the accepted deviations for people: how many findings were accepted, then the location of each entry that
/// needs action, with the action. None if there is nothing to report.
pub(super) fn describe_accepted(accepted: &[AcceptedDeviationRecord]) -> Option<(String, Vec<(&str, String)>)> {
    let entries = accepted.iter().filter_map(|entry| {
        let what = entry.state.to_do(entry.expired.as_deref(), "fix the service")?;
        Some((entry.location.as_str(), format!("{} {what}", entry.entry_scope)))
    });
    let entries: Vec<_> = entries.collect();
    let counts = accepted.iter().map(|entry| entry.findings);
    let head = match counts.fold(0, usize::saturating_add) {
        0 if entries.is_empty() => return None,
        0 => "no finding".to_owned(),
        1 => format!("1 finding by {}", files(accepted)),
        findings => format!("{findings} findings by {}", files(accepted)),
    };
    Some((head, entries))
}

/// The files of the accepted deviations that a finding has its level from.
fn files(accepted: &[AcceptedDeviationRecord]) -> String {
    let deciding = accepted.iter().filter(|entry| entry.findings > 0);
    let mut files: Vec<_> = deciding
        .map(|entry| entry.location.rsplit_once(':').map_or("", |(file, _)| file))
        .collect();
    files.dedup();
    files.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::SampleRun;

    const SOUND: &[&str] = &[r#"{"name": "a", "size": 1}"#];

    /// The record of an accepted deviation for this rule and field, after a run that saw these bodies.
    fn acceptance_of(
        seen: SampleRun,
        rule: &str,
        field: Option<&str>,
        expired: Option<NaiveDate>,
    ) -> AcceptedDeviationRecord {
        let scope = LevelScope::of(rule, Some("getThings"), field);
        let entry = LevelEntry::of(&seen.contract, scope, Level::Allow);
        let mut levels = Levels::default();
        let index_in_levels = expired.is_none().then(|| levels.add(entry.clone()));
        let accepted_deviation = AcceptedDeviation {
            entry,
            index_in_levels,
            reason: "agreed".to_owned(),
            until: None,
            expired,
            location: "countersign.toml:3".to_owned(),
        };
        let seen = SampleRun {
            levels: levels.clone(),
            ..seen
        };
        accepted(&seen.run(), &seen.contract, &levels, &[accepted_deviation]).remove(0)
    }

    #[test]
    fn what_still_occurs_is_counted() {
        let reported = acceptance_of(
            SampleRun::bodies(&[r#"{"name": 1}"#]),
            "wrong-type",
            Some("/name"),
            None,
        );
        assert_eq!((reported.state, reported.findings), (AcceptedState::Applies, 1));
    }

    #[test]
    fn what_no_longer_occurs_is_reported_where_the_run_could_have_seen_it() {
        let state = |bodies, rule, field| acceptance_of(SampleRun::bodies(bodies), rule, field, None).state;
        assert_eq!(state(SOUND, "wrong-type", Some("/size")), AcceptedState::NoLongerOccurs);
        assert_eq!(
            state(SOUND, "undocumented-field", Some("")),
            AcceptedState::NoLongerOccurs
        );
        // No response showed a size, so it is unknown whether it still occurs.
        assert_eq!(
            state(&[r#"{"name": "a"}"#], "wrong-type", Some("/size")),
            AcceptedState::Applies
        );
        assert_eq!(state(&[r#"{"name": "a"}"#], "wrong-type", None), AcceptedState::Applies);
        assert_eq!(state(SOUND, "wrong-type", None), AcceptedState::NoLongerOccurs);
        // No response was a 405.
        assert_eq!(state(SOUND, "allow-header", None), AcceptedState::Applies);
    }

    #[test]
    fn a_run_that_did_not_end_by_itself_says_nothing_is_gone() {
        let seen = SampleRun::bodies(SOUND).ended(RunEnd::Interrupted);
        assert_eq!(
            acceptance_of(seen, "wrong-type", Some("/size"), None).state,
            AcceptedState::Applies
        );
    }

    #[test]
    fn an_expired_entry_says_since_when_and_decides_nothing() {
        let day = NaiveDate::from_ymd_opt(2026, 2, 1);
        let reported = acceptance_of(SampleRun::bodies(&[r#"{"name": 1}"#]), "wrong-type", Some("/name"), day);
        assert_eq!((reported.state, reported.findings), (AcceptedState::Expired, 0));
        assert_eq!(reported.expired.as_deref(), Some("2026-02-01"));
    }
}
