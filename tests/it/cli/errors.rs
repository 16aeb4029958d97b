//! Snapshots of what a user sees instead of a verdict, one for each kind of error, and of the JSON report.

use serde_json::{Value, json};

use super::support::{Call, TOKEN, check, countersign};
use super::target::Target;

/// No test sends anything there: each of these calls ends before.
const NOWHERE: &str = "https://contacts.example.com";

fn with_a_broken_contract() -> Call {
    check(NOWHERE, &["--spec", "contract.yaml"]).file("contract.yaml", "openapi: 3.0.3\npaths: []\n")
}

#[test]
fn each_kind_of_error_is_reported_in_its_own_words() {
    let mut reported = String::new();
    let mut ended = countersign(&["check", "--base-url", NOWHERE]).run();
    for (kind, call) in [
        ("a contract with a defect", with_a_broken_contract()),
        (
            "a fault that is none",
            countersign(&["check", "--fault", "getTags:nulll"]),
        ),
        ("a file that is not there", check(NOWHERE, &["--spec", "absent.yaml"])),
        (
            "a token without a target",
            countersign(&["check", "--token-file", "token"]).file("token", TOKEN),
        ),
        (
            "a target without a token",
            countersign(&["check", "--base-url", NOWHERE]),
        ),
        ("an operation that is none", check(NOWHERE, &["--only", "getTag"])),
        (
            "a report that cannot be written",
            check(NOWHERE, &["--report", "json=absent/report.json"]),
        ),
        (
            "a residue that cannot be written",
            check(NOWHERE, &["--residue", "absent/residue.jsonl"]),
        ),
        ("a rule that is none", check(NOWHERE, &["--deny", "missing-feild"])),
        ("a base URL that is none", check("contacts.example.com", &[])),
        (
            "a token that no header carries",
            check(NOWHERE, &[]).env("COUNTERSIGN_TOKEN", "hun ter2"),
        ),
        ("a flag that is none", countersign(&["check", "--base-ur"])),
        ("a number out of its range", check(NOWHERE, &["--jobs", "0"])),
        ("flags that exclude each other", countersign(&["check", "-v", "-q"])),
        (
            "a profile's axis that is none",
            countersign(&["serve", "--profile", "page-sise=10"]),
        ),
        (
            "a profile's value that is none",
            countersign(&["serve", "--profile", "page-size=11"]),
        ),
    ] {
        ended = call.run();
        assert!(matches!(ended.code, 2 | 4), "{kind}: {ended:?}");
        assert_eq!(ended.stdout, "", "{kind}");
        reported += &format!("# {kind}: exit code {}\n{}\n", ended.code, ended.stderr);
    }
    ended.stderr = reported;
    ended.matches("errors");
}

#[test]
fn the_json_report_of_a_run_with_a_finding() {
    let target = Target::changed("/venues", |body| {
        for item in body["data"]["items"].as_array_mut().unwrap() {
            item.as_object_mut().unwrap().remove("country");
        }
    });
    let (mut ended, mut report) = check(&target.url(), &["--jobs", "1"]).report();
    for (field, instead) in [("started_at", "[TIME]"), ("duration_ms", "[TIME]"), ("seed", "[SEED]")] {
        report[field] = json!(instead);
    }
    // One row of each verdict; all of them are in the snapshot of facts.
    let rows = report["facts"]["rows"].as_array().unwrap().clone();
    let first = |verdict: &str| rows.iter().find(|row| row["verdict"] == verdict).cloned();
    let shown: Vec<Value> = ["held", "broken", "undecided"].into_iter().filter_map(first).collect();
    assert_eq!(shown.len(), 3);
    report["facts"]["rows"] = json!(shown);
    // The exchange that showed the finding, the first operation and the first gap represent all of theirs.
    let number = report["findings"][0]["exchange"].clone();
    report["exchanges"]
        .as_array_mut()
        .unwrap()
        .retain(|exchange| exchange["number"] == number);
    report["exchanges"][0]["sent_ms"] = json!("[TIME]");
    report["exchanges"][0]["response"]["elapsed_ms"] = json!("[TIME]");
    for answer in report["answers"].as_array_mut().unwrap() {
        for (member, instead) in [("after_ms", "[TIME]"), ("at_least_per_second", "[RATE]")] {
            if let Some(measured) = answer["claim"].get_mut(member) {
                *measured = json!(instead);
            }
        }
    }
    for list in ["operations", "gaps"] {
        report[list].as_array_mut().unwrap().truncate(1);
    }
    ended.stdout = serde_json::to_string_pretty(&report).unwrap() + "\n";
    ended.matches("json_report");
}
