//! Servers that nobody here wrote: published samples of three frameworks, each with the document that it serves.
//! `.ci/with-sample-servers` starts them.
//!
//! Every finding about them was compared with the document and with the server's responses; the snapshot has them. The
//! bounds are what was measured, so that a check does not quietly decide less.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use super::support::check;

/// What is known of a server.
struct Sample {
    name: &'static str,
    /// The path of the list of all its records.
    records: &'static str,
    /// A record that it gets before the check, where it has none of its own.
    given: Option<&'static str>,
    facts: u64,
    /// The fewest facts that are decided without writes, and with them.
    decided: [u64; 2],
}

const SAMPLES: [Sample; 3] = [
    Sample {
        name: "apiflask",
        records: "/pets",
        given: None,
        facts: 80,
        decided: [26, 46],
    },
    Sample {
        name: "fastapi",
        records: "/heroes/",
        given: Some(r#"{"name": "Rusty", "secret_name": "Tommy Sharp", "age": 48}"#),
        facts: 115,
        decided: [23, 45],
    },
    Sample {
        name: "loopback",
        records: "/todos",
        given: None,
        facts: 66,
        decided: [30, 32],
    },
];

/// Returns the body of a response; `HTTP/1.0` asks for one whose end is that of the connection.
fn call(url: &str, request: &str, body: &str) -> String {
    let authority = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(authority).unwrap();
    let length = body.len();
    write!(
        stream,
        "{request} HTTP/1.0\r\nHost: {authority}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap();
    assert!(status.starts_with('2'), "{request}: {response}");
    body.to_owned()
}

fn records(url: &str, sample: &Sample) -> Vec<Value> {
    serde_json::from_str(&call(url, &format!("GET {}", sample.records), "")).unwrap()
}

/// Checks a server and returns what it found at deny, a line for each.
fn checked(url: &str, sample: &Sample, writes: bool) -> String {
    let arguments: &[&str] = if writes { &["--writes"] } else { &[] };
    let document = call(url, "GET /openapi.json", "");
    let before = records(url, sample);
    let (ended, report) = check(url, &[&["--spec", "openapi.json"], arguments].concat())
        .file("openapi.json", document)
        .report();
    let denied = denied(&report);
    let expected = i32::from(!denied.is_empty());
    assert_eq!(ended.code, expected, "{}: {ended:?}", sample.name);
    let left = report["residue"].as_array().unwrap().len();
    assert!(writes || left == 0, "{}: {ended:?}", sample.name);
    keeps_records(&records(url, sample), &before, left);
    let count = |verdict: &str| report["facts"][verdict].as_u64().unwrap();
    let decided = count("held") + count("broken");
    assert_eq!(count("total"), sample.facts, "{}", sample.name);
    let least = sample.decided[usize::from(writes)];
    assert!(
        decided >= least,
        "{}: {decided} facts decided, {least} before",
        sample.name
    );
    denied
}

/// Every record that was there is still there and is the same, and there are no more new ones than were reported as left.
#[track_caller]
fn keeps_records(after: &[Value], before: &[Value], left: usize) {
    assert!(!before.is_empty());
    for record in before {
        assert!(after.contains(record), "{record} is not in {after:?}");
    }
    assert!(after.len() - before.len() <= left, "{left} left: {after:?}");
}

fn denied(report: &Value) -> String {
    let findings = report["findings"].as_array().unwrap();
    let denied = findings.iter().filter(|finding| finding["level"] == "deny");
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    denied
        .map(|finding| format!("{}: {}\n", text(finding, "rule"), text(finding, "fact")))
        .collect()
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the gate says by a variable where the servers are, and a person is told that there were none"
)]
fn published_samples_of_frameworks_are_judged_by_their_documents() {
    let Ok(urls) = std::env::var("COUNTERSIGN_TEST_SAMPLE_SERVERS") else {
        eprintln!("NOT TESTED: servers of other people; `.ci/with-sample-servers` has three");
        return;
    };
    let urls: Vec<_> = urls.split_whitespace().filter_map(|url| url.split_once('=')).collect();
    let mut found = String::new();
    for sample in &SAMPLES {
        let (_, url) = urls.iter().find(|(name, _)| *name == sample.name).unwrap();
        if let Some(record) = sample.given {
            call(url, &format!("POST {}", sample.records), record);
        }
        for (mode, writes) in [("reads", false), ("writes", true)] {
            let denied = checked(url, sample, writes);
            found += &format!("{} {mode}\n{denied}", sample.name);
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("sample_servers", found));
}
