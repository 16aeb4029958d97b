//! Nested objects, arrays, URLs, numbers, times and long texts under an ordinary document: a service that loses what it
//! is sent in them is found, and one that normalises, orders or adds to it, as it may, is left alone.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::{Check, Contract};
use serde_json::{Map, Value, json};

use crate::support::sampled;

const SHOPS: &str = "openapi: 3.0.3
info: {title: Shops, version: '1'}
x-edge-cases: []
components:
  schemas:
    NewShop:
      type: object
      properties:
        title: {type: string}
        website: {type: string, format: uri}
        labels: {type: array, minItems: 1, items: {type: string}}
        address: {type: object, properties: {city: {type: string}, street: {type: string}, floor: {type: integer}}}
        rent: {type: number, minimum: 0, maximum: 100000, multipleOf: 0.01}
        rating: {type: number, minimum: 0, maximum: 5}
        mileage: {type: integer, format: int64, minimum: 0, description: Mileage in metres.}
        replicas: {type: integer, minimum: 0, maximum: 900}
        opened_at: {type: string, format: date-time}
        founded: {type: string, format: date}
        notes: {type: string, maxLength: 400, nullable: true}
        hints: {type: array, items: {type: string}, description: 'Hints, in the order in which they were sent.'}
    Shop:
      allOf:
        - {$ref: '#/components/schemas/NewShop'}
        - {type: object, required: [id], properties: {id: {type: string}}}
  requestBodies:
    Shop: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewShop'}}}}
  responses:
    Shop: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Shop'}}}}
paths:
  /shops:
    post:
      operationId: addShop
      requestBody: {$ref: '#/components/requestBodies/Shop'}
      responses: {'201': {$ref: '#/components/responses/Shop'}}
  /shops/{shopId}:
    parameters: [{name: shopId, in: path, required: true, schema: {type: string}}]
    get: {operationId: getShop, responses: {'200': {$ref: '#/components/responses/Shop'}}}
    patch:
      operationId: patchShop
      description: Changes the fields that are sent. A nested object is merged in the same way.
      requestBody: {$ref: '#/components/requestBodies/Shop'}
      responses: {'200': {$ref: '#/components/responses/Shop'}}
";

/// What the service does with what it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Stores,
    /// What a service may do: it sorts, spells and adds to what it is sent.
    Normalises,
    DropsLabels,
    IgnoresAddressOfUpdate,
    IgnoresWebsiteOfUpdate,
    /// What a service may do: it rounds a number of which nothing says that it has decimal places, and clamps one that
    /// measures nothing.
    RoundsRating,
    SortsHints,
    IgnoresEmptyHints,
    ReplacesAddress,
    RoundsRent,
    TakesMileageForDouble,
    DropsOffset,
    DropsSeconds,
    MovesFounded,
    CutsNotes,
    JoinsLines,
    TakesEmptyForNull,
    TakesWordForNull,
}

/// Returns what becomes of a value that is sent in a field with this name.
fn stored(way: Way, name: &str, value: &Value) -> Value {
    let text = value.as_str().unwrap_or_default();
    let number = value.as_f64().unwrap_or_default();
    match (way, name) {
        (Way::SortsHints, "hints") => {
            let mut hints = value.as_array().unwrap().clone();
            hints.sort_unstable_by_key(|hint| hint.as_str().unwrap().to_owned());
            json!(hints)
        }
        (Way::RoundsRating, "rating") => json!(number.round()),
        (Way::RoundsRating, "replicas") => json!(number.min(9.0)),
        (Way::RoundsRent, "rent") => json!((number * 10.0).round() / 10.0),
        (Way::TakesMileageForDouble, "mileage") => json!(format!("{number:.0}").parse::<i64>().unwrap()),
        (Way::DropsOffset, "opened_at") => json!(format!("{}Z", &text[..19])),
        (Way::DropsSeconds, "opened_at") => json!(format!("{}:00{}", &text[..16], &text[19..])),
        (Way::MovesFounded, "founded") if text < "1970" => json!("1970-01-01"),
        (Way::CutsNotes, "notes") if value.is_string() => json!(text.chars().take(255).collect::<String>()),
        (Way::JoinsLines, "notes") if value.is_string() => json!(text.replace('\n', " ")),
        (Way::TakesEmptyForNull, "notes") if text.is_empty() => Value::Null,
        (Way::TakesWordForNull, "notes") if text == "null" => Value::Null,
        _ => value.clone(),
    }
}

/// Stores the fields of a body in a shop.
fn store(way: Way, shop: &mut Map<String, Value>, body: &Map<String, Value>, is_update: bool) {
    for (name, value) in body {
        let is_lost = match way {
            Way::DropsLabels => name == "labels",
            Way::IgnoresAddressOfUpdate => is_update && name == "address",
            Way::IgnoresWebsiteOfUpdate => is_update && name == "website",
            Way::IgnoresEmptyHints => is_update && *value == json!([]),
            _ => false,
        };
        let parts = shop.get_mut(name).and_then(Value::as_object_mut).zip(value.as_object());
        if let Some((parts, sent)) = parts.filter(|_| is_update && !is_lost && way != Way::ReplacesAddress) {
            parts.extend(sent.clone());
        } else if !is_lost {
            shop.insert(name.clone(), stored(way, name, value));
        }
    }
    if way == Way::DropsLabels {
        shop.insert("labels".to_owned(), json!([]));
    }
    if way == Way::Normalises {
        if let Some(Value::Array(labels)) = shop.get_mut("labels") {
            let mut kept: Vec<_> = labels.iter().filter_map(Value::as_str).map(str::to_lowercase).collect();
            kept.extend(["all".to_owned(), "new".to_owned()]);
            kept.sort_unstable();
            kept.dedup();
            *labels = kept.into_iter().map(Value::from).collect();
        }
        if let Some(Value::Object(address)) = shop.get_mut("address") {
            address.entry("floor").or_insert(json!(0));
        }
        if let Some(Value::String(website)) = shop.get_mut("website") {
            *website = website.replace("https://", "HTTPS://");
        }
    }
}

fn respond(way: Way, shops: &mut Vec<Map<String, Value>>, (method, uri): (&Method, &Uri), body: &Bytes) -> Response {
    let body = serde_json::from_slice::<Map<String, Value>>(body).unwrap_or_default();
    let id = uri
        .path()
        .trim_start_matches("/shops")
        .trim_start_matches('/')
        .to_owned();
    if *method == Method::POST {
        let mut shop = Map::from_iter([("id".to_owned(), json!(format!("shop-{}", shops.len())))]);
        store(way, &mut shop, &body, false);
        shops.push(shop.clone());
        return (StatusCode::CREATED, axum::Json(shop)).into_response();
    }
    let Some(shop) = shops.iter_mut().find(|shop| shop["id"] == json!(id)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if *method == Method::PATCH {
        store(way, shop, &body, true);
    }
    axum::Json(shop.clone()).into_response()
}

/// Returns the facts of the findings, and those that held.
async fn checked(way: Way) -> [Vec<String>; 2] {
    checked_with_seed(way, 1).await
}

async fn checked_with_seed(way: Way, seed: u64) -> [Vec<String>; 2] {
    let shops = Arc::new(Mutex::new(Vec::new()));
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let response = respond(way, &mut shops.lock().unwrap(), (&method, &uri), &body);
        async { response }
    });
    let check = Check::new(Contract::read("shops.yaml", SHOPS.to_owned()).unwrap()).service(router);
    let check = check.writes(true).seed(seed).settle(Duration::from_millis(400));
    let report = check.run().await.unwrap();
    let record = report.record();
    let rows = record.facts.rows.iter();
    let held = rows.filter(|row| row.verdict == countersign::report::VerdictRecord::Held);
    let held = held.map(|row| row.fact.to_string()).collect();
    [
        record.findings.iter().map(|finding| finding.fact.clone()).collect(),
        held,
    ]
}

fn carried(operation: &str, at: &str) -> String {
    format!("{operation} in getShop {at}: as sent in {at}")
}

#[tokio::test]
async fn what_is_lost_in_a_nested_object_an_array_or_a_url_is_found() {
    for (way, fact) in [
        (Way::DropsLabels, carried("addShop", "/labels/*")),
        (Way::IgnoresAddressOfUpdate, carried("patchShop", "/address/city")),
        (Way::IgnoresWebsiteOfUpdate, carried("patchShop", "/website")),
    ] {
        let [found, _] = checked(way).await;
        assert!(found.contains(&fact), "{way:?}: {found:?}");
    }
}

#[tokio::test]
async fn what_a_service_normalises_or_adds_is_left_alone() {
    for way in [Way::Stores, Way::Normalises, Way::RoundsRating] {
        let [found, held] = checked(way).await;
        assert_eq!(found, [""; 0], "{way:?}");
        for at in ["/labels/*", "/address/city", "/website"] {
            for operation in ["addShop", "patchShop"] {
                assert!(held.contains(&carried(operation, at)), "{way:?} {at}: {held:?}");
            }
        }
        assert!(
            held.contains(&"patchShop without fields: as before".to_owned()),
            "{way:?}"
        );
    }
}

#[tokio::test]
async fn what_is_changed_of_a_value_that_the_document_allows_is_found() {
    let ways = [
        (Way::SortsHints, "/hints"),
        (Way::IgnoresEmptyHints, "/hints"),
        (Way::RoundsRent, "/rent"),
        (Way::TakesMileageForDouble, "/mileage"),
        (Way::DropsOffset, "/opened_at"),
        (Way::DropsSeconds, "/opened_at"),
        (Way::MovesFounded, "/founded"),
        (Way::CutsNotes, "/notes"),
        (Way::JoinsLines, "/notes"),
    ];
    for (way, at) in sampled(2, ways) {
        let [found, _] = checked(way).await;
        assert_eq!(found, [carried("patchShop", at)], "{way:?}");
    }
}

#[tokio::test]
async fn the_rest_of_an_object_that_is_merged_is_kept() {
    let [found, _] = checked(Way::ReplacesAddress).await;
    assert_eq!(found, ["patchShop without fields: as before"]);
}

#[tokio::test]
async fn a_word_that_is_taken_for_null_is_found_with_every_second_seed() {
    for way in [Way::TakesEmptyForNull, Way::TakesWordForNull] {
        let mut found = 0;
        for seed in [1, 2] {
            let [facts, _] = checked_with_seed(way, seed).await;
            assert!(
                facts.iter().all(|fact| *fact == carried("patchShop", "/notes")),
                "{way:?}: {facts:?}"
            );
            found += facts.len();
        }
        assert_eq!(found, 1, "{way:?}");
    }
}
