//! Rejects records that cannot be merged. The main type is [`MergeError`].

use std::collections::HashMap;

use crate::report::record::{FactRow, Record};

/// Why records cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// Two records differ in something that all shards of a plan share.
    #[error("`{}` and `{}` differ in {what}: {} and {}; {hint}", names[0], names[1], said[0], said[1])]
    Differ {
        /// The two reports.
        names: Box<[String; 2]>,
        /// What they differ in.
        what: &'static str,
        /// The value in each.
        said: Box<[String; 2]>,
        /// What to do.
        hint: &'static str,
    },
    /// The contracts of two records state different facts.
    #[error("`{}` and `{}` have different contracts: the fact `{fact}` differs; check one contract in all shards", names.0, names.1)]
    Facts {
        /// The two reports.
        names: (String, String),
        /// The first fact that differs.
        fact: String,
    },
    /// No report was given.
    #[error("no report was given to merge")]
    Nothing,
    /// One record is of a whole run.
    #[error(
        "`{name}` is a whole check: it can be merged with reports of `judge`, but not with another check or a shard"
    )]
    Whole {
        /// The report.
        name: String,
    },
    /// A report was given twice.
    #[error("`{}` and `{}` are the same report; give only one of them", names.0, names.1)]
    SameReport {
        /// The two reports.
        names: (String, String),
    },
    /// Two records are of the same shard.
    #[error("`{}` and `{}` are both of shard {number} of {of}; give only one of them", names.0, names.1)]
    Twice {
        /// The two reports.
        names: (String, String),
        /// The shard.
        number: u32,
        /// How many shards there are.
        of: u32,
    },
}

/// Returns an error unless the records are different shards of one plan, or one whole run, in both cases with or
/// without recorded traffic.
pub(super) fn check(records: &[(String, Record)]) -> Result<(), MergeError> {
    let runs: Vec<_> = records.iter().filter(|(_, record)| !record.is_traffic_only()).collect();
    let whole = runs.iter().find(|(_, record)| numbers(record).is_none());
    if let Some((name, _)) = whole.filter(|_| runs.len() > 1) {
        return Err(MergeError::Whole { name: name.clone() });
    }
    // Only a run has a seed and shards, so the others are compared with the first run, if there is one.
    let first = runs.first().copied().or(records.first()).ok_or(MergeError::Nothing)?;
    for other in records {
        require_same_plan(first, other)?;
    }
    let mut traffic: HashMap<String, &str> = HashMap::new();
    for (name, record) in records.iter().filter(|(_, record)| record.is_traffic_only()) {
        // Two judgements never begin and end at the same time with the same content.
        let content = serde_json::to_string(record).unwrap_or_default();
        if let Some(before) = traffic.insert(content, name) {
            let names = (before.to_owned(), name.clone());
            return Err(MergeError::SameReport { names });
        }
    }
    let mut seen: HashMap<u32, &str> = HashMap::new();
    for (name, record) in runs {
        let (of, present) = numbers(record).unwrap_or_default();
        for number in present {
            if let Some(before) = seen.insert(number, name) {
                let names = (before.to_owned(), name.clone());
                return Err(MergeError::Twice { names, number, of });
            }
        }
    }
    Ok(())
}

/// Returns how many shards there are, and the numbers of those in a record; none for a whole run.
fn numbers(record: &Record) -> Option<(u32, Vec<u32>)> {
    let one = record.shard.map(|shard| (shard.of, vec![shard.number]));
    one.or_else(|| {
        let shards = record.shards.as_ref()?;
        Some((shards.of, shards.present.iter().map(|shard| shard.number).collect()))
    })
}

fn require_same_plan(first: &(String, Record), other: &(String, Record)) -> Result<(), MergeError> {
    let names = || (first.0.clone(), other.0.clone());
    let of = |record: &Record| numbers(record).unwrap_or_default().0.to_string();
    let (left, right) = (&first.1, &other.1);
    let quoted = |text: &str| format!("`{text}`");
    let target = |record: &Record| format!("`{}{}`", record.target, record.base_path);
    let since = |record: &Record| record.since.as_deref().map_or_else(|| "none".to_owned(), quoted);
    let settings = [
        (
            "the version of countersign",
            (quoted(&left.countersign), quoted(&right.countersign)),
            "run all shards with one version: another may split the plan differently",
        ),
        (
            "their contract",
            (quoted(&left.contract.title), quoted(&right.contract.title)),
            "check one contract in all shards",
        ),
        (
            "the older contract that they were compared with",
            (since(left), since(right)),
            "give all of them the same --since",
        ),
        (
            "their target",
            (target(left), target(right)),
            "give all of them the same base URL",
        ),
    ];
    let of_one_plan = [
        (
            "their seed",
            (left.seed.to_string(), right.seed.to_string()),
            "give all shards the same seed",
        ),
        (
            "how many shards there are",
            (of(left), of(right)),
            "split the plan into the same number of shards",
        ),
    ];
    // Traffic has no plan, and so neither a seed nor shards.
    let planned = !left.is_traffic_only() && !right.is_traffic_only();
    for (what, said, hint) in settings.into_iter().chain(of_one_plan.into_iter().filter(|_| planned)) {
        if said.0 != said.1 {
            return Err(MergeError::Differ {
                names: Box::new(names().into()),
                what,
                said: Box::new(said.into()),
                hint,
            });
        }
    }
    match first_different_fact(&left.facts.rows, &right.facts.rows) {
        None => Ok(()),
        Some(fact) => Err(MergeError::Facts {
            names: names(),
            fact: fact.to_owned(),
        }),
    }
}

/// Returns the first fact in which two tables differ, leaving verdicts aside.
fn first_different_fact<'rows>(left: &'rows [FactRow], right: &'rows [FactRow]) -> Option<&'rows str> {
    let same = |left: &FactRow, right: &FactRow| {
        let stated = |row: &FactRow| (row.fact.clone(), row.documented.clone(), row.contract_pointer.clone());
        stated(left) == stated(right) && left.contract_line == right.contract_line
    };
    let differs = left.iter().zip(right).find(|(left, right)| !same(left, right));
    let longer = if left.len() > right.len() { left } else { right };
    let beyond = longer.get(left.len().min(right.len()));
    differs.map(|(left, _)| left).or(beyond).map(|row| row.fact.as_str())
}
