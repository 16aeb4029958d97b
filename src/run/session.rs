//! Carries out a plan. The main type is [`Session`], which every kind of step works on; start with [`run`].

use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use futures::StreamExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::create::Drafts;
use super::edge_case::EdgeCases;
use super::event::{EmittedExchange, Event};
use super::fill::PageFills;
use super::pace::{MAX_ATTEMPTS, says_when, throttles_for_now, wait_after};
use super::sender::Sender;
use super::settings::Settings;
use super::settle::{NotFoundRetry, ObservedDelays};
use crate::contract::Contract;
use crate::contract::fact::FactKind;
use crate::contract::operation::{Method, OperationId};
use crate::exchange::{Credential, Exchange, Failure, Intent, Purpose, Request, Transport};
use crate::gaps::{Answer, Gaps, Trial};
use crate::history::{ExchangeResult, ExchangeRole, History, Residue, SearchExtent, UnexplainedRecord};
use crate::plan::{Action, NotCalled, Plan, Shard, Step, concurrent_sequences, reserved_writes};
use crate::rules::{Evaluation, EvaluationResult, HowAllCallsFailed, Judge, Reason, Recording, Verdicts};

/// A round of reads was measured to keep four to twelve requests in flight. The lowest number is used, because a soak
/// must keep all jobs busy.
const JOBS_PER_ROUND: usize = 4;

/// The result of a run.
#[derive(Debug)]
pub struct Run {
    /// The shard that it covered; `None` for a whole run.
    pub shard: Option<Shard>,
    /// The verdict of every fact, and the findings.
    pub verdicts: Verdicts,
    /// How it ended.
    pub ended: RunEnd,
    /// What it showed about the gaps.
    pub answers: Vec<Answer>,
    /// The trials that asked about them.
    pub trials: Vec<Trial>,
    /// Whether it is a run of `countersign learn`; a check may ask about gaps too.
    pub learns: bool,
    /// What it may have left in the target.
    pub residue: Vec<Residue>,
    /// The number of records that it created and deleted.
    pub deleted: usize,
    /// How far it looked for residue at its end.
    pub residue_search: SearchExtent,
    /// The records that carry the run tag and that no write of the run explains, and those that were there before the
    /// run and that a write changed.
    pub unexplained_records: Vec<UnexplainedRecord>,
    /// The awkward values that the target rejected.
    pub rejected_values: Vec<RejectedValue>,
    /// What it sent.
    pub tally: RequestCounts,
    /// The operations that it was meant to judge.
    pub in_scope: BTreeSet<OperationId>,
    /// The operations that the setting `only` names.
    pub named: BTreeSet<OperationId>,
    /// Whether the target answers creates with the same identifier again and again, and keeps nothing.
    pub target_is_mock: bool,
    /// Everything that it was judged from, if its settings ask for that.
    pub recording: Option<Recording>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The plan was carried out.
    Complete,
    /// It was interrupted.
    Interrupted,
    /// Too little traffic was judged, for this reason: it was not read to its end, none of it went to the service, or
    /// most of it was dropped.
    Incomplete(String),
    /// The plan was carried out, but no documented call succeeded; this is how they failed.
    NothingSucceeded(HowAllCallsFailed),
    /// The write log could not keep an entry, for this reason; no write was sent after that.
    WriteLogFailed(String),
    /// The target was not ready within this time; the string is the outcome of the last try.
    NotReady(Duration, String),
    /// Every documented request was answered with 429.
    Throttled,
    /// The service that was started for it ended before it was ready, in this way.
    ServiceEnded(String),
    /// It took longer than this time limit.
    TimeLimitExceeded(Duration),
    /// Every documented request so far was rejected with a 401 or 403, as with a wrong token, the last with this
    /// status.
    TokenRejected(u16),
    /// No connection could be made.
    Unreachable(Failure),
}

/// An awkward value (a valid one that software often mishandles, see [`plan`](crate::plan)) that a target rejected:
/// which values are allowed is a gap, and this is evidence on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedValue {
    /// The operation.
    pub operation: OperationId,
    /// What is awkward about the value, in words; the value itself is not kept.
    pub description: String,
    /// The status that rejected it.
    pub status: u16,
}

/// How many requests were sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestCounts {
    /// All requests.
    pub sent: u64,
    /// With a complete response.
    pub answered: u64,
    /// Able to change the target.
    pub writes: u64,
    /// Answered with 429 or 503.
    pub throttled: u64,
    /// Without a complete response.
    pub unfinished: u64,
    /// How many times the whole plan was carried out.
    pub rounds: u64,
}

/// Sends the plan to the target and emits events. Ends when the plan is carried out, when `interrupt` completes, which
/// says how the run ends, or for one of the other reasons in [`RunEnd`].
pub async fn run(
    contract: &Contract,
    plan: &Plan,
    transport: &Transport,
    settings: &Settings,
    (emit, interrupt): (&mut dyn FnMut(Event<'_>), impl Future<Output = RunEnd>),
) -> Run {
    let session = Session::new(contract, plan, transport, settings, emit);
    let ended = tokio::select! {
        biased;
        ended = interrupt => ended,
        reason = session.sender.write_held_back() => RunEnd::WriteLogFailed(reason),
        ended = session.carry_out(plan) => ended,
    };
    session.finish(ended)
}

/// A run under way: it carries out the plan, and what it has seen decides what comes next.
pub(super) struct Session<'run> {
    pub(super) contract: &'run Contract,
    pub(super) settings: &'run Settings,
    /// The plan that is carried out.
    pub(super) plan: &'run Plan,
    evaluation: RefCell<Evaluation<'run>>,
    /// When the run began to ask about gaps.
    pub(super) asking_since: OnceCell<Instant>,
    pub(super) sender: Sender<'run>,
    pub(super) drafts: Drafts<'run>,
    pub(super) fills: PageFills,
    pub(super) delays: ObservedDelays,
    pub(super) edge_cases: EdgeCases,
    /// The paths of reads that were rejected although a list showed their records.
    pub(super) rejected_reads: RefCell<HashSet<(OperationId, String)>>,
    events: Events<'run>,
    /// The round of the plan that began last, counted from 1; 0 before the first.
    round: Cell<u64>,
    /// How far the search for residue went through the lists; `None` before it began.
    pub(super) residue_search: Cell<Option<SearchExtent>>,
}

/// The receiver of events.
struct Events<'run> {
    emit: RefCell<&'run mut dyn FnMut(Event<'_>)>,
    /// How many findings were emitted.
    found: Cell<usize>,
    /// How many trials were emitted.
    tried: Cell<usize>,
}

/// A request, and why it is sent.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) request: Request,
    pub(super) purpose: Purpose,
    pub(super) role: ExchangeRole,
}

impl Call {
    /// Makes a call without a role, which is judged by itself (`Alone`); [`Self::role`] gives it one.
    pub(super) fn alone(request: Request, purpose: Purpose) -> Self {
        Self {
            request,
            purpose,
            role: ExchangeRole::Alone,
        }
    }

    /// Returns the same request in another role.
    pub(super) fn role(self, role: ExchangeRole) -> Self {
        Self { role, ..self }
    }
}

/// Reasons to send a request again, or another in its place, beyond the usual repeats after throttling.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResendOptions {
    /// Whether the caller may send another request in place of a throttled one, or this one once it has made sure that
    /// it may; that response is not judged.
    pub(super) replaceable: bool,
    /// After a 404 the request is repeated until this has passed: what it requests may appear a little later.
    pub(super) not_found_timeout: Duration,
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
            plan,
            evaluation: RefCell::new(evaluation(contract, plan, settings)),
            asking_since: OnceCell::new(),
            sender: Sender::new(contract, transport, settings),
            drafts: Drafts::default(),
            fills: PageFills::default(),
            delays: ObservedDelays::default(),
            edge_cases: EdgeCases::default(),
            rejected_reads: RefCell::default(),
            events: Events {
                emit: RefCell::new(emit),
                found: Cell::default(),
                tried: Cell::default(),
            },
            round: Cell::new(0),
            residue_search: Cell::new(None),
        }
    }

    /// Waits until the target is ready, if the settings ask for that, and carries out the plan within the time limit.
    async fn carry_out(&self, plan: &Plan) -> RunEnd {
        if let Some(timeout) = self.settings.wait
            && let Err(reason) = self.wait_until_ready(plan, timeout).await
        {
            return RunEnd::NotReady(timeout, reason);
        }
        self.emit(Event::Begun);
        let most = self.settings.max_time;
        // Whatever is under way then is dropped, as by an interruption; the sender knows what may be left in the
        // target.
        let rounds = tokio::time::timeout(most, self.rounds(plan)).await;
        rounds.unwrap_or(RunEnd::TimeLimitExceeded(most))
    }

    /// Carries out every round of the plan, deletes what the run created if it is to clean up, and
    /// looks for what it left.
    async fn rounds(&self, plan: &Plan) -> RunEnd {
        for (operation, reason) in &plan.not_called {
            self.not_called(*operation, Reason::NotCalled(reason.clone()));
        }
        // What the first round finds out, such as that every request is rejected, is known before other rounds begin.
        if let Some(ended) = self.next_round(plan).await {
            return ended;
        }
        let rest = (1..self.settings.rounds).map(|_| self.next_round(plan));
        let rest = futures::stream::iter(rest).buffer_unordered(self.rounds_at_once(plan));
        let ended = std::pin::pin!(rest.filter_map(std::future::ready)).next().await;
        if let Some(ended) = ended {
            return ended;
        }
        self.clean_up().await;
        self.search_for_residue().await;
        self.sender
            .write_log_error()
            .map_or(RunEnd::Complete, RunEnd::WriteLogFailed)
    }

    /// Returns how many rounds of a soak are under way together. One alone does not keep all jobs
    /// busy: the first page of a list is requested alone, and a step may wait for the one before
    /// it. Rounds that write run one at a time, because each looks only for what it created itself.
    fn rounds_at_once(&self, plan: &Plan) -> usize {
        let writes = |step: &Step| !self.contract.operation(step.operation).is_get();
        if plan.steps.iter().any(writes) {
            1
        } else {
            self.settings.jobs.div_ceil(JOBS_PER_ROUND)
        }
    }

    /// Carries out one round; returns why the run ends, or `None` if it goes on.
    async fn next_round(&self, plan: &Plan) -> Option<RunEnd> {
        self.begin();
        let ended = self.round(plan).await;
        if ended.is_none() {
            self.sender.count(|tally| tally.rounds += 1);
        }
        ended
    }

    /// Begins another round of the plan, and forgets the records of the round before, which were judged there.
    fn begin(&self) {
        self.round.set(self.round.get() + 1);
        self.with_evaluation(Evaluation::begin_round);
    }

    /// Carries out the steps of the round that has begun, one group after the other: a group is neighbouring steps that
    /// may run at the same time ([`Plan::groups`]). Returns why the run ends, or `None` if it goes on.
    async fn round(&self, plan: &Plan) -> Option<RunEnd> {
        let again = self.round.get() > 1;
        let steps = |group: &[Step]| -> Vec<Step> {
            let steps = group.iter().filter(|step| !again || step.action.spec().repeats);
            steps
                .filter(|step| !step.action.comes_after_rounds())
                .copied()
                .collect()
        };
        let step_count = steps(&plan.steps)
            .iter()
            .filter(|step| step.action.always_sends())
            .count();
        self.expect_requests(u64::try_from(step_count).unwrap_or(0));
        let mut read = HashSet::new();
        for (index, group) in plan.groups().enumerate() {
            let steps = steps(group);
            if group[0].action.runs_concurrently() {
                let sequences = concurrent_sequences(&steps)
                    .into_iter()
                    .map(|sequence| self.in_order(sequence));
                futures::future::join_all(sequences).await;
            } else {
                self.in_order(steps).await;
            }
            read.extend(group.iter().map(|step| step.operation));
            // A 403 may be about what is read, so another read that comes before any write may succeed.
            let later = plan.groups().skip(index + 1).flatten().map(|step| step.operation);
            let mut reads = later.take_while(|operation| self.contract.operation(*operation).is_get());
            let may_read = reads.any(|operation| !read.contains(&operation));
            let ended = self.sender.reason_to_stop();
            if let Some(ended) = ended.filter(|ended| !(matches!(ended, RunEnd::TokenRejected(403)) && may_read)) {
                return Some(ended);
            }
        }
        None
    }

    /// Carries out the steps one after the other.
    async fn in_order(&self, steps: Vec<Step>) {
        for step in &steps {
            self.step(step).await;
        }
    }

    /// Carries out one step.
    async fn step(&self, step: &Step) {
        let operation = step.operation;
        match step.action {
            Action::Walk | Action::WalkNested => self.judge_list(operation).await,
            Action::SamplePages => self.sample_pages(operation).await,
            Action::Read => self.read(operation).await,
            Action::ReadCreated => self.read_created(operation).await,
            Action::Query => self.query(operation).await,
            Action::ProbeRead(probe) | Action::ProbeWrite(probe) => self.probe(operation, probe).await,
            Action::Create => self.create(operation).await,
            Action::FillToSecondPage => self.fill_to_second_page(operation).await,
            Action::FillLastPage => self.fill_last_page(operation).await,
            Action::VaryCreate => self.vary_create(operation).await,
            Action::LookForCreated => self.look_for_created(operation).await,
            Action::LookForUpdates => self.look_for_updates(operation).await,
            Action::WalkFilledList => self.walk_filled_list(operation).await,
            Action::ReadBackCreated => self.read_back_created(operation).await,
            Action::Update => self.update(operation).await,
            Action::ReadBackUpdated => self.read_back_updated(operation).await,
            Action::WalkInferredPages => self.walk_inferred_pages(operation).await,
            Action::ReadOptional => self.read_optional(operation).await,
            Action::Equivalent => self.equivalent(operation).await,
            Action::VaryUpdate => self.vary_update(operation).await,
            Action::VaryAndReadBack => self.vary_and_read_back(operation).await,
            Action::EdgeCaseRead(edge_case) | Action::EdgeCaseWrite(edge_case) => {
                self.edge_case(operation, edge_case).await;
            }
            Action::Ask => {
                self.ask(operation).await;
                self.emit_trials();
            }
            Action::AskByCreating => {
                self.ask_by_creating(operation).await;
                self.emit_trials();
            }
            Action::LookAtRejectedWrites => self.look_at_rejected_writes(operation).await,
            Action::Restore => self.restore(operation).await,
            Action::Delete | Action::ResidueLook => {}
        }
    }

    /// Sends a request, and again while the target throttles it. Every response is noted; one that a repeat supersedes
    /// is not judged. Returns the exchange that counts, and what was noted about it.
    pub(super) async fn call(&self, call: Call) -> (Exchange, ExchangeResult) {
        self.call_with_options(call, ResendOptions::default()).await
    }

    /// Like [`Self::call`], but `options` may allow further requests after a response.
    pub(super) async fn call_with_options(&self, call: Call, options: ResendOptions) -> (Exchange, ExchangeResult) {
        let Call {
            mut request,
            purpose,
            role,
        } = call;
        self.renew_request_keys(&mut request);
        self.read_before_create(&request).await;
        let watched = self.read_list_before(request.operation).await;
        let mut attempt = 0;
        let mut not_found = NotFoundRetry::until(options.not_found_timeout);
        loop {
            let had_first_token = !self.sender.transport.is_renewed();
            let exchange = self.sender.send(request).await;
            let has_expired = self.sender.has_expired(&exchange, had_first_token);
            let throttled = exchange.response().is_some_and(throttles_for_now);
            let missing = exchange.status() == Some(404);
            let wait = self
                .wait_before_resend(&exchange, attempt)
                .or_else(|| missing.then(|| not_found.wait()).flatten());
            let intent = Intent {
                purpose,
                is_superseded: wait.is_some() || has_expired || (options.replaceable && throttled),
            };
            let (noted, body) = self.with_evaluation(|evaluation| evaluation.add_exchange(&exchange, (intent, &role)));
            self.sender.log_outcome(&exchange, noted.created.as_deref());
            let exchanged = EmittedExchange {
                exchange: &exchange,
                intent,
                body: body.as_deref(),
            };
            self.emit(Event::Exchanged(exchanged));
            self.emit_found(Some(exchanged));
            let is_deletion = self.contract.operation(exchange.request.operation).method == Method::Delete;
            if let Some(wait) = wait {
                tokio::time::sleep(wait).await;
            }
            let may_follow = wait.is_some() || has_expired && !is_deletion;
            if !(may_follow && self.may_send_again(&exchange.request).await) {
                if !has_expired {
                    self.sender.count_documented(&exchange, intent);
                }
                if self.contract.operation(exchange.request.operation).is_get() {
                    self.read_vanished(exchange.request.operation).await;
                }
                self.read_list_after(&exchange, watched).await;
                return (exchange, noted);
            }
            request = exchange.request;
            attempt += u32::from(wait.is_some());
        }
    }

    /// Returns how long to wait before a throttled request is sent again; `None` if it is not sent again, for instance
    /// because the target says that it throttles for longer than a run waits: every further request would use up all
    /// its waits, too. A deletion is never sent again here: it may have been carried out, and somebody else's record
    /// may have the identifier by now. A create or a query is sent again only after a 429 that says when, because that
    /// response rejects it; both requests count against the budget. Any other response may come from something in front
    /// of a service that has stored the record. Whether an update is sent again after the wait, a read decides: see
    /// [`Self::may_send_again`].
    fn wait_before_resend(&self, exchange: &Exchange, attempt: u32) -> Option<Duration> {
        let response = exchange.response().filter(|response| throttles_for_now(response))?;
        // A wrong token is not sent again: a target that throttles it may be counting them.
        let has_wrong_token = matches!(exchange.request.credential, Credential::Wrong { .. });
        let operation = self.contract.operation(exchange.request.operation);
        let sent_once = has_wrong_token || operation.method == Method::Delete;
        let again = !operation.may_store()
            || (response.status == 429 && says_when(response) && self.budget_allows_one_after(1));
        (again && !sent_once && attempt + 1 < MAX_ATTEMPTS).then(|| wait_after(response, attempt))
    }

    /// Lets `show` use the evaluation, and counts how long that keeps the thread busy.
    pub(super) fn with_evaluation<T>(&self, show: impl FnOnce(&mut Evaluation<'run>) -> T) -> T {
        self.sender.timed(|| show(&mut self.evaluation.borrow_mut()))
    }

    /// Returns what exchanges have shown so far.
    pub(super) fn history(&self) -> Ref<'_, History<'run>> {
        Ref::map(self.evaluation.borrow(), Evaluation::history)
    }

    /// Returns what exchanges have shown about the gaps so far.
    pub(super) fn gaps(&self) -> Ref<'_, Gaps<'run>> {
        Ref::map(self.evaluation.borrow(), Evaluation::gaps)
    }

    /// Returns the verdicts so far.
    pub(super) fn verdicts(&self) -> Ref<'_, Verdicts> {
        Ref::map(self.evaluation.borrow(), Evaluation::verdicts)
    }

    /// Emits an event, and counts how long that keeps the thread busy: a receiver that keeps exchanges reads their
    /// bodies.
    pub(super) fn emit(&self, event: Event<'_>) {
        self.sender.timed(|| (self.events.emit.borrow_mut())(event));
    }

    /// Emits that this many more requests are to come.
    pub(super) fn expect_requests(&self, requests: u64) {
        self.emit(Event::Expected(requests));
    }

    /// Emits the new findings that several exchanges show together.
    pub(super) fn emit_findings(&self) {
        self.emit_found(None);
    }

    /// Emits the new findings, each with this exchange where it shows the finding by itself.
    fn emit_found(&self, exchanged: Option<EmittedExchange<'_>>) {
        let verdicts = self.verdicts();
        let findings = verdicts.findings();
        for finding in findings.get(self.events.found.get()..).unwrap_or_default() {
            let shown = exchanged.filter(|shown| finding.exchange == Some(shown.exchange.number));
            self.emit(Event::Found(finding, shown));
        }
        self.events.found.set(findings.len());
    }

    /// Emits the trials that have ended since the last were emitted.
    fn emit_trials(&self) {
        let gaps = self.gaps();
        let ended = gaps.ended_trials();
        let new = ended.get(self.events.tried.get()..).unwrap_or_default();
        if !new.is_empty() {
            self.emit(Event::Tried(new));
        }
        self.events.tried.set(ended.len());
    }

    /// Returns whether the plan is being carried out for the first time.
    pub(super) fn is_first_round(&self) -> bool {
        self.round.get() <= 1
    }

    /// Notes why an operation was not called. An operation that the first round called or gave a reason for needs no
    /// reason from a later one.
    pub(super) fn not_called(&self, operation: OperationId, reason: Reason) {
        if self.is_first_round() {
            self.with_evaluation(|evaluation| evaluation.not_called(operation, reason));
        }
    }

    /// States why the operation's fact of this kind is undecided if no response decides it; nothing if the contract has
    /// no such fact.
    pub(super) fn set_undecided_reason(&self, operation: OperationId, kind: FactKind, reason: Reason) {
        if let Some(fact) = self.contract.fact_of(operation, kind) {
            self.with_evaluation(|evaluation| evaluation.set_undecided_reason(fact, reason));
        }
    }

    /// Returns whether the operation may be called. A create, and a query, which may turn out to be one, need room for
    /// one more record in the budget; anything else leaves no record and may always be called.
    pub(super) fn has_room_for(&self, operation: OperationId) -> bool {
        !self.contract.operation(operation).may_store() || self.budget_allows_one()
    }

    /// Returns why a write is not sent when the budget has no room for it.
    pub(super) fn budget_spent_reason(&self) -> Reason {
        Reason::MaxWrites(self.settings.max_writes)
    }

    /// Returns whether one more record may be left in the target.
    pub(super) fn budget_allows_one(&self) -> bool {
        self.budget_allows_one_after(0)
    }

    /// Returns whether one more record may be left, in addition to `more` that are not counted yet.
    fn budget_allows_one_after(&self, more: u64) -> bool {
        self.history().count_including_deleted().saturating_add(more) < self.settings.max_writes
    }

    /// Returns how many more records may be created in addition to those that the facts need. Part of `max_writes` is
    /// reserved for later requests that may be accepted: probes of credentials, edge cases.
    pub(super) fn left_to_create(&self) -> u64 {
        let most = self.settings.max_writes;
        let left = most.saturating_sub(self.history().count_including_deleted());
        left.saturating_sub(reserved_writes(most))
    }

    /// Ends the run: judges what only its end shows, and returns the result.
    fn finish(self, ended: RunEnd) -> Run {
        let how_all_calls_failed = self.verdicts().how_all_calls_failed();
        let ended = match (ended, how_all_calls_failed) {
            (RunEnd::Complete, Some(failure)) => RunEnd::NothingSucceeded(failure),
            (ended, _) => ended,
        };
        if ended == RunEnd::Complete {
            let in_scope: Vec<_> = self.plan.in_scope.iter().copied().collect();
            self.with_evaluation(|evaluation| evaluation.report_operations_without_success(&in_scope));
        }
        self.with_evaluation(Evaluation::judge_answers);
        self.emit_findings();
        // Writes under way when the run was interrupted were sent, and their responses are unknown.
        self.sender
            .count(|tally| tally.unfinished = tally.sent - tally.answered);
        let mut evaluation = self.evaluation.into_inner();
        let creates = |operation: &OperationId| self.contract.operation(*operation).creates();
        for operation in self.sender.writes_in_flight().into_iter().filter(creates) {
            evaluation.add_residue(Residue::of_write(operation, None, None));
        }
        // Operations that this shard only depends on are left to another shard, so their facts stay undecided here
        // unless this shard saw them broken.
        let elsewhere = || Reason::NotCalled(NotCalled::AnotherShard);
        for fact in &self.plan.in_other_shards {
            evaluation.force_undecided(*fact, elsewhere());
        }
        let is_cut_short = match &ended {
            RunEnd::Complete | RunEnd::NothingSucceeded(_) | RunEnd::Incomplete(_) => false,
            // A soak that is interrupted has carried out its plan once.
            _ => self.sender.tally().rounds == 0,
        };
        if is_cut_short {
            evaluation.end_early();
        }
        let EvaluationResult {
            verdicts,
            answers,
            trials,
            history,
            recording,
        } = evaluation.finish();
        let verdicts = why_not_reached(&ended).map_or(verdicts, |reason| {
            let mut verdicts = Verdicts::undecided(self.contract, &reason);
            for fact in &self.plan.in_other_shards {
                verdicts.force_undecided(*fact, elsewhere());
            }
            verdicts
        });
        Run {
            shard: self.plan.shard,
            verdicts,
            ended,
            answers,
            trials,
            learns: self.plan.learns,
            residue: history.residue,
            deleted: history.deleted,
            residue_search: self.residue_search.get().unwrap_or_default(),
            unexplained_records: history.unexplained_records,
            rejected_values: self.drafts.rejected_values.into_inner(),
            tally: self.sender.tally(),
            in_scope: self.plan.in_scope.clone(),
            named: self.plan.named.clone(),
            target_is_mock: history.target_is_mock,
            recording,
        }
    }
}

/// Returns why the target was not reached, if it was not. Such a target broke nothing: the only thing to report is why.
fn why_not_reached(ended: &RunEnd) -> Option<Reason> {
    match ended {
        RunEnd::NotReady(..) | RunEnd::ServiceEnded(_) => Some(Reason::NotReady),
        RunEnd::Unreachable(_) => Some(Reason::NoResponse),
        _ => None,
    }
}

fn evaluation<'run>(contract: &'run Contract, plan: &Plan, settings: &Settings) -> Evaluation<'run> {
    let judge = Judge::new(contract, settings.levels.clone(), settings.values);
    let judge = if settings.rounds > 1 { judge.for_soak() } else { judge };
    Evaluation::new(plan, settings.run_tag.clone(), judge, settings.keep_recording)
}
