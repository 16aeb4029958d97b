//! Each axis seen from outside: an observer that names the value from the wire alone. It runs under every value, so a
//! value that does not show, or shows where it was not chosen, fails.

use std::time::{Duration, Instant};

use countersign::service::{AXES, Axis, AxisValue};
use futures::StreamExt;
use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::{Value, json};

use super::wire::{Reply, call, get, once, post, walk};
use super::{Running, TOKEN, awkward, first, single_values, with};
use crate::support::sampled;

const UNKNOWN: &str = "3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_value_shows_on_the_wire_as_it_is_named() {
    // What is said by the clock is observed alone.
    let timed = ["created-listed-when", "latency", "rate-limit"];
    let is_timed = |axis: &Axis| timed.contains(&axis.name);
    // Every axis with another value than the default, and some with that.
    let defaults = sampled(8, AXES.iter()).map(|axis| (axis, &axis.values[0]));
    let values = single_values().into_iter().chain(defaults);
    let (timed, others): (Vec<_>, Vec<_>) = values.partition(|(axis, _)| is_timed(axis));
    for (values, at_once) in [(others, 8), (timed, 1)] {
        let seen = values.into_iter().map(|(axis, value)| observe(axis.name, value));
        futures::stream::iter(seen)
            .buffer_unordered(at_once)
            .collect::<()>()
            .await;
    }
}

async fn observe(axis: &'static str, value: &'static AxisValue) {
    let service = with(&[format!("{axis}={}", value.name)]).await;
    assert_eq!(observed(axis, &service).await, value.name, "{axis}");
}

/// Names the value that an axis has in a service whose other axes have their defaults.
async fn observed(axis: &str, service: &Running) -> String {
    match axis {
        "get-contacts-status" => status(&get(service, "/contact-database").await),
        "get-venues-status" => status(&get(service, "/venues").await),
        "get-visits-status" => status(&get(service, "/visits").await),
        "get-tags-status" => status(&get(service, "/tags").await),
        "create-contact-status" => status(&contact(service, &json!({})).await),
        "create-contact-method-status" => status(&method(service, &json!({})).await),
        "create-visit-status" => status(&visit(service).await),
        "update-contact-status" => status(&update(service).await.1),
        "update-response-body" => update_body(&update(service).await.1.body).to_owned(),
        "update-semantics" => update_semantics(service).await.to_owned(),
        "required-fields" => required_fields(service).await.to_owned(),
        "tags-entries" => tags_entries(service).await.to_owned(),
        "unknown-request-fields" => {
            let reply = post(service, "/tags", &json!({"name": "fresh", "size": 1})).await;
            either(reply.status == 201, "ignored", "rejected")
        }
        "duplicates" => duplicates(service).await.to_owned(),
        "unknown-references" => unknown_references(service).await.to_owned(),
        "venue-of-contact" => venue_of_contact(service).await.to_owned(),
        "field-sizes" => field_sizes(service).await.to_owned(),
        "name-sizes" | "methods-at-once" | "text-ends" | "text-form" | "markup" | "characters" | "name-letters"
        | "birth-dates" | "visit-times" | "path-case" | "methods-order" => awkward::observed(axis, service).await,
        "gender-values" => openness(&contact(service, &json!({"gender": "odd"})).await),
        "nationality-values" => openness(&contact(service, &json!({"nationality": "odd"})).await),
        "country-values" => openness(&contact(service, &json!({"country_of_residence": "odd"})).await),
        "channel-names" => openness(&contact(service, &json!({"included_channels": ["odd"]})).await),
        "status-values" => openness(&method(service, &json!({"status": "odd"})).await),
        "type-values" => openness(&method(service, &json!({"type": "odd"})).await),
        "value-spelling" => value_spelling(service).await.to_owned(),
        "dob-format" => dob_format(service).await.to_owned(),
        "custom-fields" => custom_fields(service).await.to_owned(),
        "unset-fields" => unset_fields(service).await.to_owned(),
        "timestamp-form" => timestamp_form(service).await.to_owned(),
        "identifier-spelling" => identifier_spelling(service).await.to_owned(),
        "page-size" => get(service, "/tags").await.body["data"]["per_page"].to_string(),
        "page-beyond-last" => page_beyond_last(&get(service, "/tags?page=1000").await).to_owned(),
        "list-order" => {
            let first = first(&get(service, "/visits").await.body);
            either(first["id"] == 1, "oldest-first", "newest-first")
        }
        "created-listed-when" => created_listed_when(service).await.to_owned(),
        "error-body" => error_body(&post(service, "/tags", &json!({"name": 1})).await).to_owned(),
        "invalid-input-status" => status(&post(service, "/tags", &json!({"name": 1})).await),
        "credential-status" => status(&once(service.bare(Method::GET, "/tags")).await),
        "challenge" => {
            let rejected = once(service.bare(Method::POST, "/tags")).await;
            assert_eq!(rejected.status, 401);
            either(rejected.headers.contains_key(WWW_AUTHENTICATE), "sent", "omitted")
        }
        "rate-limit" => rate_limit(service).await.to_owned(),
        "latency" => latency(service).await.to_owned(),
        "compression" => compression(service).await.to_owned(),
        axis => panic!("nobody observes {axis}"),
    }
}

fn status(reply: &Reply) -> String {
    reply.status.to_string()
}

fn either(holds: bool, then: &str, otherwise: &str) -> String {
    if holds { then } else { otherwise }.to_owned()
}

fn openness(reply: &Reply) -> String {
    either(reply.is_success(), "open", "closed")
}

/// Creates a contact with a first name and these fields.
pub(super) async fn contact(service: &Running, fields: &Value) -> Reply {
    let mut sent = json!({"firstname": "Ada"});
    sent.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    post(service, "/contact-database", &sent).await
}

/// Adds a method, an email with these fields, to the first contact.
async fn method(service: &Running, fields: &Value) -> Reply {
    let owner = first(&get(service, "/contact-database").await.body);
    let mut sent = json!({"type": "email", "contact": "ada@example.com"});
    sent.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    let path = format!("/contact-database/{}/contact-method", owner["id"].as_str().unwrap());
    post(service, &path, &sent).await
}

async fn visit(service: &Running) -> Reply {
    visit_at(service, "2031-05-17T07:30:00Z").await
}

/// Records a visit at this time.
pub(super) async fn visit_at(service: &Running, datetime: &str) -> Reply {
    let (contact, venue) = (get(service, "/contact-database").await, get(service, "/venues").await);
    let (contact, venue) = (first(&contact.body), first(&venue.body));
    let sent = json!({"contact_id": contact["id"], "venue_id": venue["id"], "datetime": datetime});
    post(service, "/visits", &sent).await
}

/// Creates a contact, updates its first name, and returns its id with the response.
async fn update(service: &Running) -> (Value, Reply) {
    let fields = json!({
        "lastname": "Example", "dob": "1990-02-28", "gender": "female", "nationality": "GB", "tags": ["regular"],
        "country_of_residence": "GB", "included_channels": ["email"],
        "contact_methods": [{"type": "email", "contact": "ada@example.com"}],
    });
    let id = contact(service, &fields).await.body["data"]["id"].clone();
    let path = format!("/contact-database/{}", id.as_str().unwrap());
    let reply = call(service, Method::PUT, &path, Some(&json!({"firstname": "Bruno"}))).await;
    (id, reply)
}

fn update_body(body: &Value) -> &'static str {
    let has = |name: &str| body.get(name).is_some();
    match (has("message"), has("data"), has("firstname")) {
        (true, false, _) => "message",
        (true, true, _) => "envelope",
        (_, _, true) => "contact",
        _ => "empty",
    }
}

async fn venue_of_contact(service: &Running) -> &'static str {
    let venue = first(&get(service, "/venues").await.body);
    let created = contact(service, &json!({"venue_id": venue["id"]})).await.body["data"].clone();
    let visits = walk(service, "/visits").await;
    let visit = visits.into_iter().find(|visit| visit["contact"]["id"] == created["id"]);
    let Some(visit) = visit else {
        assert_eq!(created["first_visit"], json!([]));
        return "kept";
    };
    assert_eq!(visit["venue"]["id"], venue["id"]);
    let summary = json!([{"datetime": visit["datetime"], "venue": [visit["venue"]]}]);
    assert_eq!((&created["first_visit"], &created["last_visit"]), (&summary, &summary));
    "visited"
}

async fn update_semantics(service: &Running) -> &'static str {
    let (id, _) = update(service).await;
    let contacts = walk(service, "/contact-database").await;
    let contact = contacts.into_iter().find(|contact| contact["id"] == id).unwrap();
    assert_eq!(contact["firstname"], "Bruno");
    let expected = [
        ("lastname", json!("Example"), json!("")),
        ("dob", json!("1990-02-28"), json!("")),
        ("gender", json!("female"), json!("")),
        ("nationality", json!("GB"), json!("")),
        ("country_of_residence", json!("GB"), json!("")),
        ("email", json!("ada@example.com"), json!("")),
        ("excluded_channels", json!(["phone", "post", "sms"]), json!([])),
    ];
    let tags = (contact["tags"]["name"] == "regular", contact["tags"]["name"] == "");
    let kept = expected.iter().all(|(name, kept, _)| contact[*name] == *kept);
    let blank = expected.iter().all(|(name, _, blank)| contact[*name] == *blank);
    match (kept && tags.0, blank && tags.1) {
        (true, false) => "merges",
        (false, true) => "replaces",
        _ => panic!("neither kept nor blank: {contact:#}"),
    }
}

async fn required_fields(service: &Running) -> &'static str {
    if post(service, "/tags", &json!({})).await.is_success() {
        assert!(post(service, "/contact-database", &json!({})).await.is_success());
        "least"
    } else if post(service, "/tags", &json!({"name": "fresh"})).await.is_success() {
        assert!(!post(service, "/contact-database", &json!({})).await.is_success());
        assert!(contact(service, &json!({})).await.is_success());
        "usual"
    } else {
        assert!(!contact(service, &json!({})).await.is_success());
        assert!(!method(service, &json!({})).await.is_success());
        "every"
    }
}

async fn tags_entries(service: &Running) -> &'static str {
    let tag = first(&get(service, "/tags").await.body);
    let by_id = contact(service, &json!({"tags": [tag["id"]]})).await.is_success();
    let by_name = contact(service, &json!({"tags": [tag["name"]]})).await.is_success();
    match (by_id, by_name) {
        (true, true) => "either",
        (true, false) => "id",
        (false, true) => "name",
        (false, false) => panic!("neither id nor name is taken"),
    }
}

async fn duplicates(service: &Running) -> &'static str {
    let whole = json!({"lastname": "Example", "contact_methods": [{"type": "email", "contact": "ada@example.com"}]});
    let elsewhere = json!({"lastname": "Sample", "contact_methods": [{"type": "email", "contact": "ada@example.com"}]});
    let contacts = [
        contact(service, &whole).await,
        contact(service, &whole).await,
        contact(service, &elsewhere).await,
    ];
    let visits = [visit(service).await, visit(service).await];
    let methods = [
        method(service, &json!({"type": "post"})).await,
        method(service, &json!({"type": "post"})).await,
    ];
    let tag = json!({"name": "fresh"});
    let tags = [post(service, "/tags", &tag).await, post(service, "/tags", &tag).await];
    for firsts in [&contacts[0], &visits[0], &methods[0], &tags[0]] {
        assert_eq!(firsts.status, 201);
    }
    let repeated = [&contacts[1], &contacts[2], &visits[1], &methods[1], &tags[1]].map(|reply| reply.status);
    assert!(repeated.iter().all(|status| *status == repeated[0]), "{repeated:?}");
    match repeated[0] {
        201 => "accepted",
        409 => "conflict",
        _ => "invalid",
    }
}

async fn unknown_references(service: &Running) -> &'static str {
    let venue = contact(service, &json!({"venue_id": UNKNOWN})).await.status;
    let tags = contact(service, &json!({"tags": [UNKNOWN, "press", "there is no such tag"]})).await;
    assert_eq!(tags.status, venue);
    match venue {
        201 => {
            assert_eq!(tags.body["data"]["tags"]["name"], "press");
            "ignored"
        }
        404 => "not-found",
        _ => "invalid",
    }
}

async fn field_sizes(service: &Running) -> &'static str {
    let mut longest = "none";
    for (length, name) in [(60, "60"), (255, "255"), (1_000, "1000")] {
        if contact(service, &json!({"lastname": "é".repeat(length)}))
            .await
            .is_success()
        {
            longest = name;
        }
    }
    let beyond = longest.parse::<usize>().unwrap() + 1;
    assert!(
        !contact(service, &json!({"lastname": "é".repeat(beyond)}))
            .await
            .is_success()
    );
    longest
}

async fn value_spelling(service: &Running) -> &'static str {
    let sent = json!({
        "gender": "Female", "nationality": "gB", "country_of_residence": "iT",
        "contact_methods": [{"type": "Email", "contact": "Ada@example.com", "status": "Active"}],
    });
    let contact = contact(service, &sent).await.body["data"].clone();
    assert_eq!(contact["contact_methods"][0]["contact"], "Ada@example.com");
    assert_eq!(contact["email"], "Ada@example.com");
    let shown = [
        &contact["gender"],
        &contact["nationality"],
        &contact["country_of_residence"],
        &contact["contact_methods"][0]["type"],
        &contact["contact_methods"][0]["status"],
    ];
    let shown = shown.map(|value| value.as_str().unwrap());
    match shown {
        ["Female", "gB", "iT", "Email", "Active"] => "kept",
        ["FEMALE", "GB", "IT", "EMAIL", "ACTIVE"] => "uppercase",
        ["female", "gb", "it", "email", "active"] => "lowercase",
        _ => panic!("{shown:?}"),
    }
}

async fn dob_format(service: &Running) -> &'static str {
    let formats = [
        ("iso", "1990-02-28"),
        ("day-first", "28/02/1990"),
        ("month-first", "02/28/1990"),
        ("timestamp", "1990-02-28T00:00:00Z"),
    ];
    let mut taken = Vec::new();
    for (name, text) in formats {
        let reply = contact(service, &json!({"dob": text})).await;
        if reply.is_success() {
            assert_eq!(reply.body["data"]["dob"], text);
            assert_eq!(
                reply.body["data"]["date_of_birth"],
                json!({"day": 28, "month": 2, "year": 1990})
            );
            taken.push(name);
        }
    }
    assert_eq!(taken.len(), 1);
    taken[0]
}

async fn custom_fields(service: &Running) -> &'static str {
    let contacts = walk(service, "/contact-database").await;
    let fields = contacts
        .iter()
        .flat_map(|contact| contact["custom_fields"].as_object().unwrap().values());
    let (strings, others): (Vec<_>, Vec<_>) = fields.partition(|value| value.is_string());
    match (strings.is_empty(), others.is_empty()) {
        (true, true) => "nothing",
        (false, true) => "strings",
        _ => "mixed",
    }
}

async fn unset_fields(service: &Running) -> &'static str {
    let contact = contact(service, &json!({})).await.body["data"].clone();
    let all = |names: &[&str], test: fn(&Value) -> bool| names.iter().all(|name| test(&contact[*name]));
    let texts = [
        "lastname", "gender", "dob", "email", "phone", "nationality", "first_visited_at", "last_visited_venue",
    ];
    let arrays = ["contact_methods", "first_visit", "last_visit", "excluded_channels"];
    let objects = ["tags", "date_of_birth", "age"];
    assert_eq!(contact["firstname"], "Ada");
    match (
        all(&texts, Value::is_null),
        all(&objects, Value::is_null),
        all(&arrays, Value::is_null),
    ) {
        (false, false, false) => {
            assert!(all(&texts, |text| text == "") && all(&arrays, |array| array == &json!([])));
            "blank"
        }
        (true, true, false) => {
            assert!(all(&arrays, |array| array == &json!([])));
            "null"
        }
        (true, true, true) => "null-arrays",
        _ => panic!("{contact:#}"),
    }
}

async fn timestamp_form(service: &Running) -> &'static str {
    let listed = first(&get(service, "/venues").await.body)["created_at"].clone();
    let visited = visit(service).await.body["data"]["datetime"].clone();
    match (listed.as_str().unwrap(), visited.as_str().unwrap()) {
        ("2024-01-08T09:00:00Z", "2031-05-17T07:30:00Z") => "utc",
        ("2024-01-08T09:00:00+00:00", "2031-05-17T07:30:00+00:00") => "utc-offset",
        ("2024-01-08T11:00:00+02:00", "2031-05-17T09:30:00+02:00") => "east",
        ("2024-01-08T09:00:00.000000Z", "2031-05-17T07:30:00.000000Z") => "microseconds",
        ("2024-01-08 09:00:00", "2031-05-17 07:30:00") => "unzoned",
        ("2024-01-07T23:30:00-09:30", "2031-05-16T22:00:00-09:30") => "west",
        ("1704704400", "1936769400") => "epoch",
        other => panic!("{other:?}"),
    }
}

async fn identifier_spelling(service: &Running) -> &'static str {
    let tag = post(service, "/tags", &json!({"name": "fresh"})).await.body["data"]["id"].clone();
    let contact = contact(service, &json!({"tags": [tag]})).await.body["data"].clone();
    assert_eq!(contact["tags"]["id"], tag);
    let (tag, contact) = (tag.as_str().unwrap(), contact["id"].as_str().unwrap());
    assert_eq!(contact.len(), 36);
    let is_capital = |id: &str| id.bytes().any(|byte| byte.is_ascii_uppercase());
    match (tag.len(), is_capital(tag), is_capital(contact)) {
        (32, false, false) => "digits",
        (36, false, false) => "lowercase",
        (36, true, true) => "uppercase",
        _ => panic!("{tag} {contact}"),
    }
}

fn page_beyond_last(reply: &Reply) -> &'static str {
    let data = &reply.body["data"];
    match (reply.status, data["page"] == data["last_page"]) {
        (404, _) => "404",
        (_, true) => {
            assert!(!data["items"].as_array().unwrap().is_empty());
            "last-page"
        }
        (_, false) => {
            assert_eq!((&data["page"], &data["items"]), (&json!(1000), &json!([])));
            "empty"
        }
    }
}

async fn created_listed_when(service: &Running) -> &'static str {
    let tag = post(service, "/tags", &json!({"name": "fresh"})).await.body["data"].clone();
    let created = Instant::now();
    if walk(service, "/tags").await.contains(&tag) {
        return "at-once";
    }
    while !walk(service, "/tags").await.contains(&tag) {
        assert!(created.elapsed() < Duration::from_secs(30));
    }
    // The delay began before the response was here, so it is a little longer than it looks.
    match created.elapsed().as_millis() {
        1_900.. => "after-2s",
        _ => "after-300ms",
    }
}

fn error_body(reply: &Reply) -> &'static str {
    assert_eq!(reply.status, 422);
    let media_type = reply.headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap());
    let (error, errors) = (&reply.body["error"], &reply.body["errors"]);
    match media_type {
        None => "empty",
        Some("application/problem+json") => {
            assert_eq!(reply.body["status"], 422);
            "problem-details"
        }
        Some(_) if error.is_string() => "message",
        Some(_) if error.is_object() => "coded",
        Some(_) if errors.is_object() => "field-map",
        Some(_) => "field-list",
    }
}

async fn rate_limit(service: &Running) -> &'static str {
    let requests = (0..150).map(|_| once(service.bare(Method::GET, "/tags")));
    let replies = futures::future::join_all(requests).await;
    match replies.iter().find(|reply| reply.status == 429) {
        None => "unlimited",
        Some(reply) if reply.headers.contains_key(RETRY_AFTER) => "50-per-second",
        Some(_) => "50-per-second-unannounced",
    }
}

async fn latency(service: &Running) -> &'static str {
    let mut shortest = Duration::MAX;
    for _ in 0..10 {
        let began = Instant::now();
        get(service, "/tags").await;
        shortest = shortest.min(began.elapsed());
    }
    match shortest.as_millis() {
        100.. => "100ms",
        20.. => "20ms",
        _ => "none",
    }
}

async fn compression(service: &Running) -> &'static str {
    let client = reqwest::Client::builder()
        .no_proxy()
        .no_gzip()
        .tls_certs_only([])
        .build()
        .unwrap();
    let url = format!("http://{}/organization/v1/tags", service.address());
    let accepting = |coding| client.get(&url).bearer_auth(TOKEN).header(ACCEPT_ENCODING, coding);
    let plain = once(accepting("identity")).await;
    assert!(!plain.headers.contains_key(CONTENT_ENCODING));
    let zipped = once(accepting("br, gzip;q=0.5")).await;
    match zipped.headers.get(CONTENT_ENCODING) {
        None => {
            assert_eq!(zipped.body, plain.body);
            "none"
        }
        Some(coding) => {
            assert_eq!((coding.to_str().unwrap(), &zipped.body), ("gzip", &Value::Null));
            // This client decodes it.
            assert_eq!(get(service, "/tags").await.body, plain.body);
            "gzip"
        }
    }
}
