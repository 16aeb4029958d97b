//! Requests that no client sends on purpose, and that a service must not fail on: [`EdgeCase`]. They break the
//! invariant of edge cases, `x-edge-cases`.

use axum::http::{Method, StatusCode};
use serde_json::Value;
use uuid::Uuid;

use super::call::{Call, Content, ServedResponse};
use super::contract::{LocationKind, Operation};
use super::locations::select;
use super::response::fail;

/// What is unusual about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeCase {
    BeyondAscii,
    BodyArray,
    BodyDeep,
    BodyEmpty,
    BodyNotJson,
    BodyNumber,
    BodyString,
    ControlCharacters,
    FieldNull,
    FieldNumber,
    FieldObject,
    FieldString,
    FieldTrue,
    IdentifierMalformed,
    IdentifierUnknown,
    PageEmpty,
    PageHuge,
    PageNegative,
    PageTwice,
    PageWord,
    PageZero,
    LongString,
}

/// How the service fails on an edge case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeCaseFailure {
    /// The connection ends inside the response.
    BrokenOff,
    /// The response is a 500.
    Status500,
}

/// Every edge case with its name and the words for it.
pub(super) const EDGE_CASES: &[(EdgeCase, &str, &str)] = &[
    (EdgeCase::BeyondAscii, "beyond-ascii", "a text beyond ASCII"),
    (EdgeCase::BodyArray, "body-array", "a body that is an array"),
    (EdgeCase::BodyDeep, "body-deep", "a body of 100 levels or more"),
    (EdgeCase::BodyEmpty, "body-empty", "a body that is empty"),
    (EdgeCase::BodyNotJson, "body-not-json", "a body that is not JSON"),
    (EdgeCase::BodyNumber, "body-number", "a body that is a number"),
    (EdgeCase::BodyString, "body-text", "a body that is a string"),
    (
        EdgeCase::ControlCharacters,
        "control-characters",
        "a text with control characters",
    ),
    (EdgeCase::FieldNull, "field-null", "a field that is null"),
    (EdgeCase::FieldNumber, "field-number", "a text that is a number"),
    (EdgeCase::FieldObject, "field-object", "a text that is an object"),
    (
        EdgeCase::FieldString,
        "field-text",
        "a string in a field that is not a text",
    ),
    (EdgeCase::FieldTrue, "field-true", "a field that is true"),
    (
        EdgeCase::IdentifierMalformed,
        "identifier-malformed",
        "an identifier that is not a UUID",
    ),
    (
        EdgeCase::IdentifierUnknown,
        "identifier-unknown",
        "an identifier of no record",
    ),
    (EdgeCase::PageEmpty, "page-empty", "a page without a value"),
    (EdgeCase::PageHuge, "page-huge", "a page of 10^18 or more"),
    (EdgeCase::PageNegative, "page-negative", "a page below 0"),
    (EdgeCase::PageTwice, "page-twice", "two pages"),
    (EdgeCase::PageWord, "page-word", "a page that is a word"),
    (EdgeCase::PageZero, "page-zero", "page 0"),
    (EdgeCase::LongString, "text-long", "a text of 10,000 characters or more"),
];

const DEEP: usize = 100;
const LONG: usize = 10_000;
const HUGE: u128 = 1_000_000_000_000_000_000;

impl EdgeCase {
    /// Returns whether requests of an operation can have it.
    pub(super) fn suits(self, operation: &Operation) -> bool {
        let Operation {
            method, path, fields, ..
        } = operation;
        let has_texts = |is_text| {
            fields
                .iter()
                .any(|(_, kind)| (*kind == LocationKind::String) == is_text)
        };
        use EdgeCase::{IdentifierMalformed, IdentifierUnknown};
        use EdgeCase::{PageEmpty, PageHuge, PageNegative, PageTwice, PageWord, PageZero};
        match self {
            IdentifierMalformed | IdentifierUnknown => path.contains('{'),
            PageEmpty | PageHuge | PageNegative | PageTwice | PageWord | PageZero => method == Method::GET,
            EdgeCase::FieldNumber | EdgeCase::FieldObject => has_texts(true),
            EdgeCase::FieldString => has_texts(false),
            EdgeCase::FieldNull | EdgeCase::FieldTrue => !fields.is_empty(),
            _ => method != Method::GET,
        }
    }

    /// Answers such a call with a 500 or breaks off, unless the service rejected it with 401.
    pub(super) fn change_response(self, failure: EdgeCaseFailure, call: &Call, response: &mut ServedResponse) {
        if response.head.status == StatusCode::UNAUTHORIZED || !self.is(call, response.head.status) {
            return;
        }
        match failure {
            EdgeCaseFailure::BrokenOff => {
                let text = response.bytes();
                response.content = Content::Truncated(text.slice(..text.len() / 2));
            }
            EdgeCaseFailure::Status500 => fail(response, StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    fn is(self, call: &Call, status: StatusCode) -> bool {
        let page = call.page();
        let identifier = call.identifier().map(Uuid::try_parse);
        let body = || call.json();
        let any_field = |is: &dyn Fn(LocationKind, &Value) -> bool| {
            let Some(body) = call.json() else { return false };
            let mut fields = call.operation.fields.iter();
            fields.any(|(pattern, kind)| select(&body, pattern).iter().any(|value| is(*kind, value)))
        };
        match self {
            EdgeCase::BeyondAscii => body().is_some_and(|body| any_text(&body, &|text| !text.is_ascii())),
            EdgeCase::BodyArray => body().is_some_and(|body| body.is_array()),
            EdgeCase::BodyDeep => depth(&call.body) >= DEEP,
            EdgeCase::BodyEmpty => call.body.is_empty(),
            EdgeCase::BodyNotJson => !call.body.is_empty() && depth(&call.body) < DEEP && body().is_none(),
            EdgeCase::BodyNumber => body().is_some_and(|body| body.is_number()),
            EdgeCase::BodyString => body().is_some_and(|body| body.is_string()),
            EdgeCase::ControlCharacters => {
                body().is_some_and(|body| any_text(&body, &|text| text.contains(char::is_control)))
            }
            EdgeCase::FieldNull => any_field(&|_, value| value.is_null()),
            EdgeCase::FieldNumber => any_field(&|kind, value| kind == LocationKind::String && value.is_number()),
            EdgeCase::FieldObject => any_field(&|kind, value| kind == LocationKind::String && value.is_object()),
            EdgeCase::FieldString => any_field(&|kind, value| kind != LocationKind::String && value.is_string()),
            EdgeCase::FieldTrue => any_field(&|_, value| *value == Value::Bool(true)),
            EdgeCase::IdentifierMalformed => identifier.is_some_and(|read| read.is_err()),
            EdgeCase::IdentifierUnknown => {
                identifier.is_some_and(|read| read.is_ok()) && status == StatusCode::NOT_FOUND
            }
            EdgeCase::PageEmpty => page == Some(""),
            EdgeCase::PageHuge => page.is_some_and(|page| page.parse().is_ok_and(|page: u128| page >= HUGE)),
            EdgeCase::PageNegative => page.is_some_and(|page| page.starts_with('-')),
            EdgeCase::PageTwice => call
                .head
                .uri
                .query()
                .is_some_and(|query| query.matches("page=").count() == 2),
            EdgeCase::PageWord => page.is_some_and(|page| page.starts_with(|first: char| first.is_alphabetic())),
            EdgeCase::PageZero => page == Some("0"),
            EdgeCase::LongString => body().is_some_and(|body| any_text(&body, &|text| text.chars().count() >= LONG)),
        }
    }
}

/// Returns how deep the brackets of a text are nested; those inside strings count too, which is close enough.
fn depth(text: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in text {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn any_text(value: &Value, is: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(|element| any_text(element, is)),
        Value::Object(members) => members.values().any(|member| any_text(member, is)),
        Value::String(text) => is(text),
        _ => false,
    }
}
