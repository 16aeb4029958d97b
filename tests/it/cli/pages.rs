//! `--max-pages`: how far a list is walked, and what is reported about the rest.

use std::io::Write as _;

use serde_json::Value;

use super::stub::{Received, Stub, json, sound};
use super::support::{check, countersign};
use super::target::Target;

fn reason(report: &Value, fact: &str) -> Value {
    let rows = report["facts"]["rows"].as_array().unwrap();
    rows.iter().find(|row| row["fact"] == fact).expect(fact)["reason"].clone()
}

const TOTAL: &str = "getTags pages /data/total: equals the number of items on all pages";

#[test]
fn a_list_longer_than_the_bound_leaves_its_total_undecided_and_says_so() {
    let target = Target::sound();
    let (ended, report) = check(&target.url(), &["--max-pages", "1"]).report();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(reason(&report, TOTAL), "the list has more pages than max-pages 1");
    assert!(
        ended.stdout.contains("the list has more pages than max-pages 1"),
        "{ended:?}"
    );
    let (_, report) = check(&target.url(), &["--max-pages", "2"]).report();
    assert_eq!(reason(&report, TOTAL), Value::Null);
}

#[test]
fn what_is_created_is_found_by_a_run_that_walks_two_pages() {
    let call = countersign(&["check", "--seed", "1", "--max-pages", "2"]);
    let (ended, report) = call.report();
    assert_eq!(ended.code, 0, "{ended:?}");
    for (create, list) in [
        ("createTag", "getTags"),
        ("createVisit", "getVisits"),
        ("createContact", "getContacts"),
    ] {
        assert_eq!(
            reason(&report, &format!("{create} created: listed in {list}")),
            Value::Null
        );
    }
}

/// A list of tags that says of itself that it has a million pages.
fn endless(request: &Received) -> String {
    if !request.head.contains("/tags") || !request.authorized() {
        return sound(request);
    }
    let asked = request
        .head
        .split_once("page=")
        .map_or("1", |(_, page)| page.split(' ').next().unwrap());
    let tag = format!(r#"{{"id":"t-{asked}","name":"regular"}}"#);
    let numbers = format!(r#""per_page":1,"page":{asked},"total":1000000,"last_page":1000000"#);
    json("200 OK", &format!(r#"{{"data":{{{numbers},"items":[{tag}]}}}}"#))
}

/// Whether the request asks for no page that a list has.
fn is_edge_case(head: &str) -> bool {
    let target = head.split(' ').nth(1).unwrap_or_default();
    let page = target.split_once("page=").map(|(_, page)| page.parse::<u32>());
    page.is_some_and(|page| !page.is_ok_and(|page| page > 0))
}

#[test]
fn a_list_without_end_costs_no_more_pages_than_the_bound() {
    for (arguments, most) in [(&["--max-pages", "7"][..], 7), (&["--max-pages", "1"], 1), (&[], 200)] {
        let target = Stub::start(|request, stream| stream.write_all(endless(request).as_bytes()));
        let (ended, report) = check(&target.url(), arguments).report();
        assert_eq!(ended.code, 0, "{ended:?}");
        let reported = format!("the list has more pages than max-pages {most}");
        assert_eq!(reason(&report, TOTAL), reported);
        let received = target.received();
        let pages = received
            .iter()
            .filter(|request| request.head.contains("/tags") && request.authorized() && !is_edge_case(&request.head));
        assert_eq!(pages.count(), most, "{arguments:?}");
    }
}

#[test]
fn no_pages_at_all_cannot_be_meant() {
    for pages in ["0", "-1", "many"] {
        let ended = check("http://127.0.0.1:9", &["--max-pages", pages]).run();
        let message = ended.is_one_error(2);
        assert!(message.contains("--max-pages"), "{message}");
    }
}
