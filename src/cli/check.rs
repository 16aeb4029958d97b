//! `countersign check`: a service against the contract. Flags as typed become settled values here; nothing deeper sees
//! a flag.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chrono::SecondsFormat;
use clap::{ArgAction, Args};
use secrecy::SecretString;
use tokio::runtime::Runtime;

use super::edge::{self, ColorWhen};
use super::failure::Failure;
use super::output::{Outputs, ReportTarget};
use super::progress::Progress;
use super::residue_file::{self, Begun, ResidueFile};
use super::serve::{asks_for_list, store};
use crate::client::Token;
use crate::contract::Contract;
use crate::contract::openapi::near;
use crate::contract::operation::{OperationId, Security};
use crate::exchange::redact::Values;
use crate::exchange::{Limits, Target, Transport};
use crate::plan::{Bounds, Mark, Plan, Scope};
use crate::report::{Exchanges, RunFacts, Styling, Terminal, Verbosity, record};
use crate::rules::{Level, Levels};
use crate::run::{self, Event, Run, Settings};
use crate::service::fault::{self, Faults};
use crate::service::{self, Profile, Service, StoreUrl};

/// What `check` takes.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The service to check; without it the embedded reference service is started and checked
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_BASE_URL")]
    base_url: Option<String>,
    /// A file that holds the target's token; without it the token is taken from `COUNTERSIGN_TOKEN`
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Another contract than the built-in one: an OpenAPI 3.0 document
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// Send requests that create and update too; nothing that they create can be deleted
    #[arg(long)]
    writes: bool,
    /// The most records that a run may leave in the target
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true)]
    max_writes: u64,
    /// Write what each write may leave in the target to this file, before it is sent and after it; JSON Lines are
    /// appended, and reach the disk even if the run is killed
    #[arg(long, value_name = "FILE")]
    residue: Option<PathBuf>,
    /// Carry the plan out so many times, to soak the service; --max-writes holds over all of them together
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    repeat: u64,
    /// The most pages of a list that are walked; what a longer list shows elsewhere stays undecided
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    max_pages: u64,
    /// How many requests are under way at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256), allow_negative_numbers = true)]
    jobs: u16,
    /// The most requests per second
    #[arg(long, value_name = "PER_SECOND", value_parser = positive, allow_negative_numbers = true)]
    rate: Option<f64>,
    /// How long one request may take, from connecting to the last byte decoded
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = positive, allow_negative_numbers = true)]
    timeout: f64,
    /// How long a created record may take until it is listed
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds, allow_negative_numbers = true)]
    settle: f64,
    /// What choices are made by; the same seed makes the same ones
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Check this operation, and call what it needs; repeatable
    #[arg(long, value_name = "OPERATION")]
    only: Vec<String>,
    /// Leave this operation out; repeatable
    #[arg(long, value_name = "OPERATION")]
    skip: Vec<String>,
    /// Let the embedded service deviate in this way, to see it found; `list` prints all; repeatable
    #[arg(long, value_name = "NAME", conflicts_with = "base_url")]
    fault: Vec<String>,
    /// Make a finding of this rule fail the run; repeatable
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
    /// Report a finding of this rule without failing; repeatable
    #[arg(long, value_name = "RULE")]
    warn: Vec<String>,
    /// Do not report this rule; repeatable
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// End with 3 when less of the facts was decided
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    require_facts: Option<f64>,
    /// Print values of the target's data instead of their shapes
    #[arg(long)]
    show_values: bool,
    /// Write a report, `terminal`, `json` or `html`, to a file or to standard output; repeatable
    #[arg(long, value_name = "FORMAT[=FILE]")]
    report: Vec<ReportTarget>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
    /// Tell each exchange and each undecided fact
    #[arg(short, action = ArgAction::SetTrue, conflicts_with = "quiet")]
    verbose: bool,
    /// Tell the verdict alone
    #[arg(short, action = ArgAction::SetTrue)]
    quiet: bool,
}

/// Checks, writes the reports, and ends with the outcome's exit code.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    if asks_for_list(&arguments.fault) {
        edge::print(&Faults::list());
        return Ok(0);
    }
    let started_at = edge::now();
    let contract = contract(arguments.spec.as_deref())?;
    let mut resolved = resolve(arguments, &contract, started_at.timestamp())?;
    let outputs = Outputs::open(&reports(arguments))?;
    if let Some(path) = &arguments.residue {
        residue_file::apart(path, outputs.files())?;
    }
    let runtime = runtime(&resolved)?;
    let (target, token) = runtime.block_on(resolved.target())?;
    resolved.scope.token = token.is_some();
    if needs_token(&contract) && token.is_none() {
        return Err(Failure::NoToken);
    }
    let transport = Transport::new(
        target.clone(),
        token,
        resolved.settings.mark.wrong_token(),
        resolved.limits,
    )?;
    if let Some(path) = &arguments.residue {
        let begun = Begun {
            target: &target.origin(),
            contract: &contract.document.name,
            started_at: started_at.to_rfc3339_opts(SecondsFormat::Secs, true),
            seed: resolved.scope.seed,
            max_writes: resolved.settings.max_writes,
        };
        resolved.keep_residue(path, &begun)?;
    }
    let plan = Plan::new(&contract, &resolved.scope);
    let terminal = terminal(arguments);
    let started = std::time::Instant::now();
    let watched = edge::stderr_is_terminal() && outputs.terminal_on_stdout();
    let (values, redaction) = (resolved.settings.values, transport.redaction());
    let mut progress = Progress::new(terminal, watched, (values, redaction.clone()));
    let mut exchanges = Exchanges::new(&contract, values, redaction.clone());
    let told = outputs.tell_exchanges();
    let mut emit = |event: Event<'_>| {
        progress.event(event);
        if told {
            exchanges.see(event);
        }
    };
    let run: Run = runtime.block_on(run::run(
        &contract,
        &plan,
        &transport,
        &resolved.settings,
        (&mut emit, interrupt()),
    ));
    progress.finish();
    let about = RunFacts {
        contract: &contract,
        target: &target,
        seed: resolved.scope.seed,
        started_at,
        duration: started.elapsed(),
        require_facts: arguments.require_facts,
        values,
        redaction: &redaction,
    };
    let record = record(&run, exchanges, &about);
    outputs.write(&record, &terminal)?;
    // The embedded service's threads end with the process; waiting for idle connections would only cost time.
    runtime.shutdown_background();
    Ok(record.exit_code)
}

/// Whether an operation asks its caller for a credential.
fn needs_token(contract: &Contract) -> bool {
    let mut operations = contract.operations.iter();
    operations.any(|operation| operation.security != Security::None)
}

/// The contract from a file, or the built-in one.
pub(super) fn contract(spec: Option<&Path>) -> Result<Contract, Failure> {
    match spec {
        None => Ok(Contract::built_in()?),
        Some(path) => Ok(Contract::read(
            &path.display().to_string(),
            edge::read("contract", path)?,
        )?),
    }
}

/// The flags, settled.
struct Resolved {
    named: Option<(Target, Option<Token>)>,
    faults: Faults,
    scope: Scope,
    settings: Settings,
    limits: Limits,
}

fn resolve(arguments: &Arguments, contract: &Contract, started_second: i64) -> Result<Resolved, Failure> {
    let named = match &arguments.base_url {
        // The embedded service makes its own token: who names one has forgotten the target.
        None if arguments.token_file.is_some() => return Err(Failure::NoTarget),
        None => None,
        Some(url) => Some((Target::parse(url)?, edge::token(arguments.token_file.as_deref())?)),
    };
    let seed = arguments.seed.unwrap_or_else(edge::random_seed);
    let scope = scope(arguments, contract, seed)?;
    let bounds = arguments.bounds();
    let settings = Settings {
        jobs: usize::from(arguments.jobs),
        rate: arguments.rate,
        settle: bounds.settle,
        max_writes: bounds.max_writes,
        max_pages: bounds.max_pages,
        rounds: arguments.repeat,
        write_log: None,
        mark: Mark::new(seed, u64::try_from(started_second).unwrap_or(0)),
        levels: levels(arguments)?,
        values: if arguments.show_values {
            Values::Shown
        } else {
            Values::Hidden
        },
    };
    let limits = Limits {
        deadline: Duration::from_secs_f64(arguments.timeout),
        ..Limits::default()
    };
    Ok(Resolved {
        named,
        faults: Faults::named(&arguments.fault)?,
        scope,
        settings,
        limits,
    })
}

/// What a check with these arguments may do. Whether there is a token is not known here.
pub(super) fn scope(arguments: &Arguments, contract: &Contract, seed: u64) -> Result<Scope, Failure> {
    Ok(Scope {
        // The embedded service is nobody's: it gets both.
        writes: arguments.writes || arguments.base_url.is_none(),
        token: false,
        only: operations(contract, &arguments.only)?,
        skip: operations(contract, &arguments.skip)?,
        seed,
    })
}

/// What `plan` takes from the flags of a check.
impl Arguments {
    pub(super) fn spec(&self) -> Option<&Path> {
        self.spec.as_deref()
    }

    pub(super) fn seed(&self) -> Option<u64> {
        self.seed
    }

    pub(super) fn rounds(&self) -> u64 {
        self.repeat
    }

    pub(super) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// What bounds the requests of each step.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            max_writes: self.max_writes,
            max_pages: self.max_pages,
            settle: Duration::from_secs_f64(self.settle),
        }
    }
}

impl Resolved {
    /// The target and its token: the named one, else the reference service, started on a port of its own.
    async fn target(&self) -> Result<(Target, Option<Token>), Failure> {
        match &self.named {
            Some(named) => Ok(named.clone()),
            None => embedded(&self.faults).await,
        }
    }

    /// Has the run keep an account of its writes in a file.
    fn keep_residue(&mut self, path: &Path, begun: &Begun<'_>) -> Result<(), Failure> {
        let file = ResidueFile::open(path, self.settings.mark.as_str(), begun)?;
        self.settings.write_log = Some(Arc::new(file));
        Ok(())
    }
}

async fn embedded(faults: &Faults) -> Result<(Target, Option<Token>), Failure> {
    let start = |error: std::io::Error| Failure::Start(error.to_string());
    let secret = uuid::Uuid::new_v4().simple().to_string();
    let service = Service::open(
        &StoreUrl::Memory,
        SecretString::from(secret.clone()),
        Profile::default(),
    );
    let service = service.await.map_err(|error| store(&error))?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.map_err(start)?;
    let address = listener.local_addr().map_err(start)?;
    tokio::spawn(service::run(
        listener,
        fault::app(service, faults),
        std::future::pending(),
    ));
    let token = Token::new(secret.as_str()).map_err(|source| Failure::Token {
        origin: "the generator".to_owned(),
        source,
    })?;
    Ok((Target::parse(&format!("http://{address}"))?, Some(token)))
}

/// Threads for the embedded service; a named target needs none beside the run's own.
fn runtime(resolved: &Resolved) -> Result<Runtime, Failure> {
    let mut builder = match resolved.named {
        Some(_) => tokio::runtime::Builder::new_current_thread(),
        None => tokio::runtime::Builder::new_multi_thread(),
    };
    builder
        .enable_all()
        .build()
        .map_err(|error| Failure::Start(error.to_string()))
}

fn operations(contract: &Contract, names: &[String]) -> Result<Vec<OperationId>, Failure> {
    let find = |name: &String| {
        contract.operation_named(name).ok_or_else(|| {
            let known = || contract.operations.iter().map(|operation| operation.name.as_str());
            let hint = near(name, known()).map_or_else(String::new, |near| format!(", did you mean `{near}`?"));
            let known = known().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            Failure::Operation {
                name: name.clone(),
                hint,
                known,
            }
        })
    };
    names.iter().map(find).collect()
}

fn levels(arguments: &Arguments) -> Result<Levels, Failure> {
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

fn reports(arguments: &Arguments) -> Vec<ReportTarget> {
    let asked = &arguments.report;
    // A name of our own always parses.
    if asked.is_empty() {
        "terminal".parse().into_iter().collect()
    } else {
        asked.clone()
    }
}

fn terminal(arguments: &Arguments) -> Terminal {
    let styling = if arguments.color.on_stdout() {
        Styling::Coloured
    } else {
        Styling::Plain
    };
    let verbosity = match (arguments.quiet, arguments.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    Terminal {
        styling,
        verbosity,
        width: edge::width(),
    }
}

async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn positive(text: &str) -> Result<f64, String> {
    seconds(text).and_then(|value| {
        if value > 0.0 {
            Ok(value)
        } else {
            Err("it must be more than 0".to_owned())
        }
    })
}

fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.0..=86_400.0).contains(&value) {
        Ok(value)
    } else {
        Err("it must be from 0 to 86400".to_owned())
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.0..=100.0).contains(&value) {
        Ok(value)
    } else {
        Err("it must be from 0 to 100".to_owned())
    }
}
