//! Nested objects, arrays and URLs under an ordinary document: a service that loses what it is sent in them is found,
//! and one that normalises, orders or adds to it, as it may, is left alone.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::{Check, Contract};
use serde_json::{Map, Value, json};

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
        address: {type: object, required: [city], properties: {city: {type: string}, floor: {type: integer}}}
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
}

/// Stores the fields of a body in a shop.
fn store(way: Way, shop: &mut Map<String, Value>, body: &Map<String, Value>, is_update: bool) {
    for (name, value) in body {
        let is_lost = match way {
            Way::DropsLabels => name == "labels",
            Way::IgnoresAddressOfUpdate => is_update && name == "address",
            Way::IgnoresWebsiteOfUpdate => is_update && name == "website",
            _ => false,
        };
        if !is_lost {
            shop.insert(name.clone(), value.clone());
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
    let shops = Arc::new(Mutex::new(Vec::new()));
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let response = respond(way, &mut shops.lock().unwrap(), (&method, &uri), &body);
        async { response }
    });
    let check = Check::new(Contract::read("shops.yaml", SHOPS.to_owned()).unwrap()).service(router);
    let check = check.writes(true).seed(1).settle(Duration::from_millis(400));
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
    for way in [Way::Stores, Way::Normalises] {
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
