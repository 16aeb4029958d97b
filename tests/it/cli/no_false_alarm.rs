//! Documents and services that nobody here wrote: what conforms, or is the document's own defect, is no finding, and the
//! fault beside it is one.

use std::io::Write as _;

use serde_json::Value;

use super::stub::{Received, Stub, json as response};
use super::support::{Call, check, countersign};

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

/// Returns the findings of a check. Where no operation has a success, the exit code says that nothing could be judged, and
/// the findings are there all the same.
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

/// A response of this status without a body or a media type.
fn bare(status: &str) -> String {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n\r\n")
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
