//! What ordinary documents promise of writes, and services break: a rejected write changes nothing, the response to a
//! write shows what the read shows, a PATCH keeps the fields that it does not send, and `false`, 0 and null are stored.
//! Services that do so in their own way are left alone.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::{Record, VerdictRecord};
use countersign::{Check, Contract};
use serde_json::{Map, Value, json};

const ITEMS: &str = "openapi: 3.0.3
info: {title: Items, version: '1'}
security: [{bearer: []}]
components:
  securitySchemes: {bearer: {type: http, scheme: bearer}}
  schemas:
    Fields:
      type: object
      properties:
        title: {type: string, minLength: 1, maxLength: 60}
        note: {type: string, maxLength: 80, nullable: true}
        place: {type: string, maxLength: 80}
        count: {type: integer, minimum: 0, maximum: 9}
        slug_line: {type: string, maxLength: 99}
        urgency: {type: string, enum: [low, normal, high]}
        done: {type: boolean}
    NewItem: {allOf: [{$ref: '#/components/schemas/Fields'}, {type: object, required: [title]}]}
    Item:
      allOf:
        - {$ref: '#/components/schemas/Fields'}
        - {type: object, required: [id], properties: {id: {type: string}, version: {type: integer}}}
  responses:
    Item: {description: The item, content: {application/json: {schema: {$ref: '#/components/schemas/Item'}}}}
    Rejected: {description: Rejected}
paths:
  /items:
    get: {operationId: listItems, responses: {'200': {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Item'}}}}}, '401': {$ref: '#/components/responses/Rejected'}}}
    post:
      operationId: addItem
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewItem'}}}}
      responses: {'201': {$ref: '#/components/responses/Item'}, '401': {$ref: '#/components/responses/Rejected'}, '422': {$ref: '#/components/responses/Rejected'}}
  /items/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getItem, responses: {'200': {$ref: '#/components/responses/Item'}, '401': {$ref: '#/components/responses/Rejected'}, '404': {description: Unknown}}}
    patch:
      operationId: changeItem
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Fields'}}}}
      responses: {'200': {$ref: '#/components/responses/Item'}, '401': {$ref: '#/components/responses/Rejected'}, '404': {description: Unknown}, '422': {$ref: '#/components/responses/Rejected'}}
    delete: {operationId: deleteItem, responses: {'204': {description: Gone}, '401': {$ref: '#/components/responses/Rejected'}, '404': {description: Unknown}}}
";

/// What the service does with writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaviour {
    AsDocumented,
    /// It looks at the credential of an update once that is stored.
    ChangesBeforeItAsksWho,
    /// It looks at the credential of a deletion once that is done.
    DeletesBeforeItAsksWho,
    /// Its items vanish by themselves, just when a deletion is rejected.
    Forgets,
    /// Its responses to updates show the title and nothing else of the item.
    ShowsLess,
    /// Its responses to updates show the item as it was before.
    ShowsEarlier,
    /// An update sets the fields that it does not send to nothing.
    ForgetsOthers,
    /// An update of the title changes what follows from it.
    FollowsTitle,
    /// An update ignores what a condition takes for nothing.
    IgnoresFalsy,
    /// It rejects an update with 0 or null.
    RejectsFalsy,
    /// An update ignores the fields for which there is a choice.
    IgnoresChoices,
    /// It rejects an update that goes on to another urgency.
    RejectsChoices,
    /// It stores the valid fields of an update that it rejects.
    StoresHalf,
}

type Items = BTreeMap<String, Map<String, Value>>;

/// The fields of a body that the document allows, and whether it allows all of them.
fn valid(body: &Bytes) -> (Map<String, Value>, bool) {
    let Ok(Value::Object(sent)) = serde_json::from_slice(body) else {
        return (Map::new(), false);
    };
    let length = |value: &Value| value.as_str().map_or(0, |text| text.chars().count());
    let is_valid = |(name, value): &(String, Value)| match name.as_str() {
        "title" => (1..=60).contains(&length(value)),
        "note" => value.is_null() || value.is_string() && length(value) <= 80,
        "place" | "slug_line" => value.is_string() && length(value) <= 80,
        "urgency" => ["low", "normal", "high"].iter().any(|urgency| value == urgency),
        "done" => value.is_boolean(),
        "count" => value.as_u64().is_some_and(|count| count < 10),
        _ => false,
    };
    let count = sent.len();
    let fields: Map<_, _> = sent.into_iter().filter(is_valid).collect();
    let is_whole = fields.len() == count;
    (fields, is_whole)
}

struct Asked<'request> {
    method: &'request Method,
    id: &'request str,
    has_token: bool,
    body: &'request Bytes,
}

fn respond(behaviour: Behaviour, items: &mut Items, asked: &Asked<'_>) -> Response {
    let (fields, is_valid) = valid(asked.body);
    if !asked.has_token {
        match (asked.method, behaviour, items.get_mut(asked.id)) {
            (&Method::PATCH, Behaviour::ChangesBeforeItAsksWho, Some(item)) => item.extend(fields),
            (&Method::DELETE, Behaviour::DeletesBeforeItAsksWho, Some(_)) => drop(items.remove(asked.id)),
            (&Method::DELETE, Behaviour::Forgets, _) => items.clear(),
            _ => {}
        }
        return (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")]).into_response();
    }
    match (asked.method.as_str(), asked.id) {
        ("GET", "") => axum::Json(items.values().collect::<Vec<_>>()).into_response(),
        ("POST", "") if is_valid && fields.contains_key("title") => {
            let mut item = fields;
            let id = format!("i{}", items.len());
            item.extend([("id".to_owned(), json!(id)), ("version".to_owned(), json!(1))]);
            items.insert(id, item.clone());
            (StatusCode::CREATED, axum::Json(item)).into_response()
        }
        ("POST", "") => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
        ("DELETE", id) if items.remove(id).is_some() => StatusCode::NO_CONTENT.into_response(),
        (method, id) => match items.get_mut(id) {
            Some(item) if method == "GET" => axum::Json(&*item).into_response(),
            Some(item) if method == "PATCH" => change(behaviour, item, (fields, is_valid)),
            _ => StatusCode::NOT_FOUND.into_response(),
        },
    }
}

fn change(
    behaviour: Behaviour,
    item: &mut Map<String, Value>,
    (fields, is_valid): (Map<String, Value>, bool),
) -> Response {
    if !is_valid {
        if behaviour == Behaviour::StoresHalf {
            item.extend(fields);
        }
        return StatusCode::UNPROCESSABLE_ENTITY.into_response();
    }
    let is_falsy = |value: &Value| value.is_null() || *value == json!(0);
    let before = item.clone();
    match behaviour {
        Behaviour::RejectsFalsy if fields.values().any(is_falsy) => {
            return StatusCode::UNPROCESSABLE_ENTITY.into_response();
        }
        Behaviour::RejectsChoices
            if fields
                .get("urgency")
                .is_some_and(|urgency| *urgency != before["urgency"]) =>
        {
            return StatusCode::CONFLICT.into_response();
        }
        Behaviour::ForgetsOthers => item.retain(|name, _| ["id", "version", "count"].contains(&name.as_str())),
        Behaviour::FollowsTitle if fields.contains_key("title") => {
            item.insert("slug_line".to_owned(), fields["title"].clone());
        }
        _ => {}
    }
    let is_stored = |(name, value): &(String, Value)| match behaviour {
        Behaviour::IgnoresFalsy => !is_falsy(value),
        Behaviour::IgnoresChoices => name != "urgency" && name != "done",
        _ => true,
    };
    item.extend(fields.into_iter().filter(is_stored));
    item["version"] = json!(item["version"].as_u64().unwrap() + 1);
    match behaviour {
        Behaviour::ShowsLess => axum::Json(json!({"id": item["id"], "title": item["title"]})).into_response(),
        Behaviour::ShowsEarlier => axum::Json(before).into_response(),
        _ => axum::Json(&*item).into_response(),
    }
}

/// Checks the service with clean-up.
async fn checked(behaviour: Behaviour) -> Record {
    let items: Arc<Mutex<Items>> = Arc::default();
    let router = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let sent = headers.get(AUTHORIZATION);
        let asked = Asked {
            method: &method,
            id: uri.path().strip_prefix("/items/").unwrap_or_default(),
            has_token: sent.is_some_and(|sent| sent == "Bearer right-token"),
            body: &body,
        };
        let response = respond(behaviour, &mut items.lock().unwrap(), &asked);
        async { response }
    });
    let contract = Contract::read("items.yaml", ITEMS.to_owned()).unwrap();
    let check = Check::new(contract).service(router).token("right-token");
    let check = check.writes(true).cleanup(true).seed(7);
    let report = check.settle(std::time::Duration::from_millis(50)).run().await.unwrap();
    report.record().clone()
}

/// The rules of the findings, each with the broken fact and with what was received.
async fn found(behaviour: Behaviour) -> Vec<(String, String, String)> {
    let findings = checked(behaviour).await.findings;
    let found = findings.iter().map(|finding| {
        let texts = (finding.fact.clone(), finding.received.clone());
        (finding.rule.to_string(), texts.0, texts.1)
    });
    found.collect()
}

#[tokio::test]
async fn a_service_that_does_what_it_reports_is_left_alone() {
    for behaviour in [
        Behaviour::AsDocumented,
        Behaviour::FollowsTitle,
        Behaviour::RejectsFalsy,
        Behaviour::RejectsChoices,
        Behaviour::ShowsLess,
    ] {
        assert_eq!(found(behaviour).await, [], "{behaviour:?}");
    }
}

#[tokio::test]
async fn the_facts_of_updates_are_decided() {
    let record = checked(Behaviour::AsDocumented).await;
    for fact in [
        "addItem response: what was sent",
        "changeItem response: what was sent",
        "changeItem without fields: as before",
    ] {
        let found = record.facts.rows.iter().find(|row| *row.fact == *fact).unwrap();
        assert_eq!(found.verdict, VerdictRecord::Held, "{fact}");
    }
}

#[tokio::test]
async fn the_response_to_an_update_shows_what_the_read_shows() {
    let finding = [
        "lifecycle",
        "changeItem response: what was sent",
        "string(21), not the string(21) that was sent, which the read shows",
    ];
    assert_eq!(
        found(Behaviour::ShowsEarlier).await,
        [finding.map(str::to_owned).into()]
    );
}

#[tokio::test]
async fn a_patch_keeps_what_it_does_not_send() {
    let found = found(Behaviour::ForgetsOthers).await;
    let facts: Vec<_> = found
        .iter()
        .map(|(rule, fact, _)| (rule.as_str(), fact.as_str()))
        .collect();
    assert_eq!(facts, [("lifecycle", "changeItem without fields: as before")]);
    assert!(found[0].2.starts_with("no value, not the string("), "{found:?}");
}

#[tokio::test]
async fn another_member_of_an_enumeration_and_the_other_boolean_are_stored() {
    let found = found(Behaviour::IgnoresChoices).await;
    let facts: Vec<_> = found.iter().map(|(_, fact, _)| fact.as_str()).collect();
    let fact = |name: &str| format!("changeItem in getItem /{name}: as sent in /{name}");
    assert_eq!(facts, [fact("done"), fact("urgency")]);
}

#[tokio::test]
async fn zero_and_null_are_stored() {
    let found = found(Behaviour::IgnoresFalsy).await;
    let facts: Vec<_> = found
        .iter()
        .map(|(_, fact, received)| (fact.as_str(), received.as_str()))
        .collect();
    let fact = |name: &str| format!("changeItem in getItem /{name}: as sent in /{name}");
    assert_eq!(facts.len(), 2, "{found:?}");
    for (name, received) in [
        ("count", "integer, not the integer that was sent"),
        ("note", "not the null that was sent"),
    ] {
        assert!(
            facts
                .iter()
                .any(|(broken, text)| *broken == fact(name) && text.ends_with(received)),
            "{name} {found:?}"
        );
    }
}

#[tokio::test]
async fn an_update_that_is_rejected_for_its_credential_changes_nothing() {
    let found = found(Behaviour::ChangesBeforeItAsksWho).await;
    assert!(!found.is_empty());
    for (rule, fact, received) in found {
        assert_eq!(
            (rule.as_str(), received.as_str()),
            ("auth", "401, but the record shows what it sent"),
            "{fact}"
        );
    }
}

#[tokio::test]
async fn a_deletion_that_is_rejected_for_its_credential_deletes_nothing() {
    let fact = "deleteItem auth: a request without a credential is rejected";
    let finding = ["auth", fact, "401, but the record is gone"].map(str::to_owned);
    assert_eq!(found(Behaviour::DeletesBeforeItAsksWho).await, [finding.into()]);
}

#[tokio::test]
async fn items_that_vanish_by_themselves_are_deleted_by_nobody() {
    let found = found(Behaviour::Forgets).await;
    assert!(found.iter().all(|(rule, ..)| rule != "auth"), "{found:?}");
}

#[tokio::test]
async fn an_update_that_is_rejected_for_a_value_changes_nothing() {
    let found = found(Behaviour::StoresHalf).await;
    assert_eq!(found.len(), 1, "{found:?}");
    let (rule, fact, received) = &found[0];
    assert_eq!(
        (rule.as_str(), received.as_str()),
        ("lifecycle", "422, but the record shows what it sent")
    );
    assert!(fact.starts_with("changeItem in getItem "), "{fact}");
}
