//! Why settings do not make a profile: [`ProfileError`], with where they are and what was probably meant.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::service::suggestions::{Suggestions, quoted};

/// Why settings do not make a profile.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// Two settings that no response can satisfy together.
    #[error("{first} and {second} exclude each other: a response of status 204 has no body")]
    Excluded {
        /// The setting of the status.
        first: SettingOrigin,
        /// The setting of the body.
        second: SettingOrigin,
    },
    /// A value that is not a string.
    #[error("{origin}: the value of `{axis}` is not a string in quotes")]
    NotText {
        /// Where it is.
        origin: SettingOrigin,
        /// The axis.
        axis: &'static str,
    },
    /// A file that is not TOML.
    #[error("{origin}: {message}; a profile holds lines of the form `choice = \"value\"`")]
    Syntax {
        /// Where the parser stopped.
        origin: SettingOrigin,
        /// The parser's message.
        message: String,
    },
    /// One axis that is set twice.
    #[error("{second}: `{axis}` is set already, at {first}")]
    Twice {
        /// The axis.
        axis: String,
        /// Where it is set first.
        first: SettingOrigin,
        /// Where it is set again.
        second: SettingOrigin,
    },
    /// No axis of that name.
    #[error("{origin}: there is no choice `{name}`{near}; `--profile list` prints all")]
    UnknownAxis {
        /// Where it is.
        origin: SettingOrigin,
        /// The name.
        name: String,
        /// Similar names.
        near: Suggestions,
    },
    /// No such value of an axis.
    #[error("{origin}: `{axis}` has no value `{name}`{near}; it has {}", quoted(known).join(", "))]
    UnknownValue {
        /// Where it is.
        origin: SettingOrigin,
        /// The axis.
        axis: &'static str,
        /// The name.
        name: String,
        /// Similar names.
        near: Suggestions,
        /// All values of the axis.
        known: Vec<&'static str>,
    },
}

/// Where a setting is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SettingOrigin {
    /// In a flag, as it was typed.
    Flag(String),
    /// In a file.
    Line {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::Flag(text) => write!(formatter, "`--profile {text}`"),
            SettingOrigin::Line { file, line } => write!(formatter, "`{}` line {line}", file.display()),
        }
    }
}
