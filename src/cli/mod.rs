//! The command line: reads arguments, environment, terminal and clock at the edge, and maps outcomes to exit codes.
//! One subcommand a file.

mod check;
mod config;
mod edge;
mod explain;
mod facts;
mod failure;
mod output;
mod plan;
mod progress;
mod residue_file;
mod rules;
mod serve;
mod wrap;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use check::Arguments;
use config::{Settled, Typed};
use failure::Failure;

/// Tells whether a deployed Contact Database and Visits service does what its document says.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    conforms: facts were decided, and no finding at deny
  1    does not conform: a finding at deny
  2    usage or configuration: a bad flag, file or contract
  3    could not judge: unreachable, throttled throughout, or the token refused everywhere
  4    a report, the residue that --residue asks for, or what --accept adds could not be written
  130  interrupted; what was judged until then is reported";

#[derive(Debug, Subcommand)]
enum Command {
    /// Checks a service: the embedded reference service, or a deployed one with --base-url
    #[command(after_help = EXIT_CODES)]
    Check(Box<Arguments>),
    /// Shows what `check` would do with the same flags, and where each value comes from: flag, environment, file, default
    Config(Box<config::shown::ConfigArguments>),
    /// Explains a rule: what it judges, why, its level, an example, what to mend
    Explain(explain::Arguments),
    /// Lists every fact of the contract with its place
    Facts(facts::Arguments),
    /// Lists every request that `check` would send with the same flags, and why; sends nothing
    Plan(Box<Arguments>),
    /// Lists every rule with its level, its sentence and where it comes from
    Rules,
    /// Runs the reference service
    Serve(serve::Arguments),
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let parsed = Cli::command()
        .try_get_matches()
        .and_then(|matches| Cli::from_arg_matches(&matches).map(|cli| (cli, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Clap knows which of help, version and error goes where; a closed pipe is not worth a word.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let ended = match cli.command {
        Command::Check(arguments) if serve::asks_for_list(&arguments.fault) => Ok(check::list_faults()),
        Command::Check(arguments) => settled(*arguments, &matches).and_then(|settled| check::run(&settled)),
        Command::Config(arguments) if arguments.schema() => Ok(config::shown::print_schema()),
        Command::Config(arguments) => {
            let form = arguments.form();
            settled(arguments.check, &matches).and_then(|settled| config::shown::run(&settled, form))
        }
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Facts(arguments) => facts::run(&arguments),
        Command::Plan(arguments) => settled(*arguments, &matches).and_then(|settled| plan::run(&settled)),
        Command::Rules => Ok(rules::run()),
        Command::Serve(arguments) => serve::run(&arguments),
    };
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            edge::error(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// The arguments of a check with what the environment and the configuration add to them.
fn settled(arguments: Arguments, matches: &ArgMatches) -> Result<Settled, Failure> {
    let typed = matches.subcommand().map_or(matches, |(_, typed)| typed);
    Settled::new(arguments, Typed(typed), &edge::folder())
}
