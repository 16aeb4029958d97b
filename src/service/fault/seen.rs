//! What a check reports where it sees a fault: [`Seen`], and a fault [`Proposed`] with all that shows it.

use super::contract::{Carry, Created, Listed, Operation};

/// What a check reports where it sees a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The rule that sees it.
    pub rule: &'static str,
    /// The fact that is broken.
    pub fact: Option<String>,
    /// Where in the response.
    pub pointer: String,
}

/// A fault as the file of its kind proposes it for the table, which alone knows all kinds.
pub(super) struct Proposed<Kind> {
    /// The operation, or the security scheme of every operation.
    pub(super) on: String,
    pub(super) deviation: String,
    pub(super) about: String,
    pub(super) seen: Vec<Seen>,
    pub(super) kind: Kind,
}

impl<Kind> Proposed<Kind> {
    /// Proposes a fault: its operation, its deviation, what the service does with it, where that shows, and its kind.
    pub(super) fn new(on: &str, deviation: &str, about: impl Into<String>, seen: Vec<Seen>, kind: Kind) -> Self {
        Proposed {
            on: on.to_owned(),
            deviation: deviation.to_owned(),
            about: about.into(),
            seen,
            kind,
        }
    }
}

/// Returns where it shows that the fields an operation carries are not kept: in its response and in its list.
pub(super) fn carried(operation: &Operation, is_meant: &dyn Fn(&Carry) -> bool) -> Vec<Seen> {
    let created = operation.created.iter().flat_map(|created| {
        let meant = created.carries.iter().filter(|carry| is_meant(carry));
        meant.flat_map(|carry| {
            let listed = listed(operation, &created.listed, carry);
            [Some(answered(operation, created, carry)), listed]
        })
    });
    let updated = operation.updated.iter().flat_map(|updated| {
        let meant = updated.carries.iter().filter(|carry| is_meant(carry));
        meant.map(|carry| listed(operation, &updated.listed, carry))
    });
    created.chain(updated).flatten().collect()
}

pub(super) fn answered(create: &Operation, created: &Created, carry: &Carry) -> Seen {
    let pointer = format!("{}{}", created.resource, carry.returned_at);
    Seen {
        rule: carrying(carry),
        fact: Some(format!("{} created {pointer}: as sent in {}", create.name, carry.sent)),
        pointer,
    }
}

pub(super) fn listed(write: &Operation, listed: &Listed, carry: &Carry) -> Option<Seen> {
    let stated = format!(
        "listed in {} {}: as sent in {}",
        listed.list, carry.returned_at, carry.sent
    );
    Some(Seen {
        rule: carrying(carry),
        fact: Some(format!("{} {stated}", write.name)),
        pointer: listed.records()? + &carry.returned_at,
    })
}

fn carrying(carry: &Carry) -> &'static str {
    if carry.gap.is_some() { "respelled" } else { "carried" }
}
