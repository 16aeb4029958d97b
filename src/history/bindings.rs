//! The values that links carry from responses into requests. The main type is [`Bindings`].

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::contract::Contract;
use crate::contract::link::{Link, Target};
use crate::contract::operation::OperationId;
use crate::contract::pointer;
use crate::exchange::identifier;

/// The maximum number of different values that are kept for one link: a body sends one of them, and the others are its
/// fallbacks where it is rejected.
const MAX_VALUES_PER_LINK: usize = 3;

/// The values that responses have shown so far, by link.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// By the number of the link.
    values: HashMap<usize, Vec<Value>>,
    /// The operations of which a success was read, whatever it showed.
    read_from: HashSet<OperationId>,
}

impl Bindings {
    /// Takes the values of an operation's links from a response body. Null, the empty string and anything that is not
    /// an identifier are ignored: a value longer than one, a boolean, an object or an array would be kept, put into a
    /// path and sent back.
    pub fn bind(&mut self, contract: &Contract, from: OperationId, body: &Value) {
        self.read_from.insert(from);
        for link in contract.links_from(from) {
            let kept = self.values.entry(link.number).or_default();
            if kept.len() >= MAX_VALUES_PER_LINK {
                continue;
            }
            for value in pointer::select(body, &link.value) {
                if identifier(value).is_some() && kept.len() < MAX_VALUES_PER_LINK && !kept.contains(value) {
                    kept.push(value.clone());
                }
            }
        }
    }

    /// Forgets the values of a create's links, so that the identifiers of the next create count.
    pub fn forget(&mut self, contract: &Contract, from: OperationId) {
        for link in contract.links_from(from) {
            self.values.remove(&link.number);
        }
    }

    /// Whether a success of the operation was read, whatever it showed.
    pub(crate) fn has_read_from(&self, operation: OperationId) -> bool {
        self.read_from.contains(&operation)
    }

    /// Returns the values for a target, each with its link. Where a create in the contract provides the value for a
    /// write, the values from lists are left out: other people's records are never written to. A read takes them where
    /// no create has shown one.
    #[must_use]
    pub fn values<'own>(
        &'own self,
        contract: &'own Contract,
        to: OperationId,
        target: &Target,
    ) -> Vec<(&'own Link, &'own Value)> {
        self.linked_values(contract, to, &contract.links_that_fill(to, target))
    }

    /// Returns the values of the links that may fill a target, as [`Self::values`] does.
    pub(crate) fn linked_values<'own>(
        &'own self,
        contract: &'own Contract,
        to: OperationId,
        links: &[&'own Link],
    ) -> Vec<(&'own Link, &'own Value)> {
        let valued = links.iter().flat_map(|link| {
            self.values
                .get(&link.number)
                .into_iter()
                .flatten()
                .map(move |value| (*link, value))
        });
        let valued: Vec<_> = valued.collect();
        let created = |(link, _): &(&Link, &Value)| !contract.operation(link.from).is_read();
        let own = contract.operation(to).is_read() && valued.iter().any(created);
        valued.into_iter().filter(|value| !own || created(value)).collect()
    }
}
