//! Reads a body as JSON by RFC 8259, and sees what `serde_json` alone would hide: a name that stands twice in an
//! object (section 4 asks for unique names). The main type is [`Body`].

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use crate::contract::pointer::Path;

/// A body that is JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The value; of equal names it keeps the last.
    pub value: Value,
    /// Where a name stood twice, as marked pointers.
    pub duplicates: Vec<String>,
}

/// Why a body is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// It is empty.
    #[error("an empty body")]
    Empty,
    /// It is JSON, but its nesting, its size or a number goes beyond what is read here, so nothing is decided by it.
    #[error("JSON beyond 128 levels, a million values or a double's range")]
    Beyond,
    /// It is not JSON.
    #[error("no JSON from line {line}, column {column}")]
    Syntax {
        /// The line in the body, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
    },
}

/// The most values that are read: each takes some eighty bytes, and two bytes of a body are enough for one.
const MOST_VALUES: u32 = 1_000_000;
const TOO_MANY: &str = "too many values";

/// Reads a body.
///
/// # Errors
///
/// A [`JsonError`]; its place is one in the body, its text holds nothing of the body.
pub fn read(bytes: &[u8]) -> Result<Body, JsonError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(JsonError::Empty);
    }
    let duplicates = RefCell::new(Vec::new());
    let (left, members) = (Cell::new(MOST_VALUES), Cell::new(0));
    let reader = Reader {
        path: Path::Root,
        duplicates: &duplicates,
        left: &left,
        members: &members,
    };
    // A text is known to be one as a whole at a fraction of what it costs for each of its strings. The bytes of another
    // are read until there is no text, which is where the error is.
    let read = match std::str::from_utf8(bytes) {
        Ok(text) => whole(reader, serde_json::Deserializer::from_str(text)),
        Err(_) => whole(reader, serde_json::Deserializer::from_slice(bytes)),
    };
    match read {
        Ok(value) => Ok(Body {
            value,
            duplicates: duplicates.into_inner(),
        }),
        Err(error) => Err(classify(&error)),
    }
}

fn whole<'de, R: serde_json::de::Read<'de>>(
    reader: Reader<'_>,
    mut deserializer: serde_json::Deserializer<R>,
) -> serde_json::Result<Value> {
    let value = reader.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// `serde_json` has no category for its own bounds, so its fixed texts are asked.
fn classify(error: &serde_json::Error) -> JsonError {
    let text = error.to_string();
    let bounds = ["recursion limit exceeded", "number out of range", TOO_MANY];
    if bounds.iter().any(|bound| text.starts_with(bound)) {
        return JsonError::Beyond;
    }
    JsonError::Syntax {
        line: error.line().max(1),
        column: error.column().max(1),
    }
}

#[derive(Clone, Copy)]
struct Reader<'read> {
    path: Path<'read>,
    duplicates: &'read RefCell<Vec<String>>,
    /// How many values more are read.
    left: &'read Cell<u32>,
    /// How many members the object before this one in its array has. It is room for this one's: an object that does not
    /// use it leaves none to the next, so that a body takes at most twice its own memory.
    members: &'read Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.ok_or_else(|| D::Error::custom(TOO_MANY))?);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let (mut elements, members) = (Vec::new(), Cell::new(0));
        while let Some(element) = access.next_element_seed(Reader {
            path: Path::Element(&self.path, elements.len()),
            members: &members,
            ..self
        })? {
            elements.push(element);
        }
        Ok(Value::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::with_capacity(self.members.get());
        while let Some(name) = access.next_key::<String>()? {
            let (path, alone) = (Path::Member(&self.path, &name), Cell::new(0));
            let value = access.next_value_seed(Reader {
                path,
                members: &alone,
                ..self
            })?;
            match members.entry(name) {
                Entry::Vacant(entry) => {
                    entry.insert(value);
                }
                Entry::Occupied(mut entry) => {
                    let mut duplicates = self.duplicates.try_borrow_mut().map_err(A::Error::custom)?;
                    // One is enough to break the fact; a body made of nothing else must not cost more than itself.
                    if duplicates.len() < 16 {
                        duplicates.push(Path::Member(&self.path, entry.key()).pointer());
                    }
                    entry.insert(value);
                }
            }
        }
        self.members.set(members.len());
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_that_stands_twice_is_seen_with_its_place() {
        let body = read(br#"{"a": [{"b": 1, "c": 2, "b": 3}]}"#).unwrap();
        assert_eq!(body.value, json!({"a": [{"b": 3, "c": 2}]}));
        assert_eq!(body.duplicates, ["/a/~20/b"]);
    }

    #[test]
    fn sound_bodies_are_read_as_serde_json_reads_them() {
        for text in [
            "null",
            " [1, -2, 3.5, 1e3, true, \"\\u00e9\"] ",
            r#"{"a": {"b": null}}"#,
            r#"[{"a": 1, "b": {"c": 2}}, {}, {"d": [{"e": 3}, 4]}, {"a": 5, "b": 6, "f": 7}]"#,
            "18446744073709551615",
        ] {
            let body = read(text.as_bytes()).unwrap();
            assert_eq!(body.value, serde_json::from_str::<Value>(text).unwrap(), "{text}");
            assert!(body.duplicates.is_empty());
        }
    }

    #[test]
    fn what_is_not_json_is_told_with_its_place() {
        for (text, error) in [
            (&b"{\"a\": 1,}"[..], JsonError::Syntax { line: 1, column: 9 }),
            (b"{} {}", JsonError::Syntax { line: 1, column: 4 }),
            (b"<html>", JsonError::Syntax { line: 1, column: 1 }),
            (b"NaN", JsonError::Syntax { line: 1, column: 1 }),
            (b"\"\xff\"", JsonError::Syntax { line: 1, column: 2 }),
            (b"\xef\xbb\xbf{}", JsonError::Syntax { line: 1, column: 1 }),
            (b" \n", JsonError::Empty),
        ] {
            assert_eq!(read(text), Err(error), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn json_beyond_our_bounds_is_not_called_malformed() {
        assert_eq!(read("[".repeat(200).as_bytes()), Err(JsonError::Beyond));
        assert_eq!(read(b"[1e999]"), Err(JsonError::Beyond));
        let many = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
        assert_eq!(read(many(1_000_001).as_bytes()), Err(JsonError::Beyond));
        assert!(read(many(1_000_000).as_bytes()).is_ok());
    }
}
