//! Keeps what each operation showed about the questions whose trials build on those before them. The main type is
//! [`Searches`].
//!
//! # Design
//!
//! Each control of a create leaves a record, so all trials share two: a body that was accepted before them, and one
//! that is accepted after them, which another trial may send. Until that one is accepted, no rejection counts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::answer::Claim;
use super::length_search::LengthSearch;
use super::required::{RejectionText, RequiredSearch};
use super::trials::{ObservedClaim, TrialResult, claim, rejects};
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::Carry;
use crate::contract::{Contract, pointer};
use crate::exchange::{Exchange, RejectionMeaning, Response};
use crate::plan::{Asks, BodyChange, Question, TRIALS_TO_INDICATE, text_fields_with_open_side_effect};

/// The searches of a run, by operation.
#[derive(Debug, Default)]
pub(super) struct Searches {
    by_operation: BTreeMap<OperationId, OperationSearches>,
}

/// What a request of a search turns out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchTrial {
    /// It prepares a trial, such as the record that the next one repeats.
    Preparation,
    /// A trial that shows this.
    Showed(TrialResult),
    /// A trial that decides nothing.
    Void,
}

/// What one operation showed.
#[derive(Debug, Default)]
struct OperationSearches {
    required: Option<RequiredSearch>,
    /// The question whether a duplicate is rejected, if there is one.
    duplicate_question: Option<usize>,
    /// A record that may be created again: its body, and its identifier.
    original: Option<(Value, Value)>,
    /// Whether only a whole body, and no smaller one, is sent a second time: no invariant says which fields tell
    /// records apart.
    repeats_only_whole_bodies: bool,
    /// Which lengths of texts were accepted and rejected, by question.
    length_searches: BTreeMap<usize, LengthSearch>,
    /// What the trials of each other question showed.
    tried: BTreeMap<usize, QuestionOutcomes>,
    /// The trials that decide nothing, by question.
    void: BTreeMap<usize, u64>,
    /// The questions that are given up, because the same create would have to be sent again.
    given_up: BTreeSet<usize>,
}

/// What became of the bodies that ask one question.
#[derive(Debug, Default)]
struct QuestionOutcomes {
    accepted: BTreeMap<u16, u64>,
    rejected: BTreeMap<u16, u64>,
    /// The texts of those rejections whose reason may be that the body lacks something, see
    /// [`RejectionMeaning::rejects_as_invalid`].
    rejection_texts: Vec<RejectionText>,
    /// Responses that show neither, such as a success that returns the original record.
    others: u64,
    /// Whether nothing has been accepted since one was rejected.
    awaits_acceptance: bool,
}

impl QuestionOutcomes {
    fn is_decided(&self) -> bool {
        let rejected: u64 = self.rejected.values().sum();
        self.others > 0 || !self.accepted.is_empty() || rejected >= TRIALS_TO_INDICATE
    }

    /// Whether a rejection with this text, of a request as invalid, may have the same reason as these.
    fn may_explain(&self, text: &RejectionText) -> bool {
        !self.is_decided() || self.rejection_texts.iter().any(|other| !text.differs(other))
    }

    fn observed(&self, question: &Question) -> Vec<ObservedClaim> {
        let observed = |shown: Option<TrialResult>, count: u64| ObservedClaim {
            claim: shown.and_then(|shown| claim(question, shown)),
            count,
            is_proof: !matches!(shown, Some(TrialResult::AcceptedUnseen(_))),
        };
        let accepted = |status: u16| match question.asks {
            Asks::Duplicate => TrialResult::Accepted(status),
            // The record may lack what was sent.
            _ => TrialResult::AcceptedUnseen(status),
        };
        let accepted = self
            .accepted
            .iter()
            .map(|(status, count)| observed(Some(accepted(*status)), *count));
        let rejected = self.rejected.iter().filter(|_| !self.awaits_acceptance);
        let rejected = rejected.map(|(status, count)| match question.asks {
            // The claim about duplicates has no status; 0 stands for any.
            Asks::Duplicate => (TrialResult::Rejected(0), *count),
            _ => (TrialResult::Rejected(*status), *count),
        });
        let rejected = rejected.map(|(shown, count)| observed(Some(shown), count));
        let others = (self.others > 0).then(|| observed(None, self.others));
        accepted.chain(rejected).chain(others).collect()
    }
}

impl Searches {
    /// Adds a body that was accepted as documented.
    pub(super) fn note_accepted(
        &mut self,
        (contract, questions): (&Contract, &[Question]),
        exchange: &Exchange,
        body: Option<&Value>,
    ) {
        let operation = exchange.request.operation;
        let mut of_it = questions.iter().filter(|question| question.operation == operation);
        if !of_it.clone().any(Question::builds_on_trials) {
            return;
        }
        let searched = self.by_operation.entry(operation).or_default();
        searched.duplicate_question = duplicate_question(questions, operation);
        searched.repeats_only_whole_bodies = contract.operation(operation).invariants.created.is_none();
        let Some(sent) = exchange.request.json() else {
            return;
        };
        let creates = contract.operation(operation).creates();
        let always: Option<Vec<_>> = creates.then(|| {
            let identifying = identifying_carries(contract, operation).map(|carry| carry.sent.clone());
            // Only a record that is created with such a field shows its effect.
            let with_effect = text_fields_with_open_side_effect(contract, operation).into_iter();
            identifying.chain(with_effect.map(|(_, _, field)| field)).collect()
        });
        let documented = of_it.find_map(|question| match &question.asks {
            Asks::Required { documented } => Some(documented),
            _ => None,
        });
        if let (None, Some(documented)) = (&searched.required, documented) {
            // Without an invariant, what the update does is inferred (`contract::lifecycle`).
            let is_inferred = contract.operation(operation).invariants.updated.is_none();
            let mut search = RequiredSearch::of(sent, (documented, always.as_deref()));
            search.may_do_nothing = !creates && is_inferred;
            searched.required = Some(search);
        }
        searched.confirm_acceptance();
        for (index, question) in questions.iter().enumerate() {
            if let Some(text) = length_of_asked_text((operation, sent), question) {
                let members = sent.as_object().into_iter().flatten();
                let texts = members.filter(|(_, value)| value.is_string()).count();
                searched
                    .length_searches
                    .entry(index)
                    .or_default()
                    .note_control(text, texts > 1);
            }
        }
        if !may_be_updated(contract, operation) {
            searched.note_original(contract, (operation, sent), body);
        }
    }

    /// Adds a trial, with its status if that decides something, and returns what it is.
    pub(super) fn add(
        &mut self,
        (contract, questions): (&Contract, &[Question]),
        (exchange, index): (&Exchange, usize),
        status: Option<u16>,
        body: Option<&Value>,
    ) -> SearchTrial {
        let operation = exchange.request.operation;
        let Some((question, searched)) = questions.get(index).zip(self.by_operation.get_mut(&operation)) else {
            return SearchTrial::Preparation;
        };
        if let Asks::Longest { .. } = question.asks {
            searched.length_searches.entry(index).or_default().may_hold_long_text = true;
        }
        let (Some(status), Some(sent)) = (status, exchange.request.json()) else {
            *searched.void.entry(index).or_default() += 1;
            return SearchTrial::Void;
        };
        // A service may say in the body that it made nothing.
        let succeeded = contract.operation(operation).succeeds_with(status) && !lacks_record(contract, operation, body);
        let result = |accepted: Option<bool>| match accepted {
            Some(true) => TrialResult::Accepted(status),
            Some(false) => TrialResult::Rejected(status),
            None => TrialResult::Other,
        };
        let shown = match question.asks {
            Asks::Required { .. } => {
                let accepted = match succeeded {
                    true => Some(true),
                    false => RejectionMeaning::rejects_as_invalid(status).then_some(false),
                };
                let text = exchange.response().map(Response::beginning_as_text);
                if let Some(search) = &mut searched.required {
                    search.add(sent, accepted, &text.unwrap_or_default());
                }
                if succeeded && !searched.repeats_only_whole_bodies {
                    searched.note_original(contract, (operation, sent), body);
                }
                result(accepted)
            }
            Asks::Duplicate => {
                match searched.note_duplicate_trial(contract, (index, exchange), (succeeded, status), body) {
                    SearchTrial::Showed(shown) => shown,
                    other => return other,
                }
            }
            Asks::Longest { .. } => {
                let accepted = match succeeded {
                    true => Some(true),
                    false => rejects(&question.asks, status).then_some(false),
                };
                if let Some(length) = length_of_asked_text((operation, sent), question) {
                    searched.length_searches.entry(index).or_default().add(length, accepted);
                }
                // A body with a longer text is not one as documented, so its acceptance does not make other rejections
                // count.
                return SearchTrial::Showed(result(accepted));
            }
            _ => {
                let tried = searched.tried.entry(index).or_default();
                if succeeded {
                    *tried.accepted.entry(status).or_default() += 1;
                    result(Some(true))
                } else if rejects(&question.asks, status) {
                    *tried.rejected.entry(status).or_default() += 1;
                    tried.awaits_acceptance = true;
                    result(Some(false))
                } else {
                    tried.others += 1;
                    result(None)
                }
            }
        };
        if succeeded {
            searched.confirm_acceptance();
        }
        SearchTrial::Showed(shown)
    }

    /// Notes that a trial with this body is not sent, because it may have stored a record before. The search for what
    /// is required does without it; any other question is given up.
    pub(super) fn note_unsendable(&mut self, questions: &[Question], index: usize, body: &Value) {
        let question = questions.get(index);
        let Some(searched) = question.and_then(|question| self.by_operation.get_mut(&question.operation)) else {
            return;
        };
        match (&mut searched.required, question.map(|question| &question.asks)) {
            (Some(search), Some(Asks::Required { .. })) => search.note_unsendable(body),
            _ => drop(searched.given_up.insert(index)),
        }
    }

    /// Whether a text as long as this one was accepted before.
    pub(super) fn has_accepted(&self, (operation, index): (OperationId, usize), text: &str) -> bool {
        let searched = self.by_operation.get(&operation);
        let search = searched.and_then(|searched| searched.length_searches.get(&index));
        search.is_some_and(|search| search.has_accepted(text.chars().count()))
    }

    /// Notes that a text which was accepted is not stored as it was sent.
    pub(super) fn note_changed_text(&mut self, (operation, index): (OperationId, usize)) {
        if let Some(searched) = self.by_operation.get_mut(&operation) {
            searched.length_searches.entry(index).or_default().add(0, None);
        }
    }

    /// Returns what the next trial of a question sends; `None` if it needs none, or has to wait for another question.
    pub(super) fn next(&self, questions: &[Question], index: usize) -> Option<BodyChange> {
        let question = questions.get(index).filter(|question| question.builds_on_trials())?;
        let searched = self.by_operation.get(&question.operation)?;
        let search = |is_sent_by_no_other| searched.required.as_ref()?.next_omissions(is_sent_by_no_other);
        let is_decided = |index: usize| {
            let is_decided = searched.tried.get(&index).is_some_and(QuestionOutcomes::is_decided);
            is_decided || searched.given_up.contains(&index)
        };
        // A body is not sent again if its record could not be told from another.
        let may_repeat = |index: usize| searched.original.is_some() || !searched.tried.contains_key(&index);
        match question.asks {
            Asks::Required { .. } => {
                let of_duplicates = duplicate_question(questions, question.operation);
                let is_sent_by_no_other = searched.repeats_only_whole_bodies
                    || of_duplicates.is_none_or(|index| is_decided(index) || !may_repeat(index));
                search(is_sent_by_no_other).map(BodyChange::Without)
            }
            Asks::Longest { .. } => {
                let void = searched.void.get(&index).copied().unwrap_or(0);
                let lengths = searched.length_searches.get(&index)?;
                lengths.next(&searched.limits(), void).map(BodyChange::Long)
            }
            _ if is_decided(index) => None,
            Asks::Duplicate if search(false).is_some() || !may_repeat(index) => None,
            Asks::Duplicate => Some(match &searched.original {
                Some((body, _)) => BodyChange::Repeat(body.clone()),
                None => BodyChange::Without(Vec::new()),
            }),
            _ => Some(BodyChange::OnlyValues),
        }
    }

    /// Whether the operation must still accept a request: because it has rejected something since it last did, or
    /// because its record may still have a long text.
    pub(super) fn awaits_acceptance(&self, operation: OperationId) -> bool {
        let searched = self.by_operation.get(&operation);
        searched.is_some_and(|searched| {
            let awaits_acceptance = searched
                .required
                .as_ref()
                .is_some_and(RequiredSearch::awaits_acceptance);
            let has_long = searched
                .length_searches
                .values()
                .any(|search| search.may_hold_long_text);
            awaits_acceptance || has_long || searched.tried.values().any(|tried| tried.awaits_acceptance)
        })
    }

    /// Returns what the trials of a question show, and how many are void.
    pub(super) fn observed(&self, question: (usize, &Question)) -> (Vec<ObservedClaim>, u64) {
        let (index, question) = question;
        let Some(searched) = self.by_operation.get(&question.operation) else {
            return (Vec::new(), 0);
        };
        let void = searched.void.get(&index).copied().unwrap_or(0);
        let observed = match question.asks {
            Asks::Longest { .. } => {
                let search = searched.length_searches.get(&index);
                let observed = search.and_then(|search| search.observed(&searched.limits()));
                observed.into_iter().collect()
            }
            Asks::Required { .. } => {
                let of_duplicates = searched.duplicate_question.map(|index| searched.tried.get(&index));
                let may_be_duplicate = |text: &RejectionText| match of_duplicates {
                    Some(Some(tried)) => tried.may_explain(text),
                    tried => tried.is_some(),
                };
                let search = searched.required.as_ref();
                let found = search.and_then(|search| search.required(may_be_duplicate));
                let observed = found.map(|found| ObservedClaim {
                    claim: Some(Claim::Required {
                        required: found.required,
                    }),
                    count: found.count,
                    is_proof: found.is_proof,
                });
                let contradictions = search.map_or(0, |search| search.contradictions(may_be_duplicate));
                let contradicted = (contradictions > 0).then(|| ObservedClaim {
                    claim: None,
                    count: u64::try_from(contradictions).unwrap_or(u64::MAX),
                    is_proof: true,
                });
                observed.into_iter().chain(contradicted).collect()
            }
            _ => {
                let tried = searched.tried.get(&index);
                tried.map(|tried| tried.observed(question)).unwrap_or_default()
            }
        };
        (observed, void)
    }

    /// Whether a trial of the question was sent.
    pub(super) fn was_asked(&self, (index, question): (usize, &Question)) -> bool {
        let Some(searched) = self.by_operation.get(&question.operation) else {
            return false;
        };
        let searches = || searched.required.as_ref().is_some_and(RequiredSearch::was_asked);
        let is_of_required = matches!(question.asks, Asks::Required { .. });
        let was_length_sent = searched
            .length_searches
            .get(&index)
            .is_some_and(LengthSearch::was_asked);
        was_length_sent
            || searched.tried.contains_key(&index)
            || searched.void.contains_key(&index)
            || (is_of_required && searches())
    }
}

impl OperationSearches {
    /// Returns the limits of texts that were each found without regard to the others.
    fn limits(&self) -> Vec<usize> {
        self.length_searches
            .values()
            .filter_map(|search| search.limit(&[]))
            .collect()
    }

    fn confirm_acceptance(&mut self) {
        self.tried
            .values_mut()
            .for_each(|tried| tried.awaits_acceptance = false);
        if let Some(search) = &mut self.required {
            search.confirm_acceptance();
        }
    }

    /// Notes a record that may be created again: its body has everything by which the record is told from others, so
    /// that it is not told apart by what the service adds alone, such as a time. Where no invariant states these
    /// fields, so that they are inferred from paths and schemas (`contract::lifecycle`), one of them is enough: a body
    /// may lack some that the service does not let a caller set.
    fn note_original(&mut self, contract: &Contract, (create, sent): (OperationId, &Value), body: Option<&Value>) {
        let Some(id) = created_id(contract, create, body) else {
            return;
        };
        let is_sent = |carry: &Carry| !pointer::select(sent, &carry.sent).is_empty();
        let (sent_fields, others): (Vec<_>, Vec<_>) =
            identifying_carries(contract, create).partition(|carry| is_sent(carry));
        let is_inferred = contract.operation(create).invariants.created.is_none();
        if !sent_fields.is_empty() && (others.is_empty() || is_inferred) {
            self.original = Some((sent.clone(), id.clone()));
        }
    }

    /// Notes what became of a create that asks about duplicates: the original, or one that repeats it. If the response
    /// to the repeated one shows the original, it was neither accepted nor rejected. Returns what the repeated one
    /// shows; the original only prepares it, or is a void trial if it was not accepted.
    fn note_duplicate_trial(
        &mut self,
        contract: &Contract,
        (index, exchange): (usize, &Exchange),
        (succeeded, status): (bool, u16),
        body: Option<&Value>,
    ) -> SearchTrial {
        let operation = exchange.request.operation;
        let Some(sent) = exchange.request.json() else {
            return SearchTrial::Preparation;
        };
        if succeeded && let Some(search) = &mut self.required {
            search.add(sent, Some(true), "");
        }
        let id = created_id(contract, operation, body);
        let original = self.original.take_if(|(body, _)| body == sent);
        let tried = self.tried.entry(index).or_default();
        let shown = match &original {
            None if succeeded => {
                self.note_original(contract, (operation, sent), body);
                return SearchTrial::Preparation;
            }
            None => {
                *self.void.entry(index).or_default() += 1;
                return SearchTrial::Void;
            }
            Some((_, known)) if succeeded && id.is_some_and(|id| id != known) => {
                *tried.accepted.entry(status).or_default() += 1;
                TrialResult::Accepted(status)
            }
            Some(_) if !succeeded && RejectionMeaning::rejects_as_invalid_or_conflicting(status) => {
                *tried.rejected.entry(status).or_default() += 1;
                tried.awaits_acceptance = true;
                if RejectionMeaning::rejects_as_invalid(status) {
                    let text = exchange.response().map(Response::beginning_as_text);
                    tried
                        .rejection_texts
                        .push(RejectionText::new(&text.unwrap_or_default(), sent));
                }
                TrialResult::Rejected(status)
            }
            _ => {
                tried.others += 1;
                TrialResult::Other
            }
        };
        self.original = original;
        SearchTrial::Showed(shown)
    }
}

/// Returns the question whether a create rejects a record that equals another.
fn duplicate_question(questions: &[Question], create: OperationId) -> Option<usize> {
    let mut questions = questions.iter();
    questions.position(|question| question.operation == create && question.asks == Asks::Duplicate)
}

/// Returns the length, in characters, of the text that a question makes longer.
fn length_of_asked_text((operation, sent): (OperationId, &Value), question: &Question) -> Option<usize> {
    match &question.asks {
        Asks::Longest { field } if question.operation == operation => {
            sent.pointer(field)?.as_str().map(|text| text.chars().count())
        }
        _ => None,
    }
}

/// Returns the fields by which a record is told from others: those that come back as they were sent.
fn identifying_carries(contract: &Contract, create: OperationId) -> impl Iterator<Item = &Carry> {
    contract
        .carries_of_create(create)
        .iter()
        .filter(|carry| carry.comes_back_as_sent())
}

/// Whether the response to a create lacks the identifier that it should show.
fn lacks_record(contract: &Contract, operation: OperationId, body: Option<&Value>) -> bool {
    let id = contract.identifier_pointer(operation).filter(|id| id.starts_with('/'));
    let creates = contract.operation(operation).creates();
    creates && id.is_some() && created_id(contract, operation, body).is_none()
}

/// Whether an update of the run may have changed what a create made, or what contains it, so that the same body no
/// longer equals its record.
fn may_be_updated(contract: &Contract, create: OperationId) -> bool {
    let list = contract.list_showing_created_by(create);
    let lifecycle = contract.lifecycle_of(create);
    let mut operations = contract.operation_ids();
    lifecycle.is_some_and(|lifecycle| !lifecycle.updates.is_empty())
        || operations.any(|id| list.is_some() && contract.list_showing_updated_by(id) == list)
}

/// Returns the identifier in the response to a create.
pub(super) fn created_id<'body>(
    contract: &Contract,
    create: OperationId,
    body: Option<&'body Value>,
) -> Option<&'body Value> {
    let id = body?.pointer(&contract.identifier_pointer(create)?)?;
    (!id.is_null()).then_some(id)
}
