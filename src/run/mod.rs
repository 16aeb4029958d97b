//! Sends a plan: concurrency, pace, fallbacks, settling, interruption. The history decides what exchanges show and what
//! to send next.
//!
//! - **In**: a contract, a plan, a transport and [`Settings`].
//! - **Out**: [`Event`]s while it is under way, and a [`Run`] at its end, with verdicts and residue.
//! - **Start with** [`run`]; [`Check::run_watched`](crate::Check::run_watched) calls it with every setting decided.
//!
//! ```no_run
//! use countersign::run::Event;
//! use countersign::{Check, Contract};
//!
//! # async fn sample() -> Result<(), countersign::Error> {
//! let check = Check::new(Contract::open("openapi.yaml")?).url("https://contacts.example.com").token("a-long-token");
//! let mut watch = |event: Event<'_>| {
//!     if let Event::Found(finding, _) = event {
//!         eprintln!("{}", finding.rule.name);
//!     }
//! };
//! let report = check.run_watched(&mut watch).await?;
//! println!("{} requests", report.run().tally.sent);
//! # Ok(())
//! # }
//! ```
//!
//! # Words
//!
//! - *settle*: the longest time that the run waits for the target to show what the run did ([`Settings::settle`]). A
//!   look is *settled* once it has seen what it looks for, or would see no more by waiting.
//! - *bindings*: the values that responses have shown so far, by link ([`Bindings`](crate::history::Bindings)).
//! - *budget*: what the limit of records that the run may leave ([`Settings::max_writes`]) still allows.
//! - *soak*: a run with several rounds, to find intermittent problems.
//! - *stand-in*: the value of a parameter for which no response shows one: given by the user, an example, or made up.
//! - *variant*: in `ask`, the request of a trial that asks the question; everywhere else, a body that differs from an
//!   accepted one ([`Variant`](crate::plan::Variant)).
//!
//! # Design
//!
//! Lists are walked with several requests at a time. Writes are sent one by one, because what a write leaves decides
//! what is sent next; only two creates are sent at once, on purpose. Each write is entered in the caller's
//! [`WriteLog`] before it is sent; if it cannot be entered there, it is not sent and the run ends.
//!
//! There is one `Session`, and most files add one kind of step to it. `Session` therefore holds types from these files,
//! and each file depends on `Session`: this circular dependency is intended.

mod ask;
mod create;
mod edge_case;
mod equivalent;
mod event;
mod fill;
mod fill_last_page;
mod lifecycle;
mod list;
mod look;
mod optional;
mod pace;
mod paging;
mod probe;
mod query;
mod ready;
#[cfg(test)]
#[cfg(feature = "service")]
mod reason_tests;
mod request;
mod sender;
mod session;
mod settings;
mod settle;
mod variety;
mod walk;
mod write_log;

pub use event::{EmittedExchange, Event};
pub use session::{RejectedValue, RequestCounts, Run, RunEnd, run};
pub use settings::Settings;
pub use write_log::{WriteEntry, WriteLog, WriteState};
