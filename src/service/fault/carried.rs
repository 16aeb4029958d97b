//! The faults on what a create or an update carries: [`faults`]. They break the invariants of what is carried and
//! updated, and of how a created record is listed.

use super::contract::{Carry, Created, Listed, Operation};
use super::deviation::{Deviation, DeviationKind, Fault, in_words, name};
use super::expected::{self, ExpectedFinding};
use super::locations::Edit;

/// Each field that a create or an update carries comes back different from what was sent, in the response to the create
/// and in the list.
pub(super) fn faults(operation: &Operation) -> impl Iterator<Item = Fault> + use<'_> {
    let created = operation.created.iter().flat_map(move |created| {
        let fields = created.carries.iter();
        fields.flat_map(move |carry| {
            let listed = listed(operation, &created.listed, carry);
            [Some(in_response(operation, created, carry)), listed]
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

fn in_response(create: &Operation, created: &Created, carry: &Carry) -> Fault {
    let expected = expected::in_response(create, created, carry);
    let name = name(&create.name, &expected.pointer, "altered");
    let about = format!("{} is not what was sent", in_words(&expected.pointer));
    altered(create, &create.name, expected, (name, about))
}

fn listed(write: &Operation, listed: &Listed, carry: &Carry) -> Option<Fault> {
    let expected = expected::listed(write, listed, carry)?;
    let name = name(&write.name, &carry.returned_at, "listed-altered");
    let about = format!(
        "{} of {} is not what was sent",
        in_words(&expected.pointer),
        listed.list
    );
    Some(altered(write, &listed.list, expected, (name, about)))
}

/// Makes the fault that alters what a write carries in the responses of `on`.
fn altered(write: &Operation, on: &str, expected: ExpectedFinding, (name, about): (String, String)) -> Fault {
    Fault {
        name,
        about,
        rule: expected.rule,
        operation: write.name.clone(),
        fact: expected.fact,
        pointer: expected.pointer.clone(),
        other_findings: Vec::new(),
        deviation: Deviation {
            on: on.to_owned(),
            kind: DeviationKind::Location {
                pattern: expected.pointer,
                edit: Edit::Altered,
            },
        },
    }
}
