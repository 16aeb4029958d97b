//! Decides whether a create makes new records, or may hand out or change some that were there before.
//!
//! # Design
//!
//! A service may keep one record for each caller or for each weekday, restore one from its trash, hand out the next of
//! a pool, or move one that is already below another parent. It then responds to a create like any other, and its list
//! shows one record more. So before a record is updated, deleted or built upon, a second create with the same choices
//! as the first must have returned another record: what the body of the first selects, the second selects again.
//!
//! A pool gives each its own record, and a trash may have held one. What shows that is what nobody has sent: the values
//! of one are somebody's data, those of the other another's or none. A default comes with both. What services generate
//! differs too, so most of it is ignored: codes, keys, times close to each other, numbers that count up.
//!
//! A record that was created with other choices than those two is written to only if nothing in them may select a record:
//! a choice may be the reason why the service hands one out.
//!
//! If a service overwrites an existing record completely and shows nothing of the old one, only the total of its list
//! tells it from a new record: see [`list_totals`](super::list_totals).

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta};
use reqwest::header::DATE;
use serde_json::{Map, Number, Value};

use super::existing_records::{IdentifyingUse, NATURAL_KEYS};
use super::history::History;
use super::lifecycle::TrackedRecord;
use super::run_tag::RunTag;
use super::same::instant;
use crate::contract::lexicon::{IDENTIFIERS, camel_case_words};
use crate::contract::operation::OperationId;
use crate::contract::{comparable_name, pointer};
use crate::exchange::{Exchange, Request, identifier};

/// The minimum number of letters and digits in which two strings that were made up must differ: then there are at least
/// tens of thousands of such strings, and two of them are not the keys of two existing records by chance.
const MIN_DIFFERENT_LETTERS: usize = 6;

/// How much earlier than the `Date` of its response a record may say that it was created: time zones that are not
/// stated differ by less.
const MAX_AGE: TimeDelta = TimeDelta::days(2);

/// The smallest integers that count as the seconds and the milliseconds since 1970. From the last on, integers are no
/// times.
const MIN_SECONDS: i64 = 1_000_000_000;
const MIN_MILLISECONDS: i64 = 1_000_000_000_000;
const MIN_IDENTIFIER: i64 = 100_000_000_000_000;

/// Numbers from this one on are identifiers.
const MAX_NUMBER: f64 = 1e14;

/// By how much the numbers of two records differ that a service has counted up in between.
const MAX_STEP: f64 = 10.0;

/// Names of fields that state when a record was created, without separators.
const CREATION_TIMES: [&str; 11] = [
    "addedat", "created", "createdat", "createdon", "createdtime", "createtime", "creationdate", "creationtime",
    "datecreated", "insertedat", "registeredat",
];

/// Names of objects in a record that state such times.
const ABOUT_RECORD: [&str; 5] = ["attributes", "audit", "meta", "metadata", "timestamps"];

/// The values that a record shows and nobody has sent, by their pointers.
#[derive(Clone, Debug, Default)]
pub(super) struct UnsentValues(BTreeMap<String, Value>);

impl UnsentValues {
    /// Returns those that a response shows of the record with this identifier.
    pub(super) fn of((shown, id): (&Value, &Value), request: &Request, run_tag: &RunTag) -> Self {
        let mut sent = Vec::new();
        add_values(request.json().unwrap_or(&Value::Null), "", &mut sent);
        let sent = sent.iter().filter_map(|(_, value)| value.as_str());
        let sent: Vec<_> = sent.map(str::to_lowercase).collect();
        let id = identifier(id).unwrap_or_default();
        // A masked text is a part of what was sent.
        let is_sent = |text: &str| sent.iter().any(|sent| sent.contains(&text.to_lowercase()));
        let is_own =
            |value: &Value| value.as_str().is_some_and(|text| text == id || is_sent(text)) || run_tag.is_in(value);
        let mut values = Vec::new();
        add_values(shown, "", &mut values);
        values.retain(|(_, value)| !value.is_null() && !is_own(value));
        let values = values.into_iter().map(|(at, value)| (at, value.clone()));
        Self(values.collect())
    }

    /// Whether the values of two records differ as only those of different people's data do.
    fn tell_apart(&self, other: &Self) -> bool {
        let mut all = self.0.keys().chain(other.0.keys());
        all.any(|at| {
            let name = comparable_name(&pointer::last(at).unwrap_or_default());
            match (self.0.get(at), other.0.get(at)) {
                (Some(one), Some(another)) => match (moment(one).zip(moment(another)), one, another) {
                    (Some((one, another)), ..) => (one - another).abs() > MAX_AGE,
                    (None, Value::Number(one), Value::Number(another)) => {
                        !name.ends_with("id") && are_far_apart(one, another)
                    }
                    (None, Value::Bool(one), Value::Bool(another)) => one != another && !is_exclusive_role(&name),
                    _ => one != another && (is_written(one) || is_written(another)),
                },
                (Some(only), None) | (None, Some(only)) => {
                    is_written(only) || only.is_number() && moment(only).is_none() && !name.ends_with("id")
                }
                (None, None) => false,
            }
        })
    }
}

/// Adds the plain values in a value, with their pointers.
fn add_values<'value>(value: &'value Value, at: &str, values: &mut Vec<(String, &'value Value)>) {
    match value {
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                add_values(element, &pointer::element(at, index), values);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                add_values(member, &pointer::join(at, name), values);
            }
        }
        plain => values.push((at.to_owned(), plain)),
    }
}

/// Whether a boolean with this name is true of one record, such as the first.
fn is_exclusive_role(name: &str) -> bool {
    const EXCLUSIVE: [&str; 8] = [
        "active", "current", "default", "first", "latest", "main", "primary", "selected",
    ];
    EXCLUSIVE.iter().any(|of_one| name.contains(of_one))
}

/// Whether somebody may have written a text: words, an address or a telephone number. Services generate most texts
/// without lower-case letters or with a digit, and links.
fn is_written(value: &Value) -> bool {
    const SHORTEST_NUMBER: usize = 7;
    let text = value.as_str().unwrap_or_default();
    let is_lower = |letter: char| letter.is_alphabetic() && !letter.is_uppercase();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let is_words = digits == 0 && !text.contains("://") && !text.starts_with('/');
    let is_dialled = digits >= SHORTEST_NUMBER
        && text.contains(['+', ' '])
        && !text.contains(':')
        && !text.contains(char::is_alphabetic);
    is_dialled || text.contains(is_lower) && (is_words || text.contains('@'))
}

/// Whether two numbers differ by more than those do that a service gives to two records, one soon after the other.
/// Great ones are identifiers.
fn are_far_apart(one: &Number, another: &Number) -> bool {
    let values = one.as_f64().zip(another.as_f64());
    values.is_some_and(|(one, another)| one.abs().max(another.abs()) < MAX_NUMBER && (one - another).abs() > MAX_STEP)
}

impl TrackedRecord {
    /// Whether this record or another, both made with the same choices, shows values that nobody has sent and that are
    /// somebody's data.
    fn is_told_apart_from(&self, other: &Self) -> bool {
        let reads = self.unsent_in_read.as_ref().zip(other.unsent_in_read.as_ref());
        self.unsent_in_response.tell_apart(&other.unsent_in_response)
            || reads.is_some_and(|(one, another)| one.tell_apart(another))
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
        let first = self.tracked.iter().find(|record| record.create == create)?;
        let doubt = if self.are_told_apart(create) {
            "two creates with the same choices returned records with different values that the run did not send"
        } else if self.repeated(first).next().is_some() {
            return None;
        } else {
            "no second create with the same choices returned another"
        };
        Some(self.reason_for_doubt(create, doubt))
    }

    /// Returns the records that were created with the same choices as this one, the first of its create.
    fn repeated<'own>(&'own self, first: &'own TrackedRecord) -> impl Iterator<Item = &'own TrackedRecord> {
        self.tracked.iter().filter(|record| {
            record.create == first.create
                && record.path_identifiers != first.path_identifiers
                && same_but_for_own_values(&record.request, &first.request, &self.run_tag)
        })
    }

    /// Returns why one record of a create may have been there before, although others of it are new: it was created with
    /// a choice that no two creates had, and that may select a record, such as another day of the week.
    pub(crate) fn reason_chosen_record_may_be_older(&self, index: usize) -> Option<String> {
        let record = self.tracked.get(index)?;
        let operation = self.contract.operation(record.create);
        if operation.invariants.created.is_some() || operation.new_record_name_parameter().is_some() {
            return None;
        }
        let of_create = || self.tracked.iter().filter(|other| other.create == record.create);
        let is_shown = |other: &&TrackedRecord| self.repeated(other).next().is_some();
        let may_select = |other: &TrackedRecord| self.differs_in_what_may_select(&record.request, &other.request);
        let is_new = of_create().filter(is_shown).any(|other| !may_select(other));
        let doubt = "no second create with its choices returned another";
        (!is_new).then(|| self.reason_for_doubt(record.create, doubt))
    }

    /// Whether two creates differ in a value by which a service may select an existing record. A value that one of them
    /// leaves out counts too: the service may choose one by itself.
    fn differs_in_what_may_select(&self, one: &Request, other: &Request) -> bool {
        let values = |request: &Request| {
            let mut values = Vec::new();
            add_values(request.json().unwrap_or(&Value::Null), "", &mut values);
            let values = values.into_iter().map(|(at, value)| (at, value.clone()));
            values.collect::<BTreeMap<_, _>>()
        };
        let (sent, sent_by_other) = (values(one), values(other));
        let is_made_up = |at: &String| one.made_up.contains(at) || other.made_up.contains(at);
        let mut all = sent.iter().chain(&sent_by_other);
        all.any(|(at, value)| {
            let is_equal = sent.get(at) == sent_by_other.get(at);
            !is_equal && !is_made_up(at) && self.may_select_a_record(one.operation, at, value)
        })
    }

    /// Whether a value in the body of a create may select an existing record: a reference, or a key by the name of its
    /// field or by the values that the list shows there.
    fn may_select_a_record(&self, create: OperationId, at: &str, value: &Value) -> bool {
        const DAYS: [&str; 2] = ["date", "day"];
        let name = pointer::last(at).unwrap_or_default();
        let words = camel_case_words(&name);
        let ends_with = |keys: &[&str]| words.last().is_some_and(|word| keys.contains(&word.as_str()));
        let is_at_top = pointer::tokens(at).count() == 1;
        let is_named_like_key = is_at_top && (ends_with(&NATURAL_KEYS) || words.len() == 1 && ends_with(&DAYS));
        let is_reference = ends_with(&IDENTIFIERS) || self.contract.names_a_record(&name);
        let is_text = value.as_str().is_some_and(|_| self.run_tag.is_in(value));
        let uses = [IdentifyingUse::TakenAndUnique, IdentifyingUse::MayBeOnUnreadPage];
        let is_key = || uses.contains(&self.identifying_use(create, at, value));
        !is_text && !value.is_boolean() && !value.is_null() && (is_reference || is_named_like_key || is_key())
    }

    /// Whether the records of a create show values that nobody has sent and that are somebody's data.
    fn are_told_apart(&self, create: OperationId) -> bool {
        let first = self.tracked.iter().find(|record| record.create == create);
        first.is_some_and(|first| self.repeated(first).any(|record| record.is_told_apart_from(first)))
    }

    /// Whether a record of the run contains one that a create returned although it was there before: a deletion would
    /// take that with it.
    pub(crate) fn holds_older_record(&self, index: usize) -> bool {
        let Some(holder) = self.tracked.get(index) else {
            return false;
        };
        let is_within = |record: &&TrackedRecord| {
            record.path_identifiers.len() > holder.path_identifiers.len()
                && record.path_identifiers.starts_with(&holder.path_identifiers)
        };
        let is_older = |record: &TrackedRecord| {
            let create = record.create;
            record.was_shown_before
                || record.is_created_again
                || self.doubted_creates.contains_key(&create)
                || self.are_told_apart(create)
        };
        self.tracked.iter().filter(is_within).any(is_older)
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
        let date = date.and_then(|date| moment(&Value::from(date)));
        let Some((record, date)) = record.zip(date) else {
            return false;
        };
        let sent = exchange.request.json().and_then(Value::as_object);
        let is_sent = |name: &String| sent.is_some_and(|sent| sent.contains_key(name));
        let about = ABOUT_RECORD.iter().filter_map(|name| record.get(*name)?.as_object());
        let mut members = about.chain([record]).flat_map(Map::iter);
        members.any(|(name, value)| {
            let states_creation = CREATION_TIMES.contains(&comparable_name(name).as_str()) && !is_sent(name);
            states_creation && moment(value).is_some_and(|created| date - created > MAX_AGE)
        })
    }
}

/// Returns the time that a value states: a timestamp, with or without an offset, a date, or the seconds or milliseconds
/// since 1970. Without an offset it is only known to within a day.
fn moment(value: &Value) -> Option<NaiveDateTime> {
    if let Some(number) = value.as_i64() {
        let time = match number {
            MIN_MILLISECONDS..MIN_IDENTIFIER => DateTime::from_timestamp_millis(number),
            MIN_SECONDS..MIN_MILLISECONDS => DateTime::from_timestamp(number, 0),
            _ => None,
        };
        return time.map(|time| time.naive_utc());
    }
    let text = value.as_str()?;
    let local = || {
        let forms = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
        forms
            .iter()
            .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
    };
    let date = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0);
    let known = instant(value).map(|instant| instant.naive_utc());
    known.or_else(local).or_else(date)
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
