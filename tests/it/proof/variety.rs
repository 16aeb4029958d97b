//! What the variety of requests reveals, and what it may cost: fields that are lost when sent alone, offsets and
//! characters that come back changed, rows that are lost among several, second pages.

use std::sync::Mutex;

use countersign::plan::{Variant, variants};
use countersign::report::Outcome;
use serde_json::{Value, json};

use super::call::{Call, Reply};
use super::checked::{Check, Checked, contract, described};
use super::deviating::Deviation;
use super::listing::{LISTS, seeded};
use crate::support::{sampled, tried};

/// Whether a body has one field.
pub(super) fn is_lone(body: &Value) -> bool {
    body.as_object().is_some_and(|fields| fields.len() == 1)
}

/// The variant of a create that this seed sends first beside the one with awkward values.
pub(super) fn first(operation: &str, seed: u64) -> Variant {
    let id = contract().operation_named(operation).unwrap();
    let mut others = variants(contract(), id, seed).into_iter();
    others.find(|variant| !matches!(variant, Variant::Awkward(_))).unwrap()
}

/// Lists that show this many of the rows that a new store has, cut into pages of this size. Every contact has a venue
/// to go to, so that list stays whole.
pub(super) fn few(rows: usize, per_page: usize) -> Deviation {
    Deviation::none().relisted(move |call, listing| {
        if !call.is("getVenues") {
            let mut items = listing.take_items();
            let kept = items.split_off(seeded(call.operation).min(items.len()));
            items.truncate(rows);
            items.extend(kept);
            listing.recut(items, per_page);
        }
    })
}

fn changing(change: impl Fn(&Call, &mut Value) + Send + Sync + 'static) -> Deviation {
    Deviation::none().asked(move |call| {
        if call.is_write() {
            let mut body = call.body();
            change(call, &mut body);
            call.set_body(&body);
        }
        None
    })
}

async fn seeing(deviation: Deviation, check: Check) -> Checked {
    check.run(deviation).await
}

/// The authorized updates that are the same as the one before.
fn answering_the_same_update(status: u16) -> Deviation {
    let before = Mutex::new(None);
    Deviation::none().answering(move |call| {
        if !call.is("updateContact") || !call.body().is_object() {
            return None;
        }
        let this = (call.uri.path().to_owned(), call.body());
        let last = before.lock().unwrap().replace(this.clone());
        (last == Some(this)).then(|| Reply::json(status, json!({"message": "nothing was changed"})))
    })
}

#[tokio::test]
async fn an_update_that_fails_when_it_is_sent_again_is_found() {
    for (status, rule) in [(404, "status"), (500, "server-error")] {
        let checked = seeing(answering_the_same_update(status), Check::concerning("updateContact")).await;
        let found: Vec<_> = checked.denied().map(described).collect();
        let is_found = checked
            .denied()
            .any(|finding| finding.rule == rule && finding.fact.starts_with("updateContact "));
        assert!(is_found, "{status}: {found:?}");
    }
    let checked = Check::default().undisturbed().await;
    assert_eq!(checked.denied().count(), 0);
    let updates: Vec<_> = checked.calls.iter().filter(|call| call.is("updateContact")).collect();
    let same = |pair: &&[&Call]| (pair[0].uri.path(), pair[0].body()) == (pair[1].uri.path(), pair[1].body());
    assert!(updates.windows(2).any(|pair| same(&pair)));
}

#[tokio::test]
async fn a_field_that_a_lone_one_turns_into_a_word_for_nothing_is_found_and_one_that_it_clears_is_not() {
    for (field, text, rule) in [
        ("gender", "undefined", Some("stored-spelling")),
        ("firstname", "null", Some("stored-values")),
        ("dob", "1970-01-01", Some("stored-spelling")),
        ("gender", "unknown", None),
        ("firstname", "", None),
    ] {
        let spoiling = changing(move |call, body| {
            if call.is("updateContact")
                && is_lone(body)
                && body.get(field).is_none()
                && body.get("date_of_birth").is_none()
            {
                body[field] = json!(text);
            }
        });
        let checked = seeing(spoiling, Check::default()).await;
        let found: Vec<_> = checked
            .record
            .findings
            .iter()
            .map(|found| found.rule.as_str())
            .collect();
        assert_eq!(found, rule.into_iter().collect::<Vec<_>>(), "{field} {text}");
    }
}

#[tokio::test]
async fn a_field_that_an_update_loses_when_it_stands_alone_is_found() {
    let fields = [
        ("firstname", "stored-values", "/firstname"),
        ("lastname", "stored-values", "/lastname"),
        ("date_of_birth", "stored-values", "/date_of_birth/day"),
        ("contact_methods", "stored-values", "/contact_methods/0/contact"),
        ("gender", "stored-spelling", "/gender"),
        ("nationality", "stored-spelling", "/nationality"),
        ("country_of_residence", "stored-spelling", "/country_of_residence"),
        ("dob", "stored-spelling", "/dob"),
    ];
    // Of both rules.
    for (field, rule, place) in sampled(3, fields) {
        let losing = changing(move |call, body| {
            if call.is("updateContact") && is_lone(body) && body.get(field).is_some() {
                *body = json!({});
            }
        });
        let checked = seeing(losing, Check::concerning("updateContact")).await;
        let place = place.replace("/0/", "/*/");
        let found = checked.record.findings.iter().find(|finding| {
            finding.rule == rule
                && finding.fact == format!("updateContact listed in getContacts {place}: as sent in {place}")
        });
        let all: Vec<_> = checked.record.findings.iter().map(described).collect();
        assert!(found.is_some(), "{field}: {all:?}");
    }
}

#[tokio::test]
async fn a_character_that_comes_back_otherwise_is_found() {
    type Mangle = fn(&str) -> String;
    let ways: [(&str, Mangle); 4] = [
        ("a question mark beyond the basic plane", |text| {
            text.chars()
                .map(|letter| if u32::from(letter) > 0xffff { '?' } else { letter })
                .collect()
        }),
        ("accents lost", |text| {
            text.replace('\u{e9}', "e").replace('\u{301}', "")
        }),
        ("read as Latin-1", |text| text.bytes().map(char::from).collect()),
        ("right to left turned round", |text| match text.find('\u{5e9}') {
            Some(at) => text[..at].to_owned() + &text[at..].chars().rev().collect::<String>(),
            None => text.to_owned(),
        }),
    ];
    for (name, mangle) in sampled(2, ways) {
        let mangling = changing(move |_, body| {
            for field in ["firstname", "name"] {
                if let Some(text) = body.get(field).and_then(Value::as_str) {
                    body[field] = json!(mangle(text));
                }
            }
        });
        let checked = seeing(mangling, Check::concerning("updateContact")).await;
        assert_eq!(checked.outcome(), Outcome::DoesNotConform, "{name}");
        let fact = "updateContact listed in getContacts /firstname: as sent in /firstname";
        assert!(
            checked
                .denied()
                .any(|finding| finding.rule == "stored-values" && finding.fact == fact),
            "{name}"
        );
        assert_eq!(checked.astray("stored-values"), [""; 0], "{name}");
    }
}

#[tokio::test]
async fn an_offset_that_is_dropped_is_found_by_the_seed_that_sends_it() {
    // One of each sign, and one of each with minutes.
    for offset in ["+14:00", "-12:00", "+05:45", "-03:30"].into_iter().take(tried(2, 4)) {
        // By every third seed two visits are created at once in the place of the variants.
        let sends = |seed: &u64| seed % 3 != 1 && first("createVisit", *seed) == Variant::Offset(offset);
        let seed = (1..1000).find(sends);
        let dropping = changing(move |call, body| {
            let sent = body["datetime"]
                .as_str()
                .filter(|sent| call.is("createVisit") && sent.ends_with(offset));
            if let Some(sent) = sent.map(|sent| sent.replace(offset, "Z")) {
                body["datetime"] = json!(sent);
            }
        });
        let check = Check {
            seed: seed.unwrap(),
            ..Check::default()
        };
        let checked = seeing(dropping, check).await;
        let found = checked
            .denied()
            .map(|finding| finding.fact.as_str())
            .collect::<Vec<_>>();
        assert!(
            found.contains(&"createVisit created /data/datetime: as sent in /datetime"),
            "{offset}: {found:?}"
        );
    }
}

#[tokio::test]
async fn a_row_that_is_lost_among_several_is_found() {
    for (create, list) in sampled(2, LISTS) {
        let losing = Deviation::none().relisted(move |call, listing| {
            let first = seeded(list) + if list == "getVisits" { 2 } else { 1 };
            if call.is(list) {
                listing.change(|items| items.truncate(first));
            }
        });
        let checked = seeing(losing, Check::concerning(create)).await;
        let fact = format!("{create} created: listed in {list}");
        assert!(checked.denied().any(|finding| finding.fact == fact), "{list}");
    }
}

#[tokio::test]
async fn a_second_page_that_is_broken_is_found_once_there_is_one() {
    for (create, list) in sampled(2, LISTS) {
        let repeating = few(3, 5).relisted(move |call, listing| {
            if call.is(list) && listing.pages.len() > 1 {
                let first = listing.pages[0].clone();
                listing.pages[1] = first;
            }
        });
        let checked = seeing(repeating, Check::concerning(create)).await;
        let fact = format!("{list} pages /data/items: no item on two pages");
        assert!(checked.denied().any(|finding| finding.fact == fact), "{list}");
        let misnamed = few(3, 5).at(list, |call, reply| {
            if call.page() == Some(2) {
                reply.value_mut().unwrap()["data"]["page"] = json!(1);
            }
        });
        let checked = seeing(misnamed, Check::concerning(create)).await;
        let fact = format!("{list} pages /data/page: the page asked for");
        assert!(checked.denied().any(|finding| finding.fact == fact), "{list}");
    }
}

fn left(checked: &Checked) -> usize {
    checked.record.residue.len()
}

#[tokio::test]
async fn a_run_leaves_few_records_however_many_variants_there_are() {
    for seed in (1..20).take(tried(2, 19)) {
        let check = Check {
            seed,
            ..Check::default()
        };
        let checked = check.undisturbed().await;
        assert!((5..=12).contains(&left(&checked)), "{seed}: {}", left(&checked));
        assert!(checked.denied().next().is_none(), "{seed}");
        assert!(
            checked.record.requests.sent <= 385,
            "{seed}: {}",
            checked.record.requests.sent
        );
    }
}

#[tokio::test]
async fn more_variants_are_created_where_more_may_be_left() {
    let check = Check {
        max_writes: 100,
        ..Check::default()
    };
    let (few, many) = (Check::default().undisturbed().await, check.undisturbed().await);
    assert!(left(&many) > left(&few) + 3, "{} and {}", left(&few), left(&many));
}

#[tokio::test]
async fn a_list_that_no_budget_can_fill_costs_no_record() {
    let (near, far) = (
        Check::default().undisturbed().await,
        seeing(few(3, 100), Check::default()).await,
    );
    assert_eq!(left(&near), left(&far));
}

#[tokio::test]
async fn a_list_is_filled_by_no_more_than_it_lacks_and_walked_once_more() {
    let checked = seeing(few(3, 5), Check::default()).await;
    let tags = checked
        .record
        .residue
        .iter()
        .filter(|residue| residue.operation == "createTag");
    // Three rows, the one of the draft, and two to reach a sixth; one more has awkward values, and one is another
    // variant.
    assert!((4..=5).contains(&tags.count()));
    let asked = checked
        .calls
        .iter()
        .filter(|call| call.is("getTags") && call.page() == Some(2));
    assert!(asked.count() > 0);
}
