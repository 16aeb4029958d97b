//! `countersign proxy`: passes requests on to a service, and judges what passes as `judge` judges recorded traffic.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::arguments::Arguments as CheckArguments;
use super::certificates;
use super::config::ResolvedArguments;
use super::edge;
use super::failure::{Failure, NOT_WRITTEN};
use super::judge::{CONNECTION_FLAGS, Judging, hide_sending_flags};
use super::output::StagedFile;
use super::signals::{self, StopSignal};

use crate::contract::Contract;
use crate::exchange::Target;
use crate::exchange::redact::ValueDisplay;
use crate::proxy::{self, ExchangeCounts, Forwarder, Queue};
use crate::run::RunEnd;
use crate::traffic::{Archive, FileRead, RecordedExchange, RequestLine};

/// The variable with the URL of the proxy, for the command that it runs.
const PROXY_VARIABLE: &str = "COUNTERSIGN_PROXY_URL";
/// What a shell adds to the number of the signal that ended a command.
const ENDED_BY_SIGNAL: i32 = 128;

/// The arguments of `proxy`.
#[derive(Debug, Args)]
pub(super) struct ProxyArguments {
    /// The base URL of the service to forward requests to; not needed if `COUNTERSIGN_BASE_URL` or the configuration
    /// names it
    #[arg(long, value_name = "URL")]
    to: Option<String>,
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8081")]
    listen: String,
    /// Serve metrics for Prometheus at this address, under `/metrics`
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<String>,
    /// Write the exchanges to this HTTP archive: values as shapes, unless --show-values is given, and no credentials
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    pub(super) check: CheckArguments,
    /// Run this command with the proxy's URL in `COUNTERSIGN_PROXY_URL`, and end when it ends
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// The arguments that `check` does not have.
pub(super) struct Proxying {
    to: Option<String>,
    listen: String,
    metrics: Option<String>,
    record: Option<PathBuf>,
    command: Vec<OsString>,
}

impl ProxyArguments {
    /// Separates the arguments that a check has too.
    pub(super) fn split(self) -> (CheckArguments, Proxying) {
        let Self {
            to,
            listen,
            metrics,
            record,
            check,
            command,
        } = self;
        let proxying = Proxying {
            to,
            listen,
            metrics,
            record,
            command,
        };
        (check, proxying)
    }
}

/// Hides the flags of a check that mean nothing here.
pub(super) fn with_own_help(command: clap::Command) -> clap::Command {
    let values = "Write values to the file of --record instead of their shapes";
    let shown = |command: clap::Command, id: &str| command.mut_arg(id, |flag| flag.hide(false));
    CONNECTION_FLAGS
        .into_iter()
        .fold(hide_sending_flags(command), shown)
        .mut_arg("base_url", |flag| flag.hide(true))
        .mut_arg("target", |flag| {
            flag.help("The target of `countersign.toml` to forward requests to")
        })
        .mut_arg("show_values", |flag| flag.hide(false).requires("record").help(values))
}

/// Passes requests on until it is stopped or the command has ended, writes the reports, and ends with the greater of
/// the outcome's exit code and the command's.
pub(super) fn run(proxying: &Proxying, resolved: &ResolvedArguments) -> Result<u8, Failure> {
    let target = target(proxying, resolved)?;
    let judging = Judging::new(resolved, &[], proxying.record.as_deref())?;
    let record = proxying.record.as_deref().map(StagedFile::open).transpose()?;
    let runtime = Runtime::new().map_err(|error| Failure::Start(error.to_string()))?;
    let queue = Queue::new(judging.started_at);
    let forwarder =
        Forwarder::new(target.clone(), Arc::clone(&queue)).map_err(|error| Failure::Start(error.to_string()))?;
    let unfinished = record.iter().filter_map(StagedFile::unfinished);
    let stop = signals::interruption(judging.unfinished().into_iter().chain(unfinished).collect())?;
    let (listener, url) = listen((&runtime, proxying), &target, &queue)?;
    let command = start(&proxying.command, &url)?;
    let serving = runtime.spawn(serve(listener, forwarder, Arc::clone(&queue), until_end(command, stop)));
    let clock = Instant::now();
    let settings = judging.settings(Some(target.clone()), resolved);
    let contract = Arc::clone(&judging.contract);
    let mut exchanges = judging.exchanges(&contract);
    let values = if resolved.arguments.show_values {
        ValueDisplay::Shown
    } else {
        ValueDisplay::Hidden
    };
    let mut archive_file = ArchiveFile::begin(record.as_ref(), (&contract, &target), values);
    lower_priority();
    let mut proxied = proxy::judge(
        &contract,
        &queue,
        settings,
        runtime.handle(),
        (&mut |event| exchanges.add(event), &mut |request_line, recorded| {
            archive_file.add(request_line, recorded);
        }),
    );
    let status = runtime.block_on(serving).ok().flatten();
    runtime.shutdown_background();
    // If most exchanges were dropped, the others say too little.
    if proxied.counts.dropped > proxied.judged.judged_count() {
        proxied.judged.run.ended = RunEnd::Incomplete("more exchanges were dropped than judged".to_owned());
    }
    let written = archive_file.end(proxied.counts);
    let recorded = record.map_or(Ok(()), |record| record.complete(written));
    match (&recorded, &proxying.record) {
        (Err(failure), _) => edge::error(failure),
        (Ok(()), Some(path)) => proxied.judged.files.push(FileRead {
            name: path.display().to_string(),
            entries: proxied.counts.began,
            stopped: None,
        }),
        (Ok(()), None) => {}
    }
    let judged = (&proxied.judged, Some(proxied.counts));
    let code = judging.conclude(resolved, judged, (&target, exchanges, clock.elapsed()))?;
    let code = if recorded.is_ok() { code } else { NOT_WRITTEN };
    let (code, note) = with_command(code, status);
    if let Some(note) = note {
        edge::note(&note);
    }
    Ok(code)
}

/// Lowers the priority of this thread, so that judging does not slow down forwarding.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    {
        /// Half of what can be given up: judging gets about a tenth of what a thread of normal priority gets.
        const NICE: i32 = 10;
        // On Linux each thread has a priority of its own. If this fails, judging takes processor time from forwarding,
        // and nothing else.
        let _ = rustix::process::setpriority_process(None, NICE);
    }
}

/// Listens for clients, and for whoever asks for metrics, and says where. Returns the URL for clients.
fn listen(
    (runtime, proxying): (&Runtime, &Proxying),
    target: &Target,
    queue: &Arc<Queue>,
) -> Result<(TcpListener, String), Failure> {
    let (listener, address) = runtime.block_on(edge::listen(&proxying.listen, "--listen"))?;
    if target.is_loopback() && target.port() == Some(address.port()) {
        return Err(Failure::Usage(format!(
            "--to {} is where the proxy itself listens; name the service",
            target.origin()
        )));
    }
    let url = format!("http://{address}{}", target.base_path());
    edge::note(&format!(
        "{url} forwards requests to {} and judges them",
        target.base_url()
    ));
    if let Some(metrics) = &proxying.metrics {
        let (listener, address) = runtime.block_on(edge::listen(metrics, "--metrics"))?;
        runtime.spawn(proxy::serve_metrics(
            listener,
            Arc::clone(queue),
            std::future::pending(),
        ));
        edge::note(&format!("metrics are at http://{address}/metrics"));
        warn_of_other_machines(address, "");
    }
    warn_of_other_machines(address, ", and the service through it");
    Ok((listener, url))
}

/// Warns if other machines may reach an address; `further` says what else they reach through it.
fn warn_of_other_machines(address: SocketAddr, further: &str) {
    if !address.ip().is_loopback() {
        edge::note(&format!(
            "warning: other machines may reach {address}{further}; listen on 127.0.0.1 unless they should"
        ));
    }
}

/// Passes requests on until the end, then closes the queue. Returns how the command ended.
async fn serve(
    listener: TcpListener,
    forwarder: Forwarder,
    queue: Arc<Queue>,
    end: impl Future<Output = Option<ExitStatus>> + Send,
) -> Option<ExitStatus> {
    let mut status = None;
    // What is still under way some seconds after the end is cut; it counts as without a complete response.
    let _ = proxy::serve(listener, forwarder, async { status = end.await }).await;
    queue.close();
    status
}

/// What passes, written to a file.
struct ArchiveFile<'run> {
    archive: Option<Archive<'run, BufWriter<&'run File>>>,
    /// Why nothing more is written.
    failed: Option<io::Error>,
}

impl<'run> ArchiveFile<'run> {
    fn begin(
        file: Option<&'run StagedFile>,
        (contract, target): (&'run Contract, &Target),
        values: ValueDisplay,
    ) -> Self {
        let archive = file.map(|file| Archive::begin(file.writer(), contract, target.clone(), values));
        match archive.transpose() {
            Ok(archive) => Self { archive, failed: None },
            Err(error) => Self {
                archive: None,
                failed: Some(error),
            },
        }
    }

    fn add(&mut self, request_line: &RequestLine, recorded: Option<&RecordedExchange>) {
        let added = self
            .archive
            .as_mut()
            .map_or(Ok(()), |archive| archive.add(request_line, recorded));
        if let Err(error) = added {
            self.archive = None;
            self.failed = Some(error);
        }
    }

    fn end(self, counts: ExchangeCounts) -> io::Result<()> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let comment = match counts.dropped {
            0 => String::new(),
            dropped => format!("{dropped} exchanges were dropped, because they came faster than they were judged"),
        };
        self.archive.map_or(Ok(()), |archive| archive.end(&comment).map(drop))
    }
}

fn target(proxying: &Proxying, resolved: &ResolvedArguments) -> Result<Target, Failure> {
    let configured = resolved.arguments.service.base_url.as_ref();
    let url = proxying.to.as_ref().or(configured.map(|url| &url.value));
    let url =
        url.ok_or_else(|| Failure::Usage("there is no service to forward requests to; give --to URL".to_owned()))?;
    let parsed = Target::parse(url).map_err(|error| match proxying.to {
        Some(_) => Failure::Usage(format!("failed to read --to: {error}")),
        None => Failure::Target(error),
    });
    Ok(parsed?.with_tls(certificates::read(&resolved.arguments)?))
}

/// Starts the command, if there is one.
fn start(command: &[OsString], url: &str) -> Result<Option<Child>, Failure> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(None);
    };
    let started = Command::new(program).args(arguments).env(PROXY_VARIABLE, url).spawn();
    let failure = |error| Failure::Usage(format!("failed to run `{}`: {error}", Path::new(program).display()));
    started.map(Some).map_err(failure)
}

/// Waits until the command has ended, or without one until the first signal.
async fn until_end(command: Option<Child>, stop: impl Future<Output = StopSignal>) -> Option<ExitStatus> {
    let Some(mut child) = command else {
        stop.await;
        return None;
    };
    let process = child.id();
    let mut waiting = tokio::task::spawn_blocking(move || child.wait());
    let waited = tokio::select! {
        waited = &mut waiting => waited,
        signal = stop => {
            pass_on(signal, process);
            waiting.await
        }
    };
    waited.ok()?.ok()
}

/// Passes a signal on to the command. A terminal sends Ctrl-C to both processes.
#[cfg(unix)]
fn pass_on(stop: StopSignal, process: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let signal = match stop {
        StopSignal::Interrupt if File::open("/dev/tty").is_ok() => return,
        StopSignal::Interrupt => Signal::INT,
        StopSignal::Terminate => Signal::TERM,
        StopSignal::HangUp => Signal::HUP,
    };
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // It fails where the command has just ended.
        let _ = kill_process(process, signal);
    }
}

/// Elsewhere a console sends Ctrl-C to both processes.
#[cfg(not(unix))]
fn pass_on(_: StopSignal, _: u32) {}

/// Returns the greater of the exit codes; a command that a signal ended has the code that a shell gives it. Also
/// returns a note if that is the command's, because the verdict does not say it.
fn with_command(code: u8, status: Option<ExitStatus>) -> (u8, Option<String>) {
    let Some(status) = status else { return (code, None) };
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    let command = status.code().or_else(|| Some(ENDED_BY_SIGNAL + signal?)).unwrap_or(1);
    let command = u8::try_from(command).unwrap_or(u8::MAX);
    let note = match signal {
        Some(signal) => format!("the command was ended by signal {signal}, so the exit code is {command}"),
        None => format!("the command ended with {command}, which is the exit code"),
    };
    (code.max(command), (command > code).then_some(note))
}
