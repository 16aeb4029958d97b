//! `countersign.toml`: targets by name, defaults of a check, accepted deviations.
//!
//! [`Config`] is the file, found and read; [`ResolvedArguments`] is what a check does after flags, environment and file
//! are read, with the origin of each value. `settings` declares each setting once, for flags and file; `file` has the
//! rest of the file, and its schema for editors; `shown` is `countersign config`, and `accept` is `check --accept`. A
//! file that was found and not named may do less than a named one: `find::Trust`.

mod accept;
mod error;
mod file;
mod find;
mod fixed;
mod keys;
mod levels;
mod parse;
mod resolve;
mod setting;
mod settings;
pub(super) mod shown;
mod values;

pub(super) use accept::EntryWriter;
pub(super) use error::ConfigError;
pub(super) use find::{Config, ConfigFlags};
pub(super) use levels::{ResolvedEntry, State, add_levels};
pub(super) use resolve::{EMBEDDED, ResolvedArguments};
pub(super) use setting::{Count, Origin, Percent, Setting};
pub(super) use settings::{CheckSettings, TargetSettings};
