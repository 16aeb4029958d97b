//! The state that all requests share: [`Service`], with the store, the token and the profile.

use std::sync::Arc;

use chrono::{DateTime, SubsecRound, Utc};
use secrecy::{ExposeSecret, SecretString};
use thiserror::Error;
use tokio::sync::Mutex;

use super::list::List;
use super::open_error::OpenError;
use super::page_cache::{CacheVersion, PageCache};
use super::profile::Profile;
use super::recent::RecentCreates;
use super::store::{self, Store, StoreError};
use super::store_url::StoreUrl;

/// The service before it listens: its store, its token and its profile. Clones share all three.
#[derive(Clone)]
pub struct Service {
    inner: Arc<Inner>,
}

struct Inner {
    create_lock: Mutex<()>,
    page_cache: PageCache,
    profile: Profile,
    recent: RecentCreates,
    store: Arc<dyn Store>,
    token: SecretString,
}

/// Why synthetic contacts could not be added.
#[derive(Debug, Error)]
#[error("cannot add contacts to the store: {0}")]
pub struct AddContactsError(#[from] StoreError);

impl Service {
    /// Opens a store, creating and seeding it if it does not exist, and guards it with `token`. Use it on the runtime
    /// that it was opened on.
    ///
    /// # Errors
    ///
    /// Fails when no client could send the token, when the store cannot be opened, and when another program or a newer
    /// version wrote it; such a store is left unchanged.
    pub async fn open(store: &StoreUrl, token: SecretString, profile: Profile) -> Result<Service, OpenError> {
        require_usable(&token)?;
        Ok(Service::over(store::open(store).await?, token, profile))
    }

    /// Opens a fresh store in memory with the default profile.
    ///
    /// # Errors
    ///
    /// Fails as [`Service::open`] does.
    pub fn in_memory(token: SecretString) -> Result<Service, OpenError> {
        require_usable(&token)?;
        Ok(Service::over(store::memory()?, token, Profile::default()))
    }

    /// Adds synthetic contacts, the same in every store, until there are `target`, and calls `grown` with the total
    /// after each batch.
    ///
    /// # Errors
    ///
    /// Fails when the store does; completed batches are kept.
    pub async fn grow_contacts(&self, target: u32, mut grown: impl FnMut(i64)) -> Result<(), AddContactsError> {
        loop {
            let total = self.inner.store.grow_contacts(target.into()).await?;
            grown(total);
            if total >= target.into() {
                return Ok(());
            }
        }
    }

    pub(super) fn over(store: Arc<dyn Store>, token: SecretString, profile: Profile) -> Self {
        Service {
            inner: Arc::new(Inner {
                create_lock: Mutex::default(),
                page_cache: PageCache::default(),
                profile,
                recent: RecentCreates::default(),
                store,
                token,
            }),
        }
    }

    pub(super) fn profile(&self) -> &Profile {
        &self.inner.profile
    }

    /// Returns the time to the microsecond, the precision of the stores: a response shows the time that lists will
    /// show.
    pub(super) fn now(&self) -> DateTime<Utc> {
        (self.inner.profile.clock)().trunc_subsecs(6)
    }

    /// Returns the cache of pages.
    pub(super) fn page_cache(&self) -> &PageCache {
        &self.inner.page_cache
    }

    /// Returns the version of a page that is read next, at the time `now`; `None` where pages cannot be cached, because
    /// the store has no version or because created records are listed with a delay.
    pub(super) fn cache_version(&self, now: DateTime<Utc>) -> Option<CacheVersion> {
        if !self.profile().created_listed_when.delay().is_zero() {
            return None;
        }
        Some(CacheVersion {
            store: self.store().version()?,
            today: now.date_naive(),
        })
    }

    /// Returns the lock for creates that must not run at the same time.
    pub(super) fn create_lock(&self) -> &Mutex<()> {
        &self.inner.create_lock
    }

    /// Runs `create`, whose record is held back from `list` for as long as the profile says.
    pub(super) async fn hold_back<T>(&self, list: List, create: impl Future<Output = T>) -> T {
        let delay = self.profile().created_listed_when.delay();
        self.inner.recent.hold_back(list, delay, create).await
    }

    /// Returns how many of the `total` records of `list` are visible: all but those held back.
    pub(super) fn visible(&self, list: List, total: i64) -> i64 {
        let delay = self.profile().created_listed_when.delay();
        self.inner.recent.visible(list, delay, total)
    }

    pub(super) fn store(&self) -> &dyn Store {
        self.inner.store.as_ref()
    }

    pub(super) fn token(&self) -> &SecretString {
        &self.inner.token
    }
}

fn require_usable(token: &SecretString) -> Result<(), OpenError> {
    let credential = token.expose_secret();
    if credential.is_empty() || !credential.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(OpenError::UnusableToken);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_no_header_can_carry_is_rejected() {
        for token in ["", "two words", "line\nbreak", "naïve"] {
            let opened = Service::in_memory(token.to_owned().into());
            assert!(matches!(opened.err(), Some(OpenError::UnusableToken)), "{token:?}");
        }
    }

    #[test]
    fn a_plain_token_is_taken() {
        assert!(Service::in_memory("abc-._~+/=".to_owned().into()).is_ok());
    }
}
