//! `equivalent-request`: a request is rejected that differs from an accepted one only in its spelling.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::history::evidence::EquivalenceOutcome;

pub(super) static RULE: Rule = Rule {
    name: "equivalent-request",
    level: Level::Warn,
    headline: Headline::Operation("rejects an equivalent request", "reject an equivalent request"),
    topic: Topic::Invariants,
    summary: "An equivalent request, which RFCs define as the same, is accepted as the plain one is.",
    explanation: "A read, and an update of a record that the run created, are written as another client might write \
                  them: the scheme in lower case, a charset in the media type, JSON with escapes, in another order and \
                  with white space, a UUID in upper case. One request combines all of these. If it is rejected, the \
                  plain request is sent, and then each spelling alone. Where the plain request is accepted and another \
                  spelling is not, callers are turned away because of how their library writes requests.",
    exceptions: "A rejection while the plain request is rejected too: it has another cause. A 429 or a 503, which \
                   asks the caller to wait. The effect of an accepted request.",
    fix: "Parse the request with a library that follows the RFC named in the finding.",
    source: "RFC 9110, sections 8.3.1 and 11.1; RFC 8259, sections 2, 4, 7 and 11; RFC 9562, section 4; the contract's \
             `x-equivalent`",
    example: Example {
        fact: "updateContact equivalent request: JSON with escapes",
        documented: "accepted as the plain request is (RFC 8259, section 7)",
        received: "400",
        pointer: "",
        #[cfg(test)]
        judged: || {
            tests::tried(
                "updateContact",
                crate::contract::vocabulary::Equivalence::JsonEscapes,
                (Some(400), true),
            )
        },
    },
    judge: Judging::Equivalent(judge),
};

fn judge(tried: &EquivalenceOutcome, sink: &mut Sink<'_>) {
    let Some(fact) = sink
        .contract
        .fact_of(tried.operation, FactKind::Equivalent(tried.equivalence))
    else {
        return;
    };
    match tried.status {
        None => sink.undecided(fact, Reason::NoResponse),
        Some(status) if sink.contract.operation(tried.operation).succeeds_with(status) => sink.held(fact),
        Some(429 | 503) => sink.undecided(fact, Reason::Throttled),
        Some(status @ 400..) if tried.plain_accepted => {
            let documented = format!("accepted as the plain request is ({})", tried.equivalence.source());
            sink.response_broken(fact, &documented, || status.to_string());
        }
        Some(status) => {
            let reason = Reason::for_request_with_something_open(status, &sink.source.request.credential);
            sink.undecided(fact, reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::operation::SecurityScheme;
    use crate::contract::vocabulary::Equivalence;
    use crate::exchange::Credential;
    use crate::rules::Verdict;
    use crate::rules::testing::{Fixture, Judged};

    pub(super) fn tried(
        operation: &str,
        equivalence: Equivalence,
        (status, plain_accepted): (Option<u16>, bool),
    ) -> Judged {
        let fixture = Fixture::of(operation);
        let tried = EquivalenceOutcome {
            operation: fixture.operation,
            equivalence,
            status,
            plain_accepted,
        };
        let exchange = fixture.exchange(status.unwrap_or(200), None, "");
        fixture.judge(|judge| judge.equivalent(&tried, &exchange))
    }

    fn verdict(status: Option<u16>, plain_accepted: bool) -> Verdict {
        let judged = tried("updateContact", Equivalence::JsonOrder, (status, plain_accepted));
        judged.kind(FactKind::Equivalent(Equivalence::JsonOrder))
    }

    #[test]
    fn what_is_accepted_holds() {
        for status in [200, 204] {
            assert_eq!(verdict(Some(status), false), Verdict::Held, "{status}");
        }
    }

    #[test]
    fn a_rejection_of_what_is_accepted_plainly_is_reported_with_the_section() {
        for (operation, equivalence, section) in [
            ("getContacts", Equivalence::SchemeCase, "RFC 9110, section 11.1"),
            ("updateContact", Equivalence::MediaTypeCharset, "RFC 8259, section 11"),
            ("updateContact", Equivalence::IdentifierCase, "RFC 9562, section 4"),
        ] {
            for status in [400, 401, 404, 415, 422, 500] {
                let judged = tried(operation, equivalence, (Some(status), true));
                assert_eq!(judged.kind(FactKind::Equivalent(equivalence)), Verdict::Broken);
                let finding = judged.finding("equivalent-request");
                assert_eq!(
                    (finding.level, finding.received.as_str()),
                    (Level::Warn, status.to_string().as_str())
                );
                assert!(
                    finding.documented.as_deref().unwrap().contains(section),
                    "{equivalence:?}"
                );
            }
        }
    }

    #[test]
    fn what_may_be_about_something_else_decides_nothing() {
        for (status, plain_accepted, reason) in [
            (None, true, Reason::NoResponse),
            (Some(429), true, Reason::Throttled),
            (Some(503), true, Reason::Throttled),
            (Some(422), false, Reason::Rejected(422)),
            (Some(302), true, Reason::OtherStatus(302)),
            (
                Some(404),
                false,
                Reason::for_request_with_something_open(
                    404,
                    &Credential::Token {
                        scheme: SecurityScheme::Bearer,
                    },
                ),
            ),
        ] {
            assert_eq!(
                verdict(status, plain_accepted),
                Verdict::Undecided(reason),
                "{status:?}"
            );
        }
    }

    #[test]
    fn an_equivalence_of_another_operation_is_left_alone() {
        let reported = tried("getTags", Equivalence::SchemeCase, (Some(400), true));
        assert!(reported.verdicts.findings().is_empty());
    }

    #[test]
    fn the_finding_points_at_the_equivalence() {
        let reported = tried("getContacts", Equivalence::SchemeCase, (Some(401), true));
        assert_eq!(reported.locations("equivalent-request"), ("", "/x-equivalent/0"));
    }
}
