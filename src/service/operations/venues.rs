//! Get venues.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use uuid::Uuid;

use super::Timestamp;
use crate::service::open::Service;
use crate::service::page::{PageNumber, answer_page};
use crate::service::refusal::Refusal;
use crate::service::store::Venue;

pub(crate) async fn list(State(service): State<Service>, number: PageNumber) -> Result<Response, Refusal> {
    answer_page(&service, number, |venue: Venue, _| VenueAnswer::from(venue)).await
}

#[derive(Debug, Serialize)]
struct VenueAnswer {
    id: Uuid,
    name: String,
    country: String,
    address: String,
    phone: String,
    email: String,
    tags: Vec<String>,
    created_at: Timestamp,
}

impl From<Venue> for VenueAnswer {
    fn from(venue: Venue) -> Self {
        VenueAnswer {
            id: venue.id,
            name: venue.name,
            country: venue.country,
            address: venue.address,
            phone: venue.phone,
            email: venue.email,
            tags: venue.tags,
            created_at: Timestamp(venue.created_at),
        }
    }
}
