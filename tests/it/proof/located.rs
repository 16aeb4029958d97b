//! Creates that name their record by a `Location` header alone: it is read and written to where it is the run's own,
//! and never where it may be another's.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign::report::{VerdictRecord, har, json as to_json};
use serde_json::{Value, json};

use super::small::{Seen, Small};
use crate::support::stub::{Received, Response, Stub};

/// Notes that are listed, created, read and replaced; `CREATED` is the response of the create.
const NOTES: &str = "  /notes:
    get:
      operationId: listNotes
      responses: {'200': {description: Notes, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Note'}}}}}}
    post:
      operationId: createNote
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses: {'201': CREATED}
  /notes/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: readNote
      responses: {'200': {description: Note, content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}}
    put:
      operationId: replaceNote
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses: {'204': {description: Replaced}}
components:
  schemas:
    New: {type: object, required: [text], properties: {text: {type: string}}}
    Note: {type: object, required: [id, text], properties: {id: {type: string}, text: {type: string}}}
";

const HEADER: &str = "{description: Created, headers: {location: {schema: {type: string}}}}";
const BODY: &str = "{description: Created, content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}";

/// How a service of notes treats a create.
struct Notes {
    /// The documented response to a create.
    documented: &'static str,
    /// The `Location` of the note with this identifier, with `ORIGIN` for the service's own.
    location: &'static str,
    /// The identifier of the note.
    id: &'static str,
    /// Whether the read shows what was sent.
    keeps: bool,
    /// What the list shows before.
    listed: &'static [&'static str],
    body: fn() -> Option<Value>,
}

const SOUND: Notes = Notes {
    documented: HEADER,
    location: "/notes/ID",
    id: "n-17",
    keeps: true,
    listed: &[],
    body: || None,
};

impl Notes {
    async fn check(&self) -> Seen {
        let text: Arc<Mutex<Value>> = Arc::default();
        let listed: Value = self
            .listed
            .iter()
            .map(|id| json!({"id": id, "text": "of somebody"}))
            .collect();
        let encoded = self.id.replace('@', "%40");
        let first = encoded.clone();
        let location = self.location.replace("ID", &encoded);
        let (body, keeps, id) = (self.body, self.keeps, self.id);
        let sent = |call: &Received| serde_json::from_slice::<Value>(&call.body).unwrap()["text"].clone();
        let kept = Arc::clone(&text);
        let created = AtomicUsize::new(0);
        let table = Stub::table()
            .on("GET", "/notes", Response::json(200, &listed))
            .on_each("POST", "/notes", move |call| {
                // The first is the one that is read and replaced.
                let number = created.fetch_add(1, Ordering::Relaxed);
                let mut location = location.replace("ORIGIN", &format!("http://{}", call.header("host")[0]));
                if number == 0 {
                    *kept.lock().unwrap() = sent(call);
                } else {
                    location = location.replace(&first, &format!("{first}-{number}"));
                }
                let response = body().map_or(Response::status(201), |body| Response::json(201, &body));
                response.header("location", &location)
            })
            .on_each("GET", &format!("/notes/{encoded}"), move |_| {
                let shown = if keeps {
                    text.lock().unwrap().clone()
                } else {
                    json!("of somebody")
                };
                Response::json(200, &json!({"id": id, "text": shown}))
            })
            .on("PUT", &format!("/notes/{encoded}"), Response::status(204));
        let mut small = Small::new(&NOTES.replace("CREATED", self.documented));
        small.scope.also_send.clear();
        small.settle = Duration::ZERO;
        small.check(table).await
    }
}

fn is_written(seen: &Seen) -> bool {
    seen.calls().iter().any(|call| call.starts_with("PUT"))
}

#[tokio::test]
async fn a_location_that_names_another_note_than_the_body_is_found() {
    for (location, found) in [
        ("/notes/n-18", 1),
        ("ORIGIN/notes/n-18", 1),
        ("/notes/n-17", 0),
        ("/v2/notes/n-18", 0),
        // In another form, an identifier may name the same note.
        ("/notes/n-18.json", 0),
        ("/notes/18", 0),
        ("https://notes.example.com/notes/n-18", 0),
    ] {
        let text: Arc<Mutex<Value>> = Arc::default();
        let kept = Arc::clone(&text);
        let table = Stub::table()
            .on("GET", "/notes", Response::json(200, &json!([])))
            .on_each("POST", "/notes", move |call| {
                let mut note = serde_json::from_slice::<Value>(&call.body).unwrap();
                *kept.lock().unwrap() = note["text"].clone();
                note["id"] = json!("n-17");
                let location = location.replace("ORIGIN", &format!("http://{}", call.header("host")[0]));
                Response::json(201, &note).header("location", &location)
            })
            .on_each("GET", "/notes/n-17", move |_| {
                Response::json(200, &json!({"id": "n-17", "text": *text.lock().unwrap()}))
            })
            .on("PUT", "/notes/n-17", Response::status(204));
        let mut small = Small::new(&NOTES.replace("CREATED", BODY));
        small.levels.clear();
        small.settle = Duration::ZERO;
        let seen = small.check(table).await;
        let findings = seen.record.findings.iter();
        let of_header = findings.filter(|finding| finding.response_pointer == "header Location");
        assert_eq!(of_header.count(), found, "{location}: {:?}", seen.record.findings);
    }
}

#[tokio::test]
async fn a_created_note_is_read_and_replaced_by_its_location() {
    for (documented, location) in [
        (HEADER, "/notes/ID"),
        (HEADER, "ORIGIN/notes/ID"),
        // The document promises an identifier in the body, and the service shows it in the header alone.
        (BODY, "/notes/ID"),
    ] {
        let notes = Notes {
            documented,
            location,
            body: || Some(json!({"text": "created"})),
            ..SOUND
        };
        let seen = notes.check().await;
        assert!(
            seen.count("GET /notes/n-17") > 0 && seen.count("PUT /notes/n-17") > 0,
            "{:?}",
            seen.calls()
        );
        for fact in ["readNote status: 200", "replaceNote status: 204"] {
            assert_eq!(seen.row(fact).verdict, VerdictRecord::Held, "{fact} {location}");
        }
    }
    let seen = SOUND.check().await;
    assert!(is_written(&seen), "{:?}", seen.calls());
    assert!(seen.record.findings.is_empty(), "{:?}", seen.record.findings);
    assert_eq!(seen.record.residue[0].id.as_deref(), Some("n-17"));
}

#[tokio::test]
async fn a_location_that_an_earlier_response_showed_is_not_written_to() {
    let seen = Notes {
        listed: &["n-17"],
        ..SOUND
    }
    .check()
    .await;
    assert!(!is_written(&seen), "{:?}", seen.calls());
}

#[tokio::test]
async fn a_note_that_does_not_show_what_was_sent_is_not_written_to() {
    let seen = Notes { keeps: false, ..SOUND }.check().await;
    assert!(!is_written(&seen), "{:?}", seen.calls());
    assert!(
        seen.reason("replaceNote status: 204")
            .contains("so it may be another record's")
    );
}

#[tokio::test]
async fn a_location_that_is_not_that_of_a_note_names_none() {
    for location in [
        "http://elsewhere.example.com/notes/ID",
        "/notes/../notes/ID",
        "/notes/%2e%2e",
        "/notes/ID/parts",
        "/notes/ID?as=admin",
        "/others/ID",
        "ID",
    ] {
        let seen = Notes { location, ..SOUND }.check().await;
        assert!(!is_written(&seen), "{location}: {:?}", seen.calls());
        assert_eq!(seen.row("replaceNote status: 204").verdict, VerdictRecord::Undecided);
    }
}

#[tokio::test]
async fn what_a_body_shows_goes_before_the_header() {
    let notes = Notes {
        documented: BODY,
        location: "/notes/other",
        body: || Some(json!({"id": "n-17", "text": "not what was sent"})),
        ..SOUND
    };
    let seen = notes.check().await;
    assert_eq!(seen.count("GET /notes/other"), 0, "{:?}", seen.calls());
}

#[tokio::test]
async fn an_address_in_a_location_is_in_no_report() {
    let seen = Notes {
        id: "anna@example.com",
        ..SOUND
    }
    .check()
    .await;
    assert!(is_written(&seen), "{:?}", seen.calls());
    for report in [to_json(&seen.record), har(&seen.record)] {
        assert!(!report.contains("anna"), "{report}");
    }
}
