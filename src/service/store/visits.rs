//! The visits.

use chrono::{DateTime, Utc};
use rusqlite::{Row, Transaction, params};

use super::column::{Id, Instant};
use super::connection::{Store, StoreError};
use super::record::{Named, NewVisit, Reference, Slice, Span, Visit};
use super::{contacts, venues};

const PAGE: &str =
    "SELECT visit.position, visit.at, venue.id, venue.name, contact.id, contact.firstname, contact.lastname
    FROM visit
    JOIN venue ON venue.position = visit.venue
    JOIN contact ON contact.position = visit.contact
    WHERE visit.position BETWEEN ?1 AND ?2 ORDER BY visit.position";

impl Store {
    pub(crate) async fn visits(&self, span: Span) -> Result<Slice<Visit>, StoreError> {
        self.read(move |transaction| Ok(page(transaction, span)?)).await
    }

    pub(crate) async fn create_visit(&self, new: NewVisit) -> Result<Visit, StoreError> {
        self.write(move |transaction| {
            let contact = contacts::position(transaction, new.contact)?;
            let contact = contact.ok_or(StoreError::UnknownReference(Reference::Contact))?;
            let venue = venues::position(transaction, new.venue)?;
            let position = insert(transaction, contact, venue, new.at)?;
            Ok(transaction
                .prepare_cached(PAGE)?
                .query_one([position, position], visit)?)
        })
        .await
    }
}

fn page(transaction: &Transaction<'_>, span: Span) -> rusqlite::Result<Slice<Visit>> {
    let mut query = transaction.prepare_cached(PAGE)?;
    let items = query
        .query_map([span.first, span.last], visit)?
        .collect::<Result<_, _>>()?;
    let mut total = transaction.prepare_cached("SELECT ifnull(max(position), 0) FROM visit")?;
    Ok(Slice {
        items,
        total: total.query_one([], |row| row.get(0))?,
    })
}

fn visit(row: &Row<'_>) -> rusqlite::Result<Visit> {
    Ok(Visit {
        id: row.get(0)?,
        at: row.get::<_, Instant>(1)?.0,
        venue: Named {
            id: row.get::<_, Id>(2)?.0,
            name: row.get(3)?,
        },
        contact: row.get::<_, Id>(4)?.0,
        firstname: row.get(5)?,
        lastname: row.get(6)?,
    })
}

/// Records a visit between the contact and the venue at these positions, and returns its own.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    contact: i64,
    venue: i64,
    at: DateTime<Utc>,
) -> rusqlite::Result<i64> {
    let mut insert = transaction.prepare_cached("INSERT INTO visit (contact, venue, at) VALUES (?1, ?2, ?3)")?;
    insert.insert(params![contact, venue, Instant(at)])
}
