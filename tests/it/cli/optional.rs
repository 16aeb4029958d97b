//! Optional parameters of a query: each is sent by itself, with a value that its schema admits.

use std::io::Write as _;

use super::stub::{Stub, json as response};
use super::support::{Ended, check, countersign};

const SPEC: &str = r##"
openapi: 3.0.3
x-edge-cases: []
info: {title: Boats, version: '1'}
paths:
  /boats:
    get:
      operationId: listBoats
      parameters:
        - {name: harbour, in: query, required: true, schema: {type: string, enum: [north]}}
        - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 50}}
        - {name: sort, in: query, schema: {type: string, enum: [name, length]}}
        - {name: code, in: query, schema: {type: string, pattern: '^[A-Z]{3}$'}}
        - {name: tags, in: query, explode: false, schema: {type: array, minItems: 2, items: {enum: [old, new]}}}
        - {name: shape, in: query, schema: {type: object}}
        - {name: _method, in: query, schema: {type: string, enum: [DELETE]}}
        - {name: moored, in: query, description: Set the mooring state, schema: {type: boolean}}
        - {name: recount_all, in: query, description: Force a count of all boats, schema: {enum: ['1']}}
        - {name: fields, in: query, schema: {type: string}}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses:
        '200': {description: Boats, content: {application/json: {schema: {type: array, items: {type: object}}}}}
    post:
      operationId: addBoat
      parameters: [{name: dry, in: query, schema: {type: boolean}}]
      responses: {'201': {description: A boat}}
"##;

/// A service that responds with `status` where the query has `trigger`.
fn service(trigger: &'static str, status: &'static str) -> Stub {
    Stub::start(move |request, stream| {
        let target = request.head.split(' ').nth(1).unwrap_or_default();
        let is_triggered = !trigger.is_empty() && target.contains(trigger);
        let handled = if is_triggered {
            response(status, "{\"message\": \"no\"}")
        } else {
            response("200 OK", "[]")
        };
        stream.write_all(handled.as_bytes())
    })
}

fn checked(service: &Stub) -> Ended {
    let arguments = ["--spec", "boats.yaml", "--settle", "0"];
    check(&service.url(), &arguments).file("boats.yaml", SPEC).run()
}

#[test]
fn no_edge_case_makes_a_write_of_a_read() {
    let service = service("", "");
    let arguments = ["--spec", "boats.yaml", "--settle", "0"];
    let spec = SPEC.replace("x-edge-cases: []\n", "");
    check(&service.url(), &arguments).file("boats.yaml", &spec).run();
    let sent = targets(&service);
    assert!(sent.iter().any(|sent| sent.contains("limit=-1")), "{sent:?}");
    let acts = |sent: &&String| sent.contains("moored") || sent.contains("recount_all");
    assert_eq!(sent.iter().find(acts), None);
}

fn targets(service: &Stub) -> Vec<String> {
    let received = service.received();
    let targets = received
        .iter()
        .map(|request| request.head.split(' ').nth(1).unwrap().to_owned());
    targets.collect()
}

#[test]
fn each_is_sent_by_itself_with_what_is_required() {
    let service = service("", "");
    let ended = checked(&service);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(
        targets(&service),
        [
            "/boats?harbour=north",
            "/boats?harbour=north&limit=1",
            "/boats?harbour=north&sort=name",
            "/boats?harbour=north&code=MJR",
            "/boats?harbour=north&tags=old%2Cnew",
        ]
    );
}

#[test]
fn a_5xx_to_one_is_found_and_can_be_reproduced() {
    let service = service("&sort=", "500 Internal Server Error");
    let ended = checked(&service);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("boats?harbour=north&sort=name'"), "{ended:?}");
}

#[test]
fn a_rejection_of_one_decides_nothing() {
    for status in ["400 Bad Request", "404 Not Found", "422 Unprocessable Content"] {
        let service = service("&code=", status);
        let ended = checked(&service);
        assert_eq!(ended.code, 0, "{status}: {ended:?}");
        assert_eq!(targets(&service).len(), 5, "the others are sent all the same");
    }
}

#[test]
fn schemas_that_contain_each_other_end() {
    let spec = SPEC.to_owned()
        + "components:\n  schemas:\n    A: {allOf: [{$ref: '#/components/schemas/B'}], pattern: '^a'}\n    B: {allOf: [{$ref: \
           '#/components/schemas/A'}], type: string}\n    L: {type: array, items: {$ref: '#/components/schemas/L'}}\n";
    for name in ["A", "L"] {
        let schema = format!("schema: {{$ref: '#/components/schemas/{name}'}}");
        let spec = spec
            .replace("schema: {type: boolean}", &schema)
            .replace("schema: {type: object}", &schema);
        let spec = spec.replace(
            "{name: X-Trace, in: header, ",
            "{name: X-Trace, in: header, required: true, ",
        );
        let planned = countersign(&["plan", "--spec", "boats.yaml", "--writes", "--also-send", "addBoat"]);
        let planned = planned.file("boats.yaml", &spec).run();
        assert_eq!(planned.code, 0, "{name}: {planned:?}");
    }
}

#[test]
fn the_plan_names_them() {
    let plan = countersign(&["plan", "--spec", "boats.yaml"])
        .file("boats.yaml", SPEC)
        .run()
        .stdout;
    assert!(
        plan.lines()
            .any(|line| line.trim() == "in this order: limit, sort, code, tags"),
        "{plan}"
    );
    let spec = SPEC.replace("name: limit,", "name: 'page[size]',");
    let plan = countersign(&["plan", "--spec", "boats.yaml"])
        .file("boats.yaml", spec)
        .run()
        .stdout;
    assert!(plan.contains("in this order: page[size], sort, code, tags\n"), "{plan}");
}
