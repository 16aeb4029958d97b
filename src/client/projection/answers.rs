//! The steps on answers: one body for an operation, and no field that must be there.

use serde_json::{Value, json};

use super::Unprojectable;
use super::operations::{answer_schemas_mut, keep, operations_mut};
use super::schemas::{each_schema, make_nullable, reachable};

/// Leaves errors without bodies, and one form of body among the successes; where they differ, they are bytes.
pub(super) fn reduce_answers(document: &mut Value) -> Result<(), Unprojectable> {
    for (_, _, operation) in operations_mut(document) {
        let Some(Value::Object(answers)) = operation.get_mut("responses") else {
            continue;
        };
        let has_success = answers.keys().any(|status| status.starts_with('2'));
        answers.retain(|status, _| match status.as_bytes().first() {
            Some(b'2' | b'4' | b'5') => true,
            // It covers the successes only if nothing else does.
            _ => status == "default" && !has_success,
        });
        for (_, answer) in answers.iter_mut().filter(|(status, _)| status.starts_with(['4', '5'])) {
            answer.as_object_mut().and_then(|answer| answer.remove("content"));
        }
        let mut successes = answers
            .iter_mut()
            .filter(|(status, _)| !status.starts_with(['4', '5']))
            .map(|(_, it)| it);
        let first = successes.next().map(|answer| answer.get("content").cloned());
        if successes.any(|answer| Some(answer.get("content").cloned()) != first) {
            make_bytes(operation);
        }
    }
    Ok(())
}

fn make_bytes(operation: &mut Value) {
    let answers = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten();
    for (_, answer) in answers.filter(|(status, _)| status.starts_with('2')) {
        answer["content"] = json!({ "*/*": {} });
    }
}

/// Lets every field of an answer be missing, null or unknown, at every depth.
///
/// A schema that requests use as well is relaxed for both: it stays one type, and the service judges what it is sent.
pub(super) fn relax_answers(document: &mut Value) -> Result<(), Unprojectable> {
    let mut roots = Vec::new();
    for (_, _, operation) in operations_mut(document) {
        for schema in answer_schemas_mut(operation) {
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

/// Keeps the kind of value and the names inside it; a choice of shapes, each of which would fit, becomes any value.
fn relax(schema: &mut Value) {
    keep(
        schema,
        &[
            "$ref",
            "type",
            "description",
            "title",
            "properties",
            "items",
            "additionalProperties",
        ],
    );
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
