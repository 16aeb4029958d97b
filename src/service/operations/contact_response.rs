//! A contact in a response: [`ContactResponse`].

use chrono::{Datelike, NaiveDate};
use serde::Serialize;
use uuid::Uuid;

use super::contact_methods::ContactMethodResponse;
use super::{NamedResponse, OrBlank, Timestamp, full_name};
use crate::service::store::{Contact, ContactMethod, CustomFields, VisitSummary};

#[derive(Debug, Serialize)]
pub(super) struct ContactResponse {
    id: Uuid,
    firstname: String,
    lastname: String,
    full_name: String,
    gender: String,
    dob: OrBlank<NaiveDate>,
    date_of_birth: DateResponse,
    age: u32,
    email: String,
    phone: String,
    contact_methods: Vec<ContactMethodResponse>,
    nationality: String,
    country_of_residence: String,
    tags: NamedResponse,
    status: String,
    first_visit: Vec<VisitSummaryResponse>,
    first_visited_at: OrBlank<Timestamp>,
    first_visited_venue: String,
    last_visit: Vec<VisitSummaryResponse>,
    last_visited_at: OrBlank<Timestamp>,
    last_visited_venue: String,
    excluded_channels: Vec<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Only in list items.
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_fields: Option<CustomFields>,
}

/// A date by its parts, all 0 where there is none.
#[derive(Debug, Default, Serialize)]
struct DateResponse {
    day: u32,
    month: u32,
    year: i32,
}

#[derive(Debug, Serialize)]
struct VisitSummaryResponse {
    datetime: Timestamp,
    venue: [NamedResponse; 1],
}

impl ContactResponse {
    /// Makes the form that a contact has in a response of its own, with its age on the day `today`.
    pub(super) fn of(contact: Contact, today: NaiveDate) -> Self {
        ContactResponse {
            custom_fields: None,
            ..ContactResponse::listed(contact, today)
        }
    }

    /// Makes the form that a contact has as a list item, with its age on the day `today`.
    pub(super) fn listed(contact: Contact, today: NaiveDate) -> Self {
        let (first_visited_at, first_visited_venue) = time_and_place(contact.first_visit.as_ref());
        let (last_visited_at, last_visited_venue) = time_and_place(contact.last_visit.as_ref());
        ContactResponse {
            id: contact.id,
            full_name: full_name(&contact.firstname, &contact.lastname),
            firstname: contact.firstname,
            lastname: contact.lastname,
            gender: contact.gender,
            dob: OrBlank(contact.born),
            date_of_birth: contact.born.map(DateResponse::from).unwrap_or_default(),
            age: contact
                .born
                .and_then(|born| today.years_since(born))
                .unwrap_or_default(),
            email: first_of_type("email", &contact.methods),
            phone: first_of_type("phone", &contact.methods),
            contact_methods: contact.methods.into_iter().map(ContactMethodResponse::from).collect(),
            nationality: contact.nationality,
            country_of_residence: contact.country_of_residence,
            tags: contact.first_tag.map(NamedResponse::from).unwrap_or_default(),
            status: contact.status,
            first_visit: contact
                .first_visit
                .into_iter()
                .map(VisitSummaryResponse::from)
                .collect(),
            first_visited_at,
            first_visited_venue,
            last_visit: contact.last_visit.into_iter().map(VisitSummaryResponse::from).collect(),
            last_visited_at,
            last_visited_venue,
            excluded_channels: contact.excluded_channels,
            created_at: Timestamp(contact.created_at),
            updated_at: Timestamp(contact.updated_at),
            custom_fields: Some(contact.custom_fields),
        }
    }
}

fn time_and_place(visit: Option<&VisitSummary>) -> (OrBlank<Timestamp>, String) {
    let place = visit.map(|visit| visit.venue.name.clone());
    (
        OrBlank(visit.map(|visit| Timestamp(visit.at))),
        place.unwrap_or_default(),
    )
}

fn first_of_type(kind: &str, methods: &[ContactMethod]) -> String {
    methods
        .iter()
        .find(|method| method.kind.eq_ignore_ascii_case(kind))
        .map(|method| method.contact.clone())
        .unwrap_or_default()
}

impl From<NaiveDate> for DateResponse {
    fn from(date: NaiveDate) -> Self {
        DateResponse {
            day: date.day(),
            month: date.month(),
            year: date.year(),
        }
    }
}

impl From<VisitSummary> for VisitSummaryResponse {
    fn from(visit: VisitSummary) -> Self {
        VisitSummaryResponse {
            datetime: Timestamp(visit.at),
            venue: [visit.venue.into()],
        }
    }
}
