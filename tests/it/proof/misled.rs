//! Services that take the identifier of the run's own record for that of another one: in every write, only after a few
//! reads, or because they show the latest record under any identifier. As soon as a response shows it, nothing more is
//! written; a service without any such mistake gets all of it.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

pub(super) const THINGS: &str = "openapi: 3.0.3
info: {title: Things, version: '1'}
components:
  parameters: {Id: {name: PARAMETER, in: path, required: true, schema: {type: integer}}}
  schemas:
    New: {type: object, properties: {name: {type: string}, colour: {type: string}}}
    Thing: {type: object, properties: {id: {type: integer}, name: {type: string}, colour: {type: string}}}
  responses:
    Thing: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
  requestBodies: {New: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}}
paths:
  /things:
    get:
      operationId: listThings
      responses: {'200': {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Thing'}}}}}}
    post:
      operationId: addThing
      requestBody: {$ref: '#/components/requestBodies/New'}
      responses: {'201': {$ref: '#/components/responses/Thing'}}
  /things/{PARAMETER}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get: {operationId: getThing, responses: {'200': {$ref: '#/components/responses/Thing'}, '404': {description: None}}}
    put:
      operationId: setThing
      requestBody: {$ref: '#/components/requestBodies/New'}
      responses: {'200': {$ref: '#/components/responses/Thing'}, '404': {description: None}}
    delete: {operationId: dropThing, responses: {'204': {description: Gone}, '404': {description: None}}}
";

/// Where a request under the identifier of the run's own record ends up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leads {
    /// At that record.
    ToIt,
    /// At somebody else's record, in a write.
    Elsewhere { responds_with_it: bool },
    /// At somebody else's record after this many reads.
    ElsewhereAfter(usize),
    /// At that record, which somebody else's replaces under its identifier in this read.
    ReplacedIn(usize),
    /// In a read: at the identifier with the fields of the record that was created last; in a write: elsewhere.
    ToLatest,
}

/// The records of others, by their identifiers.
const OTHERS: [i64; 3] = [101, 102, 103];

#[derive(Default)]
struct Things {
    all: Vec<Value>,
    reads: usize,
    /// The identifier under which a read has shown that somebody else's record replaces the run's.
    replaced: Option<i64>,
    /// The writes that reached records of others.
    elsewhere: Vec<String>,
}

fn respond(leads: Leads, things: &mut Things, (method, path): (&Method, &str), sent: &Value) -> Response {
    let Some(id) = path.strip_prefix("/things/") else {
        if method == Method::GET {
            return axum::Json(&things.all).into_response();
        }
        let id = 101 + things.all.len();
        let thing = json!({"id": id, "name": sent["name"], "colour": sent["colour"]});
        things.all.push(thing.clone());
        return (StatusCode::CREATED, axum::Json(thing)).into_response();
    };
    let Ok(id) = id.parse::<i64>() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let is_own = !OTHERS.contains(&id);
    let is_read = method == Method::GET;
    things.reads += usize::from(is_read && is_own);
    let is_led_away = is_own
        && match leads {
            Leads::ToIt | Leads::ReplacedIn(_) => false,
            Leads::Elsewhere { .. } | Leads::ToLatest => !is_read,
            Leads::ElsewhereAfter(reads) => things.reads > reads,
        };
    if is_read && is_own && leads == Leads::ToLatest {
        let mut latest = things.all.last().cloned().unwrap_or_default();
        latest["id"] = id.into();
        return axum::Json(latest).into_response();
    }
    let at = if is_led_away {
        things
            .all
            .iter()
            .position(|thing| OTHERS.iter().any(|other| thing["id"] == *other))
    } else {
        things.all.iter().position(|thing| thing["id"] == id)
    };
    let Some(at) = at else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if (is_led_away || things.replaced == Some(id)) && !is_read {
        things.elsewhere.push(method.to_string());
    }
    if leads == Leads::ReplacedIn(things.reads) && is_read && is_own && things.replaced.is_none() {
        things.all[at] = json!({"id": id, "name": "Anna's", "colour": "hers"});
        things.replaced = Some(id);
    }
    if method == Method::DELETE {
        things.all.remove(at);
        return StatusCode::NO_CONTENT.into_response();
    }
    if method == Method::PUT {
        for name in ["name", "colour"] {
            if let Some(value) = sent.get(name) {
                things.all[at][name] = value.clone();
            }
        }
    }
    match leads {
        Leads::Elsewhere {
            responds_with_it: false,
        } if method == Method::PUT => axum::Json(json!({})).into_response(),
        _ => axum::Json(&things.all[at]).into_response(),
    }
}

/// Returns the report of a check with writes, the methods of the writes that reached records of others, and how many
/// records are there afterwards.
async fn checked(leads: Leads, parameter: &str) -> (Record, Vec<String>, usize) {
    let all = OTHERS.map(|id| json!({"id": id, "name": format!("Other {id}"), "colour": "red"}));
    let things = Arc::new(Mutex::new(Things {
        all: all.to_vec(),
        ..Things::default()
    }));
    let shared = things.clone();
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let sent = serde_json::from_slice(&body);
        let response = match sent {
            Ok(sent) => respond(leads, &mut shared.lock().unwrap(), (&method, uri.path()), &sent),
            Err(_) if body.is_empty() => {
                respond(leads, &mut shared.lock().unwrap(), (&method, uri.path()), &Value::Null)
            }
            Err(_) => StatusCode::BAD_REQUEST.into_response(),
        };
        async { response }
    });
    let document = THINGS.replace("PARAMETER", parameter);
    let check = Check::new(Contract::read("things.yaml", document).unwrap()).service(router);
    let check = check.writes(true).cleanup(true).max_writes(40).seed(1);
    let report = check.settle(std::time::Duration::ZERO).run().await.unwrap();
    let things = things.lock().unwrap();
    (report.record().clone(), things.elsewhere.clone(), things.all.len())
}

#[tokio::test]
async fn a_write_that_reaches_another_record_is_the_last_one() {
    for parameter in ["id", "pk"] {
        for (leads, most) in [
            // The response to the first one says it.
            (Leads::Elsewhere { responds_with_it: true }, 1),
            // The update shows nowhere, and the first deletion leaves the record.
            (
                Leads::Elsewhere {
                    responds_with_it: false,
                },
                2,
            ),
            (Leads::ElsewhereAfter(1), 0),
            (Leads::ElsewhereAfter(2), 1),
            (Leads::ElsewhereAfter(3), 1),
            (Leads::ElsewhereAfter(4), 1),
            (Leads::ToLatest, 2),
        ] {
            let (record, elsewhere, _) = checked(leads, parameter).await;
            assert!(
                elsewhere.len() <= most,
                "{parameter} {leads:?} {elsewhere:?} {:#?}",
                record.findings
            );
            assert!(!record.residue.is_empty(), "{leads:?}");
        }
    }
}

/// A write to it would make a later read show a string of the run again.
#[tokio::test]
async fn nothing_is_written_under_an_identifier_after_a_read_has_shown_the_record_of_somebody_else() {
    for reads in 1..=8 {
        let (record, elsewhere, _) = checked(Leads::ReplacedIn(reads), "id").await;
        assert_eq!(elsewhere, [""; 0], "{reads}");
        assert!(!record.residue.is_empty(), "{reads}");
    }
}

#[tokio::test]
async fn a_service_that_finds_its_records_gets_every_write() {
    for parameter in ["id", "pk"] {
        let (record, elsewhere, left) = checked(Leads::ToIt, parameter).await;
        assert_eq!(elsewhere, [""; 0]);
        assert!(record.findings.is_empty(), "{parameter} {:#?}", record.findings);
        assert_eq!((left, record.residue.len()), (OTHERS.len(), 0), "{parameter}");
    }
}
