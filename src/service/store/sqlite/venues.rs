//! The venues.

use rusqlite::{OptionalExtension, Row, Transaction, params};
use uuid::Uuid;

use super::column::{Id, Instant, Json};
use crate::service::store::interface::StoreError;
use crate::service::store::record::{RecordSlice, Reference, Span, Venue};

const PAGE: &str = "SELECT id, name, country, address, phone, email, tags, created_at
    FROM venue WHERE position BETWEEN ?1 AND ?2 ORDER BY position";

const INSERT: &str = "INSERT INTO venue (id, name, country, address, phone, email, tags, created_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

pub(super) fn page(transaction: &Transaction<'_>, span: Span) -> rusqlite::Result<RecordSlice<Venue>> {
    let mut query = transaction.prepare_cached(PAGE)?;
    let items = query
        .query_map([span.first, span.last], venue)?
        .collect::<Result<_, _>>()?;
    let mut total = transaction.prepare_cached("SELECT ifnull(max(position), 0) FROM venue")?;
    Ok(RecordSlice {
        items,
        total: total.query_one([], |row| row.get(0))?,
    })
}

fn venue(row: &Row<'_>) -> rusqlite::Result<Venue> {
    Ok(Venue {
        id: row.get::<_, Id>(0)?.0,
        name: row.get(1)?,
        country: row.get(2)?,
        address: row.get(3)?,
        phone: row.get(4)?,
        email: row.get(5)?,
        tags: row.get::<_, Json<_>>(6)?.0,
        created_at: row.get::<_, Instant>(7)?.0,
    })
}

pub(super) fn insert(transaction: &Transaction<'_>, venue: &Venue) -> rusqlite::Result<()> {
    transaction.prepare_cached(INSERT)?.execute(params![
        Id(venue.id),
        venue.name,
        venue.country,
        venue.address,
        venue.phone,
        venue.email,
        Json(&venue.tags),
        Instant(venue.created_at),
    ])?;
    Ok(())
}

/// Finds the position and the name of the venue that a request names in `venue_id`.
pub(super) fn find(transaction: &Transaction<'_>, id: Uuid) -> Result<(i64, String), StoreError> {
    let mut query = transaction.prepare_cached("SELECT position, name FROM venue WHERE id = ?1")?;
    let found = query
        .query_one([Id(id)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    found.ok_or(StoreError::UnknownReference(Reference::Venue))
}
