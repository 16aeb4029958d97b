//! Creates that change the record which the caller has already, instead of creating another. A list that had shown all
//! records before, and shows one more after the create, can tell; where there is none, only a second create can. Until
//! then, nothing is updated or deleted.

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

/// The list of the profiles, in pages.
const LIST: &str = "
    get:
      operationId: profiles
      parameters: [{name: page, in: query, schema: {type: integer}}, {name: per_page, in: query, schema: {type: integer}}]
      responses:
        '200':
          description: OK
          content:
            application/json:
              schema:
                type: object
                properties:
                  total: {type: integer}
                  next: {type: string, nullable: true}
                  items: {type: array, items: {$ref: '#/components/schemas/Profile'}}";

/// What the list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lists {
    /// There is none.
    Nothing,
    /// All profiles, and how many there are.
    All,
    /// The profile that was changed last, as if there were no others.
    LastChanged,
    /// As `All`, and before the first create it fails.
    AllAfterCreate,
    /// As `All`, and by its document it may leave records out.
    AllButHidden,
    /// The profiles that were there before, as if there were no others.
    Existing,
}

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
async fn accepted(service: (Creates, Lists), max_writes: u64) -> Vec<String> {
    check(service, max_writes).await.0
}

/// Returns the methods of the writes that were accepted, and the rules of the findings.
async fn check((creates, lists): (Creates, Lists), max_writes: u64) -> (Vec<String>, Vec<String>) {
    let existing = [4_077, 4_078].map(|id| json!({"id": id, "name": "Somebody's", "motto": "Theirs"}));
    let state = Arc::new(Mutex::new((existing.to_vec(), Vec::<String>::new())));
    let shared = Arc::clone(&state);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let (profiles, accepted) = &mut *shared.lock().unwrap();
        let has_created = accepted.iter().any(|method| method == "POST");
        let response = match (&method, uri.path()) {
            (&Method::GET, "/profiles") => list((lists, has_created), profiles),
            (method, path) => respond((creates, has_created), profiles, (method, path), &body),
        };
        if method != Method::GET && response.status().is_success() {
            accepted.push(method.to_string());
        }
        async { response }
    });
    let at = "  /profiles:";
    let contract = match lists {
        Lists::Nothing => PROFILES.to_owned(),
        Lists::AllButHidden => {
            let hides = ", {name: include_archived, in: query, schema: {type: boolean}}]\n      responses";
            let list = LIST.replace("]\n      responses", hides);
            PROFILES.replace(&format!("{at}\n"), &format!("{at}{list}\n"))
        }
        _ => PROFILES.replace(&format!("{at}\n"), &format!("{at}{LIST}\n")),
    };
    let check = Check::new(Contract::read("profiles.yaml", contract).unwrap()).service(router);
    let check = check.writes(true).cleanup(true).max_writes(max_writes).seed(1);
    let report = check.settle(std::time::Duration::ZERO).run().await.unwrap();
    let findings = report.record().findings.iter();
    let rules = findings.map(|finding| finding.rule.to_string()).collect();
    (state.lock().unwrap().1.clone(), rules)
}

fn list((lists, has_created): (Lists, bool), profiles: &[Value]) -> Response {
    let shown = match lists {
        Lists::Nothing | Lists::AllAfterCreate if !has_created => {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
        Lists::Existing => &profiles[..2],
        Lists::LastChanged if has_created => &profiles[..1],
        Lists::LastChanged => &profiles[1..],
        _ => profiles,
    };
    axum::Json(json!({"items": shown, "total": shown.len(), "next": null})).into_response()
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
        for lists in [Lists::Nothing, Lists::All, Lists::LastChanged, Lists::AllAfterCreate] {
            // With room for one record alone, no second create is sent, whatever the list shows.
            for max_writes in [1, 20].into_iter().filter(|most| *most > 1 || lists == Lists::Nothing) {
                let accepted = accepted((creates, lists), max_writes).await;
                let creates_alone = !accepted.is_empty() && accepted.len() <= 3;
                assert!(
                    creates_alone && accepted.iter().all(|method| method == "POST"),
                    "{creates:?}, {lists:?} with {max_writes}: {accepted:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn one_record_is_not_enough_whatever_its_list_shows() {
    for lists in [Lists::Nothing, Lists::All, Lists::AllAfterCreate, Lists::AllButHidden] {
        let accepted = accepted((Creates::New, lists), 1).await;
        assert_eq!(accepted, ["POST"], "{lists:?}");
    }
}

#[tokio::test]
async fn records_of_a_create_that_makes_a_new_one_each_time_are_updated_and_deleted() {
    let accepted = accepted((Creates::New, Lists::Nothing), 20).await;
    let count = |method: &str| accepted.iter().filter(|known| *known == method).count();
    assert!(count("PUT") > 1, "{accepted:?}");
    assert!(count("POST") > 1, "{accepted:?}");
    assert_eq!(count("DELETE"), count("POST"), "{accepted:?}");
}

#[tokio::test]
async fn a_list_of_pages_that_says_it_has_all_records_and_lacks_a_new_one_is_found() {
    let lacks = |rules: &[String]| rules.contains(&"lifecycle".to_owned());
    let (_, rules) = check((Creates::New, Lists::Existing), 20).await;
    assert!(lacks(&rules), "{rules:?}");
    for lists in [Lists::All, Lists::AllButHidden] {
        let (_, rules) = check((Creates::New, lists), 20).await;
        assert!(!lacks(&rules), "{lists:?}: {rules:?}");
    }
}
