//! The rate, the delay and the compression of responses.

use std::time::Duration;

use super::axis_values::axis_values;

axis_values! {
    /// How many requests are answered in a second.
    RateLimit {
        /// All.
        Unlimited = "unlimited",
        /// 50; beyond that, 429 with Retry-After.
        Announced = "50-per-second",
        /// 50; beyond that, 429 without Retry-After.
        Unannounced = "50-per-second-unannounced",
    }
}

axis_values! {
    /// How long a response is delayed.
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

axis_values! {
    /// Whether a body is compressed for a client that accepts it.
    Compression {
        /// It is not.
        None = "none",
        /// With gzip.
        Gzip = "gzip",
    }
}
