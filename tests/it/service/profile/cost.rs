//! What a run that asks costs where it is dearest.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use countersign::Check;
use countersign::gaps::{AnswerState, WhyUnanswered};
use countersign::history::SearchExtent;
use countersign::run::Run;
use countersign::service::AXES;
use serde_json::Value;

use super::answers::wrong_statements;
use super::checker::{CONTRACT, learned, learned_from, learned_of};
use super::{TOKEN, app, combinations};
use crate::support::parallel::try_all;
use crate::support::sampled;

/// The most requests that a run may cost.
const MOST: u64 = 400;
/// The most records that it may leave.
const MOST_RECORDS: usize = 15;

#[test]
fn no_profile_that_is_drawn_costs_more_than_others() {
    let profiles: Vec<_> = sampled(60, combinations::profiles(1, 60)).collect();
    try_all(profiles, async |settings: Vec<String>| {
        let run = learned(&settings).await;
        // How many requests a rate limit turns away depends on when they meet it.
        let (taken, left) = (run.tally.sent - run.tally.throttled, run.residue.len());
        let is_dear = taken > MOST || left > MOST_RECORDS;
        let dear = is_dear.then(|| format!("{taken} requests, {left} records: {settings:?}"));
        dear.into_iter().collect()
    });
}

/// Asks a service with the defaults, with at most this many requests.
async fn learned_with(requests: u64) -> Run {
    let check = Check::new(Arc::clone(&CONTRACT)).service(app(&[]).await);
    let check = check.token(TOKEN).writes(true).seed(1).learn(true);
    let report = check.max_requests_to_learn(requests).run().await.unwrap();
    report.into_run()
}

#[tokio::test]
async fn what_the_limit_of_requests_leaves_open_says_so_and_nothing_else_does() {
    let cut_short = |run: &Run| {
        let mut open = run.answers.iter();
        open.any(|answer| answer.reason == Some(WhyUnanswered::LimitOfRequests))
    };
    let all = learned_with(MOST).await;
    assert!(!cut_short(&all), "{:?}", all.answers);
    for most in sampled(2, [120, 200, 260]) {
        let run = learned_with(most).await;
        assert!(run.tally.sent <= most, "{} of {most}", run.tally.sent);
        assert!(cut_short(&run), "{:?}", run.answers);
        assert!(indicated(&run) < indicated(&all), "{most}");
        // How long an operation takes depends on the load of the machine.
        let untimed = run.answers.iter().filter(|answer| answer.gap != "latency");
        let untimed: Vec<_> = untimed.cloned().collect();
        assert_eq!(wrong_statements(&[], &untimed), Vec::<String>::new());
        // What is left is searched for all the same.
        assert_ne!(run.residue_search, SearchExtent::Nothing, "{most}");
    }
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
