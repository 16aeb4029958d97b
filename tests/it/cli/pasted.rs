//! The line that reproduces a finding, pasted into a shell: `curl` sends the service the same request as the run, and
//! the response shows the finding again.

use std::process::Command;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::middleware::{self, Next};
use serde_json::Value;

use super::leaks;
use super::support::{Ended, countersign};
use super::target::Target;
use crate::support::leaks::Canary;

/// What a request asks for: its method, its path with the query, and its body.
type Asked = (String, String, Bytes);

/// The service behind a record of what reaches it.
fn recorded(router: Router) -> (Target, Arc<Mutex<Vec<Asked>>>) {
    let record = Arc::new(Mutex::new(Vec::new()));
    let kept = record.clone();
    let layer = middleware::from_fn(move |request: Request, next: Next| {
        let kept = kept.clone();
        async move {
            let (head, body) = request.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            let asked = (head.method.to_string(), head.uri.to_string(), body.clone());
            kept.lock().unwrap().push(asked);
            next.run(Request::from_parts(head, Body::from(body))).await
        }
    });
    (Target::serve(router.layer(layer)), record)
}

/// Pastes a line into a shell that has these variables.
fn paste(line: &str, variables: &[(String, String)], canary: &Canary) -> std::process::Output {
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", line]).env("COUNTERSIGN_TOKEN", &canary.token);
    shell.envs(variables.iter().cloned()).output().unwrap()
}

/// What a reader of the line's comment fills in: for each variable the first value of that field that the list shows.
fn filled_in(line: &str, target: &Target, canary: &Canary) -> Vec<(String, String)> {
    let Some((_, comment)) = line.split_once(" # fill in ") else {
        return Vec::new();
    };
    let fill = |reported: &str| {
        let (variable, sources) = reported.split_once(": ").unwrap();
        let (field, list) = sources.split(" or ").next().unwrap().split_once(" in ").unwrap();
        let path = match list {
            "getContacts" => "contact-database",
            "getTags" => "tags",
            "getVenues" => "venues",
            other => panic!("{other} shows no value"),
        };
        let asked = format!(
            "curl -sS -H \"Authorization: Bearer $COUNTERSIGN_TOKEN\" {}/organization/v1/{path}",
            target.url()
        );
        let page: Value = serde_json::from_slice(&paste(&asked, &[], canary).stdout).unwrap();
        let value = first(&page["data"]["items"], field);
        (
            variable.to_owned(),
            value.unwrap_or_else(|| panic!("{reported}: {page}")),
        )
    };
    comment.split("; ").map(fill).collect()
}

/// The first string under this name, by itself or in a list.
fn first(value: &Value, name: &str) -> Option<String> {
    match value {
        Value::Array(elements) => elements.iter().find_map(|element| first(element, name)),
        Value::Object(members) => {
            let here = members.get(name);
            let here = here.and_then(|here| here.get(0).unwrap_or(here).as_str());
            let below = || members.values().find_map(|member| first(member, name));
            here.map(str::to_owned).or_else(below)
        }
        _ => None,
    }
}

/// The findings whose line sends a write.
fn of_writes(ended: &Ended) -> Vec<Value> {
    let report = ended.json("report.json");
    let findings = report["findings"].as_array().unwrap().iter();
    let writes = findings.filter(|finding| finding["reproduce"].as_str().unwrap().contains(" -d "));
    writes.cloned().collect()
}

#[expect(clippy::print_stderr, reason = "a person is told what was not tested")]
fn has_curl() -> bool {
    let there = Command::new("curl").arg("--version").output().is_ok();
    if !there {
        eprintln!("NOT TESTED: the lines to paste, because curl is missing");
    }
    there
}

#[test]
fn a_pasted_line_of_each_kind_of_write_sends_the_request_again_and_shows_the_finding() {
    const FAULTS: [&str; 5] = [
        "createContact/data/lastname:dropped",
        "createContactMethod/data/contact:dropped",
        "createTag/data/name:dropped",
        "createVisit/data/datetime:dropped",
        "updateContact:server-error",
    ];
    if !has_curl() {
        return;
    }
    let canary = Canary::fresh("pasted");
    let (target, asked) = recorded(leaks::service(&canary, &FAULTS));
    let url = target.url();
    let arguments = [
        "check", "--writes", "--seed", "1", "--settle", "0", "--base-url", &url, "--report", "json=report.json",
    ];
    let ended = countersign(&arguments).env("COUNTERSIGN_TOKEN", &canary.token).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    let sent = asked.lock().unwrap().clone();
    let (mut operations, mut filled) = (Vec::new(), 0);
    for finding in of_writes(&ended) {
        let line = finding["reproduce"].as_str().unwrap();
        let variables = filled_in(line, &target, &canary);
        filled += variables.len();
        asked.lock().unwrap().clear();
        if !variables.is_empty() {
            assert!(!paste(line, &[], &canary).status.success(), "{line}");
            assert!(asked.lock().unwrap().is_empty(), "{line}");
        }
        let pasted = paste(line, &variables, &canary);
        assert!(pasted.status.success(), "{line}: {pasted:?}");
        let [again] = asked.lock().unwrap().clone().try_into().unwrap();
        assert!(sent.contains(&again), "{line}: {again:?}");
        assert_eq!(answered(&pasted.stdout), as_it_was(&ended, &finding), "{line}");
        operations.push(finding["operation"].as_str().unwrap().to_owned());
    }
    operations.sort();
    operations.dedup();
    let writes = [
        "createContact", "createContactMethod", "createTag", "createVisit", "updateContact",
    ];
    assert_eq!(operations, writes, "{ended:?}");
    assert!(filled > 0, "nothing of the target was sent");
}

/// The status of a response as `curl -i` shows it, and the names of the fields of its record.
fn answered(output: &[u8]) -> (u64, Vec<String>) {
    let text = std::str::from_utf8(output).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, fields(body))
}

/// The same of the exchange that showed a finding.
fn as_it_was(ended: &Ended, finding: &Value) -> (u64, Vec<String>) {
    let report = ended.json("report.json");
    let mut exchanges = report["exchanges"].as_array().unwrap().iter();
    let exchange = exchanges
        .find(|exchange| exchange["number"] == finding["exchange"])
        .unwrap();
    let response = &exchange["response"];
    (
        response["status"].as_u64().unwrap(),
        fields(response["body"].as_str().unwrap_or_default()),
    )
}

fn fields(body: &str) -> Vec<String> {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let mut fields: Vec<_> = body["data"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    fields.sort();
    fields
}
