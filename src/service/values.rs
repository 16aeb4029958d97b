//! Readers of single values: one for each kind of string or number in a request.

use std::borrow::Cow;

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use icu_normalizer::ComposingNormalizer;
use serde_json::Value;
use uuid::Uuid;

use super::fields::{FieldResult, Fields, object, problem};
use super::profile::{BirthDates, IdentifierSpelling, Markup, NameLetters, Profile, TextEnds, TextForm, VisitTimes};

/// Reads a string in the form in which the profile keeps it. NUL is always rejected: PostgreSQL cannot store it.
pub(super) fn string(value: &Value, profile: &Profile) -> FieldResult<String> {
    let text = normalized(value.as_str().ok_or_else(|| problem("is not a string"))?, profile);
    if text.contains('\0') {
        return Err(problem("holds a NUL character"));
    }
    if let Some(rejected) = profile.characters.problem(&text) {
        return Err(problem(rejected));
    }
    if profile.markup == Markup::Rejected && text.contains(['<', '>', '&']) {
        return Err(problem("holds markup"));
    }
    if text.chars().count() > profile.field_sizes.maximum_length() {
        return Err(problem("is too long"));
    }
    Ok(text)
}

/// Returns a string in the form in which the profile keeps it.
fn normalized(text: &str, profile: &Profile) -> String {
    let text = match profile.text_ends {
        TextEnds::Kept => text,
        TextEnds::Trimmed => text.trim(),
    };
    let text = match profile.text_form {
        TextForm::Composed => ComposingNormalizer::new_nfc().normalize(text),
        TextForm::Kept => Cow::Borrowed(text),
    };
    text.into_owned()
}

/// Reads a string that is not blank.
pub(super) fn non_blank(value: &Value, profile: &Profile) -> FieldResult<String> {
    not_blank(string(value, profile)?)
}

/// Reads the name of a contact or a tag.
pub(super) fn name(value: &Value, profile: &Profile) -> FieldResult<String> {
    let text = string(value, profile)?;
    if text.chars().count() > profile.name_sizes.maximum_name_length() {
        return Err(problem("is too long for a name"));
    }
    let lacks_letters = !text.is_empty() && !text.contains(char::is_alphabetic);
    if profile.name_letters == NameLetters::Required && lacks_letters {
        return Err(problem("has no letter"));
    }
    Ok(text)
}

/// Reads a name that is not blank.
pub(super) fn non_blank_name(value: &Value, profile: &Profile) -> FieldResult<String> {
    not_blank(name(value, profile)?)
}

fn not_blank(text: String) -> FieldResult<String> {
    if text.trim().is_empty() {
        Err(problem("is blank"))
    } else {
        Ok(text)
    }
}

/// Reads a hex colour of the form `#RRGGBB`.
pub(super) fn color(value: &Value, profile: &Profile) -> FieldResult<String> {
    let text = string(value, profile)?;
    let is_color = |digits: &str| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if text.strip_prefix('#').is_some_and(is_color) {
        Ok(text)
    } else {
        Err(problem("is not of the form #RRGGBB"))
    }
}

/// Reads an identifier in a body.
pub(super) fn identifier(value: &Value, profile: &Profile) -> FieldResult<Uuid> {
    uuid(&string(value, profile)?, profile).ok_or_else(|| problem("is not an identifier"))
}

/// Reads a UUID as the profile spells it. The hyphenated form is always accepted: contacts have it in every profile.
pub(super) fn uuid(text: &str, profile: &Profile) -> Option<Uuid> {
    if text.len() == 32 && profile.identifier_spelling == IdentifierSpelling::Digits {
        Uuid::try_parse(text).ok()
    } else {
        hyphenated(text)
    }
}

/// Reads a UUID in its hyphenated form, in either case. The `uuid` crate also accepts three other spellings.
pub(super) fn hyphenated(text: &str) -> Option<Uuid> {
    if text.len() == 36 {
        Uuid::try_parse(text).ok()
    } else {
        None
    }
}

/// Reads a date in the profile's format of dob; chrono alone would accept `2024-2-9` too.
pub(super) fn date(value: &Value, profile: &Profile) -> FieldResult<NaiveDate> {
    let text = string(value, profile)?;
    let format = profile.dob_format;
    let date = NaiveDate::parse_from_str(&text, format.pattern())
        .ok()
        .filter(has_four_digit_year);
    date.filter(|date| date.format(format.pattern()).to_string() == text)
        .ok_or_else(|| problem(format.problem()))
        .and_then(|date| within_lifetime(date, profile))
}

/// Reads a date that is sent as an object of day, month and year.
pub(super) fn date_of_parts(value: &Value, profile: &Profile) -> FieldResult<NaiveDate> {
    let mut fields = Fields::of(object(value)?, &["day", "month", "year"], profile);
    let day = fields.read_or_default("day", integer);
    let month = fields.read_or_default("month", integer);
    let year = fields.read_or_default("year", integer);
    fields.finish(())?;
    let date = match (year.try_into(), month.try_into(), day.try_into()) {
        (Ok(year), Ok(month), Ok(day)) => NaiveDate::from_ymd_opt(year, month, day),
        _ => None,
    };
    date.filter(has_four_digit_year)
        .ok_or_else(|| problem("is not a date of the calendar"))
        .and_then(|date| within_lifetime(date, profile))
}

/// Returns the date of birth if the profile accepts it.
fn within_lifetime(date: NaiveDate, profile: &Profile) -> FieldResult<NaiveDate> {
    let is_accepted = match profile.birth_dates {
        BirthDates::Any => true,
        BirthDates::Lifetime => date.year() >= 1900 && date <= (profile.clock)().date_naive(),
    };
    is_accepted
        .then_some(date)
        .ok_or_else(|| problem("is not between 1900 and today"))
}

/// Reads the time of a visit.
pub(super) fn visit_time(value: &Value, profile: &Profile) -> FieldResult<DateTime<Utc>> {
    let at = timestamp(value, profile)?;
    let is_accepted = match profile.visit_times {
        VisitTimes::Any => true,
        VisitTimes::Past => at.year() >= 2000 && at <= (profile.clock)(),
    };
    is_accepted
        .then_some(at)
        .ok_or_else(|| problem("is not between 2000 and now"))
}

/// Reads a timestamp of RFC 3339, a strict subset of ISO 8601 that has both documented formats.
pub(super) fn timestamp(value: &Value, profile: &Profile) -> FieldResult<DateTime<Utc>> {
    let text = string(value, profile)?;
    if !is_strict_timestamp(&text) {
        return Err(problem(
            "is not a timestamp such as 2024-05-17T09:30:00Z or 2024-05-17T09:30:00+02:00",
        ));
    }
    let parsed = DateTime::parse_from_rfc3339(&text).ok().map(|instant| instant.to_utc());
    parsed
        .filter(|instant| has_four_digit_year(&instant.date_naive()))
        .ok_or_else(|| problem("is not an existing time"))
}

/// Returns whether a string is strict where chrono is lenient: chrono accepts a space or a lowercase letter for `T`, a
/// lowercase `z`, leap seconds, and any number of decimals, of which the store keeps six.
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

fn integer(value: &Value, _: &Profile) -> FieldResult<i64> {
    value.as_i64().ok_or_else(|| problem("is not an integer"))
}

/// Returns whether a year fits in four digits, so that it has one spelling everywhere.
fn has_four_digit_year(date: &NaiveDate) -> bool {
    (1..=9999).contains(&date.year())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::profile::{DobFormat, FieldSizes};
    use super::*;

    fn plain<T>(reader: fn(&Value, &Profile) -> FieldResult<T>, value: &Value) -> FieldResult<T> {
        reader(value, &Profile::default())
    }

    #[test]
    fn texts_may_be_empty_and_of_any_script() {
        for sent in ["", "Ada", "Ωmega", "a\u{1f600}b", &"é".repeat(1_000)] {
            assert_eq!(plain(string, &json!(sent)), Ok(sent.to_owned()));
        }
    }

    #[test]
    fn texts_with_nul_too_long_or_of_another_type_are_rejected() {
        assert_eq!(plain(string, &json!("a\0b")), Err(problem("holds a NUL character")));
        assert_eq!(plain(string, &json!("é".repeat(1_001))), Err(problem("is too long")));
        for other in [json!(null), json!(1), json!(["a"]), json!({})] {
            assert_eq!(plain(string, &other), Err(problem("is not a string")));
        }
    }

    #[test]
    fn a_blank_text_is_not_filled() {
        assert!(plain(non_blank, &json!(" a ")).is_ok());
        assert!(plain(non_blank, &json!("")).is_err());
        assert!(plain(non_blank, &json!(" \t")).is_err());
    }

    #[test]
    fn colours_have_one_form() {
        assert!(plain(color, &json!("#1A2b3C")).is_ok());
        for wrong in ["1A2B3C", "#1A2B3", "#1A2B3CD", "#1A2B3G", "##1A2B3", ""] {
            assert!(plain(color, &json!(wrong)).is_err(), "{wrong}");
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
            plain(date, &json!("2024-02-29")),
            Ok(NaiveDate::from_ymd_opt(2024, 2, 29).unwrap())
        );
        for wrong in [
            "2024-2-9", "2023-02-29", "2024-02-29 ", "20240229", "0000-01-01", "+2024-02-09", "10000-01-01", "",
        ] {
            assert!(plain(date, &json!(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_date_has_the_format_of_the_profile_and_no_other() {
        let formats = [
            (DobFormat::Iso, "2024-02-09"),
            (DobFormat::DayFirst, "09/02/2024"),
            (DobFormat::MonthFirst, "02/09/2024"),
            (DobFormat::Timestamp, "2024-02-09T00:00:00Z"),
        ];
        for (dob_format, _) in formats {
            let profile = Profile {
                dob_format,
                ..Profile::default()
            };
            for (other, text) in formats {
                let day = if other == DobFormat::MonthFirst && dob_format == DobFormat::DayFirst
                    || other == DobFormat::DayFirst && dob_format == DobFormat::MonthFirst
                {
                    NaiveDate::from_ymd_opt(2024, 9, 2)
                } else {
                    NaiveDate::from_ymd_opt(2024, 2, 9).filter(|_| other == dob_format)
                };
                assert_eq!(date(&json!(text), &profile).ok(), day, "{dob_format:?} {text}");
            }
        }
    }

    #[test]
    fn a_text_is_as_long_as_the_profile_lets_it() {
        let profile = Profile {
            field_sizes: FieldSizes::Sixty,
            ..Profile::default()
        };
        assert!(string(&json!("é".repeat(60)), &profile).is_ok());
        assert!(string(&json!("é".repeat(61)), &profile).is_err());
    }

    #[test]
    fn a_date_of_parts_is_a_day_of_the_calendar() {
        let read = |day, month, year| plain(date_of_parts, &json!({"day": day, "month": month, "year": year}));
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
        assert!(plain(date_of_parts, &json!({"day": 1, "month": 1})).is_err());
        assert!(plain(date_of_parts, &json!({"day": 1.5, "month": 1, "year": 2024})).is_err());
    }

    #[test]
    fn both_documented_forms_name_the_same_instant() {
        let utc = plain(timestamp, &json!("2024-05-17T07:30:00Z")).unwrap();
        for same in [
            "2024-05-17T09:30:00+02:00",
            "2024-05-17T02:00:00-05:30",
            "2024-05-17T07:30:00.000000Z",
        ] {
            assert_eq!(plain(timestamp, &json!(same)), Ok(utc), "{same}");
        }
    }

    #[test]
    fn timestamps_that_chrono_would_take_are_rejected() {
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
            assert!(plain(timestamp, &json!(text)).is_err(), "{text}");
        }
    }
}
