//! Asks what the document leaves open: the questions that the contract's gaps raise about an operation, in trials.
//!
//! # Design
//!
//! A trial is a variant between two controls. A control is the plain request that was accepted before. A *pass* asks
//! each open question once (of a read, twice) and ends with a control, which also begins the next pass. If either
//! control fails, the variant shows nothing; a control that fails is sent once more. An update is tried on the run's
//! own record, with different values each time, and the list, or the read of the record, shows whether they arrived.
//!
//! A question may be a *search*: what its trials showed so far decides what the next one sends. They come one after the
//! other, and a single control ends them all, sent only if the last trial was rejected or the record may still have a
//! long text. A create has no other questions, and each control of it would leave a record, so a trial that it accepts
//! counts as a control.
//!
//! A *group* is a question that asks several others in one request ([`Asks::InOneRequest`]). If that request cannot be
//! made or is rejected, each of them is asked alone.
//!
//! Several replicas may answer in turn. If every trial of a question met the same one, they would agree although the
//! replicas differ. So the questions of a pass are asked in an order in which the trials of each meet two replicas and
//! three, and extra reads are sent where no order does.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use http::header::CONNECTION;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;
use tokio::time::Instant;

use super::pace::wait_after;
use super::request::{self, RequestHead};
use super::session::{Call, Session};
use super::settle::repeat_until;
use crate::contract::link::LinkTarget;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::exchange::{Content, Credential, Exchange, Purpose, Request, TrialPart};
use crate::plan::{
    Action, Asks, BodyChange, Draft, MAX_RECORDS_TO_LEARN, MAX_TRIALS, Question, QuestionRequest, TRIALS_TO_INDICATE,
};

/// A question, with its index among those of the plan.
type IndexedQuestion<'run> = (usize, &'run Question);

/// An operation that is asked about.
struct AskedOperation<'run> {
    operation: OperationId,
    head: RequestHead,
    /// The body that an update accepted.
    accepted: Option<Draft>,
    /// The list that shows the record, or else the read of the record with its head.
    view: Option<(OperationId, Option<RequestHead>)>,
    /// The page that showed it last; `None` for the default page.
    page: Cell<Option<u64>>,
    /// Where the requests with each key were.
    met_replicas: RefCell<HashMap<ReplicaKey, MetReplicas>>,
    /// The bodies of creates that may have stored a record without saying so.
    unconfirmed_creates: RefCell<Vec<Content>>,
    /// How many creates in a row decided nothing.
    failed_creates: Cell<u32>,
    /// The groups ([`Asks::InOneRequest`]) that could not be put into one request, so that their questions are asked
    /// one by one.
    split_groups: RefCell<HashSet<usize>>,
    /// How many controls were sent.
    controls: Cell<u64>,
    /// The body of the last control, from which the next one differs where the schema leaves a choice: a service that
    /// resets a field to a default would seem to keep it if the control had sent that default. `None` if no question
    /// asks what an update keeps, or once such a control was rejected.
    last_choices: RefCell<Option<Value>>,
    /// The number of controls whose effect was not seen in time.
    unseen_controls: Cell<u64>,
    /// The questions, each with its index.
    questions: Vec<IndexedQuestion<'run>>,
}

impl AskedOperation<'_> {
    /// How many times a pass asks each question: once for a write, twice for a read. A read has at most two questions,
    /// so with the control a full pass has five requests; five is a multiple of neither two nor three, so two passes
    /// reach each of two or three replicas without extra reads.
    fn times_in_pass(&self) -> u64 {
        if self.accepted.is_some() { 1 } else { 2 }
    }

    /// Notes whether the last request with these keys was accepted.
    fn note_acceptance(&self, keys: Vec<ReplicaKey>, accepted: bool) {
        let mut met = self.met_replicas.borrow_mut();
        for key in keys {
            met.entry(key).or_default().was_accepted = accepted;
        }
    }
}

/// What requests have in common that must meet every replica: their question, by its index, and the members that their
/// body leaves out; or, with `None`, that they are controls.
type ReplicaKey = (Option<usize>, Vec<String>);

/// Where among all requests those with one key were, each as the number of requests before it.
#[derive(Debug, Default)]
struct MetReplicas {
    /// Whether the last one was accepted.
    was_accepted: bool,
    positions: Vec<u64>,
    /// The position of the last one, as long as it is not known whether its trial shows anything.
    unconfirmed: Option<u64>,
}

impl MetReplicas {
    /// How many of so many replicas that answer in turn none of these positions meets, nor this further one.
    fn unmet(&self, replicas: u64, further: Option<u64>) -> u64 {
        let positions = self.positions.iter().copied().chain(further);
        let met: HashSet<_> = positions.map(|position| position % replicas).collect();
        replicas.saturating_sub(u64::try_from(met.len()).unwrap_or(u64::MAX))
    }

    /// Whether a request may be sent at this position: if so many trials decide its question, those that are left
    /// after it can meet the replicas that are still unmet, or it is one of these that it meets.
    fn may_be_at(&self, position: u64, trials: u64) -> bool {
        let sent = u64::try_from(self.positions.len()).unwrap_or(u64::MAX);
        let left = trials.saturating_sub(sent.saturating_add(1));
        [2, 3].into_iter().all(|replicas| {
            let unmet = self.unmet(replicas, None);
            self.unmet(replicas, Some(position)) <= left.max(unmet.saturating_sub(1))
        })
    }

    /// Whether a request at this position meets a replica that is unmet.
    fn meets_another(&self, position: u64) -> bool {
        let mut replicas = [2, 3].into_iter();
        replicas.any(|replicas| self.unmet(replicas, Some(position)) < self.unmet(replicas, None))
    }
}

/// The most trials that the searches of an operation have together.
const MAX_SEARCH_TRIALS: u64 = 80;
/// After this many creates of an operation in a row that decided nothing, its questions end: each may leave a record.
const MAX_FAILED_CREATES: u32 = 3;
/// How often a body that lacks a field is sent, see `gaps/required`; with a second body, each field has
/// [`TRIALS_TO_INDICATE`] trials.
const TRIALS_OF_A_BODY: u64 = 2;
/// How many pages the search for what the run left reads of a list in any case, if nothing makes it read all.
const PAGES_OF_RESIDUE_LOOK: u64 = 4;
/// How many requests follow the last question at most, without the search for what the run left: controls with the
/// reads after them, edge cases, and an update with ordinary values.
const REQUESTS_AFTER_QUESTIONS: u64 = 16;
/// After this many requests, two replicas that answer in turn are at the same point again, and so are three.
const CYCLE: u64 = 6;
/// A check may spend its maximum time divided by this on asking: each trial may wait for a late list, and the rest of
/// the check comes afterwards.
const ASKING_DIVISOR: u32 = 4;
/// Trials end after this many controls whose values the list did not show, because each costs a read of all pages of
/// the list.
const MAX_UNSEEN_CONTROLS: u64 = 2;

impl Session<'_> {
    /// Asks every question about an operation until enough trials decide it, or until no more may be asked.
    pub(super) async fn ask(&self, operation: OperationId) {
        self.ask_while_there_is_room(operation).await;
        self.note_unasked(operation);
    }

    async fn ask_while_there_is_room(&self, operation: OperationId) {
        let Some(subject) = self.subject(operation).await else {
            return;
        };
        if !self.is_asking_over(subject.operation) && self.control(&subject).await && self.ask_in_passes(&subject).await
        {
            // Some gaps are answered by ordinary responses, and need as many of these as a question needs trials.
            while subject.controls.get() < TRIALS_TO_INDICATE && !self.is_asking_over(subject.operation) {
                self.expect_requests(1);
                if !self.control(&subject).await {
                    return;
                }
            }
            self.search(&subject).await;
            // The operation's last rejections count only once it accepts a request again.
            if self.gaps().awaits_acceptance(operation) {
                self.control(&subject).await;
            }
        }
    }

    /// Asks every question about a create until enough trials decide it, while there is room for records.
    pub(super) async fn ask_by_creating(&self, operation: OperationId) {
        self.create_while_there_is_room(operation).await;
        self.note_unasked(operation);
    }

    async fn create_while_there_is_room(&self, operation: OperationId) {
        let Some(subject) = self.subject(operation).await else {
            return;
        };
        self.search(&subject).await;
        if self.gaps().awaits_acceptance(operation)
            && self.may_create_to_learn()
            && let Some(request) = self.plain_request(&subject)
        {
            self.expect_requests(1);
            self.send_trial_part(request, TrialPart::Control).await;
        }
    }

    /// Whether the time that a check may spend on asking is used up, or the requests that a run that learns may send
    /// to ask about this operation.
    fn is_asking_over(&self, operation: OperationId) -> bool {
        if self.plan.learns {
            let reserved = self
                .requests_after_asking()
                .saturating_add(self.requests_of_cheaper_creates(operation));
            return self.sender.tally().sent.saturating_add(reserved) >= self.settings.max_requests_to_learn;
        }
        let began = *self.asking_since.get_or_init(Instant::now);
        began.elapsed() > self.settings.max_time / ASKING_DIVISOR
    }

    /// Returns about how many requests the run sends after its last question: those of the trial under way, and those
    /// of the search for what it left, which reads some pages of each list and those with records of the run.
    fn requests_after_asking(&self) -> u64 {
        let looks = self.plan.steps.iter().filter(|step| step.action == Action::ResidueLook);
        let own = self.history().count_including_deleted();
        let pages = looks.map(|step| {
            let last = self.gaps().last_page(step.operation).unwrap_or(1);
            last.min(PAGES_OF_RESIDUE_LOOK.saturating_add(own))
        });
        pages.fold(REQUESTS_AFTER_QUESTIONS, u64::saturating_add)
    }

    /// Returns about how many requests it takes to ask about those creates after this one that take fewer: they come
    /// first if there is no room for all.
    fn requests_of_cheaper_creates(&self, operation: OperationId) -> u64 {
        let of_one = |operation: OperationId| -> u64 {
            let asked = self.plan.questions.iter().filter(|asked| asked.operation == operation);
            let requests = asked.map(|asked| match &asked.asks {
                Asks::Required { documented } => {
                    let fields = u64::try_from(documented.len()).unwrap_or(u64::MAX);
                    fields
                        .saturating_mul(TRIALS_OF_A_BODY)
                        .saturating_add(TRIALS_TO_INDICATE)
                }
                _ => TRIALS_TO_INDICATE,
            });
            requests.sum()
        };
        let creates = self
            .plan
            .steps
            .iter()
            .filter(|step| step.action == Action::AskByCreating);
        let mut after = creates
            .map(|step| step.operation)
            .skip_while(|other| *other != operation);
        // An update comes before all creates, and its answers are worth more.
        let own = after.next().map_or(0, of_one);
        after.map(of_one).filter(|requests| *requests < own).sum()
    }

    /// Notes which questions of an operation are still open although no more may be asked, because the run has sent
    /// as many requests as it may.
    fn note_unasked(&self, operation: OperationId) {
        if !self.plan.learns || !self.is_asking_over(operation) {
            return;
        }
        let questions = self.plan.questions.iter().enumerate();
        let of_it = questions.filter(|(_, question)| question.operation == operation);
        for (index, _) in of_it.filter(|(index, _)| self.gaps().is_open(*index)) {
            self.with_evaluation(|evaluation| evaluation.note_limit_of_requests(index));
        }
    }

    /// Whether one more record may be created to learn something.
    pub(super) fn may_create_to_learn(&self) -> bool {
        self.budget_allows_one() && self.history().count_including_deleted() < MAX_RECORDS_TO_LEARN
    }

    /// Asks the questions in passes. Returns whether the last control was accepted.
    async fn ask_in_passes(&self, subject: &AskedOperation<'_>) -> bool {
        let in_passes = subject
            .questions
            .iter()
            .filter(|(_, question)| !question.builds_on_trials());
        let (groups, alone): (Vec<_>, Vec<_>) = in_passes
            .copied()
            .partition(|(_, question)| matches!(question.asks, Asks::InOneRequest { .. }));
        for pass in 0..MAX_TRIALS {
            let mut asked = false;
            for time in 0..subject.times_in_pass() {
                let is_open =
                    |index: usize| !self.gaps().is_decided(index) && !self.is_in_group(subject, &groups, index);
                let mut open: Vec<_> = alone.iter().copied().filter(|(index, _)| is_open(*index)).collect();
                open.extend(groups.iter().filter(|(index, _)| self.is_group_open(subject, *index)));
                let number = pass * subject.times_in_pass() + time;
                asked |= self.ask_each(subject, (open, &alone), number).await;
            }
            if !asked {
                return true;
            }
            // If the control fails, the trials end: no other could begin.
            if !self.control(subject).await {
                return false;
            }
        }
        true
    }

    /// Asks each of these questions and groups once in this pass, in an order that takes few extra reads to meet the
    /// replicas. The questions of a group that is rejected are then asked alone; `alone` has all that can be. Returns
    /// whether one was asked.
    async fn ask_each<'run>(
        &self,
        subject: &AskedOperation<'run>,
        (mut open, alone): (Vec<IndexedQuestion<'run>>, &[IndexedQuestion<'run>]),
        times_asked: u64,
    ) -> bool {
        let mut asked = false;
        while !open.is_empty() {
            let (index, question) = open.remove(self.nearest(subject, &open));
            if !matches!(question.asks, Asks::InOneRequest { .. }) {
                asked |= self.ask_in_pass(subject, (index, question), times_asked).await;
                continue;
            }
            let together = self.gaps().asked_together(index);
            let sent = self.ask_in_pass(subject, (index, question), times_asked).await;
            if !sent {
                subject.split_groups.borrow_mut().insert(index);
            }
            asked |= sent;
            if !sent || self.gaps().was_decided_by_response_since_control(index) {
                open.extend(alone.iter().filter(|(index, _)| together.contains(index)));
            }
        }
        asked
    }

    /// Whether a group is asked in one request: it still has several questions, and they can be put into one.
    fn is_group_open(&self, subject: &AskedOperation<'_>, group: usize) -> bool {
        self.gaps().asked_together(group).len() > 1 && !subject.split_groups.borrow().contains(&group)
    }

    /// Returns the position of the question that takes the fewest extra reads; of several, one whose request meets a
    /// replica that it has not met. What an update keeps shows only right after a control, so that is asked first.
    fn nearest(&self, subject: &AskedOperation<'_>, open: &[IndexedQuestion<'_>]) -> usize {
        if subject.accepted.is_none() {
            return 0;
        }
        let sent = self.sender.tally().sent;
        let cost = |(index, question): &IndexedQuestion<'_>| {
            let is_early = matches!(question.asks, Asks::UpdateOfOneField { .. });
            let keys = self.replica_keys(*index, &[]);
            let missing = self.requests_missing(subject, &keys, TRIALS_TO_INDICATE);
            let met = subject.met_replicas.borrow();
            let meets_another = |key: &ReplicaKey| met.get(key).is_some_and(|met| met.meets_another(sent + missing));
            (!is_early, missing, !keys.iter().any(meets_another))
        };
        let nearest = open.iter().enumerate().min_by_key(|(_, question)| cost(question));
        nearest.map_or(0, |(position, _)| position)
    }

    /// Asks a question once in this pass, unless the time for that is over.
    async fn ask_in_pass(&self, subject: &AskedOperation<'_>, question: IndexedQuestion<'_>, times_asked: u64) -> bool {
        !self.is_asking_over(subject.operation)
            && self
                .ask_once(subject, question, (times_asked, BodyChange::OnlyValues))
                .await
    }

    /// Whether one of these groups asks this question.
    fn is_in_group(&self, subject: &AskedOperation<'_>, groups: &[IndexedQuestion<'_>], question: usize) -> bool {
        let split_groups = subject.split_groups.borrow();
        let mut groups = groups.iter().filter(|(index, _)| !split_groups.contains(index));
        groups.any(|(index, _)| {
            let together = self.gaps().asked_together(*index);
            together.len() > 1 && together.contains(&question)
        })
    }

    /// Asks the questions whose trials depend on those before them.
    async fn search(&self, subject: &AskedOperation<'_>) {
        let creates = self.contract.operation(subject.operation).creates();
        for number in 0..MAX_SEARCH_TRIALS {
            if self.is_asking_over(subject.operation) || (creates && !self.may_create_to_learn()) {
                return;
            }
            // What is required takes most requests, so what is cheaper comes first.
            let is_dear = |(_, asked): &&IndexedQuestion<'_>| matches!(asked.asks, Asks::Required { .. });
            let (dear, cheap): (Vec<&IndexedQuestion<'_>>, Vec<_>) = subject.questions.iter().partition(is_dear);
            let mut questions = cheap.into_iter().chain(dear);
            let next = questions.find_map(|(index, asked)| Some(((*index, *asked), self.gaps().next(*index)?)));
            let Some((question, next)) = next else {
                return;
            };
            if !self.ask_once(subject, question, (number, next)).await
                || subject.failed_creates.get() >= MAX_FAILED_CREATES
            {
                return;
            }
        }
    }

    /// Returns the operation with its questions and with what a control needs; `None` if a read lacks a value, or if no
    /// write of the operation was accepted.
    async fn subject(&self, operation: OperationId) -> Option<AskedOperation<'_>> {
        let questions = self.plan.questions.iter().enumerate();
        let questions: Vec<_> = questions.filter(|(_, asked)| asked.operation == operation).collect();
        let (head, accepted) = if self.contract.operation(operation).is_read() {
            (self.request_head_if_any(operation)?, None)
        } else {
            let (accepted, head) = self.accepted_write(operation).await?;
            (head, Some(accepted))
        };
        let page = self.history().latest_record(operation).and_then(|(_, page)| page);
        // Each trial of a create whose records the run names has a name of its own, which a read by name does not see.
        let names_records = self.contract.operation(operation).new_record_name_parameter().is_some();
        let view = self
            .view(operation, &head)
            .filter(|(_, of_record)| !names_records || of_record.is_none());
        let mut asked = questions.iter().map(|(_, question): &(_, &Question)| &question.asks);
        let asks_what_is_kept = asked.any(|asks| matches!(asks, Asks::UpdateOfOneField { .. }));
        Some(AskedOperation {
            operation,
            head,
            accepted,
            view,
            page: Cell::new(page),
            met_replicas: RefCell::default(),
            unconfirmed_creates: RefCell::default(),
            failed_creates: Cell::default(),
            split_groups: RefCell::default(),
            controls: Cell::default(),
            last_choices: RefCell::new(asks_what_is_kept.then(Value::default)),
            unseen_controls: Cell::default(),
            questions,
        })
    }

    /// Returns the read that shows what an operation writes: a list, or the read of the record, with its head.
    fn view(&self, operation: OperationId, head: &RequestHead) -> Option<(OperationId, Option<RequestHead>)> {
        let list = self.contract.list_showing_updated_by(operation);
        if let Some(list) = list.or_else(|| self.contract.list_showing_created_by(operation)) {
            return Some((list, None));
        }
        if let Some(read) = self.contract.read_showing_update(operation) {
            // The read of another record would show nothing.
            let of_record = self
                .request_head_if_any(read)
                .filter(|of_read| of_read.path == head.path);
            return of_record.map(|of_read| (read, Some(of_read)));
        }
        let lifecycle = self.contract.lifecycle_of(operation)?;
        lifecycle.list.as_ref().map(|list| (list.operation, None))
    }

    /// Sends a control, and once more if it fails, because a proxy may have caused that. Returns whether one was
    /// accepted.
    async fn control(&self, subject: &AskedOperation<'_>) -> bool {
        if self.control_once(subject).await {
            return true;
        }
        if subject.unseen_controls.get() >= MAX_UNSEEN_CONTROLS || self.is_asking_over(subject.operation) {
            return false;
        }
        self.expect_requests(1);
        self.control_once(subject).await
    }

    /// Sends a control, and looks for what it did. Returns whether it was accepted.
    async fn control_once(&self, subject: &AskedOperation<'_>) -> bool {
        let Some(request) = self.control_request(subject) else {
            return false;
        };
        self.meet_replicas(subject, (&[(None, Vec::new())], TRIALS_TO_INDICATE), true)
            .await;
        let exchange = self.send_trial_part(request, TrialPart::Control).await;
        subject.controls.set(subject.controls.get() + 1);
        if !self.succeeded(&exchange) {
            subject.last_choices.take();
        }
        self.look_for_effect(subject, (self.first_wait(), self.settings.settle))
            .await;
        let unseen_controls = subject.unseen_controls.get() + u64::from(self.gaps().awaits_effect());
        subject.unseen_controls.set(unseen_controls);
        if subject.view.is_some() {
            self.delays.invariant_update_timed_out.set(self.gaps().awaits_effect());
        }
        unseen_controls < MAX_UNSEEN_CONTROLS && self.succeeded(&exchange)
    }

    /// Asks a question once. Returns whether that was possible. A create that may have stored its record is not sent
    /// again; its search goes on without it.
    async fn ask_once(
        &self,
        subject: &AskedOperation<'_>,
        (index, question): IndexedQuestion<'_>,
        (times_asked, change): (u64, BodyChange),
    ) -> bool {
        let Some(mut request) = self.plain_request(subject) else {
            return false;
        };
        let left_out = match &change {
            BodyChange::Without(members) => members.clone(),
            BodyChange::Long(_) | BodyChange::OnlyValues | BodyChange::Repeat(_) => Vec::new(),
        };
        let keys = self.replica_keys(index, &left_out);
        match question.asks {
            Asks::NoCredential => request.credential = Credential::None,
            Asks::PageBeyondLast => {
                let page = self.contract.operation(subject.operation).page.as_ref();
                let (Some(page), Some(last)) = (page, self.gaps().last_page(subject.operation)) else {
                    return false;
                };
                let beyond = last.saturating_add(1 + times_asked);
                request = request.with_query_pair(&page.parameter, &beyond.to_string());
            }
            _ => {
                let asking = (times_asked, change.clone());
                if !self.put_question(subject, index, &mut request, &asking) {
                    return false;
                }
            }
        }
        let is_unconfirmed = |body: &&Content| subject.unconfirmed_creates.borrow().contains(*body);
        if let (true, Some(body)) = (
            request.body.as_ref().is_some_and(|body| is_unconfirmed(&body)),
            request.json(),
        ) {
            self.with_evaluation(|evaluation| evaluation.note_unsendable(index, body));
            return true;
        }
        // Texts of different lengths are separate trials, in the order that the search decides.
        if subject.accepted.is_some() && !matches!(change, BodyChange::Long(_)) {
            self.meet_replicas_of_question(subject, question, &keys).await;
        }
        self.expect_requests(1);
        let creates = self.contract.operation(subject.operation).creates();
        let created = request.body.as_ref().filter(|_| creates).cloned();
        let exchange = self.send_trial_part(request, TrialPart::Variant(index)).await;
        subject.note_acceptance(keys, self.succeeded(&exchange));
        if exchange.status().is_none_or(|status| status >= 500) {
            subject.unconfirmed_creates.borrow_mut().extend(created);
        }
        if creates {
            self.note_failure(subject, &exchange).await;
        }
        // What the control wrote is listed by now, and what the variant wrote may never be, so the wait is short.
        if !self.delays.invariant_update_timed_out.get() {
            // What an update keeps needs two looks, one of them as late as possible.
            let is_about_others = matches!(question.asks, Asks::UpdateOfOneField { .. });
            let longest = self.short_wait();
            let first_wait = if is_about_others { longest } else { self.first_wait() };
            self.look_for_effect(subject, (first_wait, longest)).await;
        }
        true
    }

    /// Turns a plain write into the question, or into all those that are asked in one request. Returns whether that is
    /// possible.
    fn put_question(
        &self,
        subject: &AskedOperation<'_>,
        index: usize,
        request: &mut Request,
        (times_asked, change): &(u64, BodyChange),
    ) -> bool {
        let Some(Content::Json(body)) = &mut request.body else {
            return false;
        };
        let mut asked_now = self.gaps().asked_together(index);
        if asked_now.is_empty() {
            asked_now.push(index);
        }
        asked_now.into_iter().all(|index| {
            let Some(question) = self.plan.questions.get(index) else {
                return false;
            };
            let asking = QuestionRequest {
                body,
                from_target: &mut request.from_target,
                run_tag: self.settings.run_tag.as_str(),
                linked: &self.linked_values(subject, question),
                times_asked: *times_asked,
                change: change.clone(),
            };
            let number = u64::try_from(index).unwrap_or(0);
            let seed = self.plan.seed.wrapping_add((times_asked << 32) | number);
            question.apply_to(asking, &mut ChaCha8Rng::seed_from_u64(seed))
        })
    }

    /// Counts the creates in a row that decided nothing. After one that was throttled and not sent again, because it may
    /// have stored its record, it waits before the next one.
    async fn note_failure(&self, subject: &AskedOperation<'_>, exchange: &Exchange) {
        let failed = subject.failed_creates.get();
        let throttled = exchange.response().filter(|response| response.is_throttled());
        if let Some(response) = throttled {
            tokio::time::sleep(wait_after(response, failed)).await;
        }
        let has_failed = throttled.is_some() || exchange.status().is_none_or(|status| status >= 500);
        subject.failed_creates.set(if has_failed { failed + 1 } else { 0 });
    }

    /// Returns the keys of a request that asks a question, or the questions of a group, and that leaves out these
    /// members of its body.
    fn replica_keys(&self, index: usize, left_out: &[String]) -> Vec<ReplicaKey> {
        let together = self.gaps().asked_together(index);
        let asked = if together.is_empty() { vec![index] } else { together };
        asked
            .into_iter()
            .map(|index| (Some(index), left_out.to_vec()))
            .collect()
    }

    /// How many other requests must be sent before one with these keys, so that so many trials meet every replica.
    fn requests_missing(&self, subject: &AskedOperation<'_>, keys: &[ReplicaKey], trials: u64) -> u64 {
        let sent = self.sender.tally().sent;
        self.confirm_positions(subject, keys);
        let met = subject.met_replicas.borrow();
        // The questions of a group may have been asked alone, so that no position suits all of them.
        let unsuited = |more: &u64| {
            let known = keys.iter().filter_map(|key| met.get(key));
            known.filter(|met| !met.may_be_at(sent + more, trials)).count()
        };
        (0..CYCLE).min_by_key(unsuited).unwrap_or(0)
    }

    /// Adds the last position of each key to those that met a replica, unless its trial is void or not over.
    fn confirm_positions(&self, subject: &AskedOperation<'_>, keys: &[ReplicaKey]) {
        let mut met = subject.met_replicas.borrow_mut();
        for key in keys {
            let Some(met) = met.get_mut(key) else { continue };
            let before = u64::try_from(met.positions.len()).unwrap_or(u64::MAX);
            let shows = key.0.is_none_or(|index| {
                let shown = self.gaps().results_shown(index);
                shown.is_none_or(|shown| shown > before)
            });
            if shows {
                met.positions.extend(met.unconfirmed.take());
            }
        }
    }

    /// Whether a body that lacks these members was sent, and rejected: the body that follows lacks them too, and the
    /// replica that it meets is the next one.
    fn lacks_what_was_rejected(&self, subject: &AskedOperation<'_>, keys: &[ReplicaKey]) -> bool {
        let met = subject.met_replicas.borrow();
        keys.iter().any(|key| met.get(key).is_some_and(|met| !met.was_accepted))
    }

    /// Sends other requests until the next trial of a question may be sent.
    async fn meet_replicas_of_question(&self, subject: &AskedOperation<'_>, question: &Question, keys: &[ReplicaKey]) {
        match question.asks {
            Asks::Required { .. } if self.lacks_what_was_rejected(subject, keys) => {
                self.note_positions(subject, keys);
            }
            Asks::Required { .. } => self.meet_replicas(subject, (keys, TRIALS_OF_A_BODY), false).await,
            // What it shows depends on the control right before it.
            Asks::UpdateOfOneField { .. } => self.meet_replicas(subject, (keys, TRIALS_TO_INDICATE), false).await,
            _ => self.meet_replicas(subject, (keys, TRIALS_TO_INDICATE), true).await,
        }
    }

    /// Sends other requests until one with these keys may be sent, if two or three replicas answer in turn: so many
    /// trials must meet each of them. The others are reads, or, if the record may change, `searches` of the same
    /// operation, which have to be sent anyway.
    async fn meet_replicas(&self, subject: &AskedOperation<'_>, (keys, trials): (&[ReplicaKey], u64), searches: bool) {
        for _ in 0..CYCLE {
            if self.requests_missing(subject, keys, trials) == 0 {
                break;
            }
            if searches && Box::pin(self.search_meanwhile(subject)).await {
                continue;
            }
            let is_read = subject.accepted.is_none();
            match (&subject.view, self.plain_request(subject).filter(|_| is_read)) {
                (Some(view), _) => drop(self.look_at(view, None).await),
                (None, Some(request)) => {
                    self.expect_requests(1);
                    self.send_trial_part(request, TrialPart::Read).await;
                }
                (None, None) => break,
            }
        }
        self.note_positions(subject, keys);
    }

    /// Sends the next trial of the search for what an update requires, if it meets another replica than the last one
    /// with the same body. Returns whether it did.
    async fn search_meanwhile(&self, subject: &AskedOperation<'_>) -> bool {
        if self.contract.operation(subject.operation).creates() || self.gaps().awaits_effect() {
            return false;
        }
        let mut required = subject.questions.iter();
        let next = required.find_map(|(index, asked)| match (&asked.asks, self.gaps().next(*index)) {
            (Asks::Required { .. }, Some(BodyChange::Without(left_out))) => Some(((*index, *asked), left_out)),
            _ => None,
        });
        let Some((question, left_out)) = next else {
            return false;
        };
        let keys = self.replica_keys(question.0, &left_out);
        self.requests_missing(subject, &keys, TRIALS_OF_A_BODY) == 0
            && self
                .ask_once(subject, question, (0, BodyChange::Without(left_out)))
                .await
    }

    /// Notes that a request with these keys is sent next.
    fn note_positions(&self, subject: &AskedOperation<'_>, keys: &[ReplicaKey]) {
        self.confirm_positions(subject, keys);
        let mut met = subject.met_replicas.borrow_mut();
        for key in keys {
            met.entry(key.clone()).or_default().unconfirmed = Some(self.sender.tally().sent);
        }
    }

    /// Returns the plain request, with new values in its body each time.
    fn plain_request(&self, subject: &AskedOperation<'_>) -> Option<Request> {
        self.plain_request_unlike(subject, None)
    }

    /// Returns the request of the next control, whose choices differ from those of the last one if that matters.
    fn control_request(&self, subject: &AskedOperation<'_>) -> Option<Request> {
        let last = subject.last_choices.take();
        let request = self.plain_request_unlike(subject, last.as_ref())?;
        let body = request.json().cloned();
        subject.last_choices.replace(last.and(body));
        Some(request)
    }

    /// Returns a request whose body does not repeat these choices where the schema leaves others.
    fn plain_request_unlike(&self, subject: &AskedOperation<'_>, last: Option<&Value>) -> Option<Request> {
        let documented = self.contract.operation(subject.operation);
        let credential = request::credential(&documented.security);
        match &subject.accepted {
            None => Some(
                subject
                    .head
                    .clone()
                    .request((subject.operation, documented), credential),
            ),
            Some(accepted) => {
                let mut draft = self.draft_like(subject.operation, accepted).ok()?;
                if let Some(last) = last {
                    let mut other = draft.clone();
                    other.avoid_repeating(|at, value| last.pointer(at) == Some(value));
                    draft = if other.is_admitted() { other } else { draft };
                }
                let named = documented
                    .new_record_name_parameter()
                    .map(|_| self.request_head(subject.operation));
                let head = named.transpose().ok()?;
                Some(self.request_with_draft(&draft, head.as_ref().unwrap_or(&subject.head), credential))
            }
        }
    }

    /// Returns the values that links pass to the field of a question, each with the name of the field that showed it.
    fn linked_values(&self, subject: &AskedOperation<'_>, question: &Question) -> Vec<(String, Value)> {
        let Some(field) = question.field() else {
            return Vec::new();
        };
        let target = LinkTarget::Body(field.to_owned());
        let links = self.contract.links_allowed_to_fill(subject.operation, &target);
        let history = self.history();
        let values = history.bindings().linked_values(&links);
        let named = values
            .into_iter()
            .filter_map(|(link, value)| Some((pointer::last(&link.value_at)?, value.clone())));
        named.collect()
    }

    /// Sends a part of a trial on a connection of its own: a load balancer may choose a replica for each connection.
    async fn send_trial_part(&self, mut request: Request, part: TrialPart) -> Exchange {
        request.headers.push((CONNECTION.to_string(), "close".to_owned()));
        self.call(Call::alone(request, Purpose::Trial(part))).await.0
    }

    /// Reads the record until it shows what the last request of a trial did, if that is still to be seen. In a list, it
    /// reads first the page that last showed the record, then the others.
    async fn look_for_effect(&self, subject: &AskedOperation<'_>, (first_wait, longest): (Duration, Duration)) {
        let Some(view) = subject.view.as_ref().filter(|_| self.gaps().awaits_effect()) else {
            return;
        };
        let longest = if self.delays.invariant_update_timed_out.get() {
            Duration::ZERO
        } else {
            longest
        };
        let is_found = || !self.gaps().awaits_effect() || self.gaps().has_found_record();
        let walk = async || {
            self.look_at(view, subject.page.get()).await;
            if let (list, None) = view
                && !is_found()
            {
                self.look_at_other_pages(subject, (*list, view), &is_found).await;
            }
        };
        let (_, delay) = repeat_until((first_wait, longest), walk, |()| !self.gaps().awaits_effect()).await;
        self.note_delay(delay);
    }

    /// Looks at the pages of a list for a record, the last one first, until it is found. A list may say that it has
    /// more pages than it has, so while the page tried is empty, the one at half its number is tried next.
    async fn look_at_other_pages(
        &self,
        subject: &AskedOperation<'_>,
        (list, view): (OperationId, &(OperationId, Option<RequestHead>)),
        is_found: &impl Fn() -> bool,
    ) {
        // Returns whether the page has items.
        let look = async |page: u64| {
            if Some(page) == subject.page.get() {
                return true;
            }
            let has_items = self.look_at(view, Some(page)).await;
            if is_found() {
                subject.page.set(Some(page));
            }
            has_items
        };
        let last = self.gaps().last_page(list).unwrap_or(1).min(self.settings.max_pages);
        let mut end = last;
        while end > 1 && !is_found() && !look(end).await {
            end = end.div_ceil(2);
        }
        for page in end + 1..=last.min(2 * end) {
            if is_found() || !look(page).await {
                break;
            }
        }
        for page in (1..end.max(2)).rev() {
            if is_found() {
                return;
            }
            look(page).await;
        }
    }

    /// Sends the read that shows the record, of this page if it is a list with pages. Returns whether it shows any
    /// items.
    async fn look_at(&self, (read, of_record): &(OperationId, Option<RequestHead>), page: Option<u64>) -> bool {
        let Some(mut head) = of_record.clone().or_else(|| self.request_head_if_any(*read)) else {
            return false;
        };
        let documented = self.contract.operation(*read);
        if let Some((page, invariant)) = page.zip(documented.page.as_ref()) {
            head.add_query(&invariant.parameter, &page.to_string());
        }
        let credential = request::credential(&documented.security);
        self.expect_requests(1);
        self.send_trial_part(head.request((*read, documented), credential), TrialPart::Read)
            .await;
        self.gaps().last_read_has_items()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends so many trials of a question, each after as many other requests as these say, and then as few as it takes.
    fn positions(trials: u64, others: &[u64]) -> MetReplicas {
        let (mut met, mut sent) = (MetReplicas::default(), 0);
        for more in others.iter().copied().cycle().take(usize::try_from(trials).unwrap()) {
            sent += more;
            sent += (0..CYCLE).find(|more| met.may_be_at(sent + more, trials)).unwrap();
            met.positions.push(sent);
            sent += 1;
        }
        met
    }

    #[test]
    fn four_trials_meet_each_of_two_and_of_three_replicas_whatever_is_sent_between_them() {
        for between in 0..CYCLE * CYCLE * CYCLE {
            let others = [between % CYCLE, between / CYCLE % CYCLE, between / CYCLE / CYCLE];
            let met = positions(TRIALS_TO_INDICATE, &others);
            assert_eq!((met.unmet(2, None), met.unmet(3, None)), (0, 0), "{others:?}: {met:?}");
        }
    }

    #[test]
    fn two_trials_meet_two_replicas_and_two_of_three() {
        for between in 0..CYCLE {
            let met = positions(TRIALS_OF_A_BODY, &[between]);
            assert_eq!((met.unmet(2, None), met.unmet(3, None)), (0, 1), "{between}: {met:?}");
        }
    }

    #[test]
    fn a_trial_waits_only_where_those_after_it_could_not_meet_the_rest() {
        let mut met = MetReplicas::default();
        met.positions.extend([0, 6]);
        assert!(met.may_be_at(14, TRIALS_TO_INDICATE) && !met.may_be_at(12, TRIALS_TO_INDICATE));
        met.positions = vec![0, 1, 2];
        assert!((0..CYCLE).all(|position| met.may_be_at(position, TRIALS_TO_INDICATE)));
    }
}
