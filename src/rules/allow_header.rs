//! `allow-header`: a 405 does not list the methods of its path.
//!
//! # Design
//!
//! No request is sent to provoke a 405: only documented methods go to documented paths. So no fact could be held by
//! responses other than a 405, and a finding is reported at the operation's status.

use reqwest::header::ALLOW;

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::verdict::Sink;
use crate::contract::fact::FactKind;

pub(super) static RULE: Rule = Rule {
    name: "allow-header",
    level: Level::Warn,
    headline: Headline::Operation("sends a 405 without `Allow`", "send a 405 without `Allow`"),
    topic: Topic::Responses,
    summary: "A 405 has an `Allow` header that lists the methods of its path.",
    explanation: "A caller that uses a method which the path does not support learns from `Allow` which methods \
                  are supported. Without that list the caller has to guess.",
    exceptions: "Responses other than a 405. No request is sent to provoke one. A 405 for a documented operation is \
                   a finding of `status`.",
    fix: "Send `Allow` with every 405; most routers have a setting for it.",
    source: "RFC 9110, section 15.5.6",
    example: Example {
        fact: "getTags status: 2XX",
        documented: "a 405 has `Allow`",
        received: "405 without `Allow`",
        pointer: "",
        #[cfg(test)]
        judged: || crate::rules::testing::Fixture::of("getTags").status(405),
    },
    judge: Judging::ExchangeExceptEdgeCases(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let (Some(fact), Ok(response)) = (sink.contract.fact_of(seen.id, FactKind::Status), seen.outcome()) else {
        return;
    };
    if response.status == 405 && !seen.intent.is_of_other_client() && !response.headers.contains_key(ALLOW) {
        let documented = "a 405 has `Allow`";
        sink.report_finding(fact, Some(documented), String::new, || "405 without `Allow`".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::{ALLOW, HeaderValue};

    use crate::contract::fact::FactKind;
    use crate::rules::testing::{Fixture, JSON, Judged};
    use crate::rules::{Level, Verdict};

    fn answered(status: u16, allow: Option<&'static str>) -> Judged {
        let fixture = Fixture::of("getTags");
        let mut exchange = fixture.exchange(status, JSON, "{}");
        if let (Ok(response), Some(allow)) = (&mut exchange.outcome, allow) {
            response.headers.insert(ALLOW, HeaderValue::from_static(allow));
        }
        fixture.judge(|judge| drop(judge.exchange(&exchange, fixture.intent())))
    }

    #[test]
    fn a_405_that_lists_the_methods_is_no_finding_of_this_rule() {
        // An empty list says that the path has none (RFC 9110, section 10.2.1).
        for allow in ["POST, HEAD", ""] {
            assert!(answered(405, Some(allow)).findings("allow-header").is_empty());
        }
    }

    #[test]
    fn a_405_that_lists_none_is_a_warning_beside_the_status() {
        let judged = answered(405, None);
        assert_eq!(judged.finding("allow-header").level, Level::Warn);
        assert_eq!(
            judged.finding("allow-header").documented.as_deref(),
            Some("a 405 has `Allow`")
        );
        assert_eq!(judged.received("allow-header"), "405 without `Allow`");
        assert_eq!(judged.kind(FactKind::Status), Verdict::Broken);
    }

    #[test]
    fn other_statuses_need_no_list() {
        for status in [200, 401, 404, 501] {
            assert!(answered(status, None).findings("allow-header").is_empty(), "{status}");
        }
        assert!(Fixture::of("getTags").unanswered().findings("allow-header").is_empty());
    }

    #[test]
    fn the_finding_points_at_the_whole_response_and_at_the_status() {
        let (pointer, location) = ("", "/paths/~1organization~1v1~1tags/get/responses/2XX");
        assert_eq!(answered(405, None).locations("allow-header"), (pointer, location));
    }
}
