//! Judges the cases of the JSON Schema test suite as responses: draft 2020-12 by a document of OpenAPI 3.1, and draft 4
//! by one of 3.0, whose schemas are based on that draft. A snapshot has the number of cases in which we agree with the
//! suite, and each case in which we do not.
//!
//! `tests/json-schema` has the cases of github.com/json-schema-org/JSON-Schema-Test-Suite as version 4.23.0 of the
//! Python package `jsonschema` ships them, without the optional ones. Its groups are listed by keyword; a test in a
//! group has a description, a value, and whether the value is valid.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::contract::Contract;
use crate::rules::testing::Fixture;

const SUITES: [(&str, &str, &str); 2] = [
    (
        "draft 2020-12",
        "3.1.0",
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/json-schema/draft2020-12.json"
        )),
    ),
    (
        "draft 4",
        "3.0.3",
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/json-schema/draft4.json")),
    ),
];

#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Value,
    tests: Vec<(String, Value, bool)>,
}

/// The outcome of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// We agree with the suite: a response with the value breaks a fact, or does not.
    Agrees,
    /// A valid value breaks a fact.
    FalseAlarm,
    /// An invalid value breaks none.
    Missed,
    /// The document is rejected: its operation has a defect.
    Rejected,
}

/// Why we do not agree: the beginning of the OpenAPI version, the reason, and the keywords, of which a schema needs
/// only one.
const REASONS: [(&str, &str, &[&str]); 5] = [
    (
        "3",
        "references are JSON pointers into the document, not identifiers, anchors or network addresses",
        &[
            "$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$schema", "$ref",
        ],
    ),
    (
        "3.1",
        "`format` is asserted, because a document that states it means it",
        &["format"],
    ),
    (
        "3.0",
        "OpenAPI 3.0 has no such keyword, and nothing is concluded from it",
        &["dependencies", "patternProperties"],
    ),
    (
        "3.0",
        "OpenAPI 3.0 has one type, no `null` and one schema of items",
        &["type", "items", "additionalItems"],
    ),
    (
        "3",
        "a field that any part of `allOf` lists counts as listed, as most documents intend",
        &["allOf"],
    ),
];

/// Returns the reason why a schema in a document of this version is not read as the suite reads it.
fn reason(version: &str, class: Class, schema: &Value) -> Option<&'static str> {
    let found = REASONS.iter().find(|(of, _, keywords)| {
        let is_format = keywords.contains(&"format");
        version.starts_with(of)
            && is_format == (class == Class::FalseAlarm)
            && keywords.iter().any(|keyword| uses(schema, keyword))
    });
    found.map(|(_, reason, _)| *reason)
}

/// Whether a schema uses a keyword in a way that such a document does not support.
fn uses(schema: &Value, keyword: &str) -> bool {
    let used = match (keyword, schema.get(keyword)) {
        ("$ref", Some(target)) => target
            .as_str()
            .is_some_and(|target| !target.starts_with("#/") && target != "#"),
        ("$schema", Some(dialect)) => dialect != "https://json-schema.org/draft/2020-12/schema",
        ("type", Some(stated)) => stated.is_array() || stated == "null",
        ("items", Some(items)) => items.is_array(),
        ("id" | "$id", Some(id)) => id.is_string(),
        (_, stated) => stated.is_some(),
    };
    used || match schema {
        Value::Array(elements) => elements.iter().any(|element| uses(element, keyword)),
        Value::Object(members) => members.values().any(|member| uses(member, keyword)),
        _ => false,
    }
}

/// The location of a group's schema in its document.
const LOCATION: &str = "#/components/schemas/Tested";

/// Returns the schema with the references to itself adapted to its location in the document. Values of `const` and
/// `enum` stay as they are, because they may look like references.
fn in_document(schema: &Value) -> Value {
    match schema {
        Value::Array(elements) => elements.iter().map(in_document).collect(),
        Value::Object(members) => {
            let written = members.iter().map(|(name, value)| {
                let value = match (name.as_str(), value) {
                    ("const" | "enum", value) => value.clone(),
                    ("$ref", Value::String(target)) if target == "#" || target.starts_with("#/") => {
                        json!(format!("{LOCATION}{}", &target[1..]))
                    }
                    (_, value) => in_document(value),
                };
                (name.clone(), value)
            });
            Value::Object(written.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Returns the operation whose response has the schema; `None` where the document has a defect.
fn fixture(version: &str, schema: &Value) -> Option<Fixture> {
    let content = json!({"application/json": {"schema": {"$ref": LOCATION}}});
    let responses = json!({"200": {"description": "a", "content": content}});
    let document = json!({
        "openapi": version,
        "info": {"title": "a", "version": "1"},
        "paths": {"/a": {"get": {"operationId": "tested", "responses": responses}}},
        "components": {"schemas": {"Tested": in_document(schema)}},
    });
    let contract = Contract::read("tested.json", document.to_string()).ok()?;
    Some(Fixture::new(Arc::new(contract), "tested"))
}

fn class(fixture: Option<&Fixture>, value: &Value, valid: bool) -> Class {
    let Some(fixture) = fixture else {
        return Class::Rejected;
    };
    let judged = fixture.body(value);
    // We report a field that an open schema does not name. That is our own rule and does not contradict JSON Schema.
    let mut findings = judged.verdicts.findings().iter();
    let broken = findings.any(|finding| !matches!(finding.rule.name, "undocumented-field"));
    match (broken, valid) {
        (true, true) => Class::FalseAlarm,
        (false, false) => Class::Missed,
        _ => Class::Agrees,
    }
}

#[test]
fn the_suite_of_json_schema_agrees_but_for_what_has_a_reason() {
    let mut text = String::new();
    for (name, version, suite) in SUITES {
        let suite: BTreeMap<String, Vec<Group>> = serde_json::from_str(suite).unwrap();
        let mut counts: BTreeMap<Class, usize> = BTreeMap::new();
        let mut others: BTreeMap<(&str, Class), Vec<String>> = BTreeMap::new();
        for (keyword, groups) in &suite {
            for group in groups {
                let fixture = fixture(version, &group.schema);
                for (description, value, valid) in &group.tests {
                    let class = class(fixture.as_ref(), value, *valid);
                    *counts.entry(class).or_default() += 1;
                    if class != Class::Agrees {
                        let case = format!("{keyword}: {}: {description}", group.description);
                        let reason = reason(version, class, &group.schema);
                        let reason = reason.unwrap_or_else(|| panic!("{class:?} without a reason: {case}"));
                        others.entry((reason, class)).or_default().push(case);
                    }
                }
            }
        }
        let all: usize = counts.values().sum();
        writeln!(text, "{name}, as OpenAPI {version}: {all} cases, {counts:?}\n").unwrap();
        for ((reason, class), cases) in others {
            writeln!(text, "{class:?}, {}: {reason}", cases.len()).unwrap();
            for case in cases {
                writeln!(text, "  {case}").unwrap();
            }
            text.push('\n');
        }
    }
    crate::testing::with_snapshots(|| insta::assert_snapshot!("json_schema_suite", text));
}
