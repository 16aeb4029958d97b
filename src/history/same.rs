//! Decides whether two values are the same, in whatever spelling. The main function is [`same`].

use std::borrow::Cow;

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, Timelike};
use icu_normalizer::ComposingNormalizer;
use serde_json::{Number, Value};

use crate::contract::vocabulary::Equality;

/// Whether the returned value is the sent one; `None` if a timestamp has a form that leaves this in doubt.
pub(crate) fn same(how: Equality, sent: &Value, returned: &Value) -> Option<bool> {
    match how {
        Equality::Value => Some(equal(sent, returned)),
        Equality::Instant if sent == returned => Some(true),
        Equality::Instant if !returned.is_string() => Some(false),
        Equality::Instant => {
            let sent_at = instant(sent)?;
            instant(returned)
                .map(|returned| sent_at == returned)
                .or_else(|| lost_time(sent, returned).map(|_| false))
        }
        Equality::Letters => {
            Some(equal(sent, returned) || letters(sent).is_some_and(|sent| letters(returned) == Some(sent)))
        }
        Equality::Url => {
            let same_url = || normalised_url(sent).is_some_and(|sent| normalised_url(returned) == Some(sent));
            Some(equal(sent, returned) || same_url())
        }
    }
}

/// Returns a URL as RFC 3986 normalises it (sections 6.2.2 and 6.2.3): scheme and host in lower case, no default port,
/// no dot segments, `/` for an empty path, percent-encodings in capitals, and none of an unreserved character.
fn normalised_url(value: &Value) -> Option<String> {
    let url = reqwest::Url::parse(value.as_str()?).ok()?;
    let mut parts = url.as_str().split('%');
    let mut normalised = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let octet = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match octet {
            Some(octet) if octet.is_ascii_alphanumeric() || b"-._~".contains(&octet) => {
                normalised.push(char::from(octet));
                normalised.push_str(&part[2..]);
            }
            Some(octet) => {
                normalised.push_str(&format!("%{octet:02X}"));
                normalised.push_str(&part[2..]);
            }
            None => {
                normalised.push('%');
                normalised.push_str(part);
            }
        }
    }
    Some(normalised)
}

/// Returns the letters and digits of a string in lower case; `None` if it has none.
fn letters(value: &Value) -> Option<String> {
    let text = unicode_composed(value.as_str()?);
    let letters = text.chars().filter(|character| character.is_alphanumeric());
    let letters: String = letters.flat_map(char::to_lowercase).collect();
    (!letters.is_empty()).then_some(letters)
}

/// Whether two values are the same value. JSON has one kind of number: `28.0` is `28`. Two integers are compared
/// exactly, because as floating-point numbers two large ones that differ may be equal. And in Unicode a string stays
/// the same however its accents are composed: whoever relies on a difference between canonically equivalent strings
/// does not conform to it (The Unicode Standard, section 3.2, C6), and the document does not require one. So a service
/// that normalises what it receives is not reported, while one that loses an accent is. All this also holds for what
/// arrays and objects contain.
fn equal(sent: &Value, returned: &Value) -> bool {
    match (sent, returned) {
        (Value::String(sent), Value::String(returned)) => {
            sent == returned || unicode_composed(sent) == unicode_composed(returned)
        }
        (Value::Number(sent), Value::Number(returned)) => match (sent.is_f64(), returned.is_f64()) {
            (false, false) => sent == returned,
            (true, true) => sent.as_f64() == returned.as_f64(),
            (true, false) => is_integer(sent, returned),
            (false, true) => is_integer(returned, sent),
        },
        (Value::Array(sent), Value::Array(returned)) => {
            sent.len() == returned.len() && sent.iter().zip(returned).all(|(sent, returned)| equal(sent, returned))
        }
        (Value::Object(sent), Value::Object(returned)) => {
            let is_same = |(name, sent): (&String, &Value)| returned.get(name).is_some_and(|value| equal(sent, value));
            sent.len() == returned.len() && sent.iter().all(is_same)
        }
        _ => sent == returned,
    }
}

/// Whether a number with a fraction or an exponent is exactly this integer. Converted to a double, an integer above 2^53
/// may equal a neighbour.
fn is_integer(number: &Number, integer: &Number) -> bool {
    let number = number.as_f64().filter(|number| number.fract() == 0.0);
    // Adding zero takes the sign off a negative one.
    number.is_some_and(|number| format!("{:.0}", number + 0.0) == integer.to_string())
}

pub(crate) fn unicode_composed(text: &str) -> Cow<'_, str> {
    ComposingNormalizer::new_nfc().normalize(text)
}

/// Returns the instant of a timestamp, in the forms that leave no doubt: those of ISO 8601 with `Z` or an offset and
/// `T` or a space between date and time, and that of RFC 2822. The form of timestamps in responses is a gap.
pub(crate) fn instant(value: &Value) -> Option<DateTime<FixedOffset>> {
    let text = value.as_str()?;
    let forms = [
        "%Y-%m-%dT%H:%M:%S%.f%#z",
        "%Y-%m-%d %H:%M:%S%.f%#z",
        "%Y-%m-%dT%H:%M%#z",
    ];
    let parsed = || forms.iter().find_map(|form| DateTime::parse_from_str(text, form).ok());
    let mail = || DateTime::parse_from_rfc2822(text).ok();
    DateTime::parse_from_rfc3339(text).ok().or_else(parsed).or_else(mail)
}

/// Every offset of a time zone is a multiple of this many minutes since this year.
const MINUTES_OF_OFFSETS: i64 = 15;
const FIRST_YEAR_OF_SUCH_OFFSETS: i32 = 1973;

/// Returns what a timestamp that names no instant has lost of one that was sent, so that it is not that instant in any
/// time zone: the time of day, of which it has nothing, or the minutes, which it rounds by more than one.
pub(crate) fn lost_time(sent: &Value, returned: &Value) -> Option<&'static str> {
    let (sent, text) = (instant(sent)?, returned.as_str()?);
    let has_date_alone = NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok() && text.len() == "2024-02-29".len();
    if has_date_alone {
        return (sent.second() != 0).then_some("only a date came back, so its time of day is lost");
    }
    let forms = [
        "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S",
    ];
    let local = forms
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())?;
    let seconds = (local - sent.naive_utc()).num_seconds();
    let off = seconds.rem_euclid(MINUTES_OF_OFFSETS * 60);
    let is_off = off.min(MINUTES_OF_OFFSETS * 60 - off) > 60;
    let has_such_offsets = sent.year() >= FIRST_YEAR_OF_SUCH_OFFSETS;
    (is_off && has_such_offsets).then_some("its minutes are others in every time zone")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_without_the_time_of_day_or_with_other_minutes_is_no_instant_that_was_sent() {
        let compared = |sent: &str, returned: &str| same(Equality::Instant, &json!(sent), &json!(returned));
        let sent = "2024-02-29T22:32:37Z";
        for returned in [
            "2024-02-29", "2024-02-29T22:00", "2024-02-29 22:00:00", "2024-02-29T22:00:37",
        ] {
            assert_eq!(compared(sent, returned), Some(false), "{returned}");
        }
        // At some offset, or rounded to the minute, it is the one that was sent.
        for returned in [
            "2024-02-29T22:32:37", "2024-03-01 04:17:37", "2024-02-29 19:02", "2024-02-29T22:33", "29.02.2024",
            "20240229", "2024-02", "2024-2-29", "1709245957",
        ] {
            assert_eq!(compared(sent, returned), None, "{returned}");
        }
        assert_eq!(compared("2024-02-29T00:00:00Z", "2024-02-29"), None);
        assert_eq!(compared("1969-12-31T12:30:11-00:30", "1969-12-31 12:15:41"), None);
    }

    #[test]
    fn a_url_is_the_same_as_rfc_3986_normalises_it() {
        let sent = "https://example.com/a%7eb/%c3%a9?q=1#x";
        let is_same = |sent: &str, returned: Value| same(Equality::Url, &json!(sent), &returned) == Some(true);
        for returned in [
            sent,
            "HTTPS://Example.COM/a~b/%C3%A9?q=1#x",
            "https://example.com:443/a%7Eb/é?q=1#x",
            "https://example.com/c/../a~b/./%c3%a9?q=1#x",
        ] {
            assert!(is_same(sent, json!(returned)), "{returned}");
        }
        assert!(is_same("https://example.com", json!("https://example.com/")));
        assert!(is_same("/relative", json!("/relative")));
        for returned in [
            "http://example.com/a~b/%C3%A9?q=1#x",
            "https://example.org/a~b/%C3%A9?q=1#x",
            "https://example.com:8443/a~b/%C3%A9?q=1#x",
            "https://example.com/A~b/%C3%A9?q=1#x",
            "https://example.com/a~b/%C3%A9/?q=1#x",
            "https://example.com/a~b/%C3%A9?q=2#x",
            "https://example.com/a~b/%C3%A9?q=1",
            "https://example.com/",
            "",
        ] {
            assert!(!is_same(sent, json!(returned)), "{returned}");
        }
        assert!(!is_same(sent, json!(null)));
    }

    #[test]
    fn the_same_letters_may_have_another_spelling() {
        let is_same = |sent: &str, returned: Value| same(Equality::Letters, &json!(sent), &returned) == Some(true);
        for returned in ["Blue Sky", "blue sky", " Blue Sky ", "blue-sky", "BLUE_SKY"] {
            assert!(is_same("Blue Sky", json!(returned)), "{returned}");
        }
        assert!(is_same("!", json!("!")));
        assert!(!is_same("!", json!("?")));
        for returned in [json!("Blue"), json!("Blue Sky 2"), json!(""), json!(null), json!(7)] {
            assert!(!is_same("Blue Sky", returned.clone()), "{returned}");
        }
    }

    #[test]
    fn an_instant_is_the_same_in_every_offset() {
        let sent = json!("2024-05-17T09:30:00+02:00");
        for returned in [
            "2024-05-17T07:30:00Z",
            "2024-05-17T07:30:00.000Z",
            "2024-05-17 07:30:00+00:00",
            "2024-05-17T07:30:00+0000",
            "Fri, 17 May 2024 07:30:00 +0000",
        ] {
            assert_eq!(
                same(Equality::Instant, &sent, &json!(returned)),
                Some(true),
                "{returned}"
            );
        }
        for returned in [json!("2024-05-17T09:30:00Z"), json!("2024-05-17T07:30:01Z"), json!(7)] {
            assert_eq!(same(Equality::Instant, &sent, &returned), Some(false), "{returned}");
        }
    }

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        assert_eq!(same(Equality::Value, &json!(28), &json!(28.0)), Some(true));
        assert_eq!(same(Equality::Value, &json!(28), &json!("28")), Some(false));
    }

    #[test]
    fn large_integers_that_differ_are_not_the_same() {
        let large = 9_007_199_254_740_992_u64;
        assert_eq!(same(Equality::Value, &json!(large), &json!(large)), Some(true));
        assert_eq!(same(Equality::Value, &json!(large), &json!(large + 1)), Some(false));
        // A service that keeps doubles may write the neighbour as one.
        for double in [json!(9_007_199_254_740_992.0), json!(9.007_199_254_740_992e15)] {
            assert_eq!(same(Equality::Value, &json!(large), &double), Some(true));
            assert_eq!(same(Equality::Value, &json!(large + 1), &double), Some(false));
        }
        assert_eq!(same(Equality::Value, &json!(0), &json!(-0.0)), Some(true));
        assert_eq!(same(Equality::Value, &json!(28), &json!(28.5)), Some(false));
    }

    #[test]
    fn what_is_inside_an_array_or_an_object_is_compared_as_it_is_outside() {
        let sent = json!({"days": [28, 1], "name": ["Zo\u{e9}"]});
        for (returned, is_same) in [
            (json!({"name": ["Zoe\u{301}"], "days": [28.0, 1]}), true),
            (json!({"name": ["Zoe"], "days": [28, 1]}), false),
            (json!({"name": ["Zo\u{e9}"], "days": [1, 28]}), false),
            (json!({"name": ["Zo\u{e9}"], "days": [28, 1, 2]}), false),
            (json!({"name": ["Zo\u{e9}"], "days": [28]}), false),
            (json!({"name": ["Zo\u{e9}"]}), false),
            (json!({"name": ["Zo\u{e9}"], "dates": [28, 1]}), false),
        ] {
            assert_eq!(same(Equality::Value, &sent, &returned), Some(is_same), "{returned}");
        }
    }
}
