//! Walks a body along its shape and passes every location to the rules. The main types are [`LocatedValue`] and
//! [`BodyVisitor`].

use serde_json::Value;

use super::assertions::Assertions;
use crate::contract::Contract;
use crate::contract::pointer::{self, Path};
use crate::contract::shape::{Field, Shape, ShapeId};

/// One value of a body, with what the contract says of its location.
pub(super) struct LocatedValue<'location> {
    pub(super) contract: &'location Contract,
    pub(super) shape: &'location Shape,
    pub(super) value: &'location Value,
    pub(super) assertions: &'location Assertions,
    path: &'location Path<'location>,
    /// The index of each member among the documented fields, in the order of the members; `None` for an undocumented
    /// one.
    fields: &'location [Option<usize>],
    /// Whether the object has each of the documented fields.
    present: &'location [bool],
}

impl<'location> LocatedValue<'location> {
    /// The pointer of this location in the response.
    pub(super) fn pointer(&self) -> String {
        self.path.pointer()
    }

    /// The pointer of a member of this location.
    pub(super) fn member(&self, name: &str) -> String {
        pointer::join(&self.pointer(), name)
    }

    /// The members of an object, each with its documented field.
    pub(super) fn members(
        &self,
    ) -> impl Iterator<Item = (&'location String, &'location Value, Option<&'location Field>)> {
        let (shape, fields) = (self.shape, self.fields);
        let members = self.value.as_object().into_iter().flatten();
        let documented = |index: &Option<usize>| index.map(|index| &shape.fields[index]);
        members
            .zip(fields)
            .map(move |((name, value), index)| (name, value, documented(index)))
    }

    /// Whether the object has the documented field of this index.
    pub(super) fn has(&self, index: usize) -> bool {
        self.present.get(index) == Some(&true)
    }

    /// Whether a null here is neither documented nor excluded.
    pub(super) fn null_is_undocumented_and_open(&self) -> bool {
        !self.shape.nullable && self.shape.null_is_open
    }
}

/// Passes each location of a body to `visit`, from the root down.
///
/// # Design
///
/// Judging should cost no more than parsing. Each member is matched to its documented field once for all rules. The
/// field after the one matched last is tried first, so each name is compared once where a service keeps the document's
/// order.
pub(super) struct BodyVisitor<'visit, V> {
    pub(super) contract: &'visit Contract,
    pub(super) assertions: &'visit Assertions,
    pub(super) visit: V,
    /// The fields of the objects on the way down, as in [`LocatedValue`], those of the innermost last.
    fields: Vec<Option<usize>>,
    /// Which documented fields the objects on the way down have, as in [`LocatedValue`].
    present: Vec<bool>,
}

impl<'visit, V: FnMut(&LocatedValue<'_>)> BodyVisitor<'visit, V> {
    pub(super) fn new(contract: &'visit Contract, assertions: &'visit Assertions, visit: V) -> Self {
        Self {
            contract,
            assertions,
            visit,
            fields: Vec::new(),
            present: Vec::new(),
        }
    }

    /// Visits a body, or the value of a header, along its shape.
    pub(super) fn visit_all(&mut self, (at, shape): (&Path<'_>, ShapeId), value: &Value) {
        self.descend(shape, value, at);
    }

    fn descend(&mut self, id: ShapeId, value: &Value, path: &Path<'_>) {
        let (contract, assertions) = (self.contract, self.assertions);
        let shape = contract.shape(id);
        let (first, first_present) = (self.fields.len(), self.present.len());
        self.match_members(shape, value);
        (self.visit)(&LocatedValue {
            contract,
            shape,
            value,
            assertions,
            path,
            fields: &self.fields[first..],
            present: &self.present[first_present..],
        });
        match value {
            Value::Object(members) => {
                for (index, (name, member)) in members.iter().enumerate() {
                    let field = self.fields[first + index].map(|index| shape.fields[index].shape);
                    if let Some(below) = field.or(shape.additional) {
                        self.descend(below, member, &Path::Member(path, name));
                    }
                }
            }
            Value::Array(elements) => {
                // An array has added no members, so there is nothing to remove.
                let Some(below) = shape.items else { return };
                for (index, element) in elements.iter().enumerate() {
                    self.descend(below, element, &Path::Element(path, index));
                }
            }
            _ => {}
        }
        self.fields.truncate(first);
        self.present.truncate(first_present);
    }

    /// Matches each member to its documented field.
    fn match_members(&mut self, shape: &Shape, value: &Value) {
        let Some(members) = value.as_object() else { return };
        let first = self.present.len();
        self.present.resize(first + shape.fields.len(), false);
        let mut next = 0;
        for name in members.keys() {
            let is = |field: &Field| field.name == *name;
            let expected = shape.fields.get(next).is_some_and(is).then_some(next);
            let field = expected.or_else(|| shape.field_named(name));
            if let Some(field) = field {
                self.present[first + field] = true;
                next = field + 1;
            }
            self.fields.push(field);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::testing::Fixture;

    const SCHEMA: &str = "{type: object, properties: {a: {type: object, properties: {c: {}, d: {}}}, b: {}, e: {}}}";

    /// What each location of the body says of its members: the pointer, the name, whether it is documented.
    fn seen(body: &Value) -> Vec<(String, String, bool)> {
        let fixture = Fixture::schema(SCHEMA);
        let shape = fixture.contract.operation(fixture.operation).responses[0].body.unwrap();
        let (assertions, mut seen) = (Assertions::default(), Vec::new());
        let visit = |location: &LocatedValue<'_>| {
            for (name, _, field) in location.members() {
                assert!(field.is_none_or(|field| field.name == *name));
                seen.push((location.pointer(), name.clone(), field.is_some()));
            }
            for (index, field) in location.shape.fields.iter().enumerate() {
                assert_eq!(
                    location.has(index),
                    location.value.get(field.name.as_str()).is_some(),
                    "{}",
                    field.name
                );
            }
        };
        BodyVisitor::new(&fixture.contract, &assertions, visit).visit_all((&Path::Root, shape), body);
        seen
    }

    #[test]
    fn each_member_is_the_field_of_its_name_in_any_order() {
        let of = |pointer: &str, name: &str, known| (pointer.to_owned(), name.to_owned(), known);
        for (body, members) in [
            (
                json!({"a": {"c": 1, "d": 2}, "b": 1}),
                vec![
                    of("", "a", true),
                    of("", "b", true),
                    of("/a", "c", true),
                    of("/a", "d", true),
                ],
            ),
            (
                json!({"e": 1, "x": 2, "b": 3}),
                vec![of("", "e", true), of("", "x", false), of("", "b", true)],
            ),
            (
                json!({"b": 1, "a": {"x": 1, "d": 2}}),
                vec![
                    of("", "b", true),
                    of("", "a", true),
                    of("/a", "x", false),
                    of("/a", "d", true),
                ],
            ),
            (json!({}), vec![]),
            (json!([{"a": 1}]), vec![]),
        ] {
            assert_eq!(seen(&body), members, "{body}");
        }
    }
}
