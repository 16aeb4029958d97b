//! Recordings of a run: [`assert_judged_again`] asserts that judging a run's recording again gives the run's verdicts,
//! and [`answered`] replaces the response of an exchange.

use axum::body::Bytes;
use axum::http::{Method, Request, Response, StatusCode};
use countersign::contract::Contract;
use countersign::contract::fact::FactId;
use countersign::exchange::{self, Exchange, Failure};
use countersign::rules::{Levels, Verdicts};
use countersign::run::{Run, RunEnd};

/// Judges the recording of a run again, where it has one, at the levels that every rule has by itself.
///
/// # Panics
///
/// Where a verdict or a finding is not the run's.
#[track_caller]
pub(crate) fn assert_judged_again(contract: &Contract, run: &Run) {
    let reached = !matches!(
        run.ended,
        RunEnd::NotReady(..) | RunEnd::ServiceEnded(_) | RunEnd::Unreachable(_)
    );
    let Some(recording) = run.recording.as_ref().filter(|_| reached) else {
        return;
    };
    let again = recording.judge(contract, Levels::default());
    for (index, fact) in contract.facts.iter().enumerate() {
        let of = |verdicts: &Verdicts| verdicts.of(contract, FactId(index));
        assert_eq!(of(&again), of(&run.verdicts), "{}", fact.name);
    }
    assert_eq!(findings(contract, &again), findings(contract, &run.verdicts));
}

/// Every finding, with all that is reported of it.
fn findings(contract: &Contract, verdicts: &Verdicts) -> Vec<String> {
    let findings = verdicts.findings().iter();
    let reported = findings.map(|finding| {
        let (level, rule, fact) = (finding.level, finding.rule.name, &contract.fact(finding.fact).name);
        let (at, received, exchange) = (&finding.pointer, &finding.received, finding.exchange);
        let (path, count) = (&finding.request.path, finding.count);
        format!("{level:?} {rule}: {fact} at {at}, received {received}, in {exchange:?} to {path}, {count} times")
    });
    reported.collect()
}

/// A response's pointer with `*` for every element's number, as facts are written.
pub(crate) fn any_element(pointer: &str) -> String {
    let tokens = pointer.split('/').map(|token| match token.parse::<usize>() {
        Ok(_) => "*",
        Err(_) => token,
    });
    tokens.collect::<Vec<_>>().join("/")
}

/// What an exchange sent, but for the headers; none where its path is no URI.
pub(crate) fn request(exchange: &Exchange) -> Option<Request<Bytes>> {
    let sent = &exchange.request;
    let mut request = Request::new(sent.body_text().unwrap_or_default().into());
    *request.method_mut() = Method::from_bytes(sent.method.as_str().as_bytes()).ok()?;
    *request.uri_mut() = sent.path.parse().ok()?;
    Some(request)
}

/// The response of an exchange, where a complete one came.
pub(crate) fn response(exchange: &Exchange) -> Option<Response<Bytes>> {
    let exchange::Response {
        status, headers, body, ..
    } = exchange.response()?;
    let mut response = Response::new(body.clone());
    *response.status_mut() = StatusCode::from_u16(*status).ok()?;
    headers.clone_into(response.headers_mut());
    Some(response)
}

/// The exchange with another response, or with a connection that ended inside of it.
pub(crate) fn answered(exchange: &Exchange, response: Option<Response<Bytes>>) -> Exchange {
    let elapsed = exchange.response().map(|response| response.elapsed).unwrap_or_default();
    let outcome = response.ok_or(Failure::Incomplete).map(|response| {
        let (head, body) = response.into_parts();
        exchange::Response {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
            was_compressed: false,
            is_body_known: true,
            are_headers_known: true,
            location: None,
            elapsed,
        }
    });
    Exchange {
        outcome,
        ..exchange.clone()
    }
}
