//! `countersign judge`: judges recorded traffic as `check` judges its own, and sends nothing.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

use super::arguments::Arguments as CheckArguments;
use super::check::{accept, contract, levels, reject_own_overwrites, write};
use super::config::{self, EntryWriter, ResolvedArguments};
use super::edge;
use super::failure::{Failure, NOT_WRITTEN};
use super::format::Reported as _;
use super::older_contract::OlderContract;
use super::output::Outputs;
use super::overwrites;
use super::report_flags;
use crate::contract::Contract;
use crate::exchange::Target;
use crate::exchange::redact::{Redaction, ValueDisplay};
use crate::proxy::ExchangeCounts;
use crate::report::AcceptedDeviation;
use crate::report::{
    Exchanges, FindingRecord, NotJudgedRecord, Record, RecordedIn, RunContext, TrafficFileRecord, TrafficRecord,
    accepted, record,
};
use crate::rules::Levels;
use crate::run::{Event, RequestCounts, RunEnd};
use crate::traffic::{self, File, FileRead, Judged, NotJudged, Skipped};

/// The arguments of `judge`.
#[derive(Debug, Args)]
pub(super) struct JudgeArguments {
    /// HTTP archives (HAR 1.2), or JSON Lines with one entry per line; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) check: CheckArguments,
}

/// The flags of a check that say what is sent, that would print values of other people's traffic, or that state answers
/// which only a check judges.
const SENDING_FLAGS: [&str; 24] = [
    "also_send", "cacert", "cert", "cleanup", "fault", "jobs", "key", "max_pages", "max_time", "max_writes", "only",
    "overlay", "rate", "repeat", "residue", "seed", "shard", "show_values", "skip", "start", "timeout", "token_file",
    "wait", "writes",
];

/// Those of them that a proxy needs for its own connections.
pub(super) const CONNECTION_FLAGS: [&str; 3] = ["cacert", "cert", "key"];

/// Hides the flags that mean nothing here.
pub(super) fn hide_sending_flags(command: clap::Command) -> clap::Command {
    let hidden = |command: clap::Command, id: &str| command.mut_arg(id, |flag| flag.hide(true));
    let command = SENDING_FLAGS.into_iter().fold(command, hidden);
    let base_url = "The base URL of the service in the traffic; by default the contract's server, or the only origin at \
                    which its operations are called";
    let command = command
        .mut_arg("verbose", |flag| flag.help(Record::VERBOSE))
        .mut_arg("target", |flag| {
            flag.help("The target of `countersign.toml` whose traffic is judged")
        });
    command.mut_arg("base_url", |flag| flag.help(base_url).long_help(base_url))
}

/// Rejects flags that mean nothing here, before somebody believes that they do.
///
/// # Errors
///
/// [`Failure::Usage`] with the flag.
pub(super) fn reject_sending_flags(matches: &ArgMatches) -> Result<(), Failure> {
    let Some((name, typed)) = matches.subcommand() else {
        return Ok(());
    };
    let is_typed = |id: &str| typed.value_source(id) == Some(ValueSource::CommandLine);
    // The recording of a proxy may contain values.
    let records = typed.try_contains_id("record").unwrap_or(false);
    let is_used = |id: &str| match id {
        "show_values" => records,
        id => name == "proxy" && CONNECTION_FLAGS.contains(&id),
    };
    match SENDING_FLAGS.into_iter().find(|id| is_typed(id) && !is_used(id)) {
        None => Ok(()),
        Some(id) => Err(Failure::Usage(format!(
            "--{} does not apply to `{name}`, which sends no requests of its own and shows no value of the traffic; leave \
             it out",
            id.replace('_', "-")
        ))),
    }
}

/// Judges, writes the reports, and ends with the outcome's exit code.
pub(super) fn run(files: &[PathBuf], resolved: &ResolvedArguments) -> Result<u8, Failure> {
    let named = files.iter().filter(|file| *file != Path::new("-"));
    let inputs: Vec<_> = named.map(|file| ("the traffic", file.as_path())).collect();
    let judging = Judging::new(resolved, &inputs, None)?;
    let opened = files.iter().map(|file| open(file)).collect::<Result<Vec<_>, _>>()?;
    let base = resolved.arguments.service.base_url.as_ref();
    let base = base.map(|url| Target::parse(&url.value)).transpose()?;
    let clock = Instant::now();
    let contract = Arc::clone(&judging.contract);
    let mut exchanges = judging.exchanges(&contract);
    let settings = judging.settings(base, resolved);
    let mut judged = traffic::judge(&contract, opened, settings, &mut |event| exchanges.add(event));
    if let Some(reason) = judged.all_went_elsewhere() {
        // Reports name no other origin: it is not the service's.
        let others: Vec<_> = judged.other_origins.iter().map(String::as_str).collect();
        if !others.is_empty() {
            edge::note(&format!("note: operations were called at {}", others.join(", ")));
        }
        judged.run.ended = RunEnd::Incomplete(reason);
    }
    let target = target(&judged)?;
    judging.conclude(resolved, (&judged, None), (&target, exchanges, clock.elapsed()))
}

/// What judging other clients' traffic needs besides the traffic.
pub(super) struct Judging {
    pub(super) started_at: DateTime<Utc>,
    pub(super) contract: Arc<Contract>,
    older_contract: Option<OlderContract>,
    levels: Levels,
    accepted_deviations: Vec<AcceptedDeviation>,
    outputs: Outputs,
    accepting: Option<EntryWriter>,
}

/// The exchanges that a report shows, if one shows any.
pub(super) struct ShownExchanges<'contract>(Option<Exchanges<'contract>>);

impl ShownExchanges<'_> {
    /// Takes an event of judging.
    pub(super) fn add(&mut self, event: Event<'_>) {
        if let Some(exchanges) = &mut self.0 {
            exchanges.add_event(event);
        }
    }
}

impl Judging {
    /// Reads the contract and opens the reports, none of which may overwrite an input or the file of `--record`.
    pub(super) fn new(
        resolved: &ResolvedArguments,
        inputs: &[(&'static str, &Path)],
        record: Option<&Path>,
    ) -> Result<Self, Failure> {
        let arguments = &resolved.arguments;
        let started_at = edge::now();
        let older_contract = OlderContract::read(arguments)?;
        let contract = Arc::new(contract(arguments.spec(), None)?.hiding_undocumented_names());
        let entries = resolved.levels(&contract, started_at.date_naive())?;
        let mut levels = levels(arguments)?;
        let accepted_deviations = config::add_levels(&entries, &mut levels);
        let summary = edge::step_summary();
        let record = record.map(|path| ("the recording", path));
        reject_own_overwrites((resolved, &contract), summary.as_deref(), record.as_slice())?;
        overwrites::reject_overwrites(&overwrites::reports(&arguments.report), inputs)?;
        Ok(Self {
            started_at,
            contract,
            older_contract,
            levels,
            accepted_deviations,
            outputs: Outputs::open(&report_flags::requested_reports(&arguments.report), summary)?,
            accepting: resolved.accepting()?,
        })
    }

    /// Returns the files that contain a report, or the entries for --accept, until they are complete.
    pub(super) fn unfinished(&self) -> Vec<PathBuf> {
        let accepting = self.accepting.iter().map(EntryWriter::unfinished);
        self.outputs.unfinished().into_iter().chain(accepting).collect()
    }

    /// Returns how traffic with the service at `base` is judged.
    pub(super) fn settings(&self, base: Option<Target>, resolved: &ResolvedArguments) -> traffic::Settings {
        traffic::Settings {
            base,
            levels: self.levels.clone(),
            settle: Duration::from_secs_f64(resolved.arguments.service.pace.settle.value.0),
        }
    }

    /// Returns what keeps the exchanges that a report shows.
    pub(super) fn exchanges<'contract>(&self, contract: &'contract Contract) -> ShownExchanges<'contract> {
        let keeps = self.outputs.show_exchanges();
        ShownExchanges(keeps.then(|| Exchanges::new(contract, ValueDisplay::Hidden, Redaction::default())))
    }

    /// Writes the reports and returns the outcome's exit code. `counts` says what passed, if the traffic passed a
    /// proxy.
    pub(super) fn conclude(
        self,
        resolved: &ResolvedArguments,
        (judged, counts): (&Judged, Option<ExchangeCounts>),
        (target, exchanges, duration): (&Target, ShownExchanges<'_>, Duration),
    ) -> Result<u8, Failure> {
        let arguments = &resolved.arguments;
        let contract = &*self.contract;
        let about = RunContext {
            contract,
            target,
            seed: 0,
            run_tag: None,
            is_recorded_traffic: true,
            writes: false,
            started_at: self.started_at,
            duration,
            require_facts: arguments.check.require_facts.as_ref().map(|percent| percent.value.0),
            values: ValueDisplay::Hidden,
            redaction: &Redaction::default(),
        };
        let none = || Exchanges::new(contract, ValueDisplay::Hidden, Redaction::default());
        let mut record = record(&judged.run, exchanges.0.unwrap_or_else(none), &about);
        add_traffic(&mut record, (judged, counts), contract);
        if let Some(older_contract) = &self.older_contract {
            older_contract.mark(&mut record, contract);
        }
        record.accepted = accepted(&judged.run, contract, &self.levels, &self.accepted_deviations);
        let added = accept(self.accepting, &judged.run, &record, contract);
        let terminals = report_flags::terminals(arguments.color, (arguments.quiet, arguments.verbose));
        let written = write(self.outputs, (&record, &terminals), added)?;
        Ok(if written { record.exit_code } else { NOT_WRITTEN })
    }
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
    if judged.is_inferred && !judged.other_origins.is_empty() {
        let chosen = judged.target.iter().map(Target::origin);
        let origins: Vec<_> = chosen.chain(judged.other_origins.iter().cloned()).collect();
        return Err(Failure::Traffic(format!(
            "the traffic calls operations of the contract at several origins ({}); choose one with \
             --base-url",
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
            return Failure::NothingToJudge("the traffic has no entries, so nothing was judged".to_owned());
        }
        let unlike_entries = NotJudged::Skipped(Skipped::NotAnEntry);
        if judged.not_judged.keys().all(|why| *why == unlike_entries) {
            return Failure::Traffic(
                "the traffic is JSON, but no HTTP archive (HAR 1.2) and no entries of one, one in each line".to_owned(),
            );
        }
        Failure::NothingToJudge(format!(
            "no entry of the traffic calls an operation of the contract ({why}); if the service is under a path, give \
             --base-url with it"
        ))
    })
}

/// Adds to the record what is only known of traffic.
fn add_traffic(record: &mut Record, (judged, counts): (&Judged, Option<ExchangeCounts>), contract: &Contract) {
    for (finding, place) in judged.run.verdicts.findings().iter().zip(&judged.found_at) {
        let (fact, file) = (&contract.fact(finding.fact).name, judged.files.get(place.file));
        let is_it = |known: &&mut FindingRecord| {
            known.rule.is(finding.rule) && known.fact == **fact && known.response_pointer == finding.pointer
        };
        if let (Some(record), Some(file)) = (record.findings.iter_mut().find(is_it), file) {
            record.recorded_in = Some(RecordedIn {
                file: file.name.clone(),
                entry: place.entry,
            });
        }
    }
    // A proxy reads no files: the only one here is the archive that it wrote.
    let files = judged.files.iter().filter(|_| counts.is_none());
    let files = files.map(|file| TrafficFileRecord {
        name: file.name.clone(),
        entries: file.entries,
        stopped: file.stopped.as_ref().map(ToString::to_string),
    });
    let dropped = counts.map(|counts| {
        (
            "were dropped, because they came faster than they were judged",
            counts.dropped,
        )
    });
    let not_judged = judged.not_judged.iter().map(|(why, count)| (why.describe(), *count));
    let not_judged = not_judged.chain(dropped.filter(|(_, count)| *count > 0));
    let not_judged = not_judged.map(|(reason, count)| NotJudgedRecord {
        reason: reason.to_owned(),
        count,
    });
    // None of them was sent.
    record.requests = RequestCounts::default();
    record.traffic = Some(TrafficRecord {
        ended: None,
        files: files.collect(),
        proxied: counts.map_or(0, |counts| counts.began),
        judged: judged.judged_count(),
        not_judged: not_judged.collect(),
    });
}
