//! Plans the calls of a run from a contract: which operations, in which order, why, and with which values.
//!
//! - **In**: a [`Contract`](crate::Contract) and a [`Scope`]: what to check, whether writes are allowed, the seed.
//! - **Out**: a [`Plan`], whose [`Step`]s are in the order of a run. The same contract, scope and seed give the
//!   same plan.
//! - **Start with** [`Plan::new`].
//!
#![cfg_attr(feature = "service", doc = "```")]
#![cfg_attr(not(feature = "service"), doc = "```ignore")]
//! use countersign::Contract;
//! use countersign::plan::{Plan, Scope};
//!
//! let contract = Contract::built_in()?;
//! let reads = Plan::new(&contract, &Scope { token: true, ..Scope::default() });
//! for step in &reads.steps {
//!     println!("{:?} {}", step.action, contract.operation(step.operation).name);
//! }
//! # assert!(reads.steps.len() > 4);
//! # Ok::<(), countersign::contract::defect::Defects>(())
//! ```
//!
//! What a call sends depends on what the target shows, so bodies are made while the plan runs:
//! [`Bindings`](crate::history::Bindings) are the values that links carry, a [`Template`] makes a [`Draft`] from them,
//! and [`Fallback`] changes a rejected one field by field. [`Variant`] describes how further bodies differ from an
//! accepted one, and [`EdgeCaseChange`] how an edge case differs from a plain request.
//!
//! # Words
//!
//! - *choice*: one of several candidate values of a field in a draft.
//! - *awkward value*: a valid value that software often garbles, such as a name with an apostrophe.
//! - *equivalent request*: a documented request in another spelling that RFCs define as the same (`x-equivalent`): a
//!   UUID in capitals, JSON in another order.
//! - *synthetic string*: the string that the contract says to send in a field (`x-synthetic`), with the run tag in it.
//! - *name*, *address*: a string or an email address that the run makes for a body, with the run tag in it.
//! - *note*: the run tag, in an object that is for callers' own data, such as `metadata`.
//! - *scope* ([`Scope`]), *shard*, *part*: the operations that a run covers; one machine's share of its plan; a group
//!   of operations that is never split between shards.

mod action;
mod awkward;
mod body;
mod described;
mod draft;
mod edge_case;
mod fallback;
mod fragile;
mod leaf;
pub(crate) mod optional;
pub(crate) mod parameter;
mod question;
mod rights;
mod sample;
mod scope;
mod shard;
mod share;
mod source;
mod steps;
mod template;
mod timestamps;
mod traceable_writes;
mod variants;

pub use action::{Action, ActionSpec, Bounds, CredentialProbe, ShownBy};
pub(crate) use action::{MAX_INFERRED_PAGES, MAX_RECORDS_TO_LEARN, MAX_SAMPLED, MAX_TRIALS, TRIALS_TO_INDICATE};
pub use awkward::AwkwardValues;
pub use described::StepDescription;
pub use draft::Draft;
#[cfg(test)]
pub(crate) use draft::remove_member;
pub use edge_case::{EdgeCaseChange, unknown_identifiers_of_path};
pub use fallback::Fallback;
pub(crate) use fallback::words_of_rejection;
pub use fragile::FragileValue;
pub(crate) use parameter::request_key;
pub(crate) use question::text_fields_with_open_side_effect;
pub use question::{Asks, BodyChange, Question, QuestionRequest, SentDateFormat};
pub use scope::{NeverAlsoSent, Scope, SettledAnswers, check_also_sent};
pub use shard::{ANOTHER_SHARD, NotCalled, Shard, ShardError};
pub use share::WRONG_TOKENS;
pub(crate) use source::check_allowed;
pub(crate) use source::unusable_path;
pub use source::{NAME_PREFIX, NeededValue, NoValue, Source, StandInOrigin, stand_in_value};
pub(crate) use steps::NEEDS_WRITES;
pub use steps::{Plan, Step, concurrent_sequences};
pub use template::Template;
pub(crate) use timestamps::{LARGE_OFFSET, is_leap_day};
pub use variants::{
    AWKWARD_UPDATES, AWKWARD_UPDATES_WITHOUT_INVARIANTS, RECORDS_BY_DEFAULT, RECORDS_PER_VARIANT, TRIES_PER_VARIANT,
    Variant, reserved_writes, values_for_equivalent_request, variants,
};
