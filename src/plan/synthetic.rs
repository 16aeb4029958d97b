//! Values that belong to nobody: the contract's own examples and `x-synthetic` texts, marked with the run. The main
//! type is [`Mark`].

use chrono::{DateTime, Duration, FixedOffset, SecondsFormat};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;

use super::shard::Shard;
use crate::contract::vocabulary::TimestampForm;

/// What a mark is made of: no vowels, so that no word comes about.
const LETTERS: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";

/// What names everything that a run creates: letters only, so that it fits a name as well as an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark(String);

impl Mark {
    /// The mark of the run with this seed that started at this second. The second is in it so that two runs with one
    /// seed create different names: a target may refuse duplicates.
    #[must_use]
    pub fn new(seed: u64, started_second: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed ^ started_second.rotate_left(32));
        let letter = |_| LETTERS.get(usize::from(random.next_u64().to_le_bytes()[0]) % LETTERS.len());
        Self((0..8).filter_map(letter).copied().map(char::from).collect())
    }

    /// The mark of a shard of the run, which no other shard of it has: the run's, counted on by the shard's number. A
    /// whole run's stays as it is.
    #[must_use]
    pub fn of_shard(self, shard: Option<Shard>) -> Self {
        let mut carried = shard.map_or(0, |shard| usize::try_from(shard.number()).unwrap_or(0));
        let mut letters = self.0.into_bytes();
        for letter in letters.iter_mut().rev() {
            let place = LETTERS.iter().position(|known| known == letter).unwrap_or(0) + carried;
            *letter = LETTERS.get(place % LETTERS.len()).copied().unwrap_or(*letter);
            carried = place / LETTERS.len();
        }
        Self(letters.into_iter().map(char::from).collect())
    }

    /// The mark's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The mark of the run's `number`th draft: the run's, and letters that count.
    #[must_use]
    pub fn numbered(&self, number: u64) -> String {
        let mut rest = number;
        let mut letters = Vec::new();
        loop {
            letters.push(char::from(b'a' + u8::try_from(rest % 26).unwrap_or(0)));
            rest /= 26;
            if rest == 0 {
                break;
            }
        }
        format!("{}{}", self.0, letters.into_iter().rev().collect::<String>())
    }

    /// The numbers of the drafts that a value shows, each once: what stands behind each mark in its texts. A service may
    /// write texts in other letters, but not other ones.
    #[must_use]
    pub fn numbers_in(&self, value: &Value) -> Vec<u64> {
        let mut numbers = Vec::new();
        self.each_in(value, &mut |letters| {
            let number = letters
                .bytes()
                .take_while(u8::is_ascii_lowercase)
                .try_fold(0, |number: u64, letter| {
                    number.checked_mul(26)?.checked_add(u64::from(letter - b'a'))
                });
            let number = number.unwrap_or(u64::MAX);
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        });
        numbers
    }

    /// Whether a text of the value shows the mark.
    #[must_use]
    pub fn is_in(&self, value: &Value) -> bool {
        let mut found = false;
        self.each_in(value, &mut |_| found = true);
        found
    }

    /// Shows what stands behind each mark in the texts of a value, in small letters.
    fn each_in(&self, value: &Value, found: &mut dyn FnMut(&str)) {
        match value {
            Value::String(text) if text.len() >= self.0.len() => {
                let text = text.to_ascii_lowercase();
                for (at, mark) in text.match_indices(self.as_str()) {
                    found(&text[at + mark.len()..]);
                }
            }
            Value::Array(elements) => elements.iter().for_each(|element| self.each_in(element, found)),
            Value::Object(members) => members.values().for_each(|member| self.each_in(member, found)),
            _ => {}
        }
    }

    /// A token that nobody issued.
    #[must_use]
    pub fn wrong_token(&self) -> String {
        format!("countersign-wrong-token-{}", self.0)
    }
}

/// The instants that a timestamp is sent with in a form, the better first. The first is at the edge of a leap day, or
/// of a year that is the one before in UTC, on a day that ISO's weeks count to the next one, at an offset beyond half a day; with
/// a second that is not zero: what loses any of it shows. What comes with awkward values is at others. The second is the example's, for a target that does not take the first. Each is moved on by a
/// minute a draft so that no two records are the same.
pub(super) fn timestamps(example: Option<&Value>, form: TimestampForm, number: u64) -> Vec<String> {
    let edge = match form {
        TimestampForm::Utc => "2024-02-29T22:30:37Z",
        TimestampForm::Offset => "2025-01-01T00:30:53+13:00",
    };
    let example = example.and_then(Value::as_str).and_then(|text| in_form(text, form));
    let instants = [Some(edge.to_owned()), example];
    let moved = instants.into_iter().flatten().filter_map(|text| moved(&text, number));
    moved.collect()
}

/// An instant, written as UTC or at the offset of two hours.
fn in_form(text: &str, form: TimestampForm) -> Option<String> {
    let instant = DateTime::parse_from_rfc3339(text).ok()?;
    Some(match form {
        TimestampForm::Utc => instant.to_utc().to_rfc3339_opts(SecondsFormat::Secs, true),
        TimestampForm::Offset => {
            let offset = FixedOffset::east_opt(2 * 3600)?;
            instant
                .with_timezone(&offset)
                .to_rfc3339_opts(SecondsFormat::Secs, false)
        }
    })
}

/// A timestamp moved on by so many minutes, within the half hour that it begins in, and then by days: it stays at the edge
/// of its day.
pub(super) fn moved(text: &str, number: u64) -> Option<String> {
    let minutes = Duration::minutes(i64::try_from(number % 30).ok()?);
    let days = Duration::days(i64::try_from(number / 30 % 1_000).ok()?);
    let instant = DateTime::parse_from_rfc3339(text).ok()? + minutes + days;
    Some(instant.to_rfc3339_opts(SecondsFormat::Secs, text.ends_with('Z')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_letters_and_differs_by_seed_and_by_second() {
        let mark = Mark::new(7, 1_800_000_000);
        assert!(mark.as_str().len() == 8 && mark.as_str().bytes().all(|byte| byte.is_ascii_lowercase()));
        assert_eq!(mark, Mark::new(7, 1_800_000_000));
        assert_ne!(mark, Mark::new(8, 1_800_000_000));
        assert_ne!(mark, Mark::new(7, 1_800_000_001));
    }

    #[test]
    fn shards_that_start_in_one_second_with_one_seed_have_marks_of_their_own() {
        let mark = Mark::new(7, 1_800_000_000);
        assert_eq!(mark.clone().of_shard(None), mark);
        let marks = |seed| {
            (1..=Shard::MOST).map(move |number| Mark::new(seed, 1).of_shard(Shard::new(number, Shard::MOST).ok()))
        };
        for seed in 0..20 {
            let marks: std::collections::HashSet<_> = marks(seed).map(|mark| mark.as_str().to_owned()).collect();
            assert_eq!(marks.len(), 10_000);
            assert!(marks.iter().all(|mark| mark.len() == 8));
        }
    }

    #[test]
    fn numbered_marks_never_meet() {
        let mark = Mark::new(1, 1);
        let numbered: std::collections::HashSet<_> = (0..2000).map(|number| mark.numbered(number)).collect();
        assert_eq!(numbered.len(), 2000);
    }

    #[test]
    fn a_timestamp_has_its_form_and_the_example_comes_after_the_edge() {
        let example = Value::from("2024-05-17T09:30:00+02:00");
        assert_eq!(
            timestamps(Some(&example), TimestampForm::Utc, 1),
            ["2024-02-29T22:31:37Z", "2024-05-17T07:31:00Z"]
        );
        assert_eq!(
            timestamps(Some(&example), TimestampForm::Offset, 2),
            ["2025-01-01T00:32:53+13:00", "2024-05-17T09:32:00+02:00"]
        );
        assert_eq!(timestamps(None, TimestampForm::Utc, 0), ["2024-02-29T22:30:37Z"]);
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
