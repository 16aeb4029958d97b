//! Our own keys in a contract: the `x-` keys, but for two that only comparisons read (docs/keys.md).
//!
//! | key | belongs to | states |
//! |---|---|---|
//! | `x-document` | anything | the section of the document that this mirrors, as `Heading / Subheading` |
//! | `x-gaps` | the root | the catalogue of gaps: `id`, `question`, `stated` (`not-shown` or `silent`), `x-document`, and the `kind` of the question where traffic can answer it; see [`GapKind`] |
//! | `x-gap` | anything | the ids of the gaps that concern this location |
//! | `x-answers` | a location that a gap concerns | what a service answers to its gaps, as an overlay of `learn` states it: the `gap`, the `operation` that showed it, and the `claim` of the answer |
//! | `x-null` | the schema of a record in a response | the id of the gap that leaves open whether null may appear below: in the fields of the record and in what they contain, but not as the record itself; elsewhere null is a wrong type |
//! | `x-page` | a list operation | the invariant of pages: `parameter`, the query parameter that requests one; the pointers `page`, `per_page`, `total`, `last_page` and `items` into a response; and `id`, the pointer within an item |
//! | `x-invariants` | a create or update operation | what is created, updated and accepted, see [`Invariants`] |
//! | `x-edge-cases` | the root, or an operation, which overrides the root | the kinds of edge cases that must get a complete response and no 5xx, in the order in which they are sent; a contract without the key has a few for each operation; see [`EdgeCaseKind`] |
//! | `x-equivalent` | the root | the other ways of writing the same request: each is accepted as the plain one is; see [`Equivalence`] |
//! | `x-synthetic` | a request field | the string to send, with `{run_tag}` where the run tag goes |
//!
//! OpenAPI's own `links` carry values from one response into other requests. The index `0` in a link's expression is
//! any element. A link from a create carries the identifier of what the run itself created; a link from a list carries
//! values that the target shows to be allowed, and several such links to one field are alternatives.
//!
//! Where a key in YAML has another name than its field here, the key keeps the name that contracts already use.

use serde::Deserialize;

/// The keys of earlier versions, each with its current name.
pub(super) const RENAMED: [(&str, &str); 2] = [("x-laws", "x-invariants"), ("x-odd", "x-edge-cases")];

/// The placeholder for the run tag in a value of `x-synthetic`.
pub(crate) const RUN_TAG: &str = "{run_tag}";

/// The placeholder in earlier versions.
pub(super) const RENAMED_RUN_TAG: &str = "{mark}";

/// Something that the document leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// A stable name.
    pub id: String,
    /// What is unknown, in one sentence.
    pub question: String,
    /// How the document leaves it open.
    #[serde(rename = "stated")]
    pub left_open: HowLeftOpen,
    /// The section of the document that leaves it open.
    #[serde(rename = "x-document")]
    pub document_section: Option<String>,
    /// The kind of the question; `None` where no traffic can answer it, only whoever runs the service.
    #[serde(default)]
    pub kind: Option<GapKind>,
    /// The locations of the contract that it concerns, as JSON pointers: those whose `x-gap` or `x-null` names it, in
    /// the order of the document.
    #[serde(skip)]
    pub locations: Vec<String>,
    /// Whether the document does not list it: without `x-gaps`, that is what any OpenAPI document leaves open. `learn`
    /// asks about it; a check does not, unless an overlay states an answer.
    #[serde(skip)]
    pub is_inferred: bool,
}

/// The kind of a question that a gap asks: what counts as an observation, and which answers there are. Which part of
/// the contract it is asked about depends on the locations that name the gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GapKind {
    /// Whether a field accepts any value or only those of a list.
    AllowedValues,
    /// Whether a 401 carries a challenge (`WWW-Authenticate`). The `x-gap` is on the 401 response or, for every
    /// operation, on the security scheme.
    Challenge,
    /// Whether responses are compressed for a client that accepts that.
    Compression,
    /// In which format a field shows and accepts dates.
    DateFormat,
    /// What headers announce of the future of an operation. If none do, only whoever runs the service can answer.
    Deprecation,
    /// Whether a record may be created twice.
    Duplicates,
    /// The media type and the fields of an error.
    ErrorBody,
    /// The statuses that reject a request, each for one reason.
    ErrorConditions,
    /// How long the text in a field may be.
    FieldSizes,
    /// How an identifier is written.
    IdentifierForm,
    /// How long a response takes.
    Latency,
    /// In which order a list shows its items. The `x-gap` is on both the list operation and the timestamp of creation
    /// in an item.
    ListOrder,
    /// Which JSON types the values of a map (an object of which the document lists no fields) have.
    MemberTypes,
    /// Whether fields may be null.
    NullValues,
    /// What a list returns for a page beyond the last.
    PageBeyondLast,
    /// The number of items on a page.
    PageSize,
    /// The rate limit: how many requests are accepted in which period.
    RateLimits,
    /// By which field of a record the entries of an array in a request refer to it, such as a tag by its name or by its
    /// identifier.
    ReferenceEntries,
    /// Which request fields are required.
    RequiredFields,
    /// What else a write does.
    SideEffect,
    /// The status of a success.
    SuccessStatus,
    /// How a timestamp is written.
    TimestampForm,
    /// Whether an identifier that names no record is rejected.
    UnknownReferences,
    /// Whether request fields that are not documented are rejected.
    UnknownRequestFields,
    /// The body of the response to an update.
    UpdateResponseBody,
    /// What an update does to the fields that it omits.
    UpdateSemantics,
    /// Whether a value is shown as it was sent.
    ValueSpelling,
    /// When a list shows what was created.
    VisibilityDelay,
}

/// How the document leaves something open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HowLeftOpen {
    /// It says "not shown".
    NotShown,
    /// It says nothing.
    Silent,
}

/// How a list is divided into pages. Every field but `parameter` is a JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageInvariant {
    /// The query parameter that requests a page.
    pub parameter: String,
    /// The page number in the response.
    pub page: String,
    /// The maximum number of items on a page.
    pub per_page: String,
    /// The number of items in the whole list.
    pub total: String,
    /// The number of the last page.
    pub last_page: String,
    /// The array of items.
    pub items: String,
    /// The identifier within an item.
    pub id: String,
}

/// The invariants that apply to one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Invariants {
    /// What the operation creates: where it is listed, what it carries, how it is identified.
    pub created: Option<Created>,
    /// What the operation updates.
    pub updated: Option<Updated>,
    /// Timestamp formats of one request field that are all accepted.
    #[serde(rename = "accepts")]
    pub accepted_timestamp_formats: Vec<AcceptedTimestampFormats>,
}

/// What a create promises about the record that it creates.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Created {
    /// The location of the created record in the response.
    pub resource: String,
    /// Its identifier, within the record.
    pub id: String,
    /// The list that contains it.
    pub listed: Option<Listed>,
    /// The sent fields that it carries.
    #[serde(default)]
    pub carries: Vec<Carry>,
}

/// What an update promises about the record that it changes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Updated {
    /// The list that contains the record. Its [`Listed::item_parameter`] (`owner` in YAML) names the record itself,
    /// not, as for a create, the item in which the record appears.
    pub listed: Listed,
    /// The sent fields that the record carries afterwards.
    #[serde(default)]
    pub carries: Vec<Carry>,
}

/// The list in which a created or updated record appears.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// The name of the list operation; it has `x-page`.
    #[serde(rename = "in")]
    pub operation: String,
    /// The path parameter that names the item of the list: for a create, the item in which the record appears; for an
    /// update, the record itself. Absent when a created record is an item itself.
    #[serde(rename = "owner")]
    pub item_parameter: Option<String>,
    /// The pointer to the array of records within that item.
    #[serde(rename = "at")]
    pub records_in_item: Option<String>,
}

/// A *carry*: a field that is sent, and where in the record it must come back with the same value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carry {
    /// The field in the request body; `*` is every element.
    pub sent: String,
    /// The field within the record; `*` is some element.
    #[serde(rename = "kept")]
    pub returned_at: String,
    /// The gap that allows another spelling; where there is one, a difference only warns.
    pub gap: Option<String>,
    /// When the two count as equal.
    #[serde(default, rename = "same")]
    pub equality: Equality,
}

impl Carry {
    /// Whether the value must come back as it was sent: no gap allows another spelling.
    #[must_use]
    pub fn comes_back_as_sent(&self) -> bool {
        self.gap.is_none()
    }
}

/// When two values count as equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Equality {
    /// The same JSON value.
    #[default]
    Value,
    /// The same instant, in any format and with any offset.
    Instant,
    /// The same letters and digits, in either case. Only inferred: a service may trim the strings of an array, or write
    /// them in lower case with hyphens.
    #[serde(skip_deserializing)]
    Letters,
    /// The same URL by the normalisation of RFC 3986, sections 6.2.2 and 6.2.3. Only inferred.
    #[serde(skip_deserializing)]
    Url,
}

/// A request field that accepts timestamps in several formats.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedTimestampFormats {
    /// The field in the request body.
    pub sent: String,
    /// The formats.
    #[serde(rename = "forms")]
    pub formats: Vec<TimestampFormat>,
}

/// The kinds of edge cases. Each applies to the operations that have such a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeCaseKind {
    /// The body is an array.
    BodyArray,
    /// The body is 1,000 levels deep.
    BodyDeep,
    /// The body is empty.
    BodyEmpty,
    /// The body is not JSON.
    BodyNotJson,
    /// The body is a number.
    BodyNumber,
    /// The body is a string.
    #[serde(rename = "body-text")]
    BodyString,
    /// A field of the body, of any type, is null.
    FieldNull,
    /// A string in the body is replaced by a number.
    FieldNumber,
    /// A string in the body is replaced by an object.
    FieldObject,
    /// A field of the body that is not a string is replaced by one.
    #[serde(rename = "field-text")]
    FieldString,
    /// A field of the body is `true`.
    FieldTrue,
    /// A number that identifies a record in the path does not fit in 64 bits.
    IdentifierHuge,
    /// An identifier in the path does not follow its format.
    IdentifierMalformed,
    /// An identifier in the path follows its format and names no record.
    IdentifierUnknown,
    /// A query parameter has no value.
    ParameterEmpty,
    /// A number in a query parameter is 10^18.
    ParameterHuge,
    /// A number in a query parameter is -1.
    ParameterNegative,
    /// A query parameter appears twice, with two values.
    ParameterTwice,
    /// A query parameter that does not take free text is a word.
    ParameterWord,
    /// A number in a query parameter is 0.
    ParameterZero,
    /// A string in the body contains characters beyond ASCII.
    #[serde(rename = "text-beyond-ascii")]
    NonAsciiString,
    /// A string in the body contains control characters.
    #[serde(rename = "text-control")]
    StringWithControlCharacters,
    /// A string in the body has 10,000 characters.
    #[serde(rename = "text-long")]
    LongString,
}

impl EdgeCaseKind {
    /// Whether the request has the form of a documented one except for one value, so that the layer that parses
    /// requests passes it on to the operation.
    #[must_use]
    pub fn reaches_operation(self) -> bool {
        self.changes_field_type()
            || matches!(
                self,
                Self::IdentifierUnknown
                    | Self::ParameterHuge
                    | Self::ParameterNegative
                    | Self::ParameterWord
                    | Self::ParameterZero
            )
    }

    /// Whether the edge case is about a parameter, so that the body, if there is one, is an ordinary one.
    #[must_use]
    pub fn is_of_a_parameter(self) -> bool {
        matches!(
            self,
            Self::IdentifierHuge
                | Self::IdentifierMalformed
                | Self::IdentifierUnknown
                | Self::ParameterEmpty
                | Self::ParameterHuge
                | Self::ParameterNegative
                | Self::ParameterTwice
                | Self::ParameterWord
                | Self::ParameterZero
        )
    }

    /// Whether the edge case gives one field of the body a type other than its documented one.
    #[must_use]
    pub fn changes_field_type(self) -> bool {
        matches!(
            self,
            Self::FieldNull | Self::FieldNumber | Self::FieldObject | Self::FieldString | Self::FieldTrue
        )
    }
}

/// A spelling of a request that RFCs define as equivalent to the plain one. Each is tested on one operation: a read, or
/// an update of one of the run's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Equivalence {
    /// The UUID in the path is in capitals.
    IdentifierCase,
    /// Letters and slashes in the body are escaped.
    JsonEscapes,
    /// The members of the body's objects are in another order, with white space around each token.
    JsonOrder,
    /// The media type has a charset.
    MediaTypeCharset,
    /// The scheme of the credential is in lower case.
    SchemeCase,
}

impl Equivalence {
    /// Describes what differs.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::IdentifierCase => "the UUID in capitals",
            Self::JsonEscapes => "JSON with escapes",
            Self::JsonOrder => "JSON in another order, with white space",
            Self::MediaTypeCharset => "a charset in the media type",
            Self::SchemeCase => "the scheme in lower case",
        }
    }

    /// Returns the source that defines the two spellings as equivalent.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::IdentifierCase => "RFC 9562, section 4",
            Self::JsonEscapes => "RFC 8259, section 7",
            Self::JsonOrder => "RFC 8259, sections 2 and 4",
            Self::MediaTypeCharset => "RFC 8259, section 11",
            Self::SchemeCase => "RFC 9110, section 11.1",
        }
    }
}

/// A format of a timestamp by ISO 8601.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimestampFormat {
    /// With a numeric offset from UTC, as `+02:00`.
    Offset,
    /// In UTC with the suffix `Z`.
    Utc,
}

impl TimestampFormat {
    /// Returns the format in which a timestamp is written (RFC 3339, section 5.6); `None` where it is in neither.
    #[must_use]
    pub fn of(timestamp: &str) -> Option<Self> {
        let (_, time) = timestamp.split_once(['T', 't'])?;
        if time.ends_with(['Z', 'z']) {
            return Some(Self::Utc);
        }
        time.contains(['+', '-']).then_some(Self::Offset)
    }

    /// Returns the format's name in facts and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Offset => "numeric offset",
            Self::Utc => "suffix Z",
        }
    }
}
