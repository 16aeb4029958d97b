//! Finds the records of creates whose response shows no identifier: a list or a query shows them with what was sent.
//! The main type is [`UnidentifiedCreates`].
//!
//! # Design
//!
//! Without its identifier a record could be neither read nor cleaned up. An identifier is taken from a response only if
//! exactly one record there has, in the field in which the create sent it, the complete string with the run tag, and no
//! response showed the identifier before the create. As with any other record, nothing is written under it before a
//! read by the identifier has shown the run tag too.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::bindings::identifiers_in_path;
use super::created::CreatedRecord;
use super::exchange_role::{ExchangeRole, RecordRole, WriteContext};
use super::history::History;
use super::lifecycle::all_in_path;
use super::observed_values::ObservedValues;
use super::sent_strings::SentStrings;
use crate::contract::link::{Link, LinkTarget};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::exchange::{Exchange, Request, identifier};

/// The creates that may have stored a record under an identifier that their response does not show.
#[derive(Debug, Default)]
pub(super) struct UnidentifiedCreates {
    creates: Vec<UnidentifiedCreate>,
    /// For each operation, the identifiers that responses had shown before the first such create.
    seen: HashMap<OperationId, ObservedValues>,
}

/// A create whose response shows no identifier.
#[derive(Debug)]
struct UnidentifiedCreate {
    request: Request,
    /// The context of the write, if later requests build on its record.
    main: Option<WriteContext>,
    sent: SentStrings,
}

impl History<'_> {
    /// Remembers a create whose response shows no identifier although it may have stored a record.
    pub(super) fn note_unidentified(&mut self, (exchange, role): (&Exchange, &ExchangeRole)) {
        let create = exchange.request.operation;
        let is_create = self.contract.lifecycle_starting_with(create).is_some();
        let status = exchange.status().unwrap_or_default();
        // Narrower than the function `may_have_stored`: only a success or a 5xx.
        let may_lack_identifier = matches!(status, 200..300 | 500..600) && !self.may_have_created_nothing(exchange);
        let Some(body) = exchange.request.json().filter(|_| is_create && may_lack_identifier) else {
            return;
        };
        let mut sent = SentStrings::default();
        sent.note_body_of((self.contract, create), &self.run_tag, body);
        let main = match role {
            ExchangeRole::Write(context) if context.role == RecordRole::Main => Some(context.clone()),
            _ => None,
        };
        let seen = &self.observed_values;
        self.unidentified.seen.entry(create).or_insert_with(|| seen.clone());
        self.unidentified.creates.push(UnidentifiedCreate {
            request: exchange.request.clone(),
            main,
            sent,
        });
    }

    /// Returns the lists and queries that may show such records.
    pub(crate) fn showing_unidentified(&self) -> BTreeSet<OperationId> {
        let creates: BTreeSet<_> = self
            .unidentified
            .creates
            .iter()
            .map(|create| create.request.operation)
            .collect();
        let links = creates.into_iter().flat_map(|create| self.links_showing(create));
        links.map(|link| link.from).collect()
    }

    /// Returns the links from lists and queries into the read of what a create makes.
    fn links_showing(&self, create: OperationId) -> Vec<&Link> {
        let Some(lifecycle) = self.contract.lifecycle_of(create) else {
            return Vec::new();
        };
        let read = self.contract.operation(lifecycle.read);
        let links = self.contract.links_to(lifecycle.read).filter(|link| {
            let to_record = match link.target {
                LinkTarget::Parameter(index) => read.path_to_parameter(index).as_ref() == Some(&lifecycle.path_to_id),
                LinkTarget::Body(_) => false,
            };
            to_record && self.contract.operation(link.from).is_read()
        });
        links.collect()
    }

    /// Takes the identifiers of such records from a success of a list or a query.
    pub(super) fn find_unidentified(&mut self, exchange: &Exchange, body: &Value) {
        let mut at = 0;
        while let Some(create) = self.unidentified.creates.get(at) {
            match self.identifier_of_unidentified(create, exchange, body) {
                Some(id) => {
                    let create = self.unidentified.creates.remove(at);
                    self.keep_identified(create, &id);
                }
                None => at += 1,
            }
        }
    }

    /// Returns the identifier of the one record in a response that shows what a create sent.
    fn identifier_of_unidentified(
        &self,
        create: &UnidentifiedCreate,
        exchange: &Exchange,
        body: &Value,
    ) -> Option<Value> {
        let (from, request) = (exchange.request.operation, &create.request);
        let path_identifiers = all_in_path(self.contract, request)?;
        let parents = identifiers_in_path(self.contract.operation(from), &exchange.request.path);
        let mut ids = Vec::new();
        for link in self.links_showing(request.operation) {
            let Some((items, id)) = link.value_at.rsplit_once("/*").filter(|_| link.from == from) else {
                continue;
            };
            let items = pointer::get(body, items).and_then(Value::as_array);
            let items = items.map_or(&[][..], Vec::as_slice).iter();
            let shows = |item: &&Value| {
                item.as_object()
                    .is_some_and(|members| create.sent.any_shown_by(members))
            };
            ids.extend(items.filter(shows).filter_map(|item| item.pointer(id)));
        }
        let [id] = ids.as_slice() else { return None };
        let was_seen = self
            .unidentified
            .seen
            .get(&request.operation)
            .is_none_or(|seen| seen.contains(id));
        let is_within = parents.iter().all(|parent| path_identifiers.contains(parent));
        let may_be_own = !was_seen && is_within && self.may_be_own(request.operation, id);
        (may_be_own && identifier(id).is_some()).then(|| (*id).clone())
    }

    /// Keeps the record of a create under its identifier.
    fn keep_identified(&mut self, create: UnidentifiedCreate, id: &Value) {
        let operation = create.request.operation;
        self.note_identifier(operation, id);
        self.track(&create.request, id, false);
        let Some(context) = create.main else { return };
        self.bindings
            .bind_created(self.contract, (operation, create.request.path.as_str()), id);
        let creation = CreatedRecord {
            operation,
            request: create.request,
            identity: id.clone(),
            seen_before: false,
            path_values: context.path_values,
        };
        self.note_ownership(creation, id, (false, true));
    }
}
