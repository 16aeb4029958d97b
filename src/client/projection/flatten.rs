//! The step that makes one object of an `allOf`.

use serde_json::{Map, Value, json};

use super::GenerateError;
use super::schemas::object_at;

/// Replaces each `allOf` with the one schema that its parts add up to.
pub(super) fn flatten_all_of(document: &mut Value) -> Result<(), GenerateError> {
    let original = document.clone();
    flatten_in(document, &original)
}

fn flatten_in(value: &mut Value, document: &Value) -> Result<(), GenerateError> {
    match value {
        Value::Array(values) => values.iter_mut().try_for_each(|inner| flatten_in(inner, document)),
        Value::Object(entries) => {
            if entries.get("allOf").is_some_and(Value::is_array) {
                let mut sum = Map::new();
                add(&mut sum, value, document, &mut Vec::new())?;
                *value = Value::Object(sum);
            }
            let inner = value.as_object_mut().into_iter().flat_map(Map::values_mut);
            inner.into_iter().try_for_each(|inner| flatten_in(inner, document))
        }
        _ => Ok(()),
    }
}

/// Adds `part` to `sum`; `trail` has the references that led to it.
fn add(
    sum: &mut Map<String, Value>,
    part: &Value,
    document: &Value,
    trail: &mut Vec<String>,
) -> Result<(), GenerateError> {
    if let Some(reference) = part.get("$ref").and_then(Value::as_str) {
        return add_referenced(sum, reference, document, trail);
    }
    for (keyword, value) in part.as_object().into_iter().flatten() {
        match (keyword.as_str(), value) {
            ("allOf", Value::Array(parts)) => parts.iter().try_for_each(|inner| add(sum, inner, document, trail))?,
            ("properties", Value::Object(properties)) => add_properties(sum, properties),
            ("required", Value::Array(names)) => add_required(sum, names),
            ("items", items) => add_schema(sum, keyword, items),
            // The parts together have more properties than the closed part lists, so it cannot close the sum.
            ("additionalProperties", Value::Bool(false)) => {}
            _ => {
                sum.entry(keyword).or_insert_with(|| value.clone());
            }
        }
    }
    Ok(())
}

fn add_referenced(
    sum: &mut Map<String, Value>,
    reference: &str,
    document: &Value,
    trail: &mut Vec<String>,
) -> Result<(), GenerateError> {
    let pointer = reference.strip_prefix('#').unwrap_or_default();
    let fail = |problem: &str| GenerateError {
        pointer: pointer.to_owned(),
        message: format!("`{reference}` {problem}"),
    };
    if trail.iter().any(|known| known == reference) {
        return Err(fail("is a part of itself; take it out of its own `allOf`"));
    }
    let target = document.pointer(pointer).ok_or_else(|| fail("leads nowhere"))?;
    trail.push(reference.to_owned());
    add(sum, target, document, trail)?;
    trail.pop();
    Ok(())
}

fn add_properties(sum: &mut Map<String, Value>, properties: &Map<String, Value>) {
    let Some(known) = object_at(sum, "properties") else {
        return;
    };
    for (name, schema) in properties {
        add_schema(known, name, schema);
    }
}

/// A property or an element in two parts must satisfy both: it becomes an `allOf` itself, which is flattened as well.
fn add_schema(known: &mut Map<String, Value>, name: &str, schema: &Value) {
    match known.get_mut(name) {
        Some(earlier) if earlier != schema => *earlier = json!({ "allOf": [earlier.take(), schema] }),
        Some(_) => {}
        None => {
            known.insert(name.to_owned(), schema.clone());
        }
    }
}

fn add_required(sum: &mut Map<String, Value>, names: &[Value]) {
    if let Value::Array(known) = sum.entry("required").or_insert_with(|| json!([])) {
        for name in names {
            if !known.contains(name) {
                known.push(name.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flattened(schemas: &Value) -> Value {
        let mut document = json!({ "components": { "schemas": schemas } });
        flatten_all_of(&mut document).unwrap();
        document["components"]["schemas"].take()
    }

    #[test]
    fn parts_add_up_to_one_open_object() {
        let schemas = flattened(&json!({
            "Base": {
                "type": "object", "additionalProperties": false, "required": ["a"],
                "properties": { "a": { "type": "string" } },
            },
            "Sum": { "description": "both", "allOf": [
                { "$ref": "#/components/schemas/Base" },
                { "type": "object", "required": ["a", "b"], "properties": { "b": { "type": "integer" } } },
            ] },
        }));
        let expected = json!({
            "description": "both", "type": "object", "required": ["a", "b"],
            "properties": { "a": { "type": "string" }, "b": { "type": "integer" } },
        });
        assert_eq!(schemas["Sum"], expected);
        assert_eq!(schemas["Base"]["additionalProperties"], false);
    }

    #[test]
    fn a_property_of_two_parts_keeps_what_both_say() {
        let schemas = flattened(&json!({ "Sum": { "allOf": [
            { "properties": { "a": { "properties": { "b": { "type": "string" } } } } },
            { "properties": { "a": { "properties": { "c": { "type": "string" } } } } },
        ] } }));
        let expected = json!({ "properties": { "b": { "type": "string" }, "c": { "type": "string" } } });
        assert_eq!(schemas["Sum"]["properties"]["a"], expected);
    }

    #[test]
    fn an_element_of_two_parts_keeps_what_both_say() {
        let schemas = flattened(&json!({ "Sum": { "allOf": [
            { "type": "array", "items": { "properties": { "a": { "type": "string" } } } },
            { "items": { "required": ["a"] } },
        ] } }));
        let expected = json!({ "properties": { "a": { "type": "string" } }, "required": ["a"] });
        assert_eq!(schemas["Sum"], json!({ "type": "array", "items": expected }));
    }

    #[test]
    fn a_tree_that_refers_to_itself_through_a_property_is_fine() {
        let schemas = flattened(&json!({ "Tree": { "allOf": [
            { "properties": { "children": { "type": "array", "items": { "$ref": "#/components/schemas/Tree" } } } },
        ] } }));
        assert_eq!(
            schemas["Tree"]["properties"]["children"]["items"]["$ref"],
            "#/components/schemas/Tree"
        );
    }
}
