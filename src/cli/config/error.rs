//! Defines what can be wrong with a configuration file, reported so that it can be fixed: file, line, column, problem,
//! remedy. The main type is [`ConfigError`].

use std::fmt;
use std::ops::Range;

use crate::client::BaseUrlError;
use crate::contract::openapi::{did_you_mean, near};

/// A defect in a configuration file and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct ConfigError {
    pub(super) location: FileLocation,
    pub(super) problem: Box<Problem>,
}

/// A location in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct FileLocation {
    /// The file as messages call it.
    pub(in crate::cli) file: String,
    /// The line, from 1.
    pub(in crate::cli) line: usize,
    /// The character in the line, from 1.
    pub(in crate::cli) column: usize,
}

/// What is wrong. No text repeats a value that may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Problem {
    /// A date with a time of day, or only a time.
    #[error("`until` must be only a date, such as `2027-01-31`: the last day on which the entry applies, in UTC")]
    Date,
    /// A target with the name of the reference service.
    #[error(
        "`embedded` is the name of the reference service that the check starts itself; give the target another \
             name"
    )]
    Embedded,
    /// Not a JSON pointer.
    #[error(
        "`{0}` is not a location in a response; write it as `countersign facts` does, for example \
             `/data/items/*/age`"
    )]
    Field(String),
    /// An empty command; the example shows what to write.
    #[error("`{key}` must be {example}")]
    Command {
        /// The key.
        key: &'static str,
        /// What it takes.
        example: &'static str,
    },
    /// A program to run, in a configuration that was found by searching.
    #[error(
        "`{0}` runs a program, and this configuration was found by searching; if you trust it, name it with --config"
    )]
    CommandInFoundFile(&'static str),
    /// A fixed header that the check sets itself, or that carries a credential.
    #[error("the header `{name}` {reason}")]
    FixedHeader {
        /// Its name.
        name: String,
        /// Why it cannot be fixed.
        reason: &'static str,
    },
    /// A fixed header or query parameter that the contract already defines.
    #[error("{what} `{name}` is already {stated} ({pointer}); remove it here")]
    FixedTwice {
        /// What is fixed.
        what: &'static str,
        /// Its name.
        name: String,
        /// What the contract says.
        stated: String,
        /// Where the contract says so.
        pointer: String,
    },
    /// A required key is missing.
    #[error("`{key}` is missing{hint}")]
    Missing {
        /// The key.
        key: String,
        /// What to write.
        hint: &'static str,
    },
    /// Bytes that are not text.
    #[error("the file is not UTF-8 from here on; save it as UTF-8")]
    NotUtf8,
    /// A value outside the range of the setting.
    #[error("`{key}` {reason}")]
    Range {
        /// The key.
        key: String,
        /// What it takes.
        reason: String,
    },
    /// Not an operation as reports of differences name it.
    #[error("`{0}` is not an operation; write method and path as `countersign diff` does, for example `POST /things`")]
    Operation(String),
    /// A report that cannot be read.
    #[error("{0}")]
    Report(String),
    /// A report outside the folder of a file that was found.
    #[error(
        "a report goes to `{0}`, outside the folder of this configuration, which was found by searching; name a file \
         inside that folder or, if you trust the configuration, name it with --config"
    )]
    ReportOutside(String),
    /// A name that may override the method of a request, such as `X-HTTP-Method-Override`.
    #[error("`{name}` may turn a read into a write; a check sends only what the contract documents, so remove it")]
    Override {
        /// Its name.
        name: String,
    },
    /// Two reports go to one place.
    #[error("another report already goes to {0}; give each a file: \"json=FILE\"")]
    ReportTwice(String),
    /// Something that looks like a secret.
    #[error(
        "`{key}` does not belong in a file that others can read: write `token_env = \"NAME\"` with the name of the \
         environment variable that contains the token. If a real token was here, replace it"
    )]
    Secret {
        /// The key.
        key: String,
    },
    /// Not the name of an authentication scheme. The value may be the token itself, so it is not repeated.
    #[error(
        "`token_scheme` must be the name of an authentication scheme, such as `Token`, and not `Basic`, which follows \
         from the document; if a real token was here, replace it"
    )]
    Scheme,
    /// Not TOML.
    #[error("{0}; the file is not valid TOML (see toml.io)")]
    Syntax(String),
    /// Two origins of one token.
    #[error("`token_command` and `token_env` each say where the token comes from; remove one of them")]
    TwoTokens,
    /// A value of another type.
    #[error("{key} has the wrong type; expected {expected}{hint}")]
    Type {
        /// The key, in backticks, if it is known.
        key: String,
        /// What it takes.
        expected: String,
        /// What to write.
        hint: &'static str,
    },
    /// A key that nothing reads.
    #[error("there is no key `{name}` {within}{}; the keys are {}", did_you_mean(.near.as_deref()), listed(.known))]
    UnknownKey {
        /// The key.
        name: String,
        /// The table that it is in.
        within: String,
        /// A near one.
        near: Option<String>,
        /// All of them.
        known: Vec<String>,
    },
    /// A rule, an operation, a field, a level or a target that does not exist.
    #[error("there is no {what} `{name}`{}{}", did_you_mean(.near.as_deref()), known_names(what, .known))]
    UnknownName {
        /// What it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// A near one.
        near: Option<String>,
        /// All of them; empty if they are too many to list.
        known: Vec<String>,
    },
    /// Not a base URL.
    #[error("{0}")]
    Url(#[from] BaseUrlError),
    /// Not the name of a variable. The value may be the token itself, so it is not repeated.
    #[error(
        "`token_env` must be the name of an environment variable, in capitals, digits and underscores, never the \
         token; if a real token was here, replace it"
    )]
    Variable,
    /// A value that a parameter cannot be given.
    #[error("{reason}; {todo}")]
    Value {
        /// Why not.
        reason: String,
        /// What to do.
        todo: &'static str,
    },
    /// A variable that is not ours, in a file that was found.
    #[error(
        "`{0}` is not read, because this configuration was found by searching and the variable may hold another \
         program's secret; if you trust the file, name it with --config, or use a variable whose name begins with \
         `COUNTERSIGN_`"
    )]
    VariableInFoundFile(String),
}

impl Problem {
    /// Makes the problem of a name that is not among the known ones.
    pub(super) fn unknown<'known>(
        what: &'static str,
        name: &str,
        known: impl Iterator<Item = &'known str> + Clone,
    ) -> Self {
        Self::UnknownName {
            what,
            name: name.to_owned(),
            near: near(name, known.clone()).map(str::to_owned),
            known: known.map(str::to_owned).collect(),
        }
    }
}

impl FileLocation {
    /// Returns where the bytes begin in the text of the file.
    pub(super) fn of(file: &str, text: &str, span: &Range<usize>) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

impl fmt::Display for FileLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}:{}: {}",
            self.location, self.location.column, self.problem
        )
    }
}

impl std::error::Error for ConfigError {}

fn known_names(what: &str, known: &[String]) -> String {
    match known {
        [] if what == "kind" => "; `countersign diff --verbose` prints the entry to write".to_owned(),
        [] => String::new(),
        [one] => format!("; the only {what} is `{one}`"),
        _ => format!("; the {what}s are {}", listed(known)),
    }
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_counts_lines_and_characters_from_one() {
        let text = "a = 1\n# ä\nb = \"ä\" # c\n";
        for (word, line, column) in [("a = 1", 1, 1), ("b =", 3, 1), ("# c", 3, 9)] {
            let start = text.find(word).unwrap();
            let location = FileLocation::of("countersign.toml", text, &(start..start + 1));
            assert_eq!((location.line, location.column), (line, column), "{word}");
        }
        let end = FileLocation::of("countersign.toml", text, &(text.len() + 5..text.len() + 6));
        assert_eq!(end.line, 4);
    }
}
