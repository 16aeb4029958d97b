//! Our own words in a contract: the `x-` keys, each defined here and nowhere else.
//!
//! | key | stands at | says |
//! |---|---|---|
//! | `x-document` | anything | the section of the document that this mirrors, as `Heading / Subheading` |
//! | `x-gaps` | the root | the catalogue of gaps: `id`, `question`, `stated` (`not-shown` or `silent`), `x-document`, `locations` |
//! | `x-gap` | anything | the ids of the gaps that touch this location; the catalogue's `locations` name it in turn |
//! | `x-null` | the schema of a resource in a response | the id of the gap that leaves open whether what is below may be null: the fields of the resource, what is in them, and not the resource itself; elsewhere null is a wrong type |
//! | `x-page` | a list operation | the query parameter `page`, where `page`, `per_page`, `total`, `last_page` and `items` stand in a response, and the `id` within an item: invariant 1 |
//! | `x-invariants` | a create or update operation | invariants 2 to 7, see [`Invariants`] |
//! | `x-edge-cases` | the root, or an operation in its stead | invariant 8: the kinds of edge cases that get no 5xx and a complete response, in the order in which they are sent; see [`EdgeCaseKind`] |
//! | `x-equivalent` | the root | the ways in which a request is written otherwise and is the same: it is accepted as the plain one is; see [`Equivalence`] |
//! | `x-synthetic` | a request field | the text to send, with `{run_tag}` where the run's tag goes |
//!
//! OpenAPI's own `links` carry values from one response into other requests. The index `0` in a link's expression stands
//! for any element. A link from a create carries the identifier of what the run made itself; a link from a list carries
//! values that the target shows to be allowed, and several such links for one field are alternatives.

use serde::Deserialize;

/// The keys of earlier versions, each with its name of today.
pub(super) const RENAMED: [(&str, &str); 2] = [("x-laws", "x-invariants"), ("x-odd", "x-edge-cases")];

/// What stands for the run tag in a text of `x-synthetic`.
pub(crate) const RUN_TAG: &str = "{run_tag}";

/// What stood for it in earlier versions.
pub(super) const RENAMED_RUN_TAG: &str = "{mark}";

/// Something that the document leaves open.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// A stable name.
    pub id: String,
    /// What nobody knows, in one sentence.
    pub question: String,
    /// Whether the document says that it does not show this.
    pub stated: Stated,
    /// The section that says so.
    #[serde(rename = "x-document")]
    pub document: Option<String>,
    /// The locations of the contract that it touches, as JSON pointers.
    pub locations: Vec<String>,
}

/// How the document leaves something open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stated {
    /// It says "not shown".
    NotShown,
    /// It says nothing.
    Silent,
}

/// Invariant 1: how a list is cut into pages. Every field but `parameter` is a JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageInvariant {
    /// The query parameter that asks for a page.
    pub parameter: String,
    /// The page's number in the response.
    pub page: String,
    /// The most items a page holds.
    pub per_page: String,
    /// How many items the whole list has.
    pub total: String,
    /// The number of the last page.
    pub last_page: String,
    /// The array of items.
    pub items: String,
    /// The identifier within an item.
    pub id: String,
}

/// The invariants that bind one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Invariants {
    /// Invariants 2, 3, 4 and 6: what the operation creates.
    pub created: Option<Created>,
    /// Invariant 5: what the operation updates.
    pub updated: Option<Updated>,
    /// Invariant 7: forms of one request field that are all accepted.
    pub accepts: Vec<Accepts>,
}

/// What a create promises of the record that it makes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Created {
    /// Where the created record stands in the response.
    pub resource: String,
    /// Its identifier, within the record.
    pub id: String,
    /// Where it is listed.
    pub listed: Option<Listed>,
    /// Which sent fields it carries.
    #[serde(default)]
    pub carries: Vec<Carry>,
}

/// What an update promises of the record that it changes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Updated {
    /// Where the record is listed; its `owner` is the path parameter that names the record itself.
    pub listed: Listed,
    /// Which sent fields it carries afterwards.
    #[serde(default)]
    pub carries: Vec<Carry>,
}

/// The list in which a created record appears.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    /// The operation that lists, one with `x-page`.
    #[serde(rename = "in")]
    pub operation: String,
    /// The path parameter of the create that names the item under which the record appears; absent when the record is
    /// an item itself.
    pub owner: Option<String>,
    /// The array within that item.
    pub at: Option<String>,
}

/// One sent field and where it comes back.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carry {
    /// The field in the request body; `*` is every element.
    pub sent: String,
    /// The field within the record; `*` is some element.
    pub kept: String,
    /// The gap that allows another spelling; then a difference only warns.
    pub gap: Option<String>,
    /// What makes the two the same.
    #[serde(default)]
    pub same: Same,
}

/// When two values are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Same {
    /// The same JSON value.
    #[default]
    Value,
    /// The same instant, in whichever form and offset.
    Instant,
}

/// A request field that takes several forms.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepts {
    /// The field in the request body.
    pub sent: String,
    /// The forms.
    pub forms: Vec<TimestampForm>,
}

/// Invariant 8: the kinds of edge cases. Each binds the operations whose requests can be one.
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
    BodyText,
    /// A field of the body, of any type, is null.
    FieldNull,
    /// A text in the body is a number.
    FieldNumber,
    /// A text in the body is an object.
    FieldObject,
    /// A field of the body that is no text is one.
    FieldText,
    /// A field of the body is `true`.
    FieldTrue,
    /// An identifier in the path is not of its format.
    IdentifierMalformed,
    /// An identifier in the path is of its format and of no record.
    IdentifierUnknown,
    /// A parameter of the query has no value.
    ParameterEmpty,
    /// A number in the query is 10^18.
    ParameterHuge,
    /// A number in the query is -1.
    ParameterNegative,
    /// A parameter of the query stands there twice, with two values.
    ParameterTwice,
    /// A parameter of the query that is of no free text is a word.
    ParameterWord,
    /// A number in the query is 0.
    ParameterZero,
    /// A text in the body goes beyond ASCII.
    TextBeyondAscii,
    /// A text in the body has control characters.
    TextControl,
    /// A text in the body has 10,000 characters.
    TextLong,
}

impl EdgeCaseKind {
    /// Whether one field of the body is of another type than it is documented with.
    #[must_use]
    pub fn is_of_a_field(self) -> bool {
        matches!(
            self,
            Self::FieldNull | Self::FieldNumber | Self::FieldObject | Self::FieldText | Self::FieldTrue
        )
    }
}

/// A way to write the same request otherwise. Each is shown by one operation, a read or an update of a record of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Equivalence {
    /// The UUID in the path is in capitals.
    IdentifierCase,
    /// Letters and slashes in the body are escaped.
    JsonEscapes,
    /// The members of the body's objects come in other order, with white space around each token.
    JsonOrder,
    /// The media type has a charset.
    MediaTypeCharset,
    /// The scheme of the credential is in small letters.
    SchemeCase,
}

impl Equivalence {
    /// What is otherwise.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::IdentifierCase => "the UUID in capitals",
            Self::JsonEscapes => "JSON with escapes",
            Self::JsonOrder => "JSON in another order, with white space",
            Self::MediaTypeCharset => "a charset in the media type",
            Self::SchemeCase => "the scheme in small letters",
        }
    }

    /// What says that it is the same.
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

/// A form of a timestamp by ISO 8601.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimestampForm {
    /// With a numeric offset from UTC, as `+02:00`.
    Offset,
    /// In UTC with the suffix `Z`.
    Utc,
}

impl TimestampForm {
    /// The form's name in facts and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Offset => "numeric offset",
            Self::Utc => "suffix Z",
        }
    }
}
