//! Makes a request body from the contract's schema, what the target showed, and the run's mark. The main type is
//! [`Draft`].

use serde_json::{Map, Value};

use super::variety::Nature;
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::TimestampForm;

/// A body in the making: for each field the values it may be sent with, and the one chosen now.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(super) operation: OperationId,
    /// The form of its field that has several.
    pub(super) form: TimestampForm,
    /// The fields, in the order of the schema.
    pub(super) leaves: Vec<Leaf>,
    /// Which draft of the run it is.
    pub(super) number: u64,
}

/// One field of a draft.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// Where it stands in the body; arrays have one element, but where awkward values ask for more.
    pub(super) pointer: String,
    pub(super) choices: Vec<Choice>,
    /// The choice now; past the last one the field is left out.
    pub(super) chosen: usize,
    /// Whether a gap of the contract touches the field by name.
    pub(super) leans: bool,
    /// Values as good as the choices, for a body that must differ.
    pub(super) others: Vec<Choice>,
    pub(super) nature: Nature,
    /// Whether the contract states that the body must have the field at its top.
    pub(super) required: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) value: Value,
    /// Whether the target showed it, so that it must not be printed.
    pub(super) learned: bool,
}

impl Choice {
    /// A value of the contract or of the run.
    pub(super) fn own(value: Value) -> Self {
        Self { value, learned: false }
    }
}

impl Leaf {
    /// The field at the top of the body that it is, or is a part of.
    pub(super) fn field(&self) -> Option<&str> {
        top(&self.pointer)
    }

    /// The value that it is sent with; none where it is left out.
    pub(super) fn value(&self) -> Option<&Value> {
        self.choices.get(self.chosen).map(|choice| &choice.value)
    }

    /// The choice so many places behind the one now, of those that come from where it comes from.
    pub(super) fn another_of_its_origin(&self, places: usize) -> usize {
        let Some(now) = self.choices.get(self.chosen) else {
            return self.chosen;
        };
        let alike = self
            .choices
            .iter()
            .enumerate()
            .filter(|(_, choice)| choice.learned == now.learned);
        let alike: Vec<_> = alike.map(|(index, _)| index).collect();
        let place = alike.iter().position(|index| *index == self.chosen).unwrap_or(0);
        alike
            .get((place + places) % alike.len().max(1))
            .copied()
            .unwrap_or(self.chosen)
    }

    /// Sends this value and no other.
    pub(super) fn set(&mut self, value: Value) {
        self.choices = vec![Choice::own(value)];
        self.chosen = 0;
    }

    /// Changes the text that it is sent with, if it is sent with one.
    pub(super) fn rewrite(&mut self, change: impl Fn(&str) -> Option<String>) {
        let changed = self.value().and_then(Value::as_str).and_then(change);
        if let Some(changed) = changed {
            self.set(Value::String(changed));
        }
    }

    /// Chooses another value that `fits`, if there is one.
    pub(super) fn choose_another(&mut self, fits: impl Fn(&Value) -> bool) {
        let later = self.choices.get(self.chosen + 1..).unwrap_or_default();
        let other = later.iter().chain(&self.others).find(|choice| fits(&choice.value));
        if let Some(other) = other.cloned() {
            self.choices = vec![other];
            self.chosen = 0;
        }
    }
}

impl Draft {
    /// The operation whose body it is.
    #[must_use]
    pub fn operation(&self) -> OperationId {
        self.operation
    }

    /// The form of its field that has several.
    #[must_use]
    pub fn form(&self) -> TimestampForm {
        self.form
    }

    /// Leaves out and chooses as another draft of the same operation does: the same value where it is still a choice, for
    /// the target may have shown more since, else the one in the same place.
    pub fn choose_as(&mut self, other: &Self) {
        for leaf in &mut self.leaves {
            let same = other.leaves.iter().find(|other| other.pointer == leaf.pointer);
            let chosen = same.and_then(|same| {
                let value = same.value()?;
                let still = leaf.choices.iter().position(|choice| choice.value == *value);
                Some(still.unwrap_or(same.chosen))
            });
            leaf.chosen = chosen.unwrap_or(leaf.choices.len());
        }
    }

    /// The same with the next choice of its timestamps; none where they have no other.
    #[must_use]
    pub fn at_another_time(&self) -> Option<Self> {
        let mut other = self.clone();
        let timestamps = other.leaves.iter_mut().filter(|leaf| leaf.nature == Nature::Timestamp);
        let with_others = timestamps.filter(|leaf| leaf.chosen + 1 < leaf.choices.len());
        let moved = with_others.map(|leaf| leaf.chosen += 1).count();
        (moved > 0).then_some(other)
    }

    /// Whether another draft of the same operation leaves out and chooses the same.
    #[must_use]
    pub fn same_choices(&self, other: &Self) -> bool {
        let chosen = |draft: &Self| -> Vec<_> {
            let leaves = draft.leaves.iter();
            leaves.map(|leaf| (leaf.pointer.clone(), leaf.chosen)).collect()
        };
        chosen(self) == chosen(other)
    }

    /// The body as it stands, and the pointers of the values in it that the target showed.
    #[must_use]
    pub fn body(&self) -> (Value, Vec<String>) {
        let mut body = Value::Object(Map::new());
        let mut learned = Vec::new();
        for leaf in &self.leaves {
            if let Some(choice) = leaf.choices.get(leaf.chosen) {
                insert(&mut body, &leaf.pointer, choice.value.clone());
                if choice.learned {
                    learned.push(leaf.pointer.clone());
                }
            }
        }
        (body, learned)
    }
}

/// The pointer of the field at the top of a body that holds a place in it.
pub(super) fn top(pointer: &str) -> Option<&str> {
    let end = pointer.get(1..)?.find('/').map_or(pointer.len(), |end| end + 1);
    pointer.get(..end)
}

/// Puts a value into a body, making the objects and arrays on the way. A numeric token makes an array.
pub(super) fn insert(body: &mut Value, at: &str, value: Value) {
    let mut place = body;
    for token in pointer::tokens(at) {
        place = match token.parse::<usize>() {
            Ok(index) => {
                let mut elements = match place.take() {
                    Value::Array(elements) => elements,
                    _ => Vec::new(),
                };
                if elements.len() <= index {
                    elements.resize(index + 1, Value::Null);
                }
                *place = Value::Array(elements);
                &mut place[index]
            }
            Err(_) => {
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                &mut place[token]
            }
        };
    }
    *place = value;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::Contract;
    use crate::history::{Known, Mark};
    use crate::plan::{NoValue, Template};

    fn draft(known: &Known, operation: &str, form: TimestampForm) -> Result<Value, NoValue> {
        let contract = Contract::built_in().unwrap();
        let id = contract.operation_named(operation).unwrap();
        Template::of(&contract, id)
            .draft(known, (&Mark::new(1, 1), 0), form)
            .map(|draft| draft.body().0)
    }

    fn shown(operation: &str, body: &Value, known: &mut Known) {
        let contract = Contract::built_in().unwrap();
        known.learn(&contract, contract.operation_named(operation).unwrap(), body);
    }

    #[test]
    fn a_contact_is_made_of_what_the_target_shows_and_of_the_mark() {
        let mut known = Known::default();
        let contact =
            json!({"gender": "f", "nationality": null, "contact_methods": [{"type": "phone", "status": "ok"}]});
        shown("getContacts", &json!({"data": {"items": [contact]}}), &mut known);
        shown(
            "getVenues",
            &json!({"data": {"items": [{"id": "venue-1"}]}}),
            &mut known,
        );
        let body = draft(&known, "createContact", TimestampForm::Utc).unwrap();
        let mark = Mark::new(1, 1).numbered(0);
        assert_eq!(body["gender"], "f");
        assert_eq!(
            body["nationality"], "GB",
            "the contract's example, where the target shows null"
        );
        assert_eq!(body["venue_id"], "venue-1");
        assert_eq!(body["lastname"], format!("Check-{mark}"));
        let contact = format!("countersign.{mark}@example.com");
        assert_eq!(
            body["contact_methods"],
            json!([{"type": "phone", "contact": contact, "status": "ok"}])
        );
        assert_eq!(body["date_of_birth"], json!({"day": 28, "month": 2, "year": 1990}));
    }

    #[test]
    fn an_identifier_is_never_made_up() {
        let body = draft(&Known::default(), "createContact", TimestampForm::Utc).unwrap();
        assert!(body.get("venue_id").is_none());
        let missing = draft(&Known::default(), "createVisit", TimestampForm::Utc).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "createVisit needs a value for `/contact_id`, and no call of createContact succeeded"
        );
    }

    #[test]
    fn what_was_chosen_is_chosen_again_though_the_target_has_shown_more() {
        let contract = Contract::built_in().unwrap();
        let id = contract.operation_named("createContact").unwrap();
        let mut known = Known::default();
        let drafted = |known: &Known| {
            Template::of(&contract, id)
                .draft(known, (&Mark::new(1, 1), 0), TimestampForm::Utc)
                .unwrap()
        };
        let accepted = drafted(&known);
        shown(
            "getContacts",
            &json!({"data": {"items": [{"gender": "f"}]}}),
            &mut known,
        );
        let mut later = drafted(&known);
        later.choose_as(&accepted);
        assert_eq!(later.body().0["gender"], "female");
        shown("getVenues", &json!({"data": {"items": [{"id": "v-1"}]}}), &mut known);
        let mut later = drafted(&known);
        later.choose_as(&accepted);
        assert!(later.body().0.get("venue_id").is_none(), "a field that was left out");
    }

    #[test]
    fn a_timestamp_has_the_example_after_the_edge_and_nothing_after_that() {
        let mut known = Known::default();
        shown("createContact", &json!({"data": {"id": "c-1"}}), &mut known);
        shown("getVenues", &json!({"data": {"items": [{"id": "v-1"}]}}), &mut known);
        let draft = |operation| {
            let contract = Contract::built_in().unwrap();
            let id = contract.operation_named(operation).unwrap();
            Template::of(&contract, id)
                .draft(&known, (&Mark::new(1, 1), 0), TimestampForm::Offset)
                .unwrap()
        };
        let other = draft("createVisit").at_another_time().unwrap();
        assert_eq!(other.body().0["datetime"], "2024-05-17T09:30:00+02:00");
        assert!(other.at_another_time().is_none());
        assert!(draft("createTag").at_another_time().is_none());
    }

    #[test]
    fn a_timestamp_is_drafted_in_the_form_asked_for() {
        let mut known = Known::default();
        shown("createContact", &json!({"data": {"id": "c-1"}}), &mut known);
        shown("getVenues", &json!({"data": {"items": [{"id": "v-1"}]}}), &mut known);
        assert_eq!(
            draft(&known, "createVisit", TimestampForm::Utc).unwrap()["datetime"],
            "2024-02-29T22:30:37Z"
        );
        assert_eq!(
            draft(&known, "createVisit", TimestampForm::Offset).unwrap()["datetime"],
            "2025-01-01T00:30:53+13:00"
        );
    }
}
