//! A check and its settings. The main type is [`Check`].

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret as _, SecretString};

use super::error::Error;
use super::prepared::Prepared;
use super::report::Report;
use crate::client::Token;
use crate::contract::Contract;
use crate::contract::operation::OperationId;
use crate::exchange::basic;
use crate::exchange::redact::{SHORTEST_TOKEN, ValueDisplay};
use crate::exchange::{Limits, RequestBody, Target, Transport};
use crate::gaps;
use crate::history::RunTag;
use crate::plan::{Plan, Scope, SettledAnswers, Shard, check_also_sent};
use crate::rules::{Level, Levels};
use crate::run::{Event, Settings};

/// A check of a service against its contract. A setting that has the name of a flag of `countersign check` means the
/// same, and [`url`](Check::url) is `--base-url`; defaults and bounds are those of [`Settings`]. A value outside the
/// bounds is replaced by the nearest one inside; the lowest rate is one request a day, the shortest `timeout` and
/// `max_time` one millisecond.
///
/// # Examples
///
/// A service in this process, here the reference service. An axum router can be passed directly.
///
#[cfg_attr(feature = "service", doc = "```")]
#[cfg_attr(not(feature = "service"), doc = "```ignore")]
/// use countersign::service::{Service, app};
/// use countersign::{Check, Contract};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let my_app = app(Service::in_memory("test".to_owned().into())?);
/// let report = Check::new(Contract::open("openapi.yaml")?)
///     .service(my_app)
///     .token("test")
///     .only("getTags")
///     .run()
///     .await?;
/// report.assert_conforms();
/// assert!(report.record().requests.sent > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Design
///
/// The limits apply to a service in this process as to a deployed one, by tokio's clock: with a paused clock
/// (`tokio::time::pause`), waiting for the service to show a record costs no time. The future is not `Send`, because
/// the judge and the service take turns on one thread: `#[tokio::test]` runs it, and a `LocalSet` can spawn it, but
/// `tokio::spawn` cannot.
#[derive(Debug)]
#[must_use = "a check does nothing until it is run"]
pub struct Check {
    contract: Arc<Contract>,
    destination: Destination,
    token: Option<SecretString>,
    writes: bool,
    cleanup: bool,
    learn: bool,
    learn_about: Vec<String>,
    only: Vec<String>,
    skip: Vec<String>,
    also_send: Vec<String>,
    levels: Vec<(Level, String)>,
    seed: Option<u64>,
    shard: Option<Shard>,
    started_at: Option<DateTime<Utc>>,
    limits: Limits,
    settings: Settings,
    require_facts: Option<f64>,
    keep_exchanges: bool,
}

/// The shortest deadline: with zero, nothing could be sent.
const SHORTEST_DEADLINE: Duration = Duration::from_millis(1);

/// Makes a transport from a token, the seed of the wrong tokens, and limits.
type Connect = Box<dyn FnOnce(Option<Token>, String, Limits) -> Transport + Send>;

/// The destination of a check.
enum Destination {
    Nowhere,
    Service(Connect),
    Url(String),
}

impl fmt::Debug for Destination {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A URL that was not parsed yet may contain a password.
        formatter.write_str(match self {
            Self::Nowhere => "Nowhere",
            Self::Service(_) => "Service",
            Self::Url(_) => "Url",
        })
    }
}

impl Check {
    /// Creates a check against this contract, which several checks may share.
    pub fn new(contract: impl Into<Arc<Contract>>) -> Self {
        Self {
            contract: contract.into(),
            destination: Destination::Nowhere,
            token: None,
            writes: false,
            cleanup: false,
            learn: false,
            learn_about: Vec::new(),
            only: Vec::new(),
            skip: Vec::new(),
            also_send: Vec::new(),
            levels: Vec::new(),
            seed: None,
            shard: None,
            started_at: None,
            limits: Limits::default(),
            // The run tag is made from the seed and the clock when the check is run.
            settings: Settings::new(RunTag::new(0, 0)),
            require_facts: None,
            keep_exchanges: false,
        }
    }

    /// Checks a service in this process, such as axum's router: any `tower` service that takes a request with a
    /// [`RequestBody`]. Adapt a service that takes another body with `map_request` from `tower`'s `ServiceExt`.
    pub fn service<S, B>(mut self, service: S) -> Self
    where
        S: tower_service::Service<http::Request<RequestBody>, Response = http::Response<B>> + Clone + Send + 'static,
        B: http_body::Body + 'static,
    {
        self.destination = Destination::Service(Box::new(|token, wrong_token_seed, limits| {
            Transport::in_process(service, token, wrong_token_seed, limits)
        }));
        self
    }

    /// Checks the service at this base URL: `http` or `https`, a host, and optionally a path.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.destination = Destination::Url(url.into());
        self
    }

    /// Sets the token that the service accepts. For a deployed service it must have at least 8 characters, and is
    /// hidden in everything that is reported. For a service in this process it may be shorter, and is then not hidden.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(SecretString::from(token.into()));
        self
    }

    /// Sets whether writes are sent too: creates, updates and queries (reads by `POST`). By default they are not. What
    /// the check creates stays, unless [`Check::cleanup`] is set.
    pub fn writes(mut self, writes: bool) -> Self {
        self.writes = writes;
        self
    }

    /// Checks only this operation, and calls what it needs. If called several times, each named operation is checked.
    pub fn only(mut self, operation: impl Into<String>) -> Self {
        self.only.push(operation.into());
        self
    }

    /// Sets whether the run asks about the gaps, and leaves out steps that do not help to answer one; by default it
    /// does not. The answers are in [`Run::answers`](crate::run::Run::answers).
    pub fn learn(mut self, learn: bool) -> Self {
        self.learn = learn;
        self
    }

    /// Asks about this gap alone. If called several times, about each named gap.
    pub fn learn_about(mut self, gap: impl Into<String>) -> Self {
        self.learn_about.push(gap.into());
        self.learn(true)
    }

    /// Sets whether the check deletes at its end what it created, where the contract has an operation for it; by
    /// default it does not, and sends no DELETE.
    pub fn cleanup(mut self, cleanup: bool) -> Self {
        self.cleanup = cleanup;
        self
    }

    /// Leaves this operation out.
    pub fn skip(mut self, operation: impl Into<String>) -> Self {
        self.skip.push(operation.into());
        self
    }

    /// Also sends this operation, which is left out otherwise: a write, if the contract does not say how to recognise
    /// its records, or an operation that seems to have a side effect, beyond what its method says. A write also needs
    /// [`Check::writes`]. A DELETE cannot be named: the check then ends with an error.
    pub fn also_send(mut self, operation: impl Into<String>) -> Self {
        self.also_send.push(operation.into());
        self
    }

    /// Sets how many records the run may leave in the target, by default [`Settings::DEFAULT_MAX_WRITES`]. Apart from a
    /// few edge cases, updates do not count, nor do clearly rejected creates.
    pub fn max_writes(mut self, records: u64) -> Self {
        self.settings.max_writes = records;
        self
    }

    /// Sets how many requests a run that learns may send, by default [`Settings::DEFAULT_MAX_REQUESTS_TO_LEARN`], those
    /// of the search for what it left included. It asks no more before it would send more; if most requests are
    /// rejected by a rate limit, or a list grows meanwhile, the search may still exceed it.
    pub fn max_requests_to_learn(mut self, requests: u64) -> Self {
        self.settings.max_requests_to_learn = requests;
        self
    }

    /// Sets the maximum number of pages of a list that are walked, by default [`Settings::DEFAULT_MAX_PAGES`].
    pub fn max_pages(mut self, pages: u64) -> Self {
        self.settings.max_pages = pages.max(1);
        self
    }

    /// Carries out the plan this many times, as a soak test.
    pub fn repeat(mut self, times: u64) -> Self {
        self.settings.rounds = times.max(1);
        self
    }

    /// Sets how many requests may be under way at once, by default [`Settings::DEFAULT_JOBS`].
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.settings.jobs = jobs.clamp(1, Settings::MAX_JOBS);
        self
    }

    /// Sets the maximum number of requests per second; by default, and with NaN, there is no limit.
    pub fn rate(mut self, per_second: f64) -> Self {
        // `LONGEST_DURATION` is a day: from one request a day to 86,400 a second, more than anybody needs.
        let highest = Settings::LONGEST_DURATION.as_secs_f64();
        self.settings.rate = (!per_second.is_nan()).then(|| per_second.clamp(1.0 / highest, highest));
        self
    }

    /// Sets how long one request may take, from connecting to the last byte decoded, by default
    /// [`Limits::DEFAULT_DEADLINE`].
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.deadline = timeout.clamp(SHORTEST_DEADLINE, Settings::LONGEST_DURATION);
        self
    }

    /// Sets how long the service may take to show what the check did (a created, updated or deleted record, pages that
    /// add up), by default [`Settings::DEFAULT_SETTLE`].
    pub fn settle(mut self, settle: Duration) -> Self {
        self.settings.settle = settle.min(Settings::LONGEST_DURATION);
        self
    }

    /// Sets how long the check may take, by default [`Settings::DEFAULT_MAX_TIME`].
    pub fn max_time(mut self, time: Duration) -> Self {
        self.settings.max_time = time.clamp(SHORTEST_DEADLINE, Settings::LONGEST_DURATION);
        self
    }

    /// Sets how long to wait for a service that is still starting up; by default the check does not wait.
    pub fn wait(mut self, time: Duration) -> Self {
        self.settings.wait = Some(time.min(Settings::LONGEST_DURATION));
        self
    }

    /// Sets the seed of the check's choices: the same seed gives the same choices. By default it is chosen at random;
    /// the record contains it.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Carries out only this shard of the plan.
    pub fn shard(mut self, shard: Shard) -> Self {
        self.shard = Some(shard);
        self
    }

    /// Makes a finding of this rule fail the check.
    pub fn deny(self, rule: impl Into<String>) -> Self {
        self.level(Level::Deny, rule)
    }

    /// Reports a finding of this rule without failing.
    pub fn warn(self, rule: impl Into<String>) -> Self {
        self.level(Level::Warn, rule)
    }

    /// Does not report findings of this rule.
    pub fn allow(self, rule: impl Into<String>) -> Self {
        self.level(Level::Allow, rule)
    }

    fn level(mut self, level: Level, rule: impl Into<String>) -> Self {
        self.levels.push((level, rule.into()));
        self
    }

    /// Sets how many of the facts must be decided, in percent. With fewer, the service counts as not judged. By
    /// default, and with NaN, any number but 0 will do.
    pub fn require_facts(mut self, percent: f64) -> Self {
        self.require_facts = (!percent.is_nan()).then(|| percent.clamp(0.0, 100.0));
        self
    }

    /// Sets whether values of the service's data are reported instead of their shapes.
    pub fn show_values(mut self, show: bool) -> Self {
        self.settings.values = if show {
            ValueDisplay::Shown
        } else {
            ValueDisplay::Hidden
        };
        self
    }

    /// Sets whether the record contains the exchanges, for reports that show them; by default it does not.
    pub fn keep_exchanges(mut self, keep: bool) -> Self {
        self.keep_exchanges = keep;
        self
    }

    /// Sets whether the report contains a [`Recording`](crate::rules::Recording) of everything that the check was
    /// judged from, including other people's data; by default it does not.
    pub fn keep_recording(mut self, keep: bool) -> Self {
        self.settings.keep_recording = keep;
        self
    }

    /// Sets the time at which the check began, for a reproducible record; by default the current time. The names of
    /// created records are made from this microsecond and the seed.
    pub fn started_at(mut self, time: DateTime<Utc>) -> Self {
        self.started_at = Some(time);
        self
    }

    /// Returns the plan for these settings. Without [`Check::seed`], the plan has seed 0, but [`Check::run`] chooses a
    /// seed at random: set it to see the steps of the run.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`] and [`Error::Gap`] for a name that the contract does not have, [`Error::AlsoSend`] for an
    /// operation that may not be named in [`Check::also_send`], and those of [`Check::run`] for a token that cannot be
    /// sent.
    pub fn plan(&self) -> Result<Plan, Error> {
        let contract = self.contract_for(self.parsed_token()?.as_ref())?;
        Ok(Plan::new(&contract, &self.scope(self.seed.unwrap_or_default())?))
    }

    /// Checks the service.
    ///
    /// # Errors
    ///
    /// An [`Error`] where nothing can be checked. Findings are not errors: they are in the [`Report`].
    pub async fn run(self) -> Result<Report, Error> {
        self.run_watched(&mut |_| {}).await
    }

    /// Checks the service as [`Check::run`] does, and reports events to `watch` meanwhile.
    ///
    /// # Errors
    ///
    /// Those of [`Check::run`].
    pub async fn run_watched(self, watch: &mut dyn FnMut(Event<'_>)) -> Result<Report, Error> {
        let prepared = self.prepared()?;
        Ok(prepared.run(watch, std::future::pending()).await)
    }

    fn prepared(mut self) -> Result<Prepared, Error> {
        gaps::validate_stated_answers(&self.contract)?;
        let seed = self.seed.unwrap_or_else(random_seed);
        let started_at = self.started_at.unwrap_or_else(now);
        if self.token.is_none() && self.contract.needs_credential() {
            return Err(Error::NoToken);
        }
        let token = self.parsed_token()?;
        self.contract = self.contract_for(token.as_ref())?;
        let plan = Plan::new(&self.contract, &self.scope(seed)?);
        let microsecond = u64::try_from(started_at.timestamp_micros()).unwrap_or(0);
        self.settings.run_tag = RunTag::new(seed, microsecond).of_shard(self.shard);
        self.settings.levels = levels(&self.levels)?;
        let wrong_token_seed = self.settings.run_tag.wrong_token_seed();
        let transport = match self.destination {
            Destination::Nowhere => return Err(Error::NoService),
            Destination::Service(connect) => connect(token, wrong_token_seed, self.limits),
            Destination::Url(_)
                if token
                    .as_ref()
                    .is_some_and(|token| token.expose().len() < SHORTEST_TOKEN) =>
            {
                return Err(Error::ShortToken);
            }
            Destination::Url(url) => {
                let target = Target::parse(&url)?;
                if let Some(token) = token.as_ref().filter(|_| self.contract.uses_basic()) {
                    basic::check_password_can_be_redacted(token, target.is_loopback())?;
                }
                Transport::new(target, token, wrong_token_seed, self.limits)?
            }
        };
        Ok(Prepared {
            contract: self.contract,
            plan,
            transport,
            settings: self.settings,
            started_at,
            require_facts: self.require_facts,
            keep_exchanges: self.keep_exchanges,
        })
    }

    fn parsed_token(&self) -> Result<Option<Token>, Error> {
        let token = self.token.as_ref().map(|token| Token::new(token.expose_secret()));
        Ok(token.transpose()?)
    }

    /// Returns the contract for callers with this token: if it is a user and a password, they use HTTP Basic wherever
    /// that is one of several schemes.
    fn contract_for(&self, token: Option<&Token>) -> Result<Arc<Contract>, Error> {
        let adapted = token.map(|token| basic::contract_for(&self.contract, token));
        let adapted = adapted.transpose()?.flatten();
        Ok(adapted.map_or_else(|| Arc::clone(&self.contract), Arc::new))
    }

    fn scope(&self, seed: u64) -> Result<Scope, Error> {
        let named = |names: &[String]| -> Result<Vec<OperationId>, _> {
            names.iter().map(|name| self.contract.find_operation(name)).collect()
        };
        let also_send = named(&self.also_send)?;
        also_send
            .iter()
            .try_for_each(|id| check_also_sent(&self.contract, *id))?;
        let gaps = self.learn_about.iter().map(|id| self.contract.find_gap(id));
        let gaps = gaps.collect::<Result<Vec<_>, _>>()?;
        Ok(Scope {
            writes: self.writes,
            cleanup: self.cleanup,
            learn: self.learn.then_some(gaps),
            settled_answers: SettledAnswers::default(),
            token: self.token.is_some(),
            user_and_password: self
                .token
                .as_ref()
                .is_some_and(|token| token.expose_secret().contains(':')),
            only: named(&self.only)?,
            skip: named(&self.skip)?,
            also_send,
            seed,
            shard: self.shard,
        })
    }
}

fn levels(set: &[(Level, String)]) -> Result<Levels, Error> {
    let mut levels = Levels::default();
    for (level, rule) in set {
        levels.set(rule, *level)?;
    }
    Ok(levels)
}

/// Returns a random seed of at most ten digits, for a check without one: 0 if the machine has no source of randomness.
pub(crate) fn random_seed() -> u64 {
    getrandom::u32().map_or(0, u64::from)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a check in another program begins here, as one of the command line does in `cli`"
)]
fn now() -> DateTime<Utc> {
    Utc::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_outside_its_bounds_becomes_the_nearest_inside() {
        let check = || Check::new(Arc::clone(crate::testing::built_in()));
        let day = Settings::LONGEST_DURATION.as_secs_f64();
        for (set, kept) in [(0.0, 1.0 / day), (-1.0, 1.0 / day), (7.5, 7.5), (1e9, day)] {
            assert_eq!(check().rate(set).settings.rate, Some(kept), "{set}");
        }
        for (set, kept) in [(-1.0, 0.0), (99.5, 99.5), (101.0, 100.0)] {
            assert_eq!(check().require_facts(set).require_facts, Some(kept), "{set}");
        }
        for (set, kept) in [
            (Duration::ZERO, SHORTEST_DEADLINE),
            (Duration::from_secs(7), Duration::from_secs(7)),
            (Duration::MAX, Settings::LONGEST_DURATION),
        ] {
            assert_eq!(check().timeout(set).limits.deadline, kept, "{set:?}");
            assert_eq!(check().max_time(set).settings.max_time, kept, "{set:?}");
        }
        assert_eq!(check().settle(Duration::ZERO).settings.settle, Duration::ZERO);
        assert_eq!(check().jobs(0).settings.jobs, 1);
    }

    #[test]
    fn a_bound_that_is_no_number_is_none() {
        let check = Check::new(Arc::clone(crate::testing::built_in()));
        let check = check.rate(f64::NAN).require_facts(f64::NAN);
        assert_eq!((check.settings.rate, check.require_facts), (None, None));
    }
}
