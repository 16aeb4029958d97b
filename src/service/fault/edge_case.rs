//! Requests that no client sends on purpose, and that a service must not fail on: [`FaultyEdgeCase`]. They break the
//! invariant of edge cases, `x-edge-cases`.

use axum::http::{Method, StatusCode};
use serde_json::Value;
use uuid::Uuid;

use super::call::{Call, Content, ServedResponse};
use super::contract::{LocationKind, Operation};
use super::locations::select;
use super::response::set_status;

/// What is unusual about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultyEdgeCase {
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
    CutOff,
    /// The response is a 500.
    Status500,
}

/// Every edge case with its name and the words for it.
pub(super) const EDGE_CASES: &[(FaultyEdgeCase, &str, &str)] = &[
    (FaultyEdgeCase::BeyondAscii, "beyond-ascii", "a string beyond ASCII"),
    (FaultyEdgeCase::BodyArray, "body-array", "a body that is an array"),
    (FaultyEdgeCase::BodyDeep, "body-deep", "a body of 100 levels or more"),
    (FaultyEdgeCase::BodyEmpty, "body-empty", "a body that is empty"),
    (FaultyEdgeCase::BodyNotJson, "body-not-json", "a body that is not JSON"),
    (FaultyEdgeCase::BodyNumber, "body-number", "a body that is a number"),
    (FaultyEdgeCase::BodyString, "body-text", "a body that is a string"),
    (
        FaultyEdgeCase::ControlCharacters,
        "control-characters",
        "a string with control characters",
    ),
    (FaultyEdgeCase::FieldNull, "field-null", "a field that is null"),
    (
        FaultyEdgeCase::FieldNumber,
        "field-number",
        "a number in a string field",
    ),
    (
        FaultyEdgeCase::FieldObject,
        "field-object",
        "an object in a string field",
    ),
    (
        FaultyEdgeCase::FieldString,
        "field-text",
        "a string in a field of another type",
    ),
    (FaultyEdgeCase::FieldTrue, "field-true", "a field that is true"),
    (
        FaultyEdgeCase::IdentifierMalformed,
        "identifier-malformed",
        "an identifier that is not a UUID",
    ),
    (
        FaultyEdgeCase::IdentifierUnknown,
        "identifier-unknown",
        "an identifier of no record",
    ),
    (FaultyEdgeCase::PageEmpty, "page-empty", "a page without a value"),
    (FaultyEdgeCase::PageHuge, "page-huge", "a page of 10^18 or more"),
    (FaultyEdgeCase::PageNegative, "page-negative", "a page below 0"),
    (FaultyEdgeCase::PageTwice, "page-twice", "two page parameters"),
    (FaultyEdgeCase::PageWord, "page-word", "a page that is a word"),
    (FaultyEdgeCase::PageZero, "page-zero", "page 0"),
    (
        FaultyEdgeCase::LongString,
        "text-long",
        "a string of 10,000 characters or more",
    ),
];

const DEEP: usize = 100;
const LONG: usize = 10_000;
const HUGE: u128 = 1_000_000_000_000_000_000;

impl FaultyEdgeCase {
    /// Returns whether requests of an operation can have it.
    pub(super) fn suits(self, operation: &Operation) -> bool {
        let Operation {
            method, path, fields, ..
        } = operation;
        let has_fields = |are_strings| {
            fields
                .iter()
                .any(|(_, kind)| (*kind == LocationKind::String) == are_strings)
        };
        use FaultyEdgeCase::{IdentifierMalformed, IdentifierUnknown};
        use FaultyEdgeCase::{PageEmpty, PageHuge, PageNegative, PageTwice, PageWord, PageZero};
        match self {
            IdentifierMalformed | IdentifierUnknown => path.contains('{'),
            PageEmpty | PageHuge | PageNegative | PageTwice | PageWord | PageZero => method == Method::GET,
            FaultyEdgeCase::FieldNumber | FaultyEdgeCase::FieldObject => has_fields(true),
            FaultyEdgeCase::FieldString => has_fields(false),
            FaultyEdgeCase::FieldNull | FaultyEdgeCase::FieldTrue => !fields.is_empty(),
            _ => method != Method::GET,
        }
    }

    /// Answers such a call with a 500, or cuts the response off, unless the service rejected it with 401.
    pub(super) fn change_response(self, failure: EdgeCaseFailure, call: &Call, response: &mut ServedResponse) {
        if response.head.status == StatusCode::UNAUTHORIZED || !self.is_shown_by(call, response.head.status) {
            return;
        }
        match failure {
            EdgeCaseFailure::CutOff => {
                let text = response.bytes();
                response.content = Content::CutOff(text.slice(..text.len() / 2));
            }
            EdgeCaseFailure::Status500 => set_status(response, StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    fn is_shown_by(self, call: &Call, status: StatusCode) -> bool {
        let page = call.page();
        let identifier = call.identifier().map(Uuid::try_parse);
        let body = || call.json();
        let any_field = |is: &dyn Fn(LocationKind, &Value) -> bool| {
            let Some(body) = call.json() else { return false };
            let mut fields = call.operation.fields.iter();
            fields.any(|(pattern, kind)| select(&body, pattern).iter().any(|value| is(*kind, value)))
        };
        match self {
            FaultyEdgeCase::BeyondAscii => body().is_some_and(|body| any_string(&body, &|string| !string.is_ascii())),
            FaultyEdgeCase::BodyArray => body().is_some_and(|body| body.is_array()),
            FaultyEdgeCase::BodyDeep => depth(&call.body) >= DEEP,
            FaultyEdgeCase::BodyEmpty => call.body.is_empty(),
            FaultyEdgeCase::BodyNotJson => !call.body.is_empty() && depth(&call.body) < DEEP && body().is_none(),
            FaultyEdgeCase::BodyNumber => body().is_some_and(|body| body.is_number()),
            FaultyEdgeCase::BodyString => body().is_some_and(|body| body.is_string()),
            FaultyEdgeCase::ControlCharacters => {
                body().is_some_and(|body| any_string(&body, &|string| string.contains(char::is_control)))
            }
            FaultyEdgeCase::FieldNull => any_field(&|_, value| value.is_null()),
            FaultyEdgeCase::FieldNumber => any_field(&|kind, value| kind == LocationKind::String && value.is_number()),
            FaultyEdgeCase::FieldObject => any_field(&|kind, value| kind == LocationKind::String && value.is_object()),
            FaultyEdgeCase::FieldString => any_field(&|kind, value| kind != LocationKind::String && value.is_string()),
            FaultyEdgeCase::FieldTrue => any_field(&|_, value| *value == Value::Bool(true)),
            FaultyEdgeCase::IdentifierMalformed => identifier.is_some_and(|read| read.is_err()),
            FaultyEdgeCase::IdentifierUnknown => {
                identifier.is_some_and(|read| read.is_ok()) && status == StatusCode::NOT_FOUND
            }
            FaultyEdgeCase::PageEmpty => page == Some(""),
            FaultyEdgeCase::PageHuge => page.is_some_and(|page| page.parse().is_ok_and(|page: u128| page >= HUGE)),
            FaultyEdgeCase::PageNegative => page.is_some_and(|page| page.starts_with('-')),
            FaultyEdgeCase::PageTwice => call
                .head
                .uri
                .query()
                .is_some_and(|query| query.matches("page=").count() == 2),
            FaultyEdgeCase::PageWord => page.is_some_and(|page| page.starts_with(|first: char| first.is_alphabetic())),
            FaultyEdgeCase::PageZero => page == Some("0"),
            FaultyEdgeCase::LongString => {
                body().is_some_and(|body| any_string(&body, &|string| string.chars().count() >= LONG))
            }
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

/// Returns whether `is` holds for any string in a value, apart from names of members.
fn any_string(value: &Value, is: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(|element| any_string(element, is)),
        Value::Object(members) => members.values().any(|member| any_string(member, is)),
        Value::String(string) => is(string),
        _ => false,
    }
}
