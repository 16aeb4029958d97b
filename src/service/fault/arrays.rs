//! Arrays of several elements whose parts do not stay together: [`ArrayFault`]. These faults break the invariants of
//! what is created, carried and updated.

use serde_json::Value;

use super::call::Call;
use super::contract::{Carry, Operation, operations};
use super::expected::{ProposedFault, carried};
use super::locations::each;

/// What happens to an array of two or more elements.
///
/// The *kind* of an element is the member whose spelling a gap leaves open (`type`); its *main part* is the other
/// members (`contact`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrayFault {
    /// Only its first element is kept.
    OnlyFirst,
    /// Only its last element is kept.
    OnlyLast,
    /// Each element gets the main part of the one before.
    Mixed,
    /// Each part is sorted on its own.
    Sorted,
    /// Only the last of the elements of one kind is kept.
    UniqueByKind,
}

const ALL: [(ArrayFault, &str, &str); 5] = [
    (
        ArrayFault::OnlyFirst,
        "first-element-alone",
        "only the first of several elements is kept",
    ),
    (
        ArrayFault::OnlyLast,
        "last-element-alone",
        "only the last of several elements is kept",
    ),
    (
        ArrayFault::Mixed,
        "elements-mixed",
        "each of several elements gets a part of the one before",
    ),
    (
        ArrayFault::Sorted,
        "parts-sorted",
        "each part of several elements is sorted on its own",
    ),
    (
        ArrayFault::UniqueByKind,
        "unique-by-kind",
        "only the last of several elements of one kind is kept",
    ),
];

/// Returns a fault for each [`ArrayFault`] and each write that carries an array of objects.
pub(super) fn faults() -> impl Iterator<Item = ProposedFault<ArrayFault>> {
    operations().iter().flat_map(|operation| {
        ALL.into_iter().map(|(fault, deviation, about)| {
            let mut expected = carried(operation, &|carry| array(carry).is_some());
            // Even where a gap lets a value come back differently, it may not be another element's.
            expected.iter_mut().for_each(|expected| expected.rule = "stored-values");
            ProposedFault::new(&operation.name, deviation, about, expected, fault)
        })
    })
}

/// Returns the array that a carry is in, and the member of its elements.
fn array(carry: &Carry) -> Option<(&str, &str)> {
    carry.sent.split_once("/*/")
}

impl ArrayFault {
    /// Changes each array of a call.
    pub(super) fn change_request(self, call: &mut Call) {
        let operation: &Operation = call.operation;
        let Some(mut body) = call.json() else { return };
        let mut pointers: Vec<_> = operation.carries().iter().filter_map(array).collect();
        pointers.dedup_by_key(|(pointer, _)| *pointer);
        let mut is_changed = false;
        for (pointer, _) in pointers {
            let of_array = |carry: &&Carry| array(carry).is_some_and(|(of, _)| of == pointer);
            let parts: Vec<_> = operation.carries().iter().filter(of_array).collect();
            each(&mut body, pointer, &mut |value| {
                if let Some(elements) = value.as_array_mut().filter(|elements| elements.len() > 1) {
                    self.change(elements, &parts);
                    is_changed = true;
                }
            });
        }
        if is_changed {
            call.set_body(&body);
        }
    }

    fn change(self, elements: &mut Vec<Value>, parts: &[&Carry]) {
        let names = |is_kind: bool| {
            let parts = parts.iter().filter(move |carry| carry.gap.is_some() == is_kind);
            parts.filter_map(|carry| Some(array(carry)?.1))
        };
        match self {
            ArrayFault::OnlyFirst => elements.truncate(1),
            ArrayFault::OnlyLast => drop(elements.drain(..elements.len() - 1)),
            ArrayFault::Mixed => {
                names(false).for_each(|name| rearrange(elements, name, &|parts| parts.rotate_right(1)));
            }
            ArrayFault::Sorted => {
                let sort =
                    |parts: &mut Vec<Option<Value>>| parts.sort_by_key(|part| part.as_ref().map(Value::to_string));
                names(true)
                    .chain(names(false))
                    .for_each(|name| rearrange(elements, name, &sort));
            }
            ArrayFault::UniqueByKind => {
                let kind = names(true).next().unwrap_or_default();
                let kinds: Vec<_> = elements.iter().map(|element| element.get(kind).cloned()).collect();
                let mut left = kinds.iter().enumerate();
                elements.retain(|_| {
                    left.next()
                        .is_none_or(|(at, kind)| !kinds.iter().skip(at + 1).any(|later| later == kind))
                });
            }
        }
    }
}

/// Reorders the members of this name among the elements.
fn rearrange(elements: &mut [Value], name: &str, order: &dyn Fn(&mut Vec<Option<Value>>)) {
    let members = elements.iter_mut().map(|element| element.as_object_mut()?.remove(name));
    let mut parts: Vec<_> = members.collect();
    order(&mut parts);
    for (element, part) in elements.iter_mut().zip(parts) {
        if let (Some(members), Some(part)) = (element.as_object_mut(), part) {
            members.insert(name.to_owned(), part);
        }
    }
}
