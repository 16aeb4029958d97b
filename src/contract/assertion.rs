//! What a schema asserts beyond types and names (`enum`, `pattern`, `format`, bounds, `oneOf`, `anyOf`, `not`),
//! compiled for the `jsonschema` crate. The main type is [`Assertion`].
//!
//! # Design
//!
//! Types, fields and closed objects are walked by our own rules, because null, missing and unlisted are three different
//! things to us. The rest is JSON Schema's ground, so a well-kept validator decides it. OpenAPI 3.0 schemas are
//! converted to draft 2020-12: `nullable` becomes a type, a boolean `exclusiveMinimum` a number, what stands beside a
//! reference is dropped (OpenAPI 3.0.3, section 4.7.23), the integer formats become bounds.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::document::{Document, Kind, Node};
use super::openapi::local_pointer;
use super::pointer;

/// The keywords that make an assertion.
const KEYWORDS: &[&str] = &[
    "enum",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "oneOf",
    "anyOf",
    "not",
    "format",
];

/// The formats that are checked; others are annotations (OpenAPI 3.0.3, section 4.4).
const FORMATS: &[&str] = &[
    "byte",
    "date",
    "date-time",
    "email",
    "hostname",
    "int32",
    "int64",
    "ipv4",
    "ipv6",
    "uri",
    "uuid",
];

/// A compiled assertion.
#[derive(Debug)]
pub enum Assertion {
    /// One that can be asked.
    Compiled(Box<jsonschema::Validator>),
    /// One that the validator cannot read, with its reason.
    Unreadable(String),
}

impl Assertion {
    /// Compiles what the schema at the pointer asserts.
    #[must_use]
    pub fn compile(document: &Document, schema: &str) -> Self {
        let Some(node) = document.node(schema) else {
            return Self::Unreadable(format!("`{schema}` names nothing"));
        };
        let mut converter = Converter {
            references: BTreeSet::new(),
        };
        let mut converted = Map::new();
        for member in node
            .members()
            .iter()
            .filter(|member| KEYWORDS.contains(&member.name.as_str()))
        {
            converter.keyword(node, &member.name, &member.node, &mut converted);
        }
        converter.define(document, &mut converted);
        Self::build(&Value::Object(converted))
    }

    /// Compiles the whole schema at the pointer, types and names included.
    #[must_use]
    pub fn compile_whole(document: &Document, schema: &str) -> Self {
        let Some(node) = document.node(schema) else {
            return Self::Unreadable(format!("`{schema}` names nothing"));
        };
        let mut converter = Converter {
            references: BTreeSet::new(),
        };
        let Value::Object(mut converted) = converter.schema(node) else {
            return Self::build(&Value::Bool(true));
        };
        converter.define(document, &mut converted);
        Self::build(&Value::Object(converted))
    }

    fn build(schema: &Value) -> Self {
        let options = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .with_format("byte", is_base64);
        match options.build(schema) {
            Ok(validator) => Self::Compiled(Box::new(validator)),
            Err(error) => Self::Unreadable(error.masked().to_string()),
        }
    }

    /// Whether the value satisfies the assertion; none when it cannot be read.
    #[must_use]
    pub fn holds(&self, value: &Value) -> Option<bool> {
        match self {
            Self::Compiled(validator) => Some(validator.is_valid(value)),
            Self::Unreadable(_) => None,
        }
    }
}

/// The asserting keywords that a schema has, in the order of [`KEYWORDS`].
pub(super) fn keywords(schema: &Node) -> Vec<&'static str> {
    let present = |keyword: &&&str| match schema.member(keyword) {
        Some(format) if **keyword == "format" => format.text().is_some_and(|format| FORMATS.contains(&format)),
        found => found.is_some(),
    };
    KEYWORDS.iter().filter(present).copied().collect()
}

/// RFC 4648, section 4.
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

/// Converts OpenAPI 3.0 schemas to JSON Schema 2020-12 and remembers what they refer to.
struct Converter {
    references: BTreeSet<String>,
}

impl Converter {
    fn schema(&mut self, node: &Node) -> Value {
        if let Some(target) = node.member("$ref").and_then(Node::text).and_then(local_pointer) {
            let reference = json!({ "$ref": format!("#/$defs/{}", definition(&target)) });
            self.references.insert(target);
            return reference;
        }
        let Kind::Object(members) = &node.kind else {
            return node.to_value();
        };
        let mut converted = Map::new();
        for member in members {
            self.keyword(node, &member.name, &member.node, &mut converted);
        }
        if node.member("nullable").and_then(Node::boolean) == Some(true) {
            admit_null(&mut converted);
        }
        Value::Object(converted)
    }

    fn keyword(&mut self, schema: &Node, name: &str, value: &Node, converted: &mut Map<String, Value>) {
        match name {
            "minimum" | "maximum" => {
                let exclusive = if name == "minimum" {
                    "exclusiveMinimum"
                } else {
                    "exclusiveMaximum"
                };
                let strict = schema.member(exclusive).and_then(Node::boolean) == Some(true);
                converted.insert((if strict { exclusive } else { name }).to_owned(), value.to_value());
            }
            "exclusiveMinimum" | "exclusiveMaximum" | "nullable" | "discriminator" | "example" | "xml"
            | "externalDocs" | "readOnly" | "writeOnly" | "deprecated" | "default" | "description" | "title" => {}
            "oneOf" | "anyOf" | "allOf" => {
                let parts = value.elements().iter().map(|part| self.schema(part)).collect();
                converted.insert(name.to_owned(), Value::Array(parts));
            }
            "properties" => {
                let fields = value
                    .members()
                    .iter()
                    .map(|field| (field.name.clone(), self.schema(&field.node)))
                    .collect();
                converted.insert(name.to_owned(), Value::Object(fields));
            }
            "not" | "items" | "additionalProperties" => {
                let inner = self.schema(value);
                converted.insert(name.to_owned(), inner);
            }
            "format" => format(value, converted),
            other if other.starts_with("x-") => {}
            other => {
                converted.insert(other.to_owned(), value.to_value());
            }
        }
    }

    /// Adds every definition that is reached, and what those reach.
    fn define(&mut self, document: &Document, root: &mut Map<String, Value>) {
        let mut definitions = Map::new();
        while let Some(target) = self.references.pop_first() {
            let name = definition(&target);
            if !definitions.contains_key(&name) {
                definitions.insert(name.clone(), Value::Bool(true));
                let schema = document
                    .node(&target)
                    .map_or(Value::Bool(true), |node| self.schema(node));
                definitions.insert(name, schema);
            }
        }
        if !definitions.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(definitions));
        }
    }
}

/// A name for a definition that needs no escaping in a reference.
fn definition(target: &str) -> String {
    pointer::tokens(target)
        .collect::<Vec<_>>()
        .join(".")
        .replace(['/', '~', '%', ' ', '#', '{', '}'], "_")
}

fn format(value: &Node, converted: &mut Map<String, Value>) {
    match value.text() {
        Some("int32") => bounds(converted, i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("int64") => bounds(converted, i64::MIN, i64::MAX),
        Some(format) if FORMATS.contains(&format) => {
            converted.insert("format".to_owned(), Value::from(format));
        }
        _ => {}
    }
}

fn bounds(converted: &mut Map<String, Value>, minimum: i64, maximum: i64) {
    converted.entry("minimum").or_insert_with(|| minimum.into());
    converted.entry("maximum").or_insert_with(|| maximum.into());
}

/// OpenAPI's `nullable` widens the type; an `enum` must name null itself (OpenAPI 3.0.3, proposal 2019-10-31).
fn admit_null(schema: &mut Map<String, Value>) {
    if let Some(kind) = schema.get("type").cloned() {
        schema.insert("type".to_owned(), json!([kind, "null"]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(schema: &str, value: &Value) -> Option<bool> {
        let document = Document::read("schema.yaml", schema.to_owned()).unwrap();
        Assertion::compile(&document, "").holds(value)
    }

    #[test]
    fn each_keyword_admits_and_refuses() {
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
    fn a_format_that_is_only_an_annotation_makes_no_assertion() {
        let document = Document::read("schema.yaml", "{type: string, format: password}".to_owned()).unwrap();
        assert!(keywords(&document.root).is_empty());
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
