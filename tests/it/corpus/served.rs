//! A stub that follows a document is checked against it, in this process: nothing is found, and each operation that is
//! not called has a reason.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use chrono::DateTime;
use countersign::Check;
use countersign::contract::is_json;
use countersign::contract::operation::{Operation, ParameterLocation, Security, SecurityScheme};
use countersign::rules::{UNCHECKED_OPERATION, Verdict};
use countersign::run::{Run, RunEnd};
use http::{HeaderMap, StatusCode, header};
use serde_json::Value;

use super::documents::{Document, foreign, own};
use super::judged::{resolved, status};
use super::values::{Maker, admits};

const TOKEN: &str = "corpus-token";

/// What a run over a document did.
struct Outcome {
    run: Run,
    found: BTreeSet<String>,
    called: usize,
}

#[test]
fn a_stub_of_each_of_our_own_documents_conforms() {
    for document in own() {
        let document = Arc::new(document);
        let outcome = checked(&document);
        assert_eq!(outcome.run.ended, RunEnd::Complete, "{}", document.name);
        assert!(outcome.found.is_empty(), "{}: {:?}", document.name, outcome.found);
        assert!(outcome.called > 0, "{}", document.name);
    }
}

#[test]
fn stubs_of_strangers_documents_conform() {
    let (mut operations, mut called, mut found) = (0, 0, BTreeSet::new());
    for document in foreign().map(Arc::new) {
        let outcome = checked(&document);
        operations += document.contract.operations.len();
        called += outcome.called;
        found.extend(
            outcome
                .found
                .into_iter()
                .map(|finding| format!("{}: {finding}", document.name)),
        );
    }
    println!("{called} of {operations} operations called");
    let found: Vec<_> = found.into_iter().collect();
    assert!(found.is_empty(), "{} false alarms:\n{}", found.len(), found.join("\n"));
}

#[test]
fn required_parameters_are_sent_in_each_place() {
    let document = own().find(|document| document.name == "parameters").unwrap();
    let outcome = checked(&Arc::new(document));
    // The stub rejects a call that lacks one with 400, which would leave the status undecided.
    assert_eq!(outcome.called, 1, "{:?}", outcome.run.verdicts.findings());
}

fn checked(document: &Arc<Document>) -> Outcome {
    let runtime = crate::support::parallel::runtime();
    let run = runtime.block_on(run_against_a_stub(document));
    let contract = &document.contract;
    let findings = run.verdicts.findings().iter();
    // What no value was made for proves nothing.
    // Nothing of a document need say where a value comes from.
    let reported =
        findings.filter(|finding| finding.received != "406" && finding.rule.name != UNCHECKED_OPERATION.name);
    let found = reported.map(|finding| {
        let fact = contract.fact(finding.fact);
        format!(
            "{} at {:?} ({}), received {}",
            finding.rule.name, finding.pointer, fact.name, finding.received
        )
    });
    let found = found.collect();
    let status = countersign::contract::fact::FactKind::Status;
    let decided = contract.operation_ids().filter(|id| {
        let fact = contract.fact_of(*id, status).unwrap();
        run.verdicts.of(contract, fact) == Verdict::Held
    });
    let called = decided.count();
    Outcome { run, found, called }
}

async fn run_against_a_stub(document: &Arc<Document>) -> Run {
    let stub = Arc::new((Arc::clone(document), AtomicU64::new(0)));
    let router = Router::new().fallback(response).with_state(stub);
    let check = Check::new(Arc::clone(&document.contract))
        .service(router)
        .token(TOKEN)
        .writes(true);
    let check = check.seed(1).started_at(DateTime::UNIX_EPOCH + Duration::from_secs(1));
    let check = check
        .jobs(2)
        .settle(Duration::ZERO)
        .max_writes(50)
        .max_pages(5)
        .show_values(true);
    check.run().await.unwrap().into_run()
}

type Stub = Arc<(Arc<Document>, AtomicU64)>;

/// Responses as the document has it: whoever lacks the credential or a parameter is rejected.
async fn response(State(stub): State<Stub>, request: Request) -> Response {
    let (document, count) = &*stub;
    let headers = request.headers();
    let Some(operation) = called(document, request.method().as_str(), request.uri().path()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let query = request.uri().query().unwrap_or_default();
    if !lets_in(&operation.security, headers, query) {
        return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response();
    }
    if !has_parameters(operation, headers, query) {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let seed = count.fetch_add(1, Ordering::Relaxed);
    let success = operation.successes().next().or(operation.responses.first());
    let Some(success) = success.and_then(|response| Some((status(response.status, true)?, response))) else {
        return StatusCode::NO_CONTENT.into_response();
    };
    let (code, documented) = success;
    if code == 401 {
        return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response();
    }
    let code = StatusCode::from_u16(code).unwrap();
    let node = resolved(&document.json, &documented.pointer);
    let mut headers = super::headers::made(&document.json, node, seed);
    let content = node["content"].as_object();
    let mut content = content.into_iter().flatten();
    let json = content
        .clone()
        .find(|(media, inner)| is_json(media) && inner.get("schema").is_some());
    match json.or_else(|| content.next()) {
        Some((media, inner)) if is_json(media) => {
            // A schema that no value was found for is not answered at all: 406 rejects what cannot be made.
            let Some(value) = made(document, inner.get("schema").unwrap_or(&Value::Null), seed) else {
                return StatusCode::NOT_ACCEPTABLE.into_response();
            };
            headers.insert(header::CONTENT_TYPE, media.parse().unwrap());
            (code, headers, value.to_string()).into_response()
        }
        Some((media, _)) => {
            headers.insert(header::CONTENT_TYPE, media.parse().unwrap());
            (code, headers, "text").into_response()
        }
        None => (code, headers).into_response(),
    }
}

/// A value that the schema admits by the word of the validator, which is asked where the document has choices.
fn made(document: &Document, schema: &Value, seed: u64) -> Option<Value> {
    let mut tries = (0..20).filter_map(|turn| Maker::new(&document.json, seed * 100 + turn).value(schema));
    tries.find(|value| !document.has_choices || admits(&document.json, schema, value) != Some(false))
}

fn called<'document>(document: &'document Document, method: &str, path: &str) -> Option<&'document Operation> {
    let segment = |template: &str, sent: &str| match (template.split_once('{'), template.rsplit_once('}')) {
        (Some((before, _)), Some((_, after))) => sent.starts_with(before) && sent.ends_with(after),
        _ => template == sent,
    };
    let fits = |template: &str| {
        let template = template.split('?').next().unwrap();
        let mut pairs = template.split('/').zip(path.split('/'));
        template.split('/').count() == path.split('/').count() && pairs.all(|(template, sent)| segment(template, sent))
    };
    let found = document.contract.operations.iter();
    // A path without parameters goes before one with them (OpenAPI 3.0.3, section 4.7.8.2).
    let asked = found.filter(|operation| operation.method.as_str() == method);
    let fitting = asked.filter(|operation| operation.path == path || fits(&operation.path));
    fitting.min_by_key(|operation| operation.path.matches('{').count())
}

fn lets_in(security: &Security, headers: &HeaderMap, query: &str) -> bool {
    let pair = |name: &str| format!("{name}={TOKEN}");
    let cookies = || headers.get(header::COOKIE).map_or("", |value| value.to_str().unwrap());
    let shows = |name: &str, value: &str| headers.get(name).is_some_and(|sent| sent == value);
    match security.scheme() {
        Some(SecurityScheme::ApiKeyHeader { name }) => shows(name, TOKEN),
        Some(SecurityScheme::Bearer) => shows("authorization", &format!("Bearer {TOKEN}")),
        Some(SecurityScheme::ApiKeyCookie { name }) => cookies().ends_with(&pair(name)),
        Some(SecurityScheme::ApiKeyQuery { name }) => query.ends_with(&pair(name)),
        Some(SecurityScheme::Basic | SecurityScheme::Named { .. }) => false,
        None => true,
    }
}

fn has_parameters(operation: &Operation, headers: &HeaderMap, query: &str) -> bool {
    let cookies = headers.get(header::COOKIE).map_or("", |value| value.to_str().unwrap());
    let required = operation.parameters.iter().filter(|parameter| parameter.required);
    required.into_iter().all(|parameter| {
        let pair = format!(
            "{}=",
            percent_encoding::utf8_percent_encode(&parameter.name, percent_encoding::NON_ALPHANUMERIC)
        );
        let plain = format!("{}=", parameter.name);
        let named = |text: &str| text.trim().starts_with(&pair) || text.trim().starts_with(&plain);
        match parameter.location {
            ParameterLocation::Cookie => cookies.split(';').any(named),
            ParameterLocation::Header => headers.contains_key(&parameter.name),
            ParameterLocation::Path => true,
            ParameterLocation::Query => query.split('&').any(|text| named(text) || text.contains('%')),
        }
    })
}
