//! The visits.

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::database::Database;
use super::tags::named;
use super::venues;
use crate::service::store::interface::StoreError;
use crate::service::store::record::{NamedRecord, NewVisit, RecordSlice, Reference, Span, Visit};

const PAGE: &str = "SELECT list.total, visit.position, visit.at, venue.id, venue.name, contact.id, contact.firstname,
        contact.lastname
    FROM countersign.list
    LEFT JOIN countersign.visit ON visit.position BETWEEN $1 AND $2
    LEFT JOIN countersign.venue ON venue.position = visit.venue
    LEFT JOIN countersign.contact ON contact.position = visit.contact
    WHERE list.name = 'visit' ORDER BY visit.position";

/// Adds the visits of a JSON array, each with its place in it (`nth`, from 1), without updating the first and last
/// visits of contacts.
pub(super) const INSERT: &str = "WITH counted AS (
        UPDATE countersign.list SET total = total + jsonb_array_length($1) WHERE name = 'visit'
        RETURNING total - jsonb_array_length($1) AS before)
    INSERT INTO countersign.visit (position, contact, venue, at)
    SELECT counted.before + new.nth, new.contact, new.venue, new.at
    FROM counted, jsonb_to_recordset($1) AS new (nth bigint, contact bigint, venue bigint, at timestamptz)";

// Of several visits at the same time, the one recorded first counts as the first. The contact's own row is compared: it
// is locked when it changes, so that two visits at once both count.
const CREATE: &str = "WITH counted AS (
        UPDATE countersign.list SET total = total + 1 WHERE name = 'visit' RETURNING total),
    summarised AS (
        UPDATE countersign.contact SET
            first_visited_venue = CASE WHEN first_visited_at <= $3 THEN first_visited_venue ELSE $2 END,
            first_visited_at = CASE WHEN first_visited_at <= $3 THEN first_visited_at ELSE $3 END,
            last_visited_venue = CASE WHEN last_visited_at > $3 THEN last_visited_venue ELSE $2 END,
            last_visited_at = CASE WHEN last_visited_at > $3 THEN last_visited_at ELSE $3 END
        WHERE position = $1)
    INSERT INTO countersign.visit (position, contact, venue, at) SELECT total, $1, $2, $3 FROM counted
    RETURNING position";

const VISITOR: &str = "SELECT position, firstname, lastname FROM countersign.contact WHERE id = $1";

pub(super) async fn page(database: &Database, span: Span) -> Result<RecordSlice<Visit>, StoreError> {
    database.page(PAGE, span, visit).await
}

pub(super) async fn create(database: &Database, new: NewVisit) -> Result<Visit, StoreError> {
    let visitor = database.row(VISITOR, &[(&new.contact, Type::UUID)]).await?;
    let visitor = visitor.ok_or(StoreError::UnknownReference(Reference::Contact))?;
    let contact: i64 = visitor.try_get(0)?;
    let (venue, name) = venues::find(database, new.venue).await?;
    let parameters: [super::database::Parameter<'_>; 3] = [
        (&contact, Type::INT8),
        (&venue, Type::INT8),
        (&new.at, Type::TIMESTAMPTZ),
    ];
    let made = database.row(CREATE, &parameters).await?;
    Ok(Visit {
        id: made.map_or(Ok(0), |row| row.try_get(0))?,
        at: new.at,
        venue: NamedRecord { id: new.venue, name },
        contact: new.contact,
        firstname: visitor.try_get(1)?,
        lastname: visitor.try_get(2)?,
    })
}

fn visit(row: &Row) -> Result<Visit, tokio_postgres::Error> {
    Ok(Visit {
        id: row.try_get(1)?,
        at: row.try_get(2)?,
        venue: named(row, 3)?,
        contact: row.try_get(5)?,
        firstname: row.try_get(6)?,
        lastname: row.try_get(7)?,
    })
}
