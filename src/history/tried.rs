//! Compares what was tried in several forms of a field, or in several spellings. The main type is [`Tried`].

use std::collections::HashMap;

use super::evidence::{EquivalentTried, Evidence, FormTried};
use super::history::{EvidenceSink, History};
use super::part::{Role, WriteContext};
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::{Equivalence, TimestampForm};
use crate::exchange::{Exchange, Request};

/// What was tried and is not yet judged.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// The last request in each form.
    forms: HashMap<OperationId, Vec<InForm>>,
    /// What was rejected in these spellings, until the plain request shows why.
    other_spellings: HashMap<OperationId, (Vec<Equivalence>, Box<Exchange>)>,
}

/// The last request in one form.
#[derive(Debug)]
struct InForm {
    form: TimestampForm,
    request: Request,
    status: Option<u16>,
    accepted: bool,
}

impl Tried {
    /// Adds a request in another spelling. A single one that is rejected after the plain request was accepted is itself
    /// the reason; several spellings are then tried one by one.
    pub(super) fn other_spellings(&mut self, exchange: &Exchange, spellings: &[Equivalence], emit: EvidenceSink<'_>) {
        let operation = exchange.request.operation;
        let is_of_many = self
            .other_spellings
            .get(&operation)
            .is_some_and(|(all, _)| all.len() > 1);
        if is_of_many || !is_rejected(exchange) {
            judge_spellings((exchange, spellings), is_of_many, emit);
        } else {
            self.other_spellings
                .insert(operation, (spellings.to_vec(), Box::new(exchange.clone())));
        }
    }

    /// Adds the same request in its plain spelling.
    pub(super) fn plain_again(&mut self, exchange: &Exchange, accepted: bool, emit: EvidenceSink<'_>) {
        let operation = exchange.request.operation;
        if let Some((spellings, rejected)) = self.other_spellings.get(&operation)
            && (!accepted || spellings.len() == 1)
        {
            judge_spellings((rejected, spellings), accepted, emit);
            self.other_spellings.remove(&operation);
        }
    }
}

fn judge_spellings((exchange, spellings): (&Exchange, &[Equivalence]), plain_accepted: bool, emit: EvidenceSink<'_>) {
    for spelling in spellings {
        let tried = EquivalentTried {
            operation: exchange.request.operation,
            spelling: *spelling,
            status: exchange.status(),
            plain_accepted,
        };
        emit(Evidence::Equivalent(tried, exchange));
    }
}

/// Whether the response is an error other than throttling.
pub(crate) fn is_rejected(exchange: &Exchange) -> bool {
    let response = exchange.response();
    response.is_some_and(|response| response.status >= 400 && !response.is_throttled())
}

impl History<'_> {
    /// Records the form in which a create sent the field that has several.
    pub(super) fn note_form(&mut self, exchange: &Exchange, context: &WriteContext, accepted: bool) {
        let operation = exchange.request.operation;
        let has_forms = !self.contract.operation(operation).invariants.accepts.is_empty();
        if !has_forms || context.role != Role::Main {
            return;
        }
        let forms = self.tried.forms.entry(operation).or_default();
        forms.retain(|tried| tried.form != context.form);
        forms.push(InForm {
            form: context.form,
            request: exchange.request.clone(),
            status: exchange.status(),
            accepted,
        });
    }

    /// Judges the forms in which a create was sent; a form whose field was dropped was not tried.
    pub(crate) fn judge_forms(&mut self, operation: OperationId, tried: &[TimestampForm], emit: EvidenceSink<'_>) {
        let mut forms = self.tried.forms.remove(&operation).unwrap_or_default();
        forms.retain(|in_form| tried.contains(&in_form.form));
        let Some(accepts) = self.contract.operation(operation).invariants.accepts.first() else {
            return;
        };
        for form in &accepts.forms {
            let Some(tried) = forms.iter().find(|tried| tried.form == *form) else {
                continue;
            };
            let sent = tried.request.json();
            if sent.is_some_and(|body| body.pointer(&accepts.sent).is_some()) {
                let mut others = forms.iter().filter(|other| other.form != *form);
                let evidence = FormTried {
                    operation,
                    form: *form,
                    status: tried.status,
                    other_accepted: others.any(|other| other.accepted),
                };
                emit(Evidence::Form(evidence, &tried.request));
            }
        }
    }
}
