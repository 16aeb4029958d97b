//! Strict JSON: [`object`] reads one object in which no name appears twice.
//!
//! `serde_json::Value` silently keeps the last of two equal names, so a client would not learn that half of what it
//! sent was dropped.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Value};

/// Reads `text` as a JSON object; the error says what it is instead.
pub(super) fn object(text: &[u8]) -> Result<Map<String, Value>, &'static str> {
    match serde_json::from_slice(text) {
        Ok(Unique(Value::Object(object))) => Ok(object),
        Ok(Unique(_)) => Err("the body is not a JSON object"),
        Err(error) if error.classify() == Category::Data => Err("the body holds a name twice"),
        Err(_) => Err("the body is not JSON"),
    }
}

/// A JSON value whose objects hold each name once. Its own deserializer adds one error: a name that appears twice.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Unique)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Unique(entry)) = entries.next_element()? {
            array.push(entry);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Unique(value))) = members.next_entry::<String, Unique>()? {
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a name appears twice"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_is_read_as_it_is_written() {
        let text = r#"{"a": [1, -2, 0.5, true, null], "b": {"a": "é"}}"#;
        assert_eq!(
            Value::Object(object(text.as_bytes()).unwrap()),
            json!({"a": [1, -2, 0.5, true, null], "b": {"a": "é"}})
        );
    }

    #[test]
    fn a_name_that_appears_twice_is_rejected_at_any_depth() {
        for text in [r#"{"a": 1, "a": 1}"#, r#"{"b": [{"a": 1, "\u0061": 2}]}"#] {
            assert_eq!(object(text.as_bytes()), Err("the body holds a name twice"), "{text}");
        }
    }

    #[test]
    fn other_values_are_no_object() {
        for text in ["[]", "null", "1", "\"x\"", r#"["name"]"#] {
            assert_eq!(object(text.as_bytes()), Err("the body is not a JSON object"), "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_rejected() {
        for text in [
            &b""[..],
            b"{",
            b"{} {}",
            b"{'a': 1}",
            b"{\"a\": \"\xff\"}",
            br#"{"a": "\ud800"}"#,
            br#"{"a": 1e999}"#,
        ] {
            assert_eq!(object(text), Err("the body is not JSON"), "{text:?}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!("{{\"a\": {}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(object(deep.as_bytes()), Err("the body is not JSON"));
    }
}
