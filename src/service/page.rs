//! Pages of lists: [`PageNumber`], the requested page, and [`page_response`], which returns it in the documented
//! envelope.

use axum::body::Bytes;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::response::Response;
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::list::ListRecord;
use super::open::Service;
use super::profile::{ListOrder, PageBeyondLast, Profile};
use super::rejection::Rejection;
use super::response::{json, write};
use super::store::{RecordSlice, Span, StoreError};

/// The page that a request asks for: 1 or more, and 1 when it names none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct PageNumber(i64);

impl PageNumber {
    /// Returns the positions on this page of a list of `total` records. Nothing is ever deleted, so positions are
    /// dense and a page is a range, counted from the end where the newest come first.
    fn span(self, profile: &Profile, total: i64) -> Span {
        let per_page = profile.page_size.items();
        let before = (self.0 - 1).saturating_mul(per_page);
        match profile.list_order {
            ListOrder::NewestFirst => Span {
                first: total.saturating_sub(before).saturating_sub(per_page - 1).max(1),
                last: total.saturating_sub(before),
            },
            ListOrder::OldestFirst => Span {
                first: before.saturating_add(1),
                last: before.saturating_add(per_page),
            },
        }
    }
}

impl<S: Sync> FromRequestParts<S> for PageNumber {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Rejection> {
        let query: Query<Vec<(String, String)>> =
            Query::try_from_uri(&parts.uri).map_err(|_| Rejection::Page("cannot be read"))?;
        let mut pages = query.iter().filter(|(name, _)| name == "page").map(|(_, value)| value);
        match (pages.next(), pages.next()) {
            (None, _) => Ok(PageNumber(1)),
            (Some(only), None) => page_number(only).ok_or(Rejection::Page("is not a number from 1")),
            (Some(_), Some(_)) => Err(Rejection::Page("is given twice")),
        }
    }
}

/// Reads only digits: `i64` would accept a sign too.
fn page_number(text: &str) -> Option<PageNumber> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|page| digits && *page >= 1).map(PageNumber)
}

/// The page envelope of the document.
#[derive(Debug, Serialize)]
struct Page<T> {
    data: PageData<T>,
}

#[derive(Debug, Serialize)]
struct PageData<T> {
    per_page: i64,
    page: i64,
    total: i64,
    last_page: i64,
    items: Vec<T>,
}

/// An empty span: reading it returns only the total.
const EMPTY_SPAN: Span = Span { first: 1, last: 0 };

/// Returns page `number` of the list of `R`, with each record rendered by `shown`.
pub(super) async fn page_response<R: ListRecord, T: Serialize>(
    service: &Service,
    number: PageNumber,
    shown: impl Fn(R, DateTime<Utc>) -> T,
) -> Result<Response, Rejection> {
    let now = service.now();
    let version = service.cache_version(now);
    let status = R::LIST.status(service.profile());
    if let Some(body) = version.and_then(|version| service.page_cache().page(version, R::LIST, number.0)) {
        return Ok(json(status, body));
    }
    let body = make_page(service, number, |record| shown(record, now)).await?;
    if let Some(version) = version {
        service.page_cache().keep(version, R::LIST, number.0, body.clone());
    }
    Ok(json(status, body))
}

/// Reads and serializes a page. Beyond the last page, the profile decides what is returned.
async fn make_page<R: ListRecord, T: Serialize>(
    service: &Service,
    number: PageNumber,
    shown: impl FnMut(R) -> T,
) -> Result<Bytes, Rejection> {
    let profile = service.profile();
    let mut number = number;
    let mut slice: RecordSlice<R> = read_page(service, number).await?;
    if number.0 > last_page(slice.total, profile) {
        match profile.page_beyond_last {
            PageBeyondLast::Empty => {}
            PageBeyondLast::LastPage => {
                number = PageNumber(last_page(slice.total, profile));
                slice = read_page(service, number).await?;
            }
            PageBeyondLast::NotFound => return Err(Rejection::UnknownPage),
        }
    }
    let data = PageData {
        per_page: profile.page_size.items(),
        page: number.0,
        total: slice.total,
        last_page: last_page(slice.total, profile),
        items: slice.items.into_iter().map(shown).collect(),
    };
    write(profile, &Page { data })
}

/// Reads a page in the profile's order, without the records that are not listed yet.
async fn read_page<R: ListRecord>(service: &Service, number: PageNumber) -> Result<RecordSlice<R>, StoreError> {
    let profile = service.profile();
    if profile.list_order == ListOrder::NewestFirst {
        let total = service.visible(R::LIST, R::read(service.store(), EMPTY_SPAN).await?.total);
        let mut slice = R::read(service.store(), number.span(profile, total)).await?;
        slice.items.reverse();
        return Ok(RecordSlice { total, ..slice });
    }
    let span = number.span(profile, 0);
    let mut slice = R::read(service.store(), span).await?;
    slice.total = service.visible(R::LIST, slice.total);
    let left = slice.total.saturating_sub(span.first - 1).max(0);
    slice.items.truncate(usize::try_from(left).unwrap_or(usize::MAX));
    Ok(slice)
}

/// Returns the number of the last page. An empty list has one empty page, so page 1 is never beyond the last.
fn last_page(total: i64, profile: &Profile) -> i64 {
    let per_page = profile.page_size.items();
    ((total + per_page - 1) / per_page).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_page_holds_what_is_left() {
        let last = |total| last_page(total, &Profile::default());
        assert_eq!([0, 1, 10, 11, 20, 21].map(last), [1, 1, 1, 2, 2, 3]);
    }

    #[test]
    fn a_page_is_a_range_of_positions() {
        let span = |page| PageNumber(page).span(&Profile::default(), 25);
        assert_eq!(span(1), Span { first: 1, last: 10 });
        assert_eq!(span(3), Span { first: 21, last: 30 });
        assert_eq!(span(i64::MAX).last, i64::MAX);
    }

    #[test]
    fn a_page_is_counted_from_the_end_where_the_newest_come_first() {
        let profile = Profile {
            list_order: ListOrder::NewestFirst,
            ..Profile::default()
        };
        let span = |page| PageNumber(page).span(&profile, 25);
        assert_eq!(span(1), Span { first: 16, last: 25 });
        assert_eq!(span(3), Span { first: 1, last: 5 });
        assert!(span(4).last < 1);
        assert!(span(i64::MAX).last < 1);
    }

    #[test]
    fn page_numbers_are_digits_from_one() {
        assert_eq!(page_number("7"), Some(PageNumber(7)));
        for wrong in [
            "",
            "0",
            "-1",
            "+1",
            " 1",
            "1.0",
            "one",
            "1e3",
            "1000000000000000000000000000000",
            "٣",
        ] {
            assert_eq!(page_number(wrong), None, "{wrong}");
        }
    }
}
