//! Reads the pages of a list with `x-page`: what each shows, and whether they add up.

use std::sync::Arc;

use serde_json::Value;

use super::evidence::{PageSeen, Stability, Walk, WalkEnd};
use super::same::instant;
use crate::contract::pointer;
use crate::contract::vocabulary::PageInvariant;
use crate::exchange::json::Body;
use crate::exchange::{Digest, Request};

/// Reads a page from its body.
pub(super) fn page_seen(invariant: &PageInvariant, asked: Option<u64>, body: &Body, request: &Request) -> PageSeen {
    let integer = |at: &str| pointer::get(&body.value, at).and_then(integer);
    let items = pointer::get(&body.value, &invariant.items).and_then(Value::as_array);
    let has_item_array = items.is_some();
    let identifier = |item: &Value| {
        pointer::get(item, &invariant.id)
            .filter(|id| !id.is_null())
            .map(Digest::of)
    };
    let items = items.map_or(&[][..], Vec::as_slice);
    PageSeen {
        asked,
        request: Arc::new(request.clone()),
        page: integer(&invariant.page),
        per_page: integer(&invariant.per_page),
        total: integer(&invariant.total),
        last_page: integer(&invariant.last_page),
        has_item_array,
        items: items.iter().map(identifier).collect(),
        latest: items.iter().filter_map(latest).max(),
        stated_size: None,
    }
}

/// Returns the latest instant among the members of an item, in microseconds since 1970.
fn latest(item: &Value) -> Option<i64> {
    let members = item.as_object()?.values();
    // Most strings are not timestamps, and a list may be very long.
    let may_be_one = |value: &&Value| {
        let text = value.as_str().unwrap_or_default();
        text.starts_with(|first: char| first.is_ascii_digit()) && text.contains(':')
    };
    let instants = members.filter(may_be_one).filter_map(instant);
    instants.map(|instant| instant.timestamp_micros()).max()
}

/// Returns an integer in any spelling: `2.0` is one too.
pub(super) fn integer(value: &Value) -> Option<i64> {
    let written = || value.as_f64().filter(|number| number.fract() == 0.0);
    value.as_i64().or_else(|| format!("{:.0}", written()?).parse().ok())
}

/// Returns how a walk would end after its first page.
pub(super) fn end_after_first_page(first: &PageSeen, too_many: bool) -> WalkEnd {
    match first.last_page {
        Some(_) if too_many => WalkEnd::TooManyPages,
        Some(_) if first.shows_items() => WalkEnd::Complete,
        _ => WalkEnd::Unusable,
    }
}

/// Compares two consecutive walks that did not add up, to tell whether the list is stable.
pub(super) fn stability(before: &Walk, after: &Walk) -> Stability {
    let totals = |walk: &Walk| walk.pages.iter().map(|page| page.total).collect::<Vec<_>>();
    let first = |walk: &Walk| walk.pages.first().and_then(|page| page.total);
    let latest = |walk: &Walk| walk.pages.iter().filter_map(|page| page.latest).max();
    let was_updated = latest(before).is_some() && latest(before) < latest(after);
    if was_updated && !before.items().eq(after.items()) {
        Stability::Unstable
    } else if totals(before) == totals(after) {
        Stability::Stable
    } else if first(before) == first(after) {
        Stability::Unknown
    } else {
        Stability::Unstable
    }
}

/// Whether a walk adds up; one that is not complete counts as if it did. A missing total counts as agreeing, because
/// waiting would not produce one.
pub(super) fn adds_up(walk: &Walk) -> bool {
    let different = walk.count_distinct();
    let total = walk.pages.first().and_then(|page: &PageSeen| page.total);
    let agrees = different == walk.items().count() && (total.is_none() || total == i64::try_from(different).ok());
    walk.end != WalkEnd::Complete || (!walk.disagrees() && agrees)
}

/// Returns how many items a list has, and how many more would fill its last page; `None` where its first page does not
/// show this.
pub(crate) fn total_and_space_on_last_page(walk: &Walk) -> Option<(i64, u64)> {
    let first = walk.pages.first()?;
    let (total, per_page) = (first.total?, first.per_page?);
    if total < 0 || per_page < 1 {
        return None;
    }
    let over = u64::try_from(total % per_page).ok()?;
    let per_page = u64::try_from(per_page).ok()?;
    Some((total, if over == 0 { 0 } else { per_page - over }))
}

/// Whether a walk over the first page of a list and its last one, and no others, adds up.
pub(super) fn ends_add_up(walk: &Walk) -> bool {
    walk.end == WalkEnd::SeenEnough && counts_of_ends_add_up(walk)
}

/// Whether the first page of a list and its last one add up, as far as two pages can show: the last one must hold at
/// least the items that the others cannot.
pub(super) fn counts_of_ends_add_up(walk: &Walk) -> bool {
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
    let once = walk.items().count() == walk.count_distinct();
    !walk.disagrees() && counted && once
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    use crate::exchange::{Digest, Request};

    fn page(items: &[u64], total: i64) -> PageSeen {
        let contract = crate::testing::built_in();
        let operation = contract.operation_named("getTags").unwrap();
        let request = Request::unfilled(operation, contract.operation(operation));
        PageSeen {
            asked: None,
            request: Arc::new(request),
            page: Some(1),
            per_page: Some(10),
            total: Some(total),
            last_page: Some(1),
            has_item_array: true,
            items: items.iter().map(|id| Some(Digest::from(*id))).collect(),
            latest: None,
            stated_size: None,
        }
    }

    fn walk(pages: &[PageSeen], end: WalkEnd) -> Walk {
        Walk {
            operation: pages[0].request.operation,
            pages: pages.to_vec(),
            end,
            max_pages: 100,
            stability: Stability::Unknown,
            is_residue_walk: false,
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
        let without_total = PageSeen {
            total: None,
            ..page(&[1, 2], 0)
        };
        assert!(adds_up(&walk(std::slice::from_ref(&without_total), WalkEnd::Complete)));
        assert!(!adds_up(&walk(&[without_total, page(&[3], 3)], WalkEnd::Complete)));
    }

    #[test]
    fn what_a_last_page_lacks_is_what_total_lacks_of_a_multiple() {
        let lacking_of = |total, per_page| {
            let first = PageSeen {
                per_page: Some(per_page),
                ..page(&[1], total)
            };
            total_and_space_on_last_page(&walk(&[first], WalkEnd::SeenEnough))
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
            ends_add_up(&walk(&[of(None, &[1, 2]), last], WalkEnd::SeenEnough))
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
        let walked = |totals: [i64; 2]| walk(&totals.map(|total| page(&[1], total)), WalkEnd::Complete);
        for (before, after, expected) in [
            ([2, 3], [2, 3], Stability::Stable),
            ([2, 2], [2, 2], Stability::Stable),
            ([2, 3], [3, 3], Stability::Unstable),
            ([2, 3], [3, 4], Stability::Unstable),
            ([2, 2], [2, 3], Stability::Unknown),
        ] {
            assert_eq!(
                stability(&walked(before), &walked(after)),
                expected,
                "{before:?} {after:?}"
            );
        }
    }

    #[test]
    fn items_in_another_order_are_a_change_only_if_one_was_updated() {
        let walked = |items: &[u64], latest| {
            let page = PageSeen {
                latest,
                ..page(items, 3)
            };
            walk(&[page], WalkEnd::Complete)
        };
        let before = walked(&[1, 2, 2], Some(5));
        for (after, expected) in [
            (walked(&[3, 1, 1], Some(6)), Stability::Unstable),
            (walked(&[3, 1, 1], Some(5)), Stability::Stable),
            (walked(&[3, 1, 1], None), Stability::Stable),
            (walked(&[1, 2, 2], Some(6)), Stability::Stable),
        ] {
            assert_eq!(stability(&before, &after), expected, "{after:?}");
        }
        let without = walked(&[1, 2, 2], None);
        assert_eq!(stability(&without, &walked(&[3, 1, 1], Some(6))), Stability::Stable);
    }

    /// The page that `getTags` showed with this response.
    fn seen(body: Value) -> PageSeen {
        let contract = crate::testing::built_in();
        let operation = contract.operation_named("getTags").unwrap();
        let documented = contract.operation(operation);
        let request = Request::unfilled(operation, documented);
        let body = Body {
            value: body,
            duplicates: Vec::new(),
        };
        page_seen(documented.page.as_ref().unwrap(), None, &body, &request)
    }

    fn answered(items: &[&str], total: i64) -> PageSeen {
        let items: Vec<_> = items.iter().map(|id| json!({ "id": id })).collect();
        seen(json!({"data": {"page": 1, "per_page": 10, "total": total, "last_page": 1, "items": items}}))
    }

    #[test]
    fn a_page_is_read_where_the_invariant_says_that_it_is() {
        let page = answered(&["a", "b"], 2);
        assert_eq!(
            (page.page, page.per_page, page.total, page.last_page),
            (Some(1), Some(10), Some(2), Some(1))
        );
        assert_eq!(
            page.items,
            [Some(Digest::of(&json!("a"))), Some(Digest::of(&json!("b")))]
        );
        assert!(page.shows_items());
    }

    #[test]
    fn what_a_response_lacks_is_not_made_up() {
        let page = seen(json!({"data": {"page": "1", "total": null}}));
        assert_eq!(
            (page.page, page.per_page, page.total, page.last_page),
            (None, None, None, None)
        );
        assert!(!page.has_item_array && !page.shows_items());
    }

    #[test]
    fn the_latest_instant_of_a_page_is_that_of_any_member_of_any_item() {
        let at = |items: Value| seen(json!({"data": {"items": items}})).latest;
        let items = json!([
            {"created_at": "2024-05-17T07:30:00Z", "updated_at": "2024-05-17 09:30:02+02:00", "note": "7:30"},
            {"created_at": "2024-05-17T07:30:01Z", "number": "99999999999", "born": "2030-01-01"},
        ]);
        let expected = instant(&json!("2024-05-17T07:30:02Z")).unwrap();
        assert_eq!(at(items), Some(expected.timestamp_micros()));
        assert_eq!((at(json!([7, {}])), at(json!({}))), (None, None));
    }

    #[test]
    fn null_and_nothing_identify_no_item() {
        let page = seen(json!({"data": {"items": [{"id": null}, {}, {"id": 7}, "b"]}}));
        assert_eq!(page.items, [None, None, Some(Digest::of(&json!(7))), None]);
        assert!(page.has_item_array && !page.shows_items());
    }

    #[test]
    fn a_walk_ends_as_its_first_page_lets_it() {
        assert_eq!(end_after_first_page(&answered(&["a"], 1), false), WalkEnd::Complete);
        assert_eq!(end_after_first_page(&answered(&["a"], 1), true), WalkEnd::TooManyPages);
        assert_eq!(
            end_after_first_page(&seen(json!({"data": {"last_page": 1}})), false),
            WalkEnd::Unusable
        );
        assert_eq!(
            end_after_first_page(&seen(json!({"data": {"items": []}})), true),
            WalkEnd::Unusable
        );
    }
}
