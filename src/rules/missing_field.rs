//! `missing-field`: a documented field is missing.

use super::level::Level;
use super::location::LocatedValue;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::HeadersSeen;
use super::traffic_reason::TrafficReason;
use super::verdict::{Reason, Sink};
use crate::contract::pointer;

pub(super) static RULE: Rule = Rule {
    name: "missing-field",
    level: Level::Deny,
    headline: Headline::Field("is missing", "are missing"),
    topic: Topic::Fields,
    summary: "Every field that the document lists is present, and every header that it requires; null counts as present.",
    explanation: "A response shape lists its fields, and callers read them. A field that one item lacks is missing, \
                  however many others have it.",
    exceptions: "Fields that the contract does not require. The fields of an object that is itself null or of \
                   another type.",
    fix: "Return the field in every response, or document when it may be absent.",
    source: "The document, section \"Resources and their fields\"",
    example: Example {
        fact: "getTags /data/items/*/name: present",
        documented: "present",
        received: "the field is absent",
        pointer: "/data/items/0/name",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            crate::rules::testing::Fixture::of("getTags").body(&json!({"data": {"items": [{"id": "t-1"}]}}))
        },
    },
    judge: Judging::Presence(judge, judge_headers),
};

fn judge(location: &LocatedValue<'_>, sink: &mut Sink<'_>) {
    for (index, field) in location.shape.fields.iter().enumerate() {
        let Some(fact) = field.required_fact else { continue };
        if location.has(index) {
            sink.held(fact);
        } else {
            sink.broken(
                fact,
                || location.member(&field.name),
                || "the field is absent".to_owned(),
            );
        }
    }
}

fn judge_headers(seen: &HeadersSeen<'_>, sink: &mut Sink<'_>) {
    for header in seen.documented {
        let Some(fact) = header.required_fact else { continue };
        if seen.response.headers.contains_key(&header.name) {
            sink.held(fact);
        } else if seen.are_all_shown {
            sink.broken(
                fact,
                || pointer::header(&header.name),
                || "the header is absent".to_owned(),
            );
        } else {
            sink.undecided(fact, Reason::Traffic(TrafficReason::NoHeaders));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::rules::testing::Fixture;
    use crate::rules::{Reason, Verdict};

    const NAME: &str = "getTags /data/items/*/name: present";

    #[test]
    fn a_field_that_is_there_holds_even_when_it_is_null() {
        for name in [json!("regular"), json!(null)] {
            let judged = Fixture::of("getTags").body(&json!({"data": {"items": [{"id": "t-1", "name": name}]}}));
            assert_eq!(judged.fact(NAME), Verdict::Held);
        }
    }

    #[test]
    fn a_field_that_one_item_lacks_is_broken() {
        let judged = Fixture::of("getTags").body(&json!({"data": {"items": [{"name": "a"}, {}, {}]}}));
        assert_eq!(judged.fact(NAME), Verdict::Broken);
        let finding = judged.findings("missing-field");
        let names = finding.iter().find(|finding| finding.pointer == "/data/items/1/name");
        assert_eq!(
            names.map(|finding| (finding.count, finding.received.as_str())),
            Some((2, "the field is absent"))
        );
    }

    #[test]
    fn without_an_object_nothing_is_decided() {
        for items in [json!([]), json!(["regular"]), json!(null)] {
            let judged = Fixture::of("getTags").body(&json!({"data": {"items": items}}));
            assert_eq!(judged.fact(NAME), Verdict::Undecided(Reason::NotShown), "{items}");
        }
    }

    #[test]
    fn a_field_that_is_not_required_may_be_absent() {
        let fixture =
            Fixture::schema("{type: object, required: [id], properties: {id: {type: string}, name: {type: string}}}");
        assert!(fixture.body(&json!({"id": "t-1"})).verdicts.findings().is_empty());
    }

    #[test]
    fn a_required_header_is_held_or_missing_in_any_case_of_its_name() {
        let fixture = Fixture::responses(
            "'200': {description: a, headers: {X-Total: {required: true, schema: {type: string}}, X-Other: {schema: {type: \
             string}}}}",
        );
        let fact = "getThings header X-Total: present";
        let sent = fixture.headers(200, &[("x-total", "")]);
        assert_eq!(sent.fact(fact), Verdict::Held);
        assert!(sent.verdicts.findings().is_empty());
        let absent = fixture.headers(200, &[("x-other", "a")]);
        assert_eq!(absent.fact(fact), Verdict::Broken);
        assert_eq!(absent.received("missing-field"), "the header is absent");
        assert_eq!(
            absent.locations("missing-field"),
            ("header X-Total", "/paths/~1things/get/responses/200/headers/X-Total")
        );
    }

    #[test]
    fn the_finding_points_at_where_the_field_would_stand() {
        let judged = Fixture::of("createTag").body(&json!({"message": "Tag created", "data": {"id": "t-1"}}));
        assert_eq!(
            judged.locations("missing-field"),
            ("/data/name", "/components/schemas/Tag/properties/name")
        );
    }
}
