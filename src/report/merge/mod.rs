//! Merges the records of several shards, or of a run and recorded traffic, into one. The main function is [`merge`].
//!
//! # Design
//!
//! Each shard's record is first turned into a merged record of that shard alone. Then records are joined in pairs,
//! field by field, so that neither order nor grouping matters: counts are added, lists are sorted, and where only one
//! of two values can be kept, their content decides. So a pipeline can merge reports as they arrive, and merge merged
//! reports again.

mod compatible;
mod join;
mod outcome;
#[cfg(test)]
mod properties_of_merge;

pub use compatible::MergeError;

use super::record::{Record, ShardEnded, ShardRecord, ShardsRecord};

/// Merges the records of shards into one. Each comes with the name that error messages use for it. A single record of a
/// whole run is returned with the same content. Records of recorded traffic may be added to those of one run. `require`
/// is the percentage of the facts that must be decided.
///
/// # Errors
///
/// No record is given; a whole run comes with another run; two are of the same shard; two do not share one plan.
pub fn merge(records: Vec<(String, Record)>, require: Option<f64>) -> Result<Record, MergeError> {
    compatible::check(&records)?;
    let records = records.into_iter().map(|(_, record)| record);
    let (traffic, runs): (Vec<_>, Vec<_>) = records.partition(Record::is_traffic_only);
    let run = runs.into_iter().map(as_merged).reduce(join::join).map(|mut run| {
        outcome::decide(&mut run);
        run
    });
    let merged = run.into_iter().chain(traffic).reduce(with_traffic);
    let mut merged = merged.ok_or(MergeError::Nothing)?;
    outcome::require(&mut merged, require);
    Ok(merged)
}

/// Adds the record of recorded traffic to another record: a fact that either decides is decided.
fn with_traffic(record: Record, mut traffic: Record) -> Record {
    let last = record
        .exchanges
        .iter()
        .map(|exchange| exchange.number)
        .max()
        .unwrap_or(0);
    for exchange in &mut traffic.exchanges {
        exchange.number = exchange.number.saturating_add(last);
    }
    for finding in &mut traffic.findings {
        finding.exchange = finding.exchange.map(|exchange| exchange.saturating_add(last));
    }
    let (outcome, reason) = outcome::of_both(&record, &traffic);
    // Traffic has no rounds.
    let rounds = record.requests.rounds;
    let mut joined = join::join(record, traffic);
    (joined.outcome, joined.reason, joined.requests.rounds) = (outcome, reason, rounds);
    joined
}

/// Turns a shard's record into a merged record of that shard alone.
fn as_merged(mut record: Record) -> Record {
    let Some(ShardRecord { number, of }) = record.shard.take() else {
        return record;
    };
    record.shards = Some(ShardsRecord {
        of,
        present: vec![ShardEnded {
            number,
            outcome: record.outcome,
            reason: record.reason.clone(),
        }],
        missing: (1..=of).filter(|other| *other != number).collect(),
    });
    let unique = |exchange: u64| {
        exchange
            .saturating_sub(1)
            .saturating_mul(of.into())
            .saturating_add(number.into())
    };
    for exchange in &mut record.exchanges {
        exchange.number = unique(exchange.number);
    }
    for finding in &mut record.findings {
        finding.exchange = finding.exchange.map(unique);
    }
    join::sort(&mut record);
    record
}
