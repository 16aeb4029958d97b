//! Writes that reach records which they do not name. To an identifier that names no record: a service that lets them
//! reach somebody's record is found, and one that creates a record under the identifier is left alone. An update that
//! reaches every record is found and not sent again; what another client may have changed at the same time is no
//! finding.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::call::{Call, Reply};
use super::checked::{Check, Checked};
use super::deviating::Deviation;

/// The writes to no record that were accepted, by the identifier in their path: the operation, and what was sent.
type Strays = Arc<Mutex<HashMap<String, (&'static str, Value)>>>;

/// Accepts the writes that name no record and have a body of the documented form, and shows them in the list of
/// contacts as `apply` does.
fn accepting(
    apply: impl Fn(&HashMap<String, (&'static str, Value)>, &mut Vec<Value>) + Send + Sync + 'static,
) -> Deviation {
    let known = Arc::new(Mutex::new(Vec::<String>::new()));
    let strays = Strays::default();
    let (created, listed, accepted) = (Arc::clone(&known), Arc::clone(&known), Arc::clone(&strays));
    let note = |known: &Mutex<Vec<String>>, record: &Value| {
        known
            .lock()
            .unwrap()
            .extend(record["id"].as_str().map(str::to_lowercase));
    };
    Deviation::none()
        .answering(move |call: &Call| {
            let id = call.uri.path().split('/').nth(4)?.to_lowercase();
            let sent = call.body();
            let is_stray = call.is_write() && sent.is_object() && !known.lock().unwrap().contains(&id);
            is_stray.then(|| {
                let record = match call.is("updateContact") {
                    true => json!({}),
                    false => json!({
                        "id": "3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0099", "type": sent["type"], "contact": sent["contact"],
                        "status": sent["status"], "created_at": "2026-01-02T03:04:05Z",
                    }),
                };
                accepted.lock().unwrap().insert(id, (call.operation, sent));
                Reply::json(200, json!({"message": "done", "data": record}))
            })
        })
        .at("createContact", move |_, reply| note(&created, &reply.value()["data"]))
        .relisted(move |call, listing| {
            if call.is("getContacts") {
                listing.items().iter().for_each(|item| note(&listed, item));
                listing.change(|items| apply(&strays.lock().unwrap(), items));
            }
        })
}

fn in_other_records(checked: &Checked) -> Vec<&str> {
    let denied = checked.denied().filter(|finding| finding.rule == "other-records");
    denied.map(|finding| finding.fact.as_str()).collect()
}

#[tokio::test]
async fn a_write_to_no_record_that_reaches_somebodys_record_is_found() {
    let reaching = accepting(|strays, items| {
        for (operation, sent) in strays.values() {
            if *operation == "updateContact" {
                items[0]["firstname"] = sent["firstname"].clone();
            } else if let Some(methods) = items[0]["contact_methods"].as_array_mut() {
                methods.push(json!({
                    "id": "3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0099", "type": sent["type"], "contact": sent["contact"],
                    "status": sent["status"], "created_at": "2026-01-02T03:04:05Z",
                }));
            }
        }
    });
    let checked = Check::default().run(reaching).await;
    let facts = in_other_records(&checked);
    for fact in [
        "createContactMethod created in getContacts: under no other item",
        "updateContact in getContacts: no other item changes",
    ] {
        assert!(facts.contains(&fact), "{fact}: {facts:?}");
    }
}

#[tokio::test]
async fn a_record_that_is_created_under_the_identifier_is_left_alone() {
    let creating = accepting(|strays, items| {
        for (id, (_, sent)) in strays
            .iter()
            .filter(|(_, (operation, _))| *operation == "updateContact")
        {
            let mut record = items[0].clone();
            record["id"] = json!(id);
            record["firstname"] = sent["firstname"].clone();
            items.push(record);
        }
    });
    let checked = Check::default().run(creating).await;
    assert!(
        in_other_records(&checked).is_empty(),
        "{:?}",
        in_other_records(&checked)
    );
}

/// What the updates do, and how many were accepted.
struct Updates {
    deviation: Deviation,
    accepted: Arc<AtomicUsize>,
}

/// Writes what an accepted update sent in these fields to so many other contacts, too.
fn reaching(fields: &'static [&'static str], most: usize) -> Updates {
    changing(most, move |item, sent| {
        for field in fields {
            item[field] = sent[field].clone();
        }
    })
}

/// Changes so many other contacts after an accepted update, which has sent this.
fn changing(most: usize, change: impl Fn(&mut Value, &Value) + Send + Sync + 'static) -> Updates {
    let accepted = Arc::<AtomicUsize>::default();
    let last = Arc::new(Mutex::new((String::new(), Value::Null)));
    let (count, sent) = (Arc::clone(&accepted), Arc::clone(&last));
    let deviation = Deviation::none()
        .at("updateContact", move |call, reply| {
            if reply.succeeded() {
                count.fetch_add(1, Ordering::SeqCst);
                let id = call.uri.path().rsplit('/').next().unwrap_or_default().to_lowercase();
                *sent.lock().unwrap() = (id, call.body());
            }
        })
        .relisted(move |call, listing| {
            let (id, sent) = &*last.lock().unwrap();
            if call.is("getContacts") && sent.is_object() {
                listing.change(|items| {
                    let others = items.iter_mut().filter(|item| item["id"].as_str() != Some(id));
                    others.take(most).for_each(|item| change(item, sent));
                });
            }
        });
    Updates { deviation, accepted }
}

#[tokio::test]
async fn an_update_that_reaches_every_record_is_found_and_not_sent_again() {
    // Without its condition, it gives a common value to all as well.
    let updates = reaching(&["gender"], usize::MAX);
    let checked = Check::default().run(updates.deviation).await;
    let fact = "updateContact in getContacts: no other item changes";
    assert_eq!(in_other_records(&checked), [fact]);

    let updates = reaching(&["dob"], usize::MAX);
    let checked = Check::default().run(updates.deviation).await;
    assert_eq!(in_other_records(&checked), [fact]);
    let found = checked
        .denied()
        .find(|finding| finding.rule == "other-records")
        .unwrap();
    assert!(
        found.received.ends_with("records that showed another value before"),
        "{}",
        found.received
    );
    assert_eq!(updates.accepted.load(Ordering::SeqCst), 1);
    let left = checked.record.unexplained_records.iter();
    let changed = left.filter(|record| record.changed_by.as_deref() == Some("updateContact"));
    // As many as are on a page.
    assert_eq!(changed.count(), 10);
}

#[tokio::test]
async fn an_update_that_clears_a_field_of_half_of_the_records_is_found_and_of_a_few_is_not() {
    let clear = |item: &mut Value, _: &Value| item["contact_methods"] = json!([]);
    for (most, is_found) in [(usize::MAX, true), (6, true), (2, false)] {
        let checked = Check::default().run(changing(most, clear).deviation).await;
        let found = checked.denied().filter(|finding| finding.rule == "other-records");
        let found: Vec<_> = found.map(|finding| finding.received.as_str()).collect();
        assert_eq!(!found.is_empty(), is_found, "{most}: {found:?}");
        let says_so = |received: &&str| received.starts_with("nothing in a field that had a value before, in ");
        assert!(found.iter().all(says_so), "{most}: {found:?}");
    }
    // Only the times of change differ, or a field that the operation does not write.
    for field in ["updated_at", "excluded_channels"] {
        let touch = move |item: &mut Value, _: &Value| match &mut item[field] {
            Value::Array(elements) => elements.clear(),
            time => *time = json!("2030-01-02T03:04:05Z"),
        };
        let checked = Check::default().run(changing(usize::MAX, touch).deviation).await;
        assert!(in_other_records(&checked).is_empty(), "{field}");
    }
}

#[tokio::test]
async fn somebodys_record_that_shows_the_run_tag_is_not_taken_for_the_run_s_own() {
    let created = Arc::new(Mutex::new(Value::Null));
    let name = Arc::clone(&created);
    // A new tag is put on every contact.
    let relabelling = Deviation::none()
        .at("createTag", move |call, reply| {
            if reply.succeeded() {
                *name.lock().unwrap() = call.body()["name"].clone();
            }
        })
        .relisted(move |call, listing| {
            let name = created.lock().unwrap().clone();
            if call.is("getContacts") && name.is_string() {
                listing.change(|items| items.iter_mut().for_each(|item| item["tags"]["name"] = name.clone()));
            }
        });
    let checked = Check::default().run(relabelling).await;
    let left = checked.record.unexplained_records.iter();
    let contacts: Vec<_> = left.filter(|record| record.list == "getContacts").collect();
    assert!(contacts.len() > 10, "{contacts:?}");
    assert!(contacts.iter().all(|record| record.existed), "{contacts:?}");
    let hidden = |id: &Option<String>| id.as_deref().is_some_and(|id| id.starts_with("<identifier(36)"));
    assert!(contacts.iter().all(|record| hidden(&record.id)), "{contacts:?}");
}

#[tokio::test]
async fn what_another_client_may_have_changed_is_reported_and_no_finding() {
    for (fields, most) in [(&["dob"][..], 2), (&["gender"], 6)] {
        let updates = reaching(fields, most);
        let checked = Check::default().run(updates.deviation).await;
        assert!(
            in_other_records(&checked).is_empty(),
            "{fields:?}: {:?}",
            in_other_records(&checked)
        );
        assert_eq!(updates.accepted.load(Ordering::SeqCst), 1, "{fields:?}");
        assert!(!checked.record.unexplained_records.is_empty(), "{fields:?}");
    }
}
