//! What a check answers of the gaps, against what the profile says: every statement is that of the profile, and where
//! targets disagree, nothing is claimed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use countersign::exchange::{Credential, Exchange, Failure, json};
use countersign::gaps::{Answer, AnswerState, Gaps, WhyUnanswered};
use countersign::rules::Recording;
use serde_json::{Value, json};

use super::checker::{CONTRACT, checked, of_defaults, of_single_value};
use super::{AXES, checked_settings, single_settings, value};
use crate::support::again::{answered, response};
use crate::support::parallel::try_all;
use crate::support::sampled;

/// The operations, each with the axis of its success status.
const STATUSES: [(&str, &str); 8] = [
    ("createContact", "create-contact-status"),
    ("createContactMethod", "create-contact-method-status"),
    ("createVisit", "create-visit-status"),
    ("getContacts", "get-contacts-status"),
    ("getTags", "get-tags-status"),
    ("getVenues", "get-venues-status"),
    ("getVisits", "get-visits-status"),
    ("updateContact", "update-contact-status"),
];

/// The gaps that the default check answers.
const ANSWERED: [&str; 16] = [
    "challenge", "compression", "created-listed-when", "custom-fields", "dob-format", "error-body", "error-conditions",
    "identifier-spelling", "latency", "list-order", "page-size", "rate-limits", "success-status", "timestamp-form",
    "update-response-body", "null-values",
];

#[test]
fn every_statement_is_that_of_the_profile() {
    let cases = checked_settings().into_iter().map(Some).chain([None]).collect();
    try_all(cases, async |setting: Option<String>| {
        let (settings, seen) = match &setting {
            Some(setting) => (vec![setting.clone()], of_single_value(setting).await),
            None => (Vec::new(), of_defaults().await),
        };
        wrong_statements(&settings, &seen.answers)
    });
}

#[tokio::test]
async fn a_check_answers_what_it_sends_requests_about_anyway() {
    let answers = &of_defaults().await.answers;
    let told = answers.iter().filter(|answer| answer.state == AnswerState::Seen);
    let told: BTreeSet<_> = told.map(|answer| answer.gap.as_str()).collect();
    let expected: BTreeSet<_> = ANSWERED.into_iter().filter(|gap| *gap != "null-values").collect();
    assert_eq!(told, expected);
    for (operation, _) in STATUSES {
        let of_it = |gap: &str| {
            let mut told = answers.iter().filter(|answer| answer.claim.is_some());
            told.any(|answer| answer.gap == gap && answer.operation.as_deref() == Some(operation))
        };
        assert!(of_it("success-status") && of_it("error-conditions"), "{operation}");
    }
    let gaps: BTreeSet<_> = answers.iter().map(|answer| answer.gap.as_str()).collect();
    assert_eq!(gaps, CONTRACT.gaps.iter().map(|gap| gap.id.as_str()).collect());
}

#[tokio::test]
async fn two_replicas_that_differ_are_unstable() {
    for (setting, gap) in [
        ("create-contact-status", "success-status"),
        ("timestamp-form", "timestamp-form"),
        ("challenge", "challenge"),
        ("page-size", "page-size"),
    ] {
        let settings = single_settings();
        let setting = settings
            .iter()
            .find(|tried| tried.starts_with(&format!("{setting}=")))
            .unwrap();
        let (one, other) = (of_defaults().await, of_single_value(setting).await);
        let mut gaps = Gaps::new(&CONTRACT);
        add(&mut gaps, &one.recording, |exchange| Some(exchange.clone()));
        add(&mut gaps, &other.recording, |exchange| Some(exchange.clone()));
        let answers = gaps.answers();
        let unstable: Vec<_> = answers
            .iter()
            .filter(|answer| answer.state == AnswerState::Unstable)
            .collect();
        assert!(unstable.iter().any(|answer| answer.gap == gap), "{setting}");
        for answer in unstable {
            assert!(
                answer.observations.against > 0 && !answer.dissent.is_empty(),
                "{setting}: {answer:?}"
            );
        }
    }
}

#[tokio::test]
async fn what_was_throttled_or_broken_or_cut_short_decides_nothing() {
    let seen = of_defaults().await;
    type Edit = fn(&Exchange) -> Exchange;
    let edits: [Edit; 3] = [
        |exchange| with_status(exchange, StatusCode::TOO_MANY_REQUESTS),
        |exchange| with_status(exchange, StatusCode::INTERNAL_SERVER_ERROR),
        |exchange| Exchange {
            outcome: Err(Failure::Incomplete),
            ..exchange.clone()
        },
    ];
    for edit in edits {
        let mut gaps = Gaps::new(&CONTRACT);
        add(&mut gaps, &seen.recording, |exchange| Some(edit(exchange)));
        // Whether requests are limited is the one thing that a 429 shows.
        let answers: Vec<_> = gaps
            .answers()
            .into_iter()
            .filter(|answer| answer.gap != "rate-limits")
            .collect();
        assert!(answers.iter().all(|answer| answer.claim.is_none()));
        assert!(answers.iter().any(|answer| answer.observations.void > 0));
        // Among others they change nothing but the count.
        let mut gaps = Gaps::new(&CONTRACT);
        add(&mut gaps, &seen.recording, |exchange| Some(exchange.clone()));
        add(&mut gaps, &seen.recording, |exchange| Some(edit(exchange)));
        let claims = |answers: &[Answer]| -> Vec<_> {
            let others = answers.iter().filter(|answer| answer.gap != "rate-limits");
            others.map(|answer| (answer.state, answer.claim.clone())).collect()
        };
        assert_eq!(claims(&gaps.answers()), claims(&seen.answers));
    }
}

#[tokio::test]
async fn no_value_of_the_target_is_in_an_answer() {
    const CANARY: &str = "qzcanary";
    let seen = of_defaults().await;
    let mut gaps = Gaps::new(&CONTRACT);
    add(&mut gaps, &seen.recording, |exchange| {
        let received = response(exchange)?;
        let (mut head, body) = received.into_parts();
        let canary = HeaderValue::from_static("Bearer realm=qzcanary");
        head.headers.insert("www-authenticate", canary);
        let mut body: Value = serde_json::from_slice(&body).unwrap_or_default();
        plant(&mut body, CANARY);
        let text = Bytes::from(body.to_string());
        Some(answered(exchange, Some(Response::from_parts(head, text))))
    });
    let mut with_media_type = 0;
    add(&mut gaps, &seen.recording, |exchange| {
        let (mut head, body) = response(exchange)?.into_parts();
        let canary = HeaderValue::from_static("application/qzcanary+json");
        head.headers = HeaderMap::from_iter([(CONTENT_TYPE, canary)]);
        with_media_type += 1;
        Some(answered(exchange, Some(Response::from_parts(head, body))))
    });
    let answers = serde_json::to_string(&gaps.answers()).unwrap();
    assert!(
        with_media_type > 0 && answers.contains("undocumented name(8)"),
        "{answers}"
    );
    assert!(
        !answers.contains(CANARY) && !answers.contains("4711471147"),
        "{answers}"
    );
}

/// What a check of a service with this setting answers of a gap, by operation.
async fn answered_of(setting: &str, gap: &str) -> BTreeMap<Option<String>, Value> {
    let is_default = AXES
        .iter()
        .any(|axis| setting == format!("{}={}", axis.name, axis.values[0].name));
    let answers = match is_default {
        true => &of_defaults().await.answers,
        false => &checked(&CONTRACT, &[setting.to_owned()]).await.answers,
    };
    let claimed = |answer: &Answer| {
        let claim = serde_json::to_value(answer.claim.as_ref()?).unwrap();
        Some((answer.operation.clone(), claim))
    };
    let of_gap = answers.iter().filter(|answer| answer.gap == gap);
    of_gap.filter_map(claimed).collect()
}

#[tokio::test]
async fn times_tell_the_values_of_an_axis_apart() {
    let listed = [
        ("created-listed-when=at-once", 0, 0),
        ("created-listed-when=after-300ms", 100, 500),
        ("created-listed-when=after-2s", 1_000, 4_000),
    ];
    for (setting, from, to) in sampled(2, listed) {
        let answers = answered_of(setting, "created-listed-when").await;
        assert_eq!(answers.len(), 4, "{setting}: {answers:?}");
        let times = answers
            .values()
            .map(|claim| serde_json::from_value::<[u64; 2]>(claim["after_ms"].clone()).unwrap());
        let (earliest, latest): (Vec<_>, Vec<_>) = times.map(|[from, to]| (from, to)).unzip();
        // A list that was looked at later than another may show everything by then.
        assert!(
            earliest.iter().any(|earliest| *earliest >= from),
            "{setting}: {answers:?}"
        );
        assert!(latest.iter().all(|latest| *latest <= to), "{setting}: {answers:?}");
    }
    let latencies = [("latency=none", 0), ("latency=20ms", 20), ("latency=100ms", 100)];
    for (setting, after) in sampled(2, latencies) {
        let answers = answered_of(setting, "latency").await;
        assert_eq!(answers.len(), 9, "{setting}: {answers:?}");
        for (operation, claim) in answers {
            let [from, to] = serde_json::from_value::<[u64; 2]>(claim["after_ms"].clone()).unwrap();
            // A timer may be late by a millisecond, and times are rounded outward.
            assert!(from == after && to <= after + 10, "{setting} {operation:?}: {claim}");
        }
    }
}

#[tokio::test]
async fn a_limit_is_seen_where_it_is_met_with_and_without_a_time() {
    let seen = of_defaults().await;
    for setting in ["rate-limit=50-per-second", "rate-limit=50-per-second-unannounced"] {
        // A run slows down as soon as a request is throttled, which may be one with a wrong token.
        let answers = answered_of(setting, "rate-limits").await;
        let limit = &answers[&None];
        assert_eq!(*limit, rate_limits("50-per-second", limit), "{setting}");
    }
    for retry_after in [None, Some("1")] {
        let mut gaps = Gaps::new(&CONTRACT);
        let mut number = 0;
        add(&mut gaps, &seen.recording, |exchange| {
            number += u64::from(matches!(exchange.request.credential, Credential::Token { .. }));
            Some(match (number, retry_after) {
                (60, None) => with_status(exchange, StatusCode::TOO_MANY_REQUESTS),
                (60, Some(seconds)) => {
                    let mut throttled = response(exchange)?;
                    *throttled.status_mut() = StatusCode::TOO_MANY_REQUESTS;
                    throttled
                        .headers_mut()
                        .insert(RETRY_AFTER, HeaderValue::from_static(seconds));
                    answered(exchange, Some(throttled))
                }
                _ => exchange.clone(),
            })
        });
        let answers = gaps.answers();
        let limit = answers.iter().find(|answer| answer.gap == "rate-limits").unwrap();
        let claim = serde_json::to_value(&limit.claim).unwrap();
        assert_eq!(claim, json!({"limited": true}), "{retry_after:?}");
    }
    let answers = answered_of("rate-limit=unlimited", "rate-limits").await;
    let rate = answers[&None]["at_least_per_second"].as_u64().unwrap();
    assert!(rate > 0 && answers[&None]["limited"] == false, "{answers:?}");
}

#[tokio::test]
async fn a_limit_for_wrong_tokens_is_none_for_right_ones() {
    let seen = of_defaults().await;
    let mut gaps = Gaps::new(&CONTRACT);
    add(&mut gaps, &seen.recording, |exchange| {
        Some(match exchange.request.credential {
            Credential::Token { .. } => exchange.clone(),
            _ => with_status(exchange, StatusCode::TOO_MANY_REQUESTS),
        })
    });
    let answers = gaps.answers();
    let limits = answers.iter().find(|answer| answer.gap == "rate-limits").unwrap();
    assert_eq!(wrong(&[], limits), None);
}

#[tokio::test]
async fn a_record_that_is_never_listed_has_no_time() {
    let seen = of_defaults().await;
    let created = seen.recording.exchanges().filter_map(|(exchange, _)| {
        let body: Value = serde_json::from_slice(&exchange.response()?.body).ok()?;
        let is_tag =
            CONTRACT.operation(exchange.request.operation).name == "createTag" && exchange.status() == Some(201);
        is_tag.then(|| body["data"]["id"].clone())
    });
    let created: Vec<_> = created.collect();
    for kept in [0, 1] {
        let mut gaps = Gaps::new(&CONTRACT);
        let hidden = &created[kept..];
        add(&mut gaps, &seen.recording, |exchange| {
            let is_list = CONTRACT.operation(exchange.request.operation).name == "getTags";
            // The later a list is read, the longer it has not shown them.
            let later = Exchange {
                sent_after: exchange.sent_after + Duration::from_secs(exchange.number),
                ..exchange.clone()
            };
            let Some(response) = response(exchange).filter(|_| is_list) else {
                return Some(later);
            };
            let (head, body) = response.into_parts();
            let mut body: Value = serde_json::from_slice(&body).unwrap_or_default();
            if let Some(items) = body["data"]["items"].as_array_mut() {
                items.retain(|item| !hidden.contains(&item["id"]));
            }
            Some(answered(
                &later,
                Some(Response::from_parts(head, Bytes::from(body.to_string()))),
            ))
        });
        let answers = gaps.answers();
        let mut of_tags = answers.iter().filter(|answer| answer.gap == "created-listed-when");
        let of_tags = of_tags
            .find(|answer| answer.operation.as_deref() == Some("createTag"))
            .unwrap();
        let expected = if kept == 0 {
            AnswerState::CannotTell
        } else {
            AnswerState::Unstable
        };
        assert_eq!(of_tags.state, expected, "{created:?}: {of_tags:?}");
    }
}

#[tokio::test]
async fn a_header_that_announces_the_end_of_an_operation_is_told_and_its_absence_is_not() {
    let seen = of_defaults().await;
    let announced = async |headers: &[(&'static str, &'static str)]| {
        let mut gaps = Gaps::new(&CONTRACT);
        add(&mut gaps, &seen.recording, |exchange| {
            let mut received = response(exchange)?;
            if CONTRACT.operation(exchange.request.operation).name == "getTags" {
                let headers = headers
                    .iter()
                    .map(|(name, value)| (*name, HeaderValue::from_static(value)));
                received
                    .headers_mut()
                    .extend(headers.map(|(name, value)| (name.parse().ok(), value)));
            }
            Some(answered(exchange, Some(received)))
        });
        let answers = gaps.answers();
        let of_gap = answers.iter().filter(|answer| answer.gap == "deprecation");
        let told = of_gap.map(|answer| {
            let claim = answer.claim.as_ref().map(|claim| serde_json::to_value(claim).unwrap());
            (answer.operation.clone(), claim, answer.reason)
        });
        told.collect::<Vec<_>>()
    };
    let told = |names: &[&str]| (Some("getTags".to_owned()), Some(json!({"announced": names})), None);
    assert_eq!(
        announced(&[
            ("deprecation", "@1688169599"),
            ("sunset", "Sat, 31 Dec 2033 23:59:59 GMT")
        ])
        .await,
        [told(&["deprecation", "sunset"])]
    );
    assert_eq!(announced(&[("deprecation", "true")]).await, [told(&["deprecation"])]);
    for silent in [&[][..], &[("deprecation", "false")], &[("sunset", "")]] {
        assert_eq!(
            announced(silent).await,
            [(None, None, Some(WhyUnanswered::AskTheOperator))],
            "{silent:?}"
        );
    }
}

/// Replaces each text and number by a canary, and adds a field of its name.
fn plant(value: &mut Value, canary: &str) {
    match value {
        Value::String(text) => canary.clone_into(text),
        Value::Number(_) => *value = json!(4_711_471_147_i64),
        Value::Array(elements) => elements.iter_mut().for_each(|element| plant(element, canary)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| plant(member, canary));
            members.insert(canary.to_owned(), json!(canary));
        }
        Value::Bool(_) | Value::Null => {}
    }
}

/// Adds the exchanges of a recording, each as it is edited.
fn add(gaps: &mut Gaps<'_>, recording: &Recording, mut edit: impl FnMut(&Exchange) -> Option<Exchange>) {
    for (exchange, intent) in recording.exchanges() {
        let Some(edited) = edit(exchange) else { continue };
        let operation = CONTRACT.operation(edited.request.operation);
        let documented = edited
            .response()
            .filter(|response| operation.response_with_body(response.status).is_some());
        let body = documented.and_then(|response| json::read(&response.body).ok());
        gaps.add(&edited, intent, body.as_ref());
    }
}

fn with_status(exchange: &Exchange, status: StatusCode) -> Exchange {
    let response = response(exchange).map(|mut response| {
        *response.status_mut() = status;
        response
    });
    answered(exchange, response)
}

/// What is wrong in the answers that state something about a service with these settings.
pub(super) fn wrong_statements(settings: &[String], answers: &[Answer]) -> Vec<String> {
    let stated = answers.iter().filter(|answer| answer.claim.is_some());
    let wrong = stated.filter_map(|answer| wrong(settings, answer));
    wrong.map(|wrong| format!("{settings:?}: {wrong}")).collect()
}

/// Returns what is wrong with a statement, by what the service does with these settings.
pub(super) fn wrong(settings: &[String], answer: &Answer) -> Option<String> {
    let claim = serde_json::to_value(answer.claim.as_ref()?).unwrap();
    let (operation, place) = (
        answer.operation.as_deref(),
        answer.location.as_deref().unwrap_or_default(),
    );
    let (gap, of) = (answer.gap.as_str(), |axis| value(settings, axis));
    let expected = match gap {
        "success-status" => {
            let (_, axis) = STATUSES.iter().find(|(name, _)| Some(*name) == operation).unwrap();
            json!({"status": of(axis).parse::<u16>().unwrap()})
        }
        "challenge" => json!({"sent": of("challenge") == "sent"}),
        "compression" => json!({"sent": of("compression") == "gzip"}),
        "created-listed-when" => holding(&claim, listed_after(of("created-listed-when"))),
        "latency" => holding(&claim, after(of("latency"))),
        "rate-limits" => rate_limits(of("rate-limit"), &claim),
        "page-size" => json!({"per_page": of("page-size").parse::<u64>().unwrap()}),
        "list-order" => json!({"order": of("list-order")}),
        "null-values" if of("unset-fields") != "blank" => json!({"null": true}),
        "dob-format" => dates(of("dob-format"), &claim),
        "custom-fields" => match of("custom-fields") {
            "strings" => json!({"types": ["string"]}),
            _ => json!({"types": ["array", "boolean", "null", "number", "object"]}),
        },
        "timestamp-form" => json!({"form": timestamp_form(of("timestamp-form"))}),
        "identifier-spelling" => json!({"form": identifier_form(of("identifier-spelling"), place)}),
        "update-response-body" => update_body(settings),
        "error-conditions" => condition(settings, operation, &claim),
        "error-body" => error_body(of("error-body"), &claim),
        "update-semantics" => either(of("update-semantics") == "merges", "unsent", ["kept", "cleared"]),
        "unknown-request-fields" => match of("unknown-request-fields") {
            "ignored" => json!({"unknown": "ignored"}),
            _ => json!({"unknown": "refused"}),
        },
        "venue-of-contact" => either(
            of("venue-of-contact") == "kept",
            "does",
            ["nothing-shown", "records-a-visit"],
        ),
        "field-sizes" => json!({"longest": longest_name(of("field-sizes"), of("name-sizes"))}),
        "required-fields" => json!({"required": required(settings, operation.unwrap())}),
        "duplicates" => match of("duplicates") {
            "accepted" => json!({"equal": "accepted"}),
            _ => json!({"equal": "refused"}),
        },
        "unknown-references" => unknown_reference(settings, operation.unwrap()),
        "page-beyond-last" => match of("page-beyond-last") {
            "404" => json!({"beyond": "refused", "status": 404}),
            beyond => json!({"beyond": beyond, "status": claim["status"]}),
        },
        "value-spelling" => match of("value-spelling") {
            "kept" => json!({"spelling": "as-sent"}),
            _ => json!({"spelling": "changed"}),
        },
        "tags-entries" => match of("tags-entries") {
            "either" => json!({"entries": ["id", "name"]}),
            entry => json!({"entries": [entry]}),
        },
        "gender-values" | "nationality-values" | "status-values" | "type-values" | "country-values"
        | "channel-names" => json!({"set": of(gap)}),
        _ => json!("nothing is claimed of this gap"),
    };
    let is_right = matches!(answer.state, AnswerState::Seen | AnswerState::Indicated) && claim == expected;
    (!is_right).then(|| {
        format!(
            "{gap} {operation:?} {place}: {:?} {claim}, and not {expected}: {answer:?}",
            answer.state
        )
    })
}

fn either(is_first: bool, name: &str, [first, second]: [&str; 2]) -> Value {
    json!({name: if is_first { first } else { second }})
}

/// How many characters the name of a contact may have.
fn longest_name(field_sizes: &str, name_sizes: &str) -> u64 {
    let limits = [field_sizes, name_sizes]
        .into_iter()
        .filter_map(|size| size.parse().ok());
    limits.min().unwrap()
}

/// The fields that an operation requires, in order.
fn required(settings: &[String], operation: &str) -> Vec<&'static str> {
    let required = value(settings, "required-fields");
    let of_contact: &[&str] = match required {
        "every" => &[
            "/contact_methods", "/country_of_residence", "/date_of_birth", "/dob", "/firstname", "/gender",
            "/included_channels", "/lastname", "/nationality", "/tags", "/venue_id",
        ],
        "least" => &[],
        _ => &["/firstname"],
    };
    let of_method: &[&str] = match required {
        "every" => &[
            "/contact_methods/*/contact",
            "/contact_methods/*/status",
            "/contact_methods/*/type",
        ],
        "least" => &[],
        _ => &["/contact_methods/*/contact", "/contact_methods/*/type"],
    };
    let inside = || {
        [
            of_method,
            &["/date_of_birth/day", "/date_of_birth/month", "/date_of_birth/year"],
        ]
        .concat()
    };
    let mut all = match (operation, required) {
        ("updateContact", _) if value(settings, "update-semantics") == "merges" => inside(),
        ("createContact" | "updateContact", _) => [of_contact, &inside()].concat(),
        ("createContactMethod", "every") => vec!["/contact", "/included_channels", "/status", "/type"],
        ("createContactMethod", "usual") => vec!["/contact", "/type"],
        ("createTag", "every") => vec!["/color", "/name"],
        ("createTag", "usual") => vec!["/name"],
        ("createVisit", "least") => vec!["/contact_id", "/venue_id"],
        ("createVisit", _) => vec!["/contact_id", "/datetime", "/venue_id"],
        _ => Vec::new(),
    };
    all.sort_unstable();
    all
}

/// The claim, if it holds this time.
fn holding(claim: &Value, truth: u64) -> Value {
    let [from, to] = serde_json::from_value::<[u64; 2]>(claim["after_ms"].clone()).unwrap();
    match (from..=to).contains(&truth) {
        true => claim.clone(),
        false => json!({"after_ms": truth}),
    }
}

fn listed_after(value: &str) -> u64 {
    match value {
        "at-once" => 0,
        "after-300ms" => 300,
        _ => 2000,
    }
}

fn after(value: &str) -> u64 {
    value.strip_suffix("ms").map_or(0, |value| value.parse().unwrap())
}

/// Below the limit, nothing is limited.
fn rate_limits(value: &str, claim: &Value) -> Value {
    match claim["at_least_per_second"].as_u64() {
        Some(rate) if value == "unlimited" || rate <= 50 => json!({"limited": false, "at_least_per_second": rate}),
        _ if value == "unlimited" => json!({"limited": false}),
        _ => json!({"limited": true}),
    }
}

fn dates(value: &str, claim: &Value) -> Value {
    let form = if value == "iso" { "iso-date" } else { value };
    if claim.get("accepted").is_none() {
        return json!({"answered": form});
    }
    json!({"accepted": [form], "answered": form})
}

fn unknown_reference(settings: &[String], operation: &str) -> Value {
    let of = |axis| value(settings, axis);
    // A whole contact is invalid without a required venue, and a visit always.
    let is_whole = operation == "createContact" || of("update-semantics") == "replaces";
    let needs_it = operation == "createVisit" || (is_whole && of("required-fields") == "every");
    match of("unknown-references") {
        "ignored" if !needs_it => {
            let axis = match operation {
                "createContact" => "create-contact-status",
                _ => "update-contact-status",
            };
            let status: u16 = of(axis).parse().unwrap();
            json!({"unknown": "ignored", "status": status})
        }
        "not-found" => json!({"unknown": "refused", "status": 404}),
        _ => {
            let status: u16 = value(settings, "invalid-input-status").parse().unwrap();
            json!({"unknown": "refused", "status": status})
        }
    }
}

fn timestamp_form(value: &str) -> &'static str {
    match value {
        "east" | "utc-offset" | "west" => "offset",
        "epoch" => "other",
        "microseconds" => "utc-fraction",
        "unzoned" => "space",
        _ => "utc",
    }
}

fn identifier_form(value: &str, place: &str) -> &'static str {
    let is_contact = place.contains("/Contact/properties/id") || place.contains("/contact/properties/id");
    match value {
        "uppercase" => "uuid-upper",
        "digits" if !is_contact => "text",
        _ => "uuid-lower",
    }
}

fn update_body(settings: &[String]) -> Value {
    let none = json!({"body": "none"});
    let contact = CONTRACT
        .document
        .node("/components/schemas/Contact/properties")
        .unwrap();
    let mut fields: Vec<_> = contact.members().iter().map(|member| member.name.to_string()).collect();
    fields.sort();
    match (
        value(settings, "update-contact-status"),
        value(settings, "update-response-body"),
    ) {
        ("204", _) | (_, "empty") => none,
        (_, "message") => json!({"body": "object", "properties": ["message"]}),
        (_, "envelope") => json!({"body": "object", "properties": ["data", "message"]}),
        _ => json!({"body": "object", "properties": fields}),
    }
}

fn condition(settings: &[String], operation: Option<&str>, claim: &Value) -> Value {
    let condition = claim["condition"].as_str().unwrap();
    let status: u16 = match condition {
        "no-credential" | "wrong-credential" if operation == Some("createTag") => 401,
        "no-credential" | "wrong-credential" => value(settings, "credential-status").parse().unwrap(),
        "invalid-body" => value(settings, "invalid-input-status").parse().unwrap(),
        _ => 404,
    };
    json!({"condition": condition, "status": status})
}

fn error_body(value: &str, claim: &Value) -> Value {
    let names: &[&str] = match value {
        "empty" => return json!({"body": "none"}),
        "field-list" | "field-map" => &["errors", "message"],
        "coded" | "message" => &["error"],
        // Whether details come with it is not the point here.
        _ => {
            assert_eq!(claim["media_type"], "application/problem+json");
            return claim.clone();
        }
    };
    json!({"media_type": "application/json", "properties": names})
}
