//! `countersign check`: checks a service against the contract. It makes a `Prepared` check from the resolved
//! arguments; nothing deeper sees a flag.

use std::cell::Cell;
use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use futures::FutureExt as _;
use tokio::runtime::Runtime;

use super::announce;
use super::arguments::Arguments;
use super::certificates;
use super::config::{self, EMBEDDED, EntryWriter, Origin, ResolvedArguments, Setting};
use super::document::{self, STANDARD_INPUT, Source};
use super::edge;
use super::embedded::Embedded;
use super::failure::{Failure, NOT_WRITTEN};
use super::learn::{LearnFiles, Learning};
use super::older_contract::OlderContract;
use super::output::{Outputs, Terminals};
use super::overwrites::{self, DescribedPath, reject_overwrites};
use super::progress::Progress;
use super::report_flags;
use super::residue_file::{ResidueFile, RunHeader};
use super::signals;
use super::started::Started;
use super::token_command::TokenCommand;
use crate::check::{Prepared, Report, other_files};
use crate::client::Token;
use crate::contract::Contract;
use crate::contract::document::{Document, MAX_BYTES};
use crate::contract::operation::OperationId;
use crate::exchange::basic;
use crate::exchange::redact::{Redaction, ValueDisplay};
use crate::exchange::{Limits, Target, Transport};
use crate::gaps::validate_stated_answers;
use crate::history::RunTag;
use crate::plan::{Plan, Scope, SettledAnswers, check_also_sent};
use crate::report::{Record, Terminal, accepted};
use crate::rules::{Level, Levels};
use crate::run::{Event, Run, RunEnd, Settings};

/// How long a service that we start may take to become ready, unless `wait` says otherwise.
const DEFAULT_READY_TIMEOUT: Duration = Duration::from_secs(60);

/// Checks, writes the reports, and ends with the outcome's exit code.
pub(super) fn run(resolved: &ResolvedArguments) -> Result<u8, Failure> {
    run_to_learn(resolved, None)
}

/// Checks as [`run`] does, or asks what the document leaves open.
pub(super) fn run_to_learn(resolved: &ResolvedArguments, learning: Option<&Learning>) -> Result<u8, Failure> {
    let arguments = &resolved.arguments;
    let started_at = edge::now();
    let older_contract = OlderContract::read(arguments)?;
    let mut contract = contract(arguments.spec(), arguments.overlay())?;
    resolved.set_configured_parameters(&mut contract)?;
    let entries = resolved.levels(&contract, started_at.date_naive())?;
    let mut inputs = run_inputs(resolved, &contract, started_at.timestamp_micros())?;
    let accepted_deviations = config::add_levels(&entries, &mut inputs.settings.levels);
    let summary = edge::step_summary();
    let learned = learning.map_or_else(|| Ok(Vec::new()), Learning::outputs)?;
    reject_own_overwrites((resolved, &contract), summary.as_deref(), &learned)?;
    let outputs = Outputs::open(&report_flags::requested_reports(&arguments.report), summary)?;
    let accepting = resolved.accepting()?;
    let runtime = runtime(&inputs)?;
    let (target, token) = runtime.block_on(target_and_token(&mut inputs, resolved, &contract))?;
    if let Some(token) = &token {
        contract = with_schemes_for(contract, token, &target, resolved)?;
    }
    require_token(resolved, &contract, token.is_some())?;
    let contract = Arc::new(contract);
    if let Some(learning) = learning {
        inputs.scope.learn = Some(learning.gaps(&contract)?);
        inputs.settings.max_requests_to_learn = learning.max_requests;
    }
    let transport = inputs.transport(&target, token, arguments.service.near_tokens.value)?;
    let named = inputs.target_name(&transport.redaction());
    let about = (named.as_str(), &inputs.settings.run_tag, started_at);
    let mut learn_files = learning.map(|learning| learning.open(&contract, about)).transpose()?;
    let settled = learn_files.as_ref().map(|files| files.settled(&contract));
    inputs.scope.settled_answers = settled.unwrap_or_default();
    let plan = plan(&contract, &inputs.scope)?;
    announce::what_is_not_sent(&contract, &inputs.scope, &plan);
    announce::token_goes(resolved, (&target, &transport.redaction()), inputs.scope.token);
    if let Some(path) = &arguments.residue {
        inputs.log_writes_to(path, &transport, (&contract, started_at))?;
    }
    let terminals = report_flags::terminals(arguments.color, (arguments.quiet, arguments.verbose));
    let values = (inputs.settings.values, transport.redaction());
    let (watched, is_terminal) = (progress_terminal(arguments), edge::stderr_is_terminal());
    let mut progress = Progress::new(watched, is_terminal, &contract, values);
    let interrupted = interruption(&outputs, accepting.as_ref(), learn_files.as_ref())?;
    let prepared = Prepared {
        contract: Arc::clone(&contract),
        plan,
        transport,
        settings: inputs.settings,
        started_at,
        require_facts: arguments.check.require_facts.as_ref().map(|percent| percent.value.0),
        keep_exchanges: outputs.show_exchanges(),
    };
    announce::reference_service(resolved);
    let mut started = runtime.block_on(start(resolved, prepared.transport.target()))?;
    let watching = (&mut progress, learn_files.as_mut());
    let running = carry_out(&prepared, watching, (&mut started, interrupted));
    let Report { run, mut record } = runtime.block_on(running);
    progress.finish();
    if let Some(started) = started {
        started.conclude(&run.ended, &prepared.transport.redaction());
    }
    if let Some(older_contract) = older_contract {
        older_contract.mark(&mut record, &contract);
    }
    // The reports are written even if the ledger or the overlay cannot be.
    let concluded = learn_files.map_or(Ok(()), |files| files.conclude(&run.ended, &contract, &mut record));
    record.accepted = accepted(&run, &contract, &prepared.settings.levels, &accepted_deviations);
    let added = accept(accepting, &run, &record, &contract);
    // The record is self-contained, so everything else is freed before the reports are written; they may be as large as
    // the data they were made from.
    drop((run, prepared, contract));
    let written = write(outputs, (&record, &terminals), added)?;
    // The reference service's threads end with the process; waiting for idle connections would only cost time.
    runtime.shutdown_background();
    concluded?;
    Ok(if written { record.exit_code } else { NOT_WRITTEN })
}

/// Returns a future that ends when the run is interrupted. A second interruption removes the files that are not in
/// their place yet: the reports, the configuration with the entries for `--accept`, and the overlay.
fn interruption(
    outputs: &Outputs,
    accepting: Option<&EntryWriter>,
    learn_files: Option<&LearnFiles>,
) -> Result<impl Future<Output = ()> + use<>, Failure> {
    let mut unfinished = outputs.unfinished();
    unfinished.extend(accepting.map(EntryWriter::unfinished));
    unfinished.extend(learn_files.and_then(LearnFiles::unfinished));
    Ok(signals::interruption(unfinished)?.map(drop))
}

/// Starts the target, if that was requested.
async fn start(resolved: &ResolvedArguments, target: &Target) -> Result<Option<Started>, Failure> {
    let Some((command, folder, origin)) = resolved.start_command() else {
        return Ok(None);
    };
    command.start(&folder, target, &origin).await.map(Some)
}

/// Carries out the plan. If the service that we started ends before the plan has begun, the run ends too.
async fn carry_out(
    prepared: &Prepared,
    (progress, mut learn_files): (&mut Progress<'_>, Option<&mut LearnFiles>),
    (started, interrupted): (&mut Option<Started>, impl Future<Output = ()>),
) -> Report {
    let begun = Cell::new(false);
    let mut emit = |event: Event<'_>| {
        begun.set(begun.get() || matches!(event, Event::Begun));
        learn_files.iter_mut().for_each(|files| files.watch(event));
        progress.event(event);
    };
    let service_ended = async {
        let Some(started) = started else {
            return pending().await;
        };
        let status = started.ended().await;
        // Once the plan has begun, the exchanges show it, and what was judged so far counts.
        if begun.get() {
            return pending().await;
        }
        RunEnd::ServiceEnded(status)
    };
    let stop = async {
        tokio::select! {
            biased;
            () = interrupted => RunEnd::Interrupted,
            ended = service_ended => ended,
        }
    };
    prepared.run(&mut emit, stop).await
}

/// Returns whether the faults should be listed instead of switched on.
pub(super) fn asks_for_list(faults: &[String]) -> bool {
    faults.iter().any(|name| name == "list")
}

/// Writes the reports, then prints what `--accept` added. Returns whether all reports were written.
pub(super) fn write(
    outputs: Outputs,
    (record, terminals): (&Record, &Terminals),
    added: Result<Option<String>, Failure>,
) -> Result<bool, Failure> {
    let written = outputs.write(record, terminals);
    if let Some(rendered) = added? {
        edge::note(&rendered);
    }
    Ok(written)
}

/// Adds an entry for each finding to the configuration, if the service was judged. Otherwise adds nothing. Returns the
/// text to print about it.
pub(super) fn accept(
    accepting: Option<EntryWriter>,
    run: &Run,
    record: &Record,
    contract: &Contract,
) -> Result<Option<String>, Failure> {
    let Some(accepting) = accepting else { return Ok(None) };
    if record.outcome.is_judged() {
        return accepting.write(run.verdicts.findings(), contract).map(Some);
    }
    Ok(Some(
        "no entry was added for --accept, because the service could not be judged".to_owned(),
    ))
}

/// Rejects an output that would overwrite another file that the command reads or writes. `other_outputs` are the
/// files besides reports that it writes or appends to: that of `--record`, or those of `--ledger` and
/// `learn --overlay`.
pub(super) fn reject_own_overwrites(
    (resolved, contract): (&ResolvedArguments, &Contract),
    summary: Option<&Path>,
    other_outputs: &[DescribedPath<'_>],
) -> Result<(), Failure> {
    let arguments = &resolved.arguments;
    let residue = arguments.residue.as_deref().map(|path| ("the residue", path));
    let since = arguments.since.as_ref().and_then(Source::file);
    let cacert = arguments.service.cacert.as_ref();
    let inputs = [
        arguments.spec().map(|path| ("the contract", path)),
        arguments.overlay().map(|path| ("the overlay", path)),
        since.map(|path| ("the older contract", path)),
        resolved.configuration().map(|path| ("the configuration", path)),
        arguments.token_file.as_deref().map(|path| ("the token", path)),
        arguments.cert.as_deref().map(|path| ("the certificate", path)),
        arguments.key.as_deref().map(|path| ("the key", path)),
        cacert.map(|path| ("the certificates", path.value.as_path())),
    ];
    let others = contract
        .document
        .other_files()
        .map(|path| ("a file of the contract", path));
    let inputs: Vec<_> = inputs.into_iter().flatten().chain(others).collect();
    let mut outputs = overwrites::reports(&arguments.report);
    outputs.extend(summary.map(|path| ("the step summary", path)));
    let kept: Vec<_> = residue.into_iter().chain(other_outputs.iter().copied()).collect();
    // A report replaces what is there, and neither residue nor recording nor ledger may be lost.
    reject_overwrites(&outputs, &kept)?;
    // Residue, ledger, overlay and archive differ in format, so no two of them may be one file.
    reject_overwrites(other_outputs, residue.as_slice())?;
    reject_overwrites(
        other_outputs.get(1..).unwrap_or_default(),
        other_outputs.get(..1).unwrap_or_default(),
    )?;
    outputs.extend(kept);
    reject_overwrites(&outputs, &inputs)
}

/// Reads the contract from a file, or the built-in one, and applies an overlay to it. Operations of a file that have a
/// defect are left out, with a warning. A defect in the overlay is an error.
pub(super) fn contract(spec: Option<&Path>, overlay: Option<&Path>) -> Result<Contract, Failure> {
    let stdin = Some(Path::new(STANDARD_INPUT));
    if spec == stdin && overlay == stdin {
        return Err(document::both_standard_input("spec", "overlay"));
    }
    let spec = spec.map(|path| read("contract", path)).transpose()?;
    let document = |(path, text): (&Path, String)| -> Result<Document, Failure> {
        let document = Document::read_allowing_repeated_names(&path.display().to_string(), text)?;
        Ok(match Some(path) == stdin {
            true => document,
            false => document.with_files(other_files(path)),
        })
    };
    let document = spec.map(document).transpose()?;
    let Some(path) = overlay else {
        let contract = match document {
            None => Contract::built_in()?,
            Some(document) => Contract::partly_of_document(document)?,
        };
        announce::omitted(&contract);
        validate_stated_answers(&contract)?;
        return Ok(contract);
    };
    let (name, text) = (path.display().to_string(), read("overlay", path)?.1);
    let overlaid = match document {
        None => Contract::built_in_with_overlay(&name, text),
        Some(document) => document
            .with_overlay(&name, text)
            .and_then(Contract::partly_of_document),
    };
    let checked = overlaid.and_then(|contract| validate_stated_answers(&contract).map(|()| contract));
    let contract = checked.map_err(|source| Failure::Overlaid {
        path: path.to_owned(),
        source,
    })?;
    announce::omitted(&contract);
    Ok(contract)
}

/// Returns a file that the contract is read from, which messages call `what`, with its text.
fn read<'path>(what: &'static str, path: &'path Path) -> Result<(&'path Path, String), Failure> {
    document::reject_url(what, path)?;
    document::reject_pipe(what, path)?;
    let max_bytes = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    Ok((path, edge::read(what, path, max_bytes)?))
}

/// The service that a check sends to.
enum ServiceUnderCheck {
    Embedded(Embedded),
    Named(Target, TokenSource),
}

/// Where the token of a named target comes from.
enum TokenSource {
    Command(TokenCommand),
    Value(Option<Token>),
}

/// What a check needs, made from the resolved arguments.
struct RunInputs {
    service: ServiceUnderCheck,
    scope: Scope,
    settings: Settings,
    limits: Limits,
}

fn run_inputs(
    resolved: &ResolvedArguments,
    contract: &Contract,
    started_microsecond: i64,
) -> Result<RunInputs, Failure> {
    let arguments = &resolved.arguments;
    let service = match &arguments.service.base_url {
        None => {
            reject_forgotten_target(resolved, contract)?;
            ServiceUnderCheck::Embedded(Embedded::with_faults(&arguments.fault)?)
        }
        Some(url) => {
            let token = match resolved.token_command() {
                Some(command) => TokenSource::Command(command),
                None => TokenSource::Value(edge::token(
                    arguments.token_file.as_deref(),
                    resolved.token_variable().0,
                )?),
            };
            let target = Target::parse(&url.value)?.with_tls(certificates::read(arguments)?);
            ServiceUnderCheck::Named(target, token)
        }
    };
    let seed = arguments.chosen_seed()?;
    let scope = scope(arguments, contract, seed)?;
    let bounds = arguments.bounds();
    let pace = &arguments.service.pace;
    let wait = arguments.service.wait.as_ref();
    let wait = wait.map(|wait| Duration::from_secs_f64(wait.value.0));
    let wait = wait.or(arguments.service.start.as_ref().map(|_| DEFAULT_READY_TIMEOUT));
    let settings = Settings {
        jobs: usize::try_from(pace.jobs.value.0).unwrap_or(Settings::DEFAULT_JOBS),
        rate: pace.rate.as_ref().map(|rate| rate.value.0),
        settle: bounds.settle,
        max_writes: bounds.max_writes,
        max_pages: bounds.max_pages,
        max_requests_to_learn: Settings::DEFAULT_MAX_REQUESTS_TO_LEARN,
        rounds: arguments.rounds(),
        // The reference service is already up.
        wait: wait.filter(|_| matches!(service, ServiceUnderCheck::Named(..))),
        max_time: Duration::from_secs_f64(pace.max_time.value.0),
        write_log: None,
        keep_recording: false,
        run_tag: RunTag::new(seed, u64::try_from(started_microsecond).unwrap_or(0)).of_shard(arguments.shard),
        levels: levels(arguments)?,
        values: if arguments.show_values {
            ValueDisplay::Shown
        } else {
            ValueDisplay::Hidden
        },
    };
    let limits = Limits {
        deadline: Duration::from_secs_f64(pace.timeout.value.0),
        ..Limits::default()
    };
    Ok(RunInputs {
        service,
        scope,
        settings,
        limits,
    })
}

/// Rejects settings for a target if there is none: otherwise the reference service would be checked in its place, and a
/// pipeline that lost its base URL would pass.
fn reject_forgotten_target(resolved: &ResolvedArguments, contract: &Contract) -> Result<(), Failure> {
    let arguments = &resolved.arguments;
    let service = &arguments.service;
    let (variable, _) = resolved.token_variable();
    let mut or = "";
    let what = if arguments.token_file.is_some() {
        "--token-file gives the token of a target".to_owned()
    } else if service.start.is_some() {
        "--start starts the service that is checked".to_owned()
    } else if service.cacert.is_some() || arguments.cert.is_some() {
        "--cacert and --cert are for connections to a target".to_owned()
    } else if service.wait.as_ref().is_some_and(Setting::is_flag) {
        "--wait waits for a target".to_owned()
    } else if !resolved.names_reference_service() && edge::is_set(variable) {
        or = ", or --target embedded to check the reference service";
        format!("{variable}, the token of a target, is set")
    } else if arguments.spec().is_some() && !shares_operation_with_built_in(contract)? {
        let name = &contract.document.name;
        format!("the reference service has none of the operations in `{name}`")
    } else {
        return Ok(());
    };
    Err(Failure::Usage(format!(
        "{what}, but there is no target; give --base-url{or}"
    )))
}

/// Whether the reference service, which implements the built-in contract, has an operation of this one.
fn shares_operation_with_built_in(contract: &Contract) -> Result<bool, Failure> {
    let built_in = Contract::built_in()?;
    let mut operations = built_in.operations.iter();
    Ok(operations.any(|own| {
        let mut others = contract.operations.iter();
        others.any(|other| (other.method, &other.path) == (own.method, &own.path))
    }))
}

/// Returns the contract with the security schemes that this token is sent under: HTTP Basic for a user and a password,
/// and what `auth` and `token_scheme` of the target say.
fn with_schemes_for(
    contract: Contract,
    token: &Token,
    target: &Target,
    resolved: &ResolvedArguments,
) -> Result<Contract, Failure> {
    let service = &resolved.arguments.service;
    let mut contract = basic::contract_for(&contract, token)?.unwrap_or(contract);
    if service.always_authenticates() {
        contract.assume_credential(basic::is_user_and_password(token));
    }
    if let Some(name) = &service.token_scheme {
        contract.set_token_scheme(&name.value);
    }
    if contract.uses_basic() {
        basic::check_password_can_be_redacted(token, target.is_loopback()).map_err(|source| Failure::Password {
            origin: announce::source(resolved),
            source,
        })?;
    }
    Ok(contract)
}

/// Returns an error if a token is needed and there is none.
fn require_token(resolved: &ResolvedArguments, contract: &Contract, is_given: bool) -> Result<(), Failure> {
    let is_needed = contract.needs_credential() || resolved.arguments.service.always_authenticates();
    if is_needed && !is_given {
        return Err(no_token(resolved));
    }
    Ok(())
}

fn no_token(resolved: &ResolvedArguments) -> Failure {
    let (variable, origin) = resolved.token_variable();
    Failure::NoToken {
        variable: variable.to_owned(),
        place: match origin {
            Origin::File(_) => format!(" (see {})", resolved.describe(&origin)),
            _ => String::new(),
        },
    }
}

/// Makes the plan of a scope.
///
/// # Errors
///
/// [`Failure::Usage`] if there are more shards than parts of the plan: a shard that checks nothing proves nothing.
pub(super) fn plan(contract: &Contract, scope: &Scope) -> Result<Plan, Failure> {
    let plan = Plan::new(contract, scope);
    let parts = plan.parts;
    match scope.shard {
        Some(shard) if usize::try_from(shard.of()).is_ok_and(|of| of > parts.max(1)) => {
            let parts = if parts == 1 {
                "1 part".to_owned()
            } else {
                format!("{parts} parts")
            };
            Err(Failure::Usage(format!(
                "--shard {shard} leaves shards with nothing to do: with these flags the plan has {parts}; give an N of {} \
                 or less",
                plan.parts.max(1)
            )))
        }
        _ => Ok(plan),
    }
}

/// Returns what a check with these arguments may do. Whether there is a token is not known here.
pub(super) fn scope(arguments: &Arguments, contract: &Contract, seed: u64) -> Result<Scope, Failure> {
    let also_send = operations(contract, &arguments.check.also_send)?;
    let may_be_named = also_send.iter().try_for_each(|id| check_also_sent(contract, *id));
    may_be_named.map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(Scope {
        writes: arguments.writes(),
        cleanup: arguments.service.cleanup.value,
        learn: None,
        settled_answers: SettledAnswers::default(),
        token: false,
        user_and_password: false,
        only: operations(contract, &arguments.check.only)?,
        skip: operations(contract, &arguments.check.skip)?,
        also_send,
        seed,
        shard: arguments.shard,
    })
}

impl RunInputs {
    /// Returns what a ledger calls the target, without the token, which its path may contain.
    fn target_name(&self, redaction: &Redaction) -> String {
        match &self.service {
            ServiceUnderCheck::Embedded(_) => EMBEDDED.to_owned(),
            ServiceUnderCheck::Named(target, _) => redaction.hide(&target.base_url()),
        }
    }

    /// Returns the target and its token: the named target, or the reference service, started on its own port.
    async fn target(&self) -> Result<(Target, Option<Token>), Failure> {
        match &self.service {
            ServiceUnderCheck::Embedded(service) => service.start().await,
            ServiceUnderCheck::Named(target, TokenSource::Command(command)) => {
                Ok((target.clone(), Some(command.token().await?)))
            }
            ServiceUnderCheck::Named(target, TokenSource::Value(token)) => Ok((target.clone(), token.clone())),
        }
    }

    /// Makes the transport. If a program prints the token, it is run again when the service rejects the token.
    fn transport(&self, target: &Target, token: Option<Token>, near_tokens: bool) -> Result<Transport, Failure> {
        let wrong_token_seed = self.settings.run_tag.wrong_token_seed();
        let transport = Transport::new(target.clone(), token, wrong_token_seed, self.limits)?;
        let transport = transport.with_near_tokens(near_tokens);
        let ServiceUnderCheck::Named(_, TokenSource::Command(command)) = &self.service else {
            return Ok(transport);
        };
        let (command, is_loopback) = (command.clone(), target.is_loopback());
        Ok(transport.with_renewal(Box::new(move || {
            let command = command.clone();
            // Where there is no other token, the rejection of this one is what the run reports.
            let token = async move { command.token().await.ok() };
            let redactable = move |token: &Token| basic::check_password_can_be_redacted(token, is_loopback).is_ok();
            token.map(move |token| token.filter(redactable)).boxed_local()
        })))
    }

    /// Makes the run log its writes to a file, for `--residue`.
    fn log_writes_to(
        &mut self,
        path: &Path,
        transport: &Transport,
        (contract, started_at): (&Contract, DateTime<Utc>),
    ) -> Result<(), Failure> {
        let target = transport.target().origin();
        let header = RunHeader {
            target: &target,
            contract: &contract.document.name,
            started_at: started_at.to_rfc3339_opts(SecondsFormat::Secs, true),
            seed: self.scope.seed,
            max_writes: self.settings.max_writes,
        };
        let printing = (transport.redaction(), self.settings.values);
        let file = ResidueFile::open(path, self.settings.run_tag.as_str(), printing, &header)?;
        self.settings.write_log = Some(Arc::new(file));
        Ok(())
    }
}

/// Returns the target, with what each request to it carries, and the token. The scope learns what the token is.
async fn target_and_token(
    inputs: &mut RunInputs,
    resolved: &ResolvedArguments,
    contract: &Contract,
) -> Result<(Target, Option<Token>), Failure> {
    let (target, token) = inputs.target().await?;
    inputs.scope.token = token.is_some();
    inputs.scope.user_and_password = token.as_ref().is_some_and(basic::is_user_and_password);
    let target = target.with_fixed_headers_and_query(resolved.fixed_headers_and_query(contract)?);
    Ok((target, token))
}

/// Makes a runtime with threads for the reference service; a named target needs only the run's own thread.
fn runtime(inputs: &RunInputs) -> Result<Runtime, Failure> {
    let mut builder = match inputs.service {
        ServiceUnderCheck::Embedded(_) => tokio::runtime::Builder::new_multi_thread(),
        ServiceUnderCheck::Named(..) => tokio::runtime::Builder::new_current_thread(),
    };
    builder
        .enable_all()
        .build()
        .map_err(|error| Failure::Start(error.to_string()))
}

fn operations(contract: &Contract, names: &[Setting<String>]) -> Result<Vec<OperationId>, Failure> {
    let named = names.iter().map(|name| Ok(contract.find_operation(&name.value)?));
    named.collect()
}

/// Returns the levels that flags set.
pub(super) fn levels(arguments: &Arguments) -> Result<Levels, Failure> {
    let mut levels = Levels::default();
    for (names, level) in [
        (&arguments.allow, Level::Allow),
        (&arguments.warn, Level::Warn),
        (&arguments.deny, Level::Deny),
    ] {
        for name in names {
            levels.set(name, level)?;
        }
    }
    Ok(levels)
}

/// Returns how the progress of the run is written to standard error.
fn progress_terminal(arguments: &Arguments) -> Terminal {
    let (quiet, verbose) = (arguments.quiet, arguments.verbose);
    report_flags::terminal(arguments.color.on_stderr(), (quiet, verbose), edge::stderr_width())
}
