//! Answers that are wrong as a whole: status, media type, JSON, completeness, envelope.

use axum::body::Bytes;
use axum::http::header;
use serde_json::json;

use super::{Fault, prove};
use crate::proof::call::{Call, Payload, Reply};
use crate::proof::checked::contract;
use crate::proof::deviating::Deviation;

/// The operations whose answers have a documented body.
fn answering() -> impl Iterator<Item = &'static str> {
    let operations = contract()
        .operations
        .iter()
        .filter(|operation| operation.name != "updateContact");
    operations.map(|operation| operation.name.as_str())
}

fn all() -> impl Iterator<Item = &'static str> {
    contract().operations.iter().map(|operation| operation.name.as_str())
}

/// A fault of every one of the operations: its name, and what it makes of a success.
fn at_each(
    operations: impl Iterator<Item = &'static str>,
    name: &str,
    tell: impl Fn(&Call, &mut Reply) + Clone + Send + Sync + 'static,
    found_by: impl Fn(Fault, &str) -> Fault,
) -> Vec<Fault> {
    let fault = |operation: &'static str| {
        let fault = Fault::new(
            format!("{operation}: {name}"),
            Deviation::none().at(operation, tell.clone()),
        );
        found_by(fault, operation)
    };
    operations.map(fault).collect()
}

#[test]
fn another_media_type_is_found() {
    for media_type in ["text/html", "text/plain", "application/problem+json"] {
        let tell = move |_: &Call, reply: &mut Reply| {
            let value = header::HeaderValue::from_static(media_type);
            reply.headers.insert(header::CONTENT_TYPE, value);
        };
        prove(at_each(answering(), media_type, tell, |fault, operation| {
            fault.found_by("media-type", operation)
        }));
    }
}

#[test]
fn an_answer_without_a_media_type_is_found() {
    let tell = |_: &Call, reply: &mut Reply| {
        reply.headers.remove(header::CONTENT_TYPE);
    };
    prove(at_each(answering(), "no media type", tell, |fault, operation| {
        fault.found_by("media-type", operation)
    }));
}

#[test]
fn a_body_that_is_no_json_is_found() {
    for (name, body) in [
        ("empty", ""),
        ("half of it", r#"{"data":{"#),
        ("text", "<html></html>"),
        ("two values", "{} {}"),
        ("a comma too many", r#"{"data":{},}"#),
    ] {
        let tell = move |_: &Call, reply: &mut Reply| {
            reply.body = Payload::Raw(Bytes::from_static(body.as_bytes()));
        };
        prove(at_each(answering(), name, tell, |fault, operation| {
            fault.found_by("malformed-json", operation)
        }));
    }
}

#[test]
fn a_name_that_stands_twice_is_found_where_it_stands() {
    let tell = |_: &Call, reply: &mut Reply| {
        let twice = reply.written().replacen(r#""data":{"#, r#""data":{"id":0,"#, 1);
        reply.body = Payload::Raw(Bytes::from(twice));
    };
    let creates = answering().filter(|operation| operation.starts_with("create"));
    prove(at_each(creates, "id twice", tell, |fault, operation| {
        fault.found_by("malformed-json", operation).at("/data/id")
    }));
}

#[test]
fn an_answer_that_is_cut_is_found() {
    let tell = |_: &Call, reply: &mut Reply| {
        let whole = reply.written();
        reply.body = Payload::Cut(Bytes::from(whole[..whole.len() / 2].to_owned()));
    };
    prove(at_each(all(), "cut", tell, |fault, operation| {
        fault.found_by("unfinished-answer", operation)
    }));
}

#[test]
fn a_success_of_create_tag_other_than_201_is_found() {
    for status in [200, 202, 204] {
        let tell = move |_: &Call, reply: &mut Reply| reply.status = status;
        prove(at_each(
            ["createTag"].into_iter(),
            "other success",
            tell,
            |fault, operation| fault.found_by("status", operation),
        ));
    }
}

#[test]
fn an_operation_that_does_not_exist_or_is_moved_is_found() {
    for status in [301, 404, 405, 410, 501] {
        let tell = move |_: &Call, reply: &mut Reply| *reply = Reply::empty(status);
        let rule = if status == 501 { "server-error" } else { "status" };
        prove(at_each(all(), &status.to_string(), tell, |fault, operation| {
            fault.found_by(rule, operation)
        }));
    }
}

#[test]
fn a_server_error_is_found() {
    for status in [500, 502, 504] {
        let tell = move |_: &Call, reply: &mut Reply| *reply = Reply::text(status, "text/html", "<h1>sorry</h1>");
        prove(at_each(all(), &status.to_string(), tell, |fault, operation| {
            fault.found_by("server-error", operation)
        }));
    }
}

#[test]
fn an_envelope_with_another_key_is_found_at_that_key() {
    let tell = |_: &Call, reply: &mut Reply| reply.value_mut().unwrap()["status"] = json!("ok");
    prove(at_each(answering(), "status beside data", tell, |fault, operation| {
        fault.found_by("envelope", operation).at("/status")
    }));
    let tell = |_: &Call, reply: &mut Reply| reply.value_mut().unwrap()["data"]["name"] = json!("a page");
    let lists = answering().filter(|operation| operation.starts_with("get"));
    prove(at_each(lists, "a name in the page", tell, |fault, operation| {
        fault.found_by("envelope", operation).at("/data/name")
    }));
}

#[test]
fn custom_fields_in_a_create_response_are_found() {
    for custom in [json!({}), json!({"size": "L"}), json!(null)] {
        let tell = move |_: &Call, reply: &mut Reply| {
            reply.value_mut().unwrap()["data"]["custom_fields"] = custom.clone();
        };
        prove(at_each(
            ["createContact"].into_iter(),
            "custom_fields",
            tell,
            |fault, operation| fault.found_by("forbidden-field", operation).at("/data/custom_fields"),
        ));
    }
}

#[test]
fn a_break_in_the_last_row_of_the_last_page_is_found_there() {
    let last = Deviation::none().relisted(|call, listing| {
        if call.is("getContacts") {
            listing.change(|items| items.last_mut().unwrap()["age"] = json!("old"));
        }
    });
    prove(vec![
        Fault::new("one row of all", last)
            .found_by("wrong-type", "getContacts")
            .at("/data/items/*/age"),
    ]);
}
