//! What a new store starts with: synthetic records, the same in every store. Each store's `schema` inserts them.
//!
//! Each list has several pages at the default page size, the last of them full: that is where page arithmetic goes
//! wrong most easily, and a check that only reads sees it nowhere else. The contacts differ in every way a response can
//! show: with and without visits, methods, tags, custom fields and a date of birth. Addresses are in example.com, and
//! phone numbers in a range that is reserved for fiction.

use std::time::Duration;

use chrono::{DateTime, Days, NaiveDate, Utc};
use serde_json::{Map, Value, json};
use uuid::{Builder, Uuid};

use super::record::{ContactMethod, ContactRow, NewTag, Venue, VisitRow};

const VENUES: usize = 30;
const CONTACTS: usize = 30;
const VISITS: usize = 30;

/// The number of contacts at the end of the list that have no visits.
const WITHOUT_VISITS: usize = 5;

/// 2024-01-08T09:00:00Z, when the first record was made, in seconds since 1970.
const START: u64 = 1_704_704_400;

/// The range of all times, in hours from the start: however many records are made, none is from the future.
const HOURS: u64 = 15_000;

const TAGS: [&str; 20] = [
    "regular", "guest", "member", "press", "volunteer", "speaker", "sponsor", "partner", "supplier", "student",
    "alumni", "staff", "local", "visitor", "artist", "collector", "donor", "patron", "friend", "neighbour",
];
const FIRSTNAMES: [&str; 12] = [
    "Ada", "Bruno", "Chiara", "Dafydd", "Élodie", "Farid", "Greta", "Hana", "Ívar", "Jun", "Kofi", "Lúcia",
];
const LASTNAMES: [&str; 7] = [
    "Example", "Sample", "Specimen", "Muster", "Ejemplo", "Voorbeeld", "Przykład",
];
const COUNTRIES: [&str; 6] = ["GB", "IT", "FR", "DE", "JP", "GH"];
const GENDERS: [&str; 4] = ["female", "male", "nonbinary", "undisclosed"];
const STATUSES: [&str; 3] = ["active", "inactive", "pending"];
const VENUE_KINDS: [&str; 6] = ["Hall", "Gallery", "Library", "Garden", "Workshop", "Studio"];
const VENUE_NAMES: [&str; 5] = ["North", "Harbour", "Old Mill", "Riverside", "Orchard"];
const STREETS: [&str; 4] = ["Sample Street", "Example Lane", "Specimen Road", "Placeholder Square"];
const EXCLUDED: [&[&str]; 3] = [&["sms", "post"], &[], &["phone"]];

/// The tags that every store starts with, each with its id.
pub(super) fn tags() -> impl Iterator<Item = (Uuid, NewTag)> {
    (0..TAGS.len()).map(|index| (identifier(SeedKind::Tag, index), tag(index)))
}

/// The venues that every store starts with.
pub(super) fn venues() -> impl Iterator<Item = Venue> {
    (0..VENUES).map(venue)
}

/// The contacts that every store starts with.
pub(super) fn contacts() -> impl Iterator<Item = ContactRow> {
    (0..).map(contact).take(CONTACTS)
}

/// The visits that every store starts with, each with the position of its contact.
pub(super) fn visits() -> impl Iterator<Item = (i64, VisitRow)> {
    (0..VISITS).map(|index| (position(visitor(index)), visit(index)))
}

fn tag(index: usize) -> NewTag {
    NewTag {
        name: cycled(&TAGS, index).to_owned(),
        color: format!("#{:06X}", (index + 1) * 0x0A_1B2C % 0x0100_0000),
    }
}

fn venue(index: usize) -> Venue {
    let name = format!(
        "{} {}",
        cycled(&VENUE_NAMES, index),
        cycled(&VENUE_KINDS, index / VENUE_NAMES.len())
    );
    Venue {
        id: identifier(SeedKind::Venue, index),
        country: cycled(&COUNTRIES, index).to_owned(),
        address: format!("{} {}", index + 1, cycled(&STREETS, index)),
        phone: phone(100 + index),
        email: format!("{}@example.com", name.to_lowercase().replace(' ', ".")),
        tags: owned(TAGS.iter().skip(index).take(index % 3)),
        created_at: hours_in(index),
        name,
    }
}

/// Makes the contact at position `index` + 1 of a store that holds only synthetic ones.
pub(super) fn contact(index: i64) -> ContactRow {
    let index = usize::try_from(index).unwrap_or_default();
    let visits = || (0..VISITS).filter(|visit| visitor(*visit) == index).map(visit);
    ContactRow {
        id: identifier(SeedKind::Contact, index),
        firstname: cycled(&FIRSTNAMES, index).to_owned(),
        lastname: cycled(&LASTNAMES, index).to_owned(),
        born: if index % 5 == 4 { None } else { birthday(index) },
        gender: cycled(&GENDERS, index).to_owned(),
        nationality: cycled(&COUNTRIES, index).to_owned(),
        country_of_residence: cycled(&COUNTRIES, index / 2).to_owned(),
        status: cycled(&STATUSES, index).to_owned(),
        venue: Some(position(index % VENUES)),
        tags: (0..(index + 1) % 3)
            .map(|nth| position((index + nth) % TAGS.len()))
            .collect(),
        excluded_channels: owned(cycled(&EXCLUDED, index).iter()),
        custom_fields: custom_fields(index).into(),
        methods: methods(index),
        first_visit: visits().min_by_key(|visit| visit.at),
        last_visit: visits().max_by_key(|visit| visit.at),
        created_at: hours_in(100 + index),
        updated_at: hours_in(100 + index) + Duration::from_secs(100 * 3_600),
    }
}

/// Makes an email for two contacts in three and a phone for every other one, so that some have both and some have none.
fn methods(index: usize) -> Vec<ContactMethod> {
    let method = |number: usize, kind: &str, contact: String| ContactMethod {
        id: identifier(SeedKind::ContactMethod, 2 * index + number),
        kind: kind.to_owned(),
        contact,
        status: cycled(&STATUSES, index + number).to_owned(),
        created_at: hours_in(100 + index),
    };
    let mut methods = Vec::new();
    if index % 3 != 2 {
        methods.push(method(0, "email", format!("contact.{}@example.com", index + 1)));
    }
    if index.is_multiple_of(2) {
        methods.push(method(1, "phone", phone(500 + index)));
    }
    methods
}

fn custom_fields(index: usize) -> Map<String, Value> {
    let mut fields = Map::new();
    if index.is_multiple_of(2) {
        fields.insert("seat".to_owned(), json!(format!("row {}", index + 1)));
    }
    if index.is_multiple_of(3) {
        fields.insert("diet".to_owned(), json!("vegetarian"));
    }
    fields
}

/// Makes visits out of chronological order, so that the first one recorded is not always the earliest.
fn visit(index: usize) -> VisitRow {
    VisitRow {
        at: hours_in(300 + index * 19 % VISITS),
        venue: position(index * 7 % VENUES),
    }
}

/// Returns the index of the contact that made a visit.
fn visitor(visit: usize) -> usize {
    visit % (CONTACTS - WITHOUT_VISITS)
}

/// Returns the position of the record with this index.
fn position(index: usize) -> i64 {
    i64::try_from(index).map_or(i64::MAX, |index| index + 1)
}

#[derive(Clone, Copy)]
enum SeedKind {
    Contact = 1,
    ContactMethod,
    Tag,
    Venue,
}

/// Makes the identifier of a seed record: it looks like a version 4 UUID, but is fixed.
fn identifier(kind: SeedKind, index: usize) -> Uuid {
    let number = (kind as u128) << 120 | (index as u128 + 1);
    Builder::from_random_bytes(number.to_be_bytes()).into_uuid()
}

/// Returns the value at an index, from the start again after the last one.
fn cycled<T: Copy>(values: &[T], index: usize) -> T {
    values[index % values.len()]
}

fn owned<'name>(names: impl Iterator<Item = &'name &'name str>) -> Vec<String> {
    names.map(|name| (*name).to_owned()).collect()
}

fn phone(number: usize) -> String {
    format!("+44 7700 900{:03}", number % 1_000)
}

fn birthday(index: usize) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(1950, 1, 31)?.checked_add_days(Days::new(index as u64 * 397 % 20_000))
}

fn hours_in(hours: usize) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::from_secs(START + hours as u64 % HOURS * 3_600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_has_tags_that_exist_and_is_updated_after_its_create() {
        for index in (0..100).chain(14_790..14_910) {
            let contact = contact(index);
            assert!(contact.created_at < contact.updated_at, "{index}");
            assert!(
                contact.tags.iter().all(|tag| (1..=20).contains(tag)),
                "{index}: {:?}",
                contact.tags
            );
        }
    }
}
