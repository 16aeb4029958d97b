//! Decides whether the name of a field may be printed although the contract does not document it: [`looks_like_words`].
//!
//! # Design
//!
//! The name that a target gives a field is what a reader of a finding needs most. But where a map is keyed by its data,
//! a name is a value: an address, a number, an identifier. So a name is printed if it looks like words, as the
//! name of a variable does, and not like data. If in doubt, it is not printed, and the finding says how to see it.

/// The names of fields in errors that anybody may know: those of RFC 9457, section 3.1, those of RFC 6749, section 5.2,
/// and what most frameworks write. Any other undocumented name may be a value.
pub(super) const COMMON_NAMES: [&str; 22] = [
    "code", "detail", "details", "error", "error_description", "error_uri", "errors", "field", "instance", "loc",
    "message", "messages", "msg", "parameter", "path", "pointer", "problem", "reason", "status", "timestamp", "title",
    "type",
];

/// The longest name that is printed.
const MAX_LENGTH: usize = 64;
/// The most digits in a row.
const MAX_DIGITS: usize = 2;
/// The maximum length of a word.
const MAX_WORD_LENGTH: usize = 20;
/// The maximum number of consecutive consonants.
const MAX_CONSONANTS: usize = 6;
/// A part of at least this many hexadecimal digits, and nothing else, is taken for data.
const MINIMUM_HEXADECIMAL: usize = 8;
/// A part of fewer letters may mix capitals and small letters like an abbreviation (`IPv4`).
const MINIMUM_MIXED: usize = 8;
/// Words that have more digits than others, and do not identify anybody.
const NUMBERED: [&str; 12] = [
    "e164", "h264", "iso3166", "iso4217", "iso639", "iso8601", "rfc3339", "sha1", "sha256", "sha384", "sha512", "x509",
];

/// Whether the name looks like that of a variable in a program: it looks like words rather than like data, and is at
/// most 64 letters, digits, `_`, `.` and `-`, beginning with a letter or `_`.
#[must_use]
pub(super) fn looks_like_words(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    begins && name.len() <= MAX_LENGTH && name.bytes().all(is_part) && !looks_like_data(name)
}

fn looks_like_data(name: &str) -> bool {
    let parts = || name.split(['_', '.', '-']).filter(|part| !is_numbered(part));
    let digits = parts().flat_map(str::bytes).filter(u8::is_ascii_digit).count();
    let letters = parts().flat_map(str::bytes).filter(u8::is_ascii_alphabetic).count();
    // `p1` is a name, and `a1-b2-c3` is a hardware address.
    digits > 1 && digits >= letters || parts().any(is_data)
}

/// Whether it is one of the [`NUMBERED`] words, alone or after other words: `PhoneE164`.
fn is_numbered(part: &str) -> bool {
    let part = part.to_ascii_lowercase();
    NUMBERED.iter().any(|word| part.ends_with(word))
}

/// Whether a part between separators looks like data.
fn is_data(part: &str) -> bool {
    let runs = part
        .split(|letter: char| !letter.is_ascii_digit())
        .filter(|run| !run.is_empty());
    let (count, longest) = runs.fold((0, 0), |(count, longest): (usize, usize), run| {
        (count + 1, longest.max(run.len()))
    });
    let is_number = longest > 1 && longest == part.len();
    let is_hexadecimal = part.len() >= MINIMUM_HEXADECIMAL && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    count > 1 || longest > MAX_DIGITS || is_number || is_hexadecimal || is_noise(part)
}

/// Whether the letters form no words, as in random strings and in encoded ones.
fn is_noise(part: &str) -> bool {
    let words = words(part);
    let is_long = |word: &&str| word.len() > MAX_WORD_LENGTH;
    let too_many_consonants =
        |word: &&str| longest_run(word, |byte| byte.is_ascii_alphabetic() && !is_vowel(byte)) > MAX_CONSONANTS;
    // Capitals begin words; words have more than two letters on average, and most have a vowel.
    let without = words.iter().filter(|word| longest_run(word, is_vowel) == 0).count();
    let is_mixed = words.len() > 2 && part.len() < words.len() * 3 || words.len() > 3 && without * 2 >= words.len();
    part.len() >= MINIMUM_MIXED && is_mixed || words.iter().any(is_long) || words.iter().any(too_many_consonants)
}

fn is_vowel(letter: u8) -> bool {
    b"aeiouy".contains(&letter)
}

/// Splits `camelCase` into its words; capitals in a row belong to the word that follows them.
fn words(part: &str) -> Vec<&str> {
    let bytes = part.as_bytes();
    let begins = |index: &usize| bytes[*index].is_ascii_uppercase() && !bytes[*index - 1].is_ascii_uppercase();
    let mut words = Vec::new();
    let mut start = 0;
    for end in (1..bytes.len()).filter(begins).chain([bytes.len()]) {
        words.push(&part[start..end]);
        start = end;
    }
    words
}

/// Returns the length of the longest run of letters of this kind, in bytes.
fn longest_run(word: &str, kind: impl Fn(u8) -> bool) -> usize {
    let is_other = |letter: char| !u8::try_from(letter.to_ascii_lowercase()).is_ok_and(&kind);
    word.split(is_other).map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::looks_like_words;

    #[test]
    fn names_of_fields_look_like_words() {
        for name in [
            "a",
            "_id",
            "notes",
            "internal_notes",
            "internalNotesForStaff",
            "ssn",
            "SSN",
            "dateOfBirthUTC",
            "@type".trim_start_matches('@'),
            "shoe-size",
            "address.line_2",
            "address2",
            "ipv4",
            "utf8",
            "base64",
            "p1",
            "sha256",
            "passwordSha256",
            "phone_e164",
            "iso3166",
            "country_iso3166",
            "HTTPSOnly",
            "last_4",
            "mp3_url",
            "disestablishment",
            "is_VIP",
            "oauth2_token",
            "md5",
            "x_request_id",
            "Ada",
            "internationalisation",
            "rhythmically",
            "_links",
            "createdAtMs",
            "userID",
            "isAOwner",
        ] {
            assert!(looks_like_words(name), "{name}");
        }
    }

    #[test]
    fn what_looks_like_data_is_not() {
        for name in [
            "",
            "7",
            "4711",
            "+447700900123",
            "447700900123",
            "jane.roe@example.com",
            "Jane Roe",
            "Przykład",
            "a47ac10b-58cc-4372-a567-0e02b2c3d479",
            "a47ac10b58cc4372a5670e02b2c3d479",
            "user-12345",
            "user12345",
            "t-17",
            "v-4711",
            "jane1985",
            "p447700900123",
            "d2024-05-17",
            "d-2024-05-17",
            "2024-05-17",
            "a1b2c3d4",
            "f47ac10b",
            "a1-b2-c3-d4-e5-f6",
            "deadbeefcafe",
            "dGhpcyBpcyBhIHRlc3Q",
            "tk-7f3a91c2-nobody",
            "xkcdqwrtpsdfg",
            "abcdefghijklmnopqrstuvwxyz",
            "p95",
            "__17__",
            "a/b",
            "a~b",
            "a:b",
            "$ref",
            "name()",
            "eyJhbGciOiJIUzI",
            "-",
            ".hidden",
            "QmFzZTY0IGlzIGZ1bg",
        ] {
            assert!(!looks_like_words(name), "{name}");
        }
        assert!(looks_like_words(&"word_".repeat(12)) && !looks_like_words(&"word_".repeat(13)));
    }
}
