//! Get visits and Create visit.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Created, NamedAnswer, created, full_name, identifier, timestamp};
use crate::service::body::Body;
use crate::service::fields::{Fields, Read};
use crate::service::open::Service;
use crate::service::page::{Page, PageNumber};
use crate::service::profile::required;
use crate::service::refusal::Refusal;
use crate::service::store::{NewVisit, Visit};
use crate::service::values;

pub(crate) async fn list(
    State(service): State<Service>,
    number: PageNumber,
) -> Result<Json<Page<VisitAnswer>>, Refusal> {
    let slice = service.store().visits(number.span(service.profile())).await?;
    Ok(Page::answer(number, service.profile(), slice, VisitAnswer::from))
}

pub(crate) async fn create(State(service): State<Service>, Body(sent): Body) -> Result<Created<VisitAnswer>, Refusal> {
    let visit = service.store().create_visit(read(&sent)?).await?;
    Ok(created("Visit created", visit.into()))
}

fn read(sent: &Map<String, Value>) -> Read<NewVisit> {
    let mut fields = Fields::of(sent, required::VISIT);
    let contact = fields.required("contact_id", values::identifier);
    let venue = fields.required("venue_id", values::identifier);
    let at = fields.required("datetime", values::timestamp);
    fields.finish(NewVisit { contact, venue, at })
}

#[derive(Debug, Serialize)]
pub(crate) struct VisitAnswer {
    id: i64,
    venue: NamedAnswer,
    contact: VisitorAnswer,
    datetime: String,
}

#[derive(Debug, Serialize)]
struct VisitorAnswer {
    id: String,
    full_name: String,
}

impl From<Visit> for VisitAnswer {
    fn from(visit: Visit) -> Self {
        let full_name = full_name(&visit.firstname, &visit.lastname);
        VisitAnswer {
            id: visit.id,
            venue: visit.venue.into(),
            contact: VisitorAnswer {
                id: identifier(visit.contact),
                full_name,
            },
            datetime: timestamp(visit.at),
        }
    }
}
