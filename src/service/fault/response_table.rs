//! The faults on whole responses that every operation can have: [`faults`].

use axum::http::StatusCode;

use super::contract::Operation;
use super::deviation::{Deviation, DeviationKind, Fault, name};
use super::response::ResponseFault::{
    self, BodyEmpty, BodyHtml, BodyNotUtf8, BodyTruncated, ConnectionCut, MediaType, Status,
};

/// One way in which a response can be wrong as a whole.
struct Row {
    deviation: &'static str,
    about: &'static str,
    rule: &'static str,
    /// The fact that it breaks.
    broken: Broken,
    fault: ResponseFault,
}

/// The facts that are about whole responses.
#[derive(Clone, Copy)]
enum Broken {
    Challenge,
    Complete,
    Data,
    Json,
    MediaType,
    NoServerError,
    Status,
}

const ROWS: &[Row] = &[
    row(
        "redirected",
        "a success is answered with 302",
        "status",
        Broken::Status,
        Status(StatusCode::FOUND),
    ),
    row(
        "not-found",
        "a success is answered with 404",
        "status",
        Broken::Status,
        Status(StatusCode::NOT_FOUND),
    ),
    row(
        "method-not-allowed",
        "a success is answered with 405",
        "status",
        Broken::Status,
        Status(StatusCode::METHOD_NOT_ALLOWED),
    ),
    row(
        "methods-unlisted",
        "a success is answered with 405 without Allow",
        "allow-header",
        Broken::Status,
        ResponseFault::MethodsUnlisted,
    ),
    row(
        "challenge-dropped",
        "a 401 has no WWW-Authenticate",
        "challenge",
        Broken::Challenge,
        ResponseFault::Challenge(None),
    ),
    row(
        "challenge-for-basic",
        "a 401 asks only for Basic",
        "challenge",
        Broken::Challenge,
        ResponseFault::Challenge(Some(r#"Basic realm="Bearer, or not""#)),
    ),
    row(
        "server-error",
        "a success is answered with 500",
        "server-error",
        Broken::NoServerError,
        Status(StatusCode::INTERNAL_SERVER_ERROR),
    ),
    row(
        "not-implemented",
        "a success is answered with 501",
        "server-error",
        Broken::NoServerError,
        Status(StatusCode::NOT_IMPLEMENTED),
    ),
    row(
        "unavailable",
        "a success is answered with 503",
        "server-error",
        Broken::NoServerError,
        Status(StatusCode::SERVICE_UNAVAILABLE),
    ),
    row(
        "connection-cut",
        "the connection ends inside the body",
        "unfinished-answer",
        Broken::Complete,
        ConnectionCut,
    ),
    row(
        "answered-200",
        "a success is answered with 200",
        "status",
        Broken::Status,
        Status(StatusCode::OK),
    ),
    row(
        "answered-204",
        "a success is answered with 204, without a body",
        "malformed-json",
        Broken::Json,
        Status(StatusCode::NO_CONTENT),
    ),
    row(
        "media-type-html",
        "the media type is text/html",
        "media-type",
        Broken::MediaType,
        MediaType(Some("text/html")),
    ),
    row(
        "media-type-text",
        "the media type is text/plain",
        "media-type",
        Broken::MediaType,
        MediaType(Some("text/plain")),
    ),
    row(
        "media-type-dropped",
        "no media type is named",
        "media-type",
        Broken::MediaType,
        MediaType(None),
    ),
    row(
        "body-cut",
        "the body ends in the middle",
        "malformed-json",
        Broken::Json,
        BodyTruncated,
    ),
    row(
        "body-empty",
        "the body is empty",
        "malformed-json",
        Broken::Json,
        BodyEmpty,
    ),
    row(
        "body-html",
        "the body is a sign-in page",
        "malformed-json",
        Broken::Json,
        BodyHtml,
    ),
    row(
        "body-not-utf8",
        "the body is not UTF-8",
        "malformed-json",
        Broken::Json,
        BodyNotUtf8,
    ),
    row(
        "name-twice",
        "the first key of the body appears twice",
        "malformed-json",
        Broken::Json,
        ResponseFault::NameTwice,
    ),
    row(
        "unwrapped",
        "the body is what belongs under data",
        "missing-field",
        Broken::Data,
        ResponseFault::Unwrapped,
    ),
];

const fn row(
    deviation: &'static str,
    about: &'static str,
    rule: &'static str,
    broken: Broken,
    fault: ResponseFault,
) -> Row {
    Row {
        deviation,
        about,
        rule,
        broken,
        fault,
    }
}

/// The faults on whole responses of an operation.
pub(super) fn faults(operation: &Operation) -> impl Iterator<Item = Fault> + use<'_> {
    ROWS.iter()
        .filter(|row| row.suits(operation))
        .map(|row| row.fault(operation))
}

impl Row {
    /// Returns whether it deviates from what is documented for the operation.
    fn suits(&self, operation: &Operation) -> bool {
        let open = operation.success == "2XX";
        let has_body = !operation.locations.is_empty();
        match (self.fault, self.broken) {
            (Status(StatusCode::OK), _) => !open,
            (Status(StatusCode::NO_CONTENT), _) => open && has_body,
            (_, Broken::Challenge | Broken::Complete | Broken::NoServerError | Broken::Status) => true,
            (_, Broken::Data | Broken::Json | Broken::MediaType) => has_body,
        }
    }

    fn fault(&self, operation: &Operation) -> Fault {
        let pointer = match self.fault {
            ResponseFault::NameTwice => operation.locations.get(1).map_or("", |location| &location.pattern),
            ResponseFault::Unwrapped => "/data",
            _ => "",
        };
        let stated = match self.broken {
            Broken::Challenge => "auth: a 401 asks for Bearer",
            Broken::Complete => "response: complete",
            Broken::Data => "/data: present",
            Broken::Json => "body: JSON",
            Broken::MediaType => "media type: application/json",
            Broken::NoServerError => "status: no 5xx",
            Broken::Status => &format!("status: {}", operation.success),
        };
        Fault {
            name: name(&operation.name, "", self.deviation),
            about: self.about.to_owned(),
            rule: self.rule,
            operation: operation.name.clone(),
            fact: Some(format!("{} {stated}", operation.name)),
            pointer: pointer.to_owned(),
            other_findings: Vec::new(),
            deviation: Deviation {
                on: operation.name.clone(),
                kind: DeviationKind::Response(self.fault),
            },
        }
    }
}
