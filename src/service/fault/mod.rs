//! Deliberate deviations from the document, to prove that a check sees them: [`faults`] is the table, [`app`] is the
//! service with some of them active.
//!
//! The service itself knows nothing of this. Faults are one layer outside of it, which changes what the service is sent
//! or what it has answered.
//!
//! ```text
//! server ─▶ layer ─▶ request, awkward, arrays, spelling, pages ─▶ the service ─▶ …
//!                                    writes: how many times ─┘
//! … ─▶ edge_case, pages, creates, identifier_changed, locations, response ─▶ server
//! ```
//!
//! The first four are applied in the order in which the faults were named.
//!
//! Most faults are derived from `openapi.yaml`: one for each way in which each documented location of each response can
//! be wrong. The others are written by hand, one or more for each invariant and for each fact about credentials. A
//! [`Fault`] says which rule must see it, which fact it breaks and where, so the table is the model that the checker is
//! tested by.
//!
//! Some show only on a request that is valid but awkward: those on values (`strings`, `days`, `arrays`), on credentials
//! that are nearly right (`credential`) and on the spelling of a request (`spelling`). They leave plain requests alone.
//! A fault that several fields can show names all the locations where it may be seen.
//!
//! # Names
//!
//! `OPERATION[/LOCATION]:DEVIATION`. A location is a JSON pointer with `each` for any element of an array, so that no
//! shell takes it for a pattern:
//!
//! ```text
//! getContacts/data/items/each/firstname:dropped
//! getVisits:row-skipped
//! createTag:let-in-without-credential
//! ```
//!
//! A fault of every operation has the name of the security scheme in place of an operation:
//! `bearerAuth:let-in-in-another-case`.
//!
//! # Design
//!
//! A fault at a location under `each` changes every element. An empty array there gets an element that conforms except
//! for the fault; only an empty page stays empty. Only successes are changed, except by faults about rejections and
//! about edge cases. Several faults may be active at once; those on a location are applied before those on a whole
//! response. Faults that edit a single response, those on locations and on whole responses among them, also work on a
//! recording, without a service ([`Fault::edited`]).

mod arrays;
mod awkward;
mod call;
mod carried;
mod contract;
mod creates;
mod credential;
mod days;
mod derived;
mod deviation;
mod edge_case;
mod edited;
mod expected;
mod handwritten;
mod identifier_changed;
mod layer;
mod letters;
mod locations;
mod lost;
mod names;
mod pages;
mod request;
mod response;
mod response_table;
mod spelling;
mod state;
mod strings;
mod table;
mod writes;

pub use deviation::Fault;
pub use edited::Edited;
pub use expected::ExpectedFinding;
pub use layer::app;
pub use names::{Faults, UnknownFault};
pub use table::faults;
