//! What exchanges say together: the one maker of evidence.
//!
//! - **In**: exchanges, one after the other, each with the reason why it was sent and its part in the run.
//! - **Out**: evidence for the rules, and so verdicts; what a write may have left.
//! - **Start with** [`evidence`], and with [`Recording`](crate::Recording), which a check keeps if
//!   [`Check::keep_recording`](crate::Check::keep_recording) asks for it.
//!
#![cfg_attr(feature = "service", doc = "```")]
#![cfg_attr(not(feature = "service"), doc = "```ignore")]
//! use countersign::rules::{Level, Levels};
//! use countersign::{Check, Contract};
//! # use countersign::service::{Service, app};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let my_app = app(Service::memory("test".to_owned().into())?);
//! let check = Check::new(Contract::built_in()?).service(my_app).token("test").only("getTags");
//! let report = check.keep_recording(true).run().await?;
//!
//! // Judged again at another level, without a request.
//! let mut levels = Levels::default();
//! levels.set("null-value", Level::Deny)?;
//! let recording = report.recording().expect("it was asked for");
//! let verdicts = recording.judge(&Contract::built_in()?, levels);
//! assert!(verdicts.findings().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Design
//!
//! A run only drives. It says what a request is a part of, begins a look at a list and ends it, and asks what the responses have
//! shown. Everything else is made here, from the exchanges alone: walks over pages, created records and where they show,
//! updates, formats and ways that were tried, what a write may have left. So a recording that is judged again gives what its run gave.
//!
//! A `History` is one, and each file makes one kind of evidence in it: so it holds a type of each file, and each file names it.

mod account;
mod bindings;
pub(crate) mod carried;
mod counts;
mod created;
mod digests;
mod element;
pub mod evidence;
#[expect(clippy::module_inception, reason = "the room is named after what it keeps")]
mod history;
mod keeping;
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
pub use bindings::Bindings;
pub(crate) use history::{Finished, History, Noted};
pub(crate) use look::{Extent, LookId, Looked, Sought};
pub use mark::Mark;
pub(crate) use own::Whose;
pub(crate) use pages::lacking;
pub(crate) use part::{Part, Role, Sending};
pub(crate) use records::Changed;
pub(crate) use tried::is_refused;
