//! Keeps the verdict of every fact and the findings. The main type is [`Verdicts`].

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::error_body;
use super::level::Level;
use super::levels::Levels;
use super::location::LocatedValue;
use super::rule::Rule;
use super::seen::EvidenceSource;
use super::success::{HowAllCallsFailed, Successes};
use super::traffic_reason::TrafficReason;
use crate::contract::Contract;
use crate::contract::fact::{FactId, FactKind};
use crate::contract::operation::OperationId;
use crate::contract::operation::SecurityScheme;
use crate::contract::pointer;
use crate::exchange::redact::{ValueDisplay, printable};
use crate::exchange::shapes::{BodyNames, hidden_name};
use crate::exchange::{Credential, RejectionMeaning, Request, Response};
use crate::gaps;
use crate::history::evidence::{PageSeen, WalkEnd};
use crate::plan::{NoValue, NotCalled};

/// The maximum number of undocumented fields at one fact that are reported by name, because a hostile target may send
/// millions.
const MAX_NAMES: usize = 8;
/// Represents the names beyond [`MAX_NAMES`]. It is not a name itself: in a finding's pointer it means any member.
const OTHER_NAMES: &str = "*";

/// What is known about a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A response broke it.
    Broken,
    /// A response satisfied it, and none broke it.
    Held,
    /// It is not decided, for this reason.
    Undecided(Reason),
}

/// Why a fact is undecided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// What the responses show of a gap does not decide whether a learned answer still holds.
    AnswerNotConfirmed,
    /// The run does not answer a gap, for this reason.
    GapNotAnswered(gaps::WhyUnanswered),
    /// The response had this status, which decides nothing about the fact.
    OtherStatus(u16),
    /// The list changed while it was walked.
    ListChanged,
    /// The response had this status, which the document lists next to the success.
    Documented(u16),
    /// The server failed with this status; `server-error` judges it.
    Failed(u16),
    /// The identifier is not a UUID with a lower-case letter.
    NothingToUppercase,
    /// The record has no identifier to be found by.
    NoIdentifier,
    /// The list's total is not known to be a multiple of its page size, and making it one takes more records than may
    /// still be created for that (the number).
    NoFullPage(u64),
    /// The last page of a list is filled only if more than this number of records may be left.
    NotFilledByDefault(u64),
    /// The list has one page. A second page takes more records (the first number) than may still be created (the
    /// second).
    NoSecondPage(u64, u64),
    /// The request carried no credential, because the contract asks for none, and got this status, 401 or 403.
    NoTokenSent(u16),
    /// The list's total is not a multiple of its page size.
    NotFull,
    /// The target was not ready within the time to wait for it.
    NotReady,
    /// The response has no field that would carry what was sent.
    NotReturned,
    /// The target throttled the request, and it is not sent again.
    ThrottledNotRepeated,
    /// Recorded traffic of other clients does not decide it.
    Traffic(TrafficReason),
    /// A page lacks what a walk needs: its last page, its items, or the identifier of one.
    PageUnclear,
    /// Where pages are inferred: a page has no record that the list shows without page parameters, or leads to no next
    /// page at its own path.
    PageNotFollowed,
    /// The body of a page could not be read.
    PageUnread,
    /// The value was null, and null is a gap.
    OnlyNull,
    /// The list has one page.
    OnePage,
    /// The list has more pages than are walked.
    TooManyPages(u64),
    /// Where pages are inferred: the list has more than this many pages of the requested size, and no more are walked.
    MoreInferredPages(u64),
    /// The timestamp came in a form that does not say which instant it names; its form is a gap.
    NoInstant,
    /// Nothing showed the location: no element in an array, an object that is missing.
    NotShown,
    /// The operation was not called, for this reason.
    NotCalled(NotCalled),
    /// A write would go to a record that may not be the run's own, for this reason.
    NotOwn(String),
    /// Something that the operation cannot do without had no value.
    NoValue(NoValue),
    /// The target accepted a field of the wrong type in this create, and the share of `max_writes` (given here) for
    /// such records is used up.
    WrongTypeLimit(u64),
    /// This many records were written, the most that may be left in the target.
    MaxWrites(u64),
    /// The field was not in an accepted request.
    NotSent,
    /// The target responded with this status, as it does to the right credential.
    SameForAll(u16),
    /// The target rejected something that the document leaves open, with this status.
    Rejected(u16),
    /// The target rejected a request with a value that it may not know, with this status.
    RejectedUncertainValue(u16),
    /// The target throttled every attempt to send the request.
    Throttled,
    /// The token was rejected, with this status.
    TokenRejected(u16),
    /// The run ended before it had carried out its plan, and no response had shown it by then.
    RunEnded,
    /// No complete response came. If the request was a documented one or an edge case, another fact says why.
    NoResponse,
    /// The service closed a connection that may have been idle, which it may at any time (RFC 9112, section 9.5).
    ClosedWhenIdle,
    /// Another fact, on which this one depends, is broken.
    OtherFactBroken,
    /// A list shows what only a query has sent, so the query does more than read.
    StoredByQuery,
    /// A record of the run can no longer be read after an edge case of an update was accepted.
    RecordUnreadable,
    /// The value of a header can be read in more than one way, so that it does not show whether it is what its schema
    /// asks for.
    HeaderUnclear,
    /// The body is JSON beyond the limits of what is read.
    LimitExceeded,
    /// The target rejected a request without a valid credential with this status, which is not 401.
    No401(u16),
    /// The typed client returns the response as bytes.
    NoClientType,
    /// The contract's assertion cannot be read.
    AssertionUnreadable(String),
}

impl Reason {
    /// Returns why a response of this status, to a request that carried this credential and has nothing that the
    /// document leaves open, decides nothing.
    #[must_use]
    pub fn for_documented_request(status: u16, credential: &Credential) -> Self {
        match status {
            401 | 403 if *credential == Credential::None => Self::NoTokenSent(status),
            401 | 403 => Self::TokenRejected(status),
            429 => Self::Throttled,
            500.. => Self::Failed(status),
            _ => Self::OtherStatus(status),
        }
    }

    /// Returns why a response of this status, to a request with something that the document leaves open, decides
    /// nothing.
    #[must_use]
    pub fn for_request_with_something_open(status: u16, credential: &Credential) -> Self {
        match status {
            status if RejectionMeaning::rejects_as_invalid_or_conflicting(status) => Self::Rejected(status),
            _ => Self::for_documented_request(status, credential),
        }
    }

    /// Returns why a target that throttles a request decides nothing. A wrong token is sent only once.
    #[must_use]
    pub(super) fn throttled(credential: &Credential) -> Self {
        match credential {
            Credential::Wrong { .. } => Self::ThrottledNotRepeated,
            _ => Self::Throttled,
        }
    }
}

impl WalkEnd {
    /// Returns why a list was not seen in full; `None` where it was, or where that was not wanted. `max_pages` is
    /// the maximum number of pages that are walked.
    #[must_use]
    pub fn reason(self, max_pages: u64) -> Option<Reason> {
        Some(match self {
            Self::Complete | Self::SeenEnough => return None,
            Self::Unusable => Reason::PageUnclear,
            Self::Rejected(status) => Reason::for_documented_request(
                status,
                &Credential::Token {
                    scheme: SecurityScheme::Bearer,
                },
            ),
            Self::RejectedWithoutCredential(status) => Reason::for_documented_request(status, &Credential::None),
            Self::Repeats => Reason::OtherFactBroken,
            Self::Unsent => Reason::NotShown,
            Self::TooManyPages => Reason::TooManyPages(max_pages),
            Self::NoResponse => Reason::NoResponse,
            Self::Unread => Reason::PageUnread,
        })
    }
}

/// Returns why a service may be right to reject a request with this status.
fn why_a_rejection_may_be_right(status: u16) -> &'static str {
    match status {
        400 | 422 => "a value in the request may not suit this target",
        409 | 412 => "the record may have another state or version than the request expects",
        _ => "the record that the request names may not exist",
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Cow<'_, str> = match self {
            Self::AnswerNotConfirmed => "what the run observed neither confirms nor contradicts the answer".into(),
            Self::LimitExceeded => "the body has over 127 levels, a million values, or a number beyond a double".into(),
            Self::OtherFactBroken => "another fact that this one depends on is broken".into(),
            Self::ListChanged => "the list changed while it was walked".into(),
            Self::StoredByQuery => "a list shows that this `POST`, which should only read, stores what is sent".into(),
            Self::RecordUnreadable => "a record can no longer be read after an edge case was accepted".into(),
            Self::HeaderUnclear => "the value of the header can be read in more than one way".into(),
            Self::NothingToUppercase => "the identifier is not a UUID with a lower-case letter".into(),
            Self::NoIdentifier => "the created record has no identifier to be found by".into(),
            Self::NotFull => "the last page is not full".into(),
            Self::NoInstant => "the timestamp's form does not say which instant it names".into(),
            Self::NotSent => "the field was in no accepted request".into(),
            Self::NotShown => "no response showed it".into(),
            Self::OnePage => "the list has one page".into(),
            Self::NotReturned => "the response lacks the field that would carry what was sent".into(),
            Self::NotReady => "the target did not become ready".into(),
            Self::ThrottledNotRepeated => "the target throttled the request, which is not sent again".into(),
            Self::OnlyNull => "the value was null, and null is a gap".into(),
            Self::PageUnclear => "a page lacks last_page or items, or an item has no identifier".into(),
            Self::PageNotFollowed => "a page has no record of the whole list, or no next page at its own path".into(),
            Self::PageUnread => "a page could not be read as JSON".into(),
            Self::Throttled => "every attempt got a 429 or a 503".into(),
            Self::RunEnded => "the run ended before a response showed it".into(),
            Self::NoResponse => "no complete response came".into(),
            Self::ClosedWhenIdle => "the service closed a connection that may have been idle, which HTTP allows".into(),
            Self::NoClientType => "the typed client returns the response as bytes".into(),
            Self::GapNotAnswered(why) => format!("the run could not tell: {}", why.as_str()).into(),
            Self::OtherStatus(status) => format!("the response was {status}").into(),
            Self::Documented(status) => format!("the response was {status}, which the document lists").into(),
            Self::Failed(status) => format!("the server failed with {status}").into(),
            Self::No401(status) => format!("the response was {status}, and only a 401 carries a challenge").into(),
            Self::NoFullPage(n) => format!("the last page was not filled: max-writes allows only {n} more").into(),
            Self::NotFilledByDefault(default) => format!("filling a last page needs max-writes above {default}").into(),
            Self::NoSecondPage(needed, left) => {
                format!("the list has one page; a second takes {needed} more records, and max-writes allows {left}")
                    .into()
            }
            Self::WrongTypeLimit(max_writes) => {
                format!("a field of another type was accepted, and max-writes {max_writes} allows no more such records")
                    .into()
            }
            Self::MaxWrites(max_writes) => format!("max-writes {max_writes} was reached").into(),
            Self::NoValue(why) => why.to_string().into(),
            Self::NotCalled(why) => why.to_string().into(),
            Self::NotOwn(why) => why.into(),
            Self::NoTokenSent(status) => {
                format!("rejected with {status}, and the contract asks for no token, so none was sent").into()
            }
            Self::Traffic(reason) => reason.to_string().into(),
            Self::SameForAll(status) => format!("the response was {status}, with the right credential too").into(),
            Self::Rejected(n) => format!("rejected with {n}, perhaps because of a gap in the document").into(),
            Self::RejectedUncertainValue(status) => format!(
                "rejected with {status}, perhaps rightly: {}",
                why_a_rejection_may_be_right(*status)
            )
            .into(),
            Self::TokenRejected(403) => "rejected with 403: the token may lack permission for this operation".into(),
            Self::TokenRejected(status) => {
                format!("rejected with {status}: the credential is missing or was not accepted").into()
            }
            Self::MoreInferredPages(max_pages) => {
                format!("the list has more than {max_pages} pages of the requested size").into()
            }
            Self::TooManyPages(max_pages) => format!("the list has more pages than max-pages {max_pages}").into(),
            Self::AssertionUnreadable(why) => format!("the contract's assertion cannot be read: {why}").into(),
        };
        formatter.write_str(&words)
    }
}

/// A broken fact, or something that the document does not mention, with the location where it was first seen.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Its level in this run.
    pub level: Level,
    /// The number of the entry of [`Levels`] that set the level, if one did.
    pub entry: Option<usize>,
    /// The fact.
    pub fact: FactId,
    /// Where in the response, as a JSON pointer; empty for the whole response. `header X-Total` is a header.
    pub pointer: String,
    /// What the contract states, where the fact's own words do not say it.
    pub documented: Option<String>,
    /// What came instead, as a shape unless values are shown.
    pub received: String,
    /// What the body of an error says is wrong, where the finding is about the status.
    pub error_body: Option<String>,
    /// The request that shows it.
    pub request: Request,
    /// The number of the exchange that shows it, if one exchange does.
    pub exchange: Option<u64>,
    /// How often it was seen.
    pub count: u64,
}

/// The verdict of every fact of a contract.
#[derive(Debug)]
pub struct Verdicts {
    states: Vec<State>,
    findings: Vec<Finding>,
    /// The indexes of each rule's findings at each fact: one, or one for each undocumented field, with its name.
    finding_indexes: HashMap<(&'static str, FactId), Vec<(String, usize)>>,
    not_called: HashMap<OperationId, Reason>,
    /// How often a fact was broken.
    breaks: u64,
    /// Whether the run ended before it had carried out its plan, so that what is missing may never have been requested.
    ended_early: bool,
    pub(super) successes: Successes,
}

/// What is known about one fact. A contract may have a hundred thousand of them, so reasons are shared.
#[derive(Clone, Debug, Default)]
struct State {
    held: bool,
    broken: bool,
    reason: Option<Arc<Reason>>,
    /// Why it is not held although responses satisfied it.
    forced_undecided: Option<Arc<Reason>>,
}

impl Verdicts {
    /// Creates the verdicts of a run that has not judged anything yet.
    #[must_use]
    pub fn new(contract: &Contract) -> Self {
        Self {
            states: vec![State::default(); contract.facts.len()],
            findings: Vec::new(),
            finding_indexes: HashMap::new(),
            not_called: HashMap::new(),
            breaks: 0,
            ended_early: false,
            successes: Successes::default(),
        }
    }

    /// Returns how often facts were broken so far. While it does not grow, nothing was broken.
    pub(super) fn break_count(&self) -> u64 {
        self.breaks
    }

    /// Notes that a fact is broken.
    fn break_fact(&mut self, fact: FactId) {
        self.states[fact.0].broken = true;
        self.breaks += 1;
    }

    /// Creates verdicts with every fact undecided, for one reason.
    #[must_use]
    pub fn undecided(contract: &Contract, reason: &Reason) -> Self {
        let mut verdicts = Self::new(contract);
        let reason = Arc::new(reason.clone());
        for state in &mut verdicts.states {
            state.reason = Some(Arc::clone(&reason));
        }
        verdicts
    }

    /// Notes that the run ended before it had carried out its plan.
    pub fn end_early(&mut self) {
        self.ended_early = true;
    }

    /// Notes why an operation's facts stay undecided unless something decides them.
    pub fn not_called(&mut self, operation: OperationId, reason: Reason) {
        self.not_called.insert(operation, reason);
    }

    /// States why a fact is undecided, in place of the reason known so far. It changes no verdict: the reason is used
    /// only if no response satisfies or breaks the fact.
    pub fn set_undecided_reason(&mut self, fact: FactId, reason: Reason) {
        self.states[fact.0].reason = Some(Arc::new(reason));
    }

    /// Makes a fact undecided even if responses satisfied it, because part of what it covers was not sent or could not
    /// be read. A broken one stays broken, and of several reasons the first is used.
    pub fn force_undecided(&mut self, fact: FactId, reason: Reason) {
        let forced = &mut self.states[fact.0].forced_undecided;
        forced.get_or_insert_with(|| Arc::new(reason));
    }

    /// Returns the verdict on one fact.
    #[must_use]
    pub fn of(&self, contract: &Contract, fact: FactId) -> Verdict {
        let state = &self.states[fact.0];
        if state.broken {
            return Verdict::Broken;
        }
        if let Some(reason) = &state.forced_undecided {
            return Verdict::Undecided((**reason).clone());
        }
        if state.held {
            return Verdict::Held;
        }
        let operation = contract.fact(fact).operation;
        // The reason why an operation was not called means nothing once a call of it has succeeded.
        let still_valid = || self.not_called.get(&operation).filter(|_| !self.had_success(operation));
        let of_operation = || still_valid().cloned();
        let reason = state
            .reason
            .as_deref()
            .filter(|reason| **reason != Reason::NotShown)
            .cloned();
        let unseen = if self.ended_early {
            Reason::RunEnded
        } else {
            Reason::NotShown
        };
        Verdict::Undecided(reason.or_else(of_operation).unwrap_or(unseen))
    }

    /// Returns whether a documented call of the operation had a success.
    #[must_use]
    pub fn had_success(&self, operation: OperationId) -> bool {
        self.successes.contains(operation)
    }

    /// Returns how the documented calls failed, if some were sent and none had a success.
    #[must_use]
    pub fn how_all_calls_failed(&self) -> Option<HowAllCallsFailed> {
        self.successes.how_all_calls_failed()
    }

    /// Returns why no documented call of the operation had a success, or `None` if one had.
    #[must_use]
    pub fn why_unchecked(&self, contract: &Contract, operation: OperationId) -> Option<String> {
        if self.had_success(operation) {
            return None;
        }
        let fact = contract.fact_of(operation, FactKind::Status);
        let verdict = fact.map(|fact| self.of(contract, fact));
        let failed = self.successes.first_failed(operation);
        Some(match verdict {
            Some(Verdict::Held) => "the body of its success is not the documented one".to_owned(),
            Some(Verdict::Broken) => failed
                .and_then(|failed| failed.status)
                .map_or(Reason::NoResponse, Reason::OtherStatus)
                .to_string(),
            Some(Verdict::Undecided(Reason::NoValue(lack))) => lack.brief(),
            Some(Verdict::Undecided(Reason::NotShown)) => "no request was sent to it".to_owned(),
            Some(Verdict::Undecided(reason)) => reason.to_string(),
            None => self
                .not_called
                .get(&operation)
                .map_or_else(String::new, ToString::to_string),
        })
    }

    /// Returns the findings in the order in which they were seen.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// Receives what a rule decides about facts, and what it finds.
pub(super) struct Sink<'sink> {
    pub(super) verdicts: &'sink mut Verdicts,
    pub(super) contract: &'sink Contract,
    pub(super) levels: &'sink Levels,
    pub(super) rule: &'static Rule,
    /// What the rule looks at.
    pub(super) source: EvidenceSource<'sink>,
    /// How values are shown.
    pub(super) values: ValueDisplay,
    /// Whether no option shows values.
    pub(super) is_traffic: bool,
}

impl Sink<'_> {
    /// Notes that a response satisfied the fact.
    pub(super) fn held(&mut self, fact: FactId) {
        self.verdicts.states[fact.0].held = true;
    }

    /// Notes why what the rule has seen does not decide the fact. The first reason is used, unless another response
    /// decides the fact.
    pub(super) fn undecided(&mut self, fact: FactId, reason: Reason) {
        let known = &mut self.verdicts.states[fact.0].reason;
        known.get_or_insert_with(|| Arc::new(reason));
    }

    /// Notes why the fact stays undecided even if another response satisfies it.
    pub(super) fn force_undecided(&mut self, fact: FactId, reason: Reason) {
        self.verdicts.force_undecided(fact, reason);
    }

    /// Notes that a response broke the fact.
    pub(super) fn broken(&mut self, fact: FactId, pointer: impl FnOnce() -> String, received: impl FnOnce() -> String) {
        self.verdicts.break_fact(fact);
        self.report_finding(fact, None, pointer, received);
    }

    /// Notes that the status of a response broke the fact.
    pub(super) fn status_broken(&mut self, fact: FactId, response: &Response) {
        self.verdicts.break_fact(fact);
        if !self.count_repeat(fact, "") {
            let said = error_body::describe(response, self.values);
            let at_and_received = (String::new(), response.status.to_string());
            self.add_finding(fact, "", None, at_and_received).error_body = said;
        }
    }

    /// Notes that a response as a whole broke the fact. `documented` says what it should have been, in place of the
    /// fact's own words.
    pub(super) fn response_broken(&mut self, fact: FactId, documented: &str, received: impl FnOnce() -> String) {
        self.verdicts.break_fact(fact);
        self.report_finding(fact, Some(documented), String::new, received);
    }

    /// Notes that a value broke the fact. `documented` returns what it should have been, and `at_and_received` where
    /// it was and what came instead; neither is called if the rule has already reported the fact.
    pub(super) fn broken_with(
        &mut self,
        fact: FactId,
        documented: impl FnOnce() -> String,
        at_and_received: impl FnOnce() -> (String, String),
    ) {
        self.verdicts.break_fact(fact);
        if !self.count_repeat(fact, "") {
            self.add_finding(fact, "", Some(&documented()), at_and_received());
        }
    }

    /// Notes that a page of a walk broke the fact; the finding names the request for that page.
    pub(super) fn page_broken(&mut self, page: &PageSeen, fact: FactId, received: String) {
        let response_pointer = self.contract.fact(fact).response_pointer.clone();
        let request = page.request(self.contract);
        let mut sink = self.of_request(&request);
        sink.broken(fact, || response_pointer.to_string(), || received);
    }

    /// Returns the sink for what the response to this request shows.
    pub(super) fn of_request<'own>(&'own mut self, request: &'own Request) -> Sink<'own> {
        Sink {
            verdicts: self.verdicts,
            contract: self.contract,
            levels: self.levels,
            rule: self.rule,
            source: EvidenceSource::from(request),
            values: self.values,
            is_traffic: self.is_traffic,
        }
    }

    /// Renders a value as this run may show it.
    pub(super) fn render(&self, value: &Value) -> String {
        self.values.render(value)
    }

    /// Adds a finding about the fact without a verdict on it: for what breaks no fact, at the fact nearest to it, and
    /// for a fact that [`Self::broken`] has already marked.
    pub(super) fn report_finding(
        &mut self,
        fact: FactId,
        documented: Option<&str>,
        pointer: impl FnOnce() -> String,
        received: impl FnOnce() -> String,
    ) {
        if !self.count_repeat(fact, "") {
            self.add_finding(fact, "", documented, (pointer(), received()));
        }
    }

    /// Reports a member that the object of this fact is not documented to have in responses; `documented` says what is
    /// documented instead. Each name is a finding, so that none hides another; names that are not printed share one
    /// finding, and so do those beyond the first few.
    pub(super) fn report_member(
        &mut self,
        (fact, documented): (FactId, &str),
        location: &LocatedValue<'_>,
        (name, value): (&str, &Value),
    ) {
        let documented = Some(documented);
        // Most names were seen before and need no further work.
        if self.count_repeat(fact, name) {
            return;
        }
        let rendered = match self.values {
            ValueDisplay::Shown => printable(name),
            ValueDisplay::Hidden if self.contract.may_print(name) => name.to_owned(),
            ValueDisplay::Hidden => String::new(),
        };
        if rendered != name && self.count_repeat(fact, &rendered) {
            return;
        }
        if self
            .verdicts
            .finding_indexes
            .get(&(self.rule.name, fact))
            .map_or(0, Vec::len)
            >= MAX_NAMES
        {
            if !self.count_repeat(fact, OTHER_NAMES) {
                let received = "fields with names other than those reported".to_owned();
                let pointer = pointer::join(&location.pointer(), OTHER_NAMES);
                self.add_finding(fact, OTHER_NAMES, documented, (pointer, received));
            }
            return;
        }
        let received = self.render(value);
        self.add_finding(fact, &rendered, documented, (location.member(name), received));
    }

    /// Counts the finding once more if there is one; returns whether there is.
    fn count_repeat(&mut self, fact: FactId, name: &str) -> bool {
        let known = self.verdicts.finding_indexes.get(&(self.rule.name, fact));
        let same = known.and_then(|known| known.iter().find(|(known, _)| known == name));
        let Some((_, index)) = same else { return false };
        self.verdicts.findings[*index].count += 1;
        true
    }

    /// Adds a new finding about the fact, at the level in force there, and returns it; `name` is the field that it
    /// reports, or empty.
    fn add_finding(
        &mut self,
        fact: FactId,
        name: &str,
        documented: Option<&str>,
        (pointer, received): (String, String),
    ) -> &mut Finding {
        let decided = self.levels.of(self.rule, self.contract.fact(fact));
        let known = self.verdicts.finding_indexes.entry((self.rule.name, fact)).or_default();
        known.push((name.to_owned(), self.verdicts.findings.len()));
        let (pointer, hint) = self.render_pointer(&pointer, &self.contract.fact(fact).response_pointer);
        self.verdicts.findings.push_mut(Finding {
            rule: self.rule,
            level: decided.level,
            entry: decided.entry,
            fact,
            pointer,
            documented: documented.map(str::to_owned),
            received: received + hint,
            error_body: None,
            request: self.source.request.clone(),
            exchange: self.source.exchange,
            count: 1,
        })
    }

    /// Returns an indexed pointer (see [`pointer::element`]) into a body, without the names in it that are data,
    /// unless values are shown.
    pub(super) fn with_map_keys_hidden(&self, names: BodyNames<'_>, pointer: &str) -> String {
        match self.values {
            ValueDisplay::Shown => pointer.to_owned(),
            ValueDisplay::Hidden => names.with_map_keys_hidden(pointer),
        }
    }

    /// Renders the indexed pointer, showing names that may be values as shapes, and returns
    /// a hint that says how to see them. `documented` is the pointer of the fact, in which `*` stands for the name of
    /// each member of a map.
    fn render_pointer(&self, pointer: &str, documented: &str) -> (String, &'static str) {
        if self.values == ValueDisplay::Shown {
            return (printable(&pointer::without_index_marks(pointer)), "");
        }
        let hidden = Cell::new(false);
        let shown = pointer::rendered(pointer, |place, name| {
            let is_of_map = pointer::stands_for_any(documented, pointer, place);
            hidden.set(hidden.get() || is_of_map || !self.contract.may_print(name));
            if is_of_map {
                hidden_name(name)
            } else {
                self.contract.render_name(name)
            }
        });
        let hint = " (show-values reveals the name)";
        let is_hint_due = hidden.get() && !self.is_traffic;
        (shown, if is_hint_due { hint } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exchange::{Exchange, Purpose, RejectionMeaning};
    use crate::rules::testing::{Fixture, JSON, Judged};

    const NAME: &str = "getTags /data/items/*/name: string";

    fn tags(names: &[Value]) -> Exchange {
        let items: Vec<_> = names.iter().map(|name| json!({"id": "t-1", "name": name})).collect();
        Fixture::of("getTags").exchange(200, JSON, &json!({"data": {"items": items}}).to_string())
    }

    fn judged(exchanges: &[Exchange]) -> Judged {
        let fixture = Fixture::of("getTags");
        fixture.judge(|judge| {
            for exchange in exchanges {
                judge.exchange(exchange, fixture.intent());
            }
        })
    }

    #[test]
    fn broken_wins_over_held_in_either_order() {
        let (good, bad) = (tags(&[json!("regular")]), tags(&[json!(7)]));
        assert_eq!(judged(&[good.clone(), bad.clone()]).fact(NAME), Verdict::Broken);
        assert_eq!(judged(&[bad, good]).fact(NAME), Verdict::Broken);
    }

    #[test]
    fn held_wins_over_a_reason_in_either_order() {
        let (good, null) = (tags(&[json!("regular")]), tags(&[json!(null)]));
        assert_eq!(judged(&[good.clone(), null.clone()]).fact(NAME), Verdict::Held);
        assert_eq!(judged(&[null, good]).fact(NAME), Verdict::Held);
    }

    #[test]
    fn the_first_reason_is_kept_and_goes_before_that_of_the_operation() {
        let fixture = Fixture::of("getTags");
        let rejected = |status| fixture.exchange(status, JSON, "{}");
        let on_rejection = Purpose::Documented(RejectionMeaning::Gap).into();
        let judged = fixture.judge(|judge| {
            judge.exchange(&rejected(429), on_rejection);
            judge.exchange(&rejected(422), on_rejection);
            judge.verdicts_mut().not_called(fixture.operation, Reason::OnePage);
        });
        assert_eq!(judged.kind(FactKind::Status), Verdict::Undecided(Reason::Throttled));
        assert_eq!(judged.fact(NAME), Verdict::Undecided(Reason::OnePage));
        assert_eq!(judged.kind(FactKind::NoServerError), Verdict::Held);
    }

    #[test]
    fn a_hundred_thousand_verdicts_take_little_and_one_reason() {
        assert!(size_of::<State>() <= 24);
        let contract = crate::testing::built_in();
        let verdicts = Verdicts::undecided(
            contract,
            &Reason::NotCalled(NotCalled::Because("for a reason".to_owned())),
        );
        let first = verdicts.states[0].reason.as_ref().unwrap();
        let shares = |state: &State| Arc::ptr_eq(state.reason.as_ref().unwrap(), first);
        assert!(verdicts.states.iter().all(shares));
    }

    #[test]
    fn what_is_forced_undecided_is_not_held_and_is_broken_all_the_same() {
        let forced = |exchange: &Exchange| {
            let fixture = Fixture::of("getTags");
            let judged = fixture.judge(|judge| {
                judge.exchange(exchange, fixture.intent());
                let fact = fixture.fact(NAME);
                judge.verdicts_mut().force_undecided(fact, Reason::OnePage);
                judge.verdicts_mut().force_undecided(fact, Reason::Throttled);
            });
            judged.fact(NAME)
        };
        assert_eq!(forced(&tags(&[json!("regular")])), Verdict::Undecided(Reason::OnePage));
        assert_eq!(forced(&tags(&[json!(7)])), Verdict::Broken);
    }

    #[test]
    fn what_nothing_was_said_of_is_not_shown() {
        assert_eq!(judged(&[]).fact(NAME), Verdict::Undecided(Reason::NotShown));
    }

    #[test]
    fn a_rule_reports_a_fact_once_and_counts_the_rest() {
        let result = judged(&[tags(&[json!(1), json!(true)]), tags(&[json!([])])]);
        let finding = result.finding("wrong-type");
        assert_eq!((finding.count, finding.pointer.as_str()), (3, "/data/items/0/name"));
        assert_eq!(finding.received, "integer");
    }

    #[test]
    fn an_allowed_rule_still_breaks_its_fact() {
        let fixture = Fixture::of("getTags").level("wrong-type", Level::Allow);
        let judged = fixture.judge(|judge| drop(judge.exchange(&tags(&[json!(7)]), fixture.intent())));
        assert_eq!(judged.fact(NAME), Verdict::Broken);
        assert_eq!(judged.finding("wrong-type").level, Level::Allow);
    }

    #[test]
    fn a_pointer_shows_plain_names_and_indexes_alone() {
        for (body, pointer) in [
            (json!({"ada": {}}), "/ada"),
            (json!({"Ada Example": {}}), "/<undocumented name(11)>"),
            (json!({"447700900123": {}}), "/<undocumented name(12)>"),
            (json!({"7": {}}), "/<undocumented name(1)>"),
            (json!({"data": {"ada/b~c": {}}}), "/data/<undocumented name(7)>"),
            (json!({"data": {"firstname": {}}}), "/data/firstname"),
        ] {
            assert_eq!(Fixture::of("getTags").body(&body).finding("envelope").pointer, pointer);
        }
        assert_eq!(
            judged(&[tags(&[json!("a"), json!(7)])]).finding("wrong-type").pointer,
            "/data/items/1/name"
        );
    }

    #[test]
    fn a_user_who_asks_for_values_gets_names_and_values() {
        let judged = Fixture::of("getTags")
            .showing_values()
            .body(&json!({"ada": "\u{1b}[2J"}));
        assert_eq!(judged.finding("envelope").pointer, "/ada");
        assert_eq!(judged.received("envelope"), r#"another field, "\u001b[2J""#);
    }
}
