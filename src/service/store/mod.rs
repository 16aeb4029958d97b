//! What the service keeps, and how: [`Store`], over SQLite or over PostgreSQL.
//!
//! No listed record is ever deleted, so each list has dense positions from 1: a page is a range of them and costs the
//! same wherever it lies, the total is known without a count, and a new record never moves another.
//!
//! `interface` defines what a store does, `record` what goes in and out, `seed` what every store starts with, and
//! `open` which of the two a URL means; `sqlite` and `postgres` do the work, each with one file per resource.

mod interface;
mod open;
#[cfg(feature = "postgres")]
mod postgres;
mod record;
mod seed;
mod sqlite;

pub(super) use interface::{Store, StoreError};
pub(super) use open::{memory, open};
pub(super) use record::{
    Contact, ContactChange, ContactMethod, CustomFields, NamedRecord, NewContactMethod, NewTag, NewVisit, RecordSlice,
    Reference, Span, Venue, Visit, VisitSummary,
};
