//! What exchanges say together: the one maker of [`evidence`]. A `History` takes exchanges one after the other, each with
//! the `Part` that it was sent for.
//!
//! # Design
//!
//! A run only drives: it says what a request is a part of, begins a look and ends it, and asks what the answers have shown. All
//! else is made here, of the exchanges alone: walks over pages, created records and where they show, updates, forms and ways
//! that were tried, what a write may have left. So a recording that is judged again gives what its run gave.
//!
//! A `History` is one, and each file makes one kind of evidence in it: so it holds a type of each file, and each file names it.

mod account;
pub(crate) mod carried;
mod counts;
mod created;
mod digests;
mod element;
pub mod evidence;
#[expect(clippy::module_inception, reason = "the room is named after what it keeps")]
mod history;
mod keeping;
mod known;
mod look;
mod mark;
mod own;
mod pages;
mod part;
mod records;
pub(crate) mod same;
mod shown;
mod tried;
mod updated;

pub(crate) use account::may_have_stored;
pub use account::{LookedThrough, Other, Residue};
pub(crate) use history::{Finished, History, Noted};
pub use known::Known;
pub(crate) use look::{Extent, LookId, Looked, Sought};
pub use mark::Mark;
pub(crate) use own::Whose;
pub(crate) use pages::lacking;
pub(crate) use part::{Part, Role, Sending};
pub(crate) use records::Changed;
pub(crate) use tried::is_refused;
