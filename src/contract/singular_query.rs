//! `JSONPath` queries that select at most one location: the singular queries of RFC 9535, section 2.3.5.1, without
//! negative indexes. The entry points are `read` and `write`.
//!
//! # Design
//!
//! A negative index counts from the end of an array, which moves when an overlay appends to it, so none is read.

use serde_json::Value;

use super::pointer;

/// Why a segment selects no location by its name or index.
enum UnsupportedSegment {
    FromEnd,
    NotJsonPath,
    Several,
}

/// One step to the location that a query selects. A name selects nothing in an array, and an index nothing in an object
/// (RFC 9535, section 2.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Index(usize),
    Name(String),
}

/// Returns the steps to the location that a query selects.
///
/// # Errors
///
/// What is wrong with the query, and what to do: it is not `JSONPath`, may select several locations, or counts from the
/// end of an array.
pub(super) fn read(query: &str) -> Result<Vec<Step>, String> {
    let singular = "name one location, such as `$.info` or `$.paths['/things'].get`";
    let problem = |wrong: UnsupportedSegment, rest: &str| match wrong {
        UnsupportedSegment::FromEnd => {
            format!("`{query}` counts from the end of an array; write the index from its start, such as `$.tags[0]`")
        }
        UnsupportedSegment::NotJsonPath => {
            let column = query[..query.len() - rest.len()].chars().count() + 1;
            format!("`{query}` is not a JSONPath query from its character {column} on; {singular}")
        }
        UnsupportedSegment::Several => format!("`{query}` may select several locations; {singular}"),
    };
    let mut rest = query
        .strip_prefix('$')
        .ok_or_else(|| problem(UnsupportedSegment::NotJsonPath, query))?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, left) = segment(trimmed(rest)).map_err(|wrong| problem(wrong, rest))?;
        steps.push(step);
        rest = left;
    }
    Ok(steps)
}

/// Returns the step of the first segment, and what follows it.
fn segment(text: &str) -> Result<(Step, &str), UnsupportedSegment> {
    if text.starts_with(".*") || text.starts_with("..") {
        return Err(UnsupportedSegment::Several);
    }
    if let Some(name) = text.strip_prefix('.') {
        let is_first = |character: char| character.is_ascii_alphabetic() || character == '_' || !character.is_ascii();
        let is_part = |character: char| is_first(character) || character.is_ascii_digit();
        let end = name.find(|character| !is_part(character)).unwrap_or(name.len());
        let (name, rest) = name.split_at(end);
        return match name.starts_with(is_first) {
            true => Ok((Step::Name(name.to_owned()), rest)),
            false => Err(UnsupportedSegment::NotJsonPath),
        };
    }
    let inside = text.strip_prefix('[').ok_or(UnsupportedSegment::NotJsonPath)?;
    let (mut selected, mut rest) = selector(trimmed(inside)).ok_or(UnsupportedSegment::NotJsonPath)?;
    while let Some(more) = trimmed(rest).strip_prefix(',') {
        let (_, left) = selector(trimmed(more)).ok_or(UnsupportedSegment::NotJsonPath)?;
        (selected, rest) = (Err(UnsupportedSegment::Several), left);
    }
    let rest = trimmed(rest).strip_prefix(']').ok_or(UnsupportedSegment::NotJsonPath)?;
    Ok((selected?, rest))
}

/// Returns the step that the first of the selectors in a bracket stands for, or why it stands for none, and what
/// follows it. What a filter contains is not read.
fn selector(text: &str) -> Option<(Result<Step, UnsupportedSegment>, &str)> {
    match text.chars().next()? {
        quote @ ('\'' | '"') => quoted(&text[1..], quote).map(|(name, rest)| (Ok(Step::Name(name)), rest)),
        '*' => Some((Err(UnsupportedSegment::Several), &text[1..])),
        '?' => Some((Err(UnsupportedSegment::Several), "]")),
        _ => {
            let is_part = |character: char| character.is_ascii_digit() || "-: \t\n\r".contains(character);
            let (numbers, rest) = text.split_at(text.find(|character| !is_part(character))?);
            let numbers: Vec<_> = numbers.split(':').map(|number| trimmed(number).trim_end()).collect();
            let selected = match numbers.as_slice() {
                [index] if is_integer(index) && index.starts_with('-') => Err(UnsupportedSegment::FromEnd),
                [index] if is_integer(index) => Ok(Step::Index(index.parse().ok()?)),
                [_, _] | [_, _, _] if numbers.iter().all(|number| number.is_empty() || is_integer(number)) => {
                    Err(UnsupportedSegment::Several)
                }
                _ => return None,
            };
            Some((selected, rest))
        }
    }
}

/// Whether the text is an integer as `JSONPath` writes it: without leading zeros, and not `-0`.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_digits && (text == "0" || !digits.starts_with('0'))
}

fn trimmed(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r'])
}

/// Returns the string up to its closing quote, and what follows that.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    // Apart from the quotes, strings and their escapes are those of JSON.
    let mut json = "\"".to_owned();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            _ if character == quote => {
                json.push('"');
                return Some((serde_json::from_str(&json).ok()?, &text[at + 1..]));
            }
            '"' => json.push_str("\\\""),
            '\\' => match (characters.next()?.1, quote) {
                ('\'', '\'') => json.push('\''),
                ('"', '\'') => return None,
                (escaped, _) => json.extend(['\\', escaped]),
            },
            _ => json.push(character),
        }
    }
    None
}

/// Returns the normalized path (RFC 9535, section 2.7) of a location that is given as a JSON pointer. `is_index` says
/// of each token, by its number, whether it is the index of an element.
pub(super) fn write(location: &str, is_index: impl Fn(usize) -> bool) -> String {
    let mut path = "$".to_owned();
    for (number, token) in pointer::tokens(location).enumerate() {
        if is_index(number) {
            path.push_str(&format!("[{token}]"));
        } else {
            let json = Value::from(token).to_string();
            let escaped = json[1..json.len() - 1].replace("\\\"", "\"").replace('\'', "\\'");
            path.push_str(&format!("['{escaped}']"));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written_as(step: &Step) -> String {
        match step {
            Step::Index(index) => format!("[{index}]"),
            Step::Name(name) => name.clone(),
        }
    }

    #[test]
    fn a_query_that_selects_one_location_is_read() {
        for (query, steps) in [
            ("$", &[][..]),
            ("$.info", &["info"]),
            ("$.paths['/a/{b}'].get", &["paths", "/a/{b}", "get"]),
            ("$[\"tags\"][ 10 ].x_1", &["tags", "[10]", "x_1"]),
            (r"$['it\'s']", &["it's"]),
            (r#"$["\"'\\\/\n"]"#, &["\"'\\/\n"]),
            (r"$['\u00e9\ud83d\ude00x']", &["é😀x"]),
            (r"$['\u0041\u0042']", &["AB"]),
            ("$.größe", &["größe"]),
            ("$ .tags\n[0 ]", &["tags", "[0]"]),
        ] {
            let written = read(query).unwrap();
            let written: Vec<_> = written.iter().map(written_as).collect();
            assert_eq!(written, steps, "{query}");
        }
    }

    #[test]
    fn any_other_query_is_rejected_with_its_column() {
        for (query, expected) in [
            ("info", "from its character 1 on"),
            ("$info", "from its character 2 on"),
            ("$.a-b", "from its character 4 on"),
            ("$.1", "from its character 2 on"),
            ("$['a", "from its character 2 on"),
            (r#"$['\"']"#, "is not a JSONPath query"),
            (r"$['\x']", "is not a JSONPath query"),
            (r"$['\ud83d']", "is not a JSONPath query"),
            ("$[01]", "is not a JSONPath query"),
            ("$[-0]", "is not a JSONPath query"),
            ("$[- 1]", "is not a JSONPath query"),
            ("$[1 2]", "is not a JSONPath query"),
            ("$[1:2:3:4]", "is not a JSONPath query"),
            ("$['a',]", "is not a JSONPath query"),
            ("$[1,02]", "is not a JSONPath query"),
            ("$[]", "is not a JSONPath query"),
            ("$[1", "is not a JSONPath query"),
            ("$.a ", "from its character 4 on"),
            ("$.a.*", "may select several locations"),
            ("$..get", "may select several locations"),
            ("$.tags[?@.name=='a']", "may select several locations"),
            ("$.tags[*]", "may select several locations"),
        ] {
            let message = read(query).unwrap_err();
            assert!(message.contains(expected), "{query}: {message}");
        }
    }

    #[test]
    fn a_query_that_is_not_supported_is_not_called_invalid() {
        for query in ["$[-1]", "$.tags[ -10 ].name"] {
            let message = read(query).unwrap_err();
            assert!(message.contains("write the index from its start"), "{query}: {message}");
        }
        for query in [
            "$[1:2]", "$[:]", "$[ 5 : -1 : 2 ]", "$[::2]", "$['a','b']", "$[ 0 , -1 ]", "$['a', *]", "$[0, ?@.a]",
            "$[ * ]", "$[ ?@.a].b",
        ] {
            let message = read(query).unwrap_err();
            assert!(message.contains("may select several locations"), "{query}: {message}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(tokens in prop::collection::vec(any::<String>(), 0..4), index in 0_usize..99) {
            let mut location = tokens.iter().fold(String::new(), |at, token| pointer::join(&at, token));
            pointer::push(&mut location, &index.to_string());
            let mut expected: Vec<_> = tokens.iter().cloned().map(Step::Name).collect();
            expected.push(Step::Index(index));
            prop_assert_eq!(read(&write(&location, |number| number == tokens.len())).unwrap(), expected);
        }
    }
}
