//! A foreign document whose writes log out, reset, restart and rewrite: its service receives only the writes that the
//! check understands, and those that the user named.

use std::io::Write as _;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::stub::{Received, Stub, json as response};
use super::support::{Ended, check, countersign};

/// Notes are created, shown by their identifier and changed; nothing else here is understood.
const SPEC: &str = r##"
openapi: 3.0.3
info: {title: Side effects, version: '1'}
security: [{bearer: []}]
paths:
  /notes:
    post:
      operationId: addNote
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}
      responses:
        '201':
          description: Added
          content: {application/json: {schema: {type: object, properties: {id: {type: integer}, text: {type: string}}}}}
          links:
            Show: {operationId: getNote, parameters: {id: $response.body#/id}}
            Change: {operationId: setNote, parameters: {id: $response.body#/id}}
  /notes/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: getNote
      responses: {'200': {description: A note, content: {application/json: {schema: {type: object, properties: {text: {type: string}}}}}}}
    put:
      operationId: setNote
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}
      responses: {'200': {description: Changed}}
    delete: {operationId: dropNote, responses: {'204': {description: Gone}}}
  /users:
    get:
      operationId: getUsers
      responses:
        '200':
          description: Users
          content: {application/json: {schema: {type: array, items: {type: object, properties: {id: {type: integer}}}}}}
          links:
            Rename: {operationId: setUser, parameters: {id: '$response.body#/0/id'}}
            Write: {operationId: sendMessage, requestBody: {recipientId: "$response.body#/0/id"}}
  /users/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}, example: 1}]
    put:
      operationId: setUser
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}
      responses: {'200': {description: Changed}}
  /messages:
    post:
      operationId: sendMessage
      requestBody:
        content:
          application/json:
            schema: {type: object, required: [recipientId, text], properties: {recipientId: {type: integer}, text: {type: string}}}
      responses:
        '201': {description: Sent, links: {Show: {operationId: getNote, parameters: {id: $response.body#/id}}}}
  /todos:
    patch:
      operationId: setTodos
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}
      responses: {'200': {description: Changed}}
  /settings:
    put:
      operationId: setSettings
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}
      responses: {'200': {description: Changed}}
  /session/log-out: {post: {operationId: logOut, responses: {'204': {description: Out}}}}
  /token/reset: {post: {operationId: resetToken, responses: {'200': {description: Reset}}}}
  /cache/clear: {post: {operationId: clearCache, responses: {'204': {description: Cleared}}}}
  /hosts/{id}/restart:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}, example: 1}]
    post: {operationId: restartHost, responses: {'202': {description: Restarting}}}
  /jobs:
    post:
      operationId: runJob
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Note'}}}}
      responses: {'202': {description: Running}}
components:
  securitySchemes: {bearer: {type: http, scheme: bearer}}
  schemas:
    Note: {type: object, properties: {text: {type: string, example: Buy milk}, authorId: {type: integer, example: 1}}}
"##;

/// The operations that nothing but their prose distinguishes from a create.
const SIDE_EFFECTS: [&str; 9] = [
    "clearCache", "logOut", "resetToken", "restartHost", "runJob", "sendMessage", "setSettings", "setTodos", "setUser",
];

/// A service that keeps notes, and answers everything else as if it had done it.
fn service() -> Stub {
    let notes: Arc<Mutex<Vec<Value>>> = Arc::default();
    Stub::start(move |request, stream| stream.write_all(handled(request, &notes).as_bytes()))
}

fn handled(request: &Received, notes: &Mutex<Vec<Value>>) -> String {
    if !request.authorized() {
        return response("401 Unauthorized", "{}");
    }
    let (method, path) = line(request);
    let mut notes = notes.lock().unwrap();
    let sent: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let note = path.strip_prefix("/notes/").and_then(|id| id.parse::<usize>().ok());
    match (method.as_str(), path.as_str(), note) {
        ("POST", "/notes", _) => {
            notes.push(sent["text"].clone());
            let note = json!({"id": notes.len() - 1, "text": sent["text"]});
            response("201 Created", &note.to_string())
        }
        ("GET", _, Some(id)) if id < notes.len() => {
            response("200 OK", &json!({"id": id, "text": notes[id]}).to_string())
        }
        ("PUT", _, Some(id)) if id < notes.len() => {
            notes[id] = sent["text"].clone();
            response("200 OK", "{}")
        }
        ("GET", "/users", _) => response("200 OK", r#"[{"id": 7}, {"id": 8}]"#),
        (_, _, Some(_)) => response("404 Not Found", "{}"),
        _ => response("200 OK", r#"{"id": 0}"#),
    }
}

/// The method and the path of a request.
fn line(request: &Received) -> (String, String) {
    let mut words = request.head.split(' ').map(str::to_owned);
    (words.next().unwrap(), words.next().unwrap())
}

/// The writes that came, each as method and path.
fn writes(service: &Stub) -> Vec<(String, String)> {
    let lines = service.received().iter().map(line).collect::<Vec<_>>();
    lines.into_iter().filter(|(method, _)| method != "GET").collect()
}

fn checked(service: &Stub, arguments: &[&str]) -> Ended {
    let arguments = [&["--spec", "side.yaml", "--writes", "--settle", "0"], arguments].concat();
    check(&service.url(), &arguments).file("side.yaml", SPEC).run()
}

#[test]
fn of_a_foreign_contract_creates_and_updates_of_own_records_are_sent_and_nothing_else() {
    let service = service();
    let ended = checked(&service, &[]);
    let sent = writes(&service);
    for (method, path) in &sent {
        let known = match method.as_str() {
            "POST" => path == "/notes",
            "PUT" => path.starts_with("/notes/"),
            _ => false,
        };
        assert!(known, "{method} {path}: {ended:?}");
    }
    let methods = |method: &str| sent.iter().filter(|(sent, _)| sent == method).count();
    assert!(methods("POST") > 0 && methods("PUT") > 0, "{sent:?}: {ended:?}");
    // The notes carry the run's tag, and nobody else's identifier.
    let bodies = service.received().into_iter().filter(|request| request.is("POST"));
    for body in bodies.map(|request| request.body) {
        // What is no JSON is an edge case, and no note.
        let is_note = serde_json::from_str::<Value>(&body).is_ok();
        assert!(
            !is_note || (body.contains("countersign-") && !body.contains("authorId")),
            "{body}"
        );
    }
}

#[test]
fn the_plan_names_what_is_not_sent_and_why() {
    let plan = countersign(&["plan", "--spec", "side.yaml", "--writes"]).file("side.yaml", SPEC);
    let plan = plan.run().stdout;
    for operation in SIDE_EFFECTS {
        let line = plan
            .lines()
            .find(|line| line.trim_start().starts_with(&format!("{operation}: ")));
        let line = line.unwrap_or_else(|| panic!("{operation} is not reported:\n{plan}"));
        assert!(line.contains("also_send"), "{line}");
    }
}

#[test]
fn a_read_that_is_not_called_is_not_sent_for_other_operations_either() {
    let show = "      operationId: getNote\n";
    let of_another_server = format!("{show}      servers: [{{url: 'https://other.example.com'}}]\n");
    for (told, option) in [
        (format!("{show}      description: A note can be read once.\n"), &[][..]),
        (of_another_server, &[]),
        (show.to_owned(), &["--skip", "getNote"]),
    ] {
        let service = service();
        let arguments = ["--spec", "once.yaml", "--writes", "--cleanup", "--settle", "0"];
        let call = check(&service.url(), &[&arguments[..], option].concat());
        let ended = call.file("once.yaml", SPEC.replace(show, &told)).run();
        let received: Vec<_> = service.received().iter().map(line).collect();
        assert!(received.iter().any(|(_, path)| path == "/users"), "{told}: {ended:?}");
        let of_notes: Vec<_> = received
            .iter()
            .filter(|(_, path)| path.starts_with("/notes/"))
            .collect();
        assert!(of_notes.is_empty(), "{told}: {of_notes:?}");
    }
}

#[test]
fn what_the_configuration_names_is_sent_too() {
    let named = service();
    let config = "[check]\nalso_send = [\"logOut\"]\n";
    let call = check(
        &named.url(),
        &["--spec", "side.yaml", "--writes", "--settle", "0", "--config", "c.toml"],
    );
    let ended = call.file("side.yaml", SPEC).file("c.toml", config).run();
    let sent = writes(&named);
    assert!(sent.iter().any(|(_, path)| path == "/session/log-out"), "{ended:?}");
    assert!(
        sent.iter()
            .all(|(_, path)| path.starts_with("/notes") || path == "/session/log-out"),
        "{sent:?}"
    );
    // Without --writes it is not.
    let reads = service();
    check(&reads.url(), &["--spec", "side.yaml", "--also-send", "logOut"])
        .file("side.yaml", SPEC)
        .run();
    assert_eq!(writes(&reads), []);
}

#[test]
fn an_operation_that_is_named_and_not_there_is_reported() {
    let ended = checked(&service(), &["--also-send", "logout"]);
    assert!(ended.is_one_error(2).contains("`logOut`"), "{ended:?}");
}

#[test]
fn a_delete_cannot_be_named() {
    let spec = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets/{id}:\n    delete:\n      \
                operationId: deletePet\n      parameters: [{name: id, in: path, required: true, schema: {type: string}}]\n      \
                responses: {'204': {description: a}}\n";
    let service = service();
    let call = check(
        &service.url(),
        &["--spec", "pets.yaml", "--writes", "--also-send", "deletePet"],
    );
    let ended = call.file("pets.yaml", spec).run();
    let error = ended.is_one_error(2);
    assert!(error.contains("`also_send` cannot send `deletePet`"), "{error}");
    assert_eq!(service.received().len(), 0);
}

/// A document whose examples name people, and whose create is answered with the identifier of one of them.
const USERS: &str = r##"
openapi: 3.0.3
info: {title: Users, version: '1'}
security: [{bearer: []}]
paths:
  /users:
    get:
      operationId: getUsers
      responses: {'200': {description: Users, content: {application/json: {schema: {type: array}}}}}
    post:
      operationId: addUser
      parameters:
        - {name: X-Act-As, in: header, required: true, schema: {type: string, example: quillfeather}}
        - {name: session, in: cookie, required: true, example: quillfeather, schema: {type: string}}
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}
      responses:
        '201':
          description: Added
          content: {application/json: {schema: {type: object}}}
          links:
            Show: {operationId: getUser, parameters: {id: $response.body#/id}}
            Change: {operationId: setUser, parameters: {id: $response.body#/id}}
  /users/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getUser
      responses: {'200': {description: A user, content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}}
    put:
      operationId: setUser
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}
      responses: {'200': {description: Changed}}
components:
  securitySchemes: {bearer: {type: http, scheme: bearer}}
  schemas:
    User:
      type: object
      example: {name: quillfeather, username: quillfeather, to: [quillfeather], account: 7}
      properties:
        name: {type: string, example: quillfeather}
        username: {type: string, default: quillfeather}
        email: {type: string, format: email, example: quillfeather@example.com}
        to: {type: array, items: {type: string, example: quillfeather}}
        account: {type: integer, example: 7}
        customer: {type: string, pattern: '^[a-z]+$', example: quillfeather}
"##;

/// A service whose create overwrites the one user there is, unless it is told another identifier.
fn users(given: &'static str) -> Stub {
    let name: Arc<Mutex<Value>> = Arc::new(Mutex::new(json!("Somebody")));
    Stub::start(move |request, stream| {
        let (method, path) = line(request);
        let sent: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let mut name = name.lock().unwrap();
        let reported = match (method.as_str(), path.as_str()) {
            _ if !request.authorized() => response("401 Unauthorized", "{}"),
            ("GET", "/users") => response("200 OK", &json!([{"id": "u-1", "name": *name}]).to_string()),
            ("POST", _) => {
                *name = sent["name"].clone();
                response("201 Created", &json!({"id": given, "name": *name}).to_string())
            }
            ("GET", _) => response("200 OK", &json!({"id": given, "name": *name}).to_string()),
            _ => response("200 OK", "{}"),
        };
        stream.write_all(reported.as_bytes())
    })
}

#[test]
fn a_listed_record_that_a_create_is_answered_with_is_not_updated() {
    for (given, updated) in [("u-1", false), ("u-2", true)] {
        let service = users(given);
        let call = check(&service.url(), &["--spec", "users.yaml", "--writes", "--settle", "0"]);
        let ended = call.file("users.yaml", USERS).run();
        let sent = writes(&service);
        assert!(sent.iter().any(|(method, _)| method == "POST"), "{ended:?}");
        assert_eq!(
            sent.iter().any(|(method, _)| method == "PUT"),
            updated,
            "{given}: {sent:?}"
        );
    }
}

#[test]
fn what_a_document_gives_as_an_example_goes_into_no_write() {
    let service = users("u-2");
    let call = check(&service.url(), &["--spec", "users.yaml", "--writes", "--settle", "0"]);
    call.file("users.yaml", USERS).run();
    let received = service.received();
    let written = received.iter().filter(|request| !request.is("GET"));
    let mut count = 0;
    for request in written {
        count += 1;
        let all = format!("{}{}", request.head, request.body);
        assert!(!all.contains("quillfeather") && !all.contains("account"), "{all}");
    }
    assert!(count > 1);
}

/// Users are listed and created; a message to one and the restart of a listed host can be recognised again.
const BELOW: &str = r##"
openapi: 3.0.3
x-edge-cases: []
info: {title: Messages, version: '1'}
security: [{bearer: []}]
paths:
  /users:
    get:
      operationId: getUsers
      responses:
        '200':
          description: Users
          content: {application/json: {schema: {type: array}}}
          links: {Write: {operationId: addMessage, parameters: {user: '$response.body#/0/id'}}}
    post:
      operationId: addUser
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Text'}}}}
      responses:
        '201':
          description: Added
          content: {application/json: {schema: {type: object}}}
          links:
            Show: {operationId: getUser, parameters: {user: $response.body#/id}}
            OWN
  /users/{user}:
    parameters: [{name: user, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getUser
      responses: {'200': {description: A user, content: {application/json: {schema: {type: object, properties: {text: {type: string}}}}}}}
  /users/{user}/messages:
    parameters: [{name: user, in: path, required: true, schema: {type: string}}]
    post:
      operationId: addMessage
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Text'}}}}
      responses: {'201': {description: Sent, links: {Show: {operationId: getMessage, parameters: {message: $response.body#/id}}}}}
  /messages/{message}:
    parameters: [{name: message, in: path, required: true, schema: {type: string}}]
    get: {operationId: getMessage, responses: {'200': {description: A message, content: {application/json: {schema: {type: object, properties: {text: {type: string}}}}}}}}
  /hosts:
    get:
      operationId: getHosts
      responses:
        '200': {description: Hosts, links: {Restart: {operationId: restartHost, parameters: {host: '$response.body#/0/id'}}}}
  /hosts/{host}/restart:
    parameters: [{name: host, in: path, required: true, schema: {type: string}}]
    post:
      operationId: restartHost
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Text'}}}}
      responses: {'202': {description: Restarting, links: {Show: {operationId: getMessage, parameters: {message: $response.body#/id}}}}}
components:
  securitySchemes: {bearer: {type: http, scheme: bearer}}
  schemas:
    Text: {type: object, required: [text, level, amount], properties: {text: {type: string}, level: {type: integer}, amount: {type: integer}, copies: {type: integer}}}
"##;

/// A service that lists the user `u1` and the host `h1`, and keeps everything that it creates.
fn messages() -> Stub {
    let kept: Arc<Mutex<Vec<Value>>> = Arc::default();
    Stub::start(move |request, stream| {
        let (method, path) = line(request);
        let mut kept = kept.lock().unwrap();
        let reported = match (method.as_str(), path.as_str()) {
            _ if !request.authorized() => response("401 Unauthorized", "{}"),
            ("GET", "/users") => response("200 OK", r#"[{"id": "u1"}]"#),
            ("GET", "/hosts") => response("200 OK", r#"[{"id": "h1"}]"#),
            ("POST", _) => {
                let mut sent: Value = serde_json::from_str(&request.body).unwrap_or_default();
                sent["id"] = json!(format!("own-{}", kept.len()));
                kept.push(sent.clone());
                response("201 Created", &sent.to_string())
            }
            (_, path) => {
                let id = path.rsplit('/').next().unwrap();
                match kept.iter().find(|one| one["id"] == id) {
                    Some(one) => response("200 OK", &one.to_string()),
                    None => response("404 Not Found", "{}"),
                }
            }
        };
        stream.write_all(reported.as_bytes())
    })
}

fn below(own: bool) -> String {
    let link = "Write: {operationId: addMessage, parameters: {user: $response.body#/id}}";
    BELOW
        .replace("OWN", if own { link } else { "{}" })
        .replace("            {}\n", "")
}

#[test]
fn nothing_is_created_below_a_listed_record_that_the_run_did_not_create() {
    for (own, named) in [(false, false), (true, false), (false, true)] {
        let service = messages();
        let arguments = ["--spec", "below.yaml", "--writes", "--settle", "0"];
        let arguments = [&arguments[..], if named { &["--also-send", "addMessage"] } else { &[] }].concat();
        let ended = check(&service.url(), &arguments).file("below.yaml", below(own)).run();
        let sent = writes(&service);
        assert!(sent.iter().any(|(_, path)| path == "/users"), "{ended:?}");
        let messages: Vec<_> = sent.iter().filter(|(_, path)| path.ends_with("/messages")).collect();
        assert_eq!(!messages.is_empty(), own || named, "{sent:?}");
        assert!(
            named || messages.iter().all(|(_, path)| path.starts_with("/users/own-")),
            "{sent:?}"
        );
        assert!(!sent.iter().any(|(_, path)| path.contains("/hosts")), "{sent:?}");
    }
    let plan = countersign(&["plan", "--spec", "below.yaml", "--writes"]).file("below.yaml", below(false));
    let plan = plan.run().stdout;
    for reason in [
        "addMessage: the run writes only to its own records, and the parameter `user` identifies none that it creates",
        "restartHost: its path, its operationId or its summary suggests an action, not a create",
    ] {
        assert!(plan.contains(reason), "{plan}");
    }
}

#[test]
fn a_required_number_without_bounds_is_not_that_of_a_first_record_and_an_amount_is_small() {
    let service = messages();
    let arguments = ["--spec", "below.yaml", "--writes", "--settle", "0"];
    let ended = check(&service.url(), &arguments).file("below.yaml", below(true)).run();
    let received = service.received();
    let mut bodies = 0;
    for request in received.iter().filter(|request| request.is("POST")) {
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let level = body["level"].as_i64().unwrap();
        assert!((1_000_000_000..=i64::from(i32::MAX)).contains(&level), "{body}");
        assert_eq!(body["amount"], 1, "{body}");
        assert_eq!(body.get("copies"), None, "{body}");
        bodies += 1;
    }
    assert!(bodies > 1, "{ended:?}");
}
