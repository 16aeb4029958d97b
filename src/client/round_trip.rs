//! Tests a property of every generated type: a response that the contract allows, with any field missing or null, is
//! decoded and encoded again without losing a documented field.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

use super::decoding_tests::{CONTRACT, response_schemas};
use super::typed::reencoded;
use crate::testing::tried;

/// A value as the service sends it, and what is left of it after decoding, where null and missing are the same.
type Pair = (Value, Value);

#[test]
fn generated_responses_survive_decoding_and_encoding() {
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    for (operation, schema) in response_schemas(&contract) {
        let outcome = runner().run(&pairs(schema, &contract), |(sent, left)| {
            let decoded = reencoded(&operation, &sent).expect("the operation has a type");
            prop_assert_eq!(decoded.map_err(|error| TestCaseError::fail(error.to_string()))?, left);
            Ok(())
        });
        assert!(outcome.is_ok(), "{operation}: {}", outcome.unwrap_err());
    }
}

#[test]
fn a_field_that_is_lost_is_seen() {
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    let mut more = contract.clone();
    more["components"]["schemas"]["Tag"]["properties"]["colour"] = json!({ "type": "string" });
    let (_, schema) = response_schemas(&more)
        .into_iter()
        .find(|(id, _)| id == "createTag")
        .unwrap();
    let outcome = runner().run(&pairs(schema, &more), |(sent, left)| {
        prop_assert_eq!(reencoded("createTag", &sent).unwrap().unwrap(), left);
        Ok(())
    });
    assert!(outcome.unwrap_err().to_string().contains("colour"));
}

/// A runner that draws the same cases in each run.
fn runner() -> TestRunner {
    let cases = u32::try_from(tried(64, 256)).unwrap();
    let drawn = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(ProptestConfig::with_cases(cases), drawn)
}

fn pairs(schema: &Value, contract: &Value) -> BoxedStrategy<Pair> {
    let parts = parts(schema, contract);
    let part = |keyword: &str| parts.iter().find_map(|part| part.get(keyword));
    let same = |value: Value| (value.clone(), value);
    match part("type").and_then(Value::as_str) {
        Some("integer") => any::<i64>().prop_map(move |number| same(json!(number))).boxed(),
        Some("boolean") => any::<bool>().prop_map(move |value| same(json!(value))).boxed(),
        Some("number") => (-1e9..1e9).prop_map(move |number: f64| same(json!(number))).boxed(),
        Some("string") => "\\PC{0,12}".prop_map(move |text| same(json!(text))).boxed(),
        Some("array") => {
            let items = part("items").map(|items| pairs(items, contract)).unwrap();
            let split = |pairs: Vec<Pair>| pairs.into_iter().unzip();
            let both = |(sent, left): (Vec<Value>, Vec<Value>)| (json!(sent), json!(left));
            vec(items, 0..4).prop_map(move |pairs| both(split(pairs))).boxed()
        }
        Some("object") if part("properties").is_none() => {
            let entry = (
                "[a-z_]{1,8}",
                prop_oneof![Just(Value::Null), Just(json!([null])), Just(json!("text"))],
            );
            let entries = vec(entry, 0..4);
            entries
                .prop_map(move |entries| same(Value::Object(Map::from_iter(entries))))
                .boxed()
        }
        Some("object") => object(&parts, contract),
        kind => panic!("no values of {kind:?}"),
    }
}

fn object(parts: &[&Value], contract: &Value) -> BoxedStrategy<Pair> {
    let mut fields = Vec::new();
    for (name, schema) in parts.iter().flat_map(|part| part["properties"].as_object()).flatten() {
        if !parts.iter().any(|part| part["properties"][name]["not"].is_object()) {
            let field = prop_oneof![
                6 => pairs(schema, contract).prop_map(Some),
                1 => Just(Some((Value::Null, Value::Null))),
                1 => Just(None),
            ];
            fields.push((Just(name.clone()), field));
        }
    }
    let entries = fields.prop_map(|fields| {
        let (mut sent, mut left) = (Map::new(), Map::new());
        for (name, value) in fields {
            if let Some((given, kept)) = value {
                sent.insert(name.clone(), given);
                if !kept.is_null() {
                    left.insert(name, kept);
                }
            }
        }
        (Value::Object(sent), Value::Object(left))
    });
    entries.boxed()
}

/// Returns a schema with everything that `allOf` and references add to it, read independently of the projection.
fn parts<'a>(schema: &'a Value, contract: &'a Value) -> Vec<&'a Value> {
    if let Some(target) = schema["$ref"].as_str().and_then(|it| it.strip_prefix('#')) {
        return parts(contract.pointer(target).unwrap(), contract);
    }
    let inner = schema["allOf"].as_array().into_iter().flatten();
    let inner = inner.flat_map(|part| parts(part, contract));
    std::iter::once(schema).chain(inner).collect()
}
