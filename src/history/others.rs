//! Takes what other clients wrote, from a recording of their traffic. They own their records and may change them at any
//! time, so nothing is residue, no later request takes an identifier from here, and a record is kept only until the next
//! create of its operation.

use serde_json::Value;

use super::created::CreatedRecord;
use super::evidence::{Creation, Evidence, FormTried};
use super::history::{History, Show};
use super::look::LookId;
use super::records::identified;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampForm;
use crate::exchange::Exchange;
use crate::exchange::json::Body;

impl History<'_> {
    /// Adds another client's successful create: what it carries, and the record that its list may show later.
    ///
    /// Where an earlier response showed the identifier, the target may have returned an existing record, which it may
    /// do; then nothing is concluded.
    pub(super) fn others_created(
        &mut self,
        exchange: &Exchange,
        path_values: &[(String, Value)],
        body: Option<&Body>,
        show: Show<'_>,
    ) {
        let operation = exchange.request.operation;
        self.made.retain(|made| made.operation != operation);
        let succeeded = self.succeeded(exchange);
        let Some(invariant) = &self.contract.operation(operation).invariants.created else {
            return;
        };
        let resource = body
            .filter(|_| succeeded)
            .and_then(|body| body.value.pointer(&invariant.resource));
        let Some(resource) = resource.filter(|resource| resource.is_object()) else {
            return;
        };
        self.others_form(exchange, show);
        let id = resource.pointer(&invariant.id);
        if id.is_some_and(|id| self.mark_given(operation, id)) {
            return;
        }
        show(Evidence::Creation(Creation {
            operation,
            invariant,
            request: &exchange.request,
            resource,
            seen_before: false,
        }));
        self.made.push(CreatedRecord {
            operation,
            request: exchange.request.clone(),
            resource: identified(resource, &invariant.id),
            seen_before: false,
            path_values: path_values.to_vec(),
        });
    }

    /// Shows that an accepted create was sent in a documented form.
    fn others_form(&self, exchange: &Exchange, show: Show<'_>) {
        let operation = exchange.request.operation;
        let Some(accepts) = self.contract.operation(operation).invariants.accepts.first() else {
            return;
        };
        let sent = exchange
            .request
            .json()
            .and_then(|body| body.pointer(&accepts.sent)?.as_str());
        if let Some(form) = sent
            .and_then(TimestampForm::of)
            .filter(|form| accepts.forms.contains(form))
        {
            let tried = FormTried {
                operation,
                form,
                status: exchange.status(),
                other_accepted: false,
            };
            show(Evidence::Form(tried, &exchange.request));
        }
    }

    /// Adds a page, which was judged as part of another look, to this one.
    pub(crate) fn page_again(&mut self, look: LookId, asked: Option<u64>, page: (&Exchange, Option<&Body>)) {
        self.page(look, asked, page);
    }

    /// Returns the creates whose records this list must show, of those that other clients made.
    pub(crate) fn others_made(&self, list: OperationId) -> Vec<OperationId> {
        let made = self.made.iter().map(|made| made.operation);
        made.filter(|create| self.contract.created_in(*create) == Some(list))
            .collect()
    }
}
