//! The differences for people: by operation, with the lines of both files.

use std::fmt::Write as _;

use super::{groups, location, sentence, short, shown_file, verdict, why_accepted, word};
use crate::diff::{DanglingReference, Diff, Difference, DifferenceScope, DocumentName, FactChange, Meaning};
use crate::exchange::sanitize::sanitize_json;
use crate::report::phrases::on_one_line;
use crate::report::wrap::hanging_indent;
use crate::report::{Terminal, Verbosity};

/// How many facts that only one document states are listed for each document, and how many references that lead to
/// nothing, unless the report is verbose.
const MAX_FACTS: usize = 20;
/// The width of lines, unless the terminal is narrower.
const WIDTH: usize = 100;

/// Returns the differences as lines for people.
#[must_use]
pub fn diff_terminal(diff: &Diff, terminal: &Terminal) -> String {
    let mut text = String::new();
    if terminal.verbosity > Verbosity::Quiet {
        for group in groups(diff) {
            // Writing into a String does not fail.
            let _ = writeln!(text, "{}", group.title());
            for difference in group.differences {
                text.push_str(&entry(diff, difference, terminal));
            }
            text.push('\n');
        }
        facts(diff, terminal, &mut text);
        dangling_references(diff, terminal, &mut text);
    }
    let names = format!("{} -> {}", diff.old, diff.new);
    let _ = writeln!(text, "{}: {}", on_one_line(&names), verdict(diff));
    terminal.sanitize(&text)
}

fn entry(diff: &Diff, difference: &Difference, terminal: &Terminal) -> String {
    let width = terminal.width.unwrap_or(WIDTH).clamp(40, WIDTH);
    let head = format!("  {:<10}  {:<9}  ", word(difference), difference.side.as_str());
    let below = " ".repeat(head.len());
    let (old, new) = (
        location(&diff.old, &difference.old),
        location(&diff.new, &difference.new),
    );
    let locations = format!("{old}; {new}; client: {}", difference.client.as_str());
    let mut lines = hanging_indent(&head, &sentence(difference), width);
    lines.push('\n');
    lines.push_str(&hanging_indent(&below, &on_one_line(&locations), width));
    lines.push('\n');
    if let Some(why_accepted) = why_accepted(difference) {
        lines.push_str(&hanging_indent(&below, &why_accepted, width));
        lines.push('\n');
    } else if terminal.verbosity == Verbosity::Verbose && difference.meaning == Meaning::Breaking {
        for line in entry_to_accept(difference) {
            lines.push_str(&format!("{below}{line}\n"));
        }
    }
    let colour = match difference.meaning {
        _ if difference.accepted.is_some() => "32",
        Meaning::Breaking => "31",
        Meaning::Unclear => "33",
        Meaning::Compatible => "32",
    };
    let word = word(difference);
    lines.replacen(word, &terminal.styling.emphasized(word, colour), 1)
}

/// Returns the entry of the configuration that would accept a difference, once it has a reason. Nothing in it is cut,
/// because a cut entry would accept nothing.
fn entry_to_accept(difference: &Difference) -> Vec<String> {
    let DifferenceScope {
        kind,
        operation,
        sentence,
    } = difference.scope();
    let keys = [
        ("kind", Some(kind.name().to_owned())),
        ("operation", operation),
        ("sentence", sentence),
        ("reason", Some(String::new())),
    ];
    let keys = keys.into_iter().filter_map(|(key, value)| {
        // A JSON string is a TOML string too.
        let value = sanitize_json(&serde_json::Value::from(value?).to_string());
        Some(format!("{key} = {value}"))
    });
    ["[[differences]]".to_owned()].into_iter().chain(keys).collect()
}

fn dangling_references(diff: &Diff, terminal: &Terminal, text: &mut String) {
    let dangling = &diff.dangling_references;
    let of = |document: &DocumentName, references: &[DanglingReference]| -> Vec<String> {
        let at =
            |one: &DanglingReference| format!("{} ({})", short(&one.target), short(&location(document, &one.location)));
        references.iter().map(at).collect()
    };
    let all = [of(&diff.old, &dangling.old), of(&diff.new, &dangling.new)].concat();
    if all.is_empty() {
        return;
    }
    let _ = writeln!(text, "dangling references:");
    let max_lines = if terminal.verbosity == Verbosity::Verbose {
        all.len()
    } else {
        MAX_FACTS
    };
    for reference in all.iter().take(max_lines) {
        let _ = writeln!(text, "  {reference}");
    }
    if all.len() > max_lines {
        let _ = writeln!(text, "  and {} more; verbose output lists all", all.len() - max_lines);
    }
    text.push('\n');
}

fn facts(diff: &Diff, terminal: &Terminal, text: &mut String) {
    let facts = &diff.facts;
    if let Some(reason) = &facts.not_compared {
        let _ = writeln!(text, "facts are not compared: {}\n", short(reason));
    }
    if facts.gained.is_empty() && facts.lost.is_empty() {
        return;
    }
    let _ = writeln!(text, "facts: {} gained, {} lost", facts.gained.len(), facts.lost.len());
    let all = terminal.verbosity == Verbosity::Verbose;
    for (word, document, changes) in [("lost", &diff.old, &facts.lost), ("gained", &diff.new, &facts.gained)] {
        let max_lines = if all { changes.len() } else { MAX_FACTS };
        for FactChange { name, line, file } in changes.iter().take(max_lines) {
            let _ = writeln!(
                text,
                "  {word:<6}  {}  ({}:{line})",
                short(name),
                short(&shown_file(document, file.as_deref()))
            );
        }
        let more = changes.len().saturating_sub(max_lines);
        if more > 0 {
            let _ = writeln!(text, "  {word:<6}  and {more} more; verbose output lists all");
        }
    }
    text.push('\n');
}
