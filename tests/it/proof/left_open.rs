//! Documents that leave open what most state: the media type, as the range that generators for Spring write, and
//! whether a caller needs a credential. They are checked like those that state it.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::IntoResponse as _;
use countersign::{Check, Contract};
use serde_json::Value;

use super::call::TOKEN;
use super::existing::{Effect, Service};
use super::misled::THINGS;

/// Checks a service that rejects writes without a token, if `needs_token`. Returns the methods of the accepted requests
/// and whether the service conforms.
async fn check(document: String, token: Option<&str>, needs_token: bool) -> (Vec<Method>, bool) {
    let service = Arc::new(Mutex::new(Service::new(Effect::None)));
    let shared = Arc::clone(&service);
    let router = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let service = &mut *shared.lock().unwrap();
        let sent: Option<Value> = serde_json::from_slice(&body).ok();
        let is_open = !needs_token || method == Method::GET;
        let sent_token = headers.get("authorization").and_then(|header| header.to_str().ok());
        let has_token = sent_token.is_some_and(|header| header.strip_prefix("Bearer ") == Some(TOKEN));
        let response = match sent.or_else(|| body.is_empty().then_some(Value::Null)) {
            _ if !is_open && !has_token => StatusCode::UNAUTHORIZED.into_response(),
            Some(sent) if sent.is_null() || sent.is_object() => service.respond(&method, uri.path(), &sent),
            _ => StatusCode::BAD_REQUEST.into_response(),
        };
        if response.status().is_success() {
            service.accepted.push(method);
        }
        async { response }
    });
    let check = Check::new(Contract::read("things.yaml", document).unwrap()).service(router);
    let check = check.writes(true).cleanup(true).max_writes(40).seed(1);
    let check = token
        .into_iter()
        .fold(check, Check::token)
        .settle(std::time::Duration::ZERO);
    let report = check.run().await.unwrap();
    let conforms = report.conforms();
    let accepted = std::mem::take(&mut service.lock().unwrap().accepted);
    (accepted, conforms)
}

fn things() -> String {
    THINGS.replace("PARAMETER", "id")
}

#[tokio::test]
async fn a_range_of_media_types_is_checked_as_json() {
    let stated = check(things(), None, false).await;
    assert!(stated.0.contains(&Method::POST) && stated.0.contains(&Method::PUT) && stated.0.contains(&Method::DELETE));
    let range = things().replace("application/json", "'*/*'");
    assert_eq!(check(range, None, false).await, stated);
}

#[tokio::test]
async fn an_optional_credential_is_sent_if_there_is_one() {
    let schemes = "components:\n  securitySchemes: {bearer: {type: http, scheme: bearer}}\n";
    let optional = things().replace("components:\n", schemes) + "security: [{}, {bearer: []}]\n";
    let (stated, _) = check(things(), None, false).await;
    let (accepted, _) = check(optional.clone(), Some(TOKEN), true).await;
    assert_eq!(accepted, stated);
    let (accepted, _) = check(optional.clone(), None, false).await;
    assert_eq!(accepted, stated);
    let (accepted, conforms) = check(optional, None, true).await;
    assert!(accepted.iter().all(|method| *method == Method::GET) && conforms);
}
