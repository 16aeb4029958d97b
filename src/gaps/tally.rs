//! Counts what observations show, and says what follows. The main type is [`ClaimTally`].

use super::answer::{AnswerState, Claim, Dissent, ListOrder, ObservationCounts, WrittenForm};
use crate::plan::TRIALS_TO_INDICATE;

/// How many different claims are kept at one location. A target that shows more is unstable there anyway.
pub(super) const MAX_CLAIMS: usize = 8;

/// What the observations at one location show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClaimTally {
    claims: Vec<(Claim, u64)>,
    /// How many observations show anything else.
    others: u64,
    /// How many observations decide nothing.
    pub(super) void: u64,
    /// How many of the observations come from trials.
    pub(super) from_trials: u64,
    /// How many trials show what fits no claim.
    pub(super) fits_no_claim: u64,
    /// Whether a trial was sent, or a response came that could have shown something, whatever it showed.
    pub(super) was_asked: bool,
    /// Whether a question about it was to be asked.
    pub(super) has_question: bool,
    /// Whether the limit of requests was reached before enough trials were sent.
    pub(super) is_cut_short: bool,
    /// Whether a response had a value there from which nothing follows by itself.
    pub(super) had_value: bool,
}

/// What follows from a tally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conclusion {
    pub(super) state: AnswerState,
    pub(super) claim: Claim,
    pub(super) observations: ObservationCounts,
    pub(super) dissent: Vec<Dissent>,
}

impl ClaimTally {
    /// Adds an observation.
    pub(super) fn count(&mut self, claim: Claim) {
        self.count_several(claim, 1);
    }

    /// Adds several observations of the same claim.
    pub(super) fn count_several(&mut self, claim: Claim, times: u64) {
        let mut claims = self.claims.iter_mut();
        let known = claims.find_map(|(known, count)| Some((known.merged_with(&claim)?, known, count)));
        if let Some((both, known, count)) = known {
            *known = both;
            *count = count.saturating_add(times);
        } else if self.claims.len() < MAX_CLAIMS {
            self.claims.push((claim, times));
        } else {
            self.count_against(times);
        }
    }

    /// Adds several observations of the same claim, which come from trials.
    pub(super) fn count_trials(&mut self, claim: Claim, times: u64) {
        self.count_several(claim, times);
        self.from_trials = self.from_trials.saturating_add(times);
    }

    /// Adds observations that show something for which there is no claim.
    pub(super) fn count_against(&mut self, times: u64) {
        self.others = self.others.saturating_add(times);
    }

    /// How many observations show something for which there is no claim.
    pub(super) fn against_all(&self) -> u64 {
        self.others
    }

    /// Whether nothing was observed.
    pub(super) fn is_empty(&self) -> bool {
        self.claims.is_empty() && self.others == 0
    }

    /// Whether an observation shows an order other than by time.
    pub(super) fn shows_other_order(&self) -> bool {
        let other = Claim::Order {
            order: ListOrder::Other,
        };
        self.claims.iter().any(|(claim, _)| *claim == other)
    }

    /// Returns what follows; `None` where nothing does.
    pub(super) fn conclude(&self) -> Option<Conclusion> {
        let mut claims = folded(&self.claims);
        // The most frequent first; of equally frequent ones, always the same.
        claims.sort_by(|(left, lefts), (right, rights)| rights.cmp(lefts).then_with(|| left.cmp(right)));
        let mut claims = claims.into_iter();
        let (claim, supporting) = claims.next()?;
        let dissent: Vec<_> = claims.map(|(claim, count)| Dissent { claim, count }).collect();
        let counts = dissent.iter().map(|dissent| dissent.count);
        let against = counts.fold(self.others, u64::saturating_add);
        Some(Conclusion {
            state: match against {
                0 if self.from_trials >= TRIALS_TO_INDICATE => AnswerState::Indicated,
                0 => AnswerState::Seen,
                _ => AnswerState::Unstable,
            },
            claim,
            observations: ObservationCounts {
                supporting,
                against,
                void: self.void,
            },
            dissent,
        })
    }
}

/// Merges claims that do not contradict each other: with the suffix `Z`, a fraction of a second is optional (RFC 3339,
/// section 5.6), and a service that limits requests answers some before it does.
fn folded(claims: &[(Claim, u64)]) -> Vec<(Claim, u64)> {
    let form = |form| Claim::Form { form };
    let (utc, fraction) = (form(WrittenForm::Utc), form(WrittenForm::UtcFraction));
    let has = |wanted: &dyn Fn(&Claim) -> bool| claims.iter().any(|(claim, _)| wanted(claim));
    let both = has(&|claim| *claim == utc) && has(&|claim| *claim == fraction);
    let is_limited = has(&|claim| matches!(claim, Claim::Limited { limited: true, .. }));
    let mut folded: Vec<(Claim, u64)> = Vec::new();
    for (claim, count) in claims {
        let claim = match claim {
            Claim::Limited { limited: false, .. } if is_limited => continue,
            claim if both && *claim == fraction => utc.clone(),
            claim => claim.clone(),
        };
        match folded.iter_mut().find(|(known, _)| *known == claim) {
            Some((_, counted)) => *counted = counted.saturating_add(*count),
            None => folded.push((claim, *count)),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::super::answer::MemberType;
    use super::*;

    fn status(status: u16) -> Claim {
        Claim::Status { status }
    }

    fn of(claims: &[Claim]) -> ClaimTally {
        let mut tally = ClaimTally::default();
        claims.iter().for_each(|claim| tally.count(claim.clone()));
        tally
    }

    #[test]
    fn observations_that_agree_are_seen() {
        let conclusion = of(&[status(201), status(201)]).conclude().unwrap();
        assert_eq!((conclusion.state, conclusion.claim), (AnswerState::Seen, status(201)));
        assert_eq!(
            (conclusion.observations.supporting, conclusion.observations.against),
            (2, 0)
        );
        assert!(conclusion.dissent.is_empty());
    }

    #[test]
    fn one_that_disagrees_makes_it_unstable_with_both_sides() {
        let conclusion = of(&[status(200), status(201), status(201)]).conclude().unwrap();
        assert_eq!(
            (conclusion.state, conclusion.claim),
            (AnswerState::Unstable, status(201))
        );
        let dissent = [Dissent {
            claim: status(200),
            count: 1,
        }];
        assert_eq!(conclusion.dissent, dissent);
    }

    #[test]
    fn something_without_a_claim_disagrees_too() {
        let mut tally = of(&[status(201)]);
        tally.count_against(1);
        assert_eq!(tally.conclude().unwrap().state, AnswerState::Unstable);
        let mut tally = ClaimTally::default();
        tally.count_against(1);
        assert_eq!(tally.conclude(), None);
    }

    #[test]
    fn a_fraction_of_a_second_is_claimed_only_where_it_is_always_there() {
        let form = |form| Claim::Form { form };
        let (utc, fraction) = (form(WrittenForm::Utc), form(WrittenForm::UtcFraction));
        assert_eq!(
            of(&[fraction.clone(), fraction.clone()]).conclude().unwrap().claim,
            fraction
        );
        let mixed = of(&[fraction.clone(), utc.clone(), fraction]).conclude().unwrap();
        assert_eq!(
            (mixed.state, mixed.claim, mixed.observations.supporting),
            (AnswerState::Seen, utc, 3)
        );
    }

    #[test]
    fn types_are_seen_together() {
        let types = |types: &[MemberType]| Claim::Types { types: types.to_vec() };
        let conclusion = of(&[types(&[MemberType::String]), types(&[MemberType::Null])]);
        let conclusion = conclusion.conclude().unwrap();
        assert_eq!(conclusion.claim, types(&[MemberType::Null, MemberType::String]));
        assert_eq!(conclusion.state, AnswerState::Seen);
    }

    #[test]
    fn times_are_seen_together_however_many_differ() {
        let after = |from, to| Claim::Duration { after_ms: [from, to] };
        let conclusion = of(&[after(20, 30), after(150, 350), after(0, 10)]).conclude().unwrap();
        assert_eq!((conclusion.state, conclusion.claim), (AnswerState::Seen, after(0, 350)));
        let mut tally = ClaimTally::default();
        (0..1000).for_each(|time| tally.count(after(time, time)));
        let conclusion = tally.conclude().unwrap();
        assert_eq!(
            (conclusion.claim, conclusion.observations.supporting),
            (after(0, 999), 1000)
        );
    }

    #[test]
    fn a_limit_that_was_seen_explains_what_was_not_limited() {
        let limited = Claim::Limited {
            limited: true,
            at_least_per_second: None,
        };
        let not_at = |rate| Claim::Limited {
            limited: false,
            at_least_per_second: Some(rate),
        };
        let conclusion = of(&[not_at(40), not_at(6)]).conclude().unwrap();
        assert_eq!((conclusion.state, conclusion.claim), (AnswerState::Seen, not_at(40)));
        let conclusion = of(&[not_at(40), limited.clone(), not_at(6)]).conclude().unwrap();
        assert_eq!((conclusion.state, conclusion.claim), (AnswerState::Seen, limited));
        assert_eq!(conclusion.observations.supporting, 1);
    }

    #[test]
    fn little_is_kept_however_much_differs() {
        let mut tally = ClaimTally::default();
        (0..1000).for_each(|number| tally.count(Claim::PageSize { per_page: number }));
        assert_eq!(tally.claims.len(), MAX_CLAIMS);
        let conclusion = tally.conclude().unwrap();
        assert_eq!(
            (conclusion.state, conclusion.observations.against),
            (AnswerState::Unstable, 999)
        );
    }
}
