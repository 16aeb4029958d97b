//! The contacts.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row, Transaction, params};
use uuid::Uuid;

use super::column::{Date, Id, Instant, Json};
use super::connection::{Store, StoreError};
use super::record::{Contact, ContactChange, Named, Slice, Span, VisitSummary};
use super::{contact_methods, tags, venues};

const PAGE: &str =
    "SELECT contact.position, contact.id, firstname, lastname, born, gender, nationality, country_of_residence,
        status, excluded_channels, custom_fields, contact.created_at, contact.updated_at,
        tag.id, tag.name,
        first_visit.at, first_venue.id, first_venue.name,
        last_visit.at, last_venue.id, last_venue.name
    FROM contact
    LEFT JOIN contact_tag ON contact_tag.contact = contact.position AND contact_tag.rank = 0
    LEFT JOIN tag ON tag.position = contact_tag.tag
    LEFT JOIN visit AS first_visit ON first_visit.position =
        (SELECT position FROM visit WHERE visit.contact = contact.position ORDER BY at, position LIMIT 1)
    LEFT JOIN venue AS first_venue ON first_venue.position = first_visit.venue
    LEFT JOIN visit AS last_visit ON last_visit.position =
        (SELECT position FROM visit WHERE visit.contact = contact.position ORDER BY at DESC, position DESC LIMIT 1)
    LEFT JOIN venue AS last_venue ON last_venue.position = last_visit.venue
    WHERE contact.position BETWEEN ?1 AND ?2 ORDER BY contact.position";

const INSERT: &str = "INSERT INTO contact (id, status, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)";

// What was not sent is null here, and stays.
const CHANGE: &str = "UPDATE contact SET
        firstname = ifnull(?2, firstname),
        lastname = ifnull(?3, lastname),
        born = ifnull(?4, born),
        gender = ifnull(?5, gender),
        nationality = ifnull(?6, nationality),
        country_of_residence = ifnull(?7, country_of_residence),
        venue = ifnull(?8, venue),
        excluded_channels = ifnull(?9, excluded_channels),
        updated_at = ?10
    WHERE position = ?1";

// What an insert leaves blank.
const BLANK: &str = "UPDATE contact SET firstname = '', lastname = '', born = NULL, gender = '', nationality = '',
        country_of_residence = '', venue = NULL, excluded_channels = '[]'
    WHERE position = ?1";

impl Store {
    pub(crate) async fn contacts(&self, span: Span) -> Result<Slice<Contact>, StoreError> {
        self.read(move |transaction| Ok(page(transaction, span)?)).await
    }

    /// Creates a contact: a blank one, changed at once.
    pub(crate) async fn create_contact(
        &self,
        change: ContactChange,
        status: &'static str,
        now: DateTime<Utc>,
    ) -> Result<Contact, StoreError> {
        self.write(move |transaction| {
            let position = insert(transaction, Uuid::new_v4(), status, now)?;
            apply(transaction, position, change, now)?;
            Ok(at(transaction, position)?)
        })
        .await
    }

    pub(crate) async fn update_contact(
        &self,
        id: Uuid,
        change: ContactChange,
        now: DateTime<Utc>,
    ) -> Result<Contact, StoreError> {
        self.write(move |transaction| {
            let position = position(transaction, id)?.ok_or(StoreError::UnknownContact)?;
            apply(transaction, position, change, now)?;
            Ok(at(transaction, position)?)
        })
        .await
    }
}

fn page(transaction: &Transaction<'_>, span: Span) -> rusqlite::Result<Slice<Contact>> {
    let mut query = transaction.prepare_cached(PAGE)?;
    let rows = query.query_map([span.first, span.last], |row| contact(transaction, row))?;
    let items = rows.collect::<Result<_, _>>()?;
    let mut total = transaction.prepare_cached("SELECT ifnull(max(position), 0) FROM contact")?;
    Ok(Slice {
        items,
        total: total.query_one([], |row| row.get(0))?,
    })
}

fn at(transaction: &Transaction<'_>, position: i64) -> rusqlite::Result<Contact> {
    transaction
        .prepare_cached(PAGE)?
        .query_one([position, position], |row| contact(transaction, row))
}

fn contact(transaction: &Transaction<'_>, row: &Row<'_>) -> rusqlite::Result<Contact> {
    Ok(Contact {
        id: row.get::<_, Id>(1)?.0,
        firstname: row.get(2)?,
        lastname: row.get(3)?,
        born: row.get::<_, Option<Date>>(4)?.map(|date| date.0),
        gender: row.get(5)?,
        nationality: row.get(6)?,
        country_of_residence: row.get(7)?,
        status: row.get(8)?,
        excluded_channels: row.get::<_, Json<_>>(9)?.0,
        custom_fields: row.get::<_, Json<_>>(10)?.0,
        created_at: row.get::<_, Instant>(11)?.0,
        updated_at: row.get::<_, Instant>(12)?.0,
        first_tag: named(row, 13)?,
        first_visit: visit(row, 15)?,
        last_visit: visit(row, 18)?,
        methods: contact_methods::of_owner(transaction, row.get(0)?)?,
    })
}

fn named(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Named>> {
    let id: Option<Id> = row.get(column)?;
    id.map(|id| {
        Ok(Named {
            id: id.0,
            name: row.get(column + 1)?,
        })
    })
    .transpose()
}

fn visit(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<VisitSummary>> {
    let at: Option<Instant> = row.get(column)?;
    Ok(at
        .zip(named(row, column + 1)?)
        .map(|(at, venue)| VisitSummary { at: at.0, venue }))
}

/// Finds the position of a contact by its id.
pub(super) fn position(transaction: &Transaction<'_>, id: Uuid) -> rusqlite::Result<Option<i64>> {
    transaction
        .prepare_cached("SELECT position FROM contact WHERE id = ?1")?
        .query_one([Id(id)], |row| row.get(0))
        .optional()
}

/// Adds a blank contact and returns its position.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    id: Uuid,
    status: &str,
    now: DateTime<Utc>,
) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(INSERT)?
        .insert(params![Id(id), status, Instant(now)])
}

/// Makes the fields of `change` those of the contact at `position`.
pub(super) fn apply(
    transaction: &Transaction<'_>,
    position: i64,
    mut change: ContactChange,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    if change.replaces {
        transaction.prepare_cached(BLANK)?.execute([position])?;
        change.methods.get_or_insert_default();
        change.tags.get_or_insert_default();
    }
    let venue = change.venue.map(|id| venues::position(transaction, id)).transpose()?;
    transaction.prepare_cached(CHANGE)?.execute(params![
        position,
        change.firstname,
        change.lastname,
        change.born.map(Date),
        change.gender,
        change.nationality,
        change.country_of_residence,
        venue,
        change.excluded_channels.map(Json),
        Instant(now),
    ])?;
    if let Some(methods) = change.methods {
        contact_methods::replace(transaction, position, methods, now)?;
    }
    if let Some(entries) = change.tags {
        tags::assign(transaction, position, &entries)?;
    }
    Ok(())
}

/// Takes `included` from the excluded channels of the contact at `position`, and marks it as updated.
pub(super) fn include_channels(
    transaction: &Transaction<'_>,
    position: i64,
    included: &[String],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let mut excluded = transaction.prepare_cached("SELECT excluded_channels FROM contact WHERE position = ?1")?;
    let Json(mut channels): Json<Vec<String>> = excluded.query_one([position], |row| row.get(0))?;
    channels.retain(|channel| !included.contains(channel));
    apply(
        transaction,
        position,
        ContactChange {
            excluded_channels: Some(channels),
            ..ContactChange::default()
        },
        now,
    )
}
