//! Records that a service makes of another kind than the create asked for: they are reported as left if their list
//! shows the run tag, in whatever field.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::IntoResponse as _;
use countersign::report::{Record, UnexplainedRecord};
use countersign::{Check, Contract};
use serde_json::{Value, json};

const DOCUMENT: &str = "openapi: 3.0.3
info: {title: Projects and boards, version: '1'}
components:
  parameters: {Id: {name: id, in: path, required: true, schema: {type: integer}}}
  schemas:
    NewProject: {type: object, required: [name], properties: {name: {type: string}}}
    Project: {type: object, properties: {id: {type: integer}, name: {type: string}}}
    NewBoard: {type: object, required: [title], properties: {title: {type: string}}}
    Board: {type: object, properties: {id: {type: integer}, title: {type: string}, project: {type: string}}}
  responses:
    Project: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Project'}}}}
    Board: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Board'}}}}
paths:
  /projects:
    get:
      operationId: listProjects
      responses: {'200': {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Project'}}}}}}
    post:
      operationId: addProject
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewProject'}}}}
      responses: {'201': {$ref: '#/components/responses/Project'}}
  /projects/{id}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get: {operationId: getProject, responses: {'200': {$ref: '#/components/responses/Project'}, '404': {description: None}}}
    delete: {operationId: dropProject, responses: {'204': {description: Gone}, '404': {description: None}}}
  /boards:
    get:
      operationId: listBoards
      responses: {'200': {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Board'}}}}}}
    post:
      operationId: addBoard
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewBoard'}}}}
      responses: {'201': {$ref: '#/components/responses/Board'}}
  /boards/{id}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get: {operationId: getBoard, responses: {'200': {$ref: '#/components/responses/Board'}, '404': {description: None}}}
    delete: {operationId: dropBoard, responses: {'204': {description: Gone}, '404': {description: None}}}
";

#[derive(Default)]
struct Service {
    /// Whether a project comes with a board.
    adds_board: bool,
    /// The records below each path.
    records: std::collections::BTreeMap<String, Vec<Value>>,
    latest: u64,
}

impl Service {
    fn add(&mut self, kind: &str, mut record: Value) -> Value {
        self.latest += 1;
        record["id"] = json!(self.latest);
        self.records.entry(kind.to_owned()).or_default().push(record.clone());
        record
    }

    fn respond(&mut self, method: &Method, path: &str, sent: &Value) -> (StatusCode, Value) {
        let mut segments = path.trim_start_matches('/').split('/');
        let (kind, id) = (segments.next().unwrap().to_owned(), segments.next());
        let of_kind = self.records.entry(kind.clone()).or_default();
        let Some(id) = id else {
            if method == Method::GET {
                return (StatusCode::OK, json!(of_kind));
            }
            let field = if kind == "projects" { "name" } else { "title" };
            let Some(text) = sent.get(field).filter(|text| text.is_string()).cloned() else {
                return (StatusCode::BAD_REQUEST, Value::Null);
            };
            if kind == "projects" && self.adds_board {
                self.add("boards", json!({"title": "Default board", "project": text}));
            }
            return (StatusCode::CREATED, self.add(&kind, json!({ (field): text })));
        };
        let number: Option<u64> = id.parse().ok();
        let position = of_kind.iter().position(|record| record["id"].as_u64() == number);
        match position {
            None => (StatusCode::NOT_FOUND, Value::Null),
            Some(at) if method == Method::DELETE => {
                of_kind.remove(at);
                (StatusCode::NO_CONTENT, Value::Null)
            }
            Some(at) => (StatusCode::OK, of_kind[at].clone()),
        }
    }
}

/// Checks such a service and deletes what was created. Returns the record of the run, and the boards that are left.
async fn check(adds_board: bool) -> (Record, Vec<String>) {
    let service = Arc::new(Mutex::new(Service {
        adds_board,
        ..Service::default()
    }));
    let shared = Arc::clone(&service);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let sent = serde_json::from_slice(&body).unwrap_or_default();
        let (status, value) = shared.lock().unwrap().respond(&method, uri.path(), &sent);
        async move {
            match value {
                Value::Null => status.into_response(),
                value => (status, axum::Json(value)).into_response(),
            }
        }
    });
    let contract = Contract::read("projects.yaml", DOCUMENT.to_owned()).unwrap();
    let check = Check::new(contract).service(router).writes(true).cleanup(true).seed(1);
    let report = check.settle(Duration::ZERO).run().await.unwrap();
    let boards = service.lock().unwrap().records.remove("boards").unwrap_or_default();
    let ids = boards.iter().map(|board| board["id"].to_string());
    (report.record().clone(), ids.collect())
}

#[tokio::test]
async fn what_a_service_makes_beside_a_record_is_reported_as_left() {
    let (record, boards) = check(true).await;
    assert!(!boards.is_empty());
    let left = boards.into_iter().map(|id| UnexplainedRecord {
        list: "listBoards".to_owned(),
        id: Some(id),
        changed_by: None,
        existed: false,
    });
    assert_eq!(record.unexplained_records, left.collect::<Vec<_>>());

    let (record, boards) = check(false).await;
    assert_eq!((record.unexplained_records, boards), (Vec::new(), Vec::new()));
    assert!(record.deleted > 1);
}
