//! Creates records until a list has a second page, to decide what a list of one page cannot show.
//! To *fill* a list is to create the records that a page lacks.
//!
//! How many items a page holds is a gap, so the number of records needed is known only after the list was seen. A list
//! that the run cannot bring to a second page within `max_writes` gets no record at all, because a record stays for
//! good.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use super::create::WriteRole;
use super::session::Session;
use crate::contract::operation::OperationId;
use crate::history::evidence::{Walk, WalkEnd};
use crate::rules::{FACTS_THAT_NEED_TWO_PAGES, Reason};

/// How full the pages of lists are, and what was created to fill them.
#[derive(Debug, Default)]
pub(super) struct PageFills {
    /// How many more items fit on the only page of each list that has one page.
    free_slots: RefCell<HashMap<OperationId, u64>>,
    /// The lists that had a second page in some walk of this run.
    pub(super) had_second_page: RefCell<HashSet<OperationId>>,
    /// The lists that the run filled to a second page, or tried to fill to a full last one.
    pub(super) filled: RefCell<HashSet<OperationId>>,
    /// How many records were created to fill last pages.
    pub(super) created_for_last_pages: Cell<u64>,
}

impl Session<'_> {
    /// Notes how many more items fit on the page of a list that has one page. For a list with more pages, or one that
    /// was not seen completely and unchanged, forgets the number.
    pub(super) fn note_free_slots(&self, walk: &Walk) {
        let only = walk.pages.first().filter(|_| walk.pages.len() == 1);
        let whole = walk.end == WalkEnd::Complete && !walk.changed();
        let free = only.filter(|_| whole).and_then(|page| {
            let per_page = u64::try_from(page.per_page?).ok()?;
            per_page.checked_sub(u64::try_from(page.items.len()).ok()?)
        });
        let mut free_slots = self.fills.free_slots.borrow_mut();
        match free {
            Some(free) => free_slots.insert(walk.operation, free),
            None => free_slots.remove(&walk.operation),
        };
    }

    /// Creates the records that the list lacks for a second page, if that many may be created.
    /// Lists that lack the fewest come first.
    pub(super) async fn fill_to_second_page(&self, list: OperationId) {
        let Some(missing) = self.missing_for_second_page(list) else {
            return;
        };
        let left = self.left_for(list);
        if missing > left {
            let reason = Reason::NoSecondPage(missing, left);
            return FACTS_THAT_NEED_TWO_PAGES
                .into_iter()
                .for_each(|kind| self.set_undecided_reason(list, kind, reason.clone()));
        }
        if missing > 0 && !self.create_more(list, missing).await.1 {
            return;
        }
        self.fills.free_slots.borrow_mut().remove(&list);
        self.fills.filled.borrow_mut().insert(list);
    }

    /// Walks once more over a list that was filled.
    pub(super) async fn walk_filled_list(&self, list: OperationId) {
        if self.fills.filled.borrow().contains(&list) {
            self.judge_list(list).await;
        }
    }

    /// Returns how many records a list of one page lacks for a second one; `None` where it has one, or where nothing
    /// creates its records.
    fn missing_for_second_page(&self, list: OperationId) -> Option<u64> {
        let free = *self.fills.free_slots.borrow().get(&list)?;
        self.creator(list)?;
        let created = self.history().count_created_items(list);
        Some((free + 1).saturating_sub(u64::try_from(created).ok()?))
    }

    /// Returns how many records may be created for a list, after those for the lists that lack fewer.
    fn left_for(&self, list: OperationId) -> u64 {
        let lists: Vec<_> = self.fills.free_slots.borrow().keys().copied().collect();
        let needs = lists
            .into_iter()
            .filter_map(|list| Some((self.missing_for_second_page(list)?, list)));
        let mut needs: Vec<_> = needs.collect();
        needs.sort_unstable();
        let before = needs.into_iter().take_while(|(_, other)| *other != list);
        before.fold(self.left_to_create(), |left, (missing, _)| {
            left.checked_sub(missing).unwrap_or(left)
        })
    }

    /// Returns the create whose draft was accepted and whose records are the list's items.
    pub(super) fn creator(&self, list: OperationId) -> Option<OperationId> {
        let accepted = self.drafts.accepted.borrow();
        let mut operations = self.contract.operation_ids();
        operations
            .find(|id| accepted.contains_key(id) && self.contract.list_whose_items_are_created_by(*id) == Some(list))
    }

    /// Creates `count` records like one that was accepted before. Stops after the first that is not accepted, unless
    /// its connection may have been idle when it was closed. Returns how many requests it sent, and whether all records
    /// were created, as far as that is known.
    pub(super) async fn create_more(&self, list: OperationId, count: u64) -> (u64, bool) {
        let Some(operation) = self.creator(list) else {
            return (0, false);
        };
        let Some((accepted, head)) = self.accepted_write(operation).await else {
            return (0, false);
        };
        self.expect_requests(count);
        for sent in 0..count {
            let Ok(draft) = self.draft_like(operation, &accepted) else {
                return (sent, false);
            };
            let exchange = self.write(&draft, &head, WriteRole::Additional).await;
            if !self.succeeded(&exchange) && !exchange.was_closed_when_idle() {
                return (sent + 1, false);
            }
        }
        (count, true)
    }
}
