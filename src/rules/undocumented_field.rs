//! `undocumented-field`: a record has a field that the document does not list.

use serde_json::Value;

use super::level::Level;
use super::location::LocatedValue;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::Sink;

pub(super) static RULE: Rule = Rule {
    name: "undocumented-field",
    level: Level::Warn,
    headline: Headline::Field("is not documented", "are not documented"),
    topic: Topic::Fields,
    summary: "A record has the fields that the document lists for responses and no others.",
    explanation: "The document does not exclude further fields, so this is a warning. Callers may come to rely on a \
                  field that nobody promised, and an unexpected field may expose what nobody should see. Its name is \
                  shown if it is a plain identifier, otherwise as a shape: a target could put a value there. A field \
                  that is `writeOnly` is documented for requests alone, and often a password; so is one that each write \
                  of the same record marks so, whether or not the response's schema admits further fields.",
    exceptions: "Objects that the contract closes (`envelope` is strict there), opens with `additionalProperties`, \
                   or gives no fields. A `writeOnly` field that is null, empty or masked (`****`).",
    fix: "Document the field, or leave it out.",
    source: "The document, section \"Resources and their fields\", which does not mention other fields",
    example: Example {
        fact: "getTags /data/items/*: object",
        documented: "no field of this name",
        received: "string(3)",
        pointer: "/data/items/0/shade",
        #[cfg(test)]
        judged: || {
            use serde_json::json;
            let item = json!({"id": "t-1", "name": "regular", "shade": "red"});
            crate::rules::testing::Fixture::of("getTags").body(&json!({"data": {"items": [item]}}))
        },
    },
    judge: Judging::Object(judge),
};

fn judge(location: &LocatedValue<'_>, sink: &mut Sink<'_>) {
    let shape = location.shape;
    let Some(fact) = shape.type_fact else { return };
    let says_nothing =
        shape.fields.is_empty() || shape.allows_unlisted_fields || shape.closed.is_some() || shape.additional.is_some();
    for (name, value, field) in location.members() {
        let is_for_requests = match field {
            Some(field) => field.is_write_only,
            None => shape.closed.is_none() && shape.additional.is_none() && shape.names_for_requests.contains(name),
        };
        let documented = match field {
            _ if is_for_requests && shows_something(value) => "a field for requests alone (writeOnly)",
            _ if is_for_requests => continue,
            // `constraint` judges which alternative a response follows.
            None if !says_nothing
                && !shape.forbidden.contains_key(name)
                && !shape.names_of_alternatives.contains(name) =>
            {
                "no field of this name"
            }
            _ => continue,
        };
        sink.report_member((fact, documented), location, (name, value));
    }
}

/// Whether a value shows a secret. Null, an empty value, asterisks, dots or the letter x in place of it do not, nor
/// before its last characters, nor does a word in brackets ("****1234", "[FILTERED]").
fn shows_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => {
            let is_word = |(open, close): (char, char)| text.starts_with(open) && text.ends_with(close);
            let has_mark = ["***", "\u{2022}\u{2022}\u{2022}"]
                .iter()
                .any(|mask| text.contains(mask));
            // The letter x masks where it is most of the text: "4111xxxxxxxx1111", and not "fooxxxbar9".
            let count = |is_counted: fn(char) -> bool| text.chars().filter(|letter| is_counted(*letter)).count();
            let (masks, all) = (
                count(|letter| matches!(letter, 'x' | 'X')),
                count(char::is_alphanumeric),
            );
            let is_masked = has_mark || masks >= 3 && masks * 2 >= all;
            let has_letters = text
                .chars()
                .any(|letter| letter.is_alphanumeric() && !matches!(letter, 'x' | 'X'));
            has_letters && !is_masked && ![('[', ']'), ('<', '>')].into_iter().any(is_word)
        }
        Value::Array(elements) => !elements.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::Verdict;
    use crate::rules::testing::{Fixture, Judged};

    #[test]
    fn listed_fields_alone_are_no_finding() {
        let judged = Fixture::of("createTag").body(&json!({"message": "", "data": {"id": "t-1", "name": "regular"}}));
        assert!(judged.findings("undocumented-field").is_empty());
    }

    #[test]
    fn another_field_is_a_warning_and_breaks_no_fact() {
        let judged = Fixture::of("createTag").body(&json!({"message": "", "data": {"color": "#1A2B3C"}}));
        assert_eq!(judged.finding("undocumented-field").level, Level::Warn);
        assert_eq!(judged.fact("createTag /data: object"), Verdict::Held);
        assert_eq!(
            judged.finding("undocumented-field").documented.as_deref(),
            Some("no field of this name")
        );
    }

    #[test]
    fn a_field_for_requests_alone_is_a_warning_unless_it_shows_nothing() {
        let document = "openapi: 3.0.3
info: {title: Users, version: '1'}
paths:
  /user:
    get:
      operationId: getUser
      responses:
        '200':
          description: OK
          content:
            application/json:
              schema:
                {type: object, properties: {name: {type: string}, password: {type: string, writeOnly: true}}}
";
        let of = |password| {
            let body = json!({"name": "synthetic", "password": password});
            Fixture::text(document, "getUser").body(&body)
        };
        let judged = of(json!("countersign-1"));
        let finding = judged.finding("undocumented-field");
        assert_eq!((finding.level, finding.pointer.as_str()), (Level::Warn, "/password"));
        assert_eq!(of(json!("fooxxxbar9")).findings("undocumented-field").len(), 1);
        for hidden in [
            json!(null),
            json!(""),
            json!("********"),
            json!("xxxx"),
            json!("4111xxxxxxxx1111"),
            json!("••••"),
            json!([]),
            json!({}),
        ] {
            assert!(of(hidden).findings("undocumented-field").is_empty());
        }
    }

    /// The response to the read of a user whose password is for requests alone by this schema of the create's body,
    /// where the schema of the user is this one.
    fn user(password: &str, (user, shown): (&str, &Value)) -> Judged {
        let document = format!(
            "openapi: 3.0.3
info: {{title: Users, version: '1'}}
paths:
  /users:
    post:
      operationId: addUser
      requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {{password: {password}}}}}}}}}}}
      responses: {{'201': {{$ref: '#/components/responses/User'}}}}
  /users/{{userId}}:
    parameters: [{{name: userId, in: path, required: true, schema: {{type: integer}}}}]
    get: {{operationId: getUser, responses: {{'200': {{$ref: '#/components/responses/User'}}}}}}
components:
  responses:
    User: {{description: User, content: {{application/json: {{schema: {user}}}}}}}
"
        );
        Fixture::text(&document, "getUser").body(&json!({"id": 1, "password": shown}))
    }

    #[test]
    fn a_field_that_the_writes_of_a_record_mark_for_requests_alone_is_a_warning_in_its_responses() {
        let (hidden, open) = ("{type: string, writeOnly: true}", "additionalProperties: true");
        let with = |rest: &str| format!("{{type: object, properties: {{id: {{type: integer}}}}, {rest}}}");
        for schema in [with(open), with("title: User")] {
            let judged = user(hidden, (&schema, &json!("countersign-1")));
            let documented = judged.finding("undocumented-field").documented.as_deref();
            assert_eq!(documented, Some("a field for requests alone (writeOnly)"), "{schema}");
            for masked in [
                json!(null),
                json!("****"),
                json!("****1234"),
                json!("[FILTERED]"),
                json!(""),
            ] {
                let judged = user(hidden, (&schema, &masked));
                assert!(judged.findings("undocumented-field").is_empty(), "{schema} {masked}");
            }
        }
        let left_alone = [
            ("{type: string}", with(open)),
            (hidden, with("additionalProperties: {type: string}")),
            (
                hidden,
                "{type: object, properties: {id: {type: integer}, password: {type: string}}}".to_owned(),
            ),
        ];
        for (password, schema) in left_alone {
            let judged = user(password, (&schema, &json!("countersign-1")));
            assert!(judged.findings("undocumented-field").is_empty(), "{password} {schema}");
        }
    }

    #[test]
    fn arbitrary_keys_are_documented_in_custom_fields() {
        let judged = Fixture::of("getContacts").body(&json!({"data": {"items": [{"custom_fields": {"shoe": 42}}]}}));
        assert!(judged.findings("undocumented-field").is_empty());
    }

    #[test]
    fn a_schema_that_lists_no_field_says_nothing() {
        for schema in [
            "{type: object}",
            "{type: object, properties: {a: {type: string}}, additionalProperties: true}",
            "{type: object, properties: {a: {type: string}}, additionalProperties: {type: integer}}",
        ] {
            let judged = Fixture::schema(schema).body(&json!({"b": 1}));
            assert!(judged.verdicts.findings().is_empty(), "{schema}");
        }
    }

    #[test]
    fn a_schema_that_is_open_at_a_part_or_at_an_alternative_says_nothing() {
        let listed = "{type: object, properties: {a: {type: string}}}";
        for open in ["true", "{}", "{type: integer}"] {
            let part = format!("{{type: object, additionalProperties: {open}}}");
            for schema in [
                format!("{{allOf: [{listed}, {part}]}}"),
                format!("{{allOf: [{listed}, {{allOf: [{part}]}}]}}"),
                format!("{{type: object, properties: {{a: {{}}}}, oneOf: [{part}, {{required: [c]}}]}}"),
                format!("{{type: object, properties: {{a: {{}}}}, allOf: [{{anyOf: [{{allOf: [{part}]}}]}}]}}"),
            ] {
                let judged = Fixture::schema(&schema).body(&json!({"b": 1}));
                assert!(judged.findings("undocumented-field").is_empty(), "{schema}");
            }
        }
        for schema in [
            format!("{{allOf: [{listed}, {{type: object}}]}}"),
            format!("{{allOf: [{listed}, {{properties: {{c: {{additionalProperties: true}}}}}}]}}"),
            format!("{{type: object, properties: {{a: {{}}}}, oneOf: [{listed}]}}"),
        ] {
            let judged = Fixture::schema(&schema).body(&json!({"b": 1}));
            assert_eq!(judged.finding("undocumented-field").pointer, "/b", "{schema}");
        }
    }

    #[test]
    fn what_an_alternative_lists_is_documented() {
        let alternatives = "oneOf: [{required: [b], properties: {b: {}}}, {required: [c], properties: {c: {}}}]";
        let fixture = Fixture::schema(&format!("{{type: object, properties: {{a: {{}}}}, {alternatives}}}"));
        assert!(fixture.body(&json!({"a": 1, "b": 1})).verdicts.findings().is_empty());
        assert_eq!(
            fixture
                .body(&json!({"b": 1, "d": 1}))
                .finding("undocumented-field")
                .count,
            1
        );
    }

    #[test]
    fn the_finding_names_the_field_and_not_its_value() {
        let judged = Fixture::of("createTag").body(&json!({"data": {"internal": "secret"}}));
        assert_eq!(
            judged.locations("undocumented-field"),
            ("/data/internal", "/components/schemas/Tag/type")
        );
        assert_eq!(judged.received("undocumented-field"), "string(6)");
    }

    #[test]
    fn a_name_that_the_contract_knows_elsewhere_is_reported() {
        let judged = Fixture::of("createTag").body(&json!({"data": {"address": "1 Example Street"}}));
        assert_eq!(judged.finding("undocumented-field").pointer, "/data/address");
    }

    #[test]
    fn a_name_that_looks_like_data_is_not_reported_and_the_finding_says_how_to_see_it() {
        for name in ["jane.roe@example.com", "447700900123", "user-12345", "Jane Roe"] {
            let body = json!({"data": {name: "secret"}});
            let judged = Fixture::of("createTag").body(&body);
            let finding = judged.finding("undocumented-field");
            assert_eq!(finding.pointer, format!("/data/<undocumented name({})>", name.len()));
            assert!(
                finding.received.starts_with("string(6) (show-values reveals"),
                "{}",
                finding.received
            );
            let shown = Fixture::of("createTag").showing_values().body(&body);
            let finding = shown.finding("undocumented-field");
            assert_eq!(
                (finding.pointer.as_str(), finding.received.as_str()),
                (format!("/data/{name}").as_str(), "\"secret\"")
            );
        }
    }

    #[test]
    fn each_name_is_a_finding_and_none_hides_another() {
        let judged = Fixture::of("getTags").body(&json!({"data": {"items": [
            {"shade": 1, "internal": 2, "a@example.com": 3}, {"internal": 4, "b c": 5}
        ]}}));
        let findings = judged.findings("undocumented-field");
        let seen: Vec<_> = findings
            .iter()
            .map(|finding| (finding.pointer.as_str(), finding.count))
            .collect();
        assert_eq!(
            seen,
            [
                ("/data/items/0/shade", 1),
                ("/data/items/0/internal", 2),
                ("/data/items/0/<undocumented name(13)>", 2)
            ]
        );
    }

    #[test]
    fn names_that_are_not_printed_share_one_finding_among_many_others_too() {
        let mut items = vec![json!({"a@example.com": 1})];
        items.extend(["q", "r", "s", "t", "u", "v", "w"].map(|name| json!({format!("{name}hade"): 1})));
        items.push(json!({"b c": 1, "more": 1}));
        let judged = Fixture::of("getTags").body(&json!({"data": {"items": items}}));
        let findings = judged.findings("undocumented-field");
        let seen = |pointer: &str| {
            findings
                .iter()
                .find(|finding| finding.pointer == pointer)
                .map(|finding| finding.count)
        };
        assert_eq!(findings.len(), 9);
        assert_eq!(seen("/data/items/0/<undocumented name(13)>"), Some(2));
        assert_eq!(seen("/data/items/8/*"), Some(1));
    }

    #[test]
    fn of_very_many_names_the_first_are_reported_and_the_others_counted() {
        let names = |index: u8| {
            format!(
                "field_{}{}",
                char::from(b'g' + index / 10),
                char::from(b'o' + index % 10)
            )
        };
        for fixture in [Fixture::of("createTag"), Fixture::of("createTag").showing_values()] {
            let fields: serde_json::Map<_, _> = (0..40).map(|index| (names(index), json!(1))).collect();
            let judged = fixture.body(&json!({"data": fields}));
            let findings = judged.findings("undocumented-field");
            assert_eq!(findings.len(), 9);
            assert_eq!(findings[7].pointer, format!("/data/{}", names(7)));
            assert_eq!((findings[8].pointer.as_str(), findings[8].count), ("/data/*", 32));
        }
    }
}
