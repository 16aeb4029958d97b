//! `null-value`: a field that the document lists with a type is null.

use super::level::Level;
use super::location::LocatedValue;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::Sink;

pub(super) static RULE: Rule = Rule {
    name: "null-value",
    level: Level::Warn,
    headline: Headline::Field("is null", "are null"),
    topic: Topic::Values,
    summary: "No field of a record is null; the document neither shows nor excludes null.",
    explanation: "A typed client that follows the document to the letter cannot decode a null. The document neither \
                  shows nor excludes null, so this is a warning, and the type of the field stays undecided where \
                  only nulls were seen.",
    exceptions: "A null that the contract documents with `nullable`. A null where the contract leaves no gap: the \
                   body, `data`, `items`, an item or a number of a page, or anywhere in a contract without `x-null`, the \
                   key that leaves null open. There `wrong-type` reports it.",
    fix: "If null is intended, document it; otherwise return a value.",
    source: "The document, section \"Resources and their fields\", which does not mention null",
    example: Example {
        fact: "getTags /data/items/*/name: string",
        documented: "string",
        received: "null",
        pointer: "/data/items/0/name",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            crate::rules::testing::Fixture::of("getTags")
                .body(&json!({"data": {"items": [{"id": "t-1", "name": null}]}}))
        },
    },
    judge: Judging::Location(judge),
};

fn judge(location: &LocatedValue<'_>, sink: &mut Sink<'_>) {
    if let Some(fact) = location
        .shape
        .type_fact
        .filter(|_| location.value.is_null() && location.null_is_undocumented_and_open())
    {
        sink.report_finding(fact, None, || location.pointer(), || "null".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::rules::testing::Fixture;
    use crate::rules::{Level, Reason, Verdict};

    const NAME: &str = "getTags /data/items/*/name: string";

    #[test]
    fn null_is_reported_as_a_warning_and_decides_nothing() {
        let judged = Fixture::of("getTags").body(&json!({"data": {"items": [{"id": "t-1", "name": null}]}}));
        assert_eq!(judged.finding("null-value").level, Level::Warn);
        assert_eq!(judged.fact(NAME), Verdict::Undecided(Reason::OnlyNull));
        assert!(judged.findings("wrong-type").is_empty());
    }

    #[test]
    fn a_value_that_is_there_holds() {
        let judged = Fixture::of("getTags").body(&json!({"data": {"items": [{"id": "t-1", "name": "regular"}]}}));
        assert_eq!(judged.fact(NAME), Verdict::Held);
        assert!(judged.findings("null-value").is_empty());
    }

    #[test]
    fn null_beside_values_is_reported_and_the_type_holds() {
        let judged = Fixture::of("getTags").body(&json!({"data": {"items": [{"name": null}, {"name": "regular"}]}}));
        assert_eq!(judged.fact(NAME), Verdict::Held);
        assert_eq!(judged.finding("null-value").count, 1);
    }

    #[test]
    fn what_is_inside_a_resource_may_be_null_at_every_depth() {
        for (contact, location) in [
            (json!({"date_of_birth": null}), "/data/items/0/date_of_birth"),
            (
                json!({"date_of_birth": {"day": null}}),
                "/data/items/0/date_of_birth/day",
            ),
            (json!({"contact_methods": [null]}), "/data/items/0/contact_methods/0"),
            (json!({"custom_fields": null}), "/data/items/0/custom_fields"),
            (
                json!({"first_visit": [{"venue": [{"id": null}]}]}),
                "/data/items/0/first_visit/0/venue/0/id",
            ),
        ] {
            let judged = Fixture::of("getContacts").body(&json!({"data": {"items": [contact]}}));
            assert_eq!(judged.locations("null-value").0, location);
            assert!(judged.findings("wrong-type").is_empty(), "{location}");
        }
    }

    #[test]
    fn a_contract_that_leaves_no_such_gap_makes_null_a_wrong_type() {
        let fixture = Fixture::schema("{type: object, properties: {name: {type: string}}}");
        let judged = fixture.body(&json!({"name": null}));
        assert!(judged.findings("null-value").is_empty());
        assert_eq!(judged.fact("getThings /name: string"), Verdict::Broken);
        assert_eq!(judged.finding("wrong-type").level, Level::Deny);
    }

    #[test]
    fn a_documented_null_is_no_finding() {
        let fixture = Fixture::schema("{type: object, properties: {name: {type: string, nullable: true}}}");
        let judged = fixture.body(&json!({"name": null}));
        assert_eq!(judged.fact("getThings /name: string or null"), Verdict::Held);
        assert!(judged.verdicts.findings().is_empty());
    }

    #[test]
    fn the_finding_points_at_the_null_and_at_the_type() {
        let judged = Fixture::of("getTags").body(&json!({"data": {"items": [{"name": "a"}, {"name": null}]}}));
        assert_eq!(
            judged.locations("null-value"),
            ("/data/items/1/name", "/components/schemas/Tag/properties/name/type")
        );
    }
}
