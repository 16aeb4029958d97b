//! Makes the tag that identifies a run's own records. The main type is [`RunTag`].

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;

use crate::exchange::Exchange;

/// The letters of a run tag: no vowels, so that it never spells a word.
const LETTERS: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";

/// Stands for the number of a run tag that is followed by no number (a service may truncate strings) or by one too
/// large to read. No draft has it.
pub(super) const NO_DRAFT_NUMBER: u64 = u64::MAX;

/// Marks everything that a run creates: letters only, so that it fits a name as well as an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTag(String);

impl RunTag {
    /// Makes the run tag for a run with this seed that started in this microsecond. The time is included so that two
    /// runs with the same seed create different names: a target may reject duplicates, and each run must find its own
    /// records alone, even if both start at the same time.
    #[must_use]
    pub fn new(seed: u64, started_microsecond: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed ^ started_microsecond.rotate_left(32));
        let letter = |_| LETTERS.get(usize::from(random.next_u64().to_le_bytes()[0]) % LETTERS.len());
        Self((0..8).filter_map(letter).copied().map(char::from).collect())
    }

    /// Advances the run tag by this number, so that each of several shards has its own. Different numbers give
    /// different tags, up to the number of all tags.
    #[must_use]
    pub fn advanced_by(self, by: usize) -> Self {
        let mut carried = by;
        let mut letters = self.0.into_bytes();
        for letter in letters.iter_mut().rev() {
            let place = LETTERS.iter().position(|known| known == letter).unwrap_or(0) + carried;
            *letter = LETTERS.get(place % LETTERS.len()).copied().unwrap_or(*letter);
            carried = place / LETTERS.len();
        }
        Self(letters.into_iter().map(char::from).collect())
    }

    /// Returns the run tag as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the run tag of the run's `number`th draft: the run tag, followed by the number, written in base 26 with
    /// the letters a to z.
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

    /// Returns the numbers of the drafts that a value shows, each once: they follow each run tag in its strings. A
    /// service may change the case of letters, but not the letters. A run tag without a number shows one that no draft
    /// has, so that the value is recognised as the run's and attributed to no draft.
    #[must_use]
    pub fn numbers_in(&self, value: &Value) -> Vec<u64> {
        let mut numbers = Vec::new();
        self.for_each_match(value, &mut |letters| {
            let number = number_of(letters);
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        });
        numbers
    }

    /// Whether a string in the value shows the run tag.
    #[must_use]
    pub fn is_in(&self, value: &Value) -> bool {
        let mut found = false;
        self.for_each_match(value, &mut |_| found = true);
        found
    }

    /// Returns the names of the sent fields whose text, made by the run with its tag, the body of a 403 quotes: it
    /// rejects these values, and not the caller. A service that rejects the caller has no reason to name them.
    #[must_use]
    pub(crate) fn fields_quoted_by_403(&self, exchange: &Exchange) -> Vec<String> {
        let response = exchange.response().filter(|response| response.status == 403);
        let (Some(response), Some(sent)) = (response, exchange.request.json()) else {
            return Vec::new();
        };
        let text = response.beginning_as_text().to_lowercase();
        let mut quoted = Vec::new();
        let mut pending = vec![(String::new(), sent)];
        while let Some((name, value)) = pending.pop() {
            match value {
                Value::String(sent) if self.is_in(value) && text.contains(&sent.to_lowercase()) => quoted.push(name),
                Value::Array(elements) => pending.extend(elements.iter().map(|element| (name.clone(), element))),
                Value::Object(members) => pending.extend(members.iter().map(|(name, member)| (name.clone(), member))),
                _ => {}
            }
        }
        quoted
    }

    /// Passes on what follows each run tag in the strings of a value, in lower case.
    fn for_each_match(&self, value: &Value, found: &mut dyn FnMut(&str)) {
        match value {
            Value::String(text) if text.len() >= self.0.len() && self.may_be_in(text) => {
                let text = text.to_ascii_lowercase();
                for (at, run_tag) in text.match_indices(self.as_str()) {
                    found(&text[at + run_tag.len()..]);
                }
            }
            Value::Array(elements) => elements.iter().for_each(|element| self.for_each_match(element, found)),
            Value::Object(members) => members.values().for_each(|member| self.for_each_match(member, found)),
            _ => {}
        }
    }

    /// Whether the text has the run tag's first letter, in either case. Each string of each response is searched, and
    /// most do not have it.
    fn may_be_in(&self, text: &str) -> bool {
        let first = self.0.chars().next();
        first.is_none_or(|first| text.contains(first) || text.contains(first.to_ascii_uppercase()))
    }

    /// Returns the seed that determines how the wrong tokens differ from the right one; it is never sent.
    #[must_use]
    pub fn wrong_token_seed(&self) -> String {
        format!("countersign-wrong-token-{}", self.0)
    }
}

/// Returns the number whose letters a text begins with: see [`RunTag::numbered`].
fn number_of(text: &str) -> u64 {
    let mut letters = text.bytes().take_while(u8::is_ascii_lowercase).peekable();
    if letters.peek().is_none() {
        return NO_DRAFT_NUMBER;
    }
    let number = letters.try_fold(0, |number: u64, letter| {
        number.checked_mul(26)?.checked_add(u64::from(letter - b'a'))
    });
    number.unwrap_or(NO_DRAFT_NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_tag_is_letters_and_differs_by_seed_and_by_microsecond() {
        let run_tag = RunTag::new(7, 1_800_000_000);
        assert!(run_tag.as_str().len() == 8 && run_tag.as_str().bytes().all(|byte| byte.is_ascii_lowercase()));
        assert_eq!(run_tag, RunTag::new(7, 1_800_000_000));
        assert_ne!(run_tag, RunTag::new(8, 1_800_000_000));
        assert_ne!(run_tag, RunTag::new(7, 1_800_000_001));
    }

    #[test]
    fn numbered_run_tags_never_collide() {
        let run_tag = RunTag::new(1, 1);
        let numbered: std::collections::HashSet<_> = (0..2000).map(|number| run_tag.numbered(number)).collect();
        assert_eq!(numbered.len(), 2000);
    }

    #[test]
    fn a_numbered_run_tag_shows_its_number_and_one_without_a_number_shows_that_of_no_draft() {
        let run_tag = RunTag::new(1, 1);
        let numbered = Value::from(vec![run_tag.numbered(0), run_tag.numbered(27).to_uppercase()]);
        assert_eq!(run_tag.numbers_in(&numbered), [0, 27]);
        let bare = run_tag.as_str();
        for text in [
            bare.to_owned(),
            format!("{bare} of"),
            format!("{bare}{}", "z".repeat(20)),
        ] {
            assert_eq!(run_tag.numbers_in(&Value::from(text)), [NO_DRAFT_NUMBER]);
        }
        assert!(run_tag.numbers_in(&Value::from("nothing")).is_empty());
    }
}
