//! The findings: what the contract documents beside what was received, and how to reproduce it.

use maud::{Markup, html};

use super::source::source;
use super::view::View;
use super::words::{count, counted, number};
use crate::report::phrases;
use crate::report::record::FindingRecord;
use crate::rules::{Level, Rule};

/// So many findings are unfolded; of more, the first of them are.
const UNFOLDED: usize = 6;

/// The section.
pub(super) fn section(view: &View<'_>) -> Markup {
    let findings = &view.record.findings;
    let firsts = phrases::same_lines(view.record);
    html! {
        section #findings aria-labelledby="findings-title" tabindex="-1" {
            h2 #findings-title { "Findings " span.number { (count(findings.len())) } }
            @if findings.is_empty() {
                p.none {
                    @if view.record.facts.held == 0 { "Nothing was judged, so nothing was found." }
                    @else { "Nothing that was judged contradicts the contract." }
                }
            } @else {
                p.hint { "What to fix first comes first." }
            }
            p.no-match hidden { "No finding matches the filter." }
            @for (index, first) in firsts.into_iter().enumerate() { (finding(view, index, first)) }
        }
    }
}

fn finding(view: &View<'_>, index: usize, first: Option<usize>) -> Markup {
    let finding = &view.record.findings[index];
    let operation = view
        .operation(&finding.operation)
        .map_or(0, |operation| operation.number);
    let fact = view.fact(finding);
    let kind = fact.map_or_else(|| super::kinds::Column::of_rule(&finding.rule), |fact| fact.kind);
    let level = finding.level.to_string();
    let rule = finding.rule.rule();
    html! {
        details class={ "finding " (level) } #{ "finding-" (index + 1) } data-o=(operation) data-k=(kind.index())
            open[index < UNFOLDED] {
            summary {
                span.level { (words(finding.level)) }
                h3 { (fact_name(&finding.fact, &finding.operation)) }
                span.brief { span.in-short { (finding.received) ", " } span.rule { (finding.rule) } " " span.seen { "×" (number(finding.count)) } }
            }
            div.sides {
                (documented(view, finding))
                (received(view, finding))
            }
            (again(view, finding, first))
            (explained(rule, finding))
            p.links {
                @if let Some(fact) = fact { a href={ "#fact-" (fact.number) } { "The fact" } " " }
                a href={ "#finding-" (index + 1) } { "Link to this finding" }
            }
        }
    }
}

fn words(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Allow => "allowed",
    }
}

/// A fact's name with its operation set apart.
pub(super) fn fact_name(fact: &str, operation: &str) -> Markup {
    match fact.strip_prefix(operation).and_then(|rest| rest.strip_prefix(' ')) {
        Some(rest) => html! { span.of { (operation) } " " (rest) },
        None => html! { (fact) },
    }
}

fn documented(view: &View<'_>, finding: &FindingRecord) -> Markup {
    html! {
        div.side.documented {
            h4 { "Documented" }
            p.said { (finding.documented) }
            (source(&finding.excerpt))
            p.where {
                (view.record.contract.file) ":" (finding.contract_line) " "
                code { (finding.contract_pointer) }
            }
        }
    }
}

fn received(view: &View<'_>, finding: &FindingRecord) -> Markup {
    html! {
        div.side.received {
            h4 { "Received" }
            p.said { (finding.received) }
            dl.where {
                div {
                    dt { "at" }
                    dd {
                        @if finding.response_pointer.is_empty() { "the whole response" }
                        @else { code { (finding.response_pointer) } }
                    }
                }
                div { dt { "seen" } dd { (times(finding.count)) } }
                @if let Some(exchange) = finding.exchange {
                    div {
                        dt { "first in" }
                        dd {
                            @if view.shows(exchange) {
                                a href={ "#exchange-" (exchange) } { "exchange " (exchange) }
                            } @else { "exchange " (exchange) }
                        }
                    }
                }
            }
        }
    }
}

fn times(times: u64) -> String {
    usize::try_from(times).map_or_else(|_| number(times), |times| counted(times, "time", "times"))
}

/// How to reproduce it: the line, or where it stands.
fn again(view: &View<'_>, finding: &FindingRecord, first: Option<usize>) -> Markup {
    if let Some(first) = first {
        return html! {
            div.again {
                div.again-head { h4 { "Reproduce" } }
                p { "By the line of " a href={ "#finding-" (first + 1) } { (view.record.findings[first].fact) } }
            }
        };
    }
    html! {
        div.again {
            div.again-head {
                h4 { "Reproduce" }
                button.copy type="button" hidden { "Copy" span.for-reader { " the curl line" } }
            }
            pre { code { (finding.reproduce) } }
        }
    }
}

/// What the rule is about, where this version knows it.
fn explained(rule: Option<&Rule>, finding: &FindingRecord) -> Markup {
    html! {
        dl.explained {
            div { dt { "Rule" } dd { code { (finding.rule) } @if let Some(rule) = rule { ": " (rule.summary) } } }
            @if let Some(rule) = rule { div { dt { "Fix" } dd { (rule.fix) } } }
        }
    }
}
