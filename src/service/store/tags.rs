//! The tags.

use rusqlite::{OptionalExtension, Transaction, params};
use uuid::Uuid;

use super::column::Id;
use super::connection::{Store, StoreError};
use super::record::{Named, NewTag, Reference, Slice, Span};
use crate::service::values::hyphenated;

impl Store {
    pub(crate) async fn tags(&self, span: Span) -> Result<Slice<Named>, StoreError> {
        self.read(move |transaction| Ok(page(transaction, span)?)).await
    }

    pub(crate) async fn create_tag(&self, new: NewTag) -> Result<Named, StoreError> {
        self.write(move |transaction| {
            let id = Uuid::new_v4();
            insert(transaction, id, &new)?;
            Ok(Named { id, name: new.name })
        })
        .await
    }
}

fn page(transaction: &Transaction<'_>, span: Span) -> rusqlite::Result<Slice<Named>> {
    let mut query =
        transaction.prepare_cached("SELECT id, name FROM tag WHERE position BETWEEN ?1 AND ?2 ORDER BY position")?;
    let rows = query.query_map([span.first, span.last], |row| {
        Ok(Named {
            id: row.get::<_, Id>(0)?.0,
            name: row.get(1)?,
        })
    })?;
    Ok(Slice {
        items: rows.collect::<Result<_, _>>()?,
        total: total(transaction)?,
    })
}

fn total(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached("SELECT ifnull(max(position), 0) FROM tag")?
        .query_one([], |row| row.get(0))
}

pub(super) fn insert(transaction: &Transaction<'_>, id: Uuid, tag: &NewTag) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached("INSERT INTO tag (id, name, color) VALUES (?1, ?2, ?3)")?;
    insert.execute(params![Id(id), tag.name, tag.color])?;
    Ok(())
}

/// Puts the tags named in `entries` in the place of those that the contact at position `contact` has.
pub(super) fn assign(transaction: &Transaction<'_>, contact: i64, entries: &[String]) -> Result<(), StoreError> {
    transaction
        .prepare_cached("DELETE FROM contact_tag WHERE contact = ?1")?
        .execute([contact])?;
    let mut insert = transaction.prepare_cached("INSERT INTO contact_tag (contact, rank, tag) VALUES (?1, ?2, ?3)")?;
    for (rank, entry) in (0..).zip(entries) {
        let tag = position(transaction, entry)?.ok_or(StoreError::UnknownReference(Reference::Tag(rank)))?;
        insert.execute(params![contact, rank, tag])?;
    }
    Ok(())
}

/// Finds a tag by its id or, failing that, the oldest of its name.
fn position(transaction: &Transaction<'_>, entry: &str) -> rusqlite::Result<Option<i64>> {
    const FIND: &str =
        "SELECT position FROM tag WHERE id = ?1 UNION ALL SELECT min(position) FROM tag WHERE name = ?2 LIMIT 1";
    let id = hyphenated(entry).map(Id);
    let found = transaction
        .prepare_cached(FIND)?
        .query_one(params![id, entry], |row| row.get(0))
        .optional()?;
    Ok(found.flatten())
}
