//! Remembers the strings with the run tag that requests have sent, to recognise the run's own records, and those that a
//! query has stored. The main type is [`SentStrings`].

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::run_tag::RunTag;
use super::same::unicode_composed;
use crate::contract::field::holds_data_of_callers;

/// The maximum number of strings that are kept. A record that shows a later one is not recognised as the run's own, so
/// nothing is written to it, which errs on the safe side.
const MAX_STRINGS: usize = 10_000;

/// The strings with the run tag that requests have sent, each with the name of its field.
#[derive(Clone, Debug, Default)]
pub(super) struct SentStrings(HashSet<(String, String)>);

impl SentStrings {
    /// Remembers the strings with the run tag in a body, at any depth.
    pub(super) fn note(&mut self, run_tag: &RunTag, body: &Value) {
        match body {
            Value::Array(elements) => elements.iter().for_each(|element| self.note(run_tag, element)),
            Value::Object(members) => {
                for (name, member) in members {
                    match member {
                        Value::String(text) if run_tag.is_in(member) => {
                            if self.0.len() < MAX_STRINGS {
                                self.0.insert((name.clone(), normalized(text)));
                            }
                        }
                        _ => self.note(run_tag, member),
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether an object shows a string in the same field in which a write sent it, or in an object for what callers
    /// want to keep with a record, such as `metadata` or `labels`. Only a whole value counts: a record of somebody
    /// else, such as a log entry, may quote the run tag in a longer string.
    pub(super) fn any_shown_by(&self, members: &Map<String, Value>) -> bool {
        let notes = members.iter().filter(|(name, _)| holds_data_of_callers(name));
        let mut notes = notes.filter_map(|(_, member)| member.as_object());
        self.any_shown_by_fields_of(members) || notes.any(|notes| self.any_shown_by_fields_of(notes))
    }

    /// Whether an object shows a string in one of its own fields.
    fn any_shown_by_fields_of(&self, members: &Map<String, Value>) -> bool {
        let mut strings = members
            .iter()
            .filter_map(|(name, member)| Some((name, member.as_str()?)));
        strings.any(|(name, text)| self.0.contains(&(name.clone(), normalized(text))))
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
        self.0.is_empty()
    }

    /// Whether an object has fields in which a write sent a string, all of them with other values.
    pub(super) fn are_replaced_in(&self, members: &Map<String, Value>) -> bool {
        let is_sent = |name: &String| self.0.iter().any(|(sent, _)| sent == name);
        !self.any_shown_by(members) && members.keys().any(is_sent)
    }
}

/// Returns a string without what services may change in it: case, surrounding spaces, how accents are composed.
fn normalized(text: &str) -> String {
    unicode_composed(text.trim()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_whole_value_in_its_own_field_is_recognised_and_nothing_else() {
        let run_tag = RunTag::new(1, 1);
        let own = run_tag.numbered(1);
        let mut sent = SentStrings::default();
        sent.note(&run_tag, &json!({"name": own, "kind": "plain", "of": [{"note": own}]}));
        let shows = |record: Value| {
            (
                sent.any_shown_by(record.as_object().unwrap()),
                sent.are_replaced_in(record.as_object().unwrap()),
            )
        };
        assert_eq!(shows(json!({"id": 1, "name": own.to_uppercase()})), (true, false));
        assert_eq!(shows(json!({"id": 1, "note": format!(" {own} ")})), (true, false));
        assert_eq!(shows(json!({"name": "Ada", "lastEvent": own})), (false, true));
        assert_eq!(shows(json!({"name": format!("Ada, then {own}")})), (false, true));
        assert_eq!(shows(json!({"id": 1, "kind": "plain"})), (false, false));
    }
}
