//! Counts at the boundaries: what a list says about its pages if its total is a multiple of their size, one less, and
//! one more.

use countersign::report::VerdictRecord;

use super::checked::{Check, Checked, described};
use super::deviating::Deviation;
use super::listing::{LISTS, Listing};
use super::variety::few;
use crate::support::sampled;

/// A run that may leave enough records to fill each last page.
const ROOM: Check = Check {
    max_writes: 100,
    ..Check::DEFAULT
};

fn denied(checked: &Checked) -> Vec<String> {
    checked.denied().map(described).collect()
}

fn full(checked: &Checked, list: &str) -> (VerdictRecord, Option<String>) {
    let fact = format!("{list} pages /data/last_page: a full last page is the last one");
    let row = checked.record.facts.rows.iter().find(|row| row.fact == fact).unwrap();
    (row.verdict, row.reason.as_ref().map(ToString::to_string))
}

/// A service none of whose lists fills its pages.
fn sevens() -> Deviation {
    Deviation::none().relisted(|_, listing| {
        let items = listing.take_items();
        listing.recut(items, 7);
    })
}

/// What a service gets wrong in a list of so many more rows than fill its pages of seven.
fn at(list: &'static str, over: usize, wrong: fn(&mut Listing)) -> Deviation {
    sevens().relisted(move |call, listing| {
        if call.is(list) && listing.total % listing.per_page == over {
            wrong(listing);
        }
    })
}

#[tokio::test]
async fn what_is_wrong_at_a_full_last_page_alone_is_found() {
    type Wrong = fn(&mut Listing);
    let ways: [(&str, usize, Wrong); 6] = [
        ("a page more, and empty", 0, |listing| listing.last_page += 1),
        ("a page less", 0, |listing| listing.last_page -= 1),
        ("an empty last page", 0, |listing| {
            listing.pages.pop();
        }),
        ("a last page that repeats the one before", 0, |listing| {
            let before = listing.pages[listing.pages.len() - 2].clone();
            *listing.pages.last_mut().unwrap() = before;
        }),
        ("a total that is one short", 6, |listing| listing.total -= 1),
        ("an empty page before the last one", 1, |listing| {
            let at = listing.pages.len() - 2;
            listing.pages[at].clear();
        }),
    ];
    for (name, over, wrong) in ways {
        let check = Check {
            max_writes: ROOM.max_writes,
            ..Check::concerning("createTag")
        };
        let checked = check.run(at("getTags", over, wrong)).await;
        let all = denied(&checked);
        let pages = checked
            .denied()
            .filter(|finding| finding.rule == "pages" && finding.operation == "getTags");
        assert!(pages.count() > 0, "{name}: {all:#?}");
        let astray = checked
            .denied()
            .any(|finding| !["listed", "pages"].contains(&finding.rule.as_str()));
        assert!(!astray, "{name}: {all:#?}");
    }
}

#[tokio::test]
async fn each_list_that_creates_fill_is_brought_to_a_full_last_page() {
    let checked = ROOM.run(sevens()).await;
    assert_eq!(denied(&checked), [""; 0]);
    for (_, list) in LISTS {
        assert_eq!(full(&checked, list), (VerdictRecord::Held, None), "{list}");
    }
    for (create, list) in sampled(2, LISTS) {
        let adding = at(list, 0, |listing| listing.last_page += 1);
        let check = Check {
            max_writes: ROOM.max_writes,
            ..Check::concerning(create)
        };
        assert_eq!(full(&check.run(adding).await, list).0, VerdictRecord::Broken, "{list}");
    }
    let reason = Some("the last page is not full".to_owned());
    assert_eq!(full(&checked, "getVenues"), (VerdictRecord::Undecided, reason));
}

#[tokio::test]
async fn a_list_that_needs_more_than_is_allowed_for_its_last_page_says_how_many_are() {
    let little = Check {
        max_writes: 21,
        ..Check::DEFAULT
    };
    let checked = little.run(sevens()).await;
    let reasons = LISTS.map(|(_, list)| full(&checked, list).1.unwrap_or_default());
    let expected = "the last page was not filled: max-writes allows only 1 more";
    assert!(reasons.iter().any(|reason| reason == expected), "{reasons:?}");
}

#[tokio::test]
async fn a_list_that_no_budget_can_fill_gets_no_record_for_its_last_page_and_says_so() {
    let checked = Check::default().run(sevens()).await;
    for (_, list) in LISTS {
        let reason = "filling a last page needs max-writes above 20";
        assert_eq!(
            full(&checked, list),
            (VerdictRecord::Undecided, Some(reason.to_owned())),
            "{list}"
        );
    }
    assert!(checked.record.residue.len() <= 12, "{}", checked.record.residue.len());
}

#[tokio::test]
async fn a_plain_walk_of_a_list_that_fills_its_pages_decides_it() {
    let reads = Check {
        writes: false,
        ..Check::default()
    };
    let checked = reads.run(few(20, 10)).await;
    assert_eq!(full(&checked, "getTags"), (VerdictRecord::Held, None));
    let adding = few(20, 10).relisted(|_, listing| {
        if listing.total % listing.per_page == 0 {
            listing.last_page += 1;
        }
    });
    let checked = reads.run(adding).await;
    assert_eq!(full(&checked, "getTags").0, VerdictRecord::Broken);
}

#[tokio::test]
async fn others_that_create_at_a_full_last_page_are_left_alone() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let growing = Deviation::none().relisted(move |call, listing| {
        if call.is("getTags") {
            // A tag more with every twenty requests.
            let more = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) / 20;
            listing.change(|items| {
                let tag = |number| serde_json::json!({"id": format!("3f6f1f0e-{number:04}"), "name": "other"});
                items.extend((0..more).map(tag));
            });
        }
    });
    let checked = ROOM.run(growing).await;
    assert_eq!(denied(&checked), [""; 0]);
}
