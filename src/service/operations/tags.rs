//! Get tags and Create tag.

use axum::Json;
use axum::extract::State;
use serde_json::{Map, Value};

use super::{Created, NamedAnswer, created};
use crate::service::body::Body;
use crate::service::fields::{Fields, Read};
use crate::service::open::Service;
use crate::service::page::{Page, PageNumber};
use crate::service::profile::required;
use crate::service::refusal::Refusal;
use crate::service::store::NewTag;
use crate::service::values::{color, filled};

pub(crate) async fn list(
    State(service): State<Service>,
    number: PageNumber,
) -> Result<Json<Page<NamedAnswer>>, Refusal> {
    let slice = service.store().tags(number.span(service.profile())).await?;
    Ok(Page::answer(number, service.profile(), slice, NamedAnswer::from))
}

pub(crate) async fn create(State(service): State<Service>, Body(sent): Body) -> Result<Created<NamedAnswer>, Refusal> {
    let tag = service.store().create_tag(read(&sent)?).await?;
    Ok(created("Tag created", tag.into()))
}

fn read(sent: &Map<String, Value>) -> Read<NewTag> {
    let mut fields = Fields::of(sent, required::TAG);
    let name = fields.required("name", filled);
    let color = fields.read("color", color).unwrap_or_default();
    fields.finish(NewTag { name, color })
}
