//! Walks a body beside its shape and shows every place to the rules. The main types are [`Place`] and [`Walker`].

use serde_json::Value;

use super::assertion::Assertions;
use crate::contract::Contract;
use crate::contract::pointer::{self, Path};
use crate::contract::shape::{Shape, ShapeId};

/// One value of a body, with what the contract says of its place.
pub(super) struct Place<'place> {
    pub(super) contract: &'place Contract,
    pub(super) shape: &'place Shape,
    pub(super) value: &'place Value,
    pub(super) assertions: &'place Assertions,
    path: &'place Path<'place>,
}

impl Place<'_> {
    /// The pointer of this place in the answer.
    pub(super) fn pointer(&self) -> String {
        self.path.pointer()
    }

    /// The pointer of a member of this place.
    pub(super) fn member(&self, name: &str) -> String {
        pointer::join(&self.pointer(), name)
    }

    /// Whether a null here is neither documented nor excluded.
    pub(super) fn null_is_open(&self) -> bool {
        !self.shape.nullable && self.contract.null_gap.is_some()
    }
}

/// Shows each place of a body to `visit`, from the root down.
pub(super) struct Walker<'walk> {
    pub(super) contract: &'walk Contract,
    pub(super) assertions: &'walk Assertions,
    pub(super) visit: &'walk mut dyn FnMut(&Place<'_>),
}

impl Walker<'_> {
    /// Walks a body beside its shape.
    pub(super) fn walk(&mut self, shape: ShapeId, body: &Value) {
        self.descend(shape, body, &Path::Root);
    }

    fn descend(&mut self, id: ShapeId, value: &Value, path: &Path<'_>) {
        let (contract, assertions) = (self.contract, self.assertions);
        let shape = contract.shape(id);
        (self.visit)(&Place {
            contract,
            shape,
            value,
            assertions,
            path,
        });
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let field = shape
                        .fields
                        .iter()
                        .find(|field| field.name == *name)
                        .map(|field| field.shape);
                    if let Some(below) = field.or(shape.additional) {
                        self.descend(below, member, &Path::Member(path, name));
                    }
                }
            }
            Value::Array(elements) => {
                let Some(below) = shape.items else { return };
                for (index, element) in elements.iter().enumerate() {
                    self.descend(below, element, &Path::Element(path, index));
                }
            }
            _ => {}
        }
    }
}
