//! Why a string is not the URL of a store: [`StoreUrlError`].

use thiserror::Error;

/// Why a string is not the URL of a store.
///
/// Only schemes are quoted: what follows one may hold a password, and so may what is none.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum StoreUrlError {
    /// A PostgreSQL address that cannot be read.
    #[error(
        "the PostgreSQL address cannot be read; its form is `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with any \
         characters other than letters and digits percent-encoded"
    )]
    MalformedPostgres,
    /// `sqlite:` with nothing after it.
    #[error("`sqlite:` names no file; known stores are {KNOWN}")]
    NoFile,
    /// No scheme before a colon, so nothing says what kind of store is meant.
    #[error("the store has no scheme; known stores are {KNOWN}")]
    NoScheme,
    /// A name that starts with a colon but is not `:memory:`.
    #[error("`sqlite::` is followed by something other than `memory:`; known stores are {KNOWN}")]
    NotMemory,
    /// A PostgreSQL address, in a build without the feature `postgres`.
    #[error("this build has no PostgreSQL store; build it with `--features postgres`")]
    PostgresNotBuilt,
    /// A PostgreSQL address that asks for TLS in an unknown way.
    #[error(
        "the PostgreSQL address asks for TLS in an unknown way; `sslmode` is `disable`, `prefer` (which does not encrypt \
         here), `require` (which trusts any server) or `verify-full`, and `sslrootcert=FILE` goes with the last"
    )]
    PostgresTls,
    /// A scheme that no store has.
    #[error("unknown store scheme `{scheme}`; known stores are {KNOWN}")]
    UnknownScheme {
        /// The string before the first colon.
        scheme: String,
    },
}

pub(super) const KNOWN: &str = "`sqlite:FILE`, `sqlite::memory:` and `postgres://…`";
