//! Responses that are changed, at a location or as a whole.

use std::io::Read as _;

use countersign::service::Service;
use countersign::service::fault::{self, Faults, faults};
use reqwest::{Method, Response, StatusCode};
use serde_json::json;
use tokio::runtime::Runtime;

use super::{moved, with};
use crate::service::contract::assert_responses;
use crate::service::support::{Running, TOKEN};
use crate::support::parallel::{each, runtime};
use crate::support::sampled;

/// The lists and the operations that answer them.
const LISTS: [(&str, &str); 4] = [
    ("getContacts", "/contact-database"),
    ("getTags", "/tags"),
    ("getVenues", "/venues"),
    ("getVisits", "/visits"),
];

#[tokio::test]
async fn each_item_of_each_page_is_wrong() {
    let service = with(&["getVenues/data/items/each/tags:exchanged"]).await;
    assert!(
        service
            .walk("/venues")
            .await
            .iter()
            .all(|venue| venue["tags"] == json!({}))
    );
}

/// The lists that a fault may change: the one that it is named after, or the one that shows what it writes.
fn may_change(fault: &str, list: &str) -> bool {
    let shown_in = match fault.split(['/', ':']).next().unwrap_or_default() {
        "createContact" | "createContactMethod" | "updateContact" => "getContacts",
        "createTag" => "getTags",
        "createVisit" => "getVisits",
        other => other,
    };
    shown_in == list
}

#[test]
fn no_fault_touches_the_responses_of_other_operations() {
    use axum::body::{Body, to_bytes};
    use tower::ServiceExt as _;

    let service = Service::in_memory(TOKEN.to_owned().into()).unwrap();
    let response = |runtime: &Runtime, faults: &Faults, path: &str| {
        let request = axum::extract::Request::get(format!("/organization/v1{path}"));
        let request = request
            .header("Authorization", format!("Bearer {TOKEN}"))
            .body(Body::empty())
            .unwrap();
        runtime.block_on(async {
            let response = fault::app(service.clone(), faults).oneshot(request).await.unwrap();
            to_bytes(response.into_body(), usize::MAX).await.unwrap()
        })
    };
    let sound = LISTS.map(|(name, path)| (name, path, response(&runtime(), &Faults::default(), path)));
    let touched = each(sampled(8, faults()).collect(), runtime, |runtime, fault| {
        let on = Faults::named([&fault.name]).unwrap();
        let others = sound.iter().filter(|(name, ..)| !may_change(&fault.name, name));
        let mut touched = others.filter(|(_, path, expected)| response(runtime, &on, path) != *expected);
        touched
            .next()
            .map(|(name, ..)| format!("{} touches {name}", fault.name))
    });
    let touched: Vec<_> = touched.into_iter().flatten().collect();
    assert!(touched.is_empty(), "{touched:#?}");
}

/// What comes for the tags, and for a new tag, with this fault.
async fn tags(fault: &str) -> (Running, Response, Response) {
    let service = with(&[fault]).await;
    let listed = service.request(Method::GET, "/tags").send().await.unwrap();
    let create = service.request(Method::POST, "/tags").json(&json!({"name": "new"}));
    let created = create.send().await.unwrap();
    (service, listed, created)
}

#[tokio::test]
async fn a_success_has_another_status_and_a_rejection_keeps_its_own() {
    for (deviation, status) in [
        ("not-found", 404),
        ("method-not-allowed", 405),
        ("server-error", 500),
        ("not-implemented", 501),
        ("unavailable", 503),
        ("answered-204", 204),
    ] {
        let (service, listed, created) = tags(&format!("getTags:{deviation}")).await;
        assert_eq!(
            (listed.status().as_u16(), created.status()),
            (status, StatusCode::CREATED),
            "{deviation}"
        );
        let rejected = service.bare(Method::GET, "/tags").send().await.unwrap();
        assert_eq!(rejected.status(), StatusCode::UNAUTHORIZED, "{deviation}");
    }
    let (_, listed, created) = tags("createTag:answered-200").await;
    assert_eq!((listed.status(), created.status()), (StatusCode::OK, StatusCode::OK));
    assert_responses("TagCreated", &created.json().await.unwrap());
}

#[tokio::test]
async fn a_success_leads_elsewhere() {
    let service = with(&["getTags:redirected"]).await;
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none());
    let address = format!("http://{}/organization/v1/tags", service.address());
    let response = client
        .build()
        .unwrap()
        .get(address)
        .bearer_auth(TOKEN)
        .send()
        .await
        .unwrap();
    assert_eq!(
        (response.status(), &response.headers()["location"]),
        (StatusCode::FOUND, &"/".parse().unwrap())
    );
}

#[tokio::test]
async fn a_connection_ends_in_the_middle_of_the_body() {
    let (_, listed, created) = tags("getTags:connection-cut").await;
    assert_eq!(listed.status(), StatusCode::OK);
    assert!(listed.bytes().await.is_err());
    assert_responses("TagCreated", &created.json().await.unwrap());
}

#[tokio::test]
async fn several_faults_are_on_at_once() {
    let service = with(&[
        "getTags:answered-204",
        "getVenues/data/total:null",
        "getVenues/data/items/each/id:null",
    ])
    .await;
    let tags = service.request(Method::GET, "/tags").send().await.unwrap();
    let venues = service.get("/venues").await.body;
    assert_eq!(tags.status(), StatusCode::NO_CONTENT);
    assert_eq!(
        (&venues["data"]["total"], &venues["data"]["items"][9]["id"]),
        (&json!(null), &json!(null))
    );
}

#[tokio::test]
async fn what_the_document_does_not_have_is_rejected_as_ever() {
    let service = with(&["getTags:server-error"]).await;
    assert_eq!(service.get("/none").await.status, StatusCode::NOT_FOUND);
    assert_eq!(
        service.put("/tags", &json!({})).await.status,
        StatusCode::METHOD_NOT_ALLOWED
    );
}

async fn asked_for_gzip(service: &Running) -> Response {
    // The client of other tests takes gzip off again.
    let client = reqwest::Client::builder()
        .no_proxy()
        .no_gzip()
        .tls_certs_only([])
        .build()
        .unwrap();
    let request = client.get(format!("http://{}/organization/v1/tags", service.address()));
    let request = request.bearer_auth(TOKEN).header("accept-encoding", "gzip");
    request.send().await.unwrap()
}

/// A list as a client gets it that takes gzip: the coding, and the body behind it.
async fn zipped(service: &Running) -> (Option<String>, Vec<u8>) {
    let response = asked_for_gzip(service).await;
    let coding = response
        .headers()
        .get("content-encoding")
        .map(|coding| coding.to_str().unwrap().to_owned());
    let body = response.bytes().await.unwrap();
    if coding.is_none() {
        return (coding, body.to_vec());
    }
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut text).unwrap();
    (coding, text)
}

#[tokio::test]
async fn faults_deviate_under_compression_as_without() {
    for fault in [
        "getTags/data/items/each/name:dropped",
        "getTags:body-cut",
        "getTags:total-wrong",
    ] {
        let plain = zipped(&with(&[fault]).await).await;
        let (coding, text) = zipped(&moved(&["compression=gzip"], &[fault]).await).await;
        assert_eq!((plain.0, coding.as_deref()), (None, Some("gzip")), "{fault}");
        assert_eq!(String::from_utf8(text), String::from_utf8(plain.1), "{fault}");
    }
    let service = moved(&["compression=gzip"], &["getTags:connection-cut"]).await;
    assert!(asked_for_gzip(&service).await.bytes().await.is_err());
}
