//! Walks over lists whose pages are judged: law 1. A list that does not add up is walked again, so that rows which come
//! meanwhile, or late, are told apart from pages that never add up.

use std::cell::RefCell;

use super::session::Session;
use super::walk::Order;
use crate::contract::operation::OperationId;
use crate::rules::evidence::{PageSeen, Steadiness, Walk, WalkEnd};

impl Session<'_> {
    /// Walks over a list, learns from it and judges its pages.
    pub(super) async fn list(&self, operation: OperationId) {
        let first = self.whole(operation).await;
        let walk = if adds_up(&first) {
            first
        } else {
            self.doubted(operation, first).await
        };
        self.identifiers
            .borrow_mut()
            .entry(operation)
            .or_default()
            .extend(walk.items());
        self.note_room(&walk);
        let last = walk.pages.first().and_then(|page| page.last_page);
        if last.is_some_and(|last| last > 1) {
            self.paged.borrow_mut().insert(operation);
        }
        self.judged(|judge| judge.walk(&walk));
        self.tell_findings();
    }

    async fn whole(&self, operation: OperationId) -> Walk {
        self.walk(operation, Order::Rising, &|_| false).await
    }

    /// Walks over a list that did not add up until it does or `--settle` has passed, and says of the last walk whether
    /// the list stood still before it.
    async fn doubted(&self, operation: OperationId, first: Walk) -> Walk {
        let before = RefCell::new(first);
        let again = async || {
            let mut walk = self.whole(operation).await;
            if !adds_up(&walk) {
                walk.steadiness = steadiness(&before.borrow(), &walk);
            }
            before.replace(walk.clone());
            walk
        };
        self.settled(self.settings.settle, again, adds_up).await
    }
}

/// What two walks that did not add up, one after the other, say of the list.
fn steadiness(before: &Walk, after: &Walk) -> Steadiness {
    let totals = |walk: &Walk| walk.pages.iter().map(|page| page.total).collect::<Vec<_>>();
    let first = |walk: &Walk| walk.pages.first().and_then(|page| page.total);
    if totals(before) == totals(after) {
        Steadiness::Steady
    } else if first(before) == first(after) {
        Steadiness::Unknown
    } else {
        Steadiness::Unsteady
    }
}

/// Whether a walk adds up, as far as it was complete.
fn adds_up(walk: &Walk) -> bool {
    let different = walk.different();
    let total = walk.pages.first().and_then(|page: &PageSeen| page.total);
    let agrees = different == walk.items().count() && total == i64::try_from(different).ok();
    walk.end != WalkEnd::Complete || (!walk.disagrees() && agrees)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;
    use crate::exchange::Request;

    fn page(items: &[u64], total: i64) -> PageSeen {
        let contract = Contract::built_in().unwrap();
        let operation = contract.operation_named("getTags").unwrap();
        let request = Request::plain(operation, contract.operation(operation));
        PageSeen {
            asked: None,
            request: std::sync::Arc::new(request),
            page: Some(1),
            per_page: Some(10),
            total: Some(total),
            last_page: Some(1),
            listed: true,
            items: items.iter().copied().map(Some).collect(),
        }
    }

    fn walk(pages: &[PageSeen], end: WalkEnd) -> Walk {
        Walk {
            operation: pages[0].request.operation,
            pages: pages.to_vec(),
            end,
            most: 100,
            steadiness: Steadiness::Unknown,
        }
    }

    #[test]
    fn a_walk_adds_up_when_it_shows_total_different_items() {
        for (pages, sound) in [
            (vec![page(&[1, 2], 2)], true),
            (vec![page(&[], 0)], true),
            (vec![page(&[1, 2], 3)], false),
            (vec![page(&[1, 1], 2)], false),
            (vec![page(&[1], 2), page(&[2], 3)], false),
            (vec![page(&[1], 2), page(&[1], 2)], false),
        ] {
            assert_eq!(adds_up(&walk(&pages, WalkEnd::Complete)), sound, "{pages:?}");
            assert!(adds_up(&walk(&pages, WalkEnd::TooManyPages)));
        }
    }

    #[test]
    fn pages_that_disagree_in_the_same_way_twice_are_no_change() {
        let told = |totals: [i64; 2]| walk(&totals.map(|total| page(&[1], total)), WalkEnd::Complete);
        for (before, after, expected) in [
            ([2, 3], [2, 3], Steadiness::Steady),
            ([2, 2], [2, 2], Steadiness::Steady),
            ([2, 3], [3, 3], Steadiness::Unsteady),
            ([2, 3], [3, 4], Steadiness::Unsteady),
            ([2, 2], [2, 3], Steadiness::Unknown),
        ] {
            assert_eq!(
                steadiness(&told(before), &told(after)),
                expected,
                "{before:?} {after:?}"
            );
        }
    }
}
