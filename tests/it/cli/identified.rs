//! Records that a plain document makes recognisable although their identifier is not called `id`, or although no text
//! of them comes back but what an object for notes holds. Each case asserts on what reached the service: whatever it
//! claims, nothing of anybody else's is changed or deleted.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::stub::{Received, Stub, json as response};
use super::support::check;

/// A document of records with this identifier and this other field; a create shows `created`.
fn document((identifier, schema): (&str, &str), (field, kind): (&str, &str), created: &str) -> String {
    format!(
        "\
openapi: 3.0.3
x-edge-cases: []
info: {{title: Things, version: '1'}}
paths:
  /things:
    post:
      operationId: addThing
      requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {{{field}: {kind}}}}}}}}}}}
      responses: {{'201': {{description: Added, content: {{application/json: {{schema: {created}}}}}}}}}
  /things/{{{identifier}}}:
    parameters: [{{name: {identifier}, in: path, required: true, schema: {schema}}}]
    get:
      operationId: getThing
      responses:
        '200': {{description: A thing, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Thing'}}}}}}}}
        '404': {{description: No such thing}}
    put:
      operationId: setThing
      requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {{{field}: {kind}}}}}}}}}}}
      responses: {{'200': {{description: Changed}}}}
    delete: {{operationId: deleteThing, responses: {{'204': {{description: Deleted}}}}}}
components:
  schemas: {{Thing: {{type: object, properties: {{{identifier}: {schema}, {field}: {kind}}}}}}}
"
    )
}

const UUID: (&str, &str) = ("uuid", "{type: string, format: uuid}");
const NAME: (&str, &str) = ("name", "{type: string}");
const TITLE: (&str, &str) = ("title", "{type: string}");
const NOTES: (&str, &str) = ("metadata", "{type: object}");
/// One text in several languages, which is required.
const TEXTS: (&str, &str) = ("texts", "{type: object, additionalProperties: {type: string}}");
const WHOLE: &str = "{$ref: '#/components/schemas/Thing'}";
const ALONE: &str = "{type: object, properties: {uuid: {type: string, format: uuid}}}";

/// The identifier of somebody else's thing.
const FOREIGN: &str = "6f1c2d9e-3b5a-4c7d-8e9f-0a1b2c3d4e5f";

/// What a service does with a create of this number: the identifier that it returns, and those under which it stores
/// what was sent.
type Creates = fn(usize) -> (String, Vec<String>);

fn numbered(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

fn honest(number: usize) -> (String, Vec<String>) {
    (numbered(number), vec![numbered(number)])
}

/// Adds a text in another language.
fn translated(mut thing: Value) -> Value {
    if let Some(texts) = thing.get_mut("texts").and_then(Value::as_object_mut) {
        texts.insert("fr".to_owned(), json!(""));
    }
    thing
}

/// What the response to a create shows.
#[derive(Clone, Copy, PartialEq)]
enum Shows {
    Identifier,
    Nothing,
    Thing,
}

struct Service {
    things: BTreeMap<String, Value>,
    identifier: &'static str,
    shows: Shows,
    creates: Creates,
}

impl Service {
    fn handle(&mut self, request: &Received) -> String {
        let mut words = request.head.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let sent: Value = serde_json::from_str(&request.body).unwrap_or_else(|_| json!({}));
        let Some(id) = path.strip_prefix("/things/") else {
            if method == "GET" {
                let things: Vec<_> = self.things.values().collect();
                return response("200 OK", &json!(things).to_string());
            }
            let (id, stored) = (self.creates)(self.things.len());
            for id in stored {
                let mut thing = translated(sent.clone());
                thing[self.identifier] = json!(id);
                self.things.insert(id, thing);
            }
            let mut thing = sent;
            thing[self.identifier] = json!(id);
            let shown = match self.shows {
                Shows::Identifier => json!({self.identifier: id}),
                Shows::Nothing => json!({}),
                Shows::Thing => thing,
            };
            return response("201 Created", &shown.to_string());
        };
        match (method, self.things.contains_key(id)) {
            (_, false) => response("404 Not Found", "{}"),
            ("GET", _) => response("200 OK", &self.things[id].to_string()),
            ("DELETE", _) => {
                self.things.remove(id);
                "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".to_owned()
            }
            _ => {
                let mut thing = translated(sent);
                thing[self.identifier] = json!(id);
                self.things.insert(id.to_owned(), thing);
                response("200 OK", "{}")
            }
        }
    }
}

/// The result of a check: its report, what was sent by `PUT` and `DELETE`, and the things that are left.
struct Checked {
    report: Value,
    changed: Vec<String>,
    left: BTreeMap<String, Value>,
}

/// Checks a service that has one foreign thing.
fn checked(document: &str, identifier: &'static str, shows: Shows, creates: Creates) -> Checked {
    let foreign =
        json!({identifier: FOREIGN, "title": "Somebody's", "metadata": {"of": "somebody"}, "texts": {"de": "Fremd"}});
    let service = Arc::new(Mutex::new(Service {
        things: BTreeMap::from([(FOREIGN.to_owned(), foreign)]),
        identifier,
        shows,
        creates,
    }));
    let shared = service.clone();
    let target = Stub::start(move |request, stream| {
        let response = shared.lock().unwrap().handle(request);
        stream.write_all(response.as_bytes())
    });
    let (_, report) = check(
        &target.url(),
        &["--spec", "things.yaml", "--writes", "--cleanup", "--settle", "0"],
    )
    .file("things.yaml", document)
    .report();
    let received = target.received().into_iter();
    let changed = received.filter(|request| request.is("PUT") || request.is("DELETE"));
    let line = |request: Received| request.head.lines().next().unwrap_or_default().to_owned();
    let changed = changed.map(line).collect();
    let left = service.lock().unwrap().things.clone();
    Checked { report, changed, left }
}

impl Checked {
    /// Whether the run changed and deleted its own records, and left the foreign one as it was.
    fn is_cleaned_up(&self) -> bool {
        let is_foreign = |line: &String| line.contains(FOREIGN);
        let sent = |method: &str| self.changed.iter().any(|line| line.starts_with(method));
        sent("PUT") && sent("DELETE") && !self.changed.iter().any(is_foreign) && self.left.len() == 1
    }

    fn residue(&self) -> usize {
        let residue = self.report["residue"].as_array().unwrap().iter();
        residue.filter(|left| left["deleted"] != true).count()
    }
}

#[test]
fn a_record_that_is_identified_by_the_name_of_the_parameter_is_recognised_and_cleaned_up() {
    for (created, shows) in [(WHOLE, Shows::Thing), (ALONE, Shows::Identifier)] {
        let checked = checked(&document(UUID, TITLE, created), "uuid", shows, honest);
        assert!(
            checked.is_cleaned_up(),
            "{created}: {:?} {:?}",
            checked.changed,
            checked.left
        );
        assert_eq!(checked.residue(), 0, "{created}");
    }
}

#[test]
fn a_201_with_nothing_but_the_identifier_of_another_record_makes_nothing_the_run_s_own() {
    let lies: Creates = |_| (FOREIGN.to_owned(), Vec::new());
    for shows in [Shows::Thing, Shows::Identifier] {
        let checked = checked(&document(UUID, TITLE, ALONE), "uuid", shows, lies);
        assert_eq!(checked.changed, Vec::<String>::new());
        assert_eq!(checked.left[FOREIGN]["title"], "Somebody's");
    }
}

#[test]
fn a_record_under_a_name_that_callers_choose_is_the_run_s_own_only_if_the_name_shows_the_run_tag() {
    // It writes over somebody's thing, so that a read shows what the run has sent.
    let lies: Creates = |_| (FOREIGN.to_owned(), vec![FOREIGN.to_owned()]);
    let checked = checked(&document(NAME, TITLE, WHOLE), "name", Shows::Thing, lies);
    assert_eq!(checked.changed, Vec::<String>::new());
    assert!(checked.residue() > 0, "{}", checked.report["residue"]);
}

#[test]
fn a_record_whose_notes_alone_come_back_is_recognised_and_cleaned_up() {
    for (created, shows) in [(WHOLE, Shows::Thing), (ALONE, Shows::Identifier)] {
        let checked = checked(&document(UUID, NOTES, created), "uuid", shows, honest);
        assert!(
            checked.is_cleaned_up(),
            "{created}: {:?} {:?}",
            checked.changed,
            checked.left
        );
    }
}

#[test]
fn a_record_with_notes_of_somebody_else_is_not_the_run_s_own() {
    let lies: Creates = |_| (FOREIGN.to_owned(), Vec::new());
    for (created, shows) in [(WHOLE, Shows::Thing), (ALONE, Shows::Identifier)] {
        let checked = checked(&document(UUID, NOTES, created), "uuid", shows, lies);
        assert_eq!(checked.changed, Vec::<String>::new(), "{created}");
        assert_eq!(checked.left[FOREIGN]["metadata"], json!({"of": "somebody"}));
    }
}

/// The document with a list of the things.
fn listed((field, kind): (&str, &str)) -> String {
    let list = "  /things:\n    get:\n      operationId: listThings\n      responses:\n        '200': {description: Things, \
                content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Thing'}}}}}\n";
    document(UUID, (field, kind), WHOLE).replacen("  /things:\n", list, 1)
}

#[test]
fn a_record_whose_create_shows_no_identifier_is_found_in_its_list_and_cleaned_up() {
    for field in [TITLE, NOTES] {
        let checked = checked(&listed(field), "uuid", Shows::Nothing, honest);
        assert!(checked.is_cleaned_up(), "{:?} {:?}", checked.changed, checked.left);
        assert_eq!(checked.residue(), 0);
    }
}

/// The document with a list of things whose texts are required.
fn with_texts() -> String {
    listed(TEXTS).replace("properties: {texts", "required: [texts], properties: {texts")
}

#[test]
fn a_record_of_which_only_a_map_of_texts_comes_back_is_recognised_and_cleaned_up() {
    for shows in [Shows::Thing, Shows::Nothing] {
        let checked = checked(&with_texts(), "uuid", shows, honest);
        assert!(checked.is_cleaned_up(), "{:?} {:?}", checked.changed, checked.left);
        assert_eq!(checked.residue(), 0);
        let findings = checked.report["findings"].as_array().unwrap();
        assert!(
            findings.iter().all(|finding| finding["level"] != "deny"),
            "{findings:?}"
        );
    }
    // What the target shows is no text to print, not even the language.
    let checked = checked(&with_texts(), "uuid", Shows::Thing, honest);
    assert!(!checked.report.to_string().contains("\"de\""));
}

#[test]
fn a_record_with_texts_of_somebody_else_is_not_the_run_s_own() {
    let lies: Creates = |_| (FOREIGN.to_owned(), Vec::new());
    for shows in [Shows::Thing, Shows::Identifier] {
        let checked = checked(&with_texts(), "uuid", shows, lies);
        assert_eq!(checked.changed, Vec::<String>::new());
        assert_eq!(checked.left[FOREIGN]["texts"], json!({"de": "Fremd"}));
    }
}

#[test]
fn a_record_that_was_listed_before_a_create_is_not_what_the_create_made() {
    // It writes over somebody's thing, so that the list shows what the run has sent.
    let lies: Creates = |_| (FOREIGN.to_owned(), vec![FOREIGN.to_owned()]);
    let checked = checked(&listed(TITLE), "uuid", Shows::Nothing, lies);
    assert_eq!(checked.changed, Vec::<String>::new());
    assert!(checked.residue() > 0, "{}", checked.report["residue"]);
}

#[test]
fn of_two_records_that_show_what_a_create_sent_neither_is_taken_for_its_own() {
    let twice: Creates = |number| (numbered(number), vec![numbered(number), numbered(number + 100)]);
    let checked = checked(&listed(TITLE), "uuid", Shows::Nothing, twice);
    assert_eq!(checked.changed, Vec::<String>::new());
    assert!(checked.residue() > 0, "{}", checked.report["residue"]);
}
