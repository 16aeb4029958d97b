//! The differences in Markdown, for a comment on a merge request or the summary of a step.

use super::{groups, sentence, short, verdict, why_accepted};
use crate::diff::{DanglingReference, Diff, Difference, DocumentLocation, DocumentName, FactChange, Meaning};
use crate::report::MAX_BYTES;
use crate::report::markdown::{cell, code};
use crate::report::phrases::{self, clipped};

/// The maximum length of a title or a reason, in characters.
const LONGEST: usize = 200;
/// The bytes reserved for the line that counts what is left out.
const CLOSING: usize = 100;
/// How many facts that only one document states, and how many dangling references, are listed for each document.
const MAX_LISTED: usize = 50;

/// Returns the differences as Markdown of less than [`MAX_BYTES`].
#[must_use]
pub fn diff_markdown(diff: &Diff) -> String {
    diff_markdown_within(diff, MAX_BYTES - 1)
}

/// Returns the differences as Markdown of at most `max_bytes` bytes; empty if not even the verdict fits.
#[must_use]
pub fn diff_markdown_within(diff: &Diff, max_bytes: usize) -> String {
    let sign = match (diff.count(Meaning::Breaking), diff.count(Meaning::Unclear)) {
        (0, 0) => "✅",
        (0, _) => "⚠️",
        _ => "❌",
    };
    let name = |document: &DocumentName| code(&clipped(&document.to_string(), LONGEST));
    let mut text = format!(
        "### {sign} {} → {}: {}\n",
        name(&diff.old),
        name(&diff.new),
        verdict(diff)
    );
    if text.len() > max_bytes {
        return String::new();
    }
    let mut left_out = 0;
    for group in groups(diff) {
        let head = format!(
            "\n**{}**\n\n| service | client | side | what differs | old line | new line |\n|---|---|---|---|---|---|\n",
            code(&clipped(&group.title(), LONGEST))
        );
        let mut begun = false;
        for difference in group.differences {
            let row = row(difference);
            let needed = row.len() + if begun { 0 } else { head.len() };
            if text.len() + needed + CLOSING > max_bytes {
                left_out += 1;
                continue;
            }
            if !begun {
                text.push_str(&head);
                begun = true;
            }
            text.push_str(&row);
        }
    }
    if left_out > 0 {
        let more = phrases::more_are(left_out, "difference");
        text.push_str(&format!("\n{more} not listed here.\n"));
    }
    for section in [dangling_references(diff), facts(diff)] {
        if text.len() + section.len() <= max_bytes {
            text.push_str(&section);
        }
    }
    text
}

fn row(difference: &Difference) -> String {
    let meaning = match difference.meaning {
        _ if difference.accepted.is_some() => "accepted",
        Meaning::Breaking => "**breaking**",
        other => other.as_str(),
    };
    let why_accepted = why_accepted(difference).map_or_else(String::new, |text| format!(" {}", cell(&text)));
    let line = |location: &DocumentLocation| {
        let line = line_in(location.file.as_deref(), location.line);
        if location.present { line } else { format!("({line})") }
    };
    format!(
        "| {meaning} | {} | {} | {}{why_accepted} | {} | {} |\n",
        difference.client.as_str(),
        difference.side.as_str(),
        cell(&sentence(difference)),
        line(&difference.old),
        line(&difference.new)
    )
}

/// Returns a line, with its file where that is not the document's own.
fn line_in(file: Option<&str>, line: u32) -> String {
    let file = file.map_or_else(String::new, |file| cell(&format!("{file}:")));
    format!("{file}{line}")
}

fn dangling_references(diff: &Diff) -> String {
    let dangling = &diff.dangling_references;
    if dangling.count() == 0 {
        return String::new();
    }
    let mut text = format!(
        "\n<details><summary>Dangling references: {}</summary>\n\n| reference | in | line |\n|---|---|---|\n",
        dangling.count()
    );
    for (word, references) in [("old", &dangling.old), ("new", &dangling.new)] {
        for DanglingReference { target, location } in references.iter().take(MAX_LISTED) {
            let line = line_in(location.file.as_deref(), location.line);
            text.push_str(&format!("| {} | {word} | {line} |\n", cell(&short(target))));
        }
    }
    closed(text, "reference", [dangling.old.len(), dangling.new.len()])
}

/// Closes a list, of which at most [`MAX_LISTED`] are shown for each document; `lengths` says how many each has.
fn closed(mut text: String, what: &str, lengths: [usize; 2]) -> String {
    let left_out = lengths.map(|length| length.saturating_sub(MAX_LISTED)).iter().sum();
    if left_out > 0 {
        text.push_str(&format!("\n{} not listed here.\n", phrases::more_are(left_out, what)));
    }
    text + "\n</details>\n"
}

fn facts(diff: &Diff) -> String {
    let facts = &diff.facts;
    if let Some(reason) = &facts.not_compared {
        return format!("\nFacts are not compared: {}\n", code(&clipped(reason, LONGEST)));
    }
    if facts.gained.is_empty() && facts.lost.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n<details><summary>Facts: {} gained, {} lost</summary>\n\n| fact | | line |\n|---|---|---|\n",
        facts.gained.len(),
        facts.lost.len()
    );
    for (word, changes) in [("lost", &facts.lost), ("gained", &facts.gained)] {
        for FactChange { name, line, file } in changes.iter().take(MAX_LISTED) {
            let line = line_in(file.as_deref(), *line);
            text.push_str(&format!("| {} | {word} | {line} |\n", cell(&short(name))));
        }
    }
    closed(text, "fact", [facts.lost.len(), facts.gained.len()])
}
