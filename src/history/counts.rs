//! Counts the records of each write at the end of a run: a create adds one, an update none. The main type is
//! [`CountedWrites`].
//!
//! # Design
//!
//! The looks at the lists, and the final one over all of them, see everything that shows the run tag, so counting costs
//! no request. A larger `total` of a list proves nothing by itself, because others may write meanwhile. The proof is a
//! record that carries everything that one create sent, and that appeared in no response to a create.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::carried::carries_all;
use super::evidence::{Evidence, FinalListing, Walk};
use super::history::{EvidenceSink, History};
use super::look::Item;
use super::records::identifier_string;
use super::residue::{may_have_stored, records};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::{Carry, Listed};
use crate::exchange::{Exchange, Intent, Request, identifier};

/// The maximum number of writes that are remembered, the most recent ones: a run that repeats its plan (a soak) may
/// send any number.
const MAX_WRITES_KEPT: usize = 1_000;

/// The writes of a run whose records are counted.
#[derive(Debug, Default)]
pub(super) struct CountedWrites {
    writes: VecDeque<CountedWrite>,
}

/// A write that may have stored something.
#[derive(Debug)]
struct CountedWrite {
    operation: OperationId,
    /// The body that it sent.
    body: Value,
    /// The draft numbers that its body carries after the run tag (see `RunTag::numbers_in`); none if it carries no tag.
    numbers: Vec<u64>,
    /// The identifier of its record, where it is known.
    id: Option<String>,
    /// Whether it was a documented request that succeeded, and its record has an identifier.
    is_judged: bool,
    /// Whether its record was seen.
    found: bool,
    /// Whether its record was an item of the list before and has not been seen in the current walk.
    gone: bool,
    /// Records under other identifiers that carry what it sent.
    second_records: Vec<SecondRecord>,
}

/// A record under another identifier that carries what a write sent.
#[derive(Debug)]
struct SecondRecord {
    id: Option<String>,
    pointer: String,
    request: Request,
}

impl CountedWrites {
    /// Remembers a write, and forgets the oldest one if there are too many.
    fn note(&mut self, written: CountedWrite) {
        if self.writes.len() >= MAX_WRITES_KEPT {
            self.writes.pop_front();
        }
        self.writes.push_back(written);
    }

    /// Returns how many writes whose record has no known identifier sent exactly the same body: each may have stored
    /// one of the second records.
    fn unidentified_like(&self, written: &CountedWrite) -> usize {
        let like = |other: &&CountedWrite| {
            let same = other.operation == written.operation && other.body == written.body;
            same && other.id.is_none()
        };
        self.writes.iter().filter(like).count()
    }
}

impl<'run> History<'run> {
    /// Remembers a create that may have stored a record.
    pub(super) fn note_counted_create(&mut self, (exchange, intent): (&Exchange, Intent), id: Option<&str>) {
        let operation = exchange.request.operation;
        if self.created_and_listed_invariants(operation).is_none() || may_have_stored(&exchange.outcome) != Some(true) {
            return;
        }
        let is_judged = intent.is_documented() && self.succeeded(exchange) && id.is_some();
        self.note_counted(&exchange.request, id.map(str::to_owned), is_judged);
    }

    /// Remembers an accepted update of a record of this run.
    pub(super) fn note_counted_update(&mut self, request: &Request, path_values: &[(String, Value)]) {
        let updated = self.contract.operation(request.operation).invariants.updated.as_ref();
        // For an update, this parameter names the record itself.
        let parameter = updated.and_then(|updated| updated.listed.item_parameter.as_ref());
        let updated = path_values.iter().find(|(name, _)| Some(name) == parameter);
        if let Some((_, id)) = updated {
            self.note_counted(request, Some(identifier_string(id)), true);
        }
    }

    fn note_counted(&mut self, request: &Request, id: Option<String>, is_judged: bool) {
        let body = request.json().cloned().unwrap_or_default();
        self.residue_tracker.counts.note(CountedWrite {
            operation: request.operation,
            numbers: self.run_tag.numbers_in(&body),
            body,
            id,
            is_judged,
            found: false,
            gone: false,
            second_records: Vec::new(),
        });
    }

    /// Counts the records that an item is or contains and that a write of the run may have left, whichever look has
    /// seen the item.
    pub(super) fn count_item(&mut self, list: OperationId, item: Item<'_>) {
        let mut counts = std::mem::take(&mut self.residue_tracker.counts);
        self.count_in(&mut counts, list, item);
        self.residue_tracker.counts = counts;
    }

    /// Adds what an item shows of each remembered write.
    fn count_in(&self, counts: &mut CountedWrites, list: OperationId, item: Item<'_>) {
        let mut ids: HashMap<_, Option<String>> = HashMap::new();
        for written in counts.writes.iter_mut().filter(|written| written.gone) {
            let id = ids.entry(written.operation).or_insert_with(|| {
                let id = self.pointer_to_item_id(written, list)?;
                item.value.pointer(id).and_then(identifier)
            });
            written.gone = *id != written.id;
        }
        if !self.run_tag.is_in(item.value) {
            return;
        }
        for operation in self.contract.operation_ids() {
            let Some((listed, id)) = self.listed_at(operation, list) else {
                continue;
            };
            for (record, at) in records(item.value, item.pointer(), listed) {
                let id = record.pointer(id).and_then(identifier);
                let numbers = self.run_tag.numbers_in(record);
                let is_known_record =
                    |written: &CountedWrite| written.operation == operation && id.is_some() && written.id == id;
                let known = counts.writes.iter().any(is_known_record);
                for written in counts
                    .writes
                    .iter_mut()
                    .filter(|written| written.operation == operation)
                {
                    if id.is_some() && written.id == id {
                        written.found = true;
                    } else if !known
                        && written.is_judged
                        && written.second_records.iter().all(|second| second.id != id)
                        && self.carries_what_was_sent(written, (record, &numbers))
                    {
                        written.second_records.push(SecondRecord {
                            id: id.clone(),
                            pointer: at.clone(),
                            request: item.request.clone(),
                        });
                    }
                }
            }
        }
    }

    /// Returns where this list shows the records of a write, and where their identifier is.
    fn listed_at(&self, operation: OperationId, list: OperationId) -> Option<(&'run Listed, &'run str)> {
        let invariants = &self.contract.operation(operation).invariants;
        let page = self.contract.operation(list).page.as_ref()?;
        let created = self
            .created_and_listed_invariants(operation)
            .map(|(created, listed)| (listed, created.id.as_str()));
        let updated = invariants
            .updated
            .as_ref()
            .map(|updated| (&updated.listed, page.id.as_str()));
        let (listed, id) = created.or(updated)?;
        (self.contract.operation_named(&listed.operation) == Some(list)).then_some((listed, id))
    }

    /// Returns where this list shows the identifier of a create's record, if the record is an item there.
    fn pointer_to_item_id(&self, written: &CountedWrite, list: OperationId) -> Option<&'run str> {
        let creates = self.contract.operation(written.operation).invariants.created.is_some();
        let (listed, id) = self.listed_at(written.operation, list).filter(|_| creates)?;
        listed.item_parameter.is_none().then_some(id)
    }

    /// Prepares to look for every item of a list again: what was listed counts as gone until it is seen again.
    pub(super) fn expect_items_again(&mut self, list: OperationId) {
        let mut counts = std::mem::take(&mut self.residue_tracker.counts);
        for written in &mut counts.writes {
            written.gone = written.is_judged && written.found && self.pointer_to_item_id(written, list).is_some();
        }
        self.residue_tracker.counts = counts;
    }

    /// Whether a listed item has not been seen again in the current walk.
    pub(super) fn has_missing_items(&self) -> bool {
        self.residue_tracker.counts.writes.iter().any(|written| written.gone)
    }

    /// Whether a record carries what a write sent: no sent value that must come back differs. In addition, it has a
    /// string with the run tag or, if the write sent none, lacks no field that must come back.
    fn carries_what_was_sent(&self, written: &CountedWrite, (record, numbers): (&Value, &[u64])) -> bool {
        let invariants = &self.contract.operation(written.operation).invariants;
        let created = invariants.created.as_ref().map(|created| &created.carries);
        let Some(carries) = created.or(invariants.updated.as_ref().map(|updated| &updated.carries)) else {
            return false;
        };
        let strict = || carries.iter().filter(|carry| carry.comes_back_as_sent());
        let shows_all = || carries_all(carries, &written.body, record);
        if !written.numbers.is_empty() {
            return written.numbers.iter().any(|number| numbers.contains(number))
                && strict().any(|carry| self.shows_run_tag(carry, &written.body, record))
                && shows_all();
        }
        let has = |carry: &Carry| {
            !pointer::select(&written.body, &carry.sent).is_empty()
                && !pointer::select(record, &carry.returned_at).is_empty()
        };
        let listed = invariants.created.as_ref().and_then(|created| created.listed.as_ref());
        // Records inside an item may be alike unless they contain something of the run's own.
        listed.is_some_and(|listed| listed.item_parameter.is_none())
            && strict().next().is_some()
            && strict().all(has)
            && shows_all()
    }

    /// Emits the evidence about what a walk over the whole list counted.
    pub(super) fn emit_counts(&self, list: OperationId, walk: &Walk, emit: EvidenceSink<'_>) {
        let counts = &self.residue_tracker.counts;
        let here = counts.writes.iter().filter(|written| written.is_judged);
        let here = here.filter(|written| self.listed_at(written.operation, list).is_some());
        let last = walk.last_request(self.contract);
        for written in here {
            let unidentified = counts.unidentified_like(written);
            let second_records = &written.second_records;
            let second_record = second_records.last().filter(|_| second_records.len() > unidentified);
            let listing = FinalListing {
                operation: written.operation,
                found: written.found,
                gone: written.gone && !walk.changed(),
                second_record: second_record.map(|second| second.pointer.as_str()),
                changed: walk.changed(),
                end: walk.end,
                max_pages: walk.max_pages,
            };
            if let Some(request) = second_record.map(|second| &second.request).or(last.as_ref()) {
                emit(Evidence::FinalListing(listing, request));
            }
        }
    }
}
