//! `server-error`: a request gets a 5xx.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::verdict::{Reason, Sink};
use crate::contract::edge_case::EdgeCase;
use crate::contract::fact::FactKind;
use crate::exchange::Credential;

pub(super) static RULE: Rule = Rule {
    name: "server-error",
    level: Level::Deny,
    headline: Headline::Operation("fails with a 5xx", "fail with a 5xx"),
    topic: Topic::Responses,
    summary: "No request gets a 5xx, edge cases included; a 503 counts if it persists.",
    explanation: "A 5xx means that the service failed, whatever was sent. A request that gets a 429 or 503 \
                  is sent again a few times, as Retry-After asks, but not if a 429 asks for more than a minute; the \
                  last response counts.",
    exceptions: "A 501 or above that the document lists by itself. A 503 that went away, and a 503 to a request that \
                 is sent only once: one with a wrong token, and a create that must be rejected or is an edge case. \
                 Any other response to an edge case.",
    fix: "Run the command that reproduces it, then look the request up in the service's log.",
    source: "RFC 9110, section 15.6: a 5xx says that the server erred",
    example: Example {
        fact: "getTags status: no 5xx",
        documented: "no 5xx",
        received: "500",
        pointer: "",
        #[cfg(test)]
        judged: || crate::rules::testing::Fixture::of("getTags").status(500),
    },
    judge: Judging::AnyExchange(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    if let Some(edge_case) = seen.edge_case() {
        return judge_edge_case(seen, edge_case, sink);
    }
    let Some(fact) = sink.contract.fact_of(seen.id, FactKind::NoServerError) else {
        return;
    };
    let once = is_sent_once(seen);
    match seen.outcome() {
        Err(_) => sink.undecided(fact, Reason::NoResponse),
        Ok(response) if response.status == 503 && once => sink.undecided(fact, Reason::ThrottledNotRepeated),
        Ok(response) if is_documented(seen, response.status) => {
            sink.undecided(fact, Reason::Documented(response.status));
        }
        Ok(response) if response.status >= 500 => sink.status_broken(fact, response),
        Ok(_) => sink.held(fact),
    }
}

/// Whether the document lists this 5xx by its own number, as for a dependency that does not work or a function that
/// does not exist. A 500 is a failure even if the document lists it.
fn is_documented(seen: &ExchangeSeen<'_>, status: u16) -> bool {
    status > 500 && seen.operation.response_of_exactly(status).is_some()
}

/// Returns whether a request is not sent again, so that it stays unknown whether its 503 would have persisted: a wrong
/// token is sent once, and a create may have been stored. A documented create is followed by further creates, and the
/// fact is judged by the last of them.
fn is_sent_once(seen: &ExchangeSeen<'_>) -> bool {
    let request = &seen.exchange.request;
    matches!(request.credential, Credential::Wrong { .. })
        || (seen.operation.may_store() && !seen.intent.is_documented())
}

/// Judges the response to an edge case. A response that rejects the credential or throttles the request shows nothing
/// about the edge case.
fn judge_edge_case(seen: &ExchangeSeen<'_>, edge_case: EdgeCase, sink: &mut Sink<'_>) {
    let Some(fact) = sink.contract.fact_of(seen.id, FactKind::EdgeCaseNoServerError) else {
        return;
    };
    match seen.outcome().map(|response| response.status) {
        Err(_) => sink.undecided(fact, Reason::NoResponse),
        Ok(429) => sink.undecided(fact, Reason::Throttled),
        Ok(503) if is_sent_once(seen) => sink.undecided(fact, Reason::ThrottledNotRepeated),
        Ok(status @ (401 | 403)) => {
            sink.undecided(
                fact,
                Reason::for_documented_request(status, &seen.exchange.request.credential),
            );
        }
        Ok(status) if is_documented(seen, status) => sink.undecided(fact, Reason::Documented(status)),
        Ok(status) if status >= 500 => {
            sink.broken(fact, String::new, || {
                format!("{status} in response to {}", edge_case.describe(seen.operation))
            });
        }
        Ok(_) => sink.held(fact),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::vocabulary::EdgeCaseKind;
    use crate::exchange::{Intent, Purpose, RejectionMeaning};
    use crate::rules::Verdict;
    use crate::rules::testing::Fixture;

    #[test]
    fn any_other_status_holds() {
        for status in [200, 302, 404, 429] {
            let judged = Fixture::of("getTags").status(status);
            assert_eq!(judged.kind(FactKind::NoServerError), Verdict::Held, "{status}");
        }
    }

    #[test]
    fn a_status_above_500_that_the_document_lists_is_left_open() {
        let document = |listed: &str| {
            format!(
                "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n  /ready:\n    get: {{operationId: ready, responses: \
                 {{'200': {{description: a}}, {listed}: {{description: b}}}}}}\n"
            )
        };
        for (listed, status, verdict) in [
            ("'503'", 503, Verdict::Undecided(Reason::Documented(503))),
            ("'501'", 501, Verdict::Undecided(Reason::Documented(501))),
            ("'503'", 502, Verdict::Broken),
            ("'500'", 500, Verdict::Broken),
            ("'5XX'", 503, Verdict::Broken),
            ("default", 503, Verdict::Broken),
        ] {
            let judged = Fixture::text(&document(listed), "ready").status(status);
            assert_eq!(judged.kind(FactKind::NoServerError), verdict, "{listed} {status}");
        }
    }

    #[test]
    fn a_5xx_breaks_it_whatever_was_sent() {
        let probe = Purpose::MustBeRejected {
            fact: FactKind::RejectsNoCredential,
            meaning_of_another_rejection: RejectionMeaning::Finding,
        };
        for fixture in [Fixture::of("getTags"), Fixture::of("getTags").purpose(probe)] {
            for status in [500, 501, 503, 599] {
                let judged = fixture.status(status);
                assert_eq!(judged.kind(FactKind::NoServerError), Verdict::Broken, "{status}");
            }
        }
    }

    #[test]
    fn a_503_that_went_away_counts_for_nothing() {
        let fixture = Fixture::of("getTags");
        let sent_again = Intent {
            is_superseded: true,
            ..fixture.intent()
        };
        let judged = fixture.judge(|judge| drop(judge.exchange(&fixture.exchange(503, None, ""), sent_again)));
        assert_eq!(
            judged.kind(FactKind::NoServerError),
            Verdict::Undecided(Reason::NotShown)
        );
    }

    #[test]
    fn without_a_response_nothing_is_decided() {
        let judged = Fixture::of("getTags").unanswered();
        assert_eq!(
            judged.kind(FactKind::NoServerError),
            Verdict::Undecided(Reason::NoResponse)
        );
    }

    #[test]
    fn the_finding_points_at_the_documented_responses() {
        let judged = Fixture::of("getTags").status(500);
        let responses = "/paths/~1organization~1v1~1tags/get/responses";
        assert_eq!(judged.locations("server-error"), ("", responses));
        assert_eq!(judged.received("server-error"), "500");
    }

    #[test]
    fn an_edge_case_may_get_anything_but_a_5xx() {
        for status in [200, 201, 302, 400, 404, 413, 414, 422, 431] {
            let judged = Fixture::of("getTags")
                .edge_case(EdgeCaseKind::ParameterHuge)
                .status(status);
            assert_eq!(judged.kind(FactKind::EdgeCaseNoServerError), Verdict::Held, "{status}");
        }
        for status in [500, 501, 503, 599] {
            let judged = Fixture::of("getTags")
                .edge_case(EdgeCaseKind::ParameterHuge)
                .status(status);
            assert_eq!(
                judged.kind(FactKind::EdgeCaseNoServerError),
                Verdict::Broken,
                "{status}"
            );
            assert_eq!(
                judged.kind(FactKind::NoServerError),
                Verdict::Undecided(Reason::NotShown),
                "{status}"
            );
        }
    }

    #[test]
    fn an_edge_case_that_was_not_let_in_or_not_answered_decides_nothing() {
        for (status, reason) in [
            (401, Reason::TokenRejected(401)),
            (403, Reason::TokenRejected(403)),
            (429, Reason::Throttled),
        ] {
            let judged = Fixture::of("getTags")
                .edge_case(EdgeCaseKind::ParameterZero)
                .status(status);
            assert_eq!(judged.kind(FactKind::EdgeCaseNoServerError), Verdict::Undecided(reason));
        }
        let judged = Fixture::of("getTags")
            .edge_case(EdgeCaseKind::ParameterZero)
            .unanswered();
        assert_eq!(
            judged.kind(FactKind::EdgeCaseNoServerError),
            Verdict::Undecided(Reason::NoResponse)
        );
    }

    #[test]
    fn a_contract_without_x_edge_cases_has_no_edge_cases() {
        let judged = Fixture::responses("'200': {description: Things}").status(500);
        assert!(judged.contract.operation(judged.operation).edge_cases.is_empty());
        assert!(
            judged
                .contract
                .fact_of(judged.operation, FactKind::EdgeCaseNoServerError)
                .is_none()
        );
    }

    #[test]
    fn the_finding_of_an_edge_case_names_it_and_points_at_x_edge_cases() {
        for (operation, kind, received) in [
            (
                "getTags",
                EdgeCaseKind::ParameterNegative,
                "500 in response to `page` -1",
            ),
            (
                "createTag",
                EdgeCaseKind::BodyDeep,
                "500 in response to a body of 1,000 levels",
            ),
            (
                "updateContact",
                EdgeCaseKind::IdentifierUnknown,
                "500 in response to an unknown `id`",
            ),
        ] {
            let judged = Fixture::of(operation).edge_case(kind).status(500);
            assert_eq!(judged.received("server-error"), received);
            assert_eq!(judged.locations("server-error"), ("", "/x-edge-cases"));
        }
    }
}
