//! Documents without any of our keywords: what a create shows besides its own record is never written to, a job is not
//! a record, and an identifier that is a personal address is in no output. Each case asserts on what reached the
//! service.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const TOKEN: &str = "token-of-a-foreign-service";

/// Things are created, read and updated; each belongs to a user, who is read, updated and sent messages.
const THINGS: &str = "openapi: 3.0.3
info: {title: Things, version: '1'}
security: [{key: []}]
components:
  securitySchemes: {key: {type: http, scheme: bearer}}
  schemas:
    Named: {type: object, properties: {name: {type: string}}}
  requestBodies:
    Named: {content: {application/json: {schema: {$ref: '#/components/schemas/Named'}}}}
  responses:
    Named: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Named'}}}}
paths:
  /things:
    post:
      operationId: createThing
      requestBody: {$ref: '#/components/requestBodies/Named'}
      responses:
        2XX:
          description: Created
          content: {application/json: {schema: {$ref: '#/components/schemas/Named'}}}
          links:
            LINKS
  /things/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getThing, responses: {'200': {$ref: '#/components/responses/Named'}}}
    put:
      operationId: putThing
      requestBody: {$ref: '#/components/requestBodies/Named'}
      responses: {'200': {$ref: '#/components/responses/Named'}}
  /users/{user}:
    parameters: [{name: user, in: path, required: true, schema: {type: string}}]
    get: {operationId: getUser, responses: {'200': {$ref: '#/components/responses/Named'}}}
    put:
      operationId: putUser
      requestBody: {$ref: '#/components/requestBodies/Named'}
      responses: {'200': {$ref: '#/components/responses/Named'}}
  /users/{user}/messages:
    parameters: [{name: user, in: path, required: true, schema: {type: string}}]
    post:
      operationId: sendMessage
      requestBody: {$ref: '#/components/requestBodies/Named'}
      responses:
        '201':
          description: Sent
          links: {It: {operationId: getThing, parameters: {id: '$response.body#/id'}}}
";

/// What a service answers to a create: its body may hold what was sent, and its status.
type Created = fn(&Value) -> Value;

/// A service that keeps what it is sent under the identifier of its response, and a user from before.
fn service(created: Created) -> (Router, Arc<Mutex<Vec<String>>>) {
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept: Arc<Mutex<HashMap<String, Value>>> = Arc::default();
    let user = json!({"id": 7001, "name": "somebody", "things": []});
    kept.lock().unwrap().insert("/users/7001".to_owned(), user);
    let seen = Arc::clone(&log);
    let router = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let response = response(
            created,
            &mut kept.lock().unwrap(),
            (&method, uri.path(), &headers, &body),
        );
        if method != Method::GET && response.status().is_success() {
            seen.lock().unwrap().push(format!("{method} {}", uri.path()));
        }
        async { response }
    });
    (router, log)
}

fn response(
    created: Created,
    kept: &mut HashMap<String, Value>,
    (method, path, headers, body): (&Method, &str, &HeaderMap, &Bytes),
) -> Response {
    let authorized = headers
        .get("authorization")
        .is_some_and(|sent| sent == &format!("Bearer {TOKEN}"));
    if !authorized {
        return (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer")]).into_response();
    }
    let Ok(sent @ Value::Object(_)) = serde_json::from_slice::<Value>(body) else {
        let found = kept.get(path).filter(|_| method == Method::GET);
        return found.map_or(StatusCode::NOT_FOUND.into_response(), |found| {
            axum::Json(found).into_response()
        });
    };
    if method == Method::POST {
        let made = created(&sent);
        let id = made["id"]
            .as_str()
            .map_or_else(|| made["id"].to_string(), str::to_owned);
        let encoded = id.replace('@', "%40").replace(' ', "%20");
        kept.insert(format!("/things/{encoded}"), made.clone());
        let status = if made["begun"] == true {
            StatusCode::ACCEPTED
        } else {
            StatusCode::CREATED
        };
        return (status, axum::Json(made)).into_response();
    }
    match kept.get_mut(path) {
        Some(record) => {
            record["name"] = sent["name"].clone();
            axum::Json(record).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Checks the service by the document with these links of its create; hands back the writes that it took, and the
/// record.
async fn checked(links: &[(&str, &str, &str)], created: Created) -> (Vec<String>, Record) {
    let links = links.iter().map(|(to, name, value)| {
        format!("{to}: {{operationId: {to}, parameters: {{{name}: '$response.body#{value}'}}}}")
    });
    let text = THINGS.replace("LINKS", &links.collect::<Vec<_>>().join("\n            "));
    let (router, log) = service(created);
    let check = Check::new(Contract::read("things.yaml", text).unwrap()).service(router);
    let check = check
        .token(TOKEN)
        .writes(true)
        .settle(Duration::ZERO)
        .keep_exchanges(true);
    let record = check.run().await.unwrap().into_record();
    let writes = std::mem::take(&mut *log.lock().unwrap());
    (writes, record)
}

fn owned(sent: &Value) -> Value {
    json!({"id": 501, "name": sent["name"], "owner": {"id": 7001, "name": "somebody"}})
}

const READ: (&str, &str, &str) = ("getThing", "id", "/id");
const UPDATE: (&str, &str, &str) = ("putThing", "id", "/id");

#[tokio::test]
async fn an_own_record_is_updated_and_its_owner_is_left_alone() {
    let owner = [
        ("putUser", "user", "/owner/id"),
        ("sendMessage", "user", "/owner/id"),
        ("getUser", "user", "/owner/id"),
    ];
    for first in [true, false] {
        let links = [READ, UPDATE];
        let links = if first {
            [&links[..], &owner[..]].concat()
        } else {
            [&owner[..], &links[..]].concat()
        };
        let (writes, record) = checked(&links, owned).await;
        assert!(writes.contains(&"POST /things".to_owned()), "{writes:?}");
        let to_a_user: Vec<_> = writes.iter().filter(|write| write.contains("/users/")).collect();
        assert!(to_a_user.is_empty(), "{to_a_user:?}");
        assert!(writes.contains(&"PUT /things/501".to_owned()), "{writes:?}");
        assert!(!record.residue.is_empty());
    }
}

#[tokio::test]
async fn an_identifier_of_one_kind_is_not_written_to_as_another() {
    let (writes, _) = checked(&[READ, UPDATE, ("putUser", "user", "/id")], owned).await;
    assert!(writes.contains(&"PUT /things/501".to_owned()), "{writes:?}");
    assert!(!writes.iter().any(|write| write.contains("/users/")), "{writes:?}");
}

#[tokio::test]
async fn a_record_that_only_holds_what_was_sent_is_not_the_runs_own() {
    // The response is the cart of a customer, whose note is his own, and the tag is in one of its items.
    let cart: Created = |sent| json!({"id": 555, "note": "do not ring", "items": [{"name": sent["name"]}]});
    let (writes, record) = checked(&[READ, UPDATE], cart).await;
    assert!(!writes.iter().any(|write| write.starts_with("PUT")), "{writes:?}");
    let mut reasons = record.facts.rows.iter().filter_map(|row| row.reason.as_deref());
    assert!(reasons.any(|reason| reason.contains("so it may be another record's")));
}

#[tokio::test]
async fn what_has_only_begun_is_no_record() {
    let begun: Created = |sent| json!({"id": 501, "name": sent["name"], "begun": true});
    let (writes, _) = checked(&[READ, UPDATE], begun).await;
    assert!(
        !writes.is_empty() && writes.iter().all(|write| write == "POST /things"),
        "{writes:?}"
    );
}

#[tokio::test]
async fn what_is_no_identifier_is_not_written_under() {
    let created: [Created; 3] = [
        |sent| json!({"id": true, "name": sent["name"]}),
        |sent| json!({"id": 1.5e300, "name": sent["name"]}),
        |sent| json!({"id": ["17"], "name": sent["name"]}),
    ];
    for created in created {
        let (writes, _) = checked(&[READ, UPDATE], created).await;
        assert!(
            !writes.is_empty() && writes.iter().all(|write| write == "POST /things"),
            "{writes:?}"
        );
    }
}

#[tokio::test]
async fn an_identifier_that_may_be_an_address_is_in_no_path_and_no_body_that_is_reported() {
    let created: Created = |sent| json!({"id": "anna@example.com", "name": sent["name"]});
    let (writes, record) = checked(&[READ, UPDATE], created).await;
    assert!(
        writes.contains(&"PUT /things/anna%40example.com".to_owned()),
        "{writes:?}"
    );
    for report in [countersign::report::json(&record), countersign::report::har(&record)] {
        assert!(!report.contains("anna"), "{report}");
    }
    let plain: Created = |sent| json!({"id": "anna-17", "name": sent["name"]});
    let (_, record) = checked(&[READ, UPDATE], plain).await;
    assert!(countersign::report::json(&record).contains("/things/anna-17"));
}
