//! The steps on answers, which an overlay states under `x-answers`: what a request must have, what the response to an
//! update shows, and what the documentation says about them. Without an overlay they change nothing.
//!
//! # Design
//!
//! An answer is about one operation, while a schema is often used by several. So a body gets a schema of its own if
//! another operation that uses its schema does not require the same fields: `createContact` takes a
//! `CreateContactBody`, the name that the generator gives to a body whose schema has none. A schema keeps its name only
//! if every operation that uses it requires the same fields.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToPascalCase;
use serde_json::{Map, Value, json};

use super::GenerateError;
use super::operations::{for_each_root_schema, operations_mut, response_schemas_mut, values_mut};
use super::schemas::{SCHEMA_REFERENCE_PREFIX, each_schema, object_at, resolve};
use crate::contract::learned::{ANSWERS_KEY, in_words};
use crate::contract::pointer;

/// Marks the schema of a response that only an answer shows.
pub(crate) const LEARNED: &str = "x-countersign-learned";

/// An `allOf` that is nested deeper than this leads back to itself.
const MAX_DEPTH: usize = 32;

/// Makes those fields required that a service was found to require.
pub(super) fn require_fields(document: &mut Value) -> Result<(), GenerateError> {
    let required = required_fields(document);
    let original = document.clone();
    let mut named = Map::new();
    for (_, _, operation) in operations_mut(document) {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        let Some(fields) = required.get(&id) else { continue };
        for schema in values_mut(operation.pointer_mut("/requestBody/content")).filter_map(|it| it.get_mut("schema")) {
            let addition = addition(schema, fields, &original)?;
            match schema["$ref"]
                .as_str()
                .and_then(|it| it.strip_prefix(SCHEMA_REFERENCE_PREFIX))
            {
                None => add(schema, addition),
                Some(name) if is_required_by_all(name, &fields.names(), &required, &original) => {
                    let shared = named
                        .entry(name.to_owned())
                        .or_insert_with(|| original["components"]["schemas"][name].clone());
                    if shared == &original["components"]["schemas"][name] {
                        add(shared, addition);
                    }
                }
                Some(name) => {
                    let mut own = resolve(schema, &original)?.clone();
                    let about = format!("The body of `{id}`, which requires more fields than `{name}`.");
                    describe(&mut own, &about, ParagraphPosition::First);
                    add(&mut own, addition);
                    let own_name = unused(&format!("{}Body", id.to_pascal_case()), &original);
                    *schema = json!({ "$ref": format!("{SCHEMA_REFERENCE_PREFIX}{own_name}") });
                    named.insert(own_name, own);
                }
            }
        }
    }
    name_schemas(document, named);
    Ok(())
}

/// The fields that the body of an operation must have.
#[derive(Default)]
struct Required {
    /// The pointer of each field in the body (with `*` for array elements), and where its answer is stated.
    fields: BTreeMap<String, String>,
}

impl Required {
    fn names(&self) -> BTreeSet<&str> {
        self.fields.keys().map(String::as_str).collect()
    }
}

/// Returns what each operation requires, by its id; an operation that requires nothing is not among them.
fn required_fields(document: &Value) -> BTreeMap<String, Required> {
    let mut required = BTreeMap::<String, Required>::new();
    for answer in answers(document, "required-fields") {
        let names = answer.claim["required"].as_array().into_iter().flatten();
        for name in names.filter_map(Value::as_str) {
            let of_operation = required.entry(answer.operation.clone()).or_default();
            of_operation.fields.insert(name.to_owned(), answer.pointer.clone());
        }
    }
    required
}

/// Whether every reference to a schema is the body of an operation that requires these fields.
fn is_required_by_all(
    name: &str,
    fields: &BTreeSet<&str>,
    required: &BTreeMap<String, Required>,
    document: &Value,
) -> bool {
    let reference = json!({ "$ref": format!("{SCHEMA_REFERENCE_PREFIX}{name}") });
    let mut document = document.clone();
    let mut bodies = 0;
    for (_, _, operation) in operations_mut(&mut document) {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        if required.get(&id).is_some_and(|it| it.names() == *fields) {
            let media = values_mut(operation.pointer_mut("/requestBody/content"));
            bodies += media.filter(|media| media["schema"] == reference).count();
        }
    }
    bodies == count(&document, &reference)
}

/// Returns how often `part` is in `value`.
fn count(value: &Value, part: &Value) -> usize {
    let inner = match value {
        Value::Array(values) => values.iter().map(|inner| count(inner, part)).sum(),
        Value::Object(entries) => entries.values().map(|inner| count(inner, part)).sum(),
        _ => 0,
    };
    inner + usize::from(value == part)
}

/// Returns what to add to `schema`, as a part of its `allOf`, so that it requires the fields. The fields may be in a
/// schema that others refer to as well, so that schema cannot be changed.
fn addition(schema: &Value, required: &Required, document: &Value) -> Result<Value, GenerateError> {
    let mut addition = json!({});
    for (field, answer) in &required.fields {
        let tokens: Vec<_> = pointer::tokens(field).collect();
        let tokens: Vec<_> = tokens.iter().map(String::as_str).collect();
        let (Some((last, above)), true) = (tokens.split_last(), has(schema, &tokens, document, 0)) else {
            return Err(GenerateError {
                pointer: answer.clone(),
                message: format!(
                    "the request has no field `{field}`; correct the answer, or run `countersign learn` again"
                ),
            });
        };
        let mut at = &mut addition;
        for token in above {
            at = match *token {
                "*" => &mut at["items"],
                name => &mut at["properties"][name],
            };
        }
        match at["required"].as_array_mut() {
            Some(names) => names.push(json!(last)),
            None => at["required"] = json!([last]),
        }
    }
    Ok(addition)
}

/// Whether the values that `schema` describes may have a field at this location.
fn has(schema: &Value, tokens: &[&str], document: &Value, depth: usize) -> bool {
    let (Ok(schema), true) = (resolve(schema, document), depth < MAX_DEPTH) else {
        return false;
    };
    let inner = match tokens {
        [] => return true,
        ["*", ..] => schema.get("items"),
        [name, ..] => schema.get("properties").and_then(|properties| properties.get(*name)),
    };
    let mut parts = schema["allOf"].as_array().into_iter().flatten();
    inner.is_some_and(|inner| has(inner, &tokens[1..], document, 0))
        || parts.any(|part| has(part, tokens, document, depth + 1))
}

/// Adds a part to the `allOf` of a schema.
fn add(schema: &mut Value, part: Value) {
    if schema.get("$ref").is_some() {
        *schema = json!({ "allOf": [schema.take()] });
    }
    match schema["allOf"].as_array_mut() {
        Some(parts) => parts.push(part),
        None => schema["allOf"] = json!([part]),
    }
}

/// Documents the body that a service was found to return from an update.
pub(super) fn type_responses(document: &mut Value) -> Result<(), GenerateError> {
    let original = document.clone();
    let mut named = Map::new();
    for answer in answers(&original, "update-response-body") {
        let names = answer.claim["properties"].as_array().into_iter().flatten();
        let names: Vec<_> = names.filter_map(Value::as_str).collect();
        let found = operations_mut(document).find(|(_, _, operation)| operation["operationId"] == *answer.operation);
        let Some((_, _, operation)) = found.filter(|_| answer.claim["body"] == "object" && !names.is_empty()) else {
            continue;
        };
        let shown = shown_elsewhere(operation, &original)?;
        let section = operation["x-document"].clone();
        let Some(response) = only_success(operation).filter(|response| response.get("content").is_none()) else {
            continue;
        };
        let field = |name: &str| shown.iter().find_map(|schema| property(schema, name, &original, 0));
        let fields = names
            .iter()
            .map(|name| ((*name).to_owned(), field(name).unwrap_or_default()));
        let about = format!(
            "What a service was found to return from `{}`; the document does not show it. Whatever else it returns, a \
             field that cannot be read is `None`, and the call succeeds.",
            answer.operation
        );
        let mut schema = json!({ "description": about, "type": "object", LEARNED: true });
        schema["properties"] = Value::Object(fields.map(|(name, field)| (name, or_any_value(field))).collect());
        if section.is_string() {
            schema["x-document"] = section;
        }
        let name = unused(&format!("{}Response", answer.operation.to_pascal_case()), &original);
        let reference = json!({ "$ref": format!("{SCHEMA_REFERENCE_PREFIX}{name}") });
        response["content"] = json!({ "application/json": { "schema": reference } });
        named.insert(name, schema);
    }
    name_schemas(document, named);
    Ok(())
}

/// Returns the schema, or one that allows any value if it is null.
fn or_any_value(schema: Value) -> Value {
    if schema.is_null() { json!({}) } else { schema }
}

/// Returns the documented success if it is the only one: of several, each may have a body of its own.
fn only_success(operation: &mut Value) -> Option<&mut Value> {
    let responses = operation.get_mut("responses")?.as_object_mut()?.iter_mut();
    let mut successes = responses.filter(|(status, _)| status.starts_with('2'));
    let (_, only) = successes.next()?;
    successes.next().is_none().then_some(only)
}

/// Returns the schemas in which the record that an operation updates is shown: in the response to a create, in its
/// envelope and without it, and in the list.
fn shown_elsewhere(update: &Value, document: &Value) -> Result<Vec<Value>, GenerateError> {
    let listed = &update["x-invariants"]["updated"]["listed"]["in"];
    let mut whole_and_inner = Vec::new();
    let mut others = document.clone();
    for (_, _, other) in operations_mut(&mut others) {
        let created = other["x-invariants"]["created"].clone();
        // One with an `owner` creates something inside the record.
        let is_create = created["listed"]["in"] == *listed && created["listed"].get("owner").is_none();
        let is_list = other["operationId"] == *listed;
        let inner = match (is_create, is_list) {
            _ if listed.is_null() => continue,
            (true, _) => created["resource"].as_str().unwrap_or_default().to_owned(),
            (_, true) => format!("{}/*", other["x-page"]["items"].as_str().unwrap_or_default()),
            _ => continue,
        };
        let Some(schema) = response_schemas_mut(other).next() else {
            continue;
        };
        let mut at = resolve(schema, document)?.clone();
        // The envelope of a list is that of its pages.
        let envelope = is_create.then(|| at.clone());
        for token in pointer::tokens(&inner) {
            let next = match token.as_str() {
                "*" => at["items"].take(),
                name => property(&at, name, document, 0).unwrap_or_default(),
            };
            at = resolve(&next, document)?.clone();
        }
        // What a create shows comes first: its record is the one that is written.
        let order = usize::from(is_list);
        whole_and_inner.extend(envelope.into_iter().chain([at]).map(|schema| (order, schema)));
    }
    whole_and_inner.sort_by_key(|(order, _)| *order);
    Ok(whole_and_inner.into_iter().map(|(_, schema)| schema).collect())
}

/// Returns the schema of a field, unless it must be absent.
fn property(schema: &Value, name: &str, document: &Value, depth: usize) -> Option<Value> {
    let schema = resolve(schema, document).ok().filter(|_| depth < MAX_DEPTH)?;
    let own = schema.get("properties").and_then(|properties| properties.get(name));
    let own = own.filter(|own| own.get("not").is_none()).cloned();
    let mut parts = schema["allOf"].as_array().into_iter().flatten();
    own.or_else(|| parts.find_map(|part| property(part, name, document, depth + 1)))
}

/// Says in the documentation of each operation, schema and field what was learned about it.
pub(super) fn add_answers(document: &mut Value) -> Result<(), GenerateError> {
    for (_, _, operation) in operations_mut(document) {
        let own = stated_answers(operation).cloned();
        let inner = values_mut(operation.get_mut("responses")).filter_map(|response| stated_answers(response).cloned());
        let all: Vec<_> = inner.collect();
        let all: Vec<_> = own.into_iter().chain(all).flatten().collect();
        add_to_description(operation, &all, |_| String::new());
    }
    let by = |operations: &[String]| format!(", by {}", operations.join(" and "));
    for_each_root_schema(document, &mut |root| {
        each_schema(root, &mut |schema| {
            let own = stated_answers(schema).cloned().unwrap_or_default();
            add_to_description(schema, &own, by);
        });
    });
    Ok(())
}

/// Returns the answers that a node states under `x-answers`.
fn stated_answers(node: &Value) -> Option<&Vec<Value>> {
    node.get(ANSWERS_KEY)?.as_array()
}

/// Appends what the answers say, each claim once: `success-status (status: 201)`.
fn add_to_description(described: &mut Value, answers: &[Value], by: impl Fn(&[String]) -> String) {
    let mut claims: Vec<(String, Vec<String>)> = Vec::new();
    for answer in answers {
        let claim = format!(
            "{} ({}",
            answer["gap"].as_str().unwrap_or_default(),
            in_words(&answer["claim"])
        );
        let operation = format!("`{}`", answer["operation"].as_str().unwrap_or_default());
        match claims.iter_mut().find(|(known, _)| *known == claim) {
            Some((_, operations)) => operations.push(operation),
            None => claims.push((claim, vec![operation])),
        }
    }
    if !claims.is_empty() {
        let said = claims
            .iter()
            .map(|(claim, operations)| format!("{claim}{})", by(operations)));
        let said = format!(
            "Learned from a service, not in the document: {}.",
            said.collect::<Vec<_>>().join("; ")
        );
        describe(described, &said, ParagraphPosition::Last);
    }
}

/// Where a paragraph goes in a description.
#[derive(Clone, Copy, PartialEq)]
enum ParagraphPosition {
    First,
    Last,
}

fn describe(described: &mut Value, paragraph: &str, place: ParagraphPosition) {
    let description = match described["description"].as_str() {
        Some(other) if place == ParagraphPosition::First => format!("{paragraph}\n\n{other}"),
        Some(other) => format!("{}\n\n{paragraph}", other.trim_end()),
        None => paragraph.to_owned(),
    };
    described["description"] = Value::String(description);
}

/// An answer that the contract states under `x-answers`.
struct StatedAnswer {
    operation: String,
    claim: Value,
    /// Where it is stated.
    pointer: String,
}

/// Returns the answers to the gaps of one kind, in the order of the document.
fn answers(document: &Value, kind: &str) -> Vec<StatedAnswer> {
    let gaps = document["x-gaps"].as_array().into_iter().flatten();
    let gaps: BTreeSet<_> = gaps
        .filter(|gap| gap["kind"] == kind)
        .filter_map(|gap| gap["id"].as_str())
        .collect();
    let mut found = Vec::new();
    if !gaps.is_empty() {
        collect(document, &gaps, &mut String::new(), &mut found);
    }
    found
}

fn collect(value: &Value, gaps: &BTreeSet<&str>, pointer: &mut String, found: &mut Vec<StatedAnswer>) {
    let entries = value.as_object().into_iter().flatten();
    let entries = entries.map(|(name, inner)| (name.clone(), inner));
    let elements = value.as_array().into_iter().flatten().enumerate();
    let elements = elements.map(|(index, inner)| (index.to_string(), inner));
    for (token, inner) in entries.chain(elements) {
        let length = pointer.len();
        pointer::push(pointer, &token);
        match inner.as_array().filter(|_| token == ANSWERS_KEY) {
            Some(answers) => found.extend(answers.iter().enumerate().filter_map(|(index, answer)| {
                let is_of_kind = answer["gap"].as_str().is_some_and(|gap| gaps.contains(gap));
                is_of_kind.then(|| StatedAnswer {
                    operation: answer["operation"].as_str().unwrap_or_default().to_owned(),
                    claim: answer["claim"].clone(),
                    pointer: pointer::join(pointer, &index.to_string()),
                })
            })),
            None => collect(inner, gaps, pointer, found),
        }
        pointer.truncate(length);
    }
}

/// Returns a name that no schema has: this one, or this one with a number after it.
pub(super) fn unused(name: &str, document: &Value) -> String {
    let is_free = |name: &String| document["components"]["schemas"].get(name).is_none();
    let numbered = (2..).map(|number: u32| format!("{name}{number}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(is_free)
        .unwrap_or_default()
}

/// Adds named schemas to the components; each replaces one of the same name.
pub(super) fn name_schemas(document: &mut Value, named: Map<String, Value>) {
    if named.is_empty() {
        return;
    }
    let components = document.as_object_mut().and_then(|it| object_at(it, "components"));
    if let Some(schemas) = components.and_then(|it| object_at(it, "schemas")) {
        schemas.extend(named);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::projection::flatten::flatten_all_of;

    fn reference(name: &str) -> Value {
        json!({ "$ref": format!("{SCHEMA_REFERENCE_PREFIX}{name}") })
    }

    fn json_of(schema: &Value) -> Value {
        json!({ "application/json": { "schema": schema } })
    }

    fn answer(gap: &str, operation: &str, claim: &Value) -> Value {
        json!({ "gap": gap, "operation": operation, "claim": claim })
    }

    /// A create and an update that take `Thing`, where these fields were found to be required.
    fn things(create: &[&str], update: &[&str], thing: &Value) -> Value {
        let body = json!({ "content": json_of(&reference("Thing")) });
        let mut thing = thing.clone();
        thing[ANSWERS_KEY] = json!([
            answer("required", "create_thing", &json!({ "required": create })),
            answer("required", "update_thing", &json!({ "required": update })),
        ]);
        json!({
            "x-gaps": [
                { "id": "required", "kind": "required-fields" }, { "id": "body", "kind": "update-response-body" },
            ],
            "paths": { "/things": {
                "post": {
                    "operationId": "create_thing", "requestBody": body,
                    "x-invariants": { "created": { "resource": "/data", "listed": { "in": "getThings" } } },
                    "responses": { "201": { "content": json_of(&reference("Created")) } },
                },
                "put": {
                    "operationId": "update_thing", "requestBody": body,
                    "x-invariants": { "updated": { "listed": { "in": "getThings" } } },
                    "responses": { "200": {} },
                },
                "get": {
                    "operationId": "getThings", "x-page": { "items": "/items" },
                    "responses": { "200": { "content": json_of(&json!({ "properties": {
                        "items": { "type": "array", "items": { "properties": { "listed": { "type": "integer" } } } },
                    } })) } },
                },
            } },
            "components": { "schemas": {
                "Thing": thing,
                "Created": { "properties": {
                    "data": reference("Shown"), "absent": { "not": {} }, "message": { "type": "string" },
                } },
                "Shown": { "allOf": [{ "properties": { "size": { "type": "integer" } } }] },
            } },
        })
    }

    fn after(step: fn(&mut Value) -> Result<(), GenerateError>, mut document: Value) -> Value {
        step(&mut document).unwrap();
        document
    }

    fn names() -> Value {
        json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } } })
    }

    /// The schemas that the create and the update take.
    fn bodies(document: &Value) -> [&Value; 2] {
        ["post", "put"].map(|method| {
            &document["paths"]["/things"][method]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        })
    }

    /// What a schema requires once it is flattened.
    fn required<'a>(document: &'a mut Value, name: &str) -> &'a Value {
        flatten_all_of(document).unwrap();
        &document["components"]["schemas"][name]["required"]
    }

    #[test]
    fn what_only_one_operation_requires_has_a_schema_of_its_own() {
        for (create, update) in [(&["/a"][..], &[][..]), (&["/a"], &["/b"]), (&["/a", "/b"], &["/b"])] {
            let mut document = after(require_fields, things(create, update, &names()));
            let own = format!("{SCHEMA_REFERENCE_PREFIX}UpdateThingBody");
            let of_update = if update.is_empty() {
                format!("{SCHEMA_REFERENCE_PREFIX}Thing")
            } else {
                own
            };
            assert_eq!(
                bodies(&document),
                [
                    &json!(format!("{SCHEMA_REFERENCE_PREFIX}CreateThingBody")),
                    &json!(of_update)
                ]
            );
            let expected: Vec<_> = create.iter().map(|field| field.trim_start_matches('/')).collect();
            assert_eq!(*required(&mut document, "CreateThingBody"), json!(expected));
            assert_eq!(*required(&mut document, "Thing"), Value::Null);
        }
    }

    #[test]
    fn what_everybody_requires_is_required_under_the_name_that_there_is() {
        let mut document = after(require_fields, things(&["/b", "/a"], &["/a", "/b"], &names()));
        assert_eq!(
            bodies(&document),
            [&json!(format!("{SCHEMA_REFERENCE_PREFIX}Thing")); 2]
        );
        assert_eq!(*required(&mut document, "Thing"), json!(["a", "b"]));
    }

    #[test]
    fn a_schema_that_a_response_uses_too_requires_nothing() {
        let mut document = things(&["/a"], &["/a"], &names());
        document["components"]["schemas"]["Created"]["properties"]["data"] = reference("Thing");
        let mut document = after(require_fields, document);
        assert_eq!(
            bodies(&document)[0],
            &json!(format!("{SCHEMA_REFERENCE_PREFIX}CreateThingBody"))
        );
        assert_eq!(*required(&mut document, "Thing"), Value::Null);
    }

    #[test]
    fn a_field_within_a_shared_schema_is_required_in_this_body_alone() {
        let parts = json!({ "type": "array", "items": reference("Part") });
        let thing = json!({ "allOf": [{ "type": "object", "properties": { "parts": parts } }] });
        let mut document = things(&["/parts/*/size"], &[], &thing);
        document["components"]["schemas"]["Part"] = json!({ "properties": { "size": { "type": "integer" } } });
        let mut document = after(require_fields, document);
        flatten_all_of(&mut document).unwrap();
        let schemas = &document["components"]["schemas"];
        let part = json!({ "properties": { "size": { "type": "integer" } }, "required": ["size"] });
        let own = &schemas["CreateThingBody"];
        assert_eq!(
            (&own["properties"]["parts"]["items"], &own["required"]),
            (&part, &Value::Null)
        );
        assert_eq!(schemas["Part"].get("required"), None);
    }

    #[test]
    fn a_name_that_a_schema_has_is_not_given_twice() {
        let mut document = things(&["/a"], &[], &names());
        document["components"]["schemas"]["CreateThingBody"] = json!({ "type": "integer" });
        let document = after(require_fields, document);
        assert_eq!(
            bodies(&document)[0],
            &json!(format!("{SCHEMA_REFERENCE_PREFIX}CreateThingBody2"))
        );
        assert_eq!(
            document["components"]["schemas"]["CreateThingBody"],
            json!({ "type": "integer" })
        );
    }

    #[test]
    fn a_field_that_no_schema_has_is_an_error() {
        for field in ["/c", "/a/c", "a", "", "/a/*", "/*"] {
            let mut document = things(&[field], &[], &names());
            let error = require_fields(&mut document).unwrap_err();
            assert_eq!(error.pointer, "/components/schemas/Thing/x-answers/0", "{field}");
        }
    }

    /// The response that an update gets where this was learned about its body.
    fn learned(claim: &Value, change: fn(&mut Value)) -> (Value, Value) {
        let mut document = things(&[], &[], &names());
        document["paths"]["/things"]["put"]["responses"]["200"][ANSWERS_KEY] =
            json!([answer("body", "update_thing", claim)]);
        change(&mut document);
        let mut document = after(type_responses, document);
        let content = document["paths"]["/things"]["put"]["responses"]["200"]["content"].take();
        (content, document["components"]["schemas"]["UpdateThingResponse"].take())
    }

    #[test]
    fn what_an_update_returns_has_the_types_that_are_shown_elsewhere() {
        let names = ["absent", "data", "listed", "message", "other", "size"];
        let (content, schema) = learned(&json!({ "body": "object", "properties": names }), |_| {});
        assert_eq!(content, json_of(&reference("UpdateThingResponse")));
        assert_eq!(schema[LEARNED], true);
        let integer = json!({ "type": "integer" });
        let expected = json!({
            "absent": {}, "data": reference("Shown"), "listed": integer, "message": { "type": "string" }, "other": {},
            "size": integer,
        });
        assert_eq!(schema["properties"], expected);
    }

    #[test]
    fn a_body_without_fields_or_beside_another_success_stays_as_it_is() {
        for claim in [
            json!({ "body": "none" }),
            json!({ "body": "array" }),
            json!({ "body": "object" }),
            json!({ "body": "object", "properties": [] }),
        ] {
            assert_eq!(learned(&claim, |_| {}), (Value::Null, Value::Null), "{claim}");
        }
        let typed = json!({ "body": "object", "properties": ["message"] });
        let other_success = |document: &mut Value| {
            document["paths"]["/things"]["put"]["responses"]["204"] = json!({});
        };
        assert_eq!(learned(&typed, other_success), (Value::Null, Value::Null));
    }

    #[test]
    fn without_answers_no_step_changes_anything() {
        let reference: Value = serde_yaml::from_str(include_str!("../../../tests/reference.yaml")).unwrap();
        for step in [require_fields, type_responses, add_answers] {
            assert_eq!(after(step, reference.clone()), reference);
        }
    }
}
