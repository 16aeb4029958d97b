//! Edits of what surrounds a body: servers, callbacks, how a value is written, flows of OAuth.

use super::support::{Edit, assert_edits, compared, lines};

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Things, version: '1'}
servers: [{url: 'https://{region}.example.com/v1', variables: {region: {default: eu, enum: [eu, us]}}}]
paths:
  /things:
    get:
      parameters:
        - {name: filter, in: query, content: {application/json: {schema: {type: object}}}}
        - {name: next, in: query, allowReserved: true, schema: {type: string}}
        - {name: X-Ids, in: header, schema: {type: array, items: {type: string}}}
      responses:
        4XX: {description: Refused, content: {text/plain: {schema: {type: string}}}}
        '200':
          description: All
          headers: {X-Page: {content: {application/json: {schema: {type: object}}}}}
    post:
      servers: [{url: 'https://uploads.example.com/v1'}]
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              properties:
                picture: {type: string, format: binary}
                about: {type: object, properties: {size: {type: integer}}}
                name: {type: string}
            encoding: {picture: {contentType: 'image/png, image/jpeg'}}
      callbacks:
        stored: {$ref: '#/components/callbacks/stored'}
      responses: {default: {description: Any, content: {text/plain: {}}}}
    put:
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {ids: {type: array, items: {type: string}}}}
            encoding: {ids: {explode: false}}
      responses: {'204': {description: Done}}
components:
  callbacks:
    stored:
      '{$request.query.url}':
        post:
          requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Stored'}}}}
          responses: {'200': {description: Noted}}
  schemas:
    Stored: {type: object, required: [id], properties: {id: {type: string}}}
  securitySchemes:
    oauth: {type: oauth2, flows: {implicit: {authorizationUrl: 'https://example.com/a', scopes: {read: To read}}}}
";

const EDITS: &[Edit<'_>] = &[
    (
        "variables: {region: {default: eu, enum: [eu, us]}}",
        "variables: {region: {default: eu, enum: [eu]}}",
        &[
            "unclear operation servers: what may stand for the variables of the server `https://{region}.example.com/v1` differs",
        ],
        &[
            "unclear operation servers: what may stand for the variables of the server `https://{region}.example.com/v1` differs",
        ],
    ),
    (
        "https://uploads.example.com/v1",
        "https://uploads.example.com/v2",
        &[
            "breaking operation servers: the server `https://uploads.example.com/v1` is gone, and no other has its path",
            "compatible operation servers: the server `https://uploads.example.com/v2` is new",
        ],
        &[
            "breaking operation servers: the server `https://uploads.example.com/v2` is gone, and no other has its path",
            "compatible operation servers: the server `https://uploads.example.com/v1` is new",
        ],
    ),
    (
        "      servers: [{url: 'https://uploads.example.com/v1'}]\n",
        "",
        &[
            "unclear operation servers: the server `https://uploads.example.com/v1` is gone",
            "compatible operation servers: the server `https://{region}.example.com/v1` is new",
        ],
        &[
            "unclear operation servers: the server `https://{region}.example.com/v1` is gone",
            "compatible operation servers: the server `https://uploads.example.com/v1` is new",
        ],
    ),
    (
        "{name: filter, in: query, content: {application/json:",
        "{name: filter, in: query, content: {application/xml:",
        &[
            "breaking request parameter-style: the query parameter `filter` was written as application/json, now as application/xml",
        ],
        &[
            "breaking request parameter-style: the query parameter `filter` was written as application/xml, now as application/json",
        ],
    ),
    (
        "allowReserved: true, ",
        "",
        &[
            "breaking request parameter-style: the query parameter `next` may no longer have reserved characters that are not encoded",
        ],
        &[
            "compatible request parameter-style: the query parameter `next` may now have reserved characters that are not encoded",
        ],
    ),
    // A list is written with commas either way.
    ("in: header, schema", "in: header, explode: true, schema", &[], &[]),
    (
        "X-Page: {content: {application/json:",
        "X-Page: {content: {text/plain:",
        &[
            "breaking response parameter-style: the header `X-Page` of the 200 response was written as application/json, now as text/plain",
        ],
        &[
            "breaking response parameter-style: the header `X-Page` of the 200 response was written as text/plain, now as application/json",
        ],
    ),
    (
        "        '200':\n          description: All\n",
        "        '400': {description: Bad}\n        '200':\n          description: All\n",
        &["breaking response media-type-removed: the 400 response can no longer be text/plain"],
        &["compatible response media-type-added: the 4XX response can now have a body, text/plain"],
    ),
    (
        "responses: {default: {description: Any, content: {text/plain: {}}}}",
        "responses: {default: {description: Any, content: {text/plain: {}}}, '404': {description: None}}",
        &[
            "compatible response response-added: the 404 response is new",
            "unclear response media-type-removed: the 404 response can no longer be text/plain",
        ],
        &[
            "compatible response response-removed: the 404 response is gone",
            "compatible response media-type-added: the default response can now have a body, text/plain",
        ],
    ),
    (
        "{size: {type: integer}}",
        "{size: {type: string}}",
        &["breaking request type: `/about/size` of the request body was integer, is string"],
        &["breaking request type: `/about/size` of the request body was string, is integer"],
    ),
    (
        "                name: {type: string}\n",
        "                name: {type: integer}\n",
        &["breaking request type: `/name` of the request body was string, is integer"],
        // What is no object is a part in plain text.
        &["compatible request type: `/name` of the request body was integer, is string"],
    ),
    (
        "image/png, image/jpeg",
        "image/png",
        &[
            "breaking request encoding: `/picture` of the request body was written as image/png or image/jpeg, now as image/png",
        ],
        &[
            "compatible request encoding: `/picture` of the request body was written as image/png, now as image/png or image/jpeg",
        ],
    ),
    (
        "            encoding: {picture: {contentType: 'image/png, image/jpeg'}}\n",
        "            encoding: {picture: {contentType: 'image/jpeg, image/png'}, about: {contentType: application/json}}\n",
        &[],
        &[],
    ),
    (
        "encoding: {ids: {explode: false}}",
        "encoding: {ids: {explode: true}}",
        &[
            "breaking request parameter-style: `/ids` of the request body was written in the style `form`, now in the style `form`, exploded",
        ],
        &[
            "breaking request parameter-style: `/ids` of the request body was written in the style `form`, exploded, now in the style `form`",
        ],
    ),
    (
        "      callbacks:\n        stored: {$ref: '#/components/callbacks/stored'}\n",
        "",
        &["breaking operation callbacks: the callback `stored` is gone"],
        &["compatible operation callbacks: the callback `stored` is new"],
    ),
    ("        stored: {$ref:", "        kept: {$ref:", &[], &[]),
    (
        "{$request.query.url}",
        "{$request.query.hook}",
        &[
            "breaking operation callbacks: the callback `stored` was sent to `{$request.query.url}`, now to `{$request.query.hook}`",
        ],
        &[
            "breaking operation callbacks: the callback `stored` was sent to `{$request.query.hook}`, now to `{$request.query.url}`",
        ],
    ),
    (
        "        post:\n          requestBody: {content",
        "        put:\n          requestBody: {content",
        &[
            "breaking operation callbacks: the callback `stored` no longer sends a POST",
            "unclear operation callbacks: the callback `stored` also sends a PUT",
        ],
        &[
            "breaking operation callbacks: the callback `stored` no longer sends a PUT",
            "unclear operation callbacks: the callback `stored` also sends a POST",
        ],
    ),
    (
        // What a callback sends is what callers receive.
        "{type: object, required: [id], properties: {id: {type: string}}}",
        "{type: object, properties: {id: {type: string}}}",
        &[
            "breaking response property-required: in the callback `stored`: `/id` of the request body is no longer required",
        ],
        &["compatible response property-required: in the callback `stored`: `/id` of the request body is now required"],
    ),
    (
        "responses: {'200': {description: Noted}}",
        "responses: {'200': {description: Noted}, '202': {description: Later}}",
        &["compatible request response-added: in the callback `stored`: the 202 response is new"],
        &["breaking request response-removed: in the callback `stored`: the 202 response is gone"],
    ),
    (
        "implicit: {authorizationUrl: 'https://example.com/a',",
        "implicit: {authorizationUrl: 'https://example.com/b',",
        &["unclear operation security-scheme: the flow `implicit` of the security scheme `oauth` differs"],
        &["unclear operation security-scheme: the flow `implicit` of the security scheme `oauth` differs"],
    ),
    ("{read: To read}", "{read: To look at}", &[], &[]),
    (
        "flows: {implicit: {",
        "flows: {password: {tokenUrl: 'https://example.com/t', scopes: {}}, implicit: {",
        &["compatible operation security-scheme: the flow `password` of the security scheme `oauth` is new"],
        &["breaking operation security-scheme: the flow `password` of the security scheme `oauth` is gone"],
    ),
];

#[test]
fn each_edit_around_a_body_is_told_on_its_side_and_at_both_lines() {
    assert_edits(DOCUMENT, EDITS);
}

#[test]
fn another_host_with_the_same_path_is_unclear_and_another_path_breaks() {
    let with = |url: &str| DOCUMENT.replace("https://uploads.example.com/v1", url);
    let worst = |url: &str| lines(&compared(DOCUMENT, &with(url)))[0].clone();
    assert!(worst("https://files.example.com/v1/").starts_with("unclear"));
    assert!(worst("/v1").starts_with("unclear"));
    assert!(worst("https://uploads.example.com").starts_with("breaking"));
}
