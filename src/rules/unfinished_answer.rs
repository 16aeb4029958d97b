//! `unfinished-answer`: a documented request gets no complete response. *Answer* in the rule's name is an HTTP
//! response, not what is known about a gap.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::exchange::{Failure, Purpose};

pub(super) static RULE: Rule = Rule {
    name: "unfinished-answer",
    level: Level::Deny,
    headline: Headline::Operation("does not complete a response", "do not complete a response"),
    topic: Topic::Responses,
    summary: "A documented request, and each edge case, gets a complete response within the deadline and the size \
              limit.",
    explanation: "One deadline (timeout) covers connecting, head, body and decoding; a body may have up to 8 MiB after \
                  decoding. A response that is cut off, endless or not HTTP does not count as one: the caller waits \
                  in vain.",
    exceptions: "A response that may be a stream, as its documented media types say (`text/event-stream`, \
                 `application/x-ndjson`): it ends when the service has nothing more to say. Requests with a \
                 credential that must be rejected, equivalent requests, and the reads that look for residue. A \
                 connection that may have been idle and that the service closes before the head of a response is \
                 complete: it may do so at any time, and a write is not sent again. A target that cannot be reached \
                 at all: then nothing is judged, and the run reports that.",
    fix: "Respond within the deadline, end the body at its stated length, and return at most 8 MiB at once, for \
          example in pages. For a service that is slow by design, set a longer timeout.",
    source: "RFC 9112, section 8: an incomplete message is not a response",
    example: Example {
        fact: "getTags response: complete",
        documented: "complete",
        received: "the connection ended before the response was complete",
        pointer: "",
        #[cfg(test)]
        judged: || crate::rules::testing::Fixture::of("getTags").unanswered(),
    },
    judge: Judging::AnyExchange(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let kind = match seen.intent.purpose {
        Purpose::Documented(_) => FactKind::CompleteResponse,
        Purpose::ResidueLook | Purpose::EquivalentRequest | Purpose::MustBeRejected { .. } | Purpose::Trial(_) => {
            return;
        }
        Purpose::EdgeCase(_) => FactKind::EdgeCaseCompleteResponse,
    };
    let Some(fact) = sink.contract.fact_of(seen.id, kind) else {
        return;
    };
    match seen.outcome() {
        Ok(_) => sink.held(fact),
        Err(Failure::ClosedWhenIdle) => sink.undecided(fact, Reason::ClosedWhenIdle),
        Err(_) if seen.operation.may_stream() => sink.undecided(fact, Reason::NoResponse),
        Err(failure) => sink.broken(fact, String::new, || match seen.edge_case() {
            None => failure.to_string(),
            Some(edge_case) => format!("{failure}; that was to {}", edge_case.describe(seen.operation)),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::vocabulary::EdgeCaseKind;
    use crate::exchange::RejectionMeaning;
    use crate::rules::Verdict;
    use crate::rules::testing::Fixture;

    #[test]
    fn any_complete_response_holds() {
        for status in [200, 404, 500] {
            assert_eq!(
                Fixture::of("getTags").status(status).kind(FactKind::CompleteResponse),
                Verdict::Held
            );
        }
    }

    #[test]
    fn a_response_that_ends_early_breaks_it() {
        let judged = Fixture::of("getTags").unanswered();
        assert_eq!(judged.kind(FactKind::CompleteResponse), Verdict::Broken);
        assert_eq!(
            judged.received("unfinished-answer"),
            "the connection ended before the response was complete"
        );
    }

    #[test]
    fn a_connection_that_is_closed_when_it_may_be_idle_decides_nothing() {
        let judged = Fixture::of("createTag").fails_with(Failure::ClosedWhenIdle);
        assert_eq!(
            judged.kind(FactKind::CompleteResponse),
            Verdict::Undecided(Reason::ClosedWhenIdle)
        );
        assert!(judged.verdicts.findings().is_empty());
    }

    #[test]
    fn a_probe_that_is_cut_off_decides_nothing() {
        let probe = Purpose::MustBeRejected {
            fact: FactKind::RejectsNoCredential,
            meaning_of_another_rejection: RejectionMeaning::Finding,
        };
        let judged = Fixture::of("getTags").purpose(probe).unanswered();
        assert_eq!(
            judged.kind(FactKind::CompleteResponse),
            Verdict::Undecided(Reason::NotShown)
        );
        assert!(judged.verdicts.findings().is_empty());
    }

    #[test]
    fn the_finding_points_at_the_documented_responses() {
        let judged = Fixture::of("getTags").unanswered();
        let responses = "/paths/~1organization~1v1~1tags/get/responses";
        assert_eq!(judged.locations("unfinished-answer"), ("", responses));
    }

    #[test]
    fn any_complete_response_to_an_edge_case_holds() {
        for status in [200, 401, 404, 429, 500] {
            let judged = Fixture::of("createTag")
                .edge_case(EdgeCaseKind::BodyEmpty)
                .status(status);
            assert_eq!(
                judged.kind(FactKind::EdgeCaseCompleteResponse),
                Verdict::Held,
                "{status}"
            );
            assert_eq!(
                judged.kind(FactKind::CompleteResponse),
                Verdict::Undecided(Reason::NotShown)
            );
        }
    }

    #[test]
    fn an_edge_case_without_a_complete_response_breaks_the_invariant_and_says_which() {
        let judged = Fixture::of("createTag").edge_case(EdgeCaseKind::BodyEmpty).unanswered();
        assert_eq!(judged.kind(FactKind::EdgeCaseCompleteResponse), Verdict::Broken);
        assert_eq!(
            judged.kind(FactKind::CompleteResponse),
            Verdict::Undecided(Reason::NotShown)
        );
        assert_eq!(
            judged.received("unfinished-answer"),
            "the connection ended before the response was complete; that was to a body that is empty"
        );
        assert_eq!(judged.locations("unfinished-answer"), ("", "/x-edge-cases"));
    }
}
