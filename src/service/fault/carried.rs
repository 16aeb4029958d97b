//! The faults on what a create or an update carries: [`faults`]. Invariants 3 and 5 of the design, and the second half of
//! invariant 2.

use super::contract::{Carry, Created, Listed, Operation, item, operation};
use super::derived::{in_words, name};
use super::locations::Edit;
use super::table::{Deviation, Fault, How, Seen};

/// Each field that a create or an update carries comes back other than it was sent, from the create and from the list.
pub(super) fn faults(operation: &Operation) -> impl Iterator<Item = Fault> + use<'_> {
    let created = operation.created.iter().flat_map(move |created| {
        let fields = created.carries.iter();
        fields.flat_map(move |carry| {
            let listed = listed(operation, &created.listed, carry);
            [answered(operation, created, carry), listed]
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

/// Where it shows that what an operation carries is not kept: in its response and in its list.
pub(super) fn seen(operation: &Operation, is_meant: &dyn Fn(&Carry) -> bool) -> Vec<Seen> {
    let created = operation.created.iter().flat_map(|created| {
        let meant = created.carries.iter().filter(|carry| is_meant(carry));
        meant.flat_map(|carry| {
            let listed = seen_listed(operation, &created.listed, carry);
            [Some(seen_answered(operation, created, carry)), listed]
        })
    });
    let updated = operation.updated.iter().flat_map(|updated| {
        let meant = updated.carries.iter().filter(|carry| is_meant(carry));
        meant.map(|carry| seen_listed(operation, &updated.listed, carry))
    });
    created.chain(updated).flatten().collect()
}

fn seen_answered(create: &Operation, created: &Created, carry: &Carry) -> Seen {
    let pointer = format!("{}{}", created.resource, carry.kept);
    Seen {
        rule: carrying(carry),
        fact: Some(format!("{} created {pointer}: as sent in {}", create.name, carry.sent)),
        pointer,
    }
}

fn seen_listed(write: &Operation, listed: &Listed, carry: &Carry) -> Option<Seen> {
    let list = operation(&listed.list)?;
    // Records that belong to another stand in an array of it.
    let record = listed.at.as_ref().map_or_else(String::new, |at| format!("{at}/*"));
    let stated = format!("listed in {} {}: as sent in {}", list.name, carry.kept, carry.sent);
    Some(Seen {
        rule: carrying(carry),
        fact: Some(format!("{} {stated}", write.name)),
        pointer: format!("{}{record}{}", item(list.page.as_ref()?), carry.kept),
    })
}

fn answered(create: &Operation, created: &Created, carry: &Carry) -> Option<Fault> {
    let seen = seen_answered(create, created, carry);
    let name = name(&create.name, &seen.pointer, "altered");
    let about = format!("{} is not what was sent", in_words(&seen.pointer));
    let how = altering(&create.name, seen.pointer.clone());
    Fault::named((name, about), &create.name, vec![seen], how)
}

fn listed(write: &Operation, listed: &Listed, carry: &Carry) -> Option<Fault> {
    let seen = seen_listed(write, listed, carry)?;
    let name = name(&write.name, &carry.kept, "listed-altered");
    let about = format!("{} of {} is not what was sent", in_words(&seen.pointer), listed.list);
    let how = altering(&listed.list, seen.pointer.clone());
    Fault::named((name, about), &write.name, vec![seen], how)
}

fn carrying(carry: &Carry) -> &'static str {
    if carry.gap.is_some() { "respelled" } else { "carried" }
}

fn altering(on: &str, pattern: String) -> Deviation {
    let edit = Edit::Altered;
    Deviation {
        on: on.to_owned(),
        how: How::Location { pattern, edit },
    }
}
