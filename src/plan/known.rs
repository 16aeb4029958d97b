//! The values that links carry from answers into requests. The main type is [`Known`].

use std::collections::HashMap;

use serde_json::Value;

use crate::contract::Contract;
use crate::contract::link::{Link, Target};
use crate::contract::operation::OperationId;
use crate::contract::pointer;

/// How many different values of one link are kept.
const KEPT: usize = 3;

/// What the answers so far showed, by link.
#[derive(Clone, Debug, Default)]
pub struct Known {
    values: HashMap<usize, Vec<Value>>,
}

impl Known {
    /// Takes from an answer what its links carry. Null and the empty text carry nothing.
    pub fn learn(&mut self, contract: &Contract, from: OperationId, body: &Value) {
        for link in contract.links_from(from) {
            let kept = self.values.entry(link.number).or_default();
            if kept.len() >= KEPT {
                continue;
            }
            for value in pointer::select(body, &link.value) {
                let empty = value.is_null() || value.as_str().is_some_and(str::is_empty);
                if !empty && kept.len() < KEPT && !kept.contains(value) {
                    kept.push(value.clone());
                }
            }
        }
    }

    /// Forgets what a create's links carried, so that the next create's own identifiers count.
    pub fn forget(&mut self, contract: &Contract, from: OperationId) {
        for link in contract.links_from(from) {
            self.values.remove(&link.number);
        }
    }

    /// The values for a target, those of the run's own records first. Where a create of the contract gives the value, a
    /// list's values are passed over: other people's records are not written to.
    #[must_use]
    pub fn values<'known>(
        &'known self,
        contract: &'known Contract,
        to: OperationId,
        target: &Target,
    ) -> Vec<(&'known Link, &'known Value)> {
        let links = || contract.links_to(to).filter(|link| link.target == *target);
        let own = links().any(|link| !contract.operation(link.from).is_read());
        let admitted = links().filter(|link| !own || !contract.operation(link.from).is_read());
        let valued = admitted.flat_map(|link| {
            self.values
                .get(&link.number)
                .into_iter()
                .flatten()
                .map(move |value| (link, value))
        });
        valued.collect()
    }
}
