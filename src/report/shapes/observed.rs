//! Folds the exchanges of a run into shapes. The main types are [`Observed`] and [`Answers`].

use std::collections::BTreeMap;

use super::form::Form;
use super::place::{At, Place};
use crate::contract::Contract;
use crate::contract::operation::{Operation, OperationId};
use crate::contract::pointer;
use crate::exchange::json::{self, JsonError};
use crate::exchange::{Answer, Exchange, Purpose};

/// The media types that are told, beside those that the contract documents: what else stands there may be a value.
const KNOWN_TYPES: [&str; 4] = [
    "application/json",
    "application/problem+json",
    "text/html",
    "text/plain",
];

/// What a run saw.
#[derive(Debug)]
pub struct Observed<'contract> {
    contract: &'contract Contract,
    successes: BTreeMap<OperationId, Answers>,
    errors: Answers,
}

/// The shapes of several answers, by status and media type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    pub(super) by_head: BTreeMap<String, Place>,
}

impl<'contract> Observed<'contract> {
    /// Nothing, yet.
    #[must_use]
    pub fn new(contract: &'contract Contract) -> Self {
        Self {
            contract,
            successes: BTreeMap::new(),
            errors: Answers::default(),
        }
    }

    /// Adds an exchange: the success of a documented request to its operation, a refusal to the errors. What asks for
    /// time, what has no complete answer and what became of odd requests otherwise is no shape of an answer.
    pub fn see(&mut self, exchange: &Exchange) {
        let Ok(answer) = &exchange.outcome else { return };
        let id = exchange.request.operation;
        let operation = self.contract.operation(id);
        let documented = matches!(exchange.request.purpose, Purpose::Documented(_));
        let place = || body(self.contract, operation, answer);
        if documented && operation.succeeds_with(answer.status) {
            let place = place();
            self.successes
                .entry(id)
                .or_default()
                .add(head(operation, answer), place);
        } else if (400..500).contains(&answer.status) && !answer.is_throttled() {
            let place = place();
            self.errors.add(head(operation, answer), place);
        }
    }

    /// What the operation answered to documented requests; none where it answered none of them with success.
    #[must_use]
    pub fn successes(&self, operation: OperationId) -> Option<&Answers> {
        self.successes.get(&operation)
    }

    /// What was answered to requests that were refused.
    #[must_use]
    pub fn errors(&self) -> &Answers {
        &self.errors
    }
}

impl Answers {
    fn add(&mut self, head: String, place: Place) {
        let known = self.by_head.remove(&head).unwrap_or_default();
        self.by_head.insert(head, known.joined(place));
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_head.is_empty()
    }

    /// These, and what was accepted that the target's rows may just not have shown.
    #[must_use]
    pub fn completed(&self, accepted: &Self) -> Self {
        let beside = self.by_head.keys().any(|head| accepted.by_head.contains_key(head));
        let mut by_head: BTreeMap<_, _> = accepted.by_head.clone();
        by_head.retain(|head, _| beside || self.by_head.contains_key(head));
        for (head, place) in &self.by_head {
            let known = accepted.by_head.get(head).or_else(|| accepted.by_head.values().next());
            let place = place.clone().completed(known.unwrap_or(&Place::default()));
            by_head.insert(head.clone(), place);
        }
        Self { by_head }
    }

    /// These without what the operation's answers are about: the items of a list, the record that a create made. None
    /// where the contract says of no place that it holds them.
    #[must_use]
    pub fn envelopes(&self, operation: &Operation) -> Option<Self> {
        let created = operation.laws.created.as_ref();
        let resource = match (&operation.page, created) {
            (Some(page), _) => pointer::join(&page.items, "*"),
            (None, Some(created)) => created.resource.clone(),
            (None, None) => return None,
        };
        let resource: Vec<_> = pointer::tokens(&resource).collect();
        let around = |(head, place): (&String, &Place)| (head.clone(), place.around(&resource));
        Some(Self {
            by_head: self.by_head.iter().map(around).collect(),
        })
    }
}

fn head(operation: &Operation, answer: &Answer) -> String {
    let documented = |told: &str| {
        let mut answers = operation.answers.iter().flat_map(|answer| &answer.media_types);
        answers.any(|media_type| media_type == told) || KNOWN_TYPES.contains(&told)
    };
    match answer.media_type() {
        None => answer.status.to_string(),
        Some(told) if documented(&told) => format!("{} {told}", answer.status),
        Some(_) => format!("{} <undocumented media type>", answer.status),
    }
}

fn body(contract: &Contract, operation: &Operation, answer: &Answer) -> Place {
    let at = At {
        contract,
        shape: operation.answer(answer.status).and_then(|answer| answer.body),
        page: operation.page.as_ref().map(|page| page.items.as_str()),
        pointer: "",
    };
    match json::read(&answer.body) {
        Ok(body) => Place::of(&body.value, at),
        Err(JsonError::Empty) => Place::only(Form::NoBody),
        Err(JsonError::Beyond | JsonError::Syntax { .. }) => Place::only(Form::NotJson),
    }
}
