//! Writes shapes as text, a line for each location, and reads them back. The main type is [`UnreadableShapes`], the
//! error for a text that cannot be read.
//!
//! ```text
//! 200 application/json
//!   body: object
//!     data: object
//!       id: uuid
//!       notes: array of one or many | null
//!         *: text | blank
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use super::form::ValueForm;
use super::location::{Length, SeenForms};
use super::observed::ResponseShapes;

/// A text that cannot be read as shapes. The error contains only the line's number, never the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is not a valid shape")]
pub struct UnreadableShapes {
    /// The line, from 1.
    pub line: usize,
}

const BODY: &str = "body";
const ELEMENT: &str = "*";
const BETWEEN: &str = " | ";

impl Length {
    const ALL: [Self; 4] = [Self::None, Self::One, Self::Many, Self::Page];

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::One => "one",
            Self::Many => "many",
            Self::Page => "a page",
        }
    }
}

impl fmt::Display for ResponseShapes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for (head, body) in &self.by_status_and_media_type {
            let _ = writeln!(text, "{head}");
            write_location(&mut text, BODY, body, 1);
        }
        formatter.write_str(text.trim_end())
    }
}

impl SeenForms {
    /// Returns what was seen at the location itself, in one line.
    pub(super) fn summary(&self) -> String {
        let mut variants = Vec::new();
        match self.objects.len() {
            0 => {}
            1 => variants.push("object".to_owned()),
            count => variants.push(format!("object in {count} variants")),
        }
        if !self.lengths.is_empty() {
            let lengths: Vec<_> = self.lengths.iter().map(|length| length.name()).collect();
            variants.push(format!("array of {}", lengths.join(" or ")));
        }
        variants.extend(self.forms.iter().map(|form| form.name().to_owned()));
        variants.join(BETWEEN)
    }
}

fn write_location(text: &mut String, name: &str, seen: &SeenForms, depth: usize) {
    let indent = "  ".repeat(depth);
    // Writing to a string never fails.
    let _ = writeln!(text, "{indent}{name}: {}", seen.summary());
    if let Some(element) = &seen.element {
        write_location(text, ELEMENT, element, depth + 1);
    }
    let several = seen.objects.len() > 1;
    for (index, (names, locations)) in seen.objects.iter().enumerate() {
        if several {
            let _ = writeln!(text, "{indent}  variant {}", index + 1);
        }
        for (name, seen) in names.iter().zip(locations) {
            write_location(text, name, seen, depth + 1 + usize::from(several));
        }
    }
}

impl ResponseShapes {
    /// Reads the text that [`Display`](fmt::Display) writes.
    ///
    /// # Errors
    ///
    /// [`UnreadableShapes`], with the first line that is not a valid shape.
    pub fn read(text: &str) -> Result<Self, UnreadableShapes> {
        let mut lines = Lines {
            lines: text.lines().collect(),
            next: 0,
        };
        let mut by_status_and_media_type = BTreeMap::new();
        while let Some((0, head)) = lines.peek() {
            lines.next += 1;
            let (name, seen) = lines.location(1)?;
            if name != BODY {
                return Err(lines.unreadable());
            }
            by_status_and_media_type.insert(head.to_owned(), seen);
        }
        match lines.peek() {
            None => Ok(Self {
                by_status_and_media_type,
            }),
            Some(_) => {
                lines.next += 1;
                Err(lines.unreadable())
            }
        }
    }
}

struct Lines<'text> {
    lines: Vec<&'text str>,
    next: usize,
}

impl<'text> Lines<'text> {
    /// Returns the next line's depth and its text without the indent.
    fn peek(&self) -> Option<(usize, &'text str)> {
        let line = self.lines.get(self.next)?;
        let says = line.trim_start_matches(' ');
        Some(((line.len() - says.len()) / 2, says)).filter(|_| !says.is_empty())
    }

    /// The error for the line that was taken last.
    fn unreadable(&self) -> UnreadableShapes {
        UnreadableShapes { line: self.next }
    }

    fn location(&mut self, depth: usize) -> Result<(String, SeenForms), UnreadableShapes> {
        let line = self.peek().filter(|(at, _)| *at == depth);
        self.next += 1;
        let (name, says) = line
            .and_then(|(_, says)| says.rsplit_once(": "))
            .ok_or(self.unreadable())?;
        let (mut seen, variants) = self.variants(says)?;
        if self
            .peek()
            .is_some_and(|(at, says)| at > depth && says.starts_with("*: "))
        {
            seen.element = Some(Box::new(self.location(depth + 1)?.1));
        }
        for index in 0..variants {
            if variants > 1 {
                let title = format!("variant {}", index + 1);
                let titled = self.peek() == Some((depth + 1, title.as_str()));
                self.next += 1;
                if !titled {
                    return Err(self.unreadable());
                }
            }
            let (names, locations) = self.fields(depth + 1 + usize::from(variants > 1))?;
            seen.objects.insert(names, locations);
        }
        Ok((name.to_owned(), seen))
    }

    fn fields(&mut self, depth: usize) -> Result<(Vec<String>, Vec<SeenForms>), UnreadableShapes> {
        let mut fields = (Vec::new(), Vec::new());
        while self.peek().is_some_and(|(at, _)| at >= depth) {
            let (name, seen) = self.location(depth)?;
            fields.0.push(name);
            fields.1.push(seen);
        }
        Ok(fields)
    }

    /// Reads the forms of a location, and how many variants of objects there are.
    fn variants(&self, says: &str) -> Result<(SeenForms, usize), UnreadableShapes> {
        let (mut seen, mut objects) = (SeenForms::default(), 0);
        for variant in says.split(BETWEEN) {
            let form = ValueForm::ALL.into_iter().find(|form| form.name() == variant);
            if let Some(form) = form {
                seen.forms.insert(form);
            } else if variant == "object" {
                objects = 1;
            } else if let Some(lengths) = variant.strip_prefix("array of ") {
                seen.lengths = self.lengths(lengths)?;
            } else {
                let count = variant
                    .strip_prefix("object in ")
                    .and_then(|rest| rest.strip_suffix(" variants"));
                objects = count.and_then(|count| count.parse().ok()).ok_or(self.unreadable())?;
            }
        }
        Ok((seen, objects))
    }

    fn lengths(&self, lengths: &str) -> Result<BTreeSet<Length>, UnreadableShapes> {
        let length = |name| Length::ALL.into_iter().find(|length| length.name() == name);
        let lengths = lengths.split(" or ").map(|name| length(name).ok_or(self.unreadable()));
        lengths.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "\
200 application/json
  body: object | null
    id: uuid | uuid without hyphens
    notes: array of none or many | blank
      *: timestamp with a space, without a zone
    empty: object
    either: object in 2 variants | array of a page
      *: array of one
        *: integer
      variant 1
        a: text
      variant 2
        a: text
        <undocumented name(5)>: object
          b: null
204
  body: none";

    #[test]
    fn shapes_are_read_as_they_are_written() {
        assert_eq!(ResponseShapes::read(WRITTEN).unwrap().to_string(), WRITTEN);
        assert_eq!(ResponseShapes::read("").unwrap(), ResponseShapes::default());
    }

    #[test]
    fn a_text_that_is_no_shape_is_reported_by_its_line() {
        for (from, to, line) in [
            ("id: uuid |", "id: guid |", 3),
            ("none or many", "none or two", 4),
            ("      *: timestamp", "          *: timestamp", 5),
            ("      variant 2", "      variant 3", 12),
            ("  body: none", "  head: none", 17),
            ("200 application/json\n", "", 1),
        ] {
            let read = ResponseShapes::read(&WRITTEN.replacen(from, to, 1));
            assert_eq!(read.map_err(|error| error.line), Err(line), "{to}");
        }
    }
}
