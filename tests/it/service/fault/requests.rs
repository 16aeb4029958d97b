//! Requests that are mistaken for others: credentials, pages, edge cases.

use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use super::with;
use crate::service::support::{Running, TOKEN};

const CREDENTIALS: [(&str, Option<&str>); 3] = [
    ("let-in-without-credential", None),
    ("let-in-with-another-scheme", Some("Basic test-token")),
    ("let-in-with-a-wrong-token", Some("Bearer wrong")),
];

async fn status(request: RequestBuilder, credential: Option<&str>) -> StatusCode {
    let request = credential.into_iter().fold(request, |request, credential| {
        request.header("Authorization", credential)
    });
    request.send().await.unwrap().status()
}

#[tokio::test]
async fn one_credential_is_let_in_on_one_operation() {
    for (deviation, let_in) in CREDENTIALS {
        let service = with(&[&format!("getTags:{deviation}")]).await;
        for (_, credential) in CREDENTIALS {
            let expected = if credential == let_in {
                StatusCode::OK
            } else {
                StatusCode::UNAUTHORIZED
            };
            assert_eq!(
                status(service.bare(Method::GET, "/tags"), credential).await,
                expected,
                "{deviation}"
            );
            let venues = status(service.bare(Method::GET, "/venues"), credential).await;
            assert_eq!(venues, StatusCode::UNAUTHORIZED, "{deviation}");
        }
        let right = format!("Bearer {TOKEN}");
        assert_eq!(
            status(service.bare(Method::GET, "/tags"), Some(&right)).await,
            StatusCode::OK
        );
    }
}

/// The numbers of a page, and the names on it.
async fn page(service: &Running, query: &str) -> (Value, Vec<String>) {
    let mut data = service.get(&format!("/tags{query}")).await.body["data"].take();
    let items = data.as_object_mut().unwrap().remove("items").unwrap();
    let names = items
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["name"].as_str().unwrap().to_owned());
    (data, names.collect())
}

#[tokio::test]
async fn pages_are_wrong_as_named() {
    let sound = with(&[]).await;
    let (first, second) = (page(&sound, "").await, page(&sound, "?page=2").await);
    let numbers =
        |total, last_page, page| json!({"per_page": 10, "page": page, "total": total, "last_page": last_page});
    let first_names = |range| first.1.get::<std::ops::Range<usize>>(range).unwrap().to_vec();
    let overfull = [first_names(0..10), first_names(9..10)].concat();
    for (deviation, expected_first, expected_second) in [
        ("default-page-2", second.clone(), second.clone()),
        ("page-ignored", first.clone(), first.clone()),
        ("page-repeated", first.clone(), (second.0.clone(), first.1.clone())),
        (
            "page-overfull",
            (first.0.clone(), overfull),
            (second.0.clone(), [second.1.clone(), second.1[9..].to_vec()].concat()),
        ),
        ("row-skipped", (first.0.clone(), first_names(0..9)), second.clone()),
        (
            "total-wrong",
            (numbers(21, 3, 1), first.1.clone()),
            (numbers(21, 3, 2), second.1.clone()),
        ),
        (
            "last-page-wrong",
            (numbers(20, 3, 1), first.1.clone()),
            (numbers(20, 3, 2), second.1.clone()),
        ),
    ] {
        let service = with(&[&format!("getTags:{deviation}")]).await;
        assert_eq!(page(&service, "").await, expected_first, "{deviation}");
        assert_eq!(page(&service, "?page=2").await, expected_second, "{deviation}");
    }
}

#[tokio::test]
async fn the_last_item_of_all_has_no_identifier() {
    let tags = with(&["getTags:last-item-without-id"]).await.walk("/tags").await;
    let unnamed: Vec<_> = (0..tags.len())
        .filter(|index| tags[*index].get("id").is_none())
        .collect();
    assert_eq!(unnamed, [tags.len() - 1]);
}

#[tokio::test]
async fn an_edge_case_page_is_answered_with_a_500_and_others_as_ever() {
    let queries = [
        ("page-zero", "?page=0"),
        ("page-negative", "?page=-1"),
        ("page-huge", "?page=1000000000000000000000"),
        ("page-word", "?page=one"),
        ("page-twice", "?page=1&page=2"),
        ("page-empty", "?page="),
    ];
    for (fault, _) in queries {
        let service = with(&[&format!("getTags:fails-on-{fault}")]).await;
        for (edge_case, query) in queries {
            let expected = if edge_case == fault {
                StatusCode::INTERNAL_SERVER_ERROR
            } else {
                StatusCode::BAD_REQUEST
            };
            assert_eq!(
                service.get(&format!("/tags{query}")).await.status,
                expected,
                "{fault}, {edge_case}"
            );
        }
        assert_eq!(service.get("/tags?page=2").await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn an_edge_case_body_is_answered_with_a_500_and_others_as_ever() {
    let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
    let long = json!({"name": "x".repeat(10_000)}).to_string();
    let bodies = [
        ("body-empty", "", 400),
        ("body-not-json", "{", 400),
        ("body-array", "[]", 400),
        ("body-number", "17", 400),
        ("body-text", r#""countersign""#, 400),
        ("body-deep", &deep, 400),
        ("text-long", &long, 422),
        ("beyond-ascii", r#"{"name": "Ωmega"}"#, 201),
        ("control-characters", r#"{"name": "a\u0007b"}"#, 201),
    ];
    for (fault, ..) in bodies {
        let service = with(&[&format!("createTag:fails-on-{fault}")]).await;
        for (edge_case, body, sound) in bodies {
            let request = service
                .request(Method::POST, "/tags")
                .header("Content-Type", "application/json");
            let status = request.body(body.to_owned()).send().await.unwrap().status().as_u16();
            assert_eq!(
                status,
                if edge_case == fault { 500 } else { sound },
                "{fault}, {edge_case}"
            );
        }
    }
}

#[tokio::test]
async fn the_response_to_an_edge_case_breaks_off_and_others_are_whole() {
    let service = with(&["createTag:breaks-off-on-body-array"]).await;
    for (body, whole) in [(json!(["omega"]), false), (json!({ "name": "omega" }), true)] {
        let body = body.to_string();
        let request = service
            .request(Method::POST, "/tags")
            .header("Content-Type", "application/json");
        let response = request.body(body).send().await.unwrap();
        assert_eq!(response.bytes().await.is_ok(), whole);
    }
}

#[tokio::test]
async fn an_edge_case_identifier_is_answered_with_a_500_and_others_as_ever() {
    let paths = [
        ("identifier-malformed", "/contact-database/none"),
        (
            "identifier-unknown",
            "/contact-database/67e55044-10b1-426f-9247-bb680e5fe0c8",
        ),
    ];
    for (fault, _) in paths {
        let service = with(&[&format!("updateContact:fails-on-{fault}")]).await;
        for (edge_case, path) in paths {
            let status = service.put(path, &json!({})).await.status;
            assert_eq!(
                status == StatusCode::INTERNAL_SERVER_ERROR,
                edge_case == fault,
                "{fault}, {edge_case}"
            );
        }
    }
}
