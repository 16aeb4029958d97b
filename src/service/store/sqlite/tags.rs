//! The tags.

use rusqlite::{OptionalExtension, Transaction, params};
use uuid::Uuid;

use super::column::Id;
use crate::service::store::interface::StoreError;
use crate::service::store::record::{FoundTag, NamedRecord, NewTag, RecordSlice, Reference, Span};
use crate::service::values::hyphenated;

/// A tag by its id or, failing that, the oldest one with its name.
const FIND: &str = "SELECT position, id, name FROM tag WHERE position = ifnull(
    (SELECT position FROM tag WHERE id = ?1),
    (SELECT position FROM tag WHERE name = ?2 ORDER BY position LIMIT 1))";

pub(super) fn page(transaction: &Transaction<'_>, span: Span) -> rusqlite::Result<RecordSlice<NamedRecord>> {
    let mut query =
        transaction.prepare_cached("SELECT id, name FROM tag WHERE position BETWEEN ?1 AND ?2 ORDER BY position")?;
    let rows = query.query_map([span.first, span.last], |row| {
        Ok(NamedRecord {
            id: row.get::<_, Id>(0)?.0,
            name: row.get(1)?,
        })
    })?;
    let mut total = transaction.prepare_cached("SELECT ifnull(max(position), 0) FROM tag")?;
    Ok(RecordSlice {
        items: rows.collect::<Result<_, _>>()?,
        total: total.query_one([], |row| row.get(0))?,
    })
}

pub(super) fn create(transaction: &Transaction<'_>, new: NewTag) -> rusqlite::Result<NamedRecord> {
    let id = Uuid::new_v4();
    insert(transaction, id, &new)?;
    Ok(NamedRecord { id, name: new.name })
}

pub(super) fn insert(transaction: &Transaction<'_>, id: Uuid, tag: &NewTag) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached("INSERT INTO tag (id, name, color) VALUES (?1, ?2, ?3)")?;
    insert.execute(params![Id(id), tag.name, tag.color])?;
    Ok(())
}

/// Finds the tags that a request names in `tags`.
pub(super) fn find_all(transaction: &Transaction<'_>, entries: &[String]) -> Result<Vec<FoundTag>, StoreError> {
    let found = |(index, entry): (i64, &String)| {
        find(transaction, entry)?.ok_or(StoreError::UnknownReference(Reference::Tag(index)))
    };
    (0..).zip(entries).map(found).collect()
}

fn find(transaction: &Transaction<'_>, entry: &str) -> rusqlite::Result<Option<FoundTag>> {
    let mut query = transaction.prepare_cached(FIND)?;
    let found = query.query_one(params![hyphenated(entry).map(Id), entry], |row| {
        Ok(FoundTag {
            position: row.get(0)?,
            tag: NamedRecord {
                id: row.get::<_, Id>(1)?.0,
                name: row.get(2)?,
            },
        })
    });
    found.optional()
}
