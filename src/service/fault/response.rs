//! Changes a response as a whole: its status, its media type, the text of its body, its end. The main type is
//! [`ResponseFault`].

use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use super::call::{Content, ServedResponse};

/// What is done to a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResponseFault {
    /// The body ends in the middle, and the head states the length of what is left.
    BodyTruncated,
    /// The body is empty.
    BodyEmpty,
    /// The body is a page for a browser.
    BodyHtml,
    /// The body holds a byte that is not valid UTF-8.
    BodyNotUtf8,
    /// A 401 asks for another scheme, or for none.
    Challenge(Option<&'static str>),
    /// The connection ends in the middle of the body.
    ConnectionCut,
    /// A success is answered with 405, and no method is listed.
    MethodsUnlisted,
    /// The media type is another one, or missing.
    MediaType(Option<&'static str>),
    /// The first name of the body appears twice.
    NameTwice,
    /// A failed authentication is answered with another status.
    RejectionStatus(StatusCode),
    /// A success is answered with another status.
    Status(StatusCode),
    /// The body is what belongs under `data`.
    Unwrapped,
}

const PAGE: &str = "<!doctype html><title>Sign in</title>";

impl ResponseFault {
    pub(super) fn change_response(self, response: &mut ServedResponse) {
        match self {
            ResponseFault::RejectionStatus(status) if response.head.status == StatusCode::UNAUTHORIZED => {
                response.head.status = status;
            }
            ResponseFault::Challenge(challenge) if response.head.status == StatusCode::UNAUTHORIZED => {
                let headers = &mut response.head.headers;
                match challenge {
                    Some(other) => drop(headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(other))),
                    None => drop(headers.remove(header::WWW_AUTHENTICATE)),
                }
            }
            ResponseFault::Challenge(_) | ResponseFault::RejectionStatus(_) => {}
            _ if response.is_success() => self.change_success(response),
            _ => {}
        }
    }

    fn change_success(self, response: &mut ServedResponse) {
        let text = response.bytes();
        let half = text.slice(..text.len() / 2);
        match self {
            ResponseFault::BodyTruncated => response.content = Content::Raw(half),
            ResponseFault::BodyEmpty => response.content = Content::Raw(Bytes::new()),
            ResponseFault::BodyHtml => response.content = Content::Raw(PAGE.into()),
            ResponseFault::BodyNotUtf8 => {
                response.content = Content::Raw([b"{\"\xff\":0,", text.get(1..).unwrap_or_default()].concat().into());
            }
            ResponseFault::ConnectionCut => response.content = Content::CutOff(half),
            ResponseFault::MediaType(None) => {
                response.head.headers.remove(header::CONTENT_TYPE);
            }
            ResponseFault::MediaType(Some(name)) => {
                response
                    .head
                    .headers
                    .insert(header::CONTENT_TYPE, HeaderValue::from_static(name));
            }
            ResponseFault::NameTwice => twice(response),
            ResponseFault::Challenge(_) | ResponseFault::RejectionStatus(_) => {}
            ResponseFault::MethodsUnlisted => {
                set_status(response, StatusCode::METHOD_NOT_ALLOWED);
                response.head.headers.remove(header::ALLOW);
            }
            ResponseFault::Status(status) => set_status(response, status),
            ResponseFault::Unwrapped => unwrap(response),
        }
    }
}

/// Gives a response this status. A 204 loses its body; any other status that is no success gets a JSON body with a
/// message.
pub(super) fn set_status(response: &mut ServedResponse, status: StatusCode) {
    response.head.status = status;
    if status == StatusCode::NO_CONTENT {
        response.head.headers.remove(header::CONTENT_TYPE);
        response.content = Content::Raw(Bytes::new());
    } else if !status.is_success() {
        response.content = Content::Json(json!({"message": "a fault is active"}));
    }
    let headers = &mut response.head.headers;
    if status == StatusCode::SERVICE_UNAVAILABLE {
        // Clients that wait before they retry lose no time.
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("0"));
    }
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(header::ALLOW, HeaderValue::from_static("OPTIONS"));
    }
    if status.is_redirection() {
        headers.insert(header::LOCATION, HeaderValue::from_static("/"));
    }
}

fn twice(response: &mut ServedResponse) {
    let text = response.bytes();
    let Content::Json(Value::Object(members)) = &response.content else {
        return;
    };
    if let (Some((name, value)), [b'{', rest @ ..]) = (members.iter().next(), &text[..]) {
        let again = format!("{{{}:{value},", json!(name));
        response.content = Content::Raw([again.as_bytes(), rest].concat().into());
    }
}

fn unwrap(response: &mut ServedResponse) {
    if let Some(data) = response.success().and_then(|body| body.get_mut("data")) {
        response.content = Content::Json(data.take());
    }
}
