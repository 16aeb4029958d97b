//! Edits that are reported, and their neighbours that are not.

use super::*;

/// Compares two texts; each difference in one line: meaning, side, sentence.
fn lines(old: &str, new: &str) -> Vec<String> {
    let read = |name: &str, text: &str| read(name, text.to_owned()).unwrap();
    let diff = diff(&read("old.yaml", old), &read("new.yaml", new), None);
    let line = |found: &Difference| {
        let (meaning, side) = (found.meaning.as_str(), found.side.as_str());
        format!("{meaning} {side}: {}", found.sentence)
    };
    diff.differences.iter().map(line).collect()
}

/// A document whose one operation takes a body of this schema and returns it.
fn with_schema(schema: &str) -> String {
    format!(
        "openapi: 3.1.0
info: {{title: Things, version: '1'}}
paths:
  /things:
    post:
      requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}
      responses: {{'200': {{description: Done, content: {{application/json: {{schema: {schema}}}}}}}}}
"
    )
}

/// Asserts what is reported of each edit from one schema to another; nothing of any schema that stays.
#[track_caller]
fn assert_schemas(edits: &[(&str, &str, &[&str])]) {
    for (old, new, expected) in edits {
        let found = lines(&with_schema(old), &with_schema(new));
        assert_eq!(found, *expected, "{old} -> {new}");
        assert_eq!(lines(&with_schema(old), &with_schema(old)), [""; 0], "{old}");
    }
}

/// A document whose one operation has a callback; the arguments are what the callback's request and response have
/// besides a description.
fn with_callback(request: &str, response: &str) -> String {
    format!(
        "openapi: 3.0.3
info: {{title: Things, version: '1'}}
paths:
  /things:
    post:
      responses: {{'204': {{description: Done}}}}
      callbacks:
        done:
          '{{$request.query.url}}':
            post:
              requestBody: {{{request}}}
              responses: {{'200': {{description: Taken, {response}}}}}
"
    )
}

fn content(media_types: &[&str]) -> String {
    let each = media_types
        .iter()
        .map(|name| format!("'{name}': {{schema: {{type: string}}}}"));
    format!("content: {{{}}}", each.collect::<Vec<_>>().join(", "))
}

#[test]
fn what_a_callback_sends_may_not_become_a_range_of_media_types() {
    let (plain, any) = (content(&["text/plain"]), content(&["text/*"]));
    let widened = "unclear response: in the callback `done`: the request body may now have any media type of text/*";
    let (old, new) = (with_callback(&plain, ""), with_callback(&any, ""));
    assert_eq!(lines(&old, &new), [widened]);
    assert_eq!(lines(&new, &old), [""; 0]);
}

#[test]
fn a_media_type_that_a_callback_also_sends_is_unclear_and_one_that_it_also_gets_is_not() {
    let (one, two) = (content(&["text/plain"]), content(&["text/plain", "text/csv"]));
    let sent = "unclear response: in the callback `done`: the request body can also be text/csv";
    assert_eq!(lines(&with_callback(&one, ""), &with_callback(&two, "")), [sent]);
    let returned = "compatible request: in the callback `done`: the 200 response can also be text/csv";
    assert_eq!(lines(&with_callback("", &one), &with_callback("", &two)), [returned]);
}

#[test]
fn what_a_callback_gets_may_not_lose_a_range_of_media_types() {
    let (plain, any) = (content(&["text/plain"]), content(&["text/*"]));
    let narrowed = "breaking request: in the callback `done`: the 200 response can now only be text/plain, and no \
                    other media type of text/*";
    let (old, new) = (with_callback("", &any), with_callback("", &plain));
    assert_eq!(lines(&old, &new), [narrowed]);
    assert_eq!(lines(&new, &old), [""; 0]);
}

#[test]
fn a_header_that_callers_must_send_to_a_callback_is_breaking() {
    let headers = |required: bool| format!("headers: {{X-Token: {{required: {required}, schema: {{type: string}}}}}}");
    let none = with_callback("", "");
    for (required, expected) in [
        (
            true,
            "breaking request: in the callback `done`: the header `X-Token` of the 200 response is new and required",
        ),
        (
            false,
            "compatible request: in the callback `done`: the header `X-Token` of the 200 response is new",
        ),
    ] {
        assert_eq!(lines(&none, &with_callback("", &headers(required))), [expected]);
    }
    let (old, new) = (with_callback("", &headers(false)), with_callback("", ""));
    let read = |text: &str| read("things.yaml", text.to_owned()).unwrap();
    let removed = &diff(&read(&old), &read(&new), None).differences[0];
    assert_eq!((removed.meaning, removed.side), (Meaning::Unclear, Side::Request));
    assert_eq!(
        removed.reason.as_deref(),
        Some("whether the service still reads it is not said")
    );
    let with = |response: &str| with_callback("", "").replacen("description: Done", response, 1);
    let new = with(&format!("description: Done, {}", headers(true)));
    let expected = "compatible response: the header `X-Token` of the 204 response is new";
    assert_eq!(lines(&none, &new), [expected]);
}

#[test]
fn a_webhook_or_an_operation_of_3_2_that_differs_is_unclear() {
    let with = |paths: &str, kind: &str| {
        format!(
            "openapi: 3.2.0
info: {{title: Things, version: '1'}}
paths:
  {paths}
webhooks:
  made: {{post: {{requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/Made'}}}}}}}}}}}}
components:
  schemas:
    Made: {{type: {kind}}}
"
        )
    };
    let things = "/things/{id}: {query: {requestBody: {content: {text/plain: {}}}}, additionalOperations: {COPY: {}}}";
    let renamed = things.replace("{id}", "{key}");
    let other = things.replace("text/plain", "text/csv").replace("COPY: {}", "LOCK: {}");
    let old = with(things, "string");
    for (new, expected) in [
        (with(things, "string"), &[][..]),
        (with(&renamed, "string"), &[]),
        (
            with(things, "integer"),
            &["unclear operation: the webhook `made` differs"],
        ),
        (
            with(&other, "string"),
            &[
                "unclear operation: the operation `QUERY /things/{id}` differs",
                "unclear operation: the operation `LOCK /things/{id}` is new",
                "unclear operation: the operation `COPY /things/{id}` is gone",
            ],
        ),
    ] {
        assert_eq!(lines(&old, &new), expected, "{new}");
    }
}

#[test]
fn a_server_with_a_path_where_none_was_listed_is_unclear() {
    let with = |servers: &str| with_schema("{type: string}").replacen("paths:", &format!("{servers}paths:"), 1);
    for (servers, expected) in [
        ("servers: [{url: /v2}]\n", "unclear operation: the server `/v2` is new"),
        ("servers: [{url: /}]\n", "compatible operation: the server `/` is new"),
        (
            "servers: [{url: 'https://api.example.com'}]\n",
            "compatible operation: the server `https://api.example.com` is new",
        ),
    ] {
        assert_eq!(lines(&with(""), &with(servers)), [expected]);
    }
}

#[test]
fn a_response_that_had_no_body_can_have_one_now() {
    let none = with_callback("", "");
    let some = none.replacen(
        "description: Done",
        &format!("description: Done, {}", content(&["text/csv"])),
        1,
    );
    let expected = "compatible response: the 204 response can now have a body, text/csv";
    assert_eq!(lines(&none, &some), [expected]);
}

#[test]
fn a_range_of_media_types_that_becomes_several_is_one_difference() {
    let with = |media_types: &[&str]| {
        let text = with_schema("{type: string}");
        text.replacen(
            "content: {application/json: {schema: {type: string}}}",
            &content(media_types),
            1,
        )
    };
    let (range, two) = (with(&["text/*"]), with(&["text/plain", "text/csv"]));
    let narrowed = "breaking request: the request body can now only be text/plain or text/csv, and no other media type \
                    of text/*";
    assert_eq!(lines(&range, &two), [narrowed]);
    assert_eq!(lines(&two, &range), [""; 0]);
}

#[test]
fn a_format_of_64_bits_that_excludes_negative_numbers_is_narrower() {
    assert_schemas(&[
        (
            "{type: integer, format: int32}",
            "{type: integer, format: uint64}",
            &[
                "breaking request: the request body had the format `int32`, has `uint64`",
                "breaking response: the body of the 200 response had the format `int32`, has `uint64`",
            ],
        ),
        (
            "{type: integer, format: int64}",
            "{type: integer, format: uint64}",
            &[
                "breaking request: the request body had the format `int64`, has `uint64`",
                "compatible response: the body of the 200 response had the format `int64`, has `uint64`",
            ],
        ),
        (
            "{type: integer, format: uint32}",
            "{type: integer, format: uint64}",
            &[
                "compatible request: the request body had the format `uint32`, has `uint64`",
                "breaking response: the body of the 200 response had the format `uint32`, has `uint64`",
            ],
        ),
        (
            "{type: integer, minimum: 0, format: uint64}",
            "{type: integer, minimum: 0, format: int64}",
            &[
                "unclear request: the request body had the format `uint64`, has `int64`",
                "unclear response: the body of the 200 response had the format `uint64`, has `int64`",
            ],
        ),
        (
            "{type: integer, exclusiveMinimum: -1, format: int32, maximum: 9}",
            "{type: integer, exclusiveMinimum: 4, format: uint32, maximum: 9}",
            &[
                "breaking request: the request body had the minimum 0, has 5",
                "compatible response: the body of the 200 response had the minimum 0, has 5",
            ],
        ),
    ]);
}

#[test]
fn a_list_of_both_booleans_limits_nothing_unless_other_types_are_allowed() {
    let limited = [
        "breaking request: the request body is now limited to `true`, `false`",
        "compatible response: the body of the 200 response is now limited to `true`, `false`",
    ];
    let with_text = [
        "breaking request: the request body is now limited to `true`, `false`, `x`",
        "compatible response: the body of the 200 response is now limited to `true`, `false`, `x`",
    ];
    assert_schemas(&[
        ("{type: boolean}", "{type: boolean, enum: [true, false]}", &[]),
        ("{type: boolean, enum: [true, false]}", "{type: boolean}", &[]),
        ("{type: boolean}", "{enum: [true, false]}", &[]),
        (
            "{type: [boolean, string]}",
            "{type: [boolean, string], enum: [true, false]}",
            &limited,
        ),
        (
            "{type: [boolean, string]}",
            "{type: [boolean, string], enum: [true, false, x]}",
            &with_text,
        ),
    ]);
}

#[test]
fn an_optional_property_that_no_longer_comes_is_compatible_in_a_response() {
    let open = "{type: object, properties: {a: {type: string}}}";
    let closed = "{type: object, additionalProperties: false, properties: {a: {type: string}}}";
    assert_schemas(&[
        (
            closed,
            "{type: object, additionalProperties: false}",
            &[
                "breaking request: `/a` of the request body is gone",
                "compatible response: `/a` of the 200 response is gone",
            ],
        ),
        (
            open,
            "{type: object, properties: {a: {type: string, writeOnly: true}}}",
            &["compatible response: `/a` of the 200 response is now write-only, so no response has it"],
        ),
        (
            open,
            "{type: object, properties: {}}",
            &[
                "unclear request: `/a` of the request body is gone",
                "unclear response: `/a` of the 200 response is gone",
            ],
        ),
        (
            "{type: object, required: [a], additionalProperties: false, properties: {a: {type: string}}}",
            "{type: object, additionalProperties: false}",
            &[
                "breaking request: `/a` of the request body is gone",
                "breaking response: `/a` of the 200 response is gone",
            ],
        ),
        (
            "{type: object, additionalProperties: false, patternProperties: {^a: {}}, properties: {a: {type: string}}}",
            "{type: object, additionalProperties: false, patternProperties: {^a: {}}}",
            &[
                "unclear request: `/a` of the request body is gone",
                "unclear response: `/a` of the 200 response is gone",
            ],
        ),
    ]);
}

#[test]
fn a_property_that_exists_on_one_side_is_listed_all_the_same() {
    let with = |keywords: &str| format!("{{type: object, properties: {{a: {{type: string{keywords}}}}}}}");
    let required = |keywords: &str| with(keywords).replacen("properties", "required: [a], properties", 1);
    let (both, read, written) = (with(""), with(", readOnly: true"), with(", writeOnly: true"));
    assert_schemas(&[
        (
            &read,
            &both,
            &["compatible request: `/a` of the request body is no longer read-only"],
        ),
        (
            &written,
            &both,
            &["compatible response: `/a` of the 200 response is no longer write-only"],
        ),
        (
            &required(", readOnly: true"),
            &required(""),
            &["breaking request: `/a` of the request body is no longer read-only, and is required"],
        ),
        (
            &both,
            &read,
            &["unclear request: `/a` of the request body is now read-only, so no request has it"],
        ),
    ]);
    for (old, new) in [(&read, &both), (&both, &read), (&written, &both), (&both, &written)] {
        let document = |name: &str, schema: &str| super::read(name, with_schema(schema)).unwrap();
        let found = diff(&document("old.yaml", old), &document("new.yaml", new), None).differences;
        assert!(
            found.iter().all(|found| found.old.present && found.new.present),
            "{found:#?}"
        );
    }
}

#[test]
fn a_pattern_of_a_closed_object_may_allow_a_name_that_it_matches() {
    let with = |pattern: &str, properties: &str| {
        format!("{{type: object, additionalProperties: false, patternProperties: {{{pattern}: {{}}}}{properties}}}")
    };
    let listed = ", properties: {a: {type: string}}";
    let meanings = |old: &str, new: &str| {
        let found = lines(&with_schema(old), &with_schema(new));
        found
            .iter()
            .map(|line| line.split(' ').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for (pattern, removed, added) in [
        ("^a", ["unclear"; 2], ["unclear"; 2]),
        ("'('", ["unclear"; 2], ["unclear"; 2]),
        ("^x-", ["breaking", "compatible"], ["compatible", "breaking"]),
    ] {
        let (some, none) = (with(pattern, listed), with(pattern, ""));
        assert_eq!(meanings(&some, &none), removed, "{pattern}");
        assert_eq!(meanings(&none, &some), added, "{pattern}");
    }
}

#[test]
fn very_many_alternatives_are_not_compared() {
    let with = |count: usize, last: &str| {
        let one =
            |index: usize| format!("{{type: object, properties: {{kind: {{enum: [k{index}]}}, a: {{type: string}}}}}}");
        let all: Vec<_> = (0..count).map(one).collect();
        let text = format!("{{anyOf: [{}]}}", all.join(", "));
        let index = text.rfind("string").unwrap();
        with_schema(&format!(
            "{}{}",
            &text[..index],
            text[index..].replacen("string", last, 1)
        ))
    };
    let compared = |count: usize| lines(&with(count, "string"), &with(count, "integer"));
    assert_eq!(
        compared(1_001),
        [
            "unclear request: the request body was not compared to the end",
            "unclear response: the body of the 200 response was not compared to the end",
        ]
    );
    // Each has a value of its own, by which it is found.
    assert_eq!(
        compared(100),
        [
            "breaking request: `/a` of the request body was string, is integer",
            "breaking response: `/a` of the 200 response was string, is integer",
        ]
    );
}

#[test]
fn every_part_of_an_all_of_has_its_multiple() {
    assert_schemas(&[
        (
            "{type: integer, allOf: [{multipleOf: 2}]}",
            "{type: integer, allOf: [{multipleOf: 2}, {multipleOf: 3}]}",
            &[
                "breaking request: the request body had the multipleOf 2, has 2 and 3",
                "compatible response: the body of the 200 response had the multipleOf 2, has 2 and 3",
            ],
        ),
        (
            "{type: integer, allOf: [{multipleOf: 2}, {multipleOf: 3}]}",
            "{type: integer, allOf: [{multipleOf: 3}, {multipleOf: 2}]}",
            &[],
        ),
        (
            "{type: integer, allOf: [{multipleOf: 2}, {multipleOf: 4}]}",
            "{type: integer, multipleOf: 4}",
            &[],
        ),
        // That these are the same is not found out.
        (
            "{type: integer, allOf: [{multipleOf: 2}, {multipleOf: 3}]}",
            "{type: integer, multipleOf: 6}",
            &[
                "unclear request: the request body had the multipleOf 2 and 3, has 6",
                "unclear response: the body of the 200 response had the multipleOf 2 and 3, has 6",
            ],
        ),
        (
            "{type: integer, enum: [6, 12], allOf: [{multipleOf: 2}]}",
            "{type: integer, enum: [6, 12], allOf: [{multipleOf: 2}, {multipleOf: 3}]}",
            &[],
        ),
    ]);
}

#[test]
fn a_multiple_of_a_very_large_number_is_not_any_integer() {
    assert_schemas(&[
        (
            "{type: integer}",
            "{type: integer, multipleOf: 10000000000}",
            &[
                "breaking request: the request body now has the multipleOf 10000000000",
                "compatible response: the body of the 200 response now has the multipleOf 10000000000",
            ],
        ),
        (
            "{type: integer, enum: [0]}",
            "{type: integer, enum: [0], multipleOf: 10000000000}",
            &[],
        ),
        (
            "{type: number, enum: [0.3]}",
            "{type: number, enum: [0.3], multipleOf: 0.1}",
            &[],
        ),
    ]);
}

#[test]
fn every_part_of_an_all_of_has_its_format() {
    let with = |formats: &str| format!("{{type: string, allOf: [{formats}]}}");
    let (date, both, other) = (
        with("{format: date}"),
        with("{format: date}, {format: phone}"),
        with("{format: phone}, {format: date}"),
    );
    let narrower = with("{format: date}, {format: uuid}");
    assert_schemas(&[
        (
            &date,
            &both,
            &[
                "unclear request: the request body had the format `date`, has `date` and `phone`",
                "unclear response: the body of the 200 response had the format `date`, has `date` and `phone`",
            ],
        ),
        (
            &date,
            &narrower,
            &[
                "breaking request: the request body had the format `date`, has `date` and `uuid`",
                "compatible response: the body of the 200 response had the format `date`, has `date` and `uuid`",
            ],
        ),
        (&both, &other, &[]),
        (&with("{format: date}, {format: date}"), &date, &[]),
        (
            "{type: integer, allOf: [{format: int64}]}",
            "{type: integer, allOf: [{format: int64}, {format: int32}]}",
            &[
                "breaking request: the request body had the format `int64`, has `int32` and `int64`",
                "compatible response: the body of the 200 response had the format `int64`, has `int32` and `int64`",
            ],
        ),
    ]);
}

#[test]
fn a_pattern_that_every_text_matches_demands_nothing() {
    assert_schemas(&[
        ("{type: string}", "{type: string, pattern: '^.*'}", &[]),
        // A text with a line break does not match it.
        (
            "{type: string}",
            "{type: string, pattern: '^.*$'}",
            &[
                "breaking request: the request body now has the pattern `^.*$`",
                "compatible response: the body of the 200 response now has the pattern `^.*$`",
            ],
        ),
    ]);
}

#[test]
fn a_list_of_types_that_is_only_null_is_no_alternative() {
    let with = |null: &str| format!("{{anyOf: [{{type: string}}, {{type: {null}}}]}}");
    assert_schemas(&[
        (&with("['null']"), &with("'null'"), &[]),
        ("{type: [string, 'null']}", &with("['null']"), &[]),
    ]);
    let or_number = lines(
        &with_schema(&with("['null']")),
        &with_schema(&with("[integer, 'null']")),
    );
    assert!(!or_number.is_empty());
}

#[test]
fn a_keyword_that_is_not_interpreted_has_names_below_it() {
    let with = |names: &str| format!("{{type: object, dependentRequired: {{{names}}}}}");
    let differs = [
        "unclear request: the request body has a different `dependentRequired`",
        "unclear response: the body of the 200 response has a different `dependentRequired`",
    ];
    let of = |schema: &str| format!("{{type: object, patternProperties: {{default: {schema}}}}}");
    assert_schemas(&[
        (&with("a: [b]"), &with("a: [b], title: [c]"), &differs),
        (&with("a: [b], title: [c]"), &with("title: [c], a: [b]"), &[]),
        // `default` is a name here, so the description below it is one.
        (&of("{type: string}"), &of("{type: string, description: A}"), &[]),
    ]);
}

/// A document as [`with_schema`] makes it, with this version and further definitions.
fn with_definitions(version: &str, schema: &str, definitions: &str) -> String {
    with_schema(schema).replace("3.1.0", version) + definitions
}

#[test]
fn a_keyword_beside_a_reference_within_a_chain_counts_from_3_1_on() {
    let chain = |version: &str, beside: &str, end: &str| {
        let definitions = format!("A: {{$ref: '#/B', {beside}}}\nB: {end}\n");
        with_definitions(version, "{$ref: '#/A'}", &definitions)
    };
    let string = |version: &str, beside: &str| chain(version, beside, "{type: string}");
    assert_eq!(
        lines(&string("3.1.0", "maxLength: 3"), &string("3.1.0", "maxLength: 5")),
        [
            "compatible request: the request body had the maxLength 3, has 5",
            "breaking response: the body of the 200 response had the maxLength 3, has 5",
        ]
    );
    let or_null = |beside: &str| chain("3.1.0", beside, "{type: [string, 'null']}");
    assert_eq!(
        lines(&or_null("type: string"), &or_null("title: A")),
        [
            "compatible request: the request body may now be null",
            "breaking response: the body of the 200 response may now be null",
        ]
    );
    let inline = with_schema("{type: string, maxLength: 3}");
    assert_eq!(lines(&string("3.1.0", "maxLength: 3"), &inline), [""; 0]);
    assert_eq!(
        lines(&string("3.1.0", "title: A"), &string("3.1.0", "title: B")),
        [""; 0]
    );
    assert_eq!(
        lines(&string("3.0.3", "maxLength: 3"), &string("3.0.3", "maxLength: 5")),
        [""; 0]
    );
}

#[test]
fn a_keyword_beside_a_reference_to_values_limits_them() {
    let with = |beside: &str| {
        let schema = format!("{{oneOf: [{{$ref: '#/A'{beside}}}, {{enum: [one]}}]}}");
        with_definitions("3.1.0", &schema, "A: {enum: [aa, bbbb]}\n")
    };
    assert!(!lines(&with(""), &with(", maxLength: 3")).is_empty());
    assert_eq!(lines(&with(""), &with(", title: A")), [""; 0]);
}

#[test]
fn what_is_not_interpreted_counts_within_a_chain_of_references_too() {
    let with = |schema: &str, beside: &str| {
        let definitions = format!("A: {{$ref: '#/B', {beside}}}\nB: {{type: string}}\nC: {{$ref: '#/C'}}\n");
        with_definitions("3.1.0", &format!("{{contains: {schema}}}"), &definitions)
    };
    let (a, b) = ("{$ref: '#/A'}", "{$ref: '#/B'}");
    assert_eq!(
        lines(&with(a, "maxLength: 3"), &with(a, "maxLength: 5")),
        [
            "unclear request: the request body has a different `contains`",
            "unclear response: the body of the 200 response has a different `contains`",
        ]
    );
    assert!(!lines(&with(a, "maxLength: 3"), &with(b, "maxLength: 3")).is_empty());
    assert_eq!(lines(&with(a, "title: A"), &with(b, "title: B")), [""; 0]);
    let endless = "{$ref: '#/C'}";
    assert_eq!(lines(&with(endless, "title: A"), &with(endless, "title: B")), [""; 0]);
    assert!(!lines(&with(endless, "title: A"), &with(b, "title: A")).is_empty());
}

#[test]
fn every_keyword_that_is_not_interpreted_is_unclear() {
    let array = |more: &str| format!("{{contains: {{type: string}}{more}}}");
    let text = |schema: &str| format!("{{contentMediaType: application/json, contentSchema: {schema}}}");
    let unclear = |keyword: &str| {
        [
            format!("unclear request: the request body has a different `{keyword}`"),
            format!("unclear response: the body of the 200 response has a different `{keyword}`"),
        ]
    };
    for (keyword, old, new) in [
        ("minContains", array(""), array(", minContains: 5")),
        ("maxContains", array(", maxContains: 2"), array(", maxContains: 3")),
        ("contentSchema", text("{type: string}"), text("{type: integer}")),
        (
            "$dynamicRef",
            "{$dynamicRef: '#a'}".to_owned(),
            "{$dynamicRef: '#b'}".to_owned(),
        ),
    ] {
        assert_eq!(lines(&with_schema(&old), &with_schema(&new)), unclear(keyword), "{old}");
    }
    let described = "{type: string, description: A}";
    assert_eq!(
        lines(&with_schema(&text("{type: string}")), &with_schema(&text(described))),
        [""; 0]
    );
}

#[test]
fn how_xml_is_written_counts_in_a_body_of_xml() {
    let with = |media_type: &str, name: &str| {
        let schema = format!("{{properties: {{a: {{type: string, xml: {{name: {name}}}}}}}}}");
        with_schema(&schema).replace("application/json", media_type)
    };
    for media_type in ["application/xml", "text/xml", "application/atom+xml"] {
        assert_eq!(
            lines(&with(media_type, "b"), &with(media_type, "c")),
            [
                "unclear request: `/a` of the request body has a different `xml`",
                "unclear response: `/a` of the 200 response has a different `xml`",
            ],
            "{media_type}"
        );
    }
    assert_eq!(
        lines(&with("application/json", "b"), &with("application/json", "c")),
        [""; 0]
    );
}

#[test]
fn other_properties_of_which_nothing_is_demanded_may_be_anything() {
    let with = |others: &str| {
        let schema = format!("{{type: object, additionalProperties: {others}}}");
        let definitions =
            "Any: {}\nAll: {description: A, allOf: [{$ref: '#/Any'}]}\nNone: {not: {}}\nText: {type: string}\n";
        with_definitions("3.1.0", &schema, definitions)
    };
    for same in [
        "{}", "{title: A}", "{$ref: '#/Any'}", "{$ref: '#/All'}", "{allOf: [true]}",
    ] {
        assert_eq!(lines(&with("true"), &with(same)), [""; 0], "{same}");
    }
    for same in ["{not: {}}", "{$ref: '#/None'}", "{allOf: [false]}"] {
        assert_eq!(lines(&with("false"), &with(same)), [""; 0], "{same}");
    }
    for (old, new) in [
        ("{$ref: '#/Any'}", "{$ref: '#/Text'}"),
        ("true", "{$ref: '#/Text', title: A}"),
    ] {
        assert_eq!(
            lines(&with(old), &with(new)),
            [
                "breaking request: the request body has a schema for its other properties now",
                "compatible response: the body of the 200 response has a schema for its other properties now",
            ]
        );
    }
}

#[test]
fn not_anything_is_nothing_however_it_is_written() {
    assert_schemas(&[
        ("{not: {}}", "{not: true}", &[]),
        ("{not: {}}", "{not: {description: Anything}}", &[]),
        ("{not: true}", "false", &[]),
        (
            "{not: true}",
            "{not: false}",
            &[
                "compatible request: the request body was no value, is any type",
                "breaking response: the body of the 200 response was no value, is any type",
            ],
        ),
    ]);
}

#[test]
fn the_facts_of_an_operation_stay_where_only_a_parameter_of_its_path_is_renamed() {
    let with = |path: &str, name: &str, kind: &str| {
        let text = format!(
            "openapi: 3.0.3
info: {{title: Things, version: '1'}}
paths:
  {path}:
    get:
      operationId: getThing
      parameters: [{{name: {name}, in: path, required: true, schema: {{type: string}}}}]
      responses:
        '200':
          description: One
          content: {{application/json: {{schema: {{type: object, properties: {{total: {{type: {kind}}}}}}}}}}}
"
        );
        read("things.yaml", text).unwrap()
    };
    let old = with("/things/{id}", "id", "integer");
    let changed = |new: &Document| {
        let facts = diff(&old, new, None).facts;
        assert_eq!(facts.not_compared, None);
        (!facts.gained.is_empty(), !facts.lost.is_empty())
    };
    assert_eq!(changed(&with("/things/{key}", "key", "integer")), (false, false));
    assert_eq!(changed(&with("/things/{key}", "key", "string")), (true, true));
    assert_eq!(changed(&with("/others/{id}", "id", "integer")), (true, true));
}

#[test]
fn every_group_of_alternatives_counts_and_so_does_the_end_of_a_large_all_of() {
    let groups = |second: &str| {
        let alternatives = "[{type: string, minLength: 2}, {type: string, maxLength: 5}]";
        format!("{{allOf: [{{oneOf: {alternatives}}}, {{{second}: {alternatives}}}]}}")
    };
    let large = |last: usize| {
        let all: Vec<_> = (0..300)
            .map(|index| format!("{{minLength: {}}}", index.min(last)))
            .collect();
        format!("{{type: string, allOf: [{}]}}", all.join(", "))
    };
    assert_schemas(&[
        (
            groups("oneOf").as_str(),
            groups("anyOf").as_str(),
            &[
                "compatible request: the request body may now fit several alternatives",
                "unclear response: the body of the 200 response may now fit several alternatives",
            ],
        ),
        (
            large(299).as_str(),
            large(298).as_str(),
            &[
                "unclear request: the request body was not compared to the end",
                "unclear response: the body of the 200 response was not compared to the end",
            ],
        ),
    ]);
}

#[test]
fn whether_null_is_admitted_is_unclear_where_a_schema_nests_too_deep() {
    let nested = (0..20).fold("{type: string}".to_owned(), |inner, _| format!("{{allOf: [{inner}]}}"));
    let found = lines(&with_schema(&nested), &with_schema("{type: string}"));
    let expected = [
        "unclear request: the request body may no longer be null",
        "unclear response: the body of the 200 response may no longer be null",
    ];
    assert_eq!(found, expected);
    assert_eq!(lines(&with_schema(&nested), &with_schema(&nested)), [""; 0]);
}

#[test]
fn a_body_of_very_many_media_types_is_compared_by_their_names() {
    let with = |last: &str| {
        let names: Vec<_> = (0..20_000).map(|index| format!("text/a{index}")).collect();
        let mut names: Vec<_> = names.iter().map(String::as_str).collect();
        names.push(last);
        with_parts(&[("body", &format!("{{{}}}", content(&names)))])
    };
    let expected = [
        "breaking request: the request body can no longer be text/b",
        "compatible request: the request body can also be text/c",
    ];
    assert_eq!(lines(&with("text/b"), &with("text/c")), expected);
}

#[test]
fn an_object_with_very_many_required_properties_is_compared_by_their_names() {
    let with = |last: &str| {
        let names: Vec<_> = (0..20_000).map(|index| format!("a{index}")).collect();
        format!("{{required: [{}, {last}]}}", names.join(", "))
    };
    let (old, new) = (with_schema(&with("b")), with_schema(&with("c")));
    let of = |side: &str, title: &str, lost: &str, gained: &str| {
        [
            format!("{lost} {side}: `/b` of {title} is no longer required"),
            format!("{gained} {side}: `/c` of {title} is now required"),
        ]
    };
    let request = of("request", "the request body", "compatible", "breaking");
    let response = of("response", "the 200 response", "breaking", "compatible");
    assert_eq!(lines(&old, &new), [request, response].concat());
}

/// A document with one of these parts after its path, in which the others stay.
fn with_parts(parts: &[(&str, &str)]) -> String {
    let part = |name: &str, otherwise: &'static str| -> String {
        let stated = parts.iter().find(|(stated, _)| *stated == name);
        stated.map_or_else(|| otherwise.to_owned(), |(_, text)| (*text).to_owned())
    };
    let post = format!(
        "{{post: {{parameters: [{}], requestBody: {}, responses: {{'200': {}}}, callbacks: {{done: {}}}}}}}",
        part(
            "parameter",
            "{name: a, in: query, required: true, schema: {type: string}}"
        ),
        part(
            "body",
            "{required: true, content: {text/plain: {schema: {type: string}}}}"
        ),
        part(
            "response",
            "{description: Done, content: {text/plain: {schema: {type: string}}}}"
        )
        .replace("HEADER", &part("header", "{required: true, schema: {type: string}}")),
        part(
            "callback",
            "{'{$request.query.a}': {post: {responses: {'204': {description: Taken}}}}}"
        ),
    );
    let path = part("path", "POST").replace("POST", &post);
    format!("openapi: 3.0.3\ninfo: {{title: Things, version: '1'}}\npaths: {{/things: {path}}}\n")
}

#[test]
fn what_is_behind_a_reference_that_leads_nowhere_is_neither_gone_nor_new() {
    const WITH_HEADER: (&str, &str) = ("response", "{description: Done, headers: {X-A: HEADER}}");
    for (part, beside, side, title, doubt) in [
        ("body", None, "request", "the request body", None),
        ("response", None, "response", "the 200 response", None),
        (
            "header",
            Some(WITH_HEADER),
            "response",
            "the header `X-A` of the 200 response",
            None,
        ),
        ("callback", None, "operation", "the callback `done`", None),
        ("path", None, "operation", "the path `/things`", None),
        (
            "parameter",
            None,
            "request",
            "a parameter",
            Some("the query parameter `a` is"),
        ),
    ] {
        let stated: Vec<_> = beside.into_iter().collect();
        let with = |target: &str| with_parts(&[&stated[..], &[(part, target)]].concat());
        let (stated, lost, other) = (
            with_parts(&stated),
            with("{$ref: 'other.yaml#/A'}"),
            with("{$ref: 'other.yaml#/B'}"),
        );
        let expected = format!("unclear {side}: {title} refers to something else");
        let expected = |verb: &str| {
            let doubtful = doubt.map(|text| format!("unclear request: {text} {verb}"));
            [expected.clone()].into_iter().chain(doubtful).collect::<Vec<_>>()
        };
        assert_eq!(lines(&stated, &lost), expected("gone"));
        assert_eq!(lines(&lost, &stated), expected("new and required"));
        assert_eq!(
            lines(&lost, &other)[0],
            format!("unclear {side}: {title} refers to something else")
        );
        assert_eq!(lines(&lost, &lost), [""; 0]);
    }
}

#[test]
fn a_body_that_leads_nowhere_may_be_required() {
    let with = |body: &str| {
        let text = with_parts(&[("body", body)]);
        text.replace("requestBody: none, ", "")
    };
    let (none, lost) = (with("none"), with("{$ref: '#/components/requestBodies/Lost'}"));
    assert_eq!(lines(&none, &lost), ["unclear request: the request has a body now"]);
    assert_eq!(
        lines(&lost, &none),
        ["breaking request: the request no longer has a body"]
    );
}

#[test]
fn a_reference_under_a_name_that_is_also_a_keyword_is_followed() {
    let text = "openapi: 3.1.0
info: {title: Things, version: '1'}
paths:
  /things:
    get:
      responses:
        default: {$ref: '#/components/responses/Gone'}
        x-note: {$ref: '#/not-a-reference-1'}
      x-note: {$ref: '#/not-a-reference-2'}
components:
  responses:
    x-lost: {$ref: '#/components/responses/Lost'}
  schemas:
    Thing:
      properties:
        default: {$ref: '#/components/schemas/A'}
        enum: {$ref: '#/components/schemas/B'}
        x-size: {$ref: '#/components/schemas/C'}
        properties: {default: {$ref: '#/not-a-reference-3'}}
      patternProperties: {const: {$ref: '#/components/schemas/D'}}
      default: {$ref: '#/not-a-reference-4'}
      enum: [{$ref: '#/not-a-reference-5'}]
  headers:
    x-rate: {$ref: '#/components/headers/E'}
";
    let document = read("things.yaml", text.to_owned()).unwrap();
    let found = diff(&document, &document, None).dangling_references.new;
    let targets: Vec<_> = found.iter().map(|dangling| dangling.target.as_str()).collect();
    let expected = [
        "#/components/responses/Gone",
        "#/components/responses/Lost",
        "#/components/schemas/A",
        "#/components/schemas/B",
        "#/components/schemas/C",
        "#/components/schemas/D",
        "#/components/headers/E",
    ];
    assert_eq!(targets, expected);
}
