//! Why nothing can be checked. The main type is [`Error`].

use std::path::PathBuf;

use crate::client::{BaseUrlError, TokenError};
use crate::contract::defect::Defects;
use crate::contract::{UnknownGap, UnknownOperation};
use crate::exchange::redact::{SHORTEST_TOKEN, TOO_SHORT};
use crate::exchange::{BasicError, TransportError};
use crate::plan::NeverAlsoSent;
use crate::rules::UnknownRule;

/// Why nothing can be checked. Findings of a check are not errors: they are in the [`Report`](crate::Report).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation that may not be named in `also_send`, such as a `DELETE`.
    #[error(transparent)]
    AlsoSend(#[from] NeverAlsoSent),
    /// The contract is defective.
    #[error("failed to read the contract: {0}")]
    Contract(#[from] Defects),
    /// The file of the contract or of its overlay could not be read.
    #[error("failed to read `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The contract does not have a gap of this identifier.
    #[error(transparent)]
    Gap(#[from] UnknownGap),
    /// Neither a service nor a URL was given.
    #[error("there is nothing to check; give a service or a URL")]
    NoService,
    /// The contract asks for a credential, and none was given.
    #[error("the contract asks for a token, and there is none; give one that the service accepts")]
    NoToken,
    /// The password of a deployed service is too short to be hidden.
    #[error("failed to use the token: {0}")]
    Password(#[from] BasicError),
    /// The contract does not have an operation of this name.
    #[error(transparent)]
    Operation(#[from] UnknownOperation),
    /// There is no rule of this name.
    #[error(transparent)]
    Rule(#[from] UnknownRule),
    /// The token of a deployed service is too short to be hidden.
    #[error("the token has fewer than {SHORTEST_TOKEN} characters; {TOO_SHORT}")]
    ShortToken,
    /// The URL is wrong.
    #[error("failed to read the base URL: {0}")]
    Target(#[from] BaseUrlError),
    /// The token is empty, or has a character that no header can contain.
    #[error("failed to use the token: {0}")]
    Token(#[from] TokenError),
    /// The HTTP client could not be set up.
    #[error(transparent)]
    Transport(#[from] TransportError),
}
