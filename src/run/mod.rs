//! Sends a plan and judges what comes back: concurrency, pace, retreat, settling, interruption. [`run`] is the way in;
//! it tells [`Event`]s while it goes and ends in a [`Run`].

mod create;
mod event;
mod look;
mod look_again;
mod odd;
mod pace;
mod probe;
mod request;
mod session;
mod settings;
mod walk;

pub use event::Event;
pub use session::{Ended, Residue, Run, Tally, run};
pub use settings::Settings;
