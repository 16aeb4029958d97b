//! Tests the promise of the generated types for every response of the contract: a null, missing or unknown field at any
//! depth does not prevent decoding, and nothing documented is lost.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::typed::reencoded;

pub(super) const CONTRACT: &str = include_str!(concat!(env!("OUT_DIR"), "/contract.json"));

#[test]
fn a_full_response_survives_decoding_whole() {
    for (operation, response) in responses() {
        assert_eq!(decoded(&operation, &response), response, "{operation}");
    }
}

#[test]
fn every_field_may_be_null() {
    for (operation, response) in responses() {
        for location in fields(&response) {
            let mut response = response.clone();
            *response.pointer_mut(&location).unwrap() = Value::Null;
            decoded(&operation, &response);
        }
    }
}

#[test]
fn every_field_may_be_missing() {
    for (operation, response) in responses() {
        for location in fields(&response) {
            let mut response = response.clone();
            let (parent, name) = location.rsplit_once('/').unwrap();
            response
                .pointer_mut(parent)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .remove(name)
                .unwrap();
            decoded(&operation, &response);
        }
    }
}

#[test]
fn every_element_may_be_null_and_is_left_out() {
    for (operation, response) in responses() {
        for location in elements(&response) {
            let mut other = response.clone();
            *other.pointer_mut(&location).unwrap() = Value::Null;
            let (array, _) = location.rsplit_once('/').unwrap();
            // An array of arbitrary values may contain any value, including null.
            if !array.ends_with(ARBITRARY) {
                assert_eq!(
                    decoded(&operation, &other).pointer(array),
                    Some(&json!([])),
                    "{location}"
                );
            }
        }
    }
}

#[test]
fn every_whole_number_may_be_written_with_a_fraction() {
    for (operation, response) in responses() {
        for location in fields(&response) {
            let mut other = response.clone();
            let value = other.pointer_mut(&location).unwrap();
            if value.is_i64() && !location.contains(ARBITRARY) {
                *value = json!(7.0);
                assert_eq!(
                    decoded(&operation, &other).pointer(&location),
                    Some(&json!(7)),
                    "{location}"
                );
            }
        }
    }
}

#[test]
fn every_object_may_hold_an_unknown_field() {
    for (operation, response) in responses() {
        let mut objects: BTreeSet<_> = fields(&response)
            .iter()
            .map(|location| location.rsplit_once('/').unwrap().0.to_owned())
            .collect();
        // In an object of arbitrary names every name is known.
        objects.retain(|object| response.pointer(object).unwrap().get(ARBITRARY).is_none());
        for object in objects {
            let mut response = response.clone();
            response.pointer_mut(&object).unwrap()["not_documented"] = json!({ "a": [null] });
            decoded(&operation, &response);
        }
    }
}

/// A full response to the operation.
pub(crate) fn full_response(operation: &str) -> Value {
    let found = responses().into_iter().find(|(name, _)| name == operation);
    found.unwrap_or_else(|| panic!("no response to {operation}")).1
}

fn decoded(operation: &str, response: &Value) -> Value {
    let outcome = reencoded(operation, response).unwrap_or_else(|| panic!("no type for {operation}"));
    outcome.unwrap_or_else(|error| panic!("{operation}: {error} in {response}"))
}

/// A full response to each operation whose success has one documented body.
fn responses() -> Vec<(String, Value)> {
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    let schemas = response_schemas(&contract).into_iter();
    schemas
        .map(|(id, schema)| (id, example(schema, &contract, 0)))
        .collect()
}

/// The schema of the response of each operation whose success has one documented body.
pub(super) fn response_schemas(contract: &Value) -> Vec<(String, &Value)> {
    let mut schemas = Vec::new();
    for (_, path) in contract["paths"].as_object().unwrap() {
        for (_, operation) in path.as_object().unwrap() {
            let responses = operation["responses"].as_object().into_iter().flatten();
            let successes: Vec<_> = responses.filter(|(status, _)| status.starts_with('2')).collect();
            if let [(_, response)] = successes[..]
                && let Some(schema) = response.pointer("/content/application~1json/schema")
            {
                schemas.push((operation["operationId"].as_str().unwrap().to_owned(), schema));
            }
        }
    }
    assert!(!schemas.is_empty());
    schemas
}

/// The name that an example has where any name is allowed.
const ARBITRARY: &str = "any";

/// How deep an example nests: a list below this depth is empty, so that a schema may refer to itself.
const MAX_DEPTH: usize = 24;

/// Returns a value with every field that `schema` lists, read independently of the projection, which is under test.
fn example(schema: &Value, contract: &Value, depth: usize) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        return example(
            contract.pointer(reference.strip_prefix('#').unwrap()).unwrap(),
            contract,
            depth + 1,
        );
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let parts = parts.iter().flat_map(|part| match example(part, contract, depth) {
            Value::Object(fields) => fields,
            other => panic!("an `allOf` of {other}"),
        });
        return Value::Object(parts.collect());
    }
    match schema["type"].as_str() {
        Some("integer") => json!(7),
        Some("number") => json!(7.5),
        Some("boolean") => json!(true),
        Some("string") => json!("text"),
        Some("array") if depth > MAX_DEPTH => json!([]),
        Some("array") => json!([example(&schema["items"], contract, depth + 1)]),
        Some("object") => Value::Object(object_example(schema, contract, depth)),
        kind => panic!("no example of {kind:?}"),
    }
}

fn object_example(schema: &Value, contract: &Value, depth: usize) -> Map<String, Value> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let allowed = properties.filter(|(_, property)| property["not"].is_null());
    let mut object: Map<_, _> = allowed
        .map(|(name, property)| (name.clone(), example(property, contract, depth + 1)))
        .collect();
    match &schema["additionalProperties"] {
        Value::Bool(true) => object.extend([(ARBITRARY.to_owned(), json!([1, null]))]),
        values @ Value::Object(_) => object.extend([(ARBITRARY.to_owned(), example(values, contract, depth + 1))]),
        _ => {}
    }
    object
}

/// The locations of all elements of arrays in `value`, at every depth.
fn elements(value: &Value) -> Vec<String> {
    let is_element = |location: &String| {
        let (array, _) = location.rsplit_once('/').unwrap();
        value.pointer(array).is_some_and(Value::is_array)
    };
    locations(value).into_iter().filter(is_element).collect()
}

/// The locations of all fields of `value`, at every depth.
fn fields(value: &Value) -> Vec<String> {
    let is_field = |location: &String| {
        let (object, _) = location.rsplit_once('/').unwrap();
        value.pointer(object).is_some_and(Value::is_object)
    };
    locations(value).into_iter().filter(is_field).collect()
}

/// Every location below `value`.
fn locations(value: &Value) -> Vec<String> {
    let below = |token: &str, inner: &Value| {
        let inner = locations(inner)
            .into_iter()
            .map(|location| format!("/{token}{location}"));
        std::iter::once(format!("/{token}")).chain(inner).collect::<Vec<_>>()
    };
    match value {
        Value::Object(entries) => entries.iter().flat_map(|(name, inner)| below(name, inner)).collect(),
        Value::Array(values) => {
            let elements = values.iter().enumerate();
            elements.flat_map(|(at, inner)| below(&at.to_string(), inner)).collect()
        }
        _ => Vec::new(),
    }
}
