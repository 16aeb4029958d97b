//! Writes that are sent again after a response that throttles them, or after none: somebody else may have got the
//! identifier in the meantime.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::stub::Stub;
use super::support::check;

/// Notes, which are created, read, updated in two ways and deleted.
pub(super) const NOTES: &str = "\
openapi: 3.0.3
info: {title: Notes, version: '1'}
components:
  securitySchemes: {it: {type: http, scheme: bearer}}
  schemas: {Note: {type: object, required: [id, title], properties: {id: {type: string}, title: {type: string}}}}
  requestBodies: {Note: {content: {application/json: {schema: {type: object, required: [title], properties: {title: {type: string}}}}}}}
  responses: {Note: {description: A note, content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}}
security: [{it: []}]
paths:
  /notes:
    post: {operationId: addNote, requestBody: {$ref: '#/components/requestBodies/Note'}, responses: {'201': {$ref: '#/components/responses/Note'}}}
  /notes/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getNote, responses: {'200': {$ref: '#/components/responses/Note'}}}
    put: {operationId: setNote, requestBody: {$ref: '#/components/requestBodies/Note'}, responses: {'200': {$ref: '#/components/responses/Note'}}}
    patch: {operationId: changeNote, requestBody: {$ref: '#/components/requestBodies/Note'}, responses: {'200': {$ref: '#/components/responses/Note'}}}
    delete: {operationId: deleteNote, responses: {'204': {description: Gone}}}
";

const SOMEBODYS: &str = "Somebody's";

#[derive(Default)]
struct Notes {
    titles: BTreeMap<String, String>,
    created: usize,
    /// Whether a write was put off.
    has_put_off: bool,
}

fn response(status: &str, fields: &str, body: &Value) -> String {
    let body = body.to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{fields}Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn respond(notes: &mut Notes, (method, id): (&str, &str), sent: &Value) -> String {
    let shown = |id: &str, title: &str| json!({"id": id, "title": title});
    let known = notes.titles.get(id).cloned();
    match (method, known, sent["title"].as_str()) {
        ("POST", _, Some(title)) => {
            notes.created += 1;
            let id = format!("note-of-this-run-{}", notes.created);
            notes.titles.insert(id.clone(), title.to_owned());
            response("201 Created", "", &shown(&id, title))
        }
        ("GET", Some(title), _) => response("200 OK", "", &shown(id, &title)),
        ("PUT" | "PATCH", Some(_), Some(title)) => {
            notes.titles.insert(id.to_owned(), title.to_owned());
            response("200 OK", "", &shown(id, title))
        }
        ("DELETE", Some(_), _) => {
            notes.titles.remove(id);
            response("204 No Content", "", &Value::Null)
        }
        ("POST" | "PUT" | "PATCH", _, None) => response("422 Unprocessable", "", &json!({})),
        _ => response("404 Not Found", "", &json!({})),
    }
}

/// Checks a service that puts off the first write of this method by `how`: a status, or none if it closes the
/// connection. Where it gives the note away, somebody else has one under its identifier from then on. Returns the
/// requests with a token, and the titles at the end.
fn checked(method: &'static str, how: Option<&'static str>, gives_away: bool) -> (Vec<String>, Vec<String>) {
    let notes = Arc::new(Mutex::new(Notes::default()));
    let kept = Arc::clone(&notes);
    let stub = Stub::start(move |request, stream| {
        let mut notes = kept.lock().unwrap();
        let mut words = request.head.split(' ');
        let (sent, path) = (words.next().unwrap(), words.next().unwrap());
        let id = path.trim_start_matches("/notes").trim_start_matches('/');
        if !request.authorized() {
            return stream.write_all(response("401 No", "", &json!({})).as_bytes());
        }
        if sent == method && !notes.has_put_off {
            notes.has_put_off = true;
            gives_away.then(|| notes.titles.insert(id.to_owned(), SOMEBODYS.to_owned()));
            return match how {
                Some(status) => stream.write_all(response(status, "Retry-After: 0\r\n", &json!({})).as_bytes()),
                None => Ok(()),
            };
        }
        let sent_body = serde_json::from_str(&request.body).unwrap_or_default();
        stream.write_all(respond(&mut notes, (sent, id), &sent_body).as_bytes())
    });
    let arguments = ["--spec", "notes.yaml", "--writes", "--cleanup", "--settle", "0"];
    let ended = check(&stub.url(), &arguments).file("notes.yaml", NOTES).run();
    assert_ne!(ended.code, 2, "{ended:?}");
    let received = stub.received();
    let sent = received.iter().filter(|request| request.authorized());
    let sent = sent.map(|request| request.head.split(" HTTP").next().unwrap().to_owned());
    let titles = notes.lock().unwrap().titles.values().cloned().collect();
    (sent.collect(), titles)
}

#[test]
fn a_write_that_was_put_off_is_sent_again_only_after_a_read_has_shown_its_record() {
    for how in [Some("429 Too Many Requests"), Some("503 Service Unavailable"), None] {
        for method in ["PUT", "DELETE"] {
            // A deletion whose connection was closed is not sent again at all.
            let is_sent_again = method == "PUT" || how.is_some();
            let (sent, left) = checked(method, how, false);
            let first = sent.iter().position(|line| line.starts_with(method)).unwrap();
            if is_sent_again {
                assert!(left.is_empty(), "{method} {how:?} {left:?} {sent:#?}");
                let [put_off, read, again] = &sent[first..first + 3] else {
                    panic!("{sent:#?}")
                };
                assert_eq!(put_off, again, "{how:?} {sent:#?}");
                let path = put_off.split_once(' ').map(|(_, path)| ("GET", path));
                assert_eq!(read.split_once(' '), path, "{how:?} {sent:#?}");
            }
            let (sent, left) = checked(method, how, true);
            let given_away = left.iter().filter(|title| *title == SOMEBODYS).count();
            assert_eq!(given_away, 1, "{method} {how:?} {left:?} {sent:#?}");
            let first = sent.iter().find(|line| line.starts_with(method)).unwrap();
            assert_eq!(sent.iter().filter(|line| *line == first).count(), 1, "{sent:#?}");
        }
    }
}

#[test]
fn an_update_that_knows_no_record_ends_the_other_writes_to_one_that_was_given_away() {
    for method in ["PUT", "PATCH"] {
        let (sent, left) = checked(method, Some("404 Not Found"), false);
        assert!(left.is_empty(), "{method} {left:?} {sent:#?}");
        let (sent, left) = checked(method, Some("404 Not Found"), true);
        let given_away = left.iter().filter(|title| *title == SOMEBODYS).count();
        assert_eq!(given_away, 1, "{method} {left:?} {sent:#?}");
        let first = sent.iter().position(|line| line.starts_with(method)).unwrap();
        let (_, path) = sent[first].split_once(' ').unwrap();
        let writes = |line: &&String| line.ends_with(path) && !line.starts_with("GET ");
        assert_eq!(sent[first + 1..].iter().filter(writes).count(), 0, "{sent:#?}");
    }
}
