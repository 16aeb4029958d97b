//! Judges, for the rule `lifecycle`, whether one response is about the record that a path names: the read of an
//! identifier that names none must not show another record, and the `Location` of a create must name what it created.

use chrono::{DateTime, TimeDelta};
use reqwest::header::DATE;
use serde_json::Value;
use uuid::Uuid;

use super::seen::ExchangeSeen;
use super::verdict::Sink;
use crate::contract::Contract;
use crate::contract::edge_case::EdgeCase;
use crate::contract::fact::FactKind;
use crate::contract::lifecycle::Lifecycle;
use crate::contract::pointer;
use crate::contract::vocabulary::EdgeCaseKind;
use crate::exchange::identifier;
use crate::history::identifiers_in_path;

/// An entity tag that no record has (RFC 9110, section 8.8.3).
pub(crate) const UNKNOWN_ENTITY_TAG: &str = "\"countersign-no-such-state\"";

/// The length from which an identifier counts where it is only a part of a string.
const SHORTEST_PART: usize = 8;

/// Judges a single exchange; those of other clients may have passed something that rewrites paths.
pub(super) fn judge(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    match seen.edge_case() {
        Some(edge_case) => judge_unknown(seen, edge_case, sink),
        None if seen.intent.is_of_other_client() => {}
        None => {
            judge_location(seen, sink);
            judge_creation_time(seen, sink);
            judge_parent(seen, sink);
            judge_condition(seen, sink);
        }
    }
}

/// Reports a `Location` of a 201 that names another record than the body (RFC 9110, section 15.3.2). It counts only if
/// its path is that of the read: behind a gateway, a service may have other paths than it knows of.
fn judge_location(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let contract = sink.contract;
    let response = seen.exchange.response().filter(|response| response.status == 201);
    let path = response.and_then(|response| response.location.as_deref());
    let lifecycle = contract.lifecycle_starting_with(seen.id);
    let lifecycle = lifecycle.filter(|lifecycle| is_certain(lifecycle) && lifecycle.is_located_plainly);
    let (Some(path), Some(lifecycle), Some(body)) = (path, lifecycle, body(seen)) else {
        return;
    };
    let created = body.pointer(&lifecycle.created_id_pointer).and_then(identifier);
    let fact = contract.fact_of(seen.id, FactKind::ReadAfterCreate);
    let documented = Some("the path of the created record");
    let is_collection = path.trim_end_matches('/') == seen.exchange.request.path.trim_end_matches('/');
    if let (Some(_), Some(fact), true) = (&created, fact, is_collection) {
        let received = || "the path that the create was sent to".to_owned();
        return sink.report_finding(fact, documented, || pointer::header("Location"), received);
    }
    if contract.get_operation_at(path) != Some(lifecycle.read) {
        return;
    }
    let is_shown = |located: &String| shows(body, located) || shows(body, without_leading_zeros(located));
    let located = id_in_path(contract, lifecycle, path).filter(|located| !is_shown(located));
    if let (Some(created), Some(located), Some(fact)) = (created, located, fact)
        && have_one_form(&created, &located)
    {
        let received = || "the path of a record with another identifier than the body has".to_owned();
        sink.report_finding(fact, documented, || pointer::header("Location"), received);
    }
}

/// Reports a record that shows, in the response to its create, that it was created more than a day before or after that
/// response, by the clock of the service (the header `Date`).
fn judge_creation_time(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let contract = sink.contract;
    let response = seen.exchange.response().filter(|response| response.status == 201);
    let date = response.and_then(|response| response.headers.get(DATE)?.to_str().ok());
    let date = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    let lifecycle = contract
        .lifecycle_starting_with(seen.id)
        .filter(|lifecycle| !lifecycle.guessed && lifecycle.is_created_plainly);
    let (Some(date), Some(lifecycle), Some(body)) = (date, lifecycle, body(seen)) else {
        return;
    };
    let Some((at, record)) = lifecycle
        .creation_time
        .as_ref()
        .zip(lifecycle.record_in_response(seen.id))
    else {
        return;
    };
    let at = format!("{record}{at}");
    let created = body.pointer(&at).and_then(Value::as_str);
    let created = created.and_then(|created| DateTime::parse_from_rfc3339(created).ok());
    let fact = contract.fact_of(seen.id, FactKind::ReadAfterCreate);
    if let (Some(created), Some(fact)) = (created, fact)
        && (created - date).abs() > TimeDelta::days(1)
    {
        let documented = Some("the time of the create");
        let received = || "more than a day from the `Date` of the response".to_owned();
        sink.report_finding(fact, documented, || at, received);
    }
}

/// Reports a read that shows a record below another record than the one that its path names. It counts only where the
/// document says that something may not be found.
fn judge_parent(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let contract = sink.contract;
    let lifecycle = contract.lifecycles().iter().find(|lifecycle| lifecycle.read == seen.id);
    let lifecycle = lifecycle.filter(|one| is_certain(one) && seen.operation.response_of_exactly(404).is_some());
    let (Some(lifecycle), Some(body), true) = (lifecycle, body(seen), seen.exchange.is_success()) else {
        return;
    };
    let fact = contract.fact_of(lifecycle.create, FactKind::ReadAfterCreate);
    let Some(fact) = fact else { return };
    let named = identifiers_in_path(seen.operation, &seen.exchange.request.path);
    for (place, property, values) in contract.parents_in_records(lifecycle) {
        let asked = named.iter().find(|(at, _)| *at == place);
        let asked = asked.and_then(|(_, text)| values.asked(text));
        let at = pointer::join(&lifecycle.record_in_read, &property);
        let shown = pointer::get(body, &at).and_then(|value| values.shown(value));
        if let Some((asked, shown)) = asked.zip(shown)
            && !values.are_same(&asked, &shown)
            && contract.only_names_its_record(lifecycle)
        {
            let documented = Some("no record below another one than the path names");
            let received = || "a record that names another one".to_owned();
            return sink.report_finding(fact, documented, || at, received);
        }
    }
}

/// Reports an update that was carried out although the record never was in the state that the request asks for.
fn judge_condition(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let request = &seen.exchange.request;
    let mut headers = request.headers.iter();
    let is_conditional =
        headers.any(|(name, value)| name.eq_ignore_ascii_case("If-Match") && value == UNKNOWN_ENTITY_TAG);
    let fact = sink.contract.fact_of(seen.id, FactKind::Status);
    let status = seen
        .exchange
        .status()
        .filter(|_| is_conditional && seen.exchange.is_success());
    if let Some((fact, status)) = fact.zip(status) {
        let received = || format!("{status}, on the condition of an entity tag that no record has");
        sink.report_finding(fact, Some("412"), String::new, received);
    }
}

/// Returns a number without the zeros before it, with which a path may have it.
fn without_leading_zeros(id: &str) -> &str {
    match id.chars().all(|character| character.is_ascii_digit()) {
        true => id.trim_start_matches('0'),
        false => id,
    }
}

/// Whether two identifiers are both UUIDs, or differ in nothing but numbers, as `n-17` and `n-18` do. In another form,
/// one may name the record of the other: `/pets/rex-13`, `/pets/13.json`.
fn have_one_form(one: &str, other: &str) -> bool {
    let is_digit = |character: char| character.is_ascii_digit();
    let between_numbers = |id: &str| {
        id.split(is_digit)
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let form = |id: &str| -> (bool, Vec<String>) { (id.starts_with(is_digit), between_numbers(id)) };
    let are_uuids = [one, other].iter().all(|id| Uuid::try_parse(id).is_ok());
    are_uuids || one.contains(is_digit) && form(one) == form(other)
}

/// Reports a success to an unknown identifier that shows a record with another one.
fn judge_unknown(seen: &ExchangeSeen<'_>, edge_case: EdgeCase, sink: &mut Sink<'_>) {
    let contract = sink.contract;
    let lifecycle = contract.lifecycles().iter().find(|lifecycle| lifecycle.read == seen.id);
    let (Some(lifecycle), Some(index)) = (lifecycle.filter(|one| is_certain(one)), edge_case.parameter) else {
        return;
    };
    let is_of_record = seen.operation.path_to_parameter(index).as_ref() == Some(&lifecycle.path_to_id);
    let is_malformed = edge_case.kind == EdgeCaseKind::IdentifierMalformed;
    let is_judged = is_malformed || edge_case.kind == EdgeCaseKind::IdentifierUnknown;
    if !is_judged || !is_of_record || !seen.exchange.is_success() {
        return;
    }
    let (Some(body), Some(name)) = (body(seen), pointer::last(&lifecycle.created_id_pointer)) else {
        return;
    };
    let at = pointer::join(&lifecycle.record_in_read, &name);
    let shown = body.pointer(&at).and_then(identifier);
    let asked = id_in_path(contract, lifecycle, &seen.exchange.request.path);
    let (Some(shown), Some(asked)) = (shown, asked) else {
        return;
    };
    let follows_number = |rest: &str| rest.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_number_alone = || {
        asked.strip_prefix(&shown).is_some_and(follows_number)
            && contract.only_names_its_record(lifecycle)
            && !contract.may_take_name_after_number(lifecycle)
    };
    if is_malformed && !is_number_alone() {
        return;
    }
    // A record whose fields are all zero is an empty one.
    let is_empty = shown.chars().all(|character| matches!(character, '0' | '-'));
    if is_empty || shows(body, &asked) || contract.may_show_another_record(seen.id) {
        return;
    }
    if let Some(fact) = contract.fact_of(lifecycle.create, FactKind::ReadAfterCreate) {
        let documented = Some("no record with another identifier than the one in the path");
        let received = || match is_malformed {
            true => "the record whose number the identifier in the path begins with".to_owned(),
            false => "another record, in response to an identifier that names none".to_owned(),
        };
        sink.report_finding(fact, documented, || at, received);
    }
}

/// Whether the document leaves no doubt which field of a record is the identifier that the path of its read takes.
fn is_certain(lifecycle: &Lifecycle) -> bool {
    let is_in_body = !lifecycle.created_id_pointer.starts_with('$');
    is_in_body && !lifecycle.guessed && !lifecycle.path_may_take_another_field
}

/// Returns the identifier of the record that the path of a read names.
fn id_in_path(contract: &Contract, lifecycle: &Lifecycle, path: &str) -> Option<String> {
    let mut named = identifiers_in_path(contract.operation(lifecycle.read), path).into_iter();
    named
        .find(|(place, _)| *place == lifecycle.path_to_id)
        .map(|(_, id)| id)
}

/// Returns the body, where it was read.
fn body<'seen>(seen: &ExchangeSeen<'seen>) -> Option<&'seen Value> {
    let body = seen.body?.as_ref().ok()?;
    Some(&body.value)
}

/// Whether a value in a body is this identifier, in any spelling of its letters, or a string contains it: the record
/// may have several identifiers.
fn shows(body: &Value, id: &str) -> bool {
    match body {
        Value::Array(elements) => elements.iter().any(|element| shows(element, id)),
        Value::Object(members) => members.values().any(|value| shows(value, id)),
        Value::Bool(_) | Value::Null => false,
        Value::Number(_) => identifier(body).as_deref() == Some(id),
        // A short identifier is a part of many strings, such as timestamps.
        Value::String(text) if id.len() < SHORTEST_PART => plain(text) == plain(id),
        Value::String(text) => plain(text).contains(&plain(id)),
    }
}

/// Returns an identifier in lower case and without the hyphens of a UUID.
fn plain(id: &str) -> String {
    id.to_lowercase().replace('-', "")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::Level;
    use crate::rules::testing::{Fixture, JSON, Judged};

    const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
components:
  schemas:
    Pet: {type: object, properties: {id: {type: integer}, name: {type: string}}}
  responses:
    Pet: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
paths:
  /pets:
    post: {operationId: addPet, responses: {'201': {$ref: '#/components/responses/Pet'}}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
    get: {operationId: getPet, summary: TEXT, responses: {'200': {$ref: '#/components/responses/Pet'}}}
";

    /// The response to the read of an unknown pet.
    fn unknown(document: &str, kind: EdgeCaseKind, body: &Value) -> Judged {
        let document = document.replace("TEXT", "Returns a pet by its id");
        let fixture = Fixture::text(&document, "getPet").edge_case(kind);
        let mut exchange = fixture.exchange(200, JSON, &body.to_string());
        exchange.request.path = "/pets/9007199254740991".to_owned();
        fixture.judge(|judge| drop(judge.exchange(&exchange, fixture.intent())))
    }

    #[test]
    fn another_record_under_an_unknown_identifier_is_a_warning() {
        let judged = unknown(PETS, EdgeCaseKind::IdentifierUnknown, &json!({"id": 1, "name": "Rex"}));
        let finding = judged.finding("lifecycle");
        assert_eq!((finding.level, finding.pointer.as_str()), (Level::Warn, "/id"));
        let received = "another record, in response to an identifier that names none";
        assert_eq!(finding.received, received);
    }

    #[test]
    fn what_may_be_no_other_record_is_left_alone() {
        let unknown_id = EdgeCaseKind::IdentifierUnknown;
        for body in [
            json!({}),
            json!(null),
            json!([]),
            json!({"id": null, "name": "Rex"}),
            json!({"id": 0, "name": ""}),
            json!({"id": 9_007_199_254_740_991_u64}),
            json!({"id": 1, "name": "pet 9007199254740991"}),
        ] {
            assert!(
                unknown(PETS, unknown_id, &body).findings("lifecycle").is_empty(),
                "{body}"
            );
        }
        let other = json!({"id": 1});
        for text in ["Falls back to the default pet", "Returns the nearest pet"] {
            let judged = unknown(&PETS.replace("TEXT", text), unknown_id, &other);
            assert!(judged.findings("lifecycle").is_empty(), "{text}");
        }
        let malformed = unknown(PETS, EdgeCaseKind::IdentifierMalformed, &other);
        assert!(malformed.findings("lifecycle").is_empty());
        let slug = PETS
            .replace("petId", "pet")
            .replace("name: {type: string}", "slug: {type: string}");
        assert!(unknown(&slug, unknown_id, &other).findings("lifecycle").is_empty());
    }

    /// The response to a create with this path in its `Location`.
    fn located(document: &str, path: Option<&str>, (status, body): (u16, &Value)) -> Judged {
        let fixture = Fixture::text(document, "addPet");
        let mut exchange = fixture.exchange(status, JSON, &body.to_string());
        if let Ok(response) = &mut exchange.outcome {
            response.location = path.map(str::to_owned);
        }
        fixture.judge(|judge| drop(judge.exchange(&exchange, fixture.intent())))
    }

    #[test]
    fn a_location_that_names_another_record_is_a_warning() {
        let judged = located(PETS, Some("/pets/14"), (201, &json!({"id": 13, "name": "Rex"})));
        let finding = judged.finding("lifecycle");
        assert_eq!(
            (finding.level, finding.pointer.as_str()),
            (Level::Warn, "header Location")
        );
        let received = "the path of a record with another identifier than the body has";
        assert_eq!(finding.received, received);
    }

    #[test]
    fn a_time_of_creation_far_from_the_response_is_a_warning() {
        let stamped = "name: {type: string}, created_at: {type: string, format: date-time}";
        let text = PETS.replace("TEXT", "Returns a pet").replace("name: {type: string}", stamped).replace(
            "post: {operationId: addPet,",
            "post: {operationId: addPet, requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}},",
        );
        let found = |document: &str, created: &Value, date: Option<&'static str>| {
            let fixture = Fixture::text(document, "addPet");
            let body = json!({"id": 13, "name": "Rex", "created_at": created});
            let mut exchange = fixture.exchange(201, JSON, &body.to_string());
            if let (Ok(response), Some(date)) = (&mut exchange.outcome, date) {
                response.headers.insert(DATE, date.parse().unwrap());
            }
            let judged = fixture.judge(|judge| drop(judge.exchange(&exchange, fixture.intent())));
            judged.findings("lifecycle").len()
        };
        let date = Some("Sun, 17 May 2026 09:30:00 GMT");
        let stands_still = text.replace(
            "operationId: addPet,",
            "operationId: addPet, summary: Creates a pet as of its import,",
        );
        assert_eq!(found(&stands_still, &json!("1970-01-01T00:00:00Z"), date), 0);
        for far in ["2027-05-17T09:30:00Z", "2026-05-15T09:30:00Z", "1970-01-01T00:00:00Z"] {
            assert_eq!(found(&text, &json!(far), date), 1, "{far}");
        }
        for near in [
            json!("2026-05-17T09:30:01Z"),
            json!("2026-05-16T21:30:00Z"),
            json!(null),
            json!("now"),
        ] {
            assert_eq!(found(&text, &near, date), 0, "{near}");
        }
        let far = json!("2027-05-17T09:30:00Z");
        assert_eq!(found(&text, &far, None), 0);
        assert_eq!(found(&text.replace("created_at", "born_at"), &far, date), 0);
    }

    #[test]
    fn a_location_that_names_the_collection_is_a_warning() {
        for path in ["/pets", "/pets/"] {
            let judged = located(PETS, Some(path), (201, &json!({"id": 13, "name": "Rex"})));
            let finding = judged.finding("lifecycle");
            assert_eq!(
                (finding.level, finding.received.as_str()),
                (Level::Warn, "the path that the create was sent to")
            );
            let judged = located(PETS, Some(path), (201, &json!({"name": "Rex"})));
            assert!(judged.findings("lifecycle").is_empty());
        }
    }

    #[test]
    fn a_location_that_may_be_right_is_left_alone() {
        let created = json!({"id": 13, "name": "14"});
        for path in [
            None,
            Some("/pets/13"),
            Some("/pets/000013"),
            Some("/pets/14"),
            Some("/shops"),
            Some("/v2/pets/15"),
        ] {
            let judged = located(PETS, path, (201, &created));
            assert!(judged.findings("lifecycle").is_empty(), "{path:?}");
        }
        let other = Some("/pets/15");
        for (status, body) in [
            (201, json!({"name": "Rex"})),
            (201, json!({"id": null})),
            (202, created.clone()),
        ] {
            let judged = located(PETS, other, (status, &body));
            assert!(judged.findings("lifecycle").is_empty(), "{status} {body}");
        }
        let described = |text: &str| {
            let header = format!("headers: {{Location: {{description: {text}, schema: {{type: string}}}}}}");
            PETS.replacen(
                "Pet: {description: OK,",
                &format!("Pet: {{description: OK, {header},"),
                1,
            )
        };
        for (text, count) in [
            ("Address of the new pet", 1),
            ("URL of the pet that it follows", 0),
            ("The list", 0),
        ] {
            for path in ["/pets/15", "/pets"] {
                let judged = located(&described(text), Some(path), (201, &created));
                assert_eq!(judged.findings("lifecycle").len(), count, "{text} {path}");
            }
        }
        let slug = PETS
            .replace("petId", "pet")
            .replace("name: {type: string}", "slug: {type: string}");
        assert!(located(&slug, other, (201, &created)).findings("lifecycle").is_empty());
    }

    #[test]
    fn a_rejection_of_an_unknown_identifier_is_left_alone() {
        let fixture = Fixture::text(PETS, "getPet").edge_case(EdgeCaseKind::IdentifierUnknown);
        assert!(
            fixture
                .response(404, JSON, "{\"id\": 1}")
                .findings("lifecycle")
                .is_empty()
        );
    }
}
