//! Gaps around lists: page size, order, what is beyond the last page, empty lists, rows that appear late or during a
//! walk.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Move, prove};
use crate::proof::call::{Call, Reply};
use crate::proof::checked::Check;
use crate::proof::deviating::Deviation;
use crate::proof::listing::seeded;

#[test]
fn a_page_may_hold_any_number_of_items() {
    let paged = |per_page| {
        Deviation::none().relisted(move |_, listing| {
            let items = listing.take_items();
            listing.recut(items, per_page);
        })
    };
    prove(vec![
        Move::new("per_page 1", paged(1)).of("createTag"),
        Move::new("per_page 3", paged(3)),
        Move::new("per_page 20, which some lists fill", paged(20)),
        Move::new("per_page 100", paged(100)).leaving(430, "the list has one page"),
    ]);
}

#[test]
fn a_list_may_have_any_order() {
    let reversed = Deviation::none().relisted(|_, listing| listing.change(|items| items.reverse()));
    let by_id = Deviation::none().relisted(|_, listing| {
        listing.change(|items| items.sort_by_key(|item| item["id"].to_string()));
    });
    prove(vec![
        Move::new("newest first", reversed).of("createContact"),
        Move::new("by id", by_id),
    ]);
}

#[test]
fn a_page_beyond_the_last_may_be_rejected() {
    let moves = [400, 404, 422].map(|status| {
        let deviation = Deviation::none().relisted(move |_, listing| listing.beyond = status);
        Move::new(format!("{status} beyond the last page"), deviation).of("createTag")
    });
    prove(moves.into());
}

/// Lists with three items on a page, none of whose pages above this one can be requested.
fn up_to_page(maximum: u64) -> Deviation {
    let page = |call: &Call| {
        let query = call.uri.query()?;
        query.strip_prefix("page=")?.parse::<u64>().ok()
    };
    Deviation::none()
        .relisted(|_, listing| {
            let items = listing.take_items();
            listing.recut(items, 3);
        })
        .answering(move |call| {
            let is_above = page(call).is_some_and(|page| page > maximum);
            is_above.then(|| Reply::json(422, json!({"message": "there is no such page"})))
        })
}

#[test]
fn a_page_above_a_maximum_may_be_rejected() {
    prove(vec![
        Move::new("no page above the fifth", up_to_page(5))
            .leaving(0, "the response was 422")
            .warning(&["unchecked-operation"]),
    ]);
}

#[tokio::test]
async fn a_list_with_several_pages_has_a_second_one() {
    let checked = Check::concerning("getTags").run(up_to_page(1)).await;
    let rules: Vec<_> = checked.denied().map(|finding| finding.rule.as_str()).collect();
    assert!(
        rules.iter().all(|rule| *rule == "status") && !rules.is_empty(),
        "{rules:?}"
    );
}

#[test]
fn lists_that_are_empty_leave_visits_open_and_say_so() {
    let moves = [0, 1].map(|last_page| {
        let deviation = Deviation::none().relisted(move |call, listing| {
            listing.change(|items| drop(items.drain(..seeded(call.operation))));
            if listing.total == 0 {
                listing.last_page = last_page;
            }
        });
        Move::new(
            format!("nothing but what the run creates, last_page {last_page}"),
            deviation,
        )
        .leaving(
            250,
            "createVisit needs a value for `/venue_id`, and no response of getVenues showed one",
        )
        .warning(&["unchecked-operation"])
    });
    prove(moves.into());
}

#[test]
fn no_venue_leaves_visits_open_and_says_so() {
    let no_venues = Deviation::none().relisted(|call, listing| {
        if call.is("getVenues") {
            listing.change(Vec::clear);
        }
    });
    let reason = "createVisit needs a value for `/venue_id`, and no response of getVenues showed one";
    let moved = Move::new("no venue", no_venues).leaving(370, reason);
    prove(vec![moved.warning(&["unchecked-operation"])]);
}

#[test]
fn a_created_row_may_be_listed_a_little_later() {
    let born: Arc<Mutex<HashMap<String, Instant>>> = Arc::default();
    let births = Arc::clone(&born);
    let late = Deviation::none()
        .replied(move |call, reply| {
            if call.is_write() && reply.succeeded() {
                let id = reply.value()["data"]["id"].to_string();
                births.lock().unwrap().insert(id, Instant::now());
            }
        })
        .relisted(move |_, listing| {
            let born = born.lock().unwrap();
            let young = |item: &Value| {
                let birth = born.get(&item["id"].to_string());
                birth.is_some_and(|birth| birth.elapsed() < Duration::from_millis(300))
            };
            listing.change(|items| items.retain(|item| !young(item)));
        });
    let check = Check {
        settle: Duration::from_secs(2),
        ..Check::default()
    };
    prove(vec![
        Move::new("listed after 300 ms", late)
            .checked(check)
            .of("createContact"),
    ]);
}

#[test]
fn a_row_may_be_counted_a_little_before_it_is_shown() {
    let started: Arc<Mutex<Option<Instant>>> = Arc::default();
    let early = Deviation::none().relisted(move |call, listing| {
        let since = *started.lock().unwrap().get_or_insert_with(Instant::now);
        if call.is("getTags") && since.elapsed() < Duration::from_millis(200) {
            // The last row, which another client has created.
            listing.pages.last_mut().and_then(Vec::pop);
        }
    });
    let check = Check {
        settle: Duration::from_secs(2),
        ..Check::default()
    };
    prove(vec![
        Move::new("shown after 200 ms", early).checked(check).of("createTag"),
    ]);
}

/// A deviation in which other clients create contacts: `rows` says how many there are at the nth request.
fn growing(rows: impl Fn(u64) -> u64 + Send + Sync + 'static, in_front: bool) -> Deviation {
    let requests = AtomicU64::new(0);
    Deviation::none().relisted(move |call, listing| {
        if !call.is("getContacts") {
            return;
        }
        let others = rows(requests.fetch_add(1, Ordering::Relaxed));
        listing.change(|items| {
            let row = items[0].clone();
            for number in 0..others {
                let mut other = row.clone();
                other["id"] = json!(format!("00000000-0000-4000-8000-{number:012}"));
                let at = if in_front { 0 } else { items.len() };
                items.insert(at, other);
            }
        });
    })
}

#[test]
fn a_row_that_another_client_creates_is_no_finding() {
    prove(vec![
        Move::new("one row at the end", growing(|request| u64::from(request >= 2), false)).of("createContact"),
        Move::new("one row in front", growing(|request| u64::from(request >= 2), true)),
        Move::new(
            "nine rows in front",
            growing(|request| if request < 2 { 0 } else { 9 }, true),
        ),
    ]);
}

#[test]
fn a_list_that_never_stands_still_leaves_its_pages_open_and_says_so() {
    let reason = "the list changed while it was walked";
    prove(vec![
        Move::new("a row at the end each time", growing(|request| request, false))
            .leaving(400, reason)
            .of("createContact"),
        Move::new("a row in front each time", growing(|request| request, true)).leaving(430, reason),
    ]);
}
