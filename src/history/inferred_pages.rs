//! Walks over the pages of a list without `x-page`, as [`Paging`] infers them: which page is requested next, where the
//! walk ends, and what its pages show together. The main type is [`InferredWalk`].
//!
//! # Design
//!
//! A walk begins with a request without the parameters. Its response is compared with pages that are then requested.
//! Their size is chosen so that the records of this response would fill two of them, the second not completely; with
//! two records, each page has one. If the list turns out to need more pages than are walked, it is walked again with
//! larger pages. A link to the next page is never followed as it is written: only the value of the documented parameter
//! is taken from it, and only from a URL at the target and of the same path.

use std::collections::HashSet;
use std::sync::Arc;

use reqwest::header::LINK;
use serde_json::Value;

use super::evidence::{PageSeen, Stability, Walk, WalkEnd};
use super::pages::integer;
use crate::contract::operation::Operation;
use crate::contract::paging::{Paging, PagingStyle};
use crate::contract::pointer;
use crate::exchange::json::Body;
use crate::exchange::{Digest, Exchange, Target, identifier, links};

/// The largest page size that is requested: most services that document a maximum allow it.
const MAX_REQUESTED_PAGE_SIZE: u64 = 100;

/// The maximum length of a cursor that is sent back, in bytes: every server should take a URL that is twice as long
/// (RFC 9110, section 4.1).
const MAX_CURSOR_LENGTH: usize = 4_000;

/// A request for a page: its number in the walk, `None` for the request without the parameters, and what it has in its
/// query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NextPage {
    pub(crate) asked: Option<u64>,
    pub(crate) query: Vec<PageValue>,
}

/// The value of a parameter in a request for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageValue {
    /// The index of the parameter.
    pub(crate) parameter: usize,
    pub(crate) value: String,
    /// Whether a response showed it.
    pub(crate) is_shown: bool,
}

/// What a response says about the page after it.
enum Following {
    /// There is none.
    None,
    /// It is requested with this value.
    Value(String),
    /// It is at another origin or path, or no documented parameter can request it.
    Unclear,
}

/// A walk under way.
#[derive(Debug)]
pub(super) struct InferredWalk {
    target: Target,
    /// The page size to request because a walk with smaller pages was too long.
    larger: Option<u64>,
    /// The page size of this walk.
    size: Option<u64>,
    /// The number of the first page, where pages have numbers and it is known.
    first: Option<u64>,
    /// The records of the response without the parameters: of each its identifier, or else the whole of it.
    unpaged: Vec<Digest>,
    /// The records that pages have shown.
    seen: HashSet<Digest>,
    /// The number of records on all pages so far.
    received: usize,
    /// The number of records on the first page.
    received_on_first: usize,
    /// The number of all records, as the last page that has one states it.
    total: Option<i64>,
    /// The values with which pages were requested, in the order of the pages.
    used: Vec<String>,
    /// The number of requests for pages.
    requests: u64,
    /// What is requested next, or why nothing is.
    next: Result<NextPage, WalkEnd>,
}

impl InferredWalk {
    pub(super) fn new(target: Target) -> Self {
        Self {
            target,
            larger: None,
            size: None,
            first: None,
            unpaged: Vec::new(),
            seen: HashSet::new(),
            received: 0,
            received_on_first: 0,
            total: None,
            used: Vec::new(),
            requests: 0,
            next: Ok(NextPage::default()),
        }
    }

    /// Forgets the previous walk, to begin another, in larger pages if it was too long.
    pub(super) fn begin(&mut self, before: &Walk, paging: Option<&Paging>) {
        let larger = paging.and_then(|paging| self.larger_size(before, paging));
        *self = Self {
            larger: larger.or(self.larger),
            first: self.first,
            ..Self::new(self.target.clone())
        };
    }

    /// Returns a larger page size for a list whose walk had too many pages. The list still has at least two such pages.
    /// `None` where the list was already walked in larger pages, or may not be.
    pub(super) fn larger_size(&self, walk: &Walk, paging: &Paging) -> Option<u64> {
        let is_too_long =
            walk.end == WalkEnd::TooManyPages && !walk.contradicts_paging(paging) && self.larger.is_none();
        let (size, bounds) = (self.size.filter(|_| is_too_long)?, paging.size?);
        // The list has more than `max_pages` times `size` records.
        let larger = size
            .saturating_mul(walk.max_pages.saturating_sub(1))
            .min(MAX_REQUESTED_PAGE_SIZE)
            .min(bounds.maximum);
        (larger > size).then_some(larger)
    }

    /// Returns what is requested next.
    pub(super) fn next(&self) -> Option<&NextPage> {
        self.next.as_ref().ok()
    }

    /// Returns how the walk ended, if it did.
    pub(super) fn end(&self) -> Option<WalkEnd> {
        self.next.as_ref().err().copied()
    }

    /// Adds a response, and ends the walk after `max_pages` requests for pages. Returns the page that the response
    /// shows.
    pub(super) fn add(
        &mut self,
        (operation, paging): (&Operation, &Paging),
        max_pages: u64,
        (asked, exchange): (Option<u64>, &Exchange),
        body: Result<&Body, WalkEnd>,
    ) -> Option<PageSeen> {
        let body = match body {
            Ok(body) => &body.value,
            Err(end) => {
                self.next = Err(self.end_without(paging, asked, end));
                return None;
            }
        };
        let Some(items) = pointer::get(body, &paging.items).and_then(Value::as_array) else {
            self.next = Err(WalkEnd::Unusable);
            return None;
        };
        let id = |item: &Value| {
            let id = pointer::get(item, paging.id.as_ref()?)?;
            identifier(id).is_some().then(|| Digest::of(id))
        };
        let number = |at: &Option<String>| pointer::get(body, at.as_ref()?).and_then(integer);
        let page = PageSeen {
            asked,
            request: Arc::new(exchange.request.clone()),
            page: None,
            per_page: asked.and(self.size).and_then(|size| i64::try_from(size).ok()),
            total: number(&paging.total),
            last_page: number(&paging.page_count),
            has_item_array: true,
            items: items.iter().map(id).collect(),
            latest: None,
            stated_size: number(&paging.stated_size),
        };
        self.total = page.total.or(self.total);
        let shown = page.items.iter().zip(items);
        let shown: Vec<_> = shown.map(|(id, item)| id.unwrap_or_else(|| Digest::of(item))).collect();
        let more = paging.more.as_ref().and_then(|at| pointer::get(body, at)?.as_bool());
        let following = self.following((operation, paging), exchange, body);
        if asked.is_none() {
            let says_more = more == Some(true)
                || matches!(following, Following::Value(_))
                || page
                    .total
                    .is_some_and(|total| usize::try_from(total).is_ok_and(|total| total > shown.len()));
            self.unpaged = shown;
            self.next = self.after_unpaged(paging, says_more);
            return Some(page);
        }
        self.requests += 1;
        if self.requests == 1 && self.starts_at_zero(paging, &shown) {
            self.first = Some(0);
            self.next = Ok(self.request(paging, 1));
            return None;
        }
        self.next = match (more, paging.style) {
            (Some(false), _) => self.note(&shown).map_or(Err(WalkEnd::Complete), Err),
            (_, PagingStyle::AfterRecord | PagingStyle::Cursor | PagingStyle::Link) => {
                self.after_cursor(paging, &shown, following)
            }
            _ => self.after_number(paging, &shown, &page, body),
        };
        if self.next.is_ok() && self.requests >= max_pages {
            self.next = Err(WalkEnd::TooManyPages);
        }
        Some(page)
    }

    /// Returns how the walk ends with a page that did not come. A service may reject a page after the last one.
    fn end_without(&self, paging: &Paging, asked: Option<u64>, end: WalkEnd) -> WalkEnd {
        let by_number = matches!(paging.style, PagingStyle::Number { .. } | PagingStyle::Offset);
        let rejected = matches!(
            end,
            WalkEnd::Rejected(400 | 404 | 410 | 422) | WalkEnd::RejectedWithoutCredential(400 | 404 | 410 | 422)
        );
        // If there should be more records, the service rejects pages beyond some depth, as search engines do.
        if by_number && rejected && asked > Some(1) && self.is_whole(self.total) {
            WalkEnd::Complete
        } else {
            end
        }
    }

    /// Whether the pages have shown each record of the response without the parameters.
    fn shows_all(&self) -> bool {
        self.unpaged.iter().all(|record| self.seen.contains(record))
    }

    /// Whether the pages have shown each record of the response without the parameters, and no fewer records than the
    /// total that the list states.
    fn is_whole(&self, total: Option<i64>) -> bool {
        let received = i64::try_from(self.received).unwrap_or(i64::MAX);
        self.shows_all() && total.is_none_or(|total| total <= received)
    }

    /// Chooses the page size so that the list fills two pages, the second only partly (of two records, each page
    /// has one). A page that is not full is known to be the last, so no page beyond it is requested.
    fn after_unpaged(&mut self, paging: &Paging, says_more: bool) -> Result<NextPage, WalkEnd> {
        let count = u64::try_from(self.unpaged.len()).unwrap_or(u64::MAX);
        if count < 2 {
            return Err(WalkEnd::SeenEnough);
        }
        let wanted = if count == 2 { 1 } else { count / 2 + 1 };
        let wanted = self.larger.unwrap_or(wanted.min(MAX_REQUESTED_PAGE_SIZE));
        self.size = paging.size.map(|size| wanted.clamp(size.minimum, size.maximum));
        let has_more = says_more || self.larger.is_some();
        if self.size.is_some_and(|size| size >= count) && !has_more {
            return Err(WalkEnd::SeenEnough);
        }
        if let PagingStyle::Number { first } = paging.style {
            self.first = first.or(self.first);
        }
        Ok(self.request(paging, 1))
    }

    /// Whether pages count from 0, so that page 1 is the second one, where the contract does not say: the page lacks
    /// the first record, and shows others of the response without the parameters.
    fn starts_at_zero(&self, paging: &Paging, shown: &[Digest]) -> bool {
        let is_open = matches!(paging.style, PagingStyle::Number { first: None }) && self.first.is_none();
        let lacks_first = self.unpaged.first().is_some_and(|first| !shown.contains(first));
        is_open && lacks_first && shown.iter().any(|record| self.unpaged.contains(record))
    }

    /// Returns the request for a page by its number in the walk.
    fn request(&self, paging: &Paging, nth: u64) -> NextPage {
        let position = match paging.style {
            PagingStyle::Number { .. } => Some((self.first.unwrap_or(1).saturating_add(nth - 1).to_string(), false)),
            PagingStyle::Offset => Some((self.received.to_string(), false)),
            PagingStyle::AfterRecord | PagingStyle::Cursor | PagingStyle::Link => {
                self.used.last().map(|value| (value.clone(), true))
            }
        };
        let position = position.map(|(value, is_shown)| PageValue {
            parameter: paging.page_parameter,
            value,
            is_shown,
        });
        let size = paging.size.zip(self.size).map(|(parameter, size)| PageValue {
            parameter: parameter.parameter,
            value: size.to_string(),
            is_shown: false,
        });
        NextPage {
            asked: Some(nth),
            query: position.into_iter().chain(size).collect(),
        }
    }

    /// Notes the records of a page. Returns how the walk ends if none of them belongs to the list.
    fn note(&mut self, shown: &[Digest]) -> Option<WalkEnd> {
        let is_first = self.requests == 1 || (self.first == Some(0) && self.seen.is_empty());
        self.seen.extend(shown);
        self.received += shown.len();
        if is_first {
            self.received_on_first = shown.len();
        }
        // A page that shows nothing of the list may be one of another list.
        let is_of_list = |record: &Digest| shown.contains(record);
        let is_other = if self.requests > 1 {
            !self.unpaged.first().is_some_and(is_of_list)
        } else {
            !self.unpaged.iter().any(is_of_list)
        };
        (is_first && is_other && !shown.is_empty()).then_some(WalkEnd::Unusable)
    }

    /// Returns what comes after a page that was requested by a value of the page before it.
    fn after_cursor(&mut self, paging: &Paging, shown: &[Digest], following: Following) -> Result<NextPage, WalkEnd> {
        let shows_new = shown.iter().any(|record| !self.seen.contains(record));
        if let Some(end) = self.note(shown) {
            return Err(end);
        }
        match following {
            // A header that the service never sends says nothing.
            Following::None if paging.style == PagingStyle::Link && self.used.is_empty() && !self.shows_all() => {
                Err(WalkEnd::Unusable)
            }
            Following::None => Err(WalkEnd::Complete),
            Following::Unclear => Err(WalkEnd::Unusable),
            Following::Value(value) if !shows_new && self.used.contains(&value) => Err(WalkEnd::Repeats),
            Following::Value(value) => {
                self.used.push(value);
                Ok(self.request(paging, self.requests + 1))
            }
        }
    }

    /// Returns what comes after a page that was requested by its number, or by the number of records before it. A page
    /// that is not full, or shows nothing new, is the last one, unless the list states a larger total.
    fn after_number(
        &mut self,
        paging: &Paging,
        shown: &[Digest],
        page: &PageSeen,
        body: &Value,
    ) -> Result<NextPage, WalkEnd> {
        let shows_new = shown.iter().any(|record| !self.seen.contains(record));
        if let Some(end) = self.note(shown) {
            return Err(end);
        }
        let says_end = paging.next.as_ref().and_then(|at| pointer::get(body, at)) == Some(&Value::Null);
        if shown.is_empty() || says_end {
            return Err(WalkEnd::Complete);
        }
        let is_whole = self.is_whole(page.total);
        let size = self
            .size
            .unwrap_or(0)
            .max(u64::try_from(self.received_on_first).unwrap_or(0));
        let is_short = u64::try_from(shown.len()).is_ok_and(|shown| shown < size);
        if !shows_new {
            return Err(if is_whole { WalkEnd::Complete } else { WalkEnd::Repeats });
        }
        if is_short && is_whole {
            return Err(WalkEnd::Complete);
        }
        let nth = page.asked.unwrap_or(0).saturating_add(1);
        Ok(self.request(paging, nth))
    }

    /// Returns what a response says of the page after it, as far as it can be requested.
    fn following(&self, list: (&Operation, &Paging), exchange: &Exchange, body: &Value) -> Following {
        match self.stated_next(list, exchange, body) {
            Following::Value(value) if value.len() > MAX_CURSOR_LENGTH => Following::Unclear,
            following => following,
        }
    }

    fn stated_next(&self, (operation, paging): (&Operation, &Paging), exchange: &Exchange, body: &Value) -> Following {
        let parameter = &operation.parameters[paging.page_parameter].name;
        let of_link = |link: &str| {
            let pairs = self.target.query_of(link, &exchange.request.path);
            let value = pairs.into_iter().flatten().find(|(name, _)| name == parameter);
            value.map_or(Following::Unclear, |(_, value)| Following::Value(value))
        };
        if paging.style == PagingStyle::Link {
            let headers = exchange.response().map(|response| response.headers.get_all(LINK));
            let headers = headers.into_iter().flatten().filter_map(|header| header.to_str().ok());
            let mut next = headers.flat_map(links::next).collect::<Vec<_>>().into_iter();
            return next.next().map_or(Following::None, |link| of_link(&link));
        }
        if paging.style == PagingStyle::AfterRecord {
            let more = paging.more.as_ref().and_then(|at| pointer::get(body, at)?.as_bool());
            let items = pointer::get(body, &paging.items).and_then(Value::as_array);
            let last = items.and_then(|items| identifier(pointer::get(items.last()?, paging.id.as_ref()?)?));
            return match (more, last) {
                (Some(false), _) => Following::None,
                (Some(true), Some(last)) => Following::Value(last),
                _ => Following::Unclear,
            };
        }
        let shown = paging.next.as_ref().and_then(|at| pointer::get(body, at));
        match shown {
            None | Some(Value::Null) => Following::None,
            Some(Value::String(text)) if text.is_empty() => Following::None,
            Some(Value::String(text)) if text.contains("://") || text.contains('?') => of_link(text),
            Some(Value::String(text)) => Following::Value(text.clone()),
            Some(Value::Number(number)) => Following::Value(number.to_string()),
            Some(_) => Following::Unclear,
        }
    }
}

/// What the pages of an inferred walk show together. Its first page was requested without the parameters.
impl Walk {
    /// Returns the pages that were requested with the parameters.
    pub(crate) fn requested_pages(&self) -> impl DoubleEndedIterator<Item = &PageSeen> {
        self.pages.iter().filter(|page| page.asked.is_some())
    }

    fn unpaged(&self) -> &[Option<Digest>] {
        let unpaged = self.pages.iter().find(|page| page.asked.is_none());
        unpaged.map_or(&[], |page| page.items.as_slice())
    }

    /// Whether each record has an identifier of its own.
    pub(crate) fn identifies_records(&self) -> bool {
        let different: HashSet<_> = self.unpaged().iter().collect();
        different.len() == self.unpaged().len() && self.pages.iter().all(PageSeen::shows_items)
    }

    /// Returns a page and the index of a record in it that an earlier page has too, or that the page has twice.
    pub(crate) fn repeated_record(&self) -> Option<(&PageSeen, usize)> {
        let mut seen = HashSet::new();
        let repeated = self.requested_pages().find_map(|page| {
            let index = page.items.iter().position(|id| !seen.insert(*id))?;
            Some((page, index))
        });
        repeated.filter(|_| self.identifies_records())
    }

    /// Returns the index of a record of the response without the parameters that no page has, where all pages were
    /// seen.
    pub(crate) fn missing_record(&self) -> Option<usize> {
        let seen: HashSet<_> = self.requested_pages().flat_map(|page| &page.items).collect();
        let missing = self.unpaged().iter().position(|id| !seen.contains(id));
        missing.filter(|_| self.identifies_records() && self.end == WalkEnd::Complete)
    }

    /// Returns the number of records on all pages.
    pub(crate) fn records_on_pages(&self) -> i64 {
        let count: usize = self.requested_pages().map(|page| page.items.len()).sum();
        i64::try_from(count).unwrap_or(i64::MAX)
    }

    /// Returns a page whose total is not the number of records on all pages; `None` where each total counts only the
    /// records of its own page, as in some services, unless the contract says that it counts those of all pages. The
    /// total in the response without the parameters does not count:
    /// it may come from a cache.
    pub(crate) fn wrong_total(&self, paging: &Paging) -> Option<(&PageSeen, i64)> {
        let is_of_page = |page: &PageSeen| page.total == i64::try_from(page.items.len()).ok();
        let count = self.records_on_pages();
        let totals = self.requested_pages().filter_map(|page| Some((page, page.total?)));
        let mut wrong = totals.filter(|(_, total)| *total != count);
        let wrong = wrong.next()?;
        let may_be_of_page = !paging.counts_all_pages && self.requested_pages().all(is_of_page);
        (self.end == WalkEnd::Complete && paging.counts_plainly && !may_be_of_page).then_some(wrong)
    }

    /// Returns the only page of a list that shows twice that its total is another number than that of its records: see
    /// [`History::note_total_of_only_page`](super::history::History::note_total_of_only_page).
    pub(crate) fn wrong_total_of_only_page(&self) -> Option<(&PageSeen, i64)> {
        let [page] = self.pages.as_slice() else { return None };
        let is_only = page.asked.is_none() && page.last_page == Some(1) && self.stability == Stability::Stable;
        let count = i64::try_from(page.items.len()).ok()?;
        let total = page.total.filter(|total| is_only && *total != count)?;
        Some((page, total))
    }

    /// Returns a page that states another size than it was requested with, and that size, although it has as many
    /// records as were asked for and another page follows.
    pub(crate) fn wrong_stated_size(&self) -> Option<(&PageSeen, i64)> {
        let pages: Vec<_> = self.requested_pages().collect();
        let mut followed = pages.windows(2).filter_map(|pages| match pages {
            [page, next] if !next.items.is_empty() => Some(*page),
            _ => None,
        });
        followed.find_map(|page| {
            let is_full = i64::try_from(page.items.len()).ok() == page.per_page;
            let stated = page
                .stated_size
                .filter(|stated| is_full && Some(*stated) != page.per_page)?;
            Some((page, stated))
        })
    }

    /// Returns a page whose number of pages is not the number of records divided by the size that was asked for,
    /// rounded up, and that quotient. Nothing can be concluded if the service made the pages smaller.
    pub(crate) fn wrong_page_count(&self) -> Option<(&PageSeen, i64)> {
        let expected = self.expected_page_count()?;
        let page = self
            .requested_pages()
            .find(|page| page.last_page.is_some_and(|shown| shown != expected))?;
        Some((page, expected))
    }

    /// Returns the number of pages that the list has in the size that was asked for.
    pub(crate) fn expected_page_count(&self) -> Option<i64> {
        let first = self.requested_pages().next()?;
        let size = first
            .per_page
            .filter(|size| i64::try_from(first.items.len()) == Ok(*size) && *size > 0)?;
        let count = self.records_on_pages();
        (self.end == WalkEnd::Complete && count > 0).then_some((count - 1) / size + 1)
    }

    /// Whether the pages contradict what is inferred, so that another walk must show whether the list changed.
    pub(crate) fn contradicts_paging(&self, paging: &Paging) -> bool {
        self.end == WalkEnd::Repeats
            || self.repeated_record().is_some()
            || self.missing_record().is_some()
            || self.wrong_total(paging).is_some()
            || self.wrong_stated_size().is_some()
            || paging.counts_plainly && self.wrong_page_count().is_some()
    }
}

/// Compares two consecutive walks: the list is stable only if both show the same.
pub(super) fn inferred_stability(before: &Walk, after: &Walk) -> Stability {
    let shown = |walk: &Walk| -> Vec<_> {
        let pages = walk.pages.iter();
        pages
            .map(|page| (page.asked, page.total, page.last_page, page.items.clone()))
            .collect()
    };
    if before.end == after.end && shown(before) == shown(after) {
        Stability::Stable
    } else {
        Stability::Unstable
    }
}
