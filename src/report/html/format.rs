//! Formats numbers, times and names for the page.

use maud::{Markup, html};

/// Returns a number with thousands separators.
pub(super) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut rendered = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            rendered.push(',');
        }
        rendered.push(digit);
    }
    rendered
}

/// Returns the length of a list with thousands separators.
pub(super) fn count(count: usize) -> String {
    number(u64::try_from(count).unwrap_or(u64::MAX))
}

/// Returns a number with its noun: `1 fact`, `2 facts`.
pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Returns a name, path or pointer that may break after a slash or underscore and before a capital, never inside a
/// word.
pub(super) fn breakable(text: &str) -> Markup {
    let is_before_break =
        |(at, character): &(usize, char)| character.is_ascii_uppercase() || text[..*at].ends_with(['/', '_']);
    let breaks: Vec<_> = text
        .char_indices()
        .skip(1)
        .filter(is_before_break)
        .map(|(at, _)| at)
        .collect();
    let starts = [0].into_iter().chain(breaks.iter().copied());
    let ends = breaks.iter().copied().chain([text.len()]);
    html! {
        @for (number, (start, end)) in starts.zip(ends).enumerate() {
            @if number > 0 { wbr; }
            (text[start..end])
        }
    }
}

/// Formats a time in milliseconds, with no more digits than a reader compares.
pub(super) fn milliseconds(time: f64) -> String {
    if time >= 10_000.0 {
        format!("{:.1} s", time / 1000.0)
    } else if time >= 1000.0 {
        format!("{:.2} s", time / 1000.0)
    } else if time >= 100.0 {
        format!("{time:.0} ms")
    } else {
        format!("{time:.1} ms")
    }
}

/// Formats the duration of a run, given in milliseconds.
pub(super) fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match (seconds / 60, seconds % 60) {
        (0, _) => format!("{:.1} s", std::time::Duration::from_millis(milliseconds).as_secs_f64()),
        (minutes @ 1..60, seconds) => format!("{minutes} min {seconds} s"),
        (minutes, _) => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

/// Formats an RFC 3339 time in UTC for people.
pub(super) fn moment(rfc3339: &str) -> String {
    rfc3339.replacen('T', " ", 1).replacen('Z', " UTC", 1)
}

/// Formats a share from 0 to 1 in percent, for an SVG attribute.
pub(super) fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// Returns one number as a share of another, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "no report has 2^52 facts")]
pub(super) fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let reported = [0, 7, 999, 1000, 25_000, 1_234_567].map(number);
        assert_eq!(reported, ["0", "7", "999", "1,000", "25,000", "1,234,567"]);
    }

    #[test]
    fn a_time_has_the_digits_that_matter() {
        let reported = [0.0, 1.26, 99.94, 131.4, 1234.0, 61_234.0].map(milliseconds);
        assert_eq!(reported, ["0.0 ms", "1.3 ms", "99.9 ms", "131 ms", "1.23 s", "61.2 s"]);
        let reported = [1234, 61_500, 7_300_000].map(duration);
        assert_eq!(reported, ["1.2 s", "1 min 1 s", "2 h 1 min"]);
    }

    #[test]
    fn one_is_shown_as_one() {
        assert_eq!(counted(1, "fact", "facts"), "1 fact");
        assert_eq!(counted(1200, "fact", "facts"), "1,200 facts");
    }
}
