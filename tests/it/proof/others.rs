//! What says before a write that it may concern a record of somebody else: an identifier that a gateway or the service
//! may read as another one, a path that ends with a verb, a create that returns a listed record. Nothing of the kind is
//! sent, and where nothing says so, everything is.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use countersign::{Check, Contract};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::misled::THINGS;

/// More paths of those things whose identifiers are strings.
const BELOW: &str = "  /things/mine:
    get: {operationId: listMine, responses: {'200': {description: Mine}}}
  /things/{id}/activate:
    parameters: [{$ref: '#/components/parameters/Id'}]
    put: {operationId: putActive, responses: {'204': {description: Active}}}
  /things/{id}/colour:
    parameters: [{$ref: '#/components/parameters/Id'}]
    put:
      operationId: setColour
      requestBody: {$ref: '#/components/requestBodies/New'}
      responses: {'200': {$ref: '#/components/responses/Thing'}}
";

/// What the service does besides storing its records.
#[derive(Clone, Copy)]
struct Kind {
    /// The identifier that the n-th create gets.
    id: fn(usize) -> String,
    /// Whether `PUT /things/{id}` changes anything besides a counter.
    updates: bool,
    /// Whether the list still shows what was deleted.
    lists_deleted: bool,
    /// Whose colour `PUT /things/{id}/colour` sets, and which thing it returns.
    colours: Colours,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colours {
    Its,
    SomebodyElses,
    /// It sets somebody else's, and returns its thing as it was.
    SomebodyElsesUnseen,
}

/// Returns the requests that were accepted: `PUT /things/t-1/colour`.
async fn accepted(kind: Kind) -> Vec<String> {
    accepted_by((kind, "dropThing,")).await
}

/// Those of a check of a document in which this begins what is said about the deletion.
async fn accepted_by((kind, deletion): (Kind, &str)) -> Vec<String> {
    let other = json!({"id": "t-0", "name": "Other", "colour": "red"});
    let state = Arc::new(Mutex::new((vec![other], Vec::new())));
    let shared = state.clone();
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let sent = serde_json::from_slice(&body)
            .ok()
            .or_else(|| body.is_empty().then_some(Value::Null));
        let response = sent.map_or(StatusCode::BAD_REQUEST.into_response(), |sent| {
            let (things, accepted) = &mut *shared.lock().unwrap();
            let response = respond(kind, things, (&method, uri.path()), &sent);
            if response.status().is_success() {
                accepted.push(format!("{method} {}", uri.path()));
            }
            response
        });
        async { response }
    });
    let document = THINGS
        .replace("PARAMETER", "id")
        .replace("type: integer", "type: string")
        .replace("dropThing,", deletion)
        + BELOW;
    let check = Check::new(Contract::read("things.yaml", document).unwrap()).service(router);
    let check = check.writes(true).cleanup(true).max_writes(40).seed(1);
    check.settle(std::time::Duration::ZERO).run().await.unwrap();
    let (_, accepted) = &*state.lock().unwrap();
    accepted
        .iter()
        .filter(|line| !line.starts_with("GET"))
        .cloned()
        .collect()
}

fn respond(kind: Kind, things: &mut Vec<Value>, (method, path): (&Method, &str), sent: &Value) -> Response {
    let Some(below) = path.strip_prefix("/things/") else {
        if method == Method::GET {
            let listed = things.iter().filter(|thing| thing.get("gone").is_none());
            return axum::Json(listed.collect::<Vec<_>>()).into_response();
        }
        let id = (kind.id)(things.len());
        things.retain(|thing| thing["id"] != *id);
        let thing = json!({"id": id, "name": sent["name"], "colour": sent["colour"]});
        things.push(thing.clone());
        return (StatusCode::CREATED, axum::Json(thing)).into_response();
    };
    let (id, part) = below.split_once('/').unwrap_or((below, ""));
    let id = percent_decode_str(id).decode_utf8_lossy();
    let is_gone = things.iter().any(|thing| thing["gone"] == *id);
    let at = things.iter().position(|thing| thing["id"] == *id);
    let Some(at) = at.filter(|_| !is_gone) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if method == Method::DELETE {
        if kind.lists_deleted {
            things.push(json!({"gone": id}));
        } else {
            things.remove(at);
        }
        return StatusCode::NO_CONTENT.into_response();
    }
    let own = at;
    let at = if part == "colour" && kind.colours != Colours::Its {
        0
    } else {
        at
    };
    if method == Method::PUT && kind.updates {
        for name in ["name", "colour"] {
            if let Some(value) = sent.get(name) {
                things[at][name] = value.clone();
            }
        }
    }
    if method == Method::PUT {
        let writes = things[at]["writes"].as_u64().unwrap_or(0);
        things[at]["writes"] = json!(writes + 1);
    }
    match part {
        "colour" if kind.colours == Colours::SomebodyElsesUnseen => axum::Json(&things[own]).into_response(),
        "" | "colour" => axum::Json(&things[at]).into_response(),
        _ => StatusCode::NO_CONTENT.into_response(),
    }
}

const PLAIN: Kind = Kind {
    id: |number| format!("t-{number}"),
    updates: true,
    lists_deleted: false,
    colours: Colours::Its,
};

fn count(accepted: &[String], beginning: &str) -> usize {
    accepted.iter().filter(|line| line.starts_with(beginning)).count()
}

fn count_ending(accepted: &[String], ending: &str) -> usize {
    accepted.iter().filter(|line| line.ends_with(ending)).count()
}

#[tokio::test]
async fn everything_but_a_verb_is_sent_under_a_plain_identifier() {
    let accepted = accepted(PLAIN).await;
    let creates = count(&accepted, "POST");
    assert!(creates > 1, "{accepted:?}");
    assert_eq!(count(&accepted, "DELETE"), creates, "{accepted:?}");
    assert!(count(&accepted, "PUT /things/t-1/colour") > 0, "{accepted:?}");
    assert!(!accepted.iter().any(|line| line.ends_with("/activate")), "{accepted:?}");
}

#[tokio::test]
async fn nothing_is_written_under_an_identifier_that_may_be_read_as_another_one() {
    let ids: [fn(usize) -> String; 8] = [
        |_| "mine".to_owned(),
        |number| format!("t{number}/../t-0"),
        |number| format!("t{number};v=2"),
        |number| format!("t{number},t-0"),
        |number| format!("t{number}*"),
        |number| format!("t-0.v{number}"),
        |number| format!("t-0x{number}"),
        |number| ["all", "latest", "me", "default"][number % 4].to_owned(),
    ];
    for id in ids {
        let accepted = accepted(Kind { id, ..PLAIN }).await;
        assert!(count(&accepted, "POST") > 0, "{accepted:?}");
        assert_eq!(count(&accepted, "PUT") + count(&accepted, "DELETE"), 0, "{accepted:?}");
    }
}

#[tokio::test]
async fn a_create_that_returns_a_listed_record_is_sent_once() {
    let accepted = accepted(Kind {
        id: |_| "t-0".to_owned(),
        ..PLAIN
    })
    .await;
    assert_eq!(accepted, ["POST /things"]);
}

#[tokio::test]
async fn nothing_more_is_deleted_once_the_list_still_shows_a_deleted_record() {
    let accepted = accepted(Kind {
        lists_deleted: true,
        ..PLAIN
    })
    .await;
    assert!(count(&accepted, "POST") > 1, "{accepted:?}");
    assert_eq!(count(&accepted, "DELETE"), 1, "{accepted:?}");
}

#[tokio::test]
async fn after_an_update_without_effect_no_update_of_the_record_follows() {
    let accepted = accepted(Kind {
        updates: false,
        ..PLAIN
    })
    .await;
    assert_eq!(count(&accepted, "PUT"), 1, "{accepted:?}");
    assert_eq!(count(&accepted, "DELETE"), count(&accepted, "POST"), "{accepted:?}");
}

#[tokio::test]
async fn a_write_below_a_record_that_returns_another_one_is_the_last_write() {
    let accepted = accepted(Kind {
        colours: Colours::SomebodyElses,
        ..PLAIN
    })
    .await;
    let coloured = |accepted: &[String]| accepted.iter().position(|line| line.ends_with("/colour")).unwrap();
    let after = &accepted[coloured(&accepted) + 1..];
    let sound = accepted_by((PLAIN, "dropThing,")).await;
    assert!(count(&sound[coloured(&sound) + 1..], "PUT") > 0, "{sound:?}");
    assert!(after.iter().all(|line| line == "POST /things"), "{accepted:?}");
}

#[tokio::test]
async fn a_write_below_a_record_that_returns_it_unchanged_is_the_last_update() {
    let accepted = accepted_by((
        Kind {
            colours: Colours::SomebodyElsesUnseen,
            ..PLAIN
        },
        "dropThing,",
    ))
    .await;
    assert_eq!(count_ending(&accepted, "/colour"), 1, "{accepted:?}");
    let coloured = accepted.iter().position(|line| line.ends_with("/colour"));
    assert_eq!(count(&accepted[coloured.unwrap()..], "PUT"), 1, "{accepted:?}");
    assert!(count(&accepted, "DELETE") > 0, "{accepted:?}");
    assert!(count_ending(&accepted_by((PLAIN, "dropThing,")).await, "/colour") > 1);
}

#[tokio::test]
async fn a_deletion_that_may_concern_several_records_is_not_sent() {
    for (deletion, is_sent) in [
        ("dropThing,", true),
        (
            "dropThing, summary: Delete a thing, description: Deletes it and all its colours.,",
            true,
        ),
        ("dropThing, summary: Delete all things,", false),
        (
            "dropThing, description: Removes it. Deletes every thing of its colour.,",
            false,
        ),
        (
            "dropThing, requestBody: {required: true, content: {application/json: {schema: {type: object}}}},",
            false,
        ),
    ] {
        let accepted = accepted_by((PLAIN, deletion)).await;
        assert_eq!(count(&accepted, "DELETE") > 0, is_sent, "{deletion}: {accepted:?}");
        assert!(count(&accepted, "PUT") > 0, "{deletion}: {accepted:?}");
    }
}
