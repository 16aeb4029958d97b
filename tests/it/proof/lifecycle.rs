//! What paths and schemas of an ordinary document imply: a created record can be read by its
//! identifier and is listed, as it was sent; an updated record shows the update; a deleted one is
//! gone, and was the run's own. Each case asserts on what reached the service.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use countersign::report::Record;
use countersign::{Check, Contract};
use serde_json::{Value, json};

use crate::support::sampled;

const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
components:
  parameters:
    Pet: {name: petId, in: path, required: true, schema: {type: string}}
    Toy: {name: toyId, in: path, required: true, schema: {type: string}}
  schemas:
    NewPet:
      type: object
      required: [name]
      properties:
        name: {type: string}
        age: {type: integer, minimum: 1, maximum: 30}
        born: {type: string, format: date-time}
        owner_email: {type: string, format: email}
        secret: {type: string}
        updatedAt: {type: string}
    Pet:
      allOf:
        - {$ref: '#/components/schemas/NewPet'}
        - {type: object, required: [id], properties: {id: {type: string}}}
  requestBodies:
    Pet: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}}
  responses:
    Pet: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
    Pets:
      description: OK
      content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}
paths:
  /pets:
    get: {operationId: listPets, responses: {'200': {$ref: '#/components/responses/Pets'}}}
    post:
      operationId: addPet
      requestBody: {$ref: '#/components/requestBodies/Pet'}
      responses: {'201': {$ref: '#/components/responses/Pet'}}
  /pets/{petId}:
    parameters: [{$ref: '#/components/parameters/Pet'}]
    get: {operationId: getPet, responses: {'200': {$ref: '#/components/responses/Pet'}}}
    put:
      operationId: putPet
      requestBody: {$ref: '#/components/requestBodies/Pet'}
      responses: {'200': {$ref: '#/components/responses/Pet'}}
    patch:
      operationId: patchPet
      requestBody: {$ref: '#/components/requestBodies/Pet'}
      responses: {'200': {$ref: '#/components/responses/Pet'}}
    delete: {operationId: deletePet, responses: {'204': {description: Gone}}}
  /pets/{petId}/toys:
    parameters: [{$ref: '#/components/parameters/Pet'}]
    post:
      operationId: addToy
      requestBody: {$ref: '#/components/requestBodies/Pet'}
      responses: {'201': {$ref: '#/components/responses/Pet'}}
  /pets/{petId}/toys/{toyId}:
    parameters: [{$ref: '#/components/parameters/Pet'}, {$ref: '#/components/parameters/Toy'}]
    get: {operationId: getToy, responses: {'200': {$ref: '#/components/responses/Pet'}}}
    delete: {operationId: deleteToy, responses: {'204': {description: Gone}}}
";

/// How the service departs from what the paths promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// A created record is not kept.
    Lost,
    /// An apostrophe and a letter come back changed.
    Escapes,
    /// A create stores a second record of the same content.
    StoresTwice,
    /// What a service may do: a create stores two records that differ.
    StoresOccurrences,
    /// The list shows each record twice.
    ListsTwice,
    /// What a service may do: the list shows each record once for each of its kinds.
    ListsKinds,
    /// What a service may do: the list shows a new record twice, until it is read again.
    ListsTwiceAtFirst,
    /// The list lacks what was created.
    Unlisted,
    /// What a service may do: the list lacks what is not published.
    UnlistsUnpublished,
    /// The list lacks it, and shows ten others.
    LongList,
    /// An update answers with what was sent, and keeps nothing of it.
    UpdateLost,
    /// The list goes on to show the name of a record from before its update.
    ListsOldName,
    /// What a service may do: the list shows the name from before an update once more.
    ListsOldNameOnce,
    /// An update changes every record of its kind.
    UpdatesAll,
    /// A deletion removes every record of its kind.
    DeletesAll,
    /// The response to an update has the identifier of another record.
    UpdateNamesAnother,
    /// A record is gone once it is updated.
    GoneOnceUpdated,
    /// A deleted record is still read.
    Undeleted,
    /// Nothing is deleted, and afterwards no record is read any more.
    FailsAfterDelete,
    /// A deletion answers with another success than the documented one.
    DeletedWith200,
    /// A create answers with the identifier of a record from before.
    AnothersId,
    /// A create answers with the identifier of a record that no list shows, and the log of that record quotes what was
    /// sent.
    QuotedElsewhere,
    /// Every create writes over one record that no list shows.
    Upsert,
    /// A deleted record is marked as such, and still read.
    SoftDelete,
    /// A deleted record is no longer read, and still listed.
    StillListed,
    /// The same, and to read what is not there is forbidden.
    ForbidsStillListed,
    /// What a service may do: the list goes on to show what was deleted, and marks it.
    ListsMarked,
    /// What a service may do: the list shows what was deleted once more.
    UnlistsLate,
    /// What a service may do: the list goes on to show the first deleted record, marked, and shows each other one in
    /// many more responses.
    UnlistsLater,
    /// What a service may do: it forbids to read what is not there.
    ForbidsMissing,
    /// Nothing is deleted, and afterwards every read is forbidden.
    ForbidsAfterDelete,
    /// A create answers 202.
    Accepted,
    /// What a service may do: an update is accepted with status 202, and made at once.
    UpdateAccepted,
    /// What a service may do: the list of toys shows a name that it gives each of them.
    ListsGivenNames,
    /// What a service may do: an address in lower case, its own time of the update, no secret.
    Own,
}

impl Fault {
    fn lists_deleted(self) -> bool {
        matches!(
            self,
            Self::ForbidsStillListed | Self::ListsMarked | Self::StillListed | Self::UnlistsLate | Self::UnlistsLater
        )
    }
}

/// What precedes the path of a record that was deleted, and is still listed.
const DELETED: &str = "deleted ";

/// The member of a record that has its name from before an update. No read shows it.
const BEFORE: &str = "name before";

/// In place of a path: how many records the list showed last.
const READ: &str = "read";

type Kept = BTreeMap<String, Value>;
type SharedRecords = Arc<Mutex<Kept>>;

fn service(fault: Fault) -> (Router, SharedRecords, Arc<Mutex<Vec<String>>>) {
    let mut others = Kept::new();
    for number in 0..if fault == Fault::LongList { 10 } else { 1 } {
        let id = format!("other-{number}");
        others.insert(format!("/pets/{id}"), json!({"id": id, "name": "Somebody's"}));
    }
    others.insert(
        "/pets/hidden-0".to_owned(),
        json!({"id": "hidden-0", "name": "Nobody's"}),
    );
    let kept = Arc::new(Mutex::new(others));
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let (records, seen) = (Arc::clone(&kept), Arc::clone(&log));
    let router = Router::new().fallback(move |method: Method, uri: Uri, body: Bytes| {
        let response = respond(fault, &mut records.lock().unwrap(), (&method, uri.path(), &body));
        if method != Method::GET {
            let line = format!("{method} {} {}", uri.path(), response.status().as_u16());
            seen.lock().unwrap().push(line);
        }
        async { response }
    });
    (router, kept, log)
}

fn respond(fault: Fault, kept: &mut Kept, (method, path, body): (&Method, &str, &Bytes)) -> Response {
    let collection = path.ends_with("/pets") || path.ends_with("/toys");
    match *method {
        Method::GET if collection => {
            let shown = |record: &&Value| {
                let own = !record["id"].as_str().is_some_and(|id| id.starts_with("other"));
                let hidden = record["id"].as_str().is_some_and(|id| id.starts_with("hidden"));
                let unlisted = match fault {
                    Fault::Unlisted | Fault::LongList => own,
                    Fault::UnlistsUnpublished => own && record["published"] == false,
                    _ => false,
                };
                !(hidden || unlisted)
            };
            let below = kept
                .iter()
                .filter(|(at, _)| at.matches('/').count() == path.matches('/').count() + 1);
            let mut records: Vec<_> = below.map(|(_, record)| record).filter(shown).cloned().collect();
            let count = records.len();
            let is_new =
                fault == Fault::ListsTwiceAtFirst && kept.insert(READ.to_owned(), json!(count)) != Some(json!(count));
            if is_new || matches!(fault, Fault::ListsTwice | Fault::ListsKinds) {
                let mut again = records.clone();
                if fault == Fault::ListsKinds {
                    again.iter_mut().for_each(|record| record["kind"] = json!("other"));
                }
                records.append(&mut again);
            }
            if fault == Fault::ListsGivenNames && path.ends_with("/toys") {
                records = records
                    .iter()
                    .map(|toy| json!({"id": toy["id"], "name": "Toy"}))
                    .collect();
            }
            if matches!(fault, Fault::ListsOldName | Fault::ListsOldNameOnce) {
                for record in &mut records {
                    let before = record.as_object_mut().and_then(|record| record.remove(BEFORE));
                    record["name"] = before.unwrap_or_else(|| record["name"].clone());
                }
                let is_shown_once = fault == Fault::ListsOldNameOnce;
                let shown = kept
                    .values_mut()
                    .filter_map(Value::as_object_mut)
                    .filter(|_| is_shown_once);
                shown.for_each(|record| drop(record.remove(BEFORE)));
            }
            let response = axum::Json(records).into_response();
            kept.retain(|at, _| fault != Fault::UnlistsLate || !at.starts_with(DELETED));
            response
        }
        Method::GET => match kept.get(path) {
            Some(_) if fault == Fault::FailsAfterDelete && kept.contains_key("deleted") => {
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
            Some(_) if fault == Fault::ForbidsAfterDelete && kept.contains_key("deleted") => {
                StatusCode::FORBIDDEN.into_response()
            }
            Some(record) => axum::Json(without_name_before(record.clone())).into_response(),
            None if matches!(fault, Fault::ForbidsMissing | Fault::ForbidsStillListed) => {
                StatusCode::FORBIDDEN.into_response()
            }
            None => StatusCode::NOT_FOUND.into_response(),
        },
        Method::DELETE => delete(fault, kept, path),
        _ => write(fault, kept, (method, path, body)),
    }
}

fn delete(fault: Fault, kept: &mut Kept, path: &str) -> Response {
    let found = kept.contains_key(path);
    let removed = match fault {
        Fault::Undeleted => None,
        Fault::FailsAfterDelete | Fault::ForbidsAfterDelete => kept.insert("deleted".to_owned(), Value::Null),
        Fault::DeletesAll => {
            let (kind, _) = path.rsplit_once('/').unwrap();
            let removed = kept.remove(path);
            kept.retain(|at, _| at.rsplit_once('/').is_none_or(|(other, _)| other != kind));
            removed
        }
        Fault::SoftDelete => kept
            .get_mut(path)
            .map(|record| std::mem::replace(&mut record["deleted"], json!(true))),
        _ => kept.remove(path),
    };
    let deleted = removed.filter(|_| fault.lists_deleted()).map(|mut record| {
        let is_pet = |at: &String| at.starts_with(DELETED) && at.matches('/').count() == 2;
        let is_first = !kept.keys().any(is_pet);
        if fault == Fault::ListsMarked || (fault == Fault::UnlistsLater && is_first) {
            record["updatedAt"] = json!("deleted");
        }
        (format!("{DELETED}{path}"), record)
    });
    kept.extend(deleted);
    if found && fault == Fault::DeletedWith200 {
        StatusCode::OK
    } else if found {
        StatusCode::NO_CONTENT
    } else {
        StatusCode::NOT_FOUND
    }
    .into_response()
}

fn write(fault: Fault, kept: &mut Kept, (method, path, body): (&Method, &str, &Bytes)) -> Response {
    let Ok(mut record @ Value::Object(_)) = serde_json::from_slice::<Value>(body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let creates = *method == Method::POST;
    let id = match fault {
        Fault::AnothersId => "other-0".to_owned(),
        Fault::QuotedElsewhere | Fault::Upsert if creates => "hidden-0".to_owned(),
        _ if creates => format!("own-{}", kept.len()),
        _ => path.rsplit('/').next().unwrap().to_owned(),
    };
    record["id"] = json!(id);
    let at = if creates {
        format!("{path}/{id}")
    } else {
        path.to_owned()
    };
    if !creates && !kept.contains_key(&at) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let mut shown = record.clone();
    if !creates && fault == Fault::UpdateNamesAnother {
        shown["id"] = json!("own-999");
    }
    match fault {
        Fault::Escapes => record["name"] = json!(record["name"].as_str().map(str::to_uppercase)),
        Fault::Own => {
            record["owner_email"] = json!("small@example.com");
            record["updatedAt"] = json!("2026-01-01T00:00:00Z");
            record.as_object_mut().unwrap().remove("secret");
        }
        _ => {}
    }
    if creates && fault == Fault::QuotedElsewhere {
        kept.get_mut(&at).unwrap()["lastEvent"] = record["name"].clone();
    }
    let keeps = match fault {
        Fault::QuotedElsewhere | Fault::Lost | Fault::AnothersId | Fault::Accepted => !creates,
        Fault::UpdateLost => creates,
        _ => true,
    };
    if creates && matches!(fault, Fault::StoresTwice | Fault::StoresOccurrences) {
        let mut second = record.clone();
        second["id"] = json!(format!("{id}-second"));
        second["updatedAt"] = json!("2026-01-01T00:00:00Z");
        if fault == Fault::StoresOccurrences {
            second["born"] = json!("2031-01-01T00:00:00Z");
        }
        kept.insert(format!("{at}-second"), second);
    }
    if !creates && fault == Fault::UpdatesAll {
        let (kind, _) = at.rsplit_once('/').unwrap();
        let is_of_kind = |at: &str| at.rsplit_once('/').is_some_and(|(of, _)| of == kind);
        for (_, other) in kept.iter_mut().filter(|(other, _)| is_of_kind(other)) {
            other["name"] = record["name"].clone();
        }
    }
    keep_name_before(fault, kept.get(&at), &mut record);
    if keeps && (creates || fault != Fault::GoneOnceUpdated) {
        kept.insert(at, record);
    } else if fault == Fault::GoneOnceUpdated {
        kept.remove(&at);
    }
    let status = match fault {
        Fault::Accepted if creates => StatusCode::ACCEPTED,
        Fault::UpdateAccepted if !creates => StatusCode::ACCEPTED,
        _ if creates => StatusCode::CREATED,
        _ => StatusCode::OK,
    };
    (status, axum::Json(shown)).into_response()
}

/// Returns a record without the name that it had before an update.
fn without_name_before(mut record: Value) -> Value {
    if let Some(members) = record.as_object_mut() {
        members.remove(BEFORE);
    }
    record
}

/// Keeps the name that a record had before an update.
fn keep_name_before(fault: Fault, before: Option<&Value>, record: &mut Value) {
    let is_kept = matches!(fault, Fault::ListsOldName | Fault::ListsOldNameOnce);
    if let Some(before) = before.filter(|_| is_kept) {
        let is_repeated = before["name"] == record["name"] && before.get(BEFORE).is_some();
        record[BEFORE] = before[if is_repeated { BEFORE } else { "name" }].clone();
    }
}

struct Checked {
    record: Record,
    kept: Kept,
    log: Vec<String>,
}

impl Checked {
    /// The findings of the rule: operation, and the fact without it.
    fn found(&self) -> Vec<String> {
        let findings = self
            .record
            .findings
            .iter()
            .filter(|finding| finding.rule == "lifecycle");
        let mut found: Vec<_> = findings.map(|finding| finding.fact.clone()).collect();
        found.sort();
        found
    }

    /// The verdict on a fact.
    fn verdict(&self, fact: &str) -> String {
        let mut rows = self.record.facts.rows.iter();
        let row = rows
            .find(|row| *row.fact == *fact)
            .unwrap_or_else(|| panic!("no fact {fact}"));
        serde_json::to_value(row.verdict).unwrap().as_str().unwrap().to_owned()
    }
}

async fn checked(fault: Fault, cleanup: bool) -> Checked {
    checked_by(PETS, fault, cleanup).await
}

async fn checked_by(document: &str, fault: Fault, cleanup: bool) -> Checked {
    checked_at(document, service(fault), cleanup).await
}

async fn checked_at(
    document: &str,
    (router, kept, log): (Router, SharedRecords, Arc<Mutex<Vec<String>>>),
    cleanup: bool,
) -> Checked {
    let check = Check::new(Contract::read("pets.yaml", document.to_owned()).unwrap()).service(router);
    let check = check.writes(true).cleanup(cleanup).seed(1);
    let report = check.settle(std::time::Duration::from_millis(100)).run().await.unwrap();
    let (kept, log) = (kept.lock().unwrap().clone(), log.lock().unwrap().clone());
    Checked {
        record: report.record().clone(),
        kept,
        log,
    }
}

#[tokio::test]
async fn a_conforming_service_holds_every_invariant_and_is_left_as_it_was() {
    for fault in [Fault::None, Fault::Own] {
        let checked = checked(fault, true).await;
        assert!(
            checked.record.findings.is_empty(),
            "{fault:?} {:?}",
            checked.record.findings
        );
        for fact in [
            "addPet created: read by getPet",
            "addPet created: listed in listPets",
            "addPet created: one record in listPets",
            "addPet in getPet /name: as sent in /name",
            "addPet in getPet /age: as sent in /age",
            "addPet in getPet /born: as sent in /born",
            "addToy created: read by getToy",
            "putPet in getPet /name: as sent in /name",
            "patchPet in getPet /name: as sent in /name",
            "deletePet: gone from getPet",
            "deletePet: gone from listPets",
            "deletePet status: 204",
            "deleteToy: gone from getToy",
        ] {
            assert_eq!(checked.verdict(fact), "held", "{fault:?} {fact}");
        }
        assert!(!checked.record.facts.rows.iter().any(|row| {
            let open = ["owner_email", "secret", "updatedAt", "/id"];
            row.fact.contains("as sent in") && open.iter().any(|field| row.fact.contains(field))
        }));
        let others: Vec<_> = checked.kept.keys().collect();
        assert_eq!(others, ["/pets/hidden-0", "/pets/other-0"], "{:?}", checked.log);
        assert!(checked.record.residue.is_empty());
        assert!(checked.record.deleted > 1);
    }
}

#[tokio::test]
async fn each_departure_is_found_and_nothing_else() {
    let departures = [
        (
            Fault::Lost,
            &["addPet created: listed in listPets", "addPet created: read by getPet"][..],
        ),
        (
            Fault::Escapes,
            &[
                "addPet in getPet /name: as sent in /name",
                "addToy in getToy /name: as sent in /name",
                "patchPet in getPet /name: as sent in /name",
                "putPet in getPet /name: as sent in /name",
            ],
        ),
        (Fault::StoresTwice, &["addPet created: one record in listPets"]),
        (Fault::StoresOccurrences, &[]),
        (Fault::Unlisted, &["addPet created: listed in listPets"]),
        (Fault::LongList, &[]),
        (Fault::Accepted, &[]),
        (
            Fault::Undeleted,
            &["deletePet: gone from getPet", "deleteToy: gone from getToy"],
        ),
        (Fault::StillListed, &["deletePet: gone from listPets"]),
        (Fault::ForbidsStillListed, &["deletePet: gone from listPets"]),
        (Fault::ListsMarked, &[]),
        (Fault::UnlistsLate, &[]),
        (Fault::UnlistsLater, &[]),
    ];
    for (fault, expected) in sampled(4, departures) {
        let checked = checked(fault, true).await;
        let found = checked.found();
        assert_eq!(found, expected, "{fault:?} {:#?}", checked.log);
        let denied = checked
            .record
            .findings
            .iter()
            .filter(|finding| finding.rule != "lifecycle");
        let denied: Vec<_> = denied.map(|finding| (&finding.rule, &finding.fact)).collect();
        assert!(
            denied.is_empty() || fault == Fault::Accepted || fault == Fault::Lost,
            "{fault:?} {denied:?}"
        );
    }
    let lost = checked(Fault::UpdateLost, true).await.found();
    assert!(
        lost.contains(&"putPet in getPet /name: as sent in /name".to_owned()),
        "{lost:?}"
    );
    assert!(
        lost.iter()
            .all(|fact| fact.starts_with("putPet") || fact.starts_with("patchPet")),
        "{lost:?}"
    );
}

#[tokio::test]
async fn a_list_that_does_not_follow_an_update_is_found_unless_it_only_lags_or_says_so() {
    let facts = ["patchPet in listPets: as in getPet", "putPet in listPets: as in getPet"];
    assert_eq!(checked(Fault::ListsOldName, true).await.found(), facts);
    for fault in [Fault::None, Fault::ListsOldNameOnce] {
        let checked = checked(fault, true).await;
        assert!(checked.found().is_empty(), "{fault:?} {:?}", checked.found());
        assert!(facts.iter().all(|fact| checked.verdict(fact) == "held"), "{fault:?}");
    }
    for (from, to) in [
        (
            "operationId: listPets,",
            "operationId: listPets, summary: A snapshot of the pets,",
        ),
        (
            "operationId: getPet,",
            "operationId: getPet, description: Returns a pet as its owner last saved it,",
        ),
        (
            "version: '1'",
            "version: '1', description: Lists are eventually consistent.",
        ),
        (
            "        name: {type: string}",
            "        name: {type: string, description: The first name in lists}",
        ),
    ] {
        let checked = checked_by(&PETS.replacen(from, to, 1), Fault::ListsOldName, true).await;
        assert!(checked.found().is_empty(), "{to} {:?}", checked.found());
    }
}

#[tokio::test]
async fn a_list_that_may_come_from_a_cache_is_not_compared() {
    for (header, is_found) in [
        ("cache-control: private, max-age=60", false),
        ("cache-control: s-maxage=5", false),
        ("age: 12", false),
        ("cache-control: max-age=0", true),
    ] {
        let (name, value) = header.split_once(": ").unwrap();
        let (router, kept, log) = service(Fault::ListsOldName);
        let adds = move |request: Request, next: Next| async move {
            let is_list = request.uri().path() == "/pets";
            let mut response = next.run(request).await;
            if is_list {
                response.headers_mut().insert(name, value.parse().unwrap());
            }
            response
        };
        let checked = checked_at(PETS, (router.layer(from_fn(adds)), kept, log), true).await;
        assert_eq!(!checked.found().is_empty(), is_found, "{header} {:?}", checked.found());
    }
}

#[tokio::test]
async fn a_text_may_say_that_a_record_is_kept_or_shows_later() {
    let said = |operation: &str, text: &str| {
        let with_text = PETS.replace(
            &format!("operationId: {operation}"),
            &format!("operationId: {operation}, description: {text}"),
        );
        assert_ne!(with_text, PETS);
        with_text
    };
    let archives = said("deletePet", "Archives the pet.");
    let archived = checked_by(&archives, Fault::Undeleted, true).await.found();
    assert_eq!(archived, ["deleteToy: gone from getToy"]);
    let deletes = said("deletePet", "Deletes the pet.");
    let kept = checked_by(&deletes, Fault::Undeleted, true).await.found();
    assert_eq!(kept, ["deletePet: gone from getPet", "deleteToy: gone from getToy"]);
    let create = |text: &str| {
        PETS.replace(
            "operationId: addPet\n",
            &format!("operationId: addPet\n      description: {text}\n"),
        )
    };
    let moderated = create("New pets are held back until somebody approves them.");
    assert_eq!(checked_by(&moderated, Fault::Lost, true).await.found(), [""; 0]);
    let lost = checked_by(&create("Adds a pet."), Fault::Lost, true).await.found();
    assert_eq!(
        lost,
        ["addPet created: listed in listPets", "addPet created: read by getPet"]
    );
}

#[tokio::test]
async fn no_write_takes_protection_away_or_sets_off_what_waits() {
    let fields = "name: {type: string}
        moderated: {type: boolean}
        listed: {type: boolean}
        gift: {type: boolean}
        scope: {type: string, enum: [series, single]}
        publish_at: {type: string, format: date-time}";
    let document = PETS.replacen("name: {type: string}", fields, 1);
    let checked = checked_by(&document, Fault::None, false).await;
    let own = checked.kept.iter().filter(|(at, _)| at.contains("/own-"));
    let own: Vec<_> = own.map(|(_, record)| record).collect();
    let has = |name: &str, value: Value| own.iter().any(|record| record[name] == value);
    assert!(has("moderated", json!(true)) && has("listed", json!(false)) && has("scope", json!("single")));
    assert!(
        own.iter()
            .any(|record| record["gift"].is_boolean() && record["born"].is_string())
    );
    assert!(!has("moderated", json!(false)) && !has("listed", json!(true)) && !has("scope", json!("series")));
    assert!(own.iter().all(|record| record["publish_at"].is_null()), "{own:?}");
}

#[tokio::test]
async fn a_write_that_reaches_other_records_too_is_found_and_the_last_one() {
    for (fault, expected) in [
        (Fault::UpdatesAll, "putPet: another record as before"),
        (Fault::UpdateNamesAnother, "putPet: another record as before"),
        (Fault::GoneOnceUpdated, "putPet in getPet /name: as sent in /name"),
        (Fault::DeletesAll, "deletePet: another record as before"),
    ] {
        let checked = checked(fault, true).await;
        let found = checked.found();
        assert!(
            found.iter().any(|fact| fact == expected),
            "{fault:?} {found:?} {:#?}",
            checked.log
        );
        let deletes = checked
            .log
            .iter()
            .filter(|line| line.starts_with("DELETE /pets/") && !line.contains("/toys/"));
        let allowed = match fault {
            Fault::UpdatesAll => 0,
            Fault::DeletesAll => 1,
            _ => continue,
        };
        assert_eq!(deletes.count(), allowed, "{fault:?} {:#?}", checked.log);
    }
    let (sound, soft) = (checked(Fault::None, true).await, checked(Fault::SoftDelete, true).await);
    for fact in [
        "putPet: another record as before",
        "deletePet: another record as before",
    ] {
        assert_eq!(sound.verdict(fact), "held");
        assert!(!soft.found().iter().any(|found| found == fact));
    }
}

#[tokio::test]
async fn where_the_run_has_one_record_the_list_shows_what_an_update_changed() {
    let required = "required: [name, age, born, owner_email, secret, updatedAt]\n      properties:\n        name";
    let document = PETS.replace("required: [name]\n      properties:\n        name", required);
    assert_ne!(document, PETS);
    let fact = "putPet: another record as before";
    let kept = checked_by(&document, Fault::None, true).await;
    assert_eq!(kept.verdict(fact), "held", "{:#?}", kept.log);
    let changed = checked_by(&document, Fault::UpdatesAll, true).await;
    assert!(
        changed.found().iter().any(|found| found == fact),
        "{:?}",
        changed.found()
    );
    let deletes = changed
        .log
        .iter()
        .filter(|line| line.starts_with("DELETE /pets/") && !line.contains("/toys/"));
    assert_eq!(deletes.count(), 0, "{:#?}", changed.log);
    let deleted = checked_by(&document, Fault::DeletesAll, true).await;
    let fact = "deletePet: another record as before";
    assert!(
        deleted.found().iter().any(|found| found == fact),
        "{:?}",
        deleted.found()
    );
}

#[tokio::test]
async fn a_list_that_shows_a_record_twice_is_found_unless_the_items_differ() {
    let once = "addPet created: one record in listPets";
    let twice = checked(Fault::ListsTwice, false).await;
    assert_eq!(twice.found(), [once]);
    let received = twice.record.findings.iter().map(|finding| finding.received.as_str());
    let expected = "2 equal items with its identifier";
    assert!(received.into_iter().any(|received| received == expected));
    for fault in [Fault::ListsKinds, Fault::ListsTwiceAtFirst] {
        assert_eq!(checked(fault, false).await.found(), [""; 0], "{fault:?}");
    }
}

#[tokio::test]
async fn nothing_is_deleted_unless_that_is_asked_for() {
    let checked = checked(Fault::None, false).await;
    assert!(
        !checked.log.iter().any(|line| line.starts_with("DELETE")),
        "{:?}",
        checked.log
    );
    assert_eq!(checked.verdict("deletePet: gone from getPet"), "undecided");
    assert!(!checked.record.residue.is_empty());
}

#[tokio::test]
async fn what_is_deleted_with_an_undocumented_success_is_not_reported_as_left() {
    let checked = checked(Fault::DeletedWith200, true).await;
    let findings = checked.record.findings.iter();
    let found: Vec<_> = findings.map(|finding| finding.fact.as_str()).collect();
    assert_eq!(found, ["deletePet status: 204", "deleteToy status: 204"]);
    assert!(checked.record.residue.is_empty(), "{:?}", checked.log);
    assert_eq!(checked.kept.len(), 2, "{:?}", checked.log);
}

#[tokio::test]
async fn what_is_read_like_a_record_that_never_was_is_gone() {
    let checked = checked(Fault::ForbidsMissing, true).await;
    assert!(checked.record.residue.is_empty(), "{:?}", checked.record.residue);
    assert!(
        checked.record.deleted > 1 && checked.kept.len() == 2,
        "{:?}",
        checked.log
    );
    assert!(checked.found().is_empty(), "{:?}", checked.found());
}

#[tokio::test]
async fn what_no_read_shows_to_be_gone_is_reported_as_left() {
    for fault in [Fault::FailsAfterDelete, Fault::ForbidsAfterDelete, Fault::SoftDelete] {
        let checked = checked(fault, true).await;
        let deletes = checked.log.iter().filter(|line| line.starts_with("DELETE"));
        assert!(deletes.count() > 0, "{:?}", checked.log);
        assert_eq!(checked.record.deleted, 0, "{fault:?}");
        assert!(!checked.record.residue.is_empty());
        assert!(checked.found().is_empty(), "{fault:?} {:?}", checked.found());
    }
}

#[tokio::test]
async fn a_list_that_is_left_out_is_not_read() {
    let (router, ..) = service(Fault::StillListed);
    let check = Check::new(Contract::read("pets.yaml", PETS.to_owned()).unwrap()).service(router);
    let check = check
        .writes(true)
        .cleanup(true)
        .seed(1)
        .skip("listPets")
        .keep_exchanges(true);
    let report = check.settle(std::time::Duration::from_millis(100)).run().await.unwrap();
    let exchanges = report.record().exchanges.iter();
    let called: Vec<_> = exchanges.map(|exchange| &*exchange.operation).collect();
    assert!(
        called.contains(&"deletePet") && !called.contains(&"listPets"),
        "{called:?}"
    );
    assert!(report.record().findings.is_empty(), "{:?}", report.record().findings);
}

#[tokio::test]
async fn a_second_record_of_one_create_is_reported_as_left() {
    for fault in [Fault::StoresTwice, Fault::StoresOccurrences] {
        let checked = checked(fault, true).await;
        let pets = checked.kept.keys().filter_map(|at| at.strip_prefix("/pets/own-"));
        let pets: Vec<_> = pets
            .filter(|id| !id.contains('/'))
            .map(|id| format!("own-{id}"))
            .collect();
        assert!(
            !pets.is_empty() && pets.iter().all(|id| id.ends_with("-second")),
            "{pets:?}"
        );
        let residue = checked.record.residue.iter().filter(|left| left.operation == "addPet");
        let mut left: Vec<_> = residue.filter_map(|left| left.id.clone()).collect();
        left.sort();
        assert_eq!(left, pets, "{fault:?}");
    }
}

#[tokio::test]
async fn what_its_list_still_shows_is_reported_as_left_and_only_that() {
    for fault in [Fault::StillListed, Fault::ForbidsStillListed, Fault::ListsMarked] {
        let checked = checked(fault, true).await;
        let of = |operation| {
            let residue = checked.record.residue.iter();
            residue.filter(|left| left.operation == operation).count()
        };
        let listed = checked.kept.keys().filter(|at| at.matches('/').count() == 2);
        // Once a list shows a deleted record unchanged, no other is deleted.
        let (listed, kept): (Vec<_>, Vec<_>) = listed.partition(|at| at.starts_with(DELETED));
        let kept = kept.iter().filter(|at| at.starts_with("/pets/own-")).count();
        assert!(
            !listed.is_empty() && of("addPet") == listed.len() + kept,
            "{fault:?} {:?}",
            checked.log
        );
        // No list of the contract shows toys.
        assert_eq!(of("addToy"), 0, "{fault:?}");
        assert!(checked.record.deleted > 0, "{fault:?}");
    }
    let late = checked(Fault::UnlistsLate, true).await;
    assert!(late.record.residue.is_empty(), "{:?}", late.record.residue);
    assert_eq!(late.verdict("deletePet: gone from listPets"), "held");
}

#[tokio::test]
async fn a_list_that_shows_only_some_records_may_lack_a_created_one() {
    let of_list = "operationId: listPets, ";
    let published = PETS.replace(of_list, &format!("{of_list}summary: List published pets, "));
    let every = PETS.replace(of_list, &format!("{of_list}summary: List pets, "));
    let hidden = PETS.replace("secret: {type: string}", "published: {type: boolean}");
    let (fact, once) = (
        "addPet created: listed in listPets",
        "addPet created: one record in listPets",
    );
    for (document, fault) in [(&published, Fault::Unlisted), (&hidden, Fault::UnlistsUnpublished)] {
        let outcome = checked_by(document, fault, false).await;
        assert_eq!(outcome.found(), [""; 0]);
        for fact in [fact, once] {
            assert_ne!(outcome.verdict(fact), "broken");
            assert!(fault != Fault::Unlisted || outcome.verdict(fact) == "undecided");
        }
        assert_eq!(checked_by(document, Fault::None, false).await.verdict(fact), "held");
    }
    assert_eq!(checked_by(&every, Fault::Unlisted, false).await.found(), [fact]);
}

/// An update that is only submitted, and one that is made.
#[tokio::test]
async fn what_an_update_does_later_is_not_compared() {
    let described = |text: &str| {
        let update = |name: &str| {
            (
                format!("operationId: {name}"),
                format!("operationId: {name}\n      description: {text}"),
            )
        };
        let [(put, put_text), (patch, patch_text)] = ["putPet", "patchPet"].map(update);
        PETS.replace(&put, &put_text).replace(&patch, &patch_text)
    };
    let later = described("Submits a change for review.");
    assert_eq!(checked_by(&later, Fault::UpdateLost, false).await.found(), [""; 0]);
    let at_once = described("Changes a pet.");
    assert!(!checked_by(&at_once, Fault::UpdateLost, false).await.found().is_empty());
}

#[tokio::test]
async fn an_update_that_is_accepted_is_not_compared_with_what_was_sent_before() {
    let accepted = PETS.replace("\n      responses: {'200'", "\n      responses: {'202'");
    assert_ne!(accepted, PETS);
    let checked = checked_by(&accepted, Fault::UpdateAccepted, false).await;
    assert_eq!(checked.found(), [""; 0], "{:#?}", checked.log);
}

#[tokio::test]
async fn a_list_that_may_select_deleted_records_promises_nothing_of_them() {
    let parameter = "parameters: [{name: includeDeleted, in: query, schema: {type: boolean}}], ";
    let listed = PETS.replace(
        "operationId: listPets, ",
        &format!("operationId: listPets, {parameter}"),
    );
    for (document, is_stated) in [(PETS, true), (&listed, false)] {
        let contract = Contract::read("pets.yaml", document.to_owned()).unwrap();
        let mut facts = contract.facts.iter().map(|fact| fact.name.to_string());
        assert_eq!(facts.any(|name| name == "deletePet: gone from listPets"), is_stated);
    }
}

#[tokio::test]
async fn a_record_that_only_quotes_what_was_sent_or_was_written_over_is_not_written_to_again() {
    for fault in [Fault::QuotedElsewhere, Fault::Upsert] {
        let checked = checked(fault, true).await;
        let mut writes = checked.log.iter().filter(|line| !line.starts_with("POST"));
        assert_eq!(writes.next(), None, "{fault:?}");
        assert!(checked.kept.contains_key("/pets/hidden-0"));
        assert!(!checked.record.residue.is_empty());
    }
}

#[tokio::test]
async fn another_record_whose_identifier_a_create_returns_is_not_deleted() {
    for fault in [Fault::AnothersId, Fault::Lost, Fault::Accepted] {
        let checked = checked(fault, true).await;
        let deleted = checked.log.iter().filter(|line| line.starts_with("DELETE")).count();
        assert_eq!(deleted, 0, "{fault:?} {:?}", checked.log);
        assert!(checked.kept.contains_key("/pets/other-0"));
        assert_eq!(checked.kept["/pets/other-0"]["name"], "Somebody's");
    }
}

#[tokio::test]
async fn what_is_nested_is_deleted_before_what_contains_it() {
    let checked = checked(Fault::None, true).await;
    let deletes: Vec<_> = checked.log.iter().filter(|line| line.starts_with("DELETE")).collect();
    let toy = deletes.iter().position(|line| line.contains("/toys/")).unwrap();
    let toys_pet = deletes[toy].split("/toys/").next().unwrap();
    let pet = deletes
        .iter()
        .position(|line| line.starts_with(&format!("{toys_pet} ")))
        .unwrap();
    assert!(toy < pet, "{deletes:?}");
}

/// The newest record that a create of pets left.
fn newest_pet(kept: &Kept) -> String {
    let pets = kept
        .keys()
        .filter_map(|at| at.strip_prefix("/pets/own-")?.parse::<usize>().ok());
    format!("/pets/own-{}", pets.max().unwrap())
}

#[tokio::test]
async fn a_newest_record_that_cannot_be_read_does_not_hide_what_a_deletion_does_to_others() {
    let newest = newest_pet(&checked(Fault::None, false).await.kept);
    for (fault, verdict) in [(Fault::None, "held"), (Fault::DeletesAll, "broken")] {
        let (router, kept, log) = service(fault);
        let unread = newest.clone();
        let fails = move |request: Request, next: Next| {
            let is_unread = request.method() == Method::GET && request.uri().path() == unread;
            async move {
                match is_unread {
                    true => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
                    false => next.run(request).await,
                }
            }
        };
        let router = router.layer(from_fn(fails));
        let checked = checked_at(PETS, (router, kept, log), true).await;
        if fault == Fault::None {
            assert_eq!(newest_pet(&checked.kept), newest);
        }
        let fact = "deletePet: another record as before";
        assert_eq!(checked.verdict(fact), verdict, "{fault:?} {:#?}", checked.log);
    }
}

#[tokio::test]
async fn an_update_whose_links_lead_to_updates_is_not_taken_for_a_create() {
    let with_links = |document: &str, from: (&str, u16), to: &[&str]| {
        let link = |to: &&str| format!("{to}: {{operationId: {to}, parameters: {{petId: '$response.body#/id'}}}}");
        let links = to.iter().map(link).collect::<Vec<_>>().join(", ");
        let responses = format!(
            "operationId: {}
      requestBody: {{$ref: '#/components/requestBodies/Pet'}}
      responses: {{'{}': {{",
            from.0, from.1
        );
        let shown = "description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}";
        let linked = document.replace(
            &format!("{responses}$ref: '#/components/responses/Pet'}}"),
            &format!("{responses}{shown}, links: {{{links}}}}}"),
        );
        assert_ne!(linked, document);
        linked
    };
    let created = with_links(PETS, ("addPet", 201), &["getPet", "putPet", "patchPet", "deletePet"]);
    let updated = with_links(&created, ("putPet", 200), &["putPet", "patchPet"]);
    let writes = async |document: &str| {
        let mut log = checked_by(document, Fault::None, true).await.log;
        log.sort();
        log
    };
    let sent = writes(&created).await;
    for update in ["PUT /pets/", "PATCH /pets/"] {
        assert!(sent.iter().any(|line| line.starts_with(update)), "{update} {sent:#?}");
    }
    assert_eq!(writes(&updated).await, sent);
}

#[tokio::test]
async fn a_list_that_names_records_itself_does_not_end_their_updates() {
    let of = |schema: &str| format!("content: {{application/json: {{schema: {schema}}}}}");
    let text = "{type: string}";
    let toy = format!("{{type: object, required: [id], properties: {{id: {text}, name: {text}, remark: {text}}}}}");
    let body = of("{type: object, required: [remark], properties: {remark: {type: string}}}");
    let shown = of(&toy);
    let listed = of(&format!("{{type: array, items: {toy}}}"));
    let create = "operationId: addToy
      requestBody: {$ref: '#/components/requestBodies/Pet'}
      responses: {'201': {$ref: '#/components/responses/Pet'}}";
    let read = "get: {operationId: getToy, responses: {'200': {$ref: '#/components/responses/Pet'}}}";
    let with_list = format!(
        "operationId: addToy
      requestBody: {{{body}}}
      responses: {{'201': {{description: OK, {shown}}}}}
    get: {{operationId: listToys, responses: {{'200': {{description: OK, {listed}}}}}}}"
    );
    let with_update = format!(
        "get: {{operationId: getToy, responses: {{'200': {{description: OK, {shown}}}}}}}
    put: {{operationId: putToy, requestBody: {{{body}}}, responses: {{'200': {{description: OK, {shown}}}}}}}"
    );
    let document = PETS.replace(create, &with_list).replace(read, &with_update);
    let checked = checked_by(&document, Fault::ListsGivenNames, true).await;
    assert!(checked.record.findings.is_empty(), "{:?}", checked.record.findings);
    for fact in [
        "addToy created: listed in listToys",
        "putToy in getToy /remark: as sent in /remark",
    ] {
        assert_eq!(checked.verdict(fact), "held", "{fact} {:#?}", checked.log);
    }
}
