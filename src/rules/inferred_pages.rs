//! `inferred-pages`: the pages of a list are not what its parameters ask for. The invariants are inferred: see
//! [`Paging`](crate::contract::paging::Paging).

use super::level::Level;
use super::rule::{Example, Headline, Judging, Rule, Topic};
use super::seen::ExchangeSeen;
use super::verdict::{Reason, Sink};
use crate::contract::fact::{FactId, FactKind, PageStatement};
use crate::contract::paging::PagingStyle;
use crate::exchange::{Purpose, query_pairs};
use crate::history::evidence::{Stability, Walk, WalkEnd};

pub(super) static RULE: Rule = Rule {
    name: "inferred-pages",
    level: Level::Warn,
    headline: Headline::Operation(
        "returns other pages than its parameters ask for",
        "return other pages than their parameters ask for",
    ),
    topic: Topic::Invariants,
    summary: "The pages of a list are as large as asked for, share no record, have every record of the list, come to an \
              end, and agree with stated totals.",
    explanation: "These invariants are inferred: no document states them, but names and types of parameters and \
                  response leave no doubt: `page` and `per_page`, `offset` and `limit`, a cursor that the response \
                  shows, a `Link` header that it documents. The list is read without them, then page by page, in pages \
                  so small that it has two; of a long list, in larger ones, and at most ten of them. Where the pages \
                  differ from the list, a caller that follows them reads a record twice or never. Both are read once \
                  more, and only if they show the same again is it a finding. Where the document says that a total \
                  counts the records on all pages, a list that says that it has one page must not state another \
                  number than that of its records, three times in a row. Where it says that a page beyond the last one \
                  has no items, the page after the last one is found.",
    exceptions: "A list with `x-page`, of which `pages` judges more. A list that is changed by others, has one record, or \
                   more than ten pages. A list with two kinds of parameters for pages, or that requires one. \
                   Pages that are smaller than asked for. Records without an identifier. A total that counts \
                   only the page, unless the document says that it counts all pages, or that the document calls an \
                   estimate. A link to the next page at another origin or \
                   path, which is never followed.",
    fix: "Order the list by something that does not change, count what is listed, and return no more than asked for; or \
          allow the rule for the operation.",
    source: "RFC 8288, section 3.3 (`rel=next`), and what public documents mean by these names",
    example: Example {
        fact: "getPets pages by page and per_page: no record on two pages",
        documented: "no record on two pages",
        received: "also on an earlier page: record 0 of page 2",
        pointer: "",
        #[cfg(test)]
        judged: || tests::judged(&[&[1, 2, 3], &[1, 2], &[2, 3]], WalkEnd::Complete),
    },
    judge: Judging::Walk(judge, judge_page_beyond_last),
};

fn judge(walk: &Walk, sink: &mut Sink<'_>) {
    if sink.contract.paging_of(walk.operation).is_none() {
        return;
    }
    judge_page_size(walk, sink);
    judge_stated_size(walk, sink);
    let fact = |sink: &Sink<'_>, statement| {
        sink.contract
            .fact_of(walk.operation, FactKind::InferredPages(statement))
    };
    // One cause may break several of these facts, and only the first is reported.
    let mut outcome = Outcome::NoContradiction;
    for (statement, judge) in [
        (
            PageStatement::Ends,
            judge_end as fn(&Walk, FactId, &mut Sink<'_>) -> Outcome,
        ),
        (PageStatement::Unique, judge_unique_records),
        (PageStatement::Whole, judge_completeness),
        (PageStatement::Total, judge_total),
        (PageStatement::Count, judge_page_count),
    ] {
        let Some(fact) = fact(sink, statement) else { continue };
        match outcome {
            Outcome::NoContradiction => outcome = judge(walk, fact, sink),
            Outcome::Changed => sink.undecided(fact, Reason::ListChanged),
            Outcome::Contradicts => sink.undecided(fact, Reason::OtherFactBroken),
        }
    }
}

/// The greatest number of a page that must be there, if only without items: a service may reject pages far away.
const GREATEST_PAGE: u64 = 100;

/// Reports a page after the first that is not found, where the document says that even one beyond the last has no
/// items.
fn judge_page_beyond_last(seen: &ExchangeSeen<'_>, sink: &mut Sink<'_>) {
    let contract = sink.contract;
    let status = seen.exchange.status().filter(|status| matches!(status, 404 | 410));
    let is_own = matches!(seen.intent.purpose, Purpose::Documented(_)) && !seen.intent.is_of_other_client();
    let paging = contract.paging_of(seen.id);
    let (Some(status), Some(paging), true) = (status, paging, is_own && seen.documented.is_none()) else {
        return;
    };
    let name = &seen.operation.parameters[paging.page_parameter].name;
    let asked = query_pairs(&seen.exchange.request.path).find(|(of, _)| of == name);
    let asked = asked.and_then(|(_, number)| number.parse().ok());
    let asked = asked.filter(|number| (2..=GREATEST_PAGE).contains(number));
    let is_stated = matches!(paging.style, PagingStyle::Number { .. })
        && !seen.operation.path.contains('{')
        && contract.says_that_pages_beyond_last_are_empty(seen.id);
    let fact = contract.fact_of(seen.id, FactKind::InferredPages(PageStatement::Ends));
    if let (Some(number), Some(fact), true) = (asked, fact, is_stated) {
        let documented = Some("a page without items beyond the last one");
        sink.report_finding(fact, documented, String::new, || format!("{status} for page {number}"));
    }
}

/// What a walk shows of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It contradicts the fact.
    Contradicts,
    /// It would contradict the fact, but the list may have changed in between.
    Changed,
    /// It contradicts nothing: the fact holds or stays undecided, and the next one is judged.
    NoContradiction,
}

/// Returns why the walk decides nothing; `None` if it saw all of several pages.
fn why_undecided(walk: &Walk) -> Option<Reason> {
    let pages = walk.requested_pages().filter(|page| !page.items.is_empty());
    match walk.end {
        WalkEnd::Unusable => Some(Reason::PageNotFollowed),
        WalkEnd::TooManyPages => Some(Reason::MoreInferredPages(walk.max_pages)),
        WalkEnd::Complete | WalkEnd::SeenEnough => (pages.count() < 2).then_some(Reason::OnePage),
        end => end.reason(walk.max_pages),
    }
}

/// Reports that the walk contradicts a fact, if two walks have shown the same.
fn report_contradiction(walk: &Walk, fact: FactId, sink: &mut Sink<'_>, report: impl FnOnce(&mut Sink<'_>)) -> Outcome {
    if walk.stability == Stability::Stable {
        report(sink);
        Outcome::Contradicts
    } else {
        sink.undecided(fact, Reason::ListChanged);
        Outcome::Changed
    }
}

/// Notes that the fact holds, or why it is not decided.
fn note_held_or_undecided(fact: FactId, reason: Option<Reason>, sink: &mut Sink<'_>) -> Outcome {
    match reason {
        Some(reason) => sink.undecided(fact, reason),
        None => sink.held(fact),
    }
    Outcome::NoContradiction
}

/// Judges each page by itself: it has no more records than were asked for.
fn judge_page_size(walk: &Walk, sink: &mut Sink<'_>) {
    let kind = FactKind::InferredPages(PageStatement::Size);
    let Some(fact) = sink.contract.fact_of(walk.operation, kind) else {
        return;
    };
    let mut is_decided = false;
    for page in walk.requested_pages() {
        let Some(size) = page.per_page else { continue };
        is_decided = true;
        if i64::try_from(page.items.len()).is_ok_and(|count| count <= size) {
            sink.held(fact);
        } else {
            let received = format!("{} records where {size} were asked for", page.items.len());
            return sink.page_broken(page, fact, received);
        }
    }
    if !is_decided {
        sink.undecided(fact, why_undecided(walk).unwrap_or(Reason::OnePage));
    }
}

/// Reports a page that states another size than the one that was asked for, and that it has.
fn judge_stated_size(walk: &Walk, sink: &mut Sink<'_>) {
    let contract = sink.contract;
    let kind = FactKind::InferredPages(PageStatement::Size);
    let at = contract
        .paging_of(walk.operation)
        .and_then(|paging| paging.stated_size.as_ref());
    let fact = contract
        .fact_of(walk.operation, kind)
        .filter(|_| walk.stability == Stability::Stable);
    if let (Some(fact), Some(at), Some((page, stated))) = (fact, at, walk.wrong_stated_size()) {
        let request = page.request(contract);
        let received = || format!("{stated}, on a page of {}", page.items.len());
        let documented = Some("the size that was asked for");
        sink.of_request(&request)
            .report_finding(fact, documented, || at.clone(), received);
    }
}

fn judge_end(walk: &Walk, fact: FactId, sink: &mut Sink<'_>) -> Outcome {
    if walk.end != WalkEnd::Repeats {
        return note_held_or_undecided(fact, why_undecided(walk), sink);
    }
    report_contradiction(walk, fact, sink, |sink| {
        if let Some(page) = walk.requested_pages().next_back() {
            let number = page.asked.unwrap_or_default();
            sink.page_broken(
                page,
                fact,
                format!("page {number} has no record that was not on a page before"),
            );
        }
    })
}

fn judge_unique_records(walk: &Walk, fact: FactId, sink: &mut Sink<'_>) -> Outcome {
    if let Some((page, index)) = walk.repeated_record() {
        let number = page.asked.unwrap_or_default();
        let received = format!("also on an earlier page: record {index} of page {number}");
        return report_contradiction(walk, fact, sink, |sink| sink.page_broken(page, fact, received));
    }
    note_held_or_undecided(fact, reason_without_identity(walk), sink)
}

fn judge_completeness(walk: &Walk, fact: FactId, sink: &mut Sink<'_>) -> Outcome {
    if let Some(index) = walk.missing_record() {
        return report_contradiction(walk, fact, sink, |sink| {
            let received = format!("record {index} of the response without page parameters is on no page");
            if let Some(page) = walk.requested_pages().next() {
                sink.page_broken(page, fact, received);
            }
        });
    }
    note_held_or_undecided(fact, reason_without_identity(walk), sink)
}

/// Returns why facts about the identity of records stay undecided.
fn reason_without_identity(walk: &Walk) -> Option<Reason> {
    let unidentified = (!walk.identifies_records()).then_some(Reason::PageUnclear);
    why_undecided(walk).or(unidentified)
}

fn judge_total(walk: &Walk, fact: FactId, sink: &mut Sink<'_>) -> Outcome {
    let count = walk.records_on_pages();
    if let Some((page, total)) = walk.wrong_total_of_only_page() {
        let received = format!("{total} with {} records on the only page", page.items.len());
        return report_contradiction(walk, fact, sink, |sink| sink.page_broken(page, fact, received));
    }
    let paging = sink.contract.paging_of(walk.operation);
    if let Some((page, total)) = paging.and_then(|paging| walk.wrong_total(paging)) {
        let received = format!("{total} with {count} records on all pages");
        return report_contradiction(walk, fact, sink, |sink| sink.page_broken(page, fact, received));
    }
    let is_shown = walk.requested_pages().any(|page| page.total == Some(count));
    note_held_or_undecided(
        fact,
        why_undecided(walk).or((!is_shown).then_some(Reason::NotShown)),
        sink,
    )
}

fn judge_page_count(walk: &Walk, fact: FactId, sink: &mut Sink<'_>) -> Outcome {
    if let Some((page, expected)) = walk.wrong_page_count() {
        let (count, size) = (walk.records_on_pages(), page.per_page.unwrap_or_default());
        let shown = page.last_page.unwrap_or_default();
        let received = format!("{shown} pages, but {count} records in pages of {size} make {expected}");
        return report_contradiction(walk, fact, sink, |sink| sink.page_broken(page, fact, received));
    }
    let is_shown = walk.requested_pages().any(|page| page.last_page.is_some()) && walk.expected_page_count().is_some();
    note_held_or_undecided(
        fact,
        why_undecided(walk).or((!is_shown).then_some(Reason::NotShown)),
        sink,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::Digest;
    use crate::history::evidence::PageSeen;
    use crate::rules::Verdict;
    use crate::rules::testing::{Fixture, Judged};

    const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets:
    get:
      operationId: getPets
      parameters:
        - {name: page, in: query, schema: {type: integer, default: 1}}
        - {name: per_page, in: query, schema: {type: integer}}
      responses:
        '200':
          description: OK
          content: {application/json: {schema: {type: array, items: {type: object, properties: {id: {type: integer}}}}}}
";

    fn walk(fixture: &Fixture, pages: &[&[u64]], end: WalkEnd) -> Walk {
        let pages = (0_u64..).zip(pages).map(|(number, items)| PageSeen {
            asked: (number > 0).then_some(number),
            request: fixture.request().into(),
            page: None,
            per_page: (number > 0).then_some(2),
            total: None,
            last_page: None,
            has_item_array: true,
            items: items.iter().map(|id| Some(Digest::from(*id))).collect(),
            latest: None,
            stated_size: None,
        });
        Walk {
            stability: Stability::Stable,
            ..fixture.walk(pages.collect(), end)
        }
    }

    /// Judges a walk: the response to a request without parameters, then the pages.
    pub(super) fn judged(pages: &[&[u64]], end: WalkEnd) -> Judged {
        let fixture = Fixture::text(PETS, "getPets");
        let walk = walk(&fixture, pages, end);
        fixture.judge(|judge| judge.walk(&walk))
    }

    const KINDS: [FactKind; 4] = [
        FactKind::InferredPages(PageStatement::Size),
        FactKind::InferredPages(PageStatement::Ends),
        FactKind::InferredPages(PageStatement::Unique),
        FactKind::InferredPages(PageStatement::Whole),
    ];

    #[test]
    fn pages_that_are_the_list_hold_everything() {
        let judged = judged(&[&[1, 2, 3], &[1, 2], &[3]], WalkEnd::Complete);
        for kind in KINDS {
            assert_eq!(judged.kind(kind), Verdict::Held, "{kind:?}");
        }
    }

    #[test]
    fn each_departure_breaks_one_fact() {
        for (pages, end, broken) in [
            (
                &[&[1, 2, 3][..], &[1, 2, 3]][..],
                WalkEnd::Complete,
                PageStatement::Size,
            ),
            (&[&[1, 2, 3], &[1, 2], &[1, 2]], WalkEnd::Repeats, PageStatement::Ends),
            (
                &[&[1, 2, 3], &[1, 2], &[2, 3]],
                WalkEnd::Complete,
                PageStatement::Unique,
            ),
            (&[&[1, 2, 3, 4], &[1, 2], &[4]], WalkEnd::Complete, PageStatement::Whole),
        ] {
            let judged = judged(pages, end);
            for kind in KINDS {
                let is_broken = judged.kind(kind) == Verdict::Broken;
                assert_eq!(is_broken, kind == FactKind::InferredPages(broken), "{pages:?} {kind:?}");
            }
            if broken == PageStatement::Unique {
                let not_judged = Verdict::Undecided(Reason::OtherFactBroken);
                assert_eq!(judged.kind(FactKind::InferredPages(PageStatement::Whole)), not_judged);
            }
        }
    }

    #[test]
    fn one_page_and_a_list_that_was_not_seen_in_full_decide_nothing_but_sizes() {
        for (pages, end) in [
            (&[&[1][..]][..], WalkEnd::SeenEnough),
            (&[&[1, 2, 3], &[1, 2], &[3, 4]], WalkEnd::TooManyPages),
            (&[&[1, 2, 3], &[1, 2]], WalkEnd::Rejected(400)),
            (&[&[1, 2, 3], &[1, 2]], WalkEnd::Unusable),
            (&[], WalkEnd::NoResponse),
        ] {
            let judged = judged(pages, end);
            for kind in &KINDS[1..] {
                let verdict = judged.kind(*kind);
                assert!(
                    matches!(verdict, Verdict::Undecided(_)),
                    "{pages:?} {kind:?} {verdict:?}"
                );
            }
        }
    }

    #[test]
    fn a_list_that_was_seen_once_or_changed_is_no_finding() {
        for stability in [Stability::Unknown, Stability::Unstable] {
            let fixture = Fixture::text(PETS, "getPets");
            let pages: &[&[u64]] = &[&[1, 2, 3], &[1, 2], &[2, 3]];
            let walk = Walk {
                stability,
                ..walk(&fixture, pages, WalkEnd::Complete)
            };
            let judged = fixture.judge(|judge| judge.walk(&walk));
            for statement in [PageStatement::Unique, PageStatement::Whole] {
                let verdict = judged.kind(FactKind::InferredPages(statement));
                assert_eq!(verdict, Verdict::Undecided(Reason::ListChanged), "{statement:?}");
            }
        }
    }

    #[test]
    fn a_finding_names_the_parameter() {
        let judged = judged(&[&[1, 2, 3], &[1, 2], &[2, 3]], WalkEnd::Complete);
        let location = "/paths/~1pets/get/parameters/0";
        assert_eq!(judged.locations("inferred-pages"), ("", location));
    }
}
