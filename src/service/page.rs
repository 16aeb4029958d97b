//! Pages of lists: [`PageNumber`], which page was asked for, and [`Page`], the documented envelope that answers it.

use axum::Json;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use serde::Serialize;

use super::profile::Profile;
use super::refusal::Refusal;
use super::store::{Slice, Span};

/// The page that a request asks for: 1 or more, and 1 when it asks for none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct PageNumber(i64);

impl PageNumber {
    /// Returns the positions on this page. Nothing is ever deleted, so positions are dense and a page is a range.
    pub(super) fn span(self, profile: &Profile) -> Span {
        let per_page = i64::from(profile.per_page.get());
        let before = (self.0 - 1).saturating_mul(per_page);
        Span {
            first: before.saturating_add(1),
            last: before.saturating_add(per_page),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for PageNumber {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let query: Query<Vec<(String, String)>> =
            Query::try_from_uri(&parts.uri).map_err(|_| Refusal::Page("cannot be read"))?;
        let mut pages = query.iter().filter(|(name, _)| name == "page").map(|(_, value)| value);
        match (pages.next(), pages.next()) {
            (None, _) => Ok(PageNumber(1)),
            (Some(only), None) => page_number(only).ok_or(Refusal::Page("is not a number from 1")),
            (Some(_), Some(_)) => Err(Refusal::Page("is given twice")),
        }
    }
}

/// Reads digits alone: `i64` would take a sign too.
fn page_number(text: &str) -> Option<PageNumber> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|page| digits && *page >= 1).map(PageNumber)
}

/// The page envelope of the document.
#[derive(Debug, Serialize)]
pub(super) struct Page<T> {
    data: PageData<T>,
}

#[derive(Debug, Serialize)]
struct PageData<T> {
    per_page: u32,
    page: i64,
    total: i64,
    last_page: i64,
    items: Vec<T>,
}

impl<T> Page<T> {
    /// Answers `number` with what the store has there, each record as `shown`.
    pub(super) fn answer<R>(
        number: PageNumber,
        profile: &Profile,
        slice: Slice<R>,
        shown: impl FnMut(R) -> T,
    ) -> Json<Self> {
        let per_page = i64::from(profile.per_page.get());
        // An empty list has one page, an empty one: page 1 is then not beyond the last.
        let last_page = ((slice.total + per_page - 1) / per_page).max(1);
        let items = slice.items.into_iter().map(shown).collect();
        let data = PageData {
            per_page: profile.per_page.get(),
            page: number.0,
            total: slice.total,
            last_page,
            items,
        };
        Json(Page { data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_page(total: i64) -> i64 {
        let slice = Slice {
            items: Vec::<()>::new(),
            total,
        };
        Page::answer(PageNumber(1), &Profile::default(), slice, |()| ())
            .0
            .data
            .last_page
    }

    #[test]
    fn the_last_page_holds_what_is_left() {
        assert_eq!([0, 1, 10, 11, 20, 21].map(last_page), [1, 1, 1, 2, 2, 3]);
    }

    #[test]
    fn a_page_is_a_range_of_positions() {
        let span = |page| PageNumber(page).span(&Profile::default());
        assert_eq!(span(1), Span { first: 1, last: 10 });
        assert_eq!(span(3), Span { first: 21, last: 30 });
        assert_eq!(span(i64::MAX).last, i64::MAX);
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
