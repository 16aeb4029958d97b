//! Reads: walks over the pages of lists, and single reads.

use std::cell::Cell;
use std::time::Duration;

use futures::StreamExt;
use tokio::time::Instant;

use super::create::MAY_MEAN_UNKNOWN;
use super::request::{self, RequestHead};
use super::session::{Call, ResendOptions, Session};
use crate::contract::operation::OperationId;
use crate::exchange::{Exchange, Purpose, RejectionMeaning};
use crate::history::{ExchangeRole, LookGoal, LookId, LookResult, WalkExtent};
use crate::plan::MAX_SAMPLED;
use crate::rules::Reason;

/// A service whose list has several pages must accept this page number. Of a higher one, the contract may leave open
/// whether there is a maximum.
const HIGHEST_PAGE_SURELY_ALLOWED: u64 = 2;

/// A walk is given up once more pages than this are missing.
const MISSING_PAGES_TOLERATED: usize = 1;

/// A list with more pages than this is not read in whole each time that something is looked for in it.
const LONG_LIST: u64 = 6;

/// The same, in a run that learns: it judges nothing of a list.
const LONG_LIST_WHEN_LEARNING: u64 = 2;

/// Which pages are requested after the first, within `max_pages`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageOrder {
    /// The last one alone, then from both ends towards the middle: a list shows new records at one of its ends.
    BothEnds,
    /// One after the other.
    Ascending,
}

impl Session<'_> {
    /// Reads once.
    pub(super) async fn read(&self, operation: OperationId) {
        self.read_with_timeout(operation, Duration::ZERO).await;
    }

    /// Reads with the identifier that a create returned. The record may appear a little later, just as it may be listed
    /// a little later. Once a wait has timed out, the next is shorter.
    pub(super) async fn read_created(&self, operation: OperationId) {
        if self.contract.operation(operation).page.is_some() {
            return self.judge_list(operation).await;
        }
        let longest = if self.delays.read_timed_out.get() {
            self.short_wait()
        } else {
            self.settings.settle
        };
        if self.read_with_timeout(operation, longest).await == Some(404) {
            self.delays.read_timed_out.set(true);
        }
    }

    /// Reads once, and again while a 404 may mean that the record is not there yet. Where a record
    /// that a list showed is rejected, others that it showed are read instead. Returns the last
    /// status.
    async fn read_with_timeout(&self, operation: OperationId, longest: Duration) -> Option<u16> {
        loop {
            let head = self.request_head_if_any(operation)?;
            let (path, may_name_another) = (head.path.clone(), head.may_name_another);
            let options = ResendOptions {
                not_found_timeout: longest,
                ..ResendOptions::default()
            };
            let call = self.documented_call(operation, head).role(ExchangeRole::Read);
            let status = self.call_with_options(call, options).await.0.status();
            let rejected = status.is_some_and(|status| MAY_MEAN_UNKNOWN.contains(&status));
            if !(rejected && may_name_another) {
                return status;
            }
            self.rejected_reads.borrow_mut().insert((operation, path));
            if self.all_were_rejected(operation) {
                return status;
            }
            self.expect_requests(1);
        }
    }

    /// Begins a look at a list.
    pub(super) fn begin_look(&self, list: OperationId, goal: &LookGoal) -> LookId {
        self.with_evaluation(|evaluation| evaluation.begin_look(list, goal, self.settings.max_pages))
    }

    /// Ends a look, judges what it showed and emits the findings.
    pub(super) fn conclude(&self, look: LookId) -> Option<LookResult> {
        let looked = self.with_evaluation(|evaluation| evaluation.conclude(look));
        self.emit_findings();
        looked
    }

    /// Looks for something in a list until it is found or `settle` has passed, at both ends first, and judges the
    /// result.
    pub(super) async fn seek(&self, list: OperationId, goal: &LookGoal) {
        let look = self.begin_look(list, goal);
        match goal {
            // What nobody expects may be on any page.
            LookGoal::Residue | LookGoal::ResidueUntilCounted { .. } => {
                self.walk_until_settled(look, PageOrder::BothEnds, self.settings.settle)
                    .await;
            }
            // A page that is asked for by its number may come from elsewhere than the default one: a cache, another route.
            LookGoal::Created | LookGoal::CreatedBy { .. } | LookGoal::CreatedUntilFound => {
                self.seek_until_settled(look, Some(1), self.settings.settle).await;
            }
            _ => self.seek_until_settled(look, None, self.settings.settle).await,
        }
        self.conclude(look);
    }

    /// Walks a list for a look until it is settled or `longest` has passed.
    pub(super) async fn walk_until_settled(&self, look: LookId, order: PageOrder, longest: Duration) {
        let walked = async || self.walk(look, order).await;
        self.repeat_until_settled(look, longest, walked).await;
    }

    /// Looks for a record in a list until it is found or `longest` has passed. A long list that did not show it is read
    /// again in whole once its first page says that its size has changed, and when the time has passed; until then,
    /// only its first page and its last are read. A run that learns does not read it in whole either while those two
    /// show that it is late. The first page is `asked` as in [`Self::page`].
    pub(super) async fn seek_until_settled(&self, look: LookId, asked: Option<u64>, longest: Duration) {
        let (started, size_when_read_in_whole) = (Instant::now(), Cell::new(None));
        let walked = async || {
            let is_over = started.elapsed() >= longest;
            self.with_evaluation(|evaluation| evaluation.begin_walk(look, WalkExtent::WholeList));
            let Some(last) = self.first_page(look, asked).await else {
                return;
            };
            let long = if self.plan.learns {
                LONG_LIST_WHEN_LEARNING
            } else {
                LONG_LIST
            };
            let size = self.history().size_of_long_list(look, long);
            let mut numbers = both_ends(last, self.settings.max_pages);
            let is_found = self.pages(look, numbers.by_ref().take(1)).await;
            let is_late = self.plan.learns && self.history().is_late(look);
            let is_unchanged = size.is_some() && (is_late || size == size_when_read_in_whole.get());
            if !is_found && (is_over || !is_unchanged) {
                self.further_pages(look, numbers, last).await;
                size_when_read_in_whole.set(size);
            }
        };
        self.repeat_until_settled(look, longest, walked).await;
    }

    /// Walks a list for a look, its first page first, until what is sought is found.
    pub(super) async fn walk(&self, look: LookId, order: PageOrder) {
        self.with_evaluation(|evaluation| evaluation.begin_walk(look, WalkExtent::WholeList));
        let Some(last) = self.first_page(look, None).await else {
            return;
        };
        let max_pages = self.settings.max_pages;
        match order {
            PageOrder::Ascending if self.plan.learns => self.pages_until_empty(look, last).await,
            PageOrder::Ascending => {
                self.pages(look, 2..=last.min(max_pages)).await;
            }
            PageOrder::BothEnds => {
                let mut numbers = both_ends(last, max_pages);
                let mut is_found = self.pages(look, numbers.by_ref().take(1)).await;
                // With the pages that it read at its beginning, a run that learns may have seen enough.
                let up_to_sampled = usize::try_from(2 * MAX_SAMPLED - 3).unwrap_or(usize::MAX);
                if self.plan.learns && !is_found && !self.history().is_page_empty(look, last) {
                    is_found = self.pages(look, numbers.by_ref().take(up_to_sampled)).await;
                }
                if !is_found {
                    self.further_pages(look, numbers, last).await;
                }
            }
        }
    }

    /// Reads the first page of a list, `asked` as in [`Self::page`], and returns the number of its last one; `None` if
    /// there is nothing more to read.
    async fn first_page(&self, look: LookId, asked: Option<u64>) -> Option<u64> {
        let enough = self.page(look, asked).await?;
        self.history().last_page(look).filter(|_| !enough)
    }

    /// Reads the pages between the first and the last. A run that learns does not judge what a list says about its
    /// pages: if the last one is empty, it reads the others in order, until another one is.
    async fn further_pages(&self, look: LookId, numbers: impl Iterator<Item = u64>, last: u64) {
        if self.plan.learns && self.history().is_page_empty(look, last) {
            self.pages_until_empty(look, last - 1).await;
        } else {
            self.pages(look, numbers).await;
        }
    }

    /// Reads the pages after the first one by one, until one shows what is sought or has no items.
    async fn pages_until_empty(&self, look: LookId, last: u64) {
        for number in 2..=last.min(self.settings.max_pages) {
            if self.pages(look, std::iter::once(number)).await || self.history().is_page_empty(look, number) {
                return;
            }
        }
    }

    /// Reads the first pages of a list to see what they show, without judging whether they add up.
    pub(super) async fn sample_pages(&self, list: OperationId) {
        let look = self.begin_look(list, &LookGoal::Nothing);
        self.with_evaluation(|evaluation| evaluation.begin_walk(look, WalkExtent::SelectedPages));
        self.page(look, None).await;
        let last = self.history().last_page(look).unwrap_or(1);
        self.pages(look, 2..=last.min(self.settings.max_pages).min(MAX_SAMPLED))
            .await;
        self.conclude(look);
    }

    /// Requests pages until one shows what is sought or too many are missing. Returns whether a page showed it. It
    /// waits for pages that are still under way: a response that nobody reads would be reported as one that never came.
    async fn pages(&self, look: LookId, numbers: impl Iterator<Item = u64>) -> bool {
        self.expect_requests(u64::try_from(numbers.size_hint().0).unwrap_or(u64::MAX));
        let over = Cell::new(false);
        let numbers = numbers.take_while(|_| !over.get());
        let pages = numbers.map(|number| self.page(look, Some(number)));
        let mut pages = futures::stream::iter(pages).buffered(self.settings.jobs.max(1));
        let (mut missed, mut enough) = (0, false);
        while let Some(page) = pages.next().await {
            match page {
                Some(found) => enough |= found,
                None => missed += 1,
            }
            // One page may be missing: the list may end earlier than it says.
            over.set(enough || missed > MISSING_PAGES_TOLERATED);
        }
        enough
    }

    /// Requests one page, `asked` by its number or, if `None`, the default one. Returns whether it showed what is
    /// sought; `None` where it did not come.
    pub(super) async fn page(&self, look: LookId, asked: Option<u64>) -> Option<bool> {
        let list = look.operation();
        let invariant = self.contract.operation(list).page.as_ref();
        let Some((invariant, mut head)) =
            invariant.and_then(|invariant| Some((invariant, self.request_head_if_any(list)?)))
        else {
            self.with_evaluation(|evaluation| evaluation.mark_unsent(look));
            return None;
        };
        if let Some(number) = asked {
            head.add_query(&invariant.parameter, &number.to_string());
            if number > HIGHEST_PAGE_SURELY_ALLOWED && self.contract.leaves_open_query(list, &invariant.parameter) {
                head.rejection_meaning = RejectionMeaning::Gap;
            }
        }
        let call = self.documented_call(list, head).role(ExchangeRole::Page(look, asked));
        self.call(call).await.1.page_shows_goal
    }

    /// Requests one page of a list, `asked` as in [`Self::page`], and handles it like any other page.
    pub(super) async fn read_page(&self, list: OperationId, asked: Option<u64>, goal: &LookGoal) {
        self.expect_requests(1);
        let look = self.begin_look(list, goal);
        self.with_evaluation(|evaluation| evaluation.begin_walk(look, WalkExtent::SelectedPages));
        self.page(look, asked).await;
        self.conclude(look);
    }

    /// Returns the head of a documented request to the operation, with the values that responses have shown: those that
    /// were not rejected before, if there are any.
    pub(super) fn request_head(&self, operation: OperationId) -> Result<RequestHead, Reason> {
        let history = self.history();
        if !self.contract.operation(operation).is_get() {
            let name = self.new_record_name(operation)?;
            let head = request::request_head(self.contract, operation, history.bindings(), &name);
            return head.map_err(Reason::NoValue);
        }
        let heads = request::read_heads(self.contract, operation, history.bindings());
        let mut heads = heads.map_err(Reason::NoValue)?;
        let open = heads.iter().position(|head| !self.was_rejected(operation, head));
        Ok(heads.swap_remove(open.unwrap_or(0)))
    }

    /// Whether a read of this record was rejected.
    fn was_rejected(&self, operation: OperationId, head: &RequestHead) -> bool {
        let rejected = self.rejected_reads.borrow();
        rejected.contains(&(operation, head.path.clone()))
    }

    /// Whether reads of all records that the operation may name were rejected.
    fn all_were_rejected(&self, operation: OperationId) -> bool {
        self.request_head(operation)
            .map_or(true, |head| self.was_rejected(operation, &head))
    }

    /// Returns the head as [`Self::request_head`] does, and notes a missing value as the reason why
    /// the operation is not called.
    pub(super) fn request_head_if_any(&self, operation: OperationId) -> Option<RequestHead> {
        let head = self.request_head(operation);
        head.map_err(|reason| self.not_called(operation, reason)).ok()
    }

    /// Returns a call of the operation as documented, without a body. During the search for residue, its response is
    /// not judged.
    pub(super) fn documented_call(&self, operation: OperationId, head: RequestHead) -> Call {
        let documented = self.contract.operation(operation);
        let purpose = if self.residue_search.get().is_some() {
            Purpose::ResidueLook
        } else {
            Purpose::Documented(head.rejection_meaning)
        };
        let credential = request::credential(&documented.security);
        Call::alone(head.request((operation, documented), credential), purpose)
    }

    /// Returns whether the exchange ended in a documented success.
    pub(super) fn succeeded(&self, exchange: &Exchange) -> bool {
        self.history().succeeded(exchange)
    }
}

/// Returns the pages of a list after its first, the last one first and then from both ends: at most `max_pages`,
/// counting the first one.
fn both_ends(last: u64, max_pages: u64) -> impl Iterator<Item = u64> {
    let count = last.min(max_pages).saturating_sub(1);
    (0..count).map(move |nth| if nth % 2 == 0 { last - nth / 2 } else { 2 + nth / 2 })
}

#[cfg(test)]
mod tests {
    use super::both_ends;

    #[test]
    fn both_ends_of_a_list_are_asked_for_before_its_middle() {
        let pages = |last, max_pages| both_ends(last, max_pages).collect::<Vec<_>>();
        assert_eq!(pages(5, 200), [5, 2, 4, 3]);
        assert_eq!(pages(1000, 6), [1000, 2, 999, 3, 998]);
        assert_eq!(pages(2, 2), [2]);
        for (last, max_pages) in [(0, 200), (1, 200), (7, 1), (7, 0)] {
            assert_eq!(pages(last, max_pages), [0; 0], "{last} {max_pages}");
        }
        assert_eq!(both_ends(u64::MAX, u64::MAX).take(2).collect::<Vec<_>>(), [u64::MAX, 2]);
    }
}
