//! Searches for the longest text that a field accepts. The main type is [`LengthSearch`].
//!
//! # Design
//!
//! Halving the interval between an accepted length and a rejected one, along the limits that software usually has,
//! finds a limit in a few requests, but mistakes any rejection for one of the length. So both lengths next to the limit
//! are sent again, several times each, in an order that sends either length to each of two or three replicas that
//! answer in turn. A service that rejects every second or third request accepts the longer text once, or rejects the
//! shorter one, and then nothing is claimed. Nothing is claimed either if the limit is one of several texts together or
//! of the whole body: to detect that, the other texts of the body are made a little longer in every second trial.

use std::collections::BTreeMap;

use super::answer::Claim;
use super::trials::ObservedClaim;

/// The length of the longest text that is sent. A service that accepts it may have a higher limit, which is not
/// searched for.
const LONGEST_SENT: usize = 4_096;
/// Limits that software usually has: those of columns, of forms, and of names in protocols.
const USUAL_LIMITS: [usize; 16] = [
    32, 50, 60, 64, 80, 100, 128, 200, 255, 256, 500, 512, 1_000, 1_024, 2_000, 4_000,
];
/// The order of the trials next to the limit: `true` sends the longer text. The index is the number of trials with
/// either of the two texts so far; the first two are those that found the limit.
const LONGER: [bool; 12] = [
    false, false, true, true, false, false, false, true, true, false, true, false,
];
/// How often each of the lengths next to a limit is sent: if a service rejects one request in three by chance, fewer
/// than one search in a thousand then finds a limit that does not exist.
const TIMES_EACH: u64 = 5;
/// How often it is sent if another field was found to have the same limit: then the service rejects what is too long,
/// and not by chance.
const TIMES_EACH_AT_KNOWN_LIMIT: u64 = 2;
/// How many void trials a search tolerates.
const MAX_VOID: u64 = 8;

/// What became of texts of different lengths in one field.
#[derive(Debug, Default)]
pub(super) struct LengthSearch {
    /// The length of the longest text in an accepted control, or in another accepted request that asks nothing.
    longest_in_controls: usize,
    /// Whether such a request has another text, whose length is varied to tell a limit of the field from one of the
    /// whole body.
    has_other_text: bool,
    accepted: BTreeMap<usize, u64>,
    rejected: BTreeMap<usize, u64>,
    /// How many texts were rejected for another reason, or accepted and not stored as they were sent.
    inconclusive: u64,
    /// Whether the record may still have a long text.
    pub(super) may_hold_long_text: bool,
}

impl LengthSearch {
    /// Adds the length of a text in an accepted request that asks nothing, and whether its body had another text.
    pub(super) fn note_control(&mut self, length: usize, has_other_text: bool) {
        self.longest_in_controls = self.longest_in_controls.max(length);
        self.has_other_text |= has_other_text;
        self.may_hold_long_text = false;
    }

    /// Adds whether a text of this length was accepted; `None` if it was rejected for another reason, or accepted and
    /// not stored as it was sent.
    pub(super) fn add(&mut self, length: usize, accepted: Option<bool>) {
        match accepted {
            Some(true) => *self.accepted.entry(length).or_default() += 1,
            Some(false) => *self.rejected.entry(length).or_default() += 1,
            None => self.inconclusive += 1,
        }
    }

    /// Whether a text of this length was accepted.
    pub(super) fn has_accepted(&self, length: usize) -> bool {
        self.accepted.contains_key(&length)
    }

    /// Whether a trial was sent.
    pub(super) fn was_asked(&self) -> bool {
        self.inconclusive > 0 || !self.accepted.is_empty() || !self.rejected.is_empty()
    }

    /// Returns how long the next text is; `None` if none is needed. `other_limits` are the limits that were found for
    /// other fields, and `void` is the number of trials that decided nothing.
    pub(super) fn next(&self, other_limits: &[usize], void: u64) -> Option<usize> {
        if self.inconclusive > 0 || void > MAX_VOID || self.longest_in_controls >= LONGEST_SENT {
            return None;
        }
        let accepted = self.longest();
        let Some((rejected, times)) = self.rejected.first_key_value() else {
            let as_another = other_limits
                .iter()
                .find(|limit| **limit >= accepted)
                .map(|limit| limit + 1);
            return as_another.or_else(|| (accepted < LONGEST_SENT).then_some(LONGEST_SENT));
        };
        if accepted >= *rejected {
            return None;
        }
        if rejected - accepted > 1 {
            return Some(between(accepted, *rejected, other_limits));
        }
        let times_accepted = self.accepted.get(&accepted).copied().unwrap_or(0);
        let before = usize::try_from(times_accepted + times).unwrap_or(usize::MAX);
        let enough = enough(accepted, other_limits);
        match (times_accepted < enough, *times < enough) {
            (true, true) if LONGER.get(before) == Some(&true) => Some(*rejected),
            (true, _) => Some(accepted),
            (false, true) => Some(*rejected),
            (false, false) => None,
        }
    }

    /// Returns what the trials show, where other fields have these limits.
    pub(super) fn observed(&self, other_limits: &[usize]) -> Option<ObservedClaim> {
        let (rejected, times) = self.rejected.first_key_value()?;
        let accepted = self.longest();
        if accepted >= *rejected || self.inconclusive > 0 {
            return Some(ObservedClaim {
                claim: None,
                count: self.accepted.values().chain(self.rejected.values()).sum(),
                is_proof: true,
            });
        }
        Some(ObservedClaim {
            claim: Some(Claim::MaxLength {
                longest: self.limit(other_limits)?,
            }),
            count: times + self.accepted.get(&accepted)?,
            is_proof: self.has_other_text,
        })
    }

    /// Returns how many characters a text may have, once that is found, where other fields have these limits.
    pub(super) fn limit(&self, other_limits: &[usize]) -> Option<usize> {
        let ((rejected, times), accepted) = (self.rejected.first_key_value()?, self.longest());
        let times_accepted = self.accepted.get(&accepted)?;
        let enough = enough(accepted, other_limits);
        let is_found = accepted + 1 == *rejected && *times >= enough && *times_accepted >= enough;
        is_found.then_some(accepted)
    }

    /// The longest text that was accepted.
    fn longest(&self) -> usize {
        self.accepted
            .last_key_value()
            .map_or(self.longest_in_controls, |(length, _)| {
                self.longest_in_controls.max(*length)
            })
    }
}

/// Returns how often each of the lengths next to a limit is sent.
fn enough(limit: usize, other_limits: &[usize]) -> u64 {
    match other_limits.contains(&limit) {
        true => TIMES_EACH_AT_KNOWN_LIMIT,
        false => TIMES_EACH,
    }
}

/// Returns a length between an accepted one and a rejected one: next to the limit of another field, else to a usual
/// one, else in the middle.
fn between(accepted: usize, rejected: usize, other_limits: &[usize]) -> usize {
    let is_between = |length: &usize| (accepted + 1..rejected).contains(length);
    let next_to = |limits: &[usize]| {
        let inside: Vec<_> = limits.iter().copied().filter(is_between).collect();
        let middle = inside.get(inside.len() / 2).copied();
        middle.or_else(|| limits.contains(&accepted).then_some(accepted + 1))
    };
    let next = next_to(other_limits).or_else(|| next_to(&USUAL_LIMITS));
    next.unwrap_or_else(|| accepted.midpoint(rejected))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

    use super::*;

    /// Asks a service what it does with the text of this length in the request with this number. Returns what was
    /// found, and how many requests that took.
    fn search_with(service: impl Fn(u64, usize) -> Option<bool>) -> (Option<Claim>, u64) {
        let mut search = LengthSearch::default();
        search.note_control(21, true);
        let mut sent = 0;
        while let Some(length) = search.next(&[], 0) {
            search.add(length, service(sent, length));
            sent += 1;
            assert!(sent < 100);
        }
        (search.observed(&[]).and_then(|observed| observed.claim), sent)
    }

    fn limited(to: usize) -> impl Fn(u64, usize) -> Option<bool> {
        move |_, length| Some(length <= to)
    }

    #[test]
    fn any_limit_is_found() {
        for limit in [22, 50, 60, 255, 1_000, 4_095] {
            let (claim, sent) = search_with(limited(limit));
            assert_eq!(claim, Some(Claim::MaxLength { longest: limit }));
            assert!(sent <= 25, "{limit}: {sent}");
        }
        for limit in USUAL_LIMITS {
            let (claim, sent) = search_with(limited(limit));
            assert_eq!(claim, Some(Claim::MaxLength { longest: limit }));
            assert!(sent <= 16, "{limit}: {sent}");
        }
    }

    #[test]
    fn the_limit_of_another_field_is_tried_first() {
        let mut search = LengthSearch::default();
        search.note_control(21, true);
        let lengths = std::iter::from_fn(|| {
            let length = search.next(&[77], 0)?;
            search.add(length, limited(77)(0, length));
            Some(length)
        });
        assert_eq!(lengths.collect::<Vec<_>>(), [78, 77, 78, 77]);
    }

    #[test]
    fn a_field_without_the_limit_of_another_is_searched_from_the_longest_text_on() {
        for limit in [60, 255] {
            let mut search = LengthSearch::default();
            search.note_control(21, true);
            while let Some(length) = search.next(&[77], 0) {
                search.add(length, limited(limit)(0, length));
            }
            assert_eq!(search.limit(&[77]), Some(limit));
        }
    }

    #[test]
    fn the_limit_of_a_body_with_one_text_may_be_that_of_the_body() {
        for has_other_text in [false, true] {
            let mut search = LengthSearch::default();
            search.note_control(21, has_other_text);
            while let Some(length) = search.next(&[], 0) {
                search.add(length, Some(length <= 255));
            }
            let observed = search.observed(&[]).unwrap();
            assert_eq!(observed.claim, Some(Claim::MaxLength { longest: 255 }));
            assert_eq!(observed.is_proof, has_other_text);
        }
    }

    #[test]
    fn nothing_is_claimed_where_the_longest_text_is_accepted_or_none_is() {
        assert_eq!(search_with(limited(LONGEST_SENT)), (None, 1));
        // The text of the controls is too long itself: when it is sent again, it is rejected.
        assert_eq!(search_with(limited(20)).0, None);
    }

    #[test]
    fn what_is_rejected_in_turn_or_by_chance_is_no_limit() {
        for every in 2..8 {
            for first in 0..every {
                let (claim, _) = search_with(|number, _| Some(number % every != first));
                assert_eq!(claim, None, "{every} {first}");
            }
        }
        let wrong = (0..1_000).filter(|seed| {
            let random = RefCell::new(ChaCha8Rng::seed_from_u64(*seed));
            let found = search_with(|_, _| Some(!random.borrow_mut().next_u32().is_multiple_of(3)));
            found.0.is_some()
        });
        assert!(wrong.count() <= 1);
    }

    #[test]
    fn replicas_with_other_limits_are_no_limit() {
        for (limits, turns) in [
            ([60, 255, 60], 2),
            ([60, 255, 1_000], 3),
            ([60, 60, 255], 3),
            ([255, 255, 60], 3),
        ] {
            for first in 0..turns {
                let of = |number| limits[usize::try_from((number + first) % turns).unwrap()];
                let (claim, _) = search_with(|number, length| limited(of(number))(number, length));
                assert_eq!(claim, None, "{limits:?} {first}");
            }
        }
    }

    #[test]
    fn another_rejection_and_many_failures_end_the_search() {
        assert_eq!(search_with(|_, length| (length <= 60).then_some(true)), (None, 1));
        let search = LengthSearch::default();
        assert_eq!(search.next(&[], MAX_VOID), Some(LONGEST_SENT));
        assert_eq!(search.next(&[], MAX_VOID + 1), None);
    }
}
