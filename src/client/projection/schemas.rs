//! The steps on every schema. `operations::for_each_root_schema` finds the outermost schemas of the document, and
//! [`each_schema`] walks from one of them to the schemas inside it. [`reachable`] follows references instead.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::GenerateError;
use super::operations::for_each_root_schema;

/// What a reference to a named schema starts with.
pub(super) const SCHEMA_REFERENCE_PREFIX: &str = "#/components/schemas/";

/// Drops the named schemas that no operation refers to.
pub(crate) fn drop_unused_schemas(document: &mut Value) -> Result<(), GenerateError> {
    let roots = vec![document["paths"].clone()];
    let used = reachable(roots, document);
    if let Some(Value::Object(schemas)) = document.pointer_mut("/components/schemas") {
        schemas.retain(|name, _| used.contains(name));
    }
    Ok(())
}

/// Returns the names of the schemas that `roots` refer to, directly or through other schemas.
pub(super) fn reachable(mut roots: Vec<Value>, document: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    while let Some(root) = roots.pop() {
        note_references(&root, &mut |name| {
            if names.insert(name.to_owned()) {
                roots.extend(document["components"]["schemas"].get(name).cloned());
            }
        });
    }
    names
}

fn note_references(value: &Value, note: &mut impl FnMut(&str)) {
    match value {
        Value::Array(values) => values.iter().for_each(|inner| note_references(inner, note)),
        Value::Object(entries) => {
            let reference = entries.get("$ref").and_then(Value::as_str);
            if let Some(name) = reference.and_then(|it| it.strip_prefix(SCHEMA_REFERENCE_PREFIX)) {
                note(name);
            }
            entries.values().for_each(|inner| note_references(inner, note));
        }
        _ => {}
    }
}

/// Drops each property that must be absent (`not: {}`), and the keyword wherever else it appears.
pub(super) fn drop_not(document: &mut Value) -> Result<(), GenerateError> {
    // The keyword marks the properties to drop, so it is removed last.
    for_each_root_schema(document, &mut |root| each_schema(root, &mut drop_forbidden_properties));
    for_each_root_schema(document, &mut |root| each_schema(root, &mut drop_keyword));
    Ok(())
}

fn drop_forbidden_properties(schema: &mut Value) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|_, property| property.get("not") != Some(&json!({})));
    }
}

fn drop_keyword(schema: &mut Value) {
    if let Value::Object(keywords) = schema {
        keywords.remove("not");
    }
}

/// Makes each property that is not required nullable, so that it becomes an `Option` whatever its type.
pub(super) fn make_optional_fields_nullable(document: &mut Value) -> Result<(), GenerateError> {
    for_each_root_schema(document, &mut |root| each_schema(root, &mut make_optional_nullable));
    Ok(())
}

fn make_optional_nullable(schema: &mut Value) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &String| {
        required
            .as_array()
            .is_some_and(|names| names.iter().any(|known| known == name))
    };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (_, property) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
            make_nullable(property);
        }
    }
}

/// Lets `schema` describe null as well; OpenAPI 3.0 ignores keywords next to a reference, so a reference is wrapped.
pub(super) fn make_nullable(schema: &mut Value) {
    if schema.get("$ref").is_some() {
        *schema = json!({ "allOf": [schema.take()] });
    }
    if let Value::Object(keywords) = schema {
        keywords.insert("nullable".to_owned(), Value::Bool(true));
    }
}

/// Calls `visit` on `schema` and on every schema inside it, the inner ones first.
pub(super) fn each_schema(schema: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    let Value::Object(keywords) = schema else {
        return;
    };
    for (keyword, value) in keywords.iter_mut() {
        for inner in inner_schemas(keyword, value) {
            // The recursion is as deep as the text of the contract, which is bounded when it is read.
            each_schema(inner, visit);
        }
    }
    visit(schema);
}

fn inner_schemas<'a>(keyword: &str, value: &'a mut Value) -> Vec<&'a mut Value> {
    match (keyword, value) {
        ("properties", Value::Object(properties)) => properties.values_mut().collect(),
        ("allOf" | "anyOf" | "oneOf", Value::Array(choices)) => choices.iter_mut().collect(),
        ("additionalProperties" | "items" | "not", schema @ Value::Object(_)) => vec![schema],
        _ => Vec::new(),
    }
}

/// Returns what `value` refers to in `document`, through any number of references, or itself if it is not a reference.
///
/// # Errors
///
/// A reference that leads nowhere or back to itself.
pub(super) fn resolve<'a>(value: &'a Value, document: &'a Value) -> Result<&'a Value, GenerateError> {
    // A chain of references longer than this is a cycle.
    const MAX_CHAIN: usize = 32;
    let mut at = value;
    for _ in 0..MAX_CHAIN {
        let Some(reference) = at.get("$ref").and_then(Value::as_str) else {
            return Ok(at);
        };
        at = reference
            .strip_prefix('#')
            .and_then(|pointer| document.pointer(pointer))
            .ok_or_else(|| GenerateError {
                pointer: String::new(),
                message: format!("the reference `{reference}` leads nowhere"),
            })?;
    }
    Err(GenerateError {
        pointer: String::new(),
        message: "a reference leads back to itself".to_owned(),
    })
}

/// Returns the entries of the object under `key`, which is created if it is missing.
pub(super) fn object_at<'a>(schema: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    schema.entry(key).or_insert_with(|| json!({})).as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(step: fn(&mut Value) -> Result<(), GenerateError>, schema: &Value) -> Value {
        let mut document = json!({ "components": { "schemas": { "A": schema } } });
        step(&mut document).unwrap();
        document["components"]["schemas"]["A"].take()
    }

    #[test]
    fn a_forbidden_property_goes_and_a_restricted_one_stays() {
        let schema = json!({ "not": { "type": "string" }, "properties": {
            "forbidden": { "not": {} },
            "restricted": { "type": "string", "not": { "enum": ["a"] } },
            "not": { "type": "string" },
        } });
        let expected = json!({ "properties": { "restricted": { "type": "string" }, "not": { "type": "string" } } });
        assert_eq!(after(drop_not, &schema), expected);
    }

    #[test]
    fn what_is_not_required_can_be_unset() {
        let schema = json!({ "required": ["a"], "properties": {
            "a": { "type": "array" }, "b": { "type": "array" }, "c": { "$ref": "#/components/schemas/A" },
        } });
        let expected = json!({ "required": ["a"], "properties": {
            "a": { "type": "array" },
            "b": { "type": "array", "nullable": true },
            "c": { "allOf": [{ "$ref": "#/components/schemas/A" }], "nullable": true },
        } });
        assert_eq!(after(make_optional_fields_nullable, &schema), expected);
    }

    #[test]
    fn schemas_that_no_operation_leads_to_go() {
        let mut document = json!({
            "paths": { "/a": { "get": { "schema": { "$ref": "#/components/schemas/Used" } } } },
            "components": { "schemas": {
                "Used": { "items": { "$ref": "#/components/schemas/Inner" } },
                "Inner": { "items": { "$ref": "#/components/schemas/Used" } },
                "Unused": { "items": { "$ref": "#/components/schemas/Inner" } },
            } },
        });
        drop_unused_schemas(&mut document).unwrap();
        let left: Vec<_> = document["components"]["schemas"].as_object().unwrap().keys().collect();
        assert_eq!(left, ["Used", "Inner"]);
    }
}
