//! The response to a request that succeeded: [`response`], the one place that writes it.

use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::profile::Profile;
use super::rejection::Rejection;
use super::rendering::Rendering;

/// The size that most responses fit into, in bytes: a page of ten contacts.
const USUAL_RESPONSE: usize = 16 * 1024;

/// The create envelope of the document.
#[derive(Debug, Serialize)]
pub(super) struct CreateEnvelope<T> {
    pub(super) message: &'static str,
    pub(super) data: T,
}

/// Returns a response with `body` as JSON, rendered as the profile says.
pub(super) fn response<T: Serialize>(profile: &Profile, status: impl Into<StatusCode>, body: &T) -> Response {
    match write(profile, body) {
        Ok(written) => json(status, written),
        Err(rejection) => rejection.into_response(),
    }
}

/// Writes `body` as JSON, rendered as the profile says.
pub(super) fn write<T: Serialize>(profile: &Profile, body: &T) -> Result<Bytes, Rejection> {
    let mut bytes = Vec::with_capacity(USUAL_RESPONSE);
    let written = match Rendering::of(profile) {
        None => serde_json::to_writer(&mut bytes, body),
        Some(rendering) => serde_json::to_value(body).and_then(|mut value| {
            rendering.apply(&mut value);
            serde_json::to_writer(&mut bytes, &value)
        }),
    };
    match written {
        Ok(()) => Ok(bytes.into()),
        Err(error) => {
            tracing::error!(%error, "a response cannot be written as JSON");
            Err(Rejection::Internal)
        }
    }
}

/// Returns a response with a body that is already JSON.
pub(super) fn json(status: impl Into<StatusCode>, written: Bytes) -> Response {
    let media_type = HeaderValue::from_static("application/json");
    (status.into(), [(header::CONTENT_TYPE, media_type)], written).into_response()
}
