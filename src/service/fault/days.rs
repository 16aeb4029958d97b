//! What real software makes of dates and instants at the edges of calendars, zones and counters: [`DATES`] and
//! [`INSTANTS`], a table of one function each.
//!
//! Each leaves a plain date alone, such as 28 February 1990 and 14 July 1985, and an instant in a morning of May that is
//! told in UTC or two hours east of it.

use chrono::{DateTime, Datelike, Days, Duration, FixedOffset, NaiveDate, NaiveDateTime, Timelike};

/// One thing that software makes of values of one kind: none where it leaves the value alone.
pub(super) struct Class<Value> {
    pub(super) name: &'static str,
    /// What becomes of the value, to be read after "a date" or "an instant".
    pub(super) about: &'static str,
    pub(super) change: fn(Value) -> Option<Value>,
}

const fn class<Value>(name: &'static str, about: &'static str, change: fn(Value) -> Option<Value>) -> Class<Value> {
    Class { name, about, change }
}

/// Every class of dates.
pub(super) const DATES: &[Class<NaiveDate>] = &[
    class("leap-day-march", "that is 29 February is 1 March", |date| {
        is_leap_day(date).then_some(())?;
        date.succ_opt()
    }),
    class("leap-day-before", "that is 29 February is the 28th", |date| {
        is_leap_day(date).then_some(())?;
        date.pred_opt()
    }),
    class(
        "leap-century-missed",
        "that is 29 February of 2000 is 1 March",
        |date| {
            (is_leap_day(date) && date.year() % 100 == 0).then_some(())?;
            date.succ_opt()
        },
    ),
    class(
        "day-month-swapped",
        "whose day could be a month has both swapped",
        |date| NaiveDate::from_ymd_opt(date.year(), date.day(), date.month()),
    ),
    class("before-1970-lost", "before 1970 is the first day of it", |date| {
        (date.year() < 1970).then(|| NaiveDate::from_ymd_opt(1970, 1, 1))?
    }),
    class("before-1900-lost", "before 1900 is the first day of it", |date| {
        (date.year() < 1900).then(|| NaiveDate::from_ymd_opt(1900, 1, 1))?
    }),
    class("before-1900-moved", "before 1900 is of a century later", |date| {
        (date.year() < 1900).then(|| date.with_year(date.year() + 100))?
    }),
    class(
        "after-2038-wrapped",
        "after 19 January 2038 is 2^32 seconds earlier",
        |date| (date > NaiveDate::from_ymd_opt(2038, 1, 19)?).then(|| date.checked_sub_days(Days::new(49_710)))?,
    ),
    class("year-of-two-digits", "has its century made of two digits", |date| {
        let short = date.year().rem_euclid(100);
        date.with_year(short + if short < 70 { 2000 } else { 1900 })
    }),
    class("first-of-year-before", "that is 1 January is the day before", |date| {
        (date.ordinal() == 1).then(|| date.pred_opt())?
    }),
    class("last-of-year-after", "that is 31 December is the day after", |date| {
        ((date.month(), date.day()) == (12, 31)).then(|| date.succ_opt())?
    }),
    class(
        "first-of-month-before",
        "that is the first of a month is the day before",
        |date| (date.day() == 1).then(|| date.pred_opt())?,
    ),
    class("day-31-lost", "that is the 31st is the 30th", |date| {
        (date.day() == 31).then(|| date.pred_opt())?
    }),
    class("december-wrapped", "in December is in January", |date| {
        (date.month() == 12).then(|| date.with_month(1))?
    }),
    class(
        "week-year",
        "in the week of a new year has the year of the week",
        |date| date.with_year(date.iso_week().year()),
    ),
];

/// Every class of instants. The offset of the value is the one that was sent.
pub(super) const INSTANTS: &[Class<DateTime<FixedOffset>>] = &[
    class("seconds-lost", "loses its seconds", |at| at.with_second(0)),
    class("minute-rounded", "is rounded to a minute", |at| {
        (at.second() >= 30).then(|| at.with_second(0)?.checked_add_signed(Duration::minutes(1)))?
    }),
    class("offset-sign-lost", "west of UTC is taken for one east of it", |at| {
        let west = at.offset().local_minus_utc().min(0);
        at.checked_add_signed(Duration::seconds(2 * i64::from(west)))
    }),
    class("offset-minutes-lost", "has whole hours for its offset", |at| {
        let minutes = at.offset().local_minus_utc() % 3_600;
        at.checked_add_signed(Duration::seconds(minutes.into()))
    }),
    class(
        "offset-bounded",
        "more than twelve hours from UTC is taken for one twelve from it",
        |at| {
            let offset = at.offset().local_minus_utc();
            let beyond = offset - offset.clamp(-43_200, 43_200);
            at.checked_add_signed(Duration::seconds(beyond.into()))
        },
    ),
    class(
        "local-date-kept",
        "has the date of its own offset and the time of UTC",
        |at| in_utc(at, |utc| Some(at.date_naive().and_time(utc.time()))),
    ),
    class("winter-hour", "from November to March is an hour later", |at| {
        matches!(at.to_utc().month(), 1..=3 | 11..=12).then(|| at.checked_add_signed(Duration::hours(1)))?
    }),
    class("twelve-hours", "from 13:00 UTC on is twelve hours earlier", |at| {
        (at.to_utc().hour() > 12).then(|| at.checked_sub_signed(Duration::hours(12)))?
    }),
    class(
        "midnight-noon",
        "in the hour after midnight in UTC is twelve hours later",
        |at| (at.to_utc().hour() == 0).then(|| at.checked_add_signed(Duration::hours(12)))?,
    ),
    class(
        "week-year",
        "in the week of a new year has the year of the week",
        |at| in_utc(at, |utc| utc.with_year(utc.iso_week().year())),
    ),
    class("before-1970-lost", "before 1970 is the first moment of it", |at| {
        (at.timestamp() < 0).then(|| at.checked_sub_signed(Duration::seconds(at.timestamp())))?
    }),
    class(
        "after-2038-wrapped",
        "after 19 January 2038 is 2^32 seconds earlier",
        |at| (at.timestamp() > i32::MAX.into()).then(|| at.checked_sub_signed(Duration::seconds(1 << 32)))?,
    ),
    class("leap-day-march", "on 29 February is on 1 March", |at| {
        is_leap_day(at.to_utc().date_naive()).then(|| at.checked_add_signed(Duration::days(1)))?
    }),
    class("last-of-year-after", "on 31 December in UTC is a day later", |at| {
        let date = at.to_utc().date_naive();
        ((date.month(), date.day()) == (12, 31)).then(|| at.checked_add_signed(Duration::days(1)))?
    }),
];

fn is_leap_day(date: NaiveDate) -> bool {
    (date.month(), date.day()) == (2, 29)
}

/// The instant with its date and time in UTC changed, told with the same offset.
fn in_utc(
    at: DateTime<FixedOffset>,
    change: impl FnOnce(NaiveDateTime) -> Option<NaiveDateTime>,
) -> Option<DateTime<FixedOffset>> {
    Some(change(at.naive_utc())?.and_utc().with_timezone(at.offset()))
}
