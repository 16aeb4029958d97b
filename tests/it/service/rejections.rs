//! What the service refuses: who is rejected, with which status, and what a rejection says.

use reqwest::header::{ALLOW, CONTENT_TYPE, WWW_AUTHENTICATE};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::profile::with;
use super::support::{Response, Running, TOKEN, response};

const UNKNOWN: &str = "3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52";

fn operations() -> [(Method, String); 9] {
    [
        (Method::POST, "/contact-database".to_owned()),
        (Method::GET, "/contact-database".to_owned()),
        (Method::PUT, format!("/contact-database/{UNKNOWN}")),
        (Method::POST, format!("/contact-database/{UNKNOWN}/contact-method")),
        (Method::GET, "/venues".to_owned()),
        (Method::GET, "/visits".to_owned()),
        (Method::POST, "/visits".to_owned()),
        (Method::GET, "/tags".to_owned()),
        (Method::POST, "/tags".to_owned()),
    ]
}

/// Returns the fields that a rejection names, after a look at its shape.
#[track_caller]
fn fields(response: &Response, status: StatusCode) -> Vec<&str> {
    assert_eq!(response.status, status, "{}", response.body);
    let body = response.body.as_object().unwrap();
    assert_eq!(body.keys().collect::<Vec<_>>(), ["message", "errors"]);
    body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["field"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn without_a_credential_every_operation_is_rejected_before_anything_else() {
    let service = Running::memory().await;
    for (method, path) in operations() {
        for authorization in [None, Some("Basic dGVzdA=="), Some(TOKEN), Some("Bearer")] {
            let mut request = service.bare(method.clone(), &format!("{path}?page=0")).body("not JSON");
            if let Some(value) = authorization {
                request = request.header("authorization", value);
            }
            let response = request.send().await.unwrap();
            assert_eq!(
                response.status(),
                StatusCode::UNAUTHORIZED,
                "{method} {path} {authorization:?}"
            );
            assert_eq!(
                response.headers()[WWW_AUTHENTICATE],
                r#"Bearer realm="contact-database""#
            );
        }
    }
}

#[tokio::test]
async fn with_a_wrong_token_every_operation_is_rejected_as_such() {
    let service = Running::memory().await;
    for (method, path) in operations() {
        for wrong in [
            "wrong", "test-toke", "test-token2", "TEST-TOKEN", "test-token test-token",
        ] {
            let response = service
                .bare(method.clone(), &path)
                .bearer_auth(wrong)
                .send()
                .await
                .unwrap();
            assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{method} {path}");
            let challenge = r#"Bearer realm="contact-database", error="invalid_token""#;
            assert_eq!(response.headers()[WWW_AUTHENTICATE], challenge);
        }
    }
}

#[tokio::test]
async fn the_scheme_is_read_in_any_case() {
    let service = Running::memory().await;
    for scheme in ["bearer", "BEARER", "BeArEr"] {
        let request = service
            .bare(Method::GET, "/tags")
            .header("authorization", format!("{scheme} {TOKEN}"));
        assert_eq!(response(request).await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn a_missing_required_field_is_named() {
    let service = Running::memory().await;
    let method = format!("/contact-database/{UNKNOWN}/contact-method");
    let required: [(&str, &[&str]); 4] = [
        ("/contact-database", &["/firstname"]),
        (&method, &["/type", "/contact"]),
        ("/visits", &["/contact_id", "/venue_id", "/datetime"]),
        ("/tags", &["/name"]),
    ];
    for (path, expected) in required {
        let rejected = service.post(path, &json!({})).await;
        assert_eq!(fields(&rejected, StatusCode::UNPROCESSABLE_ENTITY), expected);
    }
}

#[tokio::test]
async fn a_duplicate_is_reported_at_the_field_that_another_record_has() {
    let service = with(&["duplicates=invalid".to_owned()]).await;
    let method = |address: &str| json!({"type": "email", "contact": address, "status": "active"});
    let first = json!({"firstname": "Ada", "contact_methods": [method("ada.first@example.com")]});
    assert_eq!(
        service.post("/contact-database", &first).await.status,
        StatusCode::CREATED
    );
    let methods = [method("bea@example.com"), method("ada.first@example.com")];
    for (sent, pointer) in [
        (
            json!({"firstname": "Bea", "contact_methods": methods}),
            "/contact_methods/1",
        ),
        (json!({"firstname": "Ada"}), "/firstname"),
    ] {
        let rejected = service.post("/contact-database", &sent).await;
        assert_eq!(fields(&rejected, StatusCode::UNPROCESSABLE_ENTITY), [pointer]);
    }
}

#[tokio::test]
async fn a_reference_that_is_ignored_is_missing_where_it_is_required() {
    let service = with(&["required-fields=every", "unknown-references=ignored"].map(str::to_owned)).await;
    let mut sent = json!({
        "firstname": "Ada", "lastname": "Example", "contact_methods": [], "dob": "1990-02-28",
        "date_of_birth": {"day": 28, "month": 2, "year": 1990}, "gender": "female", "nationality": "GB",
        "country_of_residence": "GB", "venue_id": UNKNOWN, "included_channels": [], "tags": [],
    });
    for _ in 0..2 {
        let rejected = service.post("/contact-database", &sent).await;
        assert_eq!(fields(&rejected, StatusCode::UNPROCESSABLE_ENTITY), ["/venue_id"]);
        sent.as_object_mut().unwrap().remove("venue_id");
    }
}

#[tokio::test]
async fn a_wrong_field_of_a_contact_is_named_by_its_pointer() {
    let service = Running::memory().await;
    let wrong = [
        ("/firstname", json!({"firstname": ""})),
        ("/lastname", json!({"lastname": null})),
        ("/gender", json!({"gender": "a\0b"})),
        ("/dob", json!({"dob": "1990-2-28"})),
        ("/dob", json!({"dob": "1990-02-30"})),
        ("/date_of_birth", json!({"date_of_birth": [28, 2, 1990]})),
        (
            "/date_of_birth",
            json!({"date_of_birth": {"day": 30, "month": 2, "year": 1990}}),
        ),
        (
            "/date_of_birth/month",
            json!({"date_of_birth": {"day": 28, "month": "2", "year": 1990}}),
        ),
        ("/date_of_birth/year", json!({"date_of_birth": {"day": 28, "month": 2}})),
        ("/contact_methods", json!({"contact_methods": {}})),
        (
            "/contact_methods/0",
            json!({"contact_methods": [["email", "ada@example.com", "active"]]}),
        ),
        (
            "/contact_methods/0/contact",
            json!({"contact_methods": [{"type": "email"}]}),
        ),
        ("/included_channels/1", json!({"included_channels": ["email", 1]})),
        ("/tags/1", json!({"tags": ["regular", "there is no such tag"]})),
        ("/venue_id", json!({"venue_id": UNKNOWN})),
        ("/venue_id", json!({"venue_id": UNKNOWN.replace('-', "")})),
        ("/nationality", json!({"nationality": "x".repeat(1_001)})),
    ];
    for (pointer, change) in wrong {
        let mut sent = json!({"firstname": "Ada"});
        sent.as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        let rejected = service.post("/contact-database", &sent).await;
        assert_eq!(
            fields(&rejected, StatusCode::UNPROCESSABLE_ENTITY),
            [pointer],
            "{change}"
        );
    }
    assert_eq!(service.get("/contact-database").await.body["data"]["total"], 30);
}

#[tokio::test]
async fn a_wrong_field_of_a_tag_or_a_visit_is_named_by_its_pointer() {
    let service = Running::memory().await;
    let rejected = service
        .post("/tags", &json!({"name": "fresh", "color": "1A2B3C"}))
        .await;
    assert_eq!(fields(&rejected, StatusCode::UNPROCESSABLE_ENTITY), ["/color"]);
    let rejected = service
        .post(
            "/visits",
            &json!({"contact_id": 1, "venue_id": "x", "datetime": "2024-05-17"}),
        )
        .await;
    assert_eq!(
        fields(&rejected, StatusCode::UNPROCESSABLE_ENTITY),
        ["/contact_id", "/venue_id", "/datetime"]
    );
    let unknown = json!({"contact_id": UNKNOWN, "venue_id": UNKNOWN, "datetime": "2024-05-17T09:30:00Z"});
    assert_eq!(
        fields(
            &service.post("/visits", &unknown).await,
            StatusCode::UNPROCESSABLE_ENTITY
        ),
        ["/contact_id"]
    );
}

#[tokio::test]
async fn a_rejected_update_changes_nothing() {
    let service = Running::memory().await;
    let before = service.get("/contact-database").await.body;
    let path = format!(
        "/contact-database/{}",
        before["data"]["items"][0]["id"].as_str().unwrap()
    );
    for sent in [
        json!({"firstname": ""}),
        json!({"firstname": "Ada", "tags": ["there is no such tag"]}),
    ] {
        assert_eq!(service.put(&path, &sent).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    assert_eq!(service.get("/contact-database").await.body, before);
}

#[tokio::test]
async fn an_unknown_contact_is_not_found_however_it_is_spelled() {
    let service = Running::memory().await;
    let known = service.get("/contact-database").await.body["data"]["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let without_hyphens = known.replace('-', "");
    for id in [
        UNKNOWN,
        &without_hyphens,
        &format!("%7B{known}%7D"),
        &format!("urn:uuid:{known}"),
        "1",
        "%00",
        "%FF",
        "..%2F",
    ] {
        let update = service.put(&format!("/contact-database/{id}"), &json!({})).await;
        assert!(fields(&update, StatusCode::NOT_FOUND).is_empty(), "{id}");
        let sent = json!({"type": "email", "contact": "ada@example.com"});
        let method = service
            .post(&format!("/contact-database/{id}/contact-method"), &sent)
            .await;
        assert!(fields(&method, StatusCode::NOT_FOUND).is_empty(), "{id}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_object_is_rejected() {
    let service = Running::memory().await;
    let deep = format!("{{\"name\": {}{}}}", "[".repeat(20_000), "]".repeat(20_000));
    let bodies = [
        "",
        "null",
        "[]",
        r#"["fresh"]"#,
        "\"fresh\"",
        "{",
        "{'name': 'fresh'}",
        r#"{"name": "a", "name": "b"}"#,
        &deep,
    ];
    for body in bodies {
        let request = service
            .request(Method::POST, "/tags")
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_owned());
        assert!(fields(&response(request).await, StatusCode::BAD_REQUEST).is_empty());
    }
}

#[tokio::test]
async fn a_body_of_another_media_type_is_rejected() {
    let service = Running::memory().await;
    for media_type in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("application/xml"),
    ] {
        let mut request = service.request(Method::POST, "/tags").body(r#"{"name": "fresh"}"#);
        if let Some(media_type) = media_type {
            request = request.header(CONTENT_TYPE, media_type);
        }
        assert!(fields(&response(request).await, StatusCode::UNSUPPORTED_MEDIA_TYPE).is_empty());
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_rejected() {
    let service = Running::memory().await;
    let rejected = service
        .post("/tags", &json!({"name": "fresh", "padding": "x".repeat(64 * 1024)}))
        .await;
    assert!(fields(&rejected, StatusCode::PAYLOAD_TOO_LARGE).is_empty());
    let taken = service
        .post("/tags", &json!({"name": "fresh", "padding": "x".repeat(63 * 1024)}))
        .await;
    assert_eq!(taken.status, StatusCode::CREATED);
}

#[tokio::test]
async fn an_unknown_path_is_not_found() {
    let service = Running::memory().await;
    for path in [
        "/contacts", "/tags/", "/contact-database/", "", "/../tags/x", "/tags%2F",
    ] {
        assert!(
            fields(&service.get(path).await, StatusCode::NOT_FOUND).is_empty(),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_method_that_a_path_lacks_is_rejected_with_those_it_has() {
    let service = Running::memory().await;
    let lacking = [
        (Method::DELETE, "/tags".to_owned(), "GET,HEAD,POST"),
        (Method::POST, "/venues".to_owned(), "GET,HEAD"),
        (Method::GET, format!("/contact-database/{UNKNOWN}"), "PUT"),
        (
            Method::OPTIONS,
            format!("/contact-database/{UNKNOWN}/contact-method"),
            "POST",
        ),
    ];
    for (method, path, allowed) in lacking {
        let response = service.request(method, &path).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert_eq!(response.headers()[ALLOW], allowed);
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["errors"], json!([]));
    }
}

#[tokio::test]
async fn a_rejection_quotes_nothing_that_was_sent() {
    let service = Running::memory().await;
    let mark = "Zzyzx";
    let responses = [
        service.get(&format!("/tags?page={mark}")).await,
        service.get(&format!("/{mark}")).await,
        service.put(&format!("/contact-database/{mark}"), &json!({})).await,
        service.post("/tags", &json!({"name": "fresh", "color": mark})).await,
        service
            .post(
                "/contact-database",
                &json!({"firstname": "Ada", "tags": [mark], "dob": mark, mark: mark}),
            )
            .await,
        response(
            service
                .request(Method::POST, "/tags")
                .header(CONTENT_TYPE, "application/json")
                .body(mark),
        )
        .await,
        response(service.bare(Method::GET, "/tags").bearer_auth(mark)).await,
    ];
    for rejected in responses {
        assert!(rejected.status.is_client_error());
        assert!(!rejected.body.to_string().contains(mark), "{}", rejected.body);
    }
}
