//! `countersign proxy`: passes requests on to a service, and judges what passes as `judge` judges recorded traffic.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use tokio::runtime::Runtime;

use super::arguments::Arguments as CheckArguments;
use super::config::ResolvedArguments;
use super::edge;
use super::failure::Failure;
use super::judge::{Judging, without_sending};
use super::signals;
use crate::exchange::Target;
use crate::proxy::{self, Forwarding, Queue};

/// The variable with the URL of the proxy, for the command that it runs.
const PROXY_VARIABLE: &str = "COUNTERSIGN_PROXY_URL";
/// What a shell adds to the number of the signal that ended a command.
const ENDED_BY_SIGNAL: i32 = 128;

/// The arguments of `proxy`.
#[derive(Debug, Args)]
pub(super) struct ProxyArguments {
    /// The base URL of the service to which requests are passed on, unless `--base-url` or the configuration has it
    #[arg(long, value_name = "URL")]
    to: Option<String>,
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8081")]
    listen: String,
    /// Serve metrics for Prometheus at this address, below `/metrics`
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<String>,
    #[command(flatten)]
    pub(super) check: CheckArguments,
    /// Run this command with the proxy's URL in `COUNTERSIGN_PROXY_URL`, and end when it ends
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// What of the arguments is not a check's.
pub(super) struct Proxying {
    to: Option<String>,
    listen: String,
    metrics: Option<String>,
    command: Vec<OsString>,
}

impl ProxyArguments {
    /// Separates the arguments that a check has too.
    pub(super) fn split(self) -> (CheckArguments, Proxying) {
        let Self {
            to,
            listen,
            metrics,
            check,
            command,
        } = self;
        let proxying = Proxying {
            to,
            listen,
            metrics,
            command,
        };
        (check, proxying)
    }
}

/// Hides the flags of a check that mean nothing here.
pub(super) fn with_own_help(command: clap::Command) -> clap::Command {
    without_sending(command).mut_arg("base_url", |flag| flag.hide(true))
}

/// Passes requests on until it is stopped or the command has ended, writes the reports, and ends with the worse of the
/// outcome's exit code and the command's.
pub(super) fn run(proxying: &Proxying, resolved: &ResolvedArguments) -> Result<u8, Failure> {
    let target = target(proxying, resolved)?;
    let judging = Judging::new(resolved, &[])?;
    let runtime = Runtime::new().map_err(|error| Failure::Start(error.to_string()))?;
    let queue = Queue::new(judging.started_at);
    let forwarding =
        Forwarding::new(target.clone(), Arc::clone(&queue)).map_err(|error| Failure::Start(error.to_string()))?;
    let (listener, address) = runtime.block_on(edge::listen(&proxying.listen, "--listen"))?;
    let url = format!("http://{address}{}", target.base_path());
    let metrics = proxying.metrics.as_deref();
    let metrics = metrics
        .map(|address| runtime.block_on(edge::listen(address, "--metrics")))
        .transpose()?;
    let stop = signals::interruption(judging.unfinished())?;
    announce(address, (&url, &target), metrics.as_ref().map(|(_, address)| *address));
    if let Some((listener, _)) = metrics {
        runtime.spawn(proxy::serve_metrics(
            listener,
            Arc::clone(&queue),
            std::future::pending(),
        ));
    }
    let command = start(&proxying.command, &url)?;
    let serving = runtime.spawn({
        let queue = Arc::clone(&queue);
        async move {
            let (ended, status) = tokio::sync::oneshot::channel();
            let shutdown = async move {
                let _ = ended.send(until_end(command, stop).await);
            };
            // What is still under way after that is cut; the reports say nothing of it.
            let _ = proxy::serve(listener, forwarding, shutdown).await;
            queue.close();
            status.await.ok().flatten()
        }
    });
    let clock = Instant::now();
    let settings = judging.settings(Some(target.clone()), resolved);
    let contract = Arc::clone(&judging.contract);
    let mut exchanges = judging.exchanges(&contract);
    let proxied = proxy::judge(
        &contract,
        &queue,
        settings,
        runtime.handle(),
        (&mut |event| exchanges.add(event), &mut |_, _| {}),
    );
    let status = runtime.block_on(serving).ok().flatten();
    runtime.shutdown_background();
    let judged = (&proxied.judged, Some(proxied.counts));
    let code = judging.conclude(resolved, judged, (&target, exchanges, clock.elapsed()))?;
    Ok(worse(code, status))
}

fn target(proxying: &Proxying, resolved: &ResolvedArguments) -> Result<Target, Failure> {
    let configured = resolved.arguments.service.base_url.as_ref();
    let url = proxying.to.as_ref().or(configured.map(|url| &url.value));
    let url =
        url.ok_or_else(|| Failure::Usage("there is no service to pass requests on to; give --to URL".to_owned()))?;
    Ok(Target::parse(url)?)
}

/// Says where the proxy is, and who may reach it.
fn announce(address: SocketAddr, (url, target): (&str, &Target), metrics: Option<SocketAddr>) {
    edge::note(&format!(
        "{url} passes requests on to {}{} and judges them",
        target.origin(),
        target.base_path()
    ));
    if let Some(metrics) = metrics {
        edge::note(&format!("metrics are at http://{metrics}/metrics"));
    }
    if !address.ip().is_loopback() {
        edge::note(&format!(
            "warning: other machines may reach {address}, and the service through it; listen on 127.0.0.1 unless they should"
        ));
    }
}

/// Starts the command, if there is one.
fn start(command: &[OsString], url: &str) -> Result<Option<std::process::Child>, Failure> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(None);
    };
    let started = std::process::Command::new(program)
        .args(arguments)
        .env(PROXY_VARIABLE, url)
        .spawn();
    let failure = |error| Failure::Usage(format!("failed to run `{}`: {error}", Path::new(program).display()));
    started.map(Some).map_err(failure)
}

/// Waits until the command has ended, or without one until the first signal. A signal from a terminal goes to the
/// command too, so it ends by itself.
async fn until_end(command: Option<std::process::Child>, stop: impl Future<Output = ()>) -> Option<ExitStatus> {
    match command {
        None => {
            stop.await;
            None
        }
        Some(mut child) => {
            let waited = tokio::task::spawn_blocking(move || child.wait());
            waited.await.ok()?.ok()
        }
    }
}

/// Returns the greater of the exit codes; a command that a signal ended has the code that a shell gives it.
fn worse(code: u8, status: Option<ExitStatus>) -> u8 {
    let Some(status) = status else { return code };
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    let command = status.code().or_else(|| Some(ENDED_BY_SIGNAL + signal?)).unwrap_or(1);
    code.max(u8::try_from(command).unwrap_or(u8::MAX))
}
