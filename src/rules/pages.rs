//! `pages`: the pages of a list do not add up. The invariant is `x-page`.

use std::collections::HashSet;

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::verdict::{Reason, Sink};
use crate::contract::fact::{FactId, FactKind};
use crate::exchange::Digest;
use crate::history::evidence::{PageSeen, Walk, WalkEnd};

pub(super) static RULE: Rule = Rule {
    name: "pages",
    level: Level::Deny,
    headline: Headline::Operation("returns pages that do not add up", "return pages that do not add up"),
    topic: Topic::Invariants,
    summary: "The pages of a list are the requested ones, have at most per_page items, share none, and add up to \
              total.",
    explanation: "A list is walked from its first page to its last_page, and the numbers on its pages are compared \
                  with their items. Where they disagree, a caller that follows them reads a record twice or never.",
    exceptions: "A list whose totals change while it is walked: it is walked again until it adds up or the time to \
                   settle has passed, and then left undecided. A list of one page, or of more pages than are walked. \
                   Whether an empty list has 0 pages or 1, and whether each page before the last one is full.",
    fix: "Return the requested page with at most `per_page` items, in an order that does not change, and count all items.",
    source: "The document, sections \"Page envelope (all list responses)\" and \"Limits\"; the query parameter page",
    example: Example {
        fact: "getTags pages /data/page: the page asked for",
        documented: "the page asked for",
        received: "page 1 where 2 was asked for",
        pointer: "/data/page",
        #[cfg(test)]
        judged: || {
            let fixture = crate::rules::testing::Fixture::of("getTags");
            let page = |asked, id| PageSeen {
                asked,
                request: std::sync::Arc::new(fixture.request()),
                page: Some(1),
                per_page: Some(1),
                total: Some(2),
                last_page: Some(2),
                has_item_array: true,
                items: vec![Some(Digest::from(id))],
                latest: None,
                stated_size: None,
            };
            let walk = fixture.walk(vec![page(None, 1), page(Some(2), 2)], WalkEnd::Complete);
            fixture.judge(|judge| judge.walk(&walk))
        },
    },
    judge: Judging::Walk(judge, |_, _| {}),
};

/// The facts that a list of one page does not show.
pub(crate) const FACTS_THAT_NEED_TWO_PAGES: [FactKind; 2] = [FactKind::PageAsked, FactKind::PageUnique];

/// Judges every fact about the pages of a walk. A look for residue decides only two of them: its pages may show what
/// edge cases stored.
fn judge(walk: &Walk, sink: &mut Sink<'_>) {
    let fact = |sink: &Sink<'_>, kind| sink.contract.fact_of(walk.operation, kind);
    if walk.is_residue_walk {
        if let Some(fact) = fact(sink, FactKind::PageLast) {
            walk.pages.iter().for_each(|page| judge_last_page(page, fact, sink));
        }
        if let Some(fact) = fact(sink, FactKind::PageTotal) {
            judge_total(walk, fact, sink);
        }
        return;
    }
    for page in &walk.pages {
        let kind = if page.asked.is_some() {
            FactKind::PageAsked
        } else {
            FactKind::PageDefault
        };
        if let Some(fact) = fact(sink, kind) {
            judge_number(page, fact, sink);
        }
        if let Some(fact) = fact(sink, FactKind::PageSize) {
            judge_size(page, fact, sink);
        }
        if let Some(fact) = fact(sink, FactKind::PageLast) {
            judge_last_page(page, fact, sink);
        }
    }
    if walk.pages.len() == 1
        && let Some(fact) = fact(sink, FactKind::PageAsked)
    {
        sink.undecided(fact, walk.end.reason(walk.max_pages).unwrap_or(Reason::OnePage));
    }
    if let Some(fact) = fact(sink, FactKind::PageFull) {
        judge_full_page(walk, fact, sink);
    }
    // Only some of the pages were requested: they show neither what is on all of them nor how many items there are.
    if walk.end == WalkEnd::SeenEnough {
        return;
    }
    if let Some(fact) = fact(sink, FactKind::PageUnique) {
        judge_unique(walk, fact, sink);
    }
    if let Some(fact) = fact(sink, FactKind::PageTotal) {
        judge_total(walk, fact, sink);
    }
}

/// Judges the number on a page: it is the requested one, or 1.
fn judge_number(page: &PageSeen, fact: FactId, sink: &mut Sink<'_>) {
    let Some(shown) = page.page else { return };
    if u64::try_from(shown) == Ok(page.asked.unwrap_or(1)) {
        sink.held(fact);
    } else {
        sink.page_broken(
            page,
            fact,
            format!("page {shown} where {} was asked for", requested_number(page)),
        );
    }
}

/// Returns the number of the requested page, or `none` where none was requested.
fn requested_number(page: &PageSeen) -> String {
    page.asked.map_or_else(|| "none".to_owned(), |asked| asked.to_string())
}

/// Judges how many items a page has: at most `per_page`.
fn judge_size(page: &PageSeen, fact: FactId, sink: &mut Sink<'_>) {
    let Some(per_page) = page.per_page else { return };
    if usize::try_from(per_page).is_ok_and(|most| page.items.len() <= most) {
        sink.held(fact);
    } else {
        sink.page_broken(
            page,
            fact,
            format!("{} items with per_page {per_page}", page.items.len()),
        );
    }
}

/// Judges `last_page`: it is `total` divided by `per_page`, rounded up. For an empty list both 0 and 1 are right,
/// because the document does not say which it is.
fn judge_last_page(page: &PageSeen, fact: FactId, sink: &mut Sink<'_>) {
    let (Some(last), Some(total), Some(per_page)) = (page.last_page, page.total, page.per_page) else {
        return;
    };
    let agrees = match (total, per_page) {
        (0, _) => matches!(last, 0 | 1),
        (1.., 1..) => last == (total - 1) / per_page + 1,
        _ => false,
    };
    if agrees {
        sink.held(fact);
    } else {
        sink.page_broken(
            page,
            fact,
            format!("last_page {last} with total {total} and per_page {per_page}"),
        );
    }
}

/// Judges a list whose `total` is a multiple of `per_page`: `last_page` is the quotient. The last page is full, because
/// no page has more than `per_page` items and together they have `total`.
fn judge_full_page(walk: &Walk, fact: FactId, sink: &mut Sink<'_>) {
    let at_a_multiple = |page: &&PageSeen| {
        let of = page.total.zip(page.per_page);
        of.is_some_and(|(total, per_page)| total > 0 && per_page > 0 && total % per_page == 0)
    };
    let is_last =
        |page: &&PageSeen| page.last_page.and_then(|last| u64::try_from(last).ok()) == Some(page.asked.unwrap_or(1));
    if !walk.pages.iter().any(|page| at_a_multiple(&page)) {
        return sink.undecided(fact, walk.end.reason(walk.max_pages).unwrap_or(Reason::NotFull));
    }
    if walk.changed() {
        return sink.undecided(fact, Reason::ListChanged);
    }
    let Some(page) = walk.pages.iter().filter(at_a_multiple).find(is_last) else {
        return sink.undecided(fact, walk.end.reason(walk.max_pages).unwrap_or(Reason::NotShown));
    };
    let (total, per_page) = (page.total.unwrap_or_default(), page.per_page.unwrap_or_default());
    let last = page.last_page.unwrap_or_default();
    let count = page.items.len();
    if per_page.checked_mul(last) != Some(total) {
        let received = format!("last_page {last} with total {total} and per_page {per_page}");
        sink.page_broken(page, fact, received);
    } else if !page.has_item_array {
        // A value in place of the items is another rule's finding.
        sink.undecided(fact, Reason::NotShown);
    } else if i64::try_from(count).is_ok_and(|count| count < per_page) {
        let received = format!("{count} items on page {last}, with total {total} and per_page {per_page}");
        sink.page_broken(page, fact, received);
    } else {
        sink.held(fact);
    }
}

/// Judges whether no item is on two pages.
fn judge_unique(walk: &Walk, fact: FactId, sink: &mut Sink<'_>) {
    if walk.changed() {
        return sink.undecided(fact, Reason::ListChanged);
    }
    let mut earlier: HashSet<Digest> = HashSet::new();
    // Where no two items are the same, which is almost always, nothing needs to be remembered for each page.
    let shared = walk.items().count() != walk.count_distinct();
    for page in walk.pages.iter().filter(|_| shared) {
        if let Some(index) = page
            .items
            .iter()
            .position(|id| id.is_some_and(|id| earlier.contains(&id)))
        {
            return sink.page_broken(
                page,
                fact,
                format!(
                    "also on an earlier page: item {index} of page {}",
                    requested_number(page)
                ),
            );
        }
        earlier.extend(page.items.iter().copied().flatten());
    }
    match walk.end.reason(walk.max_pages) {
        Some(reason) => sink.undecided(fact, reason),
        None if walk.pages.len() == 1 => sink.undecided(fact, Reason::OnePage),
        None => sink.held(fact),
    }
}

/// Judges `total`: a complete walk shows that many different items.
fn judge_total(walk: &Walk, fact: FactId, sink: &mut Sink<'_>) {
    if let Some(reason) = walk.end.reason(walk.max_pages) {
        return sink.undecided(fact, reason);
    }
    if walk.changed() {
        return sink.undecided(fact, Reason::ListChanged);
    }
    let count = i64::try_from(walk.count_distinct()).unwrap_or(i64::MAX);
    let mut totals = walk.pages.iter().filter_map(|page| Some((page, page.total?)));
    if let Some((page, total)) = totals.clone().find(|(_, total)| *total != count) {
        let pages = walk.pages.len();
        let received = format!("total {total}, and {count} different items on {pages} pages");
        sink.page_broken(page, fact, received);
    } else if totals.next().is_some() {
        sink.held(fact);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::evidence::Stability;
    use crate::rules::testing::{Fixture, Judged};
    use crate::rules::{Level, Verdict};

    /// A page of a list of five items, two to a page, as a sound service shows it.
    fn page(asked: Option<u64>, items: &[u64]) -> PageSeen {
        PageSeen {
            asked,
            request: Fixture::of("getTags").request().into(),
            page: Some(asked.unwrap_or(1).try_into().unwrap()),
            per_page: Some(2),
            total: Some(5),
            last_page: Some(3),
            has_item_array: true,
            items: items.iter().map(|id| Some(Digest::from(*id))).collect(),
            latest: None,
            stated_size: None,
        }
    }

    fn sound() -> Vec<PageSeen> {
        vec![page(None, &[1, 2]), page(Some(2), &[3, 4]), page(Some(3), &[5])]
    }

    fn judged(pages: Vec<PageSeen>, end: WalkEnd) -> Judged {
        let fixture = Fixture::of("getTags");
        fixture.judge(|judge| judge.walk(&fixture.walk(pages, end)))
    }

    /// A sound walk with one change to the page at the index.
    fn changed(index: usize, change: impl FnOnce(&mut PageSeen)) -> Judged {
        let mut pages = sound();
        change(&mut pages[index]);
        judged(pages, WalkEnd::Complete)
    }

    fn empty(last_page: i64) -> Judged {
        let empty = PageSeen {
            total: Some(0),
            last_page: Some(last_page),
            ..page(None, &[])
        };
        judged(vec![empty], WalkEnd::Complete)
    }

    const KINDS: [FactKind; 6] = [
        FactKind::PageAsked,
        FactKind::PageDefault,
        FactKind::PageLast,
        FactKind::PageSize,
        FactKind::PageTotal,
        FactKind::PageUnique,
    ];

    #[test]
    fn a_sound_walk_holds_everything() {
        let result = judged(sound(), WalkEnd::Complete);
        for kind in KINDS {
            assert_eq!(result.kind(kind), Verdict::Held, "{kind:?}");
        }
    }

    #[test]
    fn a_walk_without_pages_decides_nothing() {
        for kind in KINDS {
            assert_eq!(
                judged(Vec::new(), WalkEnd::NoResponse).kind(kind),
                Verdict::Undecided(Reason::NotShown)
            );
        }
    }

    #[test]
    fn another_page_than_the_one_asked_for_is_broken() {
        let judged = changed(1, |page| page.page = Some(1));
        assert_eq!(judged.kind(FactKind::PageAsked), Verdict::Broken);
        assert_eq!(judged.received("pages"), "page 1 where 2 was asked for");
        assert_eq!(judged.kind(FactKind::PageDefault), Verdict::Held);
    }

    #[test]
    fn a_default_page_other_than_the_first_is_broken() {
        for shown in [0, 2, -1] {
            let judged = changed(0, |page| page.page = Some(shown));
            assert_eq!(judged.kind(FactKind::PageDefault), Verdict::Broken);
            assert_eq!(
                judged.received("pages"),
                format!("page {shown} where none was asked for")
            );
        }
    }

    #[test]
    fn an_overfull_page_is_broken_and_a_short_one_is_not() {
        let judged = changed(0, |page| page.per_page = Some(1));
        assert_eq!(judged.kind(FactKind::PageSize), Verdict::Broken);
        let judged = changed(0, |page| page.per_page = Some(-1));
        assert_eq!(judged.kind(FactKind::PageSize), Verdict::Broken);
        let judged = changed(1, |page| page.items.truncate(1));
        assert_eq!(judged.kind(FactKind::PageSize), Verdict::Held);
    }

    #[test]
    fn a_last_page_that_does_not_follow_from_total_and_per_page_is_broken() {
        for (last, total, per_page, holds) in [
            (3, 5, 2, true),
            (2, 4, 2, true),
            (1, 1, 2, true),
            (i64::MAX, i64::MAX, 1, true),
            (2, 5, 2, false),
            (4, 5, 2, false),
            (0, 5, 2, false),
            (3, -5, 2, false),
            (3, 5, 0, false),
        ] {
            let judged = changed(0, |page| {
                (page.last_page, page.total, page.per_page) = (Some(last), Some(total), Some(per_page));
            });
            let verdict = if holds { Verdict::Held } else { Verdict::Broken };
            assert_eq!(judged.kind(FactKind::PageLast), verdict, "{last} {total} {per_page}");
        }
    }

    /// Judges a walk of a list that states these numbers: a first page of two items, if it is not the last, and this
    /// last page.
    fn ending_in(last: &[u64], (total, last_page): (i64, i64), end: WalkEnd) -> Judged {
        let of = |page: PageSeen| PageSeen {
            total: Some(total),
            last_page: Some(last_page),
            ..page
        };
        let number = u64::try_from(last_page).ok().filter(|number| *number > 1);
        let last = of(page(number, last));
        let pages = match number {
            Some(_) => vec![of(page(None, &[1, 2])), last],
            None => vec![last],
        };
        judged(pages, end)
    }

    #[test]
    fn a_full_last_page_is_the_last_one() {
        for (last, numbers, verdict) in [
            (&[3, 4][..], (4, 2), Verdict::Held),
            (&[1, 2], (2, 1), Verdict::Held),
            (&[], (4, 3), Verdict::Broken),
            (&[1, 2], (4, 1), Verdict::Broken),
            (&[3], (4, 2), Verdict::Broken),
            (&[], (4, 2), Verdict::Broken),
        ] {
            for end in [WalkEnd::Complete, WalkEnd::SeenEnough] {
                assert_eq!(
                    ending_in(last, numbers, end).kind(FactKind::PageFull),
                    verdict,
                    "{last:?} {numbers:?}"
                );
            }
        }
        let unlisted = PageSeen {
            total: Some(4),
            last_page: Some(2),
            has_item_array: false,
            ..page(Some(2), &[])
        };
        let result = judged(vec![unlisted], WalkEnd::SeenEnough);
        assert_eq!(result.kind(FactKind::PageFull), Verdict::Undecided(Reason::NotShown));
        let received = ending_in(&[3], (4, 2), WalkEnd::SeenEnough)
            .received("pages")
            .to_owned();
        assert_eq!(received, "1 items on page 2, with total 4 and per_page 2");
    }

    #[test]
    fn a_last_page_that_is_not_full_decides_nothing_of_a_full_one() {
        for (last, numbers) in [(&[3][..], (3, 2)), (&[5], (5, 3)), (&[], (0, 0)), (&[], (0, 1))] {
            let result = ending_in(last, numbers, WalkEnd::Complete);
            assert_eq!(
                result.kind(FactKind::PageFull),
                Verdict::Undecided(Reason::NotFull),
                "{numbers:?}"
            );
        }
        let result = judged(sound().into_iter().take(1).collect(), WalkEnd::NoResponse);
        assert_eq!(result.kind(FactKind::PageFull), Verdict::Undecided(Reason::NoResponse));
    }

    #[test]
    fn a_full_last_page_that_was_not_seen_or_changed_decides_nothing() {
        let of = |page: PageSeen| PageSeen { total: Some(6), ..page };
        let result = judged(vec![of(page(None, &[1, 2]))], WalkEnd::TooManyPages);
        assert_eq!(
            result.kind(FactKind::PageFull),
            Verdict::Undecided(Reason::TooManyPages(100))
        );
        let changed = vec![page(None, &[1, 2]), of(page(Some(3), &[5]))];
        let result = judged(changed, WalkEnd::Complete);
        assert_eq!(result.kind(FactKind::PageFull), Verdict::Undecided(Reason::ListChanged));
    }

    #[test]
    fn of_the_look_at_the_end_of_a_run_the_counts_alone_are_judged() {
        let judged = |pages, end| {
            let fixture = Fixture::of("getTags");
            let walk = Walk {
                is_residue_walk: true,
                ..fixture.walk(pages, end)
            };
            fixture.judge(|judge| judge.walk(&walk))
        };
        let mut pages = sound();
        pages[1].page = Some(7);
        let result = judged(pages.clone(), WalkEnd::Complete);
        assert_eq!(result.kind(FactKind::PageLast), Verdict::Held);
        assert_eq!(result.kind(FactKind::PageTotal), Verdict::Held);
        assert_eq!(result.kind(FactKind::PageAsked), Verdict::Undecided(Reason::NotShown));
        pages.iter_mut().for_each(|page| page.last_page = Some(2));
        let result = judged(pages, WalkEnd::Complete);
        assert_eq!(result.kind(FactKind::PageLast), Verdict::Broken);
    }

    #[test]
    fn two_pages_of_many_say_nothing_of_what_all_hold() {
        let judged = ending_in(&[5, 6], (6, 3), WalkEnd::SeenEnough);
        for kind in [
            FactKind::PageLast,
            FactKind::PageSize,
            FactKind::PageAsked,
            FactKind::PageFull,
        ] {
            assert_eq!(judged.kind(kind), Verdict::Held, "{kind:?}");
        }
        for kind in [FactKind::PageTotal, FactKind::PageUnique] {
            assert_eq!(judged.kind(kind), Verdict::Undecided(Reason::NotShown), "{kind:?}");
        }
    }

    #[test]
    fn an_item_on_two_pages_is_broken() {
        let judged = changed(2, |page| page.items = vec![Some(Digest::from(1))]);
        assert_eq!(judged.kind(FactKind::PageUnique), Verdict::Broken);
        assert_eq!(
            judged.findings("pages")[0].received,
            "also on an earlier page: item 0 of page 3"
        );
        assert_eq!(judged.kind(FactKind::PageTotal), Verdict::Broken);
    }

    #[test]
    fn more_or_fewer_items_than_total_are_broken() {
        for items in [&[][..], &[5, 6]] {
            let judged = changed(2, |page| {
                page.items = items.iter().map(|id| Some(Digest::from(*id))).collect();
            });
            assert_eq!(judged.kind(FactKind::PageTotal), Verdict::Broken);
            assert_eq!(judged.finding("pages").level, Level::Deny);
        }
    }

    #[test]
    fn a_list_that_changed_decides_nothing_about_its_items() {
        let mut pages = sound();
        pages[1].total = Some(6);
        let mut unstable = Fixture::of("getTags").walk(sound(), WalkEnd::Complete);
        unstable.stability = Stability::Unstable;
        unstable.pages[2].items = vec![Some(Digest::from(1))];
        let expected = Fixture::of("getTags").judge(|judge| judge.walk(&unstable));
        for expected in [judged(pages, WalkEnd::Complete), expected] {
            assert_eq!(
                expected.kind(FactKind::PageUnique),
                Verdict::Undecided(Reason::ListChanged)
            );
            assert_eq!(
                expected.kind(FactKind::PageTotal),
                Verdict::Undecided(Reason::ListChanged)
            );
        }
    }

    #[test]
    fn a_page_that_reports_another_total_each_time_is_broken() {
        let mut stable = Fixture::of("getTags").walk(sound(), WalkEnd::Complete);
        stable.stability = Stability::Stable;
        stable.pages[1].total = Some(6);
        let judged = Fixture::of("getTags").judge(|judge| judge.walk(&stable));
        assert_eq!(judged.kind(FactKind::PageTotal), Verdict::Broken);
        assert_eq!(judged.kind(FactKind::PageUnique), Verdict::Held);
        let received = judged
            .findings("pages")
            .iter()
            .map(|finding| finding.received.clone())
            .collect::<Vec<_>>();
        assert!(
            received.contains(&"total 6, and 5 different items on 3 pages".to_owned()),
            "{received:?}"
        );
    }

    #[test]
    fn one_page_shows_neither_another_page_nor_a_shared_item() {
        let only = PageSeen {
            total: Some(2),
            last_page: Some(1),
            ..page(None, &[1, 2])
        };
        let result = judged(vec![only], WalkEnd::Complete);
        assert_eq!(result.kind(FactKind::PageAsked), Verdict::Undecided(Reason::OnePage));
        assert_eq!(result.kind(FactKind::PageUnique), Verdict::Undecided(Reason::OnePage));
        assert_eq!(result.kind(FactKind::PageTotal), Verdict::Held);
    }

    #[test]
    fn one_page_of_several_is_not_called_the_only_one() {
        for (end, reason) in [
            (WalkEnd::Unusable, Reason::PageUnclear),
            (WalkEnd::Rejected(404), Reason::OtherStatus(404)),
            (WalkEnd::Unread, Reason::PageUnread),
            (WalkEnd::NoResponse, Reason::NoResponse),
            (WalkEnd::TooManyPages, Reason::TooManyPages(100)),
        ] {
            let result = judged(sound().into_iter().take(1).collect(), end);
            for kind in [FactKind::PageAsked, FactKind::PageUnique, FactKind::PageTotal] {
                assert_eq!(result.kind(kind), Verdict::Undecided(reason.clone()), "{kind:?}");
            }
        }
    }

    #[test]
    fn pages_beyond_the_walk_leave_the_total_undecided() {
        let result = judged(sound(), WalkEnd::TooManyPages);
        for kind in [FactKind::PageUnique, FactKind::PageTotal] {
            assert_eq!(result.kind(kind), Verdict::Undecided(Reason::TooManyPages(100)));
        }
        assert_eq!(result.kind(FactKind::PageAsked), Verdict::Held);
    }

    #[test]
    fn an_empty_list_has_no_page_or_one() {
        for (last_page, verdict) in [
            (0, Verdict::Held),
            (1, Verdict::Held),
            (2, Verdict::Broken),
            (-1, Verdict::Broken),
        ] {
            let judged = empty(last_page);
            assert_eq!(judged.kind(FactKind::PageLast), verdict, "{last_page}");
            assert_eq!(judged.kind(FactKind::PageTotal), Verdict::Held);
            assert_eq!(judged.kind(FactKind::PageUnique), Verdict::Undecided(Reason::OnePage));
        }
    }

    #[test]
    fn a_page_that_shows_no_numbers_decides_nothing_about_them() {
        let silent = PageSeen {
            page: None,
            per_page: None,
            total: None,
            ..page(None, &[1])
        };
        let result = judged(vec![silent], WalkEnd::Complete);
        for kind in [
            FactKind::PageDefault,
            FactKind::PageSize,
            FactKind::PageLast,
            FactKind::PageTotal,
        ] {
            assert_eq!(result.kind(kind), Verdict::Undecided(Reason::NotShown), "{kind:?}");
        }
    }

    #[test]
    fn the_finding_points_at_the_number_and_repeats_the_request_for_that_page() {
        let reported = changed(1, |page| page.page = Some(1));
        let invariant = "/paths/~1organization~1v1~1tags/get/x-page";
        assert_eq!(reported.locations("pages"), ("/data/page", invariant));
        assert_eq!(reported.finding("pages").request.path, "/organization/v1/tags?page=2");
    }
}
