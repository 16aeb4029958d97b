//! What a new store starts with: [`sow`] writes synthetic records, the same in every store.
//!
//! There are several pages of each list at the default page size, and the contacts differ in every way an answer can
//! show: with and without visits, methods, tags, custom fields and a date of birth. Addresses are in example.com, and
//! phone numbers in a range that is kept for fiction.

use std::time::Duration;

use chrono::{DateTime, Days, NaiveDate, Utc};
use rusqlite::{Transaction, params};
use serde_json::{Map, Value, json};
use uuid::{Builder, Uuid};

use super::column::{Id, Instant, Json};
use super::connection::StoreError;
use super::record::{ContactChange, ContactMethod, NewTag, Venue};
use super::{contact_methods, contacts, tags, venues};

const VENUES: usize = 23;
const CONTACTS: usize = 37;
const VISITS: usize = 41;

/// Contacts at the end of the list that no visit is given to.
const WITHOUT_VISITS: usize = 12;

/// 2024-01-08T09:00:00Z, when the first record was made, in seconds since 1970.
const START: u64 = 1_704_704_400;

const TAGS: [&str; 23] = [
    "regular",
    "guest",
    "member",
    "press",
    "volunteer",
    "speaker",
    "sponsor",
    "partner",
    "supplier",
    "student",
    "alumni",
    "staff",
    "local",
    "visitor",
    "artist",
    "collector",
    "donor",
    "patron",
    "friend",
    "neighbour",
    "resident",
    "traveller",
    "newcomer",
];
const FIRSTNAMES: [&str; 12] = [
    "Ada", "Bruno", "Chiara", "Dafydd", "Élodie", "Farid", "Greta", "Hana", "Ívar", "Jun", "Kofi", "Lúcia",
];
const LASTNAMES: [&str; 7] = [
    "Example",
    "Sample",
    "Specimen",
    "Muster",
    "Ejemplo",
    "Voorbeeld",
    "Przykład",
];
const COUNTRIES: [&str; 6] = ["GB", "IT", "FR", "DE", "JP", "GH"];
const GENDERS: [&str; 4] = ["female", "male", "nonbinary", "undisclosed"];
const STATUSES: [&str; 3] = ["active", "inactive", "pending"];
const VENUE_KINDS: [&str; 5] = ["Hall", "Gallery", "Library", "Garden", "Workshop"];
const VENUE_NAMES: [&str; 5] = ["North", "Harbour", "Old Mill", "Riverside", "Orchard"];
const STREETS: [&str; 4] = ["Sample Street", "Example Lane", "Specimen Road", "Placeholder Square"];
const EXCLUDED: [&[&str]; 3] = [&["sms", "post"], &[], &["phone"]];

/// Writes the records with which every store starts.
pub(super) fn sow(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    for index in 0..TAGS.len() {
        tags::insert(transaction, identifier(Kind::Tag, index), &tag(index))?;
    }
    for index in 0..VENUES {
        venues::insert(transaction, &venue(index))?;
    }
    for index in 0..CONTACTS {
        contact(transaction, index)?;
    }
    for index in 0..VISITS {
        visit(transaction, index)?;
    }
    Ok(())
}

fn tag(index: usize) -> NewTag {
    NewTag {
        name: of(&TAGS, index).to_owned(),
        color: format!("#{:06X}", (index + 1) * 0x0A_1B2C % 0x0100_0000),
    }
}

fn venue(index: usize) -> Venue {
    let name = format!(
        "{} {}",
        of(&VENUE_NAMES, index),
        of(&VENUE_KINDS, index / VENUE_NAMES.len())
    );
    Venue {
        id: identifier(Kind::Venue, index),
        country: of(&COUNTRIES, index).to_owned(),
        address: format!("{} {}", index + 1, of(&STREETS, index)),
        phone: phone(100 + index),
        email: format!("{}@example.com", name.to_lowercase().replace(' ', ".")),
        tags: owned(&TAGS[index..(index + index % 3).min(TAGS.len())]),
        created_at: hours_in(index),
        name,
    }
}

fn contact(transaction: &Transaction<'_>, index: usize) -> Result<(), StoreError> {
    let id = identifier(Kind::Contact, index);
    let position = contacts::insert(transaction, id, of(&STATUSES, index), hours_in(100 + index))?;
    let change = ContactChange {
        firstname: Some(of(&FIRSTNAMES, index).to_owned()),
        lastname: Some(of(&LASTNAMES, index).to_owned()),
        born: if index % 5 == 4 { None } else { birthday(index) },
        gender: Some(of(&GENDERS, index).to_owned()),
        nationality: Some(of(&COUNTRIES, index).to_owned()),
        country_of_residence: Some(of(&COUNTRIES, index / 2).to_owned()),
        venue: Some(identifier(Kind::Venue, index % VENUES)),
        excluded_channels: Some(owned(of(&EXCLUDED, index))),
        tags: Some(owned(&TAGS[index % 20..][..(index + 1) % 3])),
        methods: None,
        replaces: false,
    };
    contacts::apply(transaction, position, change, hours_in(200 + index))?;
    transaction
        .prepare_cached("UPDATE contact SET custom_fields = ?2 WHERE id = ?1")?
        .execute(params![Id(id), Json(custom_fields(index))])?;
    for method in methods(index) {
        contact_methods::insert(transaction, position, &method)?;
    }
    Ok(())
}

/// Makes an email for two contacts in three and a phone for every other one, so that some have both and some nothing.
fn methods(index: usize) -> Vec<ContactMethod> {
    let method = |number: usize, kind: &str, contact: String| ContactMethod {
        id: identifier(Kind::ContactMethod, 2 * index + number),
        kind: kind.to_owned(),
        contact,
        status: of(&STATUSES, index + number).to_owned(),
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

/// Records visits out of the order of their time, so that the first recorded is not always the first made.
fn visit(transaction: &Transaction<'_>, index: usize) -> rusqlite::Result<()> {
    let contact = identifier(Kind::Contact, index % (CONTACTS - WITHOUT_VISITS));
    let venue = identifier(Kind::Venue, index * 7 % VENUES);
    transaction
        .prepare_cached(
            "INSERT INTO visit (contact, venue, at) SELECT contact.position, venue.position, ?3
             FROM contact, venue WHERE contact.id = ?1 AND venue.id = ?2",
        )?
        .execute(params![
            Id(contact),
            Id(venue),
            Instant(hours_in(300 + index * 19 % VISITS))
        ])?;
    Ok(())
}

#[derive(Clone, Copy)]
enum Kind {
    Contact = 1,
    ContactMethod,
    Tag,
    Venue,
}

/// Makes the identifier of a seed record: a version 4 UUID to look at, but fixed.
fn identifier(kind: Kind, index: usize) -> Uuid {
    let number = (kind as u128) << 120 | (index as u128 + 1);
    Builder::from_random_bytes(number.to_be_bytes()).into_uuid()
}

fn of<T: Copy>(values: &[T], index: usize) -> T {
    values[index % values.len()]
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn phone(number: usize) -> String {
    format!("+44 7700 900{number:03}")
}

fn birthday(index: usize) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(1950, 1, 31)?.checked_add_days(Days::new(index as u64 * 397))
}

fn hours_in(hours: usize) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::from_secs(START + hours as u64 * 3_600)
}
