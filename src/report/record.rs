//! What every report says: one record of a run, resolved to texts and numbers. The main type is [`Record`].
//!
//! Its JSON Schema is derived from these types and checked in as `snapshots/report_schema.snap.json`.

use chrono::{DateTime, SecondsFormat, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::exchange::redact::{Redaction, Values, printable};
use crate::exchange::{Failure, Target, curl};
use crate::rules::{Finding, Level, Reason, Verdict};
use crate::run::{Ended, Run};

/// What a run says of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Facts were decided, and there is no finding at deny.
    Conforms,
    /// There is a finding at deny.
    DoesNotConform,
    /// Nothing could be judged, or less than was required.
    CouldNotJudge,
    /// The run was interrupted; what was judged until then is here.
    Interrupted,
    /// The account of its writes could not be kept, so the run ended; what was judged until then is here.
    NotRecorded,
}

impl Outcome {
    /// The exit code: 0 conforms, 1 does not conform, 3 could not judge, 4 not recorded, 130 interrupted.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Conforms => 0,
            Self::DoesNotConform => 1,
            Self::CouldNotJudge => 3,
            Self::Interrupted => 130,
            Self::NotRecorded => 4,
        }
    }
}

/// A run, told.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Record {
    /// What the run says of the service.
    pub outcome: Outcome,
    /// The process's exit code.
    pub exit_code: u8,
    /// Why nothing could be judged, where that is so.
    pub reason: Option<String>,
    /// The contract.
    pub contract: ContractRecord,
    /// The target's origin: scheme, host, port.
    pub target: String,
    /// What choices were made by; the same seed makes the same ones.
    pub seed: u64,
    /// When the run started, RFC 3339 in UTC.
    pub started_at: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The verdicts.
    pub facts: Facts,
    /// What was found, what to mend first first.
    pub findings: Vec<FindingRecord>,
    /// What the run may have left in the target; nothing can be deleted there.
    pub residue: Vec<ResidueRecord>,
    /// What was sent.
    pub requests: RequestCounts,
}

/// The contract of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ContractRecord {
    /// Its title.
    pub title: String,
    /// Its file.
    pub file: String,
}

/// The verdicts of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Facts {
    /// How many facts the contract has.
    pub total: usize,
    /// How many answers kept.
    pub held: usize,
    /// How many an answer broke.
    pub broken: usize,
    /// How many nothing decided.
    pub undecided: usize,
    /// Each fact.
    pub rows: Vec<FactRow>,
}

/// One fact and its verdict.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FactRow {
    /// The fact's name.
    pub fact: String,
    /// Its operation.
    pub operation: String,
    /// Its verdict.
    pub verdict: VerdictRecord,
    /// Why it is undecided.
    pub reason: Option<String>,
}

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictRecord {
    /// Answers kept the fact.
    Held,
    /// An answer broke it.
    Broken,
    /// Nothing decided it.
    Undecided,
}

/// A finding.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FindingRecord {
    /// The rule.
    pub rule: String,
    /// Its level in this run.
    pub level: Level,
    /// The operation.
    pub operation: String,
    /// The fact.
    pub fact: String,
    /// Where in the answer, as a JSON pointer (RFC 6901); empty for the whole answer.
    pub answer_pointer: String,
    /// Where in the contract, as a JSON pointer.
    pub contract_pointer: String,
    /// The line in the contract's file, from 1.
    pub contract_line: u32,
    /// What the contract states.
    pub documented: String,
    /// What came instead, as a shape.
    pub received: String,
    /// How often.
    pub count: u64,
    /// A `curl` line that shows it again; it takes the token from `$COUNTERSIGN_TOKEN`.
    pub reproduce: String,
}

/// Something left in the target.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResidueRecord {
    /// The operation that created it.
    pub operation: String,
    /// Its identifier; none when no answer showed one.
    pub id: Option<String>,
    /// Whether an answer came; without one nobody knows whether there is anything.
    pub answered: bool,
}

/// How many requests were sent.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct RequestCounts {
    /// All.
    pub sent: u64,
    /// With a complete answer.
    pub answered: u64,
    /// Able to change the target.
    pub writes: u64,
    /// Answered by 429 or 503.
    pub throttled: u64,
    /// Without a complete answer.
    pub unfinished: u64,
    /// How often the whole plan was carried out.
    pub rounds: u64,
}

/// What a record needs beside the run itself.
#[derive(Clone, Copy, Debug)]
pub struct RunFacts<'run> {
    /// The contract.
    pub contract: &'run Contract,
    /// The target.
    pub target: &'run Target,
    /// The seed.
    pub seed: u64,
    /// When the run started.
    pub started_at: DateTime<Utc>,
    /// How long it took.
    pub duration: std::time::Duration,
    /// How much of the facts must be decided, in percent.
    pub require_facts: Option<f64>,
    /// How values are told.
    pub values: Values,
    /// What takes the token out of a text.
    pub redaction: &'run Redaction,
}

/// Makes the record of a run.
#[must_use]
pub fn record(run: &Run, about: &RunFacts<'_>) -> Record {
    let facts = facts(run, about.contract);
    let findings = findings(run, about);
    let (outcome, reason) = outcome(run, &facts, &findings, about.require_facts);
    let name = |operation| about.contract.operation(operation).name.clone();
    let residue = run.residue.iter().map(|left| ResidueRecord {
        operation: name(left.operation),
        id: left.id.as_ref().map(|id| about.redaction.hide(&printable(id))),
        answered: left.answered,
    });
    let tally = run.tally;
    Record {
        outcome,
        exit_code: outcome.exit_code(),
        reason,
        contract: ContractRecord {
            title: about.contract.title.clone(),
            file: about.contract.document.name.clone(),
        },
        target: about.target.origin(),
        seed: about.seed,
        started_at: about.started_at.to_rfc3339_opts(SecondsFormat::Secs, true),
        duration_ms: u64::try_from(about.duration.as_millis()).unwrap_or(u64::MAX),
        facts,
        findings,
        residue: residue.collect(),
        requests: RequestCounts {
            sent: tally.sent,
            answered: tally.answered,
            writes: tally.writes,
            throttled: tally.throttled,
            unfinished: tally.unfinished,
            rounds: tally.rounds,
        },
    }
}

fn facts(run: &Run, contract: &Contract) -> Facts {
    let mut order: Vec<_> = (0..contract.facts.len()).map(FactId).collect();
    order.sort_by_key(|id| contract.fact(*id).operation);
    let rows: Vec<_> = order.into_iter().map(|id| row(run, contract, id)).collect();
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    Facts {
        total: rows.len(),
        held: count(VerdictRecord::Held),
        broken: count(VerdictRecord::Broken),
        undecided: count(VerdictRecord::Undecided),
        rows,
    }
}

fn row(run: &Run, contract: &Contract, id: FactId) -> FactRow {
    let fact = contract.fact(id);
    let (verdict, reason) = match run.verdicts.of(contract, id) {
        Verdict::Broken => (VerdictRecord::Broken, None),
        Verdict::Held => (VerdictRecord::Held, None),
        Verdict::Undecided(reason) => (VerdictRecord::Undecided, Some(reason.to_string())),
    };
    let operation = contract.operation(fact.operation).name.clone();
    FactRow {
        fact: fact.name.clone(),
        operation,
        verdict,
        reason,
    }
}

fn findings(run: &Run, about: &RunFacts<'_>) -> Vec<FindingRecord> {
    let reported = run
        .verdicts
        .findings()
        .iter()
        .filter(|finding| finding.level != Level::Allow);
    let mut findings: Vec<_> = reported.map(|finding| finding_record(finding, about)).collect();
    // The last word is the fact's name, because calls of one group are answered in any order.
    findings.sort_by_cached_key(|finding| {
        (
            std::cmp::Reverse(finding.level),
            urgency(&finding.rule),
            finding.contract_line,
            finding.fact.clone(),
        )
    });
    findings
}

/// What to mend first: who gets in, whether there is an answer, what kind it is, then what is in it.
fn urgency(rule: &str) -> usize {
    let order = [
        "auth",
        "server-error",
        "unfinished-answer",
        "status",
        "media-type",
        "malformed-json",
        "envelope",
        "missing-field",
        "wrong-type",
    ];
    order.iter().position(|known| *known == rule).unwrap_or(order.len())
}

fn finding_record(finding: &Finding, about: &RunFacts<'_>) -> FindingRecord {
    let contract = about.contract;
    let fact = contract.fact(finding.fact);
    let position = contract.position(fact);
    FindingRecord {
        rule: finding.rule.name.to_owned(),
        level: finding.level,
        operation: contract.operation(finding.request.operation).name.clone(),
        fact: fact.name.clone(),
        answer_pointer: about.redaction.hide(&finding.pointer),
        contract_pointer: fact.place.clone(),
        contract_line: position.line,
        documented: finding.documented.clone().unwrap_or_else(|| fact.documented.clone()),
        received: about.redaction.hide(&finding.received),
        count: finding.count,
        reproduce: about
            .redaction
            .hide(&curl::line(&finding.request, about.target, about.values)),
    }
}

fn outcome(run: &Run, facts: &Facts, findings: &[FindingRecord], require: Option<f64>) -> (Outcome, Option<String>) {
    let decided = facts.held + facts.broken;
    let denied = findings.iter().any(|finding| finding.level == Level::Deny);
    let beyond = Some(Reason::Beyond.to_string());
    let short = require.filter(|percent| percentage(decided, facts.total) < *percent);
    match &run.ended {
        Ended::Interrupted => (Outcome::Interrupted, Some("the run was interrupted".to_owned())),
        // What a TLS failure says is its own hint.
        Ended::Unreachable(failure @ Failure::Tls { .. }) => (Outcome::CouldNotJudge, Some(failure.to_string())),
        Ended::Unreachable(failure) => {
            let reason = format!("{failure}; check the base URL, and that the service is up");
            (Outcome::CouldNotJudge, Some(reason))
        }
        Ended::TokenRefused(status) => {
            let reason = format!(
                "the token was refused with {status} by every operation that was called; check that it is for this target"
            );
            (Outcome::CouldNotJudge, Some(reason))
        }
        Ended::NotRecorded(reason) => {
            let reason = format!("the residue could not be recorded ({reason}), so no write was sent after that");
            (Outcome::NotRecorded, Some(reason))
        }
        Ended::Throttled => (
            Outcome::CouldNotJudge,
            Some("every answer was 429; try again later or with --rate".to_owned()),
        ),
        Ended::Complete if denied => (Outcome::DoesNotConform, None),
        // A body that nobody could read hides whatever it likes.
        Ended::Complete if facts.rows.iter().any(|row| row.reason == beyond) => (
            Outcome::CouldNotJudge,
            Some(format!("an answer could not be read: {}", Reason::Beyond)),
        ),
        Ended::Complete if decided == 0 => (Outcome::CouldNotJudge, Some("no fact was decided".to_owned())),
        Ended::Complete => match short {
            None => (Outcome::Conforms, None),
            Some(percent) => {
                let reached = percentage(decided, facts.total);
                (
                    Outcome::CouldNotJudge,
                    Some(format!(
                        "{reached:.1} % of the facts were decided, and --require-facts asks for {percent}"
                    )),
                )
            }
        },
    }
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
    use crate::exchange::Failure;
    use crate::report::testing::Seen;

    /// One of the contract's nine facts stays undecided with it: the type of `size`.
    const SOUND: &[&str] = &[r#"{"name": "a"}"#];
    const BROKEN: &[&str] = &[r#"{"name": 1}"#];

    fn ends() -> [(Ended, Outcome); 4] {
        [
            (Ended::Interrupted, Outcome::Interrupted),
            (Ended::Throttled, Outcome::CouldNotJudge),
            (Ended::TokenRefused(401), Outcome::CouldNotJudge),
            (Ended::Unreachable(Failure::Resolve), Outcome::CouldNotJudge),
        ]
    }

    #[test]
    fn a_complete_run_is_judged_by_its_findings_then_by_what_it_decided() {
        let nothing: &[&str] = &[];
        for (bodies, require, outcome) in [
            (SOUND, None, Outcome::Conforms),
            (SOUND, Some(0.0), Outcome::Conforms),
            (SOUND, Some(80.0), Outcome::Conforms),
            (SOUND, Some(100.0), Outcome::CouldNotJudge),
            (BROKEN, None, Outcome::DoesNotConform),
            (BROKEN, Some(100.0), Outcome::DoesNotConform),
            (nothing, None, Outcome::CouldNotJudge),
            (nothing, Some(0.0), Outcome::CouldNotJudge),
        ] {
            let record = Seen::bodies(bodies).record(require);
            assert_eq!(record.outcome, outcome, "{bodies:?} {require:?} {:?}", record.facts);
            assert_eq!(record.exit_code, outcome.exit_code());
        }
    }

    #[test]
    fn a_run_with_an_answer_that_nobody_could_read_is_not_green() {
        for bodies in [&[r#"{"name": "a", "size": 1e999}"#][..], &["[[[[", "x"]] {
            let record = Seen::bodies(bodies).record(None);
            assert_ne!(record.outcome, Outcome::Conforms, "{bodies:?}");
        }
        let record = Seen::bodies(&[r#"{"size": 1e999}"#]).record(None);
        assert_eq!(record.outcome, Outcome::CouldNotJudge);
        assert!(record.reason.unwrap().contains("128 levels"));
    }

    #[test]
    fn a_run_that_did_not_end_by_itself_is_not_judged_whatever_was_found() {
        for (ended, outcome) in ends() {
            for bodies in [SOUND, BROKEN, &[]] {
                for require in [None, Some(0.0), Some(100.0)] {
                    let record = Seen::bodies(bodies).ended(ended.clone()).record(require);
                    assert_eq!(record.outcome, outcome, "{ended:?} {bodies:?} {require:?}");
                    assert!(record.reason.is_some());
                }
            }
        }
    }

    #[test]
    fn every_outcome_has_its_documented_exit_code() {
        let codes = [
            Outcome::Conforms,
            Outcome::DoesNotConform,
            Outcome::CouldNotJudge,
            Outcome::Interrupted,
        ]
        .map(Outcome::exit_code);
        assert_eq!(codes, [0, 1, 3, 130]);
    }

    #[test]
    fn the_reason_says_what_to_do_about_it() {
        let reason = |seen: Seen, require| seen.record(require).reason;
        assert_eq!(reason(Seen::bodies(SOUND), None), None);
        assert_eq!(reason(Seen::bodies(BROKEN), None), None);
        let told = |ended| reason(Seen::bodies(SOUND).ended(ended), None).unwrap();
        assert!(told(Ended::TokenRefused(403)).contains("refused with 403"));
        assert!(told(Ended::Throttled).contains("--rate"));
        let unreachable = told(Ended::Unreachable(Failure::Resolve));
        assert!(
            unreachable.starts_with("the host's name does not resolve; check the base URL"),
            "{unreachable}"
        );
        assert_eq!(reason(Seen::bodies(&[]), None).as_deref(), Some("no fact was decided"));
        let short = reason(Seen::bodies(SOUND), Some(100.0)).unwrap();
        assert_eq!(
            short,
            "88.9 % of the facts were decided, and --require-facts asks for 100"
        );
    }

    #[test]
    fn a_finding_at_warn_is_reported_and_conforms() {
        let mut seen = Seen::bodies(BROKEN);
        seen.levels.set("wrong-type", Level::Warn).unwrap();
        let record = seen.record(None);
        assert_eq!((record.outcome, record.findings.len()), (Outcome::Conforms, 1));
        assert_eq!(record.facts.broken, 1);
    }

    #[test]
    fn a_finding_at_allow_is_silent_and_its_fact_is_broken_all_the_same() {
        let mut seen = Seen::bodies(BROKEN);
        seen.levels.set("wrong-type", Level::Allow).unwrap();
        let record = seen.record(None);
        assert_eq!((record.outcome, record.findings.len()), (Outcome::Conforms, 0));
        assert_eq!(record.facts.broken, 1);
    }

    #[test]
    fn findings_stand_by_level_then_urgency_then_line() {
        let mut seen = Seen::bodies(&[r#"{"size": "1", "more": 1}"#, r#"{"name": 1}"#]);
        seen.answers.push((404, "{}"));
        let order = |record: Record| {
            let told = record.findings.into_iter();
            told.map(|finding| format!("{} {}", finding.rule, finding.contract_line))
                .collect::<Vec<_>>()
        };
        let expected = [
            "status 8",
            "missing-field 16",
            "wrong-type 17",
            "wrong-type 19",
            "undocumented-field 13",
        ];
        assert_eq!(order(seen.record(None)), expected);
        seen.answers.reverse();
        assert_eq!(order(seen.record(None)), expected);
        seen.levels.set("status", Level::Warn).unwrap();
        assert_eq!(order(seen.record(None))[3], "status 8");
    }

    #[test]
    fn findings_of_one_line_stand_by_the_name_of_their_fact() {
        let findings = |bodies| {
            let findings = Seen::one_line(bodies).record(None).findings.into_iter();
            findings.map(|finding| finding.fact).collect::<Vec<_>>()
        };
        let both = findings(&[r#"{"a": 1}"#, r#"{"b": 1}"#]);
        assert_eq!(both.len(), 2);
        assert_eq!(both, findings(&[r#"{"b": 1}"#, r#"{"a": 1}"#]));
    }

    #[test]
    fn each_fact_is_counted_once_and_has_a_row() {
        let facts = Seen::bodies(SOUND).record(None).facts;
        assert_eq!(facts.held + facts.broken + facts.undecided, facts.total);
        assert_eq!(facts.rows.len(), facts.total);
        let reasons = facts.rows.iter().filter(|row| row.reason.is_some()).count();
        assert_eq!(reasons, facts.undecided);
    }

    #[test]
    fn a_finding_has_both_places_and_the_line_to_repeat_it() {
        let finding = Seen::bodies(BROKEN).record(None).findings.remove(0);
        assert_eq!(finding.answer_pointer, "/name");
        assert!(finding.contract_pointer.ends_with("/schema/properties/name/type"));
        assert_eq!((finding.contract_line, finding.documented.as_str()), (17, "string"));
        assert!(finding.reproduce.ends_with("'https://api.example.com/tenant/things'"));
    }

    #[test]
    fn of_the_target_the_record_says_the_origin_alone() {
        let record = Seen::bodies(SOUND).record(None);
        assert_eq!(record.target, "https://api.example.com");
        assert_eq!(
            (record.started_at.as_str(), record.duration_ms),
            ("1970-01-01T00:00:00Z", 1234)
        );
    }

    #[test]
    fn an_identifier_cannot_drive_the_terminal() {
        let mut seen = Seen::bodies(SOUND);
        seen.residue.push(crate::run::Residue {
            operation: seen.contract.operation_named("getThings").unwrap(),
            id: Some("\u{1b}[2J\n::error::t-17".to_owned()),
            answered: true,
        });
        let id = seen.record(None).residue.remove(0).id.unwrap();
        assert!(!id.contains(['\u{1b}', '\n']) && !id.contains("::error"), "{id}");
    }

    #[test]
    fn a_share_of_nothing_is_nothing() {
        assert!(percentage(0, 0).abs() < f64::EPSILON);
        assert!((percentage(1, 4) - 25.0).abs() < f64::EPSILON);
    }
}
