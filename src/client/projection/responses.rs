//! The steps on responses: one body for each operation, and no required field.

use serde_json::{Value, json};

use super::GenerateError;
use super::marks::{self, TIME};
use super::operations::{keep, operations_mut, response_schemas_mut};
use super::schemas::{each_schema, make_nullable, reachable};

/// Removes the bodies of errors, and leaves one form of body among the successes; where these differ, they become
/// bytes.
pub(super) fn reduce_responses(document: &mut Value) -> Result<(), GenerateError> {
    for (_, _, operation) in operations_mut(document) {
        let Some(Value::Object(responses)) = operation.get_mut("responses") else {
            continue;
        };
        let has_success = responses.keys().any(|status| status.starts_with('2'));
        responses.retain(|status, _| match status.as_bytes().first() {
            Some(b'2' | b'4' | b'5') => true,
            // `default` covers the successes only if nothing else does.
            _ => status == "default" && !has_success,
        });
        for (_, response) in responses
            .iter_mut()
            .filter(|(status, _)| status.starts_with(['4', '5']))
        {
            response.as_object_mut().and_then(|response| response.remove("content"));
        }
        let mut successes = responses
            .iter_mut()
            .filter(|(status, _)| !status.starts_with(['4', '5']))
            .map(|(_, it)| it);
        let first = successes.next().map(|response| response.get("content").cloned());
        if successes.any(|response| Some(response.get("content").cloned()) != first) {
            make_bytes(operation);
        }
    }
    Ok(())
}

fn make_bytes(operation: &mut Value) {
    let responses = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten();
    for (_, response) in responses.filter(|(status, _)| status.starts_with('2')) {
        response["content"] = json!({ "*/*": {} });
    }
}

/// Lets every field of a response be missing, null or unknown, at every depth.
///
/// A schema that requests use as well is relaxed for both: it stays one type, and the service judges what it receives.
pub(super) fn relax_responses(document: &mut Value) -> Result<(), GenerateError> {
    let mut roots = Vec::new();
    for (_, _, operation) in operations_mut(document) {
        for schema in response_schemas_mut(operation) {
            roots.push(schema.clone());
            each_schema(schema, &mut relax);
        }
    }
    for name in reachable(roots, document) {
        if let Some(schema) = document["components"]["schemas"].get_mut(&name) {
            each_schema(schema, &mut relax);
        }
    }
    Ok(())
}

/// Keeps the kind of value and the names inside it; alternatives (`oneOf`, `anyOf`) become any value, because each
/// would fit.
fn relax(schema: &mut Value) {
    const KEPT: [&str; 7] = [
        "$ref", "type", "description", "title", "properties", "items", "additionalProperties",
    ];
    if schema["type"] == "string" && schema["format"] == "date-time" {
        schema[TIME] = json!(true);
    }
    keep(schema, &[&KEPT[..], &marks::ALL[..]].concat());
    let Value::Object(keywords) = schema else {
        return;
    };
    match keywords.get_mut("additionalProperties") {
        Some(Value::Bool(false)) => {
            keywords.remove("additionalProperties");
        }
        Some(values @ Value::Object(_)) => make_nullable(values),
        _ => {}
    }
    if keywords.contains_key("properties") {
        keywords.insert("type".to_owned(), json!("object"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(step: fn(&mut Value) -> Result<(), GenerateError>, mut document: Value) -> Value {
        step(&mut document).unwrap();
        document
    }

    fn answering(responses: &Value) -> Value {
        json!({ "paths": { "/a": { "get": { "responses": responses } } } })
    }

    fn body(schema: &Value) -> Value {
        json!({ "description": "d", "content": { "application/json": { "schema": schema } } })
    }

    #[test]
    fn errors_lose_their_bodies_and_a_default_beside_a_success_goes() {
        let (schema, bare) = (json!({ "type": "object" }), json!({ "description": "d" }));
        let before = json!({ "200": body(&schema), "302": bare, "404": body(&schema), "default": body(&schema) });
        let expected = json!({ "200": body(&schema), "404": bare });
        assert_eq!(after(reduce_responses, answering(&before)), answering(&expected));
    }

    #[test]
    fn a_default_that_documents_the_success_stays() {
        let before = answering(&json!({ "default": body(&json!({ "type": "object" })) }));
        assert_eq!(after(reduce_responses, before.clone()), before);
    }

    #[test]
    fn successes_that_differ_are_bytes() {
        let before = json!({ "200": body(&json!({ "type": "object" })), "204": { "description": "d" } });
        let bytes = json!({ "description": "d", "content": { "*/*": {} } });
        assert_eq!(
            after(reduce_responses, answering(&before)),
            answering(&json!({ "200": bytes, "204": bytes }))
        );
    }

    #[test]
    fn responses_are_relaxed_at_every_depth_and_requests_are_not() {
        let strict = json!({ "type": "object", "required": ["a"], "additionalProperties": false, "properties": {
            "a": { "type": "string", "enum": ["x"], "format": "uuid", "minLength": 1 },
            "b": { "type": "object", "additionalProperties": { "type": "string" } },
            "c": { "oneOf": [{ "type": "string" }, { "type": "integer" }] },
            "d": { "type": "string", "format": "date-time" },
        } });
        let relaxed = json!({ "type": "object", "properties": {
            "a": { "type": "string" },
            "b": { "type": "object", "additionalProperties": { "type": "string", "nullable": true } },
            "c": {},
            "d": { "type": "string", TIME: true },
        } });
        let mut document = answering(&json!({ "200": body(&json!({ "$ref": "#/components/schemas/Outer" })) }));
        document["components"]["schemas"] = json!({
            "Outer": { "type": "array", "maxItems": 1, "items": { "$ref": "#/components/schemas/Inner" } },
            "Inner": strict, "Request": strict,
        });
        let document = after(relax_responses, document);
        let expected = json!({
            "Outer": { "type": "array", "items": { "$ref": "#/components/schemas/Inner" } },
            "Inner": relaxed, "Request": strict,
        });
        assert_eq!(document["components"]["schemas"], expected);
    }
}
