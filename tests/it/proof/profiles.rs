//! Creates that change the record which the caller has already, instead of creating another: no list shows it, so only
//! a second create can tell. Until that has returned another identifier, nothing is updated or deleted.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::{Check, Contract};
use serde_json::{Value, json};

const PROFILES: &str = "openapi: 3.0.3
info: {title: Profiles, version: '1'}
components:
  schemas:
    New: {type: object, required: [name, motto], properties: {name: {type: string}, motto: {type: string}, tone: {type: string, enum: [calm, loud]}}}
    Profile:
      type: object
      required: [id, name, motto]
      properties: {id: {type: integer}, name: {type: string}, motto: {type: string}}
  responses:
    Profile: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Profile'}}}}
paths:
  /profiles:
    post:
      operationId: addProfile
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses: {'201': {$ref: '#/components/responses/Profile'}}
  /profiles/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: getProfile, responses: {'200': {$ref: '#/components/responses/Profile'}}}
    put:
      operationId: setProfile
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses: {'200': {$ref: '#/components/responses/Profile'}}
    delete: {operationId: dropProfile, responses: {'204': {description: Gone}}}
";

/// What a create does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Creates {
    /// It makes a profile.
    New,
    /// It changes the profile of the caller.
    Change,
    /// It changes the profile of the caller for the tone that was sent.
    ChangeByTone,
    /// As `Change`, and any later one is rejected with this status.
    ChangeOnce(u16),
}

/// Returns the methods of the writes that were accepted.
async fn accepted(creates: Creates, max_writes: u64) -> Vec<String> {
    let existing = [4_077, 4_078].map(|id| json!({"id": id, "name": "Somebody's", "motto": "Theirs"}));
    let state = Arc::new(Mutex::new((existing.to_vec(), Vec::<String>::new())));
    let shared = Arc::clone(&state);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let (profiles, accepted) = &mut *shared.lock().unwrap();
        let has_created = accepted.iter().any(|method| method == "POST");
        let response = respond((creates, has_created), profiles, (&method, uri.path()), &body);
        if method != Method::GET && response.status().is_success() {
            accepted.push(method.to_string());
        }
        async { response }
    });
    let check = Check::new(Contract::read("profiles.yaml", PROFILES.to_owned()).unwrap()).service(router);
    let check = check.writes(true).cleanup(true).max_writes(max_writes).seed(1);
    check.settle(std::time::Duration::ZERO).run().await.unwrap();
    state.lock().unwrap().1.clone()
}

fn respond(
    (creates, has_created): (Creates, bool),
    profiles: &mut Vec<Value>,
    (method, path): (&Method, &str),
    body: &Bytes,
) -> Response {
    let sent = serde_json::from_slice::<Value>(body).ok();
    let sent = sent.filter(|sent| sent["name"].is_string() && sent["motto"].is_string());
    if method == Method::POST {
        let Some(sent) = sent else {
            return StatusCode::BAD_REQUEST.into_response();
        };
        let at = match creates {
            Creates::ChangeOnce(status) if has_created => return StatusCode::from_u16(status).unwrap().into_response(),
            Creates::Change | Creates::ChangeOnce(_) => 0,
            Creates::ChangeByTone => usize::from(sent["tone"] != "calm"),
            Creates::New => {
                profiles.push(json!({"id": 4_077 + profiles.len()}));
                profiles.len() - 1
            }
        };
        profiles[at]["name"] = sent["name"].clone();
        profiles[at]["motto"] = sent["motto"].clone();
        return (StatusCode::CREATED, axum::Json(&profiles[at])).into_response();
    }
    let named = |profile: &Value| path.strip_prefix("/profiles/") == Some(profile["id"].to_string().as_str());
    let Some(at) = profiles.iter().position(named) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    match (method, sent) {
        (&Method::DELETE, _) => {
            profiles.remove(at);
            return StatusCode::NO_CONTENT.into_response();
        }
        (&Method::PUT, None) => return StatusCode::BAD_REQUEST.into_response(),
        (&Method::PUT, Some(sent)) => {
            profiles[at]["name"] = sent["name"].clone();
            profiles[at]["motto"] = sent["motto"].clone();
        }
        _ => {}
    }
    axum::Json(&profiles[at]).into_response()
}

#[tokio::test]
async fn nothing_is_written_under_a_record_that_may_have_been_there_before() {
    for creates in [
        Creates::Change,
        Creates::ChangeByTone,
        Creates::ChangeOnce(409),
        Creates::ChangeOnce(422),
        Creates::ChangeOnce(503),
    ] {
        for max_writes in [1, 20] {
            let accepted = accepted(creates, max_writes).await;
            let creates_alone = !accepted.is_empty() && accepted.len() <= 3;
            assert!(
                creates_alone && accepted.iter().all(|method| method == "POST"),
                "{creates:?} with {max_writes}: {accepted:?}"
            );
        }
    }
}

#[tokio::test]
async fn records_of_a_create_that_makes_a_new_one_each_time_are_updated_and_deleted() {
    let accepted = accepted(Creates::New, 20).await;
    let count = |method: &str| accepted.iter().filter(|known| *known == method).count();
    assert!(count("PUT") > 1, "{accepted:?}");
    assert!(count("POST") > 1, "{accepted:?}");
    assert_eq!(count("DELETE"), count("POST"), "{accepted:?}");
}
