//! `status`: a documented request gets a status other than the documented one.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::traffic_reason::TrafficReason;
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::contract::operation::{Operation, StatusPattern};
use crate::exchange::{Purpose, RejectionMeaning};

pub(super) static RULE: Rule = Rule {
    name: "status",
    level: Level::Deny,
    headline: Headline::Operation("returns an undocumented status", "return an undocumented status"),
    topic: Topic::Responses,
    summary: "A documented request gets a documented status.",
    explanation: "According to the document, Create tag returns 201 and every other operation some 2xx. A request as \
                  documented must succeed: 404, 405 or 501 for a documented operation, or a success status other than \
                  the documented one, breaks what callers rely on.",
    exceptions: "A rejection (400, 409, 422) of a request with something that the document leaves open, such as a \
                 field whose allowed values are not shown, and if the document lists no error of the operation, also \
                 with 402, 413, 418, 423 or 451; with 404, 410 or 412, if the document has no link to the record that \
                 the request names. 401 and 403, which are about the token; 429; a 5xx, which is \
                 `server-error`. Every other status that the contract documents, and a 4xx that its `default` covers.",
    fix: "Return the documented status, or document the one that is returned.",
    source: "The document, sections \"Endpoints\" and \"Gaps in the endpoint definitions\"",
    example: Example {
        fact: "createTag status: 201",
        documented: "201",
        received: "200",
        pointer: "",
        #[cfg(test)]
        judged: || crate::rules::testing::Fixture::of("createTag").status(200),
    },
    judge: Judging::ExchangeExceptEdgeCases(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let Purpose::Documented(on_rejection) = seen.intent.purpose else {
        return;
    };
    let Some(fact) = sink.contract.fact_of(seen.id, FactKind::Status) else {
        return;
    };
    let Ok(response) = seen.outcome() else {
        return sink.undecided(fact, Reason::NoResponse);
    };
    // A `default` response documents the errors that a caller causes, and no other success.
    let documented = seen
        .documented
        .is_some_and(|documented| documented.status != StatusPattern::Default || (400..500).contains(&response.status));
    match response.status {
        status if seen.operation.succeeds_with(status) => sink.held(fact),
        429 => sink.undecided(fact, Reason::Throttled),
        status @ (401 | 403 | 500..) => {
            sink.undecided(
                fact,
                Reason::for_documented_request(status, &seen.exchange.request.credential),
            );
        }
        status if rejects(seen.operation, status, on_rejection) => {
            sink.undecided(fact, rejection_reason(status, on_rejection));
        }
        status if documented => sink.undecided(fact, Reason::Documented(status)),
        _ => sink.status_broken(fact, response),
    }
}

/// Statuses for conditions that a document may be silent about: a quota (402), a limit of size (413), a filter of contents
/// (418, 451), a lock (423).
const OTHER_CONDITIONS: [u16; 5] = [402, 413, 418, 423, 451];

/// Returns whether this status means no more than that something in the request was rejected.
fn rejects(operation: &Operation, status: u16, on_rejection: RejectionMeaning) -> bool {
    let documents_errors = || {
        let mut responses = operation.responses.iter();
        let is_of_caller =
            |pattern: StatusPattern| (400..500).any(|status| pattern.rank(status).is_some_and(|rank| rank < 2));
        responses.any(|documented| is_of_caller(documented.status))
    };
    match on_rejection {
        // Something in the request is left open by the document, so the service may be right.
        RejectionMeaning::Gap => {
            RejectionMeaning::rejects_as_invalid_or_conflicting(status)
                || OTHER_CONDITIONS.contains(&status) && !documents_errors()
        }
        RejectionMeaning::Finding => false,
        RejectionMeaning::UncertainValue => {
            RejectionMeaning::rejects_as_invalid_or_conflicting(status) || matches!(status, 404 | 410 | 412)
        }
        RejectionMeaning::OtherClient => (400..500).contains(&status),
    }
}

/// Returns why a rejected request decides nothing.
fn rejection_reason(status: u16, on_rejection: RejectionMeaning) -> Reason {
    match on_rejection {
        RejectionMeaning::UncertainValue => Reason::RejectedUncertainValue(status),
        RejectionMeaning::OtherClient => Reason::Traffic(TrafficReason::Rejected(status)),
        RejectionMeaning::Gap | RejectionMeaning::Finding => Reason::Rejected(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Verdict;
    use crate::rules::testing::Fixture;

    const STATUSES: [u16; 23] = [
        200, 201, 204, 302, 400, 401, 402, 403, 404, 405, 406, 409, 410, 412, 413, 415, 418, 422, 423, 429, 451, 500,
        501,
    ];

    fn judged(operation: &str, on_rejection: RejectionMeaning, status: u16) -> Verdict {
        Fixture::of(operation)
            .on_rejection(on_rejection)
            .status(status)
            .kind(FactKind::Status)
    }

    /// The verdict that a status of `getTags` gets, whatever a rejection means; `None` where it depends on that.
    fn expected(status: u16) -> Option<Verdict> {
        Some(match status {
            200..=299 => Verdict::Held,
            401 | 403 => Verdict::Undecided(Reason::TokenRejected(status)),
            429 => Verdict::Undecided(Reason::Throttled),
            500.. => Verdict::Undecided(Reason::Failed(status)),
            _ => return None,
        })
    }

    #[test]
    fn each_meaning_of_a_rejection_excuses_its_own_rejections_and_no_others() {
        for (on_rejection, excused) in [
            (RejectionMeaning::Finding, &[][..]),
            (RejectionMeaning::Gap, &[400, 402, 409, 413, 418, 422, 423, 451]),
            (RejectionMeaning::UncertainValue, &[400, 404, 409, 410, 412, 422]),
        ] {
            for status in STATUSES {
                let rejected = || {
                    excused
                        .contains(&status)
                        .then(|| Verdict::Undecided(rejection_reason(status, on_rejection)))
                };
                let expected = expected(status).or_else(rejected).unwrap_or(Verdict::Broken);
                assert_eq!(
                    judged("getTags", on_rejection, status),
                    expected,
                    "{on_rejection:?} {status}"
                );
            }
        }
    }

    /// Where the document lists the errors of an operation, a quota is none of them.
    #[test]
    fn a_condition_of_its_own_is_excused_only_where_no_error_is_listed() {
        for status in OTHER_CONDITIONS {
            let of = |operation| judged(operation, RejectionMeaning::Gap, status);
            assert_eq!(of("createContact"), Verdict::Undecided(Reason::Rejected(status)));
            assert_eq!(of("createTag"), Verdict::Broken, "{status}");
        }
    }

    #[test]
    fn create_tag_answers_201_and_no_other_success() {
        for (status, verdict) in [
            (201, Verdict::Held),
            (200, Verdict::Broken),
            (202, Verdict::Broken),
            (204, Verdict::Broken),
            (422, Verdict::Undecided(Reason::Documented(422))),
            (400, Verdict::Broken),
        ] {
            assert_eq!(
                judged("createTag", RejectionMeaning::Finding, status),
                verdict,
                "{status}"
            );
        }
    }

    #[test]
    fn a_status_that_the_contract_documents_is_no_finding() {
        let fixture =
            Fixture::responses("'200': {description: Things}\n'304': {description: Same}\n'404': {description: None}");
        for status in [304, 404] {
            let judged = fixture.status(status);
            assert_eq!(
                judged.kind(FactKind::Status),
                Verdict::Undecided(Reason::Documented(status))
            );
        }
        assert_eq!(fixture.status(302).kind(FactKind::Status), Verdict::Broken);
    }

    #[test]
    fn a_rejection_of_a_request_without_a_token_is_none_of_the_token() {
        let judged = Fixture::responses("'200': {description: Things}").status(401);
        assert_eq!(
            judged.kind(FactKind::Status),
            Verdict::Undecided(Reason::NoTokenSent(401))
        );
    }

    #[test]
    fn a_default_response_documents_every_4xx_and_nothing_else() {
        let fixture = Fixture::responses("'200': {description: Things}\ndefault: {description: Error}");
        for status in [400, 404, 405, 422] {
            let verdict = fixture.status(status).kind(FactKind::Status);
            assert_eq!(verdict, Verdict::Undecided(Reason::Documented(status)));
        }
        for status in [201, 204, 302, 304] {
            let verdict = fixture.status(status).kind(FactKind::Status);
            assert_eq!(verdict, Verdict::Broken, "{status}");
        }
    }

    #[test]
    fn a_probe_or_a_missing_response_decides_nothing() {
        let probe = Purpose::MustBeRejected {
            fact: FactKind::RejectsNoCredential,
            meaning_of_another_rejection: RejectionMeaning::Finding,
        };
        let judged = Fixture::of("getTags").purpose(probe).status(404);
        assert_eq!(judged.kind(FactKind::Status), Verdict::Undecided(Reason::NotShown));
        let judged = Fixture::of("getTags").unanswered();
        assert_eq!(judged.kind(FactKind::Status), Verdict::Undecided(Reason::NoResponse));
    }

    #[test]
    fn the_finding_points_at_the_documented_success() {
        let judged = Fixture::of("createTag").status(200);
        let responses = "/paths/~1organization~1v1~1tags/post/responses";
        assert_eq!(judged.locations("status"), ("", format!("{responses}/201").as_str()));
        assert_eq!(judged.received("status"), "200");
    }
}
