//! Faults by hand: what no single documented field shows. Each names the rule that must see it, and the place.

mod answers;
mod auth;
mod laws;
mod pages;

use countersign::report::Outcome;

use super::checked::{Check, Judged, contract};
use super::deviating::Deviation;
use crate::support::crew::try_all;

/// A deviation that breaks a fact.
pub(super) struct Fault {
    name: String,
    deviation: Deviation,
    /// Rule, operation, place in the answer and fact of what must be found.
    wanted: Wanted,
    /// The operation that shows it, with what that needs; all where none is named.
    only: Option<&'static str>,
    /// Rules that tell of it too, because it cannot be broken alone.
    following: &'static [&'static str],
}

/// The finding that a fault must bring about.
struct Wanted {
    rule: &'static str,
    operation: String,
    pointer: String,
    /// A part of the fact's name.
    fact: String,
}

impl Fault {
    fn new(name: impl Into<String>, deviation: Deviation) -> Self {
        Self {
            name: name.into(),
            deviation,
            wanted: Wanted {
                rule: "",
                operation: String::new(),
                pointer: String::new(),
                fact: String::new(),
            },
            only: None,
            following: &[],
        }
    }

    /// The rule that must tell, and the operation whose answer shows it.
    fn found_by(mut self, rule: &'static str, operation: &str) -> Self {
        self.wanted.rule = rule;
        operation.clone_into(&mut self.wanted.operation);
        self.only = named(operation);
        self
    }

    /// The place in the answer; the whole answer where this is not said.
    fn at(mut self, pointer: &str) -> Self {
        pointer.clone_into(&mut self.wanted.pointer);
        self
    }

    fn of(mut self, fact: &str) -> Self {
        fact.clone_into(&mut self.wanted.fact);
        // A list shows what a create has done.
        self.only = fact.split(' ').next().and_then(named).or(self.only);
        self
    }

    fn bringing(mut self, rules: &'static [&'static str]) -> Self {
        self.following = rules;
        self
    }
}

fn named(operation: &str) -> Option<&'static str> {
    let id = contract().operation_named(operation)?;
    Some(&contract().operation(id).name)
}

/// Checks each fault's service and tells every fault that was not found, or not where it is.
fn prove(faults: Vec<Fault>) {
    try_all(faults, async |mut fault: Fault| {
        let deviation = std::mem::take(&mut fault.deviation);
        // What else is found is asked of the operations that this one needs; of all where every one is called.
        let check = fault.only.map_or_else(Check::default, Check::concerning);
        misses(&fault, &check.judged(deviation).await)
    });
}

fn misses(fault: &Fault, judged: &Judged) -> Vec<String> {
    let Wanted {
        rule,
        operation,
        pointer,
        fact,
    } = &fault.wanted;
    let mut misses = Vec::new();
    if judged.outcome != Outcome::DoesNotConform {
        misses.push(format!("the outcome is {:?}", judged.outcome));
    }
    let mut findings = judged.denied().filter(|finding| finding.rule == *rule);
    let found = findings.any(|finding| {
        finding.operation == *operation && finding.pointer == *pointer && finding.fact.contains(fact.as_str())
    });
    if !found {
        let all: Vec<_> = judged.denied().map(ToString::to_string).collect();
        misses.push(format!(
            "no `{rule}` of {operation} at {pointer:?} ({fact}), but {all:?}"
        ));
    }
    let astray = judged
        .denied()
        .filter(|finding| finding.rule != *rule && !fault.following.contains(&finding.rule.as_str()));
    misses.extend(astray.map(|finding| format!("astray: {finding}")));
    misses
        .into_iter()
        .map(|miss| format!("{}: {miss}", fault.name))
        .collect()
}
