//! A contract that states its invariants, and whose service is lax about identifiers: it goes by the one in the body,
//! or compares them by case.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::IntoResponse as _;
use countersign::report::{Record, ResidueRecord};
use countersign::{Check, Contract};
use serde_json::{Value, json};

const DOCUMENT: &str = "openapi: 3.0.3
info: {title: Boats, version: '1'}
x-equivalent: [identifier-case]
x-edge-cases: [body-not-json]
components:
  schemas:
    NewBoat: {type: object, required: [name], properties: {name: {type: string, x-synthetic: 'Boat {run_tag}'}}}
    BoatChange: {type: object, required: [name REQUIRED], properties: {id: {type: KIND}, name: {type: string, x-synthetic: 'Ship {run_tag}'}}}
    Boat: {type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}}}
paths:
  /boats:
    get:
      operationId: listBoats
      parameters: [{name: page, in: query, schema: {type: integer}}]
      responses:
        '200':
          description: Boats
          content:
            application/json:
              schema:
                type: object
                required: [per_page, page, total, last_page, items]
                properties:
                  per_page: {type: integer}
                  page: {type: integer}
                  total: {type: integer}
                  last_page: {type: integer}
                  items: {type: array, items: {$ref: '#/components/schemas/Boat'}}
      x-page: {parameter: page, page: /page, per_page: /per_page, total: /total, last_page: /last_page, items: /items, id: /id}
    post:
      operationId: addBoat
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewBoat'}}}}
      responses:
        '201':
          description: A boat
          content: {application/json: {schema: {$ref: '#/components/schemas/Boat'}}}
          links: {Change: {operationId: setBoat, parameters: {boat: $response.body#/id}}}
      x-invariants: {created: {resource: '', id: /id, listed: {in: listBoats}, carries: [{sent: /name, kept: /name}]}}
  /boats/{boat}:
    put:
      operationId: setBoat
      parameters: [{name: boat, in: path, required: true, schema: {type: string, format: uuid}}]
      requestBody:
        content:
          application/json: {schema: {$ref: '#/components/schemas/BoatChange'}, example: {id: EXAMPLE, name: Example}}
      responses: {2XX: {description: Changed}}
      x-invariants: {updated: {listed: {in: listBoats, owner: boat}, carries: [{sent: /name, kept: /name}]}}
";

/// The identifier of somebody else's boat.
const SOMEBODYS: &str = "0f0e8400-e29b-41d4-a716-44665544abcd";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Compares {
    /// Without regard to case.
    Uuids,
    /// As texts; an update of an unknown one creates a boat, with this status.
    Texts(u16),
}

/// The names of the boats, by their identifiers.
type Boats = BTreeMap<String, String>;

fn respond(boats: &mut Boats, compares: Compares, (method, path): (&Method, &str), sent: &Value) -> (u16, Value) {
    let name = sent["name"].as_str().filter(|name| !name.is_empty());
    let id = path.trim_start_matches("/boats").trim_start_matches('/');
    match (method.as_str(), name) {
        ("GET", _) => {
            let items = boats.iter().map(|(id, name)| json!({"id": id, "name": name}));
            let items: Vec<_> = items.collect();
            let total = items.len();
            (
                200,
                json!({"per_page": 100, "page": 1, "total": total, "last_page": 1, "items": items}),
            )
        }
        ("POST", Some(name)) => {
            let id = format!("ab0e8400-e29b-41d4-a716-4466554400{:02}", boats.len());
            boats.insert(id.clone(), name.to_owned());
            (201, json!({"id": id, "name": name}))
        }
        ("PUT", Some(name)) => {
            let id = match compares {
                Compares::Uuids => id.to_ascii_lowercase(),
                Compares::Texts(_) => id.to_owned(),
            };
            let id = match &sent["id"] {
                Value::String(other) => other.clone(),
                Value::Number(_) => SOMEBODYS.to_owned(),
                _ => id,
            };
            let before = boats.insert(id.clone(), name.to_owned());
            match (before, compares) {
                (None, Compares::Texts(status)) => (status, json!({})),
                _ => (200, json!({})),
            }
        }
        _ => (422, json!({})),
    }
}

/// Checks such a service. `id` is the identifier in the body of an update: its type, its example, and whether the body
/// must have it. Returns the record of the run, and the boats afterwards.
async fn checked((kind, example, required): (&str, &str, bool), compares: Compares) -> (Record, Boats) {
    let document = DOCUMENT.replace("KIND", kind).replace("EXAMPLE", example);
    let document = document.replace(" REQUIRED", if required { ", id" } else { "" });
    let boats = Boats::from([(SOMEBODYS.to_owned(), "Somebody's".to_owned())]);
    let boats = Arc::new(Mutex::new(boats));
    let shared = Arc::clone(&boats);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let sent = serde_json::from_slice(&body).unwrap_or_default();
        let (status, value) = respond(&mut shared.lock().unwrap(), compares, (&method, uri.path()), &sent);
        let status = StatusCode::from_u16(status).unwrap();
        async move { (status, axum::Json(value)).into_response() }
    });
    let contract = Contract::read("boats.yaml", document).unwrap_or_else(|defect| panic!("{defect}"));
    let check = Check::new(contract).service(router).writes(true).seed(1);
    let report = check.settle(Duration::ZERO).run().await.unwrap();
    let boats = boats.lock().unwrap().clone();
    (report.record().clone(), boats)
}

/// What was left by updates.
fn left_by_updates(record: &Record) -> Vec<&ResidueRecord> {
    let left = record.residue.iter();
    left.filter(|left| left.operation == "setBoat").collect()
}

#[tokio::test]
async fn an_example_of_an_identifier_in_the_body_of_an_update_reaches_no_other_record() {
    for required in [false, true] {
        for (kind, example) in [("string", SOMEBODYS), ("integer", "7")] {
            let (record, boats) = checked((kind, example, required), Compares::Uuids).await;
            assert_eq!(boats[SOMEBODYS], "Somebody's", "{kind} {required}");
            // The run's own records are updated all the same.
            assert!(
                boats.values().any(|name| name.starts_with("Ship ")),
                "{boats:?} {:?}",
                record.residue
            );
        }
    }
}

#[tokio::test]
async fn a_record_that_an_update_creates_under_an_identifier_in_capitals_is_left() {
    for status in [200, 201] {
        let (record, boats) = checked(("string", SOMEBODYS, false), Compares::Texts(status)).await;
        let made = boats.keys().find(|id| id.starts_with("AB0E8400")).cloned();
        assert!(made.is_some(), "{boats:?}");
        let left = left_by_updates(&record);
        assert_eq!(left.len(), 1, "{status} {:?}", record.residue);
        assert_eq!(left[0].id, made);
    }
    let (record, boats) = checked(("string", SOMEBODYS, false), Compares::Uuids).await;
    assert!(boats.keys().all(|id| !id.starts_with("AB0E8400")), "{boats:?}");
    assert!(left_by_updates(&record).is_empty(), "{:?}", record.residue);
}
