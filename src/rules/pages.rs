//! `pages`: the pages of a list do not add up. Law 1.

use std::collections::HashSet;

use super::evidence::{PageSeen, Walk, WalkEnd};
use super::level::Level;
use super::rule::{Judging, Rule};
use super::verdict::{Reason, Sink};
use crate::contract::fact::{FactId, FactKind};

pub(super) static RULE: Rule = Rule {
    name: "pages",
    level: Level::Deny,
    summary: "A list's pages are those asked for, hold at most per_page items, share none, and add up to total.",
    source: "Page envelope; Limits; the query parameter page",
    judge: Judging::Walk(judge),
};

fn judge(walk: &Walk, sink: &mut Sink<'_>) {
    let fact = |sink: &Sink<'_>, kind| sink.contract.fact_of(walk.operation, kind);
    for page in &walk.pages {
        let kind = if page.asked.is_some() {
            FactKind::PageAsked
        } else {
            FactKind::PageDefault
        };
        if let Some(fact) = fact(sink, kind) {
            number(page, fact, sink);
        }
        if let Some(fact) = fact(sink, FactKind::PageSize) {
            size(page, fact, sink);
        }
        if let Some(fact) = fact(sink, FactKind::PageLast) {
            last(page, fact, sink);
        }
    }
    if walk.pages.len() == 1
        && let Some(fact) = fact(sink, FactKind::PageAsked)
    {
        sink.undecided(fact, Reason::OnePage);
    }
    if let Some(fact) = fact(sink, FactKind::PageUnique) {
        unique(walk, fact, sink);
    }
    if let Some(fact) = fact(sink, FactKind::PageTotal) {
        total(walk, fact, sink);
    }
}

/// The page is the one asked for, or 1.
fn number(page: &PageSeen, fact: FactId, sink: &mut Sink<'_>) {
    let Some(shown) = page.page else { return };
    if u64::try_from(shown) == Ok(page.asked.unwrap_or(1)) {
        sink.held(fact);
    } else {
        sink.page_broken(page, fact, format!("page {shown} where {} was asked for", asked(page)));
    }
}

fn asked(page: &PageSeen) -> String {
    page.asked.map_or_else(|| "none".to_owned(), |asked| asked.to_string())
}

fn size(page: &PageSeen, fact: FactId, sink: &mut Sink<'_>) {
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

/// `last_page` is `total` divided by `per_page`, rounded up. For an empty list both 0 and 1 are read as agreeing: the
/// document does not say.
fn last(page: &PageSeen, fact: FactId, sink: &mut Sink<'_>) {
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

fn unique(walk: &Walk, fact: FactId, sink: &mut Sink<'_>) {
    if walk.changed() {
        return sink.undecided(fact, Reason::Changed);
    }
    let mut earlier: HashSet<u64> = HashSet::new();
    for page in &walk.pages {
        if let Some(index) = page
            .items
            .iter()
            .position(|id| id.is_some_and(|id| earlier.contains(&id)))
        {
            return sink.page_broken(
                page,
                fact,
                format!("item {index} of page {} stood on an earlier page", asked(page)),
            );
        }
        earlier.extend(page.items.iter().copied().flatten());
    }
    match walk.end {
        _ if walk.pages.len() == 1 && walk.end == WalkEnd::Complete => sink.undecided(fact, Reason::OnePage),
        WalkEnd::Complete => sink.held(fact),
        WalkEnd::TooManyPages => sink.undecided(fact, Reason::TooManyPages(walk.most)),
        WalkEnd::Broken => sink.undecided(fact, Reason::Broken),
        WalkEnd::Unanswered => sink.undecided(fact, Reason::Unanswered),
    }
}

fn total(walk: &Walk, fact: FactId, sink: &mut Sink<'_>) {
    match walk.end {
        WalkEnd::Broken => return sink.undecided(fact, Reason::Broken),
        WalkEnd::Unanswered => return sink.undecided(fact, Reason::Unanswered),
        WalkEnd::TooManyPages => return sink.undecided(fact, Reason::TooManyPages(walk.most)),
        WalkEnd::Complete if walk.changed() => return sink.undecided(fact, Reason::Changed),
        WalkEnd::Complete => {}
    }
    let Some((first, total)) = walk.pages.first().and_then(|page| Some((page, page.total?))) else {
        return;
    };
    let items: HashSet<_> = walk.pages.iter().flat_map(|page| &page.items).collect();
    if u64::try_from(total).ok() == u64::try_from(items.len()).ok() {
        sink.held(fact);
    } else {
        let pages = walk.pages.len();
        sink.page_broken(
            first,
            fact,
            format!("total {total}, and {} different items on {pages} pages", items.len()),
        );
    }
}
