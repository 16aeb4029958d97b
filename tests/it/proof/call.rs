//! What a deviation sees and can change: the [`Call`] on its way in, the [`Reply`] on its way out.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use serde_json::Value;

use super::checked::contract;

/// The token of every service here.
pub(super) const TOKEN: &str = "proof-token";

/// More than any body here.
const ENOUGH: usize = 16 << 20;

/// A request, with the operation that it calls.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The `operationId`; empty for a path that the document lacks.
    pub(super) operation: &'static str,
    pub(super) method: http::Method,
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    pub(super) bytes: Bytes,
    /// What the router found in the path.
    extensions: http::Extensions,
}

/// A response.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Payload,
}

/// What a response carries.
#[derive(Clone, Debug)]
pub(super) enum Payload {
    /// The bytes, and then the connection ends before the promised length.
    Cut(Bytes),
    Json(Value),
    Raw(Bytes),
}

impl Call {
    pub(super) async fn read(request: Request) -> Self {
        let (parts, body) = request.into_parts();
        let bytes = to_bytes(body, ENOUGH).await.unwrap();
        Self::of(http::Request::from_parts(parts, bytes))
    }

    pub(super) fn of(request: http::Request<Bytes>) -> Self {
        let (parts, bytes) = request.into_parts();
        Self {
            operation: operation(parts.method.as_str(), parts.uri.path()),
            bytes,
            method: parts.method,
            uri: parts.uri,
            headers: parts.headers,
            extensions: parts.extensions,
        }
    }

    /// The request again, for the service beneath.
    pub(super) fn request(&self) -> Request {
        let mut request = Request::new(Body::from(self.bytes.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        *request.extensions_mut() = self.extensions.clone();
        request.headers_mut().remove(header::CONTENT_LENGTH);
        request
    }

    pub(super) fn is(&self, operation: &str) -> bool {
        self.operation == operation
    }

    pub(super) fn is_write(&self) -> bool {
        self.method != http::Method::GET
    }

    pub(super) fn credential(&self) -> Option<&str> {
        self.headers.get(header::AUTHORIZATION)?.to_str().ok()
    }

    /// Whether the request carries the token as documented.
    pub(super) fn is_authorized(&self) -> bool {
        self.credential() == Some(&format!("Bearer {TOKEN}"))
    }

    /// Shows the token whatever the request shows.
    pub(super) fn authorize(&mut self) {
        let value = HeaderValue::from_static(concat!("Bearer ", "proof-token"));
        self.headers.insert(header::AUTHORIZATION, value);
    }

    /// The page that is asked for, when one is.
    pub(super) fn page(&self) -> Option<usize> {
        self.uri.query()?.strip_prefix("page=")?.parse().ok()
    }

    pub(super) fn ask_for(&mut self, page: usize) {
        self.uri = format!("{}?page={page}", self.uri.path()).parse().unwrap();
    }

    /// The body, null where there is none.
    pub(super) fn body(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }

    pub(super) fn set_body(&mut self, body: &Value) {
        self.bytes = body.to_string().into();
    }
}

impl Reply {
    pub(super) fn json(status: u16, body: Value) -> Self {
        Self {
            status,
            headers: HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))]),
            body: Payload::Json(body),
        }
    }

    /// A response without a body and without a media type.
    pub(super) fn empty(status: u16) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body: Payload::Raw(Bytes::new()),
        }
    }

    pub(super) fn text(status: u16, media_type: &'static str, body: &'static str) -> Self {
        Self::empty(status)
            .with(header::CONTENT_TYPE, media_type)
            .carrying(Payload::Raw(Bytes::from_static(body.as_bytes())))
    }

    pub(super) fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    pub(super) fn carrying(mut self, body: Payload) -> Self {
        self.body = body;
        self
    }

    /// The same, with the challenge of another response, if that has one.
    pub(super) fn challenging_like(mut self, other: &Self) -> Self {
        let challenge = other.headers.get(header::WWW_AUTHENTICATE).cloned();
        self.headers
            .extend(challenge.map(|challenge| (header::WWW_AUTHENTICATE, challenge)));
        self
    }

    pub(super) async fn read(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, ENOUGH).await.unwrap();
        Self::of(http::Response::from_parts(parts, bytes))
    }

    pub(super) fn of(response: http::Response<Bytes>) -> Self {
        let (parts, bytes) = response.into_parts();
        let mut headers = parts.headers;
        headers.remove(header::CONTENT_LENGTH);
        Self {
            status: parts.status.as_u16(),
            headers,
            body: serde_json::from_slice(&bytes).map_or_else(|_| Payload::Raw(bytes), Payload::Json),
        }
    }

    pub(super) fn succeeded(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body; null where it is no JSON.
    pub(super) fn value(&self) -> &Value {
        match &self.body {
            Payload::Json(value) => value,
            _ => &Value::Null,
        }
    }

    /// The body as text, JSON or not.
    pub(super) fn written(&self) -> String {
        match &self.body {
            Payload::Json(value) => value.to_string(),
            Payload::Cut(bytes) | Payload::Raw(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        }
    }

    pub(super) fn value_mut(&mut self) -> Option<&mut Value> {
        match &mut self.body {
            Payload::Json(value) => Some(value),
            _ => None,
        }
    }

    /// The response as a client reads it; none where the connection ends inside of it.
    pub(super) fn complete(self) -> Option<http::Response<Bytes>> {
        let body = match self.body {
            Payload::Json(value) => value.to_string().into(),
            Payload::Raw(bytes) => bytes,
            Payload::Cut(_) => return None,
        };
        let mut response = http::Response::new(body);
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap();
        *response.headers_mut() = self.headers;
        Some(response)
    }

    pub(super) fn into_response(self) -> Response {
        let mut response = Response::new(match self.body {
            Payload::Json(value) => Body::from(value.to_string()),
            Payload::Raw(bytes) => Body::from(bytes),
            Payload::Cut(bytes) => {
                let cut = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
                Body::from_stream(futures::stream::iter([Ok(bytes), Err(cut)]))
            }
        });
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap();
        *response.headers_mut() = self.headers;
        response
    }
}

fn operation(method: &str, path: &str) -> &'static str {
    let fits = |template: &str| {
        template.split('/').count() == path.split('/').count()
            && template
                .split('/')
                .zip(path.split('/'))
                .all(|(template, segment)| template.starts_with('{') || template == segment)
    };
    let mut operations = contract().operations.iter();
    operations
        .find(|operation| operation.method.as_str() == method && fits(&operation.path))
        .map_or("", |operation| operation.name.as_str())
}
