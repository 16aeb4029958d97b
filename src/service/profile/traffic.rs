//! How much is answered how fast, and in which coding.

use std::time::Duration;

use super::choice::choice;

choice! {
    /// How many requests are answered in a second.
    RateLimit {
        /// All.
        Unlimited = "unlimited",
        /// 50; beyond, 429 with Retry-After.
        Announced = "50-per-second",
        /// 50; beyond, 429 and not a word on when to come back.
        Unannounced = "50-per-second-unannounced",
    }
}

choice! {
    /// How long a response is held back.
    Latency {
        /// Not at all.
        None = "none",
        /// 20 milliseconds.
        Short = "20ms",
        /// 100 milliseconds.
        Long = "100ms",
    }
}

impl Latency {
    pub(in crate::service) fn pause(self) -> Duration {
        match self {
            Latency::Long => Duration::from_millis(100),
            Latency::None => Duration::ZERO,
            Latency::Short => Duration::from_millis(20),
        }
    }
}

choice! {
    /// Whether a body is compressed for a client that accepts it.
    Compression {
        /// It is not.
        None = "none",
        /// By gzip.
        Gzip = "gzip",
    }
}
