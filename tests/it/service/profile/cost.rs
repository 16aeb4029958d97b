//! What a run that asks costs where it is dearest.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use countersign::gaps::AnswerState;
use countersign::run::Run;
use countersign::service::AXES;
use serde_json::Value;

use super::checker::{learned, learned_from, learned_of};
use super::{app, combinations};
use crate::support::parallel::try_all;
use crate::support::sampled;

/// The most requests that a run may cost.
const MOST: u64 = 400;
/// The most records that it may leave.
const MOST_RECORDS: usize = 15;
/// The most requests that a run of a service with several unusual choices may cost, without those that its rate limit
/// turned away: how many these are depends on when they meet the limit.
const DEAREST: u64 = 540;

#[test]
fn no_profile_that_is_drawn_costs_much_more_than_others() {
    let profiles: Vec<_> = sampled(60, combinations::profiles(1, 60)).collect();
    try_all(profiles, async |settings: Vec<String>| {
        let run = learned(&settings).await;
        let (taken, left) = (run.tally.sent - run.tally.throttled, run.residue.len());
        let is_dear = taken > DEAREST || left > MOST_RECORDS;
        let dear = is_dear.then(|| format!("{taken} requests, {left} records: {settings:?}"));
        dear.into_iter().collect()
    });
}

fn indicated(run: &Run) -> usize {
    let states = run.answers.iter().map(|answer| answer.state);
    states.filter(|state| *state == AnswerState::Indicated).count()
}

#[tokio::test]
async fn values_that_are_all_rejected_cost_no_more_than_others() {
    let closed = AXES.iter().filter_map(|axis| {
        let mut values = axis.values.iter();
        let value = values.find(|value| value.name == "closed")?;
        Some(format!("{}={}", axis.name, value.name))
    });
    let closed: Vec<_> = closed.collect();
    assert!(closed.len() > 4, "{closed:?}");
    let run = learned(&closed).await;
    assert!(run.tally.sent <= MOST, "{}", run.tally.sent);
}

/// Puts something in front of a service that says of each list that it has this many pages.
fn with_pages(service: Router, last: u64) -> Router {
    let lie = move |request: Request, next: Next| async move {
        let (mut head, body) = next.run(request).await.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let Ok(mut value) = serde_json::from_slice::<Value>(&body) else {
            return Response::from_parts(head, Body::from(body));
        };
        if let Some(page) = value.pointer_mut("/data/last_page") {
            *page = last.into();
        }
        head.headers.remove(CONTENT_LENGTH);
        Response::from_parts(head, Body::from(value.to_string()))
    };
    service.layer(from_fn(lie))
}

#[tokio::test]
async fn a_list_that_says_it_has_more_pages_than_it_has_costs_no_more_than_others() {
    let plain = learned_of(None).await;
    for last in sampled(2, [1_000_000, 50]) {
        let run = learned_from(with_pages(app(&[]).await, last)).await;
        assert!(run.tally.sent <= MOST, "{last} pages: {}", run.tally.sent);
        assert_eq!(indicated(&run), indicated(plain), "{last} pages");
    }
}
