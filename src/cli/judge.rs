//! `countersign judge`: judges recorded traffic as `check` judges its own, and sends nothing.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use super::arguments::Arguments as CheckArguments;
use super::check::{accept, contract, levels, reject_own_overwrites, write};
use super::config::{self, ResolvedArguments};
use super::edge;
use super::failure::{Failure, NOT_WRITTEN};
use super::output::Outputs;
use super::overwrites;
use super::report_flags;
use crate::contract::Contract;
use crate::exchange::Target;
use crate::exchange::redact::{Redaction, Values};
use crate::report::{
    Exchanges, FindingRecord, NotJudgedRecord, Record, RecordedAt, RunContext, TrafficFileRecord, TrafficRecord,
    accepted, record,
};
use crate::run::Tally;
use crate::traffic::{self, File, FileRead, Judged};

/// The arguments of `judge`.
#[derive(Debug, Args)]
pub(super) struct JudgeArguments {
    /// HTTP archives (HAR 1.2), or lines that are each an entry of one; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) check: CheckArguments,
}

/// The flags of a check that say what is sent, or that would print values of other people's traffic.
const OF_SENDING: [&str; 18] = [
    "also_send",
    "fault",
    "jobs",
    "max_pages",
    "max_time",
    "max_writes",
    "only",
    "rate",
    "repeat",
    "residue",
    "seed",
    "shard",
    "show_values",
    "skip",
    "timeout",
    "token_file",
    "wait",
    "writes",
];

/// Hides the flags that mean nothing here.
pub(super) fn without_sending(command: clap::Command) -> clap::Command {
    let hidden = |command: clap::Command, id: &str| command.mut_arg(id, |flag| flag.hide(true));
    let command = OF_SENDING.into_iter().fold(command, hidden);
    let base_url = "The base URL of the service in the traffic; without it the contract's server, or the only origin \
                    that calls its operations";
    let spoken = "Print each undecided fact";
    let command = command.mut_arg("verbose", |flag| flag.help(spoken));
    command.mut_arg("base_url", |flag| flag.help(base_url).long_help(base_url))
}

/// Rejects flags that mean nothing here, before somebody believes that they do.
///
/// # Errors
///
/// [`Failure::Usage`] with the flag.
pub(super) fn reject_sending(matches: &ArgMatches) -> Result<(), Failure> {
    let Some(typed) = matches.subcommand_matches("judge") else {
        return Ok(());
    };
    let is_typed = |id: &&str| typed.value_source(id) == Some(ValueSource::CommandLine);
    match OF_SENDING.into_iter().find(is_typed) {
        None => Ok(()),
        Some(id) => Err(Failure::Usage(format!(
            "--{} has no meaning for `judge`, which sends nothing and shows no value of the traffic; leave it out",
            id.replace('_', "-")
        ))),
    }
}

/// Judges, writes the reports, and ends with the outcome's exit code.
pub(super) fn run(files: &[PathBuf], resolved: &ResolvedArguments) -> Result<u8, Failure> {
    let arguments = &resolved.arguments;
    let started_at = edge::now();
    let contract = Arc::new(contract(arguments.spec())?.hiding_other_names());
    let entries = resolved.levels(&contract, started_at.date_naive())?;
    let mut levels = levels(arguments)?;
    let acceptances = config::add(&entries, &mut levels);
    let summary = edge::step_summary();
    reject_own_overwrites(resolved, summary.as_deref())?;
    let named = files.iter().filter(|file| *file != Path::new("-"));
    let inputs: Vec<_> = named.map(|file| ("the traffic", file.as_path())).collect();
    overwrites::reject_overwrites(&overwrites::reports(&arguments.report), &inputs)?;
    let opened = files.iter().map(|file| open(file)).collect::<Result<Vec<_>, _>>()?;
    let outputs = Outputs::open(&report_flags::targets(&arguments.report), summary)?;
    let accepting = resolved.accepting()?;
    let base = arguments.service.base_url.as_ref();
    let base = base.map(|url| Target::parse(&url.value)).transpose()?;
    let settings = traffic::Settings {
        base,
        levels: levels.clone(),
        settle: Duration::from_secs_f64(arguments.service.pace.settle.value.0),
    };
    let clock = Instant::now();
    let mut exchanges = Exchanges::new(&contract, Values::Hidden, Redaction::default());
    let keeps = outputs.show_exchanges();
    let judged = traffic::judge(&contract, opened, settings, &mut |event| {
        if keeps {
            exchanges.add_event(event);
        }
    });
    let target = target(&judged)?;
    let about = RunContext {
        contract: &contract,
        target: &target,
        seed: 0,
        recorded: true,
        writes: false,
        started_at,
        duration: clock.elapsed(),
        require_facts: arguments.check.require_facts.as_ref().map(|percent| percent.value.0),
        values: Values::Hidden,
        redaction: &Redaction::default(),
    };
    let mut record = record(&judged.run, exchanges, &about);
    describe(&mut record, &judged, &contract);
    record.accepted = accepted(&judged.run, &contract, &levels, &acceptances);
    let accepted = accept(accepting, &judged.run, &record, &contract);
    let terminals = report_flags::terminals(arguments.color, (arguments.quiet, arguments.verbose));
    let written = write(outputs, (&record, &terminals), accepted)?;
    Ok(if written { record.exit_code } else { NOT_WRITTEN })
}

fn open(file: &Path) -> Result<File, Failure> {
    let content: Box<dyn Read + Send> = if file == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        let opened = fs::File::open(file).map_err(|source| Failure::File {
            what: "traffic",
            path: file.to_owned(),
            source,
        })?;
        Box::new(opened)
    };
    Ok(File {
        name: file.display().to_string(),
        content,
    })
}

/// Returns the service whose traffic was judged.
///
/// # Errors
///
/// A file of which nothing could be read; no call of an operation; calls at several origins.
fn target(judged: &Judged) -> Result<Target, Failure> {
    let unread = |file: &&FileRead| file.entries == 0 && file.stopped.is_some();
    if let Some(FileRead {
        name,
        stopped: Some(stopped),
        ..
    }) = judged.files.iter().find(unread)
    {
        return Err(Failure::Traffic(format!(
            "failed to read the traffic from `{name}`: {stopped}"
        )));
    }
    if !judged.other_origins.is_empty() {
        let chosen = judged.target.iter().map(Target::origin);
        let origins: Vec<_> = chosen.chain(judged.other_origins.iter().cloned()).collect();
        return Err(Failure::Traffic(format!(
            "the traffic calls operations of the contract at several origins ({}); say with --base-url which one is the \
             service's",
            origins.join(", ")
        )));
    }
    judged.target.clone().ok_or_else(|| {
        let why = judged
            .not_judged
            .iter()
            .map(|(why, count)| format!("{count} {}", why.describe()));
        let why = why.collect::<Vec<_>>().join(", ");
        if why.is_empty() {
            return Failure::NoCall("the traffic has no entries, so nothing was judged".to_owned());
        }
        Failure::NoCall(format!(
            "no entry of the traffic calls an operation of the contract ({why}); if the service is below a path, give \
             --base-url with it"
        ))
    })
}

/// Adds to the record what is only known of traffic.
fn describe(record: &mut Record, judged: &Judged, contract: &Contract) {
    for (finding, place) in judged.run.verdicts.findings().iter().zip(&judged.found_at) {
        let (fact, file) = (&contract.fact(finding.fact).name, judged.files.get(place.file));
        let is_it = |known: &&mut FindingRecord| {
            known.rule.is(finding.rule) && known.fact == **fact && known.response_pointer == finding.pointer
        };
        if let (Some(record), Some(file)) = (record.findings.iter_mut().find(is_it), file) {
            record.recorded_at = Some(RecordedAt {
                file: file.name.clone(),
                entry: place.entry,
            });
        }
    }
    let files = judged.files.iter().map(|file| TrafficFileRecord {
        name: file.name.clone(),
        entries: file.entries,
        stopped: file.stopped.as_ref().map(ToString::to_string),
    });
    let not_judged = judged.not_judged.iter().map(|(why, count)| NotJudgedRecord {
        reason: why.describe().to_owned(),
        count: *count,
    });
    // None of them was sent.
    record.requests = Tally::default();
    record.traffic = Some(TrafficRecord {
        files: files.collect(),
        judged: judged.run.tally.answered,
        not_judged: not_judged.collect(),
    });
}
