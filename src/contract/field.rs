//! The fields that a request body documents, at every depth. The main type is [`RequestField`].

use std::collections::HashSet;

use serde_json::Value;

use super::Contract;
use super::document::{Document, Member, Node};
use super::inferred::comparable_name;
use super::load::resolve;
use super::operation::{Operation, OperationId};
use super::pointer;
use super::shape::JsonType;
use super::vocabulary::EdgeCaseKind;

/// The depth to which fields are collected; bodies are drafted to the same depth.
const DEPTH: usize = 6;
/// The maximum number of fields that are kept of one body: a document with more is built to exhaust memory.
const MAX_FIELDS: usize = 500;
/// The maximum number of schemas that are read of one body: most of them may add no field.
const MAX_SCHEMAS: usize = 10_000;

/// A documented field of a request body, or an element of an array in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestField {
    /// The location in the body, with `*` for any element.
    pub pointer: String,
    /// Its type.
    pub json_type: JsonType,
    /// Whether null is documented for it.
    pub nullable: bool,
}

impl RequestField {
    /// Whether edge cases of this kind send this field with a value of another type than its own. For each type, these
    /// are the kinds that a parser is likely to fail on.
    pub(super) fn has_edge_case(&self, kind: EdgeCaseKind) -> bool {
        match kind {
            EdgeCaseKind::FieldNull => !self.nullable,
            EdgeCaseKind::FieldNumber | EdgeCaseKind::FieldObject => self.json_type == JsonType::String,
            EdgeCaseKind::FieldString => self.json_type != JsonType::String,
            EdgeCaseKind::FieldTrue => self.json_type != JsonType::Boolean,
            _ => false,
        }
    }
}

/// Whether an object with this name holds whatever callers want to keep with a record: a service neither reads nor
/// changes what it holds.
#[must_use]
pub(crate) fn holds_data_of_callers(name: &str) -> bool {
    const NAMES: [&str; 5] = ["annotations", "customfields", "labels", "metadata", "usermetadata"];
    NAMES.contains(&comparable_name(name).as_str())
}

/// The languages of two letters (ISO 639-1), without `id` (Indonesian) and `to` (Tongan), which are other names too.
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv \
                         dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia ie ig \
                         ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg \
                         mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn \
                         ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn tr ts tt tw \
                         ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// Returns the names in a map of one text in several languages: each is a language tag (RFC 5646) that begins with a
/// language of two letters, such as `en` or `pt-BR`. The result is empty for any other value: other names may identify
/// records.
pub(crate) fn languages_in(value: &Value) -> Vec<&str> {
    let is_subtag = |tag: &str| (2..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_like_tag = |name: &str| {
        let mut subtags = name.split(['-', '_']);
        subtags.next().is_some_and(|first| first.len() == 2) && subtags.all(is_subtag)
    };
    let is_language = |first: &str| LANGUAGES.split(' ').any(|language| language == first);
    let members = value.as_object().into_iter().flatten();
    let names = members.map(|(name, text)| (text.is_string() && is_like_tag(name)).then_some(name.as_str()));
    // Most objects have a longer name too, so hardly any name is looked up.
    let names = names.collect::<Option<Vec<_>>>().unwrap_or_default();
    let are_languages = names.iter().all(|name| name.get(..2).is_some_and(is_language));
    if are_languages { names } else { Vec::new() }
}

/// Returns the fields of a body with this schema, in the order of the schema. Fields without a type and fields for
/// responses alone are left out.
pub(super) fn fields(document: &Document, schema: &str) -> Vec<RequestField> {
    let mut fields = Vec::new();
    let mut left = MAX_SCHEMAS;
    collect(document, (schema, ""), (0, &mut left), &mut fields);
    fields
}

fn collect(
    document: &Document,
    (schema, at): (&str, &str),
    (depth, left): (usize, &mut usize),
    fields: &mut Vec<RequestField>,
) {
    if depth > DEPTH || *left == 0 || fields.len() >= MAX_FIELDS {
        return;
    }
    *left -= 1;
    let schema = resolve(document, schema.to_owned());
    let Some(node) = document.node(&schema) else {
        return;
    };
    if let Some(json_type) = node.text_of("type").and_then(JsonType::parse)
        && !at.is_empty()
        && fields.iter().all(|field| field.pointer != at)
    {
        let nullable = node.member("nullable").and_then(Node::boolean) == Some(true);
        fields.push(RequestField {
            pointer: at.to_owned(),
            json_type,
            nullable,
        });
    }
    for part in node.locations_in(&schema, "allOf") {
        collect(document, (&part, at), (depth + 1, left), fields);
    }
    let properties = pointer::join(&schema, "properties");
    for property in node.members_of("properties") {
        let below = pointer::join(&properties, &property.name);
        let stated = document.node(&resolve(document, below.clone()));
        if !stated.is_some_and(|stated| is_flagged(stated, "readOnly")) {
            let at = pointer::join(at, &property.name);
            collect(document, (&below, &at), (depth + 1, left), fields);
        }
    }
    if node.member("items").is_some() {
        let items = pointer::join(&schema, "items");
        collect(document, (&items, &pointer::join(at, "*")), (depth + 1, left), fields);
    }
}

/// Whether a schema has a keyword with the value `true`.
pub(crate) fn is_flagged(schema: &Node, keyword: &str) -> bool {
    schema.member(keyword).and_then(Node::boolean) == Some(true)
}

/// Whether a schema admits strings alone.
pub(super) fn is_string(schema: &Node) -> bool {
    schema.text_of("type") == Some("string")
}

/// Whether a schema admits any string, without a maximum length.
pub(crate) fn is_free_string(schema: &Node) -> bool {
    let states = |keyword: &&str| schema.member(keyword).is_some();
    is_string(schema) && !["enum", "format", "maxLength", "pattern"].iter().any(states)
}

impl Contract {
    /// Whether the field with this schema is read-only, so that no request has it.
    pub(crate) fn is_read_only(&self, schema: &Node) -> bool {
        is_flagged(self.referred(schema), "readOnly")
    }

    /// Returns the names of the top-level properties of an operation's body that are maps of texts: objects without
    /// documented members, whose members are strings of any kind.
    pub(crate) fn maps_in_body(&self, operation: OperationId) -> impl Iterator<Item = &str> {
        let maps = self.body_properties(operation);
        maps.filter(|property| self.is_map_of_texts(&property.node))
            .map(|property| property.name.as_str())
    }

    /// Whether a schema, or a part of its `allOf`, describes a map of texts.
    fn is_map_of_texts(&self, schema: &Node) -> bool {
        let node = self.referred(schema);
        let states = |node: &Node, keywords: &[&str]| keywords.iter().any(|keyword| node.member(keyword).is_some());
        let is_map = |node: &Node| {
            let text = node.member("additionalProperties").map(|text| self.referred(text));
            text.is_some_and(|text| is_string(text) && !states(text, &["enum", "format", "pattern"]))
        };
        let parts = node.elements_of("allOf");
        let mut nodes = parts.iter().map(|part| self.referred(part)).chain([node]);
        let says_more = ["properties", "anyOf", "oneOf", "enum"];
        nodes.clone().any(is_map) && !nodes.any(|node| states(node, &says_more))
    }

    /// Returns the top-level properties of an operation's body.
    pub(crate) fn body_properties(&self, operation: OperationId) -> impl Iterator<Item = &Member> {
        let schemas = self.body_schemas(operation).into_iter();
        schemas.flat_map(|node| node.members_of("properties"))
    }

    /// Whether an operation's body must have the top-level property of this name.
    pub(crate) fn requires_property(&self, operation: OperationId, name: &str) -> bool {
        let stated = self.body_schemas(operation).into_iter();
        let mut names = stated.flat_map(|node| node.elements_of("required"));
        names.any(|required| required.string() == Some(name))
    }

    /// Returns the schema of an operation's body and its `allOf` members, at any depth.
    pub(crate) fn body_schemas(&self, operation: OperationId) -> Vec<&Node> {
        let located = self.located_body_schemas(operation);
        located.into_iter().map(|(_, node)| node).collect()
    }

    /// Returns the same schemas, each with its pointer.
    pub(crate) fn located_body_schemas(&self, operation: OperationId) -> Vec<(String, &Node)> {
        let request = self.operation(operation).request_body.as_ref();
        let schema = request.and_then(|request| request.schema.clone());
        schema.map_or_else(Vec::new, |schema| with_all_of(&self.document, schema))
    }
}

/// Returns the names of the fields that the body of an operation must have, each once; also of those that an `allOf`
/// member requires. With each comes the location of its schema, where the body has one for it.
pub(super) fn required_fields<'document>(
    document: &'document Document,
    operation: &Operation,
) -> Vec<(&'document str, Option<String>)> {
    let schema = operation.request_body.as_ref().and_then(|body| body.schema.clone());
    schema.map_or_else(Vec::new, |schema| required_of(document, schema))
}

/// Returns the names of the fields that a schema requires: see [`required_fields`].
pub(super) fn required_of(document: &Document, schema: String) -> Vec<(&str, Option<String>)> {
    let schemas = with_all_of(document, schema);
    let stated = schemas.iter().flat_map(|(_, node)| node.member("required"));
    let mut seen = HashSet::new();
    let names = stated.flat_map(Node::elements).filter_map(Node::string);
    let names: Vec<_> = names.filter(|name| seen.insert(*name)).collect();
    let schema_of = |name: &str| {
        schemas.iter().find_map(|(schema, node)| {
            node.member("properties")?.member(name)?;
            Some(pointer::join(&pointer::join(schema, "properties"), name))
        })
    };
    names.into_iter().map(|name| (name, schema_of(name))).collect()
}

/// Returns a schema and its `allOf` members, at any depth, each with its pointer.
pub(super) fn with_all_of(document: &Document, schema: String) -> Vec<(String, &Node)> {
    let mut schemas = Vec::new();
    let mut pending = vec![schema];
    // The bound ends a schema that contains itself.
    for _ in 0..100 {
        let Some(schema) = pending.pop().map(|schema| resolve(document, schema)) else {
            break;
        };
        let Some(node) = document.node(&schema) else {
            continue;
        };
        pending.extend(node.locations_in(&schema, "allOf").rev());
        schemas.push((schema, node));
    }
    schemas
}

/// Returns the locations of the alternatives of a schema at this location: of its `oneOf`, and then of its `anyOf`.
pub(super) fn alternatives(at: &str, schema: &Node) -> Vec<String> {
    let keywords = ["oneOf", "anyOf"].into_iter();
    keywords.flat_map(|keyword| schema.locations_in(at, keyword)).collect()
}

#[cfg(test)]
mod tests {
    use crate::contract::testing::of_paths;

    use super::*;

    /// The fields of a body with this schema, each with its type.
    fn of(schema: &str, schemas: &str) -> Vec<String> {
        let body = format!("requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}");
        let path = format!("/things: {{put: {{operationId: put, {body}, responses: {{'200': {{description: a}}}}}}}}");
        let components = if schemas.is_empty() {
            String::new()
        } else {
            format!("schemas:\n  {schemas}")
        };
        let contract = of_paths(&path, &components).unwrap_or_else(|defect| panic!("{defect}"));
        let schema = contract.operations[0]
            .request_body
            .as_ref()
            .unwrap()
            .schema
            .as_ref()
            .unwrap();
        let fields = fields(&contract.document, schema);
        fields
            .iter()
            .map(|field| format!("{} {}", field.pointer, field.json_type.name()))
            .collect()
    }

    #[test]
    fn fields_are_found_at_every_depth_and_elements_too() {
        let day = "of: {type: object, properties: {day: {type: integer}}}";
        let list = "list: {type: array, items: {type: object, properties: {name: {type: string}}}}";
        assert_eq!(
            of(&format!("{{type: object, properties: {{{day}, {list}}}}}"), ""),
            [
                "/of object", "/of/day integer", "/list array", "/list/* object", "/list/*/name string"
            ]
        );
    }

    #[test]
    fn parts_and_references_are_followed_and_a_schema_within_itself_ends() {
        let node = "Node: {type: object, properties: {next: {$ref: '#/components/schemas/Node'}}}";
        let named = "{type: object, properties: {name: {type: string}}}";
        let all = of(
            &format!("{{allOf: [{named}, {{$ref: '#/components/schemas/Node'}}]}}"),
            node,
        );
        assert_eq!(all.iter().take(2).collect::<Vec<_>>(), ["/name string", "/next object"]);
        assert!(all.len() <= DEPTH + 1, "{all:?}");
    }

    #[test]
    fn what_has_no_type_or_is_for_responses_alone_is_no_field() {
        let schema = "{type: object, properties: {any: {}, id: {type: string, readOnly: true}, a: {type: boolean}}}";
        assert_eq!(of(schema, ""), ["/a boolean"]);
        let referred = "{type: object, properties: {id: {$ref: '#/components/schemas/Id'}, a: {type: boolean}}}";
        assert_eq!(of(referred, "Id: {type: string, readOnly: true}"), ["/a boolean"]);
        assert!(of("{type: array, items: {}}", "").is_empty());
    }

    #[test]
    fn parts_without_a_field_are_read_at_bounded_cost() {
        let level = |level: usize| {
            let part = format!("{{$ref: '#/components/schemas/L{}'}}", level + 1);
            format!("L{level}: {{allOf: [{}]}}\n  ", vec![part; 12].join(", "))
        };
        let schemas = (0..5).map(level).collect::<String>() + "L5: {type: object}";
        let work = crate::testing::work::of(|| {
            assert!(of("{$ref: '#/components/schemas/L0'}", &schemas).is_empty());
        });
        assert!(work < 2_000_000, "{work}");
    }

    #[test]
    fn each_type_has_its_wrong_ones() {
        use EdgeCaseKind::{FieldNull, FieldNumber, FieldObject, FieldString, FieldTrue};
        for (kind, nullable, wrong) in [
            (
                JsonType::String,
                false,
                &[FieldObject, FieldNumber, FieldTrue, FieldNull][..],
            ),
            (JsonType::String, true, &[FieldObject, FieldNumber, FieldTrue]),
            (JsonType::Object, false, &[FieldString, FieldTrue, FieldNull]),
            (JsonType::Array, false, &[FieldString, FieldTrue, FieldNull]),
            (JsonType::Integer, false, &[FieldString, FieldTrue, FieldNull]),
            (JsonType::Boolean, false, &[FieldString, FieldNull]),
        ] {
            let pointer = "/a".to_owned();
            let field = RequestField {
                pointer,
                json_type: kind,
                nullable,
            };
            let all = [FieldObject, FieldString, FieldNumber, FieldTrue, FieldNull];
            let can_be: Vec<_> = all.into_iter().filter(|kind| field.has_edge_case(*kind)).collect();
            assert_eq!(can_be, wrong, "{kind:?} {nullable}");
        }
    }
}
