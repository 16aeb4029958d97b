//! Edge cases, including fields of another type: what is sent, once and last; what is found if a service
//! fails on one; what is left behind.

use std::collections::{BTreeSet, HashSet};

use axum::body::Bytes;
use countersign::report::{FactRow, FindingRecord, Outcome, VerdictRecord};
use http::Method;
use serde_json::Value;

use super::call::{Call, Payload, Reply};
use super::checked::{Check, Checked, described};
use super::deviating::Deviation;
use crate::support::{sampled, tried};

/// How many edge cases the contract has for the nine operations: pages, identifiers, bodies.
const EDGE_CASES: usize = 6 * 4 + 2 * 2 + (9 * 5 - 3) + OF_FIELDS;
/// How many of them have a field of another type: of the 20 of a contact, twice, of the 5 of a contact method, the 3 of
/// a visit and the 2 of a tag, a text in four other types, any other in three.
const OF_FIELDS: usize = 2 * (12 * 4 + 8 * 3) + (4 * 4 + 3) + 3 * 4 + 2 * 4;
/// The writing operations.
const WRITES: [&str; 5] = [
    "createContact", "updateContact", "createContactMethod", "createVisit", "createTag",
];

/// Every edge case of this operation; of all where everything is tried.
fn every_edge_case_of(operation: &'static str) -> Check {
    Check {
        every_edge_case: true,
        ..Check::concerning(operation)
    }
}

fn asks_for_an_edge_case_page(call: &Call) -> bool {
    let query = call.uri.query();
    query.is_some_and(|query| call.page().is_none_or(|page| page == 0 || page > 1_000_000) || query.contains('&'))
}

fn beyond_ascii(call: &Call) -> bool {
    String::from_utf8_lossy(&call.bytes).contains("Ωμέγα")
}

/// The type that the document gives a request field.
fn documented(field: &str) -> &'static str {
    match field {
        "/contact_methods" | "/included_channels" | "/tags" => "array",
        "/contact_methods/*" | "/date_of_birth" => "object",
        "/date_of_birth/day" | "/date_of_birth/month" | "/date_of_birth/year" => "integer",
        _ => "string",
    }
}

/// The fields of an operation's request, as the document lists them.
fn fields(operation: &str) -> &'static [&'static str] {
    match operation {
        "createContactMethod" => &[
            "/contact", "/included_channels", "/included_channels/*", "/status", "/type",
        ],
        "createVisit" => &["/contact_id", "/datetime", "/venue_id"],
        "createTag" => &["/color", "/name"],
        _ => &[
            "/contact_methods",
            "/contact_methods/*",
            "/contact_methods/*/contact",
            "/contact_methods/*/status",
            "/contact_methods/*/type",
            "/country_of_residence",
            "/date_of_birth",
            "/date_of_birth/day",
            "/date_of_birth/month",
            "/date_of_birth/year",
            "/dob",
            "/firstname",
            "/gender",
            "/included_channels",
            "/included_channels/*",
            "/lastname",
            "/nationality",
            "/tags",
            "/tags/*",
            "/venue_id",
        ],
    }
}

/// The fields of an operation's request, each with each type that it is sent in and that is not its own, in order.
fn in_other_types(operation: &str) -> Vec<(String, &'static str)> {
    let pairs = fields(operation).iter().flat_map(|field| {
        let types: &[_] = match documented(field) {
            "string" => &["boolean", "integer", "null", "object"],
            _ => &["boolean", "null", "string"],
        };
        types.iter().map(|kind| ((*field).to_owned(), *kind))
    });
    pairs.collect()
}

/// The type of a value in a request.
fn received(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::Bool(_) => "boolean",
        Value::Null => "null",
        Value::Number(_) => "integer",
        Value::Object(_) => "object",
        Value::String(_) => "string",
    }
}

/// The fields of a request that are of another type than the documented one, each with the type that it is of.
fn of_another_type(call: &Call) -> Vec<(String, &'static str)> {
    fn collect(value: &Value, at: &str, found: &mut Vec<(String, &'static str)>) {
        if !at.is_empty() && received(value) != documented(at) {
            return found.push((at.to_owned(), received(value)));
        }
        match value {
            Value::Array(elements) => elements
                .iter()
                .for_each(|element| collect(element, &format!("{at}/*"), found)),
            Value::Object(members) => members
                .iter()
                .for_each(|(name, member)| collect(member, &format!("{at}/{name}"), found)),
            _ => {}
        }
    }
    let (mut found, body) = (Vec::new(), call.body());
    if call.is_write() && body.is_object() {
        collect(&body, "", &mut found);
    }
    found
}

/// The row of an operation's fact on edge cases.
fn row<'checked>(checked: &'checked Checked, operation: &str, stated: &str) -> &'checked FactRow {
    let name = format!("{operation} edge cases: {stated}");
    let mut rows = checked.record.facts.rows.iter();
    rows.find(|row| row.fact == name).unwrap()
}

fn findings(checked: &Checked) -> Vec<String> {
    checked.record.findings.iter().map(described).collect()
}

/// The finding of a check that has one.
#[track_caller]
fn only(checked: &Checked) -> &FindingRecord {
    match checked.record.findings.as_slice() {
        [finding] => finding,
        _ => panic!("{:?}", findings(checked)),
    }
}

#[tokio::test]
async fn each_edge_case_is_sent_once_and_after_all_others_writes_last() {
    let checked = Check::WHOLE.undisturbed().await;
    let first = checked.calls.iter().position(asks_for_an_edge_case_page).unwrap();
    let (edge_cases, behind) = checked.calls.get(first..).unwrap().split_at(EDGE_CASES);
    // What comes after them makes the updated record plain again, and looks through the lists for what the run left.
    let (restored, account) = behind.split_first().unwrap();
    assert!(restored.is("updateContact") && of_another_type(restored).is_empty());
    assert!(
        account
            .iter()
            .all(|call| !call.is_write() && !asks_for_an_edge_case_page(call))
    );
    assert!(edge_cases.iter().all(Call::is_authorized));
    let pages = edge_cases.get(..24).unwrap();
    assert!(pages.iter().all(asks_for_an_edge_case_page));
    assert!(edge_cases.iter().skip(24).all(Call::is_write));
    let different: HashSet<_> = edge_cases
        .iter()
        .map(|call| (&call.method, &call.uri, &call.bytes))
        .collect();
    assert_eq!(different.len(), EDGE_CASES);
}

#[tokio::test]
async fn each_list_is_asked_for_six_edge_case_pages() {
    let checked = Check::WHOLE.undisturbed().await;
    for list in ["getContacts", "getVenues", "getVisits", "getTags"] {
        let calls = checked.calls.iter().filter(|call| call.is(list));
        let pages: Vec<_> = calls
            .filter(|call| asks_for_an_edge_case_page(call))
            .filter_map(|call| call.uri.query())
            .collect();
        let expected = [
            "page=0",
            "page=-1",
            "page=1000000000000000000",
            "page=countersign",
            "page=1&page=2",
            "page=",
        ];
        assert_eq!(pages, expected, "{list}");
    }
}

#[tokio::test]
async fn each_write_is_sent_nine_edge_case_bodies_but_where_awkward_names_are_beyond_ascii() {
    let checked = Check::WHOLE.undisturbed().await;
    let first = checked.calls.iter().position(asks_for_an_edge_case_page).unwrap();
    for operation in WRITES {
        let calls = checked.calls.iter().skip(first).filter(|call| call.is(operation));
        let text = |call: &Call| String::from_utf8(call.bytes.to_vec()).unwrap();
        let read = |text: &str| serde_json::from_str::<Value>(text);
        let bodies: Vec<_> = calls.map(text).collect();
        for (what, is) in [
            ("empty", (|text, _| text.is_empty()) as fn(&str, Option<Value>) -> bool),
            ("not JSON", |text, read| {
                !text.is_empty() && read.is_none() && !text.contains("[[")
            }),
            ("an array", |_, read| read.is_some_and(|read| read.is_array())),
            ("a number", |_, read| read.is_some_and(|read| read.is_number())),
            ("a string", |_, read| read.is_some_and(|read| read.is_string())),
            ("deep", |text, _| text.starts_with(&"[".repeat(1_000))),
            ("long", |text, read| {
                read.is_some_and(|read| read.is_object()) && text.len() > 10_000
            }),
            ("control characters", |text, read| {
                read.is_some_and(|read| read.is_object()) && text.contains(r"\u0000") && text.contains(r"\u001b")
            }),
            ("beyond ASCII", |text, read| {
                read.is_some_and(|read| read.is_object()) && !text.is_ascii()
            }),
        ] {
            let such = bodies.iter().filter(|text| is(text, read(text).ok())).count();
            let instead =
                what == "beyond ASCII" && matches!(operation, "createContact" | "createContactMethod" | "createTag");
            assert_eq!(such, usize::from(!instead), "{operation}: {what}");
        }
    }
}

#[tokio::test]
async fn each_field_is_sent_in_each_other_type_one_at_a_time_with_every_seed() {
    for seed in (1..=3).take(tried(1, 3)) {
        let check = Check { seed, ..Check::WHOLE };
        let checked = check.undisturbed().await;
        let own = checked.record.residue[0].id.clone().unwrap();
        for operation in WRITES {
            let mut sent = Vec::new();
            for call in checked.calls.iter().filter(|call| call.is(operation)) {
                let found = of_another_type(call);
                assert!(found.len() <= 1, "{operation}: {found:?}");
                // The rest is the body that was accepted, and an update goes to the run's own record.
                if operation == "updateContact" && !found.is_empty() {
                    assert!(call.body().as_object().unwrap().len() > 5, "{found:?}");
                    assert!(call.uri.path().contains(&own), "{}", call.uri);
                }
                sent.extend(found);
            }
            sent.sort();
            assert_eq!(sent, in_other_types(operation), "{operation}, seed {seed}");
        }
    }
}

#[tokio::test]
async fn a_service_that_fails_on_every_field_of_another_type_is_found_at_each() {
    let failing = Deviation::none().answering(|call| (!of_another_type(call).is_empty()).then(|| Reply::empty(500)));
    // What a create fails on may have been stored.
    let check = Check {
        max_writes: 300,
        ..Check::WHOLE
    };
    let checked = check.run(failing).await;
    assert_eq!(checked.record.findings.len(), WRITES.len(), "{:?}", findings(&checked));
    for operation in WRITES {
        let fact = format!("{operation} edge cases: no 5xx");
        let finding = checked.denied().find(|finding| finding.fact == fact).unwrap();
        let count = u64::try_from(in_other_types(operation).len()).unwrap();
        assert_eq!(finding.count, count, "{operation}");
    }
}

#[tokio::test]
async fn a_service_that_fails_on_a_field_of_another_type_is_found_by_kind_and_operation() {
    let kinds = [
        ("integer", "500 in response to a number in `/"),
        ("object", "500 in response to an object in `/"),
        ("boolean", "500 in response to true in `/"),
        ("null", "500 in response to null in `/"),
        ("string", "500 in response to a string in `/"),
    ];
    for (kind, wanted) in sampled(4, kinds) {
        let failing = Deviation::none().answering(move |call| {
            let of_this = of_another_type(call).iter().any(|(_, received)| *received == kind);
            of_this.then(|| Reply::empty(500))
        });
        let checked = Check::WHOLE.run(failing).await;
        assert_eq!(checked.outcome(), Outcome::DoesNotConform, "{kind}");
        let found: HashSet<_> = checked.denied().map(|finding| finding.fact.clone()).collect();
        // All fields of a visit and of a tag are texts.
        let have_others = ["createContact", "updateContact", "createContactMethod"];
        let failing = WRITES
            .iter()
            .filter(|operation| kind != "string" || have_others.contains(operation));
        let expected: HashSet<_> = failing
            .map(|operation| format!("{operation} edge cases: no 5xx"))
            .collect();
        assert_eq!(found, expected, "{kind}");
        assert!(
            checked.denied().all(|finding| finding.received.starts_with(wanted)),
            "{kind}: {:?}",
            findings(&checked)
        );
    }
}

#[tokio::test]
async fn a_service_that_fails_on_one_field_of_one_other_type_is_found_with_any_seed() {
    let pairs = [
        ("updateContact", "/date_of_birth/month", "string", "a string"),
        ("updateContact", "/tags", "boolean", "true"),
        ("createContact", "/date_of_birth", "null", "null"),
        ("createContact", "/dob", "integer", "a number"),
        ("createContact", "/included_channels/*", "object", "an object"),
        ("createContactMethod", "/contact", "boolean", "true"),
        ("createVisit", "/datetime", "integer", "a number"),
        ("createTag", "/color", "null", "null"),
    ];
    for (seed, (operation, field, kind, expected)) in sampled(4, (1..).zip(pairs)) {
        let deviation = Deviation::none().answering(move |call| {
            let is_it = call.is(operation) && of_another_type(call).contains(&(field.to_owned(), kind));
            is_it.then(|| Reply::empty(500))
        });
        let check = Check {
            seed,
            ..every_edge_case_of(operation)
        };
        let checked = check.run(deviation).await;
        let [finding] = checked.record.findings.as_slice() else {
            panic!("{operation} {field}: {:?}", findings(&checked));
        };
        assert_eq!(finding.fact, format!("{operation} edge cases: no 5xx"), "{field}");
        assert_eq!(finding.received, format!("500 in response to {expected} in `{field}`"));
    }
}

#[tokio::test]
async fn a_service_that_lets_in_any_type_is_left_with_one_such_record_of_each_create() {
    let lax = Deviation::none().answering(|call| {
        let creates = call.method == Method::POST && !of_another_type(call).is_empty();
        creates.then(|| Reply::json(201, serde_json::json!({"message": "made", "data": {"id": "edge"}})))
    });
    let checked = Check::WHOLE.run(lax).await;
    assert_eq!(checked.outcome(), Outcome::Conforms, "{:?}", findings(&checked));
    let let_in: Vec<_> = checked
        .calls
        .iter()
        .filter(|call| call.method == Method::POST && !of_another_type(call).is_empty())
        .filter_map(|call| WRITES.into_iter().find(|operation| call.is(operation)))
        .collect();
    let each: HashSet<_> = let_in.iter().collect();
    assert_eq!((let_in.len(), each.len()), (4, 4), "{let_in:?}");
    assert!(checked.record.residue.len() <= 20, "{:?}", checked.record.residue.len());
    // What was not sent is not held.
    let full = "a field of another type was accepted, and max-writes 20 allows no more such records";
    for operation in WRITES {
        let reason = row(&checked, operation, "no 5xx").reason.as_deref();
        assert_eq!(reason, (operation != "updateContact").then_some(full), "{operation}");
    }
}

#[tokio::test]
async fn the_same_seed_sends_the_same_identifiers_and_another_seed_others() {
    let unknown = |checked: &Checked| {
        let own = checked.record.residue[0].id.clone().unwrap();
        let updates = checked.calls.iter().filter(|call| call.is("updateContact"));
        let paths = updates.map(|call| call.uri.path().to_owned());
        paths
            .filter(|path| !path.to_lowercase().contains(&own))
            .collect::<Vec<_>>()
    };
    let with_seed = |seed| Check {
        seed,
        ..every_edge_case_of("updateContact")
    };
    let first = unknown(&*with_seed(1).undisturbed().await);
    assert_eq!(first.len(), 2);
    assert_eq!(unknown(&with_seed(1).run(Deviation::none()).await), first);
    assert_ne!(unknown(&*with_seed(2).undisturbed().await), first);
}

#[tokio::test]
async fn a_list_that_fails_on_edge_case_pages_alone_gives_one_finding_with_a_count() {
    let failing = Deviation::none().replied(|call, reply| {
        if call.is("getTags") && asks_for_an_edge_case_page(call) {
            *reply = Reply::empty(500);
        }
    });
    let checked = every_edge_case_of("getTags").run(failing).await;
    assert_eq!(checked.outcome(), Outcome::DoesNotConform);
    let finding = only(&checked);
    assert_eq!(
        (finding.rule.as_str(), finding.fact.as_str(), finding.count),
        ("server-error", "getTags edge cases: no 5xx", 6)
    );
    assert_eq!(finding.contract_pointer, "/x-edge-cases");
    assert_eq!(finding.received, "500 in response to `page` 0");
    assert!(
        finding.reproduce.ends_with("/organization/v1/tags?page=0'"),
        "{}",
        finding.reproduce
    );
}

#[tokio::test]
async fn whatever_else_an_edge_case_gets_is_no_finding() {
    let statuses = [201, 401, 302, 404, 200, 204, 400, 403, 405, 413, 414, 418, 422, 431];
    for status in statuses.into_iter().take(tried(2, 14)) {
        let moved = Deviation::none().answering(move |call| {
            let edge_case_write =
                call.is_write() && (!call.body().is_object() || call.bytes.len() > 10_000 || beyond_ascii(call));
            let edge_case_write = edge_case_write || !of_another_type(call).is_empty();
            (edge_case_write || asks_for_an_edge_case_page(call))
                .then(|| Reply::text(status, "text/html", "<h1>Edge</h1>"))
        });
        let checked = Check {
            max_writes: 100,
            ..Check::WHOLE
        }
        .run(moved)
        .await;
        assert_eq!(
            checked.outcome(),
            Outcome::Conforms,
            "{status}: {:?}",
            findings(&checked)
        );
        assert!(checked.record.findings.is_empty(), "{status}: {:?}", findings(&checked));
        // Who is not let in shows nothing of the edge case.
        let row = row(&checked, "getTags", "no 5xx");
        let reason = match status {
            401 => Some("rejected with 401: the credential is missing or was not accepted"),
            403 => Some("rejected with 403: the token may lack permission for this operation"),
            _ => None,
        };
        assert_eq!(row.reason.as_deref(), reason, "{status}");
    }
}

#[tokio::test]
async fn a_service_that_fails_anyway_is_sent_no_edge_cases() {
    let failing = Deviation::none().answering(|call| call.is("getTags").then(|| Reply::empty(500)));
    let checked = every_edge_case_of("getTags").run(failing).await;
    let tags = checked.calls.iter().filter(|call| call.is("getTags"));
    assert!(!tags.into_iter().any(asks_for_an_edge_case_page));
    let row = row(&checked, "getTags", "no 5xx");
    assert_eq!(
        row.reason.as_deref(),
        Some("another fact that this one depends on is broken")
    );
    assert!(checked.denied().all(|finding| !finding.fact.contains("edge cases")));
}

#[tokio::test]
async fn an_operation_that_asks_for_time_until_the_end_is_sent_no_more_edge_cases() {
    let throttled = Deviation::none().answering(|call| {
        let is_edge_case = call.is("getTags") && asks_for_an_edge_case_page(call);
        is_edge_case.then(|| Reply::empty(429).with(http::header::RETRY_AFTER, "0"))
    });
    let checked = every_edge_case_of("getTags").run(throttled).await;
    assert_eq!(checked.outcome(), Outcome::Conforms);
    let edge_cases = checked
        .calls
        .iter()
        .filter(|call| call.is("getTags") && asks_for_an_edge_case_page(call));
    let queries: HashSet<_> = edge_cases.filter_map(|call| call.uri.query()).collect();
    assert_eq!(queries, HashSet::from(["page=0"]));
    assert_eq!(row(&checked, "getTags", "no 5xx").verdict, VerdictRecord::Undecided);
}

#[tokio::test]
async fn an_edge_case_write_without_a_response_is_residue_and_the_last_one_of_its_operation() {
    let lossy = Deviation::none().replied(|call, reply| {
        let deep = call.bytes.starts_with(b"[[");
        if call.is("createTag") && deep {
            reply.body = Payload::Cut(Bytes::from_static(b"{"));
        }
    });
    let checked = every_edge_case_of("createTag").run(lossy).await;
    let finding = only(&checked);
    assert_eq!(finding.rule, "unfinished-answer");
    assert_eq!(finding.fact, "createTag edge cases: complete response");
    assert!(
        finding.received.ends_with("that was to a body of 1,000 levels"),
        "{}",
        finding.received
    );
    let tags = checked.calls.iter().filter(|call| call.is("createTag"));
    assert!(tags.last().unwrap().bytes.starts_with(b"[["));
    let lost = checked.record.residue.iter().filter(|left| !left.answered);
    assert_eq!(
        lost.map(|left| left.operation.as_str()).collect::<Vec<_>>(),
        ["createTag"]
    );
    let reason = row(&checked, "createTag", "no 5xx").reason.clone();
    assert_eq!(reason.as_deref(), Some("no complete response came"));
}

#[tokio::test]
async fn what_an_edge_case_create_or_update_leaves_is_residue() {
    let lax = Deviation::none().answering(|call| {
        let unknown = call.method == Method::PUT && call.uri.path().contains("no-identifier");
        let empty = call.is("createTag") && call.bytes.is_empty();
        let body = serde_json::json!({"data": {"id": "t-17"}});
        (unknown || empty).then(|| Reply::json(201, body))
    });
    let checked = Check::WHOLE.run(lax).await;
    let residue: Vec<_> = checked
        .record
        .residue
        .iter()
        .filter_map(|left| Some((left.operation.as_str(), left.id.as_deref()?)))
        .collect();
    assert!(residue.contains(&("createTag", "t-17")), "{residue:?}");
    let made = residue.iter().find(|(operation, _)| *operation == "updateContact");
    assert!(
        made.is_some_and(|(_, id)| id.starts_with("no-identifier-")),
        "{residue:?}"
    );
    let made_up = checked.record.residue.iter().filter(|left| left.id_made_up);
    let made_up: BTreeSet<_> = made_up.map(|left| left.operation.as_str()).collect();
    assert_eq!(made_up, BTreeSet::from(["updateContact"]));
}

#[tokio::test]
async fn without_room_for_more_records_the_invariant_is_undecided_and_says_so() {
    for (most, left) in sampled(2, [(5, 5), (6, 5), (8, 6)]) {
        let check = Check {
            max_writes: most,
            ..Check::WHOLE
        };
        let checked = check.undisturbed().await;
        assert_eq!(checked.outcome(), Outcome::Conforms);
        assert_eq!(checked.record.residue.len(), left);
        let reason = row(&checked, "createTag", "no 5xx").reason.clone();
        let full = format!("max-writes {most} was reached");
        assert_eq!(reason.as_deref(), (most == 5).then_some(&*full));
        assert_eq!(row(&checked, "getTags", "no 5xx").verdict, VerdictRecord::Held);
    }
}

#[tokio::test]
async fn with_room_every_operation_withstands_its_edge_cases() {
    let checked = Check::WHOLE.undisturbed().await;
    let rows = checked.record.facts.rows.iter();
    let edge_cases: Vec<_> = rows.filter(|row| row.fact.contains(" edge cases: ")).collect();
    assert_eq!(edge_cases.len(), 18);
    assert!(
        edge_cases.iter().all(|row| row.verdict == VerdictRecord::Held),
        "{edge_cases:?}"
    );
}
