//! Joins two records: of different shards of one plan, or of a run and of traffic. The main function is [`join`].

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use chrono::{DateTime, SecondsFormat, Utc};
use indexmap::IndexMap;

use super::outcome;
use crate::gaps;
use crate::history::SearchExtent;
use crate::report::accepted::{AcceptedDeviationRecord, AcceptedState};
use crate::report::exchanges::ExchangeRecord;
use crate::report::record::{
    ContractRecord, Coverage, FactRow, Facts, FindingRecord, OperationRecord, Record, ShardsRecord, TrafficRecord,
    VerdictRecord, put_in_order,
};
use crate::rules::{Level, UNCHECKED_OPERATION};
use crate::run::RequestCounts;

/// Joins two records into one. Its outcome is not decided yet.
pub(super) fn join(left: Record, right: Record) -> Record {
    let (started, ended) = span(&left, &right);
    let residue_search = residue_search(&left, &right);
    let exchanges = exchanges(&left, started).chain(exchanges(&right, started)).collect();
    let mut joined = Record {
        report_version: left.report_version,
        countersign: left.countersign,
        outcome: left.outcome,
        exit_code: left.exit_code,
        reason: None,
        contract: ContractRecord {
            title: left.contract.title,
            // Each machine may use another name for its copy.
            file: left.contract.file.min(right.contract.file),
        },
        target: left.target,
        base_path: left.base_path,
        values_shown: left.values_shown || right.values_shown,
        seed: left.seed,
        started_at: started.to_rfc3339_opts(SecondsFormat::Secs, true),
        duration_ms: u64::try_from((ended - started).num_milliseconds()).unwrap_or(0),
        facts: facts(left.facts, right.facts),
        findings: findings(left.findings, right.findings),
        suspected_cause: left.suspected_cause.or(right.suspected_cause),
        accepted: accepted(left.accepted, right.accepted),
        residue_search,
        unexplained_records: [left.unexplained_records, right.unexplained_records].concat(),
        rejected_values: [left.rejected_values, right.rejected_values].concat(),
        residue: [left.residue, right.residue].concat(),
        run_tags: [left.run_tags, right.run_tags].concat(),
        deleted: left.deleted.saturating_add(right.deleted),
        requests: requests(left.requests, right.requests),
        operations: operations(left.operations, right.operations),
        // What is left out depends on the contract alone, as the gaps do.
        omitted_operations: left.omitted_operations,
        gaps: left.gaps,
        answers: gaps::join(left.answers, right.answers),
        trials: [left.trials, right.trials].concat(),
        learns: left.learns || right.learns,
        exchanges,
        exchanges_left_out: left.exchanges_left_out.saturating_add(right.exchanges_left_out),
        shard: None,
        shards: shards(left.shards, right.shards),
        traffic: traffic(left.traffic, right.traffic),
        since: left.since,
    };
    joined.findings = still_reported(joined.findings, &joined.operations);
    sort(&mut joined);
    joined
}

/// Joins what was read of recorded traffic.
fn traffic(left: Option<TrafficRecord>, right: Option<TrafficRecord>) -> Option<TrafficRecord> {
    let (Some(left), Some(right)) = (&left, &right) else {
        return left.or(right);
    };
    let mut not_judged = left.not_judged.clone();
    for kind in &right.not_judged {
        match not_judged.iter_mut().find(|known| known.reason == kind.reason) {
            Some(known) => known.count = known.count.saturating_add(kind.count),
            None => not_judged.push(kind.clone()),
        }
    }
    Some(TrafficRecord {
        files: [left.files.as_slice(), &right.files].concat(),
        proxied: left.proxied.saturating_add(right.proxied),
        judged: left.judged.saturating_add(right.judged),
        not_judged,
        ended: match (&left.ended, &right.ended) {
            (Some(one), Some(other)) => Some(outcome::of_both(one, other)),
            (one, other) => one.clone().or_else(|| other.clone()),
        },
    })
}

/// Returns each operation once. It counts as checked if any shard got a successful response from it, whichever shard it
/// is assigned to.
fn operations(left: Vec<OperationRecord>, right: Vec<OperationRecord>) -> Vec<OperationRecord> {
    use indexmap::map::Entry;

    let mut operations: IndexMap<_, _> = left.into_iter().map(|left| (left.name.clone(), left)).collect();
    let weight = |operation: &OperationRecord| (operation.coverage, Reverse(operation.unchecked.clone()));
    for right in right {
        match operations.entry(right.name.clone()) {
            Entry::Occupied(left) if weight(left.get()) >= weight(&right) => {}
            Entry::Occupied(mut left) => drop(left.insert(right)),
            Entry::Vacant(missing) => drop(missing.insert(right)),
        }
    }
    operations.into_values().collect()
}

/// Drops findings about unchecked operations from which another shard got a successful response. A finding at deny
/// stays, because the shard that made it did not conform.
fn still_reported(mut findings: Vec<FindingRecord>, operations: &[OperationRecord]) -> Vec<FindingRecord> {
    let checked = |name: &str| {
        let mut operations = operations.iter();
        operations.any(|operation| operation.name == name && operation.coverage == Coverage::Checked)
    };
    findings.retain(|finding| {
        !finding.rule.is(UNCHECKED_OPERATION) || finding.level == Level::Deny || !checked(&finding.operation)
    });
    findings
}

/// Sorts the lists of a record, so that their order does not depend on which record an element came from.
pub(super) fn sort(record: &mut Record) {
    put_in_order(&mut record.findings);
    record.exchanges.sort_by_key(|exchange| exchange.number);
    record.unexplained_records.sort();
    record.run_tags.sort();
    record.trials.sort();
    record.rejected_values.sort();
    record.rejected_values.dedup();
    record.residue.sort_by(|left, right| {
        (&left.operation, &left.id, left.answered).cmp(&(&right.operation, &right.id, right.answered))
    });
}

/// Returns how far both looked for residue. A run that wrote nothing had nothing to look for, and does not count.
fn residue_search(left: &Record, right: &Record) -> SearchExtent {
    let wrote = [left, right].into_iter().filter(|record| record.requests.writes > 0);
    wrote
        .map(|record| record.residue_search)
        .max()
        .unwrap_or(SearchExtent::Nothing)
}

/// Returns the start of the earlier run and the end of the later one.
fn span(left: &Record, right: &Record) -> (DateTime<Utc>, DateTime<Utc>) {
    let ends = [left, right].map(|record| record.ended_at().unwrap_or_else(|| started(record)));
    (started(left).min(started(right)), ends[0].max(ends[1]))
}

/// Returns when a run started. The string is always a valid time: a record that is read is checked for that.
fn started(record: &Record) -> DateTime<Utc> {
    let started = DateTime::parse_from_rfc3339(&record.started_at);
    started.map_or(DateTime::UNIX_EPOCH, |started| started.to_utc())
}

/// Returns the exchanges of a record, with times counted from another start.
fn exchanges(record: &Record, from: DateTime<Utc>) -> impl Iterator<Item = ExchangeRecord> + use<> {
    let later = (started(record) - from).num_seconds();
    let later = i32::try_from(later).map_or(0.0, f64::from) * 1000.0;
    let exchanges = record.exchanges.clone().into_iter();
    exchanges.map(move |exchange| ExchangeRecord {
        // Rounded to microseconds, as it was measured, so that the sum does not depend on the order of its parts.
        sent_ms: ((exchange.sent_ms + later) * 1e3).round() / 1e3,
        ..exchange
    })
}

/// Each fact once: broken beats held, and held beats undecided.
fn facts(left: Facts, right: Facts) -> Facts {
    let rows = left.rows.into_iter().zip(right.rows);
    let rows: Vec<_> = rows
        .map(|(left, right)| if weight(&left) >= weight(&right) { left } else { right })
        .collect();
    Facts::of(rows)
}

/// Weighs how much a row says about its fact. A reason from the shard that checks it outweighs one from another shard.
fn weight(row: &FactRow) -> (u8, Reverse<Option<&str>>) {
    let says = match row.verdict {
        VerdictRecord::Broken => 3,
        VerdictRecord::Held => 2,
        VerdictRecord::Undecided => u8::from(!row.is_of_another_shard()),
    };
    (says, Reverse(row.reason.as_deref()))
}

/// Joins findings of one rule on one fact, and on one field if the rule is about names. They are counted together, and
/// the one that was seen first is reported.
fn findings(left: Vec<FindingRecord>, right: Vec<FindingRecord>) -> Vec<FindingRecord> {
    let mut joined: HashMap<(String, String, String), FindingRecord> = HashMap::new();
    for finding in left.into_iter().chain(right) {
        match joined.entry((
            finding.rule.to_string(),
            finding.fact.clone(),
            finding.undocumented_field().to_owned(),
        )) {
            Entry::Vacant(place) => {
                place.insert(finding);
            }
            Entry::Occupied(mut place) => {
                let known = place.get().clone();
                let (level, count) = (
                    known.level.max(finding.level),
                    known.count.saturating_add(finding.count),
                );
                let first = if preference(&known) <= preference(&finding) {
                    known
                } else {
                    finding
                };
                place.insert(FindingRecord { level, count, ..first });
            }
        }
    }
    joined.into_values().collect()
}

/// The key by which one of two findings is chosen: the earlier exchange first. The other parts only make sure that the
/// choice does not depend on which record is read first.
fn preference(finding: &FindingRecord) -> (u64, &str, &str, &str, &str) {
    (
        finding.exchange.unwrap_or(u64::MAX),
        &finding.response_pointer,
        &finding.received,
        &finding.documented,
        &finding.reproduce,
    )
}

/// Returns each accepted deviation once. A shard also sends requests that its part depends on, so a finding of
/// two shards counts twice here.
fn accepted(left: Vec<AcceptedDeviationRecord>, right: Vec<AcceptedDeviationRecord>) -> Vec<AcceptedDeviationRecord> {
    let mut joined = left;
    for entry in right {
        let same = |known: &&mut AcceptedDeviationRecord| {
            (&known.location, &known.entry_scope, known.level) == (&entry.location, &entry.entry_scope, entry.level)
        };
        let Some(known) = joined.iter_mut().find(same) else {
            joined.push(entry);
            continue;
        };
        known.findings = known.findings.saturating_add(entry.findings);
        known.state = match (known.state, entry.state) {
            // Gone from the part that one shard checks, and seen by no shard.
            (AcceptedState::NoLongerOccurs, _) | (_, AcceptedState::NoLongerOccurs) if known.findings == 0 => {
                AcceptedState::NoLongerOccurs
            }
            (AcceptedState::NoLongerOccurs, _) | (_, AcceptedState::NoLongerOccurs) => AcceptedState::Applies,
            // An accepted deviation may expire while the shards run.
            (left, right) => left.min(right),
        };
        known.expired = known.expired.take().max(entry.expired);
    }
    joined.sort_by_cached_key(|entry| {
        let place = entry.location.rsplit_once(':').and_then(|(file, line)| {
            let line: u32 = line.parse().ok()?;
            Some((file.to_owned(), line))
        });
        (place, entry.location.clone(), entry.entry_scope.to_string())
    });
    joined
}

fn requests(left: RequestCounts, right: RequestCounts) -> RequestCounts {
    RequestCounts {
        sent: left.sent.saturating_add(right.sent),
        answered: left.answered.saturating_add(right.answered),
        writes: left.writes.saturating_add(right.writes),
        throttled: left.throttled.saturating_add(right.throttled),
        unfinished: left.unfinished.saturating_add(right.unfinished),
        // The whole plan was carried out only as often as every shard was.
        rounds: left.rounds.min(right.rounds),
    }
}

fn shards(left: Option<ShardsRecord>, right: Option<ShardsRecord>) -> Option<ShardsRecord> {
    let (Some(left), Some(right)) = (&left, &right) else {
        return left.or(right);
    };
    let mut present = [left.present.as_slice(), &right.present].concat();
    present.sort_by_key(|shard| shard.number);
    let missing = left.missing.iter().filter(|number| right.missing.contains(number));
    Some(ShardsRecord {
        of: left.of,
        present,
        missing: missing.copied().collect(),
    })
}
