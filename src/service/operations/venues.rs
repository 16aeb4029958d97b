//! Get venues.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::{identifier, timestamp};
use crate::service::open::Service;
use crate::service::page::{Page, PageNumber};
use crate::service::refusal::Refusal;
use crate::service::store::Venue;

pub(crate) async fn list(
    State(service): State<Service>,
    number: PageNumber,
) -> Result<Json<Page<VenueAnswer>>, Refusal> {
    let slice = service.store().venues(number.span(service.profile())).await?;
    Ok(Page::answer(number, service.profile(), slice, VenueAnswer::from))
}

#[derive(Debug, Serialize)]
pub(crate) struct VenueAnswer {
    id: String,
    name: String,
    country: String,
    address: String,
    phone: String,
    email: String,
    tags: Vec<String>,
    created_at: String,
}

impl From<Venue> for VenueAnswer {
    fn from(venue: Venue) -> Self {
        VenueAnswer {
            id: identifier(venue.id),
            name: venue.name,
            country: venue.country,
            address: venue.address,
            phone: venue.phone,
            email: venue.email,
            tags: venue.tags,
            created_at: timestamp(venue.created_at),
        }
    }
}
