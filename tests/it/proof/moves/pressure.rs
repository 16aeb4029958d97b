//! Targets under pressure: rate limits, a server that is away for a moment.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::header::RETRY_AFTER;

use super::{Move, prove};
use crate::proof::call::Reply;
use crate::proof::deviating::Deviation;

/// Answers every nth request itself.
fn now_and_then(every: u64, reply: Reply) -> Deviation {
    let requests = AtomicU64::new(0);
    Deviation::none().asked(move |_| {
        let number = requests.fetch_add(1, Ordering::Relaxed) + 1;
        number.is_multiple_of(every).then(|| reply.clone())
    })
}

#[test]
fn a_rate_limit_is_waited_for() {
    prove(vec![
        Move::new(
            "429, at once again",
            now_and_then(3, Reply::empty(429).with(RETRY_AFTER, "0")),
        ),
        Move::new(
            "429, in a second",
            now_and_then(25, Reply::empty(429).with(RETRY_AFTER, "1")),
        ),
        Move::new(
            "429 without a time",
            now_and_then(15, Reply::text(429, "text/html", "slow down")),
        ),
    ]);
}

#[test]
fn a_server_that_is_away_for_a_moment_is_waited_for() {
    prove(vec![
        Move::new(
            "503, at once again",
            now_and_then(5, Reply::empty(503).with(RETRY_AFTER, "0")),
        ),
        Move::new("503 without a time", now_and_then(20, Reply::empty(503))),
    ]);
}
