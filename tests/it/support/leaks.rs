//! Finds a secret in a program's output, in whatever encoding. The main types are [`Canary`], the secrets of one run,
//! and [`Scanner`], which looks for them.
//!
//! # Design
//!
//! An output is decoded in every way that its characters allow, and each decoded text is reduced to its letters and
//! digits in lower case. So a secret is found behind percent-encoding, JSON escapes, entities or soft line breaks, in
//! UTF-16, between terminal escapes or broken by a margin, in any mix of these. What this reduction cannot undo
//! (base64, hex, reversal and the like) is searched for directly: the secret is first written in each of these forms.
//!
//! [`decoding`] decodes, [`encoding`] encodes; the tests at the end plant a leak in each form in each kind of output.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may fail it, as the test itself may"
)]

mod decoding;
pub(crate) mod encoding;
#[cfg(test)]
mod planted;

use std::collections::HashMap;

/// How many letters in a row give a token away.
const PIECE: usize = 8;

/// The secrets of one run: a token, and a person in the target's data. Another seed makes others.
#[derive(Clone, Debug)]
pub(crate) struct Canary {
    pub(crate) token: String,
    pub(crate) firstname: String,
    pub(crate) lastname: String,
    pub(crate) email: String,
    pub(crate) phone: String,
    pub(crate) street: String,
    pub(crate) id: String,
}

/// Looks for secrets.
#[derive(Debug)]
pub(crate) struct Scanner {
    needles: Vec<Needle>,
    /// The needles by their first eight letters.
    beginnings: HashMap<[u8; PIECE], Vec<usize>>,
    /// Whether a needle begins with these two letters, which spares most of the looking up.
    pairs: Vec<bool>,
}

#[derive(Debug)]
struct Needle {
    label: String,
    letters: Vec<u8>,
}

impl Canary {
    /// Secrets that no other seed has.
    pub(crate) fn fresh(seed: &str) -> Self {
        let letters = |what: &str, count: usize| letters(&format!("{seed} {what}"), count);
        let hex: Vec<_> = letters("id", 16)
            .bytes()
            .map(|letter| format!("{letter:02x}"))
            .collect();
        let hex = hex.concat();
        Self {
            token: format!("tk-{}", letters("token", 32)),
            firstname: format!("Kanarek{}", letters("firstname", 6)),
            lastname: format!("Przykład{}", letters("lastname", 6)),
            email: format!("{}@example.com", letters("email", 12)),
            phone: "+44 7700 900987".to_owned(),
            street: format!("{} Street", letters("street", 12)),
            id: format!(
                "{}-{}-4{}-8{}-{}",
                &hex[..8],
                &hex[8..12],
                &hex[13..16],
                &hex[17..20],
                &hex[20..32]
            ),
        }
    }

    /// Looks for the token alone, where the user asked to see values.
    pub(crate) fn token_scanner(&self) -> Scanner {
        let mut scanner = Scanner::new();
        scanner.hide("the token", &self.token, true);
        scanner
    }

    /// What looks for all of them.
    pub(crate) fn scanner(&self) -> Scanner {
        let mut scanner = self.token_scanner();
        scanner.hide("the first name", &self.firstname, false);
        scanner.hide("the last name", &self.lastname, false);
        scanner.hide("the e-mail address", self.email.trim_end_matches("@example.com"), false);
        scanner.hide("the telephone number", &self.phone, false);
        scanner.hide("the address", self.street.trim_end_matches(" Street"), false);
        scanner.hide("the identifier", &self.id, false);
        scanner
    }
}

impl Scanner {
    /// Looks for nothing yet.
    pub(crate) fn new() -> Self {
        Self {
            needles: Vec::new(),
            beginnings: HashMap::new(),
            pairs: vec![false; 1 << 16],
        }
    }

    /// Looks for `secret` from now on; for any piece of it, where pieces give it away.
    pub(crate) fn hide(&mut self, label: &str, secret: &str, in_pieces: bool) {
        for (form, text) in encoding::forms(secret) {
            let letters = squeezed(text.as_bytes());
            // Shorter forms of a piece would appear in other strings by chance.
            let piece = if form == "plain" { PIECE } else { 2 * PIECE };
            assert!(
                letters.len() >= PIECE,
                "{label} is too short to be label from other text"
            );
            let pieces: Vec<&[u8]> = if in_pieces {
                letters.chunks_exact(piece).collect()
            } else {
                vec![&letters]
            };
            for letters in pieces {
                let beginning = letters[..PIECE].try_into().unwrap();
                self.pairs[pair(letters[0], letters[1])] = true;
                self.beginnings.entry(beginning).or_default().push(self.needles.len());
                self.needles.push(Needle {
                    label: format!("{label}, {form}"),
                    letters: letters.to_vec(),
                });
            }
        }
    }

    /// The secrets that the output shows, each with the way in which it is written.
    pub(crate) fn leaks(&self, output: &[u8]) -> Vec<String> {
        let mut leaks = Vec::new();
        for view in parts(output).flat_map(decoding::views) {
            let letters = squeezed(&view);
            // Slices and whole numbers: in a debug build every other step of this loop is a call.
            let (letters, pairs): (&[u8], &[bool]) = (&letters, &self.pairs);
            let mut at = 0;
            while at + PIECE <= letters.len() {
                if pairs[pair(letters[at], letters[at + 1])] {
                    self.begins_with(&letters[at..], &mut leaks);
                }
                at += 1;
            }
        }
        leaks
    }

    /// Adds the secrets that these letters begin with.
    fn begins_with(&self, letters: &[u8], leaks: &mut Vec<String>) {
        let beginning: [u8; PIECE] = letters[..PIECE].try_into().unwrap();
        for index in self.beginnings.get(&beginning).into_iter().flatten() {
            let needle = &self.needles[*index];
            if letters.starts_with(&needle.letters) && !leaks.contains(&needle.label) {
                leaks.push(needle.label.clone());
            }
        }
    }

    /// Fails if the output shows a secret.
    #[track_caller]
    pub(crate) fn assert_clean(&self, kind: &str, output: &[u8]) {
        let leaks = self.leaks(output);
        assert!(
            leaks.is_empty(),
            "{kind} shows {leaks:?}:\n{}",
            String::from_utf8_lossy(output)
        );
    }
}

/// An output in parts, most of which can be read in one way alone. They overlap by more than a secret takes, however it
/// is written.
fn parts(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    const LONGEST: usize = 16 << 10;
    const OVERLAP: usize = 4 << 10;
    let starts = (0..output.len().max(1)).step_by(LONGEST - OVERLAP);
    starts.map(|start| &output[start..output.len().min(start + LONGEST)])
}

/// `as` because in a debug build `usize::from` is a call, for each letter of each output.
fn pair(first: u8, second: u8) -> usize {
    (first as usize) << 8 | second as usize
}

/// The letters and digits of a text, in lower case.
fn squeezed(text: &[u8]) -> Vec<u8> {
    // Outputs are long, and ASCII but for a few marks: their bytes are copied by a table, without a call for each.
    // No character grows to more than twice its length.
    let mut squeezed = vec![0; 2 * text.len()];
    let letters: &mut [u8] = &mut squeezed;
    let (mut count, mut at) = (0, 0);
    while at < text.len() {
        let letter = SMALL[text[at] as usize];
        if letter != BEYOND_ASCII {
            letters[count] = letter;
            if letter != 0 {
                count += 1;
            }
            at += 1;
            continue;
        }
        let rest = &text[at..];
        let end = rest.iter().position(u8::is_ascii).unwrap_or(rest.len());
        at += end;
        for character in String::from_utf8_lossy(&rest[..end])
            .chars()
            .filter(|character| character.is_alphanumeric())
        {
            for letter in character.to_lowercase().to_string().bytes() {
                letters[count] = letter;
                count += 1;
            }
        }
    }
    squeezed.truncate(count);
    squeezed
}

/// What stands for each byte beyond ASCII.
const BEYOND_ASCII: u8 = 1;

/// What stands for each byte: the letter or digit that it is, 0 for any other ASCII character.
const SMALL: [u8; 256] = {
    let mut small = [BEYOND_ASCII; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        small[byte as usize] = if byte.is_ascii_alphanumeric() {
            byte.to_ascii_lowercase()
        } else {
            0
        };
        byte += 1;
    }
    small
};

/// Letters that the seed makes; each seed makes others.
fn letters(seed: &str, count: usize) -> String {
    // FNV-1a, then a linear congruence: it need not be good, only repeatable.
    let hash = seed.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut state = hash;
    let mut letter = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap())
    };
    (0..count).map(|_| letter()).collect()
}
