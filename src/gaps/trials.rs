//! Reads trials from exchanges: what each variant between two controls showed. The main type is [`Trials`].

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::answer::{Allowed, BeyondLast, Claim, Condition, DateForm, Spelling, Unknown, Unsent};
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::GapKind;
use crate::contract::{Contract, pointer};
use crate::exchange::json::Body;
use crate::exchange::{Exchange, OnRejection, TrialPart};
use crate::plan::{Asks, NET_TRIALS, Question, SentDate};

/// The trials of a run.
#[derive(Debug, Default)]
pub(super) struct Trials {
    pub(super) questions: Vec<Question>,
    /// What the trials of each question showed.
    results: Vec<Results>,
    rounds: HashMap<OperationId, Round>,
    /// The number of the last page of each list, as its last response says.
    last_pages: HashMap<OperationId, u64>,
    /// The update whose record the next look must show.
    awaited: Option<OperationId>,
}

/// What the trials of one question showed.
#[derive(Clone, Debug, Default)]
struct Results {
    shown: BTreeMap<Shown, u64>,
    void: u64,
}

/// What a trial showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    /// The variant was accepted, and has done what it should.
    Accepted(u16),
    /// What came after the last page.
    Beyond(BeyondLast, u16),
    /// The variant was rejected.
    Refused(u16),
    /// The record shows its value in this way.
    Spelled(Spelling),
    /// The record shows the fields that were not sent in this way.
    Unsent(Unsent),
}

/// The trials between two controls.
#[derive(Debug, Default)]
struct Round {
    /// What the control sent, and the record after it.
    control: Option<Step>,
    variants: Vec<(usize, Option<Variant>)>,
}

/// A request that was accepted, and what it did.
#[derive(Clone, Debug)]
struct Step {
    status: u16,
    sent: Value,
    /// The record that the list showed afterwards.
    record: Option<Value>,
}

/// What a variant showed by itself.
#[derive(Clone, Debug)]
enum Variant {
    Accepted(Step),
    Shown(Shown),
}

impl Trials {
    pub(super) fn of(questions: Vec<Question>) -> Self {
        Self {
            results: vec![Results::default(); questions.len()],
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
        let step = succeeded.map(|status| Step {
            status,
            sent: exchange.request.json().cloned().unwrap_or_default(),
            record: None,
        });
        if let (Some(_), Some(body)) = (succeeded, body)
            && !matches!(part, TrialPart::Variant(_))
        {
            self.note_last_page(contract, operation, body);
        }
        match part {
            TrialPart::Control => {
                self.end_round(contract, operation, step.is_some());
                self.awaited = step.is_some().then_some(operation);
                let round = self.rounds.entry(operation).or_default();
                round.control = step;
            }
            TrialPart::Look => {
                if let Some(body) = body.filter(|_| succeeded.is_some()) {
                    self.look(contract, operation, body);
                }
            }
            TrialPart::Variant(index) => {
                let last = self.last_pages.get(&operation).copied();
                let Some(question) = self.questions.get(index) else {
                    return;
                };
                let needs_look = question.needs_look();
                let shown = match (&question.asks, status) {
                    (Asks::PageBeyondLast, Some(status)) => {
                        beyond(contract, operation, (status, succeeded.is_some()), body, last).map(Variant::Shown)
                    }
                    (asks, Some(status)) if succeeded.is_none() => {
                        rejects(asks, status).then_some(Variant::Shown(Shown::Refused(status)))
                    }
                    // A request without a credential must not be accepted, but what it shows is no condition.
                    (Asks::NoCredential, _) => None,
                    _ => step.map(Variant::Accepted),
                };
                let accepted = matches!(shown, Some(Variant::Accepted(_)));
                self.awaited = (accepted && needs_look).then_some(operation);
                self.rounds.entry(operation).or_default().variants.push((index, shown));
            }
        }
    }

    /// Whether the list has yet to show what the last request of a trial did.
    pub(super) fn awaits_look(&self) -> bool {
        self.awaited.is_some()
    }

    pub(super) fn last_page(&self, list: OperationId) -> Option<u64> {
        self.last_pages.get(&list).copied()
    }

    /// Whether the trials of a question decide it, or disagree.
    pub(super) fn is_decided(&self, question: usize) -> bool {
        self.results
            .get(question)
            .is_none_or(|results| results.shown.len() > 1 || results.shown.values().any(|count| *count >= NET_TRIALS))
    }

    fn note_last_page(&mut self, contract: &Contract, list: OperationId, body: &Value) {
        let page = contract.operation(list).page.as_ref();
        let last = page.and_then(|page| pointer::get(body, &page.last_page)?.as_u64());
        if let Some(last) = last {
            self.last_pages.insert(list, last);
        }
    }

    /// Looks for the record of the last accepted update on a page of the list that shows it.
    fn look(&mut self, contract: &Contract, list: OperationId, body: &Value) {
        let Some(update) = self.awaited.filter(|update| contract.updated_in(*update) == Some(list)) else {
            return;
        };
        let Some(round) = self.rounds.get_mut(&update) else {
            return;
        };
        let step = match round.variants.last_mut() {
            Some((_, Some(Variant::Accepted(step)))) => Some(step),
            Some(_) => None,
            None => round.control.as_mut(),
        };
        let page = contract.operation(list).page.as_ref();
        let items = page.and_then(|page| pointer::get(body, &page.items)?.as_array());
        if let (Some(step), Some(items)) = (step, items)
            && let Some(record) = items
                .iter()
                .find(|item| is_record_of(contract, update, &step.sent, item))
        {
            step.record = Some(record.clone());
            self.awaited = None;
        }
    }

    /// Ends the trials of an operation. Without a control that was accepted before and after it, a variant shows
    /// nothing.
    fn end_round(&mut self, contract: &Contract, operation: OperationId, accepted: bool) {
        let round = self.rounds.remove(&operation).unwrap_or_default();
        let control = round.control.filter(|_| accepted);
        for (index, variant) in round.variants {
            let Some(results) = self.results.get_mut(index) else {
                continue;
            };
            let question = &self.questions[index];
            let shown = control
                .as_ref()
                .zip(variant)
                .and_then(|(control, variant)| match variant {
                    Variant::Shown(shown) => Some(shown),
                    Variant::Accepted(step) => shown(contract, question, (control, &step)),
                });
            match shown {
                Some(shown) => *results.shown.entry(shown).or_default() += 1,
                None => results.void += 1,
            }
        }
    }

    /// Whether a trial at a location was sent, whatever it showed.
    pub(super) fn was_asked(&self, (gap, operation, location): (usize, OperationId, &str)) -> bool {
        let mut all = self.questions.iter().zip(&self.results);
        all.any(|(question, results)| {
            (question.gap, question.operation, question.location.as_str()) == (gap, operation, location)
                && (results.void > 0 || !results.shown.is_empty())
        })
    }

    /// Returns what the trials show, for each question that has one answer by itself: its index, the claims with their
    /// counts, and the number of void trials.
    pub(super) fn claims(&self) -> impl Iterator<Item = (&Question, Vec<(Claim, u64)>, u64)> {
        let all = self.questions.iter().zip(&self.results);
        all.map(|(question, results)| {
            let claims = results.shown.iter();
            let claims = claims.filter_map(|(shown, count)| Some((claim(question, *shown)?, *count)));
            (question, claims.collect(), results.void)
        })
    }

    /// Returns what the trials of all date formats at a location show together, if they decide each of them: the
    /// formats that are accepted, and the least number of trials of one.
    pub(super) fn accepted_dates(&self, at: (usize, OperationId, &str)) -> Option<(Vec<DateForm>, u64)> {
        let all = self.together(at)?;
        let accepted = all.iter().filter(|(_, accepted, _)| *accepted);
        let mut formats = Vec::new();
        for (question, ..) in accepted {
            let Asks::Date { format, .. } = question.asks else {
                return None;
            };
            formats.push(match format {
                SentDate::DayFirst => DateForm::DayFirst,
                SentDate::Iso => DateForm::IsoDate,
                SentDate::MonthFirst => DateForm::MonthFirst,
                SentDate::Text => DateForm::Any,
                SentDate::Timestamp => DateForm::Timestamp,
            });
        }
        // Who accepts what is no date accepts any.
        if formats.contains(&DateForm::Any) {
            formats = vec![DateForm::Any];
        }
        formats.sort_unstable();
        (!formats.is_empty()).then(|| (formats, all.iter().map(|(.., count)| *count).min().unwrap_or(0)))
    }

    /// Returns which fields of a record the entries of an array may be, if the trials decide it: a service that accepts
    /// an entry that names no record shows nothing by accepting others.
    pub(super) fn accepted_entries(&self, at: (usize, OperationId, &str)) -> Option<(Vec<String>, u64)> {
        let all = self.together(at)?;
        let mut names = Vec::new();
        for (question, accepted, _) in &all {
            match &question.asks {
                Asks::Entry { named: Some(name), .. } if *accepted => names.push(name.clone()),
                Asks::Entry { named: Some(_), .. } => {}
                _ if *accepted => return None,
                _ => {}
            }
        }
        (!names.is_empty()).then(|| (names, all.iter().map(|(.., count)| *count).min().unwrap_or(0)))
    }

    /// Returns the questions at a location, each with whether it was accepted, and in how many trials; `None` if one of
    /// them is undecided.
    fn together(&self, (gap, operation, location): (usize, OperationId, &str)) -> Option<Vec<(&Question, bool, u64)>> {
        let all = self.questions.iter().zip(&self.results);
        let here = all.filter(|(question, _)| {
            (question.gap, question.operation, question.location.as_str()) == (gap, operation, location)
        });
        let decided = here.map(|(question, results)| {
            let mut accepted: [u64; 2] = [0, 0];
            for (shown, count) in &results.shown {
                accepted[usize::from(matches!(shown, Shown::Accepted(_)))] += count;
            }
            match accepted {
                [0, 0] => None,
                [0, count] => Some((question, true, count)),
                [count, 0] => Some((question, false, count)),
                _ => None,
            }
        });
        decided.collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())
    }
}

/// Whether a status rejects what the question asks about.
fn rejects(asks: &Asks, status: u16) -> bool {
    match asks {
        Asks::NoCredential => matches!(status, 401 | 403),
        Asks::Entry { .. } | Asks::UnknownRecord { .. } => OnRejection::is_evidence_on_gap(status) || status == 404,
        _ => OnRejection::is_evidence_on_gap(status),
    }
}

/// Returns what a list returned for a page beyond its last; `None` if that does not show.
fn beyond(
    contract: &Contract,
    list: OperationId,
    (status, succeeded): (u16, bool),
    body: Option<&Value>,
    last: Option<u64>,
) -> Option<Shown> {
    if !succeeded {
        let rejects = OnRejection::is_evidence_on_gap(status) || matches!(status, 404 | 410 | 416);
        return rejects.then_some(Shown::Beyond(BeyondLast::Refused, status));
    }
    let page = contract.operation(list).page.as_ref()?;
    let items = pointer::get(body?, &page.items)?.as_array()?;
    if items.is_empty() {
        return Some(Shown::Beyond(BeyondLast::Empty, status));
    }
    let number = pointer::get(body?, &page.page)?.as_u64()?;
    // Where the first page is the last, nobody can tell which one came.
    let shown = match (last?, number) {
        (1, _) => return None,
        (_, 1) => BeyondLast::FirstPage,
        (last, number) if number == last => BeyondLast::LastPage,
        _ => return None,
    };
    Some(Shown::Beyond(shown, status))
}

/// Whether an item of a list is the record that an update changed: it shows the texts of the run's own that were sent.
fn is_record_of(contract: &Contract, update: OperationId, sent: &Value, item: &Value) -> bool {
    let mut tagged = contract
        .tagged_carries(update)
        .filter_map(|carry| Some((sent.pointer(&carry.sent)?, item.pointer(&carry.returned_at))))
        .peekable();
    tagged.peek().is_some() && tagged.all(|(sent, shown)| Some(sent) == shown)
}

/// Returns what an accepted variant showed; `None` if it shows nothing.
fn shown(contract: &Contract, question: &Question, (control, variant): (&Step, &Step)) -> Option<Shown> {
    // Whether the record shows what was sent, in the same letters or in others.
    let comes_back = |field: &str, returned_at: &str| {
        let sent = variant.sent.pointer(field)?.as_str()?;
        let shown = pointer::select(variant.record.as_ref()?, returned_at);
        let shown = || shown.iter().filter_map(|value| value.as_str());
        if shown().any(|shown| shown == sent) {
            return Some(Spelling::AsSent);
        }
        let is_same = |shown: &str| shown.to_lowercase() == sent.to_lowercase();
        shown().any(is_same).then_some(Spelling::Changed)
    };
    match &question.asks {
        // Accepted and dropped: it is not known which values are kept.
        Asks::OtherValue {
            field,
            returned_at: Some(returned_at),
        } => comes_back(field, returned_at).map(|_| Shown::Accepted(variant.status)),
        Asks::Spelling { field, returned_at } => comes_back(field, returned_at).map(Shown::Spelled),
        Asks::OneField { .. } => unsent(contract, question.operation, (control, variant)).map(Shown::Unsent),
        _ => Some(Shown::Accepted(variant.status)),
    }
}

/// Returns what became of the fields that an update did not send; `None` if some were kept and others cleared.
fn unsent(contract: &Contract, update: OperationId, (control, variant): (&Step, &Step)) -> Option<Unsent> {
    let (before, after) = (control.record.as_ref()?, variant.record.as_ref()?);
    let updated = contract.operation(update).invariants.updated.as_ref()?;
    let at_top = updated.carries.iter().filter(|carry| !carry.sent.contains('*'));
    let is_blank = |value: Option<&Value>| {
        value.is_none_or(|value| match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Object(members) => members.is_empty(),
            Value::Array(elements) => elements.is_empty(),
            Value::Number(number) => number.as_f64() == Some(0.0),
            Value::Bool(value) => !value,
        })
    };
    let (mut kept, mut cleared) = (0, 0);
    for carry in at_top.filter(|carry| variant.sent.pointer(&carry.sent).is_none()) {
        let (before, after) = (before.pointer(&carry.returned_at), after.pointer(&carry.returned_at));
        if is_blank(before) {
            continue;
        }
        if before == after {
            kept += 1;
        } else if is_blank(after) {
            cleared += 1;
        } else {
            return None;
        }
    }
    match (kept, cleared) {
        (1.., 0) => Some(Unsent::Kept),
        (0, 1..) => Some(Unsent::Cleared),
        _ => None,
    }
}

/// Returns what a trial claims by itself; `None` where only several questions together claim something.
fn claim(question: &Question, shown: Shown) -> Option<Claim> {
    Some(match (shown, question.kind) {
        (Shown::Accepted(_), GapKind::AllowedValues) => Claim::Set { set: Allowed::Open },
        (Shown::Refused(_), GapKind::AllowedValues) => Claim::Set { set: Allowed::Closed },
        (Shown::Accepted(_), GapKind::UnknownRequestFields) => Claim::Unknown {
            unknown: Unknown::Ignored,
            status: None,
        },
        (Shown::Refused(_), GapKind::UnknownRequestFields) => Claim::Unknown {
            unknown: Unknown::Refused,
            status: None,
        },
        (Shown::Accepted(status), GapKind::UnknownReferences) => Claim::Unknown {
            unknown: Unknown::Ignored,
            status: Some(status),
        },
        (Shown::Refused(status), GapKind::UnknownReferences) => Claim::Unknown {
            unknown: Unknown::Refused,
            status: Some(status),
        },
        (Shown::Refused(status), GapKind::ErrorConditions) => Claim::Condition {
            condition: Condition::NoCredential,
            status,
        },
        (Shown::Beyond(beyond, status), _) => Claim::Beyond { beyond, status },
        (Shown::Spelled(spelling), _) => Claim::Spelling { spelling },
        (Shown::Unsent(unsent), _) => Claim::Unsent { unsent },
        _ => return None,
    })
}
