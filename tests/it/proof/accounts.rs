//! Accounts whose create wants a password twice, whose update forbids a value, and whose notes only a list shows: what
//! their responses say is understood, and no more is done than they say.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

const ACCOUNTS: &str = "openapi: 3.0.3
info: {title: Accounts, version: '1'}
components:
  parameters: {Id: {name: id, in: path, required: true, schema: {type: string}}}
  schemas:
    New:
      type: object
      required: [nick, password, password_repeat]
      properties: {nick: {type: string}, password: {type: string}, password_repeat: {type: string}}
    Change: {type: object, required: [nick], properties: {nick: {type: string}, folder: {type: string}}}
    Account: {type: object, properties: {id: {type: string}, nick: {type: string}, folder: {type: string}}}
    Note: {type: object, properties: {id: {type: string}, text: {type: string}}}
  responses:
    Account: {description: An account, content: {application/json: {schema: {$ref: '#/components/schemas/Account'}}}}
paths:
  /accounts:
    post:
      operationId: addAccount
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses: {'201': {$ref: '#/components/responses/Account'}}
  /accounts/{id}:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get: {operationId: getAccount, responses: {'200': {$ref: '#/components/responses/Account'}, '404': {description: None}}}
    put:
      operationId: setAccount
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Change'}}}}
      responses: {'200': {$ref: '#/components/responses/Account'}, '404': {description: None}}
  /accounts/{id}/notes:
    parameters: [{$ref: '#/components/parameters/Id'}]
    get:
      operationId: listNotes
      responses: {'200': {description: Notes, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Note'}}}}}}
    post:
      operationId: addNote
      requestBody: {content: {application/json: {schema: {type: object, required: [text], properties: {text: {type: string}}}}}}
      responses: {'201': {description: A note, content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}}
";

/// How the service words a 403.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forbids {
    /// It quotes the folder.
    Folder,
    /// It says nothing about what was sent.
    Caller,
}

#[derive(Default)]
struct Accounts {
    accounts: Vec<Value>,
    notes: Vec<(String, Value)>,
    updates: usize,
    deletes: usize,
}

impl Accounts {
    fn respond(&mut self, forbids: Forbids, (method, path): (&Method, &str), sent: &Value) -> Response {
        self.deletes += usize::from(method == Method::DELETE);
        let text = |name: &str| sent[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        if path == "/accounts" {
            let (Some(nick), Some(password)) = (text("nick"), text("password")) else {
                return StatusCode::BAD_REQUEST.into_response();
            };
            if text("password_repeat") != Some(password) {
                return (StatusCode::BAD_REQUEST, "Passwords do not match.").into_response();
            }
            let account = json!({"id": format!("a{}z", self.accounts.len()), "nick": nick});
            self.accounts.push(account.clone());
            return (StatusCode::CREATED, axum::Json(account)).into_response();
        }
        let id = path.split('/').nth(2).unwrap_or_default();
        let Some(account) = self.accounts.iter_mut().find(|account| account["id"] == id) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        if path.ends_with("/notes") && method == Method::GET {
            let notes = self.notes.iter().filter(|(of, _)| of == id);
            return axum::Json(notes.map(|(_, note)| note).collect::<Vec<_>>()).into_response();
        } else if path.ends_with("/notes") {
            let Some(text) = text("text") else {
                return StatusCode::BAD_REQUEST.into_response();
            };
            let note = json!({"id": format!("n{}z", self.notes.len()), "text": text});
            self.notes.push((id.to_owned(), note.clone()));
            return (StatusCode::CREATED, axum::Json(note)).into_response();
        } else if method == Method::PUT {
            if text("folder").is_some() || forbids == Forbids::Caller {
                let quoted = text("folder")
                    .filter(|_| forbids == Forbids::Folder)
                    .unwrap_or_default();
                return (StatusCode::FORBIDDEN, format!("Not allowed: {quoted}")).into_response();
            }
            let Some(nick) = text("nick") else {
                return StatusCode::BAD_REQUEST.into_response();
            };
            account["nick"] = json!(nick);
            self.updates += 1;
        }
        axum::Json(&*account).into_response()
    }
}

async fn run(forbids: Forbids) -> (Accounts, Record) {
    let accounts = Arc::new(Mutex::new(Accounts::default()));
    let shared = Arc::clone(&accounts);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let sent = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let response = shared.lock().unwrap().respond(forbids, (&method, uri.path()), &sent);
        async { response }
    });
    let contract = Contract::read("accounts.yaml", ACCOUNTS.to_owned()).unwrap();
    let check = Check::new(contract).service(router).writes(true).cleanup(true).seed(1);
    let report = check.max_writes(40).settle(Duration::ZERO).run().await.unwrap();
    let accounts = std::mem::take(&mut *accounts.lock().unwrap());
    (accounts, report.record().clone())
}

#[tokio::test]
async fn a_password_is_repeated_and_a_403_that_quotes_what_was_sent_rejects_that() {
    let (accounts, _) = run(Forbids::Folder).await;
    assert!(!accounts.accounts.is_empty());
    assert!(accounts.updates > 0);

    let (accounts, record) = run(Forbids::Caller).await;
    assert_eq!(accounts.updates, 0);
    let facts = record
        .facts
        .rows
        .iter()
        .filter(|fact| fact.operation.as_str() == "setAccount");
    let mut reasons = facts.filter_map(|fact| fact.reason.as_deref());
    assert!(reasons.any(|reason| reason.contains("rejected with 403, and the contract asks for no token")));
}

#[tokio::test]
async fn what_only_the_list_at_the_path_of_its_create_shows_is_created_under_an_own_record_and_reported_as_left() {
    let (accounts, record) = run(Forbids::Folder).await;
    assert!(!accounts.notes.is_empty());
    assert_eq!(accounts.deletes, 0);
    let left: Vec<_> = record
        .residue
        .iter()
        .filter(|left| left.operation == "addNote")
        .collect();
    assert_eq!(left.len(), accounts.notes.len());
    assert!(left.iter().any(|left| left.found == Some(true)), "{left:?}");
    let listed = record
        .facts
        .rows
        .iter()
        .find(|fact| fact.fact.as_str() == "listNotes /*/text: string");
    assert!(listed.unwrap().reason.is_none(), "{listed:?}");
}
