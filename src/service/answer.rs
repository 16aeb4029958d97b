//! What is answered where a request was done: [`answer`], the one place that writes it.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::profile::Profile;
use super::refusal::Refusal;
use super::rendering::Rendering;

/// What most answers fit into, in bytes: a page of ten contacts.
const USUAL_ANSWER: usize = 16 * 1024;

/// The create envelope of the document.
#[derive(Debug, Serialize)]
pub(super) struct CreateEnvelope<T> {
    pub(super) message: &'static str,
    pub(super) data: T,
}

/// Answers `body` as JSON, rendered as the profile says.
pub(super) fn answer<T: Serialize>(profile: &Profile, status: impl Into<StatusCode>, body: &T) -> Response {
    let written = match Rendering::of(profile) {
        None => {
            let mut bytes = Vec::with_capacity(USUAL_ANSWER);
            serde_json::to_writer(&mut bytes, body).map(|()| bytes)
        }
        Some(rendering) => serde_json::to_value(body).and_then(|mut value| {
            rendering.apply(&mut value);
            serde_json::to_vec(&value)
        }),
    };
    match written {
        Ok(bytes) => (
            status.into(),
            [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))],
            bytes,
        )
            .into_response(),
        Err(error) => {
            tracing::error!(%error, "an answer cannot be written as JSON");
            Refusal::Internal.into_response()
        }
    }
}
