//! Get contacts, Create contact and Update contact.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};

use super::contact_input::{read_new, read_update};
use super::contact_response::ContactResponse;
use crate::service::body::Body;
use crate::service::duplicates;
use crate::service::list::List;
use crate::service::open::Service;
use crate::service::page::{PageNumber, page_response};
use crate::service::path::ContactId;
use crate::service::profile::{DEFAULT_RECORD_STATUS, Profile, UnknownReferences, UpdateBody};
use crate::service::rejection::Rejection;
use crate::service::response::{CreateEnvelope, response};
use crate::service::store::{Contact, Reference, StoreError};

pub(crate) async fn list(State(service): State<Service>, number: PageNumber) -> Result<Response, Rejection> {
    let delay = service.profile().created_listed_when.delay();
    let shown = |mut contact: Contact, now: DateTime<Utc>| {
        if !delay.is_zero() {
            contact.methods.retain(|method| method.created_at + delay <= now);
        }
        ContactResponse::listed(contact, now.date_naive())
    };
    page_response(&service, number, shown).await
}

pub(crate) async fn create(State(service): State<Service>, Body(mut sent): Body) -> Result<Response, Rejection> {
    let profile = service.profile();
    let now = service.now();
    let contact = loop {
        let new = read_new(&sent, profile)?;
        let _lock = duplicates::lock_unless_duplicate_contact(&service, &new).await?;
        let visits = new.counts_as_visit && new.venue.is_some();
        let create = service.store().create_contact(new, DEFAULT_RECORD_STATUS, now);
        let create = service.hold_back(List::Contacts, create);
        let created = if visits {
            service.hold_back(List::Visits, create).await
        } else {
            create.await
        };
        if !remove_unknown_reference(profile, &mut sent, &created) {
            break created?;
        }
    };
    let body = CreateEnvelope {
        message: "Contact created",
        data: ContactResponse::of(contact, now.date_naive()),
    };
    Ok(response(profile, profile.create_contact_status, &body))
}

pub(crate) async fn update(
    State(service): State<Service>,
    ContactId(id): ContactId,
    Body(mut sent): Body,
) -> Result<Response, Rejection> {
    let profile = service.profile();
    let now = service.now();
    let contact = loop {
        let change = read_update(&sent, profile)?;
        let updated = service.store().update_contact(id, change, now).await;
        if !remove_unknown_reference(profile, &mut sent, &updated) {
            break updated?;
        }
    };
    Ok(updated(profile, contact, now))
}

/// Removes the sent field or entry that names no record, where the profile ignores such references. Returns whether to
/// try again with what remains.
fn remove_unknown_reference(
    profile: &Profile,
    sent: &mut Map<String, Value>,
    written: &Result<Contact, StoreError>,
) -> bool {
    let Err(StoreError::UnknownReference(reference)) = written else {
        return false;
    };
    if profile.unknown_references != UnknownReferences::Ignored {
        return false;
    }
    match *reference {
        Reference::Tag(index) => {
            let mut position = 0..;
            let tags = sent.get_mut("tags").and_then(Value::as_array_mut);
            tags.into_iter()
                .for_each(|tags| tags.retain(|_| position.next() != Some(index)));
        }
        Reference::Contact | Reference::Venue => {
            sent.remove("venue_id");
        }
    }
    true
}

/// The body of the response to an update, where it only confirms the update.
#[derive(Debug, Serialize)]
struct Updated {
    message: &'static str,
}

fn updated(profile: &Profile, contact: Contact, now: DateTime<Utc>) -> Response {
    const MESSAGE: &str = "Contact updated";
    let status = profile.update_contact_status;
    let contact = || ContactResponse::of(contact, now.date_naive());
    match profile.update_response_body {
        UpdateBody::Contact => response(profile, status, &contact()),
        UpdateBody::Empty => (StatusCode::from(status), axum::body::Body::empty()).into_response(),
        UpdateBody::Envelope => {
            let body = CreateEnvelope {
                message: MESSAGE,
                data: contact(),
            };
            response(profile, status, &body)
        }
        UpdateBody::Message => response(profile, status, &Updated { message: MESSAGE }),
    }
}
