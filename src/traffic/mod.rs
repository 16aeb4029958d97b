//! Judges recorded traffic: what other clients sent, and what the service responded. Nothing is sent.
//!
//! - **In**: a contract, files of HTTP archives (HAR 1.2) or lines of their entries, the base URL of the service.
//! - **Out**: a [`Run`](crate::run::Run), like a check's, and what was read: how many entries were judged, and why
//!   others were not.
//! - **Start with** [`judge`](fn@judge), which `countersign judge` calls.
//!
#![cfg_attr(feature = "service", doc = "```")]
#![cfg_attr(not(feature = "service"), doc = "```ignore")]
//! use countersign::Contract;
//! use countersign::traffic::{File, Settings, judge};
//!
//! let contract = Contract::built_in()?;
//! let archive = r#"{"log": {"version": "1.2", "entries": []}}"#;
//! let file = File { name: "morning.har".to_owned(), content: Box::new(archive.as_bytes()) };
//! let judged = judge(&contract, vec![file], Settings::default(), &mut |_| {});
//! assert!(judged.target.is_none(), "no entry called an operation");
//! # Ok::<(), countersign::contract::defect::Defects>(())
//! ```
//!
//! # Design
//!
//! `source` reads a file entry by entry, `entry` makes sense of what exporters write, `order` sorts the entries of all
//! files by time, `route` finds the operation by the template of its path, `request` makes the request that a check
//! would have sent, and `judge` shows each exchange to the same evaluation as a run does. What a check knows of its
//! own requests is unknown here: whether they were right, whether a record was changed by somebody who was not
//! recorded. So a 4xx is never a finding, and a record that a list lacks is one only if nothing was written in between.
//!
//! In the other direction, `archive` writes the exchanges that pass the proxy (`countersign proxy`), without the
//! secrets that `credentials` finds in them.

#[cfg(feature = "cli")]
mod archive;
#[cfg(feature = "cli")]
mod credentials;
mod entry;
mod judge;
mod order;
mod request;
mod route;
mod source;

#[cfg(feature = "cli")]
pub(crate) use archive::Archive;
pub use entry::Skipped;
#[cfg(feature = "cli")]
pub(crate) use entry::{RecordedExchange, RequestLine, UnreadBody, judgeable_head};
#[cfg(feature = "cli")]
pub(crate) use judge::{ASSUMED_DURATION, TrafficJudge, saturating_add};
pub use judge::{Judged, NotJudged, Settings, judge};
#[cfg(feature = "cli")]
pub(crate) use order::LocatedEntry;
pub use order::{EntryLocation, File, FileRead};
pub use source::Stopped;
