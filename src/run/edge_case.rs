//! Sends edge cases: those that the contract lists with `x-edge-cases`, or a few if it has no list. They come after all
//! other judged requests, except the updates that restore plain values and, in a clean-up, the deletes and their reads.
//! Their responses must be complete and not a 5xx; nothing else about them is judged.
//!
//! # Design
//!
//! Edge cases of writes share the budget of all writes. A create counts against it unless it was clearly rejected or
//! never reached the target; an update only if it may have created a record under a changed identifier; a query only if
//! its status says that it has created something (201 or 202), or a list shows what only the query has sent. Once the
//! budget is used up, no further edge case of a write is sent. An operation that failed on a documented request gets no
//! edge cases: they would show nothing new. One that gives no complete response to an edge case, or throttles every
//! attempt, gets no more of them. If the connection of an edge case may have been idle when it was closed, another one
//! with the same change is sent instead. Where an edge case is not sent, the facts about edge cases stay undecided; one
//! that cannot be made from the operation's request is left out without consequence.
//!
//! A target may store what it can then no longer show. So once an update of the run's own record has accepted an edge
//! case, the record is read, if a lifecycle is inferred; it is also read after the first few that were rejected. If it
//! can no longer be read, no operation on such records gets another edge case.
//!
//! A target that accepts fields of any type would keep a record for each such edge case. So a create gets no more of
//! them once it has accepted one for every 20 of `max_writes`, rounded up. That leaves a part of the budget for the
//! edge cases of strings, which come after them.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::request::{self, Replacement, RequestHead};
use super::session::{Call, Session};
use crate::contract::edge_case::{EdgeCase, ParameterKind};
use crate::contract::fact::FactKind;
use crate::contract::link::Link;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::EdgeCaseKind;
use crate::exchange::{Content, Exchange, Failure, Purpose, Request};
use crate::history::{Residue, may_have_stored};
use crate::plan::{EdgeCaseChange, RECORDS_PER_VARIANT, unknown_identifiers_of_path};
use crate::rules::{Reason, Verdict};

/// The outcome of the edge cases so far.
#[derive(Debug, Default)]
pub(super) struct EdgeCases {
    /// The operations of which an edge case was about to be sent.
    begun: RefCell<HashSet<OperationId>>,
    /// The operations that get no more edge cases, each with the reason.
    ended: RefCell<HashMap<OperationId, Reason>>,
    /// How many edge cases with a field of the wrong type each create has accepted.
    wrong_types_accepted: RefCell<HashMap<OperationId, u64>>,
    /// How many times the record of each update was read because the update rejected an edge case.
    reads_after_rejection: RefCell<HashMap<OperationId, u64>>,
}

/// The most times that the record of an update is read because the update rejected an edge case.
const READS_AFTER_REJECTION: u64 = 3;

impl Session<'_> {
    /// Sends one edge case. If its connection may have been idle when it was closed, another one follows, if its body
    /// differs: nothing is written twice. See also [`Session::may_send_again`].
    pub(super) async fn edge_case(&self, operation: OperationId, edge_case: EdgeCase) {
        let sent = self.send_edge_case(operation, edge_case, None).await;
        if let Some(exchange) = sent.filter(Exchange::was_closed_when_idle)
            && self.may_send_again(&exchange.request).await
        {
            self.send_edge_case(operation, edge_case, Some(&exchange.request)).await;
        }
    }

    /// Sends one edge case, unless it has the body of the one before; returns the exchange, if it was sent.
    async fn send_edge_case(
        &self,
        operation: OperationId,
        edge_case: EdgeCase,
        before: Option<&Request>,
    ) -> Option<Exchange> {
        let change = EdgeCaseChange::of(self.contract, operation, &edge_case, self.plan.seed);
        let request = match self.reason_to_skip_edge_case(operation, edge_case) {
            Some(reason) => Err(reason),
            None => match self.require_still_own_records(operation).await {
                Ok(()) => self.edge_case_request(operation, edge_case, &change),
                Err(reason) => Err(reason),
            },
        };
        match request {
            Ok(Some(request)) if before.is_some_and(|before| before.body == request.body) => None,
            Ok(Some(request)) => {
                if before.is_some() {
                    self.expect_requests(1);
                }
                let (exchange, _) = self.call(Call::alone(request, Purpose::EdgeCase(edge_case))).await;
                self.count_wrong_type(&exchange, edge_case);
                self.note_created_by_update(&exchange, change);
                if let Some(reason) = reason_to_stop_after(&exchange) {
                    self.end_edge_cases(operation, reason);
                }
                let is_accepted = exchange.is_success();
                if !is_accepted {
                    self.read_after_rejected_edge_case(&exchange).await;
                }
                if is_accepted && self.read_fails_after_edge_case(&exchange.request).await {
                    for other in self.contract.of_the_same_record(operation) {
                        self.end_edge_cases(other, Reason::RecordUnreadable);
                    }
                }
                Some(exchange)
            }
            // Nothing in the request can be made into such an edge case.
            Ok(None) => None,
            Err(reason) => {
                self.force_edge_case_undecided(operation, &reason);
                None
            }
        }
    }

    /// Makes sure that what an edge case is sent to is the run's own. Before the first one of an update, the record is
    /// read, unless nothing was written since it was read last: another may have got its identifier.
    async fn require_still_own_records(&self, operation: OperationId) -> Result<(), Reason> {
        self.require_own_records(operation).await?;
        let is_first = self.edge_cases.begun.borrow_mut().insert(operation);
        let record = self.history().record_to_read_before(operation).filter(|_| is_first);
        if let Some(record) = record {
            self.read_before_edge_case(operation, record).await;
            self.require_own_records(operation).await?;
        }
        Ok(())
    }

    /// Reads the record of an update that clearly rejected an edge case: it must not show what the edge case sent. A
    /// later edge case that is accepted may hide that.
    async fn read_after_rejected_edge_case(&self, exchange: &Exchange) {
        let update = exchange.request.operation;
        let Some(read) = self.contract.lifecycle_of(update).map(|lifecycle| lifecycle.read) else {
            return;
        };
        let reads = *self
            .edge_cases
            .reads_after_rejection
            .borrow_mut()
            .entry(update)
            .or_insert(0);
        if reads < READS_AFTER_REJECTION && !self.plan.learns && !self.history().with_rejected_updates(read).is_empty()
        {
            self.edge_cases
                .reads_after_rejection
                .borrow_mut()
                .insert(update, reads + 1);
            self.read_after_rejected_updates(read).await;
        }
    }

    /// Returns why this edge case is not sent to the operation, or `None` if it is.
    fn reason_to_skip_edge_case(&self, operation: OperationId, edge_case: EdgeCase) -> Option<Reason> {
        let is_broken = |kind| {
            let fact = self.contract.fact_of(operation, kind);
            fact.is_some_and(|fact| self.verdicts().of(self.contract, fact) == Verdict::Broken)
        };
        if is_broken(FactKind::NoServerError) || is_broken(FactKind::CompleteResponse) {
            return Some(Reason::OtherFactBroken);
        }
        if let Some(reason) = self.edge_cases.ended.borrow().get(&operation) {
            return Some(reason.clone());
        }
        let writes = !self.contract.operation(operation).is_get();
        if writes && !self.budget_allows_one() {
            return Some(self.budget_spent_reason());
        }
        let creates = self.contract.operation(operation).creates();
        if self.plan.learns && creates && !self.may_create_to_learn() {
            return Some(self.budget_spent_reason());
        }
        let max_writes = self.settings.max_writes;
        let wrong_types_accepted = *self.edge_cases.wrong_types_accepted.borrow().get(&operation)?;
        let is_full =
            edge_case.kind.changes_field_type() && wrong_types_accepted >= max_writes.div_ceil(RECORDS_PER_VARIANT);
        is_full.then_some(Reason::WrongTypeLimit(max_writes))
    }

    /// Ends the edge cases of the operation, for this reason.
    pub(super) fn end_edge_cases(&self, operation: OperationId, reason: Reason) {
        self.edge_cases.ended.borrow_mut().insert(operation, reason);
    }

    /// Makes the operation's facts about edge cases undecided, because one of them was not sent.
    fn force_edge_case_undecided(&self, operation: OperationId, reason: &Reason) {
        for kind in [FactKind::EdgeCaseNoServerError, FactKind::EdgeCaseCompleteResponse] {
            if let Some(fact) = self.contract.fact_of(operation, kind) {
                self.with_evaluation(|evaluation| evaluation.force_undecided(fact, reason.clone()));
            }
        }
    }

    /// Returns the request, or `None` where nothing in it can be made into such an edge case.
    fn edge_case_request(
        &self,
        operation: OperationId,
        edge_case: EdgeCase,
        change: &EdgeCaseChange,
    ) -> Result<Option<Request>, Reason> {
        let head = self.edge_case_head(operation, edge_case, change)?;
        let documented = self.contract.operation(operation);
        let credential = request::credential(&documented.security);
        let raw = match change {
            EdgeCaseChange::Body(text) => Some(text),
            _ => None,
        };
        if documented.is_get() || raw.is_some() {
            return Ok(Some(Request {
                body: raw.cloned().map(Content::Raw),
                ..head.request((operation, documented), credential)
            }));
        }
        let draft = if documented.is_query() && !self.drafts.accepted.borrow().contains_key(&operation) {
            self.smallest_draft(operation)?
        } else {
            self.draft_like_accepted(operation)?
        };
        let mut request = self.request_with_draft(&draft, &head, credential);
        let Some(Content::Json(body)) = &mut request.body else {
            return Ok(Some(request));
        };
        let is_made = match change {
            EdgeCaseChange::String(text) => {
                // The identifier of the record stays: under an unusual one it might not be found again.
                let identifier_field = self
                    .contract
                    .identifier_field(operation)
                    .and_then(|at| pointer::last(&at));
                let in_path = self
                    .body_names_of_path_identifier(operation, &head)
                    .map(|(names, _)| names);
                let names = in_path.into_iter().flatten().chain(identifier_field);
                let kept: Vec<_> = match body.as_object_mut() {
                    Some(members) => names.filter_map(|name| members.remove_entry(&name)).collect(),
                    None => Vec::new(),
                };
                let limits = self.contract.length_limits_of_edge_cases(operation);
                let made_of = (&self.settings.run_tag, &limits);
                let resource_identifier = body.pointer_mut(Link::JSON_API_IDENTIFIER).map(Value::take);
                let is_made = text.insert(body, &mut request.from_target, made_of);
                if let (Some(id), Some(place)) = (resource_identifier, body.pointer_mut(Link::JSON_API_IDENTIFIER)) {
                    *place = id;
                }
                if let Some(members) = body.as_object_mut() {
                    members.extend(kept);
                }
                is_made
            }
            EdgeCaseChange::Field(field) => {
                field.clone().insert(body, &mut request.from_target);
                true
            }
            _ => true,
        };
        Ok(is_made.then_some(request))
    }

    /// Returns the request head of an edge case: the documented one, with the changed identifier or query.
    fn edge_case_head(
        &self,
        operation: OperationId,
        edge_case: EdgeCase,
        change: &EdgeCaseChange,
    ) -> Result<RequestHead, Reason> {
        let instead = match change {
            EdgeCaseChange::Identifier(text) => Some(text.as_str()),
            EdgeCaseChange::Body(_)
            | EdgeCaseChange::Field(_)
            | EdgeCaseChange::Query(_)
            | EdgeCaseChange::String(_) => None,
        };
        let is_read = self.contract.operation(operation).is_read();
        if instead.is_some_and(|text| !is_read && self.history().was_shown(text)) {
            return Err(Reason::NotOwn(
                "a response showed the made-up identifier, so a record may have it".to_owned(),
            ));
        }
        let one = edge_case.parameter.map(|index| (index, instead));
        let replacement = one.map_or(Replacement::None, |(index, instead)| {
            Replacement::Parameter(index, instead)
        });
        let name = self.new_record_name(operation)?;
        let head = |replacement| {
            let history = self.history();
            request::request_head_with(self.contract, operation, history.bindings(), (replacement, &name))
        };
        let unknown = unknown_identifiers_of_path(self.contract, operation, self.plan.seed);
        let filled = match (head(replacement), &unknown) {
            (Err(_), Some(unknown)) => head(Replacement::Unknown(unknown, one)),
            (filled, _) => filled,
        };
        let mut head = filled.map_err(Reason::NoValue)?;
        if edge_case.kind == EdgeCaseKind::IdentifierMalformed
            && let (Some(text), Some(known)) = (instead, self.head_with_number(operation, edge_case))
        {
            // Code that reads a number up to the first letter, as some databases do, finds the record of that number.
            head = known;
            head.path.push_str(text);
            head.printable.path.push_str(text);
        }
        let parameters = &self.contract.operation(operation).parameters;
        let parameter = edge_case.parameter.and_then(|index| parameters.get(index));
        if let (EdgeCaseChange::Query(values), Some(parameter)) = (change, parameter) {
            for value in values {
                head.add_query(&parameter.name, value);
            }
        }
        Ok(head)
    }

    /// Returns the head of the documented request, if its path ends with the number that this edge case is about.
    fn head_with_number(&self, operation: OperationId, edge_case: EdgeCase) -> Option<RequestHead> {
        let documented = self.contract.operation(operation);
        let parameter = documented.parameters.get(edge_case.parameter?)?;
        let kind = ParameterKind::of(&self.contract.document, documented, parameter);
        let is_last = documented.path.ends_with(&format!("{{{}}}", parameter.name));
        let head = self.request_head(operation).ok()?;
        let ends_with_number = head.path.ends_with(|last: char| last.is_ascii_digit()) && !head.path.contains('?');
        (documented.is_get() && kind == ParameterKind::Number && is_last && ends_with_number).then_some(head)
    }

    /// Counts a field of the wrong type that a create accepted.
    fn count_wrong_type(&self, exchange: &Exchange, edge_case: EdgeCase) {
        let operation = exchange.request.operation;
        let creates = self.contract.operation(operation).creates();
        let accepted = exchange.is_success();
        if edge_case.kind.changes_field_type() && creates && accepted {
            *self
                .edge_cases
                .wrong_types_accepted
                .borrow_mut()
                .entry(operation)
                .or_default() += 1;
        }
    }

    /// Notes as residue a record that an update may have created under an identifier that no record had.
    fn note_created_by_update(&self, exchange: &Exchange, change: EdgeCaseChange) {
        let operation = exchange.request.operation;
        let documented = self.contract.operation(operation);
        let updates = !documented.is_read() && !documented.creates();
        let stored = may_have_stored(&exchange.outcome) == Some(true);
        if let (EdgeCaseChange::Identifier(id), true) = (change, updates && stored) {
            let left = Residue::of_write(operation, Some(id), exchange.status());
            self.with_evaluation(|evaluation| evaluation.add_residue(left));
        }
    }
}

/// Returns why no more edge cases follow this one, or `None` if they do.
fn reason_to_stop_after(exchange: &Exchange) -> Option<Reason> {
    match &exchange.outcome {
        Err(Failure::ClosedWhenIdle) => None,
        Err(_) => Some(Reason::NoResponse),
        Ok(response) if response.is_throttled() => Some(Reason::Throttled),
        Ok(_) => None,
    }
}
