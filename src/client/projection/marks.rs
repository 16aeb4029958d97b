//! Marks on schemas, for what the client has beside an open type: the time in a text, and the values that a text is
//! known to have. progenitor reads none of them; `generate` does. The main type is [`Open`].

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::answers::LEARNED;
use crate::contract::learned::KEY;

/// Marks a text that shows a time.
pub(crate) const TIME: &str = "x-countersign-time";
/// Marks a text with the values that it is known to have, others aside.
pub(crate) const VALUES: &str = "x-countersign-values";
/// Every mark.
pub(super) const ALL: [&str; 3] = [LEARNED, TIME, VALUES];

/// The forms of a timestamp that say which instant it is, so that it can be read.
const READABLE: [&str; 3] = ["offset", "utc", "utc-fraction"];

/// What a contract leaves open, by the ids of the gaps.
pub(super) struct Open {
    /// How a timestamp is written.
    times: BTreeSet<String>,
    /// Which values a field may have.
    values: BTreeSet<String>,
}

impl Open {
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

    /// Marks a schema by what is written beside it; those inside it are marked already.
    pub(super) fn mark(&self, schema: &mut Value) {
        if schema["type"] == "string" && self.shows_time(schema) {
            schema[TIME] = json!(true);
        }
        // The values of a text that the document leaves open are those that somebody knows, and not all.
        let is_open = names_any(schema, &self.values);
        let text = match schema.get("items") {
            Some(_) if is_open => &mut schema["items"],
            _ => schema,
        };
        if text["type"] != "string" {
            return;
        }
        let known = text.get("x-extensible-enum").cloned();
        let listed = text
            .as_object_mut()
            .filter(|_| is_open)
            .and_then(|it| it.remove("enum"));
        if let Some(values) = known.or(listed) {
            text[VALUES] = values;
        }
    }

    /// Whether an answer says that the text is a time, with the offset that it takes to read it.
    fn shows_time(&self, schema: &Value) -> bool {
        let mut answers = schema[KEY].as_array().into_iter().flatten();
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
        Open::of(&gaps).mark(&mut schema);
        schema
    }

    fn time(form: &str) -> Value {
        let answer = json!({ "gap": "form", "operation": "getThings", "claim": { "form": form } });
        json!({ "type": "string", "x-gap": ["form"], KEY: [answer] })
    }

    #[test]
    fn a_text_that_was_learned_to_be_a_time_is_marked() {
        for form in READABLE {
            assert_eq!(marked(time(form))[TIME], true, "{form}");
        }
        for form in ["space", "other", "uuid-lower"] {
            assert_eq!(marked(time(form)), time(form), "{form}");
        }
    }

    #[test]
    fn values_beside_a_gap_are_known_ones_and_exclude_no_other() {
        let text = |of: Value| json!({ "type": "string", "x-gap": ["gender-values"], "enum": of });
        let of_text = marked(text(json!(["female", "male"])));
        assert_eq!(
            (&of_text["enum"], &of_text[VALUES]),
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
