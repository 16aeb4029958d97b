//! Creates whose callers choose the identifier: `PUT /plants/{name}`. The run chooses names with its run tag, so that
//! no write can name a record of anybody else. Each case asserts on what reached the service.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const PLANTS: &str = "openapi: 3.0.3
info: {title: Plants, version: '1'}
components:
  parameters:
    Plant: {name: name, in: path, required: true, schema: {type: string}}
    Bed: {name: bed, in: path, required: true, schema: {type: string, maxLength: 40}}
  schemas:
    NewPlant:
      type: object
      required: [name, colour]
      properties: {name: {type: string}, colour: {type: string}, height: {type: integer}}
    Plant:
      allOf:
        - {$ref: '#/components/schemas/NewPlant'}
        - {type: object, required: [stored], properties: {stored: {type: boolean}}}
  requestBodies:
    Plant: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewPlant'}}}}
  responses:
    Plant: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Plant'}}}}
    Plants:
      description: OK
      content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Plant'}}}}
paths:
  /plants:
    get: {operationId: listPlants, responses: {'200': {$ref: '#/components/responses/Plants'}}}
  /plants/{name}:
    parameters: [{$ref: '#/components/parameters/Plant'}]
    get: {operationId: getPlant, responses: {'200': {$ref: '#/components/responses/Plant'}}}
    put:
      operationId: putPlant
      requestBody: {$ref: '#/components/requestBodies/Plant'}
      responses: {'200': {$ref: '#/components/responses/Plant'}, '204': {description: Stored}}
    patch:
      operationId: patchPlant
      requestBody: {$ref: '#/components/requestBodies/Plant'}
      responses: {'200': {$ref: '#/components/responses/Plant'}}
    delete: {operationId: deletePlant, responses: {'204': {description: Gone}}}
  /plants/{name}/beds/{bed}:
    parameters: [{$ref: '#/components/parameters/Plant'}, {$ref: '#/components/parameters/Bed'}]
    get:
      operationId: getBed
      responses:
        '200':
          description: OK
          content: {application/json: {schema: {type: object, required: [bed], properties: {bed: {type: string}}}}}
    post: {operationId: addBed, responses: {'201': {description: Added}}}
    delete: {operationId: deleteBed, responses: {'204': {description: Gone}}}
";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaviour {
    Conforms,
    /// What a service may do: it answers a create without a body.
    NoContent,
    /// What a service may do: no operation creates anything.
    OnlyUpdates,
    /// What a service may do: an update with another name renames the record.
    Renames,
    /// A create is not kept.
    Loses,
    /// What was sent comes back changed.
    Changes,
    /// A deleted record is still read.
    Keeps,
    /// Whatever its name, each read shows the same record of somebody else, and each write changes that.
    IgnoresNames,
    /// What a service may do: it rejects a name that it does not know as unprocessable.
    RejectsUnknown,
    /// Each write changes the same record of somebody else, and a read knows the names.
    WritesToOther,
    /// Once it was written to, each name is that of the record of somebody else, and every response shows the name that
    /// was asked for.
    EchoesNames,
    /// Once a plant has a bed, each name of a bed is that of this bed.
    EchoesBeds,
}

/// The record of somebody else.
const OTHER: &str = "/plants/rose";

type Kept = BTreeMap<String, Value>;

/// Returns the path of the record that a request acts on.
fn acts_on<'path>(behaviour: Behaviour, kept: &Kept, (method, path): (&Method, &'path str)) -> &'path str {
    match behaviour {
        Behaviour::IgnoresNames if path.matches('/').count() == 2 => OTHER,
        Behaviour::EchoesNames
            if path.matches('/').count() == 2 && (*method != Method::GET || kept[OTHER]["stored"] == 1) =>
        {
            OTHER
        }
        Behaviour::WritesToOther if path.matches('/').count() == 2 && *method != Method::GET => OTHER,
        _ => path,
    }
}

fn respond(behaviour: Behaviour, kept: &mut Kept, (method, path, body): (&Method, &str, &Bytes)) -> Response {
    let named = acts_on(behaviour, kept, (method, path));
    let Some((collection, name)) = named.rsplit_once('/') else {
        return StatusCode::NOT_FOUND.into_response();
    };
    match *method {
        Method::GET if path == "/plants" => {
            let plants = kept.iter().filter(|(at, _)| at.matches('/').count() == 2);
            axum::Json(plants.map(|(_, plant)| plant).collect::<Vec<_>>()).into_response()
        }
        Method::GET if behaviour == Behaviour::EchoesBeds && path.contains("/beds/") => {
            let beds = format!("{collection}/");
            match kept.keys().any(|at| at.starts_with(&beds)) {
                true => axum::Json(json!({"bed": name})).into_response(),
                false => StatusCode::NOT_FOUND.into_response(),
            }
        }
        Method::GET => match kept.get(named) {
            Some(record) if behaviour == Behaviour::EchoesNames => {
                let mut record = record.clone();
                record["name"] = json!(path.rsplit('/').next());
                axum::Json(record).into_response()
            }
            Some(record) => axum::Json(record).into_response(),
            None if behaviour == Behaviour::RejectsUnknown => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        },
        Method::DELETE if kept.contains_key(named) => {
            if behaviour != Behaviour::Keeps {
                kept.remove(named);
            }
            StatusCode::NO_CONTENT.into_response()
        }
        Method::POST if behaviour != Behaviour::OnlyUpdates => {
            kept.insert(named.to_owned(), json!({"bed": name}));
            StatusCode::CREATED.into_response()
        }
        Method::PUT | Method::PATCH => {
            let creates = *method == Method::PUT && behaviour != Behaviour::OnlyUpdates;
            let Ok(Value::Object(mut plant)) = serde_json::from_slice(body) else {
                return StatusCode::BAD_REQUEST.into_response();
            };
            if !creates && !kept.contains_key(named) {
                return StatusCode::NOT_FOUND.into_response();
            }
            plant.insert("stored".to_owned(), json!(true));
            let mut at = named.to_owned();
            if behaviour == Behaviour::Renames && plant["name"] != *name {
                kept.remove(named);
                at = format!("{collection}/{}", plant["name"].as_str().unwrap_or("unnamed"));
            } else {
                plant.insert("name".to_owned(), json!(name));
            }
            if behaviour == Behaviour::EchoesNames {
                plant.insert("name".to_owned(), json!(path.rsplit('/').next()));
                plant.insert("stored".to_owned(), json!(1));
            }
            let shown = plant.clone();
            if behaviour == Behaviour::Changes {
                plant.insert("colour".to_owned(), json!("another"));
            }
            if !(creates && behaviour == Behaviour::Loses) {
                kept.insert(at, Value::Object(plant));
            }
            match behaviour {
                Behaviour::NoContent if creates => StatusCode::NO_CONTENT.into_response(),
                _ => axum::Json(shown).into_response(),
            }
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

struct Checked {
    record: Record,
    kept: Kept,
    /// The method and the path of each write.
    writes: Vec<(Method, String)>,
}

impl Checked {
    fn findings(&self) -> Vec<(&str, &str)> {
        let findings = self.record.findings.iter();
        let findings = findings.filter(|found| found.rule != "unchecked-operation");
        let mut found: Vec<_> = findings
            .map(|found| (found.rule.as_str(), found.fact.as_str()))
            .collect();
        found.sort_unstable();
        found
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
    checked_with(behaviour, 20).await
}

async fn checked_with(behaviour: Behaviour, max_writes: u64) -> Checked {
    let other = json!({"name": "rose", "colour": "red", "stored": true});
    let kept = Arc::new(Mutex::new(Kept::from([(OTHER.to_owned(), other)])));
    let writes: Arc<Mutex<Vec<(Method, String)>>> = Arc::default();
    let (records, log) = (Arc::clone(&kept), Arc::clone(&writes));
    let service = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let response = respond(behaviour, &mut records.lock().unwrap(), (&method, uri.path(), &body));
        if method != Method::GET {
            log.lock().unwrap().push((method, uri.path().to_owned()));
        }
        async { response }
    });
    let contract = Contract::read("plants.yaml", PLANTS.to_owned()).unwrap();
    let check = Check::new(contract)
        .service(service)
        .writes(true)
        .cleanup(true)
        .max_writes(max_writes)
        .seed(1);
    let report = check.settle(Duration::from_millis(100)).run().await.unwrap();
    let checked = Checked {
        record: report.record().clone(),
        kept: kept.lock().unwrap().clone(),
        writes: writes.lock().unwrap().clone(),
    };
    for (method, path) in &checked.writes {
        assert!(
            path.starts_with("/plants/countersign-"),
            "{behaviour:?}: {method} {path}"
        );
    }
    checked
}

#[tokio::test(start_paused = true)]
async fn a_record_is_created_under_a_name_of_the_run_and_read_updated_and_deleted_by_it() {
    for behaviour in [
        Behaviour::Conforms,
        Behaviour::NoContent,
        Behaviour::RejectsUnknown,
        Behaviour::Renames,
    ] {
        let checked = checked(behaviour).await;
        assert_eq!(checked.findings(), [], "{behaviour:?}");
        for fact in [
            "putPlant created: read by getPlant",
            "putPlant created: listed in listPlants",
            "putPlant in getPlant /colour: as sent in /colour",
            "patchPlant in getPlant /colour: as sent in /colour",
            "deletePlant: gone from getPlant",
            "addBed created: read by getBed",
            "deleteBed: gone from getBed",
        ] {
            // A 422 does not say that the record is gone, but no more is known of any other name.
            let is_open = behaviour == Behaviour::RejectsUnknown && fact.contains("gone from");
            assert!(is_open || checked.is_held(fact), "{behaviour:?}: {fact}");
        }
        assert_eq!(checked.kept.keys().collect::<Vec<_>>(), [OTHER], "{behaviour:?}");
        assert_eq!(checked.record.residue.len(), 0, "{behaviour:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_creates_nothing_under_an_unknown_name_is_left_alone() {
    let checked = checked(Behaviour::OnlyUpdates).await;
    assert_eq!(checked.findings(), []);
    assert!(checked.writes.iter().any(|(method, _)| method == Method::PUT));
    assert!(
        checked
            .writes
            .iter()
            .all(|(method, _)| method != Method::PATCH && method != Method::DELETE)
    );
    assert!(checked.record.residue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_becomes_of_such_a_record_is_judged() {
    for (behaviour, fact) in [
        (Behaviour::Loses, "putPlant created: read by getPlant"),
        (Behaviour::Changes, "putPlant in getPlant /colour: as sent in /colour"),
        (Behaviour::Keeps, "deletePlant: gone from getPlant"),
    ] {
        let checked = checked(behaviour).await;
        let found = checked.findings();
        assert!(found.contains(&("lifecycle", fact)), "{behaviour:?}: {found:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_to_a_service_that_knows_a_record_by_any_name() {
    let checked = checked(Behaviour::IgnoresNames).await;
    assert_eq!(checked.writes, []);
    assert_eq!(checked.record.residue.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn nothing_more_is_written_once_a_create_has_shown_another_record() {
    for behaviour in [Behaviour::WritesToOther, Behaviour::EchoesNames] {
        let checked = checked(behaviour).await;
        let methods: Vec<_> = checked.writes.iter().map(|(method, _)| method).collect();
        assert_eq!(methods, [Method::PUT], "{behaviour:?}");
        assert!(!checked.record.residue.is_empty(), "it may have been stored");
    }
}

#[tokio::test(start_paused = true)]
async fn a_nested_record_is_not_deleted_where_every_name_is_known() {
    let checked = checked(Behaviour::EchoesBeds).await;
    let is_bed = |path: &str| path.contains("/beds/");
    let beds = checked.writes.iter().filter(|(_, path)| is_bed(path));
    assert_eq!(beds.map(|(method, _)| method).collect::<Vec<_>>(), [Method::POST]);
    assert!(
        checked
            .writes
            .iter()
            .any(|(method, path)| method == Method::DELETE && !is_bed(path))
    );
}

#[tokio::test(start_paused = true)]
async fn no_more_is_created_than_max_writes_allows() {
    for most in 0..3 {
        let checked = checked_with(Behaviour::Conforms, most).await;
        let creates = checked
            .writes
            .iter()
            .filter(|(method, _)| [Method::PUT, Method::POST].contains(method));
        assert!(
            u64::try_from(creates.count()).unwrap() <= most,
            "{most}: {:?}",
            checked.writes
        );
    }
}

#[test]
fn only_what_nothing_else_creates_has_a_name_of_the_callers_choice() {
    let contract = |text: &str| Contract::read("plants.yaml", text.to_owned()).unwrap();
    let chosen = |text: &str| -> Vec<String> {
        let contract = contract(text);
        let chosen = contract
            .operations
            .iter()
            .filter(|operation| operation.new_record_name_parameter().is_some());
        chosen.map(|operation| operation.name.clone()).collect()
    };
    assert_eq!(chosen(PLANTS), ["putPlant", "addBed"]);
    for (name, parameter) in [("putPlant", 0), ("addBed", 1)] {
        let mut contract = contract(PLANTS);
        let create = contract.operation_named(name).unwrap();
        assert!(
            contract.set_parameter(create, parameter, json!("rose")).is_err(),
            "it is somebody's"
        );
    }
    let post = "    post: {operationId: addPlant, responses: {'201': {$ref: '#/components/responses/Plant'}}}\n  /plants/{name}:\n";
    assert_eq!(chosen(&PLANTS.replacen("  /plants/{name}:\n", post, 1)), ["addBed"]);
    for (what, other) in [
        ("schema: {type: string}}", "schema: {type: string, maxLength: 12}}"),
        ("schema: {type: string}}", "schema: {type: string, format: uuid}}"),
        ("schema: {type: string}}", "schema: {type: integer}}"),
        ("    get: {operationId: getPlant,", "    head: {operationId: getPlant,"),
    ] {
        assert_eq!(chosen(&PLANTS.replacen(what, other, 1)), ["addBed"], "{other}");
    }
}
