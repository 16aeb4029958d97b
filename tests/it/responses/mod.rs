//! The shapes of a service's responses, held against snapshots: of the embedded service, of each of its profiles, and of
//! a deployed service where `COUNTERSIGN_BASE_URL` and `COUNTERSIGN_TOKEN` name one.

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
