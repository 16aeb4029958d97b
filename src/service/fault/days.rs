//! What real software does to dates and instants at the edges of calendars, zones and counters: [`DATES`] and
//! [`INSTANTS`], tables with a function for each distortion.
//!
//! Each leaves a plain date alone, such as 28 February 1990 and 14 July 1985, and an instant on a morning in May that
//! is written in UTC or two hours east of it.

use chrono::{DateTime, Datelike, Days, Duration, FixedOffset, NaiveDate, NaiveDateTime, Timelike};

/// One thing that software does to values of one kind; `change` returns `None` where it leaves the value alone.
pub(super) struct TimeDistortion<Value> {
    pub(super) name: &'static str,
    /// What happens to the value, phrased to follow "a date" or "an instant".
    pub(super) about: &'static str,
    pub(super) change: fn(Value) -> Option<Value>,
}

const fn distortion<Value>(
    name: &'static str,
    about: &'static str,
    change: fn(Value) -> Option<Value>,
) -> TimeDistortion<Value> {
    TimeDistortion { name, about, change }
}

/// Every distortion of dates.
pub(super) const DATES: &[TimeDistortion<NaiveDate>] = &[
    distortion("leap-day-march", "of 29 February becomes 1 March", |date| {
        is_leap_day(date).then_some(())?;
        date.succ_opt()
    }),
    distortion("leap-day-before", "of 29 February becomes the 28th", |date| {
        is_leap_day(date).then_some(())?;
        date.pred_opt()
    }),
    distortion("leap-century-missed", "of 29 February 2000 becomes 1 March", |date| {
        (is_leap_day(date) && date.year() % 100 == 0).then_some(())?;
        date.succ_opt()
    }),
    distortion(
        "day-month-swapped",
        "whose day could be a month has the two swapped",
        |date| NaiveDate::from_ymd_opt(date.year(), date.day(), date.month()),
    ),
    distortion("before-1970-lost", "before 1970 becomes 1 January 1970", |date| {
        (date.year() < 1970).then(|| NaiveDate::from_ymd_opt(1970, 1, 1))?
    }),
    distortion("before-1900-lost", "before 1900 becomes 1 January 1900", |date| {
        (date.year() < 1900).then(|| NaiveDate::from_ymd_opt(1900, 1, 1))?
    }),
    distortion("before-1900-moved", "before 1900 moves a century later", |date| {
        (date.year() < 1900).then(|| date.with_year(date.year() + 100))?
    }),
    distortion(
        "after-2038-wrapped",
        "after 19 January 2038 moves 2^32 seconds back",
        |date| (date > NaiveDate::from_ymd_opt(2038, 1, 19)?).then(|| date.checked_sub_days(Days::new(49_710)))?,
    ),
    distortion(
        "year-of-two-digits",
        "has its century guessed from two digits",
        |date| {
            let short = date.year().rem_euclid(100);
            date.with_year(short + if short < 70 { 2000 } else { 1900 })
        },
    ),
    distortion("first-of-year-before", "of 1 January becomes the day before", |date| {
        (date.ordinal() == 1).then(|| date.pred_opt())?
    }),
    distortion("last-of-year-after", "of 31 December becomes the day after", |date| {
        ((date.month(), date.day()) == (12, 31)).then(|| date.succ_opt())?
    }),
    distortion(
        "first-of-month-before",
        "on the first of a month becomes the day before",
        |date| (date.day() == 1).then(|| date.pred_opt())?,
    ),
    distortion("day-31-lost", "on the 31st becomes the 30th", |date| {
        (date.day() == 31).then(|| date.pred_opt())?
    }),
    distortion("december-wrapped", "in December becomes one in January", |date| {
        (date.month() == 12).then(|| date.with_month(1))?
    }),
    distortion(
        "week-year",
        "in the week of a new year gets the year of the week",
        |date| date.with_year(date.iso_week().year()),
    ),
];

/// Every distortion of instants. The offset of the value is the one that was sent.
pub(super) const INSTANTS: &[TimeDistortion<DateTime<FixedOffset>>] = &[
    distortion("seconds-lost", "loses its seconds", |at| at.with_second(0)),
    distortion("minute-rounded", "from second 30 on is rounded up to a minute", |at| {
        (at.second() >= 30).then(|| at.with_second(0)?.checked_add_signed(Duration::minutes(1)))?
    }),
    distortion("offset-sign-lost", "west of UTC is read as one east of it", |at| {
        let west = at.offset().local_minus_utc().min(0);
        at.checked_add_signed(Duration::seconds(2 * i64::from(west)))
    }),
    distortion("offset-minutes-lost", "has its offset cut to whole hours", |at| {
        let minutes = at.offset().local_minus_utc() % 3_600;
        at.checked_add_signed(Duration::seconds(minutes.into()))
    }),
    distortion(
        "offset-bounded",
        "more than twelve hours from UTC is read as twelve hours from it",
        |at| {
            let offset = at.offset().local_minus_utc();
            let beyond = offset - offset.clamp(-43_200, 43_200);
            at.checked_add_signed(Duration::seconds(beyond.into()))
        },
    ),
    distortion(
        "local-date-kept",
        "gets the date of its own offset and the time of UTC",
        |at| in_utc(at, |utc| Some(at.date_naive().and_time(utc.time()))),
    ),
    distortion("winter-hour", "from November to March moves an hour later", |at| {
        matches!(at.to_utc().month(), 1..=3 | 11..=12).then(|| at.checked_add_signed(Duration::hours(1)))?
    }),
    distortion("twelve-hours", "from 13:00 UTC on moves twelve hours back", |at| {
        (at.to_utc().hour() > 12).then(|| at.checked_sub_signed(Duration::hours(12)))?
    }),
    distortion(
        "midnight-noon",
        "in the hour after midnight UTC moves twelve hours later",
        |at| (at.to_utc().hour() == 0).then(|| at.checked_add_signed(Duration::hours(12)))?,
    ),
    distortion(
        "week-year",
        "in the week of a new year gets the year of the week",
        |at| in_utc(at, |utc| utc.with_year(utc.iso_week().year())),
    ),
    distortion("before-1970-lost", "before 1970 becomes the start of 1970", |at| {
        (at.timestamp() < 0).then(|| at.checked_sub_signed(Duration::seconds(at.timestamp())))?
    }),
    distortion(
        "after-2038-wrapped",
        "after 19 January 2038 moves 2^32 seconds back",
        |at| (at.timestamp() > i32::MAX.into()).then(|| at.checked_sub_signed(Duration::seconds(1 << 32)))?,
    ),
    distortion("leap-day-march", "on 29 February moves to 1 March", |at| {
        is_leap_day(at.to_utc().date_naive()).then(|| at.checked_add_signed(Duration::days(1)))?
    }),
    distortion("last-of-year-after", "on 31 December UTC moves a day later", |at| {
        let date = at.to_utc().date_naive();
        ((date.month(), date.day()) == (12, 31)).then(|| at.checked_add_signed(Duration::days(1)))?
    }),
];

fn is_leap_day(date: NaiveDate) -> bool {
    (date.month(), date.day()) == (2, 29)
}

/// The instant with its date and time in UTC changed, written with the same offset.
fn in_utc(
    at: DateTime<FixedOffset>,
    change: impl FnOnce(NaiveDateTime) -> Option<NaiveDateTime>,
) -> Option<DateTime<FixedOffset>> {
    Some(change(at.naive_utc())?.and_utc().with_timezone(at.offset()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For each distortion a date and what becomes of it.
    const OF_DATES: [(&str, &str, &str); 15] = [
        ("leap-day-march", "1988-02-29", "1988-03-01"),
        ("leap-day-before", "1988-02-29", "1988-02-28"),
        ("leap-century-missed", "2000-02-29", "2000-03-01"),
        ("day-month-swapped", "1990-04-03", "1990-03-04"),
        ("before-1970-lost", "1969-12-31", "1970-01-01"),
        ("before-1900-lost", "1899-12-31", "1900-01-01"),
        ("before-1900-moved", "1899-12-31", "1999-12-31"),
        ("after-2038-wrapped", "2040-01-01", "1903-11-26"),
        ("year-of-two-digits", "1950-06-15", "2050-06-15"),
        ("first-of-year-before", "1990-01-01", "1989-12-31"),
        ("last-of-year-after", "1990-12-31", "1991-01-01"),
        ("first-of-month-before", "1990-03-01", "1990-02-28"),
        ("day-31-lost", "1990-03-31", "1990-03-30"),
        ("december-wrapped", "1990-12-24", "1990-01-24"),
        ("week-year", "1990-12-31", "1991-12-31"),
    ];

    /// For each distortion an instant and what becomes of it.
    const OF_INSTANTS: [(&str, &str, &str); 14] = [
        ("seconds-lost", "2024-05-17T07:30:17Z", "2024-05-17T07:30:00Z"),
        ("minute-rounded", "2024-05-17T07:30:47Z", "2024-05-17T07:31:00Z"),
        (
            "offset-sign-lost",
            "2024-05-17T07:30:00-05:00",
            "2024-05-16T21:30:00-05:00",
        ),
        (
            "offset-minutes-lost",
            "2024-05-17T07:30:00+05:30",
            "2024-05-17T08:00:00+05:30",
        ),
        (
            "offset-bounded",
            "2024-05-17T07:30:00+14:00",
            "2024-05-17T09:30:00+14:00",
        ),
        (
            "local-date-kept",
            "2024-05-17T00:30:00+02:00",
            "2024-05-18T00:30:00+02:00",
        ),
        ("winter-hour", "2024-01-17T07:30:00Z", "2024-01-17T08:30:00Z"),
        ("twelve-hours", "2024-05-17T19:30:00Z", "2024-05-17T07:30:00Z"),
        ("midnight-noon", "2024-05-17T00:30:00Z", "2024-05-17T12:30:00Z"),
        ("week-year", "2024-12-31T07:30:00Z", "2025-12-31T07:30:00Z"),
        ("before-1970-lost", "1969-05-17T07:30:00Z", "1970-01-01T00:00:00Z"),
        ("after-2038-wrapped", "2040-05-17T07:30:00Z", "1904-04-11T01:01:44Z"),
        ("leap-day-march", "2024-02-29T07:30:00Z", "2024-03-01T07:30:00Z"),
        ("last-of-year-after", "2024-12-31T23:30:00Z", "2025-01-01T23:30:00Z"),
    ];

    #[test]
    fn each_distortion_changes_a_date_at_an_edge_and_no_plain_one() {
        let date = |text: &str| text.parse::<NaiveDate>().unwrap();
        assert_eq!(DATES.len(), OF_DATES.len());
        for (distortion, (name, sent, kept)) in DATES.iter().zip(OF_DATES) {
            assert_eq!(distortion.name, name);
            assert_eq!((distortion.change)(date(sent)), Some(date(kept)), "{name}");
            for plain in ["1990-02-28", "1985-07-14"].map(date) {
                assert_eq!((distortion.change)(plain).unwrap_or(plain), plain, "{name}");
            }
        }
    }

    #[test]
    fn each_distortion_changes_an_instant_at_an_edge_and_no_plain_one() {
        let instant = |text: &str| DateTime::parse_from_rfc3339(text).unwrap();
        assert_eq!(INSTANTS.len(), OF_INSTANTS.len());
        for (distortion, (name, sent, kept)) in INSTANTS.iter().zip(OF_INSTANTS) {
            assert_eq!(distortion.name, name);
            assert_eq!((distortion.change)(instant(sent)), Some(instant(kept)), "{name}");
            for plain in ["2024-05-17T07:30:00Z", "2024-05-17T09:30:00+02:00"].map(instant) {
                assert_eq!((distortion.change)(plain).unwrap_or(plain), plain, "{name}");
            }
        }
    }
}
