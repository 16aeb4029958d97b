//! Get contacts, Create contact and Update contact.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::super::body::Body;
use super::super::open::Service;
use super::super::page::{Page, PageNumber};
use super::super::path::ContactId;
use super::super::profile::{STATUS, required};
use super::super::refusal::Refusal;
use super::contact_answer::{ContactAnswer, ListedContactAnswer};
use super::contact_input::read;
use super::{Created, created};

pub(in super::super) async fn list(
    State(service): State<Service>,
    number: PageNumber,
) -> Result<Json<Page<ListedContactAnswer>>, Refusal> {
    let today = service.now().date_naive();
    let slice = service.store().contacts(number.span(service.profile())).await?;
    Ok(Page::answer(number, service.profile(), slice, |contact| {
        ListedContactAnswer::of(contact, today)
    }))
}

pub(in super::super) async fn create(
    State(service): State<Service>,
    Body(sent): Body,
) -> Result<Created<ContactAnswer>, Refusal> {
    let now = service.now();
    let contact = service
        .store()
        .create_contact(read(&sent, required::CONTACT)?, STATUS, now)
        .await?;
    Ok(created("Contact created", ContactAnswer::of(contact, now.date_naive())))
}

pub(in super::super) async fn update(
    State(service): State<Service>,
    ContactId(id): ContactId,
    Body(sent): Body,
) -> Result<Json<Updated>, Refusal> {
    let now = service.now();
    service
        .store()
        .update_contact(id, read(&sent, required::UPDATE)?, now)
        .await?;
    Ok(Json(Updated {
        message: "Contact updated",
    }))
}

/// The body of the answer to an update, of which the document says nothing.
#[derive(Debug, Serialize)]
pub(in super::super) struct Updated {
    message: &'static str,
}
