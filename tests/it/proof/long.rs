//! Lists longer than `--max-pages`: a created record is searched for at both ends, and what is not seen is undecided.

use countersign::report::Outcome;
use serde_json::{Value, json};

use super::checked::{Check, Checked, described};
use super::deviating::Deviation;
use super::listing::seeded;

const BOUND: u64 = 6;
const BOUNDED: &str = "the list has more pages than max-pages 6";

/// One item a page, and what the run creates at this place among them.
fn long(place: fn(usize) -> usize) -> Deviation {
    Deviation::none().relisted(move |call, listing| {
        let mut items = listing.take_items();
        let made = items.split_off(seeded(call.operation).min(items.len()));
        let at = place(items.len());
        items.splice(at..at, made);
        listing.recut(items, 1);
    })
}

async fn checked(deviation: Deviation) -> Checked {
    let check = Check {
        max_pages: BOUND,
        ..Check::default()
    };
    check.run(deviation).await
}

fn reason<'checked>(checked: &'checked Checked, fact: &str) -> Option<&'checked str> {
    let row = checked.record.facts.rows.iter().find(|row| row.fact == fact);
    row.expect(fact).reason.as_deref()
}

const LISTED: &str = "createTag created: listed in getTags";

#[tokio::test]
async fn a_created_row_is_found_at_either_end_of_a_long_list() {
    for (name, place) in [
        ("newest first", (|_| 0) as fn(usize) -> usize),
        ("oldest first", |length| length),
    ] {
        let checked = checked(long(place)).await;
        let denied: Vec<_> = checked.denied().map(described).collect();
        assert_eq!((checked.outcome(), denied), (Outcome::Conforms, vec![]), "{name}");
        assert_eq!(reason(&checked, LISTED), None, "{name}");
        assert_eq!(
            reason(&checked, "createVisit created: listed in getVisits"),
            None,
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_created_row_in_the_middle_of_a_long_list_is_undecided_and_says_so() {
    let checked = checked(long(|length| length / 2)).await;
    assert_eq!(checked.outcome(), Outcome::Conforms);
    assert_eq!(reason(&checked, "createTag created: listed in getTags"), Some(BOUNDED));
    // Nothing is written under an identifier whose record was not seen.
    let visit = reason(&checked, "createVisit created: listed in getVisits");
    assert!(
        visit.is_some_and(|visit| visit.contains("so it may be another record's")),
        "{visit:?}"
    );
}

#[tokio::test]
async fn what_takes_the_whole_of_a_long_list_is_undecided_and_says_so() {
    let checked = checked(long(|length| length)).await;
    for fact in [
        "getTags pages /data/total: equals the number of items on all pages",
        "getTags pages /data/items: no item on two pages",
        "createContactMethod created in getContacts: under no other item",
        "updateContact in getContacts: no other item changes",
    ] {
        assert_eq!(reason(&checked, fact), Some(BOUNDED), "{fact}");
    }
    for fact in [
        "getTags pages /data/page: the page asked for",
        "getTags pages /data/items: at most per_page items",
    ] {
        assert_eq!(reason(&checked, fact), None, "{fact}");
    }
}

#[tokio::test]
async fn no_walk_asks_for_more_pages_than_the_bound() {
    let checked = checked(long(|length| length / 2)).await;
    let mut walked = 0;
    let mut longest = 0;
    for call in checked
        .calls
        .iter()
        .filter(|call| call.is("getTags") && call.is_authorized())
        // Pages that no list has are edge cases, which come after all walks.
        .filter(|call| call.page().is_none_or(|page| (1..1_000_000).contains(&page)))
    {
        let is_further = call.page().is_some_and(|page| page > 1);
        walked = if is_further { walked + 1 } else { 1 };
        longest = longest.max(walked);
    }
    assert_eq!(longest, BOUND);
}

#[tokio::test]
async fn a_row_at_the_end_of_a_long_list_that_carries_something_else_is_found() {
    let altered = long(|length| length).relisted(|call, listing| {
        if call.is("getTags") && listing.total > seeded("getTags") {
            let last: Option<&mut Value> = listing.pages.last_mut().and_then(|page| page.last_mut());
            if let Some(tag) = last {
                tag["name"] = json!("other");
            }
        }
    });
    let checked = checked(altered).await;
    assert!(checked.denied().any(|finding| finding.rule == "stored-values"));
}
