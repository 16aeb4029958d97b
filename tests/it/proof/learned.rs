//! What a check learns of a document without any of our keywords by trying: a body that a service can take, a record
//! that is still there.

use std::sync::Mutex;
use std::time::Duration;

use countersign::report::VerdictRecord;
use serde_json::{Value, json};

use super::small::{Seen, Small};
use crate::support::stub::{Received, Response, Stub};

/// A create and a read of todos, of which only the title is required.
const TODOS: &str = "  /todos:
    post:
      operationId: createTodo
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses:
        '201': {description: Todo, content: {application/json: {schema: {$ref: '#/components/schemas/Todo'}}}}
  /todos/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: readTodo
      responses:
        '200': {description: Todo, content: {application/json: {schema: {$ref: '#/components/schemas/Todo'}}}}
    put:
      operationId: replaceTodo
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses: {'204': {description: Replaced}}
components:
  schemas:
    New:
      type: object
      required: [title]
      properties: {title: {type: string}, note: {type: string}, geo: {type: string}}
    Todo: {type: object, required: [id, title], properties: {id: {type: integer}, title: {type: string}}}
";

/// Checks a service of todos that answers each body of a create or an update with the status of `taken`, and with this
/// text where it takes none.
async fn todos(taken: fn(&Value) -> (u16, &'static str)) -> Seen {
    let kept: &'static Mutex<Vec<Value>> = Box::leak(Box::default());
    let body = |call: &Received| serde_json::from_slice::<Value>(&call.body).unwrap();
    let mut table = Stub::table().on_each("POST", "/todos", move |call| match taken(&body(call)) {
        (201, _) => {
            let mut kept = kept.lock().unwrap();
            let record = json!({"id": kept.len() + 1, "title": body(call)["title"]});
            kept.push(record.clone());
            Response::json(201, &record)
        }
        (status, text) => Response::status(status).body(text),
    });
    for id in 1..=3 {
        let path = format!("/todos/{id}");
        table = table
            .on_each("GET", &path, move |_| {
                let kept = kept.lock().unwrap();
                kept.get(id - 1)
                    .map_or(Response::status(404), |record| Response::json(200, record))
            })
            .on_each("PUT", &path, move |call| match taken(&body(call)) {
                (201, _) => Response::status(204),
                (status, text) => Response::status(status).body(text),
            });
    }
    let mut small = Small::new(TODOS);
    small.scope.also_send.clear();
    small.settle = Duration::ZERO;
    small.check(table).await
}

/// The fields of the bodies that were sent, in the order of the calls.
fn fields(seen: &Seen, method: &str) -> Vec<Vec<String>> {
    let calls = seen.received.iter().filter(|call| call.method() == method);
    let bodies = calls.map(|call| serde_json::from_slice::<Value>(&call.body).unwrap());
    let sorted = bodies.map(|body| {
        let mut names: Vec<_> = body.as_object().unwrap().keys().cloned().collect();
        names.sort_unstable();
        names
    });
    sorted.collect()
}

#[tokio::test]
async fn a_failure_at_the_full_body_is_found_and_the_required_fields_decide_the_rest() {
    let fails = |body: &Value| {
        if body.get("geo").is_some() {
            (500, "")
        } else {
            (201, "")
        }
    };
    let seen = todos(fails).await;
    // No list shows the todo, so a second one shows that the create makes a new one each time.
    assert_eq!(
        fields(&seen, "POST"),
        [vec!["geo", "note", "title"], vec!["title"], vec!["title"]]
    );
    assert_eq!(fields(&seen, "PUT"), [vec!["geo", "note", "title"], vec!["title"]]);
    let failed = seen.of_rule("server-error");
    let failed: Vec<_> = failed.iter().map(|finding| finding.operation.as_str()).collect();
    assert_eq!(failed, ["createTodo", "replaceTodo"]);
    for fact in [
        "createTodo status: 201",
        "readTodo status: 200",
        "replaceTodo status: 204",
    ] {
        assert_eq!(seen.row(fact).verdict, VerdictRecord::Held, "{fact}");
    }
    let titles: Vec<_> = seen.received.iter().filter(|call| call.method() == "POST").collect();
    assert_ne!(titles[0].text(), titles[1].text(), "each record has a tag of its own");
}

#[tokio::test]
async fn a_field_that_is_missed_after_a_failure_comes_back() {
    let seen = todos(|body| match (body.get("geo"), body.get("note")) {
        (Some(_), _) => (500, ""),
        (None, None) => (422, r#"{"title": "invalid", "detail": "note is missing"}"#),
        (None, Some(_)) => (201, ""),
    })
    .await;
    let sent = fields(&seen, "POST");
    let to_the_first_success = [vec!["geo", "note", "title"], vec!["title"], vec!["note", "title"]];
    assert_eq!(sent[..3], to_the_first_success, "{sent:?}");
    assert_eq!(seen.row("readTodo status: 200").verdict, VerdictRecord::Held);
}

#[tokio::test]
async fn a_service_that_fails_at_every_body_is_asked_twice() {
    let seen = todos(|_| (500, "")).await;
    assert_eq!(fields(&seen, "POST").len(), 2);
    assert_eq!(seen.of_rule("server-error").len(), 1);
}

#[tokio::test]
async fn a_service_that_takes_the_full_body_is_sent_the_required_fields_as_a_variant_alone() {
    let seen = todos(|_| (201, "")).await;
    // The last one shows, before the update, that the create makes a new todo each time.
    let full = vec!["geo", "note", "title"];
    assert_eq!(fields(&seen, "POST"), [full.clone(), vec!["title"], full]);
    assert_eq!(fields(&seen, "PUT"), [vec!["geo", "note", "title"]]);
    assert!(seen.record.findings.is_empty(), "{:?}", seen.record.findings);
}

/// Two lists, one below the records of the other, and what they show by identifier.
const PETS: &str = "  /owners:
    get:
      operationId: listOwners
      responses: {'200': {description: Owners, content: {application/json: {schema: {$ref: '#/components/schemas/Records'}}}}}
  /owners/{owner}:
    parameters: [{$ref: '#/components/parameters/owner'}]
    get:
      operationId: readOwner
      parameters: [{name: verbose, in: query, schema: {type: boolean}}]
      responses: {'200': {description: Owner, content: {application/json: {schema: {$ref: '#/components/schemas/Record'}}}}}
  /owners/{owner}/pets:
    parameters: [{$ref: '#/components/parameters/owner'}]
    get:
      operationId: listPets
      responses: {'200': {description: Pets, content: {application/json: {schema: {$ref: '#/components/schemas/Records'}}}}}
  /owners/{owner}/pets/{pet}:
    parameters: [{$ref: '#/components/parameters/owner'}, {name: pet, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: readPet
      responses: {'200': {description: Pet, content: {application/json: {schema: {$ref: '#/components/schemas/Record'}}}}}
components:
  parameters: {owner: {name: owner, in: path, required: true, schema: {type: integer}}}
  schemas:
    Record: {type: object, required: [id], properties: {id: {type: integer}}}
    Records: {type: array, items: {$ref: '#/components/schemas/Record'}}
";

/// A service of four owners, of which those with these numbers may be read, each with two pets.
async fn owners(readable: &'static [u64]) -> Seen {
    let record = |id: u64| json!({ "id": id });
    let list = (1..=4).map(record).collect::<Value>();
    let mut table = Stub::table().on("GET", "/owners", Response::json(200, &list));
    for owner in readable.iter().copied() {
        let pets = [owner * 10 + 1, owner * 10 + 2];
        let list = pets.map(record).into_iter().collect::<Value>();
        let path = format!("/owners/{owner}");
        table = table.on("GET", &path, Response::json(200, &record(owner))).on(
            "GET",
            &format!("{path}/pets"),
            Response::json(200, &list),
        );
        for pet in pets {
            table = table.on("GET", &format!("{path}/pets/{pet}"), Response::json(200, &record(pet)));
        }
    }
    let small = Small::new(PETS).reading();
    small.check(table).await
}

fn to_owners(seen: &Seen) -> Vec<String> {
    let calls = seen.calls().into_iter();
    let below = calls.filter_map(|call| call.strip_prefix("GET /owners/").map(str::to_owned));
    below.collect()
}

#[tokio::test]
async fn another_listed_record_is_read_where_one_is_not_there_and_all_that_follows_is_under_it() {
    let seen = owners(&[1, 4]).await;
    for fact in ["readOwner status: 200", "listPets status: 200", "readPet status: 200"] {
        assert_eq!(
            seen.row(fact).verdict,
            VerdictRecord::Held,
            "{fact}: {:?}",
            seen.calls()
        );
    }
    assert!(seen.record.findings.is_empty(), "{:?}", seen.record.findings);
    let calls = to_owners(&seen);
    let plain: Vec<_> = calls.iter().filter(|call| !call.contains(['/', '?'])).collect();
    assert_eq!(plain, ["3", "2", "1"], "{calls:?}");
    let pets: Vec<_> = calls.iter().filter(|call| call.contains("pets/")).collect();
    assert_eq!(pets, ["1/pets/12"], "{calls:?}");
    let optional: Vec<_> = calls.iter().filter(|call| call.contains('?')).collect();
    assert!(
        optional.iter().all(|call| call.starts_with("1?")) && !optional.is_empty(),
        "{calls:?}"
    );
}

#[tokio::test]
async fn three_listed_records_are_read_and_no_more() {
    let seen = owners(&[4]).await;
    assert_eq!(seen.row("readOwner status: 200").verdict, VerdictRecord::Undecided);
    assert_eq!(seen.row("readPet status: 200").verdict, VerdictRecord::Undecided);
    let unchecked = seen.of_rule("unchecked-operation").len();
    assert_eq!(seen.record.findings.len(), unchecked, "{:?}", seen.record.findings);
    let calls = to_owners(&seen);
    let plain: Vec<_> = calls.iter().filter(|call| !call.contains(['/', '?'])).collect();
    assert_eq!(plain, ["3", "2", "1"], "{calls:?}");
}

#[tokio::test]
async fn a_listed_record_that_is_there_is_the_only_one_that_is_read() {
    let seen = owners(&[1, 2, 3]).await;
    let calls = to_owners(&seen);
    assert!(calls.iter().all(|call| call.starts_with('3')), "{calls:?}");
    assert!(calls.contains(&"3/pets/32".to_owned()), "{calls:?}");
}
