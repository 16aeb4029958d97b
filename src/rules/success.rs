//! Keeps whether a documented call of each operation succeeded, its first failed call if none did, and how the calls of
//! a run failed if none had a success. The main types are [`Successes`] and [`HowAllCallsFailed`].
//!
//! # Design
//!
//! A response with a documented success status is a success, unless JSON is documented and its body is neither JSON,
//! nor labelled as JSON, nor of another documented media type: a login page comes with 200 for every request. A broken
//! JSON body is a success, and a finding as well.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::contract::is_json;
use crate::contract::operation::OperationId;
use crate::exchange::{Credential, Exchange, Failure, Request, Response};

/// The outcomes of the documented calls.
#[derive(Debug, Default)]
pub(super) struct Successes {
    succeeded: HashSet<OperationId>,
    /// The first failed call of each operation that was called and never succeeded.
    failed: HashMap<OperationId, FailedCall>,
    /// How the calls without a success failed; `None` before the first of them.
    how_calls_failed: Option<HowAllCallsFailed>,
}

/// A call that had no success.
#[derive(Debug)]
pub(super) struct FailedCall {
    pub(super) request: Request,
    pub(super) number: u64,
    /// The status; `None` where no complete response came.
    pub(super) status: Option<u16>,
}

/// How the documented calls of a run failed, if none had a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HowAllCallsFailed {
    /// Every response was a 401 or 403, and no request carried a token.
    RejectedWithoutToken,
    /// Every response was a 5xx.
    ServerError,
    /// Responses of several kinds.
    Mixed,
    /// Every response was a 404.
    NotFound,
    /// Every response was a web page, or had other content that the contract does not document.
    WebPage,
    /// Every response was a 3xx.
    Redirected,
    /// Every response was this 4xx.
    Rejected(u16),
    /// No call had a complete response: nothing at this address sends one.
    NoResponse,
    /// No call had a complete response before its deadline.
    TooSlow,
    /// Every response broke off.
    CutOff,
    /// Every response was larger than what is read.
    TooLarge,
}

impl fmt::Display for HowAllCallsFailed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RejectedWithoutToken => formatter.write_str(
                "every response is 401 or 403, and the contract asks for no token: does the target require \
                            one?",
            ),
            Self::ServerError => formatter.write_str("every response is a 5xx: is the service behind this address up?"),
            Self::Mixed => formatter
                .write_str("no operation returned a successful response: is the base URL right, and the service up?"),
            Self::NotFound => formatter.write_str("every path returns 404: is the base URL, with its prefix, right?"),
            Self::WebPage => formatter.write_str(
                "every successful response is something other than JSON, such as a web page: is there a login in front \
                 of the service, or is it another service?",
            ),
            Self::Redirected => formatter.write_str(
                "every response is a redirect, and none is followed: is there a login in front of the service, or does \
                 the service have another base URL?",
            ),
            Self::Rejected(status) => write!(
                formatter,
                "every response is {status}: is the base URL that of this service, and does it require something that \
                 the contract does not mention?"
            ),
            Self::NoResponse => formatter.write_str("no complete response came: is this the address of the service?"),
            Self::TooSlow => formatter.write_str(
                "no complete response came in time (timeout): is the service overloaded, or does it take longer by \
                 design?",
            ),
            Self::CutOff => formatter.write_str(
                "no complete response came: each connection ended too early; does the service crash, or does something \
                 in front of it cut responses off?",
            ),
            Self::TooLarge => formatter.write_str(
                "no complete response came: each is larger than a check reads; does this service return its lists in \
                 pages?",
            ),
        }
    }
}

impl HowAllCallsFailed {
    fn is_no_response(self) -> bool {
        matches!(self, Self::NoResponse | Self::TooSlow | Self::CutOff | Self::TooLarge)
    }

    /// Classifies one exchange that was not a success.
    fn of(exchange: &Exchange) -> Self {
        let without_token = exchange.request.credential == Credential::None;
        let media_type = exchange.response().and_then(Response::media_type);
        let is_web_page = media_type.is_some_and(|media_type| !is_json(&media_type));
        match exchange.outcome.as_ref().map(|response| response.status) {
            Err(Failure::Deadline { .. }) => Self::TooSlow,
            Err(Failure::Incomplete | Failure::ClosedWhenIdle) => Self::CutOff,
            Err(Failure::TooLarge { .. }) => Self::TooLarge,
            Err(_) => Self::NoResponse,
            Ok(200..=299) if is_web_page => Self::WebPage,
            Ok(401 | 403) if without_token => Self::RejectedWithoutToken,
            Ok(404) => Self::NotFound,
            Ok(300..=399) => Self::Redirected,
            Ok(status @ 400..=499) => Self::Rejected(status),
            Ok(500..) => Self::ServerError,
            Ok(_) => Self::Mixed,
        }
    }
}

impl Successes {
    /// Counts a documented call. `success` says whether its status is a documented success, `is_web_page` whether its
    /// body looks like a web or login page.
    pub(super) fn count(&mut self, exchange: &Exchange, success: bool, is_web_page: bool) {
        let operation = exchange.request.operation;
        if success && !is_web_page {
            self.succeeded.insert(operation);
            self.failed.remove(&operation);
            return;
        }
        let failure = HowAllCallsFailed::of(exchange);
        self.how_calls_failed = Some(match self.how_calls_failed {
            Some(before) if before != failure && before.is_no_response() && failure.is_no_response() => {
                HowAllCallsFailed::NoResponse
            }
            Some(before) if before != failure => HowAllCallsFailed::Mixed,
            _ => failure,
        });
        if !self.succeeded.contains(&operation) {
            let failed_call = || FailedCall {
                request: exchange.request.clone(),
                number: exchange.number,
                status: exchange.status(),
            };
            self.failed.entry(operation).or_insert_with(failed_call);
        }
    }

    /// Whether a call of the operation had a success.
    pub(super) fn contains(&self, operation: OperationId) -> bool {
        self.succeeded.contains(&operation)
    }

    /// The first failed call of the operation, if it was called and never succeeded.
    pub(super) fn first_failed(&self, operation: OperationId) -> Option<&FailedCall> {
        self.failed.get(&operation)
    }

    /// How the calls failed, if some were sent and none had a success.
    pub(super) fn how_all_calls_failed(&self) -> Option<HowAllCallsFailed> {
        self.how_calls_failed.filter(|_| self.succeeded.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::rules::testing::Fixture;

    #[test]
    fn a_service_that_is_slow_cut_off_or_verbose_is_not_called_another_address() {
        for (failure, how) in [
            (Failure::Deadline { after: Duration::ZERO }, HowAllCallsFailed::TooSlow),
            (Failure::Incomplete, HowAllCallsFailed::CutOff),
            (Failure::TooLarge { maximum: 1 }, HowAllCallsFailed::TooLarge),
            (Failure::NotHttp, HowAllCallsFailed::NoResponse),
        ] {
            let mut exchange = Fixture::of("getTags").exchange(200, None, "");
            exchange.outcome = Err(failure);
            assert_eq!(HowAllCallsFailed::of(&exchange), how);
        }
    }
}
