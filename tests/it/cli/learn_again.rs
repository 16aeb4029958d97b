//! `countersign learn --ledger` again: what the ledger settles is not asked, at most 60 requests are sent, and at most
//! four records are left. What is sent is counted by the service.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use countersign::service::{self, Profile, ProfileSetting, Service, StoreUrl};
use serde_json::Value;
use tokio::runtime::Runtime;
use tower::ServiceExt as _;

use super::established::with_an_earlier_run;
use super::support::{Ended, TOKEN, concerning, countersign};
use super::target::{Target, reference};

const LEDGER: &str = "ledger.jsonl";
const OVERLAY: &str = "overlay.yaml";

/// The reference service with a count of the requests that it gets.
struct Counted {
    service: Router,
    target: Target,
    requests: Arc<AtomicUsize>,
}

impl Counted {
    fn new() -> Self {
        Self::of(reference())
    }

    fn of(service: Router) -> Self {
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        let count = move |request: Request, next: Next| {
            counted.fetch_add(1, Ordering::Relaxed);
            next.run(request)
        };
        let target = Target::serve(service.clone().layer(from_fn(count)));
        Self {
            service,
            target,
            requests,
        }
    }

    /// How many contacts, contact methods, visits and tags the service has.
    fn records(&self) -> usize {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let lists = ["contact-database", "visits", "tags"];
        let counts = lists.map(|list| runtime.block_on(count(&self.service, list)));
        counts.into_iter().sum()
    }

    /// Learns with a ledger. Returns how it ended, how many requests came, and how many records were added.
    fn learn(&self, ledger: &str, arguments: &[&str]) -> (Ended, usize, usize) {
        let (requests, records) = (self.requests.load(Ordering::Relaxed), self.records());
        let url = self.target.url();
        let fixed = [
            "learn", "--seed", "3", "--writes", "--ledger", LEDGER, "--base-url", &url,
        ];
        let call = countersign(&[&fixed, arguments].concat()).env("COUNTERSIGN_TOKEN", TOKEN);
        let ended = call.file(LEDGER, ledger.replace("SERVICE", &url)).run();
        let sent = self.requests.load(Ordering::Relaxed) - requests;
        let added = self.records() - records;
        (ended, sent, added)
    }
}

/// How many records a list shows, with those inside its items.
async fn count(service: &Router, list: &str) -> usize {
    let mut count = 0;
    for page in 1.. {
        let uri = format!("/organization/v1/{list}?page={page}");
        let request = Request::builder()
            .uri(uri)
            .header(AUTHORIZATION, format!("Bearer {TOKEN}"));
        let response = service
            .clone()
            .oneshot(request.body(Body::empty()).unwrap())
            .await
            .unwrap();
        let body: Value = serde_json::from_slice(&to_bytes(response.into_body(), usize::MAX).await.unwrap()).unwrap();
        let items = body["data"]["items"].as_array().unwrap();
        if items.is_empty() {
            break;
        }
        let inner = items.iter().filter_map(|item| item["contact_methods"].as_array());
        count += items.len() + inner.map(Vec::len).sum::<usize>();
    }
    count
}

/// A ledger in which two runs, two hours apart, indicate the same of the service `SERVICE`. One run asks for all tests.
fn established() -> &'static str {
    static LEARNED: LazyLock<String> = LazyLock::new(|| {
        let counted = Counted::new();
        let (ended, _, _) = counted.learn("", &[]);
        assert_eq!(ended.code, 0, "{ended:?}");
        let text = std::fs::read_to_string(ended.path().join(LEDGER)).unwrap();
        with_an_earlier_run(&text.replace(&counted.target.url(), "SERVICE"))
    });
    &LEARNED
}

/// Edits each line of a ledger, or takes it out.
fn edited(ledger: &str, edit: impl Fn(&mut Value) -> bool) -> String {
    let lines = ledger.lines().filter_map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        edit(&mut line).then(|| line.to_string() + "\n")
    });
    lines.collect()
}

/// A ledger in which the earlier run is older by so many days, as far as it is about this gap.
fn aged(gap: &str, days: i64) -> String {
    edited(established(), |line| {
        if line["gap"] == gap && line["run"] == "cs-00000000-00000000" {
            let time: chrono::DateTime<chrono::Utc> = line["time"].as_str().unwrap().parse().unwrap();
            line["time"] = (time - chrono::TimeDelta::days(days)).to_rfc3339().into();
        }
        true
    })
}

/// The lines that a run has added to a ledger.
fn added(folder: &Path, before: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(LEDGER)).unwrap();
    let lines = text.lines().skip(before.lines().count());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The gaps that a run asked about in trials.
fn asked(folder: &Path, before: &str) -> BTreeSet<String> {
    let lines = added(folder, before).into_iter();
    let trials = lines.filter(|line| line.get("probe").is_some());
    trials.map(|line| line["gap"].as_str().unwrap().to_owned()).collect()
}

/// What the ledger knows: of each answer what it is about, what it claims and how well that is known.
fn known(ledger: &str) -> BTreeSet<String> {
    let ended = countersign(&["gaps", "--json", "--ledger", LEDGER])
        .file(LEDGER, ledger)
        .run();
    let answers: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
    // Times differ from run to run, and so does the rate that passed.
    let measured = ["latency", "created-listed-when", "rate-limits"];
    let answers = answers
        .iter()
        .filter(|answer| !measured.contains(&answer["gap"].as_str().unwrap()));
    let parts = ["gap", "operation", "place", "state", "claim"];
    answers
        .map(|answer| parts.map(|part| answer[part].to_string()).join(" "))
        .collect()
}

#[test]
fn a_later_run_asks_nothing_that_is_settled_and_knows_the_same() {
    let counted = Counted::new();
    let (ended, sent, records) = counted.learn(established(), &["--overlay", OVERLAY, "--report", "json=r.json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(sent <= 60 && records <= 4, "{sent} requests, {records} records");
    assert!(sent > 20, "{sent} requests");
    assert_eq!(asked(ended.path(), established()), BTreeSet::new());
    let url = counted.target.url();
    let before = known(&established().replace("SERVICE", &url));
    let after = std::fs::read_to_string(ended.path().join(LEDGER)).unwrap();
    assert_eq!(known(&after), before);
    let report = ended.json("r.json");
    let states = report["answers"].as_array().unwrap().iter();
    assert_eq!(states.filter(|answer| answer["state"] == "established").count(), 47);
    assert!(
        ended.stderr.contains("`overlay.yaml` states 47 answers"),
        "{}",
        ended.stderr
    );
    let note = "not asked again, because the ledger settles them for another week: ";
    assert!(
        ended.stderr.contains(note) && ended.stderr.contains("gender-values"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_later_run_reads_no_more_of_lists_with_many_pages() {
    let profile = Profile::of(&[ProfileSetting::parse("page-size=1").unwrap()]).unwrap();
    let service = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile);
    let counted = Counted::of(service::app(Runtime::new().unwrap().block_on(service).unwrap()));
    let (first, sent, _) = counted.learn("", &[]);
    assert!(sent <= 400, "{sent} requests");
    let ledger = with_an_earlier_run(&std::fs::read_to_string(first.path().join(LEDGER)).unwrap());
    let (later, sent, records) = counted.learn(&ledger, &["--report", "json=r.json"]);
    assert!(sent <= 60 && records <= 4, "{sent} requests, {records} records");
    let report = later.json("r.json");
    assert_eq!(report["looked_through"], "whole");
}

#[test]
fn what_records_leave_open_is_asked_later_and_then_a_run_costs_little() {
    // So many creates are accepted that the first run may not ask about all of them.
    let profile = Profile::of(&[ProfileSetting::parse("required-fields=least").unwrap()]).unwrap();
    let service = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile);
    let counted = Counted::of(service::app(Runtime::new().unwrap().block_on(service).unwrap()));
    let mut ledger = String::new();
    for _ in 0..2 {
        let (ended, sent, _) = counted.learn(&ledger, &[]);
        assert!(sent <= 400, "{sent} requests");
        ledger = with_an_earlier_run(&std::fs::read_to_string(ended.path().join(LEDGER)).unwrap());
    }
    let (_, sent, records) = counted.learn(&ledger, &[]);
    assert!(sent <= 60 && records <= 4, "{sent} requests, {records} records");
}

#[test]
fn what_is_not_settled_is_asked_and_nothing_else() {
    let without = |gap: &str, operation: &str| {
        edited(established(), |line| {
            (&line["gap"], &line["operation"]) != (&gap.into(), &operation.into())
        })
    };
    for (ledger, gap) in [
        (without("gender-values", "updateContact"), "gender-values"),
        (without("page-beyond-last", "getTags"), "page-beyond-last"),
        (aged("dob-format", 24), "dob-format"),
    ] {
        let (ended, sent, records) = Counted::new().learn(&ledger, &[]);
        assert_eq!(asked(ended.path(), &ledger), BTreeSet::from([gap.to_owned()]));
        assert!(sent <= 90 && records <= 4, "{gap}: {sent} requests, {records} records");
        let again = added(ended.path(), &ledger).into_iter();
        let mut again = again.filter(|line| line["gap"] == gap && line.get("state").is_some());
        assert!(again.any(|line| line["state"] == "indicated"), "{gap}");
    }
    let ledger = aged("dob-format", 22);
    let (ended, ..) = Counted::new().learn(&ledger, &[]);
    assert_eq!(asked(ended.path(), &ledger), BTreeSet::new());
}

#[test]
fn what_ordinary_responses_leave_open_takes_controls_without_a_question() {
    let ledger = edited(established(), |line| {
        (&line["gap"], &line["operation"]) != (&"success-status".into(), &"getTags".into())
    });
    let (ended, ..) = Counted::new().learn(&ledger, &[]);
    assert_eq!(asked(ended.path(), &ledger), BTreeSet::new());
    let indicated = |operation: &str| {
        let lines = added(ended.path(), &ledger).into_iter();
        let mut of_it = lines.filter(|line| line["gap"] == "success-status" && line["operation"] == operation);
        of_it.any(|line| line["state"] == "indicated")
    };
    assert!(indicated("getTags") && !indicated("getVisits"));
}

#[test]
fn a_create_is_asked_again_if_something_about_it_is_open() {
    let ledger = edited(established(), |line| {
        (&line["gap"], &line["operation"]) != (&"required-fields".into(), &"createTag".into())
    });
    let (ended, ..) = Counted::new().learn(&ledger, &[]);
    let lines = added(ended.path(), &ledger);
    let mut required = lines.iter().filter(|line| line["gap"] == "required-fields");
    assert!(
        required.clone().all(|line| line["operation"] == "createTag"),
        "{lines:?}"
    );
    assert!(required.any(|line| line["state"] == "indicated"), "{lines:?}");
}

#[test]
fn what_is_known_of_another_target_or_contract_is_asked_and_so_is_a_gap_that_is_named() {
    let some = concerning("createTag");
    let settled = Counted::new().learn(established(), &some).1;
    let other = established().replace("SERVICE", "https://other.example.com");
    let of_other = Counted::new().learn(&other, &some);
    assert!(of_other.1 > 4 * settled, "{} {settled}", of_other.1);
    let contract = edited(established(), |line| {
        line["contract"] = "0000000000000000".into();
        true
    });
    assert!(Counted::new().learn(&contract, &some).1 > 4 * settled);
    let (named, ..) = Counted::new().learn(established(), &["--gap", "gender-values"]);
    assert_eq!(
        asked(named.path(), established()),
        BTreeSet::from(["gender-values".to_owned()])
    );
}

#[test]
fn what_has_changed_is_noticed_though_it_is_not_asked() {
    let change = async |request: Request, next: Next| {
        let is_update = request.method() == Method::PUT;
        let mut response = next.run(request).await;
        if is_update && response.status() == StatusCode::OK {
            *response.status_mut() = StatusCode::ACCEPTED;
        }
        response
    };
    let counted = Counted::of(reference().layer(from_fn(change)));
    let (ended, sent, _) = counted.learn(established(), &[]);
    assert!(sent <= 60, "{sent}");
    let ledger = std::fs::read_to_string(ended.path().join(LEDGER)).unwrap();
    let known = known(&ledger);
    let mut status = known
        .iter()
        .filter(|answer| answer.starts_with("\"success-status\" \"updateContact\""));
    assert!(status.any(|answer| answer.contains("unstable")), "{known:#?}");
    // What is unstable is asked again.
    let again = counted.learn(&ledger, &[]);
    assert!(again.1 > sent, "{} {sent}", again.1);
}

#[test]
fn what_two_runs_could_not_tell_is_asked_a_third_time_only_if_there_were_too_few_records() {
    // Errors that name no field leave open which fields are required.
    let profile = Profile::of(&[ProfileSetting::parse("error-body=problem-details").unwrap()]).unwrap();
    let service = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile);
    let runtime = Runtime::new().unwrap();
    let counted = Counted::of(service::app(runtime.block_on(service).unwrap()));
    let (first, sent, _) = counted.learn("", &[]);
    let ledger = with_an_earlier_run(&std::fs::read_to_string(first.path().join(LEDGER)).unwrap());
    let reasons = |operation: &str| {
        let lines = ledger.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let of_it = lines.filter(|line| line["operation"] == operation && line["state"] == "cannot-tell");
        let reasons =
            of_it.map(|line| format!("{} {}", line["gap"].as_str().unwrap(), line["reason"].as_str().unwrap()));
        reasons.collect::<BTreeSet<_>>()
    };
    assert_eq!(
        reasons("createContact"),
        ["compression confounded", "required-fields confounded"]
            .map(str::to_owned)
            .into()
    );
    assert!(
        reasons("createTag").contains("duplicates no row"),
        "{:?}",
        reasons("createTag")
    );
    let (later, sent_later, _) = counted.learn(&ledger, &[]);
    let trials = added(later.path(), &ledger).into_iter();
    let trials = trials.filter(|line| line.get("probe").is_some());
    let asked: BTreeSet<_> = trials.map(|line| line["operation"].to_string()).collect();
    assert_eq!(asked, ["\"createTag\"".to_owned()].into());
    assert!(sent_later * 4 < sent, "{sent_later} {sent}");
}
