//! What several exchanges show together. The history makes these; rules only read them.

use std::sync::Arc;

use serde_json::Value;

use crate::contract::Contract;
use crate::contract::operation::OperationId;
use crate::contract::vocabulary::{Created, Equivalence, TimestampForm, Updated};
use crate::exchange::{Digest, Exchange, Request, identifier};

/// What several exchanges show together, each with the request that shows it.
#[derive(Clone, Debug)]
pub enum Evidence<'seen> {
    /// What a list shows of a write at the end.
    Counted(Counted<'seen>, &'seen Request),
    /// A record that a create answered with.
    Creation(Creation<'seen>),
    /// A request that was written otherwise, in the exchange that it was.
    Equivalent(EquivalentTried, &'seen Exchange),
    /// A form of a request field.
    Form(FormTried, &'seen Request),
    /// A created record looked for in its list.
    Observation(Observation<'seen>, &'seen Request),
    /// A record that is there although its create was rejected.
    Stored(Stored<'seen>, &'seen Request),
    /// An updated record looked for in its list.
    Updating(Updating<'seen>, &'seen Request),
    /// A walk over the pages of a list.
    Walk(&'seen Walk),
}

/// A walk over the pages of one list.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The list.
    pub operation: OperationId,
    /// The pages in the order in which they were asked for; the first was asked for without a number.
    pub pages: Vec<PageSeen>,
    /// How the walk ended.
    pub end: WalkEnd,
    /// The most pages that are walked.
    pub most: u64,
    /// What an earlier walk over the same list says of this one.
    pub stability: Stability,
    /// Whether it is part of the look at the end of a run, of which only the counts are judged: what stands there after the
    /// edge cases may be what they put there.
    pub account: bool,
}

/// Whether a list stood still from one walk to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stability {
    /// There was no other walk to compare with.
    #[default]
    Unknown,
    /// An earlier walk showed the same totals, page by page: where they disagree, it is not because the list changed.
    Stable,
    /// An earlier walk showed another total.
    Unstable,
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkEnd {
    /// A page did not show what a walk needs: its last page, or an identifier of each item.
    Broken,
    /// Every page was seen.
    Complete,
    /// What was looked for was found before every page was seen.
    Found,
    /// A page was answered with this status.
    Rejected(u16),
    /// The same, to a request that carried no credential.
    RejectedBare(u16),
    /// The list could not be asked for: something in its address has no value.
    Unsent,
    /// There are more pages than are walked.
    TooManyPages,
    /// A page did not come.
    Unanswered,
    /// A page came with a body that is not read: no JSON, or JSON beyond what is read.
    Unread,
}

/// One page as it was seen.
#[derive(Clone, Debug)]
pub struct PageSeen {
    /// The page that was asked for; none for the default.
    pub asked: Option<u64>,
    /// The request for the list without a page's number: one for all pages of a walk, because there may be very many.
    pub request: Arc<Request>,
    /// What the response calls its page.
    pub page: Option<i64>,
    /// The most items on a page.
    pub per_page: Option<i64>,
    /// How many items there are in all.
    pub total: Option<i64>,
    /// The last page.
    pub last_page: Option<i64>,
    /// Whether there is an array of items at all.
    pub listed: bool,
    /// A digest of each item's identifier, in order; none where an item has no identifier.
    pub items: Vec<Option<Digest>>,
}

impl PageSeen {
    /// The request for this page.
    #[must_use]
    pub fn request(&self, contract: &Contract) -> Request {
        let invariant = contract.operation(self.request.operation).page.as_ref();
        match invariant.zip(self.asked) {
            Some((invariant, asked)) => self.request.asking(&invariant.parameter, &asked.to_string()),
            None => Request::clone(&self.request),
        }
    }

    /// Whether the page shows its items, each with its identifier.
    #[must_use]
    pub fn shows_items(&self) -> bool {
        self.listed && self.items.iter().all(Option::is_some)
    }
}

impl Walk {
    /// The digest of each item's identifier.
    pub fn items(&self) -> impl Iterator<Item = Digest> {
        self.pages.iter().flat_map(|page| page.items.iter().copied().flatten())
    }

    /// How many different items there are.
    #[must_use]
    pub fn different(&self) -> usize {
        // A set of a million would cost more than twice as much.
        let mut items = Vec::with_capacity(self.pages.iter().map(|page| page.items.len()).sum());
        items.extend(self.items());
        items.sort_unstable();
        items.dedup();
        items.len()
    }

    /// Whether the list changed under the walk: the pages disagree on how many items there are, or an earlier walk
    /// did. Pages that disagree in the same way each time are no change.
    #[must_use]
    pub fn changed(&self) -> bool {
        match self.stability {
            Stability::Unknown => self.disagrees(),
            Stability::Stable => false,
            Stability::Unstable => true,
        }
    }

    /// Whether the pages disagree on how many items there are.
    #[must_use]
    pub fn disagrees(&self) -> bool {
        let mut totals = self.pages.iter().map(|page| page.total);
        let first = totals.next();
        totals.any(|total| Some(total) != first)
    }

    /// The request for the last page that was seen.
    #[must_use]
    pub fn last_request(&self, contract: &Contract) -> Option<Request> {
        let last = self.pages.iter().max_by_key(|page| page.asked);
        last.map(|page| page.request(contract))
    }
}

/// A record that the run created.
#[derive(Clone, Copy, Debug)]
pub struct Creation<'seen> {
    /// The operation that created it.
    pub operation: OperationId,
    /// What the contract promises of it.
    pub invariant: &'seen Created,
    /// The accepted request.
    pub request: &'seen Request,
    /// The record in the response.
    pub resource: &'seen Value,
    /// Whether the identifier was seen before: in a list, or from another create of this run.
    pub seen_before: bool,
}

impl Creation<'_> {
    /// Whether the record has an identifier to be found by.
    #[must_use]
    pub fn is_identified(&self) -> bool {
        self.resource.pointer(&self.invariant.id).and_then(identifier).is_some()
    }
}

/// A created record looked for in its list.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'seen> {
    /// The creation.
    pub creation: Creation<'seen>,
    /// The record in the list and its marked pointer in the response, when it was found.
    pub listed: Option<(&'seen Value, &'seen str)>,
    /// Where it shows under another owner, as a marked pointer in the response.
    pub elsewhere: Option<&'seen str>,
    /// Whether the list changed under that walk, so that a record may have moved from page to page.
    pub changed: bool,
    /// How the last walk for it ended.
    pub end: WalkEnd,
    /// The most pages that are walked.
    pub most: u64,
}

/// An updated record looked for in its list.
#[derive(Clone, Copy, Debug)]
pub struct Updating<'seen> {
    /// The operation that updated it.
    pub operation: OperationId,
    /// What the contract promises of it.
    pub invariant: &'seen Updated,
    /// The accepted request.
    pub request: &'seen Request,
    /// The record in the list and its marked pointer in the response, when it was found.
    pub listed: Option<(&'seen Value, &'seen str)>,
    /// Where something of what was sent shows in another item, as a marked pointer in the response.
    pub elsewhere: Option<&'seen str>,
    /// Whether the list stood still and was seen whole, late enough, and showed no item with the record's identifier.
    pub gone: bool,
    /// How the last walk for it ended.
    pub end: WalkEnd,
    /// The most pages that are walked.
    pub most: u64,
}

/// What a list shows, at the end of a run, of one write that was accepted.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'seen> {
    /// The create or the update.
    pub operation: OperationId,
    /// Whether its own record was seen.
    pub found: bool,
    /// Whether it was an item of the list then, and is none any more.
    pub gone: bool,
    /// Where a record under another identifier carries what was sent, as a marked pointer in the response.
    pub other: Option<&'seen str>,
    /// Whether the list changed under that walk.
    pub changed: bool,
    /// How the walk ended.
    pub end: WalkEnd,
    /// The most pages that are walked.
    pub most: u64,
}

/// A record that the target shows although the create that sent it was rejected, or that shows what a rejected update sent.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'seen> {
    /// The create or the update.
    pub operation: OperationId,
    /// The status that rejected it.
    pub status: u16,
    /// Where the record shows, as a marked pointer in the response.
    pub pointer: &'seen str,
}

/// A request field sent in one of its forms, after another form was accepted in the same place.
#[derive(Clone, Debug)]
pub struct FormTried {
    /// The operation.
    pub operation: OperationId,
    /// The form.
    pub form: TimestampForm,
    /// The response's status; none when no response came.
    pub status: Option<u16>,
    /// Whether another form was accepted with the same other fields.
    pub other_accepted: bool,
}

/// A request that was written otherwise, in this way among others or alone.
#[derive(Clone, Copy, Debug)]
pub struct EquivalentTried {
    /// The operation.
    pub operation: OperationId,
    /// The way.
    pub way: Equivalence,
    /// The response's status; none when no response came.
    pub status: Option<u16>,
    /// Whether the same request was accepted as it is written plainly.
    pub plain_accepted: bool,
}
