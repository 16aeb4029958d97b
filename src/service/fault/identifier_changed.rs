//! An update that leaves its record under another identifier: [`change_response`]. It breaks the invariant of what is
//! updated.

use serde_json::json;

use super::call::{Call, ServedResponse};
use super::contract::{Operation, Updated, operations};
use super::expected::{ExpectedFinding, ProposedFault};
use super::locations::{altered, each};
use super::state::FaultState;

/// The fault of each update.
pub(super) fn faults() -> impl Iterator<Item = ProposedFault<()>> {
    operations().iter().filter_map(|operation| {
        let updated = operation.updated.as_ref()?;
        let about = "an update gives its record another identifier";
        let expected = ExpectedFinding {
            rule: "record-count",
            fact: Some(format!(
                "{} in {}: once, under its id",
                operation.name, updated.listed.list
            )),
            pointer: String::new(),
        };
        Some(ProposedFault::new(
            &operation.name,
            "identifier-changed",
            about,
            vec![expected],
            (),
        ))
    })
}

/// Returns whether the called operation lists what the update writes.
pub(super) fn concerns(update: &Operation, called: &Operation) -> bool {
    let updated = update.updated.as_ref();
    updated.is_some_and(|updated| updated.listed.list == called.name)
}

/// Remembers what an update wrote, or shows it under another identifier in its list.
pub(super) fn change_response(updated: &Updated, call: &Call, response: &mut ServedResponse, state: &FaultState) {
    if !response.is_success() {
        return;
    }
    let Some(invariant) = call
        .operation
        .page
        .as_ref()
        .filter(|_| call.operation.name == updated.listed.list)
    else {
        if let Some(id) = call.identifier() {
            state.remember(&json!(id.to_ascii_lowercase()));
        }
        return;
    };
    let written = state.remembered();
    if let Some(body) = response.success() {
        each(body, &invariant.item_id(), &mut |id| {
            let own = json!(id.as_str().unwrap_or_default().to_ascii_lowercase());
            if written.contains(&own) {
                *id = altered(id);
            }
        });
    }
}
