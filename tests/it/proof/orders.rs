//! What an ordinary document says of totals, pages, credentials, defaults and records below others: each departure is
//! found, and a service that does what the document says is left alone.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const ORDERS: &str = "openapi: 3.0.3
info: {title: Orders, version: '1'}
security: [{bearer: []}]
components:
  securitySchemes: {bearer: {type: http, scheme: bearer}}
  parameters:
    Order: {name: order_id, in: path, required: true, schema: {type: integer}}
    Line: {name: line_id, in: path, required: true, schema: {type: integer}}
  schemas:
    NewOrder:
      type: object
      required: [name]
      properties:
        name: {type: string}
        kind: {type: string, enum: [small, medium, large], default: small}
        gift: {type: boolean, default: false}
    Order:
      type: object
      required: [id, name, kind, gift, updated_at]
      properties:
        id: {type: integer}
        name: {type: string}
        kind: {type: string, enum: [small, medium, large]}
        gift: {type: boolean}
        newest: {type: string, readOnly: true}
        reads: {type: integer, readOnly: true}
        updated_at: {type: string, format: date-time, readOnly: true, description: When the order was last changed.}
    NewLine: {type: object, required: [name], properties: {name: {type: string}}}
    Line:
      type: object
      required: [id, order_id, name]
      properties: {id: {type: integer}, order_id: {type: integer}, name: {type: string}}
    Page:
      type: object
      required: [items, total, page_size, pages]
      properties:
        items: {type: array, items: {$ref: '#/components/schemas/Order'}}
        total: {type: integer, description: TOTAL}
        page_size: {type: integer, description: Size of a page.}
        pages: {type: integer, description: Number of pages.}
  requestBodies:
    Order: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewOrder'}}}}
    Line: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewLine'}}}}
  responses:
    Order: {description: The order., content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
    Line: {description: The line., content: {application/json: {schema: {$ref: '#/components/schemas/Line'}}}}
    Lines:
      description: The lines.
      content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Line'}}}}
    Page: {description: A page., content: {application/json: {schema: {$ref: '#/components/schemas/Page'}}}}
    None: {description: There is no such record.}
    Unknown: {description: The token is missing or wrong.}
paths:
  /orders:
    get:
      operationId: listOrders
      description: Returns the orders, page by page. BEYOND
      parameters:
        - {name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}
        - {name: page_size, in: query, schema: {type: integer, minimum: 1, maximum: 100, default: 20}}
        - {name: kind, in: query, description: Filter by kind., schema: {type: string, enum: [small, medium, large]}}
      responses: {'200': {$ref: '#/components/responses/Page'}, '401': {$ref: '#/components/responses/Unknown'}}
    post:
      operationId: addOrder
      requestBody: {$ref: '#/components/requestBodies/Order'}
      responses: {'201': {$ref: '#/components/responses/Order'}, '401': {$ref: '#/components/responses/Unknown'}}
  /orders/{order_id}:
    parameters: [{$ref: '#/components/parameters/Order'}]
    get:
      operationId: getOrder
      responses:
        '200': {$ref: '#/components/responses/Order'}
        '401': {$ref: '#/components/responses/Unknown'}
        '404': {$ref: '#/components/responses/None'}
    put:
      operationId: putOrder
      description: Replaces the order. UNSENT
      parameters: [{name: If-Match, in: header, schema: {type: string}}]
      requestBody: {$ref: '#/components/requestBodies/Order'}
      responses:
        '200': {$ref: '#/components/responses/Order'}
        '401': {$ref: '#/components/responses/Unknown'}
        '412': {description: The order has changed since.}
    delete:
      operationId: deleteOrder
      responses: {'204': {description: Deleted.}, '401': {$ref: '#/components/responses/Unknown'}}
  /orders/{order_id}/lines:
    parameters: [{$ref: '#/components/parameters/Order'}]
    get:
      operationId: listLines
      responses:
        '200': {$ref: '#/components/responses/Lines'}
        '401': {$ref: '#/components/responses/Unknown'}
        '404': {$ref: '#/components/responses/None'}
    post:
      operationId: addLine
      requestBody: {$ref: '#/components/requestBodies/Line'}
      responses: {'201': {$ref: '#/components/responses/Line'}, '401': {$ref: '#/components/responses/Unknown'}}
  /orders/{order_id}/lines/{line_id}:
    parameters: [{$ref: '#/components/parameters/Order'}, {$ref: '#/components/parameters/Line'}]
    get:
      operationId: getLine
      responses:
        '200': {$ref: '#/components/responses/Line'}
        '401': {$ref: '#/components/responses/Unknown'}
        '404': {$ref: '#/components/responses/None'}
    delete:
      operationId: deleteLine
      responses: {'204': {description: Deleted.}, '401': {$ref: '#/components/responses/Unknown'}}
";

const TOTAL: (&str, &str) = ("TOTAL", "Number of orders on all pages.");
const BEYOND: (&str, &str) = ("BEYOND", "A page beyond the last one has no items.");
const UNSENT: (&str, &str) = ("UNSENT", "A field that is not sent gets its default.");

/// Returns the document with its texts, but without the one that `left_out` stands for.
fn document(left_out: &str) -> String {
    with_texts(ORDERS.to_owned(), left_out)
}

fn with_texts(document: String, left_out: &str) -> String {
    let texts = [TOTAL, BEYOND, UNSENT].into_iter();
    texts.fold(document, |document, (place, text)| {
        let text = if place == left_out { "" } else { text };
        document.replace(
            place,
            if place == "TOTAL" && text.is_empty() {
                "Number."
            } else {
                text
            },
        )
    })
}

/// What the service does wrong, or is free to do where the document leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// A line can be read below any order.
    AnyParent,
    /// A page beyond the last one is not found.
    BeyondIsNotFound,
    /// A page far beyond the last one is not found.
    FarIsNotFound,
    /// The total counts deleted orders too.
    CountsDeleted,
    /// The total was counted before the last write, once.
    CountsLate,
    /// The total counts the orders on the page.
    CountsPage,
    /// The total counts orders that a filter leaves out.
    CountsUnfiltered,
    /// An update is carried out whatever its condition is.
    IgnoresCondition,
    /// A create sets a boolean of every order.
    ChangesOthers,
    /// Every order shows the name of the newest one.
    NamesNewest,
    /// A create replaces the newest order.
    Overwrites,
    /// A filtered list needs no credential.
    FilterIsOpen,
    /// A `PUT` keeps what it does not send.
    KeepsUnsent,
    /// An identifier is read up to the first letter.
    ReadsDigits,
    /// A second page needs no credential.
    SecondPageIsOpen,
    /// Each response states the default size of a page.
    StatesDefaultSize,
    /// A read sets the time of the last change.
    TouchesOnRead,
    /// A read sets the time of the last change, and counts.
    CountsReads,
    /// An update is carried out whatever its condition is, and reads show no entity tag.
    HasNoTags,
    /// A job sets the time of the last change once more after a write.
    TouchesLater,
}

/// What the service keeps.
struct Store {
    fault: Fault,
    records: BTreeMap<(String, u64), Value>,
    deleted: usize,
    late: usize,
    time: u32,
    job: Option<(String, u64)>,
    log: Vec<String>,
}

const NOT_FOUND: u16 = 404;

fn empty(status: u16) -> Response {
    StatusCode::from_u16(status).unwrap().into_response()
}

fn json_of(status: u16, body: Value) -> Response {
    (StatusCode::from_u16(status).unwrap(), axum::Json(body)).into_response()
}

impl Store {
    fn new(fault: Fault) -> Self {
        let mut store = Self {
            fault,
            records: BTreeMap::new(),
            deleted: 0,
            late: 0,
            time: 0,
            job: None,
            log: Vec::new(),
        };
        for id in 1..4 {
            let size = ["small", "medium", "large"][usize::try_from(id).unwrap() % 3];
            let order = json!({"id": id, "name": "Somebody's", "kind": size, "gift": false, "updated_at": store.now()});
            store.records.insert(("/orders".to_owned(), id), order);
        }
        store
    }

    fn now(&mut self) -> Value {
        self.time += 1;
        let (minute, second) = (self.time / 60 % 60, self.time % 60);
        json!(format!("2026-05-17T09:{minute:02}:{second:02}Z"))
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn needs_credential(&self, uri: &Uri) -> bool {
        let query = uri.query().unwrap_or_default();
        let is_open = self.is(Fault::SecondPageIsOpen) && query.contains("page=2")
            || self.is(Fault::FilterIsOpen) && query.starts_with("kind=");
        !is_open
    }

    fn respond(&mut self, (method, uri): (&Method, &Uri), is_conditional: bool, body: &Bytes) -> Response {
        if is_conditional && ![Fault::IgnoresCondition, Fault::HasNoTags].contains(&self.fault) {
            return empty(412);
        }
        let segments: Vec<_> = uri.path().trim_matches('/').split('/').collect();
        let sent = serde_json::from_slice::<Value>(body).ok();
        let sent = sent.filter(|sent| sent["name"].is_string());
        let is_gone = |order: &str| {
            order
                .parse()
                .map_or(true, |id| !self.records.contains_key(&("/orders".into(), id)))
        };
        match (segments.as_slice(), method.as_str()) {
            (["orders", order, ..], _) if segments.len() > 2 && is_gone(order) => empty(NOT_FOUND),
            (["orders"], "GET") => self.list(uri.query().unwrap_or_default()),
            ([.., "lines"], "GET") => json_of(200, self.all(uri.path()).into()),
            (["orders"] | [.., "lines"], "POST") => match sent {
                Some(sent) => self.create(uri.path(), &sent),
                None => empty(422),
            },
            (_, method) => self.of_record(method, uri.path(), sent),
        }
    }

    fn all(&self, collection: &str) -> Vec<Value> {
        let of_it = self.records.iter().filter(|((at, _), _)| at == collection);
        of_it.map(|(_, record)| record.clone()).collect()
    }

    fn list(&mut self, query: &str) -> Response {
        let given = |name: &str| {
            query
                .split('&')
                .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        };
        let number = |name: &str, default: u64| given(name).map_or(Ok(default), str::parse::<u64>);
        let (Ok(page @ 1..), Ok(size @ 1..=100)) = (number("page", 1), number("page_size", 20)) else {
            return empty(422);
        };
        let all = self.all("/orders");
        let asked = given("kind");
        let kept: Vec<_> = all
            .iter()
            .filter(|order| asked.is_none_or(|size| order["kind"] == size))
            .collect();
        let skipped = usize::try_from((page - 1).saturating_mul(size)).unwrap();
        if self.is(Fault::BeyondIsNotFound) && page > 1 && skipped >= kept.len() {
            return empty(NOT_FOUND);
        }
        if self.is(Fault::FarIsNotFound) && page > 1000 {
            return empty(NOT_FOUND);
        }
        let size_of_page = usize::try_from(size).unwrap();
        let items: Vec<_> = kept.iter().skip(skipped).take(size_of_page).collect();
        let late = std::mem::take(&mut self.late);
        let total = match self.fault {
            Fault::CountsDeleted => kept.len() + self.deleted,
            Fault::CountsLate if asked.is_none() => kept.len() + late,
            Fault::CountsPage => items.len(),
            Fault::CountsUnfiltered => all.len(),
            _ => kept.len(),
        };
        let stated = if self.is(Fault::StatesDefaultSize) { 20 } else { size };
        let pages = kept.len().div_ceil(size_of_page);
        json_of(
            200,
            json!({"items": items, "total": total, "page_size": stated, "pages": pages}),
        )
    }

    fn create(&mut self, collection: &str, sent: &Value) -> Response {
        let kind = collection.ends_with("lines");
        let ids = self
            .records
            .keys()
            .filter(|(at, _)| at.ends_with("lines") == kind)
            .map(|(_, id)| *id);
        let newest = ids.max().unwrap_or(0);
        let id = if self.is(Fault::Overwrites) && !kind {
            newest
        } else {
            newest + 1
        };
        if self.is(Fault::ChangesOthers) && !kind {
            for record in self.records.values_mut().filter(|record| record.get("gift").is_some()) {
                record["gift"] = json!(true);
            }
        }
        if self.is(Fault::NamesNewest) && !kind {
            for record in self.records.values_mut().filter(|record| record.get("gift").is_some()) {
                record["newest"] = sent["name"].clone();
            }
        }
        let record = match collection.split('/').nth(2) {
            Some(order) => json!({"id": id, "order_id": order.parse::<u64>().unwrap(), "name": sent["name"]}),
            None => self.order(id, sent, None),
        };
        self.records.insert((collection.to_owned(), id), record.clone());
        json_of(201, record)
    }

    fn order(&mut self, id: u64, sent: &Value, before: Option<&Value>) -> Value {
        let before = before.filter(|_| self.is(Fault::KeepsUnsent));
        let value = |name: &str, default: Value| {
            let kept = sent.get(name).or(before.and_then(|before| before.get(name)));
            kept.cloned().unwrap_or(default)
        };
        let (size, gift) = (value("kind", json!("small")), value("gift", json!(false)));
        json!({"id": id, "name": sent["name"], "kind": size, "gift": gift, "updated_at": self.now()})
    }

    fn of_record(&mut self, method: &str, path: &str, sent: Option<Value>) -> Response {
        let Some((collection, id)) = path.rsplit_once('/') else {
            return empty(NOT_FOUND);
        };
        let digits = id
            .find(|character: char| !character.is_ascii_digit())
            .unwrap_or(id.len());
        let id = if self.is(Fault::ReadsDigits) { &id[..digits] } else { id };
        let Ok(id) = id.parse() else { return empty(NOT_FOUND) };
        let mut key = (collection.to_owned(), id);
        if self.is(Fault::AnyParent) && collection.ends_with("lines") {
            let found = self
                .records
                .keys()
                .find(|(at, other)| at.ends_with("lines") && *other == id);
            key = found.cloned().unwrap_or(key);
        }
        let Some(record) = self.records.get(&key).cloned() else {
            return empty(NOT_FOUND);
        };
        match method {
            "GET" => {
                let counts = self.is(Fault::CountsReads);
                let is_touched =
                    counts || self.is(Fault::TouchesOnRead) || self.job.take().is_some_and(|job| job == key);
                let now = self.now();
                let record = self.records.get_mut(&key).unwrap();
                let is_order = record.get("updated_at").is_some();
                if is_order && is_touched {
                    record["updated_at"] = now;
                }
                if is_order && counts {
                    record["reads"] = json!(record["reads"].as_u64().unwrap_or(0) + 1);
                }
                let tag = format!("\"{}\"", record["updated_at"].as_str().unwrap_or_default());
                let mut response = json_of(200, record.clone());
                if !self.is(Fault::HasNoTags) {
                    response.headers_mut().insert("etag", tag.parse().unwrap());
                }
                response
            }
            "DELETE" => {
                self.deleted += usize::from(record.get("kind").is_some());
                self.late = 1;
                self.records
                    .retain(|other, _| *other != key && !other.0.starts_with(&format!("{path}/")));
                empty(204)
            }
            "PUT" => match sent {
                Some(sent) => {
                    let order = self.order(id, &sent, Some(&record));
                    self.job = Some(key.clone()).filter(|_| self.is(Fault::TouchesLater));
                    self.records.insert(key, order.clone());
                    json_of(200, order)
                }
                None => empty(422),
            },
            _ => empty(405),
        }
    }
}

/// Checks the service by this document. Returns the record, and what was requested without a credential.
async fn checked(document: String, fault: Fault) -> (Record, Vec<String>) {
    let store = Arc::new(Mutex::new(Store::new(fault)));
    let shared = Arc::clone(&store);
    let router = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let mut store = shared.lock().unwrap();
        let credential = headers.get("authorization").and_then(|value| value.to_str().ok());
        let response = if credential != Some("Bearer right-token") && store.needs_credential(&uri) {
            (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer")]).into_response()
        } else {
            store.respond((&method, &uri), headers.contains_key("if-match"), &body)
        };
        if credential.is_none() {
            store.log.push(uri.to_string());
        }
        async { response }
    });
    let check = Check::new(Contract::read("orders.yaml", document).unwrap()).service(router);
    let check = check.token("right-token").writes(true).cleanup(true).seed(1);
    let report = check.settle(std::time::Duration::from_millis(100)).run().await.unwrap();
    let log = store.lock().unwrap().log.clone();
    (report.record().clone(), log)
}

/// Returns the rule and the operation of each finding.
fn found(record: &Record) -> Vec<(String, String)> {
    let findings = record.findings.iter();
    let mut found: Vec<_> = findings
        .map(|finding| (finding.rule.to_string(), finding.operation.clone()))
        .collect();
    found.sort();
    found.dedup();
    found
}

#[tokio::test(start_paused = true)]
async fn a_service_that_does_what_the_document_says_is_left_alone() {
    for fault in [
        Fault::None,
        Fault::CountsLate,
        Fault::FarIsNotFound,
        Fault::TouchesLater,
        Fault::CountsReads,
        Fault::HasNoTags,
        Fault::NamesNewest,
    ] {
        let (record, unauthenticated) = checked(document(""), fault).await;
        assert_eq!(found(&record), [], "{fault:?} {:?}", record.findings);
        for query in ["page=2", "kind="] {
            let of_query = unauthenticated
                .iter()
                .filter(|uri| uri.starts_with(&format!("/orders?{query}")));
            assert_eq!(of_query.count(), 1, "{fault:?} {query} {unauthenticated:?}");
        }
        assert_eq!(record.residue.len(), 0, "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_departure_from_what_the_document_says_is_found() {
    for (fault, rule, operation) in [
        (Fault::AnyParent, "lifecycle", "getLine"),
        (Fault::IgnoresCondition, "lifecycle", "putOrder"),
        (Fault::BeyondIsNotFound, "inferred-pages", "listOrders"),
        (Fault::CountsDeleted, "inferred-pages", "listOrders"),
        (Fault::CountsPage, "inferred-pages", "listOrders"),
        (Fault::CountsUnfiltered, "inferred-pages", "listOrders"),
        (Fault::FilterIsOpen, "auth", "listOrders"),
        (Fault::KeepsUnsent, "lifecycle", "getOrder"),
        (Fault::ReadsDigits, "lifecycle", "getOrder"),
        (Fault::SecondPageIsOpen, "auth", "listOrders"),
        (Fault::StatesDefaultSize, "inferred-pages", "listOrders"),
        (Fault::TouchesOnRead, "lifecycle", "getOrder"),
    ] {
        let (record, _) = checked(document(""), fault).await;
        let mut rules: Vec<_> = found(&record);
        if fault == Fault::ReadsDigits {
            rules.retain(|(_, operation)| operation != "getLine");
        }
        assert_eq!(
            rules,
            [(rule.to_owned(), operation.to_owned())],
            "{fault:?} {:?}",
            record.findings
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_create_that_overwrites_another_record_is_found() {
    let (record, _) = checked(document(""), Fault::Overwrites).await;
    let mut findings = record.findings.iter();
    let finding = findings.find(|finding| finding.rule == "lifecycle");
    let received = "a text of this run, in a record that was there before it";
    assert_eq!(finding.unwrap().received, received, "{:?}", record.findings);
}

#[tokio::test(start_paused = true)]
async fn a_boolean_that_changes_in_other_records_is_residue_alone() {
    let (record, _) = checked(document(""), Fault::ChangesOthers).await;
    let accuses = |(rule, _): &(String, String)| rule != "unchecked-operation";
    assert!(!found(&record).iter().any(accuses), "{:?}", record.findings);
    assert_ne!(record.residue.len(), 0);
}

/// Whether the update of an order was sent and judged.
async fn updates(document: String) -> bool {
    let (record, _) = checked(document, Fault::None).await;
    let mut operations = record.operations.iter();
    operations.any(|operation| operation.name == "putOrder" && operation.unchecked.is_none())
}

#[tokio::test(start_paused = true)]
async fn an_update_that_shows_in_other_orders_is_not_sent() {
    let said = |text: &str| document("").replace("Replaces the order.", text);
    assert!(updates(said("Replaces the order. All fields are replaced.")).await);
    assert!(!updates(said("Replaces the order. Its kind is given to all orders.")).await);
}

#[tokio::test(start_paused = true)]
async fn what_the_document_leaves_open_is_no_finding() {
    for (fault, left_out) in [
        (Fault::BeyondIsNotFound, "BEYOND"),
        (Fault::CountsDeleted, "TOTAL"),
        (Fault::CountsPage, "TOTAL"),
        (Fault::CountsUnfiltered, "TOTAL"),
        (Fault::KeepsUnsent, "UNSENT"),
    ] {
        let (record, _) = checked(document(left_out), fault).await;
        assert_eq!(found(&record), [], "{fault:?} {:?}", record.findings);
    }
    let without_404 = document("").replace("        '404': {$ref: '#/components/responses/None'}\n", "");
    let (record, _) = checked(without_404, Fault::AnyParent).await;
    assert!(
        !found(&record).iter().any(|(rule, _)| rule == "lifecycle"),
        "{:?}",
        record.findings
    );
}

#[tokio::test(start_paused = true)]
async fn one_text_anywhere_leaves_it_open() {
    let info = "info: {title: Orders, version: '1'";
    for (fault, (before, after)) in [
        (Fault::AnyParent, (info, ", description: Identifiers are global.")),
        (
            Fault::AnyParent,
            ("None: {description: There is no such record", " in any order"),
        ),
        (
            Fault::AnyParent,
            (
                "operationId: addLine",
                "\n      description: Adds a line that every order can show.",
            ),
        ),
        (Fault::BeyondIsNotFound, ("BEYOND", " Pages above 50 do not exist.")),
        (
            Fault::CountsDeleted,
            (info, ", description: Totals are those of last night."),
        ),
        (
            Fault::CountsDeleted,
            ("Page: {description: A page", " of the orders that you may see"),
        ),
        (Fault::CountsPage, ("TOTAL", " Only the first page has it.")),
        (
            Fault::CountsUnfiltered,
            ("description: Filter by kind.", " Does not change the total."),
        ),
        (
            Fault::ReadsDigits,
            (info, ", description: What follows a number is ignored."),
        ),
        (Fault::SecondPageIsOpen, ("page by page.", " Other pages are public.")),
        (Fault::StatesDefaultSize, ("description: Size of a page", " by default")),
    ] {
        let document = ORDERS.replacen(before, &format!("{before}{after}"), 1);
        assert_ne!(document, ORDERS, "{before}");
        let (record, _) = checked(with_texts(document, ""), fault).await;
        assert_eq!(found(&record), [], "{fault:?} {after} {:?}", record.findings);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_filter_leaves_of_a_whole_list_is_one_page() {
    let pages = "        pages: {type: integer, description: Number of pages.}\n";
    let document = document("")
        .replace("page_size, pages]", "page_size]")
        .replace(pages, "");
    assert!(!document.contains("Number of pages"));
    for (fault, expected) in [(Fault::None, 0), (Fault::CountsLate, 0), (Fault::CountsUnfiltered, 1)] {
        let (record, _) = checked(document.clone(), fault).await;
        let findings = record
            .findings
            .iter()
            .filter(|finding| finding.rule == "inferred-pages");
        assert_eq!(findings.count(), expected, "{fault:?} {:?}", record.findings);
    }
}

#[tokio::test(start_paused = true)]
async fn the_parameter_may_say_what_is_beyond_the_last_page() {
    let page = "{name: page, in: query,";
    let described = format!("{page} description: Number of the page. {},", BEYOND.1);
    let document = document("BEYOND").replace(page, &described);
    let (record, _) = checked(document, Fault::BeyondIsNotFound).await;
    let expected = ("inferred-pages".to_owned(), "listOrders".to_owned());
    assert_eq!(found(&record), [expected], "{:?}", record.findings);
}
