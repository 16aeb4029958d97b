//! Valid but awkward values that are stored as other values.

use std::collections::BTreeSet;

use countersign::service::fault::faults;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{moved, with};
use crate::service::support::Running;

const CONTACTS: &str = "/contact-database";

/// A contact as a plain run sends one.
fn plain() -> Value {
    json!({
        "firstname": "Countersign-bcdfghjkl", "lastname": "Check-bcdfghjkl", "dob": "1990-02-28",
        "date_of_birth": {"day": 28, "month": 2, "year": 1990},
        "contact_methods": [{"type": "email", "contact": "countersign.bcdfghjkl@example.com"}],
    })
}

/// What a contact shows of `plain` or of anything like it.
fn shown(contact: &Value) -> Value {
    json!([
        contact["firstname"],
        contact["lastname"],
        contact["dob"],
        contact["date_of_birth"],
        contact["contact_methods"][0]["contact"],
    ])
}

/// The contact that is created or updated with this body, as it is listed.
async fn written(service: &Running, write: &str, body: &Value) -> Value {
    let created = async |body: &Value| {
        let response = service.post(CONTACTS, body).await;
        assert_eq!(response.status, StatusCode::CREATED, "{}", response.body);
        response.body["data"].clone()
    };
    if write == "createContact" {
        let answered = created(body).await;
        let listed = service.listed(CONTACTS, &answered["id"]).await.unwrap();
        assert_eq!(shown(&answered), shown(&listed));
        return listed;
    }
    let id = created(&json!({"firstname": "Ada", "lastname": "Example"})).await["id"].clone();
    let response = service.put(&format!("{CONTACTS}/{}", id.as_str().unwrap()), body).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.body);
    service.listed(CONTACTS, &id).await.unwrap()
}

/// The faults on what is valid and awkward: those whose names are no others'.
fn of_values(write: &str) -> Vec<&'static str> {
    let names = faults().iter().filter(|fault| fault.operation == write);
    let names = names.filter(|fault| {
        !fault.other_findings.is_empty() && !fault.name.contains("at-once") && !fault.name.ends_with("row-added")
    });
    names.map(|fault| fault.name.as_str()).collect()
}

#[tokio::test]
async fn plain_values_are_kept_whatever_is_switched_on() {
    for write in ["createContact", "updateContact"] {
        let names = of_values(write);
        assert!(names.len() > 60, "{write}: {}", names.len());
        let service = with(&names).await;
        let listed = written(&service, write, &plain()).await;
        assert_eq!(shown(&listed), shown(&plain()), "{write}");
    }
}

#[tokio::test]
async fn an_awkward_text_is_another_one_in_every_field_that_carries_it() {
    for write in ["createContact", "updateContact"] {
        let service = with(&[&format!("{write}:apostrophe-entity")]).await;
        let mut body = plain();
        body["firstname"] = json!("O'Neil");
        body["lastname"] = json!("D'Arcy");
        body["contact_methods"][0]["contact"] = json!("o'neil@example.com");
        let listed = written(&service, write, &body).await;
        assert_eq!(
            (&listed["firstname"], &listed["lastname"]),
            (&json!("O&#39;Neil"), &json!("D&#39;Arcy"))
        );
        assert_eq!(listed["contact_methods"][0]["contact"], "o&#39;neil@example.com");
    }
    let service = with(&["createTag:apostrophe-entity"]).await;
    let tag = service.post("/tags", &json!({"name": "O'Neil"})).await.body["data"].clone();
    assert_eq!(tag["name"], "O&#39;Neil");
    assert_eq!(service.listed("/tags", &tag["id"]).await, Some(tag));
}

#[tokio::test]
async fn other_writes_keep_what_one_write_does_not() {
    let service = with(&["updateContact:apostrophe-entity"]).await;
    let body = json!({"firstname": "O'Neil"});
    assert_eq!(written(&service, "createContact", &body).await["firstname"], "O'Neil");
}

#[tokio::test]
async fn a_text_of_which_nothing_is_left_counts_as_not_sent() {
    let service = with(&["updateContact:null-word-lost"]).await;
    let body = json!({"firstname": "Null", "lastname": "null"});
    let listed = written(&service, "updateContact", &body).await;
    assert_eq!(
        (&listed["firstname"], &listed["lastname"]),
        (&json!("Ada"), &json!("Example"))
    );
}

#[tokio::test]
async fn a_date_at_an_edge_is_another_one_in_both_of_its_forms() {
    for (format, leap, march) in [
        ("iso", "1988-02-29", "1988-03-01"),
        ("day-first", "29/02/1988", "01/03/1988"),
    ] {
        let settings = format!("dob-format={format}");
        let service = moved(&[&settings], &["updateContact:date-leap-day-march"]).await;
        let whole = json!({"dob": leap, "date_of_birth": {"day": 29, "month": 2, "year": 1988}});
        for body in [
            &whole,
            &json!({"dob": leap}),
            &json!({"date_of_birth": whole["date_of_birth"]}),
        ] {
            let listed = written(&service, "updateContact", body).await;
            assert_eq!(listed["dob"], march);
            assert_eq!(listed["date_of_birth"], json!({"day": 1, "month": 3, "year": 1988}));
        }
    }
}

async fn visit(service: &Running, datetime: &str) -> Value {
    let contact = service.get(CONTACTS).await.body["data"]["items"][0]["id"].clone();
    let venue = service.get("/venues").await.body["data"]["items"][0]["id"].clone();
    let sent = json!({"contact_id": contact, "venue_id": venue, "datetime": datetime});
    let visit = service.post("/visits", &sent).await.body["data"].clone();
    assert_eq!(service.listed("/visits", &visit["id"]).await, Some(visit.clone()));
    visit["datetime"].clone()
}

#[tokio::test]
async fn an_instant_at_an_edge_is_another_one() {
    let service = with(&["createVisit:instant-local-date-kept"]).await;
    assert_eq!(
        visit(&service, "2024-01-01T00:30:17+02:00").await,
        "2024-01-01T22:30:17Z"
    );
    let all = of_values("createVisit");
    assert_eq!(all.len(), 14);
    let service = with(&all).await;
    assert_eq!(visit(&service, "2024-05-17T07:30:00Z").await, "2024-05-17T07:30:00Z");
    assert_eq!(
        visit(&service, "2024-05-17T09:30:00+02:00").await,
        "2024-05-17T07:30:00Z"
    );
}

/// What becomes of three methods.
async fn methods(write: &str, deviation: &str) -> Vec<(String, String)> {
    let service = with(&[&format!("{write}:{deviation}")]).await;
    let method = |kind: &str, contact: &str| json!({"type": kind, "contact": contact});
    let methods = [
        method("email", "c@example.com"),
        method("phone", "+44 7700 900123"),
        method("email", "a@example.com"),
    ];
    let listed = written(
        &service,
        write,
        &json!({"firstname": "Ada", "contact_methods": methods}),
    )
    .await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let methods = listed["contact_methods"].as_array().unwrap().iter();
    methods
        .map(|method| (text(&method["type"]), text(&method["contact"])))
        .collect()
}

#[tokio::test]
async fn of_several_elements_some_are_lost_or_mixed() {
    let (first, second, third) = (
        ("email", "c@example.com"),
        ("phone", "+44 7700 900123"),
        ("email", "a@example.com"),
    );
    for (deviation, expected) in [
        ("first-element-alone", vec![first]),
        ("last-element-alone", vec![third]),
        ("unique-by-kind", vec![second, third]),
        (
            "elements-mixed",
            vec![("email", third.1), ("phone", first.1), ("email", second.1)],
        ),
        (
            "parts-sorted",
            vec![("email", second.1), ("email", third.1), ("phone", first.1)],
        ),
    ] {
        for write in ["createContact", "updateContact"] {
            let kept = methods(write, deviation).await;
            let kept: Vec<_> = kept
                .iter()
                .map(|(kind, contact)| (kind.as_str(), contact.as_str()))
                .collect();
            assert_eq!(kept, expected, "{write}:{deviation}");
        }
    }
}

#[test]
fn classes_reach_the_writes_that_leave_them_behind_as_little_as_can_be() {
    let writes = |deviation: &str| -> BTreeSet<_> {
        let named = faults()
            .iter()
            .filter(|fault| fault.name.split(':').next_back() == Some(deviation));
        named.map(|fault| fault.operation.as_str()).collect()
    };
    let updates = BTreeSet::from(["updateContact"]);
    let contacts = BTreeSet::from(["createContact", "updateContact"]);
    let records = BTreeSet::from(["createContact", "createTag", "updateContact"]);
    let all = BTreeSet::from(["createContact", "createContactMethod", "createTag", "updateContact"]);
    assert_eq!(writes("cut-at-255"), updates);
    assert_eq!(writes("markup-stripped"), updates);
    assert_eq!(writes("quote-lost"), contacts);
    assert_eq!(writes("inner-spaces-collapsed"), records);
    assert_eq!(writes("apostrophe-entity"), all);
    assert_eq!(writes("date-leap-day-march"), contacts);
    assert_eq!(writes("instant-seconds-lost"), BTreeSet::from(["createVisit"]));
}
