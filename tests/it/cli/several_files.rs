//! Contracts of several files: every report names the file of a line, and nothing outside of the folder is read.

use std::io::Write as _;

use super::stub::{Stub, json};
use super::support::{Call, check, countersign};

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets: {$ref: paths/pets.yaml}
  /health: {get: {operationId: health, responses: {'200': {description: Up}}}}
";
const PATHS: &str = "\
get:
  operationId: listPets
  responses:
    '200':
      description: All pets
      content:
        application/json:
          schema: {type: array, items: {$ref: '../schemas/pet.json#/Pet'}}
";
const PET: &str = "\
{\"Pet\": {
  \"type\": \"object\",
  \"properties\": {
    \"name\": {\"type\": \"string\"},
    \"parent\": {\"$ref\": \"#/Pet\"}}}}
";

/// The call with the document in the folder `api`, and what it refers to.
fn with_files(call: Call, document: &str) -> Call {
    let call = call.folder("api").folder("api/paths").folder("api/schemas");
    call.file("api/openapi.yaml", document)
        .file("api/paths/pets.yaml", PATHS)
        .file("api/schemas/pet.json", PET)
}

#[test]
fn a_finding_is_reported_at_the_line_of_its_file() {
    let target = Stub::start(|_, stream| {
        let response = json("200 OK", r#"[{"name": "a", "parent": {"name": 3}}]"#);
        stream.write_all(response.as_bytes())
    });
    let sarif = [
        "--report", "sarif=report.sarif", "--report", "github", "--report", "junit=report.xml",
    ];
    let call = check(&target.url(), &[&["--spec", "api/openapi.yaml"][..], &sarif].concat());
    let (ended, report) = with_files(call, DOCUMENT).report();
    assert_eq!(ended.code, 1, "{ended:?}");
    let finding = &report["findings"][0];
    assert_eq!(finding["contract_file"], "api/schemas/pet.json", "{report}");
    assert_eq!(finding["contract_line"], 4);
    assert_eq!(finding["excerpt"]["lines"][0]["number"], 4);
    assert_eq!(report["contract"]["file"], "api/openapi.yaml");
    assert!(ended.stdout.contains("--> api/schemas/pet.json:4:"), "{ended:?}");
    assert!(ended.stdout.contains("file=api/schemas/pet.json,line=4"), "{ended:?}");
    let sarif = std::fs::read_to_string(ended.path().join("report.sarif")).unwrap();
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    let location = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "api/schemas/pet.json");
    let junit = std::fs::read_to_string(ended.path().join("report.xml")).unwrap();
    assert!(junit.contains("contract: api/schemas/pet.json:4 "), "{junit}");
}

#[test]
fn facts_are_listed_with_their_files() {
    let ended = with_files(countersign(&["facts", "--spec", "openapi.yaml"]), DOCUMENT)
        .within("api")
        .run();
    assert_eq!(ended.code, 0, "{ended:?}");
    for line in [
        "schemas/pet.json:4  listPets /*/name: string",
        "openapi.yaml:5      health",
    ] {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            squeezed(&ended.stdout).contains(&squeezed(line)),
            "{line}: {}",
            ended.stdout
        );
    }
}

#[test]
fn a_defect_is_reported_in_its_file_and_takes_out_what_refers_to_it() {
    for (name, text, expected) in [
        (
            "api/schemas/pet.json",
            PET.replace("string", "text"),
            "api/schemas/pet.json:4:",
        ),
        (
            "api/schemas/pet.json",
            "{\"Cat\": {}}".to_owned(),
            "api/paths/pets.yaml:8:",
        ),
        (
            "api/paths/pets.yaml",
            PATHS.replace("../schemas", "../../../schemas"),
            "api/paths/pets.yaml:8:",
        ),
        ("api/paths/pets.yaml", "get: [".to_owned(), "api/openapi.yaml:4:"),
    ] {
        let lint = with_files(countersign(&["lint", "api/openapi.yaml"]), DOCUMENT).file(name, &text);
        let ended = lint.run();
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.stdout.starts_with(expected), "{expected}: {ended:?}");
        let plan = with_files(countersign(&["plan", "--spec", "api/openapi.yaml"]), DOCUMENT).file(name, &text);
        let ended = plan.run();
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(
            ended.stderr.contains(expected) && ended.stdout.contains("health"),
            "{ended:?}"
        );
    }
}

#[test]
fn nothing_outside_of_the_folder_is_read_or_printed() {
    const SECRET: &str = "secret-4711-of-nobody";
    for target in ["../outside.yaml", "schemas/../../outside.yaml", "link.yaml"] {
        let document = DOCUMENT.replace("paths/pets.yaml", target);
        let call = with_files(countersign(&["lint", "api/openapi.yaml"]), &document);
        let call = call.file("outside.yaml", format!("get: [{SECRET}\n"));
        #[cfg(unix)]
        std::os::unix::fs::symlink("../outside.yaml", call.path().join("api/link.yaml")).unwrap();
        let ended = call.run();
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.stdout.contains(&format!("`{target}`")), "{ended:?}");
        assert!(
            !ended.stdout.contains(SECRET) && !ended.stderr.contains(SECRET),
            "{ended:?}"
        );
    }
}

#[test]
fn no_report_replaces_a_file_that_the_document_refers_to() {
    let target = Stub::start(|_, stream| stream.write_all(json("200 OK", "[]").as_bytes()));
    let check = ["check", "--base-url", &target.url(), "--spec", "api/openapi.yaml"];
    let since = ["check", "--base-url", &target.url(), "--since", "api/openapi.yaml"];
    for command in [
        &check[..],
        &since,
        &["judge", "--spec", "api/openapi.yaml", "traffic.har"],
        &["diff", "api/openapi.yaml", "old.yaml"],
        &["diff", "old.yaml", "api/openapi.yaml"],
        &["lint", "api/openapi.yaml"],
    ] {
        for (file, code) in [("api/schemas/pet.json", Some(2)), ("api/schemas/other.json", None)] {
            let call = countersign(&[command, &["--report", &format!("json=./{file}")]].concat());
            let call = with_files(call, DOCUMENT).env("COUNTERSIGN_TOKEN", super::support::TOKEN);
            let old = "{openapi: 3.0.3, info: {title: Pets, version: '1'}, paths: {}}";
            let call = call
                .file("old.yaml", old)
                .file("traffic.har", r#"{"log": {"entries": []}}"#);
            let ended = call.run();
            match code {
                Some(code) => assert!(ended.is_one_error(code).contains("a report goes to"), "{ended:?}"),
                None => assert_ne!(ended.code, 2, "{ended:?}"),
            }
            let pet = std::fs::read_to_string(ended.path().join("api/schemas/pet.json"));
            assert_eq!(pet.unwrap(), PET);
        }
    }
}

#[test]
fn two_documents_of_several_files_are_compared_where_they_differ() {
    let arguments = ["diff", "old.yaml", "api/openapi.yaml"];
    let old = "\
openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets:
    get:
      operationId: listPets
      responses:
        '200':
          description: All pets
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Animal'}}
  /health: {get: {operationId: health, responses: {'200': {description: Up}}}}
components:
  schemas:
    Animal: {type: object, properties: {name: {type: integer}, parent: {$ref: '#/components/schemas/Animal'}}}
";
    let ended = with_files(countersign(&arguments), DOCUMENT)
        .file("old.yaml", old)
        .run();
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("api/schemas/pet.json:4:"), "{ended:?}");
    let same = old.replace("integer", "string");
    let ended = with_files(countersign(&arguments), DOCUMENT)
        .file("old.yaml", same)
        .run();
    assert_eq!(ended.code, 0, "{ended:?}");
}
