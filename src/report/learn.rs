//! The terminal report of a run that asked about the gaps: what is known of each, and what nobody can tell.

use super::phrases::{self, counted};
use super::record::{GapRecord, NOTHING_DECIDED, Outcome, Record};
use super::summary::{requests, residue};
use super::terminal::{Terminal, Verbosity};
use crate::gaps::{Answer, AnswerState, WhyUnanswered};

impl Terminal {
    /// Returns the answers, followed by what the run cost.
    pub(super) fn learn_report(&self, record: &Record) -> String {
        let (known, unknown): (Vec<_>, Vec<_>) = record
            .gaps
            .iter()
            .map(|gap| (gap, of_gap(record, gap)))
            .partition(|(_, answers)| answers.iter().any(|answer| answer.claim.is_some()));
        let heading = format!(
            "{} answers {} of {}\n",
            phrases::target_url(record),
            known.len(),
            counted(record.gaps.len(), "gap")
        );
        if self.verbosity == Verbosity::Quiet {
            return heading;
        }
        let mut text = String::new();
        for (gap, answers) in &known {
            text.push_str(&self.line("", &gap.question));
            self.answers(answers, &mut text);
        }
        if !unknown.is_empty() {
            text.push_str("Cannot tell:\n");
            for (gap, answers) in &unknown {
                let reasons = answers.iter().filter_map(|answer| answer.reason);
                // Any other reason says more than that a write would be needed.
                let reason = reasons.min_by_key(|reason| *reason == WhyUnanswered::NeedsWrites);
                let reason = reason.map_or("not asked", |reason| reason.as_str());
                text.push_str(&self.line(&format!("    {}: ", gap.id), reason));
            }
        }
        text + "\n" + &heading + &self.cost(record)
    }

    /// Appends what is known of a gap: each answer if verbose, and otherwise each claim, with the operations or
    /// locations that it is about.
    fn answers(&self, answers: &[&Answer], text: &mut String) {
        if self.verbosity == Verbosity::Verbose {
            for answer in answers {
                text.push_str(&self.line("    ", &phrases::answer_with_location(answer)));
            }
            return;
        }
        let claimed = answers.iter().filter(|answer| answer.claim.is_some());
        let mut claimed: Vec<_> = claimed.map(|answer| (claim(answer), subject(answer))).collect();
        claimed.sort();
        for same in claimed.chunk_by(|(one, _), (other, _)| one == other) {
            let mut subjects: Vec<_> = same.iter().map(|(_, subject)| subject.as_str()).collect();
            subjects.dedup();
            let claim = &same[0].0;
            text.push_str(&self.line("    ", &format!("{claim}: {}", subjects.join(", "))));
        }
    }

    /// Returns the rows that say what the run cost, and what to know about it.
    fn cost(&self, record: &Record) -> String {
        let contract = format!("{}, {}", record.contract.file, record.contract.title);
        let mut text = self.row("contract", &contract);
        if let Some(answered) = phrases::answered_gaps(record) {
            text.push_str(&self.row("gaps", &answered));
        }
        if !matches!(record.outcome, Outcome::Conforms) {
            let note = match record.reason.as_deref() {
                Some(NOTHING_DECIDED) if record.requests.sent == 0 => {
                    "nothing was sent: no request can answer what was asked".to_owned()
                }
                Some(reason) => format!("the run did not complete: {reason}"),
                None => "the service departs from the document; `check` says where".to_owned(),
            };
            text.push_str(&self.row("note", &note));
        }
        text.push_str(&self.row("requests", &requests(record)));
        if record.residue.len() + record.unexplained_records.len() > 0 {
            text.push_str(&self.residue_heading(record, ":"));
            text.push_str(&residue(record));
        }
        text
    }
}

fn of_gap<'record>(record: &'record Record, gap: &GapRecord) -> Vec<&'record Answer> {
    record.answers.iter().filter(|answer| answer.gap == gap.id).collect()
}

/// Returns what an answer claims, and how well it is known.
fn claim(answer: &Answer) -> String {
    let claim = answer.claim.as_ref().map(ToString::to_string).unwrap_or_default();
    let others = answer.dissent.iter().map(|dissent| format!(" or {}", dissent.claim));
    let dissent = match answer.state {
        AnswerState::Unstable => others.collect(),
        _ => String::new(),
    };
    format!("{claim}{dissent} ({})", answer.state.as_str())
}

/// Returns what an answer is about: an operation, or its location without names such as `schemas` and `properties`.
fn subject(answer: &Answer) -> String {
    let location = || answer.location.as_deref().unwrap_or("all");
    let names = || {
        location()
            .split('/')
            .filter(|name| !matches!(*name, "" | "components" | "schemas" | "properties"))
    };
    answer
        .operation
        .clone()
        .unwrap_or_else(|| names().collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample_record;
    use super::*;

    fn report(verbosity: Verbosity, edit: impl FnOnce(&mut Record)) -> String {
        let mut record = sample_record();
        record.learns = true;
        edit(&mut record);
        let terminal = Terminal {
            verbosity,
            ..Terminal::default()
        };
        terminal.report(&record)
    }

    #[test]
    fn each_gap_has_its_question_and_what_is_known_and_the_end_says_the_cost() {
        let text = report(Verbosity::Normal, |_| {});
        assert!(text.starts_with("What is a size counted in?\n    "), "{text}");
        assert!(text.contains("https://api.example.com answers 1 of 1 gap\n"), "{text}");
        assert!(text.contains("`check` says where"), "{text}");
        assert!(text.contains("t-17"), "{text}");
    }

    #[test]
    fn a_run_that_sent_nothing_says_why() {
        let unsent = |reason: &str| {
            report(Verbosity::Normal, |record| {
                (record.outcome, record.requests.sent) = (Outcome::CouldNotJudge, 0);
                record.reason = Some(reason.to_owned());
            })
        };
        let down = unsent("the target was not up within 5 s");
        assert!(
            down.contains("the run did not complete: the target was not up within 5 s\n"),
            "{down}"
        );
        assert!(!down.contains("nothing was sent"), "{down}");
        let unasked = unsent(NOTHING_DECIDED);
        assert!(unasked.contains("nothing was sent: no request can answer"), "{unasked}");
    }

    #[test]
    fn what_nobody_can_tell_has_its_reason() {
        let text = report(Verbosity::Normal, |record| {
            record.answers.retain(|answer| answer.claim.is_none());
        });
        assert!(text.starts_with("Cannot tell:\n    size-unit: "), "{text}");
        assert!(text.contains("answers 0 of 1 gap\n"), "{text}");
    }

    #[test]
    fn only_a_verbose_report_has_the_trials_and_a_quiet_one_has_a_line() {
        let trials = ", at ";
        assert!(!report(Verbosity::Normal, |_| {}).contains(trials));
        assert!(report(Verbosity::Verbose, |_| {}).contains(trials));
        assert_eq!(report(Verbosity::Quiet, |_| {}).lines().count(), 1);
    }
}
