//! The command line: reads arguments, environment, terminal and clock at the edge, and maps outcomes to exit codes.
//! One subcommand a file.

mod check;
mod edge;
mod explain;
mod facts;
mod failure;
mod format;
mod output;
mod plan;
mod progress;
mod residue_file;
mod rules;
mod serve;
mod wrap;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
  4    a report, or the residue that --residue asks for, could not be written
  130  interrupted; what was judged until then is reported";

#[derive(Debug, Subcommand)]
enum Command {
    /// Checks a service: the embedded reference service, or a deployed one with --base-url
    #[command(after_help = EXIT_CODES)]
    Check(Box<check::Arguments>),
    /// Explains a rule: what it judges, why, its level, an example, what to mend
    Explain(explain::Arguments),
    /// Lists every fact of the contract with its place
    Facts(facts::Arguments),
    /// Lists every request that `check` would send with the same flags, and why; sends nothing
    Plan(Box<check::Arguments>),
    /// Lists every rule with its level, its sentence and where it comes from
    Rules,
    /// Runs the reference service
    Serve(serve::Arguments),
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Clap knows which of help, version and error goes where; a closed pipe is not worth a word.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let ended = match cli.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Facts(arguments) => facts::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
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
