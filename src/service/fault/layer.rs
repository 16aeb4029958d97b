//! The one place where faults meet the service: [`app`].

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use secrecy::ExposeSecret;

use super::call::{Call, InnerService, ServedResponse};
use super::contract::{ALL_OPERATIONS, Operation, operation, operations};
use super::deviation::{Deviation, DeviationKind};
use super::identifier_changed;
use super::names::Faults;
use super::pages::requested_page;
use super::state::FaultState;
use crate::service::Service;
use crate::service::app::without_delivery;
use crate::service::delivery::delay_and_compress;
use crate::service::profile::{PathCase, Profile};

/// Builds the service's router with faults. Without any, it is that of [`service::app`](crate::service::app).
pub fn app(service: Service, faults: &Faults) -> Router {
    let token = service.token().expose_secret();
    // A service is not opened with a token that no header can carry, so this does not fail.
    let credential = HeaderValue::from_str(&format!("Bearer {token}"));
    let (false, Ok(mut credential)) = (faults.is_empty(), credential) else {
        return crate::service::app(service);
    };
    let profile = *service.profile();
    credential.set_sensitive(true);
    let deviations = faults.iter().map(|fault| (&fault.deviation, FaultState::default()));
    let active = ActiveFaults {
        deviations: deviations.collect(),
        credential,
        profile,
    };
    // As a fallback service, the service routes each request after the layer is done with it, so that a changed path
    // counts.
    let layer = middleware::from_fn_with_state(Arc::new(active), deviate);
    let faulty = Router::new().fallback_service(without_delivery(service)).layer(layer);
    // The response is compressed after the faults have changed it.
    delay_and_compress(faulty, &profile)
}

/// The deviations that are on.
struct ActiveFaults {
    deviations: Vec<(&'static Deviation, FaultState)>,
    /// The `Authorization` header that the service accepts.
    credential: HeaderValue,
    profile: Profile,
}

async fn deviate(State(active): State<Arc<ActiveFaults>>, request: Request, next: Next) -> Response {
    let Some(operation) = called(request.method(), request.uri().path(), active.profile.path_case) else {
        return next.run(request).await;
    };
    let mut concerned: Vec<_> = active
        .deviations
        .iter()
        .filter(|(deviation, _)| deviation.concerns(operation))
        .collect();
    if concerned.is_empty() {
        return next.run(request).await;
    }
    concerned.sort_by_key(|(deviation, _)| deviation.kind.order());
    let inner = InnerService::new(next, active.credential.clone(), active.profile);
    match Call::read(operation, request).await {
        Ok(call) => response(call, &concerned, &inner).await,
        Err(response) => response,
    }
}

async fn response(mut call: Call, deviations: &[&(&Deviation, FaultState)], inner: &InnerService) -> Response {
    let requested = requested_page(&call);
    for (deviation, _) in deviations {
        match &deviation.kind {
            DeviationKind::Request(fault) => {
                if let Some(response) = fault.change_request(&mut call, inner).await {
                    return response;
                }
            }
            DeviationKind::Distortion(distortion) => distortion.change_request(&mut call, &inner.profile),
            DeviationKind::Array(fault) => fault.change_request(&mut call),
            DeviationKind::Spelling(fault) => {
                if let Some(response) = fault.change_request(&mut call) {
                    return response;
                }
            }
            DeviationKind::Page(fault) => fault.change_request(&mut call),
            _ => {}
        }
    }
    let mut response = perform(&call, deviations, inner).await;
    for (deviation, state) in deviations {
        match &deviation.kind {
            DeviationKind::Distortion(_)
            | DeviationKind::Write(_)
            | DeviationKind::Request(_)
            | DeviationKind::Array(_)
            | DeviationKind::Spelling(_) => {}
            DeviationKind::Create(fault) => {
                if let Some(created) = operation(&deviation.on).and_then(|create| create.created.as_ref()) {
                    fault
                        .change_response(created, &call, &mut response, (inner, state))
                        .await;
                }
            }
            DeviationKind::IdentifierChanged => {
                if let Some(updated) = operation(&deviation.on).and_then(|update| update.updated.as_ref()) {
                    identifier_changed::change_response(updated, &call, &mut response, state);
                }
            }
            DeviationKind::EdgeCase { .. }
            | DeviationKind::Page(_)
            | DeviationKind::Location { .. }
            | DeviationKind::Response(_) => {
                deviation.kind.edit(&call, requested, &mut response);
            }
        }
    }
    response.into_response()
}

/// Has the service do a call: once, or as the first [`DeviationKind::Write`] says.
async fn perform(call: &Call, deviations: &[&(&Deviation, FaultState)], inner: &InnerService) -> ServedResponse {
    for (deviation, state) in deviations {
        if let DeviationKind::Write(fault) = &deviation.kind {
            return fault.perform(call, inner, &state.rendezvous).await;
        }
    }
    ServedResponse::read(inner.run(call.request()).await).await
}

impl Deviation {
    fn concerns(&self, called: &Operation) -> bool {
        let on = || operation(&self.on);
        let lists = || on()?.created.as_ref().map(|created| created.listed.list == called.name);
        match self.kind {
            _ if [called.name.as_str(), ALL_OPERATIONS].contains(&self.on.as_str()) => true,
            DeviationKind::Create(_) => lists() == Some(true),
            DeviationKind::IdentifierChanged => on().is_some_and(|update| identifier_changed::concerns(update, called)),
            _ => false,
        }
    }
}

impl DeviationKind {
    /// Returns its place in the order in which deviations are applied.
    fn order(&self) -> u8 {
        match self {
            DeviationKind::Distortion(_)
            | DeviationKind::Write(_)
            | DeviationKind::Request(_)
            | DeviationKind::Array(_)
            | DeviationKind::Spelling(_) => 0,
            DeviationKind::EdgeCase { .. } => 1,
            DeviationKind::Page(_) => 2,
            DeviationKind::Create(_) | DeviationKind::IdentifierChanged => 3,
            DeviationKind::Location { .. } => 4,
            DeviationKind::Response(_) => 5,
        }
    }
}

/// Returns the operation that a request calls.
fn called(method: &Method, path: &str, path_case: PathCase) -> Option<&'static Operation> {
    operations()
        .iter()
        .find(|operation| operation.method == *method && matches(&operation.path, path, path_case))
}

fn matches(template: &str, path: &str, path_case: PathCase) -> bool {
    let is_same = |name: &str, sent: &str| match path_case {
        PathCase::Any => name.eq_ignore_ascii_case(sent),
        PathCase::Documented => name == sent,
    };

    let (mut names, mut sent) = (template.split('/'), path.split('/'));
    let pairs = names.by_ref().zip(sent.by_ref());
    let alike = pairs
        .into_iter()
        .all(|(name, sent)| is_same(name, sent) || (name.starts_with('{') && !sent.is_empty()));
    alike && template.matches('/').count() == path.matches('/').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_calls_the_operation_of_its_method_and_path() {
        let name =
            |method, path: &str| called(&method, path, PathCase::Documented).map(|operation| operation.name.as_str());
        let contacts = "/organization/v1/contact-database";
        assert_eq!(name(Method::GET, contacts), Some("getContacts"));
        assert_eq!(name(Method::POST, contacts), Some("createContact"));
        assert_eq!(name(Method::PUT, &format!("{contacts}/a")), Some("updateContact"));
        assert_eq!(
            name(Method::POST, &format!("{contacts}/a/contact-method")),
            Some("createContactMethod")
        );
        assert_eq!(name(Method::GET, &format!("{contacts}/a")), None);
        assert_eq!(name(Method::PUT, &format!("{contacts}/")), None);
        assert_eq!(name(Method::GET, "/organization/v1"), None);
        let other_case = contacts.to_uppercase();
        assert_eq!(name(Method::GET, &other_case), None);
        assert!(called(&Method::GET, &other_case, PathCase::Any).is_some());
    }
}
