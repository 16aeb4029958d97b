//! Keeps everything that a check was judged from, so that it can be judged again. The main type is [`Recording`].

use serde_json::Value;

use super::verdict::Reason;
use crate::contract::fact::FactId;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampFormat;
use crate::exchange::{Exchange, Intent, Purpose};
use crate::history::{ExchangeRole, LookGoal, LookId, RunTag, WaitExtent, WalkExtent};
use crate::plan::Question;

/// One thing that a run gives its evaluation; a recording has them in order.
#[derive(Clone, Debug)]
pub(super) enum RecordedStep {
    /// The run was carried out to its end, and these operations were in its scope.
    Complete(Vec<OperationId>),
    /// A look ended and was judged.
    Concluded(LookId, WaitExtent),
    /// A look ended and was not judged.
    Dropped(LookId),
    /// The run ended before it had carried out its plan.
    EndedEarly,
    /// A request was sent, and its response came or did not.
    Exchange(Box<Exchange>, Intent, ExchangeRole),
    /// A fact became undecided even if responses satisfied it, for this reason.
    ForcedUndecided(FactId, Reason),
    /// A look at a list began, with at most this many pages per walk.
    Look(OperationId, LookGoal, u64),
    /// It became known why an operation was not called.
    NotCalled(OperationId, Reason),
    /// A throttled create is judged only now, because another was to be sent in its place, and none could be.
    NotSentAgain(Box<Exchange>, Purpose),
    /// Another round of the plan began.
    Round,
    /// It became known why a fact is undecided, if no response decides it.
    SetReason(FactId, Reason),
    /// A create was sent in these timestamp formats.
    TimestampFormats(OperationId, Vec<TimestampFormat>),
    /// The trial of a question, by its index, was not sent with this body.
    Unsendable(usize, Value),
    /// A list could not be requested.
    Unsent(LookId),
    /// A walk of a look began.
    Walk(LookId, WalkExtent),
}

/// The exchanges of a check in the order in which it saw them, each with its intent. It contains the target's responses
/// as they came, other people's data included, so it is for the program that made it and cannot be printed.
#[derive(Clone)]
pub struct Recording {
    pub(super) run_tag: RunTag,
    /// Whether the run has creates without the invariant `created`, whose records only the contract's links identify.
    pub(super) recognises_by_links: bool,
    /// What the run asked about gaps.
    pub(super) questions: Vec<Question>,
    pub(super) steps: Vec<RecordedStep>,
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let exchanges = self.exchanges().count();
        formatter
            .debug_struct("Recording")
            .field("exchanges", &exchanges)
            .finish_non_exhaustive()
    }
}

impl Recording {
    /// Returns the exchanges, in the order in which their responses came, each with its intent.
    pub fn exchanges(&self) -> impl Iterator<Item = (&Exchange, Intent)> {
        self.steps.iter().filter_map(|step| match step {
            RecordedStep::Exchange(exchange, intent, _) => Some((&**exchange, *intent)),
            _ => None,
        })
    }
}
