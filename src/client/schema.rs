//! Tests the path contract → Rust types → JSON Schema: what `schemars` makes of each generated type is compared with
//! the contract itself, relaxed as the client's documentation says and without using the projection.
//!
//! A field of a response may be missing or null and keeps only its kind; a field of a request may be left out and keeps
//! its format and its allowed values. The type's `FromStr` checks a pattern, which no derived schema shows.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod compare;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::generated;
use compare::differences;

use crate::testing::tried;

const CONTRACT: &str = include_str!(concat!(env!("OUT_DIR"), "/contract.json"));

fn contract() -> Value {
    serde_json::from_str(CONTRACT).unwrap()
}

fn types() -> BTreeMap<String, Value> {
    let schemas = generated::schemas().into_iter();
    schemas
        .map(|(name, schema)| (name.to_owned(), schema.to_value()))
        .collect()
}

#[test]
fn every_type_has_the_schema_of_the_contract() {
    let (found, compared) = differences(&contract(), &types());
    assert!(
        found.is_empty(),
        "the types differ from openapi.yaml:\n{}",
        found.join("\n")
    );
    let all: Vec<_> = types().into_keys().collect();
    assert_eq!(compared.into_iter().collect::<Vec<_>>(), all, "compared, and generated");
}

#[test]
fn a_field_that_a_type_dropped_is_named() {
    let (contract, generated) = (contract(), types());
    let every = tried(4, 1);
    let mut count = 0;
    for (name, location) in properties(&generated).into_iter().step_by(every) {
        let mut types = generated.clone();
        let (object, field) = location.rsplit_once('/').unwrap();
        let properties = types.get_mut(&name).unwrap().pointer_mut(object).unwrap();
        properties.as_object_mut().unwrap().remove(field).unwrap();
        let (found, _) = differences(&contract, &types);
        let named = found
            .iter()
            .any(|line| line.contains(&format!("/properties/{field}: ")));
        assert!(named, "{name} without {location}: {found:?}");
        count += 1;
    }
    assert!(count * every > 100, "{count}");
}

#[test]
fn a_field_that_a_type_retyped_is_named() {
    let (contract, generated) = (contract(), types());
    for (name, location) in properties(&generated).into_iter().step_by(tried(4, 1)) {
        for other in [json!({ "type": ["boolean", "null"] }), json!(true)] {
            let mut types = generated.clone();
            let field = location.rsplit_once('/').unwrap().1;
            *types.get_mut(&name).unwrap().pointer_mut(&location).unwrap() = other;
            let (found, _) = differences(&contract, &types);
            let named = found
                .iter()
                .any(|line| line.contains(&format!("/properties/{field}: ")));
            assert!(named, "{name} with another {location}: {found:?}");
        }
    }
}

#[test]
fn a_field_that_must_be_there_or_may_not_be_null_is_named() {
    let mut types = types();
    types.get_mut("Venue").unwrap()["properties"]["name"] = json!({ "type": "string" });
    types.get_mut("Tag").unwrap()["required"] = json!(["id"]);
    let (found, _) = differences(&contract(), &types);
    let of = |pointer: &str| found.iter().any(|line| line.starts_with(pointer));
    assert!(of("/components/schemas/Venue/properties/name: "), "{found:?}");
    assert!(of("/components/schemas/Tag/properties/id: "), "{found:?}");
}

#[test]
fn a_contract_that_the_types_do_not_follow_is_reported_by_its_pointer() {
    let cases: [(&str, Value, &str); 5] = [
        (
            "/Venue/properties/floor",
            json!({ "type": "integer" }),
            "documented as integer, the type has no such field",
        ),
        (
            "/Visit/properties/id",
            json!({ "type": "string" }),
            "documented as string, the type has integer",
        ),
        (
            "/Venue/properties/tags/items",
            json!({ "type": "integer" }),
            "documented as integer, the type has string",
        ),
        (
            "/VisitInput/properties/datetime/format",
            json!("date"),
            "documented with format `date`, the type has `date-time`",
        ),
        (
            "/Tag/properties/name",
            json!({ "not": {} }),
            "documented as absent, the type has it",
        ),
    ];
    for (at, value, expected) in cases {
        let mut contract = contract();
        let (parent, key) = at.rsplit_once('/').unwrap();
        contract["components"]["schemas"].pointer_mut(parent).unwrap()[key] = value;
        let (found, _) = differences(&contract, &types());
        let location = at.strip_suffix("/format").unwrap_or(at);
        let line = format!("/components/schemas{location}: {expected}");
        assert!(found.contains(&line), "`{line}` is not in {found:?}");
    }
}

/// Every property of every schema, with the name of its type.
fn properties(types: &BTreeMap<String, Value>) -> Vec<(String, String)> {
    let mut locations = Vec::new();
    for (name, schema) in types {
        let defined = schema["$defs"].as_object().into_iter().flatten();
        let objects = defined.map(|(inner, schema)| (format!("/$defs/{inner}"), schema));
        for (at, object) in objects.chain([(String::new(), schema)]) {
            let fields = object["properties"].as_object().into_iter().flatten();
            locations.extend(fields.map(|(field, _)| (name.clone(), format!("{at}/properties/{field}"))));
        }
    }
    locations
}
