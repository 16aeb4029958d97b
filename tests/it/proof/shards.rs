//! Shards of one check: together they decide what a whole run decides, each with fewer requests, none touches another's
//! records, and a fault is found by the shard that it is assigned to.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use countersign::plan::{ANOTHER_SHARD, Plan, Scope, Shard};
use countersign::report::{FactRow, Outcome, Record, VerdictRecord, json, merge};
use futures::future::join_all;

use super::call::Call;
use super::checked::{Check, contract};
use super::deviating::{Deviation, laid};
use crate::support::sampled;

/// Other shards write while one walks, so that a list takes its time until it adds up.
const CHECK: Check = Check {
    settle: Duration::from_secs(10),
    ..Check::DEFAULT
};

/// Makes a service's deviation anew.
type Make = fn() -> Deviation;

fn shards(of: u32) -> Vec<Shard> {
    (1..=of).map(|number| Shard::new(number, of).unwrap()).collect()
}

fn named(records: Vec<Record>) -> Vec<(String, Record)> {
    let named = records.into_iter().enumerate();
    named
        .map(|(index, record)| (format!("{}.json", index + 1), record))
        .collect()
}

fn verdicts(record: &Record) -> BTreeMap<String, VerdictRecord> {
    let rows = record.facts.rows.iter().filter(|row| !is_of_a_full_page(row));
    rows.map(|row| (row.fact.to_string(), row.verdict)).collect()
}

/// Whether another shard's create may keep a fact from being decided: it brings the list beyond its full last page.
fn is_of_a_full_page(row: &FactRow) -> bool {
    row.fact.ends_with("a full last page is the last one")
}

#[tokio::test]
async fn shards_that_run_at_once_decide_together_what_a_whole_run_decides() {
    let whole = CHECK.undisturbed().await;
    tokio::time::pause();
    assert_eq!(whole.record.facts.held, contract().facts.len());
    for of in sampled(4, [3, 1, 2, 5]) {
        let (service, _log) = laid(Deviation::none()).await;
        let runs = shards(of).into_iter().map(|shard| CHECK.sharded(&service, shard));
        let records = join_all(runs).await;
        for record in &records {
            assert_eq!(record.outcome, Outcome::Conforms, "{:?} of {of}", record.reason);
            let rows = record.facts.rows.iter();
            let open: Vec<_> = rows
                .filter(|row| row.verdict != VerdictRecord::Held && row.reason.as_deref() != Some(ANOTHER_SHARD))
                .filter(|row| !is_of_a_full_page(row))
                .collect();
            assert!(open.is_empty(), "{open:?}");
            assert!(record.facts.held > 0);
        }
        let held = |record: &Record| {
            verdicts(record)
                .values()
                .filter(|verdict| **verdict == VerdictRecord::Held)
                .count()
        };
        let sum: usize = records.iter().map(held).sum();
        assert_eq!(sum, held(&whole.record), "each fact is held by one shard of {of}");
        let merged = merge(named(records), Some(99.0)).unwrap();
        assert_eq!(merged.outcome, Outcome::Conforms, "{:?}", merged.reason);
        assert_eq!(verdicts(&merged), verdicts(&whole.record));
    }
}

#[tokio::test]
async fn each_shard_sends_less_and_none_writes_to_what_another_wrote() {
    let whole = CHECK.undisturbed().await;
    tokio::time::pause();
    for of in sampled(4, [3, 6, 2, 5]) {
        let (service, log) = laid(Deviation::none()).await;
        let (mut written, mut wrong) = (HashSet::new(), 0);
        let mut left = BTreeSet::new();
        for shard in shards(of) {
            let record = CHECK.sharded(&service, shard).await;
            let calls = std::mem::take(&mut *log.lock().unwrap());
            assert!(calls.len() < whole.calls.len(), "{shard}: {} calls", calls.len());
            let writes: HashSet<_> = calls.iter().filter(|call| call.is_write()).map(what).collect();
            for write in &writes {
                assert!(!written.contains(write), "{shard} repeats {write:?}");
            }
            written.extend(writes);
            let bearer = |call: &&Call| call.credential().is_some_and(|text| text.starts_with("Bearer "));
            wrong += calls.iter().filter(bearer).filter(|call| !call.is_authorized()).count();
            for record in record.residue {
                assert!(left.insert((record.operation, record.id.unwrap())));
            }
        }
        assert!((1..=3).contains(&wrong), "{wrong} wrong tokens");
    }
}

/// What a write writes, and where.
fn what(call: &Call) -> (String, String, Vec<u8>, Option<String>) {
    let credential = call.credential().map(str::to_owned);
    (
        call.method.to_string(),
        call.uri.path().to_owned(),
        call.bytes.to_vec(),
        credential,
    )
}

/// The shard, of so many, that an operation's facts fall to, and those that call it.
fn of_operation(name: &str, of: u32) -> (u32, Vec<u32>) {
    let id = contract().operation_named(name).unwrap();
    let status = contract().facts.iter().position(|fact| fact.operation == id).unwrap();
    let plan = |shard| {
        Plan::new(
            contract(),
            &Scope {
                writes: true,
                token: true,
                seed: 1,
                shard: Some(shard),
                ..Scope::default()
            },
        )
    };
    let plans: Vec<_> = shards(of)
        .into_iter()
        .map(|shard| (shard.number(), plan(shard)))
        .collect();
    let owner = plans.iter().find(|(_, plan)| {
        !plan
            .in_other_shards
            .contains(&countersign::contract::fact::FactId(status))
    });
    let calling = plans
        .iter()
        .filter(|(_, plan)| plan.steps.iter().any(|step| step.operation == id));
    (owner.unwrap().0, calling.map(|(number, _)| *number).collect())
}

/// Checks a service with a fault in so many shards, and hands back those that found it and what all of them say.
async fn found(fault: Make, rule: &str, of: u32) -> (Vec<u32>, Record) {
    let (service, _log) = laid(fault()).await;
    let mut records = Vec::new();
    let check = Check {
        settle: Duration::from_millis(200),
        ..CHECK
    };
    for shard in shards(of) {
        records.push(check.sharded(&service, shard).await);
    }
    let finds = |record: &&Record| {
        let found = record.findings.iter().any(|finding| finding.rule == rule);
        assert_eq!(
            found,
            record.outcome == Outcome::DoesNotConform,
            "{:?}",
            record.findings
        );
        found
    };
    let found = records.iter().filter(finds).map(|record| record.shard.unwrap().number);
    (found.collect(), merge(named(records), None).unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_fault_is_found_by_the_shard_that_it_falls_to_and_by_the_merge() {
    let cases: [(&str, &str, Make); 3] = [
        ("createTag", "status", || {
            Deviation::none().at("createTag", |_, reply| reply.status = 200)
        }),
        ("getVisits", "missing-field", || {
            Deviation::none().at("getVisits", |_, reply| {
                let items = reply.value_mut().unwrap()["data"]["items"].as_array_mut().unwrap();
                for item in items {
                    item.as_object_mut().unwrap().remove("datetime");
                }
            })
        }),
        ("updateContact", "server-error", || {
            Deviation::none().replied(|call, reply| {
                if call.is("updateContact") && call.is_authorized() {
                    reply.status = 500;
                }
            })
        }),
    ];
    for (operation, rule, fault) in cases {
        for of in sampled(2, [2, 5]) {
            let (found, merged) = found(fault, rule, of).await;
            let (owner, calling) = of_operation(operation, of);
            assert_eq!((&found, &calling), (&vec![owner], &vec![owner]), "{operation} of {of}");
            assert_eq!(merged.outcome, Outcome::DoesNotConform);
            assert!(
                merged
                    .findings
                    .iter()
                    .any(|finding| finding.rule == rule && finding.operation == operation)
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_shard_leans_on_and_sees_broken_it_reports_too_and_the_merge_reports_it_once() {
    let fault = || {
        Deviation::none().at("getVenues", |_, reply| {
            if let Some(first) = reply.value_mut().unwrap()["data"]["items"].get_mut(0) {
                first.as_object_mut().unwrap().remove("country");
            }
        })
    };
    let (found, merged) = found(fault, "missing-field", 5).await;
    let (owner, calling) = of_operation("getVenues", 5);
    assert!(found.contains(&owner) && calling.len() > 1);
    assert_eq!(found, calling);
    assert_eq!(merged.findings.len(), 1, "{}", json(&merged));
    assert_eq!(merged.facts.broken, 1);
    assert!(merged.findings[0].count >= u64::try_from(found.len()).unwrap());
    let number = merged.findings[0].exchange.unwrap();
    let exchange = merged
        .exchanges
        .iter()
        .find(|exchange| exchange.number == number)
        .unwrap();
    assert_eq!(exchange.operation, "getVenues");
}
