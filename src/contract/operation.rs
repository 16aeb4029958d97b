//! Describes one operation of a contract: how it is called and what it responds. The main type is [`Operation`].

use std::fmt;

use super::document::{Document, Node};
use super::edge_case::EdgeCase;
use super::fact::FactId;
use super::field::RequestField;
use super::load::{essence, is_json, resolve};
use super::shape::ShapeId;
use super::vocabulary::{AcceptedTimestampFormats, Invariants, PageInvariant};

/// The index of an operation in [`Contract::operations`](super::Contract::operations).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub usize);

/// One method on one path.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The `operationId`, or method and path where the contract gives none.
    pub name: String,
    /// The method.
    pub method: Method,
    /// The path template.
    pub path: String,
    /// The operation's location in the contract.
    pub pointer: String,
    /// The parameters, those of the path item included.
    pub parameters: Vec<Parameter>,
    /// The JSON body that it takes.
    pub request_body: Option<RequestBody>,
    /// Its documented responses, in the order of the contract.
    pub responses: Vec<DocumentedResponse>,
    /// How a caller authenticates.
    pub security: Security,
    /// How its list is divided into pages.
    pub page: Option<PageInvariant>,
    /// The other invariants that apply to it.
    pub invariants: Invariants,
    /// The edge cases that it must withstand, in the order in which they are sent.
    pub edge_cases: Vec<EdgeCase>,
    /// The fields of the JSON body that it takes; empty unless the contract lists edge cases for it or it is a query.
    pub fields: Vec<RequestField>,
    /// Whether it is a `POST` that reads; see [`Self::is_query`].
    pub(super) reads_by_post: bool,
    /// Whether a text about it or its success says that it streams.
    pub(super) is_said_to_stream: bool,
    /// The URL of a server that the operation or its path states for itself, and the document does not state for all.
    pub other_server: Option<String>,
    /// The path parameter that names the record which it creates, if the caller chooses that name; see
    /// [`Self::new_record_name_parameter`].
    pub(super) chosen: Option<usize>,
}

impl Operation {
    /// Whether it is meant to create a record: it is a `POST` and no query, or its caller chooses the record's
    /// identifier ([`Self::new_record_name_parameter`]). An update may create one too.
    #[must_use]
    pub fn creates(&self) -> bool {
        (self.method == Method::Post && !self.reads_by_post) || self.new_record_name_parameter().is_some()
    }

    /// Whether the request may have stored a record even if its response is a failure, so that it counts against the
    /// records that a run may leave (`max_writes`), and is sent again only after a response that clearly rejected it.
    /// True of a create, and of a query, which may turn out to be one.
    #[must_use]
    pub fn may_store(&self) -> bool {
        self.creates() || self.is_query()
    }

    /// Returns the index of the path parameter that has the name of the record which the operation creates, if the
    /// caller makes up that name, as in `PUT /pets/{name}`. `None` also if a value is given for the parameter.
    #[must_use]
    pub fn new_record_name_parameter(&self) -> Option<usize> {
        let is_given = |index: &usize| {
            self.parameters
                .get(*index)
                .is_some_and(|parameter| parameter.set_by_user.is_some())
        };
        self.chosen.filter(|index| !is_given(index))
    }

    /// Returns the path of the collection in which the operation creates a record: its own, or the one before the name
    /// that the caller chooses.
    #[must_use]
    pub fn collection_path(&self) -> &str {
        let name = self.chosen.and_then(|index| self.parameters.get(index));
        let before = name.and_then(|name| self.path.split_once(&format!("{{{}}}", name.name)));
        before.map_or(&self.path, |(before, _)| before)
    }

    /// Returns the pointer of the path item that it is in.
    pub(super) fn path_item_pointer(&self) -> &str {
        self.pointer.rsplit_once('/').map_or("", |(path_item, _)| path_item)
    }

    /// Returns the timestamp formats that are all accepted in one field of its request: the first field for which the
    /// contract states some.
    #[must_use]
    pub fn accepted_timestamp_formats(&self) -> Option<&AcceptedTimestampFormats> {
        self.invariants.accepted_timestamp_formats.first()
    }

    /// Whether it is a query: a `POST` that reads what its body asks for, as far as the document says so without doubt,
    /// such as `POST /pets/search`. Only a run that may write sends it.
    #[must_use]
    pub fn is_query(&self) -> bool {
        self.reads_by_post
    }

    /// Whether a success may be a stream, which may never end, by its documented media types or by what the document
    /// says of it.
    #[must_use]
    pub fn may_stream(&self) -> bool {
        let mut kinds = self.successes().flat_map(|response| &response.media_types);
        self.is_said_to_stream || kinds.any(|kind| is_stream(kind))
    }

    /// Whether each success with a body is a stream.
    #[must_use]
    pub fn always_streams(&self) -> bool {
        let mut kinds = self.successes().flat_map(|response| &response.media_types).peekable();
        kinds.peek().is_some() && kinds.all(|kind| is_stream(kind))
    }

    /// Whether its method is `GET`, the one safe method that is sent: what is safe changes nothing in the target (RFC
    /// 9110, section 9.2.1).
    #[must_use]
    pub fn is_get(&self) -> bool {
        self.method == Method::Get
    }

    /// Whether the contract states invariants for what the operation writes. Then the meaning of its links is known.
    #[must_use]
    pub fn has_invariants(&self) -> bool {
        self.invariants.created.is_some() || self.invariants.updated.is_some()
    }

    /// Whether it reads: what it responds with is somebody's record, and not what it has created. It is a `GET`, or a
    /// query ([`Self::is_query`]), which is sent as carefully as a write.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.is_get() || self.is_query()
    }

    /// Returns the response that documents this status: the exact one first, then its class, then `default`.
    #[must_use]
    pub fn response(&self, status: u16) -> Option<&DocumentedResponse> {
        let rank = |response: &&DocumentedResponse| response.status.rank(status);
        self.responses
            .iter()
            .filter(|response| rank(response).is_some())
            .min_by_key(rank)
    }

    /// Returns the response that documents this status by itself, and not by a class or `default`.
    #[must_use]
    pub fn response_of_exactly(&self, status: u16) -> Option<&DocumentedResponse> {
        let mut responses = self.responses.iter();
        responses.find(|response| response.status == StatusPattern::Exact(status))
    }

    /// Returns the response that documents what a response of this status contains; `None` also where that is not
    /// certain. Next to a documented success, `default` documents the errors, and without one the success. A 502, a 503
    /// and a 504 may come from something in front of the service (RFC 9110, sections 15.6.3 to 15.6.5), of which
    /// `default` says nothing.
    #[must_use]
    pub fn certain_response(&self, status: u16) -> Option<&DocumentedResponse> {
        let documents = |response: &&DocumentedResponse| match (response.status, self.successes().next()) {
            (StatusPattern::Default, Some(_)) => matches!(status, 400..=501 | 505..),
            (StatusPattern::Default, None) => is_success(status),
            _ => true,
        };
        self.response(status).filter(documents)
    }

    /// Returns the [certain response](Self::certain_response) of this status, if it documents a body. A response to
    /// `HEAD` has no body, whatever the document says (RFC 9110, section 9.3.2).
    #[must_use]
    pub fn response_with_body(&self, status: u16) -> Option<&DocumentedResponse> {
        let response = self.certain_response(status)?;
        // A 204 under `2XX` lacks the body that every success has by the document.
        let may_have_body = response.status.is_success() || !StatusPattern::Exact(status).never_has_body();
        (may_have_body && self.method != Method::Head && !response.media_types.is_empty()).then_some(response)
    }

    /// Returns the documented responses that are a success.
    pub fn successes(&self) -> impl Iterator<Item = &DocumentedResponse> {
        self.responses.iter().filter(|response| response.status.is_success())
    }

    /// Returns the shape of the body of the first documented success that has one.
    pub(crate) fn success_body(&self) -> Option<ShapeId> {
        self.successes().find_map(|response| response.body)
    }

    /// Whether the status is a documented success: one of the 2xx that the contract names, or any 2xx where it names
    /// none.
    #[must_use]
    pub fn succeeds_with(&self, status: u16) -> bool {
        let mut successes = self.successes().peekable();
        if successes.peek().is_none() {
            return is_success(status);
        }
        successes.any(|response| response.status.rank(status).is_some())
    }

    /// Returns the media types that a request asks for: those of all documented responses, each once and in the order
    /// of the contract; `application/json` if none is documented. Where there is a choice, JSON of a success is
    /// preferred, because it decides the most, and then any other success.
    #[must_use]
    pub fn accept(&self) -> String {
        let mut accepted: Vec<(&str, u8)> = Vec::new();
        for response in &self.responses {
            let success = response.status.is_success();
            for media_type in response
                .media_types
                .iter()
                .filter(|media_type| is_acceptable(media_type))
            {
                // The weight, in tenths.
                let weight = if success && is_json(media_type) {
                    10
                } else {
                    8 + u8::from(success)
                };
                match accepted.iter_mut().find(|(known, _)| known == media_type) {
                    Some((_, known)) => *known = weight.max(*known),
                    None => accepted.push((media_type, weight)),
                }
            }
        }
        let most = accepted.iter().map(|(_, weight)| *weight).max();
        let weighed = accepted.iter().map(|(media_type, weight)| {
            if Some(*weight) == most {
                (*media_type).to_owned()
            } else {
                format!("{media_type};q=0.{weight}")
            }
        });
        let weighed: Vec<_> = weighed.collect();
        if weighed.is_empty() {
            JSON.to_owned()
        } else {
            weighed.join(", ")
        }
    }

    /// Returns the media type in which a request sends its body; `application/json` if the operation takes no JSON
    /// body.
    #[must_use]
    pub fn content_type(&self) -> &str {
        self.request_body.as_ref().map_or(JSON, RequestBody::content_type)
    }

    /// Returns the successes in words: `201`, `2XX`, `200 or 204`.
    #[must_use]
    pub fn success_statuses(&self) -> String {
        let statuses: Vec<_> = self.successes().map(|response| response.status.to_string()).collect();
        if statuses.is_empty() {
            "2XX".to_owned()
        } else {
            statuses.join(" or ")
        }
    }
}

impl RequestBody {
    /// Returns the media type in which a request sends the body: the documented one, or `application/json` if that is a
    /// range, such as `application/*+json`, or cannot stand in a header.
    #[must_use]
    pub fn content_type(&self) -> &str {
        let documented = &self.media_type;
        if is_acceptable(documented) && !documented.contains('*') {
            documented
        } else {
            JSON
        }
    }
}

/// The media type of JSON (RFC 8259, section 11).
pub(crate) const JSON: &str = "application/json";

/// Whether a documented media type can be an element of `Accept` (RFC 9110, section 12.5.1).
fn is_acceptable(media_type: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_graphic() || character == ' ';
    media_type.contains('/') && !media_type.contains(',') && media_type.chars().all(is_plain)
}

/// The media types of streams: of events, and of JSON values, each in a line or record of its own (RFC 7464).
const STREAMS: [&str; 6] = [
    "application/json-seq",
    "application/jsonl",
    "application/ndjson",
    "application/stream+json",
    "application/x-ndjson",
    "text/event-stream",
];

/// Whether a documented media type, with or without parameters such as `charset`, is that of a stream.
fn is_stream(media_type: &str) -> bool {
    STREAMS.contains(&&*essence(media_type))
}

/// An HTTP method that OpenAPI 3.0 has a key for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// `DELETE`.
    Delete,
    /// `GET`.
    Get,
    /// `HEAD`.
    Head,
    /// `OPTIONS`.
    Options,
    /// `PATCH`.
    Patch,
    /// `POST`.
    Post,
    /// `PUT`.
    Put,
    /// `TRACE`.
    Trace,
}

impl Method {
    /// The names of the methods in a path item.
    pub(super) const KEYS: [&str; 8] = ["delete", "get", "head", "options", "patch", "post", "put", "trace"];

    /// Returns the method for its lower-case name in a path item.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Some(match key {
            "delete" => Self::Delete,
            "get" => Self::Get,
            "head" => Self::Head,
            "options" => Self::Options,
            "patch" => Self::Patch,
            "post" => Self::Post,
            "put" => Self::Put,
            "trace" => Self::Trace,
            _ => return None,
        })
    }

    /// Returns the method's name in a request.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delete => "DELETE",
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Patch => "PATCH",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Trace => "TRACE",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A parameter of an operation.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Where it goes.
    pub location: ParameterLocation,
    /// Whether a call must include it.
    pub required: bool,
    /// The parameter's location in the contract.
    pub pointer: String,
    /// The media type in which its value is written, where the contract states one (OpenAPI 3.0.3, section 4.7.12.4).
    pub media_type: Option<String>,
    /// The location of its schema, where it has one.
    pub schema: Option<String>,
    /// A value from the contract itself: an example, a default or an allowed value.
    pub example: Option<serde_json::Value>,
    /// The value that the user gives it, which takes precedence over all others.
    pub set_by_user: Option<serde_json::Value>,
}

impl Parameter {
    /// Whether the parameter goes to this location under this name. Names of headers are case-insensitive (RFC 9110,
    /// section 5.1).
    #[must_use]
    pub fn is(&self, location: ParameterLocation, name: &str) -> bool {
        let is_named = match location {
            ParameterLocation::Header => self.name.eq_ignore_ascii_case(name),
            _ => self.name == name,
        };
        self.location == location && is_named
    }
}

/// Names of parameters that request another method, in lower case: a read might write.
const NAMES_OF_METHODS: [&str; 4] = [
    "_method", "x-http-method", "x-http-method-override", "x-method-override",
];

/// Names of headers that request a part of what the document describes, or, from some gateways and frameworks, another
/// method or path, in lower case. A query parameter called `range` is a filter, such as that of a chart.
const OVERRIDING_HEADERS: [&str; 10] = [
    "range", "x-forwarded-method", "x-forwarded-uri", "x-http-method-name", "x-original-method", "x-original-uri",
    "x-original-url", "x-range", "x-rewrite-url", "x-tunneled-verb",
];

/// Whether a parameter with this name turns a request into another one than the document describes.
#[must_use]
pub fn turns_into_another_request(location: ParameterLocation, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_named = |names: &[&str]| names.contains(&name.as_str());
    match location {
        ParameterLocation::Header => is_named(&NAMES_OF_METHODS) || is_named(&OVERRIDING_HEADERS),
        ParameterLocation::Cookie | ParameterLocation::Query => is_named(&NAMES_OF_METHODS),
        ParameterLocation::Path => false,
    }
}

/// Where a parameter goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterLocation {
    /// In a cookie.
    Cookie,
    /// In a header.
    Header,
    /// In the path.
    Path,
    /// In the query.
    Query,
}

/// The JSON body that an operation takes.
#[derive(Clone, Debug)]
pub struct RequestBody {
    /// The media type as documented.
    pub media_type: String,
    /// The location of the schema.
    pub schema: Option<String>,
    /// The contract's own example.
    pub example: Option<serde_json::Value>,
    /// Whether the body is an object: the schema states no other type.
    pub is_object: bool,
    /// The other media types in which the document lets it be sent, such as that of a form.
    pub other_media_types: Vec<String>,
}

impl DocumentedResponse {
    /// Whether the response documents a header with this name, in any case.
    pub(super) fn documents_header(&self, document: &Document, name: &str) -> bool {
        let response = document.node(&resolve(document, self.pointer.clone()));
        let headers = response.and_then(|response| response.member("headers"));
        let mut headers = headers.map_or(&[][..], Node::members).iter();
        headers.any(|header| header.name.eq_ignore_ascii_case(name))
    }
}

/// One documented response.
#[derive(Clone, Debug)]
pub struct DocumentedResponse {
    /// The statuses that it documents.
    pub status: StatusPattern,
    /// The response's location in the contract.
    pub pointer: String,
    /// The media types that its body may have; none when no body is documented.
    pub media_types: Vec<String>,
    /// The shape of its JSON body.
    pub body: Option<ShapeId>,
    /// The headers that it documents and that something is stated about.
    pub headers: Vec<DocumentedHeader>,
}

/// A header of a documented response.
#[derive(Clone, Debug)]
pub struct DocumentedHeader {
    /// The name, as the contract writes it; names are case-insensitive (RFC 9110, section 5.1).
    pub name: String,
    /// The fact that it is present, where the contract requires it.
    pub required_fact: Option<FactId>,
    /// The shape of its value.
    pub shape: ShapeId,
    /// Whether its value is written as JSON (`content`), and not in the style `simple` (OpenAPI 3.0.3, section 4.7.21).
    pub is_json: bool,
}

/// A status, a class of them, or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatusPattern {
    /// `2XX`: the first digit.
    Class(u16),
    /// `default`.
    Default,
    /// `201`.
    Exact(u16),
}

impl StatusPattern {
    /// Reads a key of a responses object.
    #[must_use]
    pub fn parse(key: &str) -> Option<Self> {
        if key == "default" {
            return Some(Self::Default);
        }
        if let [class @ b'1'..=b'5', b'X' | b'x', b'X' | b'x'] = key.as_bytes() {
            return Some(Self::Class(u16::from(*class - b'0')));
        }
        key.parse()
            .ok()
            .filter(|status| (100..600).contains(status))
            .map(Self::Exact)
    }

    /// Returns how closely this names the status, 0 being closest; `None` when it does not name it.
    #[must_use]
    pub fn rank(self, status: u16) -> Option<u8> {
        match self {
            Self::Exact(exact) => (exact == status).then_some(0),
            Self::Class(class) => (class == status / 100).then_some(1),
            Self::Default => Some(2),
        }
    }

    /// Whether a response of this status never has a body, whatever a document says (RFC 9110, sections 15.2, 15.3.5,
    /// 15.3.6 and 15.4.5).
    #[must_use]
    pub fn never_has_body(self) -> bool {
        match self {
            Self::Exact(status) => matches!(status, 100..200 | 204 | 205 | 304),
            Self::Class(class) => class == 1,
            Self::Default => false,
        }
    }

    /// Whether this names a success.
    #[must_use]
    pub fn is_success(self) -> bool {
        match self {
            Self::Exact(status) => is_success(status),
            Self::Class(class) => class == 2,
            Self::Default => false,
        }
    }
}

/// Whether a response of this status is a success, documented or not: 2xx (RFC 9110, section 15.3).
pub(crate) const fn is_success(status: u16) -> bool {
    matches!(status, 200..300)
}

impl fmt::Display for StatusPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Class(class) => write!(formatter, "{class}XX"),
            Self::Default => formatter.write_str("default"),
            Self::Exact(status) => write!(formatter, "{status}"),
        }
    }
}

/// How a caller authenticates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Security {
    /// The document states none, or an optional one, but the user says that the service asks for a credential.
    Assumed {
        /// Where the credential goes.
        scheme: SecurityScheme,
    },
    /// Anybody may call.
    None,
    /// Anybody may call, and a caller with a credential may see or do more: one alternative is empty, and another is
    /// this scheme. The credential is sent if there is one.
    Optional {
        /// Where the credential goes.
        scheme: SecurityScheme,
    },
    /// With one credential.
    Scheme {
        /// The scheme's name in the contract.
        name: String,
        /// Where the credential goes.
        scheme: SecurityScheme,
    },
    /// A way that this program does not support.
    Unsupported {
        /// The schemes' names.
        schemes: String,
    },
}

impl Security {
    /// Returns the name of the scheme in the contract, if it states one that can be met.
    #[must_use]
    pub fn scheme_name(&self) -> Option<&str> {
        match self {
            Self::Scheme { name, .. } => Some(name),
            Self::Assumed { .. } | Self::None | Self::Optional { .. } | Self::Unsupported { .. } => None,
        }
    }

    /// Returns the scheme, if a credential is sent.
    #[must_use]
    pub fn scheme(&self) -> Option<&SecurityScheme> {
        match self {
            Self::Assumed { scheme } | Self::Optional { scheme } | Self::Scheme { scheme, .. } => Some(scheme),
            Self::None | Self::Unsupported { .. } => None,
        }
    }

    /// Whether a call needs a credential.
    #[must_use]
    pub fn needs_credential(&self) -> bool {
        !matches!(self, Self::None | Self::Optional { .. })
    }
}

/// Where a request carries its credential, and in which form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecurityScheme {
    /// An API key in a cookie.
    ApiKeyCookie {
        /// The cookie's name.
        name: String,
    },
    /// An API key in a header, without a scheme before it.
    ApiKeyHeader {
        /// The header.
        name: String,
    },
    /// An API key in the query.
    ApiKeyQuery {
        /// The parameter's name.
        name: String,
    },
    /// `Authorization: Basic` with user and password, RFC 7617.
    Basic,
    /// `Authorization: Bearer`, RFC 6750.
    Bearer,
    /// `Authorization` under a scheme that the user names, in place of a bearer token or of an API key in that header.
    Named {
        /// The scheme's name.
        name: String,
    },
}

impl SecurityScheme {
    /// Whether the credential goes into the header `Authorization` under an authentication scheme, so that a 401 can
    /// ask for it by name and another scheme can take its place.
    #[must_use]
    pub fn is_in_authorization_header(&self) -> bool {
        matches!(self, Self::Basic | Self::Bearer | Self::Named { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_pattern_is_read_and_written_alike() {
        for key in ["201", "2XX", "default"] {
            assert_eq!(StatusPattern::parse(key).unwrap().to_string(), key);
        }
        assert_eq!(StatusPattern::parse("2xx"), Some(StatusPattern::Class(2)));
        assert_eq!(StatusPattern::parse("20"), None);
        assert_eq!(StatusPattern::parse("ok"), None);
    }

    #[test]
    fn a_request_asks_for_what_the_responses_document() {
        let accept = |contents: &str| {
            let paths = format!("/things: {{get: {{operationId: get, responses: {{{contents}}}}}}}");
            crate::contract::testing::of_paths(&paths, "").unwrap().operations[0].accept()
        };
        for (contents, expected) in [
            ("'204': {description: a}", "application/json"),
            ("'200': {description: a, content: {text/csv: {}}}", "text/csv"),
            (
                "'200': {description: a, content: {text/csv: {}, application/xml: {}}}",
                "text/csv, application/xml",
            ),
            (
                "'200': {description: a, content: {text/plain: {}, application/json: {}}}, '404': {description: b, \
                 content: {application/json: {}, application/problem+json: {}}}",
                "text/plain;q=0.9, application/json, application/problem+json;q=0.8",
            ),
            ("'200': {description: a, content: {'*/*': {}}}", "*/*"),
            (
                "'200': {description: a, content: {'a, b/c': {}, 'ü/d': {}}}",
                "application/json",
            ),
        ] {
            assert_eq!(accept(contents), expected, "{contents}");
        }
    }

    #[test]
    fn a_parameter_turns_into_another_request_by_its_name_and_location() {
        use ParameterLocation::{Header, Path, Query};
        for (location, name, expected) in [
            (Header, "X-HTTP-Method-Override", true),
            (Query, "_method", true),
            (Header, "Range", true),
            (Header, "X-Range", true),
            (Header, "X-Original-URL", true),
            (Query, "range", false),
            (Path, "_method", false),
            (Header, "Method", false),
        ] {
            assert_eq!(
                turns_into_another_request(location, name),
                expected,
                "{location:?} {name}"
            );
        }
    }

    #[test]
    fn the_exact_status_wins_over_its_class_and_over_default() {
        let patterns = [
            StatusPattern::Default,
            StatusPattern::Class(4),
            StatusPattern::Exact(404),
        ];
        let closest = |status: u16| {
            patterns
                .iter()
                .filter(|pattern| pattern.rank(status).is_some())
                .min_by_key(|pattern| pattern.rank(status))
        };
        assert_eq!(closest(404), Some(&StatusPattern::Exact(404)));
        assert_eq!(closest(400), Some(&StatusPattern::Class(4)));
        assert_eq!(closest(500), Some(&StatusPattern::Default));
    }
}
