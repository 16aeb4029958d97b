//! The faults on what a create carries: [`faults`]. Law 3 of the design, and the second half of law 2.

use super::contract::{Carry, Created, Operation, item, operation};
use super::derived::{name, told};
use super::places::Edit;
use super::table::{Deviation, Fault, How};

/// Each field that a create carries comes back other than it was sent, from the create and from the list.
pub(super) fn faults(operation: &Operation) -> impl Iterator<Item = Fault> + use<'_> {
    operation
        .created
        .iter()
        .flat_map(move |created| {
            let fields = created.carries.iter();
            fields.flat_map(move |carry| {
                [
                    Some(answered(operation, created, carry)),
                    listed(operation, created, carry),
                ]
            })
        })
        .flatten()
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

fn listed(create: &Operation, created: &Created, carry: &Carry) -> Option<Fault> {
    let list = operation(&created.listed.list)?;
    // Records that belong to another stand in an array of it.
    let record = created
        .listed
        .at
        .as_ref()
        .map_or_else(String::new, |at| format!("{at}/*"));
    let pattern = format!("{}{record}{}", item(list.page.as_ref()?), carry.kept);
    let stated = format!("listed in {} {}: as sent in {}", list.name, carry.kept, carry.sent);
    Some(Fault {
        name: name(&create.name, &carry.kept, "listed-altered"),
        about: format!("{} of {} is not what was sent", told(&pattern), list.name),
        rule: carrying(carry),
        operation: create.name.clone(),
        fact: Some(format!("{} {stated}", create.name)),
        pointer: carry.kept.clone(),
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
