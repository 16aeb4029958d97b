//! `unchecked-operation`: nothing was learned about an operation, because no documented call of it had a success.
//!
//! # Design
//!
//! No fact states that an operation has a success, so the finding is reported at the operation's status, or else at its
//! first fact. Where a finding at deny already explains why there was no success, nothing more is reported.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::OperationSeen;
use super::verdict::{Finding, Sink};
use crate::contract::fact::FactKind;

const DOCUMENTED: &str = "a successful response that can be judged";

pub(super) static RULE: Rule = Rule {
    name: "unchecked-operation",
    level: Level::Warn,
    headline: Headline::Operation("was not checked", "were not checked"),
    topic: Topic::Responses,
    summary: "Each selected operation returns a successful response that can be judged.",
    explanation: "A check that calls an operation without success, or not at all, learns nothing about its responses. \
                  Every other operation may conform, and nobody would know that this one was never seen to work.",
    exceptions: "Operations that are not selected: those that only or skip excludes, writes while writes are off (unless \
                   only names them), and those that another shard checks. Operations that are left out because of a \
                   defect in the document. An operation whose every call ends in a finding at deny, such as `status` or \
                   `server-error`: that finding reports it. A run without any success, which reports what to look at \
                   instead.",
    fix: "Depending on the reason, let the run write (writes), send the operation all the same (also_send), or give the target \
          what is missing, such as a record that its list shows. Or accept the finding, or exclude the operation (skip).",
    source: "This program's own; what was not judged does not count as conforming",
    example: Example {
        fact: "createVisit status: 2XX",
        documented: DOCUMENTED,
        received: "none: no response of getVenues had a value for `/venue_id`",
        pointer: "",
        #[cfg(test)]
        judged: || {
            let needed = crate::plan::NeededValue {
                operation: "createVisit".to_owned(),
                field: "/venue_id".to_owned(),
                sources: vec!["getVenues".to_owned()],
            };
            let fixture = crate::rules::testing::Fixture::of("createVisit");
            fixture.judge(|judge| {
                let reason = super::Reason::NoValue(crate::plan::NoValue::NotInResponses { needed });
                judge.verdicts_mut().not_called(fixture.operation, reason);
                judge.report_operations_without_success([fixture.operation]);
            })
        },
    },
    judge: Judging::Operation(judge),
};

fn judge(seen: &OperationSeen<'_>, sink: &mut Sink<'_>) {
    let facts = &sink.contract.facts;
    let any = || facts.iter().position(|fact| fact.operation == seen.operation);
    let status = sink.contract.fact_of(seen.operation, FactKind::Status);
    if let Some(fact) = status.or_else(|| any().map(crate::contract::fact::FactId)) {
        sink.report_finding(fact, Some(DOCUMENTED), String::new, || format!("none: {}", seen.reason));
    }
}

impl Finding {
    /// Returns whether no single request shows it: its operation was not called, or several requests show it together.
    #[must_use]
    pub fn has_no_single_request(&self) -> bool {
        let rules = [&RULE, &super::changed_answer::RULE];
        self.exchange.is_none() && rules.iter().any(|rule| std::ptr::eq(self.rule, *rule))
    }
}

#[cfg(test)]
mod tests {
    use crate::contract::fact::FactKind;
    use crate::exchange::{Failure, RejectionMeaning};
    use crate::rules::testing::{Fixture, JSON, Judged};
    use crate::rules::{HowAllCallsFailed, Level, Reason, Verdict};

    /// Judges `getTags` after these responses, each a status, a media type and a body.
    fn answered(fixture: &Fixture, responses: &[(u16, Option<&str>, &str)]) -> Judged {
        fixture.judge(|judge| {
            for (status, media_type, body) in responses {
                judge.exchange(&fixture.exchange(*status, *media_type, body), fixture.intent());
            }
            judge.report_operations_without_success([fixture.operation]);
        })
    }

    #[test]
    fn one_success_is_enough() {
        let fixture = Fixture::of("getTags").on_rejection(RejectionMeaning::Gap);
        for responses in [
            &[(200, JSON, "{}")][..],
            &[(422, JSON, "{}"), (200, JSON, "{}")],
            // That the body is broken is another finding.
            &[(200, JSON, "[[[")],
            &[(200, None, "{}")],
        ] {
            assert!(answered(&fixture, responses).findings("unchecked-operation").is_empty());
        }
    }

    #[test]
    fn an_operation_that_was_rejected_throughout_is_a_warning_with_the_reason() {
        let fixture = Fixture::of("createTag").on_rejection(RejectionMeaning::Gap);
        let judged = answered(&fixture, &[(409, JSON, "{}"), (409, JSON, "{}")]);
        assert_eq!(judged.finding("unchecked-operation").level, Level::Warn);
        assert_eq!(
            judged.received("unchecked-operation"),
            "none: rejected with 409, perhaps because of a gap in the document"
        );
        assert_eq!(judged.kind(FactKind::Status), Verdict::Undecided(Reason::Rejected(409)));
    }

    #[test]
    fn a_page_for_people_is_no_success() {
        let judged = answered(
            &Fixture::of("getTags")
                .level("media-type", Level::Warn)
                .level("malformed-json", Level::Warn),
            &[(200, Some("text/html"), "<html>")],
        );
        assert_eq!(
            judged.received("unchecked-operation"),
            "none: the body of its success is not the documented one"
        );
    }

    #[test]
    fn a_page_for_people_is_no_success_where_json_has_no_schema_either() {
        let fixture = Fixture::responses("'200': {description: a, content: {application/json: {}}}");
        let both = "'200': {description: a, content: {application/json: {}, text/html: {}}}";
        for (fixture, media_type, body, is_success) in [
            (&fixture, Some("text/html"), "<html>", false),
            (&fixture, Some("text/html"), "", true),
            (&fixture, Some("text/plain"), "{}", true),
            (&fixture, JSON, "<html>", true),
            (&fixture, None, "<html>", true),
            (&Fixture::responses(both), Some("text/html"), "<html>", true),
        ] {
            let judged = answered(fixture, &[(200, media_type, body)]);
            let verdicts = &judged.verdicts;
            assert_eq!(
                verdicts.had_success(fixture.operation),
                is_success,
                "{media_type:?} {body}"
            );
            let failed = (!is_success).then_some(HowAllCallsFailed::WebPage);
            assert_eq!(verdicts.how_all_calls_failed(), failed);
        }
    }

    #[test]
    fn a_status_that_came_after_no_response_is_reported_with_the_first_failure() {
        let fixture = Fixture::of("getTags")
            .level("status", Level::Warn)
            .level("unfinished-answer", Level::Warn);
        let judged = fixture.judge(|judge| {
            let mut unanswered = fixture.exchange(200, None, "");
            unanswered.outcome = Err(Failure::Incomplete);
            judge.exchange(&unanswered, fixture.intent());
            judge.exchange(&fixture.exchange(404, JSON, "{}"), fixture.intent());
            judge.report_operations_without_success([fixture.operation]);
        });
        let received = judged.received("unchecked-operation");
        assert_eq!(received, "none: no complete response came");
    }

    #[test]
    fn what_a_finding_at_deny_reports_is_not_reported_twice() {
        for status in [404, 500] {
            let judged = answered(&Fixture::of("getTags"), &[(status, JSON, "{}")]);
            assert!(judged.findings("unchecked-operation").is_empty(), "{status}");
        }
        let judged = answered(
            &Fixture::of("getTags").level("status", Level::Warn),
            &[(404, JSON, "{}")],
        );
        assert_eq!(judged.received("unchecked-operation"), "none: the response was 404");
    }

    #[test]
    fn the_finding_points_at_the_whole_response_and_at_the_status() {
        let fixture = Fixture::of("createTag").on_rejection(RejectionMeaning::Gap);
        let judged = answered(&fixture, &[(409, JSON, "{}")]);
        let location = "/paths/~1organization~1v1~1tags/post/responses/201";
        assert_eq!(judged.locations("unchecked-operation"), ("", location));
    }
}
