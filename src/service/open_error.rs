//! Why a service could not be opened: [`OpenError`].

use std::path::PathBuf;

use thiserror::Error;

use super::store_url::StoreUrl;

/// Why a service could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The path is that of a folder.
    #[error("`{}` is a folder; name a file in it, which is made when it is not there", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The database has tables of some other program.
    #[error("`{store}` holds something else than a store of this program")]
    ForeignStore {
        /// The database.
        store: StoreUrl,
    },
    /// The database was written by a later version of this program.
    #[error("`{store}` was written by a newer version: it has format {found}, this version reads {known}")]
    NewerStore {
        /// The database.
        store: StoreUrl,
        /// The format that the database says it has.
        found: i64,
        /// The latest format that this version reads.
        known: i64,
    },
    /// The file is there and is no SQLite database.
    #[error("`{}` is no SQLite database", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// A database server rejects, in a way that says what to look at.
    #[error("cannot open the store `{store}`; {check}")]
    Rejected {
        /// The store as it was asked for.
        store: StoreUrl,
        /// What to check, as an instruction.
        check: &'static str,
        /// What the server said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The store could not be opened, read or prepared.
    #[error("cannot open the store `{store}`")]
    Unavailable {
        /// The store as it was asked for.
        store: StoreUrl,
        /// What the database said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The token is empty or holds characters that a header's credential cannot have.
    #[error("the token must be one or more visible ASCII characters without spaces")]
    UnusableToken,
}

impl OpenError {
    /// Says that `store` could not be opened, read or prepared.
    pub(super) fn unavailable(store: &StoreUrl, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        OpenError::Unavailable {
            store: store.clone(),
            source: source.into(),
        }
    }
}
