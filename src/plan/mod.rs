//! From a contract to the calls of a run: which operations, in which order, why, and with what in them. Deterministic:
//! the same contract, scope and seed give the same plan.
//!
//! [`Plan`] is the order. What a call carries depends on what the target shows, so the bodies are made while the plan
//! runs: [`Known`] keeps the values that links carry, [`Draft`] makes a body of them, [`Retreat`] changes a refused
//! one field by field, [`OddPart`] is what an odd request has that a sound one has not.

mod draft;
mod known;
mod odd;
mod retreat;
mod steps;
mod synthetic;

pub use draft::{Draft, Missing};
pub use known::Known;
pub use odd::OddPart;
pub use retreat::Retreat;
pub use steps::{Action, Plan, Probe, Scope, Step, WRONG_TOKENS};
pub use synthetic::Mark;
