//! Waits for what need not be there at once: a record that is listed, an update that shows, a list that adds up.

use std::time::Duration;

use tokio::time::Instant;

use super::session::Session;

/// The first wait before another look; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(50);

impl Session<'_> {
    /// Looks again and again, until `enough` says that there is no need to or `longest` has passed since the first
    /// look. Hands back the last look.
    pub(super) async fn settled<Seen>(
        &self,
        longest: Duration,
        look: impl AsyncFn() -> Seen,
        enough: impl Fn(&Seen) -> bool,
    ) -> Seen {
        let started = Instant::now();
        let mut wait = FIRST_WAIT;
        loop {
            let seen = look().await;
            let passed = started.elapsed();
            if enough(&seen) {
                self.lag.set(self.lag.get().max(passed));
                return seen;
            }
            let left = longest.saturating_sub(passed);
            if left.is_zero() {
                return seen;
            }
            tokio::time::sleep(wait.min(left)).await;
            wait *= 2;
        }
    }

    /// How long to wait for what may never come: twice as long as anything took in this run so far.
    pub(super) fn briefly(&self) -> Duration {
        (self.lag.get() * 2 + FIRST_WAIT).min(self.settings.settle)
    }
}
