//! What ordinary documents leave open about text, and software spoils all the same: an update with an apostrophe,
//! accents, an emoji or a leap day comes back as it was sent, or that is found. A service that rejects such values,
//! cleans a field that is documented as markup, or masks one that is documented so, is left alone.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const NOTES: &str = "openapi: 3.0.3
info: {title: Notes, version: '1'}
components:
  schemas:
    NewNote:
      type: object
      required: [title]
      properties:
        title: {type: string, maxLength: 60}
        subject: {type: string}
        body: {type: string, description: The text as HTML.}
        card: {type: string, description: Responses show only the last four characters.}
        due: {type: string, format: date}
        sku: {type: string}
        label: {type: string, description: 'Printed on the box, ASCII only.'}
        closing: {type: string, format: date, description: Moved to the next working day.}
    Note:
      allOf:
        - {$ref: '#/components/schemas/NewNote'}
        - {type: object, required: [id], properties: {id: {type: string}}}
  requestBodies:
    Note: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewNote'}}}}
  responses:
    Note: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}
paths:
  /notes:
    get: {operationId: listNotes, responses: {'200': {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Note'}}}}}}}
    post: {operationId: addNote, requestBody: {$ref: '#/components/requestBodies/Note'}, responses: {'201': {$ref: '#/components/responses/Note'}}}
  /notes/{noteId}:
    parameters: [{name: noteId, in: path, required: true, schema: {type: string}}]
    get: {operationId: getNote, responses: {'200': {$ref: '#/components/responses/Note'}}}
    put: {operationId: putNote, requestBody: {$ref: '#/components/requestBodies/Note'}, responses: {'200': {$ref: '#/components/responses/Note'}}}
";

/// What a service does to a text that it stores; `None` where it rejects it.
type Store = fn(&str, &str) -> Option<String>;

/// What reached the service, and what it has at the end.
struct Outcome {
    record: Record,
    updates: Vec<Value>,
    notes: BTreeMap<String, Value>,
}

impl Outcome {
    /// The broken facts, each with what was received.
    fn broken(&self) -> Vec<(&str, &str)> {
        let findings = self.record.findings.iter();
        findings
            .map(|finding| (finding.fact.as_str(), finding.received.as_str()))
            .collect()
    }
}

async fn checked(store: Store) -> Outcome {
    checked_by(NOTES, store).await
}

async fn checked_by(document: &str, store: Store) -> Outcome {
    let notes: Arc<Mutex<BTreeMap<String, Value>>> = Arc::default();
    let updates: Arc<Mutex<Vec<Value>>> = Arc::default();
    let (kept, seen) = (Arc::clone(&notes), Arc::clone(&updates));
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let response = respond(store, &mut kept.lock().unwrap(), (&method, uri.path(), &body));
        if method == Method::PUT && response.status() == StatusCode::OK {
            seen.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
        }
        async { response }
    });
    let contract = Contract::read("notes.yaml", document.to_owned()).unwrap();
    let check = Check::new(contract).service(router).writes(true).seed(7);
    let report = check.settle(std::time::Duration::from_millis(50)).run().await.unwrap();
    let (updates, notes) = (updates.lock().unwrap().clone(), notes.lock().unwrap().clone());
    Outcome {
        record: report.record().clone(),
        updates,
        notes,
    }
}

fn respond(store: Store, notes: &mut BTreeMap<String, Value>, request: (&Method, &str, &Bytes)) -> Response {
    let (method, path, body) = request;
    let id = path.strip_prefix("/notes/");
    let sent: Option<Value> = serde_json::from_slice(body).ok().filter(Value::is_object);
    let is_known = id.is_some_and(|id| notes.contains_key(id));
    match (method.as_str(), id, sent) {
        ("GET", None, _) => axum::Json(notes.values().collect::<Vec<_>>()).into_response(),
        ("GET", Some(id), _) if is_known => axum::Json(&notes[id]).into_response(),
        ("POST", None, Some(sent)) => stored(store, notes, (StatusCode::CREATED, format!("n{}", notes.len())), &sent),
        ("PUT", Some(id), Some(sent)) if is_known => stored(store, notes, (StatusCode::OK, id.to_owned()), &sent),
        ("POST", None, None) | ("PUT", Some(_), None) => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn stored(
    store: Store,
    notes: &mut BTreeMap<String, Value>,
    (status, id): (StatusCode, String),
    sent: &Value,
) -> Response {
    let mut note = json!({"id": id});
    for (name, value) in sent.as_object().unwrap() {
        let kept = value.as_str().and_then(|text| store(name, text));
        let Some(kept) = kept.filter(|_| {
            ["title", "subject", "body", "card", "due", "sku", "label", "closing"].contains(&name.as_str())
        }) else {
            return StatusCode::UNPROCESSABLE_ENTITY.into_response();
        };
        note[name] = json!(kept);
    }
    if note["title"].is_null() {
        return StatusCode::UNPROCESSABLE_ENTITY.into_response();
    }
    notes.insert(id, note.clone());
    (status, axum::Json(note)).into_response()
}

fn unchanged(_: &str, text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('\'', "&#39;").replace('"', "&quot;")
}

/// What the operation says of the texts in its body counts for all of them, or for the field that it names.
#[tokio::test]
async fn what_an_operation_says_of_its_texts_is_read() {
    let escapes: Store = |name, text| {
        Some(if name == "title" {
            escaped(text)
        } else {
            text.to_owned()
        })
    };
    for (text, is_compared) in [
        ("Input is HTML-escaped.", false),
        ("The title is HTML-escaped.", false),
        ("\"Replaces the body.\\nInput is HTML-escaped.\"", false),
        ("Replaces a note.", true),
    ] {
        let update = "operationId: putNote, ";
        let document = NOTES.replace(update, &format!("{update}description: {text}, "));
        let outcome = checked_by(&document, escapes).await;
        assert_eq!(
            !outcome.broken().is_empty(),
            is_compared,
            "{text} {:?}",
            outcome.broken()
        );
    }
}

/// An update that comes back as it was sent, and plain values once more at the end.
#[tokio::test]
async fn awkward_texts_are_sent_and_nothing_of_them_stays() {
    let outcome = checked(unchanged).await;
    assert_eq!(outcome.broken(), [], "{:?}", outcome.record.findings);
    let all: Vec<_> = outcome.updates.iter().map(Value::to_string).collect();
    for sent in ["O'Sample", "Zo\u{e9}", "\u{1f31f}", "A&B", "2000-02-29"] {
        assert!(all.iter().any(|update| update.contains(sent)), "{sent} {all:#?}");
    }
    let left = format!("{:?}", outcome.notes);
    assert!(!left.contains("O'Sample") && !left.contains("2000-02-29"), "{left}");
    let bodies = outcome.updates.iter().map(|update| update["body"].to_string());
    assert!(bodies.into_iter().all(|text| !text.contains("O'Sample")), "{all:#?}");
}

#[tokio::test]
async fn a_text_that_an_update_spoils_is_found() {
    let faults: [(Store, &str, &str); 4] = [
        (
            |_, text| Some(escaped(text)),
            "/title",
            "markup characters came back as entities",
        ),
        (
            |_, text| Some(text.replace(|letter: char| letter.len_utf8() > 3, "?")),
            "/title",
            "characters above U+FFFF (such as emoji) were replaced",
        ),
        (
            |_, text| Some(text.bytes().map(char::from).collect()),
            "/title",
            "its UTF-8 was read as ISO 8859-1",
        ),
        (|_, text| Some(text.replace("-02-29", "-03-01")), "/due", ""),
    ];
    for (store, field, how) in faults {
        let outcome = checked(store).await;
        let broken = outcome.broken();
        let is_found = |(fact, received): &(&str, &str)| {
            fact.starts_with("putNote in getNote") && fact.contains(field) && received.contains(how)
        };
        assert!(broken.iter().any(is_found), "{field} {how} {broken:#?}");
    }
}

#[tokio::test]
async fn a_service_that_rejects_such_texts_or_cleans_markup_is_left_alone() {
    let is_plain = |text: &str| {
        text.chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "- .".contains(letter))
    };
    let conforming: [Store; 5] = [
        |_, text| text.is_ascii().then(|| text.to_owned()),
        |name, text| {
            let is_plain = text
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "- .".contains(letter));
            (is_plain || name == "body").then(|| text.to_owned())
        },
        |name, text| Some(if name == "body" { escaped(text) } else { text.to_owned() }),
        |name, text| {
            let masked = if name == "card" {
                text.len().saturating_sub(4)
            } else {
                0
            };
            Some(text.get(masked..).unwrap_or_default().to_owned())
        },
        |name, text| {
            Some(match name {
                "sku" => text.to_uppercase(),
                "label" => text.replace(|letter: char| !letter.is_ascii(), "?"),
                "closing" => "2031-01-06".to_owned(),
                _ => text.to_owned(),
            })
        },
    ];
    for store in conforming {
        let outcome = checked(store).await;
        assert_eq!(outcome.broken(), [], "{:?}", outcome.record.findings);
    }
    let outcome = checked(conforming[0]).await;
    let title = |update: &Value| update["title"].as_str().is_some_and(|title| !is_plain(title));
    assert!(
        outcome.updates.iter().any(title),
        "what it accepts is sent: {:#?}",
        outcome.updates
    );
}
