//! Defines what ends a command before it has an outcome. The main type is [`Failure`].

use std::path::PathBuf;

use super::certificates::CertificateError;
use super::config::ConfigError;
use super::started::StartError;
use super::token_command::TokenCommandError;
use crate::client::{BaseUrlError, TokenError};
use crate::contract::UnknownOperation;
use crate::contract::defect::{Defect, Defects};
use crate::exchange::BasicError;
use crate::exchange::TransportError;
use crate::exchange::redact::{SHORTEST_TOKEN, TOO_SHORT};
use crate::report::{MergeError, ReadError};
use crate::rules::UnknownRule;

/// The exit code where something cannot be written.
pub(super) const NOT_WRITTEN: u8 = 4;

/// The exit code where nothing could be judged.
pub(super) const COULD_NOT_JUDGE: u8 = 3;

/// Why a command ended without an outcome.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The configuration cannot be written.
    #[error("failed to add entries to `{}`: {reason}", path.display())]
    Accept {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Certificates or a key cannot be used.
    #[error("failed to use `{}`: {source}", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// Why.
        source: CertificateError,
    },
    /// The configuration is defective.
    #[error("failed to read the configuration: {0}")]
    Config(#[from] ConfigError),
    /// The contract is defective.
    #[error("failed to read the contract: {0}")]
    Contract(#[from] Defects),
    /// The contract is defective once an overlay is applied to it.
    #[error("failed to read the contract with the overlay `{}`: {source}", path.display())]
    Overlaid {
        /// The overlay.
        path: PathBuf,
        /// What is wrong.
        source: Defects,
    },
    /// A fault that does not exist.
    #[cfg(feature = "service")]
    #[error("{0}")]
    Fault(String),
    /// A file could not be read.
    #[error("failed to read the {what} from `{}`: {source}", path.display())]
    File {
        /// What is in it.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The ledger cannot be kept.
    #[error("failed to write the ledger to `{}`: {source}", path.display())]
    Ledger {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The address to listen on is not available.
    #[error("failed to listen on `{address}`: {source}{hint}")]
    Listen {
        /// The address.
        address: String,
        /// The system's error.
        source: std::io::Error,
        /// What to do.
        hint: String,
    },
    /// The manual pages could not be written.
    #[error("failed to write the manual page `{}`: {reason}", path.display())]
    ManPage {
        /// The page, or the folder of all of them.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// An overlay cannot be written.
    #[error("failed to write the overlay to `{}`: {source}", path.display())]
    Overlay {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The reports cannot be merged.
    #[error("failed to merge: {0}")]
    Merge(#[from] MergeError),
    /// There is no target, and no service to start in its place.
    #[cfg(not(feature = "service"))]
    #[error("there is no target, and this build has no reference service (feature `service`); give --base-url")]
    NotEmbedded,
    /// There is a target, but no token for it.
    #[error("there is no token for the target; set {variable}{place} or give --token-file")]
    NoToken {
        /// The variable that would contain it.
        variable: String,
        /// Where the variable is named, in brackets; empty if it is not named.
        place: String,
    },
    /// The contract does not have an operation of this name.
    #[error(transparent)]
    Operation(#[from] UnknownOperation),
    /// The password is too short to be hidden.
    #[error("failed to use the token {origin}: {source}")]
    Password {
        /// Where it was taken from, with the preposition: `in` a file, `from` a variable or a program.
        origin: String,
        /// What is wrong with it.
        source: BasicError,
    },
    /// A report could not be written.
    #[error("failed to write the report `{}`: {reason}", path.display())]
    Report {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The log of writes cannot be kept.
    #[error("failed to write the residue log to `{}`: {source}", path.display())]
    Residue {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Recorded traffic that cannot be judged.
    #[error("{0}")]
    Traffic(String),
    /// Recorded traffic in which nothing can be judged.
    #[error("{0}")]
    NothingToJudge(String),
    /// A value of a flag that clap cannot reject by itself.
    #[error("{0}")]
    Usage(String),
    /// There is no rule of this name.
    #[error(transparent)]
    Rule(#[from] UnknownRule),
    /// The service could not be started.
    #[error("failed to start the service by {origin}: {source}")]
    ServiceStart {
        /// Where its command is written.
        origin: String,
        /// Why.
        source: StartError,
    },
    /// The runtime, the HTTP client, the clock or the service could not be set up.
    #[error("failed to start: {0}")]
    Start(String),
    /// The token is too short to be hidden.
    #[error("the token from {origin} has fewer than {SHORTEST_TOKEN} characters; {TOO_SHORT}")]
    ShortToken {
        /// Where it was taken from.
        origin: String,
    },
    /// The requested text could not be printed.
    #[error("failed to write to standard output: {0}")]
    Stdout(std::io::Error),
    /// The store of the reference service could not be opened.
    #[cfg(feature = "service")]
    #[error("{0}; give another with --store")]
    Store(String),
    /// The base URL is wrong.
    #[error("invalid --base-url or COUNTERSIGN_BASE_URL: {0}")]
    Target(#[from] BaseUrlError),
    /// There is nothing where the token should be.
    #[error("there is no token in {origin}: it is empty")]
    EmptyToken {
        /// Where it was looked for.
        origin: String,
    },
    /// The token is wrong.
    #[error("failed to use the token from {origin}: {source}")]
    Token {
        /// Where it was taken from.
        origin: String,
        /// What is wrong with it.
        source: TokenError,
    },
    /// A program gave no token.
    #[error("failed to get the token from {origin}: {source}")]
    TokenCommand {
        /// The program, and where it is named.
        origin: String,
        /// Why.
        source: TokenCommandError,
    },
    /// The token has a scheme before it, although each request adds the scheme itself.
    #[error(
        "failed to use the token from {origin}: leave out the word `{scheme}`; each request has its scheme before the token{instead}"
    )]
    TokenWithScheme {
        /// Where it was taken from.
        origin: String,
        /// The scheme.
        scheme: &'static str,
        /// What else to change.
        instead: &'static str,
    },
    /// The token has another word before it.
    #[error(
        "failed to use the token from {origin}: there is a space in it; if the first word is a scheme, as in \
         `Token …`, set `token_scheme` to it under [targets.NAME] in `countersign.toml` and leave it out of the token"
    )]
    TokenOfTwoWords {
        /// Where it was taken from.
        origin: String,
    },
    /// A report cannot be read back.
    #[error("failed to read the report `{}`: {source}", path.display())]
    UnreadableReport {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ReadError,
    },
}

impl From<Defect> for Failure {
    fn from(defect: Defect) -> Self {
        Self::Contract(defect.into())
    }
}

impl From<TransportError> for Failure {
    fn from(error: TransportError) -> Self {
        Self::Start(error.to_string())
    }
}

impl Failure {
    /// Returns the exit code: [`NOT_WRITTEN`] if something could not be written, 3 if nothing could be judged,
    /// otherwise 2.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Accept { .. }
            | Self::Ledger { .. }
            | Self::ManPage { .. }
            | Self::Overlay { .. }
            | Self::Report { .. }
            | Self::Residue { .. }
            | Self::Stdout(_) => NOT_WRITTEN,
            Self::NothingToJudge(_) => COULD_NOT_JUDGE,
            _ => 2,
        }
    }
}
