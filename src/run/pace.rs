//! Controls how fast requests go out, and how long the run waits for a target that throttles them. The main type is
//! [`Pace`].

use std::cell::Cell;
use std::time::Duration;

use tokio::time::Instant;

use crate::client::retry;
use crate::exchange::Response;

/// The most times that a request is sent while the target throttles it.
pub(super) const MAX_ATTEMPTS: u32 = 4;
/// The longest wait before a request is sent again.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// The longest time for which a rate limit of requests per minute turns a caller away; one per hour or per day does so
/// for longer.
const LONGEST_LIMIT_TO_WAIT_FOR: Duration = Duration::from_secs(60);
/// The first wait if the target names no time; each further wait is twice as long.
const FIRST_BACKOFF: Duration = Duration::from_millis(200);

/// The longest time between two requests, however low the rate: a clock cannot represent arbitrarily long times.
const LONGEST_INTERVAL: Duration = Duration::from_secs(86_400);

/// Spaces requests evenly.
#[derive(Debug)]
pub(super) struct Pace {
    /// The time between two requests; `None` where the rate has no limit.
    interval: Option<Duration>,
    /// When the next request may go out.
    next: Cell<Option<Instant>>,
}

impl Pace {
    /// Creates the pace for at most this many requests per second.
    pub(super) fn new(per_second: Option<f64>) -> Self {
        let interval = per_second
            .filter(|rate| *rate > 0.0)
            .map(|rate| Duration::try_from_secs_f64(1.0 / rate).unwrap_or(LONGEST_INTERVAL))
            .map(|interval| interval.min(LONGEST_INTERVAL));
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

/// Returns whether a response says when to send the request again, and that is within the longest wait.
pub(super) fn says_when(response: &Response) -> bool {
    retry::retry_after(&response.headers).is_some_and(|time| time <= LONGEST_WAIT)
}

/// Returns whether a response throttles its request, and does not say that it will for longer than a run waits. A 503
/// may be over sooner than it says.
pub(super) fn throttles_for_now(response: &Response) -> bool {
    let after = retry::retry_after(&response.headers);
    let outlasts_waits = response.status == 429 && after.is_some_and(|time| time > LONGEST_LIMIT_TO_WAIT_FOR);
    response.is_throttled() && !outlasts_waits
}

/// Returns how long to wait after the `attempt`th response (from 0) that throttles a request: the time in Retry-After
/// (RFC 9110, section 10.2.3), otherwise a time that doubles; never more than five seconds.
pub(super) fn wait_after(response: &Response, attempt: u32) -> Duration {
    let backoff = FIRST_BACKOFF * 2_u32.saturating_pow(attempt);
    retry::retry_after(&response.headers)
        .unwrap_or(backoff)
        .min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use reqwest::header::{DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};

    use super::*;

    fn response(headers: &[(HeaderName, &'static str)]) -> Response {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
            .collect();
        Response {
            status: 429,
            headers,
            body: Bytes::new(),
            was_compressed: false,
            is_body_known: true,
            are_headers_known: true,
            location: None,
            elapsed: Duration::ZERO,
        }
    }

    #[test]
    fn retry_after_is_honoured_in_seconds_and_as_a_date() {
        assert_eq!(wait_after(&response(&[(RETRY_AFTER, "2")]), 0), Duration::from_secs(2));
        let dated = [
            (DATE, "Fri, 17 May 2024 07:30:00 GMT"),
            (RETRY_AFTER, "Fri, 17 May 2024 07:30:03 GMT"),
        ];
        assert_eq!(wait_after(&response(&dated), 0), Duration::from_secs(3));
    }

    #[test]
    fn the_wait_doubles_where_the_target_names_none() {
        let waits = [0, 1, 2, 3].map(|attempt| wait_after(&response(&[]), attempt).as_millis());
        assert_eq!(waits, [200, 400, 800, 1600]);
    }

    #[test]
    fn a_retry_after_that_says_nothing_is_passed_over() {
        const DATED: &str = "Fri, 17 May 2024 07:30:00 GMT";
        for headers in [
            &[(RETRY_AFTER, "soon")][..],
            &[(RETRY_AFTER, "-1")],
            &[(RETRY_AFTER, "1.5")],
            &[(RETRY_AFTER, "")],
            // A date, but no `Date` header with the target's own time.
            &[(RETRY_AFTER, DATED)],
        ] {
            assert_eq!(wait_after(&response(headers), 0), FIRST_BACKOFF, "{headers:?}");
        }
        assert_eq!(wait_after(&response(&[(RETRY_AFTER, "0")]), 0), Duration::ZERO);
        let passed = [(RETRY_AFTER, DATED), (DATE, "Fri, 17 May 2024 07:30:01 GMT")];
        assert_eq!(wait_after(&response(&passed), 0), Duration::ZERO);
    }

    /// When each of three requests goes out at this rate, in milliseconds from the first.
    async fn departures(per_second: Option<f64>) -> [u128; 3] {
        let (pace, started) = (Pace::new(per_second), Instant::now());
        let mut departures = [0; 3];
        for departure in &mut departures {
            pace.wait().await;
            *departure = started.elapsed().as_millis();
        }
        departures
    }

    #[tokio::test(start_paused = true)]
    async fn requests_go_out_evenly_at_the_rate() {
        assert_eq!(departures(Some(10.0)).await, [0, 100, 200]);
        assert_eq!(departures(Some(0.5)).await, [0, 2000, 4000]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_rate_nothing_waits() {
        for none in [None, Some(0.0), Some(-1.0), Some(f64::NAN), Some(f64::INFINITY)] {
            assert_eq!(departures(none).await, [0, 0, 0], "{none:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn requests_that_wait_together_share_the_rate() {
        let (pace, started) = (Pace::new(Some(10.0)), Instant::now());
        futures::future::join_all([pace.wait(), pace.wait(), pace.wait()]).await;
        assert_eq!(started.elapsed().as_millis(), 200);
    }

    #[tokio::test(start_paused = true)]
    async fn time_that_passed_unused_is_not_made_up_for() {
        let pace = Pace::new(Some(10.0));
        pace.wait().await;
        tokio::time::advance(Duration::from_secs(1)).await;
        let started = Instant::now();
        pace.wait().await;
        pace.wait().await;
        assert_eq!(started.elapsed().as_millis(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_of_almost_nothing_is_one_request_a_day() {
        for rate in [1e-9, 1e-300, f64::MIN_POSITIVE] {
            assert_eq!(departures(Some(rate)).await, [0, 86_400_000, 172_800_000], "{rate}");
        }
        assert_eq!(departures(Some(f64::MAX)).await, [0, 0, 0]);
    }

    #[test]
    fn a_wait_is_never_longer_than_five_seconds() {
        assert_eq!(wait_after(&response(&[(RETRY_AFTER, "86400")]), 0), LONGEST_WAIT);
        assert_eq!(wait_after(&response(&[]), 0), FIRST_BACKOFF);
        assert_eq!(wait_after(&response(&[]), 31), LONGEST_WAIT);
    }
}
