//! Everything that a check was judged by, kept to be judged again. The main type is [`Recording`].

use super::evaluation::Evaluation;
use super::look::{Extent, LookId, Sought};
use super::part::Part;
use super::shown::Shown;
use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampForm;
use crate::exchange::redact::Values;
use crate::exchange::{Exchange, Intent, Purpose};
use crate::plan::Mark;
use crate::rules::{Judge, Levels, Reason, Verdicts};

/// What a run gives its history, in order.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// A run that is carried out to its end was to say something of these operations.
    Complete(Vec<OperationId>),
    /// A look ended; what is missing was waited for long enough, or was not.
    Concluded(LookId, bool),
    /// A look ended that came to nothing.
    Dropped(LookId),
    Exchange(Box<Exchange>, Intent, Part),
    Explained(FactId, Reason),
    /// A create was sent in these forms.
    Forms(OperationId, Vec<TimestampForm>),
    /// A look began at a list, of at most so many pages a walk.
    Look(OperationId, Sought, u64),
    NotCalled(OperationId, Reason),
    /// A round of the plan began.
    Round,
    /// No other exchange took the place of this one.
    Stands(Box<Exchange>, Purpose),
    /// A list could not be asked for.
    Unsent(LookId),
    Walk(LookId, Extent),
    Withheld(FactId, Reason),
}

/// The exchanges of a check in the order in which it saw them, each with what it was sent for. It holds what the target
/// answered as it came, other people's data among it: it is for the program that made it, and has no way to be printed.
#[derive(Clone)]
pub struct Recording {
    mark: Mark,
    /// Empty, and made for the plan of the run.
    shown: Shown,
    entries: Vec<Entry>,
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
    pub(super) fn new(mark: Mark, shown: Shown, entries: Vec<Entry>) -> Self {
        Self { mark, shown, entries }
    }

    /// The exchanges, in the order in which their answers came, each with why it came about.
    pub fn exchanges(&self) -> impl Iterator<Item = (&Exchange, Intent)> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Exchange(exchange, intent, _) => Some((&**exchange, *intent)),
            _ => None,
        })
    }

    /// Judges it again, at these levels: the verdicts and findings of the check itself, where the contract is the one that it
    /// was judged by. No value of the target is in them.
    ///
    /// The check of a target that was never reached tells only that, and so holds less than its recording.
    #[must_use]
    pub fn judge(&self, contract: &Contract, levels: Levels) -> Verdicts {
        self.judge_edited(contract, levels, |_| None)
    }

    /// The same, with what `edit` makes of an exchange in place of it, where it makes something: what a service would be
    /// found at fault for that had answered so.
    #[must_use]
    pub fn judge_edited(
        &self,
        contract: &Contract,
        levels: Levels,
        mut edit: impl FnMut(&Exchange) -> Option<Exchange>,
    ) -> Verdicts {
        let judge = Judge::new(contract, levels, Values::Hidden);
        let mut evaluation = Evaluation::again(contract, self.shown.clone(), self.mark.clone(), judge);
        for entry in &self.entries {
            evaluation.enter(entry, &mut edit);
        }
        evaluation.finish().verdicts
    }
}

impl Evaluation<'_> {
    fn enter(&mut self, entry: &Entry, edit: &mut dyn FnMut(&Exchange) -> Option<Exchange>) {
        match entry {
            Entry::Complete(operations) => self.unchecked(operations),
            Entry::Concluded(look, timely) => drop(self.conclude(*look, *timely)),
            Entry::Dropped(look) => self.drop_look(*look),
            Entry::Exchange(exchange, intent, part) => {
                let edited = edit(exchange);
                drop(self.exchange(edited.as_ref().unwrap_or(exchange), (*intent, part)));
            }
            Entry::Explained(fact, reason) => self.explain(*fact, reason.clone()),
            Entry::Forms(operation, forms) => self.judge_forms(*operation, forms),
            Entry::Look(list, sought, most) => drop(self.look(*list, sought, *most)),
            Entry::NotCalled(operation, reason) => self.not_called(*operation, reason.clone()),
            Entry::Round => self.begin_round(),
            Entry::Stands(exchange, purpose) => {
                let edited = edit(exchange);
                self.stands(edited.as_ref().unwrap_or(exchange), *purpose);
            }
            Entry::Unsent(look) => self.unsent(*look),
            Entry::Walk(look, extent) => self.walk(*look, *extent),
            Entry::Withheld(fact, reason) => self.withhold(*fact, reason.clone()),
        }
    }
}
