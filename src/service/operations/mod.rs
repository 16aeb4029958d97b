//! The nine operations: one file for each resource, with what it reads of a request and what it answers.
//!
//! Every field that the document lists is in every answer, with its type and never null; what is unset is blank.

mod contact_answer;
mod contact_input;
pub(super) mod contact_methods;
pub(super) mod contacts;
pub(super) mod tags;
pub(super) mod venues;
pub(super) mod visits;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::store::Named;

/// A venue or a tag by its id and name; blank where there is none.
#[derive(Debug, Default, Serialize)]
pub(super) struct NamedAnswer {
    id: String,
    name: String,
}

impl From<Named> for NamedAnswer {
    fn from(named: Named) -> Self {
        NamedAnswer {
            id: identifier(named.id),
            name: named.name,
        }
    }
}

fn identifier(id: Uuid) -> String {
    id.to_string()
}

/// Writes an instant as every timestamp is answered: RFC 3339 in UTC.
fn timestamp(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// Writes a contact's full name of its parts, of which either may be blank.
fn full_name(firstname: &str, lastname: &str) -> String {
    format!("{firstname} {lastname}").trim().to_owned()
}
