//! An update by PUT that is sent twice under an ordinary document: one that fails or changes its record the second time
//! is found, and a service that may reject the second, or changes only what is its own, is left alone.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::VerdictRecord;
use countersign::rules::Level;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const NOTES: &str = "openapi: 3.0.3
info: {title: Notes, version: '1'}
x-edge-cases: []
components:
  schemas:
    NewNote:
      type: object
      required: [title, labels]
      properties: {title: {type: string}, labels: {type: array, items: {type: string}}}
    Note:
      allOf:
        - {$ref: '#/components/schemas/NewNote'}
        - {type: object, required: [id], properties: {id: {type: string}, revision: {type: integer}}}
  requestBodies:
    Note: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewNote'}}}}
  responses:
    Note: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}
paths:
  /notes:
    post:
      operationId: addNote
      requestBody: {$ref: '#/components/requestBodies/Note'}
      responses: {'201': {$ref: '#/components/responses/Note'}}
  /notes/{noteId}:
    parameters: [{name: noteId, in: path, required: true, schema: {type: string}}]
    get: {operationId: getNote, responses: {'200': {$ref: '#/components/responses/Note'}}}
    put:
      operationId: putNote
      requestBody: {$ref: '#/components/requestBodies/Note'}
      responses: {'200': {$ref: '#/components/responses/Note'}}
";

/// What the service does with a PUT that it gets for the second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Second {
    /// The same as with the first; the revision grows, as a service may let it.
    Same,
    /// It responds with this status, and changes nothing.
    Status(u16),
    /// It changes the title.
    Retitles,
    /// It adds the labels once more.
    AddsLabels,
    /// What a service may do: its next reads come from a replica that is behind.
    ReadLate,
    /// What may happen: somebody has deleted the record.
    Gone,
}

#[derive(Default)]
struct State {
    note: Option<Value>,
    before: Option<Value>,
    /// How many reads still show the record as it was before.
    late_reads: u32,
    put: Option<Value>,
    /// The notes that were created after the first.
    later: Vec<Value>,
    created: u32,
    seconds: u32,
}

impl State {
    fn respond(&mut self, second: Second, (method, path): (&Method, &str), body: &Bytes) -> Response {
        let body = serde_json::from_slice::<Value>(body).ok();
        match (method.as_str(), body) {
            ("POST", Some(mut note)) => {
                // The first is the one that is read and replaced.
                self.created += 1;
                (note["id"], note["revision"]) = (json!(format!("note-{}", self.created)), json!(1));
                match self.created {
                    1 => self.note = Some(note.clone()),
                    _ => self.later.push(note.clone()),
                }
                (StatusCode::CREATED, axum::Json(note)).into_response()
            }
            ("GET", _) => {
                let is_read = |note: &&Value| note["id"].as_str().is_some_and(|id| path.ends_with(id));
                if let Some(note) = self.later.iter().find(is_read) {
                    return axum::Json(note).into_response();
                }
                let is_late = self.late_reads > 0;
                self.late_reads = self.late_reads.saturating_sub(1);
                let note = if is_late { &self.before } else { &self.note };
                match note {
                    Some(note) => axum::Json(note).into_response(),
                    None => StatusCode::NOT_FOUND.into_response(),
                }
            }
            ("PUT", Some(put)) => self.put(second, put),
            _ => StatusCode::BAD_REQUEST.into_response(),
        }
    }

    fn put(&mut self, second: Second, put: Value) -> Response {
        let is_second = self.put.as_ref() == Some(&put);
        self.seconds += u32::from(is_second);
        self.put = Some(put.clone());
        let Some(before) = self.note.clone() else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let mut note = put;
        note["id"] = json!("note-1");
        note["revision"] = json!(before["revision"].as_u64().unwrap() + 1);
        match second {
            _ if !is_second => self.before = Some(before),
            Second::Same => {}
            Second::Status(status) => return StatusCode::from_u16(status).unwrap().into_response(),
            Second::Retitles => note["title"] = json!("Untitled"),
            Second::AddsLabels => {
                let labels = note["labels"].as_array().unwrap().clone();
                note["labels"].as_array_mut().unwrap().extend(labels);
            }
            Second::ReadLate => self.late_reads = 2,
            Second::Gone => {
                self.note = None;
                return StatusCode::NOT_FOUND.into_response();
            }
        }
        self.note = Some(note.clone());
        axum::Json(note).into_response()
    }
}

/// Returns the findings, each as its fact, what was received and where, and the verdict on the fact.
async fn checked(second: Second) -> (Vec<(String, String, String)>, VerdictRecord) {
    let state = Arc::new(Mutex::new(State::default()));
    let shared = Arc::clone(&state);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let request = (&method, uri.path());
        let response = shared.lock().unwrap().respond(second, request, &body);
        async { response }
    });
    let check = Check::new(Contract::read("notes.yaml", NOTES.to_owned()).unwrap()).service(router);
    let check = check.writes(true).seed(1).settle(Duration::from_millis(400));
    let report = check.run().await.unwrap();
    assert!(state.lock().unwrap().seconds > 0, "{second:?}");
    let record = report.record();
    assert!(record.findings.iter().all(|finding| finding.level == Level::Warn));
    let found = record.findings.iter().map(|finding| {
        let received = finding.received.clone();
        (finding.fact.clone(), received, finding.response_pointer.clone())
    });
    let mut rows = record.facts.rows.iter();
    let row = rows.find(|row| row.fact == FACT).unwrap();
    (found.collect(), row.verdict)
}

const FACT: &str = "putNote sent twice: the same as once";

#[tokio::test]
async fn a_put_that_fails_or_changes_its_record_the_second_time_is_found() {
    for (second, received, pointer) in [
        (Second::Status(500), "500 to the second update", ""),
        (Second::Status(404), "404 to the second update", ""),
        (Second::Retitles, "another value after the second update", "/title"),
        (Second::AddsLabels, "another value after the second update", "/labels"),
    ] {
        let (found, verdict) = checked(second).await;
        let expected = (FACT.to_owned(), received.to_owned(), pointer.to_owned());
        assert_eq!(found, [expected], "{second:?}");
        assert_eq!(verdict, VerdictRecord::Broken, "{second:?}");
    }
}

#[tokio::test]
async fn a_put_that_may_be_rejected_or_shows_late_the_second_time_is_left_alone() {
    let rejected = [202, 409, 412, 503].map(Second::Status);
    for second in [Second::Same, Second::ReadLate, Second::Gone]
        .into_iter()
        .chain(rejected)
    {
        let (found, verdict) = checked(second).await;
        assert_eq!(found, [], "{second:?}");
        let is_decided = matches!(second, Second::Same | Second::ReadLate);
        let expected = if is_decided {
            VerdictRecord::Held
        } else {
            VerdictRecord::Undecided
        };
        assert_eq!(verdict, expected, "{second:?}");
    }
}
