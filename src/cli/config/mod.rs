//! `countersign.toml`: targets by name, defaults of a check, accepted deviations.
//!
//! [`Config`] is the file, found and read; [`Settled`] is what a check does once flags, environment and file are read, with
//! the origin of each value. `file` has the types that the file and its schema for editors come from;
//! `shown` is `countersign config`.

mod error;
mod file;
mod find;
mod keys;
mod levels;
mod parse;
pub(super) mod range;
mod settle;
pub(super) mod shown;

pub(super) use error::{ConfigError, Place};
pub(super) use find::{Config, FILE_NAME};
pub(super) use levels::{LevelEntry, State, add};
pub(super) use settle::{Origin, Settled, Typed};
