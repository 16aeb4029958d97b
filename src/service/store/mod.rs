//! What the service keeps, and how: [`Store`], an SQLite database with one writer and several readers.
//!
//! Nothing in this interface is ever deleted, so each listed table has dense positions from 1: a page is a range of
//! them at the same cost wherever it lies, the last one is the total, and a new record never moves another.
//!
//! `connection` says who may use the database when, `schema` what is in it, `seed` what it starts with; each
//! resource has a file with its queries; `record` holds what goes in and out, and `column` how single values are kept.

mod column;
mod connection;
mod contact_methods;
mod contacts;
mod record;
mod schema;
mod seed;
mod tags;
mod venues;
mod visits;

pub(super) use connection::{Store, StoreError};
pub(super) use record::{
    Contact, ContactChange, ContactMethod, Named, NewContactMethod, NewTag, NewVisit, Reference, Slice, Span, Venue,
    Visit, VisitSummary,
};
