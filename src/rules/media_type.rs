//! `media-type`: a response has a media type other than the documented one.

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::traffic_reason::TrafficReason;
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::contract::is_json;
use crate::contract::load::essence;
use crate::contract::operation::DocumentedResponse;
use crate::exchange::Response;
use crate::exchange::redact::render_media_type;

pub(super) static RULE: Rule = Rule {
    name: "media-type",
    level: Level::Deny,
    headline: Headline::Operation(
        "does not return a documented media type",
        "do not return a documented media type",
    ),
    topic: Topic::Responses,
    summary: "A documented body has a media type that is documented for it.",
    explanation: "A client chooses its parser by the Content-Type. The built-in contract documents application/json \
                  for every success; a contract given with --spec may also document other media types, ranges, and \
                  bodies of errors, which must then be present. Case and parameters such as charset do not matter.",
    exceptions: "Responses without a documented body, including errors: their media type is a gap. Responses to edge \
                 cases, except a documented 4xx to a request that differs from a documented one in one value. If only \
                 `default` documents the response: a 502, 503 or 504, which may come from a gateway; a success or a \
                 redirect, if the operation has a documented success; an error, if it has none.",
    fix: "Send the documented Content-Type, or document the one that is sent.",
    source: "The document, section \"Resources and their fields\": all requests and responses use application/json; \
             OpenAPI 3.0.3, section 4.7.14",
    example: Example {
        fact: "getTags media type: application/json",
        documented: "application/json",
        received: "text/html",
        pointer: "",
        #[cfg(test)]
        judged: || crate::rules::testing::Fixture::of("getTags").response(200, Some("text/html"), "{}"),
    },
    judge: Judging::Content(judge),
};

/// What this rule and `malformed-json` report where a 204 came instead of a body.
pub(super) const NO_CONTENT: &str = "a 204, which has no body";

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let Some((response, documented)) = seen.with_content() else {
        return;
    };
    let kind = if documented.status.is_success() {
        FactKind::MediaType
    } else {
        FactKind::FailureMediaType(documented.status)
    };
    let Some(fact) = sink.contract.fact_of(seen.id, kind) else {
        return;
    };
    let received = response.media_type();
    match received {
        _ if !documented.status.is_success() && lacks_body(response, documented) => {
            sink.broken(fact, String::new, || "no body".to_owned());
        }
        Some(received) if is_documented(documented, &received) => sink.held(fact),
        Some(received) => sink.broken(fact, String::new, || render_media_type(&received)),
        None if response.status == 204 => sink.broken(fact, String::new, || NO_CONTENT.to_owned()),
        None if !response.are_headers_known => sink.undecided(fact, Reason::Traffic(TrafficReason::NoHeaders)),
        None => sink.broken(fact, String::new, || "no media type".to_owned()),
    }
}

/// Returns whether a response documents this media type.
pub(crate) fn is_documented(documented: &DocumentedResponse, received: &str) -> bool {
    documented.media_types.iter().any(|known| admits(known, received))
}

/// Returns whether a documented body is missing. An empty body may be plain text, but it is not JSON: where a schema is
/// documented, `malformed-json` reports that.
fn lacks_body(response: &Response, documented: &DocumentedResponse) -> bool {
    let may_be_empty = |media_type: String| !is_json(&media_type) || documented.body.is_some();
    response.is_body_known && response.body.is_empty() && !response.media_type().is_some_and(may_be_empty)
}

/// Returns whether the response has a documented media type other than the JSON whose schema is known.
pub(super) fn is_other_documented_type(documented: &DocumentedResponse, received: &str) -> bool {
    let known = documented.media_types.iter().find(|known| is_json(known));
    let mut others = documented.media_types.iter().filter(|other| Some(*other) != known);
    let is_known = known.is_some_and(|known| admits(known, received)) || (known.is_none() && is_json(received));
    !is_known && others.any(|other| admits(other, received))
}

/// Returns whether the documented media type, which may be a range and have parameters, covers the received one.
fn admits(documented: &str, received: &str) -> bool {
    let documented = essence(documented);
    match documented.split_once('*') {
        // `*/*`, `application/*`, and `application/*+json`, which RFC 9110 does not define but documents use.
        Some(("", "/*")) => true,
        Some((before, after)) => received.strip_prefix(before).is_some_and(|rest| rest.ends_with(after)),
        None => documented == received,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Fixture, Judged};
    use crate::rules::{Reason, Verdict};

    fn typed(media_type: Option<&str>) -> Judged {
        Fixture::of("getTags").response(200, media_type, r#"{"data": {}}"#)
    }

    #[test]
    fn the_documented_type_holds_with_parameters_and_in_any_case() {
        for media_type in [
            "application/json",
            "application/json; charset=utf-8",
            "application/json;charset=UTF-8",
            "Application/JSON",
        ] {
            let judged = typed(Some(media_type));
            assert_eq!(judged.kind(FactKind::MediaType), Verdict::Held, "{media_type}");
        }
    }

    #[test]
    fn another_type_breaks_it_and_its_text_is_reported_only_when_it_is_well_known() {
        for (media_type, received) in [
            (Some("text/html; charset=utf-8"), "text/html"),
            (Some("application/problem+json"), "application/problem+json"),
            (Some("application/hal+json"), "another media type, string(20)"),
            (Some("application/x-ada"), "another media type, string(17)"),
            (Some(""), "another media type, string(0)"),
            (None, "no media type"),
        ] {
            let judged = typed(media_type);
            assert_eq!(judged.kind(FactKind::MediaType), Verdict::Broken, "{media_type:?}");
            assert_eq!(judged.received("media-type"), received);
        }
    }

    #[test]
    fn an_error_may_come_as_anything() {
        let judged = Fixture::of("getTags").response(404, Some("text/html"), "<html>");
        assert_eq!(judged.kind(FactKind::MediaType), Verdict::Undecided(Reason::NotShown));
        let judged = Fixture::of("createTag").response(422, Some("text/html"), "<html>");
        assert_eq!(judged.kind(FactKind::MediaType), Verdict::Undecided(Reason::NotShown));
    }

    const ERRORS: &str = "'200': {description: a}\n\
                          '403': {description: b, content: {application/json: {schema: {type: object}}}}\n\
                          4XX: {description: c, content: {text/plain: {}, application/json: {}}}\n\
                          '404': {description: d}\n\
                          default: {description: e, content: {text/html: {}}}";

    #[test]
    fn a_documented_error_comes_as_the_type_of_the_closest_status() {
        let fixture = Fixture::responses(ERRORS);
        for (status, media_type, fact, verdict) in [
            (
                403,
                "application/json",
                "403 media type: application/json",
                Verdict::Held,
            ),
            (
                403,
                "application/problem+json",
                "403 media type: application/json",
                Verdict::Broken,
            ),
            (
                422,
                "text/plain",
                "4XX media type: text/plain or application/json",
                Verdict::Held,
            ),
            (
                422,
                "text/html",
                "4XX media type: text/plain or application/json",
                Verdict::Broken,
            ),
            (
                500,
                "text/html; charset=utf-8",
                "default media type: text/html",
                Verdict::Held,
            ),
            (
                500,
                "application/json",
                "default media type: text/html",
                Verdict::Broken,
            ),
        ] {
            let judged = fixture.response(status, Some(media_type), "{}");
            assert_eq!(
                judged.fact(&format!("getThings {fact}")),
                verdict,
                "{status} {media_type}"
            );
            let broken = judged.findings("media-type").len();
            assert_eq!(broken, usize::from(verdict == Verdict::Broken), "{status} {media_type}");
        }
        let content = "/paths/~1things/get/responses/403/content";
        let judged = fixture.response(403, Some("text/html"), "<html>");
        assert_eq!(judged.locations("media-type"), ("", content));
        assert_eq!(judged.verdicts.findings().len(), 1, "what is no JSON is reported once");
    }

    #[test]
    fn a_documented_error_has_its_body() {
        let fixture = Fixture::responses(ERRORS);
        for (status, media_type, received) in [
            (403, None, Some("no body")),
            (422, None, Some("no body")),
            (422, Some("application/json"), Some("no body")),
            // An empty body is an empty text; for JSON with a schema, `malformed-json` reports it.
            (422, Some("text/plain"), None),
            (403, Some("application/json"), None),
            (404, None, None),
            (304, None, None),
        ] {
            let judged = fixture.response(status, media_type, "");
            let found = judged.findings("media-type");
            assert_eq!(found.len(), usize::from(received.is_some()), "{status} {media_type:?}");
            if let Some(received) = received {
                assert_eq!(judged.received("media-type"), received);
            }
        }
    }

    #[test]
    fn an_error_to_an_edge_case_may_come_as_anything() {
        let text = crate::contract::Contract::BUILT_IN.replacen(
            "        '422':\n",
            "        '422':\n          content: {application/json: {}}\n",
            1,
        );
        let fixture = Fixture::text(&text, "createTag");
        let fact = "createTag 422 media type: application/json";
        let judged = fixture.response(422, Some("text/html"), "<html>");
        assert_eq!(judged.fact(fact), Verdict::Broken);
        let judged = fixture.edge_case(crate::contract::vocabulary::EdgeCaseKind::BodyEmpty);
        let judged = judged.response(422, Some("text/html"), "<html>");
        assert_eq!(judged.fact(fact), Verdict::Undecided(Reason::NotShown));
        assert!(judged.verdicts.findings().is_empty());
    }

    #[test]
    fn a_success_without_a_documented_body_needs_no_media_type() {
        let json = "content: {application/json: {schema: {type: object}}}";
        let fixture = Fixture::responses(&format!(
            "'200': {{description: Things, {json}}}\n'204': {{description: None}}"
        ));
        let judged = fixture.response(204, None, "");
        assert_eq!(judged.kind(FactKind::MediaType), Verdict::Undecided(Reason::NotShown));
        assert!(judged.verdicts.findings().is_empty());
    }

    #[test]
    fn a_range_admits_what_is_in_it() {
        let fixture =
            Fixture::responses("'200': {description: Things, content: {'text/*': {}, 'application/json; v=1': {}}}");
        for (media_type, verdict) in [
            ("text/csv", Verdict::Held),
            ("application/json", Verdict::Held),
            ("image/png", Verdict::Broken),
        ] {
            let judged = fixture.response(200, Some(media_type), "1");
            assert_eq!(judged.kind(FactKind::MediaType), verdict, "{media_type}");
        }
    }

    #[test]
    fn a_range_of_a_suffix_admits_what_has_that_suffix() {
        let fixture = Fixture::responses("'200': {description: Things, content: {'application/*+json': {}}}");
        for (media_type, verdict) in [
            ("application/problem+json", Verdict::Held),
            ("application/problem+xml", Verdict::Broken),
            ("text/a+json", Verdict::Broken),
        ] {
            let judged = fixture.response(200, Some(media_type), "1");
            assert_eq!(judged.kind(FactKind::MediaType), verdict, "{media_type}");
        }
    }

    #[test]
    fn the_finding_points_at_the_documented_content() {
        let responses = "/paths/~1organization~1v1~1tags/get/responses/2XX/content";
        assert_eq!(typed(None).locations("media-type"), ("", responses));
    }
}
