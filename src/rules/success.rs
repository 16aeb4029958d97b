//! Whether documented calls had a success, operation by operation, and what came where none had one. The main types are
//! [`Successes`] and [`NoSuccess`].
//!
//! # Design
//!
//! A success is a documented success status, unless what came with it is neither JSON, nor said to be, nor documented
//! otherwise: a login page comes with 200 whatever is asked for. A body that is broken JSON is one, and a finding besides.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::contract::is_json;
use crate::contract::operation::OperationId;
use crate::exchange::{Credential, Exchange, Request, Response};

/// What became of the documented calls.
#[derive(Debug, Default)]
pub(super) struct Successes {
    had: HashSet<OperationId>,
    /// The first call of each operation that had none.
    missed: HashMap<OperationId, Missed>,
    /// What every call came to that had none; none before the first of them.
    came: Option<NoSuccess>,
}

/// A call that had no success.
#[derive(Debug)]
pub(super) struct Missed {
    pub(super) request: Request,
    pub(super) number: u64,
    /// The status; none where no complete response came.
    pub(super) status: Option<u16>,
}

/// What came where no documented call of a run had a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoSuccess {
    /// Every call was answered with 401 or 403, though none carried a token.
    Bare,
    /// Every response was a 5xx.
    Failed,
    /// This and that.
    Mixed,
    /// Every response was a 404.
    NotFound,
    /// Every response was a page for people, or something else that no document of the contract is.
    Page,
    /// Every response was a 3xx.
    Redirected,
    /// Every response was this 4xx.
    Rejected(u16),
    /// No complete response came to any.
    Unanswered,
}

impl fmt::Display for NoSuccess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bare => formatter
                .write_str("every response is 401 or 403, and the contract asks for no token: does the target want one?"),
            Self::Failed => formatter.write_str("every response is a 5xx: is what stands behind this address up?"),
            Self::Mixed => {
                formatter.write_str("no operation had a success: is the base URL right, and the service up?")
            }
            Self::NotFound => formatter.write_str("every path answers 404: is the base URL, with its prefix, right?"),
            Self::Page => formatter
                .write_str("every response is a page and no JSON: is a login in front of the service, or is it another?"),
            Self::Redirected => formatter.write_str(
                "every response leads elsewhere, and no redirect is followed: is a login in front of the service, or is \
                 its base URL another?",
            ),
            Self::Rejected(status) => write!(
                formatter,
                "every response is {status}: is the base URL that of this service, and does it want something that the \
                 contract does not say?"
            ),
            Self::Unanswered => formatter.write_str("no complete response came: is this address that of the service?"),
        }
    }
}

impl NoSuccess {
    /// What one exchange came to that was no success.
    fn of(exchange: &Exchange) -> Self {
        let bare = exchange.request.credential == Credential::None;
        let media_type = exchange.response().and_then(Response::media_type);
        let page = media_type.is_some_and(|media_type| !is_json(&media_type));
        match exchange.outcome.as_ref().map(|response| response.status) {
            Err(_) => Self::Unanswered,
            Ok(200..=299) if page => Self::Page,
            Ok(401 | 403) if bare => Self::Bare,
            Ok(404) => Self::NotFound,
            Ok(300..=399) => Self::Redirected,
            Ok(status @ 400..=499) => Self::Rejected(status),
            Ok(500..) => Self::Failed,
            Ok(_) => Self::Mixed,
        }
    }
}

impl Successes {
    /// Counts a documented call. `success` is of its status, `page` of what came with it.
    pub(super) fn count(&mut self, exchange: &Exchange, success: bool, page: bool) {
        let operation = exchange.request.operation;
        if success && !page {
            self.had.insert(operation);
            self.missed.remove(&operation);
            return;
        }
        let came = NoSuccess::of(exchange);
        let same = self.came.is_none_or(|before| before == came);
        self.came = Some(if same { came } else { NoSuccess::Mixed });
        if !self.had.contains(&operation) {
            let missed = || Missed {
                request: exchange.request.clone(),
                number: exchange.number,
                status: exchange.status(),
            };
            self.missed.entry(operation).or_insert_with(missed);
        }
    }

    /// Whether a call of the operation had a success.
    pub(super) fn had(&self, operation: OperationId) -> bool {
        self.had.contains(&operation)
    }

    /// The first call of the operation that had none, where it was called.
    pub(super) fn missed(&self, operation: OperationId) -> Option<&Missed> {
        self.missed.get(&operation)
    }

    /// What came, where calls were sent and none had a success.
    pub(super) fn none(&self) -> Option<NoSuccess> {
        self.came.filter(|_| self.had.is_empty())
    }
}
