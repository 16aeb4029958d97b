//! Reads trials from exchanges: what each variant between two controls showed. The main type is [`RunTrials`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::answer::{
    BeyondLast, Claim, Condition, DateFormat, Duplicate, ReturnedSpelling, UnknownHandling, UnsentFields, ValueSet,
};
use super::form;
use super::searches::{SearchTrial, Searches};
use super::trial::TrialLog;
use crate::contract::field::is_flagged;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::GapKind;
use crate::contract::{Contract, pointer};
use crate::exchange::json::Body;
use crate::exchange::{Exchange, RejectionMeaning, TrialPart};
use crate::plan::{Asks, BodyChange, Question, SentDateFormat, TRIALS_TO_INDICATE};

/// The trials of a run.
#[derive(Debug, Default)]
pub(super) struct RunTrials {
    pub(super) questions: Vec<Question>,
    /// What the trials of each question showed.
    results: Vec<QuestionResults>,
    /// What each operation was sent since its last control.
    between_controls: HashMap<OperationId, BetweenControls>,
    /// How many variants of each update were accepted between two controls, and no record showed what they sent,
    /// although one showed what the control had sent.
    without_effect: HashMap<OperationId, usize>,
    searches: Searches,
    /// What was still open when the limit of requests was reached: gaps, with operation and location.
    cut_short: BTreeSet<(usize, OperationId, String)>,
    /// The number of the last page of each list, as its last response says.
    last_pages: HashMap<OperationId, u64>,
    /// Whether the last read showed any items, if it was of a list with pages.
    last_read_has_items: bool,
    /// The update whose record the next read must show.
    awaited: Option<OperationId>,
    /// The long text that was accepted last, until a read shows it.
    long_text: Option<LongText>,
    pub(super) log: TrialLog,
}

/// A long text that an update accepted.
#[derive(Debug)]
struct LongText {
    update: OperationId,
    /// The index of the question.
    question: usize,
    /// Where the record shows it.
    returned_at: String,
    text: String,
}

/// What the trials of one question show, for the answer that it gives by itself.
#[derive(Debug)]
pub(super) struct ObservedClaim {
    /// What is claimed; none if it speaks against every claim.
    pub(super) claim: Option<Claim>,
    pub(super) count: u64,
    /// Whether the trials prove it: what was accepted may still have been dropped.
    pub(super) is_proof: bool,
}

/// What the trials of all questions at a location show together.
#[derive(Debug)]
pub(super) struct JointResult<T> {
    pub(super) accepted: T,
    /// The number of trials of the question that has the fewest.
    pub(super) count: u64,
    /// Whether the trials prove it.
    pub(super) is_proof: bool,
}

/// What the trials of one question showed.
#[derive(Clone, Debug, Default)]
struct QuestionResults {
    shown: BTreeMap<TrialResult, u64>,
    void: u64,
    /// How many of the void trials were rejected between controls that were accepted: others will be as well.
    rejected_in_vain: u64,
    /// The values that a record kept, by field, where a service may have set the same value by itself.
    kept: BTreeMap<String, Vec<Value>>,
}

impl QuestionResults {
    /// Notes what a control sent and an update left out, if the record shows that it was kept.
    fn note_kept(&mut self, contract: &Contract, update: OperationId, (control, variant): (&Value, &Value)) {
        for (name, value) in control.as_object().into_iter().flatten() {
            if variant.get(name).is_none() && may_be_default(contract, update, (name, value)) {
                let kept = self.kept.entry(name.clone()).or_default();
                if !kept.contains(value) {
                    kept.push(value.clone());
                }
            }
        }
    }

    /// Whether each such field was kept with several values: if it had the same one each time, a reset to a default
    /// that equals it would look the same.
    fn proves_kept(&self) -> bool {
        self.kept.values().all(|values| values.len() > 1)
    }
}

/// What a trial showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TrialResult {
    /// The variant was accepted, and the record shows what it sent.
    Accepted(u16),
    /// The variant was accepted, and no field of the record could show what it sent.
    AcceptedUnseen(u16),
    /// What the list returned for a page beyond its last.
    Beyond(BeyondLast, u16),
    /// The variant was accepted, and the record shows what fits no claim: another value than the one that was sent, or
    /// that some unsent fields were kept and others were not. It speaks against every claim.
    FitsNoClaim,
    /// Anything else, such as a rejection for another reason. It speaks against every claim, too, but may tell nothing
    /// about the gap.
    Other,
    /// The variant was rejected.
    Rejected(u16),
    /// The record shows its value in this way.
    Spelled(ReturnedSpelling),
    /// The record shows the fields that were not sent in this way.
    UnsentFields(UnsentFields),
    /// The same, but not of every field that the document lists: the control did not send some either.
    SomeUnsentFields(UnsentFields),
}

/// The length, in bytes, from which a beginning is taken for that of one of the run's own texts and of no other text.
const MIN_BEGINNING: usize = 16;

/// The last control of an operation, and the variants since.
#[derive(Debug, Default)]
struct BetweenControls {
    /// What the control sent, and the record after it; none if it was not accepted.
    control: Option<AcceptedRequest>,
    /// The status of the control.
    control_status: Option<u16>,
    variants: Vec<Variant>,
}

/// A request that asks.
#[derive(Debug)]
struct Variant {
    /// The indexes of the questions that it asks.
    questions: Vec<usize>,
    /// Where several questions were asked in one request that was not accepted, those: each is asked alone next.
    asked_together: Vec<usize>,
    status: Option<u16>,
    /// What it showed by itself; none if that is nothing.
    outcome: Option<VariantOutcome>,
}

/// A request that was accepted, and what it did.
#[derive(Clone, Debug)]
struct AcceptedRequest {
    status: u16,
    sent: Value,
    /// The record as a read showed it afterwards.
    record: Option<Value>,
}

/// What a variant showed by itself.
#[derive(Clone, Debug)]
enum VariantOutcome {
    Accepted(AcceptedRequest),
    Decided(TrialResult),
}

impl RunTrials {
    pub(super) fn of(questions: Vec<Question>) -> Self {
        Self {
            results: vec![QuestionResults::default(); questions.len()],
            questions,
            ..Self::default()
        }
    }

    /// Adds a part of a trial. `decides` says whether its response shows anything: it is complete, and neither
    /// throttled nor a failure.
    pub(super) fn add(
        &mut self,
        contract: &Contract,
        (exchange, part, decides): (&Exchange, TrialPart, bool),
        body: Option<&Body>,
    ) {
        let operation = exchange.request.operation;
        let body = body.map(|body| &body.value);
        let status = exchange.status().filter(|_| decides);
        let succeeded = status.filter(|status| contract.operation(operation).succeeds_with(*status));
        let request = succeeded.map(|status| AcceptedRequest {
            status,
            sent: exchange.request.json().cloned().unwrap_or_default(),
            record: None,
        });
        if let (Some(_), Some(body)) = (succeeded, body)
            && !matches!(part, TrialPart::Variant(_))
        {
            self.note_last_page(contract, operation, body);
        }
        let updates = contract.read_showing_update(operation).map(|_| operation);
        if part != TrialPart::Read {
            self.long_text = None;
        }
        match part {
            TrialPart::Variant(index) if self.questions.get(index).is_some_and(Question::builds_on_trials) => {
                let sent = request.as_ref().map(|request| &request.sent);
                let long_text = sent.and_then(|sent| self.long_text_in(contract, index, sent));
                // Whether a text of a given length is stored as it was sent is looked up only once.
                self.long_text = long_text.filter(|long| !self.searches.has_accepted((operation, index), &long.text));
                let of = (contract, self.questions.as_slice());
                let tried = self.searches.add(of, (exchange, index), status, body);
                let asked = (&self.questions[index], exchange.request.json());
                let shown = match tried {
                    SearchTrial::Preparation => return,
                    SearchTrial::Void => None,
                    SearchTrial::Showed(shown) => Some(shown),
                };
                self.log.add(contract, asked, vec![exchange.status()], shown);
            }
            TrialPart::Control => {
                if request.is_some() {
                    self.note_accepted(contract, exchange, body);
                }
                self.end_trials(contract, operation, (exchange.status(), request.is_some()));
                self.awaited = request.as_ref().and(updates);
                let between = self.between_controls.entry(operation).or_default();
                (between.control, between.control_status) = (request, exchange.status());
            }
            TrialPart::Read => self.add_read(contract, operation, body.filter(|_| succeeded.is_some())),
            TrialPart::Variant(index) => {
                let Some(question) = self.questions.get(index) else {
                    return;
                };
                let outcome = self.outcome(contract, (operation, question), status, (request, body));
                let accepted = matches!(outcome, Some(VariantOutcome::Accepted(_)));
                self.awaited = updates.filter(|_| accepted);
                let together = self.asked_together(index);
                let (questions, asked_together) = match &question.asks {
                    Asks::InOneRequest { .. } if accepted => (together, Vec::new()),
                    _ => (vec![index], together),
                };
                let variant = Variant {
                    questions,
                    asked_together,
                    status: exchange.status(),
                    outcome,
                };
                self.between_controls
                    .entry(operation)
                    .or_default()
                    .variants
                    .push(variant);
            }
        }
    }

    /// Adds a read between the others, with its body if it succeeded.
    fn add_read(&mut self, contract: &Contract, read: OperationId, body: Option<&Value>) {
        self.last_read_has_items = body.is_some_and(|body| has_items(contract, read, body));
        if let Some(body) = body {
            self.look_for_long_text(contract, (read, body));
            self.look(contract, read, body);
        }
    }

    /// Returns what a variant shows by itself; `None` if that is nothing. `request` is what was sent, if it succeeded.
    fn outcome(
        &self,
        contract: &Contract,
        (operation, question): (OperationId, &Question),
        status: Option<u16>,
        (request, body): (Option<AcceptedRequest>, Option<&Value>),
    ) -> Option<VariantOutcome> {
        let last = self.last_pages.get(&operation).copied();
        match (&question.asks, status) {
            // A rejected request does not show how its value would come back.
            (_, None) | (Asks::Spelling { .. }, _) if request.is_none() => None,
            (Asks::PageBeyondLast, Some(status)) => {
                let shown = beyond(contract, operation, (status, request.is_some()), body, last);
                shown.map(VariantOutcome::Decided)
            }
            (asks, Some(status)) if request.is_none() => Some(VariantOutcome::Decided(match rejects(asks, status) {
                true => TrialResult::Rejected(status),
                false => TrialResult::Other,
            })),
            (Asks::NoCredential, _) => Some(VariantOutcome::Decided(TrialResult::Other)),
            _ => request.map(VariantOutcome::Accepted),
        }
    }

    /// Adds a write that was accepted as documented.
    pub(super) fn note_accepted(&mut self, contract: &Contract, exchange: &Exchange, body: Option<&Value>) {
        self.searches.note_accepted((contract, &self.questions), exchange, body);
    }

    /// Whether a variant of this question is a request as the document shows it, though with fewer fields.
    pub(super) fn is_documented(&self, contract: &Contract, question: usize) -> bool {
        let question = self.questions.get(question);
        question.is_some_and(|question| match question.asks {
            Asks::UpdateOfOneField { .. } => true,
            // An update with an empty body may do nothing.
            Asks::Required { .. } => contract.operation(question.operation).creates(),
            _ => false,
        })
    }

    /// Returns what the next trial of a question sends if its trials build on those before them; `None` if it needs
    /// none.
    pub(super) fn next(&self, question: usize) -> Option<BodyChange> {
        self.searches.next(&self.questions, question)
    }

    /// Notes that the trial of a question which has this body is not sent, because it may have stored a record before.
    pub(super) fn note_unsendable(&mut self, question: usize, body: &Value) {
        self.searches.note_unsendable(&self.questions, question, body);
    }

    /// Whether an operation must still accept a request, so that its rejections count or its record loses a long text.
    pub(super) fn awaits_acceptance(&self, operation: OperationId) -> bool {
        self.searches.awaits_acceptance(operation)
    }

    /// Whether a read has yet to show what the last request of a trial did.
    pub(super) fn awaits_effect(&self) -> bool {
        self.awaited.is_some() || self.long_text.is_some()
    }

    pub(super) fn last_read_has_items(&self) -> bool {
        self.last_read_has_items
    }

    pub(super) fn last_page(&self, list: OperationId) -> Option<u64> {
        self.last_pages.get(&list).copied()
    }

    /// Whether a question needs no further trial: its trials decide it, or disagree, or it asks about a known value
    /// and no unknown value was rejected.
    pub(super) fn is_decided(&self, question: usize) -> bool {
        let (Some(asked), Some(results)) = (self.questions.get(question), self.results.get(question)) else {
            return true;
        };
        if let Asks::KnownValue { .. } = asked.asks {
            let mut siblings = self.questions_at((asked.gap, asked.operation, &asked.location));
            let is_rejected = |shown: &TrialResult| matches!(shown, TrialResult::Rejected(_));
            return !results.shown.is_empty() || !siblings.any(|(_, results)| results.shown.keys().any(is_rejected));
        }
        if let Asks::InOneRequest { .. } = asked.asks {
            return self.asked_together(question).len() < 2;
        }
        let is_in_vain = results.shown.is_empty() && results.rejected_in_vain >= TRIALS_TO_INDICATE;
        is_in_vain || results.shown.len() > 1 || results.shown.values().any(|count| *count >= TRIALS_TO_INDICATE)
    }

    /// Returns how many trials of a question showed something, or were rejected where that shows nothing; `None` if its
    /// trials build on those before them.
    pub(super) fn results_shown(&self, question: usize) -> Option<u64> {
        let asked = self.questions.get(question)?;
        let results = self.results.get(question).filter(|_| !asked.builds_on_trials())?;
        Some(results.shown.values().sum::<u64>() + results.rejected_in_vain)
    }

    /// Returns the questions that a request may ask together now: those that are open and whose own requests were not
    /// rejected. Empty once two requests that asked several at once were not accepted.
    pub(super) fn asked_together(&self, question: usize) -> Vec<usize> {
        let Some(Asks::InOneRequest { questions }) = self.questions.get(question).map(|asked| &asked.asks) else {
            return Vec::new();
        };
        let counted = |index: usize| self.results[index].shown.iter();
        let is_accepted = |shown: &TrialResult| {
            !matches!(
                shown,
                TrialResult::FitsNoClaim | TrialResult::Other | TrialResult::Rejected(_)
            )
        };
        let rejected: u64 = counted(question).map(|(_, count)| count).sum();
        if rejected > 1 {
            return Vec::new();
        }
        let is_asked = |index: &usize| {
            let is_rejected = self.was_decided_by_response_since_control(*index)
                || !counted(*index).all(|(shown, _)| is_accepted(shown));
            !is_rejected && !self.is_decided(*index)
        };
        questions.iter().copied().filter(is_asked).collect()
    }

    /// Whether, since the last control, the response alone decided a request that asks this question. Of
    /// [`Asks::InOneRequest`], which asks all of its questions in one request: whether it was rejected.
    pub(super) fn was_decided_by_response_since_control(&self, question: usize) -> bool {
        let mut now = self.between_controls.values().flat_map(|between| &between.variants);
        now.any(|variant| {
            variant.questions == [question] && matches!(variant.outcome, Some(VariantOutcome::Decided(_)))
        })
    }

    /// Returns the questions at a location, each with what its trials showed.
    fn questions_at(
        &self,
        (gap, operation, location): (usize, OperationId, &str),
    ) -> impl Iterator<Item = (&Question, &QuestionResults)> {
        let all = self.questions.iter().zip(&self.results);
        all.filter(move |(question, _)| {
            (question.gap, question.operation, question.location.as_str()) == (gap, operation, location)
        })
    }

    /// Whether a rejection is about the value that was sent: a value that the target has shown is accepted.
    fn accepts_known_values(&self, question: &Question) -> bool {
        let mut siblings = self.questions_at((question.gap, question.operation, &question.location));
        let is_accepted = |shown: &TrialResult| matches!(shown, TrialResult::Accepted(_));
        siblings.any(|(other, results)| {
            matches!(other.asks, Asks::KnownValue { .. })
                && !results.shown.is_empty()
                && results.shown.keys().all(is_accepted)
        })
    }

    fn note_last_page(&mut self, contract: &Contract, list: OperationId, body: &Value) {
        let page = contract.operation(list).page.as_ref();
        let last = page.and_then(|page| pointer::get(body, &page.last_page)?.as_u64());
        if let Some(last) = last {
            self.last_pages.insert(list, last);
        }
    }

    /// Returns the long text in the body of a question that asks for one.
    fn long_text_in(&self, contract: &Contract, index: usize, sent: &Value) -> Option<LongText> {
        let question = self.questions.get(index)?;
        let Asks::Longest { field } = &question.asks else {
            return None;
        };
        let mut carries = contract.carries_with_run_tag(question.operation);
        Some(LongText {
            update: question.operation,
            question: index,
            returned_at: carries.find(|carry| carry.sent == *field)?.returned_at.clone(),
            text: sent.pointer(field)?.as_str()?.to_owned(),
        })
    }

    /// Looks for the long text that was accepted last. A service that truncates a text accepts it all the same, so its
    /// limit does not show in what it rejects.
    fn look_for_long_text(&mut self, contract: &Contract, (read, body): (OperationId, &Value)) {
        let Some(long) = self
            .long_text
            .take_if(|long| contract.read_showing_update(long.update) == Some(read))
        else {
            return;
        };
        let records = contract.records_showing_update(long.update, body).iter();
        let mut shown = records.filter_map(|record| pointer::get(record, &long.returned_at)?.as_str());
        let is_beginning = |shown: &str| shown.len() >= MIN_BEGINNING && long.text.starts_with(shown);
        match shown.find(|shown| is_beginning(shown)) {
            Some(shown) if shown == long.text => {}
            Some(_) => self.searches.note_changed_text((long.update, long.question)),
            None => self.long_text = Some(long),
        }
    }

    /// Looks for the record of the last accepted update in a response of the read that shows it. The texts by which the
    /// record is recognised may appear before its other fields do, so what contradicts every claim is not final: the
    /// next look decides.
    fn look(&mut self, contract: &Contract, read: OperationId, body: &Value) {
        let Some(update) = self
            .awaited
            .filter(|update| contract.read_showing_update(*update) == Some(read))
        else {
            return;
        };
        let Some(BetweenControls { control, variants, .. }) = self.between_controls.get_mut(&update) else {
            return;
        };
        let records = contract.records_showing_update(update, body);
        let found = |sent: &Value| records.iter().find(|item| is_record_of(contract, update, sent, item));
        match (variants.last_mut(), control) {
            (None, Some(control)) => {
                if let Some(record) = found(&control.sent) {
                    control.record = Some(record.clone());
                    self.awaited = None;
                }
            }
            (
                Some(Variant {
                    questions,
                    outcome: Some(VariantOutcome::Accepted(request)),
                    ..
                }),
                Some(control),
            ) => {
                if let Some(record) = found(&request.sent) {
                    request.record = Some(record.clone());
                    let is_final = |index: &usize| {
                        let shown = self.questions.get(*index);
                        let shown = shown.and_then(|asked| trial_result(contract, asked, (control, request)));
                        let earlier = |shown| Some(*self.results.get(*index)?.shown.get(&shown).unwrap_or(&0));
                        match shown {
                            Some(TrialResult::FitsNoClaim | TrialResult::Other) => false,
                            // Fields that were not sent may be cleared later, so the last of these trials waits for it.
                            Some(
                                shown @ (TrialResult::UnsentFields(UnsentFields::Kept)
                                | TrialResult::SomeUnsentFields(UnsentFields::Kept)),
                            ) => earlier(shown) != Some(TRIALS_TO_INDICATE - 1),
                            _ => true,
                        }
                    };
                    if questions.iter().all(is_final) {
                        self.awaited = None;
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether the record of the last accepted update was found, though it does not show everything that was sent yet.
    pub(super) fn has_found_record(&self) -> bool {
        let between = self.awaited.and_then(|update| self.between_controls.get(&update));
        let last = between.and_then(|between| between.variants.last()?.outcome.as_ref());
        matches!(
            last,
            Some(VariantOutcome::Accepted(AcceptedRequest { record: Some(_), .. }))
        )
    }

    /// Ends the trials of an operation. Without a control that was accepted before and after it, a variant shows
    /// nothing. `status` is that of the control after them, and `accepted` says whether it was accepted.
    fn end_trials(&mut self, contract: &Contract, operation: OperationId, (status, accepted): (Option<u16>, bool)) {
        let between = self.between_controls.remove(&operation).unwrap_or_default();
        let control = between.control.filter(|_| accepted);
        // Where not even the control's record was seen, a list may be late.
        if control.as_ref().is_some_and(|control| control.record.is_some()) {
            let is_unseen = |variant: &&Variant| match &variant.outcome {
                Some(VariantOutcome::Accepted(request)) => request.record.is_none(),
                _ => false,
            };
            let unseen = between.variants.iter().filter(is_unseen).count();
            *self.without_effect.entry(operation).or_default() += unseen;
        }
        if control.is_some() {
            self.note_unexplained_rejections(contract, &between.variants, (between.control_status, status));
        }
        let asked = between.variants.iter();
        let asked = asked.flat_map(|variant| variant.questions.iter().map(move |index| (*index, variant)));
        for (index, variant) in asked {
            let Some(results) = self.results.get_mut(index) else {
                continue;
            };
            let question = &self.questions[index];
            let outcome = variant.outcome.as_ref();
            let shown = control
                .as_ref()
                .zip(outcome)
                .and_then(|(control, outcome)| match outcome {
                    VariantOutcome::Decided(shown) => Some(*shown),
                    VariantOutcome::Accepted(request) => trial_result(contract, question, (control, request)),
                });
            if let (
                Some(TrialResult::UnsentFields(UnsentFields::Kept)),
                Some(control),
                Some(VariantOutcome::Accepted(request)),
            ) = (shown, &control, outcome)
            {
                results.note_kept(contract, operation, (&control.sent, &request.sent));
            }
            let statuses = vec![between.control_status, variant.status, status];
            self.log.add(contract, (question, None), statuses, shown);
            match shown {
                Some(shown) => *results.shown.entry(shown).or_default() += 1,
                None => {
                    results.void += 1;
                    let is_rejected = variant.status.is_some_and(|status| rejects(&question.asks, status));
                    results.rejected_in_vain += u64::from(control.is_some() && is_rejected);
                }
            }
        }
    }

    /// Notes, for each question of a request that asked several and was not accepted, that this speaks against every
    /// claim, if each question was then accepted alone: one replica of several may reject what the others accept.
    fn note_unexplained_rejections(
        &mut self,
        contract: &Contract,
        variants: &[Variant],
        (before, after): (Option<u16>, Option<u16>),
    ) {
        let is_accepted_alone = |index: &usize| {
            let mut alone = variants.iter().filter(|variant| variant.questions == [*index]);
            alone.any(|variant| matches!(variant.outcome, Some(VariantOutcome::Accepted(_))))
        };
        for variant in variants {
            let is_decided = matches!(variant.outcome, Some(VariantOutcome::Decided(_)));
            if !is_decided || !variant.asked_together.iter().all(is_accepted_alone) {
                continue;
            }
            for index in &variant.asked_together {
                let (Some(question), Some(results)) = (self.questions.get(*index), self.results.get_mut(*index)) else {
                    continue;
                };
                *results.shown.entry(TrialResult::Other).or_default() += 1;
                let statuses = vec![before, variant.status, after];
                self.log
                    .add(contract, (question, None), statuses, Some(TrialResult::Other));
            }
        }
    }

    /// Ends the trials that are still open, which show nothing: the run ended before their next control, so each has
    /// only two statuses.
    pub(super) fn end_open(&mut self, contract: &Contract) {
        let mut open: Vec<_> = self.between_controls.drain().collect();
        open.sort_unstable_by_key(|(operation, _)| *operation);
        for (_, between) in open {
            for variant in between.variants {
                for index in variant.questions {
                    let Some((question, results)) = self.questions.get(index).zip(self.results.get_mut(index)) else {
                        continue;
                    };
                    results.void += 1;
                    let statuses = vec![between.control_status, variant.status];
                    self.log.add(contract, (question, None), statuses, None);
                }
            }
        }
    }

    /// Whether an update was accepted at least twice and no record showed what it sent: then an accepted body says
    /// nothing about the fields that it needs, because the service may have stored nothing.
    fn accepts_without_effect(&self, update: OperationId) -> bool {
        self.without_effect.get(&update).is_some_and(|count| *count > 1)
    }

    /// Whether the run had a question at a location, whether or not it asked it.
    pub(super) fn has_question(&self, at: (usize, OperationId, &str)) -> bool {
        self.questions_at(at).next().is_some()
    }

    /// Whether a question needs further trials.
    pub(super) fn is_open(&self, index: usize) -> bool {
        let question = self.questions.get(index).filter(|question| question.builds_on_trials());
        match question {
            Some(question) => self.next(index).is_some() || !self.searches.was_asked((index, question)),
            None => !self.is_decided(index),
        }
    }

    /// Notes that a question is not asked any more, because the run has sent as many requests as it may.
    pub(super) fn note_limit_of_requests(&mut self, question: usize) {
        if let Some(question) = self.questions.get(question) {
            self.note_cut_short((question.gap, question.operation, question.location.clone()));
        }
    }

    /// Notes that a gap stays open at an operation and a location, because the run has sent as many requests as it may.
    pub(super) fn note_cut_short(&mut self, at: (usize, OperationId, String)) {
        self.cut_short.insert(at);
    }

    /// Whether the limit of requests was reached before enough trials at a location were sent.
    pub(super) fn is_cut_short(&self, at: (usize, OperationId, &str)) -> bool {
        let mut cut_short = self.cut_short.iter();
        cut_short.any(|(gap, operation, location)| (*gap, *operation, location.as_str()) == at)
    }

    /// Whether a trial at a location was sent, whatever it showed.
    pub(super) fn was_asked(&self, at: (usize, OperationId, &str)) -> bool {
        let has_result = self
            .questions_at(at)
            .any(|(_, results)| results.void > 0 || !results.shown.is_empty());
        let all = self.questions.iter().enumerate();
        let mut here = all.filter(|(_, question)| (question.gap, question.operation, question.location.as_str()) == at);
        has_result || here.any(|question| self.searches.was_asked(question))
    }

    /// Returns what the trials show, for each question that has an answer by itself, and the number of void trials.
    pub(super) fn observed(&self) -> impl Iterator<Item = (&Question, Vec<ObservedClaim>, u64)> {
        let all = self.questions.iter().zip(&self.results).enumerate();
        all.map(|(index, (question, results))| {
            if question.builds_on_trials() {
                let (mut observed, void) = self.searches.observed((index, question));
                if matches!(question.asks, Asks::Required { .. }) && self.accepts_without_effect(question.operation) {
                    observed.clear();
                }
                return (question, observed, void);
            }
            let shown = results.shown.iter().filter(|_| answers_alone(&question.asks));
            let observed = shown.map(|(shown, count)| {
                let for_its_value = match shown {
                    TrialResult::Rejected(_) => {
                        !needs_known_value(question.kind) || self.accepts_known_values(question)
                    }
                    _ => true,
                };
                ObservedClaim {
                    claim: claim(question, *shown).filter(|_| for_its_value),
                    count: *count,
                    is_proof: match shown {
                        TrialResult::AcceptedUnseen(_) | TrialResult::SomeUnsentFields(_) => false,
                        TrialResult::UnsentFields(UnsentFields::Kept) => results.proves_kept(),
                        _ => true,
                    },
                }
            });
            (question, observed.collect(), results.void)
        })
    }

    /// Returns which formats of a date are accepted at a location, if the trials decide each of them.
    pub(super) fn accepted_dates(&self, at: (usize, OperationId, &str)) -> Option<JointResult<Vec<DateFormat>>> {
        let JointResult {
            accepted,
            count,
            is_proof,
        } = self.joint_result(at)?;
        let formats = accepted.into_iter().filter_map(|(asks, accepted)| match asks {
            Asks::Date { format, .. } if accepted => Some(match format {
                SentDateFormat::DayFirst => DateFormat::DayFirst,
                SentDateFormat::Iso => DateFormat::IsoDate,
                SentDateFormat::MonthFirst => DateFormat::MonthFirst,
                SentDateFormat::Text => DateFormat::Any,
                SentDateFormat::Timestamp => DateFormat::Timestamp,
            }),
            _ => None,
        });
        let mut accepted: Vec<_> = formats.collect();
        // A service that accepts a text that is no date accepts any text.
        if accepted.contains(&DateFormat::Any) {
            accepted = vec![DateFormat::Any];
        }
        accepted.sort_unstable();
        (!accepted.is_empty()).then_some(JointResult {
            accepted,
            count,
            is_proof,
        })
    }

    /// Returns by which fields the entries of an array may refer to a record, if the trials decide it: a service that
    /// accepts an entry that names no record shows nothing by accepting others.
    pub(super) fn accepted_entries(&self, at: (usize, OperationId, &str)) -> Option<JointResult<Vec<String>>> {
        let JointResult {
            accepted,
            count,
            is_proof,
        } = self.joint_result(at)?;
        let mut names = Vec::new();
        for (asks, _) in accepted.into_iter().filter(|(_, accepted)| *accepted) {
            match asks {
                Asks::Entry {
                    shown_in: Some(name), ..
                } => names.push(name.clone()),
                _ => return None,
            }
        }
        let accepted = names;
        (!accepted.is_empty()).then_some(JointResult {
            accepted,
            count,
            is_proof,
        })
    }

    /// Returns how many trials at a location show what fits no claim about it: neither that of a question, nor that of
    /// several together, if every format of a date is rejected.
    pub(super) fn fitting_no_claim(&self, at: (usize, OperationId, &str)) -> u64 {
        let alone = self.questions_at(at).filter(|(asked, _)| answers_alone(&asked.asks));
        let unfitting = alone.filter_map(|(_, results)| results.shown.get(&TrialResult::FitsNoClaim));
        let rejects_dates = |joint: &JointResult<Vec<(&Asks, bool)>>| {
            let mut dates = joint.accepted.iter();
            dates.all(|(asks, accepted)| matches!(asks, Asks::Date { .. }) && !accepted)
        };
        let dates = self.joint_result(at).filter(rejects_dates);
        unfitting.sum::<u64>() + dates.map_or(0, |joint| joint.count)
    }

    /// Returns the questions at a location, each with whether its variants were accepted; `None` if one is undecided.
    fn joint_result(&self, at: (usize, OperationId, &str)) -> Option<JointResult<Vec<(&Asks, bool)>>> {
        let mut joint = JointResult {
            accepted: Vec::new(),
            count: u64::MAX,
            is_proof: true,
        };
        for (question, results) in self.questions_at(at) {
            let is_accepted =
                |shown: &TrialResult| matches!(shown, TrialResult::Accepted(_) | TrialResult::AcceptedUnseen(_));
            let is_rejected = |shown: &TrialResult| matches!(shown, TrialResult::Rejected(_));
            let mut shown = results.shown.keys();
            let accepted = shown.next().map(is_accepted)?;
            let same: &dyn Fn(&TrialResult) -> bool = if accepted { &is_accepted } else { &is_rejected };
            if !results.shown.keys().all(same) {
                return None;
            }
            let unseen = |shown: &TrialResult| matches!(shown, TrialResult::AcceptedUnseen(_));
            joint.accepted.push((&question.asks, accepted));
            joint.count = joint.count.min(results.shown.values().sum());
            joint.is_proof &= !results.shown.keys().any(unseen);
        }
        (!joint.accepted.is_empty()).then_some(joint)
    }
}

/// Whether a question has an answer by itself; the others answer together with those at the same location.
pub(super) fn answers_alone(asks: &Asks) -> bool {
    !matches!(
        asks,
        Asks::Date { .. } | Asks::Entry { .. } | Asks::KnownValue { .. } | Asks::InOneRequest { .. }
    )
}

/// Whether a rejection answers a gap of this kind only if another value is accepted: otherwise, perhaps the field
/// cannot be changed at all, or not alone.
fn needs_known_value(kind: GapKind) -> bool {
    matches!(kind, GapKind::AllowedValues | GapKind::UnknownReferences)
}

/// Whether a status rejects what the question asks about. A conflict (409) may be with anything that is stored, so it
/// counts for one question about a value only: a reference to an unknown record, which a store that checks references
/// may reject with it. There a reference to a known record must be accepted, see [`needs_known_value`].
pub(super) fn rejects(asks: &Asks, status: u16) -> bool {
    match asks {
        Asks::NoCredential => (400..500).contains(&status),
        _ if RejectionMeaning::rejects_as_invalid(status) => true,
        Asks::Longest { .. } => status == 413,
        Asks::Entry { .. } => status == 404,
        Asks::UnknownRecord { .. } => matches!(status, 404 | 409),
        _ => false,
    }
}

/// Whether a response shows any items, if it is of a list with pages.
fn has_items(contract: &Contract, list: OperationId, body: &Value) -> bool {
    contract.operation(list).page.as_ref().is_some_and(|page| {
        let items = pointer::get(body, &page.items).and_then(Value::as_array);
        items.is_some_and(|items| !items.is_empty())
    })
}

/// Returns what a list returned for a page beyond its last; `None` if the list has more pages by now.
fn beyond(
    contract: &Contract,
    list: OperationId,
    (status, succeeded): (u16, bool),
    body: Option<&Value>,
    last: Option<u64>,
) -> Option<TrialResult> {
    if !succeeded {
        let rejects = RejectionMeaning::rejects_as_invalid_or_conflicting(status) || matches!(status, 404 | 410 | 416);
        return Some(match rejects {
            true => TrialResult::Beyond(BeyondLast::Rejected, status),
            false => TrialResult::Other,
        });
    }
    let page = contract.operation(list).page.as_ref();
    let at = |pointer: &str| pointer::get(body?, pointer);
    let items = page.and_then(|page| at(&page.items)?.as_array());
    let number = page.and_then(|page| at(&page.page)?.as_u64());
    let last_now = page.and_then(|page| at(&page.last_page)?.as_u64());
    let shown = match (items, number, last) {
        // Somebody may have added the record that starts that page.
        (_, _, Some(last)) if last_now.is_some_and(|now| now > last) => return None,
        (Some(items), _, _) if items.is_empty() => BeyondLast::Empty,
        // A success without content has no items.
        (None, _, _) if status == 204 => BeyondLast::Empty,
        // Where the first page is the last, nobody can tell which one came.
        (Some(_), _, Some(1)) => return Some(TrialResult::Other),
        (Some(_), Some(1), _) => BeyondLast::FirstPage,
        (Some(_), Some(number), Some(last)) if number == last => BeyondLast::LastPage,
        _ => return Some(TrialResult::Other),
    };
    Some(TrialResult::Beyond(shown, status))
}

/// Whether an item of a list is the record that an update changed: it shows the run's own texts that were sent.
fn is_record_of(contract: &Contract, update: OperationId, sent: &Value, item: &Value) -> bool {
    let mut tagged = contract
        .carries_with_run_tag(update)
        .filter_map(|carry| Some((sent.pointer(&carry.sent)?, item.pointer(&carry.returned_at))))
        .peekable();
    tagged.peek().is_some() && tagged.all(|(sent, shown)| Some(sent) == shown)
}

/// Returns what an accepted variant showed; `None` if its record was not found.
fn trial_result(
    contract: &Contract,
    question: &Question,
    (control, variant): (&AcceptedRequest, &AcceptedRequest),
) -> Option<TrialResult> {
    let record = variant.record.as_ref()?;
    let text_at = |field: &str| variant.sent.pointer(field).and_then(Value::as_str);
    let (seen, unseen) = (
        TrialResult::Accepted(variant.status),
        TrialResult::AcceptedUnseen(variant.status),
    );
    let if_seen = |is_seen: bool| match is_seen {
        true => seen,
        false => TrialResult::FitsNoClaim,
    };
    // The record's field of the same name as the one in the body.
    let namesake = |field: &str| record.get(pointer::tokens(field).next()?);
    Some(match &question.asks {
        Asks::OtherValue {
            field,
            returned_at: Some(returned_at),
        } => if_seen(returned_spelling(variant, field, returned_at).is_some()),
        Asks::Date {
            field,
            format,
            returned_at: Some(returned_at),
        } => {
            let shown = pointer::select(record, returned_at);
            let sent = text_at(field)?;
            if_seen(match format.read(sent) {
                Some(date) => shown.iter().any(|value| form::is_date(value, date)),
                None => shown.iter().any(|value| value.as_str() == Some(sent)),
            })
        }
        Asks::Entry { field, .. } => match namesake(field) {
            Some(shown) => if_seen(contains(shown, text_at(field)?)),
            None => unseen,
        },
        Asks::UnknownRecord { field, .. } => match namesake(field) {
            Some(shown) => if_seen(!contains(shown, text_at(field)?)),
            None => unseen,
        },
        // A value that the service knows, which the control sent, may come back otherwise than an unknown one.
        Asks::Spelling { field, returned_at } => {
            // The entries of an array may be kept from one update to the next, in any order.
            let is_alone = pointer::tokens(field).all(|token| token != "0");
            let has_sent = control.record.is_some() && control.sent.pointer(field).is_some_and(Value::is_string);
            let of_control = (is_alone && has_sent).then(|| returned_spelling(control, field, returned_at));
            match (of_control, returned_spelling(variant, field, returned_at)) {
                (Some(None), _) | (_, None) => TrialResult::Other,
                (Some(Some(ReturnedSpelling::Changed)), _) => TrialResult::Spelled(ReturnedSpelling::Changed),
                (_, Some(spelling)) => TrialResult::Spelled(spelling),
            }
        }
        Asks::UpdateOfOneField { .. } => {
            let before = control.record.as_ref()?;
            let shown = unsent(contract, question.operation, &variant.sent, (before, record));
            let result = match sends_all(contract, question.operation, &control.sent) {
                true => TrialResult::UnsentFields,
                false => TrialResult::SomeUnsentFields,
            };
            shown.map_or_else(|unclear| unclear, result)
        }
        Asks::UnknownField => {
            let documented = contract.body_properties(question.operation);
            let documented: Vec<_> = documented.map(|property| property.name.as_str()).collect();
            let sent = variant.sent.as_object().into_iter().flatten();
            let mut unknown = sent.filter(|(name, _)| !documented.contains(&name.as_str()));
            if_seen(!unknown.any(|(name, _)| contains(record, name)))
        }
        Asks::KnownValue { .. } => seen,
        _ => unseen,
    })
}

/// Returns how the record shows a text that a request sent: in the same letters or in others; `None` if it does not
/// show it.
fn returned_spelling(request: &AcceptedRequest, field: &str, returned_at: &str) -> Option<ReturnedSpelling> {
    let sent = request.sent.pointer(field)?.as_str()?;
    let shown = pointer::select(request.record.as_ref()?, returned_at);
    let shown = || shown.iter().filter_map(|value| value.as_str());
    if shown().any(|shown| shown == sent) {
        return Some(ReturnedSpelling::AsSent);
    }
    let is_same = |shown: &str| shown.to_lowercase() == sent.to_lowercase();
    shown().any(is_same).then_some(ReturnedSpelling::Changed)
}

/// Whether a value is this text, or contains it as a field's name or value.
fn contains(value: &Value, text: &str) -> bool {
    match value {
        Value::String(value) => value == text,
        Value::Array(elements) => elements.iter().any(|element| contains(element, text)),
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| name == text || contains(member, text)),
        _ => false,
    }
}

/// Whether a value is blank, or contains only blank values.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Object(members) => members.values().all(is_blank),
        Value::Array(elements) => elements.iter().all(is_blank),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Bool(value) => !value,
    }
}

/// Whether a service may set a field of an update to this value by itself: it is a boolean, a number, a member of an
/// `enum` or the schema's `default`.
fn may_be_default(contract: &Contract, update: OperationId, (name, value): (&str, &Value)) -> bool {
    let mut documented = contract.body_properties(update);
    let schema = documented.find(|property| property.name == name);
    let stated = |keyword: &str| contract.referred(&schema?.node).member(keyword);
    let is_default = stated("default").is_some_and(|default| default.to_value() == *value);
    value.is_boolean() || value.is_number() || stated("enum").is_some() || is_default
}

/// Whether the body of an update has every field that the document lists, but for those that a caller may not set.
fn sends_all(contract: &Contract, update: OperationId, sent: &Value) -> bool {
    let documented = contract.body_properties(update);
    let mut settable = documented.filter(|property| !is_flagged(contract.referred(&property.node), "readOnly"));
    settable.all(|property| sent.get(property.name.as_str()).is_some())
}

/// Returns what became of the fields that an update did not send; an error if some were kept and others cleared, if one
/// has another value, or if the record shows none of them. A field that the document does not list for requests counts
/// only if it was cleared: the service may change it at any time.
fn unsent(
    contract: &Contract,
    update: OperationId,
    sent: &Value,
    (before, after): (&Value, &Value),
) -> Result<UnsentFields, TrialResult> {
    let first = |pointer: &str| pointer::tokens(pointer).next();
    let carries = contract.stated_or_inferred_carries_of_update(update).iter();
    let carries: Vec<_> = carries
        .filter_map(|carry| Some((first(&carry.sent)?, first(&carry.returned_at)?)))
        .collect();
    let is_sent = |shown: &str| {
        let mut carried = carries.iter().filter(|(_, at)| at == shown);
        sent.get(shown).is_some() || carried.any(|(name, _)| sent.get(name).is_some())
    };
    let is_of_request = |shown: &str| {
        let mut documented = contract.body_properties(update);
        carries.iter().any(|(_, at)| at == shown) || documented.any(|property| property.name == shown)
    };
    let (mut kept, mut cleared) = (0, 0);
    for (name, before) in before.as_object().into_iter().flatten() {
        if is_blank(before) || is_sent(name) {
            continue;
        }
        match after.get(name) {
            Some(after) if after == before => kept += u64::from(is_of_request(name)),
            after if after.is_none_or(is_blank) => cleared += 1,
            _ if is_of_request(name) => return Err(TrialResult::FitsNoClaim),
            _ => {}
        }
    }
    match (kept, cleared) {
        (1.., 0) => Ok(UnsentFields::Kept),
        (0, 1..) => Ok(UnsentFields::Cleared),
        (0, 0) => Err(TrialResult::Other),
        _ => Err(TrialResult::FitsNoClaim),
    }
}

/// Returns what a trial claims by itself; `None` where only several questions together claim something.
pub(super) fn claim(question: &Question, shown: TrialResult) -> Option<Claim> {
    Some(match (shown, question.kind) {
        (TrialResult::Accepted(_) | TrialResult::AcceptedUnseen(_), GapKind::AllowedValues) => {
            Claim::AllowedValues { set: ValueSet::Open }
        }
        (TrialResult::Rejected(_), GapKind::AllowedValues) => Claim::AllowedValues { set: ValueSet::Closed },
        (TrialResult::Accepted(_), GapKind::Duplicates) => Claim::Duplicate {
            duplicate: Duplicate::Accepted,
        },
        (TrialResult::Rejected(_), GapKind::Duplicates) => Claim::Duplicate {
            duplicate: Duplicate::Rejected,
        },
        (TrialResult::Accepted(_), GapKind::UnknownRequestFields) => Claim::UnknownHandled {
            handling: UnknownHandling::Ignored,
            status: None,
        },
        (TrialResult::Rejected(_), GapKind::UnknownRequestFields) => Claim::UnknownHandled {
            handling: UnknownHandling::Rejected,
            status: None,
        },
        (TrialResult::Accepted(status) | TrialResult::AcceptedUnseen(status), GapKind::UnknownReferences) => {
            Claim::UnknownHandled {
                handling: UnknownHandling::Ignored,
                status: Some(status),
            }
        }
        (TrialResult::Rejected(status), GapKind::UnknownReferences) => Claim::UnknownHandled {
            handling: UnknownHandling::Rejected,
            status: Some(status),
        },
        (TrialResult::Rejected(status), GapKind::ErrorConditions) => Claim::Condition {
            condition: Condition::NoCredential,
            status,
        },
        (TrialResult::Beyond(beyond, status), _) => Claim::BeyondLastPage { beyond, status },
        (TrialResult::Spelled(spelling), _) => Claim::Spelling { spelling },
        (TrialResult::UnsentFields(unsent) | TrialResult::SomeUnsentFields(unsent), _) => {
            Claim::UnsentFields { unsent }
        }
        _ => return None,
    })
}
