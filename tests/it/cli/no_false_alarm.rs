//! Documents and services that nobody here wrote: what conforms, or is the document's own defect, is no finding, and
//! the fault beside it is one.

use std::io::Write as _;

use serde_json::Value;

use super::stub::{Received, Stub, json as response};
use super::support::{Call, TOKEN, check, countersign};

/// A finding of a JSON report: its rule and its fact.
type Found = (String, String);

/// Starts a service that has this function respond to each request.
fn service(respond: impl Fn(&Received) -> String + Send + Sync + 'static) -> Stub {
    Stub::start(move |request, stream| stream.write_all(respond(request).as_bytes()))
}

/// Checks a service and returns the findings, unchecked operations apart.
fn found(spec: &str, service: &Stub, arguments: &[&str]) -> Vec<Found> {
    found_by(checking(spec, service, arguments))
}

fn checking(spec: &str, service: &Stub, arguments: &[&str]) -> Call {
    let arguments = [&["--spec", "spec.yaml", "--settle", "0"], arguments].concat();
    check(&service.url(), &arguments).file("spec.yaml", spec)
}

/// Returns the findings of a check. Where no operation has a success, the exit code says that nothing could be judged,
/// and the findings are there all the same.
fn found_by(call: Call) -> Vec<Found> {
    let (ended, report) = call.report();
    assert!([0, 1, 3].contains(&ended.code), "{ended:?}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    let findings = findings.map(|finding| (text(&finding["rule"]), text(&finding["fact"])));
    findings.filter(|(rule, _)| rule != "unchecked-operation").collect()
}

/// The facts that a rule found broken.
fn of_rule<'found>(found: &'found [Found], rule: &str) -> Vec<&'found str> {
    let found = found.iter().filter(|(known, _)| known == rule);
    found.map(|(_, fact)| fact.as_str()).collect()
}

/// The method and the path of a request, without its query.
fn called(request: &Received) -> (&str, &str) {
    let mut words = request.head.split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    (method, target.split('?').next().unwrap())
}

/// A response of this status without a body or a media type.
fn bare(status: &str) -> String {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n\r\n")
}

const VISITS: &str = "
openapi: 3.0.3
info: {title: Visits, version: '1'}
paths:
  /visits:
    post:
      operationId: addVisit
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [name, boat]
              properties: {name: {type: string}, boat: {type: integer}}
      responses:
        '201':
          description: Added
          content: {application/json: {schema: {$ref: '#/components/schemas/Visit'}}}
          links: {self: {operationId: getVisit, parameters: {visit: '$response.body#/id'}}}
  /visits/{visit}:
    get:
      operationId: getVisit
      parameters: [{name: visit, in: path, required: true, schema: {type: integer}}]
      responses: {'200': {description: A visit, content: {application/json: {schema: {$ref: '#/components/schemas/Visit'}}}}}
components:
  schemas: {Visit: {type: object, properties: {id: {type: integer}, name: {type: string}}}}
";

#[test]
fn a_create_is_rejected_for_the_record_that_its_body_invents() {
    for status in [
        "400 Bad Request",
        "404 Not Found",
        "409 Conflict",
        "410 Gone",
        "422 Unprocessable Content",
    ] {
        let service = service(move |_| response(status, r#"{"title": "no such boat"}"#));
        assert_eq!(found(VISITS, &service, &["--writes"]), [], "{status}");
        assert!(!service.received().is_empty(), "{status}");
    }
}

#[test]
fn a_create_that_names_no_record_must_not_get_a_404() {
    let spec = VISITS
        .replace("[name, boat]", "[name]")
        .replace(", boat: {type: integer}", "");
    let service = service(|_| response("404 Not Found", "{}"));
    let found = found(&spec, &service, &["--writes"]);
    assert_eq!(of_rule(&found, "status"), ["addVisit status: 201"]);
}

#[test]
fn a_create_below_a_record_that_somebody_names_is_rejected_for_it() {
    let spec = "
openapi: 3.0.3
info: {title: Notes, version: '1'}
paths:
  /boats/{boat}/notes:
    post:
      operationId: addNote
      parameters: [{name: boat, in: path, required: true, schema: {type: integer}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {text: {type: string}}}}}}
      responses: {'201': {description: Added}}
";
    let found = |service: &Stub| {
        let call = checking(spec, service, &["--writes", "--also-send", "addNote"]);
        found_by(call.file("countersign.toml", "[operations]\naddNote.path.boat = 17\n"))
    };
    let gone = service(|_| response("404 Not Found", "{}"));
    assert_eq!(found(&gone), []);
    assert!(!gone.received().is_empty());
    let other = service(|_| response("200 OK", "{}"));
    assert_eq!(of_rule(&found(&other), "status"), ["addNote status: 201"]);
}

/// A document whose only response has this status and documents JSON.
fn documenting(status: &str) -> String {
    format!(
        "
openapi: 3.0.3
info: {{title: Locks, version: '1'}}
paths:
  /lock:
    get:
      operationId: getLock
      responses:
        '{status}':
          description: A lock
          content: {{application/json: {{schema: {{type: object, required: [id], properties: {{id: {{type: string}}}}}}}}}}
"
    )
}

#[test]
fn content_that_is_documented_where_there_is_never_any_is_reported_by_lint_alone() {
    for status in ["204 No Content", "205 Reset Content", "304 Not Modified"] {
        let (number, _) = status.split_once(' ').unwrap();
        let spec = documenting(number);
        for sent in [bare(status), response(status, "{}"), response(status, "")] {
            let service = service(move |_| sent.clone());
            let found = found(&spec, &service, &[]);
            assert_eq!(found, [], "{status}");
        }
        let linted = countersign(&["lint", "spec.yaml"]).file("spec.yaml", &spec).run();
        assert_eq!(linted.stdout.matches("content-without-body").count(), 1, "{linted:?}");
    }
}

#[test]
fn content_that_is_documented_for_another_success_must_be_there() {
    let service = service(|_| "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned());
    let found = found(&documenting("200"), &service, &[]);
    assert_eq!(of_rule(&found, "media-type"), ["getLock media type: application/json"]);
}

/// A document with these responses, and an error that has a title.
fn responses(responses: &str) -> String {
    format!(
        "
openapi: 3.0.3
info: {{title: Locks, version: '1'}}
paths:
  /lock: {{get: {{operationId: getLock, responses: {{{responses}}}}}}}
components:
  responses:
    Lock: {{description: A lock, content: {{application/json: {{schema: {{type: object, required: [id]}}}}}}}}
    Error: {{description: An error, content: {{application/json: {{schema: {{type: object, required: [title]}}}}}}}}
"
    )
}

const LOCK: &str = "'200': {$ref: '#/components/responses/Lock'}";
const ERROR: &str = "{$ref: '#/components/responses/Error'}";

#[test]
fn a_default_or_a_class_documents_every_error_that_a_caller_may_cause() {
    for documented in ["default", "4XX"] {
        let spec = responses(&format!("{LOCK}, {documented}: {ERROR}"));
        for status in ["400 Bad Request", "404 Not Found", "418 A Teapot"] {
            let sound = service(move |_| response(status, r#"{"title": "no"}"#));
            assert_eq!(found(&spec, &sound, &[]), [], "{documented} {status}");
            let broken = service(move |_| response(status, "{}"));
            let found = found(&spec, &broken, &[]);
            let missing = format!("getLock {documented} /title: present");
            assert_eq!(of_rule(&found, "missing-field"), [missing], "{status}");
            assert_eq!(found.len(), 1, "{found:?}");
        }
    }
    let spec = responses(LOCK);
    let service = service(|_| response("404 Not Found", "{}"));
    assert_eq!(of_rule(&found(&spec, &service, &[]), "status"), ["getLock status: 200"]);
}

#[test]
fn a_default_documents_no_other_success_and_no_redirection() {
    let spec = responses(&format!("{LOCK}, default: {ERROR}"));
    for status in ["202 Accepted", "302 Found"] {
        let service = service(move |_| response(status, "{}"));
        let found = found(&spec, &service, &[]);
        let expected = ("status".to_owned(), "getLock status: 200".to_owned());
        assert_eq!(found, [expected], "{status}");
    }
}

#[test]
fn a_5xx_is_one_finding_whoever_wrote_its_body() {
    let spec = responses(&format!("{LOCK}, default: {ERROR}"));
    let service = service(|_| response("502 Bad Gateway", "<html>").replace("application/json", "text/html"));
    let found = found(&spec, &service, &[]);
    let expected = ("server-error".to_owned(), "getLock status: no 5xx".to_owned());
    assert_eq!(found, [expected]);
}

#[test]
fn a_default_that_is_the_success_is_no_form_of_an_error() {
    let spec = responses("default: {$ref: '#/components/responses/Lock'}");
    let missing = service(|_| response("404 Not Found", r#"{"title": "no"}"#));
    assert_eq!(found(&spec, &missing, &[]), []);
    let broken = service(|_| response("200 OK", "{}"));
    assert_eq!(
        of_rule(&found(&spec, &broken, &[]), "missing-field"),
        ["getLock default /id: present"]
    );
}

/// A document with this many operations that ask for a credential.
fn protected(operations: usize) -> String {
    let mut spec = "
openapi: 3.0.3
info: {title: Docks, version: '1'}
security: [{bearer: []}]
components: {securitySchemes: {bearer: {type: http, scheme: bearer}}}
paths:
"
    .to_owned();
    for number in 0..operations {
        let success = if number % 2 == 0 { 200 } else { 203 };
        spec.push_str(&format!(
            "  /dock{number}: {{get: {{operationId: dock{number}, responses: {{'{success}': {{description: A}}, '401': {{description: B}}}}}}}}\n"
        ));
    }
    spec
}

/// Responds to a protected operation with its success.
fn docked(request: &Received) -> String {
    let (_, path) = called(request);
    let is_even = path.ends_with(['0', '2', '4', '6', '8']);
    response(if is_even { "200 OK" } else { "203 Another" }, "{}")
}

#[test]
fn a_check_of_the_credential_that_is_missing_everywhere_is_one_group() {
    let service = service(docked);
    let arguments = ["--spec", "spec.yaml", "--settle", "0"];
    let ended = check(&service.url(), &arguments).file("spec.yaml", protected(9)).run();
    let blocks: Vec<_> = ended.stdout.lines().filter(|line| line.contains("auth")).collect();
    assert_eq!(
        ended.stdout.matches("9 operations do not reject").count(),
        1,
        "{ended:?}"
    );
    assert!(ended.stdout.contains("in 1 group"), "{blocks:?} {ended:?}");
}

#[test]
fn a_challenge_that_is_missing_everywhere_is_one_group() {
    let service = service(|request| {
        if request.authorized() {
            docked(request)
        } else {
            response("401 Unauthorized", "{}").replace("WWW-Authenticate: Bearer\r\n", "")
        }
    });
    let arguments = ["--spec", "spec.yaml", "--settle", "0"];
    let ended = check(&service.url(), &arguments).file("spec.yaml", protected(9)).run();
    assert_eq!(ended.stdout.matches("9 operations send a 401").count(), 1, "{ended:?}");
    assert!(ended.stdout.contains("in 1 group"), "{ended:?}");
}

#[test]
fn an_error_shows_what_it_says_only_where_values_are_shown_and_never_the_token() {
    let body = format!(r#"{{"title": "no lock of jane.roe@example.com", "detail": "token {TOKEN}"}}"#);
    let service = service(move |request| match called(request) {
        (_, "/lock") => response("404 Not Found", &body),
        _ => response("500 Internal Server Error", &body),
    });
    let spec = responses(LOCK).replace(
        "components:",
        "  /key: {get: {operationId: getKey, responses: {'200': {description: A key}}}}\ncomponents:",
    );
    let hidden = checking(&spec, &service, &[]).run();
    let shape = format!(
        "its body has title: string(31), detail: string({})",
        "token ".len() + TOKEN.len()
    );
    for status in [404, 500] {
        let line = format!("received: {status}; {shape}");
        assert!(hidden.stdout.contains(&line), "{hidden:?}");
    }
    hidden.shows_nowhere("jane.roe");
    hidden.shows_nowhere(TOKEN);
    let shown = checking(&spec, &service, &["--show-values"]).run();
    assert!(
        shown.stdout.contains("title: \"no lock of jane.roe@example.com\""),
        "{shown:?}"
    );
    shown.shows_nowhere(TOKEN);
}
