//! What a run tells while it goes. Events carry facts; the reports make text of them.

use crate::exchange::Exchange;
use crate::rules::Finding;

/// Something that happened in a run.
#[derive(Clone, Copy, Debug)]
pub enum Event<'event> {
    /// So many requests more are to come than was known before.
    Expected(u64),
    /// A request was answered, or failed.
    Exchanged(&'event Exchange),
    /// A finding was seen for the first time, in this exchange where one shows it by itself.
    Found(&'event Finding, Option<&'event Exchange>),
    /// The target is there, or was not waited for: the plan is begun.
    Begun,
    /// The target is not there yet, for this reason.
    Waiting(&'event str),
}
