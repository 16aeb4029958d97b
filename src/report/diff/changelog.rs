//! The differences as a section of a changelog, in the format of keepachangelog.com, version 1.1.0: what the next
//! release of the generated client, or of the service, says about itself.

use super::{groups, sentence};
use crate::diff::{ClientEffect, Diff, Difference, Kind, Meaning};
use crate::report::markdown::code;

/// The sections, in the order of the format.
const SECTIONS: [&str; 4] = ["Added", "Changed", "Deprecated", "Removed"];

/// Returns the differences as a section of a changelog.
#[must_use]
pub fn diff_changelog(diff: &Diff) -> String {
    let groups = groups(diff);
    let entries = groups.iter().flat_map(|group| {
        let title = group.title();
        let entries = group.differences.iter();
        entries.map(move |difference| (section(difference), entry(&title, difference)))
    });
    let entries: Vec<_> = entries.collect();
    let mut text = format!(
        "## Unreleased\n\nThe next release is a {} release.\n",
        diff.release().as_str()
    );
    for section in SECTIONS {
        let of_section: Vec<_> = entries.iter().filter(|(of, _)| *of == section).collect();
        if !of_section.is_empty() {
            text.push_str(&format!("\n### {section}\n\n"));
            of_section.iter().for_each(|(_, entry)| text.push_str(entry));
        }
    }
    text
}

/// Returns the section of a difference, by its kind.
fn section(difference: &Difference) -> &'static str {
    let name = difference.kind.name();
    let ends = difference.kind == Kind::Deprecation && difference.sentence.ends_with(" is no longer deprecated");
    if ends {
        "Changed"
    } else if matches!(difference.kind, Kind::Deprecation | Kind::Sunset) {
        "Deprecated"
    } else if name.ends_with("-added") || name.ends_with("-gained") {
        "Added"
    } else if name.ends_with("-removed") || name.ends_with("-lost") {
        "Removed"
    } else {
        "Changed"
    }
}

fn entry(title: &str, difference: &Difference) -> String {
    let breaks = match (difference.meaning, difference.client) {
        (Meaning::Breaking, _) => "**Breaking.** ",
        (_, ClientEffect::Major) => "**Breaking for the client.** ",
        _ => "",
    };
    format!("- {breaks}{}: {}.\n", code(title), prose(&sentence(difference)))
}

/// Returns a sentence in which what is between backticks is code, and nothing else is markup.
fn prose(sentence: &str) -> String {
    let parts: Vec<_> = sentence.split('`').collect();
    if parts.len().is_multiple_of(2) {
        // A name in it has a backtick of its own.
        return code(sentence);
    }
    let parts = parts.iter().enumerate().map(|(index, part)| {
        if index.is_multiple_of(2) {
            escaped(part)
        } else {
            code(part)
        }
    });
    parts.collect()
}

fn escaped(text: &str) -> String {
    let is_markup = |character: &char| "\\*_[]<>&#|~!$".contains(*character);
    let escaped = text
        .chars()
        .flat_map(|character| is_markup(&character).then_some('\\').into_iter().chain([character]));
    escaped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_code_and_nothing_else_is_markup() {
        assert_eq!(prose("`/a|b` is *new* [here](x)"), r"`/a|b` is \*new\* \[here\](x)");
        assert_eq!(prose("`a`b` is new"), "`` `a`b` is new ``");
    }
}
