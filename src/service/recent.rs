//! Records that are not listed yet: [`RecentCreates`] counts those that were created a moment ago.
//!
//! # Design
//!
//! Records are only ever added at the end of a list, so those held back are the last ones, and a count is enough. A
//! create counts from before it reaches the store until the delay has passed after its end, so a page can hold back one
//! record too many, but never one too few. Once shown, a record stays shown.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::list::List;

/// The recent creates of every list.
#[derive(Debug, Default)]
pub(super) struct RecentCreates {
    contacts: Mutex<Creates>,
    tags: Mutex<Creates>,
    venues: Mutex<Creates>,
    visits: Mutex<Creates>,
}

#[derive(Debug, Default)]
struct Creates {
    under_way: i64,
    /// When each create ended, oldest first.
    ended: VecDeque<Instant>,
    /// The largest number of records that was ever visible.
    visible: i64,
}

impl RecentCreates {
    /// Runs `create`, whose record is held back from `list` until `delay` has passed.
    pub(super) async fn hold_back<T>(&self, list: List, delay: Duration, create: impl Future<Output = T>) -> T {
        if delay.is_zero() {
            return create.await;
        }
        self.of(list).under_way += 1;
        // A create whose client disconnects ends, too: it is dropped, and the guard with it.
        let _guard = CreateGuard { recent: self, list };
        create.await
    }

    /// Returns how many of `total` records of `list` are visible.
    pub(super) fn visible(&self, list: List, delay: Duration, total: i64) -> i64 {
        if delay.is_zero() {
            return total;
        }
        let mut creates = self.of(list);
        while creates.ended.front().is_some_and(|ended| ended.elapsed() >= delay) {
            creates.ended.pop_front();
        }
        let held_back = creates.under_way + i64::try_from(creates.ended.len()).unwrap_or(i64::MAX);
        creates.visible = creates.visible.max(total.saturating_sub(held_back));
        creates.visible
    }

    fn of(&self, list: List) -> MutexGuard<'_, Creates> {
        let creates = match list {
            List::Contacts => &self.contacts,
            List::Tags => &self.tags,
            List::Venues => &self.venues,
            List::Visits => &self.visits,
        };
        creates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A create under way; when it is dropped, the create has ended.
struct CreateGuard<'a> {
    recent: &'a RecentCreates,
    list: List,
}

impl Drop for CreateGuard<'_> {
    fn drop(&mut self) {
        let mut creates = self.recent.of(self.list);
        creates.under_way -= 1;
        creates.ended.push_back(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Duration = Duration::from_secs(2);

    #[tokio::test(start_paused = true)]
    async fn a_record_is_shown_when_the_delay_has_passed() {
        let recent = RecentCreates::default();
        assert_eq!(recent.visible(List::Tags, DELAY, 5), 5);
        recent.hold_back(List::Tags, DELAY, async {}).await;
        assert_eq!(recent.visible(List::Tags, DELAY, 6), 5);
        assert_eq!(recent.visible(List::Visits, DELAY, 6), 6);
        tokio::time::advance(DELAY).await;
        assert_eq!(recent.visible(List::Tags, DELAY, 6), 6);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_shown_once_stays_while_creates_are_under_way() {
        let recent = RecentCreates::default();
        assert_eq!(recent.visible(List::Tags, DELAY, 5), 5);
        let under_way = recent.hold_back(List::Tags, DELAY, async {
            assert_eq!(recent.visible(List::Tags, DELAY, 5), 5);
            assert_eq!(recent.visible(List::Tags, DELAY, 6), 5);
        });
        under_way.await;
    }

    #[tokio::test]
    async fn without_a_delay_everything_is_shown() {
        let recent = RecentCreates::default();
        recent.hold_back(List::Tags, Duration::ZERO, async {}).await;
        assert_eq!(recent.visible(List::Tags, Duration::ZERO, 6), 6);
    }
}
