//! Turns rejections into responses, as the profile says: [`write_rejections`].

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::open::Service;
use super::profile::{Challenge, Duplicates, ErrorBody, Profile, RateLimit, UnknownReferences};
use super::rejection::{FieldProblem, Rejection};

const JSON: &str = "application/json";
const PROBLEM: &str = "application/problem+json";

/// The challenge of RFC 6750, which has no error code when no credential was sent.
const CHALLENGE: &str = r#"Bearer realm="contact-database""#;
const CHALLENGE_WRONG: &str = r#"Bearer realm="contact-database", error="invalid_token""#;

/// Writes the rejection that a response carries, as the profile says; any other response passes unchanged.
pub(super) async fn write_rejections(State(service): State<Service>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if let Some(rejection) = response.extensions_mut().remove::<Rejection>() {
        write(&rejection, service.profile(), &mut response);
    }
    response
}

fn write(rejection: &Rejection, profile: &Profile, response: &mut Response) {
    let status = status(rejection, profile);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    match rejection {
        Rejection::NoCredential if profile.challenge == Challenge::Sent => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
        }
        Rejection::WrongCredential if profile.challenge == Challenge::Sent => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE_WRONG));
        }
        Rejection::TooManyRequests if profile.rate_limit == RateLimit::Announced => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        Rejection::Unavailable => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        // Close the connection instead of reading the rest of the body, which would be taken for the next request. A
        // proxy may interpret a request with two hosts as two requests.
        Rejection::BodyTooLarge | Rejection::BodyTooSlow | Rejection::Host => {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        _ => {}
    }
    if let Some((media_type, body)) = body(rejection, status, profile.error_body) {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        *response.body_mut() = body.into();
    }
}

fn status(rejection: &Rejection, profile: &Profile) -> StatusCode {
    match rejection {
        Rejection::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Rejection::BodyTooSlow => StatusCode::REQUEST_TIMEOUT,
        Rejection::BodyUnfinished | Rejection::Host | Rejection::MalformedBody(_) | Rejection::Page(_) => {
            StatusCode::BAD_REQUEST
        }
        Rejection::Duplicate(_) if profile.duplicates == Duplicates::Conflict => StatusCode::CONFLICT,
        Rejection::Forbidden => StatusCode::FORBIDDEN,
        Rejection::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Rejection::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Rejection::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Rejection::NoCredential | Rejection::WrongCredential => StatusCode::UNAUTHORIZED,
        Rejection::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        Rejection::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Rejection::UnknownContact | Rejection::UnknownPage | Rejection::UnknownPath => StatusCode::NOT_FOUND,
        Rejection::UnknownReference(_) if profile.unknown_references == UnknownReferences::NotFound => {
            StatusCode::NOT_FOUND
        }
        Rejection::Duplicate(_) | Rejection::Fields(_) | Rejection::UnknownReference(_) => {
            profile.invalid_input_status.into()
        }
    }
}

/// Returns the media type and the body of a rejection in this form; `None` if the form has no body.
fn body(rejection: &Rejection, status: StatusCode, form: ErrorBody) -> Option<(&'static str, String)> {
    let (code, message) = rejection.code_and_message();
    let problems = rejection.problems();
    let (media_type, body) = match form {
        ErrorBody::Coded => {
            let fields: Vec<_> = problems.iter().map(dotted).collect();
            (
                JSON,
                json!({"error": {"code": code, "message": message, "fields": fields}}),
            )
        }
        ErrorBody::Empty => return None,
        ErrorBody::FieldList => (JSON, json!({"message": message, "errors": field_list(&problems)})),
        ErrorBody::FieldMap => (JSON, json!({"message": message, "errors": field_map(&problems)})),
        ErrorBody::Message => (JSON, json!({"error": message})),
        ErrorBody::ProblemDetails => (PROBLEM, problem_details(status, message, &problems)),
    };
    Some((media_type, body.to_string()))
}

fn field_list(problems: &[FieldProblem]) -> Vec<Value> {
    let entry = |problem: &FieldProblem| json!({"field": problem.field, "problem": problem.problem});
    problems.iter().map(entry).collect()
}

fn field_map(problems: &[FieldProblem]) -> Map<String, Value> {
    let mut fields = Map::new();
    for problem in problems {
        let entry = fields.entry(dotted(problem)).or_insert_with(|| json!([]));
        entry
            .as_array_mut()
            .into_iter()
            .for_each(|messages| messages.push(problem.problem.into()));
    }
    fields
}

fn problem_details(status: StatusCode, message: &str, problems: &[FieldProblem]) -> Value {
    let entry = |problem: &FieldProblem| match problem.field.as_str() {
        pointer if pointer.is_empty() || pointer.starts_with('/') => {
            json!({"pointer": format!("#{pointer}"), "detail": problem.problem})
        }
        parameter => json!({"parameter": parameter, "detail": problem.problem}),
    };
    json!({
        "type": "about:blank",
        "title": status.canonical_reason(),
        "status": status.as_u16(),
        "detail": message,
        "errors": problems.iter().map(entry).collect::<Vec<_>>(),
    })
}

/// Writes a pointer such as `/contact_methods/0/type` as `contact_methods.0.type`.
fn dotted(problem: &FieldProblem) -> String {
    problem.field.trim_start_matches('/').replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(shape: ErrorBody) -> Option<(&'static str, Value)> {
        let problem = |field: &str, problem| FieldProblem {
            field: field.to_owned(),
            problem,
        };
        let rejection = Rejection::Fields(vec![
            problem("/contact_methods/0/type", "is missing"),
            problem("/dob", "is not a date"),
        ]);
        let written = body(&rejection, StatusCode::UNPROCESSABLE_ENTITY, shape);
        written.map(|(media_type, body)| (media_type, serde_json::from_str(&body).unwrap()))
    }

    #[test]
    fn a_query_parameter_is_named_and_has_no_pointer() {
        let rejection = Rejection::Page("is no number");
        let (_, written) = body(&rejection, StatusCode::BAD_REQUEST, ErrorBody::ProblemDetails).unwrap();
        let written: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(
            written["errors"],
            json!([{"parameter": "page", "detail": "is no number"}])
        );
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
            assert_eq!(read(shape), expected, "{shape:?}");
        }
    }
}
