//! What a run that asks says of trials that decide nothing, because their controls failed or were never sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse as _;
use countersign::Check;
use countersign::gaps::TrialOutcome;
use countersign::run::{Run, RunEnd};
use serde_json::json;

use super::checker::{CONTRACT, learned_alone, learned_from};
use super::{TOKEN, app};

#[tokio::test]
async fn a_trial_that_is_open_when_the_run_ends_is_void() {
    let count = Arc::new(AtomicU64::new(0));
    // No response comes to any request after the first updates that ask.
    let hang = move |request: Request, next: Next| {
        let is_update = request.method() == Method::PUT && request.headers().contains_key(AUTHORIZATION);
        let updates = count.fetch_add(u64::from(is_update), Ordering::Relaxed);
        async move {
            if updates > 8 {
                tokio::time::sleep(Duration::from_secs(3600)).await;
            }
            next.run(request).await
        }
    };
    tokio::time::pause();
    let check = Check::new(Arc::clone(&CONTRACT)).service(app(&[]).await.layer(from_fn(hang)));
    let check = check.learn(true).writes(true).token(TOKEN).seed(1);
    let run = check.max_time(Duration::from_secs(20)).run().await.unwrap().into_run();
    assert!(matches!(run.ended, RunEnd::TimeLimitExceeded(_)), "{:?}", run.ended);
    let open = run.trials.iter().filter(|trial| trial.statuses.len() == 2);
    let outcomes: Vec<_> = open.map(|trial| trial.outcome).collect();
    assert!(!outcomes.is_empty(), "{:?}", run.trials);
    assert!(
        outcomes.iter().all(|outcome| *outcome == TrialOutcome::Void),
        "{outcomes:?}"
    );
}

#[tokio::test]
async fn a_duplicate_of_what_was_not_created_is_no_trial() {
    let count = Arc::new(AtomicU64::new(0));
    // Every contact after the first is rejected: no record is there that the next one could equal.
    let reject = move |request: Request, next: Next| {
        let is_create = request.method() == Method::POST && request.headers().contains_key(AUTHORIZATION);
        let is_contact = is_create && request.uri().path().ends_with("/contact-database");
        let number = count.fetch_add(u64::from(is_contact), Ordering::Relaxed);
        async move {
            match is_contact && number > 0 {
                true => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
                false => next.run(request).await,
            }
        }
    };
    let run = learned_alone(&["duplicates"], app(&[]).await.layer(from_fn(reject))).await;
    let mut of_contacts = run.trials.iter();
    let trial =
        of_contacts.find(|trial| (trial.gap.as_str(), trial.operation.as_str()) == ("duplicates", "createContact"));
    let trial = trial.unwrap_or_else(|| panic!("{:?}", run.trials));
    assert_eq!(trial.outcome, TrialOutcome::Void, "{trial:?}");
}

#[tokio::test]
async fn a_service_that_says_200_and_stores_nothing_claims_no_required_fields() {
    let required = |run: &Run| {
        let mut of_update = run.answers.iter().filter(|answer| answer.gap == "required-fields");
        let of_update = of_update.find(|answer| answer.operation.as_deref() == Some("updateContact"));
        of_update.and_then(|answer| answer.claim.clone())
    };
    let settings = ["update-semantics=replaces".to_owned()];
    let sound = learned_from(app(&settings).await).await;
    assert!(required(&sound).is_some(), "{:?}", sound.answers);
    let as_success = async |request: Request, next: Next| {
        let is_update = request.method() == Method::PUT;
        let response = next.run(request).await;
        match is_update && response.status() == StatusCode::UNPROCESSABLE_ENTITY {
            true => axum::Json(json!({"message": "not saved"})).into_response(),
            false => response,
        }
    };
    let lying = learned_from(app(&settings).await.layer(from_fn(as_success))).await;
    assert_eq!(required(&lying), None);
}
