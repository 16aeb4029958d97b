//! The tags.

use serde_json::json;
use tokio_postgres::Row;
use tokio_postgres::types::{Json, Type};
use uuid::Uuid;

use super::database::Database;
use crate::service::store::interface::StoreError;
use crate::service::store::record::{FoundTag, NamedRecord, NewTag, RecordSlice, Reference, Span};
use crate::service::values::hyphenated;

const PAGE: &str = "SELECT list.total, tag.position, tag.id, tag.name
    FROM countersign.list
    LEFT JOIN countersign.tag ON tag.position BETWEEN $1 AND $2
    WHERE list.name = 'tag' ORDER BY tag.position";

/// Adds the tags of a JSON array, each with its place in it (`nth`, from 1).
pub(super) const INSERT: &str = "WITH counted AS (
        UPDATE countersign.list SET total = total + jsonb_array_length($1) WHERE name = 'tag'
        RETURNING total - jsonb_array_length($1) AS before)
    INSERT INTO countersign.tag (position, id, name, color)
    SELECT counted.before + new.nth, new.id, new.name, new.color
    FROM counted, jsonb_to_recordset($1) AS new (nth bigint, id uuid, name text, color text)";

/// A tag by its id or, failing that, the oldest one with its name.
const FIND: &str = "SELECT position, id, name FROM countersign.tag WHERE position = coalesce(
    (SELECT position FROM countersign.tag WHERE id = $1),
    (SELECT position FROM countersign.tag WHERE name = $2 ORDER BY position LIMIT 1))";

pub(super) async fn page(database: &Database, span: Span) -> Result<RecordSlice<NamedRecord>, StoreError> {
    database.page(PAGE, span, |row| named(row, 2)).await
}

pub(super) async fn create(database: &Database, new: NewTag) -> Result<NamedRecord, StoreError> {
    let id = Uuid::new_v4();
    let tags = Json(json!([row(1, id, &new)]));
    database.rows(INSERT, &[(&tags, Type::JSONB)]).await?;
    Ok(NamedRecord { id, name: new.name })
}

/// Writes a tag as [`INSERT`] reads it.
pub(super) fn row(nth: i64, id: Uuid, tag: &NewTag) -> serde_json::Value {
    json!({"nth": nth, "id": id, "name": tag.name, "color": tag.color})
}

/// Finds the tags that a request names in `tags`.
pub(super) async fn find_all(database: &Database, entries: &[String]) -> Result<Vec<FoundTag>, StoreError> {
    let mut found = Vec::with_capacity(entries.len());
    for (index, entry) in (0..).zip(entries) {
        let parameters: [super::database::Parameter<'_>; 2] = [(&hyphenated(entry), Type::UUID), (entry, Type::TEXT)];
        let row = database.row(FIND, &parameters).await?;
        let row = row.ok_or(StoreError::UnknownReference(Reference::Tag(index)))?;
        found.push(FoundTag {
            position: row.try_get(0)?,
            tag: named(&row, 1)?,
        });
    }
    Ok(found)
}

pub(super) fn named(row: &Row, column: usize) -> Result<NamedRecord, tokio_postgres::Error> {
    Ok(NamedRecord {
        id: row.try_get(column)?,
        name: row.try_get(column + 1)?,
    })
}
