//! Get venues.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;

use super::{identifier, timestamp};
use crate::service::open::Service;
use crate::service::page::{PageNumber, answer_page};
use crate::service::refusal::Refusal;
use crate::service::store::Venue;

pub(crate) async fn list(State(service): State<Service>, number: PageNumber) -> Result<Response, Refusal> {
    answer_page::<Venue, _>(&service, number, VenueAnswer::from).await
}

#[derive(Debug, Serialize)]
struct VenueAnswer {
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
