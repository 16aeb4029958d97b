//! Exchanges in, verdicts out. The main type is [`Evaluation`].

use std::sync::Arc;

use super::account::{LookedThrough, Other, Residue};
use super::history::{History, Noted};
use super::look::{Extent, LookId, Looked, Sought};
use super::part::Part;
use super::recording::{Entry, Recording};
use super::shown::Shown;
use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampForm;
use crate::exchange::json::Body;
use crate::exchange::{Exchange, Intent, Purpose};
use crate::plan::{Mark, Plan};
use crate::rules::evidence::Evidence;
use crate::rules::{Judge, Reason, Verdicts};

/// Takes exchanges and what is asked of them, one after the other, and keeps the verdicts.
#[derive(Debug)]
pub(crate) struct Evaluation<'run> {
    history: History<'run>,
    judge: Judge<'run>,
    /// What it was given; none where nobody asks for it.
    entries: Option<Vec<Entry>>,
}

impl<'run> Evaluation<'run> {
    /// Of a run of the plan whose own values carry the mark.
    pub(crate) fn new(contract: &'run Contract, plan: &Plan, mark: Mark, judge: Judge<'run>) -> Self {
        Self::again(contract, Shown::of(contract, plan), mark, judge)
    }

    /// Of a recording.
    pub(super) fn again(contract: &'run Contract, shown: Shown, mark: Mark, judge: Judge<'run>) -> Self {
        Self {
            history: History::new(contract, shown, mark),
            judge,
            entries: None,
        }
    }

    /// Keeps everything that it is given from now on.
    pub(crate) fn keep(&mut self) {
        self.entries = Some(Vec::new());
    }

    fn note(&mut self, entry: impl FnOnce() -> Entry) {
        if let Some(entries) = &mut self.entries {
            entries.push(entry());
        }
    }

    /// What exchanges have shown so far.
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

    /// Judges an exchange and takes up what it shows. Hands back its body too, where one is documented and could be read.
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

    /// Judges an exchange that another was to take the place of, and none did.
    pub(crate) fn stands(&mut self, exchange: &Exchange, purpose: Purpose) {
        self.note(|| Entry::Stands(Box::new(exchange.clone()), purpose));
        self.judge.exchange(exchange, purpose.into());
    }

    /// Begins a look at a list, of at most so many pages a walk.
    pub(crate) fn look(&mut self, list: OperationId, sought: &Sought, most: u64) -> LookId {
        self.note(|| Entry::Look(list, sought.clone(), most));
        self.history.look(list, sought, most)
    }

    /// Begins a walk of a look.
    pub(crate) fn walk(&mut self, look: LookId, extent: Extent) {
        self.note(|| Entry::Walk(look, extent));
        self.history.walk(look, extent);
    }

    /// Notes that the list of a look could not be asked for.
    pub(crate) fn unsent(&mut self, look: LookId) {
        self.note(|| Entry::Unsent(look));
        self.history.unsent(look);
    }

    /// Ends a look and judges what it came to. `timely` says of what is missing that it was waited for long enough.
    pub(crate) fn conclude(&mut self, look: LookId, timely: bool) -> Option<Looked> {
        self.note(|| Entry::Concluded(look, timely));
        let Self { history, judge, .. } = self;
        history.conclude(look, timely, &mut |evidence| judge.see(evidence))
    }

    /// Ends a look that came to nothing.
    pub(crate) fn drop_look(&mut self, look: LookId) {
        self.note(|| Entry::Dropped(look));
        self.history.drop_look(look);
    }

    /// Judges these forms in which a create was sent.
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

    /// Notes that a fact is not held, whatever answers kept it.
    pub(crate) fn withhold(&mut self, fact: FactId, reason: Reason) {
        self.note(|| Entry::Withheld(fact, reason.clone()));
        self.judge.verdicts_mut().withhold(fact, reason);
    }

    /// Judges, at the end, each of these operations that had no success.
    pub(crate) fn unchecked(&mut self, operations: &[OperationId]) {
        self.note(|| Entry::Complete(operations.to_vec()));
        self.judge.unchecked(operations.iter().copied());
    }

    /// Notes something that may be left.
    pub(crate) fn leave(&mut self, left: Residue) {
        self.history.leave(left);
    }

    /// Closes the account of what may be left.
    pub(crate) fn close_account(&mut self) -> LookedThrough {
        self.history.close_account()
    }

    /// Hands over everything that is known at the end.
    pub(crate) fn finish(self) -> Finished {
        Finished {
            mock: self.history.is_mock(),
            verdicts: self.judge.into_verdicts(),
            recording: self
                .entries
                .map(|entries| Recording::new(self.history.mark, self.history.shown.empty(), entries)),
            residue: self.history.account.residue,
            others: self.history.account.others,
        }
    }
}

/// What is known at the end.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) verdicts: Verdicts,
    pub(crate) residue: Vec<Residue>,
    pub(crate) others: Vec<Other>,
    /// Whether the target answers creates with one identifier again and again, and keeps nothing.
    pub(crate) mock: bool,
    pub(crate) recording: Option<Recording>,
}
