//! Sends a plan and judges what comes back: concurrency, pace, retreat, settling, interruption. [`run`] is the way in;
//! it tells [`Event`]s while it goes and ends in a [`Run`].

mod account;
mod create;
mod digests;
mod equivalent;
mod event;
mod fill;
mod fill_last;
mod history;
mod list;
mod look;
mod look_again;
mod mock;
mod odd;
mod once;
mod own;
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
mod shown;
mod variety;
mod walk;
mod write_log;

pub use account::{LookedThrough, Other};
pub use event::Event;
pub use session::{Ended, NotTaken, Residue, Run, Tally, run};
pub use settings::Settings;
pub use write_log::{WriteEntry, WriteLog, WriteState};
