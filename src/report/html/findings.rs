//! The findings: what the contract documents next to what was received, and how to reproduce it.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::format::{count, counted, number};
use super::source::source;
use super::topics::FactTopic;
use super::view::View;
use crate::report::groups::{Group, explain_count, groups};
use crate::report::phrases;
use crate::report::record::FindingRecord;
use crate::rules::Rule;

/// How many groups are unfolded, from the first.
const UNFOLDED: usize = 6;

/// Returns the section.
pub(super) fn section(view: &View<'_>) -> Markup {
    let groups = groups(view.record);
    // The number of the first finding of each group, from 1.
    let numbers: Vec<_> = groups
        .iter()
        .scan(1, |next, group| Some(std::mem::replace(next, *next + group.len())))
        .collect();
    html! {
        section #findings aria-labelledby="findings-title" tabindex="-1" {
            h2 #findings-title { "Findings " span.number { (count(view.record.findings.len())) } }
            @if groups.is_empty() {
                p.none {
                    @if view.record.facts.held + view.record.facts.broken == 0 {
                        "Nothing was judged, so nothing was found."
                    } @else if let Some(sum) = explain_count(view.record, groups.len()) { (sum) "." }
                    @else { "Nothing that was judged contradicts the contract." }
                }
            } @else {
                p.hint {
                    "The most urgent come first; findings with one cause are one block."
                    @if let Some(sum) = explain_count(view.record, groups.len()) { " " (sum) "." }
                }
            }
            p.no-match hidden { "No finding matches the filter." }
            @for (index, (group, number)) in groups.iter().zip(&numbers).enumerate() {
                @let above = group.reproduced_by.and_then(|above| Some((*numbers.get(above)?, groups.get(above)?)));
                (block(view, group, *number, above, index < UNFOLDED))
            }
        }
    }
}

/// Returns the block of a group whose first finding has this number.
fn block(view: &View<'_>, group: &Group<'_>, number: usize, above: Option<(usize, &Group<'_>)>, open: bool) -> Markup {
    let finding = group.first;
    let of_page = |name: &str| view.operation(name).map_or(0, |operation| operation.number);
    // The cells of the overview count a fact with its own operation, which may not be the one that broke it.
    let operations = group.findings().flat_map(|finding| {
        let of_fact = view.fact(finding).map(|fact| fact.row.operation.as_str());
        of_fact.into_iter().chain([finding.operation.as_str()]).map(of_page)
    });
    let operations: BTreeSet<_> = operations.collect();
    let topic = |finding: &FindingRecord| {
        let column = view.fact(finding).map(|fact| fact.topic);
        column.unwrap_or_else(|| FactTopic::of_rule(&finding.rule)).index()
    };
    let topics: BTreeSet<_> = group.findings().map(topic).collect();
    let seen = group
        .findings()
        .map(|finding| finding.count)
        .fold(0, u64::saturating_add);
    html! {
        details class={ "finding " (finding.level) } #{ "finding-" (number) } data-operation=(listed(&operations))
            data-topic=(listed(&topics)) data-count=(group.len()) open[open] {
            summary {
                span.level { (phrases::level_word(finding.level)) }
                h3 { (headline(group)) }
                span.brief { span.rule { (finding.rule) } " " span.seen { "×" (self::number(seen)) } }
            }
            div.sides {
                (documented(view, finding))
                (received(view, finding))
            }
            @if let Some(recorded) = &finding.recorded_in { p.hint { (phrases::recorded_in(recorded)) } }
            (others(view, group, number))
            (reproduce(finding, above))
            (explained(finding.rule.rule(), finding))
            p.links {
                (fact_link(view, finding))
                a href={ "#finding-" (number) } { "Link to this finding" }
            }
        }
    }
}

/// Returns numbers separated by spaces, for an attribute.
fn listed(numbers: &BTreeSet<usize>) -> String {
    let numbers: Vec<_> = numbers.iter().map(usize::to_string).collect();
    numbers.join(" ")
}

/// Returns the headline, with the operation set apart if there is only one.
fn headline(group: &Group<'_>) -> Markup {
    let (headline, operation) = (group.headline(), &group.first.operation);
    match headline.strip_prefix(operation.as_str()) {
        Some(rest) if rest.starts_with([':', ' ']) => html! { span.of { (operation) } (rest) },
        _ => html! { (headline) },
    }
}

fn fact_link(view: &View<'_>, finding: &FindingRecord) -> Markup {
    html! {
        @if let Some(fact) = view.fact(finding) { a href={ "#fact-" (fact.number) } { "The fact" } " " }
    }
}

/// Returns the findings of a group except the first, whose number is given.
fn others(view: &View<'_>, group: &Group<'_>, number: usize) -> Markup {
    html! {
        @if !group.rest.is_empty() {
            div.others {
                h4 { "Also" }
                ul {
                    @for (finding, number) in group.rest.iter().zip(number + 1..) {
                        li #{ "finding-" (number) } {
                            @let name = fact_name(&finding.fact, &finding.operation);
                            @if let Some(fact) = view.fact(finding) { a href={ "#fact-" (fact.number) } { (name) } }
                            @else { (name) }
                            ": received " (phrases::received_with_location(finding))
                            ", " (finding.line())
                            @if let Some(recorded) = &finding.recorded_in { ", " (phrases::recorded_in(recorded)) }
                        }
                    }
                }
            }
        }
    }
}

/// Returns a fact's name with its operation set apart.
pub(super) fn fact_name(fact: &str, operation: &str) -> Markup {
    match fact.strip_prefix(operation).and_then(|rest| rest.strip_prefix(' ')) {
        Some(rest) => html! { span.of { (operation) } " " (rest) },
        None => html! { (fact) },
    }
}

fn documented(view: &View<'_>, finding: &FindingRecord) -> Markup {
    html! {
        div.side.documented {
            h4 { (if finding.is_learned() { "Learned" } else { "Documented" }) }
            p.said { (finding.documented) }
            (source(&finding.excerpt))
            p.where {
                (finding.file(&view.record.contract)) ":" (finding.contract_line) " "
                code { (finding.contract_pointer) }
            }
        }
    }
}

fn received(view: &View<'_>, finding: &FindingRecord) -> Markup {
    html! {
        div.side.received {
            h4 { "Received" }
            p.said { (phrases::what_was_received(finding)) }
            dl.where {
                div {
                    dt { @if finding.response_pointer.is_empty() { "in" } @else { "at" } }
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

/// Returns the line that reproduces a finding, or a link to the group above that has this line.
fn reproduce(finding: &FindingRecord, above: Option<(usize, &Group<'_>)>) -> Markup {
    if let Some((number, above)) = above {
        return html! {
            div.again {
                div.again-head { h4 { "Reproduce" } }
                p { "Use the command of " a href={ "#finding-" (number) } { (above.headline()) } }
            }
        };
    }
    html! {
        div.again {
            div.again-head {
                h4 { "Reproduce" }
                button.copy type="button" hidden { "Copy" span.screen-reader-only { " the command" } }
            }
            pre { code { (finding.reproduce) } }
        }
    }
}

/// Explains the rule, if this version knows it.
fn explained(rule: Option<&Rule>, finding: &FindingRecord) -> Markup {
    html! {
        dl.explained {
            div { dt { "Rule" } dd { code { (finding.rule) } @if let Some(rule) = rule { ": " (rule.summary) } } }
            @if let Some(rule) = rule { div { dt { "Fix" } dd { (rule.fix) } } }
        }
    }
}
