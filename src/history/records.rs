//! Keeps what was sent successfully: records that were created, and updates of these.
//!
//! A create whose path names the new record, such as `PUT /pets/{name}`, has a *chosen* identifier: the caller picks
//! it, so it is known without a response.

use serde_json::Value;

use super::bindings::identifiers_in_path;
use super::created::CreatedRecord;
use super::evidence::{Creation, Evidence};
use super::exchange_role::{RecordRole, WriteContext};
use super::history::{EvidenceSink, History};
use super::residue::may_have_stored;
use crate::contract::Contract;
use crate::contract::link::LinkTarget;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::exchange::json::Body;
use crate::exchange::{Exchange, Request, identifier};

/// An update of a record that the run created.
#[derive(Clone, Debug)]
pub(crate) struct AcceptedUpdate {
    /// The operation that updates it.
    pub(crate) operation: OperationId,
    /// The accepted request.
    pub(crate) request: Request,
    /// The values in the path of the update, by parameter; they include the record itself.
    pub(crate) path_values: Vec<(String, Value)>,
}

impl History<'_> {
    /// Returns the identifier of what an exchange created. If the caller chose it, that one, provided that a record may
    /// have been stored; otherwise one in a successful response that no record of the list had before.
    pub(super) fn created_id(&self, exchange: &Exchange, body: Option<&Body>) -> Option<String> {
        let operation = exchange.request.operation;
        // A chosen identifier is known without a response.
        if let Some(chosen) = chosen_id(self.contract, &exchange.request) {
            let is_stored = may_have_stored(&exchange.outcome) == Some(true);
            return identifier(&chosen).filter(|_| is_stored);
        }
        let creates = self.contract.operation(operation).creates();
        let created = creates && exchange.is_success();
        let value = body.filter(|_| created).map_or(&Value::Null, |body| &body.value);
        let located = self.identifier_outside_body(exchange, value);
        let ids = self.created_ids(operation, value).into_iter().chain(&located);
        let mut own = ids.filter(|id| !self.was_listed(operation, id));
        own.find_map(identifier)
    }

    /// Returns the values that may be the identifier in a create's response: the one that the invariant names, or else
    /// those that links carry into parameters.
    fn created_ids<'body>(&self, operation: OperationId, body: &'body Value) -> Vec<&'body Value> {
        if self.contract.operation(operation).invariants.created.is_some() {
            let identity = self.contract.identifier_pointer(operation);
            return identity.and_then(|at| body.pointer(&at)).into_iter().collect();
        }
        if let Some((_, at)) = self.contract.list_at_path_of(operation) {
            return body.pointer(at).into_iter().collect();
        }
        let links = self.contract.links_from(operation);
        let links = links.filter(|link| matches!(link.target, LinkTarget::Parameter(_)));
        let links = links.filter(|link| link.is_in_body());
        links.flat_map(|link| pointer::select(body, &link.value_at)).collect()
    }

    /// Adds a created record: its identifier, whose it is, and what it carries.
    pub(super) fn add_created_record(
        &mut self,
        (exchange, context): (&Exchange, &WriteContext),
        body: &Value,
        emit: EvidenceSink<'_>,
    ) {
        let request = &exchange.request;
        let operation = request.operation;
        let Some(invariant) = &self.contract.operation(operation).invariants.created else {
            self.add_linked_record((exchange, context), body);
            return;
        };
        let is_used_later = context.role == RecordRole::Main;
        let record = body.pointer(&invariant.resource).unwrap_or(&Value::Null);
        let id = record.pointer(&invariant.id);
        let is_shown = |id| self.foreign_identifiers.contains(operation, id) || self.was_listed(operation, id);
        let was_shown = id.is_some_and(is_shown);
        let was_seen = id.is_some_and(|id| self.mark_created(operation, id));
        // If the request carried no run tag, the target may have returned an existing record instead of a second equal
        // one; whether it may is a gap.
        let has_run_tag = request.json().is_some_and(|body| self.run_tag.is_in(body));
        let seen_before = was_seen && (is_used_later || has_run_tag);
        let creation = creation((request, context), only_identifier(record, &invariant.id), seen_before);
        if is_used_later {
            let tagged = self.run_tag.is_in(record);
            // A step that needs an identifier reports that there is none.
            if let Some(id) = id.filter(|id| identifier(id).is_some()) {
                self.note_ownership(creation.clone(), id, (was_seen || was_shown, tagged));
                if was_shown && tagged && has_run_tag {
                    self.doubt_and_stop_creates(operation, "its list showed a record under it before");
                }
            } else {
                self.own.remove(&operation);
            }
        }
        if !record.is_object() {
            return;
        }
        emit(Evidence::Creation(Creation {
            operation,
            invariant,
            request,
            record,
            seen_before,
        }));
        self.creations.push(creation);
    }

    /// Adds a created record that no invariant describes, only the links from its create.
    fn add_linked_record(&mut self, (exchange, context): (&Exchange, &WriteContext), body: &Value) {
        let request = &exchange.request;
        let operation = request.operation;
        let located = self.identifier_outside_body(exchange, body);
        let ids = self.created_ids(operation, body).into_iter().chain(&located).cloned();
        let ids: Vec<_> = ids.collect();
        let was_seen = ids.iter().any(|id| self.was_observed(request, id));
        ids.iter().for_each(|id| self.observed_values.note(id, &|_| true));
        if context.role == RecordRole::Main {
            let id = self.contract.identifier_pointer(operation);
            let id = id.and_then(|at| body.pointer(&at)).or(located.as_ref());
            let id = id.cloned().unwrap_or_default();
            // The header, or a body that has nothing but the identifier, says that the record was created; then the
            // read by its identifier must show the run tag.
            let says_created = located.is_some() || is_identifier_alone(exchange, body, &id);
            let tagged = (says_created || self.shows_tagged_record(body, &id)) && self.may_be_own(operation, &id);
            let tagged = tagged && !self.shows_foreign_name(operation, body);
            let creation = creation((request, context), id.clone(), was_seen);
            self.note_ownership(creation, &id, (was_seen, tagged));
        } else if was_seen {
            self.doubt_ownership(
                operation,
                "a later create returned it again, or another identifier that a response had already shown",
            );
        }
    }

    /// Returns the identifier of a created record where its body does not show it: the one that the run chose, or that
    /// of the `Location` header of a 201, if the header names the path of the record's read, the body shows no
    /// identifier, and no invariant says where the body has one (RFC 9110, section 15.3.2).
    pub(super) fn identifier_outside_body(&self, exchange: &Exchange, body: &Value) -> Option<Value> {
        let request = &exchange.request;
        if self
            .contract
            .operation(request.operation)
            .new_record_name_parameter()
            .is_some()
        {
            let succeeded = exchange.is_success();
            return chosen_id(self.contract, request).filter(|_| succeeded);
        }
        let create = self.contract.operation(request.operation);
        let response = exchange.response().filter(|response| response.status == 201)?;
        let link = self.contract.link_to_read(request.operation)?;
        let is_shown = body.pointer(&link.value_at).is_some_and(|id| !id.is_null());
        if is_shown || !create.creates() || create.invariants.created.is_some() {
            return None;
        }
        let path = response.location.as_deref()?;
        let read = self.contract.get_operation_at(path).filter(|read| *read == link.to)?;
        let LinkTarget::Parameter(index) = link.target else {
            return None;
        };
        let read = self.contract.operation(read);
        let mut path_identifiers = identifiers_in_path(read, path);
        let before = read.path_to_parameter(index)?;
        let position = path_identifiers.iter().position(|(other, _)| *other == before)?;
        let (_, id) = path_identifiers.swap_remove(position);
        // The path of the create names the records that this one is nested in.
        let parents = identifiers_in_path(create, &request.path);
        let is_within = path_identifiers.iter().all(|parent| parents.contains(parent));
        let id = Value::String(id);
        (is_within && identifier(&id).is_some()).then_some(id)
    }

    /// Whether a body names a record that the run did not name: for a create with a chosen identifier, the field that
    /// holds the name has no run tag.
    pub(super) fn shows_foreign_name(&self, create: OperationId, body: &Value) -> bool {
        let shown = self
            .contract
            .chosen_parameter_name(create)
            .and_then(|name| name_in(body, name));
        shown.is_some_and(|shown| !self.run_tag.is_in(shown))
    }

    /// Whether the identifier that a create returned may be that of a new record: one that callers choose, such as a
    /// name, must show the run tag.
    pub(super) fn may_be_own(&self, create: OperationId, id: &Value) -> bool {
        !self.contract.has_chosen_identifier(create) || self.run_tag.is_in(id)
    }

    /// Adds an accepted update.
    pub(super) fn add_accepted_update(&mut self, request: &Request, context: &WriteContext) {
        self.note_counted_update(request, &context.path_values);
        let operation = request.operation;
        if context.role == RecordRole::Main && self.contract.operation(operation).invariants.updated.is_some() {
            self.accepted_updates.push(AcceptedUpdate {
                operation,
                request: request.clone(),
                path_values: context.path_values.clone(),
            });
        }
    }
}

/// Returns a created record as it is kept: with its identifier and never as a whole, because a hostile response may
/// have megabytes, and each record is kept until the end of its round.
fn creation((request, context): (&Request, &WriteContext), identity: Value, seen_before: bool) -> CreatedRecord {
    CreatedRecord {
        operation: request.operation,
        request: request.clone(),
        identity,
        seen_before,
        path_values: context.path_values.clone(),
    }
}

/// Returns the string member with this name in a body, or in an object of the body.
fn name_in<'body>(body: &'body Value, name: &str) -> Option<&'body Value> {
    let below = body.as_object().into_iter().flat_map(serde_json::Map::values);
    let found = body
        .get(name)
        .or_else(|| below.filter_map(|value| value.get(name)).next());
    found.filter(|found| found.is_string())
}

/// Returns the chosen identifier of a create: the one in its path.
fn chosen_id(contract: &Contract, create: &Request) -> Option<Value> {
    let operation = contract.operation(create.operation);
    let chosen = operation.path_to_chosen_identifier()?;
    let mut named = identifiers_in_path(operation, &create.path).into_iter();
    named
        .find(|(place, _)| *place == chosen)
        .map(|(_, id)| Value::String(id))
}

/// Whether a 201 shows nothing but the identifier of what was created.
fn is_identifier_alone(exchange: &Exchange, body: &Value, id: &Value) -> bool {
    let members = body.as_object().filter(|_| exchange.status() == Some(201));
    members.is_some_and(|members| members.len() == 1 && members.values().next() == Some(id))
}

/// Returns a record with nothing but its identifier, which is at `at`.
pub(super) fn only_identifier(record: &Value, at: &str) -> Value {
    let id = record.pointer(at).filter(|id| identifier(id).is_some());
    let tokens: Vec<_> = pointer::tokens(at).collect();
    let within = |inner: Value, token: &String| Value::from_iter([(token.clone(), inner)]);
    id.map_or(Value::Null, |id| tokens.iter().rev().fold(id.clone(), within))
}

/// Returns an identifier as a string.
pub(super) fn identifier_string(identifier: &Value) -> String {
    identifier
        .as_str()
        .map_or_else(|| identifier.to_string(), str::to_owned)
}
