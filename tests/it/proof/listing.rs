//! A list as a whole, for deviations that split it into pages differently. The main type is [`Listing`].

use std::iter::repeat_with;

use serde_json::{Value, json};

use super::call::Reply;

/// The creates whose records are items of a list, each with the list.
pub(super) const LISTS: [(&str, &str); 3] = [
    ("createContact", "getContacts"),
    ("createVisit", "getVisits"),
    ("createTag", "getTags"),
];

/// How many rows a list of a new store has.
pub(super) fn seeded(list: &str) -> usize {
    match list {
        "getTags" => 20,
        _ => 30,
    }
}

/// A list, cut into pages.
pub(super) struct Listing {
    pub(super) per_page: usize,
    pub(super) total: usize,
    pub(super) last_page: usize,
    pub(super) pages: Vec<Vec<Value>>,
    /// The status of a page beyond the last; its items are none.
    pub(super) beyond: u16,
}

impl Listing {
    /// Cuts items into pages as the reference service does.
    pub(super) fn cut(items: Vec<Value>, per_page: usize) -> Self {
        let total = items.len();
        let mut items = items.into_iter();
        // A list is cut for each of its pages that is asked for, so its items are moved.
        let page = || items.by_ref().take(per_page).collect();
        let pages: Vec<Vec<Value>> = repeat_with(page).take(total.div_ceil(per_page)).collect();
        Self {
            per_page,
            total,
            last_page: pages.len().max(1),
            pages,
            beyond: 200,
        }
    }

    pub(super) fn items(&self) -> Vec<Value> {
        self.pages.concat()
    }

    /// Cuts the list again after its items changed.
    pub(super) fn recut(&mut self, items: Vec<Value>, per_page: usize) {
        *self = Self {
            beyond: self.beyond,
            ..Self::cut(items, per_page)
        };
    }

    /// Changes the items and leaves the cutting as it was.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Vec<Value>)) {
        let mut items = self.take_items();
        change(&mut items);
        self.recut(items, self.per_page);
    }

    /// The items, which the pages lose until the list is cut again.
    pub(super) fn take_items(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.pages).into_iter().flatten().collect()
    }

    pub(super) fn response(mut self, page: usize) -> Reply {
        let items = page.checked_sub(1).and_then(|index| self.pages.get_mut(index));
        let items = items.map(std::mem::take);
        if items.is_none() && page > 1 && self.beyond != 200 {
            return Reply::empty(self.beyond);
        }
        let data = json!({
            "per_page": self.per_page,
            "page": page,
            "total": self.total,
            "last_page": self.last_page,
            "items": items.unwrap_or_default(),
        });
        Reply::json(200, json!({ "data": data }))
    }
}
