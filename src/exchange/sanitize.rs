//! Makes a text safe to show on a terminal that interprets control characters, and in a CI system that takes commands
//! from the log of a step. The main functions are [`sanitize`] and [`sanitize_json`].
//!
//! # Design
//!
//! GitHub and Forgejo interpret `::command::` at the beginning of a line; Azure interprets `##vso[command]` and
//! `##[command]` anywhere in a line, and `TeamCity` `##teamcity[…]`. GitLab's and Travis's sections need a carriage
//! return, and Jenkins's annotations an escape; both are shown as text, like every other control character. Characters
//! that change the direction of writing, or that are invisible (Unicode's `Default_Ignorable_Code_Point`, and a few
//! more), are shown as text too, because they make a line look like something else.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;
use serde::Serialize;

/// The character that begins an escape sequence of a terminal.
const ESCAPE: char = '\u{1b}';

/// Whether the text may carry colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// Escapes that set a colour or a weight stay, and no others.
    Kept,
    /// No escapes stay.
    None,
}

/// Returns the text without anything that a terminal or a CI system interprets; line feeds stay.
#[must_use]
pub fn sanitize(text: &str, colours: Colours) -> String {
    let mut rendered = String::with_capacity(text.len());
    let mut rest = text;
    // Whether only blanks and colours precede this on its line: GitHub's runner skips every Unicode white space.
    let mut begins = true;
    while let Some(character) = rest.chars().next() {
        let colour = (character == ESCAPE && colours == Colours::Kept)
            .then(|| colour(rest))
            .flatten();
        let taken = if let Some(length) = colour {
            rendered.push_str(&rest[..length]);
            length
        } else if begins && character == ':' && rest.starts_with("::") {
            rendered.push_str(": :");
            2
        } else if character == '#' && is_command_marker(rest) {
            rendered.push_str("# #");
            2
        } else {
            push(&mut rendered, character);
            character.len_utf8()
        };
        begins = colour.is_some() && begins || character == '\n' || begins && character.is_whitespace();
        rest = &rest[taken..];
    }
    rendered
}

/// Returns a JSON text without anything that a terminal or a CI system interprets. It represents the same value.
#[must_use]
pub fn sanitize_json(text: &str) -> String {
    let mut rendered = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        if character == '#' && is_command_marker(&text[at..]) || is_interpreted(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing into a String does not fail.
                let _ = write!(rendered, "\\u{unit:04x}");
            }
        } else {
            rendered.push(character);
        }
    }
    rendered
}

/// Writes a value as [`sanitize_json`] would, over several lines and with a newline at its end, piece by piece: a
/// report may be larger than the data that it is made from.
///
/// # Errors
///
/// Those of the writer.
pub(crate) fn write_json(value: &impl Serialize, to: &mut dyn io::Write) -> io::Result<()> {
    let mut sanitized = SanitizedJson {
        to,
        held_back: String::new(),
    };
    serde_json::to_writer_pretty(&mut sanitized, value)?;
    sanitized.write_all(b"\n")?;
    sanitized.flush()
}

/// Returns what [`write_json`] writes, as a text.
#[must_use]
pub(crate) fn json_text(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    // Plain data is written to memory, which cannot fail.
    let _ = write_json(value, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

struct SanitizedJson<'to> {
    to: &'to mut dyn io::Write,
    /// Number signs at the end of what was written, which may become a command with what comes next.
    held_back: String,
}

impl io::Write for SanitizedJson<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n') && *byte != b'#';
        if self.held_back.is_empty() && bytes.iter().all(plain) {
            return self.to.write_all(bytes).map(|()| bytes.len());
        }
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        let whole = std::mem::take(&mut self.held_back) + text;
        let end = whole.trim_end_matches('#').len();
        whole[end..].clone_into(&mut self.held_back);
        self.to.write_all(sanitize_json(&whole[..end]).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.write_all(std::mem::take(&mut self.held_back).as_bytes())?;
        self.to.flush()
    }
}

/// Whether a terminal interprets the character, or it may mislead a reader. A line feed does neither.
#[must_use]
pub(crate) fn is_interpreted(character: char) -> bool {
    if character.is_ascii() {
        return character.is_control() && character != '\n';
    }
    // Line and paragraph separators, interlinear annotations and the blank Braille pattern, which the property lacks.
    let is_other = matches!(
        character,
        '\u{2028}' | '\u{2029}' | '\u{2800}' | '\u{fff9}'..='\u{fffb}'
    );
    character.is_control() || is_other || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(character)
}

/// Whether the text begins with something that Azure or `TeamCity` takes for a command.
pub(super) fn is_command_marker(text: &str) -> bool {
    text.strip_prefix("##")
        .and_then(|rest| rest.chars().next())
        .is_some_and(|next| next == '[' || next.is_ascii_alphabetic())
}

fn push(text: &mut String, character: char) {
    if is_interpreted(character) {
        text.extend(character.escape_unicode());
    } else {
        text.push(character);
    }
}

/// Returns the length of the escape for a colour or a weight at the beginning of the text.
fn colour(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(ESCAPE)?.strip_prefix('[')?;
    let end = rest.find(|character: char| !character.is_ascii_digit() && character != ';')?;
    rest[end..].starts_with('m').then_some(2 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_turns_of_direction_are_shown_as_text() {
        for (text, expected) in [
            ("\u{1b}[2J", r"\u{1b}[2J"),
            ("\u{9b}31m", r"\u{9b}31m"),
            ("a\r\u{7}\u{8}\u{7f}\tb", r"a\u{d}\u{7}\u{8}\u{7f}\u{9}b"),
            ("\u{202e}txt.exe\u{2066}", r"\u{202e}txt.exe\u{2066}"),
            (
                "\u{200b}\u{feff}\u{2028}\u{e0041}",
                r"\u{200b}\u{feff}\u{2028}\u{e0041}",
            ),
            ("two\nlines, é, 日本, 🎈", "two\nlines, é, 日本, 🎈"),
        ] {
            assert_eq!(sanitize(text, Colours::None), expected);
        }
    }

    #[test]
    fn what_no_font_shows_is_shown_as_text() {
        let invisible = [
            '\u{ad}', '\u{34f}', '\u{61c}', '\u{115f}', '\u{1160}', '\u{17b4}', '\u{17b5}', '\u{180b}', '\u{180e}',
            '\u{200b}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202a}', '\u{202e}', '\u{2060}', '\u{206f}', '\u{2800}',
            '\u{3164}', '\u{fe00}', '\u{fe0f}', '\u{feff}', '\u{ffa0}', '\u{fff9}', '\u{fffb}', '\u{1d173}',
            '\u{e0000}', '\u{e007f}', '\u{e0100}',
        ];
        for character in invisible {
            let shown = sanitize(&format!("a{character}b"), Colours::Kept);
            assert_eq!(shown, format!("a{}b", character.escape_unicode()));
            let json = sanitize_json(&format!("\"a{character}b\""));
            assert!(json.is_ascii(), "{json}");
        }
        let visible = "a\u{301} \u{a0}é 한국 ខ្មែរ ᠮᠣᠩ ⠁ ｱ 日本 🎈";
        assert_eq!(sanitize(visible, Colours::None), visible);
    }

    #[test]
    fn a_command_to_a_ci_system_is_broken_where_it_would_be_taken() {
        for (text, expected) in [
            ("::error::x", ": :error::x"),
            ("a\n  ::set-output name=a::b", "a\n  : :set-output name=a::b"),
            ("\u{3000}\u{a0} ::error::x", "\u{3000}\u{a0} : :error::x"),
            ("a\u{3000}::b", "a\u{3000}::b"),
            ("\u{1b}[1m::error::", "\u{1b}[1m: :error::"),
            ("at http://[::1]:80", "at http://[::1]:80"),
            ("a ##vso[task.complete]", "a # #vso[task.complete]"),
            ("##[error]", "# #[error]"),
            ("###[error]", "## #[error]"),
            ("##teamcity[x]", "# #teamcity[x]"),
            ("## 1", "## 1"),
            ("section_start:1:a\r\u{1b}[0K", r"section_start:1:a\u{d}\u{1b}[0K"),
        ] {
            assert_eq!(sanitize(text, Colours::Kept), expected);
        }
    }

    #[test]
    fn colours_pass_where_they_are_wanted_and_nothing_else_that_is_an_escape() {
        let text = "\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J\u{1b}]0;title\u{7}\u{1b}[31";
        assert_eq!(
            sanitize(text, Colours::Kept),
            "\u{1b}[1;31mred\u{1b}[0m \\u{1b}[2J\\u{1b}]0;title\\u{7}\\u{1b}[31"
        );
        assert!(!sanitize(text, Colours::None).contains('\u{1b}'));
    }

    #[test]
    fn a_neutral_text_stays_as_it_is() {
        for text in ["::a\n##[b]\u{1b}[2J\u{202e}", "plain", "\n\n", ""] {
            let once = sanitize(text, Colours::None);
            assert_eq!(sanitize(&once, Colours::None), once);
        }
    }

    #[test]
    fn sanitized_json_represents_the_same_value() {
        let value = serde_json::json!({"##[a]": "##vso[b] \u{202e} \u{9b} \u{7f} \u{e0041} é \u{1b} ::c::\n::d"});
        for text in [value.to_string(), format!("{value:#}")] {
            let reported = sanitize_json(&text);
            assert_eq!(serde_json::from_str::<serde_json::Value>(&reported).unwrap(), value);
            assert_eq!(sanitize(&reported, Colours::None), reported);
        }
    }

    #[test]
    fn a_value_that_is_written_bit_by_bit_is_as_neutral_as_a_text() {
        for text in [
            "##vso[a]",
            "#",
            "a##",
            "##[b] ###c # #d",
            "\u{1b}[2J\u{202e}\r\n\"##\\é",
            "##\"x",
        ] {
            let value = serde_json::json!({"a": [text, {text: 1}], "##": null});
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            assert_eq!(json_text(&value), sanitize_json(&pretty) + "\n");
        }
    }
}
