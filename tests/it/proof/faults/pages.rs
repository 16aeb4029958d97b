//! Lists whose pages do not add up. Law 1.

use serde_json::json;

use super::{Fault, prove};
use crate::proof::deviating::Deviation;
use crate::proof::listing::Listing;

const LISTS: [&str; 4] = ["getContacts", "getVenues", "getVisits", "getTags"];

/// A fault of each list: what it does to the list, and where and in which words it must be told.
fn at_each_list(name: &str, relist: fn(&mut Listing), place: &str, fact: &str) {
    let faults = LISTS.iter().map(|list| {
        let deviation = Deviation::none().relisted(move |call, listing| {
            if call.is(list) {
                relist(listing);
            }
        });
        // A row that a list does not show may be one that this run created.
        Fault::new(format!("{list}: {name}"), deviation)
            .found_by("pages", list)
            .at(place)
            .of(fact)
            .bringing(&["listed"])
    });
    prove(faults.collect());
}

#[test]
fn a_page_that_holds_more_than_per_page_is_found() {
    let relist = |listing: &mut Listing| {
        let moved = listing.pages[1].remove(0);
        listing.pages[0].push(moved);
    };
    at_each_list("overfull", relist, "/data/items", "at most per_page items");
}

#[test]
fn an_item_that_stands_on_two_pages_is_found() {
    let relist = |listing: &mut Listing| {
        let repeated = listing.pages[0][0].clone();
        listing.pages.last_mut().unwrap().push(repeated);
    };
    at_each_list("repeated", relist, "/data/items", "no item on two pages");
}

#[test]
fn an_item_that_no_page_shows_is_found() {
    let relist = |listing: &mut Listing| {
        listing.pages[1].remove(0);
    };
    at_each_list("skipped", relist, "/data/total", "agrees with the walk");
}

#[test]
fn an_item_in_place_of_another_is_found() {
    let relist = |listing: &mut Listing| {
        let repeated = listing.pages[0][0].clone();
        listing.pages[1][0] = repeated;
    };
    at_each_list("shifted", relist, "/data/total", "agrees with the walk");
}

#[test]
fn a_total_that_is_wrong_is_found() {
    at_each_list(
        "one more",
        |listing| listing.total += 1,
        "/data/total",
        "agrees with the walk",
    );
    at_each_list(
        "one less",
        |listing| listing.total -= 1,
        "/data/total",
        "agrees with the walk",
    );
    at_each_list(
        "none",
        |listing| listing.total = 0,
        "/data/total",
        "agrees with the walk",
    );
}

#[test]
fn a_total_that_is_wrong_on_one_page_alone_is_found() {
    let faults = LISTS.iter().map(|list| {
        let second = Deviation::none().at(list, |call, reply| {
            let total = reply.value_mut().unwrap().pointer_mut("/data/total").unwrap();
            if call.page() == Some(2) {
                *total = json!(total.as_i64().unwrap() + 1);
            }
        });
        // A list that changes while it is walked is walked again.
        Fault::new(format!("{list}: one more on page 2"), second.in_a_run())
            .found_by("pages", list)
            .at("/data/total")
            .of("agrees with the walk")
    });
    prove(faults.collect());
}

#[test]
fn a_last_page_that_is_wrong_is_found() {
    let fact = "agrees with total and per_page";
    at_each_list("one more", |listing| listing.last_page += 1, "/data/last_page", fact);
    at_each_list("one less", |listing| listing.last_page -= 1, "/data/last_page", fact);
    at_each_list("none", |listing| listing.last_page = 0, "/data/last_page", fact);
}

#[test]
fn a_per_page_that_is_wrong_is_found() {
    at_each_list(
        "less",
        |listing| listing.per_page = 9,
        "/data/items",
        "at most per_page items",
    );
    let fact = "agrees with total and per_page";
    at_each_list("more", |listing| listing.per_page = 30, "/data/last_page", fact);
}

#[test]
fn a_first_page_that_is_not_1_when_none_is_asked_for_is_found() {
    let faults = LISTS.iter().map(|list| {
        let second = Deviation::none().asked(move |call| {
            if call.is(list) && call.page().is_none() {
                call.ask_for(2);
            }
            None
        });
        Fault::new(format!("{list}: page 2 by default"), second)
            .found_by("pages", list)
            .at("/data/page")
            .of("1 when no page is asked for")
    });
    prove(faults.collect());
}

#[test]
fn a_page_that_is_ignored_is_found() {
    let faults = LISTS.iter().map(|list| {
        let first = Deviation::none().asked(move |call| {
            if call.is(list) {
                call.ask_for(1);
            }
            None
        });
        Fault::new(format!("{list}: always page 1"), first)
            .found_by("pages", list)
            .at("/data/page")
            .of("the page asked for")
            .bringing(&["listed"])
    });
    prove(faults.collect());
}

#[test]
fn a_page_that_is_ignored_and_named_as_asked_for_is_found() {
    let faults = LISTS.iter().map(|list| {
        let first = Deviation::none().relisted(move |call, listing| {
            if call.is(list) {
                let page = listing.pages[0].clone();
                listing.pages.fill(page);
            }
        });
        Fault::new(format!("{list}: every page is the first"), first)
            .found_by("pages", list)
            .at("/data/items")
            .of("no item on two pages")
            .bringing(&["listed"])
    });
    prove(faults.collect());
}
