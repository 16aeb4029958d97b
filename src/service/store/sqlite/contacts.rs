//! The contacts, with their contact methods.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row, Transaction, params};
use uuid::Uuid;

use super::column::{Date, Id, Instant, Json};
use super::{tags, venues, visits};
use crate::service::store::interface::StoreError;
use crate::service::store::record::{
    Contact, ContactChange, ContactMethod, ContactRow, FoundReferences, FoundVenue, NamedRecord, NewContactMethod,
    RecordSlice, Span, VisitRow, VisitSummary,
};
use crate::service::store::seed;

const PAGE: &str = "SELECT contact.id, firstname, lastname, born, gender, nationality, country_of_residence,
        status, excluded_channels, custom_fields, methods, contact.created_at, updated_at,
        tag.id, tag.name,
        first_visited_at, first_venue.id, first_venue.name,
        last_visited_at, last_venue.id, last_venue.name
    FROM contact
    LEFT JOIN tag ON tag.position = contact.tags ->> 0
    LEFT JOIN venue AS first_venue ON first_venue.position = first_visited_venue
    LEFT JOIN venue AS last_venue ON last_venue.position = last_visited_venue
    WHERE contact.position BETWEEN ?1 AND ?2 ORDER BY contact.position";

const INSERT: &str = "INSERT INTO contact (id, firstname, lastname, born, gender, nationality, country_of_residence,
        status, venue, tags, excluded_channels, custom_fields, methods,
        first_visited_at, first_visited_venue, last_visited_at, last_visited_venue, created_at, updated_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";

// Fields that were not sent are null here, and keep their values, unless the last parameter says that the change
// replaces.
const CHANGE: &str = "UPDATE contact SET
        firstname = ifnull(?2, firstname),
        lastname = ifnull(?3, lastname),
        born = iif(?13, ?4, ifnull(?4, born)),
        gender = ifnull(?5, gender),
        nationality = ifnull(?6, nationality),
        country_of_residence = ifnull(?7, country_of_residence),
        venue = iif(?13, ?8, ifnull(?8, venue)),
        tags = ifnull(?9, tags),
        excluded_channels = ifnull(?10, excluded_channels),
        methods = ifnull(?11, methods),
        updated_at = ?12
    WHERE id = ?1";

const ADD_METHOD: &str = "UPDATE contact
    SET methods = json_insert(methods, '$[#]', json(?2)), excluded_channels = ?3, updated_at = ?4
    WHERE id = ?1";

/// How many synthetic contacts are added in one transaction.
const GROWTH_BATCH: i64 = 5_000;

pub(super) fn page(transaction: &Transaction<'_>, span: Span) -> Result<RecordSlice<Contact>, StoreError> {
    let mut query = transaction.prepare_cached(PAGE)?;
    let rows = query.query_map([span.first, span.last], contact)?;
    Ok(RecordSlice {
        items: rows.collect::<Result<_, _>>()?,
        total: total(transaction)?,
    })
}

pub(super) fn create(
    transaction: &Transaction<'_>,
    change: ContactChange,
    status: &str,
    now: DateTime<Utc>,
) -> Result<Contact, StoreError> {
    let found = find(transaction, &change)?;
    let row = ContactRow::new(change, &found, status, now);
    let position = insert(transaction, &row)?;
    if let Some(visit) = row.first_visit {
        visits::insert(transaction, position, visit)?;
    }
    Ok(row.written(found))
}

pub(super) fn update(
    transaction: &Transaction<'_>,
    id: Uuid,
    change: ContactChange,
    now: DateTime<Utc>,
) -> Result<Contact, StoreError> {
    let position = position(transaction, id)?.ok_or(StoreError::UnknownContact)?;
    let change = change.completed();
    let found = find(transaction, &change)?;
    let methods = change.methods.map(|methods| {
        let recorded = methods.into_iter().map(|new| new.recorded(now));
        Json(recorded.collect::<Vec<_>>())
    });
    transaction.prepare_cached(CHANGE)?.execute(params![
        Id(id),
        change.firstname,
        change.lastname,
        change.born.map(Date),
        change.gender,
        change.nationality,
        change.country_of_residence,
        found.venue_position(),
        found.tag_positions().map(Json),
        change.excluded_channels.map(Json),
        methods,
        Instant(now),
        change.replaces,
    ])?;
    let mut query = transaction.prepare_cached(PAGE)?;
    Ok(query.query_one([position, position], contact)?)
}

/// Adds a method to the contact `owner`, and removes the channels that it includes from the excluded ones.
pub(super) fn add_method(
    transaction: &Transaction<'_>,
    owner: Uuid,
    mut new: NewContactMethod,
    now: DateTime<Utc>,
) -> Result<ContactMethod, StoreError> {
    let included = std::mem::take(&mut new.included_channels);
    let excluded = transaction
        .prepare_cached("SELECT excluded_channels FROM contact WHERE id = ?1")?
        .query_one([Id(owner)], |row| row.get(0))
        .optional()?;
    let Json(mut channels): Json<Vec<String>> = excluded.ok_or(StoreError::UnknownContact)?;
    channels.retain(|channel| !included.contains(channel));
    let method = new.recorded(now);
    transaction
        .prepare_cached(ADD_METHOD)?
        .execute(params![Id(owner), Json(&method), Json(channels), Instant(now)])?;
    Ok(method)
}

/// Writes a contact, and returns its position.
pub(super) fn insert(transaction: &Transaction<'_>, row: &ContactRow) -> rusqlite::Result<i64> {
    let at = |visit: Option<VisitRow>| visit.map(|visit| Instant(visit.at));
    let venue = |visit: Option<VisitRow>| visit.map(|visit| visit.venue);
    transaction.prepare_cached(INSERT)?.insert(params![
        Id(row.id),
        row.firstname,
        row.lastname,
        row.born.map(Date),
        row.gender,
        row.nationality,
        row.country_of_residence,
        row.status,
        row.venue,
        Json(&row.tags),
        Json(&row.excluded_channels),
        Json(&row.custom_fields),
        Json(&row.methods),
        at(row.first_visit),
        venue(row.first_visit),
        at(row.last_visit),
        venue(row.last_visit),
        Instant(row.created_at),
        Instant(row.updated_at),
    ])
}

/// Adds at most one batch of synthetic contacts, up to `target`, and returns how many contacts there are.
pub(super) fn grow(transaction: &Transaction<'_>, target: i64) -> rusqlite::Result<i64> {
    let before = total(transaction)?;
    let after = target.clamp(before, before + GROWTH_BATCH);
    (before..after).try_for_each(|index| insert(transaction, &seed::contact(index)).map(drop))?;
    Ok(after)
}

/// Finds the position of a contact by its id.
pub(super) fn position(transaction: &Transaction<'_>, id: Uuid) -> rusqlite::Result<Option<i64>> {
    transaction
        .prepare_cached("SELECT position FROM contact WHERE id = ?1")?
        .query_one([Id(id)], |row| row.get(0))
        .optional()
}

fn total(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached("SELECT ifnull(max(position), 0) FROM contact")?
        .query_one([], |row| row.get(0))
}

fn find(transaction: &Transaction<'_>, change: &ContactChange) -> Result<FoundReferences, StoreError> {
    let venue = |id| {
        let (position, name) = venues::find(transaction, id)?;
        let venue = NamedRecord { id, name };
        Ok::<_, StoreError>(FoundVenue { position, venue })
    };
    Ok(FoundReferences {
        venue: change.venue.map(venue).transpose()?,
        tags: change
            .tags
            .as_ref()
            .map(|entries| tags::find_all(transaction, entries))
            .transpose()?,
    })
}

fn contact(row: &Row<'_>) -> rusqlite::Result<Contact> {
    Ok(Contact {
        id: row.get::<_, Id>(0)?.0,
        firstname: row.get(1)?,
        lastname: row.get(2)?,
        born: row.get::<_, Option<Date>>(3)?.map(|date| date.0),
        gender: row.get(4)?,
        nationality: row.get(5)?,
        country_of_residence: row.get(6)?,
        status: row.get(7)?,
        excluded_channels: row.get::<_, Json<_>>(8)?.0,
        custom_fields: row.get::<_, Json<_>>(9)?.0,
        methods: row.get::<_, Json<_>>(10)?.0,
        created_at: row.get::<_, Instant>(11)?.0,
        updated_at: row.get::<_, Instant>(12)?.0,
        first_tag: named(row, 13)?,
        first_visit: visit(row, 15)?,
        last_visit: visit(row, 18)?,
    })
}

fn named(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<NamedRecord>> {
    let id: Option<Id> = row.get(column)?;
    id.map(|id| {
        Ok(NamedRecord {
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
