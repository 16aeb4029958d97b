//! What can go wrong in a client, in words that hold no value of the exchange: [`ClientError`].

use reqwest::StatusCode;

use super::{BaseUrlError, CallError, TokenError};

/// Why a client could not be made, or a call or a stream could not go on.
///
/// No text of it shows a token, a URL or a part of a body. Where the answer itself is of use, take the [`CallError`] of
/// the call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// An answer is not JSON of the documented types, as far as the client insists on them.
    #[error("failed to read the answer: no JSON of the documented types at line {line}, column {column}")]
    Answer {
        /// The line of the body.
        line: usize,
        /// The column of the line.
        column: usize,
    },
    /// The base URL cannot stand before the paths of the operations.
    #[error("failed to take the base URL: {0}")]
    BaseUrl(#[from] BaseUrlError),
    /// A walk over pages got no nearer to the last page for many pages: the list grows as fast as it is read.
    #[error("failed to reach the last page: after {pages} pages more it is no nearer, at page {page}")]
    EndlessPages {
        /// The page that was asked for last.
        page: i64,
        /// For how many pages the walk came no nearer.
        pages: u32,
    },
    /// A page holds items and does not say which page is the last.
    #[error("failed to go on after page {page}: it does not say which page is the last")]
    NoLastPage {
        /// The page that was asked for.
        page: i64,
    },
    /// Another page was answered than the one asked for.
    #[error("failed to read page {asked}: page {answered} was answered")]
    OtherPage {
        /// The page that was asked for.
        asked: i64,
        /// The page that the answer names.
        answered: i64,
    },
    /// A request lacks a value, or holds one that the contract excludes.
    #[error("failed to make the request: {problem}")]
    Request {
        /// What is wrong with it.
        problem: String,
    },
    /// The service answered a status that is no success.
    #[error("failed to get a success: the service answered {status}")]
    Status {
        /// The status.
        status: StatusCode,
    },
    /// The text is no token.
    #[error("failed to take the token: {0}")]
    Token(#[from] TokenError),
    /// No complete answer came: the service can't be reached, a deadline passed, or a bound was exceeded.
    #[error("failed to get a complete answer")]
    Transport(#[source] reqwest::Error),
}

impl<E> From<CallError<E>> for ClientError {
    fn from(error: CallError<E>) -> Self {
        match error {
            CallError::CommunicationError(source)
            | CallError::InvalidUpgrade(source)
            | CallError::ResponseBodyError(source) => Self::Transport(source.without_url()),
            CallError::Custom(problem) | CallError::InvalidRequest(problem) => Self::Request { problem },
            CallError::ErrorResponse(answer) => Self::Status {
                status: answer.status(),
            },
            // The text of the decoder quotes the value that it could not take.
            CallError::InvalidResponsePayload(_, source) => Self::Answer {
                line: source.line(),
                column: source.column(),
            },
            CallError::UnexpectedResponse(answer) => Self::Status {
                status: answer.status(),
            },
        }
    }
}
