//! Get tags and Create tag.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Map, Value};

use super::NamedResponse;
use crate::service::body::Body;
use crate::service::duplicates;
use crate::service::fields::{FieldResult, Fields};
use crate::service::list::List;
use crate::service::open::Service;
use crate::service::page::{PageNumber, page_response};
use crate::service::profile::Profile;
use crate::service::rejection::Rejection;
use crate::service::response::{CreateEnvelope, response};
use crate::service::store::{NamedRecord, NewTag};
use crate::service::values::{color, non_blank_name};

pub(crate) async fn list(State(service): State<Service>, number: PageNumber) -> Result<Response, Rejection> {
    page_response(&service, number, |tag: NamedRecord, _| NamedResponse::from(tag)).await
}

pub(crate) async fn create(State(service): State<Service>, Body(sent): Body) -> Result<Response, Rejection> {
    let profile = service.profile();
    let new = read(&sent, profile)?;
    let _lock = duplicates::lock_unless_duplicate_tag(&service, &new).await?;
    let tag = service.hold_back(List::Tags, service.store().create_tag(new)).await?;
    let body = CreateEnvelope {
        message: "Tag created",
        data: NamedResponse::from(tag),
    };
    Ok(response(profile, StatusCode::CREATED, &body))
}

fn read(sent: &Map<String, Value>, profile: &Profile) -> FieldResult<NewTag> {
    let mut fields = Fields::of(sent, profile.required_fields.tag(), profile);
    let name = fields.read_or_default("name", non_blank_name);
    let color = fields.read("color", color).unwrap_or_default();
    fields.finish(NewTag { name, color })
}
