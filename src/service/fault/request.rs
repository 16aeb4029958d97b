//! Makes the service see something other than what was sent: another credential, another record, another instant. The
//! main type is [`RequestFault`].

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Duration, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::call::{Call, InnerService};
use super::contract::operation;
use super::credential::{PresentedCredential, has_valid_token};
use super::locations::select;
use super::lost::lose;

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestFault {
    /// Another record of the list is named in a field of the body.
    AnotherInBody {
        /// The field's pointer.
        field: &'static str,
        list: &'static str,
    },
    /// Another contact is named in the path.
    AnotherInPath,
    /// A timestamp in this format is rejected.
    FormatRejected(DocumentedFormat),
    /// The instant in the field with this pointer is an hour later.
    InstantShifted(&'static str),
    /// A credential of this kind is accepted as the token.
    AcceptsCredential(PresentedCredential),
    /// A field that is sent alone has no effect.
    LoneLost,
    /// Nothing in the body has any effect.
    Lost,
    /// Each character beyond ASCII is read as a question mark.
    Mangled,
    /// The offset of the field with this pointer is read as `Z`.
    OffsetDropped(&'static str),
    /// The same is also done to another contact.
    ToAnotherToo,
}

/// The two documented formats of a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DocumentedFormat {
    Offset,
    Utc,
}

impl RequestFault {
    /// Changes the call; returns a response where it answers the call itself.
    pub(super) async fn change_request(self, call: &mut Call, inner: &InnerService) -> Option<Response> {
        match self {
            RequestFault::AnotherInBody { field, list } => {
                if let Some(sent) = call.json().and_then(|body| body.pointer(field).cloned())
                    && let Some(other) = another(inner, list, &sent).await
                {
                    call.set_field(field, other);
                }
            }
            RequestFault::AnotherInPath => name_another_in_path(call, inner).await,
            RequestFault::FormatRejected(format) if has_valid_token(call, inner) => return rejected(call, format),
            RequestFault::FormatRejected(_) => {}
            RequestFault::InstantShifted(field) => change_timestamp(call, field, |at| {
                (at.to_utc() + Duration::hours(1)).to_rfc3339_opts(SecondsFormat::AutoSi, true)
            }),
            RequestFault::AcceptsCredential(credential) => {
                if credential.is_presented_by(call, inner) {
                    let token = inner.credential.clone();
                    call.head.headers.insert(header::AUTHORIZATION, token);
                }
            }
            RequestFault::LoneLost => {
                let body = call.json();
                if body.is_some_and(|body| body.as_object().is_some_and(|fields| fields.len() == 1)) {
                    call.set_body(&json!({}));
                }
            }
            RequestFault::Lost => lose(call, inner).await,
            RequestFault::Mangled => {
                if let Some(body) = call.json() {
                    let mangled = body.to_string().replace(|character: char| !character.is_ascii(), "?");
                    call.body = mangled.into();
                    call.head.headers.remove(header::CONTENT_LENGTH);
                }
            }
            RequestFault::OffsetDropped(field) => change_timestamp(call, field, |at| {
                at.naive_local().and_utc().to_rfc3339_opts(SecondsFormat::AutoSi, true)
            }),
            RequestFault::ToAnotherToo => {
                let mine = call.head.uri.clone();
                name_another_in_path(call, inner).await;
                inner.run(call.request()).await;
                call.head.uri = mine;
            }
        }
        None
    }
}

async fn name_another_in_path(call: &mut Call, inner: &InnerService) {
    let sent = json!(call.identifier().unwrap_or_default());
    if let Some(Value::String(other)) = another(inner, "getContacts", &sent).await {
        call.set_identifier(&other);
    }
}

/// Returns the identifier of another record in the list.
async fn another(inner: &InnerService, list: &str, than: &Value) -> Option<Value> {
    let list = operation(list)?;
    let invariant = list.page.as_ref()?;
    let shown = inner.list(list).await?;
    let mut identifiers = select(&shown, &invariant.item_id()).into_iter();
    identifiers.find(|identifier| identifier != than)
}

fn change_timestamp(call: &mut Call, field: &str, change: fn(DateTime<chrono::FixedOffset>) -> String) {
    let body = call.json();
    let sent = body.as_ref().and_then(|body| body.pointer(field)?.as_str());
    if let Some(at) = sent.and_then(|text| DateTime::parse_from_rfc3339(text).ok()) {
        call.set_field(field, json!(change(at)));
    }
}

/// Returns the rejection of a call whose timestamp has this format.
fn rejected(call: &Call, format: DocumentedFormat) -> Option<Response> {
    let body = call.json()?;
    let mut stamps = call
        .operation
        .accepts
        .iter()
        .filter_map(|accepts| body.pointer(&accepts.sent)?.as_str());
    let has_format =
        |text: &str| text.ends_with('Z') == (format == DocumentedFormat::Utc) && text.parse::<DateTime<Utc>>().is_ok();
    stamps
        .any(has_format)
        .then(|| StatusCode::UNPROCESSABLE_ENTITY.into_response())
}
