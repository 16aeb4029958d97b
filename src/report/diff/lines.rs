//! The differences for people: by operation, with the lines of both files.

use std::fmt::Write as _;

use super::{groups, location, sentence, verdict};
use crate::diff::{Diff, Difference, FactChange, Meaning};
use crate::exchange::sanitize::{Colours, sanitize};
use crate::report::wrap::hanging_indent;
use crate::report::{Styling, Terminal, Verbosity};

/// How many facts are listed of those that one document alone states, unless a verbose report is asked for.
const MOST_FACTS: usize = 20;
/// The width of lines where there is no terminal.
const WIDTH: usize = 100;

/// Returns the differences as lines for people.
#[must_use]
pub fn diff_terminal(diff: &Diff, terminal: &Terminal) -> String {
    let mut text = String::new();
    if terminal.verbosity > Verbosity::Quiet {
        for group in groups(diff) {
            // Writing into a String does not fail.
            let _ = writeln!(text, "{}", plain(&group.title()));
            for difference in group.differences {
                text.push_str(&entry(diff, difference, terminal));
            }
            text.push('\n');
        }
        facts(diff, terminal, &mut text);
    }
    let names = format!("{} -> {}", diff.old.file, diff.new.file);
    let _ = writeln!(text, "{}: {}", plain(&names), verdict(diff));
    let colours = if terminal.styling == Styling::Coloured {
        Colours::Kept
    } else {
        Colours::None
    };
    sanitize(&text, colours)
}

fn entry(diff: &Diff, difference: &Difference, terminal: &Terminal) -> String {
    let width = terminal.width.unwrap_or(WIDTH).clamp(40, WIDTH);
    let head = format!(
        "  {:<10}  {:<9}  ",
        difference.meaning.as_str(),
        difference.side.as_str()
    );
    let below = " ".repeat(head.len());
    let (old, new) = (
        location(&diff.old.file, &difference.old),
        location(&diff.new.file, &difference.new),
    );
    let places = format!("{old}; {new}; client: {}", difference.client.as_str());
    let mut lines = hanging_indent(&head, &plain(&sentence(difference)), width);
    lines.push('\n');
    lines.push_str(&hanging_indent(&below, &plain(&places), width));
    lines.push('\n');
    coloured(lines, difference.meaning, terminal.styling)
}

/// Colours the word for the meaning.
fn coloured(lines: String, meaning: Meaning, styling: Styling) -> String {
    if styling == Styling::Plain {
        return lines;
    }
    let colour = match meaning {
        Meaning::Breaking => "\u{1b}[1;31m",
        Meaning::Unclear => "\u{1b}[1;33m",
        Meaning::Compatible => "\u{1b}[32m",
    };
    lines.replacen(meaning.as_str(), &format!("{colour}{}\u{1b}[0m", meaning.as_str()), 1)
}

fn facts(diff: &Diff, terminal: &Terminal, text: &mut String) {
    let facts = &diff.facts;
    if let Some(reason) = &facts.not_compared {
        let _ = writeln!(text, "facts are not compared: {}\n", plain(reason));
    }
    if facts.gained.is_empty() && facts.lost.is_empty() {
        return;
    }
    let _ = writeln!(text, "facts: {} gained, {} lost", facts.gained.len(), facts.lost.len());
    let all = terminal.verbosity == Verbosity::Verbose;
    for (word, file, changes) in [
        ("lost", &diff.old.file, &facts.lost),
        ("gained", &diff.new.file, &facts.gained),
    ] {
        let most = if all { changes.len() } else { MOST_FACTS };
        for FactChange { name, line } in changes.iter().take(most) {
            let _ = writeln!(text, "  {word:<6}  {}  ({}:{line})", plain(name), plain(file));
        }
        let more = changes.len().saturating_sub(most);
        if more > 0 {
            let _ = writeln!(text, "  {word:<6}  and {more} more: a verbose or JSON report has all");
        }
    }
    text.push('\n');
}

/// Returns a text of a document on one line, without anything that a terminal interprets.
fn plain(text: &str) -> String {
    crate::report::phrases::line(text)
}
