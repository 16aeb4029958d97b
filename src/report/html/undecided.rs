//! The undecided facts, by reason.

use maud::{Markup, html};

use super::findings::fact_name;
use super::format::{count, counted};
use super::view::{FactView, View};

/// How many facts are listed for each reason; the section of facts has them all.
const LISTED: usize = 200;

/// Returns the section.
pub(super) fn section(view: &View<'_>) -> Markup {
    html! {
        section #undecided aria-labelledby="undecided-title" {
            h2 #undecided-title { "Undecided " span.number { (count(view.record.facts.undecided)) } }
            @if view.reasons.is_empty() {
                p.none { "Every fact was decided." }
            } @else {
                p.hint { "An undecided fact never counts as held. The reasons:" }
                @for (index, (reason, facts)) in view.reasons.iter().enumerate() { (group(index, reason, facts)) }
            }
        }
    }
}

fn group(index: usize, reason: &str, facts: &[FactView<'_>]) -> Markup {
    html! {
        details.reason {
            summary { span.number { (count(facts.len())) } " " span.why { (reason) } }
            button.quiet.by-reason type="button" data-reason=(index) hidden { "Show these facts" }
            ul {
                @for fact in facts.iter().take(LISTED) {
                    li { a href={ "#fact-" (fact.number) } { (fact_name(&fact.row.fact, &fact.row.operation)) } }
                }
            }
            @if facts.len() > LISTED {
                p.hint { (counted(facts.len() - LISTED, "more is", "more are")) " among the facts below." }
            }
        }
    }
}
