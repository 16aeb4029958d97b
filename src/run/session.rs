//! Carries a plan out. The main type is [`Session`], which every kind of step works on; [`run`] is the way in.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use serde_json::Value;
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use super::account::{Account, LookedThrough, Other};
use super::digests::Digests;
use super::event::Event;
use super::look::Sighted;
use super::mock::Keeping;
use super::once::Counts;
use super::own::Own;
use super::pace::{ATTEMPTS, Pace, says_when, wait_after};
use super::settings::Settings;
use super::settle::Late;
use super::shown::Shown;
use super::write_log::{WriteEntry, WriteState};
use crate::contract::Contract;
use crate::contract::operation::{Method, OperationId};
use crate::exchange::json::Body;
use crate::exchange::{Answer, Credential, Exchange, Failure, Purpose, Request, Transport};
use crate::plan::{ANOTHER_SHARD, Action, Draft, Known, Plan, Shard, Step, lanes, reserve};
use crate::rules::{Judge, NoSuccess, Reason, Verdicts};

/// How many requests one round of a plan has under way on the whole.
const JOBS_OF_A_ROUND: usize = 4;

/// What a run ended in.
#[derive(Debug)]
pub struct Run {
    /// The shard that it was; none for a whole run.
    pub shard: Option<Shard>,
    /// The verdict of every fact, and the findings.
    pub verdicts: Verdicts,
    /// How it ended.
    pub ended: Ended,
    /// What it may have left in the target.
    pub residue: Vec<Residue>,
    /// How far it looked for that at its end.
    pub looked_through: LookedThrough,
    /// What else shows the run's mark then.
    pub others: Vec<Other>,
    /// The awkward values that it did not take.
    pub not_taken: Vec<NotTaken>,
    /// What it sent.
    pub tally: Tally,
    /// The operations that it was to say something of.
    pub in_scope: BTreeSet<OperationId>,
    /// Whether the target answers creates with one identifier again and again, and keeps nothing.
    pub mock: bool,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was carried out.
    Complete,
    /// It was interrupted.
    Interrupted,
    /// It was carried out, and no documented call had a success; this came instead.
    NoSuccess(NoSuccess),
    /// A write could not be recorded before it was sent, so it was not sent; this is why.
    NotRecorded(String),
    /// The target was waited for so long, and the last try came to this.
    NotReady(Duration, String),
    /// Every documented request was throttled.
    Throttled,
    /// It took longer than it may, which is so long.
    TimeOver(Duration),
    /// The token was refused everywhere, with this status.
    TokenRefused(u16),
    /// Not one connection came about.
    Unreachable(Failure),
}

/// Something that a run may have left in the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residue {
    /// The operation that created it.
    pub operation: OperationId,
    /// Its identifier, when the answer showed one.
    pub id: Option<String>,
    /// The status that it was answered with; none where no answer came, so that nobody knows what was created.
    pub status: Option<u16>,
    /// Whether the look at the end of the run showed it; none where that look did not see all of its list.
    pub found: Option<bool>,
}

/// An awkward value that a target refused: which values are allowed is a gap, and this is evidence on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTaken {
    /// The operation.
    pub operation: OperationId,
    /// What is awkward about the value.
    pub value: String,
    /// The status that refused it.
    pub status: u16,
}

/// How many requests a run sent, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub sent: u64,
    /// Those with a complete answer.
    pub answered: u64,
    /// Those that could change the target.
    pub writes: u64,
    /// Those whose answer asked for time.
    pub throttled: u64,
    /// Those without a complete answer.
    pub unfinished: u64,
    /// How often the plan was carried out to its end.
    pub rounds: u64,
}

/// Sends the plan to the target, tells events, and ends when the plan is carried out or `interrupt` comes.
pub async fn run(
    contract: &Contract,
    plan: &Plan,
    transport: &Transport,
    settings: &Settings,
    (emit, interrupt): (&mut dyn FnMut(Event<'_>), impl Future<Output = ()>),
) -> Run {
    let session = Session::new(contract, plan, transport, settings, emit);
    let ended = tokio::select! {
        biased;
        () = interrupt => Ended::Interrupted,
        () = session.halted.notified() => Ended::NotRecorded(session.unrecorded.borrow().clone().unwrap_or_default()),
        ended = session.carry_out(plan) => ended,
    };
    session.finish(ended)
}

/// A record that the run created.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) operation: OperationId,
    pub(super) request: Request,
    pub(super) resource: Value,
    pub(super) seen_before: bool,
    /// The values in the path of the create, by parameter: the record's owner is among them.
    pub(super) path_values: Vec<(String, Value)>,
}

/// An update of a record that the run created.
#[derive(Clone, Debug)]
pub(super) struct Changed {
    pub(super) operation: OperationId,
    pub(super) request: Request,
    /// The values in the path of the update, by parameter: the record itself is among them.
    pub(super) path_values: Vec<(String, Value)>,
}

/// A run under way.
pub(super) struct Session<'run> {
    pub(super) contract: &'run Contract,
    pub(super) settings: &'run Settings,
    /// What choices are made by.
    pub(super) seed: u64,
    /// The plan that is carried out.
    pub(super) plan: &'run Plan,
    pub(super) judge: RefCell<Judge<'run>>,
    pub(super) known: RefCell<Known>,
    pub(super) made: RefCell<Vec<Made>>,
    pub(super) changed: RefCell<Vec<Changed>>,
    /// Digests of the identifiers that each operation's list or create showed.
    pub(super) identifiers: RefCell<HashMap<OperationId, Digests>>,
    /// The draft that each create accepted.
    pub(super) accepted: RefCell<HashMap<OperationId, Draft>>,
    pub(super) drafts: Cell<u64>,
    /// The operations that are sent no more odd requests, each with the reason.
    pub(super) odd_ended: RefCell<HashMap<OperationId, Reason>>,
    /// How many fields of another type each create has let in.
    pub(super) odd_let_in: RefCell<HashMap<OperationId, u64>>,
    pub(super) transport: &'run Transport,
    emit: RefCell<&'run mut dyn FnMut(Event<'_>)>,
    permits: Semaphore,
    pace: Pace,
    /// When the run began.
    begun: Instant,
    number: Cell<u64>,
    told: Cell<usize>,
    tally: Cell<Tally>,
    pub(super) residue: RefCell<Vec<Residue>>,
    /// What became of each create.
    pub(super) account: RefCell<Account>,
    /// The writes whose records are counted at the end.
    pub(super) counts: RefCell<Counts>,
    pub(super) looked_through: Cell<LookedThrough>,
    /// Whether the lists are looked through, so that nothing of them is judged.
    pub(super) accounting: Cell<bool>,
    pub(super) others: RefCell<Vec<Other>>,
    pub(super) not_taken: RefCell<Vec<NotTaken>>,
    /// What answers showed, where a create is known by its links alone.
    pub(super) shown: RefCell<Shown>,
    /// Whose the record of each create is that later writes lean on.
    pub(super) own: RefCell<HashMap<OperationId, Own>>,
    /// The writes whose answers are waited for.
    writing: RefCell<Vec<OperationId>>,
    refusals: RefCell<Refusals>,
    /// The round of the plan that began last, from 1; 0 before any did.
    round: Cell<u64>,
    /// Why an entry of the write log was not kept.
    unrecorded: RefCell<Option<String>>,
    /// Told when a write was held back for that.
    halted: Notify,
    /// How long judging and telling have kept the thread.
    busy: Cell<Duration>,
    /// The longest that something took until it was listed.
    pub(super) lag: Cell<Duration>,
    /// Whether an update was waited for in vain.
    pub(super) gave_up: Cell<bool>,
    /// What became of the run's own records.
    pub(super) keeping: Cell<Keeping>,
    /// Whether a created record was waited for in vain to be read.
    pub(super) gave_up_reading: Cell<bool>,
    /// The record of each update as its list showed it last.
    pub(super) latest: RefCell<HashMap<OperationId, Sighted>>,
    /// How many items more go on the only page of each list that has one page.
    pub(super) rooms: RefCell<HashMap<OperationId, u64>>,
    /// The lists that were given a second page, or a full last one.
    pub(super) filled: RefCell<HashSet<OperationId>>,
    /// How many records were created to fill last pages.
    pub(super) at_last_pages: Cell<u64>,
    /// The lists that said last that they have a second page.
    pub(super) paged: RefCell<HashSet<OperationId>>,
}

/// What may come after an answer beside what it asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Again {
    /// The caller may send another request in the stead of one whose answer asks for time: nothing is judged of that.
    pub(super) another: bool,
    /// A 404 is asked for again until this has passed: what is asked for may be there a little later.
    pub(super) within: Duration,
}

/// What became of the documented requests, as far as it says that nothing can be judged.
#[derive(Clone, Debug, Default)]
struct Refusals {
    documented: u64,
    token: u64,
    token_status: u16,
    throttled: u64,
    unreachable: Option<Failure>,
}

impl<'run> Session<'run> {
    fn new(
        contract: &'run Contract,
        plan: &'run Plan,
        transport: &'run Transport,
        settings: &'run Settings,
        emit: &'run mut dyn FnMut(Event<'_>),
    ) -> Self {
        Self {
            contract,
            settings,
            seed: plan.seed,
            plan,
            judge: RefCell::new(judge(contract, settings)),
            known: RefCell::default(),
            made: RefCell::default(),
            changed: RefCell::default(),
            identifiers: RefCell::default(),
            accepted: RefCell::default(),
            drafts: Cell::new(0),
            odd_ended: RefCell::default(),
            odd_let_in: RefCell::default(),
            transport,
            emit: RefCell::new(emit),
            permits: Semaphore::new(settings.jobs.max(1)),
            pace: Pace::new(settings.rate),
            begun: Instant::now(),
            number: Cell::new(0),
            told: Cell::new(0),
            tally: Cell::default(),
            residue: RefCell::default(),
            account: RefCell::default(),
            counts: RefCell::default(),
            looked_through: Cell::default(),
            accounting: Cell::default(),
            others: RefCell::default(),
            not_taken: RefCell::default(),
            shown: RefCell::new(Shown::of(contract, plan)),
            own: RefCell::default(),
            writing: RefCell::default(),
            refusals: RefCell::default(),
            round: Cell::new(0),
            unrecorded: RefCell::default(),
            halted: Notify::new(),
            busy: Cell::default(),
            lag: Cell::default(),
            gave_up: Cell::default(),
            keeping: Cell::default(),
            gave_up_reading: Cell::default(),
            latest: RefCell::default(),
            rooms: RefCell::default(),
            filled: RefCell::default(),
            at_last_pages: Cell::default(),
            paged: RefCell::default(),
        }
    }

    async fn carry_out(&self, plan: &Plan) -> Ended {
        if let Some(within) = self.settings.wait
            && let Err(reason) = self.ready(plan, within).await
        {
            return Ended::NotReady(within, reason);
        }
        self.tell(Event::Begun);
        let most = self.settings.max_time;
        // What is under way then is dropped, as by an interruption; it knows what of it may be left in the target.
        let rounds = tokio::time::timeout(most, self.rounds(plan)).await;
        rounds.unwrap_or(Ended::TimeOver(most))
    }

    async fn rounds(&self, plan: &Plan) -> Ended {
        for (operation, reason) in &plan.not_called {
            self.not_called(*operation, Reason::NotCalled(reason.clone()));
        }
        // What the first round finds out, such as that no request gets in, is known before there are others.
        if let Some(ended) = self.next_round(plan).await {
            return ended;
        }
        let rest = (1..self.settings.rounds).map(|_| self.next_round(plan));
        let rest = futures::stream::iter(rest).buffer_unordered(self.rounds_at_once(plan));
        let ended = std::pin::pin!(rest.filter_map(std::future::ready)).next().await;
        if let Some(ended) = ended {
            return ended;
        }
        self.look_through().await;
        match self.unrecorded.borrow().clone() {
            None => Ended::Complete,
            Some(reason) => Ended::NotRecorded(reason),
        }
    }

    /// How many rounds of a soak are under way together. One alone does not keep all jobs busy: a list is walked page by
    /// page, and a step may wait for the one before it. Rounds that write look for what they created, each for its own.
    fn rounds_at_once(&self, plan: &Plan) -> usize {
        let writes = |step: &Step| !self.contract.operation(step.operation).is_read();
        if plan.steps.iter().any(writes) {
            1
        } else {
            self.settings.jobs.div_ceil(JOBS_OF_A_ROUND)
        }
    }

    async fn next_round(&self, plan: &Plan) -> Option<Ended> {
        self.begin();
        let ended = self.round(plan).await;
        if ended.is_none() {
            self.count(|tally| tally.rounds += 1);
        }
        ended
    }

    /// Begins a round with nothing to look for: what an earlier one created was judged there, and keeping it would cost
    /// memory with each round.
    fn begin(&self) {
        self.round.set(self.round.get() + 1);
        self.made.borrow_mut().clear();
        self.changed.borrow_mut().clear();
        self.latest.borrow_mut().clear();
        self.own.borrow_mut().clear();
    }

    async fn round(&self, plan: &Plan) -> Option<Ended> {
        let again = self.round.get() > 1;
        let steps = |group: &[Step]| -> Vec<Step> {
            let steps = group.iter().filter(|step| !again || step.action.repeats());
            // The account comes once, after all rounds.
            steps.filter(|step| step.action != Action::Account).copied().collect()
        };
        let sending = steps(&plan.steps)
            .iter()
            .filter(|step| step.action.always_sends())
            .count();
        self.expect(u64::try_from(sending).unwrap_or(0));
        for group in plan.groups() {
            let steps = steps(group);
            if group[0].action.at_once() {
                let lanes = lanes(&steps).into_iter().map(|lane| self.in_order(lane));
                futures::future::join_all(lanes).await;
            } else {
                self.in_order(steps).await;
            }
            let ended = self.hopeless();
            if ended.is_some() {
                return ended;
            }
        }
        None
    }

    async fn in_order(&self, steps: Vec<Step>) {
        for step in &steps {
            self.step(step).await;
        }
    }

    async fn step(&self, step: &Step) {
        let operation = step.operation;
        match step.action {
            Action::Walk | Action::WalkWithin => self.list(operation).await,
            Action::Read => self.read(operation).await,
            Action::ReadCreated => self.read_created(operation).await,
            Action::ProbeRead(probe) | Action::ProbeWrite(probe) => self.probe(operation, probe).await,
            Action::Create => self.create(operation).await,
            Action::Fill => self.fill(operation).await,
            Action::FillLast => self.fill_last(operation).await,
            Action::VaryCreate => self.vary_create(operation).await,
            Action::Look => self.look(operation).await,
            Action::LookAgain => self.look_again(operation).await,
            Action::WalkFilled => self.walk_filled(operation).await,
            Action::Update => self.update(operation).await,
            Action::Equivalent => self.equivalent(operation).await,
            Action::VaryUpdate => self.vary_update(operation).await,
            Action::OddRead(odd) | Action::OddWrite(odd) => self.odd(operation, odd).await,
            Action::LookAtRefused => self.look_at_refused(operation).await,
            Action::Restore => self.restore(operation).await,
            Action::Account => {}
        }
    }

    /// Sends a request, again while the target asks for time, and judges every answer. Hands back the exchange that
    /// counts and its body.
    pub(super) async fn call(&self, request: Request) -> (Exchange, Option<Arc<Body>>) {
        self.call_again(request, Again::default()).await
    }

    /// The same, with more that may come after an answer.
    pub(super) async fn call_again(&self, mut request: Request, again: Again) -> (Exchange, Option<Arc<Body>>) {
        let mut attempt = 0;
        let mut late = Late::until(again.within);
        loop {
            let mut exchange = self.send(request).await;
            let throttled = exchange.answer().is_some_and(Answer::is_throttled);
            if throttled {
                // Before the wait: whether it may be sent again hangs on what it may have left.
                self.note_write(&exchange, None);
            }
            let missing = exchange.status() == Some(404);
            let wait = self
                .wait_before_again(&exchange, attempt)
                .or_else(|| missing.then(|| late.wait()).flatten());
            exchange.superseded = wait.is_some() || (again.another && throttled);
            let body = self.judged(|judge| judge.exchange(&exchange));
            self.note_answer(&exchange);
            if !throttled {
                self.note_write(&exchange, body.as_deref());
            }
            self.record_outcome(&exchange, body.as_deref());
            self.tell(Event::Exchanged(&exchange));
            self.tell_found(Some(&exchange));
            let Some(wait) = wait else {
                self.refusals.borrow_mut().count(&exchange);
                return (exchange, body);
            };
            tokio::time::sleep(wait).await;
            request = exchange.request;
            attempt += 1;
        }
    }

    /// How long to wait before a request is sent again whose answer asks for time; none where it is not sent again. A create
    /// is sent again only where a 429 says when, for that refuses it, and then it counts again: whatever else comes of it may
    /// come from something before a service that has stored the record.
    fn wait_before_again(&self, exchange: &Exchange, attempt: u32) -> Option<Duration> {
        let answer = exchange.answer().filter(|answer| answer.is_throttled())?;
        // A wrong token is not shown again: what asks for time may be counting them.
        let shown_once = matches!(exchange.request.credential, Credential::Wrong { .. });
        let creates = exchange.request.method == Method::Post;
        let again = !creates || (answer.status == 429 && says_when(answer) && self.has_room());
        (again && !shown_once && attempt + 1 < ATTEMPTS).then(|| wait_after(answer, attempt))
    }

    /// Shows the judge something, and counts how long that keeps the thread.
    pub(super) fn judged<T>(&self, show: impl FnOnce(&mut Judge<'run>) -> T) -> T {
        let begun = Instant::now();
        let told = show(&mut self.judge.borrow_mut());
        self.busy.set(self.busy.get() + begun.elapsed());
        told
    }

    async fn send(&self, request: Request) -> Exchange {
        // Nobody closes the semaphore, so a permit always comes.
        let _permit = self.permits.acquire().await;
        self.pace.wait().await;
        let writes = !self.contract.operation(request.operation).is_read();
        self.number.set(self.number.get() + 1);
        let number = self.number.get();
        if writes {
            self.record_intent(&request, number).await;
            self.writing.borrow_mut().push(request.operation);
        }
        self.count(|tally| {
            tally.sent += 1;
            tally.writes += u64::from(writes);
        });
        let sent = self.begun.elapsed();
        let outcome = self.transport.send(&request, &|| self.busy.get()).await;
        if writes {
            let mut writing = self.writing.borrow_mut();
            let answered = writing.iter().position(|operation| *operation == request.operation);
            answered.map(|place| writing.swap_remove(place));
        }
        if let Ok(answer) = &outcome {
            self.count(|tally| {
                tally.answered += 1;
                tally.throttled += u64::from(answer.is_throttled());
            });
        }
        Exchange {
            number,
            request,
            superseded: false,
            sent,
            outcome,
        }
    }

    /// Keeps the intent of a write. Where that fails, the run ends here: the write is not sent.
    async fn record_intent(&self, request: &Request, number: u64) {
        self.record(request, number, WriteState::Intended);
        if self.unrecorded.borrow().is_some() {
            self.halted.notify_one();
            // Whoever waits for the end of the run drops this.
            std::future::pending::<()>().await;
        }
    }

    fn record_outcome(&self, exchange: &Exchange, body: Option<&Body>) {
        let operation = self.contract.operation(exchange.request.operation);
        if operation.is_read() {
            return;
        }
        let state = match &exchange.outcome {
            Ok(answer) => WriteState::Answered {
                status: answer.status,
                id: self.created_id(exchange, body),
            },
            Err(failure) if failure.is_unreachable() => WriteState::NotSent,
            Err(_) => WriteState::Unanswered,
        };
        self.record(&exchange.request, exchange.number, state);
    }

    fn record(&self, request: &Request, number: u64, state: WriteState) {
        let Some(log) = &self.settings.write_log else { return };
        let entry = WriteEntry {
            request: number,
            operation: self.contract.operation(request.operation).name.clone(),
            state,
        };
        if let Err(error) = log.keep(&entry) {
            self.unrecorded.borrow_mut().get_or_insert(error.to_string());
        }
    }

    fn count(&self, count: impl FnOnce(&mut Tally)) {
        let mut tally = self.tally.get();
        count(&mut tally);
        self.tally.set(tally);
    }

    /// Tells an event, and counts how long that keeps the thread: who keeps exchanges reads their bodies.
    pub(super) fn tell(&self, event: Event<'_>) {
        let begun = Instant::now();
        (self.emit.borrow_mut())(event);
        self.busy.set(self.busy.get() + begun.elapsed());
    }

    /// Tells how many requests more are to come.
    pub(super) fn expect(&self, requests: u64) {
        self.tell(Event::Expected(requests));
    }

    /// Tells the findings that are new, which several exchanges show together.
    pub(super) fn tell_findings(&self) {
        self.tell_found(None);
    }

    /// Tells the findings that are new, and the exchange that shows them.
    fn tell_found(&self, exchange: Option<&Exchange>) {
        let judge = self.judge.borrow();
        let findings = judge.verdicts().findings();
        for finding in findings.get(self.told.get()..).unwrap_or_default() {
            self.tell(Event::Found(finding, exchange));
        }
        self.told.set(findings.len());
    }

    /// Whether the plan is carried out for the first time.
    pub(super) fn is_first_round(&self) -> bool {
        self.round.get() <= 1
    }

    /// Notes why an operation was not called. What the first round called or gave a reason for needs none of a later one.
    pub(super) fn not_called(&self, operation: OperationId, reason: Reason) {
        if self.is_first_round() {
            self.judged(|judge| judge.verdicts_mut().not_called(operation, reason));
        }
    }

    /// Notes something that may be left; hands back its place in the residue.
    pub(super) fn leave(&self, left: Residue) -> usize {
        let mut residue = self.residue.borrow_mut();
        residue.push(left);
        residue.len() - 1
    }

    /// Whether the operation may be sent: a create while one more record may be left in the target, everything else
    /// always, because it leaves none.
    pub(super) fn may_write(&self, operation: OperationId) -> bool {
        self.contract.operation(operation).method != Method::Post || self.has_room()
    }

    /// Why a write is not sent for which there is no room.
    pub(super) fn budget_spent(&self) -> Reason {
        Reason::MaxWrites(self.settings.max_writes)
    }

    /// Whether one more record may be left in the target.
    pub(super) fn has_room(&self) -> bool {
        u64::try_from(self.residue.borrow().len()).is_ok_and(|left| left < self.settings.max_writes)
    }

    /// How many records more may be created beside those that the facts cannot do without. Some of `--max-writes` is kept
    /// for what comes after and may be let in: probes of credentials, odd requests.
    pub(super) fn left_to_create(&self) -> u64 {
        let most = self.settings.max_writes;
        let left = u64::try_from(self.residue.borrow().len()).map_or(0, |residue| most.saturating_sub(residue));
        left.saturating_sub(reserve(most))
    }

    fn hopeless(&self) -> Option<Ended> {
        let refusals = self.refusals.borrow();
        let all = |count: u64| count > 0 && count == refusals.documented;
        if self.tally.get().answered == 0
            && let Some(failure) = &refusals.unreachable
        {
            return Some(Ended::Unreachable(failure.clone()));
        }
        if all(refusals.token) {
            return Some(Ended::TokenRefused(refusals.token_status));
        }
        all(refusals.throttled).then_some(Ended::Throttled)
    }

    fn finish(self, ended: Ended) -> Run {
        let no_success = self.judge.borrow().verdicts().no_success();
        let ended = match (ended, no_success) {
            (Ended::Complete, Some(came)) => Ended::NoSuccess(came),
            (ended, _) => ended,
        };
        if ended == Ended::Complete {
            self.judged(|judge| judge.unchecked(self.plan.in_scope.iter().copied()));
            self.tell_findings();
        }
        let creates = |operation: &OperationId| self.contract.operation(*operation).method == Method::Post;
        for operation in self.writing.take().into_iter().filter(creates) {
            self.leave(Residue {
                operation,
                id: None,
                status: None,
                found: None,
            });
        }
        // What was under way when the run was interrupted was sent, and nobody saw its answer.
        self.count(|tally| tally.unfinished = tally.sent - tally.answered);
        // A target that was not reached broke nothing: the one thing to tell is why.
        let mut verdicts = match &ended {
            Ended::NotReady(..) => Verdicts::undecided(self.contract, &Reason::NotReady),
            Ended::Unreachable(_) => Verdicts::undecided(self.contract, &Reason::Unanswered),
            _ => self.judge.into_inner().into_verdicts(),
        };
        // What this shard leans on is not checked by it, whatever it saw; what it saw broken is broken.
        for fact in &self.plan.elsewhere {
            verdicts.withhold(*fact, Reason::NotCalled(ANOTHER_SHARD.to_owned()));
        }
        Run {
            shard: self.plan.shard,
            verdicts,
            ended,
            residue: self.residue.into_inner(),
            looked_through: self.looked_through.get(),
            others: self.others.into_inner(),
            not_taken: self.not_taken.into_inner(),
            tally: self.tally.get(),
            in_scope: self.plan.in_scope.clone(),
            mock: self.keeping.get().is_of_a_mock(),
        }
    }
}

fn judge<'run>(contract: &'run Contract, settings: &Settings) -> Judge<'run> {
    let judge = Judge::new(contract, settings.levels.clone(), settings.values);
    if settings.rounds > 1 { judge.of_a_soak() } else { judge }
}

impl Refusals {
    fn count(&mut self, exchange: &Exchange) {
        if !matches!(exchange.request.purpose, Purpose::Documented(_)) {
            return;
        }
        self.documented += 1;
        match &exchange.outcome {
            // What was asked without a token is not refused for it.
            Ok(answer) if matches!(answer.status, 401 | 403) && exchange.request.credential != Credential::None => {
                self.token += 1;
                self.token_status = answer.status;
            }
            Ok(answer) if answer.status == 429 => self.throttled += 1,
            Err(failure) if failure.is_unreachable() => self.unreachable = Some(failure.clone()),
            _ => {}
        }
    }
}
