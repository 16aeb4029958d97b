//! The faults on what a create or an update carries: [`faults`]. Laws 3 and 5 of the design, and the second half of
//! law 2.

use super::contract::{Carry, Created, Listed, Operation, item, operation};
use super::derived::{name, told};
use super::places::Edit;
use super::table::{Deviation, Fault, How};

/// Each field that a create or an update carries comes back other than it was sent, from the create and from the list.
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
    let pattern = format!("{}{}", created.resource, carry.kept);
    Fault {
        name: name(&create.name, &pattern, "altered"),
        about: format!("{} is not what was sent", told(&pattern)),
        rule: carrying(carry),
        operation: create.name.clone(),
        fact: Some(format!("{} created {pattern}: as sent in {}", create.name, carry.sent)),
        pointer: pattern.clone(),
        deviation: altering(&create.name, pattern),
    }
}

fn listed(write: &Operation, listed: &Listed, carry: &Carry) -> Option<Fault> {
    let list = operation(&listed.list)?;
    // Records that belong to another stand in an array of it.
    let record = listed.at.as_ref().map_or_else(String::new, |at| format!("{at}/*"));
    let pattern = format!("{}{record}{}", item(list.page.as_ref()?), carry.kept);
    let stated = format!("listed in {} {}: as sent in {}", list.name, carry.kept, carry.sent);
    Some(Fault {
        name: name(&write.name, &carry.kept, "listed-altered"),
        about: format!("{} of {} is not what was sent", told(&pattern), list.name),
        rule: carrying(carry),
        operation: write.name.clone(),
        fact: Some(format!("{} {stated}", write.name)),
        pointer: pattern.clone(),
        deviation: altering(&list.name, pattern),
    })
}

fn carrying(carry: &Carry) -> &'static str {
    if carry.gap.is_some() { "respelled" } else { "carried" }
}

fn altering(on: &str, pattern: String) -> Deviation {
    let edit = Edit::Altered;
    Deviation {
        on: on.to_owned(),
        how: How::Place { pattern, edit },
    }
}
