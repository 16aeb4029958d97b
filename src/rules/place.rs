//! Walks a body beside its shape and shows every place to the rules. The main type is [`Place`].

use serde_json::Value;

use super::evidence::ExchangeSeen;
use crate::contract::Contract;
use crate::contract::pointer::{self, Path};
use crate::contract::shape::{Shape, ShapeId};

/// One value of a body, with what the contract says of its place.
pub(super) struct Place<'place> {
    pub(super) contract: &'place Contract,
    pub(super) shape: &'place Shape,
    pub(super) value: &'place Value,
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

/// Shows each place of a body to the visitor, from the root down.
pub(super) fn walk(seen: &ExchangeSeen<'_>, root: ShapeId, value: &Value, visit: &mut dyn FnMut(&Place<'_>)) {
    descend(seen.contract, root, value, &Path::Root, visit);
}

fn descend(contract: &Contract, id: ShapeId, value: &Value, path: &Path<'_>, visit: &mut dyn FnMut(&Place<'_>)) {
    let shape = contract.shape(id);
    visit(&Place {
        contract,
        shape,
        value,
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
                    descend(contract, below, member, &Path::Member(path, name), visit);
                }
            }
        }
        Value::Array(elements) => {
            let Some(below) = shape.items else { return };
            for (index, element) in elements.iter().enumerate() {
                descend(contract, below, element, &Path::Element(path, index), visit);
            }
        }
        _ => {}
    }
}
