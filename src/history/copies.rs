//! Recognises the records that a create has stored in addition to the one that it returned. The main function is
//! [`History::times_listed`].
//!
//! # Design
//!
//! Other clients change the list at the same time, so the number of its records says nothing. But nobody else knows the
//! run tag, and the number after it is that of one draft: a record that shows both comes from this create, if the draft
//! was sent only once. A create may still make several records by design, such as each occurrence of an event, or each
//! end of a transfer. These are left in the target too, but they differ; only a record that is the same but for its
//! identifier and the time at which it was stored is a copy, which no contract promises.

use serde_json::Value;

use super::evidence::ListedCount;
use super::history::History;
use crate::contract::lexicon::camel_case_words;
use crate::contract::lifecycle::RecordList;
use crate::exchange::{Request, identifier};

impl History<'_> {
    /// Returns the items of a list that a create has stored in addition to the record with this identifier, each with
    /// its own identifier.
    pub(super) fn also_stored<'items>(
        &self,
        (create, id): (&Request, &Value),
        (list, items): (&RecordList, &'items [Value]),
    ) -> Vec<(&'items Value, String)> {
        let (Some(number), Some(returned_id)) = (self.draft_sent_once(create), identifier(id)) else {
            return Vec::new();
        };
        let is_of_draft = |item: &Value| {
            let is_sent = item
                .as_object()
                .is_some_and(|members| self.sent_strings.any_shown_by(members));
            is_sent && self.run_tag.numbers_in(item).contains(&number)
        };
        let items = items.iter().filter(|item| is_of_draft(item));
        let items = items.filter_map(|item| Some((item, identifier(item.pointer(&list.id)?)?)));
        items.filter(|(_, id)| *id != returned_id).collect()
    }

    /// Returns how often a list has the record of a create, `item`, under different identifiers.
    pub(super) fn times_listed(
        &self,
        (create, id): (&Request, &Value),
        item: &Value,
        (list, items, is_whole): (&RecordList, &[Value], bool),
    ) -> ListedCount {
        let shows_draft = self
            .draft_sent_once(create)
            .is_some_and(|number| self.run_tag.numbers_in(item).contains(&number));
        let returned_id = identifier(id).unwrap_or_default();
        let stored = self.also_stored((create, id), (list, items)).into_iter();
        let copies = stored
            .filter(|(other, id)| is_copy("", (item, &returned_id), (other, id)))
            .count();
        let is_asked_for = || create.json().is_some_and(|body| has_number(body, copies + 1));
        match copies {
            0 if is_whole && shows_draft => ListedCount::Once,
            0 => ListedCount::AtLeastOnce,
            _ if is_asked_for() => ListedCount::AtLeastOnce,
            _ => ListedCount::Several(copies + 1),
        }
    }
}

/// Whether values of two records are the same but for the records' identifiers and for when they were stored. `name` is
/// that of the nearest field that contains them.
fn is_copy(name: &str, (value, id): (&Value, &str), (other, other_id): (&Value, &str)) -> bool {
    match (value, other) {
        (Value::Array(elements), Value::Array(others)) => {
            let mut pairs = elements.iter().zip(others);
            let is_copied = |(element, other)| is_copy(name, (element, id), (other, other_id));
            elements.len() == others.len() && pairs.all(is_copied)
        }
        (Value::Object(members), Value::Object(others)) => {
            let is_copied = |(name, member): (&String, &Value)| {
                let other = others.get(name);
                other.is_some_and(|other| is_storage_time(name) || is_copy(name, (member, id), (other, other_id)))
            };
            members.len() == others.len() && members.iter().all(is_copied)
        }
        _ => value == other || differs_by_identifier(name, (value, id), (other, other_id)),
    }
}

/// The last words of the names of fields that hold an identifier or a link.
const IDENTIFIER_WORDS: [&str; 13] = [
    "guid", "href", "id", "key", "link", "location", "ref", "reference", "self", "slug", "uri", "url", "uuid",
];
/// A text contains an identifier of at least this many characters only because it names the record; a shorter one, such
/// as `2`, may count something.
const MIN_UNMISTAKABLE_LENGTH: usize = 8;

/// Whether the values of a field of two records are the same but for the records' identifiers.
fn differs_by_identifier(name: &str, (value, id): (&Value, &str), (other, other_id): (&Value, &str)) -> bool {
    let last = camel_case_words(name).pop().unwrap_or_default();
    let is_for_identifiers = || IDENTIFIER_WORDS.contains(&last.as_str());
    if !is_for_identifiers() && id.len().min(other_id.len()) < MIN_UNMISTAKABLE_LENGTH {
        return false;
    }
    match (value, other) {
        (Value::String(text), Value::String(other)) => {
            text.contains(id) && text.replace(id, "") == other.replace(other_id, "")
        }
        (Value::Number(_), Value::Number(_)) => {
            identifier(value).as_deref() == Some(id) && identifier(other).as_deref() == Some(other_id)
        }
        _ => false,
    }
}

/// Whether a field with this name says when a record was stored.
fn is_storage_time(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let beginnings = ["created", "inserted", "modified", "updated", "timestamp"];
    beginnings.iter().any(|beginning| name.starts_with(beginning))
}

/// Whether a body has this number anywhere: it may say how many records are created.
fn has_number(body: &Value, count: usize) -> bool {
    match body {
        Value::Array(elements) => elements.iter().any(|element| has_number(element, count)),
        Value::Object(members) => members.values().any(|member| has_number(member, count)),
        Value::Number(number) => number.as_u64() == u64::try_from(count).ok(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn copies_differ_in_what_tells_them_apart_and_in_nothing_else() {
        let record = json!({"id": 7, "name": "a", "age": 3, "createdAt": "1", "self": "/pets/7", "of": {"key": "k-7"}});
        let is_copied = |other: &Value| is_copy("", (&record, "7"), (other, "12"));
        let copy =
            json!({"id": 12, "name": "a", "age": 3, "createdAt": "2", "self": "/pets/12", "of": {"key": "k-12"}});
        assert!(is_copied(&copy));
        for (name, value) in [
            ("name", json!("b")),
            ("age", json!(4)),
            ("age", json!(12)),
            ("self", json!("/owners/12")),
            ("of", json!({"key": "k-12", "more": 1})),
            ("occurrence", json!(2)),
        ] {
            let mut other = copy.clone();
            other[name] = value;
            assert!(!is_copied(&other), "{other}");
        }
    }

    #[test]
    fn records_that_a_create_numbers_by_design_are_no_copies() {
        let record = json!({"id": 1, "name": "a", "position": 1, "title": "Part 1", "href": ["/parts/1"]});
        let is_copied = |other: &Value| is_copy("", (&record, "1"), (other, "2"));
        let copy = json!({"id": 2, "name": "a", "position": 1, "title": "Part 1", "href": ["/parts/2"]});
        assert!(is_copied(&copy));
        for (name, value) in [
            ("position", json!(2)),
            ("title", json!("Part 2")),
            ("href", json!(["/parts/3"])),
        ] {
            let mut other = copy.clone();
            other[name] = value;
            assert!(!is_copied(&other), "{other}");
        }
        // A long identifier counts nothing.
        let (id, other_id) = ("0190a1b2-0000", "0190a1b2-0001");
        let of = |id: &str| json!({"id": id, "label": format!("Label of {id}")});
        assert!(is_copy("", (&of(id), id), (&of(other_id), other_id)));
    }

    #[test]
    fn a_number_in_the_body_may_say_how_many_are_created() {
        let body = json!({"name": "a", "of": [{"quantity": 3}]});
        assert!(has_number(&body, 3) && !has_number(&body, 2));
    }
}
