//! `openapi.yaml` as a judge of responses: every documented field is present with its type, and nothing else is.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::{Value, json};

/// Panics unless `body` is exactly what the schema `name` of the contract describes.
#[track_caller]
pub(super) fn assert_responses(name: &str, body: &Value) {
    let validator = validator(name);
    let problems: Vec<String> = validator
        .iter_errors(body)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "no {name}: {problems:#?}\n{body:#}");
}

/// Whether null may replace a field of a resource: the document does not say.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Nulls {
    Rejected,
    Taken,
}

/// Panics unless `body` is what the schema `name` of the contract describes; `about` says which service answered it.
pub(super) fn assert_conforms(name: &str, body: &Value, nulls: Nulls, about: &str) {
    type Known = Mutex<HashMap<(String, Nulls), Arc<Validator>>>;
    static KNOWN: LazyLock<Known> = LazyLock::new(Known::default);
    let known = KNOWN
        .lock()
        .unwrap()
        .entry((name.to_owned(), nulls))
        .or_insert_with(|| Arc::new(compiled(name, nulls)))
        .clone();
    let problems: Vec<String> = known
        .iter_errors(body)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{about}: no {name}: {problems:#?}");
}

fn validator(name: &str) -> Validator {
    compiled(name, Nulls::Rejected)
}

fn compiled(name: &str, nulls: Nulls) -> Validator {
    let contract: serde_yaml::Value = serde_yaml::from_str(include_str!("../../../openapi.yaml")).unwrap();
    let mut schemas = serde_json::to_value(&contract["components"]["schemas"]).unwrap();
    for (name, schema) in schemas.as_object_mut().unwrap() {
        close(schema, name != "Contact");
        let is_envelope = name.ends_with("Page") || name.ends_with("Created");
        if nulls == Nulls::Taken && !is_envelope {
            take_null(schema);
        }
    }
    let root = json!({"$ref": format!("#/components/schemas/{name}"), "components": {"schemas": schemas}});
    jsonschema::draft202012::new(&root).unwrap()
}

/// Forbids what a schema does not list. A part of an `allOf` cannot be closed by itself: the other parts add to it.
fn close(schema: &mut Value, whole: bool) {
    let Some(keywords) = schema.as_object_mut() else { return };
    let lists = keywords.contains_key("properties") || keywords.contains_key("allOf");
    if whole && lists {
        keywords.insert("unevaluatedProperties".to_owned(), json!(false));
    }
    for part in keywords
        .get_mut("allOf")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        close(part, false);
    }
    for property in keywords
        .get_mut("properties")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(|all| all.values_mut())
    {
        close(property, true);
    }
    if let Some(items) = keywords.get_mut("items") {
        close(items, true);
    }
}

/// Lets null replace every field of a schema and of those within it.
fn take_null(schema: &mut Value) {
    let Some(keywords) = schema.as_object_mut() else { return };
    for (name, inner) in keywords.iter_mut() {
        match name.as_str() {
            "allOf" => inner.as_array_mut().into_iter().flatten().for_each(take_null),
            "items" => take_null(inner),
            "properties" => {
                for property in inner.as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
                    take_null(property);
                    if property.get("not").is_none() {
                        *property = json!({"anyOf": [property.take(), {"type": "null"}]});
                    }
                }
            }
            _ => {}
        }
    }
}

fn is_tag_page(body: &Value) -> bool {
    validator("TagPage").is_valid(body)
}

#[test]
fn the_judge_takes_what_is_documented_and_nothing_else() {
    let page = |items: Value| json!({"data": {"per_page": 10, "page": 1, "total": 1, "last_page": 1, "items": items}});
    assert!(is_tag_page(&page(json!([{"id": "a", "name": "b"}]))));
    assert!(!is_tag_page(&page(json!([{"id": "a"}]))));
    assert!(!is_tag_page(&page(json!([{"id": "a", "name": null}]))));
    assert!(!is_tag_page(&page(
        json!([{"id": "a", "name": "b", "color": "#000000"}])
    )));
}

#[test]
fn the_judge_knows_where_custom_fields_belong() {
    let fresh = validator("ContactFresh");
    let forbidden = json!({"custom_fields": {}});
    assert!(
        fresh
            .iter_errors(&forbidden)
            .any(|error| error.instance_path().to_string() == "/custom_fields")
    );
    let listed = validator("ContactListed");
    assert!(
        !listed
            .iter_errors(&forbidden)
            .any(|error| error.instance_path().to_string() == "/custom_fields")
    );
}
