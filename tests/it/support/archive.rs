//! Exchanges as an HTTP archive, written as a browser's export would be: whole heads, bodies as text.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

use std::time::Duration;

use countersign::contract::Contract;
use countersign::contract::operation::SecurityScheme;
use countersign::exchange::{Credential, Exchange, Response};
use countersign::traffic::{File, Judged, Settings, judge};
use serde_json::{Value, json};

/// Where the archive says that the service is.
pub(crate) const BASE: &str = "https://contacts.example.com";

/// An archive of the exchanges that got a response.
pub(crate) fn archive<'exchange>(exchanges: impl IntoIterator<Item = &'exchange Exchange>) -> Value {
    let numbered = exchanges.into_iter().enumerate();
    let entries = numbered
        .filter_map(|(index, exchange)| entry(index, exchange))
        .collect::<Vec<_>>();
    json!({"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": entries}})
}

fn entry(index: usize, exchange: &Exchange) -> Option<Value> {
    let response = exchange.response()?;
    let request = &exchange.request;
    let body = request.body_text();
    let credential = match &request.credential {
        Credential::Token {
            scheme: SecurityScheme::Bearer,
        } => Some(json!({"name": "authorization", "value": "Bearer tk-of-somebody"})),
        _ => None,
    };
    let sent = body
        .as_ref()
        .map(|text| json!({"mimeType": "application/json", "text": text}));
    Some(json!({
        // On a paused clock all are sent at once.
        "startedDateTime": at(exchange.sent_after + Duration::from_micros(index as u64)),
        "time": response.elapsed.as_secs_f64() * 1000.0,
        "request": {
            "method": request.method.to_string(),
            "url": format!("{BASE}{}", request.path),
            "httpVersion": "HTTP/1.1",
            "headers": credential.into_iter().collect::<Vec<_>>(),
            "postData": sent,
        },
        "response": {
            "status": response.status,
            "httpVersion": "HTTP/1.1",
            "headers": headers(response),
            "content": content(response),
        },
    }))
}

/// A moment of a recording that began at noon.
fn at(sent: Duration) -> String {
    let noon = chrono::DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    (noon + sent).to_rfc3339_opts(chrono::SecondsFormat::Nanos, true)
}

fn headers(response: &Response) -> Vec<Value> {
    let headers = response.headers.iter();
    let pair = |(name, value): (&_, &http::HeaderValue)| json!({"name": http::HeaderName::as_str(name), "value": String::from_utf8_lossy(value.as_bytes())});
    // Every server on a socket says these two, and a service in this process has no server.
    let date = json!({"name": "date", "value": "Tue, 14 Nov 2023 22:13:20 GMT"});
    let length = json!({"name": "content-length", "value": response.body.len().to_string()});
    let length = Some(length).filter(|_| response.status != 204);
    headers.map(pair).chain([date]).chain(length).collect()
}

fn content(response: &Response) -> Value {
    let media_type = response.media_type().unwrap_or_default();
    match std::str::from_utf8(&response.body) {
        Ok(text) => json!({"size": text.len(), "mimeType": media_type, "text": text}),
        Err(_) => {
            use base64::Engine as _;
            let text = base64::engine::general_purpose::STANDARD.encode(&response.body);
            json!({"size": response.body.len(), "mimeType": media_type, "text": text, "encoding": "base64"})
        }
    }
}

/// Judges archives, each as a file.
pub(crate) fn judged(contract: &Contract, archives: &[Value]) -> Judged {
    let texts = archives.iter().map(Value::to_string);
    judged_texts(contract, texts.collect())
}

/// Judges files of traffic with these texts.
pub(crate) fn judged_texts(contract: &Contract, texts: Vec<String>) -> Judged {
    let files = texts.into_iter().enumerate().map(|(index, text)| File {
        name: format!("{index}.har"),
        content: Box::new(std::io::Cursor::new(text)),
    });
    judge(contract, files.collect(), Settings::default(), &mut |_| {})
}

/// One file of the HTTP archive's schema.
macro_rules! har_schema {
    ($($name:literal),+) => {
        [$(($name, include_str!(concat!("../schemas/har/", $name)))),+]
    };
}

/// The schema of the HTTP archive in one document: its files refer to each other by their names.
pub(crate) fn schema() -> Value {
    let files = har_schema![
        "afterRequest.json", "beforeRequest.json", "browser.json", "cache.json", "content.json", "cookie.json",
        "creator.json", "entry.json", "har.json", "header.json", "log.json", "page.json", "pageTimings.json",
        "postData.json", "query.json", "request.json", "response.json", "timings.json"
    ];
    let mut schema = json!({"$ref": "#/definitions/har.json", "definitions": {}});
    for (name, text) in files {
        let mut file: Value = serde_json::from_str(text).unwrap();
        let fields = file.as_object_mut().unwrap();
        fields.remove("$id");
        fields.remove("$schema");
        within(&mut file);
        schema["definitions"][name] = file;
    }
    schema
}

/// Turns references to files into references within one document.
fn within(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str().and_then(|text| text.strip_suffix('#')) {
                    Some(file) if name == "$ref" => *value = format!("#/definitions/{file}").into(),
                    _ => within(value),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(within),
        _ => {}
    }
}
