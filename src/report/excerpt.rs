//! The lines of the contract that a finding points to, so that a report can be written without the contract. The main
//! type is [`Excerpt`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::document::{Document, Position};

/// The lines between two marks are shown too if the marks are at most this many lines apart.
const NEAR: u32 = 6;
/// The maximum length of a line, in characters. A contract may be a single line of megabytes.
pub(super) const LONGEST_LINE: usize = 400;
/// The characters that are shown before the first mark of a longer line.
const BEFORE: usize = 80;

/// Lines of a contract, and what is marked in them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Excerpt {
    /// The lines, in order.
    pub lines: Vec<ExcerptLine>,
    /// The name or value that states the fact.
    pub primary: Mark,
    /// The name of the schema, if the fact is stated by a keyword such as `type` that means little alone.
    #[serde(rename = "owner")]
    pub schema_name: Option<Mark>,
}

/// One line of a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExcerptLine {
    /// Its number, from 1.
    pub number: u32,
    /// The number of UTF-16 code units of the line before the text; absent if none are cut, as in all but very long
    /// lines.
    #[serde(default, skip_serializing_if = "super::record::is_zero")]
    pub cut_before: usize,
    /// Its text without the line ending; of a very long line, only what is around the marks.
    pub text: String,
}

/// A name or value in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// The number of the line, from 1.
    pub line: u32,
    /// The index of its first character in the excerpt's line, from 0.
    pub start: usize,
    /// The index after its last character.
    pub end: usize,
}

impl Excerpt {
    /// Returns the line at a JSON pointer. If the pointer's last name is a keyword of a schema, the line of the
    /// schema's own name is included.
    #[must_use]
    pub fn of(document: &Document, pointer: &str) -> Self {
        let primary = document.position(pointer);
        let schema_name = pointer
            .rsplit_once('/')
            .filter(|(_, keyword)| is_keyword(keyword))
            .map(|(schema, _)| document.position(schema))
            .filter(|name| name.file == primary.file && is_shown_with(*name, primary));
        let mut numbers: Vec<u32> = schema_name.iter().map(|name| name.line).chain([primary.line]).collect();
        numbers.sort_unstable();
        if let [first, last] = numbers[..]
            && last - first <= NEAR
        {
            numbers = (first..=last).collect();
        }
        numbers.dedup();
        let marks: Vec<_> = schema_name.into_iter().chain([primary]).collect();
        let cut = |number| {
            let position = Position {
                line: number,
                ..primary
            };
            LineCut::of(document.line(position), number, &marks)
        };
        let line = |number| {
            let LineCut { units_before, text, .. } = cut(number);
            ExcerptLine {
                number,
                cut_before: units_before,
                text,
            }
        };
        Self {
            lines: numbers.into_iter().map(line).collect(),
            primary: cut(primary.line).mark(primary),
            schema_name: schema_name.map(|name| cut(name.line).mark(name)),
        }
    }

    /// Returns the column in the whole line, in UTF-16 code units and from 1, of a character in the excerpt of the line
    /// that is marked.
    pub(super) fn column(&self, character: usize) -> usize {
        let marked = self.marked_line();
        let cut_before = marked.map_or(0, |line| line.cut_before);
        let text = marked.map_or("", |line| line.text.as_str());
        let before = text.chars().take(character).map(char::len_utf16);
        cut_before.saturating_add(before.sum::<usize>()).saturating_add(1)
    }

    /// Whether something of the line that is marked is cut off before its text.
    pub(super) fn is_cut(&self) -> bool {
        self.marked_line().is_some_and(|line| line.cut_before > 0)
    }

    fn marked_line(&self) -> Option<&ExcerptLine> {
        self.lines.iter().find(|line| line.number == self.primary.line)
    }
}

/// Whether both marks fit into what is shown of a very long line, if they are in one.
fn is_shown_with(name: Position, primary: Position) -> bool {
    name.line != primary.line || index(primary).saturating_sub(index(name)) < LONGEST_LINE - 2 * BEFORE
}

/// Returns the index in its line of the character at a position, from 0.
fn index(position: Position) -> usize {
    usize::try_from(position.column.saturating_sub(1)).unwrap_or(0)
}

/// What is shown of a line.
struct LineCut {
    /// The index of its first character in the line.
    start: usize,
    /// The UTF-16 code units before that.
    units_before: usize,
    text: String,
}

impl LineCut {
    /// Cuts a line that is very long: a generated document is often a single line.
    fn of(line: &str, number: u32, marks: &[Position]) -> Self {
        let is_long = line.chars().nth(LONGEST_LINE).is_some();
        let first = marks.iter().filter(|mark| mark.line == number).map(|mark| index(*mark));
        let start = first.min().filter(|_| is_long).unwrap_or(0).saturating_sub(BEFORE);
        Self {
            start,
            units_before: line.chars().take(start).map(char::len_utf16).sum(),
            text: line.chars().skip(start).take(LONGEST_LINE).collect(),
        }
    }

    /// Marks the name or value that begins at a position.
    fn mark(&self, position: Position) -> Mark {
        let length = self.text.chars().count();
        let start = index(position).saturating_sub(self.start).min(length);
        let rest: String = self.text.chars().skip(start).collect();
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let word = match (quoted, rest.split_once(": ")) {
            (Some((name, _)), _) => name.chars().count() + 2,
            (None, Some((name, _))) => name.chars().count(),
            (None, None) => rest.trim_end().trim_end_matches(':').chars().count(),
        };
        Mark {
            line: position.line,
            start,
            end: (start + word.max(1)).min(length.max(start)),
        }
    }
}

/// Whether a name is a keyword of a schema, so that the field above it is more telling.
fn is_keyword(token: &str) -> bool {
    matches!(token, "type" | "required" | "additionalProperties")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(document: &Document, pointer: &str) -> String {
        let excerpt = Excerpt::of(document, pointer);
        let Mark { line, start, end } = excerpt.primary;
        let line = excerpt.lines.iter().find(|shown| shown.number == line).unwrap();
        line.text.chars().skip(start).take(end - start).collect()
    }

    #[test]
    fn a_mark_lies_within_the_document_wherever_the_pointer_leads() {
        let document = Document::read("contract.yaml", "a: {b: 'ä'}\n'c d':\n  - e\n".to_owned()).unwrap();
        for (pointer, word) in [("/a/b", "b"), ("/c d", "'c d'"), ("/c d/0", "e"), ("", "a")] {
            assert_eq!(marked(&document, pointer), word, "{pointer}");
        }
    }

    #[test]
    fn a_mark_covers_the_name_at_its_location() {
        let document = Document::read("contract.yaml", "a:\n  firstname:\n    type: string\n".to_owned()).unwrap();
        assert_eq!(marked(&document, "/a/firstname"), "firstname");
        assert_eq!(marked(&document, "/a/firstname/type"), "type");
        assert_eq!(marked(&document, "/a/nothing"), "a");
    }

    #[test]
    fn a_keyword_stands_under_the_name_that_it_speaks_of() {
        let document = Document::read("contract.yaml", "a:\n  firstname:\n    type: string\n".to_owned()).unwrap();
        let excerpt = Excerpt::of(&document, "/a/firstname/type");
        let lines: Vec<_> = excerpt
            .lines
            .iter()
            .map(|line| (line.number, line.text.as_str()))
            .collect();
        assert_eq!(lines, [(2, "  firstname:"), (3, "    type: string")]);
        assert_eq!(
            excerpt.schema_name,
            Some(Mark {
                line: 2,
                start: 2,
                end: 11
            })
        );
    }

    #[test]
    fn what_stands_far_apart_is_reported_without_what_is_between() {
        let between = "  b: 1\n".repeat(20);
        let document = Document::read(
            "contract.yaml",
            format!(
                "a:\n{}  type: string\n",
                between
                    .replace("b", "description")
                    .lines()
                    .enumerate()
                    .map(|(index, line)| format!("{}\n", line.replace("description", &format!("d{index}"))))
                    .collect::<String>()
            ),
        )
        .unwrap();
        let numbers: Vec<_> = Excerpt::of(&document, "/a/type")
            .lines
            .iter()
            .map(|line| line.number)
            .collect();
        assert_eq!(numbers, [1, 22]);
    }

    #[test]
    fn a_long_line_is_cut_around_what_is_marked() {
        let long = "x".repeat(5000);
        let text = format!("{{\"a\":\"{long}\",\"age\":{{\"type\":\"integer\"}},\"b\":\"{long}\"}}");
        let document = Document::read("contract.json", text).unwrap();
        for (pointer, word) in [
            ("/a", "\"a\""),
            ("/age", "\"age\""),
            ("/age/type", "\"type\""),
            ("/b", "\"b\""),
        ] {
            assert_eq!(marked(&document, pointer), word, "{pointer}");
            let excerpt = Excerpt::of(&document, pointer);
            assert!(excerpt.lines[0].text.chars().count() <= LONGEST_LINE, "{pointer}");
        }
        let excerpt = Excerpt::of(&document, "/age/type");
        let name = excerpt.schema_name.unwrap();
        assert_eq!(excerpt.lines[0].text[name.start..name.end], *"\"age\"");
    }

    #[test]
    fn a_name_that_is_far_off_in_a_long_line_is_left_out() {
        let long = "x".repeat(5000);
        let text = format!("{{\"a\":{{\"x\":\"{long}\",\"type\":\"string\"}}}}");
        let document = Document::read("contract.json", text).unwrap();
        assert_eq!(marked(&document, "/a/type"), "\"type\"");
        assert_eq!(Excerpt::of(&document, "/a/type").schema_name, None);
    }
}
