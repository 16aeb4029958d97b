//! A client that accepts whatever a profile responds: any status, no body, an occasional 429.

use std::time::Duration;

use futures::StreamExt;
use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

use super::Running;

/// How long to wait before a request is sent again that came too soon.
const WAIT: Duration = Duration::from_millis(50);

/// How many pages of a list are asked for at once.
const PAGES_AT_ONCE: usize = 8;

/// A response; `body` is null where there is none.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

impl Reply {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Sends a request with the token, again while it comes too soon.
pub(super) async fn call(service: &Running, method: Method, path: &str, body: Option<&Value>) -> Reply {
    let request = service.request(method, path);
    patiently(match body {
        Some(body) => request.json(body),
        None => request,
    })
    .await
}

/// Sends a request, again while it comes too soon.
pub(super) async fn patiently(request: RequestBuilder) -> Reply {
    loop {
        let reply = once(request.try_clone().unwrap()).await;
        if reply.status != 429 {
            return reply;
        }
        tokio::time::sleep(WAIT).await;
    }
}

/// Sends a request and reads the response.
pub(super) async fn once(request: RequestBuilder) -> Reply {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.bytes().await.unwrap();
    Reply {
        status,
        headers,
        body: serde_json::from_slice(&text).unwrap_or_default(),
    }
}

pub(super) async fn get(service: &Running, path: &str) -> Reply {
    call(service, Method::GET, path, None).await
}

pub(super) async fn post(service: &Running, path: &str, body: &Value) -> Reply {
    call(service, Method::POST, path, Some(body)).await
}

/// Returns all items of a list.
pub(super) async fn walk(service: &Running, path: &str) -> Vec<Value> {
    let last = get(service, path).await.body["data"]["last_page"].as_i64().unwrap();
    let pages = (1..=last).map(async |page| get(service, &format!("{path}?page={page}")).await);
    let pages: Vec<Reply> = futures::stream::iter(pages).buffered(PAGES_AT_ONCE).collect().await;
    let items = pages
        .iter()
        .flat_map(|page| page.body["data"]["items"].as_array().unwrap());
    items.cloned().collect()
}
