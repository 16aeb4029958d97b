//! The deletion of a record of the run: it is first sent without a credential, which must be rejected. Nothing else is
//! ever deleted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const NOTES: &str = "openapi: 3.0.3
info: {title: Notes, version: '1'}
security: [{bearer: []}]
components:
  securitySchemes: {bearer: {type: http, scheme: bearer}}
  schemas:
    NewNote: {type: object, required: [title], properties: {title: {type: string}}}
    Note: {type: object, required: [id, title], properties: {id: {type: string}, title: {type: string}}}
  responses:
    Note: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}
    NoToken: {description: No token}
paths:
  /notes:
    get: {operationId: listNotes, responses: {'200': {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Note'}}}}}, '401': {$ref: '#/components/responses/NoToken'}}}
    post:
      operationId: addNote
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewNote'}}}}
      responses: {'201': {$ref: '#/components/responses/Note'}, '401': {$ref: '#/components/responses/NoToken'}}
  /notes/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getNote, responses: {'200': {$ref: '#/components/responses/Note'}, '401': {$ref: '#/components/responses/NoToken'}, '404': {description: Unknown}}}
    delete: {operationId: deleteNote, responses: {'202': {description: Begun}, '204': {description: Gone}, '401': {$ref: '#/components/responses/NoToken'}, '404': {description: Unknown}}}
";

/// What a deletion without a token gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Without {
    Rejected,
    /// As if there were no such record, which is another way to reject it.
    Hidden,
    Accepted,
    /// As [`With::GivesAway`].
    GivesAway,
}

/// What a deletion with the token does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum With {
    Deletes,
    /// It is carried out after the response, when the record has been read once more.
    Begins,
    /// As `Begins`, but it is never carried out.
    OnlyBegins,
    /// It is carried out, but a gateway in front of the service has lost the response.
    Fails,
    /// The record had expired.
    Expired,
    /// The first time it is too early, with this status; the second time it is carried out.
    TooEarly(StatusCode),
    /// It is carried out, and somebody else's record gets the identifier before the response with this status.
    GivesAway(StatusCode),
}

/// The title of a note of somebody else that has got the identifier of a deleted one.
const GIVEN_AWAY: &str = "Somebody's new";

type Notes = BTreeMap<String, Value>;

/// Deletes a note, gives its identifier to one of somebody else, and responds with this status.
fn give_away(status: StatusCode, notes: &mut Notes, id: &str) -> Response {
    match notes.get(id) {
        Some(note) if note["title"] == GIVEN_AWAY => {
            notes.remove(id);
        }
        _ => drop(notes.insert(id.to_owned(), json!({"id": id, "title": GIVEN_AWAY}))),
    }
    (status, [(RETRY_AFTER, "0")]).into_response()
}

/// Deletes a note as `with` says, or notes after how many reads that is done.
fn delete(with: With, notes: &mut Notes, id: &str) -> Response {
    match with {
        With::Begins | With::OnlyBegins => {
            if let Some(note) = notes.get_mut(id) {
                note["reads"] = json!(if with == With::Begins { 1 } else { u64::MAX });
            }
            StatusCode::ACCEPTED.into_response()
        }
        With::GivesAway(status) => give_away(status, notes, id),
        With::TooEarly(status) if notes.get(id).is_some_and(|note| note["was_early"].is_null()) => {
            notes
                .entry(id.to_owned())
                .and_modify(|note| note["was_early"] = json!(true));
            (status, [(RETRY_AFTER, "0")]).into_response()
        }
        _ if notes.remove(id).is_none() => StatusCode::NOT_FOUND.into_response(),
        With::Deletes | With::TooEarly(_) => StatusCode::NO_CONTENT.into_response(),
        With::Fails => StatusCode::BAD_GATEWAY.into_response(),
        With::Expired => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Returns a note, and carries out its deletion if that has begun long enough ago.
fn read(notes: &mut Notes, id: &str) -> Option<Value> {
    let note = notes.get_mut(id)?;
    let shown = json!({"id": note["id"], "title": note["title"]});
    match note["reads"].as_u64() {
        Some(0) => {
            notes.remove(id);
            None
        }
        Some(reads) => {
            note["reads"] = json!(reads - 1);
            Some(shown)
        }
        None => Some(shown),
    }
}

fn respond(
    (without, with): (Without, With),
    notes: &mut Notes,
    request: (&Method, &str),
    has_token: bool,
    body: &Bytes,
) -> Response {
    let (method, path) = request;
    let id = path.strip_prefix("/notes/").unwrap_or_default();
    if !has_token {
        return match (method, without) {
            (&Method::DELETE, Without::Accepted) if notes.remove(id).is_some() => {
                StatusCode::NO_CONTENT.into_response()
            }
            (&Method::DELETE, Without::GivesAway) => give_away(StatusCode::SERVICE_UNAVAILABLE, notes, id),
            (&Method::DELETE, Without::Hidden) => StatusCode::NOT_FOUND.into_response(),
            _ => (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")]).into_response(),
        };
    }
    let title = serde_json::from_slice::<Value>(body).map(|sent| sent["title"].clone());
    let title = title.ok().filter(Value::is_string);
    match (method.as_str(), id, title) {
        ("GET", "", _) => {
            let shown = notes
                .values()
                .map(|note| json!({"id": note["id"], "title": note["title"]}));
            axum::Json(shown.collect::<Vec<_>>()).into_response()
        }
        ("GET", id, _) => match read(notes, id) {
            Some(note) => axum::Json(note).into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        },
        ("POST", "", Some(title)) => {
            let note = json!({"id": format!("own-{}", notes.len()), "title": title});
            notes.insert(format!("own-{}", notes.len()), note.clone());
            (StatusCode::CREATED, axum::Json(note)).into_response()
        }
        ("POST", ..) => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
        ("DELETE", id, _) => delete(with, notes, id),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Checks the service with clean-up. Returns the report, and the notes that are left.
async fn checked(behaviour: (Without, With)) -> (Record, Notes) {
    let others = (0..3).map(|number| {
        let id = format!("other-{number}");
        (id.clone(), json!({"id": id, "title": "Somebody's"}))
    });
    let notes: Arc<Mutex<Notes>> = Arc::new(Mutex::new(others.collect()));
    let kept = Arc::clone(&notes);
    let router = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let has_token = headers
            .get(AUTHORIZATION)
            .is_some_and(|sent| sent == "Bearer right-token");
        let request = (&method, uri.path());
        let response = respond(behaviour, &mut kept.lock().unwrap(), request, has_token, &body);
        async { response }
    });
    let contract = Contract::read("notes.yaml", NOTES.to_owned()).unwrap();
    let check = Check::new(contract).service(router).token("right-token");
    let check = check.writes(true).cleanup(true).seed(7);
    let report = check.settle(std::time::Duration::from_millis(50)).run().await.unwrap();
    let notes = notes.lock().unwrap().clone();
    (report.record().clone(), notes)
}

#[tokio::test]
async fn a_deletion_without_a_credential_must_be_rejected() {
    for (without, rules) in [
        (Without::Rejected, &[][..]),
        (Without::Hidden, &[]),
        (Without::Accepted, &["auth"]),
    ] {
        let (record, notes) = checked((without, With::Deletes)).await;
        let found: Vec<_> = record.findings.iter().map(|finding| finding.rule.to_string()).collect();
        assert_eq!(found, rules, "{without:?} {:?}", record.findings);
        let of_others = notes.keys().all(|id| id.starts_with("other-"));
        assert!(notes.len() == 3 && of_others, "{without:?} {notes:?}");
    }
}

#[tokio::test]
async fn a_deletion_that_may_have_been_carried_out_is_read_again() {
    for (with, left, rules) in [
        (With::Begins, 0, &[][..]),
        (With::OnlyBegins, 3, &[]),
        (With::Fails, 0, &["server-error"]),
        (With::Expired, 0, &["unchecked-operation"]),
    ] {
        let (record, notes) = checked((Without::Rejected, with)).await;
        let found: Vec<_> = record.findings.iter().map(|finding| finding.rule.to_string()).collect();
        assert_eq!(found, rules, "{with:?} {:?}", record.findings);
        assert_eq!(notes.len(), 3 + left, "{with:?}");
        assert_eq!(record.residue.len(), left, "{with:?} {:?}", record.residue);
    }
}

#[tokio::test]
async fn a_deletion_is_repeated_only_while_the_record_is_the_run_s_own() {
    for status in [StatusCode::SERVICE_UNAVAILABLE, StatusCode::TOO_MANY_REQUESTS] {
        let (record, notes) = checked((Without::Rejected, With::TooEarly(status))).await;
        assert_eq!(
            (record.findings.len(), notes.len()),
            (0, 3),
            "{status} {:?}",
            record.findings
        );
        let (record, notes) = checked((Without::Rejected, With::GivesAway(status))).await;
        let given_away = notes.values().filter(|note| note["title"] == GIVEN_AWAY);
        assert_eq!(
            (given_away.count(), notes.len()),
            (3, 6),
            "{status} {:?}",
            record.findings
        );
    }
    let (_, notes) = checked((Without::GivesAway, With::Deletes)).await;
    let given_away = notes.values().filter(|note| note["title"] == GIVEN_AWAY);
    assert_eq!((given_away.count(), notes.len()), (1, 4), "{notes:?}");
}
