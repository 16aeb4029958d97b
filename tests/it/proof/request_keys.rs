//! A header that names each request, such as `Idempotency-Key`: each request that the run sends has a value of its own,
//! because a service takes a second one with the same value for the first one again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::{Check, Contract};
use serde_json::{Value, json};

const DRAFTS: &str = "openapi: 3.0.3
info: {title: Drafts, version: '1'}
components:
  schemas:
    NewDraft: {type: object, required: [name], properties: {name: {type: string}, note: {type: string}}}
    Draft: {type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}, note: {type: string}}}
  responses:
    Draft: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Draft'}}}}
paths:
  /drafts:
    post:
      operationId: addDraft
      parameters: [{name: Idempotency-Key, in: header, required: true, schema: {type: string, format: uuid}}]
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewDraft'}}}}
      responses: {'201': {$ref: '#/components/responses/Draft'}}
  /drafts/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getDraft, responses: {'200': {$ref: '#/components/responses/Draft'}}}
    delete:
      operationId: dropDraft
      parameters: [{name: Idempotency-Key, in: header, required: true, schema: {type: string, format: uuid}}]
      responses: {'204': {description: Gone}}
";

/// The response to each key, and the records.
#[derive(Default)]
struct Drafts {
    by_key: BTreeMap<String, Value>,
    records: BTreeMap<String, Value>,
    created: usize,
    replayed: usize,
}

fn respond(drafts: &mut Drafts, (method, path): (&Method, &str), headers: &HeaderMap, body: &Bytes) -> Response {
    if *method == Method::GET {
        let record = drafts.records.get(path.trim_start_matches("/drafts/"));
        return record.map_or(StatusCode::NOT_FOUND.into_response(), |record| {
            axum::Json(record).into_response()
        });
    }
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok());
    let Some(key) = key.filter(|key| uuid::Uuid::parse_str(key).is_ok()) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    if let Some(first) = drafts.by_key.get(key) {
        let response = match first {
            Value::Null => StatusCode::NO_CONTENT.into_response(),
            record => (StatusCode::CREATED, axum::Json(record)).into_response(),
        };
        drafts.replayed += 1;
        return response;
    }
    if *method == Method::DELETE {
        drafts.by_key.insert(key.to_owned(), Value::Null);
        let gone = drafts.records.remove(path.trim_start_matches("/drafts/"));
        return gone
            .map_or(StatusCode::NOT_FOUND, |_| StatusCode::NO_CONTENT)
            .into_response();
    }
    let sent: Value = serde_json::from_slice(body).unwrap_or_default();
    if !sent["name"].is_string() || !(sent["note"].is_null() || sent["note"].is_string()) {
        return StatusCode::UNPROCESSABLE_ENTITY.into_response();
    }
    let id = format!("d{}", drafts.created);
    drafts.created += 1;
    let mut record = json!({"id": id, "name": sent["name"]});
    if sent["note"].is_string() {
        record["note"] = sent["note"].clone();
    }
    drafts.records.insert(id, record.clone());
    drafts.by_key.insert(key.to_owned(), record.clone());
    (StatusCode::CREATED, axum::Json(record)).into_response()
}

#[tokio::test]
async fn each_request_has_a_key_of_its_own() {
    let drafts: Arc<Mutex<Drafts>> = Arc::default();
    let kept = Arc::clone(&drafts);
    let router = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let response = respond(&mut kept.lock().unwrap(), (&method, uri.path()), &headers, &body);
        async { response }
    });
    for seed in [7, 8] {
        let contract = Contract::read("drafts.yaml", DRAFTS.to_owned()).unwrap();
        let check = Check::new(contract)
            .service(router.clone())
            .writes(true)
            .cleanup(true)
            .seed(seed);
        let report = check.settle(std::time::Duration::from_millis(50)).run().await.unwrap();
        assert!(report.record().findings.is_empty(), "{:?}", report.record().findings);
    }
    let drafts = drafts.lock().unwrap();
    assert!(drafts.by_key.len() > 3, "{:?}", drafts.by_key);
    assert_eq!(drafts.replayed, 0);
    // Each deletion has reached its own record, too.
    assert!(drafts.records.is_empty(), "{:?}", drafts.records);
}
