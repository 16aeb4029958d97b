//! The reference service on a real socket: what it answers, what it rejects, and what it keeps.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod any_request;
mod contract;
mod fault;
mod killed;
mod pages;
pub(crate) mod profile;
mod rejections;
mod responses;
mod server;
mod storage;
mod stores;
mod support;

pub(crate) use fault::recording_of_a_check;
