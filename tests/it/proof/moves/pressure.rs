//! Targets under pressure: rate limits, and a server that is briefly unavailable.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::header::RETRY_AFTER;
use countersign::rules::Level;
use serde_json::json;

use super::{Move, prove};
use crate::proof::call::{Call, Reply};
use crate::proof::checked::check;
use crate::proof::deviating::{Deviation, laid};

/// Answers every nth request itself.
fn now_and_then(every: u64, reply: Reply) -> Deviation {
    Deviation::none().asked(limited(every, reply))
}

fn limited(every: u64, reply: Reply) -> impl Fn(&mut Call) -> Option<Reply> {
    let requests = AtomicU64::new(0);
    move |_| {
        let number = requests.fetch_add(1, Ordering::Relaxed) + 1;
        number.is_multiple_of(every).then(|| reply.clone())
    }
}

#[test]
fn a_rate_limit_is_waited_for() {
    prove(vec![
        Move::new(
            "429, at once again",
            now_and_then(3, Reply::empty(429).with(RETRY_AFTER, "0")),
        )
        .of("createContact"),
        Move::new(
            "429, in a second",
            now_and_then(25, Reply::empty(429).with(RETRY_AFTER, "1")),
        ),
        Move::new(
            "429 without a time",
            now_and_then(15, Reply::text(429, "text/html", "slow down")),
        ),
    ]);
}

#[tokio::test]
async fn a_limit_for_an_hour_is_not_waited_for() {
    let requests = AtomicU64::new(0);
    let throttled = Deviation::none().asked(move |_| {
        let number = requests.fetch_add(1, Ordering::Relaxed) + 1;
        (number > 20).then(|| Reply::empty(429).with(RETRY_AFTER, "3600"))
    });
    let (service, _) = laid(throttled).await;
    let report = check(1).service(service).keep_recording(true).run().await.unwrap();
    let errors = report.run().verdicts.findings().iter();
    assert_eq!(errors.filter(|finding| finding.level == Level::Deny).count(), 0);
    let sent: Vec<_> = report.run().recording.as_ref().unwrap().exchanges().collect();
    let throttled = sent.iter().filter(|(exchange, _)| exchange.status() == Some(429));
    assert!(throttled.count() > 20);
    assert!(sent.iter().all(|(_, intent)| !intent.is_superseded));
}

#[test]
fn a_server_that_is_away_for_a_moment_is_waited_for() {
    prove(vec![
        Move::new(
            "503, at once again",
            now_and_then(5, Reply::empty(503).with(RETRY_AFTER, "0")),
        )
        .of("createContact"),
        Move::new("503 without a time", now_and_then(20, Reply::empty(503))),
    ]);
}

#[test]
fn an_unstable_target_gives_no_false_finding_and_decides_most() {
    let calls = AtomicU64::new(0);
    let unstable = now_and_then(20, Reply::empty(503))
        .asked(limited(10, Reply::empty(429).with(RETRY_AFTER, "0")))
        .relisted(move |call, listing| {
            if !call.is("getContacts") {
                return;
            }
            // Another client creates a contact at every fourth request.
            let others = calls.fetch_add(1, Ordering::Relaxed) / 4;
            listing.change(|items| {
                for number in 0..others {
                    let mut other = items[0].clone();
                    other["id"] = json!(format!("00000000-0000-4000-8000-{number:012}"));
                    items.push(other);
                }
            });
        });
    prove(vec![Move::new("all of it at once", unstable)]);
}
