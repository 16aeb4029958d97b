//! Gaps around requests: closed lists of values, required fields, formats, duplicates, unknown fields, references.

use std::collections::HashSet;
use std::sync::Mutex;

use countersign::contract::pointer;
use serde_json::{Value, json};

use super::{Move, prove};
use crate::proof::call::{Call, Reply};
use crate::proof::checked::contract;
use crate::proof::deviating::Deviation;
use crate::support::tried;

/// How a rejection speaks.
#[derive(Clone, Copy, Debug)]
enum Words {
    Html,
    NamesField,
    NamesNothing,
}

const WAYS: [(u16, Words); 4] = [
    (422, Words::NamesField),
    (400, Words::NamesNothing),
    (409, Words::Html),
    (422, Words::NamesNothing),
];

/// The ways in which a case is rejected: they are dealt out, and each case has all of them where everything is tried.
fn ways(case: usize) -> impl Iterator<Item = (u16, Words)> {
    (case..case + tried(1, WAYS.len())).map(|way| WAYS[way % WAYS.len()])
}

fn rejection(status: u16, words: Words, field: &str) -> Reply {
    let name = field
        .split('/')
        .rfind(|token| token.parse::<usize>().is_err())
        .unwrap_or_default();
    match words {
        Words::Html => Reply::text(status, "text/html", "<h1>That is not possible.</h1>"),
        Words::NamesField => Reply::json(status, json!({"errors": {name: ["is not acceptable"]}})),
        Words::NamesNothing => Reply::json(status, json!({"code": 17})),
    }
}

/// Rejects the bodies of these operations in which `wrong` finds a field.
fn rejecting(
    deviation: Deviation,
    (status, words): (u16, Words),
    wrong: impl Fn(&Call, &Value) -> Option<String> + Send + Sync + 'static,
) -> Deviation {
    deviation.answering(move |call| {
        let field = wrong(call, &call.body()).filter(|_| call.is_write())?;
        Some(rejection(status, words, &field))
    })
}

const CLOSED: [&str; 7] = [
    "/gender",
    "/nationality",
    "/country_of_residence",
    "/dob",
    "/contact_methods/0/type",
    "/contact_methods/0/status",
    "/included_channels/0",
];

#[test]
fn a_value_that_is_not_of_a_closed_list_may_be_rejected() {
    let moves = CLOSED.iter().enumerate().flat_map(|(case, field)| {
        ways(case).map(move |way| {
            let closed = rejecting(Deviation::none(), way, move |call, body| {
                let value = body.pointer(field).filter(|_| call.is("createContact"));
                value.map(|_| (*field).to_owned())
            });
            // The service beneath takes no method without a type, so without one there is no method.
            Move::new(format!("{field} closed, {way:?}"), closed)
                .leaving(430, "")
                .of("createContact")
        })
    });
    prove(moves.collect());
}

#[test]
fn every_list_of_values_may_be_closed_at_once() {
    let moves = WAYS.map(|way| {
        let closed = rejecting(Deviation::none(), way, |call, body| {
            let mut fields = CLOSED
                .iter()
                .filter(|_| call.is("createContact") || call.is("updateContact"));
            fields
                .find(|field| body.pointer(field).is_some())
                .map(|field| (*field).to_owned())
        });
        Move::new(format!("all closed, {way:?}"), closed).leaving(420, "in no accepted request")
    });
    prove(moves.into());
}

#[test]
fn a_method_may_have_closed_lists_too() {
    let moves = ["/status", "/included_channels/0"].into_iter().enumerate();
    let moves = moves.flat_map(|(case, field)| {
        ways(case).map(move |way| {
            let closed = rejecting(Deviation::none(), way, move |call, body| {
                let value = body.pointer(field).filter(|_| call.is("createContactMethod"));
                value.map(|_| field.to_owned())
            });
            Move::new(format!("{field} of a method closed, {way:?}"), closed)
                .leaving(430, "")
                .of("createContactMethod")
        })
    });
    prove(moves.collect());
}

#[test]
fn a_field_may_be_required_and_take_one_of_the_shown_values_alone() {
    let cases = [
        ("/gender", "male"),
        ("/nationality", "FR"),
        ("/contact_methods/0/type", "phone"),
    ];
    let moves = cases.into_iter().zip(WAYS).map(|((field, value), way)| {
        let picky = rejecting(Deviation::none(), way, move |call, body| {
            let right = body.pointer(field).is_some_and(|sent| sent == value);
            (call.is("createContact") && !right).then(|| field.to_owned())
        });
        Move::new(format!("{field} must be {value}, {way:?}"), picky).of("createContact")
    });
    prove(moves.collect());
}

/// The request fields of a schema, at its top.
fn fields(schema: &str) -> Vec<String> {
    let properties = contract()
        .document
        .node(&format!("/components/schemas/{schema}/properties"));
    properties
        .unwrap()
        .members()
        .iter()
        .map(|member| member.name.to_string())
        .collect()
}

const INPUTS: [(&str, &str); 4] = [
    ("createContact", "ContactInput"),
    ("createContactMethod", "ContactMethodInput"),
    ("createVisit", "VisitInput"),
    ("createTag", "TagInput"),
];

#[test]
fn any_request_field_may_be_required() {
    let moves = INPUTS.into_iter().flat_map(|(operation, schema)| {
        fields(schema).into_iter().map(move |field| {
            let name = format!("{operation} requires {field}");
            let required = rejecting(Deviation::none(), (422, Words::NamesField), move |call, body| {
                (call.is(operation) && body.get(&field).is_none()).then(|| field.clone())
            });
            Move::new(name, required).of(operation)
        })
    });
    prove(moves.collect());
}

#[test]
fn every_request_field_may_be_required_at_once() {
    let moves = WAYS.map(|way| {
        let required = rejecting(Deviation::none(), way, |call, body| {
            let (_, schema) = INPUTS.into_iter().find(|(operation, _)| call.is(operation))?;
            fields(schema).into_iter().find(|field| body.get(field).is_none())
        });
        Move::new(format!("all required, {way:?}"), required)
    });
    prove(moves.into());
}

#[test]
fn a_request_field_that_the_document_does_not_list_may_be_rejected() {
    let moves = WAYS.map(|way| {
        let strict = rejecting(Deviation::none(), way, |call, body| {
            let (_, schema) = INPUTS.into_iter().find(|(operation, _)| call.is(operation))?;
            let known = fields(schema);
            body.as_object()?.keys().find(|name| !known.contains(name)).cloned()
        });
        Move::new(format!("unknown fields, {way:?}"), strict)
    });
    prove(moves.into());
}

#[test]
fn the_entries_of_tags_may_be_ids_or_names() {
    let is_id = |body: &Value| {
        body.pointer("/tags/0")
            .and_then(Value::as_str)
            .map(|tag| tag.len() == 36)
    };
    let moves = [true, false].into_iter().enumerate().flat_map(|(case, ids)| {
        ways(case).map(move |way| {
            let one_kind = rejecting(Deviation::none(), way, move |_, body| {
                is_id(body).filter(|id| *id != ids).map(|_| "/tags".to_owned())
            });
            Move::new(
                format!("tags by {}, {way:?}", if ids { "id" } else { "name" }),
                one_kind,
            )
        })
    });
    prove(moves.collect());
}

#[test]
fn what_is_sent_twice_may_be_rejected() {
    let unique: [(&str, &[&str]); 5] = [
        ("createContact", &["/firstname", "/lastname"]),
        ("createContact", &["/contact_methods/0/contact"]),
        ("createContactMethod", &["/contact"]),
        ("createTag", &["/name"]),
        ("createVisit", &["/contact_id", "/datetime"]),
    ];
    let moves = unique.into_iter().zip(WAYS.into_iter().cycle());
    let moves = moves.map(|((operation, fields), way)| {
        let seen: Mutex<HashSet<Vec<Value>>> = Mutex::default();
        let once = rejecting(Deviation::none(), way, move |call, body| {
            let key = fields
                .iter()
                .map(|field| pointer::select(body, field).into_iter().cloned().collect());
            let new = !call.is(operation) || seen.lock().unwrap().insert(key.collect());
            (!new).then(|| fields[0].to_owned())
        });
        Move::new(format!("{operation} {fields:?} once, {way:?}"), once).of(operation)
    });
    prove(moves.collect());
}

#[test]
fn a_service_that_rejects_every_create_leaves_it_open_and_says_so() {
    let moves = INPUTS.into_iter().zip(WAYS).map(|((operation, _), way)| {
        let never = rejecting(Deviation::none(), way, move |call, _| {
            call.is(operation).then(String::new)
        });
        Move::new(format!("{operation} never, {way:?}"), never)
            .leaving(170, "rejected with")
            .warning(&["unchecked-operation"])
    });
    prove(moves.collect());
}

#[test]
fn an_update_may_replace_the_whole_contact() {
    let replaces = Deviation::none().asked(|call| {
        if call.is("updateContact") {
            let mut whole = json!({"lastname": "", "gender": "", "nationality": "", "tags": []});
            let sent = call.body();
            for (name, value) in sent.as_object().into_iter().flatten() {
                whole[name] = value.clone();
            }
            call.set_body(&whole);
        }
        None
    });
    prove(vec![Move::new("an update replaces", replaces).of("updateContact")]);
}
