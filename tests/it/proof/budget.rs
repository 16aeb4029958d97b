//! Runs with little room for records: a record that later writes take is shown to be new before the next one is
//! created, and where that has no room, the reason says so.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

/// Three kinds of records without lists.
fn contract() -> Contract {
    let mut document = "openapi: 3.0.3
info: {title: Kinds, version: '1'}
components:
  schemas:
    New: {type: object, required: [name], properties: {name: {type: string}}}
    One: {type: object, properties: {id: {type: string}, name: {type: string}}}
  responses:
    One: {description: One, content: {application/json: {schema: {$ref: '#/components/schemas/One'}}}}
  requestBodies: {New: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}}
paths:
"
    .to_owned();
    for kind in ["cat", "dog", "fox"] {
        document.push_str(&format!(
            "  /{kind}s:
    post:
      operationId: add_{kind}
      requestBody: {{$ref: '#/components/requestBodies/New'}}
      responses: {{'201': {{$ref: '#/components/responses/One'}}}}
  /{kind}s/{{id}}:
    parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}]
    get: {{operationId: get_{kind}, responses: {{'200': {{$ref: '#/components/responses/One'}}, '404': {{description: None}}}}}}
    put:
      operationId: set_{kind}
      requestBody: {{$ref: '#/components/requestBodies/New'}}
      responses: {{'200': {{$ref: '#/components/responses/One'}}, '404': {{description: None}}}}
"
        ));
    }
    Contract::read("kinds.yaml", document).unwrap()
}

/// The records, each with its path, and what was written.
#[derive(Default)]
struct Kinds {
    records: Vec<(String, Value)>,
    writes: Vec<String>,
}

impl Kinds {
    fn respond(&mut self, method: &Method, path: &str, sent: &Value) -> Response {
        let Some(name) = sent["name"].as_str().filter(|name| !name.is_empty()) else {
            let found = self.records.iter().find(|(known, _)| known == path);
            return match found.filter(|_| method == Method::GET) {
                Some((_, record)) => axum::Json(record).into_response(),
                None if method == Method::GET => StatusCode::NOT_FOUND.into_response(),
                None => StatusCode::BAD_REQUEST.into_response(),
            };
        };
        if method == Method::POST {
            let id = format!("r{}x{}", self.records.len(), path.len());
            let record = json!({"id": id, "name": name});
            self.records.push((format!("{path}/{id}"), record.clone()));
            self.writes.push(format!("POST {path}"));
            return (StatusCode::CREATED, axum::Json(record)).into_response();
        }
        let Some((path, record)) = self.records.iter_mut().find(|(known, _)| known == path) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        record["name"] = json!(name);
        self.writes.push(format!("PUT {}", path.rsplit_once('/').unwrap().0));
        axum::Json(&*record).into_response()
    }
}

async fn run(max_writes: u64) -> (Vec<String>, Record) {
    let kinds = Arc::new(Mutex::new(Kinds::default()));
    let shared = Arc::clone(&kinds);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let sent = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let response = shared.lock().unwrap().respond(&method, uri.path(), &sent);
        async { response }
    });
    let check = Check::new(contract()).service(router).writes(true).seed(1);
    let report = check.max_writes(max_writes).settle(Duration::ZERO).run().await.unwrap();
    let writes = kinds.lock().unwrap().writes.clone();
    (writes, report.record().clone())
}

/// The reasons why facts of an operation are undecided.
fn reasons(record: &Record, operation: &str) -> Vec<String> {
    let facts = record
        .facts
        .rows
        .iter()
        .filter(|fact| fact.operation.as_str() == operation);
    facts
        .filter_map(|fact| fact.reason.as_ref().map(ToString::to_string))
        .collect()
}

#[tokio::test]
async fn with_little_room_a_record_is_shown_to_be_new_before_the_next_one_is_created() {
    let (writes, record) = run(3).await;
    let creates: Vec<_> = writes.iter().filter(|write| write.starts_with("POST")).collect();
    assert_eq!(creates[..3], ["POST /cats", "POST /cats", "POST /dogs"]);
    assert!(writes.contains(&"PUT /cats".to_owned()), "{writes:?}");
    assert!(!writes.contains(&"PUT /dogs".to_owned()), "{writes:?}");
    let room = "max-writes 3 left no room for a second create";
    let of_dogs = reasons(&record, "set_dog");
    assert!(of_dogs.iter().any(|reason| reason.contains(room)), "{of_dogs:?}");
    let of_cats = reasons(&record, "set_cat");
    assert!(of_cats.iter().all(|reason| !reason.contains(room)), "{of_cats:?}");
}

#[tokio::test]
async fn with_room_for_all_each_kind_is_created_first() {
    let (writes, _) = run(40).await;
    assert_eq!(writes[..3], ["POST /cats", "POST /dogs", "POST /foxs"]);
    for kind in ["cats", "dogs", "foxs"] {
        assert!(writes.contains(&format!("PUT /{kind}")), "{writes:?}");
    }
}
