//! Reads a body as JSON by RFC 8259, and detects what `serde_json` alone would hide: a name that appears twice in an
//! object (section 4 requires unique names). The main type is [`Body`].

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use crate::contract::pointer::Path;

/// A body that is JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The value; of equal names, the last one counts.
    pub value: Value,
    /// The locations of repeated names, as indexed pointers (see `pointer::element`): `~2` precedes an array index, so
    /// `/items/~23` is the fourth item.
    pub duplicates: Vec<String>,
}

/// Why a body cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// It is empty.
    #[error("an empty body")]
    Empty,
    /// It is JSON, but its nesting, its size or a number exceeds what is read here, so it decides nothing.
    #[error("JSON beyond 127 levels, a million values or a double's range")]
    LimitExceeded,
    /// The recording of the response does not contain it, so it decides nothing.
    #[error("a body that was not recorded")]
    NotRecorded,
    /// It is not JSON.
    #[error("invalid JSON from line {line}, column {column}")]
    Syntax {
        /// The line in the body, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
    },
}

/// The maximum number of values: each takes some eighty bytes, and two bytes of a body are enough for one.
const MAX_VALUES: u32 = 1_000_000;
const TOO_MANY: &str = "too many values";

/// Reads a body.
///
/// # Errors
///
/// A [`JsonError`]; its location is one in the body, and its text contains nothing of the body.
pub fn read(bytes: &[u8]) -> Result<Body, JsonError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(JsonError::Empty);
    }
    let state = State {
        left: Cell::new(MAX_VALUES),
        ..State::default()
    };
    if bytes.len() >= LARGE {
        state.count(bytes).map_err(|error| classify(&error))?;
    }
    let reader = Reader {
        path: Path::Root,
        state: &state,
    };
    match whole(reader, bytes) {
        Ok(value) => Ok(Body {
            value,
            duplicates: state.duplicates.into_inner(),
        }),
        Err(error) => Err(classify(&error)),
    }
}

fn whole<'de, S: DeserializeSeed<'de>>(seed: S, bytes: &'de [u8]) -> serde_json::Result<S::Value> {
    // Checking the text as a whole costs a fraction of checking each of its strings. A body that is not UTF-8 is read
    // as bytes up to the first invalid one, which is where the error is.
    match std::str::from_utf8(bytes) {
        Ok(text) => to_the_end(seed, serde_json::Deserializer::from_str(text)),
        Err(_) => to_the_end(seed, serde_json::Deserializer::from_slice(bytes)),
    }
}

fn to_the_end<'de, S: DeserializeSeed<'de>, R: serde_json::de::Read<'de>>(
    seed: S,
    mut deserializer: serde_json::Deserializer<R>,
) -> serde_json::Result<S::Value> {
    let value = seed.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Classifies an error by its text, because `serde_json` has no category for its own bounds.
fn classify(error: &serde_json::Error) -> JsonError {
    let text = error.to_string();
    let bounds = ["recursion limit exceeded", "number out of range", TOO_MANY];
    if bounds.iter().any(|bound| text.starts_with(bound)) {
        return JsonError::LimitExceeded;
    }
    JsonError::Syntax {
        line: error.line().max(1),
        column: error.column().max(1),
    }
}

/// The size in bytes from which the entries of a body are counted before any value is built.
const LARGE: usize = 256 << 10;
/// The maximum number of members that are gathered before their object is made, and the number of entries above which a
/// list or an object is remembered as large.
const MANY: usize = 64;
/// At most this many locations of repeated names are kept, and none is added once their total length reaches
/// [`MAX_LOCATIONS_LENGTH`].
const MAX_LOCATIONS: usize = 16;
const MAX_LOCATIONS_LENGTH: usize = 4 << 10;

/// The state of reading one body.
///
/// # Design
///
/// A list or an object that grows while it is read takes several times its final size meanwhile, and a body may be a
/// list of a million entries. So a large body is read twice: first without building anything, which shows how many
/// entries each large list and object has, and whether the body can be read at all. A body that cannot be read costs no
/// memory.
#[derive(Default)]
struct State {
    duplicates: RefCell<Vec<String>>,
    /// How many more values may be read.
    left: Cell<u32>,
    /// The number of lists and objects begun so far.
    begun: Cell<usize>,
    /// The lists and objects with many entries: how many others began before, and how many entries each has. The next
    /// one to come is last.
    large: RefCell<Vec<(usize, usize)>>,
    /// The members of the objects that have not ended, those of the innermost last: a small map is built once the
    /// number of its members is known.
    unfinished: RefCell<Vec<(String, Value)>>,
}

impl State {
    /// Counts the entries of the large lists and objects.
    fn count(&self, bytes: &[u8]) -> serde_json::Result<()> {
        whole(Counter(self), bytes)?;
        self.left.set(MAX_VALUES);
        self.begun.set(0);
        self.large.borrow_mut().sort_unstable_by(|left, right| right.cmp(left));
        Ok(())
    }

    /// Counts one value; an error once there are too many.
    fn count_value<E: serde::de::Error>(&self) -> Result<(), E> {
        #[cfg(test)]
        crate::testing::work::count();
        let left = self.left.get().checked_sub(1);
        self.left.set(left.ok_or_else(|| E::custom(TOO_MANY))?);
        Ok(())
    }

    fn begin(&self) -> usize {
        let begun = self.begun.get();
        self.begun.set(begun + 1);
        begun
    }

    /// Begins a list or object, and returns its number of entries; `None` where it is small, or the body was not
    /// counted.
    fn begin_sized(&self) -> Option<usize> {
        let begun = self.begin();
        self.large
            .borrow_mut()
            .pop_if(|(large, _)| *large == begun)
            .map(|(_, entries)| entries)
    }
}

/// Reads a value without building anything.
#[derive(Clone, Copy)]
struct Counter<'read>(&'read State);

impl Counter<'_> {
    fn ended(self, begun: usize, entries: usize) {
        if entries > MANY {
            self.0.large.borrow_mut().push((begun, entries));
        }
    }
}

impl<'de> DeserializeSeed<'de> for Counter<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.count_value()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Counter<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let (begun, mut entries) = (self.0.begin(), 0);
        while access.next_element_seed(self)?.is_some() {
            entries += 1;
        }
        self.ended(begun, entries);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let (begun, mut entries) = (self.0.begin(), 0);
        while access.next_key::<IgnoredAny>()?.is_some() {
            access.next_value_seed(self)?;
            entries += 1;
        }
        self.ended(begun, entries);
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Reader<'read> {
    path: Path<'read>,
    state: &'read State,
}

impl Reader<'_> {
    /// Moves the members that are held back, from this index on, into the object.
    fn take(&self, first: usize, object: &mut Map<String, Value>) {
        for (name, value) in self.state.unfinished.borrow_mut().drain(first..) {
            match object.entry(name) {
                Entry::Vacant(entry) => {
                    entry.insert(value);
                }
                Entry::Occupied(mut entry) => {
                    self.record_duplicate(entry.key());
                    entry.insert(value);
                }
            }
        }
    }

    /// Records that a name appears twice. One location is enough to break the fact, and a body made only of repeated
    /// names must not cost more than its own size.
    fn record_duplicate(&self, name: &str) {
        let mut duplicates = self.state.duplicates.borrow_mut();
        if duplicates.len() < MAX_LOCATIONS && duplicates.iter().map(String::len).sum::<usize>() < MAX_LOCATIONS_LENGTH
        {
            duplicates.push(Path::Member(&self.path, name).pointer());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.state.count_value()?;
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
        let mut elements = Vec::with_capacity(self.state.begin_sized().unwrap_or_default());
        while let Some(element) = access.next_element_seed(Reader {
            path: Path::Element(&self.path, elements.len()),
            ..self
        })? {
            elements.push(element);
        }
        elements.shrink_to_fit();
        Ok(Value::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let unfinished = &self.state.unfinished;
        let first = unfinished.borrow().len();
        let mut object = self.state.begin_sized().map(Map::with_capacity);
        while let Some(name) = access.next_key::<String>()? {
            let path = Path::Member(&self.path, &name);
            let value = access.next_value_seed(Reader { path, ..self })?;
            unfinished.borrow_mut().push((name, value));
            if unfinished.borrow().len() - first >= MANY {
                self.take(first, object.get_or_insert_default());
            }
        }
        let left = unfinished.borrow().len() - first;
        let mut object = object.unwrap_or_else(|| Map::with_capacity(left));
        self.take(first, &mut object);
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::work;

    #[test]
    fn a_name_that_appears_twice_is_seen_with_its_location() {
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
    fn what_is_not_json_is_reported_with_its_location() {
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
        assert_eq!(read("[".repeat(200).as_bytes()), Err(JsonError::LimitExceeded));
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(read(nested(128).as_bytes()), Err(JsonError::LimitExceeded));
        assert!(read(nested(127).as_bytes()).is_ok());
        assert_eq!(read(b"[1e999]"), Err(JsonError::LimitExceeded));
        let many = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
        assert_eq!(read(many(1_000_001).as_bytes()), Err(JsonError::LimitExceeded));
        assert!(read(many(1_000_000).as_bytes()).is_ok());
    }

    #[test]
    fn a_large_body_is_read_as_a_small_one_is() {
        let entry = r#"{"a": [{}, [1, 2]], "b": {"c": null}, "a": "\u00e9"}"#;
        let wide: Vec<_> = (0..100).map(|number| format!(r#""n{number}": {entry}"#)).collect();
        let wide = format!("{{{}}}", wide.join(","));
        let large = format!(
            "[{}, [{}]]",
            vec![wide.as_str(); 70].join(","),
            vec![entry; 200].join(",")
        );
        assert!(large.len() > LARGE);
        let body = read(large.as_bytes()).unwrap();
        assert_eq!(body.value, serde_json::from_str::<Value>(&large).unwrap());
        assert_eq!(body.duplicates.len(), MAX_LOCATIONS);
        assert_eq!(body.duplicates[0], "/~20/n0/a");
    }

    #[test]
    fn what_is_wrong_with_a_large_body_is_reported_as_of_a_small_one() {
        let long = format!("[\n{}", "1,".repeat(LARGE));
        for (end, error) in [
            (
                "}",
                JsonError::Syntax {
                    line: 2,
                    column: long.len() - 1,
                },
            ),
            ("1e999]", JsonError::LimitExceeded),
        ] {
            assert_eq!(read(format!("{long}{end}").as_bytes()), Err(error));
        }
    }

    #[test]
    fn nothing_is_made_of_a_body_that_goes_beyond_what_is_read() {
        let values = |members: &str| format!("{{{}}}", vec![members; 1_000_001].join(","));
        let names = values(r#""":0"#);
        let work = work::of(|| assert_eq!(read(names.as_bytes()), Err(JsonError::LimitExceeded)));
        assert_eq!(work, 1_000_001);
    }

    #[test]
    fn long_names_that_stand_twice_are_not_all_kept() {
        let name = "n".repeat(1 << 20);
        let text = format!(r#"{{"{name}": [{{"a": 1, "a": 2}}, {{"b": 1, "b": 2}}], "{name}": 1}}"#);
        assert_eq!(read(text.as_bytes()).unwrap().duplicates.len(), 1);
    }
}
