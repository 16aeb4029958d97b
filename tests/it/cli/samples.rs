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
    /// The fewest facts that are decided in each of [`MODES`].
    decided: [u64; 3],
}

const MODES: [(&str, &[&str]); 3] = [
    ("reads", &[]),
    ("writes", &["--writes"]),
    ("writes and cleans up", &["--writes", "--cleanup"]),
];

const SAMPLES: [Sample; 3] = [
    Sample {
        name: "apiflask",
        records: "/pets",
        given: None,
        decided: [26, 52, 61],
    },
    Sample {
        name: "fastapi",
        records: "/heroes/",
        given: Some(r#"{"name": "Rusty", "secret_name": "Tommy Sharp", "age": 48}"#),
        decided: [23, 48, 54],
    },
    Sample {
        name: "loopback",
        records: "/todos",
        given: None,
        decided: [30, 62, 66],
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
fn checked(url: &str, sample: &Sample, mode: usize) -> String {
    let (_, arguments) = MODES[mode];
    let document = call(url, "GET /openapi.json", "");
    let before = records(url, sample);
    let (ended, report) = check(url, &[&["--spec", "openapi.json"], arguments].concat())
        .file("openapi.json", document)
        .report();
    let denied = denied(&report);
    let expected = i32::from(!denied.is_empty());
    assert_eq!(ended.code, expected, "{}: {ended:?}", sample.name);
    let left = report["residue"].as_array().unwrap().len();
    assert!(!arguments.is_empty() || left == 0, "{}: {ended:?}", sample.name);
    // A sample keeps what was deleted in its list, under another name.
    let deleted = report["deleted"].as_u64().and_then(|count| usize::try_from(count).ok());
    let made = left + deleted.unwrap_or(0);
    keeps_records(&records(url, sample), &before, made);
    let count = |verdict: &str| report["facts"][verdict].as_u64().unwrap();
    let decided = count("held") + count("broken");
    let least = sample.decided[mode];
    assert!(
        decided >= least,
        "{}: {decided} facts decided, {least} before",
        sample.name
    );
    denied
}

/// Every record that was there is still there and is the same, and there are no more new ones than were reported as
/// made.
#[track_caller]
fn keeps_records(after: &[Value], before: &[Value], made: usize) {
    assert!(!before.is_empty());
    for record in before {
        assert!(after.contains(record), "{record} is not in {after:?}");
    }
    assert!(after.len() - before.len() <= made, "{made} made: {after:?}");
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
        for (mode, (name, _)) in MODES.iter().enumerate() {
            let denied = checked(url, sample, mode);
            found += &format!("{} {name}\n{denied}", sample.name);
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("sample_servers", found));
}
