//! A stub of the invented resource that can break each kind of fact. The main type is [`Harbour`].

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use countersign::contract::fact::{Fact, FactKind};
use countersign::contract::pointer;
use countersign::contract::vocabulary::TimestampFormat;
use serde_json::{Value, json};

use crate::proof::call::TOKEN;

const PER_PAGE: usize = 2;

/// How a location is broken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    Dropped,
    OtherType,
    Renamed,
}

/// The boats, and what is broken.
pub(super) struct Harbour {
    boats: Mutex<Vec<Value>>,
    broken: Option<Fact>,
    way: Way,
}

/// A request as the harbour takes it.
struct Asked {
    operation: &'static str,
    number: Option<i64>,
    page: Option<usize>,
    body: Value,
    /// Whether it asks for a page that no list has, or its body is no boat's.
    edge_case: bool,
}

impl Harbour {
    /// A harbour that breaks this fact; what it drops or retypes is said by the way.
    pub(super) fn router(broken: Option<Fact>, way: Way) -> Router {
        let harbour = Self {
            boats: Mutex::new((1..=4).map(boat).collect()),
            broken,
            way,
        };
        Router::new().fallback(response).with_state(Arc::new(harbour))
    }

    fn breaks(&self, operation: &str, kind: FactKind) -> bool {
        let broken = self.broken.as_ref();
        broken.is_some_and(|fact| fact.kind == kind && fact.name.starts_with(&format!("{operation} ")))
    }

    fn breaks_any(&self, operation: &str, kind: impl Fn(FactKind) -> bool) -> Option<&Fact> {
        let broken = self.broken.as_ref()?;
        (kind(broken.kind) && broken.name.starts_with(&format!("{operation} "))).then_some(broken)
    }

    fn lets_in(&self, operation: &str, headers: &HeaderMap) -> bool {
        let sent = headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap());
        match sent {
            None => self.breaks(operation, FactKind::RejectsNoCredential),
            Some(sent) if sent.starts_with("Bearer ") => sent == format!("Bearer {TOKEN}"),
            Some(_) => self.breaks(operation, FactKind::RejectsOtherScheme),
        }
    }

    fn create(&self, body: &Value) -> Result<Value, StatusCode> {
        let launched = body["launched"].as_str().unwrap_or("2024-01-01T00:00:00Z");
        let format = if launched.ends_with('Z') {
            TimestampFormat::Utc
        } else {
            TimestampFormat::Offset
        };
        if self.breaks("createBoat", FactKind::AcceptsTimestampFormat(format)) {
            return Err(StatusCode::UNPROCESSABLE_ENTITY);
        }
        let mut boats = self.boats.lock().unwrap();
        let mut number = i64::try_from(boats.len()).unwrap() + 1;
        if self.breaks("createBoat", FactKind::IdentifierUnique) {
            number = 1;
        }
        let mut boat = json!({"number": number, "name": "", "length": 0, "launched": launched,
                              "berth": {"harbour": "North", "row": 0}, "flags": ["blue"]});
        merge(&mut boat, body);
        let mut listed = boat.clone();
        if let Some(fact) = self.breaks_any("createBoat", |kind| matches!(kind, FactKind::ListedCarrying(_))) {
            alter(listed.pointer_mut(&fact.response_pointer).unwrap());
        }
        if self.breaks("createBoat", FactKind::NoExtraRecord) {
            let mut second = listed.clone();
            second["number"] = json!(1000 + number);
            boats.push(second);
        }
        if !self.breaks("createBoat", FactKind::Listed) {
            boats.push(listed);
        }
        let mut response = json!({ "boat": boat });
        if self.breaks("createBoat", FactKind::IdentifierFitsPath) {
            response["boat"]["number"] = json!("no-number");
        }
        if let Some(fact) = self.breaks_any("createBoat", |kind| matches!(kind, FactKind::Carried(_))) {
            alter(response.pointer_mut(&fact.response_pointer).unwrap());
        }
        Ok(response)
    }

    fn update(&self, number: i64, body: &Value) -> StatusCode {
        let everywhere = self.breaks("updateBoat", FactKind::NotElsewhere);
        let lost = self.breaks_any("updateBoat", |kind| {
            matches!(kind, FactKind::ListedAfterUpdateCarrying(_))
        });
        for boat in self.boats.lock().unwrap().iter_mut() {
            if (boat["number"] == number || everywhere) && lost.is_none() {
                merge(boat, body);
            }
            if boat["number"] == number && self.breaks("updateBoat", FactKind::NoExtraRecord) {
                boat["number"] = json!(1000 + number);
            }
        }
        StatusCode::NO_CONTENT
    }

    fn list(&self, asked: Option<usize>) -> Value {
        let breaks = |kind| self.breaks("getBoats", kind);
        let boats = self.boats.lock().unwrap();
        let mut page = asked.unwrap_or(1);
        if (asked.is_none() && breaks(FactKind::PageDefault)) || (asked.is_some() && breaks(FactKind::PageAsked)) {
            page = 3 - page.min(2);
        }
        let mut items: Vec<_> = boats
            .chunks(PER_PAGE)
            .nth(page.wrapping_sub(1))
            .unwrap_or_default()
            .to_vec();
        if let Some(first) = items.first_mut().filter(|_| breaks(FactKind::PageUnique) && page > 1) {
            *first = boats[0].clone();
        }
        // Two full pages are all that there is at first.
        if breaks(FactKind::PageFull) && boats.len().is_multiple_of(PER_PAGE) && page * PER_PAGE == boats.len() {
            items.pop();
        }
        let total = boats.len() + usize::from(breaks(FactKind::PageTotal)) * 10;
        let last = total.div_ceil(PER_PAGE) + usize::from(breaks(FactKind::PageLast));
        let per_page = PER_PAGE - usize::from(breaks(FactKind::PageSize));
        json!({"data": {"per_page": per_page, "page": page, "total": total, "last_page": last, "items": items}})
    }

    /// Breaks the value at a location of a body.
    fn bend(&self, operation: &str, body: &mut Value) {
        let at_location = |kind| matches!(kind, FactKind::NoOtherFields | FactKind::Present | FactKind::Type);
        let broken = self.breaks_any(operation, at_location);
        let Some(fact) = broken.filter(|fact| !fact.response_pointer.starts_with("header ")) else {
            return;
        };
        match fact.kind {
            FactKind::NoOtherFields => {
                let object = body.pointer_mut(&fact.response_pointer).unwrap();
                object["more"] = json!(1);
            }
            _ => break_at(
                body,
                &pointer::tokens(&fact.response_pointer).collect::<Vec<_>>(),
                self.way,
            ),
        }
    }

    fn answered(&self, operation: &'static str, status: StatusCode, body: Option<Value>) -> Response {
        let breaks = |kind| self.breaks(operation, kind);
        if breaks(FactKind::Status) {
            return StatusCode::NOT_FOUND.into_response();
        }
        if breaks(FactKind::NoServerError) {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
        let Some(mut body) = body else {
            return status.into_response();
        };
        self.bend(operation, &mut body);
        let media = if breaks(FactKind::MediaType) {
            "text/html"
        } else {
            "application/json"
        };
        let text = if breaks(FactKind::Json) {
            "<html>".to_owned()
        } else {
            body.to_string()
        };
        let boats = self.header(operation);
        (status, boats, [(header::CONTENT_TYPE, media)], text).into_response()
    }

    /// The header with the number of boats, or what is broken of it.
    fn header(&self, operation: &str) -> HeaderMap {
        let fact = self.breaks_any(operation, |kind| matches!(kind, FactKind::Present | FactKind::Type));
        let is_broken = fact.is_some_and(|fact| fact.response_pointer.starts_with("header "));
        let boats = self.boats.lock().unwrap().len();
        let (name, value) = match self.way {
            Way::Dropped if is_broken => return HeaderMap::new(),
            Way::Renamed if is_broken => ("x-renamed", HeaderValue::from(boats)),
            Way::OtherType if is_broken => ("x-boats", HeaderValue::from_static("many")),
            _ => ("x-boats", HeaderValue::from(boats)),
        };
        HeaderMap::from_iter([(HeaderName::from_static(name), value)])
    }
}

async fn response(
    State(harbour): State<Arc<Harbour>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(asked) = Asked::read(&method, &uri, &body) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if !harbour.lets_in(asked.operation, &headers) {
        let challenge = !harbour.breaks(asked.operation, FactKind::Challenge);
        let challenge = challenge.then_some([(header::WWW_AUTHENTICATE, "Bearer")]);
        return match challenge {
            Some(challenge) => (StatusCode::UNAUTHORIZED, challenge).into_response(),
            None => StatusCode::UNAUTHORIZED.into_response(),
        };
    }
    let breaks = |kind| harbour.breaks(asked.operation, kind);
    if breaks(FactKind::CompleteResponse) || (asked.edge_case && breaks(FactKind::EdgeCaseCompleteResponse)) {
        return cut_off();
    }
    if asked.edge_case {
        let failed = breaks(FactKind::EdgeCaseNoServerError).then_some(StatusCode::INTERNAL_SERVER_ERROR);
        return failed.unwrap_or(StatusCode::BAD_REQUEST).into_response();
    }
    let (status, body) = match asked.operation {
        "getBoats" => (StatusCode::OK, Some(harbour.list(asked.page))),
        "createBoat" => match harbour.create(&asked.body) {
            Ok(body) => (StatusCode::CREATED, Some(body)),
            Err(status) => return status.into_response(),
        },
        _ => (harbour.update(asked.number.unwrap_or(0), &asked.body), None),
    };
    if status.is_client_error() {
        return status.into_response();
    }
    harbour.answered(asked.operation, status, body)
}

fn cut_off() -> Response {
    let cut = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
    let parts = futures::stream::iter([Ok(Bytes::from_static(b"{")), Err(cut)]);
    axum::body::Body::from_stream(parts).into_response()
}

impl Asked {
    fn read(method: &Method, uri: &Uri, body: &Bytes) -> Option<Self> {
        let rest = uri.path().strip_prefix("/organization/v1/boats")?;
        let number = rest.strip_prefix('/').map(|number| number.parse().unwrap_or(0));
        let operation = match (method, number) {
            (&Method::GET, None) => "getBoats",
            (&Method::POST, None) => "createBoat",
            (&Method::PUT, Some(_)) => "updateBoat",
            _ => return None,
        };
        let page = uri.query().and_then(|query| query.strip_prefix("page=")?.parse().ok());
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let edge_case = if operation == "getBoats" {
            uri.query().is_some() && !page.is_some_and(|page| (1..1_000_000).contains(&page))
        } else {
            !fits(&boat(0), &body)
        };
        Some(Self {
            operation,
            number,
            page,
            body,
            edge_case,
        })
    }
}

fn boat(number: i64) -> Value {
    json!({"number": number, "name": format!("Boat {number}"), "length": 9, "launched": "2023-04-01T08:00:00Z",
           "berth": {"harbour": "North", "row": number}, "flags": ["blue"]})
}

/// Whether what was sent is of the types that a boat has.
fn fits(boat: &Value, sent: &Value) -> bool {
    match (boat, sent) {
        (Value::Object(boat), Value::Object(sent)) => sent.iter().all(|(name, value)| fits(&boat[name], value)),
        (Value::Array(boat), Value::Array(sent)) => sent.iter().all(|value| fits(&boat[0], value)),
        _ => (boat.is_string() && sent.is_string()) || (boat.is_number() && sent.is_number()),
    }
}

/// Puts the fields that were sent into a boat.
fn merge(boat: &mut Value, sent: &Value) {
    for (name, value) in sent.as_object().into_iter().flatten() {
        match (boat.get_mut(name), value) {
            (Some(inner @ Value::Object(_)), Value::Object(_)) => merge(inner, value),
            _ => boat[name] = value.clone(),
        }
    }
}

/// Another value of the same type.
fn alter(value: &mut Value) {
    *value = match value {
        Value::String(text) if text.contains('T') && text.contains(':') => json!("2001-01-01T00:00:00Z"),
        Value::String(_) => json!("another"),
        _ => json!(4711),
    };
}

/// Breaks every value at the location.
fn break_at(value: &mut Value, tokens: &[String], way: Way) {
    let [token, rest @ ..] = tokens else {
        *value = of_another_type(value);
        return;
    };
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|element| break_at(element, rest, way)),
        Value::Object(members) if rest.is_empty() && way != Way::OtherType => {
            let member = members.shift_remove(token);
            if let (Some(member), Way::Renamed) = (member, way) {
                members.insert("renamed".to_owned(), member);
            }
        }
        Value::Object(members) => {
            if let Some(member) = members.get_mut(token) {
                break_at(member, rest, way);
            }
        }
        _ => {}
    }
}

fn of_another_type(value: &Value) -> Value {
    match value {
        Value::Array(_) => json!({}),
        Value::Object(_) => json!([]),
        Value::String(_) => json!(17),
        other => json!(format!("was {other}")),
    }
}
