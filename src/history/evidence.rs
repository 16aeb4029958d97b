//! Describes what several exchanges show together. The history makes this evidence; rules only read it.
//!
//! Pointers are *indexed*: see [`pointer::element`](crate::contract::pointer::element).

use std::sync::Arc;

use serde_json::Value;

use crate::contract::Contract;
use crate::contract::fact::FactKind;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::{Carry, Created, Equivalence, TimestampFormat, Updated};
use crate::exchange::{Credential, Digest, Exchange, Intent, Purpose, Request, identifier};

/// What several exchanges show together, with the request that shows it.
#[derive(Clone, Debug)]
pub enum Evidence<'seen> {
    /// What a list shows of a write at the end of the run.
    FinalListing(FinalListing<'seen>, &'seen Request),
    /// A record in the response to a create.
    Creation(Creation<'seen>),
    /// The exchange of an equivalent request: one that RFCs define to mean the same as a plain one.
    Equivalent(EquivalenceOutcome, &'seen Exchange),
    /// A request field that was sent in a timestamp format.
    Format(FormatOutcome, &'seen Request),
    /// The look for a created record in its list.
    CreatedObservation(CreatedObservation<'seen>, &'seen Request),
    /// A record that a list left out, with the request whose response should have shown it.
    LeftOut(LeftOut, &'seen Request),
    /// What a read or a list shows of a record that the run created, updated or deleted, by an inferred lifecycle.
    Record(RecordShown<'seen>, &'seen Request),
    /// A record that shows what a rejected create or update sent, or that a rejected deletion has deleted.
    StoredDespiteRejection(StoredDespiteRejection<'seen>, &'seen Request),
    /// Records that a write reached without naming them, and that a list had shown before.
    StrayWrite(StrayWrite<'seen>, &'seen Request),
    /// The look for an updated record in its list.
    UpdateObservation(UpdateObservation<'seen>, &'seen Request),
    /// A walk over the pages of a list.
    Walk(&'seen Walk),
}

/// A record that a list showed before and after it left the record out twice, in response to a request with one more
/// query parameter.
#[derive(Clone, Copy, Debug)]
pub struct LeftOut {
    /// The list.
    pub operation: OperationId,
    /// The kind of fact that this parameter is about.
    pub kind: FactKind,
}

/// A walk over the pages of one list.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The list.
    pub operation: OperationId,
    /// The pages, sorted by number; the default page, which is requested without a number, comes first.
    pub pages: Vec<PageSeen>,
    /// How the walk ended.
    pub end: WalkEnd,
    /// The maximum number of pages that are walked.
    pub max_pages: u64,
    /// What an earlier walk over the same list shows about this one.
    pub stability: Stability,
    /// Whether it belongs to the search for residue at the end of a run. Only the stated `total` and `last_page` are
    /// judged then, because items may be what edge cases stored.
    pub is_residue_walk: bool,
}

/// Whether a list stayed the same from one walk to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stability {
    /// There was no other walk to compare with, or only later pages of the two differ.
    #[default]
    Unknown,
    /// An earlier walk showed the same totals, page by page: if the pages of one walk disagree, the reason is not that
    /// the list changed. For inferred pages it also ended the same way and showed the same items.
    Stable,
    /// The first page of an earlier walk showed another total, or the order changed and later instants appeared, as in
    /// a list that is sorted by the time of the last update. For inferred pages, anything that differs counts.
    Unstable,
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkEnd {
    /// Every page was seen.
    Complete,
    /// The record was found before every page was seen, only selected pages were requested, or the list has too few
    /// records for several pages: in none of these cases did a page fail to come.
    SeenEnough,
    /// The response to a page had this status.
    Rejected(u16),
    /// Like [`Self::Rejected`], for a request without a credential.
    RejectedWithoutCredential(u16),
    /// A page repeated what an earlier page showed, and the next one would do so too.
    Repeats,
    /// The list could not be requested: something in its path has no value.
    Unsent,
    /// There are more pages than a walk covers.
    TooManyPages,
    /// A page got no response; a walk over a whole list begins with this, until its first page comes.
    NoResponse,
    /// The body of a page could not be read: it is not JSON, or is larger than the limit.
    Unread,
    /// A page did not show what a walk needs: its last page, or an identifier for each item.
    Unusable,
}

/// One page, as the walk saw it.
#[derive(Clone, Debug)]
pub struct PageSeen {
    /// The number of the requested page; `None` for the default.
    pub asked: Option<u64>,
    /// The request for the list without a page number: one for all pages of a walk, because there may be very many.
    /// Each inferred page has its own request instead.
    pub request: Arc<Request>,
    /// The page number in the response.
    pub page: Option<i64>,
    /// The maximum number of items on a page, as the response states it; for inferred pages, the requested number.
    pub per_page: Option<i64>,
    /// The total number of items.
    pub total: Option<i64>,
    /// The number of the last page; for inferred pages, the number of pages that the response states.
    pub last_page: Option<i64>,
    /// Whether the response has an array of items.
    pub has_item_array: bool,
    /// A digest of each item's identifier, in order; `None` where an item has no identifier.
    pub items: Vec<Option<Digest>>,
    /// The latest instant in any item, in microseconds since 1970, such as when one of them was updated last. Inferred
    /// pages need none.
    pub latest: Option<i64>,
    /// For inferred pages, the size of a page that the response states.
    pub stated_size: Option<i64>,
}

impl PageSeen {
    /// Returns the request for this page.
    #[must_use]
    pub fn request(&self, contract: &Contract) -> Request {
        let invariant = contract.operation(self.request.operation).page.as_ref();
        match invariant.zip(self.asked) {
            // In recorded traffic the request may already have a page number, which this replaces.
            Some((invariant, asked)) => self.request.with_query_value(&invariant.parameter, &asked.to_string()),
            None => Request::clone(&self.request),
        }
    }

    /// Whether the page shows its items, each with its identifier.
    #[must_use]
    pub fn shows_items(&self) -> bool {
        self.has_item_array && self.items.iter().all(Option::is_some)
    }
}

impl Walk {
    /// Returns the digest of each item's identifier.
    pub fn items(&self) -> impl Iterator<Item = Digest> {
        self.pages.iter().flat_map(|page| page.items.iter().copied().flatten())
    }

    /// Returns the number of different items.
    #[must_use]
    pub fn count_distinct(&self) -> usize {
        // A set of a million would cost more than twice as much memory.
        let mut items = Vec::with_capacity(self.pages.iter().map(|page| page.items.len()).sum());
        items.extend(self.items());
        items.sort_unstable();
        items.dedup();
        items.len()
    }

    /// Whether the list changed during the walk: the pages disagree on the number of items, or an earlier walk showed
    /// another number or another order of updated items. Pages that disagree in the same way each time do not count as
    /// a change.
    #[must_use]
    pub fn changed(&self) -> bool {
        match self.stability {
            Stability::Unknown => self.disagrees(),
            Stability::Stable => false,
            Stability::Unstable => true,
        }
    }

    /// Whether the pages disagree on the number of items.
    #[must_use]
    pub fn disagrees(&self) -> bool {
        let mut totals = self.pages.iter().map(|page| page.total);
        let first = totals.next();
        totals.any(|total| Some(total) != first)
    }

    /// Returns the request for the last page that was seen.
    #[must_use]
    pub fn last_request(&self, contract: &Contract) -> Option<Request> {
        let last = self.pages.iter().max_by_key(|page| page.asked);
        last.map(|page| page.request(contract))
    }
}

/// A created record as evidence: what a rule sees of it.
#[derive(Clone, Copy, Debug)]
pub struct Creation<'seen> {
    /// The operation that created it.
    pub operation: OperationId,
    /// What the contract promises about it.
    pub invariant: &'seen Created,
    /// The accepted request.
    pub request: &'seen Request,
    /// The record in the response; for a [`CreatedObservation`], nothing but its identifier.
    pub record: &'seen Value,
    /// Whether the identifier was seen before: in a list, or in the response to another create of this run.
    pub seen_before: bool,
}

impl Creation<'_> {
    /// Whether the record has an identifier to find it by.
    #[must_use]
    pub fn is_identified(&self) -> bool {
        self.record.pointer(&self.invariant.id).and_then(identifier).is_some()
    }
}

/// What a look for a created record in its list showed.
#[derive(Clone, Copy, Debug)]
pub struct CreatedObservation<'seen> {
    /// The creation.
    pub creation: Creation<'seen>,
    /// The record in the list and its indexed pointer in the response, where it was found.
    pub listed: Option<(&'seen Value, &'seen str)>,
    /// Where it appears inside another item than the one under which it was created, as an indexed pointer in the
    /// response.
    pub elsewhere: Option<&'seen str>,
    /// Whether the list changed during the last walk for it, so that a record may have moved from one page to another.
    pub changed: bool,
    /// How the last walk for it ended.
    pub end: WalkEnd,
    /// The maximum number of pages that are walked.
    pub max_pages: u64,
}

/// What a look for an updated record in its list showed.
#[derive(Clone, Copy, Debug)]
pub struct UpdateObservation<'seen> {
    /// The operation that updated it.
    pub operation: OperationId,
    /// What the contract promises about it.
    pub invariant: &'seen Updated,
    /// The accepted request.
    pub request: &'seen Request,
    /// The record in the list and its indexed pointer in the response, where it was found.
    pub listed: Option<(&'seen Value, &'seen str)>,
    /// For a further update, the record as the list showed it before, and the value that earlier updates sent last in
    /// each field.
    pub before: Option<(&'seen Value, &'seen Value)>,
    /// Where something that was sent appears in another item, as an indexed pointer in the response.
    pub elsewhere: Option<&'seen str>,
    /// Whether the list did not change, was seen completely and late enough, and showed no item with the record's
    /// identifier.
    pub gone: bool,
    /// How the last walk for it ended.
    pub end: WalkEnd,
    /// The maximum number of pages that are walked.
    pub max_pages: u64,
}

/// What a list shows, at the end of a run, of one accepted write.
#[derive(Clone, Copy, Debug)]
pub struct FinalListing<'seen> {
    /// The create or the update.
    pub operation: OperationId,
    /// Whether its own record was seen.
    pub found: bool,
    /// Whether it was an item of the list before, and no longer is.
    pub gone: bool,
    /// Where a second record, with another identifier, carries what was sent, as an indexed pointer in the response.
    pub second_record: Option<&'seen str>,
    /// Whether the list changed during the last walk over it.
    pub changed: bool,
    /// How that walk ended.
    pub end: WalkEnd,
    /// The maximum number of pages that are walked.
    pub max_pages: u64,
}

/// A record that the target shows although the create that sent it was rejected, that shows what a rejected update
/// sent, or that is gone after a rejected deletion.
#[derive(Clone, Copy, Debug)]
pub struct StoredDespiteRejection<'seen> {
    /// The create, the update or the delete.
    pub operation: OperationId,
    /// How it was rejected.
    pub rejection: Rejection,
    /// Where the record appears, as an indexed pointer in the response; empty for a deletion, after which it is gone.
    pub pointer: &'seen str,
}

/// How a write was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The status.
    pub status: u16,
    /// The fact about credentials that the write tested, if its credential was one that must be rejected.
    pub credential_fact: Option<FactKind>,
}

impl Rejection {
    /// Returns how a write with this intent was rejected; the status is 0 where no response came.
    pub(super) fn of(exchange: &Exchange, intent: Intent) -> Self {
        Self {
            status: exchange.status().unwrap_or_default(),
            credential_fact: match intent.purpose {
                Purpose::MustBeRejected { fact, .. } => Some(fact),
                _ => None,
            },
        }
    }
}

/// A write that reached records which a list had shown before, and which it did not name.
#[derive(Clone, Copy, Debug)]
pub struct StrayWrite<'seen> {
    /// The create or the update.
    pub operation: OperationId,
    /// Where the record appears, as an indexed pointer in the response; the array if it reached several.
    pub pointer: &'seen str,
    /// What it reached.
    pub reached: Reached,
}

/// The records that a write has reached without naming them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A record that shows what was sent to an unknown identifier: one that names no record.
    ByUnknownIdentifier,
    /// This many records that showed another value before the write.
    ExistingRecords(usize),
    /// This many records, of so many, in which one field that the operation writes was cleared.
    Cleared(usize, usize),
    /// A record that was there before the run and now shows a text of the run in the field in which it was sent.
    Tagged,
}

/// What a read or a list shows of a record that the run created, updated or deleted, by an inferred lifecycle.
#[derive(Clone, Copy, Debug)]
pub struct RecordShown<'seen> {
    /// The create, the update or the delete.
    pub operation: OperationId,
    /// The read, the list, or the write itself, whose response shows it.
    pub by: OperationId,
    /// The accepted request that sent the fields of the record.
    pub sent: &'seen Request,
    /// What the last response showed.
    pub shown: &'seen ShownState,
    /// What was sent before the read.
    pub after: PrecedingRequest<'seen>,
}

/// What was sent before a record was read.
#[derive(Clone, Copy, Debug)]
pub enum PrecedingRequest<'seen> {
    /// The write of the record.
    Write,
    /// The same update a second time, with the record as a read showed it in between.
    SecondUpdate(&'seen Value),
    /// An edge case of the update, which was accepted.
    EdgeCase,
    /// The write of another record.
    WriteOfAnotherRecord,
    /// The write of the record, whose response showed it too.
    Response(ResponseShown<'seen>),
    /// An update of the record that did not send all of its fields.
    PartialUpdate(KeptFields<'seen>),
    /// An update of the record, with the record as a read showed it before.
    Update(&'seen Value),
    /// An update of the record, after which its list showed this item.
    Listed(&'seen Value),
    /// A read of the record: without a write in between, each shows another time of the last change.
    Read,
}

/// What the response to a write shows of its record.
#[derive(Clone, Copy, Debug)]
pub struct ResponseShown<'seen> {
    /// The record in that response.
    pub record: &'seen Value,
    /// The record as it was read before the write; `None` after a create.
    pub before: Option<&'seen Value>,
}

/// The fields that an update did not send, as far as their earlier values are known.
#[derive(Clone, Copy, Debug)]
pub struct KeptFields<'seen> {
    /// The body of the write before, which sent them.
    pub sent: &'seen Value,
    /// Those of them that the record showed before the update as they were sent.
    pub carries: &'seen [Carry],
}

/// What a response shows of a record.
#[derive(Clone, Debug)]
pub enum ShownState {
    /// A list has the record, this often.
    Listed(ListedCount),
    /// A record shows what was sent to another: this one after a write of another, or another in the list after a write
    /// of this one.
    ContentOfAnotherWrite,
    /// The list has a record with this identifier, but with none of the sent values.
    IdentifierWithOtherContent,
    /// A list has the record, but not as the read last showed it. After its deletion this may be right: a service may
    /// keep what it deletes, and mark it.
    ListedChanged,
    /// A list that shows all of its records lacks it.
    NotListed,
    /// The record.
    Record(Value),
    /// The response had this status and no readable record: it is not a success, or a success whose body could not be
    /// read; the request had this credential.
    Status(u16, Credential),
    /// No complete response came, or the request could not be sent.
    NoResponse,
    /// The response decides nothing. It shows no record where the contract has one; the list may have more records than
    /// it shows; a read still returns the deleted record, but changed; the update may not be carried out yet; or the
    /// record may be another one.
    Unclear,
}

impl ShownState {
    /// Whether a read failed and the record itself may be the reason, not the credential, the number of requests or a
    /// gateway.
    pub(crate) fn may_fail_because_of_record(&self) -> bool {
        let is_about_the_call = |status: u16| matches!(status, 401 | 403 | 407 | 408 | 429 | 502..=504);
        matches!(self, Self::Status(status @ 400..600, _) if !is_about_the_call(*status))
    }
}

/// How often a list has what a create sent, each time under another identifier unless the variant says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedCount {
    /// Once or more: the list may have more records than it shows, nothing tells the records of this create from
    /// others, or the create asked for this many.
    AtLeastOnce,
    /// Once, in a list that shows all of its records.
    Once,
    /// This often under the same identifier: the items are equal.
    EqualItems(usize),
    /// This often: the records differ only in their identifiers and in when they were stored.
    Several(usize),
}

/// A request field that was sent in one of its documented timestamp formats.
#[derive(Clone, Debug)]
pub struct FormatOutcome {
    /// The operation.
    pub operation: OperationId,
    /// The format.
    pub format: TimestampFormat,
    /// The response's status; `None` where no response came.
    pub status: Option<u16>,
    /// Whether another format was accepted with the same other fields.
    pub other_accepted: bool,
}

/// The outcome of an equivalent request with one equivalence; the request may have had others at the same time.
#[derive(Clone, Copy, Debug)]
pub struct EquivalenceOutcome {
    /// The operation.
    pub operation: OperationId,
    /// How it differs from the plain request.
    pub equivalence: Equivalence,
    /// The response's status; `None` where no response came.
    pub status: Option<u16>,
    /// Whether the same request was accepted in its plain spelling.
    pub plain_accepted: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_of_a_walk_is_requested_by_its_own_number() {
        let contract = crate::testing::built_in();
        let list = contract.operation_named("getTags").unwrap();
        let requested = |path: &str, number| {
            let mut request = Request::unfilled(list, contract.operation(list));
            (request.path, request.printable.path) = (path.to_owned(), path.to_owned());
            let page = PageSeen {
                asked: number,
                request: Arc::new(request),
                page: None,
                per_page: None,
                total: None,
                last_page: None,
                has_item_array: true,
                items: Vec::new(),
                latest: None,
                stated_size: None,
            };
            let request = page.request(contract);
            assert_eq!(request.path, request.printable.path);
            request.path
        };
        for (path, number, expected) in [
            ("/tags", None, "/tags"),
            ("/tags", Some(2), "/tags?page=2"),
            ("/tags?per_page=10", Some(2), "/tags?per_page=10&page=2"),
            ("/tags?page=1&per_page=10", Some(2), "/tags?page=2&per_page=10"),
            ("/tags?per_page=10&page=2", Some(2), "/tags?per_page=10&page=2"),
        ] {
            assert_eq!(requested(path, number), expected);
        }
    }
}
