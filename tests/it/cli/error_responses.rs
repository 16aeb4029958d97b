//! Responses other than a success whose body the contract documents: their media type, their body, and that there is a
//! body.

use std::io::Write as _;

use serde_json::Value;

use super::stub::{Received, Stub, json};
use super::support::check;

const SPEC: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
security: [{bearer: []}]
paths:
  /things:
    get:
      operationId: getThings
      responses:
        '200': {description: All things, content: {application/json: {schema: {type: array, items: {}}}}}
        '401': {$ref: '#/components/responses/Error'}
  /secrets:
    get:
      operationId: getSecrets
      responses:
        '200': {description: All secrets, content: {application/json: {schema: {type: array, items: {}}}}}
        '403': {$ref: '#/components/responses/Error'}
        4XX: {description: Anything else}
  /errors:
    get:
      operationId: getErrors
      responses:
        '200': {description: All errors, content: {application/json: {schema: {type: array, items: {}}}}}
        default: {$ref: '#/components/responses/Error'}
components:
  securitySchemes:
    bearer: {type: http, scheme: bearer}
  responses:
    Error:
      description: Why it was rejected
      content:
        application/json:
          schema: {type: object, required: [error], properties: {error: {type: string}}}
";

/// A 403 as the contract has it.
fn sound() -> String {
    json("403 Forbidden", r#"{"error": "not yours"}"#)
}

/// A service whose secrets are rejected so, and which rejects every credential but the right one so.
fn target(secrets: String, unauthenticated: String) -> Stub {
    Stub::start(move |request, stream| stream.write_all(response(request, &secrets, &unauthenticated).as_bytes()))
}

fn response(request: &Received, secrets: &str, unauthenticated: &str) -> String {
    if !request.authorized() {
        unauthenticated.to_owned()
    } else if request.head.contains("/secrets") {
        secrets.to_owned()
    } else {
        json("200 OK", "[]")
    }
}

/// The exit code, and each finding at deny: its fact and what was received.
fn found(secrets: String, unauthenticated: String) -> (i32, Vec<(String, String)>) {
    let target = target(secrets, unauthenticated);
    let (ended, report) = check(&target.url(), &["--spec", "things.yaml"])
        .file("things.yaml", SPEC)
        .report();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    let denied = findings.filter(|finding| finding["level"] == "deny");
    let denied = denied.map(|finding| (text(&finding["fact"]), text(&finding["received"])));
    assert!(
        target
            .received()
            .iter()
            .any(|request| request.head.contains("/secrets"))
    );
    (ended.code, denied.collect())
}

fn unauthenticated() -> String {
    json("401 Unauthorized", r#"{"error": "who are you"}"#)
}

#[test]
fn a_documented_error_that_comes_as_documented_is_no_finding() {
    assert_eq!(found(sound(), unauthenticated()), (0, Vec::new()));
}

#[test]
fn an_error_of_another_media_type_or_shape_or_without_its_body_is_found() {
    let problem = sound().replace("application/json", "application/problem+json");
    let untyped = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned();
    for (secrets, fact, received) in [
        (problem, "403 media type: application/json", "application/problem+json"),
        (untyped, "403 media type: application/json", "no body"),
        (json("403 Forbidden", ""), "403 body: JSON", "an empty body"),
        (
            json("403 Forbidden", "{}"),
            "403 /error: present",
            "the field is absent",
        ),
        (
            json("403 Forbidden", r#"{"error": 7}"#),
            "403 /error: string",
            "integer",
        ),
    ] {
        let (code, denied) = found(secrets, unauthenticated());
        let [(broken, shown)] = denied.as_slice() else {
            panic!("{fact}: {denied:?}");
        };
        assert_eq!((code, broken.as_str()), (1, format!("getSecrets {fact}").as_str()));
        assert_eq!(shown, received, "{fact}");
    }
}

#[test]
fn a_rejected_credential_is_held_to_the_documented_error_and_where_default_documents_it_too() {
    let (code, mut denied) = found(sound(), unauthenticated().replace("application/json", "text/plain"));
    denied.sort();
    let facts: Vec<_> = denied.iter().map(|(fact, _)| fact.as_str()).collect();
    assert_eq!(
        (code, facts),
        (
            1,
            vec![
                "getErrors default media type: application/json",
                "getThings 401 media type: application/json"
            ]
        )
    );
}

#[test]
fn an_error_whose_content_is_not_documented_comes_as_it_likes() {
    let teapot = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 1\r\nConnection: close\r\n\r\n<";
    let (_, denied) = found(teapot.to_owned(), unauthenticated());
    assert!(denied.iter().all(|(fact, _)| !fact.contains("4XX")), "{denied:?}");
}

/// Nothing shows what the path of these operations takes.
const UNFILLED: &str = "\
openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /status:
    get:
      operationId: getStatus
      responses: {'200': {description: OK, content: {application/json: {schema: {type: object}}}}}
  /owners/{owner}/pets/{pet}:
    parameters:
    - {name: owner, in: path, required: true, schema: {type: string}}
    - {name: pet, in: path, required: true, schema: {type: integer}}
    get:
      operationId: getPet
      responses:
        '200': {description: The pet, content: {application/json: {schema: {type: object}}}}
        '404': {$ref: '#/components/responses/Error'}
        '422': {$ref: '#/components/responses/Error'}
    put:
      operationId: putPet
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {'200': {description: OK}}
    delete: {operationId: deletePet, responses: {'204': {description: Gone}}}
components:
  responses:
    Error:
      description: Why it was rejected
      content:
        application/json:
          schema: {type: object, required: [error], properties: {error: {type: string}}}
";

/// The verdict of each fact about the errors of `getPet`, by its name, where the service answers a pet that is a number
/// and one that is not so; and the requests under `/owners`.
fn unfilled(unknown: String, malformed: String) -> (Vec<(String, String)>, Vec<String>) {
    let target = Stub::start(move |request, stream| {
        let path = request.head.split(' ').nth(1).unwrap_or_default();
        let pet = path.rsplit('/').next().unwrap_or_default();
        let response = match (path.starts_with("/owners/"), pet.parse::<u64>()) {
            (false, _) => json("200 OK", "{}"),
            (true, Ok(_)) => unknown.clone(),
            (true, Err(_)) => malformed.clone(),
        };
        stream.write_all(response.as_bytes())
    });
    let (_, report) = check(&target.url(), &["--spec", "pets.yaml", "--writes", "--cleanup"])
        .file("pets.yaml", UNFILLED)
        .report();
    let rows = report["facts"]["rows"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rows = rows.map(|row| (text(&row["fact"]), text(&row["verdict"])));
    let errors = rows.filter(|(fact, _)| fact.starts_with("getPet 4")).collect();
    let received = target.received().into_iter().map(|request| request.head);
    let received = received.filter(|head| head.contains("/owners/"));
    (
        errors,
        received
            .map(|head| head.lines().next().unwrap_or_default().to_owned())
            .collect(),
    )
}

#[test]
fn a_read_that_nothing_fills_is_asked_for_records_that_nobody_has_and_its_errors_are_judged() {
    let error = |status: &str| json(status, r#"{"error": "no"}"#);
    let (errors, received) = unfilled(error("404 Not Found"), error("422 Unprocessable Content"));
    assert_eq!(errors.len(), 10, "{errors:?}");
    assert!(errors.iter().all(|(_, verdict)| verdict == "held"), "{errors:?}");
    assert!(!received.is_empty());
    for line in received {
        let path = line
            .strip_prefix("GET ")
            .and_then(|line| line.split(' ').next())
            .unwrap();
        let segments: Vec<_> = path.split('/').collect();
        assert!(uuid::Uuid::parse_str(segments[2]).is_ok(), "{line}");
        let pet = segments[4];
        let of_nobody = ["9007199254740991", "100000000000000000000"];
        assert!(of_nobody.contains(&pet) || pet.starts_with("no-identifier-"), "{line}");
    }
}

#[test]
fn of_a_read_that_nothing_fills_an_error_that_departs_from_the_document_is_found() {
    let (errors, _) = unfilled(
        json("404 Not Found", "{}"),
        json("422 Unprocessable Content", r#"{"error": 7}"#),
    );
    let broken: Vec<_> = errors.iter().filter(|(_, verdict)| verdict == "broken").collect();
    let facts: Vec<_> = broken.iter().map(|(fact, _)| fact.as_str()).collect();
    assert_eq!(facts, ["getPet 404 /error: present", "getPet 422 /error: string"]);
}

#[test]
fn what_routes_requests_may_answer_a_malformed_identifier_as_it_likes() {
    let (errors, _) = unfilled(
        json("404 Not Found", r#"{"error": "no"}"#),
        json("404 Not Found", r#"{"detail": 7}"#),
    );
    assert!(errors.iter().all(|(_, verdict)| verdict != "broken"), "{errors:?}");
}
