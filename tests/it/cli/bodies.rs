//! Bodies that a document's schemas bind: what reaches a service that rejects every other, and what is said where no
//! body can be made.

use std::io::Write as _;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::stub::{Received, Stub, json as response};
use super::support::{Ended, check, countersign};

const SPEC: &str = r##"
openapi: 3.0.3
x-edge-cases: []
info: {title: Crates, version: '1'}
paths:
  /crates:
    get:
      operationId: listCrates
      responses:
        '200': {description: Crates, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Crate'}}}}}
    post:
      operationId: addCrate
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewCrate'}}}}
      responses: {'201': {description: Added, content: {application/json: {schema: {$ref: '#/components/schemas/Crate'}}}}}
  /crates/{crateId}:
    get:
      operationId: getCrate
      parameters: [{name: crateId, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: A crate, content: {application/json: {schema: {$ref: '#/components/schemas/Crate'}}}}}
components:
  schemas:
    Crate: {type: object, required: [id, label], properties: {id: {type: integer}, label: {type: string}}}
    NewCrate:
      type: object
      required: [id, label, code, weight, sides, lid]
      properties:
        id: {type: integer, readOnly: true}
        label: {type: string, maxLength: 12}
        code: {type: string, pattern: '^[A-Z]{2}-\d{4}$'}
        weight: {type: number, minimum: 0, exclusiveMinimum: true, multipleOf: 0.5}
        sides: {type: array, minItems: 3, maxItems: 4, uniqueItems: true, items: {type: string, maxLength: 12}}
        lid: {oneOf: [{$ref: '#/components/schemas/Borrowed'}, {$ref: '#/components/schemas/Flat'}], discriminator: {propertyName: kind}}
        note: {type: string, maxLength: 12}
    Borrowed: {type: object, required: [kind, owner_id], properties: {kind: {type: string}, owner_id: {type: string, format: uuid}}}
    Flat: {type: object, required: [kind], properties: {kind: {type: string, enum: [Flat]}, open: {type: boolean}}}
"##;

/// Whether a body is a new crate, by what the document says of one.
fn is_new_crate(body: &Value) -> bool {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let short = |value: &Value| text(value).is_some_and(|text| text.chars().count() <= 12);
    let code = text(&body["code"]).unwrap_or_default();
    let is_code = code.len() == 7
        && code.char_indices().all(|(index, letter)| match index {
            0 | 1 => letter.is_ascii_uppercase(),
            2 => letter == '-',
            _ => letter.is_ascii_digit(),
        });
    let weight = body["weight"].as_f64().unwrap_or_default();
    let sides = body["sides"].as_array().cloned().unwrap_or_default();
    let differ = (0..sides.len()).all(|index| !sides[..index].contains(&sides[index]));
    body.get("id").is_none()
        && short(&body["label"])
        && is_code
        && weight > 0.0
        && (weight * 2.0).fract() == 0.0
        && matches!(sides.len(), 3 | 4)
        && differ
        && sides.iter().all(short)
        && body["lid"]["kind"] == "Flat"
        && body.get("note").is_none_or(short)
}

/// A service that stores new crates, if it `stores` them, and rejects every other body.
fn service(stores: bool) -> Stub {
    let crates: Mutex<Vec<Value>> = Mutex::default();
    Stub::start(move |request, stream| {
        let mut crates = crates.lock().unwrap();
        let sent: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let mut words = request.head.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let index = path.strip_prefix("/crates/").and_then(|id| id.parse::<usize>().ok());
        let handled = match (method, index.and_then(|index| crates.get(index))) {
            ("GET", Some(shown)) => response("200 OK", &shown.to_string()),
            ("GET", None) if path == "/crates" => response("200 OK", &json!(*crates).to_string()),
            ("POST", _) if stores && is_new_crate(&sent) => {
                let shown = json!({"id": crates.len(), "label": sent["label"]});
                crates.push(shown.clone());
                response("201 Created", &shown.to_string())
            }
            ("POST", _) => response("422 Unprocessable Content", "{\"message\": \"no\"}"),
            _ => response("404 Not Found", "{}"),
        };
        stream.write_all(handled.as_bytes())
    })
}

fn checked(service: &Stub, spec: &str) -> Ended {
    let arguments = ["--spec", "crates.yaml", "--writes", "--settle", "0"];
    check(&service.url(), &arguments).file("crates.yaml", spec).run()
}

fn bodies(service: &Stub) -> Vec<Value> {
    let received = service.received();
    let posts = received.iter().filter(|request| request.head.starts_with("POST"));
    posts
        .map(|request: &Received| serde_json::from_str(&request.body).unwrap())
        .collect()
}

#[test]
fn every_body_is_one_that_the_document_admits() {
    let service = service(true);
    let ended = checked(&service, SPEC);
    assert_eq!(ended.code, 0, "{ended:?}");
    let bodies = bodies(&service);
    assert!(bodies.iter().all(is_new_crate), "{bodies:#?}");
    let with_note = |has: bool| bodies.iter().any(|body| body.get("note").is_some() == has);
    assert!(
        with_note(true) && with_note(false),
        "all fields, and the required ones alone: {bodies:#?}"
    );
}

#[test]
fn a_service_that_rejects_them_all_is_sent_no_other() {
    let service = service(false);
    let ended = checked(&service, SPEC);
    assert_eq!(ended.code, 0, "{ended:?}");
    let bodies = bodies(&service);
    assert!(!bodies.is_empty() && bodies.iter().all(is_new_crate), "{bodies:#?}");
}

#[test]
fn the_plan_says_what_stands_against_a_body() {
    for (from, to, reason) in [
        (
            "minItems: 3",
            "minItems: 30",
            "the run cannot make a value for `/sides` in its body that `minItems` admits",
        ),
        (
            "{2}-",
            "{2}(?=-)-",
            "its body requires `/code`, for which the run cannot make up a value",
        ),
    ] {
        let spec = SPEC.replacen(from, to, 1);
        let planned = countersign(&["plan", "--spec", "crates.yaml", "--writes"])
            .file("crates.yaml", &spec)
            .run();
        assert!(planned.stdout.contains(reason), "{from}: {planned:?}");
        let service = service(true);
        checked(&service, &spec);
        assert_eq!(bodies(&service).len(), 0, "{from}");
    }
}

/// A document whose create requires nothing.
const NOTHING_REQUIRED: &str = "
openapi: 3.0.3
x-edge-cases: []
info: {title: Projects, version: '1'}
paths:
  /projects:
    post:
      operationId: addProject
      requestBody: {content: {application/json: {schema: {type: object, properties: {colour: {type: string}, settings: {type: object, properties: {theme: {type: string}}}, title: {type: string}}}}}}
      responses: {'201': {description: Added, content: {application/json: {schema: {$ref: '#/components/schemas/Project'}}}}}
  /projects/{id}:
    get:
      operationId: getProject
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: A project, content: {application/json: {schema: {$ref: '#/components/schemas/Project'}}}}}
components:
  schemas: {Project: {type: object, properties: {id: {type: integer}, title: {type: string}}}}
";

/// A service that fails on a project with settings, or on every project.
fn failing(on_every: bool) -> Stub {
    let titles: Mutex<Vec<Value>> = Mutex::default();
    Stub::start(move |request, stream| {
        let mut titles = titles.lock().unwrap();
        let sent: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let show = |id: usize, title: &Value| json!({"id": id, "title": title}).to_string();
        let id = request.head.strip_prefix("GET /projects/");
        let id = id.and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
        let handled = match id.map(|id| titles.get(id).map(|title| show(id, title))) {
            Some(Some(shown)) => response("200 OK", &shown),
            Some(None) => response("404 Not Found", "{}"),
            None if on_every || sent.get("settings").is_some() => response("500 Internal Server Error", "{}"),
            None => {
                titles.push(sent["title"].clone());
                response("201 Created", &show(titles.len() - 1, &sent["title"]))
            }
        };
        stream.write_all(handled.as_bytes())
    })
}

#[test]
fn after_a_5xx_a_create_that_requires_nothing_is_sent_with_one_field_by_which_it_is_found_again() {
    let service = failing(false);
    let ended = check(
        &service.url(),
        &["--spec", "p.yaml", "--writes", "--settle", "0", "--report", "json"],
    )
    .file("p.yaml", NOTHING_REQUIRED)
    .run();
    assert_eq!(ended.code, 1, "the 500 is a finding: {ended:?}");
    let bodies = bodies(&service);
    assert!(bodies[0].get("settings").is_some(), "{bodies:?}");
    let names: Vec<_> = bodies[1].as_object().unwrap().keys().collect();
    assert_eq!(names, ["title"], "{bodies:#?}");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    let facts = report["facts"]["rows"].as_array().unwrap();
    let is_held = |fact: &Value| fact["operation"] == "getProject" && fact["verdict"] == "held";
    assert!(facts.iter().any(is_held), "{report:#}");

    let service = failing(true);
    checked(&service, NOTHING_REQUIRED);
    assert_eq!(self::bodies(&service).len(), 2, "no third body is tried");
}
