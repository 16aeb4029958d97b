//! Answers that are wrong as a whole: status, media type, JSON, completeness, envelope.

use std::fmt::Debug;

use axum::body::Bytes;
use axum::http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use serde_json::json;

use super::{Fault, prove};
use crate::proof::call::{Payload, Reply};
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

/// A fault of each of the operations, the variants dealt out among them in turn.
fn at_each<Variant: Copy + Debug + Send + Sync + 'static>(
    operations: impl Iterator<Item = &'static str>,
    variants: &[Variant],
    tell: fn(Variant, &mut Reply),
    found_by: impl Fn(Fault, &str, Variant) -> Fault,
) {
    let fault = |(operation, variant): (&'static str, &Variant)| {
        let variant = *variant;
        let deviation = Deviation::none().at(operation, move |_, reply| tell(variant, reply));
        found_by(
            Fault::new(format!("{operation}: {variant:?}"), deviation),
            operation,
            variant,
        )
    };
    prove(operations.zip(variants.iter().cycle()).map(fault).collect());
}

#[test]
fn another_media_type_or_none_is_found() {
    let types = [
        Some("text/html"),
        None,
        Some("application/problem+json"),
        Some("text/plain"),
        Some("application/jsonl"),
    ];
    let tell = |media_type: Option<&'static str>, reply: &mut Reply| {
        reply.headers.remove(CONTENT_TYPE);
        if let Some(media_type) = media_type {
            reply.headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        }
    };
    at_each(answering(), &types, tell, |fault, operation, _| {
        fault.found_by("media-type", operation)
    });
}

#[test]
fn a_body_that_is_no_json_is_found() {
    let bodies = ["", r#"{"data":{"#, "<html></html>", "{} {}", r#"{"data":{},}"#];
    let tell = |body: &'static str, reply: &mut Reply| reply.body = Payload::Raw(Bytes::from_static(body.as_bytes()));
    at_each(answering(), &bodies, tell, |fault, operation, _| {
        fault.found_by("malformed-json", operation)
    });
}

#[test]
fn a_name_that_stands_twice_is_found_where_it_stands() {
    let tell = |name: &str, reply: &mut Reply| {
        let twice = format!(r#""data":{{"{name}":0,"#);
        let written = reply.written().replacen(r#""data":{"#, &twice, 1);
        reply.body = Payload::Raw(Bytes::from(written));
    };
    let creates = || answering().filter(|operation| operation.starts_with("create"));
    at_each(creates(), &["id"], tell, |fault, operation, _| {
        fault.found_by("malformed-json", operation).at("/data/id")
    });
    let lists = answering().filter(|operation| operation.starts_with("get"));
    at_each(lists, &["total", "page"], tell, |fault, operation, name| {
        fault.found_by("malformed-json", operation).at(&format!("/data/{name}"))
    });
}

#[test]
fn an_answer_that_is_cut_is_found() {
    let tell = |part: usize, reply: &mut Reply| {
        let mut whole = reply.written();
        whole.truncate(whole.len() * part / 100);
        reply.body = Payload::Cut(Bytes::from(whole));
    };
    at_each(all(), &[50, 0, 99], tell, |fault, operation, _| {
        fault.found_by("unfinished-answer", operation)
    });
}

#[test]
fn a_success_of_create_tag_other_than_201_is_found() {
    for status in [200, 202, 204] {
        let tell = |status: u16, reply: &mut Reply| reply.status = status;
        at_each(["createTag"].into_iter(), &[status], tell, |fault, operation, _| {
            fault.found_by("status", operation)
        });
    }
}

#[test]
fn an_operation_that_does_not_exist_or_is_moved_is_found() {
    let tell = |status: u16, reply: &mut Reply| *reply = Reply::empty(status);
    for statuses in [&[404][..], &[405, 501, 301, 410]] {
        at_each(all(), statuses, tell, |fault, operation, status| {
            // The service beneath has stored what it says that it cannot find.
            let fault = fault.bringing(&["stored-refusal"]);
            fault.found_by(if status == 501 { "server-error" } else { "status" }, operation)
        });
    }
}

#[test]
fn a_server_error_is_found() {
    let tell = |status: u16, reply: &mut Reply| *reply = Reply::text(status, "text/html", "<h1>sorry</h1>");
    at_each(all(), &[500, 502, 504], tell, |fault, operation, _| {
        fault.found_by("server-error", operation)
    });
}

#[test]
fn a_server_that_stays_away_is_found() {
    let tell = |status: u16, reply: &mut Reply| *reply = Reply::empty(status).with(RETRY_AFTER, "0");
    at_each(all(), &[503], tell, |fault, operation, _| {
        fault.found_by("server-error", operation)
    });
}

#[test]
fn an_envelope_with_another_key_is_found_at_that_key() {
    let tell = |at: &str, reply: &mut Reply| {
        let object = reply.value_mut().unwrap().pointer_mut(at).unwrap();
        object["status"] = json!("ok");
    };
    at_each(answering(), &[""], tell, |fault, operation, _| {
        fault.found_by("envelope", operation).at("/status")
    });
    let lists = answering().filter(|operation| operation.starts_with("get"));
    at_each(lists, &["/data"], tell, |fault, operation, _| {
        fault.found_by("envelope", operation).at("/data/status")
    });
}

#[test]
fn custom_fields_in_a_create_response_are_found() {
    for custom in ["{}", r#"{"size":"L"}"#, "null"] {
        let tell = |custom: &str, reply: &mut Reply| {
            reply.value_mut().unwrap()["data"]["custom_fields"] = serde_json::from_str(custom).unwrap();
        };
        at_each(["createContact"].into_iter(), &[custom], tell, |fault, operation, _| {
            fault.found_by("forbidden-field", operation).at("/data/custom_fields")
        });
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
