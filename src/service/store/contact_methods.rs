//! The contact methods.

use chrono::{DateTime, Utc};
use rusqlite::{Row, Transaction, params};
use uuid::Uuid;

use super::column::{Id, Instant};
use super::connection::{Store, StoreError};
use super::contacts;
use super::record::{ContactMethod, NewContactMethod};

const INSERT: &str = "INSERT INTO contact_method (id, owner, type, contact, status, created_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

const OF_OWNER: &str =
    "SELECT id, type, contact, status, created_at FROM contact_method WHERE owner = ?1 ORDER BY position";

impl Store {
    /// Adds a method to the contact `owner`.
    pub(crate) async fn create_contact_method(
        &self,
        owner: Uuid,
        new: NewContactMethod,
        now: DateTime<Utc>,
    ) -> Result<ContactMethod, StoreError> {
        self.write(move |transaction| {
            let owner = contacts::position(transaction, owner)?.ok_or(StoreError::UnknownContact)?;
            contacts::include_channels(transaction, owner, &new.included_channels, now)?;
            let method = fresh(new, now);
            insert(transaction, owner, &method)?;
            Ok(method)
        })
        .await
    }
}

/// Puts `methods` in the place of those that the contact at position `owner` has.
pub(super) fn replace(
    transaction: &Transaction<'_>,
    owner: i64,
    methods: Vec<NewContactMethod>,
    now: DateTime<Utc>,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM contact_method WHERE owner = ?1")?
        .execute([owner])?;
    methods
        .into_iter()
        .try_for_each(|new| insert(transaction, owner, &fresh(new, now)))
}

pub(super) fn insert(transaction: &Transaction<'_>, owner: i64, method: &ContactMethod) -> rusqlite::Result<()> {
    transaction.prepare_cached(INSERT)?.execute(params![
        Id(method.id),
        owner,
        method.kind,
        method.contact,
        method.status,
        Instant(method.created_at),
    ])?;
    Ok(())
}

pub(super) fn of_owner(transaction: &Transaction<'_>, owner: i64) -> rusqlite::Result<Vec<ContactMethod>> {
    transaction
        .prepare_cached(OF_OWNER)?
        .query_map([owner], method)?
        .collect()
}

fn method(row: &Row<'_>) -> rusqlite::Result<ContactMethod> {
    Ok(ContactMethod {
        id: row.get::<_, Id>(0)?.0,
        kind: row.get(1)?,
        contact: row.get(2)?,
        status: row.get(3)?,
        created_at: row.get::<_, Instant>(4)?.0,
    })
}

fn fresh(new: NewContactMethod, now: DateTime<Utc>) -> ContactMethod {
    ContactMethod {
        id: Uuid::new_v4(),
        kind: new.kind,
        contact: new.contact,
        status: new.status,
        created_at: now,
    }
}
