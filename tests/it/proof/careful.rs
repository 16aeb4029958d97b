//! What a check sends: only reads to a named target, few wrong tokens, no write twice, no more records than allowed.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use countersign::report::Outcome;
use countersign::rules::Level;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::call::{Call, Payload, Reply, TOKEN};
use super::checked::{Check, Checked, check, described};
use super::deviating::Deviation;
use crate::support::sampled;

const READ_ONLY: Check = Check {
    writes: false,
    ..Check::DEFAULT
};

fn wrong_tokens(calls: &[Call]) -> usize {
    let credentials = calls.iter().filter_map(Call::credential);
    let right = format!("Bearer {TOKEN}");
    credentials
        .filter(|value| value.starts_with("Bearer ") && *value != right)
        .count()
}

/// The writes that carried the token as documented.
fn writes(checked: &Checked) -> impl Iterator<Item = &Call> {
    checked
        .calls
        .iter()
        .filter(|call| call.is_write() && call.is_authorized())
}

/// A conforming service, and one that lets in and answers whatever it likes.
fn services() -> Vec<(&'static str, Deviation)> {
    let open = Deviation::none().asked(|call| {
        call.authorize();
        None
    });
    let broken = Deviation::none().replied(|_, reply| *reply = Reply::json(200, json!({"data": {"id": "x"}})));
    vec![
        ("conforming", Deviation::none()),
        ("open to all", open),
        ("broken", broken),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_target_that_asks_for_hours_is_waited_for_seconds() {
    let throttled = || async { (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "7200")], "{}") };
    let begun = Instant::now();
    let check = check(1).only("getTags").service(Router::new().fallback(throttled));
    let record = check.run().await.unwrap().into_record();
    assert_eq!(record.outcome, Outcome::CouldNotJudge);
    assert!(record.requests.throttled > 1);
    // Nothing else moves this clock.
    assert!(begun.elapsed() <= Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_named_target_is_sent_reads_alone() {
    for (name, deviation) in services() {
        let checked = READ_ONLY.run(deviation).await;
        assert!(checked.calls.len() > 10, "{name}");
        for call in &checked.calls {
            assert!(call.method == Method::GET && call.bytes.is_empty(), "{name}: {call:?}");
            assert!(!call.operation.is_empty(), "{name}: {} is not documented", call.uri);
        }
        assert_eq!(checked.record.requests.writes, 0, "{name}");
        assert!(checked.record.residue.is_empty(), "{name}");
    }
}

#[tokio::test]
async fn a_read_only_check_decides_the_reads_and_says_what_the_rest_needs() {
    let checked = READ_ONLY.undisturbed().await;
    assert_eq!(checked.outcome(), Outcome::Conforms);
    let facts = &checked.record.facts;
    assert!(facts.held > 200, "{} facts are held", facts.held);
    for row in &facts.rows {
        let of_a_write = row.fact.starts_with("create") || row.fact.starts_with("update");
        assert_eq!(
            row.reason.as_deref(),
            of_a_write.then_some("needs writes, which are off"),
            "{}",
            row.fact
        );
    }
}

/// What a fresh contact lacks while a create records no visit: it shows none.
const NEVER_SHOWN: [&str; 2] = ["createContact /data/first_visit/*", "createContact /data/last_visit/*"];

#[tokio::test]
async fn a_check_that_writes_decides_every_fact_of_the_reference_service() {
    for seed in sampled(2, 1..=3) {
        let check = Check {
            seed,
            ..Check::default()
        };
        let checked = check.undisturbed().await;
        let undecided = checked.record.facts.rows.iter().filter(|row| row.reason.is_some());
        let left: Vec<_> = undecided
            .filter(|row| !NEVER_SHOWN.iter().any(|start| row.fact.starts_with(start)))
            .map(|row| (&row.fact, &row.reason))
            .collect();
        assert_eq!(left, [], "{seed}");
    }
}

#[tokio::test]
async fn no_more_than_three_wrong_tokens_are_shown() {
    for check in [READ_ONLY, Check::default()] {
        let shown = wrong_tokens(&check.undisturbed().await.calls);
        assert!((1..=3).contains(&shown), "{check:?}: {shown}");
    }
    for (name, deviation) in services().into_iter().skip(1) {
        let shown = wrong_tokens(&Check::default().run(deviation).await.calls);
        assert!(shown <= 3, "{name}: {shown}");
    }
}

#[tokio::test]
async fn a_wrong_token_is_not_shown_again_while_the_target_asks_for_time() {
    let throttled = Deviation::none().asked(|call| {
        let wrong = |value: &str| value.starts_with("Bearer ") && value != format!("Bearer {TOKEN}");
        let wrong = call.credential().is_some_and(wrong);
        wrong.then(|| Reply::empty(429).with(http::header::RETRY_AFTER, "0"))
    });
    let checked = Check::default().run(throttled).await;
    assert_eq!(checked.outcome(), Outcome::Conforms);
    assert!(wrong_tokens(&checked.calls) <= 3, "{}", wrong_tokens(&checked.calls));
}

#[tokio::test]
async fn no_write_is_sent_twice() {
    let lossy = Deviation::none().replied(|call, reply| {
        if call.is_write() && reply.succeeded() {
            reply.body = Payload::Cut(Bytes::from_static(b"{"));
        }
    });
    let rejecting = Deviation::none().answering(|call| call.is_write().then(|| Reply::empty(422)));
    for (name, deviation) in services()
        .into_iter()
        .chain([("lossy", lossy), ("rejecting", rejecting)])
    {
        let checked = Check::default().run(deviation).await;
        let (mut seen, mut again) = (HashSet::new(), 0);
        for call in writes(&checked) {
            let new = seen.insert((call.method.clone(), call.uri.clone(), call.bytes.clone()));
            again += u32::from(!new);
            assert!(
                new || call.method == Method::PUT,
                "{name}: {} {} was sent twice",
                call.method,
                call.uri
            );
        }
        // The first accepted update is sent once more.
        assert!(again <= 1, "{name}: {again} updates were sent twice");
    }
}

#[tokio::test]
async fn a_write_whose_response_is_lost_is_residue_and_is_not_tried_again() {
    let operations = ["createContact", "createContactMethod", "createVisit", "createTag"];
    for operation in sampled(2, operations) {
        let lossy = Deviation::none().at(operation, |_, reply| {
            reply.body = Payload::Cut(Bytes::from_static(b"{"));
        });
        let checked = Check::default().run(lossy).await;
        let sent = writes(&checked).filter(|call| call.is(operation)).count();
        let residue = checked.record.residue.iter();
        let lost = residue
            .filter(|left| left.operation == operation && !left.answered)
            .count();
        // A visit is sent in two forms, each once.
        assert_eq!(sent, if operation == "createVisit" { 2 } else { 1 }, "{operation}");
        assert_eq!(lost, sent, "{operation}");
    }
}

#[tokio::test]
async fn every_created_record_is_residue() {
    let created = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&created);
    let counting = Deviation::none().replied(move |call, reply| {
        let creates = call.method == Method::POST && reply.succeeded();
        counted.fetch_add(usize::from(creates), Ordering::Relaxed);
    });
    let checked = Check::default().run(counting).await;
    assert_eq!(checked.record.residue.len(), created.load(Ordering::Relaxed));
    assert!(
        checked
            .record
            .residue
            .iter()
            .all(|left| left.id.is_some() && left.answered)
    );
}

#[tokio::test]
async fn no_more_records_are_left_than_allowed() {
    for most in sampled(3, 0..=5) {
        let check = Check {
            max_writes: most,
            ..Check::default()
        };
        let open = services().remove(1).1;
        for (name, deviation) in [("conforming", Deviation::none()), ("open to all", open)] {
            let checked = check.run(deviation).await;
            let left = u64::try_from(checked.record.residue.len()).unwrap();
            assert!(left <= most, "{name}: {left} of {most}");
            assert!(
                name != "conforming" || checked.denied().next().is_none(),
                "{:?}",
                checked.denied().map(described).collect::<Vec<_>>()
            );
        }
    }
}

#[tokio::test]
async fn a_write_goes_to_a_documented_path_and_touches_contacts_of_the_run_alone() {
    let theirs = Arc::new(Mutex::new(HashSet::new()));
    let listed = Arc::clone(&theirs);
    let listing = Deviation::none().at("getContacts", move |_, reply| {
        let items = reply.value()["data"]["items"].as_array().into_iter().flatten();
        let ids = items.filter_map(|item| Some(item["id"].as_str()?.to_owned()));
        listed.lock().unwrap().extend(ids);
    });
    let checked = Check::WHOLE.run(listing).await;
    assert!(checked.calls.iter().all(|call| !call.operation.is_empty()));
    let residue = checked.record.residue.iter();
    let own: HashSet<_> = residue
        .filter(|left| left.operation == "createContact")
        .filter_map(|left| left.id.clone())
        .collect();
    let below = ["updateContact", "createContactMethod"];
    let calls = checked.calls.iter().filter(|call| below.contains(&call.operation));
    let (mine, of_no_record): (Vec<_>, Vec<_>) = calls
        .map(contact_in_path)
        .partition(|id| own.contains(&id.to_lowercase()));
    assert!(!mine.is_empty());
    // A malformed and an unknown identifier on each.
    assert_eq!(of_no_record.len(), 4, "{of_no_record:?}");
    let theirs = theirs.lock().unwrap();
    assert!(
        theirs.len() > 20 && of_no_record.iter().all(|id| !theirs.contains(*id)),
        "{of_no_record:?}"
    );
}

/// The identifier in a path below the contacts.
fn contact_in_path(call: &Call) -> &str {
    let (_, below) = call.uri.path().split_once("/contact-database/").unwrap();
    below.split('/').next().unwrap()
}

#[tokio::test]
async fn what_is_sent_is_synthetic() {
    let checked = Check::default().undisturbed().await;
    let mut sent = 0;
    for call in checked.calls.iter().filter(|call| call.is_write()) {
        let body = call.body();
        for contact in contacts(&body) {
            sent += 1;
            let digits: String = contact.chars().filter(char::is_ascii_digit).collect();
            // The range of mobile numbers that Ofcom keeps for drama.
            let is_nobodys = !contact.contains('@') && digits.contains("7700900");
            assert!(
                contact.ends_with("@example.com") || contact.ends_with(".example.com") || is_nobodys,
                "{contact}"
            );
        }
    }
    assert!(sent > 0);
}

fn contacts(body: &Value) -> impl Iterator<Item = &str> {
    let methods = body["contact_methods"].as_array().into_iter().flatten();
    let contacts = methods.map(|method| &method["contact"]).chain([&body["contact"]]);
    contacts.filter_map(Value::as_str)
}

#[tokio::test]
async fn a_service_that_is_open_to_all_is_reported_so_on_every_operation_that_was_asked() {
    let open = services().remove(1).1;
    let checked = Check::default().run(open).await;
    let reported: HashSet<_> = checked
        .record
        .findings
        .iter()
        .filter(|finding| finding.rule == "auth" && finding.level == Level::Deny)
        .map(|finding| finding.fact.as_str())
        .collect();
    // No credential and another scheme on nine operations, and the wrong token once for the scheme.
    assert_eq!(reported.len(), 19, "{reported:?}");
}
