//! Tests that hold the generated types to their promise for every answer of the contract: no field that is null,
//! missing or unknown keeps an answer from being decoded, at any depth, and nothing documented is lost.

use serde_json::{Map, Value, json};

use super::generated::decode;

const CONTRACT: &str = include_str!(concat!(env!("OUT_DIR"), "/contract.json"));

#[test]
fn a_full_answer_survives_decoding_whole() {
    for (operation, answer) in answers() {
        assert_eq!(decoded(&operation, &answer), answer, "{operation}");
    }
}

#[test]
fn every_field_may_be_null() {
    for (operation, answer) in answers() {
        for place in fields(&answer) {
            let mut answer = answer.clone();
            *answer.pointer_mut(&place).unwrap() = Value::Null;
            decoded(&operation, &answer);
        }
    }
}

#[test]
fn every_field_may_be_missing() {
    for (operation, answer) in answers() {
        for place in fields(&answer) {
            let mut answer = answer.clone();
            let (parent, name) = place.rsplit_once('/').unwrap();
            answer
                .pointer_mut(parent)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .remove(name)
                .unwrap();
            decoded(&operation, &answer);
        }
    }
}

#[test]
fn every_object_may_hold_an_unknown_field() {
    for (operation, answer) in answers() {
        let objects: Vec<_> = fields(&answer)
            .iter()
            .map(|place| place.rsplit_once('/').unwrap().0.to_owned())
            .collect();
        for object in objects {
            let mut answer = answer.clone();
            answer.pointer_mut(&object).unwrap()["not_documented"] = json!({ "a": [null] });
            decoded(&operation, &answer);
        }
    }
}

fn decoded(operation: &str, answer: &Value) -> Value {
    let outcome = decode(operation, answer.clone()).unwrap_or_else(|| panic!("no type for {operation}"));
    outcome.unwrap_or_else(|error| panic!("{operation}: {error} in {answer}"))
}

/// A full answer to each operation that documents the body of its success.
fn answers() -> Vec<(String, Value)> {
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    let mut answers = Vec::new();
    for (_, path) in contract["paths"].as_object().unwrap() {
        for (_, operation) in path.as_object().unwrap() {
            let responses = operation["responses"].as_object().into_iter().flatten();
            for (_, response) in responses.filter(|(status, _)| status.starts_with('2')) {
                if let Some(schema) = response.pointer("/content/application~1json/schema") {
                    let id = operation["operationId"].as_str().unwrap();
                    answers.push((id.to_owned(), example(schema, &contract)));
                }
            }
        }
    }
    assert!(!answers.is_empty());
    answers
}

/// A value that holds every field `schema` lists, read apart from the projection, which is what is tested.
fn example(schema: &Value, contract: &Value) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        return example(
            contract.pointer(reference.strip_prefix('#').unwrap()).unwrap(),
            contract,
        );
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let parts = parts.iter().flat_map(|part| match example(part, contract) {
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
        Some("array") => json!([example(&schema["items"], contract)]),
        Some("object") if schema["properties"].is_null() => json!({ "any": [1, null], "other": "text" }),
        Some("object") => {
            let properties = schema["properties"].as_object().unwrap().iter();
            let allowed = properties.filter(|(_, property)| property["not"].is_null());
            Value::Object(
                allowed
                    .map(|(name, property)| (name.clone(), example(property, contract)))
                    .collect::<Map<_, _>>(),
            )
        }
        kind => panic!("no example of {kind:?}"),
    }
}

/// The places of all fields of `value`, at every depth.
fn fields(value: &Value) -> Vec<String> {
    let below = |token: &str, inner: &Value| -> Vec<String> {
        fields(inner)
            .into_iter()
            .map(|place| format!("/{token}{place}"))
            .collect()
    };
    match value {
        Value::Object(entries) => entries
            .iter()
            .flat_map(|(name, inner)| [vec![format!("/{name}")], below(name, inner)].concat())
            .collect(),
        Value::Array(values) => values
            .iter()
            .enumerate()
            .flat_map(|(at, inner)| below(&at.to_string(), inner))
            .collect(),
        _ => Vec::new(),
    }
}
