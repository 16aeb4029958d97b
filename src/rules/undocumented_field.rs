//! `undocumented-field`: a resource has a field that the document does not list.

use super::level::Level;
use super::place::Place;
use super::rule::{Example, Judging, Rule};
use super::verdict::Sink;

pub(super) static RULE: Rule = Rule {
    name: "undocumented-field",
    level: Level::Warn,
    summary: "A resource has the fields that the document lists and no others.",
    explanation: "The document does not exclude further fields, so one is a warning: callers may come to rely on \
                  what nobody promised, and a field that nobody expected may hold what nobody should see. Its name \
                  is told as a shape, because a target could put a value there.",
    leaves_alone: "Objects that the contract closes (`envelope` is strict there), opens by `additionalProperties`, \
                   or gives no fields.",
    mend: "Document the field, or leave it out.",
    source: "Resources and their fields, silent on other fields",
    example: Example {
        fact: "getTags /data/items/*: object",
        documented: "no field of this name",
        received: "string(3)",
        pointer: "/data/items/0/<undocumented name(5)>",
        #[cfg(test)]
        shown: || {
            use serde_json::json;
            let item = json!({"id": "t-1", "name": "regular", "shade": "red"});
            crate::rules::testing::Bench::of("getTags").body(&json!({"data": {"items": [item]}}))
        },
    },
    judge: Judging::Object(judge),
};

fn judge(place: &Place<'_>, sink: &mut Sink<'_>) {
    let shape = place.shape;
    let says_nothing = shape.fields.is_empty() || shape.open || shape.closed.is_some() || shape.additional.is_some();
    let (Some(fact), false) = (shape.type_fact, says_nothing) else {
        return;
    };
    for (name, value, _) in place.members().filter(|(_, _, field)| field.is_none()) {
        let forbidden = shape.forbidden.contains_key(name);
        // Which alternative an answer follows is for `constraint` to say.
        let of_an_alternative = shape.alternatives.contains(name);
        if !forbidden && !of_an_alternative {
            let values = sink.origin.values;
            let received = || values.tell(value);
            sink.noted(fact, Some("no field of this name"), || place.member(name), received);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::rules::testing::Bench;
    use crate::rules::{Level, Verdict};

    #[test]
    fn listed_fields_alone_are_no_finding() {
        let told = Bench::of("createTag").body(&json!({"message": "", "data": {"id": "t-1", "name": "regular"}}));
        assert!(told.findings("undocumented-field").is_empty());
    }

    #[test]
    fn another_field_is_a_warning_and_breaks_no_fact() {
        let told = Bench::of("createTag").body(&json!({"message": "", "data": {"color": "#1A2B3C"}}));
        assert_eq!(told.finding("undocumented-field").level, Level::Warn);
        assert_eq!(told.fact("createTag /data: object"), Verdict::Held);
        assert_eq!(
            told.finding("undocumented-field").documented.as_deref(),
            Some("no field of this name")
        );
    }

    #[test]
    fn arbitrary_keys_are_documented_in_custom_fields() {
        let told = Bench::of("getContacts").body(&json!({"data": {"items": [{"custom_fields": {"shoe": 42}}]}}));
        assert!(told.findings("undocumented-field").is_empty());
    }

    #[test]
    fn a_schema_that_lists_no_field_says_nothing() {
        for schema in [
            "{type: object}",
            "{type: object, properties: {a: {type: string}}, additionalProperties: true}",
            "{type: object, properties: {a: {type: string}}, additionalProperties: {type: integer}}",
        ] {
            let told = Bench::schema(schema).body(&json!({"b": 1}));
            assert!(told.verdicts.findings().is_empty(), "{schema}");
        }
    }

    #[test]
    fn what_an_alternative_lists_is_documented() {
        let alternatives = "oneOf: [{required: [b], properties: {b: {}}}, {required: [c], properties: {c: {}}}]";
        let bench = Bench::schema(&format!("{{type: object, properties: {{a: {{}}}}, {alternatives}}}"));
        assert!(bench.body(&json!({"a": 1, "b": 1})).verdicts.findings().is_empty());
        assert_eq!(
            bench.body(&json!({"b": 1, "d": 1})).finding("undocumented-field").count,
            1
        );
    }

    #[test]
    fn the_finding_points_at_the_field_without_naming_it() {
        let told = Bench::of("createTag").body(&json!({"data": {"internal": "secret"}}));
        assert_eq!(
            told.places("undocumented-field"),
            ("/data/<undocumented name(8)>", "/components/schemas/Tag/type")
        );
        assert_eq!(told.received("undocumented-field"), "string(6)");
    }

    #[test]
    fn a_name_that_the_contract_knows_elsewhere_is_told() {
        let told = Bench::of("createTag").body(&json!({"data": {"address": "1 Example Street"}}));
        assert_eq!(told.finding("undocumented-field").pointer, "/data/address");
    }
}
