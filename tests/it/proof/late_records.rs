//! A record that never shows, as a document may say of it, does not make a run judge others by less time: an update
//! that shows late is left alone, and one that is lost is found.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::{Check, Contract};
use serde_json::{Value, json};

/// Resources of one form. What is created in the first ones is accepted, and shows when somebody has approved it.
const RESOURCES: [&str; 6] = ["drafts", "essays", "flyers", "guides", "hints", "notes"];

fn document(names: &[&str]) -> String {
    let of_resource = |name: &&str| {
        let held_back = if *name == "notes" {
            "Adds a note."
        } else {
            "What is added is held back until somebody approves it."
        };
        format!(
            "  /{name}:
    post:
      operationId: add_{name}
      description: {held_back}
      requestBody: {{$ref: '#/components/requestBodies/Text'}}
      responses: {{'201': {{$ref: '#/components/responses/Text'}}}}
  /{name}/{{id}}:
    parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}]
    get: {{operationId: get_{name}, responses: {{'200': {{$ref: '#/components/responses/Text'}}}}}}
    put:
      operationId: put_{name}
      requestBody: {{$ref: '#/components/requestBodies/Text'}}
      responses: {{'200': {{$ref: '#/components/responses/Text'}}}}
"
        )
    };
    let paths: String = names.iter().map(of_resource).collect();
    format!(
        "openapi: 3.0.3
info: {{title: Texts, version: '1'}}
x-edge-cases: []
components:
  schemas:
    New: {{type: object, required: [title], properties: {{title: {{type: string}}}}}}
    Text: {{allOf: [{{$ref: '#/components/schemas/New'}}, {{type: object, required: [id], properties: {{id: {{type: string}}}}}}]}}
  requestBodies:
    Text: {{required: true, content: {{application/json: {{schema: {{$ref: '#/components/schemas/New'}}}}}}}}
  responses:
    Text: {{description: OK, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Text'}}}}}}}}
paths:
{paths}"
    )
}

/// What an update of a note does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Update {
    /// What a service may do: the next reads come from a replica that is behind.
    ShowsLate,
    /// Nothing is stored.
    IsLost,
}

/// How many reads a replica is behind: more than a short wait has, and fewer than a full one.
const READS_BEHIND: u32 = 3;

#[derive(Default)]
struct State {
    notes: BTreeMap<String, Value>,
    before: BTreeMap<String, (Value, u32)>,
    reads: BTreeMap<String, u32>,
}

impl State {
    fn respond(&mut self, update: Update, method: &Method, uri: &Uri, body: &Bytes) -> Response {
        let path = uri.path().to_owned();
        let (resource, id) = path[1..].split_once('/').unwrap_or((&path[1..], ""));
        let is_note = resource == "notes";
        match (method.as_str(), serde_json::from_slice::<Value>(body)) {
            ("POST", Ok(mut text)) => {
                let id = format!("text-{}-{}", resource.len(), self.notes.len());
                text["id"] = json!(id);
                self.notes
                    .insert(if is_note { id } else { format!("held-back-{id}") }, text.clone());
                (StatusCode::CREATED, axum::Json(text)).into_response()
            }
            ("GET", _) => {
                *self.reads.entry(resource.to_owned()).or_default() += 1;
                let shown = match self.before.get_mut(id) {
                    Some((before, left)) if *left > 0 => {
                        *left -= 1;
                        Some(before.clone())
                    }
                    _ => self.notes.get(id).cloned(),
                };
                match shown.filter(|_| is_note) {
                    Some(text) => axum::Json(text).into_response(),
                    None => StatusCode::NOT_FOUND.into_response(),
                }
            }
            ("PUT", Ok(mut text)) if is_note && self.notes.contains_key(id) => {
                text["id"] = json!(id);
                let before = self.notes[id].clone();
                if update == Update::ShowsLate {
                    self.before.insert(id.to_owned(), (before, READS_BEHIND));
                    self.notes.insert(id.to_owned(), text.clone());
                }
                axum::Json(text).into_response()
            }
            ("PUT", Ok(_)) => StatusCode::NOT_FOUND.into_response(),
            _ => StatusCode::BAD_REQUEST.into_response(),
        }
    }
}

/// Returns the broken facts of a check of the resources with these names, and how often records of each were read.
async fn checked(update: Update, names: &[&str]) -> (Vec<String>, BTreeMap<String, u32>) {
    let state = Arc::new(Mutex::new(State::default()));
    let shared = Arc::clone(&state);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let response = shared.lock().unwrap().respond(update, &method, &uri, &body);
        async { response }
    });
    let contract = Contract::read("texts.yaml", document(names)).unwrap();
    let check = Check::new(contract).service(router).writes(true).seed(1);
    let check = check.settle(Duration::from_millis(400));
    let report = check.run().await.unwrap();
    // What never shows was not checked, which is reported, too.
    let findings = report.record().findings.iter();
    let findings = findings.filter(|finding| finding.rule != "unchecked-operation");
    let found = findings.map(|finding| finding.fact.clone()).collect();
    let reads = state.lock().unwrap().reads.clone();
    (found, reads)
}

#[tokio::test(start_paused = true)]
async fn an_update_that_shows_late_is_waited_for_after_another_record_never_showed() {
    for names in [&["drafts", "notes"][..], &RESOURCES] {
        let (found, reads) = checked(Update::ShowsLate, names).await;
        assert_eq!(found, [""; 0], "{names:?}");
        assert!(
            names.iter().all(|name| reads.contains_key(*name)),
            "{names:?}: {reads:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_update_that_is_lost_is_found_after_another_record_never_showed() {
    let (found, _) = checked(Update::IsLost, &["drafts", "notes"]).await;
    assert!(
        found.iter().any(|fact| fact.starts_with("put_notes in get_notes")),
        "{found:?}"
    );
}
