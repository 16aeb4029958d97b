//! Faults by hand: what no single documented field shows. Each names the rule that must see it, and the place.

mod answers;
mod auth;
mod laws;
mod pages;

use countersign::report::Outcome;

use super::checked::{Check, Checked, any_element, told};
use super::deviating::Deviation;
use crate::support::crew::try_all;

/// A deviation that breaks a fact.
pub(super) struct Fault {
    name: String,
    deviation: Deviation,
    /// Rule, operation, place in the answer and fact of what must be found.
    wanted: Wanted,
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
            following: &[],
        }
    }

    /// The rule that must tell, and the operation whose answer shows it.
    fn found_by(mut self, rule: &'static str, operation: &str) -> Self {
        self.wanted.rule = rule;
        operation.clone_into(&mut self.wanted.operation);
        self
    }

    /// The place in the answer; the whole answer where this is not said.
    fn at(mut self, pointer: &str) -> Self {
        pointer.clone_into(&mut self.wanted.pointer);
        self
    }

    fn of(mut self, fact: &str) -> Self {
        fact.clone_into(&mut self.wanted.fact);
        self
    }

    fn bringing(mut self, rules: &'static [&'static str]) -> Self {
        self.following = rules;
        self
    }
}

/// Checks each fault's service and tells every fault that was not found, or not where it is.
fn prove(faults: Vec<Fault>) {
    try_all(faults, async |mut fault: Fault| {
        let deviation = std::mem::take(&mut fault.deviation);
        let checked = Check::default().run(deviation).await;
        misses(&fault, &checked)
    });
}

fn misses(fault: &Fault, checked: &Checked) -> Vec<String> {
    let Wanted {
        rule,
        operation,
        pointer,
        fact,
    } = &fault.wanted;
    let mut misses = Vec::new();
    if checked.outcome() != Outcome::DoesNotConform {
        misses.push(format!("the outcome is {:?}", checked.outcome()));
    }
    let mut findings = checked.denied().filter(|finding| finding.rule == *rule);
    let found = findings.any(|finding| {
        finding.operation == *operation
            && any_element(&finding.answer_pointer) == *pointer
            && finding.fact.contains(fact.as_str())
    });
    if !found {
        let all: Vec<_> = checked.denied().map(told).collect();
        misses.push(format!(
            "no `{rule}` of {operation} at {pointer:?} ({fact}), but {all:?}"
        ));
    }
    let astray = checked
        .denied()
        .filter(|finding| finding.rule != *rule && !fault.following.contains(&finding.rule.as_str()));
    misses.extend(astray.map(|finding| format!("astray: {}", told(finding))));
    misses
        .into_iter()
        .map(|miss| format!("{}: {miss}", fault.name))
        .collect()
}
