//! Get venues.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use uuid::Uuid;

use super::Timestamp;
use crate::service::open::Service;
use crate::service::page::{PageNumber, page_response};
use crate::service::rejection::Rejection;
use crate::service::store::Venue;

pub(crate) async fn list(State(service): State<Service>, number: PageNumber) -> Result<Response, Rejection> {
    page_response(&service, number, |venue: Venue, _| VenueResponse::from(venue)).await
}

#[derive(Debug, Serialize)]
struct VenueResponse {
    id: Uuid,
    name: String,
    country: String,
    address: String,
    phone: String,
    email: String,
    tags: Vec<String>,
    created_at: Timestamp,
}

impl From<Venue> for VenueResponse {
    fn from(venue: Venue) -> Self {
        VenueResponse {
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
