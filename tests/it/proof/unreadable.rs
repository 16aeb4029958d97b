//! Records that a service stores and can then no longer show or change: no string is sent beyond the length that
//! another schema of the record states, no record is locked, and if an accepted edge case makes a record unreadable,
//! that is found and the next edge cases are not sent.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::{FactRow, Record, VerdictRecord};
use countersign::{Check, Contract};
use serde_json::{Value, json};

/// Tags. `CREATED` and `UPDATED` stand for the schemas of the name in a create and in an update.
const TAGS: &str = "openapi: 3.0.3
info: {title: Tags, version: '1'}
components:
  schemas:
    NewTag:
      type: object
      required: [name]
      properties: {name: CREATED, locked: {type: boolean}, bold: {type: boolean}}
    TagUpdate:
      type: object
      properties: {name: UPDATED, locked: {type: boolean}, bold: {type: boolean}}
    Tag:
      type: object
      required: [id, name]
      properties: {id: {type: string}, name: {type: string}, locked: {type: boolean}, bold: {type: boolean}}
  responses:
    Tag: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Tag'}}}}
    Tags: {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Tag'}}}}}
paths:
  /tags:
    get: {operationId: listTags, responses: {'200': {$ref: '#/components/responses/Tags'}}}
    post:
      operationId: addTag
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewTag'}}}}
      responses: {'201': {$ref: '#/components/responses/Tag'}}
  /tags/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getTag, responses: {'200': {$ref: '#/components/responses/Tag'}}}
    put:
      operationId: putTag
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/TagUpdate'}}}}
      responses: {'200': {$ref: '#/components/responses/Tag'}}
    patch:
      operationId: patchTag
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/TagUpdate'}}}}
      responses: {'200': {$ref: '#/components/responses/Tag'}}
    delete: {operationId: dropTag, responses: {'204': {description: Gone}}}
";

const FREE: &str = "{type: string}";
const LIMITED: &str = "{type: string, maxLength: 255}";

/// The longest name that the service can show.
const LONGEST: usize = 255;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Service {
    /// It shows whatever it stored.
    ShowsAll,
    /// An update stores names that no read can show any more.
    CannotShowLong,
}

/// A write: its method and path, and its body.
type Write = (String, Vec<u8>);

struct Checked {
    record: Record,
    log: Vec<Write>,
}

impl Checked {
    /// The longest name that requests with this method sent.
    fn longest(&self, method: &str) -> usize {
        let bodies = self.log.iter().filter(|(line, _)| line.starts_with(method));
        let names = bodies.filter_map(|(_, body)| name(&serde_json::from_slice(body).ok()?));
        names.max().unwrap_or(0)
    }

    fn unreadable(&self) -> Vec<&str> {
        let found = self
            .record
            .findings
            .iter()
            .filter(|finding| finding.rule == "lifecycle");
        found.map(|finding| finding.received.as_str()).collect()
    }
}

fn name(body: &Value) -> Option<usize> {
    body["name"].as_str().map(|name| name.chars().count())
}

fn respond(
    service: Service,
    kept: &mut Vec<(String, Value)>,
    (method, path, body): (&Method, &str, &Bytes),
) -> Response {
    let can_show = |tag: &Value| service == Service::ShowsAll || name(tag).is_some_and(|length| length <= LONGEST);
    let show = |tag: &Value| match can_show(tag) {
        true => axum::Json(tag).into_response(),
        false => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
    };
    let found = kept.iter().position(|(at, _)| at == path);
    let sent = serde_json::from_slice::<Value>(body).unwrap_or_default();
    match (method.as_str(), found) {
        ("POST", _) if name(&sent).is_some_and(|length| length <= LONGEST) => {
            let id = format!("t-{}", kept.len());
            let mut tag = sent;
            tag["id"] = json!(id);
            kept.push((format!("/tags/{id}"), tag.clone()));
            (StatusCode::CREATED, axum::Json(tag)).into_response()
        }
        ("PUT" | "PATCH", Some(found)) if kept[found].1["locked"] == true => StatusCode::LOCKED.into_response(),
        ("PUT" | "PATCH", Some(found)) if name(&sent).is_some() => {
            for (member, value) in sent.as_object().unwrap() {
                kept[found].1[member] = value.clone();
            }
            axum::Json(&kept[found].1).into_response()
        }
        ("POST" | "PUT" | "PATCH", _) => StatusCode::BAD_REQUEST.into_response(),
        ("DELETE", Some(found)) if can_show(&kept[found].1) => {
            kept.remove(found);
            StatusCode::NO_CONTENT.into_response()
        }
        ("GET", Some(found)) => show(&kept[found].1),
        ("GET", None) if path == "/tags" && kept.iter().all(|(_, tag)| can_show(tag)) => {
            axum::Json(kept.iter().map(|(_, tag)| tag.clone()).collect::<Vec<_>>()).into_response()
        }
        ("GET", None) if path == "/tags" => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn checked(service: Service, created: &str, updated: &str) -> Checked {
    let log: Arc<Mutex<Vec<Write>>> = Arc::default();
    let (seen, kept) = (Arc::clone(&log), Arc::new(Mutex::new(Vec::new())));
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        if method != Method::GET {
            seen.lock()
                .unwrap()
                .push((format!("{method} {}", uri.path()), body.to_vec()));
        }
        let response = respond(service, &mut kept.lock().unwrap(), (&method, uri.path(), &body));
        async { response }
    });
    let text = TAGS.replace("CREATED", created).replace("UPDATED", updated);
    let check = Check::new(Contract::read("tags.yaml", text).unwrap()).service(router);
    let check = check.writes(true).cleanup(true).seed(1);
    let report = check.settle(std::time::Duration::from_millis(50)).run().await.unwrap();
    let log = log.lock().unwrap().clone();
    Checked {
        record: report.record().clone(),
        log,
    }
}

#[tokio::test]
async fn an_update_is_not_sent_a_text_longer_than_the_create_admits() {
    let checked = checked(Service::CannotShowLong, LIMITED, FREE).await;
    let longest = checked.longest("PUT");
    assert!((1..=LONGEST).contains(&longest), "{longest}");
    // The create says itself that it rejects a longer one.
    assert_eq!(checked.longest("POST"), 10_000);
    assert!(checked.record.findings.is_empty(), "{:?}", checked.record.findings);
    assert!(checked.record.residue.is_empty(), "{:?}", checked.record.residue);
}

#[tokio::test]
async fn an_update_is_sent_a_long_text_where_nothing_limits_it_or_its_own_schema_does() {
    for schema in [FREE, LIMITED] {
        let checked = checked(Service::ShowsAll, schema, schema).await;
        assert_eq!((checked.longest("PUT"), checked.longest("POST")), (10_000, 10_000));
        assert!(checked.unreadable().is_empty(), "{:?}", checked.unreadable());
    }
}

#[tokio::test]
async fn no_record_of_the_run_is_locked() {
    let checked = checked(Service::ShowsAll, FREE, FREE).await;
    let bodies = checked
        .log
        .iter()
        .filter_map(|(_, body)| serde_json::from_slice::<Value>(body).ok());
    let bodies: Vec<_> = bodies.collect();
    let sent = |name: &str, value: bool| bodies.iter().any(|body| body[name] == value);
    assert!(sent("locked", false) && !sent("locked", true));
    assert!(sent("bold", false));
}

#[tokio::test]
async fn a_record_that_an_edge_case_makes_unreadable_is_found_and_no_more_are_sent() {
    let healthy = checked(Service::ShowsAll, FREE, FREE).await;
    let harmed = checked(Service::CannotShowLong, FREE, FREE).await;
    assert!(healthy.unreadable().is_empty(), "{:?}", healthy.unreadable());
    assert_eq!(
        harmed.unreadable(),
        ["422 to a read after an edge case that was accepted"]
    );
    // Of the two updates, one is sent a long text, and then nothing is written but plain values; another record is
    // deleted.
    let is_long = |(line, body): &&Write| line.starts_with('P') && !line.starts_with("POST") && body.len() > 10_000;
    let longs = |checked: &Checked| checked.log.iter().filter(is_long).count();
    assert_eq!((longs(&healthy), longs(&harmed)), (2, 1));
    let behind = harmed.log.iter().skip_while(|write| !is_long(write)).skip(1);
    let written: Vec<_> = behind.filter(|(line, _)| !line.starts_with("DELETE ")).collect();
    let is_plain = |(_, body): &Write| body.is_ascii() && body.len() < 100;
    assert!(written.iter().all(|write| is_plain(write)), "{written:?}");
    let rows = harmed.record.facts.rows.iter();
    let is_undecided =
        |row: &&FactRow| row.fact.ends_with("Tag edge cases: no 5xx") && row.verdict == VerdictRecord::Undecided;
    let reasons = rows.filter(is_undecided).filter_map(|row| row.reason.as_deref());
    let reasons: Vec<_> = reasons.collect();
    assert!(
        !reasons.is_empty() && reasons.iter().all(|reason| reason.contains("can no longer be read")),
        "{reasons:?}"
    );
}
