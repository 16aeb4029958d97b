//! The command line: reads arguments, environment, terminal and clock at the edge, and maps outcomes to exit codes.
//!
//! - **In**: the arguments and the environment of this process, `countersign.toml`, files.
//! - **Out**: reports on standard output and in files, progress on standard error, an exit code.
//! - **Start with** [`main`](fn@main); each subcommand has its own file, of which `check` is the largest. `config`
//!   resolves flags, environment and file.
//!
//! ```no_run
//! let code = countersign::cli::main(false);
//! # drop(code);
//! ```

mod announce;
mod arguments;
mod certificates;
mod check;
mod completions;
mod config;
mod diff;
mod document;
mod edge;
#[cfg(feature = "service")]
mod embedded;
#[cfg(not(feature = "service"))]
#[path = "not_embedded.rs"]
mod embedded;
mod explain;
mod facts;
mod failure;
mod format;
mod gaps;
mod judge;
mod learn;
mod ledger_file;
mod lint;
mod man;
mod merge;
mod older_contract;
mod output;
mod overlay_file;
mod overwrites;
mod plan;
mod progress;
mod proxy;
mod report;
mod report_flags;
mod residue_file;
mod rules;
#[cfg(feature = "service")]
mod serve;
mod signals;
mod staged;
mod started;
mod token_command;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use arguments::Arguments;
use config::ResolvedArguments;
use failure::Failure;

use crate::report::wrap;

/// Checks whether a deployed HTTP service conforms to its OpenAPI document.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, max_term_width = 100, after_help = CHECK_EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const CHECK_EXIT_CODES: &str = "\
Exit codes:
  0    conforms: facts were decided, and there is no error (warnings are possible)
  1    does not conform: there is at least one error
  2    usage or configuration: a bad flag, file or contract, a missing token
  3    could not be judged: unreachable, token rejected, out of time, too few facts were decided, …
  4    a report, the log of --residue, --accept entries or standard output could not be written
  130  interrupted; what was judged so far is reported";

const MERGE_EXIT_CODES: &str = "\
Exit codes:
  0    conforms: facts were decided, and there is no error (warnings are possible)
  1    does not conform: there is at least one error
  2    usage: a bad flag, a file that is not a report of this version, or reports that do not belong together
  3    could not be judged: a shard is missing, a run could not be judged, or too few facts were decided
  4    a report could not be written, or a run could not write its log (--residue)
  130  a run was interrupted";

const TRAFFIC_EXIT_CODES: &str = "\
Exit codes:
  0    conforms: facts were decided, and there is no error (warnings are possible)
  1    does not conform: there is at least one error
  2    usage or configuration: a bad flag, file or contract
  3    could not be judged: no operation succeeded, a file is truncated, or too few facts were decided
  4    a report, or the entries for --accept, could not be written";

const LEARN_EXIT_CODES: &str = "\
Exit codes:
  0    a gap was answered
  2    usage or configuration: a bad flag, file or contract, a missing token
  3    no gap was answered, or the run did not get through: unreachable, throttled, token rejected, out of time
  4    a report, the log of --residue, the ledger or the overlay could not be written
  130  interrupted; what was learned so far is reported";

const PROXY_EXIT_CODES: &str = "\
Exit codes:
  0    conforms: facts were decided, and there is no error (warnings are possible); and COMMAND ended with 0
  1    does not conform: there is at least one error
  2    usage or configuration: a bad flag, file or contract, an address that is taken, a COMMAND that cannot be run
  3    could not be judged: no operation succeeded, more was dropped than judged, or too few facts were decided
  4    a report, or the entries for --accept, could not be written
If COMMAND ends with a greater code, proxy ends with that code; a COMMAND that signal N killed counts as 128 + N.";

/// The exit codes of the command that compares two documents.
const DIFF_EXIT_CODES: &str = "\
Exit codes:
  0  there is no breaking difference, or each is accepted; see --fail-on
  1  at least one difference is breaking and not accepted; see --fail-on
  2  usage: a bad flag, or a document that cannot be read
  4  a report could not be written";

/// The exit codes of the command that lists the defects of documents.
const LINT_EXIT_CODES: &str = "\
Exit codes:
  0  no defect
  1  a defect
  2  usage: a bad flag, or a file that cannot be read
  4  a report could not be written";

/// The exit codes of commands that print something and send nothing.
const PRINT_EXIT_CODES: &str = "\
Exit codes:
  0  printed
  2  usage or configuration: a bad flag, name, file or contract
  4  the output could not be written";

/// The exit codes of commands that make files for other programs.
const WRITE_EXIT_CODES: &str = "\
Exit codes:
  0  written
  2  usage: a bad flag or name
  4  the output could not be written; nothing half-written is left";

/// The exit codes of the command that writes reports and judges nothing.
const REPORT_EXIT_CODES: &str = "\
Exit codes:
  0  written; with --exit-code, the exit code of the check itself
  2  usage: a bad flag, or a file that is not a report of this version
  4  a report could not be written";

#[cfg(feature = "service")]
const SERVE_EXIT_CODES: &str = "\
Exit codes:
  0  stopped by Ctrl-C, SIGTERM or SIGHUP, or the requested list was printed
  2  usage or configuration: a bad flag, name or file, a store that cannot be opened, an address that is taken
  4  standard output could not be written";

#[derive(Debug, Subcommand)]
enum Command {
    /// Checks a service: the reference service, or a deployed one with --base-url
    #[command(after_help = CHECK_EXIT_CODES)]
    Check(Box<Arguments>),
    /// Prints a shell script that completes commands, flags, rules and operations
    #[command(after_help = WRITE_EXIT_CODES)]
    Completions(completions::Arguments),
    /// Prints every setting of the target and the run that `check` would use with the same flags, except parameter
    /// values, and where each comes from: flag, environment, file or default
    #[command(after_help = PRINT_EXIT_CODES)]
    Config(Box<config::shown::ConfigArguments>),
    /// Compares two documents: what the new one changes for callers of the service and for the Rust client
    #[command(after_help = DIFF_EXIT_CODES)]
    Diff(diff::Arguments),
    /// Explains a rule: what it judges, why, its level, an example, what to fix
    #[command(after_help = PRINT_EXIT_CODES)]
    Explain(explain::Arguments),
    /// Lists every fact of the contract with its location
    #[command(after_help = PRINT_EXIT_CODES)]
    Facts(facts::Arguments),
    /// Lists what the document leaves open, with the answers in a ledger
    #[command(after_help = PRINT_EXIT_CODES)]
    Gaps(gaps::Arguments),
    /// Judges recorded traffic of other clients by the rules of a check; sends nothing
    #[command(after_help = TRAFFIC_EXIT_CODES)]
    Judge(Box<judge::JudgeArguments>),
    /// Probes a service for what the document leaves open: by reads, and with --writes also by creates and by updates
    /// of the run's own record
    #[command(after_help = LEARN_EXIT_CODES)]
    Learn(Box<learn::LearnArguments>),
    /// Lists the defects in OpenAPI documents, each with line and column, and the operations that a check leaves out
    /// because of them
    #[command(after_help = LINT_EXIT_CODES)]
    Lint(lint::Arguments),
    /// Prints the manual pages of the program and of each command, or writes them to a folder
    #[command(after_help = WRITE_EXIT_CODES)]
    Man(man::Arguments),
    /// Merges the reports of the shards of a check, or of a check and `judge`, into one
    #[command(after_help = MERGE_EXIT_CODES)]
    Merge(merge::Arguments),
    /// Lists every step that `check` (with --learn, `learn`) would take, and why; takes the flags of `check`; sends
    /// nothing
    #[command(after_help = PRINT_EXIT_CODES)]
    Plan(Box<plan::PlanArguments>),
    /// Forwards requests of other clients to a service, and judges the exchanges
    #[command(after_help = PROXY_EXIT_CODES)]
    Proxy(Box<proxy::ProxyArguments>),
    /// Converts a JSON report to other formats
    #[command(after_help = REPORT_EXIT_CODES)]
    Report(report::Arguments),
    /// Lists every rule with its level, a one-line summary and its source
    #[command(after_help = PRINT_EXIT_CODES)]
    Rules,
    /// Runs the reference service
    #[cfg(feature = "service")]
    #[command(after_help = SERVE_EXIT_CODES)]
    Serve(serve::Arguments),
}

/// Returns the command line. The commands that take the flags of a check show those that they use, in their own words.
fn command() -> clap::Command {
    let command = Cli::command().mut_subcommand("judge", judge::hide_sending_flags);
    let command = command.mut_subcommand("learn", learn::hide_judging_flags);
    let command = command.mut_subcommand("plan", plan::with_own_help);
    let command = command.mut_subcommand("config", config::shown::with_own_help);
    command.mut_subcommand("proxy", proxy::with_own_help)
}

/// Runs the command line of this process, which may have been started without a standard output.
#[must_use]
pub fn main(stdout_is_closed: bool) -> ExitCode {
    if stdout_is_closed {
        edge::note_closed_stdout();
    }
    let parsed = command()
        .try_get_matches()
        .and_then(|matches| Cli::from_arg_matches(&matches).map(|cli| (cli, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            return match edge::print_usage(&error) {
                Ok(()) => ExitCode::from(code),
                Err(failure) => failed(&failure),
            };
        }
    };
    let ended = match cli.command {
        Command::Check(arguments) if check::asks_for_list(&arguments.fault) => embedded::list_faults(),
        Command::Check(arguments) => resolved(*arguments, &matches).and_then(|resolved| check::run(&resolved)),
        Command::Config(arguments) if arguments.schema() => config::shown::print_schema(),
        Command::Config(arguments) => {
            let form = arguments.form();
            resolved(arguments.check, &matches).and_then(|resolved| config::shown::run(&resolved, form))
        }
        Command::Completions(arguments) => completions::run(&arguments, command()),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Facts(arguments) => facts::run(&arguments),
        Command::Judge(arguments) => judge::reject_sending_flags(&matches).and_then(|()| {
            let judge::JudgeArguments { files, check } = *arguments;
            judge::run(&files, &resolved(check, &matches)?)
        }),
        Command::Gaps(arguments) => gaps::run(&arguments),
        Command::Learn(arguments) => learn::reject_judging(&matches).and_then(|()| {
            let (check, learning) = arguments.split();
            learn::run(&learning, &resolved(check, &matches)?.for_learning(), &matches)
        }),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Man(arguments) => man::run(&arguments, command()),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Plan(arguments) => {
            let plan::PlanArguments { learn, check } = *arguments;
            resolved(check, &matches).and_then(|resolved| match learn {
                true => plan::run(&resolved.for_learning(), true),
                false => plan::run(&resolved, false),
            })
        }
        Command::Proxy(arguments) => judge::reject_sending_flags(&matches).and_then(|()| {
            let (check, proxying) = arguments.split();
            proxy::run(&proxying, &resolved(check, &matches)?)
        }),
        Command::Report(arguments) => report::run(&arguments),
        Command::Rules => rules::run(),
        #[cfg(feature = "service")]
        Command::Serve(arguments) => serve::run(&arguments),
    };
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failed(&failure),
    }
}

fn failed(failure: &Failure) -> ExitCode {
    edge::error(failure);
    ExitCode::from(failure.exit_code())
}

/// Returns the arguments of a check with what the environment and the configuration add to them.
fn resolved(arguments: Arguments, matches: &ArgMatches) -> Result<ResolvedArguments, Failure> {
    let typed = matches.subcommand().map_or(matches, |(_, typed)| typed);
    ResolvedArguments::new(arguments, typed, &edge::working_folder())
}
