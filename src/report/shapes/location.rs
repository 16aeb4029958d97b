//! What one location of a response showed, joined over all responses and items. The main type is [`SeenForms`].

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::form::ValueForm;
use crate::contract::Contract;
use crate::contract::pointer;
use crate::contract::shape::ShapeId;

/// Every form that the values at one location had, in all responses together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenForms {
    /// The forms of values that are neither objects nor arrays.
    pub(super) forms: BTreeSet<ValueForm>,
    /// The objects, by their keys in the order of the response, each with what was seen at its keys.
    pub(super) objects: BTreeMap<Vec<String>, Vec<SeenForms>>,
    /// The lengths of the arrays.
    pub(super) lengths: BTreeSet<Length>,
    /// What was seen at the elements of the arrays.
    pub(super) element: Option<Box<SeenForms>>,
}

/// The length of an array, as far as it does not depend on which records the target has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Length {
    /// No element.
    None,
    /// One element.
    One,
    /// Several elements.
    Many,
    /// The page of a list, whose length depends on the page alone.
    Page,
}

/// The location of a value in a response.
#[derive(Clone, Copy)]
pub(super) struct ValueLocation<'value> {
    pub(super) contract: &'value Contract,
    pub(super) shape: Option<ShapeId>,
    /// The pointer of the array that is a page of a list.
    pub(super) page: Option<&'value str>,
    pub(super) pointer: &'value str,
}

impl ValueLocation<'_> {
    fn below<Seen>(&self, name: &str, shape: Option<ShapeId>, visit: impl FnOnce(ValueLocation<'_>) -> Seen) -> Seen {
        let pointer = pointer::join(self.pointer, name);
        visit(ValueLocation {
            shape,
            pointer: &pointer,
            ..*self
        })
    }
}

impl SeenForms {
    pub(super) fn only(form: ValueForm) -> Self {
        Self {
            forms: BTreeSet::from([form]),
            ..Self::default()
        }
    }

    /// Returns what one value shows.
    pub(super) fn of(value: &Value, at: ValueLocation<'_>) -> Self {
        match value {
            Value::Array(elements) => Self::array(elements, at),
            Value::Object(members) => Self::object(members, at),
            other => ValueForm::of(other).map_or_else(Self::default, Self::only),
        }
    }

    fn array(elements: &[Value], at: ValueLocation<'_>) -> Self {
        let length = match elements.len() {
            _ if at.page == Some(at.pointer) => Length::Page,
            0 => Length::None,
            1 => Length::One,
            _ => Length::Many,
        };
        let items = at.shape.and_then(|shape| at.contract.shape(shape).items);
        let seen = |element| at.below("*", items, |at| Self::of(element, at));
        let element = elements.iter().map(seen).reduce(Self::joined);
        Self {
            lengths: BTreeSet::from([length]),
            element: element.map(Box::new),
            ..Self::default()
        }
    }

    fn object(members: &serde_json::Map<String, Value>, at: ValueLocation<'_>) -> Self {
        let shape = at.shape.map(|shape| at.contract.shape(shape));
        let field = |name: &str| shape.and_then(|shape| Some(&shape.fields[shape.field_named(name)?]));
        // If the contract leaves the keys to the target, they are data.
        let open = shape.is_some_and(|shape| shape.allows_unlisted_fields);
        let kept: Vec<_> = members
            .iter()
            .filter(|(name, _)| !open || field(name).is_some())
            .collect();
        if open && kept.is_empty() {
            return Self::only(ValueForm::Map);
        }
        let is_in_undocumented_field = at.shape.is_none() && !at.pointer.is_empty();
        let render = |name| match is_in_undocumented_field {
            true => at.contract.render_possible_map_key(name),
            false => at.contract.render_name(name),
        };
        let names = kept.iter().map(|(name, _)| render(name)).collect();
        let seen = |(name, value): &(&String, &Value)| {
            at.below(name, field(name).map(|field| field.shape), |at| Self::of(value, at))
        };
        Self {
            objects: BTreeMap::from([(names, kept.iter().map(seen).collect())]),
            ..Self::default()
        }
    }

    /// Joins what two locations show; their order does not matter.
    pub(super) fn joined(mut self, other: Self) -> Self {
        self.forms.extend(other.forms);
        let all = self.forms.clone();
        self.forms
            .retain(|form| !all.iter().any(|other| form.is_covered_by(*other)));
        self.lengths.extend(other.lengths);
        self.element = either(self.element, other.element, Self::joined);
        for (names, locations) in other.objects {
            let known = self.objects.remove(&names);
            let joined = match known {
                Some(known) => known.into_iter().zip(locations).map(|(a, b)| a.joined(b)).collect(),
                None => locations,
            };
            self.objects.insert(names, joined);
        }
        self
    }

    /// Returns what was seen at a field, in all variants of the object that have it.
    pub(super) fn at(&self, name: &str) -> Option<Self> {
        let fields = self
            .objects
            .iter()
            .flat_map(|(names, locations)| names.iter().zip(locations));
        let named = fields.filter(|(known, _)| *known == name);
        named.map(|(_, seen)| seen.clone()).reduce(Self::joined)
    }

    /// Adds those forms of the committed snapshot that the records of this target may just not have shown:
    ///
    /// - an unset field, where all are set
    /// - a set field, where none is
    /// - a length
    /// - a variant of an object, if another of its variants was shown
    pub(super) fn with_missing_from(mut self, snapshot: &Self) -> Self {
        let shown = !self.is_unset();
        let kept = snapshot.forms.iter().filter(|form| !shown || form.is_unset());
        self.forms.extend(kept.copied());
        if !shown || !self.lengths.is_empty() {
            self.lengths.extend(&snapshot.lengths);
            let known = snapshot.element.clone();
            self.element = either(self.element, known, |seen, known| seen.with_missing_from(&known));
        }
        let shares_any = self.objects.keys().any(|names| snapshot.objects.contains_key(names));
        for (names, known) in &snapshot.objects {
            match self.objects.remove(names) {
                Some(seen) => {
                    let completed = seen
                        .into_iter()
                        .zip(known)
                        .map(|(seen, known)| seen.with_missing_from(known));
                    let completed = completed.collect();
                    self.objects.insert(names.clone(), completed);
                }
                None if shares_any || !shown => {
                    self.objects.insert(names.clone(), known.clone());
                }
                None => {}
            }
        }
        self
    }

    /// Whether the location showed only unset values, or nothing.
    fn is_unset(&self) -> bool {
        self.objects.is_empty() && self.lengths.is_empty() && self.forms.iter().all(|form| form.is_unset())
    }

    /// Replaces the resource at a location by [`ValueForm::Resource`].
    pub(super) fn without_resource(&self, resource: &[String]) -> Self {
        let [name, rest @ ..] = resource else {
            return Self::only(ValueForm::Resource);
        };
        let mut envelope = self.clone();
        if name == "*" {
            envelope.element = envelope.element.map(|element| Box::new(element.without_resource(rest)));
        }
        for (names, locations) in &mut envelope.objects {
            for (location, _) in locations.iter_mut().zip(names).filter(|(_, known)| *known == name) {
                *location = location.without_resource(rest);
            }
        }
        envelope
    }
}

fn either(
    one: Option<Box<SeenForms>>,
    other: Option<Box<SeenForms>>,
    both: impl FnOnce(SeenForms, SeenForms) -> SeenForms,
) -> Option<Box<SeenForms>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Box::new(both(*one, *other))),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::super::observed::ResponseShapes;

    /// One successful response with this body, written as the text after `body: `.
    fn responses(body: &str) -> ResponseShapes {
        let lines = body.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
        let lines: Vec<_> = lines.collect();
        ResponseShapes::read(&format!("200 application/json\n  body: {}", lines.join("\n"))).unwrap()
    }

    fn with_missing_from(shown: &str, accepted: &str) -> ResponseShapes {
        responses(shown).with_missing_from(&responses(accepted))
    }

    #[test]
    fn what_the_rows_did_not_show_stays_as_accepted() {
        for (shown, accepted) in [
            ("text", "text | blank"),
            ("blank", "text | blank"),
            ("null", "uuid | null"),
            ("text", "text | null"),
            ("array of none", "array of none or one\n    *: uuid"),
            ("array of one\n    *: uuid", "array of none or one or many\n    *: uuid"),
            ("null", "object | null\n    a: integer"),
            ("object\n    a: integer", "object | null\n    a: integer"),
            (
                "object\n    a: integer",
                "object in 2 variants\n    variant 1\n      a: integer\n    variant 2\n      b: text",
            ),
            (
                "object\n    a: array of none",
                "object\n    a: array of many\n      *: text | blank",
            ),
        ] {
            let expected = match shown {
                "object\n    a: array of none" => "object\n    a: array of none or many\n      *: text | blank",
                _ => accepted,
            };
            assert_eq!(with_missing_from(shown, accepted), responses(expected), "{shown}");
        }
    }

    #[test]
    fn what_is_answered_otherwise_replaces_what_was_accepted() {
        for (shown, accepted, held) in [
            (
                "timestamp with an offset",
                "timestamp with Z | blank",
                "timestamp with an offset | blank",
            ),
            ("integer", "text", "integer"),
            (
                "object\n    a: text",
                "object\n    a: text\n    b: text",
                "object\n    a: text",
            ),
            (
                "object\n    b: text\n    a: text",
                "object\n    a: text\n    b: text",
                "object\n    b: text\n    a: text",
            ),
            ("text", "object\n    a: text", "text"),
            (
                "array of one\n    *: text",
                "array of one\n    *: uuid",
                "array of one\n    *: text",
            ),
        ] {
            assert_eq!(with_missing_from(shown, accepted), responses(held), "{shown}");
        }
    }

    #[test]
    fn another_status_gets_what_is_missing_from_the_body_that_was_accepted() {
        let accepted = responses("text | blank");
        let shown = ResponseShapes::read("202 application/json\n  body: text").unwrap();
        let held = shown.with_missing_from(&accepted).to_string();
        assert_eq!(held, "202 application/json\n  body: text | blank");
    }
}
