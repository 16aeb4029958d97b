//! Notices that a record of somebody else has got the identifier of one of the run's own. The main type is
//! [`TaggedFields`].
//!
//! # Design
//!
//! Another client may delete the run's record, and a database that uses a number again gives it to the next record. The
//! next write of the run then reaches that one, and its response shows the run's own string again. So one response is
//! enough: once a read, a list or the response to a write shows the record with another string in a field where it has
//! shown the run tag, and with no string of the run anywhere, its identifier is lost for good.
//!
//! What a service hides, shows late or clears is no such string: a field counts only from when it has shown what the
//! last write of it sent until the run itself sends something else there.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde_json::Value;

use super::bindings::{PathIdentifiers, identifiers_in_path};
use super::history::History;
use super::lifecycle::TrackedRecord;
use super::next_numbers::has_documented_credential;
use super::residue::may_have_stored;
use super::run_tag::RunTag;
use crate::contract::lifecycle::{Lifecycle, RecordList};
use crate::contract::link::Link;
use crate::contract::operation::{Method, OperationId};
use crate::contract::pointer;
use crate::exchange::json::Body;
use crate::exchange::{Exchange, Intent, Purpose, TrialPart, identifier};

/// The fields in which a record shows strings with the run tag.
#[derive(Clone, Debug, Default)]
pub(super) struct TaggedFields {
    /// Those in which the last write of them sent such a string.
    sent: BTreeSet<String>,
    /// Those of them in which a response has shown one since.
    shown: BTreeSet<String>,
}

impl TaggedFields {
    /// Notes what a write sent that was not clearly rejected. If it `replaces` the record, it may have cleared the
    /// other fields.
    pub(super) fn note_sent(&mut self, run_tag: &RunTag, body: &Value, replaces: bool) {
        let fields = fields_with_tag(run_tag, body);
        let stays = |name: &String| fields.get(name).copied().unwrap_or(!replaces);
        self.sent.retain(stays);
        self.shown.retain(stays);
        let tagged = fields.iter().filter(|(_, is_tagged)| **is_tagged);
        self.sent.extend(tagged.map(|(name, _)| name.clone()));
    }

    /// Forgets all fields: a write may have changed any of them.
    fn clear(&mut self) {
        *self = Self::default();
    }

    /// Notes what a response shows of the record.
    pub(super) fn note_shown(&mut self, run_tag: &RunTag, record: &Value) {
        let is_shown =
            |name: &&String| members_of(record).any(|(other, member)| other == *name && run_tag.is_in(member));
        let shown: Vec<_> = self.sent.iter().filter(is_shown).cloned().collect();
        self.shown.extend(shown);
    }

    /// Whether what a response shows under the identifier of the record has another string in one of the fields, and
    /// the run tag in none.
    fn are_replaced_in(&self, run_tag: &RunTag, record: &Value) -> bool {
        let is_replaced = |(name, member): (&String, &Value)| {
            self.shown.contains(name) && member.as_str().is_some_and(|text| !text.trim().is_empty())
        };
        let is_own = |(name, member): (&String, &Value)| self.sent.contains(name) && run_tag.is_in(member);
        members_of(record).any(is_replaced) && !members_of(record).any(is_own)
    }
}

/// Returns the fields of a body, at any depth, each with whether it has the run tag. Of several with the same name, the
/// one that is nested least deeply counts.
fn fields_with_tag(run_tag: &RunTag, body: &Value) -> BTreeMap<String, bool> {
    let mut fields = BTreeMap::new();
    let mut pending = VecDeque::from([body]);
    while let Some(members) = pending.pop_front().and_then(Value::as_object) {
        for (name, member) in members {
            let is_tagged = member.is_string() && run_tag.is_in(member);
            fields.entry(name.clone()).or_insert(is_tagged);
            pending.extend(Some(member).filter(|member| member.is_object()));
        }
    }
    fields
}

/// Returns the fields of a record: JSON:API has them in `attributes`.
fn members_of(record: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let attributes = record.get("attributes").and_then(Value::as_object);
    record.as_object().into_iter().chain(attributes).flatten()
}

/// Returns the items of a list by their identifiers.
fn items_by_id<'body>(body: &'body Value, list: &RecordList) -> HashMap<String, Vec<&'body Value>> {
    let mut by_id = HashMap::<_, Vec<_>>::new();
    let items = pointer::get(body, &list.items).and_then(Value::as_array);
    for item in items.into_iter().flatten() {
        if let Some(id) = item.pointer(&list.id).and_then(identifier) {
            by_id.entry(id).or_default().push(item);
        }
    }
    by_id
}

impl History<'_> {
    /// Notes what a write sent under the identifier of a tracked record, or below it.
    pub(super) fn note_fields_of_write(&mut self, exchange: &Exchange, intent: Intent) {
        let request = &exchange.request;
        let contract = self.contract;
        let operation = contract.operation(request.operation);
        if operation.is_read() || may_have_stored(&exchange.outcome) == Some(false) {
            return;
        }
        let path = identifiers_in_path(operation, &request.path);
        let creates = operation.creates();
        let run_tag = &self.run_tag;
        for record in &mut self.tracked {
            let is_it = path == record.path_identifiers;
            if !path.starts_with(&record.path_identifiers) || creates && !is_it {
                continue;
            }
            let body = request.json().filter(|_| is_it && operation.method != Method::Delete);
            let Some(body) = body else {
                record.tagged_fields.clear();
                continue;
            };
            record
                .tagged_fields
                .note_sent(run_tag, body, operation.method != Method::Patch);
            // A service may change an edge case on its way, or keep a part of it.
            if let Purpose::EdgeCase(_) = intent.purpose {
                record.tagged_fields.shown.clear();
            }
        }
    }

    /// Notes what a success shows of tracked records, and marks those as lost whose identifier another record has got.
    pub(super) fn note_lost_records(&mut self, (exchange, intent): (&Exchange, Intent), body: &Body) {
        let operation = self.contract.operation(exchange.request.operation);
        let is_plain = match intent.purpose {
            Purpose::EdgeCase(_) => !operation.is_read(),
            Purpose::MustBeRejected { .. } | Purpose::Trial(TrialPart::Variant(_)) => false,
            _ => true,
        };
        if !is_plain || !has_documented_credential(&exchange.request, operation) {
            return;
        }
        let mut lost = Vec::new();
        for (index, shown) in self.shown_of_tracked(exchange, &body.value) {
            let Some(record) = self.tracked.get_mut(index) else {
                continue;
            };
            let shows_own = shown.iter().map(Cow::as_ref).any(|shown: &Value| {
                record.tagged_fields.note_shown(&self.run_tag, shown);
                let mut objects = [Some(shown), shown.get("attributes")].into_iter().flatten();
                objects.any(|object| {
                    object
                        .as_object()
                        .is_some_and(|members| self.sent_strings.any_shown_by(members))
                })
            });
            let fields = &record.tagged_fields;
            let mut shown = shown.iter();
            if !shows_own && shown.any(|shown| fields.are_replaced_in(&self.run_tag, shown)) {
                lost.push(record.path_identifiers.clone());
            }
        }
        for path_identifiers in lost {
            self.doubt_below(&path_identifiers);
        }
    }

    /// Returns what a response shows of each tracked record of this round that is not in doubt: all items of a list
    /// that have its identifier, or the record in the response to its read or to a write of it.
    fn shown_of_tracked<'body>(&self, exchange: &Exchange, body: &'body Value) -> Vec<(usize, Vec<Cow<'body, Value>>)> {
        let operation = exchange.request.operation;
        let path = identifiers_in_path(self.contract.operation(operation), &exchange.request.path);
        let mut listed = HashMap::new();
        let mut all = Vec::new();
        for index in self.tracked_where(|record| !record.is_doubtful && !record.tagged_fields.sent.is_empty()) {
            let Some(record) = self.tracked.get(index) else {
                continue;
            };
            let lifecycle = self.contract.lifecycle_of(record.create);
            let Some(lifecycle) = lifecycle.filter(|known| !known.guessed) else {
                continue;
            };
            let list = lifecycle.list.as_ref().filter(|list| list.operation == operation);
            let shown: Vec<_> = match list {
                Some(list) => {
                    let items = listed.entry(record.create).or_insert_with(|| items_by_id(body, list));
                    let above = record.path_identifiers.split_last().map(|(_, above)| above);
                    let id = identifier(record.id()).filter(|_| above == Some(&path[..]));
                    let of_record = id.and_then(|id| items.get(&id)).into_iter().flatten();
                    of_record.map(|item| Cow::Borrowed(*item)).collect()
                }
                None => {
                    let shown = self.shown_of((record, lifecycle), (exchange, &path), body);
                    shown.into_iter().collect()
                }
            };
            if !shown.is_empty() {
                all.push((index, shown));
            }
        }
        all
    }

    /// Returns what a response that is no list shows of a tracked record.
    fn shown_of<'body>(
        &self,
        (record, lifecycle): (&TrackedRecord, &Lifecycle),
        (exchange, path): (&Exchange, &PathIdentifiers),
        body: &'body Value,
    ) -> Option<Cow<'body, Value>> {
        let is_read = exchange.request.operation == lifecycle.read;
        // A parameter may select another view of the record, such as one in another language.
        let is_selected = is_read && exchange.request.path.contains('?');
        if *path != record.path_identifiers || is_selected {
            return None;
        }
        let shown = match is_read {
            true => pointer::get(body, &lifecycle.record_in_read).map(Cow::Borrowed),
            false => self.record_in_response(exchange, body).map(Cow::Owned),
        };
        shown.filter(|shown| record.has_id_in(shown, lifecycle))
    }

    /// Marks the tracked records with this path, and those below it, as somebody else's.
    fn doubt_below(&mut self, path_identifiers: &PathIdentifiers) {
        let below = self.tracked.iter_mut();
        let below = below.filter(|record| record.path_identifiers.starts_with(path_identifiers));
        let mut creates: Vec<(OperationId, Option<String>)> = Vec::new();
        for record in below {
            record.is_doubtful = true;
            creates.push((record.create, identifier(record.id())));
        }
        for (create, id) in creates {
            if id.is_some_and(|id| self.is_bound(create, &id)) {
                self.doubt_ownership(
                    create,
                    "a response shows a record with it, but nothing that the run sent",
                );
            }
        }
    }

    /// Whether later writes take this identifier from a create.
    fn is_bound(&self, create: OperationId, id: &str) -> bool {
        let links = self.contract.links_from(create);
        let links: Vec<&Link> = links
            .filter(|link| self.contract.identifies_created_record(link))
            .collect();
        let mut values = self.bindings.linked_values(&links).into_iter();
        values.any(|(_, value)| identifier(value).as_deref() == Some(id))
    }

    /// Returns the index of the run's own record to which an update is sent next, if it has been read, but not since
    /// the last write of the run.
    pub(crate) fn record_to_read_before(&self, update: OperationId) -> Option<usize> {
        let create = self.contract.lifecycle_of(update)?.create;
        let invariants = |operation| &self.contract.operation(operation).invariants;
        if create == update || invariants(create).created.is_some() || invariants(update).updated.is_some() {
            return None;
        }
        let is_next = |record: &TrackedRecord| {
            record.create == create && identifier(record.id()).is_some_and(|id| self.is_bound(create, &id))
        };
        let index = self.tracked.iter().rposition(is_next)?;
        let record = self.tracked.get(index)?;
        (record.last_read.is_some() && !record.is_doubtful && record.writes_before_read != self.writes).then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Whether the last of these responses shows another record, after a create and this update, if any.
    fn is_replaced(update: Option<(Value, bool)>, responses: &[Value]) -> bool {
        let run_tag = RunTag::new(1, 1);
        let own = |name: &str| json!({"id": 4, "name": name, "notes": run_tag.numbered(2)});
        let mut fields = TaggedFields::default();
        fields.note_sent(&run_tag, &own(&run_tag.numbered(1)), true);
        fields.note_shown(&run_tag, &own(&run_tag.numbered(1)));
        if let Some((sent, replaces)) = update {
            fields.note_sent(&run_tag, &sent, replaces);
        }
        let mut is_replaced = false;
        for response in responses {
            fields.note_shown(&run_tag, response);
            is_replaced = fields.are_replaced_in(&run_tag, response);
        }
        is_replaced
    }

    #[test]
    fn other_strings_in_all_fields_of_the_run_are_those_of_another_record() {
        let run_tag = RunTag::new(1, 1);
        let somebodys = json!({"id": 4, "name": "Anna's", "notes": "hers"});
        let own = json!({"name": run_tag.numbered(3)});
        assert!(is_replaced(None, std::slice::from_ref(&somebodys)));
        assert!(is_replaced(None, &[json!({"id": 4, "attributes": {"name": "Anna's"}})]));
        assert!(is_replaced(
            Some((own.clone(), false)),
            std::slice::from_ref(&somebodys)
        ));
        // The update may have cleared the notes.
        assert!(is_replaced(Some((own, true)), std::slice::from_ref(&somebodys)));
        // What the run has changed itself shows the tag again.
        let plain = Some((json!({"name": "Plain"}), true));
        let written = json!({"id": 4, "name": "Plain", "notes": null});
        assert!(!is_replaced(plain.clone(), std::slice::from_ref(&written)));
        assert!(!is_replaced(plain, &[written, somebodys]));
    }

    #[test]
    fn what_is_hidden_cleared_or_changed_in_part_is_still_the_run_s() {
        let run_tag = RunTag::new(1, 1);
        for shown in [
            json!({"id": 4}),
            json!({"id": 4, "name": null, "notes": ""}),
            json!({"id": 4, "name": "Untitled", "notes": run_tag.numbered(2).to_uppercase()}),
            json!({"id": 4, "title": "Untitled"}),
        ] {
            assert!(!is_replaced(None, std::slice::from_ref(&shown)), "{shown}");
        }
        // A field counts again only once a response has shown what was sent last.
        let cleared = Some((json!({"name": "", "notes": null}), false));
        let late = json!({"id": 4, "name": run_tag.numbered(1), "notes": "none"});
        assert!(!is_replaced(
            cleared,
            &[late, json!({"id": 4, "name": "Untitled", "notes": "none"})]
        ));
    }
}
