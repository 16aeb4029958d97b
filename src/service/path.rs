//! The identifier in a path: [`ContactId`].

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use uuid::Uuid;

use super::rejection::Rejection;
use super::values::hyphenated;

/// The contact that a path names. A path without a UUID names no contact, and is answered like an unknown one.
pub(super) struct ContactId(pub(super) Uuid);

impl<S: Send + Sync> FromRequestParts<S> for ContactId {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Rejection> {
        let segment = Path::<String>::from_request_parts(parts, state).await.ok();
        segment
            .and_then(|Path(text)| hyphenated(&text))
            .map(ContactId)
            .ok_or(Rejection::UnknownContact)
    }
}
