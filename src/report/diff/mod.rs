//! Writes what differs between two documents. Each report is given the same [`Diff`] and only writes it.
//!
//! Names, values and paths in a [`Diff`] come from documents that anybody may have written, so each report makes them
//! safe in its own way.

mod annotations;
mod changelog;
mod json;
mod lines;
mod sarif;
mod table;

pub use annotations::diff_github;
pub use changelog::diff_changelog;
pub use json::diff_json;
pub use lines::diff_terminal;
pub use sarif::diff_sarif;
pub use table::{diff_markdown, diff_markdown_within};

use super::phrases::{clipped, counted, on_one_line};
use crate::diff::{Diff, Difference, DocumentLocation, DocumentName, Meaning, OperationName};

/// The maximum length of a name in a text, in characters; most pointers fit.
const LONGEST_NAME: usize = 100;
/// The maximum length of a text, in characters.
const LONGEST_TEXT: usize = 600;

/// The differences of one operation, or of the whole document, the most urgent first.
struct Group<'diff> {
    operation: Option<&'diff OperationName>,
    differences: Vec<&'diff Difference>,
}

impl Group<'_> {
    fn title(&self) -> String {
        self.operation
            .map_or_else(|| "the document".to_owned(), |operation| short(&operation.to_string()))
    }
}

/// Returns the differences by operation, the operation with the most urgent difference first.
fn groups(diff: &Diff) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for difference in &diff.differences {
        let operation = difference.operation.as_ref();
        // The differences of an operation follow each other.
        match groups.last_mut().filter(|group| group.operation == operation) {
            Some(group) => group.differences.push(difference),
            None => groups.push(Group {
                operation,
                differences: vec![difference],
            }),
        }
    }
    for group in &mut groups {
        group.differences.sort_by_key(|difference| urgency(difference));
    }
    groups.sort_by_key(|group| group.differences.first().map(|difference| urgency(difference)));
    groups
}

/// Returns the key that sorts the differences: the most urgent first, the accepted ones last.
fn urgency(difference: &Difference) -> (bool, Meaning) {
    (difference.accepted.is_some(), difference.meaning)
}

/// Returns the word for what a difference means: its meaning, unless it is accepted.
fn word(difference: &Difference) -> &'static str {
    match difference.accepted {
        Some(_) => "accepted",
        None => difference.meaning.as_str(),
    }
}

/// Returns why a difference is accepted, and what it would mean otherwise.
fn why_accepted(difference: &Difference) -> Option<String> {
    let accepted = difference.accepted.as_ref()?;
    let until = accepted.until.map_or_else(String::new, |day| format!(" until {day}"));
    let (meaning, location) = (difference.meaning.as_str(), &accepted.location);
    Some(short(&format!(
        "{meaning}, accepted{until} by {location}: {}",
        accepted.reason
    )))
}

/// Returns the verdict in one line.
fn verdict(diff: &Diff) -> String {
    let dangling = match diff.dangling_references.count() {
        0 => None,
        count => Some(format!(
            "nothing could be compared behind {}",
            counted(count, "dangling reference")
        )),
    };
    if diff.differences.is_empty() {
        return dangling.map_or_else(
            || "the two documents mean the same".to_owned(),
            |dangling| format!("no difference is seen, but {dangling}"),
        );
    }
    let count = |meaning: Meaning| format!("{} {}", diff.count(meaning), meaning.as_str());
    let mut counts = [Meaning::Breaking, Meaning::Unclear, Meaning::Compatible]
        .map(count)
        .to_vec();
    let accepted = diff.differences.len() - diff.unaccepted().count();
    if accepted > 0 {
        counts.push(format!("{accepted} accepted"));
    }
    let differences = counted(diff.differences.len(), "difference");
    format!(
        "{differences}: {}; the next release is a {} release{}",
        counts.join(", "),
        diff.release().as_str(),
        dangling.map_or_else(String::new, |dangling| format!("; {dangling}"))
    )
}

/// Returns a location in words: `new.yaml:12:5`, or what would contain it.
fn location(document: &DocumentName, location: &DocumentLocation) -> String {
    let DocumentLocation {
        line, column, present, ..
    } = location;
    let file = shown_file(document, location.file.as_deref());
    if *present {
        format!("{file}:{line}:{column}")
    } else {
        format!("not in the object at {file}:{line}:{column}")
    }
}

/// Returns the file of a location: that of the document, unless it is another that the document refers to.
fn shown_file(document: &DocumentName, other: Option<&str>) -> String {
    other.map_or_else(|| document.to_string(), str::to_owned)
}

/// Returns the sentence and, if the difference is unclear, the reason.
fn sentence(difference: &Difference) -> String {
    match &difference.reason {
        Some(reason) => short(&format!("{} ({reason})", difference.sentence)),
        None => short(&difference.sentence),
    }
}

/// Returns a text of a document on one line, without anything that a terminal or a CI system interprets. A long name
/// loses its middle, so that the words about it are not cut.
fn short(text: &str) -> String {
    let text = on_one_line(text);
    let words = text.split(' ').map(|word| {
        let characters: Vec<_> = word.chars().collect();
        let (head, tail) = (LONGEST_NAME / 2, characters.len().saturating_sub(LONGEST_NAME / 2));
        match (characters.get(..head), characters.get(tail..)) {
            (Some(first), Some(last)) if head < tail => first.iter().chain(&['…']).chain(last).collect(),
            _ => word.to_owned(),
        }
    });
    clipped(&words.collect::<Vec<_>>().join(" "), LONGEST_TEXT)
}

#[cfg(test)]
mod tests;
