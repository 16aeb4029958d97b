//! Any contract: documents of strangers and small ones of our own are read, planned and judged. What their responses may
//! be by their own schemas raises nothing.
//!
//! The folder of strangers' documents is no part of this repository: `COUNTERSIGN_CORPUS` names one.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod documents;
mod judged;
mod planned;
mod served;
mod values;
