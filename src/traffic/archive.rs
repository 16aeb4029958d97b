//! Writes traffic as an HTTP archive (HAR 1.2) while it passes, one entry after the other. The main type is
//! [`Archive`].
//!
//! # Design
//!
//! Only what is on an allow-list is written. Of an exchange that calls no operation of the contract, only the method
//! (if it is one of HTTP's), the origin, the status and the times are written: it may be a login. Of a call, the values
//! are shapes unless the user asked to see them. A credential in a request's headers or query is never written, nor
//! where it recurs in that exchange (if long enough to hide): a number stands for it, so that clients can be told apart
//! when the archive is judged.
//!
//! Each entry is one line, so an archive that was cut off is judged up to its last complete line.

mod call;
#[cfg(test)]
#[cfg(feature = "cli")]
mod tests;

use std::io::{self, Write};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use reqwest::header::DATE;
use serde_json::{Value, json};

use self::call::CallWriter;
use super::credentials::Credentials;
use super::entry::{RecordedExchange, RequestLine};
use super::route::Router;
use super::source::MAX_ENTRY_BYTES;
use crate::contract::Contract;
use crate::contract::operation::{Operation, ParameterLocation};
use crate::exchange::redact::ValueDisplay;
use crate::exchange::sanitize::sanitize_json;
use crate::exchange::{Target, is_secret_name};
use crate::report::{ArchiveBody, ArchiveEntry, ArchiveRequest, ArchiveResponse, archive_header as header};

/// The methods of RFC 9110, section 9.3, and PATCH (RFC 5789).
const METHODS: [&str; 9] = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
];
/// What stands in a path and a query for what the contract does not have.
const NOT_IN_THE_CONTRACT: &str = "<not in the contract>";
/// `source` counts what its buffer has read ahead (256 KiB) against [`MAX_ENTRY_BYTES`], so a written entry must stay
/// below that limit by more than this.
const READ_AHEAD: u64 = 1 << 20;

/// An archive that is being written.
pub(crate) struct Archive<'run, W> {
    to: W,
    contract: &'run Contract,
    base: Target,
    router: Router,
    values: ValueDisplay,
    credentials: Credentials,
    /// The path in place of one that calls no operation.
    path_of_no_operation: String,
    /// What is written before the next entry.
    separator: &'static str,
}

impl<'run, W: Write> Archive<'run, W> {
    /// Begins an archive of traffic with the service at `base`.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub(crate) fn begin(mut to: W, contract: &'run Contract, base: Target, values: ValueDisplay) -> io::Result<Self> {
        let creator = json!({"name": "countersign", "version": env!("CARGO_PKG_VERSION")});
        write!(
            to,
            r#"{{"log":{{"version":"1.2","creator":{creator},"pages":[],"entries":["#
        )?;
        Ok(Self {
            to,
            contract,
            router: Router::new(contract, Some(base.clone())),
            base,
            values,
            credentials: Credentials::of(contract),
            path_of_no_operation: path_of_no_operation(contract),
            separator: "\n",
        })
    }

    /// Adds an exchange that can be judged, or, without `recorded`, only that a request was sent.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub(crate) fn add(&mut self, request_line: &RequestLine, recorded: Option<&RecordedExchange>) -> io::Result<()> {
        let mut line = self.line(request_line, recorded, self.values);
        if u64::try_from(line.len()).is_ok_and(|bytes| bytes > MAX_ENTRY_BYTES - READ_AHEAD) {
            line = self.line(request_line, recorded, ValueDisplay::Hidden);
        }
        // In one piece, so that a file is seldom cut within an entry.
        self.to.write_all(format!("{}{line}", self.separator).as_bytes())?;
        self.separator = ",\n";
        Ok(())
    }

    /// Ends the archive. The comment says what is not in it.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub(crate) fn end(mut self, comment: &str) -> io::Result<W> {
        let comment = sanitize_json(&Value::from(comment).to_string());
        writeln!(self.to, "\n],\"comment\":{comment}}}}}")?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn line(
        &mut self,
        request_line: &RequestLine,
        recorded: Option<&RecordedExchange>,
        values: ValueDisplay,
    ) -> String {
        let entry = match self.router.call(&request_line.method, &request_line.url) {
            Ok(found) => {
                let operation = self.contract.operation(found.operation);
                let redaction =
                    recorded.map(|recorded| self.credentials.redaction(&recorded.request_headers, &request_line.url));
                let mut writer = CallWriter {
                    contract: self.contract,
                    operation,
                    base: &self.base,
                    credentials: &mut self.credentials,
                    redaction: redaction.unwrap_or_default(),
                    // A secret in the path may be the identifier of a record in the body, and without headers nobody
                    // can say whether the URL has the credential in it.
                    values: if has_secret_path(operation) || recorded.is_none() {
                        ValueDisplay::Hidden
                    } else {
                        values
                    },
                };
                writer.entry(request_line, recorded)
            }
            Err(_) => self.of_no_operation(request_line, recorded.map(|recorded| recorded.status)),
        };
        sanitize_json(&entry.into_json().to_string())
    }

    fn of_no_operation(&self, request_line: &RequestLine, status: Option<u16>) -> ArchiveEntry {
        let method = METHODS
            .iter()
            .find(|method| **method == request_line.method)
            .unwrap_or(&"OTHER");
        let request = ArchiveRequest {
            method: (*method).to_owned(),
            url: format!(
                "{}{}",
                request_line.url.origin().ascii_serialization(),
                self.path_of_no_operation
            ),
            headers: Vec::new(),
            body: None,
        };
        let response = status.map(|status| ArchiveResponse {
            status,
            headers: vec![header(DATE.as_str(), &date_of_response(request_line))],
            body: ArchiveBody::default(),
        });
        entry(request_line, request, response, "no operation of the contract")
    }
}

fn entry(
    request_line: &RequestLine,
    request: ArchiveRequest,
    response: Option<ArchiveResponse>,
    comment: &str,
) -> ArchiveEntry {
    ArchiveEntry {
        page: None,
        // Judging sorts the entries by this, and two are seldom sent in one nanosecond.
        started: request_line.started.to_rfc3339_opts(SecondsFormat::Nanos, true),
        elapsed_ms: request_line.elapsed.map(|elapsed| elapsed.as_secs_f64() * 1000.0),
        request,
        response: response.ok_or_else(|| "no response was recorded".to_owned()),
        comment: Some(comment.to_owned()),
    }
}

/// Returns when the response came, as the header `Date` has it. A recipient of a response without one adds it (RFC
/// 9110, section 6.6.1).
fn date_of_response(request_line: &RequestLine) -> String {
    let elapsed = request_line
        .elapsed
        .and_then(|elapsed| TimeDelta::from_std(elapsed).ok());
    let received: Option<DateTime<Utc>> = request_line.started.checked_add_signed(elapsed.unwrap_or_default());
    let received = received.unwrap_or(request_line.started);
    received.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Returns a path that no operation has: no operation's path has that many segments.
fn path_of_no_operation(contract: &Contract) -> String {
    let depth = |path: &str| path.split('/').skip(1).count();
    let operations = contract.operation_ids().map(|id| &contract.operation(id).path);
    let taken: Vec<_> = operations.map(|path| depth(path)).collect();
    let free = (1..).find(|depth| !taken.contains(depth)).unwrap_or(1);
    format!("/{NOT_IN_THE_CONTRACT}{}", "/-".repeat(free - 1))
}

fn has_secret_path(operation: &Operation) -> bool {
    let mut parameters = operation.parameters.iter();
    parameters.any(|parameter| parameter.location == ParameterLocation::Path && is_secret_name(&parameter.name))
}
