//! What a run that asks answers of the gaps, against what the profile says.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use countersign::gaps::{Answer, Reason, State};
use countersign::run::{Ended, Run};
use serde_json::Value;
use tower::ServiceExt as _;

use super::answers::wrong;
use super::checker::{learned, learned_from};
use super::{app, combinations, single_settings};
use crate::support::crew::try_all;
use crate::support::tried;

/// The most requests and records that a run may cost.
const MOST: (u64, usize) = (400, 15);

/// How many profiles are drawn, and how many in the gate.
const PROFILES: (usize, usize) = (4, 200);

/// What the run of the default profile answers by trials, each with the number of answers.
const INDICATED: [(&str, usize); 18] = [
    ("channel-names", 1),
    ("compression", 5),
    ("country-values", 1),
    ("dob-format", 1),
    ("error-conditions", 5),
    ("gender-values", 1),
    ("nationality-values", 1),
    ("page-beyond-last", 4),
    ("page-size", 4),
    ("success-status", 5),
    ("tags-entries", 1),
    ("unknown-references", 1),
    ("unknown-request-fields", 1),
    ("update-response-body", 1),
    ("update-semantics", 1),
    ("type-values", 1),
    ("status-values", 1),
    ("value-spelling", 5),
];

#[test]
fn every_statement_is_that_of_the_profile() {
    let cases = single_settings().into_iter().map(Some).chain([None]).collect();
    try_all(cases, async |setting: Option<String>| {
        let settings: Vec<_> = setting.into_iter().collect();
        let run = learned(&settings).await;
        let stated = run.answers.iter().filter(|answer| answer.claim.is_some());
        let mut wrong: Vec<_> = stated.filter_map(|answer| wrong(&settings, answer)).collect();
        wrong.extend(too_dear(&run));
        wrong.extend(unasked(&run.answers));
        wrong
            .into_iter()
            .map(|wrong| format!("{settings:?}: {wrong}"))
            .collect()
    });
}

#[test]
fn every_statement_is_that_of_a_profile_that_is_drawn() {
    let profiles = combinations::profiles(7, tried(PROFILES.0, PROFILES.1));
    try_all(profiles, async |settings: Vec<String>| {
        let run = learned(&settings).await;
        let stated = run.answers.iter().filter(|answer| answer.claim.is_some());
        let wrong = stated.filter_map(|answer| wrong(&settings, answer));
        wrong.map(|wrong| format!("{settings:?}: {wrong}")).collect()
    });
}

#[tokio::test]
async fn a_run_that_asks_answers_what_a_check_cannot_tell() {
    let run = learned(&[]).await;
    let indicated = |gap: &str| {
        let of_gap = run.answers.iter().filter(|answer| answer.gap == gap);
        of_gap.filter(|answer| answer.state == State::Indicated).count()
    };
    let counted: Vec<_> = INDICATED.iter().map(|(gap, _)| (*gap, indicated(gap))).collect();
    assert_eq!(counted, INDICATED);
    let all = run.answers.iter().filter(|answer| answer.state == State::Indicated);
    assert_eq!(all.count(), INDICATED.iter().map(|(_, count)| count).sum::<usize>());
}

/// How the run cost more than it may, or did not end.
fn too_dear(run: &Run) -> Option<String> {
    let cost = (run.tally.sent, run.residue.len());
    let is_dear = cost.0 > MOST.0 || cost.1 > MOST.1 || run.ended != Ended::Complete;
    is_dear.then(|| format!("{:?} after {} requests, with {} records", run.ended, cost.0, cost.1))
}

/// The gaps that the run of the default profile answers by trials and this one does not, unless the trials show nothing.
fn unasked(answers: &[Answer]) -> Vec<String> {
    let missing = INDICATED.iter().filter(|(gap, _)| {
        let mut of_gap = answers.iter().filter(|answer| answer.gap == *gap);
        !of_gap.any(|answer| answer.state == State::Indicated || answer.reason == Some(Reason::Confounded))
    });
    missing
        .map(|(gap, _)| format!("{gap} was not answered by trials"))
        .collect()
}

/// What stands between a run and the service, and answers in its place: the number of the request, and the request.
type Layer = fn(u64, &Request) -> Option<StatusCode>;

/// Asks the service through a layer.
async fn learned_through(settings: &[String], layer: Layer) -> Run {
    let count = Arc::new(AtomicU64::new(0));
    let answer = move |request: Request, next: Next| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        async move {
            match layer(number, &request) {
                Some(status) => status.into_response(),
                None => next.run(request).await,
            }
        }
    };
    learned_from(app(settings).await.layer(from_fn(answer))).await
}

fn is_update(request: &Request) -> bool {
    request.method() == Method::PUT
}

#[tokio::test]
async fn what_fails_or_is_rejected_by_chance_makes_no_wrong_statement() {
    let layers: [(&str, Layer); 5] = [
        ("fails", |number, _| {
            (number % 11 == 5).then_some(StatusCode::BAD_GATEWAY)
        }),
        ("is throttled", |number, _| {
            (number % 13 == 7).then_some(StatusCode::TOO_MANY_REQUESTS)
        }),
        ("rejects updates", |number, request| {
            (number % 10 == 3 && is_update(request)).then_some(StatusCode::UNPROCESSABLE_ENTITY)
        }),
        ("rejects many updates", |number, request| {
            (number % 3 == 0 && is_update(request)).then_some(StatusCode::UNPROCESSABLE_ENTITY)
        }),
        ("rejects what asks", |number, request| {
            (number > 100 && is_update(request)).then_some(StatusCode::BAD_REQUEST)
        }),
    ];
    for (name, layer) in layers {
        let run = learned_through(&[], layer).await;
        let indicated = run.answers.iter().filter(|answer| answer.state == State::Indicated);
        let wrong: Vec<_> = indicated.filter_map(|answer| wrong(&[], answer)).collect();
        assert!(wrong.is_empty(), "a service that {name}: {wrong:#?}");
    }
}

#[tokio::test]
async fn a_service_that_accepts_a_value_and_drops_it_is_not_called_open() {
    let run = learned_from(app(&[]).await.layer(from_fn(drop_unknown_genders))).await;
    let gender = run.answers.iter().find(|answer| answer.gap == "gender-values").unwrap();
    assert_eq!(
        (gender.state, gender.reason),
        (State::CannotTell, Some(Reason::Confounded))
    );
    assert!(gender.trials.void > 0);
    let nationality = run
        .answers
        .iter()
        .find(|answer| answer.gap == "nationality-values")
        .unwrap();
    assert_eq!(nationality.state, State::Indicated);
}

/// Replaces a gender that is not known before the service sees it.
async fn drop_unknown_genders(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let mut sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = match sent.get_mut("gender") {
        Some(gender) if !["female", "male"].contains(&gender.as_str().unwrap_or_default()) => {
            *gender = "undisclosed".into();
            sent.to_string().into_bytes()
        }
        _ => body.to_vec(),
    };
    let mut head = head;
    head.headers.remove("content-length");
    next.run(Request::from_parts(head, Body::from(text))).await
}

#[tokio::test]
async fn two_replicas_that_answer_in_turn_are_unstable() {
    let [one, other] = [
        app(&["page-beyond-last=404".to_owned()]).await,
        app(&["get-venues-status=203".to_owned()]).await,
    ];
    let count = Arc::new(AtomicU64::new(0));
    let in_turn = move |request: Request| {
        let turn = count.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        let replica = if turn { one.clone() } else { other.clone() };
        async move { replica.oneshot(request).await.unwrap() }
    };
    let run = learned_from(Router::new().fallback(in_turn)).await;
    let of = |gap: &str| {
        let answers = run.answers.iter();
        let answer = answers.filter(|answer| answer.gap == gap && answer.operation.as_deref() == Some("getVenues"));
        answer.map(|answer| answer.state).collect::<Vec<_>>()
    };
    assert_eq!(of("page-beyond-last"), [State::Unstable]);
    assert_eq!(of("success-status"), [State::Unstable]);
}
