//! What lists show: pages, order, and when.

use std::time::Duration;

use super::axis_values::axis_values;

axis_values! {
    /// The value of `per_page`.
    PageSize {
        /// 10 items.
        Ten = "10",
        /// 1 item.
        One = "1",
        /// 7 items.
        Seven = "7",
        /// 25 items.
        TwentyFive = "25",
        /// 100 items, which puts each initial list on one page.
        Hundred = "100",
    }
}

impl PageSize {
    pub(in crate::service) fn items(self) -> i64 {
        match self {
            PageSize::Hundred => 100,
            PageSize::One => 1,
            PageSize::Seven => 7,
            PageSize::Ten => 10,
            PageSize::TwentyFive => 25,
        }
    }
}

axis_values! {
    /// What a list returns for a page beyond the last.
    PageBeyondLast {
        /// That page, with no items.
        Empty = "empty",
        /// 404.
        NotFound = "404",
        /// The last page, under its own number.
        LastPage = "last-page",
    }
}

axis_values! {
    /// The order of lists.
    ListOrder {
        /// In order of creation.
        OldestFirst = "oldest-first",
        /// In reverse order of creation.
        NewestFirst = "newest-first",
    }
}

axis_values! {
    /// How soon a created record is listed. With several replicas over one store, each holds back what it created
    /// itself.
    ListingDelay {
        /// With the response to its create.
        AtOnce = "at-once",
        /// 300 milliseconds later.
        Soon = "after-300ms",
        /// Two seconds later.
        Late = "after-2s",
    }
}

impl ListingDelay {
    pub(in crate::service) fn delay(self) -> Duration {
        match self {
            ListingDelay::AtOnce => Duration::ZERO,
            ListingDelay::Late => Duration::from_secs(2),
            ListingDelay::Soon => Duration::from_millis(300),
        }
    }
}
