//! A check as a library: of a deployed service, or of one in this process, from a program's own tests.
//!
//! [`Check`] takes what the flags of `countersign check` take and settles it; [`Prepared`] carries it out, for the command
//! line too; [`Report`] is what came of it.

mod builder;
mod error;
mod open;
mod prepared;
mod report;

pub use builder::Check;
#[cfg(feature = "cli")]
pub(crate) use builder::random_seed;
pub use error::Error;
#[cfg(feature = "cli")]
pub(crate) use prepared::Prepared;
pub use report::Report;
