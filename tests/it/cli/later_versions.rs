//! A document of OpenAPI 3.1, as frameworks write it: the service is checked by it, and its faults are found.

use std::io::Write as _;

use super::stub::{Stub, json as response};
use super::support::{Ended, check, countersign};

const SPEC: &str = r##"{
  "openapi": "3.1.0",
  "info": {"title": "Boats", "summary": "What lies in a harbour", "version": "0.1.0"},
  "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
  "paths": {
    "/boats": {
      "get": {
        "operationId": "list_boats",
        "parameters": [
          {"name": "harbour", "in": "query", "required": false,
           "schema": {"anyOf": [{"type": "string", "enum": ["north"]}, {"type": "null"}], "title": "Harbour"}},
          {"name": "limit", "in": "query", "required": false,
           "schema": {"type": "integer", "exclusiveMinimum": 0, "maximum": 50}}
        ],
        "responses": {
          "200": {
            "description": "Successful Response",
            "content": {"application/json": {"schema": {
              "type": "array", "items": {"$ref": "#/components/schemas/Boat"}, "title": "Response"
            }}}
          },
          "422": {
            "description": "Validation Error",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/HTTPValidationError"}}}
          }
        }
      }
    }
  },
  "webhooks": {
    "sunk": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": ["object", "null"]}}}}}}
  },
  "components": {
    "pathItems": {"shared": {"get": {"operationId": "never_called"}}},
    "schemas": {
      "Boat": {
        "type": "object",
        "required": ["kind", "name", "owner", "place"],
        "title": "Boat",
        "properties": {
          "kind": {"type": "string", "const": "boat", "title": "Kind", "default": "boat"},
          "name": {"type": "string", "title": "Name", "examples": ["Ada"]},
          "owner": {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "Owner"},
          "place": {
            "type": "array", "title": "Place", "minItems": 2, "maxItems": 2,
            "prefixItems": [{"type": "number"}, {"type": "number"}]
          }
        }
      },
      "HTTPValidationError": {
        "properties": {
          "detail": {"items": {"$ref": "#/components/schemas/ValidationError"}, "type": "array", "title": "Detail"}
        },
        "type": "object",
        "title": "HTTPValidationError"
      },
      "ValidationError": {
        "properties": {
          "loc": {"items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "type": "array", "title": "Location"},
          "msg": {"type": "string", "title": "Message"},
          "type": {"type": "string", "title": "Error Type"}
        },
        "type": "object",
        "required": ["loc", "msg", "type"],
        "title": "ValidationError"
      }
    }
  }
}
"##;

const BOAT: &str = r#"{"kind": "boat", "name": "Ada", "owner": null, "place": [1.5, 2]}"#;
const INVALID: &str = r#"{"detail": [{"loc": ["query", 0], "msg": "no", "type": "missing"}]}"#;

/// A service with one boat, which rejects any limit.
fn service(boat: &str, invalid: &str) -> Stub {
    let (boats, invalid) = (format!("[{boat}]"), invalid.to_owned());
    Stub::start(move |request, stream| {
        let handled = if request.head.contains("limit=") {
            response("422 Unprocessable Content", &invalid)
        } else {
            response("200 OK", &boats)
        };
        stream.write_all(handled.as_bytes())
    })
}

fn checked(service: &Stub) -> Ended {
    let arguments = ["--spec", "boats.json", "--settle", "0"];
    check(&service.url(), &arguments).file("boats.json", SPEC).run()
}

#[test]
fn a_service_that_keeps_to_the_document_passes() {
    for owner in ["null", "\"Grace\""] {
        let service = service(&BOAT.replace("null", owner), INVALID);
        let ended = checked(&service);
        assert_eq!(ended.code, 0, "{ended:?}");
        let received = service.received();
        let sent = |query: &str| received.iter().any(|request| request.head.contains(query));
        assert!(sent("limit=1") && sent("harbour=north"), "{received:?}");
        assert!(
            received.iter().all(|request| request.head.starts_with("GET /boats")),
            "no webhook is called: {received:?}"
        );
    }
}

#[test]
fn each_fault_is_found_at_the_line_that_states_the_opposite() {
    for (from, to, fact, keyword) in [
        ("\"boat\"", "\"ship\"", "/*/kind: enum", "\"const\": \"boat\""),
        ("\"Ada\"", "null", "/*/name: string", "\"title\": \"Name\""),
        (
            "\"owner\": null",
            "\"owner\": 1",
            "/*/owner: string or null",
            "\"title\": \"Owner\"",
        ),
        (", \"owner\": null", "", "/*/owner: present", "\"title\": \"Owner\""),
        ("1.5, 2", "\"a\", 2", "/*/place: ", "\"prefixItems\""),
        ("1.5, 2", "1.5, 2, 3", "/*/place: ", "\"minItems\": 2"),
    ] {
        let ended = checked(&service(&BOAT.replacen(from, to, 1), INVALID));
        assert_eq!(ended.code, 1, "{to}: {ended:?}");
        assert!(
            ended.stdout.contains(&format!("list_boats {fact}")),
            "{to}: {}",
            ended.stdout
        );
        let at = SPEC.lines().position(|line| line.contains(keyword)).unwrap() + 1;
        // The keyword that comes first names the line of an assertion of several.
        let lines = [at, at - 1].map(|line| format!("boats.json:{line}:"));
        assert!(
            lines.iter().any(|line| ended.stdout.contains(line)),
            "{to}: {}",
            ended.stdout
        );
    }
}

#[test]
fn a_fault_in_an_error_response_is_found() {
    let invalid = INVALID.replace("\"query\", 0", "\"query\", 1.5");
    let ended = checked(&service(BOAT, &invalid));
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended.stdout.contains("list_boats 422 /detail/*/loc/*: anyOf"),
        "{ended:?}"
    );
}

#[test]
fn the_other_commands_read_it_too() {
    for command in ["facts", "plan"] {
        let ended = countersign(&[command, "--spec", "boats.json"])
            .file("boats.json", SPEC)
            .run();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{command}: {ended:?}");
        assert!(ended.stdout.contains("list_boats"), "{command}: {ended:?}");
    }
    let ended = countersign(&["lint", "boats.json"]).file("boats.json", SPEC).run();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
}

#[test]
fn another_dialect_of_json_schema_is_refused_by_name() {
    let spec = SPEC.replace(
        "https://spec.openapis.org/oas/3.1/dialect/base",
        "http://json-schema.org/draft-07/schema#",
    );
    let ended = countersign(&["facts", "--spec", "boats.json"])
        .file("boats.json", spec)
        .run();
    let message = ended.is_one_error(2);
    for part in [
        "boats.json:4:",
        "(/jsonSchemaDialect)",
        "`http://json-schema.org/draft-07/schema#`",
    ] {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}
