//! The comparison of two contracts: what is told of each kind of edit, and that rewrites which mean the same are
//! silent.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod alternatives;
mod edited;
mod operations;
mod outside;
mod properties;
mod rewrites;
mod schemas;
mod support;
