//! Checks that a `.json` file is strict JSON (RFC 8259). Our reader takes it as YAML, which allows more; other readers
//! of the file do not.

use super::{Findings, LintFinding, LintRule};
use crate::contract::defect::MAX_DEFECTS;
use crate::contract::document::Position;

/// Reports single quotes and trailing commas, or else the first other thing that is not JSON. Returns whether our
/// reader understands the text as it was meant: it takes most comments for names and values.
pub(super) fn check(name: &str, text: &str, findings: &mut Findings) -> bool {
    if !name.to_ascii_lowercase().ends_with(".json") {
        return true;
    }
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) else {
        return true;
    };
    let scanned = scan(text);
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let first = Position {
        file: 0,
        line: number(error.line()),
        column: number(column_in_characters(text, &error)),
    };
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    let other = (first, format!("this is not JSON: {reason}; correct it"));
    // What `serde_json` met first is reported only where the scan found nothing. A text that is not even YAML is
    // reported by the contract's reader too.
    let found = if scanned.found.is_empty() {
        vec![other]
    } else {
        scanned.found
    };
    for (position, message) in found {
        findings.push(LintFinding {
            rule: LintRule::NotJson,
            file: name.to_owned(),
            position,
            pointer: String::new(),
            message,
            is_error: false,
            left_out: Vec::new(),
        });
    }
    !scanned.has_comment
}

/// What is found in a text that is not JSON.
#[derive(Default)]
struct Scanned {
    /// The single quotes where a name or a value may begin, and the trailing commas, outside of strings; at most one
    /// more than are reported.
    found: Vec<(Position, String)>,
    /// Whether a comment may begin outside of a string.
    has_comment: bool,
}

/// Returns the column of an error in characters; `serde_json` counts bytes.
fn column_in_characters(text: &str, error: &serde_json::Error) -> usize {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before = line.as_bytes().get(..error.column()).unwrap_or(line.as_bytes());
    String::from_utf8_lossy(before).chars().count()
}

fn scan(text: &str) -> Scanned {
    let mut scanned = Scanned::default();
    let found = &mut scanned.found;
    let mut position = Position {
        file: 0,
        line: 1,
        column: 0,
    };
    // A comma that only white space follows so far, and the opening quote of the string that we are in.
    let (mut comma, mut quote, mut is_escaped) = (None, None, false);
    // The last character that is not white space.
    let mut last = None;
    for character in text.chars() {
        if found.len() > MAX_DEFECTS {
            break;
        }
        if character == '\n' {
            position.line = position.line.saturating_add(1);
            position.column = 0;
            continue;
        }
        position.column = position.column.saturating_add(1);
        // A single quote elsewhere is an apostrophe, such as one in a comment.
        let begins = matches!(last, None | Some('{' | '[' | ',' | ':'));
        if !character.is_whitespace() {
            last = Some(character);
        }
        match (quote, character) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some('"'), '\\') => is_escaped = true,
            (Some(open), close) if open == close => quote = None,
            (None, '"' | '\'') if character == '"' || begins => {
                if character == '\'' {
                    let message = "JSON has double quotes; replace the single ones".to_owned();
                    found.push((position, message));
                }
                (quote, comma) = (Some(character), None);
            }
            (None, ',') => comma = Some(position),
            (None, '}' | ']') => {
                if let Some(position) = comma.take() {
                    let message = format!("a comma before `{character}` is not JSON; remove the comma");
                    found.push((position, message));
                }
            }
            (None, character) if !character.is_whitespace() => {
                // JSON has neither of them outside of strings.
                scanned.has_comment |= matches!(character, '/' | '#');
                comma = None;
            }
            _ => {}
        }
    }
    scanned
}
