//! The nine operations: one file for each resource, with what it reads from requests and what it returns.
//!
//! Every field that the document lists is in every response, with its type and never null; unset fields are blank.

mod contact_input;
pub(super) mod contact_methods;
mod contact_response;
pub(super) mod contacts;
pub(super) mod tags;
pub(super) mod venues;
pub(super) mod visits;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};
use uuid::Uuid;

use super::store::NamedRecord;

/// A venue or a tag by its id and name; blank where there is none.
#[derive(Debug, Default, Serialize)]
pub(super) struct NamedResponse {
    id: OrBlank<Uuid>,
    name: String,
}

impl From<NamedRecord> for NamedResponse {
    fn from(named: NamedRecord) -> Self {
        NamedResponse {
            id: OrBlank(Some(named.id)),
            name: named.name,
        }
    }
}

/// A value that is written as an empty string where there is none.
#[derive(Debug, Default)]
struct OrBlank<T>(Option<T>);

impl<T: Serialize> Serialize for OrBlank<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(value) => value.serialize(serializer),
            None => serializer.serialize_str(""),
        }
    }
}

/// An instant in the form of every timestamp in a response: RFC 3339 in UTC.
///
/// chrono's own serializer writes the same text one character at a time, and a page of contacts has seventy timestamps.
#[derive(Debug)]
struct Timestamp(DateTime<Utc>);

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

/// Joins the parts of a contact's name, either of which may be blank.
fn full_name(firstname: &str, lastname: &str) -> String {
    [firstname, lastname].join(" ").trim().to_owned()
}
