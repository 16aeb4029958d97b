//! Query parameters with the name of a property: a list that ignores or reverses such a filter is found, whatever its
//! type. A service that filters is left alone, and so is one whose parameter means something else by its description.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::Uri;
use axum::response::IntoResponse as _;
use countersign::report::{Record, VerdictRecord, har, json as to_json};
use countersign::rules::Levels;
use countersign::{Check, Contract};
use serde_json::{Value, json};

/// The parameters of the list; those that are filters are listed in [`FILTERS`].
const PARAMETERS: &str = "
        - {name: status, in: query, description: Only orders with this status., schema: {$ref: '#/components/schemas/Status'}}
        - {name: gift, in: query, description: Filter by whether it is a gift., schema: {type: boolean}}
        - {name: paid, in: query, description: Only paid orders., schema: {type: boolean}}
        - {name: customer_id, in: query, schema: {type: string, format: uuid}}
        - {name: shopId, in: query, schema: {type: integer}}
        - {name: archived, in: query, description: 'If true, archived orders are listed too.', schema: {type: boolean}}
        - {name: channel, in: query, schema: {type: string, enum: [web, phone, all]}}
        - {name: note, in: query, schema: {type: string}}";

const FILTERS: [&str; 5] = ["customer_id", "gift", "paid", "shopId", "status"];

fn contract() -> Contract {
    let text = format!(
        "openapi: 3.0.3
info: {{title: Orders, version: '1'}}
components:
  schemas:
    Status: {{type: string, enum: [new, packed, sent]}}
    Order:
      type: object
      properties:
        id: {{type: integer}}
        status: {{$ref: '#/components/schemas/Status'}}
        gift: {{type: boolean, nullable: true}}
        paid: {{type: boolean}}
        customer_id: {{type: string, format: uuid, nullable: true}}
        shopId: {{type: integer}}
        archived: {{type: boolean}}
        channel: {{type: string, enum: [web, phone]}}
        note: {{type: string}}
paths:
  /orders:
    get:
      operationId: listOrders
      parameters:{PARAMETERS}
      responses: {{'200': {{description: OK, content: {{application/json: {{schema: {{type: array, items: {{$ref: \
         '#/components/schemas/Order'}}}}}}}}}}}}
"
    );
    Contract::read("orders.yaml", text).unwrap()
}

const CUSTOMERS: [&str; 2] = [
    "0192f0c1-7a2b-4c3d-8e4f-5a6b7c8d9e0f",
    "7d3b5a1c-1f7e-4b0a-9c55-3f0e6d2a8b91",
];

/// Orders in which every property differs.
fn orders() -> Vec<Value> {
    let order = |id: usize| {
        let status = ["new", "packed", "sent"][id % 3];
        let gift = [json!(true), json!(false), Value::Null][id % 3].clone();
        let channel = ["web", "phone"][id % 2];
        json!({
            "id": id, "status": status, "gift": gift, "paid": id.is_multiple_of(2), "customer_id": CUSTOMERS.get(id % 3),
            "shopId": 4711 + id % 2, "archived": id.is_multiple_of(4), "channel": channel, "note": "somebody's",
        })
    };
    (0..8).map(order).collect()
}

/// Whether a service lists an order to which a parameter of the query has this value.
type Keep = fn(&Value, &str, &str) -> bool;

/// What a service does that conforms.
fn honest(order: &Value, name: &str, value: &str) -> bool {
    let shown = match &order[name] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match name {
        "archived" | "note" => true,
        "paid" => value == "false" || shown == value,
        "channel" => value == "all" || shown == value,
        _ => shown == value,
    }
}

/// Checks a service with these orders. Returns the report, and the queries that the service got. The recording of the
/// check, judged again, must give the same findings.
async fn checked(orders: Vec<Value>, keep: Keep) -> (Record, Vec<String>) {
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&log);
    let router = Router::new().fallback(move |uri: Uri| {
        let query = uri.query().unwrap_or_default().to_owned();
        let kept = orders.iter().filter(|order| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.all(|(name, value)| keep(order, name, value))
        });
        let kept: Vec<Value> = kept.cloned().collect();
        seen.lock().unwrap().push(query);
        async { axum::Json(kept).into_response() }
    });
    let check = Check::new(contract()).service(router).seed(7).keep_recording(true);
    let report = check.run().await.unwrap();
    let again = report.recording().unwrap().judge(&contract(), Levels::default());
    let record = report.record().clone();
    for report in [to_json(&record), har(&record)] {
        let mut shown = CUSTOMERS.iter().chain(&["=4711", "=4712"]);
        assert!(shown.all(|value| !report.contains(value)), "{report}");
    }
    assert_eq!(again.findings().len(), record.findings.len());
    let log = log.lock().unwrap().clone();
    (record, log)
}

/// The parameters whose facts are broken.
fn broken(record: &Record) -> Vec<String> {
    let findings = record.findings.iter();
    let mut broken: Vec<_> = findings
        .map(|finding| {
            assert_eq!(finding.rule, "filtered", "{finding:?}");
            assert!(finding.received.ends_with(" another value"), "{finding:?}");
            let property = finding.fact.split(' ').nth(2).unwrap();
            property.trim_start_matches("/*/").trim_end_matches(':').to_owned()
        })
        .collect();
    broken.sort();
    broken
}

/// The parameters whose facts are held.
fn held(record: &Record) -> Vec<&str> {
    let mut held: Vec<_> = FILTERS.to_vec();
    held.retain(|name| {
        let of_it = |fact: &str| fact.starts_with(&format!("listOrders filtered /*/{name}:"));
        let fact = record.facts.rows.iter().find(|row| of_it(&row.fact)).unwrap();
        fact.verdict == VerdictRecord::Held
    });
    held
}

#[tokio::test]
async fn a_service_that_filters_is_left_alone_and_each_filter_is_decided() {
    let (record, log) = checked(orders(), honest).await;
    assert_eq!(broken(&record), [""; 0]);
    assert_eq!(held(&record), FILTERS);
    let filtered = record.facts.rows.iter().filter(|row| row.fact.contains(" filtered "));
    assert_eq!(filtered.count(), FILTERS.len());
    // Of a boolean both values are sent, of everything else one; what follows the last parameter are edge cases.
    let last = log.iter().position(|query| query == "note=countersign");
    assert_eq!(last, Some(FILTERS.len() + 1 + 3), "{log:#?}");
    let sent = |query: &str| log.iter().any(|sent| sent == query);
    assert!(sent("gift=true") && sent("gift=false") && sent("paid=true"), "{log:#?}");
    assert!(
        CUSTOMERS
            .iter()
            .any(|customer| sent(&format!("customer_id={customer}"))),
        "{log:#?}"
    );
}

#[tokio::test]
async fn a_filter_that_is_ignored_or_reversed_is_found() {
    let ignoring: Keep = |_, _, _| true;
    let reversing: Keep = |order, name, value| !honest(order, name, value);
    for keep in [ignoring, reversing] {
        let (record, log) = checked(orders(), keep).await;
        assert_eq!(broken(&record), FILTERS, "{log:#?}");
    }
}

#[tokio::test]
async fn a_filter_that_is_applied_to_one_value_of_a_boolean_is_found() {
    let keep: Keep = |order, name, value| value == "false" || honest(order, name, value);
    let (record, log) = checked(orders(), keep).await;
    assert_eq!(broken(&record), ["gift"], "{log:#?}");
}

#[tokio::test]
async fn a_filter_that_is_ignored_is_found_although_all_items_have_the_same_value() {
    let same = |id: usize| json!({"id": id, "status": "packed", "shopId": 4711, "archived": false});
    let (record, log) = checked((0..3).map(same).collect(), |_, _, _| true).await;
    assert_eq!(broken(&record), ["shopId", "status"], "{log:#?}");
    let (record, _) = checked((0..3).map(same).collect(), honest).await;
    assert_eq!(broken(&record), [""; 0]);
    assert_eq!(held(&record), ["shopId", "status"]);
}

#[tokio::test]
async fn an_empty_list_and_a_filter_that_finds_nothing_decide_nothing() {
    for (orders, keep) in [(Vec::new(), honest as Keep), (orders(), |_, _, _| false)] {
        let (record, log) = checked(orders, keep).await;
        assert_eq!((broken(&record), held(&record)), (Vec::new(), Vec::new()), "{log:#?}");
    }
}
