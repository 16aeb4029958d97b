//! The findings that a check reports for a fault: [`ExpectedFinding`]; and [`ProposedFault`], a fault with all findings
//! that may show it.

use super::contract::{Carry, Created, Listed, Operation};

/// What a check reports where it sees a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedFinding {
    /// The rule that sees it.
    pub rule: &'static str,
    /// The fact that is broken.
    pub fact: Option<String>,
    /// Where in the response.
    pub pointer: String,
}

/// A fault before it is in the table. Each file makes its own kind of fault; `table` turns the kind into a
/// [`DeviationKind`](super::deviation::DeviationKind).
pub(super) struct ProposedFault<Kind> {
    /// The operation, or the security scheme of every operation.
    pub(super) on: String,
    pub(super) deviation: String,
    pub(super) about: String,
    pub(super) expected: Vec<ExpectedFinding>,
    pub(super) kind: Kind,
}

impl<Kind> ProposedFault<Kind> {
    /// Proposes a fault: its operation, its deviation, what the service does with it, where that shows, and its kind.
    pub(super) fn new(
        on: &str,
        deviation: &str,
        about: impl Into<String>,
        expected: Vec<ExpectedFinding>,
        kind: Kind,
    ) -> Self {
        ProposedFault {
            on: on.to_owned(),
            deviation: deviation.to_owned(),
            about: about.into(),
            expected,
            kind,
        }
    }
}

/// Returns the findings that show that the carries for which `is_changed` holds do not come back as sent: in the
/// response of the operation and in its list.
pub(super) fn carried(operation: &Operation, is_changed: &dyn Fn(&Carry) -> bool) -> Vec<ExpectedFinding> {
    let created = operation.created.iter().flat_map(|created| {
        let changed = created.carries.iter().filter(|carry| is_changed(carry));
        changed.flat_map(|carry| {
            let listed = listed(operation, &created.listed, carry);
            [Some(in_response(operation, created, carry)), listed]
        })
    });
    let updated = operation.updated.iter().flat_map(|updated| {
        let changed = updated.carries.iter().filter(|carry| is_changed(carry));
        changed.map(|carry| listed(operation, &updated.listed, carry))
    });
    created.chain(updated).flatten().collect()
}

pub(super) fn in_response(create: &Operation, created: &Created, carry: &Carry) -> ExpectedFinding {
    let pointer = format!("{}{}", created.resource, carry.returned_at);
    ExpectedFinding {
        rule: rule_of(carry),
        fact: Some(format!("{} created {pointer}: as sent in {}", create.name, carry.sent)),
        pointer,
    }
}

pub(super) fn listed(write: &Operation, listed: &Listed, carry: &Carry) -> Option<ExpectedFinding> {
    let stated = format!(
        "listed in {} {}: as sent in {}",
        listed.list, carry.returned_at, carry.sent
    );
    Some(ExpectedFinding {
        rule: rule_of(carry),
        fact: Some(format!("{} {stated}", write.name)),
        pointer: listed.records()? + &carry.returned_at,
    })
}

fn rule_of(carry: &Carry) -> &'static str {
    if carry.gap.is_some() {
        "stored-spelling"
    } else {
        "stored-values"
    }
}
