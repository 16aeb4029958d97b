//! Creates that hand out or change a record which was there before, although no list had shown it: nothing is written to
//! it afterwards. A default, or a code that a service generates, makes no record an old one.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::header::DATE;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::{Check, Contract};
use serde_json::{Value, json};

/// A collection of shifts; `LIST` stands for what its list says of itself, and `BELOW` for what its path begins with.
const SHIFTS: &str = "openapi: 3.0.3
info: {title: Shifts, version: '1'}
components:
  schemas:
    Shift:
      type: object
      properties:
        id: {type: integer}
        name: {type: string}
        note: {type: string}
        code: {type: string}
        created_at: {type: string}
    NewShift: {type: object, required: [name], properties: {name: {type: string}, day: {type: string, enum: [mon, tue]}}}
  requestBodies:
    Shift: {content: {application/json: {schema: {$ref: '#/components/schemas/NewShift'}}}}
  responses:
    Shift: {description: a, content: {application/json: {schema: {$ref: '#/components/schemas/Shift'}}}}
    Shifts:
      description: a
      content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Shift'}}}}
paths:
  BELOW/shifts:
    get: {operationId: listShifts, summary: 'LIST', responses: {'200': {$ref: '#/components/responses/Shifts'}}}
    post:
      operationId: addShift
      requestBody: {$ref: '#/components/requestBodies/Shift'}
      responses: {'201': {$ref: '#/components/responses/Shift'}}
  BELOW/shifts/{shiftId}:
    get: {operationId: getShift, responses: {'200': {$ref: '#/components/responses/Shift'}}}
    put:
      operationId: setShift
      requestBody: {$ref: '#/components/requestBodies/Shift'}
      responses: {'200': {$ref: '#/components/responses/Shift'}}
    delete: {operationId: deleteShift, responses: {'204': {description: a}}}
";

/// Sites, below which the shifts of [`SHIFTS`] are then.
const SITES: &str = "
  /sites:
    get: {operationId: listSites, responses: {'200': {$ref: '#/components/responses/Shifts'}}}
    post:
      operationId: addSite
      requestBody: {$ref: '#/components/requestBodies/Shift'}
      responses: {'201': {$ref: '#/components/responses/Shift'}}
  /sites/{siteId}:
    get: {operationId: getSite, responses: {'200': {$ref: '#/components/responses/Shift'}}}
    delete: {operationId: deleteSite, responses: {'204': {description: a}}}
";

/// The identifiers of sites are greater.
const FIRST_SITE: u64 = 9_000_000;

/// What a create returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Creates {
    /// A new record, whose note is empty.
    New,
    /// A new record, with a note that each has and with a code of its own.
    NewWithDefaults,
    /// The one record that was in the trash; after that, new ones.
    Restored,
    /// The one record that was in the trash, if no day is sent; otherwise new ones.
    RestoredWithoutDay,
    /// The next of several records that no list shows.
    NextOfPool,
    /// A record that says that it was created years ago.
    YearsOld,
    /// The record of that day, from wherever it is.
    MovedByDay,
    /// A new one, which says that it was created on the last day that can be named.
    OnLastDay,
}

struct Service {
    creates: Creates,
    /// The records that were there before, and that no list shows yet.
    hidden: Vec<Value>,
    shown: Vec<Value>,
    sites: Vec<Value>,
    next: u64,
    /// The sites below which shifts were created.
    holders: Vec<u64>,
    /// The accepted updates and deletions, each with the identifier.
    written: Vec<(Method, u64)>,
}

impl Service {
    fn new(creates: Creates) -> Self {
        let hidden = |(id, note): (u64, &str)| json!({"id": id, "name": "Old", "note": note, "day": "mon"});
        let notes = [
            (4_711_001, "Ask at the desk"),
            (4_711_002, "Bring the keys"),
            (4_711_003, ""),
        ];
        let mut hidden: Vec<_> = notes.into_iter().map(hidden).collect();
        match creates {
            Creates::New | Creates::NewWithDefaults | Creates::YearsOld | Creates::OnLastDay => hidden.clear(),
            Creates::Restored | Creates::RestoredWithoutDay => hidden.truncate(1),
            Creates::MovedByDay => hidden.drain(..2).for_each(drop),
            Creates::NextOfPool => {}
        }
        Self {
            creates,
            hidden,
            shown: vec![json!({"id": 4_711_000, "name": "Night", "note": ""})],
            sites: Vec::new(),
            next: 4_711_100,
            holders: Vec::new(),
            written: Vec::new(),
        }
    }

    fn create(&mut self, sent: &Value) -> Value {
        let is_of_day = |shift: &Value| shift["day"] == sent["day"];
        let found = match self.creates {
            Creates::MovedByDay => {
                let moved = self
                    .shown
                    .iter()
                    .position(|shift| is_of_day(shift) && shift["moved"] == true);
                let hidden = (!self.hidden.is_empty()).then(|| self.hidden.remove(0));
                moved.map(|at| self.shown.remove(at)).or(hidden)
            }
            Creates::RestoredWithoutDay if !sent["day"].is_null() => None,
            _ => (!self.hidden.is_empty()).then(|| self.hidden.remove(0)),
        };
        self.next += 1;
        let note = match self.creates {
            Creates::NewWithDefaults => "Nothing to report",
            _ => "",
        };
        let mut shift = found.unwrap_or_else(|| json!({"id": self.next, "note": note, "code": self.next.to_string()}));
        shift["name"] = sent["name"].clone();
        shift["day"] = sent["day"].clone();
        match self.creates {
            Creates::MovedByDay => shift["moved"] = json!(true),
            Creates::YearsOld => shift["created_at"] = json!("2019-05-03T08:00:00Z"),
            // The last day that a calendar of our dependencies knows: two days later is none.
            Creates::OnLastDay => shift["created_at"] = json!("+262142-12-31"),
            _ => {}
        }
        self.shown.push(shift.clone());
        shift
    }

    fn respond_of_sites(&mut self, (method, id): (&Method, Option<u64>), sent: &Value) -> Response {
        if method == Method::POST {
            if !sent["name"].is_string() {
                return StatusCode::BAD_REQUEST.into_response();
            }
            self.next += 1;
            let site = json!({"id": FIRST_SITE + self.next, "name": sent["name"]});
            self.sites.push(site.clone());
            return (StatusCode::CREATED, axum::Json(site)).into_response();
        }
        let found = self.sites.iter().position(|site| site["id"].as_u64() == id);
        if let (&Method::DELETE, Some(found), Some(id)) = (method, found, id) {
            self.sites.remove(found);
            self.written.push((Method::DELETE, id));
            return StatusCode::NO_CONTENT.into_response();
        }
        match (id, found.map(|found| &self.sites[found])) {
            (None, _) => axum::Json(&self.sites).into_response(),
            (_, Some(site)) => axum::Json(site).into_response(),
            _ => StatusCode::NOT_FOUND.into_response(),
        }
    }

    fn respond(&mut self, method: &Method, path: &str, sent: &Value) -> Response {
        let (collection, id) = match path.rsplit_once('/') {
            Some((above, last)) if last.parse::<u64>().is_ok() => (above, last.parse().ok()),
            _ => (path, None),
        };
        if collection == "/sites" {
            return self.respond_of_sites((method, id), sent);
        }
        let Some(id) = id else {
            if method == Method::GET {
                return axum::Json(&self.shown).into_response();
            }
            if !sent["name"].is_string() {
                return StatusCode::BAD_REQUEST.into_response();
            }
            let mut segments = path.split('/');
            self.holders
                .extend(segments.find_map(|segment| segment.parse::<u64>().ok()));
            let date = [(DATE, "Mon, 30 Nov 2026 08:00:00 GMT")];
            return (StatusCode::CREATED, date, axum::Json(self.create(sent))).into_response();
        };
        let Some(at) = self.shown.iter().position(|shift| shift["id"] == id) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        match *method {
            Method::PUT if sent["name"].is_string() => self.shown[at]["name"] = sent["name"].clone(),
            Method::PUT => return StatusCode::BAD_REQUEST.into_response(),
            Method::DELETE => drop(self.shown.remove(at)),
            _ => return axum::Json(&self.shown[at]).into_response(),
        }
        self.written.push((method.clone(), id));
        if *method == Method::DELETE {
            return StatusCode::NO_CONTENT.into_response();
        }
        axum::Json(&self.shown[at]).into_response()
    }
}

/// Checks such a service and deletes what was created. Returns the accepted updates and deletions, except those of sites
/// without shifts.
async fn written(creates: Creates, document: String) -> Vec<(Method, u64)> {
    let service = Arc::new(Mutex::new(Service::new(creates)));
    let shared = Arc::clone(&service);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let sent = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let response = shared.lock().unwrap().respond(&method, uri.path(), &sent);
        async { response }
    });
    let check = Check::new(Contract::read("shifts.yaml", document).unwrap()).service(router);
    let check = check.writes(true).max_writes(40).cleanup(true).seed(1);
    check.settle(std::time::Duration::ZERO).run().await.unwrap();
    let service = service.lock().unwrap();
    let is_empty_site = |id: &u64| *id > FIRST_SITE && !service.holders.contains(id);
    let written = service.written.iter().filter(|(_, id)| !is_empty_site(id));
    written.cloned().collect()
}

fn shifts(list: &str) -> String {
    let document = SHIFTS.replace("LIST", list).replace("BELOW", "");
    document.replace(
        "{shiftId}:\n",
        "{shiftId}:\n    parameters: [{name: shiftId, in: path, required: true, schema: {type: integer}}]\n",
    )
}

fn shifts_of_sites() -> String {
    let parameter = |name: &str| format!("{{name: {name}, in: path, required: true, schema: {{type: integer}}}}");
    let parameters = |names: &[&str]| {
        let parameters = names.iter().map(|name| parameter(name)).collect::<Vec<_>>();
        format!(":\n    parameters: [{}]\n", parameters.join(", "))
    };
    let document = format!("{}{SITES}", SHIFTS.replace("LIST", "List shifts").trim_end());
    let document = document.replace(
        "BELOW/shifts:\n",
        &format!("/sites/{{siteId}}/shifts{}", parameters(&["siteId"])),
    );
    let item = format!(
        "/sites/{{siteId}}/shifts/{{shiftId}}{}",
        parameters(&["siteId", "shiftId"])
    );
    let document = document.replace("BELOW/shifts/{shiftId}:\n", &item);
    document.replace(
        "/sites/{siteId}:\n",
        &format!("/sites/{{siteId}}{}", parameters(&["siteId"])),
    )
}

#[tokio::test]
async fn what_a_create_makes_anew_is_updated_and_deleted_whatever_defaults_it_has() {
    for creates in [Creates::New, Creates::NewWithDefaults, Creates::OnLastDay] {
        for list in ["List shifts", "List active shifts"] {
            let written = written(creates, shifts(list)).await;
            let count = |method| written.iter().filter(|(of, _)| *of == method).count();
            assert!(
                count(Method::PUT) > 0 && count(Method::DELETE) > 1,
                "{creates:?} {list}: {written:?}"
            );
        }
    }
    let written = written(Creates::New, shifts_of_sites()).await;
    let is_sent = |sent: &Method, of_sites: bool| {
        let mut written = written.iter();
        written.any(|(method, id)| method == sent && (*id > FIRST_SITE) == of_sites)
    };
    assert!(
        is_sent(&Method::PUT, false) && is_sent(&Method::DELETE, false),
        "{written:?}"
    );
    assert!(is_sent(&Method::DELETE, true), "{written:?}");
}

#[tokio::test]
async fn a_hidden_record_that_a_create_returns_is_neither_updated_nor_deleted() {
    for creates in [Creates::Restored, Creates::NextOfPool, Creates::YearsOld] {
        for list in ["List shifts", "List active shifts"] {
            assert_eq!(written(creates, shifts(list)).await, [], "{creates:?} {list}");
        }
    }
    for creates in [Creates::MovedByDay, Creates::NextOfPool] {
        assert_eq!(written(creates, shifts_of_sites()).await, [], "{creates:?}");
    }
}

/// Two creates with the same choices show nothing of a third one with others.
#[tokio::test]
async fn a_hidden_record_that_only_another_choice_returns_is_not_deleted() {
    let written = written(Creates::RestoredWithoutDay, shifts("List shifts")).await;
    let is_deleted = |is_hidden: bool| {
        let mut deleted = written.iter().filter(|(method, _)| *method == Method::DELETE);
        deleted.any(|(_, id)| (*id < 4_711_100) == is_hidden)
    };
    assert!(is_deleted(false) && !is_deleted(true), "{written:?}");
}
