//! Create contact method, and contact methods wherever they are sent or answered.

use axum::extract::State;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Created, created, identifier, timestamp};
use crate::service::body::Body;
use crate::service::fields::{Fields, Read, list};
use crate::service::open::Service;
use crate::service::path::ContactId;
use crate::service::profile::{STATUS, required};
use crate::service::refusal::Refusal;
use crate::service::store::{ContactMethod, NewContactMethod};
use crate::service::values::{filled, text};

pub(crate) async fn create(
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
pub(crate) struct ContactMethodAnswer {
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
