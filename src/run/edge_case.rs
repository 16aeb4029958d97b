//! Edge cases: invariant 8. They come last, each is sent once, and of its response nothing is judged but that it is complete
//! and no 5xx.
//!
//! # Design
//!
//! What the edge case of a write may leave counts against the budget as every write's does: a response that rejects it leaves nothing.
//! So the budget is full once what was accepted or not answered fills it, and then no more is sent. An operation that broke
//! down over a documented request is sent no edge cases: they would show nothing new. One that gives no complete response to an
//! edge case, or asks for time until the end, is sent no more of them. What is not sent keeps the invariant from being held.
//!
//! A target that takes a field of any other type would keep a record of each: a create lets in one for each started 20 of
//! `--max-writes`, and is sent no more of them then. Room is left for the edge cases of texts, which come behind them.

use std::cell::RefCell;
use std::collections::HashMap;

use super::request::{self, Address};
use super::session::{Call, Session};
use crate::contract::edge_case::EdgeCase;
use crate::contract::fact::FactKind;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampForm;
use crate::exchange::{Content, Exchange, Purpose, Request};
use crate::history::{Residue, may_have_stored};
use crate::plan::{EdgeCasePart, WRITES_A_VARIANT};
use crate::rules::{Reason, Verdict};

/// What came of the edge cases so far.
#[derive(Debug, Default)]
pub(super) struct EdgeCases {
    /// The operations that are sent no more of them, each with the reason.
    ended: RefCell<HashMap<OperationId, Reason>>,
    /// How many fields of another type each create has let in.
    let_in: RefCell<HashMap<OperationId, u64>>,
}

impl Session<'_> {
    /// Sends one edge case.
    pub(super) async fn edge_case(&self, operation: OperationId, edge_case: EdgeCase) {
        let part = EdgeCasePart::of(self.contract, operation, &edge_case, self.plan.seed);
        let request = match self.reason_against_edge_case(operation, edge_case) {
            Some(reason) => Err(reason),
            None => match self.owned(operation).await {
                Ok(()) => self.edge_case_request(operation, edge_case, &part),
                Err(reason) => Err(reason),
            },
        };
        match request {
            Ok(Some(request)) => {
                let (exchange, _) = self.call(Call::alone(request, Purpose::EdgeCase(edge_case))).await;
                self.note_let_in(&exchange, edge_case);
                self.note_stray(&exchange, part);
                if let Some(reason) = gives_up(&exchange) {
                    self.edge_cases.ended.borrow_mut().insert(operation, reason);
                }
            }
            // There is nothing in the request that could be such an edge case.
            Ok(None) => {}
            Err(reason) => self.withhold_edge_case(operation, &reason),
        }
    }

    /// Why this edge case is not sent to the operation.
    fn reason_against_edge_case(&self, operation: OperationId, edge_case: EdgeCase) -> Option<Reason> {
        let is_broken = |kind| {
            let fact = self.contract.fact_of(operation, kind);
            fact.is_some_and(|fact| self.verdicts().of(self.contract, fact) == Verdict::Broken)
        };
        if is_broken(FactKind::NoServerError) || is_broken(FactKind::Complete) {
            return Some(Reason::Broken);
        }
        if let Some(reason) = self.edge_cases.ended.borrow().get(&operation) {
            return Some(reason.clone());
        }
        let writes = !self.contract.operation(operation).is_read();
        if writes && !self.has_room() {
            return Some(self.budget_spent());
        }
        let most = self.settings.max_writes;
        let let_in = *self.edge_cases.let_in.borrow().get(&operation)?;
        let is_full = edge_case.kind.is_of_a_field() && let_in >= most.div_ceil(WRITES_A_VARIANT);
        is_full.then_some(Reason::LetIn(most))
    }

    fn withhold_edge_case(&self, operation: OperationId, reason: &Reason) {
        for kind in [FactKind::EdgeCaseNoServerError, FactKind::EdgeCaseComplete] {
            if let Some(fact) = self.contract.fact_of(operation, kind) {
                self.evaluated(|evaluation| evaluation.withhold(fact, reason.clone()));
            }
        }
    }

    /// The request, or none where nothing in it can be such an edge case.
    fn edge_case_request(
        &self,
        operation: OperationId,
        edge_case: EdgeCase,
        part: &EdgeCasePart,
    ) -> Result<Option<Request>, Reason> {
        let address = self.edge_case_address(operation, edge_case, part)?;
        let documented = self.contract.operation(operation);
        let credential = request::credential(&documented.security);
        let raw = match part {
            EdgeCasePart::Body(text) => Some(text),
            _ => None,
        };
        if documented.is_read() || raw.is_some() {
            return Ok(Some(Request {
                body: raw.cloned().map(Content::Raw),
                ..address.request((operation, documented), credential)
            }));
        }
        let mut draft = self.draft(operation, TimestampForm::Utc)?;
        if let Some(accepted) = self.drafts.accepted.borrow().get(&operation) {
            draft.choose_as(accepted);
        }
        let mut request = self.writing_request(&draft, &address, credential);
        let Some(Content::Json(body)) = &mut request.body else {
            return Ok(Some(request));
        };
        let is_made = match part {
            EdgeCasePart::Text(text) => text.insert(body, &mut request.from_target, &self.settings.run_tag),
            EdgeCasePart::Field(field) => {
                field.clone().insert(body, &mut request.from_target);
                true
            }
            _ => true,
        };
        Ok(is_made.then_some(request))
    }

    fn edge_case_address(
        &self,
        operation: OperationId,
        edge_case: EdgeCase,
        part: &EdgeCasePart,
    ) -> Result<Address, Reason> {
        let instead = match part {
            EdgeCasePart::Identifier(text) => Some(text.as_str()),
            EdgeCasePart::Body(_) | EdgeCasePart::Field(_) | EdgeCasePart::Query(_) | EdgeCasePart::Text(_) => None,
        };
        let other = edge_case.parameter.map(|index| (index, instead));
        let address = request::address_but(self.contract, operation, self.history().bindings(), other);
        let mut address = address.map_err(Reason::NoValue)?;
        let parameters = &self.contract.operation(operation).parameters;
        let parameter = edge_case.parameter.and_then(|index| parameters.get(index));
        if let (EdgeCasePart::Query(values), Some(parameter)) = (part, parameter) {
            for value in values {
                address.add_query(&parameter.name, value);
            }
        }
        Ok(address)
    }

    /// Counts a field of another type that a create let in.
    fn note_let_in(&self, exchange: &Exchange, edge_case: EdgeCase) {
        let operation = exchange.request.operation;
        let creates = self.contract.operation(operation).creates();
        let accepted = exchange.status().is_some_and(|status| (200..300).contains(&status));
        if edge_case.kind.is_of_a_field() && creates && accepted {
            *self.edge_cases.let_in.borrow_mut().entry(operation).or_default() += 1;
        }
    }

    /// Notes a record that an update may have made of an identifier that no record had.
    fn note_stray(&self, exchange: &Exchange, part: EdgeCasePart) {
        let operation = exchange.request.operation;
        let documented = self.contract.operation(operation);
        let updates = !documented.is_read() && !documented.creates();
        let stored = may_have_stored(&exchange.outcome) == Some(true);
        if let (EdgeCasePart::Identifier(id), true) = (part, updates && stored) {
            let stray = Residue {
                operation,
                id: Some(id),
                status: exchange.status(),
                found: None,
            };
            self.evaluated(|evaluation| evaluation.leave(stray));
        }
    }
}

/// Why no more edge cases follow this one.
fn gives_up(exchange: &Exchange) -> Option<Reason> {
    match &exchange.outcome {
        Err(_) => Some(Reason::Unanswered),
        Ok(response) if response.is_throttled() => Some(Reason::Throttled),
        Ok(_) => None,
    }
}
