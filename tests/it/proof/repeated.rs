//! What a write must repeat or relate: the identifier in the body of an update (JSON:API has it in a resource object),
//! a code of a form that differs in each record, an end after a start, any state of the record in `If-Match`. Without
//! them, a service that conforms rejects each write, and nothing more is checked.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::{Check, Contract};
use serde_json::{Value, json};

const SLOTS: &str = "openapi: 3.0.3
info: {title: Slots, version: '1'}
components:
  schemas:
    Attributes:
      type: object
      required: [code, starts_at, ends_at]
      properties:
        code: {type: string, pattern: '^[A-Z]{9}-[0-9]{4}$'}
        starts_at: {type: string, format: date-time}
        ends_at: {type: string, format: date-time}
        label: {type: string}
    New:
      type: object
      required: [data]
      properties:
        data:
          type: object
          required: [type, attributes]
          properties: {type: {type: string, enum: [slots]}, attributes: {$ref: '#/components/schemas/Attributes'}}
    Slot:
      type: object
      required: [data]
      properties:
        data:
          type: object
          required: [type, id, attributes]
          properties:
            type: {type: string, enum: [slots]}
            id: {type: string}
            attributes: {$ref: '#/components/schemas/Attributes'}
  responses:
    Slot: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Slot'}}}}
paths:
  /slots:
    get:
      operationId: listSlots
      responses:
        '200':
          description: OK
          content:
            application/json:
              schema:
                type: object
                properties: {data: {type: array, items: {$ref: '#/components/schemas/Slot/properties/data'}}}
    post:
      operationId: addSlot
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses: {'201': {$ref: '#/components/responses/Slot'}}
  /slots/{slotId}:
    parameters: [{name: slotId, in: path, required: true, schema: {type: string}}]
    get: {operationId: getSlot, responses: {'200': {$ref: '#/components/responses/Slot'}, '404': {description: None}}}
    patch:
      operationId: changeSlot
      parameters: [{name: If-Match, in: header, required: true, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Slot'}}}}
      responses: {'200': {$ref: '#/components/responses/Slot'}, '404': {description: None}}
";

/// The requests that were accepted, each with its body: `PATCH /slots/s-1`.
type Accepted = Vec<(String, Value)>;

fn respond(slots: &mut Vec<Value>, (method, path): (&Method, &str), headers: &HeaderMap, sent: &Value) -> Response {
    let id = path.strip_prefix("/slots/");
    if method == Method::GET && id.is_none() {
        // A list in pages of one: it never shows that a record is new.
        return axum::Json(json!({"data": slots.iter().take(1).collect::<Vec<_>>()})).into_response();
    }
    let existing = slots.iter().position(|slot| slot["id"].as_str() == id);
    let Some(id) = id.or(Some("")).filter(|id| id.is_empty() || existing.is_some()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if let (&Method::GET, Some(position)) = (method, existing) {
        return axum::Json(json!({"data": slots[position]})).into_response();
    }
    let attributes = &sent["data"]["attributes"];
    if attributes["starts_at"].as_str() >= attributes["ends_at"].as_str() {
        return StatusCode::UNPROCESSABLE_ENTITY.into_response();
    }
    let Some(position) = existing else {
        let slot = json!({"type": "slots", "id": format!("s-{}", slots.len()), "attributes": attributes});
        slots.push(slot.clone());
        return (StatusCode::CREATED, axum::Json(json!({"data": slot}))).into_response();
    };
    if sent["data"]["id"] != id {
        return StatusCode::CONFLICT.into_response();
    }
    if headers.get("if-match").is_none_or(|sent| sent != "*") {
        return StatusCode::PRECONDITION_FAILED.into_response();
    }
    slots[position]["attributes"] = attributes.clone();
    axum::Json(json!({"data": slots[position]})).into_response()
}

/// Checks the service with this schema of the code, and returns what it accepted.
async fn accepted(code: &str) -> Accepted {
    let attributes =
        json!({"code": "OLD-0000", "starts_at": "2023-01-01T08:00:00Z", "ends_at": "2023-01-01T09:00:00Z"});
    let old = json!({"type": "slots", "id": "s-0", "attributes": attributes});
    let state = Arc::new(Mutex::new((vec![old], Accepted::new())));
    let shared = Arc::clone(&state);
    let router = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
        let (slots, accepted) = &mut *shared.lock().unwrap();
        let response = respond(slots, (&method, uri.path()), &headers, &sent);
        if response.status().is_success() && method != Method::GET {
            accepted.push((format!("{method} {}", uri.path()), sent));
        }
        async { response }
    });
    let document = SLOTS.replace("'^[A-Z]{9}-[0-9]{4}$'", code);
    let check = Check::new(Contract::read("slots.yaml", document).unwrap()).service(router);
    let check = check.writes(true).seed(1).settle(std::time::Duration::ZERO);
    check.run().await.unwrap();
    let state = state.lock().unwrap();
    assert_eq!(state.0[0]["attributes"], attributes, "the record that was there before");
    state.1.clone()
}

fn updates(accepted: &Accepted) -> usize {
    accepted.iter().filter(|(call, _)| call.starts_with("PATCH ")).count()
}

/// The code in each accepted write.
fn codes(accepted: &Accepted) -> Vec<&Value> {
    accepted
        .iter()
        .map(|(_, sent)| &sent["data"]["attributes"]["code"])
        .collect()
}

#[tokio::test]
async fn a_record_with_a_code_a_period_and_a_repeated_identifier_is_updated() {
    let accepted = accepted("'^[A-Z]{9}-[0-9]{4}$'").await;
    let codes = codes(&accepted);
    assert!(codes.len() > 2 && codes[0] != codes[1], "{codes:?}");
    assert!(updates(&accepted) > 0, "{accepted:?}");
}

#[tokio::test]
async fn a_code_that_few_records_can_have_shows_no_second_record() {
    // Two creates under two of a thousand codes may have returned two records that were there before.
    let accepted = accepted("'^CODE-[0-9]{3}$'").await;
    let codes = codes(&accepted);
    assert!(codes.len() > 1, "{accepted:?}");
    // Two under one code, which a thousandth of all runs sends, are two records.
    let are_different = (1..codes.len()).all(|at| !codes[..at].contains(&codes[at]));
    assert!(!are_different || updates(&accepted) == 0, "{accepted:?}");
}
