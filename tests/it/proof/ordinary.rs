//! What documents of real servers have, and a run must understand: a body that names its own record, a field that a
//! caller may not set, records within a given one, responses that never end, a `GET` that does something. Each case
//! asserts on what reached the service.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const DOCUMENT: &str = "openapi: 3.0.3
info: {title: Connections, version: '1'}
security: [{bearer: []}]
components:
  securitySchemes: {bearer: {type: http, scheme: bearer}}
  parameters:
    Connection: {name: connection_id, in: path, required: true, schema: {type: string}}
    Project: {name: project, in: path, required: true, schema: {type: string}}
    Feature: {name: feature, in: path, required: true, schema: {type: integer}}
  schemas:
    Connection:
      type: object
      required: [connection_id]
      properties:
        connection_id: {type: string, maxLength: 200, pattern: '^[\\w.-]+$'}
        note: {type: string}
        owner_team: {type: string}
    Feature:
      type: object
      required: [id]
      properties: {id: {type: integer, readOnly: true}, title: {type: string}}
  requestBodies:
    Connection: {content: {application/json: {schema: {$ref: '#/components/schemas/Connection'}}}}
    Feature: {content: {application/json: {schema: {$ref: '#/components/schemas/Feature'}}}}
  responses:
    Connection: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Connection'}}}}
    Feature: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Feature'}}}}
    Unauthenticated: {description: Who are you?}
    Forbidden: {description: Not yours}
paths:
  /connections:
    post:
      operationId: addConnection
      requestBody: {$ref: '#/components/requestBodies/Connection'}
      responses:
        '201': {$ref: '#/components/responses/Connection'}
        '401': {$ref: '#/components/responses/Unauthenticated'}
        '403': {$ref: '#/components/responses/Forbidden'}
  /connections/{connection_id}:
    parameters: [{$ref: '#/components/parameters/Connection'}]
    get: {operationId: getConnection, responses: {'200': {$ref: '#/components/responses/Connection'}}}
    patch:
      operationId: patchConnection
      requestBody: {$ref: '#/components/requestBodies/Connection'}
      responses: {'200': {$ref: '#/components/responses/Connection'}}
    delete: {operationId: deleteConnection, responses: {'204': {description: Gone}}}
  /projects/{project}:
    parameters: [{$ref: '#/components/parameters/Project'}]
    delete: {operationId: deleteProject, responses: {'204': {description: Gone}}}
  /projects/{project}/features:
    parameters: [{$ref: '#/components/parameters/Project'}]
    post:
      operationId: addFeature
      requestBody: {$ref: '#/components/requestBodies/Feature'}
      responses: {'201': {$ref: '#/components/responses/Feature'}}
  /projects/{project}/features/{feature}:
    parameters: [{$ref: '#/components/parameters/Project'}, {$ref: '#/components/parameters/Feature'}]
    get: {operationId: getFeature, responses: {'200': {$ref: '#/components/responses/Feature'}}}
    patch:
      operationId: patchFeature
      requestBody: {$ref: '#/components/requestBodies/Feature'}
      responses: {'200': {$ref: '#/components/responses/Feature'}}
    delete: {operationId: deleteFeature, responses: {'204': {description: Gone}}}
  /progress:
    get:
      operationId: getProgress
      responses:
        '200': {description: OK, content: {application/json: {schema: {}}, application/x-ndjson: {schema: {}}}}
  /session/logout:
    get: {operationId: endSession, responses: {'200': {description: OK}}}
  /lost/{id}:
    get: {operationId: getLost, responses: {'200': {description: OK}}}
";

type Kept = BTreeMap<String, Value>;

/// What precedes a token that the service takes.
const BEARER: &str = "Bearer ";
const TOKEN: &str = "tk-of-ordinary-test";

/// How a create of a connection treats a field that only owners may set, and the statuses of a wrong credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Behaviour {
    forbids_owner: bool,
    unauthenticated: StatusCode,
}

fn respond(
    behaviour: Behaviour,
    kept: &mut Kept,
    (method, path, headers): (&Method, &str, &HeaderMap),
    body: &Bytes,
) -> Response {
    let credential = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if credential.and_then(|value| value.strip_prefix(BEARER)) != Some(TOKEN) {
        return behaviour.unauthenticated.into_response();
    }
    if path == "/progress" {
        let body = Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
        return ([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response();
    }
    let sent = serde_json::from_slice::<Value>(body).ok().filter(Value::is_object);
    match (method, sent) {
        (&Method::GET, _) => match kept.get(path) {
            Some(record) => axum::Json(record).into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        },
        (&Method::DELETE, _) => match kept.remove(path) {
            Some(_) => StatusCode::NO_CONTENT.into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        },
        (_, None) => StatusCode::BAD_REQUEST.into_response(),
        (&Method::POST, Some(mut record)) => {
            let id = if path == "/connections" {
                if behaviour.forbids_owner && record.get("owner_team").is_some() {
                    return StatusCode::FORBIDDEN.into_response();
                }
                match record["connection_id"].as_str() {
                    Some(id) => id.to_owned(),
                    None => return StatusCode::BAD_REQUEST.into_response(),
                }
            } else {
                record["id"] = json!(7000 + kept.len());
                record["id"].to_string()
            };
            kept.insert(format!("{path}/{id}"), record.clone());
            (StatusCode::CREATED, axum::Json(record)).into_response()
        }
        (_, Some(sent)) => match kept.get_mut(path) {
            Some(record) => {
                let members = record.as_object_mut().unwrap();
                members.extend(
                    sent.as_object()
                        .unwrap()
                        .clone()
                        .into_iter()
                        .filter(|(name, _)| name != "id"),
                );
                axum::Json(&*record).into_response()
            }
            None => StatusCode::NOT_FOUND.into_response(),
        },
    }
}

struct Checked {
    record: Record,
    kept: Kept,
    requests: Vec<(Method, String)>,
}

impl Checked {
    fn errors(&self) -> Vec<&str> {
        let findings = self.record.findings.iter();
        findings
            .filter(|found| found.level == countersign::rules::Level::Deny)
            .map(|found| found.fact.as_str())
            .collect()
    }

    fn was_sent(&self, method: &Method, path: &str) -> bool {
        self.requests
            .iter()
            .any(|(sent, to)| sent == method && to.starts_with(path))
    }

    fn is_held(&self, fact: &str) -> bool {
        let mut rows = self.record.facts.rows.iter();
        let row = rows
            .find(|row| *row.fact == *fact)
            .unwrap_or_else(|| panic!("no fact {fact}"));
        serde_json::to_value(row.verdict).unwrap() == "held"
    }
}

async fn checked(behaviour: Behaviour) -> Checked {
    let others = Kept::from([
        ("/connections/main".to_owned(), json!({"connection_id": "main"})),
        (
            "/projects/one/features/1".to_owned(),
            json!({"id": 1, "title": "Somebody's"}),
        ),
    ]);
    let kept = Arc::new(Mutex::new(others));
    let requests: Arc<Mutex<Vec<(Method, String)>>> = Arc::default();
    let (records, log) = (Arc::clone(&kept), Arc::clone(&requests));
    let service = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let call = (&method, uri.path(), &headers);
        let response = respond(behaviour, &mut records.lock().unwrap(), call, &body);
        log.lock().unwrap().push((method, uri.path().to_owned()));
        async { response }
    });
    let mut contract = Contract::read("connections.yaml", DOCUMENT.to_owned()).unwrap();
    // The other operations on a feature take it over.
    let feature = contract.operation_named("addFeature").unwrap();
    contract.set_parameter(feature, 0, json!("one")).unwrap();
    let project = contract.operation_named("deleteProject").unwrap();
    assert!(
        contract.set_parameter(project, 0, json!("one")).is_err(),
        "the project is somebody's"
    );
    let check = Check::new(contract)
        .service(service)
        .token(TOKEN)
        .writes(true)
        .cleanup(true)
        .seed(1);
    let report = check.settle(Duration::from_millis(100)).run().await.unwrap();
    let (kept, requests) = (kept.lock().unwrap().clone(), requests.lock().unwrap().clone());
    Checked {
        record: report.record().clone(),
        kept,
        requests,
    }
}

#[tokio::test(start_paused = true)]
async fn records_that_a_body_names_or_a_given_one_contains_are_created_updated_and_deleted() {
    for forbids_owner in [false, true] {
        let checked = checked(Behaviour {
            forbids_owner,
            unauthenticated: StatusCode::UNAUTHORIZED,
        })
        .await;
        assert_eq!(checked.errors(), [] as [&str; 0]);
        for fact in [
            "addConnection created: read by getConnection",
            "patchConnection in getConnection /note: as sent in /note",
            "deleteConnection: gone from getConnection",
            "addFeature created: read by getFeature",
            "patchFeature in getFeature /title: as sent in /title",
            "deleteFeature: gone from getFeature",
        ] {
            assert!(checked.is_held(fact), "{forbids_owner}: {fact}");
        }
        let others: Vec<_> = checked.kept.keys().collect();
        assert_eq!(others, ["/connections/main", "/projects/one/features/1"]);
        assert_eq!(checked.record.residue.len(), 0);
        let changes = checked.requests.iter().filter(|(method, _)| *method != Method::GET);
        for (method, path) in changes {
            assert!(!checked.kept.contains_key(path), "{method} {path}");
            assert_ne!(path, "/projects/one");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_403_in_place_of_a_401_is_left_alone_where_both_are_documented() {
    let checked = checked(Behaviour {
        forbids_owner: false,
        unauthenticated: StatusCode::FORBIDDEN,
    })
    .await;
    assert_eq!(checked.errors(), [] as [&str; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_acts_is_not_sent_and_what_may_stream_may_go_on() {
    let checked = checked(Behaviour {
        forbids_owner: false,
        unauthenticated: StatusCode::UNAUTHORIZED,
    })
    .await;
    assert!(checked.was_sent(&Method::GET, "/progress"));
    assert!(!checked.was_sent(&Method::GET, "/session"));
    assert!(!checked.was_sent(&Method::GET, "/lost"));
    let unchecked = |name: &str| {
        let mut operations = checked.record.operations.iter();
        let operation = operations.find(|operation| operation.name == name).unwrap();
        serde_json::to_value(&operation.unchecked).unwrap().to_string()
    };
    assert!(unchecked("endSession").contains("suggests a side effect"));
    assert!(unchecked("getLost").contains("declares no such parameter"));
}
