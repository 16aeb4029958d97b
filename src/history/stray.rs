//! Finds records that a list had shown before and that an accepted write to an unknown identifier has changed. The main
//! type is [`StrayRecord`].
//!
//! # Design
//!
//! The edge cases write to an unknown or malformed identifier, which names no record. How a service responds is a gap,
//! and it may create a record under that identifier on purpose. But a record that a list showed before such a write has
//! an identifier of its own: the write reached somebody else's record. The search for residue reads every list anyway,
//! so this costs no request. The draft number after the run tag says which write it was.

use std::collections::BTreeSet;

use super::evidence::{Evidence, Reached, StrayWrite};
use super::history::{EvidenceSink, History};
use super::look::Item;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::EdgeCaseKind;
use crate::exchange::{Digest, Exchange, Intent, Purpose, Request};

/// A record that a list had shown before, and that now shows what was sent to an unknown identifier.
#[derive(Debug)]
pub(super) struct StrayRecord {
    operation: OperationId,
    pointer: String,
    request: Request,
}

impl StrayRecord {
    /// Whether two responses of one list show the same record in the same place.
    pub(super) fn is_of_same_record(&self, other: &Self) -> bool {
        (self.operation, &self.pointer, &self.request.path) == (other.operation, &other.pointer, &other.request.path)
    }

    pub(super) fn emit(&self, emit: EvidenceSink<'_>) {
        let stray = StrayWrite {
            operation: self.operation,
            pointer: &self.pointer,
            reached: Reached::ByUnknownIdentifier,
        };
        emit(Evidence::StrayWrite(stray, &self.request));
    }
}

impl History<'_> {
    /// Remembers the draft of a write to an unknown identifier that was accepted.
    pub(super) fn note_write_to_unknown_identifier(&mut self, exchange: &Exchange, intent: Intent) {
        let Purpose::EdgeCase(edge_case) = intent.purpose else {
            return;
        };
        let is_to_unknown_identifier = matches!(
            edge_case.kind,
            EdgeCaseKind::IdentifierMalformed | EdgeCaseKind::IdentifierUnknown
        );
        let accepted = exchange.is_success();
        if let (true, Some(body)) = (is_to_unknown_identifier && accepted, exchange.request.json()) {
            let operation = exchange.request.operation;
            let numbers = self.run_tag.numbers_in(body);
            self.writes_to_unknown_identifiers
                .extend(numbers.into_iter().map(|number| (number, operation)));
        }
    }

    /// Returns what an item of a list shows of writes to an unknown identifier, once for each operation, if the list
    /// showed the item before.
    pub(super) fn stray_records(&self, list: OperationId, item: Item<'_>) -> Vec<StrayRecord> {
        let contract = self.contract;
        let page = contract.operation(list).page.as_ref();
        let id = page.and_then(|page| item.value.pointer(&page.id));
        if !id.is_some_and(|id| self.has_listed(list, &Digest::of(id))) {
            return Vec::new();
        }
        let numbers = self.run_tag.numbers_in(item.value);
        let writes = numbers
            .iter()
            .filter_map(|number| self.writes_to_unknown_identifiers.get(number).copied());
        let is_shown = |write: &OperationId| {
            contract.list_showing_updated_by(*write) == Some(list)
                || contract.list_showing_created_by(*write) == Some(list)
        };
        let writes: BTreeSet<_> = writes.filter(is_shown).collect();
        let record = |operation| StrayRecord {
            operation,
            pointer: item.pointer(),
            request: item.request.clone(),
        };
        writes.into_iter().map(record).collect()
    }
}
