//! Listens for the signals that ask a command to end: Ctrl-C, SIGTERM from pipelines and containers, and SIGHUP from a
//! terminal that closes. The functions are [`shutdown_requested`], for a command that ends promptly once it is asked
//! to, and [`interruption`], for one that may hang while it ends.

use std::path::PathBuf;

use super::edge;
use super::failure::Failure;

/// Returns a future that ends when the first signal comes. Listening begins now, so no signal is lost before the future
/// is awaited.
///
/// # Errors
///
/// The system does not allow listening for signals.
#[cfg(feature = "service")]
pub(super) fn shutdown_requested() -> Result<impl Future<Output = ()>, Failure> {
    let mut signals = Signals::take()?;
    Ok(async move {
        signals.next().await;
    })
}

/// A signal that asks a command to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopSignal {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM.
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Ctrl-C is known there"))]
    Terminate,
    /// SIGHUP.
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Ctrl-C is known there"))]
    HangUp,
}

/// Returns a future that ends with the first signal that comes. A second signal ends the process at once, whatever
/// keeps it busy, for example a report into a pipe that nobody reads. Then the `unfinished` files, which are staged,
/// are removed.
///
/// # Errors
///
/// The system does not allow listening for signals, or starting a thread.
pub(super) fn interruption(unfinished: Vec<PathBuf>) -> Result<impl Future<Output = StopSignal>, Failure> {
    let start = |error: std::io::Error| Failure::Start(error.to_string());
    // A separate thread, because whatever hangs may block the run's own.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(start)?;
    let mut signals = {
        let _entered = runtime.enter();
        Signals::take()?
    };
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let wait = async move {
        let asked = signals.next().await;
        // Once the run is over, nobody receives this; only writing the reports remains.
        let _ = stop.send(asked);
        signals.next().await;
        for file in unfinished {
            let _ = std::fs::remove_file(file);
        }
        edge::exit_at_once(
            "interrupted again: stopped at once; reports that were not yet written are lost",
            130,
        );
    };
    std::thread::Builder::new()
        .name("interruption".to_owned())
        .spawn(move || runtime.block_on(wait))
        .map_err(start)?;
    Ok(async move {
        match stopped.await {
            Ok(asked) => asked,
            Err(_) => std::future::pending().await,
        }
    })
}

/// The signals of this process, in place of the system's default action.
struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    /// `None` if the process was started to outlive its terminal.
    #[cfg(unix)]
    hang_up: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    #[cfg(unix)]
    fn take() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let take = |kind| signal(kind).map_err(|error| Failure::Start(error.to_string()));
        Ok(Self {
            interrupt: take(SignalKind::interrupt())?,
            terminate: take(SignalKind::terminate())?,
            hang_up: (!edge::ignores_hang_up())
                .then(|| take(SignalKind::hangup()))
                .transpose()?,
        })
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "on other systems it can fail")]
    fn take() -> Result<Self, Failure> {
        Ok(Self {})
    }

    /// Waits for the next signal.
    async fn next(&mut self) -> StopSignal {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => StopSignal::Interrupt,
            _ = self.terminate.recv() => StopSignal::Terminate,
            () = received(self.hang_up.as_mut()) => StopSignal::HangUp,
        }
        #[cfg(not(unix))]
        {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
            StopSignal::Interrupt
        }
    }
}

/// Ends when the signal comes; never ends if there is no listener for it.
#[cfg(unix)]
async fn received(signal: Option<&mut tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}
