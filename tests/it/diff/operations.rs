//! Edits of operations, parameters, bodies, responses and security.

use countersign::diff::{Meaning, diff};

use super::support::{Edit, assert_edits, assert_locations, compared, document, lines, with_schemas};

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
security: [{key: []}]
servers: [{url: 'https://one.example.com'}]
paths:
  /things:
    get:
      operationId: listThings
      parameters:
        - {name: size, in: query, schema: {type: integer, default: 10}}
        - {name: ids, in: query, schema: {type: array, items: {type: string}}}
        - {name: X-Trace, in: header, required: true, schema: {type: string}}
      responses:
        '200':
          description: All
          headers:
            X-Total: {required: true, schema: {type: integer}}
            X-Next: {schema: {type: string}}
          content:
            application/json: {schema: {type: array, items: {type: string}}}
            text/csv: {schema: {type: string}}
          links:
            first: {operationId: makeThing}
        '404': {description: None}
    post:
      operationId: makeThing
      security: [{key: []}, {oauth: [write]}]
      requestBody:
        required: true
        content:
          application/json: {schema: {type: object, properties: {name: {type: string}}}}
          text/csv: {}
      responses:
        '201': {description: Made}
  /others:
    get:
      responses: {2XX: {description: Done}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    oauth: {type: oauth2, flows: {}}
";

const EDITS: &[Edit<'_>] = &[
    (
        "  /others:\n    get:\n      responses: {2XX: {description: Done}}\n",
        "",
        &["breaking operation operation-removed: the operation is gone"],
        &["compatible operation operation-added: the operation is new"],
    ),
    (
        "operationId: listThings",
        "operationId: allThings",
        &["compatible operation operation-id: the operation had the operationId `listThings`, has `allThings`"],
        &["compatible operation operation-id: the operation had the operationId `allThings`, has `listThings`"],
    ),
    (
        "operationId: listThings",
        "operationId: listThings\n      deprecated: true",
        &["compatible operation deprecation: the operation is now deprecated"],
        &["compatible operation deprecation: the operation is no longer deprecated"],
    ),
    (
        "        - {name: size, in: query, schema: {type: integer, default: 10}}\n",
        "",
        &["breaking request parameter-removed: the query parameter `size` is gone"],
        &["compatible request parameter-added: the query parameter `size` is new"],
    ),
    (
        "        - {name: X-Trace, in: header, required: true, schema: {type: string}}\n",
        "",
        &["breaking request parameter-removed: the header parameter `X-Trace` is gone"],
        &["breaking request parameter-added: the header parameter `X-Trace` is new and required"],
    ),
    (
        "{name: size, in: query,",
        "{name: size, in: query, required: true,",
        &["breaking request parameter-required: the query parameter `size` is now required"],
        &["compatible request parameter-required: the query parameter `size` is no longer required"],
    ),
    (
        "{name: size, in: query,",
        "{name: size, in: header,",
        &["breaking request parameter-moved: the parameter `size` was in the query, is in the header"],
        &["breaking request parameter-moved: the parameter `size` was in the header, is in the query"],
    ),
    (
        "{type: integer, default: 10}",
        "{type: integer, default: 20}",
        &["breaking request default: the query parameter `size` had the default `10`, has `20`"],
        &["breaking request default: the query parameter `size` had the default `20`, has `10`"],
    ),
    (
        "{type: integer, default: 10}",
        "{type: integer, default: 10, maximum: 50}",
        &["breaking request bounds: the query parameter `size` now has the maximum 50"],
        &["compatible request bounds: the query parameter `size` no longer has the maximum 50"],
    ),
    (
        // Every number is a text too.
        "{type: integer, default: 10}",
        "{type: string, default: 10}",
        &["compatible request type: the query parameter `size` was integer, is string"],
        &["breaking request type: the query parameter `size` was string, is integer"],
    ),
    (
        "{name: ids, in: query,",
        "{name: ids, in: query, explode: false,",
        &[
            "breaking request parameter-style: the query parameter `ids` was written in the style `form`, exploded, now in the style `form`",
        ],
        &[
            "breaking request parameter-style: the query parameter `ids` was written in the style `form`, now in the style `form`, exploded",
        ],
    ),
    (
        "          text/csv: {}\n",
        "          application/x-www-form-urlencoded: {schema: {type: object, properties: {n: {type: integer}}}}\n",
        &[
            "breaking request media-type-removed: the request body can no longer be text/csv",
            "compatible request media-type-added: the request body can also be application/x-www-form-urlencoded",
        ],
        &[
            "breaking request media-type-removed: the request body can no longer be application/x-www-form-urlencoded",
            "compatible request media-type-added: the request body can also be text/csv",
        ],
    ),
    (
        "        required: true\n        content",
        "        content",
        &["compatible request request-body-required: the request body is no longer required"],
        &["breaking request request-body-required: the request body is now required"],
    ),
    (
        "          text/csv: {}\n",
        "",
        &["breaking request media-type-removed: the request body can no longer be text/csv"],
        &["compatible request media-type-added: the request body can also be text/csv"],
    ),
    (
        "            text/csv: {schema: {type: string}}\n",
        "",
        &["breaking response media-type-removed: the 200 response can no longer be text/csv"],
        &["compatible response media-type-added: the 200 response can also be text/csv"],
    ),
    (
        "'201': {description: Made}",
        "'202': {description: Made}",
        &[
            "breaking response response-removed: the 201 response is gone",
            "unclear response response-added: the 202 response is new",
        ],
        &[
            "breaking response response-removed: the 202 response is gone",
            "unclear response response-added: the 201 response is new",
        ],
    ),
    (
        "        '404': {description: None}\n",
        "",
        &["compatible response response-removed: the 404 response is gone"],
        &["compatible response response-added: the 404 response is new"],
    ),
    (
        "2XX: {description: Done}",
        "'204': {description: Done}",
        &[],
        &["unclear response response-added: the 2XX response stands for further statuses"],
    ),
    (
        "            X-Total: {required: true, schema: {type: integer}}\n",
        "",
        &["breaking response header-removed: the header `X-Total` of the 200 response is gone"],
        &["compatible response header-added: the header `X-Total` of the 200 response is new"],
    ),
    (
        "            X-Next: {schema: {type: string}}\n",
        "",
        &["unclear response header-removed: the header `X-Next` of the 200 response is gone"],
        &["compatible response header-added: the header `X-Next` of the 200 response is new"],
    ),
    (
        "X-Total: {required: true,",
        "X-Total: {",
        &["breaking response header-required: the header `X-Total` of the 200 response may be missing now"],
        &["compatible response header-required: the header `X-Total` of the 200 response is now always there"],
    ),
    (
        "            first: {operationId: makeThing}\n",
        "            first: {operationId: listThings}\n",
        &["unclear response link: the link `first` of the 200 response differs"],
        &["unclear response link: the link `first` of the 200 response differs"],
    ),
    (
        "security: [{key: []}, {oauth: [write]}]",
        "security: [{key: []}]",
        &["breaking operation security: callers authenticated with `key`, or `oauth` (write), now with `key`"],
        &["compatible operation security: callers authenticated with `key`, now with `key`, or `oauth` (write)"],
    ),
    (
        "{oauth: [write]}",
        "{oauth: [write, admin]}",
        &[
            "breaking operation security: callers authenticated with `key`, or `oauth` (write), now with `key`, or `oauth` (admin, write)",
        ],
        &[
            "compatible operation security: callers authenticated with `key`, or `oauth` (admin, write), now with `key`, or `oauth` (write)",
        ],
    ),
    (
        "security: [{key: []}, {oauth: [write]}]",
        "security: []",
        &[
            "compatible operation security: callers authenticated with `key`, or `oauth` (write), now with no credential",
        ],
        &["breaking operation security: callers authenticated with no credential, now with `key`, or `oauth` (write)"],
    ),
    (
        "X-Total: {required: true, schema: {type: integer}}",
        "x-total: {required: true, schema: {type: integer}}",
        &[],
        &[],
    ),
    (
        "        '404': {description: None}\n",
        "        '404': {description: None}\n        default: {description: Any}\n",
        &["compatible response response-added: the default response stands for further statuses"],
        &["compatible response response-removed: the default response is gone"],
    ),
    (
        "https://one.example.com",
        "https://two.example.com",
        &[
            "unclear operation servers: the server `https://one.example.com` is gone",
            "compatible operation servers: the server `https://two.example.com` is new",
        ],
        &[
            "unclear operation servers: the server `https://two.example.com` is gone",
            "compatible operation servers: the server `https://one.example.com` is new",
        ],
    ),
    (
        "https://one.example.com",
        "https://one.example.com/?to=/",
        &[
            "breaking operation servers: the server `https://one.example.com` is gone, and no other has its path",
            "compatible operation servers: the server `https://one.example.com/?to=/` is new",
        ],
        &[
            "breaking operation servers: the server `https://one.example.com/?to=/` is gone, and no other has its path",
            "compatible operation servers: the server `https://one.example.com` is new",
        ],
    ),
];

#[test]
fn each_edit_of_an_operation_is_told_on_its_side_and_at_both_lines() {
    assert_edits(DOCUMENT, EDITS);
}

#[test]
fn a_number_of_a_form_is_a_text_too() {
    let with = |kind: &str| {
        let form = format!(
            "application/x-www-form-urlencoded: {{schema: {{type: object, properties: {{n: {{type: {kind}}}}}}}}}"
        );
        DOCUMENT.replacen("text/csv: {}", &form, 1)
    };
    let found = lines(&compared(&with("integer"), &with("string")));
    let body = "the request body (application/x-www-form-urlencoded)";
    assert_eq!(
        found,
        [format!(
            "compatible request type: `/n` of {body} was integer, is string"
        )]
    );
    let found = lines(&compared(&with("string"), &with("integer")));
    assert_eq!(
        found,
        [format!("breaking request type: `/n` of {body} was string, is integer")]
    );
}

#[test]
fn the_operation_of_an_edit_is_named() {
    let other = DOCUMENT.replacen("{type: integer, default: 10}", "{type: boolean}", 1);
    let diff = compared(DOCUMENT, &other);
    let named = diff
        .differences
        .iter()
        .map(|difference| difference.operation.as_ref().unwrap().to_string());
    assert!(named.into_iter().all(|name| name == "GET /things"));
}

#[test]
fn an_operation_that_was_announced_to_end_may_end_after_its_day() {
    let announced = |sunset: &str| {
        let with = format!("    get:\n      deprecated: true\n{sunset}      responses: {{2XX");
        DOCUMENT.replacen("    get:\n      responses: {2XX", &with, 1)
    };
    let gone = DOCUMENT.replacen(
        "  /others:\n    get:\n      responses: {2XX: {description: Done}}\n",
        "",
        1,
    );
    let meaning = |sunset: &str, today: Option<&str>| {
        let (old, new) = (document("old.yaml", &announced(sunset)), document("new.yaml", &gone));
        diff(&old, &new, today.map(|day| day.parse().unwrap())).differences[0].meaning
    };
    let day = "      x-sunset: '2030-05-01'\n";
    assert_eq!(meaning(day, Some("2030-04-30")), Meaning::Breaking);
    assert_eq!(meaning(day, Some("2030-05-01")), Meaning::Breaking);
    assert_eq!(meaning(day, Some("2030-05-02")), Meaning::Compatible);
    assert_eq!(meaning(day, None), Meaning::Unclear);
    assert_eq!(meaning("", Some("2030-05-01")), Meaning::Unclear);
}

#[test]
fn keywords_next_to_a_reference_apply_from_openapi_3_1_on() {
    let text = |version: &str, longest: u8| {
        format!(
            "openapi: {version}
info: {{title: Things, version: '1'}}
paths:
  /things:
    post:
      requestBody:
        content:
          application/json:
            schema: {{type: object, properties: {{name: {{$ref: '#/components/schemas/Name', maxLength: {longest}}}}}}}
      responses: {{'204': {{description: Done}}}}
components:
  schemas:
    Name: {{type: string}}
"
        )
    };
    let found = |version: &str| compared(&text(version, 10), &text(version, 5)).differences.len();
    assert_eq!([found("3.0.3"), found("3.1.0"), found("3.2.0")], [0, 1, 1]);
}

#[test]
fn an_array_in_a_part_has_the_default_content_type_of_its_items() {
    let text = |encoding: &str, items: &str| {
        format!(
            "openapi: 3.0.3
info: {{title: Things, version: '1'}}
paths:
  /things:
    post:
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              properties: {{files: {{type: array, items: {items}}}}}
{encoding}      responses: {{'204': {{description: Done}}}}
"
        )
    };
    // Each part of an `allOf` may have a format of its own.
    for items in [
        "{type: string, format: binary}",
        "{type: string, allOf: [{format: image}, {format: binary}]}",
    ] {
        let found = |media_type: &str| {
            let encoding = format!("            encoding: {{files: {{contentType: {media_type}}}}}\n");
            compared(&text("", items), &text(&encoding, items)).differences.len()
        };
        assert_eq!([found("application/octet-stream"), found("text/plain")], [0, 1]);
    }
}

#[test]
fn what_the_check_rejects_is_compared() {
    let old = DOCUMENT
        .replace("description: ", "descripton: ")
        .replacen("type: string", "type: strnig", 1);
    let diff = compared(&old, &old.replacen("default: 10", "default: 20", 1));
    assert_eq!(diff.differences.len(), 1);
    assert!(diff.facts.not_compared.is_some());
}

#[test]
fn an_invariant_that_is_lost_breaks_and_a_gap_that_is_closed_is_harmless() {
    let built_in = include_str!("../../reference.yaml");
    let fewer = built_in.replacen("            - {sent: /firstname, kept: /firstname}\n", "", 1);
    let found = lines(&compared(built_in, &fewer));
    assert!(
        !found.is_empty()
            && found
                .iter()
                .all(|line| line.starts_with("breaking response invariant-lost")),
        "{found:#?}"
    );
    let found = lines(&compared(&fewer, built_in));
    assert!(
        found
            .iter()
            .all(|line| line.starts_with("compatible response invariant-gained")),
        "{found:#?}"
    );
    let closed = built_in
        .replacen("  - id: events\n", "  - id: other-events\n", 1)
        .replacen("x-gap: [purpose, events,", "x-gap: [purpose, other-events,", 1);
    assert_eq!(
        lines(&compared(built_in, &closed)),
        [
            "compatible operation gap: the gap `events` is closed: Are there events, webhooks or notifications?",
            "unclear operation gap: the gap `other-events` is new: Are there events, webhooks or notifications?",
        ]
    );
    let diff = compared(built_in, &fewer);
    assert!(!diff.facts.lost.is_empty() && diff.facts.gained.is_empty());
}

#[test]
fn a_media_type_that_becomes_a_range_is_added_not_gone() {
    let with = |media: &str| with_schemas("{}", "{}", "").replace("application/json:", media);
    let (old, new) = (with("text/plain:"), with("text/*:"));
    let widened = "unclear response media-type-added: the 200 response may now have any media type of text/*";
    assert_eq!(lines(&compared(&old, &new)), [widened]);
    assert_locations(&old, &new);
}

#[test]
fn the_name_of_a_key_is_another_in_another_case_but_in_a_header() {
    let with = |place: &str, name: &str| {
        let scheme = format!("securitySchemes:\n    key: {{type: apiKey, in: {place}, name: {name}}}\n  schemas:");
        let text = with_schemas("{}", "{}", "    Any: {}\n").replacen("schemas:", &scheme, 1);
        text.replacen("paths:", "security: [{key: []}]\npaths:", 1)
    };
    for (place, differs) in [("query", true), ("cookie", true), ("header", false)] {
        let found = lines(&compared(&with(place, "apiKey"), &with(place, "apikey")));
        assert_eq!(!found.is_empty(), differs, "{place}: {found:#?}");
    }
}

#[test]
fn a_callback_may_get_the_statuses_that_its_caller_returns() {
    let with = |status: &str| {
        let callback = format!(
            "      callbacks:\n        done:\n          '{{$request.body#/url}}':\n            post:\n              \
             responses:\n                '{status}': {{description: Taken}}\n      responses:\n"
        );
        with_schemas("{}", "{}", "").replacen("      responses:\n", &callback, 1)
    };
    let found = lines(&compared(&with("200"), &with("2XX")));
    assert!(
        !found.is_empty() && found.iter().all(|line| line.starts_with("compatible")),
        "{found:#?}"
    );
}

#[test]
fn a_range_next_to_a_media_type_that_it_covers_is_a_further_one() {
    let old = with_schemas("{}", "{}", "");
    let added = "compatible response media-type-added: the 200 response can also be */*";
    let media_type = "            application/json:";
    assert_edits(
        &old,
        &[(
            media_type,
            &format!("            '*/*': {{}}\n{media_type}"),
            &[added],
            &[],
        )],
    );
}

#[test]
fn a_media_type_is_compared_with_the_narrowest_range_that_covers_it() {
    let document = |content: &str| {
        with_schemas("{type: string}", "{type: string}", "").replacen(
            "application/json:\n              schema: {type: string}",
            content,
            1,
        )
    };
    let old = document("text/csv:\n              schema: {type: string}");
    let any = "'*/*': {schema: {type: object}}";
    let text = "'text/*': {schema: {type: string}}";
    for (first, second) in [(any, text), (text, any)] {
        let new = document(&format!("{first}\n            {second}"));
        let found = lines(&compared(&old, &new));
        assert!(
            !found.iter().any(|line| line.contains("was string, is object")),
            "{found:#?}"
        );
        assert!(!found.is_empty());
    }
}
