//! An operation without a single judged success is named in every report, and a run without any such success says what
//! to look at.

use std::time::Duration;

use countersign::plan::Shard;
use countersign::report::{
    Coverage, Outcome, Record, Styling, Terminal, Verbosity, VerdictRecord, github, html, json, junit, markdown, merge,
    read, sarif,
};
use countersign::rules::Level;
use serde_json::json;

use super::small::{Seen, Small, THINGS};
use crate::support::stub::{Response, Stub, Table};

const RULE: &str = "unchecked-operation";
const REASON: &str = "no response of getThings had a value for `id`";

/// A sound service whose list shows nothing.
fn empty() -> Table {
    Stub::table().on("GET", "/things", Response::json(200, &json!([])))
}

/// A sound service with a record.
fn whole() -> Table {
    let thing = |id: &str| Response::json(200, &json!({ "id": id }));
    Stub::table()
        .on("GET", "/things", Response::json(200, &json!([{"id": "a"}])))
        .on("POST", "/things", Response::json(201, &json!({"id": "b"})))
        .on("GET", "/things/a", thing("a"))
        .on("GET", "/things/b", thing("b"))
}

fn coverage(record: &Record) -> Vec<(&str, Coverage)> {
    let operations = record.operations.iter();
    operations
        .map(|operation| (operation.name.as_str(), operation.coverage))
        .collect()
}

fn verdict(record: &Record) -> String {
    let terminal = Terminal {
        styling: Styling::Plain,
        verbosity: Verbosity::Quiet,
        width: None,
    };
    terminal.report(record)
}

#[tokio::test]
async fn an_operation_that_no_value_was_found_for_is_a_warning_and_named_in_the_verdict() {
    let seen = Small::new(THINGS).reading().check(empty()).await;
    assert_eq!(seen.record.outcome, Outcome::Conforms);
    let findings = seen.of_rule(RULE);
    assert_eq!(findings.len(), 1, "{:?}", seen.record.findings);
    assert_eq!(
        (
            findings[0].operation.as_str(),
            findings[0].level,
            findings[0].received.as_str()
        ),
        ("getThing", Level::Warn, format!("none: {REASON}").as_str())
    );
    let reproduce = &findings[0].reproduce;
    assert!(
        reproduce.starts_with("countersign check --base-url 'http://127.0.0.1:"),
        "{reproduce}"
    );
    assert!(reproduce.ends_with("' --only 'getThing'"), "{reproduce}");
    let words =
        format!(" conforms in 1 of 3 operations: 1 warning; getThing was not checked: {REASON}; 1 was not selected\n");
    assert!(verdict(&seen.record).ends_with(&words), "{}", verdict(&seen.record));
}

#[tokio::test]
async fn a_service_that_shows_everything_is_reported_as_ever() {
    for (small, words) in [
        (Small::new(THINGS), " conforms\n"),
        (
            Small::new(THINGS).reading(),
            " conforms in 2 of 3 operations; 1 was not selected\n",
        ),
    ] {
        let seen = small.check(whole()).await;
        assert!(seen.record.findings.is_empty(), "{:?}", seen.record.findings);
        assert!(verdict(&seen.record).ends_with(words), "{}", verdict(&seen.record));
    }
}

#[tokio::test]
async fn the_rule_can_be_denied_and_allowed_as_any_other() {
    let leveled = async |level| {
        let mut small = Small::new(THINGS).reading();
        small.levels = vec![(RULE, level)];
        small.check(empty()).await.record
    };
    let denied = leveled(Level::Deny).await;
    assert_eq!(denied.outcome, Outcome::DoesNotConform);
    assert!(
        verdict(&denied).contains("; getThing was not checked: "),
        "{}",
        verdict(&denied)
    );
    let allowed = leveled(Level::Allow).await;
    assert!(allowed.findings.is_empty());
    assert!(
        verdict(&allowed).ends_with(" conforms in 1 of 3 operations; 1 was not selected\n"),
        "{}",
        verdict(&allowed)
    );
}

#[tokio::test]
async fn a_write_that_is_named_and_may_not_be_sent_is_reported() {
    let mut small = Small::new(THINGS).reading();
    small.scope.only = vec![small.contract.operation_named("createThing").unwrap()];
    let seen = small.check(whole()).await;
    let findings = seen.of_rule(RULE);
    assert_eq!(findings.len(), 1, "{:?}", seen.record.findings);
    assert_eq!(
        (findings[0].operation.as_str(), findings[0].received.as_str()),
        ("createThing", "none: needs writes, which are off")
    );
    // Who only read gets no line that writes.
    assert!(!findings[0].reproduce.contains("--writes"), "{}", findings[0].reproduce);
    assert_ne!(seen.record.outcome, Outcome::Conforms);
}

#[tokio::test]
async fn a_run_that_checked_none_of_what_it_was_asked_for_is_not_green() {
    // Its list was checked, because it needs a value of it.
    let mut small = Small::new(THINGS).reading();
    small.scope.only = vec![small.contract.operation_named("getThing").unwrap()];
    let seen = small.check(empty()).await;
    assert!(seen.record.facts.held > 0, "{:?}", seen.record.facts);
    assert_eq!(seen.record.outcome, Outcome::CouldNotJudge);
    let reason = format!("getThing was not checked: {REASON}");
    assert_eq!(seen.record.reason.as_deref(), Some(reason.as_str()));
    let seen = small.check(whole()).await;
    assert_eq!(seen.record.outcome, Outcome::Conforms, "{:?}", seen.record.findings);

    // What it does with an identifier that names no record is decided, and shows nothing of its responses.
    let (_, paths) = THINGS.split_once("  /things/{id}:").unwrap();
    let alone = Small::new(&format!(
        "  # With x-edge-cases as for any document.\n  /things/{{id}}:{paths}"
    ))
    .reading();
    let seen = alone.check(Stub::table()).await;
    assert!(seen.record.facts.held > 0, "{:?}", seen.record.facts);
    assert_eq!(seen.record.outcome, Outcome::CouldNotJudge);
    let reason = seen.record.reason.unwrap();
    assert!(
        reason.starts_with("getThing was not checked: neither a link"),
        "{reason}"
    );
}

#[tokio::test]
async fn what_was_left_out_is_not_in_scope() {
    let id = |small: &Small, name| small.contract.operation_named(name).unwrap();
    let mut skipping = Small::new(THINGS).reading();
    skipping.scope.skip = vec![id(&skipping, "getThing")];
    let mut only = Small::new(THINGS).reading();
    only.scope.only = vec![id(&only, "getThings")];
    for small in [skipping, only] {
        let seen = small.check(empty()).await;
        assert!(seen.record.findings.is_empty(), "{:?}", seen.record.findings);
        assert_eq!(
            coverage(&seen.record),
            [
                ("getThings", Coverage::Checked),
                ("createThing", Coverage::NotSelected),
                ("getThing", Coverage::NotSelected)
            ]
        );
    }
}

#[tokio::test]
async fn what_is_never_sent_is_reported_where_it_could_have_been() {
    let delete = "    delete:
      operationId: deleteThing
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'204': {description: Gone}}
";
    let paths = format!("{THINGS}{delete}");
    let writing = Small::new(&paths).check(whole()).await;
    let reported = writing.of_rule(RULE);
    assert_eq!(reported.len(), 1, "{:?}", writing.record.findings);
    assert_eq!(reported[0].received, "none: needs cleanup, which is off");
    assert!(
        reported[0].reproduce.starts_with("countersign check "),
        "no line deletes: {}",
        reported[0].reproduce
    );
    assert!(
        reported[0].reproduce.contains(" --writes "),
        "{}",
        reported[0].reproduce
    );
    let reading = Small::new(&paths).reading().check(whole()).await;
    assert!(reading.of_rule(RULE).is_empty());
}

#[tokio::test]
async fn a_rejection_throughout_is_reported_with_its_status_and_its_request() {
    let rejecting = Stub::table()
        .on("GET", "/things", Response::json(200, &json!([{"id": "a"}])))
        .on("GET", "/things/a", Response::json(200, &json!({"id": "a"})))
        .on("POST", "/things", Response::status(422));
    let seen = Small::new(THINGS).check(rejecting).await;
    let reported = seen.of_rule(RULE);
    assert_eq!(reported.len(), 1, "{:?}", seen.record.findings);
    assert_eq!(
        reported[0].received,
        "none: rejected with 422, perhaps because of a gap in the document"
    );
    assert!(reported[0].reproduce.starts_with("curl ") && reported[0].exchange.is_some());
}

#[tokio::test]
async fn every_report_names_what_was_not_checked() {
    let seen = Small::new(THINGS).reading().check(empty()).await;
    let record = read(json(&seen.record).as_bytes()).unwrap();
    for (name, report) in [
        ("junit", junit(&record)),
        ("sarif", sarif(&record)),
        ("github", github(&record)),
        ("markdown", markdown(&record)),
        ("html", html(&record)),
        ("terminal", verdict(&record)),
    ] {
        let plain = report
            .replace("&#x60;", "`")
            .replace("%60", "`")
            .replace("<code>", "")
            .replace("</code>", "");
        assert!(
            plain.contains("getThing") && plain.contains("no response of getThings had"),
            "{name}: {report}"
        );
    }
    assert!(
        markdown(&record).contains("conforms in 1 of 3 operations"),
        "{}",
        markdown(&record)
    );
    assert!(html(&record).contains("conforms in 1 of 3 operations"));
}

#[tokio::test]
async fn an_operation_that_another_shard_had_a_success_of_is_checked() {
    let sharded = async |number, table: Table| {
        let mut small = Small::new(THINGS);
        small.scope.shard = Shard::new(number, 3).ok();
        let mut record = small.check(table).await.record;
        "https://api.example.com".clone_into(&mut record.target);
        (number.to_string(), record)
    };
    // In one shard everything is there; in the others the list and the creates are rejected for now.
    let busy = || {
        Stub::table()
            .on("GET", "/things", Response::status(429).header("retry-after", "0"))
            .on("POST", "/things", Response::status(422))
    };
    let mut records = Vec::new();
    for number in 1..=3 {
        let small = {
            let mut small = Small::new(THINGS);
            small.scope.shard = Shard::new(number, 3).ok();
            small
        };
        let reads = small
            .plan()
            .in_scope
            .contains(&small.contract.operation_named("getThing").unwrap());
        let table = if reads { whole() } else { busy() };
        records.push(sharded(number, table).await);
    }
    let unchecked = |record: &Record| record.findings.iter().filter(|finding| finding.rule == RULE).count();
    let apart: usize = records.iter().map(|(_, record)| unchecked(record)).sum();
    let whole = merge(records, None).unwrap();
    let checked = coverage(&whole)
        .into_iter()
        .filter(|(_, coverage)| *coverage == Coverage::Checked);
    assert_eq!(checked.count(), 3, "{:?}", coverage(&whole));
    assert!(unchecked(&whole) == 0 && apart <= 2, "{apart}: {:?}", whole.findings);
}

/// What a check says of a target that answers everything so.
async fn everywhere(response: Response) -> Seen {
    // Who never ends a response is waited for.
    let timeout = Duration::from_secs(if response.is_complete() { 10 } else { 1 });
    let (list, read, create) = (response.clone(), response.clone(), response);
    let table = Stub::table()
        .on("GET", "/things", list)
        .on("GET", "/things/a", read)
        .on("POST", "/things", create);
    let small = Small {
        timeout,
        ..Small::new(THINGS)
    };
    small.check(table).await
}

#[tokio::test]
async fn a_run_without_any_success_could_not_judge_and_says_what_to_look_at() {
    let page = Response::status(200)
        .header("content-type", "text/html")
        .body("<html>Who are you?</html>");
    for (response, why, findings) in [
        (
            Response::status(404),
            "every path returns 404: is the base URL, with its prefix, right?",
            true,
        ),
        (
            Response::status(400),
            "every response is 400: is the base URL that of this service",
            true,
        ),
        (
            Response::status(302).header("location", "/login"),
            "every response is a redirect",
            true,
        ),
        (
            page,
            "every successful response is something other than JSON, such as a web page: is there a login",
            true,
        ),
        (
            Response::status(500),
            "every response is a 5xx: is the service behind this address up?",
            true,
        ),
        (
            Response::status(401),
            "every response is 401 or 403, and the contract asks for no token",
            false,
        ),
        (
            Response::json(200, &json!({})).unfinished(),
            "no complete response came in time (timeout)",
            true,
        ),
    ] {
        let seen = everywhere(response).await;
        let reason = seen.record.reason.clone().unwrap_or_default();
        assert!(reason.starts_with(why), "{why}: {reason}");
        assert_eq!(
            (seen.record.outcome, seen.record.exit_code),
            (Outcome::CouldNotJudge, 3),
            "{why}"
        );
        assert_eq!(
            !seen.record.findings.is_empty(),
            findings,
            "{why}: {:?}",
            seen.record.findings
        );
        assert!(seen.of_rule(RULE).is_empty(), "the reason says it of all");
    }
}

#[tokio::test]
async fn a_service_that_answers_badly_with_its_success_does_not_conform() {
    let broken =
        |media: &'static str, body: &'static str| Response::status(200).header("content-type", media).body(body);
    for response in [
        broken("application/json", "[[["),
        broken("application/json", "7"),
        broken("text/plain", "[]"),
        Response::status(200),
    ] {
        let seen = everywhere(response).await;
        assert_eq!(seen.record.outcome, Outcome::DoesNotConform, "{:?}", seen.record.reason);
    }
}

#[tokio::test]
async fn one_success_among_failures_is_a_verdict() {
    let table = Stub::table().on("GET", "/things", Response::json(200, &json!([{"id": "a"}])));
    let seen = Small::new(THINGS).reading().check(table).await;
    assert_eq!(seen.record.outcome, Outcome::DoesNotConform);
    assert_eq!(seen.row("getThing status: 200").verdict, VerdictRecord::Broken);
    assert!(seen.of_rule(RULE).is_empty(), "the broken status says it");
}

/// A list that only administrators may read, and something that every caller may read.
const ADMINISTERED: &str = "  /users:
    get:
      operationId: listUsers
      x-page: {parameter: page, items: /items, page: /page, per_page: /per_page, total: /total, last_page: /last_page, id: /id}
      parameters: [{name: page, in: query, schema: {type: integer, default: 1}}]
      responses:
        '200':
          description: Users
          content:
            application/json:
              schema:
                type: object
                properties:
                  page: {type: integer}
                  per_page: {type: integer}
                  total: {type: integer}
                  last_page: {type: integer}
                  items: {type: array, items: {type: object, properties: {id: {type: string}}}}
  /size:
    get:
      operationId: readSize
      responses: {'200': {description: Size, content: {application/json: {schema: {type: object, properties: {size: {type: integer}}}}}}}
";

#[tokio::test]
async fn a_list_that_is_forbidden_does_not_end_the_run_before_another_read_was_tried() {
    let table = |size: Response| {
        Stub::table()
            .on("GET", "/users", Response::status(403))
            .on("GET", "/size", size)
    };
    let allowed = table(Response::json(200, &json!({"size": 1})));
    let seen = Small::new(ADMINISTERED).check(allowed).await;
    assert_eq!(seen.row("readSize /size: integer").verdict, VerdictRecord::Held);
    let seen = Small::new(ADMINISTERED).check(table(Response::status(403))).await;
    assert_eq!(seen.record.exit_code, 3);
    assert!(seen.count("GET /size") > 0);
}
