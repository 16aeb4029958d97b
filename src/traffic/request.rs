//! Makes the [`Request`] that a check would have sent from a recorded one: what it calls, and what of it may be
//! printed.

use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::Value;

use super::entry::{RecordedExchange, RequestLine, is_redacted};
use super::route::Call;
use crate::contract::load::essence;
use crate::contract::operation::{Operation, ParameterLocation, RequestBody, SecurityScheme};
use crate::contract::path_template::PathTemplate;
use crate::exchange::json;
use crate::exchange::{Content, Credential, Digest, Printable, Request, parameter_placeholder, with_query};

/// Returns the request. None of its values may be printed: its path is printed as the template, with the parameters
/// that the contract knows.
pub(super) fn request(
    operation: &Operation,
    (request_line, recorded): (&RequestLine, &RecordedExchange),
    call: &Call,
) -> Request {
    let documented = operation.request_body.is_some();
    let body = recorded.request_body.as_deref().filter(|_| documented);
    let body = body.and_then(|body| json::read(body.as_bytes()).ok());
    Request {
        path: call.path.clone(),
        body: body.map(|body| Content::Json(body.value)),
        // The pointer to the whole body: no value of it is printed.
        from_target: vec![String::new()],
        printable: Printable {
            path: printable_path(operation, &request_line.url),
            headers: Vec::new(),
        },
        credential: operation
            .security
            .scheme()
            .map_or(Credential::None, |scheme| Credential::Token { scheme: scheme.clone() }),
        ..Request::unfilled(call.operation, operation)
    }
}

/// Returns the path as its template, with the parameters that the contract knows, and of their values only the page.
pub(super) fn printable_path(operation: &Operation, url: &Url) -> String {
    let template = PathTemplate::read(&operation.path);
    let mut path = template.with(|name| parameter_placeholder(operation, (name, ParameterLocation::Path)));
    let page = operation.page.as_ref().map(|page| page.parameter.as_str());
    let known = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.location == ParameterLocation::Query);
    for parameter in known {
        let name = parameter.name.as_str();
        if let Some((_, value)) = url.query_pairs().find(|(known, _)| known == name) {
            let is_number = page == Some(name) && value.parse::<u64>().is_ok();
            let value = if is_number {
                value.into_owned()
            } else {
                parameter_placeholder(operation, (name, ParameterLocation::Query))
            };
            path = with_query(&path, name, &value);
        }
    }
    path
}

/// Whether the query parameter with this name carries the credential according to the contract.
pub(super) fn carries_credential(operation: &Operation, parameter: &str) -> bool {
    matches!(operation.security.scheme(), Some(SecurityScheme::ApiKeyQuery { name }) if name == parameter)
}

/// Whether the header with this name carries the credential as a key according to the contract.
fn is_documented_key(operation: &Operation, header: &str) -> bool {
    let scheme = operation.security.scheme();
    matches!(scheme, Some(SecurityScheme::ApiKeyHeader { name }) if name.eq_ignore_ascii_case(header))
}

/// The page of a list that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageRequest {
    /// The number; `None` for the default page.
    pub(super) number: Option<u64>,
    /// Whether the request asks for nothing else in its query.
    pub(super) is_unfiltered: bool,
}

/// Headers that ask for something other than what the document describes.
pub(super) const OVERRIDING_HEADERS: [&str; 6] = [
    "prefer", "range", "x-http-method", "x-http-method-override", "x-method-override", "x-range",
];

/// Whether a request is one that the document shows, as far as that can be told: where a body is documented, it is JSON
/// of the documented type (an object or not), has another documented media type, or was not recorded; all query
/// parameters are documented; the page, if any, is a positive number; `Accept` allows JSON; no header is one of
/// [`OVERRIDING_HEADERS`]; and the response is no 206.
pub(super) fn is_as_documented(
    operation: &Operation,
    (request_line, recorded): (&RequestLine, &RecordedExchange),
    request: &Request,
) -> bool {
    let is_known = |name: &str| {
        if carries_credential(operation, name) {
            return true;
        }
        let mut known = operation
            .parameters
            .iter()
            .filter(|parameter| parameter.location == ParameterLocation::Query);
        known.any(|parameter| parameter.name == name)
    };
    let query = request_line.url.query_pairs().all(|(name, _)| is_known(&name));
    let mut accepted = recorded.request_headers.get_all(ACCEPT).iter().peekable();
    let accepts =
        accepted.peek().is_none() || accepted.any(|value| allows_json(&String::from_utf8_lossy(value.as_bytes())));
    let body = operation
        .request_body
        .as_ref()
        .is_none_or(|documented| is_documented_body(documented, recorded, request));
    let page = page(operation, &request_line.url).is_some_and(|page| page.number != Some(0));
    let plain = !OVERRIDING_HEADERS
        .iter()
        .any(|name| recorded.request_headers.contains_key(*name));
    body && page && query && accepts && plain && recorded.status != 206
}

/// Whether a body has a documented media type, and is of the documented JSON type if it is JSON.
fn is_documented_body(documented: &RequestBody, recorded: &RecordedExchange, request: &Request) -> bool {
    let media_type = recorded.request_headers.get(CONTENT_TYPE);
    let media_type = media_type.map(|value| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase());
    if media_type.as_ref().is_none_or(|sent| sent.contains("json")) {
        let is_of_type = |sent: &Value| sent.is_object() == documented.is_object;
        return recorded.request_body.is_none() || request.json().is_some_and(is_of_type);
    }
    let sent = media_type.as_deref().map(essence);
    let mut others = documented.other_media_types.iter();
    others.any(|other| Some(essence(other)) == sent)
}

/// Whether a value of `Accept` allows JSON. Of the ranges that match `application/json`, the most specific one decides,
/// and a weight of 0 excludes (RFC 9110, sections 12.4.2 and 12.5.1); another name of JSON is more specific than `*`.
pub(super) fn allows_json(accept: &str) -> bool {
    let accept = accept.to_ascii_lowercase();
    let ranges = accept.split(',').map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let mut weights = parts.filter_map(|part| part.strip_prefix("q=")?.parse::<f64>().ok());
        (name, weights.all(|weight| weight > 0.0))
    });
    let ranges: Vec<_> = ranges.collect();
    let decided = |range: &str| {
        ranges
            .iter()
            .find(|(name, _)| *name == range)
            .map(|(_, allows)| *allows)
    };
    let names_json = || {
        ranges
            .iter()
            .any(|(name, allows)| *allows && name.contains("json"))
            .then_some(true)
    };
    let by_name = decided("application/json").or_else(names_json);
    let by_range = || decided("application/*").or_else(|| decided("*/*"));
    by_name.or_else(by_range).unwrap_or(false)
}

/// Returns the page that a request asks for; `None` if the page parameter is not a number or is repeated.
pub(super) fn page(operation: &Operation, url: &Url) -> Option<PageRequest> {
    let parameter = operation.page.as_ref().map(|page| page.parameter.as_str());
    let (asked, others): (Vec<_>, Vec<_>) = url.query_pairs().partition(|(name, _)| Some(&**name) == parameter);
    let number = match asked.as_slice() {
        [] => None,
        [(_, number)] => Some(number.parse().ok()?),
        _ => return None,
    };
    Some(PageRequest {
        number,
        is_unfiltered: others.iter().all(|(name, _)| carries_credential(operation, name)),
    })
}

/// Returns the digest of a list's path and query without the page.
pub(super) fn list_key(operation: &Operation, url: &Url) -> Digest {
    let parameter = operation.page.as_ref().map(|page| page.parameter.as_str());
    let others = url
        .query_pairs()
        .filter(|(name, _)| Some(&**name) != parameter && !carries_credential(operation, name));
    Digest::of(&serde_json::json!([url.path(), others.collect::<Vec<_>>()]))
}

/// Headers that differ between requests of one client, and do not change what it sees.
const PER_REQUEST_HEADERS: [&str; 44] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "b3",
    "baggage",
    "cache-control",
    "cf-ray",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "dnt",
    "elastic-apm-traceparent",
    "expect",
    "host",
    "idempotency-key",
    "if-modified-since",
    "if-none-match",
    "keep-alive",
    "newrelic",
    "origin",
    "pragma",
    "priority",
    "proxy-connection",
    "referer",
    "request-id",
    "sentry-trace",
    "te",
    "traceparent",
    "tracestate",
    "transfer-encoding",
    "uber-trace-id",
    "upgrade-insecure-requests",
    "user-agent",
    "x-amzn-trace-id",
    "x-cloud-trace-context",
    "x-correlation-id",
    "x-csrf-token",
    "x-request-id",
    "x-requested-with",
    "x-trace-id",
    "x-transaction-id",
    "x-xsrf-token",
];

/// Prefixes of more such headers: those of tracing systems that send each part in a header of its own.
const PER_REQUEST_PREFIXES: [&str; 2] = ["x-b3-", "x-datadog-"];

/// Who sent a request: what it authenticated with, and every other header that may change what it sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClientIdentity {
    digest: Digest,
    /// Whether the credential was recorded. Sanitising an archive usually removes or replaces it.
    pub(super) is_known: bool,
}

impl ClientIdentity {
    /// Returns the client that sent a request with these headers and, if the operation documents one, with the
    /// credential in this URL.
    pub(super) fn of(headers: &HeaderMap, (operation, url): (Option<&Operation>, &Url)) -> Self {
        let varying = headers.iter().filter(|(name, _)| may_identify_client(name.as_str()));
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let mut pairs: Vec<_> = varying.map(|(name, value)| (name.to_string(), text(value))).collect();
        pairs.sort();
        let in_query = url
            .query_pairs()
            .filter(|(name, _)| operation.is_some_and(|operation| carries_credential(operation, name)))
            .map(|(name, value)| (format!("?{name}"), value.into_owned()));
        pairs.extend(in_query);
        let mut credentials = pairs
            .iter()
            .filter(|(name, _)| {
                name.starts_with('?')
                    || is_usual_credential_name(name)
                    || operation.is_some_and(|operation| is_documented_key(operation, name))
            })
            .peekable();
        let is_known = credentials.peek().is_some() && credentials.all(|(_, value)| !is_redacted(value));
        Self {
            digest: Digest::of(&serde_json::json!(pairs)),
            is_known,
        }
    }
}

/// Whether a header may tell one client from another.
pub(super) fn may_identify_client(name: &str) -> bool {
    let is_of_request = PER_REQUEST_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    !(is_of_request || PER_REQUEST_HEADERS.contains(&name) || name.starts_with("sec-"))
}

/// Whether this is the name, in lower case, of a header or a parameter that usually carries a credential.
pub(super) fn is_usual_credential_name(name: &str) -> bool {
    matches!(name, "authorization" | "cookie") || name.contains("api-key") || name.contains("token")
}
