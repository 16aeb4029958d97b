//! A document without links: what a list or a create shows goes into the calls of its records, and nothing of a list
//! into a write.

use std::io::Write as _;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::stub::{Received, Stub, json as response};
use super::support::{Ended, check, countersign};

const SPEC: &str = r##"
openapi: 3.0.3
x-edge-cases: []
info: {title: Pets, version: '1'}
security: [{bearer: []}]
paths:
  /pets:
    get:
      operationId: listPets
      responses:
        '200':
          description: Pets
          content: {application/json: {schema: {type: object, properties: {pets: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}}}
    post:
      operationId: addPet
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {'201': {description: Added, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: getPet
      responses: {'200': {description: A pet, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
    put:
      operationId: setPet
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {'200': {description: Changed}}
  /pets/{petId}/photos:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: listPhotos
      responses:
        '200': {description: Photos, content: {application/json: {schema: {type: array, items: {type: object, properties: {id: {type: integer}}}}}}}
  /pets/{petId}/photos/{photoId}:
    parameters:
      - {name: petId, in: path, required: true, schema: {type: integer}}
      - {name: photoId, in: path, required: true, schema: {type: integer}}
    get: {operationId: getPhoto, responses: {'200': {description: A photo}}}
components:
  securitySchemes: {bearer: {type: http, scheme: bearer}}
  schemas: {Pet: {type: object, required: [id, name], properties: {id: {type: integer}, name: {type: string}}}}
"##;

/// A service with the pets 7 and 8, each with a photo; a pet that is added is given `given`, or else the next number.
fn service(given: Option<usize>) -> Stub {
    let pets: Arc<Mutex<Vec<(usize, Value)>>> = Arc::new(Mutex::new(vec![(7, json!("One")), (8, json!("Two"))]));
    Stub::start(move |request, stream| stream.write_all(handled(request, given, &pets).as_bytes()))
}

fn handled(request: &Received, given: Option<usize>, pets: &Mutex<Vec<(usize, Value)>>) -> String {
    if !request.authorized() {
        return response("401 Unauthorized", "{}");
    }
    let mut pets = pets.lock().unwrap();
    let sent: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let (method, path) = line(request);
    let parts: Vec<_> = path.split('/').skip(1).collect();
    let known = parts
        .get(1)
        .and_then(|id| pets.iter().position(|(known, _)| known.to_string() == *id));
    let pet = |(id, name): &(usize, Value)| json!({"id": id, "name": name});
    match (method.as_str(), parts.as_slice(), known) {
        ("GET", ["pets"], _) => {
            let pets: Vec<_> = pets.iter().map(pet).collect();
            response("200 OK", &json!({"pets": pets}).to_string())
        }
        ("POST", ["pets"], _) => {
            let made = (given.unwrap_or(pets.len() + 7), sent["name"].clone());
            let shown = pet(&made);
            pets.push(made);
            response("201 Created", &shown.to_string())
        }
        ("GET", [_, _], Some(index)) => response("200 OK", &pet(&pets[index]).to_string()),
        ("PUT", [_, _], Some(index)) => {
            pets[index].1 = sent["name"].clone();
            response("200 OK", "{}")
        }
        ("GET", [_, id, "photos"], Some(_)) => response("200 OK", &format!("[{{\"id\": {id}0}}]")),
        ("GET", [_, id, "photos", photo], Some(_)) if *photo == format!("{id}0") => response("200 OK", "{}"),
        _ => response("404 Not Found", "{}"),
    }
}

/// The method and the path of a request.
fn line(request: &Received) -> (String, String) {
    let mut words = request.head.split(' ').map(str::to_owned);
    (words.next().unwrap(), words.next().unwrap())
}

/// The paths that the service received with a method, each once.
fn paths(service: &Stub, method: &str) -> Vec<String> {
    let lines = service.received();
    let mut paths: Vec<_> = lines
        .iter()
        .map(line)
        .filter(|(sent, _)| sent == method)
        .map(|(_, path)| path)
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

fn checked(service: &Stub, arguments: &[&str]) -> Ended {
    let arguments = [&["--spec", "pets.yaml", "--settle", "0"], arguments].concat();
    check(&service.url(), &arguments).file("pets.yaml", SPEC).run()
}

#[test]
fn what_a_list_shows_is_read_with_what_is_below_it() {
    let service = service(None);
    let ended = checked(&service, &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(
        paths(&service, "GET"),
        ["/pets", "/pets/8", "/pets/8/photos", "/pets/8/photos/80"]
    );
    assert_eq!(
        service
            .received()
            .iter()
            .map(line)
            .filter(|(method, _)| method != "GET")
            .count(),
        0
    );
}

#[test]
fn a_record_that_was_created_is_changed_and_no_other() {
    let service = service(None);
    let ended = checked(&service, &["--writes"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let changed = paths(&service, "PUT");
    assert!(!changed.is_empty(), "{ended:?}");
    assert!(
        !changed
            .iter()
            .any(|path| ["/pets/7", "/pets/8"].contains(&path.as_str())),
        "{changed:?}"
    );
    let read = paths(&service, "GET");
    assert!(changed.iter().all(|path| read.contains(path)), "{read:?}");
}

#[test]
fn a_create_that_is_answered_with_a_listed_record_changes_nothing() {
    let service = service(Some(7));
    let ended = checked(&service, &["--writes"]);
    assert_eq!(paths(&service, "PUT"), Vec::<String>::new(), "{ended:?}");
    assert!(!paths(&service, "POST").is_empty(), "{ended:?}");
}

#[test]
fn a_record_that_is_listed_and_cannot_be_read_is_no_finding() {
    let gone = Stub::start(|request, stream| {
        let reported = match line(request).1.as_str() {
            _ if !request.authorized() => response("401 Unauthorized", "{}"),
            "/pets" => response("200 OK", r#"{"pets": [{"id": 7, "name": "One"}]}"#),
            _ => response("404 Not Found", "{}"),
        };
        stream.write_all(reported.as_bytes())
    });
    let ended = checked(&gone, &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(paths(&gone, "GET").contains(&"/pets/7".to_owned()), "{ended:?}");
}

#[test]
fn the_plan_says_which_values_are_inferred() {
    let plan = countersign(&["plan", "--spec", "pets.yaml", "--writes"]).file("pets.yaml", SPEC);
    let plan = plan.run().stdout;
    for line in [
        "{petId} from addPet, else listPets (inferred from the paths)",
        "{photoId} from listPhotos (inferred from the paths)",
        "{petId} from addPet (inferred from the paths)",
    ] {
        assert!(plan.lines().any(|found| found.trim() == line), "{line}:\n{plan}");
    }
}
