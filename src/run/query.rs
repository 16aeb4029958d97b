//! Queries: reads by `POST`, each with the smallest body.
//!
//! # Design
//!
//! The response to a query is judged like that to a read, but a query is sent as carefully as a write: only in a run
//! that writes, with no identifier of somebody else's record in its path, after it was entered in the write log, and
//! only while `max_writes` leaves room for one more record. It uses up none of that room, unless its status says that
//! it has created something, or a list shows what only the query has sent.

use super::request::{self, RequestHead};
use super::session::{Call, Session};
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampFormat;
use crate::exchange::{Credential, Purpose, RejectionMeaning, Request};
use crate::history::ExchangeRole;
use crate::plan::{Draft, Variant};
use crate::rules::Reason;

impl Session<'_> {
    /// Sends the query once.
    pub(super) async fn query(&self, operation: OperationId) {
        if let Err(reason) = self.require_own_records(operation).await {
            return self.not_called(operation, reason);
        }
        if !self.has_room_for(operation) {
            return self.not_called(operation, self.budget_spent_reason());
        }
        let Some(head) = self.request_head_if_any(operation) else {
            return;
        };
        let draft = match self.smallest_draft(operation) {
            Ok(draft) => draft,
            Err(reason) => return self.not_called(operation, reason),
        };
        let credential = request::credential(&self.contract.operation(operation).security);
        let purpose = Purpose::Documented(rejection_meaning(&head, &draft));
        let request = self.request_with_draft(&draft, &head, credential);
        let call = Call::alone(request, purpose).role(ExchangeRole::Read);
        let (exchange, _) = self.call(call).await;
        if self.succeeded(&exchange) {
            self.look_for_stored(operation).await;
            if self.history().has_stored(operation) {
                return self.end_edge_cases(operation, Reason::StoredByQuery);
            }
            self.drafts.accepted.borrow_mut().insert(operation, draft);
        } else if exchange.is_success() {
            // An undocumented success may mean that it stores something, so it gets no edge cases.
            self.end_edge_cases(operation, Reason::OtherFactBroken);
        }
    }

    /// Reads once the list of the collection that a query searches: it may show that the query stored what it sent. If
    /// it shows nothing, that decides nothing, because the list may have more pages, or be late.
    async fn look_for_stored(&self, query: OperationId) {
        let list = self
            .contract
            .list_of_queried_collection(query)
            .filter(|list| self.is_called(*list));
        let list = list.filter(|_| self.history().would_show_if_stored(query));
        let Some((list, head)) = list.and_then(|list| Some((list, self.request_head(list).ok()?))) else {
            return;
        };
        self.expect_requests(1);
        self.call(self.documented_call(list, head).role(ExchangeRole::Read))
            .await;
    }

    /// Returns a query with the smallest body.
    pub(super) fn query_request(
        &self,
        operation: OperationId,
        head: &RequestHead,
        credential: Credential,
    ) -> Result<Request, Reason> {
        let draft = self.smallest_draft(operation)?;
        Ok(self.request_with_draft(&draft, head, credential))
    }

    /// Drafts a body with the required fields alone: `{}` where there are none.
    pub(super) fn smallest_draft(&self, operation: OperationId) -> Result<Draft, Reason> {
        let full = self.draft(operation, TimestampFormat::Utc)?;
        let mut draft = full.clone();
        // If no field is optional, there is nothing to leave out.
        let _ = draft.vary(&Variant::RequiredFields, &full);
        Ok(draft)
    }
}

/// Returns what a rejection of a documented write or query means, given that the values of the body are made up: it may
/// name a record that the target does not know, in its path or in its body.
pub(super) fn rejection_meaning(head: &RequestHead, draft: &Draft) -> RejectionMeaning {
    if draft.may_name_an_unknown_record() || head.rejection_meaning == RejectionMeaning::UncertainValue {
        RejectionMeaning::UncertainValue
    } else {
        RejectionMeaning::Gap
    }
}
