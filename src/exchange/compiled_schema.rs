//! Checks a value against a JSON Schema, with the `jsonschema` crate. The main type is [`CompiledSchema`].
//!
//! # Design
//!
//! A run asks for the same few schemas again and again: each body that it makes is checked field by field. So compiled
//! schemas are cached for the whole process, keyed by their text, which alone determines their meaning.

mod demand;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

/// The maximum number of schemas that are kept, and of bytes of each: a document may have any number of them.
const MAX_KEPT: usize = 256;
const LONGEST_KEPT: usize = 8 * 1024;

/// A compiled schema.
#[derive(Clone, Debug)]
pub(crate) enum CompiledSchema {
    /// A schema that can be checked.
    Compiled(Arc<jsonschema::Validator>),
    /// A schema that the validator cannot read, with the validator's reason.
    Unreadable(String),
}

impl CompiledSchema {
    /// Compiles a schema of draft 2020-12, unless it is known.
    pub(crate) fn compile(schema: Option<&Value>) -> Self {
        static KEPT: LazyLock<KeptSchemas> = LazyLock::new(KeptSchemas::default);
        match schema {
            Some(schema) => KEPT.compiled(schema),
            None => Self::Unreadable("the schema is missing".to_owned()),
        }
    }

    fn compile_anew(schema: &Value) -> Self {
        let options = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .with_format("byte", is_base64);
        match options.build(schema) {
            Ok(validator) => Self::Compiled(Arc::new(validator)),
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
        // Most values are valid, and checking that is faster than collecting errors.
        if validator.is_valid(value) {
            return None;
        }
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

/// Schemas that were compiled, by their text.
#[derive(Default)]
struct KeptSchemas(Mutex<HashMap<String, CompiledSchema>>);

impl KeptSchemas {
    /// Compiles a schema, unless it is kept. Where there is no more room, those that are kept go.
    fn compiled(&self, schema: &Value) -> CompiledSchema {
        let text = schema.to_string();
        if text.len() > LONGEST_KEPT {
            return CompiledSchema::compile_anew(schema);
        }
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().get(&text).cloned();
        known.unwrap_or_else(|| {
            let compiled = CompiledSchema::compile_anew(schema);
            let mut kept = kept();
            if kept.len() >= MAX_KEPT {
                kept.clear();
            }
            kept.insert(text, compiled.clone());
            compiled
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
    fn a_schema_is_compiled_once_while_there_is_room() {
        let kept = KeptSchemas::default();
        let validator = |schema: &Value| match kept.compiled(schema) {
            CompiledSchema::Compiled(validator) => validator,
            CompiledSchema::Unreadable(why) => panic!("{why}"),
        };
        let short = |length: usize| json!({ "maxLength": length });
        let first = validator(&short(1));
        assert!(Arc::ptr_eq(&first, &validator(&short(1))));
        assert!(!Arc::ptr_eq(&first, &validator(&short(2))));
        assert!(first.is_valid(&json!("a")) && !first.is_valid(&json!("ab")));
        assert!(validator(&short(2)).is_valid(&json!("ab")));
        for length in 0..2 * MAX_KEPT {
            validator(&short(length));
            assert!(kept.0.lock().unwrap().len() <= MAX_KEPT);
        }
        assert!(!Arc::ptr_eq(&first, &validator(&short(1))));
    }

    #[test]
    fn a_long_schema_is_not_kept() {
        let kept = KeptSchemas::default();
        let schema = json!({ "enum": ["a".repeat(LONGEST_KEPT)] });
        assert_eq!(kept.compiled(&schema).holds(&json!("b")), Some(false));
        assert!(kept.0.lock().unwrap().is_empty());
    }

    #[test]
    fn a_pattern_that_cannot_be_read_decides_nothing() {
        assert_eq!(holds("pattern: '('", &json!("x")), None);
    }
}
