//! Writes one call of an operation: what of it may be shown, and in what form. The main type is [`CallWriter`].

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use percent_encoding::utf8_percent_encode;
use reqwest::header::{AGE, CONTENT_LENGTH, CONTENT_TYPE, DATE, HeaderMap, WWW_AUTHENTICATE};
use serde_json::Value;

use super::{NOT_IN_THE_CONTRACT, date_of_response, entry};
use crate::contract::Contract;
use crate::contract::load::essence;
use crate::contract::operation::{Operation, ParameterLocation};
use crate::exchange::redact::{Redaction, ValueDisplay, render_media_type};
use crate::exchange::shapes::{BodyNames, shape_text};
use crate::exchange::{NOT_UNRESERVED, SHOWN_RESPONSE_HEADERS, Target, is_usual_secret_name, json, with_query};
use crate::report::{
    ArchiveBody, ArchiveEntry, ArchiveRequest, ArchiveResponse, COMMENT_CREDENTIAL_HIDDEN, COMMENT_SHAPES,
    archive_header as header,
};
use crate::rules::schemes;
use crate::traffic::credentials::Credentials;
use crate::traffic::entry::{RecordedExchange, RequestLine, may_be_altered};
use crate::traffic::request::{
    OVERRIDING_HEADERS, allows_json, carries_credential, may_identify_client, printable_path,
};

/// The headers of a request that are written with their values, besides [`OVERRIDING_HEADERS`], if values are shown.
const SHOWN_REQUEST_HEADERS: [&str; 6] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "access-control-request-method",
    "cache-control",
    "content-type",
];
/// The authentication schemes that are written, all from IANA's registry: without their parameters, which may contain a
/// token.
const SCHEMES: [&str; 6] = ["Basic", "Bearer", "Digest", "DPoP", "Mutual", "Negotiate"];
/// The comment on a body that is not written.
const LEFT_OUT: &str = "it is left out";

/// Writes a call of an operation as an entry.
pub(super) struct CallWriter<'run, 'archive> {
    pub(super) contract: &'run Contract,
    pub(super) operation: &'run Operation,
    pub(super) base: &'archive Target,
    pub(super) credentials: &'archive mut Credentials,
    pub(super) redaction: Redaction,
    pub(super) values: ValueDisplay,
}

impl CallWriter<'_, '_> {
    pub(super) fn entry(&mut self, request_line: &RequestLine, recorded: Option<&RecordedExchange>) -> ArchiveEntry {
        let request = ArchiveRequest {
            method: request_line.method.clone(),
            url: self.url(request_line),
            headers: recorded.map_or_else(Vec::new, |recorded| self.request_headers(&recorded.request_headers)),
            body: recorded.and_then(|recorded| self.request_body(recorded)),
        };
        let response = recorded.map(|recorded| self.response(request_line, recorded));
        entry(request_line, request, response, &self.operation.name)
    }

    fn url(&mut self, request_line: &RequestLine) -> String {
        match self.values {
            ValueDisplay::Hidden => {
                let mut path = printable_path(self.operation, &request_line.url);
                let mut has_other = false;
                for (name, value) in request_line.url.query_pairs() {
                    if carries_credential(self.operation, &name) {
                        let stand_in = self.credentials.stand_in(&value);
                        path = with_query(
                            &path,
                            &name,
                            &utf8_percent_encode(&stand_in, NOT_UNRESERVED).to_string(),
                        );
                    } else {
                        has_other |= !self.is_documented(&name);
                    }
                }
                // With an undocumented parameter, the response need not be the documented one.
                if has_other {
                    path = with_query(&path, NOT_IN_THE_CONTRACT, "");
                }
                format!("{}{path}", self.base.base_url())
            }
            ValueDisplay::Shown => {
                let query = self.query(request_line);
                let path = format!(
                    "{}{}{query}",
                    request_line.url.origin().ascii_serialization(),
                    request_line.url.path()
                );
                self.redaction.hide(&path)
            }
        }
    }

    fn is_documented(&self, name: &str) -> bool {
        let mut parameters = self.operation.parameters.iter();
        parameters.any(|parameter| parameter.location == ParameterLocation::Query && parameter.name == name)
    }

    /// Returns the query with a stand-in for each secret. Of a parameter that the contract does not document, nothing
    /// is shown but a usual name of a secret: its value may be a key, and without a value its name may be one.
    fn query(&mut self, request_line: &RequestLine) -> String {
        let raw = request_line.url.query().unwrap_or_default().split('&');
        let pairs = raw.filter(|pair| !pair.is_empty()).zip(request_line.url.query_pairs());
        let mut query = String::new();
        for (raw, (name, value)) in pairs {
            let plain_name = raw.split('=').next().unwrap_or_default();
            let is_documented = self.is_documented(&name) || self.credentials.is_documented(&name);
            let pair = if !is_documented && !is_usual_secret_name(&name) {
                with_query("", NOT_IN_THE_CONTRACT, "")
                    .trim_start_matches('?')
                    .to_owned()
            } else if self.credentials.is_secret(&name) {
                format!("{plain_name}={}", self.credentials.stand_in(&value))
            } else {
                raw.to_owned()
            };
            query.push_str(if query.is_empty() { "?" } else { "&" });
            query.push_str(&pair);
        }
        query
    }

    fn request_headers(&mut self, headers: &HeaderMap) -> Vec<Value> {
        let mut shown = Vec::new();
        for (name, value) in headers {
            let (name, value) = (name.as_str(), String::from_utf8_lossy(value.as_bytes()));
            let is_listed = SHOWN_REQUEST_HEADERS.contains(&name) || OVERRIDING_HEADERS.contains(&name);
            let value = match (name, self.values) {
                (_, ValueDisplay::Shown) if is_listed => self.redaction.hide(&value),
                ("accept", ValueDisplay::Hidden) => accepted(&value),
                ("content-type", ValueDisplay::Hidden) => render_media_type(&essence(&value)),
                (_, ValueDisplay::Hidden) if OVERRIDING_HEADERS.contains(&name) => "<value>".to_owned(),
                _ if !is_listed && may_identify_client(name) => self.credentials.stand_in(&value),
                _ => continue,
            };
            shown.push(header(name, &value));
        }
        shown
    }

    fn request_body(&self, recorded: &RecordedExchange) -> Option<ArchiveBody> {
        let body = recorded.request_body.as_ref()?;
        let content_type = recorded.request_headers.get(CONTENT_TYPE);
        let content_type = content_type.map(|value| String::from_utf8_lossy(value.as_bytes()));
        let content_type = content_type.unwrap_or_default();
        Some(match self.values {
            ValueDisplay::Hidden => ArchiveBody {
                media_type: render_media_type(&essence(&content_type)),
                ..self.shape(body.as_bytes(), BodyNames::of_undocumented(self.contract))
            },
            ValueDisplay::Shown => ArchiveBody {
                media_type: self.redaction.hide(&content_type),
                ..self.text(body)
            },
        })
    }

    fn response(&self, request_line: &RequestLine, recorded: &RecordedExchange) -> ArchiveResponse {
        let body = recorded.response_body.as_ref();
        let written = match (body, self.values) {
            (None, _) => ArchiveBody {
                comments: vec![LEFT_OUT],
                ..ArchiveBody::default()
            },
            (Some(body), ValueDisplay::Hidden) => self.shape(
                body,
                BodyNames::of_response(self.contract, self.operation, recorded.status),
            ),
            (Some(body), ValueDisplay::Shown) => self.shown(body),
        };
        let mut headers = self.response_headers(request_line, recorded);
        // When the archive is judged, a body that is not JSON counts as complete only if it has the stated length.
        if let Some(body) = body.filter(|_| recorded.status != 204 && written.comments.is_empty()) {
            headers.push(header(CONTENT_LENGTH.as_str(), &body.len().to_string()));
        }
        ArchiveResponse {
            status: recorded.status,
            headers,
            body: ArchiveBody {
                size: body.map_or(0, Bytes::len),
                media_type: self.media_type(recorded).unwrap_or_default(),
                ..written
            },
        }
    }

    /// Returns the media type of the response as it is shown. One that is neither documented nor well known is replaced
    /// by a description, which no reader takes for a media type.
    fn media_type(&self, recorded: &RecordedExchange) -> Option<String> {
        let received = recorded.response_headers.get(CONTENT_TYPE)?;
        let received = String::from_utf8_lossy(received.as_bytes());
        if self.values == ValueDisplay::Shown {
            return Some(self.redaction.hide(&received));
        }
        let received = essence(&received);
        let mut documented = self
            .operation
            .responses
            .iter()
            .flat_map(|response| &response.media_types);
        let is_documented = documented.any(|documented| *documented == received);
        Some(if is_documented {
            received
        } else {
            render_media_type(&received)
        })
    }

    fn response_headers(&self, request_line: &RequestLine, recorded: &RecordedExchange) -> Vec<Value> {
        let mut headers = match self.values {
            ValueDisplay::Hidden => self.headers_if_hidden(recorded),
            ValueDisplay::Shown => self.headers_if_shown(&recorded.response_headers),
        };
        if self.values == ValueDisplay::Hidden || !recorded.response_headers.contains_key(DATE) {
            headers.push(header(DATE.as_str(), &date_of_response(request_line)));
        }
        let schemes = schemes(&recorded.response_headers);
        let known = SCHEMES
            .iter()
            .filter(|known| schemes.iter().any(|scheme| scheme.eq_ignore_ascii_case(known)));
        headers.extend(known.map(|scheme| header(WWW_AUTHENTICATE.as_str(), scheme)));
        headers
    }

    /// Returns the received headers that are written even if values are hidden: media type and age, as far as they have
    /// a known form. The caller adds `Date` and the authentication schemes.
    fn headers_if_hidden(&self, recorded: &RecordedExchange) -> Vec<Value> {
        // What `media_type` writes in place of an unknown type has no slash. The header is then left out: it is better
        // not to judge the entry than to judge it wrongly.
        let media_type = self.media_type(recorded).filter(|shown| shown.contains('/'));
        let age = recorded.response_headers.get(AGE);
        let age = age.and_then(|age| age.to_str().ok()?.trim().parse::<u64>().ok());
        let headers = [
            media_type.map(|media_type| header(CONTENT_TYPE.as_str(), &media_type)),
            age.map(|age| header(AGE.as_str(), &age.to_string())),
        ];
        headers.into_iter().flatten().collect()
    }

    /// Returns the headers that are written if values are shown: those of [`SHOWN_RESPONSE_HEADERS`], without secrets.
    fn headers_if_shown(&self, headers: &HeaderMap) -> Vec<Value> {
        let listed = headers
            .iter()
            .filter(|(name, _)| SHOWN_RESPONSE_HEADERS.contains(&name.as_str()));
        let shown = listed.map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            header(name.as_str(), &self.redaction.hide(&value))
        });
        shown.collect()
    }

    fn shape(&self, bytes: &[u8], names: BodyNames<'_>) -> ArchiveBody {
        if bytes.is_empty() {
            return self.text("");
        }
        let shape = json::read(bytes).map(|body| shape_text(&body.value, names));
        let text = shape.ok().map(|shape| self.redaction.hide(&shape));
        ArchiveBody {
            comments: vec![if text.is_some() { COMMENT_SHAPES } else { LEFT_OUT }],
            text,
            ..ArchiveBody::default()
        }
    }

    fn shown(&self, bytes: &[u8]) -> ArchiveBody {
        let text = String::from_utf8_lossy(bytes);
        let body = self.text(&text);
        let is_text = std::str::from_utf8(bytes).is_ok();
        match body.comments.is_empty() {
            true if is_text && !may_be_altered(&text) => body,
            true => ArchiveBody {
                text: Some(STANDARD.encode(bytes)),
                encoding: Some("base64"),
                ..body
            },
            // Bytes that are not text may still contain a part of the credential.
            false => ArchiveBody {
                text: body.text.filter(|_| is_text),
                ..body
            },
        }
    }

    /// Returns a text as it is, but for the credentials of the request.
    fn text(&self, text: &str) -> ArchiveBody {
        let hidden = self.redaction.hide(text);
        ArchiveBody {
            comments: if hidden == text {
                Vec::new()
            } else {
                vec![COMMENT_CREDENTIAL_HIDDEN]
            },
            text: Some(hidden),
            ..ArchiveBody::default()
        }
    }
}

/// Reduces a header `Accept` to what matters for judging: whether JSON is accepted.
fn accepted(accept: &str) -> String {
    if !allows_json(accept) {
        render_media_type(&essence(accept))
    } else if accept.to_ascii_lowercase().contains("json") {
        "application/json".to_owned()
    } else {
        "*/*".to_owned()
    }
}
