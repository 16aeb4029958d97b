//! Tracks the records of creates without `x-invariants` through their inferred lifecycles: see
//! [`Lifecycle`](crate::contract::lifecycle::Lifecycle).

use reqwest::header::LINK;
use serde_json::Value;

use super::bindings::{PathIdentifiers, identifiers_in_path};
use super::carried::field_changed_by_repeat;
use super::evidence::{
    Evidence, ListedCount, PrecedingRequest, RecordShown, Rejection, ShownState, StoredDespiteRejection,
};
use super::history::{EvidenceSink, History};
use super::list_totals::MIN_LACKING;
use super::lost_records::TaggedFields;
use super::new_records::UnsentValues;
use super::residue::{may_have_stored, says_it_is_not_in_effect};
use super::sent_strings::SentStrings;
use crate::contract::Contract;
use crate::contract::fact::FactKind;
use crate::contract::lifecycle::{Lifecycle, RecordList};
use crate::contract::operation::{Method, OperationId, Parameter, ParameterLocation, is_success};
use crate::contract::partial_list::is_state_of_shown_records;
use crate::contract::pointer;
use crate::contract::vocabulary::{Carry, EdgeCaseKind};
use crate::exchange::json::Body;
use crate::exchange::{Exchange, Intent, Purpose, Request, identifier};

/// Returns the record's identifier: the value of the field that held it in the create's response.
fn identifier_in<'body>(record: &'body Value, lifecycle: &Lifecycle) -> Option<&'body Value> {
    let name = pointer::tokens(&lifecycle.created_id_pointer).last()?;
    record.get(&*name)
}

/// Whether an array is the only member of the object that contains it.
fn is_alone_in(body: &Value, items: &str) -> bool {
    let above = items.rsplit_once('/').map_or("", |(above, _)| above);
    let object = pointer::get(body, above).and_then(Value::as_object);
    object.is_some_and(|members| members.len() == 1)
}

/// A list that shows this many records may be truncated, even if its document does not say so. The number is small on
/// purpose: a list taken for truncated decides nothing, one taken for whole makes a finding.
const MAY_BE_TRUNCATED_FROM: usize = 5;

/// A record that a create of the run returned.
#[derive(Clone, Debug)]
pub(crate) struct TrackedRecord {
    /// The create.
    pub(crate) create: OperationId,
    /// The records in the path of its read: those that it is nested under, and itself.
    pub(crate) path_identifiers: PathIdentifiers,
    /// Its identifier.
    id: Value,
    /// The accepted request of its create.
    pub(super) request: Request,
    /// The last accepted update.
    pub(super) updated: Option<Request>,
    /// The accepted write before that update.
    pub(super) sent_before: Option<Request>,
    /// The fields in which it shows strings with the run tag.
    pub(super) tagged_fields: TaggedFields,
    /// The record in the response to the last accepted write.
    pub(super) in_response: Option<Value>,
    /// The record as a read showed it after that update, with what was sent.
    after_update: Option<Value>,
    /// The item in which its list last showed it otherwise than its read, and the request for that list.
    pub(super) listed_otherwise: Option<(Request, Value)>,
    /// Whether the record may be somebody else's: another response showed its identifier, or its own list shows it with
    /// other values.
    pub(super) is_doubtful: bool,
    /// Whether a response showed its identifier before its create.
    pub(super) was_shown_before: bool,
    /// Whether a later create returned it again, and may have replaced what this one sent.
    pub(super) is_created_again: bool,
    /// Whether its list has shown it.
    pub(super) is_listed: bool,
    /// What the response to its create shows and nobody has sent.
    pub(super) unsent_in_response: UnsentValues,
    /// The same of its first read, before any update.
    pub(super) unsent_in_read: Option<UnsentValues>,
    /// The record as a read by its identifier showed it last; `None` if none has.
    pub(super) last_read: Option<Value>,
    /// How many writes of the run came before that read.
    pub(super) writes_before_read: u64,
    /// Whether it could be read until an edge case of an update was accepted, and no longer after that.
    pub(crate) is_unreadable: bool,
    /// Whether an update of it was rejected, and no read has shown yet whether that changed anything.
    pub(super) has_rejected_update: bool,
    /// The round of the plan that created it.
    round: u64,
}

/// The stage at which a look seeks a tracked record: after which of its writes (or before its deletion), and by which
/// read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordStage {
    /// After it was created, in the read by its identifier.
    CreatedInRead,
    /// After it was created, in the list.
    CreatedInList,
    /// After this update.
    Update(OperationId),
    /// After this update was sent again.
    UpdateSentAgain(OperationId),
    /// After an edge case of this update was accepted.
    EdgeCase(OperationId),
    /// After it was deleted, in the read by its identifier.
    DeletedInRead,
    /// After it was deleted, in the list.
    DeletedInList,
    /// After a deletion that may or may not be carried out, in the read by its identifier.
    MayBeDeletedInRead,
    /// After a deletion that may or may not be carried out, in the list.
    MayBeDeletedInList,
    /// Before it is deleted, or an update of it is sent again or with its first edge case: whether it is the run's own.
    BeforeDelete,
    /// After updates of it were rejected.
    RejectedUpdates,
    /// After its deletion was rejected.
    RejectedDelete(OperationId, Rejection),
    /// After this update or deletion of another record, which has this index.
    WriteOfAnotherRecord(OperationId, usize),
    /// After this update: what the list shows of other records.
    OthersInList(OperationId),
    /// After this update, in the list.
    UpdatedInList(OperationId),
    /// After this update, in the read once more: the list showed something else than the read before.
    ListedOtherwise(OperationId),
}

/// A look for a tracked record, and what the last response showed of it.
#[derive(Debug)]
pub(super) struct RecordSearch {
    /// The index of the record: see [`History::tracked`].
    pub(super) index: usize,
    pub(super) stage: RecordStage,
    pub(super) last: Option<(Request, ShownState)>,
    /// The update that was sent again without success, and what its response says.
    rejected_repeat: Option<(Request, ShownState)>,
    confirms_own: bool,
    /// Whether the last response showed another record under the identifier.
    pub(super) shows_another: bool,
    /// The item of the record in the last response of a list.
    pub(super) item: Option<Value>,
    /// The identifiers of what its create has stored in addition, as the last response of a list showed them.
    also_stored: Vec<String>,
    /// The record as a read showed it before the look.
    pub(super) before: Option<Value>,
}

/// The tracked record that a write concerns.
struct WrittenRecord<'own> {
    record: &'own TrackedRecord,
    lifecycle: &'own Lifecycle,
    /// Whether the path of the write names more than the record.
    path_continues_below_record: bool,
    /// Where the response to the write may show the record.
    shown: [&'own Value; 2],
}

impl TrackedRecord {
    /// Returns its identifier.
    pub(super) fn id(&self) -> &Value {
        &self.id
    }

    /// Whether a response shows no other identifier for it.
    pub(super) fn has_id_in(&self, shown: &Value, lifecycle: &Lifecycle) -> bool {
        let id = identifier_in(shown, lifecycle).and_then(identifier);
        id.is_none_or(|id| Some(id) == identifier(&self.id))
    }

    /// Notes that it is read after this many writes of the run. Returns whether there were as many before the last read.
    fn note_read_after(&mut self, writes: u64) -> bool {
        std::mem::replace(&mut self.writes_before_read, writes) == writes
    }

    /// Whether the record, as read or as sent, says of itself that lists may not show it: `published: false`.
    fn is_in_hidden_state(&self) -> bool {
        let shown = self.last_read.iter().chain(self.request.json());
        let mut members = shown.filter_map(Value::as_object).flatten();
        members.any(|(name, value)| *value == Value::Bool(false) && is_state_of_shown_records(name))
    }
}

impl RecordSearch {
    pub(super) fn new(index: usize, stage: RecordStage, before: Option<Value>) -> Self {
        Self {
            index,
            stage,
            last: None,
            rejected_repeat: None,
            confirms_own: false,
            shows_another: false,
            item: None,
            also_stored: Vec::new(),
            before,
        }
    }

    /// Whether the last response showed equal items of the record in its list.
    pub(super) fn shows_duplicate_items(&self) -> bool {
        matches!(&self.last, Some((_, ShownState::Listed(ListedCount::EqualItems(_)))))
    }

    /// Adds the response to the update that is sent again. After a 202 it may not have been carried out yet.
    pub(super) fn observe_update_sent_again(&mut self, exchange: &Exchange) {
        let shown = match exchange.status() {
            Some(202) => ShownState::Unclear,
            Some(200..300) => return,
            Some(status) => ShownState::Status(status, exchange.request.credential.clone()),
            None => ShownState::NoResponse,
        };
        self.rejected_repeat = Some((exchange.request.clone(), shown));
    }

    /// Whether the last response showed the record with the run tag, and neither a response before its create nor
    /// another create showed its identifier.
    pub(super) fn confirms_own(&self) -> bool {
        self.confirms_own
    }
}

impl History<'_> {
    /// Remembers the record that an accepted create returned, whatever the create was sent for, if the contract says
    /// how to read such a record.
    pub(super) fn track_created(&mut self, exchange: &Exchange, body: &Value) {
        let create = exchange.request.operation;
        let lifecycle = self.contract.lifecycle_starting_with(create);
        let has_created = !self.may_have_created_nothing(exchange);
        let Some(lifecycle) = lifecycle else { return };
        let located = self.identifier_outside_body(exchange, body);
        let id = located.as_ref().or_else(|| body.pointer(&lifecycle.created_id_pointer));
        let Some(id) = id else { return };
        let path = exchange.request.path.as_str();
        let mut is_replaced = false;
        let earlier = self.tracked.iter_mut().filter(|record| record.create == create);
        for record in earlier.filter(|record| record.id == *id && record.request.path == path) {
            record.is_created_again = true;
            // A service that returns an equal record instead of a second one replaces nothing.
            is_replaced |= record.request.json() != exchange.request.json();
        }
        if self.contract.operation(create).new_record_name_parameter().is_none() {
            if self.foreign_identifiers.contains(create, id) {
                self.doubt_and_stop_creates(create, "its list showed a record under it before");
            } else if is_replaced {
                self.doubt_and_stop_creates(create, "a later create of another record returned it again");
            } else if self.is_older_than_response(exchange, body) {
                self.doubt_and_stop_creates(create, "the create's response says that it was created long before");
            }
        }
        if !has_created {
            return;
        }
        let was_shown_before = self.was_observed(&exchange.request, id);
        let is_doubtful = was_shown_before || !self.may_be_own(create, id);
        self.note_created_number(&exchange.request, id);
        self.track(&exchange.request, id, is_doubtful);
        let in_response = self.record_in_response(exchange, body);
        if let Some(record) = self.tracked.last_mut() {
            let sent = exchange.request.json().unwrap_or(&Value::Null);
            record.tagged_fields.note_sent(&self.run_tag, sent, true);
            let shown = in_response.as_ref().unwrap_or(body);
            record.tagged_fields.note_shown(&self.run_tag, shown);
            record.in_response = in_response;
            record.was_shown_before = was_shown_before;
            record.unsent_in_response = UnsentValues::of((body, id), &exchange.request, &self.run_tag);
        }
    }

    /// Remembers the record of an accepted create under its identifier. `is_doubtful` says whether it may be somebody
    /// else's.
    pub(super) fn track(&mut self, request: &Request, id: &Value, is_doubtful: bool) {
        let create = request.operation;
        let Some(lifecycle) = self.contract.lifecycle_of(create) else {
            return;
        };
        let parents = all_in_path(self.contract, request);
        let Some((mut path_identifiers, text)) = parents.zip(identifier(id)) else {
            return;
        };
        let is_doubtful = is_doubtful || self.doubted_creates.contains_key(&create);
        let is_chosen = self.contract.operation(create).new_record_name_parameter().is_some();
        let is_doubtful = is_doubtful || !is_chosen && self.reason_identifier_is_ambiguous(create, &text).is_some();
        if !is_chosen {
            path_identifiers.push((lifecycle.path_to_id.clone(), text));
        }
        let is_tracked = self
            .tracked
            .iter()
            .any(|record| record.path_identifiers == path_identifiers);
        if is_doubtful || is_tracked {
            self.doubt_tracked(create, &path_identifiers);
        }
        self.tracked.push(TrackedRecord {
            create,
            path_identifiers,
            id: id.clone(),
            request: request.clone(),
            updated: None,
            sent_before: None,
            tagged_fields: TaggedFields::default(),
            in_response: None,
            after_update: None,
            listed_otherwise: None,
            is_doubtful,
            was_shown_before: false,
            is_created_again: false,
            is_listed: false,
            unsent_in_response: UnsentValues::default(),
            unsent_in_read: None,
            last_read: None,
            writes_before_read: 0,
            is_unreadable: false,
            has_rejected_update: false,
            round: self.round,
        });
    }

    /// Marks the tracked records with this path as possibly somebody else's, because another response names the same
    /// record.
    fn doubt_tracked(&mut self, create: OperationId, path_identifiers: &PathIdentifiers) {
        let tracked = self.tracked.iter_mut().filter(|record| record.create == create);
        for record in tracked.filter(|record| record.path_identifiers == *path_identifiers) {
            record.is_doubtful = true;
        }
    }

    /// Remembers an accepted update of a tracked record. One with status 202 does not count, because it may not have
    /// been carried out yet (RFC 9110, section 15.3.3).
    pub(super) fn track_updated(&mut self, exchange: &Exchange, body: &Value) {
        let request = &exchange.request;
        let update = request.operation;
        let Some(lifecycle) = self.contract.lifecycle_of(update) else {
            return;
        };
        let in_response = self.record_in_response(exchange, body);
        if lifecycle.create != update
            && exchange.status() != Some(202)
            && let Some(index) = self.named_in_path(request)
            && let Some(record) = self.tracked.get_mut(index)
        {
            let before = record.updated.replace(request.clone());
            record.sent_before = Some(before.unwrap_or_else(|| record.request.clone()));
            record.in_response = in_response;
            record.after_update = None;
        }
    }

    /// Notes that an update of a tracked record was clearly rejected, if what it sent can be recognised.
    pub(super) fn note_rejected_update(&mut self, exchange: &Exchange) {
        let request = &exchange.request;
        let is_update = !self.contract.lifecycle_carries_of_update(request.operation).is_empty();
        let is_rejected = is_update && may_have_stored(&exchange.outcome) == Some(false);
        let is_tagged = request.json().is_some_and(|body| self.run_tag.is_in(body));
        if is_rejected
            && is_tagged
            && let Some(index) = self.readable_in_path(request)
            && let Some(record) = self.tracked.get_mut(index)
        {
            record.has_rejected_update = true;
        }
    }

    /// Returns the indexes of this round's records that are read by this operation and of which updates were rejected
    /// since the last read.
    pub(crate) fn with_rejected_updates(&self, read: OperationId) -> Vec<usize> {
        let is_read_by = |create| {
            self.contract
                .lifecycle_of(create)
                .is_some_and(|known| known.read == read)
        };
        self.tracked_where(|record| record.has_rejected_update && is_read_by(record.create))
    }

    /// Returns the indexes of this round's tracked records that `is_sought` accepts.
    pub(super) fn tracked_where(&self, is_sought: impl Fn(&TrackedRecord) -> bool) -> Vec<usize> {
        let tracked = self.tracked.iter().enumerate();
        let found = tracked.filter(|(_, record)| record.round == self.round && is_sought(record));
        found.map(|(index, _)| index).collect()
    }

    /// Returns the indexes of the records that a create returned in this round.
    pub(crate) fn created_by(&self, create: OperationId) -> Vec<usize> {
        self.tracked_where(|record| record.create == create)
    }

    /// Returns the indexes of the records of this round whose last update was by this operation.
    pub(crate) fn updated_by(&self, update: OperationId) -> Vec<usize> {
        self.tracked_where(|record| record.updated.as_ref().is_some_and(|sent| sent.operation == update))
    }

    /// Returns the indexes of all tracked records, of all rounds, the newest first.
    pub(crate) fn newest_first(&self) -> Vec<usize> {
        (0..self.tracked.len()).rev().collect()
    }

    /// Returns the last accepted update of a tracked record, if that was by this operation, must have the same effect
    /// when it is sent again, has shown its effect and, as far as is known, changes no other record.
    pub(crate) fn update_to_repeat(&self, index: usize, update: OperationId) -> Option<Request> {
        self.contract.fact_of(update, FactKind::SameAfterRepeatedUpdate)?;
        let record = self.tracked.get(index).filter(|record| !record.is_doubtful)?;
        record.after_update.as_ref()?;
        let changes_others = self.reason_existing_record_changed(update).is_some();
        record
            .updated
            .clone()
            .filter(|sent| sent.operation == update && !changes_others)
    }

    /// Returns the index of the record that an update names in its path, if it can be read and is the run's own.
    pub(crate) fn readable_in_path(&self, update: &Request) -> Option<usize> {
        let index = self.named_in_path(update)?;
        let record = self.tracked.get(index)?;
        (record.last_read.is_some() && !record.is_doubtful && !record.is_unreadable).then_some(index)
    }

    /// Whether the path with these records names one of the run's own that another response has shown.
    pub(super) fn has_own_record(&self, path_identifiers: &PathIdentifiers) -> bool {
        let is_shown = |record: &TrackedRecord| record.last_read.is_some() || self.is_confirmed(record.create);
        let mut of_path = self
            .tracked
            .iter()
            .filter(|record| record.path_identifiers == *path_identifiers);
        of_path.any(|record| !record.is_doubtful && is_shown(record))
    }

    /// Returns the index of the tracked record that a write names in its path: of several, the last.
    fn named_in_path(&self, write: &Request) -> Option<usize> {
        let create = self.contract.lifecycle_of(write.operation)?.create;
        let path_identifiers = all_in_path(self.contract, write)?;
        let is_named = |record: &TrackedRecord| record.create == create && record.path_identifiers == path_identifiers;
        self.tracked.iter().rposition(is_named)
    }

    /// Returns the tracked record that the path of a write names or lies below, and where the response may show it. The
    /// record's own create does not count, nor does a create or a query below a record (`POST /pets/{petId}/visits`):
    /// it does not write to that record.
    fn written<'own>(&'own self, exchange: &Exchange, body: &'own Value) -> Option<WrittenRecord<'own>> {
        let write = exchange.request.operation;
        let operation = self.contract.operation(write);
        if operation.is_get() {
            return None;
        }
        let named = self.named_in_path(&exchange.request);
        let is_part = !operation.creates() && !operation.is_query();
        let index = named.or_else(|| self.containing_in_path(&exchange.request).filter(|_| is_part))?;
        let record = self.tracked.get(index).filter(|record| record.create != write)?;
        let lifecycle = self.contract.lifecycle_of(record.create)?;
        Some(WrittenRecord {
            record,
            lifecycle,
            path_continues_below_record: named.is_none(),
            shown: [
                body,
                pointer::get(body, &lifecycle.record_in_read).unwrap_or(&Value::Null),
            ],
        })
    }

    /// Returns the index of the tracked record under whose path a write is sent: of several, the innermost, and of
    /// these the latest.
    fn containing_in_path(&self, write: &Request) -> Option<usize> {
        let path_identifiers = identifiers_in_path(self.contract.operation(write.operation), &write.path);
        let contains = |record: &TrackedRecord| path_identifiers.starts_with(&record.path_identifiers);
        let containing = self.tracked.iter().enumerate().filter(|(_, record)| contains(record));
        containing
            .max_by_key(|(index, record)| (record.path_identifiers.len(), *index))
            .map(|(index, _)| index)
    }

    /// Returns why a create is not sent again: it returned somebody else's record, or may have overwritten one.
    pub(crate) fn reason_not_to_create(&self, create: OperationId) -> Option<String> {
        let replaces = self.stopped_creates.contains(&create);
        let doubted = self.doubted_creates.get(&create).filter(|_| replaces).cloned();
        doubted.or_else(|| self.reason_total_lacks_created(create, MIN_LACKING))
    }

    /// Returns why nothing but a deletion is sent under the identifiers of a create any more: an update of its record
    /// was accepted and changed nothing in it, so it may have changed another one.
    pub(crate) fn reason_not_to_update(&self, create: OperationId) -> Option<String> {
        self.updated_without_effect
            .contains(&create)
            .then(|| self.reason_for_doubt(create, "an accepted update under it changed nothing in its record"))
    }

    /// Whether a service may look up the records of a create by a part of their paths alone: an accepted update of one
    /// that is nested under another record changed nothing in it, so it may have changed one that is nested elsewhere.
    pub(crate) fn may_ignore_parents(&self, create: OperationId) -> bool {
        let mut own = self.tracked.iter().filter(|record| record.create == create);
        self.updated_without_effect.contains(&create) && own.any(|record| record.path_identifiers.len() > 1)
    }

    /// Doubts all records of a create that returned the identifier of an existing record, and stops sending it.
    pub(super) fn doubt_and_stop_creates(&mut self, create: OperationId, doubt: &str) {
        self.doubt_all(create, doubt);
        self.stopped_creates.insert(create);
    }

    /// Returns a tracked record by its index.
    pub(crate) fn tracked(&self, index: usize) -> Option<&TrackedRecord> {
        self.tracked.get(index)
    }

    /// Marks a tracked record as deleted.
    pub(crate) fn mark_deleted(&mut self, index: usize) {
        let record = self.tracked.get(index);
        let id = record.and_then(|record| Some((record.create, identifier(&record.id)?)));
        if let Some((create, id)) = id {
            self.note_deleted(create, &id);
        }
    }

    /// Notes what a response shows of a tracked record. It is the response to a read by identifier, or to a list that
    /// is read as a whole.
    pub(super) fn observe_record(&self, search: &mut RecordSearch, exchange: &Exchange, body: Option<&Body>) {
        let Some(record) = self.tracked.get(search.index) else {
            return;
        };
        let Some(lifecycle) = self.contract.lifecycle_of(record.create) else {
            return;
        };
        let shows_it = |body: &Value| self.shows_record_of_create(record.create, (body, &record.id));
        let body = body.filter(|_| self.succeeded(exchange));
        let is_in_list = matches!(
            search.stage,
            RecordStage::CreatedInList
                | RecordStage::DeletedInList
                | RecordStage::MayBeDeletedInList
                | RecordStage::OthersInList(_)
                | RecordStage::UpdatedInList(_)
        );
        let read = body.and_then(|body| pointer::get(&body.value, &lifecycle.record_in_read));
        search.shows_another = read
            .filter(|_| !is_in_list)
            .is_some_and(|read| self.is_another(search.index, (read, lifecycle)));
        let shown = match (exchange.status(), body) {
            (None, _) => ShownState::NoResponse,
            (Some(_), Some(body)) if is_in_list => {
                let list = lifecycle.list.as_ref();
                list.map_or(ShownState::NoResponse, |list| {
                    let items = pointer::get(&body.value, &list.items).and_then(Value::as_array);
                    let items = items.map_or(&[][..], Vec::as_slice);
                    let stored = self.also_stored((&record.request, &record.id), (list, items));
                    let id = identifier(&record.id);
                    let mut of_record = items
                        .iter()
                        .filter(|item| item.pointer(&list.id).and_then(identifier) == id);
                    search.item = of_record.next().cloned();
                    search.also_stored = stored.into_iter().map(|(_, id)| id).collect();
                    self.in_list((record, search.stage), list, (exchange, &body.value))
                })
            }
            (Some(_), Some(_)) => match read {
                // A service that keeps deleted records and marks them returns this one changed. One that returns it
                // unchanged has deleted nothing.
                Some(shown)
                    if search.stage == RecordStage::DeletedInRead && record.last_read.as_ref() != Some(shown) =>
                {
                    ShownState::Unclear
                }
                // If it is only guessed that the read takes this identifier (`Lifecycle::guessed`), it may show another
                // record, even one with the same identifier.
                Some(shown)
                    if lifecycle.guessed
                        && !(identifier_in(shown, lifecycle)
                            .is_some_and(|shown| identifier(shown) == identifier(&record.id))
                            && shows_it(shown)) =>
                {
                    ShownState::Unclear
                }
                Some(shown) if shown.is_object() => match search.stage {
                    RecordStage::WriteOfAnotherRecord(write, written) => {
                        self.after_write_of_another(record, (write, written), shown)
                    }
                    _ => ShownState::Record(shown.clone()),
                },
                _ => ShownState::Unclear,
            },
            (Some(status), None) => ShownState::Status(status, exchange.request.credential.clone()),
        };
        search.confirms_own = !record.is_doubtful
            && !search.shows_another
            && matches!(&shown, ShownState::Record(body) if shows_it(body));
        search.last = Some((exchange.request.clone(), shown));
    }

    /// Returns what a read shows of a record after the write of another: [`ShownState::ContentOfAnotherWrite`] if it
    /// has what that write sent.
    fn after_write_of_another(
        &self,
        record: &TrackedRecord,
        (write, written): (OperationId, usize),
        shown: &Value,
    ) -> ShownState {
        let written = self.tracked.get(written).and_then(|written| written.updated.as_ref());
        let written = written.filter(|update| update.operation == write);
        let carries = self.contract.lifecycle_carries_of_update(write);
        let before = record.last_read.as_ref();
        let is_unchanged = before.is_some_and(|before| is_unchanged(carries, (before, shown)));
        if written.is_some_and(|written| self.shows_strings_of(written, shown)) {
            ShownState::ContentOfAnotherWrite
        } else if is_unchanged {
            ShownState::Record(shown.clone())
        } else {
            ShownState::Unclear
        }
    }

    /// Whether a record has a string with the run tag that a write sent, in the same field. A record that quotes it
    /// elsewhere, such as a string of its parent, has not been changed.
    fn shows_strings_of(&self, write: &Request, record: &Value) -> bool {
        let sent = write.json().and_then(Value::as_object).into_iter().flatten();
        let mut tagged = sent.filter(|(_, value)| value.is_string() && self.run_tag.is_in(value));
        tagged.any(|(name, value)| record.get(name) == Some(value))
    }

    /// Returns a tracked record as it was read last.
    pub(super) fn last_read(&self, index: usize) -> Option<Value> {
        self.tracked.get(index)?.last_read.clone()
    }

    /// Returns the path of a record of this create below another record of the run than the one that it was created in.
    pub(crate) fn below_another_parent(&self, create: OperationId) -> Option<PathIdentifiers> {
        let known = |record: &&TrackedRecord| record.last_read.is_some() && !record.is_doubtful;
        let mut records = self
            .tracked
            .iter()
            .filter(known)
            .filter(|record| record.create == create);
        records.find_map(|record| {
            let (own, above) = record.path_identifiers.split_last()?;
            let ((place, id), before) = above.split_last()?;
            let mut others = self.tracked.iter().filter(known);
            let other = others.find(|other| match other.path_identifiers.split_last() {
                Some(((its_place, its_id), its_before)) => its_before == before && its_place == place && its_id != id,
                None => false,
            })?;
            let path = other.path_identifiers.iter().chain([own]);
            Some(path.cloned().collect())
        })
    }

    /// Whether a read by its identifier has shown a tracked record.
    pub(crate) fn was_read(&self, index: usize) -> bool {
        let record = self.tracked.get(index);
        record.is_some_and(|record| record.last_read.is_some())
    }

    /// Returns another record of the same create, which no update has changed; of several, the last one
    /// before it, or else the last of all.
    pub(crate) fn another_unchanged_record(&self, index: usize) -> Option<usize> {
        let written = self.tracked.get(index)?;
        let is_other = |record: &TrackedRecord| {
            record.create == written.create
                && record.path_identifiers != written.path_identifiers
                && record.updated.is_none()
                && !(record.is_doubtful || record.is_created_again || record.is_unreadable)
        };
        let others = self.tracked.iter().take(index).rev();
        let earlier = others.zip((0..index).rev()).find(|(record, _)| is_other(record));
        let found = earlier.map(|(_, index)| index);
        found.or_else(|| self.tracked.iter().rposition(is_other))
    }

    /// Whether a read by the identifier of a tracked record shows another one: its identifier is another, or it shows
    /// what only another create of the same operation sent.
    fn is_another(&self, index: usize, (read, lifecycle): (&Value, &Lifecycle)) -> bool {
        let Some(record) = self.tracked.get(index) else {
            return false;
        };
        let id = identifier_in(read, lifecycle).and_then(identifier);
        if id.is_some_and(|id| Some(id) != identifier(&record.id)) {
            return true;
        }
        let sent = |request: &Request| self.run_tag.numbers_in(request.json().unwrap_or(&Value::Null));
        let texts = read.as_object().into_iter().flat_map(serde_json::Map::values);
        let texts = texts.filter(|member| member.is_string());
        let shown: Vec<_> = texts.flat_map(|text| self.run_tag.numbers_in(text)).collect();
        let own = [Some(&record.request), record.updated.as_ref()].into_iter().flatten();
        let own: Vec<_> = own.flat_map(sent).collect();
        let others = self.tracked.iter().enumerate().filter(|(other, tracked)| {
            *other != index && tracked.create == record.create && tracked.path_identifiers != record.path_identifiers
        });
        let mut others = others.flat_map(|(_, tracked)| sent(&tracked.request));
        !shown.iter().any(|number| own.contains(number)) && others.any(|number| shown.contains(&number))
    }

    /// Doubts the records of a create if the response to a write to one of them has the identifier of a record that was
    /// known before. Below the record (`PUT /pets/{petId}/status`) the response may show a record of another kind. So
    /// there it counts only if a list has shown it for a record of this kind and the path of the write does not name
    /// it.
    ///
    /// Emits the evidence if the response shows what the update sent under another identifier.
    pub(super) fn doubt_by_response(&mut self, exchange: &Exchange, body: &Value, emit: EvidenceSink<'_>) {
        let Some(WrittenRecord {
            record,
            lifecycle,
            path_continues_below_record,
            shown,
        }) = self.written(exchange, body)
        else {
            return;
        };
        let path_identifiers = identifiers_in_path(
            self.contract.operation(exchange.request.operation),
            &exchange.request.path,
        );
        let names = |id: &Value| {
            path_identifiers
                .iter()
                .any(|(_, text)| identifier(id).as_ref() == Some(text))
        };
        let is_known = |id: &Value| match path_continues_below_record {
            false => self.observed_values.contains(id),
            true => self.foreign_identifiers.contains(record.create, id) && !names(id),
        };
        let other_id = |shown: &'_ Value| {
            let id = identifier_in(shown, lifecycle).filter(|id| identifier(id).is_some());
            id.filter(|id| identifier(id) != identifier(&record.id)).cloned()
        };
        let shows_sent = |shown: &Value| {
            let members = shown.as_object();
            members.is_some_and(|members| self.sent_strings.any_shown_by(members))
        };
        let renamed = |shown: &&Value| {
            other_id(shown).is_some_and(|id| !self.run_tag.is_in(&id))
                && shows_sent(shown)
                && !path_continues_below_record
        };
        if shown.iter().any(renamed) {
            let operation = exchange.request.operation;
            let seen = RecordShown {
                operation,
                by: operation,
                sent: &exchange.request,
                shown: &ShownState::ContentOfAnotherWrite,
                after: PrecedingRequest::WriteOfAnotherRecord,
            };
            emit(Evidence::Record(seen, &exchange.request));
        }
        if shown
            .iter()
            .any(|shown| other_id(shown).is_some_and(|id| is_known(&id)))
        {
            let create = record.create;
            self.doubt_all(create, "a write under it returned the identifier of another record");
        }
    }

    /// Ends the updates of a create's records if a `PUT` or `PATCH` below one of them was accepted, and the response
    /// shows that record as it was read before, in each field that was sent: another record may have got what was sent.
    pub(super) fn note_ignored_write(&mut self, exchange: &Exchange, body: &Value) {
        let operation = self.contract.operation(exchange.request.operation);
        let is_update = matches!(operation.method, Method::Put | Method::Patch) && !operation.creates();
        let written = self
            .written(exchange, body)
            .filter(|written| written.path_continues_below_record);
        let Some(WrittenRecord {
            record,
            lifecycle,
            shown,
            ..
        }) = written.filter(|_| is_update && exchange.status() == Some(200))
        else {
            return;
        };
        let is_record = |shown: &&Value| identifier_in(shown, lifecycle).and_then(identifier) == identifier(&record.id);
        let shown = shown.into_iter().find(is_record).and_then(Value::as_object);
        let before = record.last_read.as_ref().and_then(Value::as_object);
        let sent = exchange.request.json().and_then(Value::as_object);
        let (Some(shown), Some(before), Some(sent)) = (shown, before, sent) else {
            return;
        };
        let mut compared = sent.iter().filter(|(name, _)| shown.contains_key(*name)).peekable();
        let is_ignored = |(name, value): (&String, &Value)| {
            let shown = shown.get(name);
            shown == before.get(name) && shown != Some(value)
        };
        if compared.peek().is_some() && compared.all(is_ignored) {
            let create = record.create;
            self.updated_without_effect.insert(create);
        }
    }

    /// Returns what a list shows of a record after a write. That the record is missing means something only if the list
    /// shows all of its records.
    fn in_list(
        &self,
        (record, stage): (&TrackedRecord, RecordStage),
        list: &RecordList,
        (exchange, body): (&Exchange, &Value),
    ) -> ShownState {
        let Some(items) = pointer::get(body, &list.items).and_then(Value::as_array) else {
            return ShownState::Unclear;
        };
        let id = identifier(&record.id);
        let has_id = |item: &Value| item.pointer(&list.id).and_then(identifier) == id;
        if let RecordStage::OthersInList(_) = stage {
            let others: Vec<_> = items.iter().filter(|item| !has_id(item)).collect();
            let sent = record.updated.as_ref();
            let has_sent = |item: &&Value| sent.is_some_and(|sent| self.shows_strings_of(sent, item));
            return if others.iter().any(has_sent) {
                ShownState::ContentOfAnotherWrite
            } else if sent.is_none() || others.is_empty() || others.len() == items.len() {
                ShownState::Unclear
            } else {
                ShownState::Listed(ListedCount::AtLeastOnce)
            };
        }
        if let RecordStage::UpdatedInList(_) = stage {
            return self.compared_in_list(record, items.iter().find(|item| has_id(item)));
        }
        if let Some(item) = items.iter().find(|item| has_id(item)) {
            if let RecordStage::DeletedInList | RecordStage::MayBeDeletedInList = stage {
                return self.kept_in_list(record, item);
            }
            // A service may list one record once for each of its kinds or relations, but then the items differ.
            let equal = items.iter().filter(|other| *other == item).count();
            return if self.shows_other_values(record, item) {
                ShownState::IdentifierWithOtherContent
            } else if equal > 1 {
                ShownState::Listed(ListedCount::EqualItems(equal))
            } else {
                let is_whole = self.is_whole(list, (exchange, body), items.len());
                ShownState::Listed(self.times_listed((&record.request, &record.id), item, (list, items, is_whole)))
            };
        }
        let may_be_hidden = stage == RecordStage::CreatedInList && record.is_in_hidden_state();
        if !may_be_hidden && self.is_whole(list, (exchange, body), items.len()) {
            ShownState::NotListed
        } else {
            ShownState::Unclear
        }
    }

    /// Whether an item with a record's identifier shows other strings than those that were sent for the record.
    pub(super) fn shows_other_values(&self, record: &TrackedRecord, item: &Value) -> bool {
        let mut requests = SentStrings::default();
        let sent = [&record.sent_before, &record.updated].into_iter().flatten();
        for request in sent.chain([&record.request]) {
            if let Some(body) = request.json() {
                requests.note_body_of((self.contract, request.operation), &self.run_tag, body);
            }
        }
        let members = item.as_object();
        members.is_some_and(|members| self.sent_strings.are_replaced_in(members, &requests))
    }

    /// Whether a list shows all of its records, as far as its response and its contract say.
    fn is_whole(&self, list: &RecordList, (exchange, body): (&Exchange, &Value), count: usize) -> bool {
        // A query parameter that is not sent may divide the list into pages, or have a default that leaves records out.
        let parameters = &self.contract.operation(list.operation).parameters;
        let is_selected = parameters
            .iter()
            .any(|parameter| parameter.location == ParameterLocation::Query);
        let links = exchange
            .response()
            .is_some_and(|response| response.headers.contains_key(LINK));
        // Other members of an envelope may say that there are more records, or that there are none.
        let is_alone = list.items.is_empty() || is_alone_in(body, &list.items);
        let is_short = !is_selected && is_alone && count < MAY_BE_TRUNCATED_FROM;
        let has_pages = self.contract.paging_of(list.operation).is_some();
        !links && is_short || has_pages && self.shows_all_records(exchange, body)
    }

    /// Returns what a list shows of a deleted record that it still has: whether all of it is as the read showed it
    /// before its deletion.
    fn kept_in_list(&self, record: &TrackedRecord, item: &Value) -> ShownState {
        let before = record.last_read.as_ref().and_then(Value::as_object);
        let members = item.as_object().zip(before);
        let is_unchanged = members.is_some_and(|(members, before)| {
            let mut members = members.iter();
            members.all(|(name, value)| before.get(name) == Some(value))
        });
        if is_unchanged && self.shows_record_of_create(record.create, (item, &record.id)) {
            ShownState::Listed(ListedCount::AtLeastOnce)
        } else {
            ShownState::ListedChanged
        }
    }

    /// Whether a record is gone: its read is rejected with 404 or 410, or with a 400, 403 or 422 that the read of an
    /// unknown identifier got too. Any other rejection may be about the call and not about the record. The list is
    /// requested only after the read has shown that the record is gone, and only a list that still has the record
    /// contradicts that.
    pub(super) fn is_gone(&self, search: &RecordSearch) -> bool {
        if let RecordStage::DeletedInList | RecordStage::MayBeDeletedInList = search.stage {
            return !matches!(
                search.last,
                Some((_, ShownState::Listed(_) | ShownState::ListedChanged))
            );
        }
        let Some((request, ShownState::Status(status, _))) = &search.last else {
            return false;
        };
        // The status with which the target rejects an unknown name shows, for the name of a deleted record, that the
        // record is gone.
        let to_unknown = self.status_of_unknown_record.get(&request.operation);
        matches!(status, 404 | 410) || (matches!(status, 400 | 403 | 422) && to_unknown == Some(status))
    }

    /// Remembers the status of a read of an unknown identifier: that of an edge case, or a name that the run chose and
    /// under which it has created nothing.
    pub(super) fn note_read_of_unknown(&mut self, exchange: &Exchange, intent: Intent) {
        let read = exchange.request.operation;
        if let (Some(create), Some(status)) = (self.create_of_unused_name(&exchange.request), exchange.status()) {
            if is_success(status) {
                self.doubt_all(
                    create,
                    "the target returned a record for a name under which nothing was created",
                );
            } else {
                self.status_of_unknown_record.entry(read).or_insert(status);
            }
        }
        if let (Purpose::EdgeCase(edge_case), Some(status)) = (intent.purpose, exchange.status())
            && edge_case.kind == EdgeCaseKind::IdentifierUnknown
        {
            self.status_of_unknown_record.insert(exchange.request.operation, status);
        }
    }

    /// Marks every record of a create, those to come included, as possibly somebody else's: the target takes their
    /// identifiers for those of other records.
    pub(super) fn doubt_all(&mut self, create: OperationId, doubt: &str) {
        let reason = self.reason_for_doubt(create, doubt);
        self.doubted_creates.entry(create).or_insert(reason);
        let tracked = self.tracked.iter_mut().filter(|record| record.create == create);
        tracked.for_each(|record| record.is_doubtful = true);
    }

    /// Returns the create of the record that a read names, if the run could have created the record under this name,
    /// and did not.
    fn create_of_unused_name(&self, read: &Request) -> Option<OperationId> {
        // A read of a record that contains the created one does not count.
        let reads_it = |create: OperationId| {
            self.contract
                .link_to_read(create)
                .is_some_and(|link| link.to == read.operation)
        };
        let mut links = self.contract.links_to(read.operation);
        let (create, chosen) = links.find_map(|link| {
            let chosen = self.contract.operation(link.from).path_to_chosen_identifier()?;
            reads_it(link.from).then_some((link.from, chosen))
        })?;
        let named = all_in_path(self.contract, read)?;
        let (_, name) = named.iter().find(|(place, _)| *place == chosen)?;
        let is_chosen = self.run_tag.is_in(&Value::from(name.as_str()));
        let is_created = |record: &TrackedRecord| record.create == create && record.path_identifiers == named;
        (is_chosen && !self.tracked.iter().any(is_created)).then_some(create)
    }

    /// Whether a look for a tracked record may end: the record shows as it should, or waiting longer would not help.
    pub(super) fn is_record_settled(&self, search: &RecordSearch) -> bool {
        let Some((_, shown)) = &search.last else { return false };
        match (search.stage, shown) {
            (
                _,
                ShownState::NoResponse
                | ShownState::ContentOfAnotherWrite
                | ShownState::IdentifierWithOtherContent
                | ShownState::Unclear,
            )
            | (RecordStage::OthersInList(_) | RecordStage::ListedOtherwise(_), _) => true,
            (RecordStage::UpdatedInList(_), shown) => !matches!(shown, ShownState::ListedChanged),
            (RecordStage::BeforeDelete, shown) => !matches!(shown, ShownState::Status(404, _)),
            (RecordStage::RejectedUpdates, ShownState::Record(record)) => !self.shows_rejected_update(search, record),
            (RecordStage::RejectedUpdates, _) => true,
            (RecordStage::WriteOfAnotherRecord(..) | RecordStage::RejectedDelete(..), shown) => {
                !matches!(shown, ShownState::Status(404 | 410, _))
            }
            (RecordStage::DeletedInRead | RecordStage::MayBeDeletedInRead, shown) => {
                !matches!(shown, ShownState::Record(_))
            }
            (RecordStage::DeletedInList | RecordStage::MayBeDeletedInList, shown) => {
                !matches!(shown, ShownState::Listed(_) | ShownState::ListedChanged)
            }
            (RecordStage::CreatedInList, ShownState::Listed(_)) => !search.shows_duplicate_items(),
            (RecordStage::CreatedInList, _) => false,
            (RecordStage::CreatedInRead, shown) => !matches!(shown, ShownState::Status(404 | 410, _)),
            (RecordStage::Update(_), ShownState::Record(record)) => self.shows_update(search, record),
            (RecordStage::Update(_), shown) => !matches!(shown, ShownState::Status(404 | 410, _)),
            (RecordStage::EdgeCase(_), shown) => !shown.may_fail_because_of_record(),
            (RecordStage::UpdateSentAgain(_), _) if search.rejected_repeat.is_some() => true,
            (RecordStage::UpdateSentAgain(_), ShownState::Record(record)) => !self.is_changed_by_repeat(search, record),
            (RecordStage::UpdateSentAgain(_), shown) => !matches!(shown, ShownState::Status(404 | 410, _)),
        }
    }

    /// Whether a record shows something else after its last update was sent again.
    fn is_changed_by_repeat(&self, search: &RecordSearch, shown: &Value) -> bool {
        let record = self.tracked.get(search.index);
        let sent = record.and_then(|record| record.updated.as_ref().zip(record.after_update.as_ref()));
        sent.is_some_and(|(request, before)| {
            // An invariant says, too, what must come back.
            let carries = self.contract.stated_or_inferred_carries_of_update(request.operation);
            field_changed_by_repeat(carries, request.json().unwrap_or(&Value::Null), (before, shown)).is_some()
        })
    }

    /// Whether a record shows what its last update sent.
    fn shows_update(&self, search: &RecordSearch, shown: &Value) -> bool {
        let sent = self
            .tracked
            .get(search.index)
            .and_then(|record| record.updated.as_ref());
        let Some(request) = sent else { return true };
        let carries = self.contract.lifecycle_carries_of_update(request.operation);
        super::carried::carries_all(carries, request.json().unwrap_or(&Value::Null), shown)
    }

    /// Whether a record shows what a rejected update sent.
    fn shows_rejected_update(&self, search: &RecordSearch, shown: &Value) -> bool {
        let record = self.tracked.get(search.index);
        let lifecycle = record.and_then(|record| self.contract.lifecycle_of(record.create));
        lifecycle.is_some_and(|lifecycle| self.rejected_updates_shown_in(lifecycle, shown).next().is_some())
    }

    /// Emits the evidence of a look after writes that were rejected: each update whose strings the record shows, or the
    /// deletion after which it is gone.
    fn emit_rejected(&mut self, search: &RecordSearch, emit: EvidenceSink<'_>) {
        let record = self.tracked.get(search.index).filter(|record| !record.is_doubtful);
        let lifecycle = record.and_then(|record| self.contract.lifecycle_of(record.create));
        let lifecycle = lifecycle.filter(|lifecycle| !lifecycle.guessed);
        let Some((lifecycle, (request, shown))) = lifecycle.zip(search.last.as_ref()) else {
            return;
        };
        match (search.stage, shown) {
            (RecordStage::RejectedDelete(operation, rejection), _) if self.is_gone(search) => {
                let stored = StoredDespiteRejection {
                    operation,
                    rejection,
                    pointer: "",
                };
                emit(Evidence::StoredDespiteRejection(stored, request));
            }
            (RecordStage::RejectedUpdates, ShownState::Record(record)) if search.confirms_own => {
                // A service may keep what it cannot use, and say so.
                let says_so = record.as_object().is_some_and(says_it_is_not_in_effect);
                let shown = self.rejected_updates_shown_in(lifecycle, record);
                let shown = shown.filter(|(_, (_, rejection), _)| !says_so || rejection.credential_fact.is_some());
                let mut reported: Vec<u64> = Vec::new();
                for (number, (operation, rejection), carry) in shown {
                    if !reported.contains(&number) {
                        reported.push(number);
                        let stored = StoredDespiteRejection {
                            operation,
                            rejection,
                            pointer: &format!("{}{}", lifecycle.record_in_read, carry.returned_at),
                        };
                        emit(Evidence::StoredDespiteRejection(stored, request));
                    }
                }
                reported
                    .into_iter()
                    .for_each(|number| self.forget_rejected_update(number));
            }
            _ => {}
        }
    }

    /// Remembers what a look shows of a tracked record: its content, whether it is listed or can still be read, whether
    /// its last update had an effect, what its create has stored with it, or that it is somebody else's.
    fn note_record(&mut self, search: &RecordSearch) {
        let shows_update =
            matches!(&search.last, Some((_, ShownState::Record(shown))) if self.shows_update(search, shown));
        let Some(record) = self.tracked.get_mut(search.index) else {
            return;
        };
        let (create, id) = (record.create, identifier(&record.id));
        let mut doubt = search.shows_another.then_some("a read by it shows another record");
        let is_unchanged = match &search.last {
            Some((_, ShownState::Record(shown))) => {
                if record.updated.is_none() {
                    let unsent = || UnsentValues::of((shown, &record.id), &record.request, &self.run_tag);
                    record.unsent_in_read.get_or_insert_with(unsent);
                }
                let before = record.last_read.replace(shown.clone());
                let lifecycle = self.contract.lifecycle_of(create);
                let lifecycle = lifecycle.filter(|_| record.note_read_after(self.writes));
                self.reads_between_writes.note(lifecycle, (before.as_ref(), shown));
                let update = match search.stage {
                    RecordStage::Update(update) => Some(update),
                    _ => None,
                };
                update.zip(before).is_some_and(|(update, before)| {
                    let carries = self.contract.lifecycle_carries_of_update(update);
                    is_unchanged(carries, (&before, shown))
                })
            }
            _ => false,
        };
        match (search.stage, &search.last) {
            (RecordStage::CreatedInList, Some((_, ShownState::Listed(_)))) => {
                record.is_listed = true;
            }
            (RecordStage::Update(_), Some((_, ShownState::Record(shown)))) if shows_update => {
                record.after_update = Some(shown.clone());
            }
            (RecordStage::Update(_), _) if is_unchanged => {
                self.updated_without_effect.insert(create);
            }
            // A service that marks its record as deleted shows it changed.
            (RecordStage::DeletedInRead, Some((_, ShownState::Record(_)))) => {
                doubt = Some("its record is still there after a deletion that was accepted");
            }
            (RecordStage::DeletedInList, Some((_, ShownState::Listed(_)))) => {
                doubt = Some("its list still shows the record unchanged after a deletion that was accepted");
            }
            (RecordStage::RejectedUpdates, _) => record.has_rejected_update = false,
            (RecordStage::EdgeCase(_), Some((_, shown))) => record.is_unreadable = shown.may_fail_because_of_record(),
            (
                RecordStage::WriteOfAnotherRecord(..),
                Some((
                    _,
                    ShownState::ContentOfAnotherWrite
                    | ShownState::IdentifierWithOtherContent
                    | ShownState::Status(404 | 410, _),
                )),
            )
            | (RecordStage::OthersInList(_), Some((_, ShownState::ContentOfAnotherWrite))) => {
                doubt = Some("the write of one record changed or deleted another");
            }
            (_, Some((_, ShownState::IdentifierWithOtherContent))) => {
                record.is_doubtful = true;
                self.doubt_ownership(create, "its list shows the record with other values");
            }
            _ => {}
        }
        if let Some(doubt) = doubt {
            self.doubt_all(create, doubt);
        }
        self.note_also_stored((create, id.as_deref()), &search.also_stored);
    }

    /// Emits the evidence of a look for a tracked record. A look before a deletion has none: it only decides whether
    /// the record is the run's own. Nor has one after a deletion that need not have been carried out: it only decides
    /// whether the record is left.
    pub(super) fn emit_record(&mut self, search: &RecordSearch, emit: EvidenceSink<'_>) {
        self.note_record(search);
        self.emit_touched(search, emit);
        self.emit_rejected(search, emit);
        self.emit_written(search, emit);
        self.note_listed_otherwise(search);
        self.emit_listed_as_read(search, emit);
        let Some(record) = self.tracked.get(search.index) else {
            return;
        };
        let Some((request, shown)) = &search.last else { return };
        let operation = match search.stage {
            RecordStage::CreatedInRead | RecordStage::CreatedInList => record.create,
            RecordStage::Update(update)
            | RecordStage::UpdateSentAgain(update)
            | RecordStage::EdgeCase(update)
            | RecordStage::OthersInList(update) => update,
            RecordStage::DeletedInRead | RecordStage::DeletedInList => {
                let lifecycle = self.contract.lifecycle_of(record.create);
                match lifecycle.and_then(|lifecycle| lifecycle.delete) {
                    Some(delete) => delete,
                    None => return,
                }
            }
            RecordStage::WriteOfAnotherRecord(write, _) => write,
            _ => return,
        };
        let sent = match search.stage {
            RecordStage::Update(_) | RecordStage::UpdateSentAgain(_) | RecordStage::OthersInList(_) => {
                record.updated.as_ref()
            }
            RecordStage::WriteOfAnotherRecord(_, written) => {
                self.tracked.get(written).and_then(|written| written.updated.as_ref())
            }
            _ => Some(&record.request),
        };
        let is_of_create = matches!(search.stage, RecordStage::CreatedInRead | RecordStage::CreatedInList);
        let is_repeated = matches!(search.stage, RecordStage::UpdateSentAgain(_));
        let before_repeat = record.after_update.as_ref().filter(|_| is_repeated);
        let after = match (search.stage, before_repeat) {
            (_, Some(before)) => PrecedingRequest::SecondUpdate(before),
            (RecordStage::EdgeCase(_), None) => PrecedingRequest::EdgeCase,
            (RecordStage::WriteOfAnotherRecord(..) | RecordStage::OthersInList(_), None) => {
                PrecedingRequest::WriteOfAnotherRecord
            }
            _ => PrecedingRequest::Write,
        };
        let by = request.operation;
        // If the record is gone since, that may be why the repeated update was rejected.
        let (request, shown) = match (&search.rejected_repeat, shown) {
            (Some((repeat, rejected)), ShownState::Record(_)) => (repeat, rejected),
            (Some((repeat, _)), _) => (repeat, &ShownState::Unclear),
            // Another create may have replaced what this one sent.
            (None, _) if is_of_create && record.is_created_again => (request, &ShownState::Unclear),
            // It could not be read before the update either, or it has another name since, which follows from what was
            // sent.
            (None, ShownState::Status(404 | 410, _))
                if matches!(search.stage, RecordStage::Update(_))
                    && (record.last_read.is_none() || self.run_tag.is_in(&record.id)) =>
            {
                (request, &ShownState::Unclear)
            }
            (None, shown) => (request, shown),
        };
        emit(Evidence::Record(
            RecordShown {
                operation,
                by,
                sent: sent.unwrap_or(&record.request),
                shown,
                after,
            },
            request,
        ));
    }
}

/// Whether a record shows in each of these fields, if there are any, what it showed before. A counter of views, or the
/// time of the update, may have changed all the same.
fn is_unchanged(carries: &[Carry], (before, shown): (&Value, &Value)) -> bool {
    let mut compared = carries.iter().map(|carry| &carry.returned_at);
    before == shown
        || !carries.is_empty() && compared.all(|at| pointer::select(before, at) == pointer::select(shown, at))
}

/// Returns the records that the path of a request names; `None` if it does not identify all of them.
pub(super) fn all_in_path(contract: &Contract, request: &Request) -> Option<PathIdentifiers> {
    let operation = contract.operation(request.operation);
    let in_path = |parameter: &&Parameter| parameter.location == ParameterLocation::Path;
    let named = identifiers_in_path(operation, &request.path);
    (named.len() == operation.parameters.iter().filter(in_path).count()).then_some(named)
}
