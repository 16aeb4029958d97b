//! Walks the lists with a page invariant (`x-page`) and judges their pages; `paging` does so for the others. A list
//! *adds up* when its pages agree with each other and with the numbers that they state. One that does not is walked
//! again, to distinguish items that are added in the meantime, or appear late, from pages that never add up.

use super::session::Session;
use super::walk::PageOrder;
use crate::contract::operation::OperationId;
use crate::history::evidence::Walk;
use crate::history::{LookGoal, LookId};

impl Session<'_> {
    /// Walks a list and judges its pages.
    pub(super) async fn judge_list(&self, operation: OperationId) {
        self.judged_walk(operation).await;
    }

    /// Walks a list, judges its pages and returns the walk. Also notes how full its page is if it has only one, for the
    /// steps that create records until it has a second.
    pub(super) async fn judged_walk(&self, list: OperationId) -> Option<Walk> {
        let look = self.begin_look(list, &LookGoal::Pages);
        self.walk(look, PageOrder::Ascending).await;
        self.rewalk_until_it_adds_up(look).await;
        let walk = self.conclude(look)?.walk;
        self.note_free_slots(&walk);
        let last = walk.pages.first().and_then(|page| page.last_page);
        if last.is_some_and(|last| last > 1) {
            self.fills.had_second_page.borrow_mut().insert(list);
        }
        Some(walk)
    }

    /// Walks a list that did not add up until it does or `settle` has passed.
    pub(super) async fn rewalk_until_it_adds_up(&self, look: LookId) {
        if !self.history().is_settled(look) {
            self.walk_until_settled(look, PageOrder::Ascending, self.settings.settle)
                .await;
        }
    }
}
