//! The statements of a contract that a response can break. The main type is [`Fact`].

use super::operation::{OperationId, StatusPattern};
use super::shared_string::SharedString;
use super::vocabulary::{Equivalence, TimestampFormat};

/// The index of a fact in [`Contract::facts`](super::Contract::facts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactId(pub usize);

/// One statement of the contract that a response can break. A contract may state a hundred thousand, and a report has a
/// row for each, so the facts share their strings with those rows and with each other.
#[derive(Clone, Debug)]
pub struct Fact {
    /// A stable name, which no other fact has: operation, location in the response, what is stated, and a number if
    /// that repeats. `getContacts /data/total: integer`.
    pub name: SharedString,
    /// The operation that it applies to; for a security scheme, the first operation that requires it.
    pub operation: OperationId,
    /// The kind of statement.
    pub kind: FactKind,
    /// The location of the statement in the contract.
    pub location: SharedString,
    /// The pointer in the response, with `*` for any element of an array or member of a map; empty where it is about
    /// the whole response. For a header it is its location (see [`pointer::header`](super::pointer::header)).
    pub response_pointer: SharedString,
    /// What the contract states, in a few words.
    pub documented: SharedString,
}

/// The kinds of facts. Each kind is judged by one rule, except that two rules share the kinds about carried fields:
/// `stored-values`, and `stored-spelling` for fields that a gap lets come back in another spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FactKind {
    /// A field that the contract forbids (`not: {}`) is absent.
    ForbiddenFieldAbsent,
    /// A timestamp in this format is accepted in a request field.
    AcceptsTimestampFormat(TimestampFormat),
    /// The service answers a gap as an overlay states it; the index is that of the answer in the contract.
    Answer(usize),
    /// What the schema states beyond types and names: `enum`, `pattern`, bounds, `oneOf`.
    Assertion,
    /// The response to a create returns a sent field in the created record; the index is that of the carry, in the
    /// invariant `created`.
    Carried(usize),
    /// A 401 says how to authenticate.
    Challenge,
    /// There are no other fields than the documented ones.
    NoOtherFields,
    /// The response to a documented request is complete: it does not end early or time out.
    CompleteResponse,
    /// The read shows the documented default of each field that a create leaves out: inferred from paths and schemas.
    DefaultAfterCreate,
    /// The read shows the documented default of each field that a PUT leaves out, whose text says so.
    DefaultAfterReplace,
    /// The time of its last change is another once an update has changed a record: inferred from paths and schemas.
    ChangeTimeMoves,
    /// The time of its creation stays as it was when a record is updated: inferred from paths and schemas.
    CreationTimeKept,
    /// The response decodes through the typed client.
    Decodes,
    /// An equivalent request (`x-equivalent`), which, by an RFC, means the same as a plain one, is accepted as the
    /// plain one is.
    Equivalent(Equivalence),
    /// The created record's identifier is allowed in the paths into which the contract's links carry it.
    IdentifierFitsPath,
    /// The fields that a PATCH does not send stay as they were: inferred from the operation.
    FieldsKeptByUpdate,
    /// Each item of a list has the value that the query parameter with this index asks for: inferred from names and
    /// schemas.
    Filtered(usize),
    /// Each item of a list has the value of the path parameter with this index: inferred from names and schemas.
    OfRecordInPath(usize),
    /// The identifier belongs to no other record.
    IdentifierUnique,
    /// A record that an operation deleted can no longer be read: inferred from paths and schemas.
    GoneAfterDelete,
    /// The pages of a list without `x-page` are what its parameters ask for: inferred from parameters and schemas.
    InferredPages(PageStatement),
    /// The body of a success is JSON.
    Json,
    /// The body of a response that is not a success is present, and is JSON.
    FailureJson(StatusPattern),
    /// What was created is listed.
    Listed,
    /// The list on the path of a create shows what it created: inferred from paths and schemas.
    InferredListed,
    /// The list on the path of a create shows one record for it, not several: inferred from paths and schemas.
    InferredListedOnce,
    /// After an update, the list on the path of the create shows the record as its read does: inferred from paths and
    /// schemas.
    ListedAsRead,
    /// The list shows the created record with a sent field; the index is that of the carry, in the invariant `created`.
    ListedCarrying(usize),
    /// The media type of a success is documented.
    MediaType,
    /// The body of a response that is not a success is present, and its media type is documented.
    FailureMediaType(StatusPattern),
    /// No 5xx.
    NoServerError,
    /// A call without a credential is rejected.
    RejectsNoCredential,
    /// Edge cases get complete responses.
    EdgeCaseCompleteResponse,
    /// Edge cases get no 5xx.
    EdgeCaseNoServerError,
    /// A create adds one record, an update none.
    NoExtraRecord,
    /// A deletion leaves another record of the run as it was: inferred from paths and schemas.
    OtherKeptByDelete,
    /// An update leaves another record of the run as it was: inferred from paths and schemas.
    OtherKeptByUpdate,
    /// The right token under another authentication scheme (`Basic` in place of `Bearer`) is rejected.
    RejectsOtherScheme,
    /// Of a create: nothing of the record appears under another item of the list. Of an update: no other item changes.
    NotElsewhere,
    /// The page is the requested one.
    PageAsked,
    /// The page is 1 when none is requested.
    PageDefault,
    /// Where `total` is a multiple of `per_page`, the last page is full, and `last_page` counts none after it.
    PageFull,
    /// `last_page` agrees with `total` and `per_page`.
    PageLast,
    /// No page holds more than `per_page`.
    PageSize,
    /// The walk yields `total` items.
    PageTotal,
    /// No two pages share an item.
    PageUnique,
    /// A field is present.
    Present,
    /// What was created can be read by its identifier: inferred from paths and schemas.
    ReadAfterCreate,
    /// The read shows the created record with a sent field; the index is that of the carry, in the create's lifecycle.
    ReadAfterCreateCarrying(usize),
    /// The read shows the updated record with a sent field; the index is that of the carry, in the update's lifecycle.
    ReadAfterUpdateCarrying(usize),
    /// The response to a create shows what was sent, if the read does: inferred from paths and schemas.
    ResponseAfterCreate,
    /// The response to an update shows what was sent, if the read does: inferred from paths and schemas.
    ResponseAfterUpdate,
    /// The same PUT, sent twice, has the effect of one: inferred from paths and schemas.
    SameAfterRepeatedUpdate,
    /// A record that an operation deleted is no longer listed: inferred from paths and schemas.
    UnlistedAfterDelete,
    /// The items of a list are in the order that the query parameter with this index asks for: inferred from names and
    /// schemas.
    Sorted(usize),
    /// The status is documented.
    Status,
    /// A value has its type.
    Type,
    /// The list shows the updated record with a sent field; the index is that of the carry, in the invariant `updated`.
    ListedAfterUpdateCarrying(usize),
    /// A wrong token is rejected.
    RejectsWrongToken,
}

/// What is stated of the pages of a list without `x-page`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageStatement {
    /// The number of pages that a response states agrees with the size that is asked for.
    Count,
    /// A walk comes to an end: it does not show the same page again and again.
    Ends,
    /// No page holds more than is asked for.
    Size,
    /// The total that a response states is the number of records on all pages together.
    Total,
    /// No two pages share a record.
    Unique,
    /// Together, the pages have each record that a request without the parameters shows.
    Whole,
}

impl FactKind {
    /// Whether an operation may have several facts of this kind, one for each location in its responses.
    pub(super) fn is_of_a_location(self) -> bool {
        matches!(
            self,
            Self::ForbiddenFieldAbsent | Self::Assertion | Self::NoOtherFields | Self::Present | Self::Type
        )
    }
}
