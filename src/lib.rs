//! Tells whether a deployed Contact Database and Visits service does what its document says, and gives Rust programs
//! a typed client for it.

#[cfg(feature = "checker")]
pub mod contract;
#[cfg(feature = "checker")]
pub mod exchange;
#[cfg(feature = "checker")]
pub mod plan;
#[cfg(feature = "checker")]
pub mod rules;

pub mod client;

#[cfg(feature = "service")]
pub mod service;

#[cfg(test)]
mod testing;
