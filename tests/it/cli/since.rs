//! `check --since`: findings on facts that an older contract does not state.

use serde_json::Value;

use super::support::{Call, Ended, countersign};

const CONTRACT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.yaml"));

/// A check of the embedded service, which breaks one fact about ages and one about countries.
fn broken(arguments: &[&str]) -> Call {
    let faults = [
        "check",
        "--seed=1",
        "--only=getContacts",
        "--only=getVenues",
        "--report=terminal",
        "--report=json=report.json",
        "--fault=getContacts/data/items/each/age:retyped",
        "--fault=getVenues/data/items/each/country:dropped",
    ];
    let call = countersign(&[&faults, arguments].concat());
    // Contacts had no ages.
    call.file("old.yaml", CONTRACT.replace("\n        age:\n", "\n        years:\n"))
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&std::fs::read_to_string(ended.path().join("report.json")).unwrap()).unwrap()
}

/// The facts of the findings that are marked, or of those that are not.
fn facts(report: &Value, new: bool) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap().iter();
    let marked = findings.filter(|finding| (finding["new"] == true) == new);
    marked.map(|finding| finding["fact"].as_str().unwrap()).collect()
}

#[test]
fn a_finding_on_a_fact_that_the_older_contract_does_not_state_is_marked() {
    let ended = broken(&["--since", "old.yaml"]).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    let report = json(&ended);
    assert_eq!(facts(&report, true), ["getContacts /data/items/*/age: integer"]);
    assert_eq!(facts(&report, false), ["getVenues /data/items/*/country: present"]);
    assert_eq!(report["since"], "old.yaml");
    let headlines: Vec<_> = ended.stdout.lines().filter(|line| line.starts_with("error[")).collect();
    assert!(
        headlines
            .iter()
            .any(|line| line.contains("/age") && line.ends_with(" (new)")),
        "{headlines:?}"
    );
    assert!(
        headlines
            .iter()
            .any(|line| line.contains("/country") && !line.contains("(new)")),
        "{headlines:?}"
    );
    assert!(
        ended
            .stdout
            .contains("since     old.yaml: 2 new facts, 1 of them broken"),
        "{ended:?}"
    );
}

#[test]
fn nothing_is_marked_as_new_where_the_older_contract_states_the_same() {
    let ended = broken(&["--since", "same.yaml"]).file("same.yaml", CONTRACT).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(facts(&json(&ended), true).is_empty());
    assert!(
        ended
            .stdout
            .contains("since     same.yaml: 0 new facts, 0 of them broken"),
        "{ended:?}"
    );
    let ended = broken(&[]).run();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        !ended.stdout.contains("(new)") && !ended.stdout.contains("  since"),
        "{ended:?}"
    );
    assert_eq!(json(&ended).get("since"), None);
}

#[test]
fn an_older_contract_that_cannot_be_read_ends_in_2_before_anything_is_sent() {
    for (arguments, message) in [
        (
            &["--since", "absent.yaml"][..],
            "failed to read the older contract (--since) from `absent.yaml`",
        ),
        (&["--since", "bad.yaml"], "bad.yaml:1:1: "),
        (&["--since=--output=x:a.yaml"], "`--output=x` is not a revision"),
        (
            &["--since", "-", "--spec", "-"],
            "--spec and --since both name standard input",
        ),
        (
            &["--since", "old.yaml", "--report", "sarif=./old.yaml"],
            "which is the older contract `old.yaml`",
        ),
    ] {
        let ended = broken(arguments).file("bad.yaml", "greeting: hello\n").run();
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(ended.stderr.contains(message), "{ended:?}");
        assert!(!ended.path().join("report.json").exists());
    }
}
