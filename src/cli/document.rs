//! Reads a document to compare or lint, or the contract of `--since`: from a file, from standard input, or from a
//! revision of the surrounding git repository. The main type is [`Source`].

use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

use super::edge;
use super::failure::Failure;
use crate::check::other_files;
use crate::contract::bundle::{OtherFiles, Unread};
use crate::contract::document::MAX_BYTES;
use crate::diff::DocumentName;

/// Standard input, where a file is named.
pub(super) const STANDARD_INPUT: &str = "-";

/// Returns the error where two flags name standard input.
pub(super) fn both_standard_input(one: &str, other: &str) -> Failure {
    Failure::Usage(format!(
        "--{one} and --{other} both name standard input; give a file for one of them"
    ))
}

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A file.
    File(PathBuf),
    /// A file of a revision, by way of git.
    Revision {
        /// The revision.
        revision: String,
        /// The path from the root of the repository.
        path: String,
    },
    /// Standard input.
    StandardInput,
}

impl FromStr for Source {
    type Err = String;

    /// Reads `-`, a file, or `REVISION:PATH` where there is no such file.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == STANDARD_INPUT {
            return Ok(Self::StandardInput);
        }
        reject_url("document", Path::new(text)).map_err(|failure| failure.to_string())?;
        match split(text).filter(|_| !Path::new(text).exists()) {
            // git would take it for an option.
            Some((revision, _)) if revision.starts_with('-') => Err(format!(
                "`{revision}` is not a revision, because it begins with `-`; if it is part of a file's name, write `./{text}`"
            )),
            Some((revision, path)) => Ok(Self::Revision {
                revision: revision.to_owned(),
                path: path.to_owned(),
            }),
            None => Ok(Self::File(text.into())),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(formatter, "{}", path.display()),
            Self::Revision { revision, path } => write!(formatter, "{revision}:{path}"),
            Self::StandardInput => formatter.write_str("standard input"),
        }
    }
}

/// Rejects a URL: a contract decides what is sent and judged, so it must not change unnoticed between two runs.
/// Messages call the file `what`.
///
/// # Errors
///
/// [`Failure::Usage`], which says what to do.
pub(super) fn reject_url(what: &str, path: &Path) -> Result<(), Failure> {
    if !is_url(path) || path.exists() {
        return Ok(());
    }
    let name = path.display();
    Err(Failure::Usage(format!(
        "`{name}` is a URL, and the {what} is read from a file; download it first with `curl -fLo {what}.yaml {name}`, \
         and give the file"
    )))
}

/// Whether a name has the form of a URL.
pub(super) fn is_url(name: &Path) -> bool {
    let first = name
        .components()
        .next()
        .map(|part| part.as_os_str().to_ascii_lowercase());
    first.is_some_and(|first| first == "http:" || first == "https:")
}

/// Rejects a named pipe, which keeps its reader waiting until somebody writes to it. A pipe of the shell (`<(…)`,
/// `/dev/stdin`) has its writer already, and a name below `/dev` or `/proc`. Messages call the file `what`.
///
/// # Errors
///
/// [`Failure::Usage`], which says what to do.
#[cfg_attr(
    not(unix),
    expect(clippy::unnecessary_wraps, reason = "only Unix has pipes among its files")
)]
pub(super) fn reject_pipe(what: &str, path: &Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let is_of_the_shell = path.starts_with("/dev") || path.starts_with("/proc");
        let is_pipe = || path.metadata().is_ok_and(|found| found.file_type().is_fifo());
        if !is_of_the_shell && is_pipe() {
            return Err(Failure::Usage(format!(
                "`{}` is a named pipe, and the {what} is read from a regular file; give one, or `-` for standard input",
                path.display()
            )));
        }
    }
    #[cfg(not(unix))]
    let _ = (what, path);
    Ok(())
}

/// Splits a name into revision and path: at the first colon outside of braces, as git does (`main@{1 day ago}:file`).
fn split(name: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let colon = name.find(|character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ':' && depth == 0
    })?;
    let (revision, path) = name.split_at(colon);
    Some((revision, path.strip_prefix(':')?))
}

impl Source {
    /// Returns the file that is read.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Revision { .. } | Self::StandardInput => None,
        }
    }

    /// Returns the name of the document that was read, with the revision apart from the file.
    pub(super) fn named(&self, document: DocumentName) -> DocumentName {
        match self {
            Self::Revision { revision, path } => DocumentName {
                file: path.clone(),
                revision: Some(revision.clone()),
                ..document
            },
            Self::File(_) | Self::StandardInput => document,
        }
    }

    /// Returns the files that the document may refer to: those in its folder and below it, of the same revision.
    pub(super) fn other_files(&self) -> Option<OtherFiles<'static>> {
        match self {
            Self::File(path) => Some(other_files(path)),
            Self::Revision { revision, path } => {
                let (folder, file_name) = path
                    .rsplit_once('/')
                    .map_or(("", path.as_str()), |(folder, file_name)| (folder, file_name));
                let slash = if folder.is_empty() { "" } else { "/" };
                let folder = format!("{revision}:{folder}{slash}");
                Some(OtherFiles {
                    shown_folder: folder.clone(),
                    file_name: file_name.to_owned(),
                    read: Box::new(move |path| {
                        let max_bytes = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
                        blob("document", &format!("{folder}{path}"), max_bytes)
                            .map_err(|failure| Unread::Failed(failure.to_string()))
                    }),
                })
            }
            Self::StandardInput => None,
        }
    }

    /// Returns the text; messages call it `what`.
    ///
    /// # Errors
    ///
    /// [`Failure::File`]: what the system or git says; a text that is too large or not UTF-8.
    pub(super) fn text(&self, what: &'static str) -> Result<String, Failure> {
        let max_bytes = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
        match self {
            Self::File(path) => {
                reject_pipe(what, path)?;
                edge::read(what, path, max_bytes)
            }
            Self::Revision { .. } => blob(what, &self.to_string(), max_bytes),
            Self::StandardInput => edge::read(what, Path::new(STANDARD_INPUT), max_bytes),
        }
    }
}

/// Returns a file of a revision, by way of git.
fn blob(what: &'static str, name: &str, max_bytes: u64) -> Result<String, Failure> {
    let failure = |reason: String| Failure::File {
        what,
        path: PathBuf::from(name),
        source: io::Error::other(reason),
    };
    let mut git = Command::new("git");
    let git = git.args(["cat-file", "blob", name]).stdin(Stdio::null());
    let spawned = git.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| failure(format!("git cannot be run: {error}; give a file")))?;
    let mut text = Vec::new();
    let taken = child
        .stdout
        .take()
        .map(|stdout| stdout.take(max_bytes + 1).read_to_end(&mut text));
    taken.transpose().map_err(|error| failure(error.to_string()))?;
    if u64::try_from(text.len()).is_ok_and(|length| length > max_bytes) {
        return Err(failure(format!(
            "it is larger than {} MiB, the most that is read",
            max_bytes >> 20
        )));
    }
    let ended = child.wait_with_output().map_err(|error| failure(error.to_string()))?;
    if !ended.status.success() {
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = said
            .lines()
            .next()
            .unwrap_or("git failed")
            .trim_start_matches("fatal: ")
            .trim_end_matches('.');
        let hint =
            "name an existing file, or a revision and a path from the root of the repository, as `HEAD~1:openapi.yaml`";
        return Err(failure(format!("{said}; {hint}")));
    }
    edge::utf_8(text).map_err(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_revision_and_a_path_where_git_sees_them() {
        for (name, parts) in [
            ("main:api/a.yaml", Some(("main", "api/a.yaml"))),
            ("main@{10:00}:a:b.yaml", Some(("main@{10:00}", "a:b.yaml"))),
            (":a.yaml", Some(("", "a.yaml"))),
            ("a.yaml", None),
            ("main@{10:00}", None),
        ] {
            assert_eq!(split(name), parts, "{name}");
        }
    }

    #[test]
    fn no_revision_is_an_option_of_git() {
        let error = "--output=x:a.yaml".parse::<Source>().unwrap_err();
        assert!(error.contains("write `./--output=x:a.yaml`"), "{error}");
        assert_eq!("./--output=x".parse(), Ok(Source::File("./--output=x".into())));
        let source: Source = "main:a.yaml".parse().unwrap();
        assert_eq!((source.to_string().as_str(), source.file()), ("main:a.yaml", None));
    }
}
