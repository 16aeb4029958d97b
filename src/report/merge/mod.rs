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

use super::record::{OutcomeRecord, Record, ShardEnded, ShardRecord, ShardsRecord};

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
    let numbers = record.exchanges.iter().map(|exchange| exchange.number);
    let step = record.shards.as_ref().map_or(1, step);
    let last = numbers.filter(|number| number.is_multiple_of(step)).max().unwrap_or(0);
    renumber(&mut traffic, |number| number.saturating_mul(step).saturating_add(last));
    let ended = outcome::of_both(&OutcomeRecord::of(&record), &OutcomeRecord::of(&traffic));
    let of_traffic = record.shards.is_some().then(|| OutcomeRecord::of(&traffic));
    if let Some(traffic) = &mut traffic.traffic {
        traffic.ended = of_traffic;
    }
    // Traffic has no rounds.
    let rounds = record.requests.rounds;
    let mut joined = join::join(record, traffic);
    (joined.outcome, joined.reason, joined.requests.rounds) = (ended.outcome, ended.reason, rounds);
    outcome::decide(&mut joined);
    joined
}

/// Returns by how much the numbers of two consecutive exchanges of one shard differ in a merged record. The numbers
/// between them are those of the other shards, and the multiples of this are those of traffic.
fn step(shards: &ShardsRecord) -> u64 {
    u64::from(shards.of).saturating_add(1)
}

/// Changes the number of each exchange.
fn renumber(record: &mut Record, number: impl Fn(u64) -> u64) {
    for exchange in &mut record.exchanges {
        exchange.number = number(exchange.number);
    }
    for finding in &mut record.findings {
        finding.exchange = finding.exchange.map(&number);
    }
}

/// Turns a shard's record into a merged record of that shard alone.
fn as_merged(mut record: Record) -> Record {
    let Some(ShardRecord { number, of }) = record.shard.take() else {
        return record;
    };
    let shards = ShardsRecord {
        of,
        present: vec![ShardEnded {
            number,
            outcome: record.outcome,
            reason: record.reason.clone(),
        }],
        missing: (1..=of).filter(|other| *other != number).collect(),
    };
    let step = step(&shards);
    record.shards = Some(shards);
    renumber(&mut record, |exchange| {
        let before = exchange.saturating_sub(1).saturating_mul(step);
        before.saturating_add(number.into())
    });
    join::sort(&mut record);
    record
}
