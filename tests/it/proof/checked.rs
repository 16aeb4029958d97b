//! Checks a deviating service, in this process or over a socket. The main type is [`Checked`]; [`Judged`] is the
//! result, also of checking a recording.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use axum::Router;
use chrono::DateTime;
use countersign::Recording;
use countersign::contract::Contract;
use countersign::contract::fact::FactId;
use countersign::exchange::Exchange;
use countersign::plan::Shard;
use countersign::report::{FactRow, FindingRecord, Outcome, Record, VerdictRecord};
use countersign::rules::{Finding, Level, Levels, Verdict, Verdicts};
use tokio::sync::OnceCell;

use super::call::{Call, TOKEN};
use super::deviating::{Deviation, laid};
use crate::support::again::{any_element, assert_judged_again};
use crate::support::{built_in, contract_with_few_edge_cases, is_exhaustive};

static CONTRACT: LazyLock<Arc<Contract>> = LazyLock::new(contract_with_few_edge_cases);

/// The contract that a check here is held against, with few edge cases unless it asks for all. The operations and the
/// facts are the same in both.
pub(super) fn contract() -> &'static Contract {
    &CONTRACT
}

/// A check of a service that is nobody's.
pub(super) fn check(seed: u64) -> countersign::Check {
    check_against(&CONTRACT, seed)
}

fn check_against(contract: &Arc<Contract>, seed: u64) -> countersign::Check {
    let check = countersign::Check::new(Arc::clone(contract)).token(TOKEN).writes(true);
    check
        .seed(seed)
        .started_at(DateTime::UNIX_EPOCH + Duration::from_micros(1))
}

/// How a service is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Check {
    pub(super) writes: bool,
    pub(super) settle: Duration,
    pub(super) max_writes: u64,
    pub(super) max_pages: u64,
    pub(super) seed: u64,
    /// How often the plan is carried out.
    pub(super) rounds: u64,
    /// The one operation that is checked; all where none is named.
    pub(super) only: Option<&'static str>,
    /// Whether every edge case is sent, not only a few.
    pub(super) every_edge_case: bool,
}

/// What is made of each check once.
type Each<Made> = LazyLock<Mutex<HashMap<Check, Arc<OnceCell<Arc<Made>>>>>>;

impl Default for Check {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What a check said, and what it sent.
pub(super) struct Checked {
    pub(super) record: Record,
    pub(super) calls: Vec<Call>,
}

impl Check {
    pub(super) const DEFAULT: Self = Self {
        writes: true,
        settle: Duration::from_millis(200),
        max_writes: 20,
        max_pages: 200,
        seed: 1,
        rounds: 1,
        only: None,
        every_edge_case: false,
    };

    /// The same with every edge case.
    pub(super) const WHOLE: Self = Self {
        every_edge_case: true,
        ..Self::DEFAULT
    };

    /// Of this operation and what it needs; of all where everything is tried.
    pub(super) fn concerning(operation: &'static str) -> Self {
        Self {
            only: (!is_exhaustive()).then_some(operation),
            ..Self::DEFAULT
        }
    }

    /// Checks a service in this process, on a clock that jumps where the check waits.
    pub(super) async fn run(&self, deviation: Deviation) -> Checked {
        let (router, log) = laid(deviation).await;
        tokio::time::pause();
        let record = self.within(router).await;
        tokio::time::resume();
        let calls = std::mem::take(&mut *log.lock().unwrap());
        Checked { record, calls }
    }

    /// Checks the reference service, once for all tests that look at what such a check sends and says.
    pub(super) async fn undisturbed(&self) -> Arc<Checked> {
        static CHECKED: Each<Checked> = LazyLock::new(Mutex::default);
        self.once(&CHECKED, async || self.run(Deviation::none()).await).await
    }

    /// What a check of this service says: of a recording of the reference service with its responses edited, where the
    /// deviation does nothing else.
    pub(super) async fn judged(&self, deviation: Deviation) -> Judged {
        if is_exhaustive() || !deviation.only_edits() {
            return Judged::of(&self.run(deviation).await);
        }
        let recording = self.recording().await;
        Judged::edited(&recording, |exchange| deviation.edited(exchange))
    }

    /// What such a check of the reference service saw, once for all tests that edit it.
    pub(super) async fn recording(&self) -> Arc<Recording> {
        static RECORDINGS: Each<Recording> = LazyLock::new(Mutex::default);
        let record = async || {
            let (router, _) = laid(Deviation::none()).await;
            tokio::time::pause();
            let report = self.settled().service(router).keep_recording(true).run().await.unwrap();
            tokio::time::resume();
            report.into_run().recording.unwrap()
        };
        self.once(&RECORDINGS, record).await
    }

    /// How many facts such a check of the reference service holds.
    pub(super) async fn held(&self) -> usize {
        static HELD: Each<usize> = LazyLock::new(Mutex::default);
        *self
            .once(&HELD, async || self.judged(Deviation::none()).await.held)
            .await
    }

    /// What is made once for each check, by whichever test asks first.
    async fn once<Made>(&self, each: &Each<Made>, make: impl AsyncFnOnce() -> Made) -> Arc<Made> {
        let made = Arc::clone(each.lock().unwrap().entry(*self).or_default());
        Arc::clone(made.get_or_init(async || Arc::new(make().await)).await)
    }

    /// Checks the service at this base URL.
    pub(super) async fn against(&self, url: &str) -> Record {
        self.against_with(url, TOKEN).await
    }

    /// Checks the service at this base URL, which takes this token.
    pub(super) async fn against_with(&self, url: &str, token: &str) -> Record {
        let check = self.settled().url(url).token(token);
        check.run().await.unwrap().into_record()
    }

    /// Checks a service in this process in a shard of the plan.
    pub(super) async fn sharded(&self, service: &Router, shard: Shard) -> Record {
        let check = self
            .settled()
            .service(service.clone())
            .shard(shard)
            .keep_exchanges(true);
        check.run().await.unwrap().into_record()
    }

    /// Checks a service in this process.
    pub(super) async fn within(&self, service: Router) -> Record {
        let check = self.settled().service(service).keep_recording(is_exhaustive());
        let report = check.run().await.unwrap();
        assert_judged_again(self.contract(), report.run());
        report.into_record()
    }

    fn contract(&self) -> &'static Arc<Contract> {
        if self.every_edge_case { built_in() } else { &CONTRACT }
    }

    fn settled(&self) -> countersign::Check {
        let check = check_against(self.contract(), self.seed);
        self.only
            .into_iter()
            .fold(check, countersign::Check::only)
            .writes(self.writes)
            .settle(self.settle)
            .max_writes(self.max_writes)
            .max_pages(self.max_pages)
            .repeat(self.rounds)
    }
}

impl Checked {
    pub(super) fn outcome(&self) -> Outcome {
        self.record.outcome
    }

    pub(super) fn denied(&self) -> impl Iterator<Item = &FindingRecord> {
        self.record
            .findings
            .iter()
            .filter(|finding| finding.level == Level::Deny)
    }

    /// The findings at deny of other rules than this one, each in a line.
    pub(super) fn astray(&self, rule: &str) -> Vec<String> {
        self.denied()
            .filter(|finding| finding.rule != rule)
            .map(described)
            .collect()
    }

    /// The facts of a rule.
    pub(super) fn rows<'own>(&'own self, rule: &'own str) -> impl Iterator<Item = &'own FactRow> + Clone {
        self.record.facts.rows.iter().filter(move |row| row.rule == rule)
    }

    pub(super) fn warned(&self) -> impl Iterator<Item = &FindingRecord> {
        self.record
            .findings
            .iter()
            .filter(|finding| finding.level == Level::Warn)
    }
}

/// A finding in a line.
pub(super) fn described(finding: &FindingRecord) -> String {
    format!(
        "{}: {} {:?} ({}), received {}",
        finding.rule, finding.operation, finding.response_pointer, finding.fact, finding.received
    )
}

/// What a check says, of a run or of a recording.
pub(super) struct Judged {
    pub(super) outcome: Outcome,
    findings: Vec<Said>,
    /// How many facts are held.
    pub(super) held: usize,
    /// Why facts are undecided, each reason once.
    pub(super) reasons: Vec<String>,
}

/// What a check says of one finding.
#[derive(Debug)]
pub(super) struct Said {
    level: Level,
    pub(super) rule: String,
    pub(super) operation: String,
    /// Where in the response, with `*` for every element's number.
    pub(super) pointer: String,
    pub(super) fact: String,
    received: String,
}

impl Judged {
    fn of(checked: &Checked) -> Self {
        let rows = checked.record.facts.rows.iter();
        let verdicts = rows.map(|row| (row.verdict, row.reason.as_ref().map(ToString::to_string)));
        let findings = checked.record.findings.iter().map(|finding| Said {
            level: finding.level,
            rule: finding.rule.to_string(),
            operation: finding.operation.clone(),
            pointer: any_element(&finding.response_pointer),
            fact: finding.fact.clone(),
            received: finding.received.clone(),
        });
        Self::new(checked.outcome(), findings.collect(), verdicts)
    }

    /// What is said of a recording with its responses edited.
    pub(super) fn edited(recording: &Recording, edit: impl FnMut(&Exchange) -> Option<Exchange>) -> Self {
        Self::again(&recording.judge_edited(contract(), Levels::default(), edit))
    }

    fn again(verdicts: &Verdicts) -> Self {
        let facts = (0..contract().facts.len()).map(|index| match verdicts.of(contract(), FactId(index)) {
            Verdict::Broken => (VerdictRecord::Broken, None),
            Verdict::Held => (VerdictRecord::Held, None),
            Verdict::Undecided(reason) => (VerdictRecord::Undecided, Some(reason.to_string())),
        });
        let said = |finding: &Finding| Said {
            level: finding.level,
            rule: finding.rule.name.to_owned(),
            operation: contract().operation(finding.request.operation).name.clone(),
            pointer: any_element(&finding.pointer),
            fact: contract().fact(finding.fact).name.to_string(),
            received: finding.received.clone(),
        };
        let findings: Vec<_> = verdicts.findings().iter().map(said).collect();
        let denied = findings.iter().any(|said| said.level == Level::Deny);
        let outcome = if denied {
            Outcome::DoesNotConform
        } else {
            Outcome::Conforms
        };
        Self::new(outcome, findings, facts)
    }

    fn new(
        outcome: Outcome,
        findings: Vec<Said>,
        facts: impl Iterator<Item = (VerdictRecord, Option<String>)>,
    ) -> Self {
        let (verdicts, reasons): (Vec<_>, Vec<_>) = facts.unzip();
        let mut reasons: Vec<_> = reasons.into_iter().flatten().collect();
        reasons.sort();
        reasons.dedup();
        let held = verdicts
            .iter()
            .filter(|verdict| **verdict == VerdictRecord::Held)
            .count();
        Self {
            outcome,
            findings,
            held,
            reasons,
        }
    }

    pub(super) fn findings(&self) -> impl Iterator<Item = &Said> {
        self.findings.iter()
    }

    pub(super) fn denied(&self) -> impl Iterator<Item = &Said> {
        self.findings().filter(|said| said.level == Level::Deny)
    }

    pub(super) fn warned(&self) -> impl Iterator<Item = &Said> {
        self.findings().filter(|said| said.level == Level::Warn)
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            rule,
            operation,
            pointer,
            fact,
            received,
            ..
        } = self;
        write!(
            formatter,
            "{rule}: {operation} {pointer:?} ({fact}), received {received}"
        )
    }
}
