//! Waits for what may come late: a record in its list, an update in its record, a list that adds up.

use std::cell::{Cell, RefCell};
use std::mem::discriminant;
use std::time::Duration;

use tokio::time::Instant;

use super::session::Session;
use crate::contract::operation::OperationId;
use crate::history::{LookId, RecordStage};

/// After how many timeouts of waits for records of inferred lifecycles at one stage the next ones at that stage are
/// short. So a service that shows nothing of what it stores costs some times `settle`, however many resources it has.
const MAX_TIMED_OUT: usize = 4;

/// The first wait before another walk or read; it doubles.
const MIN_WAIT: Duration = Duration::from_millis(50);

/// How late the target has been so far, which decides how long later waits are.
#[derive(Debug, Default)]
pub(super) struct ObservedDelays {
    /// The longest time after which something showed.
    longest: Cell<Duration>,
    /// Whether the last wait for an update that has invariants timed out.
    pub(super) invariant_update_timed_out: Cell<bool>,
    /// The waits for a record of an inferred lifecycle that have timed out in this run: by which operation it was
    /// sought, and at which stage.
    lifecycle_waits_timed_out: RefCell<Vec<(OperationId, RecordStage)>>,
    /// Whether a wait to read a created record timed out.
    pub(super) read_timed_out: Cell<bool>,
    /// How many lists still left out what they show without a filter or an order, after a full wait.
    still_left_out: Cell<usize>,
}

impl ObservedDelays {
    /// How long a wait for a record of an inferred lifecycle may be.
    pub(super) fn lifecycle_wait(&self, wait: (OperationId, RecordStage)) -> LifecycleWait {
        let timed_out = self.lifecycle_waits_timed_out.borrow();
        let wait = whichever_record(wait);
        if timed_out.contains(&wait) {
            return LifecycleWait::Again;
        }
        let is_alike = |(_, stage): &&(OperationId, RecordStage)| discriminant(stage) == discriminant(&wait.1);
        let is_counted = !matches!(wait.1, RecordStage::DeletedInList | RecordStage::MayBeDeletedInList);
        if is_counted && timed_out.iter().filter(is_alike).count() >= MAX_TIMED_OUT {
            return LifecycleWait::TooMany;
        }
        LifecycleWait::Full
    }

    /// Notes that a full wait for a record of an inferred lifecycle has timed out.
    pub(super) fn note_lifecycle_timeout(&self, wait: (OperationId, RecordStage)) {
        self.lifecycle_waits_timed_out.borrow_mut().push(whichever_record(wait));
    }
}

/// Returns the same wait for every record.
fn whichever_record((shown_by, stage): (OperationId, RecordStage)) -> (OperationId, RecordStage) {
    let stage = match stage {
        RecordStage::WriteOfAnotherRecord(write, _) => RecordStage::WriteOfAnotherRecord(write, 0),
        other => other,
    };
    (shown_by, stage)
}

/// How long a wait for a record of an inferred lifecycle may be, after those that timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LifecycleWait {
    /// As long as `settle` says.
    Full,
    /// Short: one by the same operation at the same stage had its full time.
    Again,
    /// Short, because too many others have timed out. What is not settled then may merely be late.
    TooMany,
}

impl Session<'_> {
    /// Calls `walk` again and again, until the look is settled, or until a walk that began after
    /// `timeout` did not settle it.
    pub(super) async fn repeat_until_settled(&self, look: LookId, timeout: Duration, walk: impl AsyncFn()) {
        let (_, delay) = repeat_until((MIN_WAIT, timeout), walk, |()| self.history().is_settled(look)).await;
        self.note_delay(delay);
    }

    /// Returns how long to wait first: a quarter of the longest delay in this run so far, so that a slow target is not
    /// read many times in vain.
    pub(super) fn first_wait(&self) -> Duration {
        (self.delays.longest.get() / 4).max(MIN_WAIT)
    }

    /// Notes after how long something showed, if it did.
    pub(super) fn note_delay(&self, delay: Option<Duration>) {
        let longest = self.delays.longest.get();
        self.delays.longest.set(longest.max(delay.unwrap_or_default()));
    }

    /// Returns how long to wait for what a filtered or sorted list left out: as long as `settle` says, unless that was in
    /// vain too often.
    pub(super) fn wait_for_left_out(&self) -> Duration {
        match self.delays.still_left_out.get() < MAX_TIMED_OUT {
            true => self.settings.settle,
            false => self.short_wait(),
        }
    }

    /// Notes that a list still left something out after that wait.
    pub(super) fn note_still_left_out(&self) {
        let count = &self.delays.still_left_out;
        count.set(count.get() + 1);
    }

    /// Returns how long to wait for what may never come: twice the longest delay in this run so
    /// far, plus [`MIN_WAIT`], but at most `settle`.
    pub(super) fn short_wait(&self) -> Duration {
        (self.delays.longest.get() * 2 + MIN_WAIT).min(self.settings.settle)
    }
}

/// The waits between the reads of a record that gets a 404.
pub(super) struct NotFoundRetry {
    started: Instant,
    timeout: Duration,
    /// The next wait; it doubles.
    wait: Duration,
    /// Whether the next read would begin after the timeout.
    over: bool,
}

impl NotFoundRetry {
    /// Creates waits that end when `timeout` has passed.
    pub(super) fn until(timeout: Duration) -> Self {
        Self {
            started: Instant::now(),
            timeout,
            wait: MIN_WAIT,
            over: timeout.is_zero(),
        }
    }

    /// Returns how long to wait before the next read; `None` where the last one was late enough.
    pub(super) fn wait(&mut self) -> Option<Duration> {
        let left = self.timeout.saturating_sub(self.started.elapsed());
        if self.over {
            return None;
        }
        let wait = self.wait.min(left);
        self.over = wait == left;
        self.wait *= 2;
        Some(wait)
    }
}

/// Calls `walk` until `is_enough` accepts what it returns, or until a call that began after `timeout` was not enough.
/// Returns what the last call returned, and the time until it was enough, if it was. It waits `first_wait` between the
/// first two calls, and twice as long each time.
///
/// A walk may take longer than the timeout: a long list has many pages, and its first page is old when the last one
/// comes. So the time at which a walk began counts, and the last one began late enough.
pub(super) async fn repeat_until<Seen>(
    (first_wait, timeout): (Duration, Duration),
    walk: impl AsyncFn() -> Seen,
    is_enough: impl Fn(&Seen) -> bool,
) -> (Seen, Option<Duration>) {
    let started = Instant::now();
    let mut wait = first_wait;
    loop {
        let began = started.elapsed();
        let seen = walk().await;
        let passed = started.elapsed();
        if is_enough(&seen) {
            return (seen, Some(passed));
        }
        if began >= timeout {
            return (seen, None);
        }
        tokio::time::sleep(wait.min(timeout.saturating_sub(passed))).await;
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
        let (seen, delay) = repeat_until((MIN_WAIT, SETTLE), look, |seen| *seen).await;
        assert_eq!(delay.is_some(), seen);
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
