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
//! replicas differ, so extra reads are sent until each trial meets the next replica.

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
    Asks, BodyChange, Draft, MAX_RECORDS_TO_LEARN, MAX_TRIALS, Question, QuestionRequest, TRIALS_TO_INDICATE,
};

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
    /// The last request with each key.
    last_sent: RefCell<HashMap<ReplicaKey, LastSent>>,
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
    questions: Vec<(usize, &'run Question)>,
}

impl AskedOperation<'_> {
    /// How many times a pass asks each question: once for a write, twice for a read. A read has at most two questions,
    /// so with the control a full pass has five requests; five is a multiple of neither two nor three, so two passes
    /// reach each of two or three replicas without extra reads.
    fn times_in_pass(&self) -> u64 {
        if self.accepted.is_some() { 1 } else { 2 }
    }
}

/// What requests have in common that must meet one replica after the other: their question, by its index, and the
/// members that their body leaves out; or, with `None`, that they are controls.
type ReplicaKey = (Option<usize>, Vec<String>);

/// The last request with a key.
#[derive(Clone, Copy, Debug)]
struct LastSent {
    /// How many requests had been sent before it.
    sent_before: u64,
    /// How many requests it takes from one with the key to the next, modulo [`CYCLE`]; `None` until that is fixed.
    distance: Option<u64>,
}

impl LastSent {
    /// How many requests it takes, modulo [`CYCLE`], from this one to one that is sent now, after `sent` others.
    fn distance_to(self, sent: u64) -> u64 {
        sent.saturating_sub(self.sent_before) % CYCLE
    }

    /// Whether a request that is sent now, after `sent` others, meets the next replica.
    fn meets_next(self, sent: u64, any_distance: bool) -> bool {
        let distance = self.distance_to(sent);
        let found = self.distance.filter(|_| !any_distance);
        found.map_or(matches!(distance, 1 | 5), |found| found == distance)
    }

    /// How many other requests must be sent before one that meets the next replica.
    fn requests_missing(self, sent: u64, any_distance: bool) -> u64 {
        let missing = (0..CYCLE).find(|more| self.meets_next(sent + more, any_distance));
        missing.unwrap_or(0)
    }
}

/// The most trials that the searches of an operation have together.
const MAX_SEARCH_TRIALS: u64 = 80;
/// After this many creates of an operation in a row that decided nothing, its questions end: each may leave a record.
const MAX_FAILED_CREATES: u32 = 3;
/// After this many requests, two replicas that answer in turn are at the same point again, and so are three.
const CYCLE: u64 = 6;
/// A check may spend its maximum time divided by this on asking: each trial may wait for a late list, and the rest of
/// the check comes afterwards.
const ASKING_DIVISOR: u32 = 4;
/// Trials end after this many controls whose values the list did not show, because each costs a read of all pages of
/// the list.
const MAX_UNSEEN_CONTROLS: u64 = 2;

impl Session<'_> {
    /// Asks every question about an operation until enough trials decide it.
    pub(super) async fn ask(&self, operation: OperationId) {
        let Some(subject) = self.subject(operation).await else {
            return;
        };
        if !self.is_asking_over() && self.control(&subject).await && self.ask_in_passes(&subject).await {
            // Some gaps are answered by ordinary responses, and need as many of these as a question needs trials.
            while subject.controls.get() < TRIALS_TO_INDICATE && !self.is_asking_over() {
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

    /// Whether the time that a check may spend on asking is used up; a run that learns has no such limit.
    fn is_asking_over(&self) -> bool {
        let began = *self.asking_since.get_or_init(Instant::now);
        !self.plan.learns && began.elapsed() > self.settings.max_time / ASKING_DIVISOR
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
            // Single questions come before groups: whether an update keeps a field that it does not send shows only
            // right after a control, and a group changes several fields at once.
            for time in 0..subject.times_in_pass() {
                let is_open =
                    |index: usize| !self.gaps().is_decided(index) && !self.is_in_group(subject, &groups, index);
                let open = alone.iter().copied().filter(|(index, _)| is_open(*index)).collect();
                let number = pass * subject.times_in_pass() + time;
                asked |= self.ask_each(subject, open, number).await;
            }
            for (index, question) in &groups {
                let together = self.gaps().asked_together(*index);
                if together.len() < 2 || subject.split_groups.borrow().contains(index) {
                    continue;
                }
                let sent = self.ask_in_pass(subject, (*index, question), pass).await;
                if !sent {
                    subject.split_groups.borrow_mut().insert(*index);
                }
                asked |= sent;
                if !sent || self.gaps().was_decided_by_response_since_control(*index) {
                    let each = alone.iter().copied();
                    let each = each.filter(|(index, _)| together.contains(index)).collect();
                    asked |= self.ask_each(subject, each, pass).await;
                }
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

    /// Asks each of these questions once in this pass, in an order that takes few extra reads to meet the next replica.
    /// Returns whether one was asked.
    async fn ask_each(
        &self,
        subject: &AskedOperation<'_>,
        mut open: Vec<(usize, &Question)>,
        times_asked: u64,
    ) -> bool {
        let mut asked = false;
        while !open.is_empty() {
            let next = open.remove(self.nearest(subject, &open));
            asked |= self.ask_in_pass(subject, next, times_asked).await;
        }
        asked
    }

    /// Returns the position of the question that takes the fewest extra reads; of several, one that was asked before,
    /// because any time suits the others. What an update keeps shows only right after a control, so that is asked
    /// first.
    fn nearest(&self, subject: &AskedOperation<'_>, open: &[(usize, &Question)]) -> usize {
        if subject.accepted.is_none() {
            return 0;
        }
        let (sent, last_sent) = (self.sender.tally().sent, subject.last_sent.borrow());
        let missing = |(index, question): &(usize, &Question)| {
            let last = last_sent.get(&(Some(*index), Vec::new()));
            let is_early = matches!(question.asks, Asks::UpdateOfOneField { .. });
            let missing = last.map(|last| last.requests_missing(sent, question.builds_on_trials()));
            (!is_early, missing.unwrap_or(0), missing.is_none())
        };
        let nearest = open.iter().enumerate().min_by_key(|(_, question)| missing(question));
        nearest.map_or(0, |(position, _)| position)
    }

    /// Asks a question once in this pass, unless the time for that is over.
    async fn ask_in_pass(&self, subject: &AskedOperation<'_>, question: (usize, &Question), times_asked: u64) -> bool {
        !self.is_asking_over()
            && self
                .ask_once(subject, question, (times_asked, BodyChange::OnlyValues))
                .await
    }

    /// Whether one of these groups asks this question.
    fn is_in_group(&self, subject: &AskedOperation<'_>, groups: &[(usize, &Question)], question: usize) -> bool {
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
            if self.is_asking_over() || (creates && !self.may_create_to_learn()) {
                return;
            }
            let mut questions = subject.questions.iter();
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
            last_sent: RefCell::default(),
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
        if subject.unseen_controls.get() >= MAX_UNSEEN_CONTROLS || self.is_asking_over() {
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
        // The last controls of a read come right after each other, so either distance will do.
        self.meet_next_replica(subject, (None, Vec::new()), subject.accepted.is_none())
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
        (index, question): (usize, &Question),
        (times_asked, change): (u64, BodyChange),
    ) -> bool {
        let Some(mut request) = self.plain_request(subject) else {
            return false;
        };
        let left_out = match &change {
            BodyChange::Without(members) => members.clone(),
            BodyChange::Long(_) | BodyChange::OnlyValues | BodyChange::Repeat(_) => Vec::new(),
        };
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
            self.meet_next_replica(subject, (Some(index), left_out), question.builds_on_trials())
                .await;
        }
        self.expect_requests(1);
        let creates = self.contract.operation(subject.operation).creates();
        let created = request.body.as_ref().filter(|_| creates).cloned();
        let exchange = self.send_trial_part(request, TrialPart::Variant(index)).await;
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

    /// Sends reads until the next request will meet a different replica from the last request with this key, if two or
    /// three replicas answer in turn. 1 or 5 requests (modulo [`CYCLE`]) after the last one with this key, a different
    /// replica is met, whether there are two or three. The first distance of a key is used from then on, so that the
    /// replicas are met in order; with `any_distance`, either distance is used.
    async fn meet_next_replica(&self, subject: &AskedOperation<'_>, of: ReplicaKey, any_distance: bool) {
        let last = subject.last_sent.borrow().get(&of).copied();
        if let Some(last) = last {
            for _ in 0..last.requests_missing(self.sender.tally().sent, any_distance) {
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
        }
        let sent = self.sender.tally().sent;
        let found = last.and_then(|last| last.distance.or(Some(last.distance_to(sent))));
        let distance = found.filter(|distance| !any_distance && matches!(distance, 1 | 5));
        let sent = LastSent {
            sent_before: sent,
            distance,
        };
        subject.last_sent.borrow_mut().insert(of, sent);
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
