//! A request, its response or failure, and why it was sent. The main type is [`Exchange`].

use std::time::Duration;

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderName, WWW_AUTHENTICATE};
use serde_json::Value;

use super::redact::ValueDisplay;
use super::spelling::Spelling;
use super::token_mutation::TokenMutation;
use crate::contract::edge_case::EdgeCase;
use crate::contract::fact::FactKind;
use crate::contract::load::essence;
use crate::contract::operation::{Method, Operation, OperationId, ParameterLocation, SecurityScheme, is_success};

/// Everything but the characters that need no encoding anywhere (RFC 3986, section 2.3).
pub(crate) const NOT_UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// One request and its outcome.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Its number in the run, from 1.
    pub number: u64,
    /// What was sent.
    pub request: Request,
    /// The time from the start of the run until it was sent.
    pub sent_after: Duration,
    /// The response, or why there is none.
    pub outcome: Result<Response, Failure>,
}

impl Exchange {
    /// Returns the complete response, where there is one.
    #[must_use]
    pub fn response(&self) -> Option<&Response> {
        self.outcome.as_ref().ok()
    }

    /// Returns the status of the complete response, where there is one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.response().map(|response| response.status)
    }

    /// Returns the status, if it rejects what was sent: see [`RejectionMeaning::rejects_as_invalid_or_conflicting`].
    pub(crate) fn rejection_of_content(&self) -> Option<u16> {
        self.status()
            .filter(|status| RejectionMeaning::rejects_as_invalid_or_conflicting(*status))
    }

    /// Whether the service closed a connection that may have been idle: the next request has a new one.
    pub(crate) fn was_closed_when_idle(&self) -> bool {
        matches!(self.outcome, Err(Failure::ClosedWhenIdle))
    }

    /// Whether a complete response came that is a success (2xx), whether or not the contract documents it.
    pub(crate) fn is_success(&self) -> bool {
        self.status().is_some_and(is_success)
    }
}

/// One request, relative to the base URL.
#[derive(Clone, Debug)]
pub struct Request {
    /// The operation that it calls.
    pub operation: OperationId,
    /// The method.
    pub method: Method,
    /// The path under the base URL, percent-encoded, with its query.
    pub path: String,
    /// The media types that it asks for.
    pub accept: String,
    /// The documented header parameters; a trial also asks to close the connection.
    pub headers: Vec<(String, String)>,
    /// The media type of the body.
    pub content_type: String,
    /// The body, sent in that media type whatever its content.
    pub body: Option<Content>,
    /// How the body, its media type and the scheme of the credential are spelled.
    pub spelling: Spelling,
    /// Pointers to the values in the body that came from the target; they are printed only with
    /// [`ValueDisplay::Shown`].
    pub from_target: Vec<String>,
    /// Pointers to the values in the body that the run made up and that may be the identifiers of records.
    pub made_up: Vec<String>,
    /// The path and the headers as they may be printed.
    pub printable: Printable,
    /// How the caller authenticates.
    pub credential: Credential,
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A value, to be written as JSON.
    Json(Value),
    /// A text that is sent unchanged, JSON or not. It contains nothing that the target showed.
    Raw(String),
}

/// The path and the headers of a request, with each value that the target showed replaced by a note on where to find
/// one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printable {
    /// The path and the query.
    pub path: String,
    /// The documented header parameters.
    pub headers: Vec<(String, String)>,
}

/// Returns the path with one more pair in its query; the value is already encoded.
#[must_use]
pub(crate) fn with_query(path: &str, name: &str, value: &str) -> String {
    let separator = if path.contains('?') { '&' } else { '?' };
    format!("{path}{separator}{}={value}", utf8_percent_encode(name, NOT_UNRESERVED))
}

/// Returns the names and values in the query of a path or URL, decoded as those of a form are.
pub(crate) fn query_pairs(path: &str) -> impl Iterator<Item = (String, String)> + '_ {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let decoded = |text: &str| {
        percent_decode_str(&text.replace('+', " "))
            .decode_utf8_lossy()
            .into_owned()
    };
    query.split('&').filter(|pair| !pair.is_empty()).map(move |pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    })
}

/// Returns the path with this value for a parameter of its query: in place of its present value, or in one more pair.
/// The value is already encoded.
fn with_query_value(path: &str, name: &str, value: &str) -> String {
    let (before, query) = path.split_once('?').unwrap_or((path, ""));
    let is_named = |pair: &str| {
        let encoded = pair.split_once('=').map_or(pair, |(encoded, _)| encoded);
        percent_decode_str(encoded).eq(name.bytes())
    };
    if !query.split('&').any(is_named) {
        return with_query(path, name, value);
    }
    let pairs = query.split('&').map(|pair| {
        if is_named(pair) {
            format!("{}={value}", utf8_percent_encode(name, NOT_UNRESERVED))
        } else {
            pair.to_owned()
        }
    });
    format!("{before}?{}", pairs.collect::<Vec<_>>().join("&"))
}

impl Request {
    /// Makes a request to the operation without any parameter values, body or credential: its path is the template,
    /// with the parameters still in braces.
    #[must_use]
    pub fn unfilled(id: OperationId, operation: &Operation) -> Self {
        Self {
            operation: id,
            method: operation.method,
            path: operation.path.clone(),
            accept: operation.accept(),
            headers: Vec::new(),
            content_type: operation.content_type().to_owned(),
            body: None,
            spelling: Spelling::default(),
            from_target: Vec::new(),
            made_up: Vec::new(),
            printable: Printable::default(),
            credential: Credential::None,
        }
    }

    /// Adds one more pair to the query of the request.
    #[must_use]
    pub fn with_query_pair(&self, name: &str, value: &str) -> Self {
        let value = utf8_percent_encode(value, NOT_UNRESERVED).to_string();
        let mut request = self.clone();
        request.path = with_query(&request.path, name, &value);
        request.printable.path = with_query(&request.printable.path, name, &value);
        request
    }

    /// Returns the request with this value for a parameter of its query, whether it has the parameter or not.
    #[must_use]
    pub fn with_query_value(&self, name: &str, value: &str) -> Self {
        let value = utf8_percent_encode(value, NOT_UNRESERVED).to_string();
        let mut request = self.clone();
        request.path = with_query_value(&request.path, name, &value);
        request.printable.path = with_query_value(&request.printable.path, name, &value);
        request
    }

    /// Returns the `Content-Type` that the request carries; `None` if it has no body.
    pub(crate) fn sent_content_type(&self) -> Option<String> {
        self.body.as_ref()?;
        Some(self.spelling.content_type(&self.content_type))
    }

    /// Returns the body as it is written; `None` where there is none.
    #[must_use]
    pub fn body_text(&self) -> Option<String> {
        Some(match self.body.as_ref()? {
            Content::Json(body) if self.spelling == Spelling::default() => body.to_string(),
            Content::Json(body) => self
                .spelling
                .json(body, &self.from_target, |_, value| value.to_string()),
            Content::Raw(text) => text.clone(),
        })
    }

    /// Returns the body, where it is a value.
    #[must_use]
    pub fn json(&self) -> Option<&Value> {
        match &self.body {
            Some(Content::Json(value)) => Some(value),
            Some(Content::Raw(_)) | None => None,
        }
    }

    /// Returns the path and the query as this run may print them.
    #[must_use]
    pub fn printable_path(&self, values: ValueDisplay) -> &str {
        match values {
            ValueDisplay::Hidden => &self.printable.path,
            ValueDisplay::Shown => &self.path,
        }
    }

    /// Returns the documented header parameters as this run may print them.
    #[must_use]
    pub fn printable_headers(&self, values: ValueDisplay) -> &[(String, String)] {
        match values {
            ValueDisplay::Hidden => &self.printable.headers,
            ValueDisplay::Shown => &self.headers,
        }
    }
}

/// Returns the placeholder for a value that the target showed, where values are not printed.
#[must_use]
pub(crate) fn placeholder(name: &str) -> String {
    format!("<{name} as the target lists it>")
}

/// Returns the placeholder for the value of a parameter. It says where the value goes if the operation has another
/// parameter with this name.
#[must_use]
pub(crate) fn parameter_placeholder(operation: &Operation, (name, location): (&str, ParameterLocation)) -> String {
    let mut parameters = operation.parameters.iter();
    if !parameters.any(|other| other.name == name && other.location != location) {
        return placeholder(name);
    }
    let location = match location {
        ParameterLocation::Cookie => "cookie",
        ParameterLocation::Header => "headers",
        ParameterLocation::Path => "path",
        ParameterLocation::Query => "query",
    };
    placeholder(&format!("{name} in the {location}"))
}

/// Why a request was sent, which decides how its response is judged. It is kept apart from the exchange, which holds
/// only what went over the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intent {
    /// The purpose of the request.
    pub purpose: Purpose,
    /// Whether a later request replaces this one: it was throttled, or got a 404 while its record may still appear.
    /// Only the later exchange counts.
    pub is_superseded: bool,
}

impl Intent {
    /// Whether it is a documented request, sent as documented.
    #[must_use]
    pub fn is_documented(self) -> bool {
        matches!(self.purpose, Purpose::Documented(_))
    }
}

impl Intent {
    /// Whether another client sent the request, so that it may have been rejected by something in front of the service.
    #[must_use]
    pub fn is_of_other_client(self) -> bool {
        self.purpose == Purpose::Documented(RejectionMeaning::OtherClient)
    }
}

impl From<Purpose> for Intent {
    fn from(purpose: Purpose) -> Self {
        Self {
            purpose,
            is_superseded: false,
        }
    }
}

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A read of the search for residue at the end of a run. Its response is not judged, because it may show what the
    /// edge cases stored.
    ResidueLook,
    /// A documented request, and what a rejection of it would mean.
    Documented(RejectionMeaning),
    /// An equivalent request, which is a documented one in another spelling that RFCs define as the same, or an update
    /// sent again unchanged. Its response is judged in one respect only: it must be as good as the response to the
    /// original request.
    EquivalentRequest,
    /// A request that must be rejected.
    MustBeRejected {
        /// The kind of fact that says so.
        fact: FactKind,
        /// What a rejection for another reason would mean, such as a 422 for the body of a request without a token.
        meaning_of_another_rejection: RejectionMeaning,
    },
    /// An edge case. Its response is judged in two respects only: that it is complete, and that it is not a 5xx.
    EdgeCase(EdgeCase),
    /// A part of a trial, which asks what the document leaves open. Its response is not judged.
    Trial(TrialPart),
}

/// What a request is in a trial. A trial is a variant between two controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialPart {
    /// A documented request that was accepted before. It closes every trial that was opened since the previous control.
    Control,
    /// A read between the others. It shows what the control or the variant before it did, or only makes the next
    /// request meet another replica.
    Read,
    /// The request that asks, with the index of the question among those of the contract.
    Variant(usize),
}

/// What it means when a documented request is rejected, or one that must be rejected is rejected for another reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RejectionMeaning {
    /// Nothing in the request is left open by the document: a finding.
    Finding,
    /// Something in the request is left open by the document: some statuses are evidence on that gap, see
    /// [`Self::rejects_as_invalid_or_conflicting`].
    Gap,
    /// The request has a value that the target may not know or take, such as an identifier from an example, an optional
    /// parameter or a page that the run made up: 404, 410 and 412 decide nothing either.
    UncertainValue,
    /// The request is another client's and may be wrong: no 4xx decides anything.
    OtherClient,
}

impl RejectionMeaning {
    /// Whether a status rejects the content of a request, so that it is evidence on what the document leaves open
    /// there: 400, 409 and 422 (RFC 9110, section 15.5).
    #[must_use]
    pub fn rejects_as_invalid_or_conflicting(status: u16) -> bool {
        status == 409 || Self::rejects_as_invalid(status)
    }

    /// Whether a status says that what was sent is wrong in itself: 400 and 422. A conflict (409) may be with anything
    /// that is stored.
    pub(crate) fn rejects_as_invalid(status: u16) -> bool {
        matches!(status, 400 | 422)
    }
}

/// How a request authenticates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// An empty token.
    Empty {
        /// Where it goes.
        scheme: SecurityScheme,
    },
    /// No credential.
    None,
    /// The run's token under an authentication scheme that is not documented: `Basic` in place of `Bearer`, or the
    /// reverse.
    OtherScheme {
        /// The documented scheme.
        scheme: SecurityScheme,
    },
    /// The run's token as documented.
    Token {
        /// Where it goes.
        scheme: SecurityScheme,
    },
    /// A wrong token, made from the run's.
    Wrong {
        /// Where it goes.
        scheme: SecurityScheme,
        /// How it differs from the run's token.
        mutation: TokenMutation,
    },
}

impl Credential {
    /// Returns the documented scheme; `None` where the request has no credential.
    #[must_use]
    pub fn scheme(&self) -> Option<&SecurityScheme> {
        match self {
            Self::Empty { scheme }
            | Self::OtherScheme { scheme }
            | Self::Token { scheme }
            | Self::Wrong { scheme, .. } => Some(scheme),
            Self::None => None,
        }
    }
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, without its content codings.
    pub body: Bytes,
    /// Whether the body came with a content coding (RFC 9110, section 8.4), which is removed here. `identity` does not
    /// count.
    pub was_compressed: bool,
    /// Whether the body is known. A recording may lack it, and then it decides nothing.
    pub is_body_known: bool,
    /// Whether the headers are known. Where a recording has none of them, or not the `Content-Type`, only the status
    /// counts.
    pub are_headers_known: bool,
    /// The path under the target's base URL that its `Location` header names, as it is encoded there; `None` where it
    /// names anything else.
    pub location: Option<String>,
    /// The time from the start of connecting to the end of decoding; for recorded traffic, the time that it states.
    pub elapsed: Duration,
}

/// The headers of a response that our own archives of traffic show with their values, if values are shown at all.
pub(crate) const SHOWN_RESPONSE_HEADERS: [&str; 7] = [
    "age", "allow", "cache-control", "content-type", "date", "vary", "x-cache",
];

/// How much of a body is searched as text, in bytes: a body may be megabytes long, and its text is a copy.
const MAX_TEXT: usize = 64 << 10;

impl Response {
    /// Returns the first 64 KiB of the body as text; what is not UTF-8 is replaced.
    pub(crate) fn beginning_as_text(&self) -> String {
        let shown = self.body.get(..MAX_TEXT).unwrap_or(&self.body);
        String::from_utf8_lossy(shown).into_owned()
    }

    /// Returns the media type, in lower case and without parameters.
    #[must_use]
    pub fn media_type(&self) -> Option<String> {
        let value = self.headers.get(reqwest::header::CONTENT_TYPE)?;
        Some(essence(value.to_str().ok()?))
    }

    /// Whether the response has a header that our own archives of traffic never keep, or keep only in part. If it has
    /// none, it may come from such an archive, or from an exporter that keeps the media type alone, and a header that is
    /// not shown may have been sent.
    pub(crate) fn shows_more_than_archives_keep(&self) -> bool {
        let is_kept = |name: &HeaderName| {
            SHOWN_RESPONSE_HEADERS.contains(&name.as_str()) || matches!(*name, CONTENT_LENGTH | WWW_AUTHENTICATE)
        };
        self.headers.keys().any(|name| !is_kept(name))
    }

    /// Whether the target throttles the request: 429, or 503 (RFC 6585, section 4; RFC 9110, section 15.6.4).
    #[must_use]
    pub fn is_throttled(&self) -> bool {
        matches!(self.status, 429 | 503)
    }
}

/// Why there is no complete response. It contains no text of the target or of the address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The connection could not be opened.
    #[error("the connection could not be opened: {reason}")]
    Connect {
        /// The kind of the error.
        reason: String,
    },
    /// The connection ended before the response did.
    #[error("the connection ended before the response was complete")]
    Incomplete,
    /// The connection ended before the head of a response was complete, and may have been idle before the request: a
    /// service may close such a connection at any time (RFC 9112, section 9.5), also while a request is on its way.
    #[error("the service closed a connection that may have been idle, and no complete response came")]
    ClosedWhenIdle,
    /// The deadline passed.
    #[error("no complete response within {} s", .after.as_secs_f64())]
    Deadline {
        /// The deadline.
        after: Duration,
    },
    /// The body does not follow its content coding, or has one that was not requested.
    #[error("the body cannot be decoded from its content coding")]
    Decoding,
    /// The response is not HTTP, or the request cannot be sent over it.
    #[error(
        "the exchange is not valid HTTP/1.1 (RFC 9112): the request cannot be sent, or the response is malformed or has too large a head"
    )]
    NotHttp,
    /// The host's name has no address.
    #[error("the host's name does not resolve")]
    Resolve,
    /// TLS was rejected or broken.
    #[error("TLS failed: {reason}")]
    Tls {
        /// What failed, in our words.
        reason: String,
    },
    /// The body is larger than the limit.
    #[error("the body is larger than {} MiB", .maximum >> 20)]
    TooLarge {
        /// The limit, in bytes.
        maximum: usize,
    },
}

impl Failure {
    /// Whether no connection was established at all.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Connect { .. } | Self::Resolve | Self::Tls { .. })
    }
}
