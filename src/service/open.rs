//! What every request shares: [`Service`], the store, the token and the profile, opened once.

use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, SubsecRound, Utc};
use secrecy::{ExposeSecret, SecretString};
use thiserror::Error;
use tokio::sync::Mutex;

use super::list::List;
use super::profile::Profile;
use super::recent::Recent;
use super::store::Store;
use super::store_url::StoreUrl;

/// The service before it listens: its store, its token and its profile. Clones share all three.
#[derive(Clone)]
pub struct Service {
    inner: Arc<Inner>,
}

struct Inner {
    creating: Mutex<()>,
    profile: Profile,
    recent: Recent,
    store: Store,
    token: SecretString,
}

/// Why a service could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The database has tables of some other program.
    #[error("`{}` holds something else than a store of this program", path.display())]
    ForeignStore {
        /// The database file.
        path: PathBuf,
    },
    /// The database was written by a later version of this program.
    #[error("`{}` was written by a newer version: it has format {found}, this version reads {known}", path.display())]
    NewerStore {
        /// The database file.
        path: PathBuf,
        /// The format that the file says it has.
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

impl Service {
    /// Opens a store, making and seeding it when there is none yet, and guards it with `token`.
    ///
    /// # Errors
    ///
    /// Fails when the token could not be sent by any client, when the store cannot be opened, and when it holds
    /// anything else than records that this version wrote; such a store is left as it was.
    pub fn open(store: &StoreUrl, token: SecretString, profile: Profile) -> Result<Service, OpenError> {
        let credential = token.expose_secret();
        if credential.is_empty() || !credential.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(OpenError::UnusableToken);
        }
        let store = Store::open(store)?;
        Ok(Service {
            inner: Arc::new(Inner {
                creating: Mutex::default(),
                profile,
                recent: Recent::default(),
                store,
                token,
            }),
        })
    }

    /// Opens a fresh store in memory with the default profile.
    ///
    /// # Errors
    ///
    /// Fails as [`Service::open`] does.
    pub fn memory(token: SecretString) -> Result<Service, OpenError> {
        Service::open(&StoreUrl::Memory, token, Profile::default())
    }

    pub(super) fn profile(&self) -> &Profile {
        &self.inner.profile
    }

    /// Tells the time to the microsecond, which is what a store keeps: an answer shows the time that will be listed.
    pub(super) fn now(&self) -> DateTime<Utc> {
        (self.inner.profile.clock)().trunc_subsecs(6)
    }

    /// Returns the lock of those who must not create at the same time.
    pub(super) fn creating(&self) -> &Mutex<()> {
        &self.inner.creating
    }

    /// Does `create`, whose record is held back from `list` for as long as the profile says.
    pub(super) async fn hold_back<T>(&self, list: List, create: impl Future<Output = T>) -> T {
        let delay = self.profile().created_listed_when.delay();
        self.inner.recent.hold_back(list, delay, create).await
    }

    /// Tells how many of the `total` records of `list` are shown, which are all but those held back.
    pub(super) fn shown(&self, list: List, total: i64) -> i64 {
        let delay = self.profile().created_listed_when.delay();
        self.inner.recent.shown(list, delay, total)
    }

    pub(super) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(super) fn token(&self) -> &SecretString {
        &self.inner.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_no_header_can_carry_is_refused() {
        for token in ["", "two words", "line\nbreak", "naïve"] {
            let opened = Service::memory(token.to_owned().into());
            assert!(matches!(opened.err(), Some(OpenError::UnusableToken)), "{token:?}");
        }
    }

    #[test]
    fn a_plain_token_is_taken() {
        assert!(Service::memory("abc-._~+/=".to_owned().into()).is_ok());
    }
}
