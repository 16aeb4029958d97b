//! Finds the created records, those of the run or of other clients whose traffic is judged, in the list that must show
//! them.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::carried::carries_all;
use super::evidence::{CreatedObservation, Creation, Evidence, Walk};
use super::history::{EvidenceSink, History};
use super::look::Item;
use super::records::identifier_string;
use super::same::same;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::Equality;
use crate::exchange::{Request, identifier};

/// What the history keeps of a record that the run, or another client whose traffic is judged, created.
#[derive(Clone, Debug)]
pub(super) struct CreatedRecord {
    /// The operation that created it.
    pub(super) operation: OperationId,
    /// The accepted request.
    pub(super) request: Request,
    /// The record in the response, reduced to its identifier; without the invariant `created`, the bare identifier.
    pub(super) identity: Value,
    /// Whether the identifier was seen before: in a list, or in the response to another create of this run.
    pub(super) seen_before: bool,
    /// The values in the path of the create, by parameter; they include the record's owner.
    pub(super) path_values: Vec<(String, Value)>,
}

/// A created or updated record as its list shows it.
#[derive(Clone, Debug)]
pub(super) struct ObservedRecord {
    pub(super) record: Value,
    /// Its indexed pointer (see `pointer::element`) in the response.
    pub(super) pointer: String,
    /// The number of the requested page; `None` for the default.
    pub(super) page: Option<u64>,
    pub(super) request: Request,
}

impl ObservedRecord {
    /// A value within an item, with its pointer there.
    pub(super) fn new(item: Item<'_>, record: &Value, below: &str) -> Self {
        Self {
            record: record.clone(),
            pointer: format!("{}{below}", item.pointer()),
            page: item.page,
            request: item.request.clone(),
        }
    }
}

/// What a look for created records has shown. Each record is looked for in the item of the list that is the record, or
/// that contains it (its *owner*).
#[derive(Debug, Default)]
pub(super) struct CreatedSearch {
    /// The records that are looked for; the other fields refer to them by index.
    sought: Vec<CreatedRecord>,
    /// How many have an identifier: a record without one cannot be found, so the look does not wait for it.
    findable: usize,
    /// Whether some have an owner, under which they must appear. Then every item is examined, because a record may
    /// appear under the wrong one.
    examines_every_item: bool,
    /// The records whose item, or that of their owner, was seen, so that any other item is a different one.
    record_or_owner_seen: HashSet<usize>,
    /// The records that the current walk has found in that item.
    found_in_this_walk: HashSet<usize>,
    /// The records that any walk has found in that item, as the last of these showed them.
    found: HashMap<usize, ObservedRecord>,
    /// The records that were found in another item.
    elsewhere: HashMap<usize, ObservedRecord>,
}

impl CreatedSearch {
    /// Begins the search for the records that this list must show; with `create`, only for those that it created.
    pub(super) fn of(history: &History<'_>, list: OperationId, create: Option<OperationId>) -> Self {
        let creations = history.creations.iter();
        let sought: Vec<_> = creations
            .filter(|creation| create.is_none_or(|create| creation.operation == create))
            .filter(|creation| history.contract.list_showing_created_by(creation.operation) == Some(list))
            .cloned()
            .collect();
        let has_owner = |creation: &CreatedRecord| {
            let invariant = history.created_and_listed_invariants(creation.operation);
            invariant.is_some_and(|(_, listed)| listed.item_parameter.is_some())
        };
        Self {
            findable: sought
                .iter()
                .filter(|creation| history.identifier(creation).is_some())
                .count(),
            examines_every_item: sought.iter().any(has_owner),
            sought,
            ..Self::default()
        }
    }

    /// Makes the search end once each record is found, whether or not another item has one of them too.
    pub(super) fn stopping_once_found(self) -> Self {
        Self {
            examines_every_item: false,
            ..self
        }
    }

    /// Forgets which records the previous walk has found.
    pub(super) fn begin_walk(&mut self) {
        self.found_in_this_walk.clear();
    }

    /// Whether any of the records was seen.
    pub(super) fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// Whether no further page has to be requested.
    pub(super) fn is_enough(&self) -> bool {
        !self.examines_every_item && self.found_in_this_walk.len() == self.findable
    }
}

/// Whether two identifiers are one: `7.0` is 7, but "7" is another.
fn is_same_id(one: &Value, other: &Value) -> bool {
    same(Equality::Value, one, other) == Some(true)
}

impl History<'_> {
    /// Whether every record that has an identifier was found, and shows what was sent.
    pub(super) fn are_all_found(&self, search: &CreatedSearch) -> bool {
        let mut found = search.found.iter();
        search.found.len() == search.findable && found.all(|(index, seen)| self.carries(&search.sought[*index], seen))
    }

    /// Whether a record, as its list shows it, has what was sent.
    pub(super) fn carries(&self, creation: &CreatedRecord, seen: &ObservedRecord) -> bool {
        let body = creation.request.json().unwrap_or(&Value::Null);
        self.created_and_listed_invariants(creation.operation)
            .is_none_or(|(created, _)| carries_all(&created.carries, body, &seen.record))
    }

    /// Returns the identifier in the response to the create, if it can name a record.
    fn identifier<'creation>(&self, creation: &'creation CreatedRecord) -> Option<&'creation Value> {
        let (created, _) = self.created_and_listed_invariants(creation.operation)?;
        creation
            .identity
            .pointer(&created.id)
            .filter(|id| identifier(id).is_some())
    }

    /// Whether no other page would show any of the records that were not found: each is an item of a list that does not
    /// have all its items yet (`lacks_items`), or belongs inside an item that was seen without it.
    pub(super) fn are_others_not_listed_yet(&self, search: &CreatedSearch, lacks_items: bool) -> bool {
        let mut others = (0..search.sought.len()).filter(|index| !search.found.contains_key(index));
        others.all(|index| {
            let listed = self.created_and_listed_invariants(search.sought[index].operation);
            let is_item = listed.is_some_and(|(_, listed)| listed.item_parameter.is_none());
            (is_item && lacks_items) || (!is_item && search.record_or_owner_seen.contains(&index))
        })
    }

    /// Adds what an item shows: which of the created records it is or contains, each with where it is.
    pub(super) fn observe(&self, list: OperationId, item: Item<'_>, search: &mut CreatedSearch) {
        for (index, creation) in search.sought.iter().enumerate() {
            let is_record_or_owner = self.is_record_or_owner(list, creation, item.value);
            if is_record_or_owner {
                search.record_or_owner_seen.insert(index);
            }
            if let Some((record, below)) = self.record_in(creation, item.value, is_record_or_owner) {
                let observed = ObservedRecord::new(item, record, &below);
                if is_record_or_owner {
                    search.found_in_this_walk.insert(index);
                    search.found.insert(index, observed);
                } else {
                    search.elsewhere.insert(index, observed);
                }
            } else if let Some(below) = self
                .tagged_string_in(creation, item.value)
                .filter(|_| !is_record_or_owner)
            {
                search
                    .elsewhere
                    .insert(index, ObservedRecord::new(item, item.value, &below));
            }
        }
    }

    /// Returns where an item contains a string of the created record, under any identifier. The string has the run tag
    /// in it, so nobody else would have sent it.
    fn tagged_string_in(&self, creation: &CreatedRecord, item: &Value) -> Option<String> {
        let (created, listed) = self.created_and_listed_invariants(creation.operation)?;
        let at = listed
            .records_in_item
            .as_deref()
            .filter(|_| listed.item_parameter.is_some())?;
        let records = item.pointer(at)?.as_array()?;
        let body = creation.request.json()?;
        let strict = || created.carries.iter().filter(|carry| carry.comes_back_as_sent());
        let index = records
            .iter()
            .position(|record| strict().any(|carry| self.shows_run_tag(carry, body, record)))?;
        Some(pointer::element(at, index))
    }

    /// Whether an item is the record, or its owner.
    pub(super) fn is_record_or_owner(&self, list: OperationId, creation: &CreatedRecord, item: &Value) -> bool {
        let page = self.contract.operation(list).page.as_ref();
        let id = page.and_then(|page| item.pointer(&page.id));
        let listed = self
            .created_and_listed_invariants(creation.operation)
            .map(|(_, listed)| listed);
        match listed.and_then(|listed| listed.item_parameter.as_ref()) {
            None => id
                .zip(self.identifier(creation))
                .is_some_and(|(id, created)| is_same_id(id, created)),
            Some(owner) => {
                let owner = creation.path_values.iter().find(|(name, _)| name == owner);
                id.zip(owner)
                    .is_some_and(|(id, (_, owner))| identifier_string(id) == identifier_string(owner))
            }
        }
    }

    /// Returns the created record that an item is or contains, and its pointer in the item; `is_record_or_owner` is
    /// what the method of that name has returned for it.
    pub(super) fn record_in<'item>(
        &self,
        creation: &CreatedRecord,
        item: &'item Value,
        is_record_or_owner: bool,
    ) -> Option<(&'item Value, String)> {
        let (created, listed) = self.created_and_listed_invariants(creation.operation)?;
        if listed.item_parameter.is_none() {
            return is_record_or_owner.then(|| (item, String::new()));
        }
        let at = listed.records_in_item.as_deref()?;
        let id = self.identifier(creation)?;
        let records = item.pointer(at)?.as_array()?;
        let index = records
            .iter()
            .position(|record| record.pointer(&created.id).is_some_and(|listed| is_same_id(listed, id)))?;
        Some((&records[index], pointer::element(at, index)))
    }

    /// Emits the evidence about each record that was looked for; `walk` is the last walk of the look.
    pub(super) fn emit_created(&mut self, search: &CreatedSearch, walk: &Walk, emit: EvidenceSink<'_>) {
        let is_complete = walk.end.reason(walk.max_pages).is_none() && !walk.changed();
        self.note_mock_signs(&search.sought, is_complete, |index| search.found.get(&index));
        let last = walk.last_request(self.contract);
        for (index, creation) in search.sought.iter().enumerate() {
            let Some((invariant, _)) = self.created_and_listed_invariants(creation.operation) else {
                continue;
            };
            let creation = Creation {
                operation: creation.operation,
                invariant,
                request: &creation.request,
                record: &creation.identity,
                seen_before: creation.seen_before,
            };
            let seen = search.found.get(&index);
            let elsewhere = search
                .elsewhere
                .get(&index)
                .filter(|_| search.record_or_owner_seen.contains(&index));
            let observation = CreatedObservation {
                creation,
                listed: seen.map(|seen| (&seen.record, seen.pointer.as_str())),
                elsewhere: elsewhere.map(|seen| seen.pointer.as_str()),
                end: walk.end,
                changed: walk.changed(),
                max_pages: walk.max_pages,
            };
            let shown = elsewhere.or(seen).map(|seen| &seen.request);
            let request = shown.or(last.as_ref()).unwrap_or(creation.request);
            emit(Evidence::CreatedObservation(observation, request));
        }
    }
}
