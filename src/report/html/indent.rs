//! Breaks JSON into lines. The text is not parsed into values, so duplicate names, a number beyond a double and a text
//! that is cut off stay as they are.

/// Lists and objects of at most this many characters stay on one line.
const MAX_INLINE_WIDTH: usize = 76;
/// The result may have this many times the bytes of the text, plus [`MAX_EXTRA_BYTES`] bytes.
const MAX_GROWTH: usize = 4;
const MAX_EXTRA_BYTES: usize = 4 << 10;
/// Texts that are nested deeper stay as they are.
const MAX_DEPTH: usize = 40;

/// Returns the text broken into lines if it begins with a list or an object; any other text unchanged.
pub(super) fn indent(text: &str) -> String {
    break_lines(text).unwrap_or_else(|| text.to_owned())
}

fn break_lines(text: &str) -> Option<String> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let (mut rendered, mut rest, mut depth) = (String::with_capacity(text.len() * 2), text, 0_usize);
    while let Some(character) = rest.chars().next() {
        let mut taken = character.len_utf8();
        match character {
            '"' => {
                taken = string_length(rest);
                rendered.push_str(&rest[..taken]);
            }
            '{' | '[' => match short_on_one_line(rest) {
                Some((line, length)) => {
                    rendered.push_str(&line);
                    taken = length;
                }
                None => {
                    depth += 1;
                    rendered.push(character);
                    line(&mut rendered, depth)?;
                }
            },
            '}' | ']' => {
                depth = depth.checked_sub(1)?;
                line(&mut rendered, depth)?;
                rendered.push(character);
            }
            ',' => {
                rendered.push(character);
                line(&mut rendered, depth)?;
            }
            ':' => rendered.push_str(": "),
            ' ' | '\n' | '\r' | '\t' => {}
            other => rendered.push(other),
        }
        rest = &rest[taken..];
        // Many short lines with a deep indent would be many times as long as the text.
        (rendered.len() <= MAX_GROWTH * text.len() + MAX_EXTRA_BYTES).then_some(())?;
    }
    Some(rendered)
}

fn line(text: &mut String, depth: usize) -> Option<()> {
    (depth <= MAX_DEPTH).then_some(())?;
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
    Some(())
}

/// Returns the length in bytes of the string that the text begins with, or of the whole text if the string does not
/// end.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the list or object that the text begins with on one line, and its length in bytes, if it is short.
fn short_on_one_line(text: &str) -> Option<(String, usize)> {
    let (mut rendered, mut at, mut depth) = (String::new(), 0, 0_usize);
    // Counting characters takes time, so they are only counted once the bytes exceed the width.
    while rendered.len() <= MAX_INLINE_WIDTH || rendered.chars().count() <= MAX_INLINE_WIDTH {
        let character = text[at..].chars().next()?;
        let mut taken = character.len_utf8();
        match character {
            '"' => {
                taken = string_length(&text[at..]);
                rendered.push_str(&text[at..at + taken]);
            }
            ',' | ':' => rendered.extend([character, ' ']),
            ' ' | '\n' | '\r' | '\t' => {}
            other => rendered.push(other),
        }
        at += taken;
        match character {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (rendered.chars().count() <= MAX_INLINE_WIDTH).then_some((rendered, at));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_stays_on_a_line_and_what_is_long_is_broken() {
        assert_eq!(indent(r#"{"a":[1,2],"b":"c,d"}"#), r#"{"a": [1, 2], "b": "c,d"}"#);
        let long = "x".repeat(80);
        assert_eq!(
            indent(&format!(r#"{{"a":"{long}","b":[{{}},"{long}"]}}"#)),
            format!("{{\n  \"a\": \"{long}\",\n  \"b\": [\n    {{}},\n    \"{long}\"\n  ]\n}}")
        );
    }

    #[test]
    fn no_character_is_lost_but_blanks_between_values() {
        let long = "y".repeat(90);
        for text in [
            r#"{"a": 1, "a": 2, "n": 1e999}"#.to_owned(),
            format!(r#"{{"a":1,"a":2,"{long}":"\"}}{{","b":"z…"#),
            format!(r#"[["{long}", "…"#),
            "[[[[[".to_owned(),
            "}]".to_owned(),
            "plain text, no JSON".to_owned(),
            "[".repeat(1000),
            format!("[{long}}}]]"),
            String::new(),
        ] {
            let bare = |text: &str| text.split([' ', '\n']).collect::<String>();
            assert_eq!(bare(&indent(&text)), bare(&text), "{text}");
        }
    }
}
