//! What the operations need from a store: [`Store`], and [`StoreError`], why it did not do what was asked.
//!
//! # Design
//!
//! `Store` is used as a trait object: the two stores share no state and no query, only this interface, and one of them
//! is left out of the build when its feature is off. Futures are boxed, which costs nothing next to a query, and no
//! handler needs a type parameter for the store.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use thiserror::Error;
use uuid::Uuid;

use super::record::{
    Contact, ContactChange, ContactMethod, NamedRecord, NewContactMethod, NewTag, NewVisit, RecordSlice, Reference,
    Span, Venue, Visit,
};

/// The result of a call to a store.
pub(crate) type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// The records of the service.
///
/// What it reports as written is as durable as the store (one in memory ends with the process), and every later call
/// sees it, through any replica. A slice shows the store at one moment: its items and its total agree.
pub(crate) trait Store: Send + Sync {
    /// Returns the version of the store: a number that changes with every write, through any replica, and never returns
    /// to an earlier value; `None` where reading it does not cost much less than reading a page.
    fn version(&self) -> Option<i64> {
        None
    }

    fn contacts(&self, span: Span) -> StoreFuture<'_, RecordSlice<Contact>>;

    fn create_contact(
        &self,
        change: ContactChange,
        status: &'static str,
        now: DateTime<Utc>,
    ) -> StoreFuture<'_, Contact>;

    /// Changes a contact and returns the result.
    fn update_contact(&self, id: Uuid, change: ContactChange, now: DateTime<Utc>) -> StoreFuture<'_, Contact>;

    /// Adds a method to the contact `owner`.
    fn create_contact_method(
        &self,
        owner: Uuid,
        new: NewContactMethod,
        now: DateTime<Utc>,
    ) -> StoreFuture<'_, ContactMethod>;

    fn venues(&self, span: Span) -> StoreFuture<'_, RecordSlice<Venue>>;

    fn visits(&self, span: Span) -> StoreFuture<'_, RecordSlice<Visit>>;

    fn create_visit(&self, new: NewVisit) -> StoreFuture<'_, Visit>;

    fn tags(&self, span: Span) -> StoreFuture<'_, RecordSlice<NamedRecord>>;

    fn create_tag(&self, new: NewTag) -> StoreFuture<'_, NamedRecord>;

    /// Adds at most one batch of synthetic contacts where there are fewer than `target`, and returns how many there
    /// are.
    fn grow_contacts(&self, target: i64) -> StoreFuture<'_, i64>;
}

/// Why a store did not do what it was asked.
#[derive(Clone, Debug, Error)]
pub(crate) enum StoreError {
    /// The job panicked; what it wrote was rolled back.
    #[error("a job on the store panicked")]
    Crashed,
    /// The database failed; nothing of the job was kept, unless the connection was lost during the commit.
    #[error("the database failed")]
    Database(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The database does not respond. What was written may have been kept, if only the response was lost.
    #[error("the database does not answer")]
    Unavailable(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The contact that the job is about does not exist.
    #[error("the contact does not exist")]
    UnknownContact,
    /// A record that a request names does not exist.
    #[error("the record named in `{}` does not exist", .0.pointer())]
    UnknownReference(Reference),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            // Another process held the database for longer than a connection waits.
            Some(rusqlite::ErrorCode::DatabaseBusy) => StoreError::Unavailable(Arc::new(error)),
            _ => StoreError::Database(Arc::new(error)),
        }
    }
}
