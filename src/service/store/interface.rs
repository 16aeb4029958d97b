//! What the operations ask of a store: [`Store`], and [`StoreError`] for what it did not do.
//!
//! # Design
//!
//! A trait object: the two stores share no state and no query, only this list, and `cargo` leaves one of them out when
//! its feature is off. Futures are boxed, which costs nothing beside a query, and the operations have no type parameter
//! to carry through every handler.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use thiserror::Error;
use uuid::Uuid;

use super::record::{
    Contact, ContactChange, ContactMethod, Named, NewContactMethod, NewTag, NewVisit, Reference, Slice, Span, Venue,
    Visit,
};

/// What a store answers.
pub(crate) type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// The records of the service.
///
/// What it answers as written is durable and seen by every later call, through whichever replica it comes. A slice is
/// the store at one moment: its items and its total agree.
pub(crate) trait Store: Send + Sync {
    /// Returns in which state the store is, as far as this costs much less than to read a page: it is another after every
    /// write, through whichever replica it comes, and never one that was before.
    fn state(&self) -> Option<i64> {
        None
    }

    fn contacts(&self, span: Span) -> StoreFuture<'_, Slice<Contact>>;

    fn create_contact(
        &self,
        change: ContactChange,
        status: &'static str,
        now: DateTime<Utc>,
    ) -> StoreFuture<'_, Contact>;

    /// Changes a contact and returns it as it is then.
    fn update_contact(&self, id: Uuid, change: ContactChange, now: DateTime<Utc>) -> StoreFuture<'_, Contact>;

    /// Adds a method to the contact `owner`.
    fn create_contact_method(
        &self,
        owner: Uuid,
        new: NewContactMethod,
        now: DateTime<Utc>,
    ) -> StoreFuture<'_, ContactMethod>;

    fn venues(&self, span: Span) -> StoreFuture<'_, Slice<Venue>>;

    fn visits(&self, span: Span) -> StoreFuture<'_, Slice<Visit>>;

    fn create_visit(&self, new: NewVisit) -> StoreFuture<'_, Visit>;

    fn tags(&self, span: Span) -> StoreFuture<'_, Slice<Named>>;

    fn create_tag(&self, new: NewTag) -> StoreFuture<'_, Named>;

    /// Adds synthetic contacts, a batch at most, where there are fewer than `target`, and returns how many there are.
    fn grow_contacts(&self, target: i64) -> StoreFuture<'_, i64>;
}

/// Why a store did not do what it was asked to.
#[derive(Clone, Debug, Error)]
pub(crate) enum StoreError {
    /// The job panicked; what it wrote was rolled back.
    #[error("a job on the store panicked")]
    Crashed,
    /// The database failed; nothing of the job was kept, unless the connection was lost while it was.
    #[error("the database failed")]
    Database(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The database does not answer. What was written may be kept, if the response alone was lost.
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
            // Another process held it for longer than a connection waits.
            Some(rusqlite::ErrorCode::DatabaseBusy) => StoreError::Unavailable(Arc::new(error)),
            _ => StoreError::Database(Arc::new(error)),
        }
    }
}
