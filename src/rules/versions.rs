//! Judges responses by documents of OpenAPI 3.1 and 3.2: with the same outcome as by a document of 3.0 that means the
//! same, and by what only the later versions can state.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::contract::Contract;
use crate::rules::Verdict;
use crate::rules::testing::Fixture;

const COMPONENTS: &str = "
components:
  schemas:
    Name: {type: string, minLength: 2}
    Thing: {type: object, required: [id], properties: {id: {type: integer}}}
";

/// A service with one operation whose response has this schema.
fn fixture(version: &str, schema: &str) -> Fixture {
    let content = format!("content: {{application/json: {{schema: {schema}}}}}");
    let text = format!(
        "openapi: {version}\ninfo: {{title: Things, version: '1'}}\npaths:\n  /things:\n    get:\n      operationId: \
         getThings\n      responses:\n        '200': {{description: Things, {content}}}{COMPONENTS}"
    );
    Fixture::text(&text, "getThings")
}

fn facts(fixture: &Fixture) -> BTreeSet<String> {
    fixture
        .contract
        .facts
        .iter()
        .map(|fact| fact.name.to_string())
        .collect()
}

/// The findings on this body: the rule, and the fact that it breaks.
fn found(fixture: &Fixture, body: &Value) -> BTreeSet<(&'static str, String)> {
    let judged = fixture.body(body);
    let findings = judged.verdicts.findings().iter();
    let found = findings.map(|finding| {
        let fact = fixture.contract.fact(finding.fact).name.to_string();
        (finding.rule.name, fact)
    });
    found.collect()
}

/// A schema, what it is compared with, and the values that conform to it and that do not, as JSON.
type Row = (&'static str, &'static str, &'static str, &'static str);

fn values(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

/// Schemas of 3.1, each with the schema of 3.0 that means the same, values that conform and values that do not.
const PAIRS: &[Row] = &[
    (
        "{type: [string, 'null']}",
        "{type: string, nullable: true}",
        r#"["a", null]"#,
        r#"[1]"#,
    ),
    ("{type: [string]}", "{type: string}", r#"["a"]"#, r#"[null, 1]"#),
    (
        "{type: [integer, number]}",
        "{type: number}",
        r#"[1, 1.5]"#,
        r#"["a", null]"#,
    ),
    (
        "{type: [string, integer]}",
        "{anyOf: [{type: string}, {type: integer}]}",
        r#"["a", 1]"#,
        r#"[1.5, null, []]"#,
    ),
    (
        "{type: [string, integer, 'null']}",
        "{nullable: true, anyOf: [{type: string}, {type: integer}]}",
        r#"["a", 1, null]"#,
        r#"[1.5, true]"#,
    ),
    (
        "{type: [string, array], anyOf: [{minLength: 2}, {minItems: 2}]}",
        "{anyOf: [{minLength: 2}, {minItems: 2}], allOf: [{anyOf: [{type: string}, {type: array, items: {}}]}]}",
        r#"["ab", [1, 2]]"#,
        r#"[1, null]"#,
    ),
    (
        "{type: 'null'}",
        "{nullable: true, enum: [null]}",
        r#"[null]"#,
        r#"[1, "null"]"#,
    ),
    (
        "{type: object, properties: {kind: {const: cat}}}",
        "{type: object, properties: {kind: {enum: [cat]}}}",
        r#"[{"kind": "cat"}, {}]"#,
        r#"[{"kind": "dog"}, {"kind": null}]"#,
    ),
    (
        "{type: integer, exclusiveMinimum: 1, exclusiveMaximum: 5}",
        "{type: integer, minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true}",
        r#"[2, 4]"#,
        r#"[1, 5]"#,
    ),
    (
        "{type: integer, minimum: 3, exclusiveMinimum: 1}",
        "{type: integer, minimum: 3}",
        r#"[3]"#,
        r#"[2]"#,
    ),
    (
        "{type: integer, minimum: 1, exclusiveMinimum: 3}",
        "{type: integer, minimum: 3, exclusiveMinimum: true}",
        r#"[4]"#,
        r#"[3, 2]"#,
    ),
    (
        "{type: string, examples: [a, b]}",
        "{type: string, example: a}",
        r#"["c"]"#,
        r#"[1]"#,
    ),
    (
        "{$ref: '#/components/schemas/Name', maxLength: 3}",
        "{maxLength: 3, allOf: [{$ref: '#/components/schemas/Name'}]}",
        r#"["ab", "abc"]"#,
        r#"["a", "abcd", 1]"#,
    ),
    (
        "{$ref: '#/components/schemas/Thing', properties: {name: {type: string}}, required: [name]}",
        "{properties: {name: {type: string}}, required: [name], allOf: [{$ref: '#/components/schemas/Thing'}]}",
        r#"[{"id": 1, "name": "a"}]"#,
        r#"[{"id": 1}, {"name": "a"}, {"id": "1", "name": "a"}]"#,
    ),
    (
        "{$ref: '#/components/schemas/Name', description: A name}",
        "{$ref: '#/components/schemas/Name'}",
        r#"["ab"]"#,
        r#"["a", null]"#,
    ),
    (
        "{anyOf: [{type: string}, {type: 'null'}], title: Name}",
        "{nullable: true, allOf: [{type: string}]}",
        r#"["a", null]"#,
        r#"[1]"#,
    ),
    (
        "{oneOf: [{type: 'null'}, {$ref: '#/components/schemas/Thing'}]}",
        "{nullable: true, allOf: [{$ref: '#/components/schemas/Thing'}]}",
        r#"[null, {"id": 1}]"#,
        r#"[{}, {"id": "1"}, 1]"#,
    ),
    (
        "{anyOf: [{type: string}, {type: integer}, {type: 'null'}]}",
        "{nullable: true, anyOf: [{type: string}, {type: integer}, {nullable: true, enum: [null]}]}",
        r#"["a", 1, null]"#,
        r#"[true, {}]"#,
    ),
    (
        "{type: object, properties: {a: true, b: false}}",
        "{type: object, properties: {a: {}, b: {not: {}}}}",
        r#"[{"a": 1}, {}]"#,
        r#"[{"b": 1}]"#,
    ),
    (
        "{type: array, items: false}",
        "{type: array, items: {not: {}}}",
        r#"[[]]"#,
        r#"[[1]]"#,
    ),
    (
        "{type: object, properties: {a: {$ref: '#/components/schemas/Name'}}, additionalProperties: false}",
        "{type: object, properties: {a: {$ref: '#/components/schemas/Name'}}, additionalProperties: false}",
        r#"[{"a": "ab"}]"#,
        r#"[{"c": 1}]"#,
    ),
    (
        "{type: string, contentEncoding: base64, contentMediaType: image/png, $comment: None, $id: 'https://example.com'}",
        "{type: string}",
        r#"["not base64!"]"#,
        r#"[1]"#,
    ),
];

#[test]
fn a_schema_of_3_1_means_what_the_schema_of_3_0_means() {
    for (later, earlier, conforming, wrong) in PAIRS {
        let (conforming, wrong) = (values(conforming), values(wrong));
        let old = fixture("3.0.3", earlier);
        for version in ["3.1.0", "3.2.0"] {
            let new = fixture(version, later);
            assert_eq!(facts(&new), facts(&old), "{later}");
            for value in &conforming {
                assert_eq!(found(&new, value), BTreeSet::new(), "{later}: {value}");
            }
            for value in conforming.iter().chain(&wrong) {
                assert_eq!(found(&new, value), found(&old, value), "{later}: {value}");
            }
            for value in &wrong {
                assert!(!found(&new, value).is_empty(), "{later}: {value}");
            }
        }
    }
}

/// Schemas that 3.0 cannot state, each with the keyword that the fact names, values that conform and values that do
/// not.
const WITHOUT_PAIR: &[Row] = &[
    (
        "{type: array, prefixItems: [{type: string}, {type: [integer, 'null']}], items: false}",
        "prefixItems",
        r#"[["a", 1], ["a", null], ["a"], []]"#,
        r#"[[1, 1], ["a", "b"], ["a", 1, 2]]"#,
    ),
    (
        "{type: array, prefixItems: [{const: a}], items: {type: integer}}",
        "prefixItems",
        r#"[["a", 1, 2]]"#,
        r#"[["b"], ["a", "a"]]"#,
    ),
    (
        "{type: object, properties: {kind: {type: string}, name: {}}, if: {properties: {kind: {const: a}}}, \
             then: {required: [size], properties: {size: {type: integer}}}, else: {required: [name]}}",
        "if",
        r#"[{"kind": "a", "size": 1}, {"kind": "b", "name": "x"}]"#,
        r#"[{"kind": "a"}, {"kind": "b"}, {"kind": "a", "size": "1"}]"#,
    ),
    (
        "{type: object, properties: {a: {}, b: {}}, dependentRequired: {a: [b]}}",
        "dependentRequired",
        r#"[{"a": 1, "b": 2}, {"b": 1}, {}]"#,
        r#"[{"a": 1}]"#,
    ),
    (
        "{type: object, properties: {a: {}}, dependentSchemas: {a: {properties: {c: {type: string}}}}}",
        "dependentSchemas",
        r#"[{"a": 1, "c": "x"}, {}]"#,
        r#"[{"a": 1, "c": 2}]"#,
    ),
    (
        "{type: object, properties: {a: {type: string}}, patternProperties: {'^n': {type: number}}, \
             additionalProperties: false}",
        "patternProperties",
        r#"[{"a": "x", "n1": 1}, {}]"#,
        r#"[{"n1": "x"}, {"c": 1}]"#,
    ),
    (
        "{type: object, propertyNames: {pattern: '^[a-z]+$'}, additionalProperties: true}",
        "propertyNames",
        r#"[{"a": 1}]"#,
        r#"[{"A": 1}]"#,
    ),
    (
        "{type: array, items: {}, contains: {const: a}, minContains: 1, maxContains: 2}",
        "contains",
        r#"[["a", "b"], ["a", "a"]]"#,
        r#"[["b"], ["a", "a", "a"]]"#,
    ),
    (
        "{type: object, properties: {name: {type: string}}, allOf: [{$ref: '#/components/schemas/Thing'}], \
             unevaluatedProperties: false}",
        "unevaluatedProperties",
        r#"[{"id": 1, "name": "a"}, {"id": 1}]"#,
        r#"[{"id": 1, "other": 1}]"#,
    ),
    (
        "{type: object, patternProperties: {'^n': {type: number}}, unevaluatedProperties: {type: string}}",
        "patternProperties, unevaluatedProperties",
        r#"[{"n": 1, "a": "x"}, {}]"#,
        r#"[{"n": "x"}, {"a": 1}]"#,
    ),
    (
        "{type: array, prefixItems: [{type: string}], unevaluatedItems: false}",
        "prefixItems, unevaluatedItems",
        r#"[["a"]]"#,
        r#"[["a", 1], [1]]"#,
    ),
];

#[test]
fn what_only_a_later_version_can_state_is_judged() {
    for (schema, keyword, conforming, wrong) in WITHOUT_PAIR {
        let (conforming, wrong) = (values(conforming), values(wrong));
        let fixture = fixture("3.1.1", schema);
        let fact = format!("getThings body: {keyword}");
        for value in &conforming {
            assert_eq!(found(&fixture, value), BTreeSet::new(), "{schema}: {value}");
            assert_eq!(fixture.body(value).fact(&fact), Verdict::Held, "{schema}: {value}");
        }
        for value in &wrong {
            assert_eq!(fixture.body(value).fact(&fact), Verdict::Broken, "{schema}: {value}");
        }
    }
}

#[test]
fn what_a_response_leaves_out_rightly_is_not_missing_where_nothing_else_is_allowed() {
    let schema = "{type: object, allOf: [{type: object, required: [secret, id], properties: {id: {type: integer}, \
                  secret: {type: string, writeOnly: true}}}], unevaluatedProperties: false}";
    assert_eq!(found(&fixture("3.1.0", schema), &json!({"id": 1})), BTreeSet::new());
}

#[test]
fn a_wrong_type_next_to_unevaluated_properties_is_found_once() {
    let schema = "{type: object, properties: {a: {type: string}}, unevaluatedProperties: false}";
    let found = found(&fixture("3.1.0", schema), &json!({"a": 1}));
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn keywords_of_later_versions_state_nothing_in_a_document_of_3_0() {
    for (schema, ..) in WITHOUT_PAIR {
        // In 3.0, a boolean is not a schema.
        let schema = schema.replace("items: false", "items: {}");
        let facts = facts(&fixture("3.0.3", &schema));
        let later = [
            "prefixItems", "if", "dependent", "pattern", "propertyNames", "contains", "uneval",
        ];
        let states = |fact: &&String| later.iter().any(|keyword| fact.contains(&format!(": {keyword}")));
        assert_eq!(facts.iter().find(states), None, "{schema}");
    }
}

#[test]
fn null_in_a_list_of_types_is_a_defect_in_a_document_of_3_0() {
    let text = "openapi: 3.0.3\ninfo: {title: Things, version: '1'}\npaths: {}\ncomponents: {schemas: {A: {type: \
                [string, 'null']}}}\n";
    let message = Contract::read("things.yaml", text.to_owned()).unwrap_err().to_string();
    assert!(message.contains("(/components/schemas/A/type)"), "{message}");
}

#[test]
fn a_finding_names_what_is_written() {
    for (schema, body, below) in [
        ("{type: string, const: a}", json!("b"), "/const"),
        ("{type: [integer, string]}", json!(1.5), "/type"),
        ("{type: [string, 'null']}", json!(1), "/type"),
        ("{anyOf: [{type: 'null'}, {type: string}]}", json!(1), "/anyOf/1/type"),
        (
            "{$ref: '#/components/schemas/Name', allOf: [{maxLength: 3}]}",
            json!("abcd"),
            "/allOf/0/maxLength",
        ),
        ("{type: integer, exclusiveMinimum: 1}", json!(1), "/exclusiveMinimum"),
        ("{type: array, prefixItems: [{const: a}]}", json!([1]), "/prefixItems"),
    ] {
        let fixture = fixture("3.1.0", schema);
        let judged = fixture.body(&body);
        let at = "/paths/~1things/get/responses/200/content/application~1json/schema";
        let finding = &judged.verdicts.findings()[0];
        let fact = fixture.contract.fact(finding.fact);
        assert_eq!(fact.location, format!("{at}{below}"), "{schema}");
        let position = fixture.contract.position(fact);
        let line = fixture.contract.document.line(position);
        let name = below.rsplit('/').next().unwrap();
        let column = usize::try_from(position.column).unwrap() - 1;
        assert_eq!(position.line, 8, "{schema}");
        assert!(line[column..].starts_with(name), "{schema}: {}", &line[column..]);
    }
}
