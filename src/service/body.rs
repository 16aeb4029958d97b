//! The body of a request: [`Body`], a JSON object that arrived whole, in time and within its limit.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use serde_json::{Map, Value};

use super::json;
use super::rejection::Rejection;

/// The maximum size of a body, in bytes.
pub(super) const BODY_LIMIT: usize = 64 * 1024;

/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The object that a request sent.
///
/// axum's own `Json` accepts an array in place of a struct, silently keeps the last of two equal names, and quotes what
/// was sent in its rejections.
pub(super) struct Body(pub(super) Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = Rejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, Rejection> {
        if !is_plain_json(request.headers()) {
            return Err(Rejection::MediaType);
        }
        let bytes = tokio::time::timeout(BODY_TIMEOUT, Bytes::from_request(request, state))
            .await
            .map_err(|_| Rejection::BodyTooSlow)?
            .map_err(|rejection| match rejection.into_response().status() {
                StatusCode::PAYLOAD_TOO_LARGE => Rejection::BodyTooLarge,
                _ => Rejection::BodyUnfinished,
            })?;
        json::object(&bytes).map(Body).map_err(Rejection::MalformedBody)
    }
}

/// Returns whether the body is declared as JSON without a content encoding; parameters of the media type do not matter.
fn is_plain_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(only), None) = (types.next(), types.next()) else {
        return false;
    };
    let essence = only.as_bytes().split(|byte| *byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"application/json") && !headers.contains_key(header::CONTENT_ENCODING)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn declared(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(value))])
    }

    #[test]
    fn json_is_taken_with_parameters_and_in_any_case() {
        for value in [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/json ;x=y",
        ] {
            assert!(is_plain_json(&declared(value)), "{value}");
        }
    }

    #[test]
    fn other_media_types_are_not_json() {
        for value in [
            "",
            "text/plain",
            "application/jsonl",
            "application/json, text/plain",
            "application/problem+json",
        ] {
            assert!(!is_plain_json(&declared(value)), "{value}");
        }
        assert!(!is_plain_json(&HeaderMap::new()));
    }

    #[test]
    fn an_encoded_body_is_not_plain() {
        let mut headers = declared("application/json");
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        assert!(!is_plain_json(&headers));
    }
}
