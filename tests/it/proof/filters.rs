//! Query parameters with the name of a property: a list that ignores or reverses such a filter is found, whatever its
//! type. A service that filters is left alone, and so is one whose parameter means something else by its description.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::IntoResponse as _;
use countersign::report::{Record, VerdictRecord, har, json as to_json};
use countersign::rules::Levels;
use countersign::{Check, Contract};
use serde_json::{Value, json};
use tokio::time::Instant;

/// The parameters of the list; those that are filters are listed in [`FILTERS`].
const PARAMETERS: &str = "
        - {name: status, in: query, description: Only orders with this status., schema: {$ref: '#/components/schemas/Status'}}
        - {name: gift, in: query, description: Filter by whether it is a gift., schema: {type: boolean}}
        - {name: paid, in: query, description: Only paid orders., schema: {type: boolean}}
        - {name: customer_id, in: query, schema: {type: string, format: uuid}}
        - {name: shopId, in: query, schema: {type: integer}}
        - {name: archived, in: query, description: 'If true, archived orders are listed too.', schema: {type: boolean}}
        - {name: channel, in: query, schema: {type: string, enum: [web, phone, all]}}
        - {name: code, in: query, description: Only the order with exactly this code., schema: {type: string}}
        - {name: note, in: query, schema: {type: string}}";

const FILTERS: [&str; 6] = ["code", "customer_id", "gift", "paid", "shopId", "status"];

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
        code: {{type: string}}
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
            "code": format!("ORDER-{id}{id}"),
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
        let mut shown = CUSTOMERS.iter().chain(&["=4711", "=4712", "ORDER-"]);
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
    // Of a boolean both values are sent, of identifiers an unknown one and of a text a part too, of everything else one;
    // what follows the last parameter are edge cases.
    let last = log.iter().position(|query| query == "note=countersign");
    assert_eq!(last, Some(FILTERS.len() + 1 + 6), "{log:#?}");
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
async fn a_text_filter_that_takes_a_part_for_the_whole_is_found() {
    let beginning: Keep = |order, name, value| match name {
        "code" => order[name].as_str().unwrap().starts_with(value),
        _ => honest(order, name, value),
    };
    let without_case: Keep = |order, name, value| match name {
        "code" => order[name].as_str().unwrap().eq_ignore_ascii_case(value),
        _ => honest(order, name, value),
    };
    for (keep, expected) in [(beginning, vec!["code"]), (without_case, Vec::new())] {
        let (record, log) = checked(orders(), keep).await;
        assert_eq!(broken(&record), expected, "{log:#?}");
    }
}

#[tokio::test]
async fn a_list_that_shows_all_records_of_an_unknown_owner_is_found() {
    let of_known: Keep = |order, name, value| match name {
        "shopId" => !matches!(value, "4711" | "4712") || honest(order, name, value),
        _ => honest(order, name, value),
    };
    let (record, log) = checked(orders(), of_known).await;
    assert_eq!(broken(&record), ["shopId"], "{log:#?}");
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

/// The contract of a list with pages, which says how many orders there are.
fn paged_contract() -> Contract {
    let text = "openapi: 3.0.3
info: {title: Orders, version: '1'}
components:
  schemas:
    Order:
      type: object
      properties:
        id: {type: integer}
        kind: {type: string, enum: [web, phone]}
        shopId: {type: integer}
        weight: {type: integer, nullable: true}
paths:
  /orders:
    get:
      operationId: listOrders
      description: Several filters are combined with AND.
      parameters:
        - {name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}
        - {name: per_page, in: query, schema: {type: integer, minimum: 1, maximum: 100, default: 20}}
        - {name: sort, in: query, schema: {type: string, enum: [weight, '-weight']}}
        - {name: kind, in: query, description: Filter by kind., schema: {type: string, enum: [web, phone]}}
        - {name: shopId, in: query, description: Only orders of this shop., schema: {type: integer}}
      responses: {'200': {description: OK, content: {application/json: {schema: {type: object, properties: {total: {type: \
                integer}, items: {type: array, items: {$ref: '#/components/schemas/Order'}}}}}}}}
";
    Contract::read("orders.yaml", text.to_owned()).unwrap()
}

/// A response of a list with pages: the status, the stated number of orders, and the orders.
type Paged = (u16, usize, Vec<Value>);

/// Checks a service whose list has pages. `respond` returns what the list has for the other parameters; `number` counts
/// the requests.
async fn checked_paged(respond: fn(&[(&str, &str)], usize) -> Paged) -> (Record, Vec<String>) {
    checked_within(Duration::ZERO, respond).await
}

/// Checks such a service, which may show for this time less than it has.
async fn checked_within(settle: Duration, respond: fn(&[(&str, &str)], usize) -> Paged) -> (Record, Vec<String>) {
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&log);
    let router = Router::new().fallback(move |uri: Uri| {
        let query = uri.query().unwrap_or_default().to_owned();
        let pairs: Vec<_> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let number = |name: &str, default: usize| {
            let given = pairs.iter().find(|(known, _)| *known == name);
            given.and_then(|(_, value)| value.parse().ok()).unwrap_or(default)
        };
        let (page, size) = (number("page", 1), number("per_page", 20));
        let others = pairs.iter().filter(|(name, _)| !matches!(*name, "page" | "per_page"));
        let others: Vec<_> = others.copied().collect();
        let requests = seen.lock().unwrap().len();
        let (status, total, orders) = respond(&others, requests);
        let first = page.saturating_sub(1).saturating_mul(size);
        let items: Vec<_> = orders.into_iter().skip(first).take(size).collect();
        seen.lock().unwrap().push(query);
        let status = StatusCode::from_u16(status).unwrap();
        async move { (status, axum::Json(json!({"total": total, "items": items}))).into_response() }
    });
    let check = Check::new(paged_contract())
        .service(router)
        .seed(7)
        .settle(settle)
        .keep_recording(true);
    let report = check.run().await.unwrap();
    let again = report.recording().unwrap().judge(&paged_contract(), Levels::default());
    assert_eq!(again.findings().len(), report.record().findings.len());
    let log = log.lock().unwrap().clone();
    (report.record().clone(), log)
}

/// The orders of a list to which all of these parameters of the query apply, in the order that they ask for, without a
/// weight last.
fn kept(others: &[(&str, &str)]) -> Vec<Value> {
    let order = |id: usize| {
        let kind = ["web", "phone"][id % 2];
        let weight = [json!(2), json!(10), json!(9), Value::Null, json!(100), json!(30)][id % 6].clone();
        json!({"id": id, "kind": kind, "shopId": 4711 + id / 3, "weight": weight})
    };
    let applies = |order: &Value, (name, value): &(&str, &str)| *name == "sort" || honest(order, name, value);
    let orders = (1..7).map(order);
    let mut orders: Vec<_> = orders
        .filter(|order| others.iter().all(|pair| applies(order, pair)))
        .collect();
    let by_weight = |order: &Value| order["weight"].as_i64();
    match sorted_by(others) {
        Some("weight") => orders.sort_by_key(|order| by_weight(order).unwrap_or(i64::MAX)),
        Some(_) => orders.sort_by_key(|order| by_weight(order).map_or(i64::MAX, |weight| -weight)),
        None => {}
    }
    orders
}

/// The order that a query asks for.
fn sorted_by<'query>(others: &[(&str, &'query str)]) -> Option<&'query str> {
    others.iter().find(|(name, _)| *name == "sort").map(|(_, value)| *value)
}

fn all_of(orders: Vec<Value>) -> Paged {
    (200, orders.len(), orders)
}

#[tokio::test]
async fn a_filtered_list_that_leaves_out_what_it_shows_without_the_filter_is_found() {
    let without_last: fn(&[(&str, &str)], usize) -> Paged = |others, _| {
        let mut orders = kept(others);
        if others.iter().any(|(name, _)| *name == "kind") {
            orders.pop();
        }
        all_of(orders)
    };
    let without_any: fn(&[(&str, &str)], usize) -> Paged = |others, _| match others {
        [("kind", _), ..] => all_of(Vec::new()),
        _ => all_of(kept(others)),
    };
    for respond in [without_last, without_any] {
        let (record, log) = checked_paged(respond).await;
        let [finding] = record.findings.as_slice() else {
            panic!("{:#?} {log:#?}", record.findings);
        };
        assert_eq!(finding.rule, "filtered");
        assert!(finding.fact.contains("/items/*/kind"), "{finding:?}");
        assert!(finding.received.starts_with("leaves out an item"), "{finding:?}");
    }
}

#[tokio::test]
async fn a_filtered_list_that_is_not_whole_or_lags_behind_is_left_alone() {
    // Its total says that there is more.
    let says_more: fn(&[(&str, &str)], usize) -> Paged = |others, _| {
        let mut orders = kept(others);
        let total = orders.len();
        if !others.is_empty() {
            orders.pop();
        }
        (200, total, orders)
    };
    // The index of the filter has the record only later.
    let late: fn(&[(&str, &str)], usize) -> Paged = |others, requests| {
        let mut orders = kept(others);
        if others.first().is_some_and(|(name, _)| *name == "kind") && requests.is_multiple_of(2) {
            orders.pop();
        }
        all_of(orders)
    };
    for respond in [says_more, late] {
        let (record, log) = checked_paged(respond).await;
        assert!(record.findings.is_empty(), "{:#?} {log:#?}", record.findings);
    }
    let (record, log) = checked_paged(|others, _| all_of(kept(others))).await;
    assert!(record.findings.is_empty(), "{:#?}", record.findings);
    assert!(
        log.iter()
            .any(|query| query.contains("kind=") && query.contains("shopId=")),
        "{log:#?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_filter_may_know_a_record_as_late_as_lists_may_show_it() {
    static STARTED: OnceLock<Instant> = OnceLock::new();
    let (record, log) = checked_within(Duration::from_secs(5), |others, _| {
        let mut orders = kept(others);
        let is_early = STARTED.get_or_init(Instant::now).elapsed() < Duration::from_secs(2);
        if is_early && others.first().is_some_and(|(name, _)| *name == "kind") {
            orders.pop();
        }
        all_of(orders)
    })
    .await;
    assert!(record.findings.is_empty(), "{:#?} {log:#?}", record.findings);
    let filtered = log
        .iter()
        .filter(|query| query.starts_with("kind=") && !query.contains('&'));
    assert!(filtered.count() > 1, "{log:#?}");
}

#[tokio::test]
async fn filters_that_are_combined_with_or_are_found_where_the_document_says_and() {
    let (record, log) = checked_paged(|others, _| {
        let all = kept(&[]).into_iter();
        let any = |order: &Value| others.iter().any(|(name, value)| honest(order, name, value));
        all_of(all.filter(|order| others.is_empty() || any(order)).collect())
    })
    .await;
    assert!(
        record.findings.iter().any(|finding| finding.rule == "filtered"),
        "{log:#?}"
    );
}

#[tokio::test]
async fn an_undocumented_404_for_a_filter_that_finds_nothing_is_found() {
    let (record, _) = checked_paged(|others, _| {
        let orders = kept(others);
        let orders: Vec<_> = orders.into_iter().filter(|order| order["kind"] == "web").collect();
        match orders.is_empty() {
            true => (404, 0, orders),
            false => all_of(orders),
        }
    })
    .await;
    let rules: Vec<_> = record.findings.iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!(rules, ["status"]);
    // The identifier of an unknown record may get one.
    let (record, _) = checked_paged(|others, _| match kept(others) {
        orders if orders.is_empty() => (404, 0, orders),
        orders => all_of(orders),
    })
    .await;
    assert!(record.findings.is_empty(), "{:#?}", record.findings);
}

#[tokio::test]
async fn a_list_that_is_not_sorted_as_asked_is_found() {
    let ignoring: fn(&[(&str, &str)], usize) -> Paged = |others, _| {
        let others: Vec<_> = others.iter().copied().filter(|(name, _)| *name != "sort").collect();
        all_of(kept(&others))
    };
    let as_texts: fn(&[(&str, &str)], usize) -> Paged = |others, _| {
        let mut orders = kept(others);
        if sorted_by(others).is_some() {
            orders.sort_by_key(|order| order["weight"].to_string());
        }
        all_of(orders)
    };
    let only_ascending: fn(&[(&str, &str)], usize) -> Paged = |others, _| match sorted_by(others) {
        Some(_) => all_of(kept(&[("sort", "weight")])),
        None => all_of(kept(others)),
    };
    let without_null: fn(&[(&str, &str)], usize) -> Paged = |others, _| {
        let mut orders = kept(others);
        orders.retain(|order| sorted_by(others).is_none() || !order["weight"].is_null());
        all_of(orders)
    };
    for (name, respond) in [
        ("ignoring", ignoring),
        ("as texts", as_texts),
        ("only ascending", only_ascending),
        ("without null", without_null),
    ] {
        let (record, log) = checked_paged(respond).await;
        let rules: Vec<_> = record.findings.iter().map(|finding| finding.rule.as_str()).collect();
        assert_eq!(rules, ["unsorted-list"], "{name} {log:#?}");
    }
}

#[tokio::test]
async fn a_list_that_is_sorted_is_left_alone_wherever_null_comes() {
    let null_first: fn(&[(&str, &str)], usize) -> Paged = |others, _| {
        let mut orders = kept(others);
        orders.sort_by_key(|order| sorted_by(others).is_some() && !order["weight"].is_null());
        all_of(orders)
    };
    for respond in [null_first, |others, _| all_of(kept(others))] {
        let (record, log) = checked_paged(respond).await;
        assert!(record.findings.is_empty(), "{:#?} {log:#?}", record.findings);
        let facts = record.facts.rows.iter();
        let sorted: Vec<_> = facts.filter(|row| row.fact.contains(" sorted ")).collect();
        assert!(
            sorted.len() == 1 && sorted[0].verdict == VerdictRecord::Held,
            "{log:#?}"
        );
    }
}
