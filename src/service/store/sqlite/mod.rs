//! The store over SQLite, in a file or in memory: [`Sqlite`].
//!
//! `connection` controls access to the database, `writer` lets writes share a commit, `schema` creates the tables and
//! recognises other programs' files; each resource has a file with its queries, and `column` stores single values.

mod column;
mod connection;
mod contacts;
mod schema;
mod tags;
mod venues;
mod visits;
mod writer;

use chrono::{DateTime, Utc};
use uuid::Uuid;

pub(super) use connection::Sqlite;

use super::interface::{Store, StoreFuture};
use super::record::{
    Contact, ContactChange, ContactMethod, NamedRecord, NewContactMethod, NewTag, NewVisit, RecordSlice, Span, Venue,
    Visit,
};

impl Store for Sqlite {
    fn version(&self) -> Option<i64> {
        Sqlite::version(self)
    }

    fn contacts(&self, span: Span) -> StoreFuture<'_, RecordSlice<Contact>> {
        self.read(move |transaction| contacts::page(transaction, span))
    }

    fn create_contact(
        &self,
        change: ContactChange,
        status: &'static str,
        now: DateTime<Utc>,
    ) -> StoreFuture<'_, Contact> {
        self.write(move |transaction| contacts::create(transaction, change, status, now))
    }

    fn update_contact(&self, id: Uuid, change: ContactChange, now: DateTime<Utc>) -> StoreFuture<'_, Contact> {
        self.write(move |transaction| contacts::update(transaction, id, change, now))
    }

    fn create_contact_method(
        &self,
        owner: Uuid,
        new: NewContactMethod,
        now: DateTime<Utc>,
    ) -> StoreFuture<'_, ContactMethod> {
        self.write(move |transaction| contacts::add_method(transaction, owner, new, now))
    }

    fn venues(&self, span: Span) -> StoreFuture<'_, RecordSlice<Venue>> {
        self.read(move |transaction| Ok(venues::page(transaction, span)?))
    }

    fn visits(&self, span: Span) -> StoreFuture<'_, RecordSlice<Visit>> {
        self.read(move |transaction| Ok(visits::page(transaction, span)?))
    }

    fn create_visit(&self, new: NewVisit) -> StoreFuture<'_, Visit> {
        self.write(move |transaction| visits::create(transaction, &new))
    }

    fn tags(&self, span: Span) -> StoreFuture<'_, RecordSlice<NamedRecord>> {
        self.read(move |transaction| Ok(tags::page(transaction, span)?))
    }

    fn create_tag(&self, new: NewTag) -> StoreFuture<'_, NamedRecord> {
        self.write(move |transaction| Ok(tags::create(transaction, new)?))
    }

    fn grow_contacts(&self, target: i64) -> StoreFuture<'_, i64> {
        self.write(move |transaction| Ok(contacts::grow(transaction, target)?))
    }
}
