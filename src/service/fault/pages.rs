//! Pages that do not add up: [`PageFault`]. They break the page invariant, `x-page`.

use serde_json::{Value, json};

use super::call::Call;
use super::contract::PageInvariant;

/// What is wrong with the pages of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageFault {
    /// Page 2 is returned where none is requested.
    DefaultIsTwo,
    /// Page 2 is empty, and the pages from it on come one page later.
    EmptyPageInside,
    /// A last page that is full lacks its last item.
    FullLastPageShort,
    /// `last_page` is one too many where the last page is full.
    FullLastPageWrong,
    /// The first page is returned whatever page is requested.
    Ignored,
    /// The last item of the last page has no identifier.
    LastItemWithoutId,
    /// `last_page` is rounded to the nearest number.
    LastPageRounded,
    /// `last_page` is one too many.
    LastPageWrong,
    /// A full page holds one item more than `per_page`.
    Overfull,
    /// Each page from the second on holds the items of the one before.
    Repeated,
    /// The last item of the first page is on no page.
    ItemSkipped,
    /// `total` is one too many, and `last_page` agrees with it.
    TotalWrong,
}

/// A fault on pages: its name, what it does, the number or the array that it breaks, what the broken fact says about
/// it, and the fault.
pub(super) type PageRow = (
    &'static str,
    &'static str,
    fn(&PageInvariant) -> &str,
    &'static str,
    PageFault,
);

/// The faults that every list can have.
pub(super) const ROWS: &[PageRow] = &[
    (
        "default-page-2",
        "page 2 is returned where none is requested",
        |invariant| &invariant.page,
        "1 when no page is asked for",
        PageFault::DefaultIsTwo,
    ),
    (
        "page-ignored",
        "page 1 is returned whatever is requested",
        |invariant| &invariant.page,
        "the page asked for",
        PageFault::Ignored,
    ),
    (
        "page-overfull",
        "a full page holds one item too many",
        |invariant| &invariant.items,
        "at most per_page items",
        PageFault::Overfull,
    ),
    (
        "last-page-wrong",
        "last_page is one too many",
        |invariant| &invariant.last_page,
        "agrees with total and per_page",
        PageFault::LastPageWrong,
    ),
    (
        "total-wrong",
        "total is one too many",
        |invariant| &invariant.total,
        "equals the number of items on all pages",
        PageFault::TotalWrong,
    ),
    (
        "row-skipped",
        "the last item of page 1 is on no page",
        |invariant| &invariant.total,
        "equals the number of items on all pages",
        PageFault::ItemSkipped,
    ),
    (
        "empty-page-inside",
        "page 2 is empty, and further ones come a page later",
        |invariant| &invariant.last_page,
        "agrees with total and per_page",
        PageFault::EmptyPageInside,
    ),
    (
        "full-last-page-short",
        "a last page that is full lacks its last item",
        |invariant| &invariant.last_page,
        "a full last page is the last one",
        PageFault::FullLastPageShort,
    ),
    (
        "full-last-page-counted",
        "last_page is one too many where the last page is full",
        |invariant| &invariant.last_page,
        "a full last page is the last one",
        PageFault::FullLastPageWrong,
    ),
    (
        "last-page-rounded",
        "last_page is rounded to the nearest number",
        |invariant| &invariant.last_page,
        "agrees with total and per_page",
        PageFault::LastPageRounded,
    ),
    (
        "page-repeated",
        "each page holds the items of the one before",
        |invariant| &invariant.items,
        "no item on two pages",
        PageFault::Repeated,
    ),
];

impl PageFault {
    /// Returns whether it is more than an edit of a response: another page is requested from the service.
    pub(super) fn asks_for_another(self) -> bool {
        matches!(
            self,
            PageFault::DefaultIsTwo | PageFault::EmptyPageInside | PageFault::Ignored | PageFault::Repeated
        )
    }

    pub(super) fn change_request(self, call: &mut Call) {
        let requested = requested_page(call);
        match (self, requested) {
            (PageFault::DefaultIsTwo, _) if call.page().is_none() => call.set_page(Some(2)),
            (PageFault::Ignored, Some(2..)) => call.set_page(None),
            (PageFault::EmptyPageInside, Some(page @ 3..)) | (PageFault::Repeated, Some(page @ 2..)) => {
                call.set_page(Some(page - 1));
            }
            _ => {}
        }
    }

    /// Changes the response for the page that was `requested`.
    pub(super) fn change_response(self, requested: Option<u64>, invariant: &PageInvariant, body: &mut Value) {
        match self {
            PageFault::EmptyPageInside => {
                let requested = requested.unwrap_or(1);
                let last_page = body.pointer(&invariant.last_page).and_then(Value::as_u64);
                if last_page >= Some(2) {
                    add(body, &invariant.last_page, 1);
                }
                set(body, &invariant.page, json!(requested));
                if requested == 2 {
                    items(body, invariant).into_iter().for_each(Vec::clear);
                }
            }
            PageFault::FullLastPageShort if is_last(body, invariant) && is_full(body, invariant) => {
                items(body, invariant).and_then(Vec::pop);
            }
            PageFault::FullLastPageWrong if fills_pages(body, invariant) => add(body, &invariant.last_page, 1),
            PageFault::LastPageRounded => {
                if let (Some(total), Some(per_page @ 1..)) = (
                    unsigned_at(body, &invariant.total),
                    unsigned_at(body, &invariant.per_page),
                ) {
                    set(
                        body,
                        &invariant.last_page,
                        json!(((total + per_page / 2) / per_page).max(1)),
                    );
                }
            }
            PageFault::LastItemWithoutId if is_last(body, invariant) => {
                let last = items(body, invariant).and_then(|items| items.last_mut()?.as_object_mut());
                last.and_then(|item| item.shift_remove(invariant.id.trim_start_matches('/')));
            }
            PageFault::LastPageWrong => add(body, &invariant.last_page, 1),
            PageFault::Overfull => overfill(body, invariant),
            PageFault::Repeated => set(body, &invariant.page, json!(requested.unwrap_or(1))),
            PageFault::ItemSkipped if requested.unwrap_or(1) == 1 => {
                items(body, invariant).and_then(Vec::pop);
            }
            PageFault::DefaultIsTwo
            | PageFault::FullLastPageShort
            | PageFault::FullLastPageWrong
            | PageFault::Ignored
            | PageFault::LastItemWithoutId
            | PageFault::ItemSkipped => {}
            PageFault::TotalWrong => recount(body, invariant, 1),
        }
    }
}

/// Returns the requested page, if it is a number.
pub(super) fn requested_page(call: &Call) -> Option<u64> {
    call.page().and_then(|page| page.parse().ok())
}

/// Changes `total`, and `last_page` to agree with it.
pub(super) fn recount(body: &mut Value, invariant: &PageInvariant, by: i64) {
    add(body, &invariant.total, by);
    let number = |pointer: &str| body.pointer(pointer).and_then(Value::as_i64);
    if let (Some(total), Some(per_page @ 1..)) = (number(&invariant.total), number(&invariant.per_page)) {
        set(
            body,
            &invariant.last_page,
            json!(((total + per_page - 1) / per_page).max(1)),
        );
    }
}

pub(super) fn items<'body>(body: &'body mut Value, invariant: &PageInvariant) -> Option<&'body mut Vec<Value>> {
    body.pointer_mut(&invariant.items)?.as_array_mut()
}

/// Returns whether the total is a multiple of the size of a page, and not 0.
fn fills_pages(body: &Value, invariant: &PageInvariant) -> bool {
    let (total, per_page) = (
        unsigned_at(body, &invariant.total),
        unsigned_at(body, &invariant.per_page),
    );
    total >= Some(1)
        && total
            .zip(per_page)
            .is_some_and(|(total, per_page)| total.checked_rem(per_page) == Some(0))
}

/// Returns whether a page holds as many items as it may.
fn is_full(body: &Value, invariant: &PageInvariant) -> bool {
    let held = body.pointer(&invariant.items).and_then(Value::as_array).map(Vec::len);
    held.and_then(|held| u64::try_from(held).ok()) == unsigned_at(body, &invariant.per_page)
}

fn unsigned_at(body: &Value, pointer: &str) -> Option<u64> {
    body.pointer(pointer)?.as_u64()
}

fn is_last(body: &Value, invariant: &PageInvariant) -> bool {
    body.pointer(&invariant.page) == body.pointer(&invariant.last_page)
}

fn overfill(body: &mut Value, invariant: &PageInvariant) {
    if is_full(body, invariant)
        && let Some(items) = items(body, invariant)
    {
        items.extend(items.last().cloned());
    }
}

fn add(body: &mut Value, pointer: &str, by: i64) {
    let number = body.pointer(pointer).and_then(Value::as_i64);
    if let Some(number) = number {
        set(body, pointer, json!(number.saturating_add(by)));
    }
}

fn set(body: &mut Value, pointer: &str, value: Value) {
    if let Some(location) = body.pointer_mut(pointer) {
        *location = value;
    }
}
