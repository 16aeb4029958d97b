//! The shapes that the body of a refusal may have: [`write()`].

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::profile::ErrorBody;
use super::refusal::{FieldProblem, Refusal};

const JSON: &str = "application/json";
const PROBLEM: &str = "application/problem+json";

/// Writes the body of a refusal, with its media type; nothing where the shape has no body.
pub(super) fn write(refusal: &Refusal, status: StatusCode, shape: ErrorBody) -> Option<(&'static str, String)> {
    let (code, message) = refusal.code_and_message();
    let problems = refusal.problems();
    let (media_type, body) = match shape {
        ErrorBody::Coded => {
            let fields: Vec<_> = problems.iter().map(dotted).collect();
            (
                JSON,
                json!({"error": {"code": code, "message": message, "fields": fields}}),
            )
        }
        ErrorBody::Empty => return None,
        ErrorBody::FieldList => (JSON, json!({"message": message, "errors": list(&problems)})),
        ErrorBody::FieldMap => (JSON, json!({"message": message, "errors": map(&problems)})),
        ErrorBody::Message => (JSON, json!({"error": message})),
        ErrorBody::ProblemDetails => (PROBLEM, details(status, message, &problems)),
    };
    Some((media_type, body.to_string()))
}

fn list(problems: &[FieldProblem]) -> Vec<Value> {
    let entry = |wrong: &FieldProblem| json!({"field": wrong.field, "problem": wrong.problem});
    problems.iter().map(entry).collect()
}

fn map(problems: &[FieldProblem]) -> Map<String, Value> {
    let mut fields = Map::new();
    for wrong in problems {
        let entry = fields.entry(dotted(wrong)).or_insert_with(|| json!([]));
        entry
            .as_array_mut()
            .into_iter()
            .for_each(|rendered| rendered.push(wrong.problem.into()));
    }
    fields
}

fn details(status: StatusCode, message: &str, problems: &[FieldProblem]) -> Value {
    let entry = |wrong: &FieldProblem| json!({"pointer": format!("#{}", wrong.field), "detail": wrong.problem});
    json!({
        "type": "about:blank",
        "title": status.canonical_reason(),
        "status": status.as_u16(),
        "detail": message,
        "errors": problems.iter().map(entry).collect::<Vec<_>>(),
    })
}

/// Writes a pointer such as `/contact_methods/0/type` as `contact_methods.0.type`.
fn dotted(wrong: &FieldProblem) -> String {
    wrong.field.trim_start_matches('/').replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(shape: ErrorBody) -> Option<(&'static str, Value)> {
        let problem = |field: &str, problem| FieldProblem {
            field: field.to_owned(),
            problem,
        };
        let refusal = Refusal::Fields(vec![
            problem("/contact_methods/0/type", "is missing"),
            problem("/dob", "is not a date"),
        ]);
        let written = write(&refusal, StatusCode::UNPROCESSABLE_ENTITY, shape);
        written.map(|(media_type, body)| (media_type, serde_json::from_str(&body).unwrap()))
    }

    #[test]
    fn every_shape_but_the_shortest_names_the_fields() {
        let message = "some fields are not acceptable";
        let list = json!([
            {"field": "/contact_methods/0/type", "problem": "is missing"},
            {"field": "/dob", "problem": "is not a date"},
        ]);
        let map = json!({"contact_methods.0.type": ["is missing"], "dob": ["is not a date"]});
        let fields = json!(["contact_methods.0.type", "dob"]);
        let pointers = json!([
            {"pointer": "#/contact_methods/0/type", "detail": "is missing"},
            {"pointer": "#/dob", "detail": "is not a date"},
        ]);
        let title = "Unprocessable Entity";
        let details =
            json!({"type": "about:blank", "title": title, "status": 422, "detail": message, "errors": pointers});
        let coded = json!({"error": {"code": "invalid_fields", "message": message, "fields": fields}});
        for (shape, expected) in [
            (
                ErrorBody::FieldList,
                Some((JSON, json!({"message": message, "errors": list}))),
            ),
            (
                ErrorBody::FieldMap,
                Some((JSON, json!({"message": message, "errors": map}))),
            ),
            (ErrorBody::Coded, Some((JSON, coded))),
            (ErrorBody::ProblemDetails, Some((PROBLEM, details))),
            (ErrorBody::Message, Some((JSON, json!({"error": message})))),
            (ErrorBody::Empty, None),
        ] {
            assert_eq!(body(shape), expected, "{shape:?}");
        }
    }
}
