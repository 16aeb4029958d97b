//! What rules look at in addition to the evidence of the history: an exchange with its body read, an operation without
//! a success, and a learned answer.

use std::sync::Arc;

use super::media_type;
use crate::contract::edge_case::EdgeCase;
use crate::contract::fact::FactId;
use crate::contract::is_json;
use crate::contract::learned::StatedAnswer;
use crate::contract::operation::{
    DocumentedHeader, DocumentedResponse, Operation, OperationId, StatusPattern, is_success,
};
use crate::exchange::json::{Body, JsonError};
use crate::exchange::{Exchange, Failure, Intent, Purpose, Request, Response};
use crate::gaps::Answer;

/// What evidence comes from: one exchange, or several, represented by one request.
#[derive(Clone, Copy, Debug)]
pub struct EvidenceSource<'source> {
    /// The request.
    pub request: &'source Request,
    /// The number of its exchange, where the evidence is one exchange.
    pub exchange: Option<u64>,
}

impl<'source> From<&'source Exchange> for EvidenceSource<'source> {
    fn from(exchange: &'source Exchange) -> Self {
        Self {
            request: &exchange.request,
            exchange: Some(exchange.number),
        }
    }
}

impl<'source> From<&'source Request> for EvidenceSource<'source> {
    fn from(request: &'source Request) -> Self {
        Self {
            request,
            exchange: None,
        }
    }
}

/// An exchange with its body read.
#[derive(Clone, Copy, Debug)]
pub struct ExchangeSeen<'seen> {
    /// The operation's index in the contract.
    pub id: OperationId,
    /// The operation.
    pub operation: &'seen Operation,
    /// The exchange.
    pub exchange: &'seen Exchange,
    /// Why it was sent.
    pub intent: Intent,
    /// The documented response of its status.
    pub documented: Option<&'seen DocumentedResponse>,
    /// The body, read as JSON where a JSON body is documented.
    pub body: Option<&'seen Result<Arc<Body>, JsonError>>,
}

impl<'seen> ExchangeSeen<'seen> {
    /// The response or the failure.
    pub(super) fn outcome(&self) -> Result<&'seen Response, &'seen Failure> {
        self.exchange.outcome.as_ref()
    }

    /// The edge case that the request is, if it is one.
    pub(super) fn edge_case(&self) -> Option<EdgeCase> {
        match self.intent.purpose {
            Purpose::EdgeCase(edge_case) => Some(edge_case),
            Purpose::ResidueLook
            | Purpose::Documented(_)
            | Purpose::EquivalentRequest
            | Purpose::MustBeRejected { .. }
            | Purpose::Trial(_) => None,
        }
    }

    /// Whether the document describes what the response contains: always, unless the request is an edge case. Then it
    /// does for a documented 4xx if the request has the form of a documented one, so that it reaches the operation;
    /// otherwise only for a documented 422, if the edge case is in a parameter or the response is labelled as JSON: the
    /// layer that parses requests may respond with a 422 of its own, but not as JSON.
    pub(super) fn is_described(&self) -> bool {
        let Some(edge_case) = self.edge_case() else { return true };
        let named = |documented: &DocumentedResponse| matches!(documented.status, StatusPattern::Exact(400..500));
        // What routes a request does not respond with 422; only what validates it does.
        let validated = |documented: &DocumentedResponse| documented.status == StatusPattern::Exact(422);
        let media_type = self.exchange.response().and_then(Response::media_type);
        let is_labelled_json = || media_type.is_some_and(|media_type| is_json(&media_type));
        let (kind, validates) = (edge_case.kind, self.documented.is_some_and(validated));
        (kind.reaches_operation() || validates && (kind.is_of_a_parameter() || is_labelled_json()))
            && self.documented.is_some_and(named)
    }

    /// The response with what documents its body, if a body is documented.
    pub(super) fn with_content(&self) -> Option<(&'seen Response, &'seen DocumentedResponse)> {
        let response = self.outcome().ok()?;
        let documented = self.operation.response_with_body(response.status)?;
        // Something in front of the service may have rejected another client's request.
        if self.intent.is_of_other_client() && response.status >= 400 {
            return None;
        }
        Some((response, documented))
    }

    /// The headers with what documents them, if the service itself has certainly sent the response: an error and a page
    /// to sign in may come from something in front of it. What has a documented body is the service's if it has that
    /// body's media type; an error without one may be anybody's.
    pub(super) fn with_headers(&self) -> Option<HeadersSeen<'seen>> {
        let response = self.outcome().ok()?;
        let documented = self.operation.certain_response(response.status)?;
        let success = is_success(response.status);
        let is_of_service = || match response.media_type() {
            Some(received) if success || is_json(&received) => media_type::is_documented(documented, &received),
            _ => false,
        };
        let is_other_client = self.intent.is_of_other_client();
        let is_certain = if success {
            let shows_nothing = || response.media_type().is_none_or(|received| is_json(&received));
            let is_bare = documented.media_types.is_empty() && shows_nothing();
            is_bare || !response.are_headers_known || is_of_service()
        } else {
            !is_other_client && is_of_service()
        };
        (self.is_described() && is_certain).then_some(HeadersSeen {
            documented: &documented.headers,
            response,
            are_all_shown: !is_other_client || response.shows_more_than_archives_keep(),
        })
    }
}

/// The headers of a response, with what the contract states of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadersSeen<'seen> {
    /// The headers that the contract documents.
    pub(super) documented: &'seen [DocumentedHeader],
    /// The response.
    pub(super) response: &'seen Response,
    /// Whether a header that the response does not show is absent. Otherwise the recording may lack it.
    pub(super) are_all_shown: bool,
}

/// An operation without a judged success.
#[derive(Clone, Copy, Debug)]
pub struct OperationSeen<'seen> {
    /// The operation.
    pub operation: OperationId,
    /// Why there is no success.
    pub reason: &'seen str,
}

/// An answer to a gap that an overlay states, and what the run shows of the gap.
#[derive(Clone, Debug)]
pub struct AnswerSeen<'seen> {
    /// The fact that states the answer.
    pub fact: FactId,
    /// An answer to a gap that was learned earlier, as an overlay states it.
    pub stated: &'seen StatedAnswer,
    /// The run's answers about the same gap, operation and location, and those about the gap as a whole.
    pub answers: Vec<&'seen Answer>,
}
