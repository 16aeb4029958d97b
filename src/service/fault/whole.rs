//! Changes an answer as a whole: its status, its media type, the text of its body, its end. The main type is
//! [`WholeFault`].

use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use super::call::{Content, ServedAnswer};

/// What is done to an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WholeFault {
    /// The body ends in the middle, and the head states the length of what is left.
    BodyCut,
    /// The body is empty.
    BodyEmpty,
    /// The body is a page for a browser.
    BodyHtml,
    /// The body holds a byte that UTF-8 does not have.
    BodyNotUtf8,
    /// A 401 asks for another scheme, or for none.
    Challenge(Option<&'static str>),
    /// The connection ends in the middle of the body.
    ConnectionCut,
    /// A success is answered with 405, and no method is listed.
    MethodsUnlisted,
    /// The media type is another one, or none is named.
    MediaType(Option<&'static str>),
    /// The first name of the body stands in it twice.
    NameTwice,
    /// A failed authentication is answered with another status.
    RefusalStatus(StatusCode),
    /// A success is answered with another status.
    Status(StatusCode),
    /// The body is what stands under `data`.
    Unwrapped,
}

const PAGE: &str = "<!doctype html><title>Sign in</title>";

impl WholeFault {
    pub(super) fn answered(self, answer: &mut ServedAnswer) {
        match self {
            WholeFault::RefusalStatus(status) if answer.head.status == StatusCode::UNAUTHORIZED => {
                answer.head.status = status;
            }
            WholeFault::Challenge(challenge) if answer.head.status == StatusCode::UNAUTHORIZED => {
                let headers = &mut answer.head.headers;
                match challenge {
                    Some(other) => drop(headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(other))),
                    None => drop(headers.remove(header::WWW_AUTHENTICATE)),
                }
            }
            WholeFault::Challenge(_) | WholeFault::RefusalStatus(_) => {}
            _ if answer.is_success() => self.succeeded(answer),
            _ => {}
        }
    }

    fn succeeded(self, answer: &mut ServedAnswer) {
        let text = answer.text();
        let half = text.slice(..text.len() / 2);
        match self {
            WholeFault::BodyCut => answer.content = Content::Text(half),
            WholeFault::BodyEmpty => answer.content = Content::Text(Bytes::new()),
            WholeFault::BodyHtml => answer.content = Content::Text(PAGE.into()),
            WholeFault::BodyNotUtf8 => answer.content = Content::Text([b"{\"\xff\":0,", &text[1..]].concat().into()),
            WholeFault::ConnectionCut => answer.content = Content::Cut(half),
            WholeFault::MediaType(None) => {
                answer.head.headers.remove(header::CONTENT_TYPE);
            }
            WholeFault::MediaType(Some(name)) => {
                answer
                    .head
                    .headers
                    .insert(header::CONTENT_TYPE, HeaderValue::from_static(name));
            }
            WholeFault::NameTwice => twice(answer),
            WholeFault::Challenge(_) | WholeFault::RefusalStatus(_) => {}
            WholeFault::MethodsUnlisted => {
                fail(answer, StatusCode::METHOD_NOT_ALLOWED);
                answer.head.headers.remove(header::ALLOW);
            }
            WholeFault::Status(status) => fail(answer, status),
            WholeFault::Unwrapped => unwrap(answer),
        }
    }
}

/// Turns an answer into one with this status: without its body, unless it is still a success.
pub(super) fn fail(answer: &mut ServedAnswer, status: StatusCode) {
    answer.head.status = status;
    if status == StatusCode::NO_CONTENT {
        answer.head.headers.remove(header::CONTENT_TYPE);
        answer.content = Content::Text(Bytes::new());
    } else if !status.is_success() {
        answer.content = Content::Json(json!({"message": "a fault is switched on"}));
    }
    let headers = &mut answer.head.headers;
    if status == StatusCode::SERVICE_UNAVAILABLE {
        // Clients that wait lose no time.
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("0"));
    }
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(header::ALLOW, HeaderValue::from_static("OPTIONS"));
    }
    if status.is_redirection() {
        headers.insert(header::LOCATION, HeaderValue::from_static("/"));
    }
}

fn twice(answer: &mut ServedAnswer) {
    let text = answer.text();
    let Content::Json(Value::Object(members)) = &answer.content else {
        return;
    };
    if let (Some((name, value)), [b'{', rest @ ..]) = (members.iter().next(), &text[..]) {
        let again = format!("{{{}:{value},", json!(name));
        answer.content = Content::Text([again.as_bytes(), rest].concat().into());
    }
}

fn unwrap(answer: &mut ServedAnswer) {
    if let Some(data) = answer.success().and_then(|body| body.get_mut("data")) {
        answer.content = Content::Json(data.take());
    }
}
