//! Makes a request body from the contract's schema, what the target showed, and the run tag. The main type is
//! [`Draft`].

use std::sync::Arc;

use chrono::{Duration, NaiveDate};
use serde_json::{Map, Value, json};

use super::leaf::{Choice, FieldKind, Leaf};
use super::source::NoValue;
use super::timestamps::{in_format, moved_by};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::contract::vocabulary::TimestampFormat;
use crate::exchange::{CompiledSchema, Violation};
use crate::history::IdentifyingUse;

/// A body in the making. Each field has several candidate values, its *choices*, of which one is chosen, or it is left
/// out.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(super) operation: OperationId,
    /// The timestamp format of the field for which the contract accepts several
    /// (`Invariants::accepted_timestamp_formats`).
    pub(super) format: TimestampFormat,
    /// The fields, in the order of the schema.
    pub(super) leaves: Vec<Leaf>,
    /// The number of this draft in the run.
    pub(super) number: u64,
    /// The schema that admits the body; `None` where the contract states none.
    pub(super) schema: Option<Arc<CompiledSchema>>,
}

impl Draft {
    /// Returns the operation whose body it is.
    #[must_use]
    pub fn operation(&self) -> OperationId {
        self.operation
    }

    /// Returns the timestamp format of the field for which the contract accepts several
    /// (`Invariants::accepted_timestamp_formats`).
    #[must_use]
    pub fn timestamp_format(&self) -> TimestampFormat {
        self.format
    }

    /// Leaves out the fields that another draft of the same operation leaves out, and chooses the same values for the
    /// others. A value that is no longer a choice, because the target has shown others since, is replaced by the choice
    /// at the same index; without one, the field is left out.
    pub fn copy_choices_from(&mut self, other: &Self) {
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

    /// Makes the choices of a draft of another operation for the fields at the same locations, and leaves out those
    /// that it leaves out. Returns the draft; `None` if that changes nothing.
    #[must_use]
    pub fn with_choices_of(&self, other: &Self) -> Option<Self> {
        let mut changed = self.clone();
        for leaf in &mut changed.leaves {
            let Some(same) = other.leaves.iter().find(|other| other.pointer == leaf.pointer) else {
                continue;
            };
            let position = |value: &Value| leaf.choices.iter().position(|choice| choice.value == *value);
            leaf.chosen = match same.value() {
                Some(value) => position(value).unwrap_or(same.chosen).min(leaf.choices.len()),
                None => leaf.choices.len(),
            };
        }
        (!changed.has_same_choices(self)).then_some(changed)
    }

    /// Returns the draft with the next choice of its timestamps; `None` where they have no other.
    #[must_use]
    pub fn at_another_time(&self) -> Option<Self> {
        let mut other = self.clone();
        let timestamps = other.leaves.iter_mut().filter(|leaf| leaf.kind == FieldKind::Timestamp);
        let with_others = timestamps.filter(|leaf| leaf.chosen + 1 < leaf.choices.len());
        let moved = with_others.map(|leaf| leaf.chosen += 1).count();
        (moved > 0).then_some(other)
    }

    /// Returns the draft with the timestamps of another draft of the same operation, so much later, in its own format;
    /// `None` where they have none.
    #[must_use]
    pub fn at_time_of(&self, other: &Self, later: Duration) -> Option<Self> {
        let mut at_that_time = self.clone();
        let mut is_changed = false;
        for leaf in &mut at_that_time.leaves {
            let same = other.leaves.iter().find(|other| other.pointer == leaf.pointer);
            let value = same
                .filter(|same| same.kind == FieldKind::Timestamp)
                .and_then(Leaf::value);
            let written = value
                .and_then(Value::as_str)
                .and_then(|text| in_format(text, self.format));
            if let Some(text) = written.and_then(|text| moved_by(&text, later)) {
                leaf.set(Value::String(text));
                is_changed = true;
            }
        }
        is_changed.then_some(at_that_time)
    }

    /// Whether another draft of the same operation leaves out and chooses the same.
    #[must_use]
    pub fn has_same_choices(&self, other: &Self) -> bool {
        let chosen = |draft: &Self| -> Vec<_> {
            let leaves = draft.leaves.iter();
            leaves.map(|leaf| (leaf.pointer.clone(), leaf.chosen)).collect()
        };
        chosen(self) == chosen(other)
    }

    /// Whether the current body may name a record that nobody has created, so that the target may look for it in vain.
    #[must_use]
    pub fn may_name_an_unknown_record(&self) -> bool {
        let chosen = self.leaves.iter().filter_map(|leaf| leaf.choices.get(leaf.chosen));
        chosen.into_iter().any(|choice| choice.is_made_up)
    }

    /// Whether the schema admits the current body.
    #[must_use]
    pub fn is_admitted(&self) -> bool {
        self.first_violation().is_none()
    }

    fn first_violation(&self) -> Option<Violation> {
        self.schema.as_ref()?.first_violation(&self.body().0)
    }

    /// Leaves out what the schema does not admit, and what is of no use without it.
    ///
    /// # Errors
    ///
    /// [`NoValue::NoBody`] if the schema requires what it does not admit.
    pub(super) fn leave_out_what_is_not_admitted(&mut self) -> Result<(), NoValue> {
        let mut first = None;
        while let Some(violation) = self.first_violation() {
            let at = violation.at.clone();
            let first = first.get_or_insert(violation);
            if !self.leave_out(&at) {
                let missing = first.missing.as_ref().map(|name| pointer::join(&first.at, name));
                return Err(NoValue::NoBody {
                    keyword: first.keyword.clone(),
                    at: missing.unwrap_or_else(|| first.at.clone()),
                });
            }
        }
        Ok(())
    }

    /// Chooses no value that may identify a record which was there before the run, where the schema admits another. A
    /// field without any other is left out if its value may identify one, with the optional object that requires it,
    /// and keeps a value that a record has but that several may share, such as a category
    /// (`IdentifyingUse::TakenPerhapsShared`), unless several members of an `enum` are taken by one record each and
    /// another is free. The identifier of a record that the run has created is kept if no record
    /// that was read has it, and none is made up in its place.
    ///
    /// # Errors
    ///
    /// [`NoValue::AllTaken`] if the schema requires a field for which each value that can be made may identify a
    /// record.
    pub(crate) fn avoid_existing_records(
        &mut self,
        identifying_use: impl Fn(&str, &Value) -> IdentifyingUse,
    ) -> Result<(), NoValue> {
        for index in 0..self.leaves.len() {
            let leaf = &self.leaves[index];
            let use_of = |choice: &Choice| match identifying_use(&leaf.pointer, &choice.value) {
                // The record is newer than those on the pages that were not read, so none of them names it.
                IdentifyingUse::MayBeOnUnreadPage if choice.identifies_own_record => IdentifyingUse::Free,
                used => used,
            };
            let Some(chosen) = leaf.choices.get(leaf.chosen).filter(|_| !leaf.in_formats) else {
                continue;
            };
            let value = &chosen.value;
            let uses: Vec<_> = leaf.choices.iter().map(use_of).collect();
            // A number or a day may be that of a record on a page that was not read; a text has the run tag.
            let can_be_far_away = value.is_i64() || value.is_u64() || day(value).is_some();
            let is_free = |used: &IdentifyingUse| {
                *used == IdentifyingUse::Free || *used == IdentifyingUse::MayBeOnUnreadPage && !can_be_far_away
            };
            if uses.iter().all(is_free) {
                continue;
            }
            let free = nearby(leaf, chosen).filter(|choice| use_of(choice) == IdentifyingUse::Free);
            let far = far_away(chosen)
                .filter(|choice| [IdentifyingUse::Free, IdentifyingUse::MayBeOnUnreadPage].contains(&use_of(choice)));
            let free: Vec<_> = free.chain(far).collect();
            let pointer = leaf.pointer.clone();
            let identifies =
                [IdentifyingUse::TakenAndUnique, IdentifyingUse::MayBeOnUnreadPage].contains(&uses[leaf.chosen]);
            let before = leaf.clone();
            if self.choose_admitted(index, free) {
                continue;
            }
            self.leaves[index] = before;
            let leaf = &self.leaves[index];
            let is_key = leaf.lists_free_members_of_a_key(&identifying_use);
            if (identifies || is_key) && leaf.must_be_sent {
                return Err(NoValue::AllTaken(pointer));
            }
            if identifies || is_key {
                // Not even a rejection that names the field brings such a value back.
                self.leaves[index].choices.clear();
                self.leaves[index].chosen = 0;
                // An optional object is left out with a field that it requires.
                let left_out = self.leave_out_what_is_not_admitted();
                left_out.map_err(|_| NoValue::AllTaken(pointer))?;
            }
        }
        Ok(())
    }

    /// Reduces the choices of a field to the first of these that the schema admits. Returns whether there is one.
    fn choose_admitted(&mut self, index: usize, mut choices: Vec<Choice>) -> bool {
        while !choices.is_empty() {
            self.leaves[index].choices.clone_from(&choices);
            self.leaves[index].chosen = 0;
            if self.is_admitted() {
                // Only this one stays: the later ones, made up to avoid a record, would be sent after a rejection.
                self.leaves[index].choices.truncate(1);
                return true;
            }
            choices.remove(0);
        }
        false
    }

    /// Leaves out the fields at or below this location, or else those below the nearest location around it that has
    /// some. Returns whether there were any; the whole body is never left out.
    fn leave_out(&mut self, at: &str) -> bool {
        let mut at = at;
        while !at.is_empty() {
            let concerned = |leaf: &&mut Leaf| leaf.value().is_some() && is_within(&leaf.pointer, at);
            let dropped = self.leaves.iter_mut().filter(concerned);
            if dropped.map(|leaf| leaf.chosen = leaf.choices.len()).count() > 0 {
                return true;
            }
            at = at.rfind('/').map_or("", |end| &at[..end]);
        }
        false
    }

    /// Returns what a field is sent with: its own choice, or that of the field that it repeats, without which it is
    /// left out if it may be.
    fn choice_of<'draft>(&'draft self, leaf: &'draft Leaf) -> Option<&'draft Choice> {
        let own = leaf.choices.get(leaf.chosen)?;
        let repeated = leaf.repeats.as_ref();
        let Some(repeated) = repeated.and_then(|at| self.leaves.iter().find(|other| other.pointer == *at)) else {
            return Some(own);
        };
        let same = repeated.choices.get(repeated.chosen);
        same.or(Some(own).filter(|_| leaf.required))
    }

    /// Returns the current body, and the pointers of the values in it that the target showed.
    #[must_use]
    pub fn body(&self) -> (Value, Vec<String>) {
        let mut body = Value::Object(Map::new());
        let mut from_target = Vec::new();
        for leaf in &self.leaves {
            if let Some(choice) = self.choice_of(leaf) {
                insert(&mut body, &leaf.pointer, choice.value.clone());
                if choice.from_target {
                    from_target.push(leaf.pointer.clone());
                }
            }
        }
        (body, from_target)
    }

    /// Returns the pointers of the values in the current body that the run made up, where they may be the identifiers
    /// of records.
    #[must_use]
    pub fn made_up(&self) -> Vec<String> {
        let made_up = self.leaves.iter().filter(|leaf| {
            let chosen = leaf.choices.get(leaf.chosen);
            chosen.is_some_and(|choice| choice.is_made_up)
        });
        made_up.map(|leaf| leaf.pointer.clone()).collect()
    }
}

/// The greatest distance from a value of the numbers, or of the days, that are tried in its place.
const NEAR: i64 = 200;

/// The distances of the numbers, and of the days, that are tried in place of a value if its list may have more pages.
const FAR_NUMBERS: [i64; 3] = [1_000_003, 100_003, 10_007];
const FAR_DAYS: [i64; 2] = [10_007, 23_003];

/// Returns the other choices of a field and values near the chosen one. None is made up in place of the identifier of a
/// record of the run's own: it might be that of somebody else's.
fn nearby(leaf: &Leaf, chosen: &Choice) -> impl Iterator<Item = Choice> {
    let members = leaf.free_members.iter().cloned().map(Choice::own);
    let listed = leaf.choices.iter().chain(&leaf.others).cloned().chain(members);
    let near = (!chosen.identifies_own_record).then(|| around(&chosen.value, 1..=NEAR));
    listed.chain(near.into_iter().flatten().map(Choice::own))
}

/// Returns values far from the chosen one: far from the values that the first page shows, the other pages have hardly
/// any. None is made up in place of the identifier of a record of the run's own.
fn far_away(chosen: &Choice) -> impl Iterator<Item = Choice> {
    let value = (!chosen.identifies_own_record).then_some(&chosen.value);
    let far = value.map(|value| match day(value) {
        Some(_) => around(value, FAR_DAYS),
        None => around(value, FAR_NUMBERS),
    });
    far.into_iter().flatten().map(Choice::own)
}

/// Returns the day that a value states, if it states one.
fn day(value: &Value) -> Option<NaiveDate> {
    value.as_str()?.parse().ok()
}

/// Returns the integers at these distances from an integer, or the days at these distances from a day.
fn around(value: &Value, distances: impl IntoIterator<Item = i64>) -> Vec<Value> {
    let distances = distances.into_iter().flat_map(|distance| [distance, -distance]);
    if let Some(number) = value.as_i64() {
        return distances
            .filter_map(|distance| Some(json!(number.checked_add(distance)?)))
            .collect();
    }
    let Some(day) = day(value) else {
        return Vec::new();
    };
    let days = distances.filter_map(|distance| day.checked_add_signed(Duration::days(distance)));
    days.map(|day| json!(day.to_string())).collect()
}

/// Whether a location is this one or below it.
pub(super) fn is_within(location: &str, at: &str) -> bool {
    let rest = location.strip_prefix(at);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The highest index that a token stands for. A longer number is the name of a member.
const MAX_INDEX: usize = 9_999;

/// Returns the index that a token of a pointer stands for, if it is not the name of a member.
pub(super) fn index(token: &str) -> Option<usize> {
    let index = token.parse::<usize>().ok();
    index.filter(|index| *index <= MAX_INDEX && index.to_string() == token)
}

/// Puts a value into a body, and makes the objects and arrays on the way. A numeric token makes an array, unless an
/// object with members is there.
pub(super) fn insert(body: &mut Value, at: &str, value: Value) {
    let mut place = body;
    for token in pointer::tokens(at) {
        let has_members = place.as_object().is_some_and(|members| !members.is_empty());
        let index = index(&token).filter(|_| !has_members);
        place = match index {
            Some(index) => {
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
            None => {
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                &mut place[token]
            }
        };
    }
    *place = value;
}

/// Takes a member out of a body, with everything in it.
pub(crate) fn remove_member(body: &mut Value, at: &str) {
    let (above, Some(name)) = (at.rsplit_once('/').map_or("", |(above, _)| above), pointer::last(at)) else {
        return;
    };
    if let Some(members) = body.pointer_mut(above).and_then(Value::as_object_mut) {
        members.shift_remove(&name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::history::{Bindings, RunTag};
    use crate::plan::{Fallback, Template};

    fn draft(bindings: &Bindings, operation: &str, format: TimestampFormat) -> Result<Value, NoValue> {
        let contract = crate::testing::built_in();
        let id = contract.operation_named(operation).unwrap();
        Template::of(contract, id)
            .draft(bindings, (&RunTag::new(1, 1), 0), format)
            .map(|draft| draft.body().0)
    }

    fn shown(operation: &str, body: &Value, bindings: &mut Bindings) {
        let contract = crate::testing::built_in();
        bindings.bind(contract, contract.operation_named(operation).unwrap(), body);
    }

    #[test]
    fn a_contact_is_made_of_what_the_target_shows_and_of_the_run_tag() {
        let mut bindings = Bindings::default();
        let contact =
            json!({"gender": "f", "nationality": null, "contact_methods": [{"type": "phone", "status": "ok"}]});
        shown("getContacts", &json!({"data": {"items": [contact]}}), &mut bindings);
        shown(
            "getVenues",
            &json!({"data": {"items": [{"id": "venue-1"}]}}),
            &mut bindings,
        );
        let body = draft(&bindings, "createContact", TimestampFormat::Utc).unwrap();
        let run_tag = RunTag::new(1, 1).numbered(0);
        assert_eq!(body["gender"], "f");
        assert_eq!(
            body["nationality"], "GB",
            "the contract's example, where the target shows null"
        );
        assert_eq!(body["venue_id"], "venue-1");
        assert_eq!(body["lastname"], format!("Check-{run_tag}"));
        let contact = format!("countersign.{run_tag}@example.com");
        assert_eq!(
            body["contact_methods"],
            json!([{"type": "phone", "contact": contact, "status": "ok"}])
        );
        assert_eq!(body["date_of_birth"], json!({"day": 28, "month": 2, "year": 1990}));
    }

    #[test]
    fn an_identifier_is_never_made_up() {
        let body = draft(&Bindings::default(), "createContact", TimestampFormat::Utc).unwrap();
        assert!(body.get("venue_id").is_none());
        let missing = draft(&Bindings::default(), "createVisit", TimestampFormat::Utc).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "createVisit needs a value for `/contact_id`, and no call of createContact succeeded"
        );
    }

    #[test]
    fn what_was_chosen_is_chosen_again_though_the_target_has_shown_more() {
        let contract = crate::testing::built_in();
        let id = contract.operation_named("createContact").unwrap();
        let mut bindings = Bindings::default();
        let drafted = |bindings: &Bindings| {
            Template::of(contract, id)
                .draft(bindings, (&RunTag::new(1, 1), 0), TimestampFormat::Utc)
                .unwrap()
        };
        let accepted = drafted(&bindings);
        shown(
            "getContacts",
            &json!({"data": {"items": [{"gender": "f"}]}}),
            &mut bindings,
        );
        let mut later = drafted(&bindings);
        later.copy_choices_from(&accepted);
        assert_eq!(later.body().0["gender"], "female");
        shown("getVenues", &json!({"data": {"items": [{"id": "v-1"}]}}), &mut bindings);
        let mut later = drafted(&bindings);
        later.copy_choices_from(&accepted);
        assert!(later.body().0.get("venue_id").is_none(), "a field that was left out");
    }

    #[test]
    fn a_timestamp_has_the_example_after_the_edge_and_nothing_after_that() {
        let mut bindings = Bindings::default();
        shown("createContact", &json!({"data": {"id": "c-1"}}), &mut bindings);
        shown("getVenues", &json!({"data": {"items": [{"id": "v-1"}]}}), &mut bindings);
        let draft = |operation| {
            let contract = crate::testing::built_in();
            let id = contract.operation_named(operation).unwrap();
            Template::of(contract, id)
                .draft(&bindings, (&RunTag::new(1, 1), 0), TimestampFormat::Offset)
                .unwrap()
        };
        let other = draft("createVisit").at_another_time().unwrap();
        assert_eq!(other.body().0["datetime"], "2024-05-17T09:30:00+02:00");
        let last = other.at_another_time().unwrap();
        assert_eq!(last.body().0["datetime"], "2024-05-15T14:00:41+02:00");
        assert!(last.at_another_time().is_none());
        assert!(draft("createTag").at_another_time().is_none());
    }

    #[test]
    fn a_timestamp_is_drafted_in_the_form_asked_for() {
        let mut bindings = Bindings::default();
        shown("createContact", &json!({"data": {"id": "c-1"}}), &mut bindings);
        shown("getVenues", &json!({"data": {"items": [{"id": "v-1"}]}}), &mut bindings);
        assert_eq!(
            draft(&bindings, "createVisit", TimestampFormat::Utc).unwrap()["datetime"],
            "2024-02-29T22:30:37Z"
        );
        assert_eq!(
            draft(&bindings, "createVisit", TimestampFormat::Offset).unwrap()["datetime"],
            "2025-01-01T00:30:53+13:00"
        );
    }

    /// Drafts the body of `addPart` after a create has shown a gadget with the identifier 16, and avoids what existing
    /// records have by these uses of the values of a field.
    fn avoided(body: &str, use_of: impl Fn(&str, &Value) -> IdentifyingUse) -> Result<Value, NoValue> {
        let text = format!(
            "openapi: 3.0.3
info: {{title: Parts, version: '1'}}
components:
  schemas: {{Gadget: {{type: object, properties: {{id: {{type: integer}}}}}}}}
  responses:
    Gadget: {{description: a, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Gadget'}}}}}}}}
paths:
  /gadgets:
    post: {{operationId: addGadget, responses: {{'201': {{$ref: '#/components/responses/Gadget'}}}}}}
  /gadgets/{{gadget_id}}:
    parameters: [{{name: gadget_id, in: path, required: true, schema: {{type: integer}}}}]
    get: {{operationId: gadget, responses: {{'200': {{$ref: '#/components/responses/Gadget'}}}}}}
  /parts:
    post:
      operationId: addPart
      requestBody: {{content: {{application/json: {{schema: {body}}}}}}}
      responses: {{'201': {{description: a}}}}
"
        );
        let contract = crate::contract::Contract::read("parts.yaml", text).unwrap();
        let named = |name| contract.operation_named(name).unwrap();
        let mut bindings = Bindings::default();
        bindings.bind(&contract, named("addGadget"), &json!({"id": 16}));
        let template = Template::of(&contract, named("addPart"));
        let mut draft = template
            .draft(&bindings, (&RunTag::new(1, 1), 0), TimestampFormat::Utc)
            .unwrap();
        draft.avoid_existing_records(use_of)?;
        // A rejection that names the fields brings back none that was left out.
        let body = draft.body().0;
        let named = Fallback::starting_with(draft).next("gadget_id, height, size, width");
        let more = |next: Draft| next.body().0.as_object().unwrap().len() > body.as_object().unwrap().len();
        assert!(!named.is_some_and(more));
        Ok(body)
    }

    #[test]
    fn the_identifier_of_a_record_of_the_run_is_never_shifted() {
        let body = "{type: object, required: [gadget_id, size], properties: {gadget_id: {type: integer}, \
                    size: {type: integer, maximum: 9000000}}}";
        let on_unread_page = |_: &str, _: &Value| IdentifyingUse::MayBeOnUnreadPage;
        let sent = avoided(body, on_unread_page).unwrap();
        assert_eq!(sent["gadget_id"], 16);
        let plain = avoided(body, |_, _| IdentifyingUse::Free).unwrap();
        assert_ne!(sent["size"], plain["size"], "any other number is");
        let taken = |at: &str, value: &Value| match at == "/gadget_id" && value == 16 {
            true => IdentifyingUse::TakenAndUnique,
            false => IdentifyingUse::Free,
        };
        let lacks = avoided(body, taken).unwrap_err();
        assert_eq!(lacks, NoValue::AllTaken("/gadget_id".to_owned()));
        let optional = body.replace("gadget_id, size]", "size]");
        assert!(avoided(&optional, taken).unwrap().get("gadget_id").is_none());
    }

    #[test]
    fn an_optional_object_is_left_out_with_a_field_for_which_each_value_is_taken() {
        let size = "{type: object, required: [height, width], properties: {width: {type: integer, maximum: 9}, \
                    height: {type: integer, minimum: 1, maximum: 9}}}";
        let body = |required: &str| {
            format!("{{type: object, required: [{required}], properties: {{name: {{type: string}}, size: {size}}}}}")
        };
        let taken = |at: &str, _: &Value| match at {
            "/size/height" => IdentifyingUse::TakenAndUnique,
            _ => IdentifyingUse::Free,
        };
        let sent = avoided(&body("name"), |_, _| IdentifyingUse::Free).unwrap();
        assert!(sent["size"]["height"].is_i64(), "{sent}");
        let sent = avoided(&body("name"), taken).unwrap();
        assert_eq!(sent.as_object().unwrap().keys().collect::<Vec<_>>(), ["name"]);
        let lacks = avoided(&body("name, size"), taken).unwrap_err();
        assert_eq!(lacks, NoValue::AllTaken("/size/height".to_owned()));
    }

    #[test]
    fn a_member_of_an_enum_that_one_record_has_gives_way_to_a_free_one_that_does_no_harm() {
        let body = |required: &str, field: &str, members: &str| {
            format!(
                "{{type: object, required: [{required}], properties: {{name: {{type: string}}, {field}: {{type: string, \
                 enum: [{members}]}}}}}}"
            )
        };
        let taken = |_: &str, value: &Value| match ["a", "b", "c"].iter().any(|taken| value == taken) {
            true => IdentifyingUse::TakenPerhapsShared,
            false => IdentifyingUse::Free,
        };
        for field in ["place", "kind"] {
            let sent = avoided(&body(&format!("name, {field}"), field, "a, b, c, d"), taken).unwrap();
            assert_eq!(sent[field], "d");
        }
        for field in ["role", "member_role", "status", "state"] {
            let required = format!("name, {field}");
            let lacks = avoided(&body(&required, field, "a, b, c, d"), taken).unwrap_err();
            assert_eq!(lacks, NoValue::AllTaken(format!("/{field}")));
            assert!(
                avoided(&body("name", field, "a, b, c, d"), taken)
                    .unwrap()
                    .get(field)
                    .is_none()
            );
            // Where no member is free, or few are taken, several records may share one.
            for members in ["a, b, c", "a, b, d"] {
                assert_eq!(avoided(&body(&required, field, members), taken).unwrap()[field], "a");
            }
        }
    }

    #[test]
    fn a_number_is_an_index_or_a_name_and_never_makes_a_long_array() {
        let inserted = |mut body: Value, at: &str| {
            insert(&mut body, at, json!("x"));
            body
        };
        assert_eq!(inserted(json!({}), "/tags/1"), json!({"tags": [null, "x"]}));
        assert_eq!(inserted(json!({"a": 0}), "/1"), json!({"a": 0, "1": "x"}));
        for name in ["9000000000", "+1", "01"] {
            assert_eq!(inserted(Value::Null, &format!("/{name}")), json!({name: "x"}));
        }
    }
}
