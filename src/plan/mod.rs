//! From a contract to the calls of a run: which operations, in which order, why, and with what in them. Deterministic:
//! the same contract, scope and seed give the same plan.
//!
//! [`Plan`] is the order. What a call carries depends on what the target shows, so the bodies are made while the plan
//! runs: [`Known`](crate::history::Known) keeps the values that links carry, a [`Template`] makes a [`Draft`] of them, [`Retreat`] changes a refused
//! one field by field. [`Variant`] says how further bodies differ from one that was accepted, [`OddPart`] what an odd
//! request has that a sound one has not.

mod action;
mod awkward;
mod body;
mod draft;
mod leaf;
mod odd;
pub(crate) mod parameter;
mod retreat;
mod selection;
mod shard;
mod share;
mod source;
mod steps;
mod synthetic;
mod template;
mod told;
mod understood;
mod variety;

pub use action::{Action, Bounds, Doing, Probe, ShownBy};
pub use awkward::Edges;
pub use draft::Draft;
pub use odd::OddPart;
pub use retreat::Retreat;
pub use selection::Selection;
pub use shard::{ANOTHER_SHARD, NotCalled, Shard, ShardError};
pub use share::WRONG_TOKENS;
pub(crate) use source::can_stand;
pub use source::{Given, NoValue, Source, Wanted, given};
pub use steps::{Plan, Step, lanes};
pub use template::Template;
pub use told::Planned;
pub use variety::{
    AWKWARD_UPDATES, TRIES_A_VARIANT, Variant, WRITES_A_VARIANT, WRITES_BY_DEFAULT, in_another_writing, reserve,
    variants,
};
