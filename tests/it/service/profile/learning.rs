//! What a run that asks answers of the gaps, against what the profile says.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse as _;
use axum::{Json, Router};
use countersign::gaps::{
    Answer, AnswerState, Claim, Duplicate, Trial, TrialClaim, TrialOutcome, UnknownHandling, UnsentFields, ValueSet,
    WhyUnanswered,
};
use countersign::history::SearchExtent;
use countersign::run::{Run, RunEnd};
use serde_json::{Map, Value, json};
use tower::ServiceExt as _;

use super::answers::{wrong, wrong_statements};
use super::checker::{
    CONTRACT, learned, learned_about, learned_alone, learned_from, learned_of, learned_without_limit,
};
use super::{TOKEN, app, asked_settings, combinations};
use crate::support::parallel::try_all;
use crate::support::{sampled, tried};

/// The most requests and records that a run may cost.
const MOST: (u64, usize) = (400, 15);

/// How many profiles are drawn, and how many in the gate.
const PROFILES: (usize, usize) = (1, 200);

/// What the run of the default profile answers by trials, each with the number of answers.
const INDICATED: [(&str, usize); 19] = [
    ("compression", 3),
    ("country-values", 1),
    ("dob-format", 1),
    ("error-conditions", 5),
    ("field-sizes", 2),
    ("gender-values", 1),
    ("nationality-values", 1),
    ("page-beyond-last", 4),
    ("page-size", 4),
    ("required-fields", 5),
    ("success-status", 5),
    ("tags-entries", 1),
    ("unknown-references", 4),
    ("unknown-request-fields", 1),
    ("update-response-body", 1),
    ("update-semantics", 1),
    ("type-values", 1),
    ("status-values", 1),
    ("value-spelling", 5),
];

/// The least share, in percent, of what is answered about the default profile that is answered about others as well:
/// about those that differ from it in one value, and about those that are drawn, whose rate limits, delays and
/// rejections keep some of it from being seen.
const ANSWERED: (usize, usize) = (99, 80);

/// How much of what is answered about the default profile is answered about others.
#[derive(Default)]
struct Recall {
    answered: AtomicUsize,
    of: AtomicUsize,
}

impl Recall {
    async fn count(&self, run: &Run) {
        let claimed = |run: &Run| -> HashSet<_> {
            let with_claim = run.answers.iter().filter(|answer| answer.claim.is_some());
            let place = |answer: &Answer| (answer.gap.clone(), answer.operation.clone(), answer.location.clone());
            with_claim.map(place).collect()
        };
        let expected = claimed(learned_of(None).await);
        let answered = claimed(run).intersection(&expected).count();
        self.answered.fetch_add(answered, Ordering::Relaxed);
        self.of.fetch_add(expected.len(), Ordering::Relaxed);
    }

    fn assert_at_least(&self, percent: usize) {
        let (answered, of) = (self.answered.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed));
        assert!(answered * 100 >= of * percent, "{answered} of {of} are answered");
    }
}

#[test]
fn every_statement_is_that_of_the_profile() {
    let cases = asked_settings().into_iter().map(Some).chain([None]).collect();
    let recall = Recall::default();
    try_all(cases, async |setting: Option<String>| {
        let run = learned_of(setting.as_ref()).await;
        recall.count(run).await;
        let settings: Vec<_> = setting.into_iter().collect();
        let others = too_dear(run).into_iter().chain(unasked(&run.answers));
        let others = others.chain(miscounted(run));
        let others = others.map(|wrong| format!("{settings:?}: {wrong}"));
        wrong_statements(&settings, &run.answers)
            .into_iter()
            .chain(others)
            .collect()
    });
    recall.assert_at_least(ANSWERED.0);
}

#[test]
fn every_statement_is_that_of_a_profile_that_is_drawn() {
    let profiles = combinations::profiles(7, tried(PROFILES.0, PROFILES.1));
    let recall = Recall::default();
    try_all(profiles, async |settings: Vec<String>| {
        let run = learned(&settings).await;
        recall.count(&run).await;
        wrong_statements(&settings, &run.answers)
    });
    recall.assert_at_least(ANSWERED.1);
}

#[test]
fn every_statement_about_one_gap_alone_is_that_of_a_profile_that_is_drawn() {
    let profiles = combinations::profiles(11, tried(1, 20));
    let asked = profiles.into_iter().enumerate().flat_map(|(index, settings)| {
        let gaps = INDICATED.iter().skip(index % 6).step_by(tried(9, 1));
        gaps.map(move |(gap, _)| (*gap, settings.clone()))
    });
    try_all(asked.collect(), async |(gap, settings): (&str, Vec<String>)| {
        let run = learned_alone(&[gap], app(&settings).await).await;
        let wrong = wrong_statements(&settings, &run.answers).into_iter();
        wrong.map(|wrong| format!("{gap} alone, {wrong}")).collect()
    });
}

#[tokio::test]
async fn a_run_that_asks_answers_what_a_check_cannot_tell() {
    let run = learned_of(None).await;
    let indicated = |gap: &str| {
        let of_gap = run.answers.iter().filter(|answer| answer.gap == gap);
        of_gap.filter(|answer| answer.state == AnswerState::Indicated).count()
    };
    let counted: Vec<_> = INDICATED.iter().map(|(gap, _)| (*gap, indicated(gap))).collect();
    assert_eq!(counted, INDICATED);
    let all = run
        .answers
        .iter()
        .filter(|answer| answer.state == AnswerState::Indicated);
    assert_eq!(all.count(), INDICATED.iter().map(|(_, count)| count).sum::<usize>());
}

/// How the run cost more than it may, or did not end.
fn too_dear(run: &Run) -> Option<String> {
    let cost = (run.tally.sent, run.residue.len());
    let is_dear = cost.0 > MOST.0 || cost.1 > MOST.1 || run.ended != RunEnd::Complete;
    is_dear.then(|| format!("{:?} after {} requests, with {} records", run.ended, cost.0, cost.1))
}

/// The gaps that the run of the default profile answers by trials and this one does not, unless the trials show
/// nothing.
fn unasked(answers: &[Answer]) -> Vec<String> {
    let missing = INDICATED.iter().filter(|(gap, _)| {
        let mut of_gap = answers.iter().filter(|answer| answer.gap == *gap);
        // What becomes of an unknown reference that is accepted, no response shows.
        let unknown = (UnknownHandling::Ignored, "unknown-references");
        let is_unseen = |answer: &Answer| match answer.claim {
            Some(Claim::UnknownHandled { handling: known, .. }) => {
                (known, *gap) == unknown && answer.state == AnswerState::Seen
            }
            _ => answer.reason == Some(WhyUnanswered::Inconclusive),
        };
        !of_gap.any(|answer| answer.state == AnswerState::Indicated || is_unseen(answer))
    });
    missing
        .map(|(gap, _)| format!("{gap} was not answered by trials"))
        .collect()
}

/// The gaps that trials alone answer, each of which says by itself what the answer claims.
const OF_TRIALS_ALONE: [&str; 5] = [
    "duplicates", "gender-values", "page-beyond-last", "unknown-request-fields", "update-semantics",
];

/// The answers that do not count the trials that the run lists.
fn miscounted(run: &Run) -> Vec<String> {
    let of_trials = run
        .answers
        .iter()
        .filter(|answer| answer.claim.is_some() && OF_TRIALS_ALONE.contains(&answer.gap.as_str()));
    let is_counted = |trial: &&Trial, answer: &Answer| {
        let at = (Some(&trial.operation), Some(&trial.location));
        trial.gap == answer.gap
            && at == (answer.operation.as_ref(), answer.location.as_ref())
            && trial.outcome != TrialOutcome::Void
            && !matches!(trial.claim, Some(TrialClaim::OfRequest { .. }))
    };
    let miscounted = of_trials.filter_map(|answer| {
        let listed = run.trials.iter().filter(|trial| is_counted(trial, answer));
        let listed: u64 = listed.map(|trial| trial.count).sum();
        let counted = answer.observations.supporting + answer.observations.against;
        (listed != counted).then(|| format!("{listed} trials are listed, {answer:?}"))
    });
    miscounted.collect()
}

/// What stands between a run and the service, and answers in its place: the number of the request, and the request.
pub(super) type Layer = fn(u64, &Request) -> Option<StatusCode>;

/// Asks the service through a layer, with as many requests as it takes: what a limit leaves open is another matter.
async fn learned_through(settings: &[String], layer: Layer) -> Run {
    learned_without_limit(behind(layer, app(settings).await)).await
}

/// Puts a layer in front of a service.
pub(super) fn behind(layer: Layer, service: Router) -> Router {
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
    service.layer(from_fn(answer))
}

pub(super) fn is_update(request: &Request) -> bool {
    request.method() == Method::PUT
}

#[tokio::test]
async fn what_fails_or_is_rejected_by_chance_makes_no_wrong_statement() {
    let layers: [(&str, usize, Layer); 6] = [
        // Without a first update that is accepted, nothing is asked by updates.
        ("fails", 41, |number, _| {
            (number > 100 && number % 11 == 4).then_some(StatusCode::BAD_GATEWAY)
        }),
        // Of eleven places to fail, this one costs the most answers.
        ("fails where most depends on it", 33, |number, _| {
            (number > 100 && number % 11 == 5).then_some(StatusCode::BAD_GATEWAY)
        }),
        ("is throttled", 34, |number, _| {
            (number % 13 == 7).then_some(StatusCode::TOO_MANY_REQUESTS)
        }),
        ("rejects updates", 34, |number, request| {
            (number % 10 == 3 && is_update(request)).then_some(StatusCode::UNPROCESSABLE_ENTITY)
        }),
        ("rejects many updates", 28, |number, request| {
            (number % 3 == 0 && is_update(request)).then_some(StatusCode::UNPROCESSABLE_ENTITY)
        }),
        ("rejects what asks", 20, |number, request| {
            (number > 100 && is_update(request)).then_some(StatusCode::BAD_REQUEST)
        }),
    ];
    for (name, least, layer) in sampled(3, layers) {
        let run = learned_through(&[], layer).await;
        let indicated = run
            .answers
            .iter()
            .filter(|answer| answer.state == AnswerState::Indicated);
        let wrong: Vec<_> = indicated.clone().filter_map(|answer| wrong(&[], answer)).collect();
        assert!(wrong.is_empty(), "a service that {name}: {wrong:#?}");
        let count = indicated.count();
        assert!(count >= least, "a service that {name}: {count}");
    }
}

/// The path of the list of contacts, and of their create.
pub(super) const CONTACTS: &str = "/organization/v1/contact-database";

/// What a page of contacts shows.
async fn contacts(service: Router, page: u64) -> Vec<Value> {
    let request = Request::builder().uri(format!("{CONTACTS}?page={page}"));
    let request = request.header(AUTHORIZATION, format!("Bearer {TOKEN}"));
    let response = service.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let page = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let page: Value = serde_json::from_slice(&page).unwrap();
    page["data"]["items"].as_array().unwrap().clone()
}

/// Changes a contact of this page instead of creating one, and returns it.
async fn upserted(service: Router, (page, id): (u64, &str), create: Request) -> axum::response::Response {
    let (mut head, body) = create.into_parts();
    (head.method, head.uri) = (Method::PUT, format!("{CONTACTS}/{id}").parse().unwrap());
    let request = Request::from_parts(head, body);
    let updated = service.clone().oneshot(request).await.unwrap();
    if !updated.status().is_success() {
        return updated;
    }
    let mut contacts = contacts(service, page).await.into_iter();
    let mut contact = contacts.find(|contact| contact["id"] == id).unwrap();
    contact.as_object_mut().unwrap().remove("custom_fields");
    (StatusCode::CREATED, Json(json!({"message": "", "data": contact}))).into_response()
}

#[tokio::test]
async fn nothing_is_written_under_an_identifier_that_a_list_has_shown() {
    assert_not_written_to(&[], 1).await;
}

#[tokio::test]
async fn nothing_is_written_under_an_identifier_of_a_page_that_nobody_has_read() {
    // Of a list with one contact on each page, the run reads the first three and the last.
    assert_not_written_to(&["page-size=1".to_owned()], 10).await;
}

/// Learns from a service whose creates change the first contact of a page instead: the run writes nothing to that
/// contact.
async fn assert_not_written_to(settings: &[String], page: u64) {
    let service = app(settings).await;
    let stranger = contacts(service.clone(), page).await[0]["id"].clone();
    let stranger = stranger.as_str().unwrap().to_owned();
    let (creates, written) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (created, wrote, upserting) = (Arc::clone(&creates), Arc::clone(&written), service.clone());
    let upsert = move |request: Request, next: Next| {
        let is_create = request.method() == Method::POST && request.uri().path() == CONTACTS;
        let is_write = request.method() != Method::GET && request.headers().contains_key(AUTHORIZATION);
        let is_of_stranger = is_write && request.uri().path().contains(&stranger);
        created.fetch_add(u64::from(is_create), Ordering::Relaxed);
        wrote.fetch_add(u64::from(is_of_stranger), Ordering::Relaxed);
        let (stranger, service) = (stranger.clone(), upserting.clone());
        async move {
            match is_create {
                true => upserted(service, (page, &stranger), request).await,
                false => next.run(request).await,
            }
        }
    };
    learned_from(service.layer(from_fn(upsert))).await;
    assert!(creates.load(Ordering::Relaxed) > 0);
    assert_eq!(written.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_create_that_may_have_stored_its_record_is_not_sent_again() {
    let settings = ["required-fields=least".to_owned()];
    let sent = Arc::new(Mutex::new(HashMap::<_, u64>::new()));
    let counted = Arc::clone(&sent);
    // The responses to creates without any field are lost.
    let gateway = move |request: Request, next: Next| {
        let is_create = request.method() == Method::POST && request.headers().contains_key(AUTHORIZATION);
        let counted = Arc::clone(&counted);
        async move {
            let (head, body) = request.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            let is_lost = is_create && body == "{}";
            if is_lost {
                let mut counted = counted.lock().unwrap();
                *counted.entry(head.uri.path().to_owned()).or_default() += 1;
            }
            let response = next.run(Request::from_parts(head, Body::from(body))).await;
            match is_lost {
                true => StatusCode::BAD_GATEWAY.into_response(),
                false => response,
            }
        }
    };
    learned_from(app(&settings).await.layer(from_fn(gateway))).await;
    let sent = sent.lock().unwrap();
    assert!(sent.len() > 1 && sent.values().all(|times| *times == 1), "{sent:?}");
}

/// What is known of the effect of a contact's venue.
fn effect(run: &Run) -> (AnswerState, Option<Value>, Option<WhyUnanswered>) {
    let mut of_gap = run.answers.iter().filter(|answer| answer.gap == "venue-of-contact");
    let answer = of_gap.next().unwrap();
    assert_eq!(answer.operation.as_deref(), Some("createContact"));
    let claim = answer.claim.as_ref().map(|claim| serde_json::to_value(claim).unwrap());
    (answer.state, claim, answer.reason)
}

#[tokio::test]
async fn the_effect_of_a_field_is_seen_where_records_with_it_and_without_it_differ() {
    for (setting, does) in [
        ("venue-of-contact=visited", "records-a-visit"),
        ("venue-of-contact=kept", "nothing-shown"),
    ] {
        let run = learned_about(&["venue-of-contact"], app(&[setting.to_owned()]).await).await;
        assert_eq!(
            effect(&run),
            (AnswerState::Seen, Some(json!({"does": does})), None),
            "{setting}"
        );
    }
}

#[tokio::test]
async fn what_each_record_has_is_no_effect_of_a_field() {
    // A service that records a visit of each contact, whatever it was sent.
    let service = app(&["venue-of-contact=kept".to_owned()]).await;
    let behind = service.clone();
    let visits = move |request: Request, next: Next| {
        let is_create = request.method() == Method::POST && request.uri().path() == CONTACTS;
        let service = behind.clone();
        async move {
            let response = next.run(request).await;
            if !is_create || !response.status().is_success() {
                return response;
            }
            let (head, body) = response.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            let created: Value = serde_json::from_slice(&body).unwrap();
            let visit = json!({
                "contact_id": created["data"]["id"],
                "venue_id": "04000000-0000-4000-8000-000000000001",
                "datetime": "2024-03-01T10:00:00Z",
            });
            let visit = Request::post("/organization/v1/visits")
                .header(AUTHORIZATION, format!("Bearer {TOKEN}"))
                .header("content-type", "application/json")
                .body(Body::from(visit.to_string()));
            let recorded = service.oneshot(visit.unwrap()).await.unwrap();
            assert!(recorded.status().is_success());
            axum::response::Response::from_parts(head, Body::from(body))
        }
    };
    let run = learned_about(&["venue-of-contact"], service.layer(from_fn(visits))).await;
    assert_eq!(
        effect(&run),
        (AnswerState::CannotTell, None, Some(WhyUnanswered::Inconclusive))
    );
}

/// What stands before the service and handles its updates: the number of the request, and what it sends. A status
/// rejects it.
pub(super) type Handler = Box<dyn Fn(u64, &mut Map<String, Value>) -> Option<StatusCode> + Send + Sync>;

/// Asks the service, with its updates handled in this way.
pub(super) async fn learned_with_updates(gaps: &[&str], handler: Handler) -> Run {
    learned_handling(is_update, gaps, &[], handler).await
}

/// Whether a request is of some kind.
pub(super) type Kind = fn(&Request) -> bool;

/// Asks the service about these gaps, with these requests handled in this way.
pub(super) async fn learned_handling(is_handled: Kind, gaps: &[&str], settings: &[String], handler: Handler) -> Run {
    let (count, handler) = (Arc::new(AtomicU64::new(0)), Arc::new(handler));
    let handle = move |request: Request, next: Next| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let handler = Arc::clone(&handler);
        async move {
            if !is_handled(&request) {
                return next.run(request).await;
            }
            let (mut head, body) = request.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            let Ok(mut sent) = serde_json::from_slice(&body) else {
                return next.run(Request::from_parts(head, Body::from(body))).await;
            };
            if let Some(status) = handler(number, &mut sent) {
                return status.into_response();
            }
            head.headers.remove("content-length");
            let body = Body::from(Value::Object(sent).to_string());
            next.run(Request::from_parts(head, body)).await
        }
    };
    learned_about(gaps, app(settings).await.layer(from_fn(handle))).await
}

/// Whether the gender is one that no record of the service has.
fn has_unknown_gender(sent: &Map<String, Value>) -> bool {
    let gender = sent.get("gender").and_then(Value::as_str);
    gender.is_some_and(|gender| !["female", "male"].contains(&gender.to_lowercase().as_str()))
}

fn has_unknown_field(sent: &Map<String, Value>) -> bool {
    sent.keys().any(|name| name.starts_with("countersign"))
}

/// How well the answer to a gap is known after the updates were handled in this way.
async fn state_with_updates(
    gap: &str,
    handler: impl Fn(u64, &mut Map<String, Value>) -> Option<StatusCode> + Send + Sync + 'static,
) -> AnswerState {
    let run = learned_with_updates(&[gap], Box::new(handler)).await;
    run.answers.iter().find(|answer| answer.gap == gap).unwrap().state
}

#[tokio::test]
async fn replicas_that_handle_updates_in_turn_are_unstable() {
    for (replicas, of_them) in sampled(3, [(2, 0), (2, 1), (3, 0), (3, 1)]) {
        let fields = state_with_updates("unknown-request-fields", move |number, sent| {
            (number % replicas == of_them && has_unknown_field(sent)).then_some(StatusCode::UNPROCESSABLE_ENTITY)
        });
        assert_eq!(fields.await, AnswerState::Unstable, "{replicas} replicas");
        let values = state_with_updates("gender-values", move |number, sent| {
            if number % replicas == of_them && has_unknown_gender(sent) {
                sent.insert("gender".to_owned(), "undisclosed".into());
            }
            None
        });
        assert_eq!(
            values.await,
            AnswerState::Unstable,
            "{replicas} replicas, one of which drops values"
        );
        let semantics = state_with_updates("update-semantics", move |number, sent| {
            if number % replicas == of_them && sent.len() == 1 {
                let blank = ["gender", "nationality", "country_of_residence", "dob"];
                sent.extend(blank.map(|name| (name.to_owned(), "".into())));
                sent.extend(["contact_methods", "tags"].map(|name| (name.to_owned(), json!([]))));
            }
            None
        });
        assert_eq!(
            semantics.await,
            AnswerState::Unstable,
            "{replicas} replicas, one of which clears"
        );
    }
}

#[tokio::test]
async fn what_is_accepted_and_dropped_or_rejected_for_another_reason_is_no_answer() {
    let dropped = state_with_updates("gender-values", |_, sent| {
        if has_unknown_gender(sent) {
            sent.insert("gender".to_owned(), "undisclosed".into());
        }
        None
    });
    assert_eq!(dropped.await, AnswerState::CannotTell);
    let first = OnceLock::new();
    let unchangeable = state_with_updates("gender-values", move |_, sent| {
        let gender = sent.get("gender")?.clone();
        let is_first = *first.get_or_init(|| gender.clone()) == gender;
        (!is_first).then_some(StatusCode::UNPROCESSABLE_ENTITY)
    });
    assert_eq!(unchangeable.await, AnswerState::CannotTell);
    let conflict = state_with_updates("gender-values", |_, sent| {
        has_unknown_gender(sent).then_some(StatusCode::CONFLICT)
    });
    assert_eq!(conflict.await, AnswerState::CannotTell);
    let forbidden_at_times = state_with_updates("gender-values", |number, sent| {
        (number % 2 == 0 && has_unknown_gender(sent)).then_some(StatusCode::FORBIDDEN)
    });
    assert_eq!(forbidden_at_times.await, AnswerState::Unstable);
    let cleared_in_part = state_with_updates("update-semantics", |_, sent| {
        if sent.len() == 1 {
            sent.insert("contact_methods".to_owned(), json!([]));
        }
        None
    });
    assert_eq!(cleared_in_part.await, AnswerState::CannotTell);
    let run = learned_with_updates(&["dob-format"], Box::new(|_, sent| sent.remove("dob").and(None))).await;
    let date = run.answers.iter().filter(|answer| answer.gap == "dob-format");
    assert!(date.clone().count() > 0);
    for answer in date {
        assert_ne!(
            answer.state,
            AnswerState::Indicated,
            "a date that is never stored: {answer:?}"
        );
    }
}

#[tokio::test]
async fn a_list_of_values_is_closed_only_if_another_known_value_is_accepted() {
    let closed = learned_about(&["gender-values"], app(&["gender-values=closed".to_owned()]).await).await;
    let gender = closed
        .answers
        .iter()
        .find(|answer| answer.gap == "gender-values")
        .unwrap();
    assert_eq!(
        (gender.state, &gender.claim),
        (
            AnswerState::Indicated,
            &Some(Claim::AllowedValues { set: ValueSet::Closed })
        )
    );
}

#[tokio::test]
async fn a_run_that_asks_looks_for_what_it_created_at_once() {
    let run = learned_about(&["created-listed-when"], app(&[]).await).await;
    let listed = run.answers.iter().filter(|answer| answer.gap == "created-listed-when");
    let claims: Vec<_> = listed.map(|answer| answer.claim.clone()).collect();
    assert_eq!(claims, vec![Some(Claim::Duration { after_ms: [0, 0] }); 4]);
}

#[tokio::test]
async fn what_no_response_shows_is_no_more_than_seen() {
    let run = learned_about(&["channel-names"], app(&[]).await).await;
    let channels = run.answers.iter().find(|answer| answer.gap == "channel-names").unwrap();
    assert_eq!(
        (channels.state, &channels.claim),
        (AnswerState::Seen, &Some(Claim::AllowedValues { set: ValueSet::Open }))
    );
}

#[tokio::test]
async fn a_service_that_asks_for_no_credential_at_times_is_unstable() {
    let count = Arc::new(AtomicU64::new(0));
    let answer = move |mut request: Request, next: Next| {
        let is_open = !request.headers().contains_key(AUTHORIZATION) && count.fetch_add(1, Ordering::Relaxed) % 2 == 1;
        if is_open {
            let token = format!("Bearer {TOKEN}").parse().unwrap();
            request.headers_mut().insert(AUTHORIZATION, token);
        }
        next.run(request)
    };
    let run = learned_about(&["error-conditions"], app(&[]).await.layer(from_fn(answer))).await;
    let conditions = run.answers.iter().filter(|answer| answer.gap == "error-conditions");
    let of_venues = conditions.filter(|answer| answer.operation.as_deref() == Some("getVenues"));
    let states: Vec<_> = of_venues.map(|answer| answer.state).collect();
    assert_eq!(states, [AnswerState::Unstable]);
}

#[tokio::test]
async fn an_update_that_shows_late_is_waited_for() {
    let answer = async |request: Request, next: Next| {
        if !is_update(&request) {
            return next.run(request).await;
        }
        tokio::spawn(async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            next.run(request).await
        });
        Json(json!({"message": "Contact updated"})).into_response()
    };
    // All gaps would take more requests than a run may send, because each wait takes some.
    let run = learned_alone(&["update-semantics"], app(&[]).await.layer(from_fn(answer))).await;
    let semantics = run
        .answers
        .iter()
        .find(|answer| answer.gap == "update-semantics")
        .unwrap();
    assert_eq!(
        (semantics.state, &semantics.claim),
        (
            AnswerState::Indicated,
            &Some(Claim::UnsentFields {
                unsent: UnsentFields::Kept
            })
        )
    );
}

#[tokio::test]
async fn an_update_of_one_field_is_a_success_like_others() {
    let answer = async |request: Request, next: Next| {
        let is_short = is_update(&request) && request.body().size_hint().exact().is_some_and(|size| size < 80);
        let mut response = next.run(request).await;
        if is_short && response.status() == StatusCode::OK {
            *response.status_mut() = StatusCode::ACCEPTED;
        }
        response
    };
    let run = learned_about(
        &["success-status", "update-semantics"],
        app(&[]).await.layer(from_fn(answer)),
    )
    .await;
    let of_update = |answer: &&Answer| answer.operation.as_deref() == Some("updateContact");
    let mut statuses = run.answers.iter().filter(|answer| answer.gap == "success-status");
    assert_eq!(statuses.find(of_update).unwrap().state, AnswerState::Unstable);
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
    let run = learned_about(&["page-beyond-last", "success-status"], Router::new().fallback(in_turn)).await;
    let of = |gap: &str| {
        let answers = run.answers.iter();
        let answer = answers.filter(|answer| answer.gap == gap && answer.operation.as_deref() == Some("getVenues"));
        answer.map(|answer| answer.state).collect::<Vec<_>>()
    };
    assert_eq!(of("page-beyond-last"), [AnswerState::Unstable]);
    assert_eq!(of("success-status"), [AnswerState::Unstable]);
}

/// The state of an answer to a gap that one request in ten gets another answer to: a canary has these settings, too.
async fn state_behind_canary(gap: &str, canary: &[&str], seed: u64) -> AnswerState {
    let canary: Vec<_> = canary.iter().map(ToString::to_string).collect();
    let [one, other] = [app(&[]).await, app(&canary).await];
    let count = Arc::new(AtomicU64::new(seed * 1_000));
    let answer = move |request: Request| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        // Only reads, because each service has a store of its own.
        let is_read = request.method() == Method::GET;
        let is_of_canary = is_read && number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & 0xff < 26;
        let service = if is_of_canary { other.clone() } else { one.clone() };
        async move { service.oneshot(request).await.unwrap() }
    };
    let run = learned_alone(&[gap, "success-status"], Router::new().fallback(answer)).await;
    let answers = run.answers.iter().filter(|answer| answer.gap == gap);
    let best = answers
        .map(|answer| answer.state)
        .find(|state| *state == AnswerState::Indicated);
    best.unwrap_or(AnswerState::Seen)
}

#[tokio::test]
async fn what_four_trials_show_is_only_seen_if_reads_show_that_a_canary_answers_some() {
    for seed in sampled(3, 0..9) {
        let canary = [
            "get-venues-status=203",
            "get-contacts-status=203",
            "page-beyond-last=404",
        ];
        let state = state_behind_canary("page-beyond-last", &canary, seed).await;
        assert_eq!(state, AnswerState::Seen, "{seed}");
    }
    let state = state_behind_canary("page-beyond-last", &[], 0).await;
    assert_eq!(state, AnswerState::Indicated);
}

fn creates_contact(request: &Request) -> bool {
    request.method() == Method::POST && request.uri().path().ends_with("/contact-database")
}

pub(super) fn creates_tag(request: &Request) -> bool {
    request.method() == Method::POST && request.uri().path().ends_with("/tags")
}

/// The answer to a gap about an operation.
pub(super) fn answer<'run>(run: &'run Run, gap: &str, operation: &str) -> &'run Answer {
    let mut answers = run.answers.iter();
    let is_it = |answer: &&Answer| answer.gap == gap && answer.operation.as_deref() == Some(operation);
    answers.find(is_it).unwrap()
}

/// The gaps that creates alone are asked about.
const OF_CREATES: [&str; 2] = ["duplicates", "required-fields"];

#[tokio::test]
async fn of_fields_either_of_which_is_enough_none_is_called_required() {
    let either: Handler = Box::new(|_, sent| {
        let has_one = sent.contains_key("firstname") || sent.contains_key("lastname");
        (!has_one).then_some(StatusCode::UNPROCESSABLE_ENTITY)
    });
    let run = learned_handling(
        creates_contact,
        &["required-fields"],
        &["required-fields=least".to_owned()],
        either,
    )
    .await;
    let required = answer(&run, "required-fields", "createContact");
    assert_eq!(
        (required.state, required.reason),
        (AnswerState::CannotTell, Some(WhyUnanswered::Inconclusive))
    );
}

#[tokio::test]
async fn replicas_that_require_other_fields_are_no_answer() {
    for (replicas, of_them) in sampled(4, [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]) {
        let operations: [(Kind, &str); 2] = [(is_update, "updateContact"), (creates_contact, "createContact")];
        // Two records that a create accepts may both be of one replica, if there are three.
        for (is_handled, operation) in operations.into_iter().take(if replicas == 2 { 2 } else { 1 }) {
            let differ: Handler = Box::new(move |number, sent| {
                let rejects = number % replicas == of_them && !sent.contains_key("lastname");
                rejects.then_some(StatusCode::UNPROCESSABLE_ENTITY)
            });
            let run = learned_handling(is_handled, &["required-fields"], &[], differ).await;
            let required = answer(&run, "required-fields", operation);
            assert_ne!(
                required.state,
                AnswerState::Indicated,
                "{replicas} replicas: {required:?}"
            );
        }
    }
}

#[tokio::test]
async fn creates_that_are_rejected_by_chance_make_no_wrong_statement() {
    for every in sampled(4, 2..10) {
        let rejects: Handler =
            Box::new(move |number, _| (number % every == 0).then_some(StatusCode::UNPROCESSABLE_ENTITY));
        let run = learned_handling(|request| request.method() == Method::POST, &OF_CREATES, &[], rejects).await;
        let stated = run.answers.iter().filter(|answer| answer.claim.is_some());
        let of_creates = stated.filter(|answer| OF_CREATES.contains(&answer.gap.as_str()));
        let wrong: Vec<_> = of_creates
            .filter(|answer| answer.state != AnswerState::Unstable)
            .filter_map(|answer| wrong(&[], answer))
            .collect();
        assert!(wrong.is_empty(), "every {every}: {wrong:#?}");
    }
}

#[tokio::test]
async fn a_create_that_is_rejected_from_some_point_on_says_nothing() {
    let count = AtomicU64::new(0);
    let rejects: Handler = Box::new(move |_, _| {
        let is_first = count.fetch_add(1, Ordering::Relaxed) == 0;
        (!is_first).then_some(StatusCode::UNPROCESSABLE_ENTITY)
    });
    let run = learned_handling(creates_tag, &OF_CREATES, &[], rejects).await;
    for gap in OF_CREATES {
        let tags = answer(&run, gap, "createTag");
        assert_eq!(
            (tags.state, tags.reason),
            (AnswerState::CannotTell, Some(WhyUnanswered::Inconclusive)),
            "{gap}"
        );
    }
}

#[tokio::test]
async fn a_create_that_returns_the_equal_record_again_neither_accepts_nor_rejects_it() {
    let known = Arc::new(Mutex::new(HashMap::new()));
    let answers = move |request: Request, next: Next| {
        let known = Arc::clone(&known);
        async move {
            if !creates_tag(&request) {
                return next.run(request).await;
            }
            let (head, body) = request.into_parts();
            let sent = to_bytes(body, usize::MAX).await.unwrap();
            let before = known.lock().unwrap().get(&sent).cloned();
            if let Some(body) = before {
                return (StatusCode::CREATED, [("content-type", "application/json")], body).into_response();
            }
            let response = next.run(Request::from_parts(head, Body::from(sent.clone()))).await;
            let (head, body) = response.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            if head.status.is_success() {
                known.lock().unwrap().insert(sent, body.clone());
            }
            (head, body).into_response()
        }
    };
    let run = learned_about(&["duplicates"], app(&[]).await.layer(from_fn(answers))).await;
    let tags = answer(&run, "duplicates", "createTag");
    assert_eq!(
        (tags.state, tags.reason),
        (AnswerState::CannotTell, Some(WhyUnanswered::Inconclusive))
    );
    let methods = answer(&run, "duplicates", "createContactMethod");
    assert_eq!(
        methods.claim,
        Some(Claim::Duplicate {
            duplicate: Duplicate::Accepted
        })
    );
}

/// What is required is asked with bodies that lack what tells two contacts apart; none of them is sent again as a
/// duplicate.
#[tokio::test]
async fn a_create_that_rejects_an_address_in_use_is_not_said_to_accept_equal_records() {
    let known = Arc::new(Mutex::new(HashSet::new()));
    let answers = move |request: Request, next: Next| {
        let known = Arc::clone(&known);
        async move {
            let creates = request.method() == Method::POST && request.uri().path().ends_with("/contact-database");
            if !creates {
                return next.run(request).await;
            }
            let (head, body) = request.into_parts();
            let sent = to_bytes(body, usize::MAX).await.unwrap();
            let body: Value = serde_json::from_slice(&sent).unwrap_or_default();
            let methods = body["contact_methods"].as_array().into_iter().flatten();
            let addresses: Vec<_> = methods
                .filter_map(|method| method["contact"].as_str().map(str::to_owned))
                .collect();
            if addresses.iter().any(|address| known.lock().unwrap().contains(address)) {
                let body = r#"{"message": "The address is in use."}"#;
                return (StatusCode::CONFLICT, [("content-type", "application/json")], body).into_response();
            }
            let response = next.run(Request::from_parts(head, Body::from(sent))).await;
            if response.status().is_success() {
                known.lock().unwrap().extend(addresses);
            }
            response
        }
    };
    let run = learned_about(&OF_CREATES, app(&[]).await.layer(from_fn(answers))).await;
    let equal = answer(&run, "duplicates", "createContact");
    let rejected = Some(Claim::Duplicate {
        duplicate: Duplicate::Rejected,
    });
    assert_eq!((equal.state, &equal.claim), (AnswerState::Indicated, &rejected));
}

#[tokio::test]
async fn equal_records_that_are_rejected_are_shown_by_four_trials_and_a_record_after_them() {
    for setting in ["duplicates=conflict", "duplicates=invalid"] {
        let run = learned_about(&["duplicates"], app(&[setting.to_owned()]).await).await;
        for operation in ["createContact", "createContactMethod", "createTag", "createVisit"] {
            let equal = answer(&run, "duplicates", operation);
            let refused = Some(Claim::Duplicate {
                duplicate: Duplicate::Rejected,
            });
            assert_eq!(
                (equal.state, &equal.claim),
                (AnswerState::Indicated, &refused),
                "{operation}"
            );
        }
    }
}

#[tokio::test]
async fn a_body_that_is_rejected_for_an_equal_record_says_nothing_of_what_is_required() {
    let set = |settings: &[&str]| settings.iter().map(|setting| (*setting).to_owned()).collect::<Vec<_>>();
    // A method without a contact equals one that an earlier create left.
    let unclear = [
        "required-fields=least", "duplicates=invalid", "type-values=closed", "error-body=empty",
    ];
    let run = learned_about(&["required-fields"], app(&set(&unclear)).await).await;
    let methods = answer(&run, "required-fields", "createContactMethod");
    assert_eq!(methods.claim, None, "{methods:?}");
    // The body of a rejection says for which of the two it is.
    for error_body in sampled(2, ["field-list", "message"]) {
        let settings = set(&["duplicates=invalid", &format!("error-body={error_body}")]);
        let run = learned_about(&["required-fields"], app(&settings).await).await;
        let tags = answer(&run, "required-fields", "createTag");
        assert_eq!(tags.state, AnswerState::Indicated, "{error_body}: {tags:?}");
    }
}

#[tokio::test]
async fn a_record_that_is_created_without_any_text_is_found_by_its_identifier() {
    let run = learned_about(&["required-fields"], app(&["required-fields=least".to_owned()]).await).await;
    let contact = CONTRACT.operation_named("createContact").unwrap();
    let contacts: Vec<_> = run.residue.iter().filter(|left| left.operation == contact).collect();
    assert!(contacts.len() >= 4, "{contacts:?}");
    assert!(
        contacts
            .iter()
            .all(|left| left.id.is_some() && left.found == Some(true)),
        "{contacts:?}"
    );
}

#[tokio::test]
async fn a_record_that_nobody_could_recognise_is_not_called_missing() {
    // Its create has sent no text, and does not say what identifies it.
    let silent = async |request: Request, next: Next| {
        let is_create = request.method() == Method::POST && request.uri().path() == CONTACTS;
        let (head, body) = request.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let hides = is_create && body == "{}";
        let response = next.run(Request::from_parts(head, Body::from(body))).await;
        if !hides || !response.status().is_success() {
            return response;
        }
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let mut created: Value = serde_json::from_slice(&body).unwrap();
        created["data"].as_object_mut().unwrap().remove("id");
        (status, Json(created)).into_response()
    };
    let service = app(&["required-fields=least".to_owned()]).await;
    let run = learned_about(&["required-fields"], service.layer(from_fn(silent))).await;
    let unnamed = run.residue.iter().filter(|left| left.id.is_none());
    let found: Vec<_> = unnamed.map(|left| left.found).collect();
    assert!(!found.is_empty() && found.iter().all(Option::is_none), "{found:?}");
    assert_eq!(run.residue_search, SearchExtent::Part);
}

#[tokio::test]
async fn a_limit_of_several_fields_or_of_the_body_is_not_that_of_one() {
    let length = |sent: &Map<String, Value>, name: &str| sent.get(name).and_then(Value::as_str).map_or(0, str::len);
    let together: Handler = Box::new(move |_, sent| {
        let both = length(sent, "firstname") + length(sent, "lastname");
        (both > 100).then_some(StatusCode::UNPROCESSABLE_ENTITY)
    });
    let whole: Handler = Box::new(|_, sent| {
        let body = Value::Object(sent.clone()).to_string();
        (body.len() > 700).then_some(StatusCode::PAYLOAD_TOO_LARGE)
    });
    for (name, handler) in [("together", together), ("whole", whole)] {
        let run = learned_with_updates(&["field-sizes"], handler).await;
        let of_gap = run.answers.iter().filter(|answer| answer.gap == "field-sizes");
        let claimed: Vec<_> = of_gap.filter(|answer| answer.claim.is_some()).collect();
        assert!(claimed.is_empty(), "{name}: {claimed:?}");
    }
}

#[tokio::test]
async fn what_a_failed_create_prevents_is_not_for_want_of_writes() {
    let run = learned_through(&[], |_, request| {
        creates_contact(request).then_some(StatusCode::BAD_GATEWAY)
    })
    .await;
    let reasons: Vec<_> = run.answers.iter().filter_map(|answer| answer.reason).collect();
    assert!(
        reasons.contains(&WhyUnanswered::NotObserved) && !reasons.contains(&WhyUnanswered::NeedsWrites),
        "{reasons:?}"
    );
}
