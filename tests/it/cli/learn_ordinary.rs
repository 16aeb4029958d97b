//! `countersign learn --writes` of a document without keys of ours: what its creates require, whether they accept the
//! same record twice, and what its updates accept and do.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::established::with_an_earlier_run;
use super::stub::{Received, Stub, json as response};
use super::support::{Ended, countersign};
use crate::support::sampled;

const SPEC: &str = r##"
openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets:
    get:
      operationId: listPets
      responses:
        '200': {description: Pets, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}}
    post:
      operationId: addPet
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}}
      responses: {'201': {description: Added, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: getPet
      responses: {'200': {description: A pet, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
    patch:
      operationId: setPet
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/PetChange'}}}}
      responses: {'200': {description: Changed}}
    delete: {operationId: deletePet, responses: {'204': {description: Gone}}}
components:
  schemas:
    NewPet:
      type: object
      properties:
        name: {type: string}
        kind: {type: string}
        note: {type: string}
        owner: {type: object, properties: {city: {type: string}, street: {type: string}}}
    PetChange: {type: object, properties: {name: {type: string}, kind: {type: string}, note: {type: string}}}
    Pet: {type: object, properties: {id: {type: integer}, name: {type: string}, kind: {type: string}, note: {type: string}}}
"##;

/// What a service does with a body, before it stores it: the response of a rejection, or of a create that makes
/// nothing.
type Rejects = fn(&Value, &BTreeMap<usize, Value>) -> Option<String>;

/// What a service does with the body of an update, unless it rejects it: it changes the record.
type Updates = fn(&Value, &mut Value) -> Option<String>;

fn rejected(status: &str, message: &str) -> Option<String> {
    Some(response(status, &json!({"message": message}).to_string()))
}

/// A service that stores pets which it does not reject, and that lists, reads, changes and deletes them.
fn service(rejects: Rejects) -> Stub {
    service_with_updates((rejects, merge))
}

/// Changes the documented fields that are sent.
fn merge(sent: &Value, pet: &mut Value) -> Option<String> {
    for name in ["name", "kind", "note"] {
        if let Some(value) = sent.get(name) {
            pet[name] = value.clone();
        }
    }
    None
}

/// Changes the documented fields that are sent, and clears one of the others.
fn clear_note(sent: &Value, pet: &mut Value) -> Option<String> {
    pet["note"] = sent.get("note").cloned().unwrap_or_else(|| json!(""));
    merge(sent, pet)
}

fn service_with_updates(behaviour: (Rejects, Updates)) -> Stub {
    let pets: Mutex<(usize, BTreeMap<usize, Value>)> = Mutex::default();
    Stub::start(move |request, stream| {
        let mut pets = pets.lock().unwrap();
        stream.write_all(handled(request, &mut pets, behaviour).as_bytes())
    })
}

fn handled(
    request: &Received,
    (count, pets): &mut (usize, BTreeMap<usize, Value>),
    (rejects, update): (Rejects, Updates),
) -> String {
    let mut words = request.head.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let id = path.strip_prefix("/pets/").and_then(|id| id.parse::<usize>().ok());
    match (method, id) {
        ("GET", None) if path == "/pets" => {
            response("200 OK", &Value::Array(pets.values().cloned().collect()).to_string())
        }
        ("POST", None) => {
            let mut sent: Value = serde_json::from_str(&request.body).unwrap_or_default();
            if !sent.is_object() {
                return rejected("400 Bad Request", "no pet").unwrap();
            }
            rejects(&sent, pets).unwrap_or_else(|| {
                *count += 1;
                sent["id"] = json!(count);
                pets.insert(*count, sent.clone());
                response("201 Created", &sent.to_string())
            })
        }
        ("GET", Some(id)) if pets.contains_key(&id) => response("200 OK", &pets[&id].to_string()),
        ("PATCH", Some(id)) if pets.contains_key(&id) => {
            let sent: Value = serde_json::from_str(&request.body).unwrap_or_default();
            let pet = pets.get_mut(&id).unwrap();
            let is_wrong = !sent.is_object() || ["name", "kind", "note"].iter().any(|name| !is_text(&sent, name));
            let rejection = is_wrong.then(|| rejected("400 Bad Request", "no pet").unwrap());
            rejection
                .or_else(|| update(&sent, pet))
                .unwrap_or_else(|| response("200 OK", "{}"))
        }
        ("DELETE", Some(id)) if pets.remove(&id).is_some() => "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        _ => rejected("404 Not Found", "no pet").unwrap(),
    }
}

/// Whether a field is absent or a text.
fn is_text(sent: &Value, name: &str) -> bool {
    sent.get(name).is_none_or(Value::is_string)
}

fn learned(service: &Stub, spec: &str, arguments: &[&str]) -> (Ended, Value) {
    let url = service.url();
    let fixed = [
        "learn", "--spec", "pets.yaml", "--base-url", &url, "--settle", "0", "--seed", "1",
    ];
    countersign(&[&fixed, arguments].concat())
        .file("pets.yaml", spec)
        .report()
}

/// What the answers about creates claim, with their states or, where they claim nothing, with the reason.
fn of_creates(report: &Value) -> Vec<(String, String, Value)> {
    claims(report, &["duplicates", "required-fields"])
}

/// The same of the answers to these gaps.
fn claims(report: &Value, gaps: &[&str]) -> Vec<(String, String, Value)> {
    let answers = report["answers"].as_array().unwrap().iter();
    let of_gaps = answers.filter(|answer| gaps.iter().any(|gap| answer["gap"] == *gap));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let row = |answer: &Value| {
        let reason = text(&answer["reason"]);
        let state = Some(reason).filter(|reason| !reason.is_empty());
        (
            text(&answer["gap"]),
            state.unwrap_or_else(|| text(&answer["state"])),
            answer["claim"].clone(),
        )
    };
    of_gaps.map(row).collect()
}

fn lacks(sent: &Value, names: &[&str]) -> Option<String> {
    let missing: Vec<_> = names.iter().filter(|name| sent.get(name).is_none()).collect();
    (!missing.is_empty()).then(|| rejected("422 Unprocessable Content", "invalid").unwrap())
}

fn has_name_of_another(sent: &Value, pets: &BTreeMap<usize, Value>) -> bool {
    pets.values().any(|pet| pet["name"] == sent["name"])
}

/// The document, with a create whose body consists of two parts.
fn in_two_parts() -> String {
    const WHOLE: &str = "    NewPet:
      type: object
      properties:
        name: {type: string}
        kind: {type: string}
";
    const PARTS: &str =
        "    NewPet: {allOf: [{$ref: '#/components/schemas/Named'}, {$ref: '#/components/schemas/Noted'}]}
    Named: {type: object, properties: {name: {type: string}, kind: {type: string}}}
    Noted:
      type: object
      properties:
";
    assert!(SPEC.contains(WHOLE));
    SPEC.replace(WHOLE, PARTS)
}

#[test]
fn what_creates_require_and_whether_they_accept_a_duplicate_is_found_and_deleted_again() {
    let both = json!({"required": ["/kind", "/name"]});
    let (accepted, refused) = (json!({"equal": "accepted"}), json!({"equal": "refused"}));
    let cases: [(Rejects, &Value, Value); 4] = [
        (|sent, _| lacks(sent, &["name", "kind"]), &accepted, both.clone()),
        (|_, _| None, &accepted, json!({"required": []})),
        (
            |sent, pets| {
                let taken = || rejected("409 Conflict", "taken").filter(|_| has_name_of_another(sent, pets));
                lacks(sent, &["name", "kind"]).or_else(taken)
            },
            &refused,
            both,
        ),
        (
            |sent, _| {
                let city = sent.get("owner").is_some_and(|owner| owner.get("city").is_none());
                lacks(sent, &["name"]).or_else(|| rejected("400 Bad Request", "no city").filter(|_| city))
            },
            &accepted,
            json!({"required": ["/name", "/owner/city"]}),
        ),
    ];
    // The first document again, with the schema of its body in two parts.
    let in_parts = in_two_parts();
    let specs = [SPEC; 4]
        .into_iter()
        .zip(cases.clone())
        .chain([(in_parts.as_str(), cases[0].clone())]);
    for (index, (spec, (rejects, duplicate, required))) in sampled(2, specs.enumerate()) {
        let service = service(rejects);
        let (ended, report) = learned(&service, spec, &["--writes", "--cleanup"]);
        assert_eq!(ended.code, 0, "{index}: {ended:?}");
        let states = if *duplicate == accepted { "seen" } else { "indicated" };
        // Three accepted bodies that lack a field; with one that is required, more are sent.
        let state = if required["required"] == json!([]) {
            "seen"
        } else {
            "indicated"
        };
        let expected = [
            ("duplicates".to_owned(), states.to_owned(), duplicate.clone()),
            ("required-fields".to_owned(), state.to_owned(), required),
        ];
        assert_eq!(of_creates(&report), expected, "{index}");
        // What the service has left, by its own word.
        let (_, after) = learned(&service, spec, &[]);
        assert_eq!(after["residue"]["records"].as_array().map_or(0, Vec::len), 0, "{index}");
        let creates = service.received().iter().filter(|request| request.is("POST")).count();
        assert!(creates <= 20, "{index}: {creates}");
    }
}

#[test]
fn what_a_create_rejects_for_a_reason_that_nobody_can_tell_is_not_claimed() {
    let cases: [(Rejects, &str); 3] = [
        // A rejection that the body alone tells from a success.
        (
            |sent, _| lacks(sent, &["name"]).map(|_| response("201 Created", &json!({"error": "no name"}).to_string())),
            "required-fields",
        ),
        // One of two fields, whichever it is.
        (
            |sent, _| lacks(sent, &["name"]).and(lacks(sent, &["note"])),
            "required-fields",
        ),
        // The record that it already has, as if it were a new one.
        (
            |sent, pets| {
                let same = |pet: &&Value| {
                    ["name", "kind", "note", "owner"]
                        .iter()
                        .all(|name| pet[name] == sent[name])
                };
                let known = pets.values().find(same)?;
                Some(response("201 Created", &known.to_string()))
            },
            "duplicates",
        ),
    ];
    for (index, (rejects, open)) in cases.into_iter().enumerate() {
        let service = service(rejects);
        let (_, report) = learned(&service, SPEC, &["--writes"]);
        let rows = of_creates(&report);
        let (_, state, claim) = rows.iter().find(|(gap, _, _)| gap == open).unwrap();
        assert_eq!(
            (state.as_str(), claim),
            ("confounded", &Value::Null),
            "{index}: {rows:?}"
        );
    }
}

#[test]
fn a_create_is_asked_only_with_writes_and_where_the_document_leaves_it_open() {
    let silent = service(|_, _| None);
    let (_, report) = learned(&silent, SPEC, &[]);
    let rows = of_creates(&report);
    assert!(rows.iter().all(|(_, reason, _)| reason == "needs writes"), "{rows:?}");
    assert!(rows.len() == 2 && !silent.received().iter().any(|request| request.is("POST")));
    let stated = SPEC
        .replace(
            "    NewPet:\n      type: object\n",
            "    NewPet:\n      type: object\n      required: [name]\n",
        )
        .replace(
            "{'201': {description: Added",
            "{'409': {description: Taken}, '201': {description: Added",
        );
    let (_, report) = learned(&service(|_, _| None), &stated, &["--writes"]);
    assert_eq!(of_creates(&report), []);
}

/// The overlay that states what two runs establish of a service.
fn overlay_of(service: &Stub) -> String {
    let (ended, _) = learned(service, SPEC, &["--writes", "--ledger", "ledger.jsonl"]);
    let ledger = std::fs::read_to_string(ended.path().join("ledger.jsonl")).unwrap();
    let ledger = with_an_earlier_run(&ledger);
    let fixed = ["learn", "--spec", "pets.yaml", "--ledger", "ledger.jsonl"];
    let call = countersign(&[&fixed[..], &["--overlay", "overlay.yaml"]].concat());
    let ended = call.file("pets.yaml", SPEC).file("ledger.jsonl", &ledger).run();
    assert_eq!(ended.code, 0, "{ended:?}");
    std::fs::read_to_string(ended.path().join("overlay.yaml")).unwrap()
}

/// The verdicts of a check on what an overlay states, each with the beginning of the fact.
fn judged(service: &Stub, overlay: &str) -> Vec<(String, Value)> {
    let url = service.url();
    let fixed = ["check", "--spec", "pets.yaml", "--overlay", "overlay.yaml"];
    let call = countersign(&[&fixed[..], &["--base-url", &url, "--writes", "--cleanup"]].concat());
    let call = call.file("pets.yaml", SPEC).file("overlay.yaml", overlay);
    let (ended, report) = call.report();
    assert_eq!(ended.code, 0, "{ended:?}");
    let facts = report["facts"]["rows"].as_array().unwrap().iter();
    let of_overlay = facts.filter(|fact| fact["rule"] == "changed-answer");
    let name = |fact: &Value| {
        let words = fact["fact"].as_str().unwrap().split([' ', ':']).take(2);
        words.collect::<Vec<_>>().join(" ")
    };
    of_overlay.map(|fact| (name(fact), fact["verdict"].clone())).collect()
}

/// The facts of an overlay that have this verdict.
fn with_verdict<'rows>(rows: &'rows [(String, Value)], verdict: &str) -> Vec<&'rows str> {
    let rows = rows.iter().filter(|(_, of_row)| of_row == verdict);
    rows.map(|(name, _)| name.as_str()).collect()
}

#[test]
fn what_two_runs_establish_of_a_create_is_written_into_an_overlay_and_applied() {
    let service = service(|sent, _| lacks(sent, &["name"]));
    let overlay = overlay_of(&service);
    let stated = r#"{"gap": "required-fields", "operation": "addPet", "claim": {"required": ["/name"]}}"#;
    assert!(
        overlay.contains("target: \"$['components']['schemas']['NewPet']\"") && overlay.contains(stated),
        "{overlay}"
    );
    let rows = judged(&service, &overlay);
    assert!(
        with_verdict(&rows, "undecided").contains(&"addPet required-fields"),
        "{rows:?}"
    );
    assert!(
        with_verdict(&rows, "held").contains(&"setPet update-semantics"),
        "{rows:?}"
    );
    assert!(with_verdict(&rows, "broken").is_empty(), "{rows:?}");
}

#[test]
fn what_fits_no_answer_changes_one_that_an_overlay_states() {
    let overlay = overlay_of(&service(|_, _| None));
    let store: Updates = |sent, pet| {
        pet.as_object_mut().unwrap().extend(sent.as_object().unwrap().clone());
        None
    };
    for (update, changed) in [
        (merge as Updates, &[][..]),
        (clear_note, &["setPet update-semantics"]),
        (store, &["setPet unknown-request-fields"]),
    ] {
        let rows = judged(&service_with_updates((|_, _| None, update)), &overlay);
        assert_eq!(with_verdict(&rows, "broken"), changed, "{rows:?}");
    }
}

#[test]
fn trials_that_fit_no_answer_unsettle_what_earlier_runs_established() {
    let before = service(|_, _| None);
    let (ended, _) = learned(&before, SPEC, &["--writes", "--ledger", "ledger.jsonl"]);
    let ledger = std::fs::read_to_string(ended.path().join("ledger.jsonl")).unwrap();
    let ledger = with_an_earlier_run(&ledger);
    for (update, state) in [(merge as Updates, "established"), (clear_note, "unstable")] {
        let service = service_with_updates((|_, _| None, update));
        let url = service.url();
        let fixed = ["learn", "--spec", "pets.yaml", "--ledger", "ledger.jsonl", "--writes"];
        let asked = ["--settle", "0", "--gap", "update-semantics", "--base-url", &url];
        let call = countersign(&[fixed, asked].concat()).file("pets.yaml", SPEC);
        let ledger = ledger.replace(&before.url(), &url);
        let (ended, report) = call.file("ledger.jsonl", &ledger).report();
        let known = (
            "update-semantics".to_owned(),
            state.to_owned(),
            json!({"unsent": "kept"}),
        );
        assert_eq!(claims(&report, &["update-semantics"]), [known], "{ended:?}");
    }
}

#[test]
fn what_an_update_does_and_accepts_is_found_on_the_read_of_its_record() {
    let replace: Updates = |sent, pet| {
        for name in ["name", "kind", "note"] {
            pet[name] = sent.get(name).cloned().unwrap_or_default();
        }
        None
    };
    let strict: Updates = |sent, pet| {
        let mut members = sent.as_object().unwrap().iter();
        let is_wrong = |(name, value): (&String, &Value)| {
            !["name", "kind", "note"].contains(&name.as_str()) || value.as_str().is_some_and(|text| text.len() > 60)
        };
        match members.any(is_wrong) {
            true => rejected("422 Unprocessable Content", "invalid"),
            false => merge(sent, pet),
        }
    };
    let mixed: Updates = |sent, pet| {
        pet["note"] = sent.get("note").cloned().unwrap_or_default();
        merge(sent, pet)
    };
    let store: Updates = |sent, pet| {
        pet.as_object_mut().unwrap().extend(sent.as_object().unwrap().clone());
        None
    };
    // It rejects what is longer than 255 characters, and cuts off what is longer than 60.
    let cut: Updates = |sent, pet| {
        let texts = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        let texts: BTreeMap<_, _> = sent.as_object().unwrap().iter().filter_map(texts).collect();
        if texts.values().any(|text| text.len() > 255) {
            return rejected("422 Unprocessable Content", "invalid");
        }
        let shorter = texts
            .into_iter()
            .map(|(name, text)| (name, json!(text[..text.len().min(60)])));
        merge(&shorter.collect::<serde_json::Map<_, _>>().into(), pet)
    };
    let open = Value::Null;
    let (kept, cleared) = (json!({"unsent": "kept"}), json!({"unsent": "cleared"}));
    let (ignored, refused) = (json!({"unknown": "ignored"}), json!({"unknown": "refused"}));
    let longest = json!({"longest": 60});
    let cases = [
        (merge as Updates, [&kept, &ignored, &open]),
        (mixed, [&open, &ignored, &open]),
        (replace, [&cleared, &ignored, &open]),
        (store, [&kept, &open, &open]),
        (strict, [&kept, &refused, &longest]),
        (cut, [&kept, &ignored, &open]),
        // What it answers with 200 is nowhere to be seen.
        (|_, _| None, [&open, &open, &open]),
    ];
    for (index, (update, expected)) in sampled(2, cases.into_iter().enumerate()) {
        let service = service_with_updates((|_, _| None, update));
        let (ended, report) = learned(&service, SPEC, &["--writes", "--cleanup"]);
        assert_eq!(ended.code, 0, "{index}: {ended:?}");
        for (gap, expected) in ["update-semantics", "unknown-request-fields", "field-sizes"]
            .iter()
            .zip(expected)
        {
            let rows = claims(&report, &[gap]);
            let are_as_expected = rows
                .iter()
                .all(|(_, state, claim)| claim == expected && (state == "indicated" || expected.is_null()));
            assert!(!rows.is_empty() && are_as_expected, "{index}, {gap}: {rows:?}");
        }
    }
}

#[test]
fn a_field_that_says_who_may_see_a_record_has_one_value() {
    let spec = SPEC.replace(
        "PetChange: {type: object, properties: {name: {type: string}, kind: {type: string}, note: {type: string}}}",
        "PetChange: {type: object, properties: {name: {type: string}, private: {type: boolean}, shared_with_all: {type: \
         boolean}, role: {type: string, enum: [viewer, editor]}}}",
    );
    let service = service_with_updates((|_, _| None, merge));
    let (ended, _) = learned(&service, &spec, &["--writes", "--gap", "update-semantics"]);
    let sent = service.received();
    let bodies = sent
        .iter()
        .filter_map(|request| serde_json::from_str::<Value>(&request.body).ok());
    let sent: BTreeMap<_, _> = bodies
        .filter(|body| body.get("private").is_some())
        .map(|body| {
            (
                json!([body["private"], body["shared_with_all"], body["role"]]).to_string(),
                (),
            )
        })
        .collect();
    let only = json!([true, false, "viewer"]).to_string();
    assert_eq!(sent.into_keys().collect::<Vec<_>>(), [only], "{ended:?}");
}

#[test]
fn a_field_that_an_update_resets_to_a_default_is_not_kept() {
    const SHORT: &str =
        "{type: object, properties: {name: {type: string}, kind: {type: string}, note: {type: string}}}";
    const CHOICES: &str = "gift: {type: boolean}, size: {type: string, enum: [small, large]}, \
                           weight: {type: integer, minimum: 1, maximum: 100}";
    let change = format!("PetChange: {{type: object, properties: {{name: {{type: string}}, {CHOICES}}}}}");
    let spec = SPEC.replace(&format!("PetChange: {SHORT}"), &change).replace(
        "Pet: {type: object, properties: {id: {type: integer}, ",
        &format!("Pet: {{type: object, properties: {{id: {{type: integer}}, {CHOICES}, "),
    );
    let keep: Updates = |sent, pet| {
        pet.as_object_mut().unwrap().extend(sent.as_object().unwrap().clone());
        None
    };
    let reset: Updates = |sent, pet| {
        for (name, default) in [("gift", json!(true)), ("size", json!("small")), ("weight", json!(1))] {
            pet[name] = sent.get(name).cloned().unwrap_or(default);
        }
        merge(sent, pet)
    };
    let reset_one: Updates = |sent, pet| {
        pet.as_object_mut().unwrap().extend(sent.as_object().unwrap().clone());
        pet["gift"] = sent.get("gift").cloned().unwrap_or(json!(false));
        None
    };
    // Nothing shows whether it keeps what it never changes.
    let fixed: Updates = |sent, pet| match sent.get("weight").is_some_and(|weight| *weight != json!(1)) {
        true => rejected("422 Unprocessable Content", "weight cannot change"),
        false => {
            pet.as_object_mut().unwrap().extend(sent.as_object().unwrap().clone());
            None
        }
    };
    let kept = json!({"unsent": "kept"});
    for (index, (update, state, claim)) in [
        (keep, "indicated", &kept),
        (reset, "unstable", &kept),
        (reset_one, "unstable", &kept),
        (fixed, "seen", &kept),
    ]
    .into_iter()
    .enumerate()
    {
        let service = service_with_updates((|_, _| None, update));
        let (ended, report) = learned(&service, &spec, &["--writes", "--cleanup", "--gap", "update-semantics"]);
        assert_eq!(ended.code, 0, "{index}: {ended:?}");
        let rows = claims(&report, &["update-semantics"]);
        let [(_, found, claimed)] = rows.as_slice() else {
            panic!("{index}: {rows:?}");
        };
        assert_eq!((found.as_str(), claimed), (state, claim), "{index}");
    }
}

#[test]
fn a_write_that_no_run_sends_is_not_said_to_need_writes() {
    // The response to the create shows no identifier, so that its record could not be found again.
    let spec = SPEC.replace(
        "'201': {description: Added, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}",
        "'201': {description: Added}",
    );
    let (service, folder) = (service(|_, _| None), tempfile::tempdir().unwrap());
    let ledger = folder.path().join("ledger.jsonl");
    let reasons = |arguments: &[&str]| {
        let with_ledger = [&["--ledger", ledger.to_str().unwrap()], arguments].concat();
        let (ended, report) = learned(&service, &spec, &with_ledger);
        assert_eq!(ended.code, 0, "{ended:?}");
        let answers = report["answers"].as_array().unwrap().iter();
        let of_creates = answers.filter(|answer| answer["gap"] == "required-fields");
        of_creates.map(|answer| answer["reason"].clone()).collect::<Vec<_>>()
    };
    let reading = reasons(&[]);
    assert!(
        reading.iter().all(|reason| reason == "needs writes") && !reading.is_empty(),
        "{reading:?}"
    );
    let writing = reasons(&["--writes"]);
    assert!(
        writing.iter().all(|reason| reason == "out of reach") && !writing.is_empty(),
        "{writing:?}"
    );
}
