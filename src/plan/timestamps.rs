//! Makes the timestamps that the run sends: edge values of its own, not taken from any record.

use chrono::{DateTime, Duration, FixedOffset, SecondsFormat, TimeZone};
use serde_json::Value;

use crate::contract::vocabulary::TimestampFormat;

/// The offset of the first timestamp with one: more than half a day.
pub(crate) const LARGE_OFFSET: &str = "+13:00";

/// Returns the instants to send in this format, best first. In UTC the first falls on a leap day; with an offset, just
/// after a New Year that UTC has not reached, in an ISO week of the new year and at an offset of more than half a day.
/// Its seconds are not zero. A service that loses any of this is caught. Awkward values use other instants. The second
/// one is the example's, for a target that does not accept the first. The third is noon in UTC, in each format, for a
/// target that accepts only hours of the day at which visitors come: without it, that would look like a format that it
/// rejects. Each is moved by a minute per draft, and by a day after every 30 drafts, so that no two records are the
/// same: from then on, the first is on no leap day or New Year.
pub(super) fn to_send(example: Option<&Value>, format: TimestampFormat, number: u64) -> Vec<String> {
    let (edge, noon) = match format {
        TimestampFormat::Utc => ("2024-02-29T22:30:37Z", "2024-05-15T12:00:41Z"),
        TimestampFormat::Offset => ("2025-01-01T00:30:53+13:00", "2024-05-15T14:00:41+02:00"),
    };
    let example = example.and_then(Value::as_str).and_then(|text| in_format(text, format));
    let instants = [Some(edge.to_owned()), example, Some(noon.to_owned())];
    let moved = instants.into_iter().flatten().filter_map(|text| moved(&text, number));
    moved.collect()
}

/// Writes an instant in UTC, or at an offset of two hours.
pub(super) fn in_format(text: &str, format: TimestampFormat) -> Option<String> {
    let instant = DateTime::parse_from_rfc3339(text).ok()?;
    Some(match format {
        TimestampFormat::Utc => instant.to_utc().to_rfc3339_opts(SecondsFormat::Secs, true),
        TimestampFormat::Offset => written_at(&instant, FixedOffset::east_opt(2 * 3600)?),
    })
}

/// Writes an instant at an offset.
pub(super) fn written_at<Zone: TimeZone>(instant: &DateTime<Zone>, offset: FixedOffset) -> String {
    instant
        .with_timezone(&offset)
        .to_rfc3339_opts(SecondsFormat::Secs, false)
}

/// After so many drafts, a timestamp is moved by a day and not by a further minute.
pub(super) const DRAFTS_PER_DAY: u64 = 30;

/// Moves a timestamp by a minute for each draft of a day (less than [`DRAFTS_PER_DAY`]), and by whole days: it stays at
/// the edge of its day.
pub(super) fn moved(text: &str, draft_number: u64) -> Option<String> {
    let minutes = Duration::minutes(i64::try_from(draft_number % DRAFTS_PER_DAY).ok()?);
    let days = Duration::days(i64::try_from(draft_number / DRAFTS_PER_DAY % 1_000).ok()?);
    moved_by(text, minutes + days)
}

/// Moves a timestamp, which keeps its form.
pub(super) fn moved_by(text: &str, later: Duration) -> Option<String> {
    let instant = DateTime::parse_from_rfc3339(text).ok()?.checked_add_signed(later)?;
    Some(instant.to_rfc3339_opts(SecondsFormat::Secs, text.ends_with('Z')))
}

/// Whether a timestamp or a date is on a 29 February, as it is written.
pub(crate) fn is_leap_day(text: &str) -> bool {
    text.get(4..10) == Some("-02-29")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_has_its_form_and_the_example_comes_after_the_edge() {
        let example = Value::from("2024-05-17T09:30:00+02:00");
        assert_eq!(
            to_send(Some(&example), TimestampFormat::Utc, 1),
            ["2024-02-29T22:31:37Z", "2024-05-17T07:31:00Z", "2024-05-15T12:01:41Z"]
        );
        assert_eq!(
            to_send(Some(&example), TimestampFormat::Offset, 2),
            [
                "2025-01-01T00:32:53+13:00",
                "2024-05-17T09:32:00+02:00",
                "2024-05-15T14:02:41+02:00"
            ]
        );
        assert_eq!(
            to_send(None, TimestampFormat::Utc, 0),
            ["2024-02-29T22:30:37Z", "2024-05-15T12:00:41Z"]
        );
    }

    #[test]
    fn no_two_drafts_have_one_instant_and_each_stays_at_the_edge_of_its_day() {
        let instants: std::collections::HashSet<_> = (0..2000)
            .map(|number| moved("2024-01-01T00:30:53+02:00", number).unwrap())
            .collect();
        assert_eq!(instants.len(), 2000);
        assert!(
            instants
                .iter()
                .all(|instant| instant.contains("T00:") && instant.ends_with(":53+02:00"))
        );
    }
}
