//! Checks that a record that was read does not contradict itself. The main function is [`contradiction`].

use std::collections::HashSet;

use crate::gaps::AnswerState;
use crate::plan::Shard;
use crate::report::record::{FactRow, FindingRecord, Outcome, Record, ShardRecord, ShardsRecord, VerdictRecord};
use crate::rules::Level;

/// The maximum number of lines of a contract that one excerpt spans: a report writes those left out as empty lines.
const MAX_LINES: u32 = 100_000;
/// The largest number of an exchange; merging multiplies it.
const LARGEST_NUMBER: u64 = 1 << 48;
/// The longest time that a record may contain, in milliseconds: a thousand years.
const LONGEST: f64 = 3.2e13;

/// Returns the first contradiction in a record, with its location.
pub(super) fn contradiction(record: &Record) -> Option<String> {
    facts(record)
        .or_else(|| outcome(record))
        .or_else(|| times(record))
        .or_else(|| record.findings.iter().enumerate().find_map(finding))
        .or_else(|| answers(record))
        .or_else(|| exchanges(record))
        .or_else(|| shards(record))
}

fn facts(record: &Record) -> Option<String> {
    let facts = &record.facts;
    let rows = |verdict| facts.rows.iter().filter(|row| row.verdict == verdict).count();
    let counts = [
        ("total", facts.total, facts.rows.len()),
        ("held", facts.held, rows(VerdictRecord::Held)),
        ("broken", facts.broken, rows(VerdictRecord::Broken)),
        ("undecided", facts.undecided, rows(VerdictRecord::Undecided)),
    ];
    let wrong = counts.iter().find(|(_, stated, counted)| stated != counted);
    if let Some((name, stated, counted)) = wrong {
        return Some(format!("/facts/{name} is {stated}, but there are {counted} such rows"));
    }
    let mut names = HashSet::new();
    let wrong = |row: &FactRow| (row.verdict == VerdictRecord::Undecided) != row.reason.is_some();
    facts.rows.iter().enumerate().find_map(|(index, row)| {
        if wrong(row) {
            return Some(format!(
                "/facts/rows/{index} has a reason but is not undecided, or is undecided without a reason"
            ));
        }
        (!names.insert(&row.fact)).then(|| format!("/facts/rows/{index} is for a fact that already has a row"))
    })
}

fn outcome(record: &Record) -> Option<String> {
    let outcome = record.outcome;
    // The exit code of `learn` says whether anything was answered, whatever the outcome.
    let is_of_answers = record.learns && matches!(record.exit_code, 0 | 3);
    if record.exit_code != outcome.exit_code() && !is_of_answers {
        let (stated, meant) = (record.exit_code, outcome.exit_code());
        return Some(format!(
            "/exit_code is {stated}, but the exit code of /outcome is {meant}"
        ));
    }
    let denied = record.findings.iter().any(|finding| finding.level == Level::Deny);
    let decided = record.facts.held + record.facts.broken > 0;
    let wrong = match outcome {
        Outcome::Conforms if denied => "/outcome says that the service conforms, but there is a finding at deny",
        Outcome::Conforms if !decided => "/outcome says that the service conforms, but no fact is decided",
        Outcome::DoesNotConform if !denied => {
            "/outcome says that the service does not conform, but there is no finding at deny"
        }
        _ => return None,
    };
    Some(wrong.to_owned())
}

fn times(record: &Record) -> Option<String> {
    record
        .ended_at()
        .is_none()
        .then(|| "/started_at and /duration_ms are not a valid time".to_owned())
}

fn finding((index, finding): (usize, &FindingRecord)) -> Option<String> {
    let lines = &finding.excerpt.lines;
    let ascending = lines.windows(2).all(|pair| pair[0].number < pair[1].number);
    let first = lines.first().map_or(0, |line| line.number);
    let near = lines
        .last()
        .is_none_or(|last| last.number.saturating_sub(first) <= MAX_LINES);
    let marks = [Some(finding.excerpt.primary), finding.excerpt.schema_name];
    let forward = marks.into_iter().flatten().all(|mark| mark.start <= mark.end);
    (!ascending || !near || !forward).then(|| format!("/findings/{index}/excerpt is not an excerpt of a contract"))
}

fn answers(record: &Record) -> Option<String> {
    record.answers.iter().enumerate().find_map(|(index, answer)| {
        let is_told = answer.state != AnswerState::CannotTell;
        let agrees = answer.state == AnswerState::Unstable || answer.observations.against == 0;
        let sound = answer.claim.is_some() == is_told && answer.reason.is_some() != is_told && agrees;
        (!sound).then(|| format!("/answers/{index} has a state that its claim, its trials or its reason contradict"))
    })
}

fn exchanges(record: &Record) -> Option<String> {
    let mut numbers = HashSet::new();
    let time = |milliseconds: f64| (0.0..=LONGEST).contains(&milliseconds);
    record.exchanges.iter().enumerate().find_map(|(index, exchange)| {
        if !(1..=LARGEST_NUMBER).contains(&exchange.number) || !numbers.insert(exchange.number) {
            return Some(format!(
                "/exchanges/{index}/number is out of range, or the number of another exchange"
            ));
        }
        let elapsed = exchange.response.as_ref().map_or(0.0, |response| response.elapsed_ms);
        let impossible = !time(exchange.sent_ms) || !time(elapsed);
        impossible.then(|| format!("/exchanges/{index} has an impossible time"))
    })
}

fn shards(record: &Record) -> Option<String> {
    match (&record.shard, &record.shards) {
        (Some(_), Some(_)) => Some("it has both /shard and /shards".to_owned()),
        (Some(ShardRecord { number, of }), None) => {
            let error = Shard::new(*number, *of).err()?;
            Some(format!("/shard: {error}"))
        }
        (None, Some(shards)) => merged_shards(record, shards),
        (None, None) => None,
    }
}

fn merged_shards(record: &Record, shards: &ShardsRecord) -> Option<String> {
    if let Err(error) = Shard::new(1, shards.of) {
        return Some(format!("/shards: {error}"));
    }
    let mut numbers: Vec<_> = shards.present.iter().map(|shard| shard.number).collect();
    let ascending = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    numbers.extend(&shards.missing);
    numbers.sort_unstable();
    if !ascending || numbers.len() == shards.missing.len() || !numbers.into_iter().eq(1..=shards.of) {
        return Some("/shards does not list each shard once, as present or missing".to_owned());
    }
    let of_traffic = record.traffic.iter().filter_map(|traffic| traffic.ended.as_ref());
    let outcomes = shards.present.iter().map(|shard| shard.outcome);
    let mut outcomes = outcomes.chain(of_traffic.map(|ended| ended.outcome));
    let broken = |outcome: Outcome| outcome == Outcome::DoesNotConform;
    if outcomes.any(broken) != broken(record.outcome) {
        return Some(
            "/outcome and the outcomes in /shards/present and /traffic/ended disagree on whether it conforms"
                .to_owned(),
        );
    }
    let green = record.outcome == Outcome::Conforms && !shards.missing.is_empty();
    green.then(|| "/outcome says that the service conforms, but a shard is missing".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ShardEnded;
    use crate::report::testing::{SampleRun, sample_record};

    type Change = fn(&mut Record);

    fn changed(change: Change) -> Option<String> {
        let mut record = sample_record();
        change(&mut record);
        contradiction(&record)
    }

    #[test]
    fn a_record_as_it_is_made_agrees_with_itself() {
        assert_eq!(contradiction(&sample_record()), None);
        for bodies in [&[r#"{"name": "a"}"#][..], &[r#"{"name": 1}"#], &[]] {
            assert_eq!(
                contradiction(&SampleRun::bodies(bodies).record(None)),
                None,
                "{bodies:?}"
            );
        }
    }

    #[test]
    fn a_record_that_contradicts_itself_is_reported_with_the_location() {
        let cases: [(Change, &str); 24] = [
            (|record| record.facts.total = 5, "/facts/total is 5"),
            (|record| record.facts.held = 2, "/facts/held is 2"),
            (|record| record.facts.broken = 0, "/facts/broken is 0"),
            (|record| record.facts.undecided = 3, "/facts/undecided is 3"),
            (|record| record.facts.rows[0].reason = Some("".into()), "/facts/rows/0"),
            (|record| record.facts.rows[2].reason = None, "/facts/rows/2"),
            (
                |record| record.facts.rows[1].fact = record.facts.rows[0].fact.clone(),
                "/facts/rows/1",
            ),
            (|record| record.exit_code = 0, "/exit_code is 0"),
            (
                |record| (record.outcome, record.exit_code) = (Outcome::Conforms, 0),
                "deny",
            ),
            (|record| record.findings.clear(), "no finding at deny"),
            (|record| record.started_at = "today".to_owned(), "/started_at"),
            (|record| record.duration_ms = u64::MAX, "/duration_ms"),
            (
                |record| record.findings[0].excerpt.lines[0].number = u32::MAX,
                "/findings/0/excerpt",
            ),
            (
                |record| record.findings[1].excerpt.primary.end = 0,
                "/findings/1/excerpt",
            ),
            (|record| record.answers[0].reason = None, "/answers/0"),
            (|record| record.answers[1].claim = None, "/answers/1"),
            (|record| record.answers[1].observations.against = 1, "/answers/1"),
            (|record| record.exchanges[0].number = 0, "/exchanges/0"),
            (
                |record| record.exchanges.push(record.exchanges[0].clone()),
                "/exchanges/1",
            ),
            (|record| record.exchanges[0].sent_ms = 1e300, "/exchanges/0"),
            (
                |record| record.shard = Some(ShardRecord { number: 4, of: 3 }),
                "no shard 4 of 3",
            ),
            (
                |record| {
                    record.shard = Some(ShardRecord {
                        number: 1,
                        of: u32::MAX,
                    });
                },
                "/shard",
            ),
            (|record| record.shards = Some(present(&[1, 2], &[2])), "/shards"),
            (|record| record.shards = Some(present(&[2, 1], &[])), "/shards"),
        ];
        for (change, expected) in cases {
            let message = changed(change).expect(expected);
            assert!(message.contains(expected), "{expected}: {message}");
        }
        assert_eq!(changed(|record| record.shards = Some(present(&[2], &[1]))), None);
    }

    #[test]
    fn the_exit_code_of_learn_says_whether_anything_was_answered() {
        let of = |learns, exit_code| {
            let mut record = sample_record();
            (record.learns, record.exit_code) = (learns, exit_code);
            contradiction(&record)
        };
        for exit_code in [0, 1, 3] {
            assert_eq!(of(true, exit_code), None);
            assert_eq!(of(false, exit_code).is_some(), exit_code != 1);
        }
        assert!(of(true, 4).is_some());
    }

    fn present(numbers: &[u32], missing: &[u32]) -> ShardsRecord {
        let ended = |number: &u32| ShardEnded {
            number: *number,
            outcome: Outcome::DoesNotConform,
            reason: None,
        };
        ShardsRecord {
            of: 2,
            present: numbers.iter().map(ended).collect(),
            missing: missing.to_vec(),
        }
    }
}
