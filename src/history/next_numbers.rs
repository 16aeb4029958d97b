//! Predicts the number of the record that a create will return, so that a read can show before the create that no
//! record has it. The main type is [`NextNumbers`].
//!
//! # Design
//!
//! In most databases each table counts from 1, so other responses have shown almost every small number: as that of a
//! record of another kind, as a quantity, as a year. That a create returns such a number proves nothing. But if a read
//! by it was rejected with 404 just before, the create has not returned an existing record. Services count up, so the
//! next number is one more than the greatest that a list or a create of the same collection has shown, or 1. If the
//! create returns another number, nothing is shown, and the number is in doubt as before.
//!
//! A read may hide what exists, such as a record that is marked as deleted. So a number that another view of the same
//! collection shows, such as `/subscriptions/cancelled`, or `/devices` for what is created below a site, stays in doubt.
//! So does one that a list at any other path shows for such a record: see [`OtherView`].
//!
//! A large number appears by chance less often, so nested numbers are excused only up to [`MIN_TELLING`].

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::bindings::{PathIdentifiers, identifiers_in_path};
use super::history::History;
use super::lifecycle::all_in_path;
use super::observed_values::ObservedValues;
use crate::contract::document::Node;
use crate::contract::lifecycle::Lifecycle;
use crate::contract::operation::{Operation, OperationId};
use crate::contract::other_views::OtherView;
use crate::contract::{comparable_name, pointer};
use crate::exchange::{Credential, Exchange, Request, identifier};

/// What is known about the numbers of records.
#[derive(Debug, Default)]
pub(super) struct NextNumbers {
    /// The greatest number that each create's collection has shown, under the records that the path of the create
    /// names.
    greatest: HashMap<(OperationId, PathIdentifiers), u64>,
    /// The records whose read was rejected with 404 or 410, each with that read.
    missing: HashSet<(OperationId, PathIdentifiers)>,
    /// What other views of a create's collection have shown.
    views: HashMap<OperationId, ObservedValues>,
    /// How each read shows the records of each create, as far as it was asked.
    other_views: HashMap<(OperationId, OperationId), Option<OtherView>>,
}

/// The smallest number that a response does not show by chance.
const MIN_TELLING: u64 = 10_000;

impl History<'_> {
    /// Notes the numbers that a list shows, the record that a read says is missing, and what a view of a collection
    /// shows.
    pub(super) fn note_numeric_identifiers(&mut self, exchange: &Exchange, body: Option<&Value>) {
        let contract = self.contract;
        let operation = exchange.request.operation;
        let documented = contract.operation(operation);
        if !documented.is_read() || !has_documented_credential(&exchange.request, documented) {
            return;
        }
        let under = identifiers_in_path(documented, &exchange.request.path);
        for lifecycle in contract.lifecycles() {
            if lifecycle.read == operation && matches!(exchange.status(), Some(404 | 410)) {
                self.next_numbers.missing.insert((operation, under.clone()));
            }
            let Some(body) = body else { continue };
            if let Some(list) = lifecycle.list.as_ref().filter(|list| list.operation == operation) {
                let items = pointer::get(body, &list.items).and_then(Value::as_array);
                let ids = items.into_iter().flatten().filter_map(|item| item.pointer(&list.id));
                for number in ids.filter_map(number) {
                    self.next_numbers.note_number((lifecycle.create, under.clone()), number);
                }
            }
            let is_nested = lifecycle.path_to_id.contains('{');
            let is_elsewhere = is_nested && contract.has_same_collection(lifecycle.create, documented);
            if is_elsewhere || is_view(contract.operation(lifecycle.create), documented) {
                let view = self.next_numbers.views.entry(lifecycle.create);
                let view = view.or_insert_with(|| ObservedValues::new(true));
                view.note(body, &|name| contract.documents_field(name));
            }
            let known = self.next_numbers.other_views.entry((lifecycle.create, operation));
            let other_view = known.or_insert_with(|| contract.other_view(lifecycle.create, documented));
            if let Some(other_view) = other_view {
                let view = self.next_numbers.views.entry(lifecycle.create);
                let view = view.or_insert_with(|| ObservedValues::new(true));
                let is_documented = |name: &str| contract.documents_field(name);
                match other_view {
                    OtherView::Hidden if lists_something(body, &is_documented) => view.note(body, &is_documented),
                    OtherView::Hidden => {}
                    OtherView::Items(noun) => note_items(view, body, noun),
                }
            }
        }
    }

    /// Notes the number that a create returned.
    pub(super) fn note_created_number(&mut self, create: &Request, id: &Value) {
        let under = all_in_path(self.contract, create);
        if let Some((under, number)) = under.zip(number(id)) {
            self.next_numbers.note_number((create.operation, under), number);
        }
    }

    /// Forgets that a read by this identifier was rejected, because a create has returned it since: a later create must
    /// not return it again.
    pub(super) fn note_taken_number(&mut self, create: &Request, id: &str) {
        let lifecycle = self.contract.lifecycle_starting_with(create.operation);
        if let Some((lifecycle, named)) = lifecycle.zip(self.record_of(create, &Value::from(id))) {
            self.next_numbers.missing.remove(&(lifecycle.read, named));
        }
    }

    /// Returns the read, and the records for its path, that can show before a create that its record will be new. There
    /// is one if the number that the create will return is known, other responses have shown it, and no read has shown
    /// yet that it is free.
    pub(crate) fn read_of_next_number(&self, create: &Request) -> Option<(OperationId, PathIdentifiers)> {
        let lifecycle = self.contract.lifecycle_starting_with(create.operation)?;
        let operation = self.contract.operation(create.operation);
        if operation.new_record_name_parameter().is_some() || !has_documented_credential(create, operation) {
            return None;
        }
        let under = all_in_path(self.contract, create)?;
        let greatest = self.next_numbers.greatest.get(&(create.operation, under));
        let next = match greatest {
            Some(greatest) => greatest.checked_add(1)?,
            None if self.takes_numbers(lifecycle) => 1,
            None => return None,
        };
        let next = Value::from(next);
        let named = self.record_of(create, &next)?;
        let is_open = self.observed_values.contains(&next) && !self.is_missing(create, &next);
        is_open.then_some((lifecycle.read, named))
    }

    /// Whether a response showed this value before a create returned it, so that it may be the identifier of another
    /// record. If no other view of the collection showed it, it does not count where a read has shown that no record
    /// had it, or where it is a small number below a record of the run: nobody else has any there.
    pub(super) fn was_observed(&self, create: &Request, id: &Value) -> bool {
        let mut views = self.next_numbers.views.get(&create.operation).into_iter();
        let is_small = number(id).is_some_and(|number| number < MIN_TELLING);
        let is_new = || self.is_missing(create, id) || is_small && self.is_below_own(create);
        self.observed_values.contains(id) && (views.any(|view| view.contains(id)) || !is_new())
    }

    /// Whether a response showed this text as a value, so that it may be the identifier of a record.
    pub(crate) fn was_shown(&self, text: &str) -> bool {
        self.observed_values.contains(&Value::from(text))
    }

    /// Whether the path of a create names a record of the run that a read has shown to be its own.
    fn is_below_own(&self, create: &Request) -> bool {
        let named = all_in_path(self.contract, create).filter(|named| !named.is_empty());
        named.is_some_and(|named| self.has_own_record(&named))
    }

    /// Whether a read of a create's record by this identifier was rejected with 404 or 410.
    fn is_missing(&self, create: &Request, id: &Value) -> bool {
        let lifecycle = self.contract.lifecycle_starting_with(create.operation);
        let record = lifecycle.zip(self.record_of(create, id));
        record.is_some_and(|(lifecycle, named)| self.next_numbers.missing.contains(&(lifecycle.read, named)))
    }

    /// Returns the records that the read of a create's record names in its path, if the record has this identifier.
    fn record_of(&self, create: &Request, id: &Value) -> Option<PathIdentifiers> {
        let lifecycle = self.contract.lifecycle_starting_with(create.operation)?;
        let mut named = all_in_path(self.contract, create)?;
        named.push((lifecycle.path_to_id.clone(), identifier(id)?));
        Some(named)
    }

    /// Whether the read of a lifecycle takes a number.
    fn takes_numbers(&self, lifecycle: &Lifecycle) -> bool {
        let read = self.contract.operation(lifecycle.read);
        let mut parameters = read.parameters.iter().enumerate();
        let taken =
            parameters.find(|(index, _)| read.path_to_parameter(*index).as_ref() == Some(&lifecycle.path_to_id));
        let schema = taken.and_then(|(_, parameter)| self.contract.document.node(parameter.schema.as_deref()?));
        let kind = schema.and_then(|schema| self.contract.referred(schema).member("type"));
        kind.and_then(Node::string) == Some("integer")
    }
}

impl NextNumbers {
    fn note_number(&mut self, collection: (OperationId, PathIdentifiers), number: u64) {
        let greatest = self.greatest.entry(collection).or_default();
        *greatest = number.max(*greatest);
    }
}

/// Whether a body has an array, or a map, whose names the contract does not document.
fn lists_something(body: &Value, is_documented: &dyn Fn(&str) -> bool) -> bool {
    match body {
        Value::Array(_) => true,
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| !is_documented(name) || lists_something(member, is_documented)),
        _ => false,
    }
}

/// Remembers what identifies the items of a list, which are records of the kind that the noun names, or belong to one:
/// `id`, `product_id`, `product`, and a link to one.
fn note_items(view: &mut ObservedValues, body: &Value, noun: &str) {
    let items = match body {
        Value::Array(items) => items,
        Value::Object(members) => return members.values().for_each(|member| note_items(view, member, noun)),
        _ => return,
    };
    for (name, member) in items.iter().filter_map(Value::as_object).flatten() {
        let name = comparable_name(name);
        let member = member.get("id").unwrap_or(member);
        if name == "id" || name == noun || name.strip_suffix("id") == Some(noun) {
            view.note_scalar(member);
        }
        let mut segments = member.as_str().unwrap_or_default().trim_end_matches('/').rsplit('/');
        let (last, above) = (segments.next(), segments.next());
        if above.is_some_and(|above| above.to_lowercase().contains(noun)) {
            view.note_scalar(&Value::from(last));
        }
    }
}

/// Returns an identifier that is a number, or consists of the digits of one.
fn number(id: &Value) -> Option<u64> {
    identifier(id)?.parse().ok()
}

/// Whether a request has the credential that its operation documents: without it, a service may hide what exists.
pub(super) fn has_documented_credential(request: &Request, operation: &Operation) -> bool {
    match request.credential {
        Credential::Token { .. } => true,
        Credential::None => !operation.security.needs_credential(),
        _ => false,
    }
}

/// Whether a read shows another view of the collection of a create: its path continues that of the collection with a
/// name, not with a parameter.
fn is_view(create: &Operation, read: &Operation) -> bool {
    let collection = create.collection_path().trim_end_matches('/');
    let below = read
        .path
        .strip_prefix(collection)
        .and_then(|rest| rest.strip_prefix('/'));
    below.is_some_and(|below| !below.is_empty() && !below.starts_with('{'))
}
