//! A list as a stream over all its pages, for as long as the pages say and no longer: [`Items`].

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt, TryStreamExt};

use super::ClientError;

/// The items of a list, page after page.
///
/// A page is asked for when the stream is polled for its first item, and one page is held at a time. The stream ends
/// after the last page or at an empty one, and after its first error.
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

/// What a walk needs to know of one answered page.
pub(super) struct Page<T> {
    /// The number that the page gives itself.
    pub(super) number: Option<i64>,
    /// The number of the last page.
    pub(super) last: Option<i64>,
    pub(super) items: Vec<T>,
}

/// Streams the items of the pages that `fetch` answers, from page 1.
pub(super) fn walk<'a, T, Fetch, Answer>(fetch: Fetch) -> Items<'a, T>
where
    T: Send + 'a,
    Fetch: Fn(i64) -> Answer + Send + 'a,
    Answer: Future<Output = Result<Page<T>, ClientError>> + Send + 'a,
{
    let pages = stream::try_unfold((Some(Walk::start()), fetch), |(walk, fetch)| async move {
        let Some(walk) = walk else {
            return Ok(None);
        };
        let page = fetch(walk.page).await?;
        let next = walk.after(&page)?;
        Ok::<_, ClientError>(Some((stream::iter(page.items.into_iter().map(Ok)), (next, fetch))))
    });
    Items(pages.try_flatten().boxed())
}

/// Where a walk over pages stands.
#[derive(Clone, Copy)]
struct Walk {
    /// The page to ask for.
    page: i64,
    /// The fewest pages that were ever left to go.
    left: i64,
    /// How many pages ago that was.
    stalled: u32,
}

impl Walk {
    /// For how many pages the last page may move away as fast as the walk goes. A list may grow while it is read, so
    /// the last page is not fixed by the first answer; a service that never lets a walk end is stopped here.
    const PATIENCE: u32 = 100;

    fn start() -> Self {
        Self {
            page: 1,
            left: i64::MAX,
            stalled: 0,
        }
    }

    /// Where the walk goes after `page`, nowhere if it was the last or empty.
    fn after<T>(self, page: &Page<T>) -> Result<Option<Self>, ClientError> {
        let asked = self.page;
        if let Some(answered) = page.number.filter(|number| *number != asked) {
            // A service may answer a page beyond the last with the last, or with none.
            let ended = page.items.is_empty();
            return if ended {
                Ok(None)
            } else {
                Err(ClientError::OtherPage { asked, answered })
            };
        }
        if page.items.is_empty() {
            return Ok(None);
        }
        let left = page
            .last
            .ok_or(ClientError::NoLastPage { page: asked })?
            .saturating_sub(asked);
        if left <= 0 {
            return Ok(None);
        }
        let stalled = if left < self.left { 0 } else { self.stalled + 1 };
        if stalled > Self::PATIENCE {
            return Err(ClientError::EndlessPages {
                page: asked,
                pages: Self::PATIENCE,
            });
        }
        Ok(Some(Self {
            page: asked + 1,
            left: left.min(self.left),
            stalled,
        }))
    }
}
