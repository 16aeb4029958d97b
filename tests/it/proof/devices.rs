//! Records that are nested under others and numbered in each: a service that looks one up by its own number alone may
//! write to that of another parent. After an update that its record does not show, it is not deleted either.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::{Check, Contract};
use serde_json::{Value, json};

const DEVICES: &str = "openapi: 3.0.3
info: {title: Devices, version: '1'}
components:
  parameters:
    Site: {name: site, in: path, required: true, schema: {type: integer}}
    Device: {name: device, in: path, required: true, schema: {type: integer}}
  schemas:
    New: {type: object, required: [name], properties: {name: {type: string}}}
    Known: {type: object, required: [id, name], properties: {id: {type: integer}, name: {type: string}}}
  requestBodies:
    New: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
  responses:
    Known: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Known'}}}}
    All: {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Known'}}}}}
paths:
  /sites:
    get: {operationId: listSites, responses: {'200': {$ref: '#/components/responses/All'}}}
    post:
      operationId: addSite
      requestBody: {$ref: '#/components/requestBodies/New'}
      responses: {'201': {$ref: '#/components/responses/Known'}}
  /sites/{site}:
    parameters: [{$ref: '#/components/parameters/Site'}]
    get: {operationId: getSite, responses: {'200': {$ref: '#/components/responses/Known'}}}
    delete: {operationId: dropSite, responses: {'204': {description: Gone}}}
  /sites/{site}/devices:
    parameters: [{$ref: '#/components/parameters/Site'}]
    get: {operationId: listDevices, responses: {'200': {$ref: '#/components/responses/All'}}}
    post:
      operationId: addDevice
      requestBody: {$ref: '#/components/requestBodies/New'}
      responses: {'201': {$ref: '#/components/responses/Known'}}
  /sites/{site}/devices/{device}:
    parameters: [{$ref: '#/components/parameters/Site'}, {$ref: '#/components/parameters/Device'}]
    get: {operationId: getDevice, responses: {'200': {$ref: '#/components/responses/Known'}}}
    put:
      operationId: setDevice
      requestBody: {$ref: '#/components/requestBodies/New'}
      responses: {'200': {$ref: '#/components/responses/Known'}}
    delete: {operationId: dropDevice, responses: {'204': {description: Gone}}}
";

/// Returns the writes that were accepted: `PUT /sites/4002/devices/1`. `updates_its_own` says whether an update changes
/// the device in its path, or the one with that number at the first site.
async fn accepted(updates_its_own: bool) -> Vec<String> {
    let record = |id: u64, name: &str| json!({"id": id, "name": name});
    let kept = BTreeMap::from([
        ("/sites/4001".to_owned(), record(4001, "Somebody's")),
        ("/sites/4001/devices/1".to_owned(), record(1, "Somebody's first")),
        ("/sites/4001/devices/2".to_owned(), record(2, "Somebody's second")),
    ]);
    let state = Arc::new(Mutex::new((kept, Vec::new())));
    let shared = Arc::clone(&state);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let (kept, accepted) = &mut *shared.lock().unwrap();
        let response = respond(updates_its_own, kept, (&method, uri.path()), &body);
        if method != Method::GET && response.status().is_success() {
            accepted.push(format!("{method} {}", uri.path()));
        }
        async { response }
    });
    let check = Check::new(Contract::read("devices.yaml", DEVICES.to_owned()).unwrap()).service(router);
    let check = check
        .writes(true)
        .cleanup(true)
        .seed(1)
        .settle(std::time::Duration::ZERO);
    check.run().await.unwrap();
    state.lock().unwrap().1.clone()
}

fn respond(
    updates_its_own: bool,
    kept: &mut BTreeMap<String, Value>,
    (method, path): (&Method, &str),
    body: &Bytes,
) -> Response {
    let sent = serde_json::from_slice::<Value>(body).ok();
    let sent = sent.filter(|sent| sent["name"].is_string());
    let is_collection = path.ends_with("/sites") || path.ends_with("/devices");
    let below = |at: &str| at.rsplit_once('/').is_some_and(|(above, _)| above == path);
    match (method.as_str(), sent) {
        ("GET", _) if is_collection => {
            let listed: Vec<_> = kept
                .iter()
                .filter(|(at, _)| below(at))
                .map(|(_, record)| record)
                .collect();
            axum::Json(listed).into_response()
        }
        ("POST", Some(mut sent)) if is_collection => {
            let count = kept.keys().filter(|at| below(at)).count();
            let id = if path == "/sites" { 4001 + count } else { 1 + count };
            sent["id"] = json!(id);
            kept.insert(format!("{path}/{id}"), sent.clone());
            (StatusCode::CREATED, axum::Json(sent)).into_response()
        }
        ("GET", _) => match kept.get(path) {
            Some(record) => axum::Json(record).into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        },
        ("PUT", Some(sent)) if kept.contains_key(path) => {
            let number = path.rsplit('/').next().unwrap_or_default();
            let at = if updates_its_own {
                path.to_owned()
            } else {
                format!("/sites/4001/devices/{number}")
            };
            if let Some(record) = kept.get_mut(&at) {
                record["name"] = sent["name"].clone();
            }
            axum::Json(&kept[path]).into_response()
        }
        ("DELETE", _) if kept.remove(path).is_some() => StatusCode::NO_CONTENT.into_response(),
        ("DELETE", _) => StatusCode::NOT_FOUND.into_response(),
        _ => StatusCode::BAD_REQUEST.into_response(),
    }
}

fn count(accepted: &[String], method: &str) -> usize {
    let of_device = |line: &&String| line.starts_with(method) && line.contains("/devices/");
    accepted.iter().filter(of_device).count()
}

#[tokio::test]
async fn a_nested_record_that_does_not_show_its_update_is_not_deleted() {
    let accepted = accepted(false).await;
    assert_eq!(count(&accepted, "PUT"), 1, "{accepted:?}");
    assert_eq!(count(&accepted, "DELETE"), 0, "{accepted:?}");
}

#[tokio::test]
async fn a_nested_record_that_shows_its_update_is_deleted() {
    let accepted = accepted(true).await;
    assert!(count(&accepted, "PUT") > 1, "{accepted:?}");
    assert!(count(&accepted, "DELETE") > 0, "{accepted:?}");
}
