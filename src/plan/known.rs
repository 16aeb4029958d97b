//! The values that links carry from answers into requests. The main type is [`Known`].

use std::collections::HashMap;

use serde_json::Value;

use crate::contract::Contract;
use crate::contract::link::{Link, Target};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::exchange::identifier;

/// How many different values of one link are kept.
const KEPT: usize = 3;

/// What the answers so far showed, by link.
#[derive(Clone, Debug, Default)]
pub struct Known {
    values: HashMap<usize, Vec<Value>>,
}

impl Known {
    /// Takes from an answer what its links carry. Null and the empty text carry nothing, and neither does a value beyond an
    /// identifier's length, an object or an array: it would be kept, put into a path and sent back.
    pub fn learn(&mut self, contract: &Contract, from: OperationId, body: &Value) {
        for (index, link) in contract.links.iter().enumerate().filter(|(_, link)| link.from == from) {
            let kept = self.values.entry(index).or_default();
            if kept.len() >= KEPT {
                continue;
            }
            for value in pointer::select(body, &link.value) {
                if is_carried(value) && kept.len() < KEPT && !kept.contains(value) {
                    kept.push(value.clone());
                }
            }
        }
    }

    /// Forgets what a create's links carried, so that the next create's own identifiers count.
    pub fn forget(&mut self, contract: &Contract, from: OperationId) {
        for (index, _) in contract.links.iter().enumerate().filter(|(_, link)| link.from == from) {
            self.values.remove(&index);
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
        let links = || {
            contract
                .links
                .iter()
                .enumerate()
                .filter(|(_, link)| link.to == to && link.target == *target)
        };
        let own = links().any(|(_, link)| !contract.operation(link.from).is_read());
        let admitted = links().filter(|(_, link)| !own || !contract.operation(link.from).is_read());
        let valued = admitted.flat_map(|(index, link)| {
            self.values
                .get(&index)
                .into_iter()
                .flatten()
                .map(move |value| (link, value))
        });
        valued.collect()
    }
}

fn is_carried(value: &Value) -> bool {
    value.is_boolean() || identifier(value).is_some()
}
