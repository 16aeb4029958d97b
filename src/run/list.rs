//! Walks over lists whose pages are judged: law 1. A list that does not add up is walked again, so that rows which come
//! meanwhile, or late, are told apart from pages that never add up.

use std::cell::RefCell;

use super::session::Session;
use super::walk::{Item, Order};
use crate::contract::operation::OperationId;
use crate::rules::evidence::{PageSeen, Steadiness, Walk, WalkEnd};

impl Session<'_> {
    /// Walks over a list, learns from it and judges its pages.
    pub(super) async fn list(&self, operation: OperationId) {
        self.judged_walk(operation).await;
    }

    /// The same; hands back the walk that was judged.
    pub(super) async fn judged_walk(&self, operation: OperationId) -> Walk {
        let first = self.whole(operation).await;
        let walk = if adds_up(&first) {
            first
        } else {
            self.doubted(operation, first).await
        };
        self.history.note_listed(&walk);
        self.note_room(&walk);
        let last = walk.pages.first().and_then(|page| page.last_page);
        if last.is_some_and(|last| last > 1) {
            self.fills.paged.borrow_mut().insert(operation);
        }
        self.judged(|judge| judge.walk(&walk));
        self.tell_findings();
        walk
    }

    /// Judges the total of a list that was walked over at the end, where it is not what the walk found: creates may not be
    /// counted, or counted twice. Hands back the last walk.
    pub(super) async fn recount(&self, operation: OperationId, first: Walk) -> Walk {
        if adds_up(&first) {
            return first;
        }
        let walk = self.doubted(operation, first).await;
        self.judged(|judge| judge.walk(&walk));
        walk
    }

    async fn whole(&self, operation: OperationId) -> Walk {
        let found = |item: Item<'_>| {
            if self.account.under_way.get() {
                self.count_item(operation, item);
            }
            false
        };
        self.walk(operation, Order::Rising, &found).await
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

/// Whether a walk adds up, as far as it was complete. Where no total is told there is none to wait for.
fn adds_up(walk: &Walk) -> bool {
    let different = walk.different();
    let total = walk.pages.first().and_then(|page: &PageSeen| page.total);
    let agrees = different == walk.items().count() && (total.is_none() || total == i64::try_from(different).ok());
    walk.end != WalkEnd::Complete || (!walk.disagrees() && agrees)
}

/// How many items a list has, and how many more it takes until its last page is full; none where its first page does not
/// say.
pub(super) fn lacking(walk: &Walk) -> Option<(i64, u64)> {
    let first = walk.pages.first()?;
    let (total, per_page) = (first.total?, first.per_page?);
    if total < 0 || per_page < 1 {
        return None;
    }
    let over = u64::try_from(total % per_page).ok()?;
    let per_page = u64::try_from(per_page).ok()?;
    Some((total, if over == 0 { 0 } else { per_page - over }))
}

/// Whether the first page of a list and its last one add up, as far as two pages show that: the last one holds at least
/// what the others cannot.
pub(super) fn edge_adds_up(walk: &Walk) -> bool {
    let (Some(first), Some(last)) = (walk.pages.first(), walk.pages.last()) else {
        return false;
    };
    let (Some(total), Some(per_page), Some(last_page)) = (last.total, last.per_page, last.last_page) else {
        return false;
    };
    let count = |page: &PageSeen| i64::try_from(page.items.len()).unwrap_or(i64::MAX);
    let before = last_page.saturating_sub(1).checked_mul(per_page);
    let counted = per_page > 0
        && total > 0
        && (total - 1) / per_page + 1 == last_page
        && before.is_some_and(|before| count(last) >= total - before)
        && count(first) <= per_page
        && count(last) <= per_page;
    let once = walk.items().count() == walk.different();
    walk.end == WalkEnd::Found && !walk.disagrees() && counted && once
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
        let untold = PageSeen {
            total: None,
            ..page(&[1, 2], 0)
        };
        assert!(adds_up(&walk(std::slice::from_ref(&untold), WalkEnd::Complete)));
        assert!(!adds_up(&walk(&[untold, page(&[3], 3)], WalkEnd::Complete)));
    }

    #[test]
    fn what_a_last_page_lacks_is_what_total_lacks_of_a_multiple() {
        let lacking_of = |total, per_page| {
            let first = PageSeen {
                per_page: Some(per_page),
                ..page(&[1], total)
            };
            lacking(&walk(&[first], WalkEnd::Found))
        };
        assert_eq!(lacking_of(23, 10), Some((23, 7)));
        assert_eq!(lacking_of(29, 10), Some((29, 1)));
        assert_eq!(lacking_of(30, 10), Some((30, 0)));
        assert_eq!((lacking_of(-1, 10), lacking_of(5, 0)), (None, None));
    }

    #[test]
    fn two_pages_add_up_where_the_last_holds_what_the_others_cannot() {
        let ends = |last: &[u64], (total, last_page): (i64, i64)| {
            let of = |asked, items: &[u64]| PageSeen {
                asked,
                per_page: Some(2),
                last_page: Some(last_page),
                ..page(items, total)
            };
            let last = of(u64::try_from(last_page).ok(), last);
            edge_adds_up(&walk(&[of(None, &[1, 2]), last], WalkEnd::Found))
        };
        for (last, numbers, sound) in [
            (&[3, 4][..], (4, 2), true),
            (&[3], (3, 2), true),
            (&[5], (5, 3), true),
            (&[5, 6], (5, 3), true),
            (&[3], (4, 2), false),
            (&[], (4, 3), false),
            (&[], (5, 3), false),
            (&[1, 2], (4, 2), false),
            (&[3, 4, 5], (4, 2), false),
        ] {
            assert_eq!(ends(last, numbers), sound, "{last:?} {numbers:?}");
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
