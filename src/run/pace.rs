//! How fast requests go out, and how long a target that asks for time is waited for. The main type is [`Pace`].

use std::cell::Cell;
use std::time::Duration;

use tokio::time::Instant;

use crate::client::repeat;
use crate::exchange::Answer;

/// How often a request is sent again while the target asks for time.
pub(super) const ATTEMPTS: u32 = 4;
/// The longest wait before one of them.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// The first wait where the target names none; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// Spaces requests evenly.
#[derive(Debug)]
pub(super) struct Pace {
    interval: Option<Duration>,
    next: Cell<Option<Instant>>,
}

impl Pace {
    pub(super) fn new(per_second: Option<f64>) -> Self {
        let interval = per_second
            .filter(|rate| *rate > 0.0)
            .map(|rate| Duration::from_secs_f64(1.0 / rate));
        Self {
            interval,
            next: Cell::new(None),
        }
    }

    /// Waits until the next request may go out.
    pub(super) async fn wait(&self) {
        let Some(interval) = self.interval else { return };
        let now = Instant::now();
        let slot = self.next.get().map_or(now, |next| next.max(now));
        self.next.set(Some(slot + interval));
        tokio::time::sleep_until(slot).await;
    }
}

/// How long to wait after the `attempt`th answer (from 0) that asks for time: what Retry-After says (RFC 9110, section
/// 10.2.3), else a time that doubles; never longer than five seconds.
pub(super) fn wait_after(answer: &Answer, attempt: u32) -> Duration {
    let backoff = FIRST_WAIT * 2_u32.saturating_pow(attempt);
    repeat::asked_for(&answer.headers).unwrap_or(backoff).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use reqwest::header::{DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};

    use super::*;

    fn answer(headers: &[(HeaderName, &'static str)]) -> Answer {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
            .collect();
        Answer {
            status: 429,
            headers,
            body: Bytes::new(),
            elapsed: Duration::ZERO,
        }
    }

    #[test]
    fn retry_after_is_honoured_in_seconds_and_as_a_date() {
        assert_eq!(wait_after(&answer(&[(RETRY_AFTER, "2")]), 0), Duration::from_secs(2));
        let dated = [
            (DATE, "Fri, 17 May 2024 07:30:00 GMT"),
            (RETRY_AFTER, "Fri, 17 May 2024 07:30:03 GMT"),
        ];
        assert_eq!(wait_after(&answer(&dated), 0), Duration::from_secs(3));
    }

    #[test]
    fn a_wait_is_never_longer_than_five_seconds() {
        assert_eq!(wait_after(&answer(&[(RETRY_AFTER, "86400")]), 0), LONGEST_WAIT);
        assert_eq!(wait_after(&answer(&[]), 0), FIRST_WAIT);
        assert_eq!(wait_after(&answer(&[]), 31), LONGEST_WAIT);
    }
}
