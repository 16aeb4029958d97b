//! Creates that an ordinary document describes and that are rejected: one whose record the list shows at the end was
//! stored all the same. That is a finding, and the record is reported as left; a service that keeps none, or may keep
//! one, is left alone.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::{FindingRecord, Record};
use countersign::rules::Level;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const NOTES: &str = "openapi: 3.0.3
info: {title: Notes, version: '1'}
security: [{token: []}]
components:
  securitySchemes: {token: {type: http, scheme: bearer}}
  schemas:
    NewNote: {type: object, required: [title], properties: {title: {type: string}, text: {type: string}}}
    Note:
      allOf:
        - {$ref: '#/components/schemas/NewNote'}
        - {type: object, required: [id], properties: {id: {type: string}, result: {type: string}}}
  requestBodies:
    Note: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewNote'}}}}
  responses:
    Note: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}
    Notes: {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Note'}}}}}
    Rejected: {description: Rejected}
paths:
  /notes:
    get:
      operationId: listNotes
      responses: {'200': {$ref: '#/components/responses/Notes'}, '401': {$ref: '#/components/responses/Rejected'}}
    post:
      operationId: addNote
      requestBody: {$ref: '#/components/requestBodies/Note'}
      responses: {'201': {$ref: '#/components/responses/Note'}, '4XX': {$ref: '#/components/responses/Rejected'}}
  /notes/{noteId}:
    parameters: [{name: noteId, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getNote
      responses: {'200': {$ref: '#/components/responses/Note'}, '4XX': {$ref: '#/components/responses/Rejected'}}
    delete: {operationId: deleteNote, responses: {'204': {description: Gone}, '4XX': {$ref: '#/components/responses/Rejected'}}}
";

/// What the service does with the record of a create that it rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// Nothing: it stores none.
    None,
    /// It stores those with a wrong credential.
    Unauthenticated,
    /// It stores those that it finds invalid.
    Invalid,
    /// What a service may do: it stores them first, and removes them after the list was read twice.
    ForAWhile,
    /// What a service may do: it keeps them, and says that they failed.
    AsFailed,
    /// What a service may do: its list shows attempts, under identifiers of their own.
    AsAttempts,
    /// It stores them, and they are on a later page of its list.
    OnALaterPage,
    /// It rejects and stores those with a text. The run sends the title again without one, and that is accepted.
    WithText,
    /// Nothing, and each accepted create replaces the one note that it has.
    Replaces,
}

#[derive(Default)]
struct State {
    notes: BTreeMap<String, Value>,
    /// The notes of rejected creates, each with how often the list has shown it.
    rejected: Vec<(Value, u32)>,
}

impl State {
    fn list(&mut self, kept: Kept) -> Response {
        for (_, shown) in &mut self.rejected {
            *shown += 1;
        }
        if kept == Kept::ForAWhile {
            self.rejected.retain(|(_, shown)| *shown < 3);
        }
        let others = (0..6).map(|number| json!({"id": format!("other-{number}"), "title": "Somebody's"}));
        let rejected = self.rejected.iter().map(|(note, _)| note.clone());
        let shown: Vec<_> = match kept {
            Kept::OnALaterPage => others.collect(),
            Kept::AsAttempts => {
                let attempts = self.notes.values().cloned().chain(rejected).enumerate();
                let named = attempts.map(|(number, mut note)| {
                    note["id"] = json!(format!("attempt-{number}"));
                    note
                });
                others.chain(named).collect()
            }
            _ => others.chain(self.notes.values().cloned()).chain(rejected).collect(),
        };
        axum::Json(shown).into_response()
    }

    fn create(&mut self, kept: Kept, body: &Bytes, is_known: bool) -> Response {
        let note = serde_json::from_slice::<Value>(body).ok();
        let Some(mut note) = note.filter(|note| note["title"].is_string()) else {
            return StatusCode::BAD_REQUEST.into_response();
        };
        note["id"] = json!(format!("note-{}", self.notes.len() + self.rejected.len()));
        let is_valid = note["title"]
            .as_str()
            .is_some_and(|title| title.is_ascii() && title.len() < 200)
            && (kept != Kept::WithText || note.get("text").is_none());
        if kept == Kept::Replaces {
            note["id"] = json!("the-note");
        }
        if is_known && is_valid {
            self.notes.insert(note["id"].as_str().unwrap().to_owned(), note.clone());
            return (StatusCode::CREATED, axum::Json(note)).into_response();
        }
        let keeps = match kept {
            Kept::None | Kept::Replaces => false,
            Kept::Unauthenticated => !is_known,
            Kept::Invalid | Kept::WithText => !is_valid,
            Kept::AsFailed => {
                note["result"] = json!("Rejected");
                true
            }
            Kept::ForAWhile | Kept::AsAttempts | Kept::OnALaterPage => true,
        };
        if keeps {
            self.rejected.push((note, 0));
        }
        match is_known {
            true => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
            false => unauthorized(),
        }
    }

    fn respond(
        &mut self,
        kept: Kept,
        (method, path): (&Method, &str),
        (headers, body): (&HeaderMap, &Bytes),
    ) -> Response {
        let is_known = headers
            .get(AUTHORIZATION)
            .is_some_and(|sent| sent == "Bearer the-token");
        let id = path.strip_prefix("/notes/");
        match (method, id) {
            (&Method::POST, None) => self.create(kept, body, is_known),
            _ if !is_known => unauthorized(),
            (&Method::GET, None) => self.list(kept),
            (&Method::GET, Some(id)) => match self.notes.get(id) {
                Some(note) => axum::Json(note).into_response(),
                None => StatusCode::NOT_FOUND.into_response(),
            },
            (&Method::DELETE, Some(id)) => match self.notes.remove(id) {
                Some(_) => StatusCode::NO_CONTENT.into_response(),
                None => StatusCode::NOT_FOUND.into_response(),
            },
            _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
        }
    }
}

fn unauthorized() -> Response {
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")]).into_response()
}

struct Checked {
    record: Record,
    /// The identifiers of the records of rejected creates that the service still has.
    rejected: Vec<String>,
}

impl Checked {
    fn found(&self) -> Vec<&FindingRecord> {
        let findings = self.record.findings.iter();
        findings
            .filter(|finding| ["auth", "lifecycle"].contains(&&*finding.rule))
            .collect()
    }

    /// The identifiers of records with the run tag that the report cannot attribute to one create.
    fn unexplained(&self) -> Vec<String> {
        let unexplained = self.record.unexplained_records.iter();
        let mut ids: Vec<_> = unexplained.filter_map(|record| record.id.clone()).collect();
        ids.sort();
        ids
    }

    /// The identifiers that the report lists as left although their creates were rejected.
    fn left(&self) -> Vec<String> {
        let residue = self.record.residue.iter();
        let rejected = residue.filter(|left| left.status.is_some_and(|status| status >= 400));
        let mut ids: Vec<_> = rejected.filter_map(|left| left.id.clone()).collect();
        ids.sort();
        ids
    }
}

async fn checked(kept: Kept, cleanup: bool) -> Checked {
    let state = Arc::new(Mutex::new(State::default()));
    let shared = Arc::clone(&state);
    let router = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let call = (&method, uri.path());
        let response = shared.lock().unwrap().respond(kept, call, (&headers, &body));
        async { response }
    });
    let check = Check::new(Contract::read("notes.yaml", NOTES.to_owned()).unwrap()).service(router);
    let check = check.token("the-token").writes(true).cleanup(cleanup).seed(1);
    let report = check.settle(Duration::from_millis(400)).run().await.unwrap();
    let mut rejected: Vec<_> = state
        .lock()
        .unwrap()
        .rejected
        .iter()
        .map(|(note, _)| note["id"].as_str().unwrap().to_owned())
        .collect();
    rejected.sort();
    Checked {
        record: report.record().clone(),
        rejected,
    }
}

#[tokio::test]
async fn a_record_whose_create_was_rejected_is_found_and_reported_as_left() {
    let once = "addNote created: one record in listNotes";
    // Each has stored a record of its own.
    let auth = [
        "addNote auth: a request without a credential is rejected",
        "addNote auth: another scheme is rejected",
    ];
    for (kept, (facts, level, status), cleanup) in [
        (Kept::Unauthenticated, (&auth[..], Level::Deny, "401"), true),
        (Kept::Invalid, (&[once][..], Level::Warn, "422"), false),
    ] {
        let checked = checked(kept, cleanup).await;
        let found: Vec<_> = checked.found().iter().map(|found| &*found.fact).collect();
        assert_eq!(found, facts, "{kept:?} {:?}", checked.record.findings);
        for found in checked.found() {
            assert_eq!(found.level, level);
            assert_eq!(found.received, format!("{status}, but the record is listed"));
        }
        assert!(!checked.rejected.is_empty());
        assert_eq!(checked.left(), checked.rejected, "{kept:?}");
    }
}

#[tokio::test]
async fn a_rejected_create_that_leaves_nothing_or_may_be_kept_is_left_alone() {
    for kept in [
        Kept::None,
        Kept::ForAWhile,
        Kept::AsFailed,
        Kept::AsAttempts,
        Kept::OnALaterPage,
    ] {
        let checked = checked(kept, true).await;
        assert!(
            checked.record.findings.is_empty(),
            "{kept:?} {:?}",
            checked.record.findings
        );
        assert_eq!(checked.left(), [""; 0], "{kept:?}");
        let expected = if kept == Kept::AsFailed {
            checked.rejected.as_slice()
        } else {
            &[]
        };
        if kept != Kept::AsAttempts {
            assert_eq!(checked.unexplained(), expected, "{kept:?}");
        }
        let keeps = !matches!(kept, Kept::None | Kept::ForAWhile);
        assert_eq!(!checked.rejected.is_empty(), keeps, "{kept:?}");
    }
}

#[tokio::test]
async fn a_record_whose_title_was_rejected_first_and_then_accepted_is_reported_as_left() {
    let checked = checked(Kept::WithText, true).await;
    let mut reported = [checked.unexplained(), checked.left()].concat();
    reported.sort();
    assert!(!checked.unexplained().is_empty());
    assert_eq!(reported, checked.rejected);
}

#[tokio::test]
async fn what_a_later_create_replaced_is_not_missed() {
    let checked = checked(Kept::Replaces, false).await;
    assert!(checked.found().is_empty(), "{:?}", checked.record.findings);
}
