//! What single values may be: one reader for each kind of text or number in a request.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::fields::{Fields, Read, object, problem};
use super::profile::required;

/// The most characters that a string may have.
const LONGEST_TEXT: usize = 1_000;

/// Reads a string. PostgreSQL cannot keep a NUL character, so no store is asked to.
pub(super) fn text(value: &Value) -> Read<String> {
    let text = value.as_str().ok_or_else(|| problem("is not a string"))?;
    if text.contains('\0') {
        return Err(problem("holds a NUL character"));
    }
    if text.chars().count() > LONGEST_TEXT {
        return Err(problem("is longer than 1,000 characters"));
    }
    Ok(text.to_owned())
}

/// Reads a string that says something.
pub(super) fn filled(value: &Value) -> Read<String> {
    let text = text(value)?;
    if text.trim().is_empty() {
        Err(problem("is blank"))
    } else {
        Ok(text)
    }
}

/// Reads a hex colour of the form `#RRGGBB`.
pub(super) fn color(value: &Value) -> Read<String> {
    let text = text(value)?;
    let is_color = |digits: &str| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if text.strip_prefix('#').is_some_and(is_color) {
        Ok(text)
    } else {
        Err(problem("is not of the form #RRGGBB"))
    }
}

/// Reads an identifier in a body.
pub(super) fn identifier(value: &Value) -> Read<Uuid> {
    hyphenated(&text(value)?).ok_or_else(|| problem("is not a UUID in its hyphenated form"))
}

/// Reads a UUID in its hyphenated form, in either case. The `uuid` crate also takes three other spellings.
pub(super) fn hyphenated(text: &str) -> Option<Uuid> {
    if text.len() == 36 {
        Uuid::try_parse(text).ok()
    } else {
        None
    }
}

/// Reads a date of the form YYYY-MM-DD; chrono alone would take `2024-2-9` too.
pub(super) fn date(value: &Value) -> Read<NaiveDate> {
    let text = text(value)?;
    let date = NaiveDate::parse_from_str(&text, "%Y-%m-%d")
        .ok()
        .filter(has_common_year);
    date.filter(|date| date.to_string() == text)
        .ok_or_else(|| problem("is not a date of the form YYYY-MM-DD"))
}

/// Reads a date of day, month and year.
pub(super) fn date_of_parts(value: &Value) -> Read<NaiveDate> {
    let mut fields = Fields::of(object(value)?, required::DATE_OF_BIRTH);
    let day = fields.required("day", integer);
    let month = fields.required("month", integer);
    let year = fields.required("year", integer);
    fields.finish(())?;
    let date = match (year.try_into(), month.try_into(), day.try_into()) {
        (Ok(year), Ok(month), Ok(day)) => NaiveDate::from_ymd_opt(year, month, day),
        _ => None,
    };
    date.filter(has_common_year)
        .ok_or_else(|| problem("is not a date of the calendar"))
}

/// Reads a timestamp by RFC 3339, the strict profile of ISO 8601 that both documented forms fit.
pub(super) fn timestamp(value: &Value) -> Read<DateTime<Utc>> {
    let text = text(value)?;
    if !is_strict_timestamp(&text) {
        return Err(problem(
            "is not a timestamp such as 2024-05-17T09:30:00Z or 2024-05-17T09:30:00+02:00",
        ));
    }
    let parsed = DateTime::parse_from_rfc3339(&text).ok().map(|instant| instant.to_utc());
    parsed
        .filter(|instant| has_common_year(&instant.date_naive()))
        .ok_or_else(|| problem("is not an existing time"))
}

/// Tells whether a text has the letters, the length and the precision that chrono is lax about: it takes a space or a
/// small letter for `T`, a small `z`, leap seconds, and any number of decimals, of which the store keeps six.
fn is_strict_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    let decimals = match text.split_once('.') {
        Some((_, rest)) => rest.bytes().take_while(u8::is_ascii_digit).count(),
        None => 0,
    };
    text.is_ascii()
        && bytes.get(10) == Some(&b'T')
        && bytes.get(17..19) != Some(b"60")
        && !text.contains('z')
        && decimals <= 6
}

fn integer(value: &Value) -> Read<i64> {
    value.as_i64().ok_or_else(|| problem("is not an integer"))
}

/// Tells whether a year has four digits, so that it has one spelling everywhere.
fn has_common_year(date: &NaiveDate) -> bool {
    (1..=9999).contains(&date.year())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_may_be_empty_and_of_any_script() {
        for sent in ["", "Ada", "Ωmega", "a\u{1f600}b", &"é".repeat(1_000)] {
            assert_eq!(text(&json!(sent)), Ok(sent.to_owned()));
        }
    }

    #[test]
    fn texts_with_nul_too_long_or_of_another_type_are_refused() {
        assert_eq!(text(&json!("a\0b")), Err(problem("holds a NUL character")));
        assert_eq!(
            text(&json!("é".repeat(1_001))),
            Err(problem("is longer than 1,000 characters"))
        );
        for other in [json!(null), json!(1), json!(["a"]), json!({})] {
            assert_eq!(text(&other), Err(problem("is not a string")));
        }
    }

    #[test]
    fn a_blank_text_is_not_filled() {
        assert!(filled(&json!(" a ")).is_ok());
        assert!(filled(&json!("")).is_err());
        assert!(filled(&json!(" \t")).is_err());
    }

    #[test]
    fn colours_have_one_form() {
        assert!(color(&json!("#1A2b3C")).is_ok());
        for wrong in ["1A2B3C", "#1A2B3", "#1A2B3CD", "#1A2B3G", "##1A2B3", ""] {
            assert!(color(&json!(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn uuids_have_one_spelling_in_either_case() {
        let id = "67e55044-10b1-426f-9247-bb680e5fe0c8";
        assert_eq!(hyphenated(id), hyphenated(&id.to_uppercase()));
        assert!(hyphenated(id).is_some());
        for wrong in [
            &id.replace('-', ""),
            &format!("{{{id}}}"),
            &format!("urn:uuid:{id}"),
            "",
            &"x".repeat(36),
        ] {
            assert_eq!(hyphenated(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn dates_have_one_spelling() {
        assert_eq!(
            date(&json!("2024-02-29")),
            Ok(NaiveDate::from_ymd_opt(2024, 2, 29).unwrap())
        );
        for wrong in [
            "2024-2-9",
            "2023-02-29",
            "2024-02-29 ",
            "20240229",
            "0000-01-01",
            "+2024-02-09",
            "10000-01-01",
            "",
        ] {
            assert!(date(&json!(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_date_of_parts_is_a_day_of_the_calendar() {
        let read = |day, month, year| date_of_parts(&json!({"day": day, "month": month, "year": year}));
        assert_eq!(read(29, 2, 2024), Ok(NaiveDate::from_ymd_opt(2024, 2, 29).unwrap()));
        for (day, month, year) in [
            (30, 2, 2024),
            (0, 1, 2024),
            (1, 13, 2024),
            (1, 1, 0),
            (-1, 1, 2024),
            (1, 1, i64::MAX),
        ] {
            assert!(read(day, month, year).is_err(), "{day} {month} {year}");
        }
        assert!(date_of_parts(&json!({"day": 1, "month": 1})).is_err());
        assert!(date_of_parts(&json!({"day": 1.5, "month": 1, "year": 2024})).is_err());
    }

    #[test]
    fn both_documented_forms_name_the_same_instant() {
        let utc = timestamp(&json!("2024-05-17T07:30:00Z")).unwrap();
        for same in [
            "2024-05-17T09:30:00+02:00",
            "2024-05-17T02:00:00-05:30",
            "2024-05-17T07:30:00.000000Z",
        ] {
            assert_eq!(timestamp(&json!(same)), Ok(utc), "{same}");
        }
    }

    #[test]
    fn timestamps_that_chrono_would_take_are_refused() {
        let wrong = [
            "2024-05-17 07:30:00Z",
            "2024-05-17t07:30:00Z",
            "2024-05-17T07:30:00z",
            "2024-05-17T07:30:60Z",
            "2024-05-17T07:30:00",
            "2024-05-17T07:30Z",
            "2024-05-17T07:30:00+0200",
            "2024-05-17T07:30:00.1234567Z",
            "2024-05-17T07:30:00\u{2212}02:00",
            "2024-5-17T07:30:00Z",
            "2024-05-17",
            "0001-01-01T00:00:00+01:00",
            "2024-05-17T24:00:00Z",
            "2024-05-17T07:30:00+25:00",
            "",
        ];
        for text in wrong {
            assert!(timestamp(&json!(text)).is_err(), "{text}");
        }
    }
}
