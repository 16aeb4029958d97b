//! `countersign completions SHELL`: prints what a shell needs to complete our commands, flags and names.

use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use clap_complete::Shell;

use super::edge;
use super::failure::Failure;
use crate::contract::Contract;
use crate::rules::RULES;

/// The arguments of `completions`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The shell that the script is for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script for `command`.
pub(super) fn run(arguments: &Arguments, command: Command) -> Result<u8, Failure> {
    edge::print_verbatim(&script(arguments.shell, with_names(command)?))?;
    Ok(0)
}

fn script(shell: Shell, mut command: Command) -> Vec<u8> {
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(shell, &mut command, name, &mut script);
    script
}

/// Returns the command with rules and operations completed by name too: each flag that takes one lists them all. The
/// operations of another contract are not known here.
fn with_names(command: Command) -> Result<Command, Failure> {
    let contract = Contract::built_in()?;
    let operations: Vec<_> = contract
        .operations
        .into_iter()
        .map(|operation| operation.name)
        .collect();
    let rules: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
    Ok(command.mut_subcommands(|subcommand| {
        subcommand.mut_args(|argument| match argument.get_value_names().unwrap_or_default() {
            [name] if name == "OPERATION" => argument.value_parser(PossibleValuesParser::new(&operations)),
            [name] if name == "RULE" => argument.value_parser(PossibleValuesParser::new(&rules)),
            _ => argument,
        })
    }))
}
