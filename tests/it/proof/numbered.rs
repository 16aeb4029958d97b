//! Collections whose records have the same numbers, as where each table of a database counts from 1: what a run creates
//! in one is its own although another has that number, and is deleted: before the create, a read has shown that the
//! number is free. A create that returns the number of a record which another list shows is not believed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

/// The collections of the service, each with the number of its records.
type Seeded<'test> = &'test [(&'test str, u64)];

/// The records of each collection, by number.
type Tables = BTreeMap<String, BTreeMap<u64, Value>>;

/// How the service numbers what is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    /// Each collection on its own, from 1.
    Separately,
    /// All in one table, of which each collection shows a part; a create takes over the last record of another part.
    InOneTable,
}

fn document(collections: Seeded<'_>) -> String {
    let json = |schema: &str| format!("content: {{application/json: {{schema: {schema}}}}}");
    let (item, sent) = (
        json("{$ref: '#/components/schemas/Record'}"),
        json("{$ref: '#/components/schemas/NewRecord'}"),
    );
    let items = json("{type: array, items: {$ref: '#/components/schemas/Record'}}");
    let mut document = "openapi: 3.0.3
info: {title: Numbered, version: '1'}
components:
  schemas:
    NewRecord: {type: object, required: [name], properties: {name: {type: string}}}
    Record: {type: object, required: [id, name], properties: {id: {type: integer}, name: {type: string}, stock: {type: integer}}}
paths:
"
    .to_owned();
    for (path, _) in collections {
        let id = "[{name: id, in: path, required: true, schema: {type: integer}}]";
        document += &format!(
            "  /{path}:
    get: {{operationId: '{path}.list', responses: {{'200': {{description: OK, {items}}}}}}}
    post: {{operationId: '{path}.add', requestBody: {{required: true, {sent}}}, responses: {{'201': {{description: OK, {item}}}}}}}
  /{path}/{{id}}:
    parameters: {id}
    get: {{operationId: '{path}.get', responses: {{'200': {{description: OK, {item}}}}}}}
    patch: {{operationId: '{path}.change', requestBody: {{required: true, {sent}}}, responses: {{'200': {{description: OK, {item}}}}}}}
    delete: {{operationId: '{path}.drop', responses: {{'204': {{description: Gone}}}}}}
"
        );
    }
    document
}

fn seeded(numbers: Numbers, collections: Seeded<'_>) -> Tables {
    let mut next = 1;
    let mut tables = Tables::new();
    for (path, count) in collections {
        if numbers == Numbers::Separately {
            next = 1;
        }
        let ids = next..next + count;
        next += count;
        let records = ids.map(|id| {
            (
                id,
                json!({"id": id, "name": format!("{path} of somebody, {id}"), "stock": count + 1}),
            )
        });
        tables.insert((*path).to_owned(), records.collect());
    }
    tables
}

fn respond(numbers: Numbers, tables: &mut Tables, (method, path, body): (&Method, &str, &Bytes)) -> Response {
    let name = serde_json::from_slice::<Value>(body).map(|sent| sent["name"].clone());
    let name = name.ok().filter(Value::is_string);
    let (collection, id) = path.trim_start_matches('/').split_once('/').unwrap_or((&path[1..], ""));
    let last_elsewhere = tables
        .iter()
        .filter(|(other, _)| *other != collection)
        .find_map(|(_, records)| records.keys().next_back().copied());
    let Some(records) = tables.get_mut(collection) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let id: Option<u64> = id.parse().ok();
    match (method.as_str(), id, name) {
        ("GET", None, _) => axum::Json(records.values().collect::<Vec<_>>()).into_response(),
        ("POST", None, Some(name)) => {
            let free = records.keys().next_back().map_or(1, |last| last + 1);
            let id = match numbers {
                Numbers::Separately => free,
                Numbers::InOneTable => last_elsewhere.unwrap_or(free),
            };
            let record = json!({"id": id, "name": name});
            records.insert(id, record.clone());
            (StatusCode::CREATED, axum::Json(record)).into_response()
        }
        ("GET", Some(id), _) if records.contains_key(&id) => axum::Json(&records[&id]).into_response(),
        ("PATCH", Some(id), Some(name)) if records.contains_key(&id) => {
            records.insert(id, json!({"id": id, "name": name}));
            axum::Json(&records[&id]).into_response()
        }
        ("DELETE", Some(id), _) if records.remove(&id).is_some() => StatusCode::NO_CONTENT.into_response(),
        ("POST" | "PATCH", _, None) => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Checks a service with writes and clean-up. Returns the report, and the writes that the service got.
async fn judged<Respond>(document: String, respond: Respond) -> (Record, Vec<String>)
where
    Respond: Fn(&Method, &str, &Bytes) -> Response + Clone + Send + Sync + 'static,
{
    let log = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&log);
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        if method != Method::GET {
            seen.lock().unwrap().push(format!("{method} {}", uri.path()));
        }
        let response = respond(&method, uri.path(), &body);
        async { response }
    });
    let contract = Contract::read("numbered.yaml", document).unwrap();
    let check = Check::new(contract).service(router).writes(true).cleanup(true).seed(7);
    let report = check.settle(std::time::Duration::from_millis(50)).run().await.unwrap();
    let log = log.lock().unwrap().clone();
    (report.record().clone(), log)
}

/// Checks the service with these collections. Returns the records at the end too.
async fn checked(numbers: Numbers, collections: Seeded<'_>) -> (Record, Tables, Vec<String>) {
    let tables = Arc::new(Mutex::new(seeded(numbers, collections)));
    let kept = Arc::clone(&tables);
    let respond = move |method: &Method, path: &str, body: &Bytes| {
        respond(numbers, &mut kept.lock().unwrap(), (method, path, body))
    };
    let (record, log) = judged(document(collections), respond).await;
    let tables = tables.lock().unwrap().clone();
    (record, tables, log)
}

#[tokio::test]
async fn what_is_created_beside_records_with_the_same_numbers_is_the_run_s_own() {
    for collections in [
        &[("authors", 9), ("books", 7), ("shops", 0), ("tags", 2)][..],
        &[("authors", 0), ("books", 0)],
    ] {
        let (record, tables, log) = checked(Numbers::Separately, collections).await;
        assert_eq!(tables, seeded(Numbers::Separately, collections), "{log:#?}");
        for (path, _) in collections {
            let is_of = |write: &&String| write.starts_with(&format!("DELETE /{path}/"));
            assert!(log.iter().filter(is_of).count() > 1, "{path}: {log:#?}");
        }
        assert!(
            record.findings.is_empty() && record.residue.is_empty(),
            "{:?}",
            record.findings
        );
    }
}

#[tokio::test]
async fn a_create_that_takes_over_a_record_of_another_list_is_not_believed() {
    let collections: Seeded<'_> = &[("admins", 6), ("members", 6)];
    let (_, _, log) = checked(Numbers::InOneTable, collections).await;
    assert!(log.iter().any(|write| write == "POST /members"), "{log:#?}");
    // The number that is expected next is read before, and the create returns another one.
    let to_others = ["/admins/12", "/members/6"];
    let written = log
        .iter()
        .find(|write| to_others.iter().any(|other| write.ends_with(other)));
    assert_eq!(written, None, "{log:#?}");
}

/// What a list hides by default, and a view of it shows, is somebody's, although a read by its number finds nothing.
#[tokio::test]
async fn a_number_that_another_view_of_the_collection_shows_stays_in_doubt() {
    let item = json!({"id": 1, "name": "Cancelled by somebody"});
    let of = |path: &str, schema: &str| {
        let document = document(&[("subscriptions", 0), ("others", 0)]);
        let cancelled = format!(
            "  {path}:\n    get: {{operationId: cancelled, responses: {{'200': {{description: OK, content: {{application/json: \
             {{schema: {{type: array, items: {schema}}}}}}}}}}}}}\n"
        );
        let (path, item) = (path.to_owned(), item.clone());
        let stored = Arc::new(Mutex::new(None));
        let respond = move |method: &Method, at: &str, body: &Bytes| {
            let mut stored = stored.lock().unwrap();
            let name = serde_json::from_slice::<Value>(body).map(|sent| sent["name"].clone());
            let name = name.ok().filter(Value::is_string);
            match (method.as_str(), at, name) {
                ("GET", "/subscriptions" | "/others", _) => axum::Json(json!([])).into_response(),
                ("GET", at, _) if at == path => axum::Json(json!([item])).into_response(),
                ("POST", "/subscriptions", Some(name)) => {
                    // The first is the one that is read, updated and deleted.
                    let record = json!({"id": if stored.is_some() { 2 } else { 1 }, "name": name});
                    stored.get_or_insert_with(|| record.clone());
                    (StatusCode::CREATED, axum::Json(record)).into_response()
                }
                ("GET", "/subscriptions/1", _) if stored.is_some() => axum::Json(stored.clone()).into_response(),
                ("PATCH", "/subscriptions/1", Some(name)) if stored.is_some() => {
                    *stored = Some(json!({"id": 1, "name": name}));
                    axum::Json(stored.clone()).into_response()
                }
                ("DELETE", "/subscriptions/1", _) if stored.take().is_some() => StatusCode::NO_CONTENT.into_response(),
                ("POST" | "PATCH", _, _) => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
                _ => StatusCode::NOT_FOUND.into_response(),
            }
        };
        let document = document + &cancelled;
        judged(document, respond)
    };
    let record = "{$ref: '#/components/schemas/Record'}";
    let other = "{type: object, properties: {id: {type: integer}, name: {type: string}}}";
    for (path, schema, is_view) in [
        ("/subscriptions/cancelled", record, true),
        ("/subscriptions/cancelled", other, true),
        ("/reports/cancelled", record, true),
        ("/reports/cancelled", other, false),
        ("/trash", other, true),
        ("/deleted-subscriptions", other, true),
        ("/admin/subscriptions", other, true),
        ("/subscription-types", other, false),
        ("/others/trash", other, false),
    ] {
        let (_, log) = of(path, schema).await;
        assert!(log.iter().any(|write| write == "POST /subscriptions"), "{log:#?}");
        let is_written = log.iter().any(|write| write == "PATCH /subscriptions/1");
        assert_eq!(is_written, !is_view, "{path} {schema} {log:#?}");
    }
}

/// Issues, and below each its comments.
fn issues_and_comments() -> String {
    let nested = |at: &str| {
        document(&[(at, 0)])
            .lines()
            .skip_while(|line| !line.starts_with("  /"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let comments = nested("issues/{issue}/comments").replace(
        "    get: {operationId: 'issues/{issue}/comments.list'",
        "    parameters: [{name: issue, in: path, required: true, schema: {type: integer}}]\n    get: {operationId: 'issues/{issue}/comments.list'",
    );
    let comments = comments.replace(
        "    parameters: [{name: id, in",
        "    parameters: [{name: issue, in: path, required: true, schema: {type: integer}}, {name: id, in",
    );
    document(&[("issues", 4)]) + &comments
}

/// What the service has at each path: records, and what else a path shows.
type Stored = BTreeMap<String, Value>;

/// Responds as a service that has the comments of all issues in one table.
fn respond_from(stored: &mut Stored, (method, path, body): (&Method, &str, &Bytes)) -> Response {
    let name = serde_json::from_slice::<Value>(body).map(|sent| sent["name"].clone());
    let name = name.ok().filter(Value::is_string);
    let is_collection = path.ends_with('s');
    let is_below = |at: &str| at.rsplit_once('/').is_some_and(|(above, _)| above == path);
    match (method.as_str(), is_collection, name) {
        ("GET", true, _) => {
            let items: Vec<_> = stored
                .iter()
                .filter(|(at, _)| is_below(at))
                .map(|(_, item)| item)
                .collect();
            axum::Json(items).into_response()
        }
        ("POST", true, Some(name)) => {
            let table = path.contains("comments");
            let numbers = stored.iter().filter(|(at, _)| at.contains("comments") == table);
            let next = numbers.filter_map(|(_, item)| item["id"].as_u64()).max().unwrap_or(0) + 1;
            let record = json!({"id": next, "name": name});
            stored.insert(format!("{path}/{next}"), record.clone());
            (StatusCode::CREATED, axum::Json(record)).into_response()
        }
        ("GET", false, _) if stored.contains_key(path) => axum::Json(&stored[path]).into_response(),
        ("PATCH", false, Some(name)) if stored.contains_key(path) => {
            stored.get_mut(path).unwrap()["name"] = name;
            axum::Json(&stored[path]).into_response()
        }
        ("DELETE", false, _) if stored.remove(path).is_some() => StatusCode::NO_CONTENT.into_response(),
        ("POST" | "PATCH", _, None) => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Checks issues and comments, with this addition to the document, and a list of what has the number of the next
/// comment at `/activity`. Returns the report, the writes, and whether all is as it was before.
async fn of_comments(addition: &str, next: u64) -> (Record, Vec<String>, bool) {
    let mut stored = Stored::new();
    let somebodys = |id: u64| json!({"id": id, "name": "Somebody's"});
    for id in 1..=4 {
        stored.insert(format!("/issues/{id}"), somebodys(id));
    }
    for id in next - 3..next {
        stored.insert(format!("/issues/4/comments/{id}"), somebodys(id));
    }
    stored.insert("/activity".to_owned(), json!([somebodys(next)]));
    let before = stored.clone();
    let stored = Arc::new(Mutex::new(stored));
    let kept = Arc::clone(&stored);
    let respond =
        move |method: &Method, path: &str, body: &Bytes| respond_from(&mut kept.lock().unwrap(), (method, path, body));
    let (record, log) = judged(issues_and_comments() + addition, respond).await;
    let is_as_before = *stored.lock().unwrap() == before;
    (record, log, is_as_before)
}

fn changes_a_comment(write: &str) -> bool {
    write.starts_with("PATCH") && write.contains("/comments/")
}

/// The comments of all issues are in one table, which counts from 1 like that of the issues; no list of an issue of the
/// run shows which number is next. But below such an issue nobody else has a comment.
#[tokio::test]
async fn a_number_below_a_record_of_the_run_is_its_own() {
    let (record, log, is_as_before) = of_comments("", 4).await;
    assert!(record.findings.is_empty(), "{:?}", record.findings);
    assert!(log.iter().any(|write| changes_a_comment(write)), "{log:#?}");
    assert!(is_as_before, "{log:#?}");
}

/// A list of any name may show the comments of others: by their fields. One with other fields shows other records.
#[tokio::test]
async fn a_number_below_a_record_of_the_run_stays_in_doubt_if_a_list_of_such_records_shows_it() {
    let other = "{type: object, properties: {id: {type: integer}, name: {type: string}}}";
    for (items, next, is_own) in [
        ("{$ref: '#/components/schemas/Record'}", 4, false),
        (other, 4, true),
        // A number as large as this is not that of another kind of record by chance.
        (other, 70_017, false),
    ] {
        let list = format!("schema: {{type: array, items: {items}}}");
        let list = format!("'200': {{description: OK, content: {{application/json: {{{list}}}}}}}");
        let addition = format!("  /activity:\n    get: {{operationId: activity, responses: {{{list}}}}}\n");
        let (_, log, _) = of_comments(&addition, next).await;
        assert!(log.iter().any(|write| write.ends_with("/comments")), "{log:#?}");
        assert_eq!(
            log.iter().any(|write| changes_a_comment(write)),
            is_own,
            "{items} {log:#?}"
        );
    }
}
