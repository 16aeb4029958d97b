//! The edge to the outside world: environment, clock, terminal, files. Apart from the variables that clap reads for
//! flags, and the stopwatches of `judge` and `proxy`, nothing else in `cli` reads the first three.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::net::SocketAddr;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::ColorChoice;
use chrono::{DateTime, Utc};
use clap::ValueEnum;
use serde::Serialize;
use tokio::net::TcpListener;

use super::failure::Failure;
use crate::client::Token;
use crate::exchange::redact::{Redaction, SHORTEST_TOKEN};
use crate::exchange::sanitize::{Colours, json_text, sanitize};

/// The variable that names the service to check.
pub(super) const BASE_URL_VARIABLE: &str = "COUNTERSIGN_BASE_URL";
/// The variable that names the configuration.
pub(super) const CONFIG_VARIABLE: &str = "COUNTERSIGN_CONFIG";
/// The variable that names the target of the configuration.
pub(super) const TARGET_VARIABLE: &str = "COUNTERSIGN_TARGET";
/// The variable that contains the token, unless the target names another.
pub(super) const TOKEN_VARIABLE: &str = "COUNTERSIGN_TOKEN";

/// Whether the process was started without a standard output.
static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);
/// The largest token file that is read, in bytes: more than any server accepts as a header.
pub(super) const MAX_TOKEN_BYTES: u64 = 64 << 10;

/// When colours are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorWhen {
    /// Always
    Always,
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Never
    Never,
}

impl ColorWhen {
    /// Returns whether standard output is coloured.
    pub(super) fn on_stdout(self) -> bool {
        self.on(&io::stdout())
    }

    /// Returns whether standard error is coloured.
    pub(super) fn on_stderr(self) -> bool {
        self.on(&io::stderr())
    }

    /// `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and `TERM` decide if the flag leaves it open.
    fn on(self, stream: &impl anstream::stream::RawStream) -> bool {
        match self {
            Self::Always => true,
            Self::Auto => anstream::AutoStream::choice(stream) != ColorChoice::Never,
            Self::Never => false,
        }
    }
}

/// Returns the time now, by a clock that may be set to before 1970, where [`Utc::now`] panics.
#[expect(clippy::disallowed_methods, reason = "the clock is read here and passed in")]
pub(super) fn now() -> DateTime<Utc> {
    std::time::SystemTime::now().into()
}

/// Listens on the address that a flag gives, and also returns that address with the actual port.
///
/// # Errors
///
/// [`Failure::Listen`] for an address that is taken, or not one of this machine.
pub(super) async fn listen(address: &str, flag: &str) -> Result<(TcpListener, SocketAddr), Failure> {
    let failure = |source: io::Error| Failure::Listen {
        address: address.to_owned(),
        hint: match source.kind() {
            io::ErrorKind::AddrInUse => format!("; choose another with {flag}, or port 0 for a free one"),
            _ => format!("; {flag} takes an address of this machine and a port, such as 127.0.0.1:8080"),
        },
        source,
    };
    let listener = TcpListener::bind(address).await.map_err(failure)?;
    let bound = listener.local_addr().map_err(failure)?;
    Ok((listener, bound))
}

/// Refuses to run the reference service on a clock that cannot date its responses, because hyper would panic.
///
/// # Errors
///
/// [`Failure::Start`] for a time before 1970.
#[cfg(feature = "service")]
pub(super) fn check_clock(now: DateTime<Utc>) -> Result<(), Failure> {
    if now >= DateTime::UNIX_EPOCH {
        return Ok(());
    }
    Err(Failure::Start(format!(
        "the clock of this machine says {}, and no response of the reference service can be dated before 1970; set the clock",
        now.date_naive()
    )))
}

/// Returns the token from a file, or from the variable of this name; `None` if neither is given.
///
/// # Errors
///
/// A file that cannot be read; a token that is empty, too short, or cannot be sent in a header.
#[expect(clippy::disallowed_methods, reason = "the environment is read here and passed in")]
pub(super) fn token(file: Option<&Path>, variable: &str) -> Result<Option<Token>, Failure> {
    if let Some(path) = file {
        let text = read("token", path, MAX_TOKEN_BYTES)?;
        return redactable_token(&text, &format!("`{}`", path.display())).map(Some);
    }
    let text = std::env::var_os(variable);
    let token = text.map(|text| redactable_token(&text.to_string_lossy(), variable));
    token.transpose()
}

/// Reads a token of this origin, which must be long enough to be redacted from a text.
///
/// # Errors
///
/// A token that is empty, too short, or cannot be sent in a header.
pub(super) fn redactable_token(text: &str, origin: &str) -> Result<Token, Failure> {
    let text = text.trim();
    let token = Token::new(text).map_err(|source| {
        let origin = origin.to_owned();
        match text.split_once(' ') {
            _ if text.is_empty() => Failure::EmptyToken { origin },
            // A scheme contains no colon (RFC 9110, section 11.1): that is a user and a password with a space in it.
            Some((scheme, token))
                if !scheme.contains(':') && Token::new(scheme).is_ok() && Token::new(token).is_ok() =>
            {
                token_with_scheme(scheme, origin)
            }
            _ => Failure::Token { origin, source },
        }
    })?;
    if token.expose().len() < SHORTEST_TOKEN {
        return Err(Failure::ShortToken {
            origin: origin.to_owned(),
        });
    }
    Ok(token)
}

/// Returns the failure of a token that is written with this word before it.
fn token_with_scheme(word: &str, origin: String) -> Failure {
    let known = [
        ("Bearer", ""),
        // The header has the two in Base64; our token has them in plain text.
        (
            "Basic",
            ", and the token is the user and the password, as `user:password`",
        ),
    ];
    let mut known = known.into_iter();
    match known.find(|(scheme, _)| scheme.eq_ignore_ascii_case(word)) {
        Some((scheme, instead)) => Failure::TokenWithScheme {
            origin,
            scheme,
            instead,
        },
        None => Failure::TokenOfTwoWords { origin },
    }
}

/// Returns whether a variable is set, whatever its value.
#[expect(clippy::disallowed_methods, reason = "the environment is read here and passed in")]
pub(super) fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some()
}

/// Returns the text of a file of at most `max_bytes` bytes; messages call it `what`.
///
/// # Errors
///
/// The system's error; a file that is larger, of which no more is read; one that is not UTF-8.
pub(super) fn read(what: &'static str, path: &Path, max_bytes: u64) -> Result<String, Failure> {
    let bytes = read_whole(what, path, max_bytes)?;
    utf_8(bytes).map_err(|reason| Failure::File {
        what,
        path: path.to_owned(),
        source: io::Error::other(reason),
    })
}

/// Returns the text that the bytes are, or where they are none and what to do.
pub(super) fn utf_8(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return "it is UTF-16; save it as UTF-8".to_owned();
        }
        let before = bytes.get(..error.utf8_error().valid_up_to()).unwrap_or(bytes);
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        format!("it is not UTF-8 from line {line} on; save it as UTF-8")
    })
}

/// Returns the bytes of a file of at most `max_bytes` bytes; messages call it `what`.
///
/// # Errors
///
/// The system's error; a file that is larger, of which no more is read.
pub(super) fn read_whole(what: &'static str, path: &Path, max_bytes: u64) -> Result<Vec<u8>, Failure> {
    // One byte more shows whether the file is larger.
    let bytes = read_bytes(what, path, max_bytes + 1)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= max_bytes) {
        return Ok(bytes);
    }
    let (size, unit) = if max_bytes < 1 << 20 {
        (max_bytes >> 10, "KiB")
    } else {
        (max_bytes >> 20, "MiB")
    };
    Err(Failure::File {
        what,
        path: path.to_owned(),
        source: io::Error::other(format!("it is larger than {size} {unit}, the most that is read")),
    })
}

/// Returns the working directory.
pub(super) fn working_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// Returns the first `max_bytes` bytes of a file, or of standard input for `-`; messages call it `what`.
///
/// # Errors
///
/// What the system says.
pub(super) fn read_bytes(what: &'static str, path: &Path, max_bytes: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut taken = |source: &mut dyn Read| source.take(max_bytes).read_to_end(&mut bytes).map(drop);
    let read = if path == Path::new("-") {
        taken(&mut io::stdin().lock())
    } else {
        File::open(path).and_then(|mut file| taken(&mut file))
    };
    read.map(|()| bytes).map_err(|source| Failure::File {
        what,
        path: path.to_owned(),
        source,
    })
}

/// Returns whether the process was started with SIGHUP ignored, as `nohup` does: then it must outlive its terminal.
/// Only Linux shows this.
#[cfg(unix)]
pub(super) fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // A bit for each signal, of which SIGHUP is the first.
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

/// Returns the width of the terminal on standard output, if there is one.
pub(super) fn width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
}

/// Returns the width of the terminal on standard error, if there is one.
pub(super) fn stderr_width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0))
}

/// Returns the width of lines for people: that of the terminal, but at most 100 columns; 100 if there is no terminal.
pub(super) fn line_width() -> usize {
    width().unwrap_or(100).clamp(40, 100)
}

/// Returns whether standard error is a terminal.
#[expect(clippy::disallowed_methods, reason = "the terminal is queried here")]
pub(super) fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Returns whether two paths lead to one file, however they are spelled and linked; the file need not exist.
pub(super) fn same_file(left: &Path, right: &Path) -> bool {
    let identities = (identity(left), identity(right));
    let same = matches!(identities, (Some(left), Some(right)) if left == right);
    same || left == right || absolute_path(left) == absolute_path(right)
}

/// Returns what distinguishes a file from every other: its device and inode number, which all its hard links share.
#[cfg(unix)]
fn identity(file: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(file).ok()?;
    Some((found.dev(), found.ino()))
}

/// On other systems only the path distinguishes files.
#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Returns the absolute path of a file, the same for every spelling of it. The file need not exist, and a link may lead
/// to one that does not.
fn absolute_path(file: &Path) -> PathBuf {
    // As many links in a row as Linux follows.
    const MAX_LINKS: usize = 40;
    let mut file = file.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(found) = file.canonicalize() {
            return found;
        }
        match std::fs::read_link(&file) {
            Ok(to) => file = folder_of(&file).join(to),
            Err(_) => break,
        }
    }
    let resolved = file.ancestors().skip(1).find_map(|folder| {
        let existing = if folder == Path::new("") {
            Path::new(".")
        } else {
            folder
        };
        let rest = file.strip_prefix(folder).ok()?;
        Some(existing.canonicalize().ok()?.join(rest))
    });
    resolved.unwrap_or(file)
}

/// Returns whether a file is inside a folder, at any depth, after links are followed; the file need not exist.
pub(super) fn is_inside(file: &Path, folder: &Path) -> bool {
    let file = absolute_path(file);
    let climbs = file.components().any(|component| component == Component::ParentDir);
    !climbs && folder.canonicalize().is_ok_and(|folder| file.starts_with(folder))
}

/// Returns the folder that a file is in.
pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or_else(|| Path::new("."))
}

/// Notes that the process was started without a standard output. What is written there is lost without a system error,
/// because Rust replaces it with `/dev/null`.
pub(super) fn note_closed_stdout() {
    STDOUT_IS_CLOSED.store(true, Ordering::Relaxed);
}

/// Writes a page to standard output. If the reader closes the pipe, it has read what it wanted.
///
/// # Errors
///
/// The system's error, such as a full disk after a redirection; a standard output that is closed.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    print_verbatim(sanitize(&without_token(text), Colours::Kept).as_bytes())
}

/// Writes a value to standard output as JSON over several lines, as [`print`] writes a page.
///
/// # Errors
///
/// Those of [`print`].
pub(super) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print_verbatim(without_token(&json_text(value)).as_bytes())
}

/// Returns a text without the token of the environment: a user may have typed that in place of a name.
#[expect(clippy::disallowed_methods, reason = "the environment is read here and passed in")]
fn without_token(text: &str) -> Cow<'_, str> {
    let token = std::env::var(TOKEN_VARIABLE).ok();
    let token = token.and_then(|token| redactable_token(&token, TOKEN_VARIABLE).ok());
    match token {
        Some(token) => Cow::Owned(Redaction::of(Some(&token)).hide(text)),
        None => Cow::Borrowed(text),
    }
}

/// Writes what clap says, coloured where the stream is a terminal: help and version to standard output, an error in
/// what was typed to standard error.
///
/// # Errors
///
/// Those of [`print`].
pub(super) fn print_usage(said: &clap::Error) -> Result<(), Failure> {
    if said.use_stderr() {
        let text = said.render().ansi().to_string();
        let _ = write!(anstream::stderr().lock(), "{}", without_token(&text));
        return Ok(());
    }
    if STDOUT_IS_CLOSED.load(Ordering::Relaxed) {
        return Err(Failure::Stdout(is_closed()));
    }
    match said.print() {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed.map_err(Failure::Stdout),
    }
}

/// Writes text that is entirely our own, verbatim: in a script a tab is a tab.
///
/// # Errors
///
/// Those of [`print`].
pub(super) fn print_verbatim(text: &[u8]) -> Result<(), Failure> {
    match write(text) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(Failure::Stdout),
    }
}

/// Writes a whole report to standard output. If the reader closes the pipe, it did not get the report, and that is an
/// error.
///
/// # Errors
///
/// The system's error, such as a full disk; a standard output that is closed.
pub(super) fn print_whole(text: &str) -> io::Result<()> {
    write(sanitize(text, Colours::Kept).as_bytes())
}

/// Writes lines of commands for a CI system as [`print_whole`] does; the caller has escaped their contents.
///
/// # Errors
///
/// Those of [`print_whole`].
pub(super) fn print_commands(text: &str) -> io::Result<()> {
    write(text.as_bytes())
}

fn write(text: &[u8]) -> io::Result<()> {
    if STDOUT_IS_CLOSED.load(Ordering::Relaxed) {
        return Err(is_closed());
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(text).and_then(|()| stdout.flush())
}

fn is_closed() -> io::Error {
    io::Error::other("it is closed")
}

/// Returns the file that GitHub shows as the summary of this step, if the command runs in one.
#[expect(clippy::disallowed_methods, reason = "the environment is read here and passed in")]
pub(super) fn step_summary() -> Option<PathBuf> {
    let path = std::env::var_os("GITHUB_STEP_SUMMARY")?;
    (!path.is_empty()).then(|| path.into())
}

/// Writes a line to standard error.
pub(super) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", sanitize(line, Colours::Kept));
}

/// Prints the failure that ended a command.
pub(super) fn error(failure: &Failure) {
    let failure = failure.to_string();
    let failure = sanitize(&without_token(&failure), Colours::None);
    let style = anstyle::AnsiColor::Red.on_default().bold();
    let _ = writeln!(anstream::stderr().lock(), "{style}error{style:#}: {failure}");
}

/// Prints why, and ends the process at once.
#[expect(
    clippy::exit,
    reason = "a user who interrupts twice does not want to wait, and the thread that would return hangs"
)]
pub(super) fn exit_at_once(why: &str, code: i32) -> ! {
    let _ = writeln!(io::stderr().lock(), "{why}");
    std::process::exit(code)
}

#[cfg(all(test, feature = "service"))]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn a_clock_that_is_set_to_before_1970_reports_that_time() {
        let before = SystemTime::UNIX_EPOCH - Duration::from_millis(1_500);
        let reported = DateTime::<Utc>::from(before);
        assert_eq!(reported.to_rfc3339(), "1969-12-31T23:59:58.500+00:00");
        let rejected = check_clock(reported).unwrap_err().to_string();
        assert!(
            rejected.contains("1969-12-31") && rejected.contains("set the clock"),
            "{rejected}"
        );
        assert!(check_clock(DateTime::UNIX_EPOCH).is_ok());
    }
}
