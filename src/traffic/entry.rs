//! One entry of an HTTP archive (HAR 1.2, section 4.2.8), as exporters really write it. The main type is
//! [`RecordedExchange`].
//!
//! # Design
//!
//! An exporter may leave out, cut, decode wrongly or redact what went over the wire. So a body counts only if it is
//! known to be whole: it is complete JSON, or it has the length that the response stated. Everything else is unknown,
//! and an unknown body decides nothing.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::GeneralPurpose;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use bytes::Bytes;
use chrono::{DateTime, NaiveDateTime, Utc};
use reqwest::Url;
use reqwest::header::{
    AGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue,
};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::contract::is_json;
use crate::exchange::Limits;
use crate::report::{COMMENT_CREDENTIAL_HIDDEN, COMMENT_SHAPES};

/// Reads base64 with padding or without.
const PADDED_OR_NOT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
/// Reads base64 as archives contain it.
pub(super) const BASE64: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::STANDARD, PADDED_OR_NOT);
/// Reads base64 in the alphabet for URLs.
#[cfg(feature = "cli")]
pub(super) const BASE64_URL: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::URL_SAFE, PADDED_OR_NOT);
/// The marks that tools write in place of values to sanitise an archive; the last one, `‹`, opens a note in place of a
/// value.
const REDACTED: [&str; 5] = ["***", "redacted", "REDACTED", "Redacted", "\u{2039}"];

/// An entry, as far as it concerns the service.
#[derive(Debug)]
pub(super) enum Entry {
    /// It can be judged.
    Exchange(RequestLine, Box<RecordedExchange>),
    /// It cannot be judged, but may have changed something.
    Write(Skipped, RequestLine),
    /// It cannot be judged.
    Other(Skipped),
}

/// The method and URL of a request, with the time of its exchange.
#[derive(Clone, Debug)]
pub(crate) struct RequestLine {
    pub(crate) method: String,
    pub(crate) url: Url,
    /// When the request began.
    pub(crate) started: DateTime<Utc>,
    /// How long it took until the response ended; `None` if that is unknown.
    pub(crate) elapsed: Option<Duration>,
}

impl RequestLine {
    /// Whether the request may change something: every method but the safe ones (RFC 9110, section 9.2.1).
    pub(crate) fn is_write(&self) -> bool {
        !matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE")
    }
}

/// What was recorded of a request and its response besides the [`RequestLine`].
#[derive(Debug)]
pub(crate) struct RecordedExchange {
    pub(crate) request_headers: HeaderMap,
    /// `None` if the request has no body, or none was recorded.
    pub(crate) request_body: Option<String>,
    pub(crate) status: u16,
    /// Empty unless the headers are known.
    pub(crate) response_headers: HeaderMap,
    /// Whether the headers of the response were recorded, its `Content-Type` among them if it has one.
    pub(crate) are_headers_known: bool,
    /// Without its content coding; `None` if it was not recorded, or not completely, or cannot be read.
    pub(crate) response_body: Option<Bytes>,
    /// Why a body that came cannot be read.
    pub(crate) unread_body: Option<UnreadBody>,
}

/// Why the body of a response cannot be read, although it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnreadBody {
    /// It does not follow the content coding that it has according to the headers.
    Malformed,
    /// Its content coding is not read here, or it is too large.
    NotSupported,
}

/// Why an entry is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skipped {
    /// No complete response came, or the client aborted the request.
    Aborted,
    /// The body of the response came, and cannot be read; nothing else in the response deviates.
    BodyUnread,
    /// A cache or a service worker responded, or the response says that the client's copy is still good (304).
    Cached,
    /// The entry lacks what every entry has, or is not JSON.
    NotAnEntry,
    /// Not HTTP: `data:`, `blob:`, a WebSocket, an extension of the browser.
    NotHttp,
    /// A preflight of CORS, which the browser sends by itself.
    Preflight,
    /// A redirect, which a proxy or a gateway may have sent.
    Redirect,
}

/// The members of an entry that are read; everything else is left out.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarEntry {
    started_date_time: String,
    #[serde(default, deserialize_with = "number")]
    time: Option<f64>,
    request: HarRequest,
    /// Without it, no response came.
    #[serde(default)]
    response: HarResponse,
    /// `websocket` where Chromium recorded one.
    #[serde(default, rename = "_resourceType")]
    resource_type: Value,
    /// `memory` or `disk` where Chromium took the response from a cache.
    #[serde(default, rename = "_fromCache")]
    from_cache: Value,
    #[serde(default, rename = "_fetchedViaServiceWorker")]
    from_service_worker: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarRequest {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<HarHeader>,
    #[serde(default)]
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
struct PostData {
    #[serde(default)]
    text: Option<String>,
    /// `base64` where mitmproxy or Playwright could not write the body as text.
    #[serde(default, alias = "_encoding")]
    encoding: Option<String>,
    /// Our own archives say here what they replaced.
    #[serde(default)]
    comment: Option<String>,
}

#[derive(Deserialize)]
struct HarHeader {
    name: String,
    #[serde(default)]
    value: Value,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarResponse {
    /// Chromium writes 0, and older exporters -1, where no response came.
    #[serde(default, deserialize_with = "number")]
    status: Option<f64>,
    #[serde(default)]
    headers: Vec<HarHeader>,
    #[serde(default)]
    content: Option<HarContent>,
    /// Firefox writes 0 where a cache responded.
    #[serde(default, deserialize_with = "number")]
    headers_size: Option<f64>,
    /// Chromium's number of bytes that came over the network: 0 where a cache responded.
    #[serde(default, rename = "_transferSize", deserialize_with = "number")]
    transfer_size: Option<f64>,
    /// The error of Chromium's network stack.
    #[serde(default, rename = "_error")]
    error: Value,
    /// The error of Playwright.
    #[serde(default, rename = "_failureText")]
    failure_text: Value,
    /// Chromium writes this flag here, and some exporters in the entry.
    #[serde(default, rename = "_fetchedViaServiceWorker")]
    from_service_worker: Value,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarContent {
    #[serde(default)]
    mime_type: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
    /// Our own archives say here what they replaced.
    #[serde(default)]
    comment: Option<String>,
}

/// Reads a number, even one that is written as a string.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_f64().or_else(|| value.as_str()?.parse().ok()))
}

/// Whether an exporter's own flag is set: anything but `false`, `null` and an empty string.
fn is_set(flag: &Value) -> bool {
    !matches!(flag, Value::Null | Value::Bool(false)) && flag.as_str() != Some("")
}

/// Reads an entry.
pub(super) fn read(entry: &str) -> Entry {
    match serde_json::from_str::<HarEntry>(entry) {
        Ok(entry) => entry.read().unwrap_or_else(Entry::Other),
        Err(_) => Entry::Other(Skipped::NotAnEntry),
    }
}

impl HarEntry {
    fn read(self) -> Result<Entry, Skipped> {
        let url = Url::parse(&self.request.url).map_err(|_| Skipped::NotAnEntry)?;
        if !matches!(url.scheme(), "http" | "https") || self.resource_type == "websocket" {
            return Err(Skipped::NotHttp);
        }
        // Some exporters write no offset; they mean UTC.
        let moment = DateTime::parse_from_rfc3339(&self.started_date_time).map(|moment| moment.to_utc());
        let plain = || NaiveDateTime::parse_from_str(&self.started_date_time, "%Y-%m-%dT%H:%M:%S%.f");
        let started = moment.or_else(|_| plain().map(|moment| moment.and_utc()));
        let valid_time = self.time.filter(|time| *time >= 0.0);
        let request_line = RequestLine {
            method: self.request.method.clone(),
            url,
            started: started.map_err(|_| Skipped::NotAnEntry)?,
            elapsed: valid_time.and_then(|time| Duration::try_from_secs_f64(time / 1000.0).ok()),
        };
        let headers = header_map(&self.request.headers);
        match self.judgeable(&request_line, &headers) {
            Ok((status, response_headers, response_body)) => {
                let request_body = self.request.post_data.and_then(PostData::text);
                let recorded = RecordedExchange {
                    request_headers: headers,
                    request_body,
                    status,
                    are_headers_known: response_headers.is_some(),
                    response_headers: response_headers.unwrap_or_default(),
                    response_body,
                    unread_body: None,
                };
                Ok(Entry::Exchange(request_line, Box::new(recorded)))
            }
            Err(why) if request_line.is_write() => Ok(Entry::Write(why, request_line)),
            Err(why) => Err(why),
        }
    }

    /// Returns status, headers and body of the response, the latter two as far as they are known.
    fn judgeable(
        &self,
        request_line: &RequestLine,
        request: &HeaderMap,
    ) -> Result<(u16, Option<HeaderMap>, Option<Bytes>), Skipped> {
        let response = &self.response;
        let failed = is_set(&response.error) || is_set(&response.failure_text);
        let status = (100..600).find(|status| Some(f64::from(*status)) == response.status);
        let status = status.filter(|_| !failed).ok_or(Skipped::Aborted)?;
        let headers = header_map(&response.headers);
        if self.is_cached() {
            return Err(Skipped::Cached);
        }
        judgeable_head((request_line, request), (status, &headers))?;
        let content = response.content.as_ref();
        let mut headers = with_media_type(headers, content);
        let body = match status {
            // They have no body (RFC 9110, sections 15.3.5 and 15.3.6).
            204 | 205 => Some(Bytes::new()),
            // Without the headers, it is open what a body is.
            _ => headers.as_ref().and_then(|headers| content?.body(headers)),
        };
        // Exporters decode the body and leave this in place.
        if let Some(headers) = &mut headers {
            headers.remove(CONTENT_ENCODING);
        }
        Ok((status, headers, body))
    }

    /// Whether a cache of the client responded.
    fn is_cached(&self) -> bool {
        let from_firefox = self.time == Some(0.0) && self.response.headers_size == Some(0.0);
        is_set(&self.from_cache)
            || is_set(&self.from_service_worker)
            || is_set(&self.response.from_service_worker)
            || from_firefox
            || self.response.transfer_size == Some(0.0)
    }
}

/// Returns the headers of a response, with its media type where the exporter only kept that; `None` if none were
/// recorded, or not the `Content-Type`.
fn with_media_type(mut headers: HeaderMap, content: Option<&HarContent>) -> Option<HeaderMap> {
    let exporter_type = content
        .and_then(|content| content.mime_type.as_deref())
        .unwrap_or_default();
    // Chromium writes `x-unknown` if it does not know the type. Anything else may be the exporter's guess.
    if !headers.contains_key(CONTENT_TYPE) && !matches!(exporter_type, "" | "x-unknown") {
        let value = HeaderValue::from_str(exporter_type).ok();
        headers.insert(CONTENT_TYPE, value.filter(|_| is_json(exporter_type))?);
    }
    (!headers.is_empty()).then_some(headers)
}

/// How many seconds a response may seem older than its request because two clocks differ.
const DATE_SKEW_SECONDS: i64 = 5;

/// Checks, as far as the heads show, that the service itself responded, and not to a browser's preflight request.
///
/// # Errors
///
/// The reason why it is not judged.
pub(crate) fn judgeable_head(
    (request_line, request): (&RequestLine, &HeaderMap),
    (status, headers): (u16, &HeaderMap),
) -> Result<(), Skipped> {
    match status {
        101 => Err(Skipped::NotHttp),
        100..200 => Err(Skipped::Aborted),
        304 => Err(Skipped::Cached),
        _ if is_from_cache(request_line, headers) => Err(Skipped::Cached),
        _ if request_line.method == "OPTIONS" && request.contains_key("access-control-request-method") => {
            Err(Skipped::Preflight)
        }
        300..400 => Err(Skipped::Redirect),
        _ => Ok(()),
    }
}

/// Whether an intermediate cache responded: a header says so (`Age`, `X-Cache`), or the response may be stored (a
/// `max-age` other than 0) and its `Date` is clearly before the request (RFC 9111, section 4.2.3).
fn is_from_cache(request_line: &RequestLine, headers: &HeaderMap) -> bool {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .trim()
    };
    let directives = text(CACHE_CONTROL.as_str()).to_ascii_lowercase();
    let is_stored = directives.contains("max-age=") && !directives.contains("max-age=0");
    let made = DateTime::parse_from_rfc2822(text(DATE.as_str()));
    let age = made.map(|made| request_line.started.signed_duration_since(made).num_seconds());
    text(AGE.as_str()).parse::<u64>().is_ok_and(|age| age > 0)
        || is_stored && age.is_ok_and(|age| age > DATE_SKEW_SECONDS)
        || text("x-cache").to_ascii_lowercase().starts_with("hit")
}

impl PostData {
    fn text(self) -> Option<String> {
        // An empty text is a body that was left out.
        let text = self.text.filter(|text| !text.is_empty())?;
        let text = match self.encoding.as_deref() {
            Some(coding) if coding.eq_ignore_ascii_case("base64") => String::from_utf8(base64(&text)?).ok()?,
            _ => text,
        };
        (!is_redacted(&text) && !is_replaced(self.comment.as_deref())).then_some(text)
    }
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let text: String = text.split_ascii_whitespace().collect();
    BASE64.decode(text).ok()
}

/// Whether the comment on a body says that something in it was replaced.
fn is_replaced(comment: Option<&str>) -> bool {
    comment.is_some_and(|comment| {
        [COMMENT_SHAPES, COMMENT_CREDENTIAL_HIDDEN]
            .iter()
            .any(|replaced| comment.contains(replaced))
    })
}

/// Whether the text of a response's body looks as if a tool had replaced something in it or decoded it wrongly.
pub(super) fn may_be_altered(text: &str) -> bool {
    // A replacement character is what an exporter puts where bytes are not text.
    has_redacted_value(text) || text.contains(char::REPLACEMENT_CHARACTER)
}

/// Whether a tool seems to have replaced a value in a body: in JSON, a string of at most two words has a mark, such as
/// `Bearer ***`. A name may be documented, and a longer text may be Markdown or about something redacted.
fn has_redacted_value(text: &str) -> bool {
    fn has_mark(value: &Value) -> bool {
        match value {
            Value::Array(items) => items.iter().any(has_mark),
            Value::Object(members) => members.values().any(has_mark),
            Value::String(text) => {
                let is_note = text.starts_with('\u{2039}');
                is_note || (is_redacted(text) && text.split_whitespace().nth(2).is_none())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    is_redacted(text) && serde_json::from_str(text).map_or(true, |value| has_mark(&value))
}

/// Whether a text has a mark that tools write in place of values.
pub(super) fn is_redacted(text: &str) -> bool {
    REDACTED.iter().any(|mark| text.contains(mark))
}

/// Returns the headers without HTTP/2's pseudo-headers, whose names begin with a colon (RFC 9113, section 8.3).
/// Chromium joins the values of one name with line breaks.
fn header_map(headers: &[HarHeader]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for header in headers {
        let value = header
            .value
            .as_str()
            .map_or_else(|| header.value.to_string(), str::to_owned);
        let Ok(name) = HeaderName::from_bytes(header.name.as_bytes()) else {
            continue;
        };
        for value in value
            .lines()
            .filter_map(|line| HeaderValue::from_bytes(line.trim().as_bytes()).ok())
        {
            map.append(name.clone(), value);
        }
    }
    map
}

impl HarContent {
    /// Returns the body, where all of it was recorded as it was.
    fn body(&self, headers: &HeaderMap) -> Option<Bytes> {
        let text = self.text.as_deref()?;
        if is_replaced(self.comment.as_deref()) || may_be_altered(text) {
            return None;
        }
        let bytes = match self.encoding.as_deref() {
            None | Some("") => Bytes::copy_from_slice(text.as_bytes()),
            Some(coding) if coding.eq_ignore_ascii_case("base64") => base64(text)?.into(),
            Some(_) => return None,
        };
        let stated = headers
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        let is_as_long_as_stated = !headers.contains_key(CONTENT_ENCODING) && stated == Some(bytes.len());
        let is_whole = is_as_long_as_stated || serde_json::from_slice::<IgnoredAny>(&bytes).is_ok();
        (is_whole && bytes.len() <= Limits::default().body).then_some(bytes)
    }
}
