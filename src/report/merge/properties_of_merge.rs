//! Properties of merging that hold for all records: neither order nor grouping matters, and nothing is lost.

use proptest::prelude::*;
use proptest::sample::Index;

use super::merge;
use crate::exchange::sanitize::sanitize_json;
use crate::gaps::{Answer, Claim, ObservationCounts};
use crate::plan::ANOTHER_SHARD;
use crate::report::testing::{sample_record, sample_traffic};
use crate::report::{
    AcceptedDeviationRecord, AcceptedState, ExchangeRecord, FactRow, Facts, FindingRecord, Outcome, Record,
    ShardRecord, VerdictRecord, read,
};
use crate::rules::Level;
use crate::run::RequestCounts;
use crate::testing::tried;

/// The verdict of a whole run on one fact, and the shards that see the fact.
#[derive(Clone, Debug)]
struct Judged {
    verdict: VerdictRecord,
    reason: String,
    level: Level,
    /// The shard that checks it.
    owner: Index,
    /// Another shard, whose part depends on it.
    other: Index,
    count: u64,
}

/// What differs from shard to shard.
#[derive(Clone, Debug)]
struct Machine {
    late: u32,
    lasted: u64,
    sent: u64,
    residue: Vec<u8>,
    rounds: u64,
}

fn judged() -> impl Strategy<Value = Judged> {
    let verdict = prop_oneof![
        3 => Just(VerdictRecord::Held),
        1 => Just(VerdictRecord::Broken),
        1 => Just(VerdictRecord::Undecided),
    ];
    let level = prop_oneof![Just(Level::Deny), Just(Level::Warn)];
    let indexes = (any::<Index>(), any::<Index>());
    (verdict, "[ab]", level, indexes, 1_u64..5).prop_map(|(verdict, reason, level, (owner, other), count)| Judged {
        verdict,
        reason,
        level,
        owner,
        other,
        count,
    })
}

fn machine() -> impl Strategy<Value = Machine> {
    let residue = proptest::collection::vec(0_u8..5, 0..3);
    (0_u32..90, 0_u64..200_000, 0_u64..50, residue, 1_u64..4).prop_map(|(late, lasted, sent, residue, rounds)| {
        Machine {
            late,
            lasted,
            sent,
            residue,
            rounds,
        }
    })
}

/// The records of all shards, in some order, and the table that is split among them.
fn split() -> impl Strategy<Value = (Vec<(String, Record)>, Vec<Judged>)> {
    let table = proptest::collection::vec(judged(), 1..12);
    let machines = proptest::collection::vec(machine(), 1..6);
    (table, machines).prop_flat_map(|(table, machines)| {
        let of = machines.len();
        let records: Vec<_> = machines
            .iter()
            .enumerate()
            .map(|(index, machine)| (format!("{index}.json"), shard(&table, machine, (index, of))))
            .collect();
        (Just(records).prop_shuffle(), Just(table))
    })
}

/// What one of several machines says of the table.
fn shard(table: &[Judged], machine: &Machine, (index, of): (usize, usize)) -> Record {
    let base = sample_record();
    let (mut rows, mut findings) = (Vec::new(), Vec::new());
    for (place, judged) in table.iter().enumerate() {
        let owns = judged.owner.index(of) == index;
        let broken = judged.verdict == VerdictRecord::Broken && (owns || judged.other.index(of) == index);
        let (verdict, reason) = match judged.verdict {
            _ if broken => (VerdictRecord::Broken, None),
            VerdictRecord::Undecided if owns => (VerdictRecord::Undecided, Some(judged.reason.clone())),
            verdict if owns => (verdict, None),
            _ => (VerdictRecord::Undecided, Some(ANOTHER_SHARD.to_owned())),
        };
        let fact = format!("fact {place:03}");
        if broken {
            findings.push(FindingRecord {
                fact: fact.clone(),
                level: judged.level,
                count: judged.count,
                exchange: (place % 2 == 0).then_some(1),
                response_pointer: format!("/{index}"),
                ..base.findings[0].clone()
            });
        }
        rows.push(FactRow {
            fact: fact.into(),
            verdict,
            reason: reason.map(Into::into),
            ..base.facts.rows[0].clone()
        });
    }
    let denied = findings.iter().any(|finding| finding.level == Level::Deny);
    let decided = rows.iter().any(|row| row.verdict != VerdictRecord::Undecided);
    let outcome = match (denied, decided) {
        (true, _) => Outcome::DoesNotConform,
        (false, true) => Outcome::Conforms,
        (false, false) => Outcome::CouldNotJudge,
    };
    let residue = machine.residue.iter().map(|id| crate::report::ResidueRecord {
        id: Some(id.to_string()),
        ..base.residue[0].clone()
    });
    let exchanges = (1..=2).map(|number| ExchangeRecord {
        number,
        sent_ms: f64::from(machine.late) * 1.001,
        ..base.exchanges[0].clone()
    });
    let mut requests = base.requests;
    (requests.sent, requests.rounds) = (machine.sent, machine.rounds);
    let number = |index: usize| u32::try_from(index).unwrap();
    Record {
        accepted: accepted(&base, machine),
        outcome,
        exit_code: outcome.exit_code(),
        reason: (outcome == Outcome::CouldNotJudge).then(|| "no fact was decided".to_owned()),
        started_at: format!("2024-05-17T07:{:02}:{:02}Z", 30 + machine.late / 60, machine.late % 60),
        duration_ms: machine.lasted,
        facts: Facts::of(rows),
        findings,
        answers: answers(&base, machine),
        residue: residue.collect(),
        requests,
        exchanges: exchanges.collect(),
        shard: Some(ShardRecord {
            number: number(index + 1),
            of: number(of),
        }),
        ..base
    }
}

/// What one machine saw of the gaps: by chance, machines agree or not.
fn answers(base: &Record, machine: &Machine) -> Vec<Answer> {
    let known = |answer: &Answer| Answer {
        claim: answer.claim.is_some().then(|| Claim::Status {
            status: 200 + u16::from(machine.rounds > 1),
        }),
        observations: ObservationCounts {
            supporting: if answer.claim.is_some() { machine.sent + 1 } else { 0 },
            void: machine.rounds,
            ..answer.observations
        },
        ..answer.clone()
    };
    let answers = base.answers.iter().map(known);
    let shown = usize::try_from(machine.rounds).unwrap();
    answers.take(shown).collect()
}

/// What one machine found about two entries of the configuration.
fn accepted(base: &Record, machine: &Machine) -> Vec<AcceptedDeviationRecord> {
    let entry = |line: u64, findings: u64| AcceptedDeviationRecord {
        location: format!("countersign.toml:{line}"),
        state: match findings {
            0 if machine.lasted.is_multiple_of(2) => AcceptedState::NoLongerOccurs,
            _ => AcceptedState::Applies,
        },
        findings: usize::try_from(findings).unwrap(),
        ..base.accepted[0].clone()
    };
    vec![entry(3, machine.sent % 3), entry(12, machine.rounds - 1)]
}

/// Changes a record.
type Change = fn(&mut Record);

fn text(record: &Record) -> String {
    sanitize_json(&serde_json::to_string_pretty(record).unwrap())
}

fn merged(records: Vec<(String, Record)>) -> Record {
    merge(records, None).unwrap_or_else(|error| panic!("{error}"))
}

/// Merges two records at a time, picked by the indexes, until one is left.
fn in_groups(mut records: Vec<(String, Record)>, picks: &[Index]) -> Record {
    for pick in picks {
        if records.len() == 1 {
            break;
        }
        let left = records.swap_remove(pick.index(records.len()));
        let right = records.swap_remove(pick.index(records.len()));
        let name = format!("{}+{}", left.0, right.0);
        records.push((name, merged(vec![left, right])));
    }
    merged(records)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(u32::try_from(tried(64, 256)).unwrap()))]

    #[test]
    fn order_and_grouping_do_not_matter((records, _) in split(), picks in proptest::collection::vec(any::<Index>(), 0..6)) {
        let mut ordered = records.clone();
        ordered.sort_by(|(left, _), (right, _)| left.cmp(right));
        let whole = text(&merged(ordered));
        prop_assert_eq!(&text(&merged(records.clone())), &whole);
        prop_assert_eq!(&text(&in_groups(records, &picks)), &whole);
    }

    #[test]
    fn what_is_merged_once_stays_and_can_be_read((records, _) in split(), keep in any::<Index>()) {
        let kept = keep.index(records.len()) + 1;
        let once = merged(records.into_iter().take(kept).collect());
        prop_assert_eq!(text(&merged(vec![("once".to_owned(), once.clone())])), text(&once));
        let back = read(text(&once).as_bytes()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(text(&back), text(&once));
    }

    #[test]
    fn each_fact_is_counted_once_and_as_a_whole_run_has_it((records, table) in split()) {
        let all = merged(records.clone());
        prop_assert_eq!(all.facts.total, table.len());
        for (row, judged) in all.facts.rows.iter().zip(&table) {
            prop_assert_eq!(row.verdict, judged.verdict);
            let reason = (judged.verdict == VerdictRecord::Undecided).then_some(judged.reason.as_str());
            prop_assert_eq!(row.reason.as_deref(), reason);
        }
        let sum = |count: fn(&Record) -> u64| records.iter().map(|(_, record)| count(record)).sum::<u64>();
        prop_assert_eq!(all.requests.sent, sum(|record| record.requests.sent));
        let findings = |record: &Record| record.findings.iter().map(|finding| finding.count).sum();
        prop_assert_eq!(findings(&all), sum(findings));
        let residue = |record: &Record| u64::try_from(record.residue.len()).unwrap();
        prop_assert_eq!(residue(&all), sum(residue));
        for (index, entry) in all.accepted.iter().enumerate() {
            let of_shards = || records.iter().map(|(_, record)| &record.accepted[index]);
            prop_assert_eq!(entry.findings, of_shards().map(|entry| entry.findings).sum::<usize>());
            let seen_gone = of_shards().any(|entry| entry.state == AcceptedState::NoLongerOccurs);
            prop_assert_eq!(entry.state == AcceptedState::NoLongerOccurs, seen_gone && entry.findings == 0);
        }
        let mut numbers: Vec<_> = all.exchanges.iter().map(|exchange| exchange.number).collect();
        numbers.dedup();
        prop_assert_eq!(numbers.len(), 2 * records.len());
        for finding in &all.findings {
            prop_assert!(finding.exchange.is_none_or(|number| numbers.contains(&number)));
        }
    }

    #[test]
    fn a_part_of_the_shards_is_never_green((records, _) in split(), keep in any::<Index>()) {
        let of = records.len();
        let kept = keep.index(of);
        let part = merged(records.into_iter().take(kept.max(1)).collect());
        let missing = part.shards.as_ref().unwrap().missing.len();
        prop_assert_eq!(missing, of - kept.max(1));
        let denied = part.findings.iter().any(|finding| finding.level == Level::Deny);
        prop_assert_eq!(part.outcome == Outcome::DoesNotConform, denied);
        if missing > 0 && !denied {
            prop_assert_eq!(part.outcome, Outcome::CouldNotJudge);
            prop_assert!(part.reason.unwrap().contains("missing"));
        }
    }
}

#[test]
fn a_whole_run_alone_stays_as_it_is() {
    let whole = sample_record();
    assert_eq!(text(&merged(vec![("a".to_owned(), whole.clone())])), text(&whole));
}

#[test]
fn what_is_not_of_one_plan_is_rejected_with_both_names() {
    let shard = |number| Record {
        shard: Some(ShardRecord { number, of: 3 }),
        ..sample_record()
    };
    let changed = |change: fn(&mut Record)| {
        let mut other = shard(2);
        change(&mut other);
        merge(vec![("a".to_owned(), shard(1)), ("b".to_owned(), other)], None)
    };
    let cases: [(Change, &str); 9] = [
        (|record| record.seed = 8, "differ in their seed: 7 and 8"),
        (|record| record.target = "https://b.example.com".to_owned(), "base URL"),
        (|record| record.base_path = "/b".to_owned(), "base URL"),
        (
            |record| record.contract.title = "Others".to_owned(),
            "`Things` and `Others`",
        ),
        (|record| record.countersign = "0.2.0".to_owned(), "one version"),
        (
            |record| record.shard = Some(ShardRecord { number: 2, of: 4 }),
            "how many shards there are: 3 and 4",
        ),
        (
            |record| record.shard = Some(ShardRecord { number: 1, of: 3 }),
            "both of shard 1 of 3",
        ),
        (
            |record| record.facts.rows[1].contract_line = 18,
            "`getThings /name: string`",
        ),
        (|record| drop(record.facts.rows.pop()), "`getThings body: JSON`"),
    ];
    for (change, expected) in cases {
        let message = changed(change).expect_err(expected).to_string();
        assert!(
            message.contains("`a`") && message.contains("`b`") && message.contains(expected),
            "{message}"
        );
    }
    let whole = changed(|record| record.shard = None).unwrap_err().to_string();
    assert!(whole.contains("`b` is a whole check"), "{whole}");
    assert!(changed(|_| {}).is_ok());
    assert!(merge(Vec::new(), None).is_err());
}

/// Both shards of a plan that conform, and then traffic with this outcome.
fn with_traffic_that(outcome: Outcome) -> [(String, Record); 3] {
    let record = |outcome: Outcome| {
        let mut record = Record {
            outcome,
            exit_code: outcome.exit_code(),
            ..sample_record()
        };
        if outcome != Outcome::DoesNotConform {
            record.findings.clear();
        }
        record
    };
    let shard = |number| Record {
        shard: Some(ShardRecord { number, of: 2 }),
        ..record(Outcome::Conforms)
    };
    let traffic = Record {
        seed: 0,
        requests: RequestCounts::default(),
        reason: (outcome == Outcome::CouldNotJudge).then(|| "a.har was cut".to_owned()),
        traffic: Some(sample_traffic()),
        ..record(outcome)
    };
    [shard(1), shard(2), traffic].map(|record| (record.target.clone(), record))
}

#[test]
fn shards_stay_shards_when_traffic_is_added_in_any_grouping() {
    for outcome in [Outcome::Conforms, Outcome::DoesNotConform, Outcome::CouldNotJudge] {
        let [one, two, traffic] = with_traffic_that(outcome);
        let all = merged(vec![one.clone(), two.clone(), traffic.clone()]);
        assert_eq!((all.outcome, all.exit_code), (outcome, outcome.exit_code()));
        assert_eq!(all.reason, traffic.1.reason);
        assert_eq!(all.shards.as_ref().unwrap().present.len(), 2);
        let joined = |left, right| ("joined".to_owned(), merged(vec![left, right]));
        let part = joined(traffic.clone(), one.clone());
        assert_eq!(part.1.shards.as_ref().unwrap().missing, [2]);
        for grouped in [
            joined(part.clone(), two.clone()),
            joined(two.clone(), part.clone()),
            joined(joined(one, two), traffic),
            ("alone".to_owned(), merged(vec![("all".to_owned(), all.clone())])),
        ] {
            assert_eq!(text(&grouped.1), text(&all), "{outcome:?}");
        }
        for record in [&part.1, &all] {
            assert_eq!(text(&read(text(record).as_bytes()).unwrap()), text(record));
        }
    }
}

#[test]
fn shards_of_two_plans_are_rejected_although_traffic_comes_first() {
    let [one, two, traffic] = with_traffic_that(Outcome::Conforms);
    let changes: [(Change, &str); 2] = [
        (|record| record.seed = 8, "differ in their seed: 7 and 8"),
        (
            |record| record.shard = Some(ShardRecord { number: 2, of: 3 }),
            "how many shards there are: 2 and 3",
        ),
    ];
    for (change, expected) in changes {
        let mut other = two.clone();
        change(&mut other.1);
        let error = merge(vec![traffic.clone(), one.clone(), other], None).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert!(merge(vec![traffic, one, two], None).is_ok());
}

#[test]
fn a_shard_that_did_not_end_keeps_the_rest_from_being_green_and_what_is_broken_broken() {
    let ended = |number, outcome: Outcome| {
        let mut record = Record {
            shard: Some(ShardRecord { number, of: 2 }),
            outcome,
            reason: Some("why".to_owned()),
            ..sample_record()
        };
        if outcome != Outcome::DoesNotConform {
            record.findings.clear();
        }
        (number.to_string(), record)
    };
    for (one, two, both) in [
        (Outcome::Conforms, Outcome::Interrupted, Outcome::Interrupted),
        (Outcome::CouldNotJudge, Outcome::Interrupted, Outcome::Interrupted),
        (Outcome::WriteLogFailed, Outcome::Interrupted, Outcome::WriteLogFailed),
        (Outcome::CouldNotJudge, Outcome::Conforms, Outcome::CouldNotJudge),
        (Outcome::DoesNotConform, Outcome::Interrupted, Outcome::DoesNotConform),
        (Outcome::Conforms, Outcome::Conforms, Outcome::Conforms),
    ] {
        let record = merged(vec![ended(1, one), ended(2, two)]);
        assert_eq!(
            (record.outcome, record.exit_code),
            (both, both.exit_code()),
            "{one:?} {two:?}"
        );
    }
    let record = merged(vec![ended(1, Outcome::Conforms), ended(2, Outcome::Interrupted)]);
    assert_eq!(record.reason.as_deref(), Some("shard 2: why"));
}

#[test]
fn a_fact_that_no_shard_checked_and_a_bar_that_is_missed_are_not_green() {
    let shard = |number| {
        let mut record = Record {
            shard: Some(ShardRecord { number, of: 2 }),
            outcome: Outcome::Conforms,
            ..sample_record()
        };
        record.findings.clear();
        (number.to_string(), record)
    };
    let low = merge(vec![shard(1), shard(2)], Some(60.0)).unwrap();
    assert_eq!(low.outcome, Outcome::CouldNotJudge);
    assert!(low.reason.unwrap().starts_with("50.0 % of the facts"));
    assert_eq!(
        merge(vec![shard(1), shard(2)], Some(50.0)).unwrap().outcome,
        Outcome::Conforms
    );
    let mut both = vec![shard(1), shard(2)];
    for (_, record) in &mut both {
        record.facts.rows[3].reason = Some(ANOTHER_SHARD.into());
    }
    let checked_by_none = merged(both);
    assert_eq!(checked_by_none.outcome, Outcome::CouldNotJudge);
    assert!(checked_by_none.reason.unwrap().contains("no shard checked 1 fact;"));
}
