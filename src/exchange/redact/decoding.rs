//! Undoes the escapes in which a text may be written, and remembers for each character where in the text it came from.
//! The main function is [`views`].

/// A character of a view, and the bytes of the text that it represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceCharacter {
    pub(super) character: char,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The maximum depth of nested escapes that are undone; no output nests deeper.
const MAX_ESCAPE_DEPTH: usize = 3;
/// The characters that begin an escape: percent signs, backslashes, entities, quoted-printable, pointers and the
/// escapes of a terminal.
const MARKERS: [char; 6] = ['%', '\\', '&', '=', '~', '\u{1b}'];
/// The maximum length of an escape.
const MAX_ESCAPE_LENGTH: usize = 12;
/// The character that an output puts where it cuts a text off.
pub(super) const ELLIPSIS: char = '…';

/// Returns the text unchanged, with one kind of escape undone, and with all of them undone up to three times over:
/// never more than ten views, so that searching them is linear in the text.
pub(super) fn views(text: &str) -> Vec<Vec<SourceCharacter>> {
    let plain: Vec<_> = text
        .char_indices()
        .map(|(start, character)| SourceCharacter {
            character,
            start,
            end: start + character.len_utf8(),
        })
        .collect();
    // Most texts have none of them, and are searched once.
    let markers: Vec<_> = MARKERS.into_iter().filter(|marker| text.contains(*marker)).collect();
    if markers.is_empty() {
        return vec![plain];
    }
    let mut views: Vec<_> = markers.iter().filter_map(|marker| undone(&plain, &[*marker])).collect();
    // With only one kind of marker, that view equals the first of the following ones.
    if views.len() == 1 {
        views.clear();
    }
    let mut last = undone(&plain, &markers);
    for _ in 0..MAX_ESCAPE_DEPTH {
        let Some(view) = last else { break };
        last = undone(&view, &MARKERS);
        views.push(view);
    }
    views.push(plain);
    views
}

/// Returns the view with the escapes of these markers undone; `None` where there are none.
fn undone(view: &[SourceCharacter], markers: &[char]) -> Option<Vec<SourceCharacter>> {
    if !view.iter().any(|seen| markers.contains(&seen.character)) {
        return None;
    }
    let mut characters = Vec::with_capacity(view.len());
    let mut rest = view;
    while let [first, behind @ ..] = rest {
        let unescaped = markers.contains(&first.character).then(|| unescape(rest)).flatten();
        if let Some((taken, character)) = unescaped {
            let end = rest[taken - 1].end;
            characters.extend(character.map(|character| SourceCharacter {
                character,
                end,
                ..*first
            }));
            rest = &rest[taken..];
        } else {
            characters.push(*first);
            rest = behind;
        }
    }
    (characters.len() < view.len()).then_some(characters)
}

/// Returns the number of characters in the escape at the beginning, and the character that it represents, if any.
fn unescape(rest: &[SourceCharacter]) -> Option<(usize, Option<char>)> {
    let text: String = rest.iter().take(MAX_ESCAPE_LENGTH).map(|seen| seen.character).collect();
    let undone = match text.chars().next()? {
        '%' => percent(&text),
        '\\' => backslash(&text),
        '&' => entity(&text),
        '=' => quoted_printable(&text),
        '~' => pointer(&text),
        _ => terminal(&text),
    };
    undone.or_else(|| cut_off(&text))
}

/// `%41` and `%u0041`.
fn percent(text: &str) -> Option<(usize, Option<char>)> {
    match text.strip_prefix("%u") {
        Some(digits) => Some((6, letter(digits.get(..4)?, 16)?)),
        None => Some((3, byte(text.get(1..3)?, 16)?)),
    }
}

/// `\u0041`, `\u{41}`, `\x{41}`, `\U00000041`, `\x41`, `\101`, `\55`, `\n`, `\\`.
fn backslash(text: &str) -> Option<(usize, Option<char>)> {
    if let Some(digits) = text.strip_prefix("\\u{").or_else(|| text.strip_prefix("\\x{")) {
        let end = digits.find('}')?;
        return Some((end + 4, letter(&digits[..end], 16)?));
    }
    if let Some(digits) = text.strip_prefix("\\U") {
        return Some((10, letter(digits.get(..8)?, 16)?));
    }
    let escaped = text.chars().nth(1)?;
    match escaped {
        'u' => Some((6, letter(text.get(2..6)?, 16)?)),
        'x' => Some((4, byte(text.get(2..4)?, 16)?)),
        '0'..='7' => {
            let digits = text
                .chars()
                .skip(1)
                .take_while(|digit| digit.is_digit(8))
                .take(3)
                .count();
            Some((digits + 1, byte(text.get(1..=digits)?, 8)?))
        }
        'b' | 'f' | 'n' | 'r' | 't' => Some((2, Some(' '))),
        other => Some((2, Some(other))),
    }
}

/// `&#65;`, `&#x41;` and the entity names that matter.
fn entity(text: &str) -> Option<(usize, Option<char>)> {
    let end = text.find(';')?;
    let name = text.get(1..end)?;
    let unescaped = match name {
        "amp" => Some('&'),
        "apos" => Some('\''),
        "commat" => Some('@'),
        "gt" => Some('>'),
        "lt" => Some('<'),
        "quot" => Some('"'),
        "nbsp" | "shy" | "zwj" | "zwnj" => None,
        _ => {
            let digits = name.strip_prefix('#')?;
            match digits.strip_prefix(['x', 'X']) {
                Some(digits) => letter(digits, 16)?,
                None => letter(digits, 10)?,
            }
        }
    };
    Some((end + 1, unescaped))
}

/// `=41` and a line end after `=` (RFC 2045, section 6.7).
fn quoted_printable(text: &str) -> Option<(usize, Option<char>)> {
    if text.starts_with("=\r\n") {
        return Some((3, None));
    }
    if text.starts_with("=\n") {
        return Some((2, None));
    }
    Some((3, byte(text.get(1..3)?, 16)?))
}

/// `~0` and `~1` (RFC 6901, section 3).
fn pointer(text: &str) -> Option<(usize, Option<char>)> {
    match text.chars().nth(1)? {
        '0' => Some((2, Some('~'))),
        '1' => Some((2, Some('/'))),
        _ => None,
    }
}

/// The control sequences of a terminal, which are invisible.
fn terminal(text: &str) -> Option<(usize, Option<char>)> {
    let ends = |character: char| ('\u{40}'..='\u{7e}').contains(&character) && character != '[';
    let last = text.chars().skip(1).position(ends)?;
    Some((last + 2, None))
}

/// An escape that was cut off represents nothing: what precedes it is the end of what was shown.
fn cut_off(text: &str) -> Option<(usize, Option<char>)> {
    let end = text.chars().position(|character| character == ELLIPSIS)?;
    let escape = text.chars().take(end).skip(1);
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '#' | '[' | ';' | '{');
    escape.into_iter().all(is_part).then_some((end, None))
}

/// Returns the character of a byte; a byte beyond ASCII is part of a character that no token has.
fn byte(digits: &str, radix: u32) -> Option<Option<char>> {
    let byte = u8::from_str_radix(digits, radix).ok()?;
    Some(Some(char::from(byte)).filter(char::is_ascii))
}

/// Returns the character with this number; half of a surrogate pair represents nothing by itself.
fn letter(digits: &str, radix: u32) -> Option<Option<char>> {
    Some(char::from_u32(u32::from_str_radix(digits, radix).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(text: &str) -> Vec<String> {
        let views = views(text).into_iter();
        views
            .map(|view| view.iter().map(|seen| seen.character).collect())
            .collect()
    }

    #[test]
    fn each_way_of_writing_is_undone() {
        for text in [
            "%41", "%2541", "%u0041", r"\u0041", r"\u{41}", r"\x41", r"\101", r"\\x41", "&#65;", "&#x41;", "&amp;#65;",
            "=41", "=\r\n=41", "\u{1b}[1;31mA\u{1b}[0m", r"\u001b[1mA", "%E2%80%8B%41", r"\ud83dA",
        ] {
            assert!(readings(text).contains(&"A".to_owned()), "{text}: {:?}", readings(text));
        }
        assert!(readings("a~1b~0c").contains(&"a/b~c".to_owned()));
    }

    #[test]
    fn what_is_no_escape_stays_and_the_text_as_it_is_is_among_the_views() {
        for text in [
            "100 %", "a = b & c", "\\", "&;", "%zz", r"\u{110000000}", "~2", "é%", "=é", "%é1",
        ] {
            assert!(
                readings(text).contains(&text.to_owned()),
                "{text}: {:?}",
                readings(text)
            );
        }
        assert_eq!(readings("plain"), ["plain"]);
    }

    #[test]
    fn an_escape_that_was_cut_off_represents_nothing() {
        for text in ["A\\…", r"A\u00…", r"A\u{4…", "A%4…", "A&#6…", "A=…"] {
            assert!(
                readings(text).contains(&"A…".to_owned()),
                "{text}: {:?}",
                readings(text)
            );
        }
    }

    #[test]
    fn a_character_knows_the_bytes_that_it_represents() {
        let view = views("é%41b").remove(0);
        let places: Vec<_> = view.iter().map(|seen| (seen.start, seen.end)).collect();
        assert_eq!(places, [(0, 2), (2, 5), (5, 6)]);
    }

    #[test]
    fn there_are_never_more_views_than_ten() {
        let text = "%25%5c&amp;=3D~0\u{1b}[m".repeat(50);
        assert!(views(&text).len() <= 10);
    }
}
