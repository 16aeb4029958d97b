//! Create contact method, and contact methods wherever they are sent or answered.

use axum::extract::State;
use serde::Serialize;
use serde_json::{Map, Value};

use super::super::body::Body;
use super::super::fields::{Fields, Read, list};
use super::super::open::Service;
use super::super::path::ContactId;
use super::super::profile::{STATUS, required};
use super::super::refusal::Refusal;
use super::super::store::{ContactMethod, NewContactMethod};
use super::super::values::{filled, text};
use super::{Created, created, identifier, timestamp};

pub(in super::super) async fn create(
    State(service): State<Service>,
    ContactId(owner): ContactId,
    Body(sent): Body,
) -> Result<Created<ContactMethodAnswer>, Refusal> {
    let now = service.now();
    let method = service.store().create_contact_method(owner, read(&sent)?, now).await?;
    Ok(created("Contact method created", method.into()))
}

/// Reads a contact method, sent by itself or with a contact.
pub(super) fn read(sent: &Map<String, Value>) -> Read<NewContactMethod> {
    let mut fields = Fields::of(sent, required::CONTACT_METHOD);
    let kind = fields.required("type", filled);
    let contact = fields.required("contact", filled);
    let status = fields.read("status", text).unwrap_or_else(|| STATUS.to_owned());
    let included_channels = fields
        .read("included_channels", |channels| list(channels, text))
        .unwrap_or_default();
    fields.finish(NewContactMethod {
        kind,
        contact,
        status,
        included_channels,
    })
}

#[derive(Debug, Serialize)]
pub(in super::super) struct ContactMethodAnswer {
    id: String,
    r#type: String,
    contact: String,
    status: String,
    created_at: String,
}

impl From<ContactMethod> for ContactMethodAnswer {
    fn from(method: ContactMethod) -> Self {
        ContactMethodAnswer {
            id: identifier(method.id),
            r#type: method.kind,
            contact: method.contact,
            status: method.status,
            created_at: timestamp(method.created_at),
        }
    }
}
