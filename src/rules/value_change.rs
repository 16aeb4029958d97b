//! Describes what became of a value that did not come back as it was sent, without showing any data of the target: what
//! was sent is the run's own, and what came back is described only in terms of it. Start with [`describe_change`].

use chrono::{DateTime, Duration, FixedOffset};
use serde_json::Value;

use crate::contract::pointer;
use crate::contract::vocabulary::{Carry, Equality};
use crate::history::same::{instant, lost_time, unicode_composed};

/// Describes what became of a value that the run made itself, to be read after a colon; `None` where nothing can be
/// said.
pub(super) fn describe_change(carry: &Carry, body: &Value, (sent, returned): (&Value, &Value)) -> Option<String> {
    match (sent, returned) {
        _ if carry.equality == Equality::Instant => match instant(returned) {
            Some(returned) => describe_time_shift(sent, returned),
            None => lost_time(sent, returned).map(str::to_owned),
        },
        (Value::String(sent), Value::String(returned)) => {
            describe_string_change(&unicode_composed(sent), &unicode_composed(returned))
        }
        (Value::Number(_), _) => describe_date(carry, body),
        _ => None,
    }
}

/// Describes the date of which the number that was sent is a part.
fn describe_date(carry: &Carry, body: &Value) -> Option<String> {
    let (date, _) = carry.sent.rsplit_once('/')?;
    let part = |name: &str| pointer::select(body, &pointer::join(date, name)).first()?.as_i64();
    let (year, month, day) = (part("year")?, part("month")?, part("day")?);
    Some(format!(
        "the one that was sent is part of the date {year:04}-{month:02}-{day:02}"
    ))
}

const SECONDS_OF_AN_HOUR: i32 = 3600;

/// Describes how far an instant was moved, and what explains that.
fn describe_time_shift(sent: &Value, returned: DateTime<FixedOffset>) -> Option<String> {
    let sent = instant(sent)?;
    let by = returned.signed_duration_since(sent);
    let offset = Duration::seconds(sent.offset().local_minus_utc().into());
    // The remainder has the sign of the offset: for -03:30 it is -30 minutes.
    let minutes_of_offset = Duration::seconds((sent.offset().local_minus_utc() % SECONDS_OF_AN_HOUR).into());
    let second = Duration::seconds(chrono::Timelike::second(&sent).into());
    let how = if by.is_zero() {
        return None;
    } else if by == -second {
        "its seconds are lost"
    } else if by == offset {
        "its offset was not applied"
    } else if by == offset * 2 {
        "its offset was applied the other way"
    } else if by == minutes_of_offset {
        "the minutes of its offset were lost"
    } else if by.abs() == Duration::hours(1) {
        "one hour, as between winter and summer time"
    } else {
        "no simple explanation"
    };
    let direction = if by < Duration::zero() { "earlier" } else { "later" };
    let distance = match by.num_seconds().abs() {
        0 => "less than 1".to_owned(),
        seconds => seconds.to_string(),
    };
    Some(format!("it came back {distance} s {direction}: {how}"))
}

/// Describes what became of a string.
fn describe_string_change(sent: &str, returned: &str) -> Option<String> {
    if sent == returned {
        return None;
    }
    let known = KNOWN.iter().find(|(becomes, _)| becomes(sent, returned));
    let first = sent
        .chars()
        .zip(returned.chars())
        .take_while(|(sent, returned)| sent == returned)
        .count();
    let character = sent.chars().nth(first);
    let kind = match character {
        Some(letter) if letter.is_ascii_punctuation() => Some(format!("`{letter}`")),
        Some(letter) if letter.len_utf8() > 3 => Some("a character above U+FFFF, such as an emoji,".to_owned()),
        Some(letter) if !letter.is_ascii() => Some("a character beyond ASCII".to_owned()),
        _ => None,
    };
    let named = |how: &str| match &kind {
        Some(kind) => format!("{kind} {how}"),
        None => format!("its character {} {how}", first + 1),
    };
    if let Some((_, description)) = known {
        return Some((*description).to_owned());
    }
    let rest = |text: &str| text.chars().skip(first).collect::<Vec<_>>();
    let (sent, returned) = (rest(sent), rest(returned));
    let ends = sent
        .iter()
        .rev()
        .zip(returned.iter().rev())
        .take_while(|(sent, returned)| sent == returned)
        .count();
    let (changed, instead) = (sent.len() - ends, returned.len() - ends);
    Some(match (changed, instead) {
        _ if returned.is_empty() => match first {
            0 => "it came back empty".to_owned(),
            1 => "it was cut after its first character".to_owned(),
            first => format!("it was cut after {first} characters"),
        },
        (0, more) => {
            let extra = match more {
                1 => "one extra character".to_owned(),
                more => format!("{more} extra characters"),
            };
            match first {
                0 => format!("{extra} at the start"),
                _ => format!("{extra} after character {first}"),
            }
        }
        (1, 0) => named("is missing"),
        (1, 1) => named("came back as another character"),
        (1, more) => named(&format!("came back as {more} characters")),
        // Nothing useful can be said when even the first character differs.
        _ if first == 0 && character.is_none_or(|letter| letter.is_ascii_alphanumeric()) => return None,
        _ if kind.is_none() => format!("the first difference is at character {}", first + 1),
        _ => named("is the first character that came back changed"),
    })
}

/// A way in which software changes a string as a whole, and the words for it.
type Known = (fn(&str, &str) -> bool, &'static str);

const KNOWN: [Known; 9] = [
    (
        |sent, returned| unescaped(returned) == sent,
        "markup characters came back as entities",
    ),
    (
        |sent, returned| unescaped(sent) == returned,
        "entities came back decoded",
    ),
    (
        |sent, returned| sent.split_whitespace().eq(returned.split_whitespace()),
        "spaces came back changed",
    ),
    (
        |sent, returned| sent.to_lowercase() == returned.to_lowercase(),
        "letters came back in another case",
    ),
    (
        |sent, returned| sent.replace('+', " ") == returned,
        "`+` came back as a space",
    ),
    (
        |sent, returned| is_number(sent) && sent.parse::<f64>().ok() == returned.parse().ok(),
        "it was taken for a number",
    ),
    (
        |sent, returned| read_as_latin_1(sent) == returned,
        "its UTF-8 was read as ISO 8859-1",
    ),
    (
        |sent, returned| is_replaced(sent, returned, |letter| letter.len_utf8() > 3),
        "characters above U+FFFF (such as emoji) were replaced",
    ),
    (
        |sent, returned| is_replaced(sent, returned, |letter| !letter.is_ascii()),
        "characters beyond ASCII were replaced",
    ),
];

/// Returns a string in which the entities that an escaping layer writes are decoded.
fn unescaped(text: &str) -> String {
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&#x22;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&#039;", "'"),
        ("&#x27;", "'"),
        ("&#43;", "+"),
        ("&#96;", "`"),
        ("&#x60;", "`"),
        ("&#x2F;", "/"),
        ("&#47;", "/"),
        ("&#61;", "="),
        ("&#x3D;", "="),
        // Last, so that an entity that was itself escaped stays an entity.
        ("&amp;", "&"),
    ];
    entities
        .iter()
        .fold(text.to_owned(), |text, (entity, sign)| text.replace(entity, sign))
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

fn read_as_latin_1(text: &str) -> String {
    text.bytes().map(char::from).collect()
}

/// Returns whether some characters of a kind came back as one or more replacement characters, and the rest unchanged.
fn is_replaced(sent: &str, returned: &str, is_of_the_kind: fn(char) -> bool) -> bool {
    // Each run of such characters counts as one, because one character may come back as several.
    let with_marks = |text: &str| {
        let is_mark = |letter: char| matches!(letter, '?' | '\u{fffd}') || is_of_the_kind(letter);
        let letters = text.chars().map(|letter| if is_mark(letter) { '?' } else { letter });
        let mut letters: Vec<_> = letters.collect();
        letters.dedup_by(|next, last| (*next, *last) == ('?', '?'));
        letters
    };
    sent.chars().any(is_of_the_kind) && with_marks(sent) == with_marks(returned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_became_of_a_text_is_reported_without_what_came_back() {
        for (sent, returned, expected) in [
            ("O'Sample", "O&#39;Sample", "markup characters came back as entities"),
            ("a<b>&c", "a&lt;b&gt;&amp;c", "markup characters came back as entities"),
            ("a&amp;b", "a&b", "entities came back decoded"),
            ("a  b", "a b", "spaces came back changed"),
            ("McEx", "Mcex", "letters came back in another case"),
            ("a+b", "a b", "`+` came back as a space"),
            ("00420", "420", "it was taken for a number"),
            ("12.50", "12.5", "it was taken for a number"),
            ("Zo\u{e9}", "Zo\u{c3}\u{a9}", "its UTF-8 was read as ISO 8859-1"),
            (
                "a\u{1f31f}b",
                "a?b",
                "characters above U+FFFF (such as emoji) were replaced",
            ),
            (
                "a\u{1f31f}b",
                "a\u{fffd}\u{fffd}b",
                "characters above U+FFFF (such as emoji) were replaced",
            ),
            ("Zo\u{e9}", "Zo?", "characters beyond ASCII were replaced"),
            (
                "a\u{1f31f}b",
                "ab",
                "a character above U+FFFF, such as an emoji, is missing",
            ),
            (
                "a\u{1f31f}b?",
                "ab?",
                "a character above U+FFFF, such as an emoji, is missing",
            ),
            ("Zo\u{e9}", "Zo", "it was cut after 2 characters"),
            ("regular", "r", "it was cut after its first character"),
            ("regular", "", "it came back empty"),
            ("O'Sample", "O''Sample", "one extra character after character 2"),
            ("Sample", " - Sample", "3 extra characters at the start"),
            ("O'Sample", "OSample", "`'` is missing"),
            ("O'Sample", "O-----Sample", "`'` came back as 5 characters"),
            ("O'Sample", "O'Samp", "it was cut after 6 characters"),
            (
                "Zo\u{e9}",
                "Zoe",
                "a character beyond ASCII came back as another character",
            ),
            ("regular", "regulas", "its character 7 came back as another character"),
            ("regular", "rigolar", "the first difference is at character 2"),
            ("a<b>c</b>", "ac", "`<` is the first character that came back changed"),
        ] {
            assert_eq!(
                describe_string_change(sent, returned).as_deref(),
                Some(expected),
                "{sent} {returned}"
            );
        }
        assert_eq!(describe_string_change("same", "same"), None);
        assert_eq!(describe_string_change("no", "false"), None);
    }

    #[test]
    fn how_far_an_instant_moved_is_reported_with_what_explains_it() {
        let sent = json!("2024-01-01T00:30:53+02:00");
        for (returned, expected) in [
            (
                "2023-12-31T22:30:00Z",
                "it came back 53 s earlier: its seconds are lost",
            ),
            (
                "2024-01-01T00:30:53Z",
                "it came back 7200 s later: its offset was not applied",
            ),
            (
                "2024-01-01T02:30:53Z",
                "it came back 14400 s later: its offset was applied the other way",
            ),
            (
                "2023-12-31T23:30:53Z",
                "it came back 3600 s later: one hour, as between winter and summer time",
            ),
            (
                "2023-12-30T22:30:53Z",
                "it came back 86400 s earlier: no simple explanation",
            ),
            (
                "2023-12-31T22:30:53.4Z",
                "it came back less than 1 s later: no simple explanation",
            ),
            (
                "2023-12-31T22:30:52.6Z",
                "it came back less than 1 s earlier: no simple explanation",
            ),
        ] {
            let returned = DateTime::parse_from_rfc3339(returned).unwrap();
            assert_eq!(describe_time_shift(&sent, returned).as_deref(), Some(expected));
        }
        // Each is read as if its offset had whole hours only.
        for (sent, returned, expected) in [
            ("2024-01-01T12:00:00-03:30", "2024-01-01T15:00:00Z", "1800 s earlier"),
            ("2024-01-01T12:00:00+05:45", "2024-01-01T07:00:00Z", "2700 s later"),
        ] {
            let returned = DateTime::parse_from_rfc3339(returned).unwrap();
            let expected = format!("it came back {expected}: the minutes of its offset were lost");
            assert_eq!(describe_time_shift(&json!(sent), returned), Some(expected));
        }
    }

    #[test]
    fn a_number_is_reported_by_the_date_that_it_is_of() {
        let carry = Carry {
            sent: "/date_of_birth/day".to_owned(),
            returned_at: "/date_of_birth/day".to_owned(),
            equality: Equality::Value,
            gap: None,
        };
        let body = json!({"date_of_birth": {"day": 29, "month": 2, "year": 1996}});
        let reported = describe_change(&carry, &body, (&json!(29), &json!(1)));
        assert_eq!(
            reported.as_deref(),
            Some("the one that was sent is part of the date 1996-02-29")
        );
        assert_eq!(
            describe_change(&carry, &json!({"size": 29}), (&json!(29), &json!(1))),
            None
        );
    }
}
