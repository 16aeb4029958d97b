//! A cache of pages: [`PageCache`] holds the latest ones as they were sent, until the store changes.
//!
//! # Design
//!
//! Clients that poll request the same few pages, and making a page costs many times as much as asking the store whether
//! anything was written since. A page depends on the store, the day, which sets the ages of contacts, and the profile,
//! which never changes. So a page is valid for one [`CacheVersion`], and all are dropped at the next. The version is
//! taken before the page is read, so a page can be newer than its version but never older; and no store returns to an
//! earlier version.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use chrono::NaiveDate;

use super::list::List;

/// How many pages are kept, each of at most [`MAX_BYTES`] bytes: 4 MiB in all.
const PAGES: usize = 64;
const MAX_BYTES: usize = 64 * 1024;

/// What a page was made from, apart from its list and number: the page is valid while this stays the same.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct CacheVersion {
    /// The version of the store, which differs after each write.
    pub(super) store: i64,
    pub(super) today: NaiveDate,
}

/// The latest pages.
#[derive(Debug, Default)]
pub(super) struct PageCache(Mutex<Option<Pages>>);

/// The pages of one version, by list and number.
#[derive(Debug)]
struct Pages {
    version: CacheVersion,
    bodies: HashMap<(List, i64), Bytes>,
}

impl PageCache {
    /// Returns the body of a page that was made at this version.
    pub(super) fn page(&self, version: CacheVersion, list: List, number: i64) -> Option<Bytes> {
        let kept = self.lock();
        let pages = kept.as_ref().filter(|pages| pages.version == version)?;
        pages.bodies.get(&(list, number)).cloned()
    }

    /// Keeps the body of a page that was read at this version or later. When the cache is full, it starts over.
    pub(super) fn keep(&self, version: CacheVersion, list: List, number: i64, body: Bytes) {
        if body.len() > MAX_BYTES {
            return;
        }
        let mut kept = self.lock();
        match &mut *kept {
            Some(pages) if pages.version == version && pages.bodies.len() < PAGES => {
                pages.bodies.insert((list, number), body);
            }
            _ => {
                let bodies = HashMap::from([((list, number), body)]);
                *kept = Some(Pages { version, bodies });
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Pages>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: Bytes = Bytes::from_static(b"{}");

    fn version(store: i64, day: u32) -> CacheVersion {
        CacheVersion {
            store,
            today: NaiveDate::from_ymd_opt(2024, 2, day).unwrap(),
        }
    }

    #[test]
    fn a_page_is_given_at_its_moment_and_at_no_other() {
        let kept = PageCache::default();
        kept.keep(version(1, 1), List::Tags, 3, BODY);
        assert_eq!(kept.page(version(1, 1), List::Tags, 3), Some(BODY));
        for other in [version(2, 1), version(1, 2)] {
            assert_eq!(kept.page(other, List::Tags, 3), None);
        }
        assert_eq!(kept.page(version(1, 1), List::Venues, 3), None);
        assert_eq!(kept.page(version(1, 1), List::Tags, 4), None);
    }

    #[test]
    fn pages_of_another_moment_are_dropped() {
        let kept = PageCache::default();
        kept.keep(version(1, 1), List::Tags, 3, BODY);
        kept.keep(version(2, 1), List::Tags, 4, BODY);
        assert_eq!(kept.page(version(2, 1), List::Tags, 3), None);
        assert_eq!(kept.page(version(2, 1), List::Tags, 4), Some(BODY));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let kept = PageCache::default();
        kept.keep(version(1, 1), List::Tags, 0, vec![0; MAX_BYTES + 1].into());
        assert_eq!(kept.page(version(1, 1), List::Tags, 0), None);
        for number in 1..1_000 {
            kept.keep(version(1, 1), List::Tags, number, BODY);
            assert_eq!(kept.page(version(1, 1), List::Tags, number), Some(BODY));
        }
        assert!(kept.lock().as_ref().unwrap().bodies.len() <= PAGES);
    }
}
