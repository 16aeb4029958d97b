//! Marks on string schemas, for which the client gets helper items: a method that parses a timestamp, and a constant
//! for each known value. progenitor reads none of them; `generate` does. The main type is [`OpenGaps`].

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::answers::LEARNED;
use crate::contract::learned::ANSWERS_KEY;

/// Marks a string schema whose values are timestamps.
pub(crate) const TIME: &str = "x-countersign-time";
/// Marks a string schema with its known values; there may be others.
pub(crate) const VALUES: &str = "x-countersign-values";
/// Every mark.
pub(super) const ALL: [&str; 3] = [LEARNED, TIME, VALUES];

/// The forms of a timestamp that determine an instant, so that it can be parsed.
const READABLE: [&str; 3] = ["offset", "utc", "utc-fraction"];

/// The ids of the gaps that fields are marked for.
pub(super) struct OpenGaps {
    /// Gaps that leave open how a timestamp is written.
    times: BTreeSet<String>,
    /// Gaps that leave open which values a field may have.
    values: BTreeSet<String>,
}

impl OpenGaps {
    pub(super) fn of(document: &Value) -> Self {
        let of_kind = |kind: &str| {
            let gaps = document["x-gaps"].as_array().into_iter().flatten();
            let gaps = gaps
                .filter(|gap| gap["kind"] == kind)
                .filter_map(|gap| gap["id"].as_str());
            gaps.map(str::to_owned).collect()
        };
        Self {
            times: of_kind("timestamp-form"),
            values: of_kind("allowed-values"),
        }
    }

    /// Marks a schema by what is stated next to its `type`; those inside it are marked already.
    pub(super) fn mark(&self, schema: &mut Value) {
        if schema["type"] == "string" && self.shows_time(schema) {
            schema[TIME] = json!(true);
        }
        // Where the document leaves the values of a string open, a list of values has the known ones, not all.
        let is_open = names_any(schema, &self.values);
        let string = match schema.get("items") {
            Some(_) if is_open => &mut schema["items"],
            _ => schema,
        };
        if string["type"] != "string" {
            return;
        }
        let known = string.get("x-extensible-enum").cloned();
        let listed = string
            .as_object_mut()
            .filter(|_| is_open)
            .and_then(|it| it.remove("enum"));
        if let Some(values) = known.or(listed) {
            string[VALUES] = values;
        }
    }

    /// Whether an answer says that the string is a timestamp with an offset, without which it could not be parsed.
    fn shows_time(&self, schema: &Value) -> bool {
        let mut answers = schema[ANSWERS_KEY].as_array().into_iter().flatten();
        answers.any(|answer| {
            let is_about_time = answer["gap"].as_str().is_some_and(|gap| self.times.contains(gap));
            let form = answer["claim"]["form"].as_str();
            is_about_time && form.is_some_and(|form| READABLE.contains(&form))
        })
    }
}

fn names_any(schema: &Value, gaps: &BTreeSet<String>) -> bool {
    let mut named = schema["x-gap"].as_array().into_iter().flatten();
    named.any(|gap| gap.as_str().is_some_and(|gap| gaps.contains(gap)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(mut schema: Value) -> Value {
        let gaps = json!({ "x-gaps": [
            { "id": "form", "kind": "timestamp-form" }, { "id": "gender-values", "kind": "allowed-values" },
        ] });
        OpenGaps::of(&gaps).mark(&mut schema);
        schema
    }

    fn time(form: &str) -> Value {
        let answer = json!({ "gap": "form", "operation": "getThings", "claim": { "form": form } });
        json!({ "type": "string", "x-gap": ["form"], ANSWERS_KEY: [answer] })
    }

    #[test]
    fn a_string_that_was_found_to_be_a_timestamp_is_marked() {
        for form in READABLE {
            assert_eq!(marked(time(form))[TIME], true, "{form}");
        }
        for form in ["space", "other", "uuid-lower"] {
            assert_eq!(marked(time(form)), time(form), "{form}");
        }
    }

    #[test]
    fn values_beside_a_gap_are_known_ones_and_exclude_no_other() {
        let string = |of: Value| json!({ "type": "string", "x-gap": ["gender-values"], "enum": of });
        let of_string = marked(string(json!(["female", "male"])));
        assert_eq!(
            (&of_string["enum"], &of_string[VALUES]),
            (&Value::Null, &json!(["female", "male"]))
        );
        let list = json!({ "type": "array", "x-gap": ["gender-values"], "items": { "type": "string", "enum": ["a"] } });
        assert_eq!(marked(list)["items"], json!({ "type": "string", VALUES: ["a"] }));
    }

    #[test]
    fn values_that_the_document_lists_are_all_that_there_are() {
        let closed = json!({ "type": "string", "enum": ["a"] });
        assert_eq!(marked(closed.clone()), closed);
    }

    #[test]
    fn an_extensible_list_of_values_is_known() {
        let known = marked(json!({ "type": "string", "x-extensible-enum": ["a", "b"] }));
        assert_eq!(known[VALUES], json!(["a", "b"]));
    }
}
