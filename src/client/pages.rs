//! Streams a list over all its pages, up to the page that they call the last: [`Items`].

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt, TryStreamExt};

use super::ClientError;

/// The items of a list, page after page.
///
/// A page is requested when the stream is polled for its first item, and one page is in memory at a time. The stream
/// ends after the last page, at an empty page, and after its first error.
pub struct Items<'a, T>(BoxStream<'a, Result<T, ClientError>>);

impl<T> Stream for Items<'_, T> {
    type Item = Result<T, ClientError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl<T> fmt::Debug for Items<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Items").finish_non_exhaustive()
    }
}

/// What a walk needs to know about one returned page.
pub(super) struct Page<T> {
    /// The number that the page gives itself.
    pub(super) number: Option<i64>,
    /// The number of the last page.
    pub(super) last: Option<i64>,
    pub(super) items: Vec<T>,
}

/// Streams the items of the pages that `fetch` returns, from page 1.
pub(super) fn walk<'a, T, Fetch, Response>(fetch: Fetch) -> Items<'a, T>
where
    T: Send + 'a,
    Fetch: Fn(i64) -> Response + Send + 'a,
    Response: Future<Output = Result<Page<T>, ClientError>> + Send + 'a,
{
    let pages = stream::try_unfold((Some(PageCursor::start()), fetch), |(cursor, fetch)| async move {
        let Some(cursor) = cursor else {
            return Ok(None);
        };
        let page = fetch(cursor.page).await?;
        let next = cursor.after(&page)?;
        Ok::<_, ClientError>(Some((stream::iter(page.items.into_iter().map(Ok)), (next, fetch))))
    });
    Items(pages.try_flatten().boxed())
}

/// The position of a walk over pages.
#[derive(Clone, Copy)]
struct PageCursor {
    /// The page to request.
    page: i64,
    /// The fewest pages that ever remained.
    remaining: i64,
    /// How many pages ago that was.
    stalled: u32,
}

impl PageCursor {
    /// For how many pages the last page may move away as fast as the walk advances. A list may grow while it is read,
    /// so the first response does not fix the last page; this bound also ends the walk if the last page keeps moving
    /// away.
    const MAX_STALLED: u32 = 100;

    fn start() -> Self {
        Self {
            page: 1,
            remaining: i64::MAX,
            stalled: 0,
        }
    }

    /// Returns where the walk goes after `page`; `None` if that was the last or empty.
    fn after<T>(self, page: &Page<T>) -> Result<Option<Self>, ClientError> {
        let requested = self.page;
        if let Some(returned) = page.number.filter(|number| *number != requested) {
            // For a page beyond the last, a service may return an empty page with the number of the last one.
            let ended = page.items.is_empty();
            return if ended {
                Ok(None)
            } else {
                Err(ClientError::WrongPage { requested, returned })
            };
        }
        if page.items.is_empty() {
            return Ok(None);
        }
        let remaining = page
            .last
            .ok_or(ClientError::NoLastPage { page: requested })?
            .saturating_sub(requested);
        if remaining <= 0 {
            return Ok(None);
        }
        let stalled = if remaining < self.remaining {
            0
        } else {
            self.stalled + 1
        };
        if stalled > Self::MAX_STALLED {
            return Err(ClientError::EndlessPages {
                page: requested,
                pages: Self::MAX_STALLED,
            });
        }
        Ok(Some(Self {
            page: requested + 1,
            remaining: remaining.min(self.remaining),
            stalled,
        }))
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    /// The items of a walk over what `response` gives for each page, and the error that ended it, if one did.
    fn walked(response: impl Fn(i64) -> Page<i64> + Send) -> (Vec<i64>, Option<ClientError>) {
        let items = walk(move |page| std::future::ready(Ok(response(page))));
        let outcomes = items.collect::<Vec<_>>().now_or_never().unwrap();
        let mut error = None;
        let items = outcomes
            .into_iter()
            .filter_map(|it| it.map_err(|it| error = Some(it)).ok())
            .collect();
        (items, error)
    }

    fn page(number: i64, last: i64) -> Page<i64> {
        Page {
            number: Some(number),
            last: Some(last),
            items: vec![number * 10, number * 10 + 1],
        }
    }

    #[test]
    fn a_walk_ends_at_the_last_page() {
        let (items, error) = walked(|number| page(number, 3));
        assert_eq!(items, [10, 11, 20, 21, 30, 31]);
        assert!(error.is_none());
    }

    #[test]
    fn a_walk_follows_a_list_that_grows_or_shrinks() {
        assert_eq!(
            walked(|number| page(number, if number == 1 { 2 } else { 3 })).0.len(),
            6
        );
        assert_eq!(
            walked(|number| page(number, if number == 1 { 9 } else { 2 })).0.len(),
            4
        );
    }

    #[test]
    fn an_empty_page_ends_a_walk() {
        let empty = |number, last| Page {
            items: Vec::new(),
            ..page(number, last)
        };
        assert_eq!(
            walked(|number| if number < 3 { page(number, 9) } else { empty(number, 9) })
                .0
                .len(),
            4
        );
        // Beyond the end a service may return the number of another page, or none.
        assert!(walked(|_| empty(7, 9)).1.is_none());
        assert!(
            walked(|_| Page {
                number: None,
                last: None,
                items: Vec::new()
            })
            .1
            .is_none()
        );
    }

    #[test]
    fn a_last_page_of_zero_or_less_ends_a_walk() {
        for last in [0, -1, i64::MIN] {
            let (items, error) = walked(|number| page(number, last));
            assert!(error.is_none() && items.len() == 2, "{last}: {error:?}");
        }
    }

    #[test]
    fn a_last_page_that_always_moves_on_ends_a_walk() {
        for ahead in [1, 1_000_000] {
            let (items, error) = walked(|number| page(number, number + ahead));
            assert!(matches!(error, Some(ClientError::EndlessPages { .. })), "{error:?}");
            assert_eq!(items.len(), 2 * (PageCursor::MAX_STALLED as usize + 1));
        }
    }

    #[test]
    fn a_page_that_was_not_asked_for_ends_a_walk() {
        let (items, error) = walked(|_| page(1, 3));
        assert_eq!(items, [10, 11]);
        assert!(
            matches!(
                error,
                Some(ClientError::WrongPage {
                    requested: 2,
                    returned: 1
                })
            ),
            "{error:?}"
        );
    }

    #[test]
    fn items_without_a_last_page_end_a_walk() {
        let (items, error) = walked(|number| Page {
            last: None,
            ..page(number, 0)
        });
        assert!(items.is_empty());
        assert!(matches!(error, Some(ClientError::NoLastPage { page: 1 })), "{error:?}");
    }

    #[test]
    fn a_page_without_a_number_is_taken_for_the_one_asked_for() {
        let (items, error) = walked(|number| Page {
            number: None,
            ..page(number, 2)
        });
        assert!(error.is_none() && items.len() == 4, "{error:?}");
    }
}
