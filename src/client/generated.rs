//! The code that `build.rs` generates from `openapi.yaml`. Lints are off only here, because nobody edits this code by
//! hand.
//!
//! Its main type is [`Client`].

#![allow(
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    missing_docs,
    rustdoc::all,
    unreachable_pub,
    unused_imports,
    unused_qualifications,
    reason = "generated code keeps the style of its generator"
)]

include!(concat!(env!("OUT_DIR"), "/client.rs"));
