//! What faults work on: a [`Call`] on its way in, a [`ServedResponse`] on its way out, and the [`InnerService`].

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header, response};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use serde_json::Value;

use super::contract::Operation;
use crate::service::delivery::DoNotCompress;
use crate::service::profile::Profile;

/// The maximum number of bytes that are read here of a request's body; the service itself accepts less.
const BODY_LIMIT: usize = 1 << 20;

/// A request of one of the document's operations.
pub(super) struct Call {
    pub(super) operation: &'static Operation,
    pub(super) head: Parts,
    pub(super) body: Bytes,
}

impl Call {
    /// Reads a request, or returns a response to one whose body did not arrive.
    pub(super) async fn read(operation: &'static Operation, request: Request) -> Result<Self, Response> {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, BODY_LIMIT)
            .await
            .map_err(|_| (StatusCode::BAD_REQUEST, [(header::CONNECTION, "close")]).into_response())?;
        Ok(Call { operation, head, body })
    }

    /// Returns the request as the service is to see it.
    pub(super) fn request(&self) -> Request {
        Request::from_parts(self.head.clone(), Body::from(self.body.clone()))
    }

    /// Returns the value of the query parameter `page`, as it was sent; `None` where it was not.
    pub(super) fn page(&self) -> Option<&str> {
        let mut pairs = self.head.uri.query()?.split('&');
        pairs.find_map(|pair| pair.strip_prefix("page="))
    }

    /// Requests another page, or none.
    pub(super) fn set_page(&mut self, page: Option<u64>) {
        let query = page.map_or_else(String::new, |page| format!("?page={page}"));
        self.set_path(&format!("{}{query}", self.head.uri.path()));
    }

    /// Returns the identifier in the path.
    pub(super) fn identifier(&self) -> Option<&str> {
        let segments = self.operation.path.split('/').zip(self.head.uri.path().split('/'));
        segments
            .into_iter()
            .find(|(name, _)| name.starts_with('{'))
            .map(|(_, sent)| sent)
    }

    /// Puts another identifier in the path.
    pub(super) fn set_identifier(&mut self, identifier: &str) {
        let segments = self.operation.path.split('/');
        let segments = segments.map(|name| if name.starts_with('{') { identifier } else { name });
        self.set_path(&segments.collect::<Vec<_>>().join("/"));
    }

    /// Returns the body as JSON.
    pub(super) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Puts another value at a pointer of the body, if there is one already.
    pub(super) fn set_field(&mut self, pointer: &str, value: Value) {
        let Some(mut body) = self.json() else { return };
        if let Some(location) = body.pointer_mut(pointer) {
            *location = value;
            self.set_body(&body);
        }
    }

    /// Replaces the body.
    pub(super) fn set_body(&mut self, body: &Value) {
        self.body = body.to_string().into();
        self.head.headers.remove(header::CONTENT_LENGTH);
    }

    fn set_path(&mut self, path: &str) {
        if let Ok(uri) = path.parse() {
            self.head.uri = uri;
        }
    }
}

/// A response of the service.
pub(super) struct ServedResponse {
    pub(super) head: response::Parts,
    pub(super) content: Content,
}

/// The body of a response.
pub(super) enum Content {
    /// The beginning of a body, after which the connection ends.
    CutOff(Bytes),
    /// A value, still to be written.
    Json(Value),
    /// Bytes that need not be JSON.
    Raw(Bytes),
}

impl ServedResponse {
    pub(super) async fn read(response: Response) -> Self {
        let (head, body) = response.into_parts();
        // The service's own responses are bounded and do not fail.
        ServedResponse::of(head, to_bytes(body, usize::MAX).await.unwrap_or_default())
    }

    pub(super) fn of(mut head: response::Parts, bytes: Bytes) -> Self {
        head.headers.remove(header::CONTENT_LENGTH);
        let content = serde_json::from_slice(&bytes).map_or(Content::Raw(bytes), Content::Json);
        ServedResponse { head, content }
    }

    pub(super) fn is_success(&self) -> bool {
        self.head.status.is_success()
    }

    /// Returns the body of a success.
    pub(super) fn success(&mut self) -> Option<&mut Value> {
        match &mut self.content {
            Content::Json(body) if self.head.status.is_success() => Some(body),
            _ => None,
        }
    }

    /// Returns the body as it is written.
    pub(super) fn bytes(&self) -> Bytes {
        match &self.content {
            Content::Json(body) => body.to_string().into(),
            Content::CutOff(bytes) | Content::Raw(bytes) => bytes.clone(),
        }
    }
}

impl IntoResponse for ServedResponse {
    fn into_response(mut self) -> Response {
        let bytes = self.bytes();
        let Content::CutOff(_) = self.content else {
            return Response::from_parts(self.head, Body::from(bytes));
        };
        // The connection ends one byte before the length that the head states.
        self.head
            .headers
            .insert(header::CONTENT_LENGTH, HeaderValue::from(bytes.len() + 1));
        let end = async {
            // The beginning must be sent before the error is seen; otherwise the client would get no response at all.
            tokio::task::yield_now().await;
            Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset))
        };
        let body = Body::from_stream(stream::iter([Ok(bytes)]).chain(stream::once(end)));
        self.head.extensions.insert(DoNotCompress);
        Response::from_parts(self.head, body)
    }
}

/// The service inside the layer.
#[derive(Clone)]
pub(super) struct InnerService {
    next: Next,
    /// The `Authorization` header that the service accepts.
    pub(super) credential: HeaderValue,
    /// What the service does in each gap.
    pub(super) profile: Profile,
}

impl InnerService {
    pub(super) fn new(next: Next, credential: HeaderValue, profile: Profile) -> Self {
        InnerService {
            next,
            credential,
            profile,
        }
    }

    pub(super) async fn run(&self, request: Request) -> Response {
        self.next.clone().run(request).await
    }

    /// Returns the first page of a list.
    pub(super) async fn list(&self, list: &Operation) -> Option<Value> {
        self.page(list, 1).await
    }

    /// Returns a page of a list.
    pub(super) async fn page(&self, list: &Operation, number: u64) -> Option<Value> {
        let request = Request::builder()
            .uri(format!("{}?page={number}", list.path))
            .header(header::AUTHORIZATION, &self.credential);
        let mut response = ServedResponse::read(self.run(request.body(Body::empty()).ok()?).await).await;
        response.success().map(std::mem::take)
    }
}
