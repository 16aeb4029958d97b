//! The headers that a response documents, made from their schemas and written in the style `simple`.

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::judged::resolved;
use super::values::{Maker, admits};

/// How many values are tried for each header.
const TRIES: u64 = 20;

/// Headers as the response documents them. One for which no value is found is sent without one.
pub(super) fn made(document: &Value, response: &Value, seed: u64) -> HeaderMap {
    let mut made = HeaderMap::new();
    for (name, header) in response["headers"].as_object().into_iter().flatten() {
        let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
            continue;
        };
        // Of a response whose body is in the documented type, and none of whose body is compressed.
        if name.as_str().starts_with("content-") || name == http::header::TRANSFER_ENCODING {
            continue;
        }
        let header = followed(document, header);
        let mut media = header["content"].as_object().into_iter().flatten();
        let (schema, is_json) = match (header.get("schema"), media.next()) {
            (Some(schema), _) => (schema, false),
            (None, Some((_, media))) => (&media["schema"], true),
            (None, None) => (&Value::Null, false),
        };
        let values = (0..TRIES).filter_map(|turn| Maker::new(document, seed * TRIES + turn).value(schema));
        let admitted = values.filter(|value| admits(document, schema, value) != Some(false));
        let texts = admitted.filter_map(|value| text(&value, is_json));
        let value = texts.filter_map(|text| HeaderValue::from_str(&text).ok()).next();
        made.insert(name, value.unwrap_or(HeaderValue::from_static("")));
    }
    made
}

fn followed<'document>(document: &'document Value, node: &'document Value) -> &'document Value {
    match node["$ref"].as_str() {
        Some(reference) => resolved(document, reference.strip_prefix('#').unwrap()),
        None => node,
    }
}

/// The value as the text of a header; none where it cannot be one.
fn text(value: &Value, is_json: bool) -> Option<String> {
    match value {
        value if is_json => Some(value.to_string()),
        Value::String(text) if text.trim() == text => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(elements) => {
            let texts = elements.iter().map(|element| text(element, false));
            let texts = texts.collect::<Option<Vec<_>>>()?;
            texts.iter().all(|text| !text.contains(',')).then(|| texts.join(","))
        }
        _ => None,
    }
}
