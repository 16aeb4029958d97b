//! Any contract: strangers' documents and small ones of our own are read, planned and judged. A response that their own
//! schemas allow causes no finding.
//!
//! The folder of strangers' documents is not part of this repository: `COUNTERSIGN_CORPUS` names one.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod broken;
pub(crate) mod documents;
mod headers;
mod judged;
mod planned;
mod served;
pub(crate) mod values;
