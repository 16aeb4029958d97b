//! Converts OpenAPI 3.0 schemas to JSON Schema 2020-12, for what they assert beyond types and names: `enum`, `pattern`,
//! `format`, bounds, `oneOf`, `anyOf`, `not`.
//!
//! # Design
//!
//! Our own rules check types, fields and closed objects, because they treat null, missing and unlisted as three
//! different things. A well-maintained validator of JSON Schema decides the rest. The conversion turns `nullable` into
//! a type, a boolean `exclusiveMinimum` into a number and the integer formats into bounds, and drops what is next to a
//! reference (OpenAPI 3.0.3, section 4.7.23). What a later version states beyond 3.0 (`dialect`) becomes a part of its
//! own under `allOf`, so that no keyword of 3.0 is read along with it; only `unevaluatedProperties` and
//! `unevaluatedItems` stand next to the others, because they apply to what the others do not cover.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::dialect::ASSERTIONS_KEY;
use super::discriminator;
use super::document::{Document, Node, NodeKind};
use super::openapi::referred_pointer;
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

/// The keywords of [`ASSERTIONS_KEY`] that make an assertion by themselves.
const LATER_KEYWORDS: &[&str] = &[
    "prefixItems",
    "contains",
    "if",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// The keywords for the members and elements that the other keywords do not cover.
const UNEVALUATED: &[&str] = &["unevaluatedItems", "unevaluatedProperties"];

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

/// Returns what the schema at the pointer asserts beyond types and names, as a JSON Schema; `None` where the pointer
/// names nothing.
#[must_use]
pub fn asserted(document: &Document, schema: &str) -> Option<Value> {
    let node = document.node(schema)?;
    Some(match schema.strip_suffix("/discriminator") {
        Some(parent) if node.member("propertyName").is_some() => discriminated(document, parent),
        _ => assertions(document, node),
    })
}

/// Returns what the discriminator of a definition asserts: a value that names a definition which inherits from this one
/// must conform to that definition.
fn discriminated(document: &Document, parent: &str) -> Value {
    let mut converter = Converter {
        left_out: Some((document, "writeOnly")),
        ..Converter::default()
    };
    let property = document
        .node(parent)
        .and_then(discriminator::property)
        .unwrap_or_default();
    let children = discriminator::children(document, parent).into_iter();
    let parts = children.map(|(value, child)| {
        let reference = format!("#/$defs/{}", definition(&child));
        converter.references.insert(child);
        let named = json!({ "required": [property], "properties": { property: { "const": value } } });
        json!({ "if": named, "then": { "$ref": reference } })
    });
    let parts: Value = parts.collect();
    let mut converted = Map::new();
    converted.insert("allOf".to_owned(), parts);
    converter.define(document, &mut converted);
    Value::Object(converted)
}

/// Returns what the schema asserts beyond types and names, as a JSON Schema.
#[must_use]
pub fn assertions(document: &Document, node: &Node) -> Value {
    let mut converter = Converter::default();
    let mut converted = Map::new();
    for member in node
        .members()
        .iter()
        .filter(|member| KEYWORDS.contains(&member.name.as_str()))
    {
        converter.keyword(node, &member.name, &member.node, &mut converted);
    }
    if let Some(assertions) = node.member(ASSERTIONS_KEY) {
        if UNEVALUATED.iter().any(|keyword| assertions.member(keyword).is_some()) {
            converter.left_out = Some((document, "writeOnly"));
            converter.evaluated(node, &mut converted);
        }
        converter.assertions(assertions, &mut converted);
    }
    converter.define(document, &mut converted);
    Value::Object(converted)
}

/// Returns the whole schema at the pointer, types and names included, as a JSON Schema; `None` where the pointer names
/// nothing.
#[must_use]
pub fn convert(document: &Document, schema: &str) -> Option<Value> {
    Converter::default().whole(document, schema)
}

/// Returns the whole schema at the pointer as it binds a request, as a JSON Schema: a field that is read-only is not
/// required there (OpenAPI 3.0.3, section 4.7.24.2). `None` where the pointer names nothing.
#[must_use]
pub fn convert_for_request(document: &Document, schema: &str) -> Option<Value> {
    let mut converter = Converter {
        left_out: Some((document, "readOnly")),
        ..Converter::default()
    };
    converter.whole(document, schema)
}

/// Returns the asserting keywords that a schema has, always in the same order.
#[must_use]
pub fn keywords(schema: &Node) -> Vec<&'static str> {
    let present = |keyword: &&&str| match schema.member(keyword) {
        Some(format) if **keyword == "format" => format.string().is_some_and(|format| FORMATS.contains(&format)),
        found => found.is_some(),
    };
    let later = schema.member(ASSERTIONS_KEY);
    let later = LATER_KEYWORDS
        .iter()
        .filter(|keyword| later.is_some_and(|later| later.member(keyword).is_some()));
    KEYWORDS.iter().filter(present).chain(later).copied().collect()
}

/// Converts OpenAPI 3.0 schemas to JSON Schema 2020-12 and remembers what they refer to.
#[derive(Default)]
struct Converter<'document> {
    references: BTreeSet<String>,
    /// The document, and the flag of the fields that are not required here: `readOnly` in requests, `writeOnly` in
    /// responses.
    left_out: Option<(&'document Document, &'static str)>,
}

impl Converter<'_> {
    fn whole(&mut self, document: &Document, schema: &str) -> Option<Value> {
        let mut converted = self.schema(document.node(schema)?);
        if let Value::Object(root) = &mut converted {
            self.define(document, root);
        }
        Some(converted)
    }

    fn schema(&mut self, node: &Node) -> Value {
        if let Some(target) = referred_pointer(node) {
            let reference = json!({ "$ref": format!("#/$defs/{}", definition(&target)) });
            self.references.insert(target);
            return if says_nullable(node) {
                or_null(reference)
            } else {
                reference
            };
        }
        if !matches!(node.kind, NodeKind::Object(_)) {
            return node.to_value();
        }
        let mut converted = Map::new();
        for member in node.members() {
            self.keyword(node, &member.name, &member.node, &mut converted);
        }
        if says_nullable(node) {
            return admit_null(converted);
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
                let mut parts: Vec<_> = value.elements().iter().map(|part| self.schema(part)).collect();
                // With a discriminator, the value itself says which alternative it is. Other open alternatives may
                // admit it too, and documents do not mean that as an error.
                if name == "oneOf" && schema.member("discriminator").is_some() {
                    parts = vec![json!({ "anyOf": parts })];
                }
                converted.insert(name.to_owned(), Value::Array(parts));
            }
            "properties" => {
                let fields = value
                    .members()
                    .iter()
                    .map(|field| (field.name.to_string(), self.schema(&field.node)))
                    .collect();
                converted.insert(name.to_owned(), Value::Object(fields));
            }
            // The assertions state what members with unlisted names may be.
            "additionalProperties" if is_open_for_assertions(schema) => {}
            "not" | "items" | "additionalProperties" => {
                let inner = self.schema(value);
                converted.insert(name.to_owned(), inner);
            }
            "format" => format(value, converted),
            ASSERTIONS_KEY => self.assertions(value, converted),
            "$defs" | "definitions" => {}
            "required" if self.left_out.is_some() => {
                let names = value.elements().iter().filter(|name| !self.is_left_out(schema, name));
                converted.insert(name.to_owned(), names.map(Node::to_value).collect());
            }
            other if other.starts_with("x-") => {}
            other => {
                converted.insert(other.to_owned(), value.to_value());
            }
        }
    }

    /// Adds the keywords that OpenAPI 3.0 does not have.
    fn assertions(&mut self, assertions: &Node, converted: &mut Map<String, Value>) {
        let mut part = Map::new();
        for member in assertions.members() {
            let name = member.name.as_str();
            let value = match name {
                "dependentSchemas" | "patternProperties" | "properties" => {
                    let schemas = member.node.members().iter();
                    let schemas = schemas.map(|member| (member.name.to_string(), self.schema(&member.node)));
                    Value::Object(schemas.collect())
                }
                "prefixItems" => member.node.elements().iter().map(|item| self.schema(item)).collect(),
                "dependentRequired" | "maxContains" | "minContains" => member.node.to_value(),
                _ => self.schema(&member.node),
            };
            let target = if UNEVALUATED.contains(&name) {
                &mut *converted
            } else {
                &mut part
            };
            target.insert(name.to_owned(), value);
        }
        if !part.is_empty() {
            let all_of = converted.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(parts) = all_of {
                parts.push(Value::Object(part));
            }
        }
    }

    /// Adds `properties`, with the names alone, and `allOf`, so that `unevaluatedProperties` knows which names they
    /// evaluate.
    fn evaluated(&mut self, schema: &Node, converted: &mut Map<String, Value>) {
        let fields = schema.member("properties").map_or(&[][..], Node::members).iter();
        let names = fields.map(|field| (field.name.to_string(), Value::Bool(true)));
        converted.insert("properties".to_owned(), Value::Object(names.collect()));
        if let Some(parts) = schema.member("allOf") {
            self.keyword(schema, "allOf", parts, converted);
        }
    }

    /// Whether the field with this name has the flag, so that it is not required here.
    fn is_left_out(&self, schema: &Node, name: &Node) -> bool {
        let field = || schema.member("properties")?.member(name.string()?);
        let (Some(field), Some((document, flag))) = (field(), self.left_out) else {
            return false;
        };
        let target = referred_pointer(field).and_then(|target| document.node(&target));
        target.unwrap_or(field).member(flag).and_then(Node::boolean) == Some(true)
    }

    /// Adds every definition that is referred to, directly or not.
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

/// Returns a name for a definition that needs no escaping in a reference, and that no other definition has: `_` becomes
/// `__`, and any other special character becomes its number in hexadecimal between two underscores.
fn definition(target: &str) -> String {
    let mut name = String::with_capacity(target.len());
    for (index, token) in pointer::tokens(target).enumerate() {
        if index > 0 {
            name.push('.');
        }
        for character in token.chars() {
            match character {
                '_' => name.push_str("__"),
                '-' => name.push('-'),
                other if other.is_ascii_alphanumeric() => name.push(other),
                other => name.push_str(&format!("_{:x}_", u32::from(other))),
            }
        }
    }
    name
}

fn format(value: &Node, converted: &mut Map<String, Value>) {
    match value.string() {
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

/// Whether a schema admits unlisted names only so that keywords of [`ASSERTIONS_KEY`] decide about them.
fn is_open_for_assertions(schema: &Node) -> bool {
    let assertions = schema.member(ASSERTIONS_KEY);
    let has = |name: &str| assertions.is_some_and(|assertions| assertions.member(name).is_some());
    has("patternProperties") || has("unevaluatedProperties")
}

fn says_nullable(node: &Node) -> bool {
    node.member("nullable").and_then(Node::boolean) == Some(true)
}

/// `nullable` adds null to the type. Read literally it has no effect without a `type`, or with an `enum` that lacks
/// null (OpenAPI 3.0.3, proposal 2019-10-31), but nobody writes it to exclude null.
fn admit_null(mut schema: Map<String, Value>) -> Value {
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    match schema.get("type").cloned() {
        Some(kind) if !schema.contains_key("allOf") => {
            schema.insert("type".to_owned(), json!([kind, "null"]));
            Value::Object(schema)
        }
        _ => or_null(Value::Object(schema)),
    }
}

fn or_null(schema: Value) -> Value {
    let alternatives = vec![schema, json!({ "type": "null" })];
    Value::Object(Map::from_iter([("anyOf".to_owned(), Value::Array(alternatives))]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document::read("schema.yaml", text.to_owned()).unwrap()
    }

    #[test]
    fn bounds_and_null_are_written_as_json_schema_has_them() {
        let document =
            document("oneOf: [{type: string, nullable: true}, {maximum: 10, exclusiveMaximum: true, format: int32}]");
        let expected = json!({"oneOf": [
            {"type": ["string", "null"]},
            {"exclusiveMaximum": 10, "minimum": i32::MIN, "maximum": i32::MAX},
        ]});
        assert_eq!(asserted(&document, ""), Some(expected));
    }

    #[test]
    fn each_definition_has_a_name_of_its_own() {
        let pointers = [
            "/a b", "/a_b", "/a__b", "/a_20_b", "/a~1b", "/a/b", "/a.b", "/_", "/\u{e9}", "/~0",
        ];
        let names: BTreeSet<_> = pointers.iter().map(|pointer| definition(pointer)).collect();
        assert_eq!(names.len(), pointers.len(), "{names:?}");
        assert_eq!(definition("/components/schemas/Tag-1"), "components.schemas.Tag-1");
        let needs_no_escaping = |name: &String| {
            name.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        assert!(names.iter().all(needs_no_escaping), "{names:?}");
    }

    #[test]
    fn null_is_admitted_wherever_nullable_is_set() {
        let or_null = |schema: Value| json!({ "anyOf": [schema, { "type": "null" }] });
        let text = "oneOf: [{nullable: true, allOf: [{type: string}]}, {nullable: true, $ref: '#/defs/A'}, \
                    {type: string, nullable: true, enum: [a]}]\ndefs: {A: {}}\n";
        let expected = json!([
            or_null(json!({ "allOf": [{ "type": "string" }] })),
            or_null(json!({ "$ref": "#/$defs/defs.A" })),
            { "type": ["string", "null"], "enum": ["a", null] },
        ]);
        assert_eq!(asserted(&document(text), "").unwrap()["oneOf"], expected);
    }

    #[test]
    fn types_and_names_are_no_assertion_but_part_of_the_whole() {
        let document = document("{type: string, format: uuid, x-gap: [a]}");
        assert_eq!(asserted(&document, ""), Some(json!({"format": "uuid"})));
        assert_eq!(
            convert(&document, ""),
            Some(json!({"type": "string", "format": "uuid"}))
        );
    }

    #[test]
    fn a_format_that_is_only_an_annotation_makes_no_assertion() {
        assert!(keywords(&document("{type: string, format: password}").root).is_empty());
    }
}
