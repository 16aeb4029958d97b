//! Edits of a schema: each in both directions and on both sides.

use super::support::{assert_locations, compared, lines, on_each_side, with_schemas};
use crate::support::tried;

/// An edit: the old schema, the new one, and what it means in a request and in a response; the reverse is expected to
/// mean the opposite, unless it is given.
pub(super) type Edit<'text> = (&'text str, &'text str, [&'text str; 2], [&'text str; 2]);

const BREAKS_REQUESTS: [&str; 2] = ["breaking", "compatible"];
const BREAKS_RESPONSES: [&str; 2] = ["compatible", "breaking"];
const BREAKS_BOTH: [&str; 2] = ["breaking", "breaking"];
const UNCLEAR: [&str; 2] = ["unclear", "unclear"];
const NEWS: [&str; 2] = ["compatible", "compatible"];

pub(super) const EDITS: &[Edit<'_>] = &[
    ("{type: number}", "{type: integer}", BREAKS_REQUESTS, BREAKS_RESPONSES),
    ("{type: string}", "{type: integer}", BREAKS_BOTH, BREAKS_BOTH),
    (
        "{type: string}",
        "{type: array, items: {type: string}}",
        BREAKS_BOTH,
        BREAKS_BOTH,
    ),
    ("{}", "{type: string}", BREAKS_REQUESTS, BREAKS_RESPONSES),
    // Neither admits null.
    ("{const: a}", "{type: string, const: a}", ["-", "-"], ["-", "-"]),
    (
        "{type: string, nullable: true}",
        "{type: string}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: string, enum: [a, b]}",
        "{type: string, enum: [a]}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: string, maxLength: 2}",
        "{type: string, enum: [a, bc]}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: string, maxLength: 1}",
        "{type: string, enum: [a, bc]}",
        BREAKS_BOTH,
        BREAKS_BOTH,
    ),
    (
        "{type: integer, minimum: 1}",
        "{type: integer, enum: [1, 5]}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: string, enum: [a, b]}",
        "{type: string, enum: [a, c]}",
        BREAKS_BOTH,
        BREAKS_BOTH,
    ),
    (
        "{type: string}",
        "{type: string, enum: [a]}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: integer}",
        "{type: integer, minimum: 1}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: integer, minimum: 1}",
        "{type: integer, minimum: 2}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: integer, maximum: 9}",
        "{type: integer, maximum: 8}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: number, minimum: 1}",
        "{type: number, minimum: 1, exclusiveMinimum: true}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: integer, format: int64}",
        "{type: integer, format: int32}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    ("{type: integer}", "{type: integer, format: int64}", UNCLEAR, UNCLEAR),
    (
        "{type: number, format: double}",
        "{type: number, format: float}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: string}",
        "{type: string, maxLength: 9}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: string, minLength: 1}",
        "{type: string, minLength: 2}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: string}",
        "{type: string, pattern: '^a'}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: string, pattern: '^b'}",
        "{type: string, pattern: '^a'}",
        UNCLEAR,
        UNCLEAR,
    ),
    (
        "{type: string}",
        "{type: string, format: uuid}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: string, format: date}",
        "{type: string, format: date-time}",
        BREAKS_BOTH,
        BREAKS_BOTH,
    ),
    ("{type: string}", "{type: string, format: phone}", UNCLEAR, UNCLEAR),
    (
        "{type: integer}",
        "{type: integer, multipleOf: 2}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: integer, multipleOf: 2}",
        "{type: integer, multipleOf: 4}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: integer, multipleOf: 2}",
        "{type: integer, multipleOf: 3}",
        BREAKS_BOTH,
        BREAKS_BOTH,
    ),
    (
        "{type: array, items: {type: number}}",
        "{type: array, items: {type: integer}}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: array, items: {}}",
        "{type: array, items: {}, maxItems: 3}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: array, items: {}}",
        "{type: array, items: {}, minItems: 1}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: array, items: {}}",
        "{type: array, items: {}, uniqueItems: true}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    // Optional properties of an open object: to add one is harmless, to remove one leaves open what its name means now.
    (
        "{type: object}",
        "{type: object, properties: {a: {type: string}}}",
        NEWS,
        UNCLEAR,
    ),
    (
        "{type: object, properties: {a: {type: string}}}",
        "{type: object, required: [a], properties: {a: {type: string}}}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: object}",
        "{type: object, required: [a], properties: {a: {type: string}}}",
        BREAKS_REQUESTS,
        ["unclear", "breaking"],
    ),
    (
        "{type: object, additionalProperties: false}",
        "{type: object, additionalProperties: false, properties: {a: {type: string}}}",
        BREAKS_RESPONSES,
        BREAKS_REQUESTS,
    ),
    (
        "{type: object, properties: {a: {type: string}}}",
        "{type: object, required: [a], properties: {a: {type: string, default: x}}}",
        ["unclear", "compatible"],
        ["unclear", "breaking"],
    ),
    (
        "{type: object}",
        "{type: object, additionalProperties: false}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: object, additionalProperties: {type: number}}",
        "{type: object, additionalProperties: {type: integer}}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: object}",
        "{type: object, additionalProperties: {type: integer}}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: object}",
        "{type: object, minProperties: 1}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: object}",
        "{type: object, required: [a]}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{oneOf: [{type: string}, {type: integer}]}",
        "{oneOf: [{type: string}]}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{anyOf: [{type: string}, {type: integer}]}",
        "{type: string}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{oneOf: [{type: string}, {type: integer}]}",
        "{oneOf: [{type: string, maxLength: 4}, {type: integer}]}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    // Null is admitted by both, whether it is next to one alternative or to two.
    (
        "{anyOf: [{type: string}, {type: 'null'}]}",
        "{anyOf: [{type: string}, {type: integer}, {type: 'null'}]}",
        BREAKS_RESPONSES,
        BREAKS_REQUESTS,
    ),
    (
        "{type: string, nullable: true}",
        "{oneOf: [{type: string}, {type: integer}]}",
        BREAKS_BOTH,
        BREAKS_BOTH,
    ),
    (
        "{type: integer}",
        "{type: integer, not: {enum: [3]}}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: integer, not: {enum: [3]}}",
        "{type: integer, not: {enum: [3, 4]}}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: integer, maximum: 9223372036854775807}",
        "{type: integer, maximum: 9223372036854775806}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
    (
        "{type: string, format: byte}",
        "{type: string, format: binary}",
        BREAKS_BOTH,
        BREAKS_BOTH,
    ),
    // What holds for every other name holds for one that is removed.
    (
        "{type: object, properties: {a: {type: integer}}, additionalProperties: {type: number}}",
        "{type: object, additionalProperties: {type: number}}",
        BREAKS_RESPONSES,
        BREAKS_REQUESTS,
    ),
    (
        "{type: object, properties: {a: {type: string}}, additionalProperties: {type: number}}",
        "{type: object, additionalProperties: {type: number}}",
        BREAKS_BOTH,
        BREAKS_BOTH,
    ),
    (
        "{type: integer, not: {enum: [3]}}",
        "{type: integer, not: {enum: [4]}}",
        BREAKS_BOTH,
        BREAKS_BOTH,
    ),
    (
        "{type: integer, default: 1}",
        "{type: integer, default: 2}",
        ["unclear", "compatible"],
        ["unclear", "compatible"],
    ),
    ("{type: integer}", "{type: integer, deprecated: true}", NEWS, NEWS),
    // What exists on one side alone is compared on that side alone.
    (
        "{type: object, properties: {a: {type: string, readOnly: true}}}",
        "{type: object, properties: {a: {type: integer, readOnly: true}}}",
        ["-", "breaking"],
        ["-", "breaking"],
    ),
    (
        "{type: object, required: [a], properties: {a: {type: string, writeOnly: true}}}",
        "{type: object, properties: {b: {type: string}}}",
        ["unclear", "compatible"],
        ["breaking", "unclear"],
    ),
    (
        "{allOf: [{type: string}]}",
        "{allOf: [{type: string}, {maxLength: 3}]}",
        BREAKS_REQUESTS,
        BREAKS_RESPONSES,
    ),
];

#[test]
fn each_edit_of_a_schema_means_on_each_side_what_it_allows_there() {
    let mut wrong = Vec::new();
    for (old, new, expected, reversed) in EDITS {
        for (old, new, expected) in [(old, new, expected), (new, old, reversed)] {
            for (before, after) in wrapped(old, new) {
                let (request, response) = on_each_side(&before, &after);
                if [request.as_str(), response.as_str()] != *expected {
                    wrong.push(format!(
                        "{before} -> {after}: {request} {response}, expected {expected:?}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn both_lines_of_an_edit_are_those_of_its_documents() {
    for (old, new, ..) in EDITS {
        for (old, new) in wrapped(old, new) {
            let (old, new) = (with_schemas(&old, &old, ""), with_schemas(&new, &new, ""));
            assert_locations(&old, &new);
            assert_locations(&new, &old);
        }
    }
}

/// The edit of a body, and of what is in one.
fn wrapped(old: &str, new: &str) -> [(String, String); 3] {
    let property = |schema: &str| format!("{{type: object, properties: {{held: {schema}}}}}");
    let item = |schema: &str| format!("{{type: array, items: {schema}}}");
    [
        (old.to_owned(), new.to_owned()),
        (property(old), property(new)),
        (item(old), item(new)),
    ]
}

/// A chain of schemas, each with a property of the next; the last is of this type.
fn chain(length: usize, kind: &str) -> String {
    let link = |index: usize| {
        format!(
            "    L{index}: {{type: object, properties: {{next: {{$ref: '#/components/schemas/L{}'}}}}}}\n",
            index + 1
        )
    };
    let links: String = (0..length).map(link).collect();
    let first = "{$ref: '#/components/schemas/L0'}";
    with_schemas(first, first, &format!("{links}    L{length}: {{type: {kind}}}\n"))
}

#[test]
fn a_difference_far_below_is_told_and_one_further_below_is_unclear() {
    let compared = |length| lines(&compared(&chain(length, "string"), &chain(length, "integer")));
    let near = compared(100);
    assert!(
        near.iter().all(|line| line.ends_with("was string, is integer")) && near.len() == 2,
        "{near:#?}"
    );
    let far = compared(2_000);
    assert!(
        far.iter()
            .all(|line| line.starts_with("unclear") && line.ends_with("was not compared to the end")),
        "{far:#?}"
    );
    assert!(!far.is_empty());
}

#[test]
fn alternatives_that_all_refer_to_each_other_are_compared_in_bounded_work() {
    let count = tried(6, 12);
    let document = |every: usize| {
        let kind = |index: usize, other: usize| {
            if (index + other).is_multiple_of(every) {
                "integer"
            } else {
                "string"
            }
        };
        let alternative = |index: usize, other: usize| {
            let next = (index + other + 1) % count;
            format!(
                "{{type: object, properties: {{a{other}: {{$ref: '#/components/schemas/S{next}'}}, b: {{type: {}}}}}}}",
                kind(index, other)
            )
        };
        let schema = |index: usize| {
            let alternatives: Vec<_> = (0..count).map(|other| alternative(index, other)).collect();
            format!("    S{index}: {{oneOf: [{}]}}\n", alternatives.join(", "))
        };
        let first = "{$ref: '#/components/schemas/S0'}";
        with_schemas("{type: object}", first, &(0..count).map(schema).collect::<String>())
    };
    let found = compared(&document(3), &document(4));
    assert!(!found.differences.is_empty());
}

#[test]
fn what_refers_back_to_a_schema_that_differs_is_not_the_same_elsewhere() {
    let document = |kind: &str| {
        let schemas = format!(
            "    A: {{type: object, properties: {{b: {{$ref: '#/components/schemas/B'}}, x: {{type: {kind}}}}}}}\n    \
             B: {{type: object, properties: {{a: {{$ref: '#/components/schemas/A'}}}}}}\n    \
             C: {{type: object, properties: {{b: {{$ref: '#/components/schemas/B'}}}}}}\n"
        );
        let both =
            "{type: object, properties: {p: {$ref: '#/components/schemas/A'}, q: {$ref: '#/components/schemas/C'}}}";
        // The body is compared before the response, and shares its schemas.
        with_schemas(both, "{$ref: '#/components/schemas/C'}", &schemas).replacen(
            "requestBody:",
            "parameters: []\n      requestBody:",
            1,
        )
    };
    let found = lines(&compared(&document("string"), &document("integer")));
    let on_side = |side: &str| found.iter().filter(|line| line.contains(side)).count();
    assert_eq!(
        (on_side("breaking request"), on_side("breaking response")),
        (1, 1),
        "{found:#?}"
    );
}

/// What is said of an edit in documents of OpenAPI 3.1, with the definition that the schemas may refer to.
fn in_3_1(schemas: (&str, &str), definitions: (&str, &str)) -> Vec<String> {
    let document = |schema: &str, definition: &str| {
        let definition = format!("    Part: {definition}\n");
        with_schemas(schema, "{type: string}", &definition).replacen("3.0.3", "3.1.0", 1)
    };
    let (old, new) = (document(schemas.0, definitions.0), document(schemas.1, definitions.1));
    assert_locations(&old, &new);
    lines(&compared(&old, &new))
}

#[test]
fn a_bound_that_excludes_itself_is_a_bound() {
    let plain = ("{}", "{}");
    let narrower = in_3_1(("{type: number}", "{type: number, exclusiveMinimum: 0}"), plain);
    assert_eq!(
        narrower,
        ["breaking request bounds: the request body now has the minimum 0, itself excluded"]
    );
    let other = (
        "{type: number, exclusiveMaximum: 9}",
        "{type: number, exclusiveMaximum: 8}",
    );
    assert_eq!(
        in_3_1(other, plain),
        ["breaking request bounds: the request body had the maximum 9, itself excluded, has 8, itself excluded"]
    );
    let same = ("{type: integer, exclusiveMinimum: 0}", "{type: integer, minimum: 1}");
    assert_eq!(in_3_1(same, plain), [""; 0]);
}

#[test]
fn null_that_enters_the_values_of_a_type_with_null_is_a_difference_from_3_1_on() {
    let (plain, without, with) = (
        ("{}", "{}"),
        "{type: [string, 'null'], enum: [a]}",
        "{type: [string, 'null'], enum: [a, null]}",
    );
    assert_eq!(
        in_3_1((without, with), plain),
        ["compatible request nullable: the request body may now be null"]
    );
    assert_eq!(
        in_3_1((with, without), plain),
        ["breaking request nullable: the request body may no longer be null"]
    );
    let nullable = |values: &str| {
        let schema = format!("{{type: string, nullable: true, enum: [{values}]}}");
        with_schemas(&schema, &schema, "")
    };
    assert_eq!(lines(&compared(&nullable("a"), &nullable("a, null"))), [""; 0]);
}

#[test]
fn a_list_of_types_is_compared_with_alternatives_type_by_type() {
    let plain = ("{}", "{}");
    let list = "{type: [string, integer]}";
    assert_eq!(
        in_3_1(
            (list, "{anyOf: [{type: string}, {type: integer}, {type: boolean}]}"),
            plain
        ),
        ["compatible request alternatives: the request body has the new alternative boolean"]
    );
    assert_eq!(
        in_3_1((list, "{anyOf: [{type: string}, {type: boolean}]}"), plain),
        [
            "breaking request alternatives: the request body no longer has the alternative integer",
            "compatible request alternatives: the request body has the new alternative boolean",
        ]
    );
    assert_eq!(
        in_3_1(
            (list, "{anyOf: [{type: string, maxLength: 3}, {type: integer}]}"),
            plain
        ),
        ["breaking request length: the request body now has the maxLength 3"]
    );
}

#[test]
fn what_a_keyword_that_is_not_interpreted_refers_to_counts_and_its_annotations_do_not() {
    let referring = "{type: array, prefixItems: [{$ref: '#/components/schemas/Part'}]}";
    let (text, number) = ("{type: string}", "{type: integer}");
    assert_eq!(
        in_3_1((referring, referring), (text, number)),
        ["unclear request keyword: the request body has a different `prefixItems`"]
    );
    for same in [
        "{type: string, description: Told otherwise}",
        "{type: string, x-order: 1}",
    ] {
        assert_eq!(in_3_1((referring, referring), (text, same)), [""; 0]);
    }
    let inline = "{type: array, prefixItems: [{type: string, description: Its first}]}";
    assert_eq!(in_3_1((referring, inline), (text, text)), [""; 0]);
    let beside = "{type: array, prefixItems: [{$ref: '#/components/schemas/Part', maxLength: 3}]}";
    assert_eq!(in_3_1((referring, beside), (text, text)).len(), 1);
    // A property may be called as an annotation is.
    let named = |kind: &str| format!("{{patternProperties: {{description: {{type: {kind}}}}}, type: object}}");
    assert_eq!(in_3_1((&named("string"), &named("integer")), (text, text)).len(), 1);
    // A definition that refers to itself is compared once.
    let circle = |kind: &str| {
        format!(
            "{{type: object, patternProperties: {{a: {{$ref: '#/components/schemas/Part'}}, b: {{type: {kind}}}}}}}"
        )
    };
    assert_eq!(
        in_3_1((referring, referring), (&circle("string"), &circle("string"))),
        [""; 0]
    );
    assert_eq!(
        in_3_1((referring, referring), (&circle("string"), &circle("integer"))).len(),
        1
    );
}

#[test]
fn additional_properties_of_which_only_a_description_is_stated_are_any() {
    let of = |schema: &str| format!("{{type: object, additionalProperties: {schema}}}");
    let (any, described) = (of("{}"), of("{description: Whatever else it has}"));
    assert_eq!(on_each_side(&any, &described), ("-".to_owned(), "-".to_owned()));
    let (request, response) = on_each_side(&any, &of("{type: string}"));
    assert_ne!((request.as_str(), response.as_str()), ("-", "-"));
}
