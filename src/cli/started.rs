//! The service that a check starts itself. The main types are [`StartCommand`], as it is configured, and [`Started`],
//! which ends it.
//!
//! # Design
//!
//! The service gets a process group of its own, so that what it starts itself ends with it: `npm start` is a chain of
//! three processes. [`Started`] ends the group when it is dropped, after an error or a panic too. What ends us without
//! dropping anything (a second Ctrl-C, SIGKILL) closes a pipe to a shell that waits for just that and then kills the
//! group. The death signal of Linux would reach the first process alone, and setting it takes unsafe code.

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
use crate::run::Ended;

/// The time that the service has to end after SIGTERM, before it is killed: half of what Docker gives a container.
const GRACE: Duration = Duration::from_secs(5);
/// How often an ending service is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// The time that the last lines may take to arrive once the service has ended.
const LAST_LINES: Duration = Duration::from_secs(1);
/// The time that a connection to this machine may take.
const CONNECT: Duration = Duration::from_secs(1);
/// What is kept of the service's output, in bytes.
const KEPT_BYTES: usize = 16 << 10;
/// What is printed of it.
const KEPT_LINES: usize = 20;

/// How a service is started: by a line for the shell, or by a program and its arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(
    untagged,
    expecting = "expected a line for the shell, or a program and its arguments"
)]
pub(super) enum StartCommand {
    /// A line for the shell.
    Line(String),
    /// A program and its arguments.
    Program(Vec<String>),
}

/// Why a service was not started.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    /// Something else has its address already, and would be checked in its place.
    #[error("something listens on {0} already, and would be checked in its place; end it, or leave --start out")]
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

    /// Returns it as it is shown: without a line or arguments, which may contain a secret.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Line(_) => "a line for the shell".to_owned(),
            Self::Program(words) => format!("`{}`", words.first().map_or("", String::as_str)),
        }
    }

    /// Starts the service in this folder, unless something listens already where it will. `origin` says where the
    /// command is written.
    ///
    /// # Errors
    ///
    /// [`Failure::ServiceStart`].
    pub(super) async fn start(&self, folder: &Path, target: &Target, origin: &str) -> Result<Started, Failure> {
        let failure = |source: StartError| Failure::ServiceStart {
            origin: origin.to_owned(),
            source,
        };
        let connecting = tokio::time::timeout(CONNECT, target.connects());
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
        let child = command.kill_on_drop(true).spawn()?;
        // Ours are open no longer, so that the output ends with those who write it.
        drop(command);
        let watch = child.id().and_then(|group| Watch::of(group).ok());
        Ok(Started {
            group: child.id(),
            child,
            watch,
            output: Output::of(output)?,
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

/// A program with a folder in its name is relative to that of the configuration; another is looked up.
fn program(words: &[String], folder: &Path) -> Command {
    let (program, arguments) = words.split_first().map_or((Path::new(""), words), |(first, rest)| {
        (Path::new(first.as_str()), rest)
    });
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    if program.components().count() == 1 {
        with_arguments(program, &arguments)
    } else {
        // The folder of the new process does not apply to its own name everywhere.
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        with_arguments(&folder.join(program), &arguments)
    }
}

fn with_arguments(program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// A service that we started. It ends, with everything that it started itself, when this is dropped.
#[derive(Debug)]
pub(super) struct Started {
    child: Child,
    /// The number of the process group, which is that of the first process.
    group: Option<u32>,
    watch: Option<Watch>,
    output: Output,
}

impl Started {
    /// Waits until the first process has ended, and returns how.
    pub(super) async fn ended(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }

    /// Ends the service after a run that ended this way. If it was not ready, or had ended by itself, this and the last
    /// lines of its output are printed on standard error, where the token is hidden in them.
    pub(super) fn conclude(mut self, ended: &Ended, redaction: &Redaction) {
        let status = self.child.try_wait().ok().flatten();
        self.end();
        let never_ready = matches!(
            ended,
            Ended::NotReady(..) | Ended::ServiceEnded(_) | Ended::Unreachable(_)
        );
        match status {
            Some(status) if !never_ready => edge::note(&format!("the service ended before the check did: {status}")),
            None if !never_ready => return,
            _ => {}
        }
        match self.output.last_lines() {
            lines if lines.is_empty() => edge::note("the service wrote nothing"),
            lines => edge::note(&redaction.hide(&format!("the last lines of the service:\n{lines}"))),
        }
    }

    /// Ends the whole group: politely, and after a while not.
    #[cfg(unix)]
    fn end(&mut self) {
        use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
        let group = self.group.take().and_then(|group| i32::try_from(group).ok());
        let Some(group) = group.and_then(Pid::from_raw) else {
            return;
        };
        // Each of these fails where the group is gone.
        let _ = kill_process_group(group, Signal::TERM);
        let looks = GRACE.as_millis() / LOOK.as_millis();
        for _ in 0..looks {
            // Until it is asked for its status, a process that has ended belongs to its group.
            let _ = self.child.try_wait();
            if test_kill_process_group(group).is_err() {
                break;
            }
            std::thread::sleep(LOOK);
        }
        let _ = kill_process_group(group, Signal::KILL);
        if let Some(watch) = self.watch.take() {
            watch.dismiss();
        }
    }

    /// Elsewhere only the first process is known.
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

/// A shell that kills a process group when we have ended without dismissing it.
#[derive(Debug)]
struct Watch(std::process::Child);

impl Watch {
    #[cfg(unix)]
    fn of(group: u32) -> io::Result<Self> {
        use std::os::unix::process::CommandExt as _;
        // The end of the input is ours. In a group of its own it outlives a Ctrl-C on the terminal.
        let script = "read -r word || kill -s KILL -- \"-$0\"";
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", script, &group.to_string()]).process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        shell.spawn().map(Self)
    }

    #[cfg(not(unix))]
    fn of(_: u32) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn dismiss(mut self) {
        if let Some(mut stdin) = self.0.stdin.take() {
            let _ = stdin.write_all(b"dismissed\n");
        }
        let _ = self.0.wait();
    }
}

/// The output of a service, which is read all the time and of which the last part is kept.
#[derive(Debug)]
struct Output {
    kept: Arc<Mutex<VecDeque<u8>>>,
    ended: Receiver<()>,
}

impl Output {
    fn of(mut output: PipeReader) -> io::Result<Self> {
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, ended) = channel::<()>();
        let shared = Arc::clone(&kept);
        let read = move || {
            let mut piece = [0; 4 << 10];
            while let Ok(read @ 1..) = output.read(&mut piece) {
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&piece[..read]);
                let more = kept.len().saturating_sub(KEPT_BYTES);
                kept.drain(..more);
            }
            drop(sender);
        };
        std::thread::Builder::new()
            .name("service-output".to_owned())
            .spawn(read)?;
        Ok(Self { kept, ended })
    }

    /// Returns the last lines, once no more come.
    fn last_lines(&self) -> String {
        // A process that left the group may still hold the pipe.
        let _ = self.ended.recv_timeout(LAST_LINES);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = kept.as_slices();
        let text = String::from_utf8_lossy(&[front, back].concat()).into_owned();
        let lines: Vec<_> = text.trim_end().lines().collect();
        lines[lines.len().saturating_sub(KEPT_LINES)..].join("\n")
    }
}
