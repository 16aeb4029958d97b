//! The headers that a document describes: a service that sends them conforms, and each that is wrong is found, in a
//! check and in recorded traffic.

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::routing::get;
use countersign::Contract;
use countersign::report::{FindingRecord, VerdictRecord};
use serde_json::{Value, json};

use crate::support::archive::{BASE, judged};

const DOCUMENT: &str = "openapi: 3.0.3
info: {title: Ferries, version: '1'}
paths:
  /ferries:
    get:
      operationId: getFerries
      responses:
        '200':
          description: Ferries
          headers:
            X-Total: {required: true, schema: {type: integer}}
            X-Kind: {schema: {type: string, enum: [car, passenger]}}
            X-Docks: {schema: {type: array, items: {type: integer}}}
            Content-Type: {required: true, schema: {type: integer}}
          content: {application/json: {schema: {type: array, items: {type: string}}}}
";

const SOUND: [(&str, &str); 3] = [("x-total", "2"), ("x-kind", "car"), ("x-docks", "1, 2")];

/// Headers, and the rule and the location that are found; none where the headers conform.
type Case = (
    &'static [(&'static str, &'static str)],
    Option<(&'static str, &'static str)>,
);

const CASES: [Case; 7] = [
    (&SOUND, None),
    (&[("x-total", "2")], None),
    (&[("x-total", "2"), ("x-docks", "1"), ("x-docks", "2")], None),
    (&[("x-kind", "car")], Some(("missing-field", "header X-Total"))),
    (
        &[("x-total", "two"), ("x-kind", "car")],
        Some(("wrong-type", "header X-Total")),
    ),
    (
        &[("x-total", "2"), ("x-kind", "bus")],
        Some(("constraint", "header X-Kind")),
    ),
    (
        &[("x-total", "2"), ("x-docks", "1, x")],
        Some(("wrong-type", "header X-Docks/1")),
    ),
];

fn contract() -> Contract {
    Contract::read("ferries.yaml", DOCUMENT.to_owned()).unwrap()
}

fn service(headers: &'static [(&'static str, &'static str)]) -> Router {
    let response = move || async move {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        (map, axum::Json(json!(["North"])))
    };
    Router::new().route("/ferries", get(response))
}

#[tokio::test]
async fn each_header_of_a_service_is_held_or_found() {
    for (headers, expected) in CASES {
        let check = countersign::Check::new(Arc::new(contract())).service(service(headers));
        let report = check.run().await.unwrap();
        let record = report.record();
        let is_edge_case = |finding: &&FindingRecord| finding.fact.contains("edge");
        let found = record.findings.iter().filter(|finding| !is_edge_case(finding));
        let found: Vec<_> = found
            .map(|finding| (finding.rule.as_str(), finding.response_pointer.as_str()))
            .collect();
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{headers:?}");
        let total = record
            .facts
            .rows
            .iter()
            .find(|row| row.fact == "getFerries header X-Total: present");
        let is_there = headers.iter().any(|(name, _)| *name == "x-total");
        let verdict = if is_there {
            VerdictRecord::Held
        } else {
            VerdictRecord::Broken
        };
        assert_eq!(total.unwrap().verdict, verdict, "{headers:?}");
    }
}

fn archive(headers: &[(&str, &str)], media_type: &str) -> Value {
    let headers = headers
        .iter()
        .map(|(name, value)| json!({"name": name, "value": value}));
    json!({"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": [{
        "startedDateTime": "2024-05-17T09:30:00Z",
        "time": 10,
        "request": {"method": "GET", "url": format!("{BASE}/ferries"), "headers": []},
        "response": {
            "status": 200,
            "headers": headers.collect::<Vec<_>>(),
            "content": {"size": 9, "mimeType": media_type, "text": "[\"North\"]"},
        },
    }]}})
}

#[test]
fn recorded_headers_are_judged_alike() {
    let contract = contract();
    for (headers, expected) in CASES {
        let recorded = [("content-type", "application/json"), ("x-served-by", "a")];
        let judged = judged(
            &contract,
            &[archive(&[headers, &recorded].concat(), "application/json")],
        );
        let findings = judged.run.verdicts.findings().iter();
        let found: Vec<_> = findings
            .map(|finding| (finding.rule.name, finding.pointer.as_str()))
            .collect();
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{headers:?}");
    }
}

#[test]
fn an_archive_without_headers_lacks_none() {
    let contract = contract();
    let kept = [
        ("content-type", "application/json"),
        ("date", "Fri, 17 May 2024 09:30:00 GMT"),
    ];
    for (headers, media_type) in [
        (&[][..], ""),
        (&[][..], "application/json"),
        (&kept[..], "application/json"),
    ] {
        let judged = judged(&contract, &[archive(headers, media_type)]);
        assert_eq!(judged.judged_count(), 1);
        assert!(judged.run.verdicts.findings().is_empty(), "{headers:?}");
    }
}
