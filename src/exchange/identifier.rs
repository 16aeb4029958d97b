//! Which values may stand for a record: in a path, in an account of what was left, in the next request. The main function is
//! [`identifier`].

use serde_json::Value;

/// The most characters of an identifier. A UUID has 36; what is longer is no name of a record but a text that a target put
/// in its place, and would go into every path and every report.
pub const LONGEST_IDENTIFIER: usize = 200;

/// The text of an identifier: that of a string of at most [`LONGEST_IDENTIFIER`] characters that is not empty, or of a
/// number. Nothing else names a record.
#[must_use]
pub fn identifier(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if is_short(text) && !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Whether a text is as short as an identifier. Bytes are looked at first, so that a text of megabytes is not counted.
fn is_short(text: &str) -> bool {
    text.len() <= LONGEST_IDENTIFIER * 4 && text.chars().count() <= LONGEST_IDENTIFIER
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
