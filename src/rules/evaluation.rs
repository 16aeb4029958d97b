//! Turns exchanges into verdicts. The main type is [`Evaluation`].

use std::sync::Arc;

use super::recording::{Entry, Recording};
use super::{Judge, Levels, Reason, Verdicts};
use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampForm;
use crate::exchange::json::Body;
use crate::exchange::redact::Values;
use crate::exchange::{Exchange, Intent, Purpose};
use crate::history::evidence::Evidence;
use crate::history::{self, Extent, History, LookId, Looked, LookedThrough, Noted, Part, Residue, RunTag, Sought};
use crate::plan::{Action, Plan};

/// Takes exchanges and looks in the order of the run, and keeps the verdicts.
#[derive(Debug)]
pub(crate) struct Evaluation<'run> {
    history: History<'run>,
    judge: Judge<'run>,
    /// Everything it was given; `None` when no recording was requested.
    recording: Option<Recording>,
}

impl<'run> Evaluation<'run> {
    /// Starts the evaluation of a run of the plan whose own values carry the run tag. With `keep`, everything it is
    /// given is kept as a recording.
    pub(crate) fn new(plan: &Plan, run_tag: RunTag, judge: Judge<'run>, keep: bool) -> Self {
        let contract = judge.contract();
        let creates = plan.steps.iter().filter(|step| step.action == Action::Create);
        let mut invariants = creates.map(|step| &contract.operation(step.operation).invariants);
        let by_links = invariants.any(|invariants| invariants.created.is_none());
        let recording = keep.then(|| Recording {
            run_tag: run_tag.clone(),
            by_links,
            entries: Vec::new(),
        });
        Self {
            history: History::new(contract, run_tag, by_links),
            judge,
            recording,
        }
    }

    fn note(&mut self, entry: impl FnOnce() -> Entry) {
        if let Some(recording) = &mut self.recording {
            recording.entries.push(entry());
        }
    }

    /// Returns what exchanges have shown so far.
    pub(crate) fn history(&self) -> &History<'run> {
        &self.history
    }

    /// The verdicts so far.
    pub(crate) fn verdicts(&self) -> &Verdicts {
        self.judge.verdicts()
    }

    /// Begins a round with nothing to look for.
    pub(crate) fn begin_round(&mut self) {
        self.note(|| Entry::Round);
        self.history.begin_round();
    }

    /// Judges an exchange and adds what it shows to the history. Also returns its body, where one is documented and
    /// could be read.
    pub(crate) fn exchange(
        &mut self,
        exchange: &Exchange,
        (intent, part): (Intent, &Part),
    ) -> (Noted, Option<Arc<Body>>) {
        self.note(|| Entry::Exchange(Box::new(exchange.clone()), intent, part.clone()));
        let Self { history, judge, .. } = self;
        let body = judge.exchange(exchange, intent);
        let show = &mut |evidence: Evidence<'_>| judge.see(evidence);
        (history.exchange((exchange, intent, part), body.as_deref(), show), body)
    }

    /// Judges an exchange that was to be replaced by another, after no other came.
    pub(crate) fn stands(&mut self, exchange: &Exchange, purpose: Purpose) {
        self.note(|| Entry::Stands(Box::new(exchange.clone()), purpose));
        self.judge.exchange(exchange, purpose.into());
    }

    /// Begins a look at a list, with at most `most` pages per walk.
    pub(crate) fn look(&mut self, list: OperationId, sought: &Sought, most: u64) -> LookId {
        self.note(|| Entry::Look(list, sought.clone(), most));
        self.history.look(list, sought, most)
    }

    /// Begins a walk of a look.
    pub(crate) fn walk(&mut self, look: LookId, extent: Extent) {
        self.note(|| Entry::Walk(look, extent));
        self.history.walk(look, extent);
    }

    /// Notes that the list of a look could not be requested.
    pub(crate) fn unsent(&mut self, look: LookId) {
        self.note(|| Entry::Unsent(look));
        self.history.unsent(look);
    }

    /// Ends a look and judges its result. `waited_long_enough` says whether a missing record may be called missing.
    pub(crate) fn conclude(&mut self, look: LookId, waited_long_enough: bool) -> Option<Looked> {
        self.note(|| Entry::Concluded(look, waited_long_enough));
        let Self { history, judge, .. } = self;
        history.conclude(look, waited_long_enough, &mut |evidence| judge.see(evidence))
    }

    /// Ends a look without a result.
    pub(crate) fn drop_look(&mut self, look: LookId) {
        self.note(|| Entry::Dropped(look));
        self.history.drop_look(look);
    }

    /// Judges the forms in which a create was sent.
    pub(crate) fn judge_forms(&mut self, operation: OperationId, forms: &[TimestampForm]) {
        self.note(|| Entry::Forms(operation, forms.to_vec()));
        let Self { history, judge, .. } = self;
        history.judge_forms(operation, forms, &mut |evidence| judge.see(evidence));
    }

    /// Notes why an operation was not called.
    pub(crate) fn not_called(&mut self, operation: OperationId, reason: Reason) {
        self.note(|| Entry::NotCalled(operation, reason.clone()));
        self.judge.verdicts_mut().not_called(operation, reason);
    }

    /// Replaces the reason why a fact is undecided.
    pub(crate) fn explain(&mut self, fact: FactId, reason: Reason) {
        self.note(|| Entry::Explained(fact, reason.clone()));
        self.judge.verdicts_mut().explain(fact, reason);
    }

    /// Notes that a fact is not held, even where responses kept it.
    pub(crate) fn withhold(&mut self, fact: FactId, reason: Reason) {
        self.note(|| Entry::Withheld(fact, reason.clone()));
        self.judge.verdicts_mut().withhold(fact, reason);
    }

    /// Judges, at the end, each of these operations that had no success.
    pub(crate) fn unchecked(&mut self, operations: &[OperationId]) {
        self.note(|| Entry::Complete(operations.to_vec()));
        self.judge.unchecked(operations.iter().copied());
    }

    /// Notes residue that may be left in the target.
    pub(crate) fn leave(&mut self, left: Residue) {
        self.history.leave(left);
    }

    /// Concludes what may be left.
    pub(crate) fn close_residue(&mut self) -> LookedThrough {
        self.history.close_residue()
    }

    /// Ends the evaluation and returns everything that is known.
    pub(crate) fn finish(self) -> (Verdicts, history::Finished, Option<Recording>) {
        (self.judge.into_verdicts(), self.history.finish(), self.recording)
    }

    fn enter(&mut self, entry: &Entry, edit: &mut dyn FnMut(&Exchange) -> Option<Exchange>) {
        match entry {
            Entry::Complete(operations) => self.unchecked(operations),
            Entry::Concluded(look, waited_long_enough) => drop(self.conclude(*look, *waited_long_enough)),
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

impl Recording {
    /// Judges the recorded exchanges again, at the given levels. With the contract of the original check, the verdicts
    /// and findings are those of that check. They contain no value of the target.
    ///
    /// A check that never reached its target reports only that, and so contains less than its recording.
    #[must_use]
    pub fn judge(&self, contract: &Contract, levels: Levels) -> Verdicts {
        self.judge_edited(contract, levels, |_| None)
    }

    /// Judges the recording as [`judge`](Self::judge) does, after replacing each exchange for which `edit` returns
    /// another. The verdicts are those of a service that had responded that way.
    #[must_use]
    pub fn judge_edited(
        &self,
        contract: &Contract,
        levels: Levels,
        mut edit: impl FnMut(&Exchange) -> Option<Exchange>,
    ) -> Verdicts {
        let judge = Judge::new(contract, levels, Values::Hidden);
        let mut evaluation = Evaluation {
            history: History::new(contract, self.run_tag.clone(), self.by_links),
            judge,
            recording: None,
        };
        for entry in &self.entries {
            evaluation.enter(entry, &mut edit);
        }
        evaluation.judge.into_verdicts()
    }
}
