//! Collects what exchanges show about gaps. The main type is [`Gaps`].

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use http::header::{HeaderValue, WWW_AUTHENTICATE};
use serde_json::Value;

use super::answer::{
    Announcement, Answer, AnswerState, BodyForm, Claim, Condition, DateFormat, ListOrder, ObservationCounts,
    WhyUnanswered,
};
use super::effects::Effects;
use super::form::{self, SeenDate};
use super::join::sort_by_subject;
use super::listing::ListingDelays;
use super::locations::{GapLocation, GapLocations, LocationId};
use super::rate::Rate;
use super::tally::ClaimTally;
use super::trial::{Trial, joined};
use super::trials::{ObservedClaim, RunTrials};
use crate::contract::fact::FactKind;
use crate::contract::operation::OperationId;
use crate::contract::shape::ShapeId;
use crate::contract::vocabulary::{EdgeCaseKind, GapKind};
use crate::contract::{Contract, is_json, pointer};
use crate::exchange::json::{self, Body};
use crate::exchange::redact::render_media_type;
use crate::exchange::{Credential, Exchange, Intent, Purpose, RejectionMeaning, Request, Response, TrialPart};
use crate::plan::{Asks, BodyChange, Question, text_fields_with_open_side_effect};

/// The most fields of a body that a claim names.
const MAX_NAMES: usize = 64;
/// The largest number that counts as a page size: a larger one may mean something else.
pub(super) const LARGEST_PAGE: u64 = 100_000;
/// Many services compress only bodies of some length, such as one or two kibibytes: a shorter one that is not
/// compressed says nothing about others.
const MIN_COMPRESSED: usize = 2048;
/// The fewest pairs of neighbours with different times from which an order by time is claimed. A pair that several
/// responses show is one.
const MIN_PAIRS: usize = 4;

/// Collects what exchanges show about the gaps of a contract.
#[derive(Debug)]
pub struct Gaps<'contract> {
    contract: &'contract Contract,
    locations: GapLocations,
    tallies: Vec<ClaimTally>,
    conditions: BTreeMap<(LocationId, Condition), ClaimTally>,
    /// The first different pairs of neighbours on pages that differ in time, each as its two times, by the location of
    /// the gap about their list's order; no more than are needed.
    pairs: BTreeMap<LocationId, BTreeSet<(i64, i64)>>,
    calls: BTreeMap<OperationId, CallCounts>,
    /// When lists show what was created.
    listing_delays: ListingDelays,
    /// What else fields of creates cause.
    effects: Effects,
    /// How many requests in a second got a response; `None` if the contract does not leave that open.
    rate: Option<Rate>,
    /// What was asked; nothing unless the run asks.
    trials: RunTrials,
    /// Whether the run may write, whatever it then sends.
    may_write: bool,
}

/// How the documented calls of an operation ended.
#[derive(Clone, Copy, Debug, Default)]
struct CallCounts {
    succeeded: u64,
    rejected: u64,
    void: u64,
}

/// An exchange with a response that shows something.
#[derive(Clone, Copy)]
struct ObservedExchange<'exchange> {
    operation: OperationId,
    exchange: &'exchange Exchange,
    request: &'exchange Request,
    response: &'exchange Response,
    intent: Intent,
    body: Option<&'exchange Body>,
}

impl ObservedExchange<'_> {
    fn is_of_other_client(&self) -> bool {
        self.intent.is_of_other_client()
    }
}

impl<'contract> Gaps<'contract> {
    /// Starts with nothing seen.
    #[must_use]
    pub fn new(contract: &'contract Contract) -> Self {
        let mut of_rates = contract.gaps.iter().filter(|gap| gap.kind == Some(GapKind::RateLimits));
        let rate = of_rates.any(|gap| !gap.locations.is_empty()).then(Rate::default);
        let mut locations = GapLocations::of(contract);
        let effects = Effects::of(contract, |gap, create, location| {
            locations.of_create(gap, create, location)
        });
        Self {
            rate,
            effects,
            ..Self::with_locations(contract, locations)
        }
    }

    /// Returns a collector that ignores exchanges.
    #[must_use]
    pub(crate) fn ignoring(contract: &'contract Contract) -> Self {
        Self::with_locations(contract, GapLocations::default())
    }

    fn with_locations(contract: &'contract Contract, locations: GapLocations) -> Self {
        Self {
            contract,
            tallies: vec![ClaimTally::default(); locations.all.len()],
            locations,
            conditions: BTreeMap::new(),
            pairs: BTreeMap::new(),
            calls: BTreeMap::new(),
            listing_delays: ListingDelays::default(),
            effects: Effects::default(),
            rate: None,
            trials: RunTrials::default(),
            may_write: false,
        }
    }

    /// Starts with nothing seen, for a run that asks these questions.
    #[must_use]
    pub fn asking(contract: &'contract Contract, questions: &[Question]) -> Self {
        let mut gaps = Self::new(contract);
        gaps.trials = RunTrials::of(questions.to_vec());
        for question in &gaps.trials.questions {
            gaps.locations.of_question(question);
        }
        gaps.tallies = vec![ClaimTally::default(); gaps.locations.all.len()];
        gaps
    }

    /// Returns whether the trials of a question, by its index, decide it or disagree.
    #[must_use]
    pub(crate) fn is_decided(&self, question: usize) -> bool {
        self.trials.is_decided(question)
    }

    /// Returns whether a read has yet to show what the last request of a trial did.
    #[must_use]
    pub(crate) fn awaits_effect(&self) -> bool {
        self.trials.awaits_effect()
    }

    /// Returns whether a read has shown the record that is awaited, though not everything that was sent.
    #[must_use]
    pub(crate) fn has_found_record(&self) -> bool {
        self.trials.has_found_record()
    }

    /// Whether a question needs further trials.
    #[must_use]
    pub(crate) fn is_open(&self, question: usize) -> bool {
        self.trials.is_open(question)
    }

    /// Notes that a question is not asked any more, because the run has sent as many requests as it may.
    pub(crate) fn note_limit_of_requests(&mut self, question: usize) {
        self.trials.note_limit_of_requests(question);
    }

    /// Notes that the run has sent too many requests to look for what else this create causes.
    pub(crate) fn note_unread_effects(&mut self, create: OperationId) {
        for (gap, location, _) in text_fields_with_open_side_effect(self.contract, create) {
            self.trials.note_cut_short((gap, create, location));
        }
    }

    /// Returns how many trials of a question are not void; `None` if its trials build on those before them.
    #[must_use]
    pub(crate) fn results_shown(&self, question: usize) -> Option<u64> {
        self.trials.results_shown(question)
    }

    /// Returns the questions that a request may ask together now.
    #[must_use]
    pub(crate) fn asked_together(&self, question: usize) -> Vec<usize> {
        self.trials.asked_together(question)
    }

    /// Returns whether, since the last control, the response alone decided a request that asks this question: of a
    /// group, whether it was rejected.
    #[must_use]
    pub(crate) fn was_decided_by_response_since_control(&self, question: usize) -> bool {
        self.trials.was_decided_by_response_since_control(question)
    }

    /// Returns what the next trial of a question, by its index, sends, if its trials build on those before them and it
    /// needs another one.
    #[must_use]
    pub(crate) fn next(&self, question: usize) -> Option<BodyChange> {
        self.trials.next(question)
    }

    /// Notes that the trial of a question, by its index, which has this body is not sent.
    pub(crate) fn note_unsendable(&mut self, question: usize, body: &Value) {
        self.trials.note_unsendable(question, body);
    }

    /// Returns whether an operation must still accept a request: because a trial was rejected since it last did, which
    /// does not count yet, or because its record may still have a long text.
    #[must_use]
    pub(crate) fn awaits_acceptance(&self, operation: OperationId) -> bool {
        self.trials.awaits_acceptance(operation)
    }

    /// Returns whether the last read of a trial showed any items, if it was of a list with pages.
    #[must_use]
    pub(crate) fn last_read_has_items(&self) -> bool {
        self.trials.last_read_has_items()
    }

    /// Returns the number of the last page of a list, as its last response in a trial says.
    #[must_use]
    pub(crate) fn last_page(&self, list: OperationId) -> Option<u64> {
        self.trials.last_page(list)
    }

    /// Adds an exchange. `body` is the body as it was read for the rules, where it was.
    pub fn add(&mut self, exchange: &Exchange, intent: Intent, body: Option<&Body>) {
        self.count_rate(exchange, intent);
        if self.locations.all.is_empty() {
            return;
        }
        let id = exchange.request.operation;
        self.effects
            .note_write(self.contract, exchange, body.map(|body| &body.value));
        let is_void = |response: &&Response| intent.is_superseded || response.is_throttled() || response.status >= 500;
        let decisive = exchange.response().filter(|response| !is_void(response));
        if let Purpose::Trial(part) = intent.purpose
            && !intent.is_superseded
        {
            let shown = (exchange, part, decisive.is_some());
            self.trials.add(self.contract, shown, body);
        }
        let Some(response) = decisive else {
            return self.count_void(&exchange.request, intent);
        };
        if let Some(body) = body
            && !intent.is_of_other_client()
            && self.contract.operation(id).succeeds_with(response.status)
        {
            self.listing_delays.add_page(self.contract, exchange, body);
            self.effects.add_page(self.contract, exchange, &body.value);
            if self.is_watched(intent) {
                self.effects.add_created(self.contract, exchange, &body.value);
            }
        }
        let shown = ObservedExchange {
            operation: id,
            exchange,
            request: &exchange.request,
            response,
            intent,
            body,
        };
        let is_as_documented = match intent.purpose {
            Purpose::Trial(TrialPart::Variant(question)) => self.trials.is_documented(self.contract, question),
            _ => intent.is_documented() || is_control(intent),
        };
        if is_as_documented && self.contract.operation(id).succeeds_with(response.status) {
            if intent.is_documented() && self.contract.operation(id).creates() {
                self.trials
                    .note_accepted(self.contract, exchange, body.map(|body| &body.value));
            }
            self.count_success(shown);
        } else if self.counts_as_whole_response(intent, id)
            && self.contract.operation(id).succeeds_with(response.status)
        {
            self.count_whole_response(&shown);
        } else if (400..500).contains(&response.status) {
            self.count_rejection(shown);
        }
    }

    /// Whether a success of a request that is not an ordinary one still counts for gaps about whole responses, such as
    /// the status or the page size. The variant of a read does not: it asks for a page beyond the last, or has no
    /// credential.
    fn counts_as_whole_response(&self, intent: Intent, operation: OperationId) -> bool {
        match intent.purpose {
            Purpose::Trial(TrialPart::Variant(_)) => !self.contract.operation(operation).is_read(),
            Purpose::EquivalentRequest | Purpose::ResidueLook | Purpose::Trial(_) => true,
            Purpose::Documented(_) | Purpose::EdgeCase(_) | Purpose::MustBeRejected { .. } => false,
        }
    }

    /// Whether the effects of a create are looked for: it was sent as documented, with or without its optional fields.
    fn is_watched(&self, intent: Intent) -> bool {
        intent.is_documented() || matches!(self.asks(intent), Some(Asks::Duplicate | Asks::Required { .. }))
    }

    /// Counts an exchange that decides nothing.
    fn count_void(&mut self, request: &Request, intent: Intent) {
        let id = request.operation;
        if intent.is_documented() {
            self.calls.entry(id).or_default().void += 1;
        } else if let Some(condition) = condition(request, intent, None) {
            for location in self.locations.of_response(id, None) {
                if self.locations.all[location].kind == GapKind::ErrorConditions {
                    self.conditions.entry((location, condition)).or_default().void += 1;
                }
            }
        }
    }

    /// Counts a request that got a response or was rate-limited. A request of the run without its token, where one is
    /// required, does not count: it may be limited for that.
    fn count_rate(&mut self, exchange: &Exchange, intent: Intent) {
        let (Some(rate), Some(response)) = (&mut self.rate, exchange.response()) else {
            return;
        };
        let is_public = self
            .contract
            .operation(exchange.request.operation)
            .security
            .scheme()
            .is_none();
        let of_other = intent.is_of_other_client();
        if !is_public && !of_other && !matches!(exchange.request.credential, Credential::Token { .. }) {
            return;
        }
        match response.status {
            429 => rate.add_limited(),
            // Each of several clients may have a limit of its own.
            status if status < 500 && !of_other => {
                rate.add_response(
                    exchange.sent_after,
                    exchange.sent_after.saturating_add(response.elapsed),
                );
            }
            _ => {}
        }
    }

    fn count_success(&mut self, shown: ObservedExchange<'_>) {
        self.calls.entry(shown.operation).or_default().succeeded += 1;
        self.count_whole_response(&shown);
        if let Some(body) = shown.body
            && shown.intent.is_documented()
            && !shown.is_of_other_client()
        {
            for id in self.response_locations(&shown) {
                if self.locations.all[id].kind == GapKind::VisibilityDelay {
                    self.listing_delays
                        .add_created(self.contract, id, (shown.exchange, &body.value));
                }
            }
        }
        let documented = self.contract.operation(shown.operation);
        let shape = documented
            .response_with_body(shown.response.status)
            .and_then(|response| response.body);
        if let (Some(shape), Some(body)) = (shape, shown.body) {
            self.count_value(shape, &body.value);
        }
    }

    /// Adds what a success shows as a whole.
    fn count_whole_response(&mut self, shown: &ObservedExchange<'_>) {
        for id in self.response_locations(shown) {
            match self.locations.all[id].kind {
                GapKind::Compression => self.count_compression(id, shown),
                GapKind::Deprecation => self.count_announcement(id, shown),
                GapKind::Latency => self.count_latency(id, shown),
                GapKind::ListOrder => self.count_list_order(id, shown),
                GapKind::PageSize => self.count_page_size(id, shown),
                GapKind::SuccessStatus => {
                    let status = shown.response.status;
                    self.count(id, Claim::Status { status }, shown);
                }
                GapKind::UpdateResponseBody => self.count_response_body(id, shown),
                _ => {}
            }
        }
    }

    fn count_rejection(&mut self, shown: ObservedExchange<'_>) {
        // Another client's request may have been rejected by something in front of the service.
        if shown.intent.is_of_other_client() {
            self.calls.entry(shown.operation).or_default().rejected += 1;
            return;
        }
        if shown.intent.is_documented() {
            self.calls.entry(shown.operation).or_default().rejected += 1;
        }
        let status = shown.response.status;
        let has_credential = shown.request.credential != Credential::None;
        let reaches = reaches_operation(shown.intent.purpose, has_credential, status);
        for id in self.response_locations(&shown) {
            match self.locations.all[id].kind {
                GapKind::Challenge if status == 401 => self.tallies[id].count(Claim::HeaderSent {
                    sent: shown.response.headers.contains_key(WWW_AUTHENTICATE),
                }),
                GapKind::ErrorBody if reaches => self.count_error_body(id, &shown),
                GapKind::ErrorConditions => {
                    if let Some(condition) = self.condition(&shown, status) {
                        let tally = self.conditions.entry((id, condition)).or_default();
                        tally.count(Claim::Condition { condition, status });
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the reason for which a request was rejected. A body that lacks what is required is as invalid as any.
    fn condition(&self, shown: &ObservedExchange<'_>, status: u16) -> Option<Condition> {
        match self.asks(shown.intent) {
            Some(Asks::Required { .. }) => {
                RejectionMeaning::rejects_as_invalid(status).then_some(Condition::InvalidBody)
            }
            _ => condition(shown.request, shown.intent, Some(status)),
        }
    }

    /// Returns what a request asks, if it asks something.
    fn asks(&self, intent: Intent) -> Option<&Asks> {
        let Purpose::Trial(TrialPart::Variant(question)) = intent.purpose else {
            return None;
        };
        self.trials.questions.get(question).map(|question| &question.asks)
    }

    /// Counts what a whole response shows. A control counts as a trial of it, because a run that asks sends controls on
    /// purpose.
    fn count(&mut self, id: LocationId, claim: Claim, shown: &ObservedExchange<'_>) {
        if is_control(shown.intent) {
            self.tallies[id].count_trials(claim, 1);
        } else {
            self.tallies[id].count(claim);
        }
    }

    /// Returns the locations that a response shows as a whole.
    fn response_locations(&self, shown: &ObservedExchange<'_>) -> Vec<LocationId> {
        let documented = self.contract.operation(shown.operation).response(shown.response.status);
        self.locations.of_response(
            shown.operation,
            documented.map(|documented| documented.pointer.as_str()),
        )
    }

    fn count_compression(&mut self, id: LocationId, shown: &ObservedExchange<'_>) {
        // Whether another client accepts a coding is not known here, and an empty body has none.
        if shown.intent.is_of_other_client() || shown.response.body.is_empty() {
            return;
        }
        let sent = shown.response.was_compressed;
        if sent || shown.response.body.len() >= MIN_COMPRESSED {
            self.count(id, Claim::HeaderSent { sent }, shown);
        } else {
            self.tallies[id].was_asked = true;
        }
    }

    fn count_announcement(&mut self, id: LocationId, shown: &ObservedExchange<'_>) {
        let says_so = |name: &str| {
            let value = shown.response.headers.get(name).map(HeaderValue::as_bytes);
            // Early drafts of RFC 9745 have `true` and `false` in place of a date.
            value.is_some_and(|value| !value.is_empty() && !value.eq_ignore_ascii_case(b"false") && value != b"?0")
        };
        let headers = [
            ("deprecation", Announcement::Deprecation),
            ("sunset", Announcement::Sunset),
        ];
        let announced = headers.into_iter().filter(|(name, _)| says_so(name));
        let announced: Vec<_> = announced.map(|(_, announced)| announced).collect();
        // The absence of such a header promises nothing.
        if !announced.is_empty() {
            self.tallies[id].count(Claim::HeaderAnnouncements { announced });
        }
    }

    fn count_latency(&mut self, id: LocationId, shown: &ObservedExchange<'_>) {
        let elapsed = shown.response.elapsed;
        // Recorded traffic may lack it.
        if !(shown.is_of_other_client() && elapsed.is_zero()) {
            self.tallies[id].count(Claim::duration(elapsed, elapsed));
        }
    }

    fn count_page_size(&mut self, id: LocationId, shown: &ObservedExchange<'_>) {
        let page = self.contract.operation(shown.operation).page.as_ref();
        let (Some(page), Some(body)) = (page, shown.body) else {
            return;
        };
        // Another parameter may ask for another size.
        let query = shown.request.path.split_once('?').map_or("", |(_, query)| query);
        let mut pairs = query.split('&').filter(|pair| !pair.is_empty());
        if pairs.any(|pair| pair.split('=').next() != Some(page.parameter.as_str())) {
            return;
        }
        let per_page = pointer::get(&body.value, &page.per_page).and_then(Value::as_u64);
        let Some(per_page) = per_page.filter(|per_page| (1..=LARGEST_PAGE).contains(per_page)) else {
            return;
        };
        let items = pointer::get(&body.value, &page.items).and_then(Value::as_array);
        let fits = items.is_some_and(|items| u64::try_from(items.len()).is_ok_and(|items| items <= per_page));
        if fits {
            self.count(id, Claim::PageSize { per_page }, shown);
        } else {
            self.tallies[id].count_against(1);
        }
    }

    /// Compares the times at which neighbours on a page were created.
    fn count_list_order(&mut self, id: LocationId, shown: &ObservedExchange<'_>) {
        let page = self.contract.operation(shown.operation).page.as_ref();
        let created = self.locations.creation_time_field.get(&shown.operation);
        let (Some(page), Some(created), Some(body)) = (page, created, shown.body) else {
            return;
        };
        let items = pointer::get(&body.value, &page.items).and_then(Value::as_array);
        let times = items
            .into_iter()
            .flatten()
            .map(|item| item.get(created).and_then(form::instant));
        let times: Vec<_> = times.collect();
        let neighbours = times.windows(2).filter_map(|two| Some((two[0]?, two[1]?)));
        let pairs: BTreeSet<_> = neighbours.filter(|(left, right)| left != right).collect();
        let is_earlier_first = |(left, right): &(i64, i64)| left < right;
        let order = match (pairs.iter().any(is_earlier_first), pairs.iter().all(is_earlier_first)) {
            _ if pairs.is_empty() => {
                self.tallies[id].had_value |= times.len() > 1;
                return;
            }
            (_, true) => ListOrder::OldestFirst,
            (false, _) => ListOrder::NewestFirst,
            _ => ListOrder::Other,
        };
        let known = self.pairs.entry(id).or_default();
        for pair in pairs {
            if known.len() < MIN_PAIRS {
                known.insert(pair);
            }
        }
        self.tallies[id].count(Claim::Order { order });
    }

    fn count_response_body(&mut self, id: LocationId, shown: &ObservedExchange<'_>) {
        if !shown.response.is_body_known {
            return;
        }
        let claim = match self.read(shown).as_deref() {
            None if shown.response.body.is_empty() => Some((BodyForm::None, None)),
            Some(Value::Object(fields)) => self.names(fields.keys()).map(|names| (BodyForm::Object, Some(names))),
            Some(Value::Array(_)) => Some((BodyForm::Array, None)),
            None | Some(_) => Some((BodyForm::Other, None)),
        };
        match claim {
            Some((body, properties)) => self.count(id, Claim::Body { body, properties }, shown),
            None => self.tallies[id].count_against(1),
        }
    }

    fn count_error_body(&mut self, id: LocationId, shown: &ObservedExchange<'_>) {
        if !shown.response.is_body_known {
            return;
        }
        if shown.response.body.is_empty() {
            return self.tallies[id].count(Claim::Body {
                body: BodyForm::None,
                properties: None,
            });
        }
        let media_type = shown.response.media_type();
        let media_type = media_type.map_or_else(|| "none".to_owned(), |media_type| render_media_type(&media_type));
        let properties = match self.read(shown).as_deref() {
            Some(Value::Object(fields)) => match self.names(fields.keys()) {
                Some(names) => Some(names),
                None => return self.tallies[id].count_against(1),
            },
            _ => None,
        };
        self.tallies[id].count(Claim::Error { media_type, properties });
    }

    /// Returns the body, read as JSON: as it was read for the rules, or here where they had no use for it.
    fn read<'shown>(&self, shown: &ObservedExchange<'shown>) -> Option<Cow<'shown, Value>> {
        if let Some(body) = shown.body {
            return Some(Cow::Borrowed(&body.value));
        }
        let documented = self.contract.operation(shown.operation);
        let was_read = documented.response_with_body(shown.response.status).is_some();
        let typed = shown
            .response
            .media_type()
            .is_some_and(|media_type| is_json(&media_type));
        let body = (typed && !was_read)
            .then(|| json::read(&shown.response.body).ok())
            .flatten();
        body.map(|body| Cow::Owned(body.value))
    }

    /// Returns the names of fields as they may be printed, in order; `None` where there are too many.
    fn names<'name>(&self, names: impl Iterator<Item = &'name String>) -> Option<Vec<String>> {
        let names = names.take(MAX_NAMES + 1);
        let mut rendered: Vec<_> = names.map(|name| self.contract.render_possible_map_key(name)).collect();
        rendered.sort_unstable();
        (rendered.len() <= MAX_NAMES).then_some(rendered)
    }

    /// Adds what a value and everything in it show.
    fn count_value(&mut self, shape: ShapeId, value: &Value) {
        if !self.locations.is_relevant(shape) {
            return;
        }
        self.observe(shape, value);
        let contract = self.contract;
        let shape = contract.shape(shape);
        match value {
            Value::Array(elements) => {
                if let Some(items) = shape.items {
                    elements.iter().for_each(|element| self.count_value(items, element));
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    let documented = shape.field_named(name).map(|index| shape.fields[index].shape);
                    if let Some(inner) = documented.or(shape.additional) {
                        self.count_value(inner, member);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds what a single value shows.
    fn observe(&mut self, shape: ShapeId, value: &Value) {
        for id in self.locations.of_value(shape) {
            let tally = &mut self.tallies[*id];
            match self.locations.all[*id].kind {
                GapKind::DateFormat => match form::of_date(value) {
                    Some(SeenDate::In(in_responses)) => tally.count(Claim::Dates {
                        accepted: Vec::new(),
                        in_responses,
                    }),
                    Some(SeenDate::Unknown) => tally.count_against(1),
                    None => tally.had_value |= has_text(value),
                },
                kind @ (GapKind::IdentifierForm | GapKind::TimestampForm) => {
                    let form = match kind {
                        GapKind::IdentifierForm => form::of_identifier(value),
                        _ => form::of_timestamp(value),
                    };
                    match form {
                        Some(form) => tally.count(Claim::Form { form }),
                        None => tally.had_value |= has_text(value),
                    }
                }
                GapKind::MemberTypes => {
                    for member in value.as_object().into_iter().flat_map(|members| members.values()) {
                        let types = vec![form::of_member(member)];
                        tally.count(Claim::Types { types });
                    }
                }
                GapKind::NullValues if value.is_null() => tally.count(Claim::MayBeNull { null: true }),
                _ => {}
            }
        }
    }

    /// Notes whether the run may write.
    #[must_use]
    pub(crate) fn writing(self, may_write: bool) -> Self {
        Self { may_write, ..self }
    }

    /// Returns the trials that have ended so far, in the order in which they ended.
    pub(crate) fn ended_trials(&self) -> &[Trial] {
        &self.trials.log.trials
    }

    /// Ends the trials that are still open, and removes and returns all.
    pub fn take_trials(&mut self) -> Vec<Trial> {
        self.trials.end_open(self.contract);
        joined(std::mem::take(&mut self.trials.log.trials).into_iter())
    }

    /// Returns what is known about each gap, sorted by gap, operation and location.
    #[must_use]
    pub fn answers(self) -> Vec<Answer> {
        let contract = self.contract;
        let mut answers = self.answers_of_one_version();
        if answers.iter().any(|answer| shows_two_versions(contract, answer)) {
            let few = answers.iter_mut().filter(|answer| {
                answer.state == AnswerState::Indicated && answer.observations.supporting < MIN_OF_TWO_VERSIONS
            });
            few.for_each(|answer| answer.state = AnswerState::Seen);
        }
        answers
    }

    /// Returns what is known if every response is of the same version of the service.
    fn answers_of_one_version(mut self) -> Vec<Answer> {
        self.count_trials();
        for (id, claim, count, still_absent) in self.listing_delays.observed() {
            self.tallies[id].count_several(claim, count);
            self.tallies[id].count_against(still_absent);
        }
        for (id, claim) in self.effects.observed(self.contract) {
            match claim {
                Some(claim) => self.tallies[id].count(claim),
                None => self.tallies[id].count_against(1),
            }
        }
        let mut answers = Vec::new();
        let is_idle = self.locations.all.is_empty();
        let gaps = self.contract.gaps.iter().enumerate();
        for (index, gap) in gaps.filter(|(_, gap)| !(is_idle && gap.is_inferred)) {
            let locations = self.locations.all.iter().enumerate();
            let locations = locations.filter(|(_, location)| location.gap == index);
            let before = answers.len();
            locations.for_each(|(id, location)| self.at_location((id, location), &mut answers));
            if gap.kind == Some(GapKind::RateLimits) {
                answers.extend(self.rate_limits(&gap.id));
            }
            if answers.len() == before {
                let reason = gap
                    .kind
                    .map_or(WhyUnanswered::AskTheOperator, |kind| self.why_unanswered(kind));
                answers.push(unanswered((&gap.id, None, None), reason, ObservationCounts::default()));
            }
        }
        sort_by_subject(&mut answers);
        answers
    }

    /// Adds what the trials show to what the other exchanges show.
    fn count_trials(&mut self) {
        let trials = std::mem::take(&mut self.trials);
        for (question, observed, void) in trials.observed() {
            let id = self.locations.of_question(question);
            let tally = match question.asks {
                Asks::NoCredential => self.conditions.entry((id, Condition::NoCredential)).or_default(),
                _ => &mut self.tallies[id],
            };
            for ObservedClaim { claim, count, is_proof } in observed {
                match claim {
                    Some(claim) if is_proof => tally.count_trials(claim, count),
                    Some(claim) => tally.count_several(claim, count),
                    None => tally.count_against(count),
                }
            }
            tally.void = tally.void.saturating_add(void);
        }
        for id in 0..self.locations.all.len() {
            let location = &self.locations.all[id];
            let Some(operation) = location.operation else { continue };
            let at = (location.gap, operation, location.pointer.as_str());
            let tally = &mut self.tallies[id];
            tally.was_asked |= trials.was_asked(at);
            tally.has_question = trials.has_question(at);
            tally.is_cut_short = trials.is_cut_short(at);
            tally.fits_no_claim = trials.fitting_no_claim(at);
            let joint = match location.kind {
                GapKind::DateFormat => trials.accepted_dates(at).and_then(|joint| {
                    let accepted = joint.accepted;
                    // Text that is no date was accepted only because a response showed it as it was sent.
                    let in_responses = match accepted.contains(&DateFormat::Any) {
                        true => DateFormat::Any,
                        false => self.shown_date()?,
                    };
                    Some((Claim::Dates { accepted, in_responses }, joint.count, joint.is_proof))
                }),
                GapKind::ReferenceEntries => trials.accepted_entries(at).map(|joint| {
                    let entries = joint.accepted;
                    (Claim::Entries { entries }, joint.count, joint.is_proof)
                }),
                _ => None,
            };
            match joint {
                Some((claim, count, true)) => self.tallies[id].count_trials(claim, count),
                Some((claim, count, false)) => self.tallies[id].count_several(claim, count),
                None => {}
            }
        }
    }

    /// Returns the format in which responses show dates, if they all show the same.
    fn shown_date(&self) -> Option<DateFormat> {
        let locations = self.locations.all.iter().zip(&self.tallies);
        let of_dates = locations.filter(|(location, _)| location.kind == GapKind::DateFormat);
        let mut shown = of_dates.filter_map(|(_, tally)| {
            let conclusion = tally.conclude()?;
            match conclusion.claim {
                Claim::Dates { in_responses, .. } if conclusion.state != AnswerState::Unstable => {
                    Some(Some(in_responses))
                }
                _ => Some(None),
            }
        });
        let first = shown.next()??;
        shown.all(|other| other == Some(first)).then_some(first)
    }

    /// Appends the answers at a location.
    fn at_location(&self, (id, location): (LocationId, &GapLocation), answers: &mut Vec<Answer>) {
        let gap = &self.contract.gaps[location.gap].id;
        let operation = location.operation.map(|id| self.contract.operation(id).name.as_str());
        let at = (gap.as_str(), operation, Some(location.pointer.as_str()));
        let before = answers.len();
        if location.kind == GapKind::ErrorConditions {
            let conditions = self
                .conditions
                .range((id, Condition::InvalidBody)..=(id, Condition::WrongCredential));
            answers.extend(conditions.filter_map(|(_, tally)| answer(at, tally, 0)));
        } else if !self.has_too_few_pairs(id, location) {
            answers.extend(answer(at, &self.tallies[id], self.void_calls(location)));
        }
        // Never having seen null or a deprecation header there says nothing.
        let absence_says_nothing = matches!(location.kind, GapKind::Deprecation | GapKind::NullValues);
        if answers.len() == before && !absence_says_nothing {
            let counts = ObservationCounts {
                supporting: 0,
                against: self.tallies[id].fits_no_claim,
                void: self.void_calls(location).saturating_add(self.tallies[id].void),
            };
            answers.push(unanswered(at, self.why_not_seen(id, location), counts));
        }
    }

    /// Returns whether requests are limited: that is about all operations together.
    fn rate_limits(&self, gap: &str) -> Option<Answer> {
        let (claim, count) = self.rate.as_ref()?.observed()?;
        let mut tally = ClaimTally::default();
        tally.count_several(claim, count);
        answer((gap, None, None), &tally, 0)
    }

    /// Whether the items of a list are too few to tell its order from chance.
    fn has_too_few_pairs(&self, id: LocationId, location: &GapLocation) -> bool {
        let pairs = self.pairs.get(&id).map_or(0, BTreeSet::len);
        location.kind == GapKind::ListOrder && pairs < MIN_PAIRS && !self.tallies[id].shows_other_order()
    }

    fn calls_of(&self, location: &GapLocation) -> impl Iterator<Item = CallCounts> {
        location.operations.iter().filter_map(|id| self.calls.get(id).copied())
    }

    fn void_calls(&self, location: &GapLocation) -> u64 {
        self.calls_of(location).map(|calls| calls.void).sum()
    }

    /// Returns why nothing was seen at a location.
    fn why_not_seen(&self, id: LocationId, location: &GapLocation) -> WhyUnanswered {
        let of_rejections = matches!(
            location.kind,
            GapKind::Challenge | GapKind::ErrorBody | GapKind::ErrorConditions
        );
        let is_read = |id: &OperationId| self.contract.operation(*id).is_read();
        let tally = &self.tallies[id];
        if tally.is_cut_short {
            return WhyUnanswered::LimitOfRequests;
        }
        if !tally.is_empty() || tally.was_asked || tally.had_value {
            return WhyUnanswered::Inconclusive;
        }
        if self.calls_of(location).next().is_none() && !location.operations.iter().any(is_read) {
            return self.why_not_called();
        }
        let unknown_order = location.kind == GapKind::ListOrder
            && !location
                .operations
                .iter()
                .any(|id| self.locations.creation_time_field.contains_key(id));
        if of_rejections || unknown_order {
            return WhyUnanswered::NotObserved;
        }
        let has = |counts: fn(&CallCounts) -> u64| self.calls_of(location).any(|calls| counts(&calls) > 0);
        let creates = |id: OperationId| self.contract.operation(id).creates();
        match (has(|calls| calls.succeeded), is_answered_by_question(location)) {
            (true, false) => WhyUnanswered::NoValue,
            // Each question about a create leaves a record, and there was no room for one more.
            (true, true) if tally.has_question && location.operation.is_some_and(creates) => WhyUnanswered::NoValue,
            (true, true) if !tally.has_question => WhyUnanswered::NotObserved,
            // The update was accepted, but not with the field.
            _ if has(|calls| calls.rejected) => WhyUnanswered::Rejected,
            _ => WhyUnanswered::NotObserved,
        }
    }

    /// Returns why nothing is known about a gap that has no location.
    fn why_unanswered(&self, kind: GapKind) -> WhyUnanswered {
        if kind == GapKind::Deprecation {
            return WhyUnanswered::AskTheOperator;
        }
        if kind == GapKind::NullValues {
            let has = |counts: fn(&CallCounts) -> u64| self.calls.values().any(|calls| counts(calls) > 0);
            return match (has(|calls| calls.succeeded), has(|calls| calls.rejected)) {
                (true, _) => WhyUnanswered::NoValue,
                (false, true) => WhyUnanswered::Rejected,
                (false, false) => WhyUnanswered::NotObserved,
            };
        }
        match needs_writes(kind) {
            true => self.why_not_called(),
            false => WhyUnanswered::NotObserved,
        }
    }

    /// Returns why a write was not called: a run that writes may lack what it needs, such as a record of its own.
    fn why_not_called(&self) -> WhyUnanswered {
        let is_write = |id: &OperationId| !self.contract.operation(*id).is_read();
        match self.may_write || self.calls.keys().any(is_write) {
            true => WhyUnanswered::NotObserved,
            false => WhyUnanswered::NeedsWrites,
        }
    }
}

/// How many observations must agree before an answer is indicated, if the service answers in two versions: of one that
/// answers a tenth of the requests, four trials would most likely see nothing, and thirty see it in 95 % of all cases.
const MIN_OF_TWO_VERSIONS: u64 = 30;

/// Whether an answer shows that requests meet different versions of the service, such as a canary: a read, which
/// changes nothing, has different statuses, or its pages have different sizes.
fn shows_two_versions(contract: &Contract, answer: &Answer) -> bool {
    let kind = contract.gaps.iter().find(|gap| gap.id == answer.gap);
    let is_of_version = |kind: GapKind| matches!(kind, GapKind::PageSize | GapKind::SuccessStatus);
    let operation = answer.operation.as_ref();
    let operation = operation.and_then(|name| contract.operation_named(name));
    answer.state == AnswerState::Unstable
        && kind.and_then(|gap| gap.kind).is_some_and(is_of_version)
        && operation.is_some_and(|id| contract.operation(id).is_read())
}

/// Returns the answer that a tally gives; `None` where it gives none.
fn answer(
    (gap, operation, location): (&str, Option<&str>, Option<&str>),
    tally: &ClaimTally,
    void: u64,
) -> Option<Answer> {
    let conclusion = tally.conclude()?;
    Some(Answer {
        gap: gap.to_owned(),
        operation: operation.map(str::to_owned),
        location: location.map(str::to_owned),
        state: conclusion.state,
        claim: Some(conclusion.claim),
        observations: ObservationCounts {
            void: conclusion.observations.void.saturating_add(void),
            ..conclusion.observations
        },
        dissent: conclusion.dissent,
        reason: None,
    })
}

fn unanswered(
    (gap, operation, location): (&str, Option<&str>, Option<&str>),
    reason: WhyUnanswered,
    observations: ObservationCounts,
) -> Answer {
    Answer {
        gap: gap.to_owned(),
        operation: operation.map(str::to_owned),
        location: location.map(str::to_owned),
        state: AnswerState::CannotTell,
        claim: None,
        observations,
        dissent: Vec::new(),
        reason: Some(reason),
    }
}

/// Whether the request is a control of a trial, which is sent as documented.
fn is_control(intent: Intent) -> bool {
    intent.purpose == Purpose::Trial(TrialPart::Control)
}

/// Whether the request gets to the operation, so that a rejection with this status is the service's own. A trial
/// without a credential may not.
fn reaches_operation(purpose: Purpose, has_credential: bool, status: u16) -> bool {
    match purpose {
        Purpose::Documented(_) | Purpose::MustBeRejected { .. } => true,
        Purpose::EdgeCase(edge_case) => edge_case.kind.reaches_operation(),
        Purpose::Trial(_) => has_credential && RejectionMeaning::rejects_as_invalid_or_conflicting(status),
        Purpose::EquivalentRequest | Purpose::ResidueLook => false,
    }
}

/// Returns the reason for which a request is rejected with this status, if no other reason may explain it. Without a
/// status, the exchange is void: it was throttled, failed, or had no response.
fn condition(request: &Request, intent: Intent, status: Option<u16>) -> Option<Condition> {
    let is_rejection = status.is_some_and(RejectionMeaning::rejects_as_invalid_or_conflicting);
    match intent.purpose {
        // The request has a value that the target may not know, such as that of an example.
        Purpose::MustBeRejected {
            meaning_of_another_rejection: RejectionMeaning::UncertainValue,
            ..
        } if matches!(status, Some(404 | 410)) => None,
        // Something else in the request is left open by the document, and may be why its content is rejected.
        Purpose::MustBeRejected {
            meaning_of_another_rejection: RejectionMeaning::Gap,
            ..
        } if is_rejection => None,
        Purpose::MustBeRejected { fact, .. } => match fact {
            // An empty token is a credential, which a service may reject in another way.
            FactKind::RejectsNoCredential => {
                (request.credential == Credential::None).then_some(Condition::NoCredential)
            }
            FactKind::RejectsWrongToken => Some(Condition::WrongCredential),
            _ => None,
        },
        Purpose::EdgeCase(edge_case) if edge_case.kind.changes_field_type() => {
            (status.is_none() || is_rejection).then_some(Condition::InvalidBody)
        }
        Purpose::EdgeCase(edge_case) if edge_case.kind == EdgeCaseKind::IdentifierUnknown => {
            (!is_rejection).then_some(Condition::UnknownRecord)
        }
        _ => None,
    }
}

/// Whether a response has a text at a location.
fn has_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// Whether only a request that asks shows what a location is about, and not what a response has there.
fn is_answered_by_question(location: &GapLocation) -> bool {
    match location.kind {
        GapKind::DateFormat => location.operation.is_some(),
        GapKind::SideEffect | GapKind::UpdateResponseBody | GapKind::VisibilityDelay => false,
        kind => kind == GapKind::PageBeyondLast || needs_writes(kind),
    }
}

/// Whether only a write shows what this kind of gap is about.
fn needs_writes(kind: GapKind) -> bool {
    matches!(
        kind,
        GapKind::AllowedValues
            | GapKind::Duplicates
            | GapKind::FieldSizes
            | GapKind::ReferenceEntries
            | GapKind::RequiredFields
            | GapKind::SideEffect
            | GapKind::UnknownReferences
            | GapKind::UnknownRequestFields
            | GapKind::UpdateResponseBody
            | GapKind::UpdateSemantics
            | GapKind::ValueSpelling
            | GapKind::VisibilityDelay
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use serde_json::json;

    use super::*;

    /// What is known of the order of contacts after pages with these times.
    fn list_order(pages: &[&[u64]]) -> Answer {
        let contract = crate::testing::built_in();
        let mut gaps = Gaps::new(contract);
        let operation = contract.operation_named("getContacts").unwrap();
        for times in pages {
            let created = |day: &u64| json!({"created_at": format!("2026-03-{day:02}T12:00:00Z")});
            let items: Vec<_> = times.iter().map(created).collect();
            let body = Body {
                value: json!({"data": {"items": items}}),
                duplicates: Vec::new(),
            };
            let exchange = Exchange {
                number: 1,
                request: Request::unfilled(operation, contract.operation(operation)),
                sent_after: Duration::ZERO,
                outcome: Ok(Response {
                    status: 200,
                    headers: http::HeaderMap::new(),
                    body: Bytes::new(),
                    was_compressed: false,
                    is_body_known: true,
                    are_headers_known: true,
                    location: None,
                    elapsed: Duration::ZERO,
                }),
            };
            let documented = Purpose::Documented(RejectionMeaning::Finding);
            gaps.add(&exchange, Intent::from(documented), Some(&body));
        }
        let of_list =
            |answer: &Answer| answer.gap == "list-order" && answer.operation.as_deref() == Some("getContacts");
        gaps.answers().into_iter().find(of_list).unwrap()
    }

    fn order(pages: &[&[u64]]) -> Option<Claim> {
        list_order(pages).claim
    }

    #[test]
    fn an_order_is_inconclusive_where_items_have_the_same_time_and_unknown_where_there_is_one_item() {
        let reason = |pages: &[&[u64]]| list_order(pages).reason;
        assert_eq!(reason(&[&[2, 2, 2]]), Some(WhyUnanswered::Inconclusive));
        assert_eq!(reason(&[&[1, 2]]), Some(WhyUnanswered::Inconclusive));
        assert_eq!(reason(&[&[2]]), Some(WhyUnanswered::NoValue));
    }

    #[test]
    fn an_order_is_claimed_of_four_different_pairs_of_neighbours() {
        let oldest_first = Some(Claim::Order {
            order: ListOrder::OldestFirst,
        });
        assert_eq!(order(&[&[1, 2][..]; 40]), None);
        assert_eq!(order(&[&[1, 2, 2, 3, 4][..]; 40]), None);
        assert_eq!(order(&[&[1, 2, 3, 4, 5]]), oldest_first);
        assert_eq!(order(&[&[1, 2, 3], &[4, 5, 6]]), oldest_first);
        let newest_first = Some(Claim::Order {
            order: ListOrder::NewestFirst,
        });
        assert_eq!(order(&[&[5, 4, 3, 3, 2, 1]]), newest_first);
        // Two pairs that contradict each other are enough to tell that the order is another.
        let other = Some(Claim::Order {
            order: ListOrder::Other,
        });
        assert_eq!(order(&[&[1, 3, 2]]), other);
    }
}
