//! Reads that take what a create shows: they come after it, prefer a record of this run, and the plan says where the
//! check takes each value from.

use std::sync::Mutex;
use std::time::Duration;

use countersign::contract::operation::OperationId;
use countersign::plan::{Action, StandInOrigin};
use countersign::report::{Outcome, VerdictRecord};
use serde_json::json;

use super::small::{Small, THINGS};
use crate::support::stub::{Response, Stub, Table};

const STATUS: &str = "getThing status: 200";

fn thing(id: &str) -> Response {
    Response::json(200, &json!({ "id": id }))
}

/// A service whose list shows a record of somebody else, and whose creates are answered by `created`.
fn service(created: Response) -> Table {
    Stub::table()
        .on("GET", "/things", Response::json(200, &json!([{"id": "listed"}])))
        .on("POST", "/things", created)
        .on("GET", "/things/listed", thing("listed"))
}

fn created() -> Response {
    Response::json(201, &json!({"id": "own"}))
}

#[tokio::test]
async fn a_read_by_the_id_of_a_created_record_is_sent_after_it() {
    let seen = Small::new(THINGS)
        .check(service(created()).on("GET", "/things/own", thing("own")))
        .await;
    let calls = seen.calls();
    let place = |call: &str| calls.iter().position(|other| other == call);
    assert!(
        place("POST /things").is_some() && place("POST /things") < place("GET /things/own"),
        "{calls:?}"
    );
    assert_eq!(
        seen.count("GET /things/listed"),
        0,
        "an own record goes first: {calls:?}"
    );
    assert_eq!(seen.row(STATUS).verdict, VerdictRecord::Held);
    assert_eq!(seen.record.outcome, Outcome::Conforms, "{:?}", seen.record.findings);
}

#[tokio::test]
async fn a_listed_record_is_read_where_no_create_showed_one() {
    let rejected = Small::new(THINGS).check(service(Response::status(422))).await;
    let reading = Small::new(THINGS).reading().check(service(created())).await;
    for seen in [rejected, reading] {
        assert_eq!(seen.count("GET /things/listed"), 1, "{:?}", seen.calls());
        assert_eq!(seen.row(STATUS).verdict, VerdictRecord::Held);
    }
}

#[tokio::test]
async fn a_created_record_may_be_there_a_little_later_and_not_much_later() {
    let late = [Response::status(404), Response::status(404), thing("own")];
    let seen = Small::new(THINGS)
        .check(service(created()).on_in_turn("GET", "/things/own", late.into()))
        .await;
    // It is read back once more, to see whether it shows what was sent.
    assert_eq!(seen.count("GET /things/own"), 4);
    assert!(seen.record.findings.is_empty(), "{:?}", seen.record.findings);
    let seen = Small::new(THINGS).check(service(created())).await;
    let findings = seen.of_rule("status");
    assert_eq!(findings.len(), 1, "{:?}", seen.record.findings);
    assert_eq!((findings[0].operation.as_str(), findings[0].count), ("getThing", 1));
}

#[tokio::test]
async fn a_read_that_breaks_a_fact_of_a_created_record_is_found() {
    let seen = Small::new(THINGS)
        .check(service(created()).on("GET", "/things/own", Response::json(200, &json!({"id": 7}))))
        .await;
    assert_eq!(seen.of_rule("wrong-type")[0].fact, "getThing /id: string");
}

#[test]
fn the_plan_says_where_the_check_takes_each_value() {
    let names = |small: &Small, ids: &[OperationId]| {
        let names = ids.iter().map(|id| small.contract.operation(*id).name.clone());
        names.collect::<Vec<_>>()
    };
    for (small, own, listed, action) in [
        (
            Small::new(THINGS),
            vec!["createThing"],
            vec!["getThings"],
            Action::ReadCreated,
        ),
        (Small::new(THINGS).reading(), vec![], vec!["getThings"], Action::Read),
    ] {
        let reported = small.describe();
        let read = reported
            .iter()
            .find(|step| small.contract.operation(step.sends).name == "getThing");
        let read = read.unwrap();
        let source = &read.needs[0];
        assert_eq!(read.step.action, action);
        assert_eq!(
            (names(&small, &source.creates), names(&small, &source.reads)),
            (
                own.into_iter().map(str::to_owned).collect(),
                listed.into_iter().map(str::to_owned).collect()
            )
        );
        assert_eq!(source.stand_in, None);
    }
}

#[tokio::test]
async fn what_the_plan_cannot_fill_is_not_called_and_both_give_one_reason() {
    let alone = &THINGS[THINGS.find("  /things/{id}:").unwrap()..];
    let create = THINGS.split("    post:\n").nth(1).unwrap();
    let created_alone = format!("  /things:\n    post:\n{create}");
    let skipped = |mut small: Small, operation: &str| {
        small.scope.skip = vec![small.contract.operation_named(operation).unwrap()];
        small
    };
    for (small, reason) in [
        (
            Small::new(alone),
            "neither a link nor an example in the contract gives its `id`; set one in the configuration, for the \
             operation or for every `id` (`[parameters]`)",
        ),
        (
            Small::new(&created_alone).reading(),
            "getThing needs a value for `id`, and createThing is not called before it",
        ),
        (
            skipped(Small::new(&created_alone), "createThing"),
            "getThing needs a value for `id`, and createThing is not called before it",
        ),
    ] {
        assert_eq!(small.not_called("getThing").as_deref(), Some(reason));
        let read = small.contract.operation_named("getThing").unwrap();
        let decided = small.describe().into_iter().flat_map(|step| step.facts);
        let of_the_read = decided.filter(|fact| small.contract.fact(*fact).operation == read);
        assert_eq!(of_the_read.count(), 0, "{reason}");
        let seen = small.check(service(created())).await;
        assert_eq!(seen.reason(STATUS), reason);
        assert!(!seen.calls().iter().any(|call| call.starts_with("GET /things/")));
    }
}

#[tokio::test]
async fn an_example_is_shown_as_one_and_taken() {
    let alone = &THINGS[THINGS.find("  /things/{id}:").unwrap()..];
    let small = Small::new(&alone.replacen("required: true,", "required: true, example: shown,", 1));
    assert_eq!(small.describe()[0].needs[0].stand_in, Some(StandInOrigin::Example));
    let seen = small
        .check(Stub::table().on("GET", "/things/shown", thing("shown")))
        .await;
    assert_eq!(seen.row(STATUS).verdict, VerdictRecord::Held);
}

#[tokio::test]
async fn a_create_that_takes_what_such_a_read_shows_comes_after_it() {
    let more = "  /parts:
    post:
      operationId: createPart
      parameters: [{name: owner, in: header, required: true, schema: {type: string, pattern: '^o'}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {'201': {description: Part}}
";
    let linked = THINGS.replacen(
        "          description: Thing
          content: {application/json: {schema: {type: object, required",
        "          description: Thing
          links: {Part: {operationId: createPart, parameters: {owner: '$response.body#/owner'}}}
          content: {application/json: {schema: {type: object, required",
        1,
    );
    let own = Response::json(200, &json!({"id": "own", "owner": "o-1"}));
    let table = service(created())
        .on("GET", "/things/own", own)
        .on("POST", "/parts", Response::status(201));
    let seen = Small::new(&format!("{linked}{more}")).check(table).await;
    let part = seen.received.iter().find(|call| call.path() == "/parts");
    assert_eq!(part.unwrap().header("owner"), ["o-1"], "{:?}", seen.calls());
}

#[tokio::test]
async fn a_list_within_another_record_is_walked_once_that_is_known() {
    let list = |name: &str, path: &str, more: &str| {
        format!(
            "  {path}:
    get:
      operationId: {name}
      x-page: {{parameter: page, page: /page, per_page: /per_page, total: /total, last_page: /last_page, items: /items, id: /id}}
      parameters: [{{name: page, in: query, schema: {{type: integer}}}}{more}]
      responses:
        '200':
          description: a
          content: {{application/json: {{schema: {{type: object}}}}}}
          links: {{It: {{operationId: getParts, parameters: {{id: '$response.body#/items/0/id'}}}}}}
"
        )
    };
    let parts = list(
        "getParts",
        "/things/{id}/parts",
        ", {name: id, in: path, required: true, schema: {type: string}}",
    );
    let parts = parts.split("          links:").next().unwrap().to_owned();
    let small = Small::new(&(parts + &list("getThings", "/things", "")));
    let page = |id: &str| {
        let body = json!({"page": 1, "per_page": 2, "total": 1, "last_page": 1, "items": [{"id": id}]});
        Response::json(200, &body)
    };
    let table = Stub::table()
        .on("GET", "/things", page("a"))
        .on("GET", "/things/a/parts", page("p"));
    let seen = small.check(table).await;
    assert!(seen.count("GET /things/a/parts") >= 1, "{:?}", seen.calls());
    assert!(seen.record.findings.is_empty(), "{:?}", seen.record.findings);
}

#[tokio::test]
async fn probes_of_such_a_read_go_to_the_created_record_too() {
    let guarded = format!(
        "{THINGS}components: {{securitySchemes: {{t: {{type: http, scheme: bearer}}}}}}\nsecurity: [{{t: []}}]\n"
    );
    let asked = std::sync::Arc::new(Mutex::new(Vec::new()));
    let seen_by = std::sync::Arc::clone(&asked);
    let right = format!("Bearer {}", super::call::TOKEN);
    let own = move |call: &crate::support::stub::Received| {
        let sent = call.header("authorization").first().map(|value| (*value).to_owned());
        seen_by.lock().unwrap().push(sent.clone());
        if sent.as_ref() == Some(&right) {
            thing("own")
        } else {
            Response::status(401).header("www-authenticate", "Bearer")
        }
    };
    let mut small = Small::new(&guarded);
    small.settle = Duration::ZERO;
    let seen = small.check(service(created()).on_each("GET", "/things/own", own)).await;
    assert_eq!(
        seen.row("getThing auth: a request without a credential is rejected")
            .verdict,
        VerdictRecord::Held
    );
    assert!(asked.lock().unwrap().contains(&None));
}
