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
        (json("403 Forbidden", "{}"), "403 /error: present", "nothing"),
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
