//! Requests that are rejected or misread because of how they are written, where RFCs say that it makes no difference:
//! [`SpellingFault`].

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::call::Call;
use super::contract::{ALL_OPERATIONS, Operation, operations};
use super::expected::{ExpectedFinding, ProposedFault, carried};

/// A spelling that the service rejects or misreads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpellingFault {
    /// A UUID in upper case names no record (RFC 9562, section 4).
    Capitals,
    /// The media type has a parameter (RFC 9110, section 8.3.1).
    Charset,
    /// The media type has a parameter, and the body is read in an encoding other than UTF-8 (RFC 8259, section 8.1).
    CharsetRead,
    /// Letters of strings are escaped (RFC 8259, section 7).
    Escapes,
    /// Letters of strings are escaped, and the escapes are kept as they are written.
    EscapesKept,
    /// Members are in another order than in the document (RFC 8259, section 4).
    Order,
    /// The name of the scheme is in lower case (RFC 9110, section 11.1).
    LowercaseScheme,
    /// There is white space between tokens (RFC 8259, section 2).
    WhiteSpace,
}

/// The spellings that are rejected: the name of the fault, what it does, and what the fact calls the spelling.
const REJECTED: [(SpellingFault, &str, &str, &str); 5] = [
    (
        SpellingFault::Capitals,
        "capitals-rejected",
        "an identifier in upper case names no record",
        "the UUID in capitals",
    ),
    (
        SpellingFault::Charset,
        "charset-rejected",
        "a media type with a charset is rejected",
        "a charset in the media type",
    ),
    (
        SpellingFault::Escapes,
        "escapes-rejected",
        "a body with escaped letters is rejected",
        "JSON with escapes",
    ),
    (
        SpellingFault::Order,
        "order-rejected",
        "a body whose members are in another order is rejected",
        ANOTHER_ORDER,
    ),
    (
        SpellingFault::WhiteSpace,
        "white-space-rejected",
        "a body with white space is rejected",
        ANOTHER_ORDER,
    ),
];

const ANOTHER_ORDER: &str = "JSON in another order, with white space";

/// Returns a fault for each [`SpellingFault`] and each update, since updates leave no record behind; the fault on the
/// scheme is for every operation, and reported on the first list.
pub(super) fn faults() -> impl Iterator<Item = ProposedFault<SpellingFault>> {
    let updates = operations().iter().filter(|operation| operation.updated.is_some());
    let of_updates = updates.flat_map(|update| {
        let rejected = REJECTED.into_iter().map(move |(fault, deviation, about, spelling)| {
            let expected = vec![equivalent(update, spelling)];
            ProposedFault::new(&update.name, deviation, about, expected, fault)
        });
        let kept = [
            (
                "escapes-kept",
                "escaped letters are kept as they are written",
                SpellingFault::EscapesKept,
            ),
            (
                "charset-read",
                "a body whose media type has a charset is read byte by byte",
                SpellingFault::CharsetRead,
            ),
        ];
        let kept = kept.into_iter().map(move |(deviation, about, fault)| {
            let expected = carried(update, &|carry| carry.gap.is_none());
            ProposedFault::new(&update.name, deviation, about, expected, fault)
        });
        rejected.chain(kept)
    });
    let lists = operations().iter().filter(|operation| operation.page.is_some());
    let of_scheme = lists.take(1).map(|list| {
        let about = "the scheme in lower case is rejected";
        let expected = vec![equivalent(list, "the scheme in lower case")];
        ProposedFault::new(
            ALL_OPERATIONS,
            "lowercase-scheme-rejected",
            about,
            expected,
            SpellingFault::LowercaseScheme,
        )
    });
    of_updates.chain(of_scheme)
}

fn equivalent(operation: &Operation, text: &str) -> ExpectedFinding {
    ExpectedFinding {
        rule: "equivalent-request",
        fact: Some(format!("{} equivalent request: {text}", operation.name)),
        pointer: String::new(),
    }
}

impl SpellingFault {
    /// Returns the rejection of a call with this spelling, or changes the call where the fault misreads it.
    pub(super) fn change_request(self, call: &mut Call) -> Option<Response> {
        let value = |name| call.head.headers.get(name).map_or(&[][..], |value| value.as_bytes());
        let has_escapes = || call.body.windows(2).any(|pair| pair == br"\u" || pair == br"\/");
        let (is_so, status) = match self {
            SpellingFault::Capitals => {
                let has_capitals = |id: &str| id.bytes().any(|byte| byte.is_ascii_uppercase());
                (call.identifier().is_some_and(has_capitals), StatusCode::NOT_FOUND)
            }
            SpellingFault::CharsetRead => {
                if value(header::CONTENT_TYPE).contains(&b';') {
                    let read: String = call.body.iter().map(|byte| char::from(*byte)).collect();
                    call.body = read.into();
                    call.head.headers.remove(header::CONTENT_LENGTH);
                }
                return None;
            }
            SpellingFault::Charset => (
                value(header::CONTENT_TYPE).contains(&b';'),
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ),
            SpellingFault::Escapes => (has_escapes(), StatusCode::BAD_REQUEST),
            SpellingFault::EscapesKept => {
                if has_escapes() && call.json().is_some() {
                    let text = String::from_utf8_lossy(&call.body);
                    call.body = text.replace(r"\u", r"\\u").replace(r"\/", r"\\/").into();
                    call.head.headers.remove(header::CONTENT_LENGTH);
                }
                return None;
            }
            SpellingFault::Order => (is_out_of_order(call), StatusCode::BAD_REQUEST),
            SpellingFault::LowercaseScheme => {
                let is_lowercase = value(header::AUTHORIZATION).starts_with(b"bearer ");
                (is_lowercase, StatusCode::UNAUTHORIZED)
            }
            SpellingFault::WhiteSpace => (has_white_space(&call.body), StatusCode::BAD_REQUEST),
        };
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        is_so.then(|| match status {
            StatusCode::UNAUTHORIZED => (status, challenge).into_response(),
            _ => status.into_response(),
        })
    }
}

/// Returns whether members of the body are in another order than the document lists them.
fn is_out_of_order(call: &Call) -> bool {
    let Some(Value::Object(members)) = call.json() else {
        return false;
    };
    let location = |name: &String| {
        let mut fields = call.operation.fields.iter();
        fields.position(|(pattern, _)| pattern.strip_prefix('/') == Some(name))
    };
    !members.keys().filter_map(location).is_sorted()
}

/// Returns whether a JSON text has white space outside its strings.
fn has_white_space(text: &[u8]) -> bool {
    let (mut is_inside, mut is_escaped) = (false, false);
    text.iter().any(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_inside,
            b'"' => is_inside = !is_inside,
            _ => {}
        }
        !is_inside && byte.is_ascii_whitespace()
    })
}
