//! The JSON report of runs that end in each outcome.

use std::collections::BTreeSet;

use super::support::{check, concerning, countersign};
use super::target::Target;
use crate::support::sampled;

#[test]
fn a_run_that_conforms_reports_every_fact_once() {
    let (ended, report) = countersign(&["check", "--seed", "1"]).report();
    assert_eq!((ended.code, &report["outcome"]), (0, &"conforms".into()));
    let facts = &report["facts"];
    let rows = facts["rows"].as_array().unwrap();
    assert_eq!(rows.len(), facts["total"]);
    let names: BTreeSet<_> = rows.iter().map(|row| row["fact"].as_str().unwrap()).collect();
    assert_eq!(names.len(), rows.len());
    for row in rows {
        assert_eq!(row["verdict"] == "undecided", row["reason"].is_string(), "{row}");
    }
    for verdict in ["held", "broken", "undecided"] {
        let counted = rows.iter().filter(|row| row["verdict"] == verdict).count();
        assert_eq!(facts[verdict], counted, "{verdict}");
    }
}

#[test]
fn a_run_with_writes_reports_its_run_tag() {
    let target = Target::sound();
    let call = check(
        &target.url(),
        &["--writes", "--only", "createTag", "--residue", "left.jsonl"],
    );
    let (ended, report) = call.report();
    let log = std::fs::read_to_string(ended.path().join("left.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(report["run_tags"], serde_json::json!([first["run"]]));
    let (_, report) = check(&target.url(), &["--only", "getTags"]).report();
    assert_eq!(report["run_tags"], serde_json::json!([]));
}

#[test]
fn a_finding_points_into_the_response_and_into_the_contract() {
    let target = Target::changed("/venues", |body| {
        // A page beyond the last is empty.
        if let Some(first) = body["data"]["items"].get_mut(0) {
            first.as_object_mut().unwrap().remove("country");
        }
    });
    let (ended, report) = check(&target.url(), &[]).report();
    assert_eq!((ended.code, &report["outcome"]), (1, &"does-not-conform".into()));
    assert_eq!(report["target"], target.url());
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{ended:?}");
    let finding = &findings[0];
    assert_eq!(
        (&finding["rule"], &finding["level"]),
        (&"missing-field".into(), &"deny".into())
    );
    assert_eq!(finding["operation"], "getVenues");
    assert_eq!(finding["response_pointer"], "/data/items/0/country");
    assert_eq!(
        finding["contract_pointer"],
        "/components/schemas/Venue/properties/country"
    );
    let line = usize::try_from(finding["contract_line"].as_u64().unwrap()).unwrap();
    let document = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.yaml"));
    assert_eq!(document.lines().nth(line - 1).unwrap().trim(), "country:");
    let reproduce = finding["reproduce"].as_str().unwrap();
    assert!(
        reproduce.contains("$COUNTERSIGN_TOKEN") && reproduce.contains(&target.url()),
        "{reproduce}"
    );
}

#[test]
fn a_level_that_the_user_sets_decides_the_outcome() {
    let target = Target::changed("/venues", |body| {
        // A page beyond the last is empty.
        if let Some(first) = body["data"]["items"].get_mut(0) {
            first.as_object_mut().unwrap().remove("country");
        }
    });
    for (flag, code, findings) in [("--deny", 1, 1), ("--warn", 0, 1), ("--allow", 0, 0)] {
        let arguments = [&[flag, "missing-field"][..], &concerning("getVenues")].concat();
        let (ended, report) = check(&target.url(), &arguments).report();
        assert_eq!(ended.code, code, "{flag}");
        assert_eq!(report["findings"].as_array().unwrap().len(), findings, "{flag}");
        assert_eq!(report["facts"]["broken"], 1, "{flag}");
    }
}

#[test]
fn a_run_that_may_not_write_says_so_of_what_needs_it() {
    let target = Target::sound();
    let (ended, report) = check(&target.url(), &[]).report();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(report["requests"]["writes"], 0);
    assert_eq!(report["residue"].as_array().unwrap().len(), 0);
    let rows = report["facts"]["rows"].as_array().unwrap();
    let of_create = |row: &&serde_json::Value| row["fact"].as_str().unwrap().starts_with("createContact ");
    assert!(rows.iter().filter(of_create).count() > 50);
    for row in rows.iter().filter(of_create) {
        assert_eq!(
            (&row["verdict"], &row["reason"]),
            (&"undecided".into(), &"needs writes, which are off".into())
        );
    }
}

#[test]
fn a_run_with_writes_lists_what_it_left() {
    let target = Target::sound();
    let (ended, report) = check(&target.url(), &["--writes"]).report();
    assert_eq!(ended.code, 0, "{ended:?}");
    let residue = report["residue"].as_array().unwrap();
    assert!(
        residue
            .iter()
            .all(|left| left["id"].is_string() && left["answered"] == true)
    );
    let operations: BTreeSet<_> = residue.iter().map(|left| left["operation"].as_str().unwrap()).collect();
    assert_eq!(
        operations.into_iter().collect::<Vec<_>>(),
        ["createContact", "createContactMethod", "createTag", "createVisit"]
    );
}

#[test]
fn no_more_is_left_than_max_writes_allows() {
    let target = Target::sound();
    for most in sampled(2, [0, 1, 3]) {
        let (_, report) = check(&target.url(), &["--writes", "--max-writes", &most.to_string()]).report();
        assert_eq!(report["residue"].as_array().unwrap().len(), most);
    }
}
