//! Responses made from a document's own schemas are judged by it: there is no finding at deny or warn.

use std::collections::BTreeSet;
use std::time::Duration;

use countersign::contract::is_json;
use countersign::contract::operation::SecurityScheme;
use countersign::contract::operation::{OperationId, StatusPattern};
use countersign::exchange::redact::ValueDisplay;
use countersign::exchange::{Credential, Exchange, Purpose, RejectionMeaning, Request, Response};
use countersign::rules::{Judge, Levels};
use http::{HeaderMap, HeaderValue, header};
use serde_json::Value;

use super::documents::{Document, foreign, own};
use super::headers;
use super::values::{Maker, admits};

/// How many responses are made for each documented one.
const TRIES: u64 = 6;

/// What came of a document.
#[derive(Default)]
struct Tally {
    documented: usize,
    judged: usize,
    /// Responses for which no value was found.
    unmade: BTreeSet<String>,
    false_alarms: BTreeSet<String>,
}

#[test]
fn conforming_responses_to_our_own_documents_raise_nothing() {
    for document in own() {
        let tally = tally(&document);
        assert!(tally.false_alarms.is_empty(), "{}", lines(&tally.false_alarms));
        assert!(tally.unmade.is_empty(), "no response to {}", lines(&tally.unmade));
        assert!(tally.judged > 0, "{}", document.name);
    }
}

#[test]
fn conforming_responses_to_strangers_documents_raise_nothing() {
    let (mut documented, mut judged, mut unmade, mut alarms) = (0, 0, BTreeSet::new(), BTreeSet::new());
    for document in foreign() {
        let tally = tally(&document);
        documented += tally.documented;
        judged += tally.judged;
        unmade.extend(tally.unmade);
        alarms.extend(tally.false_alarms);
    }
    println!(
        "{judged} responses judged to {documented} documented; none made of {}:\n{}",
        unmade.len(),
        lines(&unmade)
    );
    assert!(alarms.is_empty(), "{} false alarms:\n{}", alarms.len(), lines(&alarms));
}

fn lines(texts: &BTreeSet<String>) -> String {
    texts.iter().cloned().collect::<Vec<_>>().join("\n")
}

fn tally(document: &Document) -> Tally {
    let mut tally = Tally::default();
    for id in document.contract.operation_ids() {
        let operation = document.contract.operation(id);
        for response in &operation.responses {
            let Some(status) = status(response.status, operation.successes().next().is_none()) else {
                continue;
            };
            let node = resolved(&document.json, &response.pointer);
            let content = node["content"].as_object().into_iter().flatten();
            let json = content
                .into_iter()
                .find(|(media, inner)| is_json(media) && inner.get("schema").is_some());
            if let Some((media, inner)) = json {
                tally.documented += 1;
                let made = made(document, &inner["schema"], |seed, value| {
                    let headers = headers::made(&document.json, node, seed);
                    let exchange = exchange((document, id), headers, (status, media), value);
                    findings(document, &exchange)
                });
                let called = format!("{} {} {}", document.name, operation.name, response.status);
                match made {
                    Some(found) if found.is_empty() => tally.judged += 1,
                    Some(found) => tally
                        .false_alarms
                        .extend(found.into_iter().map(|finding| format!("{called}: {finding}"))),
                    None => drop(tally.unmade.insert(called)),
                }
            }
        }
    }
    tally
}

/// What is found in the first values that the schema admits; none where no such value was made.
fn made(document: &Document, schema: &Value, find: impl Fn(u64, &Value) -> Vec<String>) -> Option<Vec<String>> {
    let mut outcome = None;
    for seed in 0..TRIES {
        let Some(value) = Maker::new(&document.json, seed).value(schema) else {
            continue;
        };
        let found = find(seed, &value);
        if found.is_empty() {
            outcome = outcome.or(Some(Vec::new()));
        } else if admits(&document.json, schema, &value) == Some(true) {
            return Some(found);
        }
    }
    outcome
}

/// A status that the pattern stands for. A 5xx is a finding by itself.
pub(super) fn status(pattern: StatusPattern, only: bool) -> Option<u16> {
    match pattern {
        StatusPattern::Exact(500..) | StatusPattern::Class(5) => None,
        StatusPattern::Exact(status) => Some(status),
        StatusPattern::Class(class) => Some(class * 100),
        StatusPattern::Default if only => Some(200),
        StatusPattern::Default => Some(422),
    }
}

pub(super) fn resolved<'document>(document: &'document Value, pointer: &str) -> &'document Value {
    let found = document.pointer(pointer).unwrap();
    match found["$ref"].as_str() {
        Some(reference) => resolved(document, reference.strip_prefix('#').unwrap()),
        None => found,
    }
}

fn exchange(
    (document, operation): (&Document, OperationId),
    mut headers: HeaderMap,
    (status, media): (u16, &str),
    body: &Value,
) -> Exchange {
    let documented = document.contract.operation(operation);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(media).unwrap());
    headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    headers.insert(header::ALLOW, HeaderValue::from_static("GET"));
    Exchange {
        number: 1,
        request: Request {
            credential: Credential::Token {
                scheme: SecurityScheme::Bearer,
            },
            ..Request::unfilled(operation, documented)
        },
        sent_after: Duration::ZERO,
        outcome: Ok(Response {
            status,
            headers,
            body: body.to_string().into(),
            was_compressed: false,
            is_body_known: true,
            are_headers_known: true,
            location: None,
            elapsed: Duration::ZERO,
        }),
    }
}

/// Every finding, whatever its level.
fn findings(document: &Document, exchange: &Exchange) -> Vec<String> {
    let contract = &document.contract;
    let mut judge = Judge::new(contract, Levels::default(), ValueDisplay::Shown);
    judge.exchange(exchange, Purpose::Documented(RejectionMeaning::Gap).into());
    let reported = judge.verdicts().findings().iter().map(|finding| {
        let fact = contract.fact(finding.fact);
        format!(
            "{} at {:?} ({}), received {}",
            finding.rule.name, finding.pointer, fact.location, finding.received
        )
    });
    reported.collect()
}
