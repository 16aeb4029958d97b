//! Edge cases under a document that lists none: a failure is found, a service that rejects them is left alone, they are
//! few, and no write carries an identifier that was made up.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use countersign::report::VerdictRecord;
use serde_json::json;

use super::small::{Seen, Small};
use crate::support::stub::{Received, Response, Stub};

/// Jobs that are listed, created, read and replaced. The comment keeps the edge cases of the document.
const JOBS: &str = "  # no list of x-edge-cases
  /jobs:
    get:
      operationId: listJobs
      parameters: [{name: limit, in: query, schema: {type: integer}}]
      responses: {'200': {description: Jobs, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Job'}}}}}}
    post:
      operationId: createJob
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses: {'201': {description: Job, content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}}
  /jobs/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: readJob
      responses: {'200': {description: Job, content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}}
    put:
      operationId: replaceJob
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses: {'200': {description: Job, content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}}
components:
  schemas:
    New: {type: object, required: [name], properties: {name: {type: string}}}
    Job: {type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}}}
";

/// Checks a service of jobs, `j-1` and so on, of which only the first can be read and replaced once it was created. It
/// answers an edge case with this status.
async fn jobs(edge_case: u16, writes: bool) -> Seen {
    let job = |number: usize, name: &str| json!({"id": format!("j-{number}"), "name": name});
    let kept: &'static std::sync::Mutex<String> = Box::leak(Box::default());
    let created: &'static AtomicUsize = Box::leak(Box::default());
    let written = move |call: &Received, status: u16| {
        let sent: Option<serde_json::Value> = serde_json::from_slice(&call.body).ok();
        let name = sent.as_ref().and_then(|sent| sent["name"].as_str());
        match name.filter(|name| name.is_ascii() && name.len() < 100) {
            Some(name) if status == 201 => {
                let number = created.fetch_add(1, Ordering::Relaxed) + 1;
                if number == 1 {
                    name.clone_into(&mut kept.lock().unwrap());
                }
                Response::json(status, &job(number, name))
            }
            Some(name) => {
                name.clone_into(&mut kept.lock().unwrap());
                Response::json(status, &job(1, name))
            }
            None => Response::status(edge_case),
        }
    };
    let table = Stub::table()
        .on_each("GET", "/jobs", move |call| {
            match call.query("limit").map(str::parse::<u16>) {
                Some(Err(_)) => Response::status(edge_case),
                _ => Response::json(200, &json!([])),
            }
        })
        .on_each("POST", "/jobs", move |call| written(call, 201))
        .on_each("GET", "/jobs/j-1", move |_| {
            Response::json(200, &job(1, &kept.lock().unwrap()))
        })
        .on_each("PUT", "/jobs/j-1", move |call| written(call, 200));
    let mut small = Small::new(JOBS);
    small.scope.also_send.clear();
    small.scope.writes = writes;
    small.settle = Duration::ZERO;
    small.check(table).await
}

#[tokio::test]
async fn a_failure_at_an_edge_case_is_found_under_any_document() {
    let seen = jobs(500, true).await;
    let failed = seen.of_rule("server-error");
    let mut failed: Vec<_> = failed.iter().map(|finding| finding.fact.as_str()).collect();
    failed.sort_unstable();
    let facts = [
        "createJob edge cases: no 5xx",
        "listJobs edge cases: no 5xx",
        // It is sent awkward values before any edge case.
        "replaceJob status: no 5xx",
    ];
    assert_eq!(failed, facts);
}

#[tokio::test]
async fn a_service_that_rejects_edge_cases_is_left_alone() {
    let seen = jobs(400, true).await;
    assert!(seen.record.findings.is_empty(), "{:?}", seen.record.findings);
    for name in ["createJob", "listJobs", "readJob", "replaceJob"] {
        let fact = format!("{name} edge cases: no 5xx");
        assert_eq!(seen.row(&fact).verdict, VerdictRecord::Held, "{fact}");
    }
}

#[tokio::test]
async fn edge_cases_are_few_and_a_check_that_reads_sends_none_that_writes() {
    let seen = jobs(400, false).await;
    let calls = seen.calls();
    assert!(calls.iter().all(|call| call.starts_with("GET ")), "{calls:?}");
    let odd: Vec<_> = calls.iter().filter(|call| call.contains("limit=")).collect();
    // One of them is the read with the parameter as documented.
    assert_eq!(odd.len(), 1 + 5, "{odd:?}");
}

#[tokio::test]
async fn no_write_carries_an_identifier_that_was_made_up() {
    for status in [200, 400, 500] {
        let calls = jobs(status, true).await.calls();
        let written = calls.iter().filter(|call| !call.starts_with("GET "));
        let places: std::collections::BTreeSet<_> = written.collect();
        assert_eq!(places.into_iter().collect::<Vec<_>>(), ["POST /jobs", "PUT /jobs/j-1"]);
    }
}
