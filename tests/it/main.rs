//! The integration tests, in one binary: a module for each part of the program, with real sockets and real files where
//! the claim is about them.
//!
//! What a fork with another service keeps has no feature above it; the rest is about the reference service, our
//! contract and its document.

#[cfg(feature = "service")]
mod cli;
#[cfg(feature = "service")]
mod client;
mod corpus;
mod diff;
#[cfg(feature = "service")]
mod examples;
#[cfg(feature = "service")]
mod library;
#[cfg(feature = "service")]
mod mirror;
#[cfg(feature = "service")]
mod page;
#[cfg(feature = "service")]
mod proof;
#[cfg(feature = "service")]
mod responses;
#[cfg(feature = "service")]
mod service;
#[cfg_attr(
    not(feature = "service"),
    expect(dead_code, reason = "much of it is for what a fork leaves out")
)]
mod support;
#[cfg(feature = "service")]
mod surface;
#[cfg(feature = "service")]
mod traffic;

/// The allocator of the program, which costs less than the C library's where many small strings are made.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
