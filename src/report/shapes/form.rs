//! The form of a value that is neither an object nor an array. The main type is [`ValueForm`].

use serde_json::Value;
use uuid::Uuid;

use crate::contract::shape::JsonType;

/// The form of a value. The order is the one in which the variants of a location are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueForm {
    Uuid,
    UuidWithoutHyphens,
    Timestamp(Separator, Zone),
    Date,
    DateWithSlashes,
    Text,
    Boolean,
    Integer,
    Number,
    /// An object whose keys the contract leaves to the target.
    Map,
    /// Stands for the items or the created record, where only what is around them is shown
    /// (`ResponseShapes::envelopes`).
    Resource,
    /// Shown as `blank`.
    EmptyString,
    Null,
    NotJson,
    NoBody,
}

/// The separator between date and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Separator {
    Letter,
    Space,
}

/// How a timestamp gives its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Zone {
    Utc,
    Offset,
    Missing,
}

impl ValueForm {
    pub(super) const ALL: [Self; 20] = [
        Self::Uuid,
        Self::UuidWithoutHyphens,
        Self::Timestamp(Separator::Letter, Zone::Utc),
        Self::Timestamp(Separator::Letter, Zone::Offset),
        Self::Timestamp(Separator::Letter, Zone::Missing),
        Self::Timestamp(Separator::Space, Zone::Utc),
        Self::Timestamp(Separator::Space, Zone::Offset),
        Self::Timestamp(Separator::Space, Zone::Missing),
        Self::Date,
        Self::DateWithSlashes,
        Self::Text,
        Self::Boolean,
        Self::Integer,
        Self::Number,
        Self::Map,
        Self::Resource,
        Self::EmptyString,
        Self::Null,
        Self::NotJson,
        Self::NoBody,
    ];

    /// Returns the form of a value; none for objects and arrays.
    pub(super) fn of(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Array(_) | Value::Object(_) => return None,
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) if JsonType::Integer.admits(value) => Self::Integer,
            Value::Number(_) => Self::Number,
            Value::String(text) => Self::of_text(text),
        })
    }

    fn of_text(text: &str) -> Self {
        if text.is_empty() {
            return Self::EmptyString;
        }
        // The parser accepts four spellings; services use only these two.
        match (Uuid::try_parse(text).is_ok(), text.len()) {
            (true, 36) => return Self::Uuid,
            (true, 32) => return Self::UuidWithoutHyphens,
            _ => {}
        }
        let digits: String = text
            .chars()
            .map(|letter| if letter.is_ascii_digit() { '9' } else { letter })
            .collect();
        match digits.as_str() {
            "9999-99-99" => Self::Date,
            "99/99/9999" => Self::DateWithSlashes,
            other => timestamp(other).unwrap_or(Self::Text),
        }
    }

    /// Whether this means that a field is unset.
    pub(super) fn is_unset(self) -> bool {
        matches!(self, Self::EmptyString | Self::Null)
    }

    /// Whether the other form covers this one at a location that shows both: the free text of one record may look like
    /// a date, and a number may happen to be whole.
    pub(super) fn is_covered_by(self, other: Self) -> bool {
        match other {
            // The forms before it in the order are the special forms of a string.
            Self::Text => self < Self::Text,
            Self::Number => self == Self::Integer,
            _ => false,
        }
    }

    /// Returns the JSON type of the form; none for null, placeholders and bodies without JSON.
    pub(super) fn json_type(self) -> Option<JsonType> {
        match self {
            Self::Boolean => Some(JsonType::Boolean),
            Self::Integer => Some(JsonType::Integer),
            Self::Number => Some(JsonType::Number),
            Self::Map => Some(JsonType::Object),
            Self::Resource | Self::Null | Self::NotJson | Self::NoBody => None,
            _ => Some(JsonType::String),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Uuid => "uuid",
            Self::UuidWithoutHyphens => "uuid without hyphens",
            Self::Timestamp(Separator::Letter, Zone::Utc) => "timestamp with Z",
            Self::Timestamp(Separator::Letter, Zone::Offset) => "timestamp with an offset",
            Self::Timestamp(Separator::Letter, Zone::Missing) => "timestamp without a zone",
            Self::Timestamp(Separator::Space, Zone::Utc) => "timestamp with a space and Z",
            Self::Timestamp(Separator::Space, Zone::Offset) => "timestamp with a space and an offset",
            Self::Timestamp(Separator::Space, Zone::Missing) => "timestamp with a space, without a zone",
            Self::Date => "date",
            Self::DateWithSlashes => "date with slashes",
            Self::Text => "text",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Map => "object with keys of its own",
            Self::Resource => "the resource",
            Self::EmptyString => "blank",
            Self::Null => "null",
            Self::NotJson => "not JSON",
            Self::NoBody => "none",
        }
    }
}

/// Reads a timestamp with every digit replaced by `9`. The number of decimals is ignored, because it varies with the
/// value.
fn timestamp(digits: &str) -> Option<ValueForm> {
    let rest = digits.strip_prefix("9999-99-99")?;
    let separator = match rest.get(..1)? {
        "T" => Separator::Letter,
        " " => Separator::Space,
        _ => return None,
    };
    let rest = rest[1..].strip_prefix("99:99:99")?;
    let zone = match rest.strip_prefix('.') {
        Some(decimals) => decimals.trim_start_matches('9'),
        None => rest,
    };
    let zone = match zone {
        "Z" => Zone::Utc,
        "+99:99" | "-99:99" | "+9999" | "-9999" => Zone::Offset,
        "" => Zone::Missing,
        _ => return None,
    };
    Some(ValueForm::Timestamp(separator, zone))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_value_has_its_form() {
        for (value, form) in [
            (json!("3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52"), "uuid"),
            (json!("3F6F1F0E-52A5-4C53-8D7A-7A2F6F1F0E52"), "uuid"),
            (json!("3f6f1f0e52a54c538d7a7a2f6f1f0e52"), "uuid without hyphens"),
            (json!("2024-05-17T09:30:00Z"), "timestamp with Z"),
            (json!("2024-05-17T09:30:00.250Z"), "timestamp with Z"),
            (json!("2024-05-17T09:30:00+02:00"), "timestamp with an offset"),
            (json!("2024-05-17T09:30:00"), "timestamp without a zone"),
            (json!("2024-05-17 09:30:00.5"), "timestamp with a space, without a zone"),
            (json!("1990-02-28"), "date"),
            (json!("28/02/1990"), "date with slashes"),
            (json!("2024-05-17T09:30"), "text"),
            (json!("2024-05-17é"), "text"),
            (json!("Ada"), "text"),
            (json!(""), "blank"),
            (json!(7.0), "integer"),
            (json!(7.5), "number"),
            (json!(true), "boolean"),
            (json!(null), "null"),
        ] {
            assert_eq!(ValueForm::of(&value).map(ValueForm::name), Some(form), "{value}");
        }
        assert_eq!(ValueForm::of(&json!([])), None);
    }

    #[test]
    fn no_two_forms_have_one_name() {
        let names: std::collections::BTreeSet<_> = ValueForm::ALL.map(ValueForm::name).into();
        assert_eq!(names.len(), ValueForm::ALL.len());
    }
}
