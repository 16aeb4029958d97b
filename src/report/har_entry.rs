//! An entry of an HTTP archive (HAR 1.2, section 4.2.8) as both our archives write it: the report of a check, and a
//! file of traffic. The main type is [`ArchiveEntry`].

use http::StatusCode;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::exchange::query_pairs;

/// The comment on a body whose values are replaced by their shapes.
pub(crate) const COMMENT_SHAPES: &str = "values are shown as shapes";

/// The comment on a body in which a credential is replaced.
pub(crate) const COMMENT_CREDENTIAL_HIDDEN: &str = "a credential in it is hidden";

/// The characters that a URI cannot contain. `%` is not among them, because the path is already percent-encoded.
const NOT_IN_A_URI: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b'#')
    .add(b'[')
    .add(b']');

/// An exchange, as an archive shows it.
pub(crate) struct ArchiveEntry {
    /// The identifier of its page.
    pub(crate) page: Option<String>,
    /// When the request was sent, by RFC 3339.
    pub(crate) started: String,
    /// How long the response took, in milliseconds; `None` where that is unknown.
    pub(crate) elapsed_ms: Option<f64>,
    pub(crate) request: ArchiveRequest,
    /// The response, or why there is none.
    pub(crate) response: Result<ArchiveResponse, String>,
    pub(crate) comment: Option<String>,
}

/// A request, as an archive shows it.
pub(crate) struct ArchiveRequest {
    pub(crate) method: String,
    /// The URL. Characters that it cannot contain are percent-encoded when it is written.
    pub(crate) url: String,
    pub(crate) headers: Vec<Value>,
    pub(crate) body: Option<ArchiveBody>,
}

/// A response, as an archive shows it.
pub(crate) struct ArchiveResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<Value>,
    pub(crate) body: ArchiveBody,
}

/// A body, as an archive shows it.
#[derive(Default)]
pub(crate) struct ArchiveBody {
    /// How many bytes were received.
    pub(crate) size: usize,
    /// Its media type; empty where there is none.
    pub(crate) media_type: String,
    /// Its text; `None` where it is not shown.
    pub(crate) text: Option<String>,
    /// How bytes are written as text, if they are not text themselves.
    pub(crate) encoding: Option<&'static str>,
    pub(crate) comments: Vec<&'static str>,
}

/// Returns a header, or another pair of a name and a value.
pub(crate) fn header(name: &str, value: &str) -> Value {
    json!({"name": name, "value": value})
}

impl ArchiveEntry {
    /// Returns the entry as JSON.
    pub(crate) fn into_json(self) -> Value {
        let mut entry = Map::new();
        if let Some(page) = self.page {
            entry.insert("pageref".to_owned(), page.into());
        }
        let wait = self.elapsed_ms.unwrap_or_default();
        let members = [
            ("startedDateTime", self.started.into()),
            // -1 if unknown, as the format has it for timings (HAR 1.2, section 4.2.16).
            ("time", self.elapsed_ms.unwrap_or(-1.0).into()),
            ("request", self.request.into_json()),
            (
                "response",
                self.response.map_or_else(no_response, ArchiveResponse::into_json),
            ),
            ("cache", json!({})),
            // Only the total time is known.
            (
                "timings",
                json!({"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": wait, "receive": 0}),
            ),
        ];
        entry.extend(members.map(|(name, value)| (name.to_owned(), value)));
        if let Some(comment) = self.comment {
            entry.insert("comment".to_owned(), comment.into());
        }
        Value::Object(entry)
    }
}

impl ArchiveRequest {
    fn into_json(self) -> Value {
        let mut request = json!({
            "method": self.method,
            "url": utf8_percent_encode(&self.url, NOT_IN_A_URI).to_string(),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "queryString": query(&self.url),
            "headersSize": -1,
        });
        // The shown body may differ in length from the one that was sent.
        let size = if self.body.is_some() { -1 } else { 0 };
        if let Some(body) = self.body {
            let mut sent = json!({"mimeType": body.media_type, "text": body.text.unwrap_or_default()});
            if !body.comments.is_empty() {
                sent["comment"] = body.comments.join("; ").into();
            }
            request["postData"] = sent;
        }
        request["bodySize"] = size.into();
        request["headers"] = self.headers.into();
        request
    }
}

fn query(url: &str) -> Value {
    query_pairs(url).map(|(name, value)| header(&name, &value)).collect()
}

impl ArchiveResponse {
    fn into_json(self) -> Value {
        let reason = StatusCode::from_u16(self.status)
            .ok()
            .and_then(|status| status.canonical_reason());
        let mut content = json!({"size": self.body.size, "mimeType": self.body.media_type});
        if let Some(text) = self.body.text {
            content["text"] = text.into();
        }
        if let Some(encoding) = self.body.encoding {
            content["encoding"] = encoding.into();
        }
        if !self.body.comments.is_empty() {
            content["comment"] = self.body.comments.join("; ").into();
        }
        json!({
            "status": self.status,
            "statusText": reason.unwrap_or_default(),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": self.headers,
            "content": content,
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": -1,
        })
    }
}

/// Returns what stands for a response that did not come: the status 0, as browsers write it, and the reason.
fn no_response(reason: String) -> Value {
    let none = ArchiveResponse {
        status: 0,
        headers: Vec::new(),
        body: ArchiveBody::default(),
    };
    let mut response = none.into_json();
    response["comment"] = reason.into();
    response
}
