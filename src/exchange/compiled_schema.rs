//! Checks a value against a JSON Schema, with the `jsonschema` crate. The main type is [`CompiledSchema`].

mod demand;

use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

/// A compiled schema.
#[derive(Debug)]
pub(crate) enum CompiledSchema {
    /// A schema that can be checked.
    Compiled(Box<jsonschema::Validator>),
    /// A schema that the validator cannot read, with the validator's reason.
    Unreadable(String),
}

impl CompiledSchema {
    /// Compiles a schema of draft 2020-12.
    pub(crate) fn compile(schema: Option<&Value>) -> Self {
        let Some(schema) = schema else {
            return Self::Unreadable("the schema is missing".to_owned());
        };
        let options = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .with_format("byte", is_base64);
        match options.build(schema) {
            Ok(validator) => Self::Compiled(Box::new(validator)),
            Err(error) => Self::Unreadable(error.masked().to_string()),
        }
    }

    /// Returns whether the value satisfies the schema, or `None` when the schema cannot be read.
    pub(crate) fn holds(&self, value: &Value) -> Option<bool> {
        match self {
            Self::Compiled(validator) => Some(validator.is_valid(value)),
            Self::Unreadable(_) => None,
        }
    }

    /// Returns what the schema demands and the value does not satisfy, such as `maxLength: 10`; empty where it
    /// satisfies all, or where the schema cannot be read. The text contains nothing of the value.
    pub(crate) fn unmet_demands(&self, value: &Value) -> String {
        match self {
            Self::Compiled(validator) => demand::unmet(validator.iter_errors(value)),
            Self::Unreadable(_) => String::new(),
        }
    }

    /// Returns the first reason why the value does not satisfy the schema; `None` where it does, or where the schema
    /// cannot be read.
    pub(crate) fn first_violation(&self, value: &Value) -> Option<Violation> {
        let Self::Compiled(validator) = self else {
            return None;
        };
        let error = validator.iter_errors(value).next()?;
        let missing = match error.kind() {
            ValidationErrorKind::Required { property } => property.as_str().map(str::to_owned),
            _ => None,
        };
        Some(Violation {
            keyword: error.kind().keyword().to_owned(),
            at: error.instance_path().as_str().to_owned(),
            missing,
        })
    }
}

/// Why a value does not satisfy a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The keyword that it does not satisfy.
    pub(crate) keyword: String,
    /// The location in the value, as a JSON pointer.
    pub(crate) at: String,
    /// The name of the field that is required there and missing.
    pub(crate) missing: Option<String>,
}

/// Returns whether the string is base64 (RFC 4648, section 4).
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::document::Document;
    use crate::contract::json_schema::asserted;

    fn holds(schema: &str, value: &Value) -> Option<bool> {
        let document = Document::read("schema.yaml", schema.to_owned()).unwrap();
        CompiledSchema::compile(asserted(&document, "").as_ref()).holds(value)
    }

    #[test]
    fn each_keyword_admits_and_rejects() {
        for (schema, good, bad) in [
            ("enum: [a, b]", json!("a"), json!("c")),
            ("pattern: '^#[0-9A-Fa-f]{6}$'", json!("#1A2B3C"), json!("red")),
            ("{maximum: 10, exclusiveMaximum: true}", json!(9), json!(10)),
            ("{format: int32}", json!(1), json!(3_000_000_000_u64)),
            (
                "{format: uuid}",
                json!("3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52"),
                json!("3f6f1f0e52a54c538d7a7a2f6f1f0e52"),
            ),
            (
                "{format: date-time}",
                json!("2024-05-17T09:30:00+02:00"),
                json!("2024-05-17 09:30"),
            ),
            ("{format: byte}", json!("aGk="), json!("a-b")),
            (
                "oneOf: [{type: string}, {type: integer, nullable: true}]",
                json!(null),
                json!(1.5),
            ),
        ] {
            assert_eq!(holds(schema, &good), Some(true), "{schema}");
            assert_eq!(holds(schema, &bad), Some(false), "{schema}");
        }
    }

    #[test]
    fn references_are_followed_and_may_be_recursive() {
        let text = "anyOf: [{$ref: '#/defs/Tree'}]\ndefs:\n  Tree:\n    type: object\n    properties:\n      below: {type: array, items: {$ref: '#/defs/Tree'}}\n";
        assert_eq!(holds(text, &json!({"below": [{"below": []}]})), Some(true));
        assert_eq!(holds(text, &json!({"below": [{"below": [1]}]})), Some(false));
    }

    #[test]
    fn a_pattern_that_cannot_be_read_decides_nothing() {
        assert_eq!(holds("pattern: '('", &json!("x")), None);
    }
}
