//! The venues.

use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::database::Database;
use crate::service::store::interface::StoreError;
use crate::service::store::record::{RecordSlice, Reference, Span, Venue};

const PAGE: &str =
    "SELECT list.total, venue.position, venue.id, venue.name, country, address, phone, email, tags, created_at
    FROM countersign.list
    LEFT JOIN countersign.venue ON venue.position BETWEEN $1 AND $2
    WHERE list.name = 'venue' ORDER BY venue.position";

/// Adds the venues of a JSON array, each with its place in it (`nth`, from 1).
pub(super) const INSERT: &str = "WITH counted AS (
        UPDATE countersign.list SET total = total + jsonb_array_length($1) WHERE name = 'venue'
        RETURNING total - jsonb_array_length($1) AS before)
    INSERT INTO countersign.venue (position, id, name, country, address, phone, email, tags, created_at)
    SELECT counted.before + new.nth, new.id, new.name, new.country, new.address, new.phone, new.email, new.tags,
        new.created_at
    FROM counted, jsonb_to_recordset($1) AS new (nth bigint, id uuid, name text, country text, address text,
        phone text, email text, tags text[], created_at timestamptz)";

pub(super) async fn page(database: &Database, span: Span) -> Result<RecordSlice<Venue>, StoreError> {
    database.page(PAGE, span, venue).await
}

/// Finds the position and the name of the venue that a request names in `venue_id`.
pub(super) async fn find(database: &Database, id: Uuid) -> Result<(i64, String), StoreError> {
    let statement = "SELECT position, name FROM countersign.venue WHERE id = $1";
    let row = database.row(statement, &[(&id, Type::UUID)]).await?;
    let row = row.ok_or(StoreError::UnknownReference(Reference::Venue))?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

fn venue(row: &Row) -> Result<Venue, tokio_postgres::Error> {
    Ok(Venue {
        id: row.try_get(2)?,
        name: row.try_get(3)?,
        country: row.try_get(4)?,
        address: row.try_get(5)?,
        phone: row.try_get(6)?,
        email: row.try_get(7)?,
        tags: row.try_get(8)?,
        created_at: row.try_get(9)?,
    })
}
