//! Judging beside parsing: the bytes per second of judging page responses, every rule on, as a ratio of what
//! `serde_json` reaches when it parses the same bytes into a `Value`.
//!
//! The program prints; it asserts nothing about time. The two are measured in turn, A B A B …, and each figure is a
//! median, so that a machine that slows down slows both.

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints its figures"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Request as HttpRequest;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use bytes::Bytes;
use countersign::contract::Contract;
use countersign::contract::fact::FactKind;
use countersign::exchange::redact::ValueDisplay;
use countersign::exchange::{Exchange, Purpose, RejectionMeaning, Request, Response};
use countersign::rules::{Judge, Levels, Verdict};
use countersign::service::{self, Service};
use secrecy::SecretString;
use serde_json::Value;
use tower::ServiceExt as _;

const TOKEN: &str = "benchmark-token";
const ROUNDS: usize = 31;
const ROUND: Duration = Duration::from_millis(40);
const LISTS: [(&str, &str); 4] = [
    ("getContacts", "/organization/v1/contact-database"),
    ("getVenues", "/organization/v1/venues"),
    ("getVisits", "/organization/v1/visits"),
    ("getTags", "/organization/v1/tags"),
];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // `cargo test --benches` runs this too; there is nothing to measure in a debug build.
    if cfg!(debug_assertions) {
        return;
    }
    println!(
        "{:<28} {:>10} {:>12} {:>12} {:>7}",
        "page", "bytes", "parse MB/s", "judge MB/s", "ratio"
    );
    for items in [10, 100] {
        for (operation, path) in LISTS {
            let body = page(path, items).await;
            compare(&format!("{operation}, {items} items"), operation, &body);
        }
    }
}

/// The first page of a list of the reference service, its items repeated until there are so many.
async fn page(path: &str, items: usize) -> Bytes {
    let service = Service::in_memory(SecretString::from(TOKEN)).expect("a store");
    let request = HttpRequest::get(path).header(AUTHORIZATION, format!("Bearer {TOKEN}"));
    let response = service::app(service)
        .oneshot(request.body(Body::empty()).expect("a request"))
        .await
        .expect("a response");
    assert!(response.status().is_success());
    let body = axum::body::to_bytes(response.into_body(), usize::MAX)
        .await
        .expect("a body");
    let mut page: Value = serde_json::from_slice(&body).expect("JSON");
    let listed = page["data"]["items"].as_array().expect("items").clone();
    page["data"]["items"] = listed.into_iter().cycle().take(items).collect();
    page.to_string().into()
}

fn compare(name: &str, operation: &str, body: &Bytes) {
    let contract = Contract::built_in().expect("the contract");
    let exchange = exchange(&contract, operation, body);
    let mut judge = Judge::new(&contract, Levels::default(), ValueDisplay::Hidden);
    let intent = Purpose::Documented(RejectionMeaning::Finding).into();
    let mut rates = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        rates.0.push(rate(body, || {
            black_box(serde_json::from_slice::<Value>(black_box(body)).expect("JSON"));
        }));
        rates.1.push(rate(body, || {
            black_box(judge.exchange(black_box(&exchange), intent));
        }));
    }
    assert!(
        judge.verdicts().findings().is_empty(),
        "{:?}",
        judge.verdicts().findings()
    );
    for kind in [FactKind::Json, FactKind::Decodes] {
        let fact = contract.fact_of(exchange.request.operation, kind).expect("the fact");
        assert_eq!(judge.verdicts().of(&contract, fact), Verdict::Held, "{kind:?}");
    }
    let (parse, judged) = (median(rates.0), median(rates.1));
    println!(
        "{name:<28} {:>10} {parse:>12.1} {judged:>12.1} {:>7.2}",
        body.len(),
        judged / parse
    );
}

/// Megabytes per second of doing it again and again.
fn rate(body: &Bytes, mut once: impl FnMut()) -> f64 {
    let started = Instant::now();
    let mut times = 0_u32;
    while started.elapsed() < ROUND {
        for _ in 0..16 {
            once();
        }
        times += 16;
    }
    body.len() as f64 * f64::from(times) / started.elapsed().as_secs_f64() / 1e6
}

fn exchange(contract: &Contract, operation: &str, body: &Bytes) -> Exchange {
    let id = contract.operation_named(operation).expect("an operation");
    let documented = contract.operation(id);
    let request = Request::unfilled(id, documented);
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    let response = Response {
        status: 200,
        headers,
        body: body.clone(),
        was_compressed: false,
        is_body_known: true,
        are_headers_known: true,
        location: None,
        elapsed: Duration::ZERO,
    };
    Exchange {
        number: 1,
        request,
        sent_after: Duration::ZERO,
        outcome: Ok(response),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
