//! Walking the lists, and requesting pages that do not exist or are not page numbers.

use std::collections::HashSet;

use countersign::service::{Profile, ProfileSetting, Service, StoreUrl};
use reqwest::{Method, StatusCode};
use serde_json::json;

use super::contract::assert_responses;
use super::support::{Running, TOKEN};

const LISTS: [&str; 4] = ["/contact-database", "/venues", "/visits", "/tags"];

async fn with_pages_of(per_page: u32) -> Running {
    let profile = Profile::of(&[ProfileSetting::parse(&format!("page-size={per_page}")).unwrap()]).unwrap();
    Running::start(
        Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile)
            .await
            .unwrap(),
    )
    .await
}

#[tokio::test]
async fn a_walk_over_all_pages_adds_up() {
    for per_page in [1, 7, 10, 100] {
        let service = with_pages_of(per_page).await;
        for path in LISTS {
            let data = service.get(path).await.body["data"].clone();
            let items = service.walk(path).await;
            let distinct: HashSet<String> = items.iter().map(|item| item["id"].to_string()).collect();
            assert_eq!(data["per_page"], per_page);
            assert_eq!(data["total"], items.len());
            assert_eq!(data["last_page"], items.len().div_ceil(per_page as usize));
            assert_eq!(distinct.len(), items.len());
        }
    }
}

#[tokio::test]
async fn a_list_has_several_pages_and_starts_at_the_first() {
    let service = Running::memory().await;
    for path in LISTS {
        let default = service.get(path).await.body;
        assert_eq!(default, service.get(&format!("{path}?page=1")).await.body);
        assert!(default["data"]["last_page"].as_i64().unwrap() >= 2, "{path}");
    }
}

#[tokio::test]
async fn a_created_record_is_last_and_moves_no_other() {
    let service = Running::memory().await;
    let before = service.walk("/tags").await;
    let tag = service.post("/tags", &json!({"name": "fresh"})).await.body["data"].clone();
    assert_eq!(service.walk("/tags").await, [before, vec![tag]].concat());
}

#[tokio::test]
async fn a_page_beyond_the_last_is_empty() {
    let service = Running::memory().await;
    for page in [6, 1_000_000_000_000_000_000, i64::MAX] {
        let response = service.get(&format!("/contact-database?page={page}")).await;
        assert_eq!(response.status, StatusCode::OK);
        assert_responses("ContactPage", &response.body);
        let expected = json!({"per_page": 10, "page": page, "total": 30, "last_page": 3, "items": []});
        assert_eq!(response.body["data"], expected);
    }
}

#[tokio::test]
async fn what_is_no_page_number_is_rejected() {
    let service = Running::memory().await;
    let odd = [
        "0",
        "-1",
        "1000000000000000000000000000000",
        "",
        "two",
        "1.5",
        "%2B1",
        "%00",
        "%FF",
        "1&page=1",
        "1&page=2",
    ];
    for path in LISTS {
        for page in odd {
            let response = service.get(&format!("{path}?page={page}")).await;
            assert_eq!(response.status, StatusCode::BAD_REQUEST, "{path} {page}");
            assert_eq!(response.body["errors"][0]["field"], "page");
        }
    }
}

#[tokio::test]
async fn other_query_parameters_are_ignored() {
    let service = Running::memory().await;
    assert_eq!(
        service.get("/tags?per_page=1&search=x").await.body,
        service.get("/tags").await.body
    );
}

#[tokio::test]
async fn head_is_answered_like_get_without_the_body() {
    let service = Running::memory().await;
    for path in LISTS {
        let get = service.request(Method::GET, path).send().await.unwrap();
        let head = service.request(Method::HEAD, path).send().await.unwrap();
        assert_eq!(head.status(), StatusCode::OK);
        assert_eq!(head.headers()["content-length"], get.headers()["content-length"]);
        assert!(head.bytes().await.unwrap().is_empty());
    }
}
