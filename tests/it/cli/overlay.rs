//! `check --overlay`: what was learned about a service holds, or is a warning where the service no longer does so.

use std::io::Write as _;

use serde_json::Value;

use super::stub::{Stub, sound};
use super::support::{Call, TOKEN, check, concerning, countersign};
use super::target::Target;

const CONTRACT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.yaml"));

/// An overlay that states the success status of an operation, with its claim on line 9.
fn overlay(path: &str, method: &str, operation: &str, claim: &str) -> String {
    format!(
        "overlay: 1.0.0
info: {{title: What was learned, version: '1'}}
actions:
  - target: \"$.paths['/organization/v1/{path}'].{method}.responses['2XX']\"
    update:
      x-answers:
        - gap: success-status
          operation: {operation}
          claim: {claim}
"
    )
}

fn of_create(claim: &str) -> String {
    overlay("contact-database", "post", "createContact", claim)
}

fn of_list(claim: &str) -> String {
    overlay("tags", "get", "getTags", claim)
}

/// A check of the embedded service with an overlay.
fn embedded(overlay: &str, arguments: &[&str]) -> Call {
    let fixed = ["check", "--seed", "1", "--settle", "0", "--overlay", "known.yaml"];
    countersign(&[&fixed, arguments].concat()).file("known.yaml", overlay)
}

/// The findings of `changed-answer`.
fn changed(report: &Value) -> Vec<&Value> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings.filter(|finding| finding["rule"] == "changed-answer").collect()
}

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

#[test]
fn what_the_service_still_does_is_a_fact_that_holds() {
    for arguments in [&[][..], &["--spec", "contract.yaml"]] {
        let arguments = [&concerning("createContact")[..], arguments].concat();
        let call = embedded(&of_create("{status: 201}"), &arguments).file("contract.yaml", CONTRACT);
        let (ended, report) = call.report();
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(changed(&report).is_empty(), "{ended:?}");
        let rows = report["facts"]["rows"].as_array().unwrap();
        let stated = rows
            .iter()
            .find(|row| row["fact"] == "createContact success-status at /responses/2XX: as learned");
        assert_eq!(stated.unwrap()["verdict"], "held");
    }
}

#[test]
fn what_the_service_no_longer_does_is_a_warning_at_the_line_of_the_overlay() {
    let (ended, report) = embedded(&of_create("{status: 206}"), &concerning("createContact")).report();
    assert_eq!(ended.code, 0, "{ended:?}");
    let found = changed(&report);
    assert_eq!(found.len(), 1, "{ended:?}");
    assert_eq!(found[0]["level"], "warn");
    assert_eq!(found[0]["contract_file"], "known.yaml");
    assert_eq!(found[0]["contract_line"], 9);
    assert_eq!(found[0]["documented"], "status: 206");
    assert_eq!(found[0]["received"], "status: 201");
    says(
        &ended.stdout,
        &[
            "warning[changed-answer]",
            "--> known.yaml:9:11",
            " learned: status: 206",
        ],
    );
    let denied = [&concerning("createContact")[..], &["--deny", "changed-answer"]].concat();
    assert_eq!(embedded(&of_create("{status: 206}"), &denied).run().code, 1);
}

#[test]
fn the_line_that_reproduces_a_changed_answer_does() {
    let target = Target::sound();
    let call = |arguments: &[&str]| {
        let call = countersign(arguments).env("COUNTERSIGN_TOKEN", TOKEN);
        call.file("known.yaml", of_list("{status: 206}")).report()
    };
    let (ended, report) = call(&[
        "check",
        "--only",
        "getTags",
        "--base-url",
        &target.url(),
        "--overlay",
        "known.yaml",
    ]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let line = changed(&report)[0]["reproduce"].as_str().unwrap().to_owned();
    let words: Vec<_> = line.split(' ').map(|word| word.trim_matches('\'')).collect();
    let (again, report) = call(&words[1..]);
    assert_eq!(changed(&report).len(), 1, "{line}: {again:?}");
}

#[test]
fn an_overlay_that_cannot_be_applied_is_reported_by_its_line_before_anything_is_sent() {
    let target = Stub::start(|request, stream| stream.write_all(sound(request).as_bytes()));
    for (overlay, parts) in [
        (
            overlay("tag", "get", "getTags", "{status: 200}"),
            &[
                "known.yaml:4:5 (/actions/0/target)",
                "selects nothing in `",
                "openapi.yaml`",
            ][..],
        ),
        (
            of_list("{status: many}"),
            &[
                "known.yaml:9:11 (/paths/",
                "/x-answers/0/claim)",
                "write it as `{\"status\": 201}`",
            ],
        ),
        (
            of_list("{per_page: 10}"),
            &["known.yaml:9:11 (/paths/", "not a claim about `success-status`"],
        ),
        (
            of_list("{status: 200}").replace("getTags", "getTag"),
            &["known.yaml:7:11 (/paths/", "did you mean `getTags`?"],
        ),
        ("actions: []\n".to_owned(), &["known.yaml:1:1", "not an overlay"]),
    ] {
        for spec in [&[][..], &["--spec", "openapi.yaml"]] {
            let arguments = [&["--overlay", "known.yaml"], spec].concat();
            let call = check(&target.url(), &arguments).file("known.yaml", &overlay);
            let ended = call.file("openapi.yaml", CONTRACT).run();
            says(ended.is_one_error(2), parts);
        }
        for command in ["plan", "config"] {
            let call = countersign(&[command, "--overlay", "known.yaml"]).file("known.yaml", &overlay);
            assert_eq!(call.run().code, 2, "{command}");
        }
    }
    for (arguments, part) in [
        (["--overlay", "absent.yaml"], "the overlay from `absent.yaml`"),
        (
            ["--overlay=-", "--spec=-"],
            "--spec and --overlay both name standard input",
        ),
        (
            ["--overlay=-", "--since=-"],
            "--overlay and --since both name standard input",
        ),
    ] {
        says(check(&target.url(), &arguments).run().is_one_error(2), &[part]);
    }
    assert_eq!(target.received().len(), 0);
}

#[test]
fn the_overlay_of_a_target_is_beside_the_configuration() {
    let target = Target::sound();
    let config = format!(
        "[targets.staging]\nbase_url = \"{}\"\noverlay = \"known.yaml\"\n",
        target.url()
    );
    let call = |arguments: &[&str]| {
        let named = ["--config", "shared/own.toml", "--target", "staging"];
        countersign(&[arguments, &named].concat())
            .env("COUNTERSIGN_TOKEN", TOKEN)
            .folder("shared")
            .file("shared/own.toml", &config)
            .file("shared/known.yaml", of_list("{status: 206}"))
    };
    let (ended, report) = call(&["check", "--only", "getTags"]).report();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(changed(&report)[0]["contract_file"], "shared/known.yaml");
    let shown = call(&["config", "--json"]).run();
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    let overlay = &shown["settings"]["overlay"];
    assert_eq!(overlay["value"], "shared/known.yaml");
    assert_eq!(overlay["origin"], "shared/own.toml:3");
    // A flag takes precedence, and is relative to the working directory.
    let flag =
        call(&["check", "--only", "getTags", "--overlay", "own.yaml"]).file("own.yaml", of_list("{status: 200}"));
    let (ended, report) = flag.report();
    assert!(changed(&report).is_empty(), "{ended:?}");
}

#[test]
fn an_older_contract_is_compared_without_the_overlay() {
    let arguments = ["--only", "getTags", "--since", "old.yaml"];
    let call = embedded(&of_list("{status: 206}"), &arguments).file("old.yaml", CONTRACT);
    let (ended, report) = call.report();
    assert_eq!(changed(&report).len(), 1, "{ended:?}");
    says(&ended.stdout, &["since     old.yaml: 0 new facts, 0 of them broken"]);
}
