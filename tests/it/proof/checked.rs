//! Checks a deviating service in-process, the way the command line does. The main type is [`Checked`].

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use chrono::DateTime;
use countersign::client::Token;
use countersign::contract::Contract;
use countersign::exchange::redact::Values;
use countersign::exchange::{Limits, Target, Transport};
use countersign::plan::{Mark, Plan, Scope, Shard};
use countersign::report::{Exchanges, FindingRecord, Outcome, Record, RunFacts, record};
use countersign::rules::Level;
use countersign::run::{self, Settings};

use super::call::{Call, TOKEN};
use super::deviating::{Deviation, serve};

/// The contract that every check here is held against.
pub(super) fn contract() -> &'static Contract {
    static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract::built_in().unwrap());
    &CONTRACT
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
}

impl Default for Check {
    fn default() -> Self {
        Self {
            writes: true,
            settle: Duration::from_millis(200),
            max_writes: 20,
            max_pages: 200,
            seed: 1,
            rounds: 1,
        }
    }
}

/// What a check said, and what it sent.
pub(super) struct Checked {
    pub(super) record: Record,
    pub(super) calls: Vec<Call>,
}

impl Check {
    pub(super) async fn run(&self, deviation: Deviation) -> Checked {
        let (url, log, served) = serve(deviation).await;
        let record = self.against(&url).await;
        served.abort();
        let calls = std::mem::take(&mut *log.lock().unwrap());
        Checked { record, calls }
    }

    /// Checks the service at this base URL.
    pub(super) async fn against(&self, url: &str) -> Record {
        self.against_with(url, TOKEN).await
    }

    /// Checks the service at this base URL, which takes this token.
    pub(super) async fn against_with(&self, url: &str, token: &str) -> Record {
        self.sharded(url, token, None).await
    }

    /// The same in a shard of the plan.
    pub(super) async fn sharded(&self, url: &str, token: &str, shard: Option<Shard>) -> Record {
        let (contract, target) = (contract(), Target::parse(url).unwrap());
        let settings = Settings {
            settle: self.settle,
            max_writes: self.max_writes,
            max_pages: self.max_pages,
            rounds: self.rounds,
            ..Settings::new(Mark::new(self.seed, 1).of_shard(shard))
        };
        let scope = Scope {
            writes: self.writes,
            token: true,
            seed: self.seed,
            shard,
            ..Scope::default()
        };
        let token = Token::new(token).unwrap();
        let wrong = settings.mark.wrong_token();
        let transport = Transport::new(target.clone(), Some(token), wrong, Limits::default()).unwrap();
        let plan = Plan::new(contract, &scope);
        let started = Instant::now();
        let mut exchanges = Exchanges::new(contract, Values::Hidden, transport.redaction());
        let mut keep = |event: run::Event<'_>| exchanges.see(event);
        let uninterrupted = std::future::pending();
        let run = run::run(contract, &plan, &transport, &settings, (&mut keep, uninterrupted)).await;
        let about = RunFacts {
            contract,
            target: &target,
            seed: self.seed,
            started_at: DateTime::UNIX_EPOCH,
            duration: started.elapsed(),
            require_facts: None,
            values: Values::Hidden,
            redaction: &transport.redaction(),
        };
        record(&run, exchanges, &about)
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
