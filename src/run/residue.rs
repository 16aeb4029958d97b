//! Looks for what the run left, at its end, in the lists that show it.
//!
//! # Design
//!
//! A check reads every page: what it judges may be anywhere. A run that learns judges nothing, and one whose lists have
//! one item a page would spend most of its requests here. So of a long list it reads the pages at both ends, on which
//! lists show what is new, as far as they show anything of the run, and says that it saw the list in part.

use super::session::Session;
use super::walk::{LONG_LIST, PageOrder};
use crate::history::{LookGoal, LookId, SearchExtent, WalkExtent};
use crate::plan::Action;
use crate::rules::Evaluation;

/// So many pages in a row that show nothing of the run end the search at that end of a list: others may add records too.
const OTHERS_TOLERATED: u64 = 2;

impl Session<'_> {
    /// Looks through each list that shows what creates left, if any create was sent: until it settles, and then, if the
    /// contract states its pages, once more to count. A run that learns does not count.
    pub(super) async fn search_for_residue(&self) {
        if !self.history().has_sent_creates() {
            return;
        }
        self.residue_search.set(Some(SearchExtent::Nothing));
        let steps = self.plan.steps.iter().filter(|step| step.action == Action::ResidueLook);
        for list in steps.map(|step| step.operation) {
            if self.contract.operation(list).page.is_none() {
                self.read_until_settled(list, &LookGoal::Residue).await;
                continue;
            }
            self.seek(list, &LookGoal::Residue).await;
            // That walk may have missed some of the records created, or seen them twice, so a list that does not add up
            // is walked again.
            let look = self.begin_look(list, &LookGoal::Recount);
            if !self.plan.learns {
                self.rewalk_until_it_adds_up(look).await;
            }
            self.conclude(look);
        }
        let residue_search = self.with_evaluation(Evaluation::end_residue_search);
        self.residue_search.set(Some(residue_search));
    }

    /// Looks for residue in a list: in a long one at its ends, unless they show nothing that the run created there; in any
    /// other until the look is settled or `settle` has passed.
    pub(super) async fn seek_residue_at_ends(&self, look: LookId) {
        let walked = async || {
            self.with_evaluation(|evaluation| evaluation.begin_walk(look, WalkExtent::WholeList));
            let Some(last) = self.first_page(look).await else {
                return;
            };
            let last = last.min(self.settings.max_pages);
            if self.history().size_of_long_list(look, LONG_LIST).is_none() {
                self.pages(look, 2..=last).await;
                return;
            }
            let is_on_first = self.history().own_items_seen(look) > 0;
            self.with_evaluation(|evaluation| evaluation.begin_walk(look, WalkExtent::SelectedPages));
            let lower = self.residue_pages(look, (2..=last).rev()).await;
            if is_on_first {
                self.residue_pages(look, 2..lower).await;
            }
            if self.history().lacks_every_item_of(look.operation()) {
                self.walk(look, PageOrder::BothEnds).await;
            }
        };
        self.repeat_until_settled(look, self.settings.settle, walked).await;
    }

    /// Reads these pages until some in a row show nothing of the run. Returns the last one that was read.
    async fn residue_pages(&self, look: LookId, pages: impl Iterator<Item = u64>) -> u64 {
        let (mut others, mut read) = (0, 1);
        for page in pages {
            let before = self.history().own_items_seen(look);
            self.pages(look, std::iter::once(page)).await;
            read = page;
            others = if self.history().own_items_seen(look) > before {
                0
            } else {
                others + 1
            };
            if others >= OTHERS_TOLERATED {
                break;
            }
        }
        read
    }
}
