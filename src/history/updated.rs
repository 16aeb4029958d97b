//! Finds the run's updates in the list that must show them: in the updated record, and in no other.
//!
//! After the first update of a record is accepted, variants of it are sent to the same record: *further* updates.

use std::sync::Arc;

use serde_json::Value;

use super::carried::carries_all;
use super::created::ObservedRecord;
use super::evidence::{Evidence, UpdateObservation, Walk, WalkEnd};
use super::history::{EvidenceSink, History};
use super::look::{Item, WaitExtent};
use super::records::{AcceptedUpdate, identifier_string};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::{Carry, Updated};

/// An update that is looked for, and what the last walk showed of it.
#[derive(Debug)]
pub(super) struct UpdateSearch {
    update: Arc<AcceptedUpdate>,
    /// The body that the update sent.
    body: Value,
    /// The state before a further update; `None` for the first update.
    earlier: Option<EarlierUpdates>,
    /// The updated record.
    record: Option<ObservedRecord>,
    /// Another item that shows something that was sent to the updated record.
    elsewhere: Option<ObservedRecord>,
}

/// The state before a further update.
#[derive(Debug)]
struct EarlierUpdates {
    /// The record as its list showed it last.
    before: Option<ObservedRecord>,
    /// The value that the earlier updates sent last in each field.
    sent: Value,
}

impl UpdateSearch {
    /// Forgets what the previous walk showed.
    pub(super) fn begin_walk(&mut self) {
        self.record = None;
        self.elsewhere = None;
    }

    /// Whether the record was seen with everything that was sent and must come back.
    fn shows_all_sent(&self, invariant: &Updated) -> bool {
        let record = self.record.as_ref();
        record.is_some_and(|seen| carries_all(&invariant.carries, &self.body, &seen.record))
    }

    /// Whether the record shows each sent field with its value. If a gap allows another spelling of the value, it is
    /// enough that the field changed, or that the same value had been sent before.
    fn arrived(&self, invariant: &Updated, earlier: &EarlierUpdates) -> bool {
        let Some(seen) = &self.record else { return false };
        invariant.carries.iter().all(|carry| {
            let strict = Carry {
                gap: None,
                ..carry.clone()
            };
            let shown = |seen: &ObservedRecord| {
                pointer::select(&seen.record, &carry.returned_at)
                    .into_iter()
                    .cloned()
                    .collect()
            };
            let is_new = |before: &ObservedRecord| -> bool {
                let (shown, before): (Vec<Value>, Vec<Value>) = (shown(seen), shown(before));
                shown != before
            };
            let select = |value| pointer::select(value, &carry.sent);
            let repeated = || select(&self.body) == select(&earlier.sent);
            let is_respelled = || carry.gap.is_some() && (repeated() || earlier.before.as_ref().is_none_or(is_new));
            carries_all(&[strict], &self.body, &seen.record) || is_respelled()
        })
    }
}

impl<'run> History<'run> {
    /// Returns what the contract says about where an update appears.
    fn updated_invariant(&self, operation: OperationId) -> Option<&'run Updated> {
        self.contract.operation(operation).invariants.updated.as_ref()
    }

    /// Begins to look for an update; for a further one, `sent` has the value that the earlier updates sent last in each
    /// field.
    pub(super) fn update_search(&self, update: &Arc<AcceptedUpdate>, sent: Option<&Value>) -> UpdateSearch {
        UpdateSearch {
            body: update.request.json().cloned().unwrap_or_default(),
            earlier: sent.map(|sent| EarlierUpdates {
                before: self.updated_as_last_listed.get(&update.operation).cloned(),
                sent: sent.clone(),
            }),
            update: Arc::clone(update),
            record: None,
            elsewhere: None,
        }
    }

    /// Whether the list shows the updated record with what was sent.
    pub(super) fn has_arrived(&self, search: &UpdateSearch) -> bool {
        let invariant = self.updated_invariant(search.update.operation);
        invariant.is_none_or(|invariant| match &search.earlier {
            Some(earlier) => search.arrived(invariant, earlier),
            None => search.shows_all_sent(invariant),
        })
    }

    /// Remembers the updated record, and any item that shows something that was sent to it. Returns whether the update
    /// was seen, where that ends a walk.
    pub(super) fn observe_update(&self, item: Item<'_>, search: &mut UpdateSearch) -> bool {
        let Some(invariant) = self.updated_invariant(search.update.operation) else {
            return false;
        };
        let list = self.contract.operation(item.request.operation);
        let id = list.page.as_ref().and_then(|page| item.value.pointer(&page.id));
        let mut values = search.update.path_values.iter();
        let updated = values.find(|(name, _)| Some(name) == invariant.listed.item_parameter.as_ref());
        let is_updated_record = id
            .zip(updated)
            .is_some_and(|(id, (_, updated))| identifier_string(id) == identifier_string(updated));
        if is_updated_record {
            // A record that moves while the list is walked may be seen twice, before and after the change; the latter
            // is kept.
            if !search.shows_all_sent(invariant) {
                search.record = Some(ObservedRecord::new(item, item.value, ""));
            }
        } else {
            let mut carries = invariant.carries.iter();
            let tagged = carries.find_map(|carry| self.tagged_value(carry, &search.body, item.value));
            if let Some(at) = tagged {
                search.elsewhere = Some(ObservedRecord::new(item, item.value, &at));
            }
        }
        // Only a further update ends the walk early. For the first update every item is examined, so that a value in
        // the wrong record is noticed.
        search.earlier.is_some() && self.has_arrived(search)
    }

    /// Whether an item shows a value of the body that contains the run tag: nobody else would have sent that.
    pub(super) fn shows_run_tag(&self, carry: &Carry, body: &Value, item: &Value) -> bool {
        self.tagged_value(carry, body, item).is_some()
    }

    /// Returns the indexed pointer at which an item shows a value of the body that contains the run tag.
    fn tagged_value(&self, carry: &Carry, body: &Value, item: &Value) -> Option<String> {
        let run_tag = self.run_tag.as_str();
        let mut tagged = pointer::select(body, &carry.sent);
        tagged.retain(|sent| sent.as_str().is_some_and(|text| text.contains(run_tag)));
        if tagged.is_empty() {
            return None;
        }
        let mut returned = pointer::select_indexed(item, &carry.returned_at).into_iter();
        let (at, _) = returned.find(|(_, value)| tagged.contains(value))?;
        Some(at)
    }

    /// Emits the evidence about what a look shows of an update. An updated record that the list does not show counts as
    /// gone only if the look lasted long enough.
    pub(super) fn emit_update(
        &mut self,
        search: &UpdateSearch,
        walk: &Walk,
        waited: WaitExtent,
        emit: EvidenceSink<'_>,
    ) {
        let update = &search.update;
        let Some(invariant) = self.updated_invariant(update.operation) else {
            return;
        };
        if let Some(record) = &search.record {
            self.updated_as_last_listed.insert(update.operation, record.clone());
        }
        // While the record itself is not seen, another item may be the same record under another id.
        let elsewhere = search.elsewhere.as_ref().filter(|_| search.record.is_some());
        let record = search.record.as_ref();
        let updating = UpdateObservation {
            operation: update.operation,
            invariant,
            request: &update.request,
            listed: record.map(|seen| (&seen.record, seen.pointer.as_str())),
            before: search
                .earlier
                .as_ref()
                .and_then(|earlier| Some((&earlier.before.as_ref()?.record, &earlier.sent))),
            elsewhere: elsewhere.map(|seen| seen.pointer.as_str()),
            gone: record.is_none() && waited == WaitExtent::Fully && walk.end == WalkEnd::Complete && !walk.changed(),
            end: walk.end,
            max_pages: walk.max_pages,
        };
        let last = walk.last_request(self.contract);
        let shown = elsewhere.or(record).map(|seen| &seen.request);
        let request = shown.or(last.as_ref()).unwrap_or(&update.request);
        emit(Evidence::UpdateObservation(updating, request));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    use crate::exchange::{Content, Request};
    use crate::history::RunTag;

    #[test]
    fn a_value_that_another_item_shows_is_reported_by_its_indexes() {
        let contract = crate::testing::built_in();
        let plain = |name| {
            let operation = contract.operation_named(name).unwrap();
            Request::unfilled(operation, contract.operation(operation))
        };
        let run_tag = RunTag::new(1, 1);
        let own = format!("countersign.{}@example.com", run_tag.numbered(0));
        let history = History::new(contract, run_tag, false);
        let request = Request {
            body: Some(Content::Json(json!({"contact_methods": [{"contact": own}]}))),
            ..plain("updateContact")
        };
        let update = AcceptedUpdate {
            operation: request.operation,
            request,
            path_values: vec![("id".to_owned(), json!("c-1"))],
        };
        let mut search = history.update_search(&Arc::new(update), None);
        let value = json!({"id": "c-2", "contact_methods": [{"contact": "a@example.com"}, {"contact": own}]});
        let item = Item {
            value: &value,
            at: ("/data/items", 3),
            page: None,
            request: &plain("getContacts"),
        };
        assert!(!history.observe_update(item, &mut search));
        assert_eq!(
            search.elsewhere.unwrap().pointer,
            "/data/items/~23/contact_methods/~21/contact"
        );
    }
}
