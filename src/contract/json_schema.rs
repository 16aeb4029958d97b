//! Converts OpenAPI 3.0 schemas to JSON Schema 2020-12, for what they assert beyond types and names: `enum`, `pattern`,
//! `format`, bounds, `oneOf`, `anyOf`, `not`.
//!
//! # Design
//!
//! Our own rules check types, fields and closed objects, because they treat null, missing and unlisted as three
//! different things. A well-maintained validator of JSON Schema decides the rest. The conversion turns `nullable` into
//! a type, a boolean `exclusiveMinimum` into a number and the integer formats into bounds, and drops what is next to a
//! reference, except for `nullable` (OpenAPI 3.0.3, section 4.7.23). What a later version states beyond 3.0 (`dialect`)
//! becomes a part of its own under `allOf`, so that no keyword of 3.0 is read along with it; only
//! `unevaluatedProperties` and `unevaluatedItems` stand next to the others, because they apply to what the others do
//! not cover.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::dialect::LATER_KEYWORDS_KEY;
use super::discriminator;
use super::document::{Document, Node, NodeKind};
use super::field::is_flagged;
use super::openapi::referred_pointer;
use super::pointer;

/// The keywords that make an assertion.
const KEYWORDS: &[&str] = &[
    "enum", "pattern", "minLength", "maxLength", "minimum", "maximum", "multipleOf", "minItems", "maxItems",
    "uniqueItems", "minProperties", "maxProperties", "oneOf", "anyOf", "not", "format",
];

/// The keywords of [`LATER_KEYWORDS_KEY`] that make an assertion by themselves.
const ASSERTING_LATER_KEYWORDS: &[&str] = &[
    "prefixItems", "contains", "if", "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties",
];

/// The keywords for the members and elements that the other keywords do not cover.
const UNEVALUATED: &[&str] = &["unevaluatedItems", "unevaluatedProperties"];

/// The maximum number of schemas under `allOf` that are searched for fields that need not be present.
const MAX_CONJUNCTION: usize = 1000;

/// The formats that are checked; others are annotations (OpenAPI 3.0.3, section 4.4).
const FORMATS: &[&str] = &[
    "byte", "date", "date-time", "email", "hostname", "int32", "int64", "ipv4", "ipv6", "uri", "uuid",
];

/// Returns what the schema at the pointer asserts beyond types and names, as a JSON Schema; `None` where the pointer
/// names nothing.
#[must_use]
pub fn asserted(document: &Document, schema: &str) -> Option<Value> {
    let node = document.node(schema)?;
    Some(match schema.strip_suffix("/discriminator") {
        Some(parent) if node.member("propertyName").is_some() => discriminated(document, parent),
        _ => Converter::for_responses(document).assertions(document, node),
    })
}

/// Returns what the discriminator of a definition asserts: a value that names a definition which inherits from this one
/// must conform to that definition.
fn discriminated(document: &Document, parent: &str) -> Value {
    let mut converter = Converter::for_responses(document);
    let property = document
        .node(parent)
        .and_then(discriminator::property)
        .unwrap_or_default();
    let children = discriminator::children(document, parent).into_iter();
    let parts = children.map(|(value, child)| {
        let reference = format!("#/$defs/{}", definition(&child));
        converter.references.insert(Reference::to(child));
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
    Converter::default().assertions(document, node)
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
    let later = schema.member(LATER_KEYWORDS_KEY);
    let later = ASSERTING_LATER_KEYWORDS
        .iter()
        .filter(|keyword| later.is_some_and(|later| later.member(keyword).is_some()));
    KEYWORDS.iter().filter(present).chain(later).copied().collect()
}

/// Returns the schema that binds the names of an object's members, if there is one.
pub(crate) fn property_names(schema: &Node) -> Option<&Node> {
    schema.member(LATER_KEYWORDS_KEY)?.member("propertyNames")
}

/// Converts OpenAPI 3.0 schemas to JSON Schema 2020-12 and remembers what they refer to.
#[derive(Default)]
struct Converter<'document> {
    references: BTreeSet<Reference>,
    /// The document, and the flag of the fields that are not required here: `readOnly` in requests, `writeOnly` in
    /// responses.
    left_out: Option<(&'document Document, &'static str)>,
    /// The fields that the next schema need not require, because another part of its `allOf` has the flag on them.
    left_out_beside: BTreeSet<String>,
    /// Whether a schema under `not` or `if` is converted. A condition that requires less is met by more, so that the
    /// statement would be stricter: nothing is left out there.
    in_condition: bool,
}

/// A definition that is referred to, the fields that it need not require there, and whether that is in a condition.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Reference {
    target: String,
    left_out: BTreeSet<String>,
    in_condition: bool,
}

impl Reference {
    fn to(target: String) -> Self {
        Self {
            target,
            left_out: BTreeSet::new(),
            in_condition: false,
        }
    }

    /// Returns the name of the definition. No name that [`definition`] returns contains `!`.
    fn name(&self) -> String {
        let left_out = self.left_out.iter();
        let left_out = left_out.map(|field| format!("!{}", definition(&pointer::join("", field))));
        let in_condition = if self.in_condition { "!!" } else { "" };
        definition(&self.target) + &left_out.collect::<String>() + in_condition
    }
}

impl<'document> Converter<'document> {
    fn for_responses(document: &'document Document) -> Self {
        Self {
            left_out: Some((document, "writeOnly")),
            ..Self::default()
        }
    }

    fn assertions(mut self, document: &'document Document, node: &Node) -> Value {
        let mut converted = Map::new();
        for member in node
            .members()
            .iter()
            .filter(|member| KEYWORDS.contains(&member.name.as_str()))
        {
            self.keyword(node, &member.name, &member.node, &mut converted);
        }
        if let Some(later) = node.member(LATER_KEYWORDS_KEY) {
            if UNEVALUATED.iter().any(|keyword| later.member(keyword).is_some()) {
                self.left_out = Some((document, "writeOnly"));
                self.evaluated(node, &mut converted);
            }
            self.later_keywords(later, &mut converted);
        }
        self.define(document, &mut converted);
        Value::Object(converted)
    }

    fn whole(&mut self, document: &Document, schema: &str) -> Option<Value> {
        let mut converted = self.schema(document.node(schema)?);
        if let Value::Object(root) = &mut converted {
            self.define(document, root);
        }
        Some(converted)
    }

    fn schema(&mut self, node: &Node) -> Value {
        let beside = std::mem::take(&mut self.left_out_beside);
        if let Some(target) = referred_pointer(node) {
            let referred = Reference {
                target,
                left_out: beside,
                in_condition: self.in_condition,
            };
            let reference = json!({ "$ref": format!("#/$defs/{}", referred.name()) });
            self.references.insert(referred);
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
        let left_out = &beside | &self.left_out_of(node);
        for member in node.members() {
            match member.name.as_str() {
                "allOf" => self.all_of(&member.node, &left_out, &mut converted),
                name => self.keyword(node, name, &member.node, &mut converted),
            }
        }
        if let Some(Value::Array(required)) = converted.get_mut("required") {
            required.retain(|name| name.as_str().is_none_or(|name| !left_out.contains(name)));
        }
        if says_nullable(node) {
            return admit_null(converted);
        }
        Value::Object(converted)
    }

    /// Adds the parts of `allOf`, where these fields need not be present.
    fn all_of(&mut self, parts: &Node, left_out: &BTreeSet<String>, converted: &mut Map<String, Value>) {
        let document = self
            .left_out_here()
            .filter(|_| !left_out.is_empty())
            .map(|(document, _)| document);
        let parts = parts.elements().iter().map(|part| {
            let required = document.map_or_else(BTreeSet::new, |document| required_of(&conjunction(document, part)));
            self.left_out_beside = &required & left_out;
            self.schema(part)
        });
        converted.insert("allOf".to_owned(), parts.collect());
    }

    fn left_out_here(&self) -> Option<(&'document Document, &'static str)> {
        self.left_out.filter(|_| !self.in_condition)
    }

    /// Converts a schema whose admitting more makes the statement stricter.
    fn condition(&mut self, node: &Node) -> Value {
        let outer = std::mem::replace(&mut self.in_condition, self.left_out.is_some());
        let converted = self.schema(node);
        self.in_condition = outer;
        converted
    }

    /// Returns the fields that a schema and its `allOf` members require, and that need not be present here, because one
    /// of these schemas has the flag on them.
    fn left_out_of(&self, schema: &Node) -> BTreeSet<String> {
        let Some((document, flag)) = self.left_out_here() else {
            return BTreeSet::new();
        };
        let parts = conjunction(document, schema);
        let mut required = required_of(&parts);
        required.retain(|name| {
            let fields = parts.iter().filter_map(|part| part.member("properties")?.member(name));
            let mut flagged = fields.flat_map(|field| conjunction(document, field));
            flagged.any(|field| is_flagged(field, flag))
        });
        required
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
            "oneOf" | "anyOf" => {
                let mut parts: Vec<_> = value.elements().iter().map(|part| self.schema(part)).collect();
                // With a discriminator, the value itself says which alternative it is. Other open alternatives may
                // admit it too, and documents do not mean that as an error. Nor do they where a field that tells one
                // alternative from another is left out.
                let is_open = || value.elements().iter().any(|part| !self.left_out_of(part).is_empty());
                if name == "oneOf" && (schema.member("discriminator").is_some() || is_open()) {
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
            // These keywords state what members with unlisted names may be.
            "additionalProperties" if is_open_for_later_keywords(schema) => {}
            "not" => {
                let inner = self.condition(value);
                converted.insert(name.to_owned(), inner);
            }
            "items" | "additionalProperties" => {
                let inner = self.schema(value);
                converted.insert(name.to_owned(), inner);
            }
            "format" => format(value, converted),
            LATER_KEYWORDS_KEY => self.later_keywords(value, converted),
            "$defs" | "definitions" => {}
            other if other.starts_with("x-") => {}
            other => {
                converted.insert(other.to_owned(), value.to_value());
            }
        }
    }

    /// Adds the keywords that OpenAPI 3.0 does not have.
    fn later_keywords(&mut self, later: &Node, converted: &mut Map<String, Value>) {
        let mut part = Map::new();
        for member in later.members() {
            let name = member.name.as_str();
            let value = match name {
                "dependentSchemas" | "patternProperties" | "properties" => {
                    let schemas = member.node.members().iter();
                    let schemas = schemas.map(|member| (member.name.to_string(), self.schema(&member.node)));
                    Value::Object(schemas.collect())
                }
                "prefixItems" => member.node.elements().iter().map(|item| self.schema(item)).collect(),
                "dependentRequired" | "maxContains" | "minContains" => member.node.to_value(),
                "if" => self.condition(&member.node),
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
        let fields = schema.members_of("properties").iter();
        let names = fields.map(|field| (field.name.to_string(), Value::Bool(true)));
        converted.insert("properties".to_owned(), Value::Object(names.collect()));
        if let Some(parts) = schema.member("allOf") {
            let left_out = self.left_out_of(schema);
            self.all_of(parts, &left_out, converted);
        }
    }

    /// Adds every definition that is referred to, directly or not.
    fn define(&mut self, document: &Document, root: &mut Map<String, Value>) {
        let mut definitions = Map::new();
        while let Some(reference) = self.references.pop_first() {
            let name = reference.name();
            if !definitions.contains_key(&name) {
                definitions.insert(name.clone(), Value::Bool(true));
                let schema = document.node(&reference.target).map_or(Value::Bool(true), |node| {
                    self.left_out_beside = reference.left_out;
                    self.in_condition = reference.in_condition;
                    self.schema(node)
                });
                definitions.insert(name, schema);
            }
        }
        if !definitions.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(definitions));
        }
    }
}

/// Returns a schema and its `allOf` members, at any depth, with references and what is next to them.
fn conjunction<'node>(document: &'node Document, schema: &'node Node) -> Vec<&'node Node> {
    let (mut found, mut seen, mut pending) = (Vec::new(), HashSet::new(), vec![schema]);
    while let Some(node) = pending.pop() {
        if found.len() == MAX_CONJUNCTION {
            break;
        }
        if seen.insert(std::ptr::from_ref(node)) {
            found.push(node);
            match referred_pointer(node) {
                Some(target) => pending.extend(document.node(&target)),
                None => pending.extend(node.elements_of("allOf")),
            }
        }
    }
    found
}

/// Returns the names of the fields that one of the schemas requires.
fn required_of(schemas: &[&Node]) -> BTreeSet<String> {
    let lists = schemas.iter().filter_map(|schema| schema.member("required"));
    let names = lists.flat_map(Node::elements).filter_map(Node::string);
    names.map(str::to_owned).collect()
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

/// Whether a schema admits unlisted names only so that keywords of [`LATER_KEYWORDS_KEY`] decide about them.
fn is_open_for_later_keywords(schema: &Node) -> bool {
    let later = schema.member(LATER_KEYWORDS_KEY);
    let has = |name: &str| later.is_some_and(|later| later.member(name).is_some());
    has("patternProperties") || has("unevaluatedProperties")
}

fn says_nullable(node: &Node) -> bool {
    node.member("nullable").and_then(Node::boolean) == Some(true)
}

/// The keywords that may exclude null whatever the type is.
const EXCLUDING_NULL: [&str; 4] = ["allOf", "anyOf", "not", "oneOf"];

/// `nullable` adds null to the type. Read literally it has no effect without a `type`, or with an `enum` that lacks
/// null (OpenAPI 3.0.3, proposal 2019-10-31), but nobody writes it to exclude null.
fn admit_null(mut schema: Map<String, Value>) -> Value {
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    match schema.get("type").cloned() {
        Some(kind) if !EXCLUDING_NULL.iter().any(|keyword| schema.contains_key(*keyword)) => {
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
    fn null_is_admitted_whatever_the_alternatives_beside_nullable_exclude() {
        for keyword in [
            "oneOf: [{minProperties: 1}]",
            "anyOf: [{minProperties: 1}]",
            "not: {minProperties: 1}",
        ] {
            let text = format!("oneOf: [{{type: object, nullable: true, {keyword}}}]");
            let asserted = asserted(&document(&text), "").unwrap();
            assert_eq!(
                asserted["oneOf"][0]["anyOf"][1],
                json!({ "type": "null" }),
                "{asserted}"
            );
        }
    }

    const CVV: &str = "cvv: {type: string, writeOnly: true}";

    #[test]
    fn a_field_for_requests_alone_is_not_required_in_an_alternative_of_a_response() {
        let card = format!("{{required: [number, cvv], properties: {{{CVV}}}}}");
        for (alternative, expected) in [
            (card.clone(), json!(["number"])),
            (
                format!("{{required: [number, cvv], allOf: [{{properties: {{{CVV}}}}}]}}"),
                json!(["number"]),
            ),
            (
                "{required: [number, cvv], properties: {cvv: {allOf: [{$ref: '#/defs/Secret'}]}}}".to_owned(),
                json!(["number"]),
            ),
            ("{required: [number, cvv]}".to_owned(), json!(["number", "cvv"])),
        ] {
            let text = format!("anyOf: [{alternative}]\ndefs: {{Secret: {{writeOnly: true}}}}");
            let stated = document(&text);
            assert_eq!(
                asserted(&stated, "").unwrap()["anyOf"][0]["required"],
                expected,
                "{alternative}"
            );
            let whole = assertions(&stated, &stated.root);
            assert_eq!(whole["anyOf"][0]["required"], json!(["number", "cvv"]), "{alternative}");
        }
    }

    #[test]
    fn a_field_for_requests_alone_is_not_required_by_another_part_of_all_of() {
        let text = format!(
            "anyOf: [{{allOf: [{{$ref: '#/defs/Base'}}, {{required: [cvv]}}, {{properties: {{{CVV}}}}}]}}, \
             {{$ref: '#/defs/Base'}}]\ndefs: {{Base: {{required: [number, cvv]}}}}"
        );
        let asserted = asserted(&document(&text), "").unwrap();
        let parts = &asserted["anyOf"][0]["allOf"];
        assert_eq!(parts[0], json!({ "$ref": "#/$defs/defs.Base!cvv" }));
        assert_eq!(parts[1]["required"], json!([]));
        assert_eq!(asserted["anyOf"][1], json!({ "$ref": "#/$defs/defs.Base" }));
        let required = |name: &str| &asserted["$defs"][name]["required"];
        assert_eq!(required("defs.Base!cvv"), &json!(["number"]));
        assert_eq!(required("defs.Base"), &json!(["number", "cvv"]));
    }

    #[test]
    fn a_condition_requires_what_it_says() {
        let card = format!("{{required: [cvv], properties: {{{CVV}}}}}");
        for condition in [
            format!("not: {card}"),
            "not: {$ref: '#/defs/Card'}".to_owned(),
            "not: {allOf: [{$ref: '#/defs/Card'}]}".to_owned(),
        ] {
            let stated = document(&format!("{condition}\ndefs: {{Card: {card}}}"));
            let schema = jsonschema::validator_for(&asserted(&stated, "").unwrap()).unwrap();
            assert!(schema.is_valid(&json!({ "number": "1" })), "{condition}");
            assert!(!schema.is_valid(&json!({ "cvv": "1" })), "{condition}");
        }
    }

    #[test]
    fn alternatives_that_only_a_field_for_requests_alone_tells_apart_may_both_match() {
        let text = format!("oneOf: [{{required: [cvv], properties: {{{CVV}}}}}, {{required: [iban]}}]");
        assert!(asserted(&document(&text), "").unwrap()["oneOf"][0]["anyOf"].is_array());
        let text = "oneOf: [{required: [number]}, {required: [iban]}]";
        assert_eq!(
            asserted(&document(text), "").unwrap()["oneOf"][1],
            json!({ "required": ["iban"] })
        );
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
