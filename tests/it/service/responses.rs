//! How each operation responds when it does what it is asked to.

use chrono::{DateTime, Utc};
use countersign::service::{Clock, Profile, Service, StoreUrl};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::contract::assert_responses;
use super::support::{Running, TOKEN};

/// A contact with every documented request field.
fn whole_contact(venue: &Value) -> Value {
    json!({
        "firstname": "Ada",
        "lastname": "Example",
        "contact_methods": [
            {"type": "email", "contact": "ada@example.com", "status": "inactive"},
            {"type": "phone", "contact": "+44 7700 900123"},
            {"type": "email", "contact": "ada.second@example.com"},
        ],
        "dob": "1990-02-28",
        "date_of_birth": {"day": 28, "month": 2, "year": 1990},
        "gender": "female",
        "nationality": "GB",
        "country_of_residence": "IT",
        "venue_id": venue["id"],
        "included_channels": ["email", "sms"],
        "tags": ["guest", "regular"],
    })
}

async fn first(service: &Running, list: &str) -> Value {
    service.get(list).await.body["data"]["items"][0].clone()
}

async fn created(service: &Running, body: &Value) -> Value {
    let response = service.post("/contact-database", body).await;
    assert_eq!(response.status, StatusCode::CREATED);
    response.body["data"].clone()
}

#[tokio::test]
async fn every_list_answers_what_is_documented() {
    let service = Running::memory().await;
    let lists = [
        ("/contact-database", "ContactPage"),
        ("/venues", "VenuePage"),
        ("/visits", "VisitPage"),
        ("/tags", "TagPage"),
    ];
    for (path, schema) in lists {
        let pages = service.get(path).await.body["data"]["last_page"].as_i64().unwrap();
        for page in 1..=pages {
            let response = service.get(&format!("{path}?page={page}")).await;
            assert_eq!(response.status, StatusCode::OK);
            assert_responses(schema, &response.body);
        }
    }
}

#[tokio::test]
async fn a_created_contact_carries_what_was_sent() {
    let service = Running::memory().await;
    let sent = whole_contact(&first(&service, "/venues").await);
    let response = service.post("/contact-database", &sent).await;
    assert_eq!(response.status, StatusCode::CREATED);
    assert_responses("ContactCreated", &response.body);

    let contact = &response.body["data"];
    for field in [
        "firstname", "lastname", "dob", "date_of_birth", "gender", "nationality", "country_of_residence",
    ] {
        assert_eq!(contact[field], sent[field], "{field}");
    }
    assert_eq!(contact["full_name"], "Ada Example");
    assert_eq!(contact["email"], "ada@example.com");
    assert_eq!(contact["phone"], "+44 7700 900123");
    assert_eq!(contact["tags"]["name"], "guest");
    assert_eq!(contact["excluded_channels"], json!(["phone", "post"]));
    assert_eq!(contact["contact_methods"][0]["status"], "inactive");
    assert_eq!(contact["contact_methods"][1]["status"], "active");
    assert!(contact["age"].as_i64().unwrap() >= 30);
}

#[tokio::test]
async fn a_created_contact_is_listed_as_it_was_answered() {
    let service = Running::memory().await;
    let contact = created(&service, &whole_contact(&first(&service, "/venues").await)).await;
    let mut listed = service.listed("/contact-database", &contact["id"]).await.unwrap();
    assert_eq!(listed.as_object_mut().unwrap().remove("custom_fields"), Some(json!({})));
    assert_eq!(listed, contact);
}

#[tokio::test]
async fn a_contact_of_a_first_name_alone_is_answered_in_full() {
    let service = Running::memory().await;
    let response = service.post("/contact-database", &json!({"firstname": "Ada"})).await;
    assert_responses("ContactCreated", &response.body);
    let contact = &response.body["data"];
    assert_eq!(contact["full_name"], "Ada");
    assert_eq!(contact["date_of_birth"], json!({"day": 0, "month": 0, "year": 0}));
    assert_eq!(contact["tags"], json!({"id": "", "name": ""}));
    assert_eq!(contact["excluded_channels"], json!([]));
}

async fn at(clock: Clock) -> Running {
    let profile = Profile::default().with_clock(clock);
    Running::start(
        Service::open(&StoreUrl::Memory, TOKEN.to_owned().into(), profile)
            .await
            .unwrap(),
    )
    .await
}

#[tokio::test]
async fn age_turns_on_the_birthday_and_is_never_negative() {
    let eve: Clock = || DateTime::<Utc>::from_timestamp_nanos(1_772_193_600_000_000_900);
    let birthday: Clock = || DateTime::<Utc>::from_timestamp_nanos(1_772_280_000_000_000_000);
    for (clock, age) in [(eve, 35), (birthday, 36)] {
        let service = at(clock).await;
        let contact = created(&service, &json!({"firstname": "Ada", "dob": "1990-02-28"})).await;
        assert_eq!(contact["age"], age);
        let unborn = created(&service, &json!({"firstname": "Ada", "dob": "2040-02-28"})).await;
        assert_eq!(unborn["age"], 0);
    }
}

#[tokio::test]
async fn times_are_answered_as_they_are_kept() {
    let service = at(|| DateTime::<Utc>::from_timestamp_nanos(1_772_193_600_000_000_900)).await;
    let contact = created(&service, &json!({"firstname": "Ada"})).await;
    assert_eq!(contact["created_at"], "2026-02-27T12:00:00Z");
    assert_eq!(contact["updated_at"], contact["created_at"]);
}

#[tokio::test]
async fn an_update_changes_the_fields_sent_and_no_others() {
    let service = Running::memory().await;
    let before = created(&service, &whole_contact(&first(&service, "/venues").await)).await;
    let others = service.get("/contact-database").await.body;
    let path = format!("/contact-database/{}", before["id"].as_str().unwrap());
    let update = json!({"lastname": "Sample", "dob": "1991-03-01", "tags": ["press"], "contact_methods": []});
    let response = service.put(&path, &update).await;
    assert_eq!(
        (response.status, response.body),
        (StatusCode::OK, json!({"message": "Contact updated"}))
    );

    let after = service.listed("/contact-database", &before["id"]).await.unwrap();
    assert_eq!(after["full_name"], "Ada Sample");
    assert_eq!(after["date_of_birth"], json!({"day": 1, "month": 3, "year": 1991}));
    assert_eq!(after["tags"]["name"], "press");
    assert_eq!((&after["contact_methods"], &after["email"]), (&json!([]), &json!("")));
    for kept in [
        "id", "firstname", "gender", "nationality", "country_of_residence", "excluded_channels", "created_at",
    ] {
        assert_eq!(after[kept], before[kept], "{kept}");
    }
    assert_eq!(service.get("/contact-database").await.body, {
        let mut expected = others;
        expected["data"]["total"] = json!(31);
        expected
    });
}

#[tokio::test]
async fn a_contact_is_found_by_its_id_in_either_case() {
    let service = Running::memory().await;
    let contact = created(&service, &json!({"firstname": "Ada"})).await;
    let path = format!("/contact-database/{}", contact["id"].as_str().unwrap().to_uppercase());
    assert_eq!(service.put(&path, &json!({})).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_created_method_is_among_those_of_its_contact_and_no_other() {
    let service = Running::memory().await;
    let contact = created(&service, &json!({"firstname": "Ada", "included_channels": []})).await;
    let path = format!("/contact-database/{}/contact-method", contact["id"].as_str().unwrap());
    let sent = json!({"type": "email", "contact": "ada@example.com", "included_channels": ["email"]});
    let response = service.post(&path, &sent).await;
    assert_eq!(response.status, StatusCode::CREATED);
    assert_responses("ContactMethodCreated", &response.body);

    let method = &response.body["data"];
    for other in service.walk("/contact-database").await {
        let has_it = other["contact_methods"].as_array().unwrap().contains(method);
        assert_eq!(has_it, other["id"] == contact["id"]);
    }
    let listed = service.listed("/contact-database", &contact["id"]).await.unwrap();
    assert_eq!(listed["email"], "ada@example.com");
    assert_eq!(listed["excluded_channels"], json!(["phone", "post", "sms"]));
}

#[tokio::test]
async fn a_created_visit_is_the_same_instant_in_both_documented_forms() {
    let service = Running::memory().await;
    let (contact, venue) = (
        first(&service, "/contact-database").await,
        first(&service, "/venues").await,
    );
    for sent in ["2031-05-17T07:30:00Z", "2031-05-17T09:30:00+02:00"] {
        let body = json!({"contact_id": contact["id"], "venue_id": venue["id"], "datetime": sent});
        let response = service.post("/visits", &body).await;
        assert_eq!(response.status, StatusCode::CREATED);
        assert_responses("VisitCreated", &response.body);
        let visit = &response.body["data"];
        assert_eq!(visit["datetime"], "2031-05-17T07:30:00Z");
        assert_eq!(
            visit["contact"],
            json!({"id": contact["id"], "full_name": contact["full_name"]})
        );
        assert_eq!(visit["venue"], json!({"id": venue["id"], "name": venue["name"]}));
        assert_eq!(service.listed("/visits", &visit["id"]).await.as_ref(), Some(visit));
    }
}

#[tokio::test]
async fn first_and_last_visit_go_by_time_not_by_order_of_recording() {
    let service = Running::memory().await;
    let contact = created(&service, &json!({"firstname": "Ada"})).await;
    let venues = service.get("/venues").await.body["data"]["items"].clone();
    for (venue, datetime) in [
        (0, "2024-05-02T10:00:00.5Z"),
        (1, "2024-05-03T10:00:00Z"),
        (2, "2024-05-02T10:00:00Z"),
    ] {
        let body = json!({"contact_id": contact["id"], "venue_id": venues[venue]["id"], "datetime": datetime});
        assert_eq!(service.post("/visits", &body).await.status, StatusCode::CREATED);
    }
    let listed = service.listed("/contact-database", &contact["id"]).await.unwrap();
    let summary = |venue: usize, datetime| json!([{"datetime": datetime, "venue": [{"id": venues[venue]["id"], "name": venues[venue]["name"]}]}]);
    assert_eq!(listed["first_visit"], summary(2, "2024-05-02T10:00:00Z"));
    assert_eq!(listed["last_visit"], summary(1, "2024-05-03T10:00:00Z"));
    assert_eq!(listed["first_visited_at"], "2024-05-02T10:00:00Z");
    assert_eq!(listed["last_visited_venue"], venues[1]["name"]);
}

#[tokio::test]
async fn a_created_tag_is_listed_and_serves_by_id_and_by_name() {
    let service = Running::memory().await;
    let response = service
        .post("/tags", &json!({"name": "fresh", "color": "#1A2B3C"}))
        .await;
    assert_eq!(response.status, StatusCode::CREATED);
    assert_responses("TagCreated", &response.body);
    let tag = &response.body["data"];
    assert_eq!(service.listed("/tags", &tag["id"]).await.as_ref(), Some(tag));
    for entry in [&tag["id"], &tag["name"]] {
        let contact = created(&service, &json!({"firstname": "Ada", "tags": [entry]})).await;
        assert_eq!(&contact["tags"], tag);
    }
}

#[tokio::test]
async fn names_of_any_script_come_back_as_they_were_sent() {
    let service = Running::memory().await;
    for name in [
        "Ωμέγα",
        "名前",
        "a\u{301}\u{200d}\u{1f600}",
        "line\nbreak\u{7f}",
        "' OR 1=1 --",
        "\"\\",
    ] {
        assert_eq!(created(&service, &json!({"firstname": name})).await["firstname"], name);
    }
}
