//! Decides whether a create makes new records, or may hand out or change some that were there before.
//!
//! # Design
//!
//! A service may keep one record for each caller or for each weekday, restore one from its trash, hand out the next of
//! a pool, or move one that is already below another parent. It then responds to a create like any other. So before a
//! record is updated or deleted, something must show that creates add: either a list that had shown all records before
//! the run now has as many more as the run has created, or two creates with the same choices returned different
//! records. Neither is enough alone where the response shows texts that nobody has sent: they may be those of somebody
//! else. A default comes with every record, so the texts of two records must then be the same. Generated texts that
//! have digits (numbers, dates, keys) or no lower-case letter (codes) tell nothing and are ignored.
//!
//! What a service overwrites as a whole, and shows nothing of, cannot be told from a new record.

use std::collections::{BTreeMap, HashSet};

use chrono::TimeDelta;
use reqwest::header::DATE;
use serde_json::{Map, Value};

use super::history::History;
use super::lifecycle::TrackedRecord;
use super::run_tag::RunTag;
use super::same::instant;
use crate::contract::lifecycle::Lifecycle;
use crate::contract::operation::OperationId;
use crate::contract::{comparable_name, pointer};
use crate::exchange::{Digest, Exchange, Request};

/// The minimum number of letters and digits in which two strings that were made up must differ: then there are at least
/// tens of thousands of such strings, and two of them are not the keys of two existing records by chance.
const MIN_DIFFERENT_LETTERS: usize = 6;

/// How much earlier than the `Date` of its response a record may say that it was created: time zones that are not
/// stated differ by less.
const MAX_AGE: TimeDelta = TimeDelta::days(2);

/// Names of fields that state when a record was created, without separators.
const CREATION_TIMES: [&str; 9] = [
    "created",
    "createdat",
    "createdon",
    "createdtime",
    "createtime",
    "creationdate",
    "creationtime",
    "datecreated",
    "insertedat",
];

/// The texts that a record shows and nobody has sent, by their pointers. Without values: they may be somebody's data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UnsentTexts(BTreeMap<String, Digest>);

impl UnsentTexts {
    /// Returns those that a response shows.
    pub(super) fn of(shown: &Value, request: &Request, run_tag: &RunTag) -> Self {
        let mut sent = Vec::new();
        add_texts(request.json().unwrap_or(&Value::Null), "", &mut sent);
        let sent: HashSet<_> = sent.iter().map(|(_, text)| text.to_lowercase()).collect();
        let mut texts = Vec::new();
        add_texts(shown, "", &mut texts);
        texts.retain(|(_, text)| may_be_somebodys(text) && !sent.contains(&text.to_lowercase()));
        let unsent = texts.into_iter().map(|(at, text)| (at, Value::from(text)));
        let unsent = unsent.filter(|(_, text)| !run_tag.is_in(text));
        Self(unsent.map(|(at, text)| (at, Digest::of(&text))).collect())
    }
}

/// Adds the texts in a value, with their pointers.
fn add_texts<'value>(value: &'value Value, at: &str, texts: &mut Vec<(String, &'value str)>) {
    match value {
        Value::String(text) => texts.push((at.to_owned(), text)),
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                add_texts(element, &pointer::element(at, index), texts);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                add_texts(member, &pointer::join(at, name), texts);
            }
        }
        _ => {}
    }
}

/// Whether somebody may have written a text. Services generate most texts without lower-case letters or with a digit,
/// and links.
fn may_be_somebodys(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
        && !text.chars().any(char::is_numeric)
        && text
            .chars()
            .any(|letter| letter.is_alphabetic() && !letter.is_uppercase())
        && !text.contains("://")
        && !text.starts_with('/')
}

impl TrackedRecord {
    /// Whether the create's response or the first read of another record has texts that nobody has sent, and that this
    /// one does not have, or the other way round.
    fn shows_other_unsent_texts(&self, other: &Self) -> bool {
        let reads = self.unsent_in_read.as_ref().zip(other.unsent_in_read.as_ref());
        self.unsent_in_response != other.unsent_in_response || reads.is_some_and(|(one, another)| one != another)
    }

    /// Whether a record is new because its list has grown, and it shows no text that nobody has sent.
    fn is_new_by_list(&self) -> bool {
        let unsent = [Some(&self.unsent_in_response), self.unsent_in_read.as_ref()];
        self.is_added && unsent.into_iter().flatten().all(|texts| texts.0.is_empty())
    }
}

impl History<'_> {
    /// Returns why a create may have changed a record that was there before, instead of adding one; `None` once
    /// something shows that it adds. An invariant or a name that the run chose rules this out from the start. The first
    /// record counts, because a service restores what is in its trash before it creates anything.
    pub(crate) fn reason_records_may_be_older(&self, create: OperationId) -> Option<String> {
        self.contract.lifecycle_of(create)?;
        let operation = self.contract.operation(create);
        if operation.invariants.created.is_some() || operation.new_record_name_parameter().is_some() {
            return None;
        }
        let own: Vec<_> = self.tracked.iter().filter(|record| record.create == create).collect();
        let first = own.first()?;
        let is_repeated = |record: &&&TrackedRecord| {
            record.path_identifiers != first.path_identifiers
                && same_but_for_own_values(&record.request, &first.request, &self.run_tag)
        };
        let mut repeated = own.iter().filter(is_repeated).peekable();
        let doubt = if repeated.clone().any(|record| record.shows_other_unsent_texts(first)) {
            "two creates with the same choices returned records with different texts that the run did not send"
        } else if repeated.peek().is_some()
            || own.iter().all(|record| self.is_new_by_place(record))
            || first.is_new_by_list()
        {
            return None;
        } else {
            "no list shows that it is new, and no second create with the same choices returned another"
        };
        Some(self.reason_for_doubt(create, doubt))
    }

    /// Whether a record is new because it is below another one of the run. A service may move a record there that is
    /// below another parent, or below none, if the create says which: by a value that is not the run's own.
    fn is_new_by_place(&self, record: &TrackedRecord) -> bool {
        record.path_identifiers.len() > 1
            && !self.contract.has_collection_elsewhere(record.create)
            && !record.request.json().is_some_and(|body| self.may_select(body))
    }

    /// Whether a body has a value by which a service may find an existing record: a number, or a text that the run has
    /// not made up.
    fn may_select(&self, body: &Value) -> bool {
        match body {
            Value::Null | Value::Bool(_) => false,
            Value::Number(_) => true,
            Value::String(text) => !text.is_empty() && !self.run_tag.is_in(body),
            Value::Array(elements) => elements.iter().any(|element| self.may_select(element)),
            Value::Object(members) => members.values().any(|member| self.may_select(member)),
        }
    }

    /// Returns how many records the list of a lifecycle had before the run: see [`History::length_before_writes`].
    fn length_of_list(&self, lifecycle: &Lifecycle) -> Option<usize> {
        self.length_before_writes(lifecycle.list.as_ref()?.operation)
    }

    /// Whether a list, which had shown all of its records before the run, now has more of them, and no more than the
    /// run has created. A list below a record of the run had none, whatever is moved there.
    pub(super) fn has_grown_to(&self, create: OperationId, listed: usize) -> bool {
        let Some(lifecycle) = self.contract.lifecycle_of(create) else {
            return false;
        };
        let list = |lifecycle: &Lifecycle| Some(lifecycle.list.as_ref()?.operation);
        let is_of_list = |record: &&TrackedRecord| {
            let lifecycle_of_record = self.contract.lifecycle_of(record.create);
            lifecycle_of_record.and_then(list) == list(lifecycle)
        };
        let created = self.tracked.iter().filter(is_of_list);
        let is_nested = created.clone().any(|record| record.path_identifiers.len() > 1);
        let length = self.length_of_list(lifecycle).filter(|_| !is_nested);
        length.is_some_and(|length| length < listed && listed <= length + created.count())
    }

    /// Whether a write may be sent although [`Self::reason_records_may_be_older`] speaks against the record in its
    /// path (the parent): it creates a record below the parent, and a list will show whether the parent is new.
    pub(crate) fn may_add_below(&self, create: OperationId, write: OperationId) -> bool {
        let lifecycle = self.contract.lifecycle_of(create);
        let has_length = |lifecycle| self.length_of_list(lifecycle).is_some();
        self.contract.operation(write).creates() && lifecycle.is_some_and(has_length)
    }

    /// Whether the record in a create's response states a time of creation that is long before the response.
    pub(super) fn is_older_than_response(&self, exchange: &Exchange, body: &Value) -> bool {
        let lifecycle = self.contract.lifecycle_starting_with(exchange.request.operation);
        let record = lifecycle.and_then(|lifecycle| {
            let (above, _) = lifecycle.created_id_pointer.rsplit_once('/')?;
            pointer::get(body, above)?.as_object()
        });
        let date = exchange
            .response()
            .and_then(|response| response.headers.get(DATE)?.to_str().ok());
        let date = date.and_then(|date| instant(&Value::from(date)));
        let Some((record, date)) = record.zip(date) else {
            return false;
        };
        let sent = exchange.request.json().and_then(Value::as_object);
        let is_sent = |name: &String| sent.is_some_and(|sent| sent.contains_key(name));
        let attributes = record.get("attributes").and_then(Value::as_object);
        let mut members = [Some(record), attributes].into_iter().flatten().flat_map(Map::iter);
        members.any(|(name, value)| {
            let states_creation = CREATION_TIMES.contains(&comparable_name(name).as_str()) && !is_sent(name);
            states_creation && instant(value).is_some_and(|created| created + MAX_AGE < date)
        })
    }
}
/// Whether two bodies differ in nothing but values of the run's own: strings that both have the run tag, and made-up
/// strings (at the pointers of [`Request::made_up`]) of one length that differ in so many letters that hardly any
/// record has either of them.
fn same_but_for_own_values(one: &Request, other: &Request, run_tag: &RunTag) -> bool {
    let (mut body, mut other_body) = (one.json().cloned(), other.json().cloned());
    for at in one.made_up.iter().filter(|at| other.made_up.contains(at)) {
        let bodies = (body.as_mut(), other_body.as_mut());
        let (Some(body), Some(other_body)) = bodies else { break };
        if let (Some(value), Some(other_value)) = (body.pointer_mut(at), other_body.pointer_mut(at))
            && differ_in_many_letters(value, other_value)
        {
            *value = Value::Null;
            *other_value = Value::Null;
        }
    }
    same_but_for_texts(body.as_ref(), other_body.as_ref(), run_tag)
}

/// Whether two strings of one length differ in at least [`MIN_DIFFERENT_LETTERS`] letters.
fn differ_in_many_letters(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.as_str(), other.as_str()) else {
        return false;
    };
    let pairs = one.chars().zip(other.chars());
    one.chars().count() == other.chars().count()
        && pairs.filter(|(letter, other)| letter != other).count() >= MIN_DIFFERENT_LETTERS
}

/// Whether two bodies differ in nothing but strings that both have the run tag.
fn same_but_for_texts(one: Option<&Value>, other: Option<&Value>, run_tag: &RunTag) -> bool {
    match (one, other) {
        (Some(Value::Object(members)), Some(Value::Object(others))) => {
            let same = |(name, value)| same_but_for_texts(Some(value), others.get(name), run_tag);
            members.len() == others.len() && members.iter().all(same)
        }
        (Some(Value::Array(elements)), Some(Value::Array(others))) => {
            let mut pairs = elements.iter().zip(others);
            elements.len() == others.len()
                && pairs.all(|(element, other)| same_but_for_texts(Some(element), Some(other), run_tag))
        }
        (Some(text @ Value::String(_)), Some(other @ Value::String(_))) => {
            text == other || run_tag.is_in(text) && run_tag.is_in(other)
        }
        (one, other) => one == other,
    }
}
