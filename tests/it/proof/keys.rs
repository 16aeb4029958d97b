//! Creates whose records are replaced by a later one with the same day: no word of the contract says so, but no two
//! records in the list share a day. A day that a record has is not sent, and without any other day nothing is created.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const SHIFTS: &str = "openapi: 3.0.3
info: {title: Shifts, version: '1'}
components:
  schemas:
    New: {type: object, required: [FIELD, note], properties: {FIELD: SCHEMA, note: {type: string}}}
    Shift: {type: object, properties: {id: {type: string}, FIELD: SCHEMA, note: {type: string}}}
  responses:
    Shift: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Shift'}}}}
  requestBodies: {New: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}}
paths:
  /shifts:
    get:
      operationId: listShifts
      responses: {'200': {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Shift'}}}}}}
    post:
      operationId: addShift
      requestBody: {$ref: '#/components/requestBodies/New'}
      responses: {'201': {$ref: '#/components/responses/Shift'}}
  /shifts/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getShift, responses: {'200': {$ref: '#/components/responses/Shift'}, '404': {description: None}}}
    patch:
      operationId: changeShift
      requestBody: {$ref: '#/components/requestBodies/New'}
      responses: {'200': {$ref: '#/components/responses/Shift'}, '404': {description: None}}
";

const DAYS: &str = "{type: string, enum: [mon, tue, wed, thu, fri]}";

/// Checks a service with one record for each of these values of a field. Returns the notes of the records that it had
/// at first and still has, the values of all its records, and the record of the check.
async fn check(field: (&'static str, &str), values: &[Value]) -> (usize, Vec<Value>, Record) {
    check_in_pages(field, values, None).await
}

/// The same of a service whose list has pages of this size.
async fn check_in_pages(
    (field, schema): (&'static str, &str),
    values: &[Value],
    page_size: Option<usize>,
) -> (usize, Vec<Value>, Record) {
    let with_value = |(index, value): (usize, &Value)| json!({"id": format!("s-{index}"), field: value, "note": "old"});
    let shifts: Vec<_> = values.iter().enumerate().map(with_value).collect();
    let shifts = Arc::new(Mutex::new(shifts));
    let shared = Arc::clone(&shifts);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
        let mut shifts = shared.lock().unwrap();
        let page = uri
            .query()
            .and_then(|query| query.strip_prefix("page="))
            .map_or(Ok(1), str::parse::<usize>);
        let response = match page_size.filter(|_| method == Method::GET && uri.path() == "/shifts") {
            Some(size) => {
                let before = page.unwrap_or(1).saturating_sub(1).saturating_mul(size);
                axum::Json(shifts.iter().skip(before).take(size).collect::<Vec<_>>()).into_response()
            }
            None => respond(field, &mut shifts, (&method, uri.path()), &sent),
        };
        async { response }
    });
    let parameters = "operationId: listShifts\n      parameters: [{name: page, in: query, schema: {type: integer}}]";
    let list = page_size.map_or("operationId: listShifts", |_| parameters);
    let document = SHIFTS.replace("FIELD", field).replace("SCHEMA", schema);
    let document = document.replace("operationId: listShifts", list);
    let check = Check::new(Contract::read("shifts.yaml", document).unwrap()).service(router);
    let check = check.writes(true).seed(1).settle(std::time::Duration::ZERO);
    let record = check.run().await.unwrap().record().clone();
    let shifts = shifts.lock().unwrap();
    let old = shifts.iter().filter(|shift| shift["note"] == "old").count();
    (old, shifts.iter().map(|shift| shift[field].clone()).collect(), record)
}

fn respond(field: &str, shifts: &mut Vec<Value>, (method, path): (&Method, &str), sent: &Value) -> Response {
    let id = path.strip_prefix("/shifts/");
    if method == Method::GET && id.is_none() {
        return axum::Json(&shifts).into_response();
    }
    let existing = shifts.iter().position(|shift| shift["id"].as_str() == id);
    let mut shift = match (existing, id) {
        (Some(position), _) => shifts[position].clone(),
        (None, Some(_)) => return StatusCode::NOT_FOUND.into_response(),
        (None, None) => json!({"id": format!("s-{}", sent["note"].as_str().unwrap_or_default())}),
    };
    if method == Method::GET {
        return axum::Json(shift).into_response();
    }
    let (Some(value), true) = (sent.get(field), sent["note"].is_string()) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    shift[field] = value.clone();
    shift["note"] = sent["note"].clone();
    shifts.retain(|other| other["id"] != shift["id"] && other[field] != shift[field]);
    shifts.push(shift.clone());
    let status = if id.is_none() {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    (status, axum::Json(shift)).into_response()
}

#[tokio::test]
async fn a_value_that_tells_the_existing_records_apart_is_not_sent() {
    let days = ["mon", "wed", "tue"].map(|day| json!(day));
    let (old, values, _) = check(("day", DAYS), &days).await;
    assert_eq!(old, 3, "{values:?}");
    assert!(values.len() > 3, "{values:?}");

    let places = [1, 2, 3].map(|place| json!(place));
    let (old, values, _) = check(("place", "{type: integer, minimum: 1, maximum: 9}"), &places).await;
    assert_eq!(old, 3, "{values:?}");
    assert!(values.len() > 3, "{values:?}");

    // As many as a list shows at once.
    let numbers: Vec<_> = (1..=700).rev().map(|number| json!(number)).collect();
    let (old, values, _) = check(("number", "{type: integer, minimum: 1, maximum: 1000}"), &numbers).await;
    assert_eq!(old, 700, "{values:?}");

    let dates = ["2024-05-16", "2024-05-17", "2024-05-18", "2000-02-29"].map(|date| json!(date));
    let (old, values, _) = check(("date", "{type: string, format: date}"), &dates).await;
    assert_eq!(old, 4, "{values:?}");
    assert!(values.len() > 4, "{values:?}");
}

#[tokio::test]
async fn nothing_is_created_if_every_value_tells_an_existing_record_from_the_others() {
    let days = ["mon", "tue", "wed", "thu", "fri"].map(|day| json!(day));
    let (old, values, record) = check(("day", DAYS), &days).await;
    assert_eq!((old, values.len()), (5, 5), "{values:?}");
    let reasons = serde_json::to_string(&record).unwrap();
    assert!(reasons.contains("each value that it may have is or may be in a record of the target"));
}

#[tokio::test]
async fn two_languages_that_two_records_have_are_not_sent_and_two_other_words_are() {
    let locales = ["en", "de"].map(|locale| json!(locale));
    let schema = "{type: string, enum: [en, de]}";
    let (old, values, _) = check(("locale", schema), &locales).await;
    assert_eq!((old, values.len()), (2, 2), "{values:?}");
    let (old, values, _) = check(("mode", schema), &locales).await;
    assert!(old < 2, "the service keeps one for each mode: {values:?}");
}

#[tokio::test]
async fn a_category_and_a_value_that_records_share_are_sent() {
    let states = ["mon", "tue", "wed", "thu", "fri"].map(|day| json!(day));
    let (old, values, _) = check(("status", DAYS), &states).await;
    assert!(old < 5, "the service keeps one for each status: {values:?}");
    let shared = ["mon", "tue", "wed", "thu", "fri", "fri"].map(|day| json!(day));
    let (old, values, _) = check(("day", DAYS), &shared).await;
    assert!(old < 6, "the service keeps one for each day: {values:?}");
}

#[tokio::test]
async fn a_number_or_a_day_that_a_later_page_may_show_is_not_sent() {
    let places: Vec<_> = (1..=40).map(|place| json!(place)).collect();
    let place = ("place", "{type: integer, minimum: 1, maximum: 40}");
    let (old, values, _) = check_in_pages(place, &places, Some(10)).await;
    assert_eq!((old, values.len()), (40, 40), "{values:?}");
    // Where the schema admits one far away, that is sent.
    let place = ("place", "{type: integer, minimum: 1, maximum: 4000000}");
    let (old, values, _) = check_in_pages(place, &places, Some(10)).await;
    assert_eq!(old, 40, "{values:?}");
    assert!(values.len() > 40, "{values:?}");
    let day = |day: i64| chrono::NaiveDate::from_ymd_opt(2024, 12, 31).unwrap() - chrono::Duration::days(day);
    let days: Vec<_> = (0..400).map(|before| json!(day(before).to_string())).collect();
    let (old, values, _) = check_in_pages(("date", "{type: string, format: date}"), &days, Some(20)).await;
    assert_eq!(old, 400, "{values:?}");
    assert!(values.len() > 400, "{values:?}");
    // Values that records share are no keys, whatever the other pages show.
    let shared: Vec<_> = (0..40).map(|place| json!(1 + place % 4)).collect();
    let place = ("place", "{type: integer, minimum: 1, maximum: 40}");
    let (old, values, _) = check_in_pages(place, &shared, Some(10)).await;
    assert!(old < 40 || values.len() > 40, "nothing was sent: {values:?}");
}
