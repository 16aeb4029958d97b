//! Turns exchanges into verdicts. The main type is [`Evaluation`].

use std::sync::Arc;

use serde_json::Value;

use super::recording::{RecordedStep, Recording};
use super::{Judge, Levels, Reason, Verdicts};
use crate::contract::Contract;
use crate::contract::fact::FactId;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampFormat;
use crate::exchange::json::Body;
use crate::exchange::redact::ValueDisplay;
use crate::exchange::{Exchange, Intent, Purpose};
use crate::gaps::{Answer, Gaps, Trial};
use crate::history::evidence::Evidence;
use crate::history::{
    self, ExchangeResult, ExchangeRole, History, LookGoal, LookId, LookResult, Residue, RunTag, SearchExtent,
    VanishedRecords, WaitExtent, WalkExtent,
};
use crate::plan::{Action, Plan};

/// Takes each exchange and each look of a run, in order, and keeps the verdicts.
#[derive(Debug)]
pub(crate) struct Evaluation<'run> {
    history: History<'run>,
    judge: Judge<'run>,
    gaps: Gaps<'run>,
    /// What the exchanges showed of the gaps, at the end.
    answers: Vec<Answer>,
    /// The trials that asked about them.
    trials: Vec<Trial>,
    /// Every exchange and step that verdicts depend on; `None` when no recording was requested.
    recording: Option<Recording>,
}

/// What is known at the end of an evaluation.
#[derive(Debug)]
pub(crate) struct EvaluationResult {
    pub(crate) verdicts: Verdicts,
    /// What the exchanges showed of the gaps.
    pub(crate) answers: Vec<Answer>,
    /// The trials that asked about them.
    pub(crate) trials: Vec<Trial>,
    pub(crate) history: history::HistoryResult,
    /// Everything that the verdicts depend on, if it was kept.
    pub(crate) recording: Option<Recording>,
}

impl<'run> Evaluation<'run> {
    /// Starts the evaluation of a run of the plan; the run's own values carry the run tag. With `keep`, every exchange
    /// and step that verdicts depend on is kept as a recording.
    pub(crate) fn new(plan: &Plan, run_tag: RunTag, judge: Judge<'run>, keep: bool) -> Self {
        let contract = judge.contract();
        let creates = plan.steps.iter().filter(|step| step.action == Action::Create);
        let mut invariants = creates.map(|step| &contract.operation(step.operation).invariants);
        let recognises_by_links = invariants.any(|invariants| invariants.created.is_none());
        let mut in_scope = plan.in_scope.iter();
        let may_write = in_scope.any(|id| !contract.operation(*id).is_read());
        let recording = keep.then(|| Recording {
            run_tag: run_tag.clone(),
            recognises_by_links,
            questions: plan.questions.clone(),
            steps: Vec::new(),
        });
        Self {
            history: History::new(contract, run_tag, recognises_by_links),
            gaps: match plan.learns || contract.needs_answers_in_check() {
                true => Gaps::asking(contract, &plan.questions).writing(may_write),
                false => Gaps::ignoring(contract),
            },
            answers: Vec::new(),
            trials: Vec::new(),
            judge,
            recording,
        }
    }

    /// Starts the evaluation of what other clients sent. The run tag is one that nobody has used.
    pub(crate) fn of_traffic(judge: Judge<'run>, unused: RunTag) -> Self {
        Self {
            history: History::new(judge.contract(), unused, false),
            gaps: match judge.contract().needs_answers_in_check() {
                true => Gaps::new(judge.contract()),
                false => Gaps::ignoring(judge.contract()),
            },
            answers: Vec::new(),
            trials: Vec::new(),
            judge: judge.for_traffic(),
            recording: None,
        }
    }

    /// Adds a step to the recording, if one is kept.
    fn note(&mut self, step: impl FnOnce() -> RecordedStep) {
        if let Some(recording) = &mut self.recording {
            recording.steps.push(step());
        }
    }

    /// Returns what exchanges have shown so far.
    pub(crate) fn history(&self) -> &History<'run> {
        &self.history
    }

    /// Returns what exchanges have shown of the gaps so far.
    pub(crate) fn gaps(&self) -> &Gaps<'run> {
        &self.gaps
    }

    /// Notes that a question, by its index, is not asked any more, because the run has sent as many requests as it may.
    pub(crate) fn note_limit_of_requests(&mut self, question: usize) {
        self.gaps.note_limit_of_requests(question);
    }

    /// Notes that the run has sent too many requests to look for what else this create causes.
    pub(crate) fn note_unread_effects(&mut self, create: OperationId) {
        self.gaps.note_unread_effects(create);
    }

    /// Notes that the trial of a question, by its index, which has this body is not sent.
    pub(crate) fn note_unsendable(&mut self, question: usize, body: &Value) {
        self.note(|| RecordedStep::Unsendable(question, body.clone()));
        self.gaps.note_unsendable(question, body);
    }

    /// Returns the verdicts so far.
    pub(crate) fn verdicts(&self) -> &Verdicts {
        self.judge.verdicts()
    }

    /// Begins another round of the plan, and forgets the records of the round before, which were judged there.
    pub(crate) fn begin_round(&mut self) {
        self.note(|| RecordedStep::Round);
        self.history.begin_round();
    }

    /// Judges an exchange, and adds what it shows to the history and to the gaps. Also returns its body, where one is
    /// documented and could be read. The judge needs `intent`, why the request was sent; the history needs `role`, the
    /// look or the record that the exchange is part of.
    pub(crate) fn add_exchange(
        &mut self,
        exchange: &Exchange,
        (intent, role): (Intent, &ExchangeRole),
    ) -> (ExchangeResult, Option<Arc<Body>>) {
        self.note(|| RecordedStep::Exchange(Box::new(exchange.clone()), intent, role.clone()));
        let Self {
            history, judge, gaps, ..
        } = self;
        let body = judge.exchange(exchange, intent);
        gaps.add(exchange, intent, body.as_deref());
        let show = &mut |evidence: Evidence<'_>| judge.evidence(evidence);
        (
            history.add_exchange((exchange, intent, role), body.as_deref(), show),
            body,
        )
    }

    /// Judges a throttled create that was not judged when it came, because another was to be sent in its place, and now
    /// none can be.
    pub(crate) fn judge_not_sent_again(&mut self, exchange: &Exchange, purpose: Purpose) {
        self.note(|| RecordedStep::NotSentAgain(Box::new(exchange.clone()), purpose));
        self.judge.exchange(exchange, purpose.into());
    }

    /// Begins a look at a list, with at most `max_pages` pages per walk. Each of its walks is begun by
    /// [`Self::begin_walk`], pages are added by [`Self::add_exchange`], and [`Self::conclude`] judges them.
    pub(crate) fn begin_look(&mut self, list: OperationId, goal: &LookGoal, max_pages: u64) -> LookId {
        self.note(|| RecordedStep::Look(list, goal.clone(), max_pages));
        self.history.begin_look(list, goal, max_pages)
    }

    /// Begins a walk of a look: see [`History::begin_walk`].
    pub(crate) fn begin_walk(&mut self, look: LookId, extent: WalkExtent) {
        self.note(|| RecordedStep::Walk(look, extent));
        self.history.begin_walk(look, extent);
    }

    /// Adds a page that was judged as part of another look to this one. `asked` is the number by which it was
    /// requested; `None` for the default page.
    pub(crate) fn share_page_with_look(&mut self, look: LookId, asked: Option<u64>, page: (&Exchange, Option<&Body>)) {
        self.history.share_page_with_look(look, asked, page);
    }

    /// Notes that the list of a look could not be requested.
    pub(crate) fn mark_unsent(&mut self, look: LookId) {
        self.note(|| RecordedStep::Unsent(look));
        self.history.mark_unsent(look);
    }

    /// Ends a look and judges what it showed.
    pub(crate) fn conclude(&mut self, look: LookId) -> Option<LookResult> {
        self.conclude_after(look, WaitExtent::Fully)
    }

    /// Ends a look for an updated record after a wait too short to call a missing record gone, and judges the rest.
    pub(crate) fn conclude_after_short_wait(&mut self, look: LookId) -> Option<LookResult> {
        self.conclude_after(look, WaitExtent::Briefly)
    }

    fn conclude_after(&mut self, look: LookId, waited: WaitExtent) -> Option<LookResult> {
        self.note(|| RecordedStep::Concluded(look, waited));
        let Self { history, judge, .. } = self;
        history.conclude(look, waited, &mut |evidence| judge.evidence(evidence))
    }

    /// Ends a look without judging what it showed.
    pub(crate) fn drop_look(&mut self, look: LookId) {
        self.note(|| RecordedStep::Dropped(look));
        self.history.drop_look(look);
    }

    /// Judges the timestamp formats in which a create was sent.
    pub(crate) fn judge_timestamp_formats(&mut self, operation: OperationId, formats: &[TimestampFormat]) {
        self.note(|| RecordedStep::TimestampFormats(operation, formats.to_vec()));
        let Self { history, judge, .. } = self;
        history.emit_timestamp_formats(operation, formats, &mut |evidence| judge.evidence(evidence));
    }

    /// Notes why an operation was not called.
    pub(crate) fn not_called(&mut self, operation: OperationId, reason: Reason) {
        self.note(|| RecordedStep::NotCalled(operation, reason.clone()));
        self.judge.verdicts_mut().not_called(operation, reason);
    }

    /// States why a fact is undecided if no response decides it; a verdict stays as it is.
    pub(crate) fn set_undecided_reason(&mut self, fact: FactId, reason: Reason) {
        self.note(|| RecordedStep::SetReason(fact, reason.clone()));
        self.judge.verdicts_mut().set_undecided_reason(fact, reason);
    }

    /// Makes a fact undecided even if responses satisfied it, with this reason; only a broken one stays broken.
    pub(crate) fn force_undecided(&mut self, fact: FactId, reason: Reason) {
        self.note(|| RecordedStep::ForcedUndecided(fact, reason.clone()));
        self.judge.verdicts_mut().force_undecided(fact, reason);
    }

    /// Reports, at the end of a complete run, which operations in its scope had no success, so that nothing about them
    /// was checked.
    pub(crate) fn report_operations_without_success(&mut self, in_scope: &[OperationId]) {
        self.note(|| RecordedStep::Complete(in_scope.to_vec()));
        self.judge.report_operations_without_success(in_scope.iter().copied());
    }

    /// Notes that the run ended before it had carried out its plan.
    pub(crate) fn end_early(&mut self) {
        self.note(|| RecordedStep::EndedEarly);
        self.judge.verdicts_mut().end_early();
    }

    /// Notes residue that may be left in the target.
    pub(crate) fn add_residue(&mut self, left: Residue) {
        self.history.add_residue(left);
    }

    /// Returns the records that a list no longer shows after a write: see `History::take_vanished`.
    pub(crate) fn take_vanished(&mut self, list: OperationId) -> Option<VanishedRecords> {
        self.history.take_vanished(list)
    }

    /// Notes that the run deleted a record that one of its creates returned: the one with this index in
    /// `History::tracked`.
    pub(crate) fn mark_deleted(&mut self, record: usize) {
        self.history.mark_deleted(record);
    }

    /// Notes that a listed record which was there before the run is gone after a write: see
    /// `History::mark_existing_deleted`.
    pub(crate) fn mark_existing_deleted(&mut self, record: (OperationId, String), write: OperationId) {
        self.history.mark_existing_deleted(record, write);
    }

    /// Ends the search for residue, and returns how far it went.
    pub(crate) fn end_residue_search(&mut self) -> SearchExtent {
        self.history.end_residue_search()
    }

    /// Stops collecting answers to the gaps, after the last exchange, and judges the answers that the contract states.
    pub(crate) fn judge_answers(&mut self) {
        self.conclude_gaps();
        self.judge.answers(&self.answers);
    }

    /// Stops collecting answers to the gaps, after the last exchange. For recorded traffic they are not judged, because
    /// other clients may send what the document does not show, such as a page size.
    pub(crate) fn conclude_gaps(&mut self) {
        let ignoring = Gaps::ignoring(self.judge.contract());
        let mut gaps = std::mem::replace(&mut self.gaps, ignoring);
        self.trials = gaps.take_trials();
        self.answers = gaps.answers();
    }

    /// Ends the evaluation and returns everything that is known.
    pub(crate) fn finish(self) -> EvaluationResult {
        EvaluationResult {
            verdicts: self.judge.into_verdicts(),
            answers: self.answers,
            trials: self.trials,
            history: self.history.finish(),
            recording: self.recording,
        }
    }

    /// Replays a recorded step, with the exchange that `edit` returns in place of the recorded one.
    fn replay_step(&mut self, step: &RecordedStep, edit: &mut dyn FnMut(&Exchange) -> Option<Exchange>) {
        match step {
            RecordedStep::Complete(in_scope) => self.report_operations_without_success(in_scope),
            RecordedStep::Concluded(look, waited) => drop(self.conclude_after(*look, *waited)),
            RecordedStep::Dropped(look) => self.drop_look(*look),
            RecordedStep::EndedEarly => self.end_early(),
            RecordedStep::Exchange(exchange, intent, role) => {
                let edited = edit(exchange);
                drop(self.add_exchange(edited.as_ref().unwrap_or(exchange), (*intent, role)));
            }
            RecordedStep::ForcedUndecided(fact, reason) => self.force_undecided(*fact, reason.clone()),
            RecordedStep::Look(list, goal, max_pages) => drop(self.begin_look(*list, goal, *max_pages)),
            RecordedStep::NotCalled(operation, reason) => self.not_called(*operation, reason.clone()),
            RecordedStep::NotSentAgain(exchange, purpose) => {
                let edited = edit(exchange);
                self.judge_not_sent_again(edited.as_ref().unwrap_or(exchange), *purpose);
            }
            RecordedStep::Round => self.begin_round(),
            RecordedStep::SetReason(fact, reason) => self.set_undecided_reason(*fact, reason.clone()),
            RecordedStep::TimestampFormats(operation, formats) => self.judge_timestamp_formats(*operation, formats),
            RecordedStep::Unsendable(question, body) => self.note_unsendable(*question, body),
            RecordedStep::Unsent(look) => self.mark_unsent(*look),
            RecordedStep::Walk(look, extent) => self.begin_walk(*look, *extent),
        }
    }
}

impl Recording {
    /// Judges the recorded exchanges again, at the given levels. `contract` is that of the original check, because a
    /// recording names operations and facts by their numbers there: the verdicts and findings are those of that check.
    /// They contain no value of the target, so that after a check that shows values, undocumented fields with names
    /// that may be values share one finding.
    ///
    /// If a check never reached its target, its report says only that; judging its recording gives more.
    ///
    /// # Panics
    ///
    /// May panic with another contract, or else judge under other operations.
    #[must_use]
    pub fn judge(&self, contract: &Contract, levels: Levels) -> Verdicts {
        self.judge_edited(contract, levels, |_| None)
    }

    /// Judges the recording as [`judge`](Self::judge) does, after replacing each exchange for which `edit` returns
    /// another. The verdicts are those of a service that had responded that way.
    ///
    /// # Panics
    ///
    /// May panic with another contract than that of the original check.
    #[must_use]
    pub fn judge_edited(
        &self,
        contract: &Contract,
        levels: Levels,
        mut edit: impl FnMut(&Exchange) -> Option<Exchange>,
    ) -> Verdicts {
        let judge = Judge::new(contract, levels, ValueDisplay::Hidden);
        // If the contract states no answer, what exchanges show of the gaps does not influence the verdicts.
        let gaps = match contract.answers.as_slice() {
            [] => Gaps::ignoring(contract),
            _ => Gaps::asking(contract, &self.questions),
        };
        let mut evaluation = Evaluation {
            history: History::new(contract, self.run_tag.clone(), self.recognises_by_links),
            gaps,
            answers: Vec::new(),
            trials: Vec::new(),
            judge,
            recording: None,
        };
        for step in &self.steps {
            evaluation.replay_step(step, &mut edit);
        }
        evaluation.judge_answers();
        evaluation.judge.into_verdicts()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::plan::Scope;

    #[test]
    fn a_body_that_was_not_sent_is_left_out_when_a_recording_is_judged_again() {
        let contract = crate::testing::built_in();
        let plan = Plan::new(contract, &Scope::default());
        let evaluation = || {
            let judge = Judge::new(contract, Levels::default(), ValueDisplay::Hidden);
            Evaluation::new(&plan, RunTag::new(1, 1), judge, true)
        };
        let mut first = evaluation();
        first.note_unsendable(0, &json!({"name": "a"}));
        let recorded = first.recording.unwrap().steps;
        let mut again = evaluation();
        recorded.iter().for_each(|step| again.replay_step(step, &mut |_| None));
        let recorded = recorded.iter().map(|step| format!("{step:?}")).collect::<Vec<_>>();
        assert_eq!(recorded.len(), 1);
        let steps = again.recording.unwrap().steps.into_iter();
        assert_eq!(steps.map(|step| format!("{step:?}")).collect::<Vec<_>>(), recorded);
    }
}
