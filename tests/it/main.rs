//! The integration tests, in one binary: a module for each part of the program, on real sockets and real files.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where it stands; clippy knows the test functions, not their helpers"
)]

mod client;
mod support;
