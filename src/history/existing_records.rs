//! Watches the records that lists showed before the run wrote anything, to notice a write that changes one of them. The
//! main type is [`ExistingRecords`].
//!
//! # Design
//!
//! What a write does to other records is rarely documented: a new default takes the flag from the old one, a create
//! hands out a record that somebody else has given back. Words in the contract warn of some of these writes, not of
//! all. So the list is read before and after the first write of each operation that writes to one of its records.
//! Another client may have written in between, so a changed record is no finding. But the operation is not sent again,
//! and each changed record is reported with the residue. If another record now shows what the write sent, a deletion
//! may reach other records too, so no record of that create is deleted.
//!
//! Three things are findings. Right after a write, a record that was there before the run shows a text with the run
//! tag in the very field in which it was sent: in another one, which the service sets, it may name a neighbour or the
//! newest record. And after an update, [`MIN_REACHED`] records or more show a value that it sent, in a field that an
//! invariant says it writes, where they had another one. Other clients may have given some of them a common value,
//! such as a status, in the meantime. So that counts only if no record in the response shows another one. And a field
//! that an invariant says an update writes is cleared in as many records, and in half of them: hardly any other client
//! does that between two reads with a single write in between.
//!
//! A record that a create adds changes what others show about themselves: their rank, their share, how many there are.
//! So a change counts only in a field that the write sent, where a boolean or a single word, such as a status, was
//! replaced, and where an update empties an array: a careless one removes the children of every record. A field that
//! changes without any write, such as `online`, does not count.

use std::collections::{HashMap, HashSet};

use reqwest::header::LINK;
use serde_json::Value;

use super::evidence::{Evidence, Reached, StrayWrite};
use super::history::{EvidenceSink, History};
use super::residue::UnexplainedRecord;
use crate::contract::Contract;
use crate::contract::lifecycle::Lifecycle;
use crate::contract::operation::{Method, OperationId};
use crate::contract::pointer;
use crate::exchange::json::Body;
use crate::exchange::{Digest, Exchange, identifier};

/// The maximum number of records that are watched in each list.
const MAX_RECORDS: usize = 1_000;
/// The maximum number of identifiers that are remembered of each list.
const MAX_IDENTIFIERS: usize = 10_000;
/// The maximum number of fields that are watched in each record.
const MAX_FIELDS: usize = 200;
/// The maximum depth of a watched field: JSON:API has the fields of a record in `attributes`, and those that belong
/// together are often in an object.
const MAX_DEPTH: usize = 3;
/// The maximum number of records that are read because their list no longer shows them.
const MAX_MISSING: usize = 20;
/// The maximum length of a word that names a state, in bytes.
const LONGEST_STATE: usize = 32;
/// The minimum number of existing records that must have changed, right after a write, to a value that it sent, for the
/// change to be put down to the write and not to another client.
const MIN_REACHED: usize = 3;
/// The length of the shortest text, and the smallest number, that count for that: see [`is_distinctive`].
const SHORTEST_DISTINCTIVE: usize = 8;
const SMALLEST_DISTINCTIVE: f64 = 1_000.0;

/// The records that were in the target before the run wrote anything.
#[derive(Debug, Default)]
pub(super) struct ExistingRecords {
    /// What each list has shown.
    lists: HashMap<OperationId, WatchedList>,
    /// The number of records of each list whose first response, before the first write, had all of them, as far as the
    /// contract and the response say.
    lengths: HashMap<OperationId, usize>,
    /// The identifiers that each list has shown before the first write, on any of its pages.
    identifiers: HashMap<OperationId, HashSet<Digest>>,
    /// Whether a write was sent: what a list shows from then on may be the run's own.
    has_written: bool,
    /// The operations one of whose writes was watched.
    watched: HashSet<OperationId>,
    /// The operations after which an existing record had changed, each with the list that showed it.
    changed_by: HashMap<OperationId, OperationId>,
    /// The creates for which a write to one of their records has also changed a record that was there before the run.
    creates_with_stray_writes: HashSet<OperationId>,
}

/// The existing records of a list, as its last response showed them.
#[derive(Debug)]
struct WatchedList {
    /// The path of the request, with its query: another query may show the records in another way.
    path: String,
    records: HashMap<Digest, WatchedRecord>,
    /// The fields that changed although nothing was written in between.
    volatile: HashSet<Digest>,
    /// Whether two responses came with no write in between.
    is_compared: bool,
    /// The writes since the last response.
    writes: Vec<SentWrite>,
    /// The identifiers of the records that a response after a write lacked, unlike the one before, and the write: they
    /// are still to be read.
    vanished: Option<(OperationId, Vec<String>)>,
    /// How many more of them are read after a create or an update, which may only have moved them to the next page.
    reads_left: usize,
}

/// An item of a list, with its identifier.
struct IdentifiedItem<'body> {
    id: &'body Value,
    value: &'body Value,
}

/// Records that were in the target before the run, and that their list no longer shows after a write.
#[derive(Debug)]
pub(crate) struct VanishedRecords {
    /// The operation that reads one of them.
    pub(crate) read: OperationId,
    /// The path before the identifier.
    pub(crate) path_to_id: String,
    /// Their identifiers, in order.
    pub(crate) ids: Vec<String>,
    /// The last write before they were missing.
    pub(crate) write: OperationId,
}

/// A record as its list showed it last.
#[derive(Debug)]
struct WatchedRecord {
    /// Its identifier, if it has one that a path can name.
    id: Option<String>,
    fields: Fields,
    /// Whether the last response lacks it.
    is_missing: bool,
}

/// The watched fields of a record, by the digest of their pointer.
type Fields = HashMap<Digest, FieldValue>;

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FieldValue {
    value: Digest,
    /// Whether it may be a state: a boolean or a single word.
    is_state: bool,
    /// Whether few records have it: see [`is_distinctive`].
    is_distinctive: bool,
    /// How many elements it has, if it is an array.
    elements: Option<usize>,
    /// Whether it is null, an empty text or an empty array.
    is_blank: bool,
}

impl FieldValue {
    /// Whether elements have become none.
    fn is_emptied(self, now: Self) -> bool {
        self.elements.is_some_and(|elements| elements > 0) && now.elements == Some(0)
    }
}

/// Whether a value may identify an existing record, so that a write which sends it would replace that record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdentifyingUse {
    /// No record has it, or several records share a value of its field.
    Free,
    /// No record that the list has shown has it, and no two of these share a value of its field, but the list may have
    /// more pages.
    MayBeOnUnreadPage,
    /// A record has it, and too few records are known to say that none share a value; or its field is named like a
    /// category.
    TakenPerhapsShared,
    /// A record has it, and no two records share a value of its field.
    TakenAndUnique,
}

/// The minimum number of records that must all differ in a field for the field to be taken for a key: then no taken
/// value is sent in it, even if no other is left.
const MIN_OF_KEY: usize = 3;

/// The same for a field with one of the [`NATURAL_KEYS`].
const MIN_OF_NATURAL_KEY: usize = 2;

/// Names of fields that often identify a record: there is one template for each language.
pub(super) const NATURAL_KEYS: [&str; 7] = ["code", "country", "key", "language", "locale", "slug", "weekday"];

/// Names of fields that never identify a record, although a few examples may all differ in them.
const CATEGORIES: [&str; 14] = [
    "category", "color", "colour", "gender", "kind", "level", "priority", "role", "severity", "size", "stage", "state",
    "status", "type",
];

/// The writes of one operation since the last response of the list, other than those rejected with a 4xx.
#[derive(Debug)]
struct SentWrite {
    operation: OperationId,
    /// Whether it is an update.
    is_update: bool,
    /// Whether it is a deletion.
    is_deletion: bool,
    /// What it sent in fields of each name.
    sent: HashMap<String, HashSet<Digest>>,
    /// How many there are.
    count: usize,
}

/// What has changed in the existing records of a list since its last response.
#[derive(Debug, Default)]
struct Changes {
    /// The identifiers of the changed records, in the order of the list.
    ids: Vec<Digest>,
    /// The fields, each with its record, that have changed to what was sent in them.
    to_sent: HashSet<(Digest, Digest)>,
    /// The operations that have sent a value which one of them now shows.
    shown_of: HashSet<OperationId>,
    /// How many of them now show such a value in each field, if another client would hardly have given it to them: if
    /// it tells whose it is (see [`is_distinctive`]), or if no record shows another one.
    showing_sent_value: HashMap<Digest, usize>,
    /// In how many records each field was cleared, although nothing like that was sent, and in how many it could be.
    cleared: HashMap<Digest, usize>,
    compared: usize,
}

/// What operations have changed in existing records.
#[derive(Debug)]
struct ChangedBy {
    /// The operations, in the order of their first write. Of several that have written since the response before, these
    /// have sent what a record now shows.
    operations: Vec<OperationId>,
    changes: Changes,
    /// Whether a single write was sent since the response before.
    is_single_write: bool,
}

impl ExistingRecords {
    /// Whether the list must be read before and after a write of this operation: it has shown existing records, and
    /// none of the operation's writes was watched yet.
    fn watches(&self, operation: OperationId, list: OperationId) -> bool {
        let known = self.lists.get(&list).is_some_and(|list| !list.records.is_empty());
        known && !self.watched.contains(&operation)
    }

    /// Adds a response of a list, with its items and whether it has all of them. If a single operation has written since
    /// the response before, or if existing records now show what one of several has sent, and this is the first time
    /// that it has changed existing records, returns what it has changed.
    fn add(
        &mut self,
        contract: &Contract,
        (list, path): (OperationId, &str),
        (items, is_whole): (&[IdentifiedItem<'_>], bool),
    ) -> Option<ChangedBy> {
        if !self.has_written {
            let known = self.identifiers.entry(list).or_default();
            let room = MAX_IDENTIFIERS.saturating_sub(known.len());
            let shown = items.iter().filter_map(|item| identifier(item.id));
            known.extend(shown.map(|id| Digest::of(&Value::String(id))).take(room));
        }
        if !self.has_written && !self.lists.contains_key(&list) {
            let records = items.iter().take(MAX_RECORDS);
            let watched = WatchedList {
                path: path.to_owned(),
                records: records
                    .map(|item| (Digest::of(item.id), WatchedRecord::new(item)))
                    .collect(),
                volatile: HashSet::new(),
                is_compared: false,
                writes: Vec::new(),
                vanished: None,
                reads_left: MAX_MISSING,
            };
            self.lists.insert(list, watched);
            if is_whole {
                self.lengths.insert(list, self.identifiers[&list].len());
            }
            return None;
        }
        let watched = self.lists.get_mut(&list).filter(|watched| watched.path == path)?;
        let writes = std::mem::take(&mut watched.writes);
        let changes = watched.compare(items, &writes);
        watched.note_vanished(items, &writes, |write| contract.list_written_by(write) == Some(list));
        let is_single_write = writes.iter().map(|write| write.count).sum::<usize>() == 1;
        let mut operations: Vec<_> = writes.iter().map(|write| write.operation).collect();
        match operations.as_slice() {
            [only] if contract.list_written_by(*only) == Some(list) => {
                self.watched.insert(*only);
            }
            [_] => {}
            _ => operations.retain(|operation| changes.shown_of.contains(operation)),
        }
        if changes.ids.is_empty() {
            return None;
        }
        operations.retain(|operation| self.changed_by.insert(*operation, list).is_none());
        (!operations.is_empty()).then_some(ChangedBy {
            operations,
            changes,
            is_single_write,
        })
    }
}

impl WatchedList {
    /// Compares a response with the one before it, and returns what these writes, all that were sent in between, have
    /// changed.
    fn compare(&mut self, items: &[IdentifiedItem<'_>], writes: &[SentWrite]) -> Changes {
        self.is_compared |= writes.is_empty();
        let mut changes = Changes::default();
        // The fields in which a record shows another value than those that were sent, and those in which records have
        // changed to one of them.
        let (mut fields_with_another_value, mut changed_to_sent) = (HashSet::new(), HashMap::<_, usize>::new());
        let is_updated = !writes.is_empty() && writes.iter().all(|write| write.is_update);
        for item in items {
            let id = Digest::of(item.id);
            let Some(before) = self.records.get_mut(&id) else {
                continue;
            };
            let mut is_changed = false;
            changes.compared += 1;
            for (field, name, value) in fields(item.value) {
                let of_field = writes
                    .iter()
                    .filter_map(|write| Some((write.operation, write.sent.get(name)?)));
                let is_sent_field = of_field.clone().next().is_some();
                let senders = of_field.filter(|(_, values)| values.contains(&value.value));
                let senders: Vec<_> = senders.map(|(operation, _)| operation).collect();
                let is_sent = !senders.is_empty();
                if is_sent_field && !is_sent {
                    fields_with_another_value.insert(field);
                }
                let Some(earlier) = before.fields.get_mut(&field).filter(|earlier| **earlier != value) else {
                    continue;
                };
                if writes.is_empty() {
                    self.volatile.insert(field);
                }
                if !earlier.is_blank && value.is_blank && !is_sent && !self.volatile.contains(&field) {
                    *changes.cleared.entry(field).or_default() += 1;
                }
                let is_emptied = is_updated && earlier.is_emptied(value);
                let counts = is_sent_field || is_emptied || (earlier.is_state && value.is_state);
                if counts && !self.volatile.contains(&field) {
                    is_changed = true;
                    changes.shown_of.extend(senders);
                    if is_sent {
                        changes.to_sent.insert((id, field));
                        let showing = match value.is_distinctive {
                            true => &mut changes.showing_sent_value,
                            false => &mut changed_to_sent,
                        };
                        *showing.entry(field).or_default() += 1;
                    }
                }
                *earlier = value;
            }
            if is_changed {
                changes.ids.push(id);
            }
        }
        let changed_everywhere_to_sent = changed_to_sent
            .into_iter()
            .filter(|(field, _)| !fields_with_another_value.contains(field));
        changes.showing_sent_value.extend(changed_everywhere_to_sent);
        changes
    }
}

impl WatchedList {
    /// Notes the records that a response lacks, unlike the one before, if something was written in between. `writes_here`
    /// says whether an operation writes to the records of this list.
    fn note_vanished(
        &mut self,
        items: &[IdentifiedItem<'_>],
        writes: &[SentWrite],
        writes_here: impl Fn(OperationId) -> bool,
    ) {
        let shown: HashSet<_> = items.iter().map(|item| Digest::of(item.id)).collect();
        let mut vanished = Vec::new();
        for (id, record) in &mut self.records {
            let is_missing = !shown.contains(id);
            if is_missing && !record.is_missing {
                vanished.extend(record.id.clone());
            }
            record.is_missing = is_missing;
        }
        // A create may push a record out, and a deletion may take it along; an update hardly does.
        let writer = writes
            .iter()
            .max_by_key(|write| (writes_here(write.operation), write.is_deletion, !write.is_update));
        let Some(writer) = writer.filter(|_| !vanished.is_empty()) else {
            return;
        };
        vanished.sort_unstable();
        let most = if writer.is_deletion {
            MAX_MISSING
        } else {
            self.reads_left
        };
        vanished.truncate(most);
        if !writer.is_deletion {
            self.reads_left -= vanished.len();
        }
        self.vanished = Some((writer.operation, vanished));
    }
}

impl WatchedRecord {
    fn new(item: &IdentifiedItem<'_>) -> Self {
        let fields = fields(item.value).into_iter();
        Self {
            id: identifier(item.id),
            fields: fields.map(|(field, _, value)| (field, value)).collect(),
            is_missing: false,
        }
    }
}

/// Returns the fields of a record that can be watched: the digest of each pointer, the name, and the value.
fn fields(record: &Value) -> Vec<(Digest, &str, FieldValue)> {
    let mut fields = Vec::new();
    let mut pending = vec![(String::new(), "", record, 0)];
    while let Some((at, name, value, depth)) = pending.pop() {
        match value {
            Value::Object(members) if depth < MAX_DEPTH => {
                pending.extend(members.iter().map(|(name, value)| {
                    let at = pointer::join(&at, name);
                    (at, name.as_str(), value, depth + 1)
                }));
            }
            _ if fields.len() == MAX_FIELDS => break,
            _ => {
                let field = FieldValue {
                    value: Digest::of(value),
                    is_state: is_state(value),
                    is_distinctive: is_distinctive(value),
                    elements: value.as_array().map(Vec::len),
                    is_blank: value.is_null()
                        || value.as_str().is_some_and(str::is_empty)
                        || value.as_array().is_some_and(Vec::is_empty),
                };
                fields.push((Digest::of(&Value::String(at)), name, field));
            }
        }
    }
    fields
}

/// Whether a value may be the state of a record.
fn is_state(value: &Value) -> bool {
    match value {
        Value::Bool(_) => true,
        Value::String(word) => {
            let is_word = |character: char| character.is_alphabetic() || matches!(character, '_' | '-');
            !word.is_empty() && word.len() <= LONGEST_STATE && word.chars().all(is_word)
        }
        _ => false,
    }
}

/// Whether another client would hardly give this value to several records at the same time: a text of some length with
/// a digit in it, such as a date, or a number of four digits or more.
fn is_distinctive(value: &Value) -> bool {
    match value {
        Value::Number(number) => number
            .as_f64()
            .is_some_and(|number| number.abs() >= SMALLEST_DISTINCTIVE),
        Value::String(text) => text.len() >= SHORTEST_DISTINCTIVE && text.bytes().any(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// Adds the members within a body, by their names.
fn add_sent(body: &Value, sent: &mut HashMap<String, HashSet<Digest>>) {
    match body {
        Value::Object(members) => {
            for (name, value) in members {
                sent.entry(name.clone()).or_default().insert(Digest::of(value));
                add_sent(value, sent);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| add_sent(element, sent)),
        _ => {}
    }
}

impl History<'_> {
    /// Returns the list that must be read before and after a write, so that a change of an existing record is noticed:
    /// the list of the records that the operation writes to, until one of its writes was watched.
    pub(crate) fn list_to_watch(&self, operation: OperationId) -> Option<OperationId> {
        let list = self.contract.list_written_by(operation)?;
        self.existing_records.watches(operation, list).then_some(list)
    }

    /// Whether a list must be read before the next write: since its last response something was written, or nothing
    /// shows yet which fields change by themselves.
    pub(crate) fn must_be_read_before_write(&self, list: OperationId) -> bool {
        let watched = self.existing_records.lists.get(&list);
        watched.is_some_and(|watched| !watched.is_compared || !watched.writes.is_empty())
    }

    /// Returns why a write is not sent again: a record that was there before the run had changed after it.
    pub(crate) fn reason_existing_record_changed(&self, operation: OperationId) -> Option<String> {
        let list = *self.existing_records.changed_by.get(&operation)?;
        let (name, list) = (
            &self.contract.operation(operation).name,
            &self.contract.operation(list).name,
        );
        Some(format!(
            "{name} was not sent again: after it, a record that {list} had shown before the run had changed or was gone"
        ))
    }

    /// Returns whether a value at this location in the body of a write may identify a record that was there before the
    /// run: its list shows the value there, and no two records share one. A day of the week, a date or a number from a
    /// small range is often such a key, and a create under it replaces the record.
    pub(crate) fn identifying_use(&self, write: OperationId, at: &str, value: &Value) -> IdentifyingUse {
        let list = self
            .contract
            .lifecycle_of(write)
            .and_then(|lifecycle| lifecycle.list.as_ref());
        let watched = list.and_then(|list| self.existing_records.lists.get(&list.operation));
        let Some(watched) = watched.filter(|_| !value.is_boolean() && !value.is_null()) else {
            return IdentifyingUse::Free;
        };
        let field = Digest::of(&Value::String(at.to_owned()));
        let shown = watched.records.values().filter_map(|record| record.fields.get(&field));
        let shown: Vec<_> = shown.map(|field| field.value).collect();
        let different: HashSet<_> = shown.iter().collect();
        if different.len() < shown.len() {
            return IdentifyingUse::Free;
        }
        let name = pointer::last(at).unwrap_or_default().to_ascii_lowercase();
        let is_category = CATEGORIES.iter().any(|category| name.ends_with(category));
        let least = if NATURAL_KEYS.contains(&name.as_str()) {
            MIN_OF_NATURAL_KEY
        } else {
            MIN_OF_KEY
        };
        let is_key = shown.len() >= least && !is_category;
        let may_have_pages = list.is_some_and(|list| self.length_before_writes(list.operation).is_none());
        match different.contains(&Digest::of(value)) {
            true if is_key => IdentifyingUse::TakenAndUnique,
            true => IdentifyingUse::TakenPerhapsShared,
            false if is_key && may_have_pages => IdentifyingUse::MayBeOnUnreadPage,
            false => IdentifyingUse::Free,
        }
    }

    /// Remembers what a write has sent, if it may have changed something.
    pub(super) fn note_sent_values(&mut self, exchange: &Exchange) {
        let operation = exchange.request.operation;
        let is_rejected = exchange.status().is_some_and(|status| (400..500).contains(&status));
        if self.contract.operation(operation).is_get() || is_rejected {
            return;
        }
        let written_by = self.contract.operation(operation);
        let is_update = matches!(written_by.method, Method::Put | Method::Patch) && !written_by.creates();
        let is_deletion = written_by.method == Method::Delete;
        self.existing_records.has_written = true;
        for list in self.existing_records.lists.values_mut() {
            let write = match list.writes.iter_mut().find(|write| write.operation == operation) {
                Some(write) => write,
                None => list.writes.push_mut(SentWrite {
                    operation,
                    is_update,
                    is_deletion,
                    sent: HashMap::new(),
                    count: 0,
                }),
            };
            write.count += 1;
            if let Some(body) = exchange.request.json() {
                add_sent(body, &mut write.sent);
            }
        }
    }

    /// Whether a response of a list shows all of its records, as far as the contract and the response say.
    pub(super) fn shows_all_records(&self, exchange: &Exchange, body: &Value) -> bool {
        let list = exchange.request.operation;
        let paging = self.contract.paging_of(list);
        let has_link = exchange
            .response()
            .is_some_and(|response| response.headers.contains_key(LINK));
        // Whatever a query has may select records.
        !exchange.request.path.contains('?')
            && !has_link
            && paging.is_none_or(|paging| paging.says_that_all_are_shown(body))
            && !self.contract.may_hide_records(list)
    }

    /// Adds what a list shows of the existing records. Those that a write has changed are residue. Emits evidence if
    /// too many of them now show what the write sent for another client to have done it.
    pub(super) fn note_existing(&mut self, exchange: &Exchange, body: &Body, emit: EvidenceSink<'_>) {
        let list = exchange.request.operation;
        let Some((items, id)) = self.contract.items_of_list(list) else {
            return;
        };
        let array = pointer::get(&body.value, items).and_then(Value::as_array);
        let with_id = |value| {
            let id = pointer::get(value, id)?;
            Some(IdentifiedItem { id, value })
        };
        let identified: Vec<_> = array.into_iter().flatten().filter_map(with_id).collect();
        let are_all_identified = array.is_some_and(|items| items.len() == identified.len());
        let are_few = identified.len() <= MAX_RECORDS;
        let is_whole = are_all_identified && are_few && self.shows_all_records(exchange, &body.value);
        let changed = self
            .existing_records
            .add(self.contract, (list, &exchange.request.path), (&identified, is_whole));
        let Some(ChangedBy {
            operations,
            changes,
            is_single_write,
        }) = changed
        else {
            return;
        };
        let [operation, ..] = operations[..] else { return };
        let is_changed = |item: &&IdentifiedItem<'_>| changes.ids.contains(&Digest::of(item.id));
        for item in identified.iter().filter(is_changed) {
            self.add_changed_record((list, identifier(item.id)), operation);
        }
        let shows_own_text = |item: &IdentifiedItem<'_>| {
            item.value.as_object().into_iter().flatten().any(|(name, text)| {
                let field = pointer::join("", name);
                let at = (Digest::of(item.id), Digest::of(&Value::String(field.clone())));
                let is_own = text.is_string() && self.run_tag.is_in(text) && changes.to_sent.contains(&at);
                is_own && !self.contract.may_be_of_another_item(list, &format!("{items}/*{field}"))
            })
        };
        let is_of_list = operations.len() == 1 && self.contract.list_written_by(operation) == Some(list);
        if is_of_list && identified.iter().any(shows_own_text) {
            let stray = StrayWrite {
                operation,
                pointer: items,
                reached: Reached::Tagged,
            };
            emit(Evidence::StrayWrite(stray, &exchange.request));
        }
        let reaching = operations
            .iter()
            .filter(|operation| changes.shown_of.contains(operation));
        let creates = reaching.filter_map(|operation| Some(self.contract.lifecycle_of(*operation)?.create));
        self.existing_records.creates_with_stray_writes.extend(creates);
        if let Some(reached) = self.reached_by_update(operation, &changes, is_single_write) {
            let stray = StrayWrite {
                operation,
                pointer: items,
                reached,
            };
            emit(Evidence::StrayWrite(stray, &exchange.request));
        }
    }

    /// Returns what an update has done to more existing records than another client would have changed, in a field that
    /// an invariant says it writes.
    fn reached_by_update(&self, update: OperationId, changes: &Changes, is_single_write: bool) -> Option<Reached> {
        let updated = self.contract.operation(update).invariants.updated.as_ref()?;
        let returned = updated.carries.iter().map(|carry| carry.returned_at.as_str());
        // What is in an array belongs to the field that has the array.
        let fields = returned.map(|at| at.split_once("/*").map_or(at, |(array, _)| array));
        let fields: Vec<_> = fields.map(|at| Digest::of(&Value::String(at.to_owned()))).collect();
        let most = |counts: &HashMap<Digest, usize>| {
            let counts = fields.iter().filter_map(|field| counts.get(field).copied());
            counts.max().filter(|count| *count >= MIN_REACHED)
        };
        let showing = most(&changes.showing_sent_value).map(Reached::ExistingRecords);
        let cleared = most(&changes.cleared).filter(|count| is_single_write && *count * 2 >= changes.compared);
        showing.or(cleared.map(|count| Reached::Cleared(count, changes.compared)))
    }

    /// Whether a deletion of a create's records may reach others too: after a write to one of them, a record that was
    /// there before the run showed what the write had sent.
    pub(crate) fn may_reach_others(&self, create: OperationId) -> bool {
        self.existing_records.creates_with_stray_writes.contains(&create)
    }

    /// Returns the identifiers of the records that were there before the run and that the last response of a list
    /// lacked, unlike the one before the last write, and that write: once, and only if a read of them can show that
    /// they are gone.
    pub(crate) fn take_vanished(&mut self, list: OperationId) -> Option<VanishedRecords> {
        let (write, ids) = self.existing_records.lists.get_mut(&list)?.vanished.take()?;
        let mut lifecycles = self.contract.lifecycles().iter();
        let is_of_list = |lifecycle: &&Lifecycle| lifecycle.list.as_ref().is_some_and(|of| of.operation == list);
        // If a read may take something other than the identifier, its 404 proves nothing.
        let lifecycle = lifecycles
            .find(is_of_list)
            .filter(|lifecycle| !lifecycle.guessed && !lifecycle.path_may_take_another_field)?;
        Some(VanishedRecords {
            read: lifecycle.read,
            path_to_id: lifecycle.path_to_id.clone(),
            ids,
            write,
        })
    }

    /// Notes that a record which was there before the run is gone after a write: its read says so.
    pub(crate) fn mark_existing_deleted(&mut self, (list, id): (OperationId, String), write: OperationId) {
        self.existing_records.changed_by.insert(write, list);
        self.add_changed_record((list, Some(id)), write);
    }

    fn add_changed_record(&mut self, (list, id): (OperationId, Option<String>), write: OperationId) {
        self.residue_tracker.unexplained_records.push(UnexplainedRecord {
            list,
            id,
            changed_by: Some(write),
            existed: true,
        });
    }

    /// Returns how many records a list had before the run wrote anything; `None` unless its response had all of them, as
    /// far as the contract and that response say.
    pub(super) fn length_before_writes(&self, list: OperationId) -> Option<usize> {
        self.existing_records.lengths.get(&list).copied()
    }

    /// Whether a list has shown a record with this identifier before the run wrote anything.
    pub(super) fn existed(&self, list: OperationId, id: &str) -> bool {
        let known = self.existing_records.identifiers.get(&list);
        known.is_some_and(|known| known.contains(&Digest::of(&Value::String(id.to_owned()))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CONTRACT: &str = "openapi: 3.0.3
info: {title: Things, version: '1'}
components:
  schemas:
    Record: {type: object, properties: {id: {type: integer}, name: {type: string}}}
  responses:
    Record: {description: a, content: {application/json: {schema: {$ref: '#/components/schemas/Record'}}}}
    Records:
      description: a
      content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Record'}}}}
  requestBodies:
    Record: {content: {application/json: {schema: {$ref: '#/components/schemas/Record'}}}}
paths:
  /things:
    get: {operationId: things, responses: {'200': {$ref: '#/components/responses/Records'}}}
    post:
      operationId: addThing
      requestBody: {$ref: '#/components/requestBodies/Record'}
      responses: {'201': {$ref: '#/components/responses/Record'}}
  /things/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: thing, responses: {'200': {$ref: '#/components/responses/Record'}}}
  /others:
    get: {operationId: others, responses: {'200': {$ref: '#/components/responses/Records'}}}
";

    #[test]
    fn a_write_is_watched_once_its_own_list_was_read_after_it() {
        let contract = Contract::read("things.yaml", CONTRACT.to_owned()).unwrap();
        let named = |name| contract.operation_named(name).unwrap();
        let (create, things, others) = (named("addThing"), named("things"), named("others"));
        assert_eq!(contract.list_written_by(create), Some(things));
        let id = json!(1);
        let item = IdentifiedItem {
            id: &id,
            value: &json!({"id": 1, "name": "a"}),
        };
        let mut existing = ExistingRecords::default();
        let read = |existing: &mut ExistingRecords, list| {
            let changed = existing.add(&contract, (list, "/"), (std::slice::from_ref(&item), true));
            assert!(changed.is_none());
        };
        read(&mut existing, things);
        read(&mut existing, others);
        existing.has_written = true;
        for list in existing.lists.values_mut() {
            list.writes.push(SentWrite {
                operation: create,
                is_update: false,
                is_deletion: false,
                sent: HashMap::new(),
                count: 1,
            });
        }
        assert!(existing.watches(create, things));
        read(&mut existing, others);
        assert!(existing.watches(create, things));
        read(&mut existing, things);
        assert!(!existing.watches(create, things));
    }
}
