//! Decides which values may identify a record: in a path, in the residue, in the next request. The main function is
//! [`identifier`].

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::num::NonZeroU64;

use serde_json::Value;

/// A short digest of a value, for comparison: usually of one that names a record; in traffic also of a credential, of a
/// client's headers or of a list's path. A walk over a million items keeps one for each, so it takes eight bytes, even
/// as an `Option`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(NonZeroU64);

impl Digest {
    /// Returns the digest of a value. Equal values have equal digests, in whatever order objects have their members,
    /// and a string differs from a number.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        let mut hasher = DefaultHasher::new();
        hash(value, &mut hasher);
        Self::from(hasher.finish())
    }
}

impl From<u64> for Digest {
    fn from(hash: u64) -> Self {
        Self(NonZeroU64::new(hash).unwrap_or(NonZeroU64::MAX))
    }
}

/// Hashes a value, and the members of an object in the order of their names.
fn hash(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::String(text) => (true, text.as_str()).hash(hasher),
        Value::Array(elements) => {
            ('[', elements.len()).hash(hasher);
            elements.iter().for_each(|element| hash(element, hasher));
        }
        Value::Object(members) => {
            ('{', members.len()).hash(hasher);
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            for (name, value) in members {
                name.hash(hasher);
                hash(value, hasher);
            }
        }
        other => (false, other.to_string()).hash(hasher),
    }
}

/// The maximum number of characters in an identifier. A UUID has 36; anything longer is not the name of a record but a
/// string that a target put in its place, and would go into every path and every report.
pub const LONGEST_IDENTIFIER: usize = 200;

/// The bound below which a double represents every integer exactly: 2 to the power of 53.
const EXACT_INTEGERS_BELOW: f64 = 9_007_199_254_740_992.0;

/// Returns an identifier as a string: a non-empty string of at most [`LONGEST_IDENTIFIER`] characters, or a number
/// whose integer part lost no digit. Nothing else names a record.
#[must_use]
pub fn identifier(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if is_short(text) && !text.is_empty() => Some(text.clone()),
        // A number that does not fit 64 bits has lost digits: it would name another record, or none.
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        Value::Number(number) if is_exact(number) => Some(plain(number)),
        _ => None,
    }
}

/// Writes a number without a fraction or an exponent if it is an integer: `10.0` and `1e1` are 10 (RFC 8259, section
/// 6).
fn plain(number: &serde_json::Number) -> String {
    let integer = number.as_f64().filter(|number| number.fract() == 0.0);
    integer.map_or_else(|| number.to_string(), |integer| format!("{integer:.0}"))
}

/// Whether the integer part of a number that is not an integer of 64 bits lost no digit when it was read.
fn is_exact(number: &serde_json::Number) -> bool {
    number
        .as_f64()
        .is_some_and(|number| number.abs() < EXACT_INTEGERS_BELOW)
}

/// Whether a string is as short as an identifier. Checks the bytes first, so that a string of megabytes is not counted.
fn is_short(text: &str) -> bool {
    text.len() <= LONGEST_IDENTIFIER * 4 && text.chars().count() <= LONGEST_IDENTIFIER
}

/// Whether an identifier that the target chose may be printed: it is harmless, and has a digit, which hardly any name
/// of a person has.
#[must_use]
pub(crate) fn is_printable_identifier(id: &str) -> bool {
    looks_machine_made(id) && (id.bytes().any(|byte| byte.is_ascii_digit()) || uuid::Uuid::parse_str(id).is_ok())
}

/// Whether an identifier is harmless: a number, a UUID, or a name as programs make them, with at least one letter and
/// otherwise only letters, digits, `_`, `.` and `-`. An email address has an `@`, a person's name a space, a telephone
/// number usually a plus or a leading zero.
#[must_use]
pub(crate) fn looks_machine_made(id: &str) -> bool {
    let digits = id.strip_prefix('-').unwrap_or(id);
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !(digits.len() > 1 && digits.starts_with('0'));
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let is_name = id.bytes().all(is_part) && id.bytes().any(|byte| byte.is_ascii_alphabetic());
    // A UUID may have no letter.
    is_number || is_name || uuid::Uuid::parse_str(id).is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn short_texts_and_numbers_are_identifiers() {
        for (value, text) in [(json!("c-17"), "c-17"), (json!(17), "17"), (json!(1.5), "1.5")] {
            assert_eq!(identifier(&value).as_deref(), Some(text));
        }
        assert!(identifier(&json!("ä".repeat(LONGEST_IDENTIFIER))).is_some());
        assert_eq!(identifier(&json!(u64::MAX)), Some(u64::MAX.to_string()));
        for (number, text) in [("10.0", "10"), ("1e1", "10"), ("-3.0", "-3"), ("10.5", "10.5")] {
            let number: Value = serde_json::from_str(number).unwrap();
            assert_eq!(identifier(&number).as_deref(), Some(text));
        }
        let beyond: Value = serde_json::from_str("12345678901234567890123").unwrap();
        assert_eq!(identifier(&beyond), None, "{beyond}");
    }

    #[test]
    fn a_digest_is_of_the_value_and_not_of_how_it_reads() {
        assert_ne!(Digest::of(&json!(7)), Digest::of(&json!("7")));
        assert_eq!(Digest::of(&json!("7")), Digest::of(&json!("7")));
        assert_eq!(size_of::<Option<Digest>>(), 8);
    }

    #[test]
    fn a_digest_is_of_the_members_of_an_object_in_any_order_and_of_the_elements_of_an_array_in_theirs() {
        let both = [
            json!({"a": 1, "b": {"c": 2, "d": 3}}),
            json!({"b": {"d": 3, "c": 2}, "a": 1}),
        ];
        assert_eq!(Digest::of(&both[0]), Digest::of(&both[1]));
        for (one, other) in [
            (json!([1, 2]), json!([2, 1])),
            (json!([[1], 2]), json!([[1, 2]])),
            (json!({"a": 1}), json!({"a": 2})),
            (json!({"a": {"b": 1}}), json!({"a": {}, "b": 1})),
            (json!([]), json!({})),
        ] {
            assert_ne!(Digest::of(&one), Digest::of(&other), "{one}");
        }
    }

    #[test]
    fn numbers_uuids_and_names_of_records_are_harmless_and_addresses_are_not() {
        for id in [
            "17",
            "0",
            "-3",
            "1234567890123456789",
            "01000000-0000-4000-8000-000000000001",
            "c-17",
            "cus_9s6XKzkNRiz8i3",
            "507f1f77bcf86cd799439011",
            "tags.v1",
        ] {
            assert!(is_printable_identifier(id), "{id}");
        }
        for id in [
            "ada@example.com", "Ada Example", "ada.example", "+447700900123", "01632960001", "01632 960001",
            "01632-960-001", "192.0.2.1", "a/b", "ä", "a\u{1b}[2J", "<b>",
        ] {
            assert!(!is_printable_identifier(id), "{id}");
        }
    }

    #[test]
    fn nothing_else_is_one() {
        let person = json!({"name": "Ada Example", "contact": "ada@example.com"});
        let long = json!("a".repeat(LONGEST_IDENTIFIER + 1));
        for value in [
            person,
            long,
            json!("a".repeat(1 << 20)),
            json!(""),
            json!(null),
            json!(true),
            json!(["a"]),
        ] {
            assert_eq!(identifier(&value), None);
        }
    }
}
