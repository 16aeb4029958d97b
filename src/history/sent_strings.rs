//! Remembers the strings with the run tag that requests have sent, to recognise the run's own records, and those that a
//! query has stored. The main type is [`SentStrings`].

use std::collections::{HashSet, VecDeque};

use serde_json::{Map, Value, json};

use super::run_tag::RunTag;
use super::same::unicode_composed;
use crate::contract::Contract;
use crate::contract::field::holds_data_of_callers;
use crate::contract::lifecycle::{identifies_a_record, is_set_by_service};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::exchange::Digest;

/// The maximum number of strings that are kept, the most recent ones: a run that repeats its plan (a soak) may send any
/// number. A record that shows only older ones is not recognised as the run's own, so nothing is written to it, which
/// errs on the safe side.
const MAX_STRINGS: usize = 500_000;

/// The strings with the run tag that requests have sent, each with the name of its field.
#[derive(Clone, Debug, Default)]
pub(super) struct SentStrings {
    /// Digests of the strings with their fields.
    strings: HashSet<Digest>,
    /// The same, in the order in which they were first sent.
    in_order: VecDeque<Digest>,
    /// The names of the fields in which a string was sent.
    fields: HashSet<String>,
    /// The names of the fields in which a map with a string was sent.
    maps: HashSet<String>,
    /// The names of the fields in which an object of the record itself, or an array, was sent with a string.
    nested: HashSet<String>,
}

impl SentStrings {
    /// Remembers the strings with the run tag in the fields of a body, at any depth. An element of an array has no name
    /// by which it could be recognised.
    pub(super) fn note(&mut self, run_tag: &RunTag, body: &Value) {
        match body {
            Value::Array(elements) => elements.iter().for_each(|element| self.note(run_tag, element)),
            Value::Object(members) => {
                for (name, member) in members {
                    match member {
                        Value::String(text) if run_tag.is_in(member) => {
                            self.add(name, text);
                        }
                        _ => self.note(run_tag, member),
                    }
                }
            }
            _ => {}
        }
    }

    /// Remembers the strings with the run tag in the body of a write, as [`Self::note`] does, and those in its maps, in
    /// its arrays of strings, and in objects that are a part of the record: those that have no identifier, are named
    /// like no kind of record, and that services do not set themselves (`owner`).
    pub(super) fn note_body_of(&mut self, (contract, write): (&Contract, OperationId), run_tag: &RunTag, body: &Value) {
        self.note(run_tag, body);
        let has_objects = body
            .as_object()
            .is_some_and(|members| members.values().any(Value::is_object));
        let maps = has_objects.then(|| contract.maps_in_body(write));
        for map in maps.into_iter().flatten() {
            for (name, text) in body.get(map).and_then(Value::as_object).into_iter().flatten() {
                if let Some(string) = text.as_str().filter(|_| run_tag.is_in(text)) {
                    self.maps.insert(map.to_owned());
                    self.keep(digest_in_map(map, name, string));
                }
            }
        }
        for (name, member) in body.as_object().into_iter().flatten() {
            let has_parts = member.is_array() || member.is_object();
            if !has_parts || contract.names_a_record(name) || is_set_by_service(name) {
                continue;
            }
            for_each_nested(member, &pointer::join("", name), &mut |at, text| {
                if run_tag.is_in(&json!(text)) {
                    self.nested.insert(name.clone());
                    self.keep(digest_at(at, text));
                }
            });
        }
    }

    /// Remembers a string in a field.
    fn add(&mut self, name: &str, text: &str) {
        if !self.fields.contains(name) {
            self.fields.insert(name.to_owned());
        }
        self.keep(digest(name, text));
    }

    /// Keeps the digest of a string, and forgets the oldest one if there are too many.
    fn keep(&mut self, string: Digest) {
        if self.strings.insert(string) {
            self.in_order.push_back(string);
        }
        if self.in_order.len() > MAX_STRINGS
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.strings.remove(&oldest);
        }
    }

    /// Whether an object shows a string in the same field in which a write sent it, in an object for what callers want
    /// to keep with a record, such as `metadata` or `labels`, in the same map under the same name, or at the same
    /// pointer in an object or an array of its own. Only a whole value counts: a record of somebody else, such as a log
    /// entry, may quote the run tag in a longer string.
    pub(super) fn any_shown_by(&self, members: &Map<String, Value>) -> bool {
        let notes = members.iter().filter(|(name, _)| holds_data_of_callers(name));
        let mut notes = notes.filter_map(|(_, member)| member.as_object());
        self.any_shown_by_fields_of(members)
            || self.any_shown_by_maps_of(members)
            || self.any_shown_nested_in(members)
            || notes.any(|notes| self.any_shown_by_fields_of(notes))
    }

    /// Whether an object shows a string in one of its maps. Any other object in it may be another record.
    fn any_shown_by_maps_of(&self, members: &Map<String, Value>) -> bool {
        let mut maps = members.iter().filter(|(name, _)| self.maps.contains(*name));
        maps.any(|(map, member)| {
            let mut strings = member.as_object().into_iter().flatten();
            strings.any(|(name, text)| {
                let text = text.as_str();
                text.is_some_and(|text| self.strings.contains(&digest_in_map(map, name, text)))
            })
        })
    }

    /// Whether an object shows a string where a write sent it in an object or an array of the record itself.
    fn any_shown_nested_in(&self, members: &Map<String, Value>) -> bool {
        let nested = members.iter().filter(|(name, _)| self.nested.contains(*name));
        let mut is_shown = false;
        for (name, member) in nested {
            for_each_nested(member, &pointer::join("", name), &mut |at, text| {
                is_shown = is_shown || self.strings.contains(&digest_at(at, text));
            });
        }
        is_shown
    }

    /// Whether an object shows a string in one of its own fields.
    fn any_shown_by_fields_of(&self, members: &Map<String, Value>) -> bool {
        let mut strings = members
            .iter()
            .filter_map(|(name, member)| Some((name, member.as_str()?)));
        strings.any(|(name, text)| self.fields.contains(name) && self.strings.contains(&digest(name, text)))
    }

    /// Whether an object in a value, at any depth, shows such a string and none of `unless`.
    pub(super) fn any_shown_anywhere_in(&self, value: &Value, unless: &Self) -> bool {
        match value {
            Value::Array(elements) => elements
                .iter()
                .any(|element| self.any_shown_anywhere_in(element, unless)),
            Value::Object(members) => {
                (self.any_shown_by(members) && !unless.any_shown_by(members))
                    || members
                        .values()
                        .any(|member| self.any_shown_anywhere_in(member, unless))
            }
            _ => false,
        }
    }

    /// Whether there is no such string.
    pub(super) fn is_empty(&self) -> bool {
        self.strings.is_empty()
    }

    /// Whether an object that shows a record has fields in which the `requests` for it sent a string, and none of the
    /// strings. Requests for other records say nothing about its fields.
    pub(super) fn are_replaced_in(&self, members: &Map<String, Value>, requests: &Self) -> bool {
        !self.any_shown_by(members) && members.keys().any(|name| requests.fields.contains(name))
    }
}

/// Returns the digest of a string with the name of its field.
fn digest(name: &str, text: &str) -> Digest {
    Digest::of(&json!([name, normalized(text)]))
}

/// Returns the digest of a string with the name of its map and its name in it.
fn digest_in_map(map: &str, name: &str, text: &str) -> Digest {
    Digest::of(&json!([map, name, normalized(text)]))
}

/// Returns the digest of a string with its pointer in the record.
fn digest_at(at: &str, text: &str) -> Digest {
    Digest::of(&json!([at, "", normalized(text)]))
}

/// Passes on the strings of an array and of the objects in a record, each with its pointer. An object with an
/// identifier is another record, and so may be each object in an array.
fn for_each_nested(value: &Value, at: &str, found: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::Array(elements) => {
            for (index, text) in elements.iter().enumerate() {
                if let Some(text) = text.as_str() {
                    found(&pointer::element(at, index), text);
                }
            }
        }
        Value::Object(members) if !members.keys().any(|name| identifies_a_record(name)) => {
            for (name, member) in members {
                let at = pointer::join(at, name);
                match member.as_str() {
                    Some(text) => found(&at, text),
                    None => for_each_nested(member, &at, found),
                }
            }
        }
        _ => {}
    }
}

/// Returns a string without what services may change in it: case, surrounding spaces, how accents are composed.
fn normalized(text: &str) -> String {
    unicode_composed(text.trim()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_value_in_its_own_field_is_recognised_and_nothing_else() {
        let run_tag = RunTag::new(1, 1);
        let own = run_tag.numbered(1);
        let mut sent = SentStrings::default();
        sent.note(&run_tag, &json!({"name": own, "kind": "plain", "of": [{"note": own}]}));
        let requests = sent.clone();
        sent.note(&run_tag, &json!({"title": own}));
        let shows = |record: Value| {
            (
                sent.any_shown_by(record.as_object().unwrap()),
                sent.are_replaced_in(record.as_object().unwrap(), &requests),
            )
        };
        assert_eq!(shows(json!({"id": 1, "name": own.to_uppercase()})), (true, false));
        assert_eq!(shows(json!({"id": 1, "note": format!(" {own} ")})), (true, false));
        assert_eq!(shows(json!({"name": "Ada", "lastEvent": own})), (false, true));
        assert_eq!(shows(json!({"name": format!("Ada, then {own}")})), (false, true));
        assert_eq!(shows(json!({"id": 1, "kind": "plain"})), (false, false));
        // The requests of another record sent a title.
        assert_eq!(shows(json!({"id": 1, "title": "Order 17"})), (false, false));
    }

    #[test]
    fn a_string_in_a_map_is_recognised_under_its_name_in_the_same_map_and_in_no_other_object() {
        let document = "openapi: 3.0.3
info: {title: Rooms, version: '1'}
paths:
  /rooms:
    post:
      requestBody: {content: {application/json: {schema: {type: object, properties: {
        title: {type: object, additionalProperties: {type: string}},
        owner: {type: object, properties: {en: {type: string}}}}}}}}
      responses: {'201': {description: Added}}
";
        let contract = Contract::read("rooms.yaml", document.to_owned()).unwrap();
        let run_tag = RunTag::new(1, 1);
        let own = run_tag.numbered(1);
        let mut sent = SentStrings::default();
        let body = json!({"title": {"en": own, "de": "plain"}, "owner": {"en": own}});
        sent.note_body_of((&contract, OperationId(0)), &run_tag, &body);
        let shows = |record: Value| sent.any_shown_by(record.as_object().unwrap());
        assert!(shows(json!({"id": 1, "title": {"en": own, "de": "plain", "fr": ""}})));
        for other in [
            json!({"id": 1, "title": {"de": own}}),
            json!({"id": 1, "title": {"en": format!("Moved from {own}")}}),
            json!({"id": 1, "title": {"of": {"en": own}}}),
            json!({"id": 1, "subtitle": {"en": own}}),
            json!({"id": 1, "owner": {"en": own}}),
            json!({"id": 1, "rooms": [{"title": {"en": own}}]}),
        ] {
            assert!(!shows(other.clone()), "{other}");
        }
    }

    #[test]
    fn a_string_in_an_object_or_an_array_of_the_record_is_recognised_at_its_pointer_and_in_no_other_record() {
        let document = "openapi: 3.0.3
info: {title: Users, version: '1'}
paths:
  /teams/{id}: {get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], responses: {'200': {description: OK}}}}
  /users: {post: {responses: {'201': {description: Added}}}}
";
        let contract = Contract::read("users.yaml", document.to_owned()).unwrap();
        let add = contract.operation_ids().last().unwrap();
        let run_tag = RunTag::new(1, 1);
        let own = run_tag.numbered(1);
        let mut sent = SentStrings::default();
        let body = json!({
            "extra": {"first": own, "of": {"last": own}}, "labels": ["plain", own], "items": [{"label": own}],
            "team": {"title": own}, "owner": {"title": own}, "card": {"id": 1, "title": own}
        });
        sent.note_body_of((&contract, add), &run_tag, &body);
        let shows = |record: Value| sent.any_shown_by(record.as_object().unwrap());
        assert!(shows(json!({"id": 1, "extra": {"first": own, "more": 1}})));
        assert!(shows(json!({"id": 1, "extra": {"of": {"last": own}}})));
        assert!(shows(json!({"id": 1, "labels": ["plain", own]})));
        for other in [
            json!({"id": 1, "extra": {"second": own}}),
            json!({"id": 1, "extra": {"id": 7, "first": own}}),
            json!({"id": 1, "extra": {"first": format!("Moved from {own}")}}),
            json!({"id": 1, "labels": [own]}),
            json!({"id": 1, "of": {"last": own}}),
            json!({"id": 1, "items": [{"label": own}]}),
            json!({"id": 1, "team": {"title": own}}),
            json!({"id": 1, "owner": {"title": own}}),
            json!({"id": 1, "card": {"title": own}}),
        ] {
            assert!(!shows(other.clone()), "{other}");
        }
    }

    #[test]
    fn of_more_strings_than_are_kept_the_last_ones_are_recognised() {
        let run_tag = RunTag::new(1, 1);
        let name = |number: usize| json!(run_tag.numbered(u64::try_from(number).unwrap()));
        let mut sent = SentStrings::default();
        for number in 0..=MAX_STRINGS {
            sent.note(&run_tag, &json!({"name": name(number)}));
        }
        let shows = |number: usize| sent.any_shown_by(json!({"name": name(number)}).as_object().unwrap());
        assert!(!shows(0) && shows(1) && shows(MAX_STRINGS));
        assert_eq!((sent.strings.len(), sent.in_order.len()), (MAX_STRINGS, MAX_STRINGS));
    }
}
