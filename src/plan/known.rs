//! The values that links carry from answers into requests. The main type is [`Known`].

use std::collections::HashMap;

use serde_json::Value;

use crate::contract::Contract;
use crate::contract::link::{Link, Target};
use crate::contract::operation::OperationId;
use crate::contract::pointer;

/// How many different values of one link are kept.
const KEPT: usize = 3;

/// How much of a value goes into another request: its texts in bytes, and as much again for each value in it.
const MOST_CARRIED: usize = 64 << 10;
const A_VALUE: usize = 64;

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
                if !empty && kept.len() < KEPT && is_carried(value) && !kept.contains(value) {
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

/// Whether a value is of a size that a request can have: a target may show megabytes where an identifier belongs.
fn is_carried(value: &Value) -> bool {
    let (mut open, mut size) = (vec![value], 0);
    while let Some(value) = open.pop() {
        size += A_VALUE;
        match value {
            Value::Array(elements) => open.extend(elements.iter().take(MOST_CARRIED / A_VALUE)),
            Value::Object(members) => {
                size += members.keys().map(String::len).sum::<usize>();
                open.extend(members.values().take(MOST_CARRIED / A_VALUE));
            }
            Value::String(text) => size += text.len(),
            Value::Bool(_) | Value::Null | Value::Number(_) => {}
        }
        if size > MOST_CARRIED {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What a link from the list of tags carries of an identifier.
    fn carried(id: &Value) -> usize {
        let contract = Contract::built_in().unwrap();
        let list = contract.operation_named("getTags").unwrap();
        let mut known = Known::default();
        known.learn(&contract, list, &json!({"data": {"items": [{"id": id, "name": id}]}}));
        let links = contract.links_from(list);
        assert!(links.clone().count() > 0);
        links
            .map(|link| known.values(&contract, link.to, &link.target).len())
            .sum()
    }

    #[test]
    fn a_value_that_no_request_can_have_is_not_carried() {
        assert!(carried(&json!("t-17")) > 0);
        assert!(carried(&json!({"a": [1, 2]})) > 0);
        for id in [
            json!("x".repeat(MOST_CARRIED)),
            json!(vec![0; MOST_CARRIED]),
            json!({"x".repeat(MOST_CARRIED): 0}),
        ] {
            assert_eq!(carried(&id), 0);
        }
    }
}
