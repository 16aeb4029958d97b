//! `countersign learn --overlay` writes what a ledger establishes, and `check --overlay` holds a service to it.

use std::path::Path;
use std::sync::LazyLock;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use serde_json::Value;

use super::support::{Ended, TOKEN, check, concerning, countersign};
use super::target::{Target, reference};
use crate::support::tried;

const LEDGER: &str = "ledger.jsonl";
const OVERLAY: &str = "overlay.yaml";

/// The text of a ledger in which two runs, two hours apart, indicate the same of this service. It is the reference
/// service, which one run asks for all tests.
fn established(url: &str) -> String {
    static LEARNED: LazyLock<(String, String)> = LazyLock::new(|| {
        let target = Target::sound();
        let url = target.url();
        let arguments = ["learn", "--seed", "1", "--writes", "--ledger", LEDGER, "--base-url"];
        let call = countersign(&[&arguments[..], &[&url]].concat());
        let ended = call.env("COUNTERSIGN_TOKEN", TOKEN).run();
        assert_eq!(ended.code, 0, "{ended:?}");
        let text = std::fs::read_to_string(ended.path().join(LEDGER)).unwrap();
        (url, text)
    });
    let (asked, text) = &*LEARNED;
    with_an_earlier_run(&text.replace(asked, url))
}

/// A ledger with another run before its own, two hours earlier, that answers the same.
pub(super) fn with_an_earlier_run(text: &str) -> String {
    let earlier = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let time: chrono::DateTime<chrono::Utc> = line["time"].as_str().unwrap().parse().unwrap();
        line["time"] = (time - chrono::TimeDelta::hours(2)).to_rfc3339().into();
        line["run"] = "cs-00000000-00000000".into();
        line.to_string() + "\n"
    });
    earlier.collect::<String>() + text
}

/// Writes the overlay of a ledger.
fn written(ledger: &str, arguments: &[&str]) -> Ended {
    let fixed = ["learn", "--ledger", LEDGER, "--overlay", OVERLAY];
    countersign(&[&fixed, arguments].concat()).file(LEDGER, ledger).run()
}

fn text(folder: &Path) -> String {
    std::fs::read_to_string(folder.join(OVERLAY)).unwrap()
}

#[test]
fn what_a_ledger_establishes_holds_of_the_service_and_a_change_of_it_is_a_warning() {
    let target = Target::sound();
    let ended = written(&established(&target.url()), &[]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    assert!(
        ended.stdout.starts_with("`overlay.yaml` states 47 answers"),
        "{}",
        ended.stdout
    );
    let overlay = text(ended.path());
    for value in [TOKEN, "Ada", "example.com", "North Hall", "Countersign-", "0000-4000"] {
        assert!(!overlay.contains(value), "{value}");
    }
    let judged = |overlay: &str, arguments: &[&str]| {
        let fixed = ["--writes", "--overlay", OVERLAY];
        check(&target.url(), &[&fixed, arguments].concat())
            .file(OVERLAY, overlay)
            .report()
    };
    let of_overlay = |report: &Value, verdict: &str| {
        let facts = report["facts"]["rows"].as_array().unwrap().iter();
        let of_rule = facts.filter(|fact| fact["rule"] == "changed-answer");
        of_rule.filter(|fact| fact["verdict"] == verdict).count()
    };
    let (ended, report) = judged(&overlay, &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(report["findings"].as_array().unwrap().len(), 0, "{ended:?}");
    assert_eq!(of_overlay(&report, "held"), 40);
    let status = r#""operation": "getTags", "claim": {"status": 200}"#;
    let number = overlay.lines().position(|line| line.contains(status)).unwrap() + 1;
    let changed = overlay.replace(status, r#""operation": "getTags", "claim": {"status": 206}"#);
    let (ended, report) = judged(&changed, &concerning("getTags"));
    assert_eq!(ended.code, 0, "{ended:?}");
    // The changed one is one of four of that operation.
    let others = tried(3, 39);
    assert_eq!(
        (of_overlay(&report, "held"), of_overlay(&report, "broken")),
        (others, 1)
    );
    let place = format!("overlay.yaml:{number}:");
    assert!(ended.stdout.contains("warning[changed-answer]"), "{}", ended.stdout);
    assert!(ended.stdout.contains(&place), "{place}: {}", ended.stdout);
    assert!(ended.stdout.contains("received: status: 200"), "{}", ended.stdout);
    let line = "--overlay 'overlay.yaml' --only 'getTags'";
    assert!(ended.stdout.contains(line), "{}", ended.stdout);
    let (ended, _) = judged(&changed, &["--deny", "changed-answer", "--only", "getTags"]);
    assert_eq!(ended.code, 1, "{ended:?}");
}

#[test]
fn the_overlay_of_a_target_in_the_configuration_is_beside_it_and_learn_leaves_it_alone() {
    let target = Target::sound();
    let ledger = established(&target.url());
    let overlay = text(written(&ledger, &[]).path());
    let config = format!(
        "[targets.here]\nbase_url = \"{}\"\noverlay = \"known/{OVERLAY}\"\n",
        target.url()
    );
    let call = |arguments: &[&str]| {
        let call = countersign(arguments).env("COUNTERSIGN_TOKEN", TOKEN);
        let call = call
            .file("countersign.toml", &config)
            .folder("known")
            .folder("below")
            .file(LEDGER, &ledger);
        call.file(&format!("known/{OVERLAY}"), &overlay).within("below")
    };
    let ended = call(&["check", "--target", "here", "--report", "json=r.json"]).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    let report: Value = serde_json::from_slice(&std::fs::read(ended.path().join("below/r.json")).unwrap()).unwrap();
    let facts = report["facts"]["rows"].as_array().unwrap().iter();
    assert_eq!(facts.filter(|fact| fact["rule"] == "changed-answer").count(), 47);
    let ended = call(&["learn", "--target", "here", "--seed", "1"]).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(text(&ended.path().join("known")), overlay);
    // The overlay that it writes may be the one that a check is to read.
    let path = format!("known/{OVERLAY}");
    let call = countersign(&["learn", "--target", "here", "--ledger", LEDGER, "--overlay", &path]);
    let call = call.env("COUNTERSIGN_TOKEN", TOKEN).file("countersign.toml", &config);
    let ended = call.folder("known").file(LEDGER, &ledger).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.path().join(&path).exists(), "{ended:?}");
    // A target that is only configured is not asked for what the ledger knows.
    let default = format!("default_target = \"here\"\n{config}");
    let call = countersign(&["learn", "--ledger", LEDGER, "--overlay", OVERLAY]);
    let ended = call.file("countersign.toml", default).file(LEDGER, &ledger).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(std::fs::read_to_string(ended.path().join(LEDGER)).unwrap(), ledger);
}

#[test]
fn a_file_that_is_there_is_not_replaced() {
    let target = Target::sound();
    let ledger = established(&target.url());
    let call = countersign(&["learn", "--ledger", LEDGER, "--overlay", OVERLAY]);
    let ended = call.file(LEDGER, ledger).file(OVERLAY, "reviewed").run();
    assert!(
        ended.is_one_error(2).contains("somebody may have reviewed it"),
        "{ended:?}"
    );
    assert_eq!(text(ended.path()), "reviewed");
    for (ledger, report) in [("same", "terminal"), (LEDGER, "json=overlay.yaml")] {
        let url = target.url();
        let overlay = if ledger == "same" { ledger } else { OVERLAY };
        let ended = countersign(&[
            "learn", "--base-url", &url, "--ledger", ledger, "--overlay", overlay, "--report", report,
        ])
        .env("COUNTERSIGN_TOKEN", TOKEN)
        .run();
        assert!(ended.is_one_error(2).contains("name another file"), "{ended:?}");
        assert!(ended.files().is_empty(), "{:?}", ended.files());
    }
}

#[test]
fn what_is_not_established_is_no_answer_and_no_success() {
    let target = Target::sound();
    let ledger = established(&target.url());
    let once: String = ledger
        .lines()
        .take(ledger.lines().count() / 2)
        .map(|line| line.to_owned() + "\n")
        .collect();
    let ended = written(&once, &[]);
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("at least an hour apart"), "{}", ended.stdout);
    assert!(text(ended.path()).contains("\nactions:\n  - {target: $, update: {}}\n\n# "));
    let one_gap = written(&ledger, &["--gap", "page-size"]);
    assert!(one_gap.stdout.contains("states 4 answers"), "{one_gap:?}");
    let empty = written("", &[]);
    assert_eq!(empty.code, 3, "{empty:?}");
    let report = written(&ledger, &["--report", "json=r.json"]);
    assert!(report.is_one_error(2).contains("which sends nothing"), "{report:?}");
    assert_eq!(report.files(), [LEDGER]);
}

#[test]
fn a_run_that_asks_writes_what_it_establishes_with_the_ledger() {
    let target = Target::sound();
    let ledger = established(&target.url());
    let first: String = ledger
        .lines()
        .take(ledger.lines().count() / 2)
        .map(|line| line.to_owned() + "\n")
        .collect();
    let ended = countersign(&[
        "learn",
        "--seed",
        "1",
        "--base-url",
        &target.url(),
        "--ledger",
        LEDGER,
        "--overlay",
        OVERLAY,
    ])
    .env("COUNTERSIGN_TOKEN", TOKEN)
    .file(LEDGER, first)
    .run();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stderr.contains("`overlay.yaml` states"), "{}", ended.stderr);
    // Without writes, only what reads show was seen again.
    let overlay = text(ended.path());
    let actions = overlay.split("\n# ").next().unwrap();
    assert!(
        actions.contains("getTags") && !actions.contains("updateContact"),
        "{actions}"
    );
}

#[test]
fn what_cannot_be_written_or_chosen_is_told_before_anything_is_sent() {
    let nobody = Target::serve(reference().layer(from_fn(async |_: Request, _: Next| StatusCode::IM_A_TEAPOT)));
    let ledger = established(&Target::sound().url());
    let url = nobody.url();
    for (arguments, code, expected) in [
        (&["--overlay", OVERLAY][..], 2, "give --ledger"),
        (&["--ledger", LEDGER, "--of", "embedded"], 2, "leave it out"),
        (
            &["--ledger", LEDGER, "--overlay", "no/overlay.yaml"],
            4,
            "no/overlay.yaml",
        ),
        (&["--ledger", LEDGER, "--overlay", "."], 2, "already exists"),
        (&["--ledger", LEDGER, "--overlay", "-"], 2, "name one for --overlay"),
        (
            &["--ledger", LEDGER, "--overlay", OVERLAY, "--gap", "gendr-values"],
            2,
            "did you mean",
        ),
    ] {
        let fixed = ["learn", "--base-url", &url];
        let call = countersign(&[&fixed, arguments].concat()).env("COUNTERSIGN_TOKEN", TOKEN);
        let ended = call.file(LEDGER, &ledger).run();
        assert!(ended.is_one_error(code).contains(expected), "{arguments:?}: {ended:?}");
        assert_eq!(ended.files(), [LEDGER], "{arguments:?}");
    }
    let both = ledger.clone() + &ledger.replace("http://127.0.0.1", "https://other.example.com");
    assert!(written(&both, &[]).is_one_error(2).contains("choose one with --of"));
    let other = both
        .lines()
        .find_map(|line| Some(line.split_once("https://other.")?.1.split_once('"')?.0));
    let one = written(&both, &["--of", &format!("https://other.{}", other.unwrap())]);
    assert_eq!(one.code, 0, "{one:?}");
    assert!(
        text(one.path()).contains("x-target: \"https://other.example.com"),
        "{}",
        text(one.path())
    );
}

#[test]
fn an_answer_that_was_accepted_is_accepted_of_every_overlay_and_without_one() {
    let target = Target::sound();
    let ledger = established(&target.url());
    let overlay = text(written(&ledger, &["--gap", "page-size"]).path());
    let config = format!("[targets.here]\nbase_url = \"{}\"\n", target.url());
    let accepting = |overlay: &str, config: &str, arguments: &[&str]| {
        let call = countersign(&[&["check", "--target", "here", "--deny", "changed-answer"], arguments].concat());
        let call = call.env("COUNTERSIGN_TOKEN", TOKEN).file(OVERLAY, overlay);
        call.file("countersign.toml", config).run()
    };
    let changed = overlay.replace("{\"per_page\": 10}", "{\"per_page\": 17}");
    let ended = accepting(&changed, &config, &["--overlay", OVERLAY, "--accept"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let written = std::fs::read_to_string(ended.path().join("countersign.toml")).unwrap();
    let reviewed = written.replace("reason = \"\"", "reason = \"known\"");
    assert_ne!(written, reviewed);
    for (overlay, arguments) in [
        (changed.replace("17", "18"), &["--overlay", OVERLAY][..]),
        (overlay.clone(), &["--overlay", OVERLAY]),
        (overlay, &[]),
    ] {
        let ended = accepting(&overlay, &reviewed, arguments);
        assert_eq!(ended.code, 0, "{ended:?}");
    }
}
