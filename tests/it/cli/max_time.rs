//! `--max-time`: a run ends in time whatever its target does, could not judge, and reports what was judged so far.

use std::io::Write as _;

use serde_json::Value;

use super::interruption::stalling;
use super::stub::{Stub, json, sound};
use super::support::{Ended, check, concerning, countersign};
use super::target::Target;

/// A target that asks for an hour before each response of the tags, says nonsense of the venues, and is sound
/// elsewhere.
fn throttling() -> Stub {
    Stub::start(|request, stream| {
        let later =
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        let response = if !request.authorized() {
            sound(request)
        } else if request.head.contains("/tags") {
            later.to_owned()
        } else if request.head.contains("/venues") {
            json("200 OK", "[]")
        } else {
            sound(request)
        };
        stream.write_all(response.as_bytes())
    })
}

#[track_caller]
fn is_over(ended: &Ended, report: &Value, seconds: &str) {
    assert_eq!(ended.code, 3, "{ended:?}");
    assert_eq!(report["outcome"], "could-not-judge");
    let reason = report["reason"].as_str().unwrap();
    assert!(reason.contains(&format!("within {seconds} s (max-time);")), "{reason}");
    assert!(ended.stdout.contains(reason), "{ended:?}");
}

#[test]
fn a_target_that_throttles_without_end_is_left_with_what_was_judged() {
    let target = throttling();
    let (ended, report) = check(&target.url(), &["--max-time", "4"]).report();
    is_over(&ended, &report, "4");
    assert!(report["facts"]["held"].as_u64().unwrap() > 10, "{ended:?}");
    // A finding is listed, and the run could not judge all the same.
    let findings = report["findings"].as_array().unwrap();
    assert!(
        findings
            .iter()
            .any(|finding| finding["operation"] == "getVenues" && finding["level"] == "deny"),
        "{ended:?}"
    );
    let tags = |request: &&super::stub::Received| request.authorized() && request.head.contains("/tags");
    let asked = target.received().iter().filter(tags).count();
    assert_eq!(asked, 1, "the time was over before the target was asked again");
}

#[test]
fn a_write_under_way_when_the_time_is_over_may_be_left() {
    let (target, _came) = stalling("POST");
    let arguments = ["--writes", "--timeout", "60", "--max-time", "3", "--residue", "residue"];
    let (ended, report) = check(&target.url(), &arguments).report();
    is_over(&ended, &report, "3");
    let sent = target
        .received()
        .iter()
        .filter(|request| request.is("POST") && request.authorized())
        .count();
    let residue = report["residue"].as_array().unwrap();
    assert_eq!(residue.len(), sent, "{ended:?}");
    assert!(residue.iter().all(|left| left["answered"] == false));
    let account = std::fs::read_to_string(ended.path().join("residue")).unwrap();
    assert_eq!(account.matches("\"intended\"").count(), sent, "{account}");
}

#[test]
fn waiting_for_the_target_to_come_up_has_a_time_of_its_own() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let came = AtomicUsize::new(0);
    let target = Stub::start(move |request, stream| {
        let early = came.fetch_add(1, Ordering::SeqCst) < 3;
        let response = if early {
            json("503 Service Unavailable", "{}")
        } else {
            sound(request)
        };
        stream.write_all(response.as_bytes())
    });
    // The pauses between the tries alone are longer than the run may take.
    let (ended, report) = check(&target.url(), &["--wait", "60", "--max-time", "0.001"]).report();
    is_over(&ended, &report, "0.001");
    assert!(ended.stderr.contains("waiting for the target"), "{ended:?}");
    assert!(
        target.received().len() >= 4,
        "three tries, and the one that was answered"
    );
}

#[test]
fn the_file_sets_it_and_the_flag_goes_before() {
    let target = throttling();
    let config = "[check]\npace.max_time = 0.001\n";
    let (ended, report) = check(&target.url(), &[]).file("countersign.toml", config).report();
    is_over(&ended, &report, "0.001");
    let (ended, report) = check(&target.url(), &["--max-time", "0.002"])
        .file("countersign.toml", config)
        .report();
    is_over(&ended, &report, "0.002");
}

#[test]
fn a_run_that_is_done_in_time_is_judged() {
    let arguments = ["check", "--seed", "1", "--max-time", "86400"];
    let (ended, report) = countersign(&[&arguments[..], &concerning("getTags")].concat()).report();
    assert_eq!((ended.code, &report["outcome"]), (0, &"conforms".into()), "{ended:?}");
}

#[test]
fn a_shard_whose_time_was_over_keeps_the_whole_from_being_green() {
    let target = Target::sound();
    let shard = |number: &str, more: &[&str]| {
        let arguments = ["--shard", number, "--report", "json=shard.json"];
        let ended = check(&target.url(), &[&arguments, more].concat()).run();
        std::fs::read(ended.path().join("shard.json")).unwrap()
    };
    let (first, second) = (shard("1/2", &["--max-time", "0.001"]), shard("2/2", &[]));
    let call = countersign(&["merge", "1.json", "2.json"])
        .file("1.json", first)
        .file("2.json", second);
    let (ended, report) = call.report();
    assert_eq!(
        (ended.code, &report["outcome"]),
        (3, &"could-not-judge".into()),
        "{ended:?}"
    );
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.contains("shard 1: the run did not finish within 0.001 s (max-time)"),
        "{reason}"
    );
}
