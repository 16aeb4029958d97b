//! `constraint`: a value is outside what its schema asserts beyond the type: `enum`, `pattern`, `format`, bounds,
//! `oneOf`.

use super::level::Level;
use super::location::LocatedValue;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::{Reason, Sink};
use crate::contract::document::Node;
use crate::exchange::CompiledSchema;

pub(super) static RULE: Rule = Rule {
    name: "constraint",
    level: Level::Deny,
    headline: Headline::Field(
        "breaks an assertion of its schema",
        "break an assertion of their schema",
    ),
    topic: Topic::Values,
    summary: "Every value satisfies what its schema asserts beyond its type.",
    explanation: "`enum`, `pattern`, `format`, bounds, `oneOf`, `not` and the other keywords of a schema are checked \
                  for every value at its location. The built-in contract has no such assertion in its responses; a \
                  contract given with --spec may.",
    exceptions: "A null that the contract documents, or leaves open as a gap. An assertion that cannot be read, such \
                   as an invalid pattern: the fact stays undecided.",
    fix: "Return a value that satisfies the assertion, or relax the assertion.",
    source: "OpenAPI 3.0.3, section 4.7.24",
    example: Example {
        fact: "getThings /state: enum",
        documented: "enum: \"open\", \"shut\"",
        received: "string(4)",
        pointer: "/state",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            let fixture = crate::rules::testing::Fixture::schema(
                "{type: object, properties: {state: {type: string, enum: [open, shut]}}}",
            );
            fixture.body(&json!({"state": "ajar"}))
        },
    },
    judge: Judging::Location(judge),
};

fn judge(location: &LocatedValue<'_>, sink: &mut Sink<'_>) {
    let shape = location.shape;
    // Where no type is stated, the alternatives themselves decide whether null is allowed, unless `nullable` stands
    // next to the `$ref` or `allOf` that leads here.
    let documented = shape.nullable && (shape.type_fact.is_some() || shape.nullable_beside_ref);
    if location.value.is_null() && (documented || location.shape.null_is_open) {
        return;
    }
    for (fact, schema) in &location.shape.other_assertions {
        if location.value.is_null() && says_nullable(location, schema) {
            continue;
        }
        let assertion = location.assertions.of(location.contract, schema);
        match &*assertion {
            CompiledSchema::Unreadable(why) => sink.undecided(*fact, Reason::AssertionUnreadable(why.clone())),
            compiled if compiled.holds(location.value) == Some(true) => sink.held(*fact),
            compiled => {
                let values = sink.values;
                let at_and_received = || (location.pointer(), values.render(location.value));
                sink.broken_with(*fact, || compiled.unmet_demands(location.value), at_and_received);
            }
        }
    }
}

/// Returns whether the schema has `nullable`. Strictly, that has no effect without a `type` next to it (OpenAPI 3.0.3,
/// section 4.7.24.1), but nobody writes it to exclude null.
fn says_nullable(location: &LocatedValue<'_>, schema: &str) -> bool {
    let nullable = location
        .contract
        .document
        .node(schema)
        .and_then(|node| node.member("nullable"));
    nullable.and_then(Node::boolean) == Some(true)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::rules::testing::{Fixture, Judged};
    use crate::rules::{Level, Reason, Verdict};

    fn judged(schema: &str, value: &Value) -> Judged {
        Fixture::schema(&format!("{{type: object, properties: {{field: {schema}}}}}")).body(&json!({"field": value}))
    }

    #[test]
    fn a_value_within_its_bounds_holds_and_one_beyond_is_broken() {
        for (schema, keyword, good, bad) in [
            ("{type: string, enum: [a, b]}", "enum", json!("a"), json!("c")),
            ("{type: string, pattern: '^a+$'}", "pattern", json!("aa"), json!("ab")),
            ("{type: integer, minimum: 1}", "minimum", json!(1), json!(0)),
            (
                "{type: array, items: {}, maxItems: 1}",
                "maxItems",
                json!([1]),
                json!([1, 2]),
            ),
            (
                "{type: string, format: uuid}",
                "format",
                json!("3f6f1f0e-52a5-4c53-8d7a-7a2f6f1f0e52"),
                json!("7"),
            ),
            (
                "{oneOf: [{type: string}, {type: integer}]}",
                "oneOf",
                json!(1),
                json!(1.5),
            ),
            ("{not: {type: string}}", "not", json!(1), json!("a")),
        ] {
            let fact = format!("getThings /field: {keyword}");
            assert_eq!(judged(schema, &good).fact(&fact), Verdict::Held, "{schema}");
            assert_eq!(judged(schema, &bad).fact(&fact), Verdict::Broken, "{schema}");
            assert_eq!(judged(schema, &bad).finding("constraint").level, Level::Deny);
        }
    }

    /// `getPets`, whose response has this schema, with a hierarchy of pets.
    fn pets(schema: &str) -> Fixture {
        let own = |name: &str| {
            format!(
                "{{allOf: [{{$ref: '#/components/schemas/Pet'}}, {{type: object, required: [{name}], properties: {{{name}: \
                 {{type: integer}}, code: {{type: string, writeOnly: true}}}}}}]}}"
            )
        };
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: Pets, version: '1'}}\npaths:\n  /pets: {{get: {{operationId: getPets, responses: \
             {{'200': {{description: a, content: {{application/json: {{schema: {schema}}}}}}}}}}}}}\ncomponents:\n  schemas:\n    \
             Pet: {{type: object, required: [kind], properties: {{kind: {{type: string}}}}, discriminator: {{propertyName: \
             kind, mapping: {{dog: '#/components/schemas/Dog', rock: '#/components/schemas/Stone'}}}}}}\n    Dog: {}\n    Cat: \
             {}\n    Stone: {{type: object, required: [weight]}}\n",
            own("barks"),
            own("lives")
        );
        Fixture::text(&text, "getPets")
    }

    #[test]
    fn a_discriminator_decides_which_of_the_definitions_that_inherit_applies() {
        let fixture = pets("{$ref: '#/components/schemas/Pet'}");
        let fact = "getPets body: discriminator";
        for (body, verdict) in [
            (json!({"kind": "dog", "barks": 3}), Verdict::Held),
            (json!({"kind": "Cat", "lives": 9}), Verdict::Held),
            (json!({"kind": "dog", "barks": "loud"}), Verdict::Broken),
            (json!({"kind": "dog", "lives": 9}), Verdict::Broken),
            (json!({"kind": "Cat"}), Verdict::Broken),
            // A value that names no inheriting definition states nothing.
            (json!({"kind": "Dog"}), Verdict::Held),
            (json!({"kind": "rock"}), Verdict::Held),
            (json!({"kind": "bird", "wings": 2}), Verdict::Held),
        ] {
            let judged = fixture.body(&body);
            assert_eq!(judged.fact(fact), verdict, "{body}");
            let findings = judged.verdicts.findings().iter();
            let is_other = |finding: &&crate::rules::Finding| finding.rule.name != "constraint";
            let undocumented = findings.filter(is_other).count();
            assert_eq!(undocumented, usize::from(body.get("wings").is_some()), "{body}");
        }
        let broken = fixture.body(&json!({"kind": "Cat"}));
        assert_eq!(
            broken.locations("constraint"),
            ("", "/components/schemas/Pet/discriminator")
        );
    }

    #[test]
    fn a_definition_that_inherits_has_its_own_facts_and_no_others() {
        let fixture = pets("{$ref: '#/components/schemas/Cat'}");
        assert!(
            fixture
                .contract
                .facts
                .iter()
                .all(|fact| fact.documented != "discriminator")
        );
        assert!(
            fixture
                .body(&json!({"kind": "dog", "lives": 9}))
                .verdicts
                .findings()
                .is_empty()
        );
        let items = pets("{type: array, items: {$ref: '#/components/schemas/Pet'}}");
        let judged = items.body(&json!([{"kind": "Cat", "lives": 9}, {"kind": "dog"}]));
        assert_eq!(judged.locations("constraint").0, "/1");
    }

    #[test]
    fn a_value_that_names_its_alternative_may_fit_an_open_one_too() {
        let choice = "oneOf: [{type: object, required: [a]}, {type: object, required: [b]}]";
        let fact = "getThings /field: oneOf";
        let both = json!({"a": 1, "b": 2, "kind": "x"});
        let named = format!("{{{choice}, discriminator: {{propertyName: kind}}}}");
        assert_eq!(judged(&named, &both).fact(fact), Verdict::Held);
        assert_eq!(judged(&named, &json!({"kind": "x"})).fact(fact), Verdict::Broken);
        assert_eq!(judged(&format!("{{{choice}}}"), &both).fact(fact), Verdict::Broken);
    }

    #[test]
    fn a_documented_null_is_not_held_to_the_enum() {
        let result = judged("{type: string, nullable: true, enum: [a]}", &json!(null));
        assert_eq!(
            result.fact("getThings /field: enum"),
            Verdict::Undecided(Reason::NotShown)
        );
        assert!(result.verdicts.findings().is_empty());
    }

    #[test]
    fn null_must_fit_an_alternative_where_there_is_no_type() {
        let fact = "getThings /field: oneOf";
        let result = judged("{oneOf: [{type: string}, {type: integer}]}", &json!(null));
        assert_eq!(result.fact(fact), Verdict::Broken);
        let result = judged(
            "{oneOf: [{type: string, nullable: true}, {type: integer}]}",
            &json!(null),
        );
        assert_eq!(result.fact(fact), Verdict::Held);
        for schema in [
            "{nullable: true, allOf: [{oneOf: [{type: string}, {type: integer}]}]}",
            "{nullable: true, allOf: [{allOf: [{oneOf: [{type: string}, {type: integer}]}]}]}",
        ] {
            let result = judged(schema, &json!(null));
            assert_ne!(result.fact("getThings /field: oneOf"), Verdict::Broken, "{schema}");
            assert_eq!(
                judged(schema, &json!([])).fact("getThings /field: oneOf"),
                Verdict::Broken,
                "{schema}"
            );
        }
        let result = judged("{nullable: true, oneOf: [{type: string}]}", &json!(null));
        assert!(result.verdicts.findings().is_empty());
    }

    #[test]
    fn a_location_that_is_not_shown_is_undecided() {
        let judged = Fixture::schema("{type: object, properties: {field: {type: string, enum: [a]}}}").body(&json!({}));
        assert_eq!(
            judged.fact("getThings /field: enum"),
            Verdict::Undecided(Reason::NotShown)
        );
    }

    #[test]
    fn an_assertion_that_cannot_be_read_decides_nothing() {
        let result = judged("{type: string, pattern: '('}", &json!("a"));
        let verdict = result.fact("getThings /field: pattern");
        assert!(
            matches!(verdict, Verdict::Undecided(Reason::AssertionUnreadable(_))),
            "{verdict:?}"
        );
    }

    #[test]
    fn the_built_in_contract_asserts_nothing_of_its_responses() {
        let contract = Fixture::of("getTags").contract;
        assert!(contract.shapes.iter().all(|shape| shape.other_assertions.is_empty()));
    }

    #[test]
    fn the_finding_points_at_the_value_and_at_the_keyword() {
        let judged = Fixture::schema("{type: array, items: {type: string, enum: [a]}}").body(&json!(["a", "b"]));
        let schema = "/paths/~1things/get/responses/200/content/application~1json/schema";
        assert_eq!(
            judged.locations("constraint"),
            ("/1", format!("{schema}/items/enum").as_str())
        );
        assert_eq!(judged.received("constraint"), "string(1)");
        assert_eq!(judged.finding("constraint").documented.as_deref(), Some("enum: \"a\""));
    }
}
