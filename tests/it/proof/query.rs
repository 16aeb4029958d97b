//! Reads by `POST`, which a document makes recognisable: what reaches the service, and what it means. A service that
//! keeps what it is asked for is caught.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::history::SearchExtent;
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
components:
  parameters: {Pet: {name: petId, in: path, required: true, schema: {type: string}}}
  schemas:
    NewPet: {type: object, required: [name], properties: {name: {type: string}}}
    Pet: {type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}}}
    Pets: {type: array, items: {$ref: '#/components/schemas/Pet'}}
    Filter: {type: object, required: [name], properties: {name: {type: string}, archive: {type: boolean}, owner_id: {type: string}}}
    Refused: {type: object, required: [detail], properties: {detail: {type: string}}}
  requestBodies: {Filter: {content: {application/json: {schema: {$ref: '#/components/schemas/Filter'}}}}}
  responses:
    Pet: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
    Pets: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Pets'}}}}
    Refused: {description: No, content: {application/json: {schema: {$ref: '#/components/schemas/Refused'}}}}
paths:
  /pets:
    post:
      operationId: addPet
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}}
      responses: {'201': {$ref: '#/components/responses/Pet'}}
  /pets/search:
    post:
      operationId: searchPets
      requestBody: {$ref: '#/components/requestBodies/Filter'}
      responses: {'200': {$ref: '#/components/responses/Pets'}, '400': {$ref: '#/components/responses/Refused'}}
  /pets/{petId}:
    parameters: [{$ref: '#/components/parameters/Pet'}]
    get: {operationId: getPet, responses: {'200': {$ref: '#/components/responses/Pet'}}}
  /pets/{petId}/friends/count:
    parameters: [{$ref: '#/components/parameters/Pet'}]
    post: {operationId: countFriends, responses: {'200': {description: OK, content: {application/json: {schema: {type: integer}}}}}}
  /owners:
    get: {operationId: listOwners, responses: {'200': {$ref: '#/components/responses/Pets'}}}
  /owners/filter:
    post: {operationId: filterOwners, responses: {'200': {$ref: '#/components/responses/Pets'}}}
  /owners/{ownerId}:
    parameters: [{name: ownerId, in: path, required: true, schema: {type: string}}]
    get: {operationId: getOwner, responses: {'200': {$ref: '#/components/responses/Pet'}}}
  /owners/{ownerId}/count:
    parameters: [{name: ownerId, in: path, required: true, schema: {type: string}}]
    post: {operationId: countOwned, responses: {'200': {description: OK, content: {application/json: {schema: {type: integer}}}}}}
  /pets/delete-by-query:
    post: {operationId: removePets, responses: {'200': {$ref: '#/components/responses/Pets'}}}
";

/// The requests that are no `GET`, and the `GET` of owners, each with its body.
type Log = Arc<Mutex<Vec<(String, Value)>>>;

fn service(search: StatusCode) -> (Router, Log) {
    let (log, own): (Log, Arc<Mutex<Vec<Value>>>) = Default::default();
    let seen = Arc::clone(&log);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let parsed = serde_json::from_slice::<Value>(&body);
        let at = format!("{method} {}", uri.path());
        let sent = parsed.as_ref().map_or(Value::Null, Clone::clone);
        seen.lock().unwrap().push((at.clone(), sent.clone()));
        let (is_json, mut own) = (parsed.is_ok(), own.lock().unwrap());
        let response = respond(&at, (sent, is_json), (search, &mut own));
        async { response }
    });
    (router, log)
}

fn respond(at: &str, (sent, is_json): (Value, bool), (search, own): (StatusCode, &mut Vec<Value>)) -> Response {
    let others = json!([{"id": "other", "name": "Somebody's"}]);
    match at {
        "POST /pets" if sent["name"].is_string() => {
            let pet = json!({"id": format!("own-{}", own.len()), "name": sent["name"]});
            own.push(pet.clone());
            (StatusCode::CREATED, axum::Json(pet)).into_response()
        }
        "POST /pets/search" if !is_json || !sent["name"].is_string() || sent["archive"].is_string() => {
            (StatusCode::BAD_REQUEST, axum::Json(json!({"detail": "a"}))).into_response()
        }
        "POST /pets/search" => {
            if search == KEEPS {
                own.push(json!({"id": format!("kept-{}", own.len()), "name": sent["name"]}));
            }
            let status = if search == KEEPS { StatusCode::OK } else { search };
            (status, axum::Json(others)).into_response()
        }
        "GET /pets" => axum::Json(&*own).into_response(),
        "POST /owners/filter" | "GET /owners" => axum::Json(others).into_response(),
        "GET /owners/other" => axum::Json(others[0].clone()).into_response(),
        path if path.ends_with("/count") => axum::Json(json!(0)).into_response(),
        path => {
            let id = path.strip_prefix("GET /pets/");
            let pet = own.iter().find(|pet| pet["id"].as_str() == id);
            pet.map_or(StatusCode::NOT_FOUND.into_response(), |pet| {
                axum::Json(pet).into_response()
            })
        }
    }
}

/// Stands for a 200 of a service that keeps what it is asked.
const KEEPS: StatusCode = StatusCode::IM_A_TEAPOT;

async fn checked(search: StatusCode, set: impl Fn(Check) -> Check) -> (Record, Vec<(String, Value)>) {
    checked_by(PETS, search, set).await
}

async fn checked_by(
    document: &str,
    search: StatusCode,
    set: impl Fn(Check) -> Check,
) -> (Record, Vec<(String, Value)>) {
    let (router, log) = service(search);
    let check = Check::new(Contract::read("pets.yaml", document.to_owned()).unwrap()).service(router);
    let report = set(check.seed(1)).run().await.unwrap();
    let log = log.lock().unwrap().clone();
    (report.record().clone(), log)
}

fn bodies(log: &[(String, Value)], at: &str) -> Vec<Value> {
    let sent = log.iter().filter(|(line, _)| line == at);
    sent.map(|(_, body)| body.clone()).collect()
}

/// The verdict on a fact.
fn verdict(record: &Record, fact: &str) -> String {
    let row = record.facts.rows.iter().find(|row| *row.fact == *fact);
    let row = row.unwrap_or_else(|| panic!("no fact {fact}"));
    serde_json::to_value(row.verdict).unwrap().as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_query_is_judged_as_a_read_and_asks_for_little() {
    let (record, log) = checked(StatusCode::OK, |check| check.writes(true)).await;
    let mut findings = record
        .findings
        .iter()
        .filter(|finding| finding.rule != "unchecked-operation");
    assert!(findings.next().is_none(), "{:?}", record.findings);
    let asked = bodies(&log, "POST /pets/search");
    assert!(asked[0]["name"].is_string(), "{asked:?}");
    assert_eq!(asked[0].as_object().map(serde_json::Map::len), Some(1), "{asked:?}");
    assert!(asked.iter().all(|body| body.get("owner_id").is_none()), "{asked:?}");
    for fact in [
        "searchPets status: 200",
        "searchPets /*/name: string",
        "searchPets 400 /detail: string",
        "countFriends body: JSON",
        "filterOwners /*/id: string",
        "getOwner status: 200",
    ] {
        assert_eq!(verdict(&record, fact), "held", "{fact}");
    }
    assert!(
        record.residue.iter().all(|left| left.operation == "addPet"),
        "{:?}",
        record.residue
    );
}

#[tokio::test]
async fn no_query_reaches_the_service_of_a_run_that_reads_or_may_leave_nothing() {
    for (writes, most) in [(false, 20), (true, 0)] {
        let (_, log) = checked(StatusCode::OK, |check| check.writes(writes).max_writes(most)).await;
        assert!(log.iter().all(|(line, _)| line.starts_with("GET ")), "{log:?}");
    }
}

#[tokio::test]
async fn a_query_names_no_record_of_anybody_else_and_an_act_is_none() {
    let (_, log) = checked(StatusCode::OK, |check| check.writes(true)).await;
    let lines: Vec<_> = log.iter().map(|(line, _)| line.as_str()).collect();
    assert!(lines.contains(&"POST /pets/own-0/friends/count"), "{lines:?}");
    assert!(lines.contains(&"GET /owners/other"), "{lines:?}");
    let foreign = |line: &&&str| line.starts_with("POST /owners/other") || line.contains("delete");
    assert_eq!(lines.iter().find(foreign), None);
}

#[tokio::test]
async fn a_query_that_keeps_what_it_is_asked_is_reported_as_left_and_gets_no_edge_case() {
    let list =
        "  /pets:\n    get: {operationId: listPets, responses: {'200': {$ref: '#/components/responses/Pets'}}}\n";
    let listed = PETS.replacen("  /pets:\n", list, 1);
    for (document, search, is_found) in [
        (listed.as_str(), KEEPS, true),
        (&listed, StatusCode::OK, false),
        // Without a list nothing shows it.
        (PETS, KEEPS, false),
    ] {
        let (record, log) = checked_by(document, search, |check| check.writes(true)).await;
        let left = record.residue.iter().filter(|left| left.operation == "searchPets");
        let left: Vec<_> = left.map(|left| left.id.clone().unwrap_or_default()).collect();
        assert_eq!(left.iter().filter(|id| id.starts_with("kept-")).count(), left.len());
        assert_eq!(left.len(), usize::from(is_found), "{left:?}");
        let is_edge_case = |body: &Value| !body["name"].is_string() || body.get("archive").is_some();
        let edge_cases = bodies(&log, "POST /pets/search")
            .into_iter()
            .filter(is_edge_case)
            .count();
        assert_eq!(edge_cases == 0, is_found, "{log:?}");
        assert_eq!(verdict(&record, "searchPets status: 200"), "held");
        assert!(
            record
                .findings
                .iter()
                .all(|finding| finding.rule == "unchecked-operation"),
            "{:?}",
            record.findings
        );
    }
}

#[tokio::test]
async fn a_query_that_creates_is_a_finding_and_is_reported_as_left() {
    let (record, log) = checked(StatusCode::CREATED, |check| check.writes(true)).await;
    assert_eq!(verdict(&record, "searchPets status: 200"), "broken");
    let asked = bodies(&log, "POST /pets/search").into_iter();
    let kept = asked.filter(|body| body["name"].is_string() && body.get("archive").is_none());
    let left = record.residue.iter().filter(|left| left.operation == "searchPets");
    assert_eq!((kept.count(), left.count()), (1, 1));
}

#[tokio::test]
async fn a_run_that_sent_no_create_has_ended_and_says_whether_it_left_something() {
    for (search, left, extent) in [
        (StatusCode::OK, 0, SearchExtent::Whole),
        (StatusCode::CREATED, 1, SearchExtent::Part),
    ] {
        let (record, log) = checked(search, |check| check.writes(true).only("searchPets")).await;
        assert!(!bodies(&log, "POST /pets/search").is_empty() && bodies(&log, "POST /pets").is_empty());
        assert_eq!((record.residue.len(), record.residue_search), (left, extent));
    }
}
