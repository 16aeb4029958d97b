//! The shapes of responses, as snapshots contain them: without any values. [`ObservedShapes`] collects them from the
//! exchanges of a run; [`ResponseShapes`] has the shapes of one operation, and is written and read as text.
//!
//! # Design
//!
//! Everything that varies with the target's rows is folded away: locations are joined over all rows, lengths are none,
//! one or many, and joining does not depend on the order. What remains changes only if the service responds
//! differently.

mod contradictions;
mod form;
mod location;
mod news;
mod observed;
mod text;

pub use location::{Length, SeenForms};
pub use news::NewShape;
pub use observed::{ObservedShapes, ResponseShapes};
pub use text::UnreadableShapes;
