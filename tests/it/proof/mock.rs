//! A target that answers creates and keeps nothing is told for what it is, once, and no service that does one of both.

use std::sync::atomic::{AtomicU64, Ordering};

use countersign::report::{
    Cause, Outcome, Record, Styling, Terminal, Verbosity, github, html, json, junit, markdown, read, sarif,
};
use serde_json::json;

use super::call::Call;
use super::checked::{Check, Checked};
use super::deviating::Deviation;

const WORDS: &str = "the target answers creates with the same id again and keeps nothing: is it a mock?";

fn creates_a_tag(call: &Call) -> bool {
    call.is("createTag") && call.is_authorized()
}

/// The reference service, but tags are answered with an example and kept nowhere.
fn mocked(id: impl Fn() -> String + Send + Sync + 'static) -> Deviation {
    Deviation::none().answering(move |call| {
        let reply = super::call::Reply::json(
            201,
            json!({"message": "Created", "data": {"id": id(), "name": "Example"}}),
        );
        creates_a_tag(call).then_some(reply)
    })
}

/// A target that answers every create with an example and keeps nothing.
fn all_mocked(id: &'static str) -> Deviation {
    Deviation::none().told(move |call, reply| {
        if call.method == http::Method::POST && reply.succeeded() {
            reply.value_mut().unwrap()["data"]["id"] = match call.operation {
                "createVisit" => json!(4711),
                _ => json!(id),
            };
        }
    })
}

fn terminal(record: &Record) -> String {
    let terminal = Terminal {
        styling: Styling::Plain,
        verbosity: Verbosity::Normal,
        width: None,
    };
    terminal.report(record)
}

async fn checked(deviation: Deviation) -> Checked {
    Check::default().run(deviation).await
}

#[tokio::test]
async fn a_mock_is_told_once_in_every_report_and_its_findings_stay() {
    let record = checked(all_mocked("6a1f0c52-8d0e-4a55-9b1d-0f5b7c1f2a01")).await.record;
    assert_eq!(
        (record.outcome, record.cause),
        (Outcome::DoesNotConform, Some(Cause::Mock))
    );
    let rules = |rule: &str| record.findings.iter().filter(|finding| finding.rule == rule).count();
    assert!(rules("listed") > 0 && rules("identifier") > 0, "{:?}", record.findings);
    let record = read(json(&record).as_bytes()).unwrap();
    for (name, report) in [
        ("terminal", terminal(&record)),
        ("sarif", sarif(&record)),
        ("github", github(&record)),
        ("markdown", markdown(&record)),
        (
            "html",
            html(&record).replace("The target answers", "the target answers"),
        ),
    ] {
        assert_eq!(report.matches(WORDS).count(), 1, "{name}: {report}");
    }
    assert!(junit(&record).contains(WORDS));
}

#[tokio::test]
async fn a_service_that_loses_records_and_gives_fresh_identifiers_is_no_mock() {
    let next = AtomicU64::new(0);
    let record = checked(mocked(move || format!("tag-{}", next.fetch_add(1, Ordering::SeqCst))))
        .await
        .record;
    assert_eq!((record.outcome, record.cause), (Outcome::DoesNotConform, None));
}

#[tokio::test]
async fn a_service_that_keeps_what_it_creates_elsewhere_is_no_mock() {
    let record = checked(mocked(|| "tag-1".to_owned())).await.record;
    assert_eq!((record.outcome, record.cause), (Outcome::DoesNotConform, None));
}

#[tokio::test]
async fn a_sound_service_is_no_mock() {
    assert_eq!(checked(Deviation::none()).await.record.cause, None);
}
