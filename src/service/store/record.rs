//! The records of the store as the rest of the service sees them: typed, without a thought about their wire form.

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

/// The positions from `first` to `last`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Span {
    pub(crate) first: i64,
    pub(crate) last: i64,
}

/// The records at the positions of a span, and how many there are in all.
#[derive(Debug)]
pub(crate) struct Slice<T> {
    pub(crate) items: Vec<T>,
    pub(crate) total: i64,
}

/// A record that another one names in a request, as it is found there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reference {
    Contact,
    Tag(i64),
    Venue,
}

impl Reference {
    /// Returns the JSON pointer of the request field that names the record.
    pub(crate) fn pointer(self) -> String {
        match self {
            Reference::Contact => "/contact_id".to_owned(),
            Reference::Tag(index) => format!("/tags/{index}"),
            Reference::Venue => "/venue_id".to_owned(),
        }
    }
}

/// A tag, or any other record by its id and name.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Named {
    pub(crate) id: Uuid,
    pub(crate) name: String,
}

#[derive(Debug)]
pub(crate) struct Contact {
    pub(crate) id: Uuid,
    pub(crate) firstname: String,
    pub(crate) lastname: String,
    pub(crate) born: Option<NaiveDate>,
    pub(crate) gender: String,
    pub(crate) nationality: String,
    pub(crate) country_of_residence: String,
    pub(crate) status: String,
    pub(crate) excluded_channels: Vec<String>,
    pub(crate) custom_fields: Map<String, Value>,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
    pub(crate) first_tag: Option<Named>,
    pub(crate) first_visit: Option<VisitSummary>,
    pub(crate) last_visit: Option<VisitSummary>,
    pub(crate) methods: Vec<ContactMethod>,
}

#[derive(Debug)]
pub(crate) struct ContactMethod {
    pub(crate) id: Uuid,
    pub(crate) kind: String,
    pub(crate) contact: String,
    pub(crate) status: String,
    pub(crate) created_at: DateTime<Utc>,
}

#[derive(Debug)]
pub(crate) struct VisitSummary {
    pub(crate) at: DateTime<Utc>,
    pub(crate) venue: Named,
}

#[derive(Debug)]
pub(crate) struct Venue {
    pub(crate) id: Uuid,
    pub(crate) name: String,
    pub(crate) country: String,
    pub(crate) address: String,
    pub(crate) phone: String,
    pub(crate) email: String,
    pub(crate) tags: Vec<String>,
    pub(crate) created_at: DateTime<Utc>,
}

#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) id: i64,
    pub(crate) at: DateTime<Utc>,
    pub(crate) venue: Named,
    pub(crate) contact: Uuid,
    pub(crate) firstname: String,
    pub(crate) lastname: String,
}

/// What a create or an update says about a contact. What it does not say stays as it is: blank in a new contact.
#[derive(Debug, Default)]
pub(crate) struct ContactChange {
    pub(crate) firstname: Option<String>,
    pub(crate) lastname: Option<String>,
    pub(crate) methods: Option<Vec<NewContactMethod>>,
    pub(crate) born: Option<NaiveDate>,
    pub(crate) gender: Option<String>,
    pub(crate) nationality: Option<String>,
    pub(crate) country_of_residence: Option<String>,
    pub(crate) venue: Option<Uuid>,
    pub(crate) excluded_channels: Option<Vec<String>>,
    /// Ids or names of tags.
    pub(crate) tags: Option<Vec<String>>,
    /// Whether what the change does not say becomes blank instead.
    pub(crate) replaces: bool,
}

#[derive(Debug)]
pub(crate) struct NewContactMethod {
    pub(crate) kind: String,
    pub(crate) contact: String,
    pub(crate) status: String,
    /// Channels of the contact that are excluded no more.
    pub(crate) included_channels: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct NewTag {
    pub(crate) name: String,
    pub(crate) color: String,
}

#[derive(Debug)]
pub(crate) struct NewVisit {
    pub(crate) contact: Uuid,
    pub(crate) venue: Uuid,
    pub(crate) at: DateTime<Utc>,
}
