//! Makes wrong tokens from the right one, by small changes. The main type is [`TokenMutation`].
//!
//! # Design
//!
//! A token that has nothing in common with the right one shows little: a service that compares only a prefix, that
//! ignores case or the last character, or that reads a JWT without checking its signature rejects that too. So each
//! wrong token is made from the right one.
//!
//! Most of these reveal the right token to anyone who reads the target's log of rejected calls, so they go to loopback
//! targets, and to others only where the configuration allows it. Elsewhere, such a log shows only half of a token, or
//! the header and claims of a JWT, and that is not enough to get in. A service that compares only part of the token
//! would accept each wrong token; that is what makes it a test. A replaced last character is chosen so that a Base64
//! decoder does not decode both tokens to the same bytes (RFC 4648, section 3.5), unless the alphabet has no such
//! letter.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The number of mutations, and so of wrong tokens, of one token.
pub const TOKEN_MUTATIONS: usize = 3;
/// The number of random lower-case letters that are appended to a longer token: a Base64 decoder reads them as three
/// more bytes.
const APPENDED: usize = 4;
/// The length from which a token may be read as a number, in which case does not matter.
const NUMBER_DIGITS: usize = 16;
const HEX: &[u8; 16] = b"0123456789abcdef";

/// How a wrong token differs from the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenMutation {
    /// The first half is the right one's, and the rest is generated at random, with the same length and kinds of
    /// characters; the number distinguishes several such tokens.
    Half(u8),
    /// The last character is different.
    Last,
    /// Letters are appended.
    Longer,
    /// The case of the letters is swapped.
    OtherCase,
    /// Header and claims are those of the right JWT, and the signature is random (RFC 7515, section 3.1); the number
    /// distinguishes several such tokens.
    Signature(u8),
}

impl TokenMutation {
    /// Returns three mutations of this token. `near` says whether a mutation may be so close that the right token can
    /// be read from it.
    #[must_use]
    pub fn of(token: &str, near: bool) -> [Self; TOKEN_MUTATIONS] {
        let part: fn(u8) -> Self = if signature(token).is_some() {
            Self::Signature
        } else {
            Self::Half
        };
        if !near {
            return [part(0), part(1), part(2)];
        }
        let first = if signature(token).is_some() {
            part(0)
        } else {
            Self::Last
        };
        let cased = token.bytes().any(|byte| byte.is_ascii_alphabetic()) && !may_be_a_number(token);
        [first, Self::Longer, if cased { Self::OtherCase } else { part(1) }]
    }

    /// Returns the wrong token. `seed` seeds the random characters: the same seed gives the same ones.
    #[must_use]
    pub(super) fn apply(self, token: &str, seed: &str) -> String {
        let mut random = RandomCharacters::new(token, seed, self);
        let mut text = match self {
            Self::Half(_) => random.replace_from(token, token.len() / 2),
            Self::Last => random.replace_from(token, last(token).unwrap_or(token.len())),
            Self::Longer => {
                let letters: Vec<_> = (0..APPENDED).map(|_| random.like(b'a')).collect();
                format!("{token}{}", String::from_utf8_lossy(&letters))
            }
            Self::OtherCase => token.chars().map(other_case).collect(),
            Self::Signature(_) => random.replace_from(token, signature(token).unwrap_or(0)),
        };
        // Nothing above gives the right token, but no check that a token is rejected may depend on that.
        if text == token {
            text.push('x');
        }
        text
    }

    /// Describes the wrong token, for use after a status and "to", without any part of it.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Half(_) => "the first half of the token with a different rest",
            Self::Last => "the token with a different last character",
            Self::Longer => "the token followed by letters",
            Self::OtherCase => "the token with the case of its letters swapped",
            Self::Signature(_) => "the token's header and claims under another signature",
        }
    }
}

/// Returns the index at which the signature of a JWT begins; `None` where the token is not a JWT (RFC 7515, section
/// 3.1: it begins as a JSON object does in Base64).
fn signature(token: &str) -> Option<usize> {
    let parts: Vec<_> = token.split('.').collect();
    let [header, claims, signature] = parts.as_slice() else {
        return None;
    };
    let is_one = header.starts_with("eyJ") && !claims.is_empty() && !signature.is_empty();
    is_one.then(|| token.len() - signature.len())
}

/// Whether a service may read the token as a number, so that its case does not matter: it is hexadecimal, as a UUID is,
/// or written in capitals of one of the alphabets of Base32 (RFC 4648, section 6, and Crockford's, which has no I, L, O
/// and U).
fn may_be_a_number(token: &str) -> bool {
    let is_all = |is_digit: fn(u8) -> bool| token.bytes().all(|byte| is_digit(byte) || matches!(byte, b'-' | b'='));
    let is_base32 = |byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7');
    let is_crockfords =
        |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase() && !matches!(byte, b'I' | b'L' | b'O' | b'U');
    let alphabets = [|byte: u8| byte.is_ascii_hexdigit(), is_base32, is_crockfords];
    token.len() >= NUMBER_DIGITS && alphabets.into_iter().any(is_all)
}

/// Returns the index of the last character that is not padding.
fn last(token: &str) -> Option<usize> {
    token.rfind(|character| character != '=')
}

fn other_case(letter: char) -> char {
    if letter.is_ascii_lowercase() {
        letter.to_ascii_uppercase()
    } else {
        letter.to_ascii_lowercase()
    }
}

/// Generates random characters of the kinds that a token contains.
struct RandomCharacters {
    random: ChaCha8Rng,
    lower: Vec<u8>,
    upper: Vec<u8>,
}

impl RandomCharacters {
    fn new(token: &str, seed: &str, mutation: TokenMutation) -> Self {
        let seed = seed.bytes().fold(0_u64, |seed, byte| {
            seed.wrapping_mul(0x100_0000_01b3).wrapping_add(u64::from(byte))
        });
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(match mutation {
            TokenMutation::Half(number) | TokenMutation::Signature(number) => u64::from(number),
            TokenMutation::Last | TokenMutation::Longer | TokenMutation::OtherCase => 0,
        });
        let hex = token
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || !byte.is_ascii_alphanumeric());
        let lower: Vec<_> = if hex { b'a'..=b'f' } else { b'a'..=b'z' }.collect();
        let upper = lower.to_ascii_uppercase();
        Self { random, lower, upper }
    }

    /// Returns the token with everything from this index on replaced at random, its padding kept and its last character
    /// changed.
    fn replace_from(&mut self, token: &str, place: usize) -> String {
        let Some(last) = last(token) else {
            return format!("{token}0");
        };
        let changed = token.bytes().enumerate().map(|(index, byte)| match byte {
            byte if index == last => self.another_character(byte, token),
            b'=' => byte,
            byte if index >= place => self.like(byte),
            byte => byte,
        });
        let changed: Vec<_> = changed.collect();
        String::from_utf8_lossy(&changed).into_owned()
    }

    /// Returns a character of the same kind. Punctuation stays, because it may separate the parts of the token.
    fn like(&mut self, byte: u8) -> u8 {
        let pool = match byte {
            b'0'..=b'9' => HEX[..10].to_vec(),
            b'a'..=b'z' => self.lower.clone(),
            b'A'..=b'Z' => self.upper.clone(),
            other => return other,
        };
        self.one_of(&pool).unwrap_or(byte)
    }

    /// Returns a different character that the token might have there, and that decodes differently where the token is
    /// read as Base64.
    fn another_character(&mut self, byte: u8, token: &str) -> u8 {
        let has = |kind: fn(&u8) -> bool| token.as_bytes().iter().any(kind);
        let letters = match (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase)) {
            (true, _) if !byte.is_ascii_uppercase() => self.lower.clone(),
            (_, true) => self.upper.clone(),
            _ => Vec::new(),
        };
        let digits = HEX[..10].iter().copied();
        let mut pool: Vec<_> = letters.into_iter().chain(digits).collect();
        pool.retain(|other| *other != byte);
        let decoded: Vec<_> = pool
            .iter()
            .copied()
            .filter(|other| high_bits(*other) != high_bits(byte))
            .collect();
        let pool = if decoded.is_empty() { pool } else { decoded };
        self.one_of(&pool).unwrap_or(b'x')
    }

    fn one_of(&mut self, pool: &[u8]) -> Option<u8> {
        let length = u64::try_from(pool.len()).ok().filter(|length| *length > 0)?;
        let index = usize::try_from(self.random.next_u64() % length).unwrap_or(0);
        pool.get(index).copied()
    }
}

/// Returns the two high bits of a Base64 digit (RFC 4648, section 4): those that a decoder uses even of the last digit,
/// where it may drop the other four.
fn high_bits(byte: u8) -> u8 {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    };
    value >> 4
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::alphabet::URL_SAFE;
    use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

    use super::*;
    use crate::client::Token;

    const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJub2JvZHkifQ.QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0";
    const TOKENS: [&str; 15] = [
        "q",
        "7",
        "-",
        "=",
        "ab",
        "Q7",
        "proof-token",
        "tk-4711",
        "0123456789",
        "~~~",
        "a==",
        "DEADBEEF",
        JWT,
        "5eed0000-0000-4000-8000-00000000cafe",
        "c2VjcmV0LW9mLW5vYm9keQ==",
    ];

    fn made(token: &str, mutation: TokenMutation) -> String {
        mutation.apply(token, "a seed")
    }

    fn all(token: &str, shown: bool) -> Vec<String> {
        let mutations = TokenMutation::of(token, shown);
        mutations.iter().map(|mutation| made(token, *mutation)).collect()
    }

    #[test]
    fn no_wrong_token_is_the_right_one_whatever_that_is_and_whatever_the_seed() {
        for token in TOKENS {
            for mutation in TokenMutation::of(token, true)
                .into_iter()
                .chain(TokenMutation::of(token, false))
            {
                for seed in 0..200 {
                    let wrong = mutation.apply(token, &format!("seed {seed}"));
                    assert_ne!(wrong, token, "{mutation:?}");
                    assert!(Token::new(wrong.as_str()).is_ok(), "{mutation:?} of {token}: {wrong}");
                }
            }
        }
    }

    #[test]
    fn where_the_token_may_be_shown_each_wrong_one_is_nearer_than_any_part() {
        let [last, longer, cased] = <[String; 3]>::try_from(all("Proof-token", true)).unwrap();
        assert!(last.len() == 11 && last.starts_with("Proof-toke"), "{last}");
        assert!(longer.len() == 15 && longer.starts_with("Proof-token"), "{longer}");
        assert_eq!(cased, "pROOF-TOKEN");
    }

    #[test]
    fn elsewhere_no_more_than_its_first_half_is_shown_and_they_differ() {
        let token = "4711-Secret-of-nobody";
        let made = all(token, false);
        for (index, wrong) in made.iter().enumerate() {
            assert_eq!((wrong.len(), &wrong[..10]), (token.len(), &token[..10]));
            assert_ne!(wrong.as_bytes().last(), token.as_bytes().last());
            assert!(!made[..index].contains(wrong));
            for (one, other) in wrong.bytes().zip(token.bytes()).take(token.len() - 1) {
                assert_eq!(one.is_ascii_lowercase(), other.is_ascii_lowercase(), "{wrong}");
                assert_eq!(one.is_ascii_digit(), other.is_ascii_digit(), "{wrong}");
            }
        }
    }

    #[test]
    fn of_a_jwt_header_and_claims_are_kept_under_another_signature() {
        let (kept, signature) = JWT.rsplit_once('.').unwrap();
        for wrong in all(JWT, false) {
            let (same, other) = wrong.rsplit_once('.').unwrap();
            assert_eq!((same, other.len()), (kept, signature.len()));
            assert_ne!(other, signature);
        }
        let shown = TokenMutation::of(JWT, true);
        assert_eq!(
            shown,
            [
                TokenMutation::Signature(0),
                TokenMutation::Longer,
                TokenMutation::OtherCase
            ]
        );
        assert_eq!(super::signature("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJub2JvZHkifQ."), None);
        assert_eq!(super::signature("a.b.c"), None);
    }

    #[test]
    fn a_token_without_case_is_cut_in_half_in_its_stead() {
        for (token, third) in [
            ("0123456789", TokenMutation::Half(1)),
            ("5eed0000-0000-4000-8000-00000000cafe", TokenMutation::Half(1)),
            ("ONSWG4TFOQ2TI3LN", TokenMutation::Half(1)),
            ("3V0N-9C8Q-ZK5T-0Y1R", TokenMutation::Half(1)),
            ("LONGERAND01OFMINE", TokenMutation::OtherCase),
            ("cafe", TokenMutation::OtherCase),
            ("q", TokenMutation::OtherCase),
        ] {
            assert_eq!(TokenMutation::of(token, true)[2], third, "{token}");
        }
    }

    #[test]
    fn a_lenient_decoder_reads_another_token_too() {
        let config = GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent);
        let lenient = GeneralPurpose::new(&URL_SAFE, config);
        for length in 1..=32_u8 {
            for first in 0..64 {
                let bytes: Vec<_> = (0..length)
                    .map(|index| index.wrapping_mul(37).wrapping_add(first * 4))
                    .collect();
                let token = lenient.encode(&bytes);
                let wrong = made(&token, TokenMutation::Last);
                assert_ne!(lenient.decode(&wrong).ok(), Some(bytes), "{token} {wrong}");
            }
        }
    }

    #[test]
    fn what_is_reported_of_a_wrong_token_has_nothing_of_a_token() {
        let kinds = [
            TokenMutation::Half(0),
            TokenMutation::Last,
            TokenMutation::Longer,
            TokenMutation::OtherCase,
            TokenMutation::Signature(0),
        ];
        let reported: std::collections::HashSet<_> = kinds.iter().map(|mutation| mutation.describe()).collect();
        assert_eq!(reported.len(), kinds.len());
    }
}
