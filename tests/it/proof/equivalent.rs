//! The same request, spelled differently: a service that rejects it gets a warning, and one that accepts it is asked
//! twice.

use countersign::report::Outcome;
use http::header;
use serde_json::Value;

use super::call::{Call, Reply, TOKEN};
use super::checked::{Check, Checked, described};
use super::deviating::Deviation;
use crate::support::{sampled, tried};

/// Who sees in a call that it is written in a way, the fact that says so and the section.
type Way = (&'static str, fn(&Call) -> bool, &'static str, &'static str);

const WAYS: [Way; 5] = [
    (
        "getContacts",
        |call| call.credential().is_some_and(|value| value.starts_with("bearer ")),
        "lower case",
        "RFC 9110, section 11.1",
    ),
    (
        "updateContact",
        |call| media_type(call).contains("charset"),
        "charset",
        "RFC 8259, section 11",
    ),
    (
        "updateContact",
        |call| text(call).contains("\\u006"),
        "escapes",
        "RFC 8259, section 7",
    ),
    (
        "updateContact",
        |call| text(call).starts_with("\n{ "),
        "another order",
        "RFC 8259, sections 2 and 4",
    ),
    (
        "updateContact",
        |call| call.uri.path().bytes().any(|byte| byte.is_ascii_uppercase()),
        "capitals",
        "RFC 9562, section 4",
    ),
];

fn media_type(call: &Call) -> String {
    let value = call.headers.get(header::CONTENT_TYPE);
    value.map_or_else(String::new, |value| value.to_str().unwrap().to_owned())
}

fn text(call: &Call) -> String {
    String::from_utf8_lossy(&call.bytes).into_owned()
}

/// The calls that are written otherwise in any way.
fn written_otherwise(checked: &Checked) -> Vec<&Call> {
    let with_token = |call: &&Call| {
        call.credential()
            .is_some_and(|value| value.to_lowercase().ends_with(TOKEN))
    };
    let edge_case = |call: &&Call| {
        WAYS.iter()
            .any(|(operation, is_written, ..)| call.is(operation) && is_written(call))
    };
    checked.calls.iter().filter(with_token).filter(edge_case).collect()
}

/// A service that rejects what is written in one of these ways.
fn rejecting(ways: &'static [usize], status: u16) -> Deviation {
    Deviation::none().asked(move |call| {
        let rejects = ways.iter().any(|way| WAYS[*way].1(call));
        rejects.then(|| Reply::empty(status))
    })
}

fn warned(checked: &Checked) -> Vec<&str> {
    let findings = checked.warned().filter(|finding| finding.rule == "equivalent-request");
    findings.map(|finding| finding.fact.as_str()).collect()
}

#[tokio::test]
async fn a_rejected_way_of_writing_is_reported_with_the_section_and_the_service_conforms() {
    for (turn, (operation, is_written, part, section)) in WAYS.into_iter().enumerate() {
        let statuses = [400, 401, 404, 415, 500].into_iter().cycle().skip(turn);
        for status in statuses.take(tried(1, 5)) {
            let only = [&[0][..], &[1], &[2], &[3], &[4]][turn];
            let checked = Check::concerning(operation).run(rejecting(only, status)).await;
            let findings: Vec<_> = checked
                .warned()
                .filter(|finding| finding.rule == "equivalent-request")
                .collect();
            assert_eq!(findings.len(), 1, "{part} {status}: {:?}", warned(&checked));
            assert!(
                findings[0].fact.starts_with(operation) && findings[0].fact.contains(part),
                "{}",
                described(findings[0])
            );
            assert!(findings[0].documented.contains(section), "{}", findings[0].documented);
            assert_eq!(findings[0].received, status.to_string());
            assert_eq!(
                checked.outcome(),
                Outcome::Conforms,
                "{part} {status}: {:?}",
                checked.denied().map(described).collect::<Vec<_>>()
            );
            assert!(checked.calls.iter().any(is_written));
        }
    }
}

#[tokio::test]
async fn each_of_several_ways_that_are_rejected_is_reported_and_no_other() {
    let checked = Check::default().run(rejecting(&[1, 3], 400)).await;
    assert_eq!(
        warned(&checked),
        [
            "updateContact equivalent request: JSON in another order, with white space",
            "updateContact equivalent request: a charset in the media type",
        ]
    );
}

#[tokio::test]
async fn a_service_that_takes_every_way_is_asked_twice_and_left_as_it_was() {
    let checked = Check::default().undisturbed().await;
    assert_eq!(checked.record.findings.len(), 0);
    let calls = written_otherwise(&checked);
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls.iter().all(|call| call.method != http::Method::POST));
    let rows = checked.rows("equivalent-request");
    assert_eq!(rows.filter(|row| row.reason.is_none()).count(), 5);
}

#[tokio::test]
async fn what_is_written_otherwise_is_what_was_accepted() {
    let checked = Check::default().undisturbed().await;
    let written = written_otherwise(&checked)
        .into_iter()
        .find(|call| call.is_write())
        .unwrap();
    let fields = |call: &Call| {
        call.body().as_object().map(|body| {
            let mut fields: Vec<_> = body.keys().cloned().collect();
            fields.sort();
            fields
        })
    };
    let plain = |call: &&Call| {
        call.is("updateContact")
            && call.is_authorized()
            && call.uri.path().to_uppercase() == written.uri.path().to_uppercase()
    };
    let mut updates = checked.calls.iter().filter(plain);
    assert!(updates.any(|call| call.uri != written.uri && fields(call) == fields(written)));
}

#[tokio::test]
async fn a_read_only_check_writes_a_read_otherwise_alone() {
    let check = Check {
        writes: false,
        ..Check::default()
    };
    let checked = check.run(rejecting(&[0], 401)).await;
    assert_eq!(
        warned(&checked),
        ["getContacts equivalent request: the scheme in lower case"]
    );
    assert!(checked.calls.iter().all(|call| !call.is_write()));
}

#[tokio::test]
async fn a_service_that_rejects_the_plain_request_too_or_asks_for_time_is_not_warned_of() {
    for status in sampled(2, [429, 503]) {
        let checked = Check::default().run(rejecting(&[0, 1, 2, 3, 4], status)).await;
        assert_eq!(warned(&checked), [""; 0], "{status}");
    }
    // Once something was written otherwise, no update is taken any more.
    let over = std::sync::atomic::AtomicBool::new(false);
    let rejecting = Deviation::none().asked(move |call| {
        let written = WAYS[1].1(call) || over.load(std::sync::atomic::Ordering::Relaxed);
        over.fetch_or(written, std::sync::atomic::Ordering::Relaxed);
        (written && call.is("updateContact")).then(|| Reply::empty(409))
    });
    let checked = Check::concerning("updateContact").run(rejecting).await;
    assert_eq!(warned(&checked), [""; 0]);
    let rows = checked
        .rows("equivalent-request")
        .filter(|row| row.operation == "updateContact");
    let reasons: Vec<_> = rows.filter_map(|row| row.reason.as_deref()).collect();
    assert_eq!(
        reasons,
        ["rejected with 409, perhaps because of a gap in the document"; 4]
    );
}

/// Writes every UUID of a body in another case.
fn in_case(value: &mut Value, case: fn(&str) -> String) {
    match value {
        Value::String(text) if text.len() == 36 && text.matches('-').count() == 4 => *text = case(text),
        Value::Array(elements) => elements.iter_mut().for_each(|element| in_case(element, case)),
        Value::Object(members) => members.values_mut().for_each(|member| in_case(member, case)),
        _ => {}
    }
}

#[tokio::test]
async fn an_identifier_without_capitals_is_not_written_in_them_and_that_is_said() {
    // A service that writes its UUIDs in capitals itself, over one that writes them in lower case.
    let renaming = Deviation::none()
        .asked(|call| {
            if call.is_write() {
                let mut body = call.body();
                in_case(&mut body, str::to_ascii_lowercase);
                call.set_body(&body);
            }
            None
        })
        .replied(|_, reply| {
            if let Some(body) = reply.value_mut() {
                in_case(body, str::to_ascii_uppercase);
            }
        });
    let checked = Check::default().run(renaming).await;
    let mut rows = checked.record.facts.rows.iter();
    let row = rows.find(|row| row.fact.ends_with("the UUID in capitals")).unwrap();
    assert_eq!(
        row.reason.as_deref(),
        Some("the identifier is not a UUID with a lower-case letter")
    );
    assert!(warned(&checked).is_empty());
}

#[tokio::test]
async fn a_body_whose_charset_is_taken_for_an_encoding_is_found() {
    let reading = Deviation::none().asked(|call| {
        if call.is("updateContact") && media_type(call).contains("charset") {
            let read: String = call.bytes.iter().map(|byte| char::from(*byte)).collect();
            let body: Value = serde_json::from_str(&read).unwrap();
            call.set_body(&body);
        }
        None
    });
    let checked = Check::default().run(reading).await;
    let found: Vec<_> = checked.denied().map(|finding| finding.rule.as_str()).collect();
    assert!(
        !found.is_empty() && found.iter().all(|rule| *rule == "stored-values"),
        "{found:?}"
    );
}
