//! Compares the requests that tried several timestamp formats of a field, and equivalent requests with the plain one.
//! The main type is [`PendingComparisons`].

use std::collections::HashMap;

use super::evidence::{EquivalenceOutcome, Evidence, FormatOutcome};
use super::exchange_role::{RecordRole, WriteContext};
use super::history::{EvidenceSink, History};
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::{Equivalence, TimestampFormat};
use crate::exchange::{Exchange, Request};

/// What was tried and is not yet judged.
#[derive(Debug, Default)]
pub(super) struct PendingComparisons {
    /// The last request in each format.
    formats: HashMap<OperationId, Vec<InFormat>>,
    /// The rejected equivalent requests with their equivalences, until the plain request shows why.
    rejected_equivalents: HashMap<OperationId, (Vec<Equivalence>, Box<Exchange>)>,
}

/// The last request in one timestamp format.
#[derive(Debug)]
struct InFormat {
    format: TimestampFormat,
    request: Request,
    status: Option<u16>,
    accepted: bool,
}

impl PendingComparisons {
    /// Adds an equivalent request, with its equivalences. If a request with a single one is rejected although the plain
    /// request is accepted, that equivalence is the reason. Of several, each is then tried by itself.
    pub(super) fn equivalent_request(
        &mut self,
        exchange: &Exchange,
        equivalences: &[Equivalence],
        emit: EvidenceSink<'_>,
    ) {
        let operation = exchange.request.operation;
        // While a rejected request with several equivalences waits, each of these is tried by itself.
        let is_of_many = self
            .rejected_equivalents
            .get(&operation)
            .is_some_and(|(all, _)| all.len() > 1);
        if is_of_many || !is_error_response(exchange) {
            emit_equivalences((exchange, equivalences), is_of_many, emit);
        } else {
            self.rejected_equivalents
                .insert(operation, (equivalences.to_vec(), Box::new(exchange.clone())));
        }
    }

    /// Adds the same request in its plain spelling.
    pub(super) fn plain_again(&mut self, exchange: &Exchange, accepted: bool, emit: EvidenceSink<'_>) {
        let operation = exchange.request.operation;
        if let Some((equivalences, rejected)) = self.rejected_equivalents.get(&operation)
            && (!accepted || equivalences.len() == 1)
        {
            emit_equivalences((rejected, equivalences), accepted, emit);
            self.rejected_equivalents.remove(&operation);
        }
    }
}

/// Emits the evidence about each equivalence of an equivalent request.
fn emit_equivalences(
    (exchange, equivalences): (&Exchange, &[Equivalence]),
    plain_accepted: bool,
    emit: EvidenceSink<'_>,
) {
    for equivalence in equivalences {
        let tried = EquivalenceOutcome {
            operation: exchange.request.operation,
            equivalence: *equivalence,
            status: exchange.status(),
            plain_accepted,
        };
        emit(Evidence::Equivalent(tried, exchange));
    }
}

/// Whether the response is an error other than throttling.
pub(crate) fn is_error_response(exchange: &Exchange) -> bool {
    let response = exchange.response();
    response.is_some_and(|response| response.status >= 400 && !response.is_throttled())
}

impl History<'_> {
    /// Remembers the format in which a create sent the field that has several.
    pub(super) fn note_timestamp_format(&mut self, exchange: &Exchange, context: &WriteContext, accepted: bool) {
        let operation = exchange.request.operation;
        let formats = self.contract.operation(operation).accepted_timestamp_formats();
        if formats.is_none() || context.role == RecordRole::Additional {
            return;
        }
        let formats = self.pending.formats.entry(operation).or_default();
        formats.retain(|tried| tried.format != context.format);
        formats.push(InFormat {
            format: context.format,
            request: exchange.request.clone(),
            status: exchange.status(),
            accepted,
        });
    }

    /// Emits the evidence about the timestamp formats in which a create was sent; a format whose field was dropped was
    /// not tried.
    pub(crate) fn emit_timestamp_formats(
        &mut self,
        operation: OperationId,
        tried: &[TimestampFormat],
        emit: EvidenceSink<'_>,
    ) {
        let mut formats = self.pending.formats.remove(&operation).unwrap_or_default();
        formats.retain(|in_format| tried.contains(&in_format.format));
        let Some(accepted) = self.contract.operation(operation).accepted_timestamp_formats() else {
            return;
        };
        for format in &accepted.formats {
            let Some(tried) = formats.iter().find(|tried| tried.format == *format) else {
                continue;
            };
            let sent = tried.request.json();
            if sent.is_some_and(|body| body.pointer(&accepted.sent).is_some()) {
                let mut others = formats.iter().filter(|other| other.format != *format);
                let evidence = FormatOutcome {
                    operation,
                    format: *format,
                    status: tried.status,
                    other_accepted: others.any(|other| other.accepted),
                };
                emit(Evidence::Format(evidence, &tried.request));
            }
        }
    }
}
