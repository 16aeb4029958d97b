//! Records that are created, updated or listed differently from what was sent.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{moved, with};
use crate::service::support::Running;

const CONTACTS: &str = "/contact-database";

async fn contact(service: &Running, firstname: &str) -> Value {
    let method = json!({"type": "email", "contact": "ada@example.com"});
    let sent = json!({"firstname": firstname, "contact_methods": [method]});
    let response = service.post(CONTACTS, &sent).await;
    assert_eq!(response.status, StatusCode::CREATED);
    response.body["data"].clone()
}

async fn method_of(service: &Running, contact: &Value) -> Value {
    let path = format!("{CONTACTS}/{}/contact-method", contact["id"].as_str().unwrap());
    let sent = json!({"type": "phone", "contact": "+44 7700 900123"});
    service.post(&path, &sent).await.body["data"].clone()
}

/// The contacts that show this method.
async fn holders(service: &Running, method: &Value) -> Vec<Value> {
    let mut contacts = service.walk(CONTACTS).await;
    contacts.retain(|contact| contact["contact_methods"].as_array().unwrap().contains(method));
    contacts.into_iter().map(|contact| contact["id"].clone()).collect()
}

#[tokio::test]
async fn what_was_created_is_not_listed_and_the_pages_add_up() {
    let service = with(&["createTag:unlisted"]).await;
    let before = service.walk("/tags").await;
    for name in ["one", "two"] {
        assert_eq!(
            service.post("/tags", &json!({"name": name})).await.status,
            StatusCode::CREATED
        );
    }
    assert_eq!(service.walk("/tags").await, before);
    assert_eq!(service.get("/tags").await.body["data"]["total"], before.len());
}

#[tokio::test]
async fn what_was_created_is_not_listed_either_where_it_would_come_first() {
    for size in ["1", "7", "10", "100"] {
        let settings = ["list-order=newest-first", &format!("page-size={size}")];
        let service = moved(&settings, &["createTag:unlisted"]).await;
        let before = service.walk("/tags").await;
        for name in ["one", "two", "three"] {
            service.post("/tags", &json!({"name": name})).await;
            assert_eq!(service.walk("/tags").await, before, "{size}");
        }
    }
}

#[tokio::test]
async fn an_update_that_replaces_is_lost_too() {
    let service = moved(&["update-semantics=replaces"], &["updateContact:lost"]).await;
    let ada = contact(&service, "Ada").await;
    let path = format!("{CONTACTS}/{}", ada["id"].as_str().unwrap());
    let sent = json!({
        "firstname": "Bruno", "lastname": "Example", "dob": "1990-02-28", "gender": "male",
        "contact_methods": [{"type": "phone", "contact": "+44 7700 900123"}, {"type": "email", "contact": "x@example.com"}],
    });
    assert_eq!(service.put(&path, &sent).await.status, StatusCode::OK);
    let listed = service.listed(CONTACTS, &ada["id"]).await.unwrap();
    for field in [
        "firstname", "lastname", "dob", "date_of_birth", "gender", "email", "phone",
    ] {
        assert_eq!(listed[field], ada[field], "{field}");
    }
    assert_eq!(listed["contact_methods"].as_array().unwrap().len(), 1);
    assert_eq!(service.put(&path, &json!([])).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_method_is_not_listed_and_its_contact_is() {
    let service = with(&["createContactMethod:unlisted"]).await;
    let ada = contact(&service, "Ada").await;
    let method = method_of(&service, &ada).await;
    assert_eq!(holders(&service, &method).await, Vec::<Value>::new());
    assert_eq!(
        service.listed(CONTACTS, &ada["id"]).await.unwrap()["contact_methods"],
        ada["contact_methods"]
    );
}

#[tokio::test]
async fn a_create_answers_another_identifier() {
    let service = with(&["createTag:listed-under-another-id", "createContact:identifier-no-uuid"]).await;
    let tag = service.post("/tags", &json!({"name": "new"})).await.body["data"].clone();
    assert_eq!(service.listed("/tags", &tag["id"]).await, None);
    assert_eq!(service.walk("/tags").await.last().unwrap()["name"], "new");
    assert_eq!(contact(&service, "Ada").await["id"], "contact-17");
}

#[tokio::test]
async fn a_create_answers_the_identifier_of_another_record() {
    let service = with(&["createTag:identifier-reused", "createContactMethod:identifier-reused"]).await;
    let tags = service.walk("/tags").await;
    let tag = service.post("/tags", &json!({"name": "new"})).await.body["data"].clone();
    assert_eq!((&tag["id"], &tag["name"]), (&tags[0]["id"], &json!("new")));
    let contacts = service.walk(CONTACTS).await;
    let method = method_of(&service, &contacts[0]).await;
    let taken = contacts
        .iter()
        .flat_map(|contact| contact["contact_methods"].as_array().unwrap());
    assert!(taken.into_iter().any(|taken| taken["id"] == method["id"]));
}

#[tokio::test]
async fn a_method_goes_to_another_contact() {
    let service = with(&["createContactMethod:added-elsewhere"]).await;
    let ada = contact(&service, "Ada").await;
    let method = method_of(&service, &ada).await;
    let holders = holders(&service, &method).await;
    assert_eq!(holders.len(), 1);
    assert_ne!(holders[0], ada["id"]);
}

#[tokio::test]
async fn a_method_is_listed_under_every_contact() {
    let service = with(&["createContactMethod:listed-elsewhere-too"]).await;
    let ada = contact(&service, "Ada").await;
    let method = method_of(&service, &ada).await;
    assert_eq!(
        holders(&service, &method).await.len(),
        service.walk(CONTACTS).await.len()
    );
}

#[tokio::test]
async fn a_carried_field_is_altered_in_the_response_or_in_the_list() {
    let faults = ["createTag/data/name:altered", "createContact/firstname:listed-altered"];
    let service = with(&faults).await;
    let tag = service.post("/tags", &json!({"name": "new"})).await.body["data"].clone();
    assert_eq!(tag["name"], "new altered");
    assert_eq!(service.listed("/tags", &tag["id"]).await.unwrap()["name"], "new");
    let ada = contact(&service, "Ada").await;
    assert_eq!(ada["firstname"], "Ada");
    assert_eq!(
        service.listed(CONTACTS, &ada["id"]).await.unwrap()["firstname"],
        "Ada altered"
    );
}

/// The response to a visit of Ada to the second venue with this fault, and what was sent.
async fn visit(fault: &str, datetime: &str) -> (StatusCode, Value, Value) {
    let service = with(&[fault]).await;
    let ada = contact(&service, "Ada").await;
    let venue = service.get("/venues").await.body["data"]["items"][1]["id"].clone();
    let sent = json!({"contact_id": ada["id"], "venue_id": venue, "datetime": datetime});
    let request = service.request(Method::POST, "/visits").json(&sent);
    let response = request.send().await.unwrap();
    let (status, body) = (response.status(), response.json().await.unwrap_or(Value::Null));
    (status, body["data"].clone(), sent)
}

const UTC: &str = "2024-05-17T07:30:00Z";
const OFFSET: &str = "2024-05-17T09:30:00+02:00";

#[tokio::test]
async fn a_visit_names_another_contact_or_venue() {
    let (_, visit_of_another, sent) = visit("createVisit:another-contact", UTC).await;
    assert_ne!(visit_of_another["contact"]["id"], sent["contact_id"]);
    assert_eq!(visit_of_another["venue"]["id"], sent["venue_id"]);
    let (_, visit_elsewhere, sent) = visit("createVisit:another-venue", UTC).await;
    assert_eq!(visit_elsewhere["contact"]["id"], sent["contact_id"]);
    assert_ne!(visit_elsewhere["venue"]["id"], sent["venue_id"]);
}

#[tokio::test]
async fn a_visit_is_at_another_time() {
    let at = async |fault, datetime| visit(fault, datetime).await.1["datetime"].clone();
    assert_eq!(at("createVisit:offset-dropped", OFFSET).await, "2024-05-17T09:30:00Z");
    assert_eq!(at("createVisit:offset-dropped", UTC).await, UTC);
    assert_eq!(at("createVisit:instant-shifted", OFFSET).await, "2024-05-17T08:30:00Z");
}

#[tokio::test]
async fn one_form_of_a_datetime_is_rejected() {
    for (fault, utc, offset) in [
        ("createVisit:utc-rejected", 422, 201),
        ("createVisit:offset-rejected", 201, 422),
    ] {
        assert_eq!(visit(fault, UTC).await.0.as_u16(), utc, "{fault}");
        assert_eq!(visit(fault, OFFSET).await.0.as_u16(), offset, "{fault}");
    }
}

/// The first names of the first contact of the list and of Ada, after an update of Ada with this fault.
async fn updated(fault: &str) -> (Value, Value) {
    let service = with(&[fault]).await;
    let ada = contact(&service, "Ada").await;
    let path = format!("{CONTACTS}/{}", ada["id"].as_str().unwrap());
    assert_eq!(
        service.put(&path, &json!({"firstname": "Bruno"})).await.status,
        StatusCode::OK
    );
    let first = service.get(CONTACTS).await.body["data"]["items"][0]["firstname"].clone();
    (
        first,
        service.listed(CONTACTS, &ada["id"]).await.unwrap()["firstname"].clone(),
    )
}

#[tokio::test]
async fn an_update_is_lost_or_done_elsewhere() {
    for (fault, first, own) in [
        ("updateContact:lost", "Ada", "Ada"),
        ("updateContact:applied-elsewhere", "Bruno", "Ada"),
        ("updateContact:applied-elsewhere-too", "Bruno", "Bruno"),
    ] {
        assert_eq!(updated(fault).await, (json!(first), json!(own)), "{fault}");
    }
}
