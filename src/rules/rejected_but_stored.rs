//! `rejected-but-stored`: a write was rejected, and carried out all the same.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::Sink;
use crate::contract::fact::FactKind;
use crate::history::evidence::StoredDespiteRejection;

pub(super) static RULE: Rule = Rule {
    name: "rejected-but-stored",
    level: Level::Deny,
    headline: Headline::Operation(
        "carries out a write that it rejected",
        "carry out a write that they rejected",
    ),
    topic: Topic::Invariants,
    summary: "A rejected create leaves no record, and a rejected update changes none.",
    explanation: "The lists of a run are searched for the run tag, which nobody else writes: at the end, and after the \
                  writes with a wrong credential. A record that is listed although its create was rejected was stored \
                  and reported as failed: a caller that sends it again, as a rejection invites, stores it twice. A \
                  record that shows what a rejected update sent was changed although the caller was told that it was \
                  not; with a wrong credential, by somebody who may not change it.",
    exceptions: "Writes whose response leaves open whether they were stored: a redirect, a 5xx, a 4xx that an \
                 intermediary may send (such as 408, 425, 429 or 451), or no response. They are reported as what the \
                 run may have left. Records on pages of a list that were not seen.",
    fix: "Store the record only after every check that can reject it, or respond that it was created.",
    source: "The document, section \"Authentication\"; RFC 9110, section 15.5: a 4xx says that the request could not \
             be carried out",
    example: Example {
        fact: "createTag status: 201",
        documented: "a rejected create leaves no record",
        received: "422, but the record is listed",
        pointer: "/data/items/0",
        #[cfg(test)]
        judged: || {
            let fixture = crate::rules::testing::Fixture::of("createTag");
            let pointer = crate::contract::pointer::element("/data/items", 0);
            let stored = StoredDespiteRejection {
                operation: fixture.operation,
                rejection: crate::history::evidence::Rejection {
                    status: 422,
                    credential_fact: None,
                },
                pointer: &pointer,
            };
            fixture.judge(|judge| judge.stored_despite_rejection(&stored, &fixture.request()))
        },
    },
    judge: Judging::StoredDespiteRejection(judge),
};

fn judge(stored: &StoredDespiteRejection<'_>, sink: &mut Sink<'_>) {
    // `lifecycle` and `auth` report what is only inferred.
    if sink.contract.lifecycle_of(stored.operation).is_some() {
        return;
    }
    if let Some(fact) = sink.contract.fact_of(stored.operation, FactKind::Status) {
        let updates = sink.contract.operation(stored.operation).invariants.updated.is_some();
        let (documented, shown) = if updates {
            ("a rejected update changes nothing", "its record shows what it sent")
        } else {
            ("a rejected create leaves no record", "the record is listed")
        };
        let received = || format!("{}, but {shown}", stored.rejection.status);
        sink.report_finding(fact, Some(documented), || stored.pointer.to_owned(), received);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::Fixture;

    #[test]
    fn a_rejected_but_stored_write_is_reported_where_the_record_stands_and_at_the_status_of_its_create() {
        let reported = (RULE.example.judged)();
        assert_eq!(reported.finding(RULE.name).level, Level::Deny);
        let status = "/paths/~1organization~1v1~1tags/post/responses";
        let (response, contract) = reported.locations(RULE.name);
        assert_eq!(response, "/data/items/0");
        assert!(contract.starts_with(status), "{contract}");
    }

    #[test]
    fn a_rejected_update_that_was_done_is_reported_in_words_of_its_own() {
        let fixture = Fixture::of("updateContact");
        let stored = StoredDespiteRejection {
            operation: fixture.operation,
            rejection: crate::history::evidence::Rejection {
                status: 401,
                credential_fact: Some(FactKind::RejectsNoCredential),
            },
            pointer: "/data/items/~20",
        };
        let judged = fixture.judge(|judge| judge.stored_despite_rejection(&stored, &fixture.request()));
        assert_eq!(judged.received(RULE.name), "401, but its record shows what it sent");
    }

    #[test]
    fn a_rejection_by_itself_is_none() {
        for status in [400, 401, 422] {
            assert!(Fixture::of("createTag").status(status).findings(RULE.name).is_empty());
        }
    }
}
