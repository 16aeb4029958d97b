//! What a request asks for and what it sends: the media types that its operation documents, so that a strict service
//! has no reason for a 406 or a 415.

use std::io::Write as _;

use super::stub::Stub;
use super::support::{Ended, check};

const SPEC: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
paths:
  /table:
    get:
      operationId: getTable
      responses:
        '200': {description: A table, content: {text/csv: {schema: {type: string}}}}
        '404': {description: Nothing, content: {application/problem+json: {schema: {type: object}}}}
  /things:
    get:
      operationId: getThings
      responses:
        '200':
          description: Things
          content: {application/xml: {}, application/json: {schema: {type: array, items: {}}}}
  /nothing:
    get: {operationId: getNothing, responses: {'204': {description: Nothing}}}
";

/// A service that has one representation at each path, and responds with 406 to whoever does not ask for it.
fn strict(representations: &'static [(&'static str, &'static str, &'static str)]) -> Stub {
    Stub::start(move |request, stream| {
        let path = request.head.split(' ').nth(1).unwrap();
        let accept = request.header("accept").unwrap_or_default();
        let found = representations.iter().find(|(at, ..)| *at == path);
        let (status, media_type, body) = match found {
            None => ("204 No Content", "", ""),
            Some((_, media_type, body)) if accept.contains(media_type) => ("200 OK", *media_type, *body),
            Some(_) => ("406 Not Acceptable", "text/plain", "ask for something else"),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n",
            body.len()
        );
        let head = if media_type.is_empty() {
            format!("HTTP/1.1 {status}\r\n")
        } else {
            head
        };
        stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes())
    })
}

#[test]
fn a_strict_service_is_asked_for_what_the_document_says_it_has() {
    let target = strict(&[("/table", "text/csv", "a,b"), ("/things", "application/json", "[]")]);
    let call = check(&target.url(), &["--spec", "things.yaml", "--report", "har=run.har"]);
    let (ended, report) = call.file("things.yaml", SPEC).report();
    assert_eq!(
        (ended.code, report["findings"].to_string().as_str()),
        (0, "[]"),
        "{ended:?}"
    );
    for (path, accept) in [
        ("/table", "text/csv, application/problem+json;q=0.8"),
        ("/things", "application/xml;q=0.9, application/json"),
        ("/nothing", "application/json"),
    ] {
        let received = target.received();
        let received = received
            .iter()
            .filter(|request| request.head.contains(&format!(" {path} ")));
        let mut asked = received.map(|request| request.header("accept").unwrap()).peekable();
        assert!(asked.peek().is_some(), "{path}");
        assert!(asked.all(|asked| asked == accept), "{path}");
        let archive = std::fs::read_to_string(ended.path().join("run.har")).unwrap();
        assert!(archive.contains(&format!("\"value\": \"{accept}\"")), "{archive}");
    }
}

#[test]
fn a_service_that_lacks_what_it_documents_is_found() {
    let target = strict(&[
        ("/table", "application/pdf", "%PDF"),
        ("/things", "application/json", "[]"),
    ]);
    let call = check(&target.url(), &["--spec", "things.yaml"]).file("things.yaml", SPEC);
    let (ended, report) = call.report();
    assert_eq!(ended.code, 1, "{ended:?}");
    let finding = &report["findings"][0];
    assert_eq!(
        (finding["operation"].as_str(), finding["rule"].as_str()),
        (Some("getTable"), Some("status"))
    );
    let line = "-H 'Accept: text/csv, application/problem+json;q=0.8'";
    assert!(finding.to_string().contains(line), "{finding}");
}

/// A service that creates a thing at `POST /things` from a body of this media type alone.
fn creator(media_type: &'static str) -> Stub {
    Stub::start(move |request, stream| {
        let response = if request.header("content-type") == Some(media_type) {
            "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 8\r\nConnection: close\r\n\r\n{\"id\":1}"
        } else {
            "HTTP/1.1 415 Unsupported Media Type\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        };
        stream.write_all(response.as_bytes())
    })
}

fn created(target: &Stub, documented: &str) -> (Ended, serde_json::Value) {
    let spec = format!(
        "openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\nx-edge-cases: []\npaths:\n  /things:\n    post:\n      \
         operationId: addThing\n      requestBody: {{content: {{'{documented}': {{schema: {{type: object, required: [name], \
         properties: {{name: {{type: string}}}}}}}}}}}}\n      responses:\n        '201': {{description: a, content: \
         {{application/json: {{schema: {{type: object, properties: {{id: {{type: integer}}}}}}}}}}}}\n"
    );
    let arguments = [
        "--spec", "things.yaml", "--writes", "--also-send", "addThing", "--report", "har=run.har",
    ];
    check(&target.url(), &arguments).file("things.yaml", spec).report()
}

#[test]
fn a_body_is_sent_in_the_media_type_that_the_document_names() {
    for (documented, sent) in [
        ("application/json", "application/json"),
        ("application/json; charset=utf-8", "application/json; charset=utf-8"),
        ("application/vnd.things+json", "application/vnd.things+json"),
        // A range names no type, and this one covers plain JSON's.
        ("application/*+json", "application/json"),
    ] {
        let target = creator(sent);
        let (ended, report) = created(&target, documented);
        assert_eq!(
            (ended.code, report["findings"].to_string().as_str()),
            (0, "[]"),
            "{documented}: {ended:?}"
        );
        let mut writes = target
            .received()
            .into_iter()
            .filter(|request| request.is("POST"))
            .peekable();
        assert!(writes.peek().is_some(), "{documented}");
        assert!(
            writes.all(|write| write.header("content-type") == Some(sent)),
            "{documented}"
        );
        let archive = std::fs::read_to_string(ended.path().join("run.har")).unwrap();
        assert!(archive.contains(&format!("\"mimeType\": \"{sent}\"")), "{archive}");
    }
}

#[test]
fn a_service_that_rejects_the_media_type_it_documents_is_found() {
    let target = creator("application/json");
    let (ended, report) = created(&target, "application/vnd.things+json");
    assert_eq!(ended.code, 3, "{ended:?}");
    assert_eq!(report["exchanges"][0]["response"]["status"], 415, "{report}");
    assert_eq!(report["exchanges"][0]["content_type"], "application/vnd.things+json");
}
