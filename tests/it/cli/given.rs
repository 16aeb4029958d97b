//! Values of parameters that the configuration gives: where they go, what they replace, what is printed of them.

use std::io::Write as _;

use super::stub::{Stub, json as response};
use super::support::{Ended, check, countersign};

const SPEC: &str = r##"
openapi: 3.0.3
x-edge-cases: []
info: {title: Shelves, version: '1'}
paths:
  /rooms/{roomId}:
    get:
      operationId: getRoom
      parameters:
        - {name: roomId, in: path, required: true, schema: {type: integer}}
        - {name: lang, in: query, schema: {type: string, maxLength: 2}}
        - {name: X-Desk, in: header, schema: {type: string}}
        - {name: X-HTTP-Method-Override, in: header, schema: {type: string}}
      responses: {'200': {description: A room}}
    put:
      operationId: setRoom
      parameters:
        - {name: roomId, in: path, required: true, schema: {type: integer}}
        - {name: force, in: query, schema: {type: boolean}}
      responses: {'200': {description: Set}}
  /rooms/{roomId}/shelves:
    parameters: [{name: roomId, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: listShelves
      responses: {'200': {description: Shelves, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Shelf'}}}}}}
    post:
      operationId: addShelf
      requestBody: {content: {application/json: {schema: {type: object, properties: {label: {type: string}}}}}}
      responses: {'201': {description: A shelf, content: {application/json: {schema: {$ref: '#/components/schemas/Shelf'}}}}}
  /rooms/{roomId}/shelves/{shelfId}:
    get:
      operationId: getShelf
      parameters:
        - {name: roomId, in: path, required: true, schema: {type: integer}}
        - {name: shelfId, in: path, required: true, schema: {type: string}}
      responses: {'200': {description: A shelf, content: {application/json: {schema: {$ref: '#/components/schemas/Shelf'}}}}}
components:
  schemas:
    Shelf: {type: object, required: [id, label], properties: {id: {type: string}, label: {type: string}}}
"##;

const VALUES: &str = "
[operations]
getRoom = { path.roomId = 17, query.lang = \"en\", header.x-desk = \"desk-secret-4711\" }
listShelves.path.roomId = 17
addShelf.path.roomId = 17
getShelf.path.roomId = 17
";

/// A service with the room 17, whose listed shelf is `upper`; a room of another number is unknown.
fn service() -> Stub {
    Stub::start(|request, stream| {
        let mut words = request.head.split(' ');
        let (method, target) = (words.next().unwrap(), words.next().unwrap());
        let label = serde_json::from_str::<serde_json::Value>(&request.body).unwrap_or_default()["label"].clone();
        let handled = match (method, target) {
            (_, other) if !other.starts_with("/rooms/17") => response("404 Not Found", "{}"),
            ("POST", _) => response(
                "201 Created",
                &serde_json::json!({"id": "new", "label": label}).to_string(),
            ),
            ("GET", "/rooms/17/shelves") => response("200 OK", r#"[{"id": "upper", "label": "Upper"}]"#),
            ("GET", target) if target.contains("shelves") => response("200 OK", r#"{"id": "upper", "label": "Upper"}"#),
            _ => response("200 OK", "{}"),
        };
        stream.write_all(handled.as_bytes())
    })
}

fn checked(service: &Stub, configuration: &str, arguments: &[&str]) -> Ended {
    let arguments = [&["--spec", "shelves.yaml", "--settle", "0"], arguments].concat();
    let command = check(&service.url(), &arguments).file("shelves.yaml", SPEC);
    command.file("countersign.toml", configuration).run()
}

fn targets(service: &Stub) -> Vec<String> {
    let received = service.received();
    let line = |head: &str| head.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let mut targets: Vec<_> = received.iter().map(|request| line(&request.head)).collect();
    targets.dedup();
    targets
}

#[test]
fn given_values_are_sent_and_those_of_headers_are_not_printed() {
    let service = service();
    let ended = checked(&service, VALUES, &["--report", "json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let sent = targets(&service);
    for target in [
        "GET /rooms/17?lang=en",
        "GET /rooms/17/shelves",
        "GET /rooms/17/shelves/upper",
    ] {
        assert!(sent.iter().any(|sent| sent == target), "{target}: {sent:?}");
    }
    let received = service.received();
    let with_desk = received
        .iter()
        .filter(|request| request.head.contains("desk-secret-4711"));
    assert_eq!(with_desk.count(), 1);
    assert!(ended.stdout.contains("/rooms/17?lang=en"), "{ended:?}");
    assert!(!ended.stdout.contains("desk-secret"), "{ended:?}");
}

#[test]
fn one_value_for_a_name_goes_everywhere_but_into_an_update() {
    let service = service();
    let everywhere = "[parameters]\nroomId = 17\nlang = \"long\"\n[operations.getRoom]\nquery.lang = \"en\"\n";
    let ended = checked(&service, &everywhere.replace("lang = \"long\"\n", ""), &["--writes"]);
    let sent = targets(&service);
    for target in [
        "GET /rooms/17?lang=en",
        "GET /rooms/17/shelves",
        "GET /rooms/17/shelves/new",
        "POST /rooms/17/shelves",
    ] {
        assert!(sent.iter().any(|sent| sent == target), "{target}: {sent:?} {ended:?}");
    }
    assert!(!sent.iter().any(|sent| sent.starts_with("PUT")), "{sent:?}");
    let ended = checked(&service, everywhere, &[]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(
        ended.stderr.contains("`maxLength` in the schema of `lang`"),
        "{ended:?}"
    );
    let ended = checked(&service, "[parameters]\nroomid = 17\n", &[]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stderr.contains("did you mean `roomId`"), "{ended:?}");
}

#[test]
fn without_them_nothing_is_made_up_for_a_path() {
    let service = service();
    checked(&service, "", &["--writes"]);
    assert_eq!(targets(&service), [""; 0]);
}

#[test]
fn a_create_goes_where_it_is_told_and_an_update_nowhere() {
    let service = service();
    let ended = checked(&service, VALUES, &["--writes"]);
    let sent = targets(&service);
    assert!(
        sent.iter().any(|sent| sent == "POST /rooms/17/shelves"),
        "{sent:?} {ended:?}"
    );
    assert!(!sent.iter().any(|sent| sent.starts_with("PUT")), "{sent:?}");
}

#[test]
fn a_given_record_that_is_unknown_decides_nothing() {
    let service = service();
    let ended = checked(
        &service,
        "[operations.getRoom]\npath.roomId = 18\n",
        &["--only", "getRoom"],
    );
    assert!(!ended.stdout.contains("error["), "{ended:?}");
    assert!(
        ended.stdout.contains("0 held") || ended.stdout.contains("undecided"),
        "{ended:?}"
    );
}

#[test]
fn the_plan_names_the_configuration() {
    let plan = countersign(&["plan", "--spec", "shelves.yaml", "--writes"]).file("shelves.yaml", SPEC);
    let plan = plan.file("countersign.toml", VALUES).run().stdout;
    for line in [
        "{roomId} from the configuration",
        "{lang} from the configuration",
        "{X-Desk} from the configuration",
    ] {
        assert!(plan.lines().any(|found| found.trim() == line), "{line}:\n{plan}");
    }
}

#[test]
fn what_cannot_be_given_is_an_error_at_its_line() {
    for (configuration, place, message) in [
        (
            "[operations.getRom]\npath.roomId = 1\n",
            ":2:15",
            "there is no operation `getRom` (did you mean `getRoom`?)",
        ),
        (
            "[operations.getRoom]\npath.room = 1\n",
            ":2:13",
            "there is no parameter `room`; the only parameter is `roomId`",
        ),
        (
            "[operations.getRoom]\nquery.roomId = 1\n",
            ":2:16",
            "there is no parameter `roomId`",
        ),
        (
            "[operations.getRoom]\nquery.lang = \"english\"\n",
            ":2:14",
            "`maxLength` in the schema of `lang` does not admit this value",
        ),
        (
            "[operations.getRoom]\npath.roomId = \"seventeen\"\n",
            ":2:15",
            "`type` in the schema of `roomId` does not admit",
        ),
        (
            "[operations.getRoom]\nheader.x-http-method-override = \"DELETE\"\n",
            ":2:",
            "may turn a read into a write",
        ),
        (
            "[operations.setRoom]\npath.roomId = 1\n",
            ":2:15",
            "the operation updates or deletes, and a run does that only to the records that it created",
        ),
        (
            "[parameters]\nforce = true\n",
            ":2:9",
            "the operation updates or deletes, and a run does that only to the records that it created",
        ),
        (
            "[parameters.getRoom]\nroomId = 17\n",
            "countersign.toml:1:1",
            "expected a string, a number, true or false; write one value for each name",
        ),
        (
            "[operations.getRoom]\ncookie.a = 1\n",
            ":2:1",
            "there is no key `cookie`",
        ),
    ] {
        let service = service();
        let ended = checked(&service, configuration, &[]);
        assert_eq!(ended.code, 2, "{configuration}: {ended:?}");
        assert!(
            ended.stderr.contains(place) && ended.stderr.contains(message),
            "{configuration}: {ended:?}"
        );
        assert_eq!(targets(&service), [""; 0]);
    }
}

/// A text that is no JSON stands for itself, and not for null.
#[test]
fn a_text_is_not_admitted_as_the_null_of_a_number() {
    let service = service();
    let nullable = SPEC.replacen(
        "name: roomId, in: path, required: true, schema: {type: integer}",
        "name: roomId, in: path, required: true, schema: {type: integer, nullable: true}",
        1,
    );
    for (value, admitted) in [("seventeen", false), ("17", true)] {
        let configuration = format!("[operations.getRoom]\npath.roomId = \"{value}\"\n");
        let ended = check(
            &service.url(),
            &["--spec", "shelves.yaml", "--settle", "0", "--only", "getRoom"],
        )
        .file("shelves.yaml", &nullable)
        .file("countersign.toml", configuration)
        .run();
        let error = "`type` in the schema of `roomId` does not admit";
        assert_eq!(ended.stderr.contains(error), !admitted, "{ended:?}");
        assert_eq!(ended.code == 2, !admitted, "{ended:?}");
    }
}
