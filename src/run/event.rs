//! What a run emits while it is under way. Events carry data; the reports write it out.

use crate::exchange::json::Body;
use crate::exchange::{Exchange, Intent};
use crate::gaps::Trial;
use crate::rules::Finding;

/// Something that happened in a run.
#[derive(Clone, Copy, Debug)]
pub enum Event<'event> {
    /// This many more requests are expected than before.
    Expected(u64),
    /// A request was answered, or failed.
    Exchanged(EmittedExchange<'event>),
    /// A finding was seen for the first time, with the exchange if a single one shows it.
    Found(&'event Finding, Option<EmittedExchange<'event>>),
    /// The target answers, or the run did not wait for it: the plan begins.
    Begun,
    /// These trials about gaps have ended.
    Tried(&'event [Trial]),
    /// The target is not ready yet, for this reason.
    Waiting(&'event str),
}

/// An exchange as a run emits it.
#[derive(Clone, Copy, Debug)]
pub struct EmittedExchange<'event> {
    /// What went over the wire.
    pub exchange: &'event Exchange,
    /// Why it was sent.
    pub intent: Intent,
    /// The body of the response, if it was read.
    pub body: Option<&'event Body>,
}
