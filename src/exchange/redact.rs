//! Decides what of a response may be printed: an allow-list of shapes, never a filter over values. Texts that may
//! contain the target's values, such as those shown with `--show-values`, also pass a [`Redaction`], which removes the
//! token.

mod decoding;
mod forms;
mod redaction;

use serde_json::Value;

use super::identifier::is_printable_identifier;
use super::sanitize::{Colours, sanitize};

pub(crate) use redaction::LaterRedaction;
pub(crate) use redaction::TOO_SHORT;
pub use redaction::{Redaction, SHORTEST_TOKEN};

/// How values are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueDisplay {
    /// As shapes: `string(17)`, `integer`, `null`.
    #[default]
    Hidden,
    /// Unchanged, because the user asked for it with `--show-values`.
    Shown,
}

impl ValueDisplay {
    /// Renders a value.
    #[must_use]
    pub fn render(self, value: &Value) -> String {
        match self {
            Self::Hidden => shape(value),
            Self::Shown => printable(&beginning(value)),
        }
    }

    /// Renders the identifier of a record. It is needed to clean up, so it is shown unless it may be personal data,
    /// such as an email address.
    #[must_use]
    pub fn render_identifier(self, id: &str) -> String {
        if self == Self::Shown || is_printable_identifier(id) {
            printable(id)
        } else {
            hidden_identifier(id)
        }
    }

    /// Renders the identifier of a record that the run did not create. A name or the identifier of a session concerns
    /// somebody, so only a number is shown: one with at most nine digits, which is too short for a telephone number.
    #[must_use]
    pub fn render_identifier_of_another(self, id: &str) -> String {
        let is_number = (1..=LONGEST_NUMBER).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit());
        if self == Self::Shown || is_number {
            printable(id)
        } else {
            hidden_identifier(id)
        }
    }
}

fn hidden_identifier(id: &str) -> String {
    format!("<identifier({}): show-values reveals it>", id.chars().count())
}

/// The maximum number of digits that are shown of the identifier of another's record.
const LONGEST_NUMBER: usize = 9;
/// The maximum number of characters that are shown of a text.
const MAX_CHARACTERS: usize = 200;

/// Returns the beginning of a value as JSON, a little longer than the part that is shown: a value may be megabytes
/// long.
fn beginning(value: &Value) -> String {
    struct BoundedBuffer(Vec<u8>);
    impl std::io::Write for BoundedBuffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            // A character takes four bytes at most.
            let room = (4 * MAX_CHARACTERS + 4).saturating_sub(self.0.len());
            self.0.extend(bytes.iter().take(room));
            if room == 0 { Ok(0) } else { Ok(bytes.len().min(room)) }
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut buffer = BoundedBuffer(Vec::new());
    // This fails once the buffer is full.
    let _ = serde_json::to_writer(&mut buffer, value);
    let length = match std::str::from_utf8(&buffer.0) {
        Ok(text) => text.len(),
        Err(error) => error.valid_up_to(),
    };
    buffer.0.truncate(length);
    String::from_utf8(buffer.0).unwrap_or_default()
}

/// Returns the shape of a value, which contains nothing of the value but a length.
#[must_use]
pub fn shape(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "boolean".to_owned(),
        Value::Number(number) if number.is_f64() => "number".to_owned(),
        Value::Number(_) => "integer".to_owned(),
        Value::String(text) => format!("string({})", text.chars().count()),
        Value::Array(elements) => format!("array({})", elements.len()),
        Value::Object(_) => "object".to_owned(),
    }
}

/// Returns the text on one line, cut at 200 characters, without anything that a terminal or a CI system interprets.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut rendered: String = text.chars().take(MAX_CHARACTERS).collect();
    if text.chars().nth(MAX_CHARACTERS).is_some() {
        rendered.push('…');
    }
    // A value may be printed at the beginning of a line, wherever it is in its own text.
    let rendered = sanitize(&rendered, Colours::None).replace('\n', "\\n");
    // Wrapping may move any word of this text to the beginning of a line, where `::` begins a command of a CI system.
    rendered.replace("::", ": :")
}

/// Returns a media type as it may be printed: a known one as it is, any other as a shape, because it may be made up to
/// carry a value.
#[must_use]
pub fn render_media_type(media_type: &str) -> String {
    let known = [
        "application/json",
        "text/html",
        "text/plain",
        "application/problem+json",
        "application/xml",
        "text/xml",
        "application/octet-stream",
    ];
    let found = known.iter().find(|known| **known == media_type);
    found.map_or_else(
        || format!("another media type, string({})", media_type.chars().count()),
        |known| printable(known),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_shape_holds_nothing_of_the_value() {
        let reported: Vec<_> = [
            json!("Ada Example"),
            json!(4711),
            json!(1.5),
            json!(null),
            json!([1, 2]),
            json!({"a": 1}),
        ]
        .iter()
        .map(|value| ValueDisplay::Hidden.render(value))
        .collect();
        assert_eq!(
            reported,
            ["string(11)", "integer", "number", "null", "array(2)", "object"]
        );
    }

    #[test]
    fn the_identifier_of_anothers_record_is_shown_if_it_is_a_short_number() {
        let hidden = |id: &str| ValueDisplay::Hidden.render_identifier_of_another(id);
        assert_eq!(hidden("4711"), "4711");
        for id in [
            "ada.example",
            "5550100123",
            "0b9e8c1e-7d3a-4a53-9a86-3f4a3c3d2f10",
            "-1",
            "",
        ] {
            let length = id.len();
            assert_eq!(hidden(id), format!("<identifier({length}): show-values reveals it>"));
        }
        assert_eq!(
            ValueDisplay::Shown.render_identifier_of_another("ada.example"),
            "ada.example"
        );
    }

    #[test]
    fn shown_values_cannot_drive_a_terminal() {
        let reported = ValueDisplay::Shown.render(&json!("\u{1b}[2J ::error::"));
        assert!(!reported.contains('\u{1b}') && !reported.contains("::"), "{reported}");
    }
}
