//! The HTML report as a reader sees it: in a headless Chromium, through WebDriver.
//!
//! These tests are not run by `cargo test`, which needs no browser: `bash .ci/with-chromium cargo test --test it page
//! -- --ignored` runs them, and installs the browser where it can. [`browser`] drives it, [`shown`] makes pages to
//! open.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a helper of a test may fail it, and reads which browser it was given"
)]

mod browser;
mod filtering;
mod keys;
mod links;
mod paper;
mod picture;
mod reading;
mod shown;
mod size;
