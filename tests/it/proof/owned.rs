//! Bodies that take the identifier of another record: it is that of the run's own, also where its create answers with a
//! status that the document does not have, and never that of a record that a list or a lying create shows.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const FLOWS: &str = "openapi: 3.0.3
info: {title: Flows, version: '1'}
components:
  parameters: {Id: {name: id, in: path, required: true, schema: {type: string, format: uuid}}}
  schemas:
    NewFlow: {type: object, required: [name], properties: {name: {type: string}}}
    Flow: {type: object, required: [id, name], properties: {id: {type: string, format: uuid}, name: {type: string}}}
    NewRun:
      type: object
      required: [flow_id, name]
      properties: {flow_id: {type: string, format: uuid}, name: {type: string}, user_name: {type: string}}
    NewNote:
      type: object
      required: [user_id, name]
      properties: {user_id: {type: string, format: uuid}, name: {type: string}}
  responses:
    Flow: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Flow'}}}}
    Flows: {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Flow'}}}}}
paths:
  /flows/:
    get: {operationId: listFlows, responses: {'200': {$ref: '#/components/responses/Flows'}}}
    post:
      operationId: addFlow
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewFlow'}}}}
      responses: {'200': {$ref: '#/components/responses/Flow'}}
  /flows/{id}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get: {operationId: getFlow, responses: {'200': {$ref: '#/components/responses/Flow'}}}
    delete: {operationId: dropFlow, responses: {'204': {description: Gone}}}
  /flow_runs/:
    post:
      operationId: addRun
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewRun'}}}}
      responses: {'200': {$ref: '#/components/responses/Flow'}}
  /flow_runs/{id}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get: {operationId: getRun, responses: {'200': {$ref: '#/components/responses/Flow'}}}
    delete: {operationId: dropRun, responses: {'204': {description: Gone}}}
  /users:
    get: {operationId: listUsers, responses: {'200': {$ref: '#/components/responses/Flows'}}}
  /users/{id}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get: {operationId: getUser, responses: {'200': {$ref: '#/components/responses/Flow'}}}
  /notes:
    post:
      operationId: addNote
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewNote'}}}}
      responses: {'200': {$ref: '#/components/responses/Flow'}}
  /notes/{id}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get: {operationId: getNote, responses: {'200': {$ref: '#/components/responses/Flow'}}}
";

/// The record of somebody else.
const OTHER: &str = "0192f0c1-7a2b-4c3d-8e4f-5a6b7c8d9e0f";

/// How the creates of flows answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Creates {
    AsDocumented,
    With201,
    /// With a 201, and without the name that the document requires.
    WithAnotherBody,
    /// With a 201, and with the identifier of a record that the list of flows does not show.
    WithAnothersId,
}

/// The requests that are no `GET`, or the records by path, each with its body.
type Log = Arc<Mutex<Vec<(String, Value)>>>;

fn service(creates: Creates) -> (Router, Log) {
    let (log, own) = (Log::default(), Log::default());
    let seen = Arc::clone(&log);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let sent = serde_json::from_slice::<Value>(&body).unwrap_or_default();
        let (path, mut own) = (uri.path(), own.lock().unwrap());
        if method != Method::GET {
            seen.lock().unwrap().push((format!("{method} {path}"), sent.clone()));
        }
        let response = respond(creates, &mut own, (&method, path, &sent));
        async { response }
    });
    (router, log)
}

fn respond(
    creates: Creates,
    own: &mut Vec<(String, Value)>,
    (method, path, sent): (&Method, &str, &Value),
) -> Response {
    let other = json!({"id": OTHER, "name": "Somebody's"});
    let found = own.iter().position(|(at, _)| at == path);
    match (method.as_str(), found) {
        ("POST", _) => create(creates, own, (path, sent)),
        ("DELETE", Some(found)) => {
            own.remove(found);
            StatusCode::NO_CONTENT.into_response()
        }
        ("GET", _) if path == "/users" => axum::Json(json!([other])).into_response(),
        ("GET", _) if path == "/flows/" => {
            let flows = own.iter().filter(|(at, _)| at.starts_with(path));
            let flows: Vec<_> = flows.map(|(_, flow)| flow.clone()).collect();
            axum::Json(flows).into_response()
        }
        ("GET", _) if path.ends_with(OTHER) => axum::Json(other).into_response(),
        ("GET", Some(found)) => axum::Json(&own[found].1).into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn create(creates: Creates, own: &mut Vec<(String, Value)>, (path, sent): (&str, &Value)) -> Response {
    if !sent["name"].is_string() {
        return StatusCode::UNPROCESSABLE_ENTITY.into_response();
    }
    // Nobody has the name that is made up.
    if sent.get("user_name").is_some() {
        return StatusCode::NOT_FOUND.into_response();
    }
    let is_lie = creates == Creates::WithAnothersId && path == "/flows/";
    let id = if is_lie {
        OTHER.to_owned()
    } else {
        format!("00000000-0000-4000-8000-{:012}", own.len())
    };
    let mut record = json!({"id": id, "name": sent["name"]});
    if !is_lie {
        own.push((format!("{path}{id}"), record.clone()));
    }
    if creates == Creates::WithAnotherBody {
        record.as_object_mut().unwrap().remove("name");
    }
    let status = if creates == Creates::AsDocumented {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    (status, axum::Json(record)).into_response()
}

async fn checked(creates: Creates) -> (Record, Vec<(String, Value)>) {
    checked_by(FLOWS, creates).await
}

async fn checked_by(document: &str, creates: Creates) -> (Record, Vec<(String, Value)>) {
    let (router, log) = service(creates);
    let check = Check::new(Contract::read("flows.yaml", document.to_owned()).unwrap()).service(router);
    let check = check.writes(true).cleanup(true).seed(1);
    let report = check.settle(std::time::Duration::from_millis(50)).run().await.unwrap();
    let log = log.lock().unwrap().clone();
    (report.record().clone(), log)
}

/// The identifiers of flows that bodies had.
fn flows(log: &[(String, Value)]) -> Vec<String> {
    let ids = |(_, body): &(String, Value)| ["flow_id", "flow"].map(|name| body[name].as_str().map(str::to_owned));
    log.iter().flat_map(ids).flatten().collect()
}

/// The verdict on a fact.
fn verdict(record: &Record, fact: &str) -> String {
    let row = record.facts.rows.iter().find(|row| *row.fact == *fact);
    let row = row.unwrap_or_else(|| panic!("no fact {fact}"));
    serde_json::to_value(row.verdict).unwrap().as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_body_takes_the_identifier_of_the_record_of_the_run_and_no_other() {
    for creates in [Creates::AsDocumented, Creates::With201] {
        let (record, log) = checked(creates).await;
        let flows = flows(&log);
        assert!(!flows.is_empty(), "{creates:?} {log:?}");
        assert!(flows.iter().all(|id| id.starts_with("00000000-")), "{log:?}");
        // A list shows users, and nothing creates one.
        assert!(log.iter().all(|(line, _)| line != "POST /notes"), "{log:?}");
        assert!(log.iter().any(|(_, body)| body.get("user_name").is_some()), "{log:?}");
        assert_eq!(verdict(&record, "addRun created: read by getRun"), "held");
        let found = record.findings.iter().any(|finding| finding.rule == "status");
        assert_eq!(found, creates == Creates::With201, "{:?}", record.findings);
        assert!(record.residue.is_empty(), "{creates:?} {:?} {log:?}", record.residue);
    }
}

#[tokio::test]
async fn a_uuid_under_the_name_of_a_kind_of_record_is_its_identifier_and_a_text_is_not() {
    let named = FLOWS.replace("flow_id", "flow");
    let (record, log) = checked_by(&named, Creates::AsDocumented).await;
    assert!(!flows(&log).is_empty(), "{log:?}");
    assert!(flows(&log).iter().all(|id| id.starts_with("00000000-")), "{log:?}");
    assert_eq!(verdict(&record, "addRun created: read by getRun"), "held");
    let (_, log) = checked_by(&named, Creates::WithAnothersId).await;
    assert_eq!(flows(&log), [""; 0]);

    let text = named.replace("flow: {type: string, format: uuid}", "flow: {type: string}");
    let (_, log) = checked_by(&text, Creates::AsDocumented).await;
    assert!(flows(&log).iter().all(|id| !id.starts_with("00000000-")), "{log:?}");
}

#[tokio::test]
async fn a_reference_names_the_record_of_the_run_and_nothing_else() {
    let reference = "{type: object, properties: {id: {oneOf: [{type: string, format: uuid}, {type: integer}]}, url: {type: \
                     string, format: uri}}}";
    let document = FLOWS
        .replace("required: [flow_id, name]", "required: [flow, name]")
        .replace(
            "flow_id: {type: string, format: uuid}",
            &format!("flow: {reference}, parent: {reference}"),
        )
        .replace("user_id: {type: string, format: uuid}", &format!("user: {reference}"))
        .replace("required: [user_id, name]", "required: [user, name]");
    for creates in [Creates::AsDocumented, Creates::WithAnotherBody] {
        let (record, log) = checked_by(&document, creates).await;
        let sent: Vec<_> = log.iter().filter(|(line, _)| line == "POST /flow_runs/").collect();
        let flows = sent.iter().filter_map(|(_, body)| body["flow"].as_object());
        let flows: Vec<_> = flows.filter(|flow| !flow.is_empty()).collect();
        let is_own = |id: &Value| id.as_str().is_some_and(|id| id.starts_with("00000000-"));
        // Edge cases send fields of another type.
        assert!(flows.iter().any(|flow| is_own(&flow["id"])), "{log:?}");
        assert!(flows.iter().all(|flow| flow.get("url").is_none()), "{log:?}");
        assert!(log.iter().all(|(line, _)| line != "POST /notes"), "{log:?}");
        assert!(
            log.iter()
                .all(|(line, body)| !line.contains(OTHER) && !body.to_string().contains(OTHER))
        );
        if creates == Creates::AsDocumented {
            assert_eq!(verdict(&record, "addRun created: read by getRun"), "held");
            assert!(record.residue.is_empty(), "{:?} {log:?}", record.residue);
        }
    }
    let (_, log) = checked_by(&document, Creates::WithAnothersId).await;
    assert!(log.iter().all(|(_, body)| !body["flow"]["id"].is_string()), "{log:?}");
}

#[tokio::test]
async fn a_create_with_another_record_gives_no_identifier() {
    let (_, log) = checked(Creates::WithAnothersId).await;
    assert_eq!(flows(&log), [""; 0]);
    assert!(log.iter().all(|(line, _)| !line.contains(OTHER)), "{log:?}");
    let deleted = log.iter().find(|(line, _)| line.starts_with("DELETE"));
    assert!(deleted.is_none(), "{deleted:?}");
}

#[tokio::test]
async fn of_a_create_with_another_body_the_list_shows_which_record_is_the_run_s_own() {
    let (_, log) = checked(Creates::WithAnotherBody).await;
    let flows = flows(&log);
    assert!(!flows.is_empty(), "{log:?}");
    assert!(flows.iter().all(|id| id.starts_with("00000000-")), "{log:?}");
    assert!(log.iter().all(|(line, _)| !line.contains(OTHER)), "{log:?}");
    let deletes = || log.iter().filter(|(line, _)| line.starts_with("DELETE"));
    assert!(
        deletes().any(|(line, _)| line.starts_with("DELETE /flows/00000000-")),
        "{log:?}"
    );
}
