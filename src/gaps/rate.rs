//! Measures how many requests in a second a service responds to, and sees whether it limits them. The main type is
//! [`Rate`].
//!
//! # Design
//!
//! No request is sent for this alone. A service that limits requests per second may begin a second at any moment.
//! Wherever its seconds begin, n seconds of the run overlap at most n + 1 of them, so one of these has at least
//! 1/(n + 1) of the requests that got a response. That number is claimed: nearly the whole rate of a steady run, and
//! half of a burst. A limit over a longer time may be lower.

use std::time::Duration;

use super::answer::Claim;

/// How many steps a second has. Times are counted in steps.
const STEPS: usize = 50;
/// The most seconds that are looked at together.
const MAX_SECONDS: usize = 8;
/// How many steps are kept.
const KEPT: usize = STEPS * MAX_SECONDS;

/// The requests that got a response or were limited so far.
#[derive(Clone, Debug)]
pub(super) struct Rate {
    /// The requests that were rejected with 429.
    limited: u64,
    responded: u64,
    /// How many of those that got a response so far were sent in each of the last steps.
    sent: Vec<u64>,
    /// The step in which the last response was complete.
    last: u64,
    /// The highest rate up to that step.
    highest: u64,
}

impl Default for Rate {
    fn default() -> Self {
        Self {
            limited: 0,
            responded: 0,
            sent: vec![0; KEPT],
            last: 0,
            highest: 0,
        }
    }
}

impl Rate {
    /// Adds a request that was rejected with 429.
    pub(super) fn add_limited(&mut self) {
        self.limited = self.limited.saturating_add(1);
    }

    /// Adds a request that got a response, with the times at which it was sent and its response was complete. Requests
    /// are added in the order of their responses.
    pub(super) fn add_response(&mut self, sent: Duration, ended: Duration) {
        self.responded = self.responded.saturating_add(1);
        let (sent, ended) = (step(sent), step(ended));
        if ended > self.last {
            self.highest = self.highest.max(self.rate());
            let passed = usize::try_from(ended - self.last).map_or(KEPT, |passed| passed.min(KEPT));
            for step in (0..=ended).rev().take(passed) {
                self.sent[slot(step)] = 0;
            }
            self.last = ended;
        }
        if usize::try_from(self.last.saturating_sub(sent)).is_ok_and(|ago| ago < KEPT) {
            self.sent[slot(sent)] += 1;
        }
    }

    /// Returns a lower bound on the requests in the busiest of the last few seconds, wherever the service's seconds
    /// begin.
    fn rate(&self) -> u64 {
        let (older, newer) = (&self.sent[slot(self.last) + 1..], &self.sent[..=slot(self.last)]);
        let mut newest_first = newer.iter().rev().chain(older.iter().rev());
        let (mut count, mut rate) = (0, 0);
        for overlapped in (2..).take(MAX_SECONDS) {
            count += newest_first.by_ref().take(STEPS).sum::<u64>();
            rate = rate.max(count.div_ceil(overlapped));
        }
        rate
    }

    /// Returns what follows, with the number of requests that show it; `None` where nothing does.
    pub(super) fn observed(&self) -> Option<(Claim, u64)> {
        if self.limited > 0 {
            let claim = Claim::Limited {
                limited: true,
                at_least_per_second: None,
            };
            return Some((claim, self.limited));
        }
        let rate = self.highest.max(self.rate());
        let claim = Claim::Limited {
            limited: false,
            at_least_per_second: Some(rate),
        };
        (rate > 0).then_some((claim, self.responded))
    }
}

/// Returns the step in which a time is.
fn step(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX) / (1000 / STEPS as u64)
}

/// Returns where a step is kept.
fn slot(step: u64) -> usize {
    usize::try_from(step % KEPT as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate of requests that were sent at these times and got a response `elapsed` later, all in milliseconds.
    fn rate(sent: impl IntoIterator<Item = u64>, elapsed: u64) -> Option<u64> {
        let mut rate = Rate::default();
        for sent in sent {
            let (sent, ended) = (Duration::from_millis(sent), Duration::from_millis(sent + elapsed));
            rate.add_response(sent, ended);
        }
        match rate.observed()?.0 {
            Claim::Limited {
                limited: false,
                at_least_per_second,
            } => at_least_per_second,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn what_is_sent_steadily_is_claimed_almost_whole_and_a_burst_by_half() {
        let steady = rate((0..2000).map(|nth| nth * 10), 3).unwrap();
        assert!((88..=90).contains(&steady), "{steady}");
        assert_eq!(rate(vec![100; 80], 0), Some(40));
        assert_eq!(rate([60_000], 0), Some(1));
        assert_eq!(rate([], 0), None);
    }

    #[test]
    fn a_pause_or_a_slow_response_takes_nothing_away() {
        let with_pause = (0..100).map(|nth| nth * 10).chain([90_000]);
        assert_eq!(rate(with_pause, 0), rate((0..100).map(|nth| nth * 10), 0));
        assert_eq!(rate([100, 20_000], 9_000), None);
        assert_eq!(rate([100, 1_000], 2_000), Some(1));
    }

    /// The most requests that a limiter counts whose second begins with a request.
    fn counted(sent: &[u64]) -> u64 {
        let (mut began, mut count, mut most) = (0, 0, 0);
        for time in sent {
            if time - began >= 1000 {
                (began, count) = (*time, 0);
            }
            count += 1;
            most = most.max(count);
        }
        most
    }

    #[test]
    fn no_limit_that_let_everything_pass_is_below_what_is_claimed() {
        for (size, distance) in [(10, 70), (30, 333), (50, 501), (7, 999), (45, 200), (1, 1)] {
            for shift in [0, 1, 19, 20, 500, 990] {
                let bursts = (0..40).map(|burst| shift * (burst % 3) + burst * distance);
                let mut sent: Vec<u64> = bursts.flat_map(|time| vec![time; size]).collect();
                sent.sort_unstable();
                let (reached, limit) = (rate(sent.clone(), 0).unwrap(), counted(&sent));
                assert!(reached <= limit, "{size} every {distance} ms: {reached} > {limit}");
            }
        }
        // Two bursts that the end of a second may separate.
        assert_eq!(rate([vec![980; 40], vec![1010; 40]].concat(), 0), Some(40));
    }

    #[test]
    fn one_rejection_is_a_limit() {
        let mut rate = Rate::default();
        (0..90).for_each(|time| rate.add_response(Duration::from_millis(time), Duration::from_millis(time)));
        rate.add_limited();
        let claim = Claim::Limited {
            limited: true,
            at_least_per_second: None,
        };
        assert_eq!(rate.observed(), Some((claim, 1)));
    }
}
