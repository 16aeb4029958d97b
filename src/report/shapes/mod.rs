//! The shapes that responses had: what a snapshot may hold of them, which is nothing of their values. [`Observed`] folds
//! the exchanges of a run; [`Responses`] is what it saw of one operation, written and read as text.
//!
//! # Design
//!
//! Whatever varies with the target's rows is folded away: locations are joined over all rows, lengths are none, one or
//! many, and joining does not depend on the order. What remains differs only where the service answers otherwise.

mod against;
mod form;
mod location;
mod observed;
mod text;

pub use location::{Length, Variants};
pub use observed::{Observed, Responses};
pub use text::UnreadableShapes;
