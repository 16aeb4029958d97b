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
use crate::contract::operation::OperationId;
use crate::contract::{Contract, UnknownOperation};
use crate::exchange::redact::{SHORTEST_TOKEN, Values};
use crate::exchange::{Limits, RequestBody, Target, Transport};
use crate::history::RunTag;
use crate::plan::{Plan, Selection, Shard};
use crate::rules::{Level, Levels};
use crate::run::{Event, Settings};

/// A check of a service against its contract. Its settings are those of `countersign check`, and are named as its flags; the
/// defaults and bounds of both are those of [`Settings`]. What lies beyond them is taken for the nearest that does not.
///
/// # Examples
///
/// A service in this process, here the reference service; axum's routers are given as they are.
///
#[cfg_attr(feature = "service", doc = "```")]
#[cfg_attr(not(feature = "service"), doc = "```ignore")]
/// use countersign::service::{Service, app};
/// use countersign::{Check, Contract};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let my_app = app(Service::memory("test".to_owned().into())?);
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
/// A service in this process is bounded as a deployed one is, by tokio's clock: on one that is paused
/// (`tokio::time::pause`), settling costs no time. The future is one thread's: the judge and the service have turns on it,
/// so `#[tokio::test]` runs it, and `tokio::spawn` takes it only by a `LocalSet`.
#[derive(Debug)]
#[must_use = "a check does nothing until it is run"]
pub struct Check {
    contract: Arc<Contract>,
    destination: Destination,
    token: Option<SecretString>,
    writes: bool,
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

/// Makes a transport of a token, of what wrong ones are drawn by, and of limits.
type Connect = Box<dyn FnOnce(Option<Token>, String, Limits) -> Transport + Send>;

/// Where a check goes.
enum Destination {
    Nowhere,
    Service(Connect),
    Url(String),
}

impl fmt::Debug for Destination {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A URL that nobody has read yet may hold a password.
        formatter.write_str(match self {
            Self::Nowhere => "Nowhere",
            Self::Service(_) => "Service",
            Self::Url(_) => "Url",
        })
    }
}

impl Check {
    /// A check against this contract, which several checks may share.
    pub fn new(contract: impl Into<Arc<Contract>>) -> Self {
        Self {
            contract: contract.into(),
            destination: Destination::Nowhere,
            token: None,
            writes: false,
            only: Vec::new(),
            skip: Vec::new(),
            also_send: Vec::new(),
            levels: Vec::new(),
            seed: None,
            shard: None,
            started_at: None,
            limits: Limits::default(),
            // The run tag is made of seed and clock when the check is run.
            settings: Settings::new(RunTag::new(0, 0)),
            require_facts: None,
            keep_exchanges: false,
        }
    }

    /// Checks a service in this process, such as axum's router: any `tower` service that takes a request with a
    /// [`RequestBody`]. One that takes another body is given with `map_request` of `tower`'s `ServiceExt`.
    pub fn service<S, B>(mut self, service: S) -> Self
    where
        S: tower_service::Service<http::Request<RequestBody>, Response = http::Response<B>> + Clone + Send + 'static,
        B: http_body::Body + 'static,
    {
        self.destination = Destination::Service(Box::new(|token, wrong, limits| {
            Transport::in_process(service, token, wrong, limits)
        }));
        self
    }

    /// Checks the service at this base URL: `http` or `https`, a host, perhaps a path.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.destination = Destination::Url(url.into());
        self
    }

    /// The token that the service accepts. Of a deployed one it is hidden in all that is reported, and has 8 characters or
    /// more; what is given to a service in this process may be shorter, and is not hidden then.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(SecretString::from(token.into()));
        self
    }

    /// Whether requests are sent that create and update too; by default none are. Nothing that they create can be deleted.
    pub fn writes(mut self, writes: bool) -> Self {
        self.writes = writes;
        self
    }

    /// Checks this operation, and calls what it needs. Given several times it checks each of them.
    pub fn only(mut self, operation: impl Into<String>) -> Self {
        self.only.push(operation.into());
        self
    }

    /// Leaves this operation out.
    pub fn skip(mut self, operation: impl Into<String>) -> Self {
        self.skip.push(operation.into());
        self
    }

    /// Sends this write too, though nothing in the contract says how to recognise what it leaves.
    pub fn also_send(mut self, operation: impl Into<String>) -> Self {
        self.also_send.push(operation.into());
        self
    }

    /// The most records that the check may create, by default [`Settings::MAX_WRITES`].
    pub fn max_writes(mut self, records: u64) -> Self {
        self.settings.max_writes = records;
        self
    }

    /// The most pages of a list that are walked, by default [`Settings::MAX_PAGES`].
    pub fn max_pages(mut self, pages: u64) -> Self {
        self.settings.max_pages = pages.max(1);
        self
    }

    /// Carries the plan out so many times, to soak the service.
    pub fn repeat(mut self, times: u64) -> Self {
        self.settings.rounds = times.max(1);
        self
    }

    /// How many requests are under way at once, by default [`Settings::JOBS`].
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.settings.jobs = jobs.clamp(1, Settings::MOST_JOBS);
        self
    }

    /// The most requests per second; by default as many as the service answers.
    pub fn rate(mut self, per_second: f64) -> Self {
        self.settings.rate = Some(per_second);
        self
    }

    /// How long one request may take, from connecting to the last byte decoded, by default [`Limits::DEADLINE`].
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.deadline = timeout.min(Settings::LONGEST);
        self
    }

    /// How long a created record may take until it is listed, by default [`Settings::SETTLE`].
    pub fn settle(mut self, settle: Duration) -> Self {
        self.settings.settle = settle.min(Settings::LONGEST);
        self
    }

    /// How long the check may take, by default [`Settings::MAX_TIME`].
    pub fn max_time(mut self, time: Duration) -> Self {
        self.settings.max_time = time.min(Settings::LONGEST);
        self
    }

    /// How long to wait until a service that is just being deployed answers; by default it is there.
    pub fn wait(mut self, time: Duration) -> Self {
        self.settings.wait = Some(time.min(Settings::LONGEST));
        self
    }

    /// What choices are made by: the same seed makes the same ones. By default it is drawn, and the record has it.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Checks this part of the plan alone.
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

    /// Does not report this rule.
    pub fn allow(self, rule: impl Into<String>) -> Self {
        self.level(Level::Allow, rule)
    }

    fn level(mut self, level: Level, rule: impl Into<String>) -> Self {
        self.levels.push((level, rule.into()));
        self
    }

    /// Does not judge the service when less of the facts was decided, in percent.
    pub fn require_facts(mut self, percent: f64) -> Self {
        self.require_facts = Some(percent);
        self
    }

    /// Whether values of the service's data are reported instead of their shapes.
    pub fn show_values(mut self, show: bool) -> Self {
        self.settings.values = if show { Values::Shown } else { Values::Hidden };
        self
    }

    /// Whether the record holds the exchanges, for reports that show them; by default it does not.
    pub fn keep_exchanges(mut self, keep: bool) -> Self {
        self.keep_exchanges = keep;
        self
    }

    /// Whether the report holds a [`Recording`](crate::rules::Recording) of everything that the check was judged by, other
    /// people's data among it; by default it does not.
    pub fn keep_recording(mut self, keep: bool) -> Self {
        self.settings.keep_recording = keep;
        self
    }

    /// When the check began, for a record that is the same each time; by default the clock says so. Names of what is
    /// created are made of this second and the seed.
    pub fn started_at(mut self, time: DateTime<Utc>) -> Self {
        self.started_at = Some(time);
        self
    }

    /// The plan that the check carries out.
    ///
    /// # Errors
    ///
    /// [`Error::Operation`] for a name that the contract does not have.
    pub fn plan(&self) -> Result<Plan, Error> {
        Ok(Plan::new(&self.contract, &self.scope(self.seed.unwrap_or_default())?))
    }

    /// Checks the service.
    ///
    /// # Errors
    ///
    /// An [`Error`] where nothing can be checked. What is found is in the [`Report`].
    pub async fn run(self) -> Result<Report, Error> {
        self.run_watched(&mut |_| {}).await
    }

    /// The same, and reports what happens meanwhile.
    ///
    /// # Errors
    ///
    /// Those of [`Check::run`].
    pub async fn run_watched(self, watch: &mut dyn FnMut(Event<'_>)) -> Result<Report, Error> {
        let prepared = self.prepared()?;
        Ok(prepared.run(watch, std::future::pending()).await)
    }

    fn prepared(mut self) -> Result<Prepared, Error> {
        let seed = self.seed.unwrap_or_else(random_seed);
        let started_at = self.started_at.unwrap_or_else(now);
        let plan = Plan::new(&self.contract, &self.scope(seed)?);
        if self.token.is_none() && self.contract.needs_credential() {
            return Err(Error::NoToken);
        }
        let second = u64::try_from(started_at.timestamp()).unwrap_or(0);
        self.settings.run_tag = RunTag::new(seed, second).of_shard(self.shard);
        self.settings.levels = levels(&self.levels)?;
        let token = self.token.map(|token| Token::new(token.expose_secret())).transpose()?;
        let wrong = self.settings.run_tag.wrong_token();
        let transport = match self.destination {
            Destination::Nowhere => return Err(Error::NoService),
            Destination::Service(connect) => connect(token, wrong, self.limits),
            Destination::Url(_)
                if token
                    .as_ref()
                    .is_some_and(|token| token.expose().len() < SHORTEST_TOKEN) =>
            {
                return Err(Error::ShortToken);
            }
            Destination::Url(url) => Transport::new(Target::parse(&url)?, token, wrong, self.limits)?,
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

    fn scope(&self, seed: u64) -> Result<Selection, UnknownOperation> {
        let named = |names: &[String]| -> Result<Vec<OperationId>, _> {
            names.iter().map(|name| self.contract.find_operation(name)).collect()
        };
        Ok(Selection {
            writes: self.writes,
            token: self.token.is_some(),
            only: named(&self.only)?,
            skip: named(&self.skip)?,
            also_send: named(&self.also_send)?,
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

/// A seed where nobody gives one.
pub(crate) fn random_seed() -> u64 {
    u64::from(uuid::Uuid::new_v4().as_fields().0)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a check in another program begins here, as one of the command line does in `cli`"
)]
fn now() -> DateTime<Utc> {
    Utc::now()
}
