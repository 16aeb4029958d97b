//! What rules look at: an exchange with its body read, and what several exchanges show together. The run makes these;
//! rules only read them.

use serde_json::Value;

use crate::contract::Contract;
use crate::contract::operation::{Answer as DocumentedAnswer, Operation, OperationId};
use crate::contract::vocabulary::{Created, Form, Updated};
use crate::exchange::json::{Body, JsonError};
use crate::exchange::redact::Values;
use crate::exchange::{Answer, Exchange, Failure, Request};

/// The request that evidence comes from, and how its values may be told.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'origin> {
    /// The request.
    pub request: &'origin Request,
    /// How values are told.
    pub values: Values,
}

/// An exchange with its body read.
#[derive(Clone, Copy, Debug)]
pub struct ExchangeSeen<'seen> {
    /// The contract.
    pub contract: &'seen Contract,
    /// The operation's place.
    pub id: OperationId,
    /// The operation.
    pub operation: &'seen Operation,
    /// The exchange.
    pub exchange: &'seen Exchange,
    /// The documented answer of its status.
    pub documented: Option<&'seen DocumentedAnswer>,
    /// The body, read as JSON where a JSON body is documented.
    pub body: Option<&'seen Result<Body, JsonError>>,
}

impl<'seen> ExchangeSeen<'seen> {
    /// The answer or the failure.
    pub(super) fn outcome(&self) -> Result<&'seen Answer, &'seen Failure> {
        self.exchange.outcome.as_ref()
    }

    /// The answer if it is a documented success.
    pub(super) fn success(&self) -> Option<&'seen Answer> {
        self.outcome()
            .ok()
            .filter(|answer| self.operation.succeeds_with(answer.status))
    }
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
    /// Whether an earlier walk over the same list told another total.
    pub unstable: bool,
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkEnd {
    /// A page did not show what a walk needs: its last page, or an identifier of each item.
    Broken,
    /// Every page was seen.
    Complete,
    /// There are more pages than are walked.
    TooManyPages,
    /// A page did not come.
    Unanswered,
}

/// One page as it was seen.
#[derive(Clone, Debug)]
pub struct PageSeen {
    /// The page that was asked for; none for the default.
    pub asked: Option<u64>,
    /// The request.
    pub request: Request,
    /// What the answer calls its page.
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
    pub items: Vec<Option<u64>>,
}

impl PageSeen {
    /// Whether the page shows its items, each with its identifier.
    #[must_use]
    pub fn shows_items(&self) -> bool {
        self.listed && self.items.iter().all(Option::is_some)
    }
}

impl Walk {
    /// Whether the pages disagree on how many items there are: somebody created one meanwhile.
    #[must_use]
    pub fn changed(&self) -> bool {
        let mut totals = self.pages.iter().map(|page| page.total);
        let first = totals.next();
        self.unstable || totals.any(|total| Some(total) != first)
    }
}

/// A record that the run created.
#[derive(Clone, Copy, Debug)]
pub struct Creation<'seen> {
    /// The contract.
    pub contract: &'seen Contract,
    /// The operation that created it.
    pub operation: OperationId,
    /// What the contract promises of it.
    pub law: &'seen Created,
    /// The accepted request.
    pub request: &'seen Request,
    /// The record in the answer.
    pub resource: &'seen Value,
    /// Whether the identifier was seen before: in a list, or from another create of this run.
    pub seen_before: bool,
}

/// A created record looked for in its list.
#[derive(Clone, Copy, Debug)]
pub struct Sighting<'seen> {
    /// The creation.
    pub creation: Creation<'seen>,
    /// The record in the list and its marked pointer in the answer, when it was found.
    pub listed: Option<(&'seen Value, &'seen str)>,
    /// Where it shows under another owner, as a marked pointer in the answer.
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
    /// The contract.
    pub contract: &'seen Contract,
    /// The operation that updated it.
    pub operation: OperationId,
    /// What the contract promises of it.
    pub law: &'seen Updated,
    /// The accepted request.
    pub request: &'seen Request,
    /// The record in the list and its marked pointer in the answer, when it was found.
    pub listed: Option<(&'seen Value, &'seen str)>,
    /// Where something of what was sent shows in another item, as a marked pointer in the answer.
    pub elsewhere: Option<&'seen str>,
    /// How the last walk for it ended.
    pub end: WalkEnd,
    /// The most pages that are walked.
    pub most: u64,
}

/// A request field sent in one of its forms, after another form was accepted in the same place.
#[derive(Clone, Debug)]
pub struct FormTried {
    /// The operation.
    pub operation: OperationId,
    /// The form.
    pub form: Form,
    /// The answer's status; none when no answer came.
    pub status: Option<u16>,
    /// Whether another form was accepted with the same other fields.
    pub other_accepted: bool,
}
