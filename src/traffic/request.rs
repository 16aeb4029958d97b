//! Turns a recorded request into one of ours: what it calls, and what of it may be printed.

use percent_encoding::percent_decode_str;
use reqwest::Url;
use serde_json::Value;

use super::entry::Recorded;
use super::route::Call;
use crate::contract::operation::{Location, Operation, Security};
use crate::exchange::json;
use crate::exchange::{Content, Credential, Digest, Printable, Request, placeholder, with_query};

/// Returns the request. Nothing of its values may be printed: its path is printed as the template, with the parameters
/// that the contract knows.
pub(super) fn request(operation: &Operation, recorded: &Recorded, call: &Call) -> Request {
    let documented = operation.request.is_some();
    let body = recorded.body.as_deref().filter(|_| documented);
    let body = body.and_then(|body| json::read(body.as_bytes()).ok());
    Request {
        path: call.path.clone(),
        body: body.map(|body| Content::Json(body.value)),
        // The root: no value of the body is printed.
        from_target: vec![String::new()],
        printable: Printable {
            path: printable_path(operation, &recorded.url),
            headers: Vec::new(),
        },
        credential: match &operation.security {
            Security::Bearer { .. } => Credential::Token { header: None },
            Security::ApiKey { header, .. } => Credential::Token {
                header: Some(header.clone()),
            },
            Security::None | Security::Unsupported { .. } => Credential::None,
        },
        ..Request::plain(call.operation, operation)
    }
}

fn printable_path(operation: &Operation, url: &Url) -> String {
    let mut path = String::new();
    for (index, piece) in operation.path.split('{').enumerate() {
        match piece.split_once('}').filter(|_| index > 0) {
            Some((name, rest)) => path.push_str(&(placeholder(name) + rest)),
            None => path.push_str(piece),
        }
    }
    let page = operation.page.as_ref().map(|page| page.parameter.as_str());
    let known = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.location == Location::Query);
    for parameter in known {
        let name = parameter.name.as_str();
        if let Some((_, value)) = url.query_pairs().find(|(known, _)| known == name) {
            let is_number = page == Some(name) && value.parse::<u64>().is_ok();
            let value = if is_number {
                value.into_owned()
            } else {
                placeholder(name)
            };
            path = with_query(&path, name, &value);
        }
    }
    path
}

/// The page of a list that a request asks for, and everything else that decides what its pages show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageRequest {
    /// The number; `None` for the default page.
    pub(super) number: Option<u64>,
    /// The path and the query without the page, and what the client authenticated with.
    pub(super) window: Digest,
}

/// Whether a request is one that the document shows, as far as that can be told: its body is JSON where one is
/// documented, and its page is a positive number.
pub(super) fn is_as_documented(operation: &Operation, recorded: &Recorded, request: &Request) -> bool {
    let body = operation.request.is_none() || recorded.body.is_none() || request.json().is_some_and(Value::is_object);
    body && page(operation, recorded).is_some_and(|page| page.number != Some(0))
}

/// Returns the page that a request asks for; `None` where its number is not one.
pub(super) fn page(operation: &Operation, recorded: &Recorded) -> Option<PageRequest> {
    let parameter = operation.page.as_ref().map(|page| page.parameter.as_str());
    let pairs = recorded
        .url
        .query()
        .unwrap_or_default()
        .split('&')
        .filter(|pair| !pair.is_empty());
    let (asked, others): (Vec<_>, Vec<_>) = pairs.partition(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        Some(&*percent_decode_str(name).decode_utf8_lossy()) == parameter
    });
    let number = match asked.as_slice() {
        [] => None,
        [one] => Some(one.split_once('=')?.1.parse().ok()?),
        _ => return None,
    };
    let credentials = ["authorization", "cookie", "x-api-key"].map(|name| {
        let values = recorded.headers.get_all(name).iter();
        Value::from_iter(values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()))
    });
    let window = (recorded.url.path(), others, credentials);
    Some(PageRequest {
        number,
        window: Digest::of(&serde_json::json!([window.0, window.1, window.2])),
    })
}
