//! `countersign.toml`: targets by name, defaults of a check, accepted deviations.
//!
//! [`Config`] is the file, found and read; [`Settled`] is what a check does once flags, environment and file are read, with
//! the origin of each value. `file` has the types that the file and its schema for editors come from;
//! `shown` is `countersign config`, `accept` is
//! `check --accept`. A file that was found and not named may do less than a named one: `find::Trust`.

mod accept;
mod error;
mod file;
mod fill;
mod find;
mod keys;
mod levels;
mod parse;
pub(super) mod range;
mod settle;
pub(super) mod shown;

pub(super) use accept::Accepting;
pub(super) use error::ConfigError;
pub(super) use levels::add;
pub(super) use settle::{Origin, Settled, Typed};
