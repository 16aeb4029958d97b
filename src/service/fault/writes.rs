//! Writes that are done too often or not at all, and concurrent creates whose responses are mixed up: [`WriteFault`].
//! Correctly, a create adds one record, an update none, and two concurrent creates two.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, header, response};
use serde_json::Value;
use tokio::sync::{Mutex, oneshot};

use super::call::{Call, Content, InnerService, ServedResponse};
use super::contract::{Created, Operation, operations};
use super::expected::{ExpectedFinding, ProposedFault, carried};
use super::locations::altered;

/// What goes wrong when a write is done, or two creates at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteFault {
    /// An update adds another record.
    AddedToo,
    /// A write without a credential is rejected, but done.
    DoneUnauthorized,
    /// The second of two creates at once is answered but not done.
    OneOfTwoLost,
    /// The second of two creates at once is answered with the identifier of the first.
    OneIdentifier,
    /// A create is done again after its response.
    StoredAfter,
    /// A create is done twice, and the second record is returned.
    StoredBefore,
    /// Each of two creates at once is answered with the record of the other.
    Swapped,
}

/// The maximum time that a create waits for another one.
const MAX_WAIT_FOR_OTHER: Duration = Duration::from_millis(40);

/// The create that waits for another one.
#[derive(Debug, Default)]
pub(super) struct Rendezvous(Mutex<Option<Waiting>>);

#[derive(Debug)]
struct Waiting {
    head: response::Parts,
    body: Value,
    /// Sends the response body to the waiting create.
    response: oneshot::Sender<Value>,
}

/// Returns a fault for each [`WriteFault`] and each write that it applies to.
pub(super) fn faults() -> impl Iterator<Item = ProposedFault<WriteFault>> {
    operations().iter().flat_map(|operation| {
        let created = operation
            .created
            .iter()
            .flat_map(|created| created_faults(operation, created));
        let updated = operation.updated.iter().map(|updated| {
            let list = format!("{} in {}", operation.name, updated.listed.list);
            let once = expected_finding(
                "record-count",
                format!("{list}: once, under its id"),
                &updated.listed.records().unwrap_or_default(),
            );
            // It may also show as a change of another record.
            let carried = carried(operation, &|carry| carry.gap.is_none()).into_iter();
            let other = carried.map(|expected| {
                expected_finding(
                    "other-records",
                    format!("{list}: no other item changes"),
                    &expected.pointer,
                )
            });
            let about = "an update also adds a record";
            let expected = [once].into_iter().chain(other).collect();
            ProposedFault::new(&operation.name, "row-added", about, expected, WriteFault::AddedToo)
        });
        created
            .chain(updated)
            .chain(done_unauthorized(operation))
            .collect::<Vec<_>>()
    })
}

fn done_unauthorized(operation: &Operation) -> Option<ProposedFault<WriteFault>> {
    let created = operation.created.as_ref().map(|created| &created.listed);
    let listed = created.or(operation.updated.as_ref().map(|updated| &updated.listed))?;
    let expected = ExpectedFinding {
        rule: "rejected-but-stored",
        fact: None,
        pointer: listed.records().unwrap_or_default(),
    };
    let about = "a write without a credential is rejected but done";
    let (deviation, fault) = ("done-without-credential", WriteFault::DoneUnauthorized);
    Some(ProposedFault::new(
        &operation.name,
        deviation,
        about,
        vec![expected],
        fault,
    ))
}

fn created_faults(operation: &Operation, created: &Created) -> Vec<ProposedFault<WriteFault>> {
    let (on, list) = (&operation.name, &created.listed.list);
    let id = created.response_id();
    let once = || {
        vec![expected_finding(
            "record-count",
            format!("{on} created in {list}: once"),
            &created.listed.records().unwrap_or_default(),
        )]
    };
    let unique = expected_finding("identifier", format!("{on} created {id}: not reused"), &id);
    let listed = expected_finding("listed", format!("{on} created: listed in {list}"), "");
    let carried = carried(operation, &|carry| carry.gap.is_none());
    let rows = [
        (
            "stored-twice",
            "a create also stores a record that it does not return",
            once(),
            WriteFault::StoredBefore,
        ),
        (
            "stored-again",
            "a create is done again after its response",
            once(),
            WriteFault::StoredAfter,
        ),
        (
            "one-identifier-at-once",
            "two creates at once get one identifier",
            // Two records without a run tag may be equal in every field, and then cannot be told apart: the list shows
            // the other's values under the identifier.
            [vec![unique], carried.clone()].concat(),
            WriteFault::OneIdentifier,
        ),
        (
            "one-lost-at-once",
            "one of two creates at once is not listed",
            vec![listed],
            WriteFault::OneOfTwoLost,
        ),
        (
            "swapped-at-once",
            "two creates at once get each other's response",
            carried,
            WriteFault::Swapped,
        ),
    ];
    let row = |(deviation, about, expected, fault)| ProposedFault::new(on, deviation, about, expected, fault);
    rows.map(row).into()
}

fn expected_finding(rule: &'static str, fact: String, pointer: &str) -> ExpectedFinding {
    ExpectedFinding {
        rule,
        fact: Some(fact),
        pointer: pointer.to_owned(),
    }
}

impl WriteFault {
    /// Has the service do a call, and returns the response.
    pub(super) async fn perform(self, call: &Call, inner: &InnerService, rendezvous: &Rendezvous) -> ServedResponse {
        let once = async || ServedResponse::read(inner.run(call.request()).await).await;
        match self {
            WriteFault::StoredBefore => {
                inner.run(call.request()).await;
                once().await
            }
            WriteFault::StoredAfter => {
                let response = once().await;
                if response.is_success() {
                    inner.run(call.request()).await;
                }
                response
            }
            WriteFault::DoneUnauthorized => {
                if !call.head.headers.contains_key(header::AUTHORIZATION) {
                    let mut done = call.request();
                    let token = inner.credential.clone();
                    done.headers_mut().insert(header::AUTHORIZATION, token);
                    inner.run(done).await;
                }
                once().await
            }
            WriteFault::AddedToo => {
                let response = once().await;
                if let (true, Some(create)) = (response.is_success(), create_beside(call, inner)) {
                    inner.run(create).await;
                }
                response
            }
            WriteFault::OneIdentifier | WriteFault::OneOfTwoLost | WriteFault::Swapped => {
                self.wait_for_other(call, inner, rendezvous).await
            }
        }
    }

    /// Does a create together with another one, if one comes in time.
    async fn wait_for_other(self, call: &Call, inner: &InnerService, rendezvous: &Rendezvous) -> ServedResponse {
        let mut waiting = rendezvous.0.lock().await;
        let has_valid_token = call.head.headers.get(header::AUTHORIZATION) == Some(&inner.credential);
        if let Some(first) = waiting.take_if(|first| has_valid_token || first.response.is_closed())
            && !first.response.is_closed()
        {
            return self.second(first, call, inner).await;
        }
        let mut response = ServedResponse::read(inner.run(call.request()).await).await;
        let Some(body) = response.success().cloned() else {
            return response;
        };
        let (sender, mut other) = oneshot::channel();
        *waiting = Some(Waiting {
            head: response.head.clone(),
            body,
            response: sender,
        });
        drop(waiting);
        let mut swapped = tokio::time::timeout(MAX_WAIT_FOR_OTHER, &mut other)
            .await
            .ok()
            .and_then(Result::ok);
        if swapped.is_none() {
            // The second create holds the lock until it is done. So by now it has either finished, with or without
            // sending a body, or never come.
            let mut waiting = rendezvous.0.lock().await;
            match other.try_recv() {
                Ok(body) => swapped = Some(body),
                Err(oneshot::error::TryRecvError::Empty) => drop(waiting.take()),
                Err(oneshot::error::TryRecvError::Closed) => {}
            }
        }
        response.content = swapped.map_or(response.content, Content::Json);
        response
    }

    /// Answers the second of two creates and, if the fault changes both responses, also the first.
    async fn second(self, first: Waiting, call: &Call, inner: &InnerService) -> ServedResponse {
        let created = call.operation.created.as_ref();
        let id = created.map(Created::response_id).unwrap_or_default();
        if self == WriteFault::OneOfTwoLost {
            let body = unstored(call, &id, first.body);
            return ServedResponse {
                head: first.head,
                content: Content::Json(body),
            };
        }
        let mut response = ServedResponse::read(inner.run(call.request()).await).await;
        let Some(body) = response.success() else {
            return response;
        };
        if self == WriteFault::Swapped {
            let own = std::mem::replace(body, first.body);
            // A create that no longer waits needs no response.
            let _ = first.response.send(own);
        } else if let (Some(own), Some(other)) = (body.pointer_mut(&id), first.body.pointer(&id)) {
            *own = other.clone();
        }
        response
    }
}

/// Returns the response to a create that is not done: that of another, with what this one carries.
fn unstored(call: &Call, id: &str, mut response: Value) -> Value {
    let (sent, created) = (call.json().unwrap_or_default(), call.operation.created.as_ref());
    for carry in call.operation.carries() {
        let returned_at = created.map(|created| format!("{}{}", created.resource, carry.returned_at));
        let location = returned_at.and_then(|returned_at| response.pointer_mut(&returned_at));
        if let (Some(location), Some(value)) = (location, sent.pointer(&carry.sent)) {
            *location = value.clone();
        }
    }
    if let Some(id) = response.pointer_mut(id) {
        *id = altered(id);
    }
    response
}

/// Returns a create of the kind of record that an update writes, with the body of the update.
fn create_beside(call: &Call, inner: &InnerService) -> Option<Request> {
    let list = &call.operation.updated.as_ref()?.listed.list;
    let creates = |operation: &&Operation| {
        let created = operation.created.as_ref();
        created.is_some_and(|created| created.listed.list == *list && created.listed.array.is_none())
    };
    let create = operations().iter().find(creates)?;
    let request = Request::builder()
        .method(Method::POST)
        .uri(&create.path)
        .header(header::AUTHORIZATION, &inner.credential)
        .header(header::CONTENT_TYPE, "application/json");
    request.body(Body::from(call.body.clone())).ok()
}
