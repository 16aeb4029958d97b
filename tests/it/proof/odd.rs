//! Odd requests (law 8), fields of another type among them: what is sent, once and last; what is found when a service falls over one; what is left.

use std::collections::HashSet;

use axum::body::Bytes;
use countersign::report::{FactRow, Outcome, VerdictRecord};
use http::Method;
use serde_json::Value;

use super::call::{Call, Payload, Reply};
use super::checked::{Check, Checked, told};
use super::deviating::Deviation;

/// How many odd requests the contract has for the nine operations: pages, identifiers, bodies.
const ODD: usize = 6 * 4 + 2 * 2 + (9 * 5 - 3) + OF_FIELDS;
/// How many of them have a field of another type: each field of an operation in one wrong type, some of the update in a
/// second one, and each type in some field.
const OF_FIELDS: usize = UPDATED + (20 + 5 + 4 + 4);
/// How many of these the update has.
const UPDATED: usize = 30;
/// How many fields it has.
const FIELDS: usize = 20;
/// The writing operations.
const WRITES: [&str; 5] = [
    "createContact",
    "updateContact",
    "createContactMethod",
    "createVisit",
    "createTag",
];

fn asks_for_an_odd_page(call: &Call) -> bool {
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

/// The row of an operation's fact on odd requests.
fn row<'checked>(checked: &'checked Checked, operation: &str, stated: &str) -> &'checked FactRow {
    let name = format!("{operation} odd requests: {stated}");
    let mut rows = checked.record.facts.rows.iter();
    rows.find(|row| row.fact == name).unwrap()
}

fn findings(checked: &Checked) -> Vec<String> {
    checked.record.findings.iter().map(told).collect()
}

#[tokio::test]
async fn each_odd_request_is_sent_once_and_after_all_others_writes_last() {
    let checked = Check::default().run(Deviation::none()).await;
    let first = checked.calls.iter().position(asks_for_an_odd_page).unwrap();
    let (odd, behind) = checked.calls.get(first..).unwrap().split_at(ODD);
    // What comes after them makes the updated record plain again, and looks through the lists for what the run left.
    let (restored, account) = behind.split_first().unwrap();
    assert!(restored.is("updateContact") && of_another_type(restored).is_empty());
    assert!(
        account
            .iter()
            .all(|call| !call.is_write() && !asks_for_an_odd_page(call))
    );
    assert!(odd.iter().all(Call::is_authorized));
    let pages = odd.get(..24).unwrap();
    assert!(pages.iter().all(asks_for_an_odd_page));
    assert!(odd.iter().skip(24).all(Call::is_write));
    let different: HashSet<_> = odd.iter().map(|call| (&call.method, &call.uri, &call.bytes)).collect();
    assert_eq!(different.len(), ODD);
}

#[tokio::test]
async fn each_list_is_asked_for_six_odd_pages() {
    let checked = Check::default().run(Deviation::none()).await;
    for list in ["getContacts", "getVenues", "getVisits", "getTags"] {
        let calls = checked.calls.iter().filter(|call| call.is(list));
        let odd: Vec<_> = calls
            .filter(|call| asks_for_an_odd_page(call))
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
        assert_eq!(odd, expected, "{list}");
    }
}

#[tokio::test]
async fn each_write_is_sent_nine_odd_bodies_but_where_awkward_names_are_beyond_ascii() {
    let checked = Check::default().run(Deviation::none()).await;
    let first = checked.calls.iter().position(asks_for_an_odd_page).unwrap();
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
async fn each_field_of_an_update_is_sent_in_a_wrong_type_one_at_a_time() {
    let checked = Check::default().run(Deviation::none()).await;
    let own = checked.record.residue[0].id.clone().unwrap();
    let mut sent = Vec::new();
    for call in checked.calls.iter().filter(|call| call.is("updateContact")) {
        let found = of_another_type(call);
        assert!(found.len() <= 1, "{found:?}");
        // The rest is the body that was accepted, and it goes to the run's own record.
        assert!(
            found.is_empty() || call.body().as_object().unwrap().len() > 5,
            "{found:?}"
        );
        assert!(found.is_empty() || call.uri.path().contains(&own), "{}", call.uri);
        sent.extend(found);
    }
    let different: HashSet<_> = sent.iter().collect();
    assert_eq!((different.len(), sent.len()), (UPDATED, UPDATED));
    let kinds: HashSet<_> = sent.iter().map(|(_, kind)| *kind).collect();
    assert_eq!(kinds, HashSet::from(["integer", "object", "string", "boolean", "null"]));
    let fields: HashSet<_> = sent.iter().map(|(field, _)| field).collect();
    assert_eq!(fields.len(), FIELDS);
}

#[tokio::test]
async fn each_create_is_sent_each_field_in_one_wrong_type_of_the_seed() {
    let sent = async |seed| {
        let checked = Check {
            seed,
            ..Check::default()
        }
        .run(Deviation::none())
        .await;
        WRITES.map(|operation| {
            let calls = checked.calls.iter().filter(|call| call.is(operation));
            calls.flat_map(of_another_type).collect::<Vec<_>>()
        })
    };
    let first = sent(1).await;
    let counts: Vec<_> = first.iter().map(Vec::len).collect();
    assert_eq!(counts, [20, UPDATED, 5, 4, 4]);
    let tags: HashSet<_> = first[4].iter().map(|(_, kind)| *kind).collect();
    assert_eq!(tags, HashSet::from(["integer", "object", "boolean", "null"]));
    let second = sent(2).await;
    assert!((0..5).any(|index| first[index] != second[index]), "{second:?}");
}

#[tokio::test]
async fn a_service_that_fails_on_a_field_of_another_type_is_found_by_kind_and_operation() {
    for (kind, told) in [
        ("integer", "500 to a number as `/"),
        ("object", "500 to an object as `/"),
        ("string", "500 to a text as `/"),
        ("boolean", "500 to true as `/"),
        ("null", "500 to null as `/"),
    ] {
        let failing = Deviation::none().answering(move |call| {
            let of_this = of_another_type(call).iter().any(|(_, received)| *received == kind);
            of_this.then(|| Reply::empty(500))
        });
        let checked = Check::default().run(failing).await;
        assert_eq!(checked.outcome(), Outcome::DoesNotConform, "{kind}");
        let found: HashSet<_> = checked.denied().map(|finding| finding.fact.clone()).collect();
        // All fields of a visit and of a tag are texts.
        let have_others = ["createContact", "updateContact", "createContactMethod"];
        let failing = WRITES
            .iter()
            .filter(|operation| kind != "string" || have_others.contains(operation));
        let expected: HashSet<_> = failing
            .map(|operation| format!("{operation} odd requests: no 5xx"))
            .collect();
        assert_eq!(found, expected, "{kind}");
        assert!(
            checked.denied().all(|finding| finding.received.starts_with(told)),
            "{kind}: {:?}",
            findings(&checked)
        );
    }
}

#[tokio::test]
async fn a_service_that_fails_on_one_field_of_another_type_is_found() {
    for (operation, failing) in [
        ("updateContact", "/date_of_birth/month"),
        ("createContact", "/date_of_birth"),
        ("createContact", "/dob"),
        ("createContact", "/included_channels"),
        ("createContact", "/venue_id"),
        ("createContactMethod", "/contact"),
        ("createVisit", "/datetime"),
    ] {
        let deviation = Deviation::none().answering(move |call| {
            let mut found = of_another_type(call).into_iter();
            (call.is(operation) && found.any(|(field, _)| field == failing)).then(|| Reply::empty(500))
        });
        let checked = Check::default().run(deviation).await;
        let [finding] = checked.record.findings.as_slice() else {
            panic!("{operation} {failing}: {:?}", findings(&checked));
        };
        assert_eq!(finding.fact, format!("{operation} odd requests: no 5xx"), "{failing}");
        assert!(finding.received.starts_with("500 to "), "{}", finding.received);
        let named = format!(" as `{failing}`");
        assert!(finding.received.ends_with(&named), "{}", finding.received);
    }
}

#[tokio::test]
async fn a_service_that_lets_in_any_type_is_left_with_one_such_record_of_each_create() {
    let lax = Deviation::none().answering(|call| {
        let creates = call.method == Method::POST && !of_another_type(call).is_empty();
        creates.then(|| Reply::json(201, serde_json::json!({"message": "made", "data": {"id": "odd"}})))
    });
    let checked = Check::default().run(lax).await;
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
    let full = "a field of another type was accepted, and max-writes 20 leaves room for no more such records";
    for operation in WRITES {
        let reason = row(&checked, operation, "no 5xx").reason.as_deref();
        assert_eq!(reason, (operation != "updateContact").then_some(full), "{operation}");
    }
}

#[tokio::test]
async fn the_same_seed_sends_the_same_identifiers_and_another_seed_others() {
    let unknown = async |seed| {
        let checked = Check {
            seed,
            ..Check::default()
        }
        .run(Deviation::none())
        .await;
        let own = checked.record.residue[0].id.clone().unwrap();
        let updates = checked.calls.iter().filter(|call| call.is("updateContact"));
        let paths = updates.map(|call| call.uri.path().to_owned());
        paths
            .filter(|path| !path.to_lowercase().contains(&own))
            .collect::<Vec<_>>()
    };
    let first = unknown(1).await;
    assert_eq!(first.len(), 2);
    assert_eq!(unknown(1).await, first);
    assert_ne!(unknown(2).await, first);
}

#[tokio::test]
async fn a_list_that_fails_on_odd_pages_alone_gives_one_finding_with_a_count() {
    let failing = Deviation::none().told(|call, reply| {
        if call.is("getTags") && asks_for_an_odd_page(call) {
            *reply = Reply::empty(500);
        }
    });
    let checked = Check::default().run(failing).await;
    assert_eq!(checked.outcome(), Outcome::DoesNotConform);
    let [finding] = checked.record.findings.as_slice() else {
        panic!("{:?}", findings(&checked));
    };
    assert_eq!(
        (finding.rule.as_str(), finding.fact.as_str(), finding.count),
        ("server-error", "getTags odd requests: no 5xx", 6)
    );
    assert_eq!(finding.contract_pointer, "/x-odd");
    assert_eq!(finding.received, "500 to `page` 0");
    assert!(
        finding.reproduce.ends_with("/organization/v1/tags?page=0'"),
        "{}",
        finding.reproduce
    );
}

#[tokio::test]
async fn whatever_else_an_odd_request_gets_is_no_finding() {
    for status in [200, 201, 204, 302, 400, 401, 403, 404, 405, 413, 414, 418, 422, 431] {
        let moved = Deviation::none().answering(move |call| {
            let odd_write =
                call.is_write() && (!call.body().is_object() || call.bytes.len() > 10_000 || beyond_ascii(call));
            let odd_write = odd_write || !of_another_type(call).is_empty();
            (odd_write || asks_for_an_odd_page(call)).then(|| Reply::text(status, "text/html", "<h1>Odd</h1>"))
        });
        let checked = Check {
            max_writes: 100,
            ..Check::default()
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
        // Who is not let in shows nothing of the oddity.
        let row = row(&checked, "getTags", "no 5xx");
        let reason = matches!(status, 401 | 403).then(|| format!("the token was refused with {status}"));
        assert_eq!(row.reason.as_deref(), reason.as_deref(), "{status}");
    }
}

#[tokio::test]
async fn a_service_that_fails_anyway_is_sent_no_odd_requests() {
    let failing = Deviation::none().answering(|call| call.is("getTags").then(|| Reply::empty(500)));
    let checked = Check::default().run(failing).await;
    let tags = checked.calls.iter().filter(|call| call.is("getTags"));
    assert!(!tags.into_iter().any(asks_for_an_odd_page));
    let row = row(&checked, "getTags", "no 5xx");
    assert_eq!(
        row.reason.as_deref(),
        Some("the answer broke a fact that this one rests on")
    );
    assert!(checked.denied().all(|finding| !finding.fact.contains("odd")));
}

#[tokio::test]
async fn an_operation_that_asks_for_time_until_the_end_is_sent_no_more_odd_requests() {
    let throttled = Deviation::none().answering(|call| {
        let odd = call.is("getTags") && asks_for_an_odd_page(call);
        odd.then(|| Reply::empty(429).with(http::header::RETRY_AFTER, "0"))
    });
    let checked = Check::default().run(throttled).await;
    assert_eq!(checked.outcome(), Outcome::Conforms);
    let odd = checked
        .calls
        .iter()
        .filter(|call| call.is("getTags") && asks_for_an_odd_page(call));
    let queries: HashSet<_> = odd.filter_map(|call| call.uri.query()).collect();
    assert_eq!(queries, HashSet::from(["page=0"]));
    assert_eq!(row(&checked, "getTags", "no 5xx").verdict, VerdictRecord::Undecided);
}

#[tokio::test]
async fn an_odd_write_without_an_answer_is_residue_and_the_last_one_of_its_operation() {
    let lossy = Deviation::none().told(|call, reply| {
        let deep = call.bytes.starts_with(b"[[");
        if call.is("createTag") && deep {
            reply.body = Payload::Cut(Bytes::from_static(b"{"));
        }
    });
    let checked = Check::default().run(lossy).await;
    let [finding] = checked.record.findings.as_slice() else {
        panic!("{:?}", findings(&checked));
    };
    assert_eq!(finding.rule, "unfinished-answer");
    assert_eq!(finding.fact, "createTag odd requests: complete answer");
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
    assert_eq!(reason.as_deref(), Some("no complete answer came"));
}

#[tokio::test]
async fn what_an_odd_create_or_update_leaves_is_residue() {
    let lax = Deviation::none().answering(|call| {
        let unknown = call.method == Method::PUT && call.uri.path().contains("no-identifier");
        let empty = call.is("createTag") && call.bytes.is_empty();
        let body = serde_json::json!({"data": {"id": "t-odd"}});
        (unknown || empty).then(|| Reply::json(201, body))
    });
    let checked = Check::default().run(lax).await;
    let residue: Vec<_> = checked
        .record
        .residue
        .iter()
        .filter_map(|left| Some((left.operation.as_str(), left.id.as_deref()?)))
        .collect();
    assert!(residue.contains(&("createTag", "t-odd")), "{residue:?}");
    let made = residue.iter().find(|(operation, _)| *operation == "updateContact");
    assert!(
        made.is_some_and(|(_, id)| id.starts_with("no-identifier-")),
        "{residue:?}"
    );
}

#[tokio::test]
async fn without_room_for_more_records_the_law_is_undecided_and_says_so() {
    for (most, left) in [(5, 5), (6, 5), (8, 6)] {
        let check = Check {
            max_writes: most,
            ..Check::default()
        };
        let checked = check.run(Deviation::none()).await;
        assert_eq!(checked.outcome(), Outcome::Conforms);
        assert_eq!(checked.record.residue.len(), left);
        let reason = row(&checked, "createTag", "no 5xx").reason.clone();
        let full = format!("max-writes {most} was reached");
        assert_eq!(reason.as_deref(), (most == 5).then_some(&*full));
        assert_eq!(row(&checked, "getTags", "no 5xx").verdict, VerdictRecord::Held);
    }
}

#[tokio::test]
async fn with_room_every_operation_withstands_its_odd_requests() {
    let checked = Check::default().run(Deviation::none()).await;
    let rows = checked.record.facts.rows.iter();
    let odd: Vec<_> = rows.filter(|row| row.fact.contains(" odd requests: ")).collect();
    assert_eq!(odd.len(), 18);
    assert!(odd.iter().all(|row| row.verdict == VerdictRecord::Held), "{odd:?}");
}
