//! Why settings make no profile: [`ProfileError`], which says where they stand and what was nearly meant.

use std::cmp::Ordering;
use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

/// Why settings make no profile.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// Two settings that no response can follow both.
    #[error("{first} and {second} exclude each other: a response of status 204 has no body")]
    Excluded {
        /// The setting of the status.
        first: Origin,
        /// The setting of the body.
        second: Origin,
    },
    /// A value that is not a string.
    #[error("{origin}: the value of `{axis}` is not a string in quotes")]
    NotText {
        /// Where it stands.
        origin: Origin,
        /// The axis.
        axis: &'static str,
    },
    /// A file that is not TOML.
    #[error("{origin}: {message}; a profile holds lines of the form `axis = \"value\"`")]
    Syntax {
        /// Where the reader stopped.
        origin: Origin,
        /// What it says.
        message: String,
    },
    /// One axis that is set twice.
    #[error("{second}: `{axis}` is set already, at {first}")]
    Twice {
        /// The axis.
        axis: String,
        /// Where it is set first.
        first: Origin,
        /// Where it is set again.
        second: Origin,
    },
    /// No axis of that name.
    #[error("{origin}: there is no axis `{name}`{near}; `--profile list` prints all")]
    UnknownAxis {
        /// Where it stands.
        origin: Origin,
        /// The name.
        name: String,
        /// The near ones.
        near: Near,
    },
    /// No such value of an axis.
    #[error("{origin}: `{axis}` has no value `{name}`{near}; it has {}", quoted(known))]
    UnknownValue {
        /// Where it stands.
        origin: Origin,
        /// The axis.
        axis: &'static str,
        /// The name.
        name: String,
        /// The near ones.
        near: Near,
        /// All of them.
        known: Vec<&'static str>,
    },
}

/// Where a setting stands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Origin {
    /// In a flag, given here as it was typed.
    Flag(String),
    /// In a file.
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

/// The known names that are nearly the one that was written, nearest first.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Near(Vec<&'static str>);

/// How much alike two names must be, from 0 to 1: a letter missing or two exchanged still is, another word is not.
const NEARLY: f64 = 0.8;

impl Near {
    pub(super) fn to(name: &str, known: impl Iterator<Item = &'static str>) -> Near {
        let alike = |known: &'static str| (strsim::jaro_winkler(name, known), known);
        let mut near: Vec<_> = known.map(alike).filter(|(alike, _)| *alike >= NEARLY).collect();
        near.sort_by(|left, right| right.0.partial_cmp(&left.0).unwrap_or(Ordering::Equal));
        near.truncate(3);
        Near(near.into_iter().map(|(_, name)| name).collect())
    }
}

impl fmt::Display for Near {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [] => Ok(()),
            near => write!(formatter, ", but {}", quoted(near)),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Flag(text) => write!(formatter, "`--profile {text}`"),
            Origin::Line { file, line } => write!(formatter, "`{}` line {line}", file.display()),
        }
    }
}

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
