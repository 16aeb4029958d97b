//! What the trials of a run sent and showed, for whoever asks why an answer is what it is. The main type is [`Trial`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::Claim;
use super::trials::{TrialResult, answers_alone, claim};
use crate::contract::Contract;
use crate::plan::{Asks, Question, SentDateFormat};

/// A trial: a request that differs from its controls in what it asks. Several are one if they sent the same kind of
/// request and showed the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    /// The gap's id.
    pub gap: String,
    /// The operation that was called.
    pub operation: String,
    /// The location in the contract that was asked about, as a JSON pointer.
    #[serde(rename = "place")]
    pub location: String,
    /// What was sent in place of what a control sends, in words. They contain no value of the target.
    pub probe: String,
    /// What the trial shows by itself; none if it is void or speaks against every claim.
    pub claim: Option<TrialClaim>,
    /// Whether the trial shows what `claim` says.
    pub outcome: TrialOutcome,
    /// The status of each request, in the order sent: the control, the request that asks and the next control. Where
    /// each trial decides the next, it is the request that asks alone; where the run ended before the next control, the
    /// last one is missing. `null` is no complete response.
    pub statuses: Vec<Option<u16>>,
    /// How many trials sent and showed this.
    pub count: u64,
}

/// What a trial shows by itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TrialClaim {
    /// What became of the request, where only several trials together give an answer.
    OfRequest {
        /// Whether it was accepted.
        accepted: bool,
    },
    /// What the answer claims too, if the other trials agree.
    OfAnswer(Claim),
}

/// Whether a trial counts, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrialOutcome {
    /// It shows its claim.
    For,
    /// It speaks against every claim, such as a value that was accepted and dropped.
    Against,
    /// It decides nothing: it is void (see the first page of `gaps`).
    Void,
}

/// The trials of a run, in the order in which they ended.
#[derive(Debug, Default)]
pub(super) struct TrialLog {
    pub(super) trials: Vec<Trial>,
}

impl TrialLog {
    /// Adds a trial: its question, what was sent, the statuses, and what it showed; `None` if it is void.
    pub(super) fn add(
        &mut self,
        contract: &Contract,
        (question, sent): (&Question, Option<&Value>),
        statuses: Vec<Option<u16>>,
        shown: Option<TrialResult>,
    ) {
        let claim = shown.and_then(|shown| trial_claim(question, shown));
        let trial = Trial {
            gap: contract.gaps[question.gap].id.clone(),
            operation: contract.operation(question.operation).name.clone(),
            location: question.location.clone(),
            probe: probe(question, sent),
            outcome: match (shown, &claim) {
                (None, _) => TrialOutcome::Void,
                (Some(_), None) => TrialOutcome::Against,
                (Some(_), Some(_)) => TrialOutcome::For,
            },
            claim,
            statuses,
            count: 1,
        };
        self.trials.push(trial);
    }
}

/// Joins the trials that sent and showed the same, in the order in which each appears first.
pub(super) fn joined(trials: impl Iterator<Item = Trial>) -> Vec<Trial> {
    let mut counts: BTreeMap<Trial, (usize, u64)> = BTreeMap::new();
    for (position, mut trial) in trials.enumerate() {
        let count = std::mem::take(&mut trial.count);
        let (_, sum) = counts.entry(trial).or_insert((position, 0));
        *sum = sum.saturating_add(count);
    }
    let mut joined: Vec<_> = counts.into_iter().collect();
    joined.sort_unstable_by_key(|(_, (position, _))| *position);
    let with_count = joined.into_iter().map(|(trial, (_, count))| Trial { count, ..trial });
    with_count.collect()
}

fn trial_claim(question: &Question, shown: TrialResult) -> Option<TrialClaim> {
    let is_step_of_search = matches!(question.asks, Asks::Longest { .. } | Asks::Required { .. });
    if answers_alone(&question.asks) && !is_step_of_search {
        return claim(question, shown).map(TrialClaim::OfAnswer);
    }
    match shown {
        TrialResult::FitsNoClaim | TrialResult::Other => None,
        shown => Some(TrialClaim::OfRequest {
            accepted: !matches!(shown, TrialResult::Rejected(_)),
        }),
    }
}

/// Returns in words what a request that asks a question sends.
fn probe(question: &Question, sent: Option<&Value>) -> String {
    let at = |field: &str| format!("in `{field}`");
    match &question.asks {
        Asks::Date { field, format, .. } => format!("{} {}", date(*format), at(field)),
        Asks::Entry {
            field,
            shown_in: Some(name),
        } => format!("a record's `{name}` {}", at(field)),
        Asks::Entry { field, shown_in: None } => format!("a string that names no record {}", at(field)),
        Asks::KnownValue { field } => format!("a value that a response has shown {}", at(field)),
        Asks::Duplicate => "the body of an earlier record".to_owned(),
        Asks::Longest { field } => {
            let text = sent.and_then(|sent| sent.pointer(field)?.as_str());
            let characters = text.map_or(0, |text| text.chars().count());
            format!("a string of {characters} characters {}", at(field))
        }
        Asks::NoCredential => "no credential".to_owned(),
        Asks::UpdateOfOneField { field } => format!("`{field}` alone"),
        Asks::OtherValue { field, .. } => format!("a value that no response has shown {}", at(field)),
        Asks::PageBeyondLast => "a page beyond the last".to_owned(),
        Asks::Required { documented } => left_out(documented, sent),
        Asks::Spelling { field, .. } => format!("a string in other letters {}", at(field)),
        Asks::InOneRequest { questions } => format!("the values of {} questions in one request", questions.len()),
        Asks::UnknownField => "a field that the document does not list".to_owned(),
        Asks::UnknownRecord { field, .. } => format!("an identifier that names no record {}", at(field)),
    }
}

/// Names the documented fields that a body lacks, or those that it has if they are fewer.
fn left_out(documented: &[String], sent: Option<&Value>) -> String {
    let is_sent = |field: &&String| sent.is_some_and(|sent| sent.pointer(field).is_some());
    let (kept, left_out): (Vec<_>, Vec<_>) = documented.iter().partition(is_sent);
    let named = |fields: &[&String]| {
        let fields: Vec<_> = fields.iter().map(|field| format!("`{field}`")).collect();
        fields.join(", ")
    };
    match (kept.as_slice(), left_out.as_slice()) {
        (_, []) => "every documented field".to_owned(),
        ([], _) => "no documented field".to_owned(),
        (kept, left_out) if kept.len() < left_out.len() => format!("{} alone", named(kept)),
        (_, left_out) => format!("all but {}", named(left_out)),
    }
}

fn date(format: SentDateFormat) -> &'static str {
    match format {
        SentDateFormat::DayFirst => "a date as DD/MM/YYYY",
        SentDateFormat::Iso => "a date as YYYY-MM-DD",
        SentDateFormat::MonthFirst => "a date as MM/DD/YYYY",
        SentDateFormat::Text => "a string that is no date",
        SentDateFormat::Timestamp => "a date as YYYY-MM-DDT00:00:00Z",
    }
}
