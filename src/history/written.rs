//! Compares what the response to a write, and the read after it, show of a tracked record: the response must show what
//! was sent, an update must keep the fields that it did not send, and the list must show the record as the read does.

use std::collections::HashMap;

use reqwest::header::{AGE, CACHE_CONTROL, ETAG};
use serde_json::Value;

use super::carried::{carries_all, field_listed_otherwise, returned_values};
use super::evidence::{Evidence, KeptFields, ListedCount, PrecedingRequest, RecordShown, ResponseShown, ShownState};
use super::history::{EvidenceSink, History};
use super::lifecycle::{RecordSearch, RecordStage, TrackedRecord};
use crate::contract::fact::FactKind;
use crate::contract::lifecycle::Lifecycle;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::Carry;
use crate::exchange::{Exchange, Request};

/// Parts of the names of fields that may follow from another field: a slug is made of a title.
const MAY_FOLLOW: [&str; 18] = [
    "abbreviation", "count", "digest", "display", "excerpt", "full", "handle", "hash", "initial", "key", "label",
    "length", "permalink", "preview", "search", "slug", "sort", "total",
];

/// How many reads in a row must show another time of the last change than the read before: most follow each other at once, so
/// a job that changes records a few times a second is not taken for the reads.
const TOUCHES_TO_COUNT: u32 = 5;

/// What reads of the records of each create have shown of the time of their last change, where the run sent no write
/// between them. A service may still be busy with an earlier write, so a time that once stayed decides nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadsBetweenWrites(HashMap<OperationId, TimesShown>);

/// How often the time was another one than before although nothing else was, and how often not.
#[derive(Clone, Copy, Debug, Default)]
struct TimesShown {
    other: u32,
    same: u32,
}

impl ReadsBetweenWrites {
    /// Compares a record with what the read before has shown, if there was one. `lifecycle` is `None` after a write.
    pub(super) fn note(&mut self, lifecycle: Option<&Lifecycle>, (before, shown): (Option<&Value>, &Value)) {
        let Some((lifecycle, before)) = lifecycle.zip(before) else {
            return;
        };
        let Some(at) = &lifecycle.change_time else { return };
        let (mut rest_before, mut rest_shown) = (before.clone(), shown.clone());
        let times = rest_before.pointer_mut(at).zip(rest_shown.pointer_mut(at));
        let times = times.map(|(before, shown)| (before.take(), shown.take()));
        let times = times.filter(|(before, shown)| before.is_string() && shown.is_string());
        let Some((before, shown)) = times else { return };
        let counts = self.0.entry(lifecycle.create).or_default();
        // If anything else changes by itself, the record has changed.
        match before == shown || rest_before != rest_shown {
            true => counts.same += 1,
            false => counts.other += 1,
        }
    }

    /// Whether reads have just shown often enough that they change the time.
    fn take_touching(&mut self, create: OperationId) -> bool {
        let counts = self.0.get_mut(&create);
        let touching = counts.filter(|counts| counts.other >= TOUCHES_TO_COUNT && counts.same == 0);
        // More reads show nothing new.
        touching.map(|counts| counts.same = 1).is_some()
    }
}

impl History<'_> {
    /// Returns the record in the response to a write of a tracked record, if the contract says where it is. After a 202
    /// the write may not have been carried out yet.
    pub(super) fn record_in_response(&self, exchange: &Exchange, body: &Value) -> Option<Value> {
        let write = exchange.request.operation;
        let mut responses = self.contract.lifecycle_of(write)?.responses.iter();
        let (_, at) = responses.find(|(operation, _)| *operation == write)?;
        let record = pointer::get(body, at).filter(|record| record.is_object() && exchange.status() != Some(202));
        record.cloned()
    }

    /// Emits the evidence of a read after a write: about the record in the response to the write, and about the fields
    /// that the write did not send.
    pub(super) fn emit_written(&self, search: &RecordSearch, emit: EvidenceSink<'_>) {
        let record = self.tracked.get(search.index).filter(|_| search.confirms_own());
        let lifecycle = record.and_then(|record| self.contract.lifecycle_of(record.create));
        let Some(((record, lifecycle), (read, shown))) = record.zip(lifecycle).zip(search.last.as_ref()) else {
            return;
        };
        let (write, before) = match search.stage {
            RecordStage::CreatedInRead if !record.is_created_again && record.updated.is_none() => {
                (&record.request, None)
            }
            RecordStage::Update(_) => match &record.updated {
                Some(updated) => (updated, search.before.as_ref()),
                None => return,
            },
            _ => return,
        };
        let seen = |after| RecordShown {
            operation: write.operation,
            by: read.operation,
            sent: write,
            shown,
            after,
        };
        if let Some(answered) = &record.in_response {
            let response = ResponseShown {
                record: answered,
                before,
            };
            emit(Evidence::Record(seen(PrecedingRequest::Response(response)), write));
        }
        if let Some(before) = before {
            emit(Evidence::Record(seen(PrecedingRequest::Update(before)), read));
        }
        let kept = before.map(|before| self.kept_fields(record, lifecycle, (write, before)));
        let sent_before = record.sent_before.as_ref().and_then(|earlier| earlier.json());
        if let (Some((sent, carries)), ShownState::Record(_)) = (sent_before.zip(kept), shown)
            && !carries.is_empty()
        {
            let carries = &carries;
            let kept = KeptFields { sent, carries };
            emit(Evidence::Record(seen(PrecedingRequest::PartialUpdate(kept)), read));
        }
    }

    /// Whether reads of the records of this create seem to change the time of their last change, but not yet often enough.
    pub(crate) fn may_touch_on_read(&self, create: OperationId) -> bool {
        let counts = self.reads_between_writes.0.get(&create);
        counts.is_some_and(|counts| counts.other > 0 && counts.same == 0)
    }

    /// Emits the evidence of a read of whose records each further read, without a write in between, has shown another time
    /// of the last change.
    pub(super) fn emit_touched(&mut self, search: &RecordSearch, emit: EvidenceSink<'_>) {
        let record = self.tracked.get(search.index).filter(|record| !record.is_doubtful);
        let Some((record, (read, shown))) = record.zip(search.last.as_ref()) else {
            return;
        };
        if search.confirms_own() && self.reads_between_writes.take_touching(record.create) {
            let seen = RecordShown {
                operation: record.create,
                by: read.operation,
                sent: &record.request,
                shown,
                after: PrecedingRequest::Read,
            };
            emit(Evidence::Record(seen, read));
        }
    }

    /// Returns what a list shows of a record after an update: [`ShownState::ListedChanged`] if it differs from the last
    /// read.
    pub(super) fn compared_in_list(&self, record: &TrackedRecord, item: Option<&Value>) -> ShownState {
        let lifecycle = self.contract.lifecycle_of(record.create);
        let shown = item.filter(|item| !self.shows_other_values(record, item));
        let Some(((item, read), lifecycle)) = shown.zip(record.last_read.as_ref()).zip(lifecycle) else {
            return ShownState::Unclear;
        };
        match field_listed_otherwise(&lifecycle.listed_as_read, (read, item)) {
            None => ShownState::Listed(ListedCount::AtLeastOnce),
            Some(_) => ShownState::ListedChanged,
        }
    }

    /// Remembers an operation of which a response comes from a cache, or may be kept in one (RFC 9111, sections 5.1 and
    /// 5.2.2).
    pub(super) fn note_cached(&mut self, exchange: &Exchange) {
        let Some(response) = exchange.response() else { return };
        let controls = response.headers.get_all(CACHE_CONTROL).iter();
        let mut controls = controls
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','));
        let is_kept = |control: &str| {
            let (name, seconds) = control.trim().split_once('=').unwrap_or_default();
            let is_age = ["max-age", "s-maxage"].iter().any(|age| name.eq_ignore_ascii_case(age));
            is_age && seconds.trim_matches('"') != "0"
        };
        if response.headers.contains_key(AGE) || controls.any(is_kept) {
            self.cached.insert(exchange.request.operation);
        }
    }

    /// Remembers whether a read shows a strong entity tag, with which a caller can name the state of the record (RFC
    /// 9110, section 8.8.3).
    pub(super) fn note_entity_tag(&mut self, exchange: &Exchange) {
        let Some(response) = exchange.response().filter(|_| exchange.is_success()) else {
            return;
        };
        let read = exchange.request.operation;
        match response
            .headers
            .get(ETAG)
            .is_some_and(|tag| tag.as_bytes().starts_with(b"\""))
        {
            true => self.reads_with_strong_tag.insert(read),
            false => self.reads_with_strong_tag.remove(&read),
        };
    }

    /// Whether the last read by this operation that was to show a record of the run had a strong entity tag.
    pub(crate) fn shows_strong_tag(&self, read: OperationId) -> bool {
        self.reads_with_strong_tag.contains(&read)
    }

    /// Remembers the item in which a list shows a tracked record otherwise than its read.
    pub(super) fn note_listed_otherwise(&mut self, search: &RecordSearch) {
        if let (RecordStage::UpdatedInList(_), Some((request, shown)), Some(record)) =
            (search.stage, &search.last, self.tracked.get_mut(search.index))
        {
            let item = search
                .item
                .clone()
                .filter(|_| matches!(shown, ShownState::ListedChanged) && !self.cached.contains(&request.operation));
            record.listed_otherwise = item.map(|item| (request.clone(), item));
        }
    }

    /// Whether its list last showed a tracked record otherwise than its read.
    pub(crate) fn is_listed_otherwise(&self, index: usize) -> bool {
        let record = self.tracked.get(index);
        record.is_some_and(|record| record.listed_otherwise.is_some())
    }

    /// Emits the evidence of what a list and the read show of a record after an update. Where they differ, the record
    /// may have changed in between, so only what a second read shows counts.
    pub(super) fn emit_listed_as_read(&self, search: &RecordSearch, emit: EvidenceSink<'_>) {
        let Some(record) = self.tracked.get(search.index).filter(|record| !record.is_doubtful) else {
            return;
        };
        let Some((request, shown)) = &search.last else { return };
        let (update, compared) = match (search.stage, shown) {
            (RecordStage::UpdatedInList(update), ShownState::Listed(_)) => {
                let compared = search.item.as_ref().zip(record.last_read.as_ref());
                (update, compared.map(|(item, read)| (request, item, read)))
            }
            (RecordStage::ListedOtherwise(update), ShownState::Record(read)) if search.confirms_own() => {
                let listed = record.listed_otherwise.as_ref();
                (update, listed.map(|(request, item)| (request, item, read)))
            }
            _ => return,
        };
        if let Some((request, item, read)) = compared {
            let seen = RecordShown {
                operation: update,
                by: request.operation,
                sent: record.updated.as_ref().unwrap_or(&record.request),
                shown: &ShownState::Record(read.clone()),
                after: PrecedingRequest::Listed(item),
            };
            emit(Evidence::Record(seen, request));
        }
    }

    /// Returns the fields that an update did not send, that the write before it sent, and that the record showed then.
    /// A field that may follow from another one is left out.
    fn kept_fields(
        &self,
        record: &TrackedRecord,
        lifecycle: &Lifecycle,
        (update, before): (&Request, &Value),
    ) -> Vec<Carry> {
        let is_stated = self
            .contract
            .fact_of(update.operation, FactKind::FieldsKeptByUpdate)
            .is_some();
        let sent_before = record.sent_before.as_ref().filter(|_| is_stated);
        let bodies = sent_before.and_then(|earlier| Some((earlier, earlier.json()?, update.json()?)));
        let Some((earlier, sent, body)) = bodies else {
            return Vec::new();
        };
        let carries = if earlier.operation == lifecycle.create {
            lifecycle.carries.as_slice()
        } else {
            self.contract.lifecycle_carries_of_update(earlier.operation)
        };
        // Unless the document says otherwise, a PATCH may set an object of which it sends a part as a whole.
        let merges = self.contract.merges_objects(update.operation);
        let is_left_out = |sent: &str| {
            let names: Vec<_> = pointer::tokens(sent).collect();
            let top = names.first().map(|name| body.get(&**name));
            let lacks = |part: &Value| match names.as_slice() {
                [_, name] => part.as_object().is_some_and(|part| !part.contains_key(&**name)),
                _ => false,
            };
            top.is_some_and(|part| part.is_none_or(|part| merges && lacks(part)))
        };
        let is_kept = |carry: &&Carry| {
            let mut values = pointer::select(sent, &carry.sent).into_iter();
            let at = carry.returned_at.trim_end_matches("/*");
            let name = pointer::last(at).map(|name| name.to_lowercase());
            values.any(|value| !value.is_null())
                && is_left_out(&carry.sent)
                && !returned_values(carry, before).is_empty()
                && carries_all(std::slice::from_ref(carry), sent, before)
                && name.is_some_and(|name| !MAY_FOLLOW.iter().any(|part| name.contains(part)))
        };
        carries.iter().filter(is_kept).cloned().collect()
    }
}
