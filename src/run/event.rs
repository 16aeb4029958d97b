//! What a run emits while it goes. Events carry facts; the reports make text of them.

use crate::exchange::json::Body;
use crate::exchange::{Exchange, Intent};
use crate::rules::Finding;

/// Something that happened in a run.
#[derive(Clone, Copy, Debug)]
pub enum Event<'event> {
    /// So many requests more are to come than was known before.
    Expected(u64),
    /// A request was answered, or failed.
    Exchanged(Exchanged<'event>),
    /// A finding was seen for the first time, in this exchange where one shows it by itself.
    Found(&'event Finding, Option<Exchanged<'event>>),
    /// The target is there, or was not waited for: the plan is begun.
    Begun,
    /// The target is not there yet, for this reason.
    Waiting(&'event str),
}

/// An exchange as a run emits it.
#[derive(Clone, Copy, Debug)]
pub struct Exchanged<'event> {
    /// What went over the wire.
    pub exchange: &'event Exchange,
    /// Why it came about.
    pub intent: Intent,
    /// The body of the response, where it was read.
    pub body: Option<&'event Body>,
}
