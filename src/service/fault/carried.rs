//! The faults on what a create or an update carries: [`faults`]. They break the invariants of what is carried and
//! updated, and of how a created record is listed.

use super::contract::{Carry, Created, Listed, Operation};
use super::deviation::{Deviation, DeviationKind, Fault, in_words, name};
use super::locations::Edit;
use super::seen::{self, Seen};

/// Each field that a create or an update carries comes back different from what was sent, in the create and in the
/// list.
pub(super) fn faults(operation: &Operation) -> impl Iterator<Item = Fault> + use<'_> {
    let created = operation.created.iter().flat_map(move |created| {
        let fields = created.carries.iter();
        fields.flat_map(move |carry| {
            let listed = listed(operation, &created.listed, carry);
            [Some(answered(operation, created, carry)), listed]
        })
    });
    let updated = operation.updated.iter().flat_map(move |updated| {
        updated
            .carries
            .iter()
            .map(move |carry| listed(operation, &updated.listed, carry))
    });
    created.chain(updated).flatten()
}

fn answered(create: &Operation, created: &Created, carry: &Carry) -> Fault {
    let seen = seen::answered(create, created, carry);
    let name = name(&create.name, &seen.pointer, "altered");
    let about = format!("{} is not what was sent", in_words(&seen.pointer));
    altered(create, &create.name, seen, (name, about))
}

fn listed(write: &Operation, listed: &Listed, carry: &Carry) -> Option<Fault> {
    let seen = seen::listed(write, listed, carry)?;
    let name = name(&write.name, &carry.returned_at, "listed-altered");
    let about = format!("{} of {} is not what was sent", in_words(&seen.pointer), listed.list);
    Some(altered(write, &listed.list, seen, (name, about)))
}

/// Makes the fault that alters what a write carries in the responses of `on`.
fn altered(write: &Operation, on: &str, seen: Seen, (name, about): (String, String)) -> Fault {
    Fault {
        name,
        about,
        rule: seen.rule,
        operation: write.name.clone(),
        fact: seen.fact,
        pointer: seen.pointer.clone(),
        elsewhere: Vec::new(),
        deviation: Deviation {
            on: on.to_owned(),
            kind: DeviationKind::Location {
                pattern: seen.pointer,
                edit: Edit::Altered,
            },
        },
    }
}
