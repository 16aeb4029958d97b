//! Why a request was rejected: [`Rejection`].
//!
//! A rejection names the location that is wrong and what is wrong with it. It never quotes what was sent, and it
//! reveals nothing of the service's own failures: those go to the log.
//!
//! # Design
//!
//! The code that rejects a request knows nothing of statuses and body formats, which the profile chooses. A rejection
//! travels outwards as an extension of a blank response, and only `rejection_response` turns it into a real one.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::store::StoreError;

/// Why a request was rejected, or why the service failed to carry it out.
#[derive(Clone, Debug)]
pub(super) enum Rejection {
    /// The body is larger than the service reads.
    BodyTooLarge,
    /// The body did not arrive in time.
    BodyTooSlow,
    /// The body ended before its declared length, or otherwise did not arrive.
    BodyUnfinished,
    /// The record already exists.
    Duplicate(FieldProblem),
    /// Fields of the body are wrong.
    Fields(Vec<FieldProblem>),
    /// The credential is missing or wrong, and the profile uses 401 only where it is documented.
    Forbidden,
    /// The request does not name its host exactly once, or the name is not valid.
    Host,
    /// The service failed; the reason is in the log.
    Internal,
    /// The body is not an object written in JSON.
    MalformedBody(&'static str),
    /// The body is declared as something other than plain JSON.
    MediaType,
    /// The path has no such method. The router adds `Allow`.
    MethodNotAllowed,
    /// No credential was sent.
    NoCredential,
    /// The query parameter page is not a page number.
    Page(&'static str),
    /// More requests arrived in a second than the profile allows.
    TooManyRequests,
    /// The store does not respond; the reason is in the log.
    Unavailable,
    /// The contact in the path does not exist.
    UnknownContact,
    /// The page lies beyond the last.
    UnknownPage,
    /// The path does not exist.
    UnknownPath,
    /// A record that a field names does not exist.
    UnknownReference(FieldProblem),
    /// The credential is not the token.
    WrongCredential,
}

/// What is wrong with one field.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct FieldProblem {
    /// The JSON pointer of a field of the body, or the name of a query parameter.
    pub(super) field: String,
    /// What is wrong, phrased to follow the field's name.
    pub(super) problem: &'static str,
}

impl Rejection {
    /// Returns a code for programs and a message for people.
    pub(super) fn code_and_message(&self) -> (&'static str, &'static str) {
        match self {
            Rejection::BodyTooLarge => ("body_too_large", "the body is too large"),
            Rejection::BodyTooSlow => ("body_too_slow", "the body did not arrive in time"),
            Rejection::BodyUnfinished => ("body_unfinished", "the body did not arrive whole"),
            Rejection::Duplicate(_) => ("duplicate", "such a record already exists"),
            Rejection::Fields(_) => ("invalid_fields", "some fields are not acceptable"),
            Rejection::Forbidden => ("forbidden", "a valid bearer token is required"),
            Rejection::Host => ("invalid_host", "the request must name its host once"),
            Rejection::Internal => ("internal", "the service failed"),
            Rejection::MalformedBody(message) => ("malformed_body", message),
            Rejection::MediaType => ("media_type", "the body must be plain application/json"),
            Rejection::MethodNotAllowed => ("method_not_allowed", "the path has no such method"),
            Rejection::NoCredential => ("no_credential", "a bearer token is required"),
            Rejection::Page(_) => ("invalid_query", "the query is not acceptable"),
            Rejection::TooManyRequests => ("too_many_requests", "too many requests were sent"),
            Rejection::Unavailable => ("unavailable", "the store does not answer; try again"),
            Rejection::UnknownContact => ("unknown_contact", "there is no such contact"),
            Rejection::UnknownPage => ("unknown_page", "there is no such page"),
            Rejection::UnknownPath => ("unknown_path", "there is no such path"),
            Rejection::UnknownReference(_) => ("unknown_reference", "some fields are not acceptable"),
            Rejection::WrongCredential => ("wrong_credential", "the bearer token is not valid"),
        }
    }

    /// Returns what is wrong with each wrong field.
    pub(super) fn problems(&self) -> Vec<FieldProblem> {
        match self {
            Rejection::Duplicate(problem) | Rejection::UnknownReference(problem) => vec![problem.clone()],
            Rejection::Fields(problems) => problems.clone(),
            Rejection::Page(problem) => vec![FieldProblem {
                field: "page".to_owned(),
                problem,
            }],
            _ => Vec::new(),
        }
    }
}

impl IntoResponse for Rejection {
    /// Makes a blank response that carries the rejection to the layer that writes it.
    fn into_response(self) -> Response {
        let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Vec<FieldProblem>> for Rejection {
    fn from(problems: Vec<FieldProblem>) -> Self {
        Rejection::Fields(problems)
    }
}

impl From<StoreError> for Rejection {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::UnknownContact => Rejection::UnknownContact,
            StoreError::UnknownReference(reference) => Rejection::UnknownReference(FieldProblem {
                field: reference.pointer(),
                problem: "names no existing record",
            }),
            StoreError::Unavailable(_) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the store does not answer");
                Rejection::Unavailable
            }
            StoreError::Crashed | StoreError::Database(_) => {
                tracing::error!(error = &error as &dyn std::error::Error, "the store failed");
                Rejection::Internal
            }
        }
    }
}
