//! Gaps around values: null, the format of timestamps, spelling, undocumented fields, numbers.

use chrono::{DateTime, FixedOffset, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::{Move, prove};
use crate::proof::deviating::Deviation;

/// Changes every member of every object in the successful responses.
fn each_member(change: impl Fn(&str, &mut Value) + Send + Sync + 'static) -> Deviation {
    Deviation::none().replied(move |_, reply| {
        if reply.succeeded()
            && let Some(body) = reply.value_mut()
        {
            members(body, &change);
        }
    })
}

fn members(value: &mut Value, change: &dyn Fn(&str, &mut Value)) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|element| members(element, change)),
        Value::Object(object) => {
            for (name, member) in object {
                members(member, change);
                change(name, member);
            }
        }
        _ => {}
    }
}

#[test]
fn an_unset_field_may_be_null() {
    let blank = |value: &Value| match value {
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.values().all(Value::is_null),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    let nulls = each_member(move |name, value| {
        if blank(value) && !["items", "data"].contains(&name) {
            *value = Value::Null;
        }
    });
    prove(vec![
        Move::new("null where nothing is set", nulls).warning(&["null-value"]),
    ]);
}

#[test]
fn every_field_that_a_request_does_not_set_may_be_null() {
    let unset = [
        "full_name", "age", "email", "phone", "tags", "custom_fields", "first_visit", "first_visited_at",
        "first_visited_venue", "last_visit", "last_visited_at", "last_visited_venue", "excluded_channels",
        "created_at", "updated_at", "address", "country",
    ];
    let nulls = each_member(move |name, value| {
        if unset.contains(&name) {
            *value = Value::Null;
        }
    });
    let moved = Move::new("null for all of them", nulls).warning(&["null-value"]);
    prove(vec![moved.leaving(350, "the value was null, and null is a gap")]);
}

#[test]
fn a_timestamp_may_have_any_form() {
    type Form = fn(DateTime<Utc>) -> String;
    let forms: [(&str, Form); 8] = [
        ("an offset", |at| {
            at.with_timezone(&FixedOffset::east_opt(19_800).unwrap()).to_rfc3339()
        }),
        ("milliseconds", |at| at.to_rfc3339_opts(SecondsFormat::Millis, true)),
        ("a space", |at| at.format("%Y-%m-%d %H:%M:%S+00:00").to_string()),
        ("an offset without a colon", |at| {
            at.format("%Y-%m-%dT%H:%M:%S+0000").to_string()
        }),
        ("no zone", |at| at.format("%Y-%m-%d %H:%M:%S").to_string()),
        ("RFC 2822", |at| at.to_rfc2822()),
        ("seconds since 1970", |at| at.timestamp().to_string()),
        ("day first", |at| at.format("%d/%m/%Y %H:%M").to_string()),
    ];
    let moves = forms.map(|(name, form)| {
        let deviation = each_member(move |_, value| {
            let text = value.as_str().filter(|text| text.contains('T'));
            if let Some(at) = text.and_then(|text| DateTime::parse_from_rfc3339(text).ok()) {
                *value = json!(form(at.to_utc()));
            }
        });
        Move::new(format!("timestamps with {name}"), deviation)
    });
    prove(moves.into());
}

#[test]
fn a_value_of_a_closed_list_may_come_back_spelled_otherwise() {
    let listed = ["gender", "status", "type", "nationality", "country_of_residence"];
    let upper = each_member(move |name, value| {
        if let (true, Some(text)) = (listed.contains(&name), value.as_str()) {
            *value = json!(text.to_uppercase().replace("FEMALE", "F"));
        }
    });
    let dates = each_member(|name, value| {
        if let (true, Some([year, month, day])) = (name == "dob", value.as_str().map(parts)) {
            *value = json!(format!("{day}.{month}.{year}"));
        }
    });
    // What the target lists in upper case is sent in upper case, so only what it shortens comes back otherwise.
    prove(vec![
        Move::new("upper case", upper.in_a_run()),
        Move::new("dob as day.month.year", dates).warning(&["stored-spelling"]),
    ]);
}

#[test]
fn what_is_sent_may_be_kept_under_another_spelling() {
    let lower = Deviation::none().replied(|call, reply| {
        let kept = reply.value_mut().filter(|_| call.is("createContact"));
        if let Some(contact) = kept
            .and_then(|body| body.pointer_mut("/data"))
            .filter(|contact| contact.is_object())
        {
            contact["gender"] = json!("2");
            contact["nationality"] = json!("GBR");
            contact["contact_methods"][0]["type"] = json!("E-MAIL");
        }
    });
    prove(vec![Move::new("codes of its own", lower).warning(&["stored-spelling"])]);
}

fn parts(text: &str) -> [String; 3] {
    let mut parts = text.split('-').map(str::to_owned);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

#[test]
fn a_resource_may_have_fields_that_the_document_does_not_list() {
    let more = Deviation::none().replied(|_, reply| {
        let Some(body) = reply.value_mut() else { return };
        let listed = body.pointer_mut("/data/items").and_then(Value::as_array_mut);
        listed
            .into_iter()
            .flatten()
            .for_each(|item| item["source"] = json!({"name": "import", "rank": 1}));
        if let Some(created) = body.pointer_mut("/data").filter(|created| created.get("id").is_some()) {
            created["source"] = json!("interface");
        }
    });
    prove(vec![
        Move::new("a source in each", more).warning(&["undocumented-field"]),
    ]);
}

#[test]
fn an_integer_may_be_written_with_a_fraction_of_nothing() {
    let fractions = each_member(|_, value| {
        if let Some(integer) = value.as_f64() {
            *value = json!(integer);
        }
    });
    prove(vec![Move::new("1.0", fractions)]);
}
