//! A token that a program prints, for tokens that live for minutes. The main type is [`TokenCommand`].

use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use super::edge;
use super::failure::Failure;
use crate::client::Token;
use crate::exchange::redact::printable;

/// How long the program may run. A program that logs in over the network needs less.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A program whose standard output is the token. It runs without a shell and without input, and what it writes to
/// standard error is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TokenCommand {
    program: PathBuf,
    arguments: Vec<String>,
    /// The program as messages name it, with the place in the configuration.
    origin: String,
}

/// Why a program gave no token. The messages do not repeat what it wrote.
#[derive(Debug, thiserror::Error)]
pub(super) enum TokenCommandError {
    /// It ended otherwise than with success.
    #[error("it ended with {0}; run it by itself to see why")]
    Exit(ExitStatus),
    /// There is no such program.
    #[error("there is no such program; write its name if it is on PATH, or else its path, from this file's folder")]
    NotFound,
    /// It could not be run or read.
    #[error("{0}")]
    System(#[from] io::Error),
    /// It did not end.
    #[error("it did not end within {} s; is it waiting for input, which it does not get?", .0.as_secs_f64())]
    TimeOver(Duration),
    /// It wrote more than a token.
    #[error("it wrote more than {} KiB to its standard output, where only the token belongs", edge::MAX_TOKEN_BYTES >> 10)]
    TooMuch,
}

impl TokenCommand {
    /// Makes it from the key of a configuration in this folder: the program and its arguments. A program with a folder
    /// in its name is relative to that of the configuration.
    pub(super) fn new(command: &[String], folder: &Path, location: &str) -> Self {
        let (program, arguments) = command
            .split_first()
            .map_or(("", &[][..]), |(program, arguments)| (program.as_str(), arguments));
        let origin = format!("`{}` ({location})", printable(program));
        let is_name = Path::new(program).components().count() == 1;
        Self {
            program: if is_name { program.into() } else { folder.join(program) },
            arguments: arguments.to_vec(),
            origin,
        }
    }

    /// Returns the program, as messages name it.
    pub(super) fn origin(&self) -> &str {
        &self.origin
    }

    /// Runs the program and returns the token that it prints.
    ///
    /// # Errors
    ///
    /// [`Failure::TokenCommand`]; an output that is no token.
    pub(super) async fn token(&self) -> Result<Token, Failure> {
        let output = self.output(TIMEOUT).await.map_err(|source| Failure::TokenCommand {
            origin: self.origin.clone(),
            source,
        })?;
        edge::redactable_token(&output, &self.origin)
    }

    /// Returns the program's standard output. A program that takes longer is killed.
    async fn output(&self, limit: Duration) -> Result<String, TokenCommandError> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => TokenCommandError::NotFound,
                _ => TokenCommandError::System(error),
            })?;
        let ended = async {
            let mut output = Vec::new();
            if let Some(stdout) = child.stdout.take() {
                // One byte more shows whether there is more.
                let mut stdout = stdout.take(edge::MAX_TOKEN_BYTES + 1);
                stdout.read_to_end(&mut output).await?;
            }
            if u64::try_from(output.len()).is_ok_and(|length| length > edge::MAX_TOKEN_BYTES) {
                return Err(TokenCommandError::TooMuch);
            }
            match child.wait().await? {
                status if status.success() => Ok(String::from_utf8_lossy(&output).into_owned()),
                status => Err(TokenCommandError::Exit(status)),
            }
        };
        let ended = tokio::time::timeout(limit, ended).await;
        ended.unwrap_or(Err(TokenCommandError::TimeOver(limit)))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> TokenCommand {
        let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        TokenCommand::new(&words, Path::new("/etc/of-nobody"), "a.toml:1:2")
    }

    #[tokio::test]
    async fn the_token_is_the_output_without_blanks_around_it_and_no_shell_reads_the_arguments() {
        let token = command(&["printf", "%s\\n\\n", "$HOME;tk-of-nobody"])
            .token()
            .await
            .unwrap();
        assert_eq!(token.expose(), "$HOME;tk-of-nobody");
    }

    #[tokio::test]
    async fn a_program_that_gives_no_token_is_reported_without_its_output() {
        let sh = |script: &'static str| ["sh", "-c", script];
        for (words, expected) in [
            (&["no-such-program-of-nobody"][..], "there is no such program"),
            (&["./no-such-program"], "there is no such program"),
            (&sh("echo tk-5f1c09be; exit 3"), "it ended with exit status: 3"),
            (&sh("true"), "it is empty"),
            (&sh("echo; echo ' '"), "it is empty"),
            (&sh("echo tk-5f1c09be; echo tk-5f1c09be"), "is not visible ASCII"),
            (&sh("printf 'tk-5f1c09b\\351'"), "is not visible ASCII"),
            (&sh("echo Token tk-5f1c09be"), "`token_scheme`"),
            (&sh("echo 5f1c09b"), "fewer than 8"),
            (&sh("yes tk-5f1c09be"), "more than 64 KiB"),
            (&["/"], "denied"),
        ] {
            let message = command(words).token().await.unwrap_err().to_string();
            assert!(message.contains(expected), "{words:?}: {message}");
            let program = format!("`{}` (a.toml:1:2)", words[0]);
            assert!(message.contains(&program), "{words:?}: {message}");
            assert!(!message.contains("5f1c09b"), "{words:?}: {message}");
        }
    }

    #[tokio::test]
    async fn a_program_that_does_not_end_in_time_gives_no_token() {
        // It may have written the token, and may have closed its standard output.
        for script in ["echo tk-of-nobody; exec sleep 1000", "exec >&-; exec sleep 1000"] {
            let limit = Duration::from_millis(50);
            let error = command(&["sh", "-c", script]).output(limit).await.unwrap_err();
            assert!(matches!(error, TokenCommandError::TimeOver(_)), "{script}: {error}");
        }
    }

    #[test]
    fn a_path_is_relative_to_the_configuration_and_a_name_is_looked_up() {
        for (program, expected) in [
            ("token", "token"),
            ("./token", "/etc/of-nobody/./token"),
            ("bin/token", "/etc/of-nobody/bin/token"),
            ("/bin/token", "/bin/token"),
        ] {
            assert_eq!(command(&[program]).program, Path::new(expected), "{program}");
        }
    }
}
