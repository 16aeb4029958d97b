//! A target that others use and that is under load: records are created while the check runs, one response in ten is
//! late, one request in twenty gets a 503, and at most thirty a second are let through. That breaks nothing, and a run
//! that reports so has decided most facts.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use countersign::report::{FindingRecord, Outcome};
use countersign::service::{self, Profile, ProfileSetting, Service, StoreUrl};
use serde_json::{Value, json};
use tokio::time::Instant;
use tower::ServiceExt as _;

use super::call::TOKEN;
use super::checked::{Check, described};
use super::deviating::Deviation;
use crate::support::parallel::try_all;
use crate::support::sampled;

/// How many requests are let through in a second.
const RATE: usize = 30;
/// How late a response comes that comes late.
const LATE: Duration = Duration::from_millis(40);
/// The share of the facts that a green run has decided, in percent. These decide 95.
const DECIDED: usize = 85;

/// What disturbs the service, by a counter of its requests and a seed.
struct Disturbance {
    seed: u64,
    requests: AtomicU64,
    let_through: Mutex<Vec<Instant>>,
    counts: Mutex<Counts>,
    beneath: Router,
}

/// How often it did.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    away: u64,
    created: u64,
    late: u64,
    limited: u64,
}

#[test]
fn an_unstable_target_is_neither_called_broken_nor_passed_unseen() {
    try_all(sampled(2, 1..=4).collect(), disturbed);
}

#[test]
fn a_total_that_is_wrong_on_one_page_alone_is_no_list_that_changes() {
    let lists = vec!["getContacts", "getVenues", "getVisits", "getTags"];
    try_all(lists, async |list: &'static str| {
        // A list that changes while it is walked is walked again.
        let second = Deviation::none().at(list, |call, reply| {
            let total = reply.value_mut().unwrap().pointer_mut("/data/total").unwrap();
            if call.page() == Some(2) {
                *total = json!(total.as_i64().unwrap() + 1);
            }
        });
        let checked = Check::concerning(list).run(second).await;
        let denied: Vec<_> = checked.denied().map(described).collect();
        let is_total = |finding: &FindingRecord| finding.rule == "pages" && finding.response_pointer == "/data/total";
        let is_found = checked.denied().any(is_total) && checked.astray("pages").is_empty();
        (!is_found).then(|| format!("{list}: {denied:?}")).into_iter().collect()
    });
}

/// A list of contacts that has another order for each request: the last one comes first. `shows` says whether its
/// `updated_at` says why.
fn reordered(shows: bool) -> Deviation {
    let updates: Mutex<HashMap<String, u64>> = Mutex::default();
    Deviation::none().relisted(move |call, listing| {
        if !call.is("getContacts") {
            return;
        }
        let mut updates = updates.lock().unwrap();
        let number = |updates: &HashMap<String, u64>, item: &Value| updates.get(&item["id"].to_string()).copied();
        listing.change(|items| {
            items.sort_by_key(|item| Reverse(number(&updates, item)));
            let last = items.last().map(|item| item["id"].to_string());
            let count = u64::try_from(updates.len()).unwrap();
            let next = updates.values().max().map_or(count, |last| last + 1);
            updates.extend(last.map(|id| (id, next)));
            items.rotate_right(1);
            for item in items.iter_mut().filter(|_| shows) {
                if let Some(number) = number(&updates, item) {
                    let (minute, second) = (number / 60 % 60, number % 60);
                    item["updated_at"] = json!(format!("2099-01-01T00:{minute:02}:{second:02}Z"));
                }
            }
        });
    })
}

#[tokio::test]
async fn a_list_that_is_sorted_by_the_time_of_an_update_changes_while_others_update() {
    let sorted = Check::concerning("getContacts").judged(reordered(true)).await;
    let denied: Vec<_> = sorted.denied().collect();
    assert!(denied.is_empty(), "{denied:#?}");
    let unsorted = Check::concerning("getContacts").judged(reordered(false)).await;
    assert!(unsorted.denied().any(|finding| finding.rule == "pages"));
}

/// Checks a disturbed service, and hands back what is wrong with what is said of it.
async fn disturbed(seed: u64) -> Vec<String> {
    let profile = Profile::of(&[ProfileSetting::parse("page-size=10").unwrap()]).unwrap();
    let beneath = Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile).await;
    let beneath = service::app(beneath.unwrap());
    let disturbance = Arc::new(Disturbance {
        seed,
        requests: AtomicU64::new(0),
        let_through: Mutex::default(),
        counts: Mutex::default(),
        beneath: beneath.clone(),
    });
    let router = beneath.layer(middleware::from_fn_with_state(disturbance.clone(), disturb));
    let check = Check {
        settle: Duration::from_secs(5),
        seed,
        ..Check::default()
    };
    tokio::time::pause();
    let record = check.within(router).await;
    tokio::time::resume();
    let counts = *disturbance.counts.lock().unwrap();
    assert!(
        counts.away > 0 && counts.created > 0 && counts.late > 0 && counts.limited > 0,
        "{counts:?}"
    );
    let mut wrong: Vec<_> = record.findings.iter().map(described).collect();
    let decided = record.facts.held * 100 / record.facts.total;
    if record.outcome == Outcome::Conforms && decided < DECIDED {
        wrong.push(format!("green, and {decided} % of the facts were decided"));
    }
    wrong
        .iter()
        .map(|wrong| format!("seed {seed}, {counts:?}: {wrong}"))
        .collect()
}

async fn disturb(State(disturbance): State<Arc<Disturbance>>, request: Request, next: Next) -> Response {
    let number = disturbance.requests.fetch_add(1, Ordering::Relaxed);
    let count = |count: fn(&mut Counts)| count(&mut disturbance.counts.lock().unwrap());
    if !disturbance.lets_through() {
        count(|counts| counts.limited += 1);
        return (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "1")]).into_response();
    }
    if disturbance.draws(number, 1, 20) {
        count(|counts| counts.away += 1);
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    if disturbance.draws(number, 2, 4) {
        count(|counts| counts.created += 1);
        disturbance.create(number).await;
    }
    if disturbance.draws(number, 3, 10) {
        count(|counts| counts.late += 1);
        tokio::time::sleep(LATE).await;
    }
    next.run(request).await
}

impl Disturbance {
    /// Whether one of `of` requests draws what this is about.
    fn draws(&self, number: u64, about: u64, of: u64) -> bool {
        let mixed = (self.seed << 40 ^ about << 32 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 33).is_multiple_of(of)
    }

    /// Whether fewer than the rate were let through in the second before.
    fn lets_through(&self) -> bool {
        let mut through = self.let_through.lock().unwrap();
        through.retain(|at| at.elapsed() < Duration::from_secs(1));
        let lets = through.len() < RATE;
        if lets {
            through.push(Instant::now());
        }
        lets
    }

    /// Another client creates a record.
    async fn create(&self, number: u64) {
        if self.draws(number, 4, 2) {
            let contact = json!({"firstname": "Other", "lastname": format!("Client {number}")});
            return self.post("/organization/v1/contact-database", &contact).await;
        }
        let tag = json!({"name": format!("other {number}"), "color": "#1A2B3C"});
        self.post("/organization/v1/tags", &tag).await;
    }

    async fn post(&self, path: &str, body: &Value) {
        let mut request = Request::new(Body::from(body.to_string()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = path.parse().unwrap();
        let headers = request.headers_mut();
        headers.insert(header::AUTHORIZATION, format!("Bearer {TOKEN}").parse().unwrap());
        headers.insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
        let response = self.beneath.clone().oneshot(request).await.unwrap();
        assert!(response.status().is_success(), "{path}: {}", response.status());
    }
}
