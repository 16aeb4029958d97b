//! The store over PostgreSQL, which many replicas of the service share: [`Postgres`].
//!
//! `database` runs and repeats statements, `schema` creates and migrates the tables; each resource has a file with its
//! statements, and `tls` encrypts connections where the address asks for it.
//!
//! # Design
//!
//! Every read and every write is one statement, and so one transaction by itself: no lock is held while waiting for the
//! network, nothing depends on the state of a session, and a statement that lost to another is simply run again. An
//! update also reads its result back; another write may come in between. What a write refers to is looked up first; it
//! is never changed or deleted, so it still exists. The store therefore needs nothing that a connection pooler or a
//! distributed engine lacks: no session settings, advisory locks, notifications, sequences or statements prepared by
//! name.

mod contacts;
mod database;
mod schema;
mod tags;
mod tls;
mod venues;
mod visits;

use chrono::{DateTime, Utc};
use futures::FutureExt;
use uuid::Uuid;

use super::interface::{Store, StoreFuture};
use super::record::{
    Contact, ContactChange, ContactMethod, NamedRecord, NewContactMethod, NewTag, NewVisit, RecordSlice, Span, Venue,
    Visit,
};
use crate::service::open_error::OpenError;
use crate::service::store_url::{PostgresAddress, StoreUrl};
use database::Database;

/// A store in a PostgreSQL database.
pub(crate) struct Postgres {
    database: Database,
}

impl Postgres {
    /// Opens the store in the database at `address`, creating and seeding it if it does not exist.
    pub(super) async fn open(address: &PostgresAddress) -> Result<Self, OpenError> {
        let store = StoreUrl::Postgres(address.clone());
        let database = Database::new(address).map_err(|error| OpenError::unavailable(&store, error))?;
        schema::prepare(&database, &store).await?;
        Ok(Postgres { database })
    }
}

impl Store for Postgres {
    fn contacts(&self, span: Span) -> StoreFuture<'_, RecordSlice<Contact>> {
        contacts::page(&self.database, span).boxed()
    }

    fn create_contact(
        &self,
        change: ContactChange,
        status: &'static str,
        now: DateTime<Utc>,
    ) -> StoreFuture<'_, Contact> {
        contacts::create(&self.database, change, status, now).boxed()
    }

    fn update_contact(&self, id: Uuid, change: ContactChange, now: DateTime<Utc>) -> StoreFuture<'_, Contact> {
        contacts::update(&self.database, id, change, now).boxed()
    }

    fn create_contact_method(
        &self,
        owner: Uuid,
        new: NewContactMethod,
        now: DateTime<Utc>,
    ) -> StoreFuture<'_, ContactMethod> {
        contacts::add_method(&self.database, owner, new, now).boxed()
    }

    fn venues(&self, span: Span) -> StoreFuture<'_, RecordSlice<Venue>> {
        venues::page(&self.database, span).boxed()
    }

    fn visits(&self, span: Span) -> StoreFuture<'_, RecordSlice<Visit>> {
        visits::page(&self.database, span).boxed()
    }

    fn create_visit(&self, new: NewVisit) -> StoreFuture<'_, Visit> {
        visits::create(&self.database, new).boxed()
    }

    fn tags(&self, span: Span) -> StoreFuture<'_, RecordSlice<NamedRecord>> {
        tags::page(&self.database, span).boxed()
    }

    fn create_tag(&self, new: NewTag) -> StoreFuture<'_, NamedRecord> {
        tags::create(&self.database, new).boxed()
    }

    fn grow_contacts(&self, target: i64) -> StoreFuture<'_, i64> {
        contacts::grow(&self.database, target).boxed()
    }
}
