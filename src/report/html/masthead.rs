//! The top of the page with the verdict, what it is based on, and the filter; and the footer.

use maud::{Markup, html};

use super::format::{count, counted, duration, moment, number, percent, share};
use super::view::{VerdictCounts, View};
use crate::report::record::{Outcome, Record};
use crate::report::{accepted, phrases, since};
use crate::rules::Level;

/// Returns the CSS class of an outcome.
fn class_of(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Conforms => "held",
        Outcome::DoesNotConform => "broken",
        Outcome::CouldNotJudge | Outcome::Interrupted | Outcome::WriteLogFailed => "undecided",
    }
}

/// Returns the verdict and what it is based on.
pub(super) fn masthead(view: &View<'_>) -> Markup {
    let record = view.record;
    html! {
        header.masthead {
            p.brand { "countersign" span { (record.contract.title) } }
            h1 {
                span.target { (phrases::target_url(record)) } " "
                span class={ "verdict " (class_of(record.outcome)) } { (phrases::outcome(record.outcome)) (phrases::in_operations(record)) }
            }
            p.because { (because(record)) }
            @if let Some(cause) = phrases::suspected_cause(record) { p.because { (capitalized(cause)) } }
            (balance(record))
            (about(record))
            (accepted_deviations(record))
        }
    }
}

/// Returns the reason for the verdict, in one sentence.
fn because(record: &Record) -> Markup {
    let of_level = |level| record.findings.iter().filter(|finding| finding.level == level).count();
    let (deny, warn) = (of_level(Level::Deny), of_level(Level::Warn));
    let (unchecked, more) = phrases::unchecked_operations(record);
    html! {
        @if let Some(reason) = &record.reason { strong { (capitalized(reason)) ". " } }
        @match (deny, warn) {
            (0, 0) => { "No finding." }
            (0, warn) => { "No error, " (counted(warn, "warning", "warnings")) "." }
            (deny, 0) => { (counted(deny, "error", "errors")) "." }
            (deny, warn) => { (counted(deny, "error", "errors")) ", " (counted(warn, "warning", "warnings")) "." }
        }
        @for (name, reason) in &unchecked { " " code { (name) } " was not checked: " (reason) "." }
        @if more > 0 { " " (count(more)) " more " (phrases::was_or_were(more)) " not checked." }
        @if let Some(omitted) = phrases::omitted_operations(record) { " " (omitted) "." }
    }
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Returns how many facts are held, broken and undecided.
fn balance(record: &Record) -> Markup {
    let facts = &record.facts;
    let counts = VerdictCounts {
        held: facts.held,
        broken: facts.broken,
        undecided: facts.undecided,
    };
    html! {
        div.balance {
            (bar(counts, "tall"))
            dl.counts {
                div.held { dt { "held" } dd { (count(facts.held)) } }
                div.broken { dt { "broken" } dd { (count(facts.broken)) } }
                div.undecided { dt { "undecided" } dd { (count(facts.undecided)) } }
                div.total { dt { "facts" } dd { (count(facts.total)) } }
            }
        }
    }
}

/// Draws a bar of three parts. It is only visual: its numbers are next to it.
pub(super) fn bar(counts: VerdictCounts, css_class: &str) -> Markup {
    let total = counts.total();
    let (broken, undecided) = (share(counts.broken, total), share(counts.undecided, total));
    html! {
        svg class={ "bar " (css_class) } aria-hidden="true" focusable="false" width="100%" height="100%" {
            @if total > 0 { rect.held width="100%" height="100%" {} }
            @if counts.undecided > 0 {
                rect.undecided x=(percent(1.0 - undecided)) width=(percent(undecided)) height="100%" {}
            }
            // The broken part is always visible, however small it is.
            @if counts.broken > 0 { rect.broken width=(percent(broken.max(0.008))) height="100%" {} }
        }
    }
}

fn about(record: &Record) -> Markup {
    let requests = &record.requests;
    html! {
        dl.about {
            div { dt { "Contract" } dd { code { (record.contract.file) } } }
            div {
                dt { "Run" }
                dd { time datetime=(record.started_at) { (moment(&record.started_at)) } ", " (duration(record.duration_ms)) }
            }
            @if let Some(new) = since::new_facts(record) { div { dt { "Since" } dd { (new) } } }
            @if let Some(traffic) = &record.traffic { div { dt { "Traffic" } dd { (phrases::traffic(traffic)) } } }
            @if !record.is_traffic_only() {
                div {
                    dt { "Requests" }
                    dd {
                        (number(requests.sent)) ", " (number(requests.writes)) " of them writes"
                        @if requests.throttled > 0 { ", " (number(requests.throttled)) " with 429 or 503" }
                        @if requests.unfinished > 0 {
                            ", " (number(requests.unfinished)) " without a complete response"
                        }
                        @if requests.rounds > 1 { ", in " (number(requests.rounds)) " rounds" }
                    }
                }
            }
            @if let Some(shard) = &record.shard {
                div { dt { "Shard" } dd { (shard.number) " of " (shard.of) "; the verdict covers only this shard" } }
            }
            @if let Some(shards) = &record.shards { div { dt { "Shards" } dd { (phrases::shards(shards)) } } }
            @if !record.is_traffic_only() { div { dt { "Seed" } dd { (record.seed) } } }
            div { dt { "Exit code" } dd { (record.exit_code) } }
        }
    }
}

/// Returns how many findings were accepted, and the accepted deviations that need action.
fn accepted_deviations(record: &Record) -> Markup {
    let rendered = accepted::describe_accepted(&record.accepted);
    html! {
        @if let Some((head, entries)) = rendered {
            p.accepted { "Accepted: " (head) "." }
            @if !entries.is_empty() {
                ul.accepted { @for (place, what) in entries { li { code { (place) } " " (what) } } }
            }
        }
    }
}

/// Returns the links to the sections, and the filter, which the script shows.
pub(super) fn toolbar(view: &View<'_>) -> Markup {
    let record = view.record;
    let link = |place: &str, words: &str, number: usize| {
        html! { li { a href={ "#" (place) } { (words) " " span.number { (count(number)) } } } }
    };
    html! {
        div.toolbar {
            nav aria-label="Sections" {
                ul {
                    (link("findings", "Findings", record.findings.len()))
                    (link("undecided", "Undecided", record.facts.undecided))
                    (link("facts", "Facts", record.facts.rows.len()))
                    (link("exchanges", "Exchanges", record.exchanges.len()))
                    (link("gaps", "Gaps", record.gaps.len()))
                    (link("residue", "Residue", phrases::all_residue(record).count()))
                }
            }
            (filter())
        }
    }
}

fn filter() -> Markup {
    html! {
        form.filter role="search" aria-label="Filter" hidden {
            label.screen-reader-only for="words" { "Show only what contains these words" }
            input #words type="search" autocomplete="off" spellcheck="false" placeholder="Filter" aria-keyshortcuts="/";
            fieldset.verdicts {
                legend.screen-reader-only { "Show only facts with these verdicts" }
                @for (letter, words) in [("b", "broken"), ("u", "undecided"), ("h", "held")] {
                    button.chip type="button" data-verdict=(letter) aria-pressed="false" { (words) }
                }
            }
            button.chip.chosen #place type="button" hidden {}
            button.chip.chosen #reason type="button" hidden {}
            button.quiet #clear type="button" aria-keyshortcuts="Escape" hidden { "Show all" }
            button.quiet #theme type="button" { "Dark" }
            p #shown role="status" aria-live="polite" {}
        }
    }
}

/// Returns the footer: which version made the page, and the keyboard shortcuts.
pub(super) fn footer(view: &View<'_>) -> Markup {
    html! {
        footer {
            p { "Made by countersign " (view.record.countersign) ". " (if view.record.values_shown { "Values of the target are shown, because they were requested." } else { "Responses are shown as shapes, without values of the target." }) }
            p.keys hidden {
                kbd { "/" } " filter " kbd { "j" } " " kbd { "k" } " next, previous " kbd { "Enter" } " open or close "
                kbd { "Esc" } " show all"
            }
        }
    }
}
