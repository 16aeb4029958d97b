//! Waits for what may come late: a record in its list, an update in its record, a list that adds up.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::Instant;

use super::session::Session;
use crate::history::LookId;

/// The first wait before another look; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(50);

/// What a run has learned about how long to wait.
#[derive(Debug, Default)]
pub(super) struct WaitHistory {
    /// The longest time that something took to be listed.
    lag: Cell<Duration>,
    /// Whether a wait for an update timed out.
    pub(super) updates_timed_out: Cell<bool>,
    /// Whether a wait to read a created record timed out.
    pub(super) reads_timed_out: Cell<bool>,
}

impl Session<'_> {
    /// Looks again and again, until the look is settled, or until a walk that began after `longest` found nothing.
    pub(super) async fn repeat_until_settled(&self, look: LookId, longest: Duration, again: impl AsyncFn()) {
        let (_, lag) = looks(longest, again, |()| self.history().is_settled(look)).await;
        if let Some(lag) = lag {
            self.wait_history.lag.set(self.wait_history.lag.get().max(lag));
        }
    }

    /// Returns how long to wait for what may never come: twice the longest lag in this run so far, plus the first wait,
    /// but at most `settle`.
    pub(super) fn short_wait(&self) -> Duration {
        (self.wait_history.lag.get() * 2 + FIRST_WAIT).min(self.settings.settle)
    }
}

/// The waits for a record that a read does not find yet.
pub(super) struct NotFoundRetry {
    started: Instant,
    longest: Duration,
    wait: Duration,
    over: bool,
}

impl NotFoundRetry {
    /// Creates waits that end when `longest` has passed.
    pub(super) fn until(longest: Duration) -> Self {
        Self {
            started: Instant::now(),
            longest,
            wait: FIRST_WAIT,
            over: longest.is_zero(),
        }
    }

    /// Returns how long to wait before it is requested again; `None` where the last request was late enough.
    pub(super) fn wait(&mut self) -> Option<Duration> {
        let left = self.longest.saturating_sub(self.started.elapsed());
        if self.over {
            return None;
        }
        let wait = self.wait.min(left);
        self.over = wait == left;
        self.wait *= 2;
        Some(wait)
    }
}

/// Repeats a look; returns the last one, and how long it took to show enough, if it did.
///
/// A look may take longer than the time to wait: a long list has many pages, and its first page is old when the
/// last one comes. So the time at which a look began counts, and the look that decides began late enough.
async fn looks<Seen>(
    longest: Duration,
    look: impl AsyncFn() -> Seen,
    enough: impl Fn(&Seen) -> bool,
) -> (Seen, Option<Duration>) {
    let started = Instant::now();
    let mut wait = FIRST_WAIT;
    loop {
        let began = started.elapsed();
        let seen = look().await;
        let passed = started.elapsed();
        if enough(&seen) {
            return (seen, Some(passed));
        }
        if began >= longest {
            return (seen, None);
        }
        tokio::time::sleep(wait.min(longest.saturating_sub(passed))).await;
        wait *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTLE: Duration = Duration::from_secs(5);

    /// Looks for something that appears after `shows_after`; each look takes `takes` and samples at its start. Returns
    /// whether it was seen, and how many looks that took.
    async fn looked(shows_after: Duration, takes: Duration) -> (bool, u32) {
        let (started, count) = (Instant::now(), Cell::new(0));
        let look = async || {
            count.set(count.get() + 1);
            let seen = started.elapsed() >= shows_after;
            tokio::time::sleep(takes).await;
            seen
        };
        let (seen, lag) = looks(SETTLE, look, |seen| *seen).await;
        assert_eq!(lag.is_some(), seen);
        (seen, count.get())
    }

    #[tokio::test(start_paused = true)]
    async fn what_shows_at_once_takes_one_look() {
        assert_eq!(looked(Duration::ZERO, SETTLE * 2).await, (true, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn what_shows_in_time_is_seen_however_long_a_look_takes() {
        let looks = [1, 2000, 4900, 5000, 60_000].map(Duration::from_millis);
        for takes in looks {
            let (seen, _) = looked(SETTLE - Duration::from_millis(1), takes).await;
            assert!(seen, "{takes:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_never_shows_is_looked_for_once_more_when_the_time_has_passed() {
        let (seen, count) = looked(Duration::MAX, SETTLE * 2).await;
        assert_eq!((seen, count), (false, 2));
        let (seen, count) = looked(Duration::MAX, Duration::from_millis(1)).await;
        assert!(!seen && count < 10, "{count}");
    }
}
