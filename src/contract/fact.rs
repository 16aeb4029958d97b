//! The statements of a contract that a response can break. The main type is [`Fact`].

use super::operation::{OperationId, StatusPattern};
use super::texts::Text;
use super::vocabulary::{Equivalence, TimestampForm};

/// A fact's place in [`Contract::facts`](super::Contract::facts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactId(pub usize);

/// One statement of the contract that a response can break. A contract may state a hundred thousand, and a report has a row
/// for each: the texts are shared with those rows, and equal ones among the facts.
#[derive(Clone, Debug)]
pub struct Fact {
    /// A stable name: operation, location in the response, what is stated. `getContacts /data/total: integer`.
    pub name: Text,
    /// The operation that it binds; the first that needs it where it binds a security scheme.
    pub operation: OperationId,
    /// What kind of statement it is.
    pub kind: FactKind,
    /// Where it stands in the contract.
    pub location: Text,
    /// The pointer in the response, with `*` for any element; empty where it is about the whole response.
    pub pattern: Text,
    /// What the contract states, in a few words.
    pub documented: Text,
}

/// The kinds of facts. Each kind is judged by one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FactKind {
    /// A field that must not be there.
    Absent,
    /// A form of a request field is accepted.
    Accepts(TimestampForm),
    /// What stands in the schema beyond types and names: `enum`, `pattern`, bounds, `oneOf`.
    Assertion,
    /// The created record carries a sent field; the index is that of the invariant's list.
    Carried(usize),
    /// A 401 says how to authenticate.
    Challenge,
    /// No other field than the documented ones.
    Closed,
    /// The response arrives whole.
    Complete,
    /// The response decodes through the typed client.
    Decodes,
    /// A request that is written otherwise is accepted as the plain one is.
    Equivalent(Equivalence),
    /// The created record's identifier serves where the contract's links lead it.
    IdentifierServes,
    /// The identifier belongs to no other record.
    IdentifierUnique,
    /// The body of a success is JSON.
    Json,
    /// The body of this other response is JSON, and there.
    JsonOf(StatusPattern),
    /// What was created is listed.
    Listed,
    /// The listed record carries a sent field; the index is that of the invariant's list.
    ListedCarrying(usize),
    /// The media type of a success is documented.
    MediaType,
    /// The media type of this other response is documented, and its body is there.
    MediaTypeOf(StatusPattern),
    /// No 5xx.
    NoServerError,
    /// A call without a credential is rejected.
    NoCredential,
    /// Edge cases get complete responses.
    EdgeCaseComplete,
    /// Edge cases get no 5xx.
    EdgeCaseNoServerError,
    /// A create adds one record, an update none.
    Once,
    /// A credential under another scheme is rejected.
    OtherScheme,
    /// Nothing of it shows under another item of the list.
    NotElsewhere,
    /// The page is the one asked for.
    PageAsked,
    /// The page is 1 when none is asked for.
    PageDefault,
    /// A full last page is the last one: where `total` is a multiple of `per_page`.
    PageFull,
    /// `last_page` agrees with `total` and `per_page`.
    PageLast,
    /// No page holds more than `per_page`.
    PageSize,
    /// The walk yields `total` items.
    PageTotal,
    /// No two pages share an item.
    PageUnique,
    /// A field is there.
    Present,
    /// The status is documented.
    Status,
    /// A value has its type.
    Type,
    /// The updated record carries a sent field in the list; the index is that of the invariant's list.
    UpdatedCarrying(usize),
    /// A wrong token is rejected.
    WrongToken,
}

impl FactKind {
    /// Whether an operation may have several facts of this kind, one for each location of its responses.
    pub(super) fn is_of_a_location(self) -> bool {
        matches!(
            self,
            Self::Absent | Self::Assertion | Self::Closed | Self::Present | Self::Type
        )
    }
}
