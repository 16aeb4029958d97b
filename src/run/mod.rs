//! Sends a plan: concurrency, pace, retreat, settling, interruption. [`run`] is the way in; it tells [`Event`]s while it
//! goes and ends in a [`Run`]. What exchanges show, and what comes next after them, it asks the history.
//!
//! A `Session` is one, and each file carries out one kind of step in it: so it holds a type of some files, and each names it.

mod create;
mod equivalent;
mod event;
mod fill;
mod fill_last;
mod list;
mod look;
mod odd;
mod pace;
mod probe;
mod ready;
#[cfg(test)]
mod reasons;
mod request;
mod sender;
mod session;
mod settings;
mod settle;
mod variety;
mod walk;
mod write_log;

pub use event::{Event, Exchanged};
pub use session::{Ended, NotTaken, Run, Tally, run};
pub use settings::Settings;
pub use write_log::{WriteEntry, WriteLog, WriteState};
