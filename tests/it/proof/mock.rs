//! A target that answers creates and keeps nothing is reported as a mock, once; a service that does only one of both is
//! not.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use countersign::report::{
    Outcome, Record, Styling, SuspectedCause, Terminal, Verbosity, github, html, json, junit, markdown, read, sarif,
};
use serde_json::{Value, json};

use super::call::Call;
use super::checked::{Check, Checked};
use super::deviating::Deviation;
use super::listing::Listing;

const WORDS: &str = "the target returns the same id for each create and stores nothing: is it a mock?";

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

/// A target that answers every create with an example and keeps nothing. Its lists show the very records that creates
/// are answered with, or others.
fn all_mocked(shows_them: bool) -> Deviation {
    let examples = Arc::new(Mutex::new(HashMap::new()));
    let listed = Arc::clone(&examples);
    let listing = move |call: &Call, list: &mut Listing| {
        let mut first = list.items().remove(0);
        if !shows_them {
            first["id"] = match first["id"] {
                Value::Number(_) => json!(4711),
                _ => json!("6a1f0c52-8d0e-4a55-9b1d-0f5b7c1f2a01"),
            };
        }
        listed.lock().unwrap().insert(call.operation, first);
    };
    Deviation::none().relisted(listing).answering(move |call| {
        let list = match call.operation {
            "createContact" => "getContacts",
            "createTag" => "getTags",
            "createVisit" => "getVisits",
            _ => return None,
        };
        let example = examples.lock().unwrap().get(list).cloned()?;
        Some(super::call::Reply::json(
            201,
            json!({"message": "Created", "data": example}),
        ))
    })
}

/// The reference service, but every create is answered with one identifier.
fn all_alike() -> Deviation {
    Deviation::none().replied(|call, reply| {
        if call.method == http::Method::POST && reply.succeeded() {
            reply.value_mut().unwrap()["data"]["id"] = match call.operation {
                "createVisit" => json!(4711),
                _ => json!("6a1f0c52-8d0e-4a55-9b1d-0f5b7c1f2a01"),
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
async fn a_mock_is_reported_once_in_every_report_and_its_findings_stay() {
    let record = checked(all_mocked(false)).await.record;
    assert_eq!(
        (record.outcome, record.suspected_cause),
        (Outcome::DoesNotConform, Some(SuspectedCause::Mock))
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
            html(&record).replace("The target returns", "the target returns"),
        ),
    ] {
        assert_eq!(report.matches(WORDS).count(), 1, "{name}: {report}");
    }
    assert!(junit(&record).contains(WORDS));
}

#[tokio::test]
async fn a_mock_whose_lists_show_what_its_creates_answer_is_reported_too() {
    let record = checked(all_mocked(true)).await.record;
    assert_eq!(
        (record.outcome, record.suspected_cause),
        (Outcome::DoesNotConform, Some(SuspectedCause::Mock))
    );
}

#[tokio::test]
async fn a_service_that_gives_one_identifier_again_and_keeps_what_was_sent_is_no_mock() {
    let record = checked(all_alike()).await.record;
    assert_eq!(
        (record.outcome, record.suspected_cause),
        (Outcome::DoesNotConform, None)
    );
}

#[tokio::test]
async fn a_service_that_loses_records_and_gives_fresh_identifiers_is_no_mock() {
    let next = AtomicU64::new(0);
    let record = checked(mocked(move || format!("tag-{}", next.fetch_add(1, Ordering::SeqCst))))
        .await
        .record;
    assert_eq!(
        (record.outcome, record.suspected_cause),
        (Outcome::DoesNotConform, None)
    );
}

#[tokio::test]
async fn a_service_that_keeps_what_it_creates_elsewhere_is_no_mock() {
    let record = checked(mocked(|| "tag-1".to_owned())).await.record;
    assert_eq!(
        (record.outcome, record.suspected_cause),
        (Outcome::DoesNotConform, None)
    );
}

#[tokio::test]
async fn a_sound_service_is_no_mock() {
    assert_eq!(checked(Deviation::none()).await.record.suspected_cause, None);
}
