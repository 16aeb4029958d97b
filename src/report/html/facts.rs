//! Every fact with its verdict, folded by operation, so that a browser lays out only the unfolded ones of ten thousand.

use maud::{Markup, html};

use super::format::count;
use super::overview::{name, summary};
use super::view::{FactView, OperationView, VerdictCounts, View};
use crate::report::record::VerdictRecord;

/// Returns the section.
pub(super) fn section(view: &View<'_>) -> Markup {
    html! {
        section #facts aria-labelledby="facts-title" {
            h2 #facts-title { "Facts " span.number { (count(view.record.facts.rows.len())) } }
            p.hint { "Each statement of the contract that a response can break." }
            p.no-match hidden { "No fact matches the filter." }
            @for operation in view.operations.iter().filter(|operation| !operation.facts.is_empty()) {
                (group(view, operation))
            }
        }
    }
}

fn group(view: &View<'_>, operation: &OperationView<'_>) -> Markup {
    html! {
        details.facts-of #{ "facts-" (operation.number) } {
            summary {
                h3 { (name(operation)) }
                span.note { (summary(VerdictCounts::of(operation.facts.iter()))) }
                span.matching {}
            }
            table.facts {
                thead { tr { th scope="col" { "Verdict" } th scope="col" { "Fact" } th scope="col" { "Rule" } th scope="col" { "Line" } } }
                tbody { @for fact in &operation.facts { (row(view, operation, *fact)) } }
            }
        }
    }
}

fn row(view: &View<'_>, operation: &OperationView<'_>, fact: FactView<'_>) -> Markup {
    let row = fact.row;
    let (letter, mark, words) = match row.verdict {
        VerdictRecord::Held => ("h", "✓", "held"),
        VerdictRecord::Broken => ("b", "✗", "broken"),
        VerdictRecord::Undecided => ("u", "?", "undecided"),
    };
    let rest = row
        .fact
        .strip_prefix(operation.name)
        .map_or(row.fact.as_str(), str::trim_start);
    html! {
        tr #{ "fact-" (fact.number) } data-topic=(fact.topic.index()) data-verdict=(letter) data-reason=[view.reason(fact)] {
            td class=(words) { span aria-hidden="true" { (mark) } " " (words) }
            td {
                (rest)
                // Most names already end in what is documented.
                @if !row.fact.ends_with(row.documented.as_str()) { span.documented { (row.documented) } }
                @if let Some(reason) = row.reason.as_deref() { span.why { (reason) } }
            }
            td { (row.rule) }
            td title=(row.contract_pointer) {
                (row.contract_line) @if let Some(file) = &row.contract_file { " of " (file.as_str()) }
            }
        }
    }
}
