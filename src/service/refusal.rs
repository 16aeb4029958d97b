//! Everything that is answered instead of what was asked for: [`Refusal`], in one JSON shape.
//!
//! A refusal names the place that is wrong and what is wrong with it. It never quotes what was sent, and of the
//! service's own troubles it says nothing: those go to the log.

use axum::Json;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::store::StoreError;

/// Why a request was not done.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The body is larger than the service reads.
    BodyTooLarge,
    /// The body did not arrive in time.
    BodyTooSlow,
    /// The body ended before its declared length, or in another way did not arrive.
    BodyUnfinished,
    /// Fields of the body are wrong.
    Fields(Vec<FieldProblem>),
    /// The service failed; the reason is in the log.
    Internal,
    /// The body is not an object written in JSON.
    MalformedBody(&'static str),
    /// The body is declared as something else than plain JSON.
    MediaType,
    /// The path has no such method. The router adds `Allow`.
    MethodNotAllowed,
    /// No credential was sent.
    NoCredential,
    /// The query parameter page is not a page number.
    Page(&'static str),
    /// The contact in the path does not exist.
    UnknownContact,
    /// The path does not exist.
    UnknownPath,
    /// The credential is not the token.
    WrongCredential,
}

/// What is wrong with one field.
#[derive(Debug, Eq, PartialEq, Serialize)]
pub(super) struct FieldProblem {
    /// The JSON pointer of a field of the body, or the name of a query parameter.
    pub(super) field: String,
    /// What is wrong, to be read after the field's name.
    pub(super) problem: &'static str,
}

/// The body of every refusal.
#[derive(Serialize)]
struct RefusalBody {
    message: &'static str,
    errors: Vec<FieldProblem>,
}

/// The challenge of RFC 6750, which has no error code when no credential was sent.
const CHALLENGE: &str = r#"Bearer realm="contact-database""#;
const CHALLENGE_WRONG: &str = r#"Bearer realm="contact-database", error="invalid_token""#;

impl Refusal {
    fn status_and_message(&self) -> (StatusCode, &'static str) {
        match self {
            Refusal::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"),
            Refusal::BodyTooSlow => (StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time"),
            Refusal::BodyUnfinished => (StatusCode::BAD_REQUEST, "the body did not arrive whole"),
            Refusal::Fields(_) => (StatusCode::UNPROCESSABLE_ENTITY, "some fields are not acceptable"),
            Refusal::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "the service failed"),
            Refusal::MalformedBody(message) => (StatusCode::BAD_REQUEST, message),
            Refusal::MediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body must be plain application/json",
            ),
            Refusal::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "the path has no such method"),
            Refusal::NoCredential => (StatusCode::UNAUTHORIZED, "a bearer token is required"),
            Refusal::Page(_) => (StatusCode::BAD_REQUEST, "the query is not acceptable"),
            Refusal::UnknownContact => (StatusCode::NOT_FOUND, "there is no such contact"),
            Refusal::UnknownPath => (StatusCode::NOT_FOUND, "there is no such path"),
            Refusal::WrongCredential => (StatusCode::UNAUTHORIZED, "the bearer token is not valid"),
        }
    }

    fn errors(self) -> Vec<FieldProblem> {
        match self {
            Refusal::Fields(problems) => problems,
            Refusal::Page(problem) => vec![FieldProblem {
                field: "page".to_owned(),
                problem,
            }],
            _ => Vec::new(),
        }
    }

    /// Returns the header that the status asks for beside the body.
    fn header(&self) -> Option<(HeaderName, &'static str)> {
        match self {
            Refusal::NoCredential => Some((header::WWW_AUTHENTICATE, CHALLENGE)),
            Refusal::WrongCredential => Some((header::WWW_AUTHENTICATE, CHALLENGE_WRONG)),
            // What is left of the body is not read, so the connection cannot carry another request.
            Refusal::BodyTooLarge | Refusal::BodyTooSlow => Some((header::CONNECTION, "close")),
            _ => None,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, message) = self.status_and_message();
        let headers = self.header().map(|header| [header]);
        let body = Json(RefusalBody {
            message,
            errors: self.errors(),
        });
        match headers {
            Some(headers) => (status, headers, body).into_response(),
            None => (status, body).into_response(),
        }
    }
}

impl From<Vec<FieldProblem>> for Refusal {
    fn from(problems: Vec<FieldProblem>) -> Self {
        Refusal::Fields(problems)
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::UnknownContact => Refusal::UnknownContact,
            StoreError::UnknownReference(reference) => Refusal::Fields(vec![FieldProblem {
                field: reference.pointer(),
                problem: "names no existing record",
            }]),
            StoreError::Crashed | StoreError::Database(_) => {
                tracing::error!(error = &error as &dyn std::error::Error, "the store failed");
                Refusal::Internal
            }
        }
    }
}
