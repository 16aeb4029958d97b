//! Checks a deviating service, in this process or over a socket. The main type is [`Checked`].

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use chrono::DateTime;
use countersign::contract::Contract;
use countersign::plan::Shard;
use countersign::report::{FactRow, FindingRecord, Outcome, Record};
use countersign::rules::Level;

use super::call::{Call, TOKEN};
use super::deviating::{Deviation, laid};
use crate::support::again::assert_judged_again;
use crate::support::is_exhaustive;

static CONTRACT: LazyLock<Arc<Contract>> = LazyLock::new(|| Arc::new(Contract::built_in().unwrap()));

/// The contract that every check here is held against.
pub(super) fn contract() -> &'static Contract {
    &CONTRACT
}

/// A check of a service that is nobody's.
pub(super) fn check(seed: u64) -> countersign::Check {
    let check = countersign::Check::new(Arc::clone(&CONTRACT)).token(TOKEN).writes(true);
    check
        .seed(seed)
        .started_at(DateTime::UNIX_EPOCH + Duration::from_secs(1))
}

/// How a service is checked.
#[derive(Clone, Copy, Debug)]
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
}

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
    };

    /// Checks a service in this process, on a clock that jumps where the check waits.
    pub(super) async fn run(&self, deviation: Deviation) -> Checked {
        let (router, log) = laid(deviation).await;
        tokio::time::pause();
        let record = self.within(router).await;
        tokio::time::resume();
        let calls = std::mem::take(&mut *log.lock().unwrap());
        Checked { record, calls }
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
        assert_judged_again(&CONTRACT, report.run());
        report.into_record()
    }

    fn settled(&self) -> countersign::Check {
        let check = check(self.seed);
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
        self.denied().filter(|finding| finding.rule != rule).map(told).collect()
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
pub(super) fn told(finding: &FindingRecord) -> String {
    format!(
        "{}: {} {:?} ({}), received {}",
        finding.rule, finding.operation, finding.answer_pointer, finding.fact, finding.received
    )
}

/// An answer's pointer with `*` for every element's number, as facts are written.
pub(super) fn any_element(pointer: &str) -> String {
    let tokens = pointer.split('/').map(|token| match token.parse::<usize>() {
        Ok(_) => "*",
        Err(_) => token,
    });
    tokens.collect::<Vec<_>>().join("/")
}
