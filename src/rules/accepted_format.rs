//! `accepted-format`: a documented format of a request field is rejected where another is accepted.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::exchange::RejectionMeaning;
use crate::history::evidence::FormatOutcome;
use crate::plan::is_leap_day;

pub(super) static RULE: Rule = Rule {
    name: "accepted-format",
    level: Level::Deny,
    headline: Headline::Operation("rejects a documented format", "reject a documented format"),
    topic: Topic::Invariants,
    summary: "Each datetime format that the document gives is accepted.",
    explanation: "A field documented in several formats, such as a datetime with the suffix Z or a numeric offset, is \
                  sent in each of them, with all other fields the same, at several times of the day. Where one format \
                  is accepted and another is rejected with 400 or 422, callers that follow the document are turned \
                  away. Any numeric offset is allowed: if a create with a negative one, or one such as +05:45, is \
                  rejected, it is sent again at that offset with the instant that was accepted before, and then with \
                  the local time that was accepted. So is one at +13:00, in whose place another offset was accepted. \
                  A 29 February in whose place another day was accepted is sent again between the same weekday of \
                  the week before and of the week after, both of which must be accepted.",
    exceptions: "A format that is rejected while no other is accepted, before it or after it: the rejection may \
                 have another cause. Any status other than 400 and 422.",
    fix: "Accept every documented format, or remove the format from the document.",
    source: "The document, section \"Create visit\" (datetime); `accepts` in the contract's `x-invariants`",
    example: Example {
        fact: "createVisit accepts /datetime: numeric offset",
        documented: "numeric offset",
        received: "400",
        pointer: "",
        #[cfg(test)]
        judged: || {
            let fixture = crate::rules::testing::Fixture::of("createVisit");
            let tried = FormatOutcome {
                operation: fixture.operation,
                format: crate::contract::vocabulary::TimestampFormat::Offset,
                status: Some(400),
                other_accepted: true,
            };
            fixture.judge(|judge| judge.timestamp_format(&tried, &fixture.request()))
        },
    },
    judge: Judging::Format(judge),
};

fn judge(tried: &FormatOutcome, sink: &mut Sink<'_>) {
    let Some(fact) = sink
        .contract
        .fact_of(tried.operation, FactKind::AcceptsTimestampFormat(tried.format))
    else {
        return;
    };
    match tried.status {
        None => sink.undecided(fact, Reason::NoResponse),
        Some(200..=299) => sink.held(fact),
        Some(status) if tried.other_accepted && RejectionMeaning::rejects_as_invalid(status) => {
            let sent = sink.contract.operation(tried.operation).accepted_timestamp_formats();
            let sent = sent.and_then(|formats| sink.source.request.json()?.pointer(&formats.sent)?.as_str());
            let what = if sent.is_some_and(is_leap_day) {
                " for a 29 February"
            } else {
                ""
            };
            sink.broken(fact, String::new, || format!("{status}{what}"));
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
    use crate::contract::vocabulary::TimestampFormat;
    use crate::exchange::Credential;
    use crate::rules::Verdict;
    use crate::rules::testing::{Fixture, Judged};

    const OFFSET: FactKind = FactKind::AcceptsTimestampFormat(TimestampFormat::Offset);

    fn tried(status: Option<u16>, other_accepted: bool) -> Judged {
        let fixture = Fixture::of("createVisit");
        let tried = FormatOutcome {
            operation: fixture.operation,
            format: TimestampFormat::Offset,
            status,
            other_accepted,
        };
        fixture.judge(|judge| judge.timestamp_format(&tried, &fixture.request()))
    }

    #[test]
    fn an_accepted_format_holds_and_says_nothing_of_the_other() {
        let judged = tried(Some(201), false);
        assert_eq!(judged.kind(OFFSET), Verdict::Held);
        let other = judged.kind(FactKind::AcceptsTimestampFormat(TimestampFormat::Utc));
        assert_eq!(other, Verdict::Undecided(Reason::NotShown));
    }

    #[test]
    fn a_format_rejected_where_the_other_was_accepted_is_broken() {
        for status in [400, 422] {
            let judged = tried(Some(status), true);
            assert_eq!(judged.kind(OFFSET), Verdict::Broken);
            assert_eq!(judged.received("accepted-format"), status.to_string());
        }
    }

    #[test]
    fn a_rejected_leap_day_is_named() {
        for (sent, received) in [
            ("2024-02-29T22:32:37Z", "422 for a 29 February"),
            ("2024-02-28T22:32:37Z", "422"),
        ] {
            let fixture = Fixture::of("createVisit");
            let tried = FormatOutcome {
                operation: fixture.operation,
                format: TimestampFormat::Utc,
                status: Some(422),
                other_accepted: true,
            };
            let mut request = fixture.request();
            request.body = Some(crate::exchange::Content::Json(serde_json::json!({"datetime": sent})));
            let judged = fixture.judge(|judge| judge.timestamp_format(&tried, &request));
            assert_eq!(judged.received("accepted-format"), received);
        }
    }

    #[test]
    fn a_rejection_that_may_be_about_something_else_is_undecided() {
        for (status, other_accepted) in [(400, false), (422, false), (409, true), (404, true), (500, true)] {
            let judged = tried(Some(status), other_accepted);
            assert_eq!(
                judged.kind(OFFSET),
                Verdict::Undecided(Reason::for_request_with_something_open(
                    status,
                    &Credential::Token {
                        scheme: SecurityScheme::Bearer
                    }
                ))
            );
        }
        assert_eq!(tried(None, true).kind(OFFSET), Verdict::Undecided(Reason::NoResponse));
    }

    #[test]
    fn the_finding_points_at_the_invariant() {
        let invariant = "/paths/~1organization~1v1~1visits/post/x-invariants/accepts/0";
        assert_eq!(tried(Some(400), true).locations("accepted-format"), ("", invariant));
    }
}
