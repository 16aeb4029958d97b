//! Starts the service under check, and stops it. The main types are [`StartCommand`], the configured command, and
//! [`Started`], the running service.
//!
//! # Design
//!
//! The service runs in its own process group, so that the processes that it starts end with it: `npm start` is a chain
//! of three. [`Started`] ends the group when it is dropped, also after an error or a panic. If our process ends without
//! dropping anything (a second Ctrl-C, SIGKILL), a pipe to a shell closes; the shell waits for just that, and kills the
//! group. The parent-death signal of Linux would reach only the first process, and setting it takes unsafe code.

use std::collections::VecDeque;
use std::io::{self, PipeReader, Read as _, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::process::{Child, Command};

use super::edge;
use super::failure::Failure;
use crate::exchange::Target;
use crate::exchange::redact::Redaction;
use crate::run::RunEnd;

/// How long the service may take to end after SIGTERM, before it is killed: half of what Docker gives a container.
const GRACE: Duration = Duration::from_secs(5);
/// The time between two checks of whether the service has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long the last lines may take to arrive once the service has ended.
const LAST_LINES_TIMEOUT: Duration = Duration::from_secs(1);
/// How long it may take to find out whether something listens at the address already.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// How many bytes of the end of the service's output are kept.
const KEPT_BYTES: usize = 16 << 10;
/// How many lines of it are printed.
const KEPT_LINES: usize = 20;

/// How to start a service: a shell command, or a program and its arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(untagged, expecting = "expected a shell command, or a program and its arguments")]
pub(super) enum StartCommand {
    /// A shell command.
    Line(String),
    /// A program and its arguments.
    Program(Vec<String>),
}

/// Why a service was not started.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    /// Something else listens at its address already, and would be checked instead.
    #[error("something already listens on {0} and would be checked instead; stop it, or leave out --start")]
    Occupied(String),
    /// It could not be run.
    #[error("{0}")]
    System(#[from] io::Error),
}

impl std::str::FromStr for StartCommand {
    type Err = std::convert::Infallible;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        Ok(Self::Line(line.to_owned()))
    }
}

impl StartCommand {
    /// Whether there is nothing to run.
    pub(super) fn is_empty(&self) -> bool {
        let first = match self {
            Self::Line(line) => line.as_str(),
            Self::Program(words) => words.first().map_or("", String::as_str),
        };
        first.trim().is_empty()
    }

    /// Returns the command as it may be shown: without a shell command line or arguments, which may contain a secret.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Line(_) => "a shell command".to_owned(),
            Self::Program(words) => format!("`{}`", words.first().map_or("", String::as_str)),
        }
    }

    /// Starts the service in this folder, unless something already listens at its address. `origin` says where the
    /// command was given.
    ///
    /// # Errors
    ///
    /// [`Failure::ServiceStart`].
    pub(super) async fn start(&self, folder: &Path, target: &Target, origin: &str) -> Result<Started, Failure> {
        let failure = |source: StartError| Failure::ServiceStart {
            origin: origin.to_owned(),
            source,
        };
        let connecting = tokio::time::timeout(CONNECT_TIMEOUT, target.connects());
        if connecting.await.unwrap_or(false) {
            return Err(failure(StartError::Occupied(target.origin())));
        }
        self.spawn(folder).map_err(|error| failure(error.into()))
    }

    fn spawn(&self, folder: &Path) -> io::Result<Started> {
        let (output, written) = io::pipe()?;
        let mut command = self.command(folder);
        command.current_dir(folder).stdin(Stdio::null());
        command.stdout(written.try_clone()?).stderr(written);
        #[cfg(unix)]
        command.process_group(0);
        adopt_orphans();
        let child = command.kill_on_drop(true).spawn()?;
        // This closes our copies of the pipe's write end, so that the output ends when the processes that write it do.
        drop(command);
        let watch = child.id().and_then(|group| Watch::start(group).ok());
        Ok(Started {
            group: child.id(),
            child,
            watch,
            output: Output::read(output)?,
        })
    }

    #[cfg(unix)]
    fn command(&self, folder: &Path) -> Command {
        match self {
            Self::Line(line) => with_arguments("sh".as_ref(), &["-c", line]),
            Self::Program(words) => program(words, folder),
        }
    }

    #[cfg(not(unix))]
    fn command(&self, folder: &Path) -> Command {
        match self {
            Self::Line(line) => with_arguments("cmd".as_ref(), &["/C", line]),
            Self::Program(words) => program(words, folder),
        }
    }
}

/// Returns the command that runs a program. If the program's name has a folder in it, it is relative to the folder of
/// the configuration; otherwise it is looked up on `PATH`.
fn program(words: &[String], folder: &Path) -> Command {
    let (program, arguments) = words.split_first().map_or((Path::new(""), words), |(first, rest)| {
        (Path::new(first.as_str()), rest)
    });
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    if program.components().count() == 1 {
        with_arguments(program, &arguments)
    } else {
        // Some platforms do not resolve the name relative to the new process's working directory.
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        with_arguments(&folder.join(program), &arguments)
    }
}

/// Makes this process adopt the service's orphans. Otherwise PID 1 adopts them, which in a container may reap them late
/// or never, and until they are reaped the process group seems alive.
fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Reaps the ended processes of a group whose first process has been reaped. Where orphans are not adopted there are
/// none.
#[cfg(unix)]
fn reap_orphans(group: rustix::process::Pid) {
    while let Ok(Some(_)) = rustix::process::waitpgid(group, rustix::process::WaitOptions::NOHANG) {}
}

fn with_arguments(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// A service that was started for a check. When this is dropped, the service ends, with every process that it started.
#[derive(Debug)]
pub(super) struct Started {
    child: Child,
    /// The ID of the process group, which is that of the first process.
    group: Option<u32>,
    watch: Option<Watch>,
    output: Output,
}

impl Started {
    /// Waits until the first process has ended, and returns its exit status as text.
    pub(super) async fn ended(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }

    /// Ends the service after the run; `ended` says how the run ended. If the service was never ready or had ended by
    /// itself, prints the last lines of its output on standard error, with the token redacted.
    pub(super) fn conclude(mut self, ended: &RunEnd, redaction: &Redaction) {
        let status = self.child.try_wait().ok().flatten();
        self.end();
        let never_ready = matches!(
            ended,
            RunEnd::NotReady(..) | RunEnd::ServiceEnded(_) | RunEnd::Unreachable(_)
        );
        match status {
            Some(status) if !never_ready => edge::note(&format!("the service exited before the check ended: {status}")),
            None if !never_ready => return,
            _ => {}
        }
        match self.output.last_lines() {
            lines if lines.is_empty() => edge::note("the service wrote nothing"),
            lines => edge::note(&redaction.hide(&format!("the last lines of the service:\n{lines}"))),
        }
    }

    /// Ends the whole group: with SIGTERM, and after [`GRACE`] with SIGKILL.
    #[cfg(unix)]
    fn end(&mut self) {
        use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
        let group = self.group.take().and_then(|group| i32::try_from(group).ok());
        let Some(group) = group.and_then(Pid::from_raw) else {
            return;
        };
        // These calls fail if the group is already gone.
        let _ = kill_process_group(group, Signal::TERM);
        let polls = GRACE.as_millis() / POLL_INTERVAL.as_millis();
        for _ in 0..polls {
            // A process that has ended belongs to its group until its status is collected.
            if self.child.try_wait().is_ok_and(|status| status.is_some()) {
                reap_orphans(group);
            }
            if test_kill_process_group(group).is_err() {
                break;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        let _ = kill_process_group(group, Signal::KILL);
        if let Some(watch) = self.watch.take() {
            watch.dismiss();
        }
    }

    /// Ends the first process, the only one that is known on this platform.
    #[cfg(not(unix))]
    fn end(&mut self) {
        self.group = None;
        let _ = self.child.start_kill();
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.end();
    }
}

/// A shell that kills the process group if our process ends without dismissing it.
#[derive(Debug)]
struct Watch(std::process::Child);

impl Watch {
    #[cfg(unix)]
    fn start(group: u32) -> io::Result<Self> {
        use std::os::unix::process::CommandExt as _;
        // The shell's input ends when our process does. In its own process group, the shell outlives a Ctrl-C on the
        // terminal.
        let script = "read -r word || kill -s KILL -- \"-$0\"";
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", script, &group.to_string()]).process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        shell.spawn().map(Self)
    }

    #[cfg(not(unix))]
    fn start(_: u32) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn dismiss(mut self) {
        if let Some(mut stdin) = self.0.stdin.take() {
            let _ = stdin.write_all(b"dismissed\n");
        }
        let _ = self.0.wait();
    }
}

/// The output of a service. It is read continuously, and the last part of it is kept.
#[derive(Debug)]
struct Output {
    kept: Arc<Mutex<VecDeque<u8>>>,
    ended: Receiver<()>,
}

impl Output {
    fn read(mut output: PipeReader) -> io::Result<Self> {
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, ended) = channel::<()>();
        let shared = Arc::clone(&kept);
        let read_all = move || {
            let mut buffer = [0; 4 << 10];
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&buffer[..read]);
                let excess = kept.len().saturating_sub(KEPT_BYTES);
                kept.drain(..excess);
            }
            drop(sender);
        };
        std::thread::Builder::new()
            .name("service-output".to_owned())
            .spawn(read_all)?;
        Ok(Self { kept, ended })
    }

    /// Returns the last lines, once the output has ended.
    fn last_lines(&self) -> String {
        // A process that left the group may still hold the pipe open, so this does not wait forever.
        let _ = self.ended.recv_timeout(LAST_LINES_TIMEOUT);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = kept.as_slices();
        last_lines(&[front, back].concat())
    }
}

fn last_lines(kept: &[u8]) -> String {
    // Where something was cut off, the first line may begin within a token, which is only hidden as a whole.
    let first = match kept.len() {
        KEPT_BYTES.. => kept
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(kept.len(), |end| end + 1),
        _ => 0,
    };
    let text = String::from_utf8_lossy(&kept[first..]);
    let lines: Vec<_> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(KEPT_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_whose_beginning_was_cut_off_is_not_shown() {
        let long = format!("{}\nready\n", "a".repeat(KEPT_BYTES));
        let (whole, cut) = (
            &long.as_bytes()[KEPT_BYTES..],
            &long.as_bytes()[long.len() - KEPT_BYTES..],
        );
        assert_eq!(last_lines(b"starting\nready\n"), "starting\nready");
        assert_eq!(last_lines(whole), "\nready");
        assert_eq!(last_lines(cut), "ready");
        assert_eq!(last_lines(&[b'a'; KEPT_BYTES]), "");
    }
}
