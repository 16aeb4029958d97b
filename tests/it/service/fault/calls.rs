//! Calls that are carried out too often, that collide, or that are accepted or rejected for their spelling.

use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use super::{moved, with};
use crate::service::support::{Running, TOKEN};

const CONTACTS: &str = "/contact-database";

async fn total(service: &Running, list: &str) -> u64 {
    service.get(list).await.body["data"]["total"].as_u64().unwrap()
}

async fn contact(service: &Running, firstname: &str) -> Value {
    service.post(CONTACTS, &json!({"firstname": firstname})).await.body["data"].clone()
}

fn path_of(contact: &Value) -> String {
    format!("{CONTACTS}/{}", contact["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_create_adds_two_records() {
    for deviation in ["stored-twice", "stored-again"] {
        let service = with(&[
            &format!("createTag:{deviation}"),
            &format!("createContactMethod:{deviation}"),
        ])
        .await;
        let before = total(&service, "/tags").await;
        let tag = service.post("/tags", &json!({"name": "new"})).await.body["data"].clone();
        assert_eq!(total(&service, "/tags").await, before + 2, "{deviation}");
        assert_eq!(service.listed("/tags", &tag["id"]).await, Some(tag));
        let ada = contact(&service, "Ada").await;
        let method = json!({"type": "email", "contact": "ada@example.com"});
        service
            .post(&format!("{}/contact-method", path_of(&ada)), &method)
            .await;
        let listed = service.listed(CONTACTS, &ada["id"]).await.unwrap();
        assert_eq!(listed["contact_methods"].as_array().unwrap().len(), 2, "{deviation}");
    }
}

#[tokio::test]
async fn an_update_adds_a_record_or_has_another_identifier() {
    let service = with(&["updateContact:row-added"]).await;
    let ada = contact(&service, "Ada").await;
    let before = total(&service, CONTACTS).await;
    service.put(&path_of(&ada), &json!({"firstname": "Bruno"})).await;
    assert_eq!(total(&service, CONTACTS).await, before + 1);
    let service = with(&["updateContact:identifier-changed"]).await;
    let (ada, other) = (contact(&service, "Ada").await, contact(&service, "Other").await);
    service.put(&path_of(&ada), &json!({"firstname": "Countersign"})).await;
    assert_eq!(service.listed(CONTACTS, &ada["id"]).await, None);
    assert!(service.listed(CONTACTS, &other["id"]).await.is_some());
    assert_eq!(
        service
            .walk(CONTACTS)
            .await
            .iter()
            .filter(|one| one["firstname"] == "Countersign")
            .count(),
        1
    );
}

/// The records of two tags that are created at once.
async fn two_tags(deviation: &str) -> (Running, [Value; 2]) {
    let service = with(&[&format!("createTag:{deviation}")]).await;
    let create = async |name: &str| service.post("/tags", &json!({ "name": name })).await.body["data"].clone();
    // One after the other nothing meets.
    let alone = create("alone").await;
    assert_eq!(service.listed("/tags", &alone["id"]).await.unwrap()["name"], "alone");
    let (one, other) = tokio::join!(create("one"), create("other"));
    (service, [one, other])
}

#[tokio::test]
async fn two_creates_at_once_are_taken_for_one() {
    let (_, [one, other]) = two_tags("one-identifier-at-once").await;
    assert_eq!((&one["id"], one["name"] == "one"), (&other["id"], true));
    let (service, tags) = two_tags("one-lost-at-once").await;
    assert_eq!([&tags[0]["name"], &tags[1]["name"]], ["one", "other"]);
    let listed = [
        service.listed("/tags", &tags[0]["id"]).await,
        service.listed("/tags", &tags[1]["id"]).await,
    ];
    assert_eq!(listed.iter().filter(|listed| listed.is_some()).count(), 1);
    let (_, [one, other]) = two_tags("swapped-at-once").await;
    assert_eq!([&one["name"], &other["name"]], ["other", "one"]);
}

#[tokio::test]
async fn a_method_replaces_the_others_of_its_contact_alone() {
    let service = with(&["createContactMethod:others-replaced"]).await;
    let method = |contact: &str| json!({"type": "email", "contact": contact});
    let sent = json!({"firstname": "Ada", "contact_methods": [method("ada@example.com")]});
    let create = async || service.post(CONTACTS, &sent).await.body["data"].clone();
    let (ada, other) = (create().await, create().await);
    service
        .post(
            &format!("{}/contact-method", path_of(&ada)),
            &method("second@example.com"),
        )
        .await;
    let methods = async |contact: &Value| {
        let listed = service.listed(CONTACTS, &contact["id"]).await.unwrap();
        let methods = listed["contact_methods"].as_array().unwrap().clone();
        methods
            .iter()
            .map(|method| method["contact"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(methods(&ada).await, ["second@example.com"]);
    assert_eq!(methods(&other).await, ["ada@example.com"]);
}

#[tokio::test]
async fn the_last_methods_of_two_contacts_are_exchanged() {
    let service = with(&["createContact:parts-exchanged"]).await;
    let create = async |name: &str, count: usize| {
        let method = |number| json!({"type": "email", "contact": format!("{name}{number}@example.com")});
        let methods: Vec<_> = (0..count).map(method).collect();
        let sent = json!({"firstname": name, "contact_methods": methods});
        service.post(CONTACTS, &sent).await.body["data"].clone()
    };
    let contacts = [create("a", 2).await, create("b", 1).await, create("c", 2).await];
    let mut last = Vec::new();
    for contact in &contacts {
        let listed = service.listed(CONTACTS, &contact["id"]).await.unwrap();
        let methods = listed["contact_methods"].as_array().unwrap().clone();
        last.push(methods.last().unwrap()["contact"].as_str().unwrap().to_owned());
    }
    assert_eq!(last, ["c1@example.com", "b0@example.com", "a1@example.com"]);
}

#[tokio::test]
async fn counts_are_wrong_where_the_last_page_is_full() {
    let numbers = async |size: &str, list: &str, deviation: &str, query: &str| {
        let service = moved(&[size], &[&format!("{list}:{deviation}")]).await;
        let path = if list == "getTags" { "/tags" } else { "/venues" };
        let data = service.get(&format!("{path}{query}")).await.body["data"].clone();
        (
            data["page"].clone(),
            data["last_page"].clone(),
            data["items"].as_array().unwrap().len(),
        )
    };
    // There are 20 tags: the last page of seven is not full, and that of ten is.
    for (size, deviation, query, (page, last_page, items)) in [
        ("page-size=7", "full-last-page-counted", "", (1, 3, 7)),
        ("page-size=10", "full-last-page-counted", "", (1, 3, 10)),
        ("page-size=7", "full-last-page-short", "?page=3", (3, 3, 6)),
        ("page-size=10", "full-last-page-short", "?page=2", (2, 2, 9)),
        ("page-size=10", "full-last-page-short", "?page=1", (1, 2, 10)),
        ("page-size=7", "empty-page-inside", "", (1, 4, 7)),
        ("page-size=7", "empty-page-inside", "?page=2", (2, 4, 0)),
        ("page-size=7", "empty-page-inside", "?page=4", (4, 4, 6)),
    ] {
        let expected = (json!(page), json!(last_page), items);
        assert_eq!(
            numbers(size, "getTags", deviation, query).await,
            expected,
            "{deviation} {query}"
        );
    }
    let rounded = numbers("page-size=7", "getVenues", "last-page-rounded", "").await;
    assert_eq!(rounded, (json!(1), json!(4), 7), "30 venues");
}

/// Credentials that are nearly right; the token is `test-token`.
const NEAR: [(&str, &str); 7] = [
    ("let-in-without-a-token", "Bearer "),
    ("let-in-with-a-first-half", "Bearer test-other"),
    ("let-in-with-a-longer-token", "Bearer test-tokens"),
    ("let-in-in-another-case", "Bearer Test-Token"),
    ("let-in-with-another-end", "Bearer test-tokem"),
    ("let-in-with-a-beginning", "Bearer test"),
    ("let-in-with-a-beginning", "Bearer "),
];

async fn status(request: RequestBuilder, credential: &str) -> StatusCode {
    let request = request.header("Authorization", credential);
    request.send().await.unwrap().status()
}

#[tokio::test]
async fn a_token_that_is_nearly_right_is_let_in_everywhere() {
    for (deviation, shown) in NEAR {
        let service = with(&[&format!("bearerAuth:{deviation}")]).await;
        for path in ["/tags", "/venues"] {
            let get = |credential: &'static str| status(service.bare(Method::GET, path), credential);
            assert_eq!(get(shown).await, StatusCode::OK, "{deviation}");
            assert_eq!(get("Bearer nothing").await, StatusCode::UNAUTHORIZED, "{deviation}");
            assert_eq!(get("Basic test-token").await, StatusCode::UNAUTHORIZED, "{deviation}");
            let without = service.bare(Method::GET, path).send().await.unwrap();
            assert_eq!(without.status(), StatusCode::UNAUTHORIZED, "{deviation}");
        }
    }
    let sound = with(&[]).await;
    for (_, shown) in NEAR {
        assert_eq!(
            status(sound.bare(Method::GET, "/tags"), shown).await,
            StatusCode::UNAUTHORIZED
        );
    }
}

#[tokio::test]
async fn the_claims_of_a_jwt_are_enough() {
    use countersign::service::fault::{self, Faults};

    let token = "e30.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
    let service = countersign::service::Service::in_memory(token.to_owned().into()).unwrap();
    let faults = Faults::named(["bearerAuth:let-in-with-a-first-half"]).unwrap();
    let service = Running::serve(fault::app(service, &faults)).await;
    let get = |credential| status(service.bare(Method::GET, "/tags"), credential);
    assert_eq!(get("Bearer e30.eyJzdWIiOiJhIn0.b3RoZXI").await, StatusCode::OK);
    assert_eq!(
        get("Bearer e30.eyJzdWIiOiJiIn0.c2lnbmF0dXJl").await,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn a_further_page_or_a_query_needs_no_credential() {
    for (deviation, first) in [
        ("let-in-on-page-2", StatusCode::UNAUTHORIZED),
        ("let-in-with-a-query", StatusCode::OK),
    ] {
        let service = with(&[&format!("getTags:{deviation}")]).await;
        let get = async |path: &str| service.bare(Method::GET, path).send().await.unwrap().status();
        assert_eq!(get("/tags").await, StatusCode::UNAUTHORIZED, "{deviation}");
        assert_eq!(get("/tags?page=1").await, first, "{deviation}");
        assert_eq!(get("/tags?page=2").await, StatusCode::OK, "{deviation}");
        assert_eq!(get("/venues?page=2").await, StatusCode::UNAUTHORIZED, "{deviation}");
    }
}

/// One update in each writing that makes no difference.
fn written(service: &Running, contact: &Value, writing: &str) -> RequestBuilder {
    let path = path_of(contact);
    let capitals = format!("{CONTACTS}/{}", contact["id"].as_str().unwrap().to_uppercase());
    let path = if writing == "capitals-rejected" { capitals } else { path };
    let body = match writing {
        "escapes-rejected" => r#"{"firstname":"\u0041da","lastname":"a\/b"}"#,
        "order-rejected" => r#"{"lastname":"a/b","firstname":"Ada"}"#,
        "white-space-rejected" => "{\"firstname\": \"Ada\",\n\"lastname\":\"a/b\"}",
        _ => r#"{"firstname":"Ada","lastname":"a/b"}"#,
    };
    let charset = "application/json; charset=utf-8";
    let media_type = if writing == "charset-rejected" {
        charset
    } else {
        "application/json"
    };
    let scheme = if writing == "lowercase-scheme-rejected" {
        "bearer"
    } else {
        "Bearer"
    };
    let request = service.bare(Method::PUT, &path).header("Content-Type", media_type);
    request.header("Authorization", format!("{scheme} {TOKEN}")).body(body)
}

#[tokio::test]
async fn a_request_is_rejected_for_how_it_is_written_and_plainly_taken() {
    let writings = [
        ("updateContact", "capitals-rejected", 404),
        ("updateContact", "charset-rejected", 415),
        ("updateContact", "escapes-rejected", 400),
        ("updateContact", "order-rejected", 400),
        ("updateContact", "white-space-rejected", 400),
        ("bearerAuth", "lowercase-scheme-rejected", 401),
    ];
    let sound = with(&[]).await;
    let ada = contact(&sound, "Ada").await;
    for (on, writing, rejected) in writings {
        assert_eq!(
            written(&sound, &ada, writing).send().await.unwrap().status(),
            StatusCode::OK,
            "{writing}"
        );
        let service = with(&[&format!("{on}:{writing}")]).await;
        let ada = contact(&service, "Ada").await;
        for (_, other, _) in writings {
            let response = written(&service, &ada, other).send().await.unwrap();
            let expected = if other == writing { rejected } else { 200 };
            assert_eq!(response.status().as_u16(), expected, "{writing}, {other}");
        }
    }
}

#[tokio::test]
async fn escapes_are_kept_as_they_are_written() {
    let service = with(&["updateContact:escapes-kept"]).await;
    let ada = contact(&service, "Bruno").await;
    for (writing, firstname, lastname) in [("", "Ada", "a/b"), ("escapes-rejected", r"\u0041da", r"a\/b")] {
        assert!(
            written(&service, &ada, writing)
                .send()
                .await
                .unwrap()
                .status()
                .is_success()
        );
        let listed = service.listed(CONTACTS, &ada["id"]).await.unwrap();
        assert_eq!(
            (&listed["firstname"], &listed["lastname"]),
            (&json!(firstname), &json!(lastname))
        );
    }
}
