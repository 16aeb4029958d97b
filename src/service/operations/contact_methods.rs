//! Create contact method, and contact methods wherever they are sent or returned.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::Timestamp;
use crate::service::allowed_values::{channel, method_type, status};
use crate::service::body::Body;
use crate::service::duplicates;
use crate::service::fields::{FieldResult, Fields, list, object};
use crate::service::open::Service;
use crate::service::path::ContactId;
use crate::service::profile::{DEFAULT_RECORD_STATUS, Profile};
use crate::service::rejection::Rejection;
use crate::service::response::{CreateEnvelope, response};
use crate::service::store::{ContactMethod, NewContactMethod};
use crate::service::values::non_blank;

pub(crate) async fn create(
    State(service): State<Service>,
    ContactId(owner): ContactId,
    Body(sent): Body,
) -> Result<Response, Rejection> {
    let profile = service.profile();
    let now = service.now();
    let new = read(&sent, profile)?;
    let _lock = duplicates::lock_unless_duplicate_method(&service, &new).await?;
    let method = service.store().create_contact_method(owner, new, now).await?;
    let body = CreateEnvelope {
        message: "Contact method created",
        data: ContactMethodResponse::from(method),
    };
    Ok(response(profile, profile.create_contact_method_status, &body))
}

/// Reads a contact method that is sent by itself.
fn read(sent: &Map<String, Value>, profile: &Profile) -> FieldResult<NewContactMethod> {
    let mut fields = Fields::of(sent, profile.required_fields.contact_method(), profile);
    let included_channels = fields.read("included_channels", |channels, profile| {
        list(channels, profile, channel)
    });
    let method = shared(&mut fields);
    fields.finish(NewContactMethod {
        included_channels: included_channels.unwrap_or_default(),
        ..method
    })
}

/// Reads a contact method that is sent with its contact.
pub(super) fn read_nested(sent: &Value, profile: &Profile) -> FieldResult<NewContactMethod> {
    let mut fields = Fields::of(object(sent)?, profile.required_fields.nested_method(), profile);
    let method = shared(&mut fields);
    fields.finish(method)
}

/// Reads the fields that a method has wherever it is sent.
fn shared(fields: &mut Fields<'_>) -> NewContactMethod {
    NewContactMethod {
        kind: fields.read_or_default("type", method_type),
        contact: fields.read_or_default("contact", non_blank),
        status: fields
            .read("status", status)
            .unwrap_or_else(|| DEFAULT_RECORD_STATUS.to_owned()),
        included_channels: Vec::new(),
    }
}

#[derive(Debug, Serialize)]
pub(super) struct ContactMethodResponse {
    id: Uuid,
    r#type: String,
    contact: String,
    status: String,
    created_at: Timestamp,
}

impl From<ContactMethod> for ContactMethodResponse {
    fn from(method: ContactMethod) -> Self {
        ContactMethodResponse {
            id: method.id,
            r#type: method.kind,
            contact: method.contact,
            status: method.status,
            created_at: Timestamp(method.created_at),
        }
    }
}
