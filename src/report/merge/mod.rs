//! Makes one record of the records of several shards. The main function is [`merge`].
//!
//! # Design
//!
//! A shard's record is first made into one of that shard alone; then two of them are joined field by field, each in a
//! way in which neither order nor grouping matters: counts are added, what is listed is sorted, and where one of two is
//! kept it is the first by its content. So a pipeline may merge as reports come in, and merge what was merged.

mod apart;
mod join;
#[cfg(test)]
mod laws;
mod outcome;

pub use apart::MergeError;

use super::record::{Record, ShardEnded, ShardRecord, ShardsRecord};

/// One record of all shards: each with the name that messages call it by. One that is no shard is handed back as it is.
/// `require` is how much of the facts must be decided, in percent.
///
/// # Errors
///
/// None at all; several where one is no shard; two of the same shard; two that are not of one plan.
pub fn merge(records: Vec<(String, Record)>, require: Option<f64>) -> Result<Record, MergeError> {
    apart::check(&records)?;
    let mut records = records.into_iter().map(|(_, record)| alone(record));
    let first = records.next().ok_or(MergeError::Nothing)?;
    let mut merged = records.fold(first, join::join);
    outcome::decide(&mut merged, require);
    Ok(merged)
}

/// A shard's record as one that is made of that shard alone.
fn alone(mut record: Record) -> Record {
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
