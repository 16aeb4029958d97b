//! The functions behind [`strings`](super::strings): each does to a string what some software does.

use icu_normalizer::DecomposingNormalizer;

/// The string without these characters.
pub(super) fn without(text: &str, characters: &[char]) -> String {
    text.replace(characters, "")
}

/// The string before the first `end`.
pub(super) fn cut(text: &str, end: &str) -> String {
    text.split_once(end).map_or(text, |(before, _)| before).to_owned()
}

/// The string without each part from `open` to `close`.
pub(super) fn without_between(text: &str, open: &str, close: &str) -> String {
    let (mut left, mut kept) = (text, String::new());
    while let Some((before, rest)) = left.split_once(open)
        && let Some((_, after)) = rest.split_once(close)
    {
        kept.push_str(before);
        left = after;
    }
    kept + left
}

/// The string without dollar signs that a name or a digit follows, and without that name or digit.
pub(super) fn dollar_names_lost(text: &str) -> String {
    let is_of_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut parts = text.split('$');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| match part.trim_start_matches(is_of_name) {
        rest if rest.len() < part.len() => kept + rest,
        _ => kept + "$" + part,
    })
}

/// The string with the escapes of many languages decoded.
pub(super) fn unescaped(text: &str) -> String {
    let pairs = [
        ("\\n", "\n"),
        ("\\t", "\t"),
        ("\\r", "\r"),
        ("\\u0041", "A"),
        ("\\x41", "A"),
        ("\\'", "'"),
    ];
    pairs
        .into_iter()
        .fold(text.to_owned(), |text, (escape, meant)| text.replace(escape, meant))
}

/// The string with each `%` and two hexadecimal digits as the byte that they name.
pub(super) fn decoded_percents(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut left = text.as_bytes();
    while let Some((byte, rest)) = left.split_first() {
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(named) if *byte == b'%' => {
                bytes.push(named);
                left = rest.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*byte);
                left = rest;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The string with an apostrophe in front where a spreadsheet would read it as a formula.
pub(super) fn formula_marked(text: &str) -> String {
    if text.starts_with(['=', '@', '-']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// A string that is a number with an exponent or decimals, as a program writes that number.
pub(super) fn number_written(text: &str) -> String {
    let has_form = text.starts_with(|first: char| first.is_ascii_digit()) && text.contains(['e', 'E', '.']);
    let number = text.parse::<f64>().ok().filter(|_| has_form);
    number.map_or_else(|| text.to_owned(), |number| number.to_string())
}

/// A string that is a number of more digits than a double holds, as a double.
pub(super) fn rounded_to_double(text: &str) -> String {
    let is_long = text.len() > 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse::<f64>().ok().filter(|_| is_long);
    number.map_or_else(|| text.to_owned(), |number| format!("{number:.0}"))
}

/// The words of YAML and SQL for true and false as 1 and 0.
pub(super) fn word_as_value(text: &str) -> String {
    let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match text {
        _ if is(["true", "yes", "on"]) => "1".to_owned(),
        _ if is(["false", "no", "off"]) => "0".to_owned(),
        _ => text.to_owned(),
    }
}

/// An empty string where the string is one of the words, ignoring case.
pub(super) fn word_lost(text: &str, words: [&str; 4]) -> String {
    let is_word = words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is_word { "" } else { text }.to_owned()
}

/// The string with `replacement` for each character beyond `last`.
pub(super) fn replaced_above(text: &str, last: char, replacement: &str) -> String {
    text.replace(|character: char| character > last, replacement)
}

/// The string with each byte of its UTF-8 read as a character of Latin-1.
pub(super) fn mojibake(text: &str) -> String {
    text.bytes().map(char::from).collect()
}

/// The string with the plain letter for each letter with a diacritic.
pub(super) fn folded(text: &str) -> String {
    let decomposed = DecomposingNormalizer::new_nfd().normalize(text);
    let is_mark = |character: &char| ('\u{300}'..='\u{36f}').contains(character);
    decomposed.chars().filter(|character| !is_mark(character)).collect()
}

/// The string with each run of characters that `is_reversed` accepts reversed.
pub(super) fn reversed(text: &str, is_reversed: fn(char) -> bool) -> String {
    let mut runs: Vec<(bool, String)> = Vec::new();
    for character in text.chars() {
        match runs.last_mut() {
            Some((is_of_run, run)) if *is_of_run == is_reversed(character) => run.push(character),
            _ => runs.push((is_reversed(character), character.to_string())),
        }
    }
    let read = |(is_of_run, run): (bool, String)| if is_of_run { run.chars().rev().collect() } else { run };
    runs.into_iter().map(read).collect()
}

/// The string with each letter after the first of its word in lower case.
pub(super) fn capitals_lost(text: &str) -> String {
    with_before(text, |before, character| {
        let is_inside = before.is_some_and(char::is_alphabetic);
        if is_inside {
            character.to_lowercase().collect()
        } else {
            character.to_string()
        }
    })
}

/// The string with a capital after each space.
pub(super) fn words_capitalised(text: &str) -> String {
    with_before(text, |before, character| {
        let begins = before == Some(' ');
        if begins {
            character.to_uppercase().collect()
        } else {
            character.to_string()
        }
    })
}

/// The string with one of the `repeated` character where several follow each other.
pub(super) fn collapsed_runs(text: &str, repeated: char) -> String {
    with_before(text, |before, character| {
        let repeats = character == repeated && before == Some(repeated);
        if repeats { String::new() } else { character.to_string() }
    })
}

/// The string with each character replaced by what `write` makes of the character before it and of itself.
fn with_before(text: &str, write: impl Fn(Option<char>, char) -> String) -> String {
    let before = std::iter::once(None).chain(text.chars().map(Some));
    before
        .zip(text.chars())
        .map(|(before, character)| write(before, character))
        .collect()
}

/// The first `max_bytes` bytes of the string, with U+FFFD for a character that is cut in two.
pub(super) fn clipped_bytes(text: &str, max_bytes: usize) -> String {
    let bytes = text.as_bytes();
    String::from_utf8_lossy(bytes.get(..max_bytes).unwrap_or(bytes)).into_owned()
}

/// An address with its part before the `@` changed; any other string as it is.
pub(super) fn local_part(text: &str, change: fn(&str) -> String) -> String {
    match text.rsplit_once('@') {
        Some((local, domain)) if domain.contains('.') => format!("{}@{domain}", change(local)),
        _ => text.to_owned(),
    }
}

/// A phone number changed, any other string as it is. A phone number begins with a plus, a bracket or a zero, and has a
/// space and at least seven digits.
pub(super) fn phone(text: &str, change: fn(&str) -> String) -> String {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_phone = digits >= 7 && text.starts_with(['+', '(', '0']) && text.contains(' ');
    if is_phone { change(text) } else { text.to_owned() }
}
