//! The records of the store as the rest of the service sees them: typed, and independent of their form on the wire.

use chrono::serde::ts_microseconds;
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
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
pub(crate) struct RecordSlice<T> {
    pub(crate) items: Vec<T>,
    pub(crate) total: i64,
}

/// A record that a request refers to, by the field that names it.
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
pub(crate) struct NamedRecord {
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
    pub(crate) custom_fields: CustomFields,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
    pub(crate) first_tag: Option<NamedRecord>,
    pub(crate) first_visit: Option<VisitSummary>,
    pub(crate) last_visit: Option<VisitSummary>,
    pub(crate) methods: Vec<ContactMethod>,
}

/// The custom fields of a contact, with arbitrary keys. Nothing reads them, so they stay the JSON text that they are
/// stored as.
#[derive(Debug, Deserialize, Serialize)]
#[serde(transparent)]
pub(crate) struct CustomFields(Box<RawValue>);

impl Default for CustomFields {
    fn default() -> Self {
        Map::new().into()
    }
}

impl From<Map<String, Value>> for CustomFields {
    fn from(fields: Map<String, Value>) -> Self {
        CustomFields(to_raw_value(&fields).expect("a map of JSON values is written as JSON"))
    }
}

/// A contact method. No query searches for one, so a contact's row holds them all, in JSON.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct ContactMethod {
    pub(crate) id: Uuid,
    /// `type` on the wire.
    pub(crate) kind: String,
    pub(crate) contact: String,
    pub(crate) status: String,
    #[serde(with = "ts_microseconds")]
    pub(crate) created_at: DateTime<Utc>,
}

#[derive(Debug)]
pub(crate) struct VisitSummary {
    pub(crate) at: DateTime<Utc>,
    pub(crate) venue: NamedRecord,
}

#[derive(Debug, Serialize)]
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
    pub(crate) venue: NamedRecord,
    pub(crate) contact: Uuid,
    pub(crate) firstname: String,
    pub(crate) lastname: String,
}

/// What a create or an update sets in a contact. A field that it does not set keeps its value, which is blank in a new
/// contact.
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
    /// Whether fields that the change does not set become blank instead.
    pub(crate) replaces: bool,
    /// Whether a new contact is at its venue, which counts as a visit.
    pub(crate) counts_as_visit: bool,
}

impl ContactChange {
    /// If the change replaces, makes the fields that it does not set blank. The date of birth and the venue have no
    /// blank value but `None`, so the store looks at `replaces` for them.
    pub(super) fn completed(mut self) -> Self {
        if self.replaces {
            for text in [
                &mut self.firstname,
                &mut self.lastname,
                &mut self.gender,
                &mut self.nationality,
                &mut self.country_of_residence,
            ] {
                text.get_or_insert_default();
            }
            self.methods.get_or_insert_default();
            self.excluded_channels.get_or_insert_default();
            self.tags.get_or_insert_default();
        }
        self
    }
}

#[derive(Debug)]
pub(crate) struct NewContactMethod {
    /// `type` on the wire.
    pub(crate) kind: String,
    pub(crate) contact: String,
    pub(crate) status: String,
    /// Channels that the contact is no longer excluded from.
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

impl NewContactMethod {
    /// Makes a record of it, with a new id.
    pub(super) fn recorded(self, now: DateTime<Utc>) -> ContactMethod {
        ContactMethod {
            id: Uuid::new_v4(),
            kind: self.kind,
            contact: self.contact,
            status: self.status,
            created_at: now,
        }
    }
}

/// A contact as a store writes it: what it refers to has been found, and is given by position.
#[derive(Debug, Serialize)]
pub(super) struct ContactRow {
    pub(super) id: Uuid,
    pub(super) firstname: String,
    pub(super) lastname: String,
    pub(super) born: Option<NaiveDate>,
    pub(super) gender: String,
    pub(super) nationality: String,
    pub(super) country_of_residence: String,
    pub(super) status: String,
    pub(super) venue: Option<i64>,
    pub(super) tags: Vec<i64>,
    pub(super) excluded_channels: Vec<String>,
    pub(super) custom_fields: CustomFields,
    pub(super) methods: Vec<ContactMethod>,
    pub(super) first_visit: Option<VisitRow>,
    pub(super) last_visit: Option<VisitRow>,
    pub(super) created_at: DateTime<Utc>,
    pub(super) updated_at: DateTime<Utc>,
}

/// A visit of a contact: when, and to which venue, by the venue's position.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct VisitRow {
    pub(super) at: DateTime<Utc>,
    pub(super) venue: i64,
}

/// A tag and its position.
#[derive(Debug)]
pub(super) struct FoundTag {
    pub(super) position: i64,
    pub(super) tag: NamedRecord,
}

/// A venue and its position.
#[derive(Debug)]
pub(super) struct FoundVenue {
    pub(super) position: i64,
    pub(super) venue: NamedRecord,
}

/// What a [`ContactChange`] refers to, found in the store. Venues and tags never change, so what is found stays valid.
#[derive(Debug)]
pub(super) struct FoundReferences {
    pub(super) venue: Option<FoundVenue>,
    pub(super) tags: Option<Vec<FoundTag>>,
}

impl FoundReferences {
    pub(super) fn venue_position(&self) -> Option<i64> {
        self.venue.as_ref().map(|found| found.position)
    }

    pub(super) fn tag_positions(&self) -> Option<Vec<i64>> {
        let tags = self.tags.as_ref()?;
        Some(tags.iter().map(|found| found.position).collect())
    }
}

impl ContactRow {
    /// Makes a new contact from a change; fields that it does not set are blank.
    pub(super) fn new(change: ContactChange, found: &FoundReferences, status: &str, now: DateTime<Utc>) -> Self {
        let methods = change.methods.unwrap_or_default();
        let venue = found.venue_position();
        let visit = venue
            .filter(|_| change.counts_as_visit)
            .map(|venue| VisitRow { at: now, venue });
        ContactRow {
            id: Uuid::new_v4(),
            firstname: change.firstname.unwrap_or_default(),
            lastname: change.lastname.unwrap_or_default(),
            born: change.born,
            gender: change.gender.unwrap_or_default(),
            nationality: change.nationality.unwrap_or_default(),
            country_of_residence: change.country_of_residence.unwrap_or_default(),
            status: status.to_owned(),
            venue,
            tags: found.tag_positions().unwrap_or_default(),
            excluded_channels: change.excluded_channels.unwrap_or_default(),
            custom_fields: CustomFields::default(),
            methods: methods.into_iter().map(|new| new.recorded(now)).collect(),
            first_visit: visit,
            last_visit: visit,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns the contact that was just written. Its only possible visit is to the venue in `found`.
    pub(super) fn written(self, found: FoundReferences) -> Contact {
        let summary = |visit: Option<VisitRow>| {
            let venue = found.venue.as_ref().map(|found| found.venue.clone());
            visit
                .zip(venue)
                .map(|(visit, venue)| VisitSummary { at: visit.at, venue })
        };
        let (first_visit, last_visit) = (summary(self.first_visit), summary(self.last_visit));
        Contact {
            id: self.id,
            firstname: self.firstname,
            lastname: self.lastname,
            born: self.born,
            gender: self.gender,
            nationality: self.nationality,
            country_of_residence: self.country_of_residence,
            status: self.status,
            excluded_channels: self.excluded_channels,
            custom_fields: self.custom_fields,
            created_at: self.created_at,
            updated_at: self.updated_at,
            first_tag: found
                .tags
                .and_then(|tags| tags.into_iter().next())
                .map(|first| first.tag),
            first_visit,
            last_visit,
            methods: self.methods,
        }
    }
}
