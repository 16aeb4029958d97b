//! Describes what can go wrong in a client, in words that reveal no value of the exchange: [`ClientError`].

use std::fmt;

use reqwest::{Response, StatusCode};

use super::cause::Cause;
use super::generated::Error as CallError;
use super::{BaseUrlError, TokenError};

/// Why a client could not be made, or a call or a stream failed.
///
/// Its text says what went wrong and why. It shows no token and no URL, and of a body only the page number that it
/// names. [`ClientError::Status`] contains the service's response.
///
/// # Examples
///
#[cfg_attr(feature = "service", doc = "```")]
#[cfg_attr(not(feature = "service"), doc = "```ignore")]
/// use countersign::client::{Client, ClientError};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// // Nobody listens on this port.
/// let client = Client::new("http://127.0.0.1:1", "a-token".parse()?)?;
/// let error = client.get_tags().send().await.unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "failed to get a complete response: the connection could not be opened: connection refused"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The body of a response is not JSON, or not of the types that the client requires.
    #[error("failed to read the response: not JSON of the documented types at line {line}, column {column}")]
    Decode {
        /// The line of the body.
        line: usize,
        /// The column of the line.
        column: usize,
    },
    /// The base URL cannot be used.
    #[error("failed to use the base URL: {0}")]
    BaseUrl(#[from] BaseUrlError),
    /// A stream came no closer to the last page for many pages, because the list grows as fast as it is read.
    #[error("failed to reach the last page: {pages} more pages came no closer, at page {page}")]
    EndlessPages {
        /// The page that was requested last.
        page: i64,
        /// For how many pages the stream came no closer.
        pages: u32,
    },
    /// A page has items but does not say which page is the last.
    #[error("failed to go on after page {page}: it does not say which page is the last")]
    NoLastPage {
        /// The page that was requested.
        page: i64,
    },
    /// The service returned a page other than the requested one.
    #[error("failed to read page {requested}: the service returned page {returned}")]
    WrongPage {
        /// The page that was requested.
        requested: i64,
        /// The page that the response names.
        returned: i64,
    },
    /// A request lacks a value, or has one that the contract excludes.
    #[error("failed to make the request: {problem}")]
    Request {
        /// What is wrong with it.
        problem: String,
    },
    /// The service answered with a status that is not a success.
    #[error("failed to get a success: the service answered with {status}")]
    Status {
        /// The status.
        status: StatusCode,
        /// The response itself.
        response: FailedResponse,
    },
    /// The text is not a token.
    #[error("failed to use the token: {0}")]
    Token(#[from] TokenError),
    /// No complete response came: the service cannot be reached, a deadline passed, or a limit was exceeded.
    #[error("failed to get a complete response: {}", Cause::of(.0))]
    Transport(#[source] reqwest::Error),
}

impl ClientError {
    /// Converts the generator's error; every generated call passes its error here.
    pub(crate) fn of_call<E>(error: CallError<E>) -> Self {
        match error {
            CallError::CommunicationError(source)
            | CallError::InvalidUpgrade(source)
            | CallError::ResponseBodyError(source) => Self::Transport(source.without_url()),
            CallError::Custom(problem) | CallError::InvalidRequest(problem) => Self::Request { problem },
            CallError::ErrorResponse(response) => {
                let mut bare = http::Response::new("");
                *bare.status_mut() = response.status();
                bare.headers_mut().clone_from(response.headers());
                Self::of_status(bare.into())
            }
            // The decoder's text quotes the value that it could not read.
            CallError::InvalidResponsePayload(_, source) => Self::Decode {
                line: source.line(),
                column: source.column(),
            },
            CallError::UnexpectedResponse(response) => Self::of_status(response),
        }
    }

    fn of_status(response: Response) -> Self {
        Self::Status {
            status: response.status(),
            response: FailedResponse(Box::new(response)),
        }
    }
}

/// The response to a call that was not a success. Its body is not read yet. `Debug` shows only its status.
///
/// # Examples
///
/// The body of a rejection is not documented; a program that wants it can read it.
///
#[cfg_attr(feature = "service", doc = "```")]
#[cfg_attr(not(feature = "service"), doc = "```ignore")]
/// use countersign::client::{Client, ClientError, types};
///
/// async fn create(client: &Client, tag: types::TagInput) -> Result<(), Box<dyn std::error::Error>> {
///     match client.create_tag().body(tag).send().await {
///         Err(ClientError::Status { status, response }) if status == 422 => {
///             Err(response.into_inner().text().await?.into())
///         }
///         other => Ok(drop(other?)),
///     }
/// }
/// # use countersign::service::{Service, app, run};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// # let base_url = format!("http://{}", listener.local_addr()?);
/// # tokio::spawn(run(listener, app(Service::in_memory("a-token".to_owned().into())?), std::future::pending()));
/// # let client = Client::new(&base_url, "a-token".parse()?)?;
/// # assert!(!create(&client, types::TagInput::default()).await.unwrap_err().to_string().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FailedResponse(Box<Response>);

impl FailedResponse {
    /// Returns the response. Its body can be read up to
    /// [`Settings::max_response_bytes`](super::Settings::max_response_bytes).
    #[must_use]
    pub fn into_inner(self) -> Response {
        *self.0
    }
}

impl fmt::Debug for FailedResponse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "FailedResponse({})", self.0.status().as_u16())
    }
}
