//! The exchanges of a run as a report may show them: requests as they were sent, except for values that the target
//! showed, and responses as shapes. The main types are [`Exchanges`], which takes the events of a run, and
//! [`ExchangeRecord`].

use std::cell::Cell;
use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Contract;
use crate::contract::JSON;
use crate::contract::operation::{OperationId, SecurityScheme};
use crate::exchange::json::Body;
use crate::exchange::redact::{Redaction, ValueDisplay, render_media_type};
use crate::exchange::shapes::{BodyNames, shape_text};
use crate::exchange::{Credential, Purpose, Request, Response, curl, json};
use crate::rules::Finding;
use crate::run::{EmittedExchange, Event};

/// How many exchanges of a run are kept, besides those that showed a finding: a run with `--repeat` may have
/// millions.
const MAX_KEPT: usize = 1000;
/// The largest body that is shown, in bytes.
const LARGEST_BODY: usize = 256 << 10;
/// How much of all response bodies together is shown, in bytes: each report repeats them.
const MAX_SHOWN: usize = 8 << 20;
/// How much of a body is shown, in characters.
const LONGEST_TEXT: usize = 16 << 10;

/// An exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeRecord {
    /// Its number in the run, from 1.
    pub number: u64,
    /// Its operation.
    pub operation: String,
    /// Why it was sent.
    pub purpose: PurposeRecord,
    /// The edge case, or how its spelling differs from the usual one; none for other requests.
    pub edge_case: Option<String>,
    /// The credential that it carried.
    pub credential: CredentialRecord,
    /// The header that carried the credential, if it was not `Authorization`.
    pub credential_header: Option<String>,
    /// The documented scheme of the credential, if it is neither a bearer token nor a key in a header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential_scheme: Option<SchemeRecord>,
    /// Whether it was sent again later, because it was throttled or got a 404 too early; then only the later one was
    /// judged.
    pub superseded: bool,
    /// The method.
    pub method: String,
    /// The path under the base URL, with its query; a value that may not be shown is
    /// replaced by a placeholder with the name of its parameter.
    pub path: String,
    /// The media types that it asked for, if not JSON alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<String>,
    /// The media type in which it sent its body, if not plain JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The documented header parameters that it carried.
    pub headers: Vec<HeaderRecord>,
    /// The body that it carried.
    pub body: Option<String>,
    /// When it was sent, in milliseconds since the run began.
    pub sent_ms: f64,
    /// The response; none if no complete one arrived.
    pub response: Option<ResponseRecord>,
    /// Why there is no complete response.
    pub failure: Option<String>,
}

/// Why a request was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PurposeRecord {
    /// To look for residue at the end of the run; reports name it as in earlier versions.
    #[serde(rename = "account")]
    ResidueLook,
    /// As documented.
    Documented,
    /// As documented, but spelled differently; or an update, sent again unchanged.
    Equivalent,
    /// To be rejected.
    MustBeRejected,
    /// To see whether an edge case causes a 5xx.
    EdgeCase,
    /// To learn what the document leaves open.
    Trial,
}

/// The credential that a request carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CredentialRecord {
    /// An empty token.
    EmptyToken,
    /// No credential.
    None,
    /// The run's token with a scheme that is not documented.
    OtherScheme,
    /// The run's token.
    Token,
    /// A wrong token.
    WrongToken,
}

/// A scheme of a credential.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SchemeRecord {
    /// User and password by HTTP Basic.
    Basic,
    /// A key in the cookie with this name.
    Cookie(String),
    /// The token in `Authorization`, under the scheme with this name.
    Named(String),
    /// A key in the query, in the parameter with this name.
    Query(String),
}

/// A header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeaderRecord {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResponseRecord {
    /// The status.
    pub status: u16,
    /// The media type; a placeholder if it may not be shown, none if there is none.
    pub media_type: Option<String>,
    /// The size of the decoded body, in bytes.
    pub bytes: usize,
    /// The time from sending the request to the body's last byte, in milliseconds.
    pub elapsed_ms: f64,
    /// The body: JSON with each value replaced by its shape, or the text as received if values are shown. None if it is
    /// empty, too large, hidden and not JSON, or if enough bodies are shown already.
    pub body: Option<String>,
    /// Whether the whole body is shown. If it is not, `body` has its beginning, or nothing.
    pub whole: bool,
}

/// Keeps the exchanges of a run.
#[derive(Debug)]
pub struct Exchanges<'run> {
    contract: &'run Contract,
    values: ValueDisplay,
    redaction: Redaction,
    kept: Vec<ExchangeRecord>,
    /// The numbers of the kept exchanges.
    numbers: HashSet<u64>,
    /// How many bytes of bodies are shown.
    shown: Cell<usize>,
    left_out: u64,
}

impl<'run> Exchanges<'run> {
    /// Starts with no exchanges.
    #[must_use]
    pub fn new(contract: &'run Contract, values: ValueDisplay, redaction: Redaction) -> Self {
        Self {
            contract,
            values,
            redaction,
            kept: Vec::new(),
            numbers: HashSet::new(),
            shown: Cell::new(0),
            left_out: 0,
        }
    }

    /// Takes an event of the run.
    pub fn add_event(&mut self, event: Event<'_>) {
        match event {
            Event::Exchanged(exchanged) if self.kept.len() < MAX_KEPT => self.keep(exchanged),
            Event::Exchanged(_) => self.left_out += 1,
            Event::Found(_, Some(exchanged)) if !self.numbers.contains(&exchanged.exchange.number) => {
                self.left_out -= 1;
                self.keep(exchanged);
            }
            Event::Begun | Event::Expected(_) | Event::Found(..) | Event::Tried(_) | Event::Waiting(_) => {}
        }
    }

    /// Returns the number of the exchange that showed a finding, if it is known. Several exchanges together break an
    /// invariant; then it is the last one with the finding's request.
    #[must_use]
    pub fn exchange_that_showed(&self, finding: &Finding) -> Option<u64> {
        let request = &finding.request;
        let path = self.path(request);
        let name = &self.contract.operation(request.operation).name;
        finding.exchange.or_else(|| {
            let mut later_first = self.kept.iter().rev();
            later_first
                .find(|kept| kept.operation == *name && kept.path == path)
                .map(|kept| kept.number)
        })
    }

    /// Returns the exchanges in the order in which they ended, and how many more there were.
    #[must_use]
    pub fn into_records(self) -> (Vec<ExchangeRecord>, u64) {
        (self.kept, self.left_out)
    }

    /// Adds the record of an exchange.
    fn keep(&mut self, exchanged: EmittedExchange<'_>) {
        let record = self.record(exchanged);
        self.numbers.insert(exchanged.exchange.number);
        self.kept.push(record);
    }

    fn record(&self, exchanged: EmittedExchange<'_>) -> ExchangeRecord {
        let EmittedExchange { exchange, intent, body } = exchanged;
        let request = &exchange.request;
        let operation = self.contract.operation(request.operation);
        let (purpose, edge_case) = match intent.purpose {
            Purpose::Documented(_) => (PurposeRecord::Documented, None),
            Purpose::ResidueLook => (PurposeRecord::ResidueLook, None),
            Purpose::EquivalentRequest => (PurposeRecord::Equivalent, request.spelling.describe()),
            Purpose::MustBeRejected { .. } => (PurposeRecord::MustBeRejected, None),
            Purpose::EdgeCase(edge_case) => (PurposeRecord::EdgeCase, Some(edge_case.describe(operation))),
            Purpose::Trial(_) => (PurposeRecord::Trial, None),
        };
        let headers = request.printable_headers(self.values).iter();
        let scheme = request.credential.scheme();
        ExchangeRecord {
            number: exchange.number,
            operation: operation.name.clone(),
            purpose,
            edge_case,
            credential: match request.credential {
                Credential::Empty { .. } => CredentialRecord::EmptyToken,
                Credential::None => CredentialRecord::None,
                Credential::OtherScheme { .. } => CredentialRecord::OtherScheme,
                Credential::Token { .. } => CredentialRecord::Token,
                Credential::Wrong { .. } => CredentialRecord::WrongToken,
            },
            credential_header: match scheme {
                Some(SecurityScheme::ApiKeyHeader { name }) => Some(name.clone()),
                _ => None,
            },
            credential_scheme: match scheme {
                Some(SecurityScheme::ApiKeyCookie { name }) => Some(SchemeRecord::Cookie(name.clone())),
                Some(SecurityScheme::ApiKeyQuery { name }) => Some(SchemeRecord::Query(name.clone())),
                Some(SecurityScheme::Basic) => Some(SchemeRecord::Basic),
                Some(SecurityScheme::Named { name }) => Some(SchemeRecord::Named(name.clone())),
                Some(SecurityScheme::ApiKeyHeader { .. } | SecurityScheme::Bearer) | None => None,
            },
            superseded: intent.is_superseded,
            method: request.method.to_string(),
            path: self.path(request),
            accept: Some(&request.accept).filter(|accept| *accept != JSON).cloned(),
            content_type: request.sent_content_type().filter(|sent| sent != JSON),
            headers: headers
                .map(|(name, value)| HeaderRecord {
                    name: name.clone(),
                    value: self.redaction.hide(value),
                })
                .collect(),
            body: curl::body(request, self.values).map(|body| self.redaction.hide(&cut(&body).0)),
            sent_ms: milliseconds(exchange.sent_after),
            response: exchange
                .response()
                .map(|response| self.response(request.operation, response, body)),
            failure: exchange.outcome.as_ref().err().map(ToString::to_string),
        }
    }

    fn path(&self, request: &Request) -> String {
        self.redaction.hide(request.printable_path(self.values))
    }

    fn response(&self, operation: OperationId, response: &Response, body: Option<&Body>) -> ResponseRecord {
        let (body, whole) = self.body(operation, response, body);
        ResponseRecord {
            status: response.status,
            media_type: response.media_type().map(|media_type| render_media_type(&media_type)),
            bytes: response.body.len(),
            elapsed_ms: milliseconds(response.elapsed),
            body: body.map(|body| self.redaction.hide(&body)),
            whole,
        }
    }

    /// Returns the body as it may be printed, and whether that is all of it.
    fn body(&self, operation: OperationId, response: &Response, read: Option<&Body>) -> (Option<String>, bool) {
        if response.body.is_empty() {
            return (None, true);
        }
        if response.body.len() > LARGEST_BODY || self.shown.get() > MAX_SHOWN {
            return (None, false);
        }
        let text = match self.values {
            ValueDisplay::Shown => String::from_utf8_lossy(&response.body).into_owned(),
            ValueDisplay::Hidden => {
                let names = BodyNames::of_response(self.contract, self.contract.operation(operation), response.status);
                let shape = |body: &Body| shape_text(&body.value, names);
                // The rules do not read a body where none is documented, but it may still be JSON.
                match read.map_or_else(
                    || json::read(&response.body).map(|body| shape(&body)),
                    |body| Ok(shape(body)),
                ) {
                    Ok(shape) => shape,
                    Err(_) => return (None, false),
                }
            }
        };
        let (text, whole) = cut(&text);
        self.shown.set(self.shown.get() + text.len());
        (Some(text), whole)
    }
}

/// Returns the beginning of a text, and whether that is all of it.
fn cut(text: &str) -> (String, bool) {
    match text.char_indices().nth(LONGEST_TEXT) {
        None => (text.to_owned(), true),
        Some((end, _)) => (format!("{}…", &text[..end]), false),
    }
}

fn milliseconds(duration: std::time::Duration) -> f64 {
    // Microseconds are precise enough, and keep a report short.
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Token;
    use crate::contract::operation::{Method, OperationId};
    use crate::exchange::{Content, Exchange, Failure, Printable};
    use crate::report::testing::SampleRun;
    use crate::rules::{Judge, Levels};

    fn numbered(seen: &SampleRun, number: u64) -> Exchange {
        Exchange {
            number,
            ..seen.first_exchange()
        }
    }

    fn kept(values: ValueDisplay, bodies: &[&'static str]) -> ExchangeRecord {
        let seen = SampleRun::bodies(bodies);
        let mut exchanges = Exchanges::new(&seen.contract, values, Redaction::default());
        exchanges.add_event(Event::Exchanged(SampleRun::exchanged(&seen.first_exchange())));
        exchanges.into_records().0.remove(0)
    }

    fn body_of(values: ValueDisplay, body: &'static str) -> (Option<String>, bool) {
        let response = kept(values, &[body]).response.unwrap();
        (response.body, response.whole)
    }

    #[test]
    fn a_response_is_shown_as_a_shape_unless_values_are_shown() {
        let body = r#"{"name": "Jane Roe", "jane.roe@example.com": [1, 2]}"#;
        let shape = r#"{"name":"string(8)","<undocumented name(20)>":["integer","and 1 more like it"]}"#;
        assert_eq!(body_of(ValueDisplay::Hidden, body), (Some(shape.to_owned()), true));
        assert_eq!(body_of(ValueDisplay::Shown, body), (Some(body.to_owned()), true));
        assert_eq!(body_of(ValueDisplay::Hidden, "Jane Roe"), (None, false));
        assert_eq!(body_of(ValueDisplay::Hidden, ""), (None, true));
    }

    #[test]
    fn a_long_body_is_cut_and_says_so() {
        let long: &'static str = Box::leak(format!("[{}1]", "1,".repeat(LONGEST_TEXT)).into_boxed_str());
        let (text, whole) = body_of(ValueDisplay::Shown, long);
        assert_eq!(text.unwrap().chars().count(), LONGEST_TEXT + 1);
        assert!(!whole);
        let longer: &'static str = Box::leak(format!("\"{}\"", "x".repeat(LARGEST_BODY)).into_boxed_str());
        assert_eq!(body_of(ValueDisplay::Hidden, longer), (None, false));
    }

    #[test]
    fn a_request_shows_nothing_that_the_target_showed_and_no_token() {
        let seen = SampleRun::bodies(&["{}"]);
        let token = Token::new("tk-4711-secret").unwrap();
        let mut exchange = seen.first_exchange();
        exchange.request = Request {
            method: Method::Post,
            path: "/things/t-17?note=tk-4711-secret".to_owned(),
            printable: Printable {
                path: "/things/<id as the target lists it>?note=tk-4711-secret".to_owned(),
                headers: vec![("x-note".to_owned(), "tk-4711-secret".to_owned())],
            },
            body: Some(Content::Json(
                serde_json::json!({"venue": "Jane's", "name": "tk-4711-secret"}),
            )),
            from_target: vec!["/venue".to_owned()],
            ..exchange.request
        };
        exchange.outcome = Err(Failure::Incomplete);
        let mut exchanges = Exchanges::new(&seen.contract, ValueDisplay::Hidden, Redaction::of(Some(&token)));
        exchanges.add_event(Event::Exchanged(SampleRun::exchanged(&exchange)));
        let record = exchanges.into_records().0.remove(0);
        assert_eq!(
            record.path,
            "/things/<id as the target lists it>?note=$COUNTERSIGN_TOKEN"
        );
        assert_eq!(record.headers[0].value, "$COUNTERSIGN_TOKEN");
        let body = r#"{"venue":"<venue as the target lists it>","name":"$COUNTERSIGN_TOKEN"}"#;
        assert_eq!(record.body.as_deref(), Some(body));
        assert_eq!(
            (record.response, record.failure),
            (None, Some(Failure::Incomplete.to_string()))
        );
    }

    #[test]
    fn of_a_soak_the_first_are_kept_and_each_that_showed_a_finding() {
        let seen = SampleRun::bodies(&[r#"{"name": 1}"#]);
        let mut judge = Judge::new(&seen.contract, Levels::default(), ValueDisplay::Hidden);
        let mut exchanges = Exchanges::new(&seen.contract, ValueDisplay::Hidden, Redaction::default());
        let most = u64::try_from(MAX_KEPT).unwrap();
        for number in 1..=most + 5 {
            let exchange = numbered(&seen, number);
            exchanges.add_event(Event::Exchanged(SampleRun::exchanged(&exchange)));
            if number == most + 3 {
                judge.exchange(&exchange, SampleRun::exchanged(&exchange).intent);
                for finding in judge.verdicts().findings() {
                    exchanges.add_event(Event::Found(finding, Some(SampleRun::exchanged(&exchange))));
                }
            }
        }
        let finding = judge.verdicts().findings()[0].clone();
        assert_eq!(exchanges.exchange_that_showed(&finding), Some(most + 3));
        let (kept, left_out) = exchanges.into_records();
        assert_eq!((kept.len(), left_out), (MAX_KEPT + 1, 4));
        assert_eq!(kept.last().unwrap().number, most + 3);
    }

    #[test]
    fn a_finding_of_several_exchanges_names_the_last_with_its_request() {
        let seen = SampleRun::bodies(&[r#"{"name": 1}"#]);
        let mut judge = Judge::new(&seen.contract, Levels::default(), ValueDisplay::Hidden);
        let mut exchanges = Exchanges::new(&seen.contract, ValueDisplay::Hidden, Redaction::default());
        for number in 1..4 {
            exchanges.add_event(Event::Exchanged(SampleRun::exchanged(&numbered(&seen, number))));
        }
        let first = numbered(&seen, 1);
        judge.exchange(&first, SampleRun::exchanged(&first).intent);
        let finding = Finding {
            exchange: None,
            ..judge.verdicts().findings()[0].clone()
        };
        assert_eq!(exchanges.exchange_that_showed(&finding), Some(3));
        let elsewhere = Finding {
            request: Request {
                printable: Printable {
                    path: "/things?page=2".to_owned(),
                    headers: Vec::new(),
                },
                operation: OperationId(0),
                ..finding.request.clone()
            },
            ..finding
        };
        assert_eq!(exchanges.exchange_that_showed(&elsewhere), None);
    }
}
