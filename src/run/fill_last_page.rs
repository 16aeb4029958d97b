//! Creates records until the last page of a list is full, and looks at the list one record before that, at that point,
//! and one record after: there the arithmetic of pages goes wrong most easily.
//!
//! Such records decide one fact of a list, so they are created only where a run may leave more records than by default.

use super::session::Session;
use super::settings::Settings;
use crate::contract::fact::FactKind;
use crate::contract::operation::OperationId;
use crate::history::{LookGoal, LookId, WalkExtent, total_and_space_on_last_page};
use crate::rules::Reason;

impl Session<'_> {
    /// Fills the last page of a list, if that many records may be created.
    pub(super) async fn fill_last_page(&self, list: OperationId) {
        if self.creator(list).is_none() {
            return;
        }
        if self.settings.max_writes <= Settings::DEFAULT_MAX_WRITES {
            let reason = Reason::NotFilledByDefault(Settings::DEFAULT_MAX_WRITES);
            return self.set_undecided_reason(list, FactKind::PageFull, reason);
        }
        let left = self.left_for_last_pages();
        if left == 0 {
            return self.set_undecided_reason(list, FactKind::PageFull, Reason::NoFullPage(left));
        }
        // The records created are counted from a total that is known to be right.
        let Some((mut total, space)) = self
            .judged_walk(list)
            .await
            .as_ref()
            .and_then(total_and_space_on_last_page)
        else {
            return;
        };
        if space > left {
            return self.set_undecided_reason(list, FactKind::PageFull, Reason::NoFullPage(left));
        }
        // A list that is already full is looked at without another record.
        let counts = match space {
            0 => vec![0, 1],
            _ => vec![space - 1, 1, 1],
        };
        for count in counts {
            if count > self.left_for_last_pages() {
                break;
            }
            if count > 0 {
                let (sent, all_accepted) = self.create_more(list, count).await;
                let created = &self.fills.created_for_last_pages;
                created.set(created.get() + sent);
                if !all_accepted {
                    break;
                }
            }
            total = total.saturating_add(i64::try_from(count).unwrap_or(i64::MAX));
            self.look_at_ends(list, total).await;
        }
        self.fills.filled.borrow_mut().insert(list);
    }

    /// Returns how many records may still be created to fill last pages: only those beyond the default.
    fn left_for_last_pages(&self) -> u64 {
        let beyond = self.settings.max_writes.saturating_sub(Settings::DEFAULT_MAX_WRITES);
        beyond
            .saturating_sub(self.fills.created_for_last_pages.get())
            .min(self.left_to_create())
    }

    /// Looks at the ends of a list until they show `total` records and add up, or `settle` has passed. If they do not,
    /// all pages are walked and judged.
    async fn look_at_ends(&self, list: OperationId, total: i64) {
        let look = self.begin_look(list, &LookGoal::FirstAndLastPage { total });
        let ends = async || self.ends_of(look).await;
        self.repeat_until_settled(look, self.settings.settle, ends).await;
        let looked = self.conclude(look);
        if looked.is_some_and(|looked| !looked.settled) {
            self.judge_list(list).await;
        }
    }

    /// Requests the first and the last page of a list. If the last one is full, it also requests the page before it,
    /// which the last one may repeat.
    async fn ends_of(&self, look: LookId) {
        self.with_evaluation(|evaluation| evaluation.begin_walk(look, WalkExtent::SelectedPages));
        self.expect_requests(1);
        if self.page(look, None).await.is_none() {
            return;
        }
        let last = self.history().last_page(look);
        let is_full = self
            .history()
            .current_walk(look)
            .and_then(total_and_space_on_last_page)
            .is_some_and(|(_, space)| space == 0);
        let before = last.and_then(|last| last.checked_sub(1)).filter(|_| is_full);
        for number in before.into_iter().chain(last).filter(|number| *number > 1) {
            self.expect_requests(1);
            self.page(look, Some(number)).await;
        }
    }
}
