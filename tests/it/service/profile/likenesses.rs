//! What a run that asks says where one behaviour of a service looks like another, or where a single request fails.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse as _;
use countersign::gaps::{AnswerState, Claim, DateFormat, TrialOutcome, WhyUnanswered};
use serde_json::{Map, Value, json};
use tower::ServiceExt as _;

use super::checker::{CONTRACT, learned_about, learned_alone, learned_from, learned_of};
use super::learning::{Handler, answer, behind, creates_tag, learned_with_updates};
use super::{TOKEN, app};
use crate::support::sampled;

#[tokio::test]
async fn a_create_that_fails_once_costs_one_trial() {
    for (number, status) in sampled(3, [(3, 500), (4, 502), (5, 500), (6, 429)]) {
        let count = AtomicU64::new(0);
        let fails = move |request: &Request| {
            let is_create = request.method() == Method::POST && request.uri().path().ends_with("/visits");
            let is_authorized = is_create && request.headers().contains_key(AUTHORIZATION);
            is_authorized && count.fetch_add(1, Ordering::Relaxed) == number
        };
        let fails = Arc::new(fails);
        let layer = move |request: Request, next: Next| {
            let fails = fails(&request);
            async move {
                match fails {
                    true => StatusCode::from_u16(status).unwrap().into_response(),
                    false => next.run(request).await,
                }
            }
        };
        let run = learned_about(&["required-fields"], app(&[]).await.layer(from_fn(layer))).await;
        let required = answer(&run, "required-fields", "createVisit");
        assert_eq!(
            required.state,
            AnswerState::Indicated,
            "{number} {status}: {required:?}"
        );
    }
}

#[tokio::test]
async fn creates_that_fail_again_and_again_end() {
    let run = learned_alone(
        &["required-fields", "duplicates"],
        behind(
            |number, request| {
                let is_create = creates_tag(request) && request.headers().contains_key(AUTHORIZATION);
                (number > 40 && is_create).then_some(StatusCode::BAD_GATEWAY)
            },
            app(&[]).await,
        ),
    )
    .await;
    let of_tags = run.trials.iter().filter(|trial| trial.operation == "createTag");
    let outcomes: Vec<_> = of_tags.map(|trial| (trial.outcome, trial.count)).collect();
    let sent: u64 = outcomes.iter().map(|(_, count)| count).sum();
    assert!((1..=3).contains(&sent), "{outcomes:?}");
    assert!(outcomes.iter().all(|(outcome, _)| *outcome == TrialOutcome::Void));
}

/// The number of items that a list of the service has.
async fn total(service: &axum::Router, list: &str) -> u64 {
    let request = Request::builder().uri(format!("/organization/v1/{list}"));
    let request = request.header(AUTHORIZATION, format!("Bearer {TOKEN}"));
    let response = service.clone().oneshot(request.body(Body::empty()).unwrap());
    let body = to_bytes(response.await.unwrap().into_body(), usize::MAX).await.unwrap();
    let page: Value = serde_json::from_slice(&body).unwrap();
    page["data"]["total"].as_u64().unwrap()
}

#[tokio::test]
async fn a_record_of_a_rejected_create_is_found_on_one_of_many_pages() {
    let service = app(&["page-size=1".to_owned()]).await;
    let before = total(&service, "tags").await;
    let hidden = Arc::new(AtomicU64::new(0));
    let hiding = Arc::clone(&hidden);
    // The first tag that a trial creates is stored, although the create is rejected.
    let hides = move |request: Request, next: Next| {
        let hidden = Arc::clone(&hiding);
        async move {
            let is_create = creates_tag(&request) && request.headers().contains_key(AUTHORIZATION);
            let response = next.run(request).await;
            let stored = is_create && response.status().is_success();
            match stored && hidden.fetch_add(1, Ordering::Relaxed) == 1 {
                true => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
                false => response,
            }
        }
    };
    let run = learned_from(service.clone().layer(from_fn(hides))).await;
    assert!(hidden.load(Ordering::Relaxed) > 1);
    let tag = CONTRACT.operation_named("createTag").unwrap();
    let found = run
        .residue
        .iter()
        .filter(|left| left.operation == tag && left.found == Some(true));
    let added = total(&service, "tags").await - before;
    assert_eq!(u64::try_from(found.count()).unwrap(), added, "{:?}", run.residue);
}

#[tokio::test]
async fn a_date_that_is_read_in_two_orders_is_accepted_in_both() {
    let reads_both: Handler = Box::new(|_, sent| {
        let parts: Vec<_> = sent.get("dob")?.as_str()?.split('/').map(str::to_owned).collect();
        if let [first, second, year] = parts.as_slice() {
            let is_month = |part: &str| part.parse::<u8>().is_ok_and(|part| part < 13);
            let (day, month) = if is_month(second) {
                (first, second)
            } else {
                (second, first)
            };
            sent.insert("dob".to_owned(), format!("{year}-{month}-{day}").into());
        }
        None
    });
    let run = learned_with_updates(&["dob-format"], reads_both).await;
    let dates = answer(&run, "dob-format", "updateContact");
    let both = Claim::Dates {
        accepted: vec![DateFormat::DayFirst, DateFormat::IsoDate, DateFormat::MonthFirst],
        in_responses: DateFormat::IsoDate,
    };
    assert_eq!((dates.state, &dates.claim), (AnswerState::Indicated, &Some(both)));
}

#[tokio::test]
async fn a_field_that_is_reset_to_what_a_control_sent_is_not_called_kept() {
    let first: OnceLock<Map<String, Value>> = OnceLock::new();
    let resets: Handler = Box::new(move |_, sent| {
        let defaults = first.get_or_init(|| sent.clone());
        if sent.len() == 1 {
            for name in ["gender", "nationality"] {
                sent.insert(name.to_owned(), defaults[name].clone());
            }
        }
        None
    });
    let run = learned_with_updates(&["update-semantics"], resets).await;
    let semantics = answer(&run, "update-semantics", "updateContact");
    assert!(
        semantics.claim.is_none() || semantics.state == AnswerState::Unstable,
        "{semantics:?}"
    );
}

#[tokio::test]
async fn a_field_that_a_page_shows_cleared_only_later_is_not_called_kept() {
    let service = app(&[]).await;
    // The update of one field, as its path and its body, with the number of reads since.
    let pending: Arc<Mutex<Option<(String, Value, u64)>>> = Arc::default();
    let behind = service.clone();
    let clears = move |request: Request, next: Next| {
        let (pending, service) = (Arc::clone(&pending), behind.clone());
        async move {
            let (head, body) = request.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
            let due = {
                let mut pending = pending.lock().unwrap();
                if head.method == Method::PUT && sent.as_object().is_some_and(|sent| sent.len() == 1) {
                    *pending = Some((head.uri.path().to_owned(), sent, 0));
                } else if head.method == Method::GET
                    && let Some((_, _, reads)) = pending.as_mut()
                {
                    *reads += 1;
                }
                pending.take_if(|(_, _, reads)| *reads > 1)
            };
            if let Some((path, mut cleared, _)) = due {
                cleared["contact_methods"] = json!([]);
                let clear = Request::put(path).header(AUTHORIZATION, format!("Bearer {TOKEN}"));
                let clear = clear.header("content-type", "application/json");
                let cleared = service.oneshot(clear.body(Body::from(cleared.to_string())).unwrap());
                assert!(cleared.await.unwrap().status().is_success());
            }
            next.run(Request::from_parts(head, Body::from(body))).await
        }
    };
    let run = learned_about(&["update-semantics"], service.layer(from_fn(clears))).await;
    let semantics = answer(&run, "update-semantics", "updateContact");
    assert_ne!(semantics.state, AnswerState::Indicated, "{semantics:?}");
}

#[tokio::test]
async fn a_short_response_that_is_not_compressed_says_nothing_of_longer_ones() {
    let run = learned_of(None).await;
    let compression = |operation: &str| {
        let answer = answer(run, "compression", operation);
        (answer.state, answer.claim.clone(), answer.reason)
    };
    let not_sent = Some(Claim::HeaderSent { sent: false });
    assert_eq!(compression("getContacts"), (AnswerState::Indicated, not_sent, None));
    for operation in ["updateContact", "getTags", "createTag"] {
        let unknown = (AnswerState::CannotTell, None, Some(WhyUnanswered::Inconclusive));
        assert_eq!(compression(operation), unknown, "{operation}");
    }
    let compressed = learned_of(Some(&"compression=gzip".to_owned())).await;
    let sent = answer(compressed, "compression", "getTags");
    assert_eq!(sent.claim, Some(Claim::HeaderSent { sent: true }));
}
