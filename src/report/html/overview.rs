//! The section "Overview": a table with a row for each operation and a column for each topic of facts.

use maud::{Markup, html};

use super::format::{breakable, count, counted};
use super::masthead::bar;
use super::topics::FactTopic;
use super::view::{FactView, OperationView, VerdictCounts, View};
use crate::report::record::VerdictRecord;

/// Returns the section.
pub(super) fn section(view: &View<'_>) -> Markup {
    let topics = view.topics();
    html! {
        section #overview aria-labelledby="overview-title" {
            h2 #overview-title { "Overview" }
            @if topics.is_empty() {
                p.none { "The contract states no fact." }
            } @else {
                div.wide tabindex="0" role="region" aria-labelledby="overview-title" {
                    table.overview {
                        caption.screen-reader-only { "Facts of each operation by kind: broken, undecided and held" }
                        (head(&topics))
                        tbody {
                            @for operation in view.operations.iter().filter(|operation| !operation.facts.is_empty()) {
                                (row(operation, &topics))
                            }
                        }
                        (foot(view, &topics))
                    }
                }
                p.legend aria-hidden="true" {
                    span.broken { "✗ broken" } span.undecided { "? undecided" } span.held { "✓ held" }
                }
            }
        }
    }
}

fn head(topics: &[FactTopic]) -> Markup {
    html! {
        thead {
            tr {
                th scope="col" { "Operation" }
                @for topic in topics { th scope="col" title=(topic.meaning()) { (topic.title()) } }
                th.all scope="col" { "All" }
            }
        }
    }
}

fn row(operation: &OperationView<'_>, topics: &[FactTopic]) -> Markup {
    html! {
        tr {
            th scope="row" { (name(operation)) }
            @for topic in topics {
                @let facts: Vec<_> = operation.facts.iter().filter(|fact| fact.topic == *topic).collect();
                td { (cell(operation, *topic, &facts)) }
            }
            @let counts = VerdictCounts::of(operation.facts.iter());
            td.all { span.number { (count(counts.total())) } (bar(counts, "low")) }
        }
    }
}

/// Returns an operation's name with its method and path.
pub(super) fn name(operation: &OperationView<'_>) -> Markup {
    html! {
        span.operation { (breakable(operation.name)) }
        @if let Some(record) = operation.record {
            " " span.path { span.method { (record.method) } " " (breakable(&record.path)) }
        }
    }
}

/// Returns the counts of one topic, as a link to the fact that is most worth reading.
fn cell(operation: &OperationView<'_>, topic: FactTopic, facts: &[&FactView<'_>]) -> Markup {
    let counts = VerdictCounts::of(facts.iter().copied());
    let severity = |fact: &&&FactView<'_>| match fact.row.verdict {
        VerdictRecord::Broken => 0,
        VerdictRecord::Undecided => 1,
        VerdictRecord::Held => 2,
    };
    let Some(first) = facts.iter().min_by_key(severity) else {
        return html! { span.nothing { span.screen-reader-only { "no fact" } } };
    };
    html! {
        a class={ "cell " (css_class(counts)) } href={ "#fact-" (first.number) } data-operation=(operation.number) data-topic=(topic.index())
            aria-label={ (operation.name) ", " (topic.title()) ": " (summary(counts)) } {
            @if counts.broken > 0 { span.broken { "✗" (count(counts.broken)) } }
            @if counts.undecided > 0 { span.undecided { "?" (count(counts.undecided)) } }
            @if counts.held > 0 { span.held { "✓" (count(counts.held)) } }
        }
    }
}

fn css_class(counts: VerdictCounts) -> &'static str {
    match counts {
        VerdictCounts { broken: 1.., .. } => "is-broken",
        VerdictCounts { held: 0, .. } => "is-undecided",
        VerdictCounts { undecided: 1.., .. } => "is-part",
        _ => "is-held",
    }
}

/// Returns the counts in words.
pub(super) fn summary(counts: VerdictCounts) -> String {
    let parts = [
        (counts.broken, "broken"),
        (counts.undecided, "undecided"),
        (counts.held, "held"),
    ];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    parts
        .map(|(number, word)| format!("{} {word}", count(number)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn foot(view: &View<'_>, topics: &[FactTopic]) -> Markup {
    let all = || view.operations.iter().flat_map(|operation| &operation.facts);
    html! {
        tfoot {
            tr {
                th scope="row" { (counted(view.operations.len(), "operation", "operations")) }
                @for topic in topics {
                    @let counts = VerdictCounts::of(all().filter(|fact| fact.topic == *topic));
                    td { span.number { (count(counts.total())) } (bar(counts, "low")) }
                }
                @let counts = VerdictCounts::of(all());
                td.all { span.number { (count(counts.total())) } (bar(counts, "low")) }
            }
        }
    }
}
