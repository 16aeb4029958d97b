//! Get venues.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::super::open::Service;
use super::super::page::{Page, PageNumber};
use super::super::refusal::Refusal;
use super::super::store::Venue;
use super::{identifier, timestamp};

pub(in super::super) async fn list(
    State(service): State<Service>,
    number: PageNumber,
) -> Result<Json<Page<VenueAnswer>>, Refusal> {
    let slice = service.store().venues(number.span(service.profile())).await?;
    Ok(Page::answer(number, service.profile(), slice, VenueAnswer::from))
}

#[derive(Debug, Serialize)]
pub(in super::super) struct VenueAnswer {
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
