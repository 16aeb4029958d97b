//! Joins the answers of several runs, or of the shards (parts) of one run: [`join`].

use std::collections::{BTreeMap, HashSet};

use super::answer::{Answer, AnswerState, Claim, Condition, ObservationCounts};
use super::tally::ClaimTally;
use crate::plan::TRIALS_TO_INDICATE;

/// What an answer is about: gap, operation, location and condition.
pub(super) type AnswerSubject = (String, Option<String>, Option<String>, Option<Condition>);

/// Joins what several shards know. Where they agree, their observations are added up; where they disagree, the answer
/// is unstable. The order of the arguments does not matter.
#[must_use]
pub fn join(left: Vec<Answer>, right: Vec<Answer>) -> Vec<Answer> {
    join_all(left.into_iter().chain(right))
}

/// Joins answers as [`join`] does, of any number of shards or runs.
pub(super) fn join_all(all: impl IntoIterator<Item = Answer>) -> Vec<Answer> {
    let mut joined: BTreeMap<AnswerSubject, Answer> = BTreeMap::new();
    for answer in all {
        let subject = subject(&answer);
        let both = match joined.remove(&subject) {
            Some(known) => join_two(known, &answer),
            None => answer,
        };
        joined.insert(subject, both);
    }
    let answers: Vec<_> = joined.into_values().collect();
    let known = || answers.iter().filter(|answer| answer.state != AnswerState::CannotTell);
    let gaps: HashSet<_> = known().map(|answer| &answer.gap).collect();
    let location = |answer: &Answer| (answer.gap.clone(), answer.operation.clone(), answer.location.clone());
    let locations: HashSet<_> = known().map(location).collect();
    // What one shard cannot tell about a gap as a whole, or about a location, another may tell.
    let is_replaced = |answer: &Answer| {
        let is_of_whole_gap = answer.location.is_none() && gaps.contains(&answer.gap);
        answer.state == AnswerState::CannotTell && (is_of_whole_gap || locations.contains(&location(answer)))
    };
    let mut answers: Vec<_> = answers.iter().filter(|answer| !is_replaced(answer)).cloned().collect();
    sort_by_subject(&mut answers);
    answers
}

/// Sorts answers by what they are about.
pub(super) fn sort_by_subject(answers: &mut [Answer]) {
    answers.sort_by_cached_key(subject);
}

pub(super) fn subject(answer: &Answer) -> AnswerSubject {
    let condition = match answer.claim {
        Some(Claim::Condition { condition, .. }) => Some(condition),
        _ => None,
    };
    (
        answer.gap.clone(),
        answer.operation.clone(),
        answer.location.clone(),
        condition,
    )
}

/// Joins two answers about the same subject.
fn join_two(left: Answer, right: &Answer) -> Answer {
    let mut tally = ClaimTally::default();
    for answer in [&left, right] {
        let mut named = 0_u64;
        for dissent in &answer.dissent {
            tally.count_several(dissent.claim.clone(), dissent.count);
            named = named.saturating_add(dissent.count);
        }
        if let Some(claim) = &answer.claim {
            if matches!(answer.state, AnswerState::Established | AnswerState::Indicated) {
                tally.from_trials = tally.from_trials.max(TRIALS_TO_INDICATE);
            }
            tally.count_several(claim.clone(), answer.observations.supporting);
        }
        // An answer without a claim may still speak against that of another run.
        tally.count_against(answer.observations.against.saturating_sub(named));
        tally.void = tally.void.saturating_add(answer.observations.void);
    }
    let (against, void) = (tally.against_all(), tally.void);
    let reason = [left.reason, right.reason].into_iter().flatten().min();
    let mut joined = Answer {
        reason,
        dissent: Vec::new(),
        observations: ObservationCounts {
            supporting: 0,
            against,
            void,
        },
        ..left
    };
    if let Some(conclusion) = tally.conclude() {
        (joined.state, joined.claim) = (conclusion.state, Some(conclusion.claim));
        (joined.observations, joined.dissent, joined.reason) = (conclusion.observations, conclusion.dissent, None);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::super::answer::WhyUnanswered;
    use super::*;

    fn seen(location: &str, status: u16, times: u64) -> Answer {
        Answer {
            gap: "success-status".to_owned(),
            operation: Some("getThings".to_owned()),
            location: Some(location.to_owned()),
            state: AnswerState::Seen,
            claim: Some(Claim::Status { status }),
            observations: ObservationCounts {
                supporting: times,
                ..ObservationCounts::default()
            },
            dissent: Vec::new(),
            reason: None,
        }
    }

    fn unknown(location: Option<&str>) -> Answer {
        Answer {
            operation: location.map(|_| "getThings".to_owned()),
            location: location.map(str::to_owned),
            state: AnswerState::CannotTell,
            claim: None,
            observations: ObservationCounts::default(),
            reason: Some(WhyUnanswered::NotObserved),
            ..seen("", 200, 0)
        }
    }

    #[test]
    fn answers_that_agree_are_added() {
        let joined = join(vec![seen("/a", 200, 2)], vec![seen("/a", 200, 3), seen("/b", 201, 1)]);
        assert_eq!(joined, [seen("/a", 200, 5), seen("/b", 201, 1)]);
    }

    #[test]
    fn answers_that_disagree_are_unstable_with_both_sides_in_any_order() {
        let [left, middle, right] = [
            vec![seen("/a", 200, 2)],
            vec![seen("/a", 202, 2)],
            vec![seen("/a", 200, 1)],
        ];
        let joined = join(join(left.clone(), middle.clone()), right.clone());
        assert_eq!(joined, join(left, join(right, middle)));
        assert_eq!(
            (joined[0].state, joined[0].observations.against),
            (AnswerState::Unstable, 2)
        );
        assert_eq!(joined[0].dissent[0].claim, Claim::Status { status: 202 });
    }

    #[test]
    fn trials_that_fit_no_claim_speak_against_the_claim_of_another_run() {
        let unfitting = Answer {
            observations: ObservationCounts {
                against: 4,
                ..ObservationCounts::default()
            },
            ..unknown(Some("/a"))
        };
        let (left, right) = (vec![seen("/a", 200, 8)], vec![unfitting.clone()]);
        let joined = join(left.clone(), right.clone());
        assert_eq!(joined, join(right.clone(), left));
        let counts = (joined[0].observations.supporting, joined[0].observations.against);
        assert_eq!((joined[0].state, counts), (AnswerState::Unstable, (8, 4)));
        let both = join(right.clone(), right);
        assert_eq!(
            (both[0].state, both[0].observations.against),
            (AnswerState::CannotTell, 8)
        );
    }

    #[test]
    fn what_one_shard_cannot_tell_another_may() {
        for unknown in [unknown(None), unknown(Some("/a"))] {
            assert_eq!(join(vec![unknown], vec![seen("/a", 200, 1)]), [seen("/a", 200, 1)]);
        }
        let other = unknown(Some("/b"));
        assert_eq!(join(vec![other.clone()], vec![seen("/a", 200, 1)]).len(), 2);
        assert_eq!(join(vec![other.clone()], vec![other.clone()]), [other]);
    }
}
