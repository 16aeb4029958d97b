//! Why a service could not be opened: [`OpenError`].

use std::path::PathBuf;

use thiserror::Error;

use super::store_url::StoreUrl;

/// Why a service could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The path is a folder.
    #[error("`{}` is a folder; name a file in it, which is created if it does not exist", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The database has tables of another program.
    #[error("`{store}` holds something other than a store of this program")]
    ForeignStore {
        /// The database.
        store: StoreUrl,
    },
    /// The database was written by a later version of this program.
    #[error("`{store}` was written by a newer version: it has format {found}, this version reads {known}")]
    NewerStore {
        /// The database.
        store: StoreUrl,
        /// The format of the database.
        found: i64,
        /// The latest format that this version reads.
        known: i64,
    },
    /// The file exists and is not an SQLite database.
    #[error("`{}` is not an SQLite database", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The database server rejected the connection, for a reason that tells what to check.
    #[error("cannot open the store `{store}`; {check}")]
    Rejected {
        /// The requested store.
        store: StoreUrl,
        /// What to check, as an instruction.
        check: &'static str,
        /// The server's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The store could not be opened, read or prepared.
    #[error("cannot open the store `{store}`")]
    Unavailable {
        /// The requested store.
        store: StoreUrl,
        /// The database's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The token is empty or holds characters that a credential in a header cannot have.
    #[error("the token must be one or more visible ASCII characters without spaces")]
    UnusableToken,
}

impl OpenError {
    /// Makes the error of a `store` that could not be opened, read or prepared.
    pub(super) fn unavailable(store: &StoreUrl, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        OpenError::Unavailable {
            store: store.clone(),
            source: source.into(),
        }
    }
}
