//! `changed-answer`: the service answers a gap in another way than an overlay states. The *answer* is that to the gap,
//! not an HTTP response.
//!
//! # Design
//!
//! The document leaves open what an overlay states, so a contradiction is a warning and not an error. What one response
//! shows, such as a status, contradicts an answer by itself. What only trials show, such as whether a field accepts
//! nothing but known values, does so if the trials agree: a single rejection may have another reason.

use std::mem::discriminant;

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::AnswerSeen;
use super::verdict::{Reason, Sink};
use crate::contract::vocabulary::GapKind;
use crate::exchange::RejectionMeaning;
use crate::gaps::{Answer, AnswerState, BeyondLast, Claim, UnknownHandling, ValueSet, WhyUnanswered, WrittenForm};
use crate::plan::TRIALS_TO_INDICATE;

pub(super) static RULE: Rule = Rule {
    name: "changed-answer",
    level: Level::Warn,
    headline: Headline::Operation("no longer behaves as learned", "no longer behave as learned"),
    topic: Topic::Responses,
    summary: "What the document leaves open is still as an overlay states it.",
    explanation: "The document does not say it, so nobody promised it; but `learn` has found it in several runs, a \
                  person has approved it, and programs may depend on it by now. It is worth knowing of a change \
                  before they break.",
    exceptions: "What the document does say, which the other rules judge. What this run did not see: a claim that only \
                 trials show needs four of them that agree, and one about updates needs writes. Whether responses \
                 are compressed: short ones often are not, and a list may have grown. How long something takes, and \
                 how many requests are accepted: a machine or a network may be slow for a while.",
    fix: "If the change is intended, run `learn` with a new ledger, because the entries of the old one contradict the \
          change, and review what it writes. If it is not, tell whoever runs the service; nothing in the document \
          forbids it.",
    source: "The overlay, which a person has reviewed; the document leaves it open",
    example: Example {
        fact: "createContact success-status at /responses/2XX: as learned",
        documented: "status: 201",
        received: "status: 200",
        pointer: "",
        #[cfg(test)]
        judged: || tests::judged(200),
    },
    judge: Judging::Answer(judge),
};

fn judge(seen: &AnswerSeen<'_>, sink: &mut Sink<'_>) {
    // What cannot be read was rejected before the run.
    let Ok(learned) = serde_json::from_value::<Claim>(seen.stated.claim.clone()).map(Claim::sorted) else {
        return;
    };
    let kind = sink.contract.gaps[seen.stated.gap].kind;
    let mut answers = seen.answers.iter().filter(|answer| is_about_the_same(answer, &learned));
    let Some(answer) = answers.next() else {
        let fitting_no_claim = seen
            .answers
            .iter()
            .map(|answer| answer.observations.against)
            .sum::<u64>();
        if fitting_no_claim >= TRIALS_TO_INDICATE && is_of_accepted_requests(&learned) {
            let received = || format!("what fits no known answer, in {fitting_no_claim} trials");
            return sink.broken(seen.fact, String::new, received);
        }
        // The reason why the operation was not called says more.
        let unsent = [WhyUnanswered::NeedsWrites, WhyUnanswered::NotObserved];
        let reasons = seen.answers.iter().filter_map(|answer| answer.reason);
        if let Some(reason) = reasons.into_iter().find(|reason| !unsent.contains(reason)) {
            sink.undecided(seen.fact, Reason::GapNotAnswered(reason));
        }
        return;
    };
    // `dissent` has what a minority of the exchanges shows; `against` counts all that do not show the claim: those of
    // `dissent`, and those that fit no claim.
    let first = answer.claim.clone().map(Claim::sorted);
    let dissent = answer.dissent.iter().map(|dissent| dissent.claim.clone().sorted());
    let claims: Vec<_> = first.clone().into_iter().chain(dissent).collect();
    let shows = |claim: &&Claim| is_shown_by_one_response(claim, &learned) || answer.state == AnswerState::Indicated;
    let other = claims
        .iter()
        .filter(shows)
        .find(|claim| contradicts(claim, &learned, kind));
    if let Some(other) = other {
        sink.broken(seen.fact, String::new, || other.to_string());
    } else if first.is_some_and(|claim| agrees(&claim, &learned)) && answer.observations.against == 0 {
        sink.held(seen.fact);
    } else {
        sink.undecided(seen.fact, Reason::AnswerNotConfirmed);
    }
}

/// Whether an answer and a claim have the same subject. Each error condition, such as a missing credential, has an
/// answer of its own.
fn is_about_the_same(answer: &Answer, learned: &Claim) -> bool {
    match (learned, &answer.claim) {
        (Claim::Condition { condition: one, .. }, Some(Claim::Condition { condition: other, .. })) => one == other,
        (_, claim) => claim.is_some(),
    }
}

/// Whether a claim is about requests that the service accepts, so that trials which fit no claim contradict it. A claim
/// that values are rejected may still be true: another part of the request may be at fault.
fn is_of_accepted_requests(learned: &Claim) -> bool {
    match learned {
        Claim::AllowedValues { set } => *set == ValueSet::Open,
        Claim::UnknownHandled { handling, .. } => *handling == UnknownHandling::Ignored,
        Claim::Dates { accepted, .. } => !accepted.is_empty(),
        claim => matches!(claim, Claim::UnsentFields { .. }),
    }
}

/// Whether one response is enough to show it. Anything else is a conclusion from several requests, any of which may
/// have been rejected for another reason. An acceptance has no other reason.
fn is_shown_by_one_response(claim: &Claim, learned: &Claim) -> bool {
    match claim {
        // A check sends updates that `learn` does not, and fewer fields may come back.
        Claim::Body { body, .. } => !matches!(learned, Claim::Body { body: learned, .. } if body == learned),
        Claim::Duration { .. }
        | Claim::HeaderAnnouncements { .. }
        | Claim::Error { .. }
        | Claim::Form { .. }
        | Claim::Limited { .. }
        | Claim::MayBeNull { .. }
        | Claim::Order { .. }
        | Claim::PageSize { .. }
        | Claim::HeaderSent { .. }
        | Claim::Status { .. }
        | Claim::Types { .. } => true,
        // With such a status the service may have rejected another part of the request.
        Claim::Condition { status, .. } => !RejectionMeaning::rejects_as_invalid_or_conflicting(*status),
        Claim::Dates { accepted, .. } => accepted.is_empty(),
        Claim::AllowedValues { set } => *set == ValueSet::Open,
        Claim::UnknownHandled { handling, .. } => *handling == UnknownHandling::Ignored,
        // Entries: by which field those of an array refer to a record. Unsent fields: what becomes of those that an update
        // omits.
        Claim::BeyondLastPage { .. }
        | Claim::SideEffect { .. }
        | Claim::Entries { .. }
        | Claim::Duplicate { .. }
        | Claim::MaxLength { .. }
        | Claim::Required { .. }
        | Claim::Spelling { .. }
        | Claim::UnsentFields { .. } => false,
    }
}

/// Whether what is claimed now says the same as what was learned.
fn agrees(now: &Claim, learned: &Claim) -> bool {
    match (now, learned) {
        (Claim::Duration { after_ms: now }, Claim::Duration { after_ms: learned }) => {
            learned[0] <= now[0] && now[1] <= learned[1]
        }
        (
            Claim::Limited {
                limited: false,
                at_least_per_second: now,
            },
            Claim::Limited {
                limited: false,
                at_least_per_second: learned,
            },
        ) => now >= learned,
        // With the suffix `Z`, a fraction of a second is optional (RFC 3339, section 5.6).
        (Claim::Form { form: now }, Claim::Form { form: learned }) => {
            let utc = [WrittenForm::Utc, WrittenForm::UtcFraction];
            now == learned || (utc.contains(now) && utc.contains(learned))
        }
        (Claim::Types { types: now }, Claim::Types { types: learned }) => now.iter().all(|kind| learned.contains(kind)),
        // What a person leaves out of a claim may be anything.
        (
            Claim::Body { body, .. },
            Claim::Body {
                body: learned,
                properties: None,
            },
        ) => body == learned,
        (
            Claim::Error { media_type, .. },
            Claim::Error {
                media_type: learned,
                properties: None,
            },
        ) => media_type == learned,
        (
            Claim::UnknownHandled { handling, .. },
            Claim::UnknownHandled {
                handling: learned,
                status: None,
            },
        ) => handling == learned,
        // The status of a success is a gap of its own.
        (Claim::BeyondLastPage { beyond, .. }, Claim::BeyondLastPage { beyond: learned, .. })
            if *beyond != BeyondLast::Rejected =>
        {
            beyond == learned
        }
        _ => now == learned,
    }
}

/// Whether what is claimed now and what was learned cannot both be true.
fn contradicts(now: &Claim, learned: &Claim, kind: Option<GapKind>) -> bool {
    match (now, learned) {
        // A machine or a network may be slow for a while, and a limit may be for more requests than were sent.
        (Claim::Duration { .. }, _) | (Claim::Limited { .. }, _) => false,
        // Short responses are often not compressed, and a list may have grown or shrunk.
        (Claim::HeaderSent { .. }, Claim::HeaderSent { .. }) if kind == Some(GapKind::Compression) => false,
        // Null in one response does not exclude a value in another.
        (Claim::MayBeNull { null }, Claim::MayBeNull { null: learned }) => *null && !learned,
        (
            Claim::Dates { accepted, in_responses },
            Claim::Dates {
                accepted: learned,
                in_responses: shown,
            },
        ) => in_responses != shown || (!accepted.is_empty() && !learned.is_empty() && accepted != learned),
        // The two forms of a claim about bodies of errors exclude each other.
        (Claim::Error { .. }, Claim::Body { .. }) | (Claim::Body { .. }, Claim::Error { .. }) => {
            kind == Some(GapKind::ErrorBody)
        }
        // A claim of another form is about something else.
        _ => discriminant(now) == discriminant(learned) && !agrees(now, learned),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::contract::Contract;
    use crate::contract::fact::FactKind;
    use crate::gaps::{Dissent, ObservationCounts};
    use crate::rules::Verdict;
    use crate::rules::testing::{Fixture, Judged};

    const LOCATION: &str = "/paths/~1organization~1v1~1contact-database/post/responses/2XX";

    /// A contract that states an answer to a gap.
    fn fixture(claim: &Value) -> Fixture {
        let described = "description: Contact created\n";
        let answer = json!([{"gap": "success-status", "operation": "createContact", "claim": claim}]);
        let answered = format!("{described}          x-answers: {answer}\n");
        Fixture::text(&Contract::BUILT_IN.replacen(described, &answered, 1), "createContact")
    }

    fn answer(state: AnswerState, claim: Option<Value>) -> Answer {
        Answer {
            gap: "success-status".to_owned(),
            operation: Some("createContact".to_owned()),
            location: Some(LOCATION.to_owned()),
            state,
            claim: claim.map(|claim| serde_json::from_value(claim).unwrap()),
            observations: ObservationCounts::default(),
            dissent: Vec::new(),
            reason: None,
        }
    }

    pub(super) fn judged(status: u16) -> Judged {
        let answers = [answer(AnswerState::Seen, Some(json!({"status": status})))];
        fixture(&json!({"status": 201})).judge(|judge| judge.answers(&answers))
    }

    fn verdict(learned: &Value, answers: &[Answer]) -> Verdict {
        let fixture = fixture(learned);
        fixture.judge(|judge| judge.answers(answers)).kind(FactKind::Answer(0))
    }

    #[test]
    fn a_body_of_an_error_contradicts_that_there_is_none() {
        let claim = |value: Value| serde_json::from_value::<Claim>(value).unwrap();
        let none = claim(json!({"body": "none"}));
        let json = claim(json!({"media_type": "application/json", "properties": ["message"]}));
        for (now, learned) in [(&none, &json), (&json, &none)] {
            assert!(contradicts(now, learned, Some(GapKind::ErrorBody)));
            assert!(!contradicts(now, learned, None));
        }
        assert!(!contradicts(&json, &json, Some(GapKind::ErrorBody)));
    }

    #[test]
    fn an_answer_that_is_the_same_holds() {
        assert_eq!(judged(201).kind(FactKind::Answer(0)), Verdict::Held);
        for (learned, now) in [
            (json!({"types": ["string", "null"]}), json!({"types": ["string"]})),
            (json!({"form": "utc"}), json!({"form": "utc-fraction"})),
            (json!({"null": false}), json!({"null": false})),
            (json!({"after_ms": [20, 130]}), json!({"after_ms": [30, 130]})),
            (json!({"limited": true}), json!({"limited": true})),
            (
                json!({"limited": false, "at_least_per_second": 20}),
                json!({"limited": false, "at_least_per_second": 20}),
            ),
            (
                json!({"limited": false}),
                json!({"limited": false, "at_least_per_second": 1}),
            ),
            (
                json!({"unknown": "refused"}),
                json!({"unknown": "refused", "status": 422}),
            ),
            (
                json!({"body": "object"}),
                json!({"body": "object", "properties": ["id"]}),
            ),
            (
                json!({"media_type": "application/json"}),
                json!({"media_type": "application/json", "properties": ["message"]}),
            ),
            (
                json!({"beyond": "empty", "status": 200}),
                json!({"beyond": "empty", "status": 203}),
            ),
            // Lists are in any order.
            (
                json!({"media_type": "application/json", "properties": ["message", "errors"]}),
                json!({"media_type": "application/json", "properties": ["errors", "message"]}),
            ),
            (
                json!({"announced": ["sunset", "deprecation"]}),
                json!({"announced": ["deprecation", "sunset"]}),
            ),
        ] {
            assert_eq!(
                verdict(&learned, &[answer(AnswerState::Seen, Some(now))]),
                Verdict::Held,
                "{learned}"
            );
        }
    }

    #[test]
    fn what_one_response_shows_contradicts_an_answer_by_itself() {
        for (learned, now) in [
            (json!({"status": 201}), json!({"status": 200})),
            (
                json!({"announced": ["deprecation"]}),
                json!({"announced": ["deprecation", "sunset"]}),
            ),
            (json!({"per_page": 20}), json!({"per_page": 50})),
            (json!({"body": "none"}), json!({"body": "object", "properties": ["id"]})),
            (json!({"form": "utc"}), json!({"form": "offset"})),
            (json!({"types": ["string"]}), json!({"types": ["number"]})),
            (json!({"set": "closed"}), json!({"set": "open"})),
            (
                json!({"unknown": "refused", "status": 422}),
                json!({"unknown": "ignored"}),
            ),
            (json!({"null": false}), json!({"null": true})),
            (json!({"answered": "iso-date"}), json!({"answered": "day-first"})),
            (
                json!({"accepted": ["iso-date"], "answered": "iso-date"}),
                json!({"answered": "day-first"}),
            ),
            (
                json!({"condition": "no-credential", "status": 401}),
                json!({"condition": "no-credential", "status": 403}),
            ),
        ] {
            let now = answer(AnswerState::Seen, Some(now));
            assert_eq!(verdict(&learned, &[now]), Verdict::Broken, "{learned}");
        }
    }

    #[test]
    fn what_only_trials_show_contradicts_an_answer_where_they_agree() {
        for (learned, now) in [
            (json!({"set": "open"}), json!({"set": "closed"})),
            (json!({"unsent": "kept"}), json!({"unsent": "cleared"})),
            (json!({"required": ["/a"]}), json!({"required": ["/a", "/b"]})),
            (json!({"equal": "refused"}), json!({"equal": "accepted"})),
            (
                json!({"condition": "no-credential", "status": 401}),
                json!({"condition": "no-credential", "status": 422}),
            ),
            (
                json!({"beyond": "empty", "status": 200}),
                json!({"beyond": "refused", "status": 404}),
            ),
            (
                json!({"accepted": ["iso-date"], "answered": "iso-date"}),
                json!({"accepted": ["day-first"], "answered": "iso-date"}),
            ),
        ] {
            let now = |state| [answer(state, Some(now.clone()))];
            assert_eq!(
                verdict(&learned, &now(AnswerState::Indicated)),
                Verdict::Broken,
                "{learned}"
            );
            for state in [AnswerState::Seen, AnswerState::Unstable] {
                let undecided = Verdict::Undecided(Reason::AnswerNotConfirmed);
                assert_eq!(verdict(&learned, &now(state)), undecided, "{learned}");
            }
        }
    }

    #[test]
    fn a_minority_that_differs_decides_where_one_response_does() {
        let with = |learned: Value, other: Value| {
            let dissent = Dissent {
                claim: serde_json::from_value(other).unwrap(),
                count: 1,
            };
            let now = Answer {
                observations: ObservationCounts {
                    supporting: 9,
                    against: 1,
                    void: 0,
                },
                dissent: vec![dissent],
                ..answer(AnswerState::Unstable, Some(learned.clone()))
            };
            verdict(&learned, &[now])
        };
        assert_eq!(with(json!({"status": 201}), json!({"status": 200})), Verdict::Broken);
        let undecided = Verdict::Undecided(Reason::AnswerNotConfirmed);
        assert_eq!(with(json!({"set": "open"}), json!({"set": "closed"})), undecided);
    }

    #[test]
    fn trials_that_fit_no_claim_contradict_what_says_that_something_is_accepted() {
        let unfitting = |against| Answer {
            observations: ObservationCounts {
                against,
                ..ObservationCounts::default()
            },
            reason: Some(WhyUnanswered::Inconclusive),
            ..answer(AnswerState::CannotTell, None)
        };
        let undecided = Verdict::Undecided(Reason::GapNotAnswered(WhyUnanswered::Inconclusive));
        for learned in [
            json!({"unsent": "kept"}),
            json!({"set": "open"}),
            json!({"unknown": "ignored"}),
            json!({"accepted": ["iso-date"], "answered": "iso-date"}),
        ] {
            assert_eq!(verdict(&learned, &[unfitting(4)]), Verdict::Broken, "{learned}");
            assert_eq!(verdict(&learned, &[unfitting(3)]), undecided, "{learned}");
        }
        for learned in [
            json!({"set": "closed"}),
            json!({"unknown": "refused"}),
            json!({"answered": "iso-date"}),
            json!({"beyond": "empty", "status": 200}),
        ] {
            assert_eq!(verdict(&learned, &[unfitting(4)]), undecided, "{learned}");
        }
    }

    #[test]
    fn what_was_not_seen_again_is_undecided() {
        let unanswered = Verdict::Undecided(Reason::NotShown);
        let learned = json!({"status": 201});
        assert_eq!(verdict(&learned, &[]), unanswered);
        let because = |reason| Answer {
            reason: Some(reason),
            ..answer(AnswerState::CannotTell, None)
        };
        assert_eq!(verdict(&learned, &[because(WhyUnanswered::NeedsWrites)]), unanswered);
        let refused = Verdict::Undecided(Reason::GapNotAnswered(WhyUnanswered::Rejected));
        assert_eq!(verdict(&learned, &[because(WhyUnanswered::Rejected)]), refused);
        let elsewhere = Answer {
            location: Some("/paths/~1organization~1v1~1venues/get/responses/2XX".to_owned()),
            ..answer(AnswerState::Seen, Some(json!({"status": 200})))
        };
        assert_eq!(verdict(&learned, &[elsewhere]), unanswered);
        let other = answer(
            AnswerState::Seen,
            Some(json!({"condition": "unknown-record", "status": 404})),
        );
        let learned = json!({"condition": "no-credential", "status": 401});
        assert_eq!(verdict(&learned, &[other]), unanswered);
    }

    #[test]
    fn what_does_not_contradict_an_answer_leaves_it_undecided() {
        for (learned, now) in [
            (json!({"null": true}), json!({"null": false})),
            (json!({"after_ms": [20, 130]}), json!({"after_ms": [20, 140]})),
            (json!({"after_ms": [20, 130]}), json!({"after_ms": [0, 20]})),
            (
                json!({"limited": false, "at_least_per_second": 20}),
                json!({"limited": false, "at_least_per_second": 19}),
            ),
            (
                json!({"limited": false, "at_least_per_second": 20}),
                json!({"limited": true}),
            ),
            (
                json!({"limited": true}),
                json!({"limited": false, "at_least_per_second": 90}),
            ),
            (json!({"status": 201}), json!({"per_page": 20})),
            (
                json!({"accepted": ["iso-date"], "answered": "iso-date"}),
                json!({"answered": "iso-date"}),
            ),
        ] {
            let verdict = verdict(&learned, &[answer(AnswerState::Seen, Some(now))]);
            assert_eq!(verdict, Verdict::Undecided(Reason::AnswerNotConfirmed), "{learned}");
        }
    }

    #[test]
    fn compression_contradicts_no_answer() {
        let sent = |sent| Claim::HeaderSent { sent };
        let compression = Some(GapKind::Compression);
        for (now, learned) in [(true, false), (false, true)] {
            assert!(!contradicts(&sent(now), &sent(learned), compression));
            assert!(contradicts(&sent(now), &sent(learned), Some(GapKind::Challenge)));
        }
    }

    #[test]
    fn what_speaks_against_every_claim_leaves_an_answer_undecided() {
        let learned = json!({"per_page": 10});
        let now = Answer {
            observations: ObservationCounts {
                supporting: 9,
                against: 1,
                void: 0,
            },
            ..answer(AnswerState::Unstable, Some(learned.clone()))
        };
        assert_eq!(
            verdict(&learned, &[now]),
            Verdict::Undecided(Reason::AnswerNotConfirmed)
        );
    }

    #[test]
    fn the_fields_of_a_body_take_trials_and_its_form_does_not() {
        let learned = json!({"body": "object", "properties": ["id", "name"]});
        let fewer = |state| [answer(state, Some(json!({"body": "object", "properties": ["id"]})))];
        let undecided = Verdict::Undecided(Reason::AnswerNotConfirmed);
        assert_eq!(verdict(&learned, &fewer(AnswerState::Seen)), undecided);
        assert_eq!(verdict(&learned, &fewer(AnswerState::Indicated)), Verdict::Broken);
    }
}
