//! Once: a create adds one record and an update none, whatever others create in the meantime.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use countersign::report::VerdictRecord;
use serde_json::{Value, json};

use super::checked::{Check, Checked, described};
use super::deviating::Deviation;
use super::listing::{LISTS, Listing, seeded};
use crate::support::sampled;

const OTHER: &str = "3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52";

/// Changes the rows of a list that a new store does not have.
fn own_rows(list: &'static str, change: impl Fn(&mut Vec<Value>) + Send + Sync + 'static) -> Deviation {
    Deviation::none().relisted(move |call, listing| {
        if call.is(list) {
            listing.change(|items| {
                let mut own = items.split_off(seeded(list).min(items.len()));
                change(&mut own);
                items.append(&mut own);
            });
        }
    })
}

fn identify(row: &mut Value, number: usize) {
    row["id"] = if row["id"].is_i64() {
        json!(990_000 + number)
    } else {
        json!(format!("3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f{number:04}"))
    };
}

fn denied(checked: &Checked) -> Vec<String> {
    checked.denied().map(described).collect()
}

fn assert_found(checked: &Checked, (rule, fact): (&str, &str)) {
    let all = denied(checked);
    assert!(
        checked
            .denied()
            .any(|finding| finding.rule == rule && finding.fact == fact),
        "{fact}: {all:#?}"
    );
    // An element that is stored twice does not carry what was sent either.
    let is_meant = |found: &str| found == rule || found == "stored-values";
    assert!(checked.denied().all(|finding| is_meant(&finding.rule)), "{all:#?}");
}

#[tokio::test]
async fn a_conforming_service_keeps_each_of_these_facts() {
    let checked = Check::default().undisturbed().await;
    let once = checked.rows("record-count");
    let verdicts: Vec<_> = once.map(|row| (row.fact.as_str(), row.verdict)).collect();
    let facts = [
        "createContact created in getContacts: once",
        "updateContact in getContacts: once, under its id",
        "createContactMethod created in getContacts: once",
        "createVisit created in getVisits: once",
        "createTag created in getTags: once",
    ];
    assert_eq!(verdicts, facts.map(|fact| (fact, VerdictRecord::Held)));
    assert_eq!(denied(&checked), [""; 0]);
}

#[tokio::test]
async fn a_create_that_stores_two_rows_is_found() {
    for (create, list) in sampled(2, LISTS) {
        let doubling = own_rows(list, |own| {
            let mut second = own.clone();
            second
                .iter_mut()
                .enumerate()
                .for_each(|(number, row)| identify(row, number));
            own.append(&mut second);
        });
        let checked = Check::concerning(create).run(doubling).await;
        let fact = format!("{create} created in {list}: once");
        if list == "getContacts" {
            // The second contact shows what the first is updated with, and its methods.
            let found = checked
                .denied()
                .any(|finding| finding.rule == "record-count" && finding.fact == fact);
            let astray = checked
                .denied()
                .any(|finding| !["other-records", "record-count"].contains(&finding.rule.as_str()));
            assert!(found && !astray, "{:#?}", denied(&checked));
        } else {
            assert_found(&checked, ("record-count", &fact));
        }
    }
}

#[tokio::test]
async fn a_method_that_is_stored_twice_is_found() {
    let doubling = own_rows("getContacts", |own| {
        for contact in own {
            let methods = contact["contact_methods"].as_array_mut().unwrap();
            if let Some(mut second) = methods.get(1).cloned() {
                second["id"] = json!(OTHER);
                methods.push(second);
            }
        }
    });
    let checked = Check::concerning("createContactMethod").run(doubling).await;
    assert_found(
        &checked,
        ("record-count", "createContactMethod created in getContacts: once"),
    );
}

/// A store that notes each update by itself: what the listing does with it is the deviation's.
fn updating(apply: impl Fn(&HashMap<String, Value>, &mut Vec<Value>) + Send + Sync + 'static) -> Deviation {
    let updates: std::sync::Arc<Mutex<HashMap<String, Value>>> = std::sync::Arc::default();
    let seen = std::sync::Arc::clone(&updates);
    Deviation::none()
        .asked(move |call| {
            if call.is("updateContact") && call.is_authorized() {
                let id = call.uri.path().rsplit('/').next().unwrap().to_owned();
                seen.lock().unwrap().insert(id, call.body());
            }
            None
        })
        .relisted(move |call, listing| {
            if call.is("getContacts") {
                listing.change(|items| apply(&updates.lock().unwrap(), items));
            }
        })
}

#[tokio::test]
async fn an_update_that_stores_its_record_under_another_id_is_found() {
    let renaming = updating(|updates, items| {
        for item in items.iter_mut() {
            if item["id"].as_str().is_some_and(|id| updates.contains_key(id)) {
                item["id"] = json!(OTHER);
            }
        }
    });
    // The record is looked for until the list has had its time, which this is not about.
    let check = Check {
        settle: Duration::ZERO,
        ..Check::concerning("updateContact")
    };
    let checked = check.run(renaming).await;
    let fact = "updateContact in getContacts: once, under its id";
    assert!(
        checked
            .denied()
            .any(|finding| finding.rule == "record-count" && finding.fact == fact),
        "{:#?}",
        denied(&checked)
    );
}

#[tokio::test]
async fn an_update_that_adds_a_row_is_found() {
    let adding = updating(|updates, items| {
        let added = items
            .iter()
            .filter(|item| item["id"].as_str().is_some_and(|id| updates.contains_key(id)));
        let mut added: Vec<_> = added.cloned().collect();
        added
            .iter_mut()
            .enumerate()
            .for_each(|(number, row)| identify(row, number));
        items.append(&mut added);
    });
    let checked = Check::concerning("updateContact").run(adding).await;
    let fact = "updateContact in getContacts: no other item changes";
    assert!(
        checked
            .denied()
            .any(|finding| finding.rule == "other-records" && finding.fact == fact),
        "{:#?}",
        denied(&checked)
    );
}

#[tokio::test]
async fn an_update_of_one_field_that_adds_a_row_is_found_at_the_end() {
    // Only what a later update sends is stored twice: no look of the run reads as far as that row.
    let adding = updating(|updates, items| {
        let is_lone = |body: &Value| body.as_object().is_some_and(|fields| fields.len() == 1);
        let lone = |item: &&Value| {
            let body = item["id"].as_str().and_then(|id| updates.get(id));
            body.is_some_and(|body| is_lone(body) && body.get("firstname").is_some())
        };
        let mut added: Vec<_> = items.iter().filter(lone).cloned().collect();
        added
            .iter_mut()
            .enumerate()
            .for_each(|(number, row)| identify(row, number));
        items.append(&mut added);
    });
    let kept: std::sync::Arc<Mutex<Vec<Value>>> = std::sync::Arc::default();
    let adding = adding.relisted(move |call, listing| {
        if call.is("getContacts") {
            let mut kept = kept.lock().unwrap();
            let added = |item: &&Value| {
                item["id"]
                    .as_str()
                    .is_some_and(|id| id.starts_with("3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f00"))
            };
            for row in listing.items().iter().filter(added) {
                if !kept.iter().any(|kept| kept["firstname"] == row["firstname"]) {
                    kept.push(row.clone());
                }
            }
            listing.change(|items| {
                items.retain(|item| !added(&item));
                let at = items.len() / 2;
                items.splice(at..at, kept.iter().cloned());
            });
        }
    });
    let checked = Check::concerning("updateContact").run(adding).await;
    let facts = [
        "updateContact in getContacts: once, under its id",
        "updateContact in getContacts: no other item changes",
    ];
    assert!(
        checked.denied().any(|finding| facts.contains(&finding.fact.as_str())),
        "{:#?}",
        denied(&checked)
    );
}

#[tokio::test]
async fn a_total_that_does_not_count_what_was_created_or_counts_it_twice_is_found() {
    type Count = fn(usize, usize) -> usize;
    let ways: [Count; 2] = [|seeded, _| seeded, |seeded, own| seeded + 2 * own];
    for (create, list) in sampled(2, LISTS) {
        for way in ways {
            let counting = Deviation::none().relisted(move |call, listing| {
                if call.is(list) {
                    let own = listing.total - seeded(list);
                    listing.total = way(seeded(list), own);
                    listing.last_page = listing.total.div_ceil(listing.per_page).max(listing.pages.len());
                }
            });
            let checked = Check::concerning(create).run(counting).await;
            let fact = format!("{list} pages /data/total: equals the number of items on all pages");
            let found = checked
                .denied()
                .any(|finding| finding.rule == "pages" && finding.fact == fact);
            assert!(found, "{list}: {:#?}", denied(&checked));
        }
    }
}

/// Each row in a list a second time, as somebody else would have made it.
fn others(list: &'static str) -> Deviation {
    own_rows(list, |own| {
        let mut second = own.clone();
        for (number, row) in second.iter_mut().enumerate() {
            identify(row, number);
            for (at, value) in [("/firstname", "Other"), ("/lastname", "Other"), ("/name", "other")] {
                if let Some(kept) = row.pointer_mut(at) {
                    *kept = json!(value);
                }
            }
            if let Some(methods) = row.get_mut("contact_methods") {
                *methods = json!([]);
            }
            if let Some(at) = row.get_mut("datetime") {
                *at = json!("2020-01-01T00:00:00Z");
            }
        }
        own.append(&mut second);
    })
}

#[tokio::test]
async fn what_others_create_meanwhile_and_what_comes_with_a_record_is_left_alone() {
    for (create, list) in sampled(2, LISTS) {
        let checked = Check::concerning(create).run(others(list)).await;
        assert_eq!(denied(&checked), [""; 0], "{list}");
        let fact = format!("{create} created in {list}: once");
        let row = checked.record.facts.rows.iter().find(|row| row.fact == fact).unwrap();
        assert_eq!(row.verdict, VerdictRecord::Held, "{fact}: {:?}", row.reason);
    }
}

#[tokio::test]
async fn a_row_that_is_listed_late_is_no_second_one() {
    let behind: Mutex<HashMap<String, (usize, Listing)>> = Mutex::default();
    let late = Deviation::none().relisted(move |call, listing| {
        let mut behind = behind.lock().unwrap();
        let (asked, shown) = behind
            .entry(call.operation.to_owned())
            .or_insert_with(|| (0, Listing::cut(listing.items(), 10)));
        *asked += 1;
        if *asked % 3 == 0 {
            shown.recut(listing.items(), 10);
        }
        listing.recut(shown.items(), 10);
    });
    let checked = Check::default().run(late).await;
    assert_eq!(denied(&checked), [""; 0]);
}

/// A service whose list changes with the first update.
fn after_an_update(list: &'static str, change: impl Fn(&mut Vec<Value>) + Send + Sync + 'static) -> Deviation {
    let updated = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = std::sync::Arc::clone(&updated);
    Deviation::none()
        .asked(move |call| {
            let updates = call.is("updateContact") && call.is_authorized();
            seen.fetch_or(updates, std::sync::atomic::Ordering::Relaxed);
            None
        })
        .relisted(move |call, listing| {
            if call.is(list) && updated.load(std::sync::atomic::Ordering::Relaxed) {
                listing.change(&change);
            }
        })
}

#[tokio::test]
async fn a_row_that_is_gone_after_an_update_is_found() {
    for (create, list) in sampled(2, [("createVisit", "getVisits"), ("createTag", "getTags")]) {
        let losing = after_an_update(list, move |items| items.truncate(seeded(list)));
        let checked = Check::default().run(losing).await;
        assert_found(&checked, ("record-count", &format!("{create} created in {list}: once")));
    }
}

#[tokio::test]
async fn a_row_of_others_that_is_gone_is_left_alone() {
    for list in sampled(2, ["getTags", "getVisits"]) {
        let losing = after_an_update(list, |items| {
            items.remove(0);
        });
        let checked = Check::default().run(losing).await;
        assert_eq!(denied(&checked), [""; 0], "{list}");
    }
}

#[tokio::test]
async fn numbers_that_are_alike_in_two_records_are_no_second_record() {
    // A target that lists telephone numbers first: then the run's methods are of that type.
    for seed in sampled(2, 1..4) {
        let of_numbers = Deviation::none().relisted(|call, listing| {
            if call.is("getContacts") {
                listing.change(|items| {
                    for contact in items.iter_mut().take(seeded("getContacts")) {
                        if let Some(of_type) = contact.pointer_mut("/contact_methods/0/type") {
                            *of_type = json!("phone");
                        }
                    }
                });
            }
        });
        let check = Check {
            seed,
            ..Check::concerning("createContactMethod")
        };
        let checked = check.run(of_numbers).await;
        assert_eq!(denied(&checked), [""; 0], "{seed}");
        let methods = checked.calls.iter().filter(|call| call.is("createContactMethod"));
        let sent = methods.filter(|call| call.body()["contact"].is_string() && call.is_authorized());
        let awkward: Vec<_> = sent
            .filter(|call| call.body()["contact"].as_str().unwrap().contains('\''))
            .collect();
        assert_eq!(awkward.len(), 1);
        assert!(awkward[0].body()["type"] == "phone" && awkward[0].body().to_string().contains("@example.com"));
    }
}
