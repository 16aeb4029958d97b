//! Random pairs of schemas: nothing differs from itself, both directions mirror each other, what is called compatible
//! admits every body, and what is called breaking for callers has a body that shows it.

use countersign::contract::document::Document;
use countersign::diff::{Diff, Difference, Meaning, Side, diff};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

use super::schemas::EDITS;
use super::support::{document, lines, with_schemas};
use crate::corpus::values::{Maker, admits};

/// How many pairs are drawn, and from which seed, so that each run draws the same.
const CASES: u32 = 64;
const SEED: u64 = 16;
/// How many bodies are made of a schema.
const BODIES: u64 = 12;
/// How many bodies are made to find one that shows a break.
const MAX_BODIES: u64 = 400;

fn of(schema: &Value) -> Document {
    document(
        "random.yaml",
        &with_schemas(&schema.to_string(), &schema.to_string(), ""),
    )
}

/// A schema of one value.
fn leaf() -> impl Strategy<Value = Value> {
    let string = select(vec![
        json!({"type": "string"}),
        json!({"type": "string", "maxLength": 4}),
        json!({"type": "string", "minLength": 2}),
        json!({"type": "string", "enum": ["a", "b"]}),
        json!({"type": "string", "enum": ["b", "c"]}),
        json!({"type": "string", "nullable": true}),
        json!({"type": "string", "pattern": "^[ab]+$"}),
    ]);
    let number = select(vec![
        json!({"type": "integer"}),
        json!({"type": "integer", "minimum": 1}),
        json!({"type": "integer", "maximum": 9}),
        json!({"type": "integer", "minimum": 1, "maximum": 9, "exclusiveMaximum": true}),
        json!({"type": "number"}),
        json!({"type": "boolean"}),
        json!({"oneOf": [{"type": "integer"}, {"type": "string"}]}),
        json!({"anyOf": [{"type": "boolean"}, {"type": "string", "maxLength": 4}]}),
    ]);
    prop_oneof![string, number]
}

/// A schema and one that is like it.
fn pair() -> impl Strategy<Value = (Value, Value)> {
    let leaves = prop_oneof![(leaf(), leaf()), leaf().prop_map(|leaf| (leaf.clone(), leaf))];
    leaves.prop_recursive(3, 12, 3, |inner| {
        let property = (inner.clone(), any::<[bool; 4]>());
        let object = (prop::collection::vec(property, 1..4), any::<[bool; 2]>()).prop_map(object);
        let array = (inner, 0..3_u64, 0..3_u64).prop_map(|((old, new), least, most)| {
            let array =
                |items: Value, least: u64| json!({"type": "array", "items": items, "minItems": least, "maxItems": 4});
            (array(old, least), array(new, most))
        });
        prop_oneof![object, array]
    })
}

/// What is known of a property: its two schemas; whether the old, the new object lists it, and requires it.
type Property = ((Value, Value), [bool; 4]);

fn object((properties, closed): (Vec<Property>, [bool; 2])) -> (Value, Value) {
    let mut both = [
        json!({"type": "object", "properties": {}}),
        json!({"type": "object", "properties": {}}),
    ];
    for (index, ((old, new), [in_old, in_new, old_requires, new_requires])) in properties.into_iter().enumerate() {
        let name = format!("p{index}");
        for (object, schema, is_in, required) in [(0, old, in_old, old_requires), (1, new, in_new, new_requires)] {
            if !is_in {
                continue;
            }
            both[object]["properties"][&name] = schema;
            if required {
                let names = both[object]["required"].as_array().cloned().unwrap_or_default();
                both[object]["required"] = names.into_iter().chain([json!(name)]).collect();
            }
        }
    }
    for (object, closed) in both.iter_mut().zip(closed) {
        if closed {
            object["additionalProperties"] = json!(false);
        }
    }
    let [old, new] = both;
    (old, new)
}

fn decided(diff: &Diff, side: Side) -> bool {
    let mut found = diff.differences.iter().filter(|difference| difference.side == side);
    found.all(|difference| difference.meaning == Meaning::Compatible)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: CASES,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_document_does_not_differ_from_itself((old, new) in pair()) {
        for schema in [&old, &new] {
            let found = diff(&of(schema), &of(schema), None);
            prop_assert!(found.differences.is_empty(), "{schema}: {:#?}", lines(&found));
        }
    }

    #[test]
    fn both_directions_mirror_each_other((old, new) in pair()) {
        let places = |found: &Difference| (found.kind.name(), found.side, found.old.clone(), found.new.clone());
        let mirrored = |found: &Difference| (mirrored(found.kind.name()), found.side, found.new.clone(), found.old.clone());
        let mut there: Vec<_> = diff(&of(&old), &of(&new), None).differences.iter().map(places).collect();
        let mut back: Vec<_> = diff(&of(&new), &of(&old), None).differences.iter().map(mirrored).collect();
        there.sort();
        back.sort();
        prop_assert_eq!(there, back, "{} {}", old, new);
    }

    #[test]
    fn what_is_compatible_admits_every_body((old, new) in pair()) {
        let found = diff(&of(&old), &of(&new), None);
        // A response of the new document is one of the old; a request of the old document is one of the new.
        for (side, sent, judge) in [(Side::Response, &new, &old), (Side::Request, &old, &new)] {
            if !decided(&found, side) {
                continue;
            }
            for seed in 0..BODIES {
                if let Some(body) = Maker::new(&Value::Null, seed).value(sent) {
                    prop_assert_ne!(
                        admits(&Value::Null, judge, &body), Some(false),
                        "{:?} {} of {} is not in {}: {:#?}", side, body, sent, judge, lines(&found)
                    );
                }
            }
        }
    }
}

fn mirrored(kind: &'static str) -> &'static str {
    match kind {
        "property-added" => "property-removed",
        "property-removed" => "property-added",
        other => other,
    }
}

/// Bodies that are seldom made at random.
fn extremes() -> Vec<Value> {
    let mut bodies: Vec<_> = (-3..13).map(Value::from).collect();
    bodies.extend([
        json!(2.5),
        json!(1_u64 << 40),
        json!(null),
        json!(true),
        json!(""),
        json!("a"),
        json!("abcdefghijkl"),
    ]);
    bodies.extend((0..6).map(|count| (0..count).collect()));
    bodies.push(json!(i64::MAX));
    bodies.extend([json!({}), json!({"other": "text"}), json!({"other": 1})]);
    bodies.extend([json!({"a": 1}), json!({"a": 2.5})]);
    bodies
}

#[test]
fn each_break_for_callers_has_a_body_that_shows_it() {
    let mut missing = Vec::new();
    let mut shown = 0;
    for (old, new, ..) in EDITS {
        for (old, new) in [(old, new), (new, old)] {
            let documents = [old, new].map(|schema| document("edit.yaml", &with_schemas(schema, schema, "")));
            let found = diff(&documents[0], &documents[1], None);
            let breaks =
                |difference: &Difference| difference.side == Side::Response && difference.meaning == Meaning::Breaking;
            // The validator of these tests does not know the formats of numbers and of bytes.
            let is_unknown = ["float", "int32", "binary"]
                .iter()
                .any(|format| old.contains(format) || new.contains(format));
            if !found.differences.iter().any(breaks) || is_unknown {
                continue;
            }
            if has_witness(&documents.map(|document| document.root.to_value())) {
                shown += 1;
            } else {
                missing.push(format!("{old} -> {new}"));
            }
        }
    }
    assert!(
        missing.is_empty() && shown > 40,
        "{shown} shown, and not:\n{}",
        missing.join("\n")
    );
}

/// Whether there is a body that the new document admits in a response and the old one does not.
fn has_witness([old, new]: &[Value; 2]) -> bool {
    let at = "/paths/~1things/post/responses/200/content/application~1json/schema";
    let (was, is) = (old.pointer(at).unwrap(), new.pointer(at).unwrap());
    let made = (0..MAX_BODIES).filter_map(|seed| Maker::new(new, seed).value(is));
    let mut bodies = extremes().into_iter().chain(made);
    bodies.any(|body| admits(new, is, &body) == Some(true) && admits(old, was, &body) == Some(false))
}
