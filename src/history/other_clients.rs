//! Takes what other clients wrote, from their recorded traffic. They own their records and may change them at any time,
//! so nothing is residue, no later request takes an identifier from here, and a record is kept only until the next
//! create of its operation.

use serde_json::Value;
use uuid::Uuid;

use super::created::CreatedRecord;
use super::evidence::{Creation, Evidence, FormatOutcome};
use super::history::{EvidenceSink, History};
use super::look::{Look, LookId};
use super::records::only_identifier;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::TimestampFormat;
use crate::exchange::json::Body;
use crate::exchange::{Content, Exchange, Request};

impl History<'_> {
    /// Adds another client's successful create: what it carries, and the record that its list may show later.
    ///
    /// Where an earlier response showed the identifier, the target may have returned an existing record, which is
    /// allowed; then nothing is concluded.
    pub(super) fn created_by_other_client(
        &mut self,
        exchange: &Exchange,
        path_values: &[(String, Value)],
        body: Option<&Body>,
        emit: EvidenceSink<'_>,
    ) {
        let operation = exchange.request.operation;
        self.creations.retain(|creation| creation.operation != operation);
        let succeeded = self.succeeded(exchange);
        let Some(invariant) = &self.contract.operation(operation).invariants.created else {
            return;
        };
        let record = body
            .filter(|_| succeeded)
            .and_then(|body| body.value.pointer(&invariant.resource));
        let Some(record) = record.filter(|record| record.is_object()) else {
            return;
        };
        self.timestamp_format_of_other_client(exchange, emit);
        let id = record.pointer(&invariant.id);
        if id.is_some_and(|id| self.mark_created(operation, id)) {
            return;
        }
        let owner = self
            .created_and_listed_invariants(operation)
            .and_then(|(_, listed)| listed.item_parameter.as_ref());
        let is_owner_known = owner.is_none_or(|owner| path_values.iter().any(|(name, _)| name == owner));
        let request = Request {
            body: Some(Content::Json(comparable(exchange))),
            ..exchange.request.clone()
        };
        emit(Evidence::Creation(Creation {
            operation,
            invariant,
            request: &request,
            record,
            seen_before: false,
        }));
        // Without its owner it cannot be looked for.
        if is_owner_known {
            self.creations.push(CreatedRecord {
                operation,
                request,
                identity: only_identifier(record, &invariant.id),
                seen_before: false,
                path_values: path_values.to_vec(),
            });
        }
    }

    /// Emits the evidence that an accepted create was sent in a documented timestamp format.
    fn timestamp_format_of_other_client(&self, exchange: &Exchange, emit: EvidenceSink<'_>) {
        let operation = exchange.request.operation;
        let Some(accepted) = self.contract.operation(operation).accepted_timestamp_formats() else {
            return;
        };
        let sent = exchange
            .request
            .json()
            .and_then(|body| body.pointer(&accepted.sent)?.as_str());
        if let Some(format) = sent
            .and_then(TimestampFormat::of)
            .filter(|format| accepted.formats.contains(format))
        {
            let tried = FormatOutcome {
                operation,
                format,
                status: exchange.status(),
                other_accepted: false,
            };
            emit(Evidence::Format(tried, &exchange.request));
        }
    }

    /// Adds a page, which was judged as part of another look, to this one.
    pub(crate) fn share_page_with_look(&mut self, id: LookId, asked: Option<u64>, page: (&Exchange, Option<&Body>)) {
        self.add_page(id, asked, page);
    }

    /// Whether a look has found the record that it seeks.
    pub(crate) fn has_found_created(&self, id: LookId) -> bool {
        self.looks.get(&id).is_some_and(Look::has_found_created)
    }

    /// Whether a look is in its second walk at least.
    pub(crate) fn is_second_walk(&self, id: LookId) -> bool {
        self.looks.get(&id).is_some_and(Look::is_second_walk)
    }

    /// Whether the pages of a look's current walk disagree on the number of items.
    pub(crate) fn pages_disagree(&self, id: LookId) -> bool {
        self.looks.get(&id).is_some_and(Look::disagrees)
    }

    /// Returns the creates whose records this list must show, of those that other clients made.
    pub(crate) fn creates_by_other_clients(&self, list: OperationId) -> Vec<OperationId> {
        let creations = self.creations.iter().map(|creation| creation.operation);
        creations
            .filter(|create| self.contract.list_showing_created_by(*create) == Some(list))
            .collect()
    }
}

/// Returns the part of another client's body that must come back as it was sent. A service may normalise values; a
/// check sends no value that a service could normalise, but a client may. After a 200, nothing has to come back: the
/// record may have been there before, with other values (RFC 9110, section 15.3.2).
fn comparable(exchange: &Exchange) -> Value {
    let body = exchange.request.json().filter(|_| exchange.status() != Some(200));
    body.and_then(|body| normal_part(body, false)).unwrap_or_default()
}

/// Returns a value without what a service may normalise. An array keeps all of its elements or none, so that they stay
/// comparable; with `all_or_nothing`, so does an object.
fn normal_part(value: &Value, all_or_nothing: bool) -> Option<Value> {
    match value {
        Value::Bool(_) => Some(value.clone()),
        Value::Number(number) => (!number.is_f64()).then(|| value.clone()),
        Value::String(text) => is_normal(text).then(|| value.clone()),
        Value::Null => None,
        Value::Array(elements) => elements.iter().map(|element| normal_part(element, true)).collect(),
        Value::Object(members) if all_or_nothing => {
            let members = members
                .iter()
                .map(|(name, value)| Some((name.clone(), normal_part(value, true)?)));
            members.collect::<Option<_>>().map(Value::Object)
        }
        Value::Object(members) => {
            let members = members
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), normal_part(value, false)?)));
            Some(Value::Object(members.collect()))
        }
    }
}

/// Whether a service has nothing to normalise in a string: no space to remove, no capitals in an email address or a
/// UUID, no number or timestamp that has other spellings, and nothing that the program that wrote the HTTP archive may
/// have decoded wrongly.
fn is_normal(text: &str) -> bool {
    let has_usual_spaces = text == text.trim() && !text.contains("  ") && (1..=100).contains(&text.len());
    let is_exact =
        text.is_ascii() && !text.contains(|character: char| character.is_ascii_control() || character == '?');
    let has_capitals = text.contains(|character: char| character.is_ascii_uppercase());
    let is_caseless = !(text.contains('@') || Uuid::try_parse(text).is_ok()) || !has_capitals;
    let begins_as_number = text.starts_with(|character: char| character.is_ascii_digit() || "+-(".contains(character));
    let is_one_spelling = !begins_as_number || !text.contains([' ', '.', '(', '/']);
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    has_usual_spaces && is_exact && is_caseless && is_one_spelling && !is_number
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_service_may_tidy_is_not_compared() {
        for text in [
            "Ann", "O'Neill <b>", "ann@example.com", "+447700900123", "2026-05-04T09:30:00Z", "a b",
        ] {
            assert!(is_normal(text), "{text}");
        }
        for text in [
            "",
            " Ann",
            "a  b",
            "Ann@example.com",
            "+44 7700 900123",
            "2026-05-04T09:30:00.5Z",
            "10",
            "1.0",
            "M?ller",
            "Müller",
            "a\tb",
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        ] {
            assert!(!is_normal(text), "{text}");
        }
    }

    #[test]
    fn an_array_stays_whole_or_is_left_out() {
        let body = json!({"name": "Ann", "born": null, "size": 1.5, "of": [{"a": "b", "c": 1}], "in": [{"a": "b"}, {"a": " "}]});
        assert_eq!(
            normal_part(&body, false),
            Some(json!({"name": "Ann", "of": [{"a": "b", "c": 1}]}))
        );
    }
}
