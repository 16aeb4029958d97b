//! Checks what `diff` says about the client against the client itself: a client is generated from each of two
//! contracts, and their surfaces are compared.

use serde_json::{Value, json};

use super::{generated, of_the_reference, reference, without};
use crate::diff::{self, ClientEffect};
use crate::testing::tried;

/// An edit of the contract: its name, and what it does.
type Edit = (&'static str, fn(&mut Value));

/// The schema of a component.
fn schema<'contract>(contract: &'contract mut Value, name: &str) -> &'contract mut Value {
    &mut contract["components"]["schemas"][name]
}

/// The operation at a path.
fn operation<'contract>(contract: &'contract mut Value, path: &str, method: &str) -> &'contract mut Value {
    &mut contract["paths"][format!("/organization/v1/{path}")][method]
}

/// What an overlay adds to a location.
fn answer(gap: &str, operation: &str, claim: &Value) -> Value {
    json!([{"gap": gap, "operation": operation, "claim": claim}])
}

const EDITS: &[Edit] = &[
    ("a response field is added", |contract| {
        schema(contract, "Venue")["properties"]["floor"] = json!({"type": "integer"});
    }),
    ("a response field has another type", |contract| {
        schema(contract, "Visit")["properties"]["id"] = json!({"type": "string"});
    }),
    ("a response field has a format", |contract| {
        schema(contract, "Venue")["properties"]["name"]["format"] = json!("uuid");
    }),
    ("a response field has a length", |contract| {
        schema(contract, "Venue")["properties"]["name"]["maxLength"] = json!(40);
    }),
    ("a response field has a list of values", |contract| {
        schema(contract, "Venue")["properties"]["name"]["enum"] = json!(["north", "south"]);
    }),
    ("a response field has a pattern", |contract| {
        schema(contract, "Venue")["properties"]["name"]["pattern"] = json!("^[a-z]+$");
    }),
    ("a response field may be null", |contract| {
        schema(contract, "Venue")["properties"]["name"]["nullable"] = json!(true);
    }),
    ("a request field is added", |contract| {
        schema(contract, "TagInput")["properties"]["icon"] = json!({"type": "string"});
    }),
    ("a request field is a number", |contract| {
        schema(contract, "TagInput")["properties"]["rank"] = json!({"type": "integer"});
    }),
    ("a request field has format", |contract| {
        schema(contract, "TagInput")["properties"]["name"]["format"] = json!("uuid");
    }),
    ("a request field has maxLength", |contract| {
        schema(contract, "TagInput")["properties"]["name"]["maxLength"] = json!(40);
    }),
    ("a request field has enum", |contract| {
        schema(contract, "TagInput")["properties"]["name"]["enum"] = json!(["a", "b"]);
    }),
    ("a request field has pattern", |contract| {
        schema(contract, "TagInput")["properties"]["name"]["pattern"] = json!("^[a-z]+$");
    }),
    ("a request field has nullable", |contract| {
        schema(contract, "TagInput")["properties"]["name"]["nullable"] = json!(true);
    }),
    ("a request field has default", |contract| {
        schema(contract, "TagInput")["properties"]["name"]["default"] = json!("a");
    }),
    ("a request field has deprecated", |contract| {
        schema(contract, "TagInput")["properties"]["name"]["deprecated"] = json!(true);
    }),
    ("a request field has type", |contract| {
        schema(contract, "TagInput")["properties"]["name"]["type"] = json!("integer");
    }),
    ("a response field has default", |contract| {
        schema(contract, "Venue")["properties"]["name"]["default"] = json!("a");
    }),
    ("a response field has deprecated", |contract| {
        schema(contract, "Venue")["properties"]["name"]["deprecated"] = json!(true);
    }),
    ("a response field has readOnly", |contract| {
        schema(contract, "Venue")["properties"]["name"]["readOnly"] = json!(true);
    }),
    ("a request field becomes required", |contract| {
        schema(contract, "TagInput")["required"] = json!(["name"]);
    }),
    ("a response list may repeat nothing", |contract| {
        schema(contract, "Venue")["properties"]["tags"]["uniqueItems"] = json!(true);
    }),
    ("a request field has multipleOf", |contract| {
        schema(contract, "DateOfBirth")["properties"]["day"]["multipleOf"] = json!(2);
    }),
    ("a response field becomes required", |contract| {
        schema(contract, "Venue")["required"] = json!(["name"]);
    }),
    ("a response object is closed", |contract| {
        schema(contract, "Venue")["additionalProperties"] = json!(false);
    }),
    ("a request object is closed", |contract| {
        schema(contract, "TagInput")["additionalProperties"] = json!(false);
    }),
    ("a response field has alternatives", |contract| {
        schema(contract, "Venue")["properties"]["name"] =
            json!({"oneOf": [{"type": "string"}, {"type": "integer"}], "description": "A name."});
    }),
    ("a response field becomes an array", |contract| {
        schema(contract, "Venue")["properties"]["name"] =
            json!({"type": "array", "items": {"type": "string"}, "description": "Names."});
    }),
    ("a response field is a timestamp", |contract| {
        schema(contract, "Venue")["properties"]["created_at"]["format"] = json!("date-time");
    }),
    ("a response list is of timestamps", |contract| {
        schema(contract, "Venue")["properties"]["tags"]["items"]["format"] = json!("date-time");
    }),
    ("a response field has known values", |contract| {
        schema(contract, "Venue")["properties"]["country"]["x-extensible-enum"] = json!(["GB", "NL"]);
    }),
    ("a request field has known values", |contract| {
        schema(contract, "TagInput")["properties"]["name"]["x-extensible-enum"] = json!(["regular"]);
    }),
    ("a request field was found to be required", |contract| {
        let claim = json!({"required": ["/name"]});
        schema(contract, "TagInput")["x-answers"] = answer("required-fields", "createTag", &claim);
    }),
    ("what an update returns was learned", |contract| {
        let claim = json!({"body": "object", "properties": ["message"]});
        let path = "contact-database/{id}";
        operation(contract, path, "put")["responses"]["2XX"]["x-answers"] =
            answer("update-response-body", "updateContact", &claim);
    }),
    ("a response field was found to be a timestamp", |contract| {
        let claim = json!({"form": "utc"});
        schema(contract, "Venue")["properties"]["created_at"]["x-answers"] =
            answer("timestamp-form", "getVenues", &claim);
    }),
    ("a response field was found to be no timestamp", |contract| {
        let claim = json!({"form": "space"});
        schema(contract, "Venue")["properties"]["created_at"]["x-answers"] =
            answer("timestamp-form", "getVenues", &claim);
    }),
    ("a status was learned", |contract| {
        let claim = json!({"status": 200});
        operation(contract, "tags", "get")["responses"]["2XX"]["x-answers"] =
            answer("success-status", "getTags", &claim);
    }),
    ("an error response is added", |contract| {
        operation(contract, "tags", "get")["responses"]["409"] = json!({"description": "No."});
    }),
    ("a success status is another", |contract| {
        let responses = operation(contract, "tags", "get")["responses"].as_object_mut().unwrap();
        let success = responses.remove("2XX").unwrap();
        responses.insert("203".to_owned(), success);
    }),
    ("a parameter has another type", |contract| {
        contract["components"]["parameters"]["page"]["schema"]["type"] = json!("string");
    }),
    ("a parameter has bounds", |contract| {
        contract["components"]["parameters"]["page"]["schema"]["maximum"] = json!(9);
    }),
    ("a parameter has a list of values", |contract| {
        contract["components"]["parameters"]["page"]["schema"]["enum"] = json!([1, 2]);
    }),
    ("a parameter becomes required", |contract| {
        contract["components"]["parameters"]["page"]["required"] = json!(true);
    }),
    ("an operation needs no credential", |contract| {
        operation(contract, "tags", "get")["security"] = json!([]);
    }),
    ("an operation is deprecated", |contract| {
        operation(contract, "tags", "get")["deprecated"] = json!(true);
    }),
    ("a response header is added", |contract| {
        operation(contract, "tags", "get")["responses"]["2XX"]["headers"] =
            json!({"X-Rate": {"schema": {"type": "integer"}}});
    }),
    ("an operation is added", |contract| {
        let mut added = operation(contract, "tags", "get").clone();
        added["operationId"] = json!("getLabels");
        contract["paths"]["/organization/v1/labels"] = json!({"get": added});
    }),
    ("an operation has another operationId", |contract| {
        operation(contract, "tags", "get")["operationId"] = json!("listTags");
    }),
    ("an operation moves to another path", |contract| {
        let paths = contract["paths"].as_object_mut().unwrap();
        let moved = paths.remove("/organization/v1/tags").unwrap();
        paths.insert("/organization/v2/tags".to_owned(), moved);
    }),
    ("an optional query parameter is added", |contract| {
        let added = json!({"name": "colour", "in": "query", "schema": {"type": "string"}, "description": "A colour."});
        operation(contract, "tags", "get")["parameters"]
            .as_array_mut()
            .unwrap()
            .push(added);
    }),
    ("a required query parameter is added", |contract| {
        let added = json!({"name": "colour", "in": "query", "required": true, "schema": {"type": "string"}, "description": "A colour."});
        operation(contract, "tags", "get")["parameters"]
            .as_array_mut()
            .unwrap()
            .push(added);
    }),
    ("a description is another", |contract| {
        schema(contract, "Venue")["properties"]["name"]["description"] = json!("What it is called.");
    }),
    ("a summary is another", |contract| {
        operation(contract, "tags", "get")["summary"] = json!("All tags");
    }),
];

/// Edits that leave the surface as it is, and with which a program that was built before fails when it runs.
const AT_RUN_TIME: [&str; 1] = ["an operation moves to another path"];

/// What the surfaces say: something is gone, something is new and nothing is gone, or neither.
fn of_the_surface(old: &[String], new: &[String]) -> ClientEffect {
    match (without(old, new).is_empty(), without(new, old).is_empty()) {
        (false, _) => ClientEffect::Major,
        (true, false) => ClientEffect::Minor,
        (true, true) => ClientEffect::None,
    }
}

/// The greatest effect of the differences.
fn of_the_diff(old: &Value, new: &Value) -> ClientEffect {
    let document = |contract: &Value| diff::read("contract.json", contract.to_string()).unwrap();
    let found = diff::diff(&document(old), &document(new), None);
    let effects = found.differences.iter().map(|difference| difference.client);
    // The greatest is the first.
    effects.min().unwrap_or(ClientEffect::None)
}

#[test]
fn the_effect_on_the_client_is_that_of_its_surface() {
    let old = reference();
    let of_old = of_the_reference();
    let mut wrong = Vec::new();
    // Generating a client takes a third of a second.
    for (name, edit) in EDITS.iter().step_by(tried(12, 1)) {
        let mut new = old.clone();
        edit(&mut new);
        assert_ne!(old, new, "{name}");
        let of_new = generated(&new);
        for (direction, surface, diff) in [
            ("", of_the_surface(of_old, &of_new), of_the_diff(&old, &new)),
            (", undone", of_the_surface(&of_new, of_old), of_the_diff(&new, &old)),
        ] {
            let expected = if AT_RUN_TIME.contains(name) {
                ClientEffect::Major
            } else {
                surface
            };
            if expected != diff {
                wrong.push(format!(
                    "{name}{direction}: {surface:?} by the surface, {diff:?} by the diff"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
