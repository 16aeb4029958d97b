//! Walks the pages of lists without `x-page`, as the contract infers them: see
//! [`Paging`](crate::contract::paging::Paging).

use super::request::RequestHead;
use super::session::Session;
use crate::contract::operation::OperationId;
use crate::contract::paging::PagingStyle;
use crate::exchange::RejectionMeaning;
use crate::history::evidence::WalkEnd;
use crate::history::{ExchangeRole, LookGoal, LookId, NextPage, WalkExtent};
use crate::plan::MAX_INFERRED_PAGES;

/// The most times that a list is walked: in small pages, in larger ones, and in those again.
const MAX_WALKS: usize = 3;

impl Session<'_> {
    /// Walks a list and judges its pages. A list with more pages than a walk covers is walked again in larger pages. If
    /// its pages contradict what is inferred, another walk shows whether the list changed in the meantime.
    pub(super) async fn walk_inferred_pages(&self, list: OperationId) {
        // The read of the list has already noted why its path has no value.
        let Ok(head) = self.request_head(list) else { return };
        let goal = LookGoal::InferredPages(self.sender.transport.target().clone());
        let max_pages = self.settings.max_pages.min(MAX_INFERRED_PAGES);
        let look = self.with_evaluation(|evaluation| evaluation.begin_look(list, &goal, max_pages));
        let mut last = None;
        for walk in 0..MAX_WALKS {
            if walk > 0 {
                // What the run has created may appear late in one of the responses.
                tokio::time::sleep(self.short_wait()).await;
            }
            last = self.walk_once(look, &head).await;
            if self.history().is_settled(look) {
                break;
            }
        }
        let is_complete = self
            .history()
            .current_walk(look)
            .is_some_and(|walk| walk.end == WalkEnd::Complete);
        self.conclude(look);
        if let Some(last) = last.filter(|_| is_complete) {
            self.request_page_beyond(list, head, last).await;
        }
    }

    /// Requests the page after the last one of a list, if the document says that it has no items.
    async fn request_page_beyond(&self, list: OperationId, head: RequestHead, mut last: NextPage) {
        let paging = self.contract.paging_of(list);
        let paging = paging.filter(|paging| matches!(paging.style, PagingStyle::Number { .. }));
        let Some(paging) = paging.filter(|_| self.contract.says_that_pages_beyond_last_are_empty(list)) else {
            return;
        };
        for value in &mut last.query {
            if value.parameter == paging.page_parameter
                && let Ok(number) = value.value.parse::<u64>()
            {
                value.value = number.saturating_add(1).to_string();
            }
        }
        self.expect_requests(1);
        let head = self.head_of_page(list, head, &last);
        self.call(self.documented_call(list, head)).await;
    }

    /// Walks a list, and returns the page that it requested last.
    async fn walk_once(&self, look: LookId, head: &RequestHead) -> Option<NextPage> {
        self.with_evaluation(|evaluation| evaluation.begin_walk(look, WalkExtent::WholeList));
        let mut last = None;
        loop {
            let next = self.history().next_page(look);
            let Some(next) = next else { return last };
            if next.asked.is_some() {
                self.expect_requests(1);
            }
            let head = self.head_of_page(look.operation(), head.clone(), &next);
            let call = self.documented_call(look.operation(), head);
            self.call(call.role(ExchangeRole::Page(look, next.asked))).await;
            last = next.asked.is_some().then_some(next);
        }
    }

    /// Returns the head of the request for a page. A rejection of it decides nothing: the service may not allow this
    /// size, or may have no such page.
    fn head_of_page(&self, list: OperationId, mut head: RequestHead, page: &NextPage) -> RequestHead {
        let operation = self.contract.operation(list);
        for value in &page.query {
            let parameter = &operation.parameters[value.parameter];
            if value.is_shown {
                head.add_shown_query(operation, parameter, &value.value);
            } else {
                head.add_query(&parameter.name, &value.value);
            }
        }
        if page.asked.is_some() {
            head.rejection_meaning = RejectionMeaning::UncertainValue;
        }
        head
    }
}
