//! Tells whether a deployed Contact Database and Visits service does what its document says, and gives Rust programs a
//! typed client for it.
//!
//! ```text
//! openapi.yaml ─┬─▶ build.rs ─▶ client
//!               └─▶ contract ─▶ plan ─▶ run ─▶ rules ─▶ report
//! ```
//!
//! One hand-written contract drives both. Programs take the [`client`], with `default-features = false` and nothing
//! else; the command line takes the checker:
//!
//! | feature | brings |
//! |---|---|
//! | none | [`client`]: typed calls, lists as streams |
//! | `checker` | `contract`, `exchange`, `plan`, `rules`, `run`, `report`: a check as a library |
//! | `service` | `service`: the reference implementation |
//! | `cli` (default) | `cli` and the `countersign` command, with all of the above |
//!
//! A check, as the command line does it:
//!
#![cfg_attr(feature = "checker", doc = "```")]
#![cfg_attr(not(feature = "checker"), doc = "```ignore")]
//! use countersign::contract::Contract;
//! use countersign::plan::{Plan, Scope};
//!
//! let contract = Contract::built_in()?;
//! let plan = Plan::new(&contract, &Scope { token: true, ..Scope::default() });
//! assert!(plan.steps.iter().all(|step| contract.operation(step.operation).is_read()));
//! # Ok::<(), countersign::contract::defect::Defect>(())
//! ```

#![forbid(unsafe_code)]

pub mod client;

#[cfg(feature = "checker")]
pub mod contract;
#[cfg(feature = "checker")]
pub mod exchange;
#[cfg(feature = "checker")]
pub mod plan;
#[cfg(feature = "checker")]
pub mod report;
#[cfg(feature = "checker")]
pub mod rules;
#[cfg(feature = "checker")]
pub mod run;

#[cfg(feature = "cli")]
pub mod cli;

#[cfg(feature = "service")]
pub mod service;

#[cfg(test)]
mod testing;
