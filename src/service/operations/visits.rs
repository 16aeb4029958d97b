//! Get visits and Create visit.

use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{NamedResponse, Timestamp, full_name};
use crate::service::body::Body;
use crate::service::duplicates;
use crate::service::fields::{FieldResult, Fields};
use crate::service::list::List;
use crate::service::open::Service;
use crate::service::page::{PageNumber, page_response};
use crate::service::profile::Profile;
use crate::service::rejection::Rejection;
use crate::service::response::{CreateEnvelope, response};
use crate::service::store::{NewVisit, Visit};
use crate::service::values;

pub(crate) async fn list(State(service): State<Service>, number: PageNumber) -> Result<Response, Rejection> {
    page_response(&service, number, |visit: Visit, _| VisitResponse::from(visit)).await
}

pub(crate) async fn create(State(service): State<Service>, Body(sent): Body) -> Result<Response, Rejection> {
    let profile = service.profile();
    let new = read(&sent, profile, service.now())?;
    let _lock = duplicates::lock_unless_duplicate_visit(&service, &new).await?;
    let create = service.store().create_visit(new);
    let visit = service.hold_back(List::Visits, create).await?;
    let body = CreateEnvelope {
        message: "Visit created",
        data: VisitResponse::from(visit),
    };
    Ok(response(profile, profile.create_visit_status, &body))
}

/// Reads a visit. Its time is `now` where none is sent and none is required.
fn read(sent: &Map<String, Value>, profile: &Profile, now: DateTime<Utc>) -> FieldResult<NewVisit> {
    let mut fields = Fields::of(sent, profile.required_fields.visit(), profile);
    let contact = fields.read_or_default("contact_id", values::identifier);
    let venue = fields.read_or_default("venue_id", values::identifier);
    let at = fields.read("datetime", values::visit_time).unwrap_or(now);
    fields.finish(NewVisit { contact, venue, at })
}

#[derive(Debug, Serialize)]
struct VisitResponse {
    id: i64,
    venue: NamedResponse,
    contact: VisitorResponse,
    datetime: Timestamp,
}

#[derive(Debug, Serialize)]
struct VisitorResponse {
    id: Uuid,
    full_name: String,
}

impl From<Visit> for VisitResponse {
    fn from(visit: Visit) -> Self {
        let full_name = full_name(&visit.firstname, &visit.lastname);
        VisitResponse {
            id: visit.id,
            venue: visit.venue.into(),
            contact: VisitorResponse {
                id: visit.contact,
                full_name,
            },
            datetime: Timestamp(visit.at),
        }
    }
}
