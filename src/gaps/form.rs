//! Recognises the forms of values, and keeps nothing else of them.

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use serde_json::Value;
use uuid::Uuid;

use super::answer::{DateFormat, MemberType, WrittenForm};

/// The length of `2024-05-17` and of `2024-05-17T07:30:00`.
const DATE: usize = 10;
const DATE_AND_TIME: usize = 19;
/// The maximum number of digits in an identifier that is a number: those of 2^64.
const LONGEST_INTEGER: usize = 20;
/// The length of a UUID with hyphens; the parser accepts other spellings too.
const UUID: usize = 36;

/// Returns the form of a timestamp; `None` where there is no value.
pub(super) fn of_timestamp(value: &Value) -> Option<WrittenForm> {
    let text = match value {
        Value::String(text) if text.is_empty() => return None,
        Value::String(text) => text.as_bytes(),
        Value::Number(_) => return Some(WrittenForm::Other),
        _ => return None,
    };
    let (Some(head), Some(rest)) = (text.get(..DATE_AND_TIME), text.get(DATE_AND_TIME..)) else {
        return Some(WrittenForm::Other);
    };
    if !matches_pattern(head, b"0000-00-00?00:00:00") {
        return Some(WrittenForm::Other);
    }
    let digits = rest.strip_prefix(b".").map_or(0, leading_digits);
    let suffix = rest.get(digits + usize::from(digits > 0)..).unwrap_or_default();
    let is_offset = matches_pattern(suffix, b"+00:00") || matches_pattern(suffix, b"-00:00");
    Some(match (head[DATE], suffix) {
        (b' ', _) => WrittenForm::Space,
        (b'T' | b't', b"Z" | b"z") if digits > 0 => WrittenForm::UtcFraction,
        (b'T' | b't', b"Z" | b"z") => WrittenForm::Utc,
        (b'T' | b't', _) if is_offset => WrittenForm::Offset,
        _ => WrittenForm::Other,
    })
}

/// Returns the form of an identifier; `None` where there is no value, or where it does not show: a UUID without letters
/// has no case.
pub(super) fn of_identifier(value: &Value) -> Option<WrittenForm> {
    let text = match value {
        Value::Number(_) => return Some(WrittenForm::Integer),
        Value::String(text) if !text.is_empty() => text,
        _ => return None,
    };
    if text.len() <= LONGEST_INTEGER && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(WrittenForm::Integer);
    }
    let is_uuid = text.len() == UUID && Uuid::try_parse(text).is_ok();
    let has = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
    match (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase)) {
        (false, false) if is_uuid => None,
        (true, false) if is_uuid => Some(WrittenForm::UuidLower),
        (false, true) if is_uuid => Some(WrittenForm::UuidUpper),
        _ => Some(WrittenForm::Text),
    }
}

/// A date as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeenDate {
    /// In this format.
    In(DateFormat),
    /// In a format that is not known here.
    Unknown,
}

/// Whether a value is this date, in any format. Its day must be one that cannot be a month.
pub(super) fn is_date(value: &Value, date: NaiveDate) -> bool {
    let text = value.as_str().and_then(|text| text.get(..DATE)).unwrap_or_default();
    let text = text.replace(['.', '/', ' '], "-");
    let mut formats = ["%Y-%m-%d", "%d-%m-%Y", "%m-%d-%Y"].into_iter();
    formats.any(|format| NaiveDate::parse_from_str(&text, format) == Ok(date))
}

/// Returns the format of a date; `None` where there is no value, or where it does not show: 05/06/1990.
pub(super) fn of_date(value: &Value) -> Option<SeenDate> {
    let text = value.as_str().filter(|text| !text.is_empty())?.as_bytes();
    if matches_pattern(text, b"0000-00-00") {
        return Some(SeenDate::In(DateFormat::IsoDate));
    }
    let is_timestamp = text
        .get(..DATE)
        .is_some_and(|date| matches_pattern(date, b"0000-00-00"))
        && matches!(text.get(DATE), Some(b'T' | b't' | b' '));
    if is_timestamp {
        return Some(SeenDate::In(DateFormat::Timestamp));
    }
    let number = |at: usize| (text[at] - b'0') * 10 + (text[at + 1] - b'0');
    if !matches_pattern(text, b"00?00?0000") {
        return Some(SeenDate::Unknown);
    }
    match (number(0), number(3)) {
        (13.., 13..) => Some(SeenDate::Unknown),
        (13.., _) => Some(SeenDate::In(DateFormat::DayFirst)),
        (_, 13..) => Some(SeenDate::In(DateFormat::MonthFirst)),
        _ => None,
    }
}

/// Returns the type of a value.
pub(super) fn of_member(value: &Value) -> MemberType {
    match value {
        Value::Array(_) => MemberType::Array,
        Value::Bool(_) => MemberType::Boolean,
        Value::Null => MemberType::Null,
        Value::Number(_) => MemberType::Number,
        Value::Object(_) => MemberType::Object,
        Value::String(_) => MemberType::String,
    }
}

/// Returns the instant of a timestamp in nanoseconds since 1970, for comparison with others of the same list: all of
/// them have one form, so unlike in `history::same`, one without a zone leaves no doubt.
pub(super) fn instant(value: &Value) -> Option<i64> {
    let text = value.as_str()?;
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return time.timestamp_nanos_opt();
    }
    let without_zone = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f"];
    let mut parsed = without_zone
        .iter()
        .map(|format| NaiveDateTime::parse_from_str(text, format));
    if let Some(time) = parsed.find_map(Result::ok) {
        return time.and_utc().timestamp_nanos_opt();
    }
    // Seconds since 1970.
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.get(..9).unwrap_or(fraction);
    let nanoseconds: i64 = format!("{fraction:0<9}").parse().ok()?;
    seconds
        .parse::<i64>()
        .ok()?
        .checked_mul(1_000_000_000)?
        .checked_add(nanoseconds)
}

/// Whether the text has the pattern: `0` is any digit, `?` any punctuation, a space, or `T` in either case.
fn matches_pattern(text: &[u8], pattern: &[u8]) -> bool {
    let matches = |(byte, wanted): (&u8, &u8)| match wanted {
        b'0' => byte.is_ascii_digit(),
        b'?' => byte.is_ascii_punctuation() || matches!(byte, b' ' | b'T' | b't'),
        wanted => byte == wanted,
    };
    text.len() == pattern.len() && text.iter().zip(pattern).all(matches)
}

fn leading_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_form_of_a_timestamp_is_recognised() {
        for (text, form) in [
            ("2024-01-08T09:00:00Z", WrittenForm::Utc),
            ("2024-01-08T09:00:00.000000Z", WrittenForm::UtcFraction),
            ("2024-01-08T09:00:00+00:00", WrittenForm::Offset),
            ("2024-01-08T09:00:00.5-09:30", WrittenForm::Offset),
            ("2024-01-08 09:00:00", WrittenForm::Space),
            ("2024-01-08T09:00:00", WrittenForm::Other),
            ("2024-01-08", WrittenForm::Other),
            ("1704704400", WrittenForm::Other),
            ("yesterday", WrittenForm::Other),
        ] {
            assert_eq!(of_timestamp(&json!(text)), Some(form), "{text}");
        }
        for nothing in [json!(""), json!(null), json!([])] {
            assert_eq!(of_timestamp(&nothing), None);
        }
    }

    #[test]
    fn the_form_of_an_identifier_is_recognised() {
        let uuid = "6a1f0c52-8d0e-4a55-9b1d-0f5b7c1f2a01";
        for (id, form) in [
            (json!(uuid), Some(WrittenForm::UuidLower)),
            (json!(uuid.to_uppercase()), Some(WrittenForm::UuidUpper)),
            (json!(uuid.replace('-', "")), Some(WrittenForm::Text)),
            (json!(format!("{uuid}A")), Some(WrittenForm::Text)),
            (json!("6A1f0c52-8d0e-4a55-9b1d-0f5b7c1f2a01"), Some(WrittenForm::Text)),
            (json!("11111111-1111-1111-1111-111111111111"), None),
            (json!(17), Some(WrittenForm::Integer)),
            (json!("17"), Some(WrittenForm::Integer)),
            (json!("t-17"), Some(WrittenForm::Text)),
            (json!(""), None),
            (json!(null), None),
        ] {
            assert_eq!(of_identifier(&id), form, "{id}");
        }
    }

    #[test]
    fn the_format_of_a_date_is_recognised_where_it_shows() {
        for (date, format) in [
            ("1990-02-28", Some(SeenDate::In(DateFormat::IsoDate))),
            ("28/02/1990", Some(SeenDate::In(DateFormat::DayFirst))),
            ("28.02.1990", Some(SeenDate::In(DateFormat::DayFirst))),
            ("02/28/1990", Some(SeenDate::In(DateFormat::MonthFirst))),
            ("05/06/1990", None),
            ("31/31/1990", Some(SeenDate::Unknown)),
            ("1990-02-28T00:00:00Z", Some(SeenDate::In(DateFormat::Timestamp))),
            ("28 Feb 1990", Some(SeenDate::Unknown)),
            ("", None),
        ] {
            assert_eq!(of_date(&json!(date)), format, "{date}");
        }
    }

    #[test]
    fn one_instant_is_the_same_in_every_form() {
        let written = [
            "2024-01-08T09:00:00Z",
            "2024-01-08T11:00:00+02:00",
            "2024-01-08 09:00:00",
            "2024-01-08T09:00:00",
            "1704704400",
        ];
        for text in written {
            assert_eq!(instant(&json!(text)), Some(1_704_704_400_000_000_000), "{text}");
        }
        assert_eq!(instant(&json!("1704704400.25")), Some(1_704_704_400_250_000_000));
        for text in ["", "yesterday", "9999999999999999999", "1.é"] {
            assert_eq!(instant(&json!(text)), None, "{text}");
        }
    }
}
