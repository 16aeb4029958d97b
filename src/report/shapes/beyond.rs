//! Compares the shapes that a service shows with those of the committed snapshot. The main type is [`NewShape`].
//!
//! # Design
//!
//! A snapshot is a set, and a run may show any part of it. What a run shows beyond it is either left open by the
//! contract, or a difference. Left open is what the service may choose and what depends on its records: at a location
//! with `x-gap`, any value of a type that the schema admits; null where the schema allows it, or in a record whose
//! schema has `x-null` (which leaves open whether its fields may be null); an empty string where null is left open, or
//! in a field that is not required; the lack of such a field; the length of an array. What contradicts the contract is
//! never left open.

use std::collections::BTreeMap;
use std::fmt;

use super::form::ValueForm;
use super::location::SeenForms;
use super::observed::ResponseShapes;
use crate::contract::Contract;
use crate::contract::operation::Operation;
use crate::contract::pointer;
use crate::contract::shape::{JsonType, Shape, ShapeId};

/// What responses show at one location and the snapshot does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewShape {
    /// Status and media type, and the pointer within the body: `200 application/json /data/items/*/phone`.
    pub location: String,
    /// What the snapshot has there.
    pub in_snapshot: String,
    /// What is shown now.
    pub shown: String,
    /// Whether the contract leaves it open.
    pub is_open: bool,
}

impl fmt::Display for NewShape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            location,
            in_snapshot,
            shown,
            ..
        } = self;
        write!(formatter, "{location}: accepted `{in_snapshot}`, now `{shown}`")
    }
}

impl ResponseShapes {
    /// Returns what these responses show beyond the snapshot, in the order of the locations; empty if the snapshot has
    /// all that they show. `operation` is the one that the responses are of; none for responses that rejected a
    /// request.
    #[must_use]
    pub fn beyond(&self, snapshot: &Self, contract: &Contract, operation: Option<&Operation>) -> Vec<NewShape> {
        let mut found = Vec::new();
        for (head, seen) in &self.by_status_and_media_type {
            let status = head.split(' ').next().and_then(|status| status.parse().ok());
            let response = operation
                .zip(status)
                .and_then(|(operation, status)| operation.response(status));
            let is_open = match (operation, response) {
                (None, _) => leaves_failures_open(contract),
                (Some(_), None) => false,
                (Some(_), Some(response)) => has_gap(contract, &response.pointer),
            };
            let mut comparison = Comparison {
                contract,
                head,
                found,
                // Where the contract describes a body, it says for each location what is open there.
                is_open: is_open && response.is_none_or(|response| response.body.is_none()),
            };
            let known = match snapshot.by_status_and_media_type.get(head) {
                Some(known) => Some(known),
                None => {
                    let heads: Vec<_> = snapshot.by_status_and_media_type.keys().map(String::as_str).collect();
                    comparison.report("", (&heads.join(" | "), head), is_open);
                    snapshot.by_status_and_media_type.values().next()
                }
            };
            let known = known.cloned().unwrap_or_default();
            let shape = response.and_then(|response| response.body);
            let stated = comparison.stated(shape);
            comparison.location((seen, &known), stated, "");
            found = comparison.found;
        }
        found
    }

    /// Returns the shapes of the snapshot and these together.
    #[must_use]
    pub fn joined_with(&self, snapshot: &Self) -> Self {
        let mut by_status_and_media_type: BTreeMap<_, _> = snapshot.by_status_and_media_type.clone();
        for (head, seen) in &self.by_status_and_media_type {
            let known = by_status_and_media_type.remove(head).unwrap_or_default();
            by_status_and_media_type.insert(head.clone(), known.joined(seen.clone()));
        }
        Self {
            by_status_and_media_type,
        }
    }
}

fn has_gap(contract: &Contract, location: &str) -> bool {
    let node = contract.document.node(location);
    node.is_some_and(|node| node.member("x-gap").is_some())
}

/// Whether the contract leaves open how an operation rejects a request. Shapes of such responses are kept for all
/// operations together.
fn leaves_failures_open(contract: &Contract) -> bool {
    contract.operations.iter().any(|operation| {
        let failures = operation
            .responses
            .iter()
            .filter(|response| !response.status.is_success());
        let mut locations = failures.map(|response| response.pointer.as_str());
        locations.any(|location| has_gap(contract, location)) || has_gap(contract, &operation.pointer)
    })
}

struct Comparison<'contract> {
    contract: &'contract Contract,
    head: &'contract str,
    /// Whether the whole body is left open.
    is_open: bool,
    found: Vec<NewShape>,
}

/// What the contract states about one location.
#[derive(Clone, Copy, Default)]
struct StatedShape<'contract> {
    shape: Option<&'contract Shape>,
    /// Whether the field may be missing.
    is_optional: bool,
    /// Whether these are the elements of an array that has a gap.
    is_in_gap: bool,
}

impl<'contract> Comparison<'contract> {
    fn stated(&self, shape: Option<ShapeId>) -> StatedShape<'contract> {
        StatedShape {
            shape: shape.map(|id| self.contract.shape(id)),
            ..StatedShape::default()
        }
    }

    fn location(&mut self, (seen, known): (&SeenForms, &SeenForms), stated: StatedShape<'contract>, at: &str) {
        let shape = stated.shape;
        let is_new = |form: &&ValueForm| {
            let mut forms = known.forms.iter();
            !forms.any(|other| *form == other || form.is_covered_by(*other))
        };
        let new: Vec<_> = seen.forms.iter().filter(is_new).copied().collect();
        if !new.is_empty() {
            let is_open = new.iter().all(|form| stated.leaves_open(*form));
            self.report(at, (&known.summary(), &seen.summary()), is_open);
        }
        if !seen.lengths.is_subset(&known.lengths) {
            let is_open =
                shape.is_some_and(|shape| shape.admits_type(JsonType::Array) && shape.other_assertions.is_empty());
            self.report(at, (&known.summary(), &seen.summary()), is_open);
        }
        if let Some(element) = &seen.element {
            let (items, at) = (shape.and_then(|shape| shape.items), pointer::join(at, "*"));
            match &known.element {
                Some(known) => {
                    let stated = StatedShape {
                        is_in_gap: shape.is_some_and(|shape| shape.has_gap),
                        ..self.stated(items)
                    };
                    self.location((element, known), stated, &at);
                }
                None => self.first_seen(element, items, &at),
            }
        }
        for (names, locations) in &seen.objects {
            self.object((names, locations), known, shape, at);
        }
    }

    fn object(
        &mut self,
        (names, locations): (&Vec<String>, &Vec<SeenForms>),
        known: &SeenForms,
        shape: Option<&'contract Shape>,
        at: &str,
    ) {
        if !known.objects.contains_key(names) {
            let was: Vec<_> = known.objects.keys().map(|names| names.join(", ")).collect();
            let was = if was.is_empty() {
                known.summary()
            } else {
                was.join(" | ")
            };
            let mut others = known.objects.keys();
            let is_open = shape.is_some_and(|shape| {
                shape.admits_type(JsonType::Object)
                    && (known.objects.is_empty()
                        || others.any(|other| differ_only_in_optional_fields(shape, names, other)))
            });
            self.report(at, (&was, &names.join(", ")), is_open);
        }
        for (name, seen) in names.iter().zip(locations) {
            let at = pointer::join(at, name);
            let field = shape.and_then(|shape| Some(&shape.fields[shape.field_named(name)?]));
            let below = field
                .map(|field| field.shape)
                .or(shape.and_then(|shape| shape.additional));
            let Some(known) = known.at(name) else {
                self.first_seen(seen, below, &at);
                continue;
            };
            let stated = StatedShape {
                is_optional: field.is_some_and(|field| field.required_fact.is_none()),
                ..self.stated(below)
            };
            self.location((seen, &known), stated, &at);
        }
    }

    /// Reports what contradicts the contract at a location that the snapshot does not have. That it is there was
    /// reported with its object or array.
    fn first_seen(&mut self, seen: &SeenForms, shape: Option<ShapeId>, at: &str) {
        if shape.is_some_and(|shape| seen.contradicts(self.contract, shape)) {
            self.report(at, ("nothing", &seen.summary()), false);
        }
    }

    fn report(&mut self, at: &str, (in_snapshot, shown): (&str, &str), is_open: bool) {
        let location = format!("{} {at}", self.head);
        self.found.push(NewShape {
            location: location.trim_end().to_owned(),
            in_snapshot: in_snapshot.to_owned(),
            shown: shown.to_owned(),
            is_open: is_open || self.is_open,
        });
    }
}

impl StatedShape<'_> {
    /// Whether the contract leaves open that a value has this form.
    fn leaves_open(self, form: ValueForm) -> bool {
        let Some(shape) = self.shape else { return false };
        let may_be_unset = shape.nullable || shape.null_is_open;
        let has_gap = shape.has_gap || self.is_in_gap;
        match (form, form.json_type()) {
            (ValueForm::Null, _) => may_be_unset,
            (ValueForm::Map, _) => shape.allows_unlisted_fields,
            (_, None) => false,
            (_, Some(received)) if !shape.admits_type(received) || !shape.other_assertions.is_empty() => false,
            (ValueForm::EmptyString, _) => has_gap || may_be_unset || self.is_optional,
            _ => has_gap,
        }
    }
}

/// Whether two objects differ at most in documented fields that are not required: the others are the same, in the same
/// order.
fn differ_only_in_optional_fields(shape: &Shape, names: &[String], other: &[String]) -> bool {
    let is_optional = |name: &str| match shape.field_named(name) {
        Some(index) => shape.fields[index].required_fact.is_none(),
        None => shape.names_of_alternatives.contains(name),
    };
    let beside = |one: &[String], other: &[String]| {
        let kept = one.iter().filter(|name| other.contains(name) || !is_optional(name));
        kept.cloned().collect::<Vec<_>>()
    };
    beside(names, other) == beside(other, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
x-gaps:
- {id: form, question: In which form is it?, stated: silent}
- {id: unset, question: May it be null?, stated: silent}
- {id: success, question: Which status is it?, stated: silent}
paths:
  /pets:
    get:
      operationId: getPets
      responses:
        2XX:
          description: Pets
          x-gap: [success]
          content:
            application/json:
              schema:
                type: object
                required: [id, born, pet, seen]
                properties:
                  id: {type: string}
                  born: {type: string, x-gap: [form]}
                  nick: {type: string}
                  chip: {type: string, pattern: '^[0-9]*$'}
                  toys: {type: array, items: {type: string}}
                  seen: {type: array, x-gap: [form], minItems: 1, items: {type: string}}
                  pet:
                    type: object
                    x-null: unset
                    required: [name, owner]
                    properties:
                      name: {type: string}
                      owner: {type: object, properties: {name: {type: string}}}
";

    const ACCEPTED: &str = "200 application/json
  body: object
    id: uuid
    born: date
    nick: text
    chip: text
    toys: array of one
      *: text
    seen: array of one
      *: date | blank
    pet: object
      name: text
      owner: object
        name: text";

    /// What these lines, put in place of others, show beyond the snapshot: open and different locations.
    fn beyond(from: &str, to: &str) -> (Vec<String>, Vec<String>) {
        let contract = Contract::read("pets.yaml", PETS.to_owned()).unwrap();
        assert!(ACCEPTED.contains(from), "{from}");
        let shown = ResponseShapes::read(&ACCEPTED.replacen(from, to, 1)).unwrap();
        let accepted = ResponseShapes::read(ACCEPTED).unwrap();
        let found_beyond = shown.beyond(&accepted, &contract, Some(&contract.operations[0]));
        let joined = shown.joined_with(&accepted);
        assert_eq!(accepted.beyond(&joined, &contract, Some(&contract.operations[0])), []);
        assert_eq!(shown.beyond(&joined, &contract, Some(&contract.operations[0])), []);
        let (open, different): (Vec<_>, Vec<_>) = found_beyond.iter().partition(|new| new.is_open);
        let described = |found_beyond: Vec<&NewShape>| found_beyond.iter().map(ToString::to_string).collect();
        (described(open), described(different))
    }

    #[test]
    fn a_part_of_the_snapshot_is_nothing_new() {
        for (from, to) in [
            ("*: date | blank", "*: blank"),
            ("*: date | blank", "*: date"),
            ("name: text", "name: uuid"),
            ("", ""),
        ] {
            assert_eq!(beyond(from, to), (Vec::new(), Vec::new()), "{to}");
        }
    }

    #[test]
    fn what_the_contract_leaves_open_is_no_difference() {
        for (from, to, described) in [
            (
                "born: date",
                "born: date with slashes",
                "/born: accepted `date`, now `date with slashes`",
            ),
            (
                "born: date",
                "born: date | blank",
                "/born: accepted `date`, now `date | blank`",
            ),
            (
                "      name: text",
                "      name: text | blank",
                "/pet/name: accepted `text`, now `text | blank`",
            ),
            (
                "      name: text",
                "      name: null",
                "/pet/name: accepted `text`, now `null`",
            ),
            (
                "owner: object\n        name: text",
                "owner: null",
                "/pet/owner: accepted `object`, now `null`",
            ),
            (
                "nick: text",
                "nick: text | blank",
                "/nick: accepted `text`, now `text | blank`",
            ),
            (
                "toys: array of one\n      *: text",
                "toys: array of none",
                "/toys: accepted `array of one`, now `array of none`",
            ),
            (
                "*: date | blank",
                "*: text",
                "/seen/*: accepted `date | blank`, now `text`",
            ),
            (
                "    nick: text\n",
                "",
                ": accepted `id, born, nick, chip, toys, seen, pet`, now `id, born, chip, toys, seen, pet`",
            ),
        ] {
            let separator = if described.starts_with(':') { "" } else { " " };
            let described = format!("200 application/json{separator}{described}");
            assert_eq!(beyond(from, to), (vec![described], Vec::new()));
        }
    }

    #[test]
    fn what_nothing_leaves_open_is_a_difference() {
        for (from, to, described) in [
            ("id: uuid", "id: text", "/id: accepted `uuid`, now `text`"),
            (
                "id: uuid",
                "id: uuid | blank",
                "/id: accepted `uuid`, now `uuid | blank`",
            ),
            ("id: uuid", "id: uuid | null", "/id: accepted `uuid`, now `uuid | null`"),
            ("born: date", "born: integer", "/born: accepted `date`, now `integer`"),
            ("born: date", "born: null", "/born: accepted `date`, now `null`"),
            ("nick: text", "nick: boolean", "/nick: accepted `text`, now `boolean`"),
            ("chip: text", "chip: blank", "/chip: accepted `text`, now `blank`"),
            (
                "seen: array of one",
                "seen: array of many",
                "/seen: accepted `array of one`, now `array of many`",
            ),
            (
                "owner: object\n        name: text",
                "owner: blank",
                "/pet/owner: accepted `object`, now `blank`",
            ),
        ] {
            let described = format!("200 application/json {described}");
            assert_eq!(beyond(from, to), (Vec::new(), vec![described]));
        }
    }

    #[test]
    fn what_the_snapshot_does_not_have_is_a_difference_where_it_contradicts_the_contract() {
        let contract = Contract::read("pets.yaml", PETS.to_owned()).unwrap();
        let read = |(from, to): (&str, &str)| {
            assert!(ACCEPTED.contains(from), "{from}");
            ResponseShapes::read(&ACCEPTED.replacen(from, to, 1)).unwrap()
        };
        let nick = "    nick: text\n";
        let toys = "toys: array of one\n      *: text";
        let owner = "owner: object\n        name: text";
        for (without, now, different) in [
            ((nick, ""), (nick, "    nick: uuid\n"), None),
            (
                (nick, ""),
                (nick, "    nick: boolean\n"),
                Some("/nick: accepted `nothing`, now `boolean`"),
            ),
            (
                (nick, ""),
                (nick, "    nick: null\n"),
                Some("/nick: accepted `nothing`, now `null`"),
            ),
            ((toys, "toys: array of none"), ("", ""), None),
            (
                (toys, "toys: array of none"),
                (toys, "toys: array of one\n      *: integer"),
                Some("/toys/*: accepted `nothing`, now `integer`"),
            ),
            ((owner, "owner: null"), ("", ""), None),
            (
                (owner, "owner: null"),
                (owner, "owner: object\n        name: integer"),
                Some("/pet/owner/name: accepted `nothing`, now `integer`"),
            ),
        ] {
            let found = read(now).beyond(&read(without), &contract, Some(&contract.operations[0]));
            let (open, found): (Vec<_>, Vec<_>) = found.iter().partition(|new| new.is_open);
            assert_eq!(open.len(), 1, "{now:?}");
            let found: Vec<_> = found.iter().map(ToString::to_string).collect();
            let expected = different.map(|different| format!("200 application/json {different}"));
            assert_eq!(found, Vec::from_iter(expected), "{now:?}");
        }
    }

    #[test]
    fn other_fields_and_another_order_are_differences() {
        for (from, to) in [
            ("    id: uuid\n", ""),
            ("    id: uuid\n    born: date\n", "    born: date\n    id: uuid\n"),
            ("    id: uuid\n", "    id: uuid\n    age: integer\n"),
            ("    nick: text\n", "    nickname: text\n"),
        ] {
            let (open, different) = beyond(from, to);
            assert_eq!((open.len(), different.len()), (0, 1), "{to}: {open:?} {different:?}");
        }
    }

    #[test]
    fn another_status_is_open_where_the_response_has_a_gap() {
        let described = "202 application/json: accepted `200 application/json`, now `202 application/json`".to_owned();
        assert_eq!(beyond("200 ", "202 "), (vec![described], Vec::new()));
        let described = "400 application/json: accepted `200 application/json`, now `400 application/json`".to_owned();
        assert!(beyond("200 ", "400 ").1.contains(&described));
    }

    #[test]
    fn a_rejection_is_open_where_the_contract_has_a_gap_for_one() {
        let shown = ResponseShapes::read("409 text/plain\n  body: not JSON").unwrap();
        let accepted = ResponseShapes::read("401\n  body: none").unwrap();
        let is_open = |text: &str| {
            let contract = Contract::read("pets.yaml", text.to_owned()).unwrap();
            let found_beyond = shown.beyond(&accepted, &contract, None);
            assert_eq!(found_beyond.len(), 2);
            found_beyond.iter().all(|new| new.is_open)
        };
        assert!(!is_open(PETS));
        assert!(is_open(&PETS.replacen(
            "getPets\n",
            "getPets\n      x-gap: [form]\n",
            1
        )));
    }
}
