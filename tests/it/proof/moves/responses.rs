//! Gaps around a response: success codes, media type parameters, error bodies, the body of an update's response.

use axum::body::Bytes;
use axum::http::header::{self, HeaderValue};
use serde_json::json;

use super::{Move, prove};
use crate::proof::call::{Call, Payload, Reply};
use crate::proof::deviating::Deviation;

#[test]
fn any_2xx_is_a_success_where_the_document_shows_none() {
    let moves = [200, 201, 202, 203].map(|status| {
        let deviation = Deviation::none().replied(move |call, reply| {
            if reply.succeeded() && !call.is("createTag") {
                reply.status = status;
            }
        });
        Move::new(format!("{status} everywhere but on createTag"), deviation)
    });
    prove(moves.into());
}

#[test]
fn an_update_may_answer_anything() {
    let contact = json!({"message": "Contact updated", "data": {"id": 7, "custom_fields": {}}});
    let responses = [
        ("200 and nothing", Reply::empty(200)),
        ("204", Reply::empty(204)),
        ("null", Reply::json(200, json!(null))),
        ("a contact", Reply::json(200, contact)),
        ("an array", Reply::json(202, json!([]))),
        ("text", Reply::text(200, "text/plain", "updated")),
    ];
    let moves = responses.map(|(name, response)| {
        Move::new(
            format!("an update answers {name}"),
            Deviation::none().at("updateContact", move |_, reply| *reply = response.clone()),
        )
        .of("updateContact")
    });
    prove(moves.into());
}

#[test]
fn an_error_body_may_have_any_shape() {
    let bodies = [
        ("nothing", Reply::empty(400)),
        ("HTML", Reply::text(400, "text/html; charset=utf-8", "<h1>No</h1>")),
        ("text", Reply::text(400, "text/plain", "no")),
        (
            "problem details",
            Reply::text(
                400,
                "application/problem+json",
                r#"{"type":"about:blank","title":"No"}"#,
            ),
        ),
        ("a string", Reply::json(400, json!("no"))),
        ("null", Reply::json(400, json!(null))),
        (
            "codes",
            Reply::json(400, json!({"error": {"code": 17, "fields": [{"name": "x"}]}})),
        ),
        ("no JSON at all", Reply::text(400, "application/json", "{no")),
        (
            "an envelope",
            Reply::json(400, json!({"message": "no", "data": null, "status": 7})),
        ),
    ];
    let moves = bodies.map(|(name, body)| {
        let deviation = Deviation::none().replied(move |_, reply| {
            if !reply.succeeded() {
                *reply = Reply {
                    status: reply.status,
                    ..body.clone().challenging_like(reply)
                };
            }
        });
        Move::new(format!("errors are {name}"), deviation)
    });
    prove(moves.into());
}

#[test]
fn application_json_may_have_parameters_and_any_case() {
    let types = [
        "application/json; charset=utf-8",
        "Application/JSON;charset=UTF-8",
        "application/json;profile=\"a\"",
    ];
    let moves = types.map(|media_type| {
        let deviation = Deviation::none().replied(move |_, reply| {
            reply
                .headers
                .insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        });
        Move::new(media_type, deviation)
    });
    prove(moves.into());
}

#[test]
fn a_compressed_response_is_read() {
    let gzip = Deviation::none().replied(|call, reply| {
        let accepts = call
            .headers
            .get(header::ACCEPT_ENCODING)
            .is_some_and(|value| value == "gzip");
        if accepts {
            reply.body = Payload::Raw(gzipped(reply.written().as_bytes()));
            reply
                .headers
                .insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
    });
    let indented = Deviation::none().replied(|_, reply| {
        let written = serde_json::to_string_pretty(reply.value()).unwrap();
        reply.body = Payload::Raw(Bytes::from(format!("\r\n\t{written}\n")));
    });
    prove(vec![
        Move::new("gzip", gzip.in_a_run()),
        Move::new("white space around and within", indented),
    ]);
}

#[test]
fn a_rejected_credential_may_be_any_4xx_outside_create_tag() {
    let moves = [400, 401, 403, 404, 407].map(|status| {
        let deviation = Deviation::none().replied(move |call: &Call, reply: &mut Reply| {
            if reply.status == 401 && !call.is("createTag") {
                let rejected = Reply::empty(status);
                *reply = if status == 401 {
                    rejected.challenging_like(reply)
                } else {
                    rejected
                };
            }
        });
        Move::new(format!("{status} for a wrong credential"), deviation)
    });
    prove(moves.into());
}

#[test]
fn a_401_without_a_challenge_is_warned_about() {
    let bare = Deviation::none().replied(|_, reply| {
        if reply.status == 401 {
            *reply = Reply::empty(401);
        }
    });
    prove(vec![Move::new("no challenge", bare).warning(&["challenge"])]);
}

/// The bytes in one stored block of RFC 1951, in the frame of RFC 1952.
fn gzipped(bytes: &[u8]) -> Bytes {
    let mut framed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let blocks: Vec<_> = bytes.chunks(0xffff).collect();
    for (index, block) in blocks.iter().enumerate() {
        let length = u16::try_from(block.len()).unwrap();
        framed.push(u8::from(index + 1 == blocks.len()));
        framed.extend(length.to_le_bytes());
        framed.extend((!length).to_le_bytes());
        framed.extend(*block);
    }
    framed.extend(checksum(bytes).to_le_bytes());
    framed.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
    Bytes::from(framed)
}

/// The CRC-32 of RFC 1952, section 8.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 }
        })
    })
}
