//! The service of `docs/another-api.md`: tags that can be created, read, renamed and deleted, behind a bearer token.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use serde_json::{Value, json};

const LIST: &str = "/organization/v1/tags";

/// The tags by their identifiers, and how many there ever were.
#[derive(Default)]
struct Tags {
    kept: BTreeMap<String, String>,
    ever: usize,
}

impl Tags {
    fn add(&mut self, name: String) -> String {
        self.ever += 1;
        let id = format!("tag-{}", self.ever);
        self.kept.insert(id.clone(), name);
        id
    }

    /// A tag as it is shown, with a field that the page's document does not list.
    fn shown(&self, id: &str) -> Option<Value> {
        let name = self.kept.get(id)?;
        Some(json!({"id": id, "name": name, "uses": 0}))
    }

    fn respond(&mut self, method: &Method, path: &str, limit: usize, name: Option<String>) -> Response {
        let id = path.strip_prefix(LIST).map(|rest| rest.trim_start_matches('/'));
        let shown = match (method.as_str(), id, name) {
            ("GET", Some(""), _) => {
                let items: Vec<_> = self.kept.keys().take(limit).filter_map(|id| self.shown(id)).collect();
                Some((StatusCode::OK, json!({"data": {"items": items}})))
            }
            ("POST", Some(""), Some(name)) => {
                let id = self.add(name);
                self.shown(&id).map(|tag| (StatusCode::CREATED, tag))
            }
            ("POST" | "PUT", Some(_), None) => {
                let message = "`name` must be a string that is not empty";
                Some((StatusCode::UNPROCESSABLE_ENTITY, json!({"message": message})))
            }
            ("GET", Some(id), _) => self.shown(id).map(|tag| (StatusCode::OK, tag)),
            ("PUT", Some(id), Some(name)) => {
                self.kept.entry(id.to_owned()).and_modify(|kept| *kept = name);
                self.shown(id).map(|tag| (StatusCode::OK, tag))
            }
            ("DELETE", Some(id), _) if self.kept.remove(id).is_some() => return StatusCode::NO_CONTENT.into_response(),
            _ => None,
        };
        let unknown = || (StatusCode::NOT_FOUND, json!({"message": "there is nothing here"}));
        let (status, body) = shown.unwrap_or_else(unknown);
        (status, Json(body)).into_response()
    }
}

/// The service behind this token, with one tag of this name.
pub(super) fn service(token: &str, name: &str) -> Router {
    let mut tags = Tags::default();
    tags.add(name.to_owned());
    let (tags, expected) = (Arc::new(Mutex::new(tags)), format!("Bearer {token}"));
    Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let has_token = headers.get(AUTHORIZATION).is_some_and(|sent| sent == expected.as_str());
        let sent: Option<Value> = serde_json::from_slice(&body).ok();
        let name = sent.and_then(|sent| sent["name"].as_str().map(str::to_owned));
        let name = name.filter(|name| !name.is_empty());
        let limit = uri.query().and_then(|query| query.strip_prefix("limit=")?.parse().ok());
        let response = if has_token {
            let mut tags = tags.lock().unwrap();
            tags.respond(&method, uri.path(), limit.unwrap_or(usize::MAX), name)
        } else {
            let body = Json(json!({"message": "there is no valid token"}));
            (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], body).into_response()
        };
        async move { response }
    })
}
