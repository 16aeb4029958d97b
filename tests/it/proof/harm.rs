//! No harm to others: services and gateways that try to make a check write to other people's records, leave more than
//! it may, or hide what it left. Each case asserts on what reached the service.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use http::Method;
use http::header::{LOCATION, RETRY_AFTER};
use serde_json::json;

use super::call::{Call, Reply};
use super::checked::{Check, Checked};
use super::deviating::Deviation;
use crate::support::sampled;

/// A record that belongs to somebody else.
const STRANGER: &str = "5eed0000-0000-4000-8000-00000000cafe";

/// The writes below a contact, but for those to an identifier that the check made up.
fn below_contacts(checked: &Checked) -> Vec<&Call> {
    let writes = checked.calls.iter().filter(|call| call.is_write());
    let below = ["updateContact", "createContactMethod"];
    writes.filter(|call| below.contains(&call.operation)).collect()
}

/// The writes that name this identifier, in the path or in the body.
fn naming<'calls>(checked: &'calls Checked, id: &str) -> Vec<&'calls Call> {
    let names = |call: &&Call| call.uri.path().contains(id) || String::from_utf8_lossy(&call.bytes).contains(id);
    checked
        .calls
        .iter()
        .filter(|call| call.is_write())
        .filter(names)
        .collect()
}

/// Answers each create of a contact with the identifier that the closure gives.
fn with_id(id: impl Fn() -> String + Send + Sync + 'static) -> Deviation {
    Deviation::none().at("createContact", move |_, reply| {
        if let Some(body) = reply.value_mut() {
            body["data"]["id"] = json!(id());
        }
    })
}

#[tokio::test]
async fn a_create_with_the_identifier_of_a_listed_record_is_not_written_under() {
    let listed = Arc::new(Mutex::new(String::new()));
    let (seen, given) = (Arc::clone(&listed), Arc::clone(&listed));
    let lying = with_id(move || given.lock().unwrap().clone()).at("getContacts", move |_, reply| {
        let first = reply.value()["data"]["items"][0]["id"].as_str().unwrap_or_default();
        let mut seen = seen.lock().unwrap();
        if seen.is_empty() {
            first.clone_into(&mut seen);
        }
    });
    let checked = Check::default().run(lying).await;
    let stranger = listed.lock().unwrap().clone();
    assert!(!stranger.is_empty());
    let written: Vec<_> = naming(&checked, &stranger);
    assert!(written.is_empty(), "{written:?}");
    // It may have overwritten that record, and another would overwrite the next.
    let creates = checked.calls.iter().filter(|call| call.operation == "createContact");
    assert_eq!(creates.count(), 1);
    assert!(checked.denied().any(|finding| finding.rule == "identifier"));
    // Who cleans up by the residue would delete somebody's contact.
    let residue = &checked.record.residue;
    let names_it = residue.iter().any(|left| left.id.as_deref() == Some(&stranger));
    assert!(!names_it && !residue.is_empty(), "{residue:?}");
}

#[tokio::test]
async fn nothing_is_written_under_an_identifier_that_a_gateway_may_take_for_another_path() {
    for around in ["../*", "x/../*", "*/.", "*?x=", "*#", "*;v=1", "*%00", "* ", "*\\"] {
        // The create and the list show the own record under it.
        let renamed = move |id: &str| around.replace('*', id);
        let created = Arc::new(Mutex::new(None::<String>));
        let own = Arc::clone(&created);
        let lying = Deviation::none()
            .at("createContact", move |_, reply| {
                if let Some(id) = reply.value_mut().and_then(|body| body.pointer_mut("/data/id")) {
                    let own_id = id.as_str().unwrap_or_default().to_owned();
                    *id = json!(renamed(&own_id));
                    own.lock().unwrap().get_or_insert(own_id);
                }
            })
            .at("getContacts", move |_, reply| {
                let own = created.lock().unwrap().clone();
                let items = reply.value_mut().and_then(|body| body["data"]["items"].as_array_mut());
                for item in items
                    .into_iter()
                    .flatten()
                    .filter(|item| own.as_deref() == item["id"].as_str())
                {
                    item["id"] = json!(renamed(own.as_deref().unwrap_or_default()));
                }
            });
        let checked = Check::default().run(lying).await;
        let below = below_contacts(&checked);
        let paths = below.iter().map(|call| call.uri.path());
        let written: Vec<_> = paths.filter(|path| path.contains('%')).collect();
        assert!(written.is_empty(), "{around}: {written:?}");
    }
}

#[tokio::test]
async fn an_identifier_that_was_in_doubt_stays_in_doubt_in_the_next_round() {
    // Only the first create succeeds, so nothing in the second round replaces what the first one returned.
    let listed = Arc::new(Mutex::new(String::new()));
    let (seen, given) = (Arc::clone(&listed), Arc::clone(&listed));
    let created = AtomicUsize::new(0);
    let lying = Deviation::none()
        .at("createContact", move |_, reply| {
            if created.fetch_add(1, Ordering::Relaxed) > 0 {
                *reply = Reply::json(422, json!({"message": "no more"}));
            } else if let Some(body) = reply.value_mut() {
                body["data"]["id"] = json!(*given.lock().unwrap());
            }
        })
        .at("getContacts", move |_, reply| {
            let first = reply.value()["data"]["items"][0]["id"].as_str().unwrap_or_default();
            let mut seen = seen.lock().unwrap();
            if seen.is_empty() {
                first.clone_into(&mut seen);
            }
        });
    let check = Check {
        rounds: 2,
        ..Check::default()
    };
    let checked = check.run(lying).await;
    let stranger = listed.lock().unwrap().clone();
    assert!(!stranger.is_empty());
    let written = naming(&checked, &stranger);
    assert!(written.is_empty(), "{written:?}");
}

#[tokio::test]
async fn a_create_with_the_identifier_of_a_record_that_no_page_showed_is_not_written_under() {
    // The record is there all the time, on a page that the walk does not reach, and shows nothing of the run.
    let created = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&created);
    let lying = with_id(|| STRANGER.to_owned())
        .at("createContact", move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
        })
        .relisted(move |call, listing| {
            if call.is("getContacts") && created.load(Ordering::Relaxed) > 0 {
                listing.change(|items| {
                    let mut stranger = items[0].clone();
                    stranger["id"] = json!(STRANGER);
                    items.push(stranger);
                });
            }
        });
    let checked = Check::default().run(lying).await;
    assert_eq!(naming(&checked, STRANGER).len(), 0);
    let rows = checked.record.facts.rows.iter();
    let reasons: HashSet<_> = rows
        .filter(|row| row.operation == "updateContact")
        .filter_map(|row| row.reason.as_deref())
        .collect();
    assert!(
        reasons
            .iter()
            .any(|reason| reason.contains("so it may be another record's")),
        "{reasons:?}"
    );
}

#[tokio::test]
async fn a_list_that_cannot_be_read_is_not_said_to_lack_a_record() {
    let failing = || Deviation::none().at("getContacts", |_, reply| *reply = Reply::json(500, json!({})));
    let hiding = || {
        Deviation::none().relisted(|call, listing| {
            if call.is("getContacts") {
                listing.change(Vec::clear);
            }
        })
    };
    for (deviation, said, unsaid) in [
        (failing(), "could not be read", "shows no record"),
        (hiding(), "shows no record", "could not be read"),
    ] {
        let checked = Check::default().run(deviation).await;
        let rows = checked.record.facts.rows.iter();
        let below = rows.filter(|row| row.operation == "updateContact");
        let reasons: HashSet<_> = below.filter_map(|row| row.reason.as_deref()).collect();
        assert!(reasons.iter().any(|reason| reason.contains(said)), "{reasons:?}");
        assert!(!reasons.iter().any(|reason| reason.contains(unsaid)), "{reasons:?}");
    }
}

#[tokio::test]
async fn what_has_no_identifier_is_not_said_to_be_that_of_another_record() {
    let nothing = Deviation::none().at("createContact", |_, reply| *reply = Reply::json(201, json!(null)));
    let checked = Check::default().run(nothing).await;
    let rows = checked.record.facts.rows.iter();
    let below = rows.filter(|row| row.operation == "updateContact" && row.reason.is_some());
    let reasons: HashSet<_> = below.filter_map(|row| row.reason.as_deref()).collect();
    assert!(!reasons.is_empty());
    let of_another = reasons.iter().find(|reason| reason.contains("another record"));
    assert_eq!(of_another, None, "{reasons:?}");
}

#[tokio::test]
async fn what_never_shows_the_run_tag_is_not_written_under() {
    let blank = |reply: &mut Reply| {
        let Some(data) = reply.value_mut().and_then(|body| body.get_mut("data")) else {
            return;
        };
        for field in ["firstname", "lastname", "full_name", "email"] {
            data[field] = json!("somebody@example.com");
        }
        data["contact_methods"] = json!([]);
    };
    let in_the_response = Deviation::none().at("createContact", move |_, reply| blank(reply));
    let unlisted = Deviation::none().relisted(|call, listing| {
        if call.is("getContacts") {
            listing.change(|items| items.retain(|item| !item["firstname"].to_string().contains("Countersign")));
        }
    });
    for (name, deviation) in [("in the response", in_the_response), ("in the list", unlisted)] {
        let checked = Check::default().run(deviation).await;
        let written = below_contacts(&checked);
        assert!(written.is_empty(), "{name}: {written:?}");
        let visits = checked.calls.iter().filter(|call| call.is("createVisit"));
        assert_eq!(visits.count(), 0, "{name}");
    }
}

#[tokio::test]
async fn own_records_of_a_conforming_service_are_written_to() {
    let checked = Check::default().undisturbed().await;
    assert!(below_contacts(&checked).len() > 20);
    assert_eq!(checked.record.facts.broken, 0);
}

/// What a gateway says of a write that the service behind it has carried out.
fn unclear() -> Vec<(&'static str, Reply)> {
    vec![
        ("303", Reply::empty(303).with(LOCATION, "/")),
        ("408", Reply::empty(408)),
        ("425", Reply::empty(425)),
        ("429", Reply::empty(429)),
        ("429 with a time", Reply::empty(429).with(RETRY_AFTER, "0")),
        ("500", Reply::empty(500)),
        ("502", Reply::empty(502)),
        ("503", Reply::empty(503)),
        ("503 with a time", Reply::empty(503).with(RETRY_AFTER, "0")),
        ("504", Reply::empty(504)),
    ]
}

/// Lets the service carry creates out and answers in its stead; counts what was stored.
fn gateway(reply: Reply) -> (Deviation, Arc<AtomicUsize>) {
    let stored = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&stored);
    let lying = Deviation::none().replied(move |call, response| {
        if call.method == Method::POST && response.succeeded() {
            counted.fetch_add(1, Ordering::Relaxed);
            *response = reply.clone();
        }
    });
    (lying, stored)
}

#[tokio::test]
async fn no_more_is_stored_than_allowed_whatever_a_gateway_answers_and_all_of_it_is_reported() {
    for (name, reply) in sampled(4, unclear()) {
        for rounds in [1, 5] {
            let (lying, stored) = gateway(reply.clone());
            let check = Check {
                max_writes: 3,
                rounds,
                ..Check::concerning("createContact")
            };
            let checked = check.run(lying).await;
            let stored = stored.load(Ordering::Relaxed);
            assert!((1..=3).contains(&stored), "{name}, {rounds} rounds: {stored} stored");
            let reported = checked.record.residue.len();
            assert!(
                reported >= stored,
                "{name}, {rounds} rounds: {reported} of {stored} reported"
            );
            let found = checked
                .record
                .residue
                .iter()
                .filter(|left| left.found == Some(true))
                .count();
            assert!(
                found >= stored.min(1),
                "{name}, {rounds} rounds: {:?}",
                checked.record.residue
            );
            // A create that was sent again is one of several records that are alike.
            let mut records = checked
                .record
                .residue
                .iter()
                .filter(|left| left.operation == "createContact");
            let unseen = records.find(|left| left.found == Some(false));
            assert!(unseen.is_none(), "{name}, {rounds} rounds: {unseen:?}");
        }
    }
}

#[tokio::test]
async fn what_was_rejected_and_is_there_all_the_same_is_found() {
    for operation in ["createContact", "createTag"] {
        let stored = Arc::new(Mutex::new(HashSet::new()));
        let kept = Arc::clone(&stored);
        let lying = Deviation::none().at(operation, move |_, reply| {
            let id = reply.value()["data"]["id"].as_str().unwrap_or_default().to_owned();
            kept.lock().unwrap().insert(id);
            *reply = Reply::json(422, json!({"message": "no"}));
        });
        let checked = Check::concerning(operation).run(lying).await;
        let found: Vec<_> = checked
            .denied()
            .filter(|finding| finding.rule == "rejected-but-stored")
            .collect();
        assert!(
            found.len() == 1 && found[0].fact.starts_with(operation),
            "{operation}: {:?}",
            checked.record.findings
        );
        let stored = stored.lock().unwrap();
        let reported: HashSet<_> = checked
            .record
            .residue
            .iter()
            .filter_map(|left| left.id.clone())
            .collect();
        assert!(
            !stored.is_empty() && stored.is_subset(&reported),
            "{operation}: {stored:?}, reported {reported:?}"
        );
    }
}

#[tokio::test]
async fn a_rejection_that_stores_nothing_is_no_residue_and_no_finding() {
    for status in sampled(3, [400, 404, 409, 415, 422]) {
        let rejecting = Deviation::none().answering(move |call| {
            (call.method == Method::POST).then(|| Reply::json(status, json!({"message": "no"})))
        });
        let checked = Check::default().run(rejecting).await;
        assert!(
            checked.record.residue.is_empty(),
            "{status}: {:?}",
            checked.record.residue
        );
        assert!(
            checked
                .record
                .findings
                .iter()
                .all(|finding| finding.rule != "rejected-but-stored"),
            "{status}"
        );
    }
}

#[tokio::test]
async fn what_is_no_identifier_is_used_kept_and_reported_nowhere() {
    let person = json!({"name": "Vivian Nobody", "contact": "vivian.nobody@example.com"});
    let long = json!(format!("{}-vivian-nobody", "x".repeat(7 << 20)));
    for (name, id) in [("a person", person), ("seven mebibytes", long)] {
        let lying = Deviation::none().replied(move |call, reply| {
            if call.method == Method::POST
                && reply.succeeded()
                && let Some(body) = reply.value_mut()
            {
                body["data"]["id"] = id.clone();
            }
        });
        let checked = Check::concerning("updateContact").run(lying).await;
        for call in checked.calls.iter().filter(|call| call.is_write()) {
            let sent = format!("{} {}", call.uri, String::from_utf8_lossy(&call.bytes)).to_lowercase();
            assert!(!sent.contains("vivian"), "{name}: {}", call.uri);
        }
        let reported = serde_json::to_string(&checked.record).unwrap();
        assert!(!reported.to_lowercase().contains("vivian"), "{name}");
        assert!(reported.len() < 4 << 20, "{name}: {} bytes", reported.len());
        assert!(
            checked
                .record
                .findings
                .iter()
                .any(|finding| finding.rule == "unusable-identifier"),
            "{name}"
        );
    }
}
