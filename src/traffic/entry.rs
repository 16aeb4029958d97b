//! One entry of an HTTP archive (HAR 1.2, section 4.2.8), as exporters really write it. The main type is [`Recorded`].

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use reqwest::Url;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::exchange::Limits;
use crate::report::SHAPES;

/// A request and its response, as somebody recorded them.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) method: String,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    /// The body; `None` where there is none, or none was recorded.
    pub(super) body: Option<String>,
    /// When the request was sent.
    pub(super) started: DateTime<Utc>,
    pub(super) elapsed: Duration,
    pub(super) status: u16,
    pub(super) response_headers: HeaderMap,
    /// The body without its content coding; `None` where it was not recorded, or not completely.
    pub(super) response_body: Option<Bytes>,
}

/// Why an entry is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skipped {
    /// No complete response came, or the client gave it up.
    Aborted,
    /// A cache responded, or the response says that the client's copy is still good (304).
    Cached,
    /// The entry lacks what every entry has, or is not JSON.
    NotAnEntry,
    /// Not HTTP: `data:`, `blob:`, a WebSocket, an extension of the browser.
    NotHttp,
    /// A preflight of CORS, which the browser sends by itself.
    Preflight,
    /// A redirect, which a proxy or a gateway may have sent.
    Redirect,
    /// No headers of the response were recorded.
    WithoutHeaders,
}

/// The members of an entry that are read; everything else is left out. A member of another type than HAR states makes
/// the entry unreadable, but no other entry.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    started_date_time: DateTime<Utc>,
    time: Option<f64>,
    request: EntryRequest,
    response: EntryResponse,
    /// `websocket` where Chromium recorded one.
    #[serde(rename = "_resourceType")]
    resource_type: Option<String>,
    /// `memory` or `disk` where Chromium took the response from a cache.
    #[serde(rename = "_fromCache")]
    from_cache: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EntryRequest {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<EntryHeader>,
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
struct PostData {
    text: Option<String>,
    /// `base64` where mitmproxy or Playwright could not write the body as text.
    #[serde(alias = "_encoding")]
    encoding: Option<String>,
}

#[derive(Deserialize)]
struct EntryHeader {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct EntryResponse {
    /// Chromium writes 0, and older exporters -1, where no response came.
    status: i64,
    #[serde(default)]
    headers: Vec<EntryHeader>,
    #[serde(default)]
    content: EntryContent,
    /// The error of Chromium's network stack.
    #[serde(rename = "_error")]
    error: Option<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EntryContent {
    /// The size of the decoded body, in bytes; -1 where it is unknown.
    size: Option<f64>,
    mime_type: Option<String>,
    text: Option<String>,
    encoding: Option<String>,
    /// Our own archives say here that values were replaced by their shapes.
    comment: Option<String>,
}

/// Reads an entry.
///
/// # Errors
///
/// Why it cannot be judged.
pub(super) fn read(entry: &str) -> Result<Recorded, Skipped> {
    let entry: Entry = serde_json::from_str(entry).map_err(|_| Skipped::NotAnEntry)?;
    let url = Url::parse(&entry.request.url).map_err(|_| Skipped::NotAnEntry)?;
    if !matches!(url.scheme(), "http" | "https") || entry.resource_type.as_deref() == Some("websocket") {
        return Err(Skipped::NotHttp);
    }
    let (request, response) = (entry.request, entry.response);
    let headers = header_map(request.headers);
    let status = match u16::try_from(response.status) {
        Ok(101) => return Err(Skipped::NotHttp),
        Ok(status) if (200..600).contains(&status) && response.error.is_none() => status,
        _ => return Err(Skipped::Aborted),
    };
    if entry.from_cache.is_some() || status == 304 {
        return Err(Skipped::Cached);
    }
    if request.method == "OPTIONS" && headers.contains_key("access-control-request-method") {
        return Err(Skipped::Preflight);
    }
    if (300..400).contains(&status) {
        return Err(Skipped::Redirect);
    }
    let mut response_headers = header_map(response.headers);
    if response_headers.is_empty() {
        return Err(Skipped::WithoutHeaders);
    }
    let response_body = match status {
        // They have no body (RFC 9110, sections 15.3.5 and 15.3.6).
        204 | 205 => Some(Bytes::new()),
        _ => body(&response.content, &mut response_headers),
    };
    let milliseconds = entry.time.filter(|time| time.is_finite() && *time >= 0.0);
    Ok(Recorded {
        method: request.method,
        url,
        headers,
        body: request.post_data.and_then(PostData::text),
        started: entry.started_date_time,
        elapsed: Duration::try_from_secs_f64(milliseconds.unwrap_or_default() / 1000.0).unwrap_or_default(),
        status,
        response_headers,
        response_body,
    })
}

impl PostData {
    fn text(self) -> Option<String> {
        match self.encoding.as_deref() {
            Some("base64") => String::from_utf8(STANDARD.decode(self.text?).ok()?).ok(),
            _ => self.text,
        }
    }
}

/// Returns the headers without HTTP/2's pseudo-headers, whose names begin with a colon (RFC 9113, section 8.3).
fn header_map(headers: Vec<EntryHeader>) -> HeaderMap {
    let parsed = headers.into_iter().filter_map(|header| {
        let name = HeaderName::from_bytes(header.name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_bytes(header.value.as_bytes()).ok()?))
    });
    let mut map = HeaderMap::new();
    for (name, value) in parsed {
        map.append(name, value);
    }
    map
}

/// Returns the body of a response, where all of it was recorded. Exporters decode it and leave `Content-Encoding` in
/// place, so that header is removed.
///
/// A missing text is never an empty body: exporters leave bodies out, cut them, put them into other files, or replace
/// bytes that are no text.
fn body(content: &EntryContent, headers: &mut HeaderMap) -> Option<Bytes> {
    let decoded_length = !headers.contains_key(CONTENT_ENCODING);
    headers.remove(CONTENT_ENCODING);
    let type_of_content = content
        .mime_type
        .as_deref()
        .and_then(|known| HeaderValue::from_str(known).ok());
    if let (None, Some(known)) = (headers.get(CONTENT_TYPE), type_of_content)
        // What Chromium writes where it does not know.
        && !known.is_empty()
        && known != "x-unknown"
    {
        headers.insert(CONTENT_TYPE, known);
    }
    if content
        .comment
        .as_deref()
        .is_some_and(|comment| comment.contains(SHAPES))
    {
        return None;
    }
    let text = content.text.as_deref()?;
    let bytes = match content.encoding.as_deref() {
        None | Some("") => Bytes::copy_from_slice(text.as_bytes()),
        Some("base64") => STANDARD.decode(text).ok()?.into(),
        Some(_) => return None,
    };
    let is_cut = content.size.is_some_and(|size| bytes.len() < size as usize);
    let declared = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let is_shorter = decoded_length && declared.is_some_and(|declared| bytes.len() < declared);
    let is_empty = bytes.is_empty() && !(content.size == Some(0.0) && declared == Some(0));
    let is_lossy = content.encoding.is_none() && text.contains(char::REPLACEMENT_CHARACTER);
    let is_too_large = bytes.len() > Limits::default().body;
    (!is_cut && !is_shorter && !is_empty && !is_lossy && !is_too_large).then_some(bytes)
}
