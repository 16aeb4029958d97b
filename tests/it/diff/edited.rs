//! Edits of whole documents: each kind at each place of our contract, of our small documents, and of those in the
//! folder that `COUNTERSIGN_CORPUS` names. What is told points at the edit, the reverse mirrors it, and nothing panics.

use std::collections::BTreeMap;

use countersign::contract::document::Document;
use countersign::contract::pointer;
use countersign::diff::{Difference, Meaning, diff};
use serde_json::{Map, Value, json};

use super::support::{document, lines};
use crate::corpus::documents::{OWN, files};
use crate::support::{sampled, tried};

/// How many places of one of our own documents are edited, for each kind of edit, and how many in the gate.
const OWN_SAMPLE: (usize, usize) = (1, 4);
/// How many places of a stranger's document are edited, for each kind of edit.
const SAMPLE: usize = 3;

/// Edits one object of a document, and returns whether it did.
type Edit = fn(&mut Map<String, Value>) -> bool;

/// The kinds of edits; what is told of each is in `kind`.
const EDITS: &[(&str, Edit)] = &[
    ("type", |schema| {
        replace(schema, "type", &json!("integer"), &json!("boolean"))
    }),
    ("type", |schema| {
        replace(schema, "type", &json!("string"), &json!("array"))
    }),
    ("length", |schema| {
        schema.get("type") == Some(&json!("string")) && insert(schema, "maxLength", json!(1))
    }),
    ("bounds", |schema| {
        schema.get("type") == Some(&json!("integer")) && insert(schema, "minimum", json!(5))
    }),
    ("format", |schema| {
        schema.get("type") == Some(&json!("string"))
            && !schema.contains_key("enum")
            && insert(schema, "format", json!("ipv4"))
    }),
    ("nullable", |schema| {
        schema.get("type").is_some_and(Value::is_string) && insert(schema, "nullable", json!(true))
    }),
    ("enum", |schema| {
        let values = schema.get_mut("enum").and_then(Value::as_array_mut);
        values.is_some_and(|values| values.len() > 1 && values.pop().is_some())
    }),
    ("property-required", |schema| {
        schema.contains_key("properties") && schema.remove("required").is_some()
    }),
    ("property-removed", |schema| {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        let first = properties.and_then(|properties| properties.shift_remove(&properties.keys().next()?.clone()));
        first.is_some()
    }),
    ("property-added", |schema| {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        properties.is_some_and(|properties| insert(properties, "brandNew", json!({"type": "integer"})))
    }),
    ("additional-properties", |schema| {
        schema.get("properties").is_some_and(Value::is_object) && insert(schema, "additionalProperties", json!(false))
    }),
    ("parameter-required", |parameter| {
        parameter.get("in") == Some(&json!("query"))
            && !parameter.contains_key("required")
            && insert(parameter, "required", json!(true))
    }),
    ("parameter-removed", |operation| {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        let query = |parameter: &Value| parameter["in"] == "query";
        parameters.is_some_and(|all| {
            all.iter()
                .position(query)
                .is_some_and(|index| all.remove(index).is_object())
        })
    }),
    ("response-removed", |operation| {
        let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
        responses.is_some_and(|all| all.shift_remove("200").is_some() || all.shift_remove("2XX").is_some())
    }),
    ("operation-removed", |path| {
        path.get("get").is_some_and(|get| get.get("responses").is_some()) && path.remove("get").is_some()
    }),
    ("deprecation", |operation| {
        operation.contains_key("responses") && insert(operation, "deprecated", json!(true))
    }),
    ("security", |operation| {
        operation.contains_key("responses") && insert(operation, "security", json!([{"another": []}]))
    }),
];

fn insert(object: &mut Map<String, Value>, name: &str, value: Value) -> bool {
    !object.contains_key(name) && object.insert(name.to_owned(), value).is_none()
}

fn replace(object: &mut Map<String, Value>, name: &str, from: &Value, to: &Value) -> bool {
    object.get(name) == Some(from) && object.insert(name.to_owned(), to.clone()).is_some()
}

/// The pointers of all objects that a comparison reads: examples and our own keys are values.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.push(at.to_owned());
            for (name, member) in members {
                if !name.starts_with("x-")
                    && !["callbacks", "default", "enum", "example", "examples", "links"].contains(&name.as_str())
                {
                    objects(member, &pointer::join(at, name), found);
                }
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                objects(element, &pointer::join(at, &index.to_string()), found);
            }
        }
        _ => {}
    }
}

/// What came of the edits of one document, by kind: how often it was tried, and told.
type Tally = BTreeMap<&'static str, (usize, usize)>;

fn edited(name: &str, text: &str, edits: impl Iterator<Item = &'static (&'static str, Edit)>, most: usize) -> Tally {
    let original = document(name, text).root.to_value();
    let old = document(name, &serde_json::to_string_pretty(&original).unwrap());
    let mut places = Vec::new();
    objects(&original, "", &mut places);
    let mut tally = Tally::new();
    for (kind, edit) in edits {
        let mut tried = 0;
        let mut value = original.clone();
        for place in &places {
            let object = value.pointer_mut(place).and_then(Value::as_object_mut);
            if !object.is_some_and(edit) {
                // It stays as it was.
                continue;
            }
            let new = document(name, &serde_json::to_string_pretty(&value).unwrap());
            value.clone_from(&original);
            let told = one(&old, &new, (kind, place));
            let counts = tally.entry(kind).or_default();
            counts.0 += 1;
            counts.1 += usize::from(told);
            tried += 1;
            if tried == most {
                break;
            }
        }
    }
    tally
}

/// Compares one edit in both directions, and returns whether it was told.
fn one(old: &Document, new: &Document, (kind, place): (&str, &str)) -> bool {
    let (there, back) = (diff(old, new, None), diff(new, old, None));
    let mut mirrored: Vec<_> = back.differences.iter().map(|found| (&found.new, &found.old)).collect();
    let mut found: Vec<_> = there.differences.iter().map(|found| (&found.old, &found.new)).collect();
    mirrored.sort();
    found.sort();
    assert_eq!(
        found,
        mirrored,
        "{kind} at {place}: {:#?}\n{:#?}",
        lines(&there),
        lines(&back)
    );
    let told = there.differences.iter().any(|difference| is_at(difference, place));
    assert!(
        told || there.differences.is_empty(),
        "{kind} at {place}: {:#?}",
        there.differences
    );
    let opposite = |difference: &Difference| difference.meaning != Meaning::Breaking;
    let one_sided = there.differences.iter().all(|found| found.kind.name() == "nullable");
    let request = |found: &Difference| found.side.as_str() == "request";
    if one_sided {
        assert!(
            there.differences.iter().filter(|found| request(found)).all(opposite),
            "{kind} at {place}"
        );
        assert!(
            back.differences.iter().filter(|found| !request(found)).all(opposite),
            "{kind} at {place}"
        );
    }
    told
}

fn is_at(difference: &Difference, place: &str) -> bool {
    difference.old.pointer.starts_with(place) || difference.new.pointer.starts_with(place)
}

#[test]
fn each_kind_of_edit_of_our_own_documents_is_told() {
    let mut all = Tally::new();
    let mut of_each = vec![("openapi.yaml", include_str!("../../reference.yaml"), 3)];
    of_each.extend(OWN.iter().map(|(name, text)| (*name, *text, 1)));
    // In the large one every third kind, but where everything is tried.
    for (name, text, every) in of_each {
        let edits = sampled(every, EDITS);
        for (kind, (count, told)) in edited(name, text, edits, tried(OWN_SAMPLE.0, OWN_SAMPLE.1)) {
            let counts = all.entry(kind).or_default();
            *counts = (counts.0 + count, counts.1 + told);
        }
    }
    let kinds = EDITS
        .iter()
        .map(|(kind, _)| kind)
        .collect::<std::collections::BTreeSet<_>>();
    assert_eq!(all.len(), kinds.len(), "{all:#?}");
    // What is in an unused component, or a side that has no such property, is not told.
    for (kind, (tried, told)) in &all {
        assert!(told * 2 > *tried, "{kind}: {told} of {tried}");
    }
}

#[test]
fn edits_of_strangers_documents_are_told_at_the_edit_and_mirrored() {
    let mut all = Tally::new();
    for file in files() {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        // Larger ones take minutes in a debug build; they are compared with themselves below.
        if text.len() > 100_000 || countersign::diff::read(&name, text.clone()).is_err() {
            continue;
        }
        for (kind, (tried, told)) in edited(&name, &text, EDITS.iter(), SAMPLE) {
            let counts = all.entry(kind).or_default();
            *counts = (counts.0 + tried, counts.1 + told);
        }
    }
    println!("edits told of those tried: {all:#?}");
}

#[test]
fn a_strangers_document_does_not_differ_from_itself() {
    for file in files() {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if let Ok(read) = countersign::diff::read(&name, text) {
            let found = diff(&read, &read, None);
            assert!(found.differences.is_empty(), "{name}: {:#?}", lines(&found));
        }
    }
}
