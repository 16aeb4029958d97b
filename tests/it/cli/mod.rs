//! The command line as a user meets it: what it prints, how it ends, what bad input and a hostile target cost.
//!
//! Every test runs the built binary. [`support`] runs it, [`target`] is a service to check, [`stub`] one that may do
//! anything to a socket.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod errors;
mod formats;
mod hostile;
mod interruption;
mod json_report;
mod leaks;
mod neutral;
mod no_target;
mod pages;
mod plan;
mod repeat;
mod report_files;
mod residue;
mod rules;
mod secrecy;
mod serving;
mod specs;
mod stub;
mod support;
mod target;
mod usage;
mod what_users_see;
