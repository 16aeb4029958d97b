//! Removes the token from a text that leaves the program: the target may have put it into its response. The main type
//! is [`Redaction`].
//!
//! # Design
//!
//! A text is searched as it is and with each kind of escape undone. In each of these views only the letters and digits
//! count, in either case, so that no space, margin or colour between them hides the token from the search. A token that
//! is long enough is recognised by any 12 letters or digits in a row: one set holds every such run, and the runs of the
//! forms that no decoder undoes. So a view is read once, however long the token is.

use std::collections::HashSet;
use std::fmt;
use std::iter;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use foldhash::fast::FixedState;

use super::decoding::{ELLIPSIS, SourceCharacter, views};
use super::forms::{alphanumerics, ciphers, encodings, in_base32};
use crate::client::Token;

/// The replacement for the token, in a `curl` line too.
const REPLACEMENT: &str = "$COUNTERSIGN_TOKEN";
/// The minimum number of characters of the token of a deployed service: hiding a shorter one would break words that
/// contain it by chance, such as `http`. A redaction that is given a shorter one hides it where it appears exactly.
pub const SHORTEST_TOKEN: usize = 8;
/// Why a shorter token is rejected, for use after a message that says so.
pub(crate) const TOO_SHORT: &str = "redacting it would garble ordinary words, so use a longer one";
/// The number of letters and digits in a row that reveal the token, also reversed or in rot13, if it has that many.
/// Below, "letters" includes digits.
const RUN_LENGTH: usize = 12;
/// The number of letters in a row that reveal the token in another form: shorter runs of digits appear in other texts
/// by chance.
const ENCODED_RUN_LENGTH: usize = 16;
/// The distance between the stored runs of a form for which not every run is stored: any fragment of
/// `ENCODED_RUN_LENGTH + STORED_RUN_DISTANCE - 1` letters contains a whole one.
const STORED_RUN_DISTANCE: usize = 4;
/// With fewer letters than this, a token is recognised only as a whole.
const MINIMUM_RUN: usize = 8;
/// The number of characters at the token's beginning that reveal it where a text was cut off after them.
const BEGINNING_LENGTH: usize = 4;

/// Removes the token from a text that leaves the program.
#[derive(Clone, Default)]
pub struct Redaction {
    token: Option<Arc<TokenPatterns>>,
    later: Option<LaterRedaction>,
}

/// What hides a token that is obtained later, while a check is under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaterRedaction(Arc<OnceLock<Redaction>>);

impl LaterRedaction {
    /// Makes every redaction that has this also hide what `redaction` hides, from now on. Only the first call has an
    /// effect.
    pub(crate) fn set(&self, redaction: Redaction) {
        let _ = self.0.set(redaction);
    }
}

/// What is known about the token, and about the other secrets.
#[derive(Default)]
struct TokenPatterns {
    /// All characters of the token, and of another secret that is too short to be recognised by its runs.
    exact: Vec<Pattern>,
    /// The letters and digits of the token and of the other secrets.
    letters: Vec<Pattern>,
    runs: Runs,
    /// Whether a secret has letters beyond ASCII. They are skipped then: a text may write them in any encoding. Without
    /// such a secret, they separate two words.
    skips_beyond_ascii: bool,
}

impl Redaction {
    /// Hides this token, if there is one, in each form in which an output may write it.
    #[must_use]
    pub fn of(token: Option<&Token>) -> Self {
        Self::of_all(token, &[])
    }

    /// Hides this token and these other secrets, such as those made from it, as [`Self::of`] hides one; without a
    /// token, nothing is hidden.
    #[must_use]
    pub fn of_all<'a>(token: Option<&'a Token>, others: &'a [String]) -> Self {
        let secrets = |token: &'a Token| iter::once(token.expose()).chain(others.iter().map(String::as_str));
        token.map(|token| Self::of_secrets(secrets(token))).unwrap_or_default()
    }

    /// Hides these secrets, as [`Self::of`] hides a token. They may contain spaces and characters beyond ASCII, as a
    /// password may.
    #[must_use]
    pub(crate) fn of_secrets<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut known = TokenPatterns::default();
        secrets.into_iter().for_each(|secret| known.add(secret));
        Self {
            token: (!known.exact.is_empty()).then(|| Arc::new(known)),
            later: None,
        }
    }

    /// Also hides what is obtained later.
    #[must_use]
    pub(crate) fn with_later(self, later: LaterRedaction) -> Self {
        Self {
            later: Some(later),
            ..self
        }
    }

    /// Returns the text without the token, without any piece of it that reveals it, and without its beginning where the
    /// text was cut off there.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let hidden = self.hide_counting(text).0;
        match self.later.as_ref().and_then(|later| later.0.get()) {
            Some(later) => later.hide(&hidden),
            None => hidden,
        }
    }

    /// Does the same without what is obtained later, and also returns the number of characters that were searched.
    fn hide_counting(&self, text: &str) -> (String, usize) {
        let Some(known) = &self.token else {
            return (text.to_owned(), 0);
        };
        let mut searched = 0;
        // A replacement that is already in the text contains nothing of a token, although a token may look like it.
        let parts = text.split(REPLACEMENT).map(|part| {
            let mut found = Vec::new();
            for view in views(part) {
                searched += view.len();
                known.find(&view, &mut found);
            }
            replaced(part, found)
        });
        let parts: Vec<_> = parts.collect();
        (parts.join(REPLACEMENT), searched)
    }
}

impl TokenPatterns {
    /// Adds a token. Derived tokens share most of its characters, and what two have in common is searched for once.
    fn add(&mut self, token: &str) {
        let plain = alphanumerics(token);
        self.skips_beyond_ascii |= !token.is_ascii();
        if self.exact.is_empty() || plain.len() < MINIMUM_RUN {
            self.exact.push(Pattern::new(token.chars().map(byte_of).collect()));
        }
        for form in ciphers(token) {
            self.runs.add(&form, RUN_LENGTH, 1);
        }
        for form in encodings(token) {
            self.runs.add(&form, ENCODED_RUN_LENGTH, 1);
        }
        // There are ten forms, each longer than the token: a few runs of each are enough to cover it.
        for form in in_base32(token) {
            self.runs.add(&form, ENCODED_RUN_LENGTH, STORED_RUN_DISTANCE);
        }
        if self.letters.iter().all(|known| known.bytes != plain) {
            self.runs.add(&plain, RUN_LENGTH, 1);
            self.letters.push(Pattern::new(plain));
        }
    }

    /// Finds the ranges of the text where this view shows the token.
    fn find(&self, view: &[SourceCharacter], found: &mut Vec<Range<usize>>) {
        let (mut exact, mut in_letters) = (vec![0; self.exact.len()], vec![0; self.letters.len()]);
        let mut window = 0_u128;
        // Whether a whole token has just ended: what follows on the next line is no part of it.
        let mut ended = false;
        // The index in the text at which each letter begins.
        let mut starts = Vec::new();
        for (index, seen) in view.iter().enumerate() {
            if seen.character == ELLIPSIS {
                for exact in exact.iter().filter(|exact| **exact >= BEGINNING_LENGTH) {
                    found.push(view[index - exact].start..seen.start);
                }
                for in_letters in in_letters.iter().filter(|letters| **letters >= BEGINNING_LENGTH) {
                    found.push(starts[starts.len() - in_letters]..seen.start);
                }
            }
            if seen.character == '\n' && ended {
                in_letters.fill(0);
                window = 0;
            }
            ended &= !seen.character.is_alphanumeric();
            let byte = byte_of(seen.character);
            for (pattern, exact) in self.exact.iter().zip(&mut exact) {
                *exact = pattern.next(*exact, byte);
                if pattern.is_whole(*exact) {
                    ended = true;
                    found.push(view[index + 1 - *exact].start..seen.end);
                }
            }
            if byte.is_ascii_alphanumeric() {
                let letter = byte.to_ascii_lowercase();
                starts.push(seen.start);
                for (pattern, in_letters) in self.letters.iter().zip(&mut in_letters) {
                    *in_letters = pattern.next(*in_letters, letter);
                    ended |= pattern.is_whole(*in_letters);
                }
                window = window << 8 | u128::from(letter);
                if let Some(length) = self.runs.longest(window) {
                    found.push(starts[starts.len() - length]..seen.end);
                }
            } else if seen.character.is_alphanumeric() && !self.skips_beyond_ascii {
                in_letters.fill(0);
                window = 0;
            }
        }
    }
}

/// Returns the text with these ranges replaced, each run of them once.
fn replaced(text: &str, mut places: Vec<Range<usize>>) -> String {
    places.sort_unstable_by_key(|place| place.start);
    let mut rendered = String::with_capacity(text.len());
    let mut end = 0;
    for place in places {
        if place.start >= end {
            let before = &text[end..place.start];
            rendered.push_str(before);
            // Runs that touch belong to one token.
            if !(before.is_empty() && rendered.ends_with(REPLACEMENT)) {
                rendered.push_str(REPLACEMENT);
            }
        }
        end = end.max(place.end);
    }
    rendered.push_str(&text[end..]);
    rendered
}

/// Returns the byte that represents a character in a pattern: itself in ASCII, and otherwise one beyond ASCII that other
/// characters share.
fn byte_of(character: char) -> u8 {
    let low = u8::try_from(u32::from(character) & 0x7f).unwrap_or_default();
    if character.is_ascii() { low } else { 0x80 | low }
}

/// Tracks how much of a pattern a text ends with, one byte at a time (Knuth, Morris and Pratt, 1977).
struct Pattern {
    bytes: Vec<u8>,
    /// For each prefix of the pattern, the longest shorter one that it ends with.
    borders: Vec<usize>,
}

impl Pattern {
    fn new(bytes: Vec<u8>) -> Self {
        let mut pattern = Self {
            bytes,
            borders: vec![0, 0],
        };
        for index in 1..pattern.bytes.len() {
            let border = pattern.next(pattern.borders[index], pattern.bytes[index]);
            pattern.borders.push(border);
        }
        pattern
    }

    /// Returns how much of the pattern the text ends with after this byte, given how much it ended with before.
    fn next(&self, mut matched: usize, byte: u8) -> usize {
        loop {
            match self.bytes.get(matched) {
                Some(next) if *next == byte => return matched + 1,
                _ if matched == 0 => return 0,
                _ => matched = self.borders[matched],
            }
        }
    }

    fn is_whole(&self, matched: usize) -> bool {
        matched > 0 && matched == self.bytes.len()
    }
}

/// Runs of letters that reveal the token, each as a number made from its bytes.
#[derive(Default)]
struct Runs {
    /// A long token has a hundred thousand of them, and nobody but the token's owner can choose them, so a fast hash is
    /// enough.
    runs: HashSet<u128, FixedState>,
    /// Their lengths, the longest first.
    lengths: Vec<usize>,
    /// A Bloom filter, with one hash, of the last eight characters of each run: it avoids most lookups.
    ends: Vec<u64>,
}

impl Runs {
    /// The number of bits in the digest of an end.
    const BITS: u32 = 20;

    /// Adds the runs of `length` letters that begin `step` apart, and the last one, or all letters where there are
    /// fewer.
    fn add(&mut self, letters: &[u8], length: usize, step: usize) {
        let length = length.min(letters.len());
        if length < MINIMUM_RUN {
            return;
        }
        if self.ends.is_empty() {
            self.ends = vec![0; 1 << (Self::BITS - 6)];
        }
        self.lengths.push(length);
        self.lengths.sort_unstable_by(|one, other| other.cmp(one));
        self.lengths.dedup();
        let last = letters.len() - length;
        let mut run = 0;
        for (index, letter) in letters.iter().enumerate() {
            run = (run << 8 | u128::from(*letter)) & u128::MAX >> (128 - 8 * length);
            let start = (index + 1).checked_sub(length);
            if start.is_some_and(|start| start % step == 0 || start == last) {
                let (word, bit) = Self::place(run);
                self.ends[word] |= bit;
                self.runs.insert(run);
            }
        }
    }

    /// Returns the length of the longest run that these letters end with.
    fn longest(&self, window: u128) -> Option<usize> {
        let (word, bit) = Self::place(window);
        if self.ends.get(word).is_none_or(|ends| ends & bit == 0) {
            return None;
        }
        let is_run = |length: &usize| {
            let run = window & u128::MAX >> (128 - 8 * length);
            // If fewer letters than that were read, the first byte is zero.
            run >> (8 * (length - 1)) != 0 && self.runs.contains(&run)
        };
        self.lengths.iter().copied().find(is_run)
    }

    /// Returns the word and the bit for the digest of the last eight letters.
    fn place(run: u128) -> (usize, u64) {
        let end = u64::try_from(run & u128::from(u64::MAX)).unwrap_or_default();
        let digest = end.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS);
        (usize::try_from(digest >> 6).unwrap_or_default(), 1 << (digest & 63))
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Redaction(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redaction(token: &str) -> Redaction {
        Redaction::of(Some(&Token::new(token).unwrap()))
    }

    #[test]
    fn a_token_is_hidden_however_it_is_written() {
        let redaction = redaction(r#"abc/d+e~"f"#);
        for (text, reported) in [
            (r#"Bearer abc/d+e~"f."#, "Bearer $COUNTERSIGN_TOKEN."),
            (r#""abc/d+e~\"f""#, r#""$COUNTERSIGN_TOKEN""#),
            (r#"/data/abc~1d+e~0"f/0"#, "/data/$COUNTERSIGN_TOKEN/0"),
            ("/things/abc%2Fd%2Be%7E%22f?page=2", "/things/$COUNTERSIGN_TOKEN?page=2"),
            ("\"abc/d+… at /data", "\"$COUNTERSIGN_TOKEN… at /data"),
            ("nothing of it", "nothing of it"),
        ] {
            assert_eq!(redaction.hide(text), reported);
        }
        assert_eq!(Redaction::of(None).hide("a text"), "a text");
        assert_eq!(format!("{redaction:?}"), "Redaction(hidden)");
    }

    #[test]
    fn a_long_token_is_hidden_in_every_form_and_in_runs() {
        let redaction = redaction("tk-4711-secret-of-nobody");
        for (text, expected) in [
            ("a TK-4711-SECRET-OF-NOBODY b", "a $COUNTERSIGN_TOKEN b"),
            ("a ydobon-fo-terces-1174-kt b", "a $COUNTERSIGN_TOKEN b"),
            ("x=dGstNDcxMS1zZWNyZXQtb2Ytbm9ib2R5", "x=$COUNTERSIGN_TOKEN"),
            ("746b2d343731312d7365637265742d6f662d6e6f626f6479", "$COUNTERSIGN_TOKEN"),
            ("tk-47\n   | 11-se\n   | cret", "$COUNTERSIGN_TOKEN"),
            (r"\u0074\u006b-4711-se\u00…", "$COUNTERSIGN_TOKEN…"),
            ("%2574%256b-4711-secret", "$COUNTERSIGN_TOKEN"),
            ("ecret-of-nobody", "$COUNTERSIGN_TOKEN"),
            // Reversed and in rot13, the same 13 letters.
            ("ydobon-fo-terce", "$COUNTERSIGN_TOKEN"),
            ("rperg-bs-abobql", "$COUNTERSIGN_TOKEN"),
            ("tk-4711, a secret of two", "tk-4711, a secret of two"),
        ] {
            assert_eq!(redaction.hide(text), expected);
        }
    }

    #[test]
    fn what_follows_a_whole_token_on_the_next_line_stays() {
        let token = Token::new("tk-4711-secret-of-nobody").unwrap();
        let redaction = Redaction::of_all(Some(&token), &["tk-4711-secret-of-nobodyx7".to_owned()]);
        for (text, expected) in [
            (
                "tk-4711-secret-of-nobody\nx is served",
                "$COUNTERSIGN_TOKEN\nx is served",
            ),
            ("\"tk-4711-secret-of-nobody\"\r\nx7", "\"$COUNTERSIGN_TOKEN\"\r\nx7"),
            ("tk-4711-secret-of-nobodyx7\nx7", "$COUNTERSIGN_TOKEN\nx7"),
            ("tk-4711-secret-of-no\nbody", "$COUNTERSIGN_TOKEN"),
            ("tk-4711-secret-of-nobody x", "$COUNTERSIGN_TOKEN"),
        ] {
            assert_eq!(redaction.hide(text), expected, "{text}");
        }
    }

    #[test]
    fn the_placeholder_of_a_token_stays_though_the_token_is_named_like_it() {
        let line = "curl -H \"Authorization: Bearer $COUNTERSIGN_TOKEN\" 'https://api.example.com'";
        assert_eq!(redaction("countersign_token").hide(line), line);
        assert_eq!(redaction("COUNTERSIGN").hide(line), line);
    }

    #[test]
    fn a_short_token_is_hidden_as_it_is_and_nothing_else_for_it() {
        let redaction = redaction("q7-x");
        assert_eq!(
            redaction.hide("a q7-x, q7x, Q7-X, %717-x"),
            "a $COUNTERSIGN_TOKEN, q7x, Q7-X, $COUNTERSIGN_TOKEN"
        );
    }

    #[test]
    fn a_secret_with_spaces_and_letters_beyond_ascii_is_hidden_however_it_is_written() {
        let redaction =
            Redaction::of_secrets(["correct hörse battery", "\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}-1"]);
        for (text, expected) in [
            ("a correct hörse battery b", "a $COUNTERSIGN_TOKEN b"),
            ("a correct+h%C3%B6rse+battery b", "a $COUNTERSIGN_TOKEN b"),
            ("a correct h%F6rse battery b", "a $COUNTERSIGN_TOKEN b"),
            (r"a correct h\u00f6rse battery b", "a $COUNTERSIGN_TOKEN b"),
            ("a correct hÃ¶rse battery b", "a $COUNTERSIGN_TOKEN b"),
            ("x=Y29ycmVjdCBow7Zyc2UgYmF0dGVyeQ==", "x=$COUNTERSIGN_TOKENeQ=="),
            ("\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}-1.", "$COUNTERSIGN_TOKEN."),
            ("a correct battery", "a correct battery"),
            ("\u{43f}\u{430}\u{440}\u{430}", "\u{43f}\u{430}\u{440}\u{430}"),
        ] {
            assert_eq!(redaction.hide(text), expected, "{text}");
        }
        assert_eq!(Redaction::of_secrets([]).hide("a text"), "a text");
    }

    #[test]
    fn a_text_is_read_as_often_for_a_long_token_as_for_a_short_one() {
        let text = format!("%41 {}…{{\"a\":\"\\u0041\"}}", "tktktktk tkt… ".repeat(100));
        let read = |length: usize| {
            let token: String = "tk".chars().cycle().take(length).collect();
            redaction(&token).hide_counting(&text).1
        };
        assert_eq!(read(40), read(4_000));
        assert!(read(4_000) <= 10 * text.chars().count());
    }

    #[test]
    fn a_pattern_is_found_where_it_overlaps_itself() {
        let pattern = Pattern::new(b"aabaa".to_vec());
        let mut matched = 0;
        let ends = b"aabaabaaa".iter().enumerate().filter(|(_, byte)| {
            matched = pattern.next(matched, **byte);
            pattern.is_whole(matched)
        });
        assert_eq!(ends.map(|(end, _)| end).collect::<Vec<_>>(), [4, 7]);
    }
}
