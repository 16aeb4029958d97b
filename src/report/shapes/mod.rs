//! The shapes of responses, as snapshots contain them: without any values. A *snapshot* is a file
//! `snapshots/response_*.snap` or `envelope_*.snap`: the shapes that a person accepted, with which a test compares what
//! a service shows (docs/snapshots.md). [`ObservedShapes`] collects them from the exchanges of a run;
//! [`ResponseShapes`] has the shapes of one operation, and is written and read as text.
//!
//! The `Shape`s of a contract say what is documented at a location. The types here hold what was seen there: the forms
//! of its values, such as `uuid`, `text` or `blank`, the empty string.
//!
//! # Design
//!
//! Everything that varies with the records that the target has is folded away: locations are joined over all responses
//! and all items, lengths are none, one or many, and joining does not depend on the order. What remains changes only if
//! the service responds differently.

mod beyond;
mod contradictions;
mod form;
mod location;
mod observed;
mod text;

pub use beyond::NewShape;
pub use location::{Length, SeenForms};
pub use observed::{ObservedShapes, ResponseShapes};
pub use text::UnreadableShapes;
