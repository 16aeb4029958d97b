//! The reader of the document leaves nothing out: if any line of the document is removed, the comparison fails.
//!
//! A line whose removal goes unnoticed is either named here as background, or was never read.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::contract::Contract;
use super::{CONTRACT, DOCUMENT, Mirrored, contracted};

/// Lines that say nothing of their own: each repeats what a table or another sentence says.
const BACKGROUND: [&str; 5] = [
    "This document covers the whole interface: contacts, contact methods, venues, visits and tags. It is the only document.",
    "No query parameters other than page are given for any list endpoint.",
    "- Create tag documents status 401 for a failed authentication.",
    "- The query parameter page defaults to 1 on every list endpoint.",
    "- List responses report per_page, page, total and last_page.",
];

#[test]
fn every_line_of_the_document_counts_but_for_the_background() {
    let contracted = contracted(&Contract::read(CONTRACT));
    let differences = |text: &str| Mirrored::read(text).said.differences(&contracted);
    // The contract may be under change: what it lacks already is reported by itself.
    let now = differences(DOCUMENT);
    let differs = |text: &str| differences(text) != now;
    // A document that can't be read any more is noticed as well.
    let is_missed = |dropped: usize| catch_unwind(AssertUnwindSafe(|| differs(&without(dropped)))).unwrap_or(true);
    let lines = DOCUMENT.lines().enumerate();
    let spoken = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("|---"));
    let unread: Vec<_> = spoken
        .filter(|(index, _)| !is_missed(*index))
        .map(|(_, line)| line)
        .collect();
    assert_eq!(unread, BACKGROUND);
}

/// The document without one of its lines.
fn without(dropped: usize) -> String {
    let kept = DOCUMENT.lines().enumerate().filter(|(index, _)| *index != dropped);
    kept.map(|(_, line)| format!("{line}\n")).collect()
}
