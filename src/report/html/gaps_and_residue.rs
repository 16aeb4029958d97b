//! The gaps of the document, and the residue of the run.

use std::collections::HashMap;

use maud::{Markup, html};

use super::format::{breakable, count, counted};
use super::view::View;
use crate::gaps::Answer;
use crate::report::phrases;
use crate::report::record::{GapRecord, ResidueRecord};

/// Returns the section of the gaps.
pub(super) fn gaps(view: &View<'_>) -> Markup {
    let gaps = &view.record.gaps;
    let file = &view.record.contract.file;
    let mut answers: HashMap<&str, Vec<&Answer>> = HashMap::new();
    for answer in &view.record.answers {
        answers.entry(&answer.gap).or_default().push(answer);
    }
    let (stated, silent): (Vec<_>, Vec<_>) = gaps.iter().partition(|gap| gap.stated);
    html! {
        section #gaps aria-labelledby="gaps-title" {
            h2 #gaps-title { "Gaps " span.number { (count(gaps.len())) } }
            @if gaps.is_empty() {
                p.none { "The contract names no gaps." }
            } @else {
                p.hint {
                    "What the document leaves open. No response can break it."
                    @if let Some(answered) = phrases::answered_gaps(view.record) { " What the exchanges showed: " (answered) "." }
                }
            }
            @for (title, gaps) in [("The document says that it does not show this", stated), ("The document does not mention this", silent)] {
                @if !gaps.is_empty() {
                    h3 { (title) }
                    ul.gaps { @for gap in gaps { (self::gap(gap, file, answers.get(gap.id.as_str()).map_or(&[], Vec::as_slice))) } }
                }
            }
        }
    }
}

fn gap(gap: &GapRecord, file: &str, answers: &[&Answer]) -> Markup {
    html! {
        li {
            details {
                summary { span.question { (gap.question) } " " span.note { (counted(gap.locations.len(), "location", "locations")) } }
                @if !answers.is_empty() {
                    ul.answers { @for answer in answers { (self::answer(answer)) } }
                }
                ul { @for location in &gap.locations { li { (location.file.as_deref().unwrap_or(file)) ":" (location.line) " " code { (breakable(&location.pointer)) } } } }
                p.where { code { (gap.id) } }
            }
        }
    }
}

fn answer(answer: &Answer) -> Markup {
    html! {
        li {
            (phrases::answer_in_words(answer))
            @if let Some(location) = &answer.location { " " code { (breakable(location)) } }
        }
    }
}

/// Returns the section of the residue.
pub(super) fn residue(view: &View<'_>) -> Markup {
    let residue = &view.record.residue;
    html! {
        section #residue aria-labelledby="residue-title" {
            h2 #residue-title { "Residue " span.number { (count(phrases::all_residue(view.record).count())) } }
            @if phrases::all_residue(view.record).next().is_none() {
                p.none { "The run left nothing in the target." }
            } @else {
                p.hint { (phrases::records_left(view.record)) "; " (phrases::residue_search(view.record)) "." }
                table.residue {
                    thead { tr { th scope="col" { "Operation" } th scope="col" { "Identifier" } } }
                    tbody { @for left in residue { tr { th scope="row" { (left.operation) } td { (identifier(left)) } } }
                        @for unexplained in &view.record.unexplained_records {
                            tr {
                                th scope="row" { (unexplained.list) }
                                td { @if let Some(id) = &unexplained.id { code { (id) } " " } (phrases::why_unexplained(unexplained)) }
                            }
                        }
                    }
                }
            }
            @if let Some(rejected) = phrases::rejected_values(view.record) { p.hint { "Rejected values: " (rejected) "." } }
        }
    }
}

fn identifier(left: &ResidueRecord) -> Markup {
    html! {
        @if let Some(id) = &left.id { code { (id) } " " }
        @if let Some(note) = phrases::residue_note(left) { (note) }
    }
}
