//! Rewrites that mean the same: nothing is told.

use super::support::{compared, lines, with_schemas};

/// Two schemas that mean the same; the third adds components.
const SCHEMAS: &[(&str, &str)] = &[
    ("{type: string}", "{$ref: '#/components/schemas/Other'}"),
    ("{type: string}", "{allOf: [{type: string}]}"),
    ("{type: string}", "{allOf: [{$ref: '#/components/schemas/Other'}]}"),
    (
        "{type: string, maxLength: 5}",
        "{allOf: [{type: string}, {maxLength: 5}]}",
    ),
    (
        "{type: string, maxLength: 5}",
        "{allOf: [{type: string, maxLength: 7}, {maxLength: 5}]}",
    ),
    ("{type: string}", "{type: string, minLength: 0}"),
    (
        "{type: string}",
        "{type: string, description: Another text, title: Name, example: a}",
    ),
    ("{type: string, enum: [a, b]}", "{type: string, enum: [b, a]}"),
    ("{type: string, enum: [a, b]}", "{enum: [a, b]}"),
    (
        "{type: integer, minimum: 1}",
        "{type: integer, minimum: 0, exclusiveMinimum: true}",
    ),
    (
        "{type: integer, minimum: 0, maximum: 255}",
        "{type: integer, minimum: 0, maximum: 255, format: int32}",
    ),
    ("{type: boolean}", "{type: boolean, enum: [true, false]}"),
    (
        "{type: string, enum: [a, b]}",
        "{type: string, enum: [a, b], maxLength: 1}",
    ),
    (
        "{type: integer, enum: [2, 4]}",
        "{type: integer, enum: [2, 4], minimum: 1, multipleOf: 2}",
    ),
    ("{type: integer}", "{type: integer, multipleOf: 1}"),
    ("{type: integer}", "{type: integer, multipleOf: 0.5}"),
    ("{type: number, enum: [1, 2]}", "{type: number, enum: [1.0, 2.0]}"),
    ("{type: string}", "{type: string, not: {type: integer}}"),
    (
        "{type: string, not: {anyOf: [{enum: [a]}, {maxLength: 3}]}}",
        "{allOf: [{type: string, not: {maxLength: 3}}, {not: {enum: [a]}}]}",
    ),
    (
        "{type: string, not: {not: {not: {not: {not: {enum: [a]}}}}}}",
        "{description: A, type: string, not: {not: {not: {not: {not: {enum: [a]}}}}}}",
    ),
    (
        "{type: object, required: [a, b], properties: {a: {type: string}, b: {type: integer}}}",
        "{required: [b, a], properties: {b: {type: integer}, a: {type: string}}, type: object}",
    ),
    (
        "{type: object, required: [a, b], properties: {a: {type: string}, b: {type: integer}}}",
        "{allOf: [{type: object, required: [a], properties: {a: {type: string}}}, {type: object, required: [b], properties: {b: {type: integer}}}]}",
    ),
    ("{type: object}", "{type: object, additionalProperties: true}"),
    ("{type: object, additionalProperties: {}}", "{type: object}"),
    (
        "{type: object, properties: {a: {type: string}}}",
        "{properties: {a: {type: string}}}",
    ),
    (
        "{oneOf: [{type: string}, {type: integer}]}",
        "{oneOf: [{type: integer}, {type: string}]}",
    ),
    ("{oneOf: [{type: string}]}", "{type: string}"),
    (
        "{oneOf: [{type: string, enum: [a]}, {type: string, enum: [b]}]}",
        "{type: string, enum: [a, b]}",
    ),
    (
        "{oneOf: [{type: string}, {type: integer}, {type: boolean}]}",
        "{oneOf: [{type: boolean}, {anyOf: [{type: integer}, {type: string}]}]}",
    ),
    (
        "{type: [string, integer]}",
        "{anyOf: [{type: integer}, {type: string}]}",
    ),
    (
        "{type: [string, integer, 'null']}",
        "{oneOf: [{type: [string, 'null']}, {type: integer}]}",
    ),
    (
        "{type: [string, integer], maxLength: 3}",
        "{anyOf: [{type: string, maxLength: 3}, {type: integer}]}",
    ),
    ("{type: 'null'}", "{anyOf: [{type: 'null'}]}"),
    (
        "{anyOf: [{type: string}, {type: string, maxLength: 4}]}",
        "{type: string}",
    ),
    (
        "{type: string, nullable: true}",
        "{nullable: true, allOf: [{$ref: '#/components/schemas/Other'}]}",
    ),
    (
        "{type: array, items: {type: string}}",
        "{type: array, items: {$ref: '#/components/schemas/Other'}, minItems: 0, uniqueItems: false}",
    ),
    ("{type: array, items: {}}", "{type: array}"),
    ("{type: string, pattern: '.*'}", "{type: string}"),
    ("{type: object, properties: {}}", "{type: object, required: []}"),
    ("{type: string, deprecated: false, readOnly: false}", "{type: string}"),
];

#[test]
fn a_schema_that_is_written_otherwise_is_the_same() {
    let mut wrong = Vec::new();
    for (one, other) in SCHEMAS {
        for (old, new) in [(one, other), (other, one)] {
            let diff = compared(&with_schemas(old, old, ""), &with_schemas(new, new, ""));
            if !diff.differences.is_empty() {
                wrong.push(format!("{old} -> {new}: {:#?}", lines(&diff)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two schemas of OpenAPI 3.1 that mean the same. Keywords of objects and arrays say nothing about null.
const LATER_SCHEMAS: &[(&str, &str)] = &[
    (
        "{type: [object, 'null'], properties: {a: {type: string}}}",
        "{type: [object, 'null'], allOf: [{properties: {a: {type: string}}}]}",
    ),
    (
        "{type: [object, 'null'], properties: {a: {type: string}}}",
        "{allOf: [{type: [object, 'null']}, {properties: {a: {type: string}}}]}",
    ),
    (
        "{type: [object, 'null'], required: [a]}",
        "{type: [object, 'null'], allOf: [{required: [a]}]}",
    ),
    (
        "{type: [object, 'null'], required: [a]}",
        "{type: [object, 'null'], allOf: [{$ref: '#/components/schemas/Untyped'}]}",
    ),
    (
        "{type: [array, 'null'], items: {type: string}}",
        "{type: [array, 'null'], allOf: [{items: {type: string}}]}",
    ),
    (
        "{type: object, required: [a]}",
        "{allOf: [{type: object}, {required: [a]}]}",
    ),
    (
        "{type: [string, integer], format: date-time}",
        "{anyOf: [{type: string, format: date-time}, {type: integer}]}",
    ),
    (
        "{type: [string, integer], format: int32}",
        "{anyOf: [{type: string}, {type: integer, format: int32}]}",
    ),
    (
        "{type: [string, array], contains: {type: string}}",
        "{anyOf: [{type: string}, {type: array, contains: {type: string}}]}",
    ),
    (
        "{type: [string, object], patternProperties: {a: {type: string}}}",
        "{anyOf: [{type: string}, {type: object, patternProperties: {a: {type: string}}}]}",
    ),
];

#[test]
fn a_schema_of_a_later_version_that_is_written_otherwise_is_the_same() {
    let mut wrong = Vec::new();
    for (one, other) in LATER_SCHEMAS {
        for (old, new) in [(one, other), (other, one)] {
            let [old, new] = [old, new].map(|schema| {
                let text = with_schemas(schema, schema, "    Untyped: {required: [a]}\n");
                text.replacen("3.0.3", "3.1.0", 1)
            });
            let diff = compared(&old, &new);
            if !diff.differences.is_empty() {
                wrong.push(format!("{one}, {other}: {:#?}", lines(&diff)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1', description: A text}
tags: [{name: one}]
servers: [{url: 'https://one.example.com/v1'}]
security: [{key: []}]
paths:
  /things/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
    get:
      summary: A thing
      tags: [one]
      parameters:
        - {name: size, in: query, schema: {type: integer}}
        - {name: sort, in: query, schema: {type: string}}
      responses:
        '200':
          description: The thing
          content: {application/json: {schema: {type: object}}}
        '404': {description: None}
  /others:
    get: {responses: {'204': {description: Done}}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
";

/// Edits of [`DOCUMENT`] that mean the same.
const REWRITES: &[(&str, &str)] = &[
    ("description: A text", "description: Another text"),
    ("summary: A thing", "summary: Another thing"),
    ("tags: [one]", "tags: [one, two]"),
    ("tags: [{name: one}]\n", ""),
    ("description: The thing", "description: ''"),
    ("application/json:", "application/json; charset=utf-8:"),
    (
        "{name: size, in: query, schema: {type: integer}}",
        "{name: size, in: query, style: form, required: false, schema: {type: integer}}",
    ),
    (
        "{name: size, in: query, schema: {type: integer}}",
        "{name: size, in: query, explode: false, schema: {type: integer}}",
    ),
    (
        "        - {name: size, in: query, schema: {type: integer}}\n        - {name: sort, in: query, schema: {type: string}}\n",
        "        - {name: sort, in: query, schema: {type: string}}\n        - {name: size, in: query, schema: {type: integer}}\n",
    ),
    (
        "{name: id, in: path, required: true, schema: {type: string}}",
        "{$ref: '#/components/parameters/id'}",
    ),
    ("security: [{key: []}]", "security: [{token: []}]"),
    ("one.example.com/v1", "one.example.com/v1/"),
    ("version: '1'", "version: '2'"),
    (
        "'404': {description: None}",
        "'404': {$ref: '#/components/responses/none'}",
    ),
];

#[test]
fn an_operation_that_is_written_otherwise_is_the_same() {
    let components = "  parameters: {id: {name: id, in: path, required: true, schema: {type: string}}}\n  responses: {none: {description: None}}\n";
    let document = format!("{DOCUMENT}    token: {{type: apiKey, in: header, name: x-key}}\n{components}");
    for (from, to) in REWRITES {
        assert!(document.contains(from), "the document has no {from}");
        let other = document.replacen(from, to, 1);
        for (old, new) in [(&document, &other), (&other, &document)] {
            let diff = compared(old, new);
            assert!(diff.differences.is_empty(), "{from} -> {to}: {:#?}", lines(&diff));
        }
    }
}

#[test]
fn a_path_parameter_of_another_name_changes_the_client_alone() {
    let other = DOCUMENT
        .replace("/things/{id}", "/things/{thing}")
        .replace("name: id,", "name: thing,");
    let diff = compared(DOCUMENT, &other);
    assert_eq!(
        lines(&diff),
        ["compatible request parameter-renamed: the path parameter `id` is called `thing` now"]
    );
    assert_eq!(diff.release().as_str(), "major");
}

#[test]
fn a_document_does_not_differ_from_itself() {
    let built_in = include_str!("../../reference.yaml");
    assert!(compared(built_in, built_in).differences.is_empty());
    assert!(compared(DOCUMENT, DOCUMENT).differences.is_empty());
}
