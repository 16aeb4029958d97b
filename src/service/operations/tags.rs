//! Get tags and Create tag.

use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value};

use super::super::body::Body;
use super::super::fields::{Fields, Read};
use super::super::open::Service;
use super::super::page::{Page, PageNumber};
use super::super::profile::required;
use super::super::refusal::Refusal;
use super::super::store::NewTag;
use super::super::values::{color, filled};
use super::{Created, NamedAnswer, created};

pub(in super::super) async fn list(
    State(service): State<Service>,
    number: PageNumber,
) -> Result<Json<Page<NamedAnswer>>, Refusal> {
    let slice = service.store().tags(number.span(service.profile())).await?;
    Ok(Page::answer(number, service.profile(), slice, NamedAnswer::from))
}

pub(in super::super) async fn create(
    State(service): State<Service>,
    Body(sent): Body,
) -> Result<Created<NamedAnswer>, Refusal> {
    let tag = service.store().create_tag(read(&sent)?).await?;
    Ok(created("Tag created", tag.into()))
}

fn read(sent: &Map<String, Value>) -> Read<NewTag> {
    let mut fields = Fields::of(sent, required::TAG);
    let name = fields.required("name", filled);
    let color = fields.read("color", color).unwrap_or_default();
    fields.finish(NewTag { name, color })
}
