//! A list as a whole, for deviations that split it into pages differently. The main type is [`Listing`].

use serde_json::{Value, json};

use super::call::Reply;

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
    pub(super) fn cut(items: &[Value], per_page: usize) -> Self {
        let pages: Vec<Vec<Value>> = items.chunks(per_page).map(<[Value]>::to_vec).collect();
        Self {
            per_page,
            total: items.len(),
            last_page: pages.len().max(1),
            pages,
            beyond: 200,
        }
    }

    pub(super) fn items(&self) -> Vec<Value> {
        self.pages.concat()
    }

    /// Cuts the list again after its items changed.
    pub(super) fn recut(&mut self, items: &[Value], per_page: usize) {
        *self = Self {
            beyond: self.beyond,
            ..Self::cut(items, per_page)
        };
    }

    /// Changes the items and leaves the cutting as it was.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Vec<Value>)) {
        let mut items = self.items();
        change(&mut items);
        self.recut(&items, self.per_page);
    }

    pub(super) fn response(&self, page: usize) -> Reply {
        let items = page.checked_sub(1).and_then(|index| self.pages.get(index));
        if items.is_none() && page > 1 && self.beyond != 200 {
            return Reply::empty(self.beyond);
        }
        let data = json!({
            "per_page": self.per_page,
            "page": page,
            "total": self.total,
            "last_page": self.last_page,
            "items": items.cloned().unwrap_or_default(),
        });
        Reply::json(200, json!({ "data": data }))
    }
}
