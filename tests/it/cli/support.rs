//! Runs the built binary in an environment that contains only what a test gives it. The main types are [`Call`] and
//! [`Ended`].

use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::is_exhaustive;

/// The token of every call against a target. No output may hold it, so it looks like nothing else.
pub(super) const TOKEN: &str = "tk-7f3a91c2-nobody-prints-this";

/// No call takes longer, whatever the target does and however busy the machine is: a guard against one that hangs.
const LONGEST: Duration = Duration::from_secs(300);

/// A command line that is about to run, in a folder of its own.
pub(super) struct Call {
    command: Command,
    folder: TempDir,
    coloured: bool,
}

/// What a call left behind.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
    folder: TempDir,
}

/// A call that runs.
pub(super) struct Running {
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    folder: TempDir,
    coloured: bool,
}

/// `countersign` with these arguments.
pub(super) fn countersign(arguments: &[&str]) -> Call {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.args(arguments).env_clear().current_dir(folder.path());
    Call {
        command,
        folder,
        coloured: arguments.contains(&"always"),
    }
}

/// Arguments by which a check concerns one operation and what it needs; every operation where everything is tried.
pub(super) fn concerning(operation: &'static str) -> Vec<&'static str> {
    if is_exhaustive() {
        Vec::new()
    } else {
        vec!["--only", operation]
    }
}

/// `countersign check` of the service at `url`, with the token and these arguments.
pub(super) fn check(url: &str, arguments: &[&str]) -> Call {
    let fixed = ["check", "--seed", "1", "--base-url", url];
    countersign(&[&fixed, arguments].concat()).env("COUNTERSIGN_TOKEN", TOKEN)
}

impl Call {
    pub(super) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Says whether the outputs will have colour; else `--color always` does.
    pub(super) fn coloured(mut self, coloured: bool) -> Self {
        self.coloured = coloured;
        self
    }

    /// Puts a file into the folder that the call runs in.
    pub(super) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.folder.path().join(name), content).unwrap();
        self
    }

    pub(super) fn folder(self, name: &str) -> Self {
        std::fs::create_dir(self.folder.path().join(name)).unwrap();
        self
    }

    /// Runs the call in a folder below its own.
    pub(super) fn within(mut self, name: &str) -> Self {
        self.command.current_dir(self.folder.path().join(name));
        self
    }

    /// Makes a named pipe in the folder.
    #[cfg(unix)]
    pub(super) fn pipe(self, name: &str) -> Self {
        let made = Command::new("mkfifo").arg(self.folder.path().join(name)).status();
        assert!(made.unwrap().success());
        self
    }

    /// The folder that the call will run in.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn run(self) -> Ended {
        self.start().end()
    }

    /// Runs with a JSON report beside the terminal's, and holds that report against its schema.
    pub(super) fn report(mut self) -> (Ended, Value) {
        self.command
            .args(["--report", "terminal", "--report", "json=report.json"]);
        let ended = self.run();
        let report = ended.json("report.json");
        assert_eq!(report["exit_code"], ended.code);
        (ended, report)
    }

    pub(super) fn start(mut self) -> Running {
        let command = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        Running {
            stdout: drained(child.stdout.take().unwrap()),
            stderr: drained(child.stderr.take().unwrap()),
            child,
            folder: self.folder,
            coloured: self.coloured,
        }
    }
}

impl Running {
    /// The first lines of standard output, as soon as they are there.
    pub(super) fn first_lines(&self, count: usize) -> Vec<String> {
        let next = || self.stdout.recv_timeout(LONGEST).unwrap();
        std::iter::repeat_with(next).take(count).collect()
    }

    /// The first line of standard error, as soon as it is there.
    pub(super) fn first_error_line(&self) -> String {
        self.stderr.recv_timeout(LONGEST).unwrap()
    }

    /// The number of the process.
    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends the signal of this name, as `kill` has it.
    #[cfg(unix)]
    pub(super) fn signal(&self, name: &str) {
        let process = self.child.id().to_string();
        let sent = Command::new("sh")
            .args(["-c", "kill -s \"$0\" \"$1\"", name, &process])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Kills it without a chance to say anything, and hands over the folder that it ran in.
    #[cfg(unix)]
    pub(super) fn kill(mut self) -> TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.folder
    }

    /// Waits for the end, and holds every output to what holds for all of them.
    pub(super) fn end(mut self) -> Ended {
        let (stdout, stderr) = (self.rest(&self.stdout), self.rest(&self.stderr));
        let (Some(stdout), Some(stderr)) = (stdout, stderr) else {
            self.child.kill().unwrap();
            panic!("the call did not end within {LONGEST:?}");
        };
        let code = self.child.wait().unwrap().code().unwrap();
        let ended = Ended {
            code,
            stdout,
            stderr,
            folder: self.folder,
        };
        ended.shows_no_token();
        let escapes = ended.stdout.contains('\u{1b}') || ended.stderr.contains('\u{1b}');
        assert_eq!(escapes, self.coloured, "{ended:?}");
        ended
    }

    /// All that is left of an output; none where it does not end.
    fn rest(&self, output: &Receiver<String>) -> Option<String> {
        let mut text = String::new();
        loop {
            match output.recv_timeout(LONGEST) {
                Ok(line) => text.push_str(&line),
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return Some(text),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => return None,
            }
        }
    }
}

impl Ended {
    /// Exit code, standard output and standard error in one text, with what differs from run to run taken out.
    pub(super) fn printed(&self) -> String {
        format!(
            "exit code {}\n----- stdout -----\n{}----- stderr -----\n{}",
            self.code, self.stdout, self.stderr
        )
    }

    /// Holds the three against the snapshot of this name.
    #[track_caller]
    pub(super) fn matches(&self, snapshot: &str) {
        redacted(|| insta::assert_snapshot!(format!("cli_{snapshot}"), self.printed()));
    }

    /// A JSON report that was written to the folder of the call.
    pub(super) fn json(&self, name: &str) -> Value {
        let text = std::fs::read_to_string(self.folder.path().join(name)).unwrap();
        let report = serde_json::from_str(&text).unwrap();
        valid(&report);
        report
    }

    /// Asserts that one line on standard error, and nothing else, says what was wrong.
    #[track_caller]
    pub(super) fn is_one_error(&self, code: i32) -> &str {
        assert_eq!((self.code, self.stdout.as_str()), (code, ""), "{self:?}");
        let message = self.stderr.strip_prefix("error: ").unwrap();
        // Clap closes with where to find help; the message itself is one line.
        let message = message.trim_end_matches("\n\nFor more information, try '--help'.\n");
        assert_eq!(message.trim_end().lines().count(), 1, "{self:?}");
        message.trim_end()
    }

    /// The names in the call's folder.
    pub(super) fn files(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Asserts that no output and no file of the call holds `text`.
    #[track_caller]
    pub(super) fn shows_nowhere(&self, text: &str) {
        assert!(!self.stdout.contains(text), "{text} in {}", self.stdout);
        assert!(!self.stderr.contains(text), "{text} in {}", self.stderr);
        for name in self.files() {
            let path = self.folder.path().join(&name);
            // Reading a pipe would wait for a writer.
            let content = if path.is_file() {
                std::fs::read(path).unwrap_or_default()
            } else {
                Vec::new()
            };
            let content = String::from_utf8_lossy(&content);
            // A test may have put a token there for the call to read.
            assert!(
                name.starts_with("token") || !content.contains(text),
                "{text} in {name}: {content}"
            );
        }
    }

    /// The part of the token that would give it away is not shown, however it is cut or wrapped.
    fn shows_no_token(&self) {
        self.shows_nowhere(&TOKEN[3..16]);
    }
}

/// Asserts that a report is valid against the schema that is checked in.
pub(super) fn valid(report: &Value) {
    const SCHEMA: &str = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/snapshots/report_schema.snap.json"
    ));
    static VALIDATOR: LazyLock<jsonschema::Validator> =
        LazyLock::new(|| jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap());
    let errors: Vec<_> = VALIDATOR.iter_errors(report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

/// Runs an assertion on a snapshot in the top-level `snapshots/`, with everything that differs from run to run
/// replaced.
fn redacted(assertion: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let temporary = std::env::temp_dir();
    settings.add_filter(&format!(r"{}/[^/\s`]+", temporary.display()), "[FOLDER]");
    settings.add_filter(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "[UUID]");
    // The port that help shows as the default stays.
    settings.add_filter(r"127\.0\.0\.1:(\d{5}|[1-79]\d{3})", "127.0.0.1:[PORT]");
    settings.add_filter(r"\b\d+\.\d ms \d+ bytes", "[TIME] [SIZE]");
    settings.add_filter(r"\bin \d+\.\d\d s\b", "in [TIME]");
    settings.add_filter(r"\btakes \d+ to \d+ ms\b", "takes [TIME]");
    settings.add_filter(r"\bat least per second: \d+", "at least per second: [RATE]");
    settings.add_filter(r"\bseed \d+", "seed [SEED]");
    settings.add_filter(r"\btoken [0-9a-f]{32}\b", "token [TOKEN]");
    settings.add_filter(r"\brun tag [a-z]{8}\b", "run tag [TAG]");
    settings.bind(assertion);
}

/// Reads an output line by line beside the test, so that the child never waits for a reader.
fn drained(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            let text = String::from_utf8(std::mem::take(&mut line)).unwrap();
            if sender.send(text).is_err() {
                break;
            }
        }
    });
    receiver
}
