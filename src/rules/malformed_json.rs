//! `malformed-json`: a body is not JSON, or repeats a name in an object.

use super::level::Level;
use super::media_type::NO_CONTENT;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::traffic_reason::TrafficReason;
use super::verdict::{Reason, Sink};
use crate::contract::fact::FactKind;
use crate::contract::is_json;
use crate::exchange::Response;
use crate::exchange::json::JsonError;
use crate::exchange::shapes::BodyNames;

pub(super) static RULE: Rule = Rule {
    name: "malformed-json",
    level: Level::Deny,
    headline: Headline::Operation("does not return unambiguous JSON", "do not return unambiguous JSON"),
    topic: Topic::Responses,
    summary: "A body is JSON, with one value for each name.",
    explanation: "A response with a documented JSON body must be one JSON text (RFC 8259). Where an object has the \
                  same name twice, most parsers silently keep the last value, so two callers may see different values.",
    exceptions: "Bodies of errors whose JSON is not documented, and of responses in another media type: an \
                 undocumented one is a `media-type` finding. JSON that nests deeper than 127 levels, has more than a \
                 million values, or has numbers beyond the range of a double: the fact stays undecided.",
    fix: "Return JSON that a JSON library has written, with no name twice in an object.",
    source: "RFC 8259, sections 2 and 4",
    example: Example {
        fact: "getTags body: JSON",
        documented: "JSON",
        received: "invalid JSON from line 1, column 10",
        pointer: "",
        #[cfg(test)]
        judged: || {
            crate::rules::testing::Fixture::of("getTags").response(200, crate::rules::testing::JSON, "{\"data\": NaN}")
        },
    },
    judge: Judging::Content(judge),
};

fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let (Some((_, documented)), Some(body)) = (seen.with_content(), seen.body) else {
        return;
    };
    // The fact may be that of another success, next to one that documents CSV.
    if documented.body.is_none() && !documented.media_types.iter().any(|known| is_json(known)) {
        return;
    }
    let kind = if documented.status.is_success() {
        FactKind::Json
    } else {
        FactKind::FailureJson(documented.status)
    };
    let Some(fact) = sink.contract.fact_of(seen.id, kind) else {
        return;
    };
    match body {
        // Such a body may hide any deviation, so responses that could be read do not decide the fact either.
        Err(JsonError::LimitExceeded) => sink.force_undecided(fact, Reason::LimitExceeded),
        Err(JsonError::NotRecorded) => sink.undecided(fact, Reason::Traffic(TrafficReason::NoBody)),
        // `media-type` reports that this is something else, such as CSV.
        Err(_) if is_of_another_media_type(seen) => {}
        Err(_) if seen.exchange.status() == Some(204) => sink.broken(fact, String::new, || NO_CONTENT.to_owned()),
        Err(error) => sink.broken(fact, String::new, || error.to_string()),
        Ok(body) => match body.duplicates.first() {
            None => sink.held(fact),
            Some(pointer) => {
                let status = seen.exchange.status().unwrap_or_default();
                let names = BodyNames::of_response(sink.contract, sink.contract.operation(seen.id), status);
                let at = sink.with_map_keys_hidden(names, pointer);
                sink.broken(fact, || at, || "a name that appears twice".to_owned());
            }
        },
    }
}

/// Whether the response says that it is something other than JSON. One without a media type says nothing.
fn is_of_another_media_type(seen: &ExchangeSeen<'_>) -> bool {
    let media_type = seen.exchange.response().and_then(Response::media_type);
    media_type.is_some_and(|media_type| !is_json(&media_type))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Verdict;
    use crate::rules::testing::{Fixture, JSON, Judged};

    fn judged(body: &str) -> Judged {
        Fixture::of("getTags").response(200, JSON, body)
    }

    #[test]
    fn json_holds_whatever_is_in_it() {
        for body in ["{}", "null", " [1]\n"] {
            assert_eq!(judged(body).kind(FactKind::Json), Verdict::Held, "{body}");
        }
    }

    #[test]
    fn what_is_not_json_breaks_it() {
        for (body, received) in [
            ("", "an empty body"),
            ("{\"data\": ", "invalid JSON from line 1, column 9"),
            ("{\"data\": NaN}", "invalid JSON from line 1, column 10"),
            ("\u{feff}{}", "invalid JSON from line 1, column 1"),
        ] {
            let result = judged(body);
            assert_eq!(result.kind(FactKind::Json), Verdict::Broken, "{body}");
            assert_eq!(result.received("malformed-json"), received);
        }
    }

    #[test]
    fn a_204_is_reported_as_one() {
        let result = Fixture::of("getTags").response(204, None, "");
        assert_eq!(result.received("malformed-json"), NO_CONTENT);
        assert_eq!(result.received("media-type"), NO_CONTENT);
    }

    #[test]
    fn a_response_to_head_has_no_body() {
        let content = "content: {application/json: {schema: {type: object}}}";
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\npaths:\n  /things:\n    head:\n      operationId: \
             headThings\n      responses:\n        '200': {{description: a, {content}}}\n        '404': {{description: b, \
             {content}}}\n"
        );
        for (status, media_type) in [(200, JSON), (200, None), (404, JSON), (404, None)] {
            let judged = Fixture::text(&text, "headThings").response(status, media_type, "");
            assert!(judged.verdicts.findings().is_empty(), "{status} {media_type:?}");
        }
    }

    #[test]
    fn json_beyond_the_bounds_is_undecided() {
        for body in ["[".repeat(200) + &"]".repeat(200), "[1e999]".to_owned()] {
            let result = judged(&body);
            assert_eq!(result.kind(FactKind::Json), Verdict::Undecided(Reason::LimitExceeded));
            assert!(result.verdicts.findings().is_empty());
        }
    }

    #[test]
    fn an_error_body_is_not_judged() {
        let judged = Fixture::of("getTags").response(404, JSON, "{");
        assert_eq!(judged.kind(FactKind::Json), Verdict::Undecided(Reason::NotShown));
    }

    #[test]
    fn the_documented_json_of_an_error_is_judged_and_that_of_another_type_is_not() {
        let fixture = Fixture::responses(
            "'200': {description: a}\n'403': {description: b, content: {application/json: {schema: {type: object}}, \
             application/problem+json: {schema: {type: array, items: {}}}}}",
        );
        let (json, object) = ("getThings 403 body: JSON", "getThings 403 body: object");
        for (media_type, body, of_json, of_object) in [
            ("application/json", "{}", Verdict::Held, Verdict::Held),
            ("application/json", "[]", Verdict::Held, Verdict::Broken),
            (
                "application/json",
                "{",
                Verdict::Broken,
                Verdict::Undecided(Reason::NotShown),
            ),
            (
                "application/json",
                "",
                Verdict::Broken,
                Verdict::Undecided(Reason::NotShown),
            ),
            (
                "application/problem+json",
                "[]",
                Verdict::Undecided(Reason::NotShown),
                Verdict::Undecided(Reason::NotShown),
            ),
        ] {
            let judged = fixture.response(403, Some(media_type), body);
            assert_eq!(
                (judged.fact(json), judged.fact(object)),
                (of_json, of_object),
                "{media_type} {body}"
            );
        }
        let judged = fixture.response(403, JSON, "{");
        let content = "/paths/~1things/get/responses/403/content";
        assert_eq!(judged.locations("malformed-json"), ("", content));
    }

    #[test]
    fn a_response_in_another_documented_media_type_is_not_read_as_json() {
        let fixture = Fixture::responses(
            "'200': {description: Things, content: {application/json: {schema: {type: object}}, text/csv: {}}}",
        );
        let judged = fixture.response(200, Some("text/csv"), "a,b");
        assert_eq!(judged.kind(FactKind::Json), Verdict::Undecided(Reason::NotShown));
        assert_eq!(judged.kind(FactKind::MediaType), Verdict::Held);
    }

    #[test]
    fn an_undocumented_media_type_does_not_hide_what_is_in_the_body() {
        let judged = Fixture::of("getTags").response(200, Some("text/plain"), r#"{"data": {"total": "3"}}"#);
        assert_eq!(judged.kind(FactKind::Json), Verdict::Held);
        assert_eq!(judged.fact("getTags /data/total: integer"), Verdict::Broken);
    }

    #[test]
    fn a_body_that_does_not_claim_to_be_json_is_reported_for_its_media_type_alone() {
        for (media_type, json) in [
            (Some("text/csv"), Verdict::Undecided(Reason::NotShown)),
            (Some("application/json"), Verdict::Broken),
            (Some("application/problem+json"), Verdict::Broken),
            (None, Verdict::Broken),
        ] {
            let judged = Fixture::of("getTags").response(200, media_type, "id,name\n");
            assert_eq!(judged.kind(FactKind::Json), json, "{media_type:?}");
            let is_documented = media_type == JSON;
            assert_eq!(
                judged.kind(FactKind::MediaType) == Verdict::Held,
                is_documented,
                "{media_type:?}"
            );
        }
    }

    #[test]
    fn a_name_that_stands_twice_is_pointed_at() {
        let result = judged(r#"{"data": {"items": [{"id": "a"}, {"id": "b", "id": "c"}]}}"#);
        assert_eq!(result.kind(FactKind::Json), Verdict::Broken);
        let content = "/paths/~1organization~1v1~1tags/get/responses/2XX/content";
        assert_eq!(result.locations("malformed-json"), ("/data/items/1/id", content));
        assert_eq!(result.received("malformed-json"), "a name that appears twice");
    }

    #[test]
    fn a_name_of_a_map_that_stands_twice_is_not_printed() {
        let body = r#"{"data": {"items": [{"custom_fields": {"Ada": 1, "Ada": 2}}]}}"#;
        let shown_at = |fixture: Fixture| {
            let judged = fixture.response(200, JSON, body);
            assert_eq!(judged.kind(FactKind::Json), Verdict::Broken);
            judged.locations("malformed-json").0.to_owned()
        };
        let fixture = || Fixture::of("getContacts");
        assert_eq!(shown_at(fixture()), "/data/items/0/custom_fields/*");
        assert_eq!(shown_at(fixture().showing_values()), "/data/items/0/custom_fields/Ada");
        let meta = "{type: object, properties: {meta: {type: object}, tags: {type: array, items: {type: string}}}}";
        let fixture = Fixture::responses(&format!(
            "'200': {{description: a, content: {{application/json: {{schema: {meta}}}}}}}"
        ));
        for (body, expected) in [
            (r#"{"meta": {"ann.smith": 1, "ann.smith": 3}}"#, "/meta/*"),
            (r#"{"tags": {"AnnSmith": 1, "AnnSmith": 3}}"#, "/tags/*"),
            (r#"{"new": {"ann.smith": 1, "ann.smith": 3}}"#, "/new/*"),
            (r#"{"meta": 1, "meta": 2}"#, "/meta"),
        ] {
            let judged = fixture.response(200, JSON, body);
            assert_eq!(judged.locations("malformed-json").0, expected, "{body}");
        }
    }

    #[test]
    fn the_body_of_any_success_is_read_and_not_that_of_one_without_a_documented_body() {
        let json = "'201': {description: b, content: {application/json: {schema: {type: object}}}}";
        let fixture = Fixture::responses(&format!("'200': {{description: a}}\n{json}"));
        let judged = fixture.response(201, JSON, "{\"a\":");
        assert_eq!(judged.kind(FactKind::Json), Verdict::Broken);
        assert_eq!(judged.kind(FactKind::MediaType), Verdict::Held);
        let judged = fixture.response(200, None, "");
        assert!(judged.verdicts.findings().is_empty());
        let csv = "'200': {description: a, content: {text/csv: {}}}";
        let fixture = Fixture::responses(&format!("{csv}\n{json}"));
        assert_eq!(fixture.response(201, JSON, "{").kind(FactKind::Json), Verdict::Broken);
        for media_type in [None, Some("text/csv")] {
            let judged = fixture.response(200, media_type, "a,b");
            assert_eq!(judged.kind(FactKind::Json), Verdict::Undecided(Reason::NotShown));
        }
    }
}
