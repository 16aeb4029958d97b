//! `wrong-type`: a value has a type other than the documented one.

use super::level::Level;
use super::location::LocatedValue;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::{Reason, Sink};

pub(super) static RULE: Rule = Rule {
    name: "wrong-type",
    level: Level::Deny,
    headline: Headline::Field("has the wrong type", "have the wrong type"),
    topic: Topic::Values,
    summary: "Every value has the type that the document gives it.",
    explanation: "A typed client decodes the documented types and fails on any other. A number without a fraction is \
                  an integer however it is written (even `3.0`): JSON has one kind of number.",
    exceptions: "Null in a field of a record, where the document leaves it open: `null-value` reports it. \
                   Requirements beyond the type, such as an enum: `constraint` checks those.",
    fix: "Return a value of the documented type, or document the type that is returned.",
    source: "The document, section \"Resources and their fields\"",
    example: Example {
        fact: "getTags /data/total: integer",
        documented: "integer",
        received: "string(1)",
        pointer: "/data/total",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            crate::rules::testing::Fixture::of("getTags").body(&json!({"data": {"total": "3"}}))
        },
    },
    judge: Judging::Location(judge),
};

fn judge(location: &LocatedValue<'_>, sink: &mut Sink<'_>) {
    let Some(fact) = location.shape.type_fact else { return };
    if location.value.is_null() && location.null_is_undocumented_and_open() {
        return sink.undecided(fact, Reason::OnlyNull);
    }
    // Each part of an `allOf` may state a type; the value must be of all of them.
    let admitted = location.shape.types.iter().all(|kind| kind.admits(location.value));
    if admitted || (location.value.is_null() && location.shape.nullable) {
        sink.held(fact);
    } else {
        let values = sink.values;
        sink.broken(fact, || location.pointer(), || values.render(location.value));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::rules::testing::{Fixture, JSON};
    use crate::rules::{Reason, Verdict};

    const TOTAL: &str = "getTags /data/total: integer";

    #[test]
    fn each_documented_type_holds() {
        let judged =
            Fixture::of("getVisits").body(&json!({"data": {"total": 3, "items": [{"id": 7, "datetime": "now"}]}}));
        for fact in [
            "body: object",
            "/data: object",
            "/data/total: integer",
            "/data/items: array",
            "/data/items/*: object",
            "/data/items/*/id: integer",
            "/data/items/*/datetime: string",
        ] {
            assert_eq!(judged.fact(&format!("getVisits {fact}")), Verdict::Held, "{fact}");
        }
    }

    #[test]
    fn another_type_breaks_it() {
        for (total, received) in [
            (json!("3"), "string(1)"),
            (json!(3.5), "number"),
            (json!(true), "boolean"),
            (json!([3]), "array(1)"),
            (json!({}), "object"),
        ] {
            let judged = Fixture::of("getTags").body(&json!({"data": {"total": total}}));
            assert_eq!(judged.fact(TOTAL), Verdict::Broken, "{total}");
            assert_eq!(judged.received("wrong-type"), received);
        }
    }

    #[test]
    fn null_breaks_each_location_around_the_resources() {
        let list = || json!({"data": {"per_page": 1, "page": 1, "total": 1, "last_page": 1, "items": [{"id": "t"}]}});
        let created = || json!({"message": "made", "data": {"id": "t"}});
        for (operation, sound, locations) in [
            (
                "getTags",
                list(),
                &[
                    ("", "body: object"),
                    ("/data", "/data: object"),
                    ("/data/per_page", "/data/per_page: integer"),
                    ("/data/page", "/data/page: integer"),
                    ("/data/total", "/data/total: integer"),
                    ("/data/last_page", "/data/last_page: integer"),
                    ("/data/items", "/data/items: array"),
                    ("/data/items/0", "/data/items/*: object"),
                ][..],
            ),
            (
                "createTag",
                created(),
                &[
                    ("", "body: object"),
                    ("/message", "/message: string"),
                    ("/data", "/data: object"),
                ],
            ),
        ] {
            for (location, fact) in locations {
                let mut body = sound.clone();
                *body.pointer_mut(location).unwrap() = json!(null);
                let status = if operation == "createTag" { 201 } else { 200 };
                let judged = Fixture::of(operation).response(status, JSON, &body.to_string());
                assert_eq!(
                    judged.fact(&format!("{operation} {fact}")),
                    Verdict::Broken,
                    "{location}"
                );
                assert_eq!(judged.received("wrong-type"), "null", "{location}");
                assert!(judged.findings("null-value").is_empty(), "{location}");
            }
        }
    }

    #[test]
    fn a_whole_number_is_an_integer_however_it_is_written() {
        let judged = Fixture::of("getTags").response(200, JSON, r#"{"data": {"total": 3.0}}"#);
        assert_eq!(judged.fact(TOTAL), Verdict::Held);
    }

    #[test]
    fn a_location_that_no_response_shows_is_undecided() {
        let judged = Fixture::of("getTags").body(&json!({"data": {"items": []}}));
        let names = "getTags /data/items/*/name: string";
        assert_eq!(judged.fact(names), Verdict::Undecided(Reason::NotShown));
        assert_eq!(judged.fact(TOTAL), Verdict::Undecided(Reason::NotShown));
    }

    #[test]
    fn an_object_where_an_array_is_documented_and_the_other_way_round() {
        let judged = Fixture::of("createContact").body(&json!({"data": {"tags": [], "first_visit": {}}}));
        assert_eq!(judged.fact("createContact /data/tags: object"), Verdict::Broken);
        assert_eq!(judged.fact("createContact /data/first_visit: array"), Verdict::Broken);
    }

    #[test]
    fn the_finding_points_at_the_value_and_at_the_type() {
        let judged = Fixture::of("getTags").body(&json!({"data": {"items": [{"name": "a"}, {"name": 1}]}}));
        assert_eq!(
            judged.locations("wrong-type"),
            ("/data/items/1/name", "/components/schemas/Tag/properties/name/type")
        );
    }
}
