//! Get contacts, Create contact and Update contact.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::contact_answer::{ContactAnswer, ListedContactAnswer};
use super::contact_input::read;
use super::{Created, created};
use crate::service::body::Body;
use crate::service::open::Service;
use crate::service::page::{Page, PageNumber};
use crate::service::path::ContactId;
use crate::service::profile::{STATUS, required};
use crate::service::refusal::Refusal;

pub(crate) async fn list(
    State(service): State<Service>,
    number: PageNumber,
) -> Result<Json<Page<ListedContactAnswer>>, Refusal> {
    let today = service.now().date_naive();
    let slice = service.store().contacts(number.span(service.profile())).await?;
    Ok(Page::answer(number, service.profile(), slice, |contact| {
        ListedContactAnswer::of(contact, today)
    }))
}

pub(crate) async fn create(
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

pub(crate) async fn update(
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
pub(crate) struct Updated {
    message: &'static str,
}
