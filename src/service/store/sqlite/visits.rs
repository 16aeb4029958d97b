//! The visits.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::column::{Id, Instant};
use super::venues;
use crate::service::store::interface::StoreError;
use crate::service::store::record::{NamedRecord, NewVisit, RecordSlice, Reference, Span, Visit, VisitRow};

const PAGE: &str =
    "SELECT visit.position, visit.at, venue.id, venue.name, contact.id, contact.firstname, contact.lastname
    FROM visit
    JOIN venue ON venue.position = visit.venue
    JOIN contact ON contact.position = visit.contact
    WHERE visit.position BETWEEN ?1 AND ?2 ORDER BY visit.position";

// Of several visits at the same time, the one recorded first counts as the first.
const SUMMARISE: &str = "UPDATE contact SET
        first_visited_venue = iif(first_visited_at <= ?2, first_visited_venue, ?3),
        first_visited_at = iif(first_visited_at <= ?2, first_visited_at, ?2),
        last_visited_venue = iif(last_visited_at > ?2, last_visited_venue, ?3),
        last_visited_at = iif(last_visited_at > ?2, last_visited_at, ?2)
    WHERE position = ?1";

const VISITOR: &str = "SELECT position, firstname, lastname FROM contact WHERE id = ?1";

pub(super) fn page(transaction: &Transaction<'_>, span: Span) -> rusqlite::Result<RecordSlice<Visit>> {
    let mut query = transaction.prepare_cached(PAGE)?;
    let items = query
        .query_map([span.first, span.last], visit)?
        .collect::<Result<_, _>>()?;
    let mut total = transaction.prepare_cached("SELECT ifnull(max(position), 0) FROM visit")?;
    Ok(RecordSlice {
        items,
        total: total.query_one([], |row| row.get(0))?,
    })
}

pub(super) fn create(transaction: &Transaction<'_>, new: &NewVisit) -> Result<Visit, StoreError> {
    let visitor = transaction
        .prepare_cached(VISITOR)?
        .query_one([Id(new.contact)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let (contact, firstname, lastname) = visitor.ok_or(StoreError::UnknownReference(Reference::Contact))?;
    let (venue, name) = venues::find(transaction, new.venue)?;
    let visit = VisitRow { at: new.at, venue };
    let id = insert(transaction, contact, visit)?;
    transaction
        .prepare_cached(SUMMARISE)?
        .execute(params![contact, Instant(new.at), venue])?;
    Ok(Visit {
        id,
        at: new.at,
        venue: NamedRecord { id: new.venue, name },
        contact: new.contact,
        firstname,
        lastname,
    })
}

/// Records a visit by the contact at a position, and returns the visit's position.
pub(super) fn insert(transaction: &Transaction<'_>, contact: i64, visit: VisitRow) -> rusqlite::Result<i64> {
    let mut insert = transaction.prepare_cached("INSERT INTO visit (contact, venue, at) VALUES (?1, ?2, ?3)")?;
    insert.insert(params![contact, visit.venue, Instant(visit.at)])
}

fn visit(row: &Row<'_>) -> rusqlite::Result<Visit> {
    Ok(Visit {
        id: row.get(0)?,
        at: row.get::<_, Instant>(1)?.0,
        venue: NamedRecord {
            id: row.get::<_, Id>(2)?.0,
            name: row.get(3)?,
        },
        contact: row.get::<_, Id>(4)?.0,
        firstname: row.get(5)?,
        lastname: row.get(6)?,
    })
}
