//! `countersign facts`: lists every fact of the contract with its location.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;

use super::check::contract;
use super::edge;
use super::failure::Failure;
use crate::contract::Contract;
use crate::report::counted;

/// The arguments of `facts`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// A contract to use instead of the built-in one: an OpenAPI 3.0, 3.1 or 3.2 document
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
}

/// Prints a line for each fact: file and line, name, pointer in the contract.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let contract = contract(arguments.spec.as_deref(), None)?;
    edge::print(&listing(&contract))?;
    Ok(0)
}

fn listing(contract: &Contract) -> String {
    let mut facts: Vec<_> = contract.facts.iter().collect();
    facts.sort_by_key(|fact| fact.operation);
    let locations: Vec<_> = facts
        .iter()
        .map(|fact| contract.position(fact))
        .map(|position| format!("{}:{}", contract.document.file(position), position.line))
        .collect();
    let width = locations.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (fact, location) in facts.iter().zip(&locations) {
        // Writing into a String does not fail.
        let _ = writeln!(text, "{location:<width$}  {}  ({})", fact.name, fact.location);
    }
    let _ = writeln!(
        text,
        "{} in {}",
        counted(facts.len(), "fact"),
        counted(contract.operations.len(), "operation")
    );
    text
}
