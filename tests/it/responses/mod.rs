//! The shapes of a service's responses, compared with snapshots: for the embedded service, for each of its profiles,
//! and for a deployed service if `COUNTERSIGN_BASE_URL` and `COUNTERSIGN_TOKEN` name one.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod accepted;
mod guard;
mod held;
mod observing;
mod profiles;
mod rejected;
mod subject;
