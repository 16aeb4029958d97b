//! Keeps what a client needs from call to call, and sends each call: [`Session`] and [`Settings`].

use std::error::Error;
use std::fmt;
use std::time::Duration;

use futures::{Stream, StreamExt, stream};
use progenitor_client::{ClientHooks, ClientInfo, OperationInfo};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Body, Request, Response};

use super::cause::TooLarge;
use super::{Client, retry};

/// The settings of a client: limits of each call, and headers that every request carries. `Debug` shows the names of
/// the headers but not their values.
///
/// # Examples
///
/// ```
/// use countersign::client::reqwest::header::HeaderValue;
///
/// let mut settings = countersign::client::Settings::default();
/// settings.max_attempts = 1;
/// settings.headers.insert("x-request-source", HeaderValue::from_static("nightly-import"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Headers of every request, including retries and the requests of streams; they replace headers that the client
    /// would send under the same names, except `Authorization`, which always has the token. None by default.
    pub headers: HeaderMap,
    /// How long one attempt may take, from connecting to the end of the response. 30 seconds by default.
    pub deadline: Duration,
    /// The maximum number of times that a read is sent while the service answers with 429 or 503; 1 never retries. 4 by
    /// default.
    pub max_attempts: u32,
    /// The maximum wait between two attempts, whatever `Retry-After` asks for. 30 seconds by default.
    pub max_wait: Duration,
    /// The maximum size of the body of a response, in bytes. 64 MiB by default.
    pub max_response_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            headers: HeaderMap::new(),
            deadline: Duration::from_secs(30),
            max_attempts: 4,
            max_wait: Duration::from_secs(30),
            max_response_bytes: 64 << 20,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("deadline", &self.deadline)
            .field("max_attempts", &self.max_attempts)
            .field("max_wait", &self.max_wait)
            .field("max_response_bytes", &self.max_response_bytes)
            .finish()
    }
}

/// The state of a [`Client`]; its Debug shows no token, since the header is marked as sensitive.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(super) authorization: HeaderValue,
    pub(super) settings: Settings,
}

impl ClientHooks<Session> for Client {
    async fn exec(&self, mut request: Request, _: &OperationInfo) -> reqwest::Result<Response> {
        let session = self.inner();
        let headers = request.headers_mut();
        // progenitor adds this header; the document does not mention it.
        headers.remove(HeaderName::from_static("api-version"));
        headers.extend(session.settings.headers.clone());
        headers.insert(AUTHORIZATION, session.authorization.clone());
        let response = retry::send(self.client(), request, &session.settings)
            .await
            .map_err(reqwest::Error::without_url)?;
        Ok(bounded(response, session.settings.max_response_bytes))
    }
}

/// Returns the response with a body that fails once it is larger than `maximum` bytes, and without the URL, which an
/// error would show.
fn bounded(response: Response, maximum: usize) -> Response {
    let (status, version, headers) = (response.status(), response.version(), response.headers().clone());
    let mut rebuilt = http::Response::new(Body::wrap_stream(limited(response.bytes_stream(), maximum)));
    *rebuilt.status_mut() = status;
    *rebuilt.version_mut() = version;
    *rebuilt.headers_mut() = headers;
    rebuilt.into()
}

type BoxError = Box<dyn Error + Send + Sync>;

fn limited(
    chunks: impl Stream<Item = reqwest::Result<bytes::Bytes>> + Send + 'static,
    maximum: usize,
) -> impl Stream<Item = Result<bytes::Bytes, BoxError>> + Send + 'static {
    let chunks = chunks.boxed();
    stream::try_unfold((chunks, maximum), move |(mut chunks, left)| async move {
        let Some(chunk) = chunks.next().await.transpose().map_err(reqwest::Error::without_url)? else {
            return Ok(None);
        };
        let left = left.checked_sub(chunk.len()).ok_or(TooLarge(maximum))?;
        Ok(Some((chunk, (chunks, left))))
    })
}
