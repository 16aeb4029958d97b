//! A create that overwrites a record on a page that nobody has read: only the total of the list, which does not grow,
//! shows that it made no new one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::IntoResponse as _;
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const DOCUMENT: &str = "openapi: 3.0.3
info: {title: Slots, version: '1'}
components:
  schemas:
    NewSlot: {type: object, required: [name], properties: {name: {type: string}}}
    Slot: {type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}}}
  responses:
    Slot: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Slot'}}}}
paths:
  /slots:
    get:
      operationId: listSlots
      parameters: [{name: page, in: query, schema: {type: integer, minimum: 1, default: 1}}]
      responses:
        '200':
          description: Slots
          content:
            application/json:
              schema:
                type: object
                required: [items, total, page]
                properties:
                  items: {type: array, items: {$ref: '#/components/schemas/Slot'}}
                  total: {type: integer, description: Total number of slots on all pages}
                  page: {type: integer}
    post:
      operationId: addSlot
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewSlot'}}}}
      responses: {'201': {$ref: '#/components/responses/Slot'}}
  /slots/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getSlot, responses: {'200': {$ref: '#/components/responses/Slot'}, '404': {description: None}}}
    put:
      operationId: setSlot
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewSlot'}}}}
      responses: {'200': {$ref: '#/components/responses/Slot'}}
    delete: {operationId: dropSlot, responses: {'204': {description: Gone}, '404': {description: None}}}
";

/// How many slots a page has.
const PAGE: usize = 5;
/// How many slots there are at the beginning.
const SLOTS: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Creates {
    /// Each adds a slot.
    Added,
    /// Each adds a slot, and the total is one response late.
    AddedAndCountedLate,
    /// Each overwrites the next slot from the second page on.
    Overwriting,
}

struct Service {
    creates: Creates,
    /// The names by identifier, in order of the list.
    slots: BTreeMap<String, String>,
    created: usize,
    stated: usize,
    updates: usize,
}

fn id_of(number: usize) -> String {
    format!("slot-{number:04}-{:08x}", number * 2_654_435 + 4_711)
}

impl Service {
    fn respond(&mut self, method: &Method, uri: &Uri, sent: &Value) -> (u16, Value) {
        let id = uri
            .path()
            .trim_start_matches("/slots")
            .trim_start_matches('/')
            .to_owned();
        let name = sent["name"].as_str().map(str::to_owned);
        let known = self.slots.get(&id).cloned();
        match (method.as_str(), known, name) {
            ("GET", _, _) if id.is_empty() => {
                let page: usize = uri
                    .query()
                    .map_or(Some(1), |query| query.strip_prefix("page=")?.parse().ok())
                    .unwrap_or(1);
                let items = self.slots.iter().skip((page.max(1) - 1) * PAGE).take(PAGE);
                let items: Vec<_> = items.map(|(id, name)| json!({"id": id, "name": name})).collect();
                let total = match self.creates {
                    Creates::AddedAndCountedLate => std::mem::replace(&mut self.stated, self.slots.len()),
                    _ => self.slots.len(),
                };
                (200, json!({"items": items, "total": total, "page": page}))
            }
            ("POST", _, Some(name)) => {
                let number = match self.creates {
                    Creates::Overwriting => PAGE + self.created,
                    _ => SLOTS + self.created,
                };
                self.created += 1;
                let id = id_of(number);
                self.slots.insert(id.clone(), name.clone());
                (201, json!({"id": id, "name": name}))
            }
            ("GET", Some(name), _) => (200, json!({"id": id, "name": name})),
            ("PUT", Some(_), Some(name)) => {
                self.updates += 1;
                self.slots.insert(id.clone(), name.clone());
                (200, json!({"id": id, "name": name}))
            }
            ("DELETE", Some(_), _) => {
                self.slots.remove(&id);
                (204, Value::Null)
            }
            ("POST" | "PUT", _, None) => (422, Value::Null),
            _ => (404, Value::Null),
        }
    }
}

/// Checks such a service and deletes what was created. Returns the record of the run and the service.
async fn checked(creates: Creates) -> (Record, Arc<Mutex<Service>>) {
    let service = Arc::new(Mutex::new(Service {
        creates,
        slots: (0..SLOTS)
            .map(|number| (id_of(number), "Somebody's".to_owned()))
            .collect(),
        created: 0,
        stated: SLOTS,
        updates: 0,
    }));
    let shared = Arc::clone(&service);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let sent = serde_json::from_slice(&body).unwrap_or_default();
        let (status, value) = shared.lock().unwrap().respond(&method, &uri, &sent);
        let status = StatusCode::from_u16(status).unwrap();
        async move {
            match value {
                Value::Null => status.into_response(),
                value => (status, axum::Json(value)).into_response(),
            }
        }
    });
    let contract = Contract::read("slots.yaml", DOCUMENT.to_owned()).unwrap_or_else(|defect| panic!("{defect}"));
    let check = Check::new(contract).service(router).writes(true).cleanup(true).seed(1);
    let report = check.settle(Duration::ZERO).run().await.unwrap();
    (report.record().clone(), service)
}

#[tokio::test]
async fn nothing_is_written_to_what_a_create_may_have_overwritten() {
    let (record, service) = checked(Creates::Overwriting).await;
    let service = service.lock().unwrap();
    assert_eq!((service.updates, record.deleted, service.slots.len()), (0, 0, SLOTS));
    // Nor is another overwritten once that is known.
    assert_eq!(service.created, 1);
    let mut rows = record.facts.rows.iter();
    let update = rows
        .find(|row| row.operation == "setSlot" && row.reason.is_some())
        .unwrap();
    let reason = update.reason.as_deref().unwrap();
    assert!(reason.contains("the total that listSlots states"), "{reason}");
}

#[tokio::test]
async fn what_a_create_has_added_is_updated_and_deleted_although_a_total_is_late() {
    for creates in [Creates::Added, Creates::AddedAndCountedLate] {
        let (record, service) = checked(creates).await;
        let service = service.lock().unwrap();
        assert!(
            service.updates > 0 && record.deleted > 1,
            "{creates:?} {:?}",
            record.residue
        );
        assert_eq!(service.slots.len(), SLOTS, "{creates:?}");
        assert!(service.slots.values().all(|name| name == "Somebody's"));
    }
}
