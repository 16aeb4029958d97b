//! Gaps that the variety of requests reaches: names beyond ASCII, fields sent alone, empty bodies, updates that show
//! late.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Move, prove};
use crate::proof::call::{Call, Reply};
use crate::proof::checked::Check;
use crate::proof::deviating::Deviation;
use crate::proof::variety::is_lone;

/// Changes every text of every response.
fn each_text(change: fn(&str) -> String) -> Deviation {
    Deviation::none().replied(move |_, reply| {
        if let Some(body) = reply.value_mut() {
            texts(body, change);
        }
    })
}

fn texts(value: &mut Value, change: fn(&str) -> String) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|element| texts(element, change)),
        Value::Object(members) => members.values_mut().for_each(|member| texts(member, change)),
        Value::String(text) => *text = change(text),
        _ => {}
    }
}

/// Rejects the writes whose body is rejected by this.
fn rejecting(rejected: impl Fn(&Call, &Value) -> bool + Send + Sync + 'static) -> Deviation {
    Deviation::none().answering(move |call| {
        let rejected = call.is_write() && rejected(call, &call.body());
        rejected.then(|| Reply::json(422, json!({"message": "not acceptable"})))
    })
}

#[test]
fn a_service_may_compose_or_decompose_accents() {
    let composed = each_text(|text| ComposingNormalizer::new_nfc().normalize(text).into_owned());
    let decomposed = each_text(|text| DecomposingNormalizer::new_nfd().normalize(text).into_owned());
    prove(vec![
        Move::new("composed", composed),
        Move::new("decomposed", decomposed),
    ]);
}

#[test]
fn a_name_beyond_ascii_may_be_rejected() {
    let holds = |fits: fn(char) -> bool| rejecting(move |_, body| !body.to_string().chars().all(fits));
    prove(vec![
        Move::new("ASCII alone", holds(|letter| letter.is_ascii())),
        Move::new("the basic plane alone", holds(|letter| u32::from(letter) < 0x1_0000)),
        Move::new(
            "no right to left",
            holds(|letter| !('\u{590}'..'\u{700}').contains(&letter)),
        ),
    ]);
}

#[test]
fn a_body_of_one_field_or_none_may_be_rejected() {
    let fields = |body: &Value| body.as_object().map_or(0, serde_json::Map::len);
    prove(vec![
        Move::new("of none", rejecting(move |_, body| fields(body) == 0)),
        Move::new("of one", rejecting(move |_, body| fields(body) == 1)),
        Move::new(
            "of less than all in an update",
            rejecting(move |call, body| call.is("updateContact") && fields(body) < 11),
        ),
    ]);
}

#[test]
fn an_update_of_nothing_may_be_answered_in_any_way_that_rejects_it() {
    let moves = [400, 409, 422].map(|status| {
        let nothing = Deviation::none().answering(move |call| {
            let nothing = call.is("updateContact") && call.body() == json!({});
            nothing.then(|| Reply::text(status, "text/html", "<h1>Nothing to do.</h1>"))
        });
        Move::new(format!("{status} to an update of nothing"), nothing)
    });
    prove(moves.into());
}

#[test]
fn a_create_of_what_is_there_may_answer_that_record() {
    let tags: Arc<Mutex<Option<Value>>> = Arc::default();
    let seen = Arc::clone(&tags);
    let merging = Deviation::none()
        .at("getTags", move |_, reply| {
            let first = reply.value()["data"]["items"][0].clone();
            tags.lock().unwrap().get_or_insert(first);
        })
        .answering(move |call| {
            let nameless = call.is("createTag") && call.body().get("name").is_none();
            let tag = seen.lock().unwrap().clone().filter(|_| nameless)?;
            Some(Reply::json(201, json!({"message": "Tag created", "data": tag})))
        });
    prove(vec![
        Move::new("a tag without a name is the first one", merging).checked(nameless_first()),
    ]);
}

/// A check whose seed sends a tag without a name first.
fn nameless_first() -> Check {
    let fits = |seed: &u64| {
        let variant = crate::proof::variety::first("createTag", *seed);
        variant.to_string() == "/color alone" || variant.to_string() == "no field"
    };
    Check {
        seed: (1..100).find(fits).unwrap(),
        ..Check::default()
    }
}

#[test]
fn a_list_may_show_what_was_updated_last_at_its_front() {
    let newest_first = Deviation::none().relisted(|_, listing| {
        listing.change(|items| {
            let stamp = |item: &Value| item["updated_at"].as_str().unwrap_or_default().to_owned();
            items.sort_by_key(|item| std::cmp::Reverse(stamp(item)));
        });
    });
    prove(vec![Move::new("by updated_at, newest first", newest_first)]);
}

#[test]
fn an_update_may_show_a_little_later() {
    type Before = HashMap<String, (Instant, Value)>;
    let shown: Arc<Mutex<HashMap<String, Value>>> = Arc::default();
    let stale: Arc<Mutex<Before>> = Arc::default();
    let (rows, marks) = (Arc::clone(&shown), Arc::clone(&stale));
    let late = Deviation::none()
        .replied(move |call, reply| {
            if call.is("updateContact") && reply.succeeded() && is_lone(&call.body()) {
                let id = call.uri.path().rsplit('/').next().unwrap().to_owned();
                if let Some(row) = rows.lock().unwrap().get(&id) {
                    marks.lock().unwrap().insert(id, (Instant::now(), row.clone()));
                }
            }
        })
        .relisted(move |call, listing| {
            if !call.is("getContacts") {
                return;
            }
            let stale = stale.lock().unwrap();
            listing.change(|items| {
                for item in items.iter_mut() {
                    let id = item["id"].as_str().unwrap_or_default();
                    match stale.get(id) {
                        Some((since, row)) if since.elapsed() < Duration::from_millis(30) => *item = row.clone(),
                        _ => drop(shown.lock().unwrap().insert(id.to_owned(), item.clone())),
                    }
                }
            });
        });
    let check = Check {
        settle: Duration::from_secs(2),
        ..Check::default()
    };
    prove(vec![Move::new("updates show after 30 ms", late).checked(check)]);
}
